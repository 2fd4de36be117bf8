//! Block parameters that are copies: one that always gets the same value is that value, and two
//! that always get equal arguments are one.
//!
//! "Always the same" ignores arguments that are the parameter itself (a loop that carries it
//! unchanged). If every entering jump passes `v`, `v` dominates the block, because it dominates
//! every way in. Arguments that are constants count as equal when their numbers are, and the
//! constant is then made anew in the block. Repeated until nothing changes, since one replacement
//! makes others possible. A parameter of the entry block is the function's own and stays.

use super::{dce, Defs, Options, Replace};
use crate::ssa::{Block, Func, Inst, Kind, Loc, Value};

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, _: &Options) -> bool {
    let mut changed = dce::remove_unreachable(func);
    while step(func) {
        changed = true;
    }
    changed
}

/// What an argument is, for comparing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arg {
    Value(Value),
    Const(u32),
}

fn step(func: &mut Func) -> bool {
    let defs = Defs::new(func);
    let arg = |v: Value| defs.constant(v).map_or(Arg::Value(v), Arg::Const);
    // Arguments of each block, one row per jump.
    let mut rows: Vec<Vec<Vec<Value>>> = vec![vec![]; func.blocks.len()];
    for inst in func.layout.iter().filter_map(|b| func.blocks[b.index()].insts.last()) {
        inst.kind.targets().iter().for_each(|t| rows[t.block.index()].push(t.args.clone()));
    }
    let mut replace = Replace::default();
    let mut remove: Vec<(Block, usize)> = vec![];
    let mut constants: Vec<(Block, u32, Value)> = vec![];
    for &b in func.layout.iter().skip(1) {
        let params = &func.blocks[b.index()].params;
        for (i, &p) in params.iter().enumerate() {
            let column = |i: usize| rows[b.index()].iter().map(move |r| r[i]);
            let mut seen = column(i).filter(|&v| v != p);
            let Some(first) = seen.next() else { continue };
            if seen.all(|v| arg(v) == arg(first)) {
                match arg(first) {
                    Arg::Value(v) => replace.add(p, v),
                    Arg::Const(c) => constants.push((b, c, p)),
                }
                remove.push((b, i));
            } else if let Some(j) = (0..i).find(|&j| column(j).zip(column(i)).all(|(x, y)| arg(x) == arg(y))) {
                if !remove.contains(&(b, j)) {
                    replace.add(p, params[j]);
                    remove.push((b, i));
                }
            }
        }
    }
    if remove.is_empty() {
        return false;
    }
    remove_columns(func, &remove);
    for (b, c, p) in constants {
        func.blocks[b.index()]
            .insts
            .insert(0, Inst { exact: true, kind: Kind::Const(c), results: vec![p], loc: Loc::default() });
    }
    replace.apply(func);
    true
}

/// Removes parameters (block, index in ascending order within a block) and their arguments.
pub(crate) fn remove_columns(func: &mut Func, remove: &[(Block, usize)]) {
    for &(b, i) in remove.iter().rev() {
        func.blocks[b.index()].params.remove(i);
        for from in func.layout.clone() {
            let Some(last) = func.blocks[from.index()].insts.last_mut() else { continue };
            for t in last.kind.targets_mut() {
                if t.block == b {
                    t.args.remove(i);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::mem2reg;
    use crate::random::ssa::check;
    use crate::ssa::Target;

    #[test]
    fn a_value_carried_unchanged_through_a_loop_is_not_a_parameter() {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), results: 2, ..Default::default() };
        let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
        let x = f.push(b[0], Kind::ConstWord(1), 1, loc)[0];
        let y = f.push(b[0], Kind::ConstWord(2), 1, loc)[0];
        f.push(b[0], Kind::Jump(Target { block: b[1], args: vec![x, y, y] }), 0, loc);
        let p: Vec<Value> = (0..3).map(|_| f.new_value()).collect();
        f.blocks[1].params = p.clone();
        let n = f.push(b[1], Kind::ConstWord(3), 1, loc)[0];
        let back = Target { block: b[1], args: vec![p[0], n, n] };
        f.push(b[1], Kind::Branch { cond: p[1], then: back, other: Target { block: b[2], args: vec![] } }, 0, loc);
        f.push(b[2], Kind::Return(vec![p[0], p[2]]), 0, loc);
        assert!(run(&mut f, &Options::default()));
        crate::ssa::verify::verify(&f).unwrap();
        assert_eq!(f.blocks[1].params, [p[1]]);
        assert_eq!(f.blocks[2].insts[0].kind.uses(), [x, p[1]]);
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run], run, 0..300);
    }
}
