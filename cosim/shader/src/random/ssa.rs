//! Random SSA modules: structured control flow, local slots, stack arrays, global and shared
//! memory, calls, barriers, atomics and quad operations.
//!
//! Every program ends (loops count), touches only memory that is its own or that commutes, and
//! writes what it computed to global memory, so that two runs of the interpreter can be compared
//! byte by byte. What it does not make: irreducible graphs, races, reads of slots that were not
//! written. A mistake of the generator shows as a run that fails before any pass has touched the
//! program, which is tested.

use crate::ssa::interp::{self, Launch, Outcome};
use crate::ssa::{AtomicOp, Block, Func, FuncId, Kind, Loc, Module, Slot, Space, Target, Value, Width};
use quadlock_isa::abi::LANES;
use quadlock_isa::{Op, Special};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Read-only bytes that all invocations share.
const INPUT: u32 = 0x1000;
const INPUT_BYTES: u32 = 256;
/// Counters that all invocations update, one operation per word, then one per two words.
const COUNTERS: u32 = INPUT + INPUT_BYTES;
/// Private windows, one per invocation.
const WINDOWS: u32 = COUNTERS + 32 + 8 * WIDE_OPS.len() as u32;
const WINDOW: u32 = 128;
/// Private bytes of shared storage per invocation; the last word is for exchange between barriers.
const SHARED: u32 = 32;
const LARGEST_GROUP: u32 = 12;

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
    program(seed, Floats::Few, false)
}

/// A program with many sums of products. Most of these sums, differences and products are free, or
/// none.
pub fn generate_products(seed: u64, free: bool) -> RandomSsa {
    program(seed, if free { Floats::Free } else { Floats::Exact }, false)
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
    program(seed, Floats::Few, true)
}

fn program(seed: u64, floats: Floats, quads: bool) -> RandomSsa {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = [4, 8, 12][rng.random_range(0..3)];
    let groups = rng.random_range(1..3);
    let mut memory: Vec<u8> = vec![0; (WINDOWS + WINDOW * LARGEST_GROUP * groups) as usize];
    memory[INPUT as usize..].iter_mut().for_each(|b| *b = rng.random());
    let mut gen = Generator::new(rng);
    gen.across = seed % 4 == 3;
    gen.floats = floats;
    gen.few_places = seed % 8 == 6;
    gen.quads = quads;
    for i in 0..gen.rng.random_range(0..3) {
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

/// Operand values where arithmetic changes its behaviour.
const CORNERS: &[u32] = &[
    0,
    1,
    2,
    3,
    4,
    5,
    8,
    16,
    31,
    32,
    33,
    255,
    256,
    0xFFFF,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
    0x0400,
    0x0508,
    0x3F80_0000,
    0xBF80_0000,
    0x4000_0000,
    0x3F00_0000,
    0x4049_0FDB,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_1234,
    0x0080_0000,
    0x007F_FFFF,
    0x7F7F_FFFF,
];

const UNARY: &[Op] = &[
    Op::Popc,
    Op::Clz,
    Op::Ctz,
    Op::Brev,
    Op::F2I,
    Op::F2U,
    Op::I2F,
    Op::U2F,
    Op::FFract,
    Op::FFloor,
    Op::FCeil,
    Op::FTrunc,
    Op::FRne,
    Op::UpkF16,
    Op::F2UN8,
    Op::F2UN16,
    Op::F2SN8,
    Op::F2SN16,
    Op::UN2F8,
    Op::UN2F16,
    Op::SN2F8,
    Op::SN2F16,
    Op::FSqrt,
    Op::FRcp,
    Op::FRsq,
    Op::FExp2,
    Op::FLog2,
    Op::FSin,
    Op::FCos,
];
const BINARY: &[Op] = &[
    Op::IAdd,
    Op::IAdd,
    Op::ISub,
    Op::ISub,
    Op::IMul,
    Op::UMulHi,
    Op::SMulHi,
    Op::SMin,
    Op::SMax,
    Op::UMin,
    Op::UMax,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Shr,
    Op::Sar,
    Op::UBfe,
    Op::SBfe,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FMin,
    Op::FMax,
    Op::PkF16,
    Op::FDiv,
];
const TERNARY: &[Op] = &[Op::IMad, Op::Bfi, Op::FFma, Op::FNma, Op::Sel, Op::Sel];
const COMPARE: &[Op] = &[
    Op::ISetEq,
    Op::ISetNe,
    Op::SSetLt,
    Op::SSetLe,
    Op::SSetGt,
    Op::SSetGe,
    Op::USetLt,
    Op::USetLe,
    Op::USetGt,
    Op::USetGe,
    Op::FSetEq,
    Op::FSetNe,
    Op::FSetLt,
    Op::FSetLe,
    Op::FSetGt,
    Op::FSetGe,
];
const WIDTHS: &[Width] =
    &[Width::U8, Width::S8, Width::U16, Width::S16, Width::W32, Width::W32, Width::W32, Width::W64, Width::W128];
const ATOMICS: &[AtomicOp] = &[
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::SMin,
    AtomicOp::SMax,
    AtomicOp::UMin,
    AtomicOp::UMax,
    AtomicOp::Xchg,
    AtomicOp::Cas,
];
/// Those of counters of two words, behind the others.
const WIDE_OPS: [AtomicOp; 4] = [AtomicOp::Add, AtomicOp::SMin, AtomicOp::UMax, AtomicOp::Xor];
/// Operations whose order does not matter, one per counter.
const COUNTER_OPS: &[AtomicOp] = &[
    AtomicOp::Add,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::SMax,
    AtomicOp::UMin,
    AtomicOp::SMin,
    AtomicOp::Sub,
];

const ACROSS: &[Op] = &[
    Op::WBallot,
    Op::WRedAdd,
    Op::WRedAnd,
    Op::WRedOr,
    Op::WRedXor,
    Op::WRedSMin,
    Op::WRedUMax,
    Op::WScanAdd,
    Op::WScanOr,
    Op::WScanSMax,
    Op::WScanUMin,
];

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
        for i in 0..self.rng.random_range(1..4) {
            let words = self.rng.random_range(1..4);
            self.slot(words, &format!("local{i}"), false);
        }
        if self.chance(50) {
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
                14..20 => self.call(),
                20..24 if self.is_entry && depth == 2 => self.uniform(),
                24..70 if self.few_places => self.few(),
                24..46 => self.memory(),
                46..62 => self.slot_access(),
                _ => self.arithmetic(),
            }
        }
    }

    /// An operation across the lanes that are together, whichever they are: a reduction, a scan, a
    /// ballot, or an atomic of the warp on a counter.
    fn across(&mut self) {
        let value = self.value();
        if self.chance(25) {
            let i = self.rng.random_range(0..COUNTER_OPS.len());
            let addr = self.constant(COUNTERS);
            let space = Space::Global;
            if let (true, Some(&op)) = (self.chance(40), WIDE_OPS.get(i)) {
                let (values, offset) = (vec![value, self.value()], 32 + i as i32 * 8);
                self.emit(Kind::Atomic { space, warp_wide: true, op, addr, offset, values, expected: vec![] }, 2);
                return;
            }
            let (op, offset) = (COUNTER_OPS[i], i as i32 * 4);
            self.one(Kind::Atomic { space, warp_wide: true, op, addr, offset, values: vec![value], expected: vec![] });
            return;
        }
        let op = self.pick(ACROSS);
        let v = self.one(Kind::CrossLane { op, args: vec![value] });
        self.pool.push(v);
    }

    /// An operation of the quad on a value that all its lanes have.
    fn quad(&mut self) {
        if !self.is_entry || self.top == 0 {
            return;
        }
        let any = self.pool[self.rng.random_range(0..self.top)];
        let a = self.fresh.filter(|_| self.chance(50)).unwrap_or(any);
        let v = match self.rng.random_range(0..3) {
            0 => {
                let by = self.value();
                self.one(Kind::CrossLane { op: Op::QShuf, args: vec![a, by] })
            }
            1 => self.alu(Op::Ddx, &[a]),
            _ => self.alu(Op::Ddy, &[a]),
        };
        self.pool.push(v);
    }

    fn arithmetic(&mut self) {
        if self.across && self.chance(10) {
            return self.across();
        }
        if self.floats != Floats::Few && self.chance(60) {
            return self.product_and_sum();
        }
        if self.quads && self.chance(20) {
            return self.quad();
        }
        let v = match self.rng.random_range(0..10) {
            0 => {
                let op = self.pick(UNARY);
                let a = self.values(1);
                self.alu(op, &a)
            }
            1..6 => {
                let op = self.pick(BINARY);
                let a = self.values(2);
                self.alu(op, &a)
            }
            6..8 => self.condition(),
            8 => {
                let op = self.pick(TERNARY);
                let a = self.values(3);
                self.alu(op, &a)
            }
            _ => {
                let w = self.rng.random_range(0..16);
                self.one(Kind::ConstWord(w))
            }
        };
        self.pool.push(v);
    }

    /// A product, and a sum or difference with it; sometimes two, or another product beside it.
    fn product_and_sum(&mut self) {
        let [a, b, c, d] = std::array::from_fn(|_| self.number());
        let product = self.float(Op::FMul, [a, b]);
        let other = match self.rng.random_range(0..4) {
            0 => self.float(Op::FMul, [c, d]),
            1 => {
                let c = self.pick(&[0x3F00_0000, 0xBE4C_CCCD, 0x3DCC_CCCD]);
                self.constant(c)
            }
            2 => self.one(Kind::ConstWord(3)),
            _ => c,
        };
        for _ in 0..self.rng.random_range(1..3) {
            let op = self.pick(&[Op::FAdd, Op::FSub]);
            let args = if self.chance(50) { [product, other] } else { [other, product] };
            let v = self.float(op, args);
            self.pool.push(v);
        }
        if self.chance(20) {
            self.pool.push(product);
        }
    }
    /// A float between 1 and 2 or -1 and -2, or any word.
    fn number(&mut self) -> Value {
        let v = self.value();
        if self.chance(20) {
            return v;
        }
        let bits = self.with(Op::And, v, 0x807F_FFFF);
        let x = self.with(Op::Or, bits, 0x3F80_0000);
        if self.chance(20) {
            return self.with(Op::Xor, x, 0x8000_0000);
        }
        x
    }
    fn float(&mut self, op: Op, args: [Value; 2]) -> Value {
        let v = self.alu(op, &args);
        let exact = self.floats == Floats::Exact || self.chance(30);
        if let Some(last) = self.f.blocks[self.block.index()].insts.last_mut() {
            last.exact = exact;
        }
        v
    }

    fn condition(&mut self) -> Value {
        let op = self.pick(COMPARE);
        let a = self.values(2);
        let c = self.alu(op, &a);
        match self.rng.random_range(0..4) {
            0 => self.with(Op::ISetEq, c, 0),
            1 => self.with(Op::Xor, c, 1),
            _ => c,
        }
    }

    fn slot_access(&mut self) {
        let slots = if self.arrays.is_empty() || self.chance(60) { &self.slots } else { &self.arrays };
        let slot = slots[self.rng.random_range(0..slots.len())];
        let words = self.f.slots[slot.index()].words;
        let word = self.rng.random_range(0..words);
        if self.arrays.contains(&slot) && self.chance(60) {
            return self.array_access(slot, words);
        }
        if self.chance(50) {
            let v = self.one(Kind::SlotLoad { slot, word });
            self.pool.push(v);
        } else {
            let value = self.value();
            self.emit(Kind::SlotStore { slot, word, value }, 0);
        }
    }

    fn array_access(&mut self, slot: Slot, words: u32) {
        let base = self.one(Kind::SlotAddr(slot));
        let addr = if self.chance(50) {
            let c = self.rng.random_range(0..words) * 4;
            self.with(Op::IAdd, base, c)
        } else {
            let v = self.value();
            let v = self.with(Op::And, v, (words - 1) * 4);
            self.alu(Op::IAdd, &[base, v])
        };
        self.access(Space::Stack, addr, &[Width::W32], 0);
    }

    fn access(&mut self, space: Space, addr: Value, widths: &[Width], offset: i32) {
        let width = self.pick(widths);
        if self.chance(50) {
            let v = self.emit(Kind::Load { space, width, addr, offset }, width.words());
            self.pool.extend(v);
        } else {
            let values = self.values(width.words());
            self.emit(Kind::Store { space, width, addr, offset, values }, 0);
        }
    }

    fn memory(&mut self) {
        let v = self.value();
        let mixed = self.with(Op::And, v, 0x10);
        match self.rng.random_range(0..10) {
            0..2 => {
                let at = self.with(Op::And, v, INPUT_BYTES - 16);
                let width = self.pick(WIDTHS);
                let load = Kind::Load { space: Space::Global, width, addr: at, offset: INPUT as i32 };
                let v = self.emit(load, width.words());
                self.pool.extend(v);
            }
            2..7 => {
                let addr = if self.chance(50) { self.window } else { self.alu(Op::IAdd, &[self.window, mixed]) };
                let offset = self.rng.random_range(0..8) * 4;
                self.access(Space::Global, addr, WIDTHS, offset);
            }
            7 => {
                let (addr, offset) = (self.shared, self.rng.random_range(0..6) * 4);
                self.access(Space::Shared, addr, &WIDTHS[..7], offset);
            }
            _ => self.atomic(),
        }
    }

    /// Words that are written and read so often that what is behind joins meets what was before.
    fn few(&mut self) {
        let (space, addr) = if self.chance(70) { (Space::Global, self.window) } else { (Space::Shared, self.shared) };
        let offset = self.rng.random_range(0..2) * 4;
        self.access(space, addr, &[Width::W32], offset);
    }

    fn atomic(&mut self) {
        let value = self.value();
        if self.chance(40) {
            let i = self.rng.random_range(0..COUNTER_OPS.len());
            let addr = self.constant(COUNTERS);
            let kind = Kind::Atomic {
                warp_wide: false,
                space: Space::Global,
                op: COUNTER_OPS[i],
                addr,
                offset: i as i32 * 4,
                values: vec![value],
                expected: vec![],
            };
            self.one(kind);
            return;
        }
        let op = self.pick(ATOMICS);
        let (space, addr) = if self.chance(50) { (Space::Global, self.window) } else { (Space::Shared, self.shared) };
        let offset = self.rng.random_range(0..7) * 4;
        let words = if space == Space::Global && self.chance(30) { 2 } else { 1 };
        let values = [vec![value], self.values(words - 1)].concat();
        let expected = if op == AtomicOp::Cas { self.values(words) } else { vec![] };
        let results = self.emit(Kind::Atomic { warp_wide: false, space, op, addr, offset, values, expected }, words);
        self.pool.extend(results);
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

    /// Operations for uniform control flow: exchange through shared memory, quad operations.
    fn uniform(&mut self) {
        let i = self.one(Kind::Special(Special::LocalIndex));
        let a = self.value();
        let v = match self.rng.random_range(0..3) {
            0 => {
                let by = self.value();
                self.one(Kind::CrossLane { op: Op::QShuf, args: vec![a, by] })
            }
            1 => {
                let op = self.pick(&[Op::Ddx, Op::Ddy]);
                self.alu(op, &[a])
            }
            _ => {
                let at = self.with(Op::Shl, i, 2);
                let own = self.with(Op::IMul, i, SHARED);
                self.emit(Kind::Barrier, 0);
                self.emit(
                    Kind::Store { space: Space::Shared, width: Width::W32, addr: own, offset: 28, values: vec![a] },
                    0,
                );
                self.emit(Kind::Barrier, 0);
                let partner = self.with(Op::Xor, i, LANES as u32 - 1);
                let other = self.with(Op::IMul, partner, SHARED);
                let load = Kind::Load { space: Space::Shared, width: Width::W32, addr: other, offset: 28 };
                let v = self.one(load);
                self.emit(Kind::Barrier, 0);
                self.alu(Op::Xor, &[v, at])
            }
        };
        self.pool.push(v);
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

/// The property that every pass must have, as a test harness.
#[cfg(test)]
pub mod check {
    use super::*;
    use crate::passes::{Options, Pass};
    use crate::ssa::verify::verify_module;

    /// Applies `pass` to every function of the programs of `seeds`, after the passes of `before`,
    /// and compares what the programs do. The pass must have changed something somewhere, else the
    /// test would prove nothing.
    pub fn same_behaviour(before: &[Pass], pass: Pass, seeds: std::ops::Range<u64>) {
        let (changed, difference) = run(before, pass, seeds, &Options::default());
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
        assert!(changed > 0, "the pass never did anything");
    }

    /// Programs changed by the pass, and the first difference in behaviour.
    pub fn run(before: &[Pass], pass: Pass, seeds: std::ops::Range<u64>, options: &Options) -> (usize, Option<String>) {
        let mut changed = 0;
        for seed in seeds {
            let program = generate(seed);
            let mut module = program.module.clone();
            for p in before {
                module.funcs.iter_mut().for_each(|f| {
                    p(f, &Options::default());
                });
            }
            verify_module(&module).unwrap_or_else(|e| panic!("seed {seed}, before the pass: {e}"));
            let want = program.run(&module).unwrap_or_else(|e| panic!("seed {seed}, before the pass: {e}")).0;
            let old = module.clone();
            let did = module.funcs.iter_mut().map(|f| pass(f, options)).fold(false, |a, b| a | b);
            assert_eq!(did, module != old, "seed {seed}: the pass says {did} about having changed something");
            changed += usize::from(did);
            verify_module(&module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{old}\n{module}"));
            match program.run(&module) {
                Ok((got, _)) if got == want => {}
                Ok(_) => return (changed, Some(format!("seed {seed} computes something else\n{old}\n{module}"))),
                Err(e) => return (changed, Some(format!("seed {seed}: {e}\n{old}\n{module}"))),
            }
        }
        (changed, None)
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
