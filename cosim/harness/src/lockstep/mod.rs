//! Lockstep: the RTL runs cycle by cycle, the golden model is stepped by its retirements, and checkers compare every effect (tandem
//! verification). What the machine may choose (which warp next, which slot, when memory answers) is taken from it, checked for legality, and
//! imposed on the model. The first mismatch or a hang ends the run. Without a model ([`Options::model`] off) only hangs are found. It would be wrong
//! to accept a record that no checker has seen: every record passes through [`Lockstep::act`] or is reported as left over.

pub mod checkers;
#[cfg(test)]
mod fake;
pub mod hang;
pub mod mismatch;
pub mod replay;
pub mod sequencer;

use std::time::Instant;

use quadlock_golden::{Config as GoldenConfig, Golden, Grid, LaunchError, Memory as GoldenMemory, StepError};
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::{decode, Op};

use crate::engine::{Engine, EngineError, Inputs, Outputs, RetireEvent, TrapPlace};
use crate::job::Limits;
use crate::launch::Launch;
use crate::memory::{Image, Memory, MemoryConfig};
use crate::report::{self, Counters};
use checkers::{Check, Checker, Context, Finding};
use hang::{Hang, HangKind};
use mismatch::{History, Mismatch};
use replay::{Checkpoint, Keeper};
use sequencer::{Action, Completed, Retired, Sequencer, Step};

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
    /// The program trapped: the first trap in words.
    pub trap: Option<String>,
    /// The program accessed memory outside its buffers: the first access in words.
    pub memory_fault: Option<String>,
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
/// Cycles that the model may lag behind a record before that is a mismatch. Legal lag is a pipeline's length.
const HOLD_LIMIT: u64 = 2_000;

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
        End::Hang(h) => Some(h.cycle),
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
    let (trap, memory_fault) = (run.trap(), run.memory_fault());
    RunResult {
        end,
        cycles: run.cycle,
        counters: run.counters,
        image: run.memory.image,
        trap,
        memory_fault,
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
}

impl<'a> Run<'a> {
    fn new(launch: &'a Launch, options: &'a Options) -> Self {
        Self {
            options,
            launch,
            memory: Memory::new(options.memory, launch.image.clone()),
            host: launch.host_writes(&options.config).into_iter(),
            lockstep: options.model.then(|| Lockstep::new(launch, options)),
            history: History::new(options.config.total_units(), options.config.warps),
            counters: Counters::new(options.config.total_units()),
            cycle: 0,
            idle: 0,
            progress: 0,
            transactions: 0,
            trapped: None,
            traps: (0, None),
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
        self.counters.observe(outputs, &self.memory);
        self.history.observe(cycle, outputs);
        let retired = outputs.units.iter().any(|u| u.retire.is_some() || u.completion.is_some());
        if retired || outputs.launch.is_some() || self.memory.transactions() != self.transactions {
            self.progress = cycle;
            self.transactions = self.memory.transactions();
        }
        let finding = match &mut self.lockstep {
            Some(lockstep) => lockstep.cycle(cycle, outputs, &mut self.memory),
            None => {
                self.memory.writes.clear();
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
        let golden = self.lockstep.as_ref().map(|l| &l.model.golden);
        let held = self.lockstep.as_ref().and_then(|l| l.sequencer.oldest());
        let hang = Hang::new(kind, cycle, self.progress, golden, self.launch, &self.history, held);
        Some(End::Hang(Box::new(hang)))
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

/// A finding with the place where it was made.
struct Found {
    checker: &'static str,
    cycle: u64,
    place: Option<(usize, usize, u16)>,
    finding: Finding,
}

impl Found {
    fn into_mismatch(self, launch: &Launch, history: &History) -> Mismatch {
        Mismatch::new(self.checker, self.cycle, self.place, self.finding, launch, history)
    }
}

/// The model with everything that follows the machine.
#[derive(Clone)]
struct Lockstep<'a> {
    sequencer: Sequencer,
    model: Model<'a>,
}

/// The model and its judges.
#[derive(Clone)]
struct Model<'a> {
    golden: Golden,
    grid: Grid,
    launch: &'a Launch,
    config: &'a GpuConfig,
    ops: Vec<Option<Op>>,
    checkers: Vec<Box<dyn Checker>>,
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
    let config =
        GoldenConfig { units: config.total_units(), warps: config.warps, shared_words: config.shared_words, fault };
    Golden::new(config, launch.code.clone(), launch.constant_bank(), GoldenMemory::from_bytes(bytes))
}

impl<'a> Lockstep<'a> {
    fn new(launch: &'a Launch, options: &'a Options) -> Self {
        let config = &options.config;
        Self {
            sequencer: Sequencer::new(config.total_units(), config.warps),
            model: Model {
                golden: golden(launch, config, options.model_fault),
                grid: grid(launch, config),
                launch,
                config,
                ops: launch.code.iter().map(|&word| decode(word).ok().map(|i| i.op)).collect(),
                checkers: checkers::all(),
            },
        }
    }

    fn cycle(&mut self, cycle: u64, outputs: &Outputs, memory: &mut Memory) -> Option<Found> {
        while let Some(write) = memory.writes.pop_front() {
            self.model.checkers.iter_mut().for_each(|c| c.memory_write(write));
        }
        for (unit, write) in outputs.units.iter().enumerate().filter_map(|(u, o)| Some((u, o.shared_write?))) {
            self.model.checkers.iter_mut().for_each(|c| c.shared_write(cycle, unit, write));
        }
        let events = match self.sequencer.observe(cycle, outputs) {
            Ok(events) => events,
            Err(what) => return Some(Found { checker: "retire", cycle, place: None, finding: Finding::new(what) }),
        };
        if let Some(event) = &outputs.launch {
            let place = Some((event.unit.into(), event.warp.into(), 0));
            let found = self.model.ask(cycle, place, outputs, &memory.image, |c, cx| c.launch(cycle, event, cx));
            if found.is_some() {
                return found;
            }
        }
        // What is held stays held until the next event: only an event lets the model move.
        if events {
            if let Some(found) = self.follow(cycle, outputs, &memory.image) {
                return Some(found);
            }
        }
        if cycle % 64 == 0 && !self.sequencer.is_empty() {
            return self.overdue(cycle, HOLD_LIMIT);
        }
        None
    }

    /// Lets the model do everything that is due.
    fn follow(&mut self, cycle: u64, outputs: &Outputs, image: &Image) -> Option<Found> {
        let Self { sequencer, model } = self;
        let mut found = None;
        sequencer.drain(&mut |action| match model.act(action, cycle, outputs, image) {
            Ok(step) => step,
            Err(f) => {
                found = Some(*f);
                Step::Stop
            }
        });
        found
    }

    /// Something that the model could not follow for longer than `limit` cycles.
    fn overdue(&self, cycle: u64, limit: u64) -> Option<Found> {
        let held = self.sequencer.oldest().filter(|held| held.0 + limit < cycle)?;
        let (since, unit, warp, what) = held;
        let slot = self.model.golden.warp(unit, warp);
        let blocked = slot.next().is_none() && !slot.is_ended();
        let checker = if blocked {
            "barrier"
        } else if what.starts_with("launch") {
            "launch"
        } else {
            "retire"
        };
        let what = if blocked { format!("{what}: its lanes are blocked at a barrier") } else { what };
        let pc = slot.next().map_or(0, |n| n.0);
        Some(*found(checker, since, (unit, warp, pc), what))
    }

    fn finish(&mut self, cycle: u64, outputs: &Outputs, memory: &Memory) -> Option<Found> {
        if let Some(found) = self.overdue(cycle, 0) {
            return Some(found);
        }
        self.model.ask(cycle, None, outputs, &memory.image, |c, cx| c.end(cx))
    }
}

impl Model<'_> {
    fn act(&mut self, action: &Action<'_>, cycle: u64, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        match action {
            Action::Launch { cycle, event } => {
                let linear = {
                    let [x, y, z] = event.group.map(u64::from);
                    let [gx, gy, _] = self.grid.groups.map(u64::from);
                    x + gx * (y + gy * z)
                };
                let ids = self.grid.launch_ids(linear, event.warp_in_group.into());
                let (unit, warp) = (event.unit.into(), event.warp.into());
                let (in_group, slot) = (event.warp_in_group.into(), event.group_slot.into());
                let launch = quadlock_golden::Launch::new(&self.grid, &ids, unit, warp, in_group, slot);
                match self.golden.launch(&launch) {
                    Ok(()) => Ok(Step::Done),
                    Err(LaunchError::Occupied { .. }) => Ok(Step::Hold),
                    Err(e) => Err(found("launch", *cycle, (unit, warp, 0), e.to_string())),
                }
            }
            Action::Issue(record) => self.issue(record, cycle, outputs, image),
            Action::Complete(done) => self.complete(done, cycle, outputs, image),
        }
    }

    fn issue(&mut self, record: &Retired, cycle: u64, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        let place = (record.unit, usize::from(record.event.warp), record.event.pc);
        let slot = self.golden.warp(place.0, place.1);
        if slot.next().is_none() && !slot.is_ended() {
            // Blocked at a barrier: the instruction that opens it may still be on its way. The barrier checker judges the order.
            return Ok(Step::Hold);
        }
        if slot.is_ended() && record.before_launch {
            return Ok(Step::Hold);
        }
        self.ask(cycle, Some(place), outputs, image, |c, cx| c.before_issue(record, cx))
            .map_or(Ok(()), |f| Err(Box::new(f)))?;
        let effect = match self.golden.issue(place.0, place.1) {
            Ok(effect) => effect,
            Err(StepError::Hazard { .. } | StepError::NotDrained { .. }) if record.lagging => return Ok(Step::Hold),
            Err(e) => return Err(found("retire", record.cycle, place, e.to_string())),
        };
        match self.ask(record.cycle, Some(place), outputs, image, |c, cx| c.issued(record, &effect, cx)) {
            Some(f) => Err(Box::new(f)),
            None => Ok(Step::Done),
        }
    }

    fn complete(&mut self, done: &Completed, cycle: u64, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        let place = (done.unit, done.warp, 0);
        let effect = match self.golden.complete(done.unit, done.warp, done.seq) {
            Ok(effect) => effect,
            Err(e) => return Err(found("retire", cycle, place, e.to_string())),
        };
        let place = Some((done.unit, done.warp, effect.pc));
        match self.ask(done.cycle, place, outputs, image, |c, cx| c.completed(done, &effect, cx)) {
            Some(f) => Err(Box::new(f)),
            None => Ok(Step::Done),
        }
    }

    /// Asks every checker; the first finding counts.
    fn ask(
        &mut self,
        cycle: u64,
        place: Option<(usize, usize, u16)>,
        outputs: &Outputs,
        image: &Image,
        mut question: impl FnMut(&mut dyn Checker, &Context) -> Check,
    ) -> Option<Found> {
        let Self { golden, grid, launch, config, ops, checkers } = self;
        let cx = Context { cycle, golden, launch, grid, config, image, outputs, ops };
        for checker in checkers {
            if let Err(finding) = question(checker.as_mut(), &cx) {
                return Some(Found { checker: checker.name(), cycle, place, finding: *finding });
            }
        }
        None
    }
}

fn found(checker: &'static str, cycle: u64, place: (usize, usize, u16), what: String) -> Box<Found> {
    Box::new(Found { checker, cycle, place: Some(place), finding: Finding::new(what) })
}
