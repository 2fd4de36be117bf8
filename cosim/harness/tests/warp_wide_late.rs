//! Lanes that come late to operations once for the warp (WW-27), in lockstep with the model: the
//! job of `jobs/late.toml` on every execution and result option, with one core and two; and random
//! programs
//! that have late lanes. What the machine saved is in the report.

use std::path::Path;

use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::{Job, Size};
use quadlock::lockstep::{Options, Quiet};
use quadlock::random::campaign::{Case, Kind, Settings};
use quadlock::report::{Report, Verdict};
use quadlock::simulate;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideLate, WideResult};

const LATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/late.toml");

/// Runs the job on its machine, changed; with the model beside it, or without.
fn run(model: bool, change: &dyn Fn(&mut GpuConfig)) -> (Report, Vec<String>) {
    let path = Path::new(LATE);
    let job = Job::parse(path, std::fs::read_to_string(path).unwrap(), Size::Whole).unwrap();
    let mut config = job.config(None, None).unwrap();
    change(&mut config);
    let prepared = job.prepare(&program::of_job(&job, &CompilerOptions::default()).unwrap(), &config).unwrap();
    let options = Options { config, memory: job.spec.memory, limits: job.spec.limits, model, model_fault: None };
    let done = simulate::rtl(&prepared.launch, &options, &mut Quiet).unwrap();
    let wrong = prepared.compare(&done.image);
    (done.report, wrong)
}

#[test]
fn ww_27_every_option_in_lockstep() {
    for warp_wide in [WarpWide::Representative, WarpWide::Collective, WarpWide::Scalar] {
        for warp_wide_result in [WideResult::PerLane, WideResult::Shared] {
            // Each machine is compiled; with two cores the memory port has the order.
            let two = warp_wide == WarpWide::Scalar && warp_wide_result == WideResult::Shared;
            for cores in 1..=1 + usize::from(two) {
                let place = format!("{warp_wide:?}, {warp_wide_result:?}, {cores} cores");
                let (report, wrong) = run(true, &|c| {
                    (c.warp_wide, c.warp_wide_result, c.cores) = (warp_wide, warp_wide_result, cores);
                });
                assert_eq!(report.verdict, Verdict::Pass, "{place}:\n{}", report.text());
                assert!(wrong.is_empty(), "{place}: {wrong:?}");
                // Per warp of four lanes: two groups, five more; of three lanes one group less.
                assert_eq!(report.late_arrivals, Some(30), "{place}");
            }
        }
    }
}

/// What the report counts without a model, and what the machine without the option makes: two
/// transactions more for each late arrival in global memory.
#[test]
fn ww_27_the_report_says_what_was_saved() {
    let (stored, _) = run(false, &|_| ());
    let (again, wrong) = run(false, &|c| c.warp_wide_late = WideLate::Again);
    assert_eq!((stored.late_arrivals, again.late_arrivals), (Some(30), Some(0)));
    assert!(!wrong.is_empty(), "the results are others");
    // 8 of the 30 are in shared storage.
    assert_eq!(again.atomic_transactions.unwrap() - stored.atomic_transactions.unwrap(), 2 * (30 - 8));
    assert!(serde_json::to_value(&stored).unwrap()["late_arrivals"] == 30);
}

/// Counter and what each lane got, and the late arrivals, of a loop with this body, compiled for
/// that machine.
fn shader(body: &str, late: WideLate) -> (Vec<u32>, u64) {
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "struct B {{ n: atomic<u32>, old: array<u32, 4> }}
@group(0) @binding(0) var<storage, read_write> b: B;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lane: u32) {{
    var turn = 0u;
    var old = 77u;
    loop {{ {body} turn++; }}
    b.old[lane] = old;
}}"
    );
    std::fs::write(directory.path().join("late.wgsl"), text).unwrap();
    let job =
        "name = \"late\"\nshader = \"late.wgsl\"\ngrid = [1, 1, 1]\n[[buffer]]\nbinding = 0\nfrom = { zero = 20 }\n";
    let job = Job::parse(&directory.path().join("late.toml"), job.to_owned(), Size::Whole).unwrap();
    let config = GpuConfig { units: 1, warps: 2, icache_lines: 64, warp_wide_late: late, ..GpuConfig::default() };
    let mut compiler = CompilerOptions::default();
    program::fit(&mut compiler, &config);
    let prepared = job.prepare(&program::of_job(&job, &compiler).unwrap(), &config).unwrap();
    let options = Options { config, memory: job.spec.memory, limits: job.spec.limits, model: true, model_fault: None };
    let done = simulate::rtl(&prepared.launch, &options, &mut Quiet).unwrap();
    assert_eq!(done.report.verdict, Verdict::Pass, "{body}:\n{}", done.report.text());
    let at = prepared.launch.constants.iter().find(|c| c.0 == 8).unwrap().1;
    let bytes = done.image.slice(at, 20).unwrap();
    let words = bytes.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    (words, done.report.late_arrivals.unwrap())
}

/// From the source: lanes that stay in a loop which those that executed have left come late; an
/// ordinary atomic there is exact all the same.
#[test]
fn ww_27_a_loop_that_lanes_leave_reaches_it_from_source() {
    let leaving = "if (lane <= turn + 1u) { old = warpAtomicAdd(&b.n, 1u); break; }";
    let stored = shader(leaving, WideLate::Stored);
    assert_eq!(stored, (vec![1, 0, 0, 0, 0], 2));
    assert_eq!(shader(leaving, WideLate::Again), (vec![3, 0, 0, 1, 2], 0));
    let ordinary = leaving.replace("warpAtomicAdd", "atomicAdd");
    for late in [WideLate::Stored, WideLate::Again] {
        let (mut words, arrivals) = shader(&ordinary, late);
        words[1..].sort_unstable();
        assert_eq!((words, arrivals), (vec![4, 0, 1, 2, 3], 0));
    }
}

/// Where the lanes meet before they turn, both settings do the same.
#[test]
fn ww_27_lanes_that_meet_before_they_turn_are_not_late() {
    for body in [
        "if (turn == 3u) { break; } if (((lane + turn) & 1u) == 0u) { old = warpAtomicAdd(&b.n, 1u); }",
        "if (turn == 3u) { break; } if (lane > turn) { old = warpAtomicAdd(&b.n, 1u); } else { old = warpAtomicSub(&b.n, 2u); }",
    ] {
        let (stored, again) = (shader(body, WideLate::Stored), shader(body, WideLate::Again));
        assert_eq!(stored, again, "{body}");
        assert_eq!(stored.1, 0, "{body}");
    }
}

/// The first seeds whose machine has the option: every one passes, and together they have late
/// arrivals.
#[test]
fn ww_27_random_programs_have_late_lanes() {
    let settings = Settings::default();
    let mut late = 0;
    for seed in [18, 19, 20, 21, 22, 23] {
        let case = Case::new(Kind::Atomics, seed, &settings).unwrap();
        assert_eq!(case.options.config.warp_wide_late, WideLate::Stored, "seed {seed}");
        let done = case.run().unwrap();
        assert!(case.accepts(&done), "seed {seed}:\n{}", done.report.text());
        late += done.report.late_arrivals.unwrap();
    }
    assert!(late > 0, "no late arrival in six programs");
    println!("{late} late arrivals");
}
