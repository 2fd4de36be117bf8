//! One run of a launch on a chosen engine, with its report: RTL and model in lockstep, RTL alone,
//! or the golden model alone. The command line, the fuzzer and the tests all run through here, so a
//! verdict means the same everywhere.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use quadlock_golden::{Golden, RunError, RunStats, Strays};
use quadlock_hdl::base::like::did_you_mean;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_shader::fault::CompilerFault;

use crate::base::error::{bad, Input};
use crate::base::manners::{verbosity, Verbosity};
use crate::base::phases::phase;
use crate::engine::rtlsim::{self, Rtlsim};
use crate::engine::rusthdl::RustHdl;
use crate::engine::Engine;
use crate::lockstep::hang::HangKind;
use crate::lockstep::ownership::{form, By, Form, Holder, Ownership};
use crate::lockstep::replay::Checkpoint;
use crate::lockstep::wrong::{faults_of_model, Faults, Protocol, Traps, Warning, Wrong};
use crate::lockstep::{self, grid, Observer, Options, Quiet, RunResult};
use crate::machine::launch::{Dispatch, Launch, Left};
use crate::machine::memory::Image;
use crate::report::hang::Hang;
use crate::report::{problems, Report, Verdict};

/// Simulator of the RTL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Simulator {
    /// The exported Verilog, compiled by rtlsim
    #[default]
    Rtlsim,
    /// rust-hdl's own engine, about a thousand times slower, as a second opinion
    RustHdl,
}

impl Simulator {
    /// The core of that configuration, in its start state.
    ///
    /// # Errors
    /// The core cannot be built, in words.
    pub fn engine(self, config: &GpuConfig) -> Result<Box<dyn Engine>, String> {
        Ok(match self {
            Self::Rtlsim => {
                if verbosity() == Verbosity::Verbose {
                    // By itself only so that its time can be told: the engine would make it, too.
                    phase("export, parse", || rtlsim::design(config))?;
                }
                Box::new(phase("passes, plan, code", || Rtlsim::new(config))?)
            }
            Self::RustHdl => Box::new(RustHdl::new(config)?),
        })
    }
}

/// What runs a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// RTL and golden model; every retired instruction is compared
    Lockstep,
    /// The RTL alone
    Rtl,
    /// The golden model alone
    Golden,
    /// The RTL alone, on rust-hdl's own engine: short for --engine rtl --rtl rust-hdl
    RustHdl,
}

/// What is said of a planted bug that a run did not find.
const UNSEEN_FAULT: &str =
    "the planted fault was not found: the machine may have no such block, or the run may not reach it";

/// Puts it into the warnings of a run that passes with a planted bug, of machine, model or
/// compiler.
pub fn tell_unseen_fault(report: &mut Report, options: &Options, in_compiler: bool) {
    let planted = options.config.fault.is_some() || options.model_fault.is_some() || in_compiler;
    if planted && report.passed() {
        report.warnings.push(UNSEEN_FAULT.into());
    }
}

impl EngineKind {
    /// Refuses a planted bug in what this engine does not run: the run would pass, as if nothing
    /// could find the bug.
    ///
    /// # Errors
    /// It would, and what to do.
    pub fn refuse_fault(self, options: &Options) -> Input<()> {
        let (rtl, model) = (options.config.fault.is_some(), options.model_fault.is_some());
        match self {
            Self::Golden if rtl => bad(
                "the planted fault is in the RTL, and the engine is the golden model alone",
                "leave out the engine, or plant a fault of the model (`quadlock faults`)",
            ),
            Self::Rtl | Self::RustHdl if model => bad(
                "the planted fault is in the golden model, and the engine is the RTL alone",
                "leave out the engine, or plant a fault of the RTL (`quadlock faults`)",
            ),
            _ => Ok(()),
        }
    }
}

/// A planted bug, wherever it sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyFault {
    /// In the hardware.
    Rtl(Fault),
    /// In the golden model.
    Model(quadlock_golden::Fault),
    /// In the compiler: the program is wrong on both sides.
    Compiler(CompilerFault),
}

impl AnyFault {
    /// (where, name, what is wrong) of every planted bug. Names that exist in several places are
    /// written `where:name`.
    pub fn all() -> Vec<(AnyFault, &'static str, &'static str, &'static str)> {
        let rtl = Fault::ALL.iter().map(|&(f, n, d)| (AnyFault::Rtl(f), "rtl", n, d));
        let model = quadlock_golden::Fault::ALL.iter().map(|&(f, n, d)| (AnyFault::Model(f), "model", n, d));
        let compiler = CompilerFault::ALL.iter().map(|&(f, n, d)| (AnyFault::Compiler(f), "compiler", n, d));
        rtl.chain(model).chain(compiler).collect()
    }
}

impl FromStr for AnyFault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (place, name) = text.split_once(':').map_or((None, text), |(p, n)| (Some(p), n));
        let found: Vec<_> =
            Self::all().into_iter().filter(|(_, p, n, _)| *n == name && place.is_none_or(|want| want == *p)).collect();
        match found.as_slice() {
            [one] => Ok(one.0),
            [] => {
                let like = did_you_mean(name, Self::all().iter().map(|f| f.2));
                Err(format!("there is no planted fault `{text}`{like}"))
            }
            many => {
                let names: Vec<String> = many.iter().map(|(_, p, n, _)| format!("{p}:{n}")).collect();
                Err(format!("`{text}` may be {}", names.join(" or ")))
            }
        }
    }
}

/// A finished run: its report and the memory afterwards.
pub struct Finished {
    /// What `quadlock run` prints.
    pub report: Report,
    /// Global memory after the run.
    pub image: Image,
    /// What the next start of the machine finds; only of a run of several.
    pub left: Option<Arc<Left>>,
}

/// Runs on the RTL, with the model beside it if `options.model`.
///
/// # Errors
/// The core cannot be built, in words.
pub fn rtl(launch: &Launch, options: &Options, observer: &mut dyn Observer) -> Result<Finished, String> {
    rtl_on(Simulator::default(), launch, options, observer)
}

/// The same on a simulator of choice.
///
/// # Errors
/// As [`rtl`].
pub fn rtl_on(
    simulator: Simulator,
    launch: &Launch,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Finished, String> {
    let mut engine = simulator.engine(&options.config)?;
    Ok(on_engine(&mut *engine, launch, options, observer))
}

/// As [`rtl_on`], so many starts of one machine, one after the other: each finds what the one
/// before left in it, and memory as it was before the first. `accept` says whether a start is as it
/// should be. The last one, with the figures of all; or the first one that is not.
///
/// # Errors
/// As [`rtl`].
pub fn rtl_starts(
    simulator: Simulator,
    launch: &Launch,
    options: &Options,
    starts: u32,
    accept: &dyn Fn(&mut Finished) -> bool,
) -> Result<Finished, String> {
    let mut engine = simulator.engine(&options.config)?;
    let mut launch = launch.clone();
    let mut all: Option<Finished> = None;
    let (mut first_cycle, mut left) = (0, None);
    for number in 1..=starts.max(1) {
        if starts > 1 {
            launch.dispatch = Some(Dispatch { number, first_cycle, left });
        }
        let mut done = on_engine(&mut *engine, &launch, options, &mut Quiet);
        if !accept(&mut done) {
            if starts > 1 {
                done.report.problems.push(format!("start {number} of {starts} was the last that ran"));
            }
            return Ok(done);
        }
        first_cycle += done.report.cycles.unwrap_or(0);
        left = done.left.take();
        if let Some(before) = all.take() {
            let mut report = before.report;
            report.add(done.report);
            done.report = report;
        }
        all = Some(done);
    }
    all.ok_or_else(|| "no start".into())
}

/// As [`rtl`], on an engine that exists already.
pub fn on_engine(engine: &mut dyn Engine, launch: &Launch, options: &Options, observer: &mut dyn Observer) -> Finished {
    finished(launch, options, lockstep::run(engine, launch, options, observer))
}

/// As [`on_engine`]; also the state to go back to if the run failed.
pub fn on_engine_kept<'a>(
    engine: &mut dyn Engine,
    launch: &'a Launch,
    options: &'a Options,
    observer: &mut dyn Observer,
) -> (Finished, Option<Checkpoint<'a>>) {
    let (result, checkpoint) = lockstep::run_kept(engine, launch, options, observer);
    (finished(launch, options, result), checkpoint)
}

fn finished(launch: &Launch, options: &Options, result: RunResult) -> Finished {
    let mut report = Report::of_run(launch, options.model, &result);
    report.warnings.splice(0..0, launch.warnings.iter().cloned());
    Finished { report, image: result.image, left: result.left.map(Arc::new) }
}

/// Warp instructions after which the model alone is given up: what the machine could retire within
/// `[limits] cycles`, one per cycle and unit.
fn golden_limit(options: &Options) -> u64 {
    options.limits.cycles.saturating_mul(options.config.total_units() as u64)
}

/// Runs on the golden model alone.
pub fn golden(launch: &Launch, options: &Options) -> Finished {
    golden_in(launch, options, None).0
}

/// As [`golden`]; stores outside these regions (first byte address, bytes) are counted and have no
/// effect.
pub fn golden_in(launch: &Launch, options: &Options, regions: Option<Vec<(u32, u32)>>) -> (Finished, Strays) {
    let start = Instant::now();
    let mut golden = lockstep::golden(launch, &options.config, options.model_fault);
    if let Some(regions) = regions {
        golden.confine(regions);
    }
    if launch.has_locks() {
        golden.watch(launch.locks.iter().map(|l| (l.first, l.count, l.step)).collect());
    }
    let run = match &launch.threads {
        Some(list) => golden.run_threads(&list.threads, golden_limit(options)),
        None => golden.run_grid(&grid(launch, &options.config), golden_limit(options)),
    };
    let seconds = start.elapsed().as_secs_f64();
    let (stats, failure) = match run {
        Ok(stats) => (stats, None),
        Err(e) => (stats_of(&e), Some(e)),
    };
    let ownership = ownership(launch, &golden);
    let mut report = Report::of_model(&launch.name, launch.groups(), &stats, seconds);
    report.lock_handovers = Some(ownership.handovers());
    report.constants.clone_from(&launch.constants_given);
    let warning = ownership.warning().map(|(n, first)| problems::warning(&Warning::Foreign(n, first), launch));
    report.warnings = launch.warnings.iter().cloned().chain(warning).collect();
    match &failure {
        Some(RunError::Deadlock { .. }) => {
            report.hang = Some(Hang::of_model(HangKind::Stuck, &golden, &ownership, launch))
        }
        Some(RunError::Limit { .. }) => {
            report.hang = Some(Hang::of_model(HangKind::CycleLimit, &golden, &ownership, launch))
        }
        Some(RunError::Refused(_)) | None => {}
    }
    let wrong = Wrong {
        memory_fault: faults_of_model(&golden, None).map(|first| Faults { model: Some(first), port: None }),
        trap: Traps::of_model(&golden),
        // A collision is the cause of the others.
        protocol_error: Protocol::collision_of_model(launch, &golden)
            .or_else(|| Protocol::foreign(&ownership))
            .or_else(|| Protocol::of_model(&golden))
            .or_else(|| Protocol::unreleased(golden.unreleased())),
    };
    (report.verdict, report.problems) = problems::verdict(&wrong, launch, report.hang.is_some());
    if let Some(e @ RunError::Refused(_)) = failure {
        report.problem(Verdict::Hang, e.to_string());
    }
    let (base, strays) = (launch.image.base, golden.strays());
    let left =
        || Left { golden: Some(golden.clone()), retired: vec![], bank: launch.constant_bank(), triangles: [0; 2] };
    let left = launch.dispatch.is_some().then(|| Arc::new(left()));
    let bytes = golden.into_memory().into_bytes().split_off(base as usize);
    (Finished { report, image: Image { base, bytes }, left }, strays)
}

/// The locks of a run of the model alone, from its log.
fn ownership(launch: &Launch, golden: &Golden) -> Ownership {
    let mut ownership = Ownership::default();
    for c in golden.word_changes() {
        let by = By { who: Holder { unit: c.unit, warp: c.warp, launch: c.launch }, pc: c.pc };
        match (form(c.atomic, c.bytes.len() as u8), c.bytes.first()) {
            (Form::Lock, Some(&(addr, new))) => ownership.lock(launch, by, addr, new.into()),
            (form, _) => ownership.write(launch, by, form, &c.bytes),
        }
    }
    ownership
}

fn stats_of(error: &RunError) -> RunStats {
    match error {
        RunError::Refused(_) => RunStats::default(),
        RunError::Deadlock { stats, .. } | RunError::Limit { stats, .. } => *stats,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planted_fault_is_found_by_its_full_name() {
        for (fault, place, name, _) in AnyFault::all() {
            assert_eq!(format!("{place}:{name}").parse(), Ok(fault));
        }
        assert!("barrier-early"
            .parse::<AnyFault>()
            .unwrap_err()
            .contains("may be rtl:barrier-early or model:barrier-early"));
        assert!("nothing".parse::<AnyFault>().is_err());
    }

    /// Every engine runs the faults of what it has, and refuses the others.
    #[test]
    fn a_fault_in_what_does_not_run_is_refused() {
        let mut rtl = Options::default();
        rtl.config.fault = Some(Fault::ALL[0].0);
        let model = Options { model_fault: Some(quadlock_golden::Fault::ALL[0].0), ..Options::default() };
        let taken = |kind: EngineKind| [&rtl, &model, &Options::default()].map(|o| kind.refuse_fault(o).is_ok());
        assert_eq!(taken(EngineKind::Lockstep), [true, true, true]);
        assert_eq!(taken(EngineKind::Golden), [false, true, true]);
        assert_eq!(taken(EngineKind::Rtl), [true, false, true]);
        assert_eq!(taken(EngineKind::RustHdl), [true, false, true]);
    }

    #[test]
    fn the_model_alone_runs_a_launch_and_reports_faults() {
        let code =
            quadlock_isa::assemble("t", "S2R r1, lane\nSHL r1, r1, #2\nST.32 [r1+0x1100], r1\nEND").unwrap().code;
        let mut launch = Launch::bare("t", code, 0x200);
        let done = golden(&launch, &Options::default());
        assert!(done.report.passed(), "{}", done.report.text());
        assert_eq!(done.image.slice(0x1108, 4).unwrap(), &[8, 0, 0, 0]);
        assert_eq!(done.report.retired, 4);
        launch.image.bytes.truncate(0x104);
        assert_eq!(golden(&launch, &Options::default()).report.verdict, Verdict::MemoryFault);
    }

    #[test]
    fn the_model_alone_is_given_up_at_the_limit_of_cycles() {
        let code = quadlock_isa::assemble("t", "again:\nIADD r1, r1, #1\nBRA again\nEND").unwrap().code;
        let mut options = Options::default();
        options.limits.cycles = 1000;
        let report = golden(&Launch::bare("t", code, 0x100), &options).report;
        assert_eq!(report.verdict, Verdict::Hang);
        assert!(report.retired >= 2000 && report.retired < 2100, "{}", report.text());
        assert!(report.text().contains("[limits] cycles"), "{}", report.text());
    }
}
