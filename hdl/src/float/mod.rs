//! Floating point of a lane: one fused multiply and add in four registered stages ([`multiply`],
//! [`add`], [`normalize`], [`round`]) that also converts between f32 and integers, also normalised
//! ones, and f16. [`unpack`], [`integral`], [`format`], [`half`] and [`to_integer`] are
//! combinational.
//!
//! Outside the lanes, [`divide`] is the division and square root of a warp; [`unpack_normal`] and
//! [`pack`] are its ends, and nothing else uses them. [`functions`] are the table functions; they
//! end in the lane's [`normalize`] and [`round`], because their sums are wider than [`pack`] takes
//! and have no fixed leading one.
//!
//! # The window
//! Product and addend meet in a 96-bit window. The 48-bit product has its lowest bit at bit 20; the
//! 24-bit addend has its lowest bit at bit 72 at most and is shifted right from there, 20 bits of
//! it or more staying below the product. Where the addend would lie higher (*far*) it stays at the
//! top: the product is then below a sixteenth of the addend's last place and only its being
//! non-zero counts. Where the addend falls out below bit 0 the lost bits are one *sticky* bit:
//! there the product has at least 24 bits above bit 20 (two subnormal factors never lie above an
//! addend), so the result's last place is above bit 18.
//!
//! `exponent` is the biased exponent that the result has if bit 95 of the window is its leading
//! one, plus 128 to keep it positive.

pub mod add;
pub mod digits;
pub mod divide;
pub mod divide_start;
pub mod format;
pub mod functions;
pub mod half;
pub mod integral;
pub mod multiply;
pub mod normalize;
pub mod pack;
pub mod round;
pub mod to_integer;
pub mod unpack;
pub mod unpack_normal;
mod word;
