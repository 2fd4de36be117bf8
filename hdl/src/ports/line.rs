//! Memory is reached by lines of 16 bytes: the request, and the data that comes back.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A request for a line.
#[bundle(stream, what = "memory request")]
pub struct LineRequest {
    /// byte address of the line, a multiple of 16
    addr: Bits<32>,
    /// a line write, else a line read
    write: bool,
    /// this read begins an atomic: the port is the requester's until its next write is taken
    lock: bool,
    /// byte enables of a write
    mask: Bits<16>,
    /// data, word # of the 16-byte line
    data: [Bits<32>; 4],
}

/// The words of a line that was read. Several readers have the words in common, and each its own
/// `valid`.
#[bundle(flow, what = "memory response")]
pub struct Line {
    /// data, word # of the 16-byte line
    data: [Bits<32>; 4],
}
