//! A job or a scene on the RTL with what watches it: waves, the Perfetto trace, progress; and the
//! waves of a failure.
//!
//! The dispatches of a job are one run: one machine, which is reset in between while the number of
//! its cycle goes on, and so one trace. A window's cycles are those of the whole run. Wrong would
//! be a cycle that is of a dispatch in one place and of the run in another: lockstep counts in
//! cycles of the run from the start ([`crate::machine::launch::Dispatch`]).

use std::path::Path;

use quadlock_hdl::config::GpuConfig;

use super::args::RunArgs;
use super::gauge::{self, Gauge};
use crate::base::error::{bad, Input};
use crate::base::phases::phase;
use crate::base::shell::{quoted, quoted_path};
use crate::engine::Engine;
use crate::job::dispatches::Dispatches;
use crate::job::prepare::Prepared;
use crate::lockstep::replay::Checkpoint;
use crate::lockstep::{Observer, Options};
use crate::machine::signals::Window;
use crate::observe::gtkw;
use crate::observe::perfetto::Perfetto;
use crate::observe::wave::{Trace, Traced};
use crate::report::{Report, Verdict};
use crate::scene::accounts::heat::HeatKind;
use crate::scene::accounts::report::SceneReport;
use crate::scene::machine::layout::Frame;
use crate::scene::machine::rtl;
use crate::scene::machine::run::{golden, Drawn};
use crate::simulate::{self, EngineKind, Finished, Simulator};

/// The trace asked for. A file's format is that of the option, so its name has to end accordingly.
pub(super) fn trace_file(args: &RunArgs) -> Option<&Path> {
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

/// The machine of a run, and what watches it.
struct Watched<'a> {
    args: &'a RunArgs,
    engine: Box<dyn Engine>,
    watch: Watch<'a>,
}

impl<'a> Watched<'a> {
    /// Begins the traces that are asked for; of a run of several dispatches, with their numbers.
    fn new(args: &'a RunArgs, config: &GpuConfig, several: bool) -> Input<Self> {
        check_trace_name(args)?;
        let limit = args.to.is_none().then_some(args.wave_limit << 20);
        let window = Window { from: args.from, to: args.to, scopes: args.scope.clone(), limit };
        if simulator(args) == Simulator::RustHdl {
            crate::engine::rusthdl::present().or_else(|e| bad(e, "leave out --engine and --rtl"))?;
        }
        let mut engine = simulator(args).engine(config).or_else(|e| bad(e, "correct [machine] or --set"))?;
        if several {
            engine.begin_dispatch(1);
        }
        let trace = trace_file(args).map(|path| Trace::create(path, &mut *engine, window)).transpose()?;
        let perfetto = args.perfetto.as_ref().map(|_| Perfetto::new(config).window(args.from, args.to));
        Ok(Self { args, engine, watch: Watch { trace, perfetto, gauge: Gauge::new() } })
    }

    /// Runs a dispatch of a job.
    fn dispatch(&mut self, prepared: &Prepared, options: &Options, folder: &Path) -> Input<Finished> {
        let (launch, args) = (&prepared.launch, self.args);
        if let Some(d) = &launch.dispatch {
            if d.number > 1 {
                self.engine.begin_dispatch(d.number);
            }
            self.watch.perfetto.iter_mut().for_each(|p| p.begin_dispatch(d.number));
        }
        self.watch.perfetto.iter_mut().for_each(|p| p.set_lines(&launch.lines));
        let (mut done, checkpoint) = if self.watch.trace.is_some() {
            (simulate::on_engine(&mut *self.engine, launch, options, &mut self.watch), None)
        } else {
            simulate::on_engine_kept(&mut *self.engine, launch, options, &mut self.watch)
        };
        if let Some(checkpoint) = checkpoint {
            let outputs = replay(checkpoint, &mut *self.engine, args, folder, &mut done.report)?;
            done.report.outputs.extend(outputs);
        }
        Ok(done)
    }

    /// Writes the traces; lines for the report's outputs. The view shows the cycle of a failure.
    fn finish(mut self, failed: Option<u64>) -> Input<Vec<String>> {
        let mut outputs = vec![];
        if let (Some(perfetto), Some(path)) = (self.watch.perfetto, &self.args.perfetto) {
            perfetto.write(path)?;
            outputs.push(show(path));
        }
        if let (Some(trace), Some(path)) = (self.watch.trace, trace_file(self.args)) {
            let traced = trace.finish(&mut *self.engine)?;
            outputs.extend(written(path, &traced, failed)?);
        }
        Ok(outputs)
    }
}

/// All dispatches of a job on the RTL. The last one that ran, and all of them in one report.
///
/// # Errors
/// The machine cannot be built, a dispatch not be bound, a file not be written.
pub(super) fn job_on_rtl<'a>(
    dispatches: Dispatches,
    options: &'a Options,
    args: &'a RunArgs,
    folder: &Path,
) -> Input<(Prepared, Finished)> {
    let mut watched = Watched::new(args, &options.config, dispatches.count() > 1)?;
    if watched.watch.gauge.is_shown() {
        let ahead = dispatches.clone();
        watched.watch.gauge.set_total(Box::new(move || gauge::of_job(ahead, options)));
    }
    let run = || dispatches.run(&mut |prepared| watched.dispatch(prepared, options, folder));
    let (prepared, mut done) = phase("run", run)?;
    watched.watch.gauge.end();
    done.report.outputs.extend(watched.finish(failing_cycle(&done.report))?);
    Ok((prepared, done))
}

/// A scene on the RTL, with the waves and the Perfetto trace that are asked for.
///
/// # Errors
/// The machine cannot be built, the frame not be drawn by the model, a file not be written.
pub fn scene_on_rtl<'a>(args: &'a RunArgs, name: &'a str, frame: &'a Frame, options: &'a Options) -> Input<Drawn> {
    let mut watched = Watched::new(args, &options.config, false)?;
    let launch = match phase("golden model", || frame.start(name, &args.job, options))? {
        Ok(launch) => launch,
        Err(drawn) => return Ok(*drawn),
    };
    let of_frame = launch.frame.as_ref().and_then(|frame| frame.instructions);
    watched.watch.gauge.set_total(Box::new(move || {
        let model = || golden(name, frame, options.model_fault).report;
        of_frame.or_else(|| Some(model()).filter(SceneReport::passed).map(|report| report.run.retired))
    }));
    watched.watch.perfetto.iter_mut().for_each(|p| p.set_lines(&launch.lines));
    let heat = args.heat()?.map_or(HeatKind::Quads, |h| h.0);
    let (engine, watch) = (&mut *watched.engine, &mut watched.watch);
    let run = || rtl::on_rtl_with(engine, frame, &launch, options, heat, watch);
    let (mut done, checkpoint) = phase("run", run);
    watched.watch.gauge.end();
    let (folder, report) = (args.folder(name), &mut done.report.run);
    let replayed = match checkpoint {
        Some(checkpoint) if watched.watch.trace.is_none() => {
            replay(checkpoint, &mut *watched.engine, args, &folder, report)?
        }
        _ => vec![],
    };
    report.outputs.extend(watched.finish(failing_cycle(report))?);
    report.outputs.extend(replayed);
    Ok(done)
}

/// Puts the command that shows a failure again into its report: into a mismatch with waves around
/// it.
pub fn again(report: &mut Report, args: &RunArgs, sets: &[String], folder: &Path) {
    if !report.passed() {
        let command = reproduce(args, sets, folder, report);
        report.mismatches.iter_mut().for_each(|m| m.reproduce = Some(command.clone()));
        report.reproduce = Some(command);
    }
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
    let mut watch = Watch { trace: Some(trace), perfetto: None, gauge: Gauge::hidden() };
    let again = phase("replay with waves", || checkpoint.replay(&mut *twin, &mut watch));
    let Some(trace) = watch.trace else { return Ok(vec![]) };
    let traced = trace.finish(&mut *twin)?;
    let outputs = written(&path, &traced, failing_cycle(report))?;
    if report.cycles.is_some_and(|c| c + FAILURE_TAIL != again.cycles) {
        let text = format!("the replay with waves ended in cycle {}: the run does not repeat", again.cycles);
        report.problem(Verdict::EngineFailure, text);
    }
    Ok(outputs)
}

pub(super) fn show(path: &Path) -> String {
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
fn reproduce(args: &RunArgs, sets: &[String], folder: &Path, report: &Report) -> String {
    let mut command = format!("quadlock run {}", quoted_path(&args.job));
    if args.small {
        command += " --small";
    }
    match args.engine {
        EngineKind::Rtl | EngineKind::RustHdl => command += " --engine rtl",
        EngineKind::Golden => command += " --engine golden",
        EngineKind::Lockstep => {}
    }
    if simulator(args) == Simulator::RustHdl {
        command += " --rtl rust-hdl";
    }
    for set in sets {
        command += &format!(" --set {}", quoted(set));
    }
    for constant in &args.constant {
        command += &format!(" --constant {}", quoted(constant));
    }
    if let Some(seed) = args.seed {
        command += &format!(" --seed {seed}");
    }
    if let Some(m) = report.mismatches.first() {
        let format = if simulator(args) == Simulator::RustHdl { "vcd" } else { "fst" };
        let file = folder.join(format!("mismatch.{format}"));
        let (file, first, last) = (quoted_path(&file), m.cycle.saturating_sub(400), m.cycle + 100);
        command += &format!(" --{format} {file} --from {first} --to {last}");
    }
    command
}

/// Cycles of waves after a failure.
const FAILURE_TAIL: u64 = 100;

/// Trace and progress.
struct Watch<'a> {
    trace: Option<Trace>,
    perfetto: Option<Perfetto>,
    gauge: Gauge<'a>,
}

impl Observer for Watch<'_> {
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine) {
        if let Some(trace) = &mut self.trace {
            trace.cycle(cycle, engine);
        }
        if let Some(perfetto) = &mut self.perfetto {
            perfetto.cycle(cycle, engine.outputs());
        }
        self.gauge.cycle(cycle, engine);
    }

    fn tail(&self) -> u64 {
        if self.trace.is_some() {
            FAILURE_TAIL
        } else {
            0
        }
    }
}
