//! Comparison of two words as unsigned, signed or f32: the set instructions' flag, and which
//! operand a minimum or maximum takes. Floats compare as sign and magnitude; `below` is the total
//! order with -0 below +0 that minimum and maximum need, the float set instructions use IEEE 754's.
//!
//! Combinational. It can be wrong at the signs (both negative reverses the order) and at zeros and
//! NaNs. Fault 5 drops the sign bits.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::Function;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// Comparator; `left` against `right`.
#[derive(QuietBlock)]
pub struct Compare {
    /// Left word.
    pub left: Signal<In, Bits<32>>,
    /// Right word.
    pub right: Signal<In, Bits<32>>,
    /// Which comparison: a number of [`Function`].
    pub operation: Signal<In, Function>,
    /// Result of a set instruction; 0 for any other function.
    pub flag: Signal<Out, bool>,
    /// The minimum or maximum is `left`, else `right`.
    pub take_left: Signal<Out, bool>,
    /// Both are NaNs.
    pub both_nan: Signal<Out, bool>,
    equal: Signal<Local, bool>,
    unsigned_less: Signal<Local, bool>,
    signed_less: Signal<Local, bool>,
    left_nan: Signal<Local, bool>,
    right_nan: Signal<Local, bool>,
    below: Signal<Local, bool>,
    float_equal: Signal<Local, bool>,
    float_less: Signal<Local, bool>,
    magnitude_left: Signal<Local, Bits<32>>,
    magnitude_right: Signal<Local, Bits<32>>,
    signs_differ: Signal<Local, bool>,
    both_zero: Signal<Local, bool>,
    ordered: Signal<Local, bool>,
    magnitude_mask: Constant<Bits<32>>,
    infinity: Constant<Bits<32>>,
    fault_signed_compare: Planted,
    _active: bool,
}

impl Compare {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            left: Signal::default(),
            right: Signal::default(),
            operation: Signal::default(),
            flag: Signal::default(),
            take_left: Signal::default(),
            both_nan: Signal::default(),
            equal: Signal::default(),
            unsigned_less: Signal::default(),
            signed_less: Signal::default(),
            left_nan: Signal::default(),
            right_nan: Signal::default(),
            below: Signal::default(),
            float_equal: Signal::default(),
            float_less: Signal::default(),
            magnitude_left: Signal::default(),
            magnitude_right: Signal::default(),
            signs_differ: Signal::default(),
            both_zero: Signal::default(),
            ordered: Signal::default(),
            magnitude_mask: Constant::new(bits(0x7FFF_FFFF)),
            infinity: Constant::new(bits(0x7F80_0000)),
            fault_signed_compare: Planted::new(config.has(Fault::SignedCompare)),
            _active: true,
        }
    }
}

impl Logic for Compare {
    #[kernel]
    fn update(&mut self) {
        comment!("module: compare");
        self.magnitude_left.next = self.left.val() & self.magnitude_mask.val();
        self.magnitude_right.next = self.right.val() & self.magnitude_mask.val();
        self.signs_differ.next = self.left.val().get_bit(31) ^ self.right.val().get_bit(31);
        self.equal.next = self.left.val() == self.right.val();
        self.unsigned_less.next = self.left.val() < self.right.val();
        self.signed_less.next = self.unsigned_less.val() ^ self.signs_differ.val();
        if self.fault_signed_compare.val() {
            self.signed_less.next = self.unsigned_less.val();
        }
        self.left_nan.next = self.magnitude_left.val() > self.infinity.val();
        self.right_nan.next = self.magnitude_right.val() > self.infinity.val();
        self.both_nan.next = self.left_nan.val() && self.right_nan.val();
        self.ordered.next = !self.left_nan.val() && !self.right_nan.val();
        self.both_zero.next = !self.magnitude_left.val().any() && !self.magnitude_right.val().any();
        if self.signs_differ.val() {
            self.below.next = self.left.val().get_bit(31);
        } else if self.left.val().get_bit(31) {
            self.below.next = !self.unsigned_less.val() && !self.equal.val();
        } else {
            self.below.next = self.unsigned_less.val();
        }
        self.float_equal.next = self.ordered.val() && (self.equal.val() || self.both_zero.val());
        self.float_less.next = self.ordered.val() && self.below.val() && !self.both_zero.val();
        self.flag.next = false;
        self.take_left.next = false;
        match self.operation.val() {
            Function::SetEq => self.flag.next = self.equal.val(),
            Function::SetNe => self.flag.next = !self.equal.val(),
            Function::SSetLt => self.flag.next = self.signed_less.val(),
            Function::SSetLe => self.flag.next = self.signed_less.val() || self.equal.val(),
            Function::SSetGt => self.flag.next = !self.signed_less.val() && !self.equal.val(),
            Function::SSetGe => self.flag.next = !self.signed_less.val() || self.equal.val(),
            Function::USetLt => self.flag.next = self.unsigned_less.val(),
            Function::USetLe => self.flag.next = self.unsigned_less.val() || self.equal.val(),
            Function::USetGt => self.flag.next = !self.unsigned_less.val() && !self.equal.val(),
            Function::USetGe => self.flag.next = !self.unsigned_less.val(),
            Function::FSetEq => self.flag.next = self.float_equal.val(),
            Function::FSetNe => self.flag.next = !self.float_equal.val(),
            Function::FSetLt => self.flag.next = self.float_less.val(),
            Function::FSetLe => self.flag.next = self.float_less.val() || self.float_equal.val(),
            Function::FSetGt => {
                self.flag.next = self.ordered.val() && !self.float_less.val() && !self.float_equal.val();
            }
            Function::FSetGe => self.flag.next = self.ordered.val() && !self.float_less.val(),
            Function::SMin => self.take_left.next = self.signed_less.val(),
            Function::SMax => self.take_left.next = !self.signed_less.val(),
            Function::UMin => self.take_left.next = self.unsigned_less.val(),
            Function::UMax => self.take_left.next = !self.unsigned_less.val(),
            Function::FMin => {
                self.take_left.next = self.right_nan.val() || (self.below.val() && !self.left_nan.val());
            }
            Function::FMax => {
                self.take_left.next = self.right_nan.val() || (!self.below.val() && !self.left_nan.val());
            }
            _ => {}
        }
    }
}
