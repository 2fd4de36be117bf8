//! Test support that several crates of Quadlock need, compiled once. A crate has it as a
//! `dev-dependency`; nothing that ships may depend on it.

#![warn(missing_docs)]

pub mod cache;
pub mod floors;
pub mod peers;
pub mod tier;
