//! Clipper: the part of a triangle that the clip planes leave, as a fan of pieces
//! (docs/graphics.md, "Culls and clipping"). Few triangles come here, so it does one thing after
//! the other.
//!
//! Seven planes in their order. For each, the distances of all vertices of the polygon; then its
//! edges, of which each keeps its first vertex, and makes a new one where it crosses the plane. Two
//! halves of one memory change places with each plane. Of the last polygon the pieces go to set-up,
//! when the vertices that were made are viewed.
//!
//! A plane that cuts nothing takes some 30 cycles for each vertex, a crossing some 400 and 45 more
//! for each word of varyings. While a triangle is here no vertex begins in the view unit but those
//! that are made here.
//!
//! References: the triangle comes with three. Each piece counts one for each of its corners, and
//! one for the vertex of flat words. At the end the three go back, and those of what was made.
//!
//! It can be wrong in the order of an edge's ends, in the sign of a distance, and in a reference;
//! `tests/geometry.rs` compares with the golden model and counts.
//!
//! Planted faults: `geometry-canonical`, `geometry-linear`, `geometry-made`, `geometry-least-w`.

use quadlock_hdl_macros::{QuietBlock, StateWord};
use rust_hdl::prelude::*;

use super::quotient::GeometryQuotient;
use crate::base::{vector, Parameter, Planted};
use crate::cell::{AsyncRam, Ram};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{AssembledIn, AssembledOut, FloatAskOut, MadeVertexOut, SpareEntryIn, StateWriteIn};

mod kernel;

/// What the clipper is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum ClipStep {
    /// Nothing.
    Idle,
    /// The corners become the polygon.
    Corners,
    /// A plane begins.
    Plane,
    /// A distance begins.
    Distance,
    /// Its second word is read.
    DistanceSecond,
    /// The guard band at the vertex is calculated.
    Guard,
    /// Then the coordinate is read.
    GuardWord,
    /// The distance is calculated.
    DistanceSum,
    /// It is written.
    DistanceKeep,
    /// An edge begins.
    Edge,
    /// Its other end.
    EdgeOther,
    /// A word of the first end is read, to see which one is first.
    OrderFirst,
    /// Of the second.
    OrderSecond,
    /// They are compared.
    OrderCompare,
    /// d1 - d2.
    Share,
    /// d1 over it.
    ShareDivide,
    /// An entry for the new vertex.
    Entry,
    /// A word of v1 is read.
    MixFirst,
    /// Of v2.
    MixSecond,
    /// They are equal, or their difference is made.
    MixDifference,
    /// The new word is made.
    MixSum,
    /// It is written.
    MixWrite,
    /// w of v2 is read again.
    AlongWord,
    /// t times w of v2.
    AlongProduct,
    /// That over the new w.
    AlongDivide,
    /// A linear word is next, or not.
    Varying,
    /// The vertex is to be viewed.
    View,
    /// The next edge, or plane.
    NextEdge,
    /// All made vertices are viewed.
    Viewed,
    /// References of a piece.
    Count,
    /// A piece goes.
    Piece,
    /// Nothing is left.
    Nothing,
    /// References go back.
    Drop,
    /// The float unit is asked.
    Ask,
    /// It answers.
    Answer,
    /// A division ends.
    Divide,
    /// A word is read.
    Read,
    /// It is there.
    ReadKeep,
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GeometryClip {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states: 7, 14, 15, 35, 36.
    pub state: StateWriteIn,
    /// A triangle to be clipped.
    pub in_triangle: AssembledIn,
    /// Nothing is here.
    pub idle: Signal<Out, bool>,
    /// Event: a word of a vertex is there.
    pub works: Signal<Out, bool>,
    /// A word of a vertex is to be read.
    pub read: Signal<Out, bool>,
    /// It is read in this cycle, and there in the next one.
    pub read_ready: Signal<In, bool>,
    /// Which one: entry in 17:6.
    pub read_address: Signal<Out, Bits<18>>,
    /// It.
    pub read_data: Signal<In, Bits<32>>,
    /// A word is written.
    pub write: Signal<Out, bool>,
    /// Which one.
    pub write_address: Signal<Out, Bits<18>>,
    /// The word.
    pub write_data: Signal<Out, Bits<32>>,
    /// An entry of the vertex store for a vertex that clipping makes.
    pub spare_ports: SpareEntryIn,
    /// A vertex that clipping has made.
    pub made_ports: MadeVertexOut,
    /// The view unit is done with one.
    pub made_done: Signal<In, bool>,
    /// Request to the float unit.
    pub float_req: FloatAskOut,
    /// A result of the float unit is valid.
    pub float_rsp_valid: Signal<In, bool>,
    /// The result.
    pub float_rsp: Signal<In, Bits<32>>,
    /// A vertex gets one more reference.
    pub ref_add_valid: Signal<Out, bool>,
    /// It is counted in this cycle if valid.
    pub ref_add_ready: Signal<In, bool>,
    /// Entry of the vertex.
    pub ref_add_entry: Signal<Out, Bits<12>>,
    /// A vertex loses one reference.
    pub ref_release_valid: Signal<Out, bool>,
    /// It is counted in this cycle if valid.
    pub ref_release_ready: Signal<In, bool>,
    /// Entry of the vertex.
    pub ref_release_entry: Signal<Out, Bits<12>>,
    /// A piece.
    pub piece: AssembledOut,
    states: Ram,
    polygon: AsyncRam,
    distances: AsyncRam,
    made: AsyncRam,
    quotient: GeometryQuotient,
    step: DFF<ClipStep>,
    // Where to go behind an operation.
    back: DFF<ClipStep>,
    context: DFF<Bits<4>>,
    order: DFF<Bits<16>>,
    corners: Vec<DFF<Bits<12>>>,
    half: DFF<bool>,
    plane: DFF<Bits<3>>,
    n: DFF<Bits<4>>,
    m: DFF<Bits<4>>,
    k: DFF<Bits<4>>,
    made_count: DFF<Bits<4>>,
    unviewed: DFF<Bits<4>>,
    counter: DFF<Bits<2>>,
    word: DFF<Bits<6>>,
    varyings: DFF<Bits<6>>,
    // The word that is read, of which vertex, and what it goes into.
    reads: DFF<Bits<12>>,
    reads_word: DFF<Bits<6>>,
    to_second: DFF<bool>,
    first: DFF<Bits<32>>,
    second: DFF<Bits<32>>,
    result: DFF<Bits<32>>,
    distance_here: DFF<Bits<32>>,
    one: DFF<Bits<12>>,
    two: DFF<Bits<12>>,
    t: DFF<Bits<32>>,
    along: DFF<Bits<32>>,
    mixing: DFF<bool>,
    linear: DFF<bool>,
    new_w: DFF<Bits<32>>,
    entry: DFF<Bits<12>>,
    // What is asked for.
    form: DFF<Bits<3>>,
    after: Signal<Local, Bits<4>>,
    at: Signal<Local, Bits<4>>,
    listed: Signal<Local, Bits<12>>,
    distance: Signal<Local, Bits<32>>,
    outside: Signal<Local, bool>,
    outside_here: Signal<Local, bool>,
    factor: Signal<Local, Bits<32>>,
    keeps: Signal<Local, bool>,
    stored: Signal<Local, Bits<3>>,
    req_word: Signal<Local, Bits<3>>,
    varying: Signal<Local, Bits<6>>,
    lines: Signal<Local, Bits<32>>,
    write_half: Signal<Local, bool>,
    write_at: Signal<Local, Bits<4>>,
    list_address: Signal<Local, Bits<6>>,
    corner: Signal<Local, Bits<12>>,
    piece_end: Signal<Local, Bits<4>>,
    last_vertex: Signal<Local, bool>,
    last_piece: Signal<Local, bool>,
    same: Signal<Local, bool>,
    limit: Signal<Local, Bits<6>>,
    new_word: Signal<Local, Bits<32>>,
    minus_one: Parameter<32>,
    least_w: Parameter<32>,
    minus_least_w: Parameter<32>,
    fault_geometry_canonical: Planted,
    fault_geometry_linear: Planted,
    fault_geometry_made: Planted,
    fault_geometry_least_w: Planted,
    _active: bool,
}

impl GeometryClip {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            states: Ram::new(8 * config.contexts),
            polygon: AsyncRam::new(32, 12),
            distances: AsyncRam::new(16, 32),
            made: AsyncRam::new(16, 12),
            quotient: GeometryQuotient::new(),
            corners: vector(3),
            minus_one: Parameter::new(0xBF80_0000),
            // 2^-76.
            least_w: Parameter::new(0x1980_0000),
            minus_least_w: Parameter::new(0x9980_0000),
            fault_geometry_canonical: Planted::new(config.has(Fault::GeometryCanonical)),
            fault_geometry_linear: Planted::new(config.has(Fault::GeometryLinear)),
            fault_geometry_made: Planted::new(config.has(Fault::GeometryMade)),
            fault_geometry_least_w: Planted::new(config.has(Fault::GeometryLeastW)),
            _active: true,
            ..Default::default()
        }
    }
}
