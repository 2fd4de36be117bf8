//! Which tiles a triangle may show in, and in which order triangles go to tiles. A file is named
//! after its block.
//!
//! [`unit`] says of each tile of a triangle's box whether it may be seen, [`binner`] brings
//! triangles to tiles, [`hi_z`] keeps bounds of depth and tests with them, [`filter`] drops hidden
//! quads.

pub mod binner;
pub mod filter;
pub mod hi_z;
pub mod unit;

pub use binner::binner::Binner;
pub use binner::full_binner::{FullBinner, FullCache, FullStore};
pub use binner::tile_test::TileTest;
pub use binner::window_binner::{WindowBinner, WindowRecords};
pub use filter::quad_filter::QuadFilter;
pub use hi_z::back_levels::BackLevels;
pub use hi_z::draw_classes::DrawClasses;
pub use hi_z::group_place::GroupPlace;
pub use hi_z::hi_z::HiZ;
pub use hi_z::hi_z_memory::HiZMemory;
pub use hi_z::hide_parts::HideParts;
pub use hi_z::hide_test::HideTest;
pub use hi_z::raster_hi_z::RasterHiZ;
pub use hi_z::stencil_kept::StencilKept;
pub use unit::back_visibility::BackVisibility;
pub use unit::depth_visibility::DepthVisibility;
pub use unit::edge_visibility::EdgeVisibility;
pub use unit::in_flight::InFlight;
pub use unit::late_bounds::LateBounds;
pub use unit::visibility::Visibility;
