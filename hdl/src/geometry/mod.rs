//! Geometry: from shaded vertices to triangles in the target (docs/graphics-blocks.md, "Vertices
//! and triangles"). The page of the block is `docs/blocks/geometry.md`.

pub mod block;
pub mod cells;
pub mod engine;
pub mod program;
pub mod setup;
pub mod store;

pub use block::Geometry;
