//! `quadlock bench sim`: the speed of the simulator beside its peers, each figure a ratio measured in one run (`docs/bench.md`).

pub mod driver;
pub mod float;
pub mod measure;
pub mod ports;
pub mod rtlsim;
pub mod subject;
pub mod suite;
pub mod table;
pub mod verilator;
pub mod workload;

#[cfg(test)]
mod tests;
