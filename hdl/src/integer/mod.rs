//! The integer side of a lane: comparisons, shifts and bit fields, and the stage that selects and
//! registers the result.

pub mod alu;
pub mod compare;
pub mod shift;
