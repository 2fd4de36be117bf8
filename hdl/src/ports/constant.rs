//! A write to the constant banks, the same for every unit.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// Takes effect at the end of the cycle in every unit.
#[bundle(what = "write to the constant bank")]
pub struct ConstantWrite {
    /// the bundle holds one in this cycle
    valid: bool,
    /// word of the constant bank
    addr: Bits<10>,
    /// value
    data: Bits<32>,
}

/// A word of a stage's window of the constant bank, from the command streamer. Takes effect at the
/// end of the cycle in every unit.
#[bundle(what = "write to a window of the constant bank")]
pub struct WindowWrite {
    /// the bundle holds one in this cycle
    valid: bool,
    /// word of the constant bank: window in 12:8, word of the stage in 7:0
    addr: Bits<13>,
    /// value
    data: Bits<32>,
}
