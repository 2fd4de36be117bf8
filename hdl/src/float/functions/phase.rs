//! Second and third stage, for sin and cos: how many quadrants the operand is, modulo four, as its
//! significand times 54 bits of 2/pi. Operands below 1/2 in magnitude (sin) take the window that
//! gives the phase relative accuracy.
//!
//! Latency 2, one operation per cycle. What comes out for the other operations means nothing. It
//! can be wrong by a window one place off, which only large operands show. Fault 45 does that from
//! 2^30 on.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::{PhaseProduct, PhaseWindow};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// The two stages with their registers.
#[derive(Default, QuietBlock)]
pub struct Phase {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Operation, see [`super`].
    pub operation: Signal<In, Bits<3>>,
    /// The operand's significand.
    pub significand: Signal<In, Bits<24>>,
    /// The operand's exponent, two's complement.
    pub exponent: Signal<In, Bits<10>>,
    /// Phase, bits 53:22: 2 bits of quadrant, 30 of fraction.
    pub phase: Signal<Out, Bits<32>>,
    digits: PhaseWindow,
    product: PhaseProduct,
    factor_r: DFF<Bits<24>>,
    window_hi_r: DFF<Bits<22>>,
    window_lo_r: DFF<Bits<32>>,
    phase_r: DFF<Bits<32>>,
    /// Exponent + 512, which compares as an unsigned number.
    place: Signal<Local, Bits<10>>,
    offset: Signal<Local, Bits<10>>,
    fault_range_reduction: Planted,
    _active: bool,
}

impl Phase {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self { fault_range_reduction: Planted::new(config.has(Fault::RangeReduction)), ..Self::default() }
    }
}

impl Logic for Phase {
    #[kernel]
    fn update(&mut self) {
        comment!("module: function_phase");
        dff_setup!(self, clock, factor_r, window_hi_r, window_lo_r, phase_r);
        // window(e - 24) begins with the weight 2^(24 - e), which is the offset e + 29. Below e
        // = -29 there are only zeros.
        self.place.next = self.exponent.val() ^ bits::<10>(512);
        self.offset.next = bits::<10>(0);
        if (self.operation.val() == bits::<3>(6)) && (self.place.val() < bits::<10>(511)) {
            // window(-23), whatever the exponent.
            self.offset.next = bits::<10>(30);
        } else if self.place.val() >= bits::<10>(483) {
            self.offset.next = self.place.val() - bits::<10>(483);
        }
        if self.fault_range_reduction.val() && (self.place.val() >= bits::<10>(542)) {
            self.offset.next = self.place.val() - bits::<10>(482);
        }
        self.digits.offset.next = bit_cast::<8, 10>(self.offset.val());
        self.factor_r.d.next = self.significand.val();
        self.window_hi_r.d.next = self.digits.hi.val();
        self.window_lo_r.d.next = self.digits.lo.val();

        self.product.significand.next = self.factor_r.q.val();
        self.product.window_hi.next = self.window_hi_r.q.val();
        self.product.window_lo.next = self.window_lo_r.q.val();
        self.phase_r.d.next = self.product.phase.val();
        self.phase.next = self.phase_r.q.val();
    }
}
