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
use crate::ports::{DepthUpdateIn, TriangleIn, TriangleOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Visibility {
    /// There is a triangle; it stays until it is taken.
    pub told: TriangleIn,
    /// There is a triangle for the binner.
    pub triangle: TriangleOut,
    /// There is a bit for the next tile of the bounding box.
    pub visible_valid: Signal<Out, bool>,
    /// The bit is taken in this cycle if valid.
    pub visible_ready: Signal<In, bool>,
    /// The triangle may be seen in the tile.
    pub visible: Signal<Out, bool>,
    /// The depth of a group is asked for: never, today.
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
        TriangleIn::join(&mut self.told, &mut self.triangle);
        self.visible_valid.next = self.told.valid.val();
        self.visible.next = true;
        self.query_valid.next = false;
        self.query_x.next = bits::<9>(0);
        self.query_y.next = bits::<9>(0);
    }
}
