//! Random Verilog modules of the subset, to compare this crate with other simulators: generator,
//! stimulus, runs in the peers (Verilator, Icarus), and shrinking of what differs. All follows from
//! seeds.
//!
//! Written: expressions of any mix of widths (1 to 140 bits) and signs, with every operator but
//! `**`; selects of bits and parts, constant and variable, of vectors numbered from 0, from
//! elsewhere and upwards; several clocked processes with `<=` and blocking temporaries,
//! combinational processes, if, case, casez, for; memories; parameters; an instance whose ports do
//! not fit; two clocks, both edges, asynchronous resets and loads, several in one process, by an
//! input of either polarity, by registers and by logic of these.
//!
//! Not written, and so not compared here: anything that makes x in a simulator with four states
//! (missing initial values, reads outside a vector, division by 0), casex, both edges of one clock,
//! derived clocks, `**`, and what the peers are known to get wrong (pinned in
//! `tests/random_verilog.rs`): divisions wider than 64 bits, variable indices of targets outside
//! the vector, signed expressions narrower than their port.

mod build;
mod compare;
mod expr;
mod module;
mod ours;
mod peers;
mod shrink;
mod stimulus;
mod stmt;

pub use compare::{
    compare, shrink_difference, unknown, Campaign, Difference, Outcome, Runner, Weight, REPLANNED_AFTER,
};
pub use module::{random_module, DataInput, RandomModule, CLOCKS, DATA};
pub use ours::run_ours;
pub use peers::{reading, Peer, Readings};
pub use shrink::shrink;
pub use stimulus::{stimulus, Step, START};
