//! Appends instructions to one SSA function. Blocks enter the layout when they are started, so the
//! layout is source order. Constants are shared within a block only, which keeps dominance trivial;
//! CSE joins the rest.

use crate::ssa::{Block, Func, Inst, Kind, Loc, Slot, Space, Target, Value, Width};
use quadlock_isa::{Op, Special};
use std::collections::HashMap;

pub struct Builder {
    pub func: Func,
    block: Block,
    pub loc: Loc,
    constants: HashMap<u32, Value>,
    /// What each value made by `constant` is.
    known: HashMap<Value, u32>,
    /// Slots of constants, by content.
    tables: HashMap<Vec<u32>, Slot>,
    terminated: bool,
}

impl Builder {
    pub fn new(name: &str) -> Self {
        let mut func = Func { name: name.into(), ..Func::default() };
        let block = func.new_block();
        Builder {
            func,
            block,
            loc: Loc::default(),
            constants: HashMap::new(),
            known: HashMap::new(),
            tables: HashMap::new(),
            terminated: false,
        }
    }

    pub fn push(&mut self, kind: Kind, results: usize) -> Vec<Value> {
        if self.terminated {
            // Code that cannot be reached still needs a block; `finish` removes it.
            let block = self.block();
            self.start(block);
        }
        self.terminated = kind.is_terminator();
        self.func.push(self.block, kind, results, self.loc)
    }
    fn push1(&mut self, kind: Kind) -> Value {
        self.push(kind, 1)[0]
    }

    /// A block for later.
    pub fn block(&mut self) -> Block {
        self.func.new_detached_block()
    }
    /// Continues in `block`, which takes its place in the layout here.
    pub fn start(&mut self, block: Block) {
        self.func.layout.push(block);
        self.block = block;
        self.constants.clear();
        self.terminated = false;
    }
    pub fn jump(&mut self, to: Block) {
        if !self.terminated {
            self.push(Kind::Jump(Target { block: to, args: vec![] }), 0);
        }
    }
    pub fn branch(&mut self, cond: Value, then: Block, other: Block) {
        if !self.terminated {
            let target = |block| Target { block, args: vec![] };
            self.push(Kind::Branch { cond, then: target(then), other: target(other) }, 0);
        }
    }
    pub fn terminate(&mut self, kind: Kind) {
        if !self.terminated {
            self.push(kind, 0);
        }
    }

    pub fn constant(&mut self, word: u32) -> Value {
        if self.terminated {
            let block = self.block();
            self.start(block);
        }
        if let Some(&v) = self.constants.get(&word) {
            return v;
        }
        let v = self.push1(Kind::Const(word));
        self.constants.insert(word, v);
        self.known.insert(v, word);
        v
    }
    pub fn float(&mut self, x: f32) -> Value {
        self.constant(x.to_bits())
    }
    /// The value of a constant made by this builder.
    pub fn known(&self, v: Value) -> Option<u32> {
        self.known.get(&v).copied()
    }

    pub fn alu(&mut self, op: Op, args: &[Value]) -> Value {
        self.folded(op, args).unwrap_or_else(|| self.push1(Kind::Alu(op, args.to_vec())))
    }
    /// Float arithmetic that the user wrote: a compiler may join it with another operation unless
    /// it is `exact` (LP-18).
    pub fn written(&mut self, op: Op, args: &[Value], exact: bool) -> Value {
        let result = self.alu(op, args);
        if let Some(last) = self.func.blocks[self.block.index()].insts.last_mut() {
            let contracts = matches!(last.kind, Kind::Alu(Op::FAdd | Op::FSub | Op::FMul, _));
            if contracts && last.results == [result] {
                last.exact = exact;
            }
        }
        result
    }
    /// What compilers write around a division (`d == 0 ? 1 : d`) of a constant: a divisor must be
    /// known here, because divisions are taken apart here. The rest is constant folding's.
    fn folded(&mut self, op: Op, args: &[Value]) -> Option<Value> {
        let known = |k: usize| self.known(args[k]);
        match op {
            Op::Sel => known(2).map(|cond| args[usize::from(cond == 0)]),
            Op::ISetEq | Op::ISetNe => {
                let equal = known(0)? == known(1)?;
                Some(self.constant(u32::from(equal == (op == Op::ISetEq))))
            }
            Op::And if known(0) == Some(0) || known(1) == Some(0) => Some(self.constant(0)),
            Op::Or if known(0) == Some(0) => Some(args[1]),
            Op::Or if known(1) == Some(0) => Some(args[0]),
            _ => None,
        }
    }
    pub fn alu1(&mut self, op: Op, a: Value) -> Value {
        self.alu(op, &[a])
    }
    pub fn alu2(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.alu(op, &[a, b])
    }
    /// Integer operation with an immediate second operand.
    pub fn alu_imm(&mut self, op: Op, a: Value, b: u32) -> Value {
        let neutral = match op {
            Op::IAdd | Op::ISub | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Sar => 0,
            Op::IMul => 1,
            Op::And => u32::MAX,
            _ => return self.alu_const(op, a, b),
        };
        if b == neutral {
            return a;
        }
        self.alu_const(op, a, b)
    }
    fn alu_const(&mut self, op: Op, a: Value, b: u32) -> Value {
        let b = self.constant(b);
        self.alu(op, &[a, b])
    }
    pub fn alu3(&mut self, op: Op, a: Value, b: Value, c: Value) -> Value {
        self.alu(op, &[a, b, c])
    }
    pub fn select(&mut self, cond: Value, accept: Value, reject: Value) -> Value {
        self.alu(Op::Sel, &[accept, reject, cond])
    }
    pub fn special(&mut self, special: Special) -> Value {
        self.push1(Kind::Special(special))
    }
    pub fn const_word(&mut self, word: u32) -> Value {
        self.push1(Kind::ConstWord(word))
    }

    /// `index * stride + base`.
    pub fn multiply_add(&mut self, index: Value, stride: u32, base: Option<Value>) -> Value {
        if let Some(index) = self.known(index) {
            let bytes = index.wrapping_mul(stride);
            return match base {
                Some(base) => self.alu_imm(Op::IAdd, base, bytes),
                None => self.constant(bytes),
            };
        }
        match base {
            Some(base) => {
                let stride = self.constant(stride);
                self.alu(Op::IMad, &[index, stride, base])
            }
            None if stride.is_power_of_two() => self.alu_imm(Op::Shl, index, stride.trailing_zeros()),
            None => self.alu_imm(Op::IMul, index, stride),
        }
    }

    pub fn slot(&mut self, words: u32, name: &str) -> Slot {
        self.func.new_slot(words, name)
    }
    pub fn slot_load(&mut self, slot: Slot, word: u32) -> Value {
        self.push1(Kind::SlotLoad { slot, word })
    }
    pub fn slot_store(&mut self, slot: Slot, word: u32, value: Value) {
        self.push(Kind::SlotStore { slot, word, value }, 0);
    }
    pub fn slot_store_all(&mut self, slot: Slot, values: &[Value]) {
        for (word, &value) in values.iter().enumerate() {
            self.slot_store(slot, word as u32, value);
        }
    }
    pub fn slot_load_all(&mut self, slot: Slot) -> Vec<Value> {
        let words = self.func.slots[slot.index()].words;
        (0..words).map(|word| self.slot_load(slot, word)).collect()
    }
    pub fn slot_addr(&mut self, slot: Slot) -> Value {
        self.push1(Kind::SlotAddr(slot))
    }

    /// An output word. What feeds an exact one is not fused.
    pub fn output(&mut self, word: u32, value: Value, exact: bool) {
        self.push(Kind::Output { word, value }, 0);
        if let Some(last) = self.func.blocks[self.block.index()].insts.last_mut() {
            last.exact = exact;
        }
    }

    pub fn load(&mut self, space: Space, width: Width, addr: Value, offset: u32) -> Vec<Value> {
        self.push(Kind::Load { space, width, addr, offset: offset as i32 }, width.words())
    }
    pub fn store(&mut self, space: Space, width: Width, addr: Value, offset: u32, values: Vec<Value>) {
        self.push(Kind::Store { space, width, addr, offset: offset as i32, values }, 0);
    }

    /// A slot filled with constants at the very start of the function, so that it is ready wherever
    /// it is read. Nobody may write to it.
    pub fn constant_slot(&mut self, words: &[u32], name: &str) -> Slot {
        if let Some(&slot) = self.tables.get(words) {
            return slot;
        }
        let slot = self.initial_slot(words, name);
        self.tables.insert(words.to_vec(), slot);
        slot
    }

    /// A slot that begins with these words, wherever in the function it is asked for.
    pub fn initial_slot(&mut self, words: &[u32], name: &str) -> Slot {
        let slot = self.slot(words.len() as u32, name);
        let mut insts = Vec::with_capacity(words.len() * 2);
        for (word, &bits) in words.iter().enumerate() {
            let value = self.func.new_value();
            insts.push(Inst { exact: true, kind: Kind::Const(bits), results: vec![value], loc: self.loc });
            insts.push(Inst {
                exact: true,
                kind: Kind::SlotStore { slot, word: word as u32, value },
                results: vec![],
                loc: self.loc,
            });
        }
        let entry = self.func.entry();
        self.func.blocks[entry.index()].insts.splice(0..0, insts);
        slot
    }

    /// The finished function: every block terminated, unreachable ones gone.
    pub fn finish(mut self) -> Func {
        if !self.terminated {
            self.push(Kind::Unreachable, 0);
        }
        let mut reached = vec![false; self.func.blocks.len()];
        let mut work = vec![self.func.entry()];
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut reached[block.index()], true) {
                continue;
            }
            if let Some(last) = self.func.blocks[block.index()].insts.last() {
                work.extend(last.kind.targets().iter().map(|t| t.block));
            }
        }
        self.func.layout.retain(|b| reached[b.index()]);
        self.func
    }
}
