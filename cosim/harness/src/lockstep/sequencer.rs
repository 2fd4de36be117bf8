//! Turns the machine's event ports into the order in which the golden model must act. Retirements of a warp slot are put into program order by
//! their sequence number; a memory or function instruction is performed when its `last` completion beat is seen, in the order of those beats per
//! pipeline (one global; one shared and one of functions per unit), which is the machine's legal choice. A completion seen before its instruction's own
//! retirement waits for it, and those behind it in the same pipeline wait too. What the model cannot do yet (its receiver says [`Step::Hold`])
//! is tried again; what is held too long is for the caller to report. Wrong would be to reorder two memory instructions of one
//! pipeline: the model would read other values than the machine.

use std::collections::VecDeque;

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
    /// From the unit's function unit.
    pub function: bool,
    pub beats: Vec<CompletionEvent>,
}

/// What the golden model is to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Action<'a> {
    Launch { cycle: u64, event: &'a LaunchEvent },
    Issue(&'a Retired),
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

#[derive(Clone, Debug, Default)]
struct Slot {
    /// Order number of the next instruction to issue.
    next: u64,
    /// Records not yet followed, by rising order number. They come nearly in order.
    retired: VecDeque<Retired>,
    /// (order number before which it comes, cycle, launch).
    launches: VecDeque<(u64, u64, LaunchEvent)>,
    /// Beats of instructions that are not complete, by order number: a handful.
    beats: Vec<(u64, Vec<CompletionEvent>)>,
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
        let newest = self.retired.back().map_or(0, |r| r.order + 1);
        newest.max(self.next)
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

    /// Something waits to be followed.
    fn holds(&self) -> bool {
        !self.retired.is_empty() || !self.launches.is_empty()
    }
}

/// The sequencer of one core. Costs nothing in a cycle without events.
#[derive(Clone, Debug)]
pub struct Sequencer {
    warps: usize,
    slots: Vec<Slot>,
    /// Pipelines: 0 is global, 1 + unit that unit's shared one, 1 + units + unit that of its function unit.
    pipelines: Vec<VecDeque<Completed>>,
    /// Slots that hold something, by bit: a core has at most 128.
    holding: u128,
    /// Instructions with some but not all beats.
    partial: usize,
    /// Completions in the pipelines.
    queued: usize,
    /// Emptied lists of beats, to be used again.
    spare: Vec<Vec<CompletionEvent>>,
}

impl Sequencer {
    pub fn new(units: usize, warps: usize) -> Self {
        Self {
            warps,
            slots: vec![Slot::default(); units * warps],
            pipelines: vec![VecDeque::new(); 1 + 2 * units],
            holding: 0,
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
    /// An event that no machine may send, in words.
    pub fn observe(&mut self, cycle: u64, outputs: &Outputs) -> Result<bool, String> {
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
                .ok_or_else(|| format!("launch into unit {} warp {}, which does not exist", event.unit, event.warp))?;
            let before = self.slots[index].end();
            self.slots[index].launches.push_back((before, cycle, event));
            self.holding |= 1 << index;
        }
        Ok(any)
    }

    fn retire(&mut self, cycle: u64, unit: usize, event: &RetireEvent) -> Result<(), String> {
        let index = self
            .index(unit, event.warp.into())
            .ok_or_else(|| format!("retirement of unit {unit} warp {}, which does not exist", event.warp))?;
        let slot = &mut self.slots[index];
        let order = slot.order(event.seq);
        let record = Retired { cycle, unit, order, event: *event, lagging: false, before_launch: false };
        if order < slot.next || !slot.insert(record) {
            return Err(format!("unit {unit} warp {} retires sequence number {} twice", event.warp, event.seq));
        }
        self.holding |= 1 << index;
        Ok(())
    }

    fn complete(&mut self, cycle: u64, unit: usize, event: &CompletionEvent) -> Result<(), String> {
        let index = self
            .index(unit, event.warp.into())
            .ok_or_else(|| format!("completion for unit {unit} warp {}, which does not exist", event.warp))?;
        let slot = &mut self.slots[index];
        let order = slot.order(event.seq);
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
        slot.waiting += 1;
        self.queued += 1;
        let (warp, seq) = (usize::from(event.warp), event.seq);
        let CompletionEvent { shared, function, .. } = *event;
        let pipeline = match (shared, function) {
            (_, true) => 1 + self.slots.len() / self.warps + unit,
            (true, _) => 1 + unit,
            _ => 0,
        };
        let done = Completed { cycle, unit, warp, seq, order, shared, function, beats };
        self.pipelines[pipeline].push_back(done);
        Ok(())
    }

    /// Offers every action that is due to `act`, until none can be done. Returns false if `act` said stop.
    pub fn drain(&mut self, act: &mut dyn FnMut(&Action<'_>) -> Step) -> bool {
        loop {
            let mut progress = false;
            for pipeline in 0..self.pipelines.len() {
                match self.drain_pipeline(pipeline, act) {
                    Some(done) => progress |= done,
                    None => return false,
                }
            }
            let mut holding = self.holding;
            while holding != 0 {
                let index = holding.trailing_zeros() as usize;
                holding &= holding - 1;
                match self.drain_slot(index, act) {
                    Some(done) => progress |= done,
                    None => return false,
                }
                if !self.slots[index].holds() {
                    self.holding &= !(1 << index);
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

    fn drain_slot(&mut self, index: usize, act: &mut dyn FnMut(&Action<'_>) -> Step) -> Option<bool> {
        let mut progress = false;
        loop {
            let slot = &mut self.slots[index];
            let mut launch_held = false;
            if let Some((_, cycle, event)) = slot.launches.front().filter(|l| l.0 <= slot.next) {
                match act(&Action::Launch { cycle: *cycle, event }) {
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
        self.holding == 0 && self.queued == 0
    }

    /// Nothing is held and no completion is under way.
    pub fn is_empty(&self) -> bool {
        self.is_idle() && self.partial == 0
    }

    /// The oldest thing held: (cycle, unit, warp, what), for a report.
    pub fn oldest(&self) -> Option<(u64, usize, usize, String)> {
        let mut all = Vec::new();
        for (index, slot) in self.slots.iter().enumerate() {
            let (unit, warp) = (index / self.warps, index % self.warps);
            if let Some(Retired { order, cycle, event, .. }) = slot.retired.front() {
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
            let what = format!("instruction {} completed without having retired", head.seq);
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
            s.drain(&mut |action| {
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
        assert!(s.drain(&mut |_| Step::Hold));
        assert!(!s.is_empty());
        assert_eq!(s.oldest().unwrap().0, 5);
        assert!(s.drain(&mut |_| Step::Done));
        assert!(s.is_empty());
    }

    #[test]
    fn a_missing_sequence_number_is_named() {
        let mut s = Sequencer::new(1, 1);
        s.observe(5, &outputs(ret(0, 1, false), None)).unwrap();
        s.drain(&mut |_| Step::Done);
        assert!(s.oldest().unwrap().3.contains("number 0 never retired"));
    }
}
