//! Hundreds of instructions of a warp in flight behind a load, on the RTL: sequence numbers of 8
//! bits come round, so that one names several of them.

use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::launch::Launch;
use quadlock::machine::limits::Limits;
use quadlock::machine::memory::MemoryConfig;
use quadlock::report::Verdict;
use quadlock::simulate;
use quadlock_hdl::config::{GpuConfig, WarpWide};

/// Cycles of the memory: longer than the warp needs for 500 instructions.
const SLOW: u32 = 6_000;

/// A load, `rounds` times three lane instructions and `more` single ones, a division, a warp-wide
/// atomic and a store; then what was loaded is needed.
fn program(rounds: u32, more: u32) -> String {
    let more = "IADD r5, r5, #1\n".repeat(more as usize);
    format!(
        "S2R r1, lane
        MOV r2, #0x1800
        SHL r3, r1, #2
        IADD r3, r3, r2
        MOV r9, #1
        MOV r10, #2
    outer:
        LD.32 r4, [r3]
        MOV r8, #{rounds}
    inner:
        IADD r5, r5, #1
        ISUB r8, r8, #1
        BNZ r8, inner
        {more}
        FDIV r11, r5, r9
        WATOM32.ADD r6, [r2+64], r9
        ST.32 [r3+160], r11
        IADD r7, r4, r6
        ST.32 [r3+128], r7
        ISUB r10, r10, #1
        BNZ r10, outer
        END"
    )
}

#[test]
fn sequence_numbers_come_round_while_a_load_is_in_flight() {
    for warp_wide in [WarpWide::Collective, WarpWide::Scalar, WarpWide::Representative] {
        for cores in [1, 2] {
            // From some 120 to some 400 instructions, and all of three neighbours around 256.
            for (rounds, more) in [(40, 0), (60, 1), (83, 0), (83, 1), (83, 2), (84, 0), (84, 1), (84, 2), (130, 0)] {
                let code = quadlock_isa::assemble("in flight", &program(rounds, more)).unwrap().code;
                let mut launch = Launch::bare("in flight", code, 0x1800);
                launch.grid = [cores as u32, 1, 1];
                let config = GpuConfig {
                    cores,
                    units: 1,
                    warps: 2,
                    icache_lines: 64,
                    shared_words: 256,
                    warp_wide,
                    ..GpuConfig::default()
                };
                let options = Options {
                    config,
                    memory: MemoryConfig { latency: SLOW, ..MemoryConfig::default() },
                    limits: Limits { cycles: 1_000_000, idle: 4 * u64::from(SLOW) },
                    model: true,
                    model_fault: None,
                };
                let report = simulate::rtl(&launch, &options, &mut Quiet).unwrap().report;
                let case = format!("{warp_wide:?}, {cores} cores, {rounds} rounds and {more}");
                assert_eq!(report.verdict, Verdict::Pass, "{case}:\n{}", report.text());
            }
        }
    }
}
