//! The accounts of the machine's warp slots (`SE-1`): which are occupied, and which free one the
//! next thread gets. A slot is occupied from the cycle after `take` until the end of its thread is
//! reported; nothing else is asked, so a launch may be on its way for as long as it likes.
//!
//! One offer stands at the ports, chosen from registers, and may be taken in every cycle. Free
//! threads: the units in turn, the unit's lowest free slot; the turn goes over the cores first and
//! over the units of a core last, so that successive threads go to different cores as long as these
//! have room, and full units cost no cycle. Pinned groups (`docs/machine.md`): one window of
//! adjacent slots is looked at per cycle while `seek` is set, in turn; all its slots are taken at
//! once.
//!
//! A group of two slots is 2 p and 2 p + 1 of a unit; one of three or four begins at 4 q. All are
//! taken at once. A pair of groups takes four or eight, from 4 q or 8 q on, and gives back those
//! for which it has no sample. A single thread then takes a slot whose neighbour is taken, if there
//! is one, so that pairs stay free.
//!
//! Cores that differ (`SE-3`): a slot that a unit does not have is occupied from the start of a run
//! on, and so is every slot of a core without function unit if the run's program needs one. So the
//! turn passes them over, and no window reaches into them. A machine of equal cores has none of
//! that.
//!
//! It can be wrong by giving a slot twice (planted fault `dispatch-slot-twice`), or by losing an
//! end that comes in the cycle of a take (`dispatch-end-lost`), after which the machine fills up;
//! in a machine of cores that differ by giving a slot that is not there (`dispatch-slot-missing`)
//! or not able (`dispatch-unable`).

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Each, Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{SlotOfferOut, WarpEndIn};
use crate::shape::UnitPlace;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct SlotAccount {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: a run begins, and the search with it at the first unit. Nothing may be occupied.
    pub start: Signal<In, bool>,
    /// Windows are offered, not slots.
    pub pinned: Signal<In, bool>,
    /// Slots of a window, 1 to 16.
    pub group_warps: Signal<In, Bits<5>>,
    /// Windows of a unit that may be used, at least 1.
    pub group_slots: Signal<In, Bits<5>>,
    /// Bytes of shared storage per window.
    pub shared_bytes: Signal<In, Bits<16>>,
    /// The run's threads need the function unit; only if cores differ.
    pub functions: Vec<Signal<In, bool>>,
    /// A window is wanted: the search goes on until one is free.
    pub seek: Signal<In, bool>,
    /// The offer is taken; only with `offer`.
    pub take: Signal<In, bool>,
    /// Merging or splitting: number of further slots requested. With one, slots 2 p and 2 p + 1 of
    /// a unit. With two or three, the slots after one whose number is a multiple of four.
    pub group: Vec<Signal<In, Bits<2>>>,
    /// Pairs of groups: eight slots are wanted; `group` is 3 then.
    pub eight: Vec<Signal<In, bool>>,
    /// Slots of a unit that were taken and are not needed.
    pub release: Vec<Signal<In, Bits<16>>>,
    /// That unit.
    pub release_unit: Vec<Signal<In, Bits<6>>>,
    /// A warp slot that is free for a group.
    pub offer_ports: SlotOfferOut,
    /// Number of the window in the unit.
    pub offer_group_slot: Signal<Out, Bits<4>>,
    /// Byte address of the window's shared storage.
    pub offer_shared_base: Signal<Out, Bits<16>>,
    /// A warp has ended.
    pub end: Each<WarpEndIn>,
    /// No slot is occupied.
    pub empty: Signal<Out, bool>,
    /// Occupied slots of the units, in the order of the turn.
    used: Vec<DFF<Bits<16>>>,
    /// The unit of the offer, its place in the turn.
    place: DFF<Bits<5>>,
    group_slot: DFF<Bits<5>>,
    first: DFF<Bits<4>>,
    window: DFF<Bits<16>>,
    base: DFF<Bits<16>>,
    number: Vec<Constant<Bits<6>>>,
    ending: Vec<Signal<Local, Bits<16>>>,
    /// By unit: taken slots without those that end, with those that are taken, and what stays.
    unended: Vec<Signal<Local, Bits<16>>>,
    with_taken: Vec<Signal<Local, Bits<16>>>,
    next_used: Vec<Signal<Local, Bits<16>>>,
    place_used: Signal<Local, Bits<16>>,
    free: Signal<Local, Bits<16>>,
    /// The lowest free slot, for a single thread; the slot that is offered.
    single_slot: Signal<Local, Bits<4>>,
    slot: Signal<Local, Bits<4>>,
    found: Signal<Local, bool>,
    /// Groups: slots 2 p of free pairs; slots 4 q of four free ones; free slots whose neighbour is
    /// not free; the lowest of them.
    pairs_free: Vec<Signal<Local, Bits<16>>>,
    fours_free: Vec<Signal<Local, Bits<16>>>,
    several: Vec<Signal<Local, Bits<16>>>,
    alone: Vec<Signal<Local, Bits<16>>>,
    pair_slot: Vec<Signal<Local, Bits<4>>>,
    pair_found: Vec<Signal<Local, bool>>,
    alone_found: Vec<Signal<Local, bool>>,
    hit: Signal<Local, bool>,
    chosen: Signal<Local, Bits<16>>,
    marked: Signal<Local, Bits<16>>,
    any: Signal<Local, bool>,
    any_place: Signal<Local, Bits<5>>,
    after: Signal<Local, bool>,
    after_place: Signal<Local, Bits<5>>,
    next_place: Signal<Local, Bits<5>>,
    next_slot: Signal<Local, Bits<5>>,
    first_window: Signal<Local, Bits<16>>,
    slots: Parameter<16>,
    last_place: Parameter<5>,
    fault_dispatch_slot_twice: Planted,
    fault_dispatch_end_lost: Planted,
    fault_dispatch_slot_missing: Planted,
    fault_dispatch_unable: Planted,
    // If cores differ, by place: slots that the unit does not have; all ones if it has no function
    // unit; slots that this run may not use.
    missing: Vec<Parameter<16>>,
    unable: Vec<Parameter<16>>,
    blocked: Vec<Signal<Local, Bits<16>>>,
    fault_pair_slots: Vec<Planted>,
    fault_split_slots: Vec<Planted>,
    /// Slots 8 q of eight free ones.
    eights_free: Vec<Signal<Local, Bits<16>>>,
    fault_twin_slots: Vec<Planted>,
    fault_twin_release: Vec<Planted>,
    _twins: usize,
    _groups: usize,
    _n: usize,
    _rows: usize,
    _mixed: usize,
    _active: bool,
}

impl SlotAccount {
    /// Accounts of all units of the machine.
    pub fn new(config: &GpuConfig) -> Self {
        let units = config.unit_places();
        let n = units.len();
        // The turn: first units of all cores, second units of all cores, ...
        let mut turn: Vec<usize> = (0..n).collect();
        turn.sort_by_key(|&u| (units[u].unit, units[u].core));
        let mixed = usize::from(config.is_mixed());
        let all = (1 << config.most_warps()) - 1;
        let word = |of: &dyn Fn(&UnitPlace) -> u64| {
            turn.iter().map(|&u| Parameter::new(of(&units[u]))).take(n * mixed).collect()
        };
        let groups = usize::from(config.maps());
        let twins = usize::from(config.twins());
        Self {
            group: (0..groups).map(|_| Signal::default()).collect(),
            fours_free: (0..groups).map(|_| Signal::default()).collect(),
            several: (0..groups).map(|_| Signal::default()).collect(),
            pairs_free: (0..groups).map(|_| Signal::default()).collect(),
            alone: (0..groups).map(|_| Signal::default()).collect(),
            pair_slot: (0..groups).map(|_| Signal::default()).collect(),
            pair_found: (0..groups).map(|_| Signal::default()).collect(),
            alone_found: (0..groups).map(|_| Signal::default()).collect(),
            unended: (0..n).map(|_| Signal::default()).collect(),
            with_taken: (0..n).map(|_| Signal::default()).collect(),
            next_used: (0..n).map(|_| Signal::default()).collect(),
            fault_pair_slots: config.of_maps(Fault::PairSlots),
            fault_split_slots: config.of_maps(Fault::SplitSlots),
            _groups: groups,
            eight: (0..twins).map(|_| Signal::default()).collect(),
            release: (0..twins).map(|_| Signal::default()).collect(),
            release_unit: (0..twins).map(|_| Signal::default()).collect(),
            eights_free: (0..twins).map(|_| Signal::default()).collect(),
            fault_twin_slots: config.of_twins(Fault::TwinSlots),
            fault_twin_release: config.of_twins(Fault::TwinRelease),
            _twins: twins,
            functions: (0..mixed).map(|_| Signal::default()).collect(),
            missing: word(&|u| all & !((1 << u.warps) - 1)),
            unable: word(&|u| if u.function_unit { 0 } else { all }),
            blocked: (0..n * mixed).map(|_| Signal::default()).collect(),
            _mixed: mixed,
            end: Each::new(config.rows),
            ending: (0..config.rows).map(|_| Signal::default()).collect(),
            used: (0..n).map(|_| DFF::default()).collect(),
            number: turn.iter().map(|&unit| Constant::new(bits(unit as u64))).collect(),
            slots: Parameter::new(all),
            last_place: Parameter::new(n as u64 - 1),
            fault_dispatch_slot_twice: Planted::new(config.has(Fault::DispatchSlotTwice)),
            fault_dispatch_end_lost: Planted::new(config.has(Fault::DispatchEndLost)),
            fault_dispatch_slot_missing: Planted::new(config.has(Fault::DispatchSlotMissing)),
            fault_dispatch_unable: Planted::new(config.has(Fault::DispatchUnable)),
            _n: n,
            _rows: config.rows,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl SlotAccount {
    /// The unit at the turn is read, and the next unit with a free slot is found.
    fn unit_search(&mut self) {
        comment!("module: slot_account");
        dff_setup!(self, clock, place, group_slot, first, window, base);
        // The unit of the offer, and the next one in turn that has a free slot.
        self.place_used.next = bits::<16>(0);
        self.offer_ports.offer_unit.next = bits::<6>(0);
        self.empty.next = true;
        self.any.next = false;
        self.any_place.next = self.place.q.val();
        self.after.next = false;
        self.after_place.next = bits::<5>(0);
        for p in 0..self._n {
            if self.place.q.val() == p.to_bits::<5>() {
                self.place_used.next = self.used[p].q.val();
                self.offer_ports.offer_unit.next = self.number[p].val();
            }
            if self.used[p].q.val() != bits::<16>(0) {
                self.empty.next = false;
            }
            if self.used[p].q.val() != self.slots.val() {
                if !self.any.val() {
                    self.any.next = true;
                    self.any_place.next = p.to_bits::<5>();
                }
                if !self.after.val() && (self.place.q.val() < p.to_bits::<5>()) {
                    self.after.next = true;
                    self.after_place.next = p.to_bits::<5>();
                }
            }
        }
    }

    /// The lowest free slot of the unit is found.
    fn lowest_slot(&mut self) {
        self.free.next = self.place_used.val() ^ self.slots.val();
        self.single_slot.next = bits::<4>(0);
        self.found.next = false;
        for i in 0..16 {
            if self.free.val().get_bit(i) && !self.found.val() {
                self.found.next = true;
                self.single_slot.next = i.to_bits::<4>();
            }
        }
    }

    /// Pairs, fours and eights of free slots are found, and slots that stand alone.
    fn groups(&mut self) {
        // A single thread takes a slot whose neighbour is taken, so that pairs find room.
        for k in 0..self._groups {
            self.pairs_free[k].next = self.free.val() & (self.free.val() >> bits::<16>(1)) & bits::<16>(0x5555);
            if self.fault_pair_slots[k].val() {
                self.pairs_free[k].next = self.free.val() & (self.free.val() >> bits::<16>(1)) & bits::<16>(0xAAAA);
            }
            self.fours_free[k].next =
                self.pairs_free[k].val() & (self.pairs_free[k].val() >> bits::<16>(2)) & bits::<16>(0x1111);
            if self.fault_split_slots[k].val() {
                self.fours_free[k].next =
                    self.pairs_free[k].val() & (self.pairs_free[k].val() >> bits::<16>(2)) & bits::<16>(0x0444);
            }
            self.several[k].next = self.pairs_free[k].val();
            if self.group[k].val().get_bit(1) {
                self.several[k].next = self.fours_free[k].val();
            }
            for t in 0..self._twins {
                self.eights_free[t].next =
                    self.fours_free[k].val() & (self.fours_free[k].val() >> bits::<16>(4)) & bits::<16>(0x0101);
                if self.fault_twin_slots[t].val() {
                    self.eights_free[t].next =
                        self.fours_free[k].val() & (self.fours_free[k].val() >> bits::<16>(4)) & bits::<16>(0x0010);
                }
                if self.eight[t].val() {
                    self.several[k].next = self.eights_free[t].val();
                }
            }
            self.alone[k].next =
                self.free.val() & !(self.pairs_free[k].val() | (self.pairs_free[k].val() << bits::<16>(1)));
            self.alone_found[k].next = false;
            for i in 0..16 {
                if self.alone[k].val().get_bit(i) && !self.alone_found[k].val() {
                    self.alone_found[k].next = true;
                    self.single_slot.next = i.to_bits::<4>();
                }
            }
            self.pair_found[k].next = false;
            self.pair_slot[k].next = bits::<4>(0);
            for i in 0..16 {
                if self.several[k].val().get_bit(i) && !self.pair_found[k].val() {
                    self.pair_found[k].next = true;
                    self.pair_slot[k].next = i.to_bits::<4>();
                }
            }
        }
    }

    /// A slot, a group or a window stands at the ports.
    fn offer(&mut self) {
        self.hit.next = self.found.val();
        self.chosen.next = bits::<16>(1) << self.single_slot.val();
        self.slot.next = self.single_slot.val();
        for k in 0..self._groups {
            if self.group[k].val().any() {
                self.hit.next = self.pair_found[k].val();
                self.slot.next = self.pair_slot[k].val();
                self.chosen.next = bits::<16>(3) << self.pair_slot[k].val();
            }
            if self.group[k].val() == bits::<2>(2) {
                self.chosen.next = bits::<16>(7) << self.pair_slot[k].val();
            }
            if self.group[k].val() == bits::<2>(3) {
                self.chosen.next = bits::<16>(15) << self.pair_slot[k].val();
            }
            for t in 0..self._twins {
                if self.eight[t].val() {
                    self.chosen.next = bits::<16>(255) << self.pair_slot[k].val();
                }
            }
        }
        self.offer_ports.offer_warp.next = self.slot.val();
        self.offer_group_slot.next = self.slot.val();
        self.offer_shared_base.next = bits::<16>(0);
        if self.pinned.val() {
            self.hit.next = (self.free.val() & self.window.q.val()) == self.window.q.val();
            self.chosen.next = self.window.q.val();
            self.offer_ports.offer_warp.next = self.first.q.val();
            self.offer_group_slot.next = self.group_slot.q.val().get_bits::<4>(0);
            self.offer_shared_base.next = self.base.q.val();
        }
        self.offer_ports.offer.next = self.hit.val();
    }

    /// A take occupies slots; ends and releases free them.
    fn accounts(&mut self) {
        self.marked.next = self.chosen.val();
        if self.fault_dispatch_slot_twice.val() && (self.chosen.val() == bits::<16>(2)) {
            self.marked.next = bits::<16>(0);
        }
        for r in 0..self._rows {
            self.ending[r].next = bits::<16>(1) << self.end[r].warp.val();
        }
        for p in 0..self._n {
            self.used[p].clock.next = self.clock.val();
            self.unended[p].next = self.used[p].q.val();
            for r in 0..self._rows {
                if self.end[r].valid.val() && (self.end[r].unit.val() == self.number[p].val()) {
                    self.unended[p].next = self.unended[p].val() & (self.ending[r].val() ^ bits::<16>(0xFFFF));
                }
            }
            self.with_taken[p].next = self.unended[p].val();
            if self.take.val() && (self.place.q.val() == p.to_bits::<5>()) {
                self.with_taken[p].next = self.unended[p].val() | self.marked.val();
                if self.fault_dispatch_end_lost.val() {
                    self.with_taken[p].next = self.used[p].q.val() | self.marked.val();
                }
            }
            self.next_used[p].next = self.with_taken[p].val();
            for t in 0..self._twins {
                if (self.release_unit[t].val() == self.number[p].val()) && !self.fault_twin_release[t].val() {
                    self.next_used[p].next = self.next_used[p].val() & (self.release[t].val() ^ bits::<16>(0xFFFF));
                }
            }
            self.used[p].d.next = self.next_used[p].val();
        }
    }

    /// If cores differ, what this run may not use is occupied from its start on.
    fn exclusion(&mut self) {
        for k in 0..self._mixed {
            self.empty.next = true;
            for p in 0..self._n {
                self.blocked[p].next = self.missing[p].val();
                if self.fault_dispatch_slot_missing.val() {
                    self.blocked[p].next = bits::<16>(0);
                }
                if self.functions[k].val() && !self.fault_dispatch_unable.val() {
                    self.blocked[p].next = self.blocked[p].val() | self.unable[p].val();
                }
                if self.start.val() {
                    self.used[p].d.next = self.blocked[p].val();
                }
                if (self.used[p].q.val() & !self.blocked[p].val()) != bits::<16>(0) {
                    self.empty.next = false;
                }
            }
        }
    }

    /// After a take or a miss the turn goes to the next unit or the next window.
    fn next_place(&mut self) {
        self.first_window.next = (bits::<16>(1) << self.group_warps.val()) - bits::<16>(1);
        self.next_slot.next = self.group_slot.q.val() + bits::<5>(1);
        self.next_place.next = self.place.q.val();
        if self.pinned.val() {
            if self.take.val() || (self.seek.val() && !self.hit.val()) {
                self.group_slot.d.next = self.next_slot.val();
                self.first.d.next = self.first.q.val() + self.group_warps.val().get_bits::<4>(0);
                self.window.d.next = self.window.q.val() << self.group_warps.val();
                self.base.d.next = self.base.q.val() + self.shared_bytes.val();
                if self.take.val() || (self.next_slot.val() == self.group_slots.val()) {
                    self.next_place.next = self.place.q.val() + bits::<5>(1);
                    if self.place.q.val() == self.last_place.val() {
                        self.next_place.next = bits::<5>(0);
                    }
                    self.group_slot.d.next = bits::<5>(0);
                    self.first.d.next = bits::<4>(0);
                    self.window.d.next = self.first_window.val();
                    self.base.d.next = bits::<16>(0);
                }
            }
        } else if self.take.val() || !self.hit.val() {
            self.next_place.next = self.any_place.val();
            if self.after.val() {
                self.next_place.next = self.after_place.val();
            }
        }
        if self.start.val() {
            self.next_place.next = bits::<5>(0);
            self.group_slot.d.next = bits::<5>(0);
            self.first.d.next = bits::<4>(0);
            self.window.d.next = self.first_window.val();
            self.base.d.next = bits::<16>(0);
        }
        self.place.d.next = self.next_place.val();
    }
}
