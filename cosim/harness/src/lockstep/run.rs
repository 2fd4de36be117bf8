//! A run in lockstep, cycle by cycle: machine and memory, then the model and its checkers. The
//! first mismatch or a hang ends it. Wrong would be to end well while something is under way:
//! [`DRAIN`] cycles must pass without any.

use std::time::Instant;

use quadlock_golden::semaphores::{place_of, thread_id, SLOTS_PER_UNIT};
use quadlock_isa::Op;

use super::alone::Alone;
use super::follow::Lockstep;
use super::frame::FrameFollow;
use super::hang::{Hang, HangKind, Standing};
use super::keeper::Keeper;
use super::mismatch::{History, Mismatch};
use super::options::{Observer, Options};
use super::ownership::Ownership;
use super::stalled::stalled;
use super::submitted::Submitted;
use super::waits::waits;
use super::wrong::{faults_of_model, Faults, PortFaults, Protocol, TrapOf, Traps, Warning, Wrong};
use crate::engine::{Engine, EngineError};
use crate::figures::counters::Counters;
use crate::machine::launch::{Launch, Left};
use crate::machine::memory::{Image, Memory};
use crate::machine::ports::{BusEvent, Inputs, ListOp, ListOpKind, MessageKind, Outputs, RetireEvent, TrapPlace};

/// How a run ended.
#[derive(Clone, Debug)]
pub enum End {
    /// Every thread came to its end, and no checker spoke.
    Finished,
    /// The first difference between machine and model, which ends a run.
    Mismatch(Box<Mismatch>),
    /// Nothing happens any more, or the limit of cycles was reached.
    Hang(Box<Hang>),
    /// The simulator gave up.
    Engine(EngineError),
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub end: End,
    /// Clock cycles from the start to the end.
    pub cycles: u64,
    /// What the event ports added up to.
    pub counters: Counters,
    /// The machine's memory afterwards.
    pub image: Image,
    /// What the program did wrong: traps, accesses outside its buffers, semaphores (SE-25) and
    /// owned locks (WW-28).
    pub wrong: Wrong,
    /// What is unusual, and not known to be wrong.
    pub warnings: Vec<Warning>,
    /// Locks taken by another warp than the one that had them last.
    pub lock_handovers: Option<u64>,
    /// Wall-clock time.
    pub seconds: f64,
    /// Name of the engine of the RTL.
    pub engine: &'static str,
    /// Figures of the engine itself: name and value.
    pub statistics: Vec<(&'static str, f64)>,
    /// What the next start finds; only of a run of several.
    pub left: Option<Left>,
}

/// Cycles after `busy` has fallen in which late records may still come out of the pipelines.
const DRAIN: u64 = 32;
/// Runs `launch` on `engine`.
pub fn run(engine: &mut dyn Engine, launch: &Launch, options: &Options, observer: &mut dyn Observer) -> RunResult {
    complete(Run::new(launch, options), engine, observer, &mut Keeper::default())
}

/// Runs to the end.
pub(super) fn complete<'a>(
    mut run: Run<'a>,
    engine: &mut dyn Engine,
    observer: &mut dyn Observer,
    keeper: &mut Keeper<Run<'a>>,
) -> RunResult {
    let start = Instant::now();
    let end = match run.cycles(engine, observer, keeper) {
        Ok(end) => end,
        Err(e) => End::Engine(e),
    };
    let wrong = Wrong { memory_fault: run.memory_fault(), trap: run.trap(), protocol_error: run.protocol_error() };
    let lock_handovers = run.ownership().map_or(Some(0), |o| Some(o.handovers()));
    let unordered = run.lockstep.as_ref().and_then(|l| l.model.frame.as_ref()?.unordered());
    let mut warnings: Vec<Warning> = match &run.alone {
        Some(alone) => alone.warnings(),
        None => {
            let foreign = run.ownership().and_then(Ownership::warning);
            foreign.map(|(count, first)| Warning::Foreign(count, first)).into_iter().collect()
        }
    };
    warnings.extend(unordered.map(Warning::Unordered));
    let left = run.launch.dispatch.is_some().then(|| run.leave());
    RunResult {
        warnings,
        left,
        lock_handovers,
        end,
        cycles: run.cycle - run.launch.first_cycle(),
        counters: run.counters,
        image: run.memory.image,
        wrong,
        seconds: start.elapsed().as_secs_f64(),
        engine: engine.name(),
        statistics: engine.statistics(),
    }
}

/// A run under way.
#[derive(Clone)]
pub(super) struct Run<'a> {
    options: &'a Options,
    launch: &'a Launch,
    memory: Memory,
    host: std::vec::IntoIter<(u16, u32)>,
    pub(super) lockstep: Option<Lockstep<'a>>,
    /// Without a model: what the event ports alone say of the program.
    alone: Option<Alone>,
    history: History,
    counters: Counters,
    /// Of the whole run, whose dispatches before this one had cycles too.
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
    /// Of each warp slot the instructions that have retired since power-up.
    retired: Vec<u64>,
}

impl<'a> Run<'a> {
    pub fn new(launch: &'a Launch, options: &'a Options) -> Self {
        let list = launch.frame.as_ref().map(|frame| Submitted::read(&launch.image, frame.list));
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
                .with_cores(&options.config)
                .with_targets(list.map(|list| list.places()).unwrap_or_default()),
            cycle: launch.first_cycle(),
            idle: 0,
            progress: launch.first_cycle(),
            transactions: 0,
            trapped: None,
            traps: (0, None),
            protocol_errors: (0, None),
            collision: None,
            retired: match launch.left() {
                Some(left) => left.retired.clone(),
                None => vec![0; options.config.total_units() * options.config.most_warps()],
            },
        }
    }

    /// What the next start finds; the model goes there.
    fn leave(&mut self) -> Left {
        let frame = self.lockstep.as_ref().and_then(|l| l.model.frame.as_ref());
        let triangles = frame.map_or([0; 2], FrameFollow::numbered);
        let golden = self.lockstep.take().map(|l| l.model.golden);
        Left { triangles, golden, retired: std::mem::take(&mut self.retired), bank: self.launch.constant_bank() }
    }

    fn cycles(
        &mut self,
        engine: &mut dyn Engine,
        observer: &mut dyn Observer,
        keeper: &mut Keeper<Run<'a>>,
    ) -> Result<End, EngineError> {
        loop {
            keeper.cycle(self.cycle, self, engine);
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
            if let Some(mut end) = end {
                if let End::Hang(hang) = &mut end {
                    if hang.kind == HangKind::Stuck && self.launch.frame.is_some() {
                        hang.stalled = stalled(engine);
                        hang.waits = waits(&hang.stalled, &self.options.config);
                    }
                }
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
            if let Some(retired) =
                self.retired.get_mut(unit * self.options.config.most_warps() + usize::from(record.warp))
            {
                *retired += 1;
            }
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
        let drawn = outputs.graphics.any();
        if retired || message || drawn || outputs.launch.is_some() || self.memory.transactions() != self.transactions {
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
            return Some(End::Mismatch(Box::new(found.into_mismatch(&self.history))));
        }
        let kind = if cycle - self.launch.first_cycle() >= self.options.limits.cycles {
            HangKind::CycleLimit
        } else if cycle > self.progress + self.options.limits.idle {
            HangKind::Stuck
        } else {
            return None;
        };
        let lockstep = self.lockstep.as_mut().filter(|_| kind == HangKind::Stuck);
        if let Some(found) = lockstep.and_then(|l| l.model.overdue(true, cycle, outputs, &self.memory.image)) {
            return Some(End::Mismatch(Box::new(found.into_mismatch(&self.history))));
        }
        Some(End::Hang(Box::new(self.given_up(kind, outputs))))
    }

    /// The state in which a run is given up.
    fn given_up(&self, kind: HangKind, outputs: &Outputs) -> Hang {
        let standing = |l: &Lockstep<'_>| {
            let golden = l.model.golden.clone();
            let waits = |&thread: &u16| l.model.checkers.iter().flat_map(|c| c.waits_for(thread)).collect();
            let threads = (0..golden.config().units).flat_map(|u| (0..SLOTS_PER_UNIT).map(move |w| thread_id(u, w)));
            let awaited = threads.map(|t| (t, waits(&t))).collect();
            Standing { golden, awaited, shortage: l.model.checkers.iter().find_map(|c| c.shortage()) }
        };
        Hang {
            kind,
            cycle: self.cycle,
            progress: self.progress,
            model: self.lockstep.as_ref().map(standing),
            history: self.history.clone(),
            held: self.lockstep.as_ref().and_then(|l| l.sequencer.oldest()),
            waiting: outputs.units.iter().map(|u| u.waiting).collect(),
            locks: self.ownership().cloned(),
            exhausted_pool: outputs.pool_exhausted.then_some(self.options.config.semaphores.pool),
            stalled: vec![],
            waits: vec![],
            left: self.lockstep.as_ref().and_then(|l| l.model.frame.as_ref()).map_or(vec![], FrameFollow::left),
        }
    }

    /// The first protocol error; only the model knows which instruction sent the message.
    fn protocol_error(&self) -> Option<Protocol> {
        if let Some(lockstep) = &self.lockstep {
            let golden = &lockstep.model.golden;
            let problem = || lockstep.model.checkers.iter().find_map(|c| c.problem());
            // A collision is the cause of the others.
            let found = Protocol::collision_of_model(self.launch, golden).or_else(problem);
            let found = found.or_else(|| Protocol::unreleased(golden.unreleased()));
            return found.or_else(|| Protocol::registers(golden));
        }
        if let Some(collision) = self.alone.as_ref().and_then(Alone::collision) {
            return Some(collision);
        }
        if let Some(message) = &self.collision {
            let (unit, warp) = place_of(message.thread);
            return Some(Protocol::Collision { op: Op::Acs, unit, warp, pc: None, semaphore: message.semaphore });
        }
        if let Some(problem) = self.alone.as_ref().and_then(Alone::problem) {
            return Some(problem);
        }
        Some(Protocol::Machine { count: self.protocol_errors.0, op: self.protocol_errors.1? })
    }

    /// The lock words as they are followed, if they are.
    fn ownership(&self) -> Option<&Ownership> {
        match (&self.lockstep, &self.alone) {
            (Some(lockstep), _) => lockstep.model.checkers.iter().find_map(|c| c.ownership()),
            (None, alone) => alone.as_ref()?.ownership(),
        }
    }

    /// The first trap: the model's, or the machine's first record with the trap flag, or what the
    /// sticky ports name.
    fn trap(&self) -> Option<Traps> {
        let sticky = self.trapped?;
        let model = self.lockstep.as_ref().and_then(|l| Traps::of_model(&l.model.golden));
        let count = self.traps.0.max(1);
        let machine = || match self.traps.1 {
            Some((unit, r)) => {
                Traps { count, unit, warp: r.warp.into(), pc: r.pc, by: TrapOf::Machine(Some(r.word())) }
            }
            None => {
                let (unit, warp) = (sticky.unit.into(), sticky.warp.into());
                Traps { count, unit, warp, pc: sticky.pc, by: TrapOf::Machine(None) }
            }
        };
        Some(model.unwrap_or_else(machine))
    }

    /// The first access outside memory; only the model knows which lane made it.
    fn memory_fault(&self) -> Option<Faults> {
        let faults = &self.memory.faults;
        let f = faults.first()?;
        let port = PortFaults { count: faults.len(), write: f.write, addr: f.addr, cycle: f.cycle };
        let model = self.lockstep.as_ref().and_then(|l| faults_of_model(&l.model.golden, Some(f.addr)));
        Some(Faults { model, port: Some(port) })
    }

    fn finish(&mut self, outputs: &Outputs) -> End {
        let Some(lockstep) = &mut self.lockstep else { return End::Finished };
        match lockstep.finish(self.cycle + 1, outputs, &self.memory) {
            Some(found) => End::Mismatch(Box::new(found.into_mismatch(&self.history))),
            None => End::Finished,
        }
    }
}
