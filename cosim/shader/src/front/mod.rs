//! The front end: WGSL through naga, GLSL through glslang to SPIR-V, and SPIR-V by a reader of our
//! own, to scalar SSA.
//!
//! [`text`] turns a WGSL text into a validated naga module, which [`wgsl`] mends before;
//! [`mod@lower`] turns one of its entry points into an SSA module. [`spirv`] does both for a
//! binary. Both use [`emit`], which knows no language and not naga. Vectors, matrices, structs and
//! arrays are taken apart there, and memory layouts are resolved there. Operations without an
//! instruction (integer division, tangent, hyperbolic sine, ...) become calls of functions written
//! in WGSL (`src/prelude`), a library that [`mod@lower`] compiles once.
//!
//! In naga's modules a plain function becomes a [`crate::ssa::Func`]; one that takes pointers or
//! touches private variables is expanded where it is called, because its pointers are then known.
//! What can go wrong: a layout that differs from the host's, and an expression evaluated at another
//! place than naga says (`Statement::Emit`); the tests run every feature in the SSA interpreter
//! against values computed in Rust.

pub mod constants;
pub mod diag;
mod emit;
mod glsl;
#[cfg(feature = "glsl")]
mod glsl_whole;
pub mod linkage;
mod lower;
mod options;
pub mod quadlock_set;
mod read;
#[cfg_attr(not(feature = "spirv"), path = "no_spirv.rs")]
mod spirv;
mod text;
mod wgsl;

#[cfg(test)]
mod tests;

pub use constants::Given;
pub use diag::{Diagnostic, Diagnostics};
pub use emit::globals::bank_words;
pub use options::{Lang, Lowered, Options};
pub use read::{entry_points, lower, lower_linked, parse, parse_with, Parsed};
pub use text::nesting::deep;
