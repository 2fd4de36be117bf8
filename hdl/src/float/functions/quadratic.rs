//! Fifth to seventh stage: the quadratic of the interval, C0 + C1 * offset + C2 * offset^2. The
//! square is made while the coefficients are read; then the two products, each truncated; then the
//! sum.
//!
//! Latency 3, one operation per cycle. It can be wrong by a unit where a truncation is not towards
//! minus infinity.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::{CoefficientRom, OffsetSquare, QuadraticSum, QuadraticTerms};
use crate::comment;

/// The three stages with their registers.
#[derive(Default, QuietBlock)]
pub struct Quadratic {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Line of the coefficients.
    pub line: Signal<In, Bits<10>>,
    /// Place in the interval, two's complement, units of 2^-21.
    pub offset: Signal<In, Bits<22>>,
    /// Value, units of 2^-28.
    pub y: Signal<Out, Bits<30>>,
    rom: CoefficientRom,
    squarer: OffsetSquare,
    terms: QuadraticTerms,
    sum: QuadraticSum,
    offset_r: DFF<Bits<22>>,
    square_r: DFF<Bits<17>>,
    c0_r: DFF<Bits<29>>,
    linear_r: DFF<Bits<24>>,
    curved_r: DFF<Bits<16>>,
    y_r: DFF<Bits<30>>,
    _active: bool,
}

impl Logic for Quadratic {
    #[kernel]
    fn update(&mut self) {
        comment!("module: function_quadratic");
        dff_setup!(self, clock, offset_r, square_r, c0_r, linear_r, curved_r, y_r);
        clock!(self, clock, rom);
        self.rom.address.next = self.line.val();
        self.squarer.offset.next = self.offset.val();
        self.offset_r.d.next = self.offset.val();
        self.square_r.d.next = self.squarer.square.val();

        self.terms.c1.next = self.rom.c1.val();
        self.terms.offset.next = self.offset_r.q.val();
        self.terms.c2.next = self.rom.c2.val();
        self.terms.square.next = self.square_r.q.val();
        self.c0_r.d.next = self.rom.c0.val();
        self.linear_r.d.next = self.terms.linear.val();
        self.curved_r.d.next = self.terms.curved.val();

        self.sum.c0.next = self.c0_r.q.val();
        self.sum.linear.next = self.linear_r.q.val();
        self.sum.curved.next = self.curved_r.q.val();
        self.y_r.d.next = self.sum.y.val();
        self.y.next = self.y_r.q.val();
    }
}
