//! Attribute store and set-up store: words of vertices, who holds them, and the records of
//! triangles (docs/graphics-blocks.md, "Vertices and triangles").
//!
//! Two copies of the vertices' words: one is read by the view unit and the clipper, one for
//! fragments. References are counted by a part of its own. A record's free place comes out of a
//! queue; a record that is done with waits in another one, until its references are given back, one
//! per cycle. A question about a triangle is answered two cycles later, one per cycle.
//!
//! The word of a record's entries: corner 0 to 2 in 11:0, 23:12, 35:24, that of flat words in
//! 47:36, the context in 51:48; bit 52 says that the flat one has a reference of its own.
//!
//! It can be wrong in a reference that a record does not give back, and in an answer that belongs
//! to the question before; `tests/geometry.rs` counts and asks.
//!
//! Planted faults: `geometry-flat`, `geometry-leak`, `geometry-first`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::references::GeometryReferences;
use crate::base::Planted;
use crate::cell::{AsyncRam, DeepRam};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::NumberQueue;
use crate::ports::{
    DroppedEntryIn, EntryReferenceIn, FreeEntryOut, FreedHandleIn, RecordWriteIn, ShadedEntriesIn, SpareEntryOut,
    StateWriteIn, StoreAnswerOut, StoreReadIn, VertexWordIn,
};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryStore {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states: 33 and 34, which varyings are flat.
    pub state: StateWriteIn,
    // Vertex warps and their front end.
    /// Word of vertices, written by a vertex warp.
    pub vertex_word: VertexWordIn,
    /// A warp of vertices has ended.
    pub shaded_ports: ShadedEntriesIn,
    /// An entry of the vertex store for a vertex to be shaded.
    pub entry_ports: FreeEntryOut,
    /// An entry to which the front end gives up its reference.
    pub drop: DroppedEntryIn,
    // Assembly, view unit, clipper.
    /// A corner is taken, and counted in this cycle.
    pub corner_count: Signal<In, bool>,
    /// Its entry.
    pub corner_entry: Signal<In, Bits<12>>,
    /// It is the first that names the vertex.
    pub corner_fresh: Signal<Out, bool>,
    /// Whether an entry's vertex is shaded: the entry.
    pub query: Signal<In, Bits<12>>,
    /// The vertex is shaded.
    pub is_shaded: Signal<Out, bool>,
    /// Word of a vertex that is read: entry in 17:6.
    pub read_address: Signal<In, Bits<18>>,
    /// It, a cycle later.
    pub read_data: Signal<Out, Bits<32>>,
    /// The clipper writes a word; goes before vertex warps.
    pub write: Signal<In, bool>,
    /// Which one.
    pub write_address: Signal<In, Bits<18>>,
    /// The word.
    pub write_data: Signal<In, Bits<32>>,
    /// An entry of the vertex store for a vertex that clipping makes.
    pub spare_ports: SpareEntryOut,
    /// One reference more to an entry of the vertex store.
    pub ref_add: EntryReferenceIn,
    /// One reference less to an entry of the vertex store.
    pub ref_release: EntryReferenceIn,
    // Records.
    /// A record is free.
    pub handle_valid: Signal<Out, bool>,
    /// Its number.
    pub handle: Signal<Out, Bits<12>>,
    /// Writes of set-up into the record of a triangle.
    pub record_ports: RecordWriteIn,
    /// A record is free: its context is named once less.
    pub record_release_valid: Signal<Out, bool>,
    /// It is counted in this cycle if valid.
    pub record_release_ready: Signal<In, bool>,
    /// Its context.
    pub record_release_context: Signal<Out, Bits<4>>,
    // Fragments.
    /// Request for an edge or a word of a triangle's record.
    pub store_req: StoreReadIn,
    /// Response, two cycles after the request.
    pub store_rsp: StoreAnswerOut,
    /// The record of a triangle is free again.
    pub free_ports: FreedHandleIn,
    references: GeometryReferences,
    words: DeepRam<18, 32>,
    copies: DeepRam<18, 32>,
    edge_low: DeepRam<18, 32>,
    edge_middle: DeepRam<18, 32>,
    edge_high: DeepRam<18, 32>,
    reciprocals: DeepRam<18, 32>,
    entries: DeepRam,
    entries_back: DeepRam,
    flat: AsyncRam,
    done: DFF<Bits<4>>,
    // Free records; the one that is offered.
    records: NumberQueue,
    offered: DFF<bool>,
    offered_handle: DFF<Bits<12>>,
    // Records that are done with; the one whose references go back.
    ending: NumberQueue,
    have: DFF<bool>,
    releasing: DFF<bool>,
    part: DFF<Bits<2>>,
    released: DFF<Bits<12>>,
    released_entries: DFF<Bits<64>>,
    closing: DFF<bool>,
    closing_context: DFF<Bits<4>>,
    // Questions.
    valid1: DFF<bool>,
    source1: DFF<Bits<4>>,
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
    lane_entry: Signal<Local, Bits<12>>,
    lane_data: Signal<Local, Bits<32>>,
    lane_write: Signal<Local, bool>,
    writes: Signal<Local, bool>,
    written: Signal<Local, Bits<18>>,
    written_data: Signal<Local, Bits<32>>,
    edge_address: Signal<Local, Bits<18>>,
    asked_address: Signal<Local, Bits<18>>,
    refill: Signal<Local, bool>,
    record_release_entry: Signal<Local, Bits<12>>,
    last_part: Signal<Local, bool>,
    releases: Signal<Local, bool>,
    releases_last: Signal<Local, bool>,
    load: Signal<Local, bool>,
    varying: Signal<Local, Bits<6>>,
    flats: Signal<Local, Bits<32>>,
    is_flat: Signal<Local, bool>,
    chosen: Signal<Local, Bits<12>>,
    fault_geometry_flat: Planted,
    fault_geometry_leak: Planted,
    fault_geometry_first: Planted,
    _active: bool,
}

impl GeometryStore {
    /// All free, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        let records = config.records();
        Self {
            references: GeometryReferences::new(config),
            words: DeepRam::new(64 * config.vertices(), 32),
            copies: DeepRam::new(64 * config.vertices(), 32),
            edge_low: DeepRam::new(4 * records, 32),
            edge_middle: DeepRam::new(4 * records, 32),
            edge_high: DeepRam::new(4 * records, 32),
            reciprocals: DeepRam::new(4 * records, 32),
            entries: DeepRam::new(records, 53),
            entries_back: DeepRam::new(records, 53),
            flat: AsyncRam::new(2 * config.contexts, 32),
            records: NumberQueue::new(config, records, 12, records),
            ending: NumberQueue::new(config, records, 12, 0),
            fault_geometry_flat: Planted::new(config.has(Fault::GeometryFlat)),
            fault_geometry_leak: Planted::new(config.has(Fault::GeometryLeak)),
            fault_geometry_first: Planted::new(config.has(Fault::GeometryFirst)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryStore {
    /// A word of a vertex warp is taken lane by lane, behind the clipper.
    fn lane_choice(&mut self) {
        comment!("module: geometry_store");
        dff_setup!(self, clock, done, offered, offered_handle, have, releasing);
        dff_setup!(
            self,
            clock,
            part,
            released,
            released_entries,
            closing,
            closing_context,
            valid1,
            source1,
            corner1,
            word1
        );
        dff_setup!(self, clock, valid2, source2, other2, low2, middle2, high2, word2);
        clock!(self, clock, references, words, copies, edge_low, edge_middle, edge_high, reciprocals, entries);
        clock!(self, clock, entries_back, flat, records, ending);

        // A lane in a cycle, behind the clipper.
        self.pending.next = self.vertex_word.mask.val() & (self.done.q.val() ^ bits::<4>(15));
        self.lane.next = bits::<4>(0);
        self.lane_entry.next = self.vertex_word.entry[3].val();
        self.lane_data.next = self.vertex_word.data[3].val();
        if self.pending.val().get_bit(3) {
            self.lane.next = bits::<4>(8);
        }
        if self.pending.val().get_bit(2) {
            self.lane.next = bits::<4>(4);
            self.lane_entry.next = self.vertex_word.entry[2].val();
            self.lane_data.next = self.vertex_word.data[2].val();
        }
        if self.pending.val().get_bit(1) {
            self.lane.next = bits::<4>(2);
            self.lane_entry.next = self.vertex_word.entry[1].val();
            self.lane_data.next = self.vertex_word.data[1].val();
        }
        if self.pending.val().get_bit(0) {
            self.lane.next = bits::<4>(1);
            self.lane_entry.next = self.vertex_word.entry[0].val();
            self.lane_data.next = self.vertex_word.data[0].val();
        }
        self.lane_write.next = self.vertex_word.valid.val() && self.pending.val().any() && !self.write.val();
        self.vertex_word.ready.next = (self.pending.val() == self.lane.val()) && !self.write.val();
        if self.lane_write.val() {
            self.done.d.next = self.done.q.val() | self.lane.val();
        }
        if self.vertex_word.valid.val() && (self.pending.val() == self.lane.val()) && !self.write.val() {
            self.done.d.next = bits::<4>(0);
        }
    }

    /// Words of vertices are written to both memories, and read from one.
    fn words(&mut self) {
        self.writes.next = self.lane_write.val() || self.write.val();
        self.written.next = (bit_cast::<18, 12>(self.lane_entry.val()) << bits::<18>(6))
            | bit_cast::<18, 6>(self.vertex_word.word.val());
        self.written_data.next = self.lane_data.val();
        if self.write.val() {
            self.written.next = self.write_address.val();
            self.written_data.next = self.write_data.val();
        }
        self.words.write_enable.next = self.writes.val();
        self.words.write_address.next = self.written.val();
        self.words.write_data.next = self.written_data.val();
        self.copies.write_enable.next = self.writes.val();
        self.copies.write_address.next = self.written.val();
        self.copies.write_data.next = self.written_data.val();
        self.words.read_address.next = self.read_address.val();
        self.read_data.next = self.words.read_data.val();
    }

    /// The reference counters are connected to the ports of the store.
    fn reference_counts(&mut self) {
        self.references.corner_count.next = self.corner_count.val();
        self.references.corner_entry.next = self.corner_entry.val();
        self.corner_fresh.next = self.references.corner_fresh.val();
        EntryReferenceIn::link(&mut self.ref_add, &mut self.references.ref_add);
        DroppedEntryIn::link(&mut self.drop, &mut self.references.drop);
        EntryReferenceIn::link(&mut self.ref_release, &mut self.references.ref_release);
        FreeEntryOut::link(&mut self.entry_ports, &mut self.references.entry_ports);
        SpareEntryOut::link(&mut self.spare_ports, &mut self.references.spare_ports);
        ShadedEntriesIn::link(&mut self.shaded_ports, &mut self.references.shaded_ports);
        self.references.query.next = self.query.val();
        self.is_shaded.next = self.references.is_shaded.val();
    }

    /// A free record is offered, and stays the same until it is taken.
    fn free_records(&mut self) {
        self.refill.next = !self.offered.q.val() && self.records.valid.val();
        self.records.take.next = self.refill.val();
        if self.record_ports.handle_take.val() {
            self.offered.d.next = false;
        }
        if self.refill.val() {
            self.offered.d.next = true;
            self.offered_handle.d.next = self.records.number.val().get_bits::<12>(0);
        }
        self.handle_valid.next = self.offered.q.val();
        self.handle.next = self.offered_handle.q.val();
    }

    /// Edges, words and entries of a record are written.
    fn record_write(&mut self) {
        self.edge_address.next = (bit_cast::<18, 12>(self.record_ports.record_handle.val()) << bits::<18>(2))
            | bit_cast::<18, 2>(self.record_ports.edge_part.val());
        self.edge_low.write_enable.next = self.record_ports.edge_write.val();
        self.edge_middle.write_enable.next = self.record_ports.edge_write.val();
        self.edge_high.write_enable.next = self.record_ports.edge_write.val();
        self.edge_low.write_address.next = self.edge_address.val();
        self.edge_middle.write_address.next = self.edge_address.val();
        self.edge_high.write_address.next = self.edge_address.val();
        self.edge_low.write_data.next = bit_cast::<32, 24>(self.record_ports.edge_a.val())
            | (bit_cast::<32, 8>(self.record_ports.edge_b.val().get_bits::<8>(0)) << bits::<32>(24));
        self.edge_middle.write_data.next = bit_cast::<32, 16>(self.record_ports.edge_b.val().get_bits::<16>(8))
            | (bit_cast::<32, 16>(self.record_ports.edge_c.val().get_bits::<16>(0)) << bits::<32>(16));
        self.edge_high.write_data.next = self.record_ports.edge_c.val().get_bits::<32>(16);
        self.reciprocals.write_enable.next = self.record_ports.word_write.val();
        self.reciprocals.write_address.next = (bit_cast::<18, 12>(self.record_ports.record_handle.val())
            << bits::<18>(2))
            | bit_cast::<18, 2>(self.record_ports.word_part.val());
        self.reciprocals.write_data.next = self.record_ports.word_data.val();
        fan_out!(self.record_ports.entries_write => self.entries.write_enable, self.entries_back.write_enable);
        self.entries.write_address.next = bit_cast::<13, 12>(self.record_ports.record_handle.val());
        fan_out!(self.record_ports.entries_data => self.entries.write_data, self.entries_back.write_data);
        self.entries_back.write_address.next = bit_cast::<13, 12>(self.record_ports.record_handle.val());
    }

    /// A record that is done with gives its references back, and then itself.
    fn release(&mut self) {
        // Done with: the next one's entries are there when the last one's have gone.
        self.ending.put.next = self.free_ports.free_valid.val();
        self.ending.put_number.next = bit_cast::<32, 12>(self.free_ports.free_handle.val());
        self.entries_back.read_address.next = self.ending.number.val().get_bits::<13>(0);
        self.record_release_entry.next = self.released_entries.q.val().get_bits::<12>(0);
        if self.part.q.val() == bits::<2>(1) {
            self.record_release_entry.next = self.released_entries.q.val().get_bits::<12>(12);
        }
        if self.part.q.val() == bits::<2>(2) {
            self.record_release_entry.next = self.released_entries.q.val().get_bits::<12>(24);
        }
        if self.part.q.val() == bits::<2>(3) {
            self.record_release_entry.next = self.released_entries.q.val().get_bits::<12>(36);
        }
        self.last_part.next = self.part.q.val() == bits::<2>(2);
        if self.released_entries.q.val().get_bit(52) && !self.fault_geometry_first.val() {
            self.last_part.next = self.part.q.val() == bits::<2>(3);
        }
        self.releases.next = self.releasing.q.val() && (!self.last_part.val() || !self.closing.q.val());
        self.references.record_release_valid.next = self.releases.val();
        self.references.record_release_entry.next = self.record_release_entry.val();
        self.releases_last.next =
            self.releases.val() && self.references.record_release_ready.val() && self.last_part.val();
        self.load.next =
            self.have.q.val() && !self.closing.q.val() && (!self.releasing.q.val() || self.releases_last.val());
        self.ending.take.next = self.load.val();
        if self.releases.val() && self.references.record_release_ready.val() {
            self.part.d.next = self.part.q.val() + bits::<2>(1);
        }
        self.records.put.next = false;
        self.records.put_number.next = bit_cast::<32, 12>(self.released.q.val());
        if self.record_release_ready.val() {
            self.closing.d.next = false;
        }
        if self.releases_last.val() {
            self.releasing.d.next = false;
            if !self.fault_geometry_leak.val() {
                self.records.put.next = true;
                self.closing.d.next = true;
                self.closing_context.d.next = self.released_entries.q.val().get_bits::<4>(48);
            }
        }
        self.have.d.next = self.ending.valid.val() && !self.load.val();
        if self.load.val() {
            self.releasing.d.next = true;
            self.part.d.next = bits::<2>(0);
            self.released.d.next = self.ending.number.val().get_bits::<12>(0);
            self.released_entries.d.next = self.entries_back.read_data.val();
        }
        self.record_release_valid.next = self.closing.q.val();
        self.record_release_context.next = self.closing_context.q.val();
    }

    /// Questions of fragments.
    fn questions(&mut self) {
        // The record, then the word of the vertex.
        self.store_req.ready.next = true;
        self.asked_address.next = (bit_cast::<18, 12>(self.store_req.handle.val()) << bits::<18>(2))
            | bit_cast::<18, 2>(self.store_req.corner.val());
        self.edge_low.read_address.next = self.asked_address.val();
        self.edge_middle.read_address.next = self.asked_address.val();
        self.edge_high.read_address.next = self.asked_address.val();
        self.reciprocals.read_address.next = self.asked_address.val();
        self.entries.read_address.next = bit_cast::<13, 12>(self.store_req.handle.val());
        self.valid1.d.next = self.store_req.valid.val();
        self.source1.d.next = self.store_req.source.val();
        self.corner1.d.next = self.store_req.corner.val();
        self.word1.d.next = self.store_req.word.val();
        self.varying.next = self.word1.q.val() - bits::<6>(4);
        self.flat.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && ((self.state.word.val() == bits::<6>(state::FLAT_LOW))
                || (self.state.word.val() == bits::<6>(state::FLAT_HIGH)));
        self.flat.write_address.next = bit_cast::<6, 4>(self.state.context.val()) << bits::<6>(1);
        if self.state.word.val() == bits::<6>(state::FLAT_HIGH) {
            self.flat.write_address.next = (bit_cast::<6, 4>(self.state.context.val()) << bits::<6>(1)) | bits::<6>(1);
        }
        self.flat.write_data.next = self.state.data.val();
        self.flat.read_address.next = (bit_cast::<6, 4>(self.entries.read_data.val().get_bits::<4>(48))
            << bits::<6>(1))
            | bit_cast::<6, 1>(self.varying.val().get_bits::<1>(5));
        self.flats.next = self.flat.read_data.val() >> bit_cast::<32, 5>(self.varying.val().get_bits::<5>(0));
        self.is_flat.next = self.flats.val().get_bit(0) && !self.fault_geometry_flat.val();
        self.chosen.next = self.entries.read_data.val().get_bits::<12>(0);
        if self.corner1.q.val() == bits::<2>(1) {
            self.chosen.next = self.entries.read_data.val().get_bits::<12>(12);
        }
        if self.corner1.q.val() == bits::<2>(2) {
            self.chosen.next = self.entries.read_data.val().get_bits::<12>(24);
        }
        if self.is_flat.val() {
            self.chosen.next = self.entries.read_data.val().get_bits::<12>(36);
        }
        self.copies.read_address.next =
            (bit_cast::<18, 12>(self.chosen.val()) << bits::<18>(6)) | bit_cast::<18, 6>(self.word1.q.val());
        self.valid2.d.next = self.valid1.q.val();
        self.source2.d.next = self.source1.q.val();
        self.other2.d.next = self.word1.q.val() == bits::<6>(63);
        self.low2.d.next = self.edge_low.read_data.val();
        self.middle2.d.next = self.edge_middle.read_data.val();
        self.high2.d.next = self.edge_high.read_data.val();
        self.word2.d.next = self.reciprocals.read_data.val();
        self.store_rsp.valid.next = self.valid2.q.val();
        self.store_rsp.source.next = self.source2.q.val();
        self.store_rsp.a.next = self.low2.q.val().get_bits::<24>(0);
        self.store_rsp.b.next = bit_cast::<24, 8>(self.low2.q.val().get_bits::<8>(24))
            | (bit_cast::<24, 16>(self.middle2.q.val().get_bits::<16>(0)) << bits::<24>(8));
        self.store_rsp.c.next = bit_cast::<48, 16>(self.middle2.q.val().get_bits::<16>(16))
            | (bit_cast::<48, 32>(self.high2.q.val()) << bits::<48>(16));
        self.store_rsp.data.next = self.copies.read_data.val();
        if self.other2.q.val() {
            self.store_rsp.data.next = self.word2.q.val();
        }
    }
}
