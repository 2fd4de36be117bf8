//! The litmus tests of `examples/litmus` in lockstep, on machines of one to four cores and under
//! several memory timings: every outcome that comes is one that the job allows, every allowed one
//! that is not called rare comes, and a run that must hang does, with the lanes named that spin.
//! The tables of docs/memory-model.md are those of the jobs. It can be wrong by looking at too few
//! runs: all seeds are fixed, so what is seen is the same every time.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::spec::litmus::{End, LitmusSpec};
use quadlock::job::{Job, Size};
use quadlock::lockstep::{Options, Quiet};
use quadlock::report::{Report, Verdict};
use quadlock::simulate;
use quadlock_hdl::config::GpuConfig;
use quadlock_shader::binary::ShaderBinary;

/// Rows, cores of a row, units of a core.
const SHAPES: [[usize; 3]; 3] = [[1, 1, 1], [1, 1, 2], [2, 2, 1]];
const SEEDS: std::ops::Range<u64> = 1..4;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/litmus")
}

/// All jobs, by name of the file.
fn jobs() -> Vec<(String, Job)> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut jobs: Vec<(String, Job)> = files
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), Job::read(&path, Size::Whole).unwrap()))
        .collect();
    jobs.sort_by(|a, b| a.0.cmp(&b.0));
    jobs
}

fn litmus(job: &Job) -> &LitmusSpec {
    job.spec.litmus.as_ref().expect("every job of the folder has [litmus]").get_ref()
}

/// The machines that a job is run on: what its `[machine]` names is part of the test and stays.
fn machines(job: &Job) -> Vec<GpuConfig> {
    let (m, mut all) = (&job.spec.machine, Vec::new());
    for [rows, cores, units] in SHAPES {
        let job_says = job.config(None, None).unwrap();
        let config = GpuConfig {
            rows: if m.names("rows") { job_says.rows } else { rows },
            cores: if m.names("cores") { job_says.cores } else { cores },
            units: if m.names("units") { job_says.units } else { units },
            ..job_says
        };
        if !all.contains(&config) {
            all.push(config);
        }
    }
    all
}

/// One run: its report, and the outcomes.
fn run(job: &Job, binary: &ShaderBinary, config: &GpuConfig, seed: u64) -> (Report, BTreeSet<Vec<u32>>) {
    let prepared = job.prepare(binary, config).unwrap();
    let mut options =
        Options { config: config.clone(), memory: job.spec.memory, limits: job.spec.limits, ..Options::default() };
    options.memory.seed = seed;
    options.model = true;
    let done = simulate::rtl(&prepared.launch, &options, &mut Quiet).unwrap();
    let outcomes = prepared.outcomes(job, &done.image).unwrap();
    (done.report, outcomes.into_iter().map(|o| o.values).collect())
}

/// Runs the jobs whose names begin so; what is wrong, one text each.
fn check(prefix: &str) -> usize {
    let jobs: Vec<_> = jobs().into_iter().filter(|(name, _)| name.starts_with(prefix)).collect();
    let mut wrong = Vec::new();
    for (name, job) in &jobs {
        let litmus = litmus(job);
        let binary = program::of_job(job, &CompilerOptions::default()).unwrap();
        let mut seen = BTreeSet::new();
        for config in machines(job) {
            for seed in SEEDS {
                let (report, outcomes) = run(job, &binary, &config, seed);
                let place =
                    format!("{name} on {}x{} cores of {} units, seed {seed}", config.rows, config.cores, config.units);
                let verdict = if litmus.end == End::Hang { Verdict::Hang } else { Verdict::Pass };
                if report.verdict != verdict {
                    wrong.push(format!("{place}: {}", report.text()));
                    continue;
                }
                if litmus.end == End::Hang && report.hang.as_ref().is_none_or(|h| h.spinning.is_empty()) {
                    wrong.push(format!("{place}: nobody spins: {}", report.text()));
                }
                for bad in outcomes.iter().filter(|o| !litmus.allows(o)) {
                    wrong.push(format!("{place}: {:?} = {bad:?} is not allowed", litmus.columns));
                }
                seen.extend(outcomes);
            }
        }
        for row in litmus.demanded().filter(|row| !seen.contains(*row)) {
            wrong.push(format!("{name}: {:?} = {row:?} was never seen, of {seen:?}", litmus.columns));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    jobs.len()
}

const TWO_THREADS: [&str; 5] = ["message-passing", "store-buffering", "load-buffering", "read-read", "write-write"];

#[test]
fn two_threads_and_two_words_are_sequentially_consistent() {
    for name in TWO_THREADS {
        assert_eq!(check(name), 1, "{name}");
    }
}

#[test]
fn an_access_of_several_lanes_is_indivisible_on_one_core_only() {
    assert_eq!(check("wide-store"), 2);
}

#[test]
fn spinning_lanes_and_warps() {
    assert_eq!(check("spin-"), 5);
}

#[test]
fn locks_of_lanes_warps_and_units() {
    assert_eq!(check("lock-"), 8);
}

#[test]
fn every_job_is_run_by_one_of_the_tests() {
    let known = |name: &str| {
        TWO_THREADS.contains(&name) || ["wide-store", "spin-", "lock-"].iter().any(|p| name.starts_with(p))
    };
    for (name, _) in jobs() {
        assert!(known(&name), "{name}");
    }
}

/// A row of outcomes that is not allowed is found: the forbidden outcome of store buffering, if the
/// job allowed nothing else.
#[test]
fn an_outcome_that_is_not_allowed_is_found() {
    let path = folder().join("store-buffering.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let narrow = text.replace("allowed = [[0, 1], [1, 0], [1, 1]]", "allowed = [[0, 0]]");
    assert_ne!(text, narrow);
    let job = Job::parse(&path, narrow, Size::Whole).unwrap();
    let config = job.config(None, None).unwrap();
    let binary = program::of_job(&job, &CompilerOptions::default()).unwrap();
    let prepared = job.prepare(&binary, &config).unwrap();
    let options = Options { config, memory: job.spec.memory, limits: job.spec.limits, ..Options::default() };
    let done = simulate::golden(&prepared.launch, &options);
    let outcomes = prepared.outcomes(&job, &done.image).unwrap();
    assert!(!prepared.forbidden(&job, &outcomes).is_empty());
}

/// The table of the page, from the jobs.
fn table() -> String {
    let mut text = "| job | test | outcome | allowed | forbidden |\n|---|---|---|---|---|\n".to_owned();
    for (name, job) in jobs() {
        let litmus = litmus(&job);
        let row = |values: &Vec<u32>| values.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let (allowed, forbidden) = match litmus.end {
            End::Hang => ("hangs".to_owned(), "an end".to_owned()),
            End::Pass => {
                let list = litmus.allowed.iter().map(|r| row(r.get_ref())).collect::<Vec<_>>();
                (list.join(", "), "all others, a hang".to_owned())
            }
        };
        let _ =
            writeln!(text, "| `{name}` | {} | {} | {allowed} | {forbidden} |", litmus.about, litmus.columns.join(", "));
    }
    text
}

#[test]
fn the_page_has_the_table_of_the_jobs() {
    let page = std::fs::read_to_string(folder().join("../../docs/memory-model.md")).unwrap();
    let table = table();
    assert!(page.contains(&table), "docs/memory-model.md must hold this table:\n{table}");
}
