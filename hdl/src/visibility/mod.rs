//! Which tiles a triangle may show in, and in which order triangles go to tiles. Both are plain
//! today: every tile counts, and one triangle is drawn after the other.

pub mod binner;
pub mod unit;
pub mod window;

pub use binner::Binner;
pub use unit::Visibility;
pub use window::{WindowBinner, WindowRecords};
