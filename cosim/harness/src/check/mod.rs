//! Second opinions: the engines against each other and against Verilator and Icarus
//! ([`crosscheck`]), the float operations against oracles of others ([`float`]).

pub mod crosscheck;
pub mod float;
