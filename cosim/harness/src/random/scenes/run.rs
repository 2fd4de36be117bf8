//! Random scenes run, and what fails made small.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quadlock_hdl::fault::Fault;

use super::make::{make, make_frame, make_hiding, make_merging, make_splitting, OptionSet};
use super::programs::{fragments, splitting, Lang};
use super::shared::{on_shared, shared, Of, Shared};
use super::spec::{Draw, RandomScene};
use crate::base::caught::caught;
use crate::base::error::{bad, Input, InputError};
use crate::base::files::write_atomic;
use crate::lockstep::{self, Options, Quiet};
use crate::machine::launch::{Dispatch, Launch};
use crate::machine::memory::MemoryConfig;
use crate::report::{Report, Verdict};
use crate::scene::accounts::report::SceneReport;
use crate::scene::machine::rtl::on_rtl;
use crate::scene::machine::weave::Broken;
use crate::scene::Scene;
use crate::simulate::Simulator;

/// What all scenes of a campaign have.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Machines merge sparse warps.
    pub merging: bool,
    /// Machines split warps of pixels.
    pub splitting: bool,
    /// Machines hide what nobody sees.
    pub hiding: bool,
    /// Frames of many draws, with the options of any set.
    pub frames: bool,
    /// Scenes in little: see [`RandomScene::in_little`].
    pub small: bool,
    /// Programs whose products and sums stay apart.
    pub exact: bool,
    /// Only with these options.
    pub options: Option<&'static OptionSet>,
    /// Machines that all scenes share ([`Settings::share`]); none: each seed draws its own.
    pub machines: Vec<Shared>,
    /// What simulates the RTL.
    pub simulator: Simulator,
    /// Starts of one machine with each scene, one behind the other.
    pub starts: u32,
    /// Planted in every machine: the campaign must find it.
    pub fault: Option<Fault>,
    /// A folder for each failing scene is made here.
    pub out: PathBuf,
    /// Runs of a failing scene that shrinking may use.
    pub attempts: usize,
}

impl Settings {
    /// All scenes share this many machines of those that they may have, which `seed` draws.
    pub fn share(&mut self, count: usize, seed: u64) {
        let scenes = match (self.options, self.merging, self.splitting, self.hiding) {
            (Some(set), ..) => Of::Set(set),
            _ if self.frames => Of::Frames,
            (_, true, ..) => Of::Merging,
            (_, _, true, _) => Of::Splitting,
            (_, _, _, true) => Of::Hiding,
            _ => Of::Scenes,
        };
        self.machines = shared(scenes, count, seed);
    }

    /// The option that asks for its machines, if they have sets of options.
    pub fn kind(&self) -> &'static str {
        match self {
            Self { merging: true, .. } => "merges",
            Self { splitting: true, .. } => "splits",
            Self { frames: true, .. } => "frames",
            _ => "hides",
        }
    }
}

/// What came through the pipeline.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// State records.
    pub draws: u64,
    /// Of all instances.
    pub triangles: u64,
    /// Not drawn.
    pub culled: u64,
    /// Cut by a plane.
    pub clipped: u64,
    /// Shaded.
    pub quads: u64,
    /// Shaded, without helper lanes.
    pub fragments: u64,
    /// Written to the first target.
    pub samples: u64,
    /// Pairs of warps that were launched.
    pub pairs: u64,
    /// Pairs that became one warp.
    pub merges: u64,
    /// Groups of samples that split.
    pub splits: u64,
    /// Pairs of groups that merged and then split.
    pub both: u64,
    /// Scenes with programs that break rules of registers.
    pub broken: u64,
    /// Those of them of which the report tells it.
    pub told: u64,
    /// Groups of pixels that were culled.
    pub hidden: u64,
    /// Clock cycles of the machine.
    pub cycles: u64,
}

impl Counts {
    fn of(report: &SceneReport) -> Self {
        let t = report.triangles;
        Self {
            draws: report.draws,
            triangles: t.drawn,
            culled: t.culled,
            clipped: t.clipped,
            quads: report.quads,
            fragments: report.fragments_shaded,
            samples: report.samples_written,
            pairs: report.merge.as_ref().map_or(0, |m| m.pairs_launched),
            merges: report.merge.as_ref().map_or(0, |m| m.pairs_found),
            splits: report.split.as_ref().map_or(0, |s| s.groups),
            both: report.split.as_ref().map_or(0, |s| s.merged),
            broken: 0,
            told: 0,
            hidden: report.culls.as_ref().map_or(0, |c| c.found + c.beyond),
            cycles: report.run.cycles.unwrap_or(0),
        }
    }

    /// The sum.
    pub fn and(self, other: Self) -> Self {
        Self {
            draws: self.draws + other.draws,
            triangles: self.triangles + other.triangles,
            culled: self.culled + other.culled,
            clipped: self.clipped + other.clipped,
            quads: self.quads + other.quads,
            fragments: self.fragments + other.fragments,
            samples: self.samples + other.samples,
            pairs: self.pairs + other.pairs,
            merges: self.merges + other.merges,
            splits: self.splits + other.splits,
            both: self.both + other.both,
            broken: self.broken + other.broken,
            told: self.told + other.told,
            hidden: self.hidden + other.hidden,
            cycles: self.cycles + other.cycles,
        }
    }
}

/// A failing scene, as small as it became.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Of the scene before it was shrunk.
    pub seed: u64,
    /// What is wrong with the smallest.
    pub report: String,
    /// Of the smallest.
    pub draws: usize,
    /// Of the smallest.
    pub triangles: usize,
    /// The file that shows it.
    pub file: PathBuf,
}

/// A scene that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Of the run before shrinking.
    pub counts: Counts,
    /// None: it passes.
    pub failure: Option<Failure>,
}

fn words(error: &InputError) -> String {
    let place = error.location().map_or(String::new(), |at| format!("{at}: "));
    format!("{place}{}", error.message())
}

/// Whether a report tells of the rules that programs break, by name; none if no rule was broken,
/// because no warp merged or split, or because points were where nothing is lost.
fn is_told(report: &SceneReport, broken: &[Broken]) -> Option<bool> {
    let told = report.run.verdict == Verdict::ProtocolError
        && report.run.problems.iter().any(|p| broken.iter().any(|b| p.contains(b.words())));
    let merged = report.merge.as_ref().is_some_and(|m| m.pairs_found > 0);
    let split = report.split.as_ref().is_some_and(|s| s.groups > 0);
    let must = |b: &Broken| match b {
        Broken::StaleAfterMerge | Broken::NoPrivate | Broken::Beyond => merged,
        Broken::Cutoff => false,
        Broken::StaleAfterSplit | Broken::PublicWrite | Broken::EarlyOutput => split,
    };
    // Of several draws those that merge may be others: then a rule must be broken in all of them.
    let all = !broken.is_empty() && broken.iter().all(must);
    (told || all).then_some(told)
}

/// Starts another machine with the frame several times, each of which finds what the one before
/// left. What is wrong with one becomes the report's.
fn started(settings: &Settings, mut launch: Launch, options: &Options, report: &mut Report) -> Input<()> {
    let engine = settings.simulator.engine(&options.config);
    let mut engine = engine.or_else(|e| bad(e, "a mistake in the machines of random scenes"))?;
    let (mut first_cycle, mut left) = (0, None);
    for number in 1..=settings.starts {
        launch.dispatch = Some(Dispatch { number, first_cycle, left });
        let mut result = lockstep::run(&mut *engine, &launch, options, &mut Quiet);
        let seen = Report::of_run(&launch, true, &result);
        first_cycle += result.cycles;
        left = result.left.take().map(Arc::new);
        if !seen.passed() {
            report.verdict = seen.verdict;
            report.problems.push(format!("start {number} of {}:\n{}", settings.starts, seen.text()));
            return Ok(());
        }
    }
    Ok(())
}

/// What one run showed.
struct Seen {
    counts: Counts,
    /// What is wrong, and of which kind. No kind: the scene could not be drawn at all.
    wrong: Option<(Option<Verdict>, String)>,
}

impl RandomScene {
    /// Writes the scene and its programs into a folder; the scene file.
    fn write(&self, folder: &Path) -> Input<PathBuf> {
        if let Err(e) = std::fs::create_dir_all(folder) {
            return bad(format!("{}: {e}", folder.display()), "choose another folder with --out");
        }
        for (name, contents) in self.programs()? {
            write_atomic(&folder.join(name), &contents)?;
        }
        let file = folder.join("scene.toml");
        write_atomic(&file, self.text().as_bytes())?;
        Ok(file)
    }

    /// Draws it in lockstep, from its file.
    fn drawn(&self, file: &Path, settings: &Settings) -> Input<(SceneReport, Vec<Broken>)> {
        let sets = settings.exact.then(|| "exact=on".to_owned());
        let scene = Scene::read(file, false, sets.as_slice())?;
        let frame = scene.frame(&scene.compiler()?)?;
        let mut options = scene.options(true, None)?;
        options.config.fault = settings.fault.or(options.config.fault);
        let engine = settings.simulator.engine(&options.config);
        let mut engine = engine.or_else(|e| bad(e, "a mistake in the machines of random scenes"))?;
        let launch =
            frame.launch(&scene.spec.name, &options).or_else(|e| bad(e.to_string(), "the model does not draw it"))?;
        let (mut done, _) = on_rtl(&mut *engine, &frame, &launch, &options, &mut Quiet);
        if !done.report.passed() {
            let text = done.report.text();
            done.report.run.problems.push(text);
        } else if settings.starts > 1 {
            started(settings, launch, &options, &mut done.report.run)?;
        }
        Ok((done.report, frame.broken))
    }

    fn run(&self, folder: &Path, settings: &Settings) -> Seen {
        let nothing = |wrong: String| Seen { counts: Counts::default(), wrong: Some((None, wrong)) };
        let file = match self.write(folder) {
            Ok(file) => file,
            Err(e) => return nothing(words(&e)),
        };
        // A panic is a failure of that scene, and the others are still drawn.
        match caught(|| self.drawn(&file, settings)) {
            Ok(Ok((report, broken))) => {
                let mut counts = Counts::of(&report);
                let told = is_told(&report, &broken);
                counts.broken = u64::from(!broken.is_empty());
                counts.told = u64::from(told == Some(true));
                let wrong = match told {
                    Some(true) => None,
                    Some(false) => {
                        let text = format!("{broken:?}, and nothing tells of it: {}", report.run.problems.join("\n"));
                        Some((Some(report.run.verdict), text))
                    }
                    None => (!report.passed()).then(|| (Some(report.run.verdict), report.run.problems.join("\n"))),
                };
                Seen { counts, wrong }
            }
            Ok(Err(e)) => nothing(words(&e)),
            Err(panic) => Seen { counts: Counts::default(), wrong: Some((Some(Verdict::EngineFailure), panic)) },
        }
    }

    fn triangles(&self) -> usize {
        let of = |d: &Draw| if d.strip { d.corners.len().saturating_sub(2) } else { d.corners.len() / 3 };
        self.draws.iter().map(of).sum()
    }

    /// Scenes with less in them, those with much less first.
    pub(super) fn smaller(&self) -> Vec<RandomScene> {
        let mut out = vec![];
        let mut with = |change: &dyn Fn(&mut RandomScene)| {
            let mut scene = self.clone();
            change(&mut scene);
            if scene != *self {
                out.push(scene);
            }
        };
        if self.draws.len() > 1 {
            (0..self.draws.len()).for_each(|k| with(&|s| drop(s.draws.remove(k))));
        }
        for (k, draw) in self.draws.iter().enumerate() {
            let unit = if draw.strip { 1 } else { 3 };
            let mut count = draw.corners.len() / 2 / unit * unit;
            while count > 0 {
                for first in (0..draw.corners.len()).step_by(count) {
                    let last = (first + count).min(draw.corners.len());
                    if draw.corners.len() - (last - first) >= 3 {
                        with(&|s| drop(s.draws[k].corners.drain(first..last)));
                    }
                }
                count = count / 2 / unit * unit;
            }
        }
        for (k, draw) in self.draws.iter().enumerate() {
            (0..draw.ends.len()).for_each(|n| with(&|s| s.draws[k].ends.retain(|&at| at != draw.ends[n])));
        }
        with(&|s| s.machine = s.machines[0]);
        with(&|s| s.limited = false);
        with(&|s| s.memory = MemoryConfig { latency: 1, jitter: 0, stall: 0, seed: s.seed });
        with(&|s| s.frames = 1);
        with(&|s| s.width = (s.width / 2).max(8));
        with(&|s| s.height = (s.height / 2).max(8));
        with(&|s| s.tile = None);
        with(&|s| s.keep_tiles = true);
        with(&|s| s.samples = 1);
        if self.formats.len() > 1 {
            (0..self.formats.len()).for_each(|t| with(&|s| s.without_target(t)));
        }
        for (k, draw) in self.draws.iter().enumerate() {
            for key in draw.state.keys() {
                with(&|s| drop(s.draws[k].state.remove(key)));
            }
            with(&|s| (s.draws[k].instances, s.draws[k].first_instance) = (1, 0));
            with(&|s| (s.draws[k].first, s.draws[k].base_vertex) = (0, 0));
            with(&|s| s.draws[k].bypass = Some(false));
            with(&|s| s.draws[k].indexed = None);
            with(&|s| s.draws[k].vertex.name = "plain");
            with(&|s| s.draws[k].fragment.name = "constant");
            with(&|s| (s.draws[k].vertex.lang, s.draws[k].fragment.lang) = (Lang::Wgsl, Lang::Wgsl));
            with(&|s| s.draws[k].colour_format = "float32x4");
        }
        out.retain(RandomScene::can_be);
        out
    }

    /// Leaves a target out, with its entries of the states.
    fn without_target(&mut self, t: usize) {
        self.formats.remove(t);
        self.clear[t..].rotate_left(1);
        for draw in &mut self.draws {
            for key in ["blend", "write"] {
                draw.state.entry(key).and_modify(|text| *text = entries(text, |k| k != t));
            }
        }
    }

    /// A scissor lies in its target, samples are there that a program runs for, tiles fit.
    pub(super) fn can_be(&self) -> bool {
        let splits = splitting().filter(|_| self.samples > 1);
        let names: Vec<_> = fragments(self.samples).chain(splits).collect();
        let known = |d: &Draw| names.contains(&d.fragment.name);
        if !self.draws.iter().all(known) || self.tile.is_some_and(|side| !self.fits(side)) {
            return false;
        }
        let inside = |d: &Draw| {
            let numbers = d.state.get("scissor").map(|s| {
                let digits = s.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok());
                digits.collect::<Vec<_>>()
            });
            numbers.is_none_or(|n| n[0] + n[2] <= self.width && n[1] + n[3] <= self.height)
        };
        self.draws.iter().all(inside)
    }
}

/// Of a list in TOML the entries that are kept.
fn entries(list: &str, kept: impl Fn(usize) -> bool) -> String {
    let table = toml::from_str::<toml::Table>(&format!("v = {list}")).unwrap_or_default();
    let all = table.get("v").and_then(|v| v.as_array()).cloned().unwrap_or_default();
    let kept = all.into_iter().enumerate().filter(|(k, _)| kept(*k)).map(|(_, v)| v).collect();
    toml::Value::Array(kept).to_string()
}

/// Leaves out what a failing scene does not need, as long as it fails in the same kind of way.
/// Goes through the list again as long as something could be left out.
fn shrink(
    mut scene: RandomScene,
    (kind, mut wrong): (Verdict, String),
    folder: &Path,
    settings: &Settings,
) -> (RandomScene, String) {
    let (mut k, mut better) = (0, false);
    for _ in 0..settings.attempts {
        let Some(candidate) = scene.smaller().into_iter().nth(k) else {
            if !better {
                break;
            }
            (k, better) = (0, false);
            continue;
        };
        match candidate.run(folder, settings).wrong {
            Some((Some(now), text)) if now == kind => (scene, wrong, better) = (candidate, text, true),
            _ => k += 1,
        }
    }
    (scene, wrong)
}

/// Draws the scene of a seed. If it fails, the smallest that fails stays in its folder; `found`
/// gets what is wrong before it is made smaller.
pub fn try_seed(seed: u64, settings: &Settings, found: &dyn Fn(&str)) -> Tried {
    let scene = match settings {
        Settings { merging: true, .. } => make_merging(seed, settings.options),
        Settings { splitting: true, .. } => make_splitting(seed, settings.options),
        Settings { hiding: true, .. } => make_hiding(seed, settings.options),
        Settings { frames: true, .. } => make_frame(seed, settings.options),
        _ => make(seed),
    };
    let scene = on_shared(scene, &settings.machines);
    let scene = if settings.small { scene.in_little() } else { scene };
    let kind = settings.kind();
    let set = settings.options.map_or(String::new(), |set| format!("{kind}-{}-", set.name));
    let folder = settings.out.join(format!("scene-{set}{seed}"));
    let seen = scene.run(&folder, settings);
    let (scene, mut report) = match seen.wrong {
        None => {
            // Nothing is kept of a scene that passes; what cannot be removed does no harm.
            let _ = std::fs::remove_dir_all(&folder);
            return Tried { counts: seen.counts, failure: None };
        }
        Some((None, wrong)) => (scene, wrong),
        Some((Some(kind), wrong)) => {
            found(&wrong);
            shrink(scene, (kind, wrong), &folder, settings)
        }
    };
    if let Err(e) = scene.write(&folder) {
        report += &format!("\nand it is not kept: {}", words(&e));
    }
    let (draws, triangles) = (scene.draws.len(), scene.triangles());
    let failure = Failure { seed, report, draws, triangles, file: folder.join("scene.toml") };
    Tried { counts: seen.counts, failure: Some(failure) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    /// A rule that is broken where warps merge must be told of, by its name and as an error of the
    /// program.
    #[test]
    fn silence_about_a_broken_rule_is_a_failure() {
        let broken = [Broken::StaleAfterMerge];
        let of = |verdict, problem: &str, merges| {
            let problems = vec![problem.to_owned()];
            let run = Report { verdict, problems, ..Report::default() };
            let mut report = SceneReport { run, merge: Some(Default::default()), ..Default::default() };
            report.merge.iter_mut().for_each(|m| m.pairs_found = merges);
            is_told(&report, &broken)
        };
        let named = "reads r31, which is private and holds nothing since a merge (MS-22)";
        assert_eq!(of(Verdict::ProtocolError, named, 3), Some(true));
        assert_eq!(of(Verdict::Pass, "", 3), Some(false));
        assert_eq!(of(Verdict::Mismatch, named, 3), Some(false));
        assert_eq!(of(Verdict::ProtocolError, "holds nothing since a split (MS-42)", 3), Some(false));
        assert_eq!(of(Verdict::Pass, "", 0), None);
        assert_eq!(is_told(&SceneReport::default(), &[]), None);
    }
}
