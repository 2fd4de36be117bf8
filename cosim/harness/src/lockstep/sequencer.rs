//! Turns the machine's event ports into the order in which the golden model must act. Retirements of a warp slot are put into program order by
//! their sequence number; a memory instruction is performed when its `last` completion beat is seen, in the order of those beats per
//! pipeline (one global, one shared per unit), which is the machine's legal choice. A completion seen before its instruction's own
//! retirement waits for it, and those behind it in the same pipeline wait too. What the model cannot do yet (its receiver says [`Step::Hold`])
//! is tried again; what is held too long is for the caller to report. Wrong would be to reorder two memory instructions of one
//! pipeline: the model would read other values than the machine.

use std::collections::{BTreeMap, VecDeque};

use crate::engine::{CompletionEvent, LaunchEvent, Outputs, RetireEvent};

/// A retired instruction with its place in the slot's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retired {
    /// Cycle of its record at the retire port.
    pub cycle: u64,
    pub unit: usize,
    /// Sequence number without wrap-around.
    pub order: u64,
    pub event: RetireEvent,
    /// A completion of this warp has been seen and waits: the model's registers may lag behind the machine's.
    pub lagging: bool,
    /// The slot's next launch has been seen and waits for the slot: the record belongs to the warp before it.
    pub before_launch: bool,
}

/// A memory instruction all of whose beats have been seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// Cycle of the last beat.
    pub cycle: u64,
    pub unit: usize,
    pub warp: usize,
    pub seq: u8,
    pub order: u64,
    pub shared: bool,
    pub beats: Vec<CompletionEvent>,
}

/// What the golden model is to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Launch { cycle: u64, event: LaunchEvent },
    Issue(Retired),
    Complete(Completed),
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

#[derive(Clone, Debug, Default)]
struct Slot {
    /// Order number of the next instruction to issue.
    next: u64,
    retired: BTreeMap<u64, (u64, RetireEvent)>,
    /// (order number before which it comes, cycle, launch).
    launches: VecDeque<(u64, u64, LaunchEvent)>,
    /// Beats of instructions that are not complete.
    beats: BTreeMap<u64, Vec<CompletionEvent>>,
    /// Completions seen and not performed by the model.
    waiting: u32,
}

impl Slot {
    /// The order number nearest to `next` that has this sequence number. Retirement lags issue by less than half the range.
    fn order(&self, seq: u8) -> u64 {
        let ahead = seq.wrapping_sub(self.next as u8);
        if ahead < 128 || self.next < 256 - u64::from(ahead) {
            self.next + u64::from(ahead)
        } else {
            self.next - u64::from(ahead.wrapping_neg())
        }
    }

    /// One past the newest instruction known.
    fn end(&self) -> u64 {
        let newest = self.retired.last_key_value().map_or(0, |(&order, _)| order + 1);
        newest.max(self.next)
    }
}

/// The sequencer of one core.
pub struct Sequencer {
    warps: usize,
    slots: Vec<Slot>,
    /// Pipelines: 0 is global, 1 + unit is that unit's shared one.
    pipelines: Vec<VecDeque<Completed>>,
    /// Cycle of the last event or finished action.
    moved: u64,
}

impl Sequencer {
    pub fn new(units: usize, warps: usize) -> Self {
        Self {
            warps,
            slots: vec![Slot::default(); units * warps],
            pipelines: vec![VecDeque::new(); 1 + units],
            moved: 0,
        }
    }

    fn slot(&mut self, unit: usize, warp: usize) -> Option<&mut Slot> {
        let warps = self.warps;
        self.slots.get_mut(unit * warps + warp).filter(|_| warp < warps)
    }

    /// Takes in the events of one cycle.
    ///
    /// # Errors
    /// An event that no machine may send, in words.
    pub fn observe(&mut self, cycle: u64, outputs: &Outputs) -> Result<bool, String> {
        let mut any = false;
        for (unit, events) in outputs.units.iter().enumerate() {
            if let Some(event) = events.retire {
                any = true;
                self.retire(cycle, unit, event)?;
            }
            if let Some(event) = events.completion {
                any = true;
                self.complete(cycle, unit, event)?;
            }
        }
        if let Some(event) = outputs.launch {
            any = true;
            let slot = self.slot(event.unit.into(), event.warp.into());
            let slot = slot
                .ok_or_else(|| format!("launch into unit {} warp {}, which does not exist", event.unit, event.warp))?;
            let before = slot.end();
            slot.launches.push_back((before, cycle, event));
        }
        if any {
            self.moved = cycle;
        }
        Ok(any)
    }

    fn retire(&mut self, cycle: u64, unit: usize, event: RetireEvent) -> Result<(), String> {
        let slot = self.slot(unit, event.warp.into());
        let slot =
            slot.ok_or_else(|| format!("retirement of unit {unit} warp {}, which does not exist", event.warp))?;
        let order = slot.order(event.seq);
        if order < slot.next || slot.retired.insert(order, (cycle, event)).is_some() {
            return Err(format!("unit {unit} warp {} retires sequence number {} twice", event.warp, event.seq));
        }
        Ok(())
    }

    fn complete(&mut self, cycle: u64, unit: usize, event: CompletionEvent) -> Result<(), String> {
        let slot = self.slot(unit, event.warp.into());
        let slot =
            slot.ok_or_else(|| format!("completion for unit {unit} warp {}, which does not exist", event.warp))?;
        let order = slot.order(event.seq);
        let beats = slot.beats.entry(order).or_default();
        beats.push(event);
        if !event.last {
            return Ok(());
        }
        let beats = std::mem::take(beats);
        slot.beats.remove(&order);
        slot.waiting += 1;
        let (warp, seq, shared) = (usize::from(event.warp), event.seq, event.shared);
        let pipeline = if shared { 1 + unit } else { 0 };
        self.pipelines[pipeline].push_back(Completed { cycle, unit, warp, seq, order, shared, beats });
        Ok(())
    }

    /// Offers every action that is due to `act`, until none can be done. Returns false if `act` said stop.
    pub fn drain(&mut self, cycle: u64, act: &mut dyn FnMut(&Action) -> Step) -> bool {
        loop {
            let mut progress = false;
            for pipeline in 0..self.pipelines.len() {
                match self.drain_pipeline(pipeline, act) {
                    Some(done) => progress |= done,
                    None => return false,
                }
            }
            for slot in 0..self.slots.len() {
                match self.drain_slot(slot, act) {
                    Some(done) => progress |= done,
                    None => return false,
                }
            }
            if !progress {
                return true;
            }
            self.moved = cycle;
        }
    }

    fn drain_pipeline(&mut self, pipeline: usize, act: &mut dyn FnMut(&Action) -> Step) -> Option<bool> {
        let mut progress = false;
        while let Some(head) = self.pipelines[pipeline].front() {
            let index = head.unit * self.warps + head.warp;
            if head.order >= self.slots[index].next {
                break;
            }
            match act(&Action::Complete(head.clone())) {
                Step::Done => progress = true,
                Step::Hold => break,
                Step::Stop => return None,
            }
            self.slots[index].waiting -= 1;
            self.pipelines[pipeline].pop_front();
        }
        Some(progress)
    }

    fn drain_slot(&mut self, index: usize, act: &mut dyn FnMut(&Action) -> Step) -> Option<bool> {
        let mut progress = false;
        loop {
            let unit = index / self.warps;
            let slot = &mut self.slots[index];
            let mut launch_held = false;
            if let Some(&(_, cycle, event)) = slot.launches.front().filter(|l| l.0 <= slot.next) {
                match act(&Action::Launch { cycle, event }) {
                    Step::Done => {
                        slot.launches.pop_front();
                        progress = true;
                        continue;
                    }
                    // The last instructions of the slot's old warp may be reported after the launch of the new one.
                    Step::Hold => launch_held = true,
                    Step::Stop => return None,
                }
            }
            let Some((&order, &(cycle, event))) = slot.retired.first_key_value() else { return Some(progress) };
            if order != slot.next {
                return Some(progress);
            }
            let (lagging, before_launch) = (slot.waiting > 0, launch_held);
            match act(&Action::Issue(Retired { cycle, unit, order, event, lagging, before_launch })) {
                Step::Done => {
                    slot.retired.pop_first();
                    slot.next += 1;
                    progress = true;
                }
                Step::Hold => return Some(progress),
                Step::Stop => return None,
            }
        }
    }

    /// Nothing is held and no completion is under way.
    pub fn is_empty(&self) -> bool {
        let idle = |s: &Slot| s.retired.is_empty() && s.launches.is_empty() && s.beats.is_empty();
        self.slots.iter().all(idle) && self.pipelines.iter().all(VecDeque::is_empty)
    }

    /// Cycle since which what is held has been waiting without any event or action.
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// The oldest thing held: (cycle, unit, warp, what), for a report.
    pub fn oldest(&self) -> Option<(u64, usize, usize, String)> {
        let mut all = Vec::new();
        for (index, slot) in self.slots.iter().enumerate() {
            let (unit, warp) = (index / self.warps, index % self.warps);
            if let Some((order, (cycle, event))) = slot.retired.first_key_value() {
                let what = match order == &slot.next {
                    true => format!("the instruction at pc {} cannot be executed by the model", event.pc),
                    false => format!("sequence number {} never retired, {} did", slot.next as u8, event.seq),
                };
                all.push((*cycle, unit, warp, what));
            }
            if let Some((_, cycle, event)) = slot.launches.front() {
                all.push((
                    *cycle,
                    unit,
                    warp,
                    format!("launch of group {:?} into a slot that is not free", event.group),
                ));
            }
        }
        for head in self.pipelines.iter().filter_map(VecDeque::front) {
            let what = format!("memory instruction {} completed without having retired", head.seq);
            all.push((head.cycle, head.unit, head.warp, what));
        }
        all.into_iter().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::UnitOutputs;

    fn outputs(retire: Option<RetireEvent>, completion: Option<CompletionEvent>) -> Outputs {
        let unit = UnitOutputs { retire, completion, ..UnitOutputs::default() };
        Outputs { units: vec![unit], ..Outputs::default() }
    }

    fn ret(warp: u8, seq: u8, mem: bool) -> Option<RetireEvent> {
        Some(RetireEvent { warp, seq, mem, ..RetireEvent::default() })
    }

    fn last(warp: u8, seq: u8) -> Option<CompletionEvent> {
        Some(CompletionEvent { warp, seq, last: true, ..CompletionEvent::default() })
    }

    /// (issue?, warp, seq) of everything done by feeding `events` one per cycle.
    fn run(s: &mut Sequencer, events: &[(Option<RetireEvent>, Option<CompletionEvent>)]) -> Vec<(bool, u8, u8)> {
        let mut done = Vec::new();
        for (cycle, &(retire, completion)) in events.iter().enumerate() {
            s.observe(cycle as u64, &outputs(retire, completion)).unwrap();
            s.drain(cycle as u64, &mut |action| {
                match action {
                    Action::Issue(r) => done.push((true, r.event.warp, r.event.seq)),
                    Action::Complete(c) => done.push((false, c.warp as u8, c.seq)),
                    Action::Launch { .. } => {}
                }
                Step::Done
            });
        }
        done
    }

    #[test]
    fn records_out_of_order_are_issued_in_program_order() {
        let mut s = Sequencer::new(1, 2);
        let done = run(&mut s, &[(ret(0, 1, false), None), (ret(0, 2, false), None), (ret(0, 0, false), None)]);
        assert_eq!(done, [(true, 0, 0), (true, 0, 1), (true, 0, 2)]);
        assert!(s.is_empty());
    }

    #[test]
    fn a_completion_before_its_retirement_holds_those_behind_it() {
        let mut s = Sequencer::new(1, 2);
        let events = [(ret(1, 0, true), None), (None, last(0, 0)), (None, last(1, 0)), (ret(0, 0, true), None)];
        let done = run(&mut s, &events);
        assert_eq!(done, [(true, 1, 0), (true, 0, 0), (false, 0, 0), (false, 1, 0)]);
    }

    #[test]
    fn sequence_numbers_wrap() {
        let mut s = Sequencer::new(1, 1);
        let events: Vec<_> = (0..600u32).map(|i| (ret(0, i as u8, false), None)).collect();
        assert_eq!(run(&mut s, &events).len(), 600);
        assert!(s.observe(600, &outputs(ret(0, 87, false), None)).is_err(), "the same number again");
    }

    #[test]
    fn what_is_held_is_offered_again_and_named() {
        let mut s = Sequencer::new(1, 1);
        s.observe(5, &outputs(ret(0, 0, false), None)).unwrap();
        assert!(s.drain(5, &mut |_| Step::Hold));
        assert!(!s.is_empty());
        assert_eq!(s.oldest().unwrap().0, 5);
        assert!(s.drain(6, &mut |_| Step::Done));
        assert!(s.is_empty());
    }

    #[test]
    fn a_missing_sequence_number_is_named() {
        let mut s = Sequencer::new(1, 1);
        s.observe(5, &outputs(ret(0, 1, false), None)).unwrap();
        s.drain(5, &mut |_| Step::Done);
        assert!(s.oldest().unwrap().3.contains("number 0 never retired"));
    }
}
