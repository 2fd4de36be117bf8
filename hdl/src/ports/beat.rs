//! One beat of the answer to a memory instruction.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A beat of a completion. The number of the unit stands beside it.
#[bundle(stream, what = "completion of a memory instruction")]
pub struct Beat {
    /// warp slot in the unit
    warp: Bits<4>,
    /// sequence number of the instruction in its warp, modulo 256
    seq: Bits<8>,
    /// lanes delivered by this beat
    mask: Bits<4>,
    /// destination register, the first of several
    dst: Bits<5>,
    /// a register is written
    wen: bool,
    /// last beat of the instruction
    last: bool,
    /// value of lane #
    value: [Bits<32>; 4],
}
