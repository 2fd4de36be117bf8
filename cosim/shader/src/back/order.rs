//! An order of each block in which few registers are in use: for programs that do not fit.
//!
//! The block is taken from its end. Of the instructions that nothing left has to follow, the one is
//! taken that makes fewest values live that are not yet, less those that it defines; ties by the
//! source's order. So what makes a value stands right before its first use, and a chain of
//! operations is finished before the next begins (the rule of Sethi and Ullman, "The Generation of
//! Optimal Code for Arithmetic Expressions", JACM 1970, as a greedy one for graphs). It does not
//! hide latencies, which is the scheduler's task.
//!
//! Accesses to memory that cannot meet change places, which the scheduler does not do: a load of
//! what nobody writes with a store, and two accesses with one address register whose offsets are
//! far enough apart, and those of two entries of the table of buffers, for the host gives no two
//! bindings the same memory. So what is copied from one place to another does not have to be in
//! registers as a whole. Wrong if two accesses to one word change places: the planted fault is
//! `order-alias`.

use super::bits::BitSet;
use super::liveness::live_out;
use super::mir::{MBlock, MFunc, MInst, Operand, VReg};
use crate::fault::CompilerFault;
use quadlock_isa::{abi, AtomicOp, Class, Op};
use std::collections::HashMap;

/// Puts all blocks in order. Turns of loops that wait for memory stay as they are.
pub fn run(f: &mut MFunc, fault: Option<CompilerFault>) {
    let out = live_out(f);
    let memory = Memory { buffers: buffers(f), fault };
    for (block, live) in f.blocks.iter_mut().zip(out).filter(|(b, _)| !b.polling) {
        let order = ordered(block, live, &memory);
        let mut old: Vec<Option<MInst>> = block.insts.drain(..).map(Some).collect();
        block.insts = order.into_iter().filter_map(|i| old[i].take()).collect();
    }
}

/// Entries of the table of buffers that addresses begin with, as words of the constant bank. A sum
/// is in the buffer of its one part that is an address.
fn buffers(f: &MFunc) -> HashMap<VReg, u32> {
    let mut defs = vec![0u32; f.vregs as usize];
    let all = || f.blocks.iter().flat_map(|b| &b.insts);
    let copied = f.blocks.iter().flat_map(|b| b.copies.iter().map(|c| c.0));
    all().flat_map(|m| m.defs.iter().copied()).chain(copied).for_each(|d| defs[d.index()] += 1);
    let table = abi::CONST_BUFFERS as u32..abi::CONST_USER as u32;
    let entry = |o: Operand| match o {
        Operand::Const(w) => (table.contains(&w) && (w - table.start) % 2 == 0).then_some(w),
        _ => None,
    };
    let mut found: HashMap<VReg, u32> = HashMap::new();
    for m in all().filter(|m| m.defs.len() == 1 && defs[m.defs[0].index()] == 1) {
        let of = |o: Operand| o.reg().map_or(entry(o), |r| found.get(&r).copied());
        let parts = match m.op {
            Op::Mov => [of(m.b), None],
            Op::IAdd => [of(m.b), m.a.and_then(|a| of(Operand::Reg(a)))],
            Op::IMad => [m.c.first().and_then(|&c| of(Operand::Reg(c))), None],
            _ => [None, None],
        };
        if let [Some(w), None] | [None, Some(w)] = parts {
            found.insert(m.defs[0], w);
        }
    }
    found
}

/// What is known of the memory that instructions access.
struct Memory {
    buffers: HashMap<VReg, u32>,
    fault: Option<CompilerFault>,
}

impl Memory {
    /// Whether the two have to stay in their order, for memory's sake.
    fn meet(&self, a: &MInst, b: &MInst) -> bool {
        if a.op.is_load() && b.op.is_load() {
            return a.fenced && !b.read_only || b.fenced && !a.read_only;
        }
        let lock = |m: &MInst| m.op.atomic() == Some(AtomicOp::Lock);
        if a.fenced || b.fenced || lock(a) || lock(b) {
            return true;
        }
        if a.op.is_shared() != b.op.is_shared() {
            return false;
        }
        if a.op.is_atomic() || b.op.is_atomic() {
            return true;
        }
        // A store and what nobody writes.
        if a.read_only || b.read_only {
            return false;
        }
        let buffer = |m: &MInst| m.a.and_then(|a| self.buffers.get(&a));
        if a.a != b.a {
            return buffer(a).is_none_or(|x| buffer(b).is_none_or(|y| x == y));
        }
        // The low bits of an address are ignored, so each access is in a range of its own size.
        let size = a.op.access_bytes().max(b.op.access_bytes());
        let apart = (a.imm as i32).abs_diff(b.imm as i32) >= size.into();
        !apart && self.fault != Some(CompilerFault::OrderAlias)
    }
}

/// For each instruction: those that have to come before it.
fn before(block: &MBlock, about: &Memory) -> Vec<Vec<usize>> {
    let mut def: HashMap<usize, usize> = HashMap::new();
    let mut memory: Vec<usize> = vec![];
    let mut fence: Option<usize> = None;
    let mut all = vec![];
    for (i, m) in block.insts.iter().enumerate() {
        let mut before: Vec<usize> = m.uses().filter_map(|u| def.get(&u.index()).copied()).collect();
        before.extend(fence);
        if matches!(m.op, Op::Bar | Op::Demote | Op::Merge | Op::Split) || m.op.class() == Class::Message {
            before = (0..i).collect();
            fence = Some(i);
            memory.clear();
        } else if m.op.is_memory() {
            before.extend(memory.iter().copied().filter(|&j| about.meet(&block.insts[j], m)));
            memory.push(i);
        }
        before.sort_unstable();
        before.dedup();
        all.push(before);
        m.defs.iter().for_each(|d| _ = def.insert(d.index(), i));
    }
    all
}

fn ordered(block: &MBlock, mut live: BitSet, about: &Memory) -> Vec<usize> {
    let n = block.insts.len();
    let before = before(block, about);
    let mut waits = vec![0; n];
    before.iter().flatten().for_each(|&j| waits[j] += 1);
    for d in block.copies.iter().map(|c| c.0) {
        live.remove(d.index());
    }
    let sources = block.copies.iter().filter_map(|(_, s): &(_, Operand)| s.reg());
    sources.chain(block.term.cond()).for_each(|r| live.insert(r.index()));
    let mut ready: Vec<usize> = (0..n).filter(|&i| waits[i] == 0).collect();
    let mut out = Vec::with_capacity(n);
    while !ready.is_empty() {
        let best = (0..ready.len()).min_by_key(|&k| (more(&block.insts[ready[k]], &live), n - ready[k]));
        let i = ready.swap_remove(best.unwrap_or(0));
        let m = &block.insts[i];
        m.defs.iter().for_each(|d| live.remove(d.index()));
        m.uses().for_each(|u| live.insert(u.index()));
        out.push(i);
        for &j in &before[i] {
            waits[j] -= 1;
            if waits[j] == 0 {
                ready.push(j);
            }
        }
    }
    out.reverse();
    out
}

/// How many registers more are in use before the instruction than behind it.
fn more(m: &MInst, live: &BitSet) -> i32 {
    let mut reads: Vec<usize> = m.uses().map(|u| u.index()).filter(|&u| !live.contains(u)).collect();
    reads.sort_unstable();
    reads.dedup();
    reads.len() as i32 - m.defs.iter().filter(|d| live.contains(d.index())).count() as i32
}

#[cfg(test)]
mod tests {
    use super::super::liveness::pressure;
    use super::super::mir::Term;
    use super::*;
    use crate::ssa::Loc;

    fn mov(d: u32, b: Operand) -> MInst {
        MInst::mov(VReg(d), b, Loc::default())
    }

    fn access(op: Op, a: u32, imm: u32, defs: &[u32], data: &[u32]) -> MInst {
        let regs = |r: &[u32]| r.iter().map(|&r| VReg(r)).collect::<Vec<_>>();
        MInst { a: Some(VReg(a)), imm, data: regs(data), ..MInst::new(op, regs(defs), Loc::default()) }
    }

    fn program(insts: Vec<MInst>) -> MFunc {
        let name = String::new();
        let (term, term_loc) = (Term::End, Loc::default());
        let block = MBlock { name, insts, copies: vec![], term, term_loc, depth: 0, polling: false };
        MFunc { blocks: vec![block], vregs: 50, frame: 0, stack_pointer: None }
    }

    /// Twenty words from `from` to `to`, all loaded first.
    fn copied(from: (u32, u32), to: (u32, u32)) -> MFunc {
        let table = |n: u32| Operand::Const(abi::CONST_BUFFERS as u32 + 2 * n);
        let mut insts = vec![mov(0, table(0)), mov(1, table(1))];
        insts.extend((0..20).map(|i| access(Op::Ld32, from.0, from.1 + 4 * i, &[10 + i], &[])));
        insts.extend((0..20).map(|i| access(Op::St32, to.0, to.1 + 4 * i, &[], &[10 + i])));
        program(insts)
    }

    fn needs(mut f: MFunc) -> usize {
        run(&mut f, None);
        pressure(&f)
    }

    #[test]
    fn what_is_copied_to_elsewhere_needs_few_registers() {
        assert!(pressure(&copied((0, 0), (1, 0))) >= 20);
        assert!(needs(copied((0, 0), (1, 0))) <= 3, "another buffer");
        assert!(needs(copied((0, 0), (0, 80))) <= 3, "another part of it");
        // The first word is written where the last one is read.
        assert!(needs(copied((0, 0), (0, 76))) <= 4, "one word of both");
        assert!(needs(copied((0, 0), (2, 0))) >= 20, "any place");
    }

    /// Accesses keep their order where they may meet, and behind fences and barriers.
    #[test]
    fn what_may_meet_stays() {
        let pair = |a: MInst, b: MInst| {
            let first = a.op;
            let mut f = program(vec![a, b]);
            run(&mut f, None);
            f.blocks[0].insts[0].op == first
        };
        let store = |at| access(Op::St32, 0, at, &[], &[1]);
        let load = |at| access(Op::Ld32, 0, at, &[2], &[]);
        let meets = |a: &MInst, b: &MInst| Memory { buffers: HashMap::new(), fault: None }.meet(a, b);
        assert!(meets(&store(0), &load(0)) && meets(&load(0), &store(2)) && !meets(&store(0), &load(4)));
        // The low bits of addresses are ignored: eight bytes from four on may begin at zero.
        assert!(meets(&access(Op::St64, 0, 4, &[], &[1, 3]), &load(0)));
        assert!(!meets(&store(0), &MInst { read_only: true, ..load(0) }));
        assert!(meets(&store(0), &MInst { fenced: true, ..load(64) }));
        assert!(meets(&access(Op::AAdd, 0, 64, &[4], &[1]), &load(0)));
        assert!(pair(store(0), load(0)));
        assert!(pair(MInst::new(Op::Bar, vec![], Loc::default()), load(0)));
    }

    /// Nothing crosses what orders memory or lanes, though it would need fewer registers there.
    #[test]
    fn nothing_crosses_a_barrier() {
        for op in [Op::Bar, Op::Demote, Op::Merge, Op::Split, Op::Wts, Op::Acs, Op::Rls] {
            let mut f = program(vec![MInst::new(op, vec![], Loc::default()), access(Op::St32, 0, 0, &[], &[1])]);
            run(&mut f, None);
            assert_eq!(f.blocks[0].insts[0].op, op);
        }
    }

    /// A lock may guard memory of the other kind.
    #[test]
    fn memories_are_apart_but_for_locks() {
        let meets = |a: Op, b: Op| {
            let memory = Memory { buffers: HashMap::new(), fault: None };
            memory.meet(&access(a, 0, 0, &[4], &[1]), &access(b, 2, 0, &[5], &[3]))
        };
        assert!(!meets(Op::St32, Op::Lds32) && !meets(Op::Sts32, Op::Ld32) && !meets(Op::AAdd, Op::Sts32));
        assert!(meets(Op::WALock, Op::Lds32) && meets(Op::Sts32, Op::WALock) && meets(Op::WALockS, Op::St32));
    }

    /// A register that two entries of the table are put into is in neither's buffer.
    #[test]
    fn a_register_with_two_definitions_has_no_buffer() {
        let table = |n: u32| Operand::Const(abi::CONST_BUFFERS as u32 + 2 * n);
        assert_eq!(buffers(&program(vec![mov(0, table(0)), mov(1, table(1))])).len(), 2);
        assert!(buffers(&program(vec![mov(0, table(0)), mov(0, table(1))])).is_empty());
        // The second word of an entry is its size.
        assert!(buffers(&program(vec![mov(0, Operand::Const(abi::CONST_BUFFERS as u32 + 1))])).is_empty());
    }
}
