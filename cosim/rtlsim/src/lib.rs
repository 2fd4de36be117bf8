//! rtlsim: a compiled simulator for a synthesizable Verilog subset. Text goes through [`parse`] (syntax tree), [`elaborate`] (word-level [`graph`]),
//! [`passes`] (smaller graph) and then runs, either interpreted (the reference) or as native code made in memory by Cranelift (the product).
//!
//! ```text
//! Design::parse(sources) -> Design::compile(options) -> Simulation
//! ```

pub mod ast;
pub mod backend;
pub mod bits;
pub mod elaborate;
pub mod error;
pub mod graph;
pub mod interp;
pub mod jit;
pub mod options;
pub mod parse;
pub mod passes;
pub mod plan;
pub mod random;
pub mod random_graph;
pub mod sim;
pub mod source;
pub mod start;
pub mod trace;

pub use bits::Bits;
pub use error::{Error, Place};
pub use options::{Engine, Options, TraceScope};
pub use sim::{Design, InputHandle, MemoryHandle, RegisterHandle, SignalHandle, Simulation, Snapshot};
pub use source::Source;
