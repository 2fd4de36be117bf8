//! Groups of up to four warps that merge (MS-6, MS-8): who has a partner, and who goes to whom. It
//! stands where [`pairs`](super::pairs) does if groups of more than two are built. Pairs are in
//! slots 2 p and 2 p + 1; groups of three or four begin at a slot whose number four divides. Member
//! m is m slots behind member 0, which is the partner of each other one.
//!
//! A member goes to member 0 when both have stopped; it need not wait for the others (MS-11).
//! Member 0 waits until each of them has come or has ended. Until the last one is launched the
//! group is *open*, and member 0 has a partner that cannot have stopped. If member 0 ends, its
//! partners go on by themselves. A merge takes one cycle, in which nothing is launched; one of the
//! unit is done in a cycle, that of the lowest slot first. Nothing is moved: the public registers
//! are those of member 0's slot.
//!
//! It can be wrong in whose guest slot 4 q + 3 holds: a pair's or a group's. A bit of each slot
//! says it, from its launch on. Planted fault: `pair-open`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::WarpBeginsIn;

/// See the module documentation. Bit s of a port is slot s.
#[derive(Default, QuietBlock)]
pub struct WarpGroups {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A warp begins in a slot.
    pub start_ports: WarpBeginsIn,
    /// It is a member of a group.
    pub launch_member: Signal<In, bool>,
    /// Its number there.
    pub launch_number: Signal<In, Bits<2>>,
    /// Other members.
    pub launch_others: Signal<In, Bits<2>>,
    /// Slots that hold members.
    pub member: Signal<In, Bits<16>>,
    /// Slots with lanes that have not ended.
    pub alive: Signal<In, Bits<16>>,
    /// Members that can merge.
    pub ready: Signal<In, Bits<16>>,
    /// Members that have a partner.
    pub partner: Signal<Out, Bits<16>>,
    /// One-hot: slot of the warp that merges into another in this cycle.
    pub merge_source: Signal<Out, Bits<16>>,
    /// One-hot: slot of the warp that it merges into.
    pub merge_target: Signal<Out, Bits<16>>,
    /// It has still other partners.
    pub more: Signal<Out, bool>,
    /// Number of that slot.
    pub merge_source_warp: Signal<Out, Bits<4>>,
    /// Member number of the warp that merges into the other.
    pub merge_source_number: Signal<Out, Bits<2>>,
    /// Number of the slot that remains.
    pub merge_target_warp: Signal<Out, Bits<4>>,
    open: DFF<Bits<16>>,
    /// Members of groups of more than two.
    deep: DFF<Bits<16>>,
    bit: Signal<Local, Bits<16>>,
    home: Signal<Local, Bits<16>>,
    live: Signal<Local, Bits<16>>,
    /// Live members 1 of pairs and groups, 2 and 3 of groups; those of groups of more than two.
    firsts: Signal<Local, Bits<16>>,
    seconds: Signal<Local, Bits<16>>,
    thirds: Signal<Local, Bits<16>>,
    /// Guests that are ready, and their members 0 are; in places of guests.
    can_first: Signal<Local, Bits<16>>,
    can_second: Signal<Local, Bits<16>>,
    can_third: Signal<Local, Bits<16>>,
    homes: Signal<Local, Bits<16>>,
    /// Members 0 that live and are ready.
    ready_homes: Signal<Local, Bits<16>>,
    can: Signal<Local, Bits<16>>,
    chosen: Signal<Local, Bits<16>>,
    others: Signal<Local, Bits<16>>,
    fault_pair_open: Planted,
    _active: bool,
}

impl WarpGroups {
    /// For the slots of a unit.
    pub fn new(config: &GpuConfig) -> Self {
        Self { fault_pair_open: Planted::new(config.has(Fault::PairOpen)), _active: true, ..Default::default() }
    }
}

#[kernel]
impl WarpGroups {
    /// A launch opens a group, and its last member closes it.
    fn launch_notes(&mut self) {
        comment!("module: warp_groups");
        dff_setup!(self, clock, open, deep);
        self.bit.next = bits::<16>(1) << self.start_ports.launch_warp.val();
        self.home.next = bits::<16>(1) << (self.start_ports.launch_warp.val() & bits::<4>(14));
        if self.launch_others.val().get_bit(1) {
            self.home.next = bits::<16>(1) << (self.start_ports.launch_warp.val() & bits::<4>(12));
        }
        if self.start_ports.launch.val() {
            self.deep.d.next = self.deep.q.val() & !self.bit.val();
            if self.launch_member.val() {
                if self.launch_others.val().get_bit(1) {
                    self.deep.d.next = self.deep.q.val() | self.bit.val();
                }
                self.open.d.next = self.open.q.val() | self.home.val();
                if self.launch_number.val() == self.launch_others.val() {
                    self.open.d.next = self.open.q.val() & !self.home.val();
                }
            }
        }
    }

    /// Members that live have partners in the places of their group.
    fn partners(&mut self) {
        // Guests that live, each moved to the place of its member 0.
        self.live.next = self.member.val() & self.alive.val();
        self.firsts.next = (self.live.val() >> bits::<16>(1))
            & (bits::<16>(0x1111) | (bits::<16>(0x4444) & !(self.deep.q.val() >> bits::<16>(1))));
        self.seconds.next = ((self.live.val() & self.deep.q.val()) >> bits::<16>(2)) & bits::<16>(0x1111);
        self.thirds.next = ((self.live.val() & self.deep.q.val()) >> bits::<16>(3)) & bits::<16>(0x1111);
        // Members 0 that live: of pairs in 4 q + 2 only if no guest of a group is there.
        self.homes.next = self.live.val() & (bits::<16>(0x1111) | (bits::<16>(0x4444) & !self.deep.q.val()));
        self.partner.next = self.open.q.val() | self.firsts.val() | self.seconds.val() | self.thirds.val();
        if self.fault_pair_open.val() {
            self.partner.next = self.firsts.val() | self.seconds.val() | self.thirds.val();
        }
        // Of guests: member 0, one, two or three slots before.
        self.partner.next = (self.partner.val() & (bits::<16>(0x1111) | (bits::<16>(0x4444) & !self.deep.q.val())))
            | ((self.homes.val() << bits::<16>(1)) & (bits::<16>(0x2222) | (bits::<16>(0x8888) & !self.deep.q.val())))
            | ((self.homes.val() << bits::<16>(2)) & bits::<16>(0x4444) & self.deep.q.val())
            | ((self.homes.val() << bits::<16>(3)) & bits::<16>(0x8888) & self.deep.q.val());
    }

    /// The merge of the lowest slot is done.
    fn merge_choice(&mut self) {
        // Merges, in the places of members 0.
        self.ready_homes.next = self.homes.val() & self.ready.val();
        self.can_first.next = self.ready_homes.val() & self.firsts.val() & (self.ready.val() >> bits::<16>(1));
        self.can_second.next = self.ready_homes.val() & self.seconds.val() & (self.ready.val() >> bits::<16>(2));
        self.can_third.next = self.ready_homes.val() & self.thirds.val() & (self.ready.val() >> bits::<16>(3));
        self.can.next = self.can_first.val() | self.can_second.val() | self.can_third.val();
        self.chosen.next = bits::<16>(0);
        if !self.start_ports.launch.val() {
            self.chosen.next = self.can.val() & (bits::<16>(0) - self.can.val());
        }
        self.merge_target.next = self.chosen.val();
        self.merge_source.next = bits::<16>(0);
        self.merge_source_number.next = bits::<2>(0);
        self.others.next = self.open.q.val();
        if (self.can_first.val() & self.chosen.val()).any() {
            self.merge_source.next = self.chosen.val() << bits::<16>(1);
            self.merge_source_number.next = bits::<2>(1);
            self.others.next = self.open.q.val() | self.seconds.val() | self.thirds.val();
        } else if (self.can_second.val() & self.chosen.val()).any() {
            self.merge_source.next = self.chosen.val() << bits::<16>(2);
            self.merge_source_number.next = bits::<2>(2);
            self.others.next = self.open.q.val() | self.firsts.val() | self.thirds.val();
        } else if (self.can_third.val() & self.chosen.val()).any() {
            self.merge_source.next = self.chosen.val() << bits::<16>(3);
            self.merge_source_number.next = bits::<2>(3);
            self.others.next = self.open.q.val() | self.firsts.val() | self.seconds.val();
        }
        self.more.next = (self.others.val() & self.chosen.val()).any();
        self.merge_target_warp.next = bits::<4>(0);
        self.merge_source_warp.next = bits::<4>(0);
        for i in 0..16 {
            if self.chosen.val().get_bit(i) {
                self.merge_target_warp.next = i.to_bits::<4>();
            }
        }
        self.merge_source_warp.next = self.merge_target_warp.val() + bit_cast::<4, 2>(self.merge_source_number.val());
    }
}
