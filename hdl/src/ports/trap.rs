//! An instruction traps.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// The warp and the place of an instruction that trapped.
#[bundle(what = "trap")]
pub struct Trap {
    /// the bundle holds one in this cycle
    valid: bool,
    /// warp slot in the unit
    warp: Bits<4>,
    /// program counter, an instruction index
    pc: Bits<16>,
}
