//! `quadlock regress`: reads the command line, runs the claims of jobs and scenes and prints them.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::outcome::{print, say, Outcome};
use crate::base::files::write_atomic;
use crate::base::manners::{is_coloured, judged, Stream};
use crate::base::progress::Progress;
use crate::regress::{self, Claimed, JobResult};

#[derive(Args, Debug)]
pub struct RegressArgs {
    /// Job or scene files, or folders of which each with [claims] is taken (docs/jobs.md)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Instead of the claims one run of each: at full size, in lockstep, with the verdict that
    /// its first run claims
    #[arg(long)]
    whole: bool,
    /// No product and sum of floats become one operation, in all runs
    #[arg(long)]
    exact: bool,
    /// Runs at the same time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Folder of the outputs: a folder for each job, in it one for each run
    #[arg(long, value_name = "DIR", default_value = "out/check")]
    out: PathBuf,
    /// Write claims and reports as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

pub fn run(args: &RegressArgs) -> anyhow::Result<Outcome> {
    let mut jobs = regress::collect(&args.paths)?;
    if args.whole {
        jobs.iter_mut().for_each(Claimed::whole_size);
    }
    if args.exact {
        jobs.iter_mut().for_each(Claimed::exact);
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.jobs.map_or(processors, |n| n as usize);
    let coloured = is_coloured(Stream::Out);
    let progress = Progress::new("runs");
    let results = regress::run(&jobs, workers, &args.out, &progress, |result| {
        let tell: fn(&str) = if result.holds() { say } else { print };
        tell(&result.text(coloured));
    });
    drop(progress);
    let results = results.context("checking the claims")?;
    if let Some(path) = &args.report {
        let json = serde_json::to_string_pretty(&results).unwrap_or_default() + "\n";
        write_atomic(path, json.as_bytes()).context("writing the report")?;
    }
    let count = |f: &dyn Fn(&JobResult) -> usize| results.iter().map(f).sum::<usize>();
    let (runs, claims) = (count(&|r| r.runs.len()), count(&|r| r.claims.len()));
    let failed = count(&|r| r.claims.iter().filter(|c| !c.holds).count());
    let verdict = if failed == 0 { "all claims hold".to_owned() } else { format!("{failed} CLAIMS FAIL") };
    let verdict = judged(&verdict, failed == 0, coloured);
    say(&format!("{verdict}: {} jobs, {runs} runs, {claims} claims\n", results.len()));
    Ok(if failed == 0 { Outcome::Pass } else { Outcome::Fail })
}
