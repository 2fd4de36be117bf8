//! Hi-Z by back-propagation: bounds of depth of groups of 8 by 8 pixels, from depths that were
//! written to the tile buffers (HZ-20, HZ-22). A depth that is written is the new one of its
//! sample, whatever rule wrote it. So a bound may come nearer and go back, and it is exact for what
//! was written. The lowest level, the pixels, is the depth buffer itself; nothing of it is copied.
//!
//! | memory | of | word |
//! | --- | --- | --- |
//! | rows | 16 samples of quads | the farthest of the four lanes of each |
//! | known | each row | which of them were written, pass |
//! | records | each group | the farthest of each of its rows, which are known, pass |
//! | bounds | each group and reader | farthest depth, pass, direction |
//!
//! A row is a group at one sample, its upper or lower half at two, a block of 4 by 4 pixels at
//! four. What was not written in this pass is as far as the clear value, or as far as can be if the
//! pass loads depth. Depths that grow (`down`) are stored inverted.
//!
//! ```text
//! update -> farthest and nearest of four lanes -> queue of 32 -> the row that is here -> group
//! ```
//!
//! Updates are always heard. `room` goes when half of the queue is full; then fourteen more may
//! come. One beat per cycle within a row; another row costs 2 cycles, and 2 more if the one before
//! has changed. Nothing else holds a beat back, but the sweep of records every 1,023 passes.
//!
//! All bounds of a pass have one direction, that of the draw that entered last and writes by an
//! order. If it turns, everything is forgotten, as if the pass had loaded its depth.
//!
//! `settle` asks for all that was heard up to now. `settled` is told when bounds have it.
//!
//! It can be wrong by a bound that is too near. Planted faults: `back-lane`, `back-unknown`,
//! `back-row`, `back-turn`, `back-lost`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Parameter, Planted};
use crate::cell::{AsyncRam, DeepRam};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{DepthUpdateIn, GroupAskIn, StateWriteIn};
use crate::visibility::GroupPlace;
use crate::{comment, fields};

fields! {
    /// A group's bound.
    trait BackBound: 35 {
        /// No sample is farther.
        back_depth: 24 @ 0,
        /// The pass that this is of.
        back_pass: 10 @ 24,
        /// Depths grow.
        back_down: bit @ 34,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BackLevels {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; of the pass: width, samples, how depth begins.
    pub state: StateWriteIn,
    /// Depths were written. No back-pressure.
    pub update: DepthUpdateIn,
    /// More may be written.
    pub room: Signal<Out, bool>,
    /// A draw that writes by an order enters.
    pub way: Signal<In, bool>,
    /// Its depths grow.
    pub way_down: Signal<In, bool>,
    /// One cycle: what was written is to be brought into the bounds.
    pub settle: Signal<In, bool>,
    /// One cycle: it is.
    pub settled: Signal<Out, bool>,
    /// Event: a record is cleared.
    pub sweeps: Signal<Out, bool>,
    /// The group of quads whose bound a test reads.
    pub read: Each<GroupAskIn>,
    /// A cycle later: it is known.
    pub known: Vec<Signal<Out, bool>>,
    /// No sample of it was farther.
    pub bound: Vec<Signal<Out, Bits<24>>>,
    /// Bounds are minima, inverted.
    pub bound_down: Vec<Signal<Out, bool>>,
    rows: Vec<DeepRam>,
    knowns: DeepRam,
    records_low: DeepRam,
    records_high: DeepRam,
    record_heads: DeepRam,
    bounds: Vec<DeepRam>,
    place: GroupPlace,
    read_place: Vec<GroupPlace>,
    read_kept: Vec<DFF<bool>>,
    words: Parameter<18>,
    // The pass.
    pitch: DFF<Bits<4>>,
    samples: DFF<Bits<2>>,
    loads: DFF<bool>,
    clear: DFF<Bits<24>>,
    pass: DFF<Bits<10>>,
    sweeping: DFF<bool>,
    sweep: DFF<Bits<13>>,
    /// Direction of the bounds, and of the draw that entered last.
    down: DFF<bool>,
    want: DFF<bool>,
    /// A beat of this pass was taken.
    touched: DFF<bool>,
    // What was heard in the cycle before.
    update_r: DFF<bool>,
    update_r_place: DFF<Bits<24>>,
    update_r_most: DFF<Bits<24>>,
    update_r_least: DFF<Bits<24>>,
    // The queue.
    queue_place: AsyncRam,
    queue_most: AsyncRam,
    queue_least: AsyncRam,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    inside: DFF<Bits<6>>,
    room_r: DFF<bool>,
    // Settling: cycles until the queue has everything; beats that are left; all are here.
    soon: DFF<Bits<2>>,
    settling: DFF<bool>,
    flushes: DFF<bool>,
    left: DFF<Bits<6>>,
    // The row that is here.
    /// 0 beats are taken, 1 a row is read, 2 and 3 it is written.
    phase: DFF<Bits<2>>,
    resident: DFF<bool>,
    row: DFF<Bits<18>>,
    group: DFF<Bits<18>>,
    block: DFF<Bits<2>>,
    valid: DFF<Bits<16>>,
    changed: DFF<bool>,
    /// Farthest depths of places 2 h and 2 h + 1.
    even: Vec<DFF<Bits<24>>>,
    odd: Vec<DFF<Bits<24>>>,
    quarter: Vec<DFF<Bits<24>>>,
    /// Of the group's rows.
    row_known: DFF<Bits<4>>,
    row_most: Vec<DFF<Bits<24>>>,
    // Named intermediate values.
    columns: Signal<Local, Bits<13>>,
    wide: Signal<Local, Bits<10>>,
    opens: Signal<Local, bool>,
    turns: Signal<Local, bool>,
    pair_most: Vec<Signal<Local, Bits<24>>>,
    pair_least: Vec<Signal<Local, Bits<24>>>,
    four_most: Signal<Local, Bits<24>>,
    four_least: Signal<Local, Bits<24>>,
    pushes: Signal<Local, bool>,
    waits: Signal<Local, bool>,
    first: Signal<Local, Bits<32>>,
    first_x: Signal<Local, Bits<11>>,
    first_y: Signal<Local, Bits<11>>,
    first_sample: Signal<Local, Bits<2>>,
    first_depth: Signal<Local, Bits<24>>,
    quad_x: Signal<Local, Bits<2>>,
    quad_y: Signal<Local, Bits<2>>,
    in_row: Signal<Local, Bits<4>>,
    block_now: Signal<Local, Bits<2>>,
    row_now: Signal<Local, Bits<18>>,
    at: Signal<Local, Bits<13>>,
    at_row: Signal<Local, Bits<13>>,
    same: Signal<Local, bool>,
    is_free: Signal<Local, bool>,
    take: Signal<Local, bool>,
    begins: Signal<Local, bool>,
    half_now: Signal<Local, Bits<3>>,
    known_now: Signal<Local, Bits<26>>,
    head_now: Signal<Local, Bits<14>>,
    low_now: Signal<Local, Bits<48>>,
    high_now: Signal<Local, Bits<48>>,
    far: Signal<Local, Bits<24>>,
    held_even: Vec<Signal<Local, Bits<24>>>,
    held_odd: Vec<Signal<Local, Bits<24>>>,
    half: Vec<Signal<Local, Bits<24>>>,
    whole: Signal<Local, Bits<24>>,
    rows_known: Signal<Local, Bits<4>>,
    of_rows: Vec<Signal<Local, Bits<24>>>,
    most: Signal<Local, Bits<24>>,
    last_row: Signal<Local, Bits<3>>,
    bound_new: Signal<Local, Bits<35>>,
    bound_word: Vec<Signal<Local, Bits<35>>>,
    writes: Signal<Local, bool>,
    fault_back_lane: Planted,
    fault_back_unknown: Planted,
    fault_back_row: Planted,
    fault_back_turn: Planted,
    fault_back_lost: Planted,
    _readers: usize,
    _active: bool,
}

impl BackLevels {
    /// For as many groups as that configuration stores, with its planted fault; so many ask.
    pub fn new(config: &GpuConfig, readers: usize) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let groups = config.hi_z_groups;
        Self {
            read: Each::new(readers),
            known: vector(readers),
            bound: vector(readers),
            bound_down: vector(readers),
            bound_word: vector(readers),
            read_kept: vector(readers),
            rows: (0..8).map(|_| DeepRam::new(groups, 48)).collect(),
            knowns: DeepRam::new(groups, 26),
            records_low: DeepRam::new(groups, 48),
            records_high: DeepRam::new(groups, 48),
            record_heads: DeepRam::new(groups, 14),
            bounds: (0..readers).map(|_| DeepRam::new(groups, 35)).collect(),
            place: GroupPlace::new(config),
            read_place: (0..readers).map(|_| GroupPlace::new(config)).collect(),
            words: Parameter::new(groups as u64 - 1),
            queue_place: AsyncRam::new(32, 24),
            queue_most: AsyncRam::new(32, 24),
            queue_least: AsyncRam::new(32, 24),
            even: vector(8),
            odd: vector(8),
            quarter: vector(4),
            row_most: vector(4),
            pair_most: vector(2),
            pair_least: vector(2),
            held_even: vector(8),
            held_odd: vector(8),
            half: vector(8),
            of_rows: vector(4),
            fault_back_lane: planted(Fault::BackLane),
            fault_back_unknown: planted(Fault::BackUnknown),
            fault_back_row: planted(Fault::BackRow),
            fault_back_turn: planted(Fault::BackTurn),
            fault_back_lost: planted(Fault::BackLost),
            _readers: readers,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl BackLevels {
    /// The width of a pass says how many groups are in a line of them.
    fn pitch(&mut self) {
        comment!("module: back_levels");
        dff_setup!(self, clock, pitch, samples, loads, clear, pass, sweeping, sweep, down, want, touched);
        dff_setup!(self, clock, phase, resident, row, group, block, valid, changed, row_known);
        dff_setup!(self, clock, head, tail, inside, room_r, soon, settling, flushes, left);
        dff_setup!(self, clock, update_r, update_r_place, update_r_most, update_r_least);
        clock!(self, clock, knowns, records_low, records_high, record_heads);
        clock!(self, clock, queue_place, queue_most, queue_least);
        self.columns.next = self.state.data.val().get_bits::<13>(0) + bits::<13>(7);
        self.wide.next = self.columns.val().get_bits::<10>(3);
        self.opens.next = self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::SIZE));
        if self.opens.val() {
            self.pitch.d.next = bits::<4>(9);
            if self.wide.val() <= bits::<10>(256) {
                self.pitch.d.next = bits::<4>(8);
            }
            if self.wide.val() <= bits::<10>(128) {
                self.pitch.d.next = bits::<4>(7);
            }
            if self.wide.val() <= bits::<10>(64) {
                self.pitch.d.next = bits::<4>(6);
            }
            if self.wide.val() <= bits::<10>(32) {
                self.pitch.d.next = bits::<4>(5);
            }
            if self.wide.val() <= bits::<10>(16) {
                self.pitch.d.next = bits::<4>(4);
            }
            if self.wide.val() <= bits::<10>(8) {
                self.pitch.d.next = bits::<4>(3);
            }
            if self.wide.val() <= bits::<10>(4) {
                self.pitch.d.next = bits::<4>(2);
            }
            if self.wide.val() <= bits::<10>(2) {
                self.pitch.d.next = bits::<4>(1);
            }
            if self.wide.val() <= bits::<10>(1) {
                self.pitch.d.next = bits::<4>(0);
            }
        }
    }

    /// The pass has a number and a direction; records are swept.
    fn passes(&mut self) {
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::DEPTH_FLAGS)) {
            self.loads.d.next = self.state.data.val().get_bit(4);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::DEPTH_CLEAR)) {
            self.clear.d.next = self.state.data.val().get_bits::<24>(0);
        }
        // The direction.
        if self.way.val() {
            self.want.d.next = self.way_down.val();
        }
        self.turns.next =
            (self.want.q.val() != self.down.q.val()) && (self.phase.q.val() == bits::<2>(0)) && !self.sweeping.q.val();
        if self.turns.val() {
            self.down.d.next = self.want.q.val();
            if self.touched.q.val() {
                self.loads.d.next = true;
            }
        }
        if self.opens.val() || (self.turns.val() && self.touched.q.val() && !self.fault_back_turn.val()) {
            self.pass.d.next = self.pass.q.val() + bits::<10>(1);
            self.resident.d.next = false;
            self.changed.d.next = false;
            if self.pass.q.val().all() || !self.pass.q.val().any() {
                self.pass.d.next = bits::<10>(1);
                self.sweeping.d.next = self.pass.q.val().any();
                self.sweep.d.next = bits::<13>(0);
            }
        }
        if self.opens.val() {
            self.touched.d.next = false;
        }
        self.sweeps.next = self.sweeping.q.val();
        if self.sweeping.q.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<13>(1);
            if bit_cast::<18, 13>(self.sweep.q.val()) == self.words.val() {
                self.sweeping.d.next = false;
            }
        }
    }

    /// What is heard goes into the queue.
    fn hears(&mut self) {
        self.pair_most[0].next = self.update.depth[0].val();
        self.pair_least[0].next = self.update.depth[1].val();
        if self.update.depth[1].val() > self.update.depth[0].val() {
            self.pair_most[0].next = self.update.depth[1].val();
            self.pair_least[0].next = self.update.depth[0].val();
        }
        self.pair_most[1].next = self.update.depth[2].val();
        self.pair_least[1].next = self.update.depth[3].val();
        if self.update.depth[3].val() > self.update.depth[2].val() {
            self.pair_most[1].next = self.update.depth[3].val();
            self.pair_least[1].next = self.update.depth[2].val();
        }
        self.four_most.next = self.pair_most[0].val();
        if (self.pair_most[1].val() > self.pair_most[0].val()) && !self.fault_back_lane.val() {
            self.four_most.next = self.pair_most[1].val();
        }
        self.four_least.next = self.pair_least[0].val();
        if (self.pair_least[1].val() < self.pair_least[0].val()) && !self.fault_back_lane.val() {
            self.four_least.next = self.pair_least[1].val();
        }
        self.update_r.d.next = self.update.valid.val() && self.update.lanes.val().any();
        self.update_r_place.d.next = bit_cast::<24, 11>(self.update.x.val())
            | (bit_cast::<24, 11>(self.update.y.val()) << bits::<24>(11))
            | (bit_cast::<24, 2>(self.update.sample.val()) << bits::<24>(22));
        self.update_r_most.d.next = self.four_most.val();
        self.update_r_least.d.next = self.four_least.val();
        // The queue.
        self.pushes.next = self.update_r.q.val() && (!self.inside.q.val().get_bit(3) || !self.fault_back_lost.val());
        self.queue_place.write_enable.next = self.pushes.val();
        self.queue_most.write_enable.next = self.pushes.val();
        self.queue_least.write_enable.next = self.pushes.val();
        self.queue_place.write_address.next = bit_cast::<6, 5>(self.tail.q.val());
        self.queue_most.write_address.next = bit_cast::<6, 5>(self.tail.q.val());
        self.queue_least.write_address.next = bit_cast::<6, 5>(self.tail.q.val());
        self.queue_place.write_data.next = bit_cast::<32, 24>(self.update_r_place.q.val());
        self.queue_most.write_data.next = bit_cast::<32, 24>(self.update_r_most.q.val());
        self.queue_least.write_data.next = bit_cast::<32, 24>(self.update_r_least.q.val());
        self.queue_place.read_address.next = bit_cast::<6, 5>(self.head.q.val());
        self.queue_most.read_address.next = bit_cast::<6, 5>(self.head.q.val());
        self.queue_least.read_address.next = bit_cast::<6, 5>(self.head.q.val());
        if self.pushes.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
        self.room_r.d.next = self.inside.q.val() < bits::<6>(16);
        self.room.next = self.room_r.q.val();
    }

    /// The first beat of the queue has a row, and a place in it.
    fn beat_place(&mut self) {
        self.first.next = self.queue_place.read_data.val();
        self.first_x.next = self.first.val().get_bits::<11>(0);
        self.first_y.next = self.first.val().get_bits::<11>(11);
        self.first_sample.next = self.first.val().get_bits::<2>(22);
        self.first_depth.next = self.queue_most.read_data.val().get_bits::<24>(0);
        if self.down.q.val() {
            self.first_depth.next = !self.queue_least.read_data.val().get_bits::<24>(0);
        }
        self.place.place_ports.x.next = self.first_x.val().get_bits::<9>(2);
        self.place.place_ports.y.next = self.first_y.val().get_bits::<9>(2);
        self.place.pitch.next = self.pitch.q.val();
        self.place.samples.next = self.samples.q.val();
        self.quad_x.next = self.first_x.val().get_bits::<2>(0);
        self.quad_y.next = self.first_y.val().get_bits::<2>(0);
        // Its row in the group, and its place in the row.
        self.block_now.next = bits::<2>(0);
        self.in_row.next = bit_cast::<4, 2>(self.quad_x.val()) | (bit_cast::<4, 2>(self.quad_y.val()) << bits::<4>(2));
        if self.samples.q.val() == bits::<2>(1) {
            self.block_now.next = self.quad_y.val() >> bits::<2>(1);
            self.in_row.next = (bit_cast::<4, 2>(self.first_sample.val()) & bits::<4>(1))
                | (bit_cast::<4, 2>(self.quad_x.val()) << bits::<4>(1))
                | (bit_cast::<4, 2>(self.quad_y.val()) << bits::<4>(3));
        }
        if self.samples.q.val().get_bit(1) {
            self.block_now.next = (self.quad_y.val() & bits::<2>(2)) | (self.quad_x.val() >> bits::<2>(1));
            self.in_row.next = bit_cast::<4, 2>(self.first_sample.val())
                | ((bit_cast::<4, 2>(self.quad_x.val()) & bits::<4>(1)) << bits::<4>(2))
                | (bit_cast::<4, 2>(self.quad_y.val()) << bits::<4>(3));
        }
        self.row_now.next = (self.place.number.val() << bit_cast::<18, 2>(self.samples.q.val()))
            | bit_cast::<18, 2>(self.block_now.val());
    }

    /// The first beat is taken if its row is here, or its row is fetched.
    fn beats(&mut self) {
        self.waits.next = self.inside.q.val().any();
        self.same.next = self.resident.q.val() && (self.row.q.val() == self.row_now.val());
        self.is_free.next = (self.phase.q.val() == bits::<2>(0))
            && !self.sweeping.q.val()
            && !self.turns.val()
            && !self.flushes.q.val()
            && !self.opens.val();
        self.take.next = self.waits.val() && self.is_free.val() && (self.same.val() || !self.place.kept.val());
        self.begins.next = self.waits.val() && self.is_free.val() && self.place.kept.val() && !self.same.val();
        if self.begins.val() {
            self.phase.d.next = bits::<2>(1);
        }
        if (self.phase.q.val() == bits::<2>(0))
            && self.changed.q.val()
            && !self.turns.val()
            && (self.begins.val() || !self.waits.val() || self.flushes.q.val())
        {
            self.phase.d.next = bits::<2>(2);
        }
        if self.phase.q.val() == bits::<2>(2) {
            self.phase.d.next = bits::<2>(3);
        }
    }

    /// The queue counts what is inside.
    fn queue(&mut self) {
        if self.take.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
            self.touched.d.next = true;
        }
        if self.pushes.val() && !self.take.val() {
            self.inside.d.next = self.inside.q.val() + bits::<6>(1);
        }
        if !self.pushes.val() && self.take.val() {
            self.inside.d.next = self.inside.q.val() - bits::<6>(1);
        }
        if self.opens.val() {
            self.inside.d.next = bits::<6>(0);
            self.head.d.next = self.tail.q.val();
            self.tail.d.next = self.tail.q.val();
            self.update_r.d.next = false;
            self.phase.d.next = bits::<2>(0);
        }
    }

    /// Depths of the row are read, and that of the beat goes among them.
    fn row_depths(&mut self) {
        self.at.next = self.place.number.val().get_bits::<13>(0);
        self.at_row.next = self.row_now.val().get_bits::<13>(0);
        self.knowns.read_address.next = self.at_row.val();
        self.record_heads.read_address.next = self.at.val();
        self.records_low.read_address.next = self.at.val();
        self.records_high.read_address.next = self.at.val();
        self.known_now.next = self.knowns.read_data.val().get_bits::<26>(0);
        self.head_now.next = self.record_heads.read_data.val().get_bits::<14>(0);
        self.low_now.next = self.records_low.read_data.val().get_bits::<48>(0);
        self.high_now.next = self.records_high.read_data.val().get_bits::<48>(0);
        self.half_now.next = self.in_row.val().get_bits::<3>(1);
        for k in 0..8 {
            clock!(self, clock, rows[k]);
            self.rows[k].read_address.next = self.at_row.val();
            self.even[k].clock.next = self.clock.val();
            self.odd[k].clock.next = self.clock.val();
            self.even[k].d.next = self.even[k].q.val();
            self.odd[k].d.next = self.odd[k].q.val();
            if self.take.val() && self.place.kept.val() && (self.half_now.val() == k.to_bits::<3>()) {
                if self.in_row.val().get_bit(0) {
                    self.odd[k].d.next = self.first_depth.val();
                } else {
                    self.even[k].d.next = self.first_depth.val();
                }
            }
            if self.phase.q.val() == bits::<2>(1) {
                self.even[k].d.next = self.rows[k].read_data.val().get_bits::<24>(0);
                self.odd[k].d.next = self.rows[k].read_data.val().get_bits::<24>(24);
            }
        }
        for r in 0..4 {
            dff_setup!(self, clock, row_most[r]);
        }
    }

    /// The row comes with what is known of it and of its group.
    fn rows(&mut self) {
        if self.take.val() && self.place.kept.val() {
            self.valid.d.next = self.valid.q.val() | (bits::<16>(1) << bit_cast::<16, 4>(self.in_row.val()));
            self.changed.d.next = true;
        }
        if self.phase.q.val() == bits::<2>(1) {
            self.phase.d.next = bits::<2>(0);
            self.resident.d.next = true;
            self.row.d.next = self.row_now.val();
            self.group.d.next = self.place.number.val();
            self.block.d.next = self.block_now.val();
            self.valid.d.next = bits::<16>(0);
            if (self.known_now.val().get_bits::<10>(16) == self.pass.q.val()) || self.fault_back_unknown.val() {
                self.valid.d.next = self.known_now.val().get_bits::<16>(0);
            }
            self.row_known.d.next = bits::<4>(0);
            if self.head_now.val().get_bits::<10>(4) == self.pass.q.val() {
                self.row_known.d.next = self.head_now.val().get_bits::<4>(0);
            }
            self.row_most[0].d.next = self.low_now.val().get_bits::<24>(0);
            self.row_most[1].d.next = self.low_now.val().get_bits::<24>(24);
            self.row_most[2].d.next = self.high_now.val().get_bits::<24>(0);
            self.row_most[3].d.next = self.high_now.val().get_bits::<24>(24);
        }
        if self.opens.val() {
            self.phase.d.next = bits::<2>(0);
            self.resident.d.next = false;
        }
    }

    /// The farthest depth of the row is found.
    fn row_farthest(&mut self) {
        self.far.next = self.clear.q.val();
        if self.down.q.val() {
            self.far.next = !self.clear.q.val();
        }
        if self.loads.q.val() {
            self.far.next = bits::<24>(0xFF_FFFF);
        }
        for h in 0..8 {
            self.held_even[h].next = self.far.val();
            self.held_odd[h].next = self.far.val();
            if self.valid.q.val().get_bit(2 * h) {
                self.held_even[h].next = self.even[h].q.val();
            }
            if self.valid.q.val().get_bit(2 * h + 1) {
                self.held_odd[h].next = self.odd[h].q.val();
            }
            self.half[h].next = self.held_even[h].val();
            if self.held_odd[h].val() > self.held_even[h].val() {
                self.half[h].next = self.held_odd[h].val();
            }
        }
        for q in 0..4 {
            self.quarter[q].clock.next = self.clock.val();
        }
        self.quarter[0].d.next = self.half[0].val();
        if self.half[1].val() > self.half[0].val() {
            self.quarter[0].d.next = self.half[1].val();
        }
        self.quarter[1].d.next = self.half[2].val();
        if self.half[3].val() > self.half[2].val() {
            self.quarter[1].d.next = self.half[3].val();
        }
        self.quarter[2].d.next = self.half[4].val();
        if self.half[5].val() > self.half[4].val() {
            self.quarter[2].d.next = self.half[5].val();
        }
        self.quarter[3].d.next = self.half[6].val();
        if self.half[7].val() > self.half[6].val() {
            self.quarter[3].d.next = self.half[7].val();
        }
        self.whole.next = self.quarter[0].q.val();
        for q in 1..4 {
            if self.quarter[q].q.val() > self.whole.val() {
                self.whole.next = self.quarter[q].q.val();
            }
        }
    }

    /// The farthest depth of the group is found.
    fn farthest(&mut self) {
        // The group's rows: those that it has.
        self.last_row.next = bits::<3>(1);
        if self.samples.q.val() == bits::<2>(1) {
            self.last_row.next = bits::<3>(2);
        }
        if self.samples.q.val().get_bit(1) {
            self.last_row.next = bits::<3>(4);
        }
        self.rows_known.next = self.row_known.q.val() | (bits::<4>(1) << bit_cast::<4, 2>(self.block.q.val()));
        self.most.next = self.whole.val();
        for r in 0..4 {
            self.of_rows[r].next = self.far.val();
            if self.rows_known.val().get_bit(r) {
                self.of_rows[r].next = self.row_most[r].q.val();
            }
            if self.block.q.val() == r.to_bits::<2>() {
                self.of_rows[r].next = self.whole.val();
            }
            if (self.last_row.val() > r.to_bits::<3>())
                && (self.of_rows[r].val() > self.most.val())
                && !self.fault_back_row.val()
            {
                self.most.next = self.of_rows[r].val();
            }
        }
    }

    /// The bound is made, and depths of the row are written.
    fn row_writes(&mut self) {
        self.writes.next = (self.phase.q.val() == bits::<2>(3)) && !self.opens.val();
        self.bound_new.next = bits::<35>(0);
        self.bound_new.next.set_value_back_depth(self.most.val());
        self.bound_new.next.set_value_back_pass(self.pass.q.val());
        self.bound_new.next.set_value_back_down(self.down.q.val());
        for k in 0..8 {
            self.rows[k].write_enable.next = self.writes.val();
            self.rows[k].write_address.next = self.row.q.val().get_bits::<13>(0);
        }
        self.rows[0].write_data.next =
            bit_cast::<64, 24>(self.even[0].q.val()) | (bit_cast::<64, 24>(self.odd[0].q.val()) << bits::<64>(24));
        self.rows[1].write_data.next =
            bit_cast::<64, 24>(self.even[1].q.val()) | (bit_cast::<64, 24>(self.odd[1].q.val()) << bits::<64>(24));
        self.rows[2].write_data.next =
            bit_cast::<64, 24>(self.even[2].q.val()) | (bit_cast::<64, 24>(self.odd[2].q.val()) << bits::<64>(24));
        self.rows[3].write_data.next =
            bit_cast::<64, 24>(self.even[3].q.val()) | (bit_cast::<64, 24>(self.odd[3].q.val()) << bits::<64>(24));
        self.rows[4].write_data.next =
            bit_cast::<64, 24>(self.even[4].q.val()) | (bit_cast::<64, 24>(self.odd[4].q.val()) << bits::<64>(24));
        self.rows[5].write_data.next =
            bit_cast::<64, 24>(self.even[5].q.val()) | (bit_cast::<64, 24>(self.odd[5].q.val()) << bits::<64>(24));
        self.rows[6].write_data.next =
            bit_cast::<64, 24>(self.even[6].q.val()) | (bit_cast::<64, 24>(self.odd[6].q.val()) << bits::<64>(24));
        self.rows[7].write_data.next =
            bit_cast::<64, 24>(self.even[7].q.val()) | (bit_cast::<64, 24>(self.odd[7].q.val()) << bits::<64>(24));
    }

    /// Records and bounds are written or swept.
    fn writes(&mut self) {
        self.knowns.write_enable.next = self.writes.val() || self.sweeping.q.val();
        self.knowns.write_address.next = self.row.q.val().get_bits::<13>(0);
        self.knowns.write_data.next =
            bit_cast::<64, 16>(self.valid.q.val()) | (bit_cast::<64, 10>(self.pass.q.val()) << bits::<64>(16));
        self.record_heads.write_enable.next = self.writes.val() || self.sweeping.q.val();
        self.record_heads.write_address.next = self.group.q.val().get_bits::<13>(0);
        self.record_heads.write_data.next =
            bit_cast::<64, 4>(self.rows_known.val()) | (bit_cast::<64, 10>(self.pass.q.val()) << bits::<64>(4));
        self.records_low.write_enable.next = self.writes.val();
        self.records_low.write_address.next = self.group.q.val().get_bits::<13>(0);
        self.records_low.write_data.next =
            bit_cast::<64, 24>(self.of_rows[0].val()) | (bit_cast::<64, 24>(self.of_rows[1].val()) << bits::<64>(24));
        self.records_high.write_enable.next = self.writes.val();
        self.records_high.write_address.next = self.group.q.val().get_bits::<13>(0);
        self.records_high.write_data.next =
            bit_cast::<64, 24>(self.of_rows[2].val()) | (bit_cast::<64, 24>(self.of_rows[3].val()) << bits::<64>(24));
        for r in 0..self._readers {
            clock!(self, clock, bounds[r]);
            self.bounds[r].write_enable.next = self.writes.val() || self.sweeping.q.val();
            self.bounds[r].write_address.next = self.group.q.val().get_bits::<13>(0);
            self.bounds[r].write_data.next = bit_cast::<64, 35>(self.bound_new.val());
        }
        if self.sweeping.q.val() {
            self.knowns.write_address.next = self.sweep.q.val();
            self.knowns.write_data.next = bits::<64>(0);
            self.record_heads.write_address.next = self.sweep.q.val();
            self.record_heads.write_data.next = bits::<64>(0);
            for r in 0..self._readers {
                self.bounds[r].write_address.next = self.sweep.q.val();
                self.bounds[r].write_data.next = bits::<64>(0);
            }
        }
        if self.writes.val() {
            self.phase.d.next = bits::<2>(0);
            self.changed.d.next = false;
            self.row_known.d.next = self.rows_known.val();
            for r in 0..4 {
                self.row_most[r].d.next = self.of_rows[r].val();
            }
        }
    }

    /// What was heard is in the bounds.
    fn settles(&mut self) {
        // What was written a few cycles ago is in the queue; then what is there now is taken.
        if self.settle.val() {
            self.settling.d.next = true;
            self.soon.d.next = bits::<2>(3);
        }
        if self.settling.q.val() && self.soon.q.val().any() {
            self.soon.d.next = self.soon.q.val() - bits::<2>(1);
            self.left.d.next = self.inside.q.val();
            if self.take.val() {
                self.left.d.next = self.inside.q.val() - bits::<6>(1);
            }
        }
        if self.settling.q.val() && !self.soon.q.val().any() {
            if self.take.val() && self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - bits::<6>(1);
            }
            if !self.left.q.val().any() {
                self.flushes.d.next = true;
            }
        }
        if self.opens.val() {
            self.left.d.next = bits::<6>(0);
        }
        self.settled.next = self.flushes.q.val()
            && (self.phase.q.val() == bits::<2>(0))
            && !self.changed.q.val()
            && !self.sweeping.q.val()
            && !self.turns.val();
        if self.settled.val() {
            self.settling.d.next = false;
            self.flushes.d.next = false;
        }
    }

    /// What is known, for those who ask.
    fn readers(&mut self) {
        for r in 0..self._readers {
            GroupAskIn::link(&mut self.read[r], &mut self.read_place[r].place_ports);
            self.read_place[r].pitch.next = self.pitch.q.val();
            self.read_place[r].samples.next = self.samples.q.val();
            self.bounds[r].read_address.next = self.read_place[r].number.val().get_bits::<13>(0);
            self.read_kept[r].clock.next = self.clock.val();
            self.read_kept[r].d.next = self.read_place[r].kept.val();
            self.bound_word[r].next = self.bounds[r].read_data.val().get_bits::<35>(0);
        }
        for r in 0..self._readers {
            self.known[r].next =
                self.read_kept[r].q.val() && (self.bound_word[r].val().get_bits::<10>(24) == self.pass.q.val());
            self.bound[r].next = self.bound_word[r].val().get_bits::<24>(0);
            self.bound_down[r].next = self.bound_word[r].val().get_bit(34);
        }
    }
}
