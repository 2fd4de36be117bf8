//! Unpacking: one register per lane out of the line that a transaction has read. Combinational,
//! from memory's response to the pipeline's completion register.
//!
//! Register `beat` of a lane is the word `beat` words behind the lane's own; loads of less than a
//! word take its byte or half word, extended by zero or by sign. An atomic's completion has what
//! the atomic delivers instead, the same for all its lanes. Lanes that are not delivered are zero.
//!
//! It can be wrong in which byte is taken and in its extension; `tests/lsa.rs` compares registers
//! with a byte-wise model.
//!
//! Planted fault: `sign-extend`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Unpack {
    /// Words of the line.
    pub line: Vec<Signal<In, Bits<32>>>,
    /// Byte offset in the line of lane i at [4i+3:4i].
    pub offsets: Signal<In, Bits<16>>,
    /// Log2 of the access size in bytes.
    pub size: Signal<In, Bits<3>>,
    /// Extended by sign, else by zero.
    pub sign: Signal<In, bool>,
    /// Lanes that are delivered.
    pub mask: Signal<In, Bits<4>>,
    /// Number of the register among those of the instruction.
    pub beat: Signal<In, Bits<2>>,
    /// The completion is an atomic's.
    pub atomic: Signal<In, bool>,
    /// What the atomic delivers in its first register.
    pub result_lo: Signal<In, Bits<32>>,
    /// What the atomic delivers in its second register.
    pub result_hi: Signal<In, Bits<32>>,
    /// The register's value per lane.
    pub value: Vec<Signal<Out, Bits<32>>>,
    offset: Vec<Signal<Local, Bits<4>>>,
    select: Vec<Signal<Local, Bits<2>>>,
    picked: Vec<Signal<Local, Bits<32>>>,
    half: Vec<Signal<Local, Bits<32>>>,
    octet: Vec<Signal<Local, Bits<32>>>,
    /// By lane: the same, of its size and widened by its sign, or what an atomic returns.
    extended: Vec<Signal<Local, Bits<32>>>,
    fault_sign_extend: Planted,
    _active: bool,
}

impl Unpack {
    /// The unpacking of that configuration (only its planted fault matters here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            line: vector(4),
            value: vector(4),
            offset: vector(4),
            select: vector(4),
            picked: vector(4),
            half: vector(4),
            octet: vector(4),
            extended: vector(4),
            fault_sign_extend: Planted::new(config.has(Fault::SignExtend)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for Unpack {
    #[kernel]
    fn update(&mut self) {
        comment!("module: lsa_unpack");
        for i in 0..4 {
            self.offset[i].next = self.offsets.val().get_bits::<4>(4 * i);
            self.select[i].next = self.offset[i].val().get_bits::<2>(2) + self.beat.val();
            self.picked[i].next = self.line[0].val();
            if self.select[i].val() == bits::<2>(1) {
                self.picked[i].next = self.line[1].val();
            }
            if self.select[i].val() == bits::<2>(2) {
                self.picked[i].next = self.line[2].val();
            }
            if self.select[i].val() == bits::<2>(3) {
                self.picked[i].next = self.line[3].val();
            }
            self.half[i].next = self.picked[i].val();
            if self.offset[i].val().get_bit(1) {
                self.half[i].next = self.picked[i].val() >> 16;
            }
            self.octet[i].next = self.half[i].val();
            if self.offset[i].val().get_bit(0) {
                self.octet[i].next = self.half[i].val() >> 8;
            }
            self.extended[i].next = self.octet[i].val();
            if self.size.val() == bits::<3>(0) {
                self.extended[i].next = self.octet[i].val() & bits::<32>(0xFF);
                if self.sign.val() && self.octet[i].val().get_bit(7) && !self.fault_sign_extend.val() {
                    self.extended[i].next = self.octet[i].val() | bits::<32>(0xFFFF_FF00u64);
                }
            }
            if self.size.val() == bits::<3>(1) {
                self.extended[i].next = self.octet[i].val() & bits::<32>(0xFFFF);
                if self.sign.val() && self.octet[i].val().get_bit(15) {
                    self.extended[i].next = self.octet[i].val() | bits::<32>(0xFFFF_0000u64);
                }
            }
            if self.atomic.val() {
                self.extended[i].next = self.result_lo.val();
                if self.beat.val() == bits::<2>(1) {
                    self.extended[i].next = self.result_hi.val();
                }
            }
            self.value[i].next = bits::<32>(0);
            if self.mask.val().get_bit(i) {
                self.value[i].next = self.extended[i].val();
            }
        }
    }
}
