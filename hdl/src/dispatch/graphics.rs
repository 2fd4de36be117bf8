//! Graphics dispatcher: batches of vertices and quads become warps, and ended warps become news for
//! attribute store and result store (docs/graphics-blocks.md).
//!
//! One launch per cycle while a slot is free; it leaves through a register. Three clients want one.
//! Vertices that replay go first: their number is bounded by the attribute store, so the others
//! cannot starve. Vertices of the cull pipeline and quads take turns while both wait (HZ-31). Which
//! slots are free is the matter of a [`SlotAccount`] of its own; graphics and compute do not run
//! together. What merges and splits need goes with a launch: the pairing that the merge queue says,
//! and three words of the context's record.
//!
//! With merging both slots of a pair are taken before member 0 is launched (MS-8): 2 p and 2 p + 1
//! of a unit, which share the pair's public registers. Lanes of a member that is flipped stand at
//! other places of their quad (MS-5). A merged warp ends once and is told twice, for each member's
//! quad. Slot 2 p + 1 is free when the two have merged; but not with `merge_private = joined` until
//! the merged warp has ended. Slot 2 p is kept while member 1 runs alone.
//!
//! With splitting the covered samples of a quad are launched as a group, in adjacent slots that are
//! taken at once. Member 0 starts with the lanes of all of them. Each ends by itself and is told by
//! itself. A quad that splits and is of no one sample is launched for one pixel: its lanes are the
//! pixel's samples, and the group that of the covered pixels (MS-41).
//!
//! Two quads of a program that merges and then splits are a pair of groups (MS-42). Their slots are
//! taken before the first sample of the first is launched: so many for each as the pass has
//! samples. Those without a sample are given back with the last launch of their group.
//!
//! A member whose slot is taken goes before vertices: a group that holds all slots ends only when
//! all of it is launched.
//!
//! An end that a row reports is kept as a bit of its slot until it is told, one per cycle and row
//! in, one per cycle out. The slot is free for the next launch when its end was told, so its tags
//! and its coverage stand until then. What is told of a slot is kept in two RAMs from its launch.
//!
//! It can be wrong in the lane that a ticket belongs to, and in an end that is told twice or never:
//! then a quad commits early, or the machine stands still.

mod choice;
mod ends;
mod group_ends;
mod launch;
mod twins;

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::SlotAccount;
use crate::base::{vector, Each, Planted};
use crate::cell::{AsyncRam, DeepRam, Ram};
use crate::config::{GpuConfig, PrivateSet};
use crate::fault::Fault;
use crate::kernel_of;
use crate::ports::{
    FragmentEndOut, GraphicsStartOut, PairingIn, ShadeIn, ShadedEntriesOut, StateWriteIn, TagsOut, VertexBatchIn,
    WarpEndIn,
};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GraphicsDispatcher {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: a run begins.
    pub start: Signal<In, bool>,
    /// Words of states: 0, 2, 38 and 39, where programs begin; 7 and 37, where they merge and
    /// split.
    pub state: StateWriteIn,
    /// There is a batch of vertices.
    pub batch: VertexBatchIn,
    /// There is a batch of vertices of the cull pipeline.
    /// The batch; its entries are the cull pipeline's own.
    pub cull: VertexBatchIn,
    /// There is a quad to be shaded.
    /// The quad; an `end` is taken and dropped.
    pub shade: ShadeIn,
    /// With whom it is shaded.
    pub pairing: PairingIn,
    /// A warp of graphics is launched.
    pub launch: GraphicsStartOut,
    /// What the warp is.
    pub tags: TagsOut,
    /// Pairs of groups: role of the warp in the pair, as in [`slot_tags`](crate::warp). One
    /// element, or none.
    pub launch_twin: Vec<Signal<Out, Bits<2>>>,
    /// A warp has ended.
    pub end: Each<WarpEndIn>,
    /// Lanes of unit i that cover something, 4 bits for each slot.
    pub covered: Vec<Signal<In, Bits<64>>>,
    /// Merging: lanes of unit i whose tags are those of member 1, 4 bits for each slot; none
    /// without it. Not 0 for an even slot: its warp has merged.
    pub mates: Vec<Signal<In, Bits<64>>>,
    /// Groups of more than two: bit 1 of the member's number of the same lanes, bit 0 in `mates`.
    pub mates_high: Vec<Signal<In, Bits<64>>>,
    /// A warp of vertices has ended.
    pub shaded_ports: ShadedEntriesOut,
    /// Pulse: a vertex warp of the cull pipeline has ended. It shares mask and entries with
    /// `shaded_valid`. No back-pressure.
    pub cull_shaded_valid: Signal<Out, bool>,
    /// A fragment warp has ended.
    pub fragment: FragmentEndOut,
    /// No warp runs, and no end of a warp is pending.
    pub idle: Signal<Out, bool>,
    account: SlotAccount,
    /// Where programs begin, at 16 * stage + context: of vertices, of fragments, position parts, of
    /// fragments in a warp that is no member of a pair.
    first: AsyncRam,
    /// Merge counter 15:0 and split counter 31:16 of fragment programs, by context.
    events: AsyncRam,
    /// First private register of vertex programs 5:0 and of fragment programs 13:8, by context; 14:
    /// a warp that is no member of a pair has a program of its own, and no public registers.
    cutoffs: AsyncRam,
    // The launch.
    launch_r_valid: DFF<bool>,
    launch_r_unit: DFF<Bits<6>>,
    launch_r_warp: DFF<Bits<4>>,
    launch_r_mask: DFF<Bits<4>>,
    launch_r_pc: DFF<Bits<16>>,
    launch_r_order: DFF<Bits<16>>,
    launch_r_kind: DFF<Bits<2>>,
    launch_r_pairing: DFF<Bits<13>>,
    launch_r_events: DFF<Bits<32>>,
    launch_r_cutoff: DFF<Bits<6>>,
    /// The cull pipeline had the last turn.
    cull_last: DFF<bool>,
    launch_r_context: DFF<Bits<4>>,
    launch_r_covered: DFF<Bits<4>>,
    launch_r_place: Vec<DFF<Bits<32>>>,
    launch_r_depth: Vec<DFF<Bits<32>>>,
    launch_r_handle: Vec<DFF<Bits<12>>>,
    // What is told at the end, by unit and slot.
    tickets: Ram,
    /// Samples 7:0, or entries 47:0; mask 51:48; of a fragment 52, of the cull pipeline 53.
    rest: DeepRam,
    /// Ends to be told, by unit.
    ended: Vec<DFF<Bits<16>>>,
    // Splitting: each is one, or none.
    /// A sample of a group is launched, and the next slot is for the next one.
    more: Vec<DFF<bool>>,
    more_unit: Vec<DFF<Bits<6>>>,
    more_warp: Vec<DFF<Bits<4>>>,
    /// Samples of a quad that splits; those below the one that is launched, their number,
    /// the rank that is used; other members.
    present: Vec<Signal<Local, Bits<4>>>,
    lower: Vec<Signal<Local, Bits<4>>>,
    below: Vec<Signal<Local, Bits<2>>>,
    rank: Vec<Signal<Local, Bits<2>>>,
    others: Vec<Signal<Local, Bits<2>>>,
    /// All lanes that cover something.
    all_lanes: Vec<Signal<Local, Bits<4>>>,
    // Warps of pixels: each is one, or none.
    /// The quad is launched for one pixel, whose samples are the lanes; covered ones; where it is,
    /// without and with the mark of a turned quad. Pixels of the quad that cover something.
    pixels_of_quad: Vec<Signal<Local, Bits<4>>>,
    turned: Vec<Signal<Local, bool>>,
    own_samples: Vec<Signal<Local, Bits<4>>>,
    pixel_place: Vec<Signal<Local, Bits<32>>>,
    own_place: Vec<Signal<Local, Bits<32>>>,
    own_ticket: Vec<Signal<Local, Bits<32>>>,
    // Pairs of groups: each is one, or none.
    launch_r_twin: Vec<DFF<Bits<2>>>,
    /// Samples of the pass are more than two; so are those of the first group of the pair.
    wide_pass: Vec<DFF<bool>>,
    wide_pair: Vec<DFF<bool>>,
    /// Slots of a group lie four apart; the quad is of a pair of groups; it is the last sample of
    /// its group.
    wide: Vec<Signal<Local, bool>>,
    in_twins: Vec<Signal<Local, bool>>,
    last_of_group: Vec<Signal<Local, bool>>,
    /// Slot of the sample, and of the first one of its group.
    sample_slot: Vec<Signal<Local, Bits<4>>>,
    group_base: Vec<Signal<Local, Bits<4>>>,
    unneeded: Vec<Signal<Local, Bits<16>>>,
    spread: Vec<Signal<Local, Bits<4>>>,
    _twins: usize,
    // Merging: each is one, or none; of those by unit one for each unit.
    /// Member 0 is launched, and the slot after it is for member 1.
    second: Vec<DFF<bool>>,
    second_unit: Vec<DFF<Bits<6>>>,
    second_warp: Vec<DFF<Bits<4>>>,
    /// Tickets of member 1, at the slot of member 0; samples beside them.
    mate_tickets: Vec<Ram>,
    mate_rest: Vec<Ram>,
    /// By unit, bit p for slots 2 p and 2 p + 1: a pair whose member 1 has not been told to have
    /// ended; member 0 has ended, but its slot is kept; it is to be freed, and nothing is told.
    paired: Vec<DFF<Bits<8>>>,
    kept: Vec<DFF<Bits<8>>>,
    freed: Vec<DFF<Bits<8>>>,
    /// Joined private sets: member 1's slot is kept for the merged warp; none without them.
    held: Vec<DFF<Bits<8>>>,
    /// The end of member 0 of a merged warp is told, that of member 1 is to be.
    beat: Vec<DFF<bool>>,
    // Groups of more than two: by unit, bit q for slots 4 q to 4 q + 3: a third member that has not
    // been told to have ended, and a fourth one.
    third: Vec<DFF<Bits<4>>>,
    fourth: Vec<DFF<Bits<4>>>,
    /// Number of the member of a merged warp whose end is told; the next one that has lanes.
    report_part: Vec<DFF<Bits<2>>>,
    next_part: Vec<Signal<Local, Bits<2>>>,
    /// Bit q of the slot that is told; members with lanes in a merged warp, by number.
    quartet: Vec<Signal<Local, Bits<4>>>,
    quartet_bits: Vec<Signal<Local, Bits<4>>>,
    /// A third member, a fourth one, is there; it is the one that is told.
    has_third: Vec<Signal<Local, bool>>,
    has_fourth: Vec<Signal<Local, bool>>,
    is_third: Vec<Signal<Local, bool>>,
    is_fourth: Vec<Signal<Local, bool>>,
    /// Lanes of the first and third member, or of the second and third: two bits of their number.
    low_lanes: Vec<Signal<Local, Bits<4>>>,
    high_words: Vec<Signal<Local, Bits<64>>>,
    high_lanes: Vec<Signal<Local, Bits<4>>>,
    lanes_of_first: Vec<Signal<Local, Bits<4>>>,
    lanes_of_second: Vec<Signal<Local, Bits<4>>>,
    lanes_of_third: Vec<Signal<Local, Bits<4>>>,
    /// A guest that is there keeps the slot beside the one that is told.
    others_there: Vec<Signal<Local, bool>>,
    /// By unit: pairs of which member 1 is there, before this end and after it.
    paired_was: Vec<Signal<Local, Bits<8>>>,
    paired_now: Vec<Signal<Local, Bits<8>>>,
    /// Slot of member 0 of what is told, as a bit.
    home_bit: Vec<Signal<Local, Bits<16>>>,
    launch_quartet: Vec<Signal<Local, Bits<4>>>,
    part_next: Vec<Signal<Local, Bits<2>>>,
    /// By unit: third and fourth members that are there, before this end and after it.
    third_was: Vec<Signal<Local, Bits<4>>>,
    fourth_was: Vec<Signal<Local, Bits<4>>>,
    third_now: Vec<Signal<Local, Bits<4>>>,
    fourth_now: Vec<Signal<Local, Bits<4>>>,
    /// By unit: lanes of members that have merged; slots of members 0 that have merged with member
    /// 1, with a third or fourth one, with any.
    unit_mates: Vec<Signal<Local, Bits<64>>>,
    merged_pairs: Vec<Signal<Local, Bits<16>>>,
    merged_guests: Vec<Signal<Local, Bits<16>>>,
    merged: Vec<Signal<Local, Bits<16>>>,
    turn: DFF<Bits<6>>,
    reporting: DFF<bool>,
    report_unit: DFF<Bits<6>>,
    report_warp: DFF<Bits<4>>,
    // Named intermediate values.
    take_batch: Signal<Local, bool>,
    take_cull: Signal<Local, bool>,
    take_quad: Signal<Local, bool>,
    /// A quad waits; a batch of the cull pipeline does; whose turn it is.
    quad_waits: Signal<Local, bool>,
    cull_first: Signal<Local, bool>,
    quad_first: Signal<Local, bool>,
    /// A quad whose slot is taken already waits; a batch may go.
    member_first: Signal<Local, bool>,
    batch_first: Signal<Local, bool>,
    who: Signal<Local, Bits<6>>,
    /// Whose program it is, as in `first`; that of a warp that is no member of a pair.
    part: Signal<Local, Bits<6>>,
    alone: Signal<Local, bool>,
    stage: Signal<Local, Bits<6>>,
    pairing_now: Signal<Local, Bits<13>>,
    lane_x: Signal<Local, Bits<32>>,
    lane_y: Signal<Local, Bits<32>>,
    front: Signal<Local, Bits<32>>,
    one: Signal<Local, Bits<32>>,
    common: Signal<Local, Bits<32>>,
    some: Signal<Local, Bits<4>>,
    lanes: Vec<Signal<Local, Bits<4>>>,
    ticket: Signal<Local, Bits<32>>,
    any: Signal<Local, bool>,
    any_unit: Signal<Local, Bits<6>>,
    after: Signal<Local, bool>,
    after_unit: Signal<Local, Bits<6>>,
    slots: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<16>>,
    /// By unit: ends that wait, with those that come; with slots that are freed; with those of
    /// pairs whose slot was held.
    waiting_ends: Vec<Signal<Local, Bits<16>>>,
    freed_ends: Vec<Signal<Local, Bits<16>>>,
    remaining: Vec<Signal<Local, Bits<16>>>,
    reported: Signal<Local, bool>,
    go: Signal<Local, bool>,
    left: Signal<Local, Bits<64>>,
    shift: Signal<Local, Bits<64>>,
    lowest: Signal<Local, Bits<64>>,
    quiet: Signal<Local, bool>,
    /// Covered lanes by place in the quad; words of its places; where lane i stands.
    cover: Signal<Local, Bits<4>>,
    quad_place: Vec<Signal<Local, Bits<32>>>,
    quad_depth: Vec<Signal<Local, Bits<32>>>,
    /// A quad is member 0, or member 1, of a pair; there is a slot for it.
    is_first: Signal<Local, bool>,
    is_second: Signal<Local, bool>,
    quad_slot: Signal<Local, bool>,
    /// Other members of its pair or group.
    group_others: Signal<Local, Bits<2>>,
    rank_now: Signal<Local, Bits<2>>,
    one_sample: Signal<Local, Bits<4>>,
    samples_of_quad: Signal<Local, Bits<4>>,
    launched: Signal<Local, Bits<12>>,
    launch_bit: Signal<Local, Bits<8>>,
    report_address: Signal<Local, Bits<12>>,
    kept_entries: Signal<Local, Bits<64>>,
    /// Ends that may be told, by unit.
    eligible: Vec<Signal<Local, Bits<16>>>,
    pair_bit: Signal<Local, Bits<8>>,
    mate_words: Signal<Local, Bits<64>>,
    mate_shift: Signal<Local, Bits<64>>,
    mate_lanes: Signal<Local, Bits<4>>,
    odd: Signal<Local, bool>,
    is_paired: Signal<Local, bool>,
    is_kept: Signal<Local, bool>,
    is_freed: Signal<Local, bool>,
    silent: Signal<Local, bool>,
    joined: Signal<Local, bool>,
    keeps: Signal<Local, bool>,
    frees: Signal<Local, bool>,
    fault_group_tags: Vec<Planted>,
    fault_group_free: Vec<Planted>,
    fault_pair_lanes: Vec<Planted>,
    fault_pair_free: Vec<Planted>,
    fault_pair_end: Vec<Planted>,
    fault_pair_alone: Vec<Planted>,
    fault_pair_joined: Vec<Planted>,
    is_held: Vec<Signal<Local, bool>>,
    holds: Vec<Signal<Local, bool>>,
    _joins: usize,
    /// 1: cores differ.
    _mixed: bool,
    _alone: bool,
    fault_graphics_end_early: Planted,
    fault_graphics_lane_swap: Planted,
    fault_graphics_wrong_program: Planted,
    fault_graphics_cull_starves: Planted,
    fault_graphics_cull_end: Planted,
    fault_graphics_pairing: Planted,
    fault_group_waits: Vec<Planted>,
    fault_split_union: Vec<Planted>,
    fault_split_rank: Vec<Planted>,
    _merges: usize,
    /// Merging in groups of two.
    _pairs_only: usize,
    _splits: usize,
    _turns: usize,
    /// 1: a split point stands beside the program.
    _splits_beside: usize,
    _groups: usize,
    /// 1: groups of more than two.
    _threes: usize,
    _units: usize,
    _rows: usize,
    _active: bool,
}

impl GraphicsDispatcher {
    /// A dispatcher for all units of the machine.
    pub fn new(config: &GpuConfig) -> Self {
        let (units, rows) = (config.total_units(), config.rows);
        let planted = |fault| Planted::new(config.has(fault));
        let merges = usize::from(config.merges());
        let joins = config.of_private(PrivateSet::Joined);
        let (splits, groups) = (usize::from(config.splits()), usize::from(config.maps()));
        let threes = usize::from(config.groups());
        let turns = usize::from(config.turns());
        let twins = usize::from(config.twins());
        Self {
            launch_twin: vector(twins),
            launch_r_twin: vector(twins),
            wide_pass: vector(twins),
            wide_pair: vector(twins),
            wide: vector(twins),
            in_twins: vector(twins),
            last_of_group: vector(twins),
            sample_slot: vector(twins),
            group_base: vector(twins),
            unneeded: vector(twins),
            spread: vector(twins),
            _twins: twins,
            mates: vector(merges * units),
            mates_high: vector(threes * units),
            third: vector(threes * units),
            fourth: vector(threes * units),
            report_part: vector(threes),
            next_part: vector(threes),
            home_bit: vector(merges * units),
            quartet: vector(threes),
            quartet_bits: vector(threes),
            has_third: vector(threes),
            has_fourth: vector(threes),
            low_lanes: vector(threes),
            is_third: vector(threes),
            is_fourth: vector(threes),
            high_words: vector(threes),
            high_lanes: vector(threes),
            lanes_of_first: vector(threes),
            lanes_of_second: vector(threes),
            lanes_of_third: vector(threes),
            others_there: vector(threes),
            launch_quartet: vector(threes),
            part_next: vector(threes),
            third_was: vector(threes * units),
            fourth_was: vector(threes * units),
            third_now: vector(threes * units),
            fourth_now: vector(threes * units),
            unit_mates: vector(merges * units),
            merged_pairs: vector(merges * units),
            merged_guests: vector(threes * units),
            merged: vector(merges * units),
            paired_was: vector(merges * units),
            paired_now: vector(merges * units),
            waiting_ends: vector(units),
            freed_ends: vector(units),
            remaining: vector(units),
            fault_group_tags: config.of_groups(Fault::GroupTags),
            fault_group_free: config.of_groups(Fault::GroupFree),
            _threes: threes,
            second: vector(merges),
            second_unit: vector(merges),
            second_warp: vector(merges),
            more: vector(splits),
            more_unit: vector(splits),
            more_warp: vector(splits),
            present: vector(splits),
            lower: vector(splits),
            below: vector(splits),
            rank: vector(splits),
            others: vector(splits),
            all_lanes: vector(splits),
            turned: vector(turns),
            own_samples: vector(turns),
            pixels_of_quad: vector(turns),
            pixel_place: vector(turns),
            own_place: vector(turns),
            own_ticket: vector(turns),
            _turns: turns,
            fault_group_waits: config.of_maps(Fault::GroupWaits),
            fault_split_union: config.of_splitting(Fault::SplitUnion),
            fault_split_rank: config.of_splitting(Fault::SplitRank),
            _splits: splits,
            _splits_beside: config.splits_beside(),
            _groups: groups,
            mate_tickets: (0..merges).map(|_| Ram::new(16 * units)).collect(),
            mate_rest: (0..merges).map(|_| Ram::new(16 * units)).collect(),
            paired: vector(merges * units),
            kept: vector(merges * units),
            freed: vector(merges * units),
            held: vector(joins * units),
            fault_pair_joined: (0..joins).map(|_| planted(Fault::PairJoined)).collect(),
            is_held: vector(joins),
            holds: vector(joins),
            _joins: joins,
            beat: vector(merges),
            quad_place: vector(4),
            quad_depth: vector(4),
            eligible: vector(units),
            fault_pair_lanes: config.of_merging(Fault::PairLanes),
            fault_pair_free: config.of_merging(Fault::PairFree),
            fault_pair_end: config.of_merging(Fault::PairEnd),
            fault_pair_alone: config.of_merging(Fault::PairAlone),
            _mixed: config.is_mixed(),
            _alone: config.merges() && config.merge_alone,
            _merges: merges,
            _pairs_only: merges - threes,
            end: Each::new(rows),
            covered: vector(units),
            account: SlotAccount::new(config),
            first: AsyncRam::new(64, 16),
            events: AsyncRam::new(16, 32),
            cutoffs: AsyncRam::new(16, 15),
            launch_r_place: vector(4),
            launch_r_depth: vector(4),
            launch_r_handle: vector(4),
            tickets: Ram::new(16 * units),
            rest: DeepRam::new(16 * units, 54),
            ended: vector(units),
            lanes: vector(4),
            fault_graphics_end_early: planted(Fault::GraphicsEndEarly),
            fault_graphics_lane_swap: planted(Fault::GraphicsLaneSwap),
            fault_graphics_wrong_program: planted(Fault::GraphicsWrongProgram),
            fault_graphics_cull_starves: planted(Fault::GraphicsCullStarves),
            fault_graphics_cull_end: planted(Fault::GraphicsCullEnd),
            fault_graphics_pairing: planted(Fault::GraphicsPairing),
            _units: units,
            _rows: rows,
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { GraphicsDispatcher:
    /// Where programs begin, merge and split.
    Programs,
    /// A sample of a quad that splits has a rank, and a number of others.
    Ranks,
    /// The first member of a group takes slots for all, and the others follow.
    Groups,
    /// Two groups of quads that are launched together.
    Twins,
    /// Who waits.
    Waits,
    /// A client whose turn it is takes what the account offers.
    Turns,
    /// The program of the client that goes is looked up.
    Lookup,
    /// A launch goes to the offered slot, or to the one behind the member before.
    LaunchSlot,
    /// The launch carries program, order, kind, pairing, events and context.
    Launch,
    /// What it is in a pair of groups.
    TwinLaunch,
    /// Lanes have their covered samples; of a split quad a warp has only one sample.
    LaneCoverage,
    /// A warp for one pixel has that pixel's samples as its lanes.
    PixelLanes,
    /// Each lane of a quad has a place, a depth and the quad's ticket.
    Places,
    /// A warp for one pixel has words of its samples; registers take the words of all.
    LaunchWords,
    /// Lanes that have changed places.
    Flips,
    /// Lanes of all samples that have changed places.
    TwinFlips,
    /// Lanes that cover something, and batches of vertices.
    Covers,
    /// The launch and its tags leave.
    Tagged,
    /// Memories keep, from the launch on, what is reported when the warp ends.
    Kept,
    /// Tickets and samples of members 1 to 3 are stored when they are launched.
    MemberTickets,
    /// Ends that may be told.
    Eligible,
    /// Which one is told next.
    Next,
    /// What it is to the other member of its pair.
    PairEnds,
    /// Bits say whether the ended slot is the third or fourth member of its group.
    MemberTest,
    /// A merged warp has lanes of each member that came to it.
    MemberLanes,
    /// An end is reported, keeps its slot, or frees it with that of member 0.
    GroupEnds,
    /// The next member that has lanes is found.
    NextMember,
    /// It is told, and its slot is free.
    Done,
    /// Lanes of the slot that have not become helpers are reported as covered.
    LanesLeft,
    /// The port gives tickets and samples of a quad that ended, member by member.
    EndPort,
    /// The end of a batch tells its entries, and the slot goes back to the account.
    Told,
    /// Ends of third and fourth members.
    ToldOfGroups,
}
