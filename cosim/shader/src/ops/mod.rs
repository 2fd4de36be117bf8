//! Arithmetic and properties of single operations: the ground floor, above the instruction table.
//!
//! `ssa`, the passes, the front end and the back end build on it. It knows of no program.

pub mod eval;
pub mod float;
mod float_unit;
pub mod predicate;
