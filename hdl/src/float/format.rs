//! Operands that make a fused multiply and add out of a conversion: f16 to f32, and f32 from and to
//! normalised integers.
//!
//! | route | first | second | third | the stages behind |
//! |---|---|---|---|---|
//! | `Half` | the f16's fields in those of f32 | 2^112 | zero of the product's sign | product, exact: 112 is the difference of the biases, subnormals included |
//! | `EncodeXxx` | A held in [0, 1] or [-1, 1], 0 for a NaN | the scale | 1/2 | exact sum in the window, cut off at the bit of weight 1 ([`crate::float::normalize`]) |
//! | `DecodeXxx` | n as an integer | repeats n's bits | smallest number of A's sign, or +0 | integer product in units of 2^-48, as a sum with a sticky bit |
//!
//! n / (2^k - 1) is 0.nnn... with n's k bits repeated for ever: the product repeats them so often
//! that 25 bits from the leading one on are right, and the smallest number, which falls out below
//! the window, is the sticky bit of the rest. For n = 2^k - 1 all bits are ones and the rounding
//! gives 1.0; no other n gives a tie or an exact value but 0. k = 16 would take a factor of 33
//! bits, 2^32 + 2^16 + 1 = 65281 * 65793; n * 65281 is one subtraction here.
//!
//! Combinational, in the first stage of a lane. It can be wrong at the ends of the ranges: A beyond
//! 1, n = 0, n = -2^(k-1) (as -1.0).
//!
//! Latency and throughput are the lane's: 5 cycles, one per cycle.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::word::FloatWord;
use crate::cell::Route;
use crate::comment;

/// Operands of the conversions between formats.
#[derive(QuietBlock)]
pub struct FormatOperands {
    /// Operand A: f32, or the narrow format in its low bits.
    pub a: Signal<In, Bits<32>>,
    /// `Half`, or which encoding or decoding, of [`Route`]; the outputs mean nothing for any other.
    pub route: Signal<In, Route>,
    /// For the first operand register.
    pub x: Signal<Out, Bits<32>>,
    /// For the second operand register.
    pub y: Signal<Out, Bits<32>>,
    /// For the third operand register.
    pub z: Signal<Out, Bits<32>>,
    field: Signal<Local, Bits<8>>,
    nan: Signal<Local, bool>,
    /// A held in [-1, 1].
    held: Signal<Local, Bits<32>>,
    /// A held in [0, 1].
    positive: Signal<Local, Bits<32>>,
    low8: Signal<Local, Bits<8>>,
    low16: Signal<Local, Bits<16>>,
    /// Signed number without its sign; the same negated; its magnitude.
    low7: Signal<Local, Bits<7>>,
    negated7: Signal<Local, Bits<7>>,
    magnitude7: Signal<Local, Bits<7>>,
    /// The same of 16 bits.
    low15: Signal<Local, Bits<15>>,
    negated15: Signal<Local, Bits<15>>,
    magnitude15: Signal<Local, Bits<15>>,
    twice: Signal<Local, Bits<32>>,
    /// Fields of an f16 moved to those of f32; the same with f32's exponent of infinities.
    half_moved: Signal<Local, Bits<32>>,
    half_magnitude: Signal<Local, Bits<32>>,
    sign_bit: Constant<Bits<32>>,
    one: Constant<Bits<32>>,
    one_half: Constant<Bits<32>>,
    half_infinity: Constant<Bits<32>>,
    half_scale: Constant<Bits<32>>,
    scale8: Constant<Bits<32>>,
    scale16: Constant<Bits<32>>,
    scale7: Constant<Bits<32>>,
    scale15: Constant<Bits<32>>,
    copies8: Constant<Bits<32>>,
    copies16: Constant<Bits<32>>,
    copies7: Constant<Bits<32>>,
    copies15: Constant<Bits<32>>,
    sticky_negative: Constant<Bits<32>>,
    _active: bool,
}

impl Default for FormatOperands {
    fn default() -> Self {
        let f32_word = |value: f32| Constant::new(bits(value.to_bits().into()));
        Self {
            a: Signal::default(),
            route: Signal::default(),
            x: Signal::default(),
            y: Signal::default(),
            z: Signal::default(),
            field: Signal::default(),
            nan: Signal::default(),
            held: Signal::default(),
            positive: Signal::default(),
            low8: Signal::default(),
            low16: Signal::default(),
            magnitude7: Signal::default(),
            low7: Signal::default(),
            negated7: Signal::default(),
            magnitude15: Signal::default(),
            low15: Signal::default(),
            negated15: Signal::default(),
            twice: Signal::default(),
            half_magnitude: Signal::default(),
            half_moved: Signal::default(),
            sign_bit: Constant::new(bits(0x8000_0000)),
            one: f32_word(1.0),
            one_half: f32_word(0.5),
            half_infinity: Constant::new(bits(0x7000_0000)),
            half_scale: f32_word(2f32.powi(112)),
            scale8: f32_word(255.0),
            scale16: f32_word(65535.0),
            scale7: f32_word(127.0),
            scale15: f32_word(32767.0),
            copies8: Constant::new(bits(1 << 24 | 1 << 16 | 1 << 8 | 1)),
            copies16: Constant::new(bits(65793)),
            copies7: Constant::new(bits(1 << 28 | 1 << 21 | 1 << 14 | 1 << 7 | 1)),
            copies15: Constant::new(bits(1 << 30 | 1 << 15 | 1)),
            sticky_negative: Constant::new(bits(0x8000_0001)),
            _active: true,
        }
    }
}

impl Logic for FormatOperands {
    #[kernel]
    fn update(&mut self) {
        comment!("module: format_operands");
        self.low8.next = bit_cast::<8, 32>(self.a.val());
        self.low16.next = bit_cast::<16, 32>(self.a.val());
        // Encoding: hold A in the range.
        self.field.next = self.a.val().get_value_exponent_field();
        self.nan.next = self.field.val().all() && self.a.val().get_value_fraction().any();
        self.held.next = self.a.val();
        if self.nan.val() {
            self.held.next = bits::<32>(0);
        } else if self.field.val() >= bits::<8>(127) {
            self.held.next = (self.a.val() & self.sign_bit.val()) | self.one.val();
        }
        self.positive.next = self.held.val();
        if self.a.val().get_value_sign() {
            self.positive.next = bits::<32>(0);
        }
        // Signed decoding: magnitudes; -2^(k-1) has no magnitude of k - 1 bits and stands for -1.0,
        // as the number above it.
        self.low7.next = bit_cast::<7, 32>(self.a.val());
        self.negated7.next = bits::<7>(0) - self.low7.val();
        self.magnitude7.next = self.low7.val();
        self.low15.next = bit_cast::<15, 32>(self.a.val());
        self.negated15.next = bits::<15>(0) - self.low15.val();
        self.magnitude15.next = self.low15.val();
        if self.a.val().get_bit(7) {
            self.magnitude7.next = self.negated7.val();
            if !self.negated7.val().any() {
                self.magnitude7.next = bits::<7>(127);
            }
        }
        if self.a.val().get_bit(15) {
            self.magnitude15.next = self.negated15.val();
            if !self.negated15.val().any() {
                self.magnitude15.next = bits::<15>(32767);
            }
        }
        // f16: the fields moved to those of f32; its infinities' and NaNs' exponent becomes that of
        // f32.
        self.half_moved.next = bit_cast::<32, 15>(bit_cast::<15, 32>(self.a.val())) << bits::<4>(13);
        self.half_magnitude.next = self.half_moved.val();
        if self.a.val().get_bits::<5>(10).all() {
            self.half_magnitude.next = self.half_moved.val() | self.half_infinity.val();
        }
        self.twice.next =
            (bit_cast::<32, 16>(self.low16.val()) << bits::<5>(16)) | bit_cast::<32, 16>(self.low16.val());
        self.x.next = self.held.val();
        self.y.next = self.half_scale.val();
        self.z.next = self.one_half.val();
        match self.route.val() {
            Route::Half => {
                self.x.next = self.half_magnitude.val();
                self.z.next = bits::<32>(0);
                if self.a.val().get_bit(15) {
                    self.x.next = self.half_magnitude.val() | self.sign_bit.val();
                    self.z.next = self.sign_bit.val();
                }
            }
            Route::EncodeUnorm8 => {
                self.x.next = self.positive.val();
                self.y.next = self.scale8.val();
            }
            Route::EncodeUnorm16 => {
                self.x.next = self.positive.val();
                self.y.next = self.scale16.val();
            }
            Route::EncodeSnorm8 => self.y.next = self.scale7.val(),
            Route::EncodeSnorm16 => self.y.next = self.scale15.val(),
            // Each first operand is so far to the left that the product is in units of 2^-48.
            Route::DecodeUnorm8 => {
                self.x.next = bit_cast::<32, 8>(self.low8.val()) << bits::<5>(16);
                self.y.next = self.copies8.val();
                self.z.next = bits::<32>(0);
                if self.low8.val().any() {
                    self.z.next = bits::<32>(1);
                }
            }
            Route::DecodeUnorm16 => {
                self.x.next = self.twice.val() - (bit_cast::<32, 16>(self.low16.val()) << bits::<4>(8));
                self.y.next = self.copies16.val();
                self.z.next = bits::<32>(0);
                if self.low16.val().any() {
                    self.z.next = bits::<32>(1);
                }
            }
            Route::DecodeSnorm8 => {
                self.x.next = bit_cast::<32, 7>(self.magnitude7.val()) << bits::<4>(13);
                self.y.next = self.copies7.val();
                self.z.next = bits::<32>(0);
                if self.a.val().get_bit(7) {
                    self.z.next = self.sticky_negative.val();
                } else if self.low8.val().any() {
                    self.z.next = bits::<32>(1);
                }
            }
            Route::DecodeSnorm16 => {
                self.x.next = bit_cast::<32, 15>(self.magnitude15.val()) << bits::<2>(3);
                self.y.next = self.copies15.val();
                self.z.next = bits::<32>(0);
                if self.a.val().get_bit(15) {
                    self.z.next = self.sticky_negative.val();
                } else if self.low16.val().any() {
                    self.z.next = bits::<32>(1);
                }
            }
            _ => {}
        }
    }
}
