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
