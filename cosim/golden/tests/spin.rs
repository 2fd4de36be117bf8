//! Spin loops that also count or wait (WW-11): found whatever they count, as long as nothing that
//! they do depends on it; and loops that come to an end by counting are not called endless.

use crate::common::{code, launch, MEMORY};
use quadlock_golden::{Config, Golden, Memory, Spin};

const HEAD: &str = "
        MOV r2, #0x1200
        MOV r3, #1
        MOV r4, #0
        MOV r8, #1
    again:
        ATOM32.CAS r5, [r2], r3, r4
        BZ r5, got
";

const TAIL: &str = "
        BRA again
    got:
        ATOM32.XCHG r5, [r2], r4
        END
    out:
        ST.32 [r2+0x80], r7
        END";

/// A lock per lane that all lanes want, with `retry` before the next attempt: what the warp spins
/// on after some instructions.
fn spin(retry: &str, instructions: usize) -> Option<Spin> {
    let mut g = machine(&format!("{HEAD}{retry}{TAIL}"));
    (0..instructions).for_each(|_| drop(g.step(0, 0).unwrap()));
    g.spin(0, 0)
}

fn machine(text: &str) -> Golden {
    let mut g = Golden::new(Config::default(), code(text), vec![], Memory::new(MEMORY));
    g.launch(&launch(0, 0, 15)).unwrap();
    g
}

fn found(retry: &str) {
    for instructions in [30, 31, 32, 33, 34, 500] {
        let spin = spin(retry, instructions).unwrap_or_else(|| panic!("after {instructions} instructions:{retry}"));
        assert_eq!(
            (spin.pc, spin.mask, spin.addr[1], spin.found[1], spin.behind),
            (4, 0b1110, 0x1200, 1, 1),
            "{retry}"
        );
    }
}

/// The program ends, so no state of it is a spin.
fn ends(text: &str) {
    let mut g = machine(text);
    for instructions in 0.. {
        if g.warp(0, 0).is_ended() {
            assert!(instructions > 50, "{instructions} instructions");
            return;
        }
        if instructions % 50 < 20 {
            assert_eq!(g.spin(0, 0), None, "after {instructions} instructions:{text}");
        }
        g.step(0, 0).unwrap();
    }
}

#[test]
fn attempts_are_counted() {
    found("");
    found("IADD r7, r7, #1");
    found("IADD r7, r7, #1\n IMAD r10, r7, r7, r10\n WRED.ADD r11, r10\n POPC r12, r11");
}

#[test]
fn a_back_off_waits() {
    // Twice as long each time, counted down.
    found("SHL r8, r8, #1\n MOV r9, r8\nwait:\n ISUB r9, r9, #1\n BNZ r9, wait");
    // Longer by one each time, counted up, the branch at the head; attempts are counted too.
    found(
        "IADD r7, r7, #1\n MOV r9, #0\nwait:\n USETLT r10, r9, r7\n BZ r10, done\n IADD r9, r9, #1\n BRA wait\ndone:",
    );
    // Every lane another time, with a choice and a wait within the wait.
    found(
        "S2R r10, lane\n IADD r7, r7, #1\n IADD r9, r7, r10\nwait:\n AND r11, r9, #1\n BZ r11, even\n IADD r12, r12, #1\n BRA both\neven:\n MOV r13, #2\n\
         inner:\n ISUB r13, r13, #1\n BNZ r13, inner\nboth:\n ISUB r9, r9, #1\n BNZ r9, wait",
    );
    // Skipped every second time.
    found("IADD r7, r7, #1\n AND r10, r7, #1\n BZ r10, done\n IADD r11, r11, #1\ndone:");
}

#[test]
fn a_loop_that_its_count_ends_is_no_spin() {
    let lock = |retry: &str| format!("{HEAD}{retry}{TAIL}");
    ends(&lock("IADD r7, r7, #1\n USETLT r10, r7, #40\n BZ r10, out"));
    // The count is what the waits add up to.
    ends(&lock(
        "SHL r8, r8, #1\n MOV r9, r8\nwait:\n IADD r7, r7, #1\n ISUB r9, r9, #1\n BNZ r9, wait\n USETLT r10, r7, #200\n BZ r10, out",
    ));
    // Whether the wait is gone through decides.
    ends(&lock(
        "IADD r7, r7, #1\n USETLT r10, r7, #40\n MOV r11, #0\n BNZ r10, early\n MOV r11, #1\nearly:\n BNZ r11, out",
    ));
    // A lane sees the count of another.
    ends(&lock(
        "S2R r12, lane\n ISETEQ r12, r12, #2\n IADD r7, r7, r12\n WRED.ADD r13, r7\n USETLT r10, r13, #40\n BZ r10, out",
    ));
    // Where to look, and what to add, depends on the count.
    ends("MOV r2, #0x1200\nMOV r7, #60\nagain:\nSHL r9, r7, #2\nIADD r9, r9, r2\nLD.32 r3, [r9]\nISUB r7, r7, #1\nBNZ r7, again\nEND");
    ends("MOV r2, #0x1200\nagain:\nWATOM32.UMAX r5, [r2], r7\nIADD r7, r7, #1\nUSETLT r8, r5, #60\nBNZ r8, again\nEND");
}

#[test]
fn a_value_that_is_stored_counts() {
    let text = "MOV r2, #0x1200\nagain:\nLD.32 r3, [r2+4]\nIADD r7, r7, #1\nST.32 [r2+8], r7\nBZ r3, again\nEND";
    let mut g = machine(text);
    (0..40).for_each(|_| drop(g.step(0, 0).unwrap()));
    assert_eq!(g.spin(0, 0), None, "others can see that it goes on");
}
