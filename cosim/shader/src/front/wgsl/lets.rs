//! `let` of a constant. WGSL evaluates what uses it at run time: `let b = 0; a / b` gives a. naga
//! refuses a division by zero, a shift by too much and an index behind the end wherever the operand
//! is a constant; so a constant that has a name becomes the content of a variable. The compiler's
//! own passes make it a constant again. A constant without a name, as in `a / 0`, stays and is an
//! error.

use super::rebuild::{prefixed, Expr, Prefix};
use naga::UniqueArena;
use naga::{Arena, BinaryOperator as B, Constant, Expression, Function, Handle, LocalVariable, Span, Type, TypeInner};
use std::collections::HashMap;

/// The operand of an expression that naga checks if it is a constant.
fn checked(e: &mut Expression) -> Option<&mut Expr> {
    match e {
        Expression::Binary { op: B::Divide | B::Modulo | B::ShiftLeft | B::ShiftRight, right, .. } => Some(right),
        Expression::Access { index, .. } => Some(index),
        _ => None,
    }
}

pub fn run(function: &mut Function, types: &mut UniqueArena<Type>, constants: &Arena<Constant>) {
    let mut wanted: Vec<Expr> = vec![];
    for (_, e) in function.expressions.iter() {
        let operand = checked(&mut e.clone()).map(|h| *h);
        let named = operand.filter(|h| function.named_expressions.contains_key(h) && !wanted.contains(h));
        wanted.extend(named.filter(|h| is_constant(&function.expressions, *h)));
    }
    let mut prefix = Prefix::default();
    let mut variables = vec![];
    for h in wanted {
        let Some(ty) = type_of(&function.expressions, h, types, constants) else { continue };
        let init = copied(&function.expressions, h, &mut prefix.expressions);
        let local = LocalVariable { name: None, ty, init: Some(init) };
        variables.push((h, local));
    }
    if variables.is_empty() {
        return;
    }
    // The initialisers are at their new places already; those of the function's own follow.
    let own = function.local_variables.len();
    let mut pointers = vec![];
    for (h, local) in &variables {
        let local = function.local_variables.append(LocalVariable { init: None, ..local.clone() }, Span::UNDEFINED);
        let pointer = prefix.expressions.append(Expression::LocalVariable(local), Span::UNDEFINED);
        pointers.push((*h, pointer));
    }
    prefix.computed = prefix.expressions.len();
    let span = |h: Expr| function.expressions.get_span(h);
    let loads: HashMap<Expr, Expr> = pointers
        .into_iter()
        .map(|(h, pointer)| (h, prefix.expressions.append(Expression::Load { pointer }, span(h))))
        .collect();
    let olds: Vec<Expression> = function.expressions.iter().map(|(_, e)| e.clone()).collect();
    let mut adjust = |e: &mut Expression, old: Expr| {
        let before = checked(&mut olds[old.index()].clone()).and_then(|h| loads.get(h)).copied();
        if let (Some(load), Some(operand)) = (before, checked(e)) {
            *operand = load;
        }
    };
    let done = prefixed(function, prefix, &mut adjust, &mut |_| None);
    let added = function.local_variables.iter_mut().skip(own);
    for ((_, local), (_, variable)) in added.zip(variables) {
        local.init = variable.init.filter(|_| done);
    }
}

fn is_constant(all: &Arena<Expression>, h: Expr) -> bool {
    match &all[h] {
        Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => true,
        Expression::Splat { value, .. } => is_constant(all, *value),
        Expression::Compose { components, .. } => components.iter().all(|c| is_constant(all, *c)),
        _ => false,
    }
}

/// A constant, with its parts, in another arena.
fn copied(all: &Arena<Expression>, h: Expr, to: &mut Arena<Expression>) -> Expr {
    let mut e = all[h].clone();
    super::rebuild::operands(&mut e, &mut |part| *part = copied(all, *part, to));
    to.append(e, all.get_span(h))
}

fn type_of(
    all: &Arena<Expression>,
    h: Expr,
    types: &mut UniqueArena<Type>,
    constants: &Arena<Constant>,
) -> Option<Handle<Type>> {
    let inner = match &all[h] {
        Expression::Literal(literal) => TypeInner::Scalar(literal.scalar()),
        Expression::Constant(c) => return Some(constants[*c].ty),
        Expression::ZeroValue(ty) | Expression::Compose { ty, .. } => return Some(*ty),
        Expression::Splat { size, value } => match &all[*value] {
            Expression::Literal(literal) => TypeInner::Vector { size: *size, scalar: literal.scalar() },
            _ => return None,
        },
        _ => return None,
    };
    Some(types.insert(Type { name: None, inner }, Span::UNDEFINED))
}
