//! The verdict of a run, the same on every engine.

use serde::{Deserialize, Serialize};

/// The verdict of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It ended, machine and model agreed, and the outputs are right.
    #[default]
    Pass,
    /// Machine and model differ.
    Mismatch,
    /// It did not come to its end.
    Hang,
    /// The program accessed memory outside its buffers.
    MemoryFault,
    /// The program trapped.
    Trap,
    /// The program used semaphores (SE-25), locks or registers (MS-22) wrongly, or ended without
    /// releasing a semaphore.
    ProtocolError,
    /// Machine and model agree, but an output is not what the job expects.
    WrongOutput,
    /// The simulator failed.
    EngineFailure,
}
