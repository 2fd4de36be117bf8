//! Machine code of a design as bytes and relocations, apart from where it will lie: what code
//! generation gives, what is kept on disk, and what is linked into memory. A relocation may only
//! point into a function of the same list. Code that needs anything else is not kept.

use cranelift_codegen::binemit::Reloc;
use cranelift_codegen::ir::{AbiParam, Signature};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, ModuleReloc, ModuleRelocTarget};
use serde::{Deserialize, Serialize};

use super::call::Module;
use crate::error::internal;
use crate::Error;

/// The functions of a design: those of regions, then `evaluate`, then the edge of each domain. The
/// number of a function is its place.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pieces {
    pub functions: Vec<Piece>,
    /// How many are of domains.
    pub domains: u32,
}

/// A compiled function.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Piece {
    #[serde(with = "crate::kept::raw")]
    pub bytes: Vec<u8>,
    pub align: u32,
    pub relocations: Vec<Relocation>,
}

/// A place in a function that is filled in when it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Relocation {
    pub offset: u32,
    pub kind: RelocationKind,
    /// The function that it points into, and where.
    pub function: u32,
    pub inside: u32,
    pub addend: i64,
}

/// The kinds that code generation makes of calls and constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RelocationKind {
    Absolute8,
    X86Relative4,
    X86CallRelative4,
    Arm64Call,
}

impl RelocationKind {
    const ALL: [(Self, Reloc); 4] = [
        (Self::Absolute8, Reloc::Abs8),
        (Self::X86Relative4, Reloc::X86PCRel4),
        (Self::X86CallRelative4, Reloc::X86CallPCRel4),
        (Self::Arm64Call, Reloc::Arm64Call),
    ];
}

impl Relocation {
    /// From Cranelift's.
    ///
    /// # Errors
    /// A kind or a target that no code of a plan has.
    pub fn new(from: &ModuleReloc) -> Result<Self, Error> {
        let kind = RelocationKind::ALL.iter().find(|k| k.1 == from.kind).map(|k| k.0);
        let (function, inside) = match from.name {
            ModuleRelocTarget::User { namespace: 0, index } => (index, 0),
            ModuleRelocTarget::FunctionOffset(id, offset) => (id.as_u32(), offset),
            _ => return Err(internal(format!("code that points outside itself, at {}", from.offset))),
        };
        let kind = kind.ok_or_else(|| internal(format!("an unknown relocation: {:?}", from.kind)))?;
        Ok(Self { offset: from.offset, kind, function, inside, addend: from.addend })
    }

    fn cranelift(&self) -> ModuleReloc {
        let kind = RelocationKind::ALL.iter().find(|k| k.0 == self.kind).map_or(Reloc::Abs8, |k| k.1);
        let name = match self.inside {
            0 => ModuleRelocTarget::user(0, self.function),
            inside => ModuleRelocTarget::FunctionOffset(FuncId::from_u32(self.function), inside),
        };
        ModuleReloc { offset: self.offset, kind, name, addend: self.addend }
    }
}

/// The signature of every function: it takes the address of the state.
pub(super) fn signature(call_conv: CallConv) -> Signature {
    let mut s = Signature::new(call_conv);
    s.params.push(AbiParam::new(cranelift_codegen::ir::types::I64));
    s
}

impl Pieces {
    /// Bytes of code.
    pub fn bytes(&self) -> usize {
        self.functions.iter().map(|f| f.bytes.len()).sum()
    }

    /// Whether every relocation lies in its function and points into one of the list: what
    /// [`super::call`] relies on.
    pub fn sound(&self) -> bool {
        let lengths: Vec<usize> = self.functions.iter().map(|f| f.bytes.len()).collect();
        let inside = |own: usize, r: &Relocation| {
            let width = if r.kind == RelocationKind::Absolute8 { 8 } else { 4 };
            r.offset as usize + width <= own
                && lengths.get(r.function as usize).is_some_and(|&other| (r.inside as usize) <= other)
        };
        self.functions.len() > self.domains as usize
            && self.functions.iter().all(|f| {
                !f.bytes.is_empty()
                    && f.align.is_power_of_two()
                    && f.relocations.iter().all(|r| inside(f.bytes.len(), r))
            })
    }

    /// Puts the functions into memory that can be executed. `state` is how many bytes of state they
    /// use.
    ///
    /// # Errors
    /// [`Error::Internal`] if there is no memory for them, or they are not [sound](Self::sound).
    pub fn link(&self, isa: &OwnedTargetIsa, state: u32) -> Result<Linked, Error> {
        if !self.sound() {
            return Err(internal("code that points outside"));
        }
        let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), cranelift_module::default_libcall_names()));
        let signature = signature(isa.default_call_conv());
        let mut ids = Vec::with_capacity(self.functions.len());
        for number in 0..self.functions.len() {
            let id = module.declare_function(&format!("f{number}"), Linkage::Local, &signature).map_err(internal)?;
            ids.push(id);
        }
        let mut relocations = Vec::new();
        for (id, f) in ids.iter().zip(&self.functions) {
            relocations.clear();
            relocations.extend(f.relocations.iter().map(Relocation::cranelift));
            module.define_function_bytes(*id, u64::from(f.align), &f.bytes, &relocations).map_err(internal)?;
        }
        module.finalize_definitions().map_err(internal)?;
        let addresses = ids.iter().map(|&id| module.get_finalized_function(id) as usize).collect();
        let (rest, commits) = ids.split_at(ids.len() - self.domains as usize);
        let evaluate = *rest.last().ok_or_else(|| internal("no code"))?;
        Ok(Linked { module: Module::new(module, evaluate, commits, state), addresses })
    }
}

/// Functions in memory.
pub(super) struct Linked {
    pub module: Module,
    /// Where each function begins, for profilers.
    pub addresses: Vec<usize>,
}
