//! Blending: shaded samples of quads, in order, into the colour memory of an open tile buffer, to
//! the bit as docs/graphics.md has it under "Tests and blending".
//!
//! A beat is a sample of a quad for one target; its coverage is final. It is read, blended and
//! written in a pipeline of six stages that nothing holds up once a beat is in it: latency 7 cycles
//! from beat to write, one beat per cycle. A beat that reads a word which an older one in the
//! pipeline has still to write waits in front: a stall of up to five cycles for the same lanes at
//! the same place, and nothing else. Beats that read nothing never wait. Beats of sRGB, and of
//! rgba16float that blend, wait until the pipeline is empty and go pixel by pixel ([`pixel`]).
//!
//! It can be wrong in that comparison, which makes a quad blend with an old colour, and in the
//! planes of targets; `tests/blend.rs` drives both.

pub mod beat;
mod issue;
pub mod lane;
mod pipe;
pub mod pixel;
mod word;

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::blend::QuadAddress;
use crate::cell::Ram;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::ports::{CommitIn, LineIn, QuadReadOut, QuadWriteOut, StateWriteIn};
use beat::CommitSkid;
use lane::BlendLane;
use pixel::BlendPixel;

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
    pub commit: CommitIn,
    /// Word of the colour memory that is read.
    pub read: QuadReadOut,
    /// What stood there a cycle ago.
    pub read_line: LineIn,
    /// Word of the colour memory that is written.
    pub write: QuadWriteOut,
    /// All beats of a quad are written.
    pub done: Signal<Out, bool>,
    /// Tile buffer of that quad.
    pub done_buffer: Signal<Out, Bits<3>>,
    /// Place of its triangle's record.
    pub done_handle: Signal<Out, Bits<6>>,
    /// Its context.
    pub done_context: Signal<Out, Bits<3>>,

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
    skid: CommitSkid,
    format0: Signal<Local, Bits<2>>,
    plane0: Signal<Local, Bits<3>>,
    /// Targets of two words in front of the beat's.
    wide0: Signal<Local, Bits<3>>,
    index0: Signal<Local, Bits<5>>,
    address0: QuadAddress,
    advance: Signal<Local, bool>,
    row_context: Signal<Local, Bits<3>>,
    row_target: Signal<Local, Bits<2>>,
    row_float: Signal<Local, bool>,
    constant_row: Signal<Local, Bits<12>>,

    // Issue stage.
    valid1: DFF<bool>,
    tag1: DFF<Bits<32>>,
    word1: Vec<DFF<Bits<32>>>,
    address1: DFF<Bits<10>>,
    index1: DFF<Bits<5>>,
    format1: DFF<Bits<2>>,
    absent1: DFF<bool>,
    second: DFF<bool>,
    high_address: QuadAddress,
    place: Signal<Local, Bits<10>>,
    mask: Signal<Local, Bits<4>>,
    bytes: Signal<Local, Bits<4>>,
    lanes: Signal<Local, Bits<4>>,
    reads: Signal<Local, bool>,
    conflict: Signal<Local, bool>,
    two_words: Signal<Local, bool>,
    issue: Signal<Local, bool>,
    leave: Signal<Local, bool>,
    /// The beat goes pixel by pixel, and the pipeline is empty.
    slow: Signal<Local, bool>,
    pending: Signal<Local, bool>,
    pixel: BlendPixel,
    operation: Signal<Local, Bits<3>>,
    alpha_operation: Signal<Local, Bits<3>>,

    // Pipeline: element i is stage i + 2.
    lanes_p: Vec<DFF<Bits<4>>>,
    place_p: Vec<DFF<Bits<10>>>,
    buffer_p: Vec<DFF<Bits<3>>>,
    last_p: Vec<DFF<bool>>,
    handle_p: Vec<DFF<Bits<6>>>,
    context_p: Vec<DFF<Bits<3>>>,
    operation_p: Vec<DFF<Bits<3>>>,
    alpha_operation_p: Vec<DFF<Bits<3>>>,
    bytes_p: Vec<DFF<Bits<4>>>,
    equation2: DFF<Bits<32>>,
    constant2: DFF<Bits<32>>,
    word2: Vec<DFF<Bits<32>>>,
    lane: Vec<BlendLane>,
    done_r: DFF<bool>,
    done_buffer_r: DFF<Bits<3>>,
    done_handle_r: DFF<Bits<6>>,
    done_context_r: DFF<Bits<3>>,
    fault_blend_hazard: Planted,
    fault_blend_coverage: Planted,
    fault_blend_mask: Planted,
    fault_blend_sample: Planted,
    fault_blend_plane: Planted,
    fault_blend_done: Planted,
    fault_blend_constant: Planted,
    _active: bool,
}

impl Blend {
    /// Planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            equations: Ram::new(32),
            constant_low: Ram::new(16),
            constant_high: Ram::new(16),
            format: vector(4),
            skid: CommitSkid::new(),
            word1: vector(8),
            lanes_p: vector(5),
            place_p: vector(5),
            buffer_p: vector(5),
            last_p: vector(5),
            handle_p: vector(5),
            context_p: vector(5),
            operation_p: vector(3),
            alpha_operation_p: vector(3),
            bytes_p: vector(4),
            word2: vector(4),
            pixel: BlendPixel::new(config),
            lane: (0..4).map(|_| BlendLane::new(config)).collect(),
            fault_blend_hazard: Planted::new(config.has(Fault::BlendHazard)),
            fault_blend_coverage: Planted::new(config.has(Fault::BlendCoverage)),
            fault_blend_mask: Planted::new(config.has(Fault::BlendMask)),
            fault_blend_sample: Planted::new(config.has(Fault::BlendSample)),
            fault_blend_plane: Planted::new(config.has(Fault::BlendPlane)),
            fault_blend_done: Planted::new(config.has(Fault::BlendDone)),
            fault_blend_constant: Planted::new(config.has(Fault::BlendConstant)),
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
    /// What is read and written, and whether it must wait.
    Issue,
    /// The beat in front: where its word is.
    Place,
    /// What goes along with the colours.
    Pipeline,
    /// The lanes, and the write.
    Colours,
}
