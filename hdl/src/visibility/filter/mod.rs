//! The filter of quads between rasteriser and depth test.

pub mod quad_filter;
