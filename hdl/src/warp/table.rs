//! The warp slots of a unit: a [`WarpContext`] per slot, the events brought to the slot they are
//! for, and the slot that issues brought out.
//!
//! Also the part of the barrier that needs more than one slot: `running_slots` has a bit for every
//! slot with a running lane and for every slot whose work group has begun to launch but which has
//! not been launched itself (`expected`), so that the first warps of a group cannot pass a barrier
//! before the last are there. The first launch of a group must be that of its first slot.
//!
//! Of pairs of groups ([`twins`](super::twins)) members 0 merge first.
//!
//! Members of a group that splits stand in slots behind that of member 0. The table lets one group
//! of the unit split in a cycle, the lowest first, and brings what member 0 has to the others.
//!
//! Adds no cycle: flip-flops are in the contexts. Wrong if an event is brought to a slot by a
//! number that is not of the same cycle.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::context::WarpContext;
use super::groups::WarpGroups;
use super::pairs::WarpPairs;
use super::twins::WarpTwins;
use super::words::Kind;
use crate::base::{vector, Each, Fitted, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{FilledInstructionIn, SlotStatesOut, SplitStartIn, WarpBeginsIn, WarpStartIn};

/// See the module documentation. Bit i or element i is warp slot i.
#[derive(Default, QuietBlock)]
pub struct WarpTable {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Launch.
    /// A warp begins in a slot.
    pub start_ports: WarpBeginsIn,
    /// The values with which the context of a warp begins.
    pub launch_ports: WarpStartIn,
    /// First slot of the group and its number of slots.
    pub launch_first: Signal<In, Bits<4>>,
    /// Warp launch: warp slots of the work group.
    pub launch_warps: Signal<In, Bits<5>>,
    /// Bit s: slot s can be launched.
    pub free: Signal<Out, Bits<16>>,
    // Fetch.
    /// Bit s: slot s needs an instruction.
    pub need: Signal<Out, Bits<16>>,
    /// Lowest program counter of the running lanes of each slot.
    pub pc: Vec<Signal<Out, Bits<16>>>,
    /// A fetched instruction arrives.
    pub fill: Signal<In, bool>,
    /// Fetched instruction: warp slot in the unit.
    pub fill_warp: Signal<In, Bits<4>>,
    /// A fetched instruction, decoded.
    pub fill_ports: FilledInstructionIn,
    // Issue.
    /// What the scheduler chooses from, one bit for each slot.
    pub slot_ports: SlotStatesOut,
    /// The queue of global memory requests has room.
    pub global_credit: Signal<In, bool>,
    /// The queue of shared storage requests has room.
    pub shared_credit: Signal<In, bool>,
    /// The function unit has room.
    pub function_credit: Signal<In, bool>,
    /// The queue of messages has room.
    pub message_credit: Signal<In, bool>,
    /// A warp issues in this cycle.
    pub issue: Signal<In, bool>,
    /// Slot that issues.
    pub issue_warp: Signal<In, Bits<4>>,
    /// Instruction of the slot that issues, bits 31:0.
    pub lo: Signal<Out, Bits<32>>,
    /// Instruction of the slot that issues, bits 63:32.
    pub hi: Signal<Out, Bits<32>>,
    /// Registers it makes pending, one bit each.
    pub sets: Signal<Out, Bits<32>>,
    /// Its decoded kind, bits as in [`super`].
    pub kind: Signal<Out, Bits<21>>,
    /// Its program counter.
    pub issue_pc: Signal<Out, Bits<16>>,
    /// Its active lanes.
    pub mask: Signal<Out, Bits<4>>,
    /// Its sequence number.
    pub seq: Signal<Out, Bits<8>>,
    // Branch outcome.
    /// The outcome of a conditional branch arrives.
    pub branch: Signal<In, bool>,
    /// Slot that branches.
    pub branch_warp: Signal<In, Bits<4>>,
    /// Lanes that leave for the target.
    pub branch_taken: Signal<In, Bits<4>>,
    // Early clear of an ALU destination, retirement from the lane pipeline, completion of a memory
    // instruction.
    /// A lane result is about to be written: its register is no longer pending.
    pub clear: Signal<In, bool>,
    /// Slot of that register.
    pub clear_warp: Signal<In, Bits<4>>,
    /// Its number.
    pub clear_register: Signal<In, Bits<5>>,
    /// An instruction leaves the lane pipeline.
    pub retire: Signal<In, bool>,
    /// Its slot.
    pub retire_warp: Signal<In, Bits<4>>,
    /// A memory or function instruction has completed.
    pub complete: Signal<In, bool>,
    /// Its slot.
    pub complete_warp: Signal<In, Bits<4>>,
    /// Registers it had made pending.
    pub complete_sets: Signal<In, Bits<32>>,
    // Semaphores.
    /// An acknowledgement arrives.
    pub acknowledge: Signal<In, bool>,
    /// Slot it is for.
    pub acknowledge_warp: Signal<In, Bits<4>>,
    /// A message leaves the unit.
    pub sent: Signal<In, bool>,
    /// Slot that sent it.
    pub sent_warp: Signal<In, Bits<4>>,
    // Warp-wide atomics by a representative.
    /// Slot of the memory result that is offered.
    pub result_warp: Signal<In, Bits<4>>,
    /// It is that of a warp-wide atomic.
    pub result_wide: Signal<In, bool>,
    /// It is the result for which the slot's other lanes are masked.
    pub broadcast: Signal<Out, bool>,
    /// Lanes that it goes to.
    pub saved: Signal<Out, Bits<4>>,
    /// In the cycle before, the last register of such a result was written.
    pub result_done: Signal<In, bool>,
    /// Its slot.
    pub done_warp: Signal<In, Bits<4>>,
    // Graphics: each is one, or none; `covered` is one for each slot.
    /// Launch: lanes that are no helpers.
    pub launch_covered: Vec<Signal<In, Bits<4>>>,
    /// Launch: window of the constant bank, as of the slot.
    pub launch_window: Vec<Signal<In, Bits<6>>>,
    /// Lanes of each slot that are no helpers.
    pub covered: Vec<Signal<Out, Bits<4>>>,
    /// For the issuing slot: lanes that are no helpers.
    pub issue_covered: Vec<Signal<Out, Bits<4>>>,
    /// Of the slot that issues: window of the constant bank.
    pub issue_window: Vec<Signal<Out, Bits<6>>>,
    // Merging: each is one, or none; `mate` is one for each slot.
    /// Launch: it is a member of a pair.
    pub launch_member: Vec<Signal<In, bool>>,
    /// Launch: it is member 1.
    pub launch_guest: Vec<Signal<In, bool>>,
    /// Lanes of each slot whose tags are those of member 1.
    pub mate: Vec<Signal<Out, Bits<4>>>,
    /// For the issuing slot: lanes whose tags are those of member 1.
    pub issue_mate: Vec<Signal<Out, Bits<4>>>,
    /// A pair merges in this cycle.
    pub merge: Vec<Signal<Out, bool>>,
    /// Slot that goes on.
    pub merge_warp: Vec<Signal<Out, Bits<4>>>,
    /// Lanes that own their registers then.
    pub merge_owned: Vec<Signal<Out, Bits<4>>>,
    /// Lanes that go on of that slot's own.
    pub merge_stayed: Vec<Signal<Out, Bits<4>>>,
    /// Lanes that come from the other slot.
    pub merge_came: Vec<Signal<Out, Bits<4>>>,
    // Groups of more than two: each is one, or none; `mate_high` is one for each slot.
    /// Launch: number of the member, and other members.
    pub launch_number: Vec<Signal<In, Bits<2>>>,
    /// Other members.
    pub launch_group_others: Vec<Signal<In, Bits<2>>>,
    /// Bit 1 of the numbers of members whose tags lanes have; bit 0 is `mate`.
    pub mate_high: Vec<Signal<Out, Bits<4>>>,
    /// Of the slot that issues.
    pub issue_mate_high: Vec<Signal<Out, Bits<4>>>,
    /// Slot whose warp is no more.
    pub merge_gone: Vec<Signal<Out, Bits<4>>>,
    // Splitting: each is one, or none.
    /// What the context of a warp that may split begins with.
    pub split_ports: Each<SplitStartIn>,
    /// Where the launched warp merges, if that stands beside its program; 0: nowhere.
    pub launch_merge_at: Vec<Signal<In, Bits<16>>>,
    /// Where it splits.
    pub launch_split_at: Vec<Signal<In, Bits<16>>>,
    /// Lanes of the launched warp are the samples of one pixel; one, or none.
    pub launch_turned: Vec<Signal<In, bool>>,
    /// That pixel's place in the quad.
    pub launch_pixel: Vec<Signal<In, Bits<2>>>,
    /// Bit s: slot s stands for pixels, and will be one of them.
    pub whole: Vec<Signal<Out, Bits<16>>>,
    /// A group splits in this cycle.
    pub split: Vec<Signal<Out, bool>>,
    /// Slot of its member 0.
    pub split_warp: Vec<Signal<Out, Bits<4>>>,
    /// Its other members.
    pub split_others: Vec<Signal<Out, Bits<2>>>,
    /// Lanes that go on.
    pub split_lanes: Vec<Signal<Out, Bits<4>>>,
    /// Lanes that cover something, of all members together.
    pub split_covered: Vec<Signal<Out, Bits<4>>>,
    /// Bit s: the warp of slot s has split.
    pub locked: Vec<Signal<Out, Bits<16>>>,
    // Pairs of groups: each is one, or none.
    /// Launch: what it is in one, as [`SlotTags`](super::slot_tags::SlotTags) says.
    pub launch_twin: Vec<Signal<In, Bits<2>>>,
    /// Launch: its program merges and then splits.
    pub launch_both: Vec<Signal<In, bool>>,
    /// Slots whose lanes in `mate` have the tags two slots behind 15:0, or four behind 31:16.
    pub twins: Vec<Signal<Out, Bits<32>>>,
    /// The slot that issues is one of those.
    pub issue_near: Vec<Signal<Out, bool>>,
    /// Four slots behind.
    pub issue_far: Vec<Signal<Out, bool>>,
    /// It is members 0 of two groups that merge in this cycle.
    pub twins_merge: Vec<Signal<Out, bool>>,
    /// Slot whose warp sleeps then.
    pub twins_gone: Vec<Signal<Out, Bits<4>>>,
    contexts: Vec<WarpContext>,
    twin_pairs: Fitted<WarpTwins>,
    /// What that is told, and what goes to the merged warp and to those that wake.
    twin_members: Vec<Signal<Local, Bits<16>>>,
    twin_alive: Vec<Signal<Local, Bits<16>>>,
    twin_ready: Vec<Signal<Local, Bits<16>>>,
    twin_free: Vec<Signal<Local, Bits<16>>>,
    twin_stopped: Vec<Signal<Local, Bits<4>>>,
    twin_owned: Vec<Signal<Local, Bits<4>>>,
    twin_covered: Vec<Signal<Local, Bits<4>>>,
    twin_pc0: Vec<Signal<Local, Bits<16>>>,
    twin_pc1: Vec<Signal<Local, Bits<16>>>,
    twin_pc2: Vec<Signal<Local, Bits<16>>>,
    twin_pc3: Vec<Signal<Local, Bits<16>>>,
    wake_pc0: Vec<Signal<Local, Bits<16>>>,
    wake_pc1: Vec<Signal<Local, Bits<16>>>,
    wake_pc2: Vec<Signal<Local, Bits<16>>>,
    wake_pc3: Vec<Signal<Local, Bits<16>>>,
    pairs: Fitted<WarpPairs>,
    groups: Fitted<WarpGroups>,
    expected: DFF<Bits<16>>,
    group: Signal<Local, Bits<32>>,
    running_slots: Signal<Local, Bits<16>>,
    // Merging: what the pairs are told.
    even_member: Signal<Local, Bits<8>>,
    odd_member: Signal<Local, Bits<8>>,
    even_alive: Signal<Local, Bits<8>>,
    odd_alive: Signal<Local, Bits<8>>,
    even_ready: Signal<Local, Bits<8>>,
    odd_ready: Signal<Local, Bits<8>>,
    members: Vec<Signal<Local, Bits<16>>>,
    living: Vec<Signal<Local, Bits<16>>>,
    can_merge: Vec<Signal<Local, Bits<16>>>,
    /// Of the warp that goes to another one.
    merge_source_stopped: Vec<Signal<Local, Bits<4>>>,
    merge_source_owned: Vec<Signal<Local, Bits<4>>>,
    merge_source_covered: Vec<Signal<Local, Bits<4>>>,
    merge_source_pc0: Vec<Signal<Local, Bits<16>>>,
    merge_source_pc1: Vec<Signal<Local, Bits<16>>>,
    merge_source_pc2: Vec<Signal<Local, Bits<16>>>,
    merge_source_pc3: Vec<Signal<Local, Bits<16>>>,
    /// Splitting: slots of members 0 that can split, and the one that does; the slot of member 0 of
    /// what is launched; free slots behind the one looked at.
    splitting: Signal<Local, Bits<16>>,
    splits_now: Signal<Local, Bits<16>>,
    group_slot: Signal<Local, Bits<4>>,
    free_slots: Signal<Local, Bits<32>>,
    /// The flags of a kind of instruction for which there is no credit.
    no_credit: Signal<Local, Bits<21>>,
    fault_ack_any_warp: Planted,
    fault_wide_mask_stuck: Planted,
    _graphics: usize,
    #[size]
    _merges: usize,
    /// 1: pairs only; 1: groups of more than two.
    #[size]
    _by_pairs: usize,
    #[size]
    _by_groups: usize,
    #[size]
    _twins: usize,
    #[size]
    _splits: usize,
    #[size]
    _turns: usize,
    #[size]
    _pairs: usize,
    #[size]
    _fours: usize,
    #[size]
    _merges_beside: usize,
    #[size]
    _splits_beside: usize,
    _warps: usize,
    _active: bool,
}

impl WarpTable {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        let one = usize::from(config.graphics);
        let merges = usize::from(config.merges());
        let splits = usize::from(config.splits());
        let turns = usize::from(config.turns());
        let groups = usize::from(config.groups());
        let twins = usize::from(config.twins());
        Self {
            split_ports: Each::new(splits),
            launch_turned: vector(turns),
            launch_pixel: vector(turns),
            whole: vector(turns),
            _turns: turns,
            launch_merge_at: vector(config.merges_beside()),
            launch_split_at: vector(config.splits_beside()),
            _merges_beside: config.merges_beside(),
            _splits_beside: config.splits_beside(),
            split: vector(splits),
            split_warp: vector(splits),
            split_others: vector(splits),
            split_lanes: vector(splits),
            split_covered: vector(splits),
            locked: vector(splits),
            _splits: splits,
            _fours: config.warps / 4,
            launch_member: vector(merges),
            launch_guest: vector(merges),
            mate: vector(merges * config.warps),
            issue_mate: vector(merges),
            merge: vector(merges),
            merge_warp: vector(merges),
            merge_owned: vector(merges),
            merge_stayed: vector(merges),
            merge_came: vector(merges),
            pairs: Fitted::new(WarpPairs::new(config), config.merges() && !config.groups()),
            groups: Fitted::new(WarpGroups::new(config), config.groups()),
            launch_number: vector(groups),
            launch_group_others: vector(groups),
            mate_high: vector(groups * config.warps),
            issue_mate_high: vector(groups),
            merge_gone: vector(groups),
            members: vector(groups),
            living: vector(groups),
            can_merge: vector(groups),
            merge_source_stopped: vector(groups),
            merge_source_owned: vector(groups),
            merge_source_covered: vector(groups),
            merge_source_pc0: vector(groups),
            merge_source_pc1: vector(groups),
            merge_source_pc2: vector(groups),
            merge_source_pc3: vector(groups),
            _by_pairs: merges - groups,
            _by_groups: groups,
            twin_pairs: Fitted::new(WarpTwins::new(config), config.twins()),
            launch_twin: vector(twins),
            launch_both: vector(twins),
            twins: vector(twins),
            issue_near: vector(twins),
            issue_far: vector(twins),
            twins_merge: vector(twins),
            twins_gone: vector(twins),
            twin_members: vector(twins),
            twin_alive: vector(twins),
            twin_ready: vector(twins),
            twin_free: vector(twins),
            twin_stopped: vector(twins),
            twin_owned: vector(twins),
            twin_covered: vector(twins),
            twin_pc0: vector(twins),
            twin_pc1: vector(twins),
            twin_pc2: vector(twins),
            twin_pc3: vector(twins),
            wake_pc0: vector(twins),
            wake_pc1: vector(twins),
            wake_pc2: vector(twins),
            wake_pc3: vector(twins),
            _twins: twins,
            _merges: merges,
            _pairs: config.warps / 2,
            launch_covered: vector(one),
            launch_window: vector(one),
            covered: vector(one * config.warps),
            issue_covered: vector(one),
            issue_window: vector(one),
            _graphics: one,
            pc: vector(config.warps),
            contexts: (0..config.warps).map(|_| WarpContext::new(config)).collect(),
            fault_ack_any_warp: Planted::new(config.has(Fault::AckAnyWarp)),
            fault_wide_mask_stuck: Planted::new(config.has(Fault::WideMaskStuck)),
            _warps: config.warps,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl WarpTable {
    /// A launch of a group expects all its warps.
    fn expectation(&mut self) {
        comment!("module: warp_table");
        dff_setup!(self, clock, expected);
        self.group.next = ((bits::<32>(1) << self.launch_warps.val()) - bits::<32>(1)) << self.launch_first.val();
        if self.start_ports.launch.val() {
            self.expected.d.next = self.expected.q.val() & !(bits::<16>(1) << self.start_ports.launch_warp.val());
            if self.start_ports.launch_warp.val() == self.launch_first.val() {
                self.expected.d.next = (self.expected.q.val() | bit_cast::<16, 32>(self.group.val()))
                    & !(bits::<16>(1) << self.start_ports.launch_warp.val());
            }
        }
    }

    /// Outputs of the table begin as zero, before the slots set them.
    fn defaults(&mut self) {
        self.free.next = bits::<16>(0);
        self.need.next = bits::<16>(0);
        self.slot_ports.ready.next = bits::<16>(0);
        self.slot_ports.woken.next = bits::<16>(0);
        self.slot_ports.occupied.next = bits::<16>(0);
        self.slot_ports.running.next = bits::<16>(0);
        self.slot_ports.waits.next = bits::<16>(0);
        self.lo.next = bits::<32>(0);
        self.hi.next = bits::<32>(0);
        self.sets.next = bits::<32>(0);
        self.kind.next = bits::<21>(0);
        self.issue_pc.next = bits::<16>(0);
        self.mask.next = bits::<4>(0);
        self.seq.next = bits::<8>(0);
        self.broadcast.next = false;
        self.saved.next = bits::<4>(0);
    }

    /// Each slot says what it needs, and the one that issues shows its instruction.
    fn slots(&mut self) {
        self.no_credit.next = bits::<21>(0);
        self.no_credit.next.set_value_global(!self.global_credit.val());
        self.no_credit.next.set_value_shared(!self.shared_credit.val());
        self.no_credit.next.set_value_function(!self.function_credit.val());
        self.no_credit.next.set_value_message(!self.message_credit.val());
        self.running_slots.next = self.expected.q.val();
        for i in 0..self._warps {
            if self.result_warp.val() == i.to_bits::<4>() {
                self.broadcast.next = self.contexts[i].masked.val() && self.result_wide.val();
                self.saved.next = self.contexts[i].saved.val();
            }
            if self.contexts[i].free.val() {
                self.free.next = self.free.val() | (bits::<16>(1) << i.to_bits::<4>());
            }
            if self.contexts[i].need_fetch.val() {
                self.need.next = self.need.val() | (bits::<16>(1) << i.to_bits::<4>());
            }
            if self.contexts[i].occupied.val() {
                self.slot_ports.occupied.next = self.slot_ports.occupied.val() | (bits::<16>(1) << i.to_bits::<4>());
            }
            if self.contexts[i].woken.val() {
                self.slot_ports.woken.next = self.slot_ports.woken.val() | (bits::<16>(1) << i.to_bits::<4>());
            }
            if self.contexts[i].waits.val() {
                self.slot_ports.waits.next = self.slot_ports.waits.val() | (bits::<16>(1) << i.to_bits::<4>());
            }
            if self.contexts[i].any_running.val() {
                self.slot_ports.running.next = self.slot_ports.running.val() | (bits::<16>(1) << i.to_bits::<4>());
                self.running_slots.next = self.running_slots.val() | (bits::<16>(1) << i.to_bits::<4>());
            }
            if self.contexts[i].ready.val() && !(self.contexts[i].kind.val() & self.no_credit.val()).any() {
                self.slot_ports.ready.next = self.slot_ports.ready.val() | (bits::<16>(1) << i.to_bits::<4>());
            }
            self.pc[i].next = self.contexts[i].next_pc.val();
            if self.issue_warp.val() == i.to_bits::<4>() {
                self.lo.next = self.contexts[i].lo.val();
                self.hi.next = self.contexts[i].hi.val();
                self.sets.next = self.contexts[i].sets.val();
                self.kind.next = self.contexts[i].kind.val();
                self.issue_pc.next = self.contexts[i].next_pc.val();
                self.mask.next = self.contexts[i].mask.val();
                self.seq.next = self.contexts[i].seq.val();
            }
        }
    }

    /// Each slot gets its signals of launch, fetch, issue and completion.
    fn context_inputs(&mut self) {
        for i in 0..self._warps {
            clock!(self, clock, contexts[i]);
            self.contexts[i].launch.next =
                self.start_ports.launch.val() && (self.start_ports.launch_warp.val() == i.to_bits::<4>());
            WarpStartIn::link(&mut self.launch_ports, &mut self.contexts[i].launch_ports);
            self.contexts[i].launch_group.next = bit_cast::<16, 32>(self.group.val());
            self.contexts[i].running_slots.next = self.running_slots.val();
            self.contexts[i].fill.next = self.fill.val() && (self.fill_warp.val() == i.to_bits::<4>());
            FilledInstructionIn::link(&mut self.fill_ports, &mut self.contexts[i].fill_ports);
            self.contexts[i].issue.next = self.issue.val() && (self.issue_warp.val() == i.to_bits::<4>());
            self.contexts[i].branch.next = self.branch.val() && (self.branch_warp.val() == i.to_bits::<4>());
            self.contexts[i].branch_taken.next = self.branch_taken.val();
            self.contexts[i].retire.next = self.retire.val() && (self.retire_warp.val() == i.to_bits::<4>());
            self.contexts[i].acknowledge.next = self.acknowledge.val()
                && ((self.acknowledge_warp.val() == i.to_bits::<4>()) || self.fault_ack_any_warp.val());
            self.contexts[i].sent.next = self.sent.val() && (self.sent_warp.val() == i.to_bits::<4>());
            self.contexts[i].unmask.next = self.result_done.val()
                && (self.done_warp.val() == i.to_bits::<4>())
                && !self.fault_wide_mask_stuck.val();
            self.contexts[i].complete.next = false;
            self.contexts[i].clear.next = bits::<32>(0);
            if self.clear.val() && (self.clear_warp.val() == i.to_bits::<4>()) {
                self.contexts[i].clear.next = bits::<32>(1) << self.clear_register.val();
            }
            if self.complete.val() && (self.complete_warp.val() == i.to_bits::<4>()) {
                self.contexts[i].complete.next = true;
                self.contexts[i].clear.next = self.complete_sets.val();
                if self.clear.val() && (self.clear_warp.val() == i.to_bits::<4>()) {
                    self.contexts[i].clear.next =
                        self.complete_sets.val() | (bits::<32>(1) << self.clear_register.val());
                }
            }
        }
    }

    /// A launch gives coverage, window, and where to merge and to split.
    fn graphics(&mut self) {
        for k in 0..self._graphics {
            self.issue_covered[k].next = bits::<4>(0);
            self.issue_window[k].next = bits::<6>(0);
            for i in 0..self._warps {
                self.contexts[i].launch_covered[k].next = self.launch_covered[k].val();
                self.contexts[i].launch_window[k].next = self.launch_window[k].val();
                self.covered[i].next = self.contexts[i].covered[k].val();
                if self.issue_warp.val() == i.to_bits::<4>() {
                    self.issue_covered[k].next = self.contexts[i].covered[k].val();
                    self.issue_window[k].next = self.contexts[i].window[k].val();
                }
            }
        }

        for k in 0..self._merges_beside {
            for i in 0..self._warps {
                self.contexts[i].launch_merge_at[k].next = self.launch_merge_at[k].val();
            }
        }
        for k in 0..self._splits_beside {
            for i in 0..self._warps {
                self.contexts[i].launch_split_at[k].next = self.launch_split_at[k].val();
            }
        }
    }

    /// No slot merges; the one that issues shows its mate.
    fn merge_defaults(&mut self) {
        self.even_member.next = bits::<8>(0);
        self.odd_member.next = bits::<8>(0);
        self.even_alive.next = bits::<8>(0);
        self.odd_alive.next = bits::<8>(0);
        self.even_ready.next = bits::<8>(0);
        self.odd_ready.next = bits::<8>(0);
        // Slots 2 p and 2 p + 1 hold members of a pair. A slot without a neighbour holds none.
        for k in 0..self._merges {
            self.issue_mate[k].next = bits::<4>(0);
            self.merge[k].next = false;
            self.merge_warp[k].next = bits::<4>(0);
            self.merge_owned[k].next = bits::<4>(0);
            self.merge_stayed[k].next = bits::<4>(0);
            self.merge_came[k].next = bits::<4>(0);
            for i in 0..self._warps {
                self.contexts[i].launch_member[k].next = self.launch_member[k].val();
                self.contexts[i].launch_guest[k].next = self.launch_guest[k].val();
                self.contexts[i].partner[k].next = false;
                self.contexts[i].take[k].next = false;
                self.contexts[i].leave[k].next = false;
                self.contexts[i].mate_stopped[k].next = bits::<4>(0);
                self.contexts[i].mate_owned[k].next = bits::<4>(0);
                self.contexts[i].mate_covered[k].next = bits::<4>(0);
                self.contexts[i].mate_pc0[k].next = bits::<16>(0);
                self.contexts[i].mate_pc1[k].next = bits::<16>(0);
                self.contexts[i].mate_pc2[k].next = bits::<16>(0);
                self.contexts[i].mate_pc3[k].next = bits::<16>(0);
                self.mate[i].next = self.contexts[i].mate[k].val();
                if self.issue_warp.val() == i.to_bits::<4>() {
                    self.issue_mate[k].next = self.contexts[i].mate[k].val();
                }
            }
        }
    }

    /// The pairs know their members, who is alive and who is ready.
    fn pairs(&mut self) {
        for k in 0..self._by_pairs {
            clock!(self, clock, pairs);
            WarpBeginsIn::link(&mut self.start_ports, &mut self.pairs.start_ports);
            self.pairs.launch_member.next = self.launch_member[k].val();
            self.pairs.launch_guest.next = self.launch_guest[k].val();
            for _t in 0..self._twins {
                for s in 0..self._splits {
                    if self.split_ports[s].launch_splits.val() {
                        self.pairs.launch_member.next = false;
                    }
                }
            }
            self.merge[k].next = self.pairs.merge.val().any();
            self.even_member.next = bits::<8>(0);
            self.odd_member.next = bits::<8>(0);
            self.even_alive.next = bits::<8>(0);
            self.odd_alive.next = bits::<8>(0);
            self.even_ready.next = bits::<8>(0);
            self.odd_ready.next = bits::<8>(0);
            for p in 0..self._pairs {
                if self.contexts[2 * p].member[k].val() {
                    self.even_member.next = self.even_member.val() | (bits::<8>(1) << p.to_bits::<8>());
                }
                if self.contexts[2 * p + 1].member[k].val() {
                    self.odd_member.next = self.odd_member.val() | (bits::<8>(1) << p.to_bits::<8>());
                }
                if self.contexts[2 * p].alive[k].val() {
                    self.even_alive.next = self.even_alive.val() | (bits::<8>(1) << p.to_bits::<8>());
                }
                if self.contexts[2 * p + 1].alive[k].val() {
                    self.odd_alive.next = self.odd_alive.val() | (bits::<8>(1) << p.to_bits::<8>());
                }
                if self.contexts[2 * p].ready_to_merge[k].val() {
                    self.even_ready.next = self.even_ready.val() | (bits::<8>(1) << p.to_bits::<8>());
                }
                if self.contexts[2 * p + 1].ready_to_merge[k].val() {
                    self.odd_ready.next = self.odd_ready.val() | (bits::<8>(1) << p.to_bits::<8>());
                }
            }
            self.pairs.even_member.next = self.even_member.val();
            self.pairs.odd_member.next = self.odd_member.val();
            self.pairs.even_alive.next = self.even_alive.val();
            self.pairs.odd_alive.next = self.odd_alive.val();
            self.pairs.even_ready.next = self.even_ready.val();
            self.pairs.odd_ready.next = self.odd_ready.val();
        }
    }

    /// The even slot of a pair takes the odd one's lanes.
    fn pair_merge(&mut self) {
        for k in 0..self._by_pairs {
            for p in 0..self._pairs {
                self.contexts[2 * p].partner[k].next = self.pairs.even_partner.val().get_bit(p);
                self.contexts[2 * p + 1].partner[k].next = self.pairs.odd_partner.val().get_bit(p);
                self.contexts[2 * p].take[k].next = self.pairs.merge.val().get_bit(p);
                self.contexts[2 * p + 1].leave[k].next = self.pairs.merge.val().get_bit(p);
                self.contexts[2 * p].mate_stopped[k].next = self.contexts[2 * p + 1].stopped[k].val();
                self.contexts[2 * p].mate_owned[k].next = self.contexts[2 * p + 1].owned[k].val();
                self.contexts[2 * p].mate_covered[k].next = self.contexts[2 * p + 1].covered[k].val();
                self.contexts[2 * p].mate_pc0[k].next = self.contexts[2 * p + 1].lane_pc0[k].val();
                self.contexts[2 * p].mate_pc1[k].next = self.contexts[2 * p + 1].lane_pc1[k].val();
                self.contexts[2 * p].mate_pc2[k].next = self.contexts[2 * p + 1].lane_pc2[k].val();
                self.contexts[2 * p].mate_pc3[k].next = self.contexts[2 * p + 1].lane_pc3[k].val();
                if self.pairs.merge.val().get_bit(p) {
                    self.merge_warp[k].next = (2 * p).to_bits::<4>();
                    self.merge_owned[k].next =
                        self.contexts[2 * p].owned[k].val() | self.contexts[2 * p + 1].owned[k].val();
                    self.merge_stayed[k].next = self.contexts[2 * p].stopped[k].val();
                    self.merge_came[k].next = self.contexts[2 * p + 1].stopped[k].val();
                }
            }
        }
    }

    /// Groups of up to four merge; they know their members and who is ready.
    fn groups(&mut self) {
        for k in 0..self._by_groups {
            self.members[k].next = bits::<16>(0);
            self.living[k].next = bits::<16>(0);
            self.can_merge[k].next = bits::<16>(0);
            self.merge_source_stopped[k].next = bits::<4>(0);
            self.merge_source_owned[k].next = bits::<4>(0);
            self.merge_source_covered[k].next = bits::<4>(0);
            self.merge_source_pc0[k].next = bits::<16>(0);
            self.merge_source_pc1[k].next = bits::<16>(0);
            self.merge_source_pc2[k].next = bits::<16>(0);
            self.merge_source_pc3[k].next = bits::<16>(0);
            clock!(self, clock, groups);
            WarpBeginsIn::link(&mut self.start_ports, &mut self.groups.start_ports);
            self.groups.launch_member.next = self.launch_member[k].val();
            self.groups.launch_number.next = self.launch_number[k].val();
            self.groups.launch_others.next = self.launch_group_others[k].val();
            self.issue_mate_high[k].next = bits::<4>(0);
            for i in 0..self._warps {
                self.contexts[i].launch_number[k].next = self.launch_number[k].val();
                self.mate_high[i].next = self.contexts[i].mate_high[k].val();
                if self.issue_warp.val() == i.to_bits::<4>() {
                    self.issue_mate_high[k].next = self.contexts[i].mate_high[k].val();
                }
                if self.contexts[i].member[k].val() {
                    self.members[k].next = self.members[k].val() | (bits::<16>(1) << i.to_bits::<16>());
                }
                if self.contexts[i].alive[k].val() {
                    self.living[k].next = self.living[k].val() | (bits::<16>(1) << i.to_bits::<16>());
                }
                if self.contexts[i].ready_to_merge[k].val() {
                    self.can_merge[k].next = self.can_merge[k].val() | (bits::<16>(1) << i.to_bits::<16>());
                }
            }
            self.groups.member.next = self.members[k].val();
            self.groups.alive.next = self.living[k].val();
            self.groups.ready.next = self.can_merge[k].val();
            self.merge[k].next = self.groups.merge_target.val().any();
            self.merge_warp[k].next = self.groups.merge_target_warp.val();
            self.merge_gone[k].next = self.groups.merge_source_warp.val();
        }
    }

    /// The slot that is kept takes the lanes of the one that goes.
    fn group_merge(&mut self) {
        for k in 0..self._by_groups {
            for i in 0..self._warps {
                if self.groups.merge_source.val().get_bit(i) {
                    self.merge_source_stopped[k].next = self.contexts[i].stopped[k].val();
                    self.merge_source_owned[k].next = self.contexts[i].owned[k].val();
                    self.merge_source_covered[k].next = self.contexts[i].covered[k].val();
                    self.merge_source_pc0[k].next = self.contexts[i].lane_pc0[k].val();
                    self.merge_source_pc1[k].next = self.contexts[i].lane_pc1[k].val();
                    self.merge_source_pc2[k].next = self.contexts[i].lane_pc2[k].val();
                    self.merge_source_pc3[k].next = self.contexts[i].lane_pc3[k].val();
                }
            }
            self.merge_came[k].next = self.merge_source_stopped[k].val();
            for i in 0..self._warps {
                self.contexts[i].partner[k].next = self.groups.partner.val().get_bit(i);
                self.contexts[i].take[k].next = self.groups.merge_target.val().get_bit(i);
                self.contexts[i].leave[k].next = self.groups.merge_source.val().get_bit(i);
                self.contexts[i].more_to_come[k].next = self.groups.more.val();
                self.contexts[i].mate_number[k].next = self.groups.merge_source_number.val();
                self.contexts[i].mate_stopped[k].next = self.merge_source_stopped[k].val();
                self.contexts[i].mate_owned[k].next = self.merge_source_owned[k].val();
                self.contexts[i].mate_covered[k].next = self.merge_source_covered[k].val();
                self.contexts[i].mate_pc0[k].next = self.merge_source_pc0[k].val();
                self.contexts[i].mate_pc1[k].next = self.merge_source_pc1[k].val();
                self.contexts[i].mate_pc2[k].next = self.merge_source_pc2[k].val();
                self.contexts[i].mate_pc3[k].next = self.merge_source_pc3[k].val();
                if self.groups.merge_target.val().get_bit(i) {
                    self.merge_owned[k].next = self.contexts[i].owned[k].val() | self.merge_source_owned[k].val();
                    self.merge_stayed[k].next = self.contexts[i].stopped[k].val();
                }
            }
        }
    }

    /// Pairs of groups merge by their members 0, and are told of launches.
    fn twin_launch(&mut self) {
        for t in 0..self._twins {
            for _k in 0..self._merges {
                self.twin_stopped[t].next = bits::<4>(0);
                self.twin_owned[t].next = bits::<4>(0);
                self.twin_covered[t].next = bits::<4>(0);
                self.twin_pc0[t].next = bits::<16>(0);
                self.twin_pc1[t].next = bits::<16>(0);
                self.twin_pc2[t].next = bits::<16>(0);
                self.twin_pc3[t].next = bits::<16>(0);
                self.twins[t].next = bits::<32>(0);
                self.issue_near[t].next = false;
                self.issue_far[t].next = false;
                clock!(self, clock, twin_pairs);
                WarpBeginsIn::link(&mut self.start_ports, &mut self.twin_pairs.start_ports);
                self.twin_pairs.launch_twin.next = self.launch_twin[t].val();
                self.twin_pairs.others_merge.next = self.pairs.merge.val().any();
                for s in 0..self._splits {
                    self.twin_pairs.launch_rank.next = self.split_ports[s].launch_rank.val();
                    self.twin_pairs.launch_others.next = self.split_ports[s].launch_others.val();
                }
            }
        }
    }

    /// Pairs of groups know their members, who is alive, ready and free.
    fn twin_members(&mut self) {
        for t in 0..self._twins {
            for k in 0..self._merges {
                self.twin_members[t].next = bits::<16>(0);
                self.twin_alive[t].next = bits::<16>(0);
                self.twin_ready[t].next = bits::<16>(0);
                self.twin_free[t].next = bits::<16>(0);
                for i in 0..self._warps {
                    if self.contexts[i].member[k].val() {
                        self.twin_members[t].next = self.twin_members[t].val() | (bits::<16>(1) << i.to_bits::<16>());
                    }
                    if self.contexts[i].alive[k].val() {
                        self.twin_alive[t].next = self.twin_alive[t].val() | (bits::<16>(1) << i.to_bits::<16>());
                    }
                    if self.contexts[i].ready_to_merge[k].val() {
                        self.twin_ready[t].next = self.twin_ready[t].val() | (bits::<16>(1) << i.to_bits::<16>());
                    }
                    if self.contexts[i].free.val() {
                        self.twin_free[t].next = self.twin_free[t].val() | (bits::<16>(1) << i.to_bits::<16>());
                    }
                    if self.contexts[i].near[t].val() {
                        self.twins[t].next = self.twins[t].val() | (bits::<32>(1) << i.to_bits::<32>());
                    }
                    if self.contexts[i].far[t].val() {
                        self.twins[t].next = self.twins[t].val() | (bits::<32>(0x10000) << i.to_bits::<32>());
                    }
                    if self.issue_warp.val() == i.to_bits::<4>() {
                        self.issue_near[t].next = self.contexts[i].near[t].val();
                        self.issue_far[t].next = self.contexts[i].far[t].val();
                    }
                }
                self.twin_pairs.member.next = self.twin_members[t].val();
                self.twin_pairs.alive.next = self.twin_alive[t].val();
                self.twin_pairs.ready.next = self.twin_ready[t].val();
                self.twin_pairs.free.next = self.twin_free[t].val();
                self.twins_merge[t].next = self.twin_pairs.merge_target.val().any();
                self.twins_gone[t].next = self.twin_pairs.merge_source_warp.val();
            }
        }
    }

    /// The group that is kept takes the lanes of the one that goes.
    fn twin_merge(&mut self) {
        for t in 0..self._twins {
            for k in 0..self._merges {
                for i in 0..self._warps {
                    if self.twin_pairs.merge_source.val().get_bit(i) {
                        self.twin_stopped[t].next = self.contexts[i].stopped[k].val();
                        self.twin_owned[t].next = self.contexts[i].owned[k].val();
                        self.twin_covered[t].next = self.contexts[i].covered[k].val();
                        self.twin_pc0[t].next = self.contexts[i].lane_pc0[k].val();
                        self.twin_pc1[t].next = self.contexts[i].lane_pc1[k].val();
                        self.twin_pc2[t].next = self.contexts[i].lane_pc2[k].val();
                        self.twin_pc3[t].next = self.contexts[i].lane_pc3[k].val();
                    }
                }
                for i in 0..self._warps {
                    self.contexts[i].launch_both[t].next = self.launch_both[t].val();
                    self.contexts[i].twin_open[t].next = self.twin_pairs.open.val().get_bit(i);
                    self.contexts[i].twin_held[t].next = self.twin_pairs.held.val().get_bit(i);
                    self.contexts[i].twins_merge[t].next = self.twin_pairs.merge_target.val().any();
                    self.contexts[i].twins_kept[t].next = self.twin_pairs.merge_target_warp.val();
                    self.contexts[i].twins_gone[t].next = self.twin_pairs.merge_source_warp.val();
                    if self.twin_pairs.partner.val().get_bit(i) {
                        self.contexts[i].partner[k].next = true;
                    }
                    if self.twin_pairs.merge_source.val().get_bit(i) {
                        self.contexts[i].leave[k].next = true;
                    }
                    if self.twin_pairs.merge_target.val().get_bit(i) {
                        self.contexts[i].take[k].next = true;
                        self.contexts[i].mate_stopped[k].next = self.twin_stopped[t].val();
                        self.contexts[i].mate_owned[k].next = self.twin_owned[t].val();
                        self.contexts[i].mate_covered[k].next = self.twin_covered[t].val();
                        self.contexts[i].mate_pc0[k].next = self.twin_pc0[t].val();
                        self.contexts[i].mate_pc1[k].next = self.twin_pc1[t].val();
                        self.contexts[i].mate_pc2[k].next = self.twin_pc2[t].val();
                        self.contexts[i].mate_pc3[k].next = self.twin_pc3[t].val();
                        self.merge[k].next = true;
                        self.merge_warp[k].next = i.to_bits::<4>();
                        self.merge_owned[k].next = self.contexts[i].owned[k].val() | self.twin_owned[t].val();
                        self.merge_stayed[k].next = self.contexts[i].stopped[k].val();
                        self.merge_came[k].next = self.twin_stopped[t].val();
                    }
                }
            }
        }
    }

    /// Of the groups that are ready, that in the lowest slot splits.
    fn split_choice(&mut self) {
        // Groups that split: member 0 in an even slot, or in one whose number four divides if the
        // group has more than two. The others stand in the slots behind it.
        self.splitting.next = bits::<16>(0);
        for t in 0..self._turns {
            self.whole[t].next = bits::<16>(0);
            for i in 0..self._warps {
                self.contexts[i].launch_turned[t].next = self.launch_turned[t].val();
                self.contexts[i].launch_pixel[t].next = self.launch_pixel[t].val();
                if self.contexts[i].whole[t].val() {
                    self.whole[t].next = self.whole[t].val() | (bits::<16>(1) << i.to_bits::<4>());
                }
            }
        }
        self.splits_now.next = bits::<16>(0);
        self.group_slot.next = bits::<4>(0);
        self.free_slots.next = bits::<32>(0);
        for k in 0..self._splits {
            self.group_slot.next =
                self.start_ports.launch_warp.val() - bit_cast::<4, 2>(self.split_ports[k].launch_rank.val());
            self.locked[k].next = bits::<16>(0);
            for i in 0..self._warps {
                if self.contexts[i].ready_to_split[k].val() {
                    self.splitting.next = self.splitting.val() | (bits::<16>(1) << i.to_bits::<4>());
                }
                if self.contexts[i].free.val() {
                    self.free_slots.next = self.free_slots.val() | (bits::<32>(1) << i.to_bits::<32>());
                }
                if self.contexts[i].locked[k].val() {
                    self.locked[k].next = self.locked[k].val() | (bits::<16>(1) << i.to_bits::<4>());
                }
            }
            self.splits_now.next = self.splitting.val() & (bits::<16>(0) - self.splitting.val());
            self.split[k].next = self.splitting.val().any();
            self.split_warp[k].next = bits::<4>(0);
            self.split_others[k].next = bits::<2>(0);
            self.split_lanes[k].next = bits::<4>(0);
            self.split_covered[k].next = bits::<4>(0);
        }
    }

    /// Each slot knows the free ones behind it; the one that splits shows its lanes.
    fn split_slots(&mut self) {
        for k in 0..self._splits {
            for i in 0..self._warps {
                SplitStartIn::link(&mut self.split_ports[k], &mut self.contexts[i].split_ports[k]);
                self.contexts[i].arrives[k].next = self.start_ports.launch.val()
                    && self.split_ports[k].launch_splits.val()
                    && self.split_ports[k].launch_rank.val().any()
                    && (self.group_slot.val() == i.to_bits::<4>());
                self.contexts[i].split[k].next = self.splits_now.val().get_bit(i);
                self.contexts[i].freed[k].next = self.free_slots.val().get_bits::<3>(i + 1);
                self.contexts[i].wake[k].next = false;
                self.contexts[i].wake_lanes[k].next = bits::<4>(0);
                self.contexts[i].wake_covered[k].next = bits::<4>(0);
                self.contexts[i].wake_pc0[k].next = bits::<16>(0);
                self.contexts[i].wake_pc1[k].next = bits::<16>(0);
                self.contexts[i].wake_pc2[k].next = bits::<16>(0);
                self.contexts[i].wake_pc3[k].next = bits::<16>(0);
                if self.splits_now.val().get_bit(i) {
                    self.split_warp[k].next = i.to_bits::<4>();
                    self.split_others[k].next = self.contexts[i].others[k].val();
                    self.split_lanes[k].next = self.contexts[i].split_lanes[k].val();
                    self.split_covered[k].next = self.contexts[i].covered[k].val();
                }
            }
        }
    }

    /// Members in the slots behind wake with the lanes of member 0.
    fn wakes(&mut self) {
        for k in 0..self._splits {
            for p in 0..self._pairs {
                if self.splits_now.val().get_bit(2 * p) && (self.contexts[2 * p].others[k].val() >= bits::<2>(1)) {
                    self.contexts[2 * p + 1].wake[k].next = true;
                    self.contexts[2 * p + 1].wake_lanes[k].next = self.contexts[2 * p].split_lanes[k].val();
                    self.contexts[2 * p + 1].wake_covered[k].next = self.contexts[2 * p].covered[k].val();
                    self.contexts[2 * p + 1].wake_pc0[k].next = self.contexts[2 * p].split_pc0[k].val();
                    self.contexts[2 * p + 1].wake_pc1[k].next = self.contexts[2 * p].split_pc1[k].val();
                    self.contexts[2 * p + 1].wake_pc2[k].next = self.contexts[2 * p].split_pc2[k].val();
                    self.contexts[2 * p + 1].wake_pc3[k].next = self.contexts[2 * p].split_pc3[k].val();
                }
            }
            for q in 0..self._fours {
                if self.splits_now.val().get_bit(4 * q) && (self.contexts[4 * q].others[k].val() >= bits::<2>(2)) {
                    self.contexts[4 * q + 2].wake[k].next = true;
                    self.contexts[4 * q + 2].wake_lanes[k].next = self.contexts[4 * q].split_lanes[k].val();
                    self.contexts[4 * q + 2].wake_covered[k].next = self.contexts[4 * q].covered[k].val();
                    self.contexts[4 * q + 2].wake_pc0[k].next = self.contexts[4 * q].split_pc0[k].val();
                    self.contexts[4 * q + 2].wake_pc1[k].next = self.contexts[4 * q].split_pc1[k].val();
                    self.contexts[4 * q + 2].wake_pc2[k].next = self.contexts[4 * q].split_pc2[k].val();
                    self.contexts[4 * q + 2].wake_pc3[k].next = self.contexts[4 * q].split_pc3[k].val();
                }
            }
            for q in 0..self._fours {
                if self.splits_now.val().get_bit(4 * q) && (self.contexts[4 * q].others[k].val() >= bits::<2>(3)) {
                    self.contexts[4 * q + 3].wake[k].next = true;
                    self.contexts[4 * q + 3].wake_lanes[k].next = self.contexts[4 * q].split_lanes[k].val();
                    self.contexts[4 * q + 3].wake_covered[k].next = self.contexts[4 * q].covered[k].val();
                    self.contexts[4 * q + 3].wake_pc0[k].next = self.contexts[4 * q].split_pc0[k].val();
                    self.contexts[4 * q + 3].wake_pc1[k].next = self.contexts[4 * q].split_pc1[k].val();
                    self.contexts[4 * q + 3].wake_pc2[k].next = self.contexts[4 * q].split_pc2[k].val();
                    self.contexts[4 * q + 3].wake_pc3[k].next = self.contexts[4 * q].split_pc3[k].val();
                }
            }
        }
    }

    /// Who sleeps for a slot wakes with it: of a pair of groups all samples of both.
    fn sleepers(&mut self) {
        for k in 0..self._splits {
            for t in 0..self._twins {
                self.wake_pc0[t].next = bits::<16>(0);
                self.wake_pc1[t].next = bits::<16>(0);
                self.wake_pc2[t].next = bits::<16>(0);
                self.wake_pc3[t].next = bits::<16>(0);
                for i in 0..self._warps {
                    if self.splits_now.val().get_bit(i) {
                        self.wake_pc0[t].next = self.contexts[i].split_pc0[k].val();
                        self.wake_pc1[t].next = self.contexts[i].split_pc1[k].val();
                        self.wake_pc2[t].next = self.contexts[i].split_pc2[k].val();
                        self.wake_pc3[t].next = self.contexts[i].split_pc3[k].val();
                    }
                }
                for i in 0..self._warps {
                    self.contexts[i].launch_base[t].next = self.group_slot.val();
                    if self.split[k].val()
                        && self.contexts[i].asleep[t].val()
                        && (self.contexts[i].waker[t].val() == self.split_warp[k].val())
                    {
                        self.contexts[i].wake[k].next = true;
                        self.contexts[i].wake_lanes[k].next = self.split_lanes[k].val();
                        self.contexts[i].wake_covered[k].next = self.split_covered[k].val();
                        self.contexts[i].wake_pc0[k].next = self.wake_pc0[t].val();
                        self.contexts[i].wake_pc1[k].next = self.wake_pc1[t].val();
                        self.contexts[i].wake_pc2[k].next = self.wake_pc2[t].val();
                        self.contexts[i].wake_pc3[k].next = self.wake_pc3[t].val();
                    }
                }
            }
        }
    }
}
