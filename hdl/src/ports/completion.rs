//! The event of a completion: one beat of a memory or function instruction writes its register.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A beat of a completion. A value of an inactive lane is not defined.
#[bundle(what = "completed memory instruction", event = "mret")]
pub struct Completion {
    /// the bundle holds one in this cycle
    valid: bool,
    /// from the shared storage, else from global memory
    shared: bool,
    /// from the function unit
    function: bool,
    /// warp slot in the unit
    warp: Bits<4>,
    /// sequence number of the instruction in its warp, modulo 256
    seq: Bits<8>,
    /// lanes delivered by this beat
    mask: Bits<4>,
    /// a register is written
    wen: bool,
    /// destination register, the first of several
    dst: Bits<5>,
    /// last beat of the instruction
    last: bool,
    /// value of lane #
    value: [Bits<32>; 4],
}

impl Completion {
    /// The kept result of a warp-wide atomic, for lanes that come late to it (WW-27): from neither
    /// pipeline.
    pub fn kept(&self) -> bool {
        self.shared && self.function
    }
}
