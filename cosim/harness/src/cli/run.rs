//! `quadlock run`: a job from its file to verdict, outputs, report and waves.

pub(super) mod watched;

use std::path::{Path, PathBuf};

use clap::Args;

use super::compare;
use super::outcome::{print, Outcome};
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::job::dispatches::Dispatches;
use crate::job::prepare::Prepared;
use crate::job::program::CompilerOptions;
use crate::job::settings;
use crate::job::{constants, Job, Size};
use crate::lockstep::Options;
use crate::report::{Report, Verdict};
use crate::scene::heat::HeatKind;
use crate::scene::shown::Shown;
use crate::simulate::{self, EngineKind, Finished, Simulator};

#[derive(Args, Debug)]
pub struct RunArgs {
    /// Job file (docs/jobs.md) or scene file (docs/scenes.md)
    job: PathBuf,
    #[arg(long, value_enum, default_value = "lockstep")]
    engine: EngineKind,
    /// What simulates the RTL
    #[arg(long, value_enum, default_value = "rtlsim", value_name = "SIMULATOR")]
    rtl: Simulator,
    /// The small size that the job's [small] part describes, for slow simulators
    #[arg(long)]
    small: bool,
    /// Write a VCD trace, with a GTKWave view beside it
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Write an FST trace, much smaller, with a GTKWave view beside it
    #[arg(long, value_name = "FILE", conflicts_with = "vcd")]
    fst: Option<PathBuf>,
    /// Write a Chrome trace (JSON) of threads, waits, hand-overs and the owners of semaphores, for
    /// ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
    /// First cycle of the trace, waves or Chrome
    #[arg(long, value_name = "CYCLE", default_value_t = 0)]
    from: u64,
    /// Last cycle of the trace, waves or Chrome
    #[arg(long, value_name = "CYCLE")]
    to: Option<u64>,
    /// Scope of the trace with all that is inside, as in quadlock.cores_0.units_0 (* and ** match);
    /// may be repeated. The lists of the semaphores are quadlock.lists
    #[arg(long, value_name = "PATH")]
    scope: Vec<String>,
    /// Most megabytes of the trace; it ends with the cycle that reaches them
    #[arg(long, value_name = "MB", default_value_t = 48, alias = "vcd-limit", value_parser = clap::value_parser!(u64).range(1..=MOST_WAVES))]
    wave_limit: u64,
    #[arg(long, value_name = "KEY=VALUE", help = settings::help())]
    set: Vec<String>,
    /// No product and sum of floats become one operation: short for --set exact=on, before the
    /// others
    #[arg(long)]
    exact: bool,
    #[arg(long, value_name = "NAME=VALUE", help = constants::HELP)]
    constant: Vec<String>,
    /// Run the job again with this setting changed, as by --set, and print both reports side by
    /// side; may be repeated. Outputs of the second run go to the folder `compared` of the first's
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["vcd", "fst", "png", "perfetto"])]
    compare: Vec<String>,
    /// Of a scene: draw both forms on the golden model without one fusion after the other, and
    /// trace every word that differs to the places of fusions that change it (docs/accuracy.md)
    #[arg(long, requires = "compare")]
    trace_roundings: bool,
    /// Folder of the outputs [default: out/JOB NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the job's picture output to this file as well
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Of a scene: write a picture of a target by its number, of depth or of stencil, and with
    /// .SAMPLE behind it of one sample; may be repeated (docs/scenes.md)
    #[arg(long, value_name = "TARGET=FILE", conflicts_with = "compare")]
    image: Vec<String>,
    /// Of a scene: write how many quads are shaded per pixel as a picture, or how many of something
    /// else: helpers=FILE, merged=FILE, split=FILE, culls=FILE, reloads=FILE (docs/scenes.md)
    #[arg(long, value_name = "[WHAT=]FILE", conflicts_with = "compare")]
    heatmap: Option<String>,
    /// Of a scene: draw what is left behind each stage that may cull as SVG (docs/scenes.md)
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    funnel: Option<PathBuf>,
    /// Write the report as JSON (docs/report.md)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Seed of the memory's timing; the same as --set seed=N
    #[arg(long)]
    seed: Option<u64>,
}

impl RunArgs {
    /// Puts what has an option of its own in front of the settings.
    pub fn settle(mut self) -> Self {
        if self.exact {
            self.set.insert(0, "exact=on".into());
        }
        self
    }
    pub fn file(&self) -> &Path {
        &self.job
    }
    pub fn is_small(&self) -> bool {
        self.small
    }
    pub fn traces_roundings(&self) -> bool {
        self.trace_roundings
    }
    pub fn sets(&self) -> &[String] {
        &self.set
    }
    pub fn engine(&self) -> EngineKind {
        self.engine
    }
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }
    pub fn png_file(&self) -> Option<&Path> {
        self.png.as_deref()
    }
    /// What `--heatmap` counts, and the file that it is written to.
    pub fn heat(&self) -> Input<Option<(HeatKind, PathBuf)>> {
        let Some(text) = &self.heatmap else { return Ok(None) };
        // What is no word belongs to the path.
        let word = |what: &str| what.chars().all(char::is_alphabetic);
        let alone = HeatKind::by_name(text).map(|_| (text.as_str(), ""));
        let pair = text.split_once('=').filter(|(what, _)| word(what));
        let (what, file) = alone.or(pair).unwrap_or(("quads", text));
        match HeatKind::by_name(what) {
            Some(kind) if !file.is_empty() => Ok(Some((kind, file.into()))),
            Some(_) => bad(format!("--heatmap {text}: no file"), format!("for example --heatmap {what}={what}.png")),
            None => bad(
                format!("--heatmap {text}: nothing is called {what}"),
                format!("WHAT is one of {}", HeatKind::names()),
            ),
        }
    }
    pub fn funnel_file(&self) -> Option<&Path> {
        self.funnel.as_deref()
    }
    pub fn compared(&self) -> &[String] {
        &self.compare
    }
    pub fn constants(&self) -> &[String] {
        &self.constant
    }
    /// Pictures of `--image`.
    pub fn images(&self) -> Input<Vec<(Shown, PathBuf)>> {
        let one = |text: &String| {
            let help = "for example --image 1=colour.png, --image depth=depth.png, --image 0.3=sample.png";
            let Some((target, path)) = text.split_once('=').filter(|(_, path)| !path.is_empty()) else {
                return bad(format!("--image {text}: not TARGET=FILE"), help);
            };
            let shown = target.parse().or_else(|e| bad(format!("--image {text}: {e}"), help))?;
            Ok((shown, PathBuf::from(path)))
        };
        self.image.iter().map(one).collect()
    }
    /// Files of all pictures that are asked for.
    pub fn pictures(&self) -> Input<Vec<PathBuf>> {
        let images = self.images()?.into_iter().map(|(_, path)| path);
        let heat = self.heat()?.map(|(_, path)| path);
        Ok(images.chain(self.png.clone()).chain(heat).collect())
    }
    /// Folder of the outputs of a scene of that name.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| Path::new("out").join(name))
    }
    /// The option of the trace that is asked for.
    pub fn traced(&self) -> Option<&'static str> {
        let given = [("vcd", self.vcd.is_some()), ("fst", self.fst.is_some()), ("perfetto", self.perfetto.is_some())];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
    /// The trace does not end before it begins.
    pub fn check_window(&self) -> Input<()> {
        if self.to.is_some_and(|to| to < self.from) {
            return bad("--to is before --from", "give the first and the last cycle of the trace in order");
        }
        Ok(())
    }
    /// A part of a trace is asked for.
    pub fn is_windowed(&self) -> bool {
        self.from > 0 || self.to.is_some() || !self.scope.is_empty()
    }
    pub fn report_file(&self) -> Option<&Path> {
        self.report.as_deref()
    }
}

/// Most megabytes of a trace.
const MOST_WAVES: u64 = 1 << 20;

/// The run's options: the job's, changed by `--set` and `--seed`. Also the compiler's, with the
/// values of `--constant`.
fn options(job: &Job, args: &RunArgs, sets: &[String]) -> Input<(Options, CompilerOptions)> {
    let (options, mut compiler) = job.options(args.engine == EngineKind::Lockstep, sets, args.seed)?;
    compiler.constants = constants::of_command_line(&args.constant)?;
    Ok((options, compiler))
}

pub fn run(args: &RunArgs) -> Input<Outcome> {
    args.check_window()?;
    let of_scenes = [("image", !args.image.is_empty()), ("heatmap", args.heatmap.is_some())];
    let mut of_scenes = of_scenes.into_iter().chain([("funnel", args.funnel.is_some())]);
    if let Some((option, _)) = of_scenes.find(|(_, given)| *given) {
        return bad(format!("--{option}: this file is a job and not a scene"), "leave it out; --png is for both");
    }
    let job = Job::read(&args.job, if args.small { Size::Small } else { Size::Whole })?;
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(&job.spec.name));
    let compared: Vec<String> = args.set.iter().chain(&args.compare).cloned().collect();
    if !args.compare.is_empty() {
        // What cannot run is said before the first run, which may be long.
        let (options, compiler) = options(&job, args, &compared)?;
        Dispatches::of(&job, job.linking(&compared)?, &compiler, &options.config)?;
    }
    let first = one(&job, args, &args.set, &folder)?;
    let mut reports = vec![first.report];
    if !args.compare.is_empty() {
        reports.push(one(&job, args, &compared, &folder.join("compared"))?.report);
        print(&format!("\n{}", compare::table(&reports[0], &reports[1], &args.compare.join(" "))));
    }
    if let Some(path) = &args.report {
        let json = match reports.as_slice() {
            [one] => one.json(),
            both => serde_json::to_string_pretty(both).unwrap_or_default() + "\n",
        };
        write_atomic(path, json.as_bytes())?;
    }
    Ok(if reports.iter().all(Report::passed) { Outcome::Pass } else { Outcome::Fail })
}

/// One run with these settings, its outputs and its printed report.
fn one(job: &Job, args: &RunArgs, sets: &[String], folder: &Path) -> Input<Finished> {
    let (options, compiler) = options(job, args, sets)?;
    let dispatches = Dispatches::of(job, job.linking(sets)?, &compiler, &options.config)?;
    dispatches.first().check_outputs(job, folder)?;
    let traced = watched::trace_file(args).is_some() || args.perfetto.is_some();
    if traced && args.engine == EngineKind::Golden {
        return bad("the golden model has no signals to trace", "leave out the trace, or choose another --engine");
    }
    let (prepared, mut done) = if args.engine == EngineKind::Golden {
        dispatches.run(&mut |prepared| Ok(simulate::golden(&prepared.launch, &options)))?
    } else {
        watched::job_on_rtl(dispatches, &options, args, sets, folder)?
    };
    finish(job, &prepared, &mut done, args, folder)?;
    Ok(done)
}

fn finish(job: &Job, prepared: &Prepared, done: &mut Finished, args: &RunArgs, folder: &Path) -> Input<()> {
    prepared.conclude(job, done, folder)?;
    let stopped = matches!(done.report.verdict, Verdict::Mismatch | Verdict::EngineFailure);
    if let Some(path) = args.png.as_ref().filter(|_| !stopped && done.report.hang.is_none()) {
        prepared.write_png(job, &done.image, path)?;
        done.report.outputs.push(watched::show(path));
    }
    print(&done.report.text());
    Ok(())
}
