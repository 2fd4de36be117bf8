//! The front end: GLSL, WGSL and SPIR-V through naga to scalar SSA.
//!
//! [`parse`] turns one source into a validated naga module; [`lower`] turns one of its entry points into an SSA module. Vectors, matrices,
//! structs and arrays are taken apart here, memory layouts are resolved here, and operations without an instruction (integer division, tangent,
//! hyperbolic sine, ...) become calls of functions written in WGSL (`src/prelude`), lowered by this same code. A plain function becomes a [`crate::ssa::Func`]; one that
//! takes pointers or touches private variables is expanded where it is called, because its pointers are then known. What can go wrong:
//! a layout that differs from the host's, and an expression evaluated at another place than naga says (`Statement::Emit`); the tests run every feature
//! in the SSA interpreter against values computed in Rust.

mod builder;
mod call;
mod caught;
pub mod diag;
mod expr;
mod globals;
mod glsl_atomics;
mod glsl_logic;
mod glsl_macros;
mod int_div;
mod lower;
mod math;
mod matrix;
mod nesting;
mod parse;
mod place;
mod prelude;
mod rewrite;
mod semaphores;
mod spirv;
mod stmt;
mod subgroups;
mod types;
mod warp_atomics;

#[cfg(test)]
mod tests;

pub use diag::{Diagnostic, Diagnostics};
pub use nesting::deep;
pub use parse::{parse, Parsed};

use crate::interface::{Interface, Stage};
use crate::ssa::{FuncId, Module};
use std::path::Path;

/// Language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// GLSL 4.40 or later; the stage is not written in the text.
    Glsl(Stage),
    Wgsl,
    /// A SPIR-V binary.
    Spirv,
}

impl Lang {
    /// The language that a file name's ending stands for: `.wgsl`, `.spv`, `.comp`, `.vert`, `.frag`. `.glsl` is a compute shader,
    /// unless one of the last three stands before it. Capital letters count as small ones.
    pub fn from_path(path: &str) -> Option<Lang> {
        let lower = path.to_lowercase();
        let path = Path::new(&lower);
        let ending = |p: &Path| p.extension().and_then(|e| e.to_str().map(str::to_owned)).unwrap_or_default();
        let stage = |ending: &str| match ending {
            "comp" => Some(Stage::Compute),
            "vert" => Some(Stage::Vertex),
            "frag" => Some(Stage::Fragment),
            _ => None,
        };
        match ending(path).as_str() {
            "wgsl" => Some(Lang::Wgsl),
            "spv" => Some(Lang::Spirv),
            "glsl" => Some(Lang::Glsl(stage(&ending(&path.with_extension(""))).unwrap_or(Stage::Compute))),
            other => stage(other).map(Lang::Glsl),
        }
    }
}

/// Choices of the front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Clamp dynamic indices to the last element (WGSL's robust access). Without it an index out of bounds reads or writes somewhere else.
    pub clamp_indices: bool,
    /// Use the float unit's instructions. Without them (a machine that lacks the unit, or a comparison) the prelude computes division, roots, exp2 and so on.
    pub float_unit: bool,
    /// Semaphore functions spin on words in memory instead of sending messages (SE-63).
    pub polling: bool,
    /// Use warp-wide atomics. Without them one lane does an atomic of its own for the others.
    pub warp_wide: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { clamp_indices: true, float_unit: true, polling: false, warp_wide: true }
    }
}

/// A lowered entry point.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub module: Module,
    pub entry: FuncId,
    /// Registers, stack and cutoff are zero: the back end fills them in.
    pub interface: Interface,
}

/// Lowers the entry point that `parse` chose.
pub fn lower(parsed: &Parsed, options: &Options) -> Result<Lowered, Diagnostics> {
    lower::lower(parsed, options)
}
