//! The checker of finished code: each planted fault of the compiler breaks its rule, and so does a
//! small program for each rule that no fault is for.

use super::{all, compiled, drawing, left, wrong};
use crate::common::draw::Drawing;
use quadlock_isa::abi::{EventForm, PublicRegisters};
use quadlock_isa::{assemble, decode, Lanes, Op};
use quadlock_shader::back::merge_check;
use quadlock_shader::back::split_check::{check, Rule};
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::Options;

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

/// Work of the pixel in which derivatives come first, and a value of the sample.
const SLOPES: &str = "let e = dpdx(v.x * v.y) + dpdy(v.z);
    var t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)) + e; t = exp2(t) * sin(t + v.w) + log2(abs(t) + 1.0);
    t = t / (1.5 + t * t) + cos(t); t = sqrt(abs(t)) / (2.5 + t * t) + sin(t * 3.0) * exp2(t * 0.5);
    t = log2(abs(t) + 2.0) / (1.25 + t * t) + cos(t * 5.0); t = t / (0.5 + t * t) + sin(t); a = t * w.x; b = e; c = t; d = f32(s);";

/// MS-42, MS-43: a merge point before the split point, in every form that the machine may know; and
/// the picture is that without both.
#[test]
fn ms_43_a_merge_point_stands_before_the_split_point() {
    let without = left(&drawing(SLOPES, "read", false, None).draw(), 4);
    for &(event_form, _) in EventForm::ALL.iter() {
        for public_registers in [PublicRegisters::Below, PublicRegisters::Bitmap] {
            let on = Options {
                split: true,
                merge: true,
                merge_split: true,
                event_form,
                public_registers,
                ..Options::default()
            };
            let both = Drawing { options: on, ..drawing(SLOPES, "read", true, None) };
            let c = compiled(&both);
            assert!(c.binary.merges() && c.binary.splits(), "{event_form:?}\n{}", c.asm);
            // The model here knows no modifiers.
            let same = event_form == EventForm::Modifier || left(&both.draw(), 4) == without;
            assert!(same, "{event_form:?}\n{}", c.asm);
            if event_form == EventForm::Instruction {
                let at = |op: Op| c.binary.code.iter().position(|&w| decode(w).is_ok_and(|i| i.op == op));
                let quad =
                    c.binary.code.iter().rposition(|&w| decode(w).is_ok_and(|i| i.op.row().lanes == Lanes::Quad));
                assert!(quad < at(Op::Merge) && at(Op::Merge) < at(Op::Split), "{}", c.asm);
            }
        }
    }
    // Helpers are needed to the end: it splits only.
    let on = Options { split: true, merge: true, merge_split: true, ..Options::default() };
    let body = "let t = sin(v.x * 9.0) * cos(v.y) + sqrt(abs(v.z)); b = dpdx(w.x * t); a = t; c = t; d = f32(s);";
    let c = compiled(&Drawing { options: on, ..drawing(body, "read", true, None) });
    let merge = c.report.merge.as_ref().and_then(|m| m.none.clone());
    assert!(c.binary.splits() && !c.binary.merges() && merge.is_some(), "{merge:?}\n{}", c.asm);
}

/// MS-42: rules of programs with both points, with a cutoff of 8.
#[test]
fn ms_42_rules_of_both_points() {
    let rules = |text: &str| {
        let code = assemble("a.qasm", text).unwrap_or_else(|e| panic!("{e}")).code;
        let merge: Vec<_> = merge_check::check_before_split(&code, 0xFF).into_iter().map(|w| (w.pc, w.rule)).collect();
        (merge, check(&code, 8, 1).len())
    };
    let right = "BARY r8, #0\nDDX r9, r8\nMOV r0, r9\nMERGE\nMOV r12, r0\nFADD r1, r12, r0\nSPLIT\nOUT #0, r1\nEND";
    assert_eq!(rules(right), (vec![], 0));
    let behind = "BARY r8, #0\nMOV r0, r8\nSPLIT\nMERGE\nOUT #0, r0\nEND";
    assert_eq!(rules(behind).0, [(2, merge_check::Rule::Order)]);
    // On one way only, and private registers across.
    let around = "S2R r8, facing\nBZ r8, @3\nMERGE\nSPLIT\nEND";
    assert_eq!(rules(around).0, [(3, merge_check::Rule::Order)]);
    let gone = "BARY r8, #0\nMERGE\nMOV r0, r8\nSPLIT\nOUT #0, r0\nEND";
    assert_eq!(rules(gone).0, [(2, merge_check::Rule::Gone), (4, merge_check::Rule::Gone)]);
    // Helpers have ended, so a load behind the point has a right address.
    let load = "MOV r1, c[8]\nMERGE\nLD.32 r0, [r1]\nSPLIT\nOUT #0, r0\nEND";
    assert_eq!(rules(load), (vec![], 0));
}
