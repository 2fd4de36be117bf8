//! Atomics per lane and warp-wide in lockstep: honest machines pass, what the warp-wide and order
//! checkers look for is found, the report's figures are the port's, and a spin lock per lane ends
//! in a report that names all that a person needs (WW-11).
#![cfg(test)]

use super::*;
use crate::lockstep::keeper::Keeper;
use crate::lockstep::run::{complete, Run};
use crate::lockstep::{End, Quiet, RunResult};
use crate::machine::limits::Limits;
use crate::machine::locks::{LockRule, LockWords};
use crate::random::campaign::launch_of;
use crate::report::hang::Hang;
use crate::report::mismatch::Mismatch;
use crate::report::{Report, Verdict};
use quadlock_isa::assemble;

/// Every warp takes the lock, adds its lanes to a plain counter and gives the lock back; then
/// atomics of all kinds on words that all warps share.
const LOCKED: &str = concat!(
    include_str!("../../../../golden/tests/programs/warp_lock.asm"),
    "
        S2R r8, lane
        WATOM32.ADD r9, [r2+0x80], r8
        WATOM64.SMAX r10, [r2+0x88], r6
        ATOM32.ADD r12, [r2+0x80], r3
        BNZ r8, odd
        WATOM32.SUB r13, [r2+0x80], r6
    odd:
        WRED.ADD r14, r12
        WSCAN.UMAX r15, r9
        WATOM32.CAS r16, [r2+0x90], r6, r4
        ATOM32.CAS r17, [r2+0x90], r4, r6
        END"
);

/// The same work with a lock per lane: two lanes of a warp deadlock.
const PER_LANE: &str = "
        MOV r2, #0x1200
        MOV r3, #1
        MOV r4, #0
    again:
        ATOM32.CAS r5, [r2], r3, r4
        BNZ r5, again
        ATOM32.XCHG r5, [r2], r4
        END";

fn launch_text(text: &str, threads: u32, groups: u32) -> Launch {
    let mut launch = Launch::bare("atomics", assemble("atomics", text).unwrap().code, 0x800);
    launch.group_size = [threads, 1, 1];
    launch.grid = [groups, 1, 1];
    launch
}

fn options(cores: usize) -> Options {
    let mut options = Options { model: true, ..Options::default() };
    (options.config.cores, options.config.units, options.config.warps) = (cores, 2, 4);
    options
}

/// Runs with the checkers that `wanted` names, or all.
fn run_with(
    launch: &Launch,
    options: &Options,
    seed: u64,
    wanted: Option<&str>,
    mutation: impl FnMut(&mut Outputs) + 'static,
) -> RunResult {
    let mut fake = Fake::new(launch, options, seed);
    fake.mutation = Box::new(mutation);
    let mut run = Run::new(launch, options);
    if let (Some(wanted), Some(lockstep)) = (wanted, &mut run.lockstep) {
        lockstep.model.checkers.retain(|c| c.concern().name() == wanted);
    }
    complete(run, &mut fake, &mut Quiet, &mut Keeper::default())
}

fn passed(launch: &Launch, result: &RunResult) -> Report {
    let report = Report::of_run(launch, true, result);
    assert!(report.passed(), "{}", report.text());
    report
}

/// The checker that finds what `mutation` does, and what it says.
fn found(cores: usize, wanted: Option<&str>, mutation: impl FnMut(&mut Outputs) + Copy + 'static) -> (String, String) {
    let (launch, options) = (launch_text(LOCKED, 7, 6), options(cores));
    match run_with(&launch, &options, 3, wanted, mutation).end {
        End::Mismatch(m) => {
            let m = Mismatch::new(&m, &launch);
            (m.checker.clone(), m.to_string())
        }
        other => panic!("{other:?}"),
    }
}

fn completion(mut change: impl FnMut(&mut CompletionEvent) + Copy) -> impl FnMut(&mut Outputs) + Copy {
    move |o| o.units.iter_mut().filter_map(|u| u.completion.as_mut()).for_each(&mut change)
}

#[test]
fn honest_machines_pass_and_the_figures_are_those_of_the_port() {
    for cores in [1, 2, 3] {
        for seed in 0..10 {
            let (launch, options) = (launch_text(LOCKED, 7, 6), options(cores));
            let result = run_with(&launch, &options, seed, None, |_| ());
            let report = passed(&launch, &result);
            assert_eq!(result.image.slice(0x1240, 4).unwrap(), 42u32.to_le_bytes());
            let (atomics, transactions) = (report.atomics.unwrap(), report.atomic_transactions.unwrap());
            // Twelve warps: all but the locking is fixed. Plain accesses: a read and a write per
            // warp, in one line.
            let attempts = atomics - 12 * 7;
            assert_eq!(transactions, 2 * (attempts + 12 * 5 + 42 + 42), "{cores} cores");
            let port = report.memory_transactions.unwrap();
            match cores {
                1 => assert_eq!(port.writes, transactions / 2 + 12),
                _ => assert_eq!(port.total, transactions + 24),
            }
            assert_eq!(report.lock_handovers, Some(11));
        }
    }
}

#[test]
fn random_programs_full_of_atomics_pass_on_an_honest_machine() {
    for seed in 0..60 {
        let owned_locks = seed % 2 == 0;
        let config =
            crate::random::isa::Options { atomics: true, owned_locks, ..crate::random::isa::Options::default() };
        let program = crate::random::isa::generate(seed, &config);
        let launch = launch_of(&program);
        for cores in [1, 2] {
            let mut options = options(cores);
            (options.config.units, options.config.warps) = (2 / cores, 8);
            let result = run_with(&launch, &options, seed, None, |_| ());
            let report = Report::of_run(&launch, true, &result);
            assert!(report.passed(), "seed {seed}\n{}\n{}", report.text(), program.asm());
            assert!(!owned_locks || report.warnings.is_empty(), "seed {seed}: {:?}", report.warnings);
            // From the event ports alone the same is said. (With one core this machine shows no
            // reads at its port.)
            if cores == 1 {
                continue;
            }
            options.model = false;
            let alone = Report::of_run(&launch, false, &run_with(&launch, &options, seed, None, |_| ()));
            let said = |r: &Report| (r.verdict, r.problems.clone(), r.warnings.clone(), r.lock_handovers, r.cycles);
            assert_eq!(said(&alone), said(&report), "seed {seed}, {cores} cores\n{}", program.asm());
        }
    }
}

/// r9 is the result of a `WATOM32.ADD` of all lanes, r13 that of a `WATOM32.SUB` of lane 0.
#[test]
fn the_warp_wide_checker_sees_lanes_left_out_added_or_told_something_else() {
    type Change = fn(&mut CompletionEvent);
    let cases: [(Change, &str); 3] = [
        (|c| c.mask &= if c.dst == 9 { 0b0111 } else { 15 }, "lanes that get r9"),
        (|c| c.mask |= if c.dst == 13 { 0b0010 } else { 0 }, "lanes that get r13"),
        (|c| c.value[2] ^= u32::from(c.dst == 9) << 7, "r9, lane 2, as in the lowest lane"),
    ];
    for (change, field) in cases {
        for cores in [1, 2] {
            let (checker, text) = found(cores, None, completion(change));
            assert_eq!(checker, "warp-wide");
            assert!(text.contains(field), "{text}");
        }
    }
    // The same wrong value in all lanes is the retire checker's.
    assert_eq!(found(1, None, completion(|c| c.value = c.value.map(|v| v + u32::from(c.dst == 9)))).0, "retire");
}

/// A machine that says yes to everybody who wants the lock, or to everybody who gives it back.
#[test]
fn the_warp_wide_checker_sees_a_lock_with_two_owners() {
    let yes = completion(|c| {
        if c.dst == 5 {
            c.value = [1; 4];
        }
    });
    for cores in [1, 2] {
        let (checker, text) = found(cores, None, yes);
        assert_eq!(checker, "warp-wide");
        assert!(text.contains("lock has two owners: the lock word at 0x00001200"), "{text}");
        assert!(text.contains("owner") && text.contains("unit "), "{text}");
    }
    let launch = launch_text("MOV r2, #0x1200\nMOV r4, #0\nWATOM32.LOCK r5, [r2], r4\nEND", 4, 1);
    match run_with(&launch, &options(1), 1, None, yes).end {
        End::Mismatch(m) => {
            let m = Mismatch::new(&m, &launch);
            assert_eq!(m.checker, "warp-wide");
            assert!(m.what.contains("given back that nobody holds"), "{}", m.what);
        }
        other => panic!("{other:?}"),
    }
}

/// Where the job says that the lock has an owner; elsewhere it is worth a warning, or nothing.
#[test]
fn ww_28_a_lock_released_by_another_warp_is_the_programs_problem_if_it_is_owned() {
    let text = "
        S2R r1, group_x
        MOV r2, #0x1200
        MOV r3, #1
        MOV r4, #0
        BNZ r1, other
        WATOM32.LOCK r5, [r2], r3
        END
    other:
        WATOM32.LOCK r5, [r2], r4
        BZ r5, other
        END";
    for cores in [1, 2] {
        for (rule, verdict) in [
            (Some(LockRule::Owned), Verdict::ProtocolError),
            (Some(LockRule::Any), Verdict::Pass),
            (None, Verdict::Pass),
        ] {
            let mut launch = launch_text(text, 4, 2);
            launch.lines = (0..launch.code.len()).map(|pc| Some(format!("lock.wgsl:{}:5", pc + 1))).collect();
            launch.locks.extend(rule.map(|rule| LockWords { first: 0x1200, count: 1, step: 4, rule }));
            // Lockstep, the machine alone, the model alone.
            let mut reports = vec![crate::simulate::golden(&launch, &options(cores)).report];
            for model in [true, false].into_iter().filter(|&model| model || cores > 1) {
                let options = Options { model, ..options(cores) };
                let result = run_with(&launch, &options, 5, None, |_| ());
                reports.push(Report::of_run(&launch, model, &result));
            }
            for report in reports {
                assert_eq!(report.verdict, verdict, "{}", report.text());
                assert_eq!(report.lock_handovers, Some(0));
                let said: Vec<&String> = report.problems.iter().chain(&report.warnings).collect();
                assert_eq!(
                    (said.is_empty(), report.warnings.is_empty()),
                    (rule == Some(LockRule::Any), rule.is_some())
                );
                let Some(said) = said.first() else { continue };
                let begins =
                    if rule.is_some() { "1 lock(s) released by another" } else { "1 lock(s) given back by another" };
                assert!(said.starts_with(begins), "{said}");
                let words = "pc 7 (lock.wgsl:8:5) releases the lock at 0x00001200, which unit ";
                assert!(said.contains(words) && said.contains(" owns since pc 5 (lock.wgsl:6:5)"), "{said}");
            }
        }
    }
}

/// Half of the warps take and give back a lock of their own; the others keep the port's order of
/// several cores waiting, so that a slot has its next warp before its last one's lock is looked at.
#[test]
fn a_lock_given_back_before_the_slot_is_launched_again_is_no_foreign_release() {
    let text = "
        S2R r1, group_x
        S2R r2, lane
        MOV r3, #0x1200
        MOV r7, #1
        MOV r8, #0
        AND r4, r1, #1
        BNZ r4, locker
        SHL r5, r2, #4
        SHL r6, r1, #6
        IADD r5, r5, r6
        IADD r5, r5, r3
        ATOM32.ADD r6, [r5+0x400], r7
        ATOM32.ADD r6, [r5+0x400], r7
        END
    locker:
        SHL r5, r1, #4
        IADD r5, r5, r3
        WATOM32.LOCK r6, [r5], r7
        WATOM32.LOCK r6, [r5], r8
        END";
    for cores in [2, 3] {
        for seed in 0..10 {
            let mut options = options(cores);
            (options.config.units, options.config.warps) = (1, 2);
            let mut launch = launch_text(text, 4, 32);
            launch.image.bytes.resize(0x1000, 0);
            let report = passed(&launch, &run_with(&launch, &options, seed, None, |_| ()));
            assert_eq!(report.lock_handovers, Some(0), "{cores} cores, seed {seed}");
        }
    }
}

/// Alone, without the checkers that compare with the model's values.
#[test]
fn the_order_checker_finds_values_and_memory_that_no_order_explains() {
    const ORDER: Option<&str> = Some("atomic-order");
    for cores in [1, 2] {
        let (launch, options) = (launch_text(LOCKED, 7, 6), options(cores));
        passed(&launch, &run_with(&launch, &options, 3, ORDER, |_| ()));
        // Per lane (r12), warp-wide (r9), 64 bit (r11, the upper word), the lock's answer (r5),
        // compare-and-exchange (r17).
        for register in [12, 9, 11, 5, 17] {
            let change = completion(move |c| {
                if c.dst == register {
                    c.value = c.value.map(|v| v ^ 1);
                }
            });
            let (checker, text) = found(cores, ORDER, change);
            assert_eq!(checker, "atomic-order");
            assert!(text.contains("returned a value that its place in memory order does not explain"), "{text}");
        }
        // The model's memory is right, the machine's is not.
        let stuck = |o: &mut Outputs| {
            if let Some(r) = o.mem_req.as_mut().filter(|r| r.write && r.addr == 0x1280) {
                r.data[2] ^= 0x100;
            }
        };
        let (checker, text) = found(cores, ORDER, stuck);
        assert_eq!(checker, "atomic-order");
        assert!(text.contains("memory is not what the order of the atomics leaves"), "{text}");
        assert!(text.contains("byte 0x00001289"), "{text}");
    }
}

/// Two increments of one word that both find 0: the lost update that an ignored lock makes. The
/// order checker judges the machine's values, the model is of no help here.
#[test]
fn the_order_checker_finds_a_lost_update() {
    let text = "MOV r2, #0x1200\nMOV r3, #1\nATOM32.ADD r5, [r2], r3\nEND";
    let launch = launch_text(text, 4, 2);
    let lost = completion(|c| c.value = [0; 4]);
    match run_with(&launch, &options(1), 1, Some("atomic-order"), lost).end {
        End::Mismatch(m) => {
            let m = Mismatch::new(&m, &launch);
            assert_eq!(m.checker, "atomic-order");
            assert_eq!((m.fields[0].expected.as_str(), m.fields[0].seen.as_str()), ("0x1", "0x0"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn ww_11_the_hang_report_names_warp_lanes_lock_and_source_line() {
    for cores in [1, 2] {
        let mut launch = launch_text(PER_LANE, 3, 2);
        launch.lines = (0..launch.code.len()).map(|pc| Some(format!("lock.wgsl:{}:9", pc + 10))).collect();
        let mut options = options(cores);
        options.limits = Limits { cycles: 2_000, idle: 1_000 };
        let result = run_with(&launch, &options, 1, None, |_| ());
        let End::Hang(hang) = &result.end else { panic!("{:?}", result.end) };
        let hang = Hang::new(hang, &launch);
        let text = hang.to_string();
        // One warp has the lock in lane 0 and spins in the others; the other warp spins in all
        // lanes.
        assert!(text.contains("    lane 0 runs at pc 5: "), "{text}");
        assert!(text.contains("lane 3 has ended"), "{text}");
        assert!(
            text.contains("spins: the atomic at pc 3 polls 0x00001200, which holds 0x1 (lanes 1, 2); lane 0 at higher counters is not chosen meanwhile"),
            "{text}"
        );
        assert!(text.contains("    at pc 3: ") && text.contains("lock.wgsl:13:9"), "{text}");
        let holder = hang.spinning.iter().find(|s| !s.behind.is_empty()).unwrap();
        assert_eq!((holder.lanes, holder.pc), ([Some(5), Some(4), Some(4), None], 3));
        assert_eq!((holder.addresses.as_slice(), holder.source.as_deref()), (&[0x1200][..], Some("lock.wgsl:13:9")));
        assert_eq!((holder.polling.as_slice(), holder.behind.as_slice()), (&[1, 2][..], &[0][..]));
        let report = Report::of_run(&launch, true, &result);
        assert_eq!(report.verdict, Verdict::Hang);
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(json["hang"]["spinning"][0]["addresses"][0], 0x1200);
        assert!(json["atomic_transactions"].as_u64().unwrap() > 0);
    }
}
