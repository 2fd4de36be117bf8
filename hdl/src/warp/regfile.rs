//! Register file: 32 registers of 32 bits for each of 4 lanes of each warp slot, in synchronous
//! RAM. Three read ports are three copies of the RAM; one write port with a lane mask writes all
//! copies.
//!
//! Latency: address in one cycle, data in the next; one read on every port and one write per cycle.
//! A read of the register that is written in the same cycle delivers the new value (bypass), for
//! the lanes that are written. Wrong if the bypass forgets the lane mask or compares only the
//! register.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct RegisterFile {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Warp slot that is read.
    pub read_warp: Signal<In, Bits<4>>,
    /// Register on port a.
    pub read_a: Signal<In, Bits<5>>,
    /// Register on port b.
    pub read_b: Signal<In, Bits<5>>,
    /// Register on port c.
    pub read_c: Signal<In, Bits<5>>,
    /// Value on port a per lane, one cycle after its address.
    pub a: Vec<Signal<Out, Bits<32>>>,
    /// Value on port b per lane, one cycle after its address.
    pub b: Vec<Signal<Out, Bits<32>>>,
    /// Value on port c per lane, one cycle after its address.
    pub c: Vec<Signal<Out, Bits<32>>>,
    /// Warp slot that is written.
    pub write_warp: Signal<In, Bits<4>>,
    /// Register that is written.
    pub write_register: Signal<In, Bits<5>>,
    /// Lanes that are written; none is no write.
    pub write_mask: Signal<In, Bits<4>>,
    /// Value per lane.
    pub write_value: Vec<Signal<In, Bits<32>>>,
    ram_a: Vec<Ram>,
    ram_b: Vec<Ram>,
    ram_c: Vec<Ram>,
    /// The write of the last cycle, and which ports read its register.
    last_value: Vec<DFF<Bits<32>>>,
    hit_a: DFF<Bits<4>>,
    hit_b: DFF<Bits<4>>,
    hit_c: DFF<Bits<4>>,
    address_a: Signal<Local, Bits<12>>,
    address_b: Signal<Local, Bits<12>>,
    address_c: Signal<Local, Bits<12>>,
    address_w: Signal<Local, Bits<12>>,
    fault_stale_bypass: Planted,
    _lanes: usize,
    _active: bool,
}

impl RegisterFile {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        let rams = || (0..4).map(|_| Ram::new(32 * config.warps)).collect();
        Self {
            a: vector(4),
            b: vector(4),
            c: vector(4),
            write_value: vector(4),
            ram_a: rams(),
            ram_b: rams(),
            ram_c: rams(),
            last_value: vector(4),
            fault_stale_bypass: Planted::new(config.has(Fault::StaleBypass)),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for RegisterFile {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: register_file");
        dff_setup!(self, clock, hit_a, hit_b, hit_c);
        self.address_a.next =
            (bit_cast::<12, 4>(self.read_warp.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_a.val());
        self.address_b.next =
            (bit_cast::<12, 4>(self.read_warp.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_b.val());
        self.address_c.next =
            (bit_cast::<12, 4>(self.read_warp.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_c.val());
        self.address_w.next =
            (bit_cast::<12, 4>(self.write_warp.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.write_register.val());
        self.hit_a.d.next = bits::<4>(0);
        self.hit_b.d.next = bits::<4>(0);
        self.hit_c.d.next = bits::<4>(0);
        if self.address_a.val() == self.address_w.val() {
            self.hit_a.d.next = self.write_mask.val();
        }
        if self.address_b.val() == self.address_w.val() {
            self.hit_b.d.next = self.write_mask.val();
        }
        if self.address_c.val() == self.address_w.val() {
            self.hit_c.d.next = self.write_mask.val();
        }
        if self.fault_stale_bypass.val() {
            self.hit_a.d.next = bits::<4>(0);
            self.hit_b.d.next = bits::<4>(0);
            self.hit_c.d.next = bits::<4>(0);
        }
        for i in 0..self._lanes {
            self.ram_a[i].clock.next = self.clock.val();
            self.ram_b[i].clock.next = self.clock.val();
            self.ram_c[i].clock.next = self.clock.val();
            self.last_value[i].clock.next = self.clock.val();
            self.ram_a[i].read_address.next = self.address_a.val();
            self.ram_b[i].read_address.next = self.address_b.val();
            self.ram_c[i].read_address.next = self.address_c.val();
            self.ram_a[i].write_address.next = self.address_w.val();
            self.ram_b[i].write_address.next = self.address_w.val();
            self.ram_c[i].write_address.next = self.address_w.val();
            self.ram_a[i].write_data.next = self.write_value[i].val();
            self.ram_b[i].write_data.next = self.write_value[i].val();
            self.ram_c[i].write_data.next = self.write_value[i].val();
            self.ram_a[i].write_enable.next = self.write_mask.val().get_bit(i);
            self.ram_b[i].write_enable.next = self.write_mask.val().get_bit(i);
            self.ram_c[i].write_enable.next = self.write_mask.val().get_bit(i);
            self.last_value[i].d.next = self.write_value[i].val();
            self.a[i].next = self.ram_a[i].read_data.val();
            self.b[i].next = self.ram_b[i].read_data.val();
            self.c[i].next = self.ram_c[i].read_data.val();
            if self.hit_a.q.val().get_bit(i) {
                self.a[i].next = self.last_value[i].q.val();
            }
            if self.hit_b.q.val().get_bit(i) {
                self.b[i].next = self.last_value[i].q.val();
            }
            if self.hit_c.q.val().get_bit(i) {
                self.c[i].next = self.last_value[i].q.val();
            }
        }
    }
}
