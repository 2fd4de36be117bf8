//! Control-flow facts of a function: predecessors, reverse post-order, dominator tree, dominance
//! frontier, natural loops.
//!
//! Computed afresh by whoever needs them and never stored in the function, so they can be stale
//! only if a pass changes the graph and goes on using an old copy. The dominator tree is that of
//! Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001): quadratic at worst,
//! fast on the structured graphs of shaders. Wrong dominators would let a pass move a use above its
//! definition; `verify` recomputes them and the tests compare with the definition ("every path goes
//! through").

use super::{Block, Func};

/// The graph of a function. Vectors are indexed by block number and have an entry for every block,
/// deleted ones too.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Predecessors that are reachable, in layout order; a block that branches here twice is listed
    /// twice.
    pub preds: Vec<Vec<Block>>,
    /// Successors, in the order of the terminator.
    pub succs: Vec<Vec<Block>>,
    /// Reachable blocks in reverse post-order: the entry first, a block before everything it
    /// dominates.
    pub order: Vec<Block>,
    /// Position in `order`; `None` if unreachable.
    pub position: Vec<Option<u32>>,
}

impl Cfg {
    /// The graph of a function.
    pub fn new(func: &Func) -> Cfg {
        let n = func.blocks.len();
        let mut succs = vec![Vec::new(); n];
        for (i, b) in func.blocks.iter().enumerate() {
            if let Some(last) = b.insts.last() {
                succs[i] = last.kind.targets().iter().map(|t| t.block).collect();
            }
        }
        let order = reverse_post_order(func, &succs);
        let mut position = vec![None; n];
        for (i, b) in order.iter().enumerate() {
            position[b.index()] = Some(i as u32);
        }
        let mut preds = vec![Vec::new(); n];
        for &b in func.layout.iter().filter(|b| position[b.index()].is_some()) {
            for s in &succs[b.index()] {
                preds[s.index()].push(b);
            }
        }
        Cfg { preds, succs, order, position }
    }

    /// The entry leads to it.
    pub fn reachable(&self, b: Block) -> bool {
        self.position[b.index()].is_some()
    }
}

fn reverse_post_order(func: &Func, succs: &[Vec<Block>]) -> Vec<Block> {
    let mut seen = vec![false; succs.len()];
    let mut post = Vec::new();
    let Some(&entry) = func.layout.first() else { return post };
    seen[entry.index()] = true;
    let mut stack = vec![(entry, 0)];
    while let Some((b, next)) = stack.last_mut() {
        // Last successor first, so that in the reversed order a `then` arm comes before its `else`.
        let s = &succs[b.index()];
        if *next < s.len() {
            let t = s[s.len() - 1 - *next];
            *next += 1;
            if !seen[t.index()] {
                seen[t.index()] = true;
                stack.push((t, 0));
            }
        } else {
            post.push(*b);
            stack.pop();
        }
    }
    post.reverse();
    post
}

/// Dominator tree over the reachable blocks.
#[derive(Clone, Debug)]
pub struct Dominance {
    /// The graph.
    pub cfg: Cfg,
    /// Immediate dominator; `None` for the entry and for unreachable blocks.
    pub idom: Vec<Option<Block>>,
    /// Blocks immediately dominated, in reverse post-order.
    pub children: Vec<Vec<Block>>,
    /// Interval of the block in a depth-first walk of the tree: `a` dominates `b` when b's interval
    /// lies in a's.
    span: Vec<(u32, u32)>,
}

impl Dominance {
    /// The dominators of a function's blocks.
    pub fn new(func: &Func) -> Dominance {
        let cfg = Cfg::new(func);
        let idom = immediate_dominators(&cfg);
        let mut children = vec![Vec::new(); idom.len()];
        for &b in &cfg.order {
            if let Some(d) = idom[b.index()] {
                children[d.index()].push(b);
            }
        }
        let span = spans(&cfg, &children);
        Dominance { cfg, idom, children, span }
    }

    /// Whether `a` dominates `b` (a block dominates itself). False if either is unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let (x, y) = (self.span[a.index()], self.span[b.index()]);
        self.cfg.reachable(a) && self.cfg.reachable(b) && x.0 <= y.0 && y.1 <= x.1
    }

    /// Dominance frontier of every block: where its dominance ends.
    pub fn frontier(&self) -> Vec<Vec<Block>> {
        let mut out = vec![Vec::new(); self.idom.len()];
        for &b in &self.cfg.order {
            for &p in &self.cfg.preds[b.index()] {
                let mut runner = Some(p);
                while runner != self.idom[b.index()] {
                    let Some(r) = runner else { break };
                    let f: &mut Vec<Block> = &mut out[r.index()];
                    if !f.contains(&b) {
                        f.push(b);
                    }
                    runner = self.idom[r.index()];
                }
            }
        }
        out
    }

    /// Natural loops, outer before inner. Loops with one header are one loop.
    pub fn loops(&self) -> Vec<Loop> {
        let mut out = Vec::new();
        for &h in &self.cfg.order {
            let latches: Vec<Block> =
                self.cfg.preds[h.index()].iter().copied().filter(|&p| self.dominates(h, p)).collect();
            if !latches.is_empty() {
                out.push(Loop { header: h, body: self.loop_body(h, &latches), latches });
            }
        }
        out
    }

    fn loop_body(&self, header: Block, latches: &[Block]) -> Vec<bool> {
        let mut body = vec![false; self.idom.len()];
        body[header.index()] = true;
        let mut work = latches.to_vec();
        while let Some(b) = work.pop() {
            if !body[b.index()] {
                body[b.index()] = true;
                work.extend(&self.cfg.preds[b.index()]);
            }
        }
        body
    }
}

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The block in which it begins.
    pub header: Block,
    /// Blocks that jump back to the header.
    pub latches: Vec<Block>,
    /// By block number: whether the block is in the loop.
    pub body: Vec<bool>,
}

fn immediate_dominators(cfg: &Cfg) -> Vec<Option<Block>> {
    let n = cfg.preds.len();
    // In numbers of `order`; the entry is its own dominator while this runs.
    let mut idom: Vec<Option<u32>> = vec![None; cfg.order.len()];
    if idom.is_empty() {
        return vec![None; n];
    }
    idom[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for (i, b) in cfg.order.iter().enumerate().skip(1) {
            let mut new: Option<u32> = None;
            for p in cfg.preds[b.index()].iter().filter_map(|p| cfg.position[p.index()]) {
                if idom[p as usize].is_some() {
                    new = Some(new.map_or(p, |q| intersect(&idom, p, q)));
                }
            }
            if new != idom[i] {
                idom[i] = new;
                changed = true;
            }
        }
    }
    let mut out = vec![None; n];
    for (i, b) in cfg.order.iter().enumerate().skip(1) {
        out[b.index()] = idom[i].map(|d| cfg.order[d as usize]);
    }
    out
}

fn intersect(idom: &[Option<u32>], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize].unwrap_or(0);
        }
        while b > a {
            b = idom[b as usize].unwrap_or(0);
        }
    }
    a
}

fn spans(cfg: &Cfg, children: &[Vec<Block>]) -> Vec<(u32, u32)> {
    let mut span = vec![(0, 0); children.len()];
    let Some(&entry) = cfg.order.first() else { return span };
    let mut clock = 1;
    span[entry.index()].0 = 0;
    let mut stack = vec![(entry, 0)];
    while let Some((b, next)) = stack.last_mut() {
        if let Some(&c) = children[b.index()].get(*next) {
            *next += 1;
            span[c.index()].0 = clock;
            stack.push((c, 0));
        } else {
            span[b.index()].1 = clock;
            stack.pop();
        }
        clock += 1;
    }
    span
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::{Kind, Loc, Target};
    use rand::{Rng, SeedableRng};

    fn graph(edges: &[&[u32]]) -> Func {
        let mut f = Func::default();
        for _ in edges {
            f.new_block();
        }
        for (i, e) in edges.iter().enumerate() {
            let b = Block(i as u32);
            let t = |i: u32| Target { block: Block(i), args: vec![] };
            let kind = match e {
                [] => Kind::Return(vec![]),
                [x] => Kind::Jump(t(*x)),
                [x, y, ..] => {
                    let cond = f.push(b, Kind::Const(1), 1, Loc::default())[0];
                    Kind::Branch { cond, then: t(*x), other: t(*y) }
                }
            };
            f.push(b, kind, 0, Loc::default());
        }
        f
    }

    /// `a` dominates `b` by definition: without `a`, `b` cannot be reached.
    fn dominates_by_paths(f: &Func, a: Block, b: Block) -> bool {
        let cfg = Cfg::new(f);
        if !cfg.reachable(a) || !cfg.reachable(b) {
            return false;
        }
        let mut seen = vec![false; f.blocks.len()];
        let mut work = vec![f.entry()];
        while let Some(x) = work.pop() {
            if x != a && !seen[x.index()] {
                seen[x.index()] = true;
                work.extend(&cfg.succs[x.index()]);
            }
        }
        !seen[b.index()]
    }

    #[test]
    fn diamond_in_a_loop() {
        // 0 -> 1 (header) -> 2 | 3 -> 4 (latch) -> 1 | 5
        let f = graph(&[&[1], &[2, 3], &[4], &[4], &[1, 5], &[]]);
        let d = Dominance::new(&f);
        assert_eq!(d.idom[4], Some(Block(1)));
        assert_eq!(d.idom[5], Some(Block(4)));
        let df = d.frontier();
        assert_eq!(df[2], [Block(4)]);
        assert_eq!(df[4], [Block(1)]);
        assert_eq!(df[1], [Block(1)]);
        let loops = d.loops();
        assert_eq!(loops.len(), 1);
        assert_eq!((loops[0].header, loops[0].latches.as_slice()), (Block(1), &[Block(4)][..]));
        assert_eq!(loops[0].body, [false, true, true, true, true, false]);
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(11);
        for _ in 0..100 {
            let n = rng.random_range(1..10u32);
            let edges: Vec<Vec<u32>> =
                (0..n).map(|_| (0..rng.random_range(0..3)).map(|_| rng.random_range(0..n)).collect()).collect();
            let refs: Vec<&[u32]> = edges.iter().map(|e| e.as_slice()).collect();
            let f = graph(&refs);
            let d = Dominance::new(&f);
            for a in 0..n {
                for b in 0..n {
                    let (a, b) = (Block(a), Block(b));
                    assert_eq!(d.dominates(a, b), dominates_by_paths(&f, a, b), "{edges:?} {a:?} {b:?}");
                }
            }
        }
    }
}
