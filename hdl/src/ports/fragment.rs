//! What graphics warps say and are told: their tags, results, ends (docs/graphics-blocks.md,
//! "Programs on the warp units").

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// What a graphics warp is, beside its launch.
#[bundle(what = "tags of a warp")]
pub struct Tags {
    /// 0 compute, 1 vertex, 2 fragment, 3 vertex of the cull pipeline
    kind: Bits<2>,
    /// number of the context
    context: Bits<4>,
    /// lanes that are no helpers; of member 0 of a group that splits those of the whole group
    covered: Bits<4>,
    /// first word of lane #: of a vertex its index; of a fragment its place
    place: [Bits<32>; 4],
    /// second word of lane #: of a vertex its instance; of a fragment depth and ticket
    depth: [Bits<32>; 4],
    /// of a vertex the entry of lane #, of a fragment the handle of its triangle
    handle: [Bits<12>; 4],
    /// it may merge: it is a member of a pair
    mergeable: bool,
    /// number of the pair: the ticket of its first member
    pair: Bits<6>,
    /// its number in the pair, or in the group that splits
    member: Bits<2>,
    /// other members of the pair, or of the group
    others: Bits<2>,
    /// how its lanes have changed places: bit 0 left with right, bit 1 top with bottom
    flip: Bits<2>,
    /// merge counter of its program; 0 if it has no merge point
    merge: Bits<16>,
    /// not 0: it is of a group of samples that splits at SPLIT, in which `member` and `others`
    /// count
    split: Bits<16>,
    /// first register that is private to the warp
    cutoff: Bits<6>,
}

/// `OUT` of a fragment warp.
#[bundle(stream, what = "word of fragments")]
pub struct ResultWord {
    /// lanes that write; no helper is among them
    mask: Bits<4>,
    /// number of the word
    word: Bits<4>,
    /// ticket of lane #: place in 7:2, lane of its quad in 1:0
    ticket: [Bits<8>; 4],
    /// sample of lane #; 0 unless the fragment is of one sample
    sample: [Bits<2>; 4],
    /// word of lane #
    data: [Bits<32>; 4],
}

/// A fragment warp has ended, and all its words are written.
#[bundle(stream, what = "end of fragments")]
pub struct FragmentEnd {
    /// lanes that still cover something
    covered: Bits<4>,
    /// ticket of lane #, helpers too
    ticket: [Bits<8>; 4],
    /// sample of lane #; 0 unless the fragment is of one sample
    sample: [Bits<2>; 4],
}

/// A graphics warp is placed into a slot.
#[bundle(what = "launch of a graphics warp", event = "glaunch")]
pub struct GraphicsLaunched {
    /// the bundle holds one in this cycle
    valid: bool,
    /// number of the warp unit
    unit: Bits<6>,
    /// warp slot in the unit
    warp: Bits<4>,
    /// lanes that start; the others are ended
    mask: Bits<4>,
    /// program counter at which the lanes start
    pc: Bits<16>,
    /// 1 vertex, 2 fragment, 3 vertex of the cull pipeline
    kind: Bits<2>,
    /// number of the context
    context: Bits<4>,
    /// lanes that are no helpers
    covered: Bits<4>,
    /// first word of lane #
    place: [Bits<32>; 4],
    /// second word of lane #
    depth: [Bits<32>; 4],
    /// entry or handle of lane #
    handle: [Bits<12>; 4],
    /// of a fragment: its triangle's number in the frame, modulo 2^16
    order: Bits<16>,
    /// it may merge: it is a member of a pair
    mergeable: bool,
    /// number of the pair: the ticket of its first member
    pair: Bits<6>,
    /// its number in the pair, or in the group that splits
    member: Bits<2>,
    /// other members of the pair, or of the group
    others: Bits<2>,
    /// how its lanes have changed places: bit 0 left with right, bit 1 top with bottom
    flip: Bits<2>,
    /// merge counter of its program; 0 if it has no merge point
    merge: Bits<16>,
    /// not 0: it is of a group of samples that splits at SPLIT, in which `member` and `others`
    /// count
    split: Bits<16>,
    /// first register that is private to the warp
    cutoff: Bits<6>,
}

/// The state of a context is new: its first word is written.
#[bundle(what = "state of a context", event = "gstate")]
pub struct StateEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// number of the context
    context: Bits<4>,
}

/// A sample of a shaded quad goes to blending, for one target, late tests behind it.
#[bundle(what = "shaded sample of a quad", event = "pix")]
pub struct CommitEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// its triangle's number in the frame, modulo 2^16
    order: Bits<16>,
    /// the quad's place in x, in units of two pixels
    x: Bits<11>,
    /// the quad's place in y, in units of two pixels
    y: Bits<11>,
    /// number of the sample
    sample: Bits<2>,
    /// number of the target
    target: Bits<2>,
    /// last beat of the quad
    last: bool,
    /// lanes whose sample is written
    coverage: Bits<4>,
    /// depth of lane #
    depth: [Bits<24>; 4],
    /// first word of lane #'s colour
    low: [Bits<32>; 4],
    /// second word of lane #'s colour
    high: [Bits<32>; 4],
}

/// Something happened to a tile.
#[bundle(what = "tile", event = "tile")]
pub struct TileEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// it was written to memory
    written: bool,
    /// it is loaded again
    reloaded: bool,
}
