//! Conditions of a kernel that the build decides, alone and before signals.
//!
//! It can be wrong by taking a signal for a flag: a field of the block that begins with `_` is
//! none.

use proc_macro2::TokenStream as Code;
use quote::{quote, ToTokens};
use syn::{BinOp, Expr, ExprIf, ExprLit, Lit, Member, Result, UnOp};

/// A condition of flags of the build alone: fields that begin with `_`, what such a field answers
/// (`self._config.merges()`), whether a block is built (`self.merge.is_built()`), `true`, `false`,
/// `!`, `&&`, `||`. In parentheses.
pub fn flag(condition: &Expr) -> Option<Code> {
    match condition {
        Expr::Field(field) => {
            let own = matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self"));
            let named = matches!(&field.member, Member::Named(name) if name.to_string().starts_with('_'));
            (own && named).then(|| quote!(#field))
        }
        Expr::MethodCall(question) if question.args.is_empty() => {
            let of_field = matches!(&*question.receiver, Expr::Field(_));
            (question.method == "is_built" || (of_field && flag(&question.receiver).is_some()))
                .then(|| quote!(#question))
        }
        Expr::Paren(inside) => flag(&inside.expr),
        Expr::Lit(ExprLit { lit: Lit::Bool(known), .. }) => Some(quote!(#known)),
        Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) => flag(&not.expr).map(|f| quote!((!#f))),
        Expr::Binary(both) if matches!(both.op, BinOp::And(_) | BinOp::Or(_)) => {
            let (left, op, right) = (flag(&both.left)?, &both.op, flag(&both.right)?);
            Some(quote!((#left #op #right)))
        }
        _ => None,
    }
}

/// `if self.a.is_built() && self.a.x.val() { .. }`, flags of the build before signals, as an `if`
/// in an `if`: what is not built need not exist. Nothing for a condition of signals alone.
pub fn built_and(x: &ExprIf) -> Result<Option<ExprIf>> {
    let mut all = Vec::new();
    operands(&x.cond, &mut all);
    let first = all.iter().position(|operand| flag(operand).is_none()).unwrap_or(all.len());
    let (flags, signals) = all.split_at(first);
    if let Some(late) = signals.iter().find(|operand| flag(operand).is_some()) {
        return Err(syn::Error::new_spanned(late, "flags of the build stand before the signals"));
    }
    if flags.is_empty() || signals.is_empty() {
        return Ok(None);
    }
    if let Some((_, otherwise)) = &x.else_branch {
        let what = "flags of the build and signals in one condition have no `else`: write an `if` in an `if`";
        return Err(syn::Error::new_spanned(otherwise, what));
    }
    let (flags, signals, body) = (flags.iter().filter_map(|f| flag(f)), signals.iter(), &x.then_branch);
    syn::parse2(quote!(if #(#flags)&&* { if #(#signals)&&* #body })).map(Some)
}

/// What `&&` joins, from left to right, within parentheses too.
fn operands<'a>(condition: &'a Expr, all: &mut Vec<&'a Expr>) {
    match condition {
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
            operands(&both.left, all);
            operands(&both.right, all);
        }
        Expr::Paren(inside) if matches!(&*inside.expr, Expr::Binary(both) if matches!(both.op, BinOp::And(_))) => {
            operands(&inside.expr, all);
        }
        other => all.push(other),
    }
}

/// The code of a flag of the build.
///
/// # Errors
/// It is something else.
pub fn known(condition: &Expr) -> Result<Code> {
    match flag(condition) {
        Some(_) => Ok(condition.to_token_stream()),
        None => Err(syn::Error::new_spanned(condition, "this condition is a flag of the build")),
    }
}
