//! `quadlock crosscheck`: all blocks on random inputs and the whole core on recorded jobs, on every
//! engine that is there. A peer that is not installed is left out with a message; with
//! `QUADLOCK_REQUIRE_PEERS` set, as by `make`, that is an error.

use std::path::PathBuf;
use std::sync::mpsc;

use clap::Args;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;

use super::share::Share;
use crate::base::error::{bad, Input, InputError};
use crate::base::stack;
use crate::check::crosscheck::cases::{self, BlockCase, JobCase};
use crate::check::crosscheck::{peer, run, EngineName, Outcome as Compared, Settings};
use crate::cli::outcome::{print, say, Outcome};

/// Cycles of the whole core below which the default set has not done its work, by a job that ends
/// too early for instance.
const LEAST_JOB_CYCLES: u64 = 40_000;
/// Most cycles of a block: all inputs of all blocks are held in memory, and in a file for the
/// peers.
const MOST_CYCLES: u64 = 1_000_000;

#[derive(Args, Debug)]
pub struct CrosscheckArgs {
    /// The short check for daily use: 300 cycles per block, 5,500 per job, 1,500 per job on Icarus
    #[arg(long)]
    quick: bool,
    /// Blocks to check with random inputs [default: all of `quadlock export --list`; none with
    /// --job]
    #[arg(long, value_name = "BLOCK")]
    block: Vec<String>,
    /// Job files to run on the whole machine [default: four examples, two jobs with random memory
    /// timing, one job with all six combinations of warp-wide options, one job with late lanes;
    /// none with --block]
    #[arg(long, value_name = "FILE")]
    job: Vec<PathBuf>,
    /// Cycles per block, and at most as many per job [default: 4000 per block; jobs run to their
    /// end]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MOST_CYCLES))]
    cycles: Option<u64>,
    /// Limit of cycles per job on Icarus [default: 20000; with --quick 1500]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    icarus_cycles: Option<u64>,
    /// Check only the K-th of N shares of the blocks and jobs
    #[arg(long, value_name = "K/N", conflicts_with_all = ["block", "job"])]
    share: Option<Share>,
    /// Verilator, whose builds take longest, checks one in N blocks, chosen by --seed. The other
    /// engines check all blocks, and every engine runs all jobs
    #[arg(long, value_name = "N", conflicts_with_all = ["block", "job"], value_parser = clap::value_parser!(u16).range(1..))]
    verilator_sample: Option<u16>,
    /// Seed of the random inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Engines to compare [default: all that are installed]
    #[arg(long, value_enum)]
    engine: Vec<EngineName>,
    /// Plant a fault in one engine only, to show that the check finds it
    #[arg(long, value_name = "ENGINE:FAULT")]
    plant: Option<String>,
    /// Change a build parameter of the blocks and of the machine of each --job
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder for the builds of Verilator and Icarus
    #[arg(long, value_name = "DIR", default_value = "out/crosscheck")]
    out: PathBuf,
}

pub fn run(args: &CrosscheckArgs) -> Input<Outcome> {
    let settings = settings(args)?;
    let (blocks, jobs) = what(args)?;
    let pool = pool()?;
    let stop =
        |e: String| Box::new(InputError::new(e).help("an engine refuses what the others run, or a name is wrong"));
    let mut tasks: Vec<Task> = by_engines(args, blocks, &settings)
        .into_iter()
        .map(|(blocks, settings)| Box::new(move || run::blocks(&blocks, &settings)) as Task)
        .collect();
    if !jobs.is_empty() {
        tasks.push(Box::new(move || run::jobs(&jobs, &settings)));
    }
    let (mut differences, mut job_cycles) = (Vec::new(), 0);
    side_by_side(&pool, tasks, |outcome| {
        outcome.lines.iter().for_each(|l| say(&format!("{l}\n")));
        job_cycles += outcome.job_cycles;
        differences.extend(outcome.differences);
    })
    .map_err(stop)?;
    differences.iter().for_each(|d| print(&format!("{d}\n")));
    let verdict = if differences.is_empty() { "all engines agree" } else { "THE ENGINES DIFFER" };
    say(&format!("{verdict}; {job_cycles} cycles of the whole core on jobs\n"));
    let default_set = args.block.is_empty() && args.job.is_empty() && args.cycles.is_none() && args.share.is_none();
    let too_few = default_set && job_cycles < LEAST_JOB_CYCLES;
    if too_few {
        print(&format!("TOO FEW: the jobs must run the core for {LEAST_JOB_CYCLES} cycles; one of them ends early\n"));
    }
    Ok(if differences.is_empty() && !too_few { Outcome::Pass } else { Outcome::Fail })
}

/// A part of the check. A peer runs on one processor, so parts run side by side.
type Task = Box<dyn FnOnce() -> Result<Compared, String> + Send>;

/// Threads of the check.
fn pool() -> Input<rayon::ThreadPool> {
    // A task that panics ends the check with an error ([`side_by_side`]), and not the process at
    // once.
    let pool = stack::pool().panic_handler(drop).build();
    pool.or_else(|e| bad(format!("cannot start threads: {e}"), "free some memory"))
}

/// Runs tasks on the threads of `pool`; `each` gets what they did, in their order, as soon as it
/// can.
///
/// # Errors
/// That of the first task in order that failed, or that one panicked.
fn side_by_side(pool: &rayon::ThreadPool, tasks: Vec<Task>, mut each: impl FnMut(Compared)) -> Result<(), String> {
    let results: Vec<_> = tasks
        .into_iter()
        .map(|task| {
            let (send, receive) = mpsc::channel();
            // Nobody listens if a task before it failed.
            pool.spawn(move || drop(send.send(task())));
            receive
        })
        .collect();
    for result in results {
        each(result.recv().map_err(|_| "a thread of the check panicked")??);
    }
    Ok(())
}

/// The blocks in lists, each with the engines that check it: with --verilator-sample Verilator is
/// left out for most.
fn by_engines(args: &CrosscheckArgs, blocks: Vec<BlockCase>, settings: &Settings) -> Vec<(Vec<BlockCase>, Settings)> {
    let one_in = args.verilator_sample.filter(|_| settings.engines.contains(&EngineName::Verilator));
    let (chosen, others) = match one_in {
        Some(n) => cases::sample(blocks, usize::from(n), args.seed),
        None => (blocks, vec![]),
    };
    if let Some(n) = one_in {
        let names: Vec<String> = chosen.iter().map(|b| format!("{}{}", b.name, b.sets)).collect();
        say(&format!(
            "verilator checks {} of {} blocks (--verilator-sample {n} --seed {}): {}\n",
            chosen.len(),
            chosen.len() + others.len(),
            args.seed,
            names.join(", ")
        ));
    }
    let mut without = settings.clone();
    without.engines.retain(|e| *e != EngineName::Verilator);
    // Both lists are built at once.
    without.dir = without.dir.join("without-verilator");
    let lists = [(others, without), (chosen, settings.clone())];
    lists.into_iter().filter(|(blocks, _)| !blocks.is_empty()).collect()
}

/// Blocks and jobs to check.
fn what(args: &CrosscheckArgs) -> Input<(Vec<BlockCase>, Vec<JobCase>)> {
    let wrong = |e: String| Box::new(InputError::new(format!("--set: {e}")).help("the parameters are in docs/jobs.md"));
    let mut config = GpuConfig::default();
    cases::change(&mut config, &args.set).map_err(wrong)?;
    if args.block.is_empty() && args.job.is_empty() {
        let (blocks, jobs) = (cases::default_blocks(&config, &args.set).map_err(wrong)?, cases::default_jobs());
        return Ok(match args.share {
            Some(share) => (share.take(blocks), share.take(jobs)),
            None => (blocks, jobs),
        });
    }
    let jobs = args.job.iter().map(|path| JobCase { path: path.clone(), sets: args.set.clone() }).collect();
    Ok((cases::blocks(&args.block, &config, &args.set), jobs))
}

fn settings(args: &CrosscheckArgs) -> Input<Settings> {
    let mut settings = Settings::quick(args.out.clone());
    if !args.quick {
        settings = Settings { cycles: 4_000, job_cycles: u64::MAX, icarus_cycles: 20_000, ..settings };
        settings.optimise = "-O1".into();
    }
    if let Some(cycles) = args.cycles {
        settings.cycles = cycles;
        settings.job_cycles = cycles;
    }
    settings.icarus_cycles = args.icarus_cycles.unwrap_or(settings.icarus_cycles);
    settings.seed = args.seed;
    settings.engines = engines(&args.engine)?;
    if settings.engines.len() < 2 {
        return bad("one engine agrees with itself: nothing is compared", "name two or more with --engine, or none");
    }
    if args.verilator_sample.is_some() {
        let others = settings.engines.iter().filter(|e| **e != EngineName::Verilator).count();
        if others < 2 {
            let what = "--verilator-sample leaves most blocks to one engine, which agrees with itself";
            return bad(what, "name two others with --engine");
        }
        if !args.engine.is_empty() && others == settings.engines.len() {
            return bad("--verilator-sample: verilator is not among the engines", "add --engine verilator");
        }
    }
    if let Some(text) = &args.plant {
        let (engine, fault) = plant(text)?;
        if !settings.engines.contains(&engine) {
            return bad(format!("--plant {text}: {engine} is not among the engines"), format!("add --engine {engine}"));
        }
        settings.fault = Some((engine, fault));
    }
    settings.again = args.engine.iter().map(|e| format!(" --engine {e}")).collect();
    Ok(settings)
}

/// `ENGINE:FAULT`.
fn plant(text: &str) -> Input<(EngineName, Fault)> {
    let found = text.split_once(':').and_then(|(engine, fault)| {
        let engine = EngineName::ALL.into_iter().find(|e| e.to_string() == engine)?;
        Some((engine, Fault::by_name(fault)?))
    });
    match found {
        Some(plant) => Ok(plant),
        None => bad(
            format!("--plant {text}: not an engine and a fault of the RTL"),
            "for example rtlsim:add-carry; `quadlock faults` lists the faults",
        ),
    }
}

fn engines(asked: &[EngineName]) -> Input<Vec<EngineName>> {
    if !asked.is_empty() {
        let mut engines = asked.to_vec();
        engines.sort_unstable();
        engines.dedup();
        return Ok(engines);
    }
    let mut there = Vec::new();
    for engine in EngineName::ALL {
        match peer::version(engine) {
            Ok(version) => {
                if engine.is_peer() {
                    say(&format!("{engine}: {version}\n"));
                }
                there.push(engine);
            }
            Err(e) if std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_some() => {
                return bad(e, "install it with scripts/install-tools.sh");
            }
            Err(e) => say(&format!("{engine}: left out: {e}\n")),
        }
    }
    Ok(there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(job_cycles: u64) -> Task {
        Box::new(move || Ok(Compared { job_cycles, ..Compared::default() }))
    }

    #[test]
    fn what_tasks_did_comes_in_their_order() {
        let pool = pool().unwrap();
        let mut seen = vec![];
        let tasks = (0..20).map(cycles).collect();
        assert_eq!(side_by_side(&pool, tasks, |done| seen.push(done.job_cycles)), Ok(()));
        assert_eq!(seen, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_task_that_fails_or_panics_is_an_error() {
        let pool = pool().unwrap();
        let mut seen = vec![];
        let failing: Vec<Task> = vec![cycles(1), Box::new(|| Err("no such engine".into())), cycles(2)];
        let failed = side_by_side(&pool, failing, |done| seen.push(done.job_cycles));
        assert_eq!((failed, seen), (Err("no such engine".into()), vec![1]));
        let panicking: Vec<Task> = vec![Box::new(|| panic!("on purpose")), cycles(1)];
        assert_eq!(side_by_side(&pool, panicking, |_| {}), Err("a thread of the check panicked".into()));
    }
}
