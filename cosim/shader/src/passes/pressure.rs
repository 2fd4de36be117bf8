//! How many values are live at once, block by block: an estimate of the registers that the back end
//! will need.
//!
//! By the usual equations, over blocks with parameters. All results of an instruction count where
//! it stands, whether they are read or not, since a load group is written whole. Constants,
//! constant-bank words and addresses of slots count nothing: the machine reads most of them as
//! operands. So it is too low where a constant needs a register, and copies of parameters are not
//! in it; who uses it leaves room for both.

use crate::ssa::dominance::Cfg;
use crate::ssa::{Block, Func, Kind, Value};

/// Live values of a function, by block number.
pub(crate) struct Pressure {
    /// At the end of the block, in front of its terminator.
    pub end: Vec<usize>,
    /// The most at any place of the block.
    pub most: Vec<usize>,
    /// By value: it takes no register.
    free: Vec<bool>,
}

/// A set of values.
type Set = Vec<u64>;

fn insert(set: &mut Set, v: Value) -> bool {
    let (word, bit) = (&mut set[v.index() / 64], 1 << (v.index() % 64));
    let new = *word & bit == 0;
    *word |= bit;
    new
}

fn remove(set: &mut Set, v: Value) -> bool {
    let (word, bit) = (&mut set[v.index() / 64], 1 << (v.index() % 64));
    let was = *word & bit != 0;
    *word &= !bit;
    was
}

impl Pressure {
    /// Of a function with that graph.
    pub fn new(func: &Func, cfg: &Cfg) -> Pressure {
        let mut free = vec![false; func.values as usize];
        for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
            let operand = matches!(inst.kind, Kind::Const(_) | Kind::ConstWord(_) | Kind::SlotAddr(_));
            inst.results.iter().for_each(|r| free[r.index()] = operand);
        }
        let n = func.blocks.len();
        let mut p = Pressure { end: vec![0; n], most: vec![0; n], free };
        let words = (func.values as usize).div_ceil(64);
        let mut live_in: Vec<Set> = vec![vec![0; words]; n];
        let mut again = true;
        while again {
            again = false;
            for &b in cfg.order.iter().rev() {
                let live = p.block(func, cfg, b, &live_in);
                again |= live != live_in[b.index()];
                live_in[b.index()] = live;
            }
        }
        p
    }

    /// Whether the value takes no register.
    pub fn is_free(&self, v: Value) -> bool {
        self.free[v.index()]
    }

    /// What is live at the start of a block without its parameters. Counts on the way.
    fn block(&mut self, func: &Func, cfg: &Cfg, b: Block, live_in: &[Set]) -> Set {
        let mut live: Set = vec![0; live_in[b.index()].len()];
        for s in &cfg.succs[b.index()] {
            live.iter_mut().zip(&live_in[s.index()]).for_each(|(w, s)| *w |= s);
        }
        let mut count: usize = live.iter().map(|w| w.count_ones() as usize).sum();
        let mut most = count;
        let data = &func.blocks[b.index()];
        for inst in data.insts.iter().rev() {
            let ended = inst.results.iter().filter(|r| remove(&mut live, **r)).count();
            most = most.max(count - ended + if self.counts(&inst.results) { inst.results.len() } else { 0 });
            count -= ended;
            for v in inst.kind.uses() {
                count += usize::from(!self.is_free(v) && insert(&mut live, v));
            }
            most = most.max(count);
            if inst.kind.is_terminator() {
                self.end[b.index()] = count;
            }
        }
        let ended = data.params.iter().filter(|p| remove(&mut live, **p)).count();
        self.most[b.index()] = most.max(count - ended + data.params.len());
        live
    }

    fn counts(&self, results: &[Value]) -> bool {
        results.first().is_some_and(|r| !self.is_free(*r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::{Loc, Space, Target, Width};
    use quadlock_isa::Op;

    #[test]
    fn a_load_group_counts_whole_and_constants_count_nothing() {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b: Vec<Block> = (0..2).map(|_| f.new_block()).collect();
        let a = f.push(b[0], Kind::Alu(Op::IAdd, vec![]), 1, loc)[0];
        let c = f.push(b[0], Kind::Const(5), 1, loc)[0];
        f.push(b[0], Kind::Jump(Target { block: b[1], args: vec![] }), 0, loc);
        let load = Kind::Load { space: Space::Global, width: Width::W128, addr: a, offset: 0 };
        let x = f.push(b[1], load, 4, loc);
        let sum = f.push(b[1], Kind::Alu(Op::IMad, vec![x[0], c, a]), 1, loc);
        f.push(b[1], Kind::Return(sum), 0, loc);
        let p = Pressure::new(&f, &Cfg::new(&f));
        assert_eq!(p.end, [1, 1]);
        assert_eq!(p.most, [1, 5], "the group beside its address, which is read again");
    }
}
