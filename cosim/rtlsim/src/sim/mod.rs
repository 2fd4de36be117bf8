//! A running design: [`Simulation`] with its handles and snapshots. Names are looked up in
//! [`crate::design`] and nowhere below; handles are numbers of the design's signals, so that one
//! made from a design fits all its simulations.

mod clocks;
mod ports;
mod simulation;
mod time;
mod waves;

pub use simulation::{InputHandle, MemoryHandle, RegisterHandle, SignalHandle, Simulation, Snapshot};
