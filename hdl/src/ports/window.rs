//! What is told when a window of triangles ends (HZ-10).

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A window ends: what it holds goes to the rasteriser, and the next one fills.
#[bundle(what = "window", event = "window")]
pub struct WindowEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// why: 0 all triangles, 1 all pairs, 2 no place for a tile, 3 geometry has no free entry or
    /// record, 4 the list waits, 5 time, 6 a run of Hi-Z waits, 7 no context is free, 8 geometry
    /// has no number
    cause: Bits<4>,
    /// triangles that it has
    triangles: Bits<16>,
    /// pairs of triangle and tile
    pairs: Bits<24>,
    /// number in the frame, modulo 2^16, of its last triangle; that may go on in the next window
    order: Bits<16>,
}
