//! The pixel back end: depth and stencil, results of fragments, blending and the tile buffers. See
//! `docs/blocks/depth.md`, `blend.md` and `tile-buffers.md`.

pub mod blend;
pub mod depth;
pub mod resolve;
pub mod results;
pub mod srgb;
pub mod sum;
pub mod tile_buffers;

pub use blend::Blend;
pub use depth::DepthStencil;
pub use resolve::TileResolve;
pub use results::ResultStore;
pub use tile_buffers::TileBuffers;
