//! The pixel back end: blending and the tile buffers. See `docs/blocks/blend.md` and
//! `tile-buffers.md`.

pub mod blend;

pub use blend::Blend;
