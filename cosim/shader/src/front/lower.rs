//! The state of a lowering and its top level. One [`Program`] collects functions; one [`Cx`] lowers one SSA function, inside which several naga functions may be
//! expanded: each of those has a [`Frame`].

use super::builder::Builder;
use super::diag::{Diagnostic, Diagnostics, SourceMap};
use super::globals::GlobalPlace;
use super::glsl_atomics::Spills;
use super::parse::Parsed;
use super::place::Place;
use super::prelude::prelude;
use super::semaphores::Seen;
use super::types::{shape, Shape, MAX_VARIABLE_WORDS};
use super::{Lang, Lowered, Options};
use crate::ssa::verify::verify_module;
use crate::ssa::{self, Block, FuncId, Kind, Slot, Space, Value, Width};
use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, GlobalVariable, Handle, Span};
use quadlock_isa::Op;
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
        self.named(super::types::shape_of(self.unit.module, ty))
    }

    /// The body: locals, statements and the closing return.
    pub fn body(&mut self) -> Res<()> {
        self.declare_locals()?;
        let fun = self.f.fun;
        self.block(&fun.body)?;
        Ok(())
    }

    fn declare_locals(&mut self) -> Res<()> {
        let fun = self.f.fun;
        for (handle, local) in fun.local_variables.iter() {
            self.at(fun.local_variables.get_span(handle));
            let slot = self.variable_slot(local.ty, local.name.as_deref())?;
            self.f.locals.push(slot);
            match local.init {
                Some(init) => {
                    let value = self.words(init)?;
                    self.b.slot_store_all(slot, &value);
                }
                None => self.clear_slot(slot),
            }
        }
        Ok(())
    }

    /// A slot for a variable of this type.
    pub fn variable_slot(&mut self, ty: Handle<naga::Type>, name: Option<&str>) -> Res<Slot> {
        let shape = self.type_shape(ty)?;
        let words = self.named(shape.words(self.unit.module))?;
        let name = name.unwrap_or("_");
        if words > MAX_VARIABLE_WORDS {
            let message =
                format!("the variable `{name}` has {words} words; a thread's variable may have {MAX_VARIABLE_WORDS}");
            return Err(self.refuse_help(message, "use a storage buffer"));
        }
        Ok(self.b.slot(words, name))
    }

    /// Writes zeros to a slot: word by word, or a loop for a large one (which is then kept in memory).
    pub fn clear_slot(&mut self, slot: Slot) {
        let words = self.b.func.slots[slot.index()].words;
        if words <= 64 {
            let zeros = self.zeros(words);
            self.b.slot_store_all(slot, &zeros);
            return;
        }
        let at = self.b.slot(1, "clear_at");
        let (header, exit) = (self.b.block(), self.b.block());
        let zero = self.b.constant(0);
        self.b.slot_store(at, 0, zero);
        self.b.jump(header);
        self.b.start(header);
        let offset = self.b.slot_load(at, 0);
        let frame = self.b.slot_addr(slot);
        let addr = self.b.alu2(Op::IAdd, frame, offset);
        let zero = self.b.constant(0);
        self.b.store(Space::Stack, Width::W32, addr, 0, vec![zero]);
        let next = self.b.alu_imm(Op::IAdd, offset, 4);
        self.b.slot_store(at, 0, next);
        let end = self.b.constant(words * 4);
        let more = self.b.alu2(Op::USetLt, next, end);
        self.b.branch(more, header, exit);
        self.b.start(exit);
    }

    pub fn zeros(&mut self, words: u32) -> Vec<Value> {
        (0..words).map(|_| self.b.constant(0)).collect()
    }
}

pub fn lower(parsed: &Parsed, options: &Options) -> Result<Lowered, Diagnostics> {
    let prelude = prelude()?;
    let mut out = ssa::Module::default();
    let file = 0;
    out.files.push(parsed.map.path.clone());
    let user = Unit {
        module: &parsed.module,
        info: &parsed.info,
        map: &parsed.map,
        file,
        is_prelude: false,
        is_glsl: matches!(parsed.lang, Lang::Glsl(_)),
    };
    // Its parts are numbered in their order.
    let file = out.files.len() as u16;
    out.files.extend(prelude.map.part_names());
    let prelude = Unit {
        module: &prelude.module,
        info: &prelude.info,
        map: &prelude.map,
        file,
        is_prelude: true,
        is_glsl: false,
    };
    let entry = &parsed.module.entry_points[parsed.entry];
    let mut program = Program {
        options: *options,
        out,
        user,
        prelude,
        funcs: HashMap::new(),
        globals: HashMap::new(),
        group_size: entry.workgroup_size,
        depth: 0,
        barrier: false,
        semaphores: Seen::default(),
    };
    let (bindings, shared_bytes) = program.place_globals()?;

    let info = parsed.info.get_entry_point(parsed.entry);
    let frame = Frame::new(user, &entry.function, info, vec![], Ret::Func);
    let mut cx = Cx::new(&mut program, &entry.name, frame);
    cx.at(parsed.map.declaration(&entry.name));
    cx.at(parsed.module.entry_points[parsed.entry]
        .function
        .body
        .span_iter()
        .next()
        .map_or(Span::UNDEFINED, |(_, s)| *s));
    cx.private_slots()?;
    if parsed.lang == Lang::Wgsl && shared_bytes > 0 {
        cx.zero_shared(shared_bytes);
    }
    cx.f.args = cx.entry_inputs(&entry.function)?;
    cx.body()?;
    cx.check_semaphores()?;
    cx.b.terminate(Kind::Return(vec![]));
    let func = cx.b.finish();
    program.out.funcs.push(func);
    let entry_id = FuncId(program.out.funcs.len() as u32 - 1);
    let interface = crate::interface::Interface {
        stage: parsed.stage,
        entry: entry.name.clone(),
        group_size: if parsed.stage == crate::interface::Stage::Compute { entry.workgroup_size } else { [1; 3] },
        bindings,
        shared_bytes,
        pinned: program.barrier || shared_bytes > 0,
        stack_bytes: 0,
        registers: 0,
        public_cutoff: 0,
        constants: vec![],
        function_unit: false,
        semaphores: crate::interface::SemaphoreUse {
            polling: options.polling,
            locks: program.semaphores.locks,
            dependencies: program.semaphores.dependencies,
            ..Default::default()
        },
        warnings: vec![],
    };
    // A guard against naga modules that use a value where it may not have been computed (behind a `continue`, for example).
    if let Err(message) = verify_module(&program.out) {
        let message = format!("internal: the lowered program is malformed: {message}");
        return Err(parsed
            .map
            .diagnostic(Span::UNDEFINED, message, "declare the values used in `continuing` before any `continue`")
            .into());
    }
    Ok(Lowered { module: program.out, entry: entry_id, interface })
}
