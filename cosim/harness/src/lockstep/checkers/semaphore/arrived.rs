//! Messages that were transferred on the bus, and who sends and receives there.

use quadlock_golden::semaphores::{Message, SLOTS_PER_UNIT};

/// Senders and receivers of the bus, and where threads are.
#[derive(Clone, Copy)]
pub struct Layout {
    pub rows: usize,
    /// By row: units up to its last one.
    pub ends: [usize; MOST_ROWS],
}

/// Rows of the largest machine.
pub const MOST_ROWS: usize = 4;

impl Layout {
    pub fn row_of(self, thread: u16) -> usize {
        let unit = usize::from(thread) / SLOTS_PER_UNIT;
        self.ends[..self.rows].iter().filter(|&&end| unit >= end).count()
    }
}

/// A message that was transferred to the entity.
#[derive(Clone, Copy)]
pub struct Arrived {
    pub cycle: u64,
    pub id: u64,
    pub message: Message,
    /// Thread of the list whose request it is, if the dispatcher sent it.
    pub request: Option<usize>,
}
