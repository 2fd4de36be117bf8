//! What is told when two warps become one (MS-11), and when one becomes several (MS-40).

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

/// A warp of a quad's pixels has become one warp for each covered sample.
#[bundle(what = "split of a warp", event = "split")]
pub struct SplitEvent {
    /// the bundle holds one in this cycle
    valid: bool,
    /// number of the warp unit
    unit: Bits<6>,
    /// slot of the warp that splits: member 0; those of the other members follow it
    warp: Bits<4>,
    /// other members
    others: Bits<2>,
    /// lanes that go on; 0 if all have ended before
    lanes: Bits<4>,
    /// lanes that cover something, of all members together
    covered: Bits<4>,
}
