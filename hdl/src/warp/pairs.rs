//! Pairs of warp slots: slots 2 p and 2 p + 1 hold members 0 and 1 of a pair (MS-8). Here is known
//! whether a member has a partner, and when the two merge (MS-11, MS-14).
//!
//! Member 0 is launched first. Until member 1 comes the pair is *open*: member 0 has a partner that
//! cannot have stopped. A merge takes one cycle, in which nothing is launched; one pair of the unit
//! merges in a cycle, the lowest first. It goes to slot 2 p, whose registers are the pair's public
//! ones, so that nothing is moved.
//!
//! It can be wrong in a partner that is taken for dead before it is launched, which then merges
//! with nobody, and in one that is waited for although it has ended: the machine then stands still.
//!
//! Planted faults: `pair-open`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::WarpBeginsIn;

/// See the module documentation. Bit p of a port is pair p.
#[derive(Default, QuietBlock)]
pub struct WarpPairs {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A warp begins in a slot.
    pub start_ports: WarpBeginsIn,
    /// It is a member of a pair.
    pub launch_member: Signal<In, bool>,
    /// It is member 1.
    pub launch_guest: Signal<In, bool>,
    /// Slots 2 p that hold members.
    pub even_member: Signal<In, Bits<8>>,
    /// Slots 2 p + 1 that do.
    pub odd_member: Signal<In, Bits<8>>,
    /// Slots 2 p with lanes that have not ended.
    pub even_alive: Signal<In, Bits<8>>,
    /// Slots 2 p + 1 with such lanes.
    pub odd_alive: Signal<In, Bits<8>>,
    /// Members in slots 2 p that can merge.
    pub even_ready: Signal<In, Bits<8>>,
    /// Members in slots 2 p + 1 that can.
    pub odd_ready: Signal<In, Bits<8>>,
    /// Members in slots 2 p have a partner.
    pub even_partner: Signal<Out, Bits<8>>,
    /// Members in slots 2 p + 1 have one.
    pub odd_partner: Signal<Out, Bits<8>>,
    /// A pair merges in this cycle: its bit.
    pub merge: Signal<Out, Bits<8>>,
    open: DFF<Bits<8>>,
    bit: Signal<Local, Bits<8>>,
    both: Signal<Local, Bits<8>>,
    fault_pair_open: Planted,
    _active: bool,
}

impl WarpPairs {
    /// For the slots of a unit.
    pub fn new(config: &GpuConfig) -> Self {
        Self { fault_pair_open: Planted::new(config.has(Fault::PairOpen)), _active: true, ..Default::default() }
    }
}

impl Logic for WarpPairs {
    #[kernel]
    fn update(&mut self) {
        comment!("module: warp_pairs");
        dff_setup!(self, clock, open);
        self.bit.next = bits::<8>(1) << bit_cast::<8, 3>(self.start_ports.launch_warp.val().get_bits::<3>(1));
        if self.start_ports.launch.val() {
            self.open.d.next = self.open.q.val() & !self.bit.val();
            if self.launch_member.val() && !self.launch_guest.val() {
                self.open.d.next = self.open.q.val() | self.bit.val();
            }
        }
        self.even_partner.next = self.open.q.val() | (self.odd_member.val() & self.odd_alive.val());
        if self.fault_pair_open.val() {
            self.even_partner.next = self.odd_member.val() & self.odd_alive.val();
        }
        self.odd_partner.next = self.even_member.val() & self.even_alive.val();
        self.both.next = self.even_ready.val() & self.odd_ready.val() & !self.open.q.val();
        self.merge.next = bits::<8>(0);
        if !self.start_ports.launch.val() {
            self.merge.next = self.both.val() & (bits::<8>(0) - self.both.val());
        }
    }
}
