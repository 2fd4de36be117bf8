//! What an output turns out to be, given to the inputs that read it (LP-12, LP-15).
//!
//! An output that is the same constant or the same expression of uniforms wherever the program
//! gives it needs no interpolation: if the three corners have one word, that word is the input's,
//! bit for bit (docs/graphics.md, "Numbers"). So the input becomes that constant or uniform. Two
//! outputs that are always the same value are one, and an output that every vertex of a triangle
//! gives alike is flat. A value of one site only would be wrong for the others: all are looked at.

use std::collections::BTreeMap;

use super::chain::Program;
use super::uniform::Node;
use crate::fault::CompilerFault;
use crate::ssa::{Func, How, Kind, Value};
use quadlock_isa::Special;

/// What is known of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// A constant.
    Const(u32),
    /// An expression of uniforms.
    Uniform(Node),
}

/// The values that are constant or uniform.
pub fn known_values(func: &Func) -> Vec<Option<Known>> {
    let mut kinds: Vec<Option<Known>> = vec![None; func.values as usize];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        let known = match inst.kind {
            Kind::Const(c) => Some(Known::Const(c)),
            Kind::ConstWord(w) => Node::of_word(w).map(Known::Uniform),
            _ => None,
        };
        if let (Some(known), Some(r)) = (known, inst.results.first()) {
            kinds[r.index()] = Some(known);
        }
    }
    kinds
}

/// The outputs that are constant or uniform, by word.
pub fn known_outputs(func: &Func, fault: Option<CompilerFault>) -> BTreeMap<u32, Known> {
    let first_only = fault == Some(CompilerFault::LinkOneSite);
    let kinds = known_values(func);
    let mut out: BTreeMap<u32, Option<Known>> = BTreeMap::new();
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let Kind::Output { word, value } = inst.kind {
            let here = kinds[value.index()];
            out.entry(word).and_modify(|k| *k = k.filter(|k| first_only || Some(*k) == here)).or_insert(here);
        }
    }
    out.into_iter().filter_map(|(word, known)| Some((word, known?))).collect()
}

/// The values of an output in order of the sites; a site is a block and how often the word was
/// given in it before.
pub type Sites = Vec<(usize, usize, Value)>;

/// By word where outputs are given.
pub fn output_sites(func: &Func) -> BTreeMap<u32, Sites> {
    let mut sites: BTreeMap<u32, Sites> = BTreeMap::new();
    for &b in &func.layout {
        let mut times: BTreeMap<u32, usize> = BTreeMap::new();
        for inst in &func.blocks[b.index()].insts {
            if let Kind::Output { word, value } = inst.kind {
                let n = times.entry(word).or_default();
                sites.entry(word).or_default().push((b.index(), *n, value));
                *n += 1;
            }
        }
    }
    sites
}

/// Outputs from the word `first_word` on that are always another one's value: (word, the first such
/// word). Those before it have no reader in the chain, so they stand for none.
pub fn identical_outputs(func: &Func, first_word: u32) -> BTreeMap<u32, u32> {
    let sites = output_sites(func).split_off(&first_word);
    let mut first: Vec<(u32, &Sites)> = vec![];
    let mut out = BTreeMap::new();
    for (word, values) in &sites {
        match first.iter().find(|f| f.1 == values) {
            Some((same, _)) => {
                out.insert(*word, *same);
            }
            None => first.push((*word, values)),
        }
    }
    out
}

/// Outputs that all vertices of a triangle give alike: nothing in them differs from vertex to
/// vertex of an instance.
pub fn flat_outputs(func: &Func, fault: Option<CompilerFault>) -> Vec<u32> {
    let mut varies = vec![false; func.values as usize];
    let mut control = false;
    let mut changed = true;
    while changed {
        changed = false;
        for &b in &func.layout {
            for inst in &func.blocks[b.index()].insts {
                let own = match &inst.kind {
                    Kind::Const(_) | Kind::ConstWord(_) | Kind::Alu(..) => false,
                    Kind::Special(s) => *s != Special::InstanceIndex,
                    Kind::Input { .. } => fault != Some(CompilerFault::LinkFlatInput),
                    Kind::Load { space, .. } => *space != crate::ssa::Space::ReadOnly,
                    Kind::Output { .. } | Kind::Jump(_) | Kind::Branch { .. } | Kind::Return(_) => false,
                    _ => true,
                };
                let read = inst.kind.uses().iter().any(|v| varies[v.index()]);
                if let (Kind::Branch { cond, .. }, false) = (&inst.kind, control) {
                    control = varies[cond.index()] && fault != Some(CompilerFault::LinkFlatBranch);
                    changed |= control;
                }
                if own || read {
                    for r in &inst.results {
                        changed |= !std::mem::replace(&mut varies[r.index()], true);
                    }
                }
                for t in inst.kind.targets() {
                    for (p, a) in func.blocks[t.block.index()].params.iter().zip(&t.args) {
                        if varies[a.index()] || control {
                            changed |= !std::mem::replace(&mut varies[p.index()], true);
                        }
                    }
                }
            }
        }
    }
    let mut out: BTreeMap<u32, bool> = BTreeMap::new();
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let Kind::Output { word, value } = inst.kind {
            *out.entry(word).or_insert(true) &= !varies[value.index()] && !control;
        }
    }
    out.into_iter().filter(|o| o.1).map(|o| o.0).collect()
}

/// Puts what is known in the place of an input; whether it was there.
pub fn give(program: &mut Program, word: u32, known: Known) -> bool {
    change(program, &mut |kind| match kind {
        Kind::Input { word: w, .. } if *w == word => {
            *kind = match known {
                Known::Const(c) => Kind::Const(c),
                Known::Uniform(node) => Kind::ConstWord(node.word()),
            };
            true
        }
        _ => false,
    })
}

/// Reads another word instead.
pub fn rename(program: &mut Program, word: u32, to: u32) -> bool {
    change(program, &mut |kind| match kind {
        Kind::Input { word: w, .. } if *w == word => {
            *w = to;
            true
        }
        _ => false,
    })
}

/// Takes the word of one vertex instead of interpolating.
pub fn flatten(program: &mut Program, word: u32) -> bool {
    change(program, &mut |kind| match kind {
        Kind::Input { word: w, how } if *w == word && *how != How::Flat => {
            *how = How::Flat;
            true
        }
        _ => false,
    })
}

/// Takes outputs away; whether there were any.
pub fn remove_outputs(program: &mut Program, words: &[u32]) -> bool {
    let mut changed = false;
    for b in program.func.layout.clone() {
        let insts = &mut program.func.blocks[b.index()].insts;
        let before = insts.len();
        insts.retain(|i| !matches!(i.kind, Kind::Output { word, .. } if words.contains(&word)));
        changed |= insts.len() != before;
    }
    changed
}

fn change(program: &mut Program, f: &mut dyn FnMut(&mut Kind) -> bool) -> bool {
    let mut changed = false;
    for b in program.func.layout.clone() {
        for inst in &mut program.func.blocks[b.index()].insts {
            changed |= f(&mut inst.kind);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::{Block, Loc, Target};

    /// Two arms that each give word 4, and what decides between them.
    fn arms(decides: Special, given: [u32; 2]) -> Func {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), ..Func::default() };
        let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
        let cond = f.push(b[0], Kind::Special(decides), 1, loc)[0];
        let [then, other] = [b[1], b[2]].map(|block| Target { block, args: vec![] });
        f.push(b[0], Kind::Branch { cond, then, other }, 0, loc);
        for (block, word) in [b[1], b[2]].into_iter().zip(given) {
            let value = f.push(block, Kind::Const(word), 1, loc)[0];
            f.push(block, Kind::Output { word: 4, value }, 0, loc);
            f.push(block, Kind::Return(vec![]), 0, loc);
        }
        f
    }

    #[test]
    fn an_output_is_flat_if_no_vertex_decides_it() {
        assert_eq!(flat_outputs(&arms(Special::InstanceIndex, [1, 2]), None), [4]);
        assert!(flat_outputs(&arms(Special::VertexIndex, [1, 2]), None).is_empty());
    }

    #[test]
    fn an_output_is_known_if_all_sites_give_the_same() {
        assert!(known_outputs(&arms(Special::VertexIndex, [1, 2]), None).is_empty());
        assert_eq!(known_outputs(&arms(Special::VertexIndex, [3, 3]), None), BTreeMap::from([(4, Known::Const(3))]));
    }
}
