//! Conformance of the float operations: every one of the machine on vectors in the manner of
//! TestFloat, on the RTL and on the golden model, against independent results
//! (docs/float-check.md).
//!
//! | file | what |
//! |---|---|
//! | [`op`] | the operations, their operands and meanings |
//! | [`oracle`], [`near`] | exact results; functions with a bound |
//! | [`fast`], [`exhaustive`] | exact results for all 2^32 operands; running them, with a state file |
//! | [`cases`], [`hard`], [`plan`] | vectors |
//! | [`engine`], [`rtl`] | golden model and RTL |
//! | [`run`], [`report`] | the workers; what they found |
//!
//! The vectors are cut into chunks that any worker may take; what a chunk contains and what is
//! found in it does not depend on who ran it, so a result is the same for any number of workers. It
//! can be wrong where oracle and machine err alike; they share no code.

pub mod cases;
pub mod engine;
pub(crate) mod exhaustive;
pub(crate) mod fast;
pub(crate) mod hard;
pub(crate) mod near;
pub mod op;
pub mod oracle;
pub mod plan;
pub mod report;
pub(crate) mod rtl;
pub mod run;
pub(crate) mod vector;
