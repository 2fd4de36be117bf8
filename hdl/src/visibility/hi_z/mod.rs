//! Hi-Z: bounds of the depths of groups of 8 by 8 pixels, and what is tested with them.

pub mod back_levels;
pub mod draw_classes;
pub mod group_place;
#[allow(clippy::module_inception)] // The block's name is the folder's.
pub mod hi_z;
pub mod hi_z_memory;
pub mod hide_parts;
pub mod hide_test;
pub mod raster_hi_z;
pub mod stencil_kept;
