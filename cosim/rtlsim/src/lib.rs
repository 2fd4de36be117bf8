//! rtlsim: a compiled simulator for a synthesizable Verilog subset. Text goes through [`parse`]
//! (syntax tree), [`elaborate`] (word-level [`graph`]), [`passes`] (smaller graph) and [`plan`]
//! (regions that are skipped when nothing they read has changed), and then runs as native code made
//! in memory by Cranelift ([`jit`], the product), or interpreted ([`interp`], the reference). It
//! can be wrong by misreading the standard in both engines alike; random modules and foreign
//! designs against other simulators are the test. How it works, what was measured and what is not
//! done: `docs/rtlsim/` of the repository.
//!
//! ```text
//! Design::parse(sources) -> Design::compile(options) -> Simulation
//! ```
//!
//! A [`Design`] has the tree of scopes and signals, with widths and value names. A [`Simulation`]
//! is poked and peeked by name or by handle, stepped, saved and restored, and traced to VCD or FST
//! ([`trace`]).
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
//!
//! // By handle, which is what a test bench does in every cycle; and back to a state kept before.
//! let (x, sum) = (sim.input("x")?, sim.signal("accumulate.sum")?);
//! let saved = sim.snapshot();
//! sim.poke(x, 100);
//! sim.step()?;
//! assert_eq!(sim.peek(sum), 121);
//! sim.restore(&saved)?;
//! assert_eq!((sim.peek(sum), sim.cycle()), (21, 3));
//!
//! // What is outside the subset is refused by name, with its place.
//! let error = Design::parse(&[Source::new("m.v", "module m(inout a); endmodule")], None).unwrap_err();
//! assert_eq!(error.to_string(), "m.v:1:10: inout port is not supported: use an input and an output");
//! # Ok::<(), quadlock_rtlsim::Error>(())
//! ```
//!
//! # Floors
//!
//! A module imports from rows above its own only; `tests/floors.rs` checks it. The files of one
//! module make no circle either, but for one recursion: adding a node (`passes/builder.rs`)
//! simplifies it (`passes/simplify`), and a simpler form is made by adding nodes.
//!
//! | module | what |
//! |---|---|
//! | [`bits`] | values of any width |
//! | [`error`] | every error of the crate, and places in texts |
//! | [`source`] | source texts |
//! | [`ast`] | the syntax tree |
//! | [`graph`] | the word-level graph |
//! | [`start`] | start values of registers and memories |
//! | [`plan`] | what is evaluated together, and where values lie |
//! | [`kept`] | designs and code on disk |
//! | [`fault`] | faults to plant in a plan |
//! | [`options`] | how a design is compiled |
//! | [`backend`] | what every engine can do |
//! | [`interp`] | the reference engine, and the meaning of each operation |
//! | [`parse`] | text to syntax tree |
//! | [`elaborate`] | syntax tree to graph |
//! | [`passes`] | smaller graphs |
//! | [`random_graph`] | graphs for tests |
//! | [`design`] | a design with its names |
//! | [`jit`] | the compiled engine |
//! | [`trace`] | waves |
//! | [`sim`] | a running design |
//! | [`random`] | modules for tests, run everywhere |
//!
//! # The subset
//!
//! Verilog-2005, vectors and concatenations up to 2^16 bits (products, quotients
//! and powers up to 4,096), memories up to 2^31 bits each, 2 GiB of state:
//! - modules with ANSI and older headers, parameters and local parameters, instances by name and
//!   position, open ports, implicit nets (unless `` `default_nettype none ``); `wire`, `reg`,
//!   `integer`, `signed`, ranges in either direction; escaped identifiers; attributes but
//!   `full_case` are skipped; arrays of wires;
//! - memories of one dimension, any number of read ports and clocked write ports, initial values by
//!   `initial` or `$readmemh`, `$readmemb`;
//! - `assign`; `always @(*)` (a list of plain signals is taken for it); `always @(posedge a)` and
//!   `negedge`, several clocks, derived clocks, asynchronous sets and resets that the process tests
//!   first; `initial` with constant results; `if`, `case`, `casez`, `casex`, `for` with constant
//!   bounds, `=`, `<=`, named blocks with variables; other system tasks are ignored;
//! - every operator (`**`: constant exponent, or base 2), all selects, concatenation, replication,
//!   `$signed`, `$unsigned`, `$clog2`, `$bits`;
//! - `` `define `` without arguments (lines continued by a backslash; 16 MiB of expanded text),
//!   `` `ifdef `` and its kin;
//! - what yosys's `write_verilog` emits, with the simple cells of `-noexpr` (gates, multiplexers,
//!   `$_DFF_*`, `$_DFFE_*`, `$_SDFF*_*`, `$_ALDFF*_*`).
//!
//! Widths and signs are those of IEEE 1364-2005, 5.4 and 5.5. A connection to a port stands alone
//! in width and is cut or extended by its own sign.
//!
//! Refused with [`Error::Unsupported`]: `generate`, tasks, `inout`, net types other than
//! `wire`, gates and switches, delays and waits, loops other than `for`, hierarchical names,
//! `defparam`, real numbers, `` `include ``, macros with arguments, several array dimensions,
//! memories that are written without a clock or read after a blocking write in the same process,
//! SystemVerilog. Refused as contradictions ([`Error::Elaborate`]): latches, two drivers of a bit,
//! unknown names. Combinational loops, looked for bit by bit, are [`Error::Loop`] with their path.
//!
//! # Two states
//!
//! Zero, where Verilog has x: division by zero, bits outside a vector and words outside a memory
//! (which are not written either), undriven bits, open inputs, x and z digits. A `case` label with
//! x never matches. A register or memory word without an initial value (a word between initialised
//! ones too) starts with a value made from [`Options::seed`] and its full name, so that a missing
//! reset shows and every engine starts alike ([`start`]).

#![warn(missing_docs)]
#![allow(rustdoc::private_intra_doc_links)] // The table of floors names private modules too.

pub mod ast;
pub mod backend;
pub mod bits;
pub mod design;
pub mod elaborate;
pub mod error;
#[doc(hidden)]
pub mod fault;
pub mod graph;
pub mod interp;
pub mod jit;
pub mod kept;
pub mod options;
pub mod parse;
pub mod passes;
mod plan;
#[cfg(feature = "random")]
pub mod random;
#[cfg(feature = "random")]
pub mod random_graph;
pub mod sim;
pub mod source;
pub mod start;
pub mod trace;

pub use bits::Bits;
pub use design::Design;
pub use error::{Error, Place};
pub use options::{Engine, Options, TraceScope};
pub use sim::{InputHandle, MemoryHandle, RegisterHandle, SignalHandle, Simulation, Snapshot};
pub use source::Source;
