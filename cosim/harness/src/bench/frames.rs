//! `quadlock bench scenes`: fragments per second of the golden model alone, beside those of the RTL
//! on the same scene in the same run. Compiling shaders and building the simulator are outside of
//! what is timed; memory is set up inside, on both sides. The best of some rounds counts. It can be
//! wrong by a scene that fails early: a row that did not pass says so.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::base::error::{bad, Input};
use crate::base::units::rate;
use crate::lockstep::Quiet;
use crate::scene::machine::rtl::on_rtl;
use crate::scene::machine::run::golden;
use crate::scene::Scene;
use crate::simulate::Simulator;

/// Scenes that are measured if none is named: one of a constant colour per fragment and one of many
/// small triangles, and one with some 120 instructions for each fragment.
pub const DEFAULT: [&str; 3] = ["particles", "foliage", "teapot"];

/// Fragments per second that the model must reach on a fragment program that is simple.
pub const MUST: f64 = 2e6;

/// Instructions of a warp per quad that still count as simple.
const SIMPLE: f64 = 64.0;

/// What was measured on a scene.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub scene: String,
    /// Fragments that a run shades.
    pub fragments: u64,
    /// Instructions of fragment and vertex warps, per quad.
    pub instructions: f64,
    /// Fragments per second of the golden model and of the RTL.
    pub golden: f64,
    pub rtl: f64,
    pub ratio: f64,
    /// What `golden` must reach, of a scene that is simple.
    pub must: Option<f64>,
    /// All runs passed.
    pub passed: bool,
}

/// Draws a scene `rounds` times on each side.
///
/// # Errors
/// The scene cannot be used.
pub fn measure(file: &Path, small: bool, rounds: u32) -> Input<Row> {
    let mut scene = Scene::read(file, small, &[])?;
    scene.give(&[])?;
    let frame = scene.frame(&scene.compiler()?)?;
    let options = scene.options(false, None)?;
    let engine = Simulator::Rtlsim.engine(&options.config);
    let mut engine = engine.or_else(|e| bad(e, "correct [machine]"))?;
    let (mut seconds, mut passed, mut fragments, mut instructions) = ([f64::INFINITY; 2], true, 0, 0.0);
    for _ in 0..rounds {
        let model = golden(&scene.spec.name, &frame, None).report;
        let rtl = match frame.start(&scene.spec.name, file, &options)? {
            Ok(launch) => on_rtl(&mut *engine, &frame, &launch, &options, &mut Quiet).0.report,
            Err(drawn) => drawn.report,
        };
        fragments = model.fragments_shaded;
        instructions = model.run.retired as f64 / (model.quads as f64).max(1.0);
        passed &= model.passed() && rtl.passed();
        seconds = [seconds[0].min(model.run.seconds), seconds[1].min(rtl.run.seconds)];
    }
    let [golden, rtl] = seconds.map(|s| fragments as f64 / s);
    let must = (instructions <= SIMPLE).then_some(MUST);
    Ok(Row { scene: scene.spec.name, fragments, instructions, golden, rtl, ratio: golden / rtl, must, passed })
}

/// The rows as a table.
pub fn text(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<18} {:>10} {:>12} {:>20} {:>20} {:>10}  {}\n",
        "scene", "fragments", "instructions", "golden", "RTL", "ratio", "must"
    );
    for r in rows {
        let must = match r.must {
            Some(must) => format!("{}: {}", speed(must), if r.golden >= must { "reached" } else { "NOT REACHED" }),
            None => "-".to_owned(),
        };
        let failed = if r.passed { "" } else { "; A RUN FAILED" };
        let (golden, rtl) = (speed(r.golden), speed(r.rtl));
        let _ = writeln!(
            text,
            "{:<18} {:>10} {:>12.1} {golden:>20} {rtl:>20} {:>10.1}  {must}{failed}",
            r.scene, r.fragments, r.instructions, r.ratio
        );
    }
    text
}

/// Fragments per second, in the unit that suits.
fn speed(fragments: f64) -> String {
    rate(fragments, "fragments")
}

/// The rows as JSON.
pub fn json(rows: &[Row]) -> String {
    serde_json::to_string_pretty(rows).unwrap_or_default() + "\n"
}
