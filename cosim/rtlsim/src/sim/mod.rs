//! What a user of the crate sees: [`Design`] (a parsed and elaborated design with its signal tree), [`Simulation`] (a running one), and their handles.
//! Names are looked up here and nowhere below; handles are numbers of the design's signals, so that one made from a design fits all its simulations.

mod clocks;
mod design;
mod enums;
mod names;
mod simulation;

pub use design::{Design, ScopeView, SignalView};
pub use enums::Enumeration;
pub use simulation::{InputHandle, MemoryHandle, RegisterHandle, SignalHandle, Simulation, Snapshot};
