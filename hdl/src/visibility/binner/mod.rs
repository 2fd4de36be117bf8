//! Binners: triangles to tiles, one after the other, in a window, or all of a pass in memory; and
//! the test that a binner makes at its output.

#[allow(clippy::module_inception)] // The block's name is the folder's.
pub mod binner;
pub mod full_binner;
pub mod tile_test;
pub mod window_binner;
