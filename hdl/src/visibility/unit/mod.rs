//! Visibility units: for each tile of a triangle's bounding box, whether the triangle may be seen
//! in it. One of them is before the binner.

pub mod back_visibility;
pub mod depth_visibility;
pub mod edge_visibility;
pub mod in_flight;
pub mod visibility;
