//! Shader compiler of Quadlock: GLSL, WGSL and SPIR-V in, Quadlock ELF binaries out.
//!
//! `front` (sources to SSA) -> `passes` (one file each) -> `back` (instruction selection,
//! registers, layout) -> `binary` (ELF).
//!
//! A module imports from rows above its own only, and no files import each other in a circle;
//! `tests/floors.rs` checks it.
//!
//! | module | what |
//! |---|---|
//! | [`fault`] | faults to plant in the compiler |
//! | [`ops`] | arithmetic and properties of single operations |
//! | [`ssa`] | the intermediate form, its rules, its interpreter |
//! | [`interface`] | what a program tells the host |
//! | [`derived`] | the host side of derived uniforms |
//! | [`binary`] | ELF files |
//! | [`front`] | source texts to SSA |
//! | [`passes`] | SSA to better SSA |
//! | [`back`] | SSA to instruction words |
//! | [`link`] | programs of neighbouring stages optimised together |
//! | [`compile`] | the whole way |
//! | [`graphics`] | a vertex and a fragment program for each other |
//! | [`linker`] | programs named together, with reports |
//! | [`random`] | random programs for tests |

#![warn(missing_docs)]
// What only the reader of SPIR-V uses.
#![cfg_attr(not(feature = "spirv"), allow(dead_code))]

pub mod back;
pub mod binary;
pub mod compile;
pub mod derived;
pub mod fault;
pub mod front;
pub mod graphics;
pub mod interface;
pub mod link;
pub mod linker;
pub mod ops;
pub mod passes;
#[cfg(feature = "random")]
pub mod random;
pub mod ssa;

pub use binary::{BinaryError, ShaderBinary};
pub use compile::{compile, CompileRequest, Compiled, Options};
pub use passes::fuse::is_place as is_fusion_place;
pub use passes::pipeline::optional_passes;
