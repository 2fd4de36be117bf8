//! The generator: a seed and options to a program, its grid, constants and memory.
//!
//! Programs are text, so that a failure is readable. The prologue computes the thread's windows and
//! gives every data register a value that differs per lane; the body is a random statement tree;
//! then END. Each program is run on the golden model before it is handed out, and one that is too
//! long, faults or traps is replaced by a shorter one from the same stream.

use quadlock_golden::{Config, Golden, Grid, Memory, RunStats};
use quadlock_isa::abi::{CONST_GRID, CONST_USER, REGISTERS};
use quadlock_isa::{assemble, decode, encode, Class, Op, Row, Shape, TABLE};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::corner::operand;
use super::flow::unwritten_read;

mod atomics;

/// Begins the comment of the lines that take and give back a lock: without one of them the program
/// may give back what it has not taken.
pub(super) const LOCK_LINE: &str = "  ; lock ";

/// What kind of programs to make, and for which machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Warp units.
    pub units: usize,
    /// Warp slots per unit.
    pub warps: usize,
    /// 32-bit words of shared storage per unit.
    pub shared_words: usize,
    /// Statements of the body, about; the longest is twice this.
    pub statements: usize,
    /// The most warp instructions of a whole run.
    pub max_warp_instructions: u64,
    /// Undefined encodings and wild branches in divergent code.
    pub traps: bool,
    /// Accesses outside memory.
    pub faults: bool,
    /// Full of atomics on words that all threads share, per lane and warp-wide, with mixed masks.
    pub atomics: bool,
    /// Of programs full of atomics: a lock is given back only by the warp that has taken it, and
    /// nothing else accesses lock words.
    pub owned_locks: bool,
    /// Data registers are read that the thread has not written: they hold what the slot's last warp
    /// left.
    pub stale_registers: bool,
    /// Hundreds of lane instructions while a load is in flight.
    pub long_runs: bool,
    /// Lanes come late to warp-wide atomics, on a machine that gives them the kept result (WW-27).
    pub late: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            units: 2,
            warps: 8,
            shared_words: 1024,
            statements: 30,
            max_warp_instructions: 800,
            traps: false,
            faults: false,
            atomics: false,
            owned_locks: false,
            stale_registers: false,
            long_runs: false,
            late: false,
        }
    }
}

/// A program with everything that a run needs.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// With the options, it decides everything below.
    pub seed: u64,
    /// What kind of program it is.
    pub options: Options,
    /// Assembler source, one line each; labels stand alone and end in `:`.
    pub lines: Vec<String>,
    /// The lines assembled: instruction words.
    pub code: Vec<u64>,
    /// Constant bank from word 0; the rest is zero.
    pub consts: Vec<u32>,
    /// Work groups and their size.
    pub grid: Grid,
    /// Memory image from address 0. Code does not belong to it: put it behind.
    pub memory: Vec<u8>,
}

impl RandomProgram {
    /// The assembler source as a file has it.
    pub fn asm(&self) -> String {
        let indent = |l: &String| if l.ends_with(':') { format!("{l}\n") } else { format!("    {l}\n") };
        self.lines.iter().map(indent).collect()
    }

    /// Bytes of data memory.
    pub fn memory_size(&self) -> u32 {
        self.memory.len() as u32
    }

    /// The smallest machine that it runs on.
    pub fn config(&self) -> Config {
        let Options { units, warps, shared_words, .. } = self.options;
        Config { units, warps, shared_words, late_stored: self.options.late, ..Config::default() }
    }

    /// The model, ready to run this program.
    pub fn golden(&self, config: Config) -> Golden {
        Golden::new(config, self.code.clone(), self.consts.clone(), Memory::from_bytes(self.memory.clone()))
    }

    /// Runs it on the golden model alone; `Err` says why it is not a legal random program.
    pub fn validate(&self) -> Result<RunStats, String> {
        if let Some((pc, register)) = unwritten_read(&self.code).filter(|_| !self.options.stale_registers) {
            return Err(format!("instruction {pc} reads r{register}, which nothing has written"));
        }
        let crosses = |w: &u64| decode(*w).is_ok_and(|i| matches!(i.op, Op::QShuf | Op::Ddx | Op::Ddy));
        if !self.grid.threads_per_group().is_multiple_of(4) && self.code.iter().any(crosses) {
            return Err("a cross-lane instruction in a partial warp reads a lane that was never started".into());
        }
        let stats = self
            .golden(self.config())
            .run_grid(&self.grid, self.options.max_warp_instructions)
            .map_err(|e| e.to_string())?;
        if stats.warp_instructions > self.options.max_warp_instructions {
            return Err(format!("{} warp instructions", stats.warp_instructions));
        }
        if stats.traps > 0 && !self.options.traps {
            return Err(format!("{} traps", stats.traps));
        }
        if stats.memory_faults > 0 && !self.options.faults {
            return Err(format!("{} memory faults", stats.memory_faults));
        }
        Ok(stats)
    }

    /// Assembles `lines` anew; `Err` if they are no program.
    pub fn rebuild(&mut self) -> Result<(), String> {
        self.code = assemble("random program", &self.lines.join("\n")).map_err(|e| e.to_string())?.code;
        Ok(())
    }
}

/// The program of a seed. The same seed and options give the same program.
pub fn generate(seed: u64, options: &Options) -> RandomProgram {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut statements = options.statements;
    loop {
        let mut program = Generator::new(&mut rng, options, seed, statements).finish();
        let legal = program.rebuild().and_then(|()| program.validate().map(drop));
        if legal.is_ok() || statements == 0 {
            return program;
        }
        statements = statements * 2 / 3;
    }
}

// Registers with a fixed use. Data registers are eight in a row, from r0 or from r30 (so that
// groups wrap around r31).
const INTERLEAVED: u8 = 19;
const WINDOW: u8 = 20;
const SHARED_WINDOW: u8 = 21;
const READ_ONLY: u8 = 22;
const COMMON: u8 = 23;
const COUNTERS: [u8; 3] = [24, 25, 26];
const SHARED_COMMON: u8 = 27;
const ADDRESS: u8 = 28;
const CONDITION: u8 = 29;

/// Bytes of a thread's own window of global memory; a power of two.
const WINDOW_BYTES: u32 = 64;
/// Words of a thread in the interleaved area, where neighbouring lanes have neighbouring words.
const INTERLEAVED_WORDS: u32 = 4;
const READ_ONLY_BYTES: u32 = 256;
const COMMON_BYTES: u32 = 64;
/// Shared storage: one common part per group, then 16 bytes per thread.
const SHARED_THREAD_BYTES: u32 = 16;
/// Constant-bank words with corner values.
const CORNER_CONSTS: std::ops::Range<u32> = CONST_USER as u32 + 8..CONST_USER as u32 + 40;
const READ_ONLY_BASE: u32 = 0x1000;
const COMMON_BASE: u32 = READ_ONLY_BASE + READ_ONLY_BYTES;
/// Lock words of programs full of atomics: the last of the common window, 0 at the beginning.
pub const LOCKS_BYTES: u32 = 16;
/// Byte address of the first lock word.
pub const LOCKS: u32 = COMMON_BASE + COMMON_BYTES - LOCKS_BYTES;
const WINDOWS_BASE: u32 = COMMON_BASE + COMMON_BYTES;

/// Where the statements being made stand.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    loops: usize,
    /// All running lanes of the warp come here together.
    convergent: bool,
    /// The warp has taken a lock: its lanes must come together again to give it back.
    locked: bool,
}

struct Generator<'a> {
    rng: &'a mut ChaCha8Rng,
    options: &'a Options,
    seed: u64,
    lines: Vec<String>,
    grid: Grid,
    data_base: u8,
    data_count: u8,
    labels: usize,
    left: usize,
    /// Threads of the whole grid.
    threads: u32,
}

impl<'a> Generator<'a> {
    fn new(rng: &'a mut ChaCha8Rng, options: &'a Options, seed: u64, statements: usize) -> Self {
        let grid = random_grid(rng, options);
        let threads = grid.group_count() as u32 * grid.threads_per_group();
        let data_base = if rng.random_bool(0.2) { 30 } else { 0 };
        let data_count = rng.random_range(5..=8);
        let left = if statements == 0 { 0 } else { rng.random_range(statements / 2 + 1..=statements * 2) };
        Generator { rng, options, seed, lines: Vec::new(), grid, data_base, data_count, labels: 0, left, threads }
    }

    fn finish(mut self) -> RandomProgram {
        self.prologue();
        let top = Place { depth: 0, loops: 0, convergent: true, locked: false };
        if self.options.long_runs {
            self.long_run();
        }
        while self.left > 0 {
            self.statement(top);
        }
        self.epilogue();
        let mut consts = vec![0; CORNER_CONSTS.end as usize];
        for (axis, &n) in self.grid.groups.iter().enumerate() {
            consts[CONST_GRID + axis] = n;
        }
        for word in CORNER_CONSTS {
            consts[word as usize] = operand(self.rng);
        }
        let interleaved = self.threads * INTERLEAVED_WORDS * 4;
        let size = (WINDOWS_BASE + self.threads * WINDOW_BYTES + interleaved).next_multiple_of(16);
        let mut memory = vec![0; size as usize];
        for word in memory[READ_ONLY_BASE as usize..].chunks_exact_mut(4) {
            word.copy_from_slice(&operand(self.rng).to_le_bytes());
        }
        if self.options.atomics {
            memory[LOCKS as usize..(LOCKS + LOCKS_BYTES) as usize].fill(0);
        }
        let (seed, options, lines, grid) = (self.seed, self.options.clone(), self.lines, self.grid);
        RandomProgram { seed, options, lines, code: Vec::new(), consts, grid, memory }
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    fn label(&mut self, name: &str) {
        self.lines.push(format!("{name}:"));
    }

    fn new_label(&mut self, stem: &str) -> String {
        self.labels += 1;
        format!("{stem}{}", self.labels)
    }

    fn chance(&mut self, p: f64) -> bool {
        self.rng.random_bool(p)
    }

    fn below(&mut self, n: u32) -> u32 {
        self.rng.random_range(0..n)
    }

    fn data(&mut self) -> u8 {
        let k = self.rng.random_range(0..self.data_count);
        (self.data_base + k) % REGISTERS as u8
    }

    /// First register of a group of data registers.
    fn data_group(&mut self, count: u8) -> u8 {
        let k = self.rng.random_range(0..=self.data_count - count);
        (self.data_base + k) % REGISTERS as u8
    }

    fn all_data(&self) -> Vec<u8> {
        (0..self.data_count).map(|k| (self.data_base + k) % REGISTERS as u8).collect()
    }

    /// Windows of the thread, then a value per lane in each data register.
    fn prologue(&mut self) {
        let threads = self.grid.threads_per_group();
        self.line(format!("S2R r{ADDRESS}, group_z"));
        self.line(format!("S2R r{CONDITION}, group_y"));
        self.line(format!("IMAD r{ADDRESS}, r{ADDRESS}, c[{}], r{CONDITION}", CONST_GRID + 1));
        self.line(format!("S2R r{CONDITION}, group_x"));
        self.line(format!("IMAD r{ADDRESS}, r{ADDRESS}, c[{CONST_GRID}], r{CONDITION}"));
        self.line(format!("S2R r{CONDITION}, local_index"));
        self.line(format!("IMAD r{ADDRESS}, r{ADDRESS}, #{threads}, r{CONDITION}"));
        self.line(format!("MOV r{COMMON}, #{WINDOWS_BASE}"));
        self.line(format!("IMAD r{WINDOW}, r{ADDRESS}, #{WINDOW_BYTES}, r{COMMON}"));
        let interleaved = WINDOWS_BASE + self.threads * WINDOW_BYTES;
        self.line(format!("MOV r{COMMON}, #{interleaved}"));
        self.line(format!("IMAD r{INTERLEAVED}, r{ADDRESS}, #4, r{COMMON}"));
        self.line(format!("MOV r{COMMON}, #{COMMON_BASE}"));
        self.line(format!("MOV r{READ_ONLY}, #{READ_ONLY_BASE}"));
        if self.grid.pinned {
            self.line(format!("S2R r{SHARED_COMMON}, shared_base"));
            self.line(format!("IMAD r{SHARED_WINDOW}, r{CONDITION}, #{SHARED_THREAD_BYTES}, r{SHARED_COMMON}"));
        }
        // Other words of the read-only window for each register and thread.
        let step = 4 * self.rng.random_range(1..12u32);
        self.line(format!("IMUL r{CONDITION}, r{ADDRESS}, #{step}"));
        self.line(format!("AND r{CONDITION}, r{CONDITION}, #{}", READ_ONLY_BYTES / 2 - 4));
        let written = if self.options.stale_registers { 2 } else { REGISTERS };
        for register in self.all_data().into_iter().take(written) {
            let offset = READ_ONLY_BASE + 4 * self.below(READ_ONLY_BYTES / 8);
            self.line(format!("LD.32 r{register}, [r{CONDITION}+{offset}]"));
        }
        if self.grid.pinned {
            for line in 0..COMMON_BYTES / 16 {
                let source = self.data_group(4);
                self.line(format!("STS.128 [r{SHARED_COMMON}+{}], r{source}", 16 * line));
            }
            let source = self.data_group(4);
            self.line(format!("STS.128 [r{SHARED_WINDOW}+{COMMON_BYTES}], r{source}"));
            self.line("BAR");
        }
    }

    /// Stores what the registers hold, so that the end state shows it.
    fn epilogue(&mut self) {
        for (k, register) in self.all_data().into_iter().enumerate().take(4) {
            self.line(format!("ST.32 [r{WINDOW}+{}], r{register}", 4 * k));
        }
        self.line("END");
    }

    fn statement(&mut self, at: Place) {
        self.left = self.left.saturating_sub(1);
        if self.options.late && at.depth < 4 && self.chance(0.1) {
            return self.late_lanes(at);
        }
        if self.options.atomics && self.chance(0.5) {
            return self.atomic_statement(at);
        }
        match self.below(100) {
            0..=51 => self.lane_instruction(),
            52..=73 => self.memory_instruction(),
            74..=83 if at.depth < 4 => self.branch(at),
            84..=89 if at.loops < COUNTERS.len() => self.repeat(at),
            90..=91 if self.grid.pinned && !at.locked && (at.convergent || self.chance(0.2)) => self.line("BAR"),
            92 if !at.convergent && self.chance(0.5) => {
                let name = if self.chance(0.5) { "END" } else { "DISCARD" };
                self.line(name);
            }
            93..=94 => self.ignored_fields(),
            95 if self.options.traps && at.depth > 0 => self.trap(),
            96 if self.options.faults => self.fault(),
            _ => self.dependent_pair(),
        }
    }

    /// Operand B of any mode.
    fn operand_b(&mut self) -> String {
        match self.below(10) {
            0..=5 => format!("r{}", self.data()),
            6..=7 => format!("#{:#x}", operand(self.rng)),
            _ => format!("c[{}]", self.rng.random_range(CORNER_CONSTS)),
        }
    }

    fn lane_instruction(&mut self) {
        let lanes_full = self.grid.threads_per_group().is_multiple_of(4);
        let row = loop {
            let row = pick(self.rng, |r| matches!(r.class, Class::Alu | Class::Function));
            let crosses = matches!(row.op, Op::QShuf | Op::Ddx | Op::Ddy);
            // Warp, unit and slot of a thread are the dispatcher's choice, which is fine: lockstep
            // takes them from the machine.
            if lanes_full || !crosses {
                break row;
            }
        };
        let (d, a, b, c) = (self.data(), self.data(), self.operand_b(), self.data());
        let special = self.below(16);
        self.line(match row.shape {
            Shape::DB => format!("{} r{d}, {b}", row.name),
            Shape::DA => format!("{} r{d}, r{a}", row.name),
            Shape::DAB => format!("{} r{d}, r{a}, {b}", row.name),
            Shape::DABC => format!("{} r{d}, r{a}, {b}, r{c}", row.name),
            _ => format!("{} r{d}, sr{special}", row.name),
        });
    }

    /// Two instructions, the second needing the first at once, through a rarely used operand.
    fn dependent_pair(&mut self) {
        let (d, a, e) = (self.data(), self.data(), self.data());
        let step = self.rng.random_range(-4..5);
        self.line(format!("IADD r{d}, r{a}, #{step}"));
        match self.below(3) {
            0 => self.line(format!("IMAD r{e}, r{a}, r{a}, r{d}")),
            1 => self.line(format!("SEL r{e}, r{a}, r{a}, r{d}")),
            _ => self.line(format!("ST.32 [r{WINDOW}+16], r{d}")),
        }
    }

    fn memory_instruction(&mut self) {
        let pinned = self.grid.pinned;
        let row = pick(self.rng, |r| r.class == Class::Global || pinned && r.class == Class::Shared);
        let row = match self.below(4) {
            // Atomics are two thirds of the table; plain accesses shall not be rare.
            0..=1 if row.op.is_atomic() => {
                pick(self.rng, |r| (r.class == row.class) && r.op.is_memory() && !r.op.is_atomic())
            }
            _ => row,
        };
        let bytes = row.op.access_bytes();
        let place = match row.class {
            Class::Shared => self.shared_address(),
            // A thread's own: nobody gives back another warp's lock.
            _ if row.op == Op::WALock => self.address(WINDOW, 0, WINDOW_BYTES),
            _ => self.global_address(row, bytes),
        };
        let words = bytes.div_ceil(4);
        let (d, b, c) = (self.data_group(words), self.data_group(words), self.data_group(words));
        self.line(match row.shape {
            Shape::Load { .. } => format!("{} r{d}, {place}", row.name),
            Shape::Store { .. } => format!("{} {place}, r{b}", row.name),
            Shape::Atomic { .. } => format!("{} r{d}, {place}, r{b}", row.name),
            _ => format!("{} r{d}, {place}, r{b}, r{c}", row.name),
        });
    }

    /// An address inside `size` bytes (a power of two) from register `base`, `first` bytes on:
    /// constant or computed offset, any low bits.
    fn address(&mut self, base: u8, first: u32, size: u32) -> String {
        match self.below(4) {
            0 => {
                let index = self.data();
                self.line(format!("AND r{ADDRESS}, r{index}, #{}", size - 1));
                self.line(format!("IADD r{ADDRESS}, r{ADDRESS}, r{base}"));
                format!("[r{ADDRESS}+{first}]")
            }
            1 => {
                let far = self.rng.random::<u32>();
                self.line(format!("IADD r{ADDRESS}, r{base}, #{far:#x}"));
                let back = first.wrapping_add(self.below(size)).wrapping_sub(far) as i32;
                format!("[r{ADDRESS}{back:+}]")
            }
            _ => format!("[r{base}+{}]", first + self.below(size)),
        }
    }

    fn shared_address(&mut self) -> String {
        if self.chance(0.4) {
            self.address(SHARED_COMMON, 0, COMMON_BYTES)
        } else {
            self.address(SHARED_WINDOW, COMMON_BYTES, SHARED_THREAD_BYTES)
        }
    }

    fn global_address(&mut self, row: &Row, bytes: u8) -> String {
        match self.below(10) {
            0..=3 => self.address(WINDOW, 0, WINDOW_BYTES),
            4..=5 if row.op.is_load() => self.address(READ_ONLY, 0, READ_ONLY_BYTES),
            4..=7 if bytes <= 4 => {
                let word = self.below(INTERLEAVED_WORDS) * self.threads * 4;
                format!("[r{INTERLEAVED}+{}]", word + self.below(4))
            }
            _ => self.address(COMMON, 0, if self.options.owned_locks { COMMON_BYTES / 2 } else { COMMON_BYTES }),
        }
    }

    /// A register that is zero in some lanes.
    fn condition(&mut self) -> u8 {
        let a = self.data();
        match self.below(5) {
            0 => return a,
            1 => {
                self.line(format!("S2R r{CONDITION}, lane"));
                let bit = 1 + self.below(3);
                self.line(format!("AND r{CONDITION}, r{CONDITION}, #{bit}"));
            }
            2 => {
                let (row, b) = (pick(self.rng, |r| r.code & 0xF0 == 0x30), self.operand_b());
                self.line(format!("{} r{CONDITION}, r{a}, {b}", row.name));
            }
            _ => {
                let bit = 1u32 << self.below(5);
                self.line(format!("AND r{CONDITION}, r{a}, #{bit}"));
            }
        }
        CONDITION
    }

    fn block(&mut self, at: Place, most: u32) {
        for _ in 0..=self.below(most) {
            self.statement(at);
        }
    }

    /// `if` with or without `else`.
    fn branch(&mut self, at: Place) {
        let (other, end) = (self.new_label("else"), self.new_label("end"));
        let condition = self.condition();
        let name = if self.chance(0.5) { "BZ" } else { "BNZ" };
        let inside = Place { depth: at.depth + 1, convergent: false, ..at };
        if self.chance(0.5) {
            self.line(format!("{name} r{condition}, {end}"));
            self.block(inside, 4);
        } else {
            self.line(format!("{name} r{condition}, {other}"));
            self.block(inside, 3);
            self.line(format!("BRA {end}"));
            self.label(&other);
            self.block(inside, 3);
        }
        self.label(&end);
    }

    /// A loop with a counter register of its own, the trip count the same for all lanes or not.
    fn repeat(&mut self, at: Place) {
        let (head, end) = (self.new_label("loop"), self.new_label("done"));
        let counter = COUNTERS[at.loops];
        let uniform = self.chance(0.5);
        if uniform {
            let trips = 1 + self.below(4);
            self.line(format!("MOV r{counter}, #{trips}"));
        } else {
            let source = self.data();
            self.line(format!("AND r{counter}, r{source}, #3"));
            self.line(format!("IADD r{counter}, r{counter}, #1"));
        }
        let convergent = at.convergent && uniform;
        self.label(&head);
        self.block(Place { depth: at.depth + 1, loops: at.loops + 1, convergent, ..at }, 4);
        self.line(format!("ISUB r{counter}, r{counter}, #1"));
        if self.chance(0.7) {
            self.line(format!("BNZ r{counter}, {head}"));
        } else {
            self.line(format!("BZ r{counter}, {end}"));
            self.line(format!("BRA {head}"));
        }
        self.label(&end);
    }

    /// A lane instruction with bits set in the fields that it ignores.
    fn ignored_fields(&mut self) {
        let (d, a) = (self.data(), self.data());
        let text = match self.below(3) {
            0 => format!("POPC r{d}, r{a}"),
            1 => format!("MOV r{d}, r{a}"),
            _ => format!("S2R r{d}, local_index"),
        };
        let Some(word) = assemble("", &text).ok().map(|p| p.code[0]) else { return };
        let Ok(mut i) = decode(word) else { return };
        i.c = self.rng.random_range(0..32);
        if i.op == Op::S2R {
            (i.a, i.b) = (self.rng.random_range(0..32), self.rng.random_range(0..32));
            i.imm |= self.rng.random::<u32>() << 4;
        } else {
            i.imm = self.rng.random();
        }
        self.line(format!(".word {:#018x}  ; {text}, ignored fields set", encode(&i)));
    }

    fn trap(&mut self) {
        let word = match self.below(4) {
            0 => [0x08, 0x0F, 0xBB, 0xCC, 0xCF, 0xD5, 0xEB, 0xEF][self.below(8) as usize],
            1 => 0x10 | 3 << 28,
            2 => 0x40 | 1 << 30,
            _ => {
                self.line("BRA @65535");
                return;
            }
        };
        self.line(format!(".word {word:#018x}"));
    }

    fn fault(&mut self) {
        let (d, addr) = (self.data(), [0, 0xFFC, 0x8000_0000u32, 0xFFFF_FFF0][self.rng.random_range(0..4)]);
        self.line(format!("MOV r{ADDRESS}, #{addr:#x}"));
        let name =
            if self.chance(0.5) { format!("LD.32 r{d}, [r{ADDRESS}]") } else { format!("ST.32 [r{ADDRESS}], r{d}") };
        self.line(name);
    }
}

fn pick(rng: &mut ChaCha8Rng, wanted: impl Fn(&Row) -> bool) -> &'static Row {
    let rows: Vec<&Row> = TABLE.iter().filter(|r| wanted(r)).collect();
    rows.choose(rng).copied().unwrap_or(&TABLE[0])
}

/// A small grid: one to a few warps mostly, many now and then, any shape of group.
fn random_grid(rng: &mut ChaCha8Rng, options: &Options) -> Grid {
    let pinned = rng.random_bool(0.45);
    let threads = *[1, 2, 3, 4, 4, 4, 5, 6, 8, 8, 8, 12, 16, 18, 24].choose(rng).unwrap_or(&4u32);
    let threads = threads.min(4 * options.warps as u32);
    let groups = match rng.random_range(0..4) {
        0 => [1, 1, 1],
        1 => [rng.random_range(1..4), 1, 1],
        2 => [rng.random_range(1..3), 2, 1],
        _ => [1, rng.random_range(1..3), rng.random_range(1..3)],
    };
    let mut grid = Grid { groups, group_size: factors(rng, threads), pinned, group_slots: 0, shared_bytes: 0 };
    if pinned {
        grid.shared_bytes = COMMON_BYTES + SHARED_THREAD_BYTES * threads;
        match grid.fit(options.warps, options.shared_words) {
            Ok(slots) => grid.group_slots = rng.random_range(1..=slots),
            Err(_) => return Grid { groups, ..Grid::linear(threads) },
        }
    }
    grid
}

/// `threads` as a product of three sides.
fn factors(rng: &mut ChaCha8Rng, threads: u32) -> [u32; 3] {
    let divisor = |rng: &mut ChaCha8Rng, n: u32| {
        let all: Vec<u32> = (1..=n).filter(|d| n.is_multiple_of(*d)).collect();
        all.choose(rng).copied().unwrap_or(1)
    };
    let x = divisor(rng, threads);
    let y = divisor(rng, threads / x);
    [x, y, threads / x / y]
}
