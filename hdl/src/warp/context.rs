//! One warp slot: per-lane program counters and states, the one-entry instruction buffer, the
//! scoreboard, and the counts of what is in flight.
//!
//! The life of an instruction, seen from here (cycle numbers as in [`super::unit`]): a change of
//! the counters raises `dirty`; one cycle later `next_pc` and `next_mask` hold the lowest counter
//! of the running lanes and the lanes at it, and `need_fetch` asks the fetch stage; `fill` puts the
//! decoded instruction into the buffer; `ready` rises when none of its registers is pending;
//! `issue` takes it away and moves the counters on, except those of a conditional branch, which
//! move with `branch` one cycle later.
//!
//! Invariants: `next_pc`, `next_mask`, `hi` and `kind` do not change between `fill` and the change
//! of the counters, so a branch finds its target and its lanes here. A slot has at most one
//! instruction between `known` and its issue, so it needs no flush. A buffered instruction implies
//! a running lane, so a barrier release (which needs that no lane runs) can never make a buffered
//! instruction the wrong one.
//!
//! Semaphores: `wait_count` is the number of acknowledgements that the slot's thread is still to
//! get. ACS, ASR and WTS set `waiting`; a slot that is waiting with a count that is not zero issues
//! nothing, though its next instruction may be fetched meanwhile. An acknowledgement may come
//! before the thread waits (SE-42). A slot stays taken while acknowledgements are to come or one of
//! its messages has not left the unit, so that neither can meet the slot's next thread. The count
//! needs five bits: 15 acquires of the dispatcher and, before the first wait, one of the thread's
//! own.
//!
//! Representative (WW-30, only if the machine is built so): the issue of a warp-wide atomic sets
//! `masked` and keeps the lanes that it was for in `saved`. A masked slot issues nothing, so it has
//! one warp-wide atomic on the way; results of loads and atomics that it issued before may still
//! come meanwhile, however many instructions lie between. Which result ends the mask is told by the
//! queue of requests, not by a number (numbers repeat after 256 instructions); `unmask` says that
//! the last of it is being written.
//!
//! Graphics (only if it is built): `lanes_covered` has the lanes that are no helpers. DEMOTE and
//! DISCARD take lanes away; at them and at END a fragment warp ends if no lane that runs is left in
//! it. It keeps its value when the slot is free, until the next launch.
//!
//! Merging (only if it is built): lanes of a member of a pair that come to MERGE are `stopped`. The
//! member is `ready_to_merge` when none of its covered lanes does anything else, and nothing is in
//! flight; it issues nothing then. `take` makes this slot the merged warp, `leave` ends it. If the
//! partner is no more by then, the stopped lanes go on.
//!
//! Splitting (only if it is built): member 0 of a group is `unsplit` until no lane of it runs.
//! Lanes that come to SPLIT are `stopped` for that. The other members sleep in slots behind its own
//! and wake with its counters. Its slot is not free before all of them have ended.
//!
//! Forms (MS-10): what is said here of MERGE and SPLIT is so of any merge and split point. One that
//! stands beside the program is met in the cycle in which the lowest counter is found.
//!
//! Wrong ideas that lockstep would catch: forgetting that a blocked lane keeps its slot, letting
//! END overtake an instruction in flight, clearing a scoreboard bit before the value can be
//! bypassed.

use quadlock_hdl_macros::QuietBlock;
mod counters;
mod events;
mod merging;
mod slot;
mod splitting;
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Parameter, Planted};
use crate::config::{EventForm, GpuConfig, WarpWide};
use crate::fault::Fault;
use crate::kernel_of;
use crate::ports::{FilledInstructionIn, SplitStartIn, WarpStartIn};

/// See the module documentation. Every output is a function of flip-flops only, so no path runs
/// through a slot.
#[derive(Default, QuietBlock)]
pub struct WarpContext {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Dispatcher.
    /// The slot is launched in this cycle.
    pub launch: Signal<In, bool>,
    /// The values with which the context of a warp begins.
    pub launch_ports: WarpStartIn,
    /// Warp slots of the work group, this one included.
    pub launch_group: Signal<In, Bits<16>>,
    /// No lane runs or is blocked, nothing is in flight, and no message or acknowledgement is
    /// outstanding.
    pub free: Signal<Out, bool>,
    // Barrier: slots that have a running lane or will be launched for their group.
    /// A lane of this slot runs, or the slot is still to be launched for its group.
    pub any_running: Signal<Out, bool>,
    /// `any_running` of all slots, one bit each.
    pub running_slots: Signal<In, Bits<16>>,
    // Fetch.
    /// The slot needs an instruction.
    pub need_fetch: Signal<Out, bool>,
    /// The lowest counter of the running lanes: of the instruction to fetch, then of the buffered
    /// one.
    pub next_pc: Signal<Out, Bits<16>>,
    /// A fetched instruction arrives for this slot.
    pub fill: Signal<In, bool>,
    /// A fetched instruction, decoded.
    pub fill_ports: FilledInstructionIn,
    // Issue.
    /// The buffered instruction can issue.
    pub ready: Signal<Out, bool>,
    /// Its wait has ended and it has not issued since: the scheduler takes it first.
    pub woken: Signal<Out, bool>,
    /// The slot's next instruction is decoded.
    pub occupied: Signal<Out, bool>,
    /// Buffered instruction, bits 31:0.
    pub lo: Signal<Out, Bits<32>>,
    /// Buffered instruction, bits 63:32.
    pub hi: Signal<Out, Bits<32>>,
    /// Registers that it makes pending, one bit each.
    pub sets: Signal<Out, Bits<32>>,
    /// Its decoded kind, bits as in [`super`].
    pub kind: Signal<Out, Bits<21>>,
    /// Its active lanes.
    pub mask: Signal<Out, Bits<4>>,
    /// Its sequence number.
    pub seq: Signal<Out, Bits<8>>,
    /// The buffered instruction issues.
    pub issue: Signal<In, bool>,
    // Branch outcome, one cycle after the issue of a conditional branch.
    /// The outcome of a conditional branch arrives.
    pub branch: Signal<In, bool>,
    /// Lanes that leave for the target.
    pub branch_taken: Signal<In, Bits<4>>,
    // Completion: pending bits to clear; an instruction retired from the lane pipeline; a memory
    // instruction completed.
    /// Registers that are no longer pending, one bit each.
    pub clear: Signal<In, Bits<32>>,
    /// An instruction leaves the lane pipeline.
    pub retire: Signal<In, bool>,
    /// A memory or function instruction has completed.
    pub complete: Signal<In, bool>,
    // Semaphores.
    /// An acknowledgement arrives.
    pub acknowledge: Signal<In, bool>,
    /// A message of this slot leaves the unit.
    pub sent: Signal<In, bool>,
    /// The slot waits for acknowledgements.
    pub waits: Signal<Out, bool>,
    // Warp-wide atomics by a representative.
    /// The result of the warp-wide atomic is written.
    pub unmask: Signal<In, bool>,
    /// All lanes but the representative are masked: its result is still to come.
    pub masked: Signal<Out, bool>,
    /// Lanes that the result goes to.
    pub saved: Signal<Out, Bits<4>>,
    // Graphics: each is one, or none.
    /// Lanes that are no helpers at the launch.
    pub launch_covered: Vec<Signal<In, Bits<4>>>,
    /// Window of the constant bank in 4:0, a graphics warp in 5; odd windows are those of
    /// fragments.
    pub launch_window: Vec<Signal<In, Bits<6>>>,
    /// Lanes that are no helpers now.
    pub covered: Vec<Signal<Out, Bits<4>>>,
    /// Window as launched.
    pub window: Vec<Signal<Out, Bits<6>>>,
    // Merging: each is one, or none.
    /// The launched warp is a member of a pair.
    pub launch_member: Vec<Signal<In, bool>>,
    /// It is member 1.
    pub launch_guest: Vec<Signal<In, bool>>,
    /// The other member is to come, or runs.
    pub partner: Vec<Signal<In, bool>>,
    /// The two merge into this slot.
    pub take: Vec<Signal<In, bool>>,
    /// The two merge into the other slot.
    pub leave: Vec<Signal<In, bool>>,
    /// For the other slot: lanes that come, lanes it owns, lanes it covers, counters of its lanes.
    pub mate_stopped: Vec<Signal<In, Bits<4>>>,
    /// What the other slot's warp owned.
    pub mate_owned: Vec<Signal<In, Bits<4>>>,
    /// What it covers.
    pub mate_covered: Vec<Signal<In, Bits<4>>>,
    /// Counter of its lane 0.
    pub mate_pc0: Vec<Signal<In, Bits<16>>>,
    /// Counter of lane 1.
    pub mate_pc1: Vec<Signal<In, Bits<16>>>,
    /// Counter of lane 2.
    pub mate_pc2: Vec<Signal<In, Bits<16>>>,
    /// Counter of lane 3.
    pub mate_pc3: Vec<Signal<In, Bits<16>>>,
    /// It is a member, and neither merged nor alone.
    pub member: Vec<Signal<Out, bool>>,
    /// It has lanes that have not ended.
    pub alive: Vec<Signal<Out, bool>>,
    /// It can merge: every covered lane has stopped, and nothing is in flight.
    pub ready_to_merge: Vec<Signal<Out, bool>>,
    /// Covered lanes that have stopped.
    pub stopped: Vec<Signal<Out, Bits<4>>>,
    /// Lanes that own their registers: those that were covered at the launch.
    pub owned: Vec<Signal<Out, Bits<4>>>,
    /// Lanes whose tags are those of member 1.
    pub mate: Vec<Signal<Out, Bits<4>>>,
    /// Counter of lane 0.
    pub lane_pc0: Vec<Signal<Out, Bits<16>>>,
    /// Counter of lane 1.
    pub lane_pc1: Vec<Signal<Out, Bits<16>>>,
    /// Counter of lane 2.
    pub lane_pc2: Vec<Signal<Out, Bits<16>>>,
    /// Counter of lane 3.
    pub lane_pc3: Vec<Signal<Out, Bits<16>>>,
    // Groups of more than two that merge: each is one, or none.
    /// Number of the launched member.
    pub launch_number: Vec<Signal<In, Bits<2>>>,
    /// Number of the member that comes.
    pub mate_number: Vec<Signal<In, Bits<2>>>,
    /// It is not the last one.
    pub more_to_come: Vec<Signal<In, bool>>,
    /// Bit 1 of the numbers of members whose tags lanes have; bit 0 is `mate`.
    pub mate_high: Vec<Signal<Out, Bits<4>>>,
    lanes_mate_high: Vec<DFF<Bits<4>>>,
    /// Where the launched warp merges, if that stands beside its program; 0: nowhere.
    pub launch_merge_at: Vec<Signal<In, Bits<16>>>,
    // Splitting: each is one, or none.
    /// Where it splits, in the same way.
    pub launch_split_at: Vec<Signal<In, Bits<16>>>,
    /// What the context of a warp that may split begins with.
    pub split_ports: Each<SplitStartIn>,
    /// Its lanes are the samples of one pixel; one, or none. That pixel.
    pub launch_turned: Vec<Signal<In, bool>>,
    /// Its place in the quad.
    pub launch_pixel: Vec<Signal<In, Bits<2>>>,
    /// It stands for the pixels, and will be one of them.
    pub whole: Vec<Signal<Out, bool>>,
    /// Another member of this slot's group is launched.
    pub arrives: Vec<Signal<In, bool>>,
    /// The slots of members 1, 2, 3 are free.
    pub freed: Vec<Signal<In, Bits<3>>>,
    /// The group of this slot splits.
    pub split: Vec<Signal<In, bool>>,
    /// So does the group in which this slot sleeps; what member 0 has then.
    pub wake: Vec<Signal<In, bool>>,
    /// Lanes that stand at split points.
    pub wake_lanes: Vec<Signal<In, Bits<4>>>,
    /// Lanes that cover something.
    pub wake_covered: Vec<Signal<In, Bits<4>>>,
    /// Counter of lane 0.
    pub wake_pc0: Vec<Signal<In, Bits<16>>>,
    /// Counter of lane 1.
    pub wake_pc1: Vec<Signal<In, Bits<16>>>,
    /// Counter of lane 2.
    pub wake_pc2: Vec<Signal<In, Bits<16>>>,
    /// Counter of lane 3.
    pub wake_pc3: Vec<Signal<In, Bits<16>>>,
    /// The group of this slot can split: no lane of member 0 runs, and all members are there.
    pub ready_to_split: Vec<Signal<Out, bool>>,
    /// Lanes that stand at split points.
    pub split_lanes: Vec<Signal<Out, Bits<4>>>,
    /// Other members of this slot's group.
    pub others: Vec<Signal<Out, Bits<2>>>,
    /// The warp has split: public registers are only read.
    pub locked: Vec<Signal<Out, bool>>,
    /// Counter of lane 0.
    pub split_pc0: Vec<Signal<Out, Bits<16>>>,
    /// Counter of lane 1.
    pub split_pc1: Vec<Signal<Out, Bits<16>>>,
    /// Counter of lane 2.
    pub split_pc2: Vec<Signal<Out, Bits<16>>>,
    /// Counter of lane 3.
    pub split_pc3: Vec<Signal<Out, Bits<16>>>,
    // Pairs of groups: each is one, or none.
    /// Launch: its program merges and then splits.
    pub launch_both: Vec<Signal<In, bool>>,
    /// Launch: slot of member 0 of its group.
    pub launch_base: Vec<Signal<In, Bits<4>>>,
    /// The partner of its group is still to be launched.
    pub twin_open: Vec<Signal<In, bool>>,
    /// Public registers of another group are in its slot.
    pub twin_held: Vec<Signal<In, bool>>,
    /// Members 0 of two groups merge in this cycle.
    pub twins_merge: Vec<Signal<In, bool>>,
    /// The slot that goes on, and the one that goes.
    pub twins_kept: Vec<Signal<In, Bits<4>>>,
    /// It goes.
    pub twins_gone: Vec<Signal<In, Bits<4>>>,
    /// It sleeps.
    pub asleep: Vec<Signal<Out, bool>>,
    /// The slot whose split wakes it.
    pub waker: Vec<Signal<Out, Bits<4>>>,
    /// Tags of lanes in `mate` are two slots after its own.
    pub near: Vec<Signal<Out, bool>>,
    /// Tags of lanes in `mate` are four slots after its own.
    pub far: Vec<Signal<Out, bool>>,
    // State.
    pc0: DFF<Bits<16>>,
    pc1: DFF<Bits<16>>,
    pc2: DFF<Bits<16>>,
    pc3: DFF<Bits<16>>,
    running: DFF<Bits<4>>,
    blocked: DFF<Bits<4>>,
    group: DFF<Bits<16>>,
    dirty: DFF<bool>,
    known: DFF<bool>,
    lowest_pc: DFF<Bits<16>>,
    lowest_mask: DFF<Bits<4>>,
    buffered: DFF<bool>,
    buffer_lo: DFF<Bits<32>>,
    buffer_hi: DFF<Bits<32>>,
    buffer_need: DFF<Bits<32>>,
    buffer_sets: DFF<Bits<32>>,
    buffer_kind: DFF<Bits<21>>,
    pending: DFF<Bits<32>>,
    in_flight: DFF<Bits<6>>,
    sequence: DFF<Bits<8>>,
    waiting: DFF<bool>,
    awake: DFF<bool>,
    wait_count: DFF<Bits<5>>,
    /// Messages issued and not yet handed over.
    unsent: DFF<Bits<5>>,
    masked_now: DFF<bool>,
    saved_mask: DFF<Bits<4>>,
    // Named intermediate values.
    low: Signal<Local, Bits<16>>,
    found: Signal<Local, bool>,
    /// By lane: its counter; whether it is below the lowest of the lanes before.
    lane_pc: Vec<Signal<Local, Bits<16>>>,
    less: Vec<Signal<Local, bool>>,
    at_low: Signal<Local, Bits<4>>,
    advance: Signal<Local, Bits<4>>,
    following: Signal<Local, Bits<16>>,
    target: Signal<Local, Bits<16>>,
    taken: Signal<Local, Bits<4>>,
    let_go: Signal<Local, bool>,
    more: Signal<Local, bool>,
    fewer: Signal<Local, bool>,
    sends: Signal<Local, bool>,
    blocked_by_wait: Signal<Local, bool>,
    lanes_covered: Vec<DFF<Bits<4>>>,
    window_now: Vec<DFF<Bits<6>>>,
    /// DEMOTE issues; DEMOTE or DISCARD; one that may end the warp.
    demotes: Vec<Signal<Local, bool>>,
    uncovers: Vec<Signal<Local, bool>>,
    looks: Vec<Signal<Local, bool>>,
    /// Lanes that are no helpers behind the instruction; lanes that go on.
    left: Vec<Signal<Local, Bits<4>>>,
    /// Lanes that run or are blocked and do not end; with those that have stopped; and that have
    /// split.
    stands: Vec<Signal<Local, Bits<4>>>,
    with_stopped: Vec<Signal<Local, Bits<4>>>,
    stays: Vec<Signal<Local, Bits<4>>>,
    /// Merging.
    is_member: Vec<DFF<bool>>,
    lanes_stopped: Vec<DFF<Bits<4>>>,
    lanes_owned: Vec<DFF<Bits<4>>>,
    lanes_mate: Vec<DFF<Bits<4>>>,
    /// Lanes that keep the member from merging; it has stopped; it goes on alone.
    busy_lanes: Vec<Signal<Local, Bits<4>>>,
    has_stopped: Vec<Signal<Local, bool>>,
    alone: Vec<Signal<Local, bool>>,
    /// Pairs of groups: its program merges and then splits; it has merged with the first sample of
    /// another group, two slots behind or four; the slot whose split wakes it.
    is_both: Vec<DFF<bool>>,
    is_near: Vec<DFF<bool>>,
    is_far: Vec<DFF<bool>>,
    woken_by: Vec<DFF<Bits<4>>>,
    /// Splitting: a member that sleeps; member 0 that has not split; members that are still to be
    /// launched, and those that have not ended.
    is_asleep: Vec<DFF<bool>>,
    is_unsplit: Vec<DFF<bool>>,
    to_come: Vec<DFF<Bits<2>>>,
    members: Vec<DFF<Bits<3>>>,
    group_others: Vec<DFF<Bits<2>>>,
    lanes_split: Vec<DFF<Bits<4>>>,
    lanes_after: Vec<DFF<Bits<4>>>,
    is_locked: Vec<DFF<bool>>,
    /// Members that are pixels: it is one, and which; lanes of member 0 as bits of the pixel; its
    /// counter.
    is_turned: Vec<DFF<bool>>,
    pixel: Vec<DFF<Bits<2>>>,
    pixel_covered: Vec<Signal<Local, Bits<4>>>,
    pixel_stopped: Vec<Signal<Local, Bits<4>>>,
    pixel_pc: Vec<Signal<Local, Bits<16>>>,
    /// Points beside the program: where they are, and what each lane has executed.
    merge_at: Vec<DFF<Bits<16>>>,
    split_at: Vec<DFF<Bits<16>>>,
    executed: Vec<DFF<Bits<16>>>,
    /// Where the program merges, and where it splits; lanes with that counter or count; those of
    /// them that come to the point in this cycle.
    merge_point: Vec<Signal<Local, Bits<16>>>,
    split_point: Vec<Signal<Local, Bits<16>>>,
    merge_met: Vec<Signal<Local, Bits<4>>>,
    split_met: Vec<Signal<Local, Bits<4>>>,
    merge_here: Vec<Signal<Local, Bits<4>>>,
    split_here: Vec<Signal<Local, Bits<4>>>,
    /// Lanes that meet a merge point; those of them that end there.
    meets: Vec<Signal<Local, Bits<4>>>,
    over: Vec<Signal<Local, Bits<4>>>,
    /// The instruction that issues counts.
    counts: Vec<Signal<Local, bool>>,
    /// What is covered behind the split, and lanes of that which go on.
    covers: Vec<Signal<Local, Bits<4>>>,
    goes_on: Vec<Signal<Local, Bits<4>>>,
    /// The instruction is a MERGE or SPLIT that does nothing.
    passes_merge: Signal<Local, bool>,
    /// Lanes that come.
    coming: Vec<Signal<Local, Bits<4>>>,
    representative: Parameter<1>,
    fault_lowest_pc: Planted,
    fault_barrier_early: Planted,
    fault_wait_ignored: Planted,
    fault_ack_lost: Planted,
    fault_free_while_waiting: Planted,
    fault_wide_inactive: Planted,
    fault_demote_kept: Vec<Planted>,
    fault_discard_covers: Vec<Planted>,
    fault_helpers_run: Vec<Planted>,
    fault_merge_early: Vec<Planted>,
    fault_merge_helpers: Vec<Planted>,
    fault_pair_waits: Vec<Planted>,
    fault_event_counter: Vec<Planted>,
    fault_event_count: Vec<Planted>,
    fault_event_modifier: Vec<Planted>,
    fault_helpers_stay: Vec<Planted>,
    fault_twin_helpers: Vec<Planted>,
    fault_twin_sleeps: Vec<Planted>,
    fault_split_early: Vec<Planted>,
    fault_split_sleeps: Vec<Planted>,
    fault_split_discarded: Vec<Planted>,
    fault_split_free: Vec<Planted>,
    fault_shape_counters: Vec<Planted>,
    _graphics: usize,
    _merges: usize,
    /// 1: groups of more than two.
    _threes: usize,
    _splits: usize,
    _turns: usize,
    /// 1 for the form of merge and split points that is built.
    _by_instruction: usize,
    _by_modifier: usize,
    _by_counter: usize,
    /// Lanes, if instructions are counted; 1 then.
    _counted: usize,
    _counts: usize,
    _merges_beside: usize,
    _splits_beside: usize,
    _helpers_end: usize,
    _twins: usize,
    /// 1: helpers end at the merge point of programs with both points, and of no others.
    _only_twins: bool,
    _active: bool,
}

impl WarpContext {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        let one = usize::from(config.graphics);
        let merges = usize::from(config.merges());
        let splits = usize::from(config.splits());
        let turns = usize::from(config.turns());
        let groups = usize::from(config.groups());
        let form = |form| usize::from(config.maps() && config.event_form == form);
        let twins = usize::from(config.twins());
        let helpers_end = usize::from(config.merges() && (config.merge_helpers_end || config.twins()));
        let counted = 4 * form(EventForm::Count);
        Self {
            launch_merge_at: vector(config.merges_beside()),
            launch_split_at: vector(config.splits_beside()),
            merge_at: vector(config.merges_beside()),
            split_at: vector(config.splits_beside()),
            executed: vector(counted),
            merge_point: vector(config.merges_beside()),
            split_point: vector(config.splits_beside()),
            merge_met: vector(config.merges_beside()),
            split_met: vector(config.splits_beside()),
            merge_here: vector(config.merges_beside()),
            split_here: vector(config.splits_beside()),
            meets: vector(helpers_end),
            over: vector(helpers_end),
            counts: vector(form(EventForm::Count)),
            fault_event_counter: config.of_form(EventForm::Counter, Fault::EventCounter),
            fault_event_count: config.of_form(EventForm::Count, Fault::EventCount),
            fault_event_modifier: config.of_form(EventForm::Modifier, Fault::EventModifier),
            fault_helpers_stay: config.of_merging(Fault::HelpersStay).into_iter().take(helpers_end).collect(),
            _by_instruction: form(EventForm::Instruction),
            _by_modifier: form(EventForm::Modifier),
            _by_counter: form(EventForm::Counter),
            _counted: counted,
            _counts: form(EventForm::Count),
            _merges_beside: config.merges_beside(),
            _splits_beside: config.splits_beside(),
            _helpers_end: helpers_end,
            launch_both: vector(twins),
            launch_base: vector(twins),
            twin_open: vector(twins),
            twin_held: vector(twins),
            twins_merge: vector(twins),
            twins_kept: vector(twins),
            twins_gone: vector(twins),
            asleep: vector(twins),
            waker: vector(twins),
            near: vector(twins),
            far: vector(twins),
            is_both: vector(twins),
            is_near: vector(twins),
            is_far: vector(twins),
            woken_by: vector(twins),
            fault_twin_helpers: config.of_twins(Fault::TwinHelpers),
            fault_twin_sleeps: config.of_twins(Fault::TwinSleeps),
            _twins: twins,
            _only_twins: config.twins() && !config.merge_helpers_end,
            split_ports: Each::new(splits),
            arrives: vector(splits),
            freed: vector(splits),
            split: vector(splits),
            wake: vector(splits),
            wake_lanes: vector(splits),
            wake_covered: vector(splits),
            wake_pc0: vector(splits),
            wake_pc1: vector(splits),
            wake_pc2: vector(splits),
            wake_pc3: vector(splits),
            ready_to_split: vector(splits),
            split_lanes: vector(splits),
            others: vector(splits),
            locked: vector(splits),
            split_pc0: vector(splits),
            split_pc1: vector(splits),
            split_pc2: vector(splits),
            split_pc3: vector(splits),
            is_asleep: vector(splits),
            is_unsplit: vector(splits),
            to_come: vector(splits),
            members: vector(splits),
            group_others: vector(splits),
            lanes_split: vector(splits),
            lanes_after: vector(splits),
            is_locked: vector(splits),
            launch_turned: vector(turns),
            launch_pixel: vector(turns),
            whole: vector(turns),
            is_turned: vector(turns),
            pixel: vector(turns),
            pixel_covered: vector(turns),
            pixel_stopped: vector(turns),
            pixel_pc: vector(turns),
            fault_shape_counters: config.of_turning(Fault::ShapeCounters),
            _turns: turns,
            covers: vector(splits),
            goes_on: vector(splits),
            fault_split_early: config.of_splitting(Fault::SplitEarly),
            fault_split_sleeps: config.of_splitting(Fault::SplitSleeps),
            fault_split_discarded: config.of_splitting(Fault::SplitDiscarded),
            fault_split_free: config.of_splitting(Fault::SplitFree),
            _splits: splits,
            launch_number: vector(groups),
            mate_number: vector(groups),
            more_to_come: vector(groups),
            mate_high: vector(groups),
            lanes_mate_high: vector(groups),
            _threes: groups,
            launch_member: vector(merges),
            launch_guest: vector(merges),
            partner: vector(merges),
            take: vector(merges),
            leave: vector(merges),
            mate_stopped: vector(merges),
            mate_owned: vector(merges),
            mate_covered: vector(merges),
            mate_pc0: vector(merges),
            mate_pc1: vector(merges),
            mate_pc2: vector(merges),
            mate_pc3: vector(merges),
            member: vector(merges),
            alive: vector(merges),
            ready_to_merge: vector(merges),
            stopped: vector(merges),
            owned: vector(merges),
            mate: vector(merges),
            lane_pc0: vector(merges),
            lane_pc1: vector(merges),
            lane_pc2: vector(merges),
            lane_pc3: vector(merges),
            is_member: vector(merges),
            lanes_stopped: vector(merges),
            lanes_owned: vector(merges),
            lanes_mate: vector(merges),
            busy_lanes: vector(merges),
            has_stopped: vector(merges),
            alone: vector(merges),
            coming: vector(merges),
            fault_merge_early: config.of_merging(Fault::MergeEarly),
            fault_merge_helpers: config.of_merging(Fault::MergeHelpers),
            fault_pair_waits: config.of_merging(Fault::PairWaits),
            _merges: merges,
            launch_covered: vector(one),
            launch_window: vector(one),
            covered: vector(one),
            window: vector(one),
            lanes_covered: vector(one),
            window_now: vector(one),
            demotes: vector(one),
            uncovers: vector(one),
            looks: vector(one),
            left: vector(one),
            lane_pc: vector(4),
            less: vector(4),
            stands: vector(one),
            with_stopped: vector(one),
            stays: vector(one),
            fault_demote_kept: config.of_graphics(Fault::DemoteKept),
            fault_discard_covers: config.of_graphics(Fault::DiscardCovers),
            fault_helpers_run: config.of_graphics(Fault::HelpersRun),
            _graphics: one,
            representative: Parameter::new(u64::from(config.warp_wide == WarpWide::Representative)),
            fault_lowest_pc: Planted::new(config.has(Fault::LowestPc)),
            fault_barrier_early: Planted::new(config.has(Fault::BarrierEarly)),
            fault_wait_ignored: Planted::new(config.has(Fault::WaitIgnored)),
            fault_ack_lost: Planted::new(config.has(Fault::AckLost)),
            fault_free_while_waiting: Planted::new(config.has(Fault::FreeWhileWaiting)),
            fault_wide_inactive: Planted::new(config.has(Fault::WideInactive)),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { WarpContext:
    /// Registers keep what they have. The lowest counter among the running lanes.
    Lowest,
    /// The lanes at the lowest counter, and the fetched instruction.
    AtLowest,
    /// Issue and branch: which lanes move, and which of them to the target.
    Issue,
    /// The counters of the lanes that move.
    Counters,
    /// In flight: 0 to 2 instructions leave in one cycle, at most one enters. Barrier: blocked
    /// lanes run again when no slot of the group has a running lane.
    InFlight,
    /// Acknowledgements to come, waits for them, and messages to be sent.
    Semaphores,
    /// Representative: the lanes that wait for its result.
    Mask,
    /// Graphics: lanes that cover nothing any more, and the end of warps of helpers.
    Coverage,
    /// A new thread or group comes into the slot.
    Launch,
    /// Points beside the program, and the instructions that lanes have executed.
    Points,
    /// A member has stopped when no covered lane does anything else.
    PairMembers,
    /// Lanes stop at a merge instruction, or behind one that carries the event.
    MergeStops,
    /// Lanes stop when they meet the point beside the program.
    MergePoints,
    /// Helpers end at the point, and all that has stopped with its warp.
    HelperEnds,
    /// A member that has stopped and has no partner goes on alone.
    LoneMember,
    /// Lanes of the partner come with their counters.
    Merging,
    /// A member leaves or is launched, and lanes have a member that owns them.
    MemberOwners,
    /// The partner receives lanes and counters of this slot.
    MergeOutputs,
    /// Registers of a group that splits keep what they have.
    SplitRegisters,
    /// Lanes stop at a split point of the program.
    SplitPoint,
    /// Lanes stop at a split point that stands beside the program.
    SplitBeside,
    /// A group is ready when all members are launched and nothing of it runs.
    SplitReady,
    /// The split says which lanes a member covers, and which go on.
    SplitLanes,
    /// Of a member that is a pixel the lane of that pixel is chosen.
    PixelLane,
    /// All lanes of such a member go on with the counter of that lane.
    PixelTurn,
    /// A member wakes, and goes on with what it covers.
    Splitting,
    /// Members are launched, arrive and are freed.
    SplitMembers,
    /// Pairs of groups note where they stand, and who wakes them.
    SplitTwins,
    /// The other slots see the lanes that have stopped and their counters.
    SplitOutputs,
    /// The ports.
    Outputs,
}
