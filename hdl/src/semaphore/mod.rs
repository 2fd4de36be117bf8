//! Active semaphores (`SE-10` to `SE-25`): the entity that keeps a list of waiting threads per
//! semaphore and tells a thread by message that it owns one.

pub mod entity;
pub mod pool;
mod rows;
pub mod thread_view;
pub mod waiting_room;

pub use entity::SemaphoreEntity;
pub use thread_view::ThreadView;
pub use waiting_room::WaitingRoom;

crate::blocks! {
    "semaphore_entity" "semaphore/entity.rs" "SemaphoreEntity" "semaphore entity"
        |c| SemaphoreEntity::new(c);
    "waiting_room" "semaphore/waiting_room.rs" "WaitingRoom" "waiting room of the semaphore entity"
        |c| WaitingRoom::new(c);
    "entry_pool" "semaphore/pool.rs" "EntryPool" "free list of the semaphore entity"
        |c| pool::EntryPool::new(&c.semaphores);
    "thread_view" "semaphore/thread_view.rs" "ThreadView" "state of each thread of a unit, for waves"
        |c| ThreadView::new(c);
}
