//! Tests that must fail: every row plants one fault in RTL, model or compiler and runs a small program; the checker named in the row has to find it,
//! within a bounded number of cycles. A fault that is not found fails the test, as does one that is found by another checker. Each program
//! also runs without the fault and must pass, so that it is the fault that is found.

mod programs;
mod threads;
mod wide;

use std::path::Path;

use programs::{grid, one_warp, two_warps, Program};
use quadlock::job::program;
use quadlock::job::{Job, Size};
use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::limits::Limits;
use quadlock::machine::memory::MemoryConfig;
use quadlock::report::{Report, Verdict};
use quadlock::simulate::{self, AnyFault, Simulator};
use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};

/// (fault, what finds it, program).
struct Row(&'static str, &'static str, Program);

/// Cycles within which a fault must be found.
const CYCLES: u64 = 3_000;

fn rtl_rows() -> Vec<Row> {
    vec![
        Row("rtl:fma-rounding", "retire", one_warp(programs::FMA_TIE)),
        Row("rtl:fma-sticky", "retire", one_warp(programs::FMA_STICKY)),
        Row("rtl:add-carry", "retire", one_warp(programs::ADD_CARRY)),
        Row("rtl:convert-saturate", "retire", one_warp(programs::CONVERT)),
        Row("rtl:signed-compare", "retire", one_warp(programs::SIGNED_COMPARE)),
        Row("rtl:integral-tie", "retire", one_warp(programs::INTEGRAL_TIE)),
        Row("rtl:f16-subnormal", "retire", one_warp(programs::F16_SUBNORMAL)),
        Row("rtl:nan-sign", "retire", one_warp(programs::NAN_SIGN)),
        Row("rtl:encode-tie", "retire", one_warp(programs::ENCODE_TIE)),
        Row("rtl:subnormal-shift", "retire", one_warp(programs::SUBNORMAL_SHIFT)),
        Row("rtl:divide-sticky", "retire", one_warp(programs::DIVIDE_STICKY)),
        Row("rtl:divide-subnormal", "retire", one_warp(programs::DIVIDE_SUBNORMAL)),
        Row("rtl:sqrt-rounding", "retire", one_warp(programs::SQRT_ROUNDING)),
        Row("rtl:range-reduction", "retire", one_warp(programs::RANGE_REDUCTION)),
        Row("rtl:table-line", "retire", one_warp(programs::TABLE_LINE)),
        Row("rtl:function-rounding", "retire", one_warp(programs::FUNCTION_ROUNDING)),
        Row("rtl:write-mask", "retire", one_warp(programs::WRITE_MASK)),
        Row("rtl:stale-operand", "retire", one_warp(programs::STALE_OPERAND)),
        Row("rtl:branch-mask", "retire", one_warp(programs::BRANCH_MASK)),
        Row("rtl:lowest-pc", "retire", one_warp(programs::LOWEST_PC)),
        Row("rtl:barrier-early", "barrier", two_warps(programs::BARRIER)),
        Row("rtl:stale-bypass", "retire", one_warp(programs::BYPASS)),
        Row("rtl:wide-destination", "retire", one_warp(programs::WIDE_LOAD)),
        Row("rtl:coalesce-line", "memory", one_warp(programs::NEIGHBOUR_LINES)),
        Row("rtl:drop-response", "hang", one_warp(programs::MANY_LOADS)),
        Row("rtl:store-mask", "memory", one_warp(programs::STORE_16)),
        Row("rtl:sign-extend", "retire", one_warp(programs::LOAD_S8)),
        Row("rtl:atomic-lost-lane", "memory", one_warp(programs::ATOMIC)),
        Row("rtl:dispatch-skip", "launch", grid(programs::PLAIN, [3, 2, 1], 4)),
        Row("rtl:dispatch-twice", "launch", grid(programs::PLAIN, [2, 1, 1], 8)),
    ]
}

/// Faults of threads and semaphores.
fn thread_rows() -> Vec<Row> {
    vec![
        Row("rtl:wait-ignored", "wait", threads::chain()),
        Row("rtl:ack-lost", "wait", threads::chain()),
        Row("rtl:ack-any-warp", "wait", threads::chain()),
        Row("rtl:sem-two-owners", "semaphore", threads::chain()),
        Row("rtl:sem-fifo-order", "semaphore", threads::chain()),
        Row("rtl:sem-double-ack", "semaphore", threads::chain()),
        Row("rtl:bus-duplicate", "semaphore", threads::chain()),
        Row("rtl:auto-lost", "semaphore", threads::associative()),
        Row("rtl:message-lane", "semaphore", threads::lanes()),
        Row("rtl:sem-suppress-ignored", "semaphore", threads::fan()),
        Row("rtl:row-wrong-unit", "semaphore", threads::associative_of_cores()),
        Row("rtl:lock-ignored", "memory", threads::contended()),
        Row("rtl:ack-wrong-core", "semaphore", threads::chain_of_cores()),
        Row("rtl:dispatch-thread-early", "semaphore", threads::fan()),
        Row("rtl:dispatch-sem-early", "semaphore", threads::chain()),
        Row("rtl:dispatch-slot-twice", "launch", threads::short()),
        Row("rtl:dispatch-wait-count", "launch", threads::fan()),
        Row("rtl:dispatch-record-skip", "launch", threads::fan()),
        Row("rtl:dispatch-end-lost", "hang", threads::short()),
        Row("rtl:row-lost-end", "hang", threads::short()),
        Row("rtl:free-while-waiting", "wait", threads::ends()),
        Row("rtl:sem-auto-kept", "semaphore", threads::passes()),
        Row("rtl:sem-foreign-release", "semaphore", threads::fan()),
        Row("rtl:sem-early-done", "semaphore", threads::fan()),
        Row("rtl:bus-drop", "semaphore", threads::associative_of_cores()),
        Row("rtl:bus-reorder", "semaphore", threads::associative_of_cores()),
        Row("rtl:release-early", "retire", threads::fan()),
    ]
}

/// Faults of operations executed once for a warp.
fn wide_rows() -> Vec<Row> {
    let mut rows = vec![
        Row("rtl:wide-twice", "retire", wide::full()),
        Row("rtl:wide-not-broadcast", "warp-wide", wide::represented()),
        Row("rtl:wide-mask-stuck", "hang", wide::represented()),
        Row("rtl:scalar-wrong-warp", "memory", wide::scalar()),
        Row("rtl:shared-stale", "retire", wide::overwritten()),
        Row("rtl:reduce-inactive", "retire", wide::across()),
        Row("rtl:lock-foreign", "warp-wide", wide::lock()),
        // In shared storage (WW-26).
        Row("rtl:wide-twice", "retire", wide::shared_full()),
        Row("rtl:wide-not-broadcast", "warp-wide", wide::shared_represented()),
        Row("rtl:wide-mask-stuck", "hang", wide::shared_represented()),
        Row("rtl:shared-stale", "retire", wide::shared_overwritten()),
        Row("rtl:lock-foreign", "warp-wide", wide::shared_lock()),
    ];
    let everywhere = |fault, finder, program: fn() -> Program| wide::executions(program).map(|p| Row(fault, finder, p));
    rows.extend(everywhere("rtl:wide-inactive", "warp-wide", wide::partial));
    rows.extend(everywhere("rtl:wide-old-value", "retire", wide::partial));
    rows.extend(everywhere("rtl:wide-lock-steals", "warp-wide", wide::lock));
    rows.extend(everywhere("rtl:wide-inactive", "warp-wide", wide::shared_partial));
    rows.extend(everywhere("rtl:wide-old-value", "retire", wide::shared_partial));
    rows.extend(everywhere("rtl:wide-lock-steals", "warp-wide", wide::shared_lock));
    // Late lanes (WW-27), in both memories.
    let both = |fault, finder, programs: [Program; 2]| programs.map(|p| Row(fault, finder, p));
    rows.extend(both("rtl:late-again", "warp-wide", wide::late()));
    rows.extend(both("rtl:late-lanes", "warp-wide", wide::late()));
    rows.extend(both("rtl:late-foreign", "warp-wide", wide::late_turns()));
    rows.extend(both("rtl:late-met", "warp-wide", wide::late_met()));
    rows.extend(both("rtl:late-turn", "warp-wide", wide::late_turn()));
    rows.extend(both("rtl:late-memory", "retire", wide::late()));
    rows
}

/// (fault, test of `hdl/tests` that catches it): those that lockstep cannot show.
/// An unreported protocol error shows only in a program that makes one, and such a program does not pass without the fault.
const BLOCK_TESTS_ONLY: &[(&str, &str)] = &[
    ("sem-silent-error", "semaphore_entity::planted_faults_are_caught"),
    // The programs here do not bring these about; the blocks' own tests do.
    ("message-overflow", "warp_semaphores"),
    ("sem-lost-entry", "semaphore_entity::planted_faults_are_caught"),
    ("bus-unfair", "message_bus"),
    // They show only while the pool is exhausted.
    ("room-overtake", "waiting_room::planted_faults_are_caught"),
    ("room-asleep", "waiting_room::planted_faults_are_caught"),
    ("room-blocks", "waiting_room::planted_faults_are_caught"),
    ("room-lost", "waiting_room::planted_faults_are_caught"),
    ("row-lost-acquire", "row_controller"),
    ("dispatch-overtake", "thread_dispatcher"),
    ("dispatch-busy-early", "thread_dispatcher"),
];

/// (fault, test of the harness that has lockstep catch it by name): those that need a machine whose cores differ (SE-3).
const ELSEWHERE: &[(&str, &str)] = &[
    ("dispatch-slot-missing", "mixed_cores::se_3_the_dispatchers_faults_are_found_by_name"),
    ("dispatch-unable", "mixed_cores::se_3_the_dispatchers_faults_are_found_by_name"),
];

fn model_rows() -> Vec<Row> {
    vec![
        Row("model:fmin-nan", "retire", one_warp(programs::FMIN_NAN)),
        Row("model:shift-mask", "retire", one_warp(programs::SHIFT)),
        Row("model:sub-word-sign", "retire", one_warp(programs::LOAD_S8)),
        Row("model:sbfe-zero", "retire", one_warp(programs::SBFE)),
        Row("model:fma-twice", "retire", one_warp(programs::FMA_ONCE)),
        Row("model:atomic-order", "retire", one_warp(programs::ATOMIC)),
        Row("model:store-lowest", "retire", one_warp(programs::OVERLAP)),
        Row("model:wide-every-lane", "retire", wide::full()),
        Row("model:wide-leader", "memory", wide::partial()),
        Row("model:scan-inclusive", "retire", wide::across()),
        Row("model:sem-fifo-order", "semaphore", threads::chain()),
        Row("model:sem-release-head-only", "semaphore", threads::fan()),
        Row("model:wait-skipped", "wait", threads::chain()),
    ]
}

/// In lockstep the model takes the machine's order and a barrier that it opens too early shows nowhere: the model alone has to give other memory
/// than the machine.
fn model_alone_rows() -> Vec<Row> {
    vec![Row("model:barrier-early", "output", two_warps(programs::BARRIER_STORED))]
}

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

fn run(simulator: Simulator, row: &Row, fault: Option<AnyFault>) -> Report {
    let launch = row.2.launch(row.0);
    let mut options = options_on(fault, row.2.machine, row.2.wide);
    options.config.warp_wide_late = row.2.late;
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

fn check(simulator: Simulator, rows: &[Row]) {
    let mut wrong = Vec::new();
    for row in rows {
        let healthy = run(simulator, row, None);
        let (name, wide) = (row.0, row.2.wide);
        if !healthy.passed() {
            wrong.push(format!("{name} on {wide:?} without the fault:\n{}", healthy.text()));
            continue;
        }
        let report = run(simulator, row, Some(row.0.parse().unwrap()));
        let found = found_by(&report);
        if found != row.1 {
            let expected = row.1;
            wrong.push(format!(
                "{name} on {wide:?}: expected to be found by {expected}, was: {found}\n{}",
                report.text()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn every_planted_fault_of_the_rtl_is_caught() {
    check(Simulator::Rtlsim, &rtl_rows());
}

#[test]
fn every_planted_fault_of_threads_and_semaphores_is_caught() {
    check(Simulator::Rtlsim, &thread_rows());
}

#[test]
fn every_planted_fault_of_warp_wide_operations_is_caught() {
    check(Simulator::Rtlsim, &wide_rows());
}

/// Names all faults without a row at once.
#[test]
fn every_fault_of_the_rtl_has_a_row() {
    let rows: Vec<Row> = rtl_rows().into_iter().chain(thread_rows()).chain(wide_rows()).collect();
    let names = quadlock_hdl::fault::Fault::ALL.iter().map(|f| f.1);
    let missing: Vec<&str> = names
        .filter(|name| !rows.iter().any(|r| r.0 == format!("rtl:{name}")))
        .filter(|name| !BLOCK_TESTS_ONLY.iter().chain(ELSEWHERE).any(|b| b.0 == *name))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
}

/// The second opinion: rust-hdl's own engine has the same faults, found by the same checkers. One of each part of the core, because it is slow.
#[test]
fn planted_faults_of_the_rtl_are_caught_on_rust_hdl_too() {
    let mut rows = rtl_rows();
    rows.retain(|r| ["rtl:add-carry", "rtl:barrier-early", "rtl:store-mask", "rtl:dispatch-skip"].contains(&r.0));
    assert_eq!(rows.len(), 4);
    check(Simulator::RustHdl, &rows);
}

#[test]
fn every_planted_fault_of_the_model_is_caught() {
    let (rows, alone) = (model_rows(), model_alone_rows());
    for (_, name, _) in quadlock_golden::Fault::ALL {
        assert!(rows.iter().chain(&alone).any(|r| r.0 == format!("model:{name}")), "no row for {name}");
    }
    check(Simulator::Rtlsim, &rows);
}

#[test]
fn planted_faults_that_lockstep_hides_are_caught_with_the_model_alone() {
    for row in model_alone_rows() {
        let launch = row.2.launch(row.0);
        let machine = simulate::rtl(&launch, &options(None, row.2.machine), &mut Quiet).unwrap();
        assert!(machine.report.passed(), "{} without the fault:\n{}", row.0, machine.report.text());
        let alone = |fault| {
            let mut done = simulate::golden(&launch, &options(fault, row.2.machine));
            if done.image.bytes != machine.image.bytes {
                done.report.problem(Verdict::WrongOutput, "memory differs from the machine's".to_owned());
            }
            found_by(&done.report)
        };
        assert_eq!(alone(None), "Pass", "{} without the fault", row.0);
        assert_eq!(alone(Some(row.0.parse().unwrap())), row.1, "{}", row.0);
    }
}

/// (compiler fault, what finds it, body of the shader, expected output).
type ShaderRow = (&'static str, &'static str, String, String);

/// RTL and model run the same wrong binary in lockstep and agree; the job's expected output finds it.
fn shader_rows() -> Vec<ShaderRow> {
    let (spill, spilled) = many_live();
    let row = |fault, body: &str, expected: &str| (fault, "output", body.to_owned(), expected.to_owned());
    vec![
        row("fold-sub", "o[i] = (0u - i) + 3u;", "[3, 2, 1, 0]"),
        row(
            "cse-load-across-store",
            "let z = o[0]; let a = o[i]; o[i + z] = i + 7u; let b = o[i]; o[i] = a + b * 2u;",
            "[14, 16, 18, 20]",
        ),
        row("dce-drops-store", "o[i] = i * 3u + 1u;", "[1, 4, 7, 10]"),
        row(
            "mem2reg-wrong-phi",
            "var x = 1u; var y = 2u; if ((i & 1u) == 1u) { x = 10u; y = 20u; } o[i] = x + y;",
            "[3, 30, 3, 30]",
        ),
        row(
            "wrong-branch-layout",
            "if (i > 1u) { o[i] = i * 4u; o[i] += i; } else { o[i] = 5u; o[i] += o[i]; }",
            "[10, 10, 10, 15]",
        ),
        row("spill-slot-clash", &spill, &spilled),
    ]
}

/// A chain of 40 values, read back from the last to the first: all are live in the middle, more than there are registers.
/// Two bits of the result, different in every lane, are its place: a wrong value stays inside the buffer.
fn many_live() -> (String, String) {
    let mut body = "let v0 = i + 1u; ".to_owned();
    for k in 1..40 {
        body += &format!("let v{k} = v{} * 3u + {k}u; ", k - 1);
    }
    body += "var s = 0u; ";
    for k in (0..40).rev() {
        body += &format!("s = (s * 5u) ^ v{k}; ");
    }
    body += "o[(s >> 25u) & 3u] = s;";
    let result = |i: u32| {
        let mut values = vec![i + 1];
        for k in 1..40u32 {
            values.push(values[k as usize - 1].wrapping_mul(3).wrapping_add(k));
        }
        values.iter().rev().fold(0u32, |s, v| s.wrapping_mul(5) ^ v)
    };
    let mut expected = [0; 4];
    for s in [0, 1, 2, 3].map(result) {
        expected[(s >> 25) as usize & 3] = s;
    }
    (body, format!("{expected:?}"))
}

fn shader_report(body: &str, expected: &str, fault: Option<AnyFault>) -> Report {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(4)\n\
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ let i = id.x; {body} }}\n"
    );
    let job = format!(
        "name = \"x\"\nshader = \"x.wgsl\"\ngrid = [1, 1, 1]\n[[buffer]]\nbinding = 0\nfrom = {{ zero = 16 }}\n\
         expect = {{ from = {{ inline = {expected} }} }}\n"
    );
    let job = Job::parse(Path::new("x.toml"), job, Size::Whole).unwrap();
    let fault = match fault {
        Some(AnyFault::Compiler(f)) => Some(f),
        _ => None,
    };
    let compiler = program::CompilerOptions { fault, ..Default::default() };
    let options = options(None, programs::SMALL);
    let binary = program::compile(Path::new("x.wgsl"), text.as_bytes(), None, &compiler).unwrap().binary;
    let prepared = job.prepare(&binary, &options.config).unwrap();
    let mut done = simulate::rtl(&prepared.launch, &options, &mut Quiet).unwrap();
    for wrong in prepared.compare(&done.image) {
        done.report.problem(Verdict::WrongOutput, wrong);
    }
    done.report
}

#[test]
fn every_planted_fault_of_the_compiler_is_caught() {
    let rows = shader_rows();
    for (_, name, _) in quadlock_shader::fault::CompilerFault::ALL {
        assert!(rows.iter().any(|r| r.0 == *name), "no row for {name}");
    }
    let mut wrong = Vec::new();
    for (fault, finder, body, expected) in &rows {
        let healthy = shader_report(body, expected, None);
        if !healthy.passed() {
            wrong.push(format!("{fault}, without the fault:\n{}", healthy.text()));
            continue;
        }
        let planted = format!("compiler:{fault}").parse().unwrap();
        let report = shader_report(body, expected, Some(planted));
        let found = found_by(&report);
        if found != *finder {
            wrong.push(format!("{fault}: expected to be found by {finder}, was: {found}\n{}", report.text()));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
