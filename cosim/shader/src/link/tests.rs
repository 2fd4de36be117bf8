//! Random chains of 3 to 5 stages, of which one program feeds up to 3 others, in the interpreter of
//! SSA: linked, they give what they gave before. The interpreter knows nothing of linking.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::chain::{Chain, Edge, Program, UniformBuffer, UniformWords};
use super::trace::{Event, What};
use super::uniform::{Node, Table, Word, FIRST};
use super::{run, LinkOptions, Linked};
use crate::derived;
use crate::fault::CompilerFault;
use crate::interface::{Derived, Step};
use crate::passes::pipeline::Statistics;
use crate::passes::{self, fuse};
use crate::ssa::interp::{self, Launch};
use crate::ssa::{Block, Func, FuncId, How, Kind, Loc, Module, Space, Target, Value, Width};
use quadlock_isa::{Op, Special};

/// First constant word of the one uniform buffer.
pub(super) const USER: u32 = 40;
/// Words of it.
pub(super) const WORDS: u32 = 6;
/// Constant word with the address of another uniform buffer, none of whose words are in the bank.
const BASE: u32 = 20;
/// That address.
const BUFFER: usize = 512;
/// Words of it.
const FAR: u32 = 16;
/// Where inputs stand among the constants of a run.
const INPUTS: u32 = 1 << 12;
/// Where outputs go in memory.
const OUTPUTS: u32 = 1024;
/// First output that may be removed.
pub(super) const FIXED: u32 = 2;
const LOC: Loc = Loc::at(0, 1, 1);

/// Corner values of floats and integers.
const CORNERS: [u32; 12] = [
    0,
    1,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x0000_0001,
    0x7F7F_FFFF,
    0x4040_0000,
    0xFFFF_FFFF,
];

const OPS: [Op; 14] = [
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FMin,
    Op::FMax,
    Op::IAdd,
    Op::ISub,
    Op::And,
    Op::Xor,
    Op::IMul,
    Op::FSetLt,
    Op::FSetGe,
    Op::USetLt,
    Op::ISetEq,
];

struct Maker {
    rng: ChaCha8Rng,
    func: Func,
    block: Block,
    pool: Vec<Value>,
}

impl Maker {
    fn push(&mut self, kind: Kind) -> Value {
        let v = self.func.push(self.block, kind, 1, LOC)[0];
        self.pool.push(v);
        v
    }
    fn any(&mut self) -> Value {
        let n = self.rng.random_range(0..self.pool.len());
        self.pool[n]
    }
    fn some(&mut self, count: usize) {
        for _ in 0..count {
            let (a, b) = (self.any(), self.any());
            let op = OPS[self.rng.random_range(0..OPS.len())];
            match self.rng.random_range(0..8) {
                0 => {
                    let c = self.any();
                    self.push(Kind::Alu(Op::Sel, vec![a, b, c]));
                }
                _ => {
                    self.push(Kind::Alu(op, vec![a, b]));
                }
            }
        }
    }
}

/// A program that reads `inputs` words and gives `outputs` words from word 0 on.
fn program(rng: &mut ChaCha8Rng, inputs: u32, outputs: u32) -> Program {
    let mut func = Func { name: "stage".into(), ..Func::default() };
    let block = func.new_block();
    let mut m = Maker { rng: ChaCha8Rng::seed_from_u64(rng.random()), func, block, pool: vec![] };
    for word in 0..inputs {
        m.push(Kind::Input { word, how: How::Perspective(0) });
    }
    for at in 0..WORDS {
        m.push(Kind::ConstWord(USER + at));
    }
    if inputs == 0 {
        m.push(Kind::Special(Special::VertexIndex));
    }
    for _ in 0..2 {
        let addr = m.func.push(m.block, Kind::ConstWord(BASE), 1, LOC)[0];
        let offset = 4 * m.rng.random_range(0..FAR as i32);
        m.push(Kind::Load { space: Space::ReadOnly, width: Width::W32, addr, offset });
    }
    m.push(Kind::Const(CORNERS[rng.random_range(0..CORNERS.len())]));
    let before = rng.random_range(2..8);
    m.some(before);
    for _ in 0..rng.random_range(0..3) {
        // A branch whose arms give two values.
        let cond = m.any();
        let (then, other, join) = (m.func.new_block(), m.func.new_block(), m.func.new_block());
        let arms = Kind::Branch {
            cond,
            then: Target { block: then, args: vec![] },
            other: Target { block: other, args: vec![] },
        };
        m.func.push(m.block, arms, 0, LOC);
        let known = m.pool.len();
        for arm in [then, other] {
            m.block = arm;
            let count = m.rng.random_range(0..4);
            m.some(count);
            let args = vec![m.any(), m.any()];
            m.func.push(arm, Kind::Jump(Target { block: join, args }), 0, LOC);
            m.pool.truncate(known);
        }
        let params = [m.func.new_value(), m.func.new_value()];
        m.func.blocks[join.index()].params = params.to_vec();
        m.pool.extend(params);
        m.block = join;
        let count = m.rng.random_range(1..5);
        m.some(count);
    }
    for word in 0..outputs {
        // The newest values most often, so that there is something to lose.
        let n = m.pool.len() - 1 - m.rng.random_range(0..m.pool.len().min(8));
        let value = m.pool[n];
        m.func.push(m.block, Kind::Output { word, value }, 0, LOC);
    }
    m.func.push(m.block, Kind::Return(vec![]), 0, LOC);
    stage(m.func)
}

/// A program with this entry function.
pub(super) fn stage(func: Func) -> Program {
    Program {
        name: "stage".into(),
        func,
        files: vec!["stage".into()],
        fixed: FIXED,
        w: None,
        names: BTreeMap::new(),
        attributes: vec![],
        uniforms: vec![UniformWords { at: USER, words: WORDS, buffer: (0, 0) }],
        spare: 200,
        buffers: vec![UniformBuffer { base: BASE, bytes: 4 * FAR, buffer: (0, 1) }],
        passes: passes::Options::default(),
        statistics: Statistics::default(),
    }
}

/// A tree of programs of 3 to 5 stages, of which each feeds up to three.
fn chain(seed: u64) -> Chain {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let stages = rng.random_range(3..6);
    let mut chain = Chain { uniforms: Table::default(), ..Chain::default() };
    let mut last = vec![];
    for stage in 0..stages {
        let feeders = std::mem::take(&mut last);
        let feeders: Vec<Option<usize>> = if stage == 0 { vec![None] } else { feeders.into_iter().map(Some).collect() };
        for from in feeders {
            let readers = if stage == 0 { 1 } else { rng.random_range(1..4) };
            for _ in 0..readers {
                // No more programs than a test has time for.
                if chain.programs.len() > 14 && last.iter().any(|_| true) {
                    break;
                }
                let inputs = from.map_or(0, |f: usize| chain.programs[f].outputs().len() as u32);
                let outputs = rng.random_range(3..8);
                last.push(chain.programs.len());
                chain.edges.extend(from.map(|from| Edge { from, to: chain.programs.len() }));
                let mut program = program(&mut rng, inputs, outputs);
                program.uniforms[0].buffer.1 = 2 * rng.random_range(0..2);
                program.spare = [0, 3, 200, 200, 200][rng.random_range(0..5)];
                chain.programs.push(program);
            }
        }
    }
    for p in 0..chain.programs.len() {
        if chain.readers(p).is_empty() {
            chain.programs[p].fixed = u32::MAX;
        }
    }
    chain
}

/// A word of the buffers: of the one in memory, or of one in the bank, which begins with another of
/// `words`.
fn look(words: &[u32], (_, binding, word): Word) -> Option<u32> {
    let turned = |by: u32| words.get(((word + by) % WORDS) as usize).copied();
    match binding {
        1 => Some(turned(0)?.rotate_left(word)).filter(|_| word < FAR),
        by => turned(by).filter(|_| word < WORDS),
    }
}

/// The bank of a program: the words of its buffer.
fn bank(chain: &Chain, p: usize, words: &[u32]) -> Vec<u32> {
    let (group, binding) = chain.programs[p].uniforms[0].buffer;
    (0..WORDS).filter_map(|word| look(words, (group, binding, word))).collect()
}

/// What a program gives: by word. `words` are the buffers', `inputs` what the program before gave.
pub(super) fn outputs(
    chain: &Chain,
    p: usize,
    words: &[u32],
    inputs: &BTreeMap<u32, u32>,
    vertex: u32,
) -> Result<BTreeMap<u32, u32>, String> {
    outputs_with(chain, p, (words, &bank(chain, p, words)), inputs, vertex, &[])
}

/// The same with all of a bank, and with one rounding at these sites.
fn outputs_with(
    chain: &Chain,
    p: usize,
    (words, bank): (&[u32], &[u32]),
    inputs: &BTreeMap<u32, u32>,
    vertex: u32,
    joined: &[(Value, Value)],
) -> Result<BTreeMap<u32, u32>, String> {
    let mut func = chain.programs[p].func.clone();
    let mut constants = vec![0; FIRST as usize + chain.uniforms.count()];
    constants[USER as usize..][..bank.len()].copy_from_slice(bank);
    for (word, value) in inputs {
        constants[(INPUTS + word) as usize] = *value;
    }
    constants[BASE as usize] = BUFFER as u32;
    let known = |word: Word| look(words, word);
    for n in 0..chain.uniforms.count() as u32 {
        constants[(FIRST + n) as usize] = chain.uniforms.value(Node(n), &known).unwrap_or(0);
    }
    let mut given = vec![];
    for b in func.layout.clone() {
        let mut out = vec![];
        for mut inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            match inst.kind {
                Kind::Input { word, .. } => inst.kind = Kind::ConstWord(INPUTS + word),
                Kind::Special(Special::VertexIndex) => inst.kind = Kind::Const(vertex),
                Kind::Output { word, value } => {
                    given.push(word);
                    let addr = func.new_value();
                    let mut address = inst.clone();
                    (address.kind, address.results) = (Kind::Const(OUTPUTS), vec![addr]);
                    out.push(address);
                    let (space, width, offset) = (Space::Global, Width::W32, 4 * word as i32);
                    inst.kind = Kind::Store { space, width, addr, offset, values: vec![value] };
                }
                _ => {}
            }
            out.push(inst);
        }
        func.blocks[b.index()].insts = out;
    }
    let mut memory = vec![0; OUTPUTS as usize + 256];
    for word in 0..FAR {
        let bytes = look(words, (0, 1, word)).unwrap_or(0).to_le_bytes();
        memory[BUFFER + 4 * word as usize..][..4].copy_from_slice(&bytes);
    }
    let launch = Launch { constants, ..Launch::default() };
    let module = Module { funcs: vec![func], files: vec![] };
    interp::run_joined(&module, FuncId(0), &launch, &mut memory, joined).map_err(|e| format!("program {p}: {e:?}"))?;
    let at = |word: u32| (OUTPUTS + 4 * word) as usize;
    let word = |w: u32| memory[at(w)..at(w) + 4].iter().rev().fold(0, |all, b| all << 8 | u32::from(*b));
    Ok(given.into_iter().map(|w| (w, word(w))).collect())
}

/// Everything that all programs give, one behind the other.
fn all_outputs(chain: &Chain, words: &[u32], vertex: u32) -> Result<Vec<BTreeMap<u32, u32>>, String> {
    let mut all: Vec<BTreeMap<u32, u32>> = vec![];
    for p in 0..chain.programs.len() {
        let inputs = chain.feeder(p).map_or(BTreeMap::new(), |f| all[f].clone());
        all.push(outputs(chain, p, words, &inputs, vertex)?);
    }
    Ok(all)
}

fn words(rng: &mut ChaCha8Rng) -> Vec<u32> {
    let one = |rng: &mut ChaCha8Rng| match rng.random_range(0..3) {
        0 => CORNERS[rng.random_range(0..CORNERS.len())],
        1 => rng.random_range(-4.0f32..4.0).to_bits(),
        _ => rng.random(),
    };
    (0..WORDS).map(|_| one(rng)).collect()
}

/// Links a chain of a seed, and compares what it gives; what linking did.
fn linked(seed: u64, fault: Option<CompilerFault>) -> Result<(Chain, Linked), String> {
    let before = chain(seed);
    let mut after = before.clone();
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5EED);
    let values = words(&mut rng);
    let known: Vec<bool> = (0..WORDS).map(|_| rng.random_bool(0.5)).collect();
    let slot = |w: Word| ((w.2 + if w.1 == 1 { 0 } else { w.1 }) % WORDS) as usize;
    let value = |word: Word| look(&values, word).filter(|_| known[slot(word)]);
    let done = run(&mut after, &LinkOptions { values: &value, snapshots: false, fault })?;
    for turn in 0..4 {
        // What is not known may be anything.
        let other = words(&mut rng);
        let now: Vec<u32> = (0..WORDS as usize).map(|w| if known[w] { values[w] } else { other[w] }).collect();
        let (want, got) = (all_outputs(&before, &now, turn)?, all_outputs(&after, &now, turn)?);
        for (p, got) in got.iter().enumerate() {
            let fixed = before.programs[p].fixed;
            let fixed_ones = want[p].keys().filter(|w| **w < fixed).all(|w| got.contains_key(w));
            let same = got.iter().all(|(w, v)| want[p].get(w) == Some(v));
            if !fixed_ones || !same {
                return Err(format!(
                    "seed {seed}, program {p}: {:x?} became {got:x?}\n{}",
                    want[p], after.programs[p].func
                ));
            }
        }
    }
    Ok((after, done))
}

#[test]
fn random_chains_give_the_same_linked() {
    let (mut removed, mut programs, mut turns) = (0, 0, 0);
    for seed in 0..300 {
        let (after, done) = linked(seed, None).unwrap_or_else(|e| panic!("{e}"));
        let before = chain(seed);
        let count = |c: &Chain| c.programs.iter().map(|p| p.outputs().len()).sum::<usize>();
        removed += count(&before) - count(&after);
        programs += before.programs.len();
        turns = turns.max(done.iterations.len());
    }
    assert!(removed > programs, "{removed} outputs of {programs} programs left");
    assert!(turns > 2, "no chain needed more than {turns} turns");
}

#[test]
fn a_branch_that_is_decided_wrongly_is_found() {
    let wrong = (0..60).filter_map(|seed| linked(seed, Some(CompilerFault::LinkOtherArm)).err()).next();
    assert!(wrong.is_some_and(|w| w.contains("became")));
}

/// Runs a linked program with the words of its bank: the buffer's, and those that are derived.
fn with_bank(chain: &Chain, p: usize, now: &[u32], inputs: &BTreeMap<u32, u32>, d: &Derived) -> BTreeMap<u32, u32> {
    let words = derived::words(d, &|group, binding, word| look(now, (group, binding, word))).unwrap();
    let last = words.iter().map(|w| w.0 + 1).max().unwrap_or(0).max(USER + WORDS);
    let mut bank: Vec<u32> = bank(chain, p, now);
    bank.resize((last - USER) as usize, 0);
    words.iter().for_each(|(at, value)| bank[(at - USER) as usize] = *value);
    outputs_with(chain, p, (now, &bank), inputs, 0, &[]).unwrap()
}

/// Words of the bank for few and for many expressions: what finds no word is computed by the lanes
/// again, and every program gives what it gave. No two expressions have one word.
#[test]
fn a_full_bank_changes_nothing() {
    let (mut again, mut foreign, mut all) = (0, 0, 0);
    for seed in 0..120 {
        let (after, _) = linked(seed, None).unwrap();
        let now = words(&mut ChaCha8Rng::seed_from_u64(seed));
        let want = all_outputs(&after, &now, 0).unwrap();
        for p in 0..after.programs.len() {
            let inputs = after.feeder(p).map_or(BTreeMap::new(), |f| want[f].clone());
            // As many words as the linker was told of, and more; with buffers' words that are
            // free, and without.
            let spare = after.programs[p].spare;
            for (first, bank) in [(USER, spare), (USER, spare + 40), (USER + WORDS, spare), (USER + WORDS, spare + 1)] {
                let mut chain = after.clone();
                let size = chain.programs[p].insts().count();
                let end = USER + WORDS + bank;
                let derived = super::words::allocate(&mut chain.programs[p], &after.uniforms, first, end);
                let derived = derived.unwrap_or_else(|e| panic!("seed {seed}, program {p}: {e}")).unwrap_or_default();
                let own = after.programs[p].uniforms[0].buffer;
                let of_others = |s: &Step| matches!(s, Step::Uniform(g, b, _) if (*g, *b) != own);
                foreign += usize::from(derived.steps.iter().any(of_others));
                let places: std::collections::BTreeSet<u32> = derived.words.iter().map(|w| w.0).collect();
                assert!(places.len() == derived.words.len() && places.iter().all(|w| (USER..end).contains(w)));
                again += usize::from(chain.programs[p].insts().count() > size);
                all += 1;
                let got = with_bank(&chain, p, &now, &inputs, &derived);
                assert_eq!(got, want[p], "seed {seed}, program {p}, {bank} words\n{}", chain.programs[p].func);
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
        let value = |word: Word| look(&values, word).filter(|_| word.2 % 2 == 0);
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
/// what the fused ones do; and the unfused ones are alike.
#[test]
fn what_differs_with_fusion_is_traced_to_it() {
    let (mut differ, mut sites) = (0, 0);
    for seed in 0..count("QUADLOCK_SEEDS", 300) {
        let before = free_chain(seed);
        let mut after = before.clone();
        // Corners would make most results NaN.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let now: Vec<u32> = (0..WORDS).map(|_| rng.random_range(-4.0f32..4.0).to_bits()).collect();
        run(&mut after, &LinkOptions { values: &|w| look(&now, w), snapshots: false, fault: None }).unwrap();
        let mut given = vec![];
        for chain in [&before, &after] {
            let mut all: Vec<[BTreeMap<u32, u32>; 2]> = vec![];
            for p in 0..chain.programs.len() {
                let mut fused = chain.clone();
                let joined = fuse::run(&mut fused.programs[p].func, &passes::Options::default());
                sites += joined.len();
                let joined: Vec<(Value, Value)> = joined.iter().map(|s| (s.result, s.product)).collect();
                let inputs = |form: usize| chain.feeder(p).map_or(BTreeMap::new(), |f| all[f][form].clone());
                let bank = bank(chain, p, &now);
                let one = |chain: &Chain, form: usize, joined: &[(Value, Value)]| {
                    outputs_with(chain, p, (&now, &bank), &inputs(form), 0x3FC9_0FDB, joined).unwrap()
                };
                let (exact, rounded) = (one(chain, 0, &[]), one(&fused, 1, &[]));
                assert_eq!(one(chain, 1, &joined), rounded, "seed {seed}, program {p}");
                all.push([exact, rounded]);
            }
            given.push(all);
        }
        for (p, [exact, rounded]) in given[1].iter().enumerate() {
            for (word, value) in exact {
                assert_eq!(given[0][p][0].get(word), Some(value), "seed {seed}, program {p}, word {word}");
                differ += usize::from(given[0][p][1].get(word) != rounded.get(word));
            }
        }
    }
    println!("{sites} sites, {differ} words differ between fused chains alone and linked");
    assert!(sites > 150 && differ > 3, "{sites} {differ}");
}

/// A chain of a seed in which most float operations are free.
fn free_chain(seed: u64) -> Chain {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xF4EE);
    let mut chain = chain(seed);
    for program in &mut chain.programs {
        // A multiple would be another rounding.
        program.passes.skip.push("scaled-outputs".into());
        for block in &mut program.func.blocks {
            for inst in &mut block.insts {
                // More sums and products.
                if let Kind::Alu(op, _) = &mut inst.kind {
                    *op = match *op {
                        Op::IAdd | Op::Xor | Op::FMax => Op::FAdd,
                        Op::IMul | Op::And | Op::FMin => Op::FMul,
                        Op::ISub => Op::FSub,
                        other => other,
                    };
                }
                let float = matches!(inst.kind, Kind::Alu(Op::FAdd | Op::FSub | Op::FMul, _));
                inst.exact = !float || rng.random_bool(0.1);
            }
        }
    }
    chain
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
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut c = Chain::default();
    for stage in 0..5 {
        let mut p = program(&mut rng, 0, 0);
        p.func = Func { name: "stage".into(), ..Func::default() };
        let b = p.func.new_block();
        let kind = if stage == 0 { Kind::Const(7) } else { Kind::Input { word: 4, how: How::Perspective(0) } };
        let value = p.func.push(b, kind, 1, LOC)[0];
        p.func.push(b, Kind::Output { word: 4, value }, 0, LOC);
        p.func.push(b, Kind::Return(vec![]), 0, LOC);
        p.fixed = if stage == 4 { u32::MAX } else { FIXED };
        c.edges.extend((stage > 0).then(|| Edge { from: stage - 1, to: stage }));
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
