//! What merging does, in numbers, from the event ports: lane slots, pairs, and cycles of waiting
//! (MS, "What the report must show"). The same counts exist without merging, for comparing.
//!
//! Pairs that are possible are a maximum matching on the quads in the order of their tickets, which
//! is the order in which they come to the queue. It starts again where the queue drains: another
//! draw, or another tile. Tickets have six bits and go round, and quads launch out of order. The
//! order of triangles is no help: with windows and full binning each tile has its own. But quads
//! commit in the order of their tickets, every one of them. So a quad gets its number when it
//! commits, by its triangle, place and ticket. The number of commits at its launch does not give
//! it: behind the store, quads that have given up their ticket wait for blending.
//!
//! Failure modes: counting by the model, where these are figures of the machine; a commit port that
//! leaves out a quad, after which no ticket is that of a commit. A slot's last records may come
//! after the launch of its next warp; then single lane slots count for the wrong warp.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use quadlock_golden::NO_MERGE_POINT;
use quadlock_hdl::config::{EventForm, GpuConfig};
use quadlock_isa::{decode, Event, Lanes, Op};
use quadlock_shader::interface::Stage;
use quadlock_shader::ShaderBinary;
use serde::Serialize;

use super::matching::{flipped, most, queued_pairs};
use crate::machine::ports::{own_lanes, pixel_of, GraphicsLaunched, MergeEvent, Outputs, RetireEvent, SplitEvent};

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;
/// Tickets: at most as many quads are between collector and result store.
const TICKETS: u64 = 64;

/// What the report says of merging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MergeFigures {
    /// Lanes of the instructions that fragment warps executed: four each.
    pub lane_slots: u64,
    /// Those of them that did something: the lane is owned and not discarded.
    pub lane_slots_useful: u64,
    /// The same of instructions behind a merge point.
    pub after_lane_slots: u64,
    pub after_lane_slots_useful: u64,
    /// Instructions that merged warps executed while several members had lanes that were not
    /// discarded: each would have been one for each of them. Here are all but one.
    pub saved_instructions: u64,
    /// Instructions of all fragment warps.
    pub instructions: u64,
    /// Merges; a group of n has n - 1.
    pub pairs_found: u64,
    /// Pairs that were launched; a group of n counts as n - 1.
    pub pairs_launched: u64,
    /// Pairs of which one member ended before the other had stopped.
    pub pairs_ended: u64,
    /// The most pairs of the quads between two drains, and of the quads of a draw.
    pub pairs_possible: u64,
    pub pairs_possible_whole: u64,
    /// Beside the model: the most pairs of the quads that it shades in each draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_ideal: Option<u64>,
    /// Pairs that are possible and were not found: because the queue was full; because a quad's
    /// time was over, or there was no room behind the queue; because a member ended before the
    /// merge.
    pub lost_depth: u64,
    pub lost_time: u64,
    pub lost_ended: u64,
    /// Cycles in which slots hold a member that has stopped at a merge point.
    pub wait_cycles: u64,
    /// The machine merges. Without it the lane slots of `after_lane_slots` are those after the last
    /// use of helpers.
    #[serde(skip)]
    pub merges: bool,
}

/// A fragment warp.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Lanes that are owned and not discarded.
    live: u8,
    /// Of a member of a group that splits: lanes of its own sample.
    own: u8,
    /// The pixel whose samples its lanes are then.
    pixel: Option<u8>,
    ended: u8,
    merging: u8,
    /// Where its program merges, if that stands beside it; 0: nowhere.
    merge_at: u16,
    /// Instructions that each lane has executed.
    executed: [u16; 4],
    /// Pair and member.
    member: Option<(u8, u8)>,
    /// Slots between it and member 0.
    apart: u8,
    /// Of a merged warp: a second group that wakes when it splits, by its slot.
    partner: Option<u8>,
    /// It is of a group that splits; other samples of that.
    splits: bool,
    samples: u8,
    /// Of member 0: others that have neither come nor ended.
    left: u8,
    /// It waits for its partner at the merge point.
    paired: bool,
    stopped: Option<u64>,
    /// It has been at a merge point.
    after: bool,
    /// Of a merged warp: lanes of its members.
    members: [u8; 4],
}

impl Slot {
    /// Nothing of it covers anything and runs.
    fn is_over(&self) -> bool {
        self.live & !self.ended == 0
    }

    /// Lanes of the instruction that come to the point beside their program.
    fn comes(&mut self, record: &RetireEvent, form: EventForm) -> u8 {
        let lanes = (0..4).filter(|l| record.mask >> l & 1 == 1);
        lanes.fold(0, |met, l| {
            self.executed[l] = self.executed[l].wrapping_add(1);
            let stands = if form == EventForm::Count { self.executed[l] } else { record.next[l] };
            met | u8::from(self.merge_at != 0 && stands == self.merge_at) << l
        })
    }

    /// It stops waiting; the cycles that it waited.
    fn goes_on(&mut self, cycle: u64) -> u64 {
        self.paired = false;
        self.merging = 0;
        self.stopped.take().map_or(0, |since| cycle - since)
    }
}

/// A quad that was launched.
#[derive(Clone, Copy, Debug)]
struct Quad {
    /// How many quads commit before it, once it has, and sample.
    number: (u64, u8),
    state: u64,
    tile: (u32, u32),
    triangle: u16,
    /// Covered lanes by position, if it may merge.
    mask: Option<u8>,
}

/// Counts while a frame runs.
#[derive(Debug)]
pub struct Merging {
    figures: MergeFigures,
    flips: bool,
    /// Quads that the queue holds.
    depth: usize,
    /// Quads that may become one warp.
    group: usize,
    triangles: bool,
    merges: bool,
    form: EventForm,
    /// Binary logarithm of a tile's side in pixels.
    side: u32,
    slots: HashMap<(u8, u8), Slot>,
    quads: Vec<Quad>,
    /// Quads that have committed, with and without a warp.
    committed: u64,
    /// Those of `quads` that have not, by triangle, place and ticket: samples may have warps.
    uncommitted: HashMap<(u16, [u32; 2], u64), Vec<usize>>,
    states: u64,
    contexts: [u64; 16],
    /// Of fragment programs without a merge point, those of warps that are no members of a pair
    /// among them: what is behind the last instruction that needs helper lanes.
    behind: Vec<Range<usize>>,
}

impl Merging {
    /// Of that machine; `side` is the binary logarithm of a tile's side.
    pub fn new(config: &GpuConfig, side: u32) -> Self {
        Self {
            figures: MergeFigures { merges: config.merges(), ..MergeFigures::default() },
            flips: config.merge_flip,
            triangles: config.merge_triangles,
            merges: config.merges(),
            form: config.event_form,
            side,
            slots: HashMap::new(),
            quads: vec![],
            committed: 0,
            uncommitted: HashMap::new(),
            states: 0,
            contexts: [0; 16],
            behind: vec![],
            depth: config.merge_queue,
            group: config.merge_group,
        }
    }

    /// With the programs of a frame, each with the number of its first instruction. What is behind
    /// an operation goes by the order of instructions: a loop round the last one counts too early.
    pub fn with_programs(mut self, programs: &[(u32, ShaderBinary)]) -> Self {
        let of_fragments = programs.iter().filter(|p| p.1.interface.stage == Stage::Fragment);
        for (first, binary) in of_fragments {
            let (first, alone) = (*first as usize, binary.interface.alone as usize);
            // Where a program has a point, that says it.
            if alone == 0 && binary.merges() {
                continue;
            }
            let quad = |word: &u64| decode(*word).is_ok_and(|i| i.op.row().lanes == Lanes::Quad);
            let last = binary.code[alone..].iter().rposition(quad);
            self.behind.push(first + alone + last.map_or(0, |n| n + 1)..first + binary.code.len());
        }
        self
    }

    /// Takes in a cycle.
    pub fn cycle(&mut self, cycle: u64, outputs: &Outputs) {
        let events = &outputs.graphics;
        if let Some(state) = &events.state {
            self.states += 1;
            self.contexts[usize::from(state.context)] = self.states;
        }
        for (unit, record) in (0u8..).zip(&outputs.units).filter_map(|(u, o)| Some((u, o.retire.as_ref()?))) {
            self.retired(cycle, unit, record);
        }
        events.merges.iter().for_each(|m| self.merged(cycle, m));
        events.splits.iter().for_each(|s| self.split(s));
        if let Some(launch) = &outputs.launch {
            self.slots.remove(&(launch.unit, launch.warp));
        }
        if let Some(launch) = events.launch.as_ref().filter(|l| l.kind == FRAGMENT) {
            self.launched(launch);
        }
        if let Some(commit) = events.commit.as_ref().filter(|c| c.last) {
            let place = [commit.x, commit.y].map(u32::from);
            let quads = self.uncommitted.remove(&(commit.order, place, self.committed % TICKETS));
            for n in quads.unwrap_or_default() {
                self.quads[n].number.0 = self.committed;
            }
            self.committed += 1;
        }
    }

    fn launched(&mut self, l: &GraphicsLaunched) {
        let at = (l.unit, l.warp);
        // Of pairs of groups the first samples are the members.
        let second = l.depth[0] >> 26 & 63 != u32::from(l.pair);
        let (number, mergeable) = match l.split {
            0 => (l.member, l.mergeable),
            _ => (u8::from(second), l.mergeable && l.member == 0),
        };
        let member = mergeable.then_some((l.pair, number));
        let guest = mergeable && number != 0;
        let apart = if l.split == 0 { number } else { self.apart(l) };
        let home = self.slots.get(&(l.unit, l.warp - apart.min(l.warp))).filter(|_| guest);
        let home_over = home.is_some_and(|h| h.is_over() || h.member != Some((l.pair, 0)));
        self.figures.pairs_launched += u64::from(guest);
        self.figures.pairs_ended += u64::from(home_over);
        let paired = self.merges && mergeable && !home_over;
        let others = if l.split == 0 { l.others } else { 1 };
        let left = if mergeable { others } else { 0 };
        let merge_at = if self.form.is_beside() && l.cutoff != NO_MERGE_POINT as u8 { l.merge } else { 0 };
        let (own, pixel) = (own_lanes(l), pixel_of(l));
        let slot = Slot {
            live: l.covered,
            own,
            pixel,
            member,
            apart,
            splits: l.split != 0,
            samples: l.others,
            left,
            paired,
            merge_at,
            ..Slot::default()
        };
        self.slots.insert(at, slot);
        if l.split != 0 && l.merge != 0 && l.member != 0 {
            // The quad is counted with its first sample.
            return;
        }
        let ticket = u64::from(l.depth[0] >> 26 & 63);
        let single = l.place[0] >> 31 == 1;
        let sample = if single { (l.place[0] >> 24 & 3) as u8 } else { 0 };
        let side = self.side;
        let at = |shift: u32| l.place[0] >> shift & 0xFFF;
        let may = l.covered != 15 && l.merge != 0;
        let place = [at(0) >> 1, at(12) >> 1];
        self.uncommitted.entry((l.order, place, ticket)).or_default().push(self.quads.len());
        self.quads.push(Quad {
            number: (u64::MAX, sample),
            state: self.contexts[usize::from(l.context & 15)],
            tile: (at(0) >> side, at(12) >> side),
            triangle: l.order,
            mask: may.then(|| flipped(l.covered, l.flip)),
        });
    }

    /// How many slots a second group stands behind the first one of its pair.
    fn apart(&self, l: &GraphicsLaunched) -> u8 {
        let home = |apart: &u8| {
            let at = l.warp.checked_sub(*apart).map(|warp| (l.unit, warp));
            at.and_then(|at| self.slots.get(&at)).is_some_and(|s| s.member == Some((l.pair, 0)))
        };
        [2, 4].into_iter().find(home).unwrap_or(2)
    }

    fn retired(&mut self, cycle: u64, unit: u8, record: &RetireEvent) {
        let warp = record.warp;
        let Some(slot) = self.slots.get_mut(&(unit, warp)) else { return };
        let useful = u64::from((record.mask & slot.live).count_ones());
        let pc = usize::from(record.pc);
        slot.after |= self.behind.iter().any(|code| code.contains(&pc));
        self.figures.instructions += 1;
        let runs = slot.live & !slot.ended;
        let members = slot.members.iter().filter(|&lanes| lanes & runs != 0).count() as u64;
        self.figures.saved_instructions += members.saturating_sub(1);
        self.figures.lane_slots += 4;
        self.figures.lane_slots_useful += useful;
        if slot.after {
            self.figures.after_lane_slots += 4;
            self.figures.after_lane_slots_useful += useful;
        }
        let i = decode(record.word());
        // Lanes that meet a merge point now.
        let met = match self.form {
            EventForm::Instruction if i.is_ok_and(|i| i.op == Op::Merge) => record.mask,
            EventForm::Modifier if i.is_ok_and(|i| i.event == Some(Event::Merge)) => record.mask,
            EventForm::Instruction | EventForm::Modifier => 0,
            EventForm::Counter | EventForm::Count => slot.comes(record, self.form),
        };
        let met = if i.is_ok_and(|i| matches!(i.op, Op::End | Op::Discard)) { 0 } else { met };
        slot.after |= met != 0;
        slot.merging |= if slot.paired { met } else { 0 };
        match i.map(|i| i.op) {
            Ok(Op::End) => slot.ended |= record.mask,
            Ok(Op::Discard) => {
                slot.ended |= record.mask;
                slot.live &= !record.mask;
            }
            Ok(Op::Demote) => slot.live &= !record.mask,
            _ if met == 0 => return,
            _ => {}
        }
        let runs = slot.live & !slot.ended;
        if slot.paired && slot.stopped.is_none() && slot.merging & runs != 0 && runs & !slot.merging == 0 {
            slot.stopped = Some(cycle);
        }
        let apart = slot.apart.min(warp);
        if let Some((pair, member)) = slot.member.filter(|_| slot.is_over() && slot.paired) {
            slot.paired = false;
            match member {
                0 => self.home_ended(cycle, (unit, warp), pair),
                _ => self.guest_ended(cycle, (unit, warp - apart), pair),
            }
        }
    }

    /// Member 0 has ended before its merge point: the others go on by themselves.
    fn home_ended(&mut self, cycle: u64, (unit, warp): (u8, u8), pair: u8) {
        for apart in 1..5 {
            let guest = self.slots.get_mut(&(unit, warp + apart));
            let its = |g: &&mut Slot| g.paired && g.apart == apart && g.member.is_some_and(|m| m.0 == pair && m.1 != 0);
            if let Some(guest) = guest.filter(its) {
                self.figures.wait_cycles += guest.goes_on(cycle);
                self.figures.pairs_ended += 1;
            }
        }
    }

    /// Another member has; member 0 goes on if it was the last.
    fn guest_ended(&mut self, cycle: u64, home: (u8, u8), pair: u8) {
        let home = self.slots.get_mut(&home).filter(|h| h.paired && h.member == Some((pair, 0)));
        if let Some(home) = home {
            self.figures.pairs_ended += 1;
            home.left = home.left.saturating_sub(1);
            if home.left == 0 {
                self.figures.wait_cycles += home.goes_on(cycle);
            }
        }
    }

    /// Behind the split each member has what its own sample covers of what is left.
    fn split(&mut self, s: &SplitEvent) {
        let Some(from) = self.slots.get_mut(&(s.unit, s.warp)) else { return };
        let (live, second) = (from.live, from.partner.take());
        from.members = [0; 4];
        let others = second.and_then(|warp| Some((warp, self.slots.get(&(s.unit, warp))?.samples)));
        let second = others.map_or(0..0, |(warp, others)| warp..warp + others + 1);
        for warp in (s.warp..s.warp + s.others + 1).chain(second) {
            if let Some(slot) = self.slots.get_mut(&(s.unit, warp)) {
                slot.live = match slot.pixel {
                    Some(pixel) if live >> pixel & 1 == 0 => 0,
                    Some(_) => slot.own,
                    None => live & slot.own,
                };
            }
        }
    }

    fn merged(&mut self, cycle: u64, m: &MergeEvent) {
        self.figures.pairs_found += 1;
        // Of pairs of groups the slot that goes sleeps until the split.
        let sleeps = self.slots.get(&(m.unit, m.gone)).is_some_and(|gone| gone.splits);
        let gone = self.slots.get_mut(&(m.unit, m.gone)).map(|gone| (gone.live, gone.goes_on(cycle)));
        let (came, waited) = gone.unwrap_or_default();
        if !sleeps {
            self.slots.remove(&(m.unit, m.gone));
        }
        if let Some(kept) = self.slots.get_mut(&(m.unit, m.kept)) {
            self.figures.wait_cycles += waited;
            kept.left = kept.left.saturating_sub(1);
            if kept.left == 0 {
                self.figures.wait_cycles += kept.goes_on(cycle);
            }
            kept.live |= came;
            kept.ended = !(m.stayed | m.came) & 15;
            kept.after = true;
            if kept.members == [0; 4] {
                kept.members[0] = m.stayed;
            }
            kept.members[if sleeps { 1 } else { usize::from(m.gone.wrapping_sub(m.kept) & 3) }] = m.came;
            kept.partner = sleeps.then_some(m.gone);
        }
    }

    /// What it adds up to.
    pub fn figures(mut self) -> MergeFigures {
        self.quads.sort_by_key(|q| q.number);
        let mut groups = Groups::default();
        let mut whole = Groups::default();
        let (mut before, mut last, mut visit) = (None, None, 0);
        let (mut waiting, mut queued) = (vec![], 0);
        for q in &self.quads {
            let here = (q.state, q.tile);
            visit += u64::from(before.is_some_and(|b| b != here));
            before = Some(here);
            if let Some(mask) = q.mask {
                let triangle = if self.triangles { 0 } else { q.triangle };
                if last.is_some_and(|l| l != (visit, triangle)) {
                    queued += queued_pairs(&std::mem::take(&mut waiting), self.depth, self.flips, self.group) as u64;
                }
                last = Some((visit, triangle));
                waiting.push(mask);
                groups.add((visit, triangle), mask);
                whole.add((q.state, triangle), mask);
            }
        }
        self.figures.pairs_possible = groups.most(self.flips, self.group);
        self.figures.pairs_possible_whole = whole.most(self.flips, self.group);
        queued += queued_pairs(&waiting, self.depth, self.flips, self.group) as u64;
        // Quads can come to the machine's queue in an order that is luckier than that of tickets.
        let f = &mut self.figures;
        if self.merges {
            let (launched, possible) = (f.pairs_launched, f.pairs_possible);
            let queued = queued.clamp(launched.min(possible), possible);
            f.lost_depth = possible - queued;
            f.lost_ended = launched.saturating_sub(f.pairs_found);
            f.lost_time = possible.saturating_sub(f.pairs_found + f.lost_depth + f.lost_ended);
        }
        self.figures
    }
}

/// Quads among which pairs may be made, by mask.
#[derive(Default)]
struct Groups(BTreeMap<(u64, u16), [usize; 16]>);

impl Groups {
    fn add(&mut self, group: (u64, u16), mask: u8) {
        self.0.entry(group).or_default()[usize::from(mask & 15)] += 1;
    }

    fn most(&self, flips: bool, group: usize) -> u64 {
        self.0.values().map(|counts| most(counts, flips, group) as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::machine::ports::{CommitEvent, GraphicsOutputs, LaunchEvent, StateEvent, UnitOutputs};

    /// Feeds a machine's events, one cycle each.
    struct Feed {
        merging: Merging,
        cycle: u64,
        /// Triangle and tile of the quads that have a ticket.
        launched: HashMap<u32, VecDeque<(u16, u32)>>,
    }

    impl Feed {
        fn new() -> Self {
            let config = GpuConfig { graphics: true, merge: true, ..GpuConfig::default() };
            let mut feed = Self { merging: Merging::new(&config, 5), cycle: 0, launched: HashMap::new() };
            feed.graphics(GraphicsOutputs { state: Some(StateEvent { context: 0 }), ..Default::default() }, None);
            feed
        }

        fn graphics(&mut self, graphics: GraphicsOutputs, launch: Option<LaunchEvent>) {
            self.merging.cycle(self.cycle, &Outputs { graphics, launch, ..Outputs::default() });
            self.cycle += 1;
        }

        /// A quad at tile x, with its ticket.
        fn launch(&mut self, warp: u8, covered: u8, pair: Option<u8>, (tile, ticket): (u32, u32)) {
            let launch = GraphicsLaunched {
                warp,
                covered,
                kind: FRAGMENT,
                mergeable: pair.is_some(),
                pair: pair.unwrap_or(0),
                member: warp & 1,
                others: u8::from(pair.is_some()),
                place: [tile * 32; 4],
                depth: [ticket << 26; 4],
                cutoff: 4,
                merge: 1,
                ..GraphicsLaunched::default()
            };
            let event = LaunchEvent { warp, ..LaunchEvent::default() };
            self.launched.entry(ticket).or_default().push_back((0, tile));
            self.graphics(GraphicsOutputs { launch: Some(launch), ..Default::default() }, Some(event));
        }

        /// A quad of one lane, of that triangle.
        fn launch_of(&mut self, order: u16, (tile, ticket): (u32, u32)) {
            let (place, covered) = ([tile * 32; 4], 1 << (ticket & 1));
            let launch = GraphicsLaunched { order, place, covered, kind: FRAGMENT, merge: 1, ..Default::default() };
            let launch = GraphicsLaunched { depth: [ticket << 26; 4], cutoff: 4, ..launch };
            self.launched.entry(ticket).or_default().push_back((order, tile));
            self.graphics(GraphicsOutputs { launch: Some(launch), ..Default::default() }, None);
        }

        /// Quads commit.
        fn commits(&mut self, count: u32) {
            for _ in 0..count {
                let ticket = (self.merging.committed % TICKETS) as u32;
                let quad = self.launched.get_mut(&ticket).and_then(VecDeque::pop_front);
                let (order, tile) = quad.unwrap_or_default();
                let x = 16 * tile as u16;
                let beats = [false, true].map(|last| CommitEvent { last, order, x, ..CommitEvent::default() });
                for beat in beats {
                    self.graphics(GraphicsOutputs { commit: Some(beat), ..Default::default() }, None);
                }
            }
        }

        fn retire(&mut self, warp: u8, text: &str, mask: u8) {
            self.retire_to(warp, text, mask, 0);
        }

        /// An instruction that takes its lanes to a counter.
        fn retire_to(&mut self, warp: u8, text: &str, mask: u8, next: u16) {
            let word = quadlock_isa::assemble("", text).unwrap().code[0];
            let retire = RetireEvent { warp, mask, next: [next; 4], ..RetireEvent::default() }.with_word(word);
            let unit = UnitOutputs { retire: Some(retire), ..UnitOutputs::default() };
            self.merging.cycle(self.cycle, &Outputs { units: vec![unit], ..Outputs::default() });
            self.cycle += 1;
        }

        fn merge(&mut self, stayed: u8, came: u8) {
            let merges = vec![MergeEvent { unit: 0, kept: 0, gone: 1, stayed, came }];
            self.graphics(GraphicsOutputs { merges, ..Default::default() }, None);
        }
    }

    #[test]
    fn a_pair_that_merges() {
        let mut f = Feed::new();
        f.launch(0, 0b0001, Some(3), (0, 3));
        f.launch(1, 0b0110, Some(3), (0, 4));
        f.retire(0, "MERGE", 15);
        f.retire(1, "MOV r0, #1", 15);
        f.retire(1, "MERGE", 15);
        f.merge(0b0001, 0b0110);
        f.retire(0, "MOV r0, #1", 0b0111);
        f.retire(0, "END", 0b0111);
        let m = f.merging.figures();
        assert_eq!((m.pairs_found, m.pairs_launched, m.pairs_ended, m.pairs_possible), (1, 1, 0, 1));
        assert_eq!((m.lane_slots, m.lane_slots_useful), (20, 1 + 2 + 2 + 3 + 3));
        assert_eq!((m.after_lane_slots, m.after_lane_slots_useful), (8, 6));
        assert!(m.merges, "the report speaks of the merge point");
        // Slot 0 from cycle 3 to 6, slot 1 from 5 to 6.
        assert_eq!(m.wait_cycles, 4);
    }

    #[test]
    fn points_of_each_form_are_met() {
        let forms = [
            (EventForm::Instruction, "MERGE", 0),
            (EventForm::Modifier, "MOV.MERGE r0, #1", 0),
            (EventForm::Counter, "MOV r0, #1", 7),
            (EventForm::Count, "MOV r0, #1", 0),
        ];
        for (form, text, next) in forms {
            let mut f = Feed::new();
            f.merging.form = form;
            f.launch(0, 0b0001, Some(3), (0, 3));
            f.launch(1, 0b0110, Some(3), (0, 4));
            for slot in f.merging.slots.values_mut().filter(|s| s.merge_at != 0) {
                slot.merge_at = if form == EventForm::Counter { 7 } else { 1 };
            }
            for warp in 0..2 {
                f.retire_to(warp, text, 15, next);
            }
            f.merge(0b0001, 0b0110);
            f.retire(0, "END", 0b0111);
            let m = f.merging.figures();
            // Slot 0 from cycle 3 to 5, slot 1 from 4 to 5.
            assert_eq!((m.pairs_found, m.wait_cycles, m.after_lane_slots), (1, 3, 4), "{form:?}");
        }
    }

    #[test]
    fn a_pair_of_which_one_ends() {
        let mut f = Feed::new();
        f.launch(0, 0b0001, Some(3), (0, 3));
        f.launch(1, 0b0110, Some(3), (0, 4));
        f.retire(0, "MERGE", 15);
        f.retire(1, "DISCARD", 0b0110);
        f.retire(0, "END", 15);
        let m = f.merging.figures();
        assert_eq!((m.pairs_found, m.pairs_launched, m.pairs_ended, m.wait_cycles), (0, 1, 1, 1));
    }

    #[test]
    fn samples_of_a_group_make_no_pairs_and_have_their_own_lanes() {
        let mut f = Feed::new();
        for (warp, covered, lanes) in [(0, 0b0111, 0b0011), (1, 0b0100, 0b0100)] {
            let place = [0, 1, 2, 3].map(|k| (lanes >> k & 1) << 26);
            let launch =
                GraphicsLaunched { warp, covered, place, kind: FRAGMENT, split: 1, cutoff: 4, ..Default::default() };
            f.graphics(GraphicsOutputs { launch: Some(launch), ..Default::default() }, None);
        }
        f.retire(0, "SPLIT", 15);
        let splits = vec![SplitEvent { unit: 0, warp: 0, others: 1, lanes: 15, covered: 0b0111 }];
        f.graphics(GraphicsOutputs { splits, ..Default::default() }, None);
        f.retire(0, "END", 15);
        f.retire(1, "END", 15);
        let m = f.merging.figures();
        assert_eq!((m.lane_slots, m.lane_slots_useful, m.pairs_possible), (12, 3 + 2 + 1, 0));
    }

    /// The order of tickets, not of launches, decides between two drains.
    #[test]
    fn pairs_that_are_possible_do_not_cross_a_drain() {
        let quads = [(0b0001, 0, 62), (0b0010, 1, 1), (0b0100, 0, 63), (0b0001, 1, 0), (0b1111, 0, 2), (0b0001, 0, 3)];
        let mut f = Feed::new();
        f.commits(62);
        for (covered, tile, ticket) in quads {
            f.launch(0, covered, None, (tile, ticket));
        }
        // Tickets 62 and 63 in tile 0, 0 and 1 in tile 1, then 2 and 3 in tile 0 again.
        f.commits(6);
        let m = f.merging.figures();
        assert_eq!((m.pairs_possible, m.pairs_possible_whole), (2, 2));
        assert_eq!(m.pairs_launched, 0);
    }

    /// With windows the first tile has the triangles 0, 2, 4, ..., then the second one 1, 3, 5,
    /// ...: triangles go back, and tickets go on. 100 quads in each tile make 50 pairs, and none
    /// more. The first quad of each tile waits in the queue until 63 younger ones have been
    /// launched.
    #[test]
    fn triangles_that_come_again_do_not_put_tickets_in_another_order() {
        let mut f = Feed::new();
        let (mut next, mut committed) = (0, 0);
        for tile in 0..2 {
            for n in 0..100u32 {
                let triangle = (2 * n + tile) as u16;
                match n {
                    0 => {}
                    63 => {
                        f.launch_of(triangle, (tile, next & 63));
                        f.launch_of(tile as u16, (tile, (next - 63) & 63));
                    }
                    _ => f.launch_of(triangle, (tile, next & 63)),
                }
                next += 1;
                if n >= 63 {
                    f.commits(next - committed);
                    committed = next;
                }
            }
        }
        let m = f.merging.figures();
        assert_eq!((m.pairs_possible, m.pairs_possible_whole), (100, 100));
    }

    /// Quads wait behind the store, and their tickets are given again: 40 in tile 0, then 40 in
    /// tile 1, and only then the first commits.
    #[test]
    fn quads_that_wait_for_blending_have_given_up_their_tickets() {
        let mut f = Feed::new();
        for n in 0..80u32 {
            f.launch_of(n as u16, (n / 40, n & 63));
        }
        f.commits(80);
        let numbers: Vec<u64> = f.merging.quads.iter().map(|q| q.number.0).collect();
        assert_eq!(numbers, (0..80).collect::<Vec<_>>());
        assert_eq!(f.merging.figures().pairs_possible, 40);
    }

    /// Draws without a program commit quads that no warp shades: their tickets count.
    #[test]
    fn quads_without_a_warp_have_tickets() {
        let mut f = Feed::new();
        f.launch(0, 0b0001, None, (0, 0));
        f.commits(200);
        // Quads 200 to 202, with the tickets 8 to 10.
        for (covered, tile, ticket) in [(0b0010, 1, 9), (0b0001, 0, 8), (0b0100, 1, 10)] {
            f.launch(0, covered, None, (tile, ticket));
        }
        f.commits(3);
        let numbers: Vec<u64> = f.merging.quads.iter().map(|q| q.number.0).collect();
        assert_eq!(numbers, [0, 201, 200, 202]);
        assert_eq!(f.merging.figures().pairs_possible, 2);
    }
}
