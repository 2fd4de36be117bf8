//! Random programs in lockstep. Three generators, and the campaign that runs and shrinks what they
//! make: legal instruction sequences ([`isa`]), structured shaders ([`wgsl`]), threads that depend
//! on each other ([`graphs`]). Beside them random scenes ([`scenes`]), with a campaign of their
//! own, and scenes beside another renderer ([`beside`]). What fails is kept as a job ([`kept`]) or
//! a scene.

#[cfg(feature = "beside")]
pub mod beside;
pub mod campaign;
pub(crate) mod computes;
pub mod graphs;
pub mod isa;
pub(crate) mod kept;
pub mod links;
pub(crate) mod machines;
pub(crate) mod pairs;
pub mod scenes;
pub(crate) mod wgsl;
