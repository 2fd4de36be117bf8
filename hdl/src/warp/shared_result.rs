//! Shared results (WW-34): the result of an operation executed once for the whole warp is written
//! once, to a word that all lanes read, instead of once per lane. Beside the register file stand
//! one word per warp slot and register, and a flag per lane: "this lane's register is the shared
//! word".
//!
//! A warp-wide result sets the word and the flags of the active lanes; nothing is written per lane.
//! Any other write of a lane's register clears its flag. A read takes the word where the flag is
//! set. If the flag of a lane that is *not* active is set, the result goes to the lanes' own
//! registers after all: a new word would take that lane's value away (WW-25). A 64-bit result is
//! two writes, each decided for itself.
//!
//! Latency and throughput as of the register file ([`super::regfile`]): address in one cycle, word
//! and flags in the next; one read on every port and one write per cycle; a read in the cycle of a
//! write sees it. `lanes`, the register file's write mask, is combinational.
//!
//! It can be wrong in a flag that outlives its lane's own write, in the bypass (flag and word are
//! bypassed each for itself), and in the case of the inactive lane; `tests/shared_result.rs` drives
//! block and register file together against a plain model.
//!
//! Planted fault `shared-stale`: a lane's own write does not clear its flag.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;
use crate::ports::RegisterWriteIn;

/// See the module documentation. The flags' memories are as deep as there can be warp slots; bit r
/// of a word is register r.
#[derive(Default, QuietBlock)]
pub struct SharedResult {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Reads, beside those of the register file.
    /// Warp slot that is read.
    pub read_warp: Signal<In, Bits<4>>,
    /// Register on port a.
    pub read_a: Signal<In, Bits<5>>,
    /// Register on port b.
    pub read_b: Signal<In, Bits<5>>,
    /// Register on port c.
    pub read_c: Signal<In, Bits<5>>,
    /// Lanes that take the word on port a, one cycle after its address; the others take their own
    /// register.
    pub shared_a: Signal<Out, Bits<4>>,
    /// Lanes that take the word on port b.
    pub shared_b: Signal<Out, Bits<4>>,
    /// Lanes that take the word on port c.
    pub shared_c: Signal<Out, Bits<4>>,
    /// Shared word on port a, one cycle after its address.
    pub word_a: Signal<Out, Bits<32>>,
    /// Shared word on port b.
    pub word_b: Signal<Out, Bits<32>>,
    /// Shared word on port c.
    pub word_c: Signal<Out, Bits<32>>,
    // Writes.
    /// Where a result is written.
    pub write_ports: RegisterWriteIn,
    /// It is the result of a warp-wide atomic ([`super::request_queue`] tells).
    pub write_wide: Signal<In, bool>,
    /// Value of a warp-wide result, the same for all its lanes.
    pub value: Signal<In, Bits<32>>,
    /// Lanes whose own registers are written: the register file's write mask.
    pub lanes: Signal<Out, Bits<4>>,
    ram_a: Ram,
    ram_b: Ram,
    ram_c: Ram,
    /// Flags per lane, as the reads and as the write see them.
    read_flags: Vec<LutRam>,
    write_flags: Vec<LutRam>,
    flags_a: DFF<Bits<4>>,
    flags_b: DFF<Bits<4>>,
    flags_c: DFF<Bits<4>>,
    /// The word of the last cycle's write, and which ports read it.
    last_word: DFF<Bits<32>>,
    hit_a: DFF<bool>,
    hit_b: DFF<bool>,
    hit_c: DFF<bool>,
    /// Lanes that have the present word alone; those of them that it is not for.
    owners: Signal<Local, Bits<4>>,
    others: Signal<Local, Bits<4>>,
    share: Signal<Local, bool>,
    cleared: Signal<Local, Bits<4>>,
    set: Signal<Local, Bits<4>>,
    changed: Signal<Local, Bits<4>>,
    found_a: Signal<Local, Bits<4>>,
    found_b: Signal<Local, Bits<4>>,
    found_c: Signal<Local, Bits<4>>,
    address_a: Signal<Local, Bits<12>>,
    address_b: Signal<Local, Bits<12>>,
    address_c: Signal<Local, Bits<12>>,
    address_w: Signal<Local, Bits<12>>,
    bit_a: Signal<Local, Bits<32>>,
    bit_b: Signal<Local, Bits<32>>,
    bit_c: Signal<Local, Bits<32>>,
    bit_w: Signal<Local, Bits<32>>,
    fault_shared_stale: Planted,
    _lanes: usize,
    _active: bool,
}

impl SharedResult {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        let ram = || Ram::new(32 * config.warps);
        Self {
            ram_a: ram(),
            ram_b: ram(),
            ram_c: ram(),
            read_flags: vector(4),
            write_flags: vector(4),
            fault_shared_stale: Planted::new(config.has(Fault::SharedStale)),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl SharedResult {
    /// A result is shared unless a lane that it is not for has the present word.
    fn write_decision(&mut self) {
        comment!("module: shared_result");
        dff_setup!(self, clock, flags_a, flags_b, flags_c, last_word, hit_a, hit_b, hit_c);
        clock!(self, clock, ram_a, ram_b, ram_c);
        // The write: shared unless a lane that it is not for has the present word.
        self.address_w.next = (bit_cast::<12, 4>(self.write_ports.write_warp.val()) << bits::<12>(5))
            | bit_cast::<12, 5>(self.write_ports.write_register.val());
        self.bit_w.next = bits::<32>(1) << self.write_ports.write_register.val();
        self.owners.next = bits::<4>(0);
        for i in 0..self._lanes {
            clock!(self, clock, write_flags[i]);
            self.write_flags[i].read_address.next = self.write_ports.write_warp.val();
            if (self.write_flags[i].read_data.val() & self.bit_w.val()).any() {
                self.owners.next = self.owners.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
        }
        self.others.next = self.owners.val() & !self.write_ports.write_mask.val();
        self.share.next = self.write_wide.val() && !self.others.val().any();
        self.lanes.next = self.write_ports.write_mask.val();
        self.set.next = bits::<4>(0);
        self.cleared.next = self.write_ports.write_mask.val();
        if self.share.val() {
            self.lanes.next = bits::<4>(0);
            self.set.next = self.write_ports.write_mask.val();
            self.cleared.next = bits::<4>(0);
        }
        if self.fault_shared_stale.val() {
            self.cleared.next = bits::<4>(0);
        }
        self.last_word.d.next = self.value.val();
    }

    /// Shared words are written, and read on three ports.
    fn word_memory(&mut self) {
        self.address_a.next =
            (bit_cast::<12, 4>(self.read_warp.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_a.val());
        self.address_b.next =
            (bit_cast::<12, 4>(self.read_warp.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_b.val());
        self.address_c.next =
            (bit_cast::<12, 4>(self.read_warp.val()) << bits::<12>(5)) | bit_cast::<12, 5>(self.read_c.val());
        self.ram_a.read_address.next = self.address_a.val();
        self.ram_b.read_address.next = self.address_b.val();
        self.ram_c.read_address.next = self.address_c.val();
        self.ram_a.write_address.next = self.address_w.val();
        self.ram_b.write_address.next = self.address_w.val();
        self.ram_c.write_address.next = self.address_w.val();
        fan_out!(self.value => self.ram_a.write_data, self.ram_b.write_data, self.ram_c.write_data);
        self.ram_a.write_enable.next = self.set.val().any();
        self.ram_b.write_enable.next = self.set.val().any();
        self.ram_c.write_enable.next = self.set.val().any();
    }

    /// Flags of lanes are set or cleared, and read on three ports.
    fn flag_memory(&mut self) {
        self.bit_a.next = bits::<32>(1) << self.read_a.val();
        self.bit_b.next = bits::<32>(1) << self.read_b.val();
        self.bit_c.next = bits::<32>(1) << self.read_c.val();
        self.changed.next = self.set.val() | self.cleared.val();
        self.found_a.next = bits::<4>(0);
        self.found_b.next = bits::<4>(0);
        self.found_c.next = bits::<4>(0);
        for i in 0..self._lanes {
            clock!(self, clock, read_flags[i]);
            self.read_flags[i].read_address.next = self.read_warp.val();
            fan_out!(self.write_ports.write_warp =>
                self.read_flags[i].write_address, self.write_flags[i].write_address
            );
            self.read_flags[i].write_data.next = self.write_flags[i].read_data.val() & !self.bit_w.val();
            self.write_flags[i].write_data.next = self.write_flags[i].read_data.val() & !self.bit_w.val();
            if self.share.val() {
                self.read_flags[i].write_data.next = self.write_flags[i].read_data.val() | self.bit_w.val();
                self.write_flags[i].write_data.next = self.write_flags[i].read_data.val() | self.bit_w.val();
            }
            self.read_flags[i].write_enable.next = self.changed.val().get_bit(i);
            self.write_flags[i].write_enable.next = self.changed.val().get_bit(i);
            if (self.read_flags[i].read_data.val() & self.bit_a.val()).any() {
                self.found_a.next = self.found_a.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
            if (self.read_flags[i].read_data.val() & self.bit_b.val()).any() {
                self.found_b.next = self.found_b.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
            if (self.read_flags[i].read_data.val() & self.bit_c.val()).any() {
                self.found_c.next = self.found_c.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
        }
    }

    /// A read in the cycle of a write sees it.
    fn bypass(&mut self) {
        // A flag that changes in this cycle is read as it will be.
        self.flags_a.d.next = self.found_a.val();
        self.flags_b.d.next = self.found_b.val();
        self.flags_c.d.next = self.found_c.val();
        self.hit_a.d.next = false;
        self.hit_b.d.next = false;
        self.hit_c.d.next = false;
        if self.address_a.val() == self.address_w.val() {
            self.flags_a.d.next = (self.found_a.val() & !self.cleared.val()) | self.set.val();
            self.hit_a.d.next = self.set.val().any();
        }
        if self.address_b.val() == self.address_w.val() {
            self.flags_b.d.next = (self.found_b.val() & !self.cleared.val()) | self.set.val();
            self.hit_b.d.next = self.set.val().any();
        }
        if self.address_c.val() == self.address_w.val() {
            self.flags_c.d.next = (self.found_c.val() & !self.cleared.val()) | self.set.val();
            self.hit_c.d.next = self.set.val().any();
        }
        self.shared_a.next = self.flags_a.q.val();
        self.shared_b.next = self.flags_b.q.val();
        self.shared_c.next = self.flags_c.q.val();
        self.word_a.next = self.ram_a.read_data.val();
        self.word_b.next = self.ram_b.read_data.val();
        self.word_c.next = self.ram_c.read_data.val();
        if self.hit_a.q.val() {
            self.word_a.next = self.last_word.q.val();
        }
        if self.hit_b.q.val() {
            self.word_b.next = self.last_word.q.val();
        }
        if self.hit_c.q.val() {
            self.word_c.next = self.last_word.q.val();
        }
    }
}
