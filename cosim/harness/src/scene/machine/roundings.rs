//! Why two forms of a scene give other bits: each word that differs is traced to the fusions of a
//! product and a sum that changed it, or to outputs that became multiples of others (LP-18).
//!
//! Two forms are, say, linked and not linked. Each is drawn without any fusion: there they must be
//! alike, word for word. Then its fusions come back one place of the source after the other. A word
//! that a step changes has that place in its trace. A word that differs at the end and has no trace
//! differs for another reason, and that is a failure. Both forms are drawn by the golden model.
//! That a fusion rounds once and does nothing else is the compiler's test, not this one.
//! Wrong would be a place that fuses nothing and is blamed, or a word that nobody looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};
use std::path::Path;

use quadlock_golden::Memory;
use serde::Serialize;

use super::layout::Frame;
use super::run;
use crate::base::error::{bad, Input};
use crate::scene::Scene;

/// Rounds in which leaving out some fusions may make others.
const ROUNDS: usize = 8;

/// What two forms of a scene differ by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Roundings {
    /// Words that were compared: of stored targets and of buffers.
    pub words: usize,
    /// Words that differ.
    pub differ: usize,
    /// Words that no fusion accounts for: those that differ without any fusion, too.
    pub untraced: usize,
    /// The first of them.
    pub first: Option<usize>,
    /// By form and place: words that differ and that the fusions there change.
    pub places: BTreeMap<String, usize>,
}

impl Display for Roundings {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "roundings: {} of {} words differ, {} untraced", self.differ, self.words, self.untraced)?;
        if let Some(first) = self.first {
            writeln!(f, "  word {first} is the first that no fusion accounts for")?;
        }
        self.places.iter().try_for_each(|(place, words)| writeln!(f, "  {place}: {words} words"))
    }
}

/// What a frame leaves in memory and is defined: words of the targets that are kept, and of
/// buffers.
pub fn kept_words(frame: &Frame, memory: &Memory) -> Vec<u32> {
    let plane = 16 * frame.row * frame.height.div_ceil(2);
    let kept = |at: u32| !frame.scratch.iter().any(|range| range.contains(&at));
    let planes = frame.planes.iter().filter(|p| kept(p.0)).map(|&(at, count)| (at, count * plane));
    let buffers = frame.buffers.iter().map(|b| (b.address, b.size));
    planes.chain(buffers).flat_map(|(at, size)| (at..at + size).step_by(4)).map(|at| memory.read32(at)).collect()
}

/// A place, and the words that its fusions change.
type Step = (String, BTreeSet<usize>);

/// One form of a scene.
struct Form<'a> {
    file: &'a Path,
    small: bool,
    sets: &'a [String],
}

impl Form<'_> {
    /// Its words without the fusions of these places, and the places that are left, each with what
    /// `skip` calls it.
    fn drawn(&self, without: &[String]) -> Input<(Vec<u32>, BTreeMap<String, String>)> {
        let skip = (!without.is_empty()).then(|| format!("skip={}", without.join(",")));
        let sets: Vec<String> = self.sets.iter().cloned().chain(skip).collect();
        let scene = Scene::read(self.file, self.small, &sets)?;
        let compiler = scene.compiler()?;
        let frame = scene.frame(&compiler)?;
        let drawn = run::golden(&scene.spec.name, &frame, None);
        if !drawn.report.passed() {
            let message = format!("{}: {}", self.file.display(), drawn.report.run.problems.join("\n"));
            return bad(message, "the golden model does not draw it: run it without --trace-roundings");
        }
        let programs = scene.programs(&compiler)?;
        let fused = programs.iter().flat_map(|(_, program)| &program.report.fused);
        let places = fused.map(|f| (f.name.clone(), f.sum.clone())).collect();
        Ok((kept_words(&frame, &drawn.memory), places))
    }

    /// The words as they are, without any fusion, and the words that each place changes.
    fn steps(&self) -> Input<(Vec<u32>, Vec<u32>, Vec<Step>)> {
        let (words, mut places) = self.drawn(&[])?;
        // A linked form may have outputs that are multiples of others, which rounds otherwise.
        places.insert("scaled-outputs".into(), "multiples of outputs".into());
        let (mut last, mut without, mut steps) = (words.clone(), vec![], vec![]);
        for _ in 0..ROUNDS {
            for (name, place) in std::mem::take(&mut places) {
                without.push(name);
                let (now, left) = self.drawn(&without)?;
                let changed = (0..now.len()).filter(|&w| last.get(w) != Some(&now[w])).collect();
                steps.push((place, changed));
                (last, places) = (now, left);
            }
            // A product that is read no more by one sum may go into another.
            places.retain(|name, _| !without.contains(name));
            if places.is_empty() {
                break;
            }
        }
        Ok((words, last, steps))
    }
}

/// Traces what differs between a scene with one list of settings and with another, each with a
/// name.
///
/// # Errors
/// A form that cannot be drawn.
pub fn trace(file: &Path, small: bool, forms: [(&str, &[String]); 2]) -> Input<Roundings> {
    let mut all = vec![];
    for (_, sets) in forms {
        all.push(Form { file, small, sets }.steps()?);
    }
    let [(one, plain, _), (other, other_plain, _)] = &all[..] else { return Ok(Roundings::default()) };
    let words = one.len().max(other.len());
    let differing: BTreeSet<usize> = (0..words).filter(|&w| one.get(w) != other.get(w)).collect();
    let mut done = Roundings { words, differ: differing.len(), ..Roundings::default() };
    let mut traced: BTreeSet<usize> = BTreeSet::new();
    for ((name, _), (_, _, steps)) in forms.iter().zip(&all) {
        for (place, changed) in steps {
            let here: BTreeSet<usize> = changed.intersection(&differing).copied().collect();
            if !here.is_empty() {
                *done.places.entry(format!("{name}: {place}")).or_default() += here.len();
            }
            traced.extend(here);
        }
    }
    // Without fusions both are one scene, or something else differs.
    let same = |w: &usize| plain.get(*w) == other_plain.get(*w) && plain.get(*w).is_some();
    let untold = |w: &usize| differing.contains(w) && !traced.contains(w);
    let untraced: Vec<usize> = (0..words).filter(|w| untold(w) || !same(w)).collect();
    (done.untraced, done.first) = (untraced.len(), untraced.first().copied());
    Ok(done)
}
