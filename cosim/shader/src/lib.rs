//! Shader compiler of Quadlock: GLSL, WGSL and SPIR-V in, Quadlock ELF binaries out.
//!
//! `front` (naga IR to SSA) -> `passes` (one file each) -> `back` (instruction selection, registers, layout) -> `binary` (ELF).

#![warn(missing_docs)]

pub mod back;
pub mod binary;
pub mod compile;
pub mod fault;
pub mod front;
pub mod interface;
pub mod ops;
pub mod passes;
pub mod random;
pub mod ssa;

pub use binary::{BinaryError, ShaderBinary};
pub use compile::{compile, CompileRequest, Compiled, Options};
pub use passes::pipeline::optional_passes;
