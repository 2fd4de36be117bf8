//! `quadlock bench sim`: the speed of the simulator beside its peers, each figure a ratio measured in one run (`docs/bench.md`).

pub mod float;
pub mod rtlsim;
pub mod subject;
pub mod suite;
pub mod table;
pub mod variant;

#[cfg(test)]
mod tests;
