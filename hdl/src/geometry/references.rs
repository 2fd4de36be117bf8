//! Who holds an entry of the attribute store, which entries are free, and whether a vertex is
//! shaded (docs/graphics-blocks.md, "Vertices and triangles").
//!
//! Two numbers for each entry: references taken so far, and references given back, modulo 2^14: of
//! 4,096 triangles around one vertex each holds it at most twice. One of each is counted per cycle,
//! in synchronous RAMs: the number is read in the cycle of the reference, and written in the next
//! one. What is on its way to the RAM is looked at, too. An entry is free when both numbers are
//! equal; then it goes into a queue. Entries leave the queue for two places: one is kept for
//! the clipper, one is offered to the vertex front end, whose first reference is counted by then.
//! So what comes from outside (a corner, a drop) never waits for a count.
//!
//! A reference that is given back is compared a cycle later with those that were taken until it
//! came. That is safe: until then an entry seems to be held that is not, never the other way round.
//!
//! Of each entry is known, too, whether a corner named it since it was taken: the first corner says
//! that the vertex is to be viewed. Ends of vertex warps wait in a queue of their own, and are
//! noted one vertex per cycle.
//!
//! It can be wrong in a count: an entry is then given twice while a fragment reads it, or never
//! again. `tests/geometry.rs` counts beside it.
//!
//! Planted faults: `geometry-free-early`, `geometry-stale`, `geometry-count`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Parameter, Planted};
use crate::cell::{AsyncRam, DeepRam};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::NumberQueue;
use crate::ports::{DroppedEntryIn, EntryReferenceIn, FreeEntryOut, ShadedEntriesIn, SpareEntryOut};

/// Width of a count.
const COUNT_BITS: usize = 14;

/// Entries that are never offered: the clipper makes vertices with them.
const CLIPPING: usize = 16;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryReferences {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A corner is taken, and counted in this cycle.
    pub corner_count: Signal<In, bool>,
    /// Its entry.
    pub corner_entry: Signal<In, Bits<12>>,
    /// It is the first that names the vertex.
    pub corner_fresh: Signal<Out, bool>,
    /// One reference more to an entry of the vertex store.
    pub ref_add: EntryReferenceIn,
    /// An entry to which the front end gives up its reference.
    pub drop: DroppedEntryIn,
    /// One reference less to an entry of the vertex store.
    pub ref_release: EntryReferenceIn,
    /// A record gives a reference back.
    pub record_release_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub record_release_ready: Signal<Out, bool>,
    /// Entry of the vertex.
    pub record_release_entry: Signal<In, Bits<12>>,
    /// An entry of the vertex store for a vertex to be shaded.
    pub entry_ports: FreeEntryOut,
    /// An entry of the vertex store for a vertex that clipping makes.
    pub spare_ports: SpareEntryOut,
    /// A warp of vertices has ended.
    pub shaded_ports: ShadedEntriesIn,
    /// Whether an entry's vertex is shaded: the entry.
    pub query: Signal<In, Bits<12>>,
    /// The vertex is shaded.
    pub is_shaded: Signal<Out, bool>,
    // Taken; the same again; given back.
    ups: DeepRam,
    ups_copy: DeepRam,
    downs: DeepRam,
    /// A corner named the entry since it was taken.
    names: AsyncRam<12, 8>,
    shaded: AsyncRam<12, 8>,
    free: NumberQueue,
    warps: DeepRam,
    /// Entries that are taken, offered or kept; how many there may be before none is offered.
    taken: DFF<Bits<13>>,
    most: Parameter<13>,
    freed: DFF<bool>,
    freed_entry: DFF<Bits<12>>,
    offered: DFF<bool>,
    offered_entry: DFF<Bits<12>>,
    kept: DFF<bool>,
    kept_entry: DFF<Bits<12>>,
    // Ends of warps.
    fill: DFF<Bits<12>>,
    at: DFF<Bits<12>>,
    have: DFF<bool>,
    done: DFF<Bits<4>>,
    upcoming: Signal<Local, Bits<12>>,
    take: Signal<Local, bool>,
    keeps: Signal<Local, bool>,
    up: Signal<Local, bool>,
    up_entry: Signal<Local, Bits<12>>,
    named: Signal<Local, bool>,
    // Taken, and counted in the next cycle; what was counted last.
    rises: DFF<bool>,
    rise_entry: DFF<Bits<12>>,
    rose: DFF<bool>,
    rose_entry: DFF<Bits<12>>,
    rose_number: DFF<Bits<14>>,
    up_old: Signal<Local, Bits<14>>,
    up_new: Signal<Local, Bits<14>>,
    // The same of those that are given back.
    down: DFF<bool>,
    down_entry: DFF<Bits<12>>,
    record_release_now: Signal<Local, Bits<12>>,
    fell: DFF<bool>,
    fell_entry: DFF<Bits<12>>,
    fell_number: DFF<Bits<14>>,
    down_old: Signal<Local, Bits<14>>,
    down_new: Signal<Local, Bits<14>>,
    down_next: Signal<Local, Bits<14>>,
    held: Signal<Local, Bits<14>>,
    pending: Signal<Local, Bits<4>>,
    lane: Signal<Local, Bits<4>>,
    lane_entry: Signal<Local, Bits<12>>,
    notes: Signal<Local, bool>,
    fault_geometry_free_early: Planted,
    fault_geometry_stale: Planted,
    fault_geometry_count: Planted,
    _active: bool,
}

impl GeometryReferences {
    /// All free, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self::with_entries(config.vertices(), CLIPPING, config)
    }

    /// So many entries, of which some are never offered. Fewer than any machine has, for a proof.
    pub fn with_entries(entries: usize, clipping: usize, config: &GpuConfig) -> Self {
        Self {
            ups: DeepRam::new(entries, COUNT_BITS),
            ups_copy: DeepRam::new(entries, COUNT_BITS),
            downs: DeepRam::new(entries, COUNT_BITS),
            names: AsyncRam::new(entries, 1),
            shaded: AsyncRam::new(entries, 1),
            free: NumberQueue::new(config, entries, 12, entries),
            warps: DeepRam::new(entries, 52),
            most: Parameter::new((entries - clipping) as u64),
            fault_geometry_free_early: Planted::new(config.has(Fault::GeometryFreeEarly)),
            fault_geometry_stale: Planted::new(config.has(Fault::GeometryStale)),
            fault_geometry_count: Planted::new(config.has(Fault::GeometryCount)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GeometryReferences {
    /// A free entry is kept for the clipper, or offered to the front end.
    fn free_entries(&mut self) {
        comment!("module: geometry_references");
        dff_setup!(self, clock, taken, freed, freed_entry, offered, offered_entry, kept, kept_entry);
        dff_setup!(self, clock, rises, rise_entry, rose, rose_entry, rose_number);
        dff_setup!(self, clock, down, down_entry, fell, fell_entry, fell_number, fill, at, have, done);
        clock!(self, clock, ups, ups_copy, downs, names, shaded, free, warps);

        // The next free entry goes to the clipper's place, or to the one that is offered.
        self.upcoming.next = self.free.number.val().get_bits::<12>(0);
        self.keeps.next = !self.kept.q.val();
        self.take.next = self.free.valid.val()
            && !self.corner_count.val()
            && !self.ref_add.valid.val()
            && (!self.kept.q.val() || (!self.offered.q.val() && (self.taken.q.val() < self.most.val())));
        self.free.take.next = self.take.val();
        if self.entry_ports.entry_take.val() {
            self.offered.d.next = false;
        }
        if self.spare_ports.spare_take.val() {
            self.kept.d.next = false;
        }
        if self.take.val() {
            if self.keeps.val() {
                self.kept.d.next = true;
                self.kept_entry.d.next = self.upcoming.val();
            } else {
                self.offered.d.next = true;
                self.offered_entry.d.next = self.upcoming.val();
            }
        }
        self.entry_ports.entry_valid.next = self.offered.q.val();
        self.entry_ports.entry.next = self.offered_entry.q.val();
        self.spare_ports.spare.next = self.kept.q.val();
        self.spare_ports.spare_entry.next = self.kept_entry.q.val();
    }

    /// A reference that is taken is counted, and a corner names its entry.
    fn taken_count(&mut self) {
        // One reference more.
        self.ref_add.ready.next = !self.corner_count.val();
        self.up.next = self.corner_count.val() || self.ref_add.valid.val() || self.take.val();
        self.up_entry.next = self.upcoming.val();
        if self.ref_add.valid.val() {
            self.up_entry.next = self.ref_add.entry.val();
        }
        if self.corner_count.val() {
            self.up_entry.next = self.corner_entry.val();
        }
        self.names.read_address.next = self.up_entry.val();
        self.corner_fresh.next = !self.names.read_data.val().get_bit(0);
        self.named.next = (self.names.read_data.val().get_bit(0) || self.corner_count.val())
            && (!self.take.val() || self.fault_geometry_stale.val());
        self.names.write_enable.next = self.up.val();
        self.names.write_address.next = self.up_entry.val();
        self.names.write_data.next = bits::<8>(0);
        if self.named.val() {
            self.names.write_data.next = bits::<8>(1);
        }
        // It is counted in the next cycle. The RAM does not know yet what was counted in this one.
        self.ups.read_address.next = bit_cast::<13, 12>(self.up_entry.val());
        self.rises.d.next = self.up.val();
        self.rise_entry.d.next = self.up_entry.val();
        self.up_old.next = self.ups.read_data.val().get_bits::<14>(0);
        if self.rose.q.val() && (self.rose_entry.q.val() == self.rise_entry.q.val()) && !self.fault_geometry_count.val()
        {
            self.up_old.next = self.rose_number.q.val();
        }
        self.up_new.next = self.up_old.val() + bits::<14>(1);
        self.ups.write_enable.next = self.rises.q.val();
        self.ups.write_address.next = bit_cast::<13, 12>(self.rise_entry.q.val());
        self.ups.write_data.next = bit_cast::<64, 14>(self.up_new.val());
        self.ups_copy.write_enable.next = self.rises.q.val();
        self.ups_copy.write_address.next = bit_cast::<13, 12>(self.rise_entry.q.val());
        self.ups_copy.write_data.next = bit_cast::<64, 14>(self.up_new.val());
        self.rose.d.next = self.rises.q.val();
        self.rose_entry.d.next = self.rise_entry.q.val();
        self.rose_number.d.next = self.up_new.val();
    }

    /// A reference that is given back is counted, and the last one frees its entry.
    fn returned_count(&mut self) {
        // One less.
        self.ref_release.ready.next = !self.drop.valid.val();
        self.record_release_ready.next = !self.drop.valid.val() && !self.ref_release.valid.val();
        self.down.d.next = self.drop.valid.val() || self.ref_release.valid.val() || self.record_release_valid.val();
        self.record_release_now.next = self.record_release_entry.val();
        if self.ref_release.valid.val() {
            self.record_release_now.next = self.ref_release.entry.val();
        }
        if self.drop.valid.val() {
            self.record_release_now.next = self.drop.entry.val();
        }
        self.down_entry.d.next = self.record_release_now.val();
        self.downs.read_address.next = bit_cast::<13, 12>(self.record_release_now.val());
        self.ups_copy.read_address.next = bit_cast::<13, 12>(self.record_release_now.val());
        self.down_old.next = self.downs.read_data.val().get_bits::<14>(0);
        if self.fell.q.val() && (self.fell_entry.q.val() == self.down_entry.q.val()) {
            self.down_old.next = self.fell_number.q.val();
        }
        self.down_new.next = self.down_old.val() + bits::<14>(1);
        self.down_next.next = self.down_old.val() + bits::<14>(2);
        self.fell.d.next = self.down.q.val();
        self.fell_entry.d.next = self.down_entry.q.val();
        self.fell_number.d.next = self.down_new.val();
        // Taken until then: what was counted when the RAM was read, and what is counted now.
        self.held.next = self.ups_copy.read_data.val().get_bits::<14>(0);
        if self.rose.q.val() && (self.rose_entry.q.val() == self.down_entry.q.val()) {
            self.held.next = self.rose_number.q.val();
        }
        if self.rises.q.val() && (self.rise_entry.q.val() == self.down_entry.q.val()) {
            self.held.next = self.up_new.val();
        }
        self.downs.write_enable.next = self.down.q.val();
        self.downs.write_address.next = bit_cast::<13, 12>(self.down_entry.q.val());
        self.downs.write_data.next = bit_cast::<64, 14>(self.down_new.val());
        self.freed.d.next = self.down.q.val() && (self.down_new.val() == self.held.val());
        if self.fault_geometry_free_early.val() {
            self.freed.d.next = self.down.q.val() && (self.down_next.val() == self.held.val());
        }
        self.freed_entry.d.next = self.down_entry.q.val();
        self.free.put.next = self.freed.q.val();
        self.free.put_number.next = bit_cast::<32, 12>(self.freed_entry.q.val());
        if self.take.val() && !self.freed.q.val() {
            self.taken.d.next = self.taken.q.val() + bits::<13>(1);
        }
        if self.freed.q.val() && !self.take.val() {
            self.taken.d.next = self.taken.q.val() - bits::<13>(1);
        }
    }

    /// A warp's end marks its entries as shaded, one per cycle; a new entry is unmarked.
    fn shaded_entries(&mut self) {
        self.warps.write_enable.next = self.shaded_ports.shaded_valid.val();
        self.warps.write_address.next = bit_cast::<13, 12>(self.fill.q.val());
        self.warps.write_data.next = bit_cast::<64, 12>(self.shaded_ports.shaded_entry[0].val())
            | (bit_cast::<64, 12>(self.shaded_ports.shaded_entry[1].val()) << bits::<64>(12))
            | (bit_cast::<64, 12>(self.shaded_ports.shaded_entry[2].val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.shaded_ports.shaded_entry[3].val()) << bits::<64>(36))
            | (bit_cast::<64, 4>(self.shaded_ports.shaded_mask.val()) << bits::<64>(48));
        if self.shaded_ports.shaded_valid.val() {
            self.fill.d.next = self.fill.q.val() + bits::<12>(1);
        }
        self.warps.read_address.next = bit_cast::<13, 12>(self.at.q.val());
        self.pending.next = self.warps.read_data.val().get_bits::<4>(48) & (self.done.q.val() ^ bits::<4>(15));
        self.lane.next = bits::<4>(0);
        self.lane_entry.next = self.warps.read_data.val().get_bits::<12>(36);
        if self.pending.val().get_bit(3) {
            self.lane.next = bits::<4>(8);
        }
        if self.pending.val().get_bit(2) {
            self.lane.next = bits::<4>(4);
            self.lane_entry.next = self.warps.read_data.val().get_bits::<12>(24);
        }
        if self.pending.val().get_bit(1) {
            self.lane.next = bits::<4>(2);
            self.lane_entry.next = self.warps.read_data.val().get_bits::<12>(12);
        }
        if self.pending.val().get_bit(0) {
            self.lane.next = bits::<4>(1);
            self.lane_entry.next = self.warps.read_data.val().get_bits::<12>(0);
        }
        self.notes.next = self.have.q.val() && !self.take.val();
        self.have.d.next = self.at.q.val() != self.fill.q.val();
        if self.notes.val() {
            self.done.d.next = self.done.q.val() | self.lane.val();
            if self.pending.val() == self.lane.val() {
                self.done.d.next = bits::<4>(0);
                self.at.d.next = self.at.q.val() + bits::<12>(1);
                self.have.d.next = false;
            }
        }
        self.shaded.write_enable.next = self.take.val() || (self.notes.val() && self.pending.val().any());
        self.shaded.write_address.next = self.lane_entry.val();
        self.shaded.write_data.next = bits::<8>(1);
        if self.take.val() {
            self.shaded.write_address.next = self.upcoming.val();
            self.shaded.write_data.next = bits::<8>(0);
        }
        self.shaded.read_address.next = self.query.val();
        self.is_shaded.next = self.shaded.read_data.val().get_bit(0);
    }
}
