//! A warp starts: what it begins with, and the event that says so.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// What a warp begins with.
#[bundle(flow, what = "warp launch")]
pub struct Launch {
    /// warp slot in the unit
    warp: Bits<4>,
    /// lanes that start; the others are ended
    mask: Bits<4>,
    /// program counter at which the lanes start
    pc: Bits<16>,
    /// acknowledgements that the warp waits for from the start, for acquires made on the thread's
    /// behalf
    wait: Bits<4>,
    /// work group's number in x
    group_x: Bits<32>,
    /// work group's number in y
    group_y: Bits<32>,
    /// work group's number in z
    group_z: Bits<32>,
    /// first warp slot of the work group
    first: Bits<4>,
    /// warps of the work group
    warps: Bits<5>,
    /// word of shared storage at which the work group's begins
    shared_base: Bits<16>,
    /// number of lane # in the work group, 10 bits each for x, y, z
    local_id: [Bits<30>; 4],
    /// number of lane # in the work group
    index: [Bits<10>; 4],
}

/// A warp was placed into a slot.
#[bundle(what = "warp launch", event = "launch")]
pub struct Launched {
    /// the bundle holds one in this cycle
    valid: bool,
    /// number of the warp unit
    unit: Bits<6>,
    /// warp slot in the unit
    warp: Bits<4>,
    /// lanes that start; the others are ended
    mask: Bits<4>,
    /// program counter at which the lanes start
    pc: Bits<16>,
    /// acknowledgements that the warp waits for from the start
    wait: Bits<4>,
    /// work group's number in x
    group_x: Bits<32>,
    /// work group's number in y
    group_y: Bits<32>,
    /// work group's number in z
    group_z: Bits<32>,
    /// number of the warp in its work group
    warp_in_group: Bits<8>,
    /// group slot of a pinned group, warp slot of a free warp
    group_slot: Bits<4>,
}

impl Launched {
    /// Number of the work group in x, y, z.
    pub fn group(&self) -> [u32; 3] {
        [self.group_x, self.group_y, self.group_z]
    }

    /// The same of that work group.
    pub fn with_group(self, [group_x, group_y, group_z]: [u32; 3]) -> Self {
        Self { group_x, group_y, group_z, ..self }
    }
}
