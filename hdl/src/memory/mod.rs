//! The memory system: load/store/atomic pipeline, shared storage, arbiters. See `docs/blocks/lsa.md`, `shared-storage.md`, `memory-arbiter.md`.

pub mod arbiter;
pub mod atomic;
pub mod lsa;
pub mod lutram;
pub mod response_queue;
pub mod shared;

pub use arbiter::{MemoryArbiter, UnitArbiter};
pub use atomic::AtomicAlu;
pub use lsa::Lsa;
pub use lutram::LutRam;
pub use response_queue::ResponseQueue;
pub use shared::SharedStorage;
