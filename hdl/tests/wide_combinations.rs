//! One program with warp-wide atomics of both widths, the lock form and divergent lanes on every
//! combination of execution and result option (WW-30 to WW-34), with friendly and rough memory
//! timing, one core and several: the results are those computed by hand, the same for all (WW-36),
//! and every operation costs one line read and one line write.

use crate::memory_model::core::{Core, Job};
use crate::memory_model::Timing;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};
use quadlock_hdl::fault::Fault;
use quadlock_testkit::tier;

/// Each warp works on 32 bytes of its own at 0x12000: a counter, a lock word, a 64-bit counter, a
/// word for the exchange; all warps count at 0x1F000. Each invocation keeps 64 bytes of results at
/// 0x13000 and its ticket at 0x1E000. c[100] is the group size rounded up to 4.
const PROGRAM: &str = "
    S2R r1, local_index
    S2R r2, group_x
    IMAD r3, r2, c[100], r1
    AND r4, r1, #3
    AND r8, r4, #1
    AND r5, r3, #0xFFFFFFFC
    SHL r5, r5, #3
    SHL r6, r3, #6
    SHL r9, r3, #2
    MOV r0, #0
    MOV r7, #5
    MOV r19, #1
    MOV r20, #0xFFFFFFFF
    MOV r21, #0
    WATOM32.ADD r10, [r5+0x12000], r7
    WATOM32.ADD r11, [r5+0x12000], r4
    IADD r12, r10, r11
    BNZ r8, odd
    WATOM32.ADD r13, [r5+0x12000], r7
    WATOM32.XCHG r14, [r5+0x12010], r4
    BRA join
odd:
    WATOM32.SUB r13, [r5+0x12000], r4
    MOV r14, r4
join:
    IADD r15, r13, r14
    BNZ r8, odd_again
    IADD r13, r13, #100
odd_again:
    WATOM32.LOCK r16, [r5+0x12004], r19
    WATOM32.LOCK r17, [r5+0x12004], r16
    WATOM32.LOCK r18, [r5+0x12004], r17
    WATOM64.ADD r22, [r5+0x12008], r20
    WATOM64.ADD r24, [r5+0x12008], r20
    WATOM64.CAS r26, [r5+0x12008], r20, r24
    WATOM64.CAS r28, [r5+0x12008], r20, r26
    ST.128 [r6+0x13000], r10
    ST.128 [r6+0x13010], r14
    ST.128 [r6+0x13020], r22
    ST.128 [r6+0x13030], r26
    WATOM32.ADD r30, [r0+0x1F000], r19
    IADD r31, r30, #1
    ST.32 [r9+0x1E000], r31
    END
";

/// The same with each warp's own 32 bytes in the unit's shared storage, from byte 0 on: cleared at
/// the beginning and copied to where they were at the end (WW-26).
fn in_shared_storage() -> String {
    let clear = "MOV r28, #0\n MOV r29, #0\n MOV r30, #0\n MOV r31, #0\n STS.128 [r5], r28\n STS.128 [r5+16], r28\n MOV r0, #0\n";
    let copy = "LDS.128 r10, [r5]\n LDS.128 r14, [r5+16]\n ST.128 [r5+0x12000], r10\n ST.128 [r5+0x12010], r14\n END\n";
    let moved = |line: &str| match line.find("[r5+0x120") {
        Some(at) => format!("{}[r5+0x{}", line[..at].replace("WATOM", "WATOMS"), &line[at + "[r5+0x120".len()..]),
        None => line.to_owned(),
    };
    let lines: Vec<String> = PROGRAM.lines().map(moved).collect();
    lines.join("\n").replacen("MOV r0, #0\n", clear, 1).replace("    END", copy)
}

/// WATOMs of a warp at its own memory.
const OPERATIONS: usize = 12;

/// What an invocation keeps. Lanes of the lower counter go first, so the even ones count before the
/// odd ones.
fn expected(lane: u32) -> [u32; 16] {
    let odd = lane % 2 == 1;
    let r13 = if odd { 10 } else { 5 };
    let r14 = if odd { lane } else { 0 };
    let own = if odd { r13 } else { r13 + 100 };
    let old = [0xFFFF_FFFE, 1];
    [0, 5, 5, own, r14, r13 + r14, 1, 0, 0, 0, 0xFFFF_FFFF, 0, old[0], old[1], old[0], old[1]]
}

/// Runs 6 groups of 7 invocations: two warps each, the second with three lanes. Returns the cycles.
fn run(config: &GpuConfig, timing: Timing) -> Result<u64, String> {
    run_program(config, timing, PROGRAM, (OPERATIONS, OPERATIONS))
}

/// `transactions`: line reads and writes of each warp at its 32 bytes of global memory.
fn run_program(config: &GpuConfig, timing: Timing, program: &str, transactions: (usize, usize)) -> Result<u64, String> {
    let job = Job::free([6, 1, 1], [7, 1, 1]);
    let mut core = Core::new(config, timing);
    core.run(program, &job, &[(100, 8)], 60_000);
    let word = |address: u32| core.memory.word(address);
    let mut tickets = vec![];
    for warp in 0..12u32 {
        let at = 0x12000 + 32 * warp;
        let end: Vec<u32> = (0..5).map(|k| word(at + 4 * k)).collect();
        if end != [9, 0, 0xFFFF_FFFF, 0, 0] {
            return Err(format!("memory of warp {warp}: {end:x?}"));
        }
        let lanes = if warp % 2 == 0 { 4 } else { 3 };
        for lane in 0..4 {
            let id = 4 * warp + lane;
            let got: Vec<u32> = (0..16).map(|k| word(0x13000 + 64 * id + 4 * k)).collect();
            let wanted = if lane < lanes { expected(lane) } else { [0; 16] };
            if got != wanted {
                return Err(format!("warp {warp} lane {lane}: {got:x?} instead of {wanted:x?}"));
            }
            let ticket = word(0x1E000 + 4 * id);
            if ticket != if lane < lanes { word(0x1E000 + 16 * warp) } else { 0 } {
                return Err(format!("warp {warp} lane {lane}: ticket {ticket}"));
            }
        }
        tickets.push(word(0x1E000 + 16 * warp));
        let own = |write: bool| {
            core.memory.log.iter().filter(|t| t.write == write && (at..at + 32).contains(&t.addr)).count()
        };
        if (own(false), own(true)) != transactions {
            return Err(format!("warp {warp}: {} reads and {} writes", own(false), own(true)));
        }
    }
    tickets.sort_unstable();
    if tickets != (1..=12).collect::<Vec<u32>>() || word(0x1F000) != 12 {
        return Err(format!("tickets {tickets:?}, counter {}", word(0x1F000)));
    }
    Ok(core.cycles)
}

fn combinations() -> impl Iterator<Item = GpuConfig> {
    [WarpWide::Representative, WarpWide::Collective, WarpWide::Scalar].into_iter().flat_map(|warp_wide| {
        [WideResult::PerLane, WideResult::Shared].map(|warp_wide_result| GpuConfig {
            warp_wide,
            warp_wide_result,
            ..GpuConfig::default()
        })
    })
}

/// All of them at night, with their numbers; by day three, which cover each execution and result.
fn chosen() -> impl Iterator<Item = (usize, GpuConfig)> {
    combinations().enumerate().filter(|(n, _)| tier::is_night() || [0, 3, 5].contains(n))
}

/// WW-36: all six combinations, the same results.
#[test]
fn all_combinations_give_the_same_results() {
    for (n, config) in chosen() {
        // By day each has one of them.
        let settings = [(Timing::FAST, 1), (Timing::rough(3), 1), (Timing::rough(4), 2)];
        for (timing, cores) in settings.into_iter().cycle().skip(n).take(tier::cases(1, 3)) {
            let config = GpuConfig { cores, ..config.clone() };
            let name = format!("{} {}, {cores} cores", config.warp_wide.name(), config.warp_wide_result.name());
            let cycles = run(&config, timing).unwrap_or_else(|e| panic!("{name}: {e}"));
            println!("{name}: {cycles} cycles");
        }
    }
}

/// WW-26, WW-36: in shared storage too, beside global ones; the results are those of global memory.
#[test]
fn ww26_all_combinations_give_the_same_results_in_shared_storage() {
    let program = in_shared_storage();
    assert_eq!(program.matches("WATOMS").count(), OPERATIONS, "{program}");
    for (n, config) in chosen() {
        let settings = [(Timing::FAST, 1), (Timing::rough(3), 2)];
        for (timing, cores) in settings.into_iter().cycle().skip(n).take(tier::cases(1, 2)) {
            let config = GpuConfig { cores, ..config.clone() };
            let name = format!("{} {}, {cores} cores", config.warp_wide.name(), config.warp_wide_result.name());
            run_program(&config, timing, &program, (0, 2)).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
    }
    let representative = GpuConfig { warp_wide: WarpWide::Representative, ..GpuConfig::default() };
    let faults = [Fault::WideInactive, Fault::WideNotBroadcast, Fault::WideTwice, Fault::WideOldValue];
    for fault in tier::first(1, faults) {
        let config = GpuConfig { fault: Some(fault), ..representative.clone() };
        assert!(run_program(&config, Timing::FAST, &program, (0, 2)).is_err(), "{fault:?}");
    }
}

/// The faults of the scalar unit and of shared results show in the program's results.
#[test]
fn planted_faults_are_caught() {
    let shared = GpuConfig { warp_wide_result: WideResult::Shared, ..GpuConfig::default() };
    let config = GpuConfig { fault: Some(Fault::SharedStale), ..shared };
    let error = run(&config, Timing::FAST).unwrap_err();
    assert!(error.contains("instead of"), "{error}");
    let scalar = GpuConfig { warp_wide: WarpWide::Scalar, ..GpuConfig::default() };
    for fault in tier::first(1, [Fault::WideLockSteals, Fault::WideInactive, Fault::WideOldValue]) {
        assert!(run(&GpuConfig { fault: Some(fault), ..scalar.clone() }, Timing::FAST).is_err(), "{fault:?}");
    }
}
