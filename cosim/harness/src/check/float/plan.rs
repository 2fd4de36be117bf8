//! Which vectors an operation is run on. A plan is a list of parts, each a sequence that can be cut
//! anywhere, so that chunks of it are made where they are run: by chunk, a random source of its
//! own, seeded by seed, operation, part and chunk. That makes the vectors independent of how many
//! run at a time.

use std::ops::Range;

use quadlock_isa::Op;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::cases::{Corners, Level};
use super::op::{FloatOp, Meaning, Operands, OPS};
use super::vector::Vector;
use super::{fast, hard};

/// Vectors of one chunk.
pub const CHUNK: u64 = 1 << 14;
/// Triples of level 1 that are run at level 1, as docs/float-check.md says.
const SAMPLE: u64 = 500_000;
/// Random operands of an operation with one f32.
const RANDOM: [u64; 2] = [50_000, 10_000_000];
/// Vectors of a mixture.
const MIXED: u64 = 200_000;

/// A part of a plan.
#[derive(Debug)]
pub enum Part {
    /// The TestFloat-like sequence, whole.
    Sequence(Level),
    /// So many cases of it, evenly spread.
    Sample(u64),
    /// Corner fractions with every exponent.
    EveryExponent,
    /// All 2^16 low halves, the upper halves random.
    Low16,
    /// Directed.
    List(Vec<[u32; 3]>),
    /// All operands of a range of bits, the end not included.
    Range(u64, u64),
    /// Random.
    Random(u64),
}

/// What is run and counted as one row.
#[derive(Debug)]
pub struct Plan {
    /// Mnemonic, or a mixture's name.
    pub name: String,
    /// One, or those of a mixture, which change from vector to vector.
    pub ops: Vec<&'static FloatOp>,
    /// Run in this order.
    pub parts: Vec<Part>,
    /// Distinguishes its random sources.
    key: u64,
}

fn source(seed: u64, key: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&key.to_le_bytes());
    ChaCha8Rng::from_seed(bytes)
}

/// Directed operands of an operation.
fn directed(op: &FloatOp, rng: &mut ChaCha8Rng) -> Vec<Vec<[u32; 3]>> {
    match op.op {
        Op::FDiv => vec![hard::division(rng)],
        Op::FMul => vec![hard::multiplication(rng)],
        Op::FFma | Op::FNma => vec![hard::multiply_add(rng)],
        Op::FSqrt => vec![hard::square_root(rng)],
        Op::F2UN8 => vec![hard::ties(rng), hard::steps(255)],
        Op::F2UN16 => vec![hard::ties(rng), hard::steps(65535)],
        Op::F2SN8 => vec![hard::ties(rng), hard::steps(127)],
        Op::F2SN16 => vec![hard::ties(rng), hard::steps(32767)],
        // The tie of one operand is beside any other.
        Op::PkF16 => vec![hard::ties(rng).into_iter().map(|[a, ..]| [a, a.rotate_left(1), 0]).collect()],
        _ if op.operands == Operands::Floats(1) => vec![hard::ties(rng)],
        _ => vec![],
    }
}

/// Ranges of operands after which the operation repeats itself.
fn reduced(op: &FloatOp) -> &'static [(u32, u32)] {
    match op.meaning {
        Meaning::Near(function) => function.reduced,
        // Two binades: all significands with an even and an odd exponent.
        Meaning::Exact(_) if op.op == Op::FSqrt => &[(0x3F80_0000, 0x4080_0000)],
        Meaning::Exact(_) => &[],
    }
}

impl Plan {
    /// The plan of one operation.
    pub fn of(op: &'static FloatOp, level: Level, seed: u64) -> Self {
        let key = u64::from(op.op as u8);
        let mut parts = Vec::new();
        match (op.operands, level) {
            (Operands::Floats(3), Level::One) => parts.push(Part::Sample(SAMPLE)),
            (Operands::Floats(3), Level::Two) => parts.push(Part::Sequence(Level::One)),
            (Operands::Low16, _) => parts.push(Part::Low16),
            _ => parts.push(Part::Sequence(level)),
        }
        parts.extend(directed(op, &mut source(seed, key)).into_iter().map(Part::List));
        if op.operands.count() == 1 && op.operands != Operands::Low16 {
            parts.push(Part::Random(RANDOM[level as usize]));
        }
        if op.operands == Operands::Floats(1) {
            parts.push(Part::EveryExponent);
            if level == Level::Two {
                parts.extend(reduced(op).iter().map(|&(from, to)| Part::Range(from.into(), to.into())));
            }
        }
        Self { name: op.name().into(), ops: vec![op], parts, key }
    }

    /// The operands `from` to `to` of an operation that has one, or of PK.F16 with the second made
    /// from the first; compared with [`fast`]'s results.
    pub fn operands_from(op: &'static FloatOp, from: u64, to: u64) -> Self {
        Self { name: op.name().into(), ops: vec![fast::quick(op)], parts: vec![Part::Range(from, to)], key: 0 }
    }

    /// Operations of one pipeline in turn, so that one that disturbs its neighbour shows: the
    /// lanes' or the function unit's.
    pub fn mixed(function_unit: bool) -> Self {
        let ops = OPS.iter().filter(|o| o.in_function_unit() == function_unit).collect();
        Self {
            name: mixed_name(function_unit).into(),
            ops,
            parts: vec![Part::Random(MIXED)],
            key: function_unit.into(),
        }
    }

    /// The plan whose only vector this is.
    pub fn single(op: &'static FloatOp, operands: [u32; 3]) -> Self {
        Self { name: op.name().into(), ops: vec![op], parts: vec![Part::List(vec![operands])], key: 0 }
    }

    /// Vectors of a part.
    pub fn part_len(&self, part: usize, corners: &Corners) -> u64 {
        match (&self.parts[part], self.ops[0].operands) {
            (Part::Sequence(level), Operands::Integer) => corners.integers(*level),
            (Part::Sequence(level), operands) => corners.floats(operands.count(), *level),
            (Part::Sample(n) | Part::Random(n), _) => *n,
            (Part::EveryExponent, _) => corners.exponents(),
            (Part::Low16, _) => 1 << 16,
            (Part::List(list), _) => list.len() as u64,
            (Part::Range(from, to), _) => to - from,
        }
    }

    /// Vectors in all.
    pub fn len(&self, corners: &Corners) -> u64 {
        (0..self.parts.len()).map(|p| self.part_len(p, corners)).sum()
    }

    /// The part whose first chunk stands for the operation when its speed is measured: random
    /// operands, where there are some.
    pub fn speed_part(&self) -> usize {
        self.parts.iter().position(|p| matches!(p, Part::Random(_))).unwrap_or(0)
    }

    /// Fills in the vectors of chunk `chunk` of a part.
    pub fn fill(&self, part: usize, chunk: u64, seed: u64, corners: &Corners, vectors: &mut Vec<Vector>) {
        let range = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.part_len(part, corners));
        let mut rng = source(seed, (chunk << 16) + ((part as u64 + 1) << 8) + self.key);
        vectors.clear();
        let rng = &mut rng;
        if let [op] = self.ops[..] {
            self.operands(part, range, corners, rng, |operands| vectors.push(Vector { op, operands }));
            return;
        }
        for _ in range {
            let op = self.ops[rng.random_range(0..self.ops.len())];
            vectors.push(Vector { op, operands: random(op.operands, corners, rng) });
        }
    }

    fn operands(
        &self,
        part: usize,
        range: Range<u64>,
        corners: &Corners,
        rng: &mut ChaCha8Rng,
        mut push: impl FnMut([u32; 3]),
    ) {
        let operands = self.ops[0].operands;
        let count = operands.count();
        let all = corners.floats(count, Level::One);
        for i in range {
            push(match &self.parts[part] {
                Part::Sequence(level) if operands == Operands::Integer => [corners.integer_case(*level, i, rng), 0, 0],
                Part::Sequence(level) => corners.float_case(count, *level, i, rng),
                Part::Sample(n) => {
                    let (first, next) = (i * all / n, (i + 1) * all / n);
                    corners.float_case(count, Level::One, rng.random_range(first..next), rng)
                }
                Part::EveryExponent => [corners.every_exponent(i), 0, 0],
                Part::Low16 => [rng.random::<u32>() << 16 | i as u32, 0, 0],
                Part::List(list) => list[i as usize],
                Part::Range(from, _) => {
                    let a = (from + i) as u32;
                    [a, fast::second(self.ops[0].op, a), 0]
                }
                Part::Random(_) => random(operands, corners, rng),
            });
        }
    }
}

/// Name of a mixture's row.
pub fn mixed_name(function_unit: bool) -> &'static str {
    match function_unit {
        false => "MIXED-LANE",
        true => "MIXED-FUNCTION",
    }
}

/// Random operands. One f32 of two is of moderate magnitude: most functions do nothing interesting
/// at 10^30.
fn random(operands: Operands, corners: &Corners, rng: &mut ChaCha8Rng) -> [u32; 3] {
    match operands {
        Operands::Floats(1) => {
            let any: u32 = rng.random();
            match any & 1 {
                0 => [rng.random(), 0, 0],
                _ => [any & 0x807F_FFFF | rng.random_range(97..138) << 23, 0, 0],
            }
        }
        Operands::Floats(n) => {
            corners.float_case(n, Level::One, rng.random_range(0..corners.floats(n, Level::One)), rng)
        }
        Operands::Integer | Operands::Low16 => [rng.random::<u32>() >> rng.random_range(0..32), 0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of an operation, by (count, sum of everything in them).
    fn digest(plan: &Plan, seed: u64, corners: &Corners) -> (u64, u64) {
        let (mut count, mut sum) = (0, 0u64);
        let mut vectors = Vec::new();
        for part in 0..plan.parts.len() {
            for chunk in 0..plan.part_len(part, corners).div_ceil(CHUNK) {
                plan.fill(part, chunk, seed, corners, &mut vectors);
                count += vectors.len() as u64;
                for v in &vectors {
                    sum = v
                        .operands
                        .iter()
                        .fold(sum, |s, w| s.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add((*w).into()));
                }
            }
        }
        (count, sum)
    }

    #[test]
    fn level_1_has_its_counts_and_repeats() {
        let corners = Corners::default();
        for (name, least) in [("FADD", 46_464), ("FFMA", 500_000), ("FDIV", 46_464 + 30_000), ("I2F", 372 + 50_000)] {
            let op = FloatOp::by_name(name).unwrap();
            let plan = Plan::of(op, Level::One, 1);
            let first = digest(&plan, 1, &corners);
            assert_eq!(first.0, plan.len(&corners));
            assert!(first.0 >= least && first.0 < least + 40_000, "{name}: {}", first.0);
            assert_eq!(first, digest(&Plan::of(op, Level::One, 1), 1, &corners), "{name}");
            assert_ne!(first.1, digest(&Plan::of(op, Level::One, 2), 2, &corners).1, "{name}");
        }
    }

    #[test]
    fn mixtures_are_of_one_pipeline() {
        let corners = Corners::default();
        for function_unit in [false, true] {
            let plan = Plan::mixed(function_unit);
            let mut vectors = Vec::new();
            plan.fill(0, 0, 1, &corners, &mut vectors);
            assert!(vectors.iter().all(|v| v.op.in_function_unit() == function_unit));
            assert!(plan.ops.iter().all(|o| vectors.iter().any(|v| v.op.op == o.op)));
        }
    }
}
