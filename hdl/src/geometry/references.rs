//! Who holds an entry of the attribute store, which entries are free, and whether a vertex is
//! shaded (docs/graphics-blocks.md, "Vertices and triangles").
//!
//! Two numbers for each entry: references taken so far, and references given back. One of each is
//! counted per cycle, by a memory that is read and written in the cycle. An entry is free when both
//! are equal; then it goes into a queue. Entries leave the queue for two places: one is kept for
//! the clipper, one is offered to the vertex front end, whose first reference is counted by then.
//! So what comes from outside (a corner, a drop) never waits for a count.
//!
//! A reference that is given back stands in a register for a cycle before it is counted, because
//! assembly says late in a cycle what it gives back. That is safe: until then an entry seems to be
//! held that is not, never the other way round. One that is taken is counted at once, so what comes
//! in the cycle of a drop is seen when the drop is compared.
//!
//! Of each entry is known, too, whether a corner named it since it was taken: the first corner says
//! that the vertex is to be viewed. Ends of vertex warps wait in a queue of their own, and are
//! noted one vertex per cycle.
//!
//! It can be wrong in a count: an entry is then given twice while a fragment reads it, or never
//! again. `tests/geometry.rs` counts beside it.
//!
//! Planted faults: `geometry-free-early`, `geometry-stale`.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::{AsyncRam, Ram};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryReferences {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A corner is taken, and counted in this cycle.
    pub corner_count: Signal<In, bool>,
    /// Its entry.
    pub corner_entry: Signal<In, Bits<6>>,
    /// It is the first that names the vertex.
    pub corner_fresh: Signal<Out, bool>,
    /// One more reference.
    pub more_valid: Signal<In, bool>,
    /// It is counted in this cycle if valid.
    pub more_ready: Signal<Out, bool>,
    /// Of that entry.
    pub more_entry: Signal<In, Bits<6>>,
    /// The front end gives a reference back; it is taken in this cycle.
    pub drop_valid: Signal<In, bool>,
    /// Of that entry.
    pub drop_entry: Signal<In, Bits<6>>,
    /// A triangle that is culled gives a reference back.
    pub loss_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub loss_ready: Signal<Out, bool>,
    /// Of that entry.
    pub loss_entry: Signal<In, Bits<6>>,
    /// A record gives a reference back.
    pub back_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub back_ready: Signal<Out, bool>,
    /// Of that entry.
    pub back_entry: Signal<In, Bits<6>>,
    /// An entry is free, beside sixteen for clipping.
    pub entry_valid: Signal<Out, bool>,
    /// Its number.
    pub entry: Signal<Out, Bits<6>>,
    /// It is taken, if it is offered; its count is 1.
    pub entry_take: Signal<In, bool>,
    /// An entry is kept for clipping; its count is 1.
    pub spare: Signal<Out, bool>,
    /// Its number.
    pub spare_entry: Signal<Out, Bits<6>>,
    /// It is taken.
    pub spare_take: Signal<In, bool>,
    /// These vertices are shaded. Always heard.
    pub shaded_valid: Signal<In, bool>,
    /// Which of the four.
    pub shaded_mask: Signal<In, Bits<4>>,
    /// Their entries.
    pub shaded_entry: Vec<Signal<In, Bits<6>>>,
    /// Whether an entry's vertex is shaded: the entry.
    pub query: Signal<In, Bits<6>>,
    /// It is.
    pub is_shaded: Signal<Out, bool>,
    // Taken, with "named" in bit 8; the same again; given back.
    ups: AsyncRam,
    ups_copy: AsyncRam,
    downs: AsyncRam,
    free: AsyncRam,
    shaded: AsyncRam,
    warps: Ram,
    // Entries that were never taken, then the queue of free ones.
    fresh: DFF<Bits<7>>,
    head: DFF<Bits<6>>,
    tail: DFF<Bits<6>>,
    taken: DFF<Bits<7>>,
    gone: DFF<bool>,
    gone_entry: DFF<Bits<6>>,
    offered: DFF<bool>,
    offered_entry: DFF<Bits<6>>,
    kept: DFF<bool>,
    kept_entry: DFF<Bits<6>>,
    // Ends of warps.
    fill: DFF<Bits<6>>,
    at: DFF<Bits<6>>,
    have: DFF<bool>,
    done: DFF<Bits<4>>,
    next_valid: Signal<Local, bool>,
    upcoming: Signal<Local, Bits<6>>,
    take: Signal<Local, bool>,
    keeps: Signal<Local, bool>,
    up: Signal<Local, bool>,
    up_entry: Signal<Local, Bits<6>>,
    up_old: Signal<Local, Bits<32>>,
    up_new: Signal<Local, Bits<8>>,
    named: Signal<Local, bool>,
    up_word: Signal<Local, Bits<32>>,
    // Given back, and counted in the next cycle.
    down: DFF<bool>,
    down_entry: DFF<Bits<6>>,
    down_new: Signal<Local, Bits<8>>,
    down_next: Signal<Local, Bits<8>>,
    held: Signal<Local, Bits<8>>,
    pending: Signal<Local, Bits<4>>,
    lane: Signal<Local, Bits<4>>,
    lane_entry: Signal<Local, Bits<6>>,
    notes: Signal<Local, bool>,
    fault_geometry_free_early: Planted,
    fault_geometry_stale: Planted,
    _active: bool,
}

impl GeometryReferences {
    /// All free, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            shaded_entry: vector(4),
            ups: AsyncRam::new(64, 9),
            ups_copy: AsyncRam::new(64, 8),
            downs: AsyncRam::new(64, 8),
            free: AsyncRam::new(64, 6),
            shaded: AsyncRam::new(64, 1),
            warps: Ram::new(64),
            fault_geometry_free_early: Planted::new(config.has(Fault::GeometryFreeEarly)),
            fault_geometry_stale: Planted::new(config.has(Fault::GeometryStale)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for GeometryReferences {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: geometry_references");
        dff_setup!(self, clock, fresh, head, tail, taken, gone, gone_entry, offered, offered_entry, kept, kept_entry);
        dff_setup!(self, clock, down, down_entry, fill, at, have, done);
        clock!(self, clock, ups, ups_copy, downs, free, shaded, warps);

        // The next free entry goes to the clipper's place, or to the one that is offered.
        self.free.read_address.next = self.head.q.val();
        self.next_valid.next = !self.fresh.q.val().get_bit(6) || (self.head.q.val() != self.tail.q.val());
        self.upcoming.next = self.fresh.q.val().get_bits::<6>(0);
        if self.fresh.q.val().get_bit(6) {
            self.upcoming.next = self.free.read_data.val().get_bits::<6>(0);
        }
        self.keeps.next = !self.kept.q.val();
        self.take.next = self.next_valid.val()
            && !self.corner_count.val()
            && !self.more_valid.val()
            && (!self.kept.q.val() || (!self.offered.q.val() && (self.taken.q.val() < bits::<7>(48))));
        if self.entry_take.val() {
            self.offered.d.next = false;
        }
        if self.spare_take.val() {
            self.kept.d.next = false;
        }
        if self.take.val() {
            if self.fresh.q.val().get_bit(6) {
                self.head.d.next = self.head.q.val() + bits::<6>(1);
            } else {
                self.fresh.d.next = self.fresh.q.val() + bits::<7>(1);
            }
            if self.keeps.val() {
                self.kept.d.next = true;
                self.kept_entry.d.next = self.upcoming.val();
            } else {
                self.offered.d.next = true;
                self.offered_entry.d.next = self.upcoming.val();
            }
        }
        self.entry_valid.next = self.offered.q.val();
        self.entry.next = self.offered_entry.q.val();
        self.spare.next = self.kept.q.val();
        self.spare_entry.next = self.kept_entry.q.val();

        // One reference more.
        self.more_ready.next = !self.corner_count.val();
        self.up.next = self.corner_count.val() || self.more_valid.val() || self.take.val();
        self.up_entry.next = self.upcoming.val();
        if self.more_valid.val() {
            self.up_entry.next = self.more_entry.val();
        }
        if self.corner_count.val() {
            self.up_entry.next = self.corner_entry.val();
        }
        self.ups.read_address.next = self.up_entry.val();
        self.up_old.next = self.ups.read_data.val();
        self.up_new.next = self.up_old.val().get_bits::<8>(0) + bits::<8>(1);
        self.named.next = (self.up_old.val().get_bit(8) || self.corner_count.val())
            && (!self.take.val() || self.fault_geometry_stale.val());
        self.corner_fresh.next = !self.up_old.val().get_bit(8);
        self.up_word.next = bit_cast::<32, 8>(self.up_new.val());
        if self.named.val() {
            self.up_word.next = bit_cast::<32, 8>(self.up_new.val()) | bits::<32>(0x100);
        }
        self.ups.write_enable.next = self.up.val();
        self.ups.write_address.next = self.up_entry.val();
        self.ups.write_data.next = self.up_word.val();
        self.ups_copy.write_enable.next = self.up.val();
        self.ups_copy.write_address.next = self.up_entry.val();
        self.ups_copy.write_data.next = bit_cast::<32, 8>(self.up_new.val());

        // One less.
        self.loss_ready.next = !self.drop_valid.val();
        self.back_ready.next = !self.drop_valid.val() && !self.loss_valid.val();
        self.down.d.next = self.drop_valid.val() || self.loss_valid.val() || self.back_valid.val();
        self.down_entry.d.next = self.back_entry.val();
        if self.loss_valid.val() {
            self.down_entry.d.next = self.loss_entry.val();
        }
        if self.drop_valid.val() {
            self.down_entry.d.next = self.drop_entry.val();
        }
        self.downs.read_address.next = self.down_entry.q.val();
        self.ups_copy.read_address.next = self.down_entry.q.val();
        self.down_new.next = self.downs.read_data.val().get_bits::<8>(0) + bits::<8>(1);
        self.down_next.next = self.downs.read_data.val().get_bits::<8>(0) + bits::<8>(2);
        self.held.next = self.ups_copy.read_data.val().get_bits::<8>(0);
        self.downs.write_enable.next = self.down.q.val();
        self.downs.write_address.next = self.down_entry.q.val();
        self.downs.write_data.next = bit_cast::<32, 8>(self.down_new.val());
        self.gone.d.next = self.down.q.val() && (self.down_new.val() == self.held.val());
        if self.fault_geometry_free_early.val() {
            self.gone.d.next = self.down.q.val() && (self.down_next.val() == self.held.val());
        }
        self.gone_entry.d.next = self.down_entry.q.val();
        self.free.write_enable.next = self.gone.q.val();
        self.free.write_address.next = self.tail.q.val();
        self.free.write_data.next = bit_cast::<32, 6>(self.gone_entry.q.val());
        if self.gone.q.val() {
            self.tail.d.next = self.tail.q.val() + bits::<6>(1);
        }
        if self.take.val() && !self.gone.q.val() {
            self.taken.d.next = self.taken.q.val() + bits::<7>(1);
        }
        if self.gone.q.val() && !self.take.val() {
            self.taken.d.next = self.taken.q.val() - bits::<7>(1);
        }

        // Ends of warps, noted lane by lane when no entry is taken anew.
        self.warps.write_enable.next = self.shaded_valid.val();
        self.warps.write_address.next = bit_cast::<12, 6>(self.fill.q.val());
        self.warps.write_data.next = bit_cast::<32, 6>(self.shaded_entry[0].val())
            | (bit_cast::<32, 6>(self.shaded_entry[1].val()) << bits::<32>(6))
            | (bit_cast::<32, 6>(self.shaded_entry[2].val()) << bits::<32>(12))
            | (bit_cast::<32, 6>(self.shaded_entry[3].val()) << bits::<32>(18))
            | (bit_cast::<32, 4>(self.shaded_mask.val()) << bits::<32>(24));
        if self.shaded_valid.val() {
            self.fill.d.next = self.fill.q.val() + bits::<6>(1);
        }
        self.warps.read_address.next = bit_cast::<12, 6>(self.at.q.val());
        self.pending.next = self.warps.read_data.val().get_bits::<4>(24) & (self.done.q.val() ^ bits::<4>(15));
        self.lane.next = bits::<4>(0);
        self.lane_entry.next = self.warps.read_data.val().get_bits::<6>(18);
        if self.pending.val().get_bit(3) {
            self.lane.next = bits::<4>(8);
        }
        if self.pending.val().get_bit(2) {
            self.lane.next = bits::<4>(4);
            self.lane_entry.next = self.warps.read_data.val().get_bits::<6>(12);
        }
        if self.pending.val().get_bit(1) {
            self.lane.next = bits::<4>(2);
            self.lane_entry.next = self.warps.read_data.val().get_bits::<6>(6);
        }
        if self.pending.val().get_bit(0) {
            self.lane.next = bits::<4>(1);
            self.lane_entry.next = self.warps.read_data.val().get_bits::<6>(0);
        }
        self.notes.next = self.have.q.val() && !self.take.val();
        self.have.d.next = self.at.q.val() != self.fill.q.val();
        if self.notes.val() {
            self.done.d.next = self.done.q.val() | self.lane.val();
            if self.pending.val() == self.lane.val() {
                self.done.d.next = bits::<4>(0);
                self.at.d.next = self.at.q.val() + bits::<6>(1);
                self.have.d.next = false;
            }
        }
        self.shaded.write_enable.next = self.take.val() || (self.notes.val() && self.pending.val().any());
        self.shaded.write_address.next = self.lane_entry.val();
        self.shaded.write_data.next = bits::<32>(1);
        if self.take.val() {
            self.shaded.write_address.next = self.upcoming.val();
            self.shaded.write_data.next = bits::<32>(0);
        }
        self.shaded.read_address.next = self.query.val();
        self.is_shaded.next = self.shaded.read_data.val().get_bit(0);
    }
}
