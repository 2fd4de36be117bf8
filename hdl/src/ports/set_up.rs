//! Between the blocks of geometry: from vertices that are shaded to records of triangles.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// Writes of set-up into the record of a triangle.
#[bundle(what = "record of a triangle")]
pub struct RecordWrite {
    /// the next free record is taken
    handle_take: bool,
    /// record that is written
    record_handle: Bits<12>,
    /// an edge is written
    edge_write: bool,
    /// number of the edge
    edge_part: Bits<2>,
    /// slope of the edge to the right
    edge_a: Bits<24>,
    /// slope of the edge downwards
    edge_b: Bits<24>,
    /// value of the edge at the corner
    edge_c: Bits<48>,
    /// a reciprocal is written
    word_write: bool,
    /// number of the reciprocal
    word_part: Bits<2>,
    /// the reciprocal
    word_data: Bits<32>,
    /// the entries of the corners are written
    entries_write: bool,
    /// the entries of the corners
    entries_data: Bits<64>,
}

/// Gradients of depth, and the bias that follows from them.
#[bundle(what = "gradients of a triangle")]
pub struct PlaneBias {
    /// gradient of depth along x
    gx: Bits<50>,
    /// gradient of depth along y
    gy: Bits<50>,
    /// 1 / S
    inverse: Bits<32>,
    /// magnitude of the bias, 1/64 of a unit
    bias: Bits<31>,
    /// the bias is below 0
    down: bool,
}

/// A vertex that was shaded, to be divided and placed.
#[bundle(flow, what = "shaded vertex")]
pub struct ShadedVertex {
    /// entry of the vertex
    entry: Bits<12>,
    /// context of the vertex
    context: Bits<4>,
    /// clipping has made it
    made: bool,
}

/// A vertex that clipping has made.
#[bundle(what = "vertex made by clipping")]
pub struct MadeVertex {
    /// a vertex was made, and is to be viewed
    made_valid: bool,
    /// entry of the vertex
    made_entry: Bits<12>,
    /// context of the vertex
    made_context: Bits<4>,
    /// it goes to the view unit in this cycle if valid
    #[back]
    made_ready: bool,
}

/// One more or one less reference to an entry of the vertex store.
#[bundle(stream, what = "reference to an entry of the vertex store")]
pub struct EntryReference {
    /// entry that is meant
    entry: Bits<12>,
}

/// An entry of the vertex store for a vertex that clipping makes.
#[bundle(what = "spare entry")]
pub struct SpareEntry {
    /// an entry is kept for clipping
    spare: bool,
    /// number of the entry
    spare_entry: Bits<12>,
    /// the entry is taken
    #[back]
    spare_take: bool,
}

/// An entry of the vertex store for a vertex to be shaded.
#[bundle(what = "free entry")]
pub struct FreeEntry {
    /// an entry is free, beside sixteen for clipping
    entry_valid: bool,
    /// number of the entry
    entry: Bits<12>,
    /// the entry is taken in this cycle if valid
    #[back]
    entry_take: bool,
}

/// An entry to which the front end gives up its reference.
#[bundle(flow, what = "dropped entry")]
pub struct DroppedEntry {
    /// entry that is dropped
    entry: Bits<12>,
}

/// A warp of vertices has ended.
#[bundle(what = "shaded entries")]
pub struct ShadedEntries {
    /// a warp has ended
    shaded_valid: bool,
    /// lanes that had a vertex
    shaded_mask: Bits<4>,
    /// entry of lane #
    #[vector]
    shaded_entry: [Bits<12>; 4],
}

/// The record of a triangle is free again.
#[bundle(what = "freed triangle")]
pub struct FreedHandle {
    /// a record is free again
    free_valid: bool,
    /// its place
    free_handle: Bits<12>,
}

/// What the float unit of geometry has calculated.
#[bundle(what = "answer of the geometry float unit")]
pub struct FloatAnswer {
    /// result, ten cycles later
    value: Bits<32>,
    /// tag of the result
    value_tag: Bits<4>,
    /// result as an integer, thirteen cycles later
    fixed: Bits<31>,
    /// tag of the integer
    fixed_tag: Bits<4>,
}
