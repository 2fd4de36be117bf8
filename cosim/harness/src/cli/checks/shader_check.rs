//! `quadlock shader-check`: what the compiler does with a folder of shaders.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::base::error::{bad, io, Input};
use crate::base::files::AtomicFile;
use crate::base::progress::Progress;
use crate::check::shaders::classes::CLASSES;
use crate::check::shaders::one::{self, Answer};
use crate::check::shaders::report::Report;
use crate::check::shaders::run::{self, Settings};
use crate::check::shaders::{mutate, walk, worker};
use crate::cli::outcome::{print, say, Outcome};

/// Longest time for one shader that is accepted.
const MOST_SECONDS: f64 = 3600.0;

#[derive(Args, Debug)]
pub struct ShaderCheckArgs {
    /// Folder of shaders, searched recursively: .wgsl, .spv, .comp, .vert, .frag (or .comp.glsl,
    /// ...)
    dir: PathBuf,
    /// Time limit per shader in seconds. A shader that takes longer counts as slow
    #[arg(long, value_name = "S", default_value_t = 5.0)]
    seconds: f64,
    /// Number of workers [default: one per processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Write the report as JSON (keys: docs/shader-check.md)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print only the paths of the shaders with this outcome (accepted, refused, panicked, slow,
    /// unreadable) or this reason
    #[arg(long, value_name = "WHICH")]
    list: Option<String>,
    /// Check N randomly changed shaders instead. Any of them may be rejected; none may panic or be
    /// slow
    #[arg(long, value_name = "N", conflicts_with_all = ["json", "list"])]
    mutate: Option<u64>,
    /// Seed of the random changes
    #[arg(long, default_value_t = 1, requires = "mutate")]
    seed: u64,
    /// Folder for changed shaders that fail
    #[arg(long, value_name = "DIR", default_value = "out/shader-check", requires = "mutate")]
    keep: PathBuf,
    /// Shaders named plant-panic, plant-hang, plant-abort and plant-memory do that: for tests
    #[arg(long, hide = true)]
    planted: bool,
}

#[derive(Args, Debug)]
pub struct WorkerArgs {
    #[arg(long)]
    planted: bool,
}

pub fn run(args: &ShaderCheckArgs) -> Input<Outcome> {
    if !(0.001..=MOST_SECONDS).contains(&args.seconds) {
        return bad(format!("--seconds {}: out of range", args.seconds), format!("0.001 to {MOST_SECONDS}"));
    }
    if let Some(which) = &args.list {
        let outcomes = one::Outcome::ALL.iter().map(|o| o.name());
        let known: Vec<&str> = outcomes.chain(CLASSES.iter().map(|c| c.name)).collect();
        if !known.contains(&which.as_str()) {
            return bad(format!("--list {which}: no outcome or reason"), format!("known: {}", known.join(", ")));
        }
    }
    let found = walk::shaders(&args.dir)?;
    if found.shaders.is_empty() && found.closed.is_empty() {
        let what = format!("{}: no shaders, and {} other files", args.dir.display(), found.ignored);
        return bad(what, "shaders end in .wgsl, .comp, .vert, .frag or .spv");
    }
    // Begun now, so that a path that cannot be written does not cost the run.
    let json = args.json.as_ref().map(|path| AtomicFile::create(path)).transpose()?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let limit = Duration::from_secs_f64(args.seconds);
    let settings = Settings { limit, jobs: args.jobs.map_or_else(cores, usize::from), planted: args.planted };
    let bar = Progress::new("shaders");
    if let Some(count) = args.mutate {
        bar.set_length(count);
        let shaders = (args.dir.as_path(), &found.shaders[..]);
        let found = mutate::check(shaders, (count, args.seed), &args.keep, &settings, || bar.inc(1));
        bar.finish_and_clear();
        let found = found?;
        // What fails is told in any case.
        let tell: fn(&str) = if found.failures.is_empty() { say } else { print };
        tell(&found.text());
        return Ok(if found.failures.is_empty() { Outcome::Pass } else { Outcome::Fail });
    }
    bar.set_length(found.shaders.len() as u64);
    let answers = run::check(&args.dir, &found.shaders, &settings, |path| {
        bar.set_message(path.display().to_string());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let mut files: Vec<(PathBuf, Answer)> = found.shaders.into_iter().zip(answers?).collect();
    let closed = |(path, why)| (path, Answer::new(one::Outcome::Unreadable, why));
    files.extend(found.closed.into_iter().map(closed));
    files.sort_by(|a, b| a.0.cmp(&b.0));
    let report = Report { folder: args.dir.display().to_string(), ignored: found.ignored, files };
    match &args.list {
        Some(which) => print(&report.list(which)),
        None if report.sound() => say(&report.text()),
        None => print(&report.text()),
    }
    if let Some(mut file) = json {
        use std::io::Write;
        file.write_all(report.json().as_bytes()).map_err(|e| io(file.path(), "write", &e))?;
        file.commit()?;
    }
    Ok(if report.sound() { Outcome::Pass } else { Outcome::Fail })
}

/// The process that compiles for the one above.
pub fn work(args: &WorkerArgs) -> Input<Outcome> {
    worker::serve(args.planted);
    Ok(Outcome::Pass)
}
