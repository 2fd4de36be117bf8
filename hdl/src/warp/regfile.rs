//! Register file: 32 registers of 32 bits for each of 4 lanes of each warp slot, in synchronous
//! RAM. Three read ports are three copies of the RAM; a write port with a lane mask writes all
//! copies.
//!
//! With one bank (`register_banks`) there is one write per cycle. With two banks, even registers
//! stand in one and odd ones in the other, each half as deep with a write port of its own. So a
//! lane result and a completion are written in the same cycle if one register is even and the other
//! odd. Reads know no banks: every bank has all three copies.
//!
//! With merging or splitting a port may read another slot's registers than those of `read_warp`
//! (`fold`), and lanes may read 0 (`hide_*`, with the address): [`super::register_map`] says which.
//! With `merge_private = new` there is a further set of registers for each two slots, behind those
//! of all slots (`third`).
//!
//! Latency: address in one cycle, data in the next; one read on every port and one write per bank
//! and cycle. A read of the register that is written in the same cycle delivers the new value
//! (bypass), for the lanes that are written. Wrong if the bypass forgets the lane mask, compares
//! only the register, or looks at the bank of another cycle than the data.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Parameter, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::{GpuConfig, PrivateSet};
use crate::fault::Fault;
use crate::ports::{OddRegisterWriteIn, RegisterWriteIn};

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
    /// Where a result is written.
    pub write_ports: RegisterWriteIn,
    /// Value per lane.
    pub write_value: Vec<Signal<In, Bits<32>>>,
    /// Where a result is written in the bank of odd registers.
    pub odd_ports: Each<OddRegisterWriteIn>,
    /// Value per lane. Absent with one bank.
    pub odd_value: Vec<Signal<In, Bits<32>>>,
    // Merging and splitting: each is one, or none.
    /// Slot of the public registers.
    pub fold_warp: Vec<Signal<In, Bits<4>>>,
    /// Ports a, b, c read the registers of that slot.
    pub fold: Vec<Signal<In, Bits<3>>>,
    /// Lanes that read 0 on port a.
    pub hide_a: Vec<Signal<In, Bits<4>>>,
    /// Lanes that read 0 on port b.
    pub hide_b: Vec<Signal<In, Bits<4>>>,
    /// Lanes that read 0 on port c.
    pub hide_c: Vec<Signal<In, Bits<4>>>,
    // A further set for each two slots: one, or none; of the last one for each bank.
    /// Ports a, b, c read it.
    pub third: Vec<Signal<In, Bits<3>>>,
    /// It is written.
    pub third_write: Vec<Signal<In, bool>>,
    /// Number of the first one: that of the slots.
    first_third: Vec<Parameter<12>>,
    fault_merged_new: Vec<Planted>,
    _fresh: usize,
    /// Ports that read one lane for all lanes, and that lane; one, or none (MS-41).
    pub spread: Vec<Signal<In, Bits<3>>>,
    /// That lane.
    pub spread_lane: Vec<Signal<In, Bits<2>>>,
    spread_now: Vec<DFF<Bits<3>>>,
    spread_from: Vec<DFF<Bits<2>>>,
    one_a: Vec<Signal<Local, Bits<32>>>,
    one_b: Vec<Signal<Local, Bits<32>>>,
    one_c: Vec<Signal<Local, Bits<32>>>,
    fault_shape_read: Vec<Planted>,
    _turns: usize,
    hidden_a: Vec<DFF<Bits<4>>>,
    hidden_b: Vec<DFF<Bits<4>>>,
    hidden_c: Vec<DFF<Bits<4>>>,
    /// Slots that the ports read.
    warp_a: Signal<Local, Bits<4>>,
    warp_b: Signal<Local, Bits<4>>,
    warp_c: Signal<Local, Bits<4>>,
    ram_a: Vec<Ram>,
    ram_b: Vec<Ram>,
    ram_c: Vec<Ram>,
    /// The write of the last cycle, and which ports read its register.
    last_value: Vec<DFF<Bits<32>>>,
    hit_a: DFF<Bits<4>>,
    hit_b: DFF<Bits<4>>,
    hit_c: DFF<Bits<4>>,
    // The odd bank, and which ports read it.
    odd_ram_a: Vec<Ram>,
    odd_ram_b: Vec<Ram>,
    odd_ram_c: Vec<Ram>,
    odd_last: Vec<DFF<Bits<32>>>,
    odd_hit_a: Vec<DFF<Bits<4>>>,
    odd_hit_b: Vec<DFF<Bits<4>>>,
    odd_hit_c: Vec<DFF<Bits<4>>>,
    odd_a: Vec<DFF<bool>>,
    odd_b: Vec<DFF<bool>>,
    odd_c: Vec<DFF<bool>>,
    /// Slot and register that are written, of the odd bank if there are two.
    slot: Signal<Local, Bits<4>>,
    number: Signal<Local, Bits<5>>,
    odd_address: Vec<Signal<Local, Bits<12>>>,
    address_a: Signal<Local, Bits<12>>,
    address_b: Signal<Local, Bits<12>>,
    address_c: Signal<Local, Bits<12>>,
    address_w: Signal<Local, Bits<12>>,
    fault_stale_bypass: Planted,
    _lanes: usize,
    _maps: usize,
    _single: usize,
    _odd: usize,
    _active: bool,
}

impl RegisterFile {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        let odd = config.banks() - 1;
        let fresh = config.of_private(PrivateSet::New);
        let sets = config.warps + fresh * (config.warps / 2);
        let rams = || (0..4).map(|_| Ram::new(32 * sets / (1 + odd))).collect();
        let odd_rams = || (0..4 * odd).map(|_| Ram::new(16 * sets)).collect();
        let maps = usize::from(config.maps());
        let turns = usize::from(config.turns());
        Self {
            fold_warp: vector(maps),
            fold: vector(maps),
            hide_a: vector(maps),
            hide_b: vector(maps),
            hide_c: vector(maps),
            hidden_a: vector(maps),
            spread: vector(turns),
            spread_lane: vector(turns),
            spread_now: vector(turns),
            spread_from: vector(turns),
            one_a: vector(turns),
            one_b: vector(turns),
            one_c: vector(turns),
            fault_shape_read: config.of_turning(Fault::ShapeRead),
            _turns: turns,
            hidden_b: vector(maps),
            hidden_c: vector(maps),
            third: vector(fresh),
            third_write: vector(fresh * (1 + odd)),
            first_third: (0..fresh).map(|_| Parameter::new(config.warps as u64)).collect(),
            fault_merged_new: (0..fresh).map(|_| Planted::new(config.has(Fault::MergedNew))).collect(),
            _fresh: fresh,
            _maps: maps,
            odd_ports: Each::new(odd),
            odd_value: vector(4 * odd),
            odd_ram_a: odd_rams(),
            odd_ram_b: odd_rams(),
            odd_ram_c: odd_rams(),
            odd_last: vector(4 * odd),
            odd_hit_a: vector(odd),
            odd_hit_b: vector(odd),
            odd_hit_c: vector(odd),
            odd_a: vector(odd),
            odd_b: vector(odd),
            odd_c: vector(odd),
            odd_address: vector(odd),
            _single: 1 - odd,
            _odd: odd,
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

#[kernel]
impl RegisterFile {
    /// A port reads the warp's slot, or that of the public registers.
    fn port_slots(&mut self) {
        comment!("module: register_file");
        dff_setup!(self, clock, hit_a, hit_b, hit_c);
        self.warp_a.next = self.read_warp.val();
        self.warp_b.next = self.read_warp.val();
        self.warp_c.next = self.read_warp.val();
        for k in 0..self._maps {
            self.hidden_a[k].clock.next = self.clock.val();
            self.hidden_b[k].clock.next = self.clock.val();
            self.hidden_c[k].clock.next = self.clock.val();
            self.hidden_a[k].d.next = self.hide_a[k].val();
            self.hidden_b[k].d.next = self.hide_b[k].val();
            self.hidden_c[k].d.next = self.hide_c[k].val();
            if self.fold[k].val().get_bit(0) {
                self.warp_a.next = self.fold_warp[k].val();
            }
            if self.fold[k].val().get_bit(1) {
                self.warp_b.next = self.fold_warp[k].val();
            }
            if self.fold[k].val().get_bit(2) {
                self.warp_c.next = self.fold_warp[k].val();
            }
        }
    }

    /// With one bank, slot or set and register are the address.
    fn single_bank(&mut self) {
        for _k in 0..self._single {
            self.slot.next = self.write_ports.write_warp.val();
            self.number.next = self.write_ports.write_register.val();
            self.address_a.next =
                (bit_cast::<12, 4>(self.warp_a.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_a.val());
            self.address_b.next =
                (bit_cast::<12, 4>(self.warp_b.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_b.val());
            self.address_c.next =
                (bit_cast::<12, 4>(self.warp_c.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_c.val());
            self.address_w.next =
                (bit_cast::<12, 4>(self.slot.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.number.val());
            for t in 0..self._fresh {
                if self.third[t].val().get_bit(0) {
                    self.address_a.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.warp_a.val()) >> bits::<12>(1)))
                        << bits::<12>(5))
                        | bit_cast::<12, 5>(self.read_a.val());
                    if self.fault_merged_new[t].val() {
                        self.address_a.next =
                            (self.first_third[t].val() << bits::<12>(5)) | bit_cast::<12, 5>(self.read_a.val());
                    }
                }
                if self.third[t].val().get_bit(1) {
                    self.address_b.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.warp_b.val()) >> bits::<12>(1)))
                        << bits::<12>(5))
                        | bit_cast::<12, 5>(self.read_b.val());
                    if self.fault_merged_new[t].val() {
                        self.address_b.next =
                            (self.first_third[t].val() << bits::<12>(5)) | bit_cast::<12, 5>(self.read_b.val());
                    }
                }
                if self.third[t].val().get_bit(2) {
                    self.address_c.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.warp_c.val()) >> bits::<12>(1)))
                        << bits::<12>(5))
                        | bit_cast::<12, 5>(self.read_c.val());
                    if self.fault_merged_new[t].val() {
                        self.address_c.next =
                            (self.first_third[t].val() << bits::<12>(5)) | bit_cast::<12, 5>(self.read_c.val());
                    }
                }
                if self.third_write[t].val() {
                    self.address_w.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.slot.val()) >> bits::<12>(1)))
                        << bits::<12>(5))
                        | bit_cast::<12, 5>(self.number.val());
                    if self.fault_merged_new[t].val() {
                        self.address_w.next =
                            (self.first_third[t].val() << bits::<12>(5)) | bit_cast::<12, 5>(self.number.val());
                    }
                }
            }
        }
    }

    /// With two banks, slot and half the register are the address.
    fn bank_addresses(&mut self) {
        for k in 0..self._odd {
            self.address_a.next = (bit_cast::<12, 4>(self.warp_a.val()) << bits::<12>(4))
                | (bit_cast::<12, 5>(self.read_a.val()) >> bits::<12>(1));
            self.address_b.next = (bit_cast::<12, 4>(self.warp_b.val()) << bits::<12>(4))
                | (bit_cast::<12, 5>(self.read_b.val()) >> bits::<12>(1));
            self.address_c.next = (bit_cast::<12, 4>(self.warp_c.val()) << bits::<12>(4))
                | (bit_cast::<12, 5>(self.read_c.val()) >> bits::<12>(1));
            self.address_w.next = (bit_cast::<12, 4>(self.write_ports.write_warp.val()) << bits::<12>(4))
                | (bit_cast::<12, 5>(self.write_ports.write_register.val()) >> bits::<12>(1));
            self.slot.next = self.odd_ports[k].odd_warp.val();
            self.number.next = self.odd_ports[k].odd_register.val();
            self.odd_address[k].next = (bit_cast::<12, 4>(self.slot.val()) << bits::<12>(4))
                | (bit_cast::<12, 5>(self.number.val()) >> bits::<12>(1));
        }
    }

    /// With two banks, a port may read or write the further set.
    fn bank_sets(&mut self) {
        for k in 0..self._odd {
            for t in 0..self._fresh {
                if self.third[t].val().get_bit(0) {
                    self.address_a.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.warp_a.val()) >> bits::<12>(1)))
                        << bits::<12>(4))
                        | (bit_cast::<12, 5>(self.read_a.val()) >> bits::<12>(1));
                    if self.fault_merged_new[t].val() {
                        self.address_a.next = (self.first_third[t].val() << bits::<12>(4))
                            | (bit_cast::<12, 5>(self.read_a.val()) >> bits::<12>(1));
                    }
                }
                if self.third[t].val().get_bit(1) {
                    self.address_b.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.warp_b.val()) >> bits::<12>(1)))
                        << bits::<12>(4))
                        | (bit_cast::<12, 5>(self.read_b.val()) >> bits::<12>(1));
                    if self.fault_merged_new[t].val() {
                        self.address_b.next = (self.first_third[t].val() << bits::<12>(4))
                            | (bit_cast::<12, 5>(self.read_b.val()) >> bits::<12>(1));
                    }
                }
                if self.third[t].val().get_bit(2) {
                    self.address_c.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.warp_c.val()) >> bits::<12>(1)))
                        << bits::<12>(4))
                        | (bit_cast::<12, 5>(self.read_c.val()) >> bits::<12>(1));
                    if self.fault_merged_new[t].val() {
                        self.address_c.next = (self.first_third[t].val() << bits::<12>(4))
                            | (bit_cast::<12, 5>(self.read_c.val()) >> bits::<12>(1));
                    }
                }
                if self.third_write[t].val() {
                    self.address_w.next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.write_ports.write_warp.val()) >> bits::<12>(1)))
                        << bits::<12>(4))
                        | (bit_cast::<12, 5>(self.write_ports.write_register.val()) >> bits::<12>(1));
                    if self.fault_merged_new[t].val() {
                        self.address_w.next = (self.first_third[t].val() << bits::<12>(4))
                            | (bit_cast::<12, 5>(self.write_ports.write_register.val()) >> bits::<12>(1));
                    }
                }
                if self.third_write[t + 1].val() {
                    self.odd_address[k].next = ((self.first_third[t].val()
                        + (bit_cast::<12, 4>(self.slot.val()) >> bits::<12>(1)))
                        << bits::<12>(4))
                        | (bit_cast::<12, 5>(self.number.val()) >> bits::<12>(1));
                    if self.fault_merged_new[t].val() {
                        self.odd_address[k].next = (self.first_third[t].val() << bits::<12>(4))
                            | (bit_cast::<12, 5>(self.number.val()) >> bits::<12>(1));
                    }
                }
            }
        }
    }

    /// Reads of the register that is written in the odd bank are marked.
    fn bank_hits(&mut self) {
        for k in 0..self._odd {
            self.odd_a[k].clock.next = self.clock.val();
            self.odd_hit_a[k].clock.next = self.clock.val();
            self.odd_a[k].d.next = self.read_a.val().get_bit(0);
            self.odd_hit_a[k].d.next = bits::<4>(0);
            if self.address_a.val() == self.odd_address[k].val() {
                self.odd_hit_a[k].d.next = self.odd_ports[k].odd_mask.val();
            }
            self.odd_b[k].clock.next = self.clock.val();
            self.odd_hit_b[k].clock.next = self.clock.val();
            self.odd_b[k].d.next = self.read_b.val().get_bit(0);
            self.odd_hit_b[k].d.next = bits::<4>(0);
            if self.address_b.val() == self.odd_address[k].val() {
                self.odd_hit_b[k].d.next = self.odd_ports[k].odd_mask.val();
            }
            self.odd_c[k].clock.next = self.clock.val();
            self.odd_hit_c[k].clock.next = self.clock.val();
            self.odd_c[k].d.next = self.read_c.val().get_bit(0);
            self.odd_hit_c[k].d.next = bits::<4>(0);
            if self.address_c.val() == self.odd_address[k].val() {
                self.odd_hit_c[k].d.next = self.odd_ports[k].odd_mask.val();
            }
            if self.fault_stale_bypass.val() {
                self.odd_hit_a[k].d.next = bits::<4>(0);
                self.odd_hit_b[k].d.next = bits::<4>(0);
                self.odd_hit_c[k].d.next = bits::<4>(0);
            }
        }
    }

    /// Reads of the register that is written are marked.
    fn hits(&mut self) {
        self.hit_a.d.next = bits::<4>(0);
        self.hit_b.d.next = bits::<4>(0);
        self.hit_c.d.next = bits::<4>(0);
        if self.address_a.val() == self.address_w.val() {
            self.hit_a.d.next = self.write_ports.write_mask.val();
        }
        if self.address_b.val() == self.address_w.val() {
            self.hit_b.d.next = self.write_ports.write_mask.val();
        }
        if self.address_c.val() == self.address_w.val() {
            self.hit_c.d.next = self.write_ports.write_mask.val();
        }
        if self.fault_stale_bypass.val() {
            self.hit_a.d.next = bits::<4>(0);
            self.hit_b.d.next = bits::<4>(0);
            self.hit_c.d.next = bits::<4>(0);
        }
    }

    /// Each lane has a RAM for each port, and a read may get the value of the last write.
    fn copies(&mut self) {
        for i in 0..self._lanes {
            clock!(self, clock, ram_a[i], ram_b[i], ram_c[i]);
            self.last_value[i].clock.next = self.clock.val();
            self.ram_a[i].read_address.next = self.address_a.val();
            self.ram_b[i].read_address.next = self.address_b.val();
            self.ram_c[i].read_address.next = self.address_c.val();
            self.ram_a[i].write_address.next = self.address_w.val();
            self.ram_b[i].write_address.next = self.address_w.val();
            self.ram_c[i].write_address.next = self.address_w.val();
            fan_out!(self.write_value[i] =>
                self.ram_a[i].write_data, self.ram_b[i].write_data, self.ram_c[i].write_data
            );
            self.ram_a[i].write_enable.next = self.write_ports.write_mask.val().get_bit(i);
            self.ram_b[i].write_enable.next = self.write_ports.write_mask.val().get_bit(i);
            self.ram_c[i].write_enable.next = self.write_ports.write_mask.val().get_bit(i);
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

    /// The odd bank's RAMs are written, and give the value of an odd register.
    fn odd_copies(&mut self) {
        for k in 0..self._odd {
            for i in 0..self._lanes {
                self.odd_last[i].clock.next = self.clock.val();
                self.odd_last[i].d.next = self.odd_value[i].val();
                clock!(self, clock, odd_ram_a[i], odd_ram_b[i], odd_ram_c[i]);
                self.odd_ram_a[i].read_address.next = self.address_a.val();
                self.odd_ram_a[i].write_address.next = self.odd_address[k].val();
                fan_out!(self.odd_value[i] =>
                    self.odd_ram_a[i].write_data, self.odd_ram_b[i].write_data, self.odd_ram_c[i].write_data
                );
                self.odd_ram_a[i].write_enable.next = self.odd_ports[k].odd_mask.val().get_bit(i);
                if self.odd_a[k].q.val() {
                    self.a[i].next = self.odd_ram_a[i].read_data.val();
                    if self.odd_hit_a[k].q.val().get_bit(i) {
                        self.a[i].next = self.odd_last[i].q.val();
                    }
                }
                self.odd_ram_b[i].read_address.next = self.address_b.val();
                self.odd_ram_b[i].write_address.next = self.odd_address[k].val();
                self.odd_ram_b[i].write_enable.next = self.odd_ports[k].odd_mask.val().get_bit(i);
                if self.odd_b[k].q.val() {
                    self.b[i].next = self.odd_ram_b[i].read_data.val();
                    if self.odd_hit_b[k].q.val().get_bit(i) {
                        self.b[i].next = self.odd_last[i].q.val();
                    }
                }
                self.odd_ram_c[i].read_address.next = self.address_c.val();
                self.odd_ram_c[i].write_address.next = self.odd_address[k].val();
                self.odd_ram_c[i].write_enable.next = self.odd_ports[k].odd_mask.val().get_bit(i);
                if self.odd_c[k].q.val() {
                    self.c[i].next = self.odd_ram_c[i].read_data.val();
                    if self.odd_hit_c[k].q.val().get_bit(i) {
                        self.c[i].next = self.odd_last[i].q.val();
                    }
                }
            }
        }
    }

    /// Hidden lanes read 0.
    fn hiding(&mut self) {
        for k in 0..self._maps {
            for i in 0..self._lanes {
                if self.hidden_a[k].q.val().get_bit(i) {
                    self.a[i].next = bits::<32>(0);
                }
                if self.hidden_b[k].q.val().get_bit(i) {
                    self.b[i].next = bits::<32>(0);
                }
                if self.hidden_c[k].q.val().get_bit(i) {
                    self.c[i].next = bits::<32>(0);
                }
            }
        }
    }

    /// A port may read one lane for all lanes.
    fn spreading(&mut self) {
        for t in 0..self._turns {
            self.spread_now[t].clock.next = self.clock.val();
            self.spread_from[t].clock.next = self.clock.val();
            self.spread_now[t].d.next = self.spread[t].val();
            self.spread_from[t].d.next = self.spread_lane[t].val();
            if self.fault_shape_read[t].val() {
                self.spread_now[t].d.next = bits::<3>(0);
            }
            self.one_a[t].next = self.a[0].val();
            self.one_b[t].next = self.b[0].val();
            self.one_c[t].next = self.c[0].val();
            for i in 0..self._lanes {
                if self.spread_from[t].q.val() == i.to_bits::<2>() {
                    self.one_a[t].next = self.a[i].val();
                    self.one_b[t].next = self.b[i].val();
                    self.one_c[t].next = self.c[i].val();
                }
            }
            for i in 0..self._lanes {
                if self.spread_now[t].q.val().get_bit(0) {
                    self.a[i].next = self.one_a[t].val();
                }
                if self.spread_now[t].q.val().get_bit(1) {
                    self.b[i].next = self.one_b[t].val();
                }
                if self.spread_now[t].q.val().get_bit(2) {
                    self.c[i].next = self.one_c[t].val();
                }
            }
        }
    }
}
