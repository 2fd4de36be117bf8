//! `quadlock fuzz`: many random programs on all cores, the first failures shrunk and printed with
//! the command that shows each again.

use std::time::Instant;

use rayon::prelude::*;

use super::fuzz_args::{bar, fault, pool, FuzzArgs};
use super::outcome::{print, say, Outcome};
use super::{fuzz_beside, fuzz_links, fuzz_scenes};
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::base::units::rate;
use crate::random::campaign::{Case, Failure, Kind, Settings};
use crate::report::Report;
use crate::simulate::Simulator;

/// What one program did.
struct Done {
    failure: Option<Failure>,
    report: Option<Report>,
}

fn settings(args: &FuzzArgs) -> Input<Settings> {
    let fault = fault(args)?;
    let config = quadlock_hdl::config::GpuConfig {
        units: args.units.unwrap_or(1),
        warps: args.warps.unwrap_or(2),
        ..Default::default()
    };
    config.check().or_else(|e| bad(e, "correct --units or --warps"))?;
    let mut settings = Settings { fault, units: args.units, warps: args.warps, simulator: args.rtl, machines: vec![] };
    if let Some((count, seed)) = args.shared() {
        settings.share(special(args).unwrap_or(Kind::Isa), count, seed);
    }
    Ok(settings)
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
    command += &args.same_machines(seed);
    if args.rtl == Simulator::RustHdl {
        command += " --rtl rust-hdl";
    }
    if let Some(set) = &args.set {
        command += &format!(" --set {set}");
    }
    command
}

pub fn run(args: &FuzzArgs) -> Input<Outcome> {
    match (args.scenes, args.beside) {
        (Some(scenes), Some(_)) => return fuzz_beside::run(args, scenes),
        // Clap asks for --scenes, but not beside what excludes it.
        (None, Some(_)) => return bad("--beside: it is of --scenes alone", "write --scenes N, or leave it out"),
        (_, None) => {}
    }
    if let Some(scenes) = args.scenes.or(args.merges).or(args.splits).or(args.hides) {
        return fuzz_scenes::run(args, scenes);
    }
    if let Some(links) = args.links {
        return fuzz_links::run(args, links);
    }
    let settings = settings(args)?;
    let start = Instant::now();
    let pool = pool(args)?;
    let programs = args.graphs.or(args.atomics).unwrap_or(args.programs);
    let bar = bar(programs, "programs");
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
    if !settings.machines.is_empty() {
        let count = settings.machines.len();
        say(&format!("the programs share {count} machine{}\n", if count == 1 { "" } else { "s" }));
    }
    let sum = |get: fn(&Report) -> u64| done.iter().filter_map(|d| d.report.as_ref()).map(get).sum::<u64>();
    let (cycles, retired) = (sum(|r| r.cycles.unwrap_or(0)), sum(|r| r.retired));
    let late = sum(|r| r.late_arrivals.unwrap_or(0));
    let seconds = start.elapsed().as_secs_f64();
    say(&format!(
        "{} programs, {} failed; {retired} warp instructions in {cycles} cycles{}; {seconds:.1} s, {}\n",
        programs,
        failures.len(),
        if late > 0 { format!(", {late} late arrivals") } else { String::new() },
        rate(cycles as f64 / seconds.max(1e-9), "cycles")
    ));
    if let Some(path) = &args.report {
        let json = serde_json::json!({
            "programs": programs, "seed": args.seed, "failed": failures.len(),
            "machines": args.machines.map(|_| settings.machines.len()),
            "failed_seeds": failures.iter().map(|f| f.seed).collect::<Vec<_>>(),
            "retired": retired, "cycles": cycles, "late_arrivals": late, "seconds": seconds,
        });
        write_atomic(path, format!("{json:#}\n").as_bytes())?;
    }
    Ok(if failures.is_empty() { Outcome::Pass } else { Outcome::Fail })
}
