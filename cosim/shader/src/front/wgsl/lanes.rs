//! Lanes that a subgroup function names by a signed number, which WGSL allows and naga's validator
//! does not: the number is read as unsigned. A negative one is no lane either way.

use super::rebuild::lane;
use naga::{Arena, Block, Expression, Function, Range, ScalarKind, Statement};

pub fn run(function: &mut Function) {
    walk(&mut function.body, &mut function.expressions);
}

fn walk(block: &mut Block, expressions: &mut Arena<Expression>) {
    let mut out = Block::with_capacity(block.len());
    for (mut statement, span) in std::mem::take(block).span_into_iter() {
        match &mut statement {
            Statement::Block(b) => walk(b, expressions),
            Statement::If { accept, reject, .. } => {
                walk(accept, expressions);
                walk(reject, expressions);
            }
            Statement::Switch { cases, .. } => cases.iter_mut().for_each(|c| walk(&mut c.body, expressions)),
            Statement::Loop { body, continuing, .. } => {
                walk(body, expressions);
                walk(continuing, expressions);
            }
            Statement::SubgroupGather { mode, .. } => {
                if let Some(index) = lane(mode) {
                    let unsigned = Expression::As { expr: *index, kind: ScalarKind::Uint, convert: None };
                    *index = expressions.append(unsigned, span);
                    out.push(Statement::Emit(Range::new_from_bounds(*index, *index)), span);
                }
            }
            _ => {}
        }
        out.push(statement, span);
    }
    *block = out;
}
