//! From a SPIR-V entry point to one SSA function. SPIR-V is SSA with structured control flow, so a
//! block becomes a block, a phi a parameter of its block, and an id a list of packed words or a
//! place in memory. Calls are expanded where they stand: pointers and variables of the callee are
//! then known, and there is no recursion. Blocks are laid out in structured order
//! ([`super::order`]); the result is *in step* ([`Shape`]), which is checked, for on it rests where
//! lanes meet again. Wrong would be a phi's argument that is read behind another phi's parameter of
//! the same block: arguments are values of the branch, parameters new ones, so a swap is parallel.

use super::functions;
use super::module::{Entry, Function, Module, Res};
use super::order::structured;
use crate::front::emit::cx::Emit;
use crate::front::emit::place::{Base, Place};
use crate::front::emit::types::Shape;
use crate::interface::Binding;
use crate::ssa::{self, Kind, Loc, Space, Target, Value};
use quadlock_isa::Op as Machine;
use rspirv::spirv::{ExecutionMode, FPFastMathMode, Op, StorageClass};
use std::collections::{BTreeMap, HashMap};

/// How deep calls nest at most.
const MAX_DEPTH: usize = 200;
/// Values from which on no call is expanded: a program has at most 65,536 instructions.
const MAX_VALUES: u32 = 1 << 18;

/// How the matrices in a member lie: bytes between columns (or rows), and whether those are rows.
pub type MatrixLayout = Option<(u32, bool)>;

/// What an id stands for.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Packed words.
    Words(Vec<Value>),
    /// A pointer.
    Place(Place),
    /// A pointer to an array of buffers: entries of the buffer table, one behind the other.
    Buffers { first: u32, count: u32, space: Space, shape: Shape },
}

/// An output variable and its slot.
#[derive(Clone, Copy)]
pub struct OutputVariable {
    pub id: u32,
    pub pointee: u32,
    pub slot: ssa::Slot,
}

/// Where a return goes.
#[derive(Clone, Copy)]
enum Return {
    /// The thread ends.
    Ends,
    /// To the block behind the call, whose parameters are the result.
    To(ssa::Block),
}

/// A lowering.
pub struct Lower<'m, 'p> {
    pub m: &'m Module,
    pub e: Emit<'p>,
    pub entry: &'m Entry,
    /// The instruction that is lowered.
    pub n: usize,
    pub tys: HashMap<(u32, MatrixLayout), Shape>,
    pub constants: HashMap<u32, Vec<u32>>,
    /// Values of specialisation constants that were given, by id.
    pub specialised: &'m BTreeMap<u32, Vec<u32>>,
    /// By id.
    pub values: Vec<Option<Operand>>,
    /// Blocks of the function that is expanded, by label.
    blocks: HashMap<u32, ssa::Block>,
    orders: HashMap<u32, Vec<usize>>,
    /// Functions that are being expanded, one inside the other.
    calls: Vec<u32>,
    /// Entries of the buffer table.
    /// Each with the place where it is declared.
    pub bindings: Vec<(Binding, Loc)>,
    /// Output variables of a stage.
    pub outputs: Vec<OutputVariable>,
    /// An execution mode forbids to join operations, unless one of them says otherwise.
    pub contraction_off: bool,
    returns: Return,
}

/// Whether an entry point asks that operations are not joined: by its mode, or by a default for
/// floats of 32 bits without AllowContract (SPV_KHR_float_controls2).
fn contraction_off(m: &Module, entry: &Entry) -> bool {
    let float = |id: u32| m.def(id).is_some_and(|d| d.op == Op::TypeFloat && d.args[0] == 32);
    entry.modes.iter().any(|(mode, words, _)| match (mode, &words[..]) {
        (ExecutionMode::ContractionOff, _) => true,
        (ExecutionMode::FPFastMathDefault, &[ty, flags]) => {
            let flags = m.word(flags).unwrap_or(0);
            float(ty) && flags & FPFastMathMode::ALLOW_CONTRACT.bits() == 0
        }
        _ => false,
    })
}

impl<'m, 'p> Lower<'m, 'p> {
    pub fn new(
        m: &'m Module,
        e: Emit<'p>,
        entry: &'m Entry,
        specialised: &'m BTreeMap<u32, Vec<u32>>,
        ids: usize,
    ) -> Self {
        Lower {
            m,
            e,
            entry,
            n: entry.at,
            tys: HashMap::new(),
            constants: HashMap::new(),
            specialised,
            values: vec![None; ids],
            blocks: HashMap::new(),
            orders: HashMap::new(),
            calls: vec![],
            bindings: vec![],
            outputs: vec![],
            contraction_off: contraction_off(m, entry),
            returns: Return::Ends,
        }
    }

    /// An error at the current instruction.
    pub fn refuse<T>(&self, message: impl Into<String>, help: &str) -> Res<T> {
        Err(self.m.error(self.n, message, help))
    }
    pub fn invalid<T>(&self, message: impl Into<String>) -> Res<T> {
        Err(self.m.invalid(self.n, message))
    }

    /// The entry point's body.
    pub fn entry_body(&mut self) -> Res<()> {
        let m = self.m;
        match m.functions.get(&self.entry.function) {
            Some(f) if f.params.is_empty() && !f.blocks.is_empty() => self.body(f),
            _ => self.invalid("the entry point is no function without parameters"),
        }
    }

    fn body(&mut self, f: &'m Function) -> Res<()> {
        if f.blocks.is_empty() {
            return self.invalid("a function without blocks");
        }
        let order = match self.orders.get(&f.id) {
            Some(order) => order.clone(),
            None => structured(self.m, f)?,
        };
        self.orders.insert(f.id, order.clone());
        let Some((&first, rest)) = order.split_first() else { return self.invalid("a function without blocks") };
        for &b in rest {
            let block = self.e.b.block();
            self.blocks.insert(f.blocks[b].label, block);
            self.phis(&f.blocks[b], block)?;
        }
        for b in std::iter::once(first).chain(rest.iter().copied()) {
            let block = &f.blocks[b];
            if b != first {
                self.e.b.start(self.blocks[&block.label]);
            }
            for n in block.insts.clone() {
                self.n = n;
                self.e.b.loc = self.m.locs[n];
                self.instruction(f, block.label)?;
            }
        }
        Ok(())
    }

    /// Parameters of a block for its phis.
    fn phis(&mut self, block: &super::module::Block, to: ssa::Block) -> Res<()> {
        let m = self.m;
        for n in block.insts.clone().filter(|&n| m.insts[n].op == Op::Phi) {
            self.n = n;
            let i = &m.insts[n];
            let count = self.words_of(i.ty)?;
            let words: Vec<Value> = (0..count).map(|_| self.e.b.func.new_value()).collect();
            self.e.b.func.blocks[to.index()].params.extend(&words);
            let operand = self.operand_of(i.ty, words)?;
            self.define(i.id, operand);
        }
        Ok(())
    }

    /// A branch's target with the arguments of its phis.
    fn target(&mut self, f: &Function, from: u32, to: u32) -> Res<Target> {
        let m = self.m;
        let mut args = vec![];
        let insts = f.numbers.get(&to).map_or(0..0, |&b| f.blocks[b].insts.clone());
        for i in insts.map(|n| &m.insts[n]).filter(|i| i.op == Op::Phi) {
            let Some(pair) = i.args.chunks_exact(2).find(|p| p[1] == from) else {
                return self.invalid(format!("{} has no value for {}", m.called(i.id), m.called(from)));
            };
            let words = self.as_words(pair[0])?;
            if words.len() != self.words_of(i.ty)? as usize {
                return self.invalid(format!("{} has a value of another type", m.called(i.id)));
            }
            args.extend(words);
        }
        match self.blocks.get(&to) {
            Some(&block) => Ok(Target { block, args }),
            None => self.invalid(format!("{} begins a function and is branched to", m.called(to))),
        }
    }

    fn instruction(&mut self, f: &'m Function, label: u32) -> Res<()> {
        let m = self.m;
        let i = &m.insts[self.n];
        match i.op {
            Op::Phi | Op::Line | Op::NoLine | Op::Nop | Op::SelectionMerge | Op::LoopMerge => {}
            Op::Branch => {
                let to = self.target(f, label, i.args[0])?;
                self.e.b.terminate(Kind::Jump(to));
            }
            Op::BranchConditional => {
                let cond = self.word(i.args[0])?;
                let then = self.target(f, label, i.args[1])?;
                let other = self.target(f, label, i.args[2])?;
                let same = i.args[1] == i.args[2];
                self.e.b.terminate(if same { Kind::Jump(then) } else { Kind::Branch { cond, then, other } });
            }
            Op::Switch => self.switch(f, label)?,
            Op::Return => {
                if matches!(self.returns, Return::Ends) {
                    self.finish_outputs()?;
                }
                self.return_(vec![]);
            }
            Op::ReturnValue => {
                let words = self.as_words(i.args[0])?;
                self.return_(words);
            }
            Op::Kill | Op::TerminateInvocation => self.e.b.terminate(Kind::Discard),
            Op::Unreachable => self.e.b.terminate(Kind::Unreachable),
            Op::FunctionCall => self.call()?,
            _ => {
                if let Some(operand) = self.value()? {
                    self.define(i.id, operand);
                }
            }
        }
        Ok(())
    }

    /// A chain of comparisons, which stand before the bodies.
    fn switch(&mut self, f: &Function, label: u32) -> Res<()> {
        let i = &self.m.insts[self.n];
        let bits = self.bits_of(i.args[0]);
        let selector = match self.word(i.args[0])? {
            word if bits < 32 => self.extend(word, bits, false),
            word => word,
        };
        let default = i.args[1];
        for (literal, to) in self.m.cases(self.n)?.into_iter().filter(|c| c.1 != default) {
            let then = self.target(f, label, to)?;
            // A narrow literal is written with its sign.
            let literal = self.e.b.constant(literal & u32::MAX >> (32 - bits.min(32)));
            let cond = self.e.b.alu2(Machine::ISetEq, selector, literal);
            let block = self.e.b.block();
            self.e.b.terminate(Kind::Branch { cond, then, other: Target { block, args: vec![] } });
            self.e.b.start(block);
        }
        let to = self.target(f, label, default)?;
        self.e.b.terminate(Kind::Jump(to));
        Ok(())
    }

    fn return_(&mut self, words: Vec<Value>) {
        self.e.b.terminate(match self.returns {
            Return::Ends => Kind::Return(vec![]),
            Return::To(block) => Kind::Jump(Target { block, args: words }),
        });
    }

    /// A call: the callee's blocks, then the block behind it.
    fn call(&mut self) -> Res<()> {
        let m = self.m;
        let i = &m.insts[self.n];
        let name = m.imports.get(&i.args[0]).or_else(|| m.names.get(&i.args[0]));
        // An imported name does not say what its memory holds; the pointer's type does.
        let pointee = i.args.get(1).and_then(|&a| self.pointer(self.type_of(a))).and_then(|p| m.def(p.1));
        let signed = pointee.is_some_and(|d| d.op == Op::TypeInt && d.args[1] == 1);
        if let Some(function) = name.and_then(|name| functions::of_sign(name, signed)) {
            return self.ours(function, i.args[0], &i.args[1..]);
        }
        let Some(f) = m.functions.get(&i.args[0]).filter(|f| f.params.len() == i.args.len() - 1) else {
            return self.invalid("the call of something that is no function, or with other arguments");
        };
        if self.calls.contains(&f.id) || self.entry.function == f.id {
            return self.refuse(format!("{} calls itself", m.called(f.id)), "recursion is not supported");
        }
        if self.calls.len() > MAX_DEPTH || self.e.b.func.values > MAX_VALUES {
            let message = "the program is too large after its calls have been expanded";
            return self.refuse(message, "call large functions less often");
        }
        for (&parameter, &argument) in f.params.iter().zip(&i.args[1..]) {
            let operand = self.operand(argument)?;
            self.define(parameter, operand);
        }
        let exit = self.e.b.block();
        let result = self.result_words(i.ty)?;
        let words: Vec<Value> = (0..result).map(|_| self.e.b.func.new_value()).collect();
        self.e.b.func.blocks[exit.index()].params.extend(&words);
        let (n, loc) = (self.n, self.e.b.loc);
        let blocks = std::mem::take(&mut self.blocks);
        let returns = std::mem::replace(&mut self.returns, Return::To(exit));
        self.calls.push(f.id);
        self.body(f)?;
        self.calls.pop();
        (self.blocks, self.returns) = (blocks, returns);
        (self.n, self.e.b.loc) = (n, loc);
        self.e.b.start(exit);
        if result > 0 {
            let operand = self.operand_of(i.ty, words)?;
            self.define(i.id, operand);
        }
        Ok(())
    }

    fn result_words(&mut self, ty: u32) -> Res<u32> {
        match self.m.def(ty) {
            Some(d) if d.op == Op::TypeVoid => Ok(0),
            _ => self.words_of(ty),
        }
    }

    pub fn define(&mut self, id: u32, operand: Operand) {
        if let Some(slot) = self.values.get_mut(id as usize) {
            *slot = Some(operand);
        }
    }

    /// What an id stands for, here.
    pub fn operand(&mut self, id: u32) -> Res<Operand> {
        if let Some(Some(operand)) = self.values.get(id as usize) {
            return Ok(operand.clone());
        }
        if let Some(words) = self.constant(id)? {
            return Ok(Operand::Words(words.iter().map(|&w| self.e.b.constant(w)).collect()));
        }
        match self.m.def(id).map(|d| d.op) {
            Some(Op::Variable) => self.global(id),
            Some(op) => self.invalid(format!("{} (Op{op:?}) is used where it has no value", self.m.called(id))),
            None => self.invalid(format!("%{id} is not defined")),
        }
    }

    /// The packed words of a value.
    pub fn words(&mut self, id: u32) -> Res<Vec<Value>> {
        match self.operand(id)? {
            Operand::Words(words) => Ok(words),
            _ => self.invalid(format!("{} is a pointer and is used as a value", self.m.called(id))),
        }
    }

    /// The value of a scalar.
    pub fn word(&mut self, id: u32) -> Res<Value> {
        match self.words(id)?[..] {
            [word] => Ok(word),
            _ => self.invalid(format!("{} is no scalar", self.m.called(id))),
        }
    }

    /// A pointer's place.
    pub fn place(&mut self, id: u32) -> Res<Place> {
        match self.operand(id)? {
            Operand::Place(place) => Ok(place),
            Operand::Words(_) => self.invalid(format!("{} is no pointer", self.m.called(id))),
            Operand::Buffers { .. } => self.invalid(format!("{} is an array of buffers", self.m.called(id))),
        }
    }

    /// A value as words, a pointer too: its address, and the bytes from there to the buffer's end.
    pub fn as_words(&mut self, id: u32) -> Res<Vec<Value>> {
        match self.operand(id)? {
            Operand::Words(words) => Ok(words),
            Operand::Place(place) => {
                if !matches!(place.base, Base::Memory { .. }) {
                    let help = "use it in the block in which it is made, or copy what it points to";
                    return self.refuse("a pointer to a variable of the invocation is chosen at run time", help);
                }
                self.e.pointer_words(place)
            }
            Operand::Buffers { .. } => self.invalid(format!("{} is an array of buffers", self.m.called(id))),
        }
    }

    /// The operand of a type that words are.
    pub fn operand_of(&mut self, ty: u32, words: Vec<Value>) -> Res<Operand> {
        let Some((class, pointee)) = self.pointer(ty) else { return Ok(Operand::Words(words)) };
        let space = match class {
            StorageClass::StorageBuffer | StorageClass::Uniform => Space::Global,
            StorageClass::Workgroup => Space::Shared,
            _ => {
                let help = "use it in the block in which it is made, or copy what it points to";
                return self.refuse(format!("a pointer of the class {class:?} is chosen at run time"), help);
            }
        };
        let shape = self.ty(pointee)?;
        match words[..] {
            [at, bytes] => Ok(Operand::Place(self.e.pointed(space, [at, bytes], shape))),
            _ => self.invalid("a pointer of another size"),
        }
    }
}
