//! `quadlock run` of a scene: compiled, drawn, compared with its expected picture, written as PNG.

use std::path::Path;

use quadlock_shader::Options;

use super::outcome::{print, Outcome};
use super::run::RunArgs;
use crate::base::error::{bad, Input};
use crate::base::files::{read, write_atomic};
use crate::job::picture::{encode_rgba, Picture};
use crate::report::Verdict;
use crate::scene::{image, run, Scene};
use crate::simulate::EngineKind;

/// The most bytes of an expected picture.
const MOST: u64 = 1 << 28;

/// Draws a scene.
///
/// # Errors
/// What of the scene cannot be used.
pub fn run(args: &RunArgs) -> Input<Outcome> {
    let scene = Scene::read(args.file(), args.is_small(), args.sets())?;
    if args.engine() != EngineKind::Golden {
        return bad(format!("{}: only the golden model draws scenes", args.file().display()), "add --engine golden");
    }
    let frame = scene.frame(&Options::default())?;
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
    let mut drawn = run::golden(&scene.spec.name, &frame);
    let memory = &drawn.memory;
    let report = &mut drawn.report;
    if let Some(path) = args.png_file().filter(|_| report.passed()) {
        if frame.targets.is_empty() {
            return bad("--png: the scene has no colour target", "leave it out");
        }
        let pixels = frame.pixels(&|at| memory.read32(at), 0);
        let file = encode_rgba(frame.width, frame.height, pixels.as_flattened());
        let file = file.or_else(|e| bad(format!("{}: {e}", path.display()), "choose another size"))?;
        write_atomic(path, &file)?;
        report.png = Some(path.display().to_string());
        report.outputs.push(path.display().to_string());
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
    if let Some(path) = args.report_file() {
        write_atomic(path, report.json().as_bytes())?;
    }
    print(&report.text());
    Ok(if report.passed() { Outcome::Pass } else { Outcome::Fail })
}

/// Whether a file is a scene's.
pub fn is_scene(path: &Path) -> bool {
    read(path, 1 << 20).is_ok_and(|data| crate::scene::is_scene(&String::from_utf8_lossy(&data)))
}
