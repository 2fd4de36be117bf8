//! List scheduling inside a block: loads early, their uses late.
//!
//! A warp issues in order and stops at the first instruction whose operand is not there yet, so
//! distance between a load and its use is what hides latency. Among the instructions whose operands
//! have been issued, the one that can start first is taken, ties by the longest path to the block's
//! end, then by source order. When the registers in use come near the limit, the one that frees
//! most registers is taken instead. Operations on one memory (global or shared) keep their order
//! unless both are loads, or one is a warp-wide atomic and the other a load of what nobody writes;
//! nothing crosses a barrier, a merge or split point or a semaphore instruction. Wrong if a
//! dependence is missed: `tests` check the order of memory operations, random programs the rest.

use super::bits::BitSet;
use super::liveness::live_out;
use super::mir::{MBlock, MFunc, MInst};
use crate::ops::predicate::latency;
use quadlock_isa::{AtomicOp, Class, Op};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Registers kept free of the scheduler's plans, for the copies and rows it does not see.
const MARGIN: usize = 6;

/// Schedules all blocks for `registers` registers.
pub fn run(f: &mut MFunc, registers: usize) {
    let out = live_out(f);
    for (block, live) in f.blocks.iter_mut().zip(out) {
        let order = Scheduler::new(block, live, registers.saturating_sub(MARGIN)).order();
        let mut old: Vec<Option<MInst>> = block.insts.drain(..).map(Some).collect();
        block.insts = order.into_iter().filter_map(|i| old[i].take()).collect();
    }
}

struct Scheduler<'a> {
    block: &'a MBlock,
    /// For each instruction: those that must come later, with the distance.
    after: Vec<Vec<(usize, u32)>>,
    waits: Vec<usize>,
    height: Vec<u32>,
    /// Uses of each register in the block that are still to come; one more if it is live at the
    /// end.
    remaining: HashMap<usize, u32>,
    live: BitSet,
    limit: usize,
}

impl<'a> Scheduler<'a> {
    fn new(block: &'a MBlock, live_out: BitSet, limit: usize) -> Scheduler<'a> {
        let n = block.insts.len();
        let mut live = live_out;
        let mut remaining: HashMap<usize, u32> = live.iter().map(|r| (r, 1)).collect();
        let copy_reads = block.copies.iter().filter_map(|(_, s)| s.reg());
        for r in copy_reads.chain(block.term.cond()) {
            *remaining.entry(r.index()).or_default() += 1;
        }
        for r in block.insts.iter().flat_map(|m| m.uses()) {
            *remaining.entry(r.index()).or_default() += 1;
        }
        super::liveness::walk_back(block, &mut live, &mut |_, _| {});
        let mut s = Scheduler {
            block,
            after: vec![Vec::new(); n],
            waits: vec![0; n],
            height: vec![0; n],
            remaining,
            live,
            limit,
        };
        s.find_dependences();
        for i in (0..n).rev() {
            s.height[i] = s.after[i].iter().map(|&(j, d)| s.height[j] + d).max().unwrap_or(0) + 1;
        }
        s
    }

    fn find_dependences(&mut self) {
        let mut def: HashMap<usize, usize> = HashMap::new();
        // By memory: global, shared.
        let (mut last_write, mut loads): ([Option<usize>; 2], [Vec<usize>; 2]) = Default::default();
        // Of global memory: the last write that is no warp-wide atomic, and the read-only loads
        // behind it, which wait for such writes only and which only such writes wait for. (An
        // ordinary write could go past them as well; but no warp waits for a store.)
        let (mut last_other, mut fixed): (Option<usize>, Vec<usize>) = Default::default();
        let mut fence: Option<usize> = None;
        // The last memory operation behind a fence.
        let mut fenced: Option<usize> = None;
        for (i, m) in self.block.insts.iter().enumerate() {
            for u in m.uses() {
                if let Some(&d) = def.get(&u.index()) {
                    self.edge(d, i, latency(self.block.insts[d].op.class()));
                }
            }
            if let Some(b) = fence {
                self.edge(b, i, 1);
            }
            let memory = usize::from(m.op.is_shared());
            if m.op.is_memory() && !m.read_only {
                fenced.iter().for_each(|&j| self.edge(j, i, 1));
                if m.fenced {
                    let all = loads.iter().flatten().copied().chain(last_write.into_iter().flatten());
                    all.collect::<Vec<_>>().into_iter().for_each(|j| self.edge(j, i, 1));
                    fenced = Some(i);
                }
            }
            if matches!(m.op, Op::Bar | Op::Demote | Op::Merge | Op::Split) || m.op.class() == Class::Message {
                // What is before the fence before this one waits for that.
                (fence.unwrap_or(0)..i).for_each(|j| self.edge(j, i, 1));
                fence = Some(i);
            } else if m.read_only {
                last_other.iter().for_each(|&w| self.edge(w, i, 1));
                fixed.push(i);
            } else if m.op.is_load() {
                last_write[memory].iter().for_each(|&w| self.edge(w, i, 1));
                loads[memory].push(i);
            } else if m.op.is_memory() {
                let earlier: Vec<usize> = loads[memory].drain(..).chain(last_write[memory]).collect();
                earlier.into_iter().for_each(|j| self.edge(j, i, 1));
                last_write[memory] = Some(i);
                // A lock may guard memory of the other kind: its accesses stay before or behind it.
                if m.op.atomic() == Some(AtomicOp::Lock) {
                    let other = 1 - memory;
                    let earlier: Vec<usize> = loads[other].drain(..).chain(last_write[other]).collect();
                    earlier.into_iter().for_each(|j| self.edge(j, i, 1));
                    last_write[other] = Some(i);
                }
                if memory == 0 && !m.op.is_warp_wide() {
                    fixed.drain(..).for_each(|j| self.edge(j, i, 1));
                    last_other = Some(i);
                }
            }
            m.defs.iter().for_each(|d| {
                def.insert(d.index(), i);
            });
        }
    }

    fn edge(&mut self, from: usize, to: usize, distance: u32) {
        self.after[from].push((to, distance));
        self.waits[to] += 1;
    }

    /// Registers in use more (positive) or fewer after the instruction.
    fn pressure(&self, i: usize) -> i32 {
        let m = &self.block.insts[i];
        let mut reads: Vec<usize> = m.uses().map(|u| u.index()).collect();
        reads.sort_unstable();
        let ended = reads.chunk_by(|a, b| a == b).filter(|c| self.remaining.get(&c[0]) == Some(&(c.len() as u32)));
        m.defs.len() as i32 - ended.count() as i32
    }

    fn order(mut self) -> Vec<usize> {
        let n = self.block.insts.len();
        let mut start = vec![0u32; n];
        let mut readers: HashMap<usize, Vec<usize>> = HashMap::new();
        for (i, m) in self.block.insts.iter().enumerate() {
            m.uses().for_each(|u| readers.entry(u.index()).or_default().push(i));
        }
        let mut issued = vec![false; n];
        let mut ready = Ready::default();
        for i in (0..n).filter(|&i| self.waits[i] == 0) {
            ready.insert(Entry { relief: self.pressure(i), start: 0, height: Reverse(self.height[i]), at: i });
        }
        let mut out = Vec::with_capacity(n);
        let mut cycle = 0;
        while let Some(i) = ready.take(cycle, self.live.len() >= self.limit) {
            cycle = start[i].max(cycle) + 1;
            self.issue(i);
            issued[i] = true;
            out.push(i);
            // Who is left alone with a register frees it now.
            for u in self.block.insts[i].uses() {
                let left = self.remaining.get(&u.index()).copied().unwrap_or(0);
                if (1..=MOST_READS).contains(&left) {
                    let others = readers[&u.index()].iter().copied().filter(|&j| !issued[j]);
                    others.for_each(|j| ready.relieve(j, self.pressure(j)));
                }
            }
            for (j, distance) in std::mem::take(&mut self.after[i]) {
                start[j] = start[j].max(cycle - 1 + distance);
                self.waits[j] -= 1;
                if self.waits[j] == 0 {
                    let relief = self.pressure(j);
                    ready.insert(Entry { relief, start: start[j], height: Reverse(self.height[j]), at: j });
                }
            }
        }
        out
    }

    fn issue(&mut self, i: usize) {
        let m = &self.block.insts[i];
        for u in m.uses() {
            if let Some(n) = self.remaining.get_mut(&u.index()) {
                *n -= 1;
                if *n == 0 {
                    self.live.remove(u.index());
                }
            }
        }
        for d in &m.defs {
            if self.remaining.get(&d.index()).is_some_and(|&n| n > 0) {
                self.live.insert(d.index());
            }
        }
    }
}

/// More often than any instruction reads one register.
const MOST_READS: u32 = 16;

/// An instruction whose operands have been issued: what it does to the registers in use, when it
/// can start, the path behind it, its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    relief: i32,
    start: u32,
    height: Reverse<u32>,
    at: usize,
}

/// The instructions that may come next, in the orders in which they are asked for: a search through
/// all of them would be quadratic in long blocks.
#[derive(Default)]
struct Ready {
    entries: BTreeMap<usize, Entry>,
    /// Those that can start now, the best first: whatever they relieve, and by relief.
    now: BTreeSet<(Reverse<u32>, usize)>,
    now_by_relief: BTreeSet<(i32, Reverse<u32>, usize)>,
    /// Those that cannot yet, as of the last time that one was taken.
    later: BTreeSet<(u32, Reverse<u32>, usize)>,
    later_by_relief: BTreeSet<Entry>,
}

impl Ready {
    fn insert(&mut self, e: Entry) {
        self.entries.insert(e.at, e);
        self.later.insert((e.start, e.height, e.at));
        self.later_by_relief.insert(e);
    }

    fn remove(&mut self, at: usize) -> Option<Entry> {
        let e = self.entries.remove(&at)?;
        self.now.remove(&(e.height, at));
        self.now_by_relief.remove(&(e.relief, e.height, at));
        self.later.remove(&(e.start, e.height, at));
        self.later_by_relief.remove(&e);
        Some(e)
    }

    /// An instruction, if it is here, relieves by another number now.
    fn relieve(&mut self, at: usize, relief: i32) {
        if self.entries.get(&at).is_some_and(|e| e.relief != relief) {
            if let Some(e) = self.remove(at) {
                self.insert(Entry { relief, ..e });
            }
        }
    }

    /// Takes the one that can start first, or with `tight` first the one that relieves most.
    fn take(&mut self, cycle: u32, tight: bool) -> Option<usize> {
        while let Some(&(start, height, at)) = self.later.first().filter(|l| l.0 <= cycle) {
            self.later.pop_first();
            let Some(e) = self.entries.get(&at) else { continue };
            self.later_by_relief.remove(&Entry { start, ..*e });
            self.now.insert((height, at));
            self.now_by_relief.insert((e.relief, height, at));
        }
        let at = if tight {
            let now = self.now_by_relief.first().map(|n| (n.0, cycle, n.1, n.2));
            let later = self.later_by_relief.first().map(|e| (e.relief, e.start, e.height, e.at));
            now.into_iter().chain(later).min()?.3
        } else {
            self.now.first().map(|n| n.1).or_else(|| self.later.first().map(|l| l.2))?
        };
        self.remove(at).map(|e| e.at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mir::{Operand, Term, VReg};
    use super::*;
    use crate::ssa::Loc;

    fn op(op: Op, defs: &[u32], a: Option<u32>, data: &[u32]) -> MInst {
        let regs = |r: &[u32]| r.iter().map(|&r| VReg(r)).collect::<Vec<_>>();
        MInst { a: a.map(VReg), data: regs(data), ..MInst::new(op, regs(defs), Loc::default()) }
    }

    fn scheduled(insts: Vec<MInst>) -> Vec<Op> {
        let block = MBlock {
            name: "b".into(),
            insts,
            copies: vec![],
            term: Term::End,
            term_loc: Loc::default(),
            depth: 0,
            polling: false,
        };
        let mut f = MFunc { blocks: vec![block], vregs: 10, frame: 0, stack_pointer: None };
        run(&mut f, 32);
        f.blocks[0].insts.iter().map(|m| m.op).collect()
    }

    #[test]
    fn loads_come_early_and_memory_order_holds() {
        let insts = vec![
            MInst::mov(VReg(0), Operand::Imm(64), Loc::default()),
            op(Op::Ld32, &[1], Some(0), &[]),
            op(Op::Popc, &[2], Some(1), &[]),
            op(Op::St32, &[], Some(0), &[2]),
            op(Op::LdU8, &[3], Some(0), &[]),
            op(Op::Clz, &[4], Some(0), &[]),
            op(Op::Bar, &[], None, &[]),
            op(Op::LdU16, &[5], Some(0), &[]),
            op(Op::St8, &[], Some(4), &[3, 5]),
        ];
        use Op::*;
        assert_eq!(scheduled(insts), [Mov, Ld32, Clz, Popc, St32, LdU8, Bar, LdU16, St8]);
    }

    #[test]
    fn a_global_load_passes_a_shared_store() {
        let insts = vec![
            MInst::mov(VReg(0), Operand::Imm(64), Loc::default()),
            op(Op::Ld32, &[1], Some(0), &[]),
            op(Op::Sts32, &[], Some(0), &[1]),
            op(Op::LdU8, &[2], Some(0), &[]),
            op(Op::Sts8, &[], Some(0), &[2]),
        ];
        assert_eq!(scheduled(insts), [Op::Mov, Op::Ld32, Op::LdU8, Op::Sts32, Op::Sts8]);
    }

    /// Loads from two buffers change places, the one with the longer chain first; not if the second
    /// stands behind a fence. The same of a store to the other memory.
    #[test]
    fn nothing_passes_a_fence() {
        let with = |fenced| {
            let load = |d: &[u32], op_: Op| op(op_, d, Some(0), &[]);
            let insts = vec![
                MInst::mov(VReg(0), Operand::Imm(64), Loc::default()),
                load(&[1], Op::Ld32),
                MInst { fenced, ..load(&[2], Op::LdU8) },
                op(Op::Popc, &[3], Some(2), &[]),
                op(Op::Clz, &[4], Some(3), &[]),
                op(Op::Sts64, &[], Some(0), &[1, 4]),
                MInst { fenced, ..op(Op::AAdd, &[5], Some(0), &[0]) },
            ];
            scheduled(insts)
        };
        use Op::*;
        let free = with(false);
        let place = |all: &[Op], op: Op| all.iter().position(|o| *o == op);
        assert!(place(&free, LdU8) < place(&free, Ld32) && place(&free, AAdd) < place(&free, Sts64), "{free:?}");
        let kept = with(true);
        assert!(place(&kept, Ld32) < place(&kept, LdU8) && place(&kept, Sts64) < place(&kept, AAdd), "{kept:?}");
    }

    /// A warp-wide addition written last goes to the front, and what reads its result to the end
    /// (WW-43).
    #[test]
    fn a_warp_wide_atomic_moves_past_independent_instructions() {
        let insts = vec![
            MInst::mov(VReg(0), Operand::Imm(64), Loc::default()),
            op(Op::Clz, &[1], Some(0), &[]),
            op(Op::Popc, &[2], Some(1), &[]),
            op(Op::WAAdd, &[3], Some(0), &[0]),
            op(Op::Brev, &[4], Some(3), &[]),
            op(Op::Ctz, &[5], Some(2), &[]),
            op(Op::St128, &[], Some(0), &[1, 2, 4, 5]),
        ];
        use Op::*;
        assert_eq!(scheduled(insts), [Mov, WAAdd, Clz, Popc, Ctz, Brev, St128]);
    }

    /// A load of a read-only buffer goes before a warp-wide atomic, or behind it, whichever has
    /// more to wait for it; one of a buffer that may be written does not, nor does a read-only load
    /// pass another write, a barrier or a message (WW-43).
    #[test]
    fn a_warp_wide_atomic_and_a_read_only_load_pass_each_other() {
        let mov = || MInst::mov(VReg(0), Operand::Imm(64), Loc::default());
        let load = |read_only| MInst { read_only, ..op(Op::Ld32, &[1], Some(0), &[]) };
        let chain = |from| [op(Op::Popc, &[3], Some(from), &[]), op(Op::Clz, &[4], Some(3), &[])];
        let end = || op(Op::Sts128, &[], Some(0), &[1, 2, 3, 4]);
        use Op::*;
        // What is second and has the longer chain behind it comes first, if it may.
        let after = |write: Op, read_only| {
            let defs: &[u32] = if write.is_atomic() { &[2] } else { &[] };
            let [x, y] = chain(1);
            scheduled(vec![mov(), op(write, defs, Some(0), &[0]), load(read_only), x, y, end()])
        };
        assert_eq!(after(WAAdd, true)[..3], [Mov, Ld32, WAAdd]);
        for (write, read_only) in [(WAAdd, false), (AAdd, true), (St32, true), (Bar, true), (Rls, true)] {
            assert_eq!(after(write, read_only)[..3], [Mov, write, Ld32]);
        }
        let before = |write: Op, read_only| {
            let [x, y] = chain(2);
            scheduled(vec![mov(), load(read_only), op(write, &[2], Some(0), &[0]), x, y, end()])
        };
        assert_eq!(before(WAAdd, true)[..3], [Mov, WAAdd, Ld32]);
        assert_eq!(before(WAAdd, false)[..3], [Mov, Ld32, WAAdd]);
        assert_eq!(before(AAdd, true)[..3], [Mov, Ld32, AAdd]);
        // A store on the other side of the atomic keeps its place to both.
        let [x, y] = chain(1);
        let insts = vec![mov(), op(St32, &[], Some(0), &[0]), op(WAAdd, &[2], Some(0), &[0]), load(true), x, y, end()];
        assert_eq!(scheduled(insts)[..4], [Mov, St32, Ld32, WAAdd]);
        let insts = vec![mov(), load(true), op(WAAdd, &[2], Some(0), &[0]), op(St32, &[], Some(0), &[2]), end()];
        let ops = scheduled(insts);
        let place = |op: Op| ops.iter().position(|o| *o == op);
        assert!(place(Ld32) < place(St32) && place(WAAdd) < place(St32), "{ops:?}");
    }

    /// What makes its operand, another access to global memory, a barrier and a message stay before
    /// it.
    #[test]
    fn a_warp_wide_atomic_stays_behind_dependences_and_barriers() {
        let with = |before: MInst| {
            let insts = vec![
                MInst::mov(VReg(0), Operand::Imm(64), Loc::default()),
                op(Op::Clz, &[1], Some(0), &[]),
                before,
                op(Op::WAAdd, &[3], Some(0), &[1]),
                op(Op::Popc, &[4], Some(0), &[]),
                op(Op::Sts64, &[], Some(0), &[3, 4]),
            ];
            scheduled(insts)
        };
        let place = |ops: &[Op], op: Op| ops.iter().position(|o| *o == op);
        let others = [
            op(Op::Ld32, &[2], Some(0), &[]),
            op(Op::St32, &[], Some(0), &[0]),
            op(Op::AAdd, &[2], Some(0), &[0]),
            op(Op::WAUMax, &[2], Some(0), &[0]),
            op(Op::Bar, &[], None, &[]),
            op(Op::Rls, &[], None, &[]),
            op(Op::Wts, &[], None, &[]),
        ];
        for other in others {
            let ops = with(other.clone());
            let at = place(&ops, Op::WAAdd);
            assert!(place(&ops, other.op) < at && place(&ops, Op::Clz) < at, "{ops:?}");
        }
        // And from the other side: nothing of these moves to the front of it.
        let insts = vec![
            MInst::mov(VReg(0), Operand::Imm(64), Loc::default()),
            op(Op::WAAdd, &[3], Some(0), &[0]),
            op(Op::Ld32, &[1], Some(0), &[]),
            op(Op::Bar, &[], None, &[]),
            op(Op::Sts64, &[], Some(0), &[3, 1]),
        ];
        assert_eq!(scheduled(insts), [Op::Mov, Op::WAAdd, Op::Ld32, Op::Bar, Op::Sts64]);
    }
}
