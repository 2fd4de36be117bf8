//! Between binners, Hi-Z and rasteriser: what may be seen.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// The bound of a group of quads in Hi-Z.
#[bundle(what = "bound of a group")]
pub struct GroupBound {
    /// the bound is known, a cycle later
    known: bool,
    /// no sample of the group is farther
    bound: Bits<24>,
    /// bounds are minima, inverted
    bound_down: bool,
    /// the run of the triangle that changed it last
    bound_run: Bits<13>,
}

/// What the state of a draw means for Hi-Z.
#[bundle(what = "class of a draw")]
pub struct DrawClass {
    /// depth function
    function: Bits<3>,
    /// what it covers bounds the depth from then on
    updates: bool,
    /// it writes depths that only grow, or only shrink: bounds of the other direction are lost
    claims: bool,
    /// bounds of what it covers hold no longer
    resets: bool,
    /// depths that are written grow: bounds are minima
    down: bool,
}

/// Whether a triangle may be seen in a tile.
#[bundle(what = "visibility of a tile")]
pub struct TileVisibility {
    /// there is a bit for the next tile of the bounding box
    visible_valid: bool,
    /// the triangle may be seen in the tile
    visible: bool,
    /// the bit is taken in this cycle if valid
    #[back]
    visible_ready: bool,
}

/// The result of a group's test, for its parts.
#[bundle(what = "bound of parts")]
pub struct PartBound {
    /// parts of the group may be hidden by what is known of them
    may: bool,
    /// what is level with its bound is hidden, too
    level: bool,
    /// depths grow
    down: bool,
}

/// A tile buffer is open for a tile.
#[bundle(what = "opened tile")]
pub struct TileOpened {
    /// a tile is opened
    opened: bool,
    /// number of its buffer
    opened_buffer: Bits<3>,
    /// place in x, in tiles
    opened_x: Bits<9>,
    /// place in y, in tiles
    opened_y: Bits<9>,
}

/// Which parts of a group are hidden.
#[bundle(what = "answer for parts")]
pub struct PartAnswer {
    /// quads of the group that are hidden
    hidden: Bits<16>,
    /// rows of quads of which that is known
    known: Bits<4>,
}

/// Whether a group of quads is hidden.
#[bundle(what = "answer for a group")]
pub struct GroupAnswer {
    /// there is an answer
    answer_valid: bool,
    /// the group is hidden
    hidden: bool,
}

/// The group of quads whose bound a test reads.
#[bundle(what = "group whose bound is read")]
pub struct GroupAsk {
    /// place in x, in groups
    x: Bits<9>,
    /// place in y, in groups
    y: Bits<9>,
}
