//! Test support that several crates of Quadlock need, compiled once. A crate has it as a
//! `dev-dependency`; nothing that ships may depend on it.

pub mod floors;
pub mod peers;
