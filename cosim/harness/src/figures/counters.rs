//! What happened in a run, in numbers, from the event ports: not from the model, so that they exist
//! for every engine. Wrong would be an event counted twice or not at all; lockstep's checkers of
//! memory compare transactions with the port.

use std::collections::BTreeMap;
use std::ops::Range;

use quadlock_hdl::config::GpuConfig;
use quadlock_isa::{decode, Op};
use serde::Serialize;

use super::handover::Handovers;
use crate::machine::memory::{Accepted, Memory};
use crate::machine::ports::{Outputs, BINS, GRAPHICS, HI_Z, TILES};

/// What happened in a run, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Retired warp instructions.
    pub retired: u64,
    pub retired_per_unit: Vec<u64>,
    /// Active lanes, summed over the retired instructions.
    pub lane_instructions: u64,
    /// Memory instructions retired, without atomics.
    pub memory_instructions: u64,
    pub atomics: u64,
    /// Line reads and writes that the retired atomics of global memory make at the memory port.
    pub atomic_transactions: u64,
    /// Warp-wide atomics that late lanes did not execute again (WW-27).
    pub late_arrivals: u64,
    /// Instructions of the function unit retired.
    pub function_instructions: u64,
    pub branches: u64,
    pub warps_launched: u64,
    /// The same by core.
    pub warps_per_core: Vec<u64>,
    /// By unit: its core.
    #[serde(skip)]
    core_of: Vec<usize>,
    /// Cycles in which the core was busy.
    pub busy_cycles: u64,
    pub busy_issue: Vec<u64>,
    /// Cycles of all units in which an instruction was issued.
    pub issued: u64,
    /// Cycles of all units in which none was, by reason.
    pub stalls: [u64; 5],
    /// Line reads (instruction fetches included) and writes at the memory port.
    pub memory_reads: u64,
    pub memory_writes: u64,
    /// Bytes that those writes change.
    pub memory_bytes_written: u64,
    pub shared_writes: u64,
    /// Retired instructions of loops that only wait for another thread.
    pub polling: u64,
    /// Cycles in which an acquire waited at the semaphore entity for an entry of the pool (SE-12).
    pub pool_exhausted: u64,
    #[serde(skip)]
    pub handovers: Handovers,
    /// Lines at the memory port: instructions, programs' data, then graphics' clients.
    #[serde(skip)]
    lines: [u64; 7],
    /// Those of tiles in colour targets, and in depth and stencil.
    #[serde(skip)]
    tile_lines: [u64; 2],
    /// Those of full binning that are read, and that are written.
    #[serde(skip)]
    bin_lines: [u64; 2],
    /// The same of Hi-Z.
    hi_z_lines: [u64; 2],
    /// Byte addresses of colour targets, and of depth and stencil.
    #[serde(skip)]
    targets: [Vec<Range<u32>>; 2],
    /// By program counter: whether the instruction is in such a loop.
    #[serde(skip)]
    polls: Vec<bool>,
    #[serde(skip)]
    kinds: Vec<(u64, Kind)>,
    /// By unit and warp slot: its last atomic is at the memory port.
    #[serde(skip)]
    last_global: Vec<[bool; 16]>,
}

/// What the counters tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Other,
    Memory,
    Atomic,
    /// In shared storage: not at the memory port.
    SharedAtomic,
    WarpWide,
    Function,
    Branch,
}

fn kind_of(word: u64) -> Kind {
    use quadlock_isa::kind::Control;
    use quadlock_isa::Kind as Of;
    let Ok(instr) = decode(word) else { return Kind::Other };
    match instr.op.kind() {
        Of::Atomic(_) | Of::WarpAtomic(_) if instr.op.is_shared() => Kind::SharedAtomic,
        Of::WarpAtomic(_) => Kind::WarpWide,
        Of::Atomic(_) => Kind::Atomic,
        Of::Load(_) | Of::Store(_) => Kind::Memory,
        Of::Function(_) => Kind::Function,
        Of::Control(Control::Bra | Control::Bnz | Control::Bz) => Kind::Branch,
        Of::Control(Control::End | Control::Discard | Control::Bar) | Of::Message(_) | Of::Across(_) => Kind::Other,
        Of::Graphics(_) => Kind::Other,
        Of::Integer(_) | Of::Bits(_) | Of::Compare(_) | Of::Float(_) | Of::Format(_) | Of::Move(_) => Kind::Other,
    }
}

impl Counters {
    pub fn new(units: usize) -> Self {
        let last_global = vec![[false; 16]; units];
        Self { retired_per_unit: vec![0; units], busy_issue: vec![0; units], last_global, ..Self::default() }
    }

    /// Counts launches by core.
    pub fn with_cores(mut self, config: &GpuConfig) -> Self {
        self.warps_per_core = vec![0; config.total_cores()];
        self.core_of = config.unit_places().iter().map(|u| u.core).collect();
        self
    }

    /// Counts the instructions at these program counters as polling.
    pub fn with_polling(mut self, loops: &[u32]) -> Self {
        let end = loops.iter().max().map_or(0, |&pc| pc as usize + 1);
        self.polls = vec![false; end];
        loops.iter().for_each(|&pc| self.polls[pc as usize] = true);
        self
    }

    /// Tells lines of tiles apart by their byte addresses: those of colour targets, and of depth
    /// and stencil.
    pub fn with_targets(mut self, targets: [Vec<Range<u32>>; 2]) -> Self {
        self.targets = targets;
        self
    }

    /// Bytes at the memory port by client, of a machine with graphics: 16 for each line. Those of
    /// tiles are also told apart as colour and depth, by address, those of bins and of Hi-Z
    /// as read and written.
    pub fn graphics_bytes(&self) -> BTreeMap<&'static str, u64> {
        let names = ["instructions", "programs", "commands", "indices", "tiles", "bins", "hi_z", "colour", "depth"];
        let names = names.into_iter().chain(["bins_read", "bins_written", "hi_z_read", "hi_z_written"]);
        let lines = self.lines.into_iter().chain(self.tile_lines).chain(self.bin_lines).chain(self.hi_z_lines);
        names.zip(lines.map(|lines| 16 * lines)).collect()
    }

    pub fn observe(&mut self, outputs: &Outputs, memory: &Memory) {
        if let Some(Accepted { line, write, source: Some(source) }) = memory.accepted {
            self.accepted(line, source);
            self.bin_lines[usize::from(write)] += u64::from(source == BINS);
            self.hi_z_lines[usize::from(write)] += u64::from(source == HI_Z);
        }
        self.handovers.observe(outputs, &mut |_, word| word & 0xFF == Op::Rls as u64);
        self.memory_reads = memory.reads;
        self.memory_writes = memory.written;
        self.memory_bytes_written = memory.bytes_written;
        self.busy_cycles += u64::from(outputs.busy);
        self.pool_exhausted += u64::from(outputs.pool_exhausted);
        let launched = outputs.launch.iter().map(|l| l.unit).chain(outputs.graphics.launch.iter().map(|l| l.unit));
        for unit in launched {
            self.warps_launched += 1;
            let core = self.core_of.get(usize::from(unit));
            if let Some(count) = core.and_then(|&core| self.warps_per_core.get_mut(core)) {
                *count += 1;
            }
        }
        for (i, unit) in outputs.units.iter().enumerate() {
            self.issued += u64::from(unit.issue);
            self.busy_issue[i] += u64::from(unit.issue);
            self.shared_writes += u64::from(unit.shared_write.is_some());
            if outputs.busy {
                for (bit, count) in self.stalls.iter_mut().enumerate() {
                    *count += u64::from(unit.stall >> bit & 1);
                }
            }
            if let Some(retire) = unit.retire {
                self.retired += 1;
                self.retired_per_unit[i] += 1;
                self.lane_instructions += u64::from((retire.mask & 15).count_ones());
                self.polling += u64::from(self.polls.get(usize::from(retire.pc)) == Some(&true));
                self.classify(retire.pc, retire.word(), if retire.trap { 0 } else { retire.mask });
                self.last_global[i][usize::from(retire.warp & 15)] =
                    self.kinds[usize::from(retire.pc)].1 == Kind::WarpWide;
            }
            if let Some(kept) = unit.completion.filter(|c| c.kept() && c.last) {
                self.late_arrivals += 1;
                // It was counted as an execution when it retired, in this cycle or the one before.
                let global = self.last_global[i][usize::from(kept.warp & 15)];
                self.atomic_transactions -= if global { 2 } else { 0 };
            }
        }
    }

    /// A request of `source` at the memory port.
    fn accepted(&mut self, line: u32, source: u8) {
        let client = match source {
            0..32 => 0,
            32..GRAPHICS => 1,
            // The second command streamer, and index fetch of the cull pipeline.
            source if source == GRAPHICS + 3 => 2,
            source if source == GRAPHICS + 4 => 3,
            source if source == BINS => 5,
            source if source == HI_Z => 6,
            _ => usize::from(source - GRAPHICS) + 2,
        };
        if let Some(lines) = self.lines.get_mut(client) {
            *lines += 1;
        }
        if source == TILES {
            for (lines, places) in self.tile_lines.iter_mut().zip(&self.targets) {
                *lines += u64::from(places.iter().any(|place| place.contains(&line)));
            }
        }
    }

    /// Counts an instruction by its kind. An atomic is a read and a write for each active lane
    /// (WW-10), a warp-wide one for the warp; lockstep's checkers of memory compare that with the
    /// port. The kind of the last word seen at each counter is kept: decoding takes as long as the
    /// rest.
    fn classify(&mut self, pc: u16, word: u64, mask: u8) {
        let pc = usize::from(pc);
        if self.kinds.len() <= pc {
            self.kinds.resize(pc + 1, (0, kind_of(0)));
        }
        if self.kinds[pc].0 != word {
            self.kinds[pc] = (word, kind_of(word));
        }
        match self.kinds[pc].1 {
            Kind::Other => {}
            Kind::Memory => self.memory_instructions += 1,
            Kind::Atomic => {
                self.atomics += 1;
                self.atomic_transactions += 2 * u64::from((mask & 15).count_ones());
            }
            Kind::SharedAtomic => self.atomics += 1,
            Kind::WarpWide => {
                self.atomics += 1;
                self.atomic_transactions += 2 * u64::from(mask & 15 != 0);
            }
            Kind::Function => self.function_instructions += 1,
            Kind::Branch => self.branches += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tiles_are_told_apart_by_address() {
        let mut counters =
            Counters::new(1).with_targets([vec![0x100..0x140, 0x200..0x240], vec![0x140..0x150, 0x150..0x180]]);
        for line in [0x100, 0x130, 0x200, 0x140, 0x170] {
            counters.accepted(line, TILES);
        }
        // Another client in a target, and tiles elsewhere.
        counters.accepted(0x100, 33);
        counters.accepted(0x180, TILES);
        let bytes = counters.graphics_bytes();
        assert_eq!([bytes["tiles"], bytes["colour"], bytes["depth"], bytes["programs"]], [96, 48, 32, 16]);
    }
}
