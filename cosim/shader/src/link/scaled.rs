//! Outputs that are another output times a constant or a uniform (LP-15).
//!
//! The program behind reads the other output and multiplies. One sum of corners is saved for a
//! product, and the product may join a sum. A product of sums is not the sum of products, so this
//! changes roundings: a power of two only where a word overflows or is subnormal, any other factor
//! everywhere. It obeys the rule of fusion (`Inst::exact`, LP-18): the product must be free, every
//! reader must be a free sum, difference or product, and no program may be compiled `exact`. Each
//! is told apart from the changes that keep every bit.
//!
//! All readers must agree, have the other output at hand with the same interpolation, and the
//! uniform in a buffer of their own. A factor that is inverted would be wrong: the planted fault is
//! `link-scale`.

use std::collections::BTreeMap;

use super::chain::{Chain, Program};
use super::meet::{known_values, output_sites, Known};
use super::uniform::{Expr, Node, Table};
use crate::fault::CompilerFault;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, How, Inst, Kind, Role, Value};
use quadlock_isa::Op;

/// Its name for `skip`.
pub const NAME: &str = "scaled-outputs";

/// Instructions of an interpolation that its word alone needs: corners, three products and a
/// choice (`passes/inputs.rs`).
const INTERPOLATION: usize = 5;

/// An output that is a multiple of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// The output.
    pub word: u32,
    /// What it is a multiple of.
    pub base: u32,
    /// The factor.
    pub by: Known,
}

impl Scaled {
    /// The factor is a power of two, so only overflow and subnormal words are rounded otherwise.
    pub fn is_power(&self) -> bool {
        matches!(self.by, Known::Const(c) if c & 0x007F_FFFF == 0)
    }
}

/// The outputs that are multiples, those first that others are no multiples of.
pub fn scaled_outputs(func: &Func) -> Vec<Scaled> {
    let factors = known_values(func);
    let mut products: BTreeMap<Value, Vec<(Value, Known)>> = BTreeMap::new();
    let mut kept = vec![];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        match &inst.kind {
            Kind::Alu(Op::FMul, args) if !inst.exact => {
                let ways = [(args[0], args[1]), (args[1], args[0])];
                let by = |(x, c): (Value, Value)| Some((x, factors[c.index()].filter(is_factor)?));
                products.insert(inst.results[0], ways.into_iter().filter_map(by).collect());
            }
            Kind::Output { word, .. } if inst.exact => kept.push(*word),
            _ => {}
        }
    }
    let sites = output_sites(func);
    let mut out: Vec<Scaled> = vec![];
    for (&word, values) in sites.iter().filter(|s| !kept.contains(s.0)) {
        for (&base, others) in sites.iter().filter(|s| *s.0 != word && s.1.len() == values.len()) {
            let factor = |(v, o): (&(usize, usize, Value), &(usize, usize, Value))| {
                let found = products.get(&v.2)?.iter().find(|p| p.0 == o.2)?;
                ((v.0, v.1) == (o.0, o.1)).then_some(found.1)
            };
            let factors: Option<Vec<Known>> = values.iter().zip(others).map(factor).collect();
            if let Some([by, rest @ ..]) = factors.as_deref() {
                if rest.iter().all(|f| f == by) {
                    out.push(Scaled { word, base, by: *by });
                }
            }
        }
    }
    // A multiple of a multiple has to find its base still read.
    let mut depth: BTreeMap<u32, usize> = BTreeMap::new();
    for _ in 0..out.len() {
        for s in &out {
            let below = depth.get(&s.base).copied().unwrap_or(0) + 1;
            let own = depth.entry(s.word).or_default();
            *own = (*own).max(below);
        }
    }
    out.sort_by_key(|s| (std::cmp::Reverse(depth[&s.word]), s.word, s.base));
    out
}

/// Whether a factor may go over: a uniform, or a normal number.
fn is_factor(known: &Known) -> bool {
    match known {
        Known::Const(c) => f32::from_bits(*c).is_normal(),
        Known::Uniform(_) => true,
    }
}

/// Whether the readers of a program may and should compute a multiple themselves.
pub fn is_wanted(chain: &Chain, p: usize, scaled: &Scaled) -> bool {
    let allows = |p: &Program| !p.passes.exact && p.passes.skip.iter().all(|s| s != NAME);
    let mut readers = chain.readers(p).into_iter().map(|r| &chain.programs[r]).peekable();
    readers.peek().is_some()
        && allows(&chain.programs[p])
        && readers.all(|r| allows(r) && can_multiply(r, &chain.uniforms, scaled))
}

/// Whether a program may multiply: always if it does not read the word.
fn can_multiply(program: &Program, table: &Table, scaled: &Scaled) -> bool {
    let func = &program.func;
    let dom = Dominance::new(func);
    let mut reads: Vec<(Block, u32, How, Value)> = vec![];
    for &b in &func.layout {
        for inst in &func.blocks[b.index()].insts {
            if let Kind::Input { word, how } = inst.kind {
                reads.push((b, word, how, inst.results[0]));
            }
        }
    }
    let bases: Vec<(Block, How)> = reads.iter().filter(|r| r.1 == scaled.base).map(|r| (r.0, r.2)).collect();
    reads.iter().filter(|r| r.1 == scaled.word).all(|&(b, _, how, value)| {
        let at_hand = bases.iter().any(|&(at, h)| h == how && dom.dominates(at, b));
        let saved = if how == How::Flat { 1 } else { INTERPOLATION };
        at_hand && cost(program, table, scaled.by).is_some_and(|c| c <= saved) && is_free(func, value)
    })
}

/// Instructions that a factor and its product take at most; none if the factor is not to be had.
fn cost(program: &Program, table: &Table, by: Known) -> Option<usize> {
    let Known::Uniform(node) = by else { return Some(1) };
    let has = |n: Node| match table.expr(n) {
        Expr::Word(w) => program.uniforms.iter().any(|u| u.place(*w).is_some()),
        _ => true,
    };
    // A bank that is full has the lanes compute the expression.
    table.needed(&[node]).into_iter().all(has).then(|| 1 + table.operations(node))
}

/// Whether nothing reads a value but sums and products whose roundings are free.
fn is_free(func: &Func, value: Value) -> bool {
    let all = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
    let mut readers = all.filter(|i| i.kind.uses().contains(&value));
    readers.all(|i| !i.exact && matches!(i.kind, Kind::Alu(Op::FAdd | Op::FSub | Op::FMul, _)))
}

/// Reads the other output and multiplies; whether the program read the word.
pub fn multiply(program: &mut Program, scaled: &Scaled, fault: Option<CompilerFault>) -> bool {
    let op = if fault == Some(CompilerFault::LinkScale) { Op::FDiv } else { Op::FMul };
    let func = &mut program.func;
    let mut changed = false;
    for b in func.layout.clone() {
        for inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            let how = match inst.kind {
                Kind::Input { word, how } if word == scaled.word => how,
                _ => {
                    func.blocks[b.index()].insts.push(inst);
                    continue;
                }
            };
            changed = true;
            let base = func.push(b, Kind::Input { word: scaled.base, how }, 1, inst.loc)[0];
            let factor = match scaled.by {
                Known::Const(c) => Kind::Const(c),
                Known::Uniform(node) => Kind::ConstWord(node.word()),
            };
            let factor = func.push(b, factor, 1, inst.loc)[0];
            let kind = Kind::Alu(op, vec![base, factor]);
            let product = Inst { exact: false, kind, loc: inst.loc.with(Role::Work), ..inst };
            func.blocks[b.index()].insts.push(product);
        }
    }
    changed
}
