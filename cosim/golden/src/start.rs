//! A start of a machine that has run before: what it finds, and what is new (docs/machine.md,
//! "Starts"). Wrong would be a register, a word of shared storage or a semaphore that a start
//! changes: no start of the machine does.

use crate::memory::Memory;
use crate::model::Golden;

impl Golden {
    /// The machine after this run, with another program, constant bank and memory. Registers,
    /// shared storage, semaphores and the numbers of instructions stay as they are. What a run
    /// counts begins again.
    ///
    /// No warp may be resident: the run has come to its end.
    pub fn started_again(self, code: Vec<u64>, consts: Vec<u32>, memory: Memory) -> Self {
        let Self { config, warps, shared, semaphores, spare, .. } = self;
        Self { warps, shared, semaphores, spare, ..Self::new(config, code, consts, memory) }
    }
}
