//! A scene on the golden model alone, from its file: the picture, and each triangle of a draw.

use std::path::{Path, PathBuf};

use quadlock_beside::scene::{Format, Scene as Asked};
use quadlock_beside::wgsl::STAGES;
use quadlock_beside::wire::{Picture, Stage};
use quadlock_golden::float::f16_to_f32;
use quadlock_golden::{Fault, Memory};

use super::text;
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::report::Verdict;
use crate::scene::file::shown::{Part, Shown};
use crate::scene::machine::layout::Frame;
use crate::scene::machine::run::golden;
use crate::scene::Scene;

/// Writes a scene and its programs into a folder; the scene file.
pub(super) fn write(scene: &Asked, folder: &Path) -> Input<PathBuf> {
    if let Err(e) = std::fs::create_dir_all(folder) {
        return bad(format!("{}: {e}", folder.display()), "choose another folder with --out");
    }
    for (name, text) in text::programs(scene) {
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    let file = folder.join("scene.toml");
    write_atomic(&file, text::whole(scene, "beside").as_bytes())?;
    Ok(file)
}

fn frame(file: &Path) -> Input<Frame> {
    let scene = Scene::read(file, false, &[])?;
    scene.frame(&scene.compiler()?)
}

/// The memory after a frame.
fn run(frame: &Frame, fault: Option<Fault>) -> Input<Memory> {
    let drawn = golden("beside", frame, fault);
    if drawn.report.run.verdict != Verdict::Pass {
        return bad(drawn.report.run.problems.join("\n"), "the model must draw what is random here");
    }
    Ok(drawn.memory)
}

/// All samples of a part, by pixel and sample.
fn samples(frame: &Frame, memory: &Memory, part: Part) -> Vec<[u32; 2]> {
    let mut out = vec![];
    for (y, x) in (0..frame.height).flat_map(|y| (0..frame.width).map(move |x| (y, x))) {
        for s in 0..frame.samples {
            let shown = Shown { part, sample: Some(s) };
            out.push(frame.words(&|at| memory.read32(at), shown, x, y));
        }
    }
    out
}

fn components(format: Format, [low, high]: [u32; 2]) -> [u32; 4] {
    match format {
        Format::Unorm8 | Format::Srgb8 => low.to_le_bytes().map(u32::from),
        Format::Float16 => [low & 0xFFFF, low >> 16, high & 0xFFFF, high >> 16].map(f16_to_f32),
        Format::Float32 => [low, 0, 0, 0],
    }
}

/// The picture of a scene, of files in a folder.
pub(super) fn picture(scene: &Asked, folder: &Path, fault: Option<Fault>) -> Input<Picture> {
    let frame = frame(&write(scene, folder)?)?;
    let memory = run(&frame, fault)?;
    let target = |(t, &format): (usize, &Format)| {
        samples(&frame, &memory, Part::Colour(t)).into_iter().map(|words| components(format, words)).collect()
    };
    let depth = samples(&frame, &memory, Part::Depth);
    Ok(Picture {
        targets: scene.formats.iter().enumerate().map(target).collect(),
        depth: depth.iter().map(|w| w[0] & 0xFF_FFFF).collect(),
        stencil: depth.iter().map(|w| (w[0] >> 24) as u8).collect(),
    })
}

/// Every triangle of a draw alone.
pub(super) fn stages(scene: &Asked, number: usize, folder: &Path, fault: Option<Fault>) -> Input<Vec<Stage>> {
    let count = scene.draws[number].triangles().len();
    let mut out = vec![Stage::default(); count];
    for stage in 0..STAGES {
        let file = folder.join(format!("stage{stage}.toml"));
        write_atomic(&file, text::stage(scene, number, stage).as_bytes())?;
        let mut frame = frame(&file)?;
        for (k, one) in out.iter_mut().enumerate() {
            frame.cut_first_draw(3 * k as u32, 3);
            let memory = run(&frame, fault)?;
            let all = [0, 1, 2, 3].map(|t| samples(&frame, &memory, Part::Colour(t)));
            one.words[stage] = (0..scene.count()).map(|n| [0, 1, 2, 3].map(|t| all[t][n][0])).collect();
            if stage == 0 {
                one.depth = samples(&frame, &memory, Part::Depth).iter().map(|w| w[0] & 0xFF_FFFF).collect();
            }
        }
    }
    Ok(out)
}
