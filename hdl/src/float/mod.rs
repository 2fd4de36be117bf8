//! Floating point of a lane: one fused multiply and add in four registered stages ([`multiply`], [`add`], [`normalize`], [`round`]) that also
//! converts between f32 and integers. [`unpack`] and [`to_integer`] are the combinational ends.
//!
//! # The window
//! Product and addend meet in a 96-bit window. The 48-bit product has its lowest bit at bit 20; the 24-bit addend has its lowest bit at
//! bit 72 at most and is shifted right from there, 20 bits of it or more staying below the product. Where the addend would lie higher (*far*) it stays
//! at the top: the product is then below a sixteenth of the addend's last place and only its being non-zero counts. Where the addend
//! falls out below bit 0 the lost bits are one *sticky* bit: there the product has at least 24 bits above bit 20 (two subnormal factors
//! never lie above an addend), so the result's last place is above bit 18.
//!
//! `exponent` is the biased exponent that the result has if bit 95 of the window is its leading one, plus 128 to keep it positive.

pub mod add;
pub mod multiply;
pub mod normalize;
pub mod round;
pub mod to_integer;
pub mod unpack;
