//! The model beside the machine: what a cycle showed goes to the sequencer and the checkers, and
//! the model does what is due. The model's lists of semaphores are the semaphore checker's;
//! everything else of the model is here. It would be wrong to let the model move without an event
//! of the machine: it would run ahead of what can be checked.

use quadlock_golden::graphics::samples::Samples;
use quadlock_golden::semaphores::{place_of, thread_id};
use quadlock_golden::{Golden, Grid, LaunchError, MemKind, StepError};
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::{decode, Op};

use super::checkers;
use super::checkers::checker::{Checker, Context};
use super::finding::{Check, Concern, Finding, Held, HeldSince, What};
use super::frame::FrameFollow;
use super::mismatch::{History, Mismatch, Place};
use super::model::{golden, grid};
use super::options::Options;
use super::sequencer::{Action, Completed, Retired, Sequencer, Step, Transaction};
use super::witness::Witness;
use crate::machine::launch::Launch;
use crate::machine::memory::{Image, Memory};
use crate::machine::ports::{core_of, LaunchEvent, MergeEvent, Outputs, SplitEvent, GRAPHICS};

/// Cycles that the model may lag behind a record before that is a mismatch. Legal lag is a
/// pipeline's length.
const HOLD_LIMIT: u64 = 2_000;

/// The same for a machine: with several cores a transaction also waits for the completion of one
/// before it, which may wait behind a full memory.
fn hold_limit(options: &Options) -> u64 {
    if options.config.total_cores() == 1 {
        return HOLD_LIMIT;
    }
    let memory = &options.memory;
    let round_trip = u64::from(memory.latency) + u64::from(memory.jitter);
    let stalled = 512 * 100 / u64::from(100 - memory.stall.min(99));
    HOLD_LIMIT + 16 * (round_trip + stalled)
}

/// A finding with the place where it was made.
pub(super) struct Found {
    pub concern: Concern,
    pub cycle: u64,
    pub place: Option<Place>,
    pub finding: Finding,
}

impl Found {
    pub fn into_mismatch(self, history: &History) -> Mismatch {
        let Self { concern, cycle, place, finding } = self;
        let history = place.map_or_else(Vec::new, |p| history.of(p.0, p.1).copied().collect());
        Mismatch { concern, cycle, place, finding, history }
    }
}

/// The model with everything that follows the machine.
#[derive(Clone)]
pub(super) struct Lockstep<'a> {
    hold_limit: u64,
    pub sequencer: Sequencer,
    pub model: Model<'a>,
}

/// The model and its judges.
#[derive(Clone)]
pub(super) struct Model<'a> {
    pub golden: Golden,
    grid: Grid,
    launch: &'a Launch,
    config: &'a GpuConfig,
    ops: Vec<Option<Op>>,
    pub checkers: Vec<Box<dyn Checker>>,
    witness: Witness,
    /// Of a machine that draws.
    pub frame: Option<FrameFollow>,
}

impl<'a> Lockstep<'a> {
    pub fn new(launch: &'a Launch, options: &'a Options) -> Self {
        let config = &options.config;
        let mut golden = golden(launch, config, options.model_fault);
        let frame = FrameFollow::new(launch);
        if let Some(frame) = &frame {
            frame.prepare(&mut golden);
        }
        let ops: Vec<_> = launch.code.iter().map(|&word| decode(word).ok().map(|i| i.op)).collect();
        Self {
            hold_limit: hold_limit(options),
            sequencer: Sequencer::of(config)
                .after(launch.left().map(|left| left.retired.as_slice()).unwrap_or_default()),
            model: Model {
                golden,
                frame,
                grid: grid(launch, config),
                launch,
                config,
                witness: Witness::new(&ops, config.total_cores()),
                ops,
                checkers: checkers::all(config, options.model_fault),
            },
        }
    }

    pub fn cycle(&mut self, cycle: u64, outputs: &Outputs, memory: &mut Memory) -> Option<Found> {
        while let Some(write) = memory.writes.pop_front() {
            if write.source.is_some_and(|source| (GRAPHICS..63).contains(&source)) {
                // Tiles: the end state judges them. Programs may read them after a wait.
                self.model.golden.write_line(write.addr, write.mask, write.data);
                self.model.frame.iter_mut().for_each(|f| f.written(&write));
                continue;
            }
            self.model.checkers.iter_mut().for_each(|c| c.memory_write(write));
        }
        for (unit, write) in outputs.units.iter().enumerate().filter_map(|(u, o)| Some((u, o.shared_write?))) {
            self.model.checkers.iter_mut().for_each(|c| c.shared_write(cycle, unit, write));
        }
        let golden = &self.model.golden;
        self.model.frame.iter_mut().for_each(|f| f.heed(golden));
        let seen = self.model.frame.as_mut().map(|f| f.cycle(&outputs.graphics, memory.accepted.as_ref()));
        if let Some(Err(e)) = seen {
            return Some(of_frame(cycle, None, e));
        }
        if let Some(found) = self.messages(cycle, outputs, &memory.image) {
            return Some(found);
        }
        let several = self.model.config.total_cores() > 1;
        let accepted = memory.accepted.filter(|_| several);
        let core = accepted.and_then(|a| a.source).and_then(core_of);
        if let (Some(a), Some(core)) = (accepted, core) {
            self.sequencer.transaction(Transaction { cycle, core, line: a.line, write: a.write });
        }
        let events = match self.sequencer.observe(cycle, outputs) {
            Ok(events) => events,
            Err(event) => {
                let finding = Finding::new(What::Impossible(event));
                return Some(Found { concern: Concern::Retire, cycle, place: None, finding });
            }
        };
        // What is held stays held until the next event: only an event lets the model move.
        if events {
            if let Some(found) = self.follow(cycle, outputs, &memory.image) {
                return Some(found);
            }
        }
        let found = self.model.ask(cycle, None, outputs, &memory.image, |c, cx| c.cycle(cx));
        if found.is_some() {
            return found;
        }
        if cycle.is_multiple_of(64) {
            let held = if self.sequencer.is_empty() { None } else { self.overdue(cycle, self.hold_limit) };
            if held.is_some() {
                return held;
            }
            return self.model.overdue(false, cycle, outputs, &memory.image);
        }
        None
    }

    /// Launch, messages and list operation of a cycle, as they were seen: the checkers know what
    /// may come when.
    fn messages(&mut self, cycle: u64, outputs: &Outputs, image: &Image) -> Option<Found> {
        if let Some(event) = &outputs.launch {
            let place = Some((event.unit.into(), event.warp.into(), 0));
            let found = self.model.ask(cycle, place, outputs, image, |c, cx| c.launch(cycle, event, cx));
            if found.is_some() {
                return found;
            }
        }
        for event in &outputs.bus {
            let place = self.model.place(event.thread);
            let found = self.model.ask(cycle, place, outputs, image, |c, cx| c.bus(cycle, event, cx));
            if found.is_some() {
                return found;
            }
        }
        let op = outputs.list_op?;
        let place = self.model.place(op.thread);
        self.model.ask(cycle, place, outputs, image, |c, cx| c.list_op(cycle, &op, cx))
    }

    /// Lets the model do everything that is due.
    fn follow(&mut self, cycle: u64, outputs: &Outputs, image: &Image) -> Option<Found> {
        let Self { sequencer, model, .. } = self;
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
        let held = self.sequencer.oldest().filter(|held| held.cycle + limit < cycle)?;
        let HeldSince { cycle: since, unit, warp, what } = held;
        let slot = self.model.golden.warp(unit, warp);
        if slot.merging() != 0 && matches!(what, Held::Instruction { .. }) {
            let pc = slot.next().map_or(0, |n| n.0);
            return Some(*found(Concern::Merge, since, (unit, warp, pc), What::StoppedRetires));
        }
        let unsplit = slot.is_asleep() || slot.splitting() != 0;
        if unsplit && matches!(what, Held::Instruction { .. }) {
            let pc = slot.next().map_or(0, |n| n.0);
            let what = What::UnsplitRetires { asleep: slot.is_asleep() };
            return Some(*found(Concern::Split, since, (unit, warp, pc), what));
        }
        let blocked = slot.next().is_none() && !slot.is_ended() && !slot.awaits_others();
        let concern = if blocked { Concern::Barrier } else { what.concern() };
        let pc = slot.next().map_or(0, |n| n.0);
        Some(*found(concern, since, (unit, warp, pc), What::Held { what, blocked }))
    }

    pub fn finish(&mut self, cycle: u64, outputs: &Outputs, memory: &Memory) -> Option<Found> {
        if let Some(found) = self.overdue(cycle, 0) {
            return Some(found);
        }
        if let Some(Err(e)) = self.model.frame.as_mut().map(|f| f.finish(&memory.image)) {
            return Some(of_frame(cycle, None, e));
        }
        if let Err(finding) = self.model.witness.end() {
            return Some(Found { concern: Concern::AtomicOrder, cycle, place: None, finding: *finding });
        }
        self.model.ask(cycle, None, outputs, &memory.image, |c, cx| c.end(cx))
    }

    /// What the checkers of merging, splitting and the end state say at the end.
    #[cfg(test)]
    pub fn ask_at_end(&mut self, cycle: u64, outputs: &Outputs, memory: &Memory) -> Option<Found> {
        self.model.ask(cycle, None, outputs, &memory.image, |c, cx| match c.concern() {
            Concern::Merge | Concern::Split | Concern::EndState => c.end(cx),
            _ => Ok(()),
        })
    }
}

fn of_frame(cycle: u64, place: Option<Place>, (concern, finding): (Concern, Box<Finding>)) -> Found {
    Found { concern, cycle, place, finding: *finding }
}

impl Model<'_> {
    /// Where a thread is, if there is such a slot.
    fn place(&self, thread: u16) -> Option<(usize, usize, u16)> {
        let (unit, warp) = place_of(thread);
        let exists = warp < self.config.warps_of_unit(unit);
        exists.then(|| (unit, warp, self.golden.warp(unit, warp).next().map_or(0, |n| n.0)))
    }

    pub fn overdue(&mut self, all: bool, cycle: u64, outputs: &Outputs, image: &Image) -> Option<Found> {
        self.ask(cycle, None, outputs, image, |c, cx| c.overdue(all, cx))
    }

    /// The model's launch of a launch event; the `number`th of a thread list.
    fn golden_launch(&self, number: u64, event: &LaunchEvent) -> Option<quadlock_golden::Launch> {
        let (unit, warp) = (event.unit.into(), event.warp.into());
        if let Some(list) = &self.launch.threads {
            let record = list.threads.get(number as usize)?;
            return Some(quadlock_golden::Launch::thread(record, unit, warp));
        }
        let [x, y, z] = event.group().map(u64::from);
        let [gx, gy, _] = self.grid.groups.map(u64::from);
        let ids = self.grid.launch_ids(x + gx * (y + gy * z), event.warp_in_group.into());
        let (in_group, slot) = (event.warp_in_group.into(), event.group_slot.into());
        Some(quadlock_golden::Launch::new(&self.grid, &ids, unit, warp, in_group, slot))
    }

    fn act(&mut self, action: &Action<'_>, cycle: u64, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        match action {
            Action::Launch { cycle: at, number, event } => {
                let place = (event.unit.into(), event.warp.into(), event.pc);
                if self.frame.is_some() {
                    return self.launch_of_frame((*at, *number), event, place, outputs, image);
                }
                let Some(launch) = self.golden_launch(*number, event) else {
                    return Err(found(Concern::Launch, *at, place, What::AfterLast));
                };
                match self.golden.launch(&launch) {
                    Ok(()) => {}
                    Err(LaunchError::Occupied { .. }) => return Ok(Step::Hold),
                    Err(e) => return Err(found(Concern::Launch, *at, place, What::Launch(e))),
                }
                self.witness.launched(event);
                match self.ask(*at, Some(place), outputs, image, |c, cx| c.launched(*at, event, cx)) {
                    Some(f) => Err(Box::new(f)),
                    None => Ok(Step::Done),
                }
            }
            Action::Acknowledge { cycle, unit, warp } => match self.golden.acknowledge(thread_id(*unit, *warp)) {
                Ok(()) => {
                    self.checkers.iter_mut().for_each(|c| c.acknowledged(*cycle, *unit, *warp));
                    Ok(Step::Done)
                }
                Err(StepError::NotAwaited { .. }) => Ok(Step::Hold),
                Err(e) => Err(found(Concern::Semaphore, *cycle, (*unit, *warp, 0), What::Step(e))),
            },
            Action::Merge { cycle: at, event } => self.merge(*at, event, outputs, image),
            Action::Split { cycle: at, event } => self.split(*at, event, outputs, image),
            Action::Perform(transaction, done) => self.perform(transaction, done, outputs, image),
            Action::Issue(record) => self.issue(record, cycle, outputs, image),
            Action::Complete(done) => self.complete(done, cycle, outputs, image),
        }
    }

    /// A warp of vertices or fragments.
    fn launch_of_frame(
        &mut self,
        (cycle, number): (u64, u64),
        event: &LaunchEvent,
        place: Place,
        outputs: &Outputs,
        image: &Image,
    ) -> Result<Step, Box<Found>> {
        let (unit, warp) = (place.0, place.1);
        if !self.golden.warp(unit, warp).is_free() {
            return Ok(Step::Hold);
        }
        let pair = self.frame.as_ref().and_then(|f| f.pair_of(number));
        let group = self.frame.as_ref().and_then(|f| f.group_of(number));
        let awaits = match (pair, group) {
            (Some(pair), Some(group)) => {
                let samples = self.frame.as_mut().map_or(Samples::One, |f| f.pass_samples(number));
                self.golden.awaits_twin((unit, warp), pair, group, samples)
            }
            _ => self.golden.awaits_pair(unit, warp, pair) || self.golden.awaits_group(unit, warp, group),
        };
        if awaits {
            return Ok(Step::Hold);
        }
        let Some(frame) = &mut self.frame else { return Ok(Step::Done) };
        let fail = |e: (Concern, Box<Finding>)| Box::new(of_frame(cycle, Some(place), e));
        let (tags, event_of_frame) = frame.launch(number, &mut self.golden).map_err(fail)?;
        let launch = quadlock_golden::Launch {
            unit,
            warp,
            mask: event.mask,
            pc: event.pc,
            first_warp: warp,
            warps_in_group: 1,
            graphics: Some(Box::new(tags)),
            ..quadlock_golden::Launch::default()
        };
        match self.golden.launch(&launch) {
            Ok(()) => {}
            Err(e @ LaunchError::NoGroup { .. }) => return Err(found(Concern::Split, cycle, place, What::Launch(e))),
            Err(e @ LaunchError::NoPair { .. }) => return Err(found(Concern::Merge, cycle, place, What::Launch(e))),
            Err(e) => return Err(found(Concern::Launch, cycle, place, What::Launch(e))),
        }
        match self.ask(cycle, Some(place), outputs, image, |c, cx| c.launched_in_frame(&event_of_frame, cx)) {
            Some(f) => Err(Box::new(f)),
            None => Ok(Step::Done),
        }
    }

    /// Two warps become one, as the machine has told (MS-11).
    fn merge(&mut self, cycle: u64, event: &MergeEvent, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        let (unit, kept, gone) = (event.unit.into(), event.kept.into(), event.gone.into());
        let merged = match self.golden.merge(unit, kept, gone) {
            Ok(merged) => merged,
            // What brings a member to its merge point may still be on its way.
            Err(StepError::NoMerge { .. }) => return Ok(Step::Hold),
            Err(e) => return Err(found(Concern::Merge, cycle, (unit, kept, 0), What::Step(e))),
        };
        let place = Some((unit, kept, self.golden.warp(unit, kept).next().map_or(0, |n| n.0)));
        match self.ask(cycle, place, outputs, image, |c, cx| c.merged(event, merged, cx)) {
            Some(f) => Err(Box::new(f)),
            None => Ok(Step::Done),
        }
    }

    /// A warp becomes one for each sample, as the machine has told (MS-40).
    fn split(&mut self, cycle: u64, event: &SplitEvent, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        let (unit, warp) = (event.unit.into(), event.warp.into());
        let split = match self.golden.split(unit, warp) {
            Ok(split) => split,
            // What brings it to its split point may still be on its way, or a member's launch.
            Err(StepError::NoSplit { .. }) => return Ok(Step::Hold),
            Err(e) => return Err(found(Concern::Split, cycle, (unit, warp, 0), What::Step(e))),
        };
        let place = Some((unit, warp, self.golden.warp(unit, warp).next().map_or(0, |n| n.0)));
        match self.ask(cycle, place, outputs, image, |c, cx| c.split(event, split, cx)) {
            Some(f) => Err(Box::new(f)),
            None => Ok(Step::Done),
        }
    }

    fn issue(&mut self, record: &Retired, cycle: u64, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        let place = (record.unit, usize::from(record.event.warp), record.event.pc);
        let slot = self.golden.warp(place.0, place.1);
        if slot.next().is_none() && !slot.is_ended() {
            // Blocked at a barrier: the instruction that opens it may still be on its way. The
            // barrier checker judges the order.
            return Ok(Step::Hold);
        }
        if slot.is_ended() && record.before_launch {
            return Ok(Step::Hold);
        }
        if slot.merging() != 0 && slot.next() != Some((record.event.pc, record.event.mask)) {
            if slot.is_paired() {
                // The partner's end may still be on its way.
                return Ok(Step::Hold);
            }
            self.golden.go_on(place.0, place.1);
        }
        self.ask(cycle, Some(place), outputs, image, |c, cx| c.before_issue(record, cx))
            .map_or(Ok(()), |f| Err(Box::new(f)))?;
        let effect = match self.golden.issue(place.0, place.1) {
            Ok(effect) => effect,
            Err(StepError::Hazard { .. } | StepError::NotDrained { .. } | StepError::NotKept { .. })
                if record.lagging =>
            {
                return Ok(Step::Hold);
            }
            Err(e) => return Err(found(Concern::Retire, record.cycle, place, What::Step(e))),
        };
        if let Some(f) = self.ask(record.cycle, Some(place), outputs, image, |c, cx| c.issued(record, &effect, cx)) {
            return Err(Box::new(f));
        }
        let golden = &self.golden;
        let given = self.frame.as_mut().map_or(Ok(()), |f| f.executed(place.0, place.1, golden));
        given.map_or_else(|e| Err(Box::new(of_frame(record.cycle, Some(place), e))), |()| Ok(Step::Done))
    }

    fn perform(
        &mut self,
        transaction: &Transaction,
        done: &Completed,
        outputs: &Outputs,
        image: &Image,
    ) -> Result<Step, Box<Found>> {
        let Transaction { cycle, core, line, write } = *transaction;
        let (unit, warp, order) = (done.unit, done.warp, done.order);
        let effect = self.golden.warp(unit, warp).effect_in_flight(order);
        let (pc, atomic) =
            effect.map_or((0, false), |e| (e.pc, e.mem.as_ref().is_some_and(|m| matches!(m.kind, MemKind::Atomic(_)))));
        let place = (unit, warp, pc);
        let question = |c: &mut dyn Checker, cx: &Context| c.performed((core, line, write), done, atomic, cx);
        if let Some(f) = self.ask(cycle, Some(place), outputs, image, question) {
            return Err(Box::new(f));
        }
        self.witness.performed(done, (line, write), atomic);
        match self.golden.perform(unit, warp, order, line, write) {
            Ok(()) => Ok(Step::Done),
            Err(e) => Err(found(Concern::Memory, cycle, place, What::Step(e))),
        }
    }

    fn complete(&mut self, done: &Completed, cycle: u64, outputs: &Outputs, image: &Image) -> Result<Step, Box<Found>> {
        let place = (done.unit, done.warp, 0);
        let by_line = self.config.total_cores() > 1 && !done.kept();
        if by_line && self.golden.is_unperformed(done.unit, done.warp, done.order) {
            return Ok(Step::Hold);
        }
        let effect = match self.golden.complete(done.unit, done.warp, done.order) {
            Ok(effect) => effect,
            Err(e) => return Err(found(Concern::Retire, cycle, place, What::Step(e))),
        };
        let place = Some((done.unit, done.warp, effect.pc));
        let steps = self.witness.completed(done, &effect, &self.golden);
        match self.ask(done.cycle, place, outputs, image, |c, cx| c.completed(done, &effect, &steps, cx)) {
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
        let Self { golden, grid, launch, config, ops, checkers, frame, .. } = self;
        let unordered = frame.as_ref().is_some_and(FrameFollow::may_differ);
        let cx = Context { cycle, golden, launch, grid, config, image, outputs, ops, unordered };
        for checker in checkers {
            if let Err(finding) = question(checker.as_mut(), &cx) {
                return Some(Found { concern: checker.concern(), cycle, place, finding: *finding });
            }
        }
        None
    }
}

fn found(concern: Concern, cycle: u64, place: Place, what: What) -> Box<Found> {
    Box::new(Found { concern, cycle, place: Some(place), finding: Finding::new(what) })
}
