//! From draws to vertices: indices, the reuse cache, batches for vertex warps, corners for
//! assembly.

pub mod front_end;

pub use front_end::{FrontRole, VertexFrontEnd};
