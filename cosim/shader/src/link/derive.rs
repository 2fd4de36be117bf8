//! Derived uniforms (LP-13): operations whose operands are uniforms and constants leave the program
//! and become an expression that the host computes once for each batch.
//!
//! Blocks are visited along the dominator tree, so an operand is known before what reads it. Only
//! pure operations of one lane are taken, with any rounding: the host evaluates operation for
//! operation what the lanes would have. An operation that stands where no lane comes is taken too;
//! it has no effect and cannot fault. A load of a word of a uniform buffer, which no program
//! writes, is that word; every other load, an operation across lanes or a block parameter stays.
//! What is wrong here gives the program another word than the lanes would have had: the tests run
//! random programs with their words and compare.

use super::chain::{UniformBuffer, UniformWords};
use super::uniform::{Expr, Node, Table, Word};
use crate::fault::CompilerFault;
use crate::ops::eval::eval;
use crate::ops::predicate::cross_lane;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, Inst, Kind, Loc, Space, Value, Width};
use quadlock_isa::Op;

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

/// Takes out what is an expression of uniforms; what was taken.
pub fn run(func: &mut Func, table: &mut Table, fault: Option<CompilerFault>) -> Vec<Derived> {
    let dom = Dominance::new(func);
    let mut nodes: Vec<Option<Node>> = vec![None; func.values as usize];
    let mut taken = vec![];
    let mut left = vec![func.entry()];
    while let Some(b) = left.pop() {
        if fault == Some(CompilerFault::LinkLoopFirst) {
            take_first(func, b, table, &mut nodes);
        }
        for inst in &mut func.blocks[b.index()].insts {
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

/// A pure operation of one lane.
fn is_pure(op: Op) -> bool {
    !cross_lane(op) && eval(op, &[0; 3]).is_some()
}
