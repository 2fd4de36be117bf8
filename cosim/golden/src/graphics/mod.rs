//! The graphics model: immediate and in order, written from `docs/graphics.md`. So far what is
//! exact in integers: set-up, coverage and depth of a triangle ([`triangle`]), and where samples
//! lie ([`samples`]).

pub mod samples;
pub mod triangle;
