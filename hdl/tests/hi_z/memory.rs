//! Memory beside the visibility unit: answers come in order, late at random, and the port is not
//! always free. It is wrong if it answers what was not asked; it refuses what is not in the area.

use std::collections::{BTreeMap, VecDeque};
use std::ops::{Deref, DerefMut};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::Machine;

/// Byte address of the area.
pub(crate) const AREA: u64 = 0x4_0000;
/// Its bytes: 16 by 9 groups.
const BYTES: u64 = 16 * 9 * 8;

struct Memory {
    lines: BTreeMap<u64, [u64; 4]>,
    /// What is to be answered, in order, and cycles until then.
    answers: VecDeque<([u64; 4], u32)>,
    rng: ChaCha8Rng,
    read: u64,
    written: u64,
}

/// A machine and its memory, if it has one.
pub(crate) struct Served {
    machine: Machine,
    memory: Option<Memory>,
}

impl Served {
    pub(crate) fn new(machine: Machine, memory: bool) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(99);
        let memory =
            memory.then(|| Memory { lines: BTreeMap::new(), answers: VecDeque::new(), rng, read: 0, written: 0 });
        Self { machine, memory }
    }

    /// Lines that were read, and written.
    pub(crate) fn lines(&self) -> [u64; 2] {
        self.memory.as_ref().map_or([0; 2], |memory| [memory.read, memory.written])
    }

    /// A cycle after [`Machine::settle`], and memory's.
    pub(crate) fn cycle(&mut self) {
        let (m, Some(memory)) = (&mut self.machine, &mut self.memory) else { return self.machine.cycle() };
        let ready = memory.rng.random_range(0..3) > 0;
        m.set("m_req_ready_0", ready.into());
        m.set("m_rsp_valid_0", 0);
        if let Some(oldest) = memory.answers.front_mut() {
            oldest.1 = oldest.1.saturating_sub(1);
            if oldest.1 == 0 {
                let (line, _) = memory.answers.pop_front().unwrap();
                m.set("m_rsp_valid_0", 1);
                for (k, word) in line.into_iter().enumerate() {
                    m.set(&format!("m_rsp_data{k}_0"), word);
                }
            }
        }
        m.settle();
        if m.get("m_req_valid_0") == 1 && ready {
            let at = m.get("m_req_addr_0");
            assert!(at % 16 == 0 && (AREA..AREA + BYTES).contains(&at), "{at:#x} is not in the area");
            let line = memory.lines.entry(at).or_default();
            let before = *line;
            if m.get("m_req_write_0") == 1 {
                memory.written += 1;
                let mask = m.get("m_req_mask_0");
                assert!([0xFF, 0xFF00].contains(&mask), "a record is written: {mask:#x}");
                for k in (0..4).filter(|k| mask >> (4 * k) & 15 == 15) {
                    line[k] = m.get(&format!("m_req_data{k}_0"));
                }
            } else {
                memory.read += 1;
            }
            memory.answers.push_back((before, memory.rng.random_range(1..12)));
        }
        m.cycle();
        m.set("m_req_ready_0", 0);
        m.set("m_rsp_valid_0", 0);
    }

    /// A word of state; memory rests.
    pub(crate) fn state(&mut self, pass: bool, context: usize, word: u64, data: u64) {
        self.machine.state(pass, context, word, data);
    }
}

impl Deref for Served {
    type Target = Machine;
    fn deref(&self) -> &Machine {
        &self.machine
    }
}

impl DerefMut for Served {
    fn deref_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }
}
