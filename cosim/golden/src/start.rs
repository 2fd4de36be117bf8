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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::semaphores::{Message, MessageKind};

    /// As the RTL's entity does (`formal/entity_start.sv`); shared storage stays.
    #[test]
    fn a_start_forgets_who_owns_a_semaphore() {
        let mut golden = Golden::new(Config::default(), vec![], vec![], Memory::new(0x1000));
        let kind = MessageKind::Acquire { auto_release: false, suppress: false };
        golden.semaphores.apply(&Message { kind, semaphore: 5, thread: 3 });
        golden.shared[0].write(1, 7);
        assert_eq!(golden.semaphores.owner(5), Some(3));
        let again = golden.started_again(vec![], vec![], Memory::new(0x1000));
        assert_eq!((again.semaphores.owner(5), again.shared[0].read(1)), (None, 7));
    }
}
