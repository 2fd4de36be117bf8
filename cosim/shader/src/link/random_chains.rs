//! Random chains for the linker's tests: trees of programs of 3 to 5 stages, of which each program
//! feeds up to three others.
//!
//! A program has arms, loops of at most three turns, early returns, and branches on uniforms in all
//! of them. It takes its inputs in every way there is, at every place, and gives some outputs that
//! are known, flat or equal. Operations and corner values are those of random SSA programs. What is
//! drawn too seldom is not tested: the tests count loops, decisions in them and ways.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::chain::{Chain, Edge, Program, UniformBuffer, UniformWords};
use super::uniform::Table;
use crate::passes;
use crate::passes::pipeline::{self, Statistics};
use crate::random::ssa::tables::{BINARY, COMPARE, CORNERS, TERNARY, UNARY};
use crate::ssa::{Block, Func, FuncId, How, Kind, Loc, Module, Space, Target, Value, Width};
use quadlock_isa::{Op, Special};

/// First constant word of the one uniform buffer.
pub(super) const USER: u32 = 40;
/// Words of it.
pub(super) const WORDS: u32 = 6;
/// Constant word with the address of another uniform buffer, none of whose words are in the bank.
pub(super) const BASE: u32 = 20;
/// Words of that.
pub(super) const FAR: u32 = 16;
/// First output that may be removed.
pub(super) const FIXED: u32 = 2;
/// Column of an operation that another must not take the place of.
const KEPT: u32 = 2;
/// Ways to take an input.
pub(super) const WAYS: [How; 7] = [
    How::Flat,
    How::Perspective(0),
    How::Perspective(1),
    How::Perspective(2),
    How::Linear(0),
    How::Linear(1),
    How::Linear(2),
];

/// What an output is.
#[derive(Clone, Copy)]
enum Plan {
    /// This, wherever it is given.
    Always(Value),
    /// What the word before it is.
    Copy,
    /// What was computed where it is given.
    Any,
}

struct Maker<'a> {
    rng: ChaCha8Rng,
    func: Func,
    block: Block,
    /// Values that dominate the current place.
    pool: Vec<Value>,
    /// How each input is taken.
    ways: &'a [How],
    plans: Vec<Plan>,
    /// Loops around the current place.
    loops: u32,
}

impl Maker<'_> {
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())]
    }

    /// The line is 1, and one more for each loop around.
    fn emit(&mut self, kind: Kind, results: usize) -> Vec<Value> {
        self.func.push(self.block, kind, results, Loc::at(0, 1 + self.loops, 1))
    }

    /// An operation that has to stay as it is: it counts turns, or makes an address.
    fn kept(&mut self, op: Op, args: [Value; 2]) -> Value {
        let loc = Loc::at(0, 1 + self.loops, KEPT);
        self.func.push(self.block, Kind::Alu(op, args.to_vec()), 1, loc)[0]
    }

    fn one(&mut self, kind: Kind) -> Value {
        self.emit(kind, 1)[0]
    }

    fn push(&mut self, kind: Kind) -> Value {
        let v = self.one(kind);
        self.pool.push(v);
        v
    }

    fn label(&mut self, params: usize) -> Block {
        let b = self.func.new_detached_block();
        self.func.blocks[b.index()].params = (0..params).map(|_| self.func.new_value()).collect();
        b
    }

    fn params(&self, b: Block) -> Vec<Value> {
        self.func.blocks[b.index()].params.clone()
    }

    fn start(&mut self, b: Block) {
        self.func.layout.push(b);
        self.block = b;
        self.pool.extend(self.params(b));
    }

    fn jump(&mut self, block: Block, args: Vec<Value>) {
        self.emit(Kind::Jump(Target { block, args }), 0);
    }

    fn branch(&mut self, cond: Value, [then, other]: [(Block, Vec<Value>); 2]) {
        let [then, other] = [then, other].map(|(block, args)| Target { block, args });
        self.emit(Kind::Branch { cond, then, other }, 0);
    }

    /// Half of the time one of the newest.
    fn any(&mut self) -> Value {
        let n = self.pool.len();
        let from = if self.chance(50) { n.saturating_sub(5) } else { 0 };
        self.pool[self.rng.random_range(from..n)]
    }

    fn input(&mut self, word: u32) -> Value {
        let usual = self.ways[word as usize];
        let how = if self.chance(15) { self.pick(&WAYS) } else { usual };
        self.push(Kind::Input { word, how })
    }

    /// A word of a buffer, or a constant.
    fn uniform(&mut self) -> Value {
        match self.rng.random_range(0..10) {
            0 => {
                let c = self.pick(CORNERS);
                self.one(Kind::Const(c))
            }
            1 | 2 => {
                let addr = self.one(Kind::ConstWord(BASE));
                let offset = 4 * self.rng.random_range(0..FAR as i32);
                self.one(Kind::Load { space: Space::ReadOnly, width: Width::W32, addr, offset })
            }
            _ => {
                let word = self.rng.random_range(0..WORDS);
                self.one(Kind::ConstWord(USER + word))
            }
        }
    }

    /// What jumps bring to a block.
    fn args(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| if self.chance(40) { self.uniform() } else { self.any() }).collect()
    }

    /// More often than not of uniforms alone.
    fn condition(&mut self) -> Value {
        let op = self.pick(COMPARE);
        let args = if self.chance(65) { [self.uniform(), self.uniform()] } else { [self.any(), self.any()] };
        self.one(Kind::Alu(op, args.to_vec()))
    }

    /// A product, and a sum with it, which is all that reads it.
    fn product_and_sum(&mut self) {
        let [a, b, c] = [self.any(), self.any(), self.any()];
        let product = self.one(Kind::Alu(Op::FMul, vec![a, b]));
        let op = self.pick(&[Op::FAdd, Op::FSub]);
        self.push(Kind::Alu(op, vec![product, c]));
    }

    fn arithmetic(&mut self) {
        if self.chance(15) {
            return self.product_and_sum();
        }
        let (list, count) = match self.rng.random_range(0..10) {
            0 => (UNARY, 1),
            1 => (TERNARY, 3),
            2 => (COMPARE, 2),
            _ => (BINARY, 2),
        };
        let op = self.pick(list);
        let mut args: Vec<Value> = (0..count).map(|_| self.any()).collect();
        if op == Op::Sel && self.chance(50) {
            args[2] = self.condition();
        }
        self.push(Kind::Alu(op, args));
    }

    /// A word of the buffer in memory, at a place that is computed.
    fn load(&mut self) {
        let (at, mask, two) = (self.any(), self.one(Kind::Const(FAR - 1)), self.one(Kind::Const(2)));
        let at = self.kept(Op::And, [at, mask]);
        let at = self.kept(Op::Shl, [at, two]);
        let base = self.one(Kind::ConstWord(BASE));
        let addr = self.kept(Op::IAdd, [at, base]);
        self.push(Kind::Load { space: Space::ReadOnly, width: Width::W32, addr, offset: 0 });
    }

    fn region(&mut self, depth: u32, budget: u32) {
        for _ in 0..budget {
            match self.rng.random_range(0..20) {
                0..3 if depth > 0 => self.conditional(depth, budget / 2),
                3..6 if depth > 0 => self.counted_loop(depth, budget / 2),
                6 => self.load(),
                7 | 8 if !self.ways.is_empty() => {
                    let word = self.rng.random_range(0..self.ways.len() as u32);
                    self.input(word);
                }
                _ => self.arithmetic(),
            }
        }
    }

    fn conditional(&mut self, depth: u32, budget: u32) {
        let cond = self.condition();
        let count = self.rng.random_range(0..3);
        let (then, other, join) = (self.label(0), self.label(0), self.label(count));
        self.branch(cond, [(then, vec![]), (other, vec![])]);
        let scope = self.pool.len();
        for (arm, may_end) in [(then, true), (other, false)] {
            self.start(arm);
            self.region(depth - 1, budget);
            if may_end && self.chance(20) {
                self.end();
            } else {
                let args = self.args(count);
                self.jump(join, args);
            }
            self.pool.truncate(scope);
        }
        self.start(join);
    }

    /// Up to three turns, perhaps with a `continue` or a `break`.
    fn counted_loop(&mut self, depth: u32, budget: u32) {
        let carried = self.rng.random_range(0..3);
        let (header, body, latch, exit) =
            (self.label(1 + carried), self.label(0), self.label(carried), self.label(carried));
        let bound = match self.rng.random_range(0..3) {
            0 => {
                let c = self.rng.random_range(0..4);
                self.one(Kind::Const(c))
            }
            way => {
                let (of, three) = (if way == 1 { self.uniform() } else { self.any() }, self.one(Kind::Const(3)));
                self.kept(Op::And, [of, three])
            }
        };
        let mut args = vec![self.one(Kind::Const(0))];
        args.extend(self.args(carried));
        self.jump(header, args);
        let scope = self.pool.len();
        self.loops += 1;
        self.start(header);
        let params = self.params(header);
        let cond = self.one(Kind::Alu(Op::USetLt, vec![params[0], bound]));
        self.branch(cond, [(body, vec![]), (exit, params[1..].to_vec())]);
        self.start(body);
        self.region(depth - 1, budget);
        if self.chance(40) {
            let (cond, next) = (self.condition(), self.label(0));
            let (args, to) = (self.args(carried), self.pick(&[latch, exit]));
            self.branch(cond, [(to, args), (next, vec![])]);
            self.start(next);
        }
        let args = self.args(carried);
        self.jump(latch, args);
        self.pool.truncate(scope);
        self.start(latch);
        let one = self.one(Kind::Const(1));
        let mut args = vec![self.kept(Op::IAdd, [params[0], one])];
        args.extend(self.params(latch));
        self.jump(header, args);
        self.pool.truncate(scope);
        self.loops -= 1;
        self.start(exit);
    }

    /// What each output is; in the first block.
    fn plan(&mut self, outputs: u32) {
        for word in 0..outputs {
            let plan = match self.rng.random_range(0..10) {
                0 | 1 => Plan::Always(self.uniform()),
                2 => {
                    // Of the instance, where there is one: flat.
                    let of =
                        if self.ways.is_empty() { self.one(Kind::Special(Special::InstanceIndex)) } else { self.any() };
                    let with = self.uniform();
                    Plan::Always(self.one(Kind::Alu(Op::IAdd, vec![of, with])))
                }
                3 | 4 if word > 0 => Plan::Copy,
                _ => Plan::Any,
            };
            self.plans.push(plan);
        }
    }

    /// Gives all outputs, and returns.
    fn end(&mut self) {
        let mut value = self.any();
        for (word, plan) in (0..).zip(self.plans.clone()) {
            value = match plan {
                Plan::Always(v) => v,
                Plan::Copy => value,
                Plan::Any if self.chance(15) => self.uniform(),
                Plan::Any => self.any(),
            };
            self.emit(Kind::Output { word, value }, 0);
        }
        self.emit(Kind::Return(vec![]), 0);
    }
}

/// A program that takes a word in each of these ways and gives `outputs` words from word 0 on.
pub(super) fn program(rng: &mut ChaCha8Rng, ways: &[How], outputs: u32) -> Program {
    let func = Func { name: "stage".into(), ..Func::default() };
    let rng = ChaCha8Rng::seed_from_u64(rng.random());
    let mut m = Maker { rng, func, block: Block(0), pool: vec![], ways, plans: vec![], loops: 0 };
    let entry = m.label(0);
    m.start(entry);
    for word in 0..ways.len() as u32 {
        m.input(word);
    }
    if ways.is_empty() {
        m.push(Kind::Special(Special::VertexIndex));
    }
    for _ in 0..3 {
        let uniform = m.uniform();
        m.pool.push(uniform);
    }
    m.plan(outputs);
    let budget = m.rng.random_range(4..11);
    m.region(2, budget);
    m.end();
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
        numbers: BTreeMap::new(),
        given: BTreeMap::new(),
        attributes: vec![],
        uniforms: vec![UniformWords { at: USER, words: WORDS, buffer: (0, 0) }],
        spare: 200,
        buffers: vec![UniformBuffer { base: BASE, bytes: 4 * FAR, buffer: (0, 1) }],
        passes: passes::Options::default(),
        statistics: Statistics::default(),
    }
}

/// The chain of a seed. Readers of a program mostly take a word of it alike.
pub(super) fn chain(seed: u64) -> Chain {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let stages = rng.random_range(3..6);
    let mut chain = Chain { uniforms: Table::default(), ..Chain::default() };
    let mut last: Vec<Option<usize>> = vec![None];
    for stage in 0..stages {
        for from in std::mem::take(&mut last) {
            let given = from.map_or(0, |f| chain.programs[f].outputs().len());
            let usual: Vec<How> = (0..given).map(|_| WAYS[rng.random_range(0..WAYS.len())]).collect();
            let readers = if stage == 0 { 1 } else { rng.random_range(1..4) };
            for _ in 0..readers {
                // No more programs than a test has time for.
                if chain.programs.len() > 14 && !last.is_empty() {
                    break;
                }
                let mut ways = usual.clone();
                ways.iter_mut().filter(|_| rng.random_range(0..8) == 0).for_each(|w| *w = How::Perspective(0));
                let outputs = rng.random_range(3..8);
                last.push(Some(chain.programs.len()));
                chain.edges.extend(from.map(|from| Edge { from, to: chain.programs.len() }));
                let mut program = program(&mut rng, &ways, outputs);
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

/// The same where most sums, differences and products are free, and most outputs: the others are
/// invariant. What position and invariant outputs depend on is decided, as before any linking.
///
/// # Errors
/// Of the passes, in words.
pub(super) fn free_chain(seed: u64) -> Result<Chain, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xF4EE);
    let mut chain = chain(seed);
    for (n, program) in chain.programs.iter_mut().enumerate() {
        // A multiple would be another rounding.
        program.passes.skip.push("scaled-outputs".into());
        program.passes.freeze_position = n == 0;
        let invariant: Vec<bool> = match rng.random_range(0..3) {
            0 => (0..8).map(|_| rng.random_bool(0.3)).collect(),
            _ => vec![],
        };
        for inst in program.func.blocks.iter_mut().flat_map(|b| &mut b.insts) {
            // More sums and products.
            if inst.loc.col == KEPT {
                continue;
            }
            if let Kind::Alu(op, _) = &mut inst.kind {
                *op = match *op {
                    Op::IAdd | Op::Xor | Op::FMax | Op::Or | Op::PkF16 => Op::FAdd,
                    Op::IMul | Op::And | Op::FMin | Op::UMulHi | Op::SMulHi | Op::Shr => Op::FMul,
                    Op::ISub | Op::Sar => Op::FSub,
                    other => other,
                };
            }
            inst.exact = match inst.kind {
                Kind::Alu(Op::FAdd | Op::FSub | Op::FMul, _) => rng.random_bool(0.1),
                Kind::Output { word, .. } => invariant.get(word as usize) == Some(&true),
                _ => true,
            };
        }
        let mut module = Module { funcs: vec![std::mem::take(&mut program.func)], files: vec![] };
        program.statistics = pipeline::inlined(&mut module, FuncId(0), &program.passes)?;
        program.func = module.funcs.remove(0);
    }
    Ok(chain)
}
