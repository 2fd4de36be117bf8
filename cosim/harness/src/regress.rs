//! `quadlock regress`: the claims of job and scene files, each run with its settings, verdicts and
//! figures. Here are the files with their claims, one run, and what is judged; [`suite`] has the
//! workers.
//!
//! A case is one run of one job or scene. What is wrong with one case fails that case: a file that
//! is no job, a setting that there is not, a program that does not compile, a panic. The others
//! run, and the report has them all. Failure modes: a suite that passes because nothing was run (a
//! folder without claims is an error, and the last line counts jobs, runs and claims); a file that
//! is taken for another kind of table and left out.

pub mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use toml::Spanned;

use crate::base::error::{bad, io, Input, InputError};
use crate::base::files::{open, read_text};
use crate::base::manners::judged;
use crate::base::shell::{quoted, quoted_path};
use crate::job::dispatches::Dispatches;
use crate::job::spec::bounds::Bounds;
use crate::job::spec::claims::{ClaimsSpec, Demand, FigureSpec, RunSpec};
use crate::job::{Job, Size};
use crate::lockstep::Quiet;
use crate::report::{Report, Verdict};
use crate::scene::accounts::report::SceneReport;
use crate::scene::machine::rtl::on_rtl;
use crate::scene::{is_scene, Scene};
use crate::simulate::{self, EngineKind, Simulator};

/// A job or a scene with claims.
pub struct Claimed {
    pub path: PathBuf,
    claims: ClaimsSpec,
    subject: Subject,
    /// What is wrong with the settings of a run, by its number.
    wrong: BTreeMap<usize, Arc<InputError>>,
}

/// Files with claims, and how many have none.
pub struct Collected {
    pub jobs: Vec<Claimed>,
    /// Tables without claims.
    pub left_out: usize,
}

/// What is run.
enum Subject {
    /// A job at its sizes.
    Job { whole: Box<Job>, small: Option<Box<Job>> },
    /// A scene, read again for each run.
    Scene,
    /// Neither, and why.
    Broken(Arc<InputError>),
}

/// Why a run has no report.
#[derive(Clone, Debug)]
pub enum NotRun {
    /// The program does not compile, or an output cannot be written.
    Wrong(Arc<InputError>),
    /// It panicked, with that message.
    Panicked(String),
    /// The suite was interrupted before.
    Interrupted,
    /// The suite has not come to it, or ended without a word.
    Missing,
}

impl NotRun {
    /// In words, in one line.
    fn words(&self) -> String {
        match self {
            Self::Wrong(e) => e.to_string(),
            Self::Panicked(message) => message.lines().next().unwrap_or_default().to_owned(),
            Self::Interrupted => "interrupted".to_owned(),
            Self::Missing => "no result".to_owned(),
        }
    }
}

/// What a run gave.
pub type Ran = Result<AnyReport, NotRun>;

/// The report of a run.
#[derive(Serialize)]
#[serde(untagged)]
pub enum AnyReport {
    Job(Box<Report>),
    Scene(Box<SceneReport>),
}

impl AnyReport {
    fn verdict(&self) -> Verdict {
        match self {
            Self::Job(r) => r.verdict,
            Self::Scene(r) => r.run.verdict,
        }
    }

    fn cycles(&self) -> Option<u64> {
        match self {
            Self::Job(r) => r.cycles,
            Self::Scene(r) => r.run.cycles,
        }
    }

    fn figure(&self, name: &str) -> Option<f64> {
        match self {
            Self::Job(r) => r.figure(name),
            Self::Scene(r) => r.figure(name),
        }
    }
}

impl Claimed {
    fn claims(&self) -> &ClaimsSpec {
        &self.claims
    }

    /// Claims one run at full size in lockstep instead, with the verdict of the first run.
    pub fn whole_size(&mut self) {
        self.wrong.clear();
        let claims = &mut self.claims;
        claims.figure.clear();
        claims.run.truncate(1);
        for run in &mut claims.run {
            let run = run.get_mut();
            *run = RunSpec {
                name: "whole".to_owned(),
                small: false,
                set: Vec::new(),
                engine: EngineKind::Lockstep,
                verdict: run.verdict,
            };
        }
    }

    /// All runs with products and sums of floats apart, unless a run says otherwise.
    pub fn exact(&mut self) {
        for run in &mut self.claims.run {
            let (span, run) = (run.span(), run.get_mut());
            run.set.insert(0, Spanned::new(span, "exact=on".to_owned()));
        }
    }

    /// Does that run; outputs go to the folder.
    fn report(&self, run: &RunSpec, folder: &Path) -> Input<AnyReport> {
        match &self.subject {
            Subject::Job { whole, small } => {
                let job = small.as_ref().filter(|_| run.small).unwrap_or(whole);
                Ok(AnyReport::Job(Box::new(one(job, run, folder)?)))
            }
            Subject::Scene => Ok(AnyReport::Scene(Box::new(scene(&self.path, run, folder)?))),
            Subject::Broken(e) => bad(e.to_string(), "correct the file"),
        }
    }

    /// The command that does that run; with `against` both, side by side.
    fn command(&self, run: &RunSpec, against: Option<&RunSpec>) -> String {
        let mut command = format!("quadlock run {}", quoted_path(&self.path));
        if run.small {
            command += " --small";
        }
        match run.engine {
            EngineKind::Lockstep => {}
            EngineKind::Rtl => command += " --engine rtl",
            EngineKind::Golden => command += " --engine golden",
            EngineKind::RustHdl => command += " --engine rust-hdl",
        }
        for set in run.sets() {
            command += &format!(" --set {}", quoted(&set));
        }
        match against {
            None => command,
            Some(other) => format!("{command}; {}", self.command(other, None)),
        }
    }

    /// The run of that name; claims name only runs that exist.
    fn run(&self, name: &str) -> Option<usize> {
        self.claims().run.iter().position(|r| r.get_ref().name == name)
    }
}

/// The jobs and scenes with claims among these files and in these folders, in order of path, each
/// once. What cannot be used is among them, as a case that fails: a file, a folder that cannot be
/// listed, one without claims, a path where nothing is.
pub fn collect(paths: &[PathBuf]) -> Collected {
    let mut all = Collected { jobs: Vec::new(), left_out: 0 };
    let mut seen = BTreeSet::new();
    for path in paths {
        let mut files = Vec::new();
        let listed = if path.is_dir() { job_files(path, &mut files, &mut seen) } else { open(path).map(drop) };
        if let Err(e) = listed {
            all.jobs.push(broken(path, e));
            continue;
        }
        if !path.is_dir() && is_new(path, &mut seen) {
            files.push(path.clone());
        }
        let mut found = false;
        for file in files {
            match claimed(&file) {
                Ok(None) => all.left_out += 1,
                Ok(Some(job)) => {
                    found = true;
                    all.jobs.push(job);
                }
                Err(e) => {
                    found = true;
                    all.jobs.push(broken(&file, e));
                }
            }
        }
        let before = path.canonicalize().is_ok_and(|path| all.jobs.iter().any(|job| is_below(job, &path)));
        if !found && !before {
            let error = InputError::new(format!("{}: no job or scene with claims", path.display()));
            all.jobs.push(broken(path, Box::new(error.help("see [claims] in docs/jobs.md"))));
        }
    }
    all
}

fn is_below(job: &Claimed, path: &Path) -> bool {
    job.path.canonicalize().is_ok_and(|job| job.starts_with(path))
}

/// A case that fails, and why.
fn broken(path: &Path, error: Box<InputError>) -> Claimed {
    let (claims, subject) = (ClaimsSpec::default(), Subject::Broken(Arc::from(error)));
    Claimed { path: path.to_owned(), claims, subject, wrong: BTreeMap::new() }
}

/// Whether a path is met for the first time, by whatever name.
fn is_new(path: &Path, seen: &mut BTreeSet<PathBuf>) -> bool {
    seen.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
}

/// Keys of jobs and scenes; a table that has one of them is meant as one.
const OWN_KEYS: [&str; 6] = ["shader", "graph", "thread", "target", "draw", "pass"];

/// The job or the scene in a file, if it has claims. A folder may hold other tables than jobs, and
/// jobs without claims; a file without anything is neither. What is wrong with one run is kept with
/// that run.
fn claimed(file: &Path) -> Input<Option<Claimed>> {
    let text = read_text(file)?;
    match text.parse::<toml::Table>() {
        Ok(table) if table.is_empty() => {
            let error = InputError::new("the file is empty: it is neither a job nor a scene");
            let help = "write the job again, or remove the file; a job is described in docs/jobs.md";
            return Err(Box::new(error.help(help).at(file, &text, 0..0, "here")));
        }
        Ok(table) if !table.contains_key("claims") && !OWN_KEYS.iter().any(|k| table.contains_key(*k)) => {
            return Ok(None);
        }
        // What is no table at all is left to the reader of jobs, which says where and why.
        _ => {}
    }
    let path = file.to_owned();
    if is_scene(&text) {
        let read = Scene::read(file, false, &[])?;
        let Some(claims) = &read.spec.claims else { return Ok(None) };
        let claims = claims.get_ref().clone();
        let mut wrong = BTreeMap::new();
        for (number, run) in claims.run.iter().enumerate() {
            let (span, run) = (run.span(), run.get_ref());
            let checked = Scene::read(file, run.small, &run.sets()).and_then(|s| {
                let options = s.options(run.engine == EngineKind::Lockstep, None)?;
                run.engine.refuse_fault(&options)
            });
            if let Err(e) = checked {
                let error = read.error(span, e.message(), "settings are keys of the scene, by path");
                wrong.insert(number, Arc::from(error));
            }
        }
        return Ok(Some(Claimed { path, claims, subject: Subject::Scene, wrong }));
    }
    let whole = Job::read(file, Size::Whole)?;
    let Some(claims) = whole.spec.claims.clone() else { return Ok(None) };
    let small = whole.spec.small.is_some().then(|| Job::read(file, Size::Small)).transpose()?;
    let wrong = wrong_settings(&claims, &whole, small.as_ref());
    let subject = Subject::Job { whole: Box::new(whole), small: small.map(Box::new) };
    Ok(Some(Claimed { path, claims, subject, wrong }))
}

/// Every `.toml` of the folder and those below that was not met before, so that a link to a folder
/// above has an end.
fn job_files(path: &Path, files: &mut Vec<PathBuf>, seen: &mut BTreeSet<PathBuf>) -> Input<()> {
    if !is_new(path, seen) {
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in path.read_dir().map_err(|e| io(path, "read", &e))? {
        entries.push(entry.map_err(|e| io(path, "read", &e))?.path());
    }
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            job_files(&entry, files, seen)?;
        } else if entry.extension().is_some_and(|e| e == "toml") && is_new(&entry, seen) {
            files.push(entry);
        }
    }
    Ok(())
}

/// Runs that cannot be, by number, each with its place in the job file.
fn wrong_settings(claims: &ClaimsSpec, whole: &Job, small: Option<&Job>) -> BTreeMap<usize, Arc<InputError>> {
    let mut wrong = BTreeMap::new();
    for (number, run) in claims.run.iter().enumerate() {
        let (span, run) = (run.span(), run.get_ref());
        let job = small.filter(|_| run.small).unwrap_or(whole);
        let options = job.options(run.engine == EngineKind::Lockstep, &run.sets(), None);
        if let Err(e) = options.and_then(|(options, _)| run.engine.refuse_fault(&options)) {
            let place = run.set.iter().find(|s| e.message().contains(s.get_ref().as_str())).map_or(span, |s| s.span());
            let help = "settings are those of `quadlock run --set`, see docs/jobs.md";
            wrong.insert(number, Arc::from(job.error(place, e.message(), help)));
        }
    }
    wrong
}

/// Runs a job for a claim: its outputs are compared with the job's expectations and written to the
/// folder.
fn one(job: &Job, run: &RunSpec, folder: &Path) -> Input<Report> {
    let (options, compiler) = job.options(run.engine == EngineKind::Lockstep, &run.sets(), None)?;
    let dispatches = Dispatches::of(job, job.linking(&run.sets())?, &compiler, &options.config)?;
    dispatches.first().check_outputs(job, folder)?;
    // A warning is of no claim.
    let judged = job.spec.bounds == Bounds::Error;
    let unbounded = judged.then(|| job.unbounded(&dispatches, &run.sets(), &options, &compiler)).transpose()?;
    let simulator = if run.engine == EngineKind::RustHdl { Simulator::RustHdl } else { Simulator::Rtlsim };
    // One machine for all dispatches: a start finds what the one before left.
    let mut engine = match run.engine {
        EngineKind::Golden => None,
        EngineKind::Lockstep | EngineKind::Rtl | EngineKind::RustHdl => {
            let engine = simulator.engine(&options.config);
            Some(engine.or_else(|e| bad(e, "correct [machine] or the settings of the claim"))?)
        }
    };
    let (prepared, mut done) = dispatches.run(&mut |prepared| {
        Ok(match &mut engine {
            None => simulate::golden(&prepared.launch, &options),
            Some(engine) => simulate::on_engine(&mut **engine, &prepared.launch, &options, &mut Quiet),
        })
    })?;
    prepared.conclude(job, &mut done, folder)?;
    unbounded.flatten().map_or(Ok(()), |unbounded| unbounded.judge(&mut done.report))?;
    Ok(done.report)
}

/// Runs a scene for a claim, as [`one`].
fn scene(path: &Path, run: &RunSpec, folder: &Path) -> Input<SceneReport> {
    let scene = Scene::read(path, run.small, &run.sets())?;
    let frame = scene.frame(&scene.compiler()?)?;
    let wanted = scene.wanted(&frame, vec![], folder)?;
    let options = scene.options(run.engine == EngineKind::Lockstep, None)?;
    let simulator = if run.engine == EngineKind::RustHdl { Simulator::RustHdl } else { Simulator::Rtlsim };
    let name = &scene.spec.name;
    let mut drawn = match run.engine {
        EngineKind::Golden => crate::scene::machine::run::golden(name, &frame, options.model_fault),
        EngineKind::Lockstep | EngineKind::Rtl | EngineKind::RustHdl => {
            let fail = |e: String| bad(format!("{}: {e}", path.display()), "correct the scene");
            let engine = simulator.engine(&options.config);
            let mut engine = engine.or_else(fail)?;
            match frame.start(name, path, &options)? {
                Ok(launch) => on_rtl(&mut *engine, &frame, &launch, &options, &mut Quiet).0,
                Err(drawn) => *drawn,
            }
        }
    };
    wanted.conclude(&frame, &mut drawn)?;
    Ok(drawn.report)
}

/// A claim with what was measured.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// In words: the figure, the runs, the demand.
    pub claim: String,
    /// The figure, or the ratio; none if a run has no such figure.
    pub measured: Option<f64>,
    pub demanded: String,
    pub holds: bool,
    /// The command that shows it.
    pub reproduce: String,
}

/// What became of a job.
#[derive(Serialize)]
pub struct JobResult {
    pub job: String,
    pub claims: Vec<Checked>,
    pub runs: BTreeMap<String, AnyReport>,
    /// Runs without a report, and why.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub not_run: BTreeMap<String, String>,
    /// What is wrong with the input, each once.
    #[serde(skip)]
    pub errors: Vec<Arc<InputError>>,
}

impl JobResult {
    /// All claims hold.
    pub fn holds(&self) -> bool {
        self.claims.iter().all(|c| c.holds)
    }

    /// A line for each claim; of a run that fails, its report.
    pub fn text(&self, coloured: bool) -> String {
        let mut text = format!("{}\n", self.job);
        for c in &self.claims {
            let mark = judged(if c.holds { "ok  " } else { "FAIL" }, c.holds, coloured);
            let measured = c.measured.map_or(String::new(), |m| format!(": {}", short(m)));
            text += &format!("  {mark} {}{measured}; demanded: {}\n", c.claim, c.demanded);
            if !c.holds {
                text += &format!("       reproduce: {}\n", c.reproduce);
            }
        }
        text
    }
}

/// A whole number as it is, a ratio with three digits behind the point.
fn short(x: f64) -> String {
    if x.fract() == 0.0 {
        format!("{x}")
    } else {
        format!("{x:.3}")
    }
}

fn verdict_name(verdict: Verdict) -> String {
    serde_json::to_value(verdict).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// The claims of a job against what its runs gave, in the order of the file.
fn check(claimed: &Claimed, ran: &[Ran]) -> Vec<Checked> {
    if let Subject::Broken(e) = &claimed.subject {
        let reproduce = format!("quadlock run {}", quoted_path(&claimed.path));
        let (claim, demanded) = (format!("not read: {e}"), "a file that can be read".to_owned());
        return vec![Checked { claim, measured: None, demanded, holds: false, reproduce }];
    }
    let mut checked: Vec<Checked> = claimed
        .claims()
        .run
        .iter()
        .zip(ran)
        .map(|(run, ran)| {
            let run = run.get_ref();
            let cycles = |report: &AnyReport| report.cycles().map_or(String::new(), |c| format!(", {c} cycles"));
            let claim = match ran {
                Ok(report) => format!("{}: verdict {}{}", run.name, verdict_name(report.verdict()), cycles(report)),
                Err(why) => format!("{}: not run: {}", run.name, why.words()),
            };
            Checked {
                claim,
                measured: None,
                demanded: verdict_name(run.verdict),
                holds: ran.as_ref().is_ok_and(|report| report.verdict() == run.verdict),
                reproduce: claimed.command(run, None),
            }
        })
        .collect();
    for figure in &claimed.claims().figure {
        let figure = figure.get_ref();
        checked.extend(figure.of.names().iter().filter_map(|of| one_figure(claimed, ran, figure, of)));
    }
    checked
}

impl JobResult {
    /// Judges what the runs of a job gave, one entry for each.
    fn of(job: &Claimed, ran: Vec<Ran>) -> Self {
        let claims = check(job, &ran);
        let mut result = Self {
            job: job.path.display().to_string(),
            claims,
            runs: BTreeMap::new(),
            not_run: BTreeMap::new(),
            errors: Vec::new(),
        };
        if let Subject::Broken(e) = &job.subject {
            result.errors.push(e.clone());
        }
        for (run, ran) in job.claims().run.iter().zip(ran) {
            let name = run.get_ref().name.clone();
            match ran {
                Ok(report) => drop(result.runs.insert(name, report)),
                Err(why) => {
                    result.not_run.insert(name, why.words());
                    let NotRun::Wrong(e) = why else { continue };
                    // All runs of a job have one program, and mostly one error.
                    let drawing = |e: &InputError| e.drawing(false);
                    if result.errors.iter().all(|known| drawing(known) != drawing(&e)) {
                        result.errors.push(e);
                    }
                }
            }
        }
        result
    }
}

fn one_figure(claimed: &Claimed, ran: &[Ran], spec: &FigureSpec, of: &str) -> Option<Checked> {
    let runs = &claimed.claims().run;
    let (demand, name) = (spec.demand()?, spec.figure.get_ref());
    let of = claimed.run(of)?;
    let against = spec.against.as_ref().and_then(|a| claimed.run(a.get_ref()));
    let of_run = |run: usize| ran[run].as_ref().ok().and_then(|report| report.figure(name));
    let figure = of_run(of);
    let base = against.map_or(Some(1.0), of_run);
    let (measured, holds) = judge(demand, figure, base, against.is_some());
    let run = runs[of].get_ref();
    let other = against.map(|a| runs[a].get_ref());
    let number = |x: Option<f64>| x.map_or("none".to_owned(), short);
    let claim = match other {
        None => format!("{name} of {}", run.name),
        Some(other) => format!("{name} of {} {} against {} {}", run.name, number(figure), other.name, number(base)),
    };
    let reproduce = claimed.command(run, other);
    Some(Checked { claim, measured, demanded: demand.to_string(), holds, reproduce })
}

/// (figure or ratio, whether the demand holds). What is missing never holds, nor does a ratio to 0.
fn judge(demand: Demand, figure: Option<f64>, base: Option<f64>, ratio: bool) -> (Option<f64>, bool) {
    match (figure, base) {
        (Some(figure), Some(base)) if base != 0.0 => {
            (Some(if ratio { figure / base } else { figure }), demand.holds(figure, base))
        }
        _ => (None, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_never_holds() {
        assert_eq!(judge(Demand::AtLeast(0.0), None, Some(1.0), false), (None, false));
        assert_eq!(judge(Demand::AtMost(9.0), Some(1.0), None, true), (None, false));
        assert_eq!(judge(Demand::AtLeast(4.0), Some(1.0), Some(0.0), true), (None, false));
        assert_eq!(judge(Demand::AtLeast(4.0), Some(8.0), Some(2.0), true), (Some(4.0), true));
        assert_eq!(judge(Demand::Equal(0.0), Some(3.0), Some(1.0), false), (Some(3.0), false));
    }
}
