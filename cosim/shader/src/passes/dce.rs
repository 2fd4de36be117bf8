//! Dead code: blocks that cannot be reached, values that nobody reads, block parameters that nobody
//! reads.
//!
//! Liveness is optimistic: only instructions with an effect are live at first, then what they read,
//! and a parameter makes the matching argument of each jump live only when it is live itself; so a
//! counter that only feeds itself goes away. An effect that is taken for none would lose a store:
//! `Kind::has_effect` decides, the property test compares memory, and `DceDropsStore` plants it. A
//! load whose value nobody reads is removed, atomics never.

use super::{use_counts, Options};
use crate::fault::CompilerFault;
use crate::ssa::dominance::Cfg;
use crate::ssa::{Block, Func, Kind, Value};

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let mut changed = remove_unreachable(func);
    if options.fault == Some(CompilerFault::DceDropsStore) {
        changed |= drop_store(func);
    }
    let live = live_values(func);
    for b in func.layout.clone() {
        let block = &mut func.blocks[b.index()];
        let before = block.insts.len();
        block.insts.retain(|i| i.kind.has_effect() || i.results.iter().any(|r| live[r.index()]));
        changed |= block.insts.len() != before;
    }
    changed | remove_params(func, &live)
}

/// Takes blocks that cannot be reached out of the layout.
pub(crate) fn remove_unreachable(func: &mut Func) -> bool {
    let cfg = Cfg::new(func);
    let before = func.layout.len();
    func.layout.retain(|b| cfg.reachable(*b));
    for (i, b) in func.blocks.iter_mut().enumerate() {
        if !cfg.reachable(Block(i as u32)) {
            *b = Default::default();
        }
    }
    func.layout.len() != before
}

fn live_values(func: &Func) -> Vec<bool> {
    let mut live = Marker { live: vec![false; func.values as usize], work: vec![] };
    // What each value needs: the operands of its instruction, or the arguments of a parameter.
    let mut needs: Vec<Vec<Value>> = vec![vec![]; func.values as usize];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        let mut uses = inst.kind.uses();
        if inst.kind.is_terminator() {
            for t in inst.kind.targets() {
                for (p, a) in func.blocks[t.block.index()].params.iter().zip(&t.args) {
                    needs[p.index()].push(*a);
                }
            }
            uses = match &inst.kind {
                Kind::Branch { cond, .. } => vec![*cond],
                Kind::Return(v) => v.clone(),
                _ => vec![],
            };
        }
        if inst.kind.has_effect() {
            uses.iter().for_each(|v| live.mark(*v));
        } else {
            inst.results.iter().for_each(|r| needs[r.index()].clone_from(&uses));
        }
    }
    // The entry's parameters are the function's signature.
    func.blocks[func.entry().index()].params.iter().for_each(|v| live.mark(*v));
    while let Some(v) = live.work.pop() {
        for &n in &needs[v.index()] {
            live.mark(n);
        }
    }
    live.live
}

struct Marker {
    live: Vec<bool>,
    work: Vec<Value>,
}

impl Marker {
    fn mark(&mut self, v: Value) {
        if !std::mem::replace(&mut self.live[v.index()], true) {
            self.work.push(v);
        }
    }
}

fn remove_params(func: &mut Func, live: &[bool]) -> bool {
    let mut changed = false;
    let keep: Vec<Vec<bool>> = func.blocks.iter().map(|b| b.params.iter().map(|p| live[p.index()]).collect()).collect();
    for b in func.layout.clone() {
        let block = &mut func.blocks[b.index()];
        let mut k = keep[b.index()].iter();
        block.params.retain(|_| *k.next().unwrap_or(&true));
        changed |= block.params.len() != keep[b.index()].len();
        let Some(last) = block.insts.last_mut() else { continue };
        for t in last.kind.targets_mut() {
            let mut k = keep[t.block.index()].iter();
            t.args.retain(|_| *k.next().unwrap_or(&true));
        }
    }
    changed
}

/// The planted fault: the first store whose address is computed for it alone goes.
fn drop_store(func: &mut Func) -> bool {
    let uses = use_counts(func);
    for b in func.layout.clone() {
        let insts = &mut func.blocks[b.index()].insts;
        let only = |k: &Kind| matches!(k, Kind::Store { addr, .. } if uses[addr.index()] == 1);
        if let Some(i) = insts.iter().position(|i| only(&i.kind)) {
            insts.remove(i);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::mem2reg;
    use crate::random::ssa::check;
    use crate::ssa::{Loc, Space, Target, Width};
    use quadlock_isa::Op;

    /// A loop counter that only feeds itself, a dead load, a block nobody jumps to.
    #[test]
    fn cycles_loads_and_lost_blocks_go() {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b: Vec<Block> = (0..4).map(|_| f.new_block()).collect();
        let zero = f.push(b[0], Kind::Const(0), 1, loc)[0];
        f.push(b[0], Kind::Load { space: Space::Global, width: Width::W128, addr: zero, offset: 0 }, 4, loc);
        f.push(b[0], Kind::Jump(Target { block: b[1], args: vec![zero] }), 0, loc);
        let p = f.new_value();
        f.blocks[1].params.push(p);
        let next = f.push(b[1], Kind::Alu(Op::IAdd, vec![p, zero]), 1, loc)[0];
        let c = f.push(b[1], Kind::ConstWord(3), 1, loc)[0];
        let back = Target { block: b[1], args: vec![next] };
        f.push(b[1], Kind::Branch { cond: c, then: back, other: Target { block: b[3], args: vec![] } }, 0, loc);
        f.push(b[2], Kind::Jump(Target { block: b[3], args: vec![] }), 0, loc);
        f.push(b[3], Kind::Return(vec![]), 0, loc);
        assert!(run(&mut f, &Options::default()));
        crate::ssa::verify::verify(&f).unwrap();
        assert_eq!(f.layout, [b[0], b[1], b[3]]);
        assert_eq!((f.blocks[0].insts.len(), f.blocks[1].insts.len()), (1, 2), "{f}");
        assert!(f.blocks[1].params.is_empty());
        assert!(!run(&mut f, &Options::default()));
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[], run, 0..150);
        check::same_behaviour(&[mem2reg::run], run, 150..300);
    }

    #[test]
    fn the_planted_fault_is_found() {
        let options = Options { fault: Some(CompilerFault::DceDropsStore), ..Default::default() };
        assert!(check::run(&[], run, 0..100, &options).1.is_some());
    }
}
