//! Memory writes, byte for byte: the write transactions at the core's memory port and in each unit's shared storage, in order, against what the
//! model wrote. A store is one transaction per line that it touches, with exactly the stored bytes enabled; an atomic is one per active lane,
//! in order of lane. A write that no instruction accounts for is found at the next store of that memory or at the end.

use std::collections::{BTreeMap, VecDeque};

use quadlock_golden::{Effect, MemEffect, MemKind};
use quadlock_isa::abi::LINE_BYTES;

use super::{lanes, Check, Checker, Compare, Context, Finding};
use crate::engine::SharedWriteEvent;
use crate::lockstep::sequencer::Completed;
use crate::memory::WriteRecord;

/// Writes seen and not yet accounted for.
#[derive(Default)]
pub struct MemoryChecker {
    global: VecDeque<WriteRecord>,
    shared: BTreeMap<usize, VecDeque<WriteRecord>>,
}

type Bytes = BTreeMap<u32, u8>;

fn bytes_of(write: &WriteRecord) -> impl Iterator<Item = (u32, u8)> + '_ {
    let byte = |i: u32| (write.data[i as usize / 4] >> (8 * (i % 4))) as u8;
    let enabled = (0..LINE_BYTES).filter(|i| write.mask >> i & 1 == 1);
    enabled.map(move |i| (write.addr.wrapping_add(i), byte(i)))
}

/// The transactions that an instruction must cause, each as the bytes it writes. A store's may come in any order of lines.
fn expected(mem: &MemEffect, mask: u8, effective: impl Fn(u32) -> u32) -> Vec<Bytes> {
    match mem.kind {
        MemKind::Load => Vec::new(),
        MemKind::Store => {
            let mut lines: BTreeMap<u32, Bytes> = BTreeMap::new();
            for &(addr, value) in &mem.writes {
                lines.entry(addr / LINE_BYTES).or_default().insert(addr, value);
            }
            lines.into_values().collect()
        }
        MemKind::Atomic(_) => lanes(mask)
            .map(|lane| {
                let base = effective(mem.addr[lane]);
                let byte = |i: u32| (base.wrapping_add(i), (mem.new[lane] >> (8 * i)) as u8);
                (0..u32::from(mem.bytes)).map(byte).collect()
            })
            .collect(),
    }
}

fn compare(mut expected: Vec<Bytes>, mut seen: Vec<Bytes>, any_order: bool) -> Check {
    if any_order {
        expected.sort();
        seen.sort();
    }
    let mut c = Compare::default();
    for (e, s) in expected.iter().zip(&seen).filter(|(e, s)| e != s) {
        let all: std::collections::BTreeSet<u32> = e.keys().chain(s.keys()).copied().collect();
        for addr in all {
            c.field(&format!("byte {addr:#010x}"), e.get(&addr).copied(), s.get(&addr).copied(), |v| match v {
                Some(v) => format!("{v:#04x}"),
                None => "(not written)".to_owned(),
            });
        }
    }
    c.finish("bytes written to memory differ")
}

impl Checker for MemoryChecker {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn memory_write(&mut self, write: WriteRecord) {
        self.global.push_back(write);
    }

    fn shared_write(&mut self, cycle: u64, unit: usize, write: SharedWriteEvent) {
        let SharedWriteEvent { addr, mask, data } = write;
        let addr = u32::from(addr) & !(LINE_BYTES - 1);
        self.shared.entry(unit).or_default().push_back(WriteRecord { cycle, addr, mask, data });
    }

    fn completed(&mut self, done: &Completed, effect: &Effect, cx: &Context) -> Check {
        let Some(mem) = &effect.mem else { return Ok(()) };
        let memory = if mem.shared { cx.golden.shared(effect.unit) } else { cx.golden.memory() };
        let expected = expected(mem, effect.mask, |addr| memory.effective(addr, mem.bytes));
        let queue = if mem.shared { self.shared.entry(done.unit).or_default() } else { &mut self.global };
        if queue.len() < expected.len() {
            let what =
                format!("an instruction completed with {} of its {} write transactions", queue.len(), expected.len());
            return Err(Box::new(Finding::new(what)));
        }
        let seen = queue.drain(..expected.len()).map(|w| bytes_of(&w).collect()).collect();
        compare(expected, seen, mem.kind == MemKind::Store)
    }

    fn end(&mut self, _cx: &Context) -> Check {
        let left = self.global.iter().map(|w| ("memory".to_owned(), w));
        let shared =
            self.shared.iter().flat_map(|(u, q)| q.iter().map(move |w| (format!("shared storage of unit {u}"), w)));
        match left.chain(shared).next() {
            Some((place, w)) => {
                let what = format!("a write to {place} at {:#x} in cycle {} that no instruction made", w.addr, w.cycle);
                Err(Box::new(Finding::new(what)))
            }
            None => Ok(()),
        }
    }
}
