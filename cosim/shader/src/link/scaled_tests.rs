//! Outputs that are multiples of others, merged and not: a triangle's vertices, the interpolation
//! of the data book, and the program behind it, in the interpreter of SSA.
//!
//! All numbers are positive and are only added and multiplied, so that an error stays relative: a
//! result may differ by the roundings on its way. Factors that are powers of two change no bit.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::chain::{Chain, Edge, Program};
use super::chain_run::{outputs, Outputs};
use super::random_chains::{stage, FIXED, USER, WORDS};
use super::trace::What;
use super::{run, scaled, LinkOptions};
use crate::fault::CompilerFault;
use crate::passes::{self, pipeline};
use crate::ssa::{Block, Func, How, Kind, Loc, Value};
use quadlock_isa::{Op, Special};

const LOC: Loc = Loc::at(0, 1, 1);
/// Outputs of the program behind.
const RESULTS: u32 = 3;
/// Roundings on a result's way, with room.
const ROUNDINGS: f64 = 64.0;

struct Builder {
    f: Func,
    b: Block,
}

impl Builder {
    fn new() -> Builder {
        let mut f = Func { name: "stage".into(), ..Func::default() };
        let b = f.new_block();
        Builder { f, b }
    }
    fn one(&mut self, kind: Kind) -> Value {
        self.f.push(self.b, kind, 1, LOC)[0]
    }
    fn float(&mut self, op: Op, a: Value, b: Value, exact: bool) -> Value {
        let v = self.one(Kind::Alu(op, vec![a, b]));
        if !exact {
            self.free();
        }
        v
    }
    fn number(&mut self, x: f32) -> Value {
        self.one(Kind::Const(x.to_bits()))
    }
    fn output(&mut self, word: u32, value: Value) {
        self.f.push(self.b, Kind::Output { word, value }, 0, LOC);
        self.free();
    }
    /// The last instruction has free roundings.
    fn free(&mut self) {
        if let Some(i) = self.f.blocks[self.b.index()].insts.last_mut() {
            i.exact = false;
        }
    }
    fn ended(mut self, fixed: u32) -> Program {
        self.f.push(self.b, Kind::Return(vec![]), 0, LOC);
        Program { fixed, ..stage(self.f) }
    }
}

/// A pair: three numbers of a vertex, multiples of them, and multiples of multiples; sums of all
/// behind. With `powers` all factors are powers of two.
fn pair(seed: u64, powers: bool) -> Chain {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut b = Builder::new();
    let vertex = b.one(Kind::Special(Special::VertexIndex));
    let vertex = b.one(Kind::Alu(Op::U2F, vec![vertex]));
    // Values with how they are read.
    let mut given: Vec<(Value, How)> = vec![];
    for _ in 0..3 {
        let word = rng.random_range(0..WORDS);
        let by = b.one(Kind::ConstWord(USER + word));
        let part = b.float(Op::FMul, vertex, by, true);
        let c = b.number(rng.random_range(0.5..2.0));
        let value = b.float(Op::FAdd, part, c, true);
        let how = [How::Flat, How::Perspective(0), How::Perspective(1), How::Linear(0)][rng.random_range(0..4)];
        given.push((value, how));
    }
    for _ in 0..rng.random_range(1..6) {
        let (of, mut how) = given[rng.random_range(0..given.len())];
        let by = match rng.random_range(0..3) {
            _ if powers => b.number([0.125, 0.5, 2.0, 8.0][rng.random_range(0..4)]),
            0 => {
                let word = rng.random_range(0..WORDS);
                b.one(Kind::ConstWord(USER + word))
            }
            _ => b.number(rng.random_range(0.1..3.0)),
        };
        let exact = rng.random_range(0..5) == 0;
        let product = if rng.random() { b.float(Op::FMul, of, by, exact) } else { b.float(Op::FMul, by, of, exact) };
        if rng.random_range(0..6) == 0 {
            how = How::Linear(2);
        }
        given.push((product, how));
    }
    let mut words: Vec<u32> = (FIXED..FIXED + given.len() as u32).collect();
    words.shuffle(&mut rng);
    given.iter().zip(&words).for_each(|(g, w)| b.output(*w, g.0));
    b.output(0, given[0].0);
    let first = b.ended(FIXED);
    let mut b = Builder::new();
    let inputs: Vec<Value> = given.iter().zip(&words).map(|(g, &word)| b.one(Kind::Input { word, how: g.1 })).collect();
    for word in 0..RESULTS {
        let mut sum = b.number(0.25);
        for &i in &inputs {
            let c = b.number(rng.random_range(0.5..2.0));
            let exact = rng.random_range(0..12) == 0;
            let term = if rng.random() { b.float(Op::FMul, i, c, exact) } else { i };
            sum = b.float(Op::FAdd, sum, term, exact);
        }
        b.output(word, sum);
    }
    let programs = vec![first, b.ended(u32::MAX)];
    Chain { programs, edges: vec![Edge { from: 0, to: 1 }], ..Chain::default() }
}

fn link(chain: &mut Chain, fault: Option<CompilerFault>) -> Vec<super::trace::Event> {
    let done = run(chain, &LinkOptions { values: &|_| None, snapshots: false, fault }).unwrap();
    done.iterations.into_iter().flat_map(|i| i.events).filter(|e| e.what == What::Scaled).collect()
}

/// What the second program gives in the middle of a triangle.
fn results(chain: &Chain, words: &[u32], weights: [f32; 3]) -> Vec<u32> {
    let corners: Vec<Outputs> = (1..4).map(|v| outputs(chain, 0, words, &|_, _| None, [v, 0]).unwrap()).collect();
    let mut inputs = BTreeMap::new();
    for (word, how) in chain.programs[1].inputs().into_keys() {
        let v = [0, 1, 2].map(|c: usize| f32::from_bits(corners[c][&word]));
        let sum = weights[0].mul_add(v[0], weights[1].mul_add(v[1], weights[2] * v[2]));
        let value = if how == How::Flat || v[0] == v[1] && v[0] == v[2] { v[0] } else { sum };
        inputs.insert(word, value.to_bits());
    }
    outputs(chain, 1, words, &|word, _| inputs.get(&word).copied(), [0, 0]).unwrap().into_values().collect()
}

/// Instructions of the second program with its interpolation. Words of the bank do not count: a
/// product reads them as an operand.
fn size(chain: &Chain) -> usize {
    let mut func = chain.programs[1].func.clone();
    let options = passes::Options::default();
    passes::inputs::run(&mut func, &options);
    pipeline::again(&mut func, &options, &mut Default::default()).unwrap();
    let insts = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
    insts.filter(|i| !matches!(i.kind, Kind::Const(_) | Kind::ConstWord(_))).count()
}

/// Pairs with merged outputs, words that differ from those without, and the first pair that is
/// wrong.
fn differing(powers: bool, fault: Option<CompilerFault>) -> (usize, usize, Option<String>) {
    let (mut merged, mut differ) = (0, 0);
    for seed in 0..200 {
        let before = pair(seed, powers);
        let mut after = before.clone();
        let events = link(&mut after, fault);
        merged += usize::from(!events.is_empty());
        assert!(events.iter().all(|e| e.why.contains("changes roundings") && e.places.len() == 1), "{events:?}");
        let mut apart = before.clone();
        apart.programs.iter_mut().for_each(|p| p.passes.skip.push(scaled::NAME.into()));
        assert!(link(&mut apart, None).is_empty(), "left out by name");
        let gone = apart.programs[0].outputs().len() - after.programs[0].outputs().len();
        assert_eq!(gone, events.len(), "seed {seed}");
        assert!(size(&after) <= size(&apart), "seed {seed}: {} and {}", size(&after), size(&apart));
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        for _ in 0..4 {
            let words: Vec<u32> = (0..WORDS).map(|_| rng.random_range(0.5f32..2.0).to_bits()).collect();
            let (a, b) = (rng.random_range(0.1f32..0.4), rng.random_range(0.1f32..0.4));
            let weights = [a, b, 1.0 - a - b];
            let (want, got) = (results(&before, &words, weights), results(&after, &words, weights));
            for (want, got) in want.into_iter().zip(got) {
                differ += usize::from(want != got);
                let [w, g] = [want, got].map(|x| f64::from(f32::from_bits(x)));
                let far = (w - g).abs() > w * ROUNDINGS * 2f64.powi(-24);
                if far || powers && want != got {
                    return (merged, differ, Some(format!("seed {seed}: {w} became {g}\n{}", after.programs[1].func)));
                }
            }
        }
    }
    (merged, differ, None)
}

#[test]
fn multiples_by_powers_of_two_change_no_bit() {
    let (merged, _, wrong) = differing(true, None);
    assert_eq!(wrong, None);
    assert!(merged > 50, "{merged} of 200 pairs");
}

#[test]
fn other_multiples_change_roundings_only() {
    let (merged, differ, wrong) = differing(false, None);
    assert_eq!(wrong, None);
    assert!(merged > 50 && differ > 50, "{merged} of 200 pairs, {differ} words differ");
}

#[test]
fn a_planted_inverted_factor_is_found() {
    assert!(differing(true, Some(CompilerFault::LinkScale)).2.is_some());
    assert!(differing(false, Some(CompilerFault::LinkScale)).2.is_some());
}

#[test]
fn exact_programs_keep_their_multiples() {
    for seed in 0..100 {
        for of in 0..2 {
            let mut chain = pair(seed, seed % 2 == 0);
            chain.programs[of].passes.exact = true;
            assert!(link(&mut chain, None).is_empty(), "seed {seed}");
        }
    }
}

/// A pair with one multiple; what is changed in it, and whether the multiple goes.
#[test]
fn only_free_multiples_of_what_is_read_alike_go() {
    let merges = |change: &dyn Fn(&mut Chain)| {
        let mut b = Builder::new();
        let vertex = b.one(Kind::Special(Special::VertexIndex));
        let c = b.number(0.3);
        let product = b.float(Op::FMul, vertex, c, false);
        b.output(FIXED, vertex);
        b.output(FIXED + 1, product);
        let first = b.ended(FIXED);
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|n| b.one(Kind::Input { word: FIXED + n, how: How::Perspective(0) }));
        let sum = b.float(Op::FAdd, x, y, false);
        b.output(0, sum);
        let programs = vec![first, b.ended(u32::MAX)];
        let mut chain = Chain { programs, edges: vec![Edge { from: 0, to: 1 }], ..Chain::default() };
        change(&mut chain);
        link(&mut chain, None).len() == 1
    };
    fn insts(chain: &mut Chain, p: usize) -> &mut Vec<crate::ssa::Inst> {
        &mut chain.programs[p].func.blocks[0].insts
    }
    assert!(merges(&|_| {}));
    assert!(!merges(&|c| insts(c, 0)[2].exact = true), "the product is exact");
    assert!(!merges(&|c| insts(c, 0)[4].exact = true), "the multiple is invariant");
    assert!(merges(&|c| insts(c, 0)[3].exact = true), "what it is a multiple of stays as it is");
    assert!(!merges(&|c| insts(c, 1)[2].exact = true), "the sum is exact");
    assert!(!merges(&|c| insts(c, 1)[2].kind = Kind::Alu(Op::FMax, vec![Value(0), Value(1)])), "no sum");
    assert!(!merges(&|c| insts(c, 1)[0].kind = Kind::ConstWord(USER)), "the other is not read");
    assert!(!merges(&|c| insts(c, 1)[1].kind = Kind::Input { word: FIXED + 1, how: How::Flat }), "read otherwise");
    let infinite = |c: &mut Chain| insts(c, 0)[1].kind = Kind::Const(f32::INFINITY.to_bits());
    assert!(!merges(&infinite), "no number");
    let uniform = |c: &mut Chain| insts(c, 0)[1].kind = Kind::ConstWord(USER);
    assert!(merges(&uniform));
    let elsewhere = |c: &mut Chain| {
        uniform(c);
        c.programs[1].uniforms.clear();
    };
    assert!(!merges(&elsewhere), "a uniform of the other program only");
}
