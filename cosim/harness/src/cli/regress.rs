//! `quadlock regress`: reads the command line, runs the claims of jobs and scenes and prints them.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::outcome::{print, refuse, say, Outcome};
use crate::base::error::complain;
use crate::base::files::{check_folder, refuse_input, write_atomic};
use crate::base::interrupt::{self, Finishing};
use crate::base::manners::{is_coloured, judged, Stream};
use crate::base::progress::Progress;
use crate::regress::suite::{self, Suite};
use crate::regress::{self, Claimed, Collected, JobResult};

#[derive(Args, Debug)]
pub struct RegressArgs {
    /// Job or scene files, or folders, from which every file with [claims] is taken (docs/jobs.md)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Replace the claims by one run of each file: full size, lockstep, with the verdict that its
    /// first run claims
    #[arg(long)]
    whole: bool,
    /// Do not fuse a float product and sum into one operation, in any run
    #[arg(long)]
    exact: bool,
    /// Number of runs in parallel [default: number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Output folder: one folder per job, with one folder per run in it
    #[arg(long, value_name = "DIR", default_value = "out/check")]
    out: PathBuf,
    /// Write claims and reports as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

pub fn run(args: &RegressArgs) -> anyhow::Result<Outcome> {
    let Collected { mut jobs, left_out } = regress::collect(&args.paths);
    if args.whole {
        jobs.iter_mut().for_each(Claimed::whole_size);
    }
    if args.exact {
        jobs.iter_mut().for_each(Claimed::exact);
    }
    check_folder("--out", &args.out)?;
    if let Some(report) = &args.report {
        jobs.iter().try_for_each(|job| refuse_input("--report", report, &job.path))?;
    }
    // A report of an earlier suite does not outlive the beginning of this one, whatever ends it.
    write_report(args, &suite::before(&jobs))?;
    let finishing = Finishing::new();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.jobs.map_or(processors, |n| n as usize);
    let coloured = is_coloured(Stream::Out);
    let progress = Progress::new("runs");
    let suite = suite::run(jobs, workers, &args.out, &progress, |result| {
        result.errors.iter().for_each(|e| complain(&e.drawing(is_coloured(Stream::Error))));
        let tell: fn(&str) = if result.holds() { say } else { print };
        tell(&result.text(coloured));
    });
    drop(progress);
    let suite = suite.context("checking the claims")?;
    write_report(args, &suite.results)?;
    if left_out > 0 {
        say(&format!("left out: {left_out} files without [claims]\n"));
    }
    let outcome = conclude(&suite, coloured);
    drop(finishing);
    interrupt::end_if_asked();
    if suite.results.iter().all(|r| r.runs.is_empty()) {
        return refuse("no case could be run", "correct what is said above");
    }
    Ok(outcome)
}

/// Prints the last line; whether all claims hold.
fn conclude(suite: &Suite, coloured: bool) -> Outcome {
    let count = |f: &dyn Fn(&JobResult) -> usize| suite.results.iter().map(f).sum::<usize>();
    let (runs, claims, not_run) = (count(&|r| r.runs.len()), count(&|r| r.claims.len()), count(&|r| r.not_run.len()));
    let failed = count(&|r| r.claims.iter().filter(|c| !c.holds).count());
    let verdict = match (suite.interrupted, failed) {
        (true, _) => "INTERRUPTED".to_owned(),
        (false, 0) => "all claims hold".to_owned(),
        (false, _) => format!("{failed} CLAIMS FAIL"),
    };
    let verdict = judged(&verdict, failed == 0, coloured);
    let not_run = if not_run > 0 { format!(", {not_run} not run") } else { String::new() };
    say(&format!("{verdict}: {} jobs, {runs} runs{not_run}, {claims} claims\n", suite.results.len()));
    if failed == 0 {
        Outcome::Pass
    } else {
        Outcome::Fail
    }
}

fn write_report(args: &RegressArgs, results: &[JobResult]) -> anyhow::Result<()> {
    let Some(path) = &args.report else { return Ok(()) };
    let json = serde_json::to_string_pretty(results).unwrap_or_default() + "\n";
    write_atomic(path, json.as_bytes()).map_err(|e| Box::new(e.of("--report"))).context("writing the report")
}
