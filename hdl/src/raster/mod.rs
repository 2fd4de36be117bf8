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
