//! Value of an operation on constants: what constant folding computes with. Written from the
//! definitions in [`crate::graph::Op`] alone, apart from the interpreter, so that the two check
//! each other.

use crate::bits::Bits;
use crate::graph::{Op, Table};

/// Value of `op` on constant arguments; `None` for operations that are no function of their
/// arguments (inputs, registers, memories).
pub fn fold(op: &Op, width: u32, args: &[&Bits], tables: &[Table]) -> Option<Bits> {
    Some(match op {
        Op::Input(_) | Op::Reg(_) | Op::MemRead(_) => return None,
        Op::Const(v) => v.clone(),
        Op::Table(t) => {
            let t = &tables[t.index()];
            let word = args[0].small().and_then(|i| t.words.get(usize::try_from(i).ok()?));
            word.unwrap_or(&t.default).clone()
        }
        Op::Not => args[0].not(),
        Op::Neg => args[0].neg(),
        Op::RedAnd => Bits::bit(args[0].is_ones()),
        Op::RedOr => Bits::bit(!args[0].is_zero()),
        Op::RedXor => Bits::bit(args[0].count_ones() % 2 == 1),
        Op::Mux => args[if args[0].is_zero() { 2 } else { 1 }].clone(),
        Op::Slice(lo) => args[0].slice(*lo, width),
        Op::Concat => {
            let mut out = args[0].clone();
            for low in &args[1..] {
                out = out.concat(low);
            }
            out
        }
        Op::ZExt => args[0].zext(width),
        Op::SExt => args[0].sext(width),
        _ => binary(op, args[0], args[1]),
    })
}

fn binary(op: &Op, a: &Bits, b: &Bits) -> Bits {
    let amount = || b.small().unwrap_or(u64::MAX);
    match op {
        Op::And => a.and(b),
        Op::Or => a.or(b),
        Op::Xor => a.xor(b),
        Op::Add => a.add(b),
        Op::Sub => a.sub(b),
        Op::Mul => a.mul(b),
        Op::DivU => a.div_rem(b).0,
        Op::RemU => a.div_rem(b).1,
        Op::DivS => {
            let q = magnitude(a).div_rem(&magnitude(b)).0;
            if a.sign() == b.sign() {
                q
            } else {
                q.neg()
            }
        }
        Op::RemS => {
            let r = magnitude(a).div_rem(&magnitude(b)).1;
            if a.sign() {
                r.neg()
            } else {
                r
            }
        }
        Op::Shl => a.shl(amount()),
        Op::Shr => a.shr(amount()),
        Op::Sar => a.sar(amount()),
        Op::Eq => Bits::bit(a == b),
        Op::Ne => Bits::bit(a != b),
        Op::LtU => Bits::bit(a.ltu(b)),
        Op::LeU => Bits::bit(!b.ltu(a)),
        Op::LtS => Bits::bit(a.lts(b)),
        // Op::LeS, the last one with two arguments
        _ => Bits::bit(!b.lts(a)),
    }
}

fn magnitude(a: &Bits) -> Bits {
    if a.sign() {
        a.neg()
    } else {
        a.clone()
    }
}

/// Value of `op` where some arguments are not known (`None`): a value only if it is the same for
/// all values of those. Monotone: knowing less never gives another value.
pub fn fold_partial(op: &Op, width: u32, args: &[Option<&Bits>], tables: &[Table]) -> Option<Bits> {
    if let Some(all) = args.iter().copied().collect::<Option<Vec<_>>>() {
        return fold(op, width, &all, tables);
    }
    let any_is = |test: fn(&Bits) -> bool| args.iter().flatten().any(|v| test(v));
    match op {
        Op::And | Op::Mul if any_is(Bits::is_zero) => Some(Bits::zero(width)),
        Op::Or if any_is(Bits::is_ones) => Some(Bits::ones(width)),
        Op::Mux => match args[0] {
            Some(s) => args[if s.is_zero() { 2 } else { 1 }].cloned(),
            None => args[1].filter(|&a| Some(a) == args[2]).cloned(),
        },
        Op::Shl | Op::Shr if args[0].is_some_and(Bits::is_zero) => Some(Bits::zero(width)),
        _ => None,
    }
}
