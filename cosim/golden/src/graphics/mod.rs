//! The graphics model: immediate and in order, written from `docs/graphics.md`. So far what has no
//! state: where samples lie ([`samples`]), set-up, coverage and depth of a triangle ([`triangle`]),
//! varyings ([`interpolate`]), and blending of integers ([`blend`]).
//! It is wrong where its reading of the page is; the tests know exact integers and rationals, and
//! no other model.

pub mod arith;
pub mod blend;
pub mod interpolate;
pub mod primitive;
pub mod records;
pub mod samples;
pub mod srgb;
pub mod target;
pub mod triangle;
