//! The graphics model: immediate and in order, written from `docs/graphics.md`. So far what has no
//! state: where samples lie ([`samples`]), set-up, coverage and depth of a triangle ([`triangle`]),
//! varyings ([`interpolate`]), and blending of integers ([`blend`]).

pub mod blend;
pub mod interpolate;
pub mod samples;
pub mod triangle;
