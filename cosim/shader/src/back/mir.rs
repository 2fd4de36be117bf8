//! Machine instructions before they have registers.
//!
//! One `MInst` becomes one instruction word. Registers are virtual; a value defined once in SSA
//! stays defined once, except block parameters, which the copies at the end of the predecessors
//! write. These copies stand beside the instructions ([`MBlock::copies`]) and happen all at once,
//! which leaves the allocator free to make most of them vanish. Wrong if an operand is put where
//! the table does not take it: the encoder's shape check finds it.

use crate::ssa::Loc;
use quadlock_isa::{Op, Special};

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VReg(pub u32);

impl VReg {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operand B, or the source of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operand {
    None,
    Reg(VReg),
    Imm(u32),
    /// Word of the constant bank.
    Const(u32),
}

impl Operand {
    pub fn reg(self) -> Option<VReg> {
        match self {
            Operand::Reg(r) => Some(r),
            _ => None,
        }
    }
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct MInst {
    pub op: Op,
    /// Destinations; more than one are consecutive registers.
    pub defs: Vec<VReg>,
    pub a: Option<VReg>,
    /// Operand B of lane-pipeline instructions.
    pub b: Operand,
    /// Data of stores and atomics; more than one are consecutive registers.
    pub data: Vec<VReg>,
    /// Operand C; more than one (what a 64-bit compare-and-exchange expects) are consecutive
    /// registers.
    pub c: Vec<VReg>,
    /// Offset of memory instructions, special register number.
    pub imm: u32,
    /// A load of memory that nobody writes while the program runs.
    pub read_only: bool,
    /// A memory operation: earlier ones stay before it, later ones behind it.
    pub fenced: bool,
    /// A store to the thread's stack.
    pub own: bool,
    /// A release of `dependencyDone`.
    pub done: bool,
    /// Made by the spiller: a store, a reload, or a value made again.
    pub spill: bool,
    pub loc: Loc,
}

impl MInst {
    pub fn new(op: Op, defs: Vec<VReg>, loc: Loc) -> MInst {
        let (data, c) = (Vec::new(), Vec::new());
        MInst {
            op,
            defs,
            a: None,
            b: Operand::None,
            data,
            c,
            imm: 0,
            read_only: false,
            fenced: false,
            own: false,
            done: false,
            spill: false,
            loc,
        }
    }
    /// `MOV d, source`.
    pub fn mov(d: VReg, source: Operand, loc: Loc) -> MInst {
        MInst { b: source, ..MInst::new(Op::Mov, vec![d], loc) }
    }
    pub fn uses(&self) -> impl Iterator<Item = VReg> + '_ {
        self.a.into_iter().chain(self.b.reg()).chain(self.data.iter().chain(&self.c).copied())
    }
    pub fn map_uses(&mut self, f: &mut dyn FnMut(VReg) -> VReg) {
        self.a = self.a.map(&mut *f);
        if let Operand::Reg(r) = self.b {
            self.b = Operand::Reg(f(r));
        }
        self.data.iter_mut().chain(&mut self.c).for_each(|r| *r = f(*r));
    }
    /// Register-to-register move: (destination, source).
    pub fn as_move(&self) -> Option<(VReg, VReg)> {
        match (self.op, self.b) {
            (Op::Mov, Operand::Reg(s)) => Some((self.defs[0], s)),
            _ => None,
        }
    }
    /// Whether the result can be had again at any place for the price of this one instruction,
    /// without reading a register.
    pub fn is_cheap(&self) -> bool {
        matches!((self.op, self.b), (Op::Mov, Operand::Imm(_) | Operand::Const(_)))
            || self.op == Op::S2R && self.imm != Special::Helper as u32
    }
}

/// How a block ends. Numbers are indices of [`MFunc::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    Jump(usize),
    /// To `then` where `cond` is not zero (zero if `negate`), else to `other`.
    Branch {
        cond: VReg,
        negate: bool,
        then: usize,
        other: usize,
    },
    End,
    Discard,
}

impl Term {
    pub fn targets(self) -> Vec<usize> {
        match self {
            Term::Jump(t) => vec![t],
            Term::Branch { then, other, .. } => vec![then, other],
            Term::End | Term::Discard => vec![],
        }
    }
    pub fn cond(self) -> Option<VReg> {
        match self {
            Term::Branch { cond, .. } => Some(cond),
            _ => None,
        }
    }
    pub fn map_cond(&mut self, f: &dyn Fn(VReg) -> VReg) {
        if let Term::Branch { cond, .. } = self {
            *cond = f(*cond);
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct MBlock {
    pub name: String,
    pub insts: Vec<MInst>,
    /// Parallel copies between the last instruction and the terminator: all sources are read before
    /// any destination is written.
    pub copies: Vec<(VReg, Operand)>,
    pub term: Term,
    pub term_loc: Loc,
    /// Number of loops around the block.
    pub depth: u32,
    /// One turn of a loop that waits for memory to change.
    pub polling: bool,
}

/// A program: blocks in the order in which they will lie in memory, the first is the entry.
#[derive(Clone, Debug, PartialEq)]
pub struct MFunc {
    pub blocks: Vec<MBlock>,
    /// Number of virtual registers handed out.
    pub vregs: u32,
    /// Bytes of the thread's frame used so far.
    pub frame: u32,
    /// Holds the address of the thread's frame from the entry on, if there is one.
    pub stack_pointer: Option<VReg>,
}

impl MFunc {
    pub fn new_vreg(&mut self) -> VReg {
        self.vregs += 1;
        VReg(self.vregs - 1)
    }
}
