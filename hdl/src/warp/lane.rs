//! One lane: every fixed-latency instruction of a warp's lane.
//!
//! Latency `LANE_LATENCY` = 5 cycles, one operation per cycle, no stalls: operands that stand
//! before edge t give `value` after edge t + 4.
//!
//! | stage | integer | float, conversions, products |
//! |---|---|---|
//! | 1 | operand registers, routed by opcode ([`Operands`]); integral f32 | same: a sum is A * 1.0 + B, a product A * B + signed zero |
//! | 2 | [`Alu`]; f16 pair, [`ToHalf`] | [`Multiply`]: product, alignment of the addend |
//! | 3 | product words plus integer result | [`Add`]: sum in the 96-bit window |
//! | 4 | float to integer | [`Normalize`] |
//! | 5 | - | [`Round`], selection of the path |
//!
//! An opcode without a lane result (control, undefined) gives 0. It can be wrong in the path
//! control that travels beside the data: a shift by one stage shows only with different operations
//! back to back, which is how the tests run it.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::{Function, LaneControl, Path};
use crate::comment;
use crate::config::GpuConfig;
use crate::float::add::Add;
use crate::float::half::ToHalf;
use crate::float::multiply::Multiply;
use crate::float::normalize::Normalize;
use crate::float::round::Round;
use crate::float::to_integer::ToInteger;
use crate::integer::alu::Alu;
use crate::ports::{ProductsOut, UnroundedOut};
use crate::warp::lane_operands::Operands;

/// The lane.
#[derive(QuietBlock)]
pub struct Lane {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Opcode, bits 7:0 of the instruction.
    pub op: Signal<In, Bits<8>>,
    /// Operand A.
    pub a: Signal<In, Bits<32>>,
    /// Operand B.
    pub b: Signal<In, Bits<32>>,
    /// Operand C.
    pub c: Signal<In, Bits<32>>,
    /// Result of the operation five edges earlier.
    pub value: Signal<Out, Bits<32>>,
    control: LaneControl,
    operands: Operands,
    alu: Alu,
    half_a: ToHalf,
    half_b: ToHalf,
    multiply: Multiply,
    add: Add,
    normalize: Normalize,
    to_integer: ToInteger,
    round: Round,
    a1: DFF<Bits<32>>,
    b1: DFF<Bits<32>>,
    c1: DFF<Bits<32>>,
    operation1: DFF<Function>,
    path1: DFF<Path>,
    path2: DFF<Path>,
    path3: DFF<Path>,
    rounded4: DFF<bool>,
    bypass2: DFF<Bits<32>>,
    bypass3: DFF<Bits<32>>,
    bypass4: DFF<Bits<32>>,
    _active: bool,
}

impl Default for Lane {
    fn default() -> Self {
        Self::new(&GpuConfig::default())
    }
}

impl Lane {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            op: Signal::default(),
            a: Signal::default(),
            b: Signal::default(),
            c: Signal::default(),
            value: Signal::default(),
            control: LaneControl::default(),
            operands: Operands::new(config),
            alu: Alu::new(config),
            half_a: ToHalf::new(config),
            half_b: ToHalf::new(config),
            multiply: Multiply::default(),
            add: Add::default(),
            normalize: Normalize::new(config),
            to_integer: ToInteger::new(config),
            round: Round::new(config),
            a1: DFF::default(),
            b1: DFF::default(),
            c1: DFF::default(),
            operation1: DFF::default(),
            path1: DFF::default(),
            path2: DFF::default(),
            path3: DFF::default(),
            rounded4: DFF::default(),
            bypass2: DFF::default(),
            bypass3: DFF::default(),
            bypass4: DFF::default(),
            _active: true,
        }
    }
}

#[kernel]
impl Lane {
    /// Stage 1 routes and registers the operands.
    fn routing(&mut self) {
        comment!("module: lane");
        clock!(self, clock, a1, b1, c1, operation1, path1, path2, path3, rounded4, bypass2, bypass3, bypass4);
        clock!(self, clock, multiply, add, normalize, round);
        // Stage 1: route and register the operands.
        self.control.op.next = self.op.val();
        self.operands.a.next = self.a.val();
        self.operands.b.next = self.b.val();
        self.operands.c.next = self.c.val();
        self.operands.route.next = self.control.route.val();
        self.a1.d.next = self.operands.x.val();
        self.b1.d.next = self.operands.y.val();
        self.c1.d.next = self.operands.z.val();
        self.operation1.d.next = self.control.operation.val();
        self.path1.d.next = self.control.path.val();
    }

    /// Stage 2 makes the integer result and the f16 pair, and product and alignment.
    fn product(&mut self) {
        self.alu.operand_ports.a.next = self.a1.q.val();
        self.alu.operand_ports.b.next = self.b1.q.val();
        self.alu.operand_ports.c.next = self.c1.q.val();
        self.alu.operation.next = self.operation1.q.val();
        self.half_a.word.next = self.a1.q.val();
        self.half_b.word.next = self.b1.q.val();
        self.bypass2.d.next = self.alu.value.val();
        if self.operation1.q.val() == Function::PackHalf {
            self.bypass2.d.next = bit_cast::<32, 16>(self.half_a.value.val())
                | (bit_cast::<32, 16>(self.half_b.value.val()) << bits::<5>(16));
        }
        self.multiply.operand_ports.a.next = self.a1.q.val();
        self.multiply.operand_ports.b.next = self.b1.q.val();
        self.multiply.operand_ports.c.next = self.c1.q.val();
        self.multiply.path.next = self.path1.q.val();
        self.path2.d.next = self.path1.q.val();
    }

    /// Stage 3 makes the integer products, and the sum in the window.
    fn sum(&mut self) {
        self.bypass3.d.next = self.bypass2.q.val();
        if self.path2.q.val() == Path::MulLow {
            self.bypass3.d.next = self.multiply.sum_ports.p0.val() + self.bypass2.q.val();
        } else if self.path2.q.val() == Path::MulHigh {
            self.bypass3.d.next = self.multiply.sum_ports.p1.val() - self.bypass2.q.val();
        }
        ProductsOut::join(&mut self.multiply.sum_ports, &mut self.add.sum_ports);
        self.path3.d.next = self.path2.q.val();
    }

    /// Stage 4 normalises, and converts float to integer.
    fn normalisation(&mut self) {
        self.normalize.s0.next = self.add.s0.val();
        fan_out!(self.add.s1 => self.normalize.s1, self.to_integer.s1);
        fan_out!(self.add.s2 => self.normalize.s2, self.to_integer.s2);
        self.normalize.sticky.next = self.add.sticky_out.val();
        self.normalize.exponent.next = self.add.exponent_out.val();
        fan_out!(self.add.sign_out => self.normalize.sign, self.to_integer.sign);
        self.normalize.subtract.next = self.add.subtract_out.val();
        self.normalize.infinite.next = self.add.infinite_out.val();
        fan_out!(self.add.nan_out => self.normalize.nan, self.to_integer.nan);
        self.normalize.path.next = self.path3.q.val();
        self.to_integer.signed_result.next = self.path3.q.val() == Path::ToSigned;
        self.bypass4.d.next = self.bypass3.q.val();
        if (self.path3.q.val() == Path::ToSigned) || (self.path3.q.val() == Path::ToUnsigned) {
            self.bypass4.d.next = self.to_integer.value.val();
        }
        self.rounded4.d.next = (self.path3.q.val() == Path::Float)
            || (self.path3.q.val() == Path::FromInteger)
            || (self.path3.q.val() == Path::FromFraction)
            || (self.path3.q.val() == Path::Floor8)
            || (self.path3.q.val() == Path::Floor16);
    }

    /// Stage 5 rounds and selects.
    fn rounding(&mut self) {
        UnroundedOut::join(&mut self.normalize.rounding_ports, &mut self.round.rounding_ports);
        self.round.sticky.next = self.normalize.sticky_out.val();
        self.round.rounded.next = self.rounded4.q.val();
        self.round.bypass.next = self.bypass4.q.val();
        self.value.next = self.round.value.val();
    }
}
