//! The harness of Quadlock: job files, the memory model, lockstep of RTL and golden model with its checkers, hang detection, waves and
//! reports; the binary `quadlock` is a thin command line over it. It can be wrong by accepting a mismatch; `tests/must_fail` plants faults
//! everywhere and demands that each is caught.

pub mod bench;
pub mod cli;
pub mod crosscheck;
pub mod engine;
pub mod error;
pub mod event_view;
pub mod files;
pub mod float_check;
pub mod fuzz;
pub mod fuzzing;
pub mod grants;
pub mod graph;
pub mod gtkw;
pub mod handover;
pub mod job;
pub mod labels;
pub mod launch;
pub mod layout;
pub mod list_view;
pub mod lockstep;
pub mod memory;
pub mod ownership;
pub mod perfetto;
pub mod program;
pub mod report;
pub mod simulate;
pub mod wave;
pub mod wgsl;
