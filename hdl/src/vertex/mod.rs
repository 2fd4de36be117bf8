//! From draws to vertices: indices, the reuse cache, batches for vertex warps, corners for
//! assembly.

pub mod front_end;
pub mod role;

pub use front_end::VertexFrontEnd;
pub use role::FrontRole;

crate::blocks! {
    "vertex_front_end" "vertex/front_end.rs" "VertexFrontEnd" "vertex front end"
        |c| VertexFrontEnd::new(c, FrontRole::Plain);
}
