//! Control flow in SPIR-V, written as a list of blocks, and the module that it stands for.
//!
//! A block is `label: TERM` or `label: loop MERGE CONTINUE TERM`, where a term is one of
//! `br X`; `if MERGE X Y` and `exit MERGE X Y` (merge `-` for none); `switch MERGE DEFAULT
//! LITERALS:X ...`; `ret`; `unreachable`. The first block is the entry. Each block mixes a constant
//! of its own into a state of four words, and conditions are bits of that state: another path is
//! another result. `exit` also takes its first target when the fuel, one per block, is gone, so
//! every loop with an `exit` on each of its ways round ends.
//!
//! The state is in variables or, as an optimiser leaves it, in phis at every block with several
//! predecessors; edges back may swap two words. Mistakes here are modules that spirv-val refuses.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{self, Word};

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// To a block.
    Branch(String),
    /// Merge block, targets, whether it is an `exit`.
    If(Option<String>, String, String, bool),
    /// Merge block, default, literals with their targets.
    Switch(String, String, Vec<(Vec<u32>, String)>),
    /// The state is written and the invocation ends.
    Return,
    /// `OpUnreachable`.
    Unreachable,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its label.
    pub label: String,
    /// Merge block and continue target if it is a loop's header.
    pub merge: Option<(String, String)>,
    /// How it ends.
    pub term: Term,
}

impl Block {
    /// The labels it names as successors.
    fn targets(&self) -> Vec<&str> {
        match &self.term {
            Term::Branch(x) => vec![x],
            Term::If(_, x, y, _) => vec![x, y],
            Term::Switch(_, d, cases) => std::iter::once(d).chain(cases.iter().map(|c| &c.1)).map(|s| &**s).collect(),
            Term::Return | Term::Unreachable => vec![],
        }
    }
}

/// Reads blocks from text, separated by `;`.
pub fn parse(text: &str) -> Vec<Block> {
    text.split(';').map(|line| parse_block(line.trim())).collect()
}

fn no_block(line: &str) -> ! {
    panic!("no block: {line}")
}

fn parse_block(line: &str) -> Block {
    let (label, rest) = line.split_once(':').unwrap_or_else(|| no_block(line));
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let mut merge = None;
    if words[0] == "loop" {
        merge = Some((words[1].to_string(), words[2].to_string()));
        words.drain(..3);
    }
    let s = |w: &str| w.to_string();
    let term = match words[..] {
        ["br", x] => Term::Branch(s(x)),
        [kind @ ("if" | "exit"), m, x, y] => Term::If((m != "-").then(|| s(m)), s(x), s(y), kind == "exit"),
        ["switch", m, d, ref cases @ ..] => {
            let case = |c: &&str| {
                let (literals, target) = c.split_once(':').unwrap_or_else(|| no_block(line));
                (literals.split(',').map(|l| l.parse().unwrap()).collect(), s(target))
            };
            Term::Switch(s(m), s(d), cases.iter().map(case).collect())
        }
        ["ret"] => Term::Return,
        ["unreachable"] => Term::Unreachable,
        _ => no_block(line),
    };
    Block { label: label.to_string(), merge, term }
}

/// Blocks as [`parse`] reads them, a line each.
pub fn text(blocks: &[Block]) -> String {
    let line = |b: &Block| {
        let merge = b.merge.as_ref().map(|(m, c)| format!("loop {m} {c} ")).unwrap_or_default();
        let term = match &b.term {
            Term::Branch(x) => format!("br {x}"),
            Term::If(m, x, y, exit) => {
                format!("{} {} {x} {y}", if *exit { "exit" } else { "if" }, m.as_deref().unwrap_or("-"))
            }
            Term::Switch(m, d, cases) => {
                let case = |(l, x): &(Vec<u32>, String)| {
                    format!(" {}:{x}", l.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
                };
                format!("switch {m} {d}{}", cases.iter().map(case).collect::<String>())
            }
            Term::Return => "ret".into(),
            Term::Unreachable => "unreachable".into(),
        };
        format!("{}: {merge}{term}", b.label)
    };
    blocks.iter().map(line).collect::<Vec<_>>().join(";\n")
}

/// Invocations of the one work group; each reads and writes four words; those read are `LANES`
/// apart.
pub const LANES: u32 = 64;
/// Blocks that an invocation goes through before every `exit` is taken.
pub const FUEL: u32 = 40;

struct Lower<'a> {
    b: Builder,
    blocks: &'a [Block],
    rng: ChaCha8Rng,
    uint: Word,
    boolean: Word,
    labels: Vec<Word>,
    /// By block, in phi form: the four words at its begin and at its end.
    begin: Vec<[Word; 4]>,
    end: Vec<[Word; 4]>,
    /// In variable form: the variables.
    variables: Option<[Word; 4]>,
    /// Output variable, its element's pointer type, index of the invocation.
    output: (Word, Word, Word),
}

/// The module of some blocks; the seed draws constants, conditions, and the form of the state.
pub fn module(blocks: &[Block], seed: u64) -> Vec<u32> {
    let mut b = Builder::new();
    b.set_version(1, 5);
    b.capability(spirv::Capability::Shader);
    b.memory_model(spirv::AddressingModel::Logical, spirv::MemoryModel::GLSL450);
    let (void, uint, boolean) = (b.type_void(), b.type_int(32, 0), b.type_bool());
    let array = b.type_runtime_array(uint);
    b.decorate(array, spirv::Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
    let block = b.type_struct([array]);
    b.decorate(block, spirv::Decoration::Block, []);
    b.member_decorate(block, 0, spirv::Decoration::Offset, [Operand::LiteralBit32(0)]);
    let class = spirv::StorageClass::StorageBuffer;
    let (pointer, element) = (b.type_pointer(None, class, block), b.type_pointer(None, class, uint));
    let [input, output] = [0, 1].map(|binding| {
        let v = b.variable(pointer, None, class, None);
        b.decorate(v, spirv::Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
        b.decorate(v, spirv::Decoration::Binding, [Operand::LiteralBit32(binding)]);
        v
    });
    let to_uint = b.type_pointer(None, spirv::StorageClass::Input, uint);
    let index = b.variable(to_uint, None, spirv::StorageClass::Input, None);
    b.decorate(index, spirv::Decoration::BuiltIn, [Operand::BuiltIn(spirv::BuiltIn::LocalInvocationIndex)]);
    let function = b.type_function(void, []);
    let local = b.type_pointer(None, spirv::StorageClass::Function, uint);
    let main = b.begin_function(void, None, spirv::FunctionControl::NONE, function).unwrap();
    b.entry_point(spirv::ExecutionModel::GLCompute, main, "main", [input, output, index]);
    b.execution_mode(main, spirv::ExecutionMode::LocalSize, [LANES, 1, 1]);
    b.begin_block(None).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let variables =
        rng.random::<bool>().then(|| [(); 4].map(|()| b.variable(local, None, spirv::StorageClass::Function, None)));
    let at = b.load(uint, None, index, None, []).unwrap();
    let zero = b.constant_bit32(uint, 0);
    // The fuel comes from the buffer too, so that nobody unrolls loops by it.
    let state = [0, 3, 1, 2].map(|n| {
        let offset = b.constant_bit32(uint, n * LANES);
        let i = b.i_add(uint, None, at, offset).unwrap();
        let p = b.access_chain(element, None, input, [zero, i]).unwrap();
        b.load(uint, None, p, None, []).unwrap()
    });
    let labels = blocks.iter().map(|_| b.id()).collect::<Vec<_>>();
    if let Some(variables) = variables {
        variables.iter().zip(state).for_each(|(v, s)| b.store(*v, s, None, []).unwrap());
    }
    let first = b.module_ref().functions[0].blocks[0].label_id().unwrap();
    b.branch(labels[0]).unwrap();
    let mut l = Lower {
        b,
        blocks,
        rng,
        uint,
        boolean,
        labels,
        begin: vec![],
        end: vec![],
        variables,
        output: (output, element, at),
    };
    l.all(first, state);
    l.b.end_function().unwrap();
    l.b.module().assemble()
}

impl Lower<'_> {
    fn number(&self, label: &str) -> usize {
        self.blocks.iter().position(|b| b.label == label).unwrap_or_else(|| panic!("no block {label}"))
    }
    fn id(&self, label: &str) -> Word {
        self.labels[self.number(label)]
    }
    fn constant(&mut self, value: u32) -> Word {
        self.b.constant_bit32(self.uint, value)
    }

    /// Predecessors of a block by number, each once; the function's first block is not among them.
    fn predecessors(&self, n: usize) -> Vec<usize> {
        let to = |b: &Block| b.targets().contains(&&*self.blocks[n].label);
        (0..self.blocks.len()).filter(|&p| to(&self.blocks[p])).collect()
    }

    fn all(&mut self, first: Word, start: [Word; 4]) {
        let zero = self.constant(0);
        let changes: Vec<[bool; 2]> =
            self.blocks.iter().map(|_| [(); 2].map(|()| self.rng.random_range(0..3) == 0)).collect();
        for (n, changes) in changes.iter().enumerate() {
            let from = self.predecessors(n);
            let begin = match (n, &from[..]) {
                (0, []) => start,
                (_, []) => [zero; 4],
                // A block comes behind what dominates it.
                (1.., &[p]) if p < n => self.end[p],
                _ => [(); 4].map(|()| self.b.id()),
            };
            let [x, y] = [0, 1].map(|i| if changes[i] { self.b.id() } else { begin[2 + i] });
            self.end.push([self.b.id(), self.b.id(), x, y]);
            self.begin.push(begin);
        }
        for (n, changes) in changes.into_iter().enumerate() {
            self.block(n, changes, first, start);
        }
    }

    fn phis(&mut self, n: usize, first: Word, start: [Word; 4]) {
        let from = self.predecessors(n);
        let single = matches!((n, &from[..]), (1.., &[p]) if p < n);
        if from.is_empty() || single {
            return;
        }
        let mut edges: Vec<(Word, [Word; 4])> = if n == 0 { vec![(first, start)] } else { vec![] };
        for p in from {
            let mut state = self.end[p];
            if p >= n && self.rng.random() {
                state.swap(2, 3);
            }
            edges.push((self.labels[p], state));
        }
        for i in 0..4 {
            let operands: Vec<_> = edges.iter().map(|(label, state)| (state[i], *label)).collect();
            self.b.phi(self.uint, Some(self.begin[n][i]), operands).unwrap();
        }
    }

    fn block(&mut self, n: usize, changes: [bool; 2], first: Word, start: [Word; 4]) {
        self.b.begin_block(Some(self.labels[n])).unwrap();
        let u = self.uint;
        let state = match self.variables {
            Some(variables) => variables.map(|v| self.b.load(u, None, v, None, []).unwrap()),
            None => {
                self.phis(n, first, start);
                self.begin[n]
            }
        };
        let [acc, fuel, x, y] = state;
        let [k, odd, zero, one] = [self.rng.random(), 0x9E37_79B1, 0, 1].map(|v| self.constant(v));
        let mixed = self.b.bitwise_xor(u, None, acc, k).unwrap();
        let mixed = self.b.i_mul(u, None, mixed, odd).unwrap();
        let ends = self.end[n];
        let acc = self.b.i_add(u, Some(ends[0]), mixed, x).unwrap();
        let some = self.b.i_not_equal(self.boolean, None, fuel, zero).unwrap();
        let less = self.b.select(u, None, some, one, zero).unwrap();
        let fuel = self.b.i_sub(u, Some(ends[1]), fuel, less).unwrap();
        let x = if changes[0] { self.b.i_add(u, Some(ends[2]), x, acc).unwrap() } else { x };
        let y = if changes[1] { self.b.bitwise_xor(u, Some(ends[3]), y, acc).unwrap() } else { y };
        let state = [acc, fuel, x, y];
        if let Some(variables) = self.variables {
            variables.iter().zip(state).for_each(|(v, s)| self.b.store(*v, s, None, []).unwrap());
        }
        self.end(n, state);
    }

    /// Some bits of the state.
    fn bits(&mut self, acc: Word, mask: u32) -> Word {
        let shift = self.rng.random_range(8..24);
        let [shift, mask] = [shift, mask].map(|v| self.constant(v));
        let moved = self.b.shift_right_logical(self.uint, None, acc, shift).unwrap();
        self.b.bitwise_and(self.uint, None, moved, mask).unwrap()
    }

    fn end(&mut self, n: usize, [acc, fuel, x, y]: [Word; 4]) {
        let Block { merge, term, .. } = self.blocks[n].clone();
        let zero = self.constant(0);
        let bits = match &term {
            Term::If(_, _, _, exit) => {
                let mask = if *exit { 7 } else { 1 };
                let bits = self.bits(acc, mask);
                let chosen = self.b.i_equal(self.boolean, None, bits, zero).unwrap();
                if *exit {
                    let empty = self.b.i_equal(self.boolean, None, fuel, zero).unwrap();
                    self.b.logical_or(self.boolean, None, chosen, empty).unwrap()
                } else {
                    chosen
                }
            }
            Term::Switch(..) => self.bits(acc, 7),
            _ => 0,
        };
        if term == Term::Return {
            self.write([acc, fuel, x, y]);
        }
        if let Some((m, c)) = merge {
            let (m, c) = (self.id(&m), self.id(&c));
            self.b.loop_merge(m, c, spirv::LoopControl::NONE, []).unwrap();
        }
        let none = spirv::SelectionControl::NONE;
        match term {
            Term::Branch(x) => self.b.branch(self.id(&x)).unwrap(),
            Term::If(m, x, y, _) => {
                if let Some(m) = m {
                    self.b.selection_merge(self.id(&m), none).unwrap();
                }
                self.b.branch_conditional(bits, self.id(&x), self.id(&y), []).unwrap();
            }
            Term::Switch(m, d, cases) => {
                self.b.selection_merge(self.id(&m), none).unwrap();
                let mut targets = vec![];
                for (literals, x) in cases {
                    targets.extend(literals.iter().map(|l| (Operand::LiteralBit32(*l), self.id(&x))));
                }
                self.b.switch(bits, self.id(&d), targets).unwrap();
            }
            Term::Return => self.b.ret().unwrap(),
            Term::Unreachable => self.b.unreachable().unwrap(),
        }
    }

    fn write(&mut self, state: [Word; 4]) {
        let (output, element, at) = self.output;
        let [zero, four] = [0, 4].map(|v| self.constant(v));
        let base = self.b.i_mul(self.uint, None, at, four).unwrap();
        for (n, value) in (0..).zip(state) {
            let offset = self.constant(n);
            let i = self.b.i_add(self.uint, None, base, offset).unwrap();
            let p = self.b.access_chain(element, None, output, [zero, i]).unwrap();
            self.b.store(p, value, None, []).unwrap();
        }
    }
}
