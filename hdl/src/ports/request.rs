//! A memory instruction of a warp on its way to a load/store/atomic pipeline.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A memory instruction. The arbiter adds the number of the unit in a port of its own.
#[bundle(stream, what = "memory instruction")]
pub struct Request {
    /// warp slot in the unit
    warp: Bits<4>,
    /// sequence number of the instruction in its warp, modulo 256
    seq: Bits<8>,
    /// active lanes
    mask: Bits<4>,
    /// destination register, the first of several
    dst: Bits<5>,
    /// opcode, bits 7:0 of the instruction word
    op: Bits<8>,
    /// byte address of lane #
    addr: [Bits<32>; 4],
    /// data word 0 of lane #; of an atomic the operand's low word
    w0_: [Bits<32>; 4],
    /// data word 1 of lane #; of an atomic the operand's high word
    w1_: [Bits<32>; 4],
    /// data word 2 of lane #; of an atomic the expected value's low word
    w2_: [Bits<32>; 4],
    /// data word 3 of lane #; of an atomic the expected value's high word
    w3_: [Bits<32>; 4],
}
