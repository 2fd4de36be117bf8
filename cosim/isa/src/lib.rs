//! The instruction set of Quadlock: one table ([`table`]) and everything that is generated from it.
//!
//! The crate holds encodings and names, not behaviour: RTL and golden model share this and nothing else.

pub mod abi;
pub mod table;

pub use table::{Class, Op, Row, Shape, Special, RESERVED, SPECIALS, TABLE};
