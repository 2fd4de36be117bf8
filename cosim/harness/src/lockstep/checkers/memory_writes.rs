//! Memory writes, byte for byte: the write transactions at the core's memory port and in each
//! unit's shared storage, in order, against what the model wrote. A store is one transaction per
//! line that it touches, with exactly the stored bytes enabled; an atomic is one per active lane, a
//! warp-wide one a single one, in order of lane. Each core's writes are in the order of its
//! instructions, so there is a queue per core. While an atomic is between its read and its write no
//! other core may access its line. A write that no instruction accounts for is found at the next
//! store of that memory or at the end.

use std::collections::{BTreeMap, VecDeque};

use quadlock_golden::{Effect, MemEffect, MemKind};
use quadlock_isa::abi::{LANES, LINE_BYTES};

use super::checker::{Checker, Context};
use crate::lockstep::finding::{Check, Compare, Concern, Finding, Name, Value, What};
use crate::lockstep::sequencer::Completed;
use crate::lockstep::witness::Step;
use crate::machine::lanes::lanes;
use crate::machine::memory::WriteRecord;
use crate::machine::ports::{core_of, SharedWriteEvent};

/// Writes seen and not yet accounted for.
#[derive(Clone, Default)]
pub struct MemoryChecker {
    /// By core.
    global: BTreeMap<usize, VecDeque<WriteRecord>>,
    shared: BTreeMap<usize, VecDeque<WriteRecord>>,
    /// Of each core whose atomic is between its read and its write, the line.
    locked: BTreeMap<usize, u32>,
}

/// One write transaction: the enabled bytes of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    addr: u32,
    mask: u16,
    /// Zero where not enabled.
    bytes: [u8; LINE_BYTES as usize],
}

/// The transactions of one instruction: at most one per lane.
type Lines = ([Line; LANES], usize);

impl Line {
    fn of(write: &WriteRecord) -> Self {
        let mut line = Self { addr: write.addr, mask: write.mask, ..Self::default() };
        for (i, byte) in line.bytes.iter_mut().enumerate().filter(|(i, _)| write.mask >> i & 1 == 1) {
            *byte = (write.data[i / 4] >> (8 * (i % 4))) as u8;
        }
        line
    }

    fn set(&mut self, addr: u32, value: u8) {
        let i = (addr % LINE_BYTES) as usize;
        self.mask |= 1 << i;
        self.bytes[i] = value;
    }

    fn map(&self) -> BTreeMap<u32, u8> {
        let enabled = (0..LINE_BYTES).filter(|i| self.mask >> i & 1 == 1);
        enabled.map(|i| (self.addr.wrapping_add(i), self.bytes[i as usize])).collect()
    }
}

/// The transactions that an instruction must cause. A store's may come in any order of lines.
fn expected(mem: &MemEffect, effective: impl Fn(u32) -> u32) -> Lines {
    let mut lines = [Line::default(); LANES];
    let mut count = 0;
    match mem.kind {
        MemKind::Load => {}
        MemKind::Store => {
            // Sorted by address: the bytes of a line stand together.
            for &(addr, value) in &mem.writes {
                let line = addr & !(LINE_BYTES - 1);
                if count == 0 || lines[count - 1].addr != line {
                    lines[count] = Line { addr: line, ..Line::default() };
                    count += 1;
                }
                lines[count - 1].set(addr, value);
            }
        }
        MemKind::Atomic(_) => {
            for lane in lanes(mem.performers) {
                let base = effective(mem.addr[lane]);
                lines[count].addr = base & !(LINE_BYTES - 1);
                for i in 0..u32::from(mem.bytes) {
                    lines[count].set(base.wrapping_add(i), (mem.new[lane] >> (8 * i)) as u8);
                }
                count += 1;
            }
        }
    }
    (lines, count)
}

fn compare(mut expected: Lines, mut seen: Lines, any_order: bool) -> Check {
    let (expected, seen) = (&mut expected.0[..expected.1], &mut seen.0[..seen.1]);
    if any_order {
        expected.sort_unstable();
        seen.sort_unstable();
    }
    if expected == seen {
        return Ok(());
    }
    let mut c = Compare::default();
    for (e, s) in expected.iter().zip(seen.iter()).filter(|(e, s)| e != s) {
        let (e, s) = (e.map(), s.map());
        let all: std::collections::BTreeSet<u32> = e.keys().chain(s.keys()).copied().collect();
        for addr in all {
            let byte = |v: Option<u8>| v.map_or(Value::NotWritten, Value::Byte);
            c.field(Name::Byte(addr), e.get(&addr).copied(), s.get(&addr).copied(), byte);
        }
    }
    c.finish(What::BytesDiffer)
}

impl Checker for MemoryChecker {
    fn concern(&self) -> Concern {
        Concern::Memory
    }

    fn copy(&self) -> Box<dyn Checker> {
        Box::new(self.clone())
    }

    fn memory_write(&mut self, write: WriteRecord) {
        let core = write.source.and_then(core_of).unwrap_or(0);
        self.global.entry(core).or_default().push_back(write);
    }

    fn shared_write(&mut self, cycle: u64, unit: usize, write: SharedWriteEvent) {
        let SharedWriteEvent { addr, mask, data } = write;
        let addr = u32::from(addr) & !(LINE_BYTES - 1);
        self.shared.entry(unit).or_default().push_back(WriteRecord { cycle, addr, mask, data, source: None });
    }

    fn completed(&mut self, done: &Completed, effect: &Effect, _steps: &[Step], cx: &Context) -> Check {
        let Some(mem) = &effect.mem else { return Ok(()) };
        let memory = if mem.shared { cx.golden.shared(effect.unit) } else { cx.golden.memory() };
        let expected = expected(mem, |addr| memory.effective(addr, mem.bytes));
        if expected.1 == 0 {
            return Ok(());
        }
        let queue = match mem.shared {
            true => self.shared.entry(done.unit).or_default(),
            false => self.global.entry(cx.config.core_of_unit(done.unit)).or_default(),
        };
        if queue.len() < expected.1 {
            return Finding::err(What::WritesMissing { seen: queue.len(), expected: expected.1 });
        }
        let mut seen = ([Line::default(); LANES], expected.1);
        for (line, write) in seen.0.iter_mut().zip(queue.drain(..expected.1)) {
            *line = Line::of(&write);
        }
        compare(expected, seen, mem.kind == MemKind::Store)
    }

    fn performed(
        &mut self,
        (core, line, write): (usize, u32, bool),
        _done: &Completed,
        effect_is_atomic: bool,
        _cx: &Context,
    ) -> Check {
        if let Some((&other, _)) = self.locked.iter().find(|&(&c, &l)| c != core && l == line) {
            return Finding::err(What::Locked { core, line, other });
        }
        match (effect_is_atomic, write) {
            (true, false) => drop(self.locked.insert(core, line)),
            (true, true) => drop(self.locked.remove(&core)),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _cx: &Context) -> Check {
        let left = self.global.values().flatten().map(|w| (None, w));
        let shared = self.shared.iter().flat_map(|(&u, q)| q.iter().map(move |w| (Some(u), w)));
        match left.chain(shared).next() {
            Some((unit, w)) => Finding::err(What::ForeignWrite { unit, addr: w.addr, cycle: w.cycle }),
            None => Ok(()),
        }
    }
}
