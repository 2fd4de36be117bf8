//! `quadlock run` of a scene: compiled, drawn, compared with its expected picture, written as PNG.
//! What `--compare` asks for is drawn again and shown beside it.

use std::path::Path;

use super::compare;
use super::outcome::{print, Outcome};
use super::run::{scene_on_rtl, RunArgs};
use crate::base::error::{bad, Input};
use crate::base::files::{read, write_atomic, MOST_TEXT};
use crate::job::picture::{encode_rgba, Picture};
use crate::report::Verdict;
use crate::scene::run::SceneReport;
use crate::scene::{image, run, Scene};
use crate::simulate::EngineKind;

/// The most bytes of an expected picture.
const MOST: u64 = 1 << 28;

/// Draws a scene, with `--compare` once more with other settings.
///
/// # Errors
/// What of the scene cannot be used.
pub fn run(args: &RunArgs) -> Input<Outcome> {
    refuse_ignored(args)?;
    let mut reports = vec![one(args, args.sets())?];
    if !args.compared().is_empty() {
        let sets: Vec<String> = args.sets().iter().chain(args.compared()).cloned().collect();
        reports.push(one(args, &sets)?);
        print(&format!("\n{}", compare::table(&reports[0], &reports[1], &args.compared().join(" "))));
    }
    if let Some(path) = args.report_file() {
        let json = match reports.as_slice() {
            [one] => one.json(),
            both => serde_json::to_string_pretty(both).unwrap_or_default() + "\n",
        };
        write_atomic(path, json.as_bytes())?;
    }
    Ok(if reports.iter().all(SceneReport::passed) { Outcome::Pass } else { Outcome::Fail })
}

/// Refuses options that no scene heeds, and a trace that ends before it begins.
fn refuse_ignored(args: &RunArgs) -> Input<()> {
    if args.has_constants() {
        let help = "write the value into the program, or give it by a [[draw.binding]]";
        return bad("--constant: the programs of a scene take no constants", help);
    }
    if let Some(option) = args.traced().filter(|_| args.engine() == EngineKind::Golden) {
        let message = format!("--{option}: the golden model has no signals to trace");
        return bad(message, "leave out the trace, or choose another --engine");
    }
    args.check_window()
}

fn one(args: &RunArgs, sets: &[String]) -> Input<SceneReport> {
    let scene = Scene::read(args.file(), args.is_small(), sets)?;
    let frame = scene.frame(&scene.compiler())?;
    let expected = match &scene.spec.expect {
        Some(e) => {
            let path = scene.resolve(&e.get_ref().png);
            let picture = Picture::decode(&read(&path, MOST)?);
            Some((
                path.clone(),
                picture.or_else(|e| bad(format!("{}: {e}", path.display()), "give a PNG file"))?,
                e.get_ref(),
            ))
        }
        None => None,
    };
    let mut drawn = match args.engine() {
        EngineKind::Golden => {
            let fault = scene.options(true, None)?.model_fault;
            run::golden(&scene.spec.name, &frame, fault, args.heat_file().is_some())
        }
        kind => {
            let options = scene.options(kind == EngineKind::Lockstep, args.seed())?;
            scene_on_rtl(args, &scene.spec.name, sets, &frame, &options)?
        }
    };
    let memory = &drawn.memory;
    let report = &mut drawn.report;
    if let Some(path) = args.png_file().filter(|_| report.passed()) {
        if frame.targets.is_empty() {
            return bad("--png: the scene has no colour target", "leave it out");
        }
        let pixels = frame.pixels(&|at| memory.read32(at), 0);
        write_picture(path, (frame.width, frame.height), pixels.as_flattened())?;
        report.png = Some(path.display().to_string());
        report.outputs.push(path.display().to_string());
    }
    if let Some(path) = args.heat_file() {
        let (figures, pixels) = drawn.heat.figures(path.display().to_string());
        write_picture(path, (frame.width, frame.height), &pixels)?;
        report.outputs.push(figures.png.clone());
        report.heatmap = Some(figures);
    }
    if let Some((path, picture, spec)) = expected.filter(|_| report.passed()) {
        let pixels = frame.pixels(&|at| memory.read32(at), 0);
        let found = image::differences(&pixels, (frame.width, frame.height), &picture, spec.tolerance);
        let (count, worst) =
            found.or_else(|e| bad(format!("{}: {e}", path.display()), "draw it at the picture's size"))?;
        if count > spec.pixels {
            report.verdict = Verdict::WrongOutput;
            let at = worst.map_or(String::new(), |(x, y, off)| format!("; the worst by {off} at ({x}, {y})"));
            report.problems.push(format!(
                "{count} pixels differ from {} by more than {}{at}",
                path.display(),
                spec.tolerance
            ));
        }
    }
    print(&report.text());
    Ok(drawn.report)
}

fn write_picture(path: &Path, (width, height): (u32, u32), pixels: &[u8]) -> Input<()> {
    let file = encode_rgba(width, height, pixels);
    let file = file.or_else(|e| bad(format!("{}: {e}", path.display()), "choose another size"))?;
    write_atomic(path, &file)
}

/// Whether a file is a scene's.
pub fn is_scene(path: &Path) -> bool {
    read(path, MOST_TEXT).is_ok_and(|data| crate::scene::is_scene(&String::from_utf8_lossy(&data)))
}
