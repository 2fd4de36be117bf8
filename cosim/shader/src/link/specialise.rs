//! Specialisation by value (LP-14): a branch or a choice that a uniform decides is decided now, if
//! the uniform's value is known, and the program is right only while it stays decided so.
//!
//! What is assumed is the truth of the condition and not the words in it: a program is right for
//! all values that decide alike. The uniforms themselves stay uniforms. A condition that is not
//! recorded would make a wrong program pass for right: [`run`] records before it changes.

use super::uniform::{Node, Table, Word};
use crate::fault::CompilerFault;
use crate::ssa::{Func, Inst, Kind, Loc, Value};
use quadlock_isa::Op;

/// A condition that was decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The condition.
    pub node: Node,
    /// It is not 0.
    pub holds: bool,
    /// The branch or choice.
    pub loc: Loc,
}

/// Decides what it can; what was decided, in order of the layout.
pub fn run(
    func: &mut Func,
    table: &Table,
    words: &dyn Fn(Word) -> Option<u32>,
    fault: Option<CompilerFault>,
) -> Vec<Decision> {
    let mut nodes: Vec<Option<Node>> = vec![None; func.values as usize];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let (Kind::ConstWord(w), Some(r)) = (&inst.kind, inst.results.first()) {
            nodes[r.index()] = Node::of_word(*w);
        }
    }
    let mut decisions = vec![];
    for b in func.layout.clone() {
        let mut out: Vec<Inst> = vec![];
        for mut inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            let cond = match &inst.kind {
                Kind::Branch { cond, .. } => Some(*cond),
                Kind::Alu(Op::Sel, args) => args.get(2).copied(),
                _ => None,
            };
            let decided = cond.and_then(|c| nodes[c.index()]).and_then(|n| Some((n, table.value(n, words)?)));
            if let Some((node, value)) = decided {
                let holds = value != 0;
                decisions.push(Decision { node, holds, loc: inst.loc });
                let known = func.new_value();
                let kind = Kind::Const(u32::from(holds != (fault == Some(CompilerFault::LinkOtherArm))));
                out.push(Inst { exact: true, kind, results: vec![known], loc: inst.loc });
                set_condition(&mut inst.kind, known);
            }
            out.push(inst);
        }
        func.blocks[b.index()].insts = out;
    }
    decisions
}

fn set_condition(kind: &mut Kind, to: Value) {
    match kind {
        Kind::Branch { cond, .. } => *cond = to,
        Kind::Alu(_, args) => args[2] = to,
        _ => {}
    }
}
