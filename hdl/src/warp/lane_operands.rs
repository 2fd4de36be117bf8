//! First stage of a lane: the operands routed by opcode, so that the few paths behind make all
//! instructions (see [`Route`]).
//!
//! Combinational; the lane registers `x`, `y`, `z`. It can be wrong in a route; every instruction's
//! test in `tests/lane_*.rs` goes through it.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::Route;
use crate::comment;
use crate::config::GpuConfig;
use crate::float::format::FormatOperands;
use crate::float::integral::Integral;

/// Operand routing, combinational: what stage 1 registers.
#[derive(QuietBlock)]
pub struct Operands {
    /// Operand A.
    pub a: Signal<In, Bits<32>>,
    /// Operand B.
    pub b: Signal<In, Bits<32>>,
    /// Operand C.
    pub c: Signal<In, Bits<32>>,
    /// How the operands are routed: a number of `Route`.
    pub route: Signal<In, Route>,
    /// For the first operand register.
    pub x: Signal<Out, Bits<32>>,
    /// For the second operand register.
    pub y: Signal<Out, Bits<32>>,
    /// For the third operand register.
    pub z: Signal<Out, Bits<32>>,
    integral: Integral,
    format: FormatOperands,
    sign_bit: Constant<Bits<32>>,
    one: Constant<Bits<32>>,
    _active: bool,
}

impl Operands {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            a: Signal::default(),
            b: Signal::default(),
            c: Signal::default(),
            route: Signal::default(),
            x: Signal::default(),
            y: Signal::default(),
            z: Signal::default(),
            integral: Integral::new(config),
            format: FormatOperands::default(),
            sign_bit: Constant::new(bits(0x8000_0000)),
            one: Constant::new(bits(0x3F80_0000)),
            _active: true,
        }
    }
}

impl Logic for Operands {
    #[kernel]
    fn update(&mut self) {
        comment!("module: lane_operands");
        self.integral.word.next = self.a.val();
        self.integral.route.next = self.route.val();
        self.format.a.next = self.a.val();
        self.format.route.next = self.route.val();
        self.x.next = self.a.val();
        self.y.next = self.b.val();
        self.z.next = self.c.val();
        match self.route.val() {
            Route::Plain => {}
            Route::Sum => {
                self.y.next = self.one.val();
                self.z.next = self.b.val();
            }
            Route::Difference => {
                self.y.next = self.one.val();
                self.z.next = self.b.val() ^ self.sign_bit.val();
            }
            Route::Product => {
                self.z.next = (self.a.val() ^ self.b.val()) & self.sign_bit.val();
            }
            Route::NegatedProduct => {
                self.x.next = self.a.val() ^ self.sign_bit.val();
            }
            Route::SignedInteger => {
                if self.a.val().get_bit(31) {
                    self.x.next = bits::<32>(0) - self.a.val();
                }
                self.z.next = self.a.val() & self.sign_bit.val();
            }
            Route::UnsignedInteger => {
                self.z.next = bits::<32>(0);
            }
            Route::Third => {
                self.x.next = bits::<32>(0);
                self.y.next = bits::<32>(0);
                self.z.next = self.a.val();
            }
            Route::Floor => self.z.next = self.integral.value.val(),
            Route::Ceil => self.z.next = self.integral.value.val(),
            Route::Truncate => self.z.next = self.integral.value.val(),
            Route::RoundEven => self.z.next = self.integral.value.val(),
            Route::Fraction => {
                self.y.next = self.one.val();
                self.z.next = self.integral.value.val() ^ self.sign_bit.val();
            }
            _ => {
                self.x.next = self.format.x.val();
                self.y.next = self.format.y.val();
                self.z.next = self.format.z.val();
            }
        }
    }
}
