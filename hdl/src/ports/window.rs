//! What is told when a window of triangles ends (HZ-10).

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A window ends: what it holds goes to the rasteriser, and the next one fills.
#[bundle(what = "window", event = "window")]
pub struct WindowEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// why: 0 all triangles, 1 all pairs, 2 no place for a tile, 3 starved, 4 the list, 5 time
    cause: Bits<3>,
    /// triangles that it has
    triangles: Bits<16>,
    /// pairs of triangle and tile
    pairs: Bits<24>,
    /// number in the frame, modulo 2^16, of its last triangle; that may go on in the next window
    order: Bits<16>,
}
