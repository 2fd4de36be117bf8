//! Fourth stage: leading one to the top, exponent of the result, subnormals, overflow, zeros and
//! special values. What leaves is an f32 cut off below its last place, with the guard bit (worth
//! half of it) and the sticky bit (anything below). For the normalised integers it is the integer
//! not above the sum, in fixed point; the sum is below 2^17 there, exact, and has no special
//! values.
//!
//! Latency 1, one operation per cycle. It can be wrong at the border to the subnormals, where the
//! shift stops at the smallest exponent, and in the sign of zero: an exact zero from a subtraction
//! is +0. Fault 2 loses the sticky bit, 8 the NaN's sign, 9 rounds negative ties of the normalised
//! integers down, 10 shifts subnormal results one place too few.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::{LeadingZeros, NormalShift, Path};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::UnroundedOut;

/// How far to shift, combinational: left to the leading one, but not beyond biased exponent 1;
/// right where even the window's top lies below that.
#[derive(Default, QuietBlock)]
pub struct Distance {
    /// Exponent of the window, see [`crate::float`].
    pub exponent: Signal<In, Bits<10>>,
    /// Leading zeros of the sum.
    pub zeros: Signal<In, Bits<7>>,
    /// Path that delivers the result: a number of [`Path`]. For an integer the bit of weight 1
    /// comes to the last place, wherever the leading one is.
    pub path: Signal<In, Path>,
    /// Bits to shift left.
    pub left: Signal<Out, Bits<7>>,
    /// Bits to shift right.
    pub right: Signal<Out, Bits<7>>,
    /// Biased exponent of the result less 1; 0 for subnormals too.
    pub excess: Signal<Out, Bits<10>>,
    fixed: Signal<Local, bool>,
    /// `exponent` of a window that stays as it is: bit 95 of biased exponent 1, or of weight 2^23.
    rest: Signal<Local, Bits<10>>,
    /// `exponent` at which the leading one just has biased exponent 1.
    limit: Signal<Local, Bits<10>>,
    _active: bool,
}

impl Logic for Distance {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_distance");
        // `exponent` is 128 too large, so 129 stands for biased exponent 1, and 278 = 128 + 127 +
        // 23 for weight 2^23.
        self.fixed.next = (self.path.val() == Path::Floor8) || (self.path.val() == Path::Floor16);
        self.rest.next = bits::<10>(129);
        if self.fixed.val() {
            self.rest.next = bits::<10>(278);
        }
        self.limit.next = bit_cast::<10, 7>(self.zeros.val()) + bits::<10>(129);
        self.left.next = bits::<7>(0);
        self.right.next = bits::<7>(0);
        self.excess.next = bits::<10>(0);
        if !self.fixed.val() && (self.exponent.val() >= self.limit.val()) {
            self.left.next = self.zeros.val();
            self.excess.next = self.exponent.val() - self.limit.val();
        } else if self.exponent.val() >= self.rest.val() {
            self.left.next = bit_cast::<7, 10>(self.exponent.val() - self.rest.val());
        } else {
            self.right.next = bit_cast::<7, 10>(self.rest.val() - self.exponent.val());
        }
    }
}

/// The stage with its registers; inputs as of [`crate::float::add::Add`].
#[derive(QuietBlock)]
pub struct Normalize {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Magnitude of the sum, word 0 the lowest.
    pub s0: Signal<In, Bits<32>>,
    /// Word 1 of the magnitude.
    pub s1: Signal<In, Bits<32>>,
    /// Word 2 of the magnitude.
    pub s2: Signal<In, Bits<32>>,
    /// A set bit lies below the window.
    pub sticky: Signal<In, bool>,
    /// Exponent of the window, see [`crate::float`].
    pub exponent: Signal<In, Bits<10>>,
    /// Sign of the sum.
    pub sign: Signal<In, bool>,
    /// Product and addend had different signs.
    pub subtract: Signal<In, bool>,
    /// The result is an infinity.
    pub infinite: Signal<In, bool>,
    /// The result is the NaN.
    pub nan: Signal<In, bool>,
    /// Path that delivers the result: a number of [`Path`].
    pub path: Signal<In, Path>,
    /// A normalised result that is to be rounded.
    pub rounding_ports: UnroundedOut,
    /// A set bit lies below the guard bit.
    pub sticky_out: Signal<Out, bool>,
    zeros: LeadingZeros,
    distance: Distance,
    shift: NormalShift,
    unrounded_r: DFF<Bits<32>>,
    guard_r: DFF<bool>,
    sticky_r: DFF<bool>,
    magnitude: Signal<Local, Bits<32>>,
    negative: Signal<Local, bool>,
    exact: Signal<Local, bool>,
    fixed: Signal<Local, bool>,
    inexact: Signal<Local, bool>,
    mask: Signal<Local, Bits<32>>,
    sign_bit: Constant<Bits<32>>,
    infinity: Constant<Bits<32>>,
    quiet_nan: Constant<Bits<32>>,
    fault_fma_sticky: Planted,
    fault_nan_sign: Planted,
    fault_encode_tie: Planted,
    fault_subnormal_shift: Planted,
    _active: bool,
}

impl Normalize {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            s0: Signal::default(),
            s1: Signal::default(),
            s2: Signal::default(),
            sticky: Signal::default(),
            exponent: Signal::default(),
            sign: Signal::default(),
            subtract: Signal::default(),
            infinite: Signal::default(),
            nan: Signal::default(),
            path: Signal::default(),
            rounding_ports: Default::default(),
            sticky_out: Signal::default(),
            zeros: LeadingZeros::default(),
            distance: Distance::default(),
            shift: NormalShift::default(),
            unrounded_r: DFF::default(),
            guard_r: DFF::default(),
            sticky_r: DFF::default(),
            magnitude: Signal::default(),
            negative: Signal::default(),
            exact: Signal::default(),
            fixed: Signal::default(),
            inexact: Signal::default(),
            mask: Signal::default(),
            sign_bit: Constant::new(bits(0x8000_0000)),
            infinity: Constant::new(bits(0x7F80_0000)),
            quiet_nan: Constant::new(bits(0x7FC0_0000)),
            fault_fma_sticky: Planted::new(config.has(Fault::FmaSticky)),
            fault_nan_sign: Planted::new(config.has(Fault::NanSign)),
            fault_encode_tie: Planted::new(config.has(Fault::EncodeTie)),
            fault_subnormal_shift: Planted::new(config.has(Fault::SubnormalShift)),
            _active: true,
        }
    }
}

#[kernel]
impl Normalize {
    /// The sum is shifted as far as its distance says.
    fn window_shift(&mut self) {
        comment!("module: float_normalize");
        dff_setup!(self, clock, unrounded_r, guard_r, sticky_r);
        self.zeros.w0.next = self.s0.val();
        self.zeros.w1.next = self.s1.val();
        self.zeros.w2.next = self.s2.val();
        self.shift.w0.next = self.s0.val();
        self.shift.w1.next = self.s1.val();
        self.shift.w2.next = self.s2.val();
        self.distance.exponent.next = self.exponent.val();
        self.distance.zeros.next = self.zeros.count.val();
        self.distance.path.next = self.path.val();
        self.fixed.next = (self.path.val() == Path::Floor8) || (self.path.val() == Path::Floor16);
        self.shift.left.next = self.distance.left.val();
        self.shift.right.next = self.distance.right.val();
        if self.fault_subnormal_shift.val() && !self.fixed.val() {
            // Subnormal: the leading one stays below the top, or the window goes right.
            if self.distance.right.val() != bits::<7>(0) {
                self.shift.right.next = self.distance.right.val() - bits::<7>(1);
            } else if (self.distance.left.val() != bits::<7>(0)) && (self.distance.left.val() != self.zeros.count.val())
            {
                self.shift.left.next = self.distance.left.val() - bits::<7>(1);
            }
        }
    }

    /// Exponent and significand are joined; zeros and special values replace them.
    fn magnitude(&mut self) {
        // The significand's hidden bit, where there is one, adds the 1 that the exponent lacks.
        self.magnitude.next = bit_cast::<32, 24>(self.shift.significand.val())
            + (bit_cast::<32, 10>(self.distance.excess.val()) << bits::<5>(23));
        self.negative.next = self.sign.val();
        self.exact.next = false;
        if self.nan.val() {
            self.magnitude.next = self.quiet_nan.val();
            self.negative.next = self.sign.val() && self.fault_nan_sign.val();
            self.exact.next = true;
        } else if self.infinite.val() {
            self.magnitude.next = self.infinity.val();
            self.exact.next = true;
        } else if self.zeros.count.val() == bits::<7>(96) {
            self.magnitude.next = bits::<32>(0);
            self.negative.next = self.sign.val() && !self.subtract.val();
            self.exact.next = true;
        } else if self.distance.excess.val() >= bits::<10>(254) {
            self.magnitude.next = self.infinity.val();
            self.exact.next = true;
        }
        self.unrounded_r.d.next = self.magnitude.val();
        if self.negative.val() {
            self.unrounded_r.d.next = self.magnitude.val() | self.sign_bit.val();
        }
        self.guard_r.d.next = self.shift.guard.val() && !self.exact.val();
        self.sticky_r.d.next = (self.shift.sticky.val() || self.sticky.val()) && !self.exact.val();
        if self.fault_fma_sticky.val() {
            self.sticky_r.d.next = false;
        }
    }

    /// For the normalised integers the result is the integer not above the sum.
    fn floor_result(&mut self) {
        // The integer not above the sum, in two's complement. Below zero that is ~magnitude, plus 1
        // if nothing was cut off: the next stage rounds up. It cannot carry out of the format, the
        // magnitude then being 1 or more.
        self.inexact.next = self.shift.guard.val() || self.shift.sticky.val() || self.sticky.val();
        self.mask.next = bits::<32>(0xFFFF);
        if self.path.val() == Path::Floor8 {
            self.mask.next = bits::<32>(0xFF);
        }
        if self.fixed.val() {
            self.unrounded_r.d.next = self.magnitude.val();
            self.guard_r.d.next = false;
            if self.negative.val() {
                self.unrounded_r.d.next = !self.magnitude.val() & self.mask.val();
                self.guard_r.d.next = !self.inexact.val();
                self.sticky_r.d.next = !self.inexact.val();
                if self.fault_encode_tie.val() {
                    self.guard_r.d.next = false;
                }
            }
        }
        self.rounding_ports.unrounded.next = self.unrounded_r.q.val();
        self.rounding_ports.guard.next = self.guard_r.q.val();
        self.sticky_out.next = self.sticky_r.q.val();
    }
}
