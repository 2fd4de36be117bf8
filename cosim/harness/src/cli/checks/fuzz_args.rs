//! What `quadlock fuzz` is told, and what its kinds have in common: the planted fault, the threads,
//! how far it is, and failures, which are told when they happen.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::{Args, ValueEnum};

use crate::base::error::{bad, Input};
use crate::base::files::{check_folder, check_outputs};
use crate::base::progress::{tell, Progress};
use crate::base::stack;
use crate::cli::outcome::print;
use crate::random::campaign::Kind;
use crate::simulate::{AnyFault, Simulator};

/// Renderers that scenes are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Beside {
    /// Mesa's software renderer, through Vulkan
    Lavapipe,
}

#[derive(Args, Debug)]
pub struct FuzzArgs {
    /// Number of programs
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) programs: u64,
    /// Run N random dependency graphs instead: short for --kind graph --programs N
    #[arg(long, value_name = "N", conflicts_with_all = ["programs", "kind"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) graphs: Option<u64>,
    /// Run N programs with many atomics instead: short for --kind atomics --programs N
    #[arg(long, value_name = "N", conflicts_with_all = ["programs", "kind", "graphs"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) atomics: Option<u64>,
    /// Draw N random scenes instead (docs/scenes.md)
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["programs", "kind", "graphs", "atomics", "units", "warps"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) scenes: Option<u64>,
    /// With --scenes: compare the golden model alone with another renderer; an exact arbiter judges
    /// each difference (docs/beside.md)
    #[arg(long, value_enum, value_name = "RENDERER", requires = "scenes", conflicts_with_all = ["small", "exact", "machines"])]
    pub(super) beside: Option<Beside>,
    /// With --beside: program that draws on the other renderer [default: lavapipe-judge in the
    /// folder of this program]
    #[arg(long, value_name = "PATH", requires = "beside")]
    pub(super) judge: Option<PathBuf>,
    /// With --beside: time limit in seconds for one answer of that program
    #[arg(long, value_name = "N", default_value_t = 90, requires = "beside", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) judge_seconds: u64,
    /// With --beside: keep a wrong scene without shrinking it, which is faster
    #[arg(long, requires = "beside")]
    pub(super) no_shrink: bool,
    /// Draw N random scenes instead, on machines that merge warps, with random merge options
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["programs", "kind", "graphs", "atomics", "units", "warps"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) merges: Option<u64>,
    /// Draw N random scenes instead, on machines that split warps. Most scenes have programs that
    /// run once per sample
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["programs", "kind", "graphs", "atomics", "units", "warps"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) splits: Option<u64>,
    /// Draw N random scenes instead, on machines with Hi-Z, triangle windows, or both
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["programs", "kind", "graphs", "atomics", "units", "warps"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) hides: Option<u64>,
    /// Draw N random frames of 20 to 60 draws instead. The seed of each draws one set of the
    /// options of --merges, --splits and --hides for its machine
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["programs", "kind", "graphs", "atomics", "units", "warps"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) frames: Option<u64>,
    /// Run N random pairs of programs instead, each with a compute program, and compare linked with
    /// unlinked results bit for bit
    #[arg(long, value_name = "N", group = "drawn", conflicts_with_all = ["programs", "kind", "graphs", "atomics", "units", "warps", "options", "small"], value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) links: Option<u64>,
    /// With --merges, --splits, --hides or --frames: use this set of machine options. `all` draws
    /// the scenes with every set, `K/N` with the K-th of N shares of the sets (docs/regression.md)
    #[arg(long, value_name = "SET", conflicts_with = "scenes", requires = "drawn")]
    pub(super) options: Option<String>,
    /// With --scenes, --merges, --splits, --hides or --frames: one draw of at most 12 corners per
    /// scene, on a small target
    #[arg(long, requires = "drawn")]
    pub(super) small: bool,
    /// Folder for failures. Each failing program or scene gets a folder in it, as a job or a scene
    #[arg(long, value_name = "DIR", default_value = "out/fuzz")]
    pub(super) out: PathBuf,
    /// Do not fuse a float product and sum in the programs of scenes. WGSL programs are always
    /// exact, because their expected results are computed operation by operation
    #[arg(long)]
    pub(super) exact: bool,
    /// Seed of the first program or scene. The following seeds count up by one
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Share N machines between all programs or scenes [default: one random machine each]
    #[arg(long, value_name = "N", conflicts_with = "links", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) machines: Option<u16>,
    /// With --machines: seed of the machines [default: the value of --seed]
    #[arg(long, value_name = "SEED", requires = "machines")]
    pub(super) machine_seed: Option<u64>,
    /// Number of programs in parallel [default: one per processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
    /// Kind of programs [default: every fourth seed a WGSL program, the others instruction
    /// sequences]
    #[arg(long, value_enum)]
    pub(super) kind: Option<Kind>,
    /// Warp units per core, 1 to 8 [default: from the seed]
    #[arg(long)]
    pub(super) units: Option<usize>,
    /// Resident warps per unit, 2 to 16 [default: from the seed]
    #[arg(long)]
    pub(super) warps: Option<usize>,
    /// Start the machine K times with each program or scene, without a reset in between. Each start
    /// finds the state that the previous one left
    #[arg(long, value_name = "K", default_value_t = 1, conflicts_with_all = ["links", "beside"], value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) starts: u32,
    /// Simulator of the RTL
    #[arg(long, value_enum, default_value = "rtlsim", value_name = "SIMULATOR")]
    pub(super) rtl: Simulator,
    /// Plant a fault: fault=NAME
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Option<String>,
    /// Write the totals as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
}

impl FuzzArgs {
    /// Number and seed of the machines that are shared.
    pub(super) fn shared(&self) -> Option<(usize, u64)> {
        Some((self.machines?.into(), self.machine_seed.unwrap_or(self.seed)))
    }

    /// The options that a command with this seed needs for the same machines, with a space before.
    pub(super) fn same_machines(&self, seed: u64) -> String {
        match self.shared() {
            None => String::new(),
            Some((count, of)) if of == seed => format!(" --machines {count}"),
            Some((count, of)) => format!(" --machines {count} --machine-seed {of}"),
        }
    }
}

/// The planted fault of `--set`.
pub(super) fn fault(args: &FuzzArgs) -> Input<Option<AnyFault>> {
    match args.set.as_deref().map(|s| s.split_once('=')) {
        None => Ok(None),
        Some(Some(("fault", name))) => {
            name.parse::<AnyFault>().map(Some).or_else(|e| bad(e, "write rtl:NAME, model:NAME or compiler:NAME"))
        }
        Some(_) => bad("--set: not fault=NAME", "fuzz has the setting `fault` only; `quadlock faults` lists them"),
    }
}

/// How far a campaign is, and how many of it failed. Every failure is printed when it happens: a
/// campaign may take hours, and may not come to its end.
pub(super) struct Campaign {
    bar: Progress,
    failed: AtomicU64,
}

impl Campaign {
    /// Of so many programs, scenes or pairs.
    pub(super) fn new(count: u64, what: &'static str) -> Self {
        let bar = Progress::new(what);
        bar.set_length(count);
        Self { bar, failed: AtomicU64::new(0) }
    }

    /// One more is done.
    pub(super) fn done(&self) {
        self.bar.inc(1);
    }

    /// One of them fails, before it is made smaller: that may take minutes.
    pub(super) fn found(&self, seed: u64, what: &str) {
        let first = what.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        tell(&format!("seed {seed} fails: {first}; it is being made smaller\n"));
    }

    /// All that is known of a failure.
    pub(super) fn failed(&self, text: &str) {
        let failed = self.failed.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.set_message(format!("{failed} failed"));
        print(text);
    }

    /// Nothing more is done.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Refuses what could not be written at the end of a campaign.
pub(super) fn check_written(args: &FuzzArgs) -> Input<()> {
    check_folder("--out", &args.out)?;
    args.report.as_ref().map_or(Ok(()), |path| check_outputs(&[("--report", path)]))
}

/// Threads for `--jobs`.
pub(super) fn pool(args: &FuzzArgs) -> Input<rayon::ThreadPool> {
    let pool = stack::pool().num_threads(args.jobs.map_or(0, usize::from)).build();
    pool.or_else(|e| bad(format!("cannot start threads: {e}"), "give a smaller --jobs"))
}
