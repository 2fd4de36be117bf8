//! Short constructors of syntax-tree nodes without places, for the generator and the shrinker.

use crate::ast::{BinaryOp, Expr, ExprKind, Literal, Net, NetKind, Span, Stmt, StmtKind, UnaryOp};
use crate::bits::Bits;

pub(super) fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

pub(super) fn name(n: &str) -> Expr {
    expr(ExprKind::Name(n.into()))
}

/// A sized literal.
pub(super) fn lit(value: Bits, signed: bool) -> Expr {
    let none = Bits::zero(value.width());
    expr(ExprKind::Literal(Literal { width: Some(value.width()), signed, value, x: none.clone(), z: none }))
}

/// A plain decimal.
pub(super) fn int(value: u32) -> Expr {
    let none = Bits::zero(32);
    let value = Bits::new(32, u64::from(value));
    expr(ExprKind::Literal(Literal { width: None, signed: true, value, x: none.clone(), z: none }))
}

/// A plain decimal that may be negative.
pub(super) fn number(value: i64) -> Expr {
    let magnitude = int(value.unsigned_abs() as u32);
    if value < 0 {
        un(UnaryOp::Minus, magnitude)
    } else {
        magnitude
    }
}

pub(super) fn un(op: UnaryOp, a: Expr) -> Expr {
    expr(ExprKind::Unary(op, Box::new(a)))
}

pub(super) fn bin(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

pub(super) fn cond(c: Expr, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Conditional(Box::new(c), Box::new(a), Box::new(b)))
}

pub(super) fn index(base: Expr, at: Expr) -> Expr {
    expr(ExprKind::Index(Box::new(base), Box::new(at)))
}

pub(super) fn part(base: Expr, left: i64, right: i64) -> Expr {
    expr(ExprKind::Part(Box::new(base), Box::new(number(left)), Box::new(number(right))))
}

pub(super) fn indexed(base: Expr, start: Expr, width: u32, up: bool) -> Expr {
    expr(ExprKind::Indexed { base: Box::new(base), start: Box::new(start), width: Box::new(int(width)), up })
}

pub(super) fn concat(list: Vec<Expr>) -> Expr {
    expr(ExprKind::Concat(list))
}

pub(super) fn repeat(count: u32, list: Vec<Expr>) -> Expr {
    expr(ExprKind::Repeat(Box::new(int(count)), list))
}

pub(super) fn call(function: &str, argument: Expr) -> Expr {
    expr(ExprKind::Call(function.into(), vec![argument]))
}

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

pub(super) fn assign(target: Expr, value: Expr, blocking: bool) -> Stmt {
    stmt(StmtKind::Assign { target, value, blocking })
}

pub(super) fn block(body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::Block { name: None, nets: Vec::new(), body })
}

pub(super) fn net(n: &str, kind: NetKind) -> Net {
    Net {
        name: n.into(),
        span: Span::default(),
        direction: None,
        kind: Some(kind),
        signed: false,
        range: None,
        array: None,
        init: None,
    }
}
