//! One small program per planted fault: enough to show it, nothing else. The comment in a program
//! says what the fault does to it.

use quadlock::machine::launch::{Launch, ThreadList};
use quadlock::machine::locks::{LockRule, LockWords};
use quadlock_hdl::config::{WarpWide, WideLate, WideResult};
use quadlock_isa::ThreadRecord;

/// A program in assembly with its grid.
#[derive(PartialEq)]
pub struct Program {
    pub text: &'static str,
    pub grid: [u32; 3],
    pub group_size: [u32; 3],
    pub pinned: bool,
    pub shared_bytes: u32,
    /// Threads to launch instead of the grid.
    pub threads: Vec<ThreadRecord>,
    /// Rows, cores per row, units per core, warps per unit.
    pub machine: [usize; 4],
    /// Execution and result option of warp-wide atomics.
    pub wide: (WarpWide, WideResult),
    /// What lanes get that come late to them.
    pub late: WideLate,
}

/// The machine of the programs without threads.
pub const SMALL: [usize; 4] = [1, 1, 1, 2];

/// The default options of warp-wide atomics.
pub const WIDE: (WarpWide, WideResult) = (WarpWide::Collective, WideResult::PerLane);

/// One warp, free.
pub const fn one_warp(text: &'static str) -> Program {
    Program {
        text,
        grid: [1; 3],
        group_size: [4, 1, 1],
        pinned: false,
        shared_bytes: 0,
        threads: Vec::new(),
        machine: SMALL,
        wide: WIDE,
        late: WideLate::Again,
    }
}

/// A grid of small free groups.
pub const fn grid(text: &'static str, grid: [u32; 3], group: u32) -> Program {
    Program {
        text,
        grid,
        group_size: [group, 1, 1],
        pinned: false,
        shared_bytes: 0,
        threads: Vec::new(),
        machine: SMALL,
        wide: WIDE,
        late: WideLate::Again,
    }
}

/// One group of two warps with work-group memory.
pub const fn two_warps(text: &'static str) -> Program {
    Program {
        text,
        grid: [1; 3],
        group_size: [8, 1, 1],
        pinned: true,
        shared_bytes: 64,
        threads: Vec::new(),
        machine: SMALL,
        wide: WIDE,
        late: WideLate::Again,
    }
}

impl Program {
    /// The launch, with data memory from 0x1800 to 0x2800.
    pub fn launch(&self, name: &str) -> Launch {
        let code = quadlock_isa::assemble(name, self.text).unwrap_or_else(|e| panic!("{e}")).code;
        let mut launch = Launch::bare(name, code, 0x1800);
        launch.grid = self.grid;
        launch.group_size = self.group_size;
        launch.pinned = self.pinned;
        launch.shared_bytes = self.shared_bytes;
        if self.text.contains("WATOM32.LOCK") {
            launch.locks.push(LockWords { first: 0x1800, count: 64, step: 4, rule: LockRule::Owned });
        }
        if !self.threads.is_empty() {
            launch.image.bytes.resize(0x4000, 0);
            launch.threads = Some(ThreadList { base: 0x2000, threads: self.threads.clone() });
            launch.place_threads();
        }
        launch
    }
}

/// (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: a tie that goes to the even 1 + 2^-11.
pub const FMA_TIE: &str = "
    MOV r1, #0x3F800800
    MOV r2, #0
    FFMA r3, r1, r1, r2
    END";

/// The tie above plus 2^-80: not a tie any more, if the far operand's sticky bit is kept.
pub const FMA_STICKY: &str = "
    MOV r1, #0x3F800800
    MOV r2, #0x17800000
    FFMA r3, r1, r1, r2
    END";

pub const ADD_CARRY: &str = "
    MOV r1, #0xFFFF
    IADD r2, r1, #1
    END";

/// 3e9 is above the greatest i32.
pub const CONVERT: &str = "
    MOV r1, #0x4F32D05E
    F2I r2, r1
    END";

pub const SIGNED_COMPARE: &str = "
    MOV r1, #0xFFFFFFFF
    SSETLT r2, r1, #1
    END";

/// 2.5 is a tie: to the even 2.
pub const INTEGRAL_TIE: &str = "
    MOV r1, #0x40200000
    FRNE r2, r1
    END";

/// Just above 2^-25, the tie between zero and the smallest f16.
pub const F16_SUBNORMAL: &str = "
    MOV r1, #0x33000001
    PK.F16 r2, r1, r1
    END";

/// A NaN with its sign set.
pub const NAN_SIGN: &str = "
    MOV r1, #0xFFC00000
    MOV r2, #0x3F800000
    FMUL r3, r1, r2
    END";

/// -1/2 * 127 = -63.5: a tie, up to -63.
pub const ENCODE_TIE: &str = "
    MOV r1, #0xBF000000
    F2SN.8 r2, r1
    END";

/// 2^-126 * 1/2 is the subnormal 2^-127.
pub const SUBNORMAL_SHIFT: &str = "
    MOV r1, #0x00800000
    MOV r2, #0x3F000000
    FMUL r3, r1, r2
    END";

/// 1 / 3 = 0.0101...: the digit behind the last place is set, and so is the remainder.
pub const DIVIDE_STICKY: &str = "
    MOV r1, #0x3F800000
    FDIV r2, r1, #0x40400000
    END";

/// 2^-126 / 2 is the subnormal 2^-127.
pub const DIVIDE_SUBNORMAL: &str = "
    MOV r1, #0x00800000
    FDIV r2, r1, #0x40000000
    END";

/// sqrt(5) is rounded up.
pub const SQRT_ROUNDING: &str = "
    MOV r1, #0x40A00000
    FSQRT r2, r1
    END";

/// 2^30 is reduced with bits of 2/pi far behind the point.
pub const RANGE_REDUCTION: &str = "
    MOV r1, #0x4E800000
    FSIN r2, r1
    FCOS r3, r1
    END";

/// 1 + 21.5/128 lies in interval 21 of the reciprocals.
pub const TABLE_LINE: &str = "
    MOV r1, #0x3F958000
    FRCP r2, r1
    END";

/// 2^x for eight x in a row: about half of them are rounded up.
pub const FUNCTION_ROUNDING: &str = "
    S2R r1, lane
    IADD r1, r1, #0x3E99999A
    FEXP2 r2, r1
    IADD r1, r1, #4
    FEXP2 r3, r1
    END";

/// Lane 0 branches around a write of r2; then all lanes read r2.
pub const WRITE_MASK: &str = "
    S2R r1, lane
    MOV r2, #7
    BZ r1, skip
    MOV r2, #9
skip:
    IADD r3, r2, #0
    END";

/// The load's result is operand C of the next instruction; the second time round both come from the
/// instruction cache.
pub const STALE_OPERAND: &str = "
    MOV r1, #0x1800
    MOV r2, #3
    MOV r6, #2
loop:
    MOV r4, #77
    LD.32 r4, [r1+0]
    IMAD r5, r2, #5, r4
    ISUB r6, r6, #1
    BNZ r6, loop
    END";

/// Lanes 1 and 3 branch.
pub const BRANCH_MASK: &str = "
    S2R r1, lane
    AND r2, r1, #1
    BNZ r2, odd
    MOV r3, #1
    END
odd:
    MOV r3, #2
    END";

/// Lanes part and both ways are long: the lower counter goes first.
pub const LOWEST_PC: &str = "
    S2R r1, lane
    BNZ r1, other
    MOV r3, #1
    MOV r3, #2
    MOV r3, #3
other:
    IADD r4, r1, #1
    END";

/// Warp 0 waits; warp 1 loads from memory before it arrives.
pub const BARRIER: &str = "
    S2R r1, local_index
    SHL r2, r1, #2
    USETLT r3, r1, #4
    BNZ r3, wait
    LD.32 r4, [r2+0x1800]
    IADD r4, r4, #1
    LD.32 r5, [r2+0x1840]
    IADD r4, r5, r4
    LD.32 r5, [r2+0x1880]
    IADD r4, r5, r4
wait:
    STS.32 [r2+0], r1
    BAR
    XOR r3, r2, #16
    LDS.32 r5, [r3+0]
    END";

/// The same; what each lane reads after the barrier is stored.
pub const BARRIER_STORED: &str = "
    S2R r1, local_index
    SHL r2, r1, #2
    USETLT r3, r1, #4
    BNZ r3, wait
    LD.32 r4, [r2+0x1800]
    IADD r4, r4, #1
    LD.32 r5, [r2+0x1840]
    IADD r4, r5, r4
    LD.32 r5, [r2+0x1880]
    IADD r4, r5, r4
wait:
    STS.32 [r2+0], r1
    BAR
    XOR r3, r2, #16
    LDS.32 r5, [r3+0]
    ST.32 [r2+0x1900], r5
    END";

/// Each instruction needs the result of an earlier one, at every distance from 1 to 8.
pub const BYPASS: &str = "
    S2R r1, lane
    IADD r2, r1, #1
    IADD r3, r2, #1
    MOV r4, #4
    IADD r5, r3, #1
    MOV r6, #6
    MOV r7, #7
    IADD r8, r6, r5
    MOV r9, #9
    MOV r10, #10
    IADD r11, r10, r7
    MOV r12, #12
    MOV r13, #13
    MOV r14, #14
    IADD r15, r12, r11
    IADD r16, r13, r9
    IADD r17, r14, r10
    MOV r18, #1
    MOV r19, #2
    MOV r20, #3
    MOV r21, #4
    MOV r22, #5
    IADD r23, r18, r15
    IADD r24, r18, r19
    IADD r24, r20, r21
    IADD r25, r22, r24
    END";

/// The second register of a wide load is used at once.
pub const WIDE_LOAD: &str = "
    MOV r1, #0x1800
    MOV r2, #0x55
    ST.32 [r1+4], r2
    MOV r9, #1
    LD.128 r8, [r1+0]
    IADD r4, r9, #1
    END";

/// Lanes in neighbouring lines: lane n reads the word at 16 n.
pub const NEIGHBOUR_LINES: &str = "
    S2R r1, lane
    SHL r2, r1, #4
    ST.32 [r2+0x1800], r1
    LD.32 r3, [r2+0x1800]
    END";

/// More than 64 memory responses.
pub const MANY_LOADS: &str = "
    S2R r1, lane
    SHL r2, r1, #4
    MOV r3, #24
loop:
    LD.32 r4, [r2+0x1800]
    ISUB r3, r3, #1
    BNZ r3, loop
    END";

pub const STORE_16: &str = "
    S2R r1, lane
    SHL r2, r1, #1
    MOV r3, #0xABCD
    ST.16 [r2+0x1800], r3
    END";

pub const LOAD_S8: &str = "
    MOV r1, #0x1800
    MOV r2, #0x80
    ST.8 [r1+0], r2
    LD.S8 r3, [r1+0]
    LD.S16 r4, [r1+0]
    END";

/// All four lanes add to one word.
pub const ATOMIC: &str = "
    MOV r1, #0x1800
    S2R r2, lane
    IADD r2, r2, #1
    ATOM32.ADD r3, [r1+0], r2
    LD.32 r4, [r1+0]
    END";

pub const PLAIN: &str = "
    S2R r1, local_index
    S2R r2, group_x
    IADD r3, r1, r2
    END";

pub const FMIN_NAN: &str = "
    MOV r1, #0x7FC00000
    FMIN r2, r1, #2.5f
    END";

pub const SHIFT: &str = "
    MOV r1, #33
    MOV r2, #5
    SHL r3, r2, r1
    END";

pub const SBFE: &str = "
    MOV r1, #0xFFFF
    SBFE r2, r1, #4
    END";

/// (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, but 0 if the product is rounded first.
pub const FMA_ONCE: &str = "
    MOV r1, #0x3F800800
    MOV r2, #0xBF801000
    FFMA r3, r1, r1, r2
    END";

/// All lanes store to the same bytes: the highest lane wins.
pub const OVERLAP: &str = "
    MOV r1, #0x1800
    S2R r2, lane
    ST.32 [r1+0], r2
    LD.32 r3, [r1+0]
    END";
