//! Random programs in lockstep: a seed decides program, machine size and memory timing, so a
//! failure is one number. The programs come from `fuzz` (instruction sequences) or from `wgsl`
//! (structured shaders through the whole compiler) or are threads that depend on each other
//! (`isa::graph`), or are full of atomics on all options of warp-wide operations; what fails is
//! shrunk to a small program that still fails.

use quadlock_hdl::config::CoreChange;
use quadlock_hdl::config::{BusKind, SemaphoreConfig};
use quadlock_hdl::config::{GpuConfig, RegisterBanks, WarpWide, WideLate, WideResult};
use quadlock_isa::abi::CONST_USER;
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::interface::needs_function_unit;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::base::error::Input;
use crate::job::prepare::Prepared;
use crate::lockstep::Options;
use crate::machine::launch::Launch;
use crate::machine::layout::{Layout, BASE};
use crate::machine::limits::Limits;
use crate::machine::locks::{LockRule, LockWords};
use crate::machine::memory::{Image, MemoryConfig};
use crate::random::graphs::{self, RandomGraph};
use crate::random::isa::{self, RandomProgram};
use crate::random::kept::Kept;
use crate::random::machines;
use crate::random::wgsl;
use crate::report::{Report, Verdict};
use crate::simulate::{self, AnyFault, Finished, Simulator};

/// What kind of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Legal random instruction sequences
    Isa,
    /// Random structured WGSL shaders, through the compiler
    Wgsl,
    /// Random dependency graphs of threads with semaphores
    Graph,
    /// Instruction sequences with many per-lane and warp-wide atomics; the seed selects the
    /// execution and result options
    Atomics,
}

impl Kind {
    /// The machine that a seed draws, its memory and its limits.
    fn options(self, seed: u64, settings: &Settings) -> Options {
        match self {
            Self::Graph => graph_options(seed, settings),
            Self::Atomics => atomics_options(seed, settings),
            Self::Isa | Self::Wgsl => options(seed, settings),
        }
    }
}

/// What may be fixed for all programs; the rest comes from each one's seed.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Warp units per core; `None`: from the seed.
    pub units: Option<usize>,
    /// Warp slots per unit; `None`: from the seed.
    pub warps: Option<usize>,
    /// Planted in every run: the campaign must find it.
    pub fault: Option<AnyFault>,
    /// What simulates the RTL.
    pub simulator: Simulator,
    /// Machines that all programs share ([`Settings::share`]); none: each seed draws its own.
    pub machines: Vec<GpuConfig>,
    /// Starts of the machine with each program, one after the other; 0 is one.
    pub starts: u32,
}

impl Settings {
    /// All programs of that kind share this many machines, which `seed` draws.
    pub fn share(&mut self, kind: Kind, count: usize, seed: u64) {
        let drawn: Vec<GpuConfig> = machines::seeds(seed, count).map(|s| kind.options(s, self).config).collect();
        self.machines = machines::spread(drawn, machines::values, count);
    }
}

/// A random run: everything that its seed decided.
pub struct Case {
    /// Alone decides everything below.
    pub seed: u64,
    /// The program and its memory.
    pub launch: Launch,
    /// The machine, its memory's timing and limits.
    pub options: Options,
    /// What may be seen without being a failure: programs that trap or leave memory on purpose.
    pub allowed: Vec<Verdict>,
    how: How,
    source: Source,
}

/// On what a program runs, and how often.
#[derive(Clone, Copy)]
struct How {
    simulator: Simulator,
    starts: u32,
}

impl How {
    /// Runs it in lockstep and compares with what it must leave.
    fn compared(self, prepared: &Prepared, options: &Options) -> Result<Finished, String> {
        simulate::rtl_starts(self.simulator, &prepared.launch, options, self.starts, &|done| {
            for wrong in prepared.compare(&done.image) {
                done.report.problem(Verdict::WrongOutput, wrong);
            }
            done.report.passed()
        })
    }
}

enum Source {
    Isa(Box<RandomProgram>),
    Wgsl(Box<Wgsl>),
    Graph(Box<Graph>),
}

struct Wgsl {
    shader: wgsl::Shader,
    fault: Option<CompilerFault>,
    prepared: Prepared,
}

impl Wgsl {
    fn new(shader: wgsl::Shader, config: &GpuConfig, fault: Option<CompilerFault>) -> Input<Self> {
        let prepared = shader.job()?.prepare(&shader.compile(fault)?, config)?;
        Ok(Self { shader, fault, prepared })
    }

    /// Leaves out top-level statements as long as it still fails.
    fn shrink(mut self, how: How, options: &Options, report: &mut String) -> Self {
        let (mut i, mut attempts) = (0, 0);
        while let Some(candidate) = self.shader.without(i) {
            let small = Wgsl::new(candidate, &options.config, self.fault);
            let run = small.ok().and_then(|s| Some((how.compared(&s.prepared, options).ok()?, s)));
            attempts += 1;
            match run {
                Some((done, small)) if !done.report.passed() => {
                    *report = done.report.text();
                    self = small;
                }
                _ => i += 1,
            }
            if attempts == SHRINK_ATTEMPTS {
                break;
            }
        }
        self
    }
}

struct Graph {
    graph: RandomGraph,
    fault: Option<CompilerFault>,
    prepared: Prepared,
}

impl Graph {
    fn new(graph: RandomGraph, config: &GpuConfig, fault: Option<CompilerFault>) -> Input<Self> {
        let prepared = graph.prepare(config, fault)?.1;
        Ok(Self { graph, fault, prepared })
    }

    /// Leaves out threads and edges as long as it still fails.
    fn shrink(mut self, how: How, options: &Options, report: &mut String) -> Self {
        let mut i = 0;
        for _ in 0..SHRINK_ATTEMPTS {
            let Some(candidate) = self.graph.smaller(i) else { break };
            let small = Self::new(candidate, &options.config, self.fault);
            match small.ok().and_then(|s| Some((how.compared(&s.prepared, options).ok()?, s))) {
                Some((done, small)) if !done.report.passed() => {
                    *report = done.report.text();
                    self = small;
                }
                _ => i += 1,
            }
        }
        self
    }
}

/// A failure, shrunk.
pub struct Failure {
    /// Of the program before it was shrunk.
    pub seed: u64,
    /// Report of the shrunk program.
    pub report: String,
    /// Its text.
    pub program: String,
    /// Length of the shrunk program.
    pub instructions: usize,
    /// The shrunk program as a job.
    pub kept: Option<Kept>,
}

/// Runs of a failing program that shrinking may use: on rust-hdl's engine one takes seconds.
const SHRINK_ATTEMPTS: usize = 60;

/// Timing of the memory by seed: from next to nothing to slow, jittery and stalling.
fn timing(rng: &mut impl Rng, seed: u64) -> MemoryConfig {
    let latency = [1, 2, 5, 10, 40][rng.random_range(0..5)];
    let jitter = [0, 0, 3, 30][rng.random_range(0..4)];
    let stall = [0, 0, 10, 40, 75][rng.random_range(0..5)];
    MemoryConfig { latency, jitter, stall, seed }
}

/// The six combinations of execution and result option in turn.
fn wide_options(number: u64) -> (WarpWide, WideResult) {
    const EXECUTION: [WarpWide; 3] = [WarpWide::Representative, WarpWide::Collective, WarpWide::Scalar];
    const RESULT: [WideResult; 2] = [WideResult::PerLane, WideResult::Shared];
    (EXECUTION[(number % 3) as usize], RESULT[(number / 3 % 2) as usize])
}

fn options(seed: u64, settings: &Settings) -> Options {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5EED_0F7E);
    let (units, warps, lines) = (rng.random_range(0..4), rng.random_range(0..4), rng.random_range(0..3));
    // A machine is compiled once: the options of warp-wide operations follow from its other sizes,
    // so there are no more machines than without them.
    let (warp_wide, warp_wide_result) = wide_options((warps + lines + 2 * (units / 3)) as u64);
    let mut config = GpuConfig {
        units: settings.units.unwrap_or([1, 1, 1, 2][units]),
        warps: settings.warps.unwrap_or([2, 3, 4, 8][warps]),
        icache_lines: [8, 64, 256][lines],
        shared_words: 1024,
        warp_wide,
        warp_wide_result,
        ..GpuConfig::default()
    };
    // Of machines with 3 warps, for the same reason all.
    if config.warps == 3 && config.banks_can_be_two() {
        config.register_banks = RegisterBanks::Two;
    }
    mixed_cores(seed, &mut config);
    let mut model_fault = None;
    match settings.fault {
        Some(AnyFault::Rtl(f)) => config.fault = Some(f),
        Some(AnyFault::Model(f)) => model_fault = Some(f),
        _ => {}
    }
    let limits = Limits { cycles: 400_000, idle: 5_000 };
    Options { config, memory: timing(&mut rng, seed), limits, model: true, model_fault }
}

/// The declaration of the locks that only their owners give back, if the program is one of these.
fn owned_locks(program: &RandomProgram) -> Vec<LockWords> {
    let owned = || LockWords { first: isa::LOCKS, count: isa::LOCKS_BYTES / 4, step: 4, rule: LockRule::Owned };
    program.options.owned_locks.then(owned).into_iter().collect()
}

/// One seed in eight gets a second core of another function (SE-3): without function unit and with
/// fewer warp slots, or with more units. The first core can run every program. Few sizes, because
/// each machine is compiled once.
fn mixed_cores(seed: u64, config: &mut GpuConfig) {
    if seed % 8 != 5 {
        return;
    }
    (config.cores, config.icache_lines) = (2, 64);
    config.warps = config.warps.max(3);
    let change = match seed / 8 % 2 {
        0 => CoreChange { warps: Some(2), function_unit: Some(false), ..CoreChange::default() },
        _ => CoreChange { units: Some(config.units % 8 + 1), warps: Some(config.warps - 1), ..CoreChange::default() },
    };
    config.differing.insert((0, 1), change);
}

/// The launch of a random program, as a job has it whose only buffer is the data: from the lowest
/// mapped address on, as the program counts on, with the code after it.
pub fn launch_of(program: &RandomProgram) -> Launch {
    let data = program.memory.get(BASE as usize..).unwrap_or_default();
    let grid = program.grid.groups;
    // Small enough to fit in any case.
    let layout = Layout::ordered(true, 8 * program.code.len() as u32, &[data.len() as u32], 0, 0).unwrap_or_default();
    let mut bytes = data.to_vec();
    bytes.resize(layout.end.saturating_sub(BASE) as usize, 0);
    let mut constants = layout.constants(grid, 0);
    constants.extend((0..).zip(program.consts.iter().copied()).skip(CONST_USER));
    let mut launch = Launch {
        name: format!("isa-{}", program.seed),
        code: program.code.clone(),
        code_base: layout.code.addr,
        image: Image { base: BASE, bytes },
        constants,
        grid,
        group_size: program.grid.group_size,
        pinned: program.grid.pinned,
        shared_bytes: program.grid.shared_bytes,
        cutoff: 0,
        functions: needs_function_unit(&program.code),
        threads: None,
        graph_semaphores: Vec::new(),
        done: None,
        polling: Vec::new(),
        lines: Vec::new(),
        locks: owned_locks(program),
        buffers: Vec::new(),
        warnings: Vec::new(),
        constants_given: Default::default(),
        frame: None,
        dispatch: None,
    };
    launch.place_code();
    launch
}

/// Machines for random graphs: rows, cores, units, warps; semaphores, pool, tail pointers, double
/// links, any thread may release (option B of SE-22; else A); kind of bus. Few, because each is
/// compiled once.
type Shape = ([usize; 4], [usize; 2], [bool; 3], BusKind);
const GRAPH_MACHINES: [Shape; 16] = [
    ([1, 1, 1, 2], [16, 16], [true, false, true], BusKind::Crossbar),
    ([1, 1, 1, 8], [64, 256], [true, true, true], BusKind::Crossbar),
    ([1, 1, 2, 4], [64, 64], [false, false, true], BusKind::Shared),
    ([1, 2, 1, 4], [16, 64], [true, false, true], BusKind::Shared),
    ([2, 1, 1, 8], [64, 256], [true, false, true], BusKind::Crossbar),
    ([2, 2, 1, 2], [16, 64], [true, true, true], BusKind::Crossbar),
    ([2, 2, 2, 4], [64, 256], [true, false, true], BusKind::Crossbar),
    ([1, 1, 2, 8], [16, 16], [false, false, true], BusKind::Crossbar),
    ([3, 2, 1, 4], [64, 256], [true, false, true], BusKind::Crossbar),
    ([3, 3, 1, 2], [64, 256], [true, true, true], BusKind::Shared),
    ([1, 1, 2, 4], [16, 64], [true, false, false], BusKind::Crossbar),
    ([2, 2, 1, 2], [64, 256], [true, true, false], BusKind::Crossbar),
    ([3, 2, 1, 2], [16, 64], [false, false, false], BusKind::Shared),
    ([3, 3, 1, 4], [64, 256], [true, false, false], BusKind::Crossbar),
    ([2, 1, 1, 4], [16, 4], [true, false, true], BusKind::Crossbar),
    ([1, 2, 1, 8], [16, 4], [false, true, true], BusKind::Shared),
];

/// The machine of a random graph.
fn graph_options(seed: u64, settings: &Settings) -> Options {
    let mut options = options(seed, settings);
    let default = GpuConfig::default();
    (options.config.warp_wide, options.config.warp_wide_result) = (default.warp_wide, default.warp_wide_result);
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x6EA9_4002);
    let (size, [semaphores, pool], [tail_pointers, double_links, any_may_release], bus) =
        GRAPH_MACHINES[rng.random_range(0..GRAPH_MACHINES.len())];
    let config = &mut options.config;
    [config.rows, config.cores, config.units, config.warps] = size;
    config.units = settings.units.unwrap_or(config.units);
    config.warps = settings.warps.unwrap_or(config.warps);
    config.differing.clear();
    if config.cores > 1 && seed.is_multiple_of(3) {
        // The last core of the first row is small and has no function unit (SE-3).
        let change = CoreChange { units: Some(1), warps: Some(2), function_unit: Some(false) };
        config.differing.insert((0, config.cores - 1), change);
    }
    config.icache_lines = 64;
    config.bus = bus;
    config.semaphores = SemaphoreConfig { semaphores, pool, tail_pointers, double_links, any_may_release };
    options.limits.cycles *= 5;
    options
}

/// What the seed of a program full of atomics decides beside its machine's options: each in a share
/// of the seeds, and for every combination of options alike.
struct Mixture {
    cores: usize,
    owned_locks: bool,
    stale_registers: bool,
    traps: bool,
    faults: bool,
    long_runs: bool,
    /// Lanes that come late get the kept result (WW-27), and the program has some.
    late: bool,
}

impl Mixture {
    fn new(seed: u64) -> Self {
        let round = seed / 6;
        Self {
            cores: [1, 1, 1, 2, 1, 1, 1, 4][(round % 8) as usize],
            owned_locks: round % 3 != 2,
            stale_registers: round % 7 == 3,
            traps: round % 5 == 3,
            faults: round % 5 == 4,
            long_runs: round % 97 == 2,
            late: round / 2 % 3 == 1,
        }
    }
}

/// Cycles of a memory that is slower than some 500 instructions of a warp.
const SLOW: u32 = 6_000;

/// The machine of a program full of atomics: the six combinations of options in turn; one in eight
/// has two cores, one in eight four.
fn atomics_options(seed: u64, settings: &Settings) -> Options {
    let (mut options, mixture) = (options(seed, settings), Mixture::new(seed));
    let config = &mut options.config;
    (config.warp_wide, config.warp_wide_result) = wide_options(seed);
    config.warp_wide_late = if mixture.late { WideLate::Stored } else { WideLate::Again };
    if !config.banks_can_be_two() {
        config.register_banks = RegisterBanks::One;
    }
    // Few sizes, because each machine is compiled once.
    config.cores = mixture.cores;
    config.differing.clear();
    config.units = settings.units.unwrap_or(if mixture.cores == 4 || (seed / 6).is_multiple_of(2) { 1 } else { 2 });
    config.warps = settings.warps.unwrap_or(4);
    config.icache_lines = 64;
    if mixture.long_runs {
        options.memory.latency = SLOW;
        options.limits = Limits { cycles: 20_000_000, idle: 4 * u64::from(SLOW) };
    }
    options
}

/// The program of a seed for that machine, and what may be seen without being a failure.
fn isa_program(kind: Kind, seed: u64, config: &GpuConfig) -> (RandomProgram, Vec<Verdict>) {
    let atomics = kind == Kind::Atomics;
    let mixture = Mixture::new(seed);
    let (traps, faults) = match atomics {
        true => (mixture.traps, mixture.faults),
        false => (seed % 8 == 7, seed % 8 == 6),
    };
    let long_runs = atomics && mixture.long_runs;
    let defaults = isa::Options::default();
    let options = isa::Options {
        units: config.total_units(),
        warps: config.most_warps(),
        shared_words: config.shared_words,
        statements: if long_runs { 12 } else { defaults.statements },
        max_warp_instructions: if long_runs { 20_000 } else { defaults.max_warp_instructions },
        traps,
        faults,
        atomics,
        owned_locks: atomics && mixture.owned_locks,
        stale_registers: atomics && mixture.stale_registers,
        long_runs,
        late: atomics && config.warp_wide_late == WideLate::Stored,
    };
    let mut allowed = vec![Verdict::Pass];
    if traps || faults {
        allowed.extend([Verdict::Trap, Verdict::MemoryFault]);
    }
    (isa::generate(seed, &options), allowed)
}

/// A program that does something wrong may end with that verdict, but no program may hang.
fn accepted(allowed: &[Verdict], report: &Report) -> bool {
    allowed.contains(&report.verdict) && report.hang.is_none()
}

/// A program as its seed drew it, before it is compiled.
enum Drawn {
    Isa(Box<RandomProgram>, Vec<Verdict>),
    Wgsl(Box<wgsl::Shader>),
    Graph(Box<RandomGraph>),
}

impl Drawn {
    fn new(kind: Kind, seed: u64, config: &GpuConfig) -> Self {
        match kind {
            Kind::Isa | Kind::Atomics => {
                let (program, allowed) = isa_program(kind, seed, config);
                Self::Isa(Box::new(program), allowed)
            }
            Kind::Graph => Self::Graph(Box::new(graphs::generate_for(seed, config))),
            Kind::Wgsl => Self::Wgsl(Box::new(wgsl::generate(seed))),
        }
    }
}

/// The machine of a seed, its memory and its limits.
fn options_of(kind: Kind, seed: u64, settings: &Settings) -> Options {
    let mut options = kind.options(seed, settings);
    if let Some(shared) = machines::one_of(&settings.machines, seed) {
        options.config = shared.clone();
    }
    options
}

/// The program of a seed as a job, before it is made smaller: for one that cannot be compiled.
pub fn kept_as_drawn(kind: Kind, seed: u64, settings: &Settings) -> Kept {
    let options = options_of(kind, seed, settings);
    match Drawn::new(kind, seed, &options.config) {
        Drawn::Isa(program, _) => Kept::isa(&program, &options),
        Drawn::Wgsl(shader) => Kept::wgsl(&shader, &options),
        Drawn::Graph(graph) => Kept::graph(&graph, &options),
    }
}

impl Case {
    /// The case of a seed.
    ///
    /// # Errors
    /// A random shader that the compiler refuses: a mistake of the generator or the compiler.
    pub fn new(kind: Kind, seed: u64, settings: &Settings) -> Input<Self> {
        let options = options_of(kind, seed, settings);
        let how = How { simulator: settings.simulator, starts: settings.starts.max(1) };
        let compiler = match settings.fault {
            Some(AnyFault::Compiler(f)) => Some(f),
            _ => None,
        };
        let pass = vec![Verdict::Pass];
        let (launch, allowed, source) = match Drawn::new(kind, seed, &options.config) {
            Drawn::Isa(program, allowed) => (launch_of(&program), allowed, Source::Isa(program)),
            Drawn::Graph(graph) => {
                let graph = Graph::new(*graph, &options.config, compiler)?;
                (graph.prepared.launch.clone(), pass, Source::Graph(Box::new(graph)))
            }
            Drawn::Wgsl(shader) => {
                let wgsl = Wgsl::new(*shader, &options.config, compiler)?;
                (wgsl.prepared.launch.clone(), pass, Source::Wgsl(Box::new(wgsl)))
            }
        };
        Ok(Self { seed, launch, options, how, allowed, source })
    }

    /// The program as a job, as it was drawn.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> Kept {
        match &self.source {
            Source::Isa(program) => Kept::isa(program, &self.options),
            Source::Wgsl(wgsl) => Kept::wgsl(&wgsl.shader, &self.options),
            Source::Graph(graph) => Kept::graph(&graph.graph, &self.options),
        }
    }

    /// Runs it in lockstep; `Err` is a core that cannot be built.
    ///
    /// # Errors
    /// As [`simulate::rtl`].
    pub fn run(&self) -> Result<Finished, String> {
        match &self.source {
            Source::Isa(_) => {
                let How { simulator, starts } = self.how;
                let accept = |done: &mut Finished| accepted(&self.allowed, &done.report);
                simulate::rtl_starts(simulator, &self.launch, &self.options, starts, &accept)
            }
            Source::Wgsl(wgsl) => self.how.compared(&wgsl.prepared, &self.options),
            Source::Graph(graph) => self.how.compared(&graph.prepared, &self.options),
        }
    }

    /// Whether the run is as it should be.
    pub fn accepts(&self, done: &Finished) -> bool {
        accepted(&self.allowed, &done.report)
    }

    /// Makes a failing case small.
    pub fn shrink(self, first: Finished) -> Failure {
        let Self { seed, options, how, allowed, source, .. } = self;
        let mut report = first.report.text();
        let (program, instructions, kept) = match source {
            Source::Wgsl(wgsl) => {
                let small = wgsl.shrink(how, &options, &mut report);
                let kept = Kept::wgsl(&small.shader, &options);
                (small.shader.text, small.prepared.launch.code.len(), kept)
            }
            Source::Graph(graph) => {
                let small = graph.shrink(how, &options, &mut report);
                let kept = Kept::graph(&small.graph, &options);
                let text = format!("{}\n{}", small.graph.describe(), kept.text());
                (text, small.prepared.launch.code.len(), kept)
            }
            Source::Isa(program) => {
                let small = isa::shrink_within(&program, SHRINK_ATTEMPTS, &mut |candidate| {
                    let accept = |done: &mut Finished| accepted(&allowed, &done.report);
                    let done =
                        simulate::rtl_starts(how.simulator, &launch_of(candidate), &options, how.starts, &accept);
                    match done {
                        Ok(done) if !accepted(&allowed, &done.report) => {
                            report = done.report.text();
                            true
                        }
                        _ => false,
                    }
                });
                let grid = format!("; groups {:?} of {:?}\n", small.grid.groups, small.grid.group_size);
                (grid + &small.asm(), small.code.len(), Kept::isa(&small, &options))
            }
        };
        Failure { seed, report, program, instructions, kept: Some(kept) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever a seed of a program full of atomics may have, each combination of options has it,
    /// and not always.
    #[test]
    fn every_combination_of_options_gets_every_kind_of_program() {
        let traits: [fn(&Mixture) -> bool; 8] = [
            |m| m.cores == 2,
            |m| m.cores == 4,
            |m| m.owned_locks,
            |m| m.stale_registers,
            |m| m.traps,
            |m| m.faults,
            |m| m.long_runs,
            |m| m.late,
        ];
        for combination in 0..6u64 {
            for (n, has) in traits.iter().enumerate() {
                let count = (0..100).filter(|round| has(&Mixture::new(6 * round + combination))).count();
                assert!((1..=67).contains(&count), "trait {n}: {count} of the 100 rounds of make fuzz");
            }
        }
    }

    /// So that the command that is printed for a failure needs the seed only.
    #[test]
    fn a_seed_decides_everything() {
        let settings = Settings::default();
        for seed in [1, 17, 12, 20, 43] {
            let case = || Case::new(Kind::Atomics, seed, &settings).unwrap();
            let (a, b) = (case(), case());
            assert_eq!((a.launch.code, &a.allowed), (b.launch.code, &b.allowed));
            assert_eq!(format!("{:?}", a.options), format!("{:?}", b.options));
        }
        let plain = |seed| Case::new(Kind::Isa, seed, &settings).unwrap().options.config;
        let seen: std::collections::HashSet<_> =
            (0..200).map(plain).map(|c| (c.warp_wide, c.warp_wide_result)).collect();
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    /// With `--machines 12` there are twelve, the same for each seed that is run alone, and they
    /// have all combinations of options, and several cores.
    #[test]
    fn programs_share_machines() {
        for kind in [Kind::Isa, Kind::Graph, Kind::Atomics] {
            let mut settings = Settings::default();
            settings.share(kind, 12, 1);
            let machines = settings.machines.clone();
            assert_eq!(machines.len(), 12, "{kind:?}");
            assert!(machines.iter().any(|m| m.cores > 1) && machines.iter().any(|m| m.cores == 1), "{kind:?}");
            let options: std::collections::HashSet<_> =
                machines.iter().map(|m| (m.warp_wide, m.warp_wide_result)).collect();
            assert_eq!(options.len(), if kind == Kind::Graph { 1 } else { 6 }, "{kind:?}: {options:?}");
            let late = machines.iter().filter(|m| m.warp_wide_late == WideLate::Stored).count();
            assert_eq!((1..12).contains(&late), kind == Kind::Atomics, "{kind:?}");
            let config = |seed| Case::new(kind, seed, &settings).unwrap().options.config;
            let used: Vec<GpuConfig> = (30..42).map(config).collect();
            assert!(machines.iter().all(|m| used.contains(m)), "{kind:?}");
            let mut other = Settings::default();
            other.share(kind, 12, 2);
            assert_ne!(machines, other.machines, "{kind:?}");
        }
    }
}
