//! Multiply-add fusion (LP-17): the sum of a product and something becomes one operation with one
//! rounding.
//!
//! `c + a * b` becomes FFMA and `c - a * b` FNMA, at the place of the sum: nothing moves. The
//! factors may be read there. They dominate the product, which dominates the sum; and who runs a
//! factor's definition again runs the product's again before the sum. `a * b - c` has a form only
//! where `c` is a constant, whose sign is turned.
//! Both operations must be free (`Inst::exact`), and the result is exact: it joins no other.
//!
//! A sum takes a product in if nothing else reads that, or if all of its readers are such sums.
//! A product outside of a loop that the sum is in stays where it is. An addend that is a constant
//! or a word of the bank costs a register and a move, while FADD reads it for nothing: it pays if
//! two sums share it, in a loop, or if the sum is `c - a * b`, which has the move anyway.
//!
//! The pass runs once, behind the others, because they look for sums and products. What position
//! depends on is decided before all of them ([`super::freeze`]). It is wrong if an exact operation
//! is joined (planted as `FuseExact`), or if it does not say so (`FuseSites`). The tests run the
//! program as it was with one rounding at the recorded sites, and compare.

use super::facts::Facts;
use super::{dce, use_counts, Options};
use crate::fault::CompilerFault;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Func, Inst, Kind, Loc, Value};
use quadlock_isa::Op;
use std::collections::HashMap;

/// Its name for `skip` and in the statistics.
pub const NAME: &str = "fuse";

/// What `skip` calls the sums of one place, whatever the file: `fuse@LINE:COLUMN`. What differs by
/// a fusion is traced to it so.
pub fn name_at(loc: Loc) -> String {
    format!("{NAME}@{}:{}", loc.line, loc.col)
}

/// Whether that is the name of sums of a place.
pub fn is_place(name: &str) -> bool {
    let at = name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('@'));
    let digits = |n: &str| n.parse::<u32>().is_ok_and(|number| number.to_string() == n);
    at.and_then(|at| at.split_once(':')).is_some_and(|(line, column)| digits(line) && digits(column))
}

const SIGN: u32 = 0x8000_0000;

/// A sum and a product that became one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// What the sum gave, and the operation gives now.
    pub result: Value,
    /// What the product gave. It may be gone.
    pub product: Value,
    /// Where the sum is in the source.
    pub sum_at: Loc,
    /// Where the product is.
    pub product_at: Loc,
    /// It was decided for the position, before other passes: values are those of that time.
    pub position: bool,
}

/// Whether anything may be fused.
pub(super) fn allowed(options: &Options) -> bool {
    !options.exact && !options.skip.iter().any(|s| s == NAME)
}

/// Does it to a function and says where.
pub fn run(func: &mut Func, options: &Options) -> Vec<Site> {
    if !allowed(options) {
        return vec![];
    }
    let sites = join(func, None, options);
    if !sites.is_empty() {
        // Without the planted fault of that pass.
        dce::run(func, &Options::default());
    }
    sites
}

/// One way to do a sum and a product at once.
#[derive(Clone, Copy)]
struct Way {
    product: Value,
    op: Op,
    addend: Addend,
    /// A constant addend costs nothing more than before.
    paid: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Addend {
    Value(Value),
    Const(u32),
    Word(u32),
}

struct Sum {
    block: usize,
    index: usize,
    result: Value,
    args: [Value; 2],
    ways: Vec<Way>,
    /// Loops around it.
    depth: u32,
}

/// What is known of the function.
struct Joiner {
    facts: Facts,
    /// By value: whether the operation may be joined, its place, and how many loops are around it.
    free: Vec<bool>,
    loc: Vec<Loc>,
    depth: Vec<u32>,
    words: HashMap<Value, u32>,
}

/// Fuses in the whole function by use, or `within` a set of values by the shape of expressions
/// alone: there every sum takes in a product, whoever reads that too. Dead products stay.
pub(super) fn join(func: &mut Func, within: Option<&[bool]>, options: &Options) -> Vec<Site> {
    let joiner = Joiner::new(func, options);
    let sums = joiner.sums(func, within);
    let chosen = match within {
        Some(_) => sums.iter().map(|s| s.ways.first().copied()).collect(),
        None => joiner.by_use(&sums, &use_counts(func)),
    };
    let mut sites = vec![];
    // From the end, so that the indices before stay.
    for (sum, way) in sums.iter().zip(chosen).rev() {
        let Some(way) = way else { continue };
        joiner.rewrite(func, sum, way);
        sites.push(Site {
            result: sum.result,
            product: way.product,
            sum_at: joiner.loc[sum.result.index()],
            product_at: joiner.loc[way.product.index()],
            position: within.is_some(),
        });
    }
    sites.reverse();
    if options.fault == Some(CompilerFault::FuseSites) {
        sites.pop();
    }
    sites
}

impl Joiner {
    fn new(func: &Func, options: &Options) -> Joiner {
        let exact_too = options.fault == Some(CompilerFault::FuseExact);
        let left: Vec<&String> = options.skip.iter().filter(|name| is_place(name)).collect();
        let n = func.values as usize;
        let mut j = Joiner {
            facts: Facts::new(func),
            free: vec![false; n],
            loc: vec![Loc::default(); n],
            depth: vec![0; n],
            words: HashMap::new(),
        };
        let mut around = vec![0; func.blocks.len()];
        for l in Dominance::new(func).loops() {
            around.iter_mut().zip(&l.body).for_each(|(d, inside)| *d += u32::from(*inside));
        }
        for &b in &func.layout {
            for inst in &func.blocks[b.index()].insts {
                if let Kind::ConstWord(w) = inst.kind {
                    j.words.insert(inst.results[0], w);
                }
                let is_sum = matches!(inst.kind, Kind::Alu(Op::FAdd | Op::FSub, _));
                let stays = is_sum && !left.is_empty() && left.contains(&&name_at(inst.loc));
                for r in &inst.results {
                    j.free[r.index()] = (!inst.exact || exact_too) && !stays;
                    j.loc[r.index()] = inst.loc;
                    j.depth[r.index()] = around[b.index()];
                }
            }
        }
        j
    }

    fn factors(&self, v: Value) -> Option<[Value; 2]> {
        match self.facts.alu(v) {
            Some((Op::FMul, &[a, b])) if self.free[v.index()] => Some([a, b]),
            _ => None,
        }
    }

    fn addend(&self, v: Value) -> Addend {
        match (self.facts.constant(v), self.words.get(&v)) {
            (Some(c), _) => Addend::Const(c),
            (_, Some(&w)) => Addend::Word(w),
            _ => Addend::Value(v),
        }
    }

    /// The sums that can take in a product, with the ways that pay.
    fn sums(&self, func: &Func, within: Option<&[bool]>) -> Vec<Sum> {
        let mut sums = vec![];
        for &b in &func.layout {
            for (index, inst) in func.blocks[b.index()].insts.iter().enumerate() {
                let Kind::Alu(op @ (Op::FAdd | Op::FSub), args) = &inst.kind else { continue };
                let (result, args) = (inst.results[0], [args[0], args[1]]);
                if self.free[result.index()] && within.is_none_or(|w| w[result.index()]) {
                    let (ways, depth) = (self.ways(*op, args), self.depth[result.index()]);
                    sums.push(Sum { block: b.index(), index, result, args, ways, depth });
                }
            }
        }
        let mut shared: HashMap<Addend, u32> = HashMap::new();
        for sum in &sums {
            sum.ways.iter().for_each(|w| *shared.entry(w.addend).or_default() += 1);
        }
        for sum in &mut sums {
            let depth = sum.depth;
            let pays = |w: &Way| w.paid || depth > 0 || shared[&w.addend] > 1;
            sum.ways.retain(|w| matches!(w.addend, Addend::Value(_)) || pays(w));
        }
        sums.retain(|s| !s.ways.is_empty());
        sums
    }

    fn ways(&self, op: Op, [x, y]: [Value; 2]) -> Vec<Way> {
        let mut ways = vec![];
        let mut way = |product, op, addend, paid| {
            if self.factors(product).is_some() {
                ways.push(Way { product, op, addend, paid });
            }
        };
        if op == Op::FSub {
            way(y, Op::FNma, self.addend(x), true);
            if let Addend::Const(c) = self.addend(y) {
                way(x, Op::FFma, Addend::Const(c ^ SIGN), false);
            }
        } else {
            way(y, Op::FFma, self.addend(x), false);
            way(x, Op::FFma, self.addend(y), false);
        }
        ways
    }

    /// Which way each sum goes so that products go away.
    fn by_use(&self, sums: &[Sum], uses: &[u32]) -> Vec<Option<Way>> {
        let here = |s: &Sum, w: &Way| self.depth[w.product.index()] >= s.depth;
        let single = |s: &Sum| s.ways.iter().find(|w| uses[w.product.index()] == 1 && here(s, w)).copied();
        let mut chosen: Vec<Option<Way>> = sums.iter().map(single).collect();
        // Readers of products with several, by the product, in the order of the sums.
        let mut order = vec![];
        let mut readers: HashMap<Value, Vec<(usize, Way)>> = HashMap::new();
        for (i, sum) in sums.iter().enumerate() {
            for w in sum.ways.iter().filter(|w| uses[w.product.index()] > 1 && here(sum, w)) {
                let all = readers.entry(w.product).or_default();
                if all.is_empty() {
                    order.push(w.product);
                }
                all.push((i, *w));
            }
        }
        for product in order {
            let all = &readers[&product];
            let once = |&(i, _): &(usize, Way)| chosen[i].is_none() && sums[i].args[0] != sums[i].args[1];
            if all.len() == uses[product.index()] as usize && all.iter().all(once) {
                all.iter().for_each(|&(i, w)| chosen[i] = Some(w));
            }
        }
        chosen
    }

    fn rewrite(&self, func: &mut Func, sum: &Sum, way: Way) {
        let Some([mut a, b]) = self.factors(way.product) else { return };
        let mut op = way.op;
        // A factor whose sign is turned turns the product's.
        if let Some((Op::Xor, &[x, sign])) = self.facts.alu(a) {
            if self.facts.constant(sign) == Some(SIGN) {
                a = x;
                op = if op == Op::FFma { Op::FNma } else { Op::FFma };
            }
        }
        let [x, y] = sum.args;
        let other = if way.product == y { x } else { y };
        let mut place = sum.index;
        let addend = match way.addend {
            Addend::Const(c) if self.facts.constant(other) != Some(c) => {
                let v = func.new_value();
                let loc = self.loc[sum.result.index()];
                let inst = Inst { exact: true, kind: Kind::Const(c), results: vec![v], loc };
                func.blocks[sum.block].insts.insert(place, inst);
                place += 1;
                v
            }
            _ => other,
        };
        let inst = &mut func.blocks[sum.block].insts[place];
        inst.kind = Kind::Alu(op, vec![a, b, addend]);
        inst.exact = true;
    }
}

#[cfg(test)]
#[path = "fuse_tests.rs"]
mod tests;
