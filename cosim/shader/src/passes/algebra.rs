//! The rules of constant folding: from one operation and what is known of its operands to a simpler
//! form, exact bit for bit.
//!
//! Pure functions, so that each rule can be tried on all corner values. See `const_fold` for what
//! is allowed for f32.

use super::facts::Facts;
use crate::ops::eval::eval;
use crate::ops::float::exact_reciprocal;
use crate::ops::predicate::{cross_lane, invert_compare, rounds_to_integral, swap_compare};
use crate::ssa::Value;
use quadlock_isa::Op;

/// The simpler form of an operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum New {
    Const(u32),
    Copy(Value),
    Alu(Op, Vec<Operand>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    Value(Value),
    Const(u32),
}
use Operand::{Const as C, Value as V};

const SIGN: u32 = 0x8000_0000;
const ONE: u32 = 0x3F80_0000;
const MINUS_ONE: u32 = 0xBF80_0000;

/// `(x, inverted)` if the truth of `v` is that of `x`, or of its opposite.
pub(crate) fn zero_test(facts: &Facts, v: Value) -> Option<(Value, bool)> {
    match facts.alu(v)? {
        (Op::ISetNe, a) if facts.constant(a[1]) == Some(0) => Some((a[0], false)),
        (Op::ISetEq, a) if facts.constant(a[1]) == Some(0) => Some((a[0], true)),
        (Op::Xor, a) if facts.constant(a[1]) == Some(1) && facts.boolean(a[0]) => Some((a[0], true)),
        _ => None,
    }
}

pub(crate) fn simplify(facts: &Facts, op: Op, args: &[Value]) -> Option<New> {
    if cross_lane(op) {
        return None;
    }
    let k: Vec<Option<u32>> = args.iter().map(|a| facts.constant(*a)).collect();
    if let Some(all) = k.iter().copied().collect::<Option<Vec<u32>>>() {
        return eval(op, &all).map(New::Const);
    }
    if args.len() >= 2 && k[0].is_some() && k[1].is_none() {
        let mut to: Vec<Operand> = args.iter().map(|a| V(*a)).collect();
        to.swap(0, 1);
        if op.row().commutes {
            return Some(New::Alu(op, to));
        }
        if let Some(op) = swap_compare(op) {
            return Some(New::Alu(op, to));
        }
    }
    match args {
        [a] => unary(facts, op, *a),
        [a, b] => {
            if let Some(c) = k[1] {
                if let Some(new) = with_constant(facts, op, *a, c) {
                    return Some(new);
                }
            }
            same(facts, op, *a, *b).or_else(|| left_constant(op, k[0])).or_else(|| signs(facts, op, *a, *b))
        }
        [a, b, c] => ternary(facts, op, [*a, *b, *c], &k),
        _ => None,
    }
}

/// Rounding what is integral already, and truncating before a conversion that truncates.
fn unary(facts: &Facts, op: Op, a: Value) -> Option<New> {
    let (inner, x) = facts.alu(a)?;
    match (op, inner) {
        (op, inner) if rounds_to_integral(op) => {
            let integral = rounds_to_integral(inner) || matches!(inner, Op::I2F | Op::U2F);
            integral.then_some(New::Copy(a))
        }
        (Op::F2I | Op::F2U, Op::FTrunc) => Some(New::Alu(op, vec![V(x[0])])),
        _ => None,
    }
}

/// 0 on the left of what stays 0.
fn left_constant(op: Op, a: Option<u32>) -> Option<New> {
    matches!((op, a), (Op::Shl | Op::Shr | Op::Sar | Op::UBfe | Op::SBfe, Some(0))).then_some(New::Const(0))
}

/// Both operands are one value.
fn same(facts: &Facts, op: Op, a: Value, b: Value) -> Option<New> {
    if a != b {
        return None;
    }
    match op {
        Op::ISub | Op::Xor => Some(New::Const(0)),
        Op::And | Op::Or | Op::SMin | Op::SMax | Op::UMin | Op::UMax => Some(New::Copy(a)),
        Op::FMin | Op::FMax if facts.canonical(a) => Some(New::Copy(a)),
        Op::ISetEq | Op::SSetLe | Op::SSetGe | Op::USetLe | Op::USetGe => Some(New::Const(1)),
        Op::ISetNe | Op::SSetLt | Op::SSetGt | Op::USetLt | Op::USetGt | Op::FSetLt | Op::FSetGt => Some(New::Const(0)),
        _ => None,
    }
}

/// Operand B is the constant `c`.
fn with_constant(facts: &Facts, op: Op, a: Value, c: u32) -> Option<New> {
    let copy = Some(New::Copy(a));
    match (op, c) {
        (Op::IAdd | Op::ISub | Op::Or | Op::Xor | Op::UMax, 0) => return copy,
        (Op::IMul, 1) | (Op::And | Op::UMin, u32::MAX) => return copy,
        (Op::Shl | Op::Shr | Op::Sar, c) if c & 31 == 0 => return copy,
        (Op::IMul | Op::And | Op::UMulHi | Op::UMin | Op::SMulHi, 0) | (Op::UMulHi, 1) => return Some(New::Const(0)),
        (Op::Or | Op::UMax, u32::MAX) => return Some(New::Const(u32::MAX)),
        (Op::UBfe | Op::SBfe, c) if c >> 8 & 63 == 0 => return Some(New::Const(0)),
        (Op::UBfe | Op::SBfe, c) if c & 31 == 0 && c >> 8 & 63 >= 32 => return copy,
        (Op::ISub, c) => return Some(New::Alu(Op::IAdd, vec![V(a), C(c.wrapping_neg())])),
        (Op::USetLt, 0) | (Op::USetGt, u32::MAX) => return Some(New::Const(0)),
        (Op::USetGe, 0) | (Op::USetLe, u32::MAX) => return Some(New::Const(1)),
        (Op::USetLt, 1) | (Op::USetLe, 0) => return Some(New::Alu(Op::ISetEq, vec![V(a), C(0)])),
        (Op::USetGe, 1) | (Op::USetGt, 0) => return Some(New::Alu(Op::ISetNe, vec![V(a), C(0)])),
        // The sign of a constant costs nothing.
        (Op::FMul | Op::FDiv, c) if !f32::from_bits(c).is_nan() && negated(facts, a).is_some() => {
            return negated(facts, a).map(|x| New::Alu(op, vec![V(x), C(c ^ SIGN)]));
        }
        (Op::FDiv, c) => {
            if let Some(r) = exact_reciprocal(c) {
                return Some(New::Alu(Op::FMul, vec![V(a), C(r)]));
            }
        }
        (Op::FMul, ONE) | (Op::FAdd, SIGN) | (Op::FSub, 0) if facts.canonical(a) => return copy,
        _ => {}
    }
    truth(facts, op, a, c).or_else(|| nested(facts, op, a, c))
}

/// Operations on booleans.
fn truth(facts: &Facts, op: Op, a: Value, c: u32) -> Option<New> {
    if !facts.boolean(a) {
        return None;
    }
    match (op, c) {
        (Op::And, c) if c & 1 == 1 => Some(New::Copy(a)),
        (Op::And, _) => Some(New::Const(0)),
        (Op::ISetNe, 0) | (Op::ISetEq, 1) => Some(New::Copy(a)),
        (Op::ISetEq, 0) | (Op::ISetNe | Op::Xor, 1) => {
            let inverted = facts.alu(a).and_then(|(op, x)| Some((invert_compare(op)?, x)));
            match inverted {
                Some((op, x)) => Some(New::Alu(op, x.iter().map(|v| V(*v)).collect())),
                None if op != Op::ISetEq => Some(New::Alu(Op::ISetEq, vec![V(a), C(0)])),
                None => None,
            }
        }
        _ => None,
    }
}

/// A constant on an operation with a constant.
fn nested(facts: &Facts, op: Op, a: Value, c: u32) -> Option<New> {
    let (inner, x) = facts.alu(a)?;
    let &[x, y] = x else { return None };
    let d = facts.constant(y)?;
    let new = |op, c| Some(New::Alu(op, vec![V(x), C(c)]));
    match (op, inner) {
        (Op::IAdd, Op::IAdd) => new(Op::IAdd, c.wrapping_add(d)),
        (Op::IMul, Op::IMul) => new(Op::IMul, c.wrapping_mul(d)),
        (Op::IMul, Op::Shl) => new(Op::IMul, c << (d & 31)),
        (Op::Shl, Op::IMul) => new(Op::IMul, d << (c & 31)),
        (Op::And, Op::And) => new(Op::And, c & d),
        (Op::Or, Op::Or) => new(Op::Or, c | d),
        (Op::Xor, Op::Xor) => new(Op::Xor, c ^ d),
        (Op::Shl, Op::Shl) | (Op::Shr, Op::Shr) => match (c & 31) + (d & 31) {
            s @ 0..=31 => new(op, s),
            _ => Some(New::Const(0)),
        },
        (Op::Sar, Op::Sar) => new(op, ((c & 31) + (d & 31)).min(31)),
        (Op::ISetEq | Op::ISetNe, Op::IAdd) => new(op, c.wrapping_sub(d)),
        (Op::ISetEq | Op::ISetNe, Op::Xor) => new(op, c ^ d),
        (Op::UMin, Op::UMin) => new(op, c.min(d)),
        (Op::UMax, Op::UMax) => new(op, c.max(d)),
        (Op::SMin, Op::SMin) => new(op, (c as i32).min(d as i32) as u32),
        (Op::SMax, Op::SMax) => new(op, (c as i32).max(d as i32) as u32),
        _ => None,
    }
}

/// `-x` if `v` is a sign flip (by XOR) of x.
fn negated(facts: &Facts, v: Value) -> Option<Value> {
    match facts.alu(v)? {
        (Op::Xor, a) if facts.constant(a[1]) == Some(SIGN) => Some(a[0]),
        _ => None,
    }
}

/// Sign flips move into the operation: x + -y is x - y, exactly, and every NaN comes out the same.
fn signs(facts: &Facts, op: Op, a: Value, b: Value) -> Option<New> {
    let (na, nb) = (negated(facts, a), negated(facts, b));
    let new = |op, a, b| Some(New::Alu(op, vec![V(a), V(b)]));
    match (op, na, nb) {
        (Op::FAdd, _, Some(y)) => new(Op::FSub, a, y),
        (Op::FAdd, Some(x), _) => new(Op::FSub, b, x),
        (Op::FSub, _, Some(y)) => new(Op::FAdd, a, y),
        (Op::FMul | Op::FDiv, Some(x), Some(y)) => new(op, x, y),
        (Op::ISub, ..) => match facts.alu(b)? {
            // x - (0 - y)
            (Op::ISub, s) if facts.constant(s[0]) == Some(0) => new(Op::IAdd, a, s[1]),
            _ => None,
        },
        (Op::IAdd, ..) => match (facts.alu(a), facts.alu(b)) {
            (_, Some((Op::ISub, s))) if facts.constant(s[0]) == Some(0) => new(Op::ISub, a, s[1]),
            (Some((Op::ISub, s)), _) if facts.constant(s[0]) == Some(0) => new(Op::ISub, b, s[1]),
            _ => None,
        },
        _ => None,
    }
}

fn ternary(facts: &Facts, op: Op, [a, b, c]: [Value; 3], k: &[Option<u32>]) -> Option<New> {
    match op {
        Op::Sel => select(facts, a, b, c, k),
        Op::IMad => match (k[0], k[1], k[2]) {
            (Some(x), Some(y), _) => Some(New::Alu(Op::IAdd, vec![V(c), C(x.wrapping_mul(y))])),
            (_, Some(0), _) => Some(New::Copy(c)),
            (_, Some(1), _) => Some(New::Alu(Op::IAdd, vec![V(a), V(c)])),
            (_, _, Some(0)) => Some(New::Alu(Op::IMul, vec![V(a), V(b)])),
            _ => None,
        },
        Op::FFma | Op::FNma => {
            // One times a number is that number, and a sum with -0 is the other.
            let sum = (op == Op::FFma) == (k[1] == Some(ONE));
            match (k[1], k[2]) {
                (Some(ONE | MINUS_ONE), _) if sum => return Some(New::Alu(Op::FAdd, vec![V(a), V(c)])),
                (Some(ONE | MINUS_ONE), _) => return Some(New::Alu(Op::FSub, vec![V(c), V(a)])),
                (_, Some(SIGN)) if op == Op::FFma => return Some(New::Alu(Op::FMul, vec![V(a), V(b)])),
                _ => {}
            }
            let other = if op == Op::FFma { Op::FNma } else { Op::FFma };
            match (negated(facts, a), negated(facts, b)) {
                (Some(x), _) => Some(New::Alu(other, vec![V(x), V(b), V(c)])),
                (_, Some(y)) => Some(New::Alu(other, vec![V(a), V(y), V(c)])),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether one of two booleans is true wherever the other is not.
fn opposites(facts: &Facts, v: Value, w: Value) -> bool {
    let of = |v: Value, w: Value| zero_test(facts, v) == Some((w, true));
    let compares = || match (facts.alu(v), facts.alu(w)) {
        (Some((op, x)), Some((other, y))) => x == y && invert_compare(op) == Some(other),
        _ => false,
    };
    of(v, w) || of(w, v) || compares()
}

/// SEL: a if c, else b.
fn select(facts: &Facts, a: Value, b: Value, c: Value, k: &[Option<u32>]) -> Option<New> {
    if let Some(c) = k[2] {
        return Some(New::Copy(if c != 0 { a } else { b }));
    }
    if a == b {
        return Some(New::Copy(a));
    }
    if let Some((x, inverted)) = zero_test(facts, c) {
        let (a, b) = if inverted { (b, a) } else { (a, b) };
        return Some(New::Alu(Op::Sel, vec![V(a), V(b), V(x)]));
    }
    if facts.boolean(c) {
        let new = |op, x, y| Some(New::Alu(op, vec![V(x), y]));
        match (k[0], k[1]) {
            (Some(1), Some(0)) => return Some(New::Copy(c)),
            (Some(0), Some(1)) => return new(Op::ISetEq, c, C(0)),
            (Some(1), _) if facts.boolean(b) => return new(Op::Or, c, V(b)),
            (_, Some(0)) if facts.boolean(a) => return new(Op::And, c, V(a)),
            _ => {}
        }
        // What a short-circuit `||` or `&&` becomes: an arm that is the condition or its opposite.
        if facts.boolean(a) && facts.boolean(b) {
            let known = |v: Value| (v == c).then_some(true).or_else(|| opposites(facts, v, c).then_some(false));
            match (known(a), known(b)) {
                (Some(true), _) => return new(Op::Or, c, V(b)),
                (Some(false), _) => return new(Op::And, a, V(b)),
                (_, Some(true)) => return new(Op::And, c, V(a)),
                (_, Some(false)) => return new(Op::Or, b, V(a)),
                _ => {}
            }
        }
    }
    let (op, x) = facts.alu(c)?;
    let pick = match op {
        Op::SSetLt | Op::SSetLe => Op::SMin,
        Op::SSetGt | Op::SSetGe => Op::SMax,
        Op::USetLt | Op::USetLe => Op::UMin,
        Op::USetGt | Op::USetGe => Op::UMax,
        _ => return None,
    };
    let opposite = match pick {
        Op::SMin => Op::SMax,
        Op::SMax => Op::SMin,
        Op::UMin => Op::UMax,
        _ => Op::UMin,
    };
    let equal = |v: Value, w: Value| v == w || (facts.constant(v).is_some() && facts.constant(v) == facts.constant(w));
    if equal(a, x[0]) && equal(b, x[1]) {
        Some(New::Alu(pick, vec![V(a), V(b)]))
    } else if equal(a, x[1]) && equal(b, x[0]) {
        Some(New::Alu(opposite, vec![V(a), V(b)]))
    } else {
        None
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::ops::predicate::{arity, cross_lane};
    use crate::ssa::interp::{self, Launch};
    use crate::ssa::verify::verify;
    use crate::ssa::{Func, FuncId, Kind, Loc, Module, Space, Value, Width};
    use quadlock_isa::{Op, TABLE};
    use rand::{Rng, SeedableRng};

    const CORNERS: &[u32] = &[
        0,
        1,
        2,
        3,
        31,
        32,
        33,
        0x7FFF_FFFF,
        0x8000_0000,
        0x8000_0001,
        0xFFFF_FFFF,
        0x0508,
        0x2000,
        0x3F80_0000,
        0xBF80_0000,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0xFFC0_1234,
        0x0000_0005,
        0x4040_0000,
    ];

    /// For every operation: a second operation on its result, operands drawn from loaded corner
    /// values, constants and the first result. `change` is applied and must not alter what is
    /// stored.
    pub fn pair_of_operations(seed: u64, change: &mut dyn FnMut(&mut Func)) {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let ops: Vec<Op> = TABLE.iter().map(|r| r.op).filter(|&op| arity(op).is_some() && !cross_lane(op)).collect();
        let loc = Loc::default();
        let mut f = Func { name: "pairs".into(), ..Default::default() };
        let b = f.new_block();
        let zero = f.push(b, Kind::Const(0), 1, loc)[0];
        let mut offset = 0x1000;
        for first in &ops {
            for _ in 0..4 {
                let x = f.push(b, load(zero, rng.random_range(0..CORNERS.len()) as i32 * 4), 1, loc)[0];
                let mut results: Vec<Value> = vec![];
                for op in [*first, ops[rng.random_range(0..ops.len())]] {
                    let args = (0..arity(op).unwrap_or(0)).map(|_| match rng.random_range(0..4) {
                        0 => x,
                        1 => f.push(b, Kind::Const(CORNERS[rng.random_range(0..CORNERS.len())]), 1, loc)[0],
                        _ => results.last().copied().unwrap_or(x),
                    });
                    let args = args.collect();
                    results.push(f.push(b, Kind::Alu(op, args), 1, loc)[0]);
                }
                let values = vec![results[1]];
                f.push(b, Kind::Store { space: Space::Global, width: Width::W32, addr: zero, offset, values }, 0, loc);
                offset += 4;
            }
        }
        f.push(b, Kind::Return(vec![]), 0, loc);
        let run = |f: &Func| {
            let mut memory: Vec<u8> = CORNERS.iter().flat_map(|c| c.to_le_bytes()).collect();
            memory.resize(offset as usize, 0);
            let module = Module { funcs: vec![f.clone()], files: vec![] };
            interp::run(&module, FuncId(0), &Launch::default(), &mut memory).unwrap();
            memory
        };
        let want = run(&f);
        let old = f.clone();
        change(&mut f);
        verify(&f).unwrap();
        if let Some(at) = run(&f).chunks(4).zip(want.chunks(4)).position(|(x, y)| x != y) {
            panic!("seed {seed}: the value stored at {:#x} differs\n{old}\n{f}", at * 4);
        }
    }

    fn load(addr: Value, offset: i32) -> Kind {
        Kind::Load { space: Space::Global, width: Width::W32, addr, offset }
    }
}
