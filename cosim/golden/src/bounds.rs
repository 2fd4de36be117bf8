//! Stores and atomics outside the regions that the host names, when the model runs alone. The
//! machine has no rule about that: memory is flat, and whatever is mapped may be written. A job
//! knows its buffers, and a store beside them is a mistake that changes nothing that anyone
//! compares.
//!
//! Such a store is counted and has no effect. Failure mode: a region that the program may write and
//! that is not named, as of stacks: then right programs are blamed. It would be wrong to confine a
//! model that follows a machine: there the machine's stores have their effect.

use crate::access::Access;
use crate::effect::MemoryFault;
use crate::lanes::lanes_of;
use crate::memory::Memory;
use crate::warp::Warp;

/// What was stored outside the regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strays {
    /// Stores and atomics in global memory, each lane's counted.
    pub all: u64,
    /// Those of them outside every region.
    pub outside: u64,
    /// The first of these.
    pub first: Option<MemoryFault>,
}

/// The regions, and what has been seen.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// First byte address, and bytes.
    regions: Vec<(u32, u32)>,
    pub seen: Strays,
}

impl Bounds {
    pub fn new(regions: Vec<(u32, u32)>) -> Self {
        Self { regions, seen: Strays::default() }
    }

    fn has(&self, addr: u32, bytes: u8) -> bool {
        let (first, end) = (u64::from(addr), u64::from(addr) + u64::from(bytes));
        self.regions.iter().any(|&(at, size)| first >= u64::from(at) && end <= u64::from(at) + u64::from(size))
    }

    /// The performing lanes of a store or an atomic that stay inside; the others are counted.
    pub fn inside(&mut self, slot: &Warp, pc: u16, access: &Access, memory: &Memory) -> u8 {
        let bytes = access.form.bytes;
        let mut inside = 0;
        for lane in lanes_of(access.performers) {
            self.seen.all += 1;
            let addr = memory.effective(access.addr[lane], bytes);
            if self.has(addr, bytes) {
                inside |= 1 << lane;
                continue;
            }
            self.seen.outside += 1;
            let (unit, warp) = (slot.launch.unit, slot.launch.warp);
            self.seen.first.get_or_insert(MemoryFault { unit, warp, lane, pc, addr, bytes, write: true });
        }
        inside
    }
}
