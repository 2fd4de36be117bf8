//! The event of a write to the shared storage of a unit: one line of 16 bytes.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A line that is written.
#[bundle(what = "write to shared storage", event = "shw")]
pub struct SharedWrite {
    /// the bundle holds one in this cycle
    valid: bool,
    /// byte address of the line
    addr: Bits<16>,
    /// byte enables
    mask: Bits<16>,
    /// data, word # of the 16-byte line
    data: [Bits<32>; 4],
}
