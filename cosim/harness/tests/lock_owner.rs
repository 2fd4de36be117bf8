//! Locks of warps that have ended, on the RTL: a slot is launched again before the last warp's lock
//! is given back, so unit and slot do not say whose lock it is. The locks are declared as owned:
//! who gives back a lock of an earlier warp makes a protocol error, in lockstep and on the RTL
//! alone; who takes what has been given back does not.

use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::launch::Launch;
use quadlock::machine::limits::Limits;
use quadlock::machine::locks::{LockRule, LockWords};
use quadlock::machine::memory::MemoryConfig;
use quadlock::report::{Report, Verdict};
use quadlock::simulate;
use quadlock_hdl::config::{GpuConfig, WarpWide};

/// The first 8 groups take a lock each, the last 8 each get the lock of one of the first; those
/// between keep the memory busy with a line per lane. 32 groups of one warp.
const PROGRAM: &str = "
        S2R r1, group_x
        S2R r2, lane
        MOV r3, #0x1800
        MOV r7, #1
        MOV r8, #0
        AND r4, r1, #7
        SHL r4, r4, #4
        IADD r4, r4, r3
        USETLT r5, r1, #8
        BNZ r5, early
        USETLT r5, r1, #24
        BZ r5, late
        SHL r5, r2, #4
        SHL r6, r1, #6
        IADD r5, r5, r6
        IADD r5, r5, r3
        ATOM32.ADD r6, [r5+0x100], r7
        ATOM32.ADD r6, [r5+0x100], r7
        END
";

/// The lock is left to somebody else.
const LEFT: &str = "
    early:
        WATOM32.LOCK r6, [r4], r7
        END
    late:
        WATOM32.LOCK r6, [r4], r8
        BZ r6, late
        END";

/// Everybody gives back what it has taken.
const GIVEN_BACK: &str = "
    early:
        WATOM32.LOCK r6, [r4], r7
        IADD r6, r6, #1
        WATOM32.LOCK r6, [r4], r8
        END
    late:
        WATOM32.LOCK r6, [r4], r7
        BZ r6, late
        WATOM32.LOCK r6, [r4], r8
        END";

/// On a machine with two slots in each core.
fn run(end: &str, cores: usize, warp_wide: WarpWide, model: bool) -> Report {
    let code = quadlock_isa::assemble("locks", &format!("{PROGRAM}{end}")).unwrap().code;
    let mut launch = Launch::bare("locks", code, 0x1800);
    launch.grid = [32, 1, 1];
    launch.locks.push(LockWords { first: 0x1800, count: 8, step: 16, rule: LockRule::Owned });
    let config =
        GpuConfig { cores, units: 1, warps: 2, icache_lines: 64, shared_words: 256, warp_wide, ..GpuConfig::default() };
    let options = Options {
        config,
        memory: MemoryConfig { latency: 8, ..MemoryConfig::default() },
        limits: Limits { cycles: 100_000, idle: 2_000 },
        model,
        model_fault: None,
    };
    simulate::rtl(&launch, &options, &mut Quiet).unwrap().report
}

#[test]
fn a_lock_belongs_to_a_launch_and_not_to_a_slot() {
    for warp_wide in [WarpWide::Representative, WarpWide::Collective, WarpWide::Scalar] {
        for cores in [1, 2] {
            // Beside the model, and from the event ports alone: the same, word for word.
            let [wrong, alone] = [true, false].map(|model| run(LEFT, cores, warp_wide, model));
            assert_eq!(wrong.verdict, Verdict::ProtocolError, "{warp_wide:?}, {cores} cores:\n{}", wrong.text());
            let problem = &wrong.problems[0];
            assert!(problem.starts_with("8 lock(s) released by another warp"), "{problem}");
            assert_eq!((alone.verdict, &alone.problems), (wrong.verdict, &wrong.problems));
            for model in [true, false] {
                let right = run(GIVEN_BACK, cores, warp_wide, model);
                assert_eq!(right.verdict, Verdict::Pass, "{warp_wide:?}, {cores} cores:\n{}", right.text());
                assert_eq!((right.lock_handovers, right.warnings.len()), (Some(8), 0), "{}", right.text());
            }
        }
    }
}
