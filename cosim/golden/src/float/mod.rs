//! The float unit's operations, on the bits of f32: what `docs/float.md` states, as plain
//! functions.
//!
//! Two kinds. The exact ones (`exact`, `convert`) have one right answer per input and are written
//! with the host's own arithmetic, on purpose another method than the RTL's digit recurrences and
//! shifters. The approximated ones (`approx`, `table`) have no right answer but the page's
//! algorithm, which is repeated here step by step. Every operation that has a NaN to give gives
//! [`NAN`]. Wrong where the host is not IEEE 754, or where the page was misread: the tests compare
//! the exact ones with `rustc_apfloat` and the others with f64 functions over whole ranges.

mod approx;
mod convert;
mod exact;
mod nan;
pub mod table;

pub use approx::{cos, exp2, log2, rcp, rsqrt, sin, TWO_OVER_PI};
pub use convert::{
    f16_to_f32, f32_to_f16, pack2x16float, snorm16_decode, snorm16_encode, snorm8_decode, snorm8_encode,
    unorm16_decode, unorm16_encode, unorm8_decode, unorm8_encode,
};
pub(crate) use exact::bits;
pub use exact::{ceil, div, floor, fract, round_even, sqrt, trunc};
pub use nan::{NAN, NAN16};
