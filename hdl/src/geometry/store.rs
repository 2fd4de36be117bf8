//! Attribute store and set-up store: words of vertices, who holds them, and the records of
//! triangles (docs/graphics-blocks.md, "Vertices and triangles").
//!
//! Two copies of the vertices' words: one is read by the engine, one for fragments. References are
//! counted one after the other, two cycles each: the engine's first, then what the vertex front end
//! takes and drops, then what a record that is done with gives back. A question about a triangle is
//! answered two cycles later, one per cycle.
//!
//! It can be wrong in a count: an entry is then given twice while a fragment reads it, or never
//! again; `tests/geometry.rs` counts beside it.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;
use crate::ports::{StateWriteIn, StoreAnswerOut, StoreReadIn, VertexWordIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryStore {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states: 33 and 34, which varyings are flat.
    pub state: StateWriteIn,
    // Vertex warps and their front end.
    /// A vertex warp writes a word.
    pub vw_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub vw_ready: Signal<Out, bool>,
    /// The word.
    pub vw: VertexWordIn,
    /// These vertices are shaded. Always heard.
    pub shaded_valid: Signal<In, bool>,
    /// Which of the four.
    pub shaded_mask: Signal<In, Bits<4>>,
    /// Their entries.
    pub shaded_entry: Vec<Signal<In, Bits<6>>>,
    /// An entry is free, beside sixteen for clipping.
    pub entry_valid: Signal<Out, bool>,
    /// Its number.
    pub entry: Signal<Out, Bits<6>>,
    /// It is taken, if it is offered; its count is 1.
    pub entry_take: Signal<In, bool>,
    /// The front end gives a reference back.
    pub drop_valid: Signal<In, bool>,
    /// It is heard in this cycle if valid.
    pub drop_ready: Signal<Out, bool>,
    /// The entry.
    pub drop_entry: Signal<In, Bits<6>>,
    // The engine.
    /// Word of a vertex that is read: entry in 11:6.
    pub read_address: Signal<In, Bits<12>>,
    /// It, a cycle later.
    pub read_data: Signal<Out, Bits<32>>,
    /// A word is written; goes before vertex warps.
    pub write: Signal<In, bool>,
    /// Which one.
    pub write_address: Signal<In, Bits<12>>,
    /// The word.
    pub write_data: Signal<In, Bits<32>>,
    /// Whether an entry's vertex is shaded: the entry.
    pub query: Signal<In, Bits<6>>,
    /// It is.
    pub is_shaded: Signal<Out, bool>,
    /// An entry is kept for clipping; its count is 1.
    pub spare: Signal<Out, bool>,
    /// Its number.
    pub spare_entry: Signal<Out, Bits<6>>,
    /// It is taken.
    pub spare_take: Signal<In, bool>,
    /// A reference more or less; only with `count_ready`.
    pub count: Signal<In, bool>,
    /// One more.
    pub count_up: Signal<In, bool>,
    /// Of that entry.
    pub count_entry: Signal<In, Bits<6>>,
    /// What was to be counted has been.
    pub count_ready: Signal<Out, bool>,
    /// A record is free.
    pub handle_valid: Signal<Out, bool>,
    /// Its number.
    pub handle: Signal<Out, Bits<6>>,
    /// It is taken.
    pub handle_take: Signal<In, bool>,
    /// Its context.
    pub handle_context: Signal<In, Bits<3>>,
    /// A part of a record is written: 0 to 2 an edge, 3 its entries, 4 to 7 words 1 / w and 1 / S.
    pub record: Signal<In, bool>,
    /// Which part.
    pub record_part: Signal<In, Bits<3>>,
    /// Of which record.
    pub record_handle: Signal<In, Bits<6>>,
    /// An edge to the right.
    pub record_a: Signal<In, Bits<24>>,
    /// Down.
    pub record_b: Signal<In, Bits<24>>,
    /// At the corner.
    pub record_c: Signal<In, Bits<48>>,
    /// Entries 23:0, that of flat words in 23:18; or a word.
    pub record_data: Signal<In, Bits<32>>,
    // Fragments.
    /// A question.
    pub sr_valid: Signal<In, bool>,
    /// It is taken in this cycle: always.
    pub sr_ready: Signal<Out, bool>,
    /// The question.
    pub sr: StoreReadIn,
    /// An answer.
    pub sa_valid: Signal<Out, bool>,
    /// It.
    pub sa: StoreAnswerOut,
    /// Nobody needs a record any more. Always heard.
    pub free_valid: Signal<In, bool>,
    /// Which one.
    pub free_handle: Signal<In, Bits<6>>,
    /// Contexts that live records name.
    pub contexts: Signal<Out, Bits<8>>,
    /// No record lives.
    pub idle: Signal<Out, bool>,
    words: Ram,
    copies: Ram,
    counts: Ram,
    edge_low: Ram,
    edge_middle: Ram,
    edge_high: Ram,
    reciprocals: Ram,
    entries: Ram,
    entries_back: Ram,
    flat: LutRam,
    done: DFF<Bits<4>>,
    shaded: DFF<Bits<64>>,
    used: DFF<Bits<64>>,
    taken: DFF<Bits<7>>,
    pick: DFF<Bits<6>>,
    picked: DFF<bool>,
    // What the engine wants counted, and the entry that is kept for it.
    wanted: DFF<bool>,
    wanted_up: DFF<bool>,
    wanted_entry: DFF<Bits<6>>,
    kept: DFF<bool>,
    kept_entry: DFF<Bits<6>>,
    // The reference that is counted.
    busy: DFF<bool>,
    kind: DFF<Bits<2>>,
    at: DFF<Bits<6>>,
    // Records.
    live: DFF<Bits<64>>,
    handle_pick: DFF<Bits<6>>,
    handle_picked: DFF<bool>,
    ending: DFF<Bits<64>>,
    giving: DFF<bool>,
    part: DFF<Bits<3>>,
    given: DFF<Bits<6>>,
    of_context: Vec<DFF<Bits<7>>>,
    // Questions.
    valid1: DFF<bool>,
    source1: DFF<Bits<4>>,
    edge1: DFF<bool>,
    corner1: DFF<Bits<2>>,
    word1: DFF<Bits<6>>,
    valid2: DFF<bool>,
    source2: DFF<Bits<4>>,
    other2: DFF<bool>,
    low2: DFF<Bits<32>>,
    middle2: DFF<Bits<32>>,
    high2: DFF<Bits<32>>,
    word2: DFF<Bits<32>>,
    pending: Signal<Local, Bits<4>>,
    lane: Signal<Local, Bits<4>>,
    lane_entry: Signal<Local, Bits<6>>,
    lane_data: Signal<Local, Bits<32>>,
    lane_write: Signal<Local, bool>,
    accept: Signal<Local, bool>,
    keep: Signal<Local, bool>,
    offer: Signal<Local, bool>,
    next_shaded: Signal<Local, Bits<64>>,
    next_used: Signal<Local, Bits<64>>,
    next_live: Signal<Local, Bits<64>>,
    next_ending: Signal<Local, Bits<64>>,
    bit: Signal<Local, Bits<64>>,
    found: Signal<Local, bool>,
    first: Signal<Local, Bits<6>>,
    handle_found: Signal<Local, bool>,
    handle_first: Signal<Local, Bits<6>>,
    ending_found: Signal<Local, bool>,
    ending_first: Signal<Local, Bits<6>>,
    back_entry: Signal<Local, Bits<6>>,
    back_context: Signal<Local, Bits<3>>,
    back_ready: Signal<Local, bool>,
    ones: Signal<Local, Bits<64>>,
    next_at: Signal<Local, Bits<6>>,
    value: Signal<Local, Bits<32>>,
    gone: Signal<Local, bool>,
    varying: Signal<Local, Bits<6>>,
    asked: Signal<Local, Bits<64>>,
    flats: Signal<Local, Bits<32>>,
    is_flat: Signal<Local, bool>,
    chosen: Signal<Local, Bits<6>>,
    fault_geometry_free_early: Planted,
    fault_geometry_flat: Planted,
    fault_geometry_leak: Planted,
    _active: bool,
}

impl GeometryStore {
    /// All free, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            shaded_entry: vector(4),
            words: Ram::new(4096),
            copies: Ram::new(4096),
            counts: Ram::new(64),
            edge_low: Ram::new(256),
            edge_middle: Ram::new(256),
            edge_high: Ram::new(256),
            reciprocals: Ram::new(256),
            entries: Ram::new(64),
            entries_back: Ram::new(64),
            of_context: vector(8),
            fault_geometry_free_early: Planted::new(config.has(Fault::GeometryFreeEarly)),
            fault_geometry_flat: Planted::new(config.has(Fault::GeometryFlat)),
            fault_geometry_leak: Planted::new(config.has(Fault::GeometryLeak)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for GeometryStore {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: geometry_store");
        dff_setup!(
            self,
            clock,
            wanted,
            wanted_up,
            wanted_entry,
            kept,
            kept_entry,
            done,
            shaded,
            used,
            taken,
            pick,
            picked,
            busy,
            kind,
            at,
            live,
            handle_pick,
            handle_picked,
            ending,
            giving,
            part,
            given,
            valid1,
            source1,
            edge1,
            corner1,
            word1,
            valid2,
            source2,
            other2,
            low2,
            middle2,
            high2,
            word2
        );
        clock!(self, clock, words, copies, counts, edge_low, edge_middle, edge_high, reciprocals, entries);
        clock!(self, clock, entries_back, flat);

        self.ones.next = bits::<64>(0) - bits::<64>(1);
        // Words of vertices: a lane in a cycle, behind the engine.
        self.pending.next = self.vw.mask.val() & (self.done.q.val() ^ bits::<4>(15));
        self.lane.next = bits::<4>(0);
        self.lane_entry.next = self.vw.entry[3].val();
        self.lane_data.next = self.vw.data[3].val();
        if self.pending.val().get_bit(3) {
            self.lane.next = bits::<4>(8);
        }
        if self.pending.val().get_bit(2) {
            self.lane.next = bits::<4>(4);
            self.lane_entry.next = self.vw.entry[2].val();
            self.lane_data.next = self.vw.data[2].val();
        }
        if self.pending.val().get_bit(1) {
            self.lane.next = bits::<4>(2);
            self.lane_entry.next = self.vw.entry[1].val();
            self.lane_data.next = self.vw.data[1].val();
        }
        if self.pending.val().get_bit(0) {
            self.lane.next = bits::<4>(1);
            self.lane_entry.next = self.vw.entry[0].val();
            self.lane_data.next = self.vw.data[0].val();
        }
        self.lane_write.next = self.vw_valid.val() && self.pending.val().any() && !self.write.val();
        self.vw_ready.next = (self.pending.val() == self.lane.val()) && !self.write.val();
        if self.lane_write.val() {
            self.done.d.next = self.done.q.val() | self.lane.val();
        }
        if self.vw_valid.val() && (self.pending.val() == self.lane.val()) && !self.write.val() {
            self.done.d.next = bits::<4>(0);
        }
        self.words.write_enable.next = self.lane_write.val() || self.write.val();
        self.words.write_address.next =
            (bit_cast::<12, 6>(self.lane_entry.val()) << bits::<12>(6)) | bit_cast::<12, 6>(self.vw.word.val());
        self.words.write_data.next = self.lane_data.val();
        if self.write.val() {
            self.words.write_address.next = self.write_address.val();
            self.words.write_data.next = self.write_data.val();
        }
        self.copies.write_enable.next = self.lane_write.val() || self.write.val();
        self.copies.write_address.next =
            (bit_cast::<12, 6>(self.lane_entry.val()) << bits::<12>(6)) | bit_cast::<12, 6>(self.vw.word.val());
        self.copies.write_data.next = self.lane_data.val();
        if self.write.val() {
            self.copies.write_address.next = self.write_address.val();
            self.copies.write_data.next = self.write_data.val();
        }
        self.words.read_address.next = self.read_address.val();
        self.read_data.next = self.words.read_data.val();

        // Free entries: one is picked, and picked anew after it was taken.
        self.found.next = false;
        self.first.next = bits::<6>(0);
        self.handle_found.next = false;
        self.handle_first.next = bits::<6>(0);
        self.ending_found.next = false;
        self.ending_first.next = bits::<6>(0);
        for i in 0..64 {
            if !self.used.q.val().get_bit(i) && !self.found.val() {
                self.found.next = true;
                self.first.next = i.to_bits::<6>();
            }
            if !self.live.q.val().get_bit(i) && !self.handle_found.val() {
                self.handle_found.next = true;
                self.handle_first.next = i.to_bits::<6>();
            }
            if self.ending.q.val().get_bit(i) && !self.ending_found.val() {
                self.ending_found.next = true;
                self.ending_first.next = i.to_bits::<6>();
            }
        }
        self.accept.next = !self.busy.q.val();
        self.count_ready.next = !self.wanted.q.val();
        self.offer.next = self.picked.q.val() && self.accept.val() && !self.wanted.q.val();
        self.keep.next = self.offer.val() && !self.kept.q.val();
        self.spare.next = self.kept.q.val();
        self.spare_entry.next = self.kept_entry.q.val();
        self.entry.next = self.pick.q.val();
        self.entry_valid.next = self.offer.val() && self.kept.q.val() && (self.taken.q.val() < bits::<7>(48));
        self.drop_ready.next = self.accept.val() && !self.wanted.q.val() && !self.keep.val() && !self.entry_take.val();
        self.back_ready.next = self.accept.val()
            && !self.wanted.q.val()
            && !self.keep.val()
            && !self.entry_take.val()
            && !self.drop_valid.val();
        if self.spare_take.val() {
            self.kept.d.next = false;
        }
        if self.count.val() {
            self.wanted.d.next = true;
            self.wanted_up.d.next = self.count_up.val();
            self.wanted_entry.d.next = self.count_entry.val();
        }
        self.pick.d.next = self.first.val();
        self.picked.d.next = self.found.val();

        // One reference at a time: read, then write. 0 is a new entry, 1 one more, 2 one less.
        self.busy.d.next = false;
        self.next_at.next = self.at.q.val();
        self.next_used.next = self.used.q.val();
        self.next_shaded.next = self.shaded.q.val();
        self.back_entry.next = self.entries_back.read_data.val().get_bits::<6>(0);
        if self.part.q.val() == bits::<3>(1) {
            self.back_entry.next = self.entries_back.read_data.val().get_bits::<6>(6);
        }
        if self.part.q.val() == bits::<3>(2) {
            self.back_entry.next = self.entries_back.read_data.val().get_bits::<6>(12);
        }
        if self.part.q.val() == bits::<3>(3) {
            self.back_entry.next = self.entries_back.read_data.val().get_bits::<6>(18);
        }
        if self.giving.q.val() && self.back_ready.val() {
            self.busy.d.next = true;
            self.kind.d.next = bits::<2>(2);
            self.next_at.next = self.back_entry.val();
            self.part.d.next = self.part.q.val() + bits::<3>(1);
        }
        if self.drop_valid.val() && self.drop_ready.val() {
            self.busy.d.next = true;
            self.kind.d.next = bits::<2>(2);
            self.next_at.next = self.drop_entry.val();
        }
        if (self.entry_take.val() && self.entry_valid.val()) || self.keep.val() {
            self.busy.d.next = true;
            self.kind.d.next = bits::<2>(0);
            self.next_at.next = self.pick.q.val();
            self.next_used.next = self.used.q.val() | (bits::<64>(1) << bit_cast::<64, 6>(self.pick.q.val()));
            self.next_shaded.next =
                self.shaded.q.val() & ((bits::<64>(1) << bit_cast::<64, 6>(self.pick.q.val())) ^ self.ones.val());
            self.taken.d.next = self.taken.q.val() + bits::<7>(1);
            self.picked.d.next = false;
        }
        if self.keep.val() {
            self.kept.d.next = true;
            self.kept_entry.d.next = self.pick.q.val();
        }
        if self.wanted.q.val() && self.accept.val() {
            self.busy.d.next = true;
            self.next_at.next = self.wanted_entry.q.val();
            self.kind.d.next = bits::<2>(2);
            if self.wanted_up.q.val() {
                self.kind.d.next = bits::<2>(1);
            }
            self.wanted.d.next = false;
        }
        self.at.d.next = self.next_at.val();
        self.counts.read_address.next = bit_cast::<12, 6>(self.next_at.val());
        self.value.next = bits::<32>(1);
        if self.kind.q.val() == bits::<2>(1) {
            self.value.next = self.counts.read_data.val() + bits::<32>(1);
        }
        if self.kind.q.val() == bits::<2>(2) {
            self.value.next = self.counts.read_data.val() - bits::<32>(1);
        }
        self.counts.write_address.next = bit_cast::<12, 6>(self.at.q.val());
        self.counts.write_data.next = self.value.val();
        self.counts.write_enable.next = self.busy.q.val();
        self.gone.next = self.busy.q.val()
            && (self.kind.q.val() == bits::<2>(2))
            && (!self.value.val().any()
                || (self.fault_geometry_free_early.val() && (self.value.val() == bits::<32>(1))));
        if self.gone.val() {
            self.next_used.next =
                self.next_used.val() & ((bits::<64>(1) << bit_cast::<64, 6>(self.at.q.val())) ^ self.ones.val());
            self.taken.d.next = self.taken.q.val() - bits::<7>(1);
        }
        self.used.d.next = self.next_used.val();
        if self.shaded_valid.val() {
            if self.shaded_mask.val().get_bit(0) {
                self.next_shaded.next =
                    self.next_shaded.val() | (bits::<64>(1) << bit_cast::<64, 6>(self.shaded_entry[0].val()));
            }
            if self.shaded_mask.val().get_bit(1) {
                self.next_shaded.next =
                    self.next_shaded.val() | (bits::<64>(1) << bit_cast::<64, 6>(self.shaded_entry[1].val()));
            }
            if self.shaded_mask.val().get_bit(2) {
                self.next_shaded.next =
                    self.next_shaded.val() | (bits::<64>(1) << bit_cast::<64, 6>(self.shaded_entry[2].val()));
            }
            if self.shaded_mask.val().get_bit(3) {
                self.next_shaded.next =
                    self.next_shaded.val() | (bits::<64>(1) << bit_cast::<64, 6>(self.shaded_entry[3].val()));
            }
        }
        self.shaded.d.next = self.next_shaded.val();
        self.asked.next = self.shaded.q.val() >> bit_cast::<64, 6>(self.query.val());
        self.is_shaded.next = self.asked.val().get_bit(0);

        // Records: taken, written, given back.
        // The record that is offered stays the same until it is taken: the engine reads its number
        // before.
        if !self.handle_picked.q.val() {
            self.handle_pick.d.next = self.handle_first.val();
            self.handle_picked.d.next = self.handle_found.val();
        }
        self.handle_valid.next = self.handle_picked.q.val();
        self.handle.next = self.handle_pick.q.val();
        self.next_live.next = self.live.q.val();
        self.next_ending.next = self.ending.q.val();
        self.back_context.next = self.entries_back.read_data.val().get_bits::<3>(24);
        for k in 0..8 {
            self.of_context[k].clock.next = self.clock.val();
            self.of_context[k].d.next = self.of_context[k].q.val();
        }
        if self.handle_take.val() {
            self.next_live.next = self.live.q.val() | (bits::<64>(1) << bit_cast::<64, 6>(self.handle_pick.q.val()));
            self.handle_picked.d.next = false;
        }
        // The fourth reference of a record goes: the record is free.
        self.bit.next = bits::<64>(1) << bit_cast::<64, 6>(self.given.q.val());
        self.entries_back.read_address.next = bit_cast::<12, 6>(self.given.q.val());
        if !self.giving.q.val() && self.ending_found.val() && (self.part.q.val() == bits::<3>(0)) {
            self.given.d.next = self.ending_first.val();
            self.entries_back.read_address.next = bit_cast::<12, 6>(self.ending_first.val());
            self.giving.d.next = true;
            self.next_ending.next =
                self.ending.q.val() & ((bits::<64>(1) << bit_cast::<64, 6>(self.ending_first.val())) ^ self.ones.val());
        }
        for k in 0..8 {
            if self.handle_take.val() && (self.handle_context.val() == k.to_bits::<3>()) {
                self.of_context[k].d.next = self.of_context[k].q.val() + bits::<7>(1);
            }
        }
        if self.giving.q.val() && self.back_ready.val() && (self.part.q.val() == bits::<3>(3)) {
            self.giving.d.next = false;
            self.part.d.next = bits::<3>(0);
            if !self.fault_geometry_leak.val() {
                self.next_live.next = self.next_live.val() & (self.bit.val() ^ self.ones.val());
            }
            for k in 0..8 {
                if self.back_context.val() == k.to_bits::<3>() {
                    self.of_context[k].d.next = self.of_context[k].q.val() - bits::<7>(1);
                    if self.handle_take.val() && (self.handle_context.val() == k.to_bits::<3>()) {
                        self.of_context[k].d.next = self.of_context[k].q.val();
                    }
                }
            }
        }
        if self.free_valid.val() {
            self.next_ending.next =
                self.next_ending.val() | (bits::<64>(1) << bit_cast::<64, 6>(self.free_handle.val()));
        }
        self.live.d.next = self.next_live.val();
        self.ending.d.next = self.next_ending.val();
        self.contexts.next = bits::<8>(0);
        for k in 0..8 {
            if self.of_context[k].q.val().any() {
                self.contexts.next = self.contexts.val() | (bits::<8>(1) << k.to_bits::<8>());
            }
        }
        self.idle.next = !self.live.q.val().any();

        self.edge_low.write_enable.next = self.record.val() && (self.record_part.val() < bits::<3>(3));
        self.edge_middle.write_enable.next = self.record.val() && (self.record_part.val() < bits::<3>(3));
        self.edge_high.write_enable.next = self.record.val() && (self.record_part.val() < bits::<3>(3));
        self.edge_low.write_address.next = (bit_cast::<12, 6>(self.record_handle.val()) << bits::<12>(2))
            | bit_cast::<12, 2>(self.record_part.val().get_bits::<2>(0));
        self.edge_middle.write_address.next = (bit_cast::<12, 6>(self.record_handle.val()) << bits::<12>(2))
            | bit_cast::<12, 2>(self.record_part.val().get_bits::<2>(0));
        self.edge_high.write_address.next = (bit_cast::<12, 6>(self.record_handle.val()) << bits::<12>(2))
            | bit_cast::<12, 2>(self.record_part.val().get_bits::<2>(0));
        self.edge_low.write_data.next = bit_cast::<32, 24>(self.record_a.val())
            | (bit_cast::<32, 8>(self.record_b.val().get_bits::<8>(0)) << bits::<32>(24));
        self.edge_middle.write_data.next = bit_cast::<32, 16>(self.record_b.val().get_bits::<16>(8))
            | (bit_cast::<32, 16>(self.record_c.val().get_bits::<16>(0)) << bits::<32>(16));
        self.edge_high.write_data.next = self.record_c.val().get_bits::<32>(16);
        self.entries.write_enable.next = self.record.val() && (self.record_part.val() == bits::<3>(3));
        self.entries.write_address.next = bit_cast::<12, 6>(self.record_handle.val());
        self.entries.write_data.next = self.record_data.val();
        self.entries_back.write_enable.next = self.record.val() && (self.record_part.val() == bits::<3>(3));
        self.entries_back.write_address.next = bit_cast::<12, 6>(self.record_handle.val());
        self.entries_back.write_data.next = self.record_data.val();
        self.reciprocals.write_enable.next = self.record.val() && self.record_part.val().get_bit(2);
        self.reciprocals.write_address.next = (bit_cast::<12, 6>(self.record_handle.val()) << bits::<12>(2))
            | bit_cast::<12, 2>(self.record_part.val().get_bits::<2>(0));
        self.reciprocals.write_data.next = self.record_data.val();

        // Questions: the record, then the word of the vertex.
        self.sr_ready.next = true;
        self.edge_low.read_address.next =
            (bit_cast::<12, 6>(self.sr.handle.val()) << bits::<12>(2)) | bit_cast::<12, 2>(self.sr.corner.val());
        self.edge_middle.read_address.next =
            (bit_cast::<12, 6>(self.sr.handle.val()) << bits::<12>(2)) | bit_cast::<12, 2>(self.sr.corner.val());
        self.edge_high.read_address.next =
            (bit_cast::<12, 6>(self.sr.handle.val()) << bits::<12>(2)) | bit_cast::<12, 2>(self.sr.corner.val());
        self.reciprocals.read_address.next =
            (bit_cast::<12, 6>(self.sr.handle.val()) << bits::<12>(2)) | bit_cast::<12, 2>(self.sr.corner.val());
        self.entries.read_address.next = bit_cast::<12, 6>(self.sr.handle.val());
        self.valid1.d.next = self.sr_valid.val();
        self.source1.d.next = self.sr.source.val();
        self.edge1.d.next = self.sr.edge.val();
        self.corner1.d.next = self.sr.corner.val();
        self.word1.d.next = self.sr.word.val();
        self.varying.next = self.word1.q.val() - bits::<6>(4);
        self.flat.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && ((self.state.word.val() == bits::<6>(33)) || (self.state.word.val() == bits::<6>(34)));
        self.flat.write_address.next = bit_cast::<4, 3>(self.state.context.val()) << bits::<4>(1);
        if self.state.word.val() == bits::<6>(34) {
            self.flat.write_address.next = (bit_cast::<4, 3>(self.state.context.val()) << bits::<4>(1)) | bits::<4>(1);
        }
        self.flat.write_data.next = self.state.data.val();
        self.flat.read_address.next = (bit_cast::<4, 3>(self.entries.read_data.val().get_bits::<3>(24))
            << bits::<4>(1))
            | bit_cast::<4, 1>(self.varying.val().get_bits::<1>(5));
        self.flats.next = self.flat.read_data.val() >> bit_cast::<32, 5>(self.varying.val().get_bits::<5>(0));
        self.is_flat.next = self.flats.val().get_bit(0) && !self.fault_geometry_flat.val();
        self.chosen.next = self.entries.read_data.val().get_bits::<6>(0);
        if self.corner1.q.val() == bits::<2>(1) {
            self.chosen.next = self.entries.read_data.val().get_bits::<6>(6);
        }
        if self.corner1.q.val() == bits::<2>(2) {
            self.chosen.next = self.entries.read_data.val().get_bits::<6>(12);
        }
        if self.is_flat.val() {
            self.chosen.next = self.entries.read_data.val().get_bits::<6>(18);
        }
        self.copies.read_address.next =
            (bit_cast::<12, 6>(self.chosen.val()) << bits::<12>(6)) | bit_cast::<12, 6>(self.word1.q.val());
        self.valid2.d.next = self.valid1.q.val();
        self.source2.d.next = self.source1.q.val();
        self.other2.d.next = self.word1.q.val() == bits::<6>(63);
        self.low2.d.next = self.edge_low.read_data.val();
        self.middle2.d.next = self.edge_middle.read_data.val();
        self.high2.d.next = self.edge_high.read_data.val();
        self.word2.d.next = self.reciprocals.read_data.val();
        self.sa_valid.next = self.valid2.q.val();
        self.sa.source.next = self.source2.q.val();
        self.sa.a.next = self.low2.q.val().get_bits::<24>(0);
        self.sa.b.next = bit_cast::<24, 8>(self.low2.q.val().get_bits::<8>(24))
            | (bit_cast::<24, 16>(self.middle2.q.val().get_bits::<16>(0)) << bits::<24>(8));
        self.sa.c.next = bit_cast::<48, 16>(self.middle2.q.val().get_bits::<16>(16))
            | (bit_cast::<48, 32>(self.high2.q.val()) << bits::<48>(16));
        self.sa.data.next = self.copies.read_data.val();
        if self.other2.q.val() {
            self.sa.data.next = self.word2.q.val();
        }
    }
}
