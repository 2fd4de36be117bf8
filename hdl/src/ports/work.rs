//! What is told when a unit of graphics that can work long without any other event makes a step.
//! A machine that works gives one of its events every few thousand cycles, if memory answers; who
//! judges whether a machine stands still counts these, too (docs/graphics-blocks.md, "Progress").

use quadlock_hdl_macros::bundle;

/// A step of units that can work long without any other event.
#[bundle(what = "step of work", event = "work")]
pub struct WorkEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// binner and visibility unit have decided about a tile of a triangle's box
    decided: bool,
    /// the rasteriser takes a triangle in a tile
    rastered: bool,
    /// the tile buffers clear, move or pass over something
    tiled: bool,
    /// the clipper reads a word of a vertex
    clipped: bool,
    /// a record of Hi-Z's bounds is cleared
    cleared: bool,
}
