//! Random Verilog modules of the subset, to compare this crate with other simulators: generator, stimulus, runs in the peers (Verilator, Icarus), and
//! shrinking of what differs. All follows from seeds. What the generator never writes is never compared; `docs/rtlsim.md` lists what it writes.

mod build;
mod compare;
mod expr;
mod module;
mod ours;
mod peers;
mod shrink;
mod stimulus;
mod stmt;

pub use compare::{compare, shrink_difference, unknown, Campaign, Difference, Outcome, Runner};
pub use module::{random_module, DataInput, RandomModule, CLOCKS, DATA};
pub use ours::run_ours;
pub use peers::{reading, Peer, Readings};
pub use shrink::shrink;
pub use stimulus::{stimulus, Step, START};
