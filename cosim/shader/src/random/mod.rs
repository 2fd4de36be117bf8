//! Random programs by seed: SSA modules for the property tests of the passes, structured WGSL
//! shaders for the whole compiler.

pub mod ssa;
pub mod wgsl;
