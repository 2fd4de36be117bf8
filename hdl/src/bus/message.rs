//! A message of the bus: its two words, each format once.

use crate::fields;

fields! {
    /// Kind and flags. All flags but those named belong to ACQ_MSG.
    pub(crate) trait Head: 16 {
        /// 0 ACQ_MSG, 1 REL_MSG, 2 ACK_MSG.
        message: 2 @ 0,
        /// Auto-release.
        auto: bit @ 2,
        /// Acknowledge-suppress.
        suppress: bit @ 3,
        /// The sender wants the completion signal.
        notify: bit @ 4,
        /// Comes back with the completion signal.
        tag: 3 @ 5,
    }
}

fields! {
    /// Whom it is about.
    pub(crate) trait Body: 32 {
        /// Semaphore.
        sem: 16 @ 0,
        /// Thread.
        thread: 16 @ 16,
    }
}

fields! {
    /// The same with the thread's number in its parts: unit and warp slot. A unit's number has six
    /// bits, so what is above is clear in a message.
    pub(crate) trait Origin: 32 {
        /// Semaphore.
        sem: 16 @ 0,
        /// Warp slot of the thread.
        warp: 4 @ 16,
        /// Unit of the thread.
        unit: 6 @ 20,
        /// Only in the row controller's queue: auto-release.
        queued_auto: bit @ 26,
    }
}
