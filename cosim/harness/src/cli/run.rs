//! `quadlock run`: a job from its file to verdict, outputs, report and waves.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::compare;
use super::outcome::{print, Outcome};
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::engine::Engine;
use crate::job::dispatches::Dispatches;
use crate::job::prepare::Prepared;
use crate::job::program::CompilerOptions;
use crate::job::settings;
use crate::job::{constants, Job, Size};
use crate::lockstep::replay::Checkpoint;
use crate::lockstep::{Observer, Options};
use crate::machine::signals::Window;
use crate::observe::gtkw;
use crate::observe::perfetto::Perfetto;
use crate::observe::wave::{Trace, Traced};
use crate::report::{Report, Verdict};
use crate::scene::heat::HeatKind;
use crate::scene::layout::Frame;
use crate::scene::machine;
use crate::scene::run::Drawn;
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
    let traced = trace_file(args).is_some() || args.perfetto.is_some();
    if traced && args.engine == EngineKind::Golden {
        return bad("the golden model has no signals to trace", "leave out the trace, or choose another --engine");
    }
    let single = dispatches.count() == 1;
    if traced && !single {
        return bad("a trace is of one dispatch", "leave out the trace, or write a job with the dispatch alone");
    }
    let (prepared, mut done) = dispatches.run(&mut |prepared| match args.engine {
        EngineKind::Golden => Ok(simulate::golden(&prepared.launch, &options)),
        _ => on_rtl(prepared, &options, args, sets, folder, single),
    })?;
    finish(job, &prepared, &mut done, args, folder)?;
    Ok(done)
}

/// The trace asked for. A file's format is that of the option, so its name has to end accordingly.
fn trace_file(args: &RunArgs) -> Option<&Path> {
    args.vcd.as_deref().or(args.fst.as_deref())
}

fn check_trace_name(args: &RunArgs) -> Input<()> {
    for (option, path) in [("vcd", &args.vcd), ("fst", &args.fst)] {
        if let Some(path) = path {
            if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case(option)) {
                let name = path.display();
                return bad(format!("--{option} {name}: not called .{option}"), format!("for example {name}.{option}"));
            }
        }
    }
    Ok(())
}

/// What simulates the RTL: `--engine rust-hdl` is short for `--engine rtl --rtl rust-hdl`.
fn simulator(args: &RunArgs) -> Simulator {
    if args.engine == EngineKind::RustHdl {
        Simulator::RustHdl
    } else {
        args.rtl
    }
}

/// A dispatch on the RTL; with `single` it is the only one.
fn on_rtl(
    prepared: &Prepared,
    options: &Options,
    args: &RunArgs,
    sets: &[String],
    folder: &Path,
    single: bool,
) -> Input<Finished> {
    check_trace_name(args)?;
    let limit = args.to.is_none().then_some(args.wave_limit << 20);
    let window = Window { from: args.from, to: args.to, scopes: args.scope.clone(), limit };
    let path = trace_file(args);
    let engine = simulator(args).engine(&options.config);
    let mut engine = engine.or_else(|e| bad(e, "correct [machine] or --set"))?;
    let trace = path.map(|path| Trace::create(path, &mut *engine, window)).transpose()?;
    let perfetto = args.perfetto.as_ref().map(|_| Perfetto::new(&options.config));
    let perfetto = perfetto.map(|p| p.window(args.from, args.to).lines(&prepared.launch.lines));
    let mut watch = Watch { trace, perfetto, bar: progress_bar() };
    let (mut done, checkpoint) = if watch.trace.is_some() {
        (simulate::on_engine(&mut *engine, &prepared.launch, options, &mut watch), None)
    } else {
        simulate::on_engine_kept(&mut *engine, &prepared.launch, options, &mut watch)
    };
    watch.bar.finish_and_clear();
    if let Some(checkpoint) = checkpoint {
        let outputs = replay(checkpoint, &mut *engine, args, folder, &mut done.report)?;
        done.report.outputs.extend(outputs);
    }
    let command = reproduce(args, sets, folder, Some(&done.report).filter(|_| single));
    for mismatch in &mut done.report.mismatches {
        mismatch.reproduce = Some(command.clone());
    }
    if let (Some(perfetto), Some(path)) = (watch.perfetto, &args.perfetto) {
        perfetto.write(path)?;
        done.report.outputs.push(show(path));
    }
    if let (Some(trace), Some(path)) = (watch.trace, path) {
        let traced = trace.finish(&mut *engine)?;
        done.report.outputs.extend(written(path, &traced, failing_cycle(&done.report))?);
    }
    Ok(done)
}

/// A scene on the RTL, with the waves and the Perfetto trace that are asked for.
///
/// # Errors
/// The machine cannot be built, the frame not be drawn by the model, a file not be written.
pub fn scene_on_rtl(args: &RunArgs, name: &str, sets: &[String], frame: &Frame, options: &Options) -> Input<Drawn> {
    check_trace_name(args)?;
    let limit = args.to.is_none().then_some(args.wave_limit << 20);
    let window = Window { from: args.from, to: args.to, scopes: args.scope.clone(), limit };
    let path = trace_file(args);
    let engine = simulator(args).engine(&options.config);
    let mut engine = engine.or_else(|e| bad(e, "correct [machine] or --set"))?;
    let trace = path.map(|path| Trace::create(path, &mut *engine, window)).transpose()?;
    let perfetto = args.perfetto.as_ref().map(|_| Perfetto::new(&options.config));
    let perfetto = perfetto.map(|p| p.window(args.from, args.to));
    let mut watch = Watch { trace, perfetto, bar: progress_bar() };
    let launch = match frame.start(name, &args.job, options)? {
        Ok(launch) => launch,
        Err(drawn) => return Ok(*drawn),
    };
    let perfetto_lines = watch.perfetto.take().map(|p| p.lines(&launch.lines));
    watch.perfetto = perfetto_lines;
    let heat = args.heat()?.map_or(HeatKind::Quads, |h| h.0);
    let (mut done, checkpoint) = machine::on_rtl_with(&mut *engine, frame, &launch, options, heat, &mut watch);
    watch.bar.finish_and_clear();
    if let (Some(perfetto), Some(path)) = (watch.perfetto, &args.perfetto) {
        perfetto.write(path)?;
        done.report.outputs.push(show(path));
    }
    if let (Some(trace), Some(path)) = (watch.trace, path) {
        let traced = trace.finish(&mut *engine)?;
        let failed = done.run.as_ref().and_then(failing_cycle);
        done.report.outputs.extend(written(path, &traced, failed)?);
    } else if let (Some(checkpoint), Some(run)) = (checkpoint, &mut done.run) {
        let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(name));
        done.report.outputs.extend(replay(checkpoint, &mut *engine, args, &folder, run)?);
    }
    if let Some(run) = done.run.as_mut().filter(|run| run.verdict != Verdict::Pass) {
        let command =
            reproduce(args, sets, &args.out.clone().unwrap_or_else(|| Path::new("out").join(name)), Some(run));
        run.mismatches.iter_mut().for_each(|m| m.reproduce = Some(command.clone()));
        done.report.mismatches.clone_from(&run.mismatches);
        done.report.problems = run.problems.clone();
        done.report.problems.extend(run.mismatches.iter().map(ToString::to_string));
        done.report.problems.extend(run.hang.iter().map(ToString::to_string));
        if run.mismatches.is_empty() {
            done.report.problems.push(format!("again: {command}"));
        }
    }
    Ok(done)
}

/// Cycle that a wave view of a failed run is to show.
fn failing_cycle(report: &Report) -> Option<u64> {
    let mismatch = report.mismatches.first().map(|m| m.cycle);
    mismatch.or_else(|| report.hang.as_ref().and_then(|h| h.cycle))
}

/// Goes back from a failure and runs up to it again with waves of everything, to `failure.fst` in
/// the output folder. Lines for the report's outputs.
fn replay(
    checkpoint: Checkpoint<'_>,
    engine: &mut dyn Engine,
    args: &RunArgs,
    folder: &Path,
    report: &mut Report,
) -> Input<Vec<String>> {
    let window = Window { from: checkpoint.cycle(), to: None, scopes: args.scope.clone(), limit: None };
    let twin = checkpoint.traced(engine, &window).or_else(|e| bad(e, "trace the run itself, with --fst FILE"))?;
    let Some(mut twin) = twin else { return Ok(vec![]) };
    let path = folder.join("failure.fst");
    let trace = Trace::create(&path, &mut *twin, window)?;
    let mut watch = Watch { trace: Some(trace), perfetto: None, bar: ProgressBar::hidden() };
    let again = checkpoint.replay(&mut *twin, &mut watch);
    let Some(trace) = watch.trace else { return Ok(vec![]) };
    let traced = trace.finish(&mut *twin)?;
    let outputs = written(&path, &traced, failing_cycle(report))?;
    if report.cycles.is_some_and(|c| c + FAILURE_TAIL != again.cycles) {
        let text = format!("the replay with waves ended in cycle {}: the run does not repeat", again.cycles);
        report.problem(Verdict::EngineFailure, text);
    }
    Ok(outputs)
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

/// Writes the views of a trace; lines for the report's outputs.
fn written(path: &Path, traced: &Traced, failed: Option<u64>) -> Input<Vec<String>> {
    let files = gtkw::write(path, traced, failed)?;
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    let mut text = format!("{} ({:.1} MB, {} signals)", path.display(), size as f64 / 1e6, traced.signals.len());
    if let Some(cycle) = traced.full {
        text += &format!("; full at cycle {cycle}: choose a window with --from, --to, --scope, or --wave-limit");
    }
    let views = files.iter().filter(|f| f.extension().is_some_and(|e| e == "gtkw")).map(|f| show(f));
    Ok(std::iter::once(text).chain(views).collect())
}

/// The command that shows a failure again, with waves around it.
fn reproduce(args: &RunArgs, sets: &[String], folder: &Path, report: Option<&Report>) -> String {
    let mut command = format!("quadlock run {}", args.job.display());
    if args.small {
        command += " --small";
    }
    if simulator(args) == Simulator::RustHdl {
        command += " --rtl rust-hdl";
    }
    for set in sets {
        command += &format!(" --set {set}");
    }
    for constant in &args.constant {
        command += &format!(" --constant {constant}");
    }
    if let Some(seed) = args.seed {
        command += &format!(" --seed {seed}");
    }
    if let Some(m) = report.and_then(|r| r.mismatches.first()) {
        let format = if simulator(args) == Simulator::RustHdl { "vcd" } else { "fst" };
        let file = folder.join(format!("mismatch.{format}"));
        command +=
            &format!(" --{format} {} --from {} --to {}", file.display(), m.cycle.saturating_sub(400), m.cycle + 100);
    }
    command
}

fn finish(job: &Job, prepared: &Prepared, done: &mut Finished, args: &RunArgs, folder: &Path) -> Input<()> {
    prepared.conclude(job, done, folder)?;
    let stopped = matches!(done.report.verdict, Verdict::Mismatch | Verdict::EngineFailure);
    if let Some(path) = args.png.as_ref().filter(|_| !stopped && done.report.hang.is_none()) {
        prepared.write_png(job, &done.image, path)?;
        done.report.outputs.push(show(path));
    }
    print(&done.report.text());
    Ok(())
}

/// Cycles of waves after a failure.
const FAILURE_TAIL: u64 = 100;

/// Trace and progress.
struct Watch {
    trace: Option<Trace>,
    perfetto: Option<Perfetto>,
    bar: ProgressBar,
}

/// A spinner on a terminal, nothing elsewhere.
fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} cycle {pos}  {per_sec}  {elapsed}") {
        bar.set_style(style);
    }
    bar
}

impl Observer for Watch {
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine) {
        if let Some(trace) = &mut self.trace {
            trace.cycle(cycle, engine);
        }
        if let Some(perfetto) = &mut self.perfetto {
            perfetto.cycle(cycle, engine.outputs());
        }
        if cycle % 4096 == 0 {
            self.bar.set_position(cycle);
        }
    }

    fn tail(&self) -> u64 {
        if self.trace.is_some() {
            FAILURE_TAIL
        } else {
            0
        }
    }
}
