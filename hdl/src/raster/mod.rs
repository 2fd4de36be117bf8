//! Rasteriser: triangles in tiles become quads with coverage and depth.
//!
//! | file | what |
//! | --- | --- |
//! | [`setup`] | values of a triangle's planes where it begins in a tile |
//! | [`groups`] | the groups of four by four quads that it may cover |
//! | [`rows`] | coverage of rows of four quads |
//! | [`emit`] | rows that wait, quads one by one, depths |
//! | [`rasteriser`] | the whole |
//! | [`collector`] | beats of quads become quads to be shaded |
//! | [`merge_passage`] | the way past the merge queue, without it |
//! | [`merge_queue`] | quads that are shaded together find each other |

pub mod collector;
pub mod emit;
pub mod groups;
pub mod merge_passage;
pub mod merge_queue;
pub mod modes;
pub mod rasteriser;
pub mod rows;
pub mod setup;

pub use collector::Collector;
pub use emit::RasterEmit;
pub use groups::RasterGroups;
pub use merge_passage::MergePassage;
pub use merge_queue::MergeQueue;
pub use rasteriser::Rasteriser;
pub use rows::RasterRows;
pub use setup::RasterSetup;

crate::blocks! {
    "rasteriser" "raster/rasteriser.rs" "Rasteriser" "rasteriser" |c| Rasteriser::new(c);
    "raster_setup" "raster/setup.rs" "RasterSetup" "start values of a triangle in a tile"
        |c| RasterSetup::new(c);
    "raster_groups" "raster/groups.rs" "RasterGroups" "groups of quads that a triangle may cover"
        |c| RasterGroups::new(c);
    "raster_rows" "raster/rows.rs" "RasterRows" "coverage of rows of quads" |c| RasterRows::new(c);
    "raster_emit" "raster/emit.rs" "RasterEmit" "quad output with depths" |c| RasterEmit::new(c);
    "context_modes" "raster/modes.rs" "ContextModes" "test modes of contexts and pass"
        |c| modes::ContextModes::new(c);
    "collector" "raster/collector.rs" "Collector" "tickets for quads to be shaded"
        |c| Collector::new(c);
    "merge_passage" "raster/merge_passage.rs" "MergePassage" "passage in place of the merge queue"
        |c| MergePassage::new(c);
    "merge_queue" "raster/merge_queue.rs" "MergeQueue" "merge queue" |c| MergeQueue::new(c);
    "merge_fit" "raster/merge_queue/fit.rs" "MergeFit" "best partner among the queued quads"
        |c| merge_queue::MergeFit::new(c);
    "merge_flip" "raster/merge_queue/flip.rs" "MergeFlip" "flip under which two quads fit"
        |_c| merge_queue::MergeFlip::default();
    "merge_places" "raster/merge_queue/places.rs" "MergePlaces" "free entries of the merge queue"
        |c| merge_queue::MergePlaces::new(c);
}
