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
//! | [`merge_queue`] | the seat of quads that are shaded together |

pub mod collector;
pub mod emit;
pub mod groups;
pub mod merge_queue;
pub mod modes;
pub mod rasteriser;
pub mod rows;
pub mod setup;

pub use collector::Collector;
pub use emit::RasterEmit;
pub use groups::RasterGroups;
pub use merge_queue::MergeQueue;
pub use rasteriser::Rasteriser;
pub use rows::RasterRows;
pub use setup::RasterSetup;
