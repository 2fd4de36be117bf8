//! Second half of the attribute unit: answers of the store become beats.
//!
//! Answers wait in a queue of 16, for which the first half counts. Of an instruction the registers
//! come one after the other; for each the lanes that are active, or all at once if they have one
//! triangle. Words go straight into the beat; edges through the evaluator, a lane in a cycle. A
//! beat is put together in four registers and pushed into a queue of 16; its head (unit, slot,
//! lanes, register) is there since the last lane of it was started, so that a beat has a place
//! before it is begun.
//!
//! Latency, from an answer to its beat at the port: a word 3 cycles, an edge 9, if it is the
//! beat's last lane. Throughput: a word, or a lane of an edge, in a cycle. An instruction that only
//! completes, and words, wait until the evaluator is empty, because beats are in order.
//!
//! It can be wrong in a beat that has another's head, and in lanes that are compared with another
//! lane's first word.
//!
//! Planted fault: `attribute-equal`.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::evaluator::EdgeEvaluator;
use crate::base::{vector, Planted};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::memory::LutRam;
use crate::ports::{AttributeJobIn, BeatOut, StoreAnswerIn};

mod kernel;

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct AttributeBack {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Number of the core.
    pub source: Signal<In, Bits<4>>,
    /// Response of the set-up store; it may be for another core.
    pub store_rsp: StoreAnswerIn,
    /// An answer was used: its place is free.
    pub used: Signal<Out, bool>,
    // From the first half; see there.
    /// A step for the second half of an attribute unit.
    pub job: AttributeJobIn,
    // Beats.
    /// Its unit in the core.
    pub rsp_unit: Signal<Out, Bits<3>>,
    /// A beat is there.
    pub rsp: BeatOut,
    evaluator: EdgeEvaluator,
    /// Answers: a, b, c 31:0, c 47:32, word.
    answers: Vec<LutRam>,
    heads: LutRam,
    values: Vec<LutRam>,
    answer_head: DFF<Bits<5>>,
    answer_tail: DFF<Bits<5>>,
    /// Beats taken; complete; begun.
    beat_head: DFF<Bits<5>>,
    beat_tail: DFF<Bits<5>>,
    begun: DFF<Bits<5>>,
    // The instruction.
    busy: DFF<bool>,
    head: DFF<Bits<32>>,
    bary: DFF<bool>,
    attr: DFF<bool>,
    words: DFF<bool>,
    flat: DFF<bool>,
    same: DFF<bool>,
    x: Vec<DFF<Bits<15>>>,
    y: Vec<DFF<Bits<15>>>,
    register: DFF<Bits<2>>,
    todo: DFF<Bits<4>>,
    /// First words, and whether the others were equal so far.
    firsts: Vec<DFF<Bits<32>>>,
    equal: DFF<Bits<4>>,
    // The beat.
    beat: Vec<DFF<Bits<32>>>,
    complete: DFF<bool>,
    // Named intermediate values.
    mask: Signal<Local, Bits<4>>,
    answered: Signal<Local, bool>,
    comes: Signal<Local, bool>,
    room: Signal<Local, bool>,
    used_places: Signal<Local, Bits<5>>,
    lowest: Signal<Local, Bits<4>>,
    left: Signal<Local, Bits<4>>,
    lanes: Signal<Local, Bits<4>>,
    last_lane: Signal<Local, bool>,
    last_register: Signal<Local, bool>,
    comparison: Signal<Local, bool>,
    nothing: Signal<Local, bool>,
    quiet: Signal<Local, bool>,
    start: Signal<Local, bool>,
    step: Signal<Local, bool>,
    put: Signal<Local, bool>,
    finish: Signal<Local, bool>,
    push_head: Signal<Local, bool>,
    beat_word: Signal<Local, Bits<32>>,
    first_word: Signal<Local, Bits<32>>,
    alike: Signal<Local, bool>,
    new_head: Signal<Local, Bits<32>>,
    old_head: Signal<Local, Bits<32>>,
    label: Signal<Local, Bits<5>>,
    high: Signal<Local, Bits<32>>,
    fault_attribute_equal: Planted,
    _lanes: usize,
    _words: usize,
    _active: bool,
}

impl AttributeBack {
    /// The half of that configuration (only its planted faults matter here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            evaluator: EdgeEvaluator::new(config),
            answers: vector(5),
            values: vector(4),
            x: vector(4),
            y: vector(4),
            firsts: vector(4),
            beat: vector(4),
            fault_attribute_equal: Planted::new(config.has(Fault::AttributeEqual)),
            _lanes: 4,
            _words: 5,
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { AttributeBack:
    /// The queue of answers.
    Answers,
    /// An instruction is taken.
    Take,
    /// The lane and the register that are next.
    Next,
    /// What happens with them.
    Step,
    /// Edges into the evaluator.
    Edges,
    /// The beat, and comparison of words.
    Gather,
    /// The queue of beats.
    Beats,
}
