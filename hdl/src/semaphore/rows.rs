//! Words of the semaphore entity's memories: each format once, for who writes and who reads it.
//! Entries are numbers of 12 bits, threads of 16. All unused bits are 0.

use crate::fields;

fields! {
    /// Row of the table's first half: the list of a semaphore.
    pub(super) trait ListRow: 32 {
        /// The last entry; without tail pointers nobody reads it.
        tail: 12 @ 0,
        /// The first entry: its thread owns the semaphore.
        head: 12 @ 12,
        /// The list has one entry.
        single: bit @ 24,
        /// The list has an entry.
        nonempty: bit @ 25,
    }
}

fields! {
    /// Row of the table's second half: what the removal of the head needs at once.
    pub(super) trait HeadRow: 32 {
        /// The head's thread.
        owner: 16 @ 0,
        /// The entry behind the head, if there is one.
        behind: 12 @ 16,
    }
}

fields! {
    /// Row of the pool: an entry.
    pub(super) trait EntryRow: 32 {
        /// Its thread.
        thread: 16 @ 0,
        /// Release status: the thread has released, and the entry goes when it is at the head.
        released: bit @ 16,
        /// Acknowledge-suppress.
        suppress: bit @ 17,
    }
}

fields! {
    /// Row of the links: what is behind an entry.
    pub(super) trait LinkRow: 32 {
        /// The next entry.
        link: 12 @ 0,
        /// There is one.
        more: bit @ 12,
    }
}

fields! {
    /// Row of the previous pointers.
    pub(super) trait BackRow: 32 {
        /// The entry before.
        before: 12 @ 0,
    }
}

fields! {
    /// An acknowledgement that waits for its port.
    pub(super) trait Acknowledgement: 32 {
        /// The semaphore.
        ack_sem: 16 @ 0,
        /// The thread at its head.
        ack_thread: 16 @ 16,
    }
}
