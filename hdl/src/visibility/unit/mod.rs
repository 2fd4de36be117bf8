//! Visibility units: for each tile of a triangle's bounding box, whether the triangle may be seen
//! in it. One of them is before the binner.

pub mod back_visibility;
pub mod depth_visibility;
pub mod edge_visibility;
pub mod in_flight;
pub mod late_bounds;
pub mod visibility;

crate::blocks! {
    "visibility" "visibility/unit/visibility.rs" "Visibility" "visibility unit without Hi-Z; every tile may be visible"
        |_c| super::Visibility::default();
    "depth_visibility" "visibility/unit/depth_visibility.rs" "DepthVisibility" "visibility unit with Hi-Z"
        |c| super::DepthVisibility::new(c);
    "edge_visibility" "visibility/unit/edge_visibility.rs" "EdgeVisibility" "tiles that a triangle reaches, by its edges"
        |c| super::EdgeVisibility::new(c);
    "back_visibility" "visibility/unit/back_visibility.rs" "BackVisibility" "visibility unit with Hi-Z by back-propagation"
        |c| super::BackVisibility::new(c);
    "in_flight" "visibility/unit/in_flight.rs" "InFlight" "depth effects of triangles in flight"
        |c| super::InFlight::new(c);
    "late_bounds" "visibility/unit/late_bounds.rs" "LateBounds" "bounds of draws that bypassed the cull pipeline"
        |c| super::LateBounds::new(c);
}
