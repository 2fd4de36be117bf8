//! Binners: triangles to tiles, one after the other, in a window, or all of a pass in memory; and
//! the test that a binner makes at its output.

#[allow(clippy::module_inception)] // The block's name is the folder's.
pub mod binner;
pub mod full_binner;
pub mod tile_test;
pub mod window_binner;

crate::blocks! {
    "tile_test" "visibility/binner/tile_test.rs" "TileTest" "hidden test of a triangle in a tile"
        |c| super::TileTest::new(c);
    "full_binner" "visibility/binner/full_binner.rs" "FullBinner" "full binning: triangles of a pass sorted into tiles in memory"
        |c| super::FullBinner::new(c);
    "full_cache" "visibility/binner/full_binner/full_cache.rs" "FullCache" "memory line cache of full binning"
        |c| super::FullCache::new(c);
    "full_store" "visibility/binner/full_binner/full_store.rs" "FullStore" "triangle records of full binning"
        |c| super::FullStore::new(c);
    "window_binner" "visibility/binner/window_binner.rs" "WindowBinner" "window binning: a window of triangles sorted into tiles"
        |c| super::WindowBinner::new(c);
    "window_records" "visibility/binner/window_binner/window_records.rs" "WindowRecords" "triangle records of two windows"
        |c| super::WindowRecords::new(c);
    "binner" "visibility/binner/binner.rs" "Binner" "binner, one triangle at a time"
        |c| super::Binner::new(c);
}
