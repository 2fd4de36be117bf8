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

crate::blocks! {
    "draw_classes" "visibility/hi_z/draw_classes.rs" "DrawClasses" "Hi-Z rules of a draw: cull, update, reset"
        |c| super::DrawClasses::new(c);
    "stencil_kept" "visibility/hi_z/stencil_kept.rs" "StencilKept" "test whether a depth failure can change the stencil"
        |c| super::StencilKept::new(c);
    "hi_z" "visibility/hi_z/hi_z.rs" "HiZ" "Hi-Z: bounds of depth" |c| super::HiZ::new(c, 2, true);
    "group_place" "visibility/hi_z/group_place.rs" "GroupPlace" "place of a group's bound"
        |c| super::GroupPlace::new(c);
    "hi_z_memory" "visibility/hi_z/hi_z_memory.rs" "HiZMemory" "Hi-Z group records in memory"
        |c| super::HiZMemory::new(c);
    "hide_parts" "visibility/hi_z/hide_parts.rs" "HideParts" "hidden test of the parts of a group"
        |c| super::HideParts::new(c);
    "hide_test" "visibility/hi_z/hide_test.rs" "HideTest" "hidden test of a triangle in a group"
        |c| super::HideTest::new(c, true);
    "raster_hi_z" "visibility/hi_z/raster_hi_z.rs" "RasterHiZ" "Hi-Z in the rasteriser only"
        |c| super::RasterHiZ::new(c);
    "back_levels" "visibility/hi_z/back_levels.rs" "BackLevels" "Hi-Z: bounds of written depths"
        |c| super::BackLevels::new(c, 3);
}
