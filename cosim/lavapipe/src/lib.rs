//! Shaders on Mesa's lavapipe and on Quadlock: the same inputs, all buffers compared bit for bit.
//!
//! lavapipe reads SPIR-V with Mesa's own front end and compiles it with LLVM: nothing of it is
//! ours. So a shader that both run is checked from the source's language to the results. What this
//! does not prove: the naga crate reads WGSL for both sides; what both sides get wrong alike is not
//! seen; nothing is said of speed, or of the RTL. Accesses out of bounds, subnormals, NaNs and the
//! order of atomics are not equal by any specification, so generated shaders keep away from them.
//!
//! Scenes are another matter: [`draw`] draws them for the judge of
//! `quadlock fuzz --beside lavapipe`.
//!
//! [`vulkan`] runs on lavapipe, [`ours`] on the golden model, [`interp`] interprets what the
//! generators of SPIR-V write; [`case`] compares, [`valid`] asks spirv-val. The rest are sources:
//! [`wgsl`], [`glsl`], which knows its results, [`shapes`] with [`flow`],
//! [`integers`], and [`file`] for a shader of anybody's.

#![warn(missing_docs)]

pub mod case;
pub mod draw;
pub mod file;
pub mod flow;
pub mod glsl;
pub mod integers;
pub mod interp;
pub mod ours;
pub mod shapes;
pub mod valid;
pub mod vulkan;
pub mod wgsl;
