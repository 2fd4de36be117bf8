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
    fault_graphics_end_early: Planted,
    fault_graphics_lane_swap: Planted,
    fault_graphics_wrong_program: Planted,
    fault_graphics_cull_starves: Planted,
    fault_graphics_cull_end: Planted,
    fault_graphics_pairing: Planted,
    _units: usize,
    _rows: usize,
    _active: bool,
}

impl GraphicsDispatcher {
    /// A dispatcher for all units of the machine.
    pub fn new(config: &GpuConfig) -> Self {
        let (units, rows) = (config.total_units(), config.rows);
        let planted = |fault| Planted::new(config.has(fault));
        Self {
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
        self.take_quad.next = self.quad_waits.val() && self.quad_first.val() && self.account.offer.val();
        if self.take_cull.val() {
            self.cull_last.d.next = true;
        }
        if self.take_quad.val() {
            self.cull_last.d.next = false;
        }
        self.batch_ready.next = self.account.offer.val();
        self.cull_ready.next = self.account.offer.val() && self.cull_first.val();
        self.shade_ready.next = self.shade.end.val() || (self.account.offer.val() && self.quad_first.val());
        self.account.start.next = self.start.val();
        self.account.pinned.next = false;
        self.account.group_warps.next = bits::<5>(1);
        self.account.group_slots.next = bits::<5>(1);
        self.account.shared_bytes.next = bits::<16>(0);
        self.account.seek.next = false;
        self.account.take.next = self.take_batch.val() || self.take_cull.val() || self.take_quad.val();
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
        self.l_place[0].d.next = self.common.val() | (bit_cast::<32, 4>(self.lanes[0].val()) << bits::<32>(26));
        self.l_depth[0].d.next = bit_cast::<32, 24>(self.shade.depth[0].val()) | self.ticket.val();
        self.l_place[1].d.next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[1].val()) << bits::<32>(26)) | bits::<32>(0x0001);
        self.l_depth[1].d.next =
            bit_cast::<32, 24>(self.shade.depth[1].val()) | self.ticket.val() | bits::<32>(0x0100_0000);
        self.l_place[2].d.next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[2].val()) << bits::<32>(26)) | bits::<32>(0x1000);
        self.l_depth[2].d.next =
            bit_cast::<32, 24>(self.shade.depth[2].val()) | self.ticket.val() | bits::<32>(0x0200_0000);
        self.l_place[3].d.next =
            self.common.val() | (bit_cast::<32, 4>(self.lanes[3].val()) << bits::<32>(26)) | bits::<32>(0x1001);
        self.l_depth[3].d.next =
            bit_cast::<32, 24>(self.shade.depth[3].val()) | self.ticket.val() | bits::<32>(0x0300_0000);
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
        self.tickets.write_address.next =
            (bit_cast::<12, 6>(self.l_unit.q.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.l_warp.q.val());
        self.tickets.write_data.next = bit_cast::<32, 8>(self.l_depth[0].q.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.l_depth[1].q.val().get_bits::<8>(24)) << bits::<32>(8))
            | (bit_cast::<32, 8>(self.l_depth[2].q.val().get_bits::<8>(24)) << bits::<32>(16))
            | (bit_cast::<32, 8>(self.l_depth[3].q.val().get_bits::<8>(24)) << bits::<32>(24));
        self.rest.write_enable.next = self.l_valid.q.val();
        self.rest.write_address.next =
            (bit_cast::<12, 6>(self.l_unit.q.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.l_warp.q.val());
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

        // Ends: which one is told next.
        self.any.next = false;
        self.any_unit.next = bits::<6>(0);
        self.after.next = false;
        self.after_unit.next = bits::<6>(0);
        for u in 0..self._units {
            if self.ended[u].q.val().any() {
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
                self.slots.next = self.ended[u].q.val();
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
        self.told.next = self.telling.q.val() && (!self.rest.read_data.val().get_bit(28) || self.fragment_ready.val());
        self.go.next = self.any.val() && (!self.telling.q.val() || self.told.val());
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
            self.ended[u].d.next = self.remaining.val();
        }
        if self.told.val() {
            self.telling.d.next = false;
        }
        // The RAMs keep what they read while their address stays.
        self.tickets.read_address.next =
            (bit_cast::<12, 6>(self.tell_unit.q.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.tell_warp.q.val());
        self.rest.read_address.next =
            (bit_cast::<12, 6>(self.tell_unit.q.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.tell_warp.q.val());
        if self.go.val() {
            self.telling.d.next = true;
            self.turn.d.next = self.any_unit.val();
            self.tell_unit.d.next = self.any_unit.val();
            self.tell_warp.d.next = self.slot.val();
            self.tickets.read_address.next =
                (bit_cast::<12, 6>(self.any_unit.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.slot.val());
            self.rest.read_address.next =
                (bit_cast::<12, 6>(self.any_unit.val()) << bits::<12>(4)) | bit_cast::<12, 4>(self.slot.val());
        }

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
        if self.fault_graphics_end_early.val() {
            self.fragment.covered.next = bits::<4>(15);
        }
        self.fragment_valid.next = self.telling.q.val() && self.rest.read_data.val().get_bit(28);
        self.fragment.ticket[0].next = self.tickets.read_data.val().get_bits::<8>(0);
        self.fragment.ticket[1].next = self.tickets.read_data.val().get_bits::<8>(8);
        self.fragment.ticket[2].next = self.tickets.read_data.val().get_bits::<8>(16);
        self.fragment.ticket[3].next = self.tickets.read_data.val().get_bits::<8>(24);
        self.fragment.sample[0].next = self.rest.read_data.val().get_bits::<2>(0);
        self.fragment.sample[1].next = self.rest.read_data.val().get_bits::<2>(2);
        self.fragment.sample[2].next = self.rest.read_data.val().get_bits::<2>(4);
        self.fragment.sample[3].next = self.rest.read_data.val().get_bits::<2>(6);
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
        self.account.end_valid[0].next = self.told.val();
        self.quiet.next = self.account.empty.val() && !self.l_valid.q.val();
        self.idle.next = self.quiet.val();
    }
}
