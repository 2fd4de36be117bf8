//! The one place that runs machine code. Argument for its safety, in three parts.
//!
//! What the code does: the functions were made by this crate's code generator with the signature
//! `extern "C" fn(*mut u8)`. They read and write only `state + offset` for offsets that the plan's
//! layout gave out, all below `layout.bytes`, which is how large [`Memory`](super::memory::Memory)
//! was made (memory and table indices are clamped to their depth in the generated code). They call
//! only functions of the same module, and keep no address after they return.
//!
//! That it is that code, also from disk: the key of a file has the hash of this crate's sources,
//! the lock file, all options, Cranelift's version and settings and this machine's instructions, so
//! that code of another generator or for another machine is not found. A checksum covers every
//! byte, key included: a file that is damaged, cut or exchanged is not taken
//! (`quadlock_cache::Folder`). The folder must belong to the user and be closed to other writers.
//! Whoever can write there can also change this program. Before code is linked, every relocation
//! must lie inside its function and point into a function of the same list
//! ([`Pieces::sound`](super::pieces::Pieces::sound)), and the state image must have the size that
//! the program says.
//!
//! That it stays there: the module that owns the code lives in the same structure as the pointers
//! ([`Module`]) and frees it only when dropped, after which nobody can call: the pointers are
//! private to it.
#![allow(unsafe_code)]

use cranelift_jit::JITModule;

use super::memory::Memory;

/// Compiled functions.
pub struct Module {
    /// `Some` until dropped.
    module: Option<JITModule>,
    evaluate: extern "C" fn(*mut u8),
    commits: Vec<extern "C" fn(*mut u8)>,
    bytes: usize,
}

impl Module {
    /// Takes finalized functions: `evaluate`, and the edge of each domain.
    pub fn new(
        module: JITModule,
        evaluate: cranelift_module::FuncId,
        commits: &[cranelift_module::FuncId],
        bytes: u32,
    ) -> Self {
        let get = |id| {
            let address = module.get_finalized_function(id);
            // SAFETY: the function was declared and defined with exactly this signature, and the
            // module outlives the pointer (see above).
            unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut u8)>(address) }
        };
        let (evaluate, commits) = (get(evaluate), commits.iter().map(|&c| get(c)).collect());
        Self { module: Some(module), evaluate, commits, bytes: bytes as usize }
    }

    fn base(&self, state: &mut Memory) -> *mut u8 {
        assert!(state.units.len() * 16 >= self.bytes, "state of another design");
        state.units.as_mut_ptr().cast()
    }

    /// Evaluates the dirty regions.
    pub fn evaluate(&self, state: &mut Memory) {
        (self.evaluate)(self.base(state));
    }

    /// The edge of a domain.
    pub fn commit(&self, domain: usize, state: &mut Memory) {
        (self.commits[domain])(self.base(state));
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the only pointers into the code are the private ones of this structure, which
            // is going away.
            unsafe { module.free_memory() };
        }
    }
}
