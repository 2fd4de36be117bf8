//! Shifts and bit fields. A field is `offset` = B[4:0] and `count` = min(B[13:8], 32 - offset).
//!
//! Combinational. It can be wrong where a count of 32 or 0 meets a shift amount of 5 bits: masks
//! are made with 6-bit amounts.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::Function;
use crate::comment;
use crate::ports::ShiftOperandsIn;

/// Shifter and bit-field unit; `value` means nothing for any other function.
#[derive(QuietBlock)]
pub struct Shift {
    /// Operands of the integer side.
    pub operand_ports: ShiftOperandsIn,
    /// What to compute: a number of [`Function`].
    pub operation: Signal<In, Function>,
    /// Result.
    pub value: Signal<Out, Bits<32>>,
    offset: Signal<Local, Bits<5>>,
    room: Signal<Local, Bits<6>>,
    /// Width of the field that is asked for; the same, no wider than the room.
    asked: Signal<Local, Bits<6>>,
    count: Signal<Local, Bits<6>>,
    above: Signal<Local, Bits<32>>,
    mask: Signal<Local, Bits<32>>,
    top_bit: Signal<Local, Bits<32>>,
    extracted: Signal<Local, Bits<32>>,
    inserted: Signal<Local, Bits<32>>,
    /// Copies of the field's top bit above it.
    fill: Signal<Local, Bits<32>>,
    ones: Constant<Bits<32>>,
    _active: bool,
}

impl Default for Shift {
    fn default() -> Self {
        Self {
            operand_ports: Default::default(),
            operation: Signal::default(),
            value: Signal::default(),
            offset: Signal::default(),
            room: Signal::default(),
            count: Signal::default(),
            asked: Signal::default(),
            above: Signal::default(),
            mask: Signal::default(),
            top_bit: Signal::default(),
            extracted: Signal::default(),
            inserted: Signal::default(),
            fill: Signal::default(),
            ones: Constant::new(bits(0xFFFF_FFFF)),
            _active: true,
        }
    }
}

impl Logic for Shift {
    #[kernel]
    fn update(&mut self) {
        comment!("module: shift");
        self.offset.next = bit_cast::<5, 32>(self.operand_ports.b.val());
        self.room.next = bits::<6>(32) - bit_cast::<6, 5>(self.offset.val());
        // A shift is the field from the offset to bit 31.
        self.asked.next = self.room.val();
        match self.operation.val() {
            Function::UBfe => self.asked.next = self.operand_ports.b.val().get_bits::<6>(8),
            Function::SBfe => self.asked.next = self.operand_ports.b.val().get_bits::<6>(8),
            Function::Bfi => self.asked.next = self.operand_ports.b.val().get_bits::<6>(8),
            _ => {}
        }
        self.count.next = self.asked.val();
        if self.asked.val() > self.room.val() {
            self.count.next = self.room.val();
        }
        // `mask`: the lowest `count` bits; `above`: the others.
        self.above.next = self.ones.val() << self.count.val();
        self.mask.next = !self.above.val();
        self.top_bit.next = self.mask.val() & !(self.mask.val() >> bits::<1>(1));
        self.extracted.next = (self.operand_ports.a.val() >> self.offset.val()) & self.mask.val();
        self.inserted.next = (self.operand_ports.a.val() & self.mask.val()) << self.offset.val();
        self.fill.next = bits::<32>(0);
        if (self.extracted.val() & self.top_bit.val()).any() {
            self.fill.next = self.above.val();
        }
        self.value.next = self.extracted.val();
        match self.operation.val() {
            Function::Shl => self.value.next = self.inserted.val(),
            Function::Sar => self.value.next = self.extracted.val() | self.fill.val(),
            Function::SBfe => self.value.next = self.extracted.val() | self.fill.val(),
            Function::Bfi => {
                self.value.next =
                    (self.operand_ports.c.val() & !(self.mask.val() << self.offset.val())) | self.inserted.val();
            }
            _ => {}
        }
    }
}
