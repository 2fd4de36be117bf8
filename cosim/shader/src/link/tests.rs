//! Random chains of 3 to 5 stages, of which one program feeds up to 3 others, in the interpreter of
//! SSA: linked, they give what they gave before. The interpreter knows nothing of linking.

use std::collections::{BTreeMap, BTreeSet};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::chain::{Chain, Edge, Program};
use super::chain_run::{all_outputs, bank, corners, interpolated, look, outputs_with, Corners, Inputs, Outputs};
use super::random_chains::{chain, free_chain, stage, FIXED, USER, WAYS, WORDS};
use super::trace::{Event, What};
use super::uniform::Word;
use super::{run, LinkOptions, Linked};
use crate::derived;
use crate::fault::CompilerFault;
use crate::interface::{Derived, Step};
use crate::passes::{self, fuse};
use crate::random::ssa::tables::CORNERS;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Func, How, Kind, Loc, Value};

const LOC: Loc = Loc::at(0, 1, 1);

fn words(rng: &mut ChaCha8Rng) -> Vec<u32> {
    let one = |rng: &mut ChaCha8Rng| match rng.random_range(0..3) {
        0 => CORNERS[rng.random_range(0..CORNERS.len())],
        1 => rng.random_range(-4.0f32..4.0).to_bits(),
        _ => rng.random(),
    };
    (0..WORDS).map(|_| one(rng)).collect()
}

/// Links a chain of a seed, and compares what it gives; what linking did. Of three seeds one has no
/// uniform that is known, one has all known, and one has half of them.
fn linked(seed: u64, fault: Option<CompilerFault>) -> Result<(Chain, Linked), String> {
    let before = chain(seed);
    let mut after = before.clone();
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5EED);
    let values = words(&mut rng);
    let share = [0.0, 0.5, 1.0][seed as usize % 3];
    let known: Vec<bool> = (0..WORDS).map(|_| rng.random_bool(share)).collect();
    let slot = |w: Word| ((w.2 + if w.1 == 1 { 0 } else { w.1 }) % WORDS) as usize;
    let value = |word: Word| look(&values, word).filter(|_| known[slot(word)]);
    let done = run(&mut after, &LinkOptions { values: &value, snapshots: false, fault })?;
    for turn in 0..3 {
        // What is not known may be anything.
        let other = words(&mut rng);
        let now: Vec<u32> = (0..WORDS as usize).map(|w| if known[w] { values[w] } else { other[w] }).collect();
        let (want, got) = (all_outputs(&before, &now, turn)?, all_outputs(&after, &now, turn)?);
        for (p, got) in got.iter().enumerate() {
            let fixed = before.programs[p].fixed;
            for (want, got) in want[p].iter().zip(got) {
                let fixed_ones = want.keys().filter(|w| **w < fixed).all(|w| got.contains_key(w));
                let same = got.iter().all(|(w, v)| want.get(w) == Some(v));
                if !fixed_ones || !same {
                    let func = &after.programs[p].func;
                    return Err(format!("seed {seed}, program {p}: {want:x?} became {got:x?}\n{func}"));
                }
            }
        }
    }
    Ok((after, done))
}

/// Jumps to a block that dominates where they stand.
fn loops(chain: &Chain) -> usize {
    let back = |func: &Func| {
        let dom = Dominance::new(func);
        let blocks = func.layout.iter();
        let targets = blocks
            .flat_map(|b| func.blocks[b.index()].insts.iter().flat_map(|i| i.kind.targets()).map(|t| (t.block, *b)));
        targets.filter(|(to, from)| dom.dominates(*to, *from)).count()
    };
    chain.programs.iter().map(|p| back(&p.func)).sum()
}

/// The same words, linked or not, with all of what the chains are to have: loops that stay,
/// branches in loops that uniforms decide, every way to take an input.
#[test]
fn random_chains_give_the_same_linked() {
    let (mut removed, mut programs, mut turns) = (0, 0, 0);
    let (mut loops_left, mut in_loops) = (0, 0);
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    let mut ways: BTreeMap<How, usize> = BTreeMap::new();
    for seed in 0..count("QUADLOCK_SEEDS", 150) {
        let (after, done) = linked(seed, None).unwrap_or_else(|e| panic!("{e}"));
        let before = chain(seed);
        let count = |c: &Chain| c.programs.iter().map(|p| p.outputs().len()).sum::<usize>();
        removed += count(&before) - count(&after);
        programs += before.programs.len();
        turns = turns.max(done.iterations.len());
        loops_left += loops(&after);
        // Line 1 is outside of loops.
        in_loops += done.decisions.iter().flatten().filter(|d| d.loc.line > 1).count();
        done.iterations
            .iter()
            .flat_map(|i| &i.events)
            .for_each(|e| *told.entry(format!("{:?}", e.what)).or_default() += 1);
        let left = after.programs.iter().flat_map(Program::inputs);
        left.for_each(|((_, how), _)| *ways.entry(how).or_default() += 1);
    }
    println!("{removed} outputs of {programs} programs left, {turns} turns, {loops_left} loops stay");
    println!("{in_loops} decided in loops, {told:?}, {ways:?}");
    assert!(removed > programs, "{removed} outputs of {programs} programs left");
    assert!(turns > 2, "no chain needed more than {turns} turns");
    assert!(loops_left > 300 && in_loops > 100, "{loops_left} loops, {in_loops} decided in loops");
    for what in [What::Constant, What::Uniform, What::Identical, What::Flat, What::Derived, What::Decided] {
        assert!(told.get(&format!("{what:?}")).is_some_and(|n| *n > 10), "{what:?}: {told:?}");
    }
    assert!(WAYS.iter().all(|how| ways.get(how).is_some_and(|n| *n > 20)), "{ways:?}");
}

/// Each planted mistake of the linker gives another word, or a program that does not end.
#[test]
fn planted_faults_of_the_linker_are_found() {
    let mut missed = vec![];
    for name in ["link-other-arm", "link-one-site", "link-flat-branch", "link-flat-input", "link-loop-first"] {
        let fault = CompilerFault::by_name(name);
        assert!(fault.is_some_and(CompilerFault::is_of_linking), "{name}");
        match (0..150).find_map(|seed| linked(seed, fault).err()) {
            Some(why) => println!("{name}: {}", why.lines().next().unwrap_or_default()),
            None => missed.push(name),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

/// Runs a linked program with the words of its bank: the buffer's, and those that are derived.
fn with_bank(chain: &Chain, p: usize, now: &[u32], inputs: Inputs, d: &Derived) -> Outputs {
    let words = derived::words(d, &|group, binding, word| look(now, (group, binding, word))).unwrap();
    let last = words.iter().map(|w| w.0 + 1).max().unwrap_or(0).max(USER + WORDS);
    let mut bank: Vec<u32> = bank(chain, p, now);
    bank.resize((last - USER) as usize, 0);
    words.iter().for_each(|(at, value)| bank[(at - USER) as usize] = *value);
    outputs_with(chain, p, (now, &bank), inputs, [1, 0], &[]).unwrap()
}

/// Words of the bank for few and for many expressions: what finds no word is computed by the lanes
/// again, and every program gives what it gave. No two expressions have one word.
#[test]
fn a_full_bank_changes_nothing() {
    let (mut again, mut foreign, mut all) = (0, 0, 0);
    for seed in 0..90 {
        let (after, _) = linked(seed, None).unwrap();
        let now = words(&mut ChaCha8Rng::seed_from_u64(seed));
        let want = all_outputs(&after, &now, 0).unwrap();
        for p in 0..after.programs.len() {
            let feeder = after.feeder(p);
            let inputs = |word: u32, how: How| interpolated(&want[feeder?], word, how, 1);
            // As many words as the linker was told of, and more; with buffers' words that are
            // free, and without.
            let spare = after.programs[p].spare;
            for (first, bank) in [(USER, spare), (USER, spare + 40), (USER + WORDS, spare), (USER + WORDS, spare + 1)] {
                let mut chain = after.clone();
                let size = chain.programs[p].insts().count();
                let end = USER + WORDS + bank;
                let derived = super::words::allocate((p, &mut chain.programs[p]), &after.uniforms, first, end);
                let derived = derived.unwrap_or_else(|e| panic!("seed {seed}, program {p}: {e}")).unwrap_or_default();
                let own = after.programs[p].uniforms[0].buffer;
                let of_others = |s: &Step| matches!(s, Step::Uniform(g, b, _) if (*g, *b) != own);
                foreign += usize::from(derived.steps.iter().any(of_others));
                let places: BTreeSet<u32> = derived.words.iter().map(|w| w.0).collect();
                assert!(places.len() == derived.words.len() && places.iter().all(|w| (USER..end).contains(w)));
                again += usize::from(chain.programs[p].insts().count() > size);
                all += 1;
                let got = with_bank(&chain, p, &now, &inputs, &derived);
                assert_eq!(got, want[p][1], "seed {seed}, program {p}, {bank} words\n{}", chain.programs[p].func);
            }
        }
    }
    assert!(again > 20 && foreign > 20, "{again} of {all} computed something again, {foreign} have words of others");
}

/// What a program has no more in an iteration, the trace tells of it.
#[test]
fn every_removal_is_told() {
    let mut removed = 0;
    for seed in 0..100 {
        let mut c = chain(seed);
        for (n, p) in c.programs.iter_mut().enumerate() {
            p.name = format!("stage {n}");
        }
        let mut last: Vec<Program> = c.programs.clone();
        let values = words(&mut ChaCha8Rng::seed_from_u64(seed));
        let value = |word: Word| look(&values, word).filter(|_| word.2.is_multiple_of(2));
        let done = run(&mut c, &LinkOptions { values: &value, snapshots: true, fault: None }).unwrap();
        let mut told: Vec<&Event> = vec![];
        for (iteration, funcs) in done.iterations.iter().zip(&done.snapshots) {
            told.extend(&iteration.events);
            for (p, func) in funcs.iter().enumerate() {
                let now = Program { func: func.clone(), ..last[p].clone() };
                let says = |what: &[What], stage: &str, word: u32| {
                    let name = format!("word {word}");
                    told.iter().any(|e| what.contains(&e.what) && e.stage == stage && e.name == name)
                };
                let left = now.outputs();
                for word in last[p].outputs().into_keys().filter(|w| !left.contains_key(w)) {
                    assert!(says(&[What::Output], &now.name, word), "seed {seed}: output {word} of {}", now.name);
                    removed += 1;
                }
                let left = now.input_words();
                let feeder = c.feeder(p).map_or("", |f| last[f].name.as_str());
                for word in last[p].input_words().into_iter().filter(|w| !left.contains(w)) {
                    let known = [What::Constant, What::Uniform, What::Identical, What::Scaled];
                    let is_told = says(&[What::Input], &now.name, word) || says(&known, feeder, word);
                    assert!(is_told, "seed {seed}: input {word} of {}", now.name);
                    removed += 1;
                }
                last[p] = now;
            }
        }
    }
    assert!(removed > 1000, "{removed}");
}

/// Fused, a chain and the same chain linked may give other words. Each that differs has a recorded
/// fusion: with one rounding at the recorded sites, and nowhere else, the unfused programs give
/// what the fused ones do; and the unfused ones are alike. Invariant outputs differ in nothing, nor
/// do those of the first program that stand for its position.
#[test]
fn what_differs_with_fusion_is_traced_to_it() {
    let (mut differ, mut sites, mut invariants) = (0, 0, 0);
    for seed in 0..count("QUADLOCK_SEEDS", 150) {
        let before = free_chain(seed).unwrap();
        let mut after = before.clone();
        // Corners would make most results NaN.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let now: Vec<u32> = (0..WORDS).map(|_| rng.random_range(-4.0f32..4.0).to_bits()).collect();
        let known = |w: Word| look(&now, w).filter(|_| seed % 3 > 0);
        run(&mut after, &LinkOptions { values: &known, snapshots: false, fault: None }).unwrap();
        let mut given = vec![];
        for chain in [&before, &after] {
            // Of each program without fusion and with it.
            let mut all: Vec<[Corners; 2]> = vec![];
            for p in 0..chain.programs.len() {
                let mut fused = chain.clone();
                let joined = fuse::run(&mut fused.programs[p].func, &passes::Options::default());
                sites += joined.len();
                let joined: Vec<(Value, Value)> = joined.iter().map(|s| (s.result, s.product)).collect();
                let (feeder, bank) = (chain.feeder(p), bank(chain, p, &now));
                let one = |chain: &Chain, form: usize, joined: &[(Value, Value)]| {
                    let run = |k: usize| {
                        let inputs = |word: u32, how: How| interpolated(&all[feeder?][form], word, how, k);
                        let at = [0x3FC9_0FDB + 0x0021_2345 * k as u32, 3];
                        outputs_with(chain, p, (&now, &bank), &inputs, at, joined)
                    };
                    corners(run).unwrap()
                };
                let (exact, rounded) = (one(chain, 0, &[]), one(&fused, 1, &[]));
                assert_eq!(one(chain, 1, &joined), rounded, "seed {seed}, program {p}");
                // Of the same inputs.
                let alike = one(&fused, 0, &[]);
                for word in invariant(&chain.programs[p]) {
                    invariants += 1;
                    let [a, b] = [&exact, &alike].map(|all| all.each_ref().map(|o| o[&word]));
                    assert_eq!(a, b, "seed {seed}, program {p}: word {word} is invariant");
                }
                all.push([exact, rounded]);
            }
            given.push(all);
        }
        for (p, [exact, rounded]) in given[1].iter().enumerate() {
            for k in 0..3 {
                for (word, value) in &exact[k] {
                    assert_eq!(given[0][p][0][k].get(word), Some(value), "seed {seed}, program {p}, word {word}");
                    let same = given[0][p][1][k].get(word) == rounded[k].get(word);
                    assert!(same || p > 0 || *word >= FIXED, "seed {seed}: word {word} is of the position");
                    differ += usize::from(!same);
                }
            }
        }
    }
    println!("{sites} sites, {differ} words differ between fused chains alone and linked, {invariants} invariant");
    assert!(sites > 100 && differ > 3 && invariants > 500, "{sites} {differ} {invariants}");
}

/// Outputs that are exact wherever they are given.
fn invariant(program: &Program) -> Vec<u32> {
    let mut out: BTreeMap<u32, bool> = BTreeMap::new();
    for inst in program.insts() {
        if let Kind::Output { word, .. } = inst.kind {
            *out.entry(word).or_insert(true) &= inst.exact;
        }
    }
    out.into_iter().filter(|o| o.1).map(|o| o.0).collect()
}

fn count(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A linked chain is at its fixed point: linked again, nothing changes.
fn is_at_its_end(fault: Option<CompilerFault>) -> Result<(), String> {
    for seed in 0..40 {
        let (mut after, _) = linked(seed, fault)?;
        let once: Vec<Func> = after.programs.iter().map(|p| p.func.clone()).collect();
        run(&mut after, &LinkOptions { values: &|_| None, snapshots: false, fault: None })?;
        if let Some(p) = (0..once.len()).find(|p| after.programs[*p].func != once[*p]) {
            return Err(format!("seed {seed}: program {p} was not at its end"));
        }
    }
    Ok(())
}

/// A constant of the first program comes through programs that only hand it on.
fn comes_through(fault: Option<CompilerFault>) -> Result<(), String> {
    let mut c = Chain::default();
    for n in 0..5 {
        let mut p = stage(Func { name: "stage".into(), ..Func::default() });
        let b = p.func.new_block();
        let kind = if n == 0 { Kind::Const(7) } else { Kind::Input { word: 4, how: How::Perspective(0) } };
        let value = p.func.push(b, kind, 1, LOC)[0];
        p.func.push(b, Kind::Output { word: 4, value }, 0, LOC);
        p.func.push(b, Kind::Return(vec![]), 0, LOC);
        p.fixed = if n == 4 { u32::MAX } else { FIXED };
        c.edges.extend((n > 0).then(|| Edge { from: n - 1, to: n }));
        c.programs.push(p);
    }
    run(&mut c, &LinkOptions { values: &|_| None, snapshots: false, fault })?;
    let last = &c.programs[4];
    let left: usize = c.programs[..4].iter().map(|p| p.outputs().len()).sum();
    let constant = last.insts().any(|i| i.kind == Kind::Const(7)) && last.input_words().is_empty();
    match constant && left == 0 {
        true => Ok(()),
        false => Err(format!("{left} outputs are left\n{}", last.func)),
    }
}

#[test]
fn a_linked_chain_is_at_its_end() {
    is_at_its_end(None).unwrap();
}

#[test]
fn constants_come_through_five_programs() {
    comes_through(None).unwrap();
}

/// With the third test, of the source's example, in tests/linking.rs.
#[test]
fn a_linker_that_stops_after_one_iteration_fails_both() {
    assert!(is_at_its_end(Some(CompilerFault::LinkOnce)).is_err());
    assert!(comes_through(Some(CompilerFault::LinkOnce)).is_err());
}
