//! `quadlock fuzz`: many random programs on all cores. Each failure is shrunk, kept as a job and
//! printed when it happens, with the commands that show it again.

use std::time::Instant;

use rayon::prelude::*;

use super::fuzz_args::{check_written, fault, pool, Campaign, FuzzArgs};
use super::{fuzz_beside, fuzz_links, fuzz_scenes};
use crate::base::caught::caught;
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::base::shell::quoted_path;
use crate::base::units::rate;
use crate::cli::outcome::{say, Outcome};
use crate::random::campaign::{kept_as_drawn, Case, Failure, Kind, Settings};
use crate::report::Report;
use crate::simulate::{AnyFault, Simulator};

/// What one program did.
struct Done {
    failure: Option<Failure>,
    report: Option<Report>,
}

fn settings(args: &FuzzArgs) -> Input<Settings> {
    let fault = fault(args)?;
    if matches!(fault, Some(AnyFault::Compiler(_))) && matches!(special(args), Some(Kind::Isa | Kind::Atomics)) {
        let what = "--set: the planted fault is in the compiler, which makes none of these programs";
        return bad(what, "leave out --kind and --atomics, or plant a fault of the RTL or of the model");
    }
    let config = quadlock_hdl::config::GpuConfig {
        units: args.units.unwrap_or(1),
        warps: args.warps.unwrap_or(2),
        ..Default::default()
    };
    config.check().or_else(|e| bad(e, "correct --units or --warps"))?;
    let mut settings = Settings {
        fault,
        units: args.units,
        warps: args.warps,
        simulator: args.rtl,
        machines: vec![],
        starts: args.starts,
    };
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
    special(args).unwrap_or(if seed.is_multiple_of(4) { Kind::Wgsl } else { Kind::Isa })
}

/// Runs one; `found` hears of a failure before it is made smaller.
fn one(args: &FuzzArgs, seed: u64, settings: &Settings, found: &dyn Fn(&str)) -> Done {
    let kind = kind(args, seed);
    let failed = |mut report: String| {
        let kept = caught(|| kept_as_drawn(kind, seed, settings));
        let kept = kept.map_err(|why| report += &format!("\nnot kept, it cannot be drawn again: {why}")).ok();
        let program = kept.as_ref().map_or(String::new(), |kept| kept.text().to_owned());
        Done { failure: Some(Failure { seed, report, program, instructions: 0, kept }), report: None }
    };
    let run = || -> Result<Done, String> {
        let case = Case::new(kind, seed, settings).map_err(|e| e.to_string())?;
        let done = case.run()?;
        if case.accepts(&done) {
            return Ok(Done { failure: None, report: Some(done.report) });
        }
        found(&done.report.verdict.shown());
        let report = Some(done.report.clone());
        Ok(Done { failure: Some(case.shrink(done)), report })
    };
    // A panic is a failure of that program, and the others still run.
    caught(run).and_then(|done| done).unwrap_or_else(failed)
}

/// All that is printed of a failure; the program is kept.
fn told(args: &FuzzArgs, failure: &Failure) -> String {
    let Failure { seed, report, program, instructions, kept } = failure;
    let again = again(args, *seed);
    let mut text = format!("seed {seed} fails; {instructions} instructions after shrinking:\n{program}\n{report}\n");
    text += &format!("again: {again}\n");
    if let Some(kept) = kept {
        let folder = args.out.join(format!("{}-{seed}", name(kind(args, *seed))));
        match kept.write(&folder) {
            Ok(file) => {
                let mut command = format!("quadlock run {}", quoted_path(&file));
                let sets = kept.sets.iter().chain(&args.set);
                sets.for_each(|set| command += &format!(" --set {set}"));
                command += rtl(args);
                let format = if args.rtl == Simulator::RustHdl { "vcd" } else { "fst" };
                let waves = quoted_path(&folder.join(format!("waves.{format}")));
                let once = if args.starts > 1 { ", of one start" } else { "" };
                text += &format!("kept; with waves{once}: {command} --{format} {waves}\n");
            }
            Err(e) => text += &format!("not kept: {e}\n"),
        }
    }
    text + "\n"
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Isa => "isa",
        Kind::Wgsl => "wgsl",
        Kind::Graph => "graph",
        Kind::Atomics => "atomics",
    }
}

fn rtl(args: &FuzzArgs) -> &'static str {
    match args.rtl {
        Simulator::RustHdl => " --rtl rust-hdl",
        Simulator::Rtlsim => "",
    }
}

fn again(args: &FuzzArgs, seed: u64) -> String {
    let mut command = format!("quadlock fuzz --programs 1 --seed {seed}");
    if let Some(kind) = special(args) {
        command += &format!(" --kind {}", name(kind));
    }
    for (name, value) in [("units", args.units), ("warps", args.warps)] {
        if let Some(value) = value {
            command += &format!(" --{name} {value}");
        }
    }
    command += &args.same_machines(seed);
    if args.starts > 1 {
        command += &format!(" --starts {}", args.starts);
    }
    command += rtl(args);
    if let Some(set) = &args.set {
        command += &format!(" --set {set}");
    }
    command
}

pub fn run(args: &FuzzArgs) -> Input<Outcome> {
    check_written(args)?;
    match (args.scenes, args.beside) {
        (Some(scenes), Some(_)) => return fuzz_beside::run(args, scenes),
        // Clap asks for --scenes, but not beside what excludes it.
        (None, Some(_)) => return bad("--beside: it is of --scenes alone", "write --scenes N, or leave it out"),
        (_, None) => {}
    }
    if let Some(scenes) = args.scenes.or(args.merges).or(args.splits).or(args.hides).or(args.frames) {
        return fuzz_scenes::run(args, scenes);
    }
    if let Some(links) = args.links {
        return fuzz_links::run(args, links);
    }
    let settings = settings(args)?;
    let start = Instant::now();
    let pool = pool(args)?;
    let programs = args.graphs.or(args.atomics).unwrap_or(args.programs);
    let campaign = Campaign::new(programs, "programs");
    let done: Vec<Done> = pool.install(|| {
        let seeds = (0..programs).into_par_iter().map(|i| args.seed.wrapping_add(i));
        seeds
            .map(|seed| {
                let done = one(args, seed, &settings, &|what| campaign.found(seed, what));
                if let Some(failure) = &done.failure {
                    campaign.failed(&told(args, failure));
                }
                campaign.done();
                done
            })
            .collect()
    });
    campaign.end();
    let failures: Vec<&Failure> = done.iter().filter_map(|d| d.failure.as_ref()).collect();
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
