//! From the tree of a rust-hdl block to the Verilog that ships. rust-hdl writes one module per
//! *instance*, named by its path, with `$` in identifiers and constants as masked 32-bit literals.
//! Here each kind of block is written once, and readable, without touching the logic:
//!
//! - two blocks with the same signals, kernel and blocks in them are one module, found before any
//!   text is made; modules of equal text are one, too;
//! - a module is called by the `// module: NAME` comment in it, a flip-flop `dff_WIDTH`, anything
//!   else by its instance name; different modules of one name get `_2`, `_3`, ...;
//! - `a$0$b` becomes `a_0_b`, a reserved word of SystemVerilog gets a `_` (refused if two names of
//!   a module would collide);
//! - `((32'h5) & 8'hff)` becomes `8'h5`, which also makes Verilog's widths those of the Rust
//!   kernels: arithmetic wraps at the operands' width instead of being carried on in 32 bits;
//! - a signal that leaves a combinational block and is assigned more than once in it (default
//!   first, then overridden) is computed in a variable `NAME__next` and assigned once, at the end.
//!   Otherwise an event-driven simulator sees the default as a pulse, and two modules that are
//!   connected both ways wake each other for ever without time passing;
//! - ports for observers can be left out, and what only they need ([`without_events`]).
//!
//! It is a crate of its own because it is text work: profile `checked` optimises it as a release
//! does, while the kernels, ten times as long, are compiled quickly. It knows no block.
//!
//! It can be wrong where the assignment at the end changes a meaning, a rename captures another
//! name, or two different blocks are taken for one. [`modules_by_rust_hdl`] makes the same modules
//! from rust-hdl's text of every instance, and tests compare the two; the cross-check runs the
//! exported text against rust-hdl's engine cycle by cycle.
//!
//! The floors, from the ground up:
//!
//! | file | what it holds |
//! | --- | --- |
//! | [`names`] | a field's name in the Verilog |
//! | [`literals`] | literals of their own width |
//! | [`rename`] | names of one module |
//! | [`merge`] | lines, unique modules, one assignment per signal |
//! | [`record`] | a block as bytes |
//! | [`kernel`] | a kernel as bytes |
//! | [`declared`] | names that a kernel can use |
//! | [`unroll`] | kernels without loops and connections |
//! | [`check`] | rust-hdl's checks of a kernel |
//! | [`print`] | the lines of a module |
//! | [`design`] | the visit of a tree |
//! | [`reference`] | the same by rust-hdl's text |
//! | [`events`] | text without ports for observers |

#![warn(missing_docs)]
// The table of floors names every file, and most are private.
#![allow(rustdoc::private_intra_doc_links)]

mod check;
mod declared;
mod design;
mod events;
mod kernel;
mod literals;
mod merge;
mod names;
mod print;
mod record;
mod reference;
mod rename;
mod unroll;

pub use declared::Declared;
pub use design::modules;
pub use events::without_events;
pub use merge::{DeclaredPort, Line, Module, Text, Unique};
pub use names::verilog_name;
pub use reference::{modules_by_rust_hdl, verilog};
pub use unroll::{unrolled, without_loops};
