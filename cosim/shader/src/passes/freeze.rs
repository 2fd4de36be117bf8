//! What is decided before all other passes about the roundings of outputs: nothing that feeds an
//! invariant output is fused, and what the position depends on is fused by itself (HZ-36).
//!
//! A vertex program is compiled in several forms: with fewer outputs, cut to its position, linked
//! with a fragment program. In all of them the position must have the same bits. Fusion by use
//! would not do: a product that a varying reads too has other readers in a form without it. So the
//! position's part is fused first, on the program as the front end gave it, by the shape of its
//! expressions: each sum takes in a product, whoever else reads that. This costs no operation more.
//! All of the part is exact from then on, and later passes change no rounding of what is exact.
//!
//! Before it, values are found behind variables (`settle`), by passes to which outputs mean
//! nothing: folding, slots, copies. So the form of a program without some outputs has the same
//! part, operation by operation. Who removes outputs or puts constants in their place must do so
//! behind this pass. The part is what outputs read, through parameters and memory, and the
//! conditions of all branches: too much of it is frozen rather than too little.
//! Wrong would be a decision that depends on what is outside; `PositionFusesByUse` plants it.
//!
//! Left to `fuse`, the position would have other words in other forms. So `skip=freeze` fuses
//! nothing in the position's part, and makes it exact all the same. What `invariant` asks for is no
//! option: such outputs stay as they are without it.

use super::fuse::{self, Site};
use super::{const_fold, copy_prop, mem2reg, slot_fold, Options, Pass};
use crate::fault::CompilerFault;
use crate::ssa::{Func, Inst, Kind, Space, Value};

/// Its name for `skip`.
pub const NAME: &str = "freeze";

/// Output words of the clip position.
const POSITION_WORDS: u32 = 4;

/// Passes that read no output, by name.
const SETTLE: &[(&str, Pass)] = &[
    ("const-fold", const_fold::run),
    ("slot-fold", slot_fold::run),
    ("mem2reg", mem2reg::run),
    ("copy-prop", copy_prop::run),
];

/// More than any program has needed.
const ROUNDS: usize = 40;

/// All that this pass decides, on an entry function without calls.
pub(super) fn run(func: &mut Func, options: &Options) -> Vec<Site> {
    if !fuse::allowed(options) {
        return vec![];
    }
    let invariant = |i: &Inst| i.exact;
    if insts(func).any(|i| is_output(i, &invariant)) {
        settle(func, options);
        let part = slice(func, &invariant);
        fix(func, &part);
    }
    if options.freeze_position {
        return freeze_position(func, options);
    }
    vec![]
}

/// Decides the fusions of what the position of a vertex program depends on, and fixes its
/// roundings. A second time there is nothing left to decide.
pub fn freeze_position(func: &mut Func, options: &Options) -> Vec<Site> {
    if !fuse::allowed(options) || options.fault == Some(CompilerFault::PositionFusesByUse) {
        return vec![];
    }
    settle(func, options);
    let part = slice(func, &|i| matches!(i.kind, Kind::Output { word, .. } if word < POSITION_WORDS));
    let sites = match options.skip.iter().any(|s| s == NAME) {
        true => vec![],
        false => fuse::join(func, Some(&part), options),
    };
    fix(func, &part);
    sites
}

fn insts(func: &Func) -> impl Iterator<Item = &Inst> {
    func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts)
}

fn is_output(inst: &Inst, wanted: &dyn Fn(&Inst) -> bool) -> bool {
    matches!(inst.kind, Kind::Output { .. }) && wanted(inst)
}

fn settle(func: &mut Func, options: &Options) {
    let passes = SETTLE.iter().filter(|p| !options.skip.iter().any(|s| s == p.0));
    for _ in 0..ROUNDS {
        let changed = passes.clone().map(|p| (p.1)(func, options)).fold(false, |any, did| any | did);
        if !changed {
            break;
        }
    }
}

/// Makes all of a part exact.
fn fix(func: &mut Func, part: &[bool]) {
    for b in func.layout.clone() {
        for inst in &mut func.blocks[b.index()].insts {
            // Constants that were added are in none.
            inst.exact |= inst.results.iter().any(|r| part.get(r.index()) == Some(&true));
        }
    }
}

/// By value: whether outputs that are wanted depend on it.
fn slice(func: &Func, wanted: &dyn Fn(&Inst) -> bool) -> Vec<bool> {
    let n = func.values as usize;
    // What a value is made of, and whether it comes from memory.
    let mut needs: Vec<Vec<Value>> = vec![vec![]; n];
    let mut loads = vec![false; n];
    let mut work: Vec<Value> = vec![];
    let mut stored: Vec<Value> = vec![];
    for inst in insts(func) {
        for t in inst.kind.targets() {
            for (p, a) in func.blocks[t.block.index()].params.iter().zip(&t.args) {
                needs[p.index()].push(*a);
            }
        }
        match &inst.kind {
            Kind::Output { value, .. } if wanted(inst) => work.push(*value),
            Kind::Branch { cond, .. } => work.push(*cond),
            Kind::Store { .. } | Kind::SlotStore { .. } => stored.extend(inst.kind.uses()),
            Kind::Atomic { .. } => stored.extend(inst.kind.uses()),
            _ => {}
        }
        let memory = match inst.kind {
            Kind::Load { space, .. } => space != Space::ReadOnly,
            Kind::SlotLoad { .. } | Kind::Atomic { .. } => true,
            _ => false,
        };
        for r in &inst.results {
            needs[r.index()].extend(inst.kind.uses());
            loads[r.index()] = memory;
        }
    }
    let mut part = vec![false; n];
    while let Some(v) = work.pop() {
        if std::mem::replace(&mut part[v.index()], true) {
            continue;
        }
        work.extend(&needs[v.index()]);
        if loads[v.index()] {
            // Whatever was written may be what is read.
            work.append(&mut stored);
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::{Block, Loc, Slot};
    use quadlock_isa::Op;

    fn free(f: &mut Func, op: Op, args: &[Value]) -> Value {
        let line = f.values + 1;
        let v = f.push(Block(0), Kind::Alu(op, args.to_vec()), 1, Loc::at(0, line, 1))[0];
        f.blocks[0].insts.last_mut().unwrap().exact = false;
        v
    }

    /// Words 0 to 3 are `a * b + c` through a variable, word 4 is the product; without word 4 if
    /// `alone`.
    fn program(alone: bool) -> Func {
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b = f.new_block();
        let slot: Slot = f.new_slot(1, "x");
        let w: Vec<Value> = (0..3).map(|i| f.push(b, Kind::ConstWord(i), 1, Loc::default())[0]).collect();
        let a = free(&mut f, Op::FAdd, &[w[0], w[1]]);
        let c = free(&mut f, Op::FAdd, &[w[1], w[2]]);
        let p = free(&mut f, Op::FMul, &[a, w[2]]);
        f.push(b, Kind::SlotStore { slot, word: 0, value: p }, 0, Loc::default());
        let q = f.push(b, Kind::SlotLoad { slot, word: 0 }, 1, Loc::default())[0];
        let sum = free(&mut f, Op::FAdd, &[q, c]);
        for word in 0..4 {
            f.push(b, Kind::Output { word, value: sum }, 0, Loc::default());
        }
        if !alone {
            f.push(b, Kind::Output { word: 4, value: p }, 0, Loc::default());
        }
        for inst in &mut f.blocks[0].insts {
            inst.exact &= !matches!(inst.kind, Kind::Output { .. });
        }
        f.push(b, Kind::Return(vec![]), 0, Loc::default());
        f
    }

    #[test]
    fn a_product_that_others_read_is_taken_in_all_the_same() {
        for alone in [false, true] {
            let mut f = program(alone);
            let sites = freeze_position(&mut f, &Options::default());
            assert_eq!(sites.len(), 1, "{f}");
            assert!(sites[0].position && sites[0].sum_at.line > sites[0].product_at.line);
            assert!(f.to_string().contains("ffma v3, v2, v4"), "{f}");
            assert!(!f.to_string().contains(".free"), "{f}");
            assert_eq!(freeze_position(&mut f, &Options::default()), []);
        }
        let options = Options { fault: Some(CompilerFault::PositionFusesByUse), ..Options::default() };
        let by_use = [false, true].map(|alone| {
            let mut f = program(alone);
            assert_eq!(run(&mut f, &Options { freeze_position: true, ..options.clone() }), []);
            mem2reg::run(&mut f, &options);
            fuse::run(&mut f, &options).len()
        });
        assert_eq!(by_use, [0, 1]);
    }

    #[test]
    fn nothing_that_feeds_an_invariant_output_is_fused() {
        for exact in [false, true] {
            let mut f = program(true);
            f.blocks[0].insts.iter_mut().filter(|i| is_output(i, &|_| true)).for_each(|i| i.exact = exact);
            let sites = run(&mut f, &Options { freeze_position: true, ..Options::default() });
            assert_eq!(sites.len(), usize::from(!exact), "{f}");
            assert_eq!(fuse::run(&mut f, &Options::default()), []);
        }
    }

    /// The position keeps all its roundings; what it does not depend on is fused as ever.
    #[test]
    fn left_out_nothing_of_the_position_is_fused() {
        let options = Options { skip: vec![NAME.into()], freeze_position: true, ..Options::default() };
        for alone in [false, true] {
            let mut f = program(alone);
            let end = f.blocks[0].insts.pop().unwrap();
            let w = [f.push(Block(0), Kind::Special(quadlock_isa::Special::VertexIndex), 1, Loc::default())[0]; 2];
            let product = free(&mut f, Op::FMul, &w);
            let value = free(&mut f, Op::FAdd, &[product, w[0]]);
            f.push(Block(0), Kind::Output { word: 5, value }, 0, Loc::default());
            f.blocks[0].insts.last_mut().unwrap().exact = false;
            f.blocks[0].insts.push(end);
            assert_eq!(run(&mut f, &options), []);
            let sites = fuse::run(&mut f, &options);
            assert_eq!(sites.iter().map(|s| s.result).collect::<Vec<_>>(), [value], "{f}");
        }
    }

    #[test]
    fn exact_decides_nothing() {
        let mut f = program(true);
        let before = f.clone();
        let options = Options { exact: true, freeze_position: true, ..Options::default() };
        assert_eq!(run(&mut f, &options), []);
        assert_eq!(f, before);
    }
}
