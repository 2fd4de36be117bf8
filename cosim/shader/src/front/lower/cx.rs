//! The state of a lowering. One [`Program`] collects functions; one [`Cx`] lowers one SSA function,
//! inside which several naga functions may be expanded: each of those has a [`Frame`]. The files
//! beside this one are methods of [`Cx`], and call each other by it: an expression may call a
//! function, whose body has statements, which have expressions. That recursion is the language's
//! own; no file imports another for it.

use super::builder::Builder;
use super::types::{shape, shape_of, Shape};
use crate::front::options::Options;
use crate::front::text::diag::{Diagnostic, SourceMap};
use crate::ssa::{self, Block, FuncId, Slot, Space, Value};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, GlobalVariable, Handle, LocalVariable, Span};
use std::collections::HashMap;

pub type Res<T> = Result<T, Diagnostic>;

/// One naga module: the user's, or the prelude.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    pub module: &'a naga::Module,
    pub info: &'a ModuleInfo,
    pub map: &'a SourceMap,
    /// Number of the (first) file in the SSA module.
    pub file: u16,
    pub is_prelude: bool,
    pub is_glsl: bool,
}

pub struct Program<'a> {
    pub options: Options,
    pub out: ssa::Module,
    pub user: Unit<'a>,
    pub prelude: Unit<'a>,
    /// Functions lowered once and called; the flag tells the prelude's from the user's.
    pub funcs: HashMap<(bool, Handle<Function>), FuncId>,
    pub globals: HashMap<Handle<GlobalVariable>, GlobalPlace>,
    pub group_size: [u32; 3],
    /// Calls being lowered, one inside the other.
    pub depth: usize,
    /// A barrier was emitted.
    pub barrier: bool,
    pub semaphores: Seen,
}

/// What an expression stands for.
#[derive(Clone, Debug)]
pub enum Operand {
    /// Packed words.
    Words(Vec<Value>),
    Place(Place),
}

/// Where `return` goes.
#[derive(Clone, Copy)]
pub enum Ret {
    /// Out of the SSA function.
    Func,
    /// Out of an expanded function: its result is left in the slot.
    Expanded { slot: Option<Slot>, exit: Block },
}

#[derive(Clone, Copy)]
pub struct LoopBlocks {
    pub exit: Block,
    /// `None` in a switch outside of any loop.
    pub next: Option<Block>,
}

pub struct Frame<'a> {
    pub unit: Unit<'a>,
    pub fun: &'a Function,
    pub info: &'a FunctionInfo,
    /// By expression index.
    pub values: Vec<Option<Operand>>,
    /// By local variable index.
    pub locals: Vec<Slot>,
    pub args: Vec<Operand>,
    pub ret: Ret,
    /// For GLSL's atomics.
    pub spills: Spills,
    /// Enclosing loops and switches, innermost last.
    pub loops: Vec<LoopBlocks>,
}

/// Lowering of one SSA function.
pub struct Cx<'p, 'a> {
    pub p: &'p mut Program<'a>,
    pub b: Builder,
    pub unit: Unit<'a>,
    pub f: Frame<'a>,
    /// Slots of private variables.
    pub private: HashMap<Handle<GlobalVariable>, Slot>,
    /// Source position of what is being lowered.
    pub span: Span,
}

impl<'a> Frame<'a> {
    pub fn new(unit: Unit<'a>, fun: &'a Function, info: &'a FunctionInfo, args: Vec<Operand>, ret: Ret) -> Self {
        Frame {
            unit,
            fun,
            info,
            values: vec![None; fun.expressions.len()],
            locals: vec![],
            args,
            ret,
            spills: Spills::default(),
            loops: vec![],
        }
    }
}

/// Where a variable or a part of it lies.
#[derive(Clone, Copy, Debug)]
pub enum Base {
    /// Words of a slot from `word` on.
    Slot { slot: Slot, word: u32 },
    /// One component, chosen at run time, of a vector in a slot.
    SlotComponent { slot: Slot, word: u32, size: u32, index: Value },
    /// Packed words at a computed address of the thread's frame.
    Stack { addr: Value, offset: u32 },
    /// Byte `offset` of a uniform buffer.
    Uniform { buffer: u32, offset: u32, const_at: u32, const_words: u32 },
    /// `addr + offset`; `align`: what `addr` is a multiple of; `buffer`: entry of the buffer table,
    /// for lengths.
    Memory { space: Space, addr: Value, offset: u32, align: u32, buffer: Option<u32> },
}

#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub base: Base,
    pub shape: Shape,
}

/// Where a variable of module scope lies.
#[derive(Clone, Copy, Debug)]
pub enum GlobalPlace {
    Buffer {
        index: u32,
    },
    Uniform {
        index: u32,
        const_at: u32,
        const_words: u32,
    },
    /// Byte offset in the group's window.
    Shared {
        offset: u32,
    },
    Private,
}

/// What the lowering has seen of semaphores.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub locks: bool,
    pub dependencies: bool,
    pub acquires: bool,
    pub release: Option<Span>,
}

/// What the lowering of a function remembers of GLSL's atomics ([`super::glsl_atomics`]).
#[derive(Default)]
pub struct Spills {
    /// Local variable and the pointer whose value was stored in it last.
    pub sources: Vec<(Handle<LocalVariable>, Handle<Expression>)>,
    /// The write-back to leave out: pointer, local variable.
    pub write_back: Option<(Handle<Expression>, Handle<LocalVariable>)>,
}

impl<'p, 'a> Cx<'p, 'a> {
    pub fn new(p: &'p mut Program<'a>, name: &str, frame: Frame<'a>) -> Self {
        let unit = frame.unit;
        Cx { p, b: Builder::new(name), unit, f: frame, private: HashMap::new(), span: Span::UNDEFINED }
    }

    /// An error at the current position.
    pub fn refuse(&self, message: impl Into<String>) -> Diagnostic {
        self.refuse_help(message, "rewrite the shader without it")
    }
    pub fn refuse_help(&self, message: impl Into<String>, help: &str) -> Diagnostic {
        self.unit.map.diagnostic(self.span, message, help)
    }
    /// Gives an error of the type code its position.
    pub fn named<T>(&self, result: Result<T, String>) -> Res<T> {
        result.map_err(|m| self.refuse(m))
    }

    /// Sets the source position of what follows.
    pub fn at(&mut self, span: Span) {
        if span.is_defined() {
            self.span = span;
            self.b.loc = self.unit.map.loc(self.unit.file, span);
        }
    }

    /// Shape of an expression of the current function.
    pub fn shape(&self, expr: Handle<Expression>) -> Res<Shape> {
        let resolution = &self.f.info[expr].ty;
        let handle = resolution.handle();
        self.named(shape(resolution.inner_with(&self.unit.module.types), handle))
    }
    pub fn type_shape(&self, ty: Handle<naga::Type>) -> Res<Shape> {
        self.named(shape_of(self.unit.module, ty))
    }
}
