//! Programs for the planted faults of operations that are executed once for a warp, each on the
//! option that the fault needs. A mask of all lanes hides most of them: the programs use partial
//! masks.

use quadlock_hdl::config::{WarpWide, WideLate, WideResult};

use crate::programs::{grid, one_warp, Program};

/// A program with its execution and result option.
fn on(program: Program, execution: WarpWide, result: WideResult) -> Program {
    Program { wide: (execution, result), ..program }
}

/// On every execution option: context, pipeline and scalar unit each have the fault of their own.
pub fn executions(program: impl Fn() -> Program) -> [Program; 3] {
    [WarpWide::Representative, WarpWide::Collective, WarpWide::Scalar]
        .map(|execution| on(program(), execution, WideResult::PerLane))
}

/// Lane 0 goes round a warp-wide add; the other lanes read its result.
const PARTIAL: &str = "
    S2R r1, lane
    MOV r2, #0x1800
    MOV r3, #7
    BZ r1, skip
    WATOM32.ADD r3, [r2+0x40], r1
    IADD r4, r3, #1
skip:
    IADD r5, r3, #0
    END";

/// All lanes, each with another operand.
const FULL: &str = "
    S2R r1, lane
    MOV r2, #0x1800
    WATOM32.SUB r3, [r2+0x40], r2
    WATOM32.ADD r4, [r2+0x44], r1
    IADD r5, r3, r4
    END";

/// The lock word is taken twice, given back, given back again.
const LOCK: &str = "
    MOV r2, #0x1800
    MOV r3, #1
    MOV r4, #0
    WATOM32.LOCK r5, [r2+0x40], r3
    WATOM32.LOCK r6, [r2+0x40], r3
    WATOM32.LOCK r7, [r2+0x40], r4
    WATOM32.LOCK r8, [r2+0x40], r4
    END";

/// A result is read, overwritten in some lanes and read again.
const OVERWRITTEN: &str = "
    S2R r1, lane
    MOV r2, #0x1800
    WATOM32.ADD r3, [r2+0x40], r2
    IADD r4, r3, #1
    BZ r1, skip
    MOV r3, #99
skip:
    IADD r5, r3, #0
    END";

/// Two lanes of the four: what the others hold would change every result.
const ACROSS: &str = "
    S2R r1, lane
    AND r2, r1, #1
    IADD r3, r1, #40
    BZ r2, skip
    WRED.ADD r4, r3
    WRED.UMIN r5, r3
    WSCAN.ADD r6, r3
    WBALLOT r7, r3
skip:
    END";

/// The program with its warp-wide atomics in shared storage (WW-26).
fn shared(text: &str) -> &'static str {
    text.replace("WATOM", "WATOMS").replace("#0x1800", "#0x80").leak()
}

/// Where the planted faults of operations in shared storage show: program by program as for global
/// memory.
pub fn shared_partial() -> Program {
    one_warp(shared(PARTIAL))
}

pub fn shared_full() -> Program {
    one_warp(shared(FULL))
}

pub fn shared_represented() -> Program {
    on(one_warp(shared(FULL)), WarpWide::Representative, WideResult::PerLane)
}

pub fn shared_lock() -> Program {
    one_warp(shared(LOCK))
}

pub fn shared_overwritten() -> Program {
    on(one_warp(shared(OVERWRITTEN)), WarpWide::Collective, WideResult::Shared)
}

/// Lanes 1 to 3 come late to an addition, after those that executed it have made its result their
/// own; then the others of two places.
const LATE: &str = "
    S2R r1, lane
    MOV r2, #0x1800
    MOV r3, #7
    WATOM32.ADD r4, [r2+0x40], r3
    BNZ r1, far
place:
    WATOM32.ADD r4, [r2+0x40], r3
    IADD r4, r4, r1
    BRA beyond
far:
    BRA place
beyond:
    IADD r5, r4, #0
    END";

/// Lane 0 executes again in the loop's second turn, where the others are still to come.
const TURNS: &str = "
    S2R r1, lane
    MOV r2, #0x1800
    MOV r3, #7
    MOV r5, #2
    BNZ r1, far
place:
    WATOM32.ADD r4, [r2+0x40], r3
    ISUB r5, r5, #1
    BNZ r5, place
    BRA beyond
far:
    BRA place
beyond:
    END";

/// Lanes 1 and 3 meet the others behind the addition and then come back to it.
const MET: &str = "
    S2R r1, lane
    AND r1, r1, #1
    MOV r2, #0x1800
    MOV r3, #7
    MOV r5, #2
    BNZ r1, met
place:
    WATOM32.ADD r4, [r2+0x40], r3
met:
    ISUB r5, r5, #1
    AND r6, r5, r1
    BNZ r6, place
    END";

/// Lane 0 turns a loop around the addition, the second time without it.
const TURN: &str = "
    S2R r1, lane
    MOV r2, #0x1800
    MOV r3, #7
    MOV r5, #0
    BNZ r1, far
turn:
    BNZ r5, turned
place:
    WATOM32.ADD r4, [r2+0x40], r3
turned:
    IADD r5, r5, #1
    USETLT r6, r5, #2
    BNZ r6, turn
    BRA beyond
far:
    BRA place
beyond:
    END";

fn stored(text: &'static str) -> [Program; 2] {
    [text, shared(text)].map(|text| Program { late: WideLate::Stored, ..one_warp(text) })
}

/// Programs with late lanes (WW-27), each in both memories.
pub fn late() -> [Program; 2] {
    stored(LATE)
}

pub fn late_turns() -> [Program; 2] {
    stored(TURNS)
}

pub fn late_met() -> [Program; 2] {
    stored(MET)
}

pub fn late_turn() -> [Program; 2] {
    stored(TURN)
}

pub fn partial() -> Program {
    one_warp(PARTIAL)
}

pub fn represented() -> Program {
    on(one_warp(FULL), WarpWide::Representative, WideResult::PerLane)
}

pub fn full() -> Program {
    one_warp(FULL)
}

pub fn lock() -> Program {
    one_warp(LOCK)
}

/// Each warp with an operand of its own: answers that are exchanged between warps with the same one
/// would only be another legal order.
const OWN: &str = "
    S2R r1, group_x
    MOV r2, #0x1800
    SHL r3, r1, #2
    IADD r2, r2, r3
    IADD r3, r1, #5
    WATOM32.ADD r4, [r2+0x40], r3
    WATOM32.ADD r5, [r2+0x40], r3
    IADD r6, r4, r5
    END";

/// Warps in neighbouring slots.
pub fn scalar() -> Program {
    on(grid(OWN, [4, 1, 1], 4), WarpWide::Scalar, WideResult::PerLane)
}

pub fn overwritten() -> Program {
    on(one_warp(OVERWRITTEN), WarpWide::Collective, WideResult::Shared)
}

pub fn across() -> Program {
    one_warp(ACROSS)
}
