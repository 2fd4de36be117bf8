//! What the back end is asked for, and what it makes: options, a program, and what was counted.
//!
//! A program is finished here from a function whose registers are allocated; a second one may stand
//! behind it. Wrong would be a number of an instruction that is not moved with its program: tests
//! of pairs, position parts and polling loops run both.

use super::emit;
use super::limits::Limits;
use super::merge::Merged;
use super::spill::SpillCode;
use super::split::Splits;
use super::{code, mir, public, regalloc, BackError};
use crate::binary::moved;
use crate::fault::CompilerFault;
use crate::interface::Beside;
use crate::ssa::Loc;
use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters};
use std::fmt;

/// Choices of the back end.
#[derive(Clone, Debug)]
pub struct BackOptions {
    /// Registers per lane that may be used, 8 to 32.
    pub max_registers: usize,
    /// Reorder instructions inside blocks.
    pub schedule: bool,
    /// Copy short loop tests to the end of the loop.
    pub rotate_loops: bool,
    /// Split live ranges where values do not fit into registers; else they are spilled everywhere.
    pub split_ranges: bool,
    /// Load groups come apart where they do not fit into registers.
    pub load_groups: bool,
    /// A program that does not fit into registers is also tried in the order that needs fewest.
    pub few_live: bool,
    /// Stores to the stack are those that helpers do too: for programs of graphics.
    pub helpers: bool,
    /// Merge points where they are worth it (MS-30): for programs of fragments only.
    pub merge: bool,
    /// With a merge point: a second program behind the first, for warps that are no members of a
    /// pair (MS-12), if both have no more instructions than this; 0: never.
    pub alone: usize,
    /// Which registers a cutoff makes public on the machine.
    pub public_registers: PublicRegisters,
    /// How the machine knows merge and split points.
    pub event_form: EventForm,
    /// What the private registers of a merged warp are.
    pub merge_private: PrivateSet,
    /// The machine ends helpers at a merge point in every warp.
    pub merge_helpers_end: bool,
    /// A split point where it is worth it (MS-43): for programs of fragments that run once for each
    /// sample only.
    pub split: Option<SplitFor>,
    /// The machine merges what splits: a merge point before the split point, if that pays.
    pub merge_split: bool,
    /// Behind the program its position part (HZ-30): for programs of vertices only.
    pub position: bool,
    /// A mistake to make on purpose, for must-fail tests.
    pub fault: Option<CompilerFault>,
}

impl Default for BackOptions {
    fn default() -> Self {
        BackOptions {
            max_registers: quadlock_isa::abi::REGISTERS,
            schedule: true,
            rotate_loops: true,
            split_ranges: true,
            load_groups: true,
            few_live: true,
            helpers: false,
            merge: false,
            alone: 0,
            public_registers: PublicRegisters::Below,
            event_form: EventForm::Instruction,
            merge_private: PrivateSet::Old,
            merge_helpers_end: false,
            split: None,
            merge_split: false,
            position: false,
            fault: None,
        }
    }
}

/// The position part of a vertex program, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionPart {
    /// Its first instruction, and how many it has.
    pub first: u32,
    /// Instructions.
    pub instructions: usize,
    /// Loads of the program, and of the part, as instructions.
    pub loads: [usize; 2],
    /// Why there is none.
    pub none: Option<String>,
}

impl fmt::Display for PositionPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [all, own] = self.loads;
        match &self.none {
            None => write!(f, "position part: {} instructions, {own} of {all} loads", self.instructions),
            Some(why) => write!(f, "no position part: {why}"),
        }
    }
}

/// What a program with a split point is for.
#[derive(Clone, Copy, Debug)]
pub struct SplitFor {
    /// Samples of a pixel.
    pub samples: u32,
    /// Bit n: nobody writes buffer n of the table while the program runs.
    pub read_only: u32,
}

/// A program and what it took to make it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generated {
    /// Instruction words, in order of their counters.
    pub code: Vec<u64>,
    /// Source place of each instruction.
    pub lines: Vec<Loc>,
    /// (instruction index, block name).
    pub labels: Vec<(u32, String)>,
    /// Instructions of loops that wait for memory to change, ascending.
    pub polling: Vec<u32>,
    /// Releases of `dependencyDone`, ascending.
    pub done: Vec<u32>,
    /// Registers used, from 0 up.
    pub registers: u32,
    /// Stack bytes per thread, a multiple of 16.
    pub stack_bytes: u32,
    /// Registers below this are public (MS-20).
    pub public_cutoff: u32,
    /// The public registers, as bits, for a machine that goes by that; else 0.
    pub public_bitmap: u32,
    /// Where a warp begins that is no member of a pair; 0: where all do.
    pub alone: u32,
    /// Where lanes merge, if that stands beside the program.
    pub merge_at: Option<Beside>,
    /// Where they split.
    pub split_at: Option<Beside>,
    /// What became of merge points, if they were asked for.
    pub merge: Option<Merged>,
    /// What became of split points, if they were asked for.
    pub split: Option<Splits>,
    /// What became of the position part, if it was asked for.
    pub position: Option<PositionPart>,
    /// What it took.
    pub stats: BackStats,
}

impl Generated {
    /// Puts a second program behind this one. Its labels begin with `name`.
    pub(super) fn append(&mut self, other: Generated, name: &str) {
        let first = self.code.len() as u32;
        self.code.extend(other.code.iter().map(|&word| moved(word, first)));
        self.lines.extend(other.lines);
        self.labels.extend(other.labels.into_iter().map(|(pc, label)| (first + pc, format!("{name}.{label}"))));
        self.polling.extend(other.polling.into_iter().map(|pc| first + pc));
        self.done.extend(other.done.into_iter().map(|pc| first + pc));
        self.registers = self.registers.max(other.registers);
        self.stack_bytes = self.stack_bytes.max(other.stack_bytes);
    }

    /// Puts registers where the machine has public ones. Returns these, as bits.
    pub(super) fn place(&mut self, options: &BackOptions) -> u32 {
        let public = public::place(&mut self.code, self.public_cutoff, options.public_registers);
        let public = match options.fault {
            Some(CompilerFault::MergeBitmap) => code::lowest(self.public_cutoff),
            _ => public,
        };
        if options.public_registers == PublicRegisters::Bitmap {
            self.public_bitmap = public;
        }
        public
    }
}

/// What the back end counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BackStats {
    /// Instructions of the program.
    pub instructions: usize,
    /// Values that live on the stack or are made again where they are used.
    pub spilled: usize,
    /// The stores, reloads and values made again that spilling added.
    pub spill: SpillCode,
    /// The most registers live at one place of the selected program, load groups counted whole.
    pub pressure: usize,
    /// Copies that vanished because both ends got one register.
    pub coalesced: usize,
    /// Register moves left in the program.
    pub moves: usize,
    /// Whether the scheduler's order was kept (it is given up if it needs spilling that the source
    /// order does not).
    pub scheduled: bool,
}

/// Registers and instruction words of a program.
pub(super) fn finish(
    f: &mir::MFunc,
    allocation: &regalloc::Allocation,
    scheduled: bool,
    limits: Option<&Limits>,
    options: &BackOptions,
) -> Result<Generated, BackError> {
    let out = emit::run(f, allocation, options.max_registers, options.rotate_loops, limits, options.fault)?;
    let registers = allocation.registers.max(out.scratch_registers) as u32;
    Ok(Generated {
        registers,
        // Without a merge point public registers are always right (MS-20).
        public_cutoff: limits.map_or(registers, |l| l.cutoff as u32),
        public_bitmap: 0,
        stack_bytes: f.frame.next_multiple_of(16),
        stats: BackStats {
            instructions: out.code.len(),
            spilled: allocation.spilled,
            spill: SpillCode::of(f),
            pressure: 0,
            coalesced: allocation.coalesced,
            moves: out.moves,
            scheduled,
        },
        code: out.code,
        polling: out.polling,
        done: out.done,
        lines: out.lines,
        labels: out.labels,
        alone: 0,
        merge_at: None,
        split_at: None,
        merge: None,
        split: None,
        position: None,
    })
}
