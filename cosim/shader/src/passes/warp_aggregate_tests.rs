//! The rewriting on SSA level: edge cases that no shading language reaches by itself, and random
//! programs on warps. What shaders see is in `tests/warp_aggregate.rs`.

use super::*;
use crate::passes::pipeline;
use crate::random::ssa::generate;
use crate::ssa::lockstep;
use crate::ssa::{interp::Launch, Target, Width};
use quadlock_isa::Special;

const LOC: Loc = Loc::at(0, 3, 1);

fn options() -> Options {
    Options { warp_wide: true, group_size: Some([8, 1, 1]), ..Default::default() }
}

fn one(f: &mut Func, b: u32, kind: Kind) -> Value {
    f.push(Block(b), kind, 1, LOC)[0]
}

fn alu(f: &mut Func, b: u32, op: Op, args: &[Value]) -> Value {
    one(f, b, Kind::Alu(op, args.to_vec()))
}

fn atomic(f: &mut Func, b: u32, op: AtomicOp, addr: Value, value: Value) -> Value {
    let (values, expected) = (vec![value], vec![]);
    one(f, b, Kind::Atomic { space: Space::Global, warp_wide: false, op, addr, offset: 0, values, expected })
}

fn function(blocks: u32) -> Func {
    let mut f = Func { name: "f".into(), ..Default::default() };
    for _ in 0..blocks {
        f.new_block();
    }
    f
}

/// Block 0 branches on `cond` to block 1 with an addition to one counter, and both go to block 2.
fn guarded(cond: &dyn Fn(&mut Func) -> Value) -> Func {
    let mut f = function(3);
    let cond = cond(&mut f);
    let addr = one(&mut f, 0, Kind::ConstWord(4));
    let to = |b| Target { block: Block(b), args: vec![] };
    f.push(Block(0), Kind::Branch { cond, then: to(1), other: to(2) }, 0, LOC);
    atomic(&mut f, 1, AtomicOp::Add, addr, addr);
    f.push(Block(1), Kind::Jump(to(2)), 0, LOC);
    f.push(Block(2), Kind::Return(vec![]), 0, LOC);
    f
}

fn texts(mut f: Func, options: &Options) -> Vec<String> {
    crate::ssa::verify::verify(&f).unwrap();
    let notes = run(&mut f, options);
    crate::ssa::verify::verify(&f).unwrap_or_else(|e| panic!("{e}\n{f}"));
    notes.into_iter().map(|n| n.text).collect()
}

/// Elect as the front ends make it: the lane's number is that of the lowest bit of the ballot of
/// all.
#[test]
fn already_guarded_by_elect_is_left_alone() {
    let f = guarded(&|f| {
        let lane = one(f, 0, Kind::Special(Special::Lane));
        let yes = one(f, 0, Kind::Const(1));
        let all = one(f, 0, Kind::CrossLane { op: Op::WBallot, args: vec![yes] });
        let first = alu(f, 0, Op::Ctz, &[all]);
        alu(f, 0, Op::ISetEq, &[lane, first])
    });
    assert_eq!(texts(f, &options()), ["per lane: one lane only comes here"]);
}

#[test]
fn already_guarded_by_a_number_is_left_alone() {
    let equal = |s: Special, op: Op, c: u32| {
        guarded(&move |f: &mut Func| {
            let i = one(f, 0, Kind::Special(s));
            let c = one(f, 0, Kind::Const(c));
            alu(f, 0, op, &[i, c])
        })
    };
    for s in [Special::Lane, Special::LocalIndex, Special::LocalId] {
        assert_eq!(texts(equal(s, Op::ISetEq, 2), &options()), ["per lane: one lane only comes here"], "{s:?}");
        assert_eq!(texts(equal(s, Op::USetLt, 1), &options()), ["per lane: one lane only comes here"], "{s:?}");
    }
    // The group's number is one for all: every lane comes.
    assert!(texts(equal(Special::GroupX, Op::ISetEq, 2), &options())[0].starts_with("warp-wide: add"));
    // Each lane but one.
    assert!(texts(equal(Special::Lane, Op::ISetNe, 2), &options())[0].starts_with("warp-wide: add"));
}

#[test]
fn helper_lanes_take_no_part() {
    let f = guarded(&|f| one(f, 0, Kind::Special(Special::GroupX)));
    let options = Options { helper_lanes: true, ..options() };
    assert_eq!(texts(f, &options), ["per lane: helper lanes may be active, and take no part in atomics"]);
}

#[test]
fn it_can_be_switched_off() {
    let f = || guarded(&|f| one(f, 0, Kind::Special(Special::GroupX)));
    let off = ["per lane: the automatic form is switched off"];
    assert_eq!(texts(f(), &Options { warp_wide: false, ..options() }), off);
    assert_eq!(texts(f(), &Options { skip: vec![NAME.into()], ..options() }), off);
    assert!(texts(f(), &options())[0].starts_with("warp-wide"));
}

/// In a loop lanes can come late, and a machine that gives them a kept result would lose their
/// additions (WW-27).
#[test]
fn ww_27_none_is_made_in_a_loop_where_late_lanes_get_a_kept_result() {
    let looped = || {
        let mut f = function(3);
        let to = |b| Target { block: Block(b), args: vec![] };
        let addr = one(&mut f, 0, Kind::ConstWord(4));
        f.push(Block(0), Kind::Jump(to(1)), 0, LOC);
        atomic(&mut f, 1, AtomicOp::Add, addr, addr);
        f.push(Block(1), Kind::Branch { cond: addr, then: to(1), other: to(2) }, 0, LOC);
        f.push(Block(2), Kind::Return(vec![]), 0, LOC);
        f
    };
    let straight = || guarded(&|f| one(f, 0, Kind::Special(Special::GroupX)));
    let late = Options { late_stored: true, ..options() };
    let why = "per lane: in a loop, where lanes that come late would get a kept result (warp-wide-late=stored)";
    assert_eq!(texts(looped(), &late), [why]);
    for (f, options) in [(looped(), options()), (straight(), late)] {
        assert!(texts(f, &options)[0].starts_with("warp-wide"));
    }
}

#[test]
fn an_explicit_one_is_reported_as_written() {
    let mut f = guarded(&|f| one(f, 0, Kind::Special(Special::GroupX)));
    if let Kind::Atomic { warp_wide, .. } = &mut f.blocks[1].insts[0].kind {
        *warp_wide = true;
    }
    assert_eq!(texts(f, &options()), ["warp-wide: add, as written"]);
}

/// Each invocation does `op` on one word with its own operand (or the same for all) and stores what
/// it got; lanes of `mask` only. Words: the atomic's, then the results.
fn observed(op: AtomicOp, uniform: bool, mask: u32, start: u32, wide: bool) -> (Vec<u32>, u64) {
    let mut f = function(3);
    let i = one(&mut f, 0, Kind::Special(Special::LocalIndex));
    let lane = one(&mut f, 0, Kind::Special(Special::Lane));
    let mask = one(&mut f, 0, Kind::Const(mask));
    let bit = alu(&mut f, 0, Op::Shr, &[mask, lane]);
    let yes = one(&mut f, 0, Kind::Const(1));
    let cond = alu(&mut f, 0, Op::And, &[bit, yes]);
    let to = |b| Target { block: Block(b), args: vec![] };
    f.push(Block(0), Kind::Branch { cond, then: to(1), other: to(2) }, 0, LOC);
    let zero = one(&mut f, 1, Kind::Const(0));
    let factor = one(&mut f, 1, Kind::Const(0x9E37_79B9));
    let value = match uniform {
        true => one(&mut f, 1, Kind::Const(0xF0F0_1234)),
        false => alu(&mut f, 1, Op::IMad, &[i, factor, factor]),
    };
    let old = atomic(&mut f, 1, op, zero, value);
    let four = one(&mut f, 1, Kind::Const(4));
    let at = alu(&mut f, 1, Op::IMad, &[i, four, four]);
    let store = Kind::Store { space: Space::Global, width: Width::W32, addr: at, offset: 0, values: vec![old] };
    f.push(Block(1), store, 0, LOC);
    f.push(Block(1), Kind::Jump(to(2)), 0, LOC);
    f.push(Block(2), Kind::Return(vec![]), 0, LOC);
    if wide {
        let notes = run(&mut f, &Options { group_size: Some([4, 1, 1]), ..options() });
        assert!(notes[0].warp_wide || op == AtomicOp::Xchg && !uniform, "{notes:?}");
    }
    crate::ssa::verify::verify(&f).unwrap();
    let mut memory = vec![0; 20];
    memory[..4].copy_from_slice(&start.to_le_bytes());
    let launch = Launch { group_size: [4, 1, 1], ..Default::default() };
    let counts = lockstep::run(&f, &launch, &mut memory, 1, &mut |_, _, _, _| ()).unwrap();
    (memory.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect(), counts.atomics)
}

/// The order of the lanes is the order in which a per-lane atomic is performed, so with one warp
/// the results are equal, not only legal: wrapping sums and signed extremes included.
#[test]
fn every_operation_gives_each_lane_its_own_result_under_every_mask() {
    use AtomicOp::*;
    for op in [Add, Sub, And, Or, Xor, SMin, SMax, UMin, UMax, Xchg] {
        for uniform in [false, true] {
            for mask in 0..16u32 {
                for start in [0, 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX, 0x1234_5678] {
                    let (want, turns) = observed(op, uniform, mask, start, false);
                    let (got, once) = observed(op, uniform, mask, start, true);
                    assert_eq!(got, want, "{op:?}, uniform {uniform}, mask {mask:#b}, from {start:#x}");
                    let expected = if op == Xchg && !uniform { turns } else { turns.min(1) };
                    assert_eq!((turns, once), (u64::from(mask.count_ones()), expected));
                }
            }
        }
    }
}

/// Counters of random programs end as without the pass, over loops, nested branches and partial
/// masks.
#[test]
fn random_programs_do_the_same_with_fewer_transactions() {
    let (mut wide, mut before, mut after) = (0, 0, 0);
    for seed in 2000..2300 {
        let program = generate(seed);
        let mut module = program.module.clone();
        let plain = Options { group_size: Some(program.launch.group_size), ..Default::default() };
        pipeline::optimise(&mut module, program.entry, &plain).unwrap();
        let mut func = module.funcs[program.entry.index()].clone();
        let execute = |f: &Func| {
            let mut memory = program.memory.clone();
            let counts = lockstep::run(f, &program.launch, &mut memory, seed, &mut |_, _, _, _| ());
            (memory, counts.unwrap_or_else(|e| panic!("seed {seed}: {e}")).atomics)
        };
        let (want, turns) = execute(&func);
        wide += run(&mut func, &Options { warp_wide: true, ..plain }).iter().filter(|n| n.warp_wide).count();
        crate::ssa::verify::verify(&func).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{func}"));
        let (got, once) = execute(&func);
        assert_eq!(got, want, "seed {seed}\n{func}");
        before += turns;
        after += once;
    }
    assert!(wide > 50 && after < before, "{wide} rewritten, {before} transactions became {after}");
}
