//! Visibility unit: says of each tile of a triangle's bounding box whether the triangle may be seen
//! in it. Today it always may: the triangle passes, and every bit of its stream is 1. The ports
//! that ask for the depth of groups and learn of it are there and say nothing.
//!
//! Latency 0, wires only: both neighbours have registers. The stream has a bit in every cycle in
//! which a triangle is there; the binner takes one for each tile, in raster order.
//!
//! It can be wrong in a wire of the triangle; `tests/binner.rs` compares all of them.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::comment;
use crate::ports::{DepthUpdateIn, TileVisibilityOut, TriangleIn, TriangleOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Visibility {
    /// A triangle is offered. Held until `in_triangle_ready`.
    pub in_triangle: TriangleIn,
    /// There is a triangle for the binner.
    pub triangle: TriangleOut,
    /// Whether a triangle may be seen in a tile.
    pub visible_ports: TileVisibilityOut,
    /// Query for the depth of a group; unused.
    pub query_valid: Signal<Out, bool>,
    /// Place of the group in x, in units of 8 pixels.
    pub query_x: Signal<Out, Bits<9>>,
    /// Place of the group in y.
    pub query_y: Signal<Out, Bits<9>>,
    /// Depths were written by the pixel back end; unused.
    pub update: DepthUpdateIn,
    _active: bool,
}

impl Logic for Visibility {
    #[kernel]
    fn update(&mut self) {
        comment!("module: visibility");
        TriangleIn::join(&mut self.in_triangle, &mut self.triangle);
        self.visible_ports.visible_valid.next = self.in_triangle.valid.val();
        self.visible_ports.visible.next = true;
        self.query_valid.next = false;
        self.query_x.next = bits::<9>(0);
        self.query_y.next = bits::<9>(0);
    }
}
