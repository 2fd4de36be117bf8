//! All tests of the model in one program: one to compile and link instead of a dozen. A test's name
//! begins with its file: `cargo nextest run -p quadlock-golden semaphores::`. The kit's test of the
//! house fails if a file here is in no program.

mod common;
#[path = "common/float_files.rs"]
mod float_files;

mod arithmetic;
mod events;
mod facts;
mod float_approx;
mod float_exact;
mod float_tables;
mod late;
mod machine;
mod memory;
mod positions;
mod merge;
mod semaphores;
mod spin;
mod split;
mod transactions;
mod twins;
mod warp_wide;
