//! Lockstep with threads and with several cores: honest machines of several sizes pass, and every
//! wrong message, list operation, wait, launch or memory transaction is found by the checker whose
//! concern it is.

use quadlock_golden::Fault as ModelFault;
use quadlock_isa::{assemble, SemaphoreRequest};

use super::*;
use crate::lockstep::checkers::wait::RETIRE_DELAY;
use crate::lockstep::finding::Concern;
use crate::lockstep::{End, Quiet, RunResult};
use crate::machine::launch::ThreadList;
use crate::machine::ports::{BusEvent, ListOp, ListOpKind, MessageKind as Bus};
use crate::random::campaign::launch_of;
use crate::random::isa;
use crate::report::hang::Hang;
use crate::report::mismatch::Mismatch;
use crate::report::Verdict;
use crate::simulate;

fn options(rows: usize, cores: usize) -> Options {
    let mut options = Options { model: true, ..Options::default() };
    (options.config.rows, options.config.cores, options.config.units) =
        (rows, cores, if rows * cores > 1 { 1 } else { 2 });
    options.config.warps = 4;
    options.config.semaphores.semaphores = 16;
    options.config.semaphores.pool = 64;
    options.limits.idle = 2_000;
    options
}

/// The parts that the file describes.
const PROGRAM: &str = include_str!("../../../tests/programs/parts.asm");

/// Program counters of the parts, and of two instructions.
const PARTS: [u16; 5] = [0, 3, 5, 8, 11];
const RELEASE: u16 = 23;

fn request(semaphore: u16, auto_release: bool, suppress: bool) -> SemaphoreRequest {
    SemaphoreRequest { semaphore, auto_release, suppress }
}

fn thread(number: u32, part: usize, release: u32, requests: Vec<SemaphoreRequest>) -> ThreadRecord {
    ThreadRecord { pc: PARTS[part], mask: 15, data: [number, release, 0], requests }
}

fn launch_with(program: &str, threads: Vec<ThreadRecord>) -> Launch {
    let mut launch = Launch::bare("threads", assemble("t", program).unwrap().code, 0x4000);
    launch.lines = (0..launch.code.len()).map(|pc| Some(format!("a.wgsl:{}:1", pc + 1))).collect();
    launch.threads = Some(ThreadList { base: 0x2000, threads });
    launch.place_threads();
    launch
}

/// A chain, two predecessors with three successors (one of them a predecessor of others), and
/// associative threads.
fn mixed() -> Launch {
    let mut threads = Vec::new();
    let mut add = |part, release, requests| {
        let number = threads.len() as u32;
        threads.push(thread(number, part, release, requests));
    };
    (0..4).for_each(|_| add(0, 3, vec![request(3, false, false)]));
    (0..2).for_each(|_| add(1, 5, vec![request(5, false, true)]));
    add(0, 7, vec![request(7, false, true), request(5, true, false)]);
    (0..2).for_each(|_| add(2, 0, vec![request(5, true, false)]));
    (0..3).for_each(|_| add(2, 0, vec![request(7, true, false)]));
    (0..4).for_each(|_| add(3, 9, vec![]));
    (0..2).for_each(|_| add(4, 0, vec![]));
    launch_with(PROGRAM, threads)
}

fn chain(length: u32) -> Launch {
    let record = |n| thread(n, 0, 3, vec![request(3, false, false)]);
    launch_with(PROGRAM, (0..length).map(record).collect())
}

fn run_on(fake: &mut Fake, launch: &Launch, options: &Options) -> RunResult {
    lockstep::run(fake, launch, options, &mut Quiet)
}

#[test]
fn the_parts_of_the_program_are_where_the_tests_say() {
    let code = assemble("t", PROGRAM).unwrap().code;
    let text = |pc: u16| quadlock_isa::disassemble(code[usize::from(pc)], None);
    assert_eq!([text(0), text(5)].map(|t| t.trim().to_owned()), ["WTS", "WTS"]);
    assert!(text(PARTS[3] + 1).contains("ACS") && text(PARTS[4]).contains("ASR") && text(RELEASE).contains("RLS"));
}

#[test]
fn honest_machines_with_threads_pass() {
    for (rows, cores) in [(1, 1), (2, 2), (3, 2)] {
        for seed in 0..12 {
            let mut options = options(rows, cores);
            options.config.semaphores.pool = if seed % 2 == 0 { 64 } else { 8 };
            options.memory.jitter = seed as u32 % 3 * 7;
            let launch = mixed();
            let mut fake = Fake::new(&launch, &options, seed);
            let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
            assert!(done.report.passed(), "{rows}x{cores} seed {seed}\n{}", done.report.text());
            assert_eq!(done.report.warps, 18);
            let log: Vec<u8> = (0..18).map(|i| done.image.slice(0x3000 + 4 * i, 1).unwrap()[0]).collect();
            let at = |n: u8| log.iter().position(|&x| x == n).unwrap();
            assert!(at(0) < at(1) && at(1) < at(2) && at(2) < at(3), "{log:?}");
            assert!(at(4).max(at(5)) < at(6) && at(6) < at(9), "{log:?}");
        }
    }
}

#[test]
fn option_a_chains_pass() {
    let mut options = options(1, 1);
    options.config.semaphores.any_may_release = false;
    let launch = chain(9);
    let result = run_on(&mut Fake::new(&launch, &options, 1), &launch, &options);
    assert!(matches!(result.end, End::Finished) && result.wrong.protocol_error.is_none());
}

#[test]
fn random_programs_pass_on_an_honest_machine_of_four_cores() {
    for seed in 0..30 {
        let program = isa::generate(seed, &isa::Options::default());
        let (launch, mut options) = (launch_of(&program), options(2, 2));
        options.config.warps = 8;
        options.memory.stall = seed as u32 % 3 * 20;
        let mut fake = Fake::new(&launch, &options, seed);
        let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
        assert!(done.report.passed(), "seed {seed}\n{}\n{}", done.report.text(), program.asm());
    }
}

#[test]
fn the_model_alone_runs_the_list() {
    let done = simulate::golden(&mixed(), &options(1, 1));
    assert!(done.report.passed(), "{}", done.report.text());
    assert_eq!(done.report.warps, 18);
}

/// What finds it that a machine does otherwise.
fn found_with(launch: &Launch, options: &Options, flaw: Flaw, mutation: impl FnMut(&mut Outputs) + 'static) -> String {
    let mut fake = Fake::flawed(launch, options, 3, flaw);
    fake.mutation = Box::new(mutation);
    match run_on(&mut fake, launch, options).end {
        End::Mismatch(m) => format!("{}: {}", m.concern.name(), Mismatch::new(&m, launch)),
        other => format!("{other:?}"),
    }
}

#[track_caller]
fn finds(checker: &str, what: &str, mutation: impl FnMut(&mut Outputs) + 'static) {
    let text = found_with(&mixed(), &options(1, 1), Flaw::None, mutation);
    assert!(text.starts_with(&format!("{checker}: ")) && text.contains(what), "wanted {checker}: {what}; {text}");
}

/// Changes every bus event of a kind, from the `first` on.
fn bus(kind: Bus, first: usize, mut change: impl FnMut(&mut BusEvent)) -> impl FnMut(&mut Outputs) {
    let mut seen = 0;
    move |o| {
        for e in o.bus.iter_mut().filter(|e| e.kind == kind) {
            seen += 1;
            if seen > first {
                change(e);
            }
        }
    }
}

fn op(kind: ListOpKind, first: usize, mut change: impl FnMut(&mut ListOp)) -> impl FnMut(&mut Outputs) {
    let mut seen = 0;
    move |o| {
        for e in o.list_op.iter_mut().filter(|e| e.kind == kind) {
            seen += 1;
            if seen > first {
                change(e);
            }
        }
    }
}

fn without(kind: Bus, number: usize) -> impl FnMut(&mut Outputs) {
    let mut seen = 0;
    move |o| {
        o.bus.retain(|e| {
            seen += usize::from(e.kind == kind);
            e.kind != kind || seen != number
        });
    }
}

#[test]
fn messages_that_nobody_sent_or_that_are_changed_are_found() {
    finds("semaphore", "differs", bus(Bus::Release, 1, |e| e.semaphore ^= 1));
    finds("semaphore", "which is in row", bus(Bus::Release, 0, |e| e.from = 2));
    finds("semaphore", "the dispatcher sends Release", bus(Bus::Release, 0, |e| e.from = 1));
    finds("semaphore", "flags of the dispatcher", bus(Bus::Release, 0, |e| e.notify = true));
    finds("semaphore", "receiver 2 of the bus gets Acquire", bus(Bus::Release, 0, |e| e.kind = Bus::Acquire));
    finds("semaphore", "receiver 7 of the bus", bus(Bus::Release, 0, |e| e.receiver = 7));
    finds("semaphore", "acknowledge-suppress", bus(Bus::Acquire, 0, |e| e.suppress |= e.from == 1));
    finds("semaphore", "auto-release", bus(Bus::Acquire, 0, |e| e.auto ^= e.from == 1));
    finds("semaphore", "message of the instruction", bus(Bus::Acquire, 0, |e| e.auto ^= e.from == 0));
    finds("semaphore", "for which no request is left", bus(Bus::Acquire, 4, |e| e.semaphore = 15));
    finds("semaphore", "for which no message is at the entity", without(Bus::Release, 2));
    let twice = |o: &mut Outputs| o.bus.extend_from_slice(&o.bus.clone());
    finds("semaphore", "", twice);
}

#[test]
fn acknowledgements_that_are_lost_doubled_or_misdirected_are_found() {
    finds("wait", "shows it as running", |o| o.bus.retain(|e| e.kind != Bus::Acknowledge));
    finds("wait", "shows it as running", without(Bus::Acknowledge, 2));
    finds("semaphore", "not the next that the lists call for", bus(Bus::Acknowledge, 1, |e| e.thread ^= 1));
    finds("semaphore", "not the next that the lists call for", bus(Bus::Acknowledge, 1, |e| e.semaphore ^= 1));
    finds("semaphore", "goes a wrong way", bus(Bus::Acknowledge, 0, |e| e.from = 1));
    let twice = |o: &mut Outputs| {
        let again: Vec<_> = o.bus.iter().copied().filter(|e| e.kind == Bus::Acknowledge).collect();
        o.bus.extend(again);
    };
    finds("semaphore", "not the next that the lists call for", twice);
    // The grant is shown later than the thread acts on it: before its retire record, but after the
    // instruction must have been issued. The thread is shown as running by then.
    let mut held = VecDeque::new();
    let mut cycle = 0;
    let late = move |o: &mut Outputs| {
        cycle += 1;
        held.extend(o.bus.iter().filter(|e| e.kind == Bus::Acknowledge).map(|e| (cycle + RETIRE_DELAY - 2, *e)));
        o.bus.retain(|e| e.kind != Bus::Acknowledge);
        if held.front().is_some_and(|h| h.0 <= cycle) {
            o.bus.extend(held.pop_front().map(|h| h.1));
        }
    };
    finds("wait", "shows it as running", late);
}

#[test]
fn list_operations_that_differ_from_the_models_are_found() {
    use ListOpKind::{Appended, Passed, Removed};
    finds("semaphore", "operation", op(Appended, 1, |e| e.kind = Passed));
    finds("semaphore", "for which no message", op(Appended, 1, |e| e.thread ^= 1));
    finds("semaphore", "for which no message", op(Appended, 1, |e| e.semaphore ^= 1));
    finds("semaphore", "another entry than the head's", op(Removed, 1, |e| e.entry ^= 1));
    finds("semaphore", "is taken while it is", op(Appended, 0, |e| e.entry = 5));
    finds("semaphore", "from a pool of 64", op(Appended, 0, |e| e.entry = 64));
    finds("semaphore", "", op(Removed, 0, |e| e.kind = ListOpKind::Marked));
    finds("semaphore", "", op(Removed, 0, |e| e.kind = ListOpKind::Error));
    finds("semaphore", "", op(Removed, 0, |e| e.kind = ListOpKind::Undefined));
    finds("semaphore", "", |o: &mut Outputs| o.list_op = o.list_op.filter(|e| e.kind != Removed));
}

#[test]
fn launches_that_differ_from_the_list_are_found() {
    let launch = |f: fn(&mut LaunchEvent)| move |o: &mut Outputs| o.launch.iter_mut().for_each(f);
    finds("launch", "pc", launch(|l| l.pc += 1));
    finds("launch", "wait count", launch(|l| l.wait += 1));
    finds("launch", "thread 0: x", launch(|l| l.group_x += 1));
    finds("launch", "mask", launch(|l| l.mask = 7));
    finds("semaphore", "another slot", launch(|l| l.warp ^= u8::from(l.group_x == 4)));
}

/// SE-43: both wrong orders are found, whatever comes of them.
#[test]
fn se_43_wrong_orders_at_dispatch_are_found() {
    let text = found_with(&mixed(), &options(1, 1), Flaw::ThreadEarly, |_| {});
    assert!(text.starts_with("semaphore: ") && text.contains("suppressed requests had their effect"), "{text}");
    let text = found_with(&mixed(), &options(1, 1), Flaw::SemaphoreEarly, |_| {});
    assert!(text.starts_with("semaphore: ") && text.contains("before its launch"), "{text}");
}

#[test]
fn a_wait_that_the_machine_skips_is_found() {
    let text = found_with(&chain(9), &options(1, 1), Flaw::WaitSkipped, |_| {});
    assert!(text.starts_with("wait: ") && text.contains("shows it as running"), "{text}");
}

/// The event `waiting` against the model: never set, always set, and set while the thread issues.
#[test]
fn a_wrong_word_of_who_waits_is_found() {
    finds("wait", "shows it as running", |o: &mut Outputs| o.units.iter_mut().for_each(|u| u.waiting = 0));
    finds("wait", "waits for nothing", |o: &mut Outputs| o.units[0].waiting |= 1);
    // Seven cycles, as long as it takes from issue to retirement: shown at the issue, not when it
    // is looked for otherwise.
    let mut after = 0;
    let late = move |o: &mut Outputs| {
        let slot = &mut o.units[0];
        after = if slot.retire.is_some_and(|r| r.warp == 0) { 6 } else { u32::saturating_sub(after, 1) };
        slot.waiting |= u16::from(after > 0);
    };
    finds("wait", "issues while the machine shows it", late);
}

/// Liveness: a message that gets lost is named instead of a hang.
#[test]
fn a_lost_message_is_found() {
    let text = found_with(&mixed(), &options(1, 1), Flaw::Lost, |_| {});
    assert!(text.starts_with("semaphore: ") && text.contains("was not sent on the bus"), "{text}");
}

/// The pool must not say that it is empty while entries are neither in a list nor reserved.
#[test]
fn entries_that_leave_circulation_are_found() {
    let mut options = options(1, 1);
    options.limits.idle = 2_000;
    // A thread that waits for itself: nothing happens any more, and the pool claims to be
    // exhausted.
    let launch = launch_with("ACS #1\nACS #1\nEND", vec![thread(0, 0, 0, vec![])]);
    let text = found_with(&launch, &options, Flaw::None, |o| o.pool_exhausted = true);
    assert!(text.starts_with("semaphore: ") && text.contains("only 2 of 64 are in lists"), "{text}");
}

/// SE-12: threads that wait for one that waits for an entry: the report says what to set.
#[test]
fn a_hang_for_want_of_an_entry_names_the_pool() {
    let mut options = options(1, 1);
    options.config.semaphores.pool = 4;
    options.limits.idle = 2_000;
    options.model = false;
    let launch = launch_with("ACS #1\nACS #2\nACS #3\nACS #4\nACS #5\nEND", vec![thread(0, 0, 0, vec![])]);
    match run_on(&mut Fake::new(&launch, &options, 1), &launch, &options).end {
        End::Hang(hang) => {
            let text = Hang::new(&hang, &launch).to_string();
            assert!(text.contains("the pool of 4 entries is exhausted") && text.contains("semaphore-pool"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn planted_bugs_of_the_models_lists_are_found() {
    for fault in [ModelFault::SemaphoreOrder, ModelFault::SemaphoreHeadOnly] {
        let options = Options { model_fault: Some(fault), ..options(1, 1) };
        // Three of four predecessors stand behind the first one and release in any order.
        let threads = (0..4).map(|n| thread(n, 1, 5, vec![request(5, false, true)]));
        let launch = launch_with(PROGRAM, threads.chain((4..8).map(|n| thread(n, 3, 9, vec![]))).collect());
        let found = (0..8).any(|seed| {
            let mut fake = Fake::new(&launch, &options, seed);
            matches!(run_on(&mut fake, &launch, &options).end, End::Mismatch(m) if m.concern == Concern::Semaphore)
        });
        assert!(found, "{fault:?}");
    }
}

/// In lockstep the model follows the machine's order and the skipped wait shows nowhere: alone it
/// gives another order.
#[test]
fn the_models_skipped_wait_shows_in_its_memory() {
    let text = "S2R r1, group_y\nBZ r1, @9\nMOV r2, #30\nloop: ISUB r2, r2, #1\nBNZ r2, loop\nMOV r3, #7\nST.32 [r0+0x3000], r3\nRLS r1\nEND
        WTS\nLD.32 r4, [r0+0x3000]\nST.32 [r0+0x3010], r4\nEND";
    let text = format!("MOV r0, #0\n{}", text.replace("@9", "@10"));
    let one = |n, release, r| ThreadRecord { pc: 0, ..thread(n, 0, release, vec![r]) };
    let launch = launch_with(&text, vec![one(0, 5, request(5, false, true)), one(1, 0, request(5, true, false))]);
    let seen = |model_fault| {
        let done = simulate::golden(&launch, &Options { model_fault, ..options(1, 1) });
        done.image.slice(0x3010, 1).unwrap()[0]
    };
    assert_eq!((seen(None), seen(Some(ModelFault::WaitSkipped))), (7, 0));
}

#[test]
fn a_protocol_error_is_the_programs_problem_with_counter_and_line() {
    let launch = launch_with("MOV r1, #1\nRLS #9\nRLS #900\nEND", vec![thread(0, 0, 0, vec![])]);
    for model in [true, false] {
        let options = Options { model, ..options(1, 1) };
        let done = simulate::on_engine(&mut Fake::new(&launch, &options, 1), &launch, &options, &mut Quiet);
        assert_eq!(done.report.verdict, Verdict::ProtocolError, "{}", done.report.text());
        let text = done.report.problems[0].clone();
        assert!(
            text.contains("2 semaphore protocol error(s)") && text.contains("not in the semaphore's list"),
            "{text}"
        );
        assert!(text.contains("pc 1 (a.wgsl:2:1) releases semaphore 9"), "{text}");
    }
    let report = simulate::golden(&launch, &options(1, 1)).report;
    assert_eq!(report.verdict, Verdict::ProtocolError);
    assert!(report.problems[0].contains("pc 1 (a.wgsl:2:1) releases semaphore 9"), "{:?}", report.problems);
}

#[test]
fn a_semaphore_that_a_thread_keeps_is_the_programs_problem() {
    let launch = launch_with("ACS #9\nEND", vec![thread(0, 0, 0, vec![])]);
    for model in [true, false] {
        let options = Options { model, ..options(1, 1) };
        let done = simulate::on_engine(&mut Fake::new(&launch, &options, 1), &launch, &options, &mut Quiet);
        assert_eq!(done.report.verdict, Verdict::ProtocolError, "{}", done.report.text());
        let text = &done.report.problems[0];
        assert!(text.contains("pc 1 (a.wgsl:2:1): semaphore 9"), "{text}");
    }
}

/// The thread then waits for ever: that is what followed, and not the verdict. Of three releases of
/// one semaphore the third is wrong, and its line is named.
#[test]
fn se_25_a_protocol_error_comes_before_the_hang_that_follows() {
    for (text, line) in [
        (
            "MOV r1, #1\nACS #900\nMOV r1, #2\nEND",
            "pc 1 (a.wgsl:2:1) acquires semaphore 900: there is no such semaphore",
        ),
        (
            "ACS #9\nRLS #9\nACS #9\nRLS #9\nRLS #9\nACS #8\nACS #8\nEND",
            "pc 4 (a.wgsl:5:1) releases semaphore 9: the thread is not in",
        ),
    ] {
        let launch = launch_with(text, vec![thread(0, 0, 0, vec![])]);
        let mut reports = vec![simulate::golden(&launch, &options(1, 1)).report];
        for model in [true, false] {
            let options = Options { model, ..options(1, 1) };
            reports
                .push(simulate::on_engine(&mut Fake::new(&launch, &options, 1), &launch, &options, &mut Quiet).report);
        }
        for report in reports {
            let shown = report.text();
            assert_eq!(report.verdict, Verdict::ProtocolError, "{shown}");
            assert!(report.hang.is_some() && report.problems[0].contains(line), "{shown}");
            let (problem, hang) = (shown.find("problem: ").unwrap(), shown.find("what followed: hang: ").unwrap());
            assert!(problem < hang, "{shown}");
        }
    }
}

#[test]
fn a_deadlock_names_what_each_thread_waits_for() {
    let text = "S2R r1, group_x\nBNZ r1, @5\nACS #1\nACS #2\nEND\nACS #2\nACS #1\nEND";
    let threads = || (0..2).map(|n| thread(n, 0, 0, vec![])).collect();
    let launch = launch_with(text, threads());
    let found = (0..20).find_map(|seed| {
        match run_on(&mut Fake::new(&launch, &options(1, 1), seed), &launch, &options(1, 1)).end {
            End::Hang(hang) => Some(Hang::new(&hang, &launch).to_string()),
            _ => None,
        }
    });
    let text = found.unwrap();
    assert!(text.contains("waits for semaphore 2, owned by unit"), "{text}");
    assert!(text.contains("waits for semaphore 1, owned by unit"), "{text}");
    // Where each waits, not what it would do next: for the lanes, and for the owner.
    for line in ["lane 0 waits at pc 3: ", "lane 3 waits at pc 6: ", "a.wgsl:4:1", "a.wgsl:7:1", "which is at pc 6: "] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("a.wgsl:5:1") && !text.contains("a.wgsl:8:1"), "{text}");
}

/// Atomics of four cores on one word.
fn contended() -> Launch {
    let text =
        "MOV r1, #0x3000\nMOV r2, #1\nMOV r3, #12\nloop: ATOM32.ADD r4, [r1], r2\nISUB r3, r3, #1\nBNZ r3, loop\nEND";
    launch_with(text, (0..4).map(|n| thread(n, 0, 0, vec![])).collect())
}

#[test]
fn a_line_that_is_not_locked_is_found() {
    let (launch, options) = (contended(), options(2, 2));
    let result = run_on(&mut Fake::new(&launch, &options, 3), &launch, &options);
    assert!(matches!(result.end, End::Finished), "{:?}", result.end);
    assert_eq!(result.image.slice(0x3000, 1).unwrap(), &[4 * 4 * 12]);
    let text = found_with(&launch, &options, Flaw::LockIgnored, |_| {});
    assert!(text.starts_with("memory: ") && text.contains("has locked"), "{text}");
}

#[test]
fn transactions_of_several_cores_are_checked() {
    let (launch, options) = (contended(), options(2, 2));
    let found = |f: fn(&mut Outputs)| found_with(&launch, &options, Flaw::None, f);
    let text = found(|o| o.mem_source = o.mem_source.map(|s| s ^ 1));
    assert!(text.starts_with("memory: "), "{text}");
    let text = found(|o| o.mem_req.iter_mut().for_each(|r| r.addr += 16));
    assert!(text.starts_with("memory: ") && text.contains("0x00003010"), "{text}");
    let text = found(|o| o.mem_req.iter_mut().for_each(|r| r.data[0] += u32::from(r.write)));
    assert!(text.starts_with("memory: ") || text.starts_with("retire: "), "{text}");
}
