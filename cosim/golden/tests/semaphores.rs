//! Active semaphores by the requirement ids: what each message does to the lists, what the
//! instructions do to a thread, the four kinds, the shapes of dependency.

use crate::common::{code, machine};
use quadlock_golden::semaphores::{place_of, thread_id, Change, Message, MessageKind, ProtocolError, Semaphores};
use quadlock_golden::{Config, Fault, Golden, Launch, LaunchError, Memory, RunError, StepError};
use quadlock_isa::{SemaphoreRequest, ThreadRecord};

const ACQUIRE: MessageKind = MessageKind::Acquire { auto_release: false, suppress: false };
const AUTO: MessageKind = MessageKind::Acquire { auto_release: true, suppress: false };
const SUPPRESS: MessageKind = MessageKind::Acquire { auto_release: false, suppress: true };
const BOTH: MessageKind = MessageKind::Acquire { auto_release: true, suppress: true };
const RELEASE: MessageKind = MessageKind::Release;

fn lists(any_may_release: bool) -> Semaphores {
    Semaphores::new(16, any_may_release, None)
}

/// (operation, thread, acknowledged thread) of everything that a message to semaphore 3 does.
fn send(s: &mut Semaphores, kind: MessageKind, thread: u16) -> Vec<(Change, u16, Option<u16>)> {
    s.apply(&Message { kind, semaphore: 3, thread }).into_iter().map(|o| (o.change, o.thread, o.acknowledge)).collect()
}

fn threads(s: &Semaphores) -> Vec<u16> {
    s.list(3).map(|e| e.thread).collect()
}

#[test]
fn se_20_an_acquire_is_appended_with_its_fields() {
    let mut s = lists(true);
    send(&mut s, ACQUIRE, 5);
    send(&mut s, AUTO, 6);
    send(&mut s, SUPPRESS, 7);
    let fields: Vec<_> = s.list(3).map(|e| (e.thread, e.released, e.suppress)).collect();
    assert_eq!(fields, [(5, false, false), (6, true, false), (7, false, true)]);
    assert_eq!((s.owner(3), s.entries(), s.list(2).len()), (Some(5), 3, 0));
}

#[test]
fn se_21_an_empty_list_acknowledges_unless_suppressed() {
    assert_eq!(send(&mut lists(true), ACQUIRE, 5), [(Change::Appended, 5, Some(5))]);
    assert_eq!(send(&mut lists(true), SUPPRESS, 5), [(Change::Appended, 5, None)]);
}

#[test]
fn se_21_auto_release_on_an_empty_list_leaves_it_empty() {
    for (kind, acknowledged) in [(AUTO, Some(5)), (BOTH, None)] {
        let mut s = lists(true);
        assert_eq!(send(&mut s, kind, 5), [(Change::Passed, 5, acknowledged)]);
        assert_eq!(s.entries(), 0);
    }
}

#[test]
fn se_21_a_list_that_is_not_empty_sends_nothing() {
    let mut s = lists(true);
    send(&mut s, ACQUIRE, 5);
    for (kind, thread) in [(ACQUIRE, 6), (AUTO, 7), (SUPPRESS, 8), (BOTH, 9)] {
        assert_eq!(send(&mut s, kind, thread), [(Change::Appended, thread, None)]);
    }
    assert_eq!(threads(&s), [5, 6, 7, 8, 9]);
}

#[test]
fn se_22_option_a_only_the_owner_releases() {
    let mut s = lists(false);
    (5..8).for_each(|t| drop(send(&mut s, ACQUIRE, t)));
    assert_eq!(send(&mut s, RELEASE, 6), [(Change::Error(ProtocolError::NotOwner), 6, None)]);
    assert_eq!(threads(&s), [5, 6, 7]);
    assert_eq!(send(&mut s, RELEASE, 5), [(Change::Removed, 5, Some(6))]);
    assert_eq!(threads(&s), [6, 7]);
}

#[test]
fn se_22_option_b_any_thread_of_the_list_releases_where_it_stands() {
    let mut s = lists(true);
    (5..8).for_each(|t| drop(send(&mut s, ACQUIRE, t)));
    assert_eq!(send(&mut s, RELEASE, 6), [(Change::Marked, 6, None)]);
    assert_eq!(threads(&s), [5, 6, 7], "it keeps its place");
    assert_eq!(s.list(3).map(|e| e.released).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn se_23_heads_that_are_released_go_too_and_each_new_head_is_acknowledged() {
    let mut s = lists(true);
    for (kind, thread) in [(ACQUIRE, 1), (ACQUIRE, 2), (BOTH, 3), (AUTO, 4), (ACQUIRE, 5), (ACQUIRE, 6)] {
        send(&mut s, kind, thread);
    }
    send(&mut s, RELEASE, 2);
    let done = send(&mut s, RELEASE, 1);
    let removed = |t, acknowledged| (Change::Removed, t, acknowledged);
    assert_eq!(done, [removed(1, Some(2)), removed(2, None), removed(3, Some(4)), removed(4, Some(5))]);
    assert_eq!(threads(&s), [5, 6]);
}

#[test]
fn se_23_the_list_may_run_empty() {
    let mut s = lists(true);
    send(&mut s, ACQUIRE, 1);
    send(&mut s, AUTO, 2);
    assert_eq!(send(&mut s, RELEASE, 1), [(Change::Removed, 1, Some(2)), (Change::Removed, 2, None)]);
    assert_eq!(s.entries(), 0);
    assert_eq!(send(&mut s, ACQUIRE, 3), [(Change::Appended, 3, Some(3))]);
}

#[test]
fn se_25_errors_have_their_reason_and_no_effect() {
    let mut s = lists(true);
    assert_eq!(send(&mut s, RELEASE, 9), [(Change::Error(ProtocolError::NotInList), 9, None)]);
    (5..8).for_each(|t| drop(send(&mut s, ACQUIRE, t)));
    send(&mut s, RELEASE, 7);
    let before = s.clone();
    for (thread, why) in [(9, ProtocolError::NotInList), (7, ProtocolError::DoubleRelease)] {
        assert_eq!(send(&mut s, RELEASE, thread), [(Change::Error(why), thread, None)]);
    }
    for kind in [ACQUIRE, RELEASE] {
        let done = s.apply(&Message { kind, semaphore: 16, thread: 5 });
        assert_eq!(done[0].change, Change::Error(ProtocolError::NoSuchSemaphore));
        assert_eq!((done.len(), done[0].acknowledge), (1, None));
    }
    assert_eq!(s, before);
}

#[test]
fn se_22_planted_bugs_show_in_the_lists() {
    let mut s = Semaphores::new(16, true, Some(Fault::SemaphoreOrder));
    (1..4).for_each(|t| drop(send(&mut s, ACQUIRE, t)));
    assert_eq!(threads(&s), [1, 3, 2]);
    let mut s = Semaphores::new(16, true, Some(Fault::SemaphoreHeadOnly));
    (1..4).for_each(|t| drop(send(&mut s, ACQUIRE, t)));
    assert_eq!(send(&mut s, RELEASE, 2)[0].0, Change::Error(ProtocolError::NotOwner));
}

#[test]
fn thread_ids_name_a_warp_slot_of_a_unit() {
    assert_eq!((thread_id(0, 0), thread_id(31, 15), thread_id(2, 3)), (0, 511, 35));
    assert_eq!(place_of(35), (2, 3));
}

// Instructions.

/// A thread in unit 0, warp slot 0.
fn one(text: &str, wait: u8) -> Golden {
    let mut g = machine(text, vec![0, 0, 11], None);
    g.launch(&Launch { mask: 15, warps_in_group: 1, wait, ..Launch::default() }).unwrap();
    g
}

#[test]
fn se_30_acs_sends_and_waits_for_its_acknowledgement() {
    let mut g = one("ACS #7\nEND", 0);
    let sent = g.step(0, 0).unwrap().message;
    assert_eq!(sent, Some(Message { kind: ACQUIRE, semaphore: 7, thread: 0 }));
    assert!(g.warp(0, 0).is_waiting());
    assert!(matches!(g.step(0, 0), Err(StepError::Waiting { count: 1, .. })));
    g.acknowledge(0).unwrap();
    assert_eq!(g.step(0, 0).unwrap().pc, 1);
}

#[test]
fn se_31_asr_sets_auto_release() {
    let mut g = one("ASR #7\nEND", 0);
    assert_eq!(g.step(0, 0).unwrap().message.map(|m| m.kind), Some(AUTO));
    assert!(g.warp(0, 0).is_waiting());
}

#[test]
fn se_32_wts_waits_only_for_what_is_outstanding() {
    let mut g = one("WTS\nWTS\nEND", 2);
    g.acknowledge(0).unwrap();
    assert_eq!(g.step(0, 0).unwrap().message, None);
    assert!(g.warp(0, 0).is_waiting());
    g.acknowledge(0).unwrap();
    g.step(0, 0).unwrap();
    assert!(!g.warp(0, 0).is_waiting(), "nothing is outstanding");
    g.step(0, 0).unwrap();
    assert!(g.is_idle());
}

#[test]
fn se_33_rls_sends_and_goes_on() {
    let mut g = one("RLS #7\nEND", 0);
    let sent = g.step(0, 0).unwrap().message;
    assert_eq!(sent, Some(Message { kind: RELEASE, semaphore: 7, thread: 0 }));
    assert_eq!(g.step(0, 0).unwrap().pc, 1);
}

/// Register of the lowest active lane, immediate, constant bank; ids beyond 16 bits are sent
/// as 65535.
#[test]
fn se_34_the_id_comes_from_register_immediate_or_constant() {
    let mut g = one("S2R r1, lane\nBZ r1, @4\nRLS r1\nEND\nRLS #0x10000\nRLS c[2]\nEND", 0);
    let sent: Vec<u16> = (0..6).filter_map(|_| g.step(0, 0).unwrap().message).map(|m| m.semaphore).collect();
    assert_eq!(sent, [1, 65535, 11], "lanes 1 to 3 take the first release: lane 1 is their lowest");
}

#[test]
fn se_24_an_acknowledgement_that_nobody_awaits_is_an_error() {
    let mut g = one("END", 0);
    assert!(matches!(g.acknowledge(0), Err(StepError::NotAwaited { .. })));
    assert!(matches!(g.acknowledge(200), Err(StepError::NoSuchSlot { .. })));
}

/// A late acknowledgement must not meet the slot's next thread.
#[test]
fn a_slot_is_free_only_when_every_acknowledgement_has_come() {
    let mut g = one("END", 1);
    g.step(0, 0).unwrap();
    let next = Launch { mask: 1, warps_in_group: 1, ..Launch::default() };
    assert!(matches!(g.launch(&next), Err(LaunchError::Occupied { .. })));
    assert!(!g.is_idle());
    g.acknowledge(0).unwrap();
    g.launch(&next).unwrap();
}

// Whole thread lists. A thread's x is its number; it appends that number to a log at 0x2000, whose
// length is at 0x1000.

const LOG: u32 = 0x2000;
const APPEND: &str = "MOV r1, #0x1000\nMOV r2, #1\nS2R r3, lane\nBNZ r3, @8\nATOM32.ADD r4, [r1], r2\nS2R r5, group_x\nSHL r4, r4, #2\nST.32 [r4+0x2000], r5\n";

fn request(semaphore: u16, kind: MessageKind) -> SemaphoreRequest {
    let MessageKind::Acquire { auto_release, suppress } = kind else { panic!("an acquire is needed") };
    SemaphoreRequest { semaphore, auto_release, suppress }
}

fn thread(n: u32, pc: u16, requests: &[(u16, MessageKind)]) -> ThreadRecord {
    let requests = requests.iter().map(|&(s, k)| request(s, k)).collect();
    ThreadRecord { pc, mask: 15, data: [n, 0, 0], requests }
}

/// A program of several parts that all append; (code, start of each part).
fn parts(parts: &[(&str, &str)]) -> (Vec<u64>, Vec<u16>) {
    let mut words = Vec::new();
    let starts = parts.iter().map(|(before, after)| {
        let start = words.len();
        let head = code(before);
        let base = start + head.len();
        let append = APPEND.replace("@8", &format!("@{}", base + 8));
        words.extend(head);
        words.extend(code(&format!("{append}{after}\nEND")));
        start as u16
    });
    let starts = starts.collect();
    (words, starts)
}

/// The log after running the list on a small machine with a turn length.
fn run(code: &[u64], threads: &[ThreadRecord], warps: usize, quantum: u32) -> (Vec<u32>, Golden) {
    let config = Config { units: 2, warps, ..Config::default() };
    let mut g = Golden::new(config, code.to_vec(), vec![], Memory::new(0x4000));
    g.set_quantum(quantum);
    g.run_threads(threads, 1_000_000).unwrap_or_else(|e| panic!("{e}"));
    let count = g.memory().read32(0x1000);
    let log = (0..count).map(|i| g.memory().read32(LOG + 4 * i)).collect();
    (log, g)
}

fn over_machines(code: &[u64], threads: &[ThreadRecord], mut check: impl FnMut(&[u32])) {
    for (warps, quantum) in [(1, 1), (2, 3), (8, 1), (8, 64)] {
        let (log, g) = run(code, threads, warps, quantum);
        assert_eq!(log.len(), threads.len());
        assert_eq!((g.protocol_errors().1, g.unreleased().len(), g.semaphores().entries()), (0, 0, 0));
        check(&log);
    }
}

#[test]
fn se_50_a_chain_through_one_ordered_semaphore_runs_in_order() {
    let (code, starts) = parts(&[("WTS", "RLS #5")]);
    let threads: Vec<_> = (0..20).map(|n| thread(n, starts[0], &[(5, ACQUIRE)])).collect();
    over_machines(&code, &threads, |log| assert_eq!(log, (0..20).collect::<Vec<_>>()));
}

#[test]
fn se_50_associative_acquires_exclude_each_other() {
    let text = "S2R r1, lane\nMOV r2, #0x1000\nACS #5\nLD.32 r3, [r2]\nIADD r3, r3, #1\nST.32 [r2], r3\nRLS #5\nEND";
    let code = code(text);
    let threads: Vec<_> = (0..20).map(|n| ThreadRecord { mask: 1, ..thread(n, 0, &[]) }).collect();
    for quantum in [1, 2, 3, 64] {
        let (_, g) = run(&code, &threads, 8, quantum);
        assert_eq!(g.memory().read32(0x1000), 20);
    }
}

/// Executes the next instruction of a thread of unit 0, and delivers what it sends.
fn next(g: &mut Golden, warp: usize) {
    let effect = g.step(0, warp).unwrap();
    if let Some(message) = effect.message {
        g.deliver(&message, Some(effect.pc));
    }
}

/// A machine with three threads at their first instruction. `ordered`: the dispatcher has acquired
/// semaphore 5 for them, in the order of `arrival`.
fn three(text: &str, ordered: bool, kind: MessageKind, arrival: [usize; 3]) -> Golden {
    let mut g = machine(text, vec![], None);
    for warp in 0..3 {
        let wait = u8::from(ordered);
        g.launch(&Launch { mask: 15, warp, first_warp: warp, warps_in_group: 1, wait, ..Launch::default() }).unwrap();
    }
    if ordered {
        arrival.iter().for_each(|&warp| g.deliver(&Message { kind, semaphore: 5, thread: warp as u16 }, None));
    }
    g
}

/// Associative or ordered, active or proactive: the order is that of arrival or of dispatch, one
/// thread is inside at a time, a thread that waits executes nothing, and of each release exactly
/// the next thread is told, whether it waits already (active) or is still before its wait
/// (proactive).
#[test]
fn se_42_all_four_kinds_work() {
    for arrival in [[1, 2, 0], [2, 1, 0], [0, 1, 2]] {
        for ordered in [false, true] {
            let text = format!("MOV r1, #1\n{}\nMOV r2, #2\nRLS #5\nEND", if ordered { "WTS" } else { "ACS #5" });
            for active in [true, false] {
                let what = format!("{arrival:?} ordered {ordered} active {active}");
                let mut g = three(&text, ordered, ACQUIRE, arrival);
                if active {
                    // All come to their wait; the first one passes it.
                    arrival.iter().for_each(|&warp| (0..2).for_each(|_| next(&mut g, warp)));
                }
                for (at, &warp) in arrival.iter().enumerate() {
                    for &behind in &arrival[at + 1..] {
                        let slot = g.warp(0, behind);
                        let asked = u8::from(active || ordered);
                        assert_eq!((slot.is_waiting(), slot.wait_count()), (active, asked), "{what}: {behind}");
                        let refused = active && matches!(g.step(0, behind), Err(StepError::Waiting { .. }));
                        assert_eq!(refused, active, "{what}: {behind} executes while it waits");
                    }
                    if !active {
                        // It comes to its wait now: ordered, it has been told already and passes.
                        assert_eq!(g.warp(0, warp).wait_count(), 0, "{what}: {warp}");
                        (0..2).for_each(|_| next(&mut g, warp));
                    }
                    let slot = g.warp(0, warp);
                    assert_eq!((slot.is_waiting(), slot.wait_count()), (false, 0), "{what}: {warp} is acknowledged");
                    assert_eq!(g.semaphores().owner(5), Some(warp as u16), "{what}");
                    (0..2).for_each(|_| next(&mut g, warp));
                }
                assert_eq!((g.protocol_errors().1, g.semaphores().entries()), (0, 0), "{what}");
            }
        }
    }
}

/// The four kinds with auto-release: all behind the owner go on with its release and hold up
/// nobody, and on a free semaphore a thread passes and leaves it free.
#[test]
fn se_42_all_four_kinds_work_with_auto_release() {
    for ordered in [false, true] {
        let text = format!("MOV r1, #1\n{}\nMOV r2, #2\nEND", if ordered { "WTS" } else { "ASR #5" });
        for active in [true, false] {
            let what = format!("ordered {ordered} active {active}");
            let free = three(&text, ordered, AUTO, [0, 1, 2]);
            let counts = (0..3).map(|w| free.warp(0, w).wait_count()).collect::<Vec<_>>();
            assert_eq!((free.semaphores().owner(5), counts), (None, vec![0; 3]), "{what}: free");
            // A thread of another unit owns the semaphore.
            let owner = thread_id(1, 0);
            let mut g = machine(&text, vec![], None);
            g.deliver(&Message { kind: SUPPRESS, semaphore: 5, thread: owner }, None);
            for warp in 0..3 {
                let wait = u8::from(ordered);
                let launch = Launch { mask: 15, warp, first_warp: warp, warps_in_group: 1, wait, ..Launch::default() };
                g.launch(&launch).unwrap();
                if ordered {
                    g.deliver(&Message { kind: AUTO, semaphore: 5, thread: warp as u16 }, None);
                }
            }
            if active || !ordered {
                for w in [0, 0, 1, 1, 2, 2] {
                    next(&mut g, w);
                }
            }
            for w in 0..3 {
                let slot = g.warp(0, w);
                assert_eq!((slot.is_waiting(), slot.wait_count()), (active || !ordered, 1), "{what}: {w}");
            }
            g.deliver(&Message { kind: RELEASE, semaphore: 5, thread: owner }, None);
            for w in 0..3 {
                let slot = g.warp(0, w);
                assert_eq!((slot.is_waiting(), slot.wait_count()), (false, 0), "{what}: {w} goes on");
                while g.warp(0, w).next().is_some() {
                    next(&mut g, w);
                    assert!(!g.warp(0, w).is_waiting(), "{what}: {w} waits for a thread that does not release");
                }
                assert_eq!(g.warp(0, w).reg(0, 2), 2);
            }
            assert_eq!((g.protocol_errors().1, g.semaphores().entries()), (0, 0), "{what}");
        }
    }
}

#[test]
fn se_42_proactive_one_acknowledgement_goes_to_the_head_before_it_waits() {
    let mut g = machine("MOV r1, #1\nWTS\nRLS #5\nEND", vec![], None);
    let acquire = |thread| Message { kind: ACQUIRE, semaphore: 5, thread };
    for warp in 0..2 {
        g.launch(&Launch { mask: 15, warp, first_warp: warp, warps_in_group: 1, wait: 1, ..Launch::default() })
            .unwrap();
        g.deliver(&acquire(warp as u16), None);
    }
    assert_eq!((g.warp(0, 0).wait_count(), g.warp(0, 1).wait_count()), (0, 1));
    (0..2).for_each(|_| drop(g.step(0, 0).unwrap()));
    assert!(!g.warp(0, 0).is_waiting(), "acknowledged before it got to WTS");
}

fn before(log: &[u32], first: u32, second: u32) -> bool {
    let at = |n| log.iter().position(|&x| x == n).unwrap();
    at(first) < at(second)
}

/// Predecessors: suppress, RLS only. Successors: auto-release, WTS only.
#[test]
fn se_51_shapes_start_no_successor_before_all_predecessors_released() {
    let (code, starts) = parts(&[("", "RLS #5"), ("WTS", "")]);
    // 1:1, 1:N, N:1, N:M.
    for (from, to) in (1..6).flat_map(|from| (1..7).map(move |to| (from, to))) {
        let mut threads: Vec<_> = (0..from).map(|n| thread(n, starts[0], &[(5, SUPPRESS)])).collect();
        threads.extend((from..from + to).map(|n| thread(n, starts[1], &[(5, AUTO)])));
        over_machines(&code, &threads, |log| {
            for p in 0..from {
                (from..from + to).for_each(|s| assert!(before(log, p, s), "{from}:{to} {log:?}"));
            }
        });
    }
}

#[test]
fn se_51_n_to_one_to_n_takes_two_semaphores() {
    let (code, starts) = parts(&[("", "RLS #5"), ("WTS", "RLS #6"), ("WTS", "")]);
    for (from, to) in (1..6).flat_map(|from| (1..6).map(move |to| (from, to))) {
        let mut threads: Vec<_> = (0..from).map(|n| thread(n, starts[0], &[(5, SUPPRESS)])).collect();
        threads.push(thread(from, starts[1], &[(6, SUPPRESS), (5, AUTO)]));
        threads.extend((from + 1..=from + to).map(|n| thread(n, starts[2], &[(6, AUTO)])));
        over_machines(&code, &threads, |log| {
            (0..from).for_each(|p| assert!(before(log, p, from), "{from}:1:{to} {log:?}"));
            (from + 1..=from + to).for_each(|s| assert!(before(log, from, s), "{from}:1:{to} {log:?}"));
        });
    }
}

/// Successors of one semaphore do not wait on each other: all run although none of them releases.
#[test]
fn se_51_successors_do_not_wait_on_each_other() {
    let (code, starts) = parts(&[("", "RLS #5"), ("WTS", "")]);
    for (from, to) in [(1, 2), (1, 5), (2, 4), (5, 1), (3, 7)] {
        let mut g = Golden::new(Config { warps: 8, ..Config::default() }, code.clone(), vec![], Memory::new(0x4000));
        g.set_quantum(1);
        let mut threads: Vec<_> = (0..from).map(|n| thread(n, starts[0], &[(5, SUPPRESS)])).collect();
        threads.extend((from..from + to).map(|n| thread(n, starts[1], &[(5, AUTO)])));
        g.run_threads(&threads, 100_000).unwrap();
        assert_eq!(g.memory().read32(0x1000), from + to, "{from}:{to}");
    }
}

#[test]
fn the_data_words_of_a_record_are_special_registers_of_its_thread() {
    let text = "S2R r1, group_x\nS2R r2, group_y\nS2R r3, group_z\nS2R r4, local_index\nS2R r5, local_id\nEND";
    let record = ThreadRecord { data: [7, 8, 9], mask: 0b1010, ..thread(0, 0, &[]) };
    let (_, g) = run(&code(text), &[record], 2, 64);
    assert_eq!((1..6).map(|r| g.warp(0, 0).reg(3, r)).collect::<Vec<_>>(), [7, 8, 9, 3, 3]);
    assert_eq!(g.warp(0, 0).reg(0, 1), 0, "not covered");
}

#[test]
fn a_deadlock_over_semaphores_names_waiters_and_owners() {
    let text = "S2R r1, group_x\nBNZ r1, @5\nACS #1\nACS #2\nEND\nACS #2\nACS #1\nEND";
    let mut g = machine(text, vec![], None);
    g.set_quantum(1);
    let error = g.run_threads(&[thread(0, 0, &[]), thread(1, 0, &[])], 10_000_000).unwrap_err();
    let RunError::Deadlock { report, stats } = error else { panic!("{error}") };
    assert!(report.contains("unit 0 warp 0 waits for semaphore 2, which unit 1 warp 0 owns"), "{report}");
    assert!(report.contains("unit 1 warp 0 waits for semaphore 1, which unit 0 warp 0 owns"), "{report}");
    assert!(stats.warp_instructions < 100);
}

#[test]
fn se_25_errors_name_the_counter_of_the_sender() {
    let mut g = machine("MOV r1, #1\nRLS #9\nEND", vec![], None);
    g.run_threads(&[thread(0, 0, &[])], 100).unwrap();
    let (errors, count) = g.protocol_errors();
    assert_eq!((count, errors[0].pc, errors[0].error), (1, Some(1), ProtocolError::NotInList));
    assert_eq!(errors[0].message, Message { kind: RELEASE, semaphore: 9, thread: 0 });
}

#[test]
fn a_thread_that_ends_without_releasing_is_noted() {
    let mut g = machine("ACS #9\nEND", vec![], None);
    g.run_threads(&[thread(0, 0, &[(4, SUPPRESS), (6, AUTO)])], 100).unwrap();
    let left = &g.unreleased()[0];
    assert_eq!((left.pc, left.semaphores.as_slice()), (1, &[4, 9][..]));
    assert_eq!(g.semaphores().entries(), 2);
}

#[test]
fn a_wait_that_is_skipped_breaks_the_order() {
    let (code, starts) = parts(&[("MOV r9, #1\nMOV r9, #2\nMOV r9, #3", "RLS #5"), ("WTS", "")]);
    let threads = [thread(0, starts[0], &[(5, SUPPRESS)]), thread(1, starts[1], &[(5, AUTO)])];
    let log = |fault| {
        let mut g = Golden::new(Config { fault, ..Config::default() }, code.clone(), vec![], Memory::new(0x4000));
        g.set_quantum(1);
        g.run_threads(&threads, 100_000).unwrap();
        g.warp(1, 0).reg(0, 4)
    };
    assert_eq!(log(None), 4, "second in the log");
    assert_ne!(log(Some(Fault::WaitSkipped)), 4);
}
