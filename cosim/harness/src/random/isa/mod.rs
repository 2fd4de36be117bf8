//! Random programs: legal instruction sequences that reach every instruction and many hazards, and
//! the shrinker that makes a failing one small.
//!
//! ```text
//! let program = isa::generate(seed, &Options::default());
//! let small = isa::shrink(&program, &mut |p| lockstep_fails(p));
//! ```
//!
//! What a program may do: any lane instruction on few registers with corner operands; loads, stores
//! and atomics of every size in a window per thread, in a read-only window and in one that all
//! threads share (order dependent on purpose: lockstep imposes the order); divergent branches,
//! bounded nested loops, barriers, early ends. Programs full of atomics also take and give back
//! locks, may read what the slot's last warp left in the registers, and may have hundreds of
//! instructions in flight. Limits: other programs do not count on a register that they have not
//! written, none leaves its windows or traps unless asked to, loops end by counters that nothing
//! else writes. Indirect jumps do not exist in the machine; branches go backwards only at loop
//! ends.

mod corner;
mod flow;
mod program;
mod shrink;
#[cfg(test)]
mod tests;

pub use corner::{operand, CORNERS};
pub use flow::unwritten_read;
pub use program::{generate, Options, RandomProgram, LOCKS, LOCKS_BYTES};
pub use shrink::{shrink, shrink_within};
