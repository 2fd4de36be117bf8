//! Tests that must fail: every row plants one fault in RTL, model or compiler and runs a small
//! program; the checker named in the row has to find it, within a bounded number of cycles. A fault
//! that is not found fails the test of its name, as does one that is found by another checker. Each
//! program also runs without the fault and must pass, so that it is the fault that is found.

mod compiler;
mod graphics;
mod merge;
mod places;
mod programs;
mod split;
mod table;
mod threads;
mod wide;

use programs::{grid, one_warp, two_warps, Program};
use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::limits::Limits;
use quadlock::machine::memory::MemoryConfig;
use quadlock::report::{Report, Verdict};
use quadlock::simulate::{self, AnyFault, Simulator};
use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};

/// Cycles within which a fault must be found.
const CYCLES: u64 = 3_000;

fn options(fault: Option<AnyFault>, machine: [usize; 4]) -> Options {
    options_on(fault, machine, programs::WIDE)
}

fn options_on(fault: Option<AnyFault>, machine: [usize; 4], wide: (WarpWide, WideResult)) -> Options {
    let [rows, cores, units, warps] = machine;
    let (warp_wide, warp_wide_result) = wide;
    let mut options = Options {
        config: GpuConfig {
            rows,
            cores,
            units,
            warps,
            icache_lines: 64,
            shared_words: 256,
            warp_wide,
            warp_wide_result,
            ..GpuConfig::default()
        },
        memory: MemoryConfig { latency: 4, ..MemoryConfig::default() },
        limits: Limits { cycles: CYCLES, idle: 500 },
        model: true,
        model_fault: None,
    };
    match fault {
        Some(AnyFault::Rtl(f)) => options.config.fault = Some(f),
        Some(AnyFault::Model(f)) => options.model_fault = Some(f),
        _ => {}
    }
    options
}

fn run(simulator: Simulator, name: &str, program: &Program, fault: Option<AnyFault>) -> Report {
    let launch = program.launch(name);
    let mut options = options_on(fault, program.machine, program.wide);
    options.config.warp_wide_late = program.late;
    simulate::rtl_on(simulator, &launch, &options, &mut Quiet).unwrap().report
}

/// What found the fault.
fn found_by(report: &Report) -> String {
    match report.verdict {
        Verdict::Mismatch => report.mismatches[0].checker.clone(),
        Verdict::Hang => "hang".to_owned(),
        Verdict::WrongOutput => "output".to_owned(),
        Verdict::ProtocolError => "protocol-error".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The program passes.
fn passes(program: &Program) {
    let report = run(Simulator::Rtlsim, "healthy", program, None);
    assert!(report.passed(), "on {:?} without a fault: {}\n{}", program.wide, program.text, report.text());
}

/// The fault of that name is found by that checker, in compiled Verilog.
fn check(name: &str, finder: &str, program: &Program) {
    check_on(Simulator::Rtlsim, name, finder, program);
}

fn check_on(simulator: Simulator, name: &str, finder: &str, program: &Program) {
    let report = run(simulator, name, program, Some(name.parse().unwrap()));
    let (found, wide) = (found_by(&report), program.wide);
    assert_eq!(found, finder, "{name} on {wide:?}, what finds it:\n{}", report.text());
}

/// The fault gives the model other memory than the machine when it runs alone.
fn check_alone(name: &str, finder: &str, program: &Program) {
    let launch = program.launch(name);
    let machine = simulate::rtl(&launch, &options(None, program.machine), &mut Quiet).unwrap();
    assert!(machine.report.passed(), "{name} without the fault:\n{}", machine.report.text());
    let alone = |fault| {
        let mut done = simulate::golden(&launch, &options(fault, program.machine));
        if done.image.bytes != machine.image.bytes {
            done.report.problem(Verdict::WrongOutput, "memory differs from the machine's".to_owned());
        }
        found_by(&done.report)
    };
    assert_eq!(alone(None), "Pass", "{name} without the fault");
    assert_eq!(alone(Some(name.parse().unwrap())), finder, "{name}");
}

/// The second opinion: rust-hdl's own engine has the same faults, found by the same checkers. One
/// of each part of the core, because it is slow.
#[test]
fn planted_faults_of_the_rtl_are_caught_on_rust_hdl_too() {
    let rows = [
        ("rtl:add-carry", "retire", one_warp(programs::ADD_CARRY)),
        ("rtl:barrier-early", "barrier", two_warps(programs::BARRIER)),
        ("rtl:store-mask", "memory", one_warp(programs::STORE_16)),
        ("rtl:dispatch-skip", "launch", grid(programs::PLAIN, [3, 2, 1], 4)),
    ];
    for (name, finder, program) in rows {
        let healthy = run(Simulator::RustHdl, name, &program, None);
        assert!(healthy.passed(), "{name} without the fault:\n{}", healthy.text());
        check_on(Simulator::RustHdl, name, finder, &program);
    }
}
