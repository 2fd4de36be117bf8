//! Random Verilog modules of the subset, to compare this crate with other simulators: generator, stimulus, runs in the peers (Verilator, Icarus), and
//! shrinking of what differs. All follows from seeds. What the generator never writes is never compared; `docs/rtlsim.md` lists what it writes.

mod build;
mod expr;
mod module;
mod peers;
mod stimulus;
mod stmt;

pub use module::{random_module, DataInput, RandomModule, CLOCKS, DATA};
pub use peers::{reading, Peer, Readings};
pub use stimulus::{stimulus, Step, START};
