//! Turns the machine's event ports into the order in which the golden model must act. Retirements
//! of a warp slot are put into program order by their sequence number; a memory or function
//! instruction is performed when its `last` completion beat is seen, in the order of those beats
//! per pipeline (one global; one shared and one of functions per unit), which is the machine's
//! legal choice. A completion seen before its instruction's own retirement waits for it, and those
//! behind it in the same pipeline wait too. What the model cannot do yet (its receiver says
//! [`Step::Hold`]) is tried again; what is held too long is for the caller to report. Wrong would
//! be to reorder two memory instructions of one pipeline: the model would read other values than
//! the machine.
//!
//! With several cores the global instructions of different cores overlap, so their order is that of
//! the transactions at the memory port: the oldest transaction belongs to its core's oldest
//! instruction not wholly performed, and is performed when that instruction is known (it has
//! completed and its retirement was followed); those behind it wait. That cannot block for ever: an
//! instruction depends only on transactions before its own.

use std::collections::VecDeque;

use quadlock_golden::semaphores::place_of;
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::{decode, Class};

use crate::lockstep::finding::{Held, HeldSince, Impossible};
use crate::machine::ports::{CompletionEvent, LaunchEvent, MergeEvent, MessageKind, Outputs, RetireEvent, SplitEvent};

/// A retired instruction with its place in the slot's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Cycle of its record at the retire port.
    pub cycle: u64,
    pub unit: usize,
    /// Sequence number without wrap-around.
    pub order: u64,
    pub event: RetireEvent,
    /// A completion of this warp has been seen and waits: the model's registers may lag behind the
    /// machine's.
    pub lagging: bool,
    /// The slot's next launch has been seen and waits for the slot: the record belongs to the warp
    /// before it.
    pub before_launch: bool,
}

/// A memory or function instruction all of whose beats have been seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Cycle of the last beat.
    pub cycle: u64,
    pub unit: usize,
    pub warp: usize,
    pub seq: u8,
    pub order: u64,
    pub shared: bool,
    /// From the unit's function unit; with `shared` the kept result of a warp-wide atomic.
    pub function: bool,
    pub beats: Vec<CompletionEvent>,
}

/// A transaction of a core's load/store pipeline at the memory port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    pub cycle: u64,
    pub core: usize,
    /// Byte address of the line.
    pub line: u32,
    pub write: bool,
}

/// What the golden model is to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// `number` counts the launches from 0.
    Launch {
        cycle: u64,
        number: u64,
        event: &'a LaunchEvent,
    },
    /// An ACK_MSG was transferred in that cycle.
    Acknowledge {
        cycle: u64,
        unit: usize,
        warp: usize,
    },
    Issue(&'a Retired),
    /// Two warps became one in that cycle (MS-11).
    Merge {
        cycle: u64,
        event: &'a MergeEvent,
    },
    /// A warp became one for each sample in that cycle (MS-40).
    Split {
        cycle: u64,
        event: &'a SplitEvent,
    },
    /// A transaction of a global instruction; only with several cores.
    Perform(&'a Transaction, &'a Completed),
    Complete(&'a Completed),
}

/// What became of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Done,
    /// Not possible yet.
    Hold,
    /// A mismatch: stop.
    Stop,
}

/// The pipelines that complete a unit's instructions, each in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pipeline {
    Global,
    Shared,
    Function,
    /// Kept results for late lanes (WW-27): none of the above, and in the order of nobody else.
    Kept,
}

impl Completed {
    /// The kept result of a warp-wide atomic, for late lanes (WW-27).
    pub fn kept(&self) -> bool {
        self.shared && self.function
    }
}

impl Pipeline {
    /// That of an instruction word. One that is undefined does not complete.
    fn of(word: u64) -> Self {
        match decode(word).map(|i| i.op.class()) {
            Ok(Class::Shared) => Self::Shared,
            Ok(Class::Function) => Self::Function,
            _ => Self::Global,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Slot {
    /// Order number of the next instruction to issue.
    next: u64,
    /// Records not yet followed, by rising order number. They come nearly in order.
    retired: VecDeque<Retired>,
    /// (order number before which it comes, cycle, number of the launch, launch).
    launches: VecDeque<(u64, u64, u64, LaunchEvent)>,
    /// Cycles of acknowledgements that the model's thread has not got.
    acknowledgements: VecDeque<u64>,
    /// One past the newest instruction that has retired.
    end: u64,
    /// Instructions that have retired and not completed, by pipeline and rising order number.
    outstanding: [VecDeque<u64>; 3],
    /// Instructions that have completed and not retired: a handful.
    early: Vec<u64>,
    /// Beats of instructions that are not complete, by order number: a handful.
    beats: Vec<(u64, Vec<CompletionEvent>)>,
    /// Completions seen and not performed by the model.
    waiting: u32,
}

impl Slot {
    /// The order number with this sequence number that is nearest to the newest instruction known:
    /// retire records come nearly in order, however far the model or a completion lies behind.
    fn order(&self, seq: u8) -> u64 {
        let ahead = seq.wrapping_sub(self.end as u8);
        if ahead < 128 || self.end < 256 - u64::from(ahead) {
            self.end + u64::from(ahead)
        } else {
            self.end - u64::from(ahead.wrapping_neg())
        }
    }

    /// The order number of a completion: that of the oldest instruction outstanding in its
    /// pipeline, where completions come in order. An instruction that has not retired yet is not
    /// outstanding; it is among the newest.
    fn completing(&self, pipeline: Pipeline, seq: u8) -> Result<u64, u8> {
        if pipeline == Pipeline::Kept {
            // It retires in the cycle of its first beat, or one before that of its last.
            return Ok(self.order(seq));
        }
        let outstanding = &self.outstanding[pipeline as usize];
        match outstanding.front() {
            Some(&oldest) if oldest as u8 == seq => Ok(oldest),
            Some(&oldest) if outstanding.contains(&self.order(seq)) => Err(oldest as u8),
            _ => Ok(self.order(seq)),
        }
    }

    /// Puts a record in its place; false if there is one of that number.
    fn insert(&mut self, record: Retired) -> bool {
        let at = self.retired.iter().rposition(|r| r.order <= record.order).map_or(0, |i| i + 1);
        if at > 0 && self.retired[at - 1].order == record.order {
            return false;
        }
        self.retired.insert(at, record);
        true
    }

    /// A retired instruction will complete, if it has not done so before its record came.
    fn await_completion(&mut self, pipeline: Pipeline, order: u64) {
        if let Some(at) = self.early.iter().position(|&e| e == order) {
            self.early.swap_remove(at);
            return;
        }
        let outstanding = &mut self.outstanding[pipeline as usize];
        let at = outstanding.iter().rposition(|&o| o < order).map_or(0, |i| i + 1);
        outstanding.insert(at, order);
    }

    /// The last beat has been seen.
    fn completed(&mut self, pipeline: Pipeline, order: u64) {
        if pipeline == Pipeline::Kept {
            // Its word told the pipeline that would have executed it.
            self.outstanding.iter_mut().for_each(|list| list.retain(|&o| o != order));
            return;
        }
        match self.outstanding[pipeline as usize].front() {
            Some(&oldest) if oldest == order => drop(self.outstanding[pipeline as usize].pop_front()),
            _ => self.early.push(order),
        }
    }

    /// Something waits to be followed.
    fn holds(&self) -> bool {
        !self.retired.is_empty() || !self.launches.is_empty() || !self.acknowledgements.is_empty()
    }
}

/// Slots of the machine by bit: at most 32 units of 16.
type SlotSet = [u64; 8];

fn mark(set: &mut SlotSet, index: usize, on: bool) {
    let bit = 1 << (index % 64);
    match on {
        true => set[index / 64] |= bit,
        false => set[index / 64] &= !bit,
    }
}

/// The sequencer of a machine. Costs nothing in a cycle without events.
#[derive(Clone, Debug)]
pub struct Sequencer {
    warps: usize,
    cores: usize,
    /// By unit: its core.
    core_of: Vec<usize>,
    slots: Vec<Slot>,
    /// Pipelines: first the global ones of the cores, then every unit's shared one, then every
    /// unit's function unit, then every unit's kept results.
    pipelines: Vec<VecDeque<Completed>>,
    /// Transactions at the memory port that are not performed by the model; of one core none are
    /// kept.
    port: VecDeque<Transaction>,
    /// Merges that the model has not made, with their cycles.
    merges: VecDeque<(u64, MergeEvent)>,
    /// The same of splits.
    splits: VecDeque<(u64, SplitEvent)>,
    launches: u64,
    /// By unit: the numbers of its launches that the model has not made. It makes them in this
    /// order, for groups and pairs of them take several slots at once: a later launch into one of
    /// these would be in the way of an earlier one that waits for another.
    to_launch: Vec<VecDeque<u64>>,
    /// Slots that hold something.
    holding: SlotSet,
    /// Instructions with some but not all beats.
    partial: usize,
    /// Completions in the pipelines.
    queued: usize,
    /// Emptied lists of beats, to be used again.
    spare: Vec<Vec<CompletionEvent>>,
}

impl Sequencer {
    /// For the machine of that configuration.
    pub fn of(config: &GpuConfig) -> Self {
        let core_of = config.unit_places().iter().map(|u| u.core).collect();
        Self { core_of, ..Self::new(config.total_cores(), config.total_units(), config.most_warps()) }
    }

    /// The same behind other starts, in which so many instructions of each slot have retired.
    pub fn after(mut self, retired: &[u64]) -> Self {
        for (slot, &retired) in self.slots.iter_mut().zip(retired) {
            (slot.next, slot.end) = (retired, retired);
        }
        self
    }

    /// `units` of all `cores`, which are alike.
    pub fn new(cores: usize, units: usize, warps: usize) -> Self {
        Self {
            warps,
            cores,
            core_of: (0..units).map(|u| u / (units / cores).max(1)).collect(),
            slots: vec![Slot::default(); units * warps],
            pipelines: vec![VecDeque::new(); cores + 3 * units],
            port: VecDeque::new(),
            merges: VecDeque::new(),
            splits: VecDeque::new(),
            launches: 0,
            to_launch: vec![VecDeque::new(); units],
            holding: [0; 8],
            partial: 0,
            queued: 0,
            spare: Vec::new(),
        }
    }

    /// Index of a slot that exists.
    fn index(&self, unit: usize, warp: usize) -> Option<usize> {
        let index = unit * self.warps + warp;
        (warp < self.warps && index < self.slots.len()).then_some(index)
    }

    /// Takes in the events of one cycle; says whether there were any.
    ///
    /// # Errors
    /// An event that no machine may send.
    pub fn observe(&mut self, cycle: u64, outputs: &Outputs) -> Result<bool, Impossible> {
        let mut any = false;
        for (unit, events) in outputs.units.iter().enumerate() {
            if let Some(event) = &events.retire {
                any = true;
                self.retire(cycle, unit, event)?;
            }
            if let Some(event) = &events.completion {
                any = true;
                self.complete(cycle, unit, event)?;
            }
        }
        if let Some(event) = outputs.launch {
            any = true;
            let index = self
                .index(event.unit.into(), event.warp.into())
                .ok_or(Impossible::Launch { unit: event.unit, warp: event.warp })?;
            let before = self.slots[index].end;
            self.slots[index].launches.push_back((before, cycle, self.launches, event));
            self.to_launch[usize::from(event.unit)].push_back(self.launches);
            self.launches += 1;
            mark(&mut self.holding, index, true);
        }
        for event in &outputs.graphics.merges {
            any = true;
            let MergeEvent { unit, kept, gone, .. } = *event;
            if let Some(warp) = [kept, gone].into_iter().find(|&w| self.index(unit.into(), w.into()).is_none()) {
                return Err(Impossible::Merge { unit, warp });
            }
            self.merges.push_back((cycle, *event));
        }
        for event in &outputs.graphics.splits {
            any = true;
            let SplitEvent { unit, warp, others, .. } = *event;
            let last = usize::from(warp) + usize::from(others);
            if self.index(unit.into(), last).is_none() {
                return Err(Impossible::Split { unit, warp: last as u8 });
            }
            self.splits.push_back((cycle, *event));
        }
        for event in outputs.bus.iter().filter(|e| e.kind == MessageKind::Acknowledge) {
            any = true;
            let (unit, warp) = place_of(event.thread);
            let (semaphore, thread) = (event.semaphore, event.thread);
            let index = self.index(unit, warp).ok_or(Impossible::Acknowledgement { semaphore, thread })?;
            self.slots[index].acknowledgements.push_back(cycle);
            mark(&mut self.holding, index, true);
        }
        Ok(any)
    }

    /// Takes in a transaction of a core's load/store pipeline. To be called only with several
    /// cores.
    pub fn transaction(&mut self, transaction: Transaction) {
        self.port.push_back(transaction);
    }

    fn retire(&mut self, cycle: u64, unit: usize, event: &RetireEvent) -> Result<(), Impossible> {
        let index = self.index(unit, event.warp.into()).ok_or(Impossible::Retirement { unit, warp: event.warp })?;
        let slot = &mut self.slots[index];
        let order = slot.order(event.seq);
        let record = Retired { cycle, unit, order, event: *event, lagging: false, before_launch: false };
        if order < slot.next || !slot.insert(record) {
            return Err(Impossible::RetiresTwice { unit, warp: event.warp, seq: event.seq });
        }
        slot.end = slot.end.max(order + 1);
        if event.mem {
            slot.await_completion(Pipeline::of(event.word()), order);
        }
        mark(&mut self.holding, index, true);
        Ok(())
    }

    fn complete(&mut self, cycle: u64, unit: usize, event: &CompletionEvent) -> Result<(), Impossible> {
        let index = self.index(unit, event.warp.into()).ok_or(Impossible::Completion { unit, warp: event.warp })?;
        let slot = &mut self.slots[index];
        let pipeline = match (event.shared, event.function) {
            _ if event.kept() => Pipeline::Kept,
            (_, true) => Pipeline::Function,
            (true, _) => Pipeline::Shared,
            _ => Pipeline::Global,
        };
        let order = slot.completing(pipeline, event.seq).map_err(|oldest| Impossible::Overtakes {
            unit,
            warp: event.warp,
            seq: event.seq,
            oldest,
        })?;
        let at = slot.beats.iter().position(|b| b.0 == order);
        if !event.last {
            match at {
                Some(at) => slot.beats[at].1.push(*event),
                None => {
                    let mut beats = self.spare.pop().unwrap_or_default();
                    beats.push(*event);
                    slot.beats.push((order, beats));
                    self.partial += 1;
                }
            }
            return Ok(());
        }
        let mut beats = match at {
            Some(at) => {
                self.partial -= 1;
                slot.beats.swap_remove(at).1
            }
            None => self.spare.pop().unwrap_or_default(),
        };
        beats.push(*event);
        slot.completed(pipeline, order);
        slot.waiting += 1;
        self.queued += 1;
        let (warp, seq) = (usize::from(event.warp), event.seq);
        let CompletionEvent { shared, function, .. } = *event;
        let units = self.slots.len() / self.warps;
        let pipeline = match pipeline {
            Pipeline::Kept => self.cores + 2 * units + unit,
            Pipeline::Function => self.cores + units + unit,
            Pipeline::Shared => self.cores + unit,
            Pipeline::Global => self.core_of[unit],
        };
        let done = Completed { cycle, unit, warp, seq, order, shared, function, beats };
        self.pipelines[pipeline].push_back(done);
        Ok(())
    }

    /// Offers every action that is due to `act`, until none can be done. Returns false if `act`
    /// said stop.
    pub fn drain(&mut self, act: &mut dyn FnMut(&Action<'_>) -> Step) -> bool {
        loop {
            let mut progress = false;
            for pipeline in 0..self.pipelines.len() {
                match self.drain_pipeline(pipeline, act) {
                    Some(done) => progress |= done,
                    None => return false,
                }
            }
            match self.drain_port(act) {
                Some(done) => progress |= done,
                None => return false,
            }
            match self.drain_merges(act) {
                Some(done) => progress |= done,
                None => return false,
            }
            match self.drain_splits(act) {
                Some(done) => progress |= done,
                None => return false,
            }
            for word in 0..self.holding.len() {
                let mut holding = self.holding[word];
                while holding != 0 {
                    let index = 64 * word + holding.trailing_zeros() as usize;
                    holding &= holding - 1;
                    match self.drain_slot(index, act) {
                        Some(done) => progress |= done,
                        None => return false,
                    }
                    if !self.slots[index].holds() {
                        mark(&mut self.holding, index, false);
                    }
                }
            }
            if !progress || self.is_idle() {
                return true;
            }
        }
    }

    fn drain_pipeline(&mut self, pipeline: usize, act: &mut dyn FnMut(&Action<'_>) -> Step) -> Option<bool> {
        let mut progress = false;
        while let Some(head) = self.pipelines[pipeline].front() {
            let index = head.unit * self.warps + head.warp;
            if head.order >= self.slots[index].next {
                break;
            }
            match act(&Action::Complete(head)) {
                Step::Done => progress = true,
                Step::Hold => break,
                Step::Stop => return None,
            }
            self.slots[index].waiting -= 1;
            self.queued -= 1;
            if let Some(mut done) = self.pipelines[pipeline].pop_front() {
                done.beats.clear();
                self.spare.push(done.beats);
            }
        }
        Some(progress)
    }

    /// Performs the transactions whose instructions are known, in order.
    fn drain_port(&mut self, act: &mut dyn FnMut(&Action<'_>) -> Step) -> Option<bool> {
        let mut progress = false;
        while let Some(transaction) = self.port.front() {
            let core = transaction.core;
            let Some(head) = self.pipelines.get(core).and_then(VecDeque::front) else { break };
            if head.order >= self.slots[head.unit * self.warps + head.warp].next {
                break;
            }
            match act(&Action::Perform(transaction, head)) {
                Step::Done => progress = true,
                Step::Hold => break,
                Step::Stop => return None,
            }
            self.port.pop_front();
            self.drain_pipeline(core, act)?;
        }
        Some(progress)
    }

    /// Merges in whatever order the members are ready in.
    fn drain_merges(&mut self, act: &mut dyn FnMut(&Action<'_>) -> Step) -> Option<bool> {
        let mut progress = false;
        let mut at = 0;
        while let Some((cycle, event)) = self.merges.get(at) {
            match act(&Action::Merge { cycle: *cycle, event }) {
                Step::Done => {
                    self.merges.remove(at);
                    progress = true;
                }
                Step::Hold => at += 1,
                Step::Stop => return None,
            }
        }
        Some(progress)
    }

    /// Splits in whatever order the groups are ready in; two of one slot in theirs.
    fn drain_splits(&mut self, act: &mut dyn FnMut(&Action<'_>) -> Step) -> Option<bool> {
        let mut progress = false;
        let mut at = 0;
        while let Some((cycle, event)) = self.splits.get(at) {
            let same = |before: &(u64, SplitEvent)| (before.1.unit, before.1.warp) == (event.unit, event.warp);
            if self.splits.range(..at).any(same) {
                at += 1;
                continue;
            }
            match act(&Action::Split { cycle: *cycle, event }) {
                Step::Done => {
                    self.splits.remove(at);
                    progress = true;
                }
                Step::Hold => at += 1,
                Step::Stop => return None,
            }
        }
        Some(progress)
    }

    fn drain_slot(&mut self, index: usize, act: &mut dyn FnMut(&Action<'_>) -> Step) -> Option<bool> {
        let mut progress = false;
        let (unit, warp) = (index / self.warps, index % self.warps);
        loop {
            let slot = &mut self.slots[index];
            if let Some(&cycle) = slot.acknowledgements.front() {
                match act(&Action::Acknowledge { cycle, unit, warp }) {
                    Step::Done => {
                        slot.acknowledgements.pop_front();
                        progress = true;
                        continue;
                    }
                    // The acquire, or the launch, has still to be followed: records come later than
                    // messages.
                    Step::Hold => {}
                    Step::Stop => return None,
                }
            }
            let mut launch_held = false;
            if let Some((_, cycle, number, event)) = slot.launches.front().filter(|l| l.0 <= slot.next) {
                let is_next = self.to_launch[unit].front() == Some(number);
                let step = match is_next {
                    true => act(&Action::Launch { cycle: *cycle, number: *number, event }),
                    false => Step::Hold,
                };
                match step {
                    Step::Done => {
                        slot.launches.pop_front();
                        self.to_launch[unit].pop_front();
                        progress = true;
                        continue;
                    }
                    // The last instructions of the slot's old warp may be reported after the launch
                    // of the new one.
                    Step::Hold => launch_held = true,
                    Step::Stop => return None,
                }
            }
            let Some(head) = slot.retired.front_mut() else { return Some(progress) };
            if head.order != slot.next {
                return Some(progress);
            }
            head.lagging = slot.waiting > 0;
            head.before_launch = launch_held;
            match act(&Action::Issue(head)) {
                Step::Done => {
                    slot.retired.pop_front();
                    slot.next += 1;
                    progress = true;
                }
                Step::Hold => return Some(progress),
                Step::Stop => return None,
            }
        }
    }

    /// Nothing is held for the model.
    fn is_idle(&self) -> bool {
        self.holding == [0; 8]
            && self.queued == 0
            && self.port.is_empty()
            && self.merges.is_empty()
            && self.splits.is_empty()
    }

    /// Nothing is held and no completion is under way.
    pub fn is_empty(&self) -> bool {
        self.is_idle() && self.partial == 0
    }

    /// The oldest thing held.
    pub fn oldest(&self) -> Option<HeldSince> {
        let mut all = Vec::new();
        let mut add = |cycle, unit, warp, what| all.push(HeldSince { cycle, unit, warp, what });
        for (index, slot) in self.slots.iter().enumerate() {
            let (unit, warp) = (index / self.warps, index % self.warps);
            if let Some(Retired { order, cycle, event, .. }) = slot.retired.front() {
                let what = match order == &slot.next {
                    true => Held::Instruction { pc: event.pc },
                    false => Held::NeverRetired { missing: slot.next as u8, seen: event.seq },
                };
                add(*cycle, unit, warp, what);
            }
            if let Some(&cycle) = slot.acknowledgements.front() {
                add(cycle, unit, warp, Held::Acknowledgement);
            }
            if let Some((_, cycle, _, event)) = slot.launches.front() {
                add(*cycle, unit, warp, Held::Launch { group: event.group() });
            }
        }
        for &(cycle, MergeEvent { unit, kept, gone, .. }) in &self.merges {
            add(cycle, unit.into(), kept.into(), Held::Merge { gone });
        }
        for &(cycle, SplitEvent { unit, warp, .. }) in &self.splits {
            add(cycle, unit.into(), warp.into(), Held::Split);
        }
        for head in self.pipelines.iter().filter_map(VecDeque::front) {
            add(head.cycle, head.unit, head.warp, Held::Completed { seq: head.seq });
        }
        if let Some(&Transaction { cycle, core, line, write }) = self.port.front() {
            let unit = self.core_of.iter().position(|&c| c == core).unwrap_or(0);
            add(cycle, unit, 0, Held::Transaction { write, line, core });
        }
        all.into_iter().min()
    }
}

#[cfg(test)]
mod tests;
