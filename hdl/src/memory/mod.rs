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

crate::blocks! {
    "lsa" "memory/lsa/mod.rs" "Lsa" "load/store/atomic pipeline" |c| Lsa::new(c);
    "lsa_accept" "memory/lsa/accept.rs" "Accept" "decoding of an instruction that the pipeline accepts"
        |c| lsa::accept::Accept::new(c);
    "lsa_cut" "memory/lsa/cut.rs" "Cut" "next line transaction of the pipeline"
        |c| lsa::cut::Cut::new(c);
    "lsa_unpack" "memory/lsa/unpack.rs" "Unpack" "extraction of one register per lane from a line"
        |c| lsa::unpack::Unpack::new(c);
    "atomic_alu" "memory/atomic.rs" "AtomicAlu" "arithmetic of the atomics" |c| AtomicAlu::new(c);
    "scalar_unit" "memory/scalar_unit.rs" "ScalarUnit" "scalar execution unit of a core"
        |c| ScalarUnit::new(c);
    "shared_storage" "memory/shared.rs" "SharedStorage" "shared storage of a unit"
        |c| SharedStorage::new(c);
    "unit_arbiter" "memory/arbiter.rs" "UnitArbiter" "arbiter of the units' memory instructions"
        |c| UnitArbiter::new(c);
    "memory_arbiter" "memory/arbiter.rs" "MemoryArbiter" "arbiter of the memory port"
        |c| MemoryArbiter::new(c);
    "response_queue" "memory/response_queue.rs" "ResponseQueue" "queue of responses for a busy core"
        |_c| ResponseQueue::new();
    "number_queue" "memory/number_queue.rs" "NumberQueue" "free numbers in order of arrival"
        |c| NumberQueue::new(c, 64, 12, 64);
    "lutram" "memory/lutram.rs" "LutRam" "small RAM with asynchronous read" |_c| LutRam::default();
}
