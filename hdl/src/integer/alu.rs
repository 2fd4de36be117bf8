//! Integer stage of a lane: everything that needs no multiplier and no rounding, and the addend of
//! the integer products.
//!
//! Combinational; the lane registers `value`. It can be wrong in a function's selection;
//! `tests/lane_integer.rs` runs every instruction against native arithmetic. Fault 3 drops the
//! carry from bit 15 to bit 16 of sums.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::{BitCount, Function};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::integer::compare::Compare;
use crate::integer::shift::Shift;
use crate::ports::ShiftOperandsIn;

/// Selection of the integer result, combinational.
#[derive(QuietBlock)]
pub struct Alu {
    /// Operands of the integer side.
    pub operand_ports: ShiftOperandsIn,
    /// What to compute: a number of [`Function`].
    pub operation: Signal<In, Function>,
    /// Result.
    pub value: Signal<Out, Bits<32>>,
    compare: Compare,
    shift: Shift,
    count: BitCount,
    chosen: Signal<Local, Bits<32>>,
    /// a + b; the same, without the carry into the high half by the planted fault.
    full_sum: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<32>>,
    low_sum: Signal<Local, Bits<16>>,
    nan: Constant<Bits<32>>,
    high_half: Constant<Bits<32>>,
    fault_add_carry: Planted,
    _active: bool,
}

impl Alu {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            operand_ports: Default::default(),
            operation: Signal::default(),
            value: Signal::default(),
            compare: Compare::new(config),
            shift: Shift::default(),
            count: BitCount::default(),
            chosen: Signal::default(),
            sum: Signal::default(),
            full_sum: Signal::default(),
            low_sum: Signal::default(),
            nan: Constant::new(bits(0x7FC0_0000)),
            high_half: Constant::new(bits(0xFFFF_0000)),
            fault_add_carry: Planted::new(config.has(Fault::AddCarry)),
            _active: true,
        }
    }
}

#[kernel]
impl Alu {
    /// Comparison, shift, counts and sum get their operands.
    fn units(&mut self) {
        comment!("module: integer_alu");
        self.compare.left.next = self.operand_ports.a.val();
        self.compare.right.next = self.operand_ports.b.val();
        fan_out!(self.operation => self.compare.operation, self.shift.operation);
        ShiftOperandsIn::link(&mut self.operand_ports, &mut self.shift.operand_ports);
        self.count.a.next = self.operand_ports.a.val();
        self.full_sum.next = self.operand_ports.a.val() + self.operand_ports.b.val();
        self.low_sum.next = bit_cast::<16, 32>(self.full_sum.val());
        self.sum.next = self.full_sum.val();
        if self.fault_add_carry.val() {
            self.sum.next = ((self.operand_ports.a.val() & self.high_half.val())
                + (self.operand_ports.b.val() & self.high_half.val()))
                | bit_cast::<32, 16>(self.low_sum.val());
        }
        self.chosen.next = self.operand_ports.b.val();
        if self.compare.take_left.val() {
            self.chosen.next = self.operand_ports.a.val();
        }
    }

    /// The function selects the result.
    fn selection(&mut self) {
        self.value.next = bits::<32>(0);
        match self.operation.val() {
            Function::OperandB => self.value.next = self.operand_ports.b.val(),
            Function::OperandC => self.value.next = self.operand_ports.c.val(),
            Function::Add => self.value.next = self.sum.val(),
            Function::Sub => self.value.next = self.operand_ports.a.val() - self.operand_ports.b.val(),
            Function::SignCorrection => {
                if self.operand_ports.a.val().get_bit(31) && self.operand_ports.b.val().get_bit(31) {
                    self.value.next = self.operand_ports.a.val() + self.operand_ports.b.val();
                } else if self.operand_ports.a.val().get_bit(31) {
                    self.value.next = self.operand_ports.b.val();
                } else if self.operand_ports.b.val().get_bit(31) {
                    self.value.next = self.operand_ports.a.val();
                }
            }
            Function::SMin => self.value.next = self.chosen.val(),
            Function::SMax => self.value.next = self.chosen.val(),
            Function::UMin => self.value.next = self.chosen.val(),
            Function::UMax => self.value.next = self.chosen.val(),
            Function::FMin => {
                self.value.next = self.chosen.val();
                if self.compare.both_nan.val() {
                    self.value.next = self.nan.val();
                }
            }
            Function::FMax => {
                self.value.next = self.chosen.val();
                if self.compare.both_nan.val() {
                    self.value.next = self.nan.val();
                }
            }
            Function::And => self.value.next = self.operand_ports.a.val() & self.operand_ports.b.val(),
            Function::Or => self.value.next = self.operand_ports.a.val() | self.operand_ports.b.val(),
            Function::Xor => self.value.next = self.operand_ports.a.val() ^ self.operand_ports.b.val(),
            Function::Shl => self.value.next = self.shift.value.val(),
            Function::Shr => self.value.next = self.shift.value.val(),
            Function::Sar => self.value.next = self.shift.value.val(),
            Function::UBfe => self.value.next = self.shift.value.val(),
            Function::SBfe => self.value.next = self.shift.value.val(),
            Function::Bfi => self.value.next = self.shift.value.val(),
            Function::Popc => self.value.next = bit_cast::<32, 6>(self.count.popc.val()),
            Function::Clz => self.value.next = bit_cast::<32, 6>(self.count.clz.val()),
            Function::Ctz => self.value.next = bit_cast::<32, 6>(self.count.ctz.val()),
            Function::Brev => self.value.next = self.count.brev.val(),
            Function::Select => {
                self.value.next = self.operand_ports.b.val();
                if self.operand_ports.c.val().any() {
                    self.value.next = self.operand_ports.a.val();
                }
            }
            _ => {
                if self.compare.flag.val() {
                    self.value.next = bits::<32>(1);
                }
            }
        }
    }
}
