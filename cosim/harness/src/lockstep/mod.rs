//! Lockstep: the RTL runs cycle by cycle, the golden model is stepped by its retirements, and checkers compare every effect (tandem
//! verification). What the machine may choose (which warp next, which slot, when memory answers) is taken from it, checked for legality, and
//! imposed on the model. The first mismatch or a hang ends the run. Without a model ([`Options::model`] off) only hangs are found. It would be wrong
//! to accept a record that no checker has seen: every record passes through `Lockstep::cycle` or is reported as left over.

pub mod alone;
pub mod checkers;
#[cfg(test)]
mod fake;
mod follow;
pub mod hang;
pub mod mismatch;
pub mod ownership;
pub mod replay;
pub mod sequencer;
pub mod witness;

use std::time::Instant;

use quadlock_golden::semaphores::place_of;
use quadlock_golden::{Config as GoldenConfig, Golden, Grid, Memory as GoldenMemory, UnitShape};
use quadlock_hdl::config::{GpuConfig, WarpWide, WideLate};
use quadlock_isa::Op;

use crate::engine::{Engine, EngineError};
use crate::figures::counters::Counters;
use crate::lockstep::ownership::Ownership;
use crate::machine::launch::Launch;
use crate::machine::limits::Limits;
use crate::machine::memory::{Image, Memory, MemoryConfig};
use crate::machine::ports::{BusEvent, Inputs, ListOp, ListOpKind, MessageKind, Outputs, RetireEvent, TrapPlace};
use crate::report::{self, Wrong};
use alone::Alone;
use follow::Lockstep;
use hang::{Hang, HangKind, Seen};
use mismatch::{History, Mismatch};
use replay::{Checkpoint, Keeper};

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub config: GpuConfig,
    pub memory: MemoryConfig,
    pub limits: Limits,
    /// Run the golden model beside the RTL.
    pub model: bool,
    /// A planted bug of the model.
    pub model_fault: Option<quadlock_golden::Fault>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum End {
    Finished,
    Mismatch(Box<Mismatch>),
    Hang(Box<Hang>),
    /// The simulator gave up.
    Engine(EngineError),
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct RunResult {
    pub end: End,
    pub cycles: u64,
    pub counters: Counters,
    /// The machine's memory afterwards.
    pub image: Image,
    /// What the program did wrong: traps, accesses outside its buffers, semaphores (SE-25) and owned locks (WW-28).
    pub wrong: Wrong,
    /// What is unusual, and not known to be wrong.
    pub warnings: Vec<String>,
    /// Locks taken by another warp than the one that had them last.
    pub lock_handovers: Option<u64>,
    pub seconds: f64,
    pub engine: &'static str,
    pub statistics: Vec<(&'static str, f64)>,
}

/// Sees every cycle: traces, progress bars.
pub trait Observer {
    /// Between the engine's `settle` and `tick`.
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine);

    /// Cycles to run on after a failure, so that a trace shows what followed.
    fn tail(&self) -> u64 {
        0
    }
}

/// An observer that does nothing.
pub struct Quiet;

impl Observer for Quiet {
    fn cycle(&mut self, _cycle: u64, _engine: &mut dyn Engine) {}
}

/// Cycles after `busy` has fallen in which late records may still come out of the pipelines.
const DRAIN: u64 = 32;
/// Runs `launch` on `engine`.
pub fn run(engine: &mut dyn Engine, launch: &Launch, options: &Options, observer: &mut dyn Observer) -> RunResult {
    complete(Run::new(launch, options), engine, observer, &mut Keeper::default())
}

/// As [`run`]; also the state to go back to if the run failed, see [`replay`].
pub fn run_kept<'a>(
    engine: &mut dyn Engine,
    launch: &'a Launch,
    options: &'a Options,
    observer: &mut dyn Observer,
) -> (RunResult, Option<Checkpoint<'a>>) {
    let mut keeper = Keeper::new(launch.image.bytes.len());
    let result = complete(Run::new(launch, options), engine, observer, &mut keeper);
    let failed = match &result.end {
        End::Finished | End::Engine(_) => None,
        End::Mismatch(m) => Some(m.cycle.min(result.cycles)),
        End::Hang(h) => h.cycle,
    };
    let checkpoint = failed.and_then(|cycle| keeper.before(cycle));
    (result, checkpoint)
}

/// Runs to the end.
fn complete<'a>(
    mut run: Run<'a>,
    engine: &mut dyn Engine,
    observer: &mut dyn Observer,
    keeper: &mut Keeper<'a>,
) -> RunResult {
    let start = Instant::now();
    let end = match run.cycles(engine, observer, keeper) {
        Ok(end) => end,
        Err(e) => End::Engine(e),
    };
    let wrong = Wrong { memory_fault: run.memory_fault(), trap: run.trap(), protocol_error: run.protocol_error() };
    let lock_handovers = run.ownership().map_or(Some(0), |o| Some(o.handovers()));
    let warnings = match &run.alone {
        Some(alone) => alone.warnings(run.launch),
        None => run.ownership().and_then(|o| o.warning(run.launch)).into_iter().collect(),
    };
    RunResult {
        warnings,
        lock_handovers,
        end,
        cycles: run.cycle,
        counters: run.counters,
        image: run.memory.image,
        wrong,
        seconds: start.elapsed().as_secs_f64(),
        engine: engine.name(),
        statistics: engine.statistics(),
    }
}

#[derive(Clone)]
struct Run<'a> {
    options: &'a Options,
    launch: &'a Launch,
    memory: Memory,
    host: std::vec::IntoIter<(u16, u32)>,
    lockstep: Option<Lockstep<'a>>,
    /// Without a model: what the event ports alone say of the program.
    alone: Option<Alone>,
    history: History,
    counters: Counters,
    cycle: u64,
    /// Cycles in a row in which nothing was to be waited for.
    idle: u64,
    progress: u64,
    transactions: u64,
    /// The sticky ports, once they say that something trapped.
    trapped: Option<TrapPlace>,
    /// Records with the trap flag: how many, and the first one (unit, record).
    traps: (u64, Option<(usize, RetireEvent)>),
    /// Protocol errors that the entity showed: how many, and the first one.
    protocol_errors: (u64, Option<ListOp>),
    /// The first message of a program that acquires a semaphore of the graph: what is left to tell
    /// of a machine whose events do not add up.
    collision: Option<BusEvent>,
}

impl<'a> Run<'a> {
    fn new(launch: &'a Launch, options: &'a Options) -> Self {
        Self {
            options,
            launch,
            memory: Memory::new(options.memory, launch.image.clone()),
            host: launch.host_writes(&options.config).into_iter(),
            lockstep: options.model.then(|| Lockstep::new(launch, options)),
            alone: if options.model { None } else { Alone::new(launch, options) },
            history: History::new(options.config.total_units(), options.config.most_warps()),
            counters: Counters::new(options.config.total_units())
                .with_polling(&launch.polling)
                .with_cores(&options.config),
            cycle: 0,
            idle: 0,
            progress: 0,
            transactions: 0,
            trapped: None,
            traps: (0, None),
            protocol_errors: (0, None),
            collision: None,
        }
    }

    fn cycles(
        &mut self,
        engine: &mut dyn Engine,
        observer: &mut dyn Observer,
        keeper: &mut Keeper<'a>,
    ) -> Result<End, EngineError> {
        loop {
            keeper.cycle(self, engine);
            self.settle(engine, observer)?;
            let outputs = engine.outputs();
            let mut end = self.check(outputs);
            let waiting = self.host.len() > 0 || outputs.busy || self.cycle < self.progress + 1;
            self.idle = if waiting { 0 } else { self.idle + 1 };
            if end.is_none() && self.idle > DRAIN {
                end = Some(self.finish(outputs));
            }
            engine.tick()?;
            self.cycle += 1;
            if let Some(end) = end {
                let tail = if matches!(end, End::Finished) { 0 } else { observer.tail() };
                for _ in 0..tail {
                    self.settle(engine, observer)?;
                    engine.tick()?;
                    self.cycle += 1;
                }
                return Ok(end);
            }
        }
    }

    /// A clock cycle of machine and memory up to its edge.
    fn settle(&mut self, engine: &mut dyn Engine, observer: &mut dyn Observer) -> Result<(), EngineError> {
        let mut inputs = Inputs { host: self.host.next(), ..Inputs::default() };
        if inputs.host.is_some() {
            self.progress = self.cycle;
        }
        self.memory.drive(self.cycle, &mut inputs);
        engine.settle(&inputs)?;
        observer.cycle(self.cycle, engine);
        self.memory.observe(self.cycle, engine.outputs());
        Ok(())
    }

    fn check(&mut self, outputs: &Outputs) -> Option<End> {
        let cycle = self.cycle;
        self.trapped = outputs.trapped.then_some(outputs.trap);
        for (unit, record) in outputs.units.iter().enumerate().filter_map(|(u, o)| Some((u, o.retire?))) {
            if record.trap {
                self.traps.0 += 1;
                self.traps.1.get_or_insert((unit, record));
            }
        }
        if let Some(op) = outputs.list_op.filter(|op| op.kind == ListOpKind::Error) {
            self.protocol_errors.0 += 1;
            self.protocol_errors.1.get_or_insert(op);
        }
        if self.collision.is_none() && !self.launch.graph_semaphores.is_empty() {
            // Rows send for programs; the dispatcher's own requests have a higher number.
            let program =
                |m: &&BusEvent| m.kind == MessageKind::Acquire && usize::from(m.from) < self.options.config.rows;
            let own = |m: &&BusEvent| self.launch.graph_semaphores.binary_search(&m.semaphore).is_ok();
            self.collision = outputs.bus.iter().filter(program).find(own).copied();
        }
        self.counters.observe(outputs, &self.memory);
        self.history.observe(cycle, outputs);
        let retired = outputs.units.iter().any(|u| u.retire.is_some() || u.completion.is_some());
        let message = !outputs.bus.is_empty() || outputs.list_op.is_some();
        if retired || message || outputs.launch.is_some() || self.memory.transactions() != self.transactions {
            self.progress = cycle;
            self.transactions = self.memory.transactions();
        }
        let finding = match &mut self.lockstep {
            Some(lockstep) => lockstep.cycle(cycle, outputs, &mut self.memory),
            None => {
                match &mut self.alone {
                    Some(alone) => alone.cycle(self.launch, cycle, outputs, &mut self.memory),
                    None => self.memory.writes.clear(),
                }
                None
            }
        };
        if let Some(found) = finding {
            return Some(End::Mismatch(Box::new(found.into_mismatch(self.launch, &self.history))));
        }
        let kind = if cycle >= self.options.limits.cycles {
            HangKind::CycleLimit
        } else if cycle > self.progress + self.options.limits.idle {
            HangKind::Stuck
        } else {
            return None;
        };
        let lockstep = self.lockstep.as_mut().filter(|_| kind == HangKind::Stuck);
        if let Some(found) = lockstep.and_then(|l| l.model.overdue(true, cycle, outputs, &self.memory.image)) {
            return Some(End::Mismatch(Box::new(found.into_mismatch(self.launch, &self.history))));
        }
        let model = self.lockstep.as_ref().map(|l| (&l.model.golden, l.model.checkers.as_slice()));
        let held = self.lockstep.as_ref().and_then(|l| l.sequencer.oldest());
        let waiting = outputs.units.iter().map(|u| u.waiting).collect();
        let seen = Seen { history: &self.history, held, waiting, locks: self.ownership() };
        let hang = Hang::new(kind, cycle, self.progress, model, self.launch, seen);
        let pool = self.options.config.semaphores.pool;
        let hang = hang.with_exhausted_pool(outputs.pool_exhausted.then_some(pool));
        Some(End::Hang(Box::new(hang)))
    }

    /// The first protocol error in words; only the model knows which instruction sent the message.
    fn protocol_error(&self) -> Option<String> {
        if let Some(lockstep) = &self.lockstep {
            let golden = &lockstep.model.golden;
            let problem = || lockstep.model.checkers.iter().find_map(|c| c.problem(self.launch));
            // A collision is the cause of the others.
            let found = report::model_collision(self.launch, golden).or_else(problem);
            return found.or_else(|| report::model_unreleased(self.launch, golden));
        }
        if let Some(collision) = self.alone.as_ref().and_then(|alone| alone.collision(self.launch)) {
            return Some(collision);
        }
        if let Some(message) = &self.collision {
            let place = place_of(message.thread);
            return Some(report::collision_text(self.launch, Op::Acs, place, None, message.semaphore));
        }
        if let Some(problem) = self.alone.as_ref().and_then(|alone| alone.problem(self.launch)) {
            return Some(problem);
        }
        let op = self.protocol_errors.1?;
        Some(report::machine_protocol_error(self.protocol_errors.0, &op))
    }

    /// The lock words as they are followed, if they are.
    fn ownership(&self) -> Option<&Ownership> {
        match (&self.lockstep, &self.alone) {
            (Some(lockstep), _) => lockstep.model.checkers.iter().find_map(|c| c.ownership()),
            (None, alone) => alone.as_ref()?.ownership(),
        }
    }

    /// The first trap in words: the model's, or the machine's first record with the trap flag, or what the sticky ports name.
    fn trap(&self) -> Option<String> {
        let sticky = self.trapped?;
        let model = self.lockstep.as_ref().and_then(|l| report::model_trap(self.launch, &l.model.golden));
        Some(model.unwrap_or_else(|| {
            let (unit, warp, pc, word) = match self.traps.1 {
                Some((unit, r)) => (unit, r.warp.into(), r.pc, Some(r.word)),
                None => (sticky.unit.into(), sticky.warp.into(), sticky.pc, None),
            };
            report::machine_trap(self.launch, self.traps.0.max(1), (unit, warp, pc), word)
        }))
    }

    /// The first access outside memory in words; only the model knows which lane made it.
    fn memory_fault(&self) -> Option<String> {
        let faults = &self.memory.faults;
        let f = faults.first()?;
        let what = if f.write { "write" } else { "read" };
        let (count, addr, cycle) = (faults.len(), f.addr, f.cycle);
        let port = format!("the first is a {what} at {addr:#010x} in cycle {cycle}");
        let model = self.lockstep.as_ref().and_then(|l| report::model_fault(self.launch, &l.model.golden, Some(addr)));
        Some(match model {
            Some(model) => format!("{model}; at the memory port {count}, {port}"),
            None => format!("{count} access(es) outside memory; {port}"),
        })
    }

    fn finish(&mut self, outputs: &Outputs) -> End {
        let Some(lockstep) = &mut self.lockstep else { return End::Finished };
        match lockstep.finish(self.cycle + 1, outputs, &self.memory) {
            Some(found) => End::Mismatch(Box::new(found.into_mismatch(self.launch, &self.history))),
            None => End::Finished,
        }
    }
}

/// The model's view of a launch.
pub fn grid(launch: &Launch, config: &GpuConfig) -> Grid {
    Grid {
        groups: launch.grid,
        group_size: launch.group_size,
        pinned: launch.pinned,
        group_slots: if launch.pinned { launch.group_slots(config) as usize } else { 0 },
        shared_bytes: launch.shared_bytes,
    }
}

/// The model of a machine of that configuration with `launch` in its memory.
pub fn golden(launch: &Launch, config: &GpuConfig, fault: Option<quadlock_golden::Fault>) -> Golden {
    let mut bytes = vec![0; launch.image.base as usize];
    bytes.extend_from_slice(&launch.image.bytes);
    let config = GoldenConfig {
        units: config.total_units(),
        warps: config.most_warps(),
        shapes: config.unit_places().iter().map(|u| UnitShape { warps: u.warps, functions: u.function_unit }).collect(),
        shared_words: config.shared_words,
        semaphores: config.semaphores.semaphores,
        any_may_release: config.semaphores.any_may_release,
        warp_wide: config.warp_wide != WarpWide::Off,
        late_stored: config.warp_wide_late == WideLate::Stored,
        fault,
    };
    Golden::new(config, launch.code.clone(), launch.constant_bank(), GoldenMemory::from_bytes(bytes))
}
