//! `quadlock bench`: the tables of speed.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};

use super::{print, Outcome};
use crate::bench::subject::RtlsimSubject;
use crate::bench::suite::{self, Jobs, Plan};
use crate::bench::table::{self, FIGURES};
use crate::bench::workload::Workload;
use crate::error::{bad, Input};
use crate::files::write_atomic;
use crate::job::Size;

/// Longest measurement that is accepted.
const MOST_SECONDS: f64 = 3600.0;

#[derive(Args, Debug)]
pub struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// The simulator of the RTL beside Verilator and rust-hdl's own engine (docs/bench.md)
    Sim(SimArgs),
}

#[derive(Args, Debug)]
struct SimArgs {
    /// Write the rows as a JSON list of {name, ours, peer, ratio, unit, must, aim}
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only these rows: steady, stalled, first-10k, rust-hdl, waves, lockstep, batch4, compile
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    rows: Vec<String>,
    /// Measurements of each side of a row; the best counts
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Least seconds of one measurement
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Folder of the examples
    #[arg(long, value_name = "DIR", default_value = "examples")]
    examples: PathBuf,
    /// Folder for the peers' builds and the waves
    #[arg(long, value_name = "DIR", default_value = "out/bench")]
    out: PathBuf,
    /// Warp units of the core [default: those of the jobs]
    #[arg(long)]
    units: Option<usize>,
    /// Resident warps per unit [default: those of the jobs]
    #[arg(long)]
    warps: Option<usize>,
    /// The jobs at their small size
    #[arg(long)]
    small: bool,
}

pub fn bench(args: &BenchArgs) -> Input<Outcome> {
    match &args.what {
        What::Sim(args) => sim(args),
    }
}

fn sim(args: &SimArgs) -> Input<Outcome> {
    let known: Vec<&str> = FIGURES.iter().map(|f| f.name).collect();
    if let Some(name) = args.rows.iter().find(|r| !known.contains(&r.as_str())) {
        return bad(format!("--rows {name}: there is no such row"), format!("rows: {}", known.join(", ")));
    }
    if !(0.0..=MOST_SECONDS).contains(&args.seconds) {
        return bad(format!("--seconds {}: out of range", args.seconds), format!("0 to {MOST_SECONDS}"));
    }
    let size = if args.small { Size::Small } else { Size::default() };
    let job = |name: &str| Workload::read(&args.examples.join(name).join("job.toml"), size, args.units, args.warps);
    let jobs = Jobs { steady: job("matrix-multiply")?, stalled: job("pointer-chase")? };
    let plan = Plan {
        rows: args.rows.clone(),
        rounds: args.rounds.max(1),
        seconds: args.seconds,
        dir: args.out.clone(),
        cycles: 2_000,
    };
    let bar = progress_bar();
    let rows = suite::run(&plan, &jobs, &RtlsimSubject, &bar);
    bar.finish_and_clear();
    let rows = rows.or_else(|e| bad(e, "nothing can be measured before this works"))?;
    print(&table::text(&rows));
    if let Some(path) = &args.json {
        write_atomic(path, table::json(&rows).as_bytes())?;
    }
    let peers_required = std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_some();
    let failed = rows.iter().any(|row| match row.outcome {
        table::Outcome::Failed(_) => true,
        table::Outcome::Missing(_) => peers_required,
        table::Outcome::Measured { .. } => false,
    });
    Ok(if failed { Outcome::Fail } else { Outcome::Pass })
}

/// The rows done and the one being measured, on a terminal.
fn progress_bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}  {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    bar
}
