//! Dominators and loops over plain successor lists.
//!
//! The back end needs both for SSA blocks and for machine blocks, so it works on indices alone.
//! Dominators by Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm"); a loop is found
//! by its back edge (an edge to a dominator). An irreducible cycle is not seen as a loop, which
//! costs speed only: the facts here steer where code is put among places that are all correct.

use crate::ssa::Func;

pub struct Cfg {
    /// Predecessors of each block, each once per edge.
    pub preds: Vec<Vec<usize>>,
    /// Immediate dominator; the entry's is itself, an unreachable block has `None`.
    pub idom: Vec<Option<usize>>,
    /// Number of loops around each block.
    pub depth: Vec<u32>,
}

impl Cfg {
    /// `succ[b]` lists the successors of block b; block `entry` is the entry.
    pub fn new(succ: &[Vec<usize>], entry: usize) -> Cfg {
        let n = succ.len();
        let mut preds = vec![Vec::new(); n];
        for (b, ss) in succ.iter().enumerate() {
            for &s in ss {
                preds[s].push(b);
            }
        }
        let post = postorder(succ, entry);
        let mut number = vec![usize::MAX; n];
        for (i, &b) in post.iter().enumerate() {
            number[b] = i;
        }
        let mut idom = vec![None; n];
        idom[entry] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for &b in post.iter().rev().filter(|&&b| b != entry) {
                let mut new = None;
                for &p in preds[b].iter().filter(|&&p| idom[p].is_some()) {
                    new = Some(new.map_or(p, |q| intersect(&idom, &number, p, q)));
                }
                if idom[b] != new {
                    idom[b] = new;
                    changed = true;
                }
            }
        }
        let mut cfg = Cfg { preds, idom, depth: vec![0; n] };
        cfg.find_loops(succ);
        cfg
    }

    fn find_loops(&mut self, succ: &[Vec<usize>]) {
        let n = succ.len();
        for head in 0..n {
            let latches: Vec<usize> = self.preds[head]
                .iter()
                .copied()
                .filter(|&p| self.idom[p].is_some() && self.dominates(head, p))
                .collect();
            if latches.is_empty() {
                continue;
            }
            let mut inside = vec![false; n];
            inside[head] = true;
            let mut work = latches;
            while let Some(b) = work.pop() {
                if !inside[b] {
                    inside[b] = true;
                    work.extend(self.preds[b].iter().copied().filter(|&p| self.idom[p].is_some()));
                }
            }
            for (depth, inside) in self.depth.iter_mut().zip(inside) {
                *depth += u32::from(inside);
            }
        }
    }

    pub fn dominates(&self, a: usize, b: usize) -> bool {
        let mut x = b;
        loop {
            if x == a {
                return true;
            }
            match self.idom[x] {
                Some(d) if d != x => x = d,
                _ => return false,
            }
        }
    }

    /// The nearest block that dominates both. Both must be reachable.
    pub fn common_dominator(&self, a: usize, b: usize) -> usize {
        let mut x = a;
        while !self.dominates(x, b) {
            x = self.idom[x].unwrap_or(x);
        }
        x
    }
}

fn intersect(idom: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = idom[a].unwrap_or(a);
        }
        while number[b] < number[a] {
            b = idom[b].unwrap_or(b);
        }
    }
    a
}

fn postorder(succ: &[Vec<usize>], entry: usize) -> Vec<usize> {
    let mut seen = vec![false; succ.len()];
    let mut out = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen[entry] = true;
    while let Some((b, i)) = stack.pop() {
        if let Some(&s) = succ[b].get(i) {
            stack.push((b, i + 1));
            if !seen[s] {
                seen[s] = true;
                stack.push((s, 0));
            }
        } else {
            out.push(b);
        }
    }
    out
}

/// Successors by layout position.
pub fn successors(func: &Func) -> Vec<Vec<usize>> {
    let mut position = vec![usize::MAX; func.blocks.len()];
    func.layout.iter().enumerate().for_each(|(at, b)| position[b.index()] = at);
    let targets = |b: &crate::ssa::Block| -> Vec<usize> {
        let last = func.blocks[b.index()].insts.last();
        last.map(|i| i.kind.targets().iter().map(|t| position[t.block.index()]).collect()).unwrap_or_default()
    };
    func.layout.iter().map(targets).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 -> 1 (head) -> 2 | 5; 2 -> 3 | 4; 3 -> 4; 4 -> 1.
    #[test]
    fn loop_with_a_diamond() {
        let cfg = Cfg::new(&[vec![1], vec![2, 5], vec![3, 4], vec![4], vec![1], vec![], vec![5]], 0);
        assert_eq!(cfg.idom, [Some(0), Some(0), Some(1), Some(2), Some(2), Some(1), None]);
        assert_eq!(cfg.depth, [0, 1, 1, 1, 1, 0, 0]);
        assert_eq!(cfg.common_dominator(3, 5), 1);
    }
}
