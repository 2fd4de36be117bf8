//! Which bits of a value may differ between lanes that compute it together, and which bits may be
//! one at all.
//!
//! A value is uniform when no bit differs. That is finer than a yes or no: of four consecutive
//! invocation numbers starting at a multiple of four only the two lowest bits differ, so what is
//! shifted right by two, masked, or compared with a multiple of four is uniform. A rule is wrong if
//! a carry, a borrow or a sign can take a difference to a bit that is said not to differ; the tests
//! try every rule on random operands.

use crate::ops::predicate::is_compare;
use quadlock_isa::{Op, Special};

/// Every bit may differ.
pub const ALL: u32 = u32::MAX;

/// What is known of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Bits in which lanes may differ.
    pub differ: u32,
    /// Bits that may be one in some lane.
    pub ones: u32,
    /// The value, if it is the same number in all lanes and known.
    pub constant: Option<u32>,
}

/// All bits up to the highest one of `x`.
fn below(x: u32) -> u32 {
    ALL.checked_shr(x.leading_zeros()).unwrap_or(0)
}

/// All bits from the lowest one of `x` up.
fn above(x: u32) -> u32 {
    match x {
        0 => 0,
        _ => ALL << x.trailing_zeros(),
    }
}

/// Bits of a bit field's place: (offset, mask of its width); `None` where the machine's rule for
/// wide fields would matter.
fn field(place: Option<u32>) -> Option<(u32, u32)> {
    let place = place?;
    let (offset, count) = (place & 31, (place >> 8) & 63);
    (count < 32).then(|| (offset, (1u32 << count) - 1))
}

/// Bits of the result that may be one.
pub fn ones(op: Op, args: &[Bits]) -> u32 {
    let arg = |i: usize| args.get(i).map_or(ALL, |a| a.ones);
    let (a, b) = (arg(0), arg(1));
    let k = args.get(1).and_then(|b| b.constant).map(|c| c & 31);
    match op {
        Op::And => a & b,
        Op::Or | Op::Xor => a | b,
        Op::IAdd => sum_ones(a, b),
        Op::IMul => product_ones(a, b),
        Op::IMad => sum_ones(product_ones(a, b), arg(2)),
        Op::Shl => k.map_or(ALL, |k| a << k),
        Op::Shr => k.map_or(below(a), |k| a >> k),
        Op::UBfe => field(args[1].constant).map_or(ALL, |(at, mask)| (a >> at) & mask),
        Op::UMin => below(a) & below(b),
        Op::UMax => below(a | b),
        Op::Sel => a | b,
        op => below(op.row().greatest),
    }
}

fn sum_ones(a: u32, b: u32) -> u32 {
    if a & b == 0 {
        return a | b;
    }
    let most = u64::from(a) + u64::from(b);
    u32::try_from(most).map_or(ALL, below) & above(a | b)
}

fn product_ones(a: u32, b: u32) -> u32 {
    if a == 0 || b == 0 {
        return 0;
    }
    let low = a.trailing_zeros() + b.trailing_zeros();
    u32::try_from(u64::from(a) * u64::from(b)).map_or(ALL, below) & ALL.checked_shl(low).unwrap_or(0)
}

/// Bits of the result in which lanes may differ.
pub fn differ(op: Op, args: &[Bits]) -> u32 {
    if args.iter().all(|a| a.differ == 0) {
        return 0;
    }
    let result = match (op, args) {
        (Op::And, [a, b]) => (a.differ & b.ones) | (b.differ & a.ones),
        (Op::Or, [a, b]) => (a.differ & !b.constant.unwrap_or(0)) | (b.differ & !a.constant.unwrap_or(0)),
        (Op::Xor, [a, b]) => a.differ | b.differ,
        (Op::IAdd, [a, b]) => sum(*a, *b),
        (Op::ISub, [a, b]) => above(a.differ | b.differ),
        (Op::IMul, [a, b]) => product(*a, *b),
        (Op::IMad, [a, b, c]) => {
            let p = Bits { differ: product(*a, *b), ones: product_ones(a.ones, b.ones), constant: None };
            sum(p, *c)
        }
        (Op::Shl, [a, b]) => b.constant.map_or(ALL, |k| a.differ << (k & 31)),
        (Op::Shr, [a, b]) => b.constant.map_or(ALL, |k| a.differ >> (k & 31)),
        (Op::Sar, [a, b]) => b.constant.map_or(ALL, |k| (a.differ as i32 >> (k & 31)) as u32),
        (Op::UBfe, [a, b]) => field(b.constant).map_or(ALL, |(at, mask)| (a.differ >> at) & mask),
        // The high bits of the smaller number are the smaller ones of the high bits.
        (Op::UMin | Op::UMax, [a, b]) => below(a.differ | b.differ),
        (Op::SMin | Op::SMax, [a, b]) => below(a.differ | b.differ),
        (Op::Sel, [a, b, c]) if c.differ == 0 => a.differ | b.differ,
        (op, args) if is_compare(op) => u32::from(!same_side(op, args)),
        _ => ALL,
    };
    // A bit that is never one does not differ.
    result & ones(op, args)
}

fn sum(a: Bits, b: Bits) -> u32 {
    let varying = a.differ | b.differ;
    let low = below(varying);
    if a.ones & b.ones & low == 0 {
        varying
    } else {
        above(varying)
    }
}

fn product(a: Bits, b: Bits) -> u32 {
    // (x + dx)(y + dy): the difference is a multiple of both of what dx and y, and dy and x, are
    // multiples of.
    let lowest = |d: u32, o: u32| match (d, o) {
        (0, _) | (_, 0) => 32,
        _ => d.trailing_zeros() + o.trailing_zeros(),
    };
    ALL.checked_shl(lowest(a.differ, b.ones).min(lowest(b.differ, a.ones))).unwrap_or(0)
}

/// Whether an unsigned comparison with a bound comes out the same for all numbers that differ in
/// the low bits of one operand only: x < 4n decides by x / 4.
fn same_side(op: Op, args: &[Bits]) -> bool {
    let [a, b] = args else { return false };
    let (x, bound, exclusive) = match (op, a.differ, b.differ) {
        (Op::USetLt | Op::USetGe, _, 0) => (a, b, true),
        (Op::USetLe | Op::USetGt, _, 0) => (a, b, false),
        (Op::USetGt | Op::USetLe, 0, _) => (b, a, true),
        (Op::USetGe | Op::USetLt, 0, _) => (b, a, false),
        _ => return false,
    };
    let low = below(x.differ);
    match exclusive {
        true => bound.ones & low == 0,
        false => bound.constant.is_some_and(|c| c & low == low),
    }
}

/// Bits of a special register in which the lanes of a warp may differ; `group_size` if known.
pub fn special_differ(s: Special, group_size: Option<[u32; 3]>) -> u32 {
    match (s, group_size) {
        // Warps begin at multiples of four (docs/machine.md, Work groups and dispatch); stacks are
        // numbered by lane too.
        (Special::Lane | Special::LocalIndex | Special::ThreadSlot, _) => 3,
        (Special::LocalId, Some(size)) => local_id_differ(size),
        (Special::LocalId, None) => 0x3FFF_FFFF,
        (
            Special::Warp
            | Special::Unit
            | Special::GroupX
            | Special::GroupY
            | Special::GroupZ
            | Special::Coverage
            | Special::SharedBase,
            _,
        ) => 0,
        // A warp's lanes are of one triangle only until they merge with others.
        _ => ALL,
    }
}

fn local_id_differ([x, y, z]: [u32; 3]) -> u32 {
    let id = |i: u32| (i % x) | ((i / x % y) << 10) | ((i / (x * y)) << 20);
    let count = (x * y * z).min(1024);
    (0..count).map(|i| id(i) ^ id(i & !3)).fold(0, |a, b| a | b)
}

/// Bits of a special register that may be one.
pub fn special_ones(s: Special, group_size: Option<[u32; 3]>) -> u32 {
    let field = |n: u32| below(n.saturating_sub(1)) & 1023;
    match (s, group_size) {
        (Special::LocalIndex, Some([x, y, z])) => below((x * y * z).saturating_sub(1)),
        (Special::LocalId, Some([x, y, z])) => field(x) | field(y) << 10 | field(z) << 20,
        (s, _) => below(s.greatest()),
    }
}

/// Whether numbers that are different in all lanes (`a`) stay so; `args[0]` is `a`, the others are
/// uniform.
pub fn keeps_distinct(op: Op, args: &[Bits]) -> bool {
    let Some(a) = args.first() else { return false };
    if args[1..].iter().any(|b| b.differ != 0) {
        return false;
    }
    let c = args.get(1).and_then(|b| b.constant);
    // Differences of numbers that differ in the two lowest bits are 1, 2 and 3 up or down.
    let times = |c: Option<u32>| a.differ & !3 == 0 && c.is_some_and(|c| (1..4u32).all(|d| c.wrapping_mul(d) != 0));
    match op {
        Op::IAdd | Op::ISub | Op::Xor => true,
        Op::Or => a.differ & args[1].ones == 0,
        Op::And => c.is_some_and(|c| a.differ & !c == 0),
        Op::Shl => c.is_some_and(|k| (a.differ << (k & 31)) >> (k & 31) == a.differ),
        Op::Shr => c.is_some_and(|k| (a.differ >> (k & 31)) << (k & 31) == a.differ),
        Op::UBfe => field(c).is_some_and(|(at, mask)| a.differ & !(mask << at) == 0),
        Op::IMul | Op::IMad => times(c),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::eval::eval;
    use rand::{Rng, SeedableRng};

    const OPS: &[Op] = &[
        Op::And,
        Op::Or,
        Op::Xor,
        Op::IAdd,
        Op::ISub,
        Op::IMul,
        Op::IMad,
        Op::Shl,
        Op::Shr,
        Op::Sar,
        Op::UBfe,
        Op::SBfe,
        Op::UMin,
        Op::UMax,
        Op::SMin,
        Op::SMax,
        Op::Sel,
        Op::USetLt,
        Op::USetLe,
        Op::USetGt,
        Op::USetGe,
        Op::SSetLt,
        Op::ISetEq,
        Op::Popc,
        Op::Clz,
        Op::UMulHi,
    ];

    /// Four lanes' operands that obey their description, and what the rules say of the results.
    #[test]
    fn every_rule_holds_for_random_operands() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(8);
        let (mut finer, mut kept) = (0, 0);
        for _ in 0..400_000 {
            let op = OPS[rng.random_range(0..OPS.len())];
            let n = crate::ops::predicate::arity(op).unwrap();
            let mut args = vec![];
            let mut lanes = vec![];
            for _ in 0..n {
                let differ = match rng.random_range(0..4) {
                    0 => 0,
                    1 => 3,
                    2 => 3 << rng.random_range(0..31),
                    _ => rng.random::<u32>() & rng.random::<u32>() & rng.random::<u32>(),
                };
                let shape = ALL >> rng.random_range(0..32) << rng.random_range(0..8);
                let base = rng.random::<u32>() & shape & !differ;
                let constant = (differ == 0 && rng.random_bool(0.6)).then_some(base);
                let base = if constant.is_some() && rng.random_bool(0.5) { base & 0x0F1F } else { base };
                let distinct = differ == 3 && rng.random_bool(0.5);
                let value = |l: u32, r: u32| if distinct { base | l } else { base | (r & differ) };
                let v: [u32; 4] = std::array::from_fn(|l| value(l as u32, rng.random()));
                let constant = constant.map(|_| base);
                let ones = constant.unwrap_or(if rng.random_bool(0.5) { base | differ } else { shape | differ });
                args.push(Bits { differ, ones, constant });
                lanes.push(v);
            }
            let result: Vec<u32> =
                (0..4).map(|l| eval(op, &lanes.iter().map(|v| v[l]).collect::<Vec<_>>()).unwrap()).collect();
            let (d, o) = (differ(op, &args), ones(op, &args));
            let real = result.iter().fold(0, |x, r| x | (r ^ result[0]));
            let set = result.iter().fold(0, |x, r| x | r);
            assert_eq!(real & !d, 0, "{op:?} {args:x?} {lanes:x?} gives {result:x?}, said to differ in {d:x}");
            assert_eq!(set & !o, 0, "{op:?} {args:x?} {lanes:x?} gives {result:x?}, said to have ones in {o:x}");
            finer += u32::from(d != 0 && d != ALL && op != Op::And);
            let all = |v: &[u32]| (0..4).all(|i| (0..i).all(|j| v[i] != v[j]));
            if all(&lanes[0]) && keeps_distinct(op, &args) {
                assert!(all(&result), "{op:?} {args:x?} {lanes:x?} gives {result:x?}");
                kept += 1;
            }
        }
        assert!(finer > 10_000 && kept > 1_000, "{finer} {kept}: too few cases prove anything");
    }

    #[test]
    fn local_numbers_differ_where_the_group_says() {
        assert_eq!(local_id_differ([8, 4, 1]), 3);
        assert_eq!(local_id_differ([2, 8, 1]), 1 | 1 << 10);
        assert_eq!(local_id_differ([1, 1, 4]), 3 << 20);
        assert_eq!(local_id_differ([1, 1, 1]), 0);
        assert_eq!(special_differ(Special::LocalIndex, Some([6, 1, 1])), 3);
    }
}
