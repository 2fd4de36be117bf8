//! The instruction set of Quadlock: one table ([`table`]) and everything that is generated from it.
//!
//! The crate holds encodings and names, not behaviour: RTL and golden model share this and nothing
//! else.

#![warn(missing_docs)]

pub mod abi;
pub mod asm;
pub mod disasm;
pub mod doc;
pub mod instr;
pub mod table;
pub mod thread;
pub mod wave;

pub use asm::{assemble, AsmError, Assembled};
pub use disasm::{disassemble, disassemble_program, Labels};
pub use instr::{decode, encode, group_register, AtomicOp, BMode, CrossLane, Instr, RegList, Undefined};
pub use table::{kind, Class, Kind, Lanes, Op, Reserved, Row, Shape, Special, SpecialRow, RESERVED, SPECIALS, TABLE};
pub use thread::{SemaphoreRequest, ThreadRecord};
