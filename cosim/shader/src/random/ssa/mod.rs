//! Random SSA modules: structured control flow, local slots, stack arrays, global and shared
//! memory, calls, barriers, atomics and quad operations.
//!
//! Every program ends (loops count), touches only memory that is its own or that commutes, and
//! writes what it computed to global memory, so that two runs of the interpreter can be compared
//! byte by byte. What it does not make: irreducible graphs, races, reads of slots that were not
//! written. A mistake of the generator shows as a run that fails before any pass has touched the
//! program, which is tested.

#[cfg(test)]
pub mod check;
mod memory;
mod stores;
pub(crate) mod tables;
mod values;

use crate::ssa::interp::{self, Launch, Outcome};
use crate::ssa::{Block, Func, FuncId, Kind, Loc, Module, Slot, Space, Target, Value, Width};
use quadlock_isa::{Op, Special};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tables::{CORNERS, INPUT, LARGEST_GROUP, SHARED, WINDOW, WINDOWS};

/// A program, its launch and its memory.
#[derive(Clone, Debug)]
pub struct RandomSsa {
    /// The program.
    pub module: Module,
    /// The function that is executed.
    pub entry: FuncId,
    /// What it is launched with.
    pub launch: Launch,
    /// Memory before the run; byte 0 is address 0.
    pub memory: Vec<u8>,
}

impl RandomSsa {
    /// Runs a module, this one's or what a pass made of it, and returns the memory afterwards.
    pub fn run(&self, module: &Module) -> Result<(Vec<u8>, Outcome), String> {
        self.run_joined(module, &[])
    }

    /// The same with sums that are rounded once with their product.
    pub fn run_joined(&self, module: &Module, joined: &[(Value, Value)]) -> Result<(Vec<u8>, Outcome), String> {
        let mut memory = self.memory.clone();
        let outcome = interp::run_joined(module, self.entry, &self.launch, &mut memory, joined)?;
        if outcome.faults > 0 {
            return Err(format!("{} accesses outside the memory", outcome.faults));
        }
        Ok((memory, outcome))
    }
}

/// The program of a seed. All of its operations are exact.
pub fn generate(seed: u64) -> RandomSsa {
    program(seed, Floats::Few, false, None)
}

/// A program with many sums of products. Most of these sums, differences and products are free, or
/// none.
pub fn generate_products(seed: u64, free: bool) -> RandomSsa {
    program(seed, if free { Floats::Free } else { Floats::Exact }, false, None)
}

/// Sums of products in a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Floats {
    /// As they come.
    Few,
    Exact,
    Free,
}

/// A program with operations of the quad where lanes may be apart, on values that were computed
/// where they were together.
pub fn generate_quads(seed: u64) -> RandomSsa {
    program(seed, Floats::Few, true, None)
}

/// A program that does little but store to few words of every kind of memory and load from them. Of
/// some memory no word is read, or only to be stored again.
pub fn generate_stores(seed: u64) -> RandomSsa {
    let mut rng = ChaCha8Rng::seed_from_u64(!seed);
    let reads = std::array::from_fn(|_| READS[rng.random_range(0..READS.len())]);
    program(seed, Floats::Few, false, Some(reads))
}

/// What loads of a memory are for, in a program that mostly stores.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    None,
    /// To store the words in the same memory again.
    Back,
    /// To store the words in global memory.
    Away,
    /// To compute with the words.
    Use,
}

const READS: [Reads; 4] = [Reads::None, Reads::Back, Reads::Away, Reads::Use];

fn program(seed: u64, floats: Floats, quads: bool, stores: Option<[Reads; 2]>) -> RandomSsa {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = [4, 8, 12][rng.random_range(0..3)];
    let groups = rng.random_range(1..3);
    let mut memory: Vec<u8> = vec![0; (WINDOWS + WINDOW * LARGEST_GROUP * groups) as usize];
    memory[INPUT as usize..].iter_mut().for_each(|b| *b = rng.random());
    let mut gen = Generator::new(rng);
    gen.across = seed % 4 == 3 && stores.is_none();
    gen.floats = floats;
    gen.few_places = seed % 8 == 6;
    gen.quads = quads;
    gen.stores = stores;
    let helpers = if stores.is_some() { 0 } else { gen.rng.random_range(0..3) };
    for i in 0..helpers {
        gen.function(&format!("helper{i}"), false);
    }
    gen.function("main", true);
    let entry = FuncId(gen.module.funcs.len() as u32 - 1);
    let launch = Launch {
        grid: [groups, 1, 1],
        group_size: [size, 1, 1],
        constants: (0..16).map(|i| i * 0x0101 + 3).collect(),
        shared_bytes: SHARED * size,
        step_limit: 20_000_000,
    };
    RandomSsa { module: gen.module, entry, launch, memory }
}

struct Generator {
    rng: ChaCha8Rng,
    module: Module,
    f: Func,
    block: Block,
    /// Values that dominate the current point.
    pool: Vec<Value>,
    /// Promotable slots and arrays (address taken), of the current function.
    slots: Vec<Slot>,
    arrays: Vec<Slot>,
    /// Address of the invocation's window and of its shared bytes.
    window: Value,
    shared: Value,
    is_entry: bool,
    /// Operations across the lanes that are together, anywhere.
    across: bool,
    floats: Floats,
    /// Most accesses go to few words, so that joins and loops matter to them.
    few_places: bool,
    /// Derivatives and exchanges of the quad, anywhere.
    quads: bool,
    /// Stores more than anything, and what is read of shared memory and of the stack.
    stores: Option<[Reads; 2]>,
    /// So many values of the pool were computed where all lanes are.
    top: usize,
    /// A value computed there that only operations of the quad read.
    fresh: Option<Value>,
    line: u32,
}

impl Generator {
    fn new(rng: ChaCha8Rng) -> Generator {
        Generator {
            rng,
            module: Module { funcs: vec![], files: vec!["random".into()] },
            f: Func::default(),
            block: Block(0),
            pool: vec![],
            slots: vec![],
            arrays: vec![],
            window: Value(0),
            shared: Value(0),
            is_entry: false,
            across: false,
            floats: Floats::Few,
            few_places: false,
            quads: false,
            stores: None,
            top: 0,
            fresh: None,
            line: 0,
        }
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())]
    }

    fn emit(&mut self, kind: Kind, results: usize) -> Vec<Value> {
        self.line += 1;
        self.f.push(self.block, kind, results, Loc::at(0, self.line, 1))
    }
    fn one(&mut self, kind: Kind) -> Value {
        self.emit(kind, 1)[0]
    }
    fn constant(&mut self, c: u32) -> Value {
        self.one(Kind::Const(c))
    }
    fn alu(&mut self, op: Op, args: &[Value]) -> Value {
        self.one(Kind::Alu(op, args.to_vec()))
    }
    fn with(&mut self, op: Op, a: Value, c: u32) -> Value {
        let c = self.constant(c);
        self.alu(op, &[a, c])
    }
    fn jump(&mut self, block: Block, args: Vec<Value>) {
        self.emit(Kind::Jump(Target { block, args }), 0);
    }
    fn branch(&mut self, cond: Value, then: (Block, Vec<Value>), other: (Block, Vec<Value>)) {
        let t = |(block, args)| Target { block, args };
        self.emit(Kind::Branch { cond, then: t(then), other: t(other) }, 0);
    }
    /// A block with `params` parameters that is not in the layout yet.
    fn label(&mut self, params: usize) -> Block {
        let b = self.f.new_detached_block();
        let p = (0..params).map(|_| self.f.new_value()).collect();
        self.f.blocks[b.index()].params = p;
        b
    }
    fn start(&mut self, b: Block) {
        self.f.layout.push(b);
        self.block = b;
        let params = self.f.blocks[b.index()].params.clone();
        self.pool.extend(params);
    }

    /// Any value: mostly a recent one, sometimes a constant.
    fn value(&mut self) -> Value {
        if self.pool.is_empty() || self.chance(20) {
            let c = if self.chance(80) { self.pick(CORNERS) } else { self.rng.random() };
            return self.constant(c);
        }
        let n = self.pool.len();
        let from = if self.chance(70) { n.saturating_sub(6) } else { 0 };
        let i = self.rng.random_range(from..n);
        self.pool[i]
    }
    fn values(&mut self, n: usize) -> Vec<Value> {
        (0..n).map(|_| self.value()).collect()
    }

    fn function(&mut self, name: &str, is_entry: bool) {
        let results = if is_entry { 0 } else { self.rng.random_range(0..3) };
        self.f = Func { name: name.into(), results, ..Default::default() };
        (self.pool, self.slots, self.arrays) = (vec![], vec![], vec![]);
        self.is_entry = is_entry;
        let params = if is_entry { 0 } else { self.rng.random_range(0..4) };
        let b = self.label(params);
        self.start(b);
        self.addresses();
        let locals = if self.stores.is_some() { 0 } else { self.rng.random_range(1..4) };
        for i in 0..locals {
            let words = self.rng.random_range(1..4);
            self.slot(words, &format!("local{i}"), false);
        }
        if self.stores.is_some() || self.chance(50) {
            self.slot(8, "array", true);
        }
        let budget = self.rng.random_range(if is_entry { 12..40 } else { 3..12 });
        self.region(2, budget);
        if is_entry {
            self.outputs();
        }
        let values = self.values(results);
        self.emit(Kind::Return(values), 0);
        self.module.funcs.push(std::mem::take(&mut self.f));
    }

    fn addresses(&mut self) {
        let i = self.one(Kind::Special(Special::LocalIndex));
        let g = self.one(Kind::Special(Special::GroupX));
        let before = self.with(Op::IMul, g, LARGEST_GROUP);
        let n = self.alu(Op::IAdd, &[i, before]);
        let at = self.with(Op::IMul, n, WINDOW);
        self.window = self.with(Op::IAdd, at, WINDOWS);
        self.shared = self.with(Op::IMul, i, SHARED);
        let lane = self.one(Kind::Special(Special::Lane));
        self.pool.extend([i, lane]);
    }

    fn slot(&mut self, words: u32, name: &str, array: bool) {
        let slot = self.f.new_slot(words, name);
        for word in 0..words {
            let value = self.value();
            self.emit(Kind::SlotStore { slot, word, value }, 0);
        }
        if array {
            self.arrays.push(slot);
        } else {
            self.slots.push(slot);
        }
    }

    /// Everything computed so far goes to the window.
    fn outputs(&mut self) {
        for slot in self.slots.clone() {
            let v = self.one(Kind::SlotLoad { slot, word: 0 });
            self.pool.push(v);
        }
        for i in 0..8 {
            let values = vec![self.value()];
            let (addr, offset) = (self.window, 64 + i * 4);
            self.emit(Kind::Store { space: Space::Global, width: Width::W32, addr, offset, values }, 0);
        }
    }

    fn region(&mut self, depth: u32, budget: u32) {
        for _ in 0..budget {
            if self.is_entry && depth == 2 {
                self.top = self.pool.len();
                self.fresh = self.quads.then(|| {
                    let a = self.values(2);
                    self.alu(Op::Xor, &a)
                });
            }
            match self.rng.random_range(0..100) {
                0..8 if depth > 0 => self.conditional(depth, budget / 3),
                8..14 if depth > 0 => self.counted_loop(depth, budget / 3),
                14..70 if self.stores.is_some() => self.few_words(),
                14..20 => self.call(),
                20..24 if self.is_entry && depth == 2 => self.uniform(),
                24..70 if self.few_places => self.few(),
                24..46 => self.memory(),
                46..62 => self.slot_access(),
                _ => self.arithmetic(),
            }
        }
    }

    fn call(&mut self) {
        if self.module.funcs.is_empty() {
            return self.arithmetic();
        }
        let i = self.rng.random_range(0..self.module.funcs.len());
        let (params, results) = {
            let f = &self.module.funcs[i];
            (f.blocks[f.entry().index()].params.len(), f.results)
        };
        let args = self.values(params);
        let r = self.emit(Kind::Call { func: FuncId(i as u32), args }, results);
        self.pool.extend(r);
    }

    fn conditional(&mut self, depth: u32, budget: u32) {
        let cond = self.condition();
        let n = self.rng.random_range(0..3);
        let (then, merge) = (self.label(0), self.label(n));
        let with_else = self.chance(60);
        let scope = self.pool.len();
        if with_else {
            let other = self.label(0);
            self.branch(cond, (then, vec![]), (other, vec![]));
            self.arm(then, merge, depth, budget, n, scope);
            self.arm(other, merge, depth, budget, n, scope);
        } else {
            let args = self.values(n);
            self.branch(cond, (then, vec![]), (merge, args));
            self.arm(then, merge, depth, budget, n, scope);
        }
        self.start(merge);
    }

    fn arm(&mut self, b: Block, merge: Block, depth: u32, budget: u32, n: usize, scope: usize) {
        self.start(b);
        let size = self.rng.random_range(0..budget + 2);
        self.region(depth - 1, size);
        if !self.is_entry && self.chance(15) {
            let values = self.values(self.f.results);
            self.emit(Kind::Return(values), 0);
        } else {
            let args = self.values(n);
            self.jump(merge, args);
        }
        self.pool.truncate(scope);
    }

    /// `for i in 0..n` with carried values, perhaps a `continue` and a `break`.
    fn counted_loop(&mut self, depth: u32, budget: u32) {
        let carried = self.rng.random_range(0..3);
        let (header, body, latch, exit) =
            (self.label(1 + carried), self.label(0), self.label(carried), self.label(carried));
        let bound = if self.chance(50) {
            let v = self.value();
            self.with(Op::And, v, 3)
        } else {
            let c = self.rng.random_range(0..4);
            self.constant(c)
        };
        let zero = self.constant(0);
        let mut args = vec![zero];
        args.extend(self.values(carried));
        self.jump(header, args);
        let scope = self.pool.len();
        self.start(header);
        let params = self.f.blocks[header.index()].params.clone();
        let cond = self.alu(Op::USetLt, &[params[0], bound]);
        self.branch(cond, (body, vec![]), (exit, params[1..].to_vec()));
        self.start(body);
        self.region(depth - 1, budget / 2);
        if self.chance(40) {
            let (cond, next) = (self.condition(), self.label(0));
            let args = self.values(carried);
            let to = if self.chance(50) { latch } else { exit };
            self.branch(cond, (to, args), (next, vec![]));
            self.start(next);
        }
        self.region(depth - 1, budget / 2);
        let args = self.values(carried);
        self.jump(latch, args);
        self.pool.truncate(scope);
        self.start(latch);
        self.pool.truncate(scope);
        let next = self.with(Op::IAdd, params[0], 1);
        let mut args = vec![next];
        args.extend(self.f.blocks[latch.index()].params.clone());
        self.jump(header, args);
        self.start(exit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::verify::verify_module;

    #[test]
    fn programs_are_valid_and_end() {
        let mut steps = 0;
        for seed in 0..300 {
            let p = generate(seed);
            verify_module(&p.module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", p.module));
            let (memory, outcome) = p.run(&p.module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", p.module));
            assert_ne!(memory, p.memory, "seed {seed} does nothing");
            steps += outcome.steps;
        }
        assert!(steps / 300 > 300, "programs are too small: {steps} steps");
    }

    #[test]
    fn a_seed_always_gives_the_same_program() {
        assert_eq!(generate(5).module, generate(5).module);
        assert_ne!(generate(5).module, generate(6).module);
    }
}
