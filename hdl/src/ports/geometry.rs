//! What goes into geometry and comes out of vertex warps: draws, batches of vertices, corners of
//! triangles, words of vertices (docs/graphics-blocks.md, "Vertices and triangles").

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A draw, from the command streamer to the vertex front end.
#[bundle(stream, what = "draw")]
pub struct Draw {
    /// number of the context
    context: Bits<4>,
    /// vertices have indices
    indexed: bool,
    /// indices have 32 bits, else 16
    wide: bool,
    /// the index of all ones ends a strip
    restart: bool,
    /// indices of an instance
    count: Bits<32>,
    /// number of the first index
    first: Bits<32>,
    /// instances
    instances: Bits<32>,
    /// base vertex, added to an index
    base: Bits<32>,
    /// number of the first instance
    first_instance: Bits<32>,
    /// byte address of index 0
    address: Bits<32>,
}

/// Up to four vertices that one warp shades.
#[bundle(stream, what = "batch of vertices")]
pub struct VertexBatch {
    /// number of the context
    context: Bits<4>,
    /// lanes that have a vertex
    mask: Bits<4>,
    /// index of lane #, base vertex added
    index: [Bits<32>; 4],
    /// instance of lane #, counted from the first instance
    instance: [Bits<32>; 4],
    /// entry of the attribute store for lane #
    entry: [Bits<12>; 4],
}

/// A vertex of a draw, in order, on its way to assembly.
/// It holds its entry: the store counts one more when the corner is taken.
#[bundle(stream, what = "corner of a triangle")]
pub struct Corner {
    /// number of the context
    context: Bits<4>,
    /// no corner: the draw has given its last one
    end: bool,
    /// first corner of an instance: assembly begins anew
    restart: bool,
    /// entry of the attribute store
    entry: Bits<12>,
}

/// `OUT` of a vertex warp.
#[bundle(stream, what = "word of vertices")]
pub struct VertexWord {
    /// lanes that write
    mask: Bits<4>,
    /// number of the word
    word: Bits<6>,
    /// entry of lane #
    entry: [Bits<12>; 4],
    /// word of lane #
    data: [Bits<32>; 4],
}

/// An attribute unit asks for something of a triangle.
#[bundle(stream, what = "question about a triangle")]
pub struct StoreRead {
    /// who asks: number of the core
    source: Bits<4>,
    /// place of the triangle's record in the set-up store
    handle: Bits<12>,
    /// an edge, else a word
    edge: bool,
    /// corner, or edge, 0 to 2; 3 with word 63 is 1 / S
    corner: Bits<2>,
    /// number of the varying word; 63 is 1 / w of the corner
    word: Bits<6>,
}

/// The answer, in order of questions. Who asks has room for it.
#[bundle(flow, what = "answer about a triangle")]
pub struct StoreAnswer {
    /// who asked
    source: Bits<4>,
    /// of an edge: its value per 1/256 pixel to the right, with sign
    a: Bits<24>,
    /// per 1/256 pixel down, with sign
    b: Bits<24>,
    /// at the target's top left corner, with sign
    c: Bits<48>,
    /// the word
    data: Bits<32>,
}

/// What became of a triangle of a draw, in order: one for each triangle that comes in, one more for
/// each that clipping made beyond the first.
#[bundle(what = "triangle of a draw", event = "tri")]
pub struct TriangleEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// number of the context
    context: Bits<4>,
    /// its number in the frame, modulo 2^16
    order: Bits<16>,
    /// 0 set up, 1 culled as out of range, 2 outside the frustum, 3 without area, 4 by its face, 5
    /// without a pixel in target and scissor, 6 nothing left by clipping, 7 of a list, left out:
    /// the cull pipeline has culled it; of the cull pipeline, cut by a clip plane and left alone
    what: Bits<3>,
    /// it went through the clipper
    clipped: bool,
    /// its last piece
    last: bool,
    /// of one that is set up: place of its record
    handle: Bits<12>,
}

/// A triangle inside geometry: whole, or a piece that the clipper has made.
#[bundle(stream, what = "triangle on its way to set-up")]
pub struct Assembled {
    /// 0 to be set up, else what became of it, as of [`TriangleEvent`]
    what: Bits<3>,
    /// it went through the clipper
    clipped: bool,
    /// its last piece
    last: bool,
    /// number of the context
    context: Bits<4>,
    /// its number in the frame, modulo 2^16
    order: Bits<16>,
    /// entry of corner #
    entry: [Bits<12>; 3],
    /// entry whose words are those of flat varyings
    first: Bits<12>,
    /// that entry has a reference of its own
    extra: bool,
}

/// What target and state make of a triangle, beside it.
#[bundle(what = "bounds of a triangle")]
pub struct Bounds {
    /// least pixel in x
    x0: Bits<12>,
    /// least pixel in y
    y0: Bits<12>,
    /// greatest pixel in x
    x1: Bits<12>,
    /// greatest pixel in y
    y1: Bits<12>,
    /// there is no pixel
    empty: bool,
    /// 0 clockwise triangles are culled, 1 counter-clockwise ones, 2 clockwise is the front
    modes: Bits<3>,
}

/// What set-up has found of a triangle, in order; gradients are elsewhere then.
#[bundle(flow, what = "triangle in set-up")]
pub struct SetUp {
    /// 0 it is set up, else what became of it, as of [`TriangleEvent`]
    what: Bits<3>,
    /// it went through the clipper
    clipped: bool,
    /// its last piece
    last: bool,
    /// number of the context
    context: Bits<4>,
    /// its number in the frame, modulo 2^16
    order: Bits<16>,
    /// it shows its back
    back: bool,
    /// corners 1 and 2 have changed places in `entry`, not in the ways
    swapped: bool,
    /// entry of corner #
    entry: [Bits<12>; 3],
    /// entry whose words are those of flat varyings
    first: Bits<12>,
    /// that entry has a reference of its own
    extra: bool,
    /// least pixel in x
    x0: Bits<12>,
    /// least pixel in y
    y0: Bits<12>,
    /// greatest pixel in x
    x1: Bits<12>,
    /// greatest pixel in y
    y1: Bits<12>,
    /// corner 0 in x, 1/256 pixel, with sign
    x: Bits<22>,
    /// in y
    y: Bits<22>,
    /// way from corner 0 to corner 1 in x, with sign
    dx1: Bits<23>,
    /// in y
    dy1: Bits<23>,
    /// to corner 2 in x
    dx2: Bits<23>,
    /// in y
    dy2: Bits<23>,
    /// twice the area
    area: Bits<46>,
    /// edge 1 at the target's corner, with sign
    c1: Bits<46>,
    /// edge 2 there
    c2: Bits<46>,
}

/// Something for geometry's float unit.
#[bundle(stream, what = "operation of geometry's float unit")]
pub struct FloatAsk {
    /// first factor, or low word of a number
    a: Bits<32>,
    /// second factor, or high bits of a number
    b: Bits<32>,
    /// addend, or exponent and sign of a number
    c: Bits<32>,
    /// there is no addend
    product: bool,
    /// a number is to be rounded
    number: bool,
}
