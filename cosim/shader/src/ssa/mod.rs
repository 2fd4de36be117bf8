//! The compiler's own SSA: scalar, 32 bits wide, blocks with parameters.
//!
//! Everything above this level (vectors, matrices, structs, types) is taken apart by the front end;
//! everything below it (registers, instruction words) is made by the back end. A value is 32 bits
//! whatever its meaning; the operation says how to read them; a boolean is 0 or 1. Blocks are kept
//! in *layout order*, which is source order (then before else before merge; loop header, body,
//! continuing, exit): the machine runs the lowest program counter first, so that a merge point
//! placed after both arms is where lanes reconverge. Passes may delete blocks and straighten jumps
//! but keep this order. A pass that breaks dominance or block arguments is caught by `verify`.

pub mod dominance;
pub mod interp;
#[cfg(test)]
pub mod lockstep;
pub mod print;
pub mod shape;
pub mod verify;

use crate::ops::predicate::cross_lane;
use quadlock_isa::{Op, Special};

/// Index newtypes; arenas are plain vectors.
macro_rules! index { ($($(#[$m:meta])* $n:ident),*) => { $( $(#[$m])* #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)] pub struct $n(pub u32);
    impl $n { #[doc = "Its place in the arena."] pub fn index(self) -> usize { self.0 as usize } } )* } }
index!(
    /// An SSA value of the function it stands in.
    Value,
    /// A basic block.
    Block,
    /// A local variable before mem2reg, an array of 32-bit words.
    Slot,
    /// A function of the module.
    FuncId
);

/// Where a load, store or atomic goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory (storage buffers, indexed uniforms): byte address.
    Global,
    /// The work group's window of shared storage: byte offset in the window; the back end adds
    /// `shared_base`.
    Shared,
    /// The thread's own stack: byte offset in the frame (from `SlotAddr`); the back end adds the
    /// stack's address.
    Stack,
    /// Loads only: global memory that nobody writes while the program runs (storage buffers that
    /// the program only reads, uniform buffers; the host gives no two bindings the same memory).
    /// Byte address.
    ReadOnly,
}

impl Space {
    /// Number of spaces that are written apart from each other.
    pub const WRITTEN: usize = 3;

    /// The space as an index below [`Space::WRITTEN`]. Most passes treat what is only read as
    /// global memory; `gvn`, `pre` and the scheduler know better.
    pub fn written_as(self) -> usize {
        match self {
            Space::ReadOnly => Space::Global as usize,
            space => space as usize,
        }
    }
}

/// Width and extension of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// A byte, extended by zero.
    U8,
    /// A byte, extended by its sign.
    S8,
    /// Two bytes, extended by zero.
    U16,
    /// Two bytes, extended by their sign.
    S16,
    /// One word of 32 bits.
    W32,
    /// Two words.
    W64,
    /// Four words.
    W128,
}

impl Width {
    /// How many 32-bit values are loaded or stored.
    pub fn words(self) -> usize {
        match self {
            Width::W64 => 2,
            Width::W128 => 4,
            _ => 1,
        }
    }
    /// Bytes of the access: 1, 2, 4, 8 or 16.
    pub fn bytes(self) -> u32 {
        match self {
            Width::U8 | Width::S8 => 1,
            Width::U16 | Width::S16 => 2,
            Width::W32 => 4,
            Width::W64 => 8,
            Width::W128 => 16,
        }
    }
}

/// What an atomic does to the old value; sizes wrap at 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Lesser of signed numbers.
    SMin,
    /// Greater of signed numbers.
    SMax,
    /// Lesser of unsigned numbers.
    UMin,
    /// Greater of unsigned numbers.
    UMax,
    /// Exchange.
    Xchg,
    /// Compare and exchange.
    Cas,
    /// Lock word, warp-wide only (WW-22): bit 0 of the operand 1 takes it, 0 gives it back; the
    /// result is 1 if that was done.
    Lock,
}

/// What a thread asks of the semaphore entity (SE-30 to SE-33).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageOp {
    /// ACS: acquire, and wait for the acknowledgement.
    Acquire,
    /// ASR: acquire with auto-release, and wait for the acknowledgement.
    AcquireRelease,
    /// WTS: wait for the semaphores that the dispatcher acquired.
    Wait,
    /// RLS: release.
    Release,
    /// RLS of `dependencyDone`: of a semaphore of the job's graph, which no other release may name.
    Done,
}

/// How a fragment takes a word of its triangle's vertices. Numbers are places, as BARY has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum How {
    /// The first vertex's.
    Flat,
    /// Interpolated, correct for perspective, at that place of the pixel.
    Perspective(u32),
    /// Linear in the target.
    Linear(u32),
}

/// Position in the source text: file number of the module, line and column from 1; line 0 is
/// unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Loc {
    /// Index in [`Module::files`].
    pub file: u16,
    /// Line, from 1; 0 if there is none.
    pub line: u32,
    /// Column, from 1.
    pub col: u32,
    /// What the instruction there is for.
    pub role: Role,
}

/// What an instruction is for: work that the source does, or what its inputs and outputs need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// Work of the source.
    #[default]
    Work,
    /// An attribute is loaded and converted.
    Fetch,
    /// A varying is interpolated.
    Interpolation,
    /// An output is converted and given away.
    Export,
}

impl Loc {
    /// A place where the source does work.
    pub const fn at(file: u16, line: u32, col: u32) -> Loc {
        Loc { file, line, col, role: Role::Work }
    }

    /// The same place with another role.
    pub const fn with(self, role: Role) -> Loc {
        Loc { role, ..self }
    }
}

/// What an instruction does. Results are in [`Inst::results`].
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // The comment of each variant says what its fields are.
pub enum Kind {
    /// A constant. One result.
    Const(u32),
    /// A pure operation of the lane pipeline or the function unit: any `Class::Alu` op of the table
    /// but MOV and S2R, any `Class::Function` op; arguments in order A, B, C. One result.
    Alu(Op, Vec<Value>),
    /// Read a special register. One result.
    Special(Special),
    /// Read a constant-bank word. One result.
    ConstWord(u32),
    /// Read word `word` of a local slot. One result.
    SlotLoad { slot: Slot, word: u32 },
    /// Write word `word` of a local slot.
    SlotStore { slot: Slot, word: u32, value: Value },
    /// Byte offset of the slot in the thread's frame, for `Space::Stack` accesses: the slot is then
    /// kept in memory. One result.
    SlotAddr(Slot),
    /// `width.words()` results.
    Load { space: Space, width: Width, addr: Value, offset: i32 },
    /// As many `values` as the width has words; `addr` and `offset` in bytes.
    Store { space: Space, width: Width, addr: Value, offset: i32, values: Vec<Value> },
    /// Atomic on one word or on two (low word first) of global or shared memory: as many `values`,
    /// as many results, which are the old words, and for Cas, and only for it, as many `expected`.
    /// `warp_wide`: once for the lanes that are together here, with the operands of the lowest of
    /// them, and the result for all.
    Atomic {
        space: Space,
        warp_wide: bool,
        op: AtomicOp,
        addr: Value,
        offset: i32,
        values: Vec<Value>,
        expected: Vec<Value>,
    },
    /// Reductions, scans and ballot over the lanes of the warp that are together here, and QSHUF
    /// (whose value is unspecified where the lane read is not among them). One result, without
    /// effect, but *convergent*: it depends on which lanes execute it, so it stays in its block and
    /// is not copied.
    CrossLane { op: Op, args: Vec<Value> },
    /// All invocations of the work group meet here.
    Barrier,
    /// A semaphore operation of the whole warp, which lets other threads in or out: no memory
    /// operation moves across it, and it stays at its one place in the program. `id` only for those
    /// that name a semaphore.
    Message { op: MessageOp, id: Option<Value> },
    /// No instruction; no memory operation moves across it, because another thread may change
    /// memory here. `polling`: the block is one turn of a loop that waits for that, and its
    /// instructions count as polling.
    Fence { polling: bool },
    /// The invocation becomes a helper: it runs on for its neighbours' sake, but what it stores
    /// from here on is not stored, and its atomics are not done (fragment).
    Demote,
    /// 1 if the invocation is a helper here, else 0: not the same on both sides of a `Demote`. One
    /// result.
    Helper,
    /// BARY, ATTR, ATTR.FLAT (fragment): edges at a place, or a varying's word. As many results as
    /// the instruction writes registers.
    Fetch { op: Op, number: u32 },
    /// Word `word` of what the stage before gives, taken so (fragment); of words 0 to 3, which are
    /// the position, only 3: the reciprocal of w. One result. Gone when `passes::inputs` is done.
    Input { word: u32, how: How },
    /// Output word `word` of the invocation is the value (vertex, fragment).
    Output { word: u32, value: Value },
    /// Call; arguments and results are scalars in the callee's order. Gone after inlining.
    Call { func: FuncId, args: Vec<Value> },
    // Terminators.
    /// Go on at another block.
    Jump(Target),
    /// To `then` where `cond != 0`, else to `other`.
    Branch { cond: Value, then: Target, other: Target },
    /// Leave the function. In the entry function: the thread ends.
    Return(Vec<Value>),
    /// The invocation is discarded (fragment) and ends.
    Discard,
    /// Control does not come here.
    Unreachable,
}

/// Destination of a jump with the values of the block's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The block.
    pub block: Block,
    /// One for each of its parameters.
    pub args: Vec<Value>,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub kind: Kind,
    /// Values that it makes.
    pub results: Vec<Value>,
    /// Source place.
    pub loc: Loc,
    /// Of float arithmetic: each result is rounded as the instruction says, and it is not joined
    /// with another (LP-18). Front ends clear it where the source language lets compilers do so;
    /// what a pass makes of nothing is exact. Of an output: nothing that feeds it is joined.
    pub exact: bool,
}

/// A block of instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockData {
    /// Values that jumps to it bring.
    pub params: Vec<Value>,
    /// The last one is the terminator, and only that one is.
    pub insts: Vec<Inst>,
}

/// A local variable of words.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotData {
    /// Its size in words of 32 bits.
    pub words: u32,
    /// Its name in the source.
    pub name: String,
}

/// A function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Func {
    /// Its name in the source.
    pub name: String,
    /// Parameters of the function are the parameters of the first block of the layout. How many
    /// values `Return` carries:
    pub results: usize,
    /// All blocks, by number; deleted ones too.
    pub blocks: Vec<BlockData>,
    /// Blocks in layout order; the first is the entry. A block that is not listed does not exist
    /// any more.
    pub layout: Vec<Block>,
    /// Local variables, by number.
    pub slots: Vec<SlotData>,
    /// Number of values handed out.
    pub values: u32,
}

impl Func {
    /// A number for a value that has none yet.
    pub fn new_value(&mut self) -> Value {
        self.values += 1;
        Value(self.values - 1)
    }
    /// Adds a block, at the end of the layout.
    pub fn new_block(&mut self) -> Block {
        let b = self.new_detached_block();
        self.layout.push(b);
        b
    }
    /// Adds a block that is not in the layout yet.
    pub fn new_detached_block(&mut self) -> Block {
        self.blocks.push(BlockData::default());
        Block(self.blocks.len() as u32 - 1)
    }
    /// Adds a local variable.
    pub fn new_slot(&mut self, words: u32, name: &str) -> Slot {
        self.slots.push(SlotData { words, name: name.into() });
        Slot(self.slots.len() as u32 - 1)
    }
    /// Appends an instruction with `n` fresh results and returns them.
    pub fn push(&mut self, block: Block, kind: Kind, n: usize, loc: Loc) -> Vec<Value> {
        let results: Vec<Value> = (0..n).map(|_| self.new_value()).collect();
        self.blocks[block.index()].insts.push(Inst { exact: true, kind, results: results.clone(), loc });
        results
    }
    /// The block in which it begins.
    pub fn entry(&self) -> Block {
        self.layout[0]
    }
    /// Whether it matters anywhere which lanes are together.
    pub fn is_convergent(&self) -> bool {
        self.layout.iter().flat_map(|b| &self.blocks[b.index()].insts).any(|i| i.kind.is_convergent())
    }
}

/// The functions of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// By number.
    pub funcs: Vec<Func>,
    /// Names of the source files.
    pub files: Vec<String>,
}

impl Kind {
    /// It ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(self, Kind::Jump(_) | Kind::Branch { .. } | Kind::Return(_) | Kind::Discard | Kind::Unreachable)
    }
    /// The values read, in order.
    pub fn uses(&self) -> Vec<Value> {
        let mut out = Vec::new();
        self.clone().map_uses(&mut |v| {
            out.push(v);
            v
        });
        out
    }
    /// Replaces every value read.
    pub fn map_uses(&mut self, f: &mut dyn FnMut(Value) -> Value) {
        match self {
            Kind::Const(_)
            | Kind::Special(_)
            | Kind::ConstWord(_)
            | Kind::SlotLoad { .. }
            | Kind::SlotAddr(_)
            | Kind::Barrier
            | Kind::Fence { .. }
            | Kind::Demote
            | Kind::Helper
            | Kind::Fetch { .. }
            | Kind::Input { .. }
            | Kind::Discard
            | Kind::Unreachable => {}
            Kind::Alu(_, v) | Kind::CrossLane { args: v, .. } | Kind::Return(v) | Kind::Call { args: v, .. } => {
                v.iter_mut().for_each(|x| *x = f(*x))
            }
            Kind::SlotStore { value, .. } | Kind::Output { value, .. } => *value = f(*value),
            Kind::Message { id, .. } => *id = id.map(f),
            Kind::Load { addr, .. } => *addr = f(*addr),
            Kind::Store { addr, values, .. } => {
                *addr = f(*addr);
                values.iter_mut().for_each(|x| *x = f(*x));
            }
            Kind::Atomic { addr, values, expected, .. } => {
                *addr = f(*addr);
                values.iter_mut().chain(expected).for_each(|x| *x = f(*x));
            }
            Kind::Jump(t) => t.args.iter_mut().for_each(|x| *x = f(*x)),
            Kind::Branch { cond, then, other } => {
                *cond = f(*cond);
                then.args.iter_mut().for_each(|x| *x = f(*x));
                other.args.iter_mut().for_each(|x| *x = f(*x));
            }
        }
    }
    /// Whether the instruction must stay even if no result is read.
    pub fn has_effect(&self) -> bool {
        self.is_terminator()
            || matches!(
                self,
                Kind::SlotStore { .. }
                    | Kind::Store { .. }
                    | Kind::Atomic { .. }
                    | Kind::Barrier
                    | Kind::Message { .. }
                    | Kind::Fence { .. }
                    | Kind::Demote
                    | Kind::Output { .. }
                    | Kind::Call { .. }
            )
    }
    /// Whether the result or the effect depends on which lanes of the warp execute it together: it
    /// may not move to another block, nor may its block be copied.
    pub fn is_convergent(&self) -> bool {
        match self {
            Kind::CrossLane { .. } | Kind::Atomic { warp_wide: true, .. } => true,
            Kind::Alu(op, _) => cross_lane(*op),
            _ => false,
        }
    }
    /// Whether memory operations stay on their side of it: other threads may have changed memory
    /// when it is done, or those of this one count no more.
    pub fn is_fence(&self) -> bool {
        matches!(self, Kind::Barrier | Kind::Message { .. } | Kind::Fence { .. } | Kind::Demote)
    }
    /// The blocks a terminator may go to.
    pub fn targets(&self) -> Vec<&Target> {
        match self {
            Kind::Jump(t) => vec![t],
            Kind::Branch { then, other, .. } => vec![then, other],
            _ => vec![],
        }
    }
    /// Where it can go, to be changed.
    pub fn targets_mut(&mut self) -> Vec<&mut Target> {
        match self {
            Kind::Jump(t) => vec![t],
            Kind::Branch { then, other, .. } => vec![then, other],
            _ => vec![],
        }
    }
}
