//! The filter of quads between rasteriser and depth test.

pub mod quad_filter;

crate::blocks! {
    "quad_filter" "visibility/filter/quad_filter.rs" "QuadFilter" "filter that drops hidden quads"
        |c| super::QuadFilter::new(c);
}
