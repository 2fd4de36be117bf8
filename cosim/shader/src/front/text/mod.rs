//! Sources as text, up to a validated naga module: what is rewritten before naga parses it, which
//! functions are declared to it, where an error is.
//!
//! Nothing here knows of the lowering, which stands above.

pub mod atomics;
pub mod caught;
mod directives;
pub mod edit;
pub mod map;
pub mod nesting;
pub mod overrides;
pub mod parse;
pub mod rewrite;
pub mod semaphores;
pub mod words;
