//! A start of a machine that has run before: what it finds, and what is new (docs/machine.md,
//! "Starts"). Wrong would be a register or a word of shared storage that a start changes: no start
//! of the machine does. Lists of semaphores are empty at each.

use crate::memory::Memory;
use crate::model::Golden;

impl Golden {
    /// The machine after this run, with another program, constant bank and memory. Registers,
    /// shared storage and the numbers of instructions stay as they are. Nobody owns a semaphore,
    /// and what a run counts begins again.
    ///
    /// No warp may be resident: the run has come to its end.
    pub fn started_again(self, code: Vec<u64>, consts: Vec<u32>, memory: Memory) -> Self {
        let Self { config, warps, shared, spare, .. } = self;
        Self { warps, shared, spare, ..Self::new(config, code, consts, memory) }
    }
}
