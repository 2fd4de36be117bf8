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

crate::blocks! {
    "float_integral" "float/integral.rs" "Integral" "rounding to an integral f32"
        |c| integral::Integral::new(c);
    "float_to_half" "float/half.rs" "ToHalf" "f32 to f16" |c| half::ToHalf::new(c);
    "format_operands" "float/format.rs" "FormatOperands" "operands of the conversions between formats"
        |_c| format::FormatOperands::default();
    "float_unpack" "float/unpack.rs" "Unpack" "unpacking of an f32" |_c| unpack::Unpack::default();
    "float_align" "float/multiply.rs" "Align" "alignment of the addend"
        |_c| multiply::Align::default();
    "float_multiply" "float/multiply.rs" "Multiply" "product and alignment, second stage of a lane"
        |_c| multiply::Multiply::default();
    "float_add" "float/add.rs" "Add" "sum in the window, third stage" |_c| add::Add::default();
    "float_distance" "float/normalize.rs" "Distance" "shift distances of the normalisation"
        |_c| normalize::Distance::default();
    "float_normalize" "float/normalize.rs" "Normalize" "normalisation, fourth stage"
        |c| normalize::Normalize::new(c);
    "float_round" "float/round.rs" "Round" "rounding, fifth stage" |c| round::Round::new(c);
    "float_unpack_normal" "float/unpack_normal.rs" "UnpackNormal" "unpacking of an f32, normalised"
        |_c| unpack_normal::UnpackNormal::default();
    "float_divide" "float/divide.rs" "Divide" "division and square root of a warp"
        |c| divide::Divide::new(c);
    "float_divide_start" "float/divide_start.rs" "DivideStart" "first remainder and special cases of a division"
        |_c| divide_start::DivideStart::default();
    "float_digits" "float/digits.rs" "Digits" "digit recurrence of one lane"
        |c| digits::Digits::new(c);
    "float_pack" "float/pack.rs" "Pack" "packing and rounding of an f32" |c| pack::Pack::new(c);
    "float_to_integer" "float/to_integer.rs" "ToInteger" "float to integer"
        |c| to_integer::ToInteger::new(c);
    "float_functions" "float/functions/mod.rs" "Functions" "approximated functions"
        |c| functions::Functions::new(c);
    "function_unpack" "float/functions/unpack.rs" "UnpackStage" "operand and special cases of the approximated functions, first stage"
        |_c| functions::unpack::UnpackStage::default();
    "function_phase" "float/functions/phase.rs" "Phase" "quadrants of sin and cos, second and third stage"
        |c| functions::phase::Phase::new(c);
    "function_octant" "float/functions/octant.rs" "Octant" "place in the octant of sin and cos"
        |_c| functions::octant::Octant::default();
    "function_distance" "float/functions/logarithm.rs" "Distance" "distance from 1 of log2"
        |_c| functions::logarithm::Distance::default();
    "function_logarithm" "float/functions/logarithm.rs" "Logarithm" "integral part and factor of log2"
        |_c| functions::logarithm::Logarithm::default();
    "function_reduce" "float/functions/reduce.rs" "Reduce" "line, offset and factor, fourth stage"
        |c| functions::reduce::Reduce::new(c);
    "function_quadratic" "float/functions/quadratic.rs" "Quadratic" "quadratic of an interval, fifth to seventh stage"
        |_c| functions::quadratic::Quadratic::default();
    "function_combine" "float/functions/combine.rs" "Combine" "product and sum, eighth and ninth stage"
        |_c| functions::combine::Combine::default();
}
