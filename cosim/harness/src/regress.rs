//! `quadlock regress`: the claims of job and scene files, each run with its settings, verdicts and
//! figures. This is the suite's beginning: a list of cases, run by several workers, told in the
//! order of the list.
//!
//! A case is one run of one job or scene. Wrong would be a suite that passes because nothing was
//! run: a folder without claims is an error, and the last line counts jobs, runs and claims.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use serde::Serialize;
use toml::Spanned;

use crate::base::error::{bad, io, Input};
use crate::base::files::read_text;
use crate::base::manners::judged;
use crate::base::progress::Progress;
use crate::job::dispatches::Dispatches;
use crate::job::spec::claims::{ClaimsSpec, Demand, FigureSpec, RunSpec};
use crate::job::{Job, Size};
use crate::lockstep::Quiet;
use crate::report::{Report, Verdict};
use crate::scene::machine::on_rtl;
use crate::scene::report::SceneReport;
use crate::scene::{is_scene, Scene};
use crate::simulate::{self, EngineKind, Simulator};

/// A job or a scene with claims.
pub struct Claimed {
    pub path: PathBuf,
    claims: ClaimsSpec,
    subject: Subject,
}

/// What is run.
enum Subject {
    /// A job at its sizes.
    Job { whole: Box<Job>, small: Option<Box<Job>> },
    /// A scene, read again for each run.
    Scene,
}

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
        }
    }

    /// The command that does that run; with `against` both, side by side.
    fn command(&self, run: &RunSpec, against: Option<&RunSpec>) -> String {
        let mut command = format!("quadlock run {}", self.path.display());
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
            command += &format!(" --set {set}");
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

/// The jobs and scenes with claims among these files and in these folders, in order of path.
///
/// # Errors
/// A file that is neither, a named file or folder without claims, a setting that cannot be.
pub fn collect(paths: &[PathBuf]) -> Input<Vec<Claimed>> {
    let mut all = Vec::new();
    for path in paths {
        let before = all.len();
        let mut files = Vec::new();
        job_files(path, &mut files)?;
        for file in files {
            if !has_claims(&file)? {
                continue;
            }
            all.extend(claimed(file)?);
        }
        if all.len() == before {
            return bad(format!("{}: no job or scene with claims", path.display()), "see [claims] in docs/jobs.md");
        }
    }
    Ok(all)
}

/// The job or the scene in a file, if it has claims.
fn claimed(file: PathBuf) -> Input<Option<Claimed>> {
    if is_scene(&read_text(&file)?) {
        let read = Scene::read(&file, false, &[])?;
        let Some(claims) = &read.spec.claims else { return Ok(None) };
        let claims = claims.get_ref().clone();
        for run in &claims.run {
            let sets = run.get_ref().sets();
            let checked = Scene::read(&file, run.get_ref().small, &sets).and_then(|s| s.options(false, None));
            checked.map_err(|e| read.error(run.span(), e.message(), "settings are keys of the scene, by path"))?;
        }
        return Ok(Some(Claimed { path: file, claims, subject: Subject::Scene }));
    }
    let whole = Job::read(&file, Size::Whole)?;
    let Some(claims) = whole.spec.claims.clone() else { return Ok(None) };
    let small = whole.spec.small.is_some().then(|| Job::read(&file, Size::Small)).transpose()?;
    check_settings(&claims, &whole, small.as_ref())?;
    let subject = Subject::Job { whole: Box::new(whole), small: small.map(Box::new) };
    Ok(Some(Claimed { path: file, claims, subject }))
}

/// Whether the file has a table `claims`; a folder may hold other tables than jobs. What is no
/// table at all is left to the reader of jobs, which says where and why.
fn has_claims(file: &Path) -> Input<bool> {
    Ok(read_text(file)?.parse::<toml::Table>().map_or(true, |table| table.contains_key("claims")))
}

/// The file, or every `.toml` of the folder and those below.
fn job_files(path: &Path, files: &mut Vec<PathBuf>) -> Input<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in path.read_dir().map_err(|e| io(path, "read", &e))? {
        entries.push(entry.map_err(|e| io(path, "read", &e))?.path());
    }
    entries.sort();
    for entry in entries {
        if entry.is_dir() || entry.extension().is_some_and(|e| e == "toml") {
            job_files(&entry, files)?;
        }
    }
    Ok(())
}

/// What cannot run is said before the first run, with its place in the job file.
fn check_settings(claims: &ClaimsSpec, whole: &Job, small: Option<&Job>) -> Input<()> {
    for run in &claims.run {
        let (span, run) = (run.span(), run.get_ref());
        let job = small.filter(|_| run.small).unwrap_or(whole);
        job.options(false, &run.sets(), None).map_err(|e| {
            let place = run.set.iter().find(|s| e.message().contains(s.get_ref().as_str())).map_or(span, |s| s.span());
            job.error(place, e.message(), "settings are those of `quadlock run --set`, see docs/jobs.md")
        })?;
    }
    Ok(())
}

/// Runs a job for a claim: its outputs are compared with the job's expectations and written to the
/// folder.
fn one(job: &Job, run: &RunSpec, folder: &Path) -> Input<Report> {
    let (options, compiler) = job.options(run.engine == EngineKind::Lockstep, &run.sets(), None)?;
    let dispatches = Dispatches::of(job, job.linking(&run.sets())?, &compiler, &options.config)?;
    dispatches.first().check_outputs(job, folder)?;
    let simulator = if run.engine == EngineKind::RustHdl { Simulator::RustHdl } else { Simulator::Rtlsim };
    let (prepared, mut done) = dispatches.run(&mut |prepared| match run.engine {
        EngineKind::Golden => Ok(simulate::golden(&prepared.launch, &options)),
        EngineKind::Lockstep | EngineKind::Rtl | EngineKind::RustHdl => {
            let done = simulate::rtl_on(simulator, &prepared.launch, &options, &mut Quiet);
            done.or_else(|e| bad(e, "correct [machine] or the settings of the claim"))
        }
    })?;
    prepared.conclude(job, &mut done, folder)?;
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
        EngineKind::Golden => crate::scene::run::golden(name, &frame, options.model_fault, false),
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

/// The claims of a job against the reports of its runs, in the order of the file.
fn check(claimed: &Claimed, reports: &[AnyReport]) -> Vec<Checked> {
    let mut checked: Vec<Checked> = claimed
        .claims()
        .run
        .iter()
        .zip(reports)
        .map(|(run, report)| {
            let run = run.get_ref();
            let cycles = report.cycles().map_or(String::new(), |c| format!(", {c} cycles"));
            Checked {
                claim: format!("{}: verdict {}{cycles}", run.name, verdict_name(report.verdict())),
                measured: None,
                demanded: verdict_name(run.verdict),
                holds: report.verdict() == run.verdict,
                reproduce: claimed.command(run, None),
            }
        })
        .collect();
    for figure in &claimed.claims().figure {
        let figure = figure.get_ref();
        checked.extend(figure.of.names().iter().filter_map(|of| one_figure(claimed, reports, figure, of)));
    }
    checked
}

fn one_figure(claimed: &Claimed, reports: &[AnyReport], spec: &FigureSpec, of: &str) -> Option<Checked> {
    let runs = &claimed.claims().run;
    let (demand, name) = (spec.demand()?, spec.figure.get_ref());
    let of = claimed.run(of)?;
    let against = spec.against.as_ref().and_then(|a| claimed.run(a.get_ref()));
    let figure = reports[of].figure(name);
    let base = against.map_or(Some(1.0), |a| reports[a].figure(name));
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

/// Where the outputs of a job's runs go: its path below the folder.
fn folder(out: &Path, job: &Path) -> PathBuf {
    let plain = job.components().filter(|c| matches!(c, Component::Normal(_)));
    out.join(plain.collect::<PathBuf>().with_extension(""))
}

/// Runs all with that many workers, and counts the runs; `tell` gets each job's result, in the
/// order of the jobs, as soon as it is known.
///
/// # Errors
/// The first in that order: a job whose program does not compile, an output that cannot be written.
pub fn run(
    jobs: &[Claimed],
    workers: usize,
    out: &Path,
    progress: &Progress,
    mut tell: impl FnMut(&JobResult),
) -> Input<Vec<JobResult>> {
    let cases: Vec<(usize, usize)> =
        jobs.iter().enumerate().flat_map(|(j, job)| (0..job.claims().run.len()).map(move |r| (j, r))).collect();
    progress.set_length(cases.len() as u64);
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, cases.len().max(1)) {
            let (sender, next, cases) = (sender.clone(), &next, &cases);
            scope.spawn(move || {
                while let Some(&(j, r)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (job, spec) = (&jobs[j], jobs[j].claims().run[r].get_ref());
                    let report = job.report(spec, &folder(out, &job.path).join(&spec.name));
                    if sender.send(((j, r), report)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut done = Vec::new();
        for (case, report) in results {
            progress.inc(1);
            waiting.insert(case, report);
            while let Some(job) = jobs.get(done.len()) {
                let own = (done.len(), 0)..(done.len() + 1, 0);
                if waiting.range(own).count() < job.claims().run.len() {
                    break;
                }
                let mut reports = Vec::new();
                for r in 0..job.claims().run.len() {
                    reports.extend(waiting.remove(&(done.len(), r)));
                }
                let reports = reports.into_iter().collect::<Input<Vec<AnyReport>>>().inspect_err(|_| {
                    // No worker takes another case.
                    next.store(cases.len(), Ordering::Relaxed);
                })?;
                let claims = check(job, &reports);
                let names = job.claims().run.iter().map(|r| r.get_ref().name.clone());
                let result =
                    JobResult { job: job.path.display().to_string(), claims, runs: names.zip(reports).collect() };
                tell(&result);
                done.push(result);
            }
        }
        Ok(done)
    })
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

    #[test]
    fn outputs_stay_below_the_folder() {
        assert_eq!(folder(Path::new("out"), Path::new("/a/../b/job.toml")), Path::new("out/a/b/job"));
    }
}
