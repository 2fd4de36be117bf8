//! Finished code as its checkers see it: where control goes, and what is true on all ways there.
//!
//! It knows instruction words only. Wrong if a way is missed: planted faults are the tests of the
//! checkers that use it.

use quadlock_isa::{decode, group_register, Class, Instr, Lanes, Op, Shape, Special};

pub const REGISTERS: usize = 32;

/// Instruction numbers of an operation.
pub fn places(words: &[u64], op: Op) -> Vec<u32> {
    let is = |w: &u64| decode(*w).is_ok_and(|i| i.op == op);
    (0..).zip(words).filter(|(_, w)| is(w)).map(|(pc, _)| pc).collect()
}

/// How many instructions can run behind an operation.
pub fn behind(words: &[u64], op: Op) -> usize {
    let code = Code::new(words);
    let next = places(words, op).into_iter().flat_map(|pc| code.next(pc as usize));
    code.reached(next.collect()).into_iter().filter(|&seen| seen).count()
}

/// What is true where an instruction begins.
pub trait State: Clone {
    /// Takes in what is true on another way; whether that changed anything.
    fn join(&mut self, other: &Self) -> bool;
}

/// The states behind an instruction, by where it goes.
pub type Step<'a, S> = dyn Fn(usize, &S) -> Vec<(usize, S)> + 'a;

pub struct Code {
    pub instrs: Vec<Instr>,
    /// The instruction can be reached from itself.
    pub looped: Vec<bool>,
}

impl Code {
    pub fn new(words: &[u64]) -> Code {
        let instrs: Vec<Instr> = words.iter().map(|&w| decode(w).unwrap_or(Instr::new(Op::End))).collect();
        let n = instrs.len();
        let mut code = Code { instrs, looped: vec![false; n] };
        // A cycle has a jump back; what can be reached from its target and reaches it is in it.
        for from in 0..n {
            for to in code.next(from).into_iter().filter(|&to| to <= from) {
                let (down, up) = (code.reached(vec![to]), code.reaching(&|pc| pc == from));
                (0..n).filter(|&pc| down[pc] && up[pc]).for_each(|pc| code.looped[pc] = true);
            }
        }
        code
    }

    /// Where control may go from an instruction.
    pub fn next(&self, pc: usize) -> Vec<usize> {
        let i = &self.instrs[pc];
        let target = || i.imm as usize;
        match i.op {
            Op::End | Op::Discard => vec![],
            Op::Bra => vec![target()],
            Op::Bnz | Op::Bz => vec![pc + 1, target()],
            _ => vec![pc + 1],
        }
    }

    /// What can be reached from some instructions, themselves included.
    pub fn reached(&self, mut work: Vec<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.instrs.len()];
        while let Some(pc) = work.pop() {
            if pc < seen.len() && !std::mem::replace(&mut seen[pc], true) {
                work.extend(self.next(pc));
            }
        }
        seen
    }

    /// What can reach the instructions of which `to` is true, themselves included.
    pub fn reaching(&self, to: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let mut seen: Vec<bool> = (0..self.instrs.len()).map(to).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for pc in (0..seen.len()).rev() {
                let reaches = self.next(pc).iter().any(|&t| t < seen.len() && seen[t]);
                changed |= reaches && !std::mem::replace(&mut seen[pc], true);
            }
        }
        seen
    }

    /// What is true where each instruction begins, over all ways to it. `step` gives the states
    /// behind an instruction by where it goes.
    pub fn states<S: State>(&self, start: S, step: &Step<S>) -> Vec<Option<S>> {
        let mut states: Vec<Option<S>> = vec![None; self.instrs.len()];
        let mut work = vec![];
        if let Some(first) = states.first_mut() {
            *first = Some(start);
            work.push(0);
        }
        while let Some(pc) = work.pop() {
            let Some(state) = states[pc].clone() else { continue };
            for (to, after) in step(pc, &state) {
                let Some(place) = states.get_mut(to) else { continue };
                let grew = match place {
                    Some(old) => old.join(&after),
                    None => {
                        *place = Some(after);
                        true
                    }
                };
                if grew {
                    work.push(to);
                }
            }
        }
        states
    }
}

/// The registers that an instruction writes.
pub fn dest(i: &Instr) -> Vec<u8> {
    i.dest_regs().map_or(vec![], |(d, n)| (0..n).map(|k| group_register(d, k)).collect())
}

/// The lowest registers, as bits.
pub fn lowest(n: u32) -> u32 {
    ((1_u64 << n.min(32)) - 1) as u32
}

/// The rows of registers that the instruction names: registers that have to follow each other.
pub fn rows(i: &Instr) -> Vec<Vec<u8>> {
    let count = i.op.shape().data_registers();
    let row = |first: u8| (0..count).map(|k| group_register(first, k)).collect::<Vec<_>>();
    let mut rows = vec![dest(i)];
    match i.op.shape() {
        Shape::Store { .. } | Shape::Atomic { .. } => rows.push(row(i.b)),
        Shape::AtomicCas { .. } => rows.extend([row(i.b), row(i.c)]),
        _ => {}
    }
    rows
}

/// Whether a row of registers of the instruction has public and private ones.
pub fn is_on_both_sides(i: &Instr, public: u32) -> bool {
    let private = |r: &u8| public >> *r & 1 == 0;
    rows(i).iter().any(|row| row.iter().any(private) && !row.iter().all(private))
}

/// Whether a program with a merge point or a split point may not have the instruction (MS-32).
pub fn is_forbidden(i: &Instr) -> bool {
    let numbers = [Special::Lane, Special::Warp, Special::Unit, Special::Coverage, Special::ThreadSlot];
    let number = i.op == Op::S2R && numbers.iter().any(|&n| i.imm == n as u32);
    let wide = i.op.is_warp_wide() || matches!(i.op.row().lanes, Lanes::Active | Lanes::Lowest);
    number || wide || i.op.is_own() || i.op == Op::Bar || i.op.class() == Class::Message
}
