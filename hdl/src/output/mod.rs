//! The pixel back end: blending and the tile buffers. See `docs/blocks/blend.md` and
//! `tile-buffers.md`.

pub mod blend;
pub mod tile_buffers;

pub use blend::Blend;
pub use tile_buffers::TileBuffers;
