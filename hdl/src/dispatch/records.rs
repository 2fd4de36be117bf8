//! Words of the thread list and of its set-up: each format once, for who writes and who reads it.

use crate::fields;

fields! {
    /// First word of a thread's record in the list.
    pub(super) trait Thread: 32 {
        /// Its first instruction.
        pc: 16 @ 0,
        /// Active lanes; none: no thread.
        mask: 4 @ 16,
        /// Requests that follow.
        count: 4 @ 20,
    }
}

fields! {
    /// A request of a record: an acquire that the dispatcher sends for the thread.
    pub(super) trait ListRequest: 32 {
        /// Semaphore.
        wanted: 16 @ 0,
        /// Auto-release.
        auto: bit @ 16,
        /// Acknowledge-suppress.
        suppress: bit @ 17,
    }
}

fields! {
    /// What stage B of the set-up must know of a thread that A is through with.
    pub(super) trait Handed: 32 {
        /// Requests.
        requests: 4 @ 10,
        /// It is no thread.
        skip: bit @ 14,
        /// Lines of requests.
        lines: 3 @ 15,
        /// Acknowledgements that will come.
        wait: 4 @ 18,
        /// Unit and warp slot.
        slot: 10 @ 22,
    }
}
