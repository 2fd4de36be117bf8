//! What is told when a triangle is not drawn somewhere (HZ-12, HZ-13).

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// Nothing of a triangle is drawn in a square of pixels: what it covers there is hidden, or it
/// covers nothing.
#[bundle(what = "cull", event = "cull")]
pub struct CullEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// who says so: 1 visibility unit, 2 binner, 3 rasteriser
    kind: Bits<2>,
    /// the triangle's number in the frame, modulo 2^16
    order: Bits<16>,
    /// first pixel of the square in x
    x: Bits<12>,
    /// in y
    y: Bits<12>,
    /// log2 of its side; 0: a quad, of which each pixel was looked at
    side: Bits<3>,
}

/// What the cull pipeline has found of a triangle; in the order in which it finds it.
#[bundle(what = "triangle of the cull pipeline", event = "ahead")]
pub struct AheadEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// its number among the triangles that the cull pipeline looks at, modulo 2^16
    order: Bits<16>,
    /// 0 it may be seen, 1 out of range, 2 outside the frustum, 3 without area, 4 culled by its
    /// face, 5 without a pixel in target and scissor, 6 hidden, 7 it is cut by a clip plane and
    /// left alone
    what: Bits<3>,
}

/// Whether a triangle is to be drawn, in order.
#[bundle(what = "bit of a triangle")]
pub struct TriangleBit {
    /// the bit of the next triangle is there
    bit_valid: bool,
    /// its number
    bit_order: Bits<16>,
    /// it
    bit_shows: bool,
    /// it is taken; never without `bit_valid`
    #[back]
    bit_take: bool,
}

/// What the unit with the depths says of a triangle of the cull pipeline.
#[bundle(stream, what = "result of the visibility unit")]
pub struct CullDone {
    /// number of the triangle
    order: Bits<16>,
    /// its entry of the set-up store
    handle: Bits<12>,
    /// some of it may be seen
    shows: bool,
}
