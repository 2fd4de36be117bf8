//! Pairs of groups (MS-42): two quads whose samples are groups that split, and whose first samples,
//! which stand for the pixels, merge before. The first group stands at slot h = 4 q or 8 q, the
//! second one at h + 2 or h + 4. Here is known whether a group has a partner, when the two merge,
//! and how long slot h has to be kept: public registers of both groups stand there.
//!
//! Until the last sample of the second group is launched the pair is *open*: the first group can
//! neither merge nor split. A merge takes one cycle, in which nothing is launched; one of the unit
//! is done in a cycle, that of the lowest slot first. The slot of the second group then sleeps
//! until the merged warp splits, and slot h is kept until it is free again.
//!
//! It can be wrong in a partner that is taken for one when its slot has another warp. So a mark of
//! each slot says that it is of a second group, from its launch on. Planted faults: `twin-early`,
//! `twin-free`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::WarpBeginsIn;

/// See the module documentation. Bit s of a port is slot s.
#[derive(Default, QuietBlock)]
pub struct WarpTwins {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A warp begins in a slot.
    pub start_ports: WarpBeginsIn,
    /// What it is in a pair of groups: 1 of the first group, 2 and 3 of the second one, 2 or 4
    /// slots behind.
    pub launch_twin: Signal<In, Bits<2>>,
    /// Number of its sample in the group.
    pub launch_rank: Signal<In, Bits<2>>,
    /// Other samples of the group.
    pub launch_others: Signal<In, Bits<2>>,
    /// Slots that hold members of pairs, and have not merged.
    pub member: Signal<In, Bits<16>>,
    /// Slots with lanes that have not ended.
    pub alive: Signal<In, Bits<16>>,
    /// Members that can merge.
    pub ready: Signal<In, Bits<16>>,
    /// Other warps of the unit merge in this cycle.
    pub others_merge: Signal<In, bool>,
    /// Slots that can be launched into.
    pub free: Signal<In, Bits<16>>,
    /// Members that have a partner.
    pub partner: Signal<Out, Bits<16>>,
    /// One-hot: slot of the warp that merges into another in this cycle.
    pub merge_source: Signal<Out, Bits<16>>,
    /// One-hot: slot of the warp that it merges into.
    pub merge_target: Signal<Out, Bits<16>>,
    /// Number of that slot.
    pub merge_source_warp: Signal<Out, Bits<4>>,
    /// Number of the slot that remains.
    pub merge_target_warp: Signal<Out, Bits<4>>,
    /// Slots of first groups whose partner is not launched.
    pub open: Signal<Out, Bits<16>>,
    /// Slots that may not be free: public registers of others are in them.
    pub held: Signal<Out, Bits<16>>,
    is_open: DFF<Bits<16>>,
    is_held: DFF<Bits<16>>,
    /// Slots of second groups, by how far behind.
    near: DFF<Bits<16>>,
    far: DFF<Bits<16>>,
    base: Signal<Local, Bits<16>>,
    home: Signal<Local, Bits<16>>,
    live: Signal<Local, Bits<16>>,
    /// Of those, members of groups that are held.
    held_live: Signal<Local, Bits<16>>,
    /// In places of first groups: second ones that live, that can merge, and that are free.
    seconds: Signal<Local, Bits<16>>,
    near_can: Signal<Local, Bits<16>>,
    far_can: Signal<Local, Bits<16>>,
    over: Signal<Local, Bits<16>>,
    can: Signal<Local, Bits<16>>,
    chosen: Signal<Local, Bits<16>>,
    fault_twin_early: Planted,
    fault_twin_free: Planted,
    _active: bool,
}

impl WarpTwins {
    /// For the slots of a unit.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            fault_twin_early: Planted::new(config.has(Fault::TwinEarly)),
            fault_twin_free: Planted::new(config.has(Fault::TwinFree)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl WarpTwins {
    /// Launches open pairs of groups, mark the second ones and hold slots.
    fn marks(&mut self) {
        comment!("module: warp_twins");
        dff_setup!(self, clock, is_open, is_held, near, far);
        self.base.next =
            bits::<16>(1) << (self.start_ports.launch_warp.val() - bit_cast::<4, 2>(self.launch_rank.val()));
        self.home.next = self.base.val();
        if self.launch_twin.val() == bits::<2>(2) {
            self.home.next = self.base.val() >> bits::<16>(2);
        }
        if self.launch_twin.val() == bits::<2>(3) {
            self.home.next = self.base.val() >> bits::<16>(4);
        }
        // A second group is free again when its slot is: first groups are seen from there.
        self.over.next = ((self.free.val() & self.near.q.val()) >> bits::<16>(2))
            | ((self.free.val() & self.far.q.val()) >> bits::<16>(4));
        self.is_held.d.next = self.is_held.q.val() & (self.is_open.q.val() | !self.over.val());
        if self.start_ports.launch.val() {
            // Who is launched into the slot of a second group is of one, or no more.
            self.near.d.next = self.near.q.val() & !(bits::<16>(1) << self.start_ports.launch_warp.val());
            self.far.d.next = self.far.q.val() & !(bits::<16>(1) << self.start_ports.launch_warp.val());
            if (self.launch_twin.val() == bits::<2>(1)) && !self.launch_rank.val().any() {
                self.is_open.d.next = self.is_open.q.val() | self.home.val();
                self.is_held.d.next = self.is_held.q.val() | self.home.val();
                // Marks of older pairs with that home.
                self.near.d.next = self.near.q.val() & !(self.home.val() << bits::<16>(2));
                self.far.d.next = self.far.q.val() & !(self.home.val() << bits::<16>(4));
            }
            if (self.launch_twin.val() == bits::<2>(2)) && !self.launch_rank.val().any() {
                self.near.d.next = self.near.q.val() | self.base.val();
            }
            if (self.launch_twin.val() == bits::<2>(3)) && !self.launch_rank.val().any() {
                self.far.d.next = self.far.q.val() | self.base.val();
            }
            if self.launch_twin.val().get_bit(1) && (self.launch_rank.val() == self.launch_others.val()) {
                self.is_open.d.next = self.is_open.q.val() & !self.home.val();
            }
        }
    }

    /// Members know whether they have a partner, or wait for one.
    fn partners(&mut self) {
        self.held.next = self.is_held.q.val();
        if self.fault_twin_free.val() {
            self.held.next = bits::<16>(0);
        }
        self.open.next = self.is_open.q.val();
        if self.fault_twin_early.val() {
            self.open.next = bits::<16>(0);
        }
        self.live.next = self.member.val() & self.alive.val();
        self.seconds.next = ((self.live.val() & self.near.q.val()) >> bits::<16>(2))
            | ((self.live.val() & self.far.q.val()) >> bits::<16>(4));
        // First groups that are held are those that may have a partner.
        self.partner.next = (self.open.val() | self.seconds.val()) & self.is_held.q.val();
        self.held_live.next = self.live.val() & self.is_held.q.val();
        self.partner.next = self.partner.val()
            | ((self.held_live.val() << bits::<16>(2)) & self.near.q.val())
            | ((self.held_live.val() << bits::<16>(4)) & self.far.q.val());
    }

    /// The lowest pair that can merge does so, if nothing else happens.
    fn merge_choice(&mut self) {
        self.near_can.next = (self.ready.val() & self.near.q.val()) >> bits::<16>(2);
        self.far_can.next = (self.ready.val() & self.far.q.val()) >> bits::<16>(4);
        self.can.next =
            self.ready.val() & self.is_held.q.val() & (self.near_can.val() | self.far_can.val()) & !self.open.val();
        self.chosen.next = bits::<16>(0);
        if !self.start_ports.launch.val() && !self.others_merge.val() {
            self.chosen.next = self.can.val() & (bits::<16>(0) - self.can.val());
        }
        self.merge_target.next = self.chosen.val();
        self.merge_source.next = self.chosen.val() << bits::<16>(4);
        if (self.chosen.val() & self.near_can.val()).any() {
            self.merge_source.next = self.chosen.val() << bits::<16>(2);
        }
        self.merge_target_warp.next = bits::<4>(0);
        self.merge_source_warp.next = bits::<4>(0);
        for i in 0..16 {
            if self.chosen.val().get_bit(i) {
                self.merge_target_warp.next = i.to_bits::<4>();
            }
            if self.merge_source.val().get_bit(i) {
                self.merge_source_warp.next = i.to_bits::<4>();
            }
        }
    }
}
