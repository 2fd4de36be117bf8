//! Value of one operation on constant arguments, as elaboration folds it: parameters, ranges, loop bounds and initial values all come down to this.
//! It must agree with the meaning stated at [`Op`]; a difference shows as a constant expression that does not equal the same expression of registers.

use crate::bits::Bits;
use crate::graph::Op;

/// Shift amount of any width: everything too large for the shift is as good as `u64::MAX`.
fn amount(b: &Bits) -> u64 {
    b.small().unwrap_or(u64::MAX)
}

fn signed_div_rem(a: &Bits, b: &Bits) -> (Bits, Bits) {
    let abs = |x: &Bits| if x.sign() { x.neg() } else { x.clone() };
    let (q, r) = abs(a).div_rem(&abs(b));
    let q = if a.sign() != b.sign() { q.neg() } else { q };
    let r = if a.sign() { r.neg() } else { r };
    (q, r)
}

/// The result of `op` with `width` bits, or `None` for operations that are not functions of their arguments alone.
pub(super) fn eval(op: &Op, width: u32, args: &[&Bits]) -> Option<Bits> {
    let (a, b) = (args.first()?, args.get(1).unwrap_or(&args[0]));
    Some(match op {
        Op::Not => a.not(),
        Op::Neg => a.neg(),
        Op::And => a.and(b),
        Op::Or => a.or(b),
        Op::Xor => a.xor(b),
        Op::Add => a.add(b),
        Op::Sub => a.sub(b),
        Op::Mul => a.mul(b),
        Op::DivU => a.div_rem(b).0,
        Op::RemU => a.div_rem(b).1,
        Op::DivS => signed_div_rem(a, b).0,
        Op::RemS => signed_div_rem(a, b).1,
        Op::RedAnd => Bits::bit(a.is_ones()),
        Op::RedOr => Bits::bit(!a.is_zero()),
        Op::RedXor => Bits::bit(a.count_ones() & 1 == 1),
        Op::Shl => a.shl(amount(b)),
        Op::Shr => a.shr(amount(b)),
        Op::Sar => a.sar(amount(b)),
        Op::Eq => Bits::bit(a == b),
        Op::Ne => Bits::bit(a != b),
        Op::LtU => Bits::bit(a.ltu(b)),
        Op::LeU => Bits::bit(!b.ltu(a)),
        Op::LtS => Bits::bit(a.lts(b)),
        Op::LeS => Bits::bit(!b.lts(a)),
        Op::Mux => Bits::clone(if a.is_zero() { args.get(2)? } else { args.get(1)? }),
        Op::Slice(lo) => a.slice(*lo, width),
        Op::Concat => {
            let mut out = Bits::zero(width);
            let mut at = width;
            for part in args {
                at -= part.width();
                out = out.or(&part.zext(width).shl(u64::from(at)));
            }
            out
        }
        Op::ZExt => a.zext(width),
        Op::SExt => a.sext(width),
        Op::Input(_) | Op::Const(_) | Op::Reg(_) | Op::MemRead(_) | Op::Table(_) => return None,
    })
}
