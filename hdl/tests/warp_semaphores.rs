//! Semaphore instructions in the warp unit (SE-30 to SE-34, SE-40 to SE-42): the test is row
//! controller and entity at once, so it can give acknowledgements early, late and to the wrong
//! warp.

use crate::warp::bench::{Launch, Machine, Message, Timing, QUICK};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;

const ROUGH: Timing = Timing { latency: 17, stall: 40, seed: 7 };
const ACS: u8 = 0;
const ASR: u8 = 1;
const RLS: u8 = 3;
/// `stall` bits.
const MEMORY: u64 = 2;
const SEMAPHORE: u64 = 16;

fn with(fault: Option<Fault>) -> GpuConfig {
    GpuConfig { units: 2, warps: 8, fault, ..GpuConfig::default() }
}

fn machine(timing: Timing, program: &str) -> Machine {
    Machine::new(&with(None), timing, program)
}

fn sent(m: &Machine) -> Vec<(u8, usize, u16)> {
    m.messages.iter().map(|&Message { kind, warp, semaphore, .. }| (kind, warp, semaphore)).collect()
}

fn cycles(m: &mut Machine, count: u64) {
    (0..count).for_each(|_| m.cycle());
}

/// Runs until `done`.
fn until(m: &mut Machine, done: impl Fn(&Machine) -> bool) {
    for _ in 0..5_000 {
        if done(m) {
            return;
        }
        m.cycle();
    }
    panic!("does not happen; {} retirements, messages {:?}", m.rets.len(), m.messages);
}

/// Cycle in which the instruction at `pc` of that warp issued: it retires 7 cycles later.
fn issued_at(m: &Machine, warp: usize, pc: u16) -> Option<u64> {
    m.rets.iter().find(|r| (r.warp, r.pc) == (warp, pc)).map(|r| r.cycle - 7)
}

/// Messages: kind, slot, operand B from a register, an immediate and the constant bank; of the
/// lowest active lane; in program order.
fn contents(fault: Option<Fault>, timing: Timing) -> (Vec<(u8, usize, u16)>, Vec<u8>) {
    let program = "S2R r1, lane\nIADD r2, r1, #100\nACS r2\nASR c[5]\nRLS #9\nUSETLT r3, r1, #2\nBNZ r3, @8\nRLS r2\nRLS r2\nRLS #65536\nEND";
    let mut m = Machine::new(&with(fault), timing, program);
    m.constant(5, 1023);
    m.acknowledge_after = Some(6);
    m.launch(Launch::of(3));
    m.run();
    (sent(&m), m.rets.iter().filter(|r| r.pc == 7).map(|r| r.mask).collect())
}

#[test]
fn messages_carry_the_lowest_active_lane() {
    for timing in [QUICK, ROUGH] {
        let (messages, alone) = contents(None, timing);
        // At pc 7 only lanes 2 and 3 are active, at pc 8 all are together again.
        let wanted = [(ACS, 3, 100), (ASR, 3, 1023), (RLS, 3, 9), (RLS, 3, 102), (RLS, 3, 100), (RLS, 3, 65535)];
        assert_eq!(messages, wanted);
        assert_eq!(alone, [0b1100]);
    }
}

/// A partial warp, whose lowest lane is not lane 0.
#[test]
fn uncovered_lanes_are_not_asked() {
    let mut m = machine(QUICK, "S2R r1, lane\nIADD r2, r1, #40\nRLS r2\nEND");
    for (warp, mask) in [(0, 0b1000), (1, 0b0110), (2, 0b1111)] {
        m.launch(Launch { mask, ..Launch::of(warp) });
    }
    m.run();
    let mut messages = sent(&m);
    messages.sort_unstable();
    assert_eq!(messages, [(RLS, 0, 43), (RLS, 1, 41), (RLS, 2, 40)]);
}

/// The retire port shows operand B of every lane, writes nothing and completes at once.
#[test]
fn retirements_show_operand_b() {
    let mut m = machine(QUICK, "S2R r1, lane\nACS r1\nASR #7\nWTS\nRLS c[3]\nEND");
    m.constant(3, 70_000);
    m.acknowledge_after = Some(4);
    m.launch(Launch::of(0));
    m.run();
    let values: Vec<_> = m.rets.iter().filter(|r| [1, 2, 4].contains(&r.pc)).map(|r| r.value).collect();
    assert_eq!(values, [[0, 1, 2, 3], [7; 4], [70_000; 4]]);
    assert!(m.rets[1..].iter().all(|r| !r.wen && !r.mem && !r.trap));
    assert_eq!(sent(&m), [(ACS, 0, 0), (ASR, 0, 7), (RLS, 0, 65535)]);
}

/// Active (SE-42): the acknowledgement comes long after the wait began. Nothing issues in between,
/// the instruction after the wait has been fetched meanwhile, and issues 2 cycles after the
/// acknowledgement.
#[test]
fn an_acquire_waits_for_its_acknowledgement() {
    for acquire in ["ACS #1", "ASR #1"] {
        let mut m = machine(QUICK, &format!("{acquire}\nMOV r1, #1\nEND"));
        m.launch(Launch::of(0));
        until(&mut m, |m| m.messages.len() == 1);
        cycles(&mut m, 100);
        assert_eq!(m.issues.len(), 1);
        assert_eq!(m.free() & 1, 0);
        m.acknowledge(0);
        m.run();
        let (ack, _) = m.acked[0];
        assert_eq!(m.issues[1] - ack, 2, "cycles from acknowledgement to issue");
        assert_eq!(m.messages[0].cycle - m.issues[0], 2, "cycles from issue to message");
    }
}

/// From the issue of a release to its message: 2 cycles, whatever the operand's mode.
#[test]
fn a_release_is_offered_two_cycles_after_its_issue() {
    let mut m = machine(QUICK, "MOV r1, #5\nRLS r1\nRLS #6\nEND");
    m.launch(Launch::of(0));
    m.run();
    for (message, pc) in m.messages.iter().zip([1, 2]) {
        assert_eq!(message.cycle - issued_at(&m, 0, pc).unwrap(), 2);
    }
}

/// Launched with acknowledgements to come: the program runs until WTS, and not beyond before the
/// last of them.
fn wait_for(early: usize, late: usize) {
    let mut m = machine(QUICK, "MOV r1, #1\nMOV r2, #2\nWTS\nMOV r3, #3\nEND");
    m.launch(Launch { wait: (early + late) as u8, ..Launch::of(5) });
    m.cycle();
    (0..early).for_each(|_| m.acknowledge(5));
    if late > 0 {
        cycles(&mut m, 80);
        assert_eq!(m.issues.len(), 3, "{early} {late}");
        for _ in 1..late {
            m.acknowledge(5);
            cycles(&mut m, 20);
            assert_eq!(m.issues.len(), 3, "{early} {late}");
        }
        m.acknowledge(5);
    }
    m.run();
    assert_eq!(m.issues.len(), 5);
    if late > 0 {
        assert_eq!(m.issues[3] - m.acked.last().unwrap().0, 2);
    } else {
        assert_eq!(issued_at(&m, 5, 3).unwrap() - issued_at(&m, 5, 2).unwrap(), 5, "WTS costs nothing");
    }
}

#[test]
fn proactive_and_active_waits() {
    wait_for(0, 0);
    wait_for(1, 0);
    wait_for(0, 1);
    wait_for(2, 3);
    wait_for(15, 0);
    wait_for(0, 15);
}

/// Own acquires on top of 15 outstanding ones of the dispatcher: the count does not overflow.
#[test]
fn sixteen_acknowledgements_outstanding() {
    let mut m = machine(QUICK, "ACS #3\nMOV r3, #3\nEND");
    m.launch(Launch { wait: 15, ..Launch::of(1) });
    until(&mut m, |m| m.messages.len() == 1);
    for _ in 0..15 {
        m.acknowledge(1);
        cycles(&mut m, 10);
        assert_eq!(m.issues.len(), 1);
    }
    m.acknowledge(1);
    m.run();
    assert_eq!(m.issues.len(), 3);
}

/// An acknowledgement that nobody asked for does not count for a later acquire.
#[test]
fn an_acknowledgement_at_count_zero_has_no_effect() {
    let mut m = machine(QUICK, "MOV r1, #1\nACS #3\nEND");
    m.launch(Launch::of(0));
    m.cycle();
    m.acknowledge(0);
    until(&mut m, |m| m.messages.len() == 1);
    assert!(m.acked[0].0 < m.issues[0]);
    cycles(&mut m, 60);
    assert_eq!(m.issues.len(), 2);
    m.acknowledge(0);
    m.run();
    assert_eq!(m.issues.len(), 3);
}

/// A waiting warp takes no issue slot while the others run, and each acknowledgement wakes its warp
/// alone.
#[test]
fn others_run_while_one_waits() {
    let program = "S2R r1, warp\nBNZ r1, @4\nACS #1\nEND\nMOV r2, #60\nISUB r2, r2, #1\nBNZ r2, @5\nASR r1\nEND";
    let mut m = machine(QUICK, program);
    (0..8).for_each(|warp| m.launch(Launch::of(warp)));
    until(&mut m, |m| m.messages.len() == 8);
    cycles(&mut m, 50);
    assert_eq!(m.free(), 0);
    assert_eq!(m.issued_by.iter().filter(|&&warp| warp == 0).count(), 3);
    assert_eq!(m.bench.waiting.val().to_u64(), 0xFF);
    for (n, warp) in [5, 0, 3, 1, 2, 7, 6, 4].into_iter().enumerate() {
        m.acknowledge(warp);
        cycles(&mut m, 40);
        assert_eq!(m.free() >> warp & 1, 1, "warp {warp}");
        assert_eq!(m.free().count_ones() as usize, n + 1);
    }
}

/// RLS issues when nothing of its warp is in flight: the store has completed.
fn release_after_store(fault: Option<Fault>) -> bool {
    let mut m = Machine::new(
        &with(fault),
        Timing { latency: 60, ..QUICK },
        "MOV r1, #0x2000\nMOV r2, #77\nST.32 [r1], r2\nSTS.32 [r1], r2\nRLS #4\nEND",
    );
    // Once to fill the instruction cache.
    m.launch(Launch::of(0));
    m.run();
    m.messages.clear();
    m.rets.clear();
    m.launch(Launch::of(0));
    m.run();
    let store = issued_at(&m, 0, 2).unwrap();
    m.messages[0].cycle >= store + 60
}

#[test]
fn a_release_follows_the_stores() {
    assert!(release_after_store(None));
    assert!(!release_after_store(Some(Fault::ReleaseEarly)));
}

/// A slot is free when the late acknowledgement has come and not before.
fn free_before_ack(fault: Option<Fault>) -> bool {
    let mut m = Machine::new(&with(fault), QUICK, "MOV r1, #1\nEND");
    m.launch(Launch { wait: 2, ..Launch::of(2) });
    until(&mut m, |m| m.issues.len() == 2);
    m.acknowledge(2);
    cycles(&mut m, 60);
    let early = m.free() >> 2 & 1 == 1;
    m.acknowledge(2);
    m.run();
    early
}

#[test]
fn a_slot_waits_for_late_acknowledgements() {
    assert!(!free_before_ack(None));
    assert!(free_before_ack(Some(Fault::FreeWhileWaiting)));
}

/// Nor is it free while a message of its thread is still in the unit.
#[test]
fn a_slot_waits_until_its_messages_have_left() {
    let mut m = machine(QUICK, "RLS #1\nRLS #2\nEND");
    m.taking = false;
    m.launch(Launch::of(4));
    until(&mut m, |m| m.issues.len() == 3);
    cycles(&mut m, 60);
    assert_eq!(m.free(), 0xEF);
    m.taking = true;
    m.run();
    assert_eq!(sent(&m), [(RLS, 4, 1), (RLS, 4, 2)]);
}

/// The queue fills when nobody takes messages, issue stops, nothing is lost or reordered (of one
/// warp). The fault shows that the program can fill it.
fn back_pressure(fault: Option<Fault>, seed: u64) -> (usize, bool) {
    let mut program = String::from("S2R r1, warp\nSHL r1, r1, #8\n");
    for i in 0..12 {
        program += &format!("IADD r2, r1, #{i}\nRLS r2\n");
    }
    program += "END";
    let mut m = Machine::new(&with(fault), Timing { seed, ..ROUGH }, &program);
    m.taking = false;
    (0..8).for_each(|warp| m.launch(Launch::of(warp)));
    cycles(&mut m, 3_000);
    let held = m.rets.iter().filter(|r| r.word as u8 == 0xD3).count();
    assert!(m.messages.is_empty());
    m.taking = true;
    cycles(&mut m, 4_000);
    let complete = (0..8).all(|warp| {
        let of_warp: Vec<u16> = m.messages.iter().filter(|m| m.warp == warp).map(|m| m.semaphore).collect();
        of_warp == (0..12).map(|i| (warp << 8) as u16 + i).collect::<Vec<_>>()
    });
    (held, complete && m.messages.len() == 96 && m.free() == 0xFF)
}

#[test]
fn back_pressure_loses_nothing() {
    for seed in 0..3 {
        let (held, complete) = back_pressure(None, seed);
        assert!((14..=16).contains(&held), "{held} releases issued without a hand-over");
        assert!(complete);
    }
    assert!(!back_pressure(Some(Fault::MessageOverflow), 0).1);
}

/// Full rate: a message per cycle, when all warps release at once.
#[test]
fn a_message_per_cycle() {
    let mut m = machine(QUICK, "WTS\nRLS #1\nEND");
    (0..8).for_each(|warp| m.launch(Launch { wait: 1, ..Launch::of(warp) }));
    cycles(&mut m, 60);
    m.taking = false;
    (0..8).for_each(|warp| m.acknowledge(warp));
    cycles(&mut m, 40);
    m.taking = true;
    m.run();
    let first = m.messages[0].cycle;
    assert_eq!(m.messages.iter().map(|m| m.cycle - first).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
}

/// The stall event: bit 4 when every running warp waits for a semaphore, bit 1 when one waits for
/// memory.
#[test]
fn stalls_say_why() {
    let mut m = machine(
        Timing { latency: 60, ..QUICK },
        "S2R r1, warp\nBNZ r1, @4\nACS #1\nEND\nLD.32 r2, [r1+4096]\nIADD r2, r2, #1\nACS #2\nEND",
    );
    (0..2).for_each(|warp| m.launch(Launch::of(warp)));
    until(&mut m, |m| m.messages.len() == 2);
    cycles(&mut m, 30);
    let from = m.messages[1].cycle;
    let reasons = |m: &Machine, range: std::ops::Range<u64>| {
        let mut seen: Vec<u64> = m.stalls.iter().filter(|s| range.contains(&s.0)).map(|s| s.1).collect();
        seen.dedup();
        seen
    };
    // Warp 0 waits for its semaphore while warp 1 waits for its load, then both for semaphores.
    let load = issued_at(&m, 1, 4).unwrap();
    assert_eq!(reasons(&m, load + 20..load + 50), [MEMORY]);
    assert_eq!(reasons(&m, from + 2..from + 28), [SEMAPHORE]);
    assert_eq!(m.bench.waiting.val().to_u64(), 3);
    (0..2).for_each(|warp| m.acknowledge(warp));
    m.run();
    assert_eq!(m.bench.waiting.val().to_u64(), 0);
    // Up to and including the slot in which the chosen warp was not yet known to be awake.
    let ack = m.acked[0].0;
    assert_eq!(reasons(&m, ack..ack + 2), [SEMAPHORE]);
}

/// A thread starts at the counter that it is launched with.
#[test]
fn threads_start_at_their_counter() {
    let mut m = machine(ROUGH, "MOV r1, #1\nEND\nMOV r1, #2\nEND");
    m.launch(Launch { pc: 2, ..Launch::of(1) });
    m.launch(Launch::of(2));
    m.run();
    let of = |warp| m.rets.iter().filter(|r| r.warp == warp).map(|r| (r.pc, r.value[0])).next();
    assert_eq!((of(1), of(2)), (Some((2, 2)), Some((0, 1))));
}

/// A thousand messages under random stalls, all slots used again and again: every acquire
/// acknowledged once, every thread ends.
#[test]
fn slots_are_used_again_under_random_timing() {
    for seed in 0..4 {
        let program = "S2R r1, warp\nACS r1\nRLS r1\nASR #5\nWTS\nRLS #6\nEND";
        let mut m = machine(Timing { seed, ..ROUGH }, program);
        m.acknowledge_after = Some(3 + 9 * seed);
        (0..40).for_each(|n| m.launch(Launch::of(n % 8)));
        m.run();
        for warp in 0..8 {
            let of_warp: Vec<_> = sent(&m).into_iter().filter(|s| s.1 == warp).map(|s| (s.0, s.2)).collect();
            let once = [(ACS, warp as u16), (RLS, warp as u16), (ASR, 5), (RLS, 6)];
            assert_eq!(of_warp, once.repeat(5));
        }
    }
}

/// What the faults that are not shown above change.
#[test]
fn planted_faults_show() {
    // WTS lets the thread go.
    let passes = |fault| {
        let mut m = Machine::new(&with(fault), QUICK, "WTS\nMOV r1, #1\nEND");
        m.launch(Launch { wait: 1, ..Launch::of(0) });
        cycles(&mut m, 100);
        m.issues.len()
    };
    assert_eq!((passes(None), passes(Some(Fault::WaitIgnored))), (1, 3));
    // The thread hangs.
    let ends = |fault| {
        let mut m = Machine::new(&with(fault), QUICK, "MOV r1, #1\nMOV r2, #1\nWTS\nEND");
        m.launch(Launch { wait: 1, ..Launch::of(0) });
        m.cycle();
        m.acknowledge(0);
        cycles(&mut m, 200);
        m.free() == 0xFF
    };
    assert_eq!((ends(None), ends(Some(Fault::AckLost))), (true, false));
    // Two wait, one is acknowledged.
    let wakes = |fault| {
        let mut m = Machine::new(&with(fault), QUICK, "WTS\nEND");
        (0..2).for_each(|warp| m.launch(Launch { wait: 1, ..Launch::of(warp) }));
        cycles(&mut m, 60);
        m.acknowledge(1);
        cycles(&mut m, 60);
        m.free()
    };
    assert_eq!((wakes(None), wakes(Some(Fault::AckAnyWarp))), (0xFE, 0xFF));
    let (good, _) = contents(None, QUICK);
    assert_ne!(contents(Some(Fault::MessageLane), QUICK).0, good);
    let (auto_lost, _) = contents(Some(Fault::AutoLost), QUICK);
    assert_eq!((auto_lost[1], good[1]), ((ACS, 3, 1023), (ASR, 3, 1023)));
}
