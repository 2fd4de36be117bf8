//! rtlsim: a compiled simulator for a synthesizable Verilog subset. Text goes through [`parse`] (syntax tree), [`elaborate`] (word-level [`graph`]),
//! [`passes`] (smaller graph) and then runs, either interpreted (the reference) or as native code made in memory by Cranelift (the product).
//!
//! ```text
//! Design::parse(sources) -> Design::compile(options) -> Simulation
//! ```
//!
//! A [`Design`] has the tree of scopes and signals, with widths and value names. A [`Simulation`] is poked and peeked by name or by handle, stepped, saved and
//! restored, and traced to VCD or FST ([`trace`]).
//!
//! ```
//! use quadlock_rtlsim::{Design, Options, Source};
//!
//! let text = "module accumulate(input clock, input [7:0] x, output reg [15:0] sum);
//!     initial sum = 0;
//!     always @(posedge clock) sum <= sum + x;
//! endmodule";
//! let mut sim = Design::parse(&[Source::new("accumulate.v", text)], None)?.compile(&Options::default())?;
//! sim.set("x", 7)?;
//! sim.run(3)?;
//! assert_eq!(sim.get("sum")?, 21);
//! # Ok::<(), quadlock_rtlsim::Error>(())
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
