//! Active semaphores (`SE-10` to `SE-25`): the entity that keeps a list of waiting threads per semaphore and tells a thread by message that it owns one.

pub mod entity;
pub mod pool;
pub mod thread_view;
pub mod waiting_room;

pub use entity::SemaphoreEntity;
pub use thread_view::ThreadView;
pub use waiting_room::WaitingRoom;

/// How the message bus joins its senders and receivers (`SE-2`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BusKind {
    /// Every receiver takes a message per cycle.
    #[default]
    Crossbar,
    /// One message per cycle in all.
    Shared,
}

/// Build parameters of the semaphore entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreConfig {
    /// Semaphores: a power of two, 4 to 1024.
    pub semaphores: usize,
    /// Entries of the buffer pool, shared by all lists: a power of two, 4 to 4096.
    pub pool: usize,
    /// Entries carry a previous pointer, and a release is searched for from the tail (needs `tail_pointers`).
    pub double_links: bool,
    /// The table carries a tail pointer; without it an append walks the list.
    pub tail_pointers: bool,
    /// Option B of SE-22: any thread of the list may release. Else option A: only the owner.
    pub any_may_release: bool,
}

impl Default for SemaphoreConfig {
    fn default() -> Self {
        Self { semaphores: 64, pool: 256, double_links: false, tail_pointers: true, any_may_release: true }
    }
}

impl SemaphoreConfig {
    /// The first parameter out of its range, in words.
    pub fn check(&self) -> Result<(), String> {
        for (name, value, high) in [("semaphores", self.semaphores, 1024), ("semaphore-pool", self.pool, 4096)] {
            if !(4..=high).contains(&value) || !value.is_power_of_two() {
                return Err(format!("{name} = {value}: a power of two from 4 to {high} is needed"));
            }
        }
        Ok(())
    }
}
