//! In the warp unit: its contexts, instruction cache, scheduler and register file.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A fetched instruction, decoded.
#[bundle(what = "fetched instruction")]
pub struct FilledInstruction {
    /// instruction word, bits 31:0
    fill_lo: Bits<32>,
    /// instruction word, bits 63:32
    fill_hi: Bits<32>,
    /// registers that must not be pending, one bit each
    fill_need: Bits<32>,
    /// registers it makes pending, one bit each
    fill_sets: Bits<32>,
    /// decoded kind, bits as listed in hdl/src/warp/mod.rs
    fill_kind: Bits<21>,
}

/// The values with which the context of a warp begins.
#[bundle(what = "start of a warp")]
pub struct WarpStart {
    /// lanes that start; the others are ended
    launch_mask: Bits<4>,
    /// counter at which the lanes start
    launch_pc: Bits<16>,
    /// acknowledgements that will come for it
    launch_wait: Bits<4>,
}

/// Where a result is written.
#[bundle(what = "register write")]
pub struct RegisterWrite {
    /// warp slot that is written
    write_warp: Bits<4>,
    /// register that is written
    write_register: Bits<5>,
    /// lanes that are written
    write_mask: Bits<4>,
}

/// Where a result is written in the bank of odd registers.
#[bundle(what = "register write in the second bank")]
pub struct OddRegisterWrite {
    /// warp slot that is written in the bank of odd registers
    odd_warp: Bits<4>,
    /// register that is written in the odd bank
    odd_register: Bits<5>,
    /// lanes that are written in the odd bank
    odd_mask: Bits<4>,
}

/// What the scheduler chooses from, one bit for each slot.
#[bundle(what = "states of warp slots")]
pub struct SlotStates {
    /// bit s: the buffered instruction of slot s can issue
    ready: Bits<16>,
    /// slots whose wait for a semaphore has ended and that have not issued since
    woken: Bits<16>,
    /// bit s: the next instruction of slot s is decoded
    occupied: Bits<16>,
    /// bit s: slot s has a lane that runs
    running: Bits<16>,
    /// bit s: slot s waits for acknowledgements
    waits: Bits<16>,
}

/// Place of the code in memory.
#[bundle(what = "code")]
pub struct CodePlace {
    /// byte address of instruction 0
    base: Bits<32>,
    /// instructions of the program
    length: Bits<32>,
}

/// A warp begins in a slot.
#[bundle(what = "launched slot")]
pub struct WarpBegins {
    /// a warp is launched in this cycle
    launch: bool,
    /// its slot
    launch_warp: Bits<4>,
}

/// What the context of a warp that may split begins with.
#[bundle(what = "start of a warp that may split")]
pub struct SplitStart {
    /// launch: it is of a group that splits
    launch_splits: bool,
    /// launch: its number there
    launch_rank: Bits<2>,
    /// launch: other members of the group
    launch_others: Bits<2>,
    /// launch: lanes that its own sample covers
    launch_after: Bits<4>,
}

/// A warp of a unit of the core is launched.
#[bundle(what = "launch in a core")]
pub struct UnitLaunch {
    /// a warp is launched in this cycle
    launch: bool,
    /// its unit in the core
    launch_unit: Bits<3>,
    /// its slot
    launch_warp: Bits<4>,
}

/// A step for the second half of an attribute unit.
#[bundle(stream, what = "step of an attribute unit")]
pub struct AttributeJob {
    /// head of its first beat
    head: Bits<32>,
    /// BARY, ATTR, ATTR of word 63, ATTR.FLAT; none: it only completes
    bary: bool,
    /// ATTR of a varying, or of word 63
    attr: bool,
    /// the fourth register is a word, not the comparison
    words: bool,
    /// ATTR.FLAT
    flat: bool,
    /// one answer is for all lanes
    same: bool,
    /// place of each lane in eighths of a pixel, to the right
    #[vector]
    x: [Bits<15>; 4],
    /// place of each lane in eighths of a pixel, down
    #[vector]
    y: [Bits<15>; 4],
}
