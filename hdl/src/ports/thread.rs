//! Between dispatchers and cores: acquires, launches and ends of warps.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// The dispatcher acquires a semaphore on behalf of a thread.
#[bundle(stream, what = "acquire of the dispatcher")]
pub struct ThreadAcquire {
    /// kind 1:0 = 0, auto-release 2, acknowledge-suppress 3, completion wanted 4, place of the
    /// thread 7:5
    head: Bits<16>,
    /// semaphore 15:0, thread 31:16
    body: Bits<32>,
}

/// An acquire of the dispatcher has succeeded.
#[bundle(flow, what = "acknowledged acquire")]
pub struct AcquireDone {
    /// tag of the acquire
    tag: Bits<3>,
    /// the acquire has acknowledge-suppress
    suppress: bool,
}

/// A warp has ended.
#[bundle(flow, what = "end of a warp")]
pub struct WarpEnd {
    /// number of its unit
    unit: Bits<6>,
    /// warp slot in the unit
    warp: Bits<4>,
}

/// A warp of graphics is launched.
#[bundle(flow, what = "launch of a graphics warp")]
pub struct GraphicsStart {
    /// its unit, by its number in the machine
    unit: Bits<6>,
    /// warp slot in the unit
    warp: Bits<4>,
    /// lanes that start
    mask: Bits<4>,
    /// program counter at which they start
    pc: Bits<16>,
    /// triangle's number in the frame, of a fragment
    order: Bits<16>,
}

/// A warp slot that is free for a group.
#[bundle(what = "offered slot")]
pub struct SlotOffer {
    /// there is a free slot or window
    offer: bool,
    /// its unit, by its number in the machine
    offer_unit: Bits<6>,
    /// slot; of a window, the first one
    offer_warp: Bits<4>,
}

/// Where a launched warp stands.
#[bundle(what = "place of a launched warp")]
pub struct WarpPlace {
    /// number of the unit
    launch_unit: Bits<6>,
    /// number of the warp in its group
    launch_warp_in_group: Bits<8>,
    /// the window's number in the unit, or the slot
    launch_group_slot: Bits<4>,
}

/// A pass begins or ends.
#[bundle(what = "pass")]
pub struct PassEdge {
    /// a pass begins: its record went out
    begin_pass: bool,
    /// the pass ends: all its tiles are to be written
    end_pass: bool,
}
