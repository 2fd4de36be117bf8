//! `quadlock regress`: reads the command line, runs the claims of jobs and scenes and prints them.

use std::path::PathBuf;

use clap::Args;

use super::outcome::{print, Outcome};
use crate::base::error::Input;
use crate::base::files::write_atomic;
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

pub fn run(args: &RegressArgs) -> Input<Outcome> {
    let mut jobs = regress::collect(&args.paths)?;
    if args.whole {
        jobs.iter_mut().for_each(Claimed::whole_size);
    }
    if args.exact {
        jobs.iter_mut().for_each(Claimed::exact);
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.jobs.map_or(processors, |n| n as usize);
    let results = regress::run(&jobs, workers, &args.out, |result| print(&result.text()))?;
    if let Some(path) = &args.report {
        let json = serde_json::to_string_pretty(&results).unwrap_or_default() + "\n";
        write_atomic(path, json.as_bytes())?;
    }
    let count = |f: &dyn Fn(&JobResult) -> usize| results.iter().map(f).sum::<usize>();
    let (runs, claims) = (count(&|r| r.runs.len()), count(&|r| r.claims.len()));
    let failed = count(&|r| r.claims.iter().filter(|c| !c.holds).count());
    let verdict = if failed == 0 { "all claims hold".to_owned() } else { format!("{failed} CLAIMS FAIL") };
    print(&format!("{verdict}: {} jobs, {runs} runs, {claims} claims\n", results.len()));
    Ok(if failed == 0 { Outcome::Pass } else { Outcome::Fail })
}
