//! The instruction set of Quadlock: one table ([`table`]) and everything that is generated from it.
//!
//! The crate holds encodings and names, not behaviour: RTL and golden model share this and nothing
//! else.
//! A module imports from rows above its own only, and no files import each other in a circle; the
//! kit's test of the house checks it.
//!
//! | module | what |
//! |---|---|
//! | [`records`] | words of records in memory |
//! | [`abi`] | sizes and addresses that everybody agrees on |
//! | [`table`] | the instructions |
//! | [`instr`] | instruction words |
//! | [`thread`] | threads of a thread list |
//! | [`wave`] | names of instructions in waves |
//! | [`asm`] | text to words |
//! | [`disasm`] | words to text |
//! | [`doc`] | `docs/isa.md` |

#![warn(missing_docs)]

pub mod abi;
pub mod asm;
pub mod disasm;
pub mod doc;
pub mod instr;
pub mod records;
pub mod table;
pub mod thread;
pub mod wave;

pub use asm::{assemble, AsmError, Assembled};
pub use disasm::{disassemble, disassemble_program, Labels};
pub use instr::{decode, encode, group_register, AtomicOp, BMode, CrossLane, Event, Instr, RegList, Undefined};
pub use table::{kind, Class, Kind, Lanes, Op, Row, Shape, Special, SpecialRow, SPECIALS, TABLE};
pub use thread::{SemaphoreRequest, ThreadRecord};
