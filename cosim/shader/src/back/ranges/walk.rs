//! Which values are in registers where: the plan.
//!
//! Blocks in their order. At the start of a block those values are in registers that are so at the
//! end of all its predecessors, then those of some, nearest next use first. At the start of a loop
//! it is what is used inside, and of what only lives through as much as the loop leaves room for.
//! Inside a block every instruction gets its operands, and where room is needed the value whose
//! next use is farthest goes. Values that need no store, because they are made again or are stored
//! already, count as farther. The plan also says which values are in memory: what has been stored
//! on one path is stored on the edges of the others ([`super::edges`]).

use super::super::bits::BitSet;
use super::super::cfg::Cfg;
use super::super::liveness::{live_out, walk_back, Place};
use super::super::mir::{MFunc, VReg};
use super::super::spill::Cheap;
use super::next_use::{loops, NextUse, NEVER};

/// What stands in a block of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// An instruction of before.
    Old(usize),
    Reload(VReg),
    Store(VReg),
}

/// What is in registers and in memory at the ends of a block.
#[derive(Clone)]
pub struct State {
    pub registers: BitSet,
    /// Values that are in memory as well, or only.
    pub memory: BitSet,
}

pub struct Plan {
    pub items: Vec<Vec<Item>>,
    pub start: Vec<State>,
    pub end: Vec<State>,
    pub live_in: Vec<BitSet>,
    /// The frame's address: always in its register.
    pub pinned: Option<VReg>,
    /// Values that are not in memory: one instruction makes them.
    pub cheap: BitSet,
}

impl Plan {
    /// Values that are somewhere in memory only.
    pub fn stored(&self) -> Vec<VReg> {
        let n = self.live_in.first().map_or(0, |l| l.capacity());
        let mut all = BitSet::new(n);
        for item in self.items.iter().flatten() {
            if let Item::Reload(v) | Item::Store(v) = item {
                all.insert(v.index());
            }
        }
        for (live, start) in self.live_in.iter().zip(&self.start) {
            live.iter().filter(|&v| !start.registers.contains(v)).for_each(|v| all.insert(v));
        }
        let pinned = self.pinned.map(VReg::index);
        all.iter().filter(|&v| !self.cheap.contains(v) && Some(v) != pinned).map(|v| VReg(v as u32)).collect()
    }
}

struct Walk<'a> {
    f: &'a MFunc,
    next: NextUse,
    pinned: Option<VReg>,
    room: usize,
    /// By block: values that do not begin a loop in a register, because they lose it inside.
    barred: Vec<BitSet>,
    plan: Plan,
}

/// How often the plan is made anew for the loops' sake.
const TRIES: usize = 6;

/// The plan for at most `room` values in registers, `pinned` not counted. None if one instruction
/// needs more.
pub fn run(f: &MFunc, cfg: &Cfg, cheap: &Cheap, pinned: Option<VReg>, room: usize) -> Option<Plan> {
    let n = f.vregs as usize;
    let loops = loops(f, cfg);
    let mut live_in = live_out(f);
    let mut pressure = vec![0; f.blocks.len()];
    for (b, block) in f.blocks.iter().enumerate() {
        let mut live = std::mem::replace(&mut live_in[b], BitSet::new(0));
        let most = &mut pressure[b];
        walk_back(block, &mut live, &mut |place, live| {
            let dead = |d: &&VReg| !live.contains(d.index());
            let unused = match place {
                Place::Copies => 0,
                Place::Inst(i) => block.insts[i].defs.iter().filter(dead).count(),
            };
            *most = (*most).max(live.len() + unused);
        });
        *most = (*most).max(live.len());
        live_in[b] = live;
    }
    let mut is_cheap = BitSet::new(n);
    cheap.keys().for_each(|v| is_cheap.insert(v.index()));
    let plan = Plan { items: vec![], start: vec![], end: vec![], live_in, pinned, cheap: is_cheap };
    let barred = vec![BitSet::new(n); f.blocks.len()];
    let mut w = Walk { f, next: NextUse::new(f, &loops), pinned, room, barred, plan };
    for _ in 0..TRIES {
        w.plan = Plan { items: vec![], start: vec![], end: vec![], ..w.plan };
        for b in 0..f.blocks.len() {
            let of_loop = loops.iter().find(|l| l.0 == b).map(|l| &l.1);
            let start = w.start(b, &cfg.preds[b], of_loop, &pressure);
            w.plan.start.push(start.clone());
            w.block(b, start)?;
        }
        if !w.bar(cfg, &loops) {
            break;
        }
    }
    Some(w.plan)
}

impl Walk<'_> {
    /// Values that a loop begins with in registers and ends without would be loaded each time round
    /// on the way back: they shall begin without, too. Whether there are more such values now.
    fn bar(&mut self, cfg: &Cfg, loops: &[(usize, BitSet)]) -> bool {
        let mut more = false;
        for (head, inside) in loops {
            for &p in cfg.preds[*head].iter().filter(|&&p| inside.contains(p)) {
                let start = &self.plan.start[*head].registers;
                let given = |v: usize| self.f.blocks[p].copies.iter().any(|c| c.0.index() == v);
                for v in start.iter().filter(|&v| !self.plan.end[p].registers.contains(v) && !given(v)) {
                    more |= !self.barred[*head].contains(v);
                    self.barred[*head].insert(v);
                }
            }
        }
        more
    }

    fn is_pinned(&self, v: usize) -> bool {
        self.pinned.is_some_and(|p| p.index() == v)
    }

    /// What is in registers and in memory where block `b` begins.
    fn start(&self, b: usize, preds: &[usize], of_loop: Option<&BitSet>, pressure: &[usize]) -> State {
        let n = self.f.vregs as usize;
        let mut state = State { registers: BitSet::new(n), memory: BitSet::new(n) };
        let live: Vec<usize> = self.plan.live_in[b].iter().filter(|&v| !self.is_pinned(v)).collect();
        let known: Vec<usize> = preds.iter().copied().filter(|&p| p < self.plan.end.len()).collect();
        // In a register at the end of a predecessor, or given there.
        let has = |p: usize, v: usize| {
            self.plan.end[p].registers.contains(v) || self.f.blocks[p].copies.iter().any(|c| c.0.index() == v)
        };
        let count = |v: usize| known.iter().filter(|&&p| has(p, v)).count();
        let far = |v: usize| self.next.from(b, 0, v);
        let mut wanted: Vec<usize>;
        if let Some(inside) = of_loop {
            let used = self.used(inside);
            let free = live.iter().filter(|&&v| !self.barred[b].contains(v));
            let (mut near, mut through): (Vec<usize>, Vec<usize>) = free.partition(|&&v| used.contains(v));
            near.sort_by_key(|&v| (far(v), v));
            through.sort_by_key(|&v| (usize::MAX - count(v), far(v), v));
            let most = inside.iter().map(|x| pressure[x]).max().unwrap_or(0);
            let busy = most.saturating_sub(through.len());
            through.truncate(self.room.saturating_sub(busy.max(near.len())));
            through.retain(|&v| count(v) > 0);
            wanted = near;
            wanted.truncate(self.room);
            wanted.extend(through);
        } else if known.len() < preds.len() {
            wanted = live.clone();
            wanted.sort_by_key(|&v| (far(v), v));
        } else {
            wanted = live.iter().copied().filter(|&v| count(v) > 0).collect();
            wanted.sort_by_key(|&v| (count(v) < known.len(), far(v), v));
        }
        wanted.truncate(self.room);
        wanted.into_iter().for_each(|v| state.registers.insert(v));
        for v in live {
            let given = known.iter().any(|&p| self.f.blocks[p].copies.iter().any(|c| c.0.index() == v));
            let stored = !given && known.iter().any(|&p| self.plan.end[p].memory.contains(v));
            if stored || !state.registers.contains(v) {
                state.memory.insert(v);
            }
        }
        state
    }

    /// What blocks use.
    fn used(&self, blocks: &BitSet) -> BitSet {
        let mut used = BitSet::new(self.f.vregs as usize);
        for b in blocks.iter().map(|b| &self.f.blocks[b]) {
            let sources = b.copies.iter().filter_map(|c| c.1.reg());
            let all = b.insts.iter().flat_map(|m| m.uses()).chain(sources).chain(b.term.cond());
            all.for_each(|v| used.insert(v.index()));
        }
        used
    }

    fn block(&mut self, b: usize, mut state: State) -> Option<()> {
        let (f, mut items) = (self.f, vec![]);
        let end = f.blocks[b].insts.len();
        for (i, m) in f.blocks[b].insts.iter().enumerate() {
            let uses: Vec<VReg> = m.uses().collect();
            self.bring(b, i, &uses, &mut state, &mut items)?;
            self.forget_dead(b, i + 1, &mut state);
            self.make_room(b, i + 1, m.defs.len(), &[], &mut state, &mut items)?;
            items.push(Item::Old(i));
            for d in m.defs.iter().filter(|d| !self.is_pinned(d.index())) {
                state.memory.remove(d.index());
                if self.next.from(b, i + 1, d.index()) != NEVER {
                    state.registers.insert(d.index());
                }
            }
        }
        let cond: Vec<VReg> = f.blocks[b].term.cond().into_iter().collect();
        self.bring(b, end, &cond, &mut state, &mut items)?;
        self.plan.items.push(items);
        self.plan.end.push(state);
        Some(())
    }

    /// Puts values into registers for instruction `at`.
    fn bring(&self, b: usize, at: usize, uses: &[VReg], state: &mut State, items: &mut Vec<Item>) -> Option<()> {
        let mut missing: Vec<VReg> = uses.to_vec();
        missing.retain(|v| !state.registers.contains(v.index()) && !self.is_pinned(v.index()));
        missing.sort_unstable();
        missing.dedup();
        self.make_room(b, at, missing.len(), uses, state, items)?;
        for v in missing {
            items.push(Item::Reload(v));
            state.registers.insert(v.index());
        }
        Some(())
    }

    fn forget_dead(&self, b: usize, at: usize, state: &mut State) {
        let dead: Vec<usize> = state.registers.iter().filter(|&v| self.next.from(b, at, v) == NEVER).collect();
        dead.into_iter().for_each(|v| state.registers.remove(v));
    }

    /// Takes values out of registers, but not those of `keep`, until `more` have room.
    fn make_room(
        &self,
        b: usize,
        at: usize,
        more: usize,
        keep: &[VReg],
        state: &mut State,
        items: &mut Vec<Item>,
    ) -> Option<()> {
        while state.registers.len() + more > self.room {
            let rank = |v: usize| {
                let far = u64::from(self.next.from(b, at, v));
                let ease = match (self.plan.cheap.contains(v), state.memory.contains(v)) {
                    (true, _) => 16,
                    (false, true) => 3,
                    (false, false) => 2,
                };
                (far * ease, v)
            };
            let candidates = state.registers.iter().filter(|&v| !keep.contains(&VReg(v as u32)));
            let v = candidates.max_by_key(|&v| rank(v))?;
            state.registers.remove(v);
            let needed = self.next.from(b, at, v) != NEVER;
            if needed && !self.plan.cheap.contains(v) && !state.memory.contains(v) {
                items.push(Item::Store(VReg(v as u32)));
                state.memory.insert(v);
            }
        }
        Some(())
    }
}
