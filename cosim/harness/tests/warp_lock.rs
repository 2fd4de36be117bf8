//! The jobs of `examples/warp-lock`, with other numbers of warps and other lanes: the lock per lane
//! is a deadlock exactly where two lanes of one warp contend (WW-11), the warp's lock and the
//! reordered source end always (WW-24), on every execution and result option. Each total is
//! computed here: lanes times warps times rounds, and it is right only if nobody had the lock
//! beside another. The runs are lockstep ones, RTL and model.

use std::path::Path;

use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::{Job, Size};
use quadlock::lockstep::hang::HangKind;
use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::limits::Limits;
use quadlock::machine::memory::MemoryConfig;
use quadlock::report::{Report, Verdict};
use quadlock::simulate;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};

const ROUNDS: u32 = 2;
const EXECUTIONS: [WarpWide; 3] = [WarpWide::Representative, WarpWide::Collective, WarpWide::Scalar];
const RESULTS: [WideResult; 2] = [WideResult::PerLane, WideResult::Shared];

fn machine(units: usize, warps: usize, warp_wide: WarpWide, warp_wide_result: WideResult) -> GpuConfig {
    GpuConfig { units, warps, icache_lines: 64, shared_words: 256, warp_wide, warp_wide_result, ..GpuConfig::default() }
}

fn small(warp_wide: WarpWide, warp_wide_result: WideResult) -> GpuConfig {
    machine(2, 4, warp_wide, warp_wide_result)
}

/// The example's text with one of its values replaced; it must be there, once.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

struct Case {
    job: Job,
    options: Options,
    program: CompilerOptions,
}

impl Case {
    fn new(name: &str, warps: u32, lanes: u32, config: &GpuConfig) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/warp-lock/{name}.toml"));
        let text = std::fs::read_to_string(&path).unwrap();
        let (its_warps, its_rounds) = if name == "reordered" { (8, 1) } else { (64, 2) };
        let grid = |warps: u32| format!("grid = [{warps}, 1, 1]");
        // The part [small] has such keys too.
        let whole = &text[..text.find("[small]").unwrap()];
        let text = replaced(whole, &grid(its_warps), &grid(warps));
        let values = |lanes: u32, rounds: u32| format!("values = [{lanes}, {rounds}]");
        let text = replaced(&text, &values(15, its_rounds), &values(lanes, ROUNDS));
        let total = |warps: u32, lanes: u32, rounds| format!("inline = [{}]", warps * lanes.count_ones() * rounds);
        let text = replaced(&text, &total(its_warps, 15, its_rounds), &total(warps, lanes, ROUNDS));
        let options = Options {
            config: config.clone(),
            memory: MemoryConfig { latency: 4, jitter: 3, ..MemoryConfig::default() },
            limits: Limits { cycles: if name == "per-lane" { 4_000 } else { 400_000 }, idle: 2_000 },
            model: true,
            model_fault: None,
        };
        let program = CompilerOptions { warp_wide: config.warp_wide != WarpWide::Off, ..CompilerOptions::default() };
        Self { job: Job::parse(&path, text, Size::Whole).unwrap(), options, program }
    }

    fn prepared(&self) -> quadlock::job::prepare::Prepared {
        self.job.prepare(&program::of_job(&self.job, &self.program).unwrap(), &self.options.config).unwrap()
    }

    /// In lockstep, with the outputs compared.
    fn run(&self) -> Report {
        let prepared = self.prepared();
        let mut done = simulate::rtl(&prepared.launch, &self.options, &mut Quiet).unwrap();
        for wrong in prepared.compare(&done.image) {
            done.report.problem(Verdict::WrongOutput, wrong);
        }
        done.report
    }
}

fn passes(name: &str, warps: u32, lanes: u32, config: &GpuConfig) -> Report {
    let report = Case::new(name, warps, lanes, config).run();
    assert_eq!(report.verdict, Verdict::Pass, "{name}, {warps} warps, lanes {lanes:#06b}:\n{}", report.text());
    report
}

#[test]
fn a_lock_per_lane_is_a_deadlock_where_two_lanes_contend() {
    let config = small(WarpWide::Collective, WideResult::PerLane);
    for lanes in 0..16u32 {
        for warps in [1, 3] {
            let case = Case::new("per-lane", warps, lanes, &config);
            let report = case.run();
            if lanes.count_ones() < 2 {
                assert_eq!(report.verdict, Verdict::Pass, "{warps} warps, lanes {lanes:#06b}:\n{}", report.text());
                continue;
            }
            assert_eq!(report.verdict, Verdict::Hang, "{warps} warps, lanes {lanes:#06b}:\n{}", report.text());
            let hang = report.hang.as_ref().unwrap();
            assert_eq!(hang.kind, HangKind::CycleLimit);
            let lock = case.prepared().buffers.iter().find(|b| b.name == "lock").unwrap().region.addr;
            assert_eq!(hang.spinning.len(), warps as usize, "{}", report.text());
            let wanting = |lane: &usize| lanes >> lane & 1 == 1;
            let mut owners = 0;
            for spin in &hang.spinning {
                assert_eq!(spin.addresses, [lock]);
                assert!(spin.source.as_ref().unwrap().contains("per-lane.wgsl:17:"), "{:?}", spin.source);
                assert!(spin.polling.iter().all(wanting), "{spin:?}");
                // Of one warp all lanes but one poll: it has the lock, at a higher counter. Of the
                // others, all.
                let behind: Vec<usize> = spin.behind.iter().copied().filter(wanting).collect();
                assert_eq!(spin.polling.len() + behind.len(), lanes.count_ones() as usize, "{spin:?}");
                assert!(behind.iter().all(|&lane| spin.lanes[lane] > Some(spin.pc)), "{spin:?}");
                owners += behind.len();
            }
            assert_eq!(owners, 1, "{}", report.text());
        }
    }
}

/// The model alone finds the same.
#[test]
fn the_deadlock_is_the_models_too() {
    for (lanes, verdict) in [(0b1000, Verdict::Pass), (0b1010, Verdict::Hang), (0b1111, Verdict::Hang)] {
        let case = Case::new("per-lane", 2, lanes, &small(WarpWide::Collective, WideResult::PerLane));
        let report = simulate::golden(&case.prepared().launch, &case.options).report;
        assert_eq!(report.verdict, verdict, "lanes {lanes:#06b}:\n{}", report.text());
        let Some(hang) = report.hang else { continue };
        assert_eq!(hang.spinning.len(), 2);
        assert!(hang.spinning.iter().all(|s| s.source.as_ref().unwrap().contains("per-lane.wgsl:17:")), "{hang}");
    }
}

/// All warps that spin are named, however many.
#[test]
fn every_spinning_warp_is_named() {
    let case = Case::new("per-lane", 32, 0b1111, &machine(4, 8, WarpWide::Collective, WideResult::PerLane));
    let hang = simulate::golden(&case.prepared().launch, &case.options).report.hang.unwrap();
    assert_eq!(hang.spinning.len(), 32, "{hang}");
}

#[test]
fn the_warps_lock_ends_for_any_lanes_and_warps_on_every_option() {
    for execution in EXECUTIONS {
        for result in RESULTS {
            let config = small(execution, result);
            for lanes in 0..16 {
                passes("warp-wide", 1 + lanes % 4, lanes, &config);
            }
            for (warps, lanes) in [(1, 15), (2, 6), (9, 8), (16, 15), (33, 5)] {
                let report = passes("warp-wide", warps, lanes, &config);
                let passed_on = report.lock_handovers.unwrap();
                assert_eq!(passed_on == 0, warps == 1, "{warps} warps: {passed_on} hand-overs");
            }
        }
    }
}

/// Without the instructions one lane is elected: the same end.
#[test]
fn the_warps_lock_ends_without_the_instructions() {
    let config = small(WarpWide::Off, WideResult::PerLane);
    for (warps, lanes) in [(1, 15), (2, 6), (9, 8), (5, 0)] {
        passes("warp-wide", warps, lanes, &config);
    }
}

#[test]
fn the_warps_lock_ends_with_64_resident_warps_and_with_one() {
    for (units, slots, warps) in [(4, 16, 64), (1, 2, 1)] {
        let config = machine(units, slots, WarpWide::Collective, WideResult::PerLane);
        for lanes in [0b1111, 0b0100] {
            passes("warp-wide", warps, lanes, &config);
        }
    }
}

#[test]
fn the_reordered_source_ends() {
    for (execution, result) in [(WarpWide::Collective, WideResult::PerLane), (WarpWide::Off, WideResult::PerLane)] {
        for (warps, lanes) in [(1, 15), (1, 3), (2, 6), (3, 15), (3, 8)] {
            passes("reordered", warps, lanes, &small(execution, result));
        }
    }
}
