//! Split programs on the golden model against the SSA interpreter, and what the pass promises.

use super::super::mir::{MBlock, MFunc, MInst, Operand, Term, VReg};
use super::super::tests::{avoid_launch_words, options, run_golden};
use super::super::{generate, BackOptions, Generated};
use super::*;
use crate::passes::{self, pipeline};
use crate::random::ssa::{generate as random, RandomSsa};
use crate::ssa::{Func, Loc};
use quadlock_isa::Op;

/// A random program, optimised.
fn program(seed: u64) -> (RandomSsa, Func) {
    let mut program = random(seed);
    avoid_launch_words(&mut program.module);
    let mut module = program.module.clone();
    pipeline::optimise(&mut module, program.entry, &passes::Options::default()).unwrap();
    let func = module.funcs[program.entry.index()].clone();
    (program, func)
}

fn differs(p: &RandomSsa, g: &Generated) -> bool {
    let (want, _) = p.run(&p.module).unwrap();
    run_golden(g, &p.launch, &p.memory).map_or(true, |(got, _)| got != want)
}

/// Random programs with few registers, ranges split and not: memory afterwards is the
/// interpreter's, and there is less spill code.
#[test]
fn random_programs_do_the_same_with_split_ranges() {
    let (mut split, mut everywhere) = (0, 0);
    for seed in 5000..5060 {
        let (p, func) = program(seed);
        for registers in [8, 16, 32] {
            let own = |split_ranges| {
                let o = BackOptions { split_ranges, ..options(registers) };
                generate(&func, &o).unwrap_or_else(|e| panic!("seed {seed}, {registers} registers: {e}"))
            };
            let [a, b] = [own(true), own(false)];
            assert!(!differs(&p, &a), "seed {seed}, {registers} registers, split");
            assert!(!differs(&p, &b), "seed {seed}, {registers} registers, spilled everywhere");
            assert!(a.registers as usize <= registers);
            split += a.stats.spill.stores + a.stats.spill.reloads;
            everywhere += b.stats.spill.stores + b.stats.spill.reloads;
        }
    }
    println!("{split} stores and reloads, {everywhere} without splitting");
    assert!(split * 10 < everywhere * 9, "{split}, not {everywhere}");
}

/// Must fail: a reload of what a loop wrote anew reads the value from before.
#[test]
fn planted_stale_reloads_change_results() {
    let found = (5000..5200).any(|seed| {
        let (p, func) = program(seed);
        let o = BackOptions { fault: Some(CompilerFault::SplitRangeStale), ..options(8) };
        generate(&func, &o).map_or(true, |g| differs(&p, &g))
    });
    assert!(found);
}

/// The same of load groups that come apart, with ranges split and not.
#[test]
fn random_programs_do_the_same_with_groups_apart() {
    for seed in 5100..5130 {
        let (p, func) = program(seed);
        for (registers, split_ranges) in [(8, true), (12, true), (12, false), (32, true)] {
            for load_groups in [true, false] {
                let o = BackOptions { split_ranges, load_groups, ..options(registers) };
                let g = generate(&func, &o).unwrap_or_else(|e| panic!("seed {seed}, {registers} registers: {e}"));
                assert!(!differs(&p, &g), "seed {seed}, {registers} registers, {split_ranges} {load_groups}");
            }
        }
    }
}

/// Must fail: a value of a group is copied from its neighbour's register.
#[test]
fn planted_clobbered_groups_change_results() {
    let found = (5000..5400).any(|seed| {
        let (p, func) = program(seed);
        [8, 9, 10, 12].iter().any(|&registers| {
            let o = BackOptions { fault: Some(CompilerFault::GroupClobber), ..options(registers) };
            generate(&func, &o).map_or(true, |g| differs(&p, &g))
        })
    });
    assert!(found);
}

/// Must fail: where few values shall be live, two accesses to one word change places.
#[test]
fn planted_order_of_memory_changes_results() {
    let found = (5000..5400).any(|seed| {
        let (p, func) = program(seed);
        [8, 9, 10, 12].iter().any(|&registers| {
            let o = BackOptions { fault: Some(CompilerFault::OrderAlias), schedule: false, ..options(registers) };
            generate(&func, &o).map_or(true, |g| differs(&p, &g))
        })
    });
    assert!(found);
}

fn alu(d: u32, a: u32, b: u32) -> MInst {
    MInst { a: Some(VReg(a)), b: Operand::Reg(VReg(b)), ..MInst::new(Op::IAdd, vec![VReg(d)], Loc::default()) }
}

fn block(insts: Vec<MInst>, copies: Vec<(VReg, Operand)>, term: Term, depth: u32) -> MBlock {
    let name = String::new();
    MBlock { name, insts, copies, term, term_loc: Loc::default(), depth, polling: false }
}

/// Values that only live through a loop are stored before it and loaded behind it.
#[test]
fn what_lives_through_a_loop_is_spilled_around_it() {
    let load = |d: u32| MInst { imm: d, ..MInst::new(Op::S2R, vec![VReg(d)], Loc::default()) };
    let helper = |d: u32| MInst { op: Op::Popc, a: Some(VReg(0)), ..load(d) };
    // 1 to 5 live through the loop of block 1, in which 6 to 10 are added up in 11.
    let entry = std::iter::once(load(0)).chain((1..11).map(helper)).collect();
    let body = (6..11).map(|v| alu(if v == 6 { 12 } else { 6 + v }, if v == 6 { 11 } else { 5 + v }, v)).collect();
    let after = (1..6).map(|v| alu(20 + v, if v == 1 { 11 } else { 19 + v }, v)).collect();
    let branch = Term::Branch { cond: VReg(16), negate: false, then: 2, other: 3 };
    let f = MFunc {
        blocks: vec![
            block(entry, vec![(VReg(11), Operand::Imm(0))], Term::Jump(1), 0),
            block(body, vec![], branch, 1),
            block(vec![], vec![(VReg(11), Operand::Reg(VReg(16)))], Term::Jump(1), 1),
            block(after, vec![], Term::Branch { cond: VReg(25), negate: false, then: 4, other: 4 }, 0),
            block(vec![], vec![], Term::End, 0),
        ],
        vregs: 26,
        frame: 0,
        stack_pointer: None,
    };
    // Twelve live at once and the frame's address, in nine registers.
    let (g, _) = split(&f, 9, None).unwrap();
    let count = |b: usize, op: Op| g.blocks[b].insts.iter().filter(|m| m.spill && m.op == op).count();
    assert!([1, 2].iter().all(|&b| g.blocks[b].insts.iter().all(|m| !m.spill)));
    assert_eq!([count(0, Op::St32), count(3, Op::Ld32)], [4, 4], "{:?}", g.blocks);
    assert!(super::super::liveness::pressure(&g) <= 9);
}
