//! Geometry: from shaded vertices to triangles in the target (docs/graphics-blocks.md, "Vertices
//! and triangles"). The page of the block is `docs/blocks/geometry.md`.

pub mod assembly;
pub mod bias;
pub mod block;
pub mod cells;
pub mod clip;
pub mod contexts;
pub mod edges;
pub mod fetch;
pub mod finish;
pub mod float;
pub mod float_cells;
pub mod gradient;
pub mod intake;
pub mod quotient;
pub mod reciprocal;
pub mod references;
pub mod role;
pub mod store;
pub mod view;

pub use block::Geometry;
pub use role::GeometryRole;
