//! rcp, rsqrt, exp2, log2, sin and cos, bit for bit as `docs/float.md` ("Approximated operations")
//! states them, in one pipeline.
//!
//! | stage | part | what |
//! |---|---|---|
//! | 1 | [`unpack`] | operand normalised, special cases |
//! | 2, 3 | [`phase`] | quadrants of sin and cos: bits of 2/pi, product |
//! | 4 | [`reduce`] | line, offset, factor, base, exponent |
//! | 5 to 7 | [`quadratic`] | coefficients and square, products, sum |
//! | 8, 9 | [`combine`] | factor times quadratic, sum with the base |
//! | 10 | [`crate::float::normalize`] | leading one to the top, subnormals |
//! | 11 | [`crate::float::round`] | rounding |
//!
//! `op` is the low 3 bits of the opcode: 2 rcp, 3 rsqrt, 4 exp2, 5 log2, 6 sin, 7 cos.
//!
//! **Latency [`FUNCTIONS_LATENCY`], one operation per cycle, no stall.** Only what the later stages
//! need travels beside the data; a special result is two flags that the normalisation knows, or a
//! factor 0. While nothing comes in the first stage holds its values, so nothing toggles behind it.
//! It can be wrong in the length of one of the delays: the tests mix operations back to back.
//! Faults 45 and 46 are in `phase` and `reduce`, 47 truncates instead of rounding.

pub mod combine;
pub mod logarithm;
pub mod octant;
pub mod phase;
pub mod quadratic;
pub mod reduce;
pub mod unpack;

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use self::combine::Combine;
use self::phase::Phase;
use self::quadratic::Quadratic;
use self::reduce::Reduce;
use self::unpack::UnpackStage;
use crate::base::{vector, Planted};
use crate::cell::Path;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::float::normalize::Normalize;
use crate::float::round::Round;
use crate::ports::UnroundedOut;

/// Cycles: an operation that stands before clock edge t has its result after edge t +
/// FUNCTIONS_LATENCY - 1.
pub const FUNCTIONS_LATENCY: usize = 11;

/// See the module documentation.
#[derive(QuietBlock)]
pub struct Functions {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// An operation comes in.
    pub in_valid: Signal<In, bool>,
    /// Operation: 2 rcp, 3 rsqrt, 4 exp2, 5 log2, 6 sin, 7 cos; 0 and 1 must not come.
    pub op: Signal<In, Bits<3>>,
    /// Operand, an f32.
    pub a: Signal<In, Bits<32>>,
    /// Travels along.
    pub tag: Signal<In, Bits<8>>,
    /// A result leaves.
    pub out_valid: Signal<Out, bool>,
    /// The result, an f32.
    pub value: Signal<Out, Bits<32>>,
    /// The operation's tag.
    pub out_tag: Signal<Out, Bits<8>>,
    unpack: UnpackStage,
    quadrants: Phase,
    reduce: Reduce,
    quadratic: Quadratic,
    combine: Combine,
    normalize: Normalize,
    round: Round,
    /// Beside all stages.
    valids: Vec<DFF<bool>>,
    tags: Vec<DFF<Bits<8>>>,
    /// Beside stages 2 and 3.
    operations: Vec<DFF<Bits<3>>>,
    significands: Vec<DFF<Bits<24>>>,
    exponents: Vec<DFF<Bits<10>>>,
    negatives: Vec<DFF<bool>>,
    signs: Vec<DFF<bool>>,
    specials: Vec<DFF<bool>>,
    /// Beside stages 2 to 9.
    nans: Vec<DFF<bool>>,
    infinites: Vec<DFF<bool>>,
    /// Beside stages 5 to 7.
    factors: Vec<DFF<Bits<30>>>,
    /// Beside stages 5 to 8.
    bases: Vec<DFF<Bits<9>>>,
    subtracts: Vec<DFF<bool>>,
    result_signs: Vec<DFF<bool>>,
    /// Beside stages 5 to 9.
    window_exponents: Vec<DFF<Bits<10>>>,
    fault_function_rounding: Planted,
    _active: bool,
}

impl Functions {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            in_valid: Signal::default(),
            op: Signal::default(),
            a: Signal::default(),
            tag: Signal::default(),
            out_valid: Signal::default(),
            value: Signal::default(),
            out_tag: Signal::default(),
            unpack: UnpackStage::default(),
            quadrants: Phase::new(config),
            reduce: Reduce::new(config),
            quadratic: Quadratic::default(),
            combine: Combine::default(),
            normalize: Normalize::new(config),
            round: Round::new(config),
            valids: vector(FUNCTIONS_LATENCY),
            tags: vector(FUNCTIONS_LATENCY),
            operations: vector(2),
            significands: vector(2),
            exponents: vector(2),
            negatives: vector(2),
            signs: vector(2),
            specials: vector(2),
            nans: vector(8),
            infinites: vector(8),
            factors: vector(3),
            bases: vector(4),
            subtracts: vector(4),
            result_signs: vector(4),
            window_exponents: vector(5),
            fault_function_rounding: Planted::new(config.has(Fault::FunctionRounding)),
            _active: true,
        }
    }
}

#[kernel]
impl Functions {
    /// All stages and all delays have the clock.
    fn clocks(&mut self) {
        comment!("module: float_functions");
        clock!(self, clock, unpack, quadrants, reduce, quadratic, combine, normalize, round);
        for i in 0..11 {
            self.valids[i].clock.next = self.clock.val();
            self.tags[i].clock.next = self.clock.val();
        }
        for i in 0..2 {
            self.operations[i].clock.next = self.clock.val();
            self.significands[i].clock.next = self.clock.val();
            self.exponents[i].clock.next = self.clock.val();
            self.negatives[i].clock.next = self.clock.val();
            self.signs[i].clock.next = self.clock.val();
            self.specials[i].clock.next = self.clock.val();
        }
        for i in 0..8 {
            self.nans[i].clock.next = self.clock.val();
            self.infinites[i].clock.next = self.clock.val();
        }
        for i in 0..3 {
            self.factors[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.bases[i].clock.next = self.clock.val();
            self.subtracts[i].clock.next = self.clock.val();
            self.result_signs[i].clock.next = self.clock.val();
        }
        for i in 0..5 {
            self.window_exponents[i].clock.next = self.clock.val();
        }
    }

    /// The operand is unpacked, and what later stages need travels beside it.
    fn operands(&mut self) {
        self.unpack.in_valid.next = self.in_valid.val();
        self.unpack.op.next = self.op.val();
        self.unpack.a.next = self.a.val();
        self.valids[0].d.next = self.in_valid.val();
        self.tags[0].d.next = self.tag.val();
        for i in 1..11 {
            self.valids[i].d.next = self.valids[i - 1].q.val();
            self.tags[i].d.next = self.tags[i - 1].q.val();
        }

        self.quadrants.operation.next = self.unpack.operation.val();
        self.quadrants.significand.next = self.unpack.significand.val();
        self.quadrants.exponent.next = self.unpack.exponent.val();
        self.operations[0].d.next = self.unpack.operation.val();
        self.significands[0].d.next = self.unpack.significand.val();
        self.exponents[0].d.next = self.unpack.exponent.val();
        self.negatives[0].d.next = self.unpack.negative.val();
        self.signs[0].d.next = self.unpack.sign.val();
        self.specials[0].d.next = self.unpack.special.val();
        self.nans[0].d.next = self.unpack.nan.val();
        self.infinites[0].d.next = self.unpack.infinite.val();
        for i in 1..2 {
            self.operations[i].d.next = self.operations[i - 1].q.val();
            self.significands[i].d.next = self.significands[i - 1].q.val();
            self.exponents[i].d.next = self.exponents[i - 1].q.val();
            self.negatives[i].d.next = self.negatives[i - 1].q.val();
            self.signs[i].d.next = self.signs[i - 1].q.val();
            self.specials[i].d.next = self.specials[i - 1].q.val();
        }
        for i in 1..8 {
            self.nans[i].d.next = self.nans[i - 1].q.val();
            self.infinites[i].d.next = self.infinites[i - 1].q.val();
        }
    }

    /// The operand is reduced to a line of the table and an offset.
    fn reduction(&mut self) {
        self.reduce.operation.next = self.operations[1].q.val();
        self.reduce.significand.next = self.significands[1].q.val();
        self.reduce.exponent.next = self.exponents[1].q.val();
        self.reduce.negative.next = self.negatives[1].q.val();
        self.reduce.sign.next = self.signs[1].q.val();
        self.reduce.special.next = self.specials[1].q.val();
        self.reduce.phase.next = self.quadrants.phase.val();

        self.quadratic.line.next = self.reduce.line.val();
        self.quadratic.offset.next = self.reduce.offset.val();
        self.factors[0].d.next = self.reduce.factor.val();
        self.bases[0].d.next = self.reduce.base.val();
        self.subtracts[0].d.next = self.reduce.subtract.val();
        self.result_signs[0].d.next = self.reduce.result_sign.val();
        self.window_exponents[0].d.next = self.reduce.window_exponent.val();
        for i in 1..3 {
            self.factors[i].d.next = self.factors[i - 1].q.val();
        }
        for i in 1..4 {
            self.bases[i].d.next = self.bases[i - 1].q.val();
            self.subtracts[i].d.next = self.subtracts[i - 1].q.val();
            self.result_signs[i].d.next = self.result_signs[i - 1].q.val();
        }
        for i in 1..5 {
            self.window_exponents[i].d.next = self.window_exponents[i - 1].q.val();
        }
    }

    /// The quadratic is combined with the base, normalised and rounded.
    fn rounding(&mut self) {
        self.combine.factor.next = self.factors[2].q.val();
        self.combine.y.next = self.quadratic.y.val();
        self.combine.base.next = self.bases[3].q.val();
        self.combine.subtract.next = self.subtracts[3].q.val();
        self.combine.sign.next = self.result_signs[3].q.val();

        self.normalize.s0.next = bits::<32>(0);
        self.normalize.s1.next = self.combine.s1.val();
        self.normalize.s2.next = self.combine.s2.val();
        self.normalize.sticky.next = false;
        self.normalize.exponent.next = self.window_exponents[4].q.val();
        self.normalize.sign.next = self.combine.sign_out.val();
        // A zero keeps its sign.
        self.normalize.subtract.next = false;
        self.normalize.infinite.next = self.infinites[7].q.val();
        self.normalize.nan.next = self.nans[7].q.val();
        self.normalize.path.next = Path::Float;

        UnroundedOut::join(&mut self.normalize.rounding_ports, &mut self.round.rounding_ports);
        if self.fault_function_rounding.val() {
            self.round.rounding_ports.guard.next = false;
        }
        self.round.sticky.next = self.normalize.sticky_out.val();
        self.round.rounded.next = true;
        self.round.bypass.next = bits::<32>(0);

        self.out_valid.next = self.valids[10].q.val();
        self.value.next = self.round.value.val();
        self.out_tag.next = self.tags[10].q.val();
    }
}
