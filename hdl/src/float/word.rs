//! Words of the float units: each format once, for who writes and who reads it.

use crate::fields;

fields! {
    /// Single precision as IEEE 754 lays it out.
    pub(crate) trait FloatWord: 32 {
        /// Fraction, without the leading one.
        fraction: 23 @ 0,
        /// Biased exponent; 0 of zeros and subnormals, 255 of infinities and NaNs.
        exponent_field: 8 @ 23,
        /// Sign.
        sign: bit @ 31,
    }
}

fields! {
    /// What a quotient or root is besides its digits. A lane that is not active has a zero.
    pub(super) trait Quotient: 4 {
        /// Sign.
        sign: bit @ 0,
        /// It is zero.
        zero: bit @ 1,
        /// It is infinite.
        infinite: bit @ 2,
        /// It is a NaN.
        nan: bit @ 3,
    }
}
