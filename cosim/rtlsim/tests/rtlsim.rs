//! All tests of the simulator in one program: one to compile and link instead of fifteen. A test's
//! name begins with its file: `cargo nextest run -p quadlock-rtlsim jit::`. The kit's test of the
//! house fails if a file here is in no program.

mod elaborate_common;

mod elaborate;
mod elaborate_two_state;
mod floors;
mod foreign;
mod interp;
mod jit;
mod kept;
mod limits;
mod netlist;
mod parse;
mod passes;
mod passes_effect;
mod random_verilog;
mod sim;
mod standard;
mod trace;
