//! `quadlock run`: a job from its file to verdict, outputs, report and waves.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{print, Outcome};
use crate::engine::rusthdl::RustHdl;
use crate::engine::Engine;
use crate::error::{bad, Input};
use crate::files::write_atomic;
use crate::gtkw;
use crate::job::prepare::Prepared;
use crate::job::Job;
use crate::lockstep::{Observer, Options};
use crate::program;
use crate::report::Verdict;
use crate::simulate::{self, AnyFault, EngineKind, Finished};
use crate::wave::{Trace, Traced, Window};

#[derive(Args, Debug)]
pub struct RunArgs {
    /// Job file (docs/jobs.md)
    job: PathBuf,
    #[arg(long, value_enum, default_value = "lockstep")]
    engine: EngineKind,
    /// The full size that the job's [full] part describes
    #[arg(long)]
    full: bool,
    /// Write a VCD trace, with a GTKWave view beside it
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// First cycle of the trace
    #[arg(long, value_name = "CYCLE", default_value_t = 0)]
    from: u64,
    /// Last cycle of the trace
    #[arg(long, value_name = "CYCLE")]
    to: Option<u64>,
    /// Scope of the trace with all that is inside, as in gpu.units$0; may be repeated
    #[arg(long, value_name = "PATH")]
    scope: Vec<String>,
    /// Most megabytes of the trace; it ends with the cycle that reaches them
    #[arg(long, value_name = "MB", default_value_t = 48)]
    vcd_limit: u64,
    /// Change a setting: units, warps, icache-lines, shared-words, latency, jitter, stall, seed, cycles, idle, fault
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder of the outputs [default: out/JOB NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the job's picture output to this file as well
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write the report as JSON (docs/report.md)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Seed of the memory's timing; the same as --set seed=N
    #[arg(long)]
    seed: Option<u64>,
}

/// A `KEY=VALUE` of `--set`.
fn setting(text: &str) -> Input<(&str, &str)> {
    match text.split_once('=') {
        Some(pair) => Ok(pair),
        None => bad(format!("--set {text}: not KEY=VALUE"), "for example --set units=1"),
    }
}

fn number<T: std::str::FromStr>(key: &str, value: &str) -> Input<T> {
    value.parse().or_else(|_| {
        bad(format!("--set {key}={value}: not a number that {key} can have"), "give a whole number, not negative")
    })
}

/// The run's options: the job's, changed by `--set` and `--seed`. Also the planted compiler fault.
fn options(job: &Job, args: &RunArgs) -> Input<(Options, Option<AnyFault>)> {
    let mut options = Options {
        config: job.config(None, None)?,
        memory: job.spec.memory,
        limits: job.spec.limits,
        model: args.engine == EngineKind::Lockstep,
        model_fault: None,
    };
    let mut fault = None;
    for text in &args.set {
        let (key, value) = setting(text)?;
        match key {
            "units" => options.config.units = number(key, value)?,
            "warps" => options.config.warps = number(key, value)?,
            "icache-lines" => options.config.icache_lines = number(key, value)?,
            "shared-words" => options.config.shared_words = number(key, value)?,
            "latency" => options.memory.latency = number(key, value)?,
            "jitter" => options.memory.jitter = number(key, value)?,
            "stall" => options.memory.stall = number(key, value)?,
            "seed" => options.memory.seed = number(key, value)?,
            "cycles" => options.limits.cycles = number(key, value)?,
            "idle" => options.limits.idle = number(key, value)?,
            "fault" => match value.parse::<AnyFault>() {
                Ok(f) => fault = Some(f),
                Err(e) => return bad(format!("--set {text}: {e}"), "write rtl:NAME, model:NAME or compiler:NAME"),
            },
            _ => {
                let keys =
                    "units, warps, icache-lines, shared-words, latency, jitter, stall, seed, cycles, idle, fault";
                return bad(format!("--set {text}: there is no setting `{key}`"), format!("settings: {keys}"));
            }
        }
    }
    options.memory.seed = args.seed.unwrap_or(options.memory.seed);
    match fault {
        Some(AnyFault::Rtl(f)) => options.config.fault = Some(f),
        Some(AnyFault::Model(f)) => options.model_fault = Some(f),
        _ => {}
    }
    let settings = options.config.check().and_then(|()| options.memory.check());
    settings.or_else(|e| bad(e, "correct --set or the job file"))?;
    Ok((options, fault))
}

pub fn run(args: &RunArgs) -> Input<Outcome> {
    if args.to.is_some_and(|to| to < args.from) {
        return bad("--to is before --from", "give the first and the last cycle of the trace in order");
    }
    let job = Job::read(&args.job, args.full)?;
    let (options, fault) = options(&job, args)?;
    let compiler_fault = match fault {
        Some(AnyFault::Compiler(f)) => Some(f),
        _ => None,
    };
    let binary = program::of_job(&job, compiler_fault)?;
    let prepared = job.prepare(&binary, &options.config)?;
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(&job.spec.name));
    let mut done = match args.engine {
        EngineKind::Golden if args.vcd.is_some() => {
            return bad("the golden model has no signals to trace", "leave out --vcd, or choose another --engine");
        }
        EngineKind::Golden => simulate::golden(&prepared.launch, &options),
        _ => on_rtl(&prepared, &options, args, &folder)?,
    };
    finish(&job, &prepared, &mut done, args, &folder)
}

fn on_rtl(prepared: &Prepared, options: &Options, args: &RunArgs, folder: &Path) -> Input<Finished> {
    let mut engine = RustHdl::new(&options.config).or_else(|e| bad(e, "correct [machine] or --set"))?;
    let trace = match &args.vcd {
        Some(path) => {
            let limit = (args.to.is_none()).then_some(args.vcd_limit << 20);
            let window = Window { from: args.from, to: args.to, scopes: args.scope.clone(), limit };
            Some(Trace::create(path, &engine, window)?)
        }
        None => None,
    };
    let mut watch = Watch { trace, bar: progress_bar() };
    let mut done = simulate::on_engine(&mut engine, &prepared.launch, options, &mut watch);
    watch.bar.finish_and_clear();
    let command = reproduce(args, folder, &done);
    for mismatch in &mut done.report.mismatches {
        mismatch.reproduce = Some(command.clone());
    }
    if let (Some(trace), Some(path)) = (watch.trace, &args.vcd) {
        let traced = trace.finish()?;
        let marker = done.report.mismatches.first().map(|m| m.cycle);
        let files = gtkw::write(path, &traced, marker)?;
        note_trace(&mut done, path, &traced);
        done.report
            .outputs
            .extend(files.iter().filter(|f| f.extension().is_some_and(|e| e == "gtkw")).map(|f| show(f)));
    }
    Ok(done)
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

fn note_trace(done: &mut Finished, path: &Path, traced: &Traced) {
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    let mut text = format!("{} ({:.1} MB, {} signals)", path.display(), size as f64 / 1e6, traced.signals.len());
    if let Some(cycle) = traced.full {
        text += &format!("; full at cycle {cycle}: choose a window with --from, --to, --scope, or --vcd-limit");
    }
    done.report.outputs.push(text);
}

/// The command that shows a failure again, with waves around it.
fn reproduce(args: &RunArgs, folder: &Path, done: &Finished) -> String {
    let mut command = format!("quadlock run {}", args.job.display());
    if args.full {
        command += " --full";
    }
    for set in &args.set {
        command += &format!(" --set {set}");
    }
    if let Some(seed) = args.seed {
        command += &format!(" --seed {seed}");
    }
    if let Some(m) = done.report.mismatches.first() {
        let file = folder.join("mismatch.vcd");
        command += &format!(" --vcd {} --from {} --to {}", file.display(), m.cycle.saturating_sub(400), m.cycle + 100);
    }
    command
}

fn finish(job: &Job, prepared: &Prepared, done: &mut Finished, args: &RunArgs, folder: &Path) -> Input<Outcome> {
    // A run that was stopped has no results: what stands in the output folder from an earlier run stays.
    if !matches!(done.report.verdict, Verdict::Mismatch | Verdict::Hang | Verdict::EngineFailure) {
        for wrong in prepared.compare(job, &done.image)? {
            done.report.problem(Verdict::WrongOutput, wrong);
        }
        let files = prepared.write_outputs(job, &done.image, folder)?;
        done.report.outputs.extend(files.iter().map(|f| show(f)));
        if let Some(path) = &args.png {
            prepared.write_png(job, &done.image, path)?;
            done.report.outputs.push(show(path));
        }
    }
    if let Some(path) = &args.report {
        write_atomic(path, done.report.json().as_bytes())?;
    }
    print(&done.report.text());
    Ok(if done.report.passed() { Outcome::Pass } else { Outcome::Fail })
}

/// Trace and progress.
struct Watch {
    trace: Option<Trace>,
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
    fn cycle(&mut self, cycle: u64, engine: &dyn Engine) {
        if let Some(trace) = &mut self.trace {
            trace.cycle(cycle, engine);
        }
        if cycle % 64 == 0 {
            self.bar.set_position(cycle);
        }
    }

    fn tail(&self) -> u64 {
        if self.trace.is_some() {
            100
        } else {
            0
        }
    }
}
