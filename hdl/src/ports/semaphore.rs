//! What warps say to the semaphore entity, and what the entity does.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A message of a warp on its way to the bus.
#[bundle(what = "message to the semaphore entity")]
pub struct SemaphoreMessage {
    /// the bundle holds one in this cycle
    valid: bool,
    /// it is taken in this cycle if valid
    #[back]
    ready: bool,
    /// 0 acquire, 1 acquire with auto-release, 3 release
    kind: Bits<2>,
    /// warp slot that sends it
    warp: Bits<4>,
    /// semaphore
    sem: Bits<16>,
}

/// An operation of the semaphore entity on a list.
#[bundle(what = "operation on a semaphore's list", event = "op")]
pub struct ListOperation {
    /// a message had its effect
    valid: bool,
    /// 0 appended, 1 head removed, 2 release status set, 3 acquired and released at once, 4
    /// protocol error
    kind: Bits<3>,
    /// its semaphore
    sem: Bits<16>,
    /// thread of the entry; of an error, of the message
    thread: Bits<16>,
    /// the entry; of an error, its reason: 1 the thread is not in the list (option A: not the
    /// owner), 2 it has released before, 3 no such semaphore
    entry: Bits<12>,
}
