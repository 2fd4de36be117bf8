//! What is told when two warps become one (MS-11).

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// Two warps have merged.
#[bundle(what = "merge of two warps", event = "merge")]
pub struct MergeEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// number of the warp unit
    unit: Bits<6>,
    /// slot that goes on: that of member 0
    kept: Bits<4>,
    /// slot whose warp is no more: that of member 1
    gone: Bits<4>,
    /// lanes of the slot that goes on that were its own before
    stayed: Bits<4>,
    /// lanes that came from the other one
    came: Bits<4>,
}
