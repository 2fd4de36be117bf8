//! Blending: shaded samples of quads, in order, into the colour memory of an open tile buffer, to
//! the bit as docs/graphics.md has it under "Tests and blending".
//!
//! A beat is a sample of a quad for one target; its coverage is final. Bytes, and what does not
//! blend, go a quad per cycle: read, blended and written in a pipeline of six stages, latency 7
//! cycles from beat to write. Beats of sRGB, and of rgba16float that blend, go pixel by pixel
//! ([`wide`]): four cycles for a quad, or 16 with one component per cycle. Nothing holds up what is
//! in a pipeline; whoever must wait does so in front.
//!
//! - A beat that reads waits while an older one has still to write one of its lanes at its word: up
//!   to five cycles for one of the byte pipeline. Beats that read nothing do not wait for those.
//! - For an older one of the other pipeline everybody waits who writes one of its lanes.
//! - Both pipelines write by one port: a beat of bytes waits for a cycle that is free.
//! - A quad is told as done 18 cycles after its last beat, when the longer way is written, too.
//!
//! It can be wrong in those comparisons, which make a quad blend with an old colour, and in the
//! planes of targets; `tests/blend.rs` drives both.

pub mod beat;
pub mod component;
pub mod feed;
pub mod float;
pub mod gather;
mod issue;
pub mod lane;
mod pipe;
pub mod product;
pub mod wide;
mod word;

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Parameter, Planted};
use crate::cell::blend::{FactorChoice, QuadAddress};
use crate::cell::Ram;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::memory::LutRam;
use crate::ports::{CommitDataIn, LineDataIn, QuadReadOut, QuadWriteOut, StateWriteIn};
use beat::CommitQueue;
use lane::BlendLane;
use wide::BlendWide;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Blend {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states and of the pass.
    pub state: StateWriteIn,
    /// A beat comes.
    pub in_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub in_ready: Signal<Out, bool>,
    /// The beat.
    pub commit: CommitDataIn,
    /// Word of the colour memory that is read.
    pub read: QuadReadOut,
    /// What stood there a cycle ago.
    pub read_line: LineDataIn,
    /// Word of the colour memory that is written.
    pub write: QuadWriteOut,
    /// All beats of a quad are written.
    pub done: Signal<Out, bool>,
    /// Tile buffer of that quad.
    pub done_buffer: Signal<Out, Bits<3>>,
    /// Its context.
    pub done_context: Signal<Out, Bits<4>>,

    // State.
    equations: Ram,
    constant_low: Ram,
    constant_high: Ram,
    /// log2 of the samples.
    samples: DFF<Bits<2>>,
    /// log2 of the tile's side.
    side: DFF<Bits<3>>,
    targets: DFF<Bits<3>>,
    format: Vec<DFF<Bits<2>>>,

    // Beat in front of the issue stage.
    queue: CommitQueue,
    format0: Signal<Local, Bits<2>>,
    plane0: Signal<Local, Bits<3>>,
    /// Targets of two words in front of the beat's.
    wide0: Signal<Local, Bits<3>>,
    index0: Signal<Local, Bits<5>>,
    address0: QuadAddress,
    advance: Signal<Local, bool>,
    row_context: Signal<Local, Bits<4>>,
    row_target: Signal<Local, Bits<2>>,
    row_float: Signal<Local, bool>,
    /// Row of the context's constants; that of the half that the format needs.
    context_row: Signal<Local, Bits<12>>,
    constant_row: Signal<Local, Bits<12>>,

    // Issue stage.
    valid1: DFF<bool>,
    tag1: Signal<Local, Bits<32>>,
    address1: DFF<Bits<10>>,
    index1: DFF<Bits<5>>,
    format1: DFF<Bits<2>>,
    absent1: DFF<bool>,
    second: DFF<bool>,
    high_address: QuadAddress,
    place: Signal<Local, Bits<10>>,
    /// Components that the equation writes, before the planted fault and after it.
    equation_mask: Signal<Local, Bits<4>>,
    mask: Signal<Local, Bits<4>>,
    /// Of a word of two components: bytes of the lower one, of the upper one; bytes that are
    /// written.
    low_bytes: Signal<Local, Bits<4>>,
    high_bytes: Signal<Local, Bits<4>>,
    bytes: Signal<Local, Bits<4>>,
    /// Lanes of the beat by its tag, lanes of the beat, and those that its word writes.
    tag_lanes: Signal<Local, Bits<4>>,
    covered: Signal<Local, Bits<4>>,
    lanes: Signal<Local, Bits<4>>,
    reads: Signal<Local, bool>,
    conflict: Signal<Local, bool>,
    halves_under_way: Signal<Local, bool>,
    two_words: Signal<Local, bool>,
    issue: Signal<Local, bool>,
    clash: Signal<Local, bool>,
    leave: Signal<Local, bool>,
    operation: Signal<Local, Bits<3>>,
    alpha_operation: Signal<Local, Bits<3>>,

    // Beats of 16 bits.
    /// Number of the step.
    phase: DFF<Bits<4>>,
    last_phase: Parameter<4>,
    is_wide: Signal<Local, bool>,
    begins: Signal<Local, bool>,
    is_first: Signal<Local, bool>,
    is_last: Signal<Local, bool>,
    step: Signal<Local, bool>,
    wide: BlendWide,

    // Pipeline of bytes: element i is stage i + 2.
    lanes_p: Vec<DFF<Bits<4>>>,
    place_p: Vec<DFF<Bits<10>>>,
    buffer_p: Vec<DFF<Bits<3>>>,
    second_p: Vec<DFF<bool>>,
    operation_p: Vec<DFF<Bits<3>>>,
    alpha_operation_p: Vec<DFF<Bits<3>>>,
    bytes_p: Vec<DFF<Bits<4>>>,
    choice: Vec<FactorChoice>,
    choice2: Vec<DFF<Bits<7>>>,
    alpha: Signal<Local, Bits<8>>,
    source_constant2: DFF<Bits<32>>,
    destination_constant2: DFF<Bits<32>>,
    word2: Vec<DFF<Bits<32>>>,
    lane: Vec<BlendLane>,

    // Quads that are done.
    turn: DFF<Bits<4>>,
    along: LutRam,
    ended: Signal<Local, Bits<32>>,
    ends: Signal<Local, bool>,
    ended_r: DFF<Bits<32>>,
    done_r: DFF<Bits<32>>,
    fault_blend_hazard: Planted,
    fault_blend_coverage: Planted,
    fault_blend_mask: Planted,
    fault_blend_sample: Planted,
    fault_blend_plane: Planted,
    fault_blend_done: Planted,
    fault_blend_constant: Planted,
    fault_blend_second: Planted,
    fault_blend_clash: Planted,
    _active: bool,
}

impl Blend {
    /// Planted faults as that configuration has them, and its components per cycle.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            equations: Ram::new(4 * config.contexts),
            constant_low: Ram::new(2 * config.contexts),
            constant_high: Ram::new(2 * config.contexts),
            format: vector(4),
            queue: CommitQueue::new(),
            last_phase: Parameter::new(if config.blend_lanes == 4 { 3 } else { 15 }),
            wide: BlendWide::new(config),
            lanes_p: vector(5),
            place_p: vector(5),
            buffer_p: vector(5),
            second_p: vector(5),
            operation_p: vector(3),
            alpha_operation_p: vector(3),
            bytes_p: vector(3),
            choice: vector(4),
            choice2: vector(4),
            word2: vector(4),
            lane: (0..4).map(|_| BlendLane::new(config)).collect(),
            fault_blend_hazard: planted(Fault::BlendHazard),
            fault_blend_coverage: planted(Fault::BlendCoverage),
            fault_blend_mask: planted(Fault::BlendMask),
            fault_blend_sample: planted(Fault::BlendSample),
            fault_blend_plane: planted(Fault::BlendPlane),
            fault_blend_done: planted(Fault::BlendDone),
            fault_blend_constant: planted(Fault::BlendConstant),
            fault_blend_second: planted(Fault::BlendSecond),
            fault_blend_clash: planted(Fault::BlendClash),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { Blend:
    /// Clocks, and registers that keep what they have.
    Registers,
    /// Words of states and of the pass.
    State,
    /// State and coverage say which bytes and lanes are written, and how they blend.
    WriteMask,
    /// The place of the word is compared with those that are still to be written.
    Conflicts,
    /// A beat goes to its pipeline when nothing is in its way.
    Issue,
    /// Steps of a beat of 16 bits.
    Steps,
    /// The beat in front: where its word is.
    Place,
    /// What goes along with the colours.
    Pipeline,
    /// The equation chooses factors of colour, then of alpha: fragment's and target's.
    Factors,
    /// The lanes blend the fragment's words with those of the target.
    Colours,
    /// The words of the lanes, or those of the wide steps, are written.
    TargetWrite,
}
