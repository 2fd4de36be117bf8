//! The RTL of Quadlock in rust-hdl: one block per file, one folder per subsystem. What ships is the Verilog made from it ([`export`]).

pub mod bus;
pub mod cell;
pub mod config;
pub mod core;
pub mod dispatch;
pub mod drive;
pub mod export;
pub mod fault;
pub mod float;
pub mod gpu;
pub mod integer;
pub mod memory;
pub mod semaphore;
pub mod shape;
pub mod testing;
pub mod warp;
pub mod wiring;
