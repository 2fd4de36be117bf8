//! What of graphics waits for what, in each cycle of a run: the streams that are offered and not
//! taken, what is at work, and the contexts in use. The harness makes the account of a frame from
//! it (docs/report.md, "Where the cycles go").
//!
//! A bit of a stream says that its sender is ready and its receiver is not. Wrong would be a bit of
//! another stream: the account would blame another stage.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// Streams of graphics that are not taken, and blocks at work.
#[bundle(what = "stage", event = "stage")]
pub struct StageEvent {
    /// a command list is run
    valid: bool,
    /// bit # is set while context # is in use by a draw that was taken
    contexts: Bits<16>,
    /// a triangle of geometry that the visibility unit does not take
    set_up: bool,
    /// an opaque run waits for the one before, and nothing else comes
    held: bool,
    /// the front end and geometry have nothing until the cull pipeline says what is visible
    ahead: bool,
    /// a triangle of the visibility unit that the binner does not take
    seen: bool,
    /// a tile that the binner asks for, and no buffer is ready
    opening: bool,
    /// a triangle of the binner that the rasteriser does not take
    binned: bool,
    /// a quad of the rasteriser that the early tests do not take
    rastered: bool,
    /// a quad of the early tests that the collector does not take
    tested: bool,
    /// a quad for shading that the dispatcher does not take
    shade: bool,
    /// a result that the late tests do not take
    result: bool,
    /// a sample that blending does not take
    commit: bool,
    /// the front end reads indices, or geometry has a triangle that is not set up
    geometry: bool,
    /// there is no free record or vertex entry in geometry
    places: bool,
    /// the binner holds a triangle or a tile
    sorts: bool,
    /// a quad is between rasteriser and commit
    quads: bool,
    /// the tile buffers clear, load or write
    tiles: bool,
}
