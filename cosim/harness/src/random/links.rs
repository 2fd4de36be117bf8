//! Random pairs of a vertex and a fragment program with uniforms, for `quadlock fuzz --links`: the
//! picture of the pair linked is that of the pair compiled alone, bit for bit, and machine and
//! model draw it alike. A compute program goes with each pair ([`computes`]).
//!
//! The programs and the scene are those of [`pairs`]: draws A B A C with uniforms of their own, one
//! or two fragment programs, four targets of one 32-bit word, so that no bit is lost; of four
//! samples each is compared. Everything is exact, so every operation has one result (LP-18). What
//! is compared is the golden model's target of the unlinked pair with that of the linked one, and
//! the linked one's in lockstep. Then products and sums may be fused: each word that differs must
//! be traced to a fusion ([`crate::scene::machine::roundings`]). A bug that both front halves
//! share, as in the language's front end, is not found here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::computes;
use super::kept::JOB;
use super::pairs::shrink::shrink;
use super::pairs::{self, Pair, SCENE};
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::engine::Engine;
use crate::lockstep::Quiet;
use crate::scene::machine::roundings::{self, kept_words};
use crate::scene::machine::rtl::on_rtl;
use crate::scene::machine::run;
use crate::scene::Scene;
use crate::simulate::Simulator;

/// What a pair showed.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Warp instructions of pair and compute program: alone, linked.
    pub instructions: [u64; 2],
    /// Uniforms that the host derived.
    pub derived: u64,
    /// Draws whose programs assume something.
    pub variants: u64,
    /// Words that differ alone and linked if fusion is allowed, each traced to a fusion.
    pub rounded: u64,
    /// What programs and scenes have, and how often.
    pub has: BTreeMap<&'static str, u64>,
}

/// Draws one pair, kept in a folder, made smaller, if it fails. `rtl`: the linked pair in lockstep,
/// too. `fault`: a bug that is planted in what is linked.
///
/// # Errors
/// What failed, in words; the file that shows it, a scene or a job.
pub fn one(seed: u64, out: &Path, rtl: Option<Simulator>, fault: Option<&str>) -> Result<Counts, (PathBuf, String)> {
    let folder = out.join(format!("link-{seed}"));
    let done = try_one(seed, &folder, rtl, fault);
    let kept = |(file, why): (&str, String)| (folder.join(file), why);
    match done {
        Ok(Ok(counts)) => {
            // A folder that cannot be removed is in nobody's way.
            let _ = std::fs::remove_dir_all(&folder);
            Ok(counts)
        }
        Ok(Err(why)) => Err(kept(why)),
        Err(e) => Err(kept((SCENE, e.drawing(false)))),
    }
}

/// Writes a pair's files, with names; the scene is one of them.
fn written(seed: u64, folder: &Path) -> Input<Pair> {
    if let Err(e) = std::fs::create_dir_all(folder) {
        return bad(format!("{}: {e}", folder.display()), "choose another folder with --out");
    }
    let pair = pairs::pair(seed);
    for (name, text) in &pair.files {
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    Ok(pair)
}

/// Draws the pair that stands in a folder, exact.
fn exact(seed: u64, folder: &Path, rtl: Option<Simulator>, fault: Option<&str>) -> Input<Result<Counts, String>> {
    let file = folder.join(SCENE);
    let mut counts = Counts::default();
    let mut want: Option<Vec<u32>> = None;
    for (n, set) in ["link=off", "link=on", "link=values"].into_iter().enumerate() {
        let planted = fault.filter(|_| n > 0).map(|f| format!("machine.fault={f}"));
        let sets: Vec<String> = [set.to_owned()].into_iter().chain(planted).collect();
        let scene = Scene::read(&file, false, &sets)?;
        let frame = scene.frame(&scene.compiler()?)?;
        let drawn = run::golden("link", &frame, None);
        if !drawn.report.passed() {
            return Ok(Err(format!("{set}: {}", drawn.report.run.problems.join("\n"))));
        }
        let got = kept_words(&frame, &drawn.memory);
        counts.instructions[usize::from(n > 0)] = drawn.report.run.retired;
        match &want {
            None => want = Some(got),
            Some(want) if *want == got => {}
            Some(want) => {
                let at = want.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(0);
                return Ok(Err(format!(
                    "{set}: word {at} of the target is {:#010x}, alone {:#010x}",
                    got[at], want[at]
                )));
            }
        }
        let (Some(simulator), "link=values") = (rtl, set) else { continue };
        if let Some(link) = &frame.link {
            (counts.derived, counts.variants) = (link.derived, link.variants);
        }
        let options = scene.options(true, Some(seed))?;
        let engine = simulator.engine(&options.config);
        let mut engine: Box<dyn Engine> = engine.or_else(|e| bad(e, "a mistake in the machines of random scenes"))?;
        let launch = frame.launch("link", &options).or_else(|e| bad(e.to_string(), "the model does not draw it"))?;
        let (done, _) = on_rtl(&mut *engine, &frame, &launch, &options, &mut Quiet);
        if !done.report.passed() {
            return Ok(Err(done.report.text()));
        }
    }
    Ok(Ok(counts))
}

/// Draws the pair that stands in a folder, exact and with fusion.
fn drawn(seed: u64, folder: &Path, rtl: Option<Simulator>, fault: Option<&str>) -> Input<Result<Counts, String>> {
    let mut counts = match exact(seed, folder, rtl, fault)? {
        Ok(counts) => counts,
        failed => return Ok(failed),
    };
    let planted = fault.map(|f| format!("machine.fault={f}"));
    let [alone, linked] = ["link=off", "link=values"].map(|set| vec![set.to_owned(), "exact=off".into()]);
    let linked: Vec<String> = linked.into_iter().chain(planted).collect();
    let traced = roundings::trace(&folder.join(SCENE), false, [("alone", &alone), ("linked", &linked)])?;
    counts.rounded = traced.differ as u64;
    if traced.untraced > 0 {
        return Ok(Err(format!("with fusion, link=values: {traced}")));
    }
    Ok(Ok(counts))
}

/// What failed: its file, and why.
type Failed = (&'static str, String);

fn try_one(seed: u64, folder: &Path, rtl: Option<Simulator>, fault: Option<&str>) -> Input<Result<Counts, Failed>> {
    let pair = written(seed, folder)?;
    let mut counts = match drawn(seed, folder, rtl, fault)? {
        Ok(counts) => counts,
        Err(why) => {
            let programs: Vec<String> = pair.files.into_iter().map(|f| f.0).filter(|name| name != SCENE).collect();
            let mut fails = || drawn(seed, folder, rtl, fault).ok()?.err();
            return Ok(Err((SCENE, shrink(folder, &programs, &mut fails)?.unwrap_or(why))));
        }
    };
    counts.has = pair.has;
    let compute = match computes::one(seed, folder, rtl, fault)? {
        Ok(compute) => compute,
        Err(why) => return Ok(Err((JOB, why))),
    };
    counts.instructions[0] += compute.instructions[0];
    counts.instructions[1] += compute.instructions[1];
    counts.derived += compute.derived;
    counts.variants += compute.variants;
    Ok(Ok(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the model alone; `quadlock fuzz --links` draws them in lockstep.
    #[test]
    fn random_pairs_give_the_same_linked() {
        let dir = tempfile::tempdir().unwrap();
        let mut all = Counts::default();
        for seed in 0..60 {
            let c = one(seed, dir.path(), None, None).unwrap_or_else(|(_, why)| panic!("seed {seed}: {why}"));
            all.instructions[0] += c.instructions[0];
            all.instructions[1] += c.instructions[1];
            all.rounded += c.rounded;
        }
        assert!(all.instructions[1] * 10 < all.instructions[0] * 9, "{all:?}");
        assert!(all.rounded > 0, "{all:?}");
    }

    /// Two forms that differ by what they draw: no fusion is blamed.
    #[test]
    fn what_is_no_rounding_has_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let one = ["exact=off".to_owned()];
        let other = ["exact=off".to_owned(), "draw.0.state.scissor=[0, 0, 1, 1]".into()];
        let mut found = 0;
        for seed in 0..8 {
            written(seed, dir.path()).unwrap();
            let file = dir.path().join(SCENE);
            let traced = roundings::trace(&file, false, [("one", &one), ("other", &other)]).unwrap();
            assert!(traced.untraced >= traced.differ, "{traced}");
            found += usize::from(traced.differ > 0);
            let same = roundings::trace(&file, false, [("one", &one), ("again", &one)]).unwrap();
            assert_eq!((same.differ, same.untraced), (0, 0));
        }
        assert!(found > 2, "{found} of 8");
    }

    /// A branch that is decided against its uniform, a variant for other uniforms, a value that a
    /// loop changes, outputs that an early return gives otherwise, an output behind a branch.
    #[test]
    fn planted_bugs_of_linking_are_found() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["link-other-arm", "variant-stale", "link-loop-first", "link-one-site", "link-flat-branch"] {
            let fault = format!("compiler:{name}");
            let found = (0..60).find(|&seed| {
                written(seed, dir.path()).unwrap();
                // What is linked wrongly may be refused.
                exact(seed, dir.path(), None, Some(&fault)).map_or(true, |done| done.is_err())
            });
            assert!(found.is_some(), "{name}");
        }
    }

    /// A pair that fails has fewer lines then, and is kept.
    #[test]
    fn a_pair_that_fails_is_made_smaller() {
        let dir = tempfile::tempdir().unwrap();
        let lines = |text: &str| text.lines().filter(|line| line.starts_with("  ")).count();
        let fault = Some("compiler:link-other-arm");
        let failed = (0..20).find_map(|seed| one(seed, dir.path(), None, fault).err().map(|(file, _)| (seed, file)));
        let (seed, file) = failed.unwrap();
        let (mut before, mut after) = (0, 0);
        for (name, text) in pairs::pair(seed).files.into_iter().filter(|f| f.0 != SCENE) {
            before += lines(&text);
            after += lines(&std::fs::read_to_string(file.with_file_name(name)).unwrap());
        }
        assert!(after < before, "{after} of {before} lines");
        assert!(exact(seed, file.parent().unwrap(), None, fault).unwrap().is_err());
    }
}
