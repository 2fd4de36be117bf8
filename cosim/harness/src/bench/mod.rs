//! `quadlock bench sim`: the speed of the simulator beside its peers, each figure a ratio measured
//! in one run (`docs/bench.md`).

pub(crate) mod float;
pub(crate) mod frames;
pub(crate) mod rtlsim;
pub mod shaders;
pub(crate) mod subject;
pub(crate) mod suite;
pub(crate) mod table;
pub(crate) mod variant;

#[cfg(test)]
mod tests;
