//! Operations across the lanes of a warp, which is a subgroup (docs/warp-wide.md). What the machine
//! has no instruction for (products, f32 sums, minima and maxima) is put together from QSHUF, one
//! lane after another in the order of their numbers, inactive lanes left out by the ballot; so an
//! f32 result is always the one of that order. Wrong would be to read a lane that is not there, for
//! its register may hold anything: every such value goes through a SEL on the ballot.

use super::cx::{Emit, Res};
use super::types::NumberKind;
use crate::ops::float::NAN;
use crate::ssa::Value;
use quadlock_isa::abi::LANES;
use quadlock_isa::{Op, Special};

/// How values are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Of which lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collect {
    /// All.
    Reduce,
    /// Those below, and the own one.
    Inclusive,
    /// Those below.
    Exclusive,
}

/// How a value of 32 bits is combined.
struct Combine {
    /// Instructions that do it across the lanes: reduction and exclusive scan.
    across: Option<(Op, Op)>,
    op: Op,
    /// What changes nothing, to the bit.
    neutral: u32,
    /// The exclusive scan of the first lane.
    start: u32,
}

fn combine(operation: Reduction, kind: NumberKind) -> Combine {
    let (float, signed) = (kind == NumberKind::Float, kind == NumberKind::Sint);
    let word = |reduce, scan, op, start| Combine { across: Some((reduce, scan)), op, neutral: start, start };
    let steps = |op, neutral, start| Combine { across: None, op, neutral, start };
    let bits = f32::to_bits;
    match operation {
        // -0 + x is x for every x; the minimum or maximum of a NaN and x is x.
        Reduction::Add if float => steps(Op::FAdd, bits(-0.0), bits(0.0)),
        Reduction::Mul if float => steps(Op::FMul, bits(1.0), bits(1.0)),
        Reduction::Min if float => steps(Op::FMin, NAN, bits(f32::INFINITY)),
        Reduction::Max if float => steps(Op::FMax, NAN, bits(f32::NEG_INFINITY)),
        Reduction::Mul => steps(Op::IMul, 1, 1),
        Reduction::Add => word(Op::WRedAdd, Op::WScanAdd, Op::IAdd, 0),
        Reduction::Min if signed => word(Op::WRedSMin, Op::WScanSMin, Op::SMin, i32::MAX as u32),
        Reduction::Max if signed => word(Op::WRedSMax, Op::WScanSMax, Op::SMax, i32::MIN as u32),
        Reduction::Min => word(Op::WRedUMin, Op::WScanUMin, Op::UMin, u32::MAX),
        Reduction::Max => word(Op::WRedUMax, Op::WScanUMax, Op::UMax, 0),
        Reduction::And => word(Op::WRedAnd, Op::WScanAnd, Op::And, u32::MAX),
        Reduction::Or => word(Op::WRedOr, Op::WScanOr, Op::Or, 0),
        Reduction::Xor => word(Op::WRedXor, Op::WScanXor, Op::Xor, 0),
    }
}

impl Emit<'_> {
    pub fn lane(&mut self) -> Value {
        self.b.special(Special::Lane)
    }

    /// Lanes of a group are its invocations in order.
    pub fn subgroup_id(&mut self) -> Value {
        let index = self.b.special(Special::LocalIndex);
        self.b.alu_imm(Op::Shr, index, LANES.trailing_zeros())
    }

    pub fn subgroup_count(&mut self) -> Value {
        let threads: u32 = self.p.group_size.iter().product();
        self.b.constant(threads.div_ceil(LANES as u32))
    }

    /// Mask of the lanes where the value is not zero.
    pub fn mask(&mut self, value: Option<Value>) -> Value {
        let value = value.unwrap_or_else(|| self.b.constant(1));
        self.across(Op::WBallot, &[value])
    }

    /// As the languages have it: a vector of four words.
    pub fn mask_words(&mut self, mask: Value) -> Vec<Value> {
        let zero = self.b.constant(0);
        vec![mask, zero, zero, zero]
    }

    /// The words of lane `from`.
    pub fn of_lane(&mut self, words: &[Value], from: Value) -> Vec<Value> {
        words.iter().map(|&w| self.across(Op::QShuf, &[w, from])).collect()
    }

    pub fn relative(&mut self, op: Op, distance: Value) -> Value {
        let lane = self.lane();
        self.b.alu2(op, lane, distance)
    }

    pub fn collect(&mut self, operation: Reduction, collect: Collect, kind: NumberKind, words: &[Value]) -> Vec<Value> {
        let c = combine(operation, kind);
        words.iter().map(|&w| self.collect_word(&c, collect, kind, w)).collect()
    }

    fn collect_word(&mut self, c: &Combine, collect: Collect, kind: NumberKind, word: Value) -> Value {
        let before = match (c.across, collect) {
            (Some((reduce, _)), Collect::Reduce) => return self.across(reduce, &[word]),
            (Some((_, scan)), _) => {
                let scanned = self.across(scan, &[word]);
                // A boolean's all ones is true.
                if kind == NumberKind::Bool {
                    self.b.alu_imm(Op::And, scanned, 1)
                } else {
                    scanned
                }
            }
            (None, _) => return self.in_lane_order(c, collect, word),
        };
        match collect {
            Collect::Inclusive => self.b.alu2(c.op, before, word),
            _ => before,
        }
    }

    /// ((x0 op x1) op x2) op x3 of the lanes that count.
    fn in_lane_order(&mut self, c: &Combine, collect: Collect, word: Value) -> Value {
        let mut mask = self.mask(None);
        if collect != Collect::Reduce {
            let lane = self.lane();
            let one = self.b.constant(if collect == Collect::Inclusive { 2 } else { 1 });
            let above = self.b.alu2(Op::Shl, one, lane);
            let below = self.b.alu_imm(Op::ISub, above, 1);
            mask = self.b.alu2(Op::And, mask, below);
        }
        let mut sum = None;
        for i in 0..LANES as u32 {
            let from = self.b.constant(i);
            let x = self.across(Op::QShuf, &[word, from]);
            let counts = self.b.alu_imm(Op::And, mask, 1 << i);
            let neutral = self.b.constant(c.neutral);
            let x = self.b.select(counts, x, neutral);
            sum = Some(match sum {
                None => x,
                Some(sum) => self.b.alu2(c.op, sum, x),
            });
        }
        let sum = sum.unwrap_or(word);
        if collect == Collect::Exclusive && c.start != c.neutral {
            let start = self.b.constant(c.start);
            return self.b.select(mask, sum, start);
        }
        sum
    }

    /// The lanes in rows of `size`: the operation in each row, over its active lanes.
    pub fn clustered(
        &mut self,
        operation: Reduction,
        kind: NumberKind,
        words: &[Value],
        size: Value,
    ) -> Res<Vec<Value>> {
        let c = combine(operation, kind);
        match self.b.known(size) {
            Some(1) => Ok(words.to_vec()),
            Some(2) => Ok(self.in_pairs(&c, words)),
            Some(size) if size.is_power_of_two() => Ok(self.collect(operation, Collect::Reduce, kind, words)),
            _ => Err(self.refuse_help(
                "the size of a cluster is a constant and a power of two",
                "write it as a number: 1, 2 or 4 (a subgroup has 4 invocations)",
            )),
        }
    }

    /// With the lane beside, if that is active. The operations have no order, so both get the same.
    fn in_pairs(&mut self, c: &Combine, words: &[Value]) -> Vec<Value> {
        let one = self.b.constant(1);
        let other = self.relative(Op::Xor, one);
        let mask = self.mask(None);
        let bit = self.b.alu2(Op::Shr, mask, other);
        let there = self.b.alu_imm(Op::And, bit, 1);
        let neutral = self.b.constant(c.neutral);
        let theirs = self.of_lane(words, other);
        let pairs = words.iter().zip(theirs);
        pairs
            .map(|(&own, other)| {
                let other = self.b.select(there, other, neutral);
                self.b.alu2(c.op, own, other)
            })
            .collect()
    }

    /// Mask of the lanes whose number compares so with the own one.
    pub fn lanes_that(&mut self, op: Op) -> Value {
        let lane = self.lane();
        let one = self.b.constant(1);
        let own = self.b.alu2(Op::Shl, one, lane);
        let all = (1 << LANES) - 1;
        let below = self.b.alu_imm(Op::ISub, own, 1);
        match op {
            Op::ISetEq => own,
            Op::USetLt => below,
            Op::USetLe => self.b.alu2(Op::Or, below, own),
            Op::USetGe => self.b.alu_imm(Op::Xor, below, all),
            _ => {
                let up_to = self.b.alu2(Op::Or, below, own);
                self.b.alu_imm(Op::Xor, up_to, all)
            }
        }
    }

    /// Whether all lanes have the value of the first.
    pub fn all_equal(&mut self, kind: NumberKind, words: &[Value]) -> Value {
        let leader = self.leader();
        let equal = if kind == NumberKind::Float { Op::FSetEq } else { Op::ISetEq };
        let mut all = self.b.constant(1);
        for &w in words {
            let first = self.across(Op::QShuf, &[w, leader]);
            let same = self.b.alu2(equal, w, first);
            all = self.b.alu2(Op::And, all, same);
        }
        self.across(Op::WRedAnd, &[all])
    }
}
