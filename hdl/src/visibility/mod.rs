//! Which tiles a triangle may show in, and in which order triangles go to tiles.

pub mod back;
pub mod binner;
pub mod classes;
pub mod early;
pub mod edges;
pub mod filter;
pub mod full;
pub mod hi_z;
pub mod late;
pub mod stencil;
pub mod tile_test;
pub mod unit;
pub mod window;

pub use back::{BackLevels, BackVisibility, InFlight};
pub use binner::Binner;
pub use classes::DrawClasses;
pub use early::DepthVisibility;
pub use edges::EdgeVisibility;
pub use filter::QuadFilter;
pub use full::{FullBinner, FullCache, FullStore};
pub use hi_z::{GroupPlace, HiZ, HiZMemory, HideParts, HideTest};
pub use late::RasterHiZ;
pub use stencil::StencilKept;
pub use tile_test::TileTest;
pub use unit::Visibility;
pub use window::{WindowBinner, WindowRecords};
