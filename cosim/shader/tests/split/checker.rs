//! The checker of finished code: each planted fault of the compiler breaks its rule, and so does a
//! small program for each rule that no fault is for.

use super::{all, compiled, drawing, wrong};
use quadlock_isa::assemble;
use quadlock_shader::back::split_check::{check, Rule};
use quadlock_shader::fault::CompilerFault;

/// The rules that the checker finds broken with a fault.
fn broken(fault: CompilerFault) -> Vec<Rule> {
    let all = all().map(|(_, body, access, _)| compiled(&drawing(body, access, true, Some(fault))));
    all.flat_map(|c| wrong(&c)).map(|w| w.rule).collect()
}

#[test]
fn an_operation_of_samples_before_the_point() {
    assert!(broken(CompilerFault::SplitTooLate).contains(&Rule::Sample));
}

#[test]
fn a_private_value_across_the_point() {
    assert!(broken(CompilerFault::SplitPrivateLive).contains(&Rule::Gone));
}

#[test]
fn a_public_register_that_is_written_behind_the_point() {
    assert!(broken(CompilerFault::SplitPublicWrite).contains(&Rule::PublicWrite));
}

#[test]
fn a_point_in_a_loop() {
    assert!(broken(CompilerFault::SplitInLoop).contains(&Rule::Loop));
}

/// Broken rules of a program with a cutoff of 8, where buffer 0 is only read.
fn rules(text: &str) -> Vec<(u32, Rule)> {
    let assembled = assemble("a.qasm", text).unwrap_or_else(|e| panic!("{e}"));
    check(&assembled.code, 8, 1).into_iter().map(|w| (w.pc, w.rule)).collect()
}

#[test]
fn each_rule() {
    let right = "BARY r8, #0\nMOV r12, c[8]\nLD.32 r0, [r12+4]\nFADD r0, r0, r8\nDDX r1, r0\nSPLIT
BARY r8, #2\nFADD r8, r8, r1\nOUT #0, r8\nEND";
    assert_eq!(rules(right), []);
    // From a buffer that may be written, from either, and from who knows where.
    let load = |first: &str| format!("{first}\nLD.32 r0, [r12+4]\nSPLIT\nOUT #0, r0\nEND");
    assert_eq!(rules(&load("MOV r12, c[8]")), []);
    assert_eq!(rules(&load("MOV r12, c[10]")), [(1, Rule::Sample)]);
    assert_eq!(rules(&load("MOV r12, c[9]")), [(1, Rule::Sample)]);
    assert_eq!(rules(&load("MOV r12, c[8]\nIADD r12, r12, c[10]")), [(2, Rule::Sample)]);
    assert_eq!(rules(&load("MOV r12, c[8]\nLD.32 r12, [r12]")), [(2, Rule::Sample)]);
    let either = "S2R r8, facing\nMOV r12, c[8]\nBZ r8, @4\nMOV r12, #64\nLD.32 r0, [r12+4]\nSPLIT\nEND";
    assert_eq!(rules(either), [(4, Rule::Sample)]);
    // Values and branches of samples, also at the centroid and of what no fragment needs.
    for own in ["S2R r0, sample", "S2R r0, depth", "S2R r0, ticket", "S2R r0, helper", "BARY r0, #1"] {
        assert_eq!(rules(&format!("{own}\nSPLIT\nEND")), [(0, Rule::Sample)], "{own}");
    }
    let branch = "S2R r0, sample_coverage\nBZ r0, @2\nSPLIT\nEND";
    assert_eq!(rules(branch), [(0, Rule::Sample), (1, Rule::Sample)]);
    for effect in ["OUT #0, r0", "ST.32 [r0+0], r0", "ATOM32.ADD r0, [r0+0], r0"] {
        assert!(rules(&format!("{effect}\nSPLIT\nEND")).contains(&(0, Rule::Effect)), "{effect}");
    }
    assert_eq!(rules("MOV r8, #1\nSPLIT\nOUT #0, r8\nEND"), [(2, Rule::Gone)]);
    // Written behind the point on one way only.
    let one_way = "S2R r0, facing\nSPLIT\nBZ r0, @4\nMOV r8, #1\nOUT #0, r8\nEND";
    assert_eq!(rules(one_way), [(4, Rule::Gone)]);
    assert_eq!(rules("SPLIT\nMOV r7, #1\nEND"), [(1, Rule::PublicWrite)]);
    assert_eq!(rules("SPLIT\nSPLIT\nEND"), [(1, Rule::Twice)]);
    let around = "S2R r0, facing\nBZ r0, @3\nSPLIT\nMOV r8, #1\nEND";
    assert_eq!(rules(around), [(3, Rule::Around), (4, Rule::Around)]);
    let turns = rules("S2R r0, facing\nSPLIT\nBNZ r0, @1\nEND");
    assert!(turns.contains(&(1, Rule::Loop)) && turns.contains(&(1, Rule::Twice)), "{turns:?}");
    assert_eq!(rules("BARY r6, #0\nSPLIT\nEND"), [(0, Rule::Row)]);
    for op in ["BAR", "S2R r0, lane", "S2R r0, thread_slot"] {
        assert!(rules(&format!("{op}\nSPLIT\nEND")).contains(&(0, Rule::Forbidden)), "{op}");
    }
    // A derivative of what was made behind the point, where lanes have ended, or may yet before it.
    let ended = "S2R r0, facing\nBZ r0, @3\nEND\nSPLIT\nBARY r8, #2\nDDX r12, r8\nEND";
    assert_eq!(rules(ended), [(5, Rule::Apart)]);
    let ends = "SPLIT\nBARY r8, #2\nBZ r8, @4\nEND\nDDX r12, r8\nEND";
    assert_eq!(rules(ends), [(4, Rule::Apart)]);
    assert_eq!(rules("BARY r8, #0\nMOV r0, r8\nSPLIT\nBZ r0, @5\nEND\nDDX r12, r0\nEND"), []);
    // Without a point nothing is wrong.
    assert_eq!(rules("S2R r0, sample\nOUT #0, r0\nEND"), []);
}
