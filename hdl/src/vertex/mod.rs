//! From draws to vertices: indices, the reuse cache, batches for vertex warps, corners for
//! assembly.

pub mod front_end;
pub mod role;

pub use front_end::VertexFrontEnd;
pub use role::FrontRole;
