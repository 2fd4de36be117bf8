//! `quadlock run` of a scene: compiled, drawn, compared with what it expects, written.
//! What `--compare` asks for is drawn again and shown beside it.

use std::path::Path;

use anyhow::Context;

use super::compare;
use super::outcome::{print, say, Outcome};
use super::run::watched::{again, scene_on_rtl};
use super::run::RunArgs;
use crate::base::error::{bad, Input};
use crate::base::files::{read, write_atomic, MOST_TEXT};
use crate::base::phases::phase;
use crate::lockstep::Options;
use crate::scene::accounts::funnel;
use crate::scene::accounts::heat::HeatKind;
use crate::scene::accounts::report::SceneReport;
use crate::scene::file::shown::Shown;
use crate::scene::machine::layout::Frame;
use crate::scene::machine::roundings;
use crate::scene::machine::run::{self, Asked};
use crate::scene::pictures::conclude::write_picture;
use crate::scene::Scene;
use crate::simulate::{tell_unseen_fault, EngineKind};

/// Draws a scene, with `--compare` once more with other settings.
///
/// # Errors
/// What of the scene cannot be used.
pub fn run(args: &RunArgs) -> anyhow::Result<Outcome> {
    refuse_ignored(args)?;
    let sets: Vec<String> = args.sets().iter().chain(args.compared()).cloned().collect();
    if !args.compared().is_empty() {
        // What cannot be drawn is said before the first drawing, which may take long.
        let setting = args.compared().join(" --compare ");
        ready(args, &sets).with_context(|| format!("drawing it again with --compare {setting}"))?;
    }
    let first = one(args, args.sets());
    let (report, picture) = first.with_context(|| format!("drawing {}", args.file().display()))?;
    let mut reports = vec![report];
    let mut is_traced = true;
    if !args.compared().is_empty() {
        let again = one(args, &sets);
        let setting = args.compared().join(" --compare ");
        let (report, other) = again.with_context(|| format!("drawing it again with --compare {setting}"))?;
        reports.push(report);
        say(&format!("\n{}", compare::table(&reports[0], &reports[1], &args.compared().join(" "))));
        say(&differing(&picture, &other));
        if args.traces_roundings() {
            let forms = [("as it is", args.sets()), ("compared", &sets[..])];
            let traced = roundings::trace(args.file(), args.is_small(), forms)?;
            say(&traced.to_string());
            is_traced = traced.untraced == 0;
        }
    }
    if let Some(path) = args.report_file() {
        let json = match reports.as_slice() {
            [one] => one.json(),
            both => serde_json::to_string_pretty(both).unwrap_or_default() + "\n",
        };
        write_atomic(path, json.as_bytes()).context("writing the report")?;
    }
    Ok(if is_traced && reports.iter().all(SceneReport::passed) { Outcome::Pass } else { Outcome::Fail })
}

/// Refuses options that no scene heeds, and a trace that ends before it begins.
fn refuse_ignored(args: &RunArgs) -> Input<()> {
    if args.is_windowed() && args.traced().is_none() {
        return bad("--from, --to and --scope are of a trace", "add --fst FILE, or leave them out");
    }
    if let Some(option) = args.traced().filter(|_| args.engine() == EngineKind::Golden) {
        let message = format!("--{option}: the golden model has no signals to trace");
        return bad(message, "leave out the trace, or choose another --engine");
    }
    for path in args.pictures()? {
        if path.extension().is_some_and(|e| !e.eq_ignore_ascii_case("png")) {
            let message = format!("{}: a picture is written as PNG, over what is there", path.display());
            return bad(message, "name a file that ends with .png");
        }
    }
    if let Some(path) = args.funnel_file() {
        if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg")) {
            return bad(format!("{}: a funnel is written as SVG", path.display()), "name a file that ends with .svg");
        }
    }
    args.check()
}

/// Refuses views of what the run does not count: culls are those of a machine with Hi-Z, beside the
/// model.
fn refuse_unknown(args: &RunArgs, heat: Option<HeatKind>, options: &Options) -> Input<()> {
    let culls = heat.filter(|&kind| kind == HeatKind::Culls).map(|_| "--heatmap culls");
    let views = culls.or(args.funnel_file().map(|_| "--funnel"));
    let Some(option) = views.or(args.asks_oracle().then_some("--oracle")) else { return Ok(()) };
    if !options.config.hides() {
        return bad(format!("{option}: the machine has no Hi-Z"), "build it in: --set hi-z=visibility");
    }
    if !options.model {
        let message = format!("{option}: what a triangle covers is known beside the model only");
        return bad(message, "leave --engine out: the machine is run in lockstep then");
    }
    Ok(())
}

/// A picture and its width; none if the scene shows none, or the run has failed.
type Picture = Option<(Vec<[u8; 4]>, u32)>;

/// How two pictures differ, in words.
fn differing(one: &Picture, other: &Picture) -> String {
    let (Some((a, width)), Some((b, _))) = (one, other) else { return "pictures: not compared\n".into() };
    if a.len() != b.len() {
        return "pictures: of different size\n".into();
    }
    let differ: Vec<usize> = (0..a.len()).filter(|&k| a[k] != b[k]).collect();
    let first = differ.first().map(|&k| (k as u32 % width, k as u32 / width));
    let at = first.map_or(String::new(), |(x, y)| format!(", the first at ({x}, {y})"));
    format!("pictures: {} of {} pixels differ{at}\n", differ.len(), a.len())
}

/// The scene with its programs: all that can be known before it is drawn.
fn ready(args: &RunArgs, sets: &[String]) -> Input<(Scene, Frame)> {
    let mut scene = Scene::read(args.file(), args.is_small(), sets)?;
    if args.is_small() && scene.spec.small.is_empty() {
        return bad(format!("{}: --small, and the scene has no [small]", args.file().display()), "leave it out");
    }
    scene.give(args.constants())?;
    let options = scene.options(args.engine() == EngineKind::Lockstep, args.seed())?;
    args.engine().refuse_fault(&options)?;
    let compiler = scene.compiler()?;
    let frame = phase("compile", || scene.frame(&compiler))?;
    Ok((scene, frame))
}

/// Draws once: what is reported, and the picture of the first target.
fn one(args: &RunArgs, sets: &[String]) -> Input<(SceneReport, Picture)> {
    let (scene, frame) = ready(args, sets)?;
    let first = args.png_file().map(|path| (Shown::FIRST, path.to_owned()));
    let images = first.into_iter().chain(args.images()?).collect();
    let wanted = scene.wanted(&frame, images, &args.folder(&scene.spec.name))?;
    let heat = args.heat()?;
    let mut drawn = match args.engine() {
        EngineKind::Golden => {
            let options = scene.options(true, None)?;
            let fault = options.model_fault;
            if let Some((kind, _)) = heat.as_ref().filter(|h| h.0 != HeatKind::Quads) {
                let message = format!("--heatmap: the model has no {}", kind.words());
                return bad(message, "leave --engine golden out: the machine is asked then");
            }
            if args.funnel_file().is_some() {
                return bad(
                    "--funnel: the model culls nothing",
                    "leave --engine golden out: the machine is asked then",
                );
            }
            let asked = Asked { heat: heat.is_some(), oracle: args.asks_oracle().then_some(&options.config) };
            phase("run", || run::golden_with(&scene.spec.name, &frame, fault, asked))
        }
        kind => {
            let options = scene.options(kind == EngineKind::Lockstep, args.seed())?;
            refuse_unknown(args, heat.as_ref().map(|h| h.0), &options)?;
            scene_on_rtl(args, &scene.spec.name, &frame, &options)?
        }
    };
    if let Some((_, path)) = &heat {
        let (figures, pixels) = drawn.heat.figures(path.display().to_string());
        write_picture(path, (frame.width, frame.height), &pixels)?;
        drawn.report.run.outputs.push(figures.png.clone());
        drawn.report.heatmap = Some(figures);
    }
    if let (Some(path), Some(stages)) = (args.funnel_file(), &drawn.report.funnel) {
        write_atomic(path, funnel::svg(&scene.spec.name, stages).as_bytes())?;
        drawn.report.run.outputs.push(path.display().to_string());
    }
    wanted.conclude(&frame, &mut drawn)?;
    tell_unseen_fault(&mut drawn.report.run, &scene.options(true, None)?, scene.compiler()?.fault.is_some());
    again(&mut drawn.report.run, args, sets, &args.folder(&scene.spec.name));
    print(&drawn.report.shown());
    let shown = drawn.report.passed() && frame.can_show(Shown::FIRST).is_ok();
    let picture = shown.then(|| (frame.pixels(&|at| drawn.memory.read32(at), Shown::FIRST), frame.width));
    Ok((drawn.report, picture))
}

/// Whether a file is a scene's.
pub fn is_scene(path: &Path) -> bool {
    read(path, MOST_TEXT).is_ok_and(|data| crate::scene::is_scene(&String::from_utf8_lossy(&data)))
}
