//! The state of a lowering. One [`Program`] collects functions; one [`Cx`] lowers one SSA function,
//! inside which several naga functions may be expanded: each of those has a [`Frame`]. The files
//! beside this one are methods of [`Cx`], and call each other by it: an expression may call a
//! function, whose body has statements, which have expressions. That recursion is the language's
//! own; no file imports another for it.

use super::types::{shape, shape_of};
use crate::front::diag::Diagnostic;
use crate::front::emit::cx::{Emit, Program};
use crate::front::emit::place::Place;
use crate::front::emit::types::Shape;
use crate::front::text::map::SourceMap;
use crate::ssa::{Block, FuncId, Slot, Value};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, GlobalVariable, Handle, Span};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};

pub use crate::front::emit::cx::Res;

/// A naga module: the user's, or the prelude.
#[derive(Clone, Copy)]
pub struct Unit<'a> {
    pub module: &'a naga::Module,
    pub info: &'a ModuleInfo,
    pub map: &'a SourceMap,
    pub is_prelude: bool,
}

/// What is known of the naga module beside the program that is made.
#[derive(Default)]
pub struct Known {
    /// Functions lowered once and called.
    pub funcs: HashMap<Handle<Function>, FuncId>,
    pub globals: HashMap<Handle<GlobalVariable>, GlobalPlace>,
    /// Calls being lowered, one inside the other.
    pub depth: usize,
    /// Words of the constant bank that uniforms may have.
    pub bank: u32,
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
    /// Enclosing loops and switches, innermost last.
    pub loops: Vec<LoopBlocks>,
}

/// Lowering of one SSA function.
pub struct Cx<'p, 'a> {
    pub e: Emit<'p>,
    pub k: &'p mut Known,
    pub unit: Unit<'a>,
    pub f: Frame<'a>,
    /// Slots of private variables.
    pub private: HashMap<Handle<GlobalVariable>, Slot>,
    /// Source position of what is being lowered.
    pub span: Span,
}

impl<'a> Frame<'a> {
    pub fn new(unit: Unit<'a>, fun: &'a Function, info: &'a FunctionInfo, args: Vec<Operand>, ret: Ret) -> Self {
        Frame { unit, fun, info, values: vec![None; fun.expressions.len()], locals: vec![], args, ret, loops: vec![] }
    }
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

impl<'p, 'a> Cx<'p, 'a> {
    pub fn new(p: &'p mut Program, k: &'p mut Known, name: &str, frame: Frame<'a>) -> Self {
        let unit = frame.unit;
        Cx { e: Emit::new(p, name), k, unit, f: frame, private: HashMap::new(), span: Span::UNDEFINED }
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
            self.e.b.loc = self.unit.map.loc(0, span);
        }
    }

    /// Shape of an expression of the current function.
    pub fn shape(&mut self, expr: Handle<Expression>) -> Res<Shape> {
        let module = self.unit.module;
        let inner = self.f.info[expr].ty.inner_with(&module.types);
        let shape = shape(&mut self.e.p.types, module, inner);
        self.named(shape)
    }
    pub fn type_shape(&mut self, ty: Handle<naga::Type>) -> Res<Shape> {
        let shape = shape_of(&mut self.e.p.types, self.unit.module, ty);
        self.named(shape)
    }
}

impl<'p> Deref for Cx<'p, '_> {
    type Target = Emit<'p>;
    fn deref(&self) -> &Emit<'p> {
        &self.e
    }
}

impl<'p> DerefMut for Cx<'p, '_> {
    fn deref_mut(&mut self) -> &mut Emit<'p> {
        &mut self.e
    }
}
