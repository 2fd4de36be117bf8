//! The sum in the window as an integer: the bit of weight 1 is bit 32, so word 1 is the magnitude,
//! word 2 what is too large and word 0 the fraction that truncation drops. Saturates; a NaN
//! gives 0.
//!
//! Combinational. It can be wrong at the limits -2^31, 2^31 and 2^32. Fault 4 wraps instead of
//! saturating.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// Window to integer.
#[derive(QuietBlock)]
pub struct ToInteger {
    /// Magnitude of the sum: the integer.
    pub s1: Signal<In, Bits<32>>,
    /// What is too large.
    pub s2: Signal<In, Bits<32>>,
    /// Sign of the sum.
    pub sign: Signal<In, bool>,
    /// It is a NaN.
    pub nan: Signal<In, bool>,
    /// The result is a signed integer.
    pub signed_result: Signal<In, bool>,
    /// The integer; saturated, 0 for a NaN.
    pub value: Signal<Out, Bits<32>>,
    least: Constant<Bits<32>>,
    greatest: Constant<Bits<32>>,
    ones: Constant<Bits<32>>,
    fault_convert_saturate: Planted,
    _active: bool,
}

impl ToInteger {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            s1: Signal::default(),
            s2: Signal::default(),
            sign: Signal::default(),
            nan: Signal::default(),
            signed_result: Signal::default(),
            value: Signal::default(),
            least: Constant::new(bits(0x8000_0000)),
            greatest: Constant::new(bits(0x7FFF_FFFF)),
            ones: Constant::new(bits(0xFFFF_FFFF)),
            fault_convert_saturate: Planted::new(config.has(Fault::ConvertSaturate)),
            _active: true,
        }
    }
}

impl Logic for ToInteger {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_to_integer");
        self.value.next = self.s1.val();
        if self.sign.val() {
            self.value.next = bits::<32>(0) - self.s1.val();
        }
        if !self.fault_convert_saturate.val() {
            if self.signed_result.val() {
                if self.sign.val() && (self.s2.val().any() || (self.s1.val() > self.least.val())) {
                    self.value.next = self.least.val();
                } else if !self.sign.val() && (self.s2.val().any() || (self.s1.val() > self.greatest.val())) {
                    self.value.next = self.greatest.val();
                }
            } else if self.sign.val() {
                self.value.next = bits::<32>(0);
            } else if self.s2.val().any() {
                self.value.next = self.ones.val();
            }
        }
        if self.nan.val() {
            self.value.next = bits::<32>(0);
        }
    }
}
