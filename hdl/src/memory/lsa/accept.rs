//! Acceptance of a warp memory instruction: its opcode, lane mask and operands become what the
//! load/store/atomic pipeline cuts and unpacks. Combinational; the pipeline registers all outputs
//! when it accepts.
//!
//! Opcode numbers: bit 7 atomic (bit 6 warp-wide, then bit 5: 64 bit; else bit 4: 64 bit); else bit
//! 3 store, bits 2:0 width and sign.
//!
//! Low address bits are cleared to the access size, and store data narrower than a line is
//! replicated over it, so that merging is a choice of bytes. A warp-wide atomic (WW-20) goes to
//! memory for its lowest active lane alone; its tag has the whole mask, which its completion
//! delivers to (WW-25).
//!
//! It can be wrong in a size or sign, in what is replicated, and in who is the lowest lane;
//! `tests/lsa.rs` runs every opcode against a byte-wise model.
//!
//! Planted faults: `wide-inactive` and `wide-twice`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::flight::Flight;
use crate::base::{vector, Parameter, Planted};
use crate::comment;
use crate::config::{GpuConfig, WarpWide};
use crate::fault::Fault;

/// See the module documentation. Elements of the vectors are lanes, but for `data`.
#[derive(Default, QuietBlock)]
pub struct Accept {
    /// Opcode, bits 7:0 of the instruction word.
    pub op: Signal<In, Bits<8>>,
    /// Active lanes.
    pub mask: Signal<In, Bits<4>>,
    /// Number of the warp unit.
    pub unit: Signal<In, Bits<3>>,
    /// Warp slot in the unit.
    pub warp: Signal<In, Bits<4>>,
    /// Sequence number of the instruction in its warp, modulo 256.
    pub seq: Signal<In, Bits<8>>,
    /// Destination register, the first of several.
    pub dst: Signal<In, Bits<5>>,
    /// Byte address per lane as the instruction has it.
    pub pointer: Vec<Signal<In, Bits<32>>>,
    /// Data word 0 per lane; of an atomic, words 0 and 1 are the operand and 2 and 3 the expected
    /// value.
    pub w0: Vec<Signal<In, Bits<32>>>,
    /// Data word 1 per lane.
    pub w1: Vec<Signal<In, Bits<32>>>,
    /// Data word 2 per lane.
    pub w2: Vec<Signal<In, Bits<32>>>,
    /// Data word 3 per lane.
    pub w3: Vec<Signal<In, Bits<32>>>,
    /// It is a store.
    pub store: Signal<Out, bool>,
    /// It is an atomic.
    pub atomic: Signal<Out, bool>,
    /// Lanes that go to memory.
    pub lanes: Signal<Out, Bits<4>>,
    /// Word 0 of the flight queue but for kind and last: unit, warp, seq, dst, the lanes that a
    /// warp-wide result goes to (else none), size, sign.
    pub tag: Signal<Out, Bits<32>>,
    /// Byte address per lane, a multiple of the size.
    pub address: Vec<Signal<Out, Bits<32>>>,
    /// Words for the line per lane, element word * 4 + lane; of an atomic as they came.
    pub data: Vec<Signal<Out, Bits<32>>>,
    is_atomic: Signal<Local, bool>,
    is_wide: Signal<Local, bool>,
    is_double: Signal<Local, bool>,
    leader: Signal<Local, Bits<4>>,
    whole: Signal<Local, Bits<4>>,
    nibble: Signal<Local, Bits<3>>,
    size: Signal<Local, Bits<3>>,
    sign: Signal<Local, Bits<1>>,
    align: Signal<Local, Bits<32>>,
    /// By lane: its first word, a byte twice if bytes are stored.
    repeated: Vec<Signal<Local, Bits<32>>>,
    word0: Vec<Signal<Local, Bits<32>>>,
    word1: Vec<Signal<Local, Bits<32>>>,
    word2: Vec<Signal<Local, Bits<32>>>,
    word3: Vec<Signal<Local, Bits<32>>>,
    /// Warp-wide atomics come here; else what they need is removed.
    wide: Parameter<1>,
    fault_wide_inactive: Planted,
    fault_wide_twice: Planted,
    _active: bool,
}

impl Accept {
    /// The decoding of that configuration (its way of warp-wide atomics and its planted fault
    /// matter here).
    pub fn new(config: &GpuConfig) -> Self {
        let wide = matches!(config.warp_wide, WarpWide::Representative | WarpWide::Collective);
        Self {
            pointer: vector(4),
            w0: vector(4),
            w1: vector(4),
            w2: vector(4),
            w3: vector(4),
            address: vector(4),
            data: vector(16),
            word0: vector(4),
            repeated: vector(4),
            word1: vector(4),
            word2: vector(4),
            word3: vector(4),
            wide: Parameter::new(u64::from(wide)),
            fault_wide_inactive: Planted::new(config.has(Fault::WideInactive)),
            fault_wide_twice: Planted::new(config.has(Fault::WideTwice)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Accept {
    /// The opcode says which lanes go to memory and which get a warp-wide result.
    fn memory_lanes(&mut self) {
        comment!("module: lsa_accept");
        self.is_atomic.next = self.op.val().get_bit(7);
        self.is_wide.next = self.is_atomic.val() && self.op.val().get_bit(6) && (self.wide.val() == bits::<1>(1));
        self.is_double.next = self.op.val().get_bit(4);
        // The lanes that go to memory, and those that a warp-wide result goes to (none: those of
        // the transaction).
        self.leader.next = self.mask.val();
        self.whole.next = bits::<4>(0);
        if self.is_wide.val() {
            self.is_double.next = self.op.val().get_bit(5);
            self.leader.next = self.mask.val() & (bits::<4>(0) - self.mask.val());
            if self.fault_wide_twice.val() {
                self.leader.next = self.mask.val();
            }
            self.whole.next = self.mask.val();
            if self.fault_wide_inactive.val() {
                self.whole.next = bits::<4>(15);
            }
        }
    }

    /// The opcode says the size of the access, and the sign of a load.
    fn access_size(&mut self) {
        self.nibble.next = self.op.val().get_bits::<3>(0);
        self.sign.next = bits::<1>(0);
        self.size.next = self.nibble.val();
        if self.is_atomic.val() {
            self.size.next = bits::<3>(2);
            if self.is_double.val() {
                self.size.next = bits::<3>(3);
            }
        } else if !self.op.val().get_bit(3) {
            if self.nibble.val().get_bit(0) && !self.nibble.val().get_bit(2) {
                self.sign.next = bits::<1>(1);
            }
            self.size.next = self.nibble.val() - bits::<3>(2);
            if !self.nibble.val().get_bit(2) {
                self.size.next = self.nibble.val() >> 1;
            }
        }
    }

    /// The tag has all that the completion needs.
    fn flight_tag(&mut self) {
        self.store.next = self.op.val().get_bit(3) && !self.is_atomic.val();
        self.atomic.next = self.is_atomic.val();
        self.lanes.next = self.leader.val();
        self.tag.next = bits::<32>(0);
        self.tag.next.set_value_unit(self.unit.val());
        self.tag.next.set_value_warp(self.warp.val());
        self.tag.next.set_value_seq(self.seq.val());
        self.tag.next.set_value_dst(self.dst.val());
        self.tag.next.set_value_mask(self.whole.val());
        self.tag.next.set_value_size(self.size.val());
        self.tag.next.set_value_sign(self.sign.val() == bits::<1>(1));
    }

    /// Addresses are cleared to the size, and narrow data is replicated over the line.
    fn line_words(&mut self) {
        self.align.next = bits::<32>(0xFFFF_FFFFu64);
        if self.size.val() == bits::<3>(1) {
            self.align.next = bits::<32>(0xFFFF_FFFEu64);
        }
        if self.size.val() == bits::<3>(2) {
            self.align.next = bits::<32>(0xFFFF_FFFCu64);
        }
        if self.size.val() == bits::<3>(3) {
            self.align.next = bits::<32>(0xFFFF_FFF8u64);
        }
        if self.size.val() == bits::<3>(4) {
            self.align.next = bits::<32>(0xFFFF_FFF0u64);
        }
        for i in 0..4 {
            self.address[i].next = self.pointer[i].val() & self.align.val();
            self.repeated[i].next = self.w0[i].val();
            self.word0[i].next = self.w0[i].val();
            self.word1[i].next = self.w1[i].val();
            self.word2[i].next = self.w2[i].val();
            self.word3[i].next = self.w3[i].val();
            if !self.is_atomic.val() {
                if self.size.val() == bits::<3>(0) {
                    self.repeated[i].next =
                        (self.w0[i].val() & bits::<32>(0xFF)) | ((self.w0[i].val() & bits::<32>(0xFF)) << 8);
                }
                if (self.size.val() == bits::<3>(0)) || (self.size.val() == bits::<3>(1)) {
                    self.word0[i].next = (self.repeated[i].val() & bits::<32>(0xFFFF)) | (self.repeated[i].val() << 16);
                }
                if (self.size.val() != bits::<3>(3)) && (self.size.val() != bits::<3>(4)) {
                    self.word1[i].next = self.word0[i].val();
                }
                if self.size.val() != bits::<3>(4) {
                    self.word2[i].next = self.word0[i].val();
                    self.word3[i].next = self.word1[i].val();
                }
            }
            self.data[i].next = self.word0[i].val();
            self.data[i + 4].next = self.word1[i].val();
            self.data[i + 8].next = self.word2[i].val();
            self.data[i + 12].next = self.word3[i].val();
        }
    }
}
