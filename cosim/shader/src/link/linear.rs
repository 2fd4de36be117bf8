//! Interpolation where nothing is divided by w (LP-15): pictures in the plane of the target.
//!
//! A program that gives 1 as w wherever it gives it has reciprocals that are 1, also of vertices
//! that clipping makes: a word that the ends of an edge share stays as it is (docs/graphics.md).
//! A weight of a corner times 1 is that weight, bit for bit. So an input in perspective is one that
//! is linear in the target, at the same place of the pixel, and the reciprocals are not fetched. Of
//! another constant the products would be other words. It is wrong if some place gives another w:
//! all are looked at. The planted fault looks at none.

use super::chain::Program;
use super::meet::Known;
use crate::fault::CompilerFault;
use crate::ssa::{How, Kind};
use std::collections::BTreeMap;

/// Its name for `skip`.
pub const NAME: &str = "linear-inputs";

/// Whether what a program feeds need not divide by its w. `known` are its outputs that are
/// constant.
pub fn is_wanted(program: &Program, known: &BTreeMap<u32, Known>, fault: Option<CompilerFault>) -> bool {
    let one = Known::Const(1f32.to_bits());
    let is_one = |w: u32| fault == Some(CompilerFault::LinkLinear) || known.get(&w) == Some(&one);
    program.w.is_some_and(is_one) && program.passes.skip.iter().all(|s| s != NAME)
}

/// The words that a program reads in perspective.
pub fn in_perspective(program: &Program) -> Vec<u32> {
    let inputs = program.inputs().into_keys();
    inputs.filter(|i| matches!(i.1, How::Perspective(_))).map(|i| i.0).collect()
}

/// Makes what a program reads in perspective linear.
pub fn straighten(program: &mut Program) {
    for b in program.func.layout.clone() {
        for inst in &mut program.func.blocks[b.index()].insts {
            if let Kind::Input { how, .. } = &mut inst.kind {
                if let How::Perspective(place) = *how {
                    *how = How::Linear(place);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chain::{Chain, Edge};
    use super::super::random_chains::stage;
    use super::super::trace::What;
    use super::super::{run, LinkOptions};
    use super::*;
    use crate::passes::{inputs, Options};
    use crate::ssa::{Block, Func, Loc, Target, Value};
    use quadlock_isa::{Op, Special};
    use rand::{Rng, SeedableRng};

    const LOC: Loc = Loc::at(0, 1, 1);
    const W: u32 = 3;
    /// Two words that the second program reads.
    const READ: [u32; 2] = [4, 5];

    /// A program whose w is one of these in each of two arms, and one that reads two of its words:
    /// one in perspective at the centroid, and one at the centre.
    fn pair(w: [Option<f32>; 2]) -> Chain {
        let mut f = Func { name: "first".into(), ..Func::default() };
        let [b, then, other] = [0; 3].map(|_| f.new_block());
        let one = |f: &mut Func, b: Block, kind: Kind| f.push(b, kind, 1, LOC)[0];
        let vertex = one(&mut f, b, Kind::Special(Special::VertexIndex));
        let vertex = one(&mut f, b, Kind::Alu(Op::U2F, vec![vertex]));
        for word in READ {
            let by = one(&mut f, b, Kind::Const((word as f32).to_bits()));
            let value = one(&mut f, b, Kind::Alu(Op::FDiv, vec![vertex, by]));
            f.push(b, Kind::Output { word, value }, 0, LOC);
        }
        let to = |block| Target { block, args: vec![] };
        f.push(b, Kind::Branch { cond: vertex, then: to(then), other: to(other) }, 0, LOC);
        for (arm, w) in [then, other].into_iter().zip(w) {
            let value = w.map_or(vertex, |w| one(&mut f, arm, Kind::Const(w.to_bits())));
            f.push(arm, Kind::Output { word: W, value }, 0, LOC);
            // The arms do not become a choice: one of them gives more.
            if arm == then {
                f.push(arm, Kind::Output { word: 0, value: vertex }, 0, LOC);
            }
            f.push(arm, Kind::Return(vec![]), 0, LOC);
        }
        let first = crate::link::chain::Program { fixed: 4, w: Some(W), ..stage(f) };
        let mut f = Func { name: "second".into(), ..Func::default() };
        let b = f.new_block();
        for (k, word) in READ.into_iter().enumerate() {
            let value = one(&mut f, b, Kind::Input { word, how: How::Perspective(k as u32) });
            f.push(b, Kind::Output { word, value }, 0, LOC);
        }
        f.push(b, Kind::Return(vec![]), 0, LOC);
        let second = crate::link::chain::Program { fixed: u32::MAX, ..stage(f) };
        Chain { programs: vec![first, second], edges: vec![Edge { from: 0, to: 1 }], ..Chain::default() }
    }

    fn linked(mut chain: Chain, fault: Option<CompilerFault>) -> (Chain, usize) {
        let done = run(&mut chain, &LinkOptions { values: &|_| None, snapshots: false, fault }).unwrap();
        let told = done.iterations.iter().flat_map(|i| &i.events).filter(|e| e.what == What::Linear);
        let told = told.count();
        (chain, told)
    }

    fn is_linear(w: [Option<f32>; 2]) -> bool {
        let (chain, told) = linked(pair(w), None);
        let left = in_perspective(&chain.programs[1]).len();
        assert_eq!(left + told, READ.len());
        left == 0
    }

    #[test]
    fn w_has_to_be_one_wherever_it_is_given() {
        assert!(is_linear([Some(1.0), Some(1.0)]));
        for w in [[Some(1.0), Some(2.0)], [Some(2.0), Some(2.0)], [Some(-1.0), Some(-1.0)], [Some(1.0), None]] {
            assert!(!is_linear(w), "{w:?}");
        }
        let mut skipped = pair([Some(1.0); 2]);
        skipped.programs[0].passes.skip.push(NAME.into());
        assert_eq!(linked(skipped, None).1, 0, "left out by name");
    }

    /// The reader's outputs in a triangle whose corners have these w, by the operations that its
    /// inputs become.
    fn results(chain: &Chain, corners: [f32; 3], edges: [f32; 3], values: [f32; 3]) -> Vec<u32> {
        let mut func = chain.programs[1].func.clone();
        inputs::run(&mut func, &Options::default());
        let mut words = vec![0; func.values as usize];
        let mut out = vec![];
        for inst in &func.blocks[0].insts {
            let given: Vec<u32> = match &inst.kind {
                Kind::Const(c) => vec![*c],
                Kind::Fetch { op: Op::Bary, .. } => edges.map(f32::to_bits).to_vec(),
                Kind::Fetch { number: 63, .. } => {
                    corners.map(|w| (1.0 / w).to_bits()).into_iter().chain([1f32.to_bits()]).collect()
                }
                Kind::Fetch { .. } => values.map(f32::to_bits).into_iter().chain([0]).collect(),
                Kind::Alu(op, args) => {
                    let args: Vec<u32> = args.iter().map(|a: &Value| words[a.index()]).collect();
                    vec![crate::ops::eval::eval(*op, &args).unwrap()]
                }
                Kind::Output { value, .. } => {
                    out.push(words[value.index()]);
                    continue;
                }
                _ => continue,
            };
            inst.results.iter().zip(given).for_each(|(r, w)| words[r.index()] = w);
        }
        assert_eq!(out.len(), READ.len());
        out
    }

    /// How many of 500 triangles give other words linked than not.
    fn differing(w: [f32; 3], chain: Chain, fault: Option<CompilerFault>) -> usize {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        let after = linked(chain.clone(), fault).0;
        let mut differ = 0;
        for _ in 0..500 {
            // Edge functions of covered places and of helpers, up to the largest.
            let edges = [0; 3].map(|_| {
                let bits = rng.random_range(1..48);
                rng.random_range(-(1i64 << bits) / 8..1i64 << bits) as f32
            });
            let values = [0; 3].map(|_| match rng.random_range(0..8) {
                0 => [0.0, -0.0, 1e-40, f32::INFINITY, f32::NAN][rng.random_range(0..5)],
                _ => rng.random_range(-3.0..3.0f32),
            });
            let words = |chain: &Chain| results(chain, w, edges, values);
            differ += usize::from(words(&chain) != words(&after));
        }
        differ
    }

    #[test]
    fn with_a_w_of_one_no_bit_differs() {
        let chain = pair([Some(1.0); 2]);
        assert_eq!(differing([1.0; 3], chain.clone(), None), 0);
        let size = |chain: &Chain| {
            let mut func = chain.programs[1].func.clone();
            inputs::run(&mut func, &Options::default());
            crate::passes::pipeline::size(&func)
        };
        // The reciprocals, and three products at each of two places.
        assert_eq!(size(&chain) - size(&linked(chain.clone(), None).0), 7);
    }

    #[test]
    fn a_planted_perspective_that_is_lost_is_found() {
        let w = [1.0, 2.0, 3.0];
        assert_eq!(differing(w, pair([None; 2]), None), 0);
        assert!(differing(w, pair([None; 2]), Some(CompilerFault::LinkLinear)) > 100);
    }
}
