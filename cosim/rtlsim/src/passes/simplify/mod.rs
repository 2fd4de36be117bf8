//! Algebraic rules, applied to a node before it is made: each returns a node of the same value and
//! fewer or cheaper operations, or `None`. One file per family. Rules look at most a few arguments
//! deep, so their cost per node is constant. Where they can be wrong: a width that is forgotten
//! (`Eq` of a cut value), or two rules that undo each other (see the canonical forms in
//! [`super::builder`]).

mod arith;
mod bitwise;
mod compare;
mod select;
mod structure;

use super::builder::Builder;
use crate::graph::{NodeId, Op};

/// A simpler node of the same value.
pub fn simplify(b: &mut Builder, op: &Op, width: u32, args: &[NodeId]) -> Option<NodeId> {
    match op {
        Op::Not => bitwise::not(b, args[0]),
        Op::And => bitwise::and(b, args[0], args[1]),
        Op::Or => bitwise::or(b, args[0], args[1]),
        Op::Xor => bitwise::xor(b, args[0], args[1]),
        Op::RedAnd | Op::RedOr | Op::RedXor => bitwise::reduce(b, op, args[0]),
        Op::Neg => arith::neg(b, args[0]),
        Op::Add => arith::add(b, args[0], args[1]),
        Op::Sub => arith::sub(b, args[0], args[1]),
        Op::Mul => arith::mul(b, args[0], args[1]),
        Op::DivU | Op::RemU | Op::DivS | Op::RemS => arith::div(b, op, args[0], args[1]),
        Op::Shl | Op::Shr | Op::Sar => arith::shift(b, op, args[0], args[1]),
        Op::Eq => compare::equal(b, args[0], args[1]),
        Op::Ne => compare::equal(b, args[0], args[1]).map(|e| b.not(e)),
        Op::LtU => compare::less_unsigned(b, args[0], args[1]),
        Op::LeU => compare::at_most_unsigned(b, args[0], args[1]),
        Op::LtS => compare::less_signed(b, args[0], args[1]),
        Op::LeS => compare::at_most_signed(b, args[0], args[1]),
        Op::Mux => select::mux(b, args[0], args[1], args[2]),
        Op::Slice(lo) => structure::slice(b, args[0], *lo, width),
        Op::Concat => structure::concat(b, args),
        Op::ZExt => structure::zext(b, args[0], width),
        Op::SExt => structure::sext(b, args[0], width),
        Op::Table(_) => structure::table(b, op, width, args[0]),
        Op::MemRead(_) => structure::index(b, args[0]).map(|a| b.op(op.clone(), width, &[a])),
        Op::Input(_) | Op::Const(_) | Op::Reg(_) => None,
    }
}

/// Is it that operation?
macro_rules! is {
    ($b:expr, $id:expr, $op:pat) => {
        matches!($b.kind($id), $op)
    };
}
use is;

/// The constant second argument put second, where the operation commutes.
fn constant_last(b: &Builder, x: NodeId, y: NodeId) -> (NodeId, NodeId) {
    if b.as_const(x).is_some() {
        (y, x)
    } else {
        (x, y)
    }
}

/// The amount of a shift by a constant, at most the width.
fn shift_amount(b: &Builder, shift: NodeId) -> Option<u32> {
    let amount = b.as_const(b.arg(shift, 1))?;
    let width = b.width(shift);
    Some(amount.small().map_or(width, |a| a.min(u64::from(width)) as u32))
}
