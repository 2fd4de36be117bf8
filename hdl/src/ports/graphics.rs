//! What the blocks of the graphics pipeline say to each other: state, triangles, quads, results.
//! Which block says what to which is on docs/graphics-blocks.md; what the numbers mean, to the bit,
//! on docs/graphics.md.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A word of a state record or of the pass record goes to whoever keeps it. Never held back.
#[bundle(what = "state of the pipeline")]
pub struct StateWrite {
    /// a word of a context's state record is in this cycle
    valid: bool,
    /// a word of the pass record is in this cycle; `context` says nothing
    pass: bool,
    /// number of the context
    context: Bits<4>,
    /// number of the word in its record
    word: Bits<6>,
    /// the word
    data: Bits<32>,
}

/// A triangle that is set up, on its way to visibility, binner and rasteriser.
#[bundle(stream, what = "triangle")]
pub struct Triangle {
    /// number of the context
    context: Bits<4>,
    /// place of its record in the set-up store
    handle: Bits<12>,
    /// its number in the frame, modulo 2^16
    order: Bits<16>,
    /// it shows its back
    back: bool,
    /// least pixel in x of its bounding box, inside target and scissor
    x0: Bits<12>,
    /// least pixel in y
    y0: Bits<12>,
    /// greatest pixel in x
    x1: Bits<12>,
    /// greatest pixel in y
    y1: Bits<12>,
    /// value of edge # per 1/256 pixel to the right, with sign
    a: [Bits<24>; 3],
    /// value of edge # per 1/256 pixel down, with sign
    b: [Bits<24>; 3],
    /// value of edge # at the target's top left corner, with sign
    c: [Bits<48>; 3],
    /// depth at the target's top left corner, modulo 2^60
    z: Bits<60>,
    /// depth per 1/256 pixel to the right, with sign
    gx: Bits<50>,
    /// depth per 1/256 pixel down, with sign
    gy: Bits<50>,
    /// least depth of its corners
    z_low: Bits<24>,
    /// greatest depth of its corners
    z_high: Bits<24>,
    /// handle of vertex #: its entry of the attribute store, in the order of the edges
    vertex: [Bits<12>; 3],
}

/// The tile that a triangle is drawn in. It stands beside the triangle.
#[bundle(what = "tile of a triangle")]
pub struct Tile {
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// first pixel in x
    x: Bits<12>,
    /// first pixel in y
    y: Bits<12>,
    /// the triangle has no further tile
    last: bool,
    /// nothing of the triangle shows in the tile: it only has its end here, and the rest of the
    /// bundle but `buffer` and `last` says nothing
    hidden: bool,
}

/// One sample of a quad's four pixels. A quad of n samples has n beats, in order of samples, and if
/// n > 1 one more with the depth at the pixels' centres.
#[bundle(stream, what = "sample of a quad")]
pub struct Quad {
    /// no quad: the triangle has given its last one
    end: bool,
    /// number of the context
    context: Bits<4>,
    /// place of the triangle's record in the set-up store
    handle: Bits<12>,
    /// the triangle's number in the frame, modulo 2^16
    order: Bits<16>,
    /// the triangle shows its back
    back: bool,
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// the quad's place in x, in units of two pixels
    x: Bits<11>,
    /// the quad's place in y, in units of two pixels
    y: Bits<11>,
    /// number of the sample; the number of samples at the centre
    sample: Bits<3>,
    /// last beat of the quad
    last: bool,
    /// lanes whose sample is covered; of the centre's beat 0
    coverage: Bits<4>,
    /// depth of lane #
    depth: [Bits<24>; 4],
}

/// A quad to be shaded.
#[bundle(stream, what = "quad to be shaded")]
pub struct Shade {
    /// no quad: the triangle has given its last one
    end: bool,
    /// number of the context
    context: Bits<4>,
    /// place of the triangle's record in the set-up store
    handle: Bits<12>,
    /// the triangle's number in the frame, modulo 2^16
    order: Bits<16>,
    /// the triangle shows its back
    back: bool,
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// the quad's place in x, in units of two pixels
    x: Bits<11>,
    /// the quad's place in y, in units of two pixels
    y: Bits<11>,
    /// place of its results
    ticket: Bits<6>,
    /// its program runs for one sample; such a quad comes once for each of its covered samples
    single: bool,
    /// that sample; of a quad that splits and is not single the pixel that its warp becomes
    sample: Bits<2>,
    /// its program splits: the samples of its quad are one group, and `coverage` has all of them
    splits: bool,
    /// covered samples, bit 4 * lane + sample
    coverage: Bits<16>,
    /// depth of lane # at the pixel's centre, or at the sample; of one pixel that of sample #
    depth: [Bits<24>; 4],
}

/// With whom a quad is shaded, beside [`Shade`] behind the merge queue. A plain passage says 0.
#[bundle(what = "pairing of a quad")]
pub struct Pairing {
    /// its warp may merge at the program's merge point: it is a member of a pair
    mergeable: bool,
    /// number of the pair: the ticket of its first member
    pair: Bits<6>,
    /// the quad's number in its pair
    member: Bits<2>,
    /// other members of the pair: slots for all are reserved before the first is launched
    others: Bits<2>,
    /// how its lanes have changed places: bit 0 left with right, bit 1 top with bottom
    flip: Bits<2>,
}

/// One sample of a quad that is shaded, for one target, in order. A quad of s samples and t targets
/// has s * t beats, targets first; one for each sample if it has no target.
#[bundle(stream, what = "shaded sample of a quad")]
pub struct Commit {
    /// number of the context
    context: Bits<4>,
    /// the triangle's number in the frame, modulo 2^16
    order: Bits<16>,
    /// the triangle shows its back
    back: bool,
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// the quad's place in x, in units of two pixels
    x: Bits<11>,
    /// the quad's place in y, in units of two pixels
    y: Bits<11>,
    /// number of the sample
    sample: Bits<2>,
    /// number of the target
    target: Bits<2>,
    /// first beat of the sample
    first: bool,
    /// last beat of the quad
    last: bool,
    /// depth and stencil are still to be tested
    late: bool,
    /// lanes whose sample is covered
    coverage: Bits<4>,
    /// depth of lane #
    depth: [Bits<24>; 4],
    /// first word of lane #'s colour
    low: [Bits<32>; 4],
    /// second word of lane #'s colour
    high: [Bits<32>; 4],
}

/// A word of a tile buffer is read: a sample of a quad, or a word of its colour. Answered a cycle
/// later; every cycle may ask.
#[bundle(what = "read of a tile buffer")]
pub struct QuadRead {
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// number of the word
    address: Bits<10>,
}

/// A word of a tile buffer is written.
#[bundle(what = "write of a tile buffer")]
pub struct QuadWrite {
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// number of the word
    address: Bits<10>,
    /// lanes that are written; 0 if none is
    mask: Bits<4>,
    /// word of lane #
    data: [Bits<32>; 4],
}

/// A sample of a quad that is to be tested, inside the depth block.
#[bundle(stream, what = "request to test")]
pub struct DepthRequest {
    /// number of the context
    context: Bits<4>,
    /// the triangle shows its back
    back: bool,
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// word of the depth memory
    address: Bits<10>,
    /// depth function 2:0, depth test 3, depth write 4, stencil test 5
    mode: Bits<6>,
    /// lanes whose sample is covered
    coverage: Bits<4>,
    /// depth of lane #
    depth: [Bits<24>; 4],
}

/// Depths of a quad's sample were written, for whoever keeps bounds of depth. Never held back; who
/// hears it says when it has no room.
#[bundle(flow, what = "written depths")]
pub struct DepthUpdate {
    /// the quad's place in x, in units of two pixels
    x: Bits<11>,
    /// the quad's place in y, in units of two pixels
    y: Bits<11>,
    /// number of the sample
    sample: Bits<2>,
    /// lanes that were written
    lanes: Bits<4>,
    /// depth of lane # from now on, also of one that was not written
    depth: [Bits<24>; 4],
}

/// What the collector tells the result store. Never held back: the store has said that it has
/// room.
#[bundle(what = "collected quad")]
pub struct Collected {
    /// a sample's depth and coverage are in this cycle
    sample: bool,
    /// the quad is complete and keeps its ticket
    keep: bool,
    /// the triangle has given its last quad; nothing else is in this cycle
    end: bool,
    /// ticket of the quad
    ticket: Bits<6>,
    /// number of the sample
    number: Bits<2>,
    /// covered lanes of the sample
    lanes: Bits<4>,
    /// depth of lane #
    depth: [Bits<24>; 4],
    /// number of the context
    context: Bits<4>,
    /// place of the triangle's record in the set-up store
    handle: Bits<12>,
    /// the triangle's number in the frame, modulo 2^16
    order: Bits<16>,
    /// the triangle shows its back
    back: bool,
    /// number of the tile buffer: its bank in bit 0
    buffer: Bits<3>,
    /// the quad's place in x, in units of two pixels
    x: Bits<11>,
    /// the quad's place in y, in units of two pixels
    y: Bits<11>,
    /// warps that shade it; 0 if none has to
    warps: Bits<3>,
    /// its samples are shaded one by one
    alone: bool,
}
