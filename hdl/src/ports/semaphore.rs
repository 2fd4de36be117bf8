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

/// A thread acquires a semaphore.
#[bundle(stream, what = "acquire")]
pub struct SemaphoreAcquire {
    /// its semaphore
    sem: Bits<16>,
    /// the thread that wants it
    thread: Bits<16>,
    /// with auto-release
    auto: bool,
    /// with acknowledge-suppress
    suppress: bool,
    /// the sender wants the completion signal
    notify: bool,
    /// comes back with it
    tag: Bits<3>,
    /// it is tried and takes no entry: it has its effect if it needs none, else it is refused
    bare: bool,
    /// the one that was tried needs an entry; it had no effect
    #[back]
    refused: bool,
}
