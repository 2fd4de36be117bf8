//! `quadlock bench`: the tables of speed.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::base::error::{bad, io, Input};
use crate::base::files::{write_atomic, AtomicFile};
use crate::base::progress::Progress;
use crate::bench::float;
use crate::bench::frames;
use crate::bench::shaders as compiler;
use crate::bench::subject::RtlsimSubject;
use crate::bench::suite::{self, Jobs, Plan};
use crate::bench::table::{self, FIGURES};
use crate::check::float::engine::Engines;
use crate::check::float::op::{FloatOp, OPS};
use crate::check::shaders::walk;
use crate::cli::outcome::{print, Outcome};
use crate::job::Size;
use crate::peer::workload::Workload;

/// Longest measurement that is accepted.
const MOST_SECONDS: f64 = 3600.0;

#[derive(Args, Debug)]
pub struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// The RTL simulator, compared with Verilator and rust-hdl's own engine (docs/bench.md)
    Sim(SimArgs),
    /// The compiler on a folder of shaders: from source to machine code, in this process
    Shaders(ShadersArgs),
    /// Scenes on the golden model alone: fragments per second, compared with the RTL in the same
    /// run
    Scenes(ScenesArgs),
    /// Float operations: cycles on the RTL, and vectors per second of RTL, golden model and a peer
    Float(FloatArgs),
}

#[derive(Args, Debug)]
struct ShadersArgs {
    /// Folder of shaders, as for `shader-check`
    dir: PathBuf,
    /// Take only files with this extension
    #[arg(long, value_name = "EXT", default_value = "spv")]
    ending: String,
    /// Number of measurements per shader; the best one counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Write the row as JSON: entries, median, p99, front, first (milliseconds), bytes,
    /// instructions (medians), must, aim, verifies
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct ScenesArgs {
    /// Scene files [default: particles, foliage and teapot in examples/]
    scenes: Vec<PathBuf>,
    /// Write the rows as a JSON list of {scene, fragments, instructions, golden, rtl, ratio, must,
    /// passed}. `fragments` counts those of a run. `instructions` counts the warp instructions per
    /// quad. `golden` and `rtl` are fragments per second, and
    /// `ratio` is `golden` / `rtl`. `golden` must reach `must`
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Number of measurements per side; the best one counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Run the scenes at their small size
    #[arg(long)]
    small: bool,
}

#[derive(Args, Debug)]
struct FloatArgs {
    /// Write the rows as a JSON list of {op, cycles, interval, rtl, golden, peer, ratio, rtl_ratio,
    /// peer_name}
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure only these operations [default: all]
    #[arg(long, value_name = "OP", value_delimiter = ',')]
    op: Vec<String>,
    /// Number of measurements per side; the best one counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Least duration of one measurement in seconds
    #[arg(long, value_name = "S", default_value_t = 0.1)]
    seconds: f64,
}

#[derive(Args, Debug)]
struct SimArgs {
    /// Write the rows as a JSON list of {name, ours, peer, ratio, unit, must, aim, spread}
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure only these rows: steady, stalled, first-10k, rust-hdl, waves, lockstep, compile
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    rows: Vec<String>,
    /// Number of measurements per side of a row; the best one counts
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Least duration of one measurement in seconds
    #[arg(long, value_name = "S", default_value_t = 2.0)]
    seconds: f64,
    /// Folder of the examples
    #[arg(long, value_name = "DIR", default_value = "examples")]
    examples: PathBuf,
    /// Folder for the peers' builds and for traces
    #[arg(long, value_name = "DIR", default_value = "out/bench")]
    out: PathBuf,
    /// Warp units per core [default: those of each job]
    #[arg(long)]
    units: Option<usize>,
    /// Resident warps per unit [default: those of each job]
    #[arg(long)]
    warps: Option<usize>,
    /// Run the jobs at their small size
    #[arg(long)]
    small: bool,
}

pub fn bench(args: &BenchArgs) -> Input<Outcome> {
    match &args.what {
        What::Sim(args) => sim(args),
        What::Float(args) => float(args),
        What::Shaders(args) => shaders(args),
        What::Scenes(args) => scenes(args),
    }
}

fn shaders(args: &ShadersArgs) -> Input<Outcome> {
    let mut paths = walk::shaders(&args.dir)?.shaders;
    paths.retain(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case(&args.ending)));
    let bar = Progress::new("shaders");
    bar.set_length(paths.len() as u64);
    let row = compiler::measure(&args.dir, &paths, args.rounds, || bar.inc(1));
    bar.finish_and_clear();
    let Some(row) = row else {
        let what = format!("{}: no compute shader .{} that is accepted", args.dir.display(), args.ending);
        return bad(what, "`quadlock shader-check` says why");
    };
    print(&row.text());
    if let Some(path) = &args.json {
        write_atomic(path, row.json().as_bytes())?;
    }
    Ok(if row.median <= compiler::MUST { Outcome::Pass } else { Outcome::Fail })
}

fn scenes(args: &ScenesArgs) -> Input<Outcome> {
    let mut files = args.scenes.clone();
    if files.is_empty() {
        files = frames::DEFAULT.iter().map(|name| format!("examples/{name}/scene.toml").into()).collect();
    }
    let bar = Progress::new("scenes");
    bar.set_length(files.len() as u64);
    let mut rows = Vec::new();
    for file in &files {
        bar.set_message(file.display().to_string());
        rows.push(frames::measure(file, args.small, args.rounds)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    print(&frames::text(&rows));
    if let Some(path) = &args.json {
        write_atomic(path, frames::json(&rows).as_bytes())?;
    }
    Ok(if rows.iter().all(|r| r.passed) { Outcome::Pass } else { Outcome::Fail })
}

fn float(args: &FloatArgs) -> Input<Outcome> {
    if !(0.0..=MOST_SECONDS).contains(&args.seconds) {
        return bad(format!("--seconds {}: out of range", args.seconds), format!("0 to {MOST_SECONDS}"));
    }
    no_empty_name(&args.op)?;
    let mut ops: Vec<&'static FloatOp> = Vec::new();
    for name in &args.op {
        match FloatOp::by_name(name) {
            Some(op) => ops.push(op),
            None => return bad(format!("--op {name}: no float operation"), "`quadlock isa` lists them"),
        }
    }
    if ops.is_empty() {
        ops = OPS.iter().collect();
    }
    let settings = float::Settings { rounds: args.rounds, seconds: args.seconds };
    let bar = Progress::new("operations");
    bar.set_length(ops.len() as u64);
    // Begun now, so that a path that cannot be written does not cost the run.
    let json = args.json.as_ref().map(|path| AtomicFile::create(path)).transpose()?;
    let mut engines = Engines::default();
    let rows: Result<Vec<float::Row>, String> = ops
        .into_iter()
        .map(|op| {
            bar.set_message(op.name());
            let row = float::measure(op, &mut engines, &settings);
            bar.inc(1);
            row
        })
        .collect();
    bar.finish_and_clear();
    let rows = rows.or_else(|e| bad(e, "nothing can be measured before this works"))?;
    print(&float::text(&rows));
    if let Some(mut file) = json {
        file.write_all(float::json(&rows).as_bytes()).map_err(|e| io(file.path(), "write", &e))?;
        file.commit()?;
    }
    Ok(Outcome::Pass)
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
        rounds: args.rounds,
        seconds: args.seconds,
        dir: args.out.clone(),
        cycles: 2_000,
    };
    let bar = Progress::new("rows");
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

/// `--op FADD,` names an operation that is not there.
pub(super) fn no_empty_name(names: &[String]) -> Input<()> {
    match names.iter().any(|name| name.trim().is_empty()) {
        true => bad("--op: an empty name", "separate names with one comma, none at the end"),
        false => Ok(()),
    }
}
