//! What a front end emits with: the program that is being made, and the function that is being
//! filled. The files beside this one are methods of [`Emit`]; a front end has one and adds what its
//! language needs. No language and no other front end's form is known here.

use super::builder::Builder;
use super::library::Library;
use super::stage_io::StageIo;
use super::types::{Shape, Types};
use crate::fault::CompilerFault;
use crate::front::diag::Diagnostic;
use crate::front::linkage::Linkage;
use crate::front::options::Options;
use crate::interface::Stage;
use crate::ssa::{self, FuncId, Kind, Loc, Slot};
use quadlock_isa::Op;
use std::collections::HashMap;

pub type Res<T> = Result<T, Diagnostic>;

/// The program that is being made.
pub struct Program {
    pub options: Options,
    pub out: ssa::Module,
    pub types: Types,
    pub group_size: [u32; 3],
    /// A barrier was emitted.
    pub barrier: bool,
    pub semaphores: Seen,
    /// The functions that are called by name, and which of them are in the program.
    pub library: Option<&'static Library>,
    pub imported: HashMap<usize, FuncId>,
    /// Number of the library's first file.
    pub library_files: u16,
    /// Of a stage of a pipeline.
    pub linkage: Option<Linkage>,
    pub io: StageIo,
}

/// What the lowering has seen of semaphores.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub locks: bool,
    pub dependencies: bool,
    pub acquires: bool,
    pub release: Option<Loc>,
}

impl Program {
    /// An empty program; `files` are the source's, the library's come behind them.
    pub fn new(options: Options, files: Vec<String>, group_size: [u32; 3], library: Option<&'static Library>) -> Self {
        let library_files = files.len() as u16;
        let mut out = ssa::Module { files, ..ssa::Module::default() };
        out.files.extend(library.iter().flat_map(|l| l.files.clone()));
        Program {
            options,
            out,
            types: Types::default(),
            group_size,
            barrier: false,
            semaphores: Seen::default(),
            library,
            imported: HashMap::new(),
            library_files,
            linkage: None,
            io: StageIo::default(),
        }
    }

    /// Says what the program is compiled for.
    pub fn link(&mut self, stage: Stage, linkage: Option<&Linkage>) {
        self.linkage = linkage.filter(|_| stage != Stage::Compute).cloned();
        self.io.stage = self.linkage.is_some().then_some(stage);
    }
}

/// Emits one function.
pub struct Emit<'p> {
    pub p: &'p mut Program,
    pub b: Builder,
    /// How often the invocation has been demoted.
    demotions: Option<Slot>,
}

/// Turns of a loop that an invocation may be demoted in. More than any loop of a fragment shader
/// has; few enough that a loop which a helper cannot leave ends soon.
const MOST_DEMOTIONS: u32 = 1 << 14;

impl<'p> Emit<'p> {
    pub fn new(p: &'p mut Program, name: &str) -> Self {
        Emit { p, b: Builder::new(name), demotions: None }
    }

    /// An error at the current position.
    pub fn refuse(&self, message: impl Into<String>) -> Diagnostic {
        self.refuse_help(message, "rewrite the shader without it")
    }
    pub fn refuse_help(&self, message: impl Into<String>, help: &str) -> Diagnostic {
        self.refuse_at(self.b.loc, message, help)
    }
    pub fn refuse_at(&self, loc: Loc, message: impl Into<String>, help: &str) -> Diagnostic {
        let file = self.p.out.files.get(usize::from(loc.file)).cloned().unwrap_or_default();
        Diagnostic { file, line: loc.line, column: loc.col, message: message.into(), help: help.into() }
    }
    /// Gives an error of the type code its position.
    pub fn named<T>(&self, result: Result<T, String>) -> Res<T> {
        result.map_err(|m| self.refuse(m))
    }

    /// Words of a value.
    pub fn words_in(&self, shape: Shape) -> Res<u32> {
        self.named(shape.words(&self.p.types))
    }

    /// A place for values that have none: a fresh slot, constant if they are.
    pub fn spill_words(&mut self, words: &[ssa::Value], name: &str) -> Slot {
        let known: Option<Vec<u32>> = words.iter().map(|&w| self.b.known(w)).collect();
        match known {
            Some(constants) => self.b.constant_slot(&constants, name),
            None => {
                let slot = self.b.slot(words.len() as u32, name);
                self.b.slot_store_all(slot, words);
                slot
            }
        }
    }

    /// No memory operation moves across it.
    pub fn fence(&mut self, polling: bool) {
        self.b.push(Kind::Fence { polling }, 0);
    }

    /// The invocation becomes a helper, and runs on. One that comes here [`MOST_DEMOTIONS`] times
    /// ends: a loop may have been left by its stores alone, which are not stored any more.
    pub fn demote(&mut self) {
        if self.has(CompilerFault::DemoteLost) {
            return;
        }
        self.b.push(Kind::Demote, 0);
        let times = *self.demotions.get_or_insert_with(|| self.b.initial_slot(&[0], "demotions"));
        let before = self.b.slot_load(times, 0);
        let now = self.b.alu_imm(Op::IAdd, before, 1);
        self.b.slot_store(times, 0, now);
        let enough = self.b.alu_imm(Op::USetGt, now, MOST_DEMOTIONS);
        let [end, on] = std::array::from_fn(|_| self.b.block());
        self.b.branch(enough, end, on);
        self.b.start(end);
        self.b.terminate(Kind::Discard);
        self.b.start(on);
    }

    /// 1 if the invocation is a helper here.
    pub fn is_helper(&mut self) -> ssa::Value {
        self.b.push(Kind::Helper, 1)[0]
    }

    /// All invocations of the group meet.
    pub fn barrier(&mut self) {
        self.p.barrier = true;
        self.b.push(Kind::Barrier, 0);
    }
}
