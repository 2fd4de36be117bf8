//! Words of the memories of semaphore entity and waiting room: each format once, for who writes and
//! who reads it. Entries are numbers of 12 bits, threads of 16. All unused bits are 0.

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

fields! {
    /// An acquire that waits for an entry. Its semaphore exists: those that do not are tried at
    /// once.
    pub(super) trait WaitingMessage: 32 {
        /// Its semaphore.
        sem: 10 @ 0,
        /// The thread that wants it.
        thread: 16 @ 10,
        /// Comes back with the completion signal.
        tag: 3 @ 26,
        /// The sender wants the completion signal.
        notify: bit @ 29,
        /// With auto-release.
        auto: bit @ 30,
        /// With acknowledge-suppress.
        suppress: bit @ 31,
    }
}

fields! {
    /// Which of its semaphore's acquires one that waits is.
    pub(super) trait TicketRow: 32 {
        /// Its ticket.
        ticket: 13 @ 0,
    }
}

fields! {
    /// A semaphore's tickets. Nobody waits for it if the two are the same.
    pub(super) trait TurnRow: 32 {
        /// The ticket that is due.
        due: 13 @ 0,
        /// The ticket of the next acquire that waits.
        next: 13 @ 13,
    }
}
