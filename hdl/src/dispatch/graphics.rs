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
//! quad. Slot 2 p + 1 is free when the two have merged. Slot 2 p is kept while member 1 runs alone.
//!
//! An end that a row reports is kept as a bit of its slot until it is told, one per cycle and row
//! in, one per cycle out. The slot is free for the next launch when its end was told, so its tags
//! and its coverage stand until then. What is told of a slot is kept in two RAMs from its launch.
//!
//! It can be wrong in the lane that a ticket belongs to, and in an end that is told twice or never:
//! then a quad commits early, or the machine stands still.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::SlotAccount;
use crate::base::{vector, Planted};
use crate::cell::{AsyncRam, Ram};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{FragmentEndOut, PairingIn, ShadeIn, StateWriteIn, TagsOut, VertexBatchIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GraphicsDispatcher {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: a run begins.
    pub start: Signal<In, bool>,
    /// Words of states: 0, 2 and 38, where programs begin; 7 and 37, where they merge and split.
    pub state: StateWriteIn,
    /// There is a batch of vertices.
    pub batch_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub batch_ready: Signal<Out, bool>,
    /// The batch.
    pub batch: VertexBatchIn,
    /// There is a batch of vertices of the cull pipeline.
    pub cull_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub cull_ready: Signal<Out, bool>,
    /// The batch; its entries are the cull pipeline's own.
    pub cull: VertexBatchIn,
    /// There is a quad to be shaded.
    pub shade_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub shade_ready: Signal<Out, bool>,
    /// The quad; an `end` is taken and dropped.
    pub shade: ShadeIn,
    /// With whom it is shaded.
    pub pairing: PairingIn,
    /// A warp is launched in this cycle.
    pub launch_valid: Signal<Out, bool>,
    /// Its unit, by its number in the machine.
    pub launch_unit: Signal<Out, Bits<6>>,
    /// Its slot.
    pub launch_warp: Signal<Out, Bits<4>>,
    /// Lanes that start.
    pub launch_mask: Signal<Out, Bits<4>>,
    /// Program counter at which they start.
    pub launch_pc: Signal<Out, Bits<16>>,
    /// Of a fragment: its triangle's number in the frame.
    pub launch_order: Signal<Out, Bits<16>>,
    /// What the warp is.
    pub tags: TagsOut,
    /// A warp of row i has ended.
    pub end_valid: Vec<Signal<In, bool>>,
    /// Its unit, by its number in the machine.
    pub end_unit: Vec<Signal<In, Bits<6>>>,
    /// Its slot.
    pub end_warp: Vec<Signal<In, Bits<4>>>,
    /// Lanes of unit i that cover something, 4 bits for each slot.
    pub covered: Vec<Signal<In, Bits<64>>>,
    /// Merging: lanes of unit i whose tags are those of member 1, 4 bits for each slot; none
    /// without it. Not 0 for an even slot: its warp has merged.
    pub mates: Vec<Signal<In, Bits<64>>>,
    /// A vertex warp has ended. Always heard.
    pub shaded_valid: Signal<Out, bool>,
    /// A vertex warp of the cull pipeline has ended; mask and entries are the same ports. Always
    /// heard.
    pub cull_shaded_valid: Signal<Out, bool>,
    /// Lanes that had a vertex.
    pub shaded_mask: Signal<Out, Bits<4>>,
    /// Entry of lane i.
    pub shaded_entry: Vec<Signal<Out, Bits<6>>>,
    /// A fragment warp has ended.
    pub fragment_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub fragment_ready: Signal<In, bool>,
    /// Which one.
    pub fragment: FragmentEndOut,
    /// No warp runs, and no end is to be told.
    pub idle: Signal<Out, bool>,
    account: SlotAccount,
    /// Where programs begin, at 16 * stage + context: of vertices, of fragments, position parts.
    first: AsyncRam,
    /// Merge counter 15:0 and split counter 31:16 of fragment programs, by context.
    events: AsyncRam,
    /// First private register of vertex programs 5:0 and of fragment programs 13:8, by context.
    cutoffs: AsyncRam,
    // The launch.
    l_valid: DFF<bool>,
    l_unit: DFF<Bits<6>>,
    l_warp: DFF<Bits<4>>,
    l_mask: DFF<Bits<4>>,
    l_pc: DFF<Bits<16>>,
    l_order: DFF<Bits<16>>,
    l_kind: DFF<Bits<2>>,
    l_pairing: DFF<Bits<13>>,
    l_events: DFF<Bits<32>>,
    l_cutoff: DFF<Bits<6>>,
    /// The cull pipeline had the last turn.
    cull_last: DFF<bool>,
    l_context: DFF<Bits<4>>,
    l_covered: DFF<Bits<4>>,
    l_place: Vec<DFF<Bits<32>>>,
    l_depth: Vec<DFF<Bits<32>>>,
    l_handle: Vec<DFF<Bits<6>>>,
    // What is told at the end, by unit and slot.
    tickets: Ram,
    /// Samples 7:0, or entries 23:0; mask 27:24; of a fragment 28, of the cull pipeline 29.
    rest: Ram,
    /// Ends to be told, by unit.
    ended: Vec<DFF<Bits<16>>>,
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
    /// The end of member 0 of a merged warp is told, that of member 1 is to be.
    beat: Vec<DFF<bool>>,
    turn: DFF<Bits<6>>,
    telling: DFF<bool>,
    tell_unit: DFF<Bits<6>>,
    tell_warp: DFF<Bits<4>>,
    // Named intermediate values.
    take_batch: Signal<Local, bool>,
    take_cull: Signal<Local, bool>,
    take_quad: Signal<Local, bool>,
    /// A quad waits; a batch of the cull pipeline does; whose turn it is.
    quad_waits: Signal<Local, bool>,
    cull_first: Signal<Local, bool>,
    quad_first: Signal<Local, bool>,
    who: Signal<Local, Bits<6>>,
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
    remaining: Signal<Local, Bits<16>>,
    told: Signal<Local, bool>,
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
    launched: Signal<Local, Bits<12>>,
    launch_bit: Signal<Local, Bits<8>>,
    paired_now: Signal<Local, Bits<8>>,
    told_at: Signal<Local, Bits<12>>,
    /// Ends that may be told, by unit.
    eligible: Vec<Signal<Local, Bits<16>>>,
    merged: Signal<Local, Bits<16>>,
    pair_bits: Signal<Local, Bits<8>>,
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
    fault_pair_lanes: Vec<Planted>,
    fault_pair_free: Vec<Planted>,
    fault_pair_end: Vec<Planted>,
    fault_graphics_end_early: Planted,
    fault_graphics_lane_swap: Planted,
    fault_graphics_wrong_program: Planted,
    fault_graphics_cull_starves: Planted,
    fault_graphics_cull_end: Planted,
    fault_graphics_pairing: Planted,
    _merges: usize,
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
        Self {
            mates: vector(merges * units),
            second: vector(merges),
            second_unit: vector(merges),
            second_warp: vector(merges),
            mate_tickets: (0..merges).map(|_| Ram::new(16 * units)).collect(),
            mate_rest: (0..merges).map(|_| Ram::new(16 * units)).collect(),
            paired: vector(merges * units),
            kept: vector(merges * units),
            freed: vector(merges * units),
            beat: vector(merges),
            quad_place: vector(4),
            quad_depth: vector(4),
            eligible: vector(units),
            fault_pair_lanes: config.of_merging(Fault::PairLanes),
            fault_pair_free: config.of_merging(Fault::PairFree),
            fault_pair_end: config.of_merging(Fault::PairEnd),
            _merges: merges,
            end_valid: vector(rows),
            end_unit: vector(rows),
            end_warp: vector(rows),
            covered: vector(units),
            shaded_entry: vector(4),
            account: SlotAccount::new(config),
            first: AsyncRam::new(64, 16),
            events: AsyncRam::new(16, 32),
            cutoffs: AsyncRam::new(16, 14),
            l_place: vector(4),
            l_depth: vector(4),
            l_handle: vector(4),
            tickets: Ram::new(16 * units),
            rest: Ram::new(16 * units),
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

impl Logic for GraphicsDispatcher {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: graphics_dispatcher");
        dff_setup!(
            self, clock, l_valid, l_unit, l_warp, l_mask, l_pc, l_order, l_kind, l_context, l_covered, l_pairing,
            l_events, l_cutoff, cull_last, turn, telling, tell_unit, tell_warp
        );
        clock!(self, clock, account, first, events, cutoffs, tickets, rest);

        // Where programs begin, merge and split.
        self.stage.next = bits::<6>(0);
        if self.state.word.val() == bits::<6>(2) {
            self.stage.next = bits::<6>(16);
        }
        if self.state.word.val() == bits::<6>(38) {
            self.stage.next = bits::<6>(32);
        }
        self.first.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && ((self.state.word.val() == bits::<6>(0))
                || (self.state.word.val() == bits::<6>(2))
                || (self.state.word.val() == bits::<6>(38)));
        self.first.write_address.next = self.stage.val() | bit_cast::<6, 4>(self.state.context.val());
        self.first.write_data.next = self.state.data.val();
        self.events.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(37));
        self.events.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.events.write_data.next = self.state.data.val();
        self.cutoffs.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(7));
        self.cutoffs.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.cutoffs.write_data.next = self.state.data.val() >> bits::<32>(8);

        // Who is launched.
        self.quad_waits.next = self.shade_valid.val() && !self.shade.end.val();
        self.cull_first.next = !self.batch_valid.val()
            && !(self.quad_waits.val() && (self.cull_last.q.val() || self.fault_graphics_cull_starves.val()));
        self.quad_first.next = !self.batch_valid.val()
            && (!self.cull_valid.val() || self.cull_last.q.val() || self.fault_graphics_cull_starves.val());
        self.take_batch.next = self.batch_valid.val() && self.account.offer.val();
        self.take_cull.next = self.cull_valid.val() && self.cull_first.val() && self.account.offer.val();
        // Slots of both members are taken before the first is launched.
        self.is_first.next = false;
        self.is_second.next = false;
        self.quad_slot.next = self.account.offer.val();
        for k in 0..self._merges {
            self.second[k].clock.next = self.clock.val();
            self.second_unit[k].clock.next = self.clock.val();
            self.second_warp[k].clock.next = self.clock.val();
            self.second[k].d.next = self.second[k].q.val();
            self.second_unit[k].d.next = self.second_unit[k].q.val();
            self.second_warp[k].d.next = self.second_warp[k].q.val();
            self.is_first.next = self.pairing.mergeable.val() && !self.second[k].q.val();
            self.is_second.next = self.pairing.mergeable.val() && self.second[k].q.val();
            self.account.pair[k].next = self.quad_waits.val() && self.quad_first.val() && self.is_first.val();
            self.quad_slot.next = self.account.offer.val() || self.is_second.val();
        }
        self.take_quad.next = self.quad_waits.val() && self.quad_first.val() && self.quad_slot.val();
        if self.take_cull.val() {
            self.cull_last.d.next = true;
        }
        if self.take_quad.val() {
            self.cull_last.d.next = false;
        }
        self.batch_ready.next = self.account.offer.val();
        self.cull_ready.next = self.account.offer.val() && self.cull_first.val();
        self.shade_ready.next = self.shade.end.val() || (self.quad_slot.val() && self.quad_first.val());
        self.account.start.next = self.start.val();
        self.account.pinned.next = false;
        self.account.group_warps.next = bits::<5>(1);
        self.account.group_slots.next = bits::<5>(1);
        self.account.shared_bytes.next = bits::<16>(0);
        self.account.seek.next = false;
        self.account.take.next =
            self.take_batch.val() || self.take_cull.val() || (self.take_quad.val() && !self.is_second.val());
        self.who.next = bit_cast::<6, 4>(self.shade.context.val()) | bits::<6>(16);
        if self.take_cull.val() {
            self.who.next = bit_cast::<6, 4>(self.cull.context.val()) | bits::<6>(32);
        }
        if self.batch_valid.val() {
            self.who.next = bit_cast::<6, 4>(self.batch.context.val());
        }
        self.first.read_address.next = self.who.val();
        if self.fault_graphics_wrong_program.val() {
            self.first.read_address.next = bit_cast::<6, 4>(self.batch.context.val());
        }
        self.events.read_address.next = self.who.val() & bits::<6>(15);
        self.cutoffs.read_address.next = self.who.val() & bits::<6>(15);

        // The launch.
        self.l_valid.d.next = self.take_batch.val() || self.take_cull.val() || self.take_quad.val();
        self.l_unit.d.next = self.account.offer_unit.val();
        self.l_warp.d.next = self.account.offer_warp.val();
        for k in 0..self._merges {
            if self.take_quad.val() && self.is_first.val() {
                self.second[k].d.next = true;
                self.second_unit[k].d.next = self.account.offer_unit.val();
                self.second_warp[k].d.next = self.account.offer_warp.val() + bits::<4>(1);
            }
            if self.take_quad.val() && self.is_second.val() {
                self.second[k].d.next = false;
                self.l_unit.d.next = self.second_unit[k].q.val();
                self.l_warp.d.next = self.second_warp[k].q.val();
            }
        }
        self.l_pc.d.next = self.first.read_data.val().get_bits::<16>(0);
        self.l_order.d.next = self.shade.order.val();
        self.l_kind.d.next = bits::<2>(2);
        self.pairing_now.next = bit_cast::<13, 6>(self.pairing.pair.val())
            | (bit_cast::<13, 2>(self.pairing.member.val()) << bits::<13>(6))
            | (bit_cast::<13, 2>(self.pairing.others.val()) << bits::<13>(8))
            | (bit_cast::<13, 2>(self.pairing.flip.val()) << bits::<13>(10));
        self.l_pairing.d.next = self.pairing_now.val();
        if self.pairing.mergeable.val() {
            self.l_pairing.d.next = self.pairing_now.val() | bits::<13>(0x1000);
        }
        self.l_events.d.next = self.events.read_data.val();
        self.l_cutoff.d.next = self.cutoffs.read_data.val().get_bits::<6>(8);
        self.l_context.d.next = self.shade.context.val();
        self.l_mask.d.next = bits::<4>(15);
        self.lanes[0].next = self.shade.coverage.val().get_bits::<4>(0);
        self.lanes[1].next = self.shade.coverage.val().get_bits::<4>(4);
        self.lanes[2].next = self.shade.coverage.val().get_bits::<4>(8);
        self.lanes[3].next = self.shade.coverage.val().get_bits::<4>(12);
        self.some.next = bits::<4>(0);
        self.lane_x.next = bit_cast::<32, 11>(self.shade.x.val()) << bits::<32>(1);
        self.lane_y.next = bit_cast::<32, 11>(self.shade.y.val()) << bits::<32>(13);
        self.front.next = bits::<32>(0x4000_0000);
        if self.shade.back.val() {
            self.front.next = bits::<32>(0);
        }
        self.one.next = bits::<32>(0);
        if self.shade.single.val() {
            self.one.next =
                (bit_cast::<32, 2>(self.shade.sample.val()) << bits::<32>(24)) | (bits::<32>(1) << bits::<32>(31));
        }
        self.common.next = self.lane_x.val() | self.lane_y.val() | self.front.val() | self.one.val();
        self.ticket.next = bit_cast::<32, 6>(self.shade.ticket.val()) << bits::<32>(26);
        for i in 0..4 {
            self.l_place[i].clock.next = self.clock.val();
            self.l_depth[i].clock.next = self.clock.val();
            self.l_handle[i].clock.next = self.clock.val();
            self.l_handle[i].d.next = self.shade.handle.val();
            if self.lanes[i].val().any() {
                self.some.next = self.some.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
        }
        self.quad_place[0].next = self.common.val() | (bit_cast::<32, 4>(self.lanes[0].val()) << bits::<32>(26));
        self.quad_depth[0].next = bit_cast::<32, 24>(self.shade.depth[0].val()) | self.ticket.val();
        self.quad_place[1].next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[1].val()) << bits::<32>(26)) | bits::<32>(0x0001);
        self.quad_depth[1].next =
            bit_cast::<32, 24>(self.shade.depth[1].val()) | self.ticket.val() | bits::<32>(0x0100_0000);
        self.quad_place[2].next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[2].val()) << bits::<32>(26)) | bits::<32>(0x1000);
        self.quad_depth[2].next =
            bit_cast::<32, 24>(self.shade.depth[2].val()) | self.ticket.val() | bits::<32>(0x0200_0000);
        self.quad_place[3].next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[3].val()) << bits::<32>(26)) | bits::<32>(0x1001);
        self.quad_depth[3].next =
            bit_cast::<32, 24>(self.shade.depth[3].val()) | self.ticket.val() | bits::<32>(0x0300_0000);
        for i in 0..4 {
            self.l_place[i].d.next = self.quad_place[i].val();
            self.l_depth[i].d.next = self.quad_depth[i].val();
        }
        // Lane i stands at place i, or at that place turned.
        self.cover.next = self.some.val();
        for k in 0..self._merges {
            if (self.pairing.flip.val() == bits::<2>(1)) && !self.fault_pair_lanes[k].val() {
                self.some.next = ((self.cover.val() & bits::<4>(5)) << bits::<4>(1))
                    | ((self.cover.val() & bits::<4>(10)) >> bits::<4>(1));
                self.l_place[0].d.next = self.quad_place[1].val();
                self.l_place[1].d.next = self.quad_place[0].val();
                self.l_place[2].d.next = self.quad_place[3].val();
                self.l_place[3].d.next = self.quad_place[2].val();
                self.l_depth[0].d.next = self.quad_depth[1].val();
                self.l_depth[1].d.next = self.quad_depth[0].val();
                self.l_depth[2].d.next = self.quad_depth[3].val();
                self.l_depth[3].d.next = self.quad_depth[2].val();
            }
            if (self.pairing.flip.val() == bits::<2>(2)) && !self.fault_pair_lanes[k].val() {
                self.some.next = ((self.cover.val() & bits::<4>(3)) << bits::<4>(2))
                    | ((self.cover.val() & bits::<4>(12)) >> bits::<4>(2));
                self.l_place[0].d.next = self.quad_place[2].val();
                self.l_place[1].d.next = self.quad_place[3].val();
                self.l_place[2].d.next = self.quad_place[0].val();
                self.l_place[3].d.next = self.quad_place[1].val();
                self.l_depth[0].d.next = self.quad_depth[2].val();
                self.l_depth[1].d.next = self.quad_depth[3].val();
                self.l_depth[2].d.next = self.quad_depth[0].val();
                self.l_depth[3].d.next = self.quad_depth[1].val();
            }
            if (self.pairing.flip.val() == bits::<2>(3)) && !self.fault_pair_lanes[k].val() {
                self.some.next = ((self.cover.val() & bits::<4>(1)) << bits::<4>(3))
                    | ((self.cover.val() & bits::<4>(2)) << bits::<4>(1))
                    | ((self.cover.val() & bits::<4>(4)) >> bits::<4>(1))
                    | ((self.cover.val() & bits::<4>(8)) >> bits::<4>(3));
                self.l_place[0].d.next = self.quad_place[3].val();
                self.l_place[1].d.next = self.quad_place[2].val();
                self.l_place[2].d.next = self.quad_place[1].val();
                self.l_place[3].d.next = self.quad_place[0].val();
                self.l_depth[0].d.next = self.quad_depth[3].val();
                self.l_depth[1].d.next = self.quad_depth[2].val();
                self.l_depth[2].d.next = self.quad_depth[1].val();
                self.l_depth[3].d.next = self.quad_depth[0].val();
            }
        }
        self.l_covered.d.next = self.some.val();
        if self.fault_graphics_lane_swap.val() {
            self.l_covered.d.next = (self.some.val() >> bits::<4>(1)) | (self.some.val() << bits::<4>(3));
        }
        if self.take_cull.val() {
            self.l_kind.d.next = bits::<2>(3);
            self.l_context.d.next = self.cull.context.val();
            self.l_mask.d.next = self.cull.mask.val();
            self.l_covered.d.next = self.cull.mask.val();
            for i in 0..4 {
                self.l_place[i].d.next = self.cull.index[i].val();
                self.l_depth[i].d.next = self.cull.instance[i].val();
                self.l_handle[i].d.next = self.cull.entry[i].val();
            }
        }
        if self.batch_valid.val() {
            self.l_kind.d.next = bits::<2>(1);
            self.l_context.d.next = self.batch.context.val();
            self.l_mask.d.next = self.batch.mask.val();
            self.l_covered.d.next = self.batch.mask.val();
            for i in 0..4 {
                self.l_place[i].d.next = self.batch.index[i].val();
                self.l_depth[i].d.next = self.batch.instance[i].val();
                self.l_handle[i].d.next = self.batch.entry[i].val();
            }
        }
        // Vertices neither merge nor split.
        if self.batch_valid.val() || self.take_cull.val() {
            self.l_events.d.next = bits::<32>(0);
            self.l_cutoff.d.next = self.cutoffs.read_data.val().get_bits::<6>(0);
            if !self.fault_graphics_pairing.val() {
                self.l_pairing.d.next = bits::<13>(0);
            }
        }
        self.launch_valid.next = self.l_valid.q.val();
        self.launch_unit.next = self.l_unit.q.val();
        self.launch_warp.next = self.l_warp.q.val();
        self.launch_mask.next = self.l_mask.q.val();
        self.launch_pc.next = self.l_pc.q.val();
        self.launch_order.next = self.l_order.q.val();
        self.tags.kind.next = self.l_kind.q.val();
        self.tags.mergeable.next = self.l_pairing.q.val().get_bit(12);
        self.tags.pair.next = self.l_pairing.q.val().get_bits::<6>(0);
        self.tags.member.next = self.l_pairing.q.val().get_bits::<2>(6);
        self.tags.others.next = self.l_pairing.q.val().get_bits::<2>(8);
        self.tags.flip.next = self.l_pairing.q.val().get_bits::<2>(10);
        self.tags.merge.next = self.l_events.q.val().get_bits::<16>(0);
        self.tags.split.next = self.l_events.q.val().get_bits::<16>(16);
        self.tags.cutoff.next = self.l_cutoff.q.val();
        self.tags.context.next = self.l_context.q.val();
        self.tags.covered.next = self.l_covered.q.val();
        for i in 0..4 {
            self.tags.place[i].next = self.l_place[i].q.val();
            self.tags.depth[i].next = self.l_depth[i].q.val();
            self.tags.handle[i].next = self.l_handle[i].q.val();
        }

        // What is told at its end.
        self.tickets.write_enable.next = self.l_valid.q.val();
        self.launched.next =
            (bit_cast::<12, 6>(self.l_unit.q.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.l_warp.q.val());
        self.tickets.write_address.next = self.launched.val();
        self.tickets.write_data.next = bit_cast::<32, 8>(self.l_depth[0].q.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.l_depth[1].q.val().get_bits::<8>(24)) << bits::<32>(8))
            | (bit_cast::<32, 8>(self.l_depth[2].q.val().get_bits::<8>(24)) << bits::<32>(16))
            | (bit_cast::<32, 8>(self.l_depth[3].q.val().get_bits::<8>(24)) << bits::<32>(24));
        self.rest.write_enable.next = self.l_valid.q.val();
        self.rest.write_address.next = self.launched.val();
        self.rest.write_data.next = bit_cast::<32, 6>(self.l_handle[0].q.val())
            | (bit_cast::<32, 6>(self.l_handle[1].q.val()) << bits::<32>(6))
            | (bit_cast::<32, 6>(self.l_handle[2].q.val()) << bits::<32>(12))
            | (bit_cast::<32, 6>(self.l_handle[3].q.val()) << bits::<32>(18))
            | (bit_cast::<32, 4>(self.l_mask.q.val()) << bits::<32>(24));
        if self.l_kind.q.val() == bits::<2>(3) {
            self.rest.write_data.next = bit_cast::<32, 6>(self.l_handle[0].q.val())
                | (bit_cast::<32, 6>(self.l_handle[1].q.val()) << bits::<32>(6))
                | (bit_cast::<32, 6>(self.l_handle[2].q.val()) << bits::<32>(12))
                | (bit_cast::<32, 6>(self.l_handle[3].q.val()) << bits::<32>(18))
                | (bit_cast::<32, 4>(self.l_mask.q.val()) << bits::<32>(24))
                | bits::<32>(0x2000_0000);
        }
        if self.l_kind.q.val() == bits::<2>(2) {
            self.rest.write_data.next = bit_cast::<32, 2>(self.l_place[0].q.val().get_bits::<2>(24))
                | (bit_cast::<32, 2>(self.l_place[1].q.val().get_bits::<2>(24)) << bits::<32>(2))
                | (bit_cast::<32, 2>(self.l_place[2].q.val().get_bits::<2>(24)) << bits::<32>(4))
                | (bit_cast::<32, 2>(self.l_place[3].q.val().get_bits::<2>(24)) << bits::<32>(6))
                | bits::<32>(0x1F00_0000);
        }

        // Member 1's beside those of member 0.
        for k in 0..self._merges {
            self.mate_tickets[k].clock.next = self.clock.val();
            self.mate_rest[k].clock.next = self.clock.val();
            self.mate_tickets[k].write_enable.next =
                self.l_valid.q.val() && self.l_pairing.q.val().get_bit(12) && self.l_pairing.q.val().get_bit(6);
            self.mate_rest[k].write_enable.next =
                self.l_valid.q.val() && self.l_pairing.q.val().get_bit(12) && self.l_pairing.q.val().get_bit(6);
            self.mate_tickets[k].write_address.next = self.launched.val() & bits::<12>(0xFFE);
            self.mate_rest[k].write_address.next = self.launched.val() & bits::<12>(0xFFE);
            self.mate_tickets[k].write_data.next = bit_cast::<32, 8>(self.l_depth[0].q.val().get_bits::<8>(24))
                | (bit_cast::<32, 8>(self.l_depth[1].q.val().get_bits::<8>(24)) << bits::<32>(8))
                | (bit_cast::<32, 8>(self.l_depth[2].q.val().get_bits::<8>(24)) << bits::<32>(16))
                | (bit_cast::<32, 8>(self.l_depth[3].q.val().get_bits::<8>(24)) << bits::<32>(24));
            self.mate_rest[k].write_data.next = bit_cast::<32, 2>(self.l_place[0].q.val().get_bits::<2>(24))
                | (bit_cast::<32, 2>(self.l_place[1].q.val().get_bits::<2>(24)) << bits::<32>(2))
                | (bit_cast::<32, 2>(self.l_place[2].q.val().get_bits::<2>(24)) << bits::<32>(4))
                | (bit_cast::<32, 2>(self.l_place[3].q.val().get_bits::<2>(24)) << bits::<32>(6));
        }

        // Ends that may be told. The end of a merged warp waits until member 1 is told to be gone.
        self.merged.next = bits::<16>(0);
        for u in 0..self._units {
            self.eligible[u].next = self.ended[u].q.val();
        }
        for k in 0..self._merges {
            for u in 0..self._units {
                self.merged.next = bits::<16>(0);
                if self.mates[u].val().get_bits::<4>(0).any() && self.paired[u].q.val().get_bit(0) {
                    self.merged.next = self.merged.val() | bits::<16>(0x0001);
                }
                if self.mates[u].val().get_bits::<4>(8).any() && self.paired[u].q.val().get_bit(1) {
                    self.merged.next = self.merged.val() | bits::<16>(0x0004);
                }
                if self.mates[u].val().get_bits::<4>(16).any() && self.paired[u].q.val().get_bit(2) {
                    self.merged.next = self.merged.val() | bits::<16>(0x0010);
                }
                if self.mates[u].val().get_bits::<4>(24).any() && self.paired[u].q.val().get_bit(3) {
                    self.merged.next = self.merged.val() | bits::<16>(0x0040);
                }
                if self.mates[u].val().get_bits::<4>(32).any() && self.paired[u].q.val().get_bit(4) {
                    self.merged.next = self.merged.val() | bits::<16>(0x0100);
                }
                if self.mates[u].val().get_bits::<4>(40).any() && self.paired[u].q.val().get_bit(5) {
                    self.merged.next = self.merged.val() | bits::<16>(0x0400);
                }
                if self.mates[u].val().get_bits::<4>(48).any() && self.paired[u].q.val().get_bit(6) {
                    self.merged.next = self.merged.val() | bits::<16>(0x1000);
                }
                if self.mates[u].val().get_bits::<4>(56).any() && self.paired[u].q.val().get_bit(7) {
                    self.merged.next = self.merged.val() | bits::<16>(0x4000);
                }
                self.eligible[u].next = self.ended[u].q.val() & !self.merged.val();
                if self.fault_pair_end[k].val() {
                    self.eligible[u].next = self.ended[u].q.val();
                }
            }
        }

        // Ends: which one is told next.
        self.any.next = false;
        self.any_unit.next = bits::<6>(0);
        self.after.next = false;
        self.after_unit.next = bits::<6>(0);
        for u in 0..self._units {
            if self.eligible[u].val().any() {
                if !self.any.val() {
                    self.any.next = true;
                    self.any_unit.next = u.to_bits::<6>();
                }
                if !self.after.val() && (self.turn.q.val() < u.to_bits::<6>()) {
                    self.after.next = true;
                    self.after_unit.next = u.to_bits::<6>();
                }
            }
        }
        if self.after.val() {
            self.any_unit.next = self.after_unit.val();
        }
        self.slots.next = bits::<16>(0);
        for u in 0..self._units {
            if self.any_unit.val() == u.to_bits::<6>() {
                self.slots.next = self.eligible[u].val();
            }
        }
        self.slot.next = bits::<4>(0);
        self.chosen.next = bits::<16>(0);
        for w in 0..16 {
            if self.slots.val().get_bit(w) && !self.chosen.val().any() {
                self.slot.next = w.to_bits::<4>();
                self.chosen.next = bits::<16>(1) << w.to_bits::<4>();
            }
        }
        // Of a pair: what has merged ends with member 0's slot, and is told for each member. Member
        // 1 that is gone is not told. A member 0 that ends alone keeps its slot while member 1 is
        // there, whose public registers are in it.
        self.odd.next = self.tell_warp.q.val().get_bit(0);
        self.pair_bit.next = bits::<8>(1) << bit_cast::<8, 3>(self.tell_warp.q.val().get_bits::<3>(1));
        self.mate_shift.next = bit_cast::<64, 4>(self.tell_warp.q.val() & bits::<4>(14)) << bits::<64>(2);
        self.mate_words.next = bits::<64>(0);
        self.mate_lanes.next = bits::<4>(0);
        self.pair_bits.next = bits::<8>(0);
        self.is_paired.next = false;
        self.is_kept.next = false;
        self.is_freed.next = false;
        self.silent.next = false;
        self.joined.next = false;
        self.keeps.next = false;
        self.frees.next = false;
        for k in 0..self._merges {
            for u in 0..self._units {
                if self.tell_unit.q.val() == u.to_bits::<6>() {
                    self.mate_words.next = self.mates[u].val() >> self.mate_shift.val();
                    self.pair_bits.next = self.paired[u].q.val() & self.pair_bit.val();
                    self.is_paired.next = self.pair_bits.val().any();
                    self.pair_bits.next = self.kept[u].q.val() & self.pair_bit.val();
                    self.is_kept.next = self.pair_bits.val().any();
                    self.pair_bits.next = self.freed[u].q.val() & self.pair_bit.val();
                    self.is_freed.next = self.pair_bits.val().any();
                }
            }
            self.mate_lanes.next = self.mate_words.val().get_bits::<4>(0);
            self.silent.next = (self.odd.val() && self.is_paired.val() && self.mate_lanes.val().any())
                || (!self.odd.val() && self.is_freed.val());
            self.joined.next =
                !self.odd.val() && !self.is_freed.val() && self.mate_lanes.val().any() && !self.fault_pair_end[k].val();
            self.keeps.next = !self.odd.val()
                && !self.is_freed.val()
                && self.is_paired.val()
                && !self.mate_lanes.val().any()
                && !self.fault_pair_free[k].val();
            self.frees.next = self.odd.val() && self.is_kept.val();
        }
        self.launch_bit.next = bits::<8>(1) << bit_cast::<8, 3>(self.account.offer_warp.val().get_bits::<3>(1));
        self.told.next = self.telling.q.val()
            && (!self.rest.read_data.val().get_bit(28) || self.fragment_ready.val() || self.silent.val());
        for k in 0..self._merges {
            self.beat[k].clock.next = self.clock.val();
            self.beat[k].d.next = self.beat[k].q.val();
            if self.joined.val() && !self.beat[k].q.val() {
                self.told.next = false;
                if self.telling.q.val() && self.fragment_ready.val() {
                    self.beat[k].d.next = true;
                }
            }
            if self.told.val() {
                self.beat[k].d.next = false;
            }
        }
        self.go.next = self.any.val() && (!self.telling.q.val() || self.told.val());
        self.paired_now.next = bits::<8>(0);
        for u in 0..self._units {
            self.ended[u].clock.next = self.clock.val();
            self.remaining.next = self.ended[u].q.val();
            if self.go.val() && (self.any_unit.val() == u.to_bits::<6>()) {
                self.remaining.next = self.ended[u].q.val() & (self.chosen.val() ^ bits::<16>(0xFFFF));
            }
            for r in 0..self._rows {
                if self.end_valid[r].val() && (self.end_unit[r].val() == u.to_bits::<6>()) {
                    self.remaining.next = self.remaining.val() | (bits::<16>(1) << self.end_warp[r].val());
                }
            }
            for _k in 0..self._merges {
                self.paired[u].clock.next = self.clock.val();
                self.kept[u].clock.next = self.clock.val();
                self.freed[u].clock.next = self.clock.val();
                self.paired_now.next = self.paired[u].q.val();
                self.kept[u].d.next = self.kept[u].q.val();
                self.freed[u].d.next = self.freed[u].q.val();
                if self.take_quad.val() && self.is_first.val() && (self.account.offer_unit.val() == u.to_bits::<6>()) {
                    self.paired_now.next = self.paired_now.val() | self.launch_bit.val();
                }
                if self.told.val() && (self.tell_unit.q.val() == u.to_bits::<6>()) {
                    if self.odd.val() {
                        self.paired_now.next = self.paired_now.val() & !self.pair_bit.val();
                    }
                    if self.keeps.val() {
                        self.kept[u].d.next = self.kept[u].q.val() | self.pair_bit.val();
                    }
                    if self.frees.val() {
                        self.kept[u].d.next = self.kept[u].q.val() & !self.pair_bit.val();
                        self.freed[u].d.next = self.freed[u].q.val() | self.pair_bit.val();
                        self.remaining.next = self.remaining.val()
                            | (bits::<16>(1) << bit_cast::<16, 4>(self.tell_warp.q.val() & bits::<4>(14)));
                    }
                    if self.is_freed.val() && !self.odd.val() {
                        self.freed[u].d.next = self.freed[u].q.val() & !self.pair_bit.val();
                    }
                }
            }
            for _k in 0..self._merges {
                self.paired[u].d.next = self.paired_now.val();
            }
            self.ended[u].d.next = self.remaining.val();
        }
        if self.told.val() {
            self.telling.d.next = false;
        }
        // The RAMs keep what they read while their address stays.
        self.told_at.next =
            (bit_cast::<12, 6>(self.tell_unit.q.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.tell_warp.q.val());
        if self.go.val() {
            self.telling.d.next = true;
            self.turn.d.next = self.any_unit.val();
            self.tell_unit.d.next = self.any_unit.val();
            self.tell_warp.d.next = self.slot.val();
            self.told_at.next =
                (bit_cast::<12, 6>(self.any_unit.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.slot.val());
        }
        self.tickets.read_address.next = self.told_at.val();
        self.rest.read_address.next = self.told_at.val();

        // The end that is told; its slot is free from the next cycle on.
        self.left.next = bits::<64>(0);
        for u in 0..self._units {
            if self.tell_unit.q.val() == u.to_bits::<6>() {
                self.left.next = self.covered[u].val();
            }
        }
        self.shift.next = bit_cast::<64, 4>(self.tell_warp.q.val()) << bits::<64>(2);
        self.lowest.next = self.left.val() >> self.shift.val();
        self.fragment.covered.next = self.lowest.val().get_bits::<4>(0);
        for k in 0..self._merges {
            if self.joined.val() {
                self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & !self.mate_lanes.val();
                if self.beat[k].q.val() {
                    self.fragment.covered.next = self.lowest.val().get_bits::<4>(0) & self.mate_lanes.val();
                }
            }
        }
        if self.fault_graphics_end_early.val() {
            self.fragment.covered.next = bits::<4>(15);
        }
        self.fragment_valid.next = self.telling.q.val() && self.rest.read_data.val().get_bit(28) && !self.silent.val();
        self.fragment.ticket[0].next = self.tickets.read_data.val().get_bits::<8>(0);
        self.fragment.ticket[1].next = self.tickets.read_data.val().get_bits::<8>(8);
        self.fragment.ticket[2].next = self.tickets.read_data.val().get_bits::<8>(16);
        self.fragment.ticket[3].next = self.tickets.read_data.val().get_bits::<8>(24);
        self.fragment.sample[0].next = self.rest.read_data.val().get_bits::<2>(0);
        self.fragment.sample[1].next = self.rest.read_data.val().get_bits::<2>(2);
        self.fragment.sample[2].next = self.rest.read_data.val().get_bits::<2>(4);
        self.fragment.sample[3].next = self.rest.read_data.val().get_bits::<2>(6);
        for k in 0..self._merges {
            self.mate_tickets[k].read_address.next = self.told_at.val() & bits::<12>(0xFFE);
            self.mate_rest[k].read_address.next = self.told_at.val() & bits::<12>(0xFFE);
            if self.joined.val() && self.beat[k].q.val() {
                self.fragment.ticket[0].next = self.mate_tickets[k].read_data.val().get_bits::<8>(0);
                self.fragment.ticket[1].next = self.mate_tickets[k].read_data.val().get_bits::<8>(8);
                self.fragment.ticket[2].next = self.mate_tickets[k].read_data.val().get_bits::<8>(16);
                self.fragment.ticket[3].next = self.mate_tickets[k].read_data.val().get_bits::<8>(24);
                self.fragment.sample[0].next = self.mate_rest[k].read_data.val().get_bits::<2>(0);
                self.fragment.sample[1].next = self.mate_rest[k].read_data.val().get_bits::<2>(2);
                self.fragment.sample[2].next = self.mate_rest[k].read_data.val().get_bits::<2>(4);
                self.fragment.sample[3].next = self.mate_rest[k].read_data.val().get_bits::<2>(6);
            }
        }
        self.shaded_valid.next = self.telling.q.val()
            && !self.rest.read_data.val().get_bit(28)
            && (!self.rest.read_data.val().get_bit(29) || self.fault_graphics_cull_end.val());
        self.cull_shaded_valid.next = self.telling.q.val() && self.rest.read_data.val().get_bit(29);
        self.shaded_mask.next = self.rest.read_data.val().get_bits::<4>(24);
        self.shaded_entry[0].next = self.rest.read_data.val().get_bits::<6>(0);
        self.shaded_entry[1].next = self.rest.read_data.val().get_bits::<6>(6);
        self.shaded_entry[2].next = self.rest.read_data.val().get_bits::<6>(12);
        self.shaded_entry[3].next = self.rest.read_data.val().get_bits::<6>(18);
        for r in 0..self._rows {
            self.account.end_valid[r].next = false;
            self.account.end_unit[r].next = self.tell_unit.q.val();
            self.account.end_warp[r].next = self.tell_warp.q.val();
        }
        self.account.end_valid[0].next = self.told.val() && !self.keeps.val();
        self.quiet.next = self.account.empty.val() && !self.l_valid.q.val();
        self.idle.next = self.quiet.val();
    }
}
