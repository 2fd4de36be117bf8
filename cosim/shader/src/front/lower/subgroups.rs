//! Subgroup operations: a subgroup is the warp of four lanes, and its active invocations are the
//! lanes that are together at the operation (docs/warp-wide.md).
//!
//! WGSL's come as naga's statements. naga's GLSL front end lacks those of GL_KHR_shader_subgroup:
//! the ones that a text names are declared to it as ordinary functions and found by name; its
//! built-in variables become calls of such functions ([`crate::front::text::rewrite`]). What the
//! machine has no instruction for (products, f32 sums, minima and maxima) is put together from
//! QSHUF, one lane after another in the order of their numbers, inactive lanes left out by the
//! ballot; so an f32 result is always the one of that order. Wrong would be to read a lane that is
//! not there, for its register may hold anything: every such value goes through a SEL on the
//! ballot.

use super::cx::{Cx, Res};
use crate::front::text::edit::Mark;
use crate::front::text::subgroups::{by_name, Call};
use crate::ops::float::NAN;
use crate::ssa::Value;
use naga::{CollectiveOperation as Collect, Direction, Expression, Function, GatherMode, Handle, ScalarKind};
use naga::{SubgroupOperation as Operation, TypeInner};
use quadlock_isa::abi::LANES;
use quadlock_isa::{Op, Special};

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

fn combine(operation: Operation, kind: ScalarKind) -> Combine {
    let (float, signed) = (kind == ScalarKind::Float, kind == ScalarKind::Sint);
    let word = |reduce, scan, op, start| Combine { across: Some((reduce, scan)), op, neutral: start, start };
    let steps = |op, neutral, start| Combine { across: None, op, neutral, start };
    let bits = f32::to_bits;
    match operation {
        // -0 + x is x for every x; the minimum or maximum of a NaN and x is x.
        Operation::Add if float => steps(Op::FAdd, bits(-0.0), bits(0.0)),
        Operation::Mul if float => steps(Op::FMul, bits(1.0), bits(1.0)),
        Operation::Min if float => steps(Op::FMin, NAN, bits(f32::INFINITY)),
        Operation::Max if float => steps(Op::FMax, NAN, bits(f32::NEG_INFINITY)),
        Operation::Mul => steps(Op::IMul, 1, 1),
        Operation::Add => word(Op::WRedAdd, Op::WScanAdd, Op::IAdd, 0),
        Operation::Min if signed => word(Op::WRedSMin, Op::WScanSMin, Op::SMin, i32::MAX as u32),
        Operation::Max if signed => word(Op::WRedSMax, Op::WScanSMax, Op::SMax, i32::MIN as u32),
        Operation::Min => word(Op::WRedUMin, Op::WScanUMin, Op::UMin, u32::MAX),
        Operation::Max => word(Op::WRedUMax, Op::WScanUMax, Op::UMax, 0),
        Operation::And | Operation::All => word(Op::WRedAnd, Op::WScanAnd, Op::And, u32::MAX),
        Operation::Or | Operation::Any => word(Op::WRedOr, Op::WScanOr, Op::Or, 0),
        Operation::Xor => word(Op::WRedXor, Op::WScanXor, Op::Xor, 0),
    }
}

impl<'a> Cx<'_, 'a> {
    fn lane(&mut self) -> Value {
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
    fn mask(&mut self, value: Option<Value>) -> Value {
        let value = value.unwrap_or_else(|| self.b.constant(1));
        self.across(Op::WBallot, &[value])
    }

    /// As the languages have it: a vector of four words.
    fn mask_words(&mut self, mask: Value) -> Vec<Value> {
        let zero = self.b.constant(0);
        vec![mask, zero, zero, zero]
    }

    pub fn ballot(&mut self, predicate: Option<Handle<Expression>>) -> Res<Vec<Value>> {
        let predicate = predicate.map(|p| self.word(p)).transpose()?;
        let mask = self.mask(predicate);
        Ok(self.mask_words(mask))
    }

    /// The words of lane `from`.
    fn of_lane(&mut self, words: &[Value], from: Value) -> Vec<Value> {
        words.iter().map(|&w| self.across(Op::QShuf, &[w, from])).collect()
    }

    fn relative(&mut self, op: Op, distance: Value) -> Value {
        let lane = self.lane();
        self.b.alu2(op, lane, distance)
    }

    pub fn gather(&mut self, mode: GatherMode, argument: Handle<Expression>) -> Res<Vec<Value>> {
        let words = self.words(argument)?;
        let from = match mode {
            GatherMode::BroadcastFirst => self.leader(),
            GatherMode::Broadcast(lane) | GatherMode::Shuffle(lane) | GatherMode::QuadBroadcast(lane) => {
                self.word(lane)?
            }
            GatherMode::ShuffleDown(by) => {
                let by = self.word(by)?;
                self.relative(Op::IAdd, by)
            }
            GatherMode::ShuffleUp(by) => {
                let by = self.word(by)?;
                self.relative(Op::ISub, by)
            }
            GatherMode::ShuffleXor(mask) => {
                let mask = self.word(mask)?;
                self.relative(Op::Xor, mask)
            }
            GatherMode::QuadSwap(direction) => {
                let mask = match direction {
                    Direction::X => 1,
                    Direction::Y => 2,
                    Direction::Diagonal => 3,
                };
                let mask = self.b.constant(mask);
                self.relative(Op::Xor, mask)
            }
        };
        Ok(self.of_lane(&words, from))
    }

    pub fn collective(
        &mut self,
        operation: Operation,
        collect: Collect,
        argument: Handle<Expression>,
    ) -> Res<Vec<Value>> {
        if self.unit.map.mark(self.span) == Some(Mark::Elect) {
            return Ok(vec![self.elected()]);
        }
        let Some(scalar) = self.shape(argument)?.scalar() else {
            return Err(self.refuse("a subgroup operation on this type is not supported"));
        };
        let words = self.words(argument)?;
        Ok(self.collect(operation, collect, scalar.kind, &words))
    }

    fn collect(&mut self, operation: Operation, collect: Collect, kind: ScalarKind, words: &[Value]) -> Vec<Value> {
        let c = combine(operation, kind);
        words.iter().map(|&w| self.collect_word(&c, collect, kind, w)).collect()
    }

    fn collect_word(&mut self, c: &Combine, collect: Collect, kind: ScalarKind, word: Value) -> Value {
        let before = match (c.across, collect) {
            (Some((reduce, _)), Collect::Reduce) => return self.across(reduce, &[word]),
            (Some((_, scan)), _) => {
                let scanned = self.across(scan, &[word]);
                // A boolean's all ones is true.
                if kind == ScalarKind::Bool {
                    self.b.alu_imm(Op::And, scanned, 1)
                } else {
                    scanned
                }
            }
            (None, _) => return self.in_lane_order(c, collect, word),
        };
        match collect {
            Collect::InclusiveScan => self.b.alu2(c.op, before, word),
            _ => before,
        }
    }

    /// ((x0 op x1) op x2) op x3 of the lanes that count.
    fn in_lane_order(&mut self, c: &Combine, collect: Collect, word: Value) -> Value {
        let mut mask = self.mask(None);
        if collect != Collect::Reduce {
            let lane = self.lane();
            let one = self.b.constant(if collect == Collect::InclusiveScan { 2 } else { 1 });
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
        if collect == Collect::ExclusiveScan && c.start != c.neutral {
            let start = self.b.constant(c.start);
            return self.b.select(mask, sum, start);
        }
        sum
    }

    /// The lanes in rows of `size`: the operation in each row, over its active lanes.
    fn clustered(&mut self, operation: Operation, kind: ScalarKind, words: &[Value], size: Value) -> Res<Vec<Value>> {
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

    /// A call of a function of [`FUNCTIONS`] or [`VARIABLES`]; `None` if `name` is another.
    pub fn glsl_subgroup(
        &mut self,
        name: &str,
        handle: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> Res<Option<Vec<Value>>> {
        // The sign that an operation of SPIR-V has, if it is not its type's.
        let (name, sign) = name.split_once(':').unwrap_or((name, ""));
        let Some(call) = by_name(name) else { return Ok(None) };
        let fun = &self.unit.module.functions[handle];
        let inner = fun.arguments.first().map(|a| &self.unit.module.types[a.ty].inner);
        let kind = match inner {
            _ if sign == "i" => ScalarKind::Sint,
            _ if sign == "u" => ScalarKind::Uint,
            Some(TypeInner::Scalar(s) | TypeInner::Vector { scalar: s, .. }) => s.kind,
            _ => ScalarKind::Uint,
        };
        let mut args = vec![];
        for &a in arguments {
            args.push(self.words(a)?);
        }
        let words = args.first().cloned().unwrap_or_default();
        let second = args.get(1).and_then(|w| w.first()).copied();
        let second = second.unwrap_or_else(|| self.b.constant(0));
        Ok(Some(match call {
            Call::Elect => vec![self.elected()],
            Call::Collective(operation, collect) => self.collect(operation, collect, kind, &words),
            Call::Clustered(operation) => self.clustered(operation, kind, &words, second)?,
            Call::AllEqual => vec![self.all_equal(kind, &words)],
            Call::BroadcastFirst => {
                let leader = self.leader();
                self.of_lane(&words, leader)
            }
            Call::Lane => self.of_lane(&words, second),
            Call::Relative(op) => {
                let from = self.relative(op, second);
                self.of_lane(&words, from)
            }
            Call::Swap(mask) => {
                let mask = self.b.constant(mask);
                let from = self.relative(Op::Xor, mask);
                self.of_lane(&words, from)
            }
            Call::Ballot => {
                let mask = self.mask(words.first().copied());
                self.mask_words(mask)
            }
            Call::Barrier => {
                self.fence(false);
                vec![]
            }
            Call::LaneNumber => vec![self.lane()],
            Call::Number => vec![self.subgroup_id()],
            Call::Count => vec![self.subgroup_count()],
            Call::Mask(op) => {
                let bits = self.lanes_that(op);
                self.mask_words(bits)
            }
            of_mask => vec![self.of_mask(of_mask, words[0], second)],
        }))
    }

    /// Functions of a ballot's first word, the only one with lanes in it.
    fn of_mask(&mut self, call: Call, mask: Value, bit: Value) -> Value {
        let lanes = self.b.alu_imm(Op::And, mask, (1 << LANES) - 1);
        match call {
            Call::InverseBallot => {
                let lane = self.lane();
                let bit = self.b.alu2(Op::Shr, lanes, lane);
                self.b.alu_imm(Op::And, bit, 1)
            }
            Call::BallotBit => {
                let shifted = self.b.alu2(Op::Shr, lanes, bit);
                self.b.alu_imm(Op::And, shifted, 1)
            }
            Call::BallotEnd(Op::Ctz) => self.b.alu1(Op::Ctz, lanes),
            Call::BallotEnd(_) => {
                let zeros = self.b.alu1(Op::Clz, lanes);
                let top = self.b.constant(31);
                self.b.alu2(Op::ISub, top, zeros)
            }
            Call::BallotCount(Collect::Reduce) => self.b.alu1(Op::Popc, lanes),
            Call::BallotCount(collect) => {
                let op = if collect == Collect::InclusiveScan { Op::USetLe } else { Op::USetLt };
                let counted = self.lanes_that(op);
                let lanes = self.b.alu2(Op::And, lanes, counted);
                self.b.alu1(Op::Popc, lanes)
            }
            _ => lanes,
        }
    }

    /// Mask of the lanes whose number compares so with the own one.
    fn lanes_that(&mut self, op: Op) -> Value {
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
    fn all_equal(&mut self, kind: ScalarKind, words: &[Value]) -> Value {
        let leader = self.leader();
        let equal = if kind == ScalarKind::Float { Op::FSetEq } else { Op::ISetEq };
        let mut all = self.b.constant(1);
        for &w in words {
            let first = self.across(Op::QShuf, &[w, leader]);
            let same = self.b.alu2(equal, w, first);
            all = self.b.alu2(Op::And, all, same);
        }
        self.across(Op::WRedAnd, &[all])
    }
}
