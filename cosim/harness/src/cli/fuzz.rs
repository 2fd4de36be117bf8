//! `quadlock fuzz`: many random programs on all cores, the first failures shrunk and printed with
//! the command that shows each again.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;

use super::outcome::{print, Outcome};
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::random::campaign::{Case, Failure, Kind, Settings};
use crate::report::Report;
use crate::simulate::{AnyFault, Simulator};

#[derive(Args, Debug)]
pub struct FuzzArgs {
    /// Number of programs
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    programs: u64,
    /// Run this many random dependency graphs instead: short for --kind graph --programs N
    #[arg(long, value_name = "N", conflicts_with_all = ["programs", "kind"], value_parser = clap::value_parser!(u64).range(1..))]
    graphs: Option<u64>,
    /// Run this many programs full of atomics instead: short for --kind atomics --programs N
    #[arg(long, value_name = "N", conflicts_with_all = ["programs", "kind", "graphs"], value_parser = clap::value_parser!(u64).range(1..))]
    atomics: Option<u64>,
    /// Seed of the first program; the next ones count up
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs at the same time [default: one per core]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Kind of programs [default: every fourth one WGSL, the others instruction sequences]
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Warp units, 1 to 8 [default: by seed]
    #[arg(long)]
    units: Option<usize>,
    /// Resident warps per unit, 2 to 16 [default: by seed]
    #[arg(long)]
    warps: Option<usize>,
    /// What simulates the RTL
    #[arg(long, value_enum, default_value = "rtlsim", value_name = "SIMULATOR")]
    rtl: Simulator,
    /// Plant a fault: fault=NAME
    #[arg(long, value_name = "KEY=VALUE")]
    set: Option<String>,
    /// Write the totals as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// What one program did.
struct Done {
    failure: Option<Failure>,
    report: Option<Report>,
}

fn settings(args: &FuzzArgs) -> Input<Settings> {
    let fault = match args.set.as_deref().map(|s| s.split_once('=')) {
        None => None,
        Some(Some(("fault", name))) => {
            Some(name.parse::<AnyFault>().or_else(|e| bad(e, "write rtl:NAME, model:NAME or compiler:NAME"))?)
        }
        Some(_) => {
            return bad("--set: not fault=NAME", "fuzz has the setting `fault` only; `quadlock faults` lists them")
        }
    };
    let config = quadlock_hdl::config::GpuConfig {
        units: args.units.unwrap_or(1),
        warps: args.warps.unwrap_or(2),
        ..Default::default()
    };
    config.check().or_else(|e| bad(e, "correct --units or --warps"))?;
    Ok(Settings { units: args.units, warps: args.warps, fault, simulator: args.rtl })
}

/// The kind that was asked for.
fn special(args: &FuzzArgs) -> Option<Kind> {
    args.kind.or(args.graphs.map(|_| Kind::Graph)).or(args.atomics.map(|_| Kind::Atomics))
}

fn kind(args: &FuzzArgs, seed: u64) -> Kind {
    special(args).unwrap_or(if seed % 4 == 0 { Kind::Wgsl } else { Kind::Isa })
}

fn one(args: &FuzzArgs, seed: u64, settings: &Settings) -> Done {
    let failed = |what: String| Done {
        failure: Some(Failure { seed, report: what, program: String::new(), instructions: 0 }),
        report: None,
    };
    let case = match Case::new(kind(args, seed), seed, settings) {
        Ok(case) => case,
        Err(e) => return failed(e.to_string()),
    };
    match case.run() {
        Ok(done) if case.accepts(&done) => Done { failure: None, report: Some(done.report) },
        Ok(done) => {
            let report = Some(done.report.clone());
            Done { failure: Some(case.shrink(done)), report }
        }
        Err(e) => failed(e),
    }
}

fn again(args: &FuzzArgs, seed: u64) -> String {
    let mut command = format!("quadlock fuzz --programs 1 --seed {seed}");
    match special(args) {
        Some(Kind::Isa) => command += " --kind isa",
        Some(Kind::Wgsl) => command += " --kind wgsl",
        Some(Kind::Graph) => command += " --kind graph",
        Some(Kind::Atomics) => command += " --kind atomics",
        None => {}
    }
    for (name, value) in [("units", args.units), ("warps", args.warps)] {
        if let Some(value) = value {
            command += &format!(" --{name} {value}");
        }
    }
    if args.rtl == Simulator::RustHdl {
        command += " --rtl rust-hdl";
    }
    if let Some(set) = &args.set {
        command += &format!(" --set {set}");
    }
    command
}

fn bar(programs: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(programs);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} programs, {eta} left") {
        bar.set_style(style);
    }
    bar
}

pub fn run(args: &FuzzArgs) -> Input<Outcome> {
    let settings = settings(args)?;
    let start = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.map_or(0, usize::from)).build();
    let pool = pool.or_else(|e| bad(format!("cannot start threads: {e}"), "give a smaller --jobs"))?;
    let programs = args.graphs.or(args.atomics).unwrap_or(args.programs);
    let bar = bar(programs);
    let done: Vec<Done> = pool.install(|| {
        let seeds = (0..programs).into_par_iter().map(|i| args.seed.wrapping_add(i));
        seeds
            .map(|seed| {
                let done = one(args, seed, &settings);
                bar.inc(1);
                done
            })
            .collect()
    });
    bar.finish_and_clear();
    let failures: Vec<&Failure> = done.iter().filter_map(|d| d.failure.as_ref()).collect();
    for f in &failures {
        print(&format!(
            "seed {} fails; {} instructions after shrinking:\n{}\n{}\n",
            f.seed, f.instructions, f.program, f.report
        ));
        print(&format!("again: {}\n\n", again(args, f.seed)));
    }
    let sum = |get: fn(&Report) -> u64| done.iter().filter_map(|d| d.report.as_ref()).map(get).sum::<u64>();
    let (cycles, retired) = (sum(|r| r.cycles.unwrap_or(0)), sum(|r| r.retired));
    let late = sum(|r| r.late_arrivals.unwrap_or(0));
    let seconds = start.elapsed().as_secs_f64();
    print(&format!(
        "{} programs, {} failed; {retired} warp instructions in {cycles} cycles{}; {seconds:.1} s, {:.0} cycles/s\n",
        programs,
        failures.len(),
        if late > 0 { format!(", {late} late arrivals") } else { String::new() },
        cycles as f64 / seconds.max(1e-9)
    ));
    if let Some(path) = &args.report {
        let json = serde_json::json!({
            "programs": programs, "seed": args.seed, "failed": failures.len(),
            "failed_seeds": failures.iter().map(|f| f.seed).collect::<Vec<_>>(),
            "retired": retired, "cycles": cycles, "late_arrivals": late, "seconds": seconds,
        });
        write_atomic(path, format!("{json:#}\n").as_bytes())?;
    }
    Ok(if failures.is_empty() { Outcome::Pass } else { Outcome::Fail })
}
