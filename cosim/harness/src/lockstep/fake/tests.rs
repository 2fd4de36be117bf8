//! Lockstep without threads: an honest machine passes, and each checker finds the event that was
//! changed.

use super::*;
use crate::lockstep::finding::Concern;
use crate::lockstep::{End, Quiet};
use crate::random::campaign::launch_of;
use crate::random::isa;
use crate::report::hang::Hang;
use crate::report::mismatch::Mismatch;
use crate::simulate;
use quadlock_isa::assemble;

fn options() -> Options {
    Options { model: true, ..Options::default() }
}

const PROGRAM: &str = "
    S2R r1, local_index
    SHL r2, r1, #2
    IADD r3, r1, #5
    ST.32 [r2+0x1200], r3
    LD.128 r8, [r2+0x1200]
    IADD r4, r8, #1
    STS.32 [r2+0], r4
    BAR
    LDS.32 r5, [r2+0]
    ATOM32.ADD r6, [r2+0x1300], r5
    BNZ r5, next
next:
    ST.16 [r2+0x1280], r6
    END";

fn launch() -> Launch {
    let mut launch = Launch::bare("fake", assemble("fake", PROGRAM).unwrap().code, 0x800);
    launch.group_size = [8, 1, 1];
    launch.grid = [3, 1, 1];
    launch.pinned = true;
    launch.shared_bytes = 32;
    launch
}

fn run(mutation: impl FnMut(&mut Outputs) + 'static) -> End {
    let (launch, options) = (launch(), options());
    let mut fake = Fake::new(&launch, &options, 1);
    fake.mutation = Box::new(mutation);
    lockstep::run(&mut fake, &launch, &options, &mut Quiet).end
}

/// The checker that finds what `mutation` does.
fn checker(mutation: impl FnMut(&mut Outputs) + 'static) -> String {
    match run(mutation) {
        End::Mismatch(m) => m.concern.name().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_honest_machine_passes() {
    for seed in 0..20 {
        let (launch, options) = (launch(), options());
        let mut fake = Fake::new(&launch, &options, seed);
        let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
        assert!(done.report.passed(), "seed {seed}\n{}", done.report.text());
        assert_eq!(done.report.retired, 3 * 2 * 13);
    }
}

#[test]
fn random_programs_pass_on_an_honest_machine() {
    for seed in 0..40 {
        let program = isa::generate(seed, &isa::Options::default());
        let (launch, options) = (launch_of(&program), options());
        let mut fake = Fake::new(&launch, &options, seed);
        let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
        assert!(done.report.passed(), "seed {seed}\n{}\n{}", done.report.text(), program.asm());
    }
}

fn retire(mut change: impl FnMut(&mut RetireEvent) + 'static) -> impl FnMut(&mut Outputs) {
    move |o| o.units.iter_mut().filter_map(|u| u.retire.as_mut()).for_each(&mut change)
}

fn completion(mut change: impl FnMut(&mut CompletionEvent) + 'static) -> impl FnMut(&mut Outputs) {
    move |o| o.units.iter_mut().filter_map(|u| u.completion.as_mut()).for_each(&mut change)
}

#[test]
fn the_retire_checker_sees_every_field() {
    assert_eq!(checker(retire(|r| r.value[2] ^= u32::from(r.pc == 2) << 31)), "retire");
    assert_eq!(checker(retire(|r| r.pc += u16::from(r.pc == 5))), "retire");
    assert_eq!(checker(retire(|r| r.mask &= if r.pc == 3 { 7 } else { 15 })), "retire");
    assert_eq!(checker(retire(|r| r.dst ^= u8::from(r.pc == 2))), "retire");
    assert_eq!(checker(retire(|r| r.wen &= r.pc != 2)), "retire");
    assert_eq!(checker(retire(|r| r.hi ^= u32::from(r.pc == 1) << 8)), "retire");
    assert_eq!(checker(retire(|r| r.next[3] += u16::from(r.pc == 10))), "retire");
    assert_eq!(checker(retire(|r| r.value[0] += 4 * u32::from(r.pc == 4))), "retire");
    assert_eq!(checker(completion(|c| c.value[1] ^= u32::from(c.dst == 10))), "retire");
    assert_eq!(checker(completion(|c| c.mask &= if c.dst == 9 { 0b0111 } else { 15 })), "retire");
}

#[test]
fn the_trap_checker_sees_a_false_trap() {
    assert_eq!(checker(retire(|r| r.trap |= r.pc == 6)), "trap");
    assert_eq!(checker(|o| o.trapped = true), "trap");
}

/// Instruction 1 is undefined; the launch has one warp.
fn trapping() -> Launch {
    let mut launch = Launch::bare("trap", assemble("t", "MOV r1, #1\nMOV r1, #2\nEND").unwrap().code, 0x100);
    launch.code[1] = u64::MAX;
    launch.place_code();
    launch.lines = vec![None, Some("a.comp:7:3".to_owned()), None];
    launch
}

#[test]
fn a_trap_is_reported_with_place_and_reason_with_and_without_the_model() {
    let outside = Launch::bare("outside", assemble("t", "MOV r1, #1").unwrap().code, 0x100);
    for model in [true, false] {
        let options = Options { model, ..Options::default() };
        let text = |launch: &Launch| {
            let mut fake = Fake::new(launch, &options, 1);
            simulate::on_engine(&mut fake, launch, &options, &mut Quiet).report.text()
        };
        let report = text(&trapping());
        let place = "1 trap(s); the first: unit 0 warp ";
        assert!(report.contains(place), "{report}");
        assert!(report.contains("pc 1 (a.comp:7:3): undefined encoding: "), "{report}");
        assert!(report.contains("word 0xffffffffffffffff"), "{report}");
        let report = text(&outside);
        assert!(report.contains("pc 1: program counter 1 is outside the program"), "{report}");
    }
}

#[test]
fn the_trap_checker_sees_sticky_ports_that_name_another_trap() {
    let changes: [fn(&mut TrapPlace); 3] = [|t| t.unit ^= 1, |t| t.warp ^= 1, |t| t.pc ^= 1];
    for change in changes {
        let (launch, options) = (trapping(), options());
        let mut fake = Fake::new(&launch, &options, 1);
        fake.mutation = Box::new(move |o| change(&mut o.trap));
        let done = simulate::on_engine(&mut fake, &launch, &options, &mut Quiet);
        let m = done.report.mismatches.first().unwrap();
        assert_eq!((m.checker.as_str(), m.fields[0].name.as_str()), ("trap", "trap ports"));
    }
}

#[test]
fn a_memory_fault_is_reported_with_the_lane_and_the_line() {
    let code = assemble("t", "S2R r1, lane\nSHL r1, r1, #4\nST.32 [r1+0x10f0], r1\nEND").unwrap().code;
    let mut launch = Launch::bare("t", code, 0x100);
    launch.lines = vec![None, None, Some("b.comp:9:1".to_owned()), None];
    let run = |model| {
        let options = Options { model, ..Options::default() };
        let mut fake = Fake::new(&launch, &options, 1);
        simulate::on_engine(&mut fake, &launch, &options, &mut Quiet).report.text()
    };
    let report = run(true);
    assert!(report.contains("lane 1 pc 2 (b.comp:9:1) writes 0x00001100"), "{report}");
    let report = run(false);
    assert!(report.contains("the first is a write at 0x00001100 in cycle"), "{report}");
    assert!(!report.contains("lane 1 pc"), "{report}");
}

#[test]
fn the_memory_checker_sees_data_mask_and_missing_writes() {
    assert_eq!(checker(|o| o.mem_req.iter_mut().for_each(|r| r.data[3] ^= 1 << 20)), "memory");
    assert_eq!(checker(|o| o.mem_req.iter_mut().for_each(|r| r.mask &= 0x7FFF)), "memory");
    assert_eq!(checker(|o| o.mem_req = None), "memory");
    let shared =
        |o: &mut Outputs| o.units.iter_mut().filter_map(|u| u.shared_write.as_mut()).for_each(|w| w.addr ^= 16);
    assert_eq!(checker(shared), "memory");
}

#[test]
fn the_launch_checker_sees_wrong_lanes_groups_and_repetition() {
    let change = |f: fn(&mut LaunchEvent)| checker(move |o: &mut Outputs| o.launch.iter_mut().for_each(f));
    assert_eq!(change(|l| l.mask = 7), "launch");
    assert_eq!(change(|l| l.group_x += 1), "launch");
    assert_eq!(change(|l| *l = l.with_group([0; 3])), "launch");
    assert_eq!(change(|l| l.group_slot ^= 1), "launch");
}

#[test]
fn the_barrier_checker_sees_a_warp_that_goes_on_early() {
    // Delay every barrier record of warp slot 1 by 40 cycles: slot 0 then seems to have gone on
    // alone.
    let mut held: VecDeque<(u32, usize, RetireEvent)> = VecDeque::new();
    let mut cycle = 0;
    let found = checker(move |o: &mut Outputs| {
        cycle += 1;
        for (unit, u) in o.units.iter_mut().enumerate() {
            if let Some(r) = u.retire.filter(|r| r.warp == 1 && r.pc >= 7) {
                held.push_back((cycle + 40, unit, r));
                u.retire = None;
            }
            if u.retire.is_none() && held.front().is_some_and(|h| h.0 <= cycle && h.1 == unit) {
                u.retire = held.pop_front().map(|h| h.2);
            }
        }
        o.busy |= !held.is_empty();
    });
    assert_eq!(found, "barrier");
}

#[test]
fn a_lost_completion_is_a_hang_that_names_the_warp() {
    let end = run(|o| o.units.iter_mut().for_each(|u| u.completion = u.completion.filter(|c| c.shared)));
    match end {
        End::Hang(h) => {
            let text = Hang::new(&h, &launch()).to_string();
            assert!(text.contains("waits for") && text.contains("memory or function instruction"), "{text}");
        }
        // The machine went on without: the model then misses the completion.
        End::Mismatch(m) => assert_eq!(m.concern, Concern::Retire),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_mismatch_shows_only_what_differs_and_the_last_instructions() {
    let End::Mismatch(m) = run(retire(|r| r.value[2] ^= u32::from(r.pc == 5) << 31)) else { panic!("no mismatch") };
    let m = Mismatch::new(&m, &launch());
    assert_eq!(m.fields.len(), 1);
    assert_eq!(m.fields[0].name, "r4, lane 2");
    assert_eq!(m.pc, Some(5));
    let text = m.to_string();
    assert!(text.contains("IADD r4, r8, #1"), "{text}");
    assert_eq!(m.history.len(), 6, "{text}");
}
