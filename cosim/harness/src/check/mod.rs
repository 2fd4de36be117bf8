//! Second opinions: the engines against each other and against Verilator and Icarus
//! ([`crosscheck`]), the float operations against oracles of others ([`float`]), the compiler
//! against whole folders of shaders ([`shaders`]).

pub mod crosscheck;
pub mod float;
pub mod shaders;
