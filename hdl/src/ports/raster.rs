//! What the parts of the rasteriser say to each other. Edges and depths are floors
//! (`cell/plane.rs`), places are in units of two pixels.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

use crate::fields;

fields! {
    /// Whose quads they are, as it stands in [`TriangleFacts`] and [`DepthFacts`].
    pub trait QuadOwner: 36 {
        /// Number of the context.
        context: 4 @ 0,
        /// Place of the triangle's record in the set-up store.
        handle: 12 @ 4,
        /// The triangle's number in the frame, modulo 2^16.
        order: 16 @ 16,
        /// The triangle shows its back.
        back: bit @ 32,
        /// Number of the tile buffer.
        buffer: 3 @ 33,
    }
}

fields! {
    /// Corners of their triangle, which stand beside it.
    pub trait QuadCorners: 36 {
        /// Entry of corner 0 in the attribute store.
        vertex0: 12 @ 0,
        /// Of corner 1.
        vertex1: 12 @ 12,
        /// Of corner 2.
        vertex2: 12 @ 24,
    }
}

/// What does not change within a triangle.
#[bundle(what = "facts of a triangle")]
pub struct TriangleFacts {
    /// slope of edge # to the right, with sign
    a: [Bits<24>; 3],
    /// slope of edge # down, with sign
    b: [Bits<24>; 3],
    /// slope of depth to the right
    gx: Bits<55>,
    /// slope of depth down
    gy: Bits<55>,
    /// least depth
    low: Bits<24>,
    /// greatest depth
    high: Bits<24>,
    /// whose quads they are
    owner: Bits<36>,
    /// its corners
    corners: Bits<36>,
    /// 0 one sample, 1 two, 2 four
    samples: Bits<2>,
    /// samples that may be covered
    mask: Bits<4>,
}

/// Where a triangle begins in a tile.
#[bundle(stream, what = "start of a triangle in a tile")]
pub struct TileStart {
    /// edge # at the centre of the first pixel
    start: [Bits<44>; 3],
    /// by how much edge # can be greater in a group
    group: [Bits<31>; 3],
    /// by how much edge # can be greater in a tile
    whole: [Bits<31>; 3],
    /// depth at the centre of the first pixel
    z: Bits<55>,
    /// first quad in x
    x: Bits<11>,
    /// first quad in y
    y: Bits<11>,
    /// columns of groups, less one
    columns: Bits<2>,
    /// rows of groups, less one
    rows: Bits<2>,
    /// columns of pixels at the left of the first group that are outside of the bounding box
    left: Bits<3>,
    /// rows of pixels at its top that are
    top: Bits<3>,
    /// greatest pixel in x
    right: Bits<12>,
    /// greatest pixel in y
    bottom: Bits<12>,
    /// the bounding box has no pixel in the tile
    void: bool,
    /// the triangle has no further tile
    last: bool,
}

/// A group of four by four quads in which a triangle may cover something.
#[bundle(flow, what = "group of quads")]
pub struct QuadGroup {
    /// edge # at the centre of the first pixel
    near: [Bits<32>; 3],
    /// depth there
    z: Bits<55>,
    /// first quad in x
    x: Bits<11>,
    /// first quad in y
    y: Bits<11>,
    /// columns of pixels that count; 0 of a group that only says `end`
    columns: Bits<8>,
    /// rows of pixels at its top that do not count
    top: Bits<3>,
    /// greatest pixel in y
    bottom: Bits<12>,
    /// the first group of the triangle in the tile
    first: bool,
    /// the last one
    last: bool,
    /// the triangle's last group
    end: bool,
}

/// A row of four quads with something covered.
#[bundle(flow, what = "row of quads")]
pub struct QuadRow {
    /// depth at the centre of the first pixel
    z: Bits<55>,
    /// first quad in x
    x: Bits<11>,
    /// its place in y
    y: Bits<11>,
    /// quads that have a covered sample
    filled: Bits<4>,
    /// coverage of sample #, bit 4 * quad + lane
    cover: [Bits<16>; 4],
    /// the first row of the triangle in the tile: the facts of depth are new
    fresh: bool,
    /// the triangle has given its last quad in the tile with this row
    last: bool,
    /// the triangle has given its last quad with this row
    end: bool,
}

/// What does not change for a triangle's depths in a tile.
#[bundle(what = "facts of a triangle's depths")]
pub struct DepthFacts {
    /// slope of depth to the right
    gx: Bits<55>,
    /// slope of depth down
    gy: Bits<55>,
    /// least depth
    low: Bits<24>,
    /// greatest depth
    high: Bits<24>,
    /// whose quads they are
    owner: Bits<36>,
    /// its corners
    corners: Bits<36>,
    /// 0 one sample, 1 two, 2 four
    samples: Bits<2>,
}
