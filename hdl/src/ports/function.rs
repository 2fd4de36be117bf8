//! Bundles inside a warp unit: the instruction that was issued, requests to the function unit, and
//! its results.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A function instruction with its operands.
#[bundle(stream, what = "function instruction")]
pub struct FunctionRequest {
    /// opcode, bits 7:0 of the instruction word
    op: Bits<8>,
    /// warp slot in the unit
    warp: Bits<4>,
    /// sequence number of the instruction in its warp, modulo 256
    seq: Bits<8>,
    /// active lanes, at least one
    mask: Bits<4>,
    /// destination register
    dst: Bits<5>,
    /// first operand of lane #
    a: [Bits<32>; 4],
    /// second operand of lane #
    b: [Bits<32>; 4],
}

/// The results of a function instruction, all lanes at once.
#[bundle(stream, what = "result of a function instruction")]
pub struct FunctionResult {
    /// warp slot in the unit
    warp: Bits<4>,
    /// sequence number of the instruction in its warp, modulo 256
    seq: Bits<8>,
    /// active lanes; values of the others are not defined
    mask: Bits<4>,
    /// destination register
    dst: Bits<5>,
    /// value of lane #
    value: [Bits<32>; 4],
}

/// An instruction on its way through the stages of a warp unit.
#[bundle(flow, what = "instruction that was issued")]
pub struct Issued {
    /// warp slot in the unit
    warp: Bits<4>,
    /// sequence number of the instruction in its warp, modulo 256
    seq: Bits<8>,
    /// lanes that execute it
    mask: Bits<4>,
    /// program counter
    pc: Bits<16>,
    /// word 0 of the instruction
    lo: Bits<32>,
    /// word 1 of the instruction
    hi: Bits<32>,
    /// what it is, decoded
    kind: Bits<21>,
}
