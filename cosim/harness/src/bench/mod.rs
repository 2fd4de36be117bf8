//! `quadlock bench`: the speed of the simulator beside its peers, each a ratio measured in one run (`docs/bench.md`).

pub mod driver;
pub mod measure;
pub mod ports;
pub mod verilator;
pub mod workload;
