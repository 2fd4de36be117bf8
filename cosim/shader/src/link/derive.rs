//! Derived uniforms (LP-13): operations whose operands are uniforms and constants leave the program
//! and become an expression that the host computes once for each batch.
//!
//! Blocks are visited along the dominator tree, so an operand is known before what reads it. Only
//! pure operations of one lane are taken, with any rounding: the host evaluates operation for
//! operation what the lanes would have. An operation that stands where no lane comes is taken too;
//! it has no effect and cannot fault. A sign that a lane would flip before it multiplies by a
//! uniform is flipped in the uniform, and every bit stays: -x * u is x * -u. A load of a word of a
//! uniform buffer, which no program writes, is that word; every other load, an operation across
//! lanes or a block parameter stays. What is wrong here gives the program another word than the
//! lanes would have had: the tests run random programs with their words and compare.

use super::chain::{UniformBuffer, UniformWords};
use super::uniform::{Expr, Node, Table, Word};
use crate::fault::CompilerFault;
use crate::ops::eval::eval;
use crate::ops::predicate::cross_lane;
use crate::passes::use_counts;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, Inst, Kind, Loc, Space, Value, Width};
use quadlock_isa::Op;

/// The sign of a float.
const SIGN: u32 = 0x8000_0000;

/// An operation that became an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The expression.
    pub node: Node,
    /// Where the operation stood.
    pub loc: Loc,
}

/// Names words of uniform buffers by their nodes, those of the constant bank and those that are
/// loaded from memory; whether anything changed.
pub fn name_words(func: &mut Func, table: &mut Table, words: &[UniformWords], buffers: &[UniformBuffer]) -> bool {
    let mut changed = false;
    let mut bases: Vec<Option<UniformBuffer>> = vec![None; func.values as usize];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let (Kind::ConstWord(at), Some(r)) = (&inst.kind, inst.results.first()) {
            bases[r.index()] = buffers.iter().copied().find(|b| b.base == *at);
        }
    }
    for b in func.layout.clone() {
        let mut out: Vec<Inst> = vec![];
        for mut inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            let loaded = match &inst.kind {
                Kind::ConstWord(at) => {
                    if let Some(word) = words.iter().find_map(|u| u.word(*at)) {
                        inst.kind = Kind::ConstWord(table.node(Expr::Word(word)).word());
                        changed = true;
                    }
                    None
                }
                Kind::Load { space: Space::ReadOnly, width, addr, offset } => {
                    bases[addr.index()].and_then(|buffer| loaded(&buffer, *width, *offset))
                }
                _ => None,
            };
            let Some(loaded) = loaded else {
                out.push(inst);
                continue;
            };
            changed = true;
            for (word, &result) in loaded.into_iter().zip(&inst.results) {
                let kind = Kind::ConstWord(table.node(Expr::Word(word)).word());
                out.push(Inst { exact: true, kind, results: vec![result], loc: inst.loc });
            }
        }
        func.blocks[b.index()].insts = out;
    }
    changed
}

/// The words of a buffer that a load gives; none if they are not whole words of it.
fn loaded(buffer: &UniformBuffer, width: Width, offset: i32) -> Option<Vec<Word>> {
    if matches!(width, Width::U8 | Width::S8 | Width::U16 | Width::S16) {
        return None;
    }
    (0..width.words() as i32).map(|w| buffer.word(offset.checked_add(4 * w)?)).collect()
}

/// Takes out what is an expression of uniforms; what was taken. `fault`: a sign is lost, or a
/// loop's value is its first one.
pub fn run(func: &mut Func, table: &mut Table, fault: Option<CompilerFault>) -> Vec<Derived> {
    let dom = Dominance::new(func);
    let uses = use_counts(func);
    let mut flipped: Vec<Option<Value>> = vec![None; func.values as usize];
    let mut nodes: Vec<Option<Node>> = vec![None; func.values as usize];
    let mut taken = vec![];
    let mut left = vec![func.entry()];
    while let Some(b) = left.pop() {
        if fault == Some(CompilerFault::LinkLoopFirst) {
            take_first(func, b, table, &mut nodes);
        }
        let mut insts = std::mem::take(&mut func.blocks[b.index()].insts);
        let mut signs = vec![];
        for (at, inst) in insts.iter_mut().enumerate() {
            if let Kind::Alu(Op::Xor, args) = &inst.kind {
                let is_sign = |n: Node| *table.expr(n) == Expr::Const(SIGN);
                let sign = nodes[args[0].index()].is_none() && nodes[args[1].index()].is_some_and(is_sign);
                if sign && uses[inst.results[0].index()] == 1 {
                    flipped[inst.results[0].index()] = Some(args[0]);
                }
            }
            if let Some(known) = sign_to_uniform(inst, &flipped, &nodes, table) {
                let sign = table.node(Expr::Const(SIGN));
                let node = match fault {
                    Some(CompilerFault::LinkSign) => known,
                    _ => table.node(Expr::Op(Op::Xor, vec![known, sign])),
                };
                let word = func.new_value();
                nodes.push(Some(node));
                inst.kind.map_uses(&mut |v| if nodes[v.index()] == Some(known) { word } else { v });
                signs.push((at, word, node, inst.loc));
                taken.push(Derived { node, loc: inst.loc });
            }
            let node = match &inst.kind {
                Kind::Const(c) => Some(table.node(Expr::Const(*c))),
                Kind::ConstWord(w) => Node::of_word(*w),
                Kind::Alu(op, args) if is_pure(*op) => {
                    let args: Option<Vec<Node>> = args.iter().map(|a: &Value| nodes[a.index()]).collect();
                    args.map(|args| table.node(Expr::Op(*op, args)))
                }
                _ => None,
            };
            let (Some(node), Some(result)) = (node, inst.results.first()) else { continue };
            nodes[result.index()] = Some(node);
            if matches!(inst.kind, Kind::Alu(..)) {
                // An expression of constants only is for the folding of constants.
                if table.varies(node) {
                    inst.kind = Kind::ConstWord(node.word());
                    taken.push(Derived { node, loc: inst.loc });
                }
            }
        }
        for (at, word, node, loc) in signs.into_iter().rev() {
            let kind = Kind::ConstWord(node.word());
            insts.insert(at, Inst { exact: true, kind, results: vec![word], loc });
        }
        func.blocks[b.index()].insts = insts;
        left.extend(dom.children[b.index()].iter().rev());
    }
    taken
}

/// The planted mistake: a parameter is what the first jump brings, if that is of uniforms.
fn take_first(func: &Func, b: Block, table: &Table, nodes: &mut [Option<Node>]) {
    let Some(Inst { kind: Kind::Jump(to), .. }) = func.blocks[b.index()].insts.last() else { return };
    for (param, arg) in func.blocks[to.block.index()].params.iter().zip(&to.args) {
        let first = nodes[arg.index()].filter(|n| table.varies(*n));
        nodes[param.index()] = nodes[param.index()].or(first);
    }
}

/// A product or quotient of a flipped sign and a uniform becomes one of the word whose sign was
/// flipped; the expression whose sign is to be flipped instead.
fn sign_to_uniform(inst: &mut Inst, flipped: &[Option<Value>], nodes: &[Option<Node>], table: &Table) -> Option<Node> {
    let Kind::Alu(Op::FMul | Op::FDiv, args) = &mut inst.kind else { return None };
    let k = [0, 1].into_iter().find(|&k| flipped[args[k].index()].is_some())?;
    let known = nodes[args[1 - k].index()].filter(|n| table.varies(*n))?;
    args[k] = flipped[args[k].index()]?;
    Some(known)
}

/// A pure operation of one lane.
fn is_pure(op: Op) -> bool {
    !cross_lane(op) && eval(op, &[0; 3]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::How;

    /// u is word 0 of a buffer, x the input: -x op u, or u op -x. With `shared` the flipped x is
    /// read again.
    fn program(op: Op, first: bool, shared: bool, table: &mut Table) -> Func {
        let mut f = Func { name: "f".into(), ..Func::default() };
        let b = f.new_block();
        let mut one = |kind: Kind| f.push(b, kind, 1, Loc::at(0, 1, 1))[0];
        let x = one(Kind::Input { word: 4, how: How::Flat });
        let u = one(Kind::ConstWord(table.node(Expr::Word((0, 0, 0))).word()));
        let sign = one(Kind::Const(SIGN));
        let minus = one(Kind::Alu(Op::Xor, vec![x, sign]));
        let value = one(Kind::Alu(op, if first { vec![minus, u] } else { vec![u, minus] }));
        f.push(b, Kind::Output { word: 0, value }, 0, Loc::at(0, 1, 1));
        if shared {
            f.push(b, Kind::Output { word: 1, value: minus }, 0, Loc::at(0, 1, 1));
        }
        f.push(b, Kind::Return(vec![]), 0, Loc::at(0, 1, 1));
        f
    }

    /// Word 0 of the outputs.
    fn output(func: &Func, table: &Table, x: u32, u: u32) -> u32 {
        let mut words = vec![0; func.values as usize];
        for inst in &func.blocks[0].insts {
            let word = match &inst.kind {
                Kind::Input { .. } => x,
                Kind::Const(c) => *c,
                Kind::ConstWord(w) => table.value(Node::of_word(*w).unwrap(), &|_| Some(u)).unwrap(),
                Kind::Alu(op, args) => {
                    let args: Vec<u32> = args.iter().map(|a: &Value| words[a.index()]).collect();
                    eval(*op, &args).unwrap()
                }
                Kind::Output { value, .. } => return words[value.index()],
                other => unreachable!("{other:?}"),
            };
            words[inst.results[0].index()] = word;
        }
        unreachable!()
    }

    const CORNERS: [u32; 10] =
        [0, SIGN, 1, 0x3F80_0000, 0xBF80_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFC1_2345, 0x7F7F_FFFF];

    /// How many pairs of corner values give another word than before.
    fn differing(op: Op, first: bool, fault: Option<CompilerFault>) -> usize {
        let mut table = Table::default();
        let before = program(op, first, false, &mut table);
        let mut after = before.clone();
        assert_eq!(run(&mut after, &mut table, fault).len(), 1);
        crate::passes::dce::run(&mut after, &crate::passes::Options::default());
        crate::ssa::verify::verify(&after).unwrap();
        assert!(!after.to_string().contains("xor"), "{after}");
        let pairs = CORNERS.into_iter().flat_map(|x| CORNERS.map(|u| (x, u)));
        pairs.filter(|&(x, u)| output(&before, &table, x, u) != output(&after, &table, x, u)).count()
    }

    #[test]
    fn a_sign_goes_over_to_the_uniform() {
        for op in [Op::FMul, Op::FDiv] {
            for first in [true, false] {
                assert_eq!(differing(op, first, None), 0, "{op:?} {first}");
            }
        }
        let mut table = Table::default();
        let mut shared = program(Op::FMul, true, true, &mut table);
        assert!(run(&mut shared, &mut table, None).is_empty(), "the flipped word is needed anyway");
    }

    #[test]
    fn a_planted_sign_that_is_lost_is_found() {
        assert!(differing(Op::FMul, true, Some(CompilerFault::LinkSign)) > 20);
    }
}
