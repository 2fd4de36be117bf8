//! The graphics model: immediate and in order, written from `docs/graphics.md`. So far what has no
//! state: where samples lie ([`samples`]), set-up, coverage and depth of a triangle ([`triangle`]),
//! and varyings ([`interpolate`]).

pub mod interpolate;
pub mod samples;
pub mod triangle;
