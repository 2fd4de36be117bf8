//! Functions with a result that end in a loop without a way out. naga puts a `return` without a
//! value behind the loop and then finds the value missing; it is given one, since control does not
//! come there.

use naga::{Block, Expression, Function, Span, Statement};

/// Whether a `break` of this block, or of one inside, leaves the loop around it.
fn breaks(block: &Block) -> bool {
    block.iter().any(|s| match s {
        Statement::Break => true,
        Statement::Block(b) => breaks(b),
        Statement::If { accept, reject, .. } => breaks(accept) || breaks(reject),
        // A `break` in a loop or a switch is theirs.
        _ => false,
    })
}

/// Whether control cannot come behind the statement.
fn endless(s: &Statement) -> bool {
    match s {
        Statement::Loop { body, continuing, break_if: None } => !breaks(body) && !breaks(continuing),
        _ => false,
    }
}

/// The `return` at the ends of the block's paths that stand behind an endless loop.
fn mend(block: &mut Block, value: naga::Handle<Expression>) {
    let count = block.len();
    let behind = count >= 2 && endless(&block[count - 2]);
    match block.last_mut() {
        Some(Statement::Return { value: missing @ None }) if behind => *missing = Some(value),
        Some(Statement::Block(b)) => mend(b, value),
        Some(Statement::If { accept, reject, .. }) => {
            mend(accept, value);
            mend(reject, value);
        }
        Some(Statement::Switch { cases, .. }) => cases.iter_mut().for_each(|c| mend(&mut c.body, value)),
        _ => {}
    }
}

pub fn run(function: &mut Function) {
    let Some(result) = &function.result else { return };
    let value = function.expressions.append(Expression::ZeroValue(result.ty), Span::UNDEFINED);
    mend(&mut function.body, value);
}
