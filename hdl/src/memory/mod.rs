//! The memory system: load/store/atomic pipeline, scalar execution unit, shared storage, arbiters.
//! See `docs/blocks/lsa.md`, `scalar-unit.md`, `shared-storage.md`, `memory-arbiter.md`.

pub mod arbiter;
pub mod atomic;
pub mod lsa;
pub mod lutram;
pub mod number_queue;
pub mod response_queue;
pub mod scalar_unit;
pub mod shared;
pub mod sources;

pub use arbiter::{MemoryArbiter, UnitArbiter};
pub use atomic::AtomicAlu;
pub use lsa::Lsa;
pub use lutram::LutRam;
pub use number_queue::NumberQueue;
pub use response_queue::ResponseQueue;
pub use scalar_unit::ScalarUnit;
pub use shared::SharedStorage;
