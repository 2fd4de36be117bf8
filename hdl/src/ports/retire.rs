//! The retire event: one instruction of a warp leaves the lanes (`docs/blocks/retire.md`).

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// An instruction that retires. A value of an inactive lane is not defined.
#[bundle(what = "retired instruction", event = "ret")]
pub struct Retire {
    /// the bundle holds one in this cycle
    valid: bool,
    /// warp slot in the unit
    warp: Bits<4>,
    /// sequence number of the instruction in its warp, modulo 256
    seq: Bits<8>,
    /// active lanes
    mask: Bits<4>,
    /// program counter, an instruction index
    pc: Bits<16>,
    /// instruction word, bits 31:0
    lo: Bits<32>,
    /// instruction word, bits 63:32
    hi: Bits<32>,
    /// the instruction trapped
    trap: bool,
    /// a memory instruction: values are addresses, completion follows
    mem: bool,
    /// a register is written
    wen: bool,
    /// destination register, the first of several
    dst: Bits<5>,
    /// value of lane #
    value: [Bits<32>; 4],
    /// program counter of lane # afterwards
    next: [Bits<16>; 4],
}

impl Retire {
    /// The instruction word.
    pub fn word(&self) -> u64 {
        u64::from(self.hi) << 32 | u64::from(self.lo)
    }

    /// The same with that instruction word.
    pub fn with_word(self, word: u64) -> Self {
        Self { lo: word as u32, hi: (word >> 32) as u32, ..self }
    }
}
