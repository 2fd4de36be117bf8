//! Overwrites every span of a tree: to compare trees that were written differently, and to let the
//! built-in cells' spans point at their instance.

use crate::ast::{Expr, ExprKind, Item, Module, Net, Sensitivity, Span, Stmt, StmtKind};

/// Sets every span of the module to `span`.
pub fn set_spans(module: &mut Module, span: Span) {
    module.span = span;
    for item in &mut module.items {
        match item {
            Item::Net(n) => net(n, span),
            Item::Parameter(p) => {
                p.span = span;
                pair(&mut p.range, span);
                expr(&mut p.value, span);
            }
            Item::Function(f) => {
                f.span = span;
                pair(&mut f.range, span);
                f.inputs.iter_mut().chain(&mut f.nets).for_each(|n| net(n, span));
                stmt(&mut f.body, span);
            }
            Item::Assign { target, value, span: s } => {
                *s = span;
                expr(target, span);
                expr(value, span);
            }
            Item::Always { sensitivity, body, span: s } => {
                *s = span;
                match sensitivity {
                    Sensitivity::Combinational => {}
                    Sensitivity::Levels(list) => list.iter_mut().for_each(|e| expr(e, span)),
                    Sensitivity::Edges(edges) => edges.iter_mut().for_each(|e| expr(&mut e.signal, span)),
                }
                stmt(body, span);
            }
            Item::Initial { body, span: s } => {
                *s = span;
                stmt(body, span);
            }
            Item::Instance(i) => {
                i.span = span;
                for c in i.parameters.iter_mut().chain(&mut i.ports) {
                    c.span = span;
                    c.value.iter_mut().for_each(|e| expr(e, span));
                }
            }
        }
    }
}

fn pair(range: &mut Option<(Expr, Expr)>, span: Span) {
    if let Some((a, b)) = range {
        expr(a, span);
        expr(b, span);
    }
}

fn net(n: &mut Net, span: Span) {
    n.span = span;
    pair(&mut n.range, span);
    pair(&mut n.array, span);
    n.init.iter_mut().for_each(|e| expr(e, span));
}

fn stmt(s: &mut Stmt, span: Span) {
    s.span = span;
    match &mut s.kind {
        StmtKind::Null => {}
        StmtKind::Block { nets, body, .. } => {
            nets.iter_mut().for_each(|n| net(n, span));
            body.iter_mut().for_each(|s| stmt(s, span));
        }
        StmtKind::Assign { target, value, .. } => {
            expr(target, span);
            expr(value, span);
        }
        StmtKind::If { condition, then, otherwise } => {
            expr(condition, span);
            stmt(then, span);
            otherwise.iter_mut().for_each(|s| stmt(s, span));
        }
        StmtKind::Case { subject, arms, .. } => {
            expr(subject, span);
            for arm in arms {
                arm.labels.iter_mut().for_each(|e| expr(e, span));
                stmt(&mut arm.body, span);
            }
        }
        StmtKind::For { init, condition, step, body } => {
            expr(condition, span);
            [init, step, body].into_iter().for_each(|s| stmt(s, span));
        }
        StmtKind::Task { arguments, .. } => arguments.iter_mut().for_each(|e| expr(e, span)),
    }
}

fn expr(e: &mut Expr, span: Span) {
    e.span = span;
    match &mut e.kind {
        ExprKind::Literal(_) | ExprKind::Str(_) | ExprKind::Name(_) | ExprKind::Null => {}
        ExprKind::Unary(_, a) => expr(a, span),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| expr(e, span)),
        ExprKind::Part(a, b, c)
        | ExprKind::Conditional(a, b, c)
        | ExprKind::Indexed { base: a, start: b, width: c, .. } => {
            [a, b, c].into_iter().for_each(|e| expr(e, span));
        }
        ExprKind::Repeat(n, list) => {
            expr(n, span);
            list.iter_mut().for_each(|e| expr(e, span));
        }
        ExprKind::Concat(list) | ExprKind::Call(_, list) => list.iter_mut().for_each(|e| expr(e, span)),
    }
}
