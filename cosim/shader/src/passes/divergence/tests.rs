//! One test for each rule, by name, and random programs run warp by warp against what the analysis
//! says of them.

use super::*;
use crate::passes::{inline, mem2reg, pipeline, Options};
use crate::random::ssa::generate;
use crate::ssa::dominance::Dominance;
use crate::ssa::{lockstep, AtomicOp, Loc, Target, Width};

const LOC: Loc = Loc::at(0, 0, 0);

/// Builds functions block by block.
struct B {
    f: Func,
}

impl B {
    /// `n` blocks in layout order.
    fn new(n: usize) -> B {
        let mut f = Func { name: "f".into(), ..Default::default() };
        for _ in 0..n {
            f.new_block();
        }
        B { f }
    }
    fn one(&mut self, b: u32, kind: Kind) -> Value {
        self.f.push(Block(b), kind, 1, LOC)[0]
    }
    fn c(&mut self, b: u32, c: u32) -> Value {
        self.one(b, Kind::Const(c))
    }
    fn alu(&mut self, b: u32, op: Op, args: &[Value]) -> Value {
        self.one(b, Kind::Alu(op, args.to_vec()))
    }
    fn with(&mut self, b: u32, op: Op, a: Value, c: u32) -> Value {
        let c = self.c(b, c);
        self.alu(b, op, &[a, c])
    }
    fn special(&mut self, b: u32, s: Special) -> Value {
        self.one(b, Kind::Special(s))
    }
    fn load(&mut self, b: u32, addr: Value) -> Value {
        self.one(b, Kind::Load { space: Space::Global, width: Width::W32, addr, offset: 0 })
    }
    fn param(&mut self, b: u32) -> Value {
        let v = self.f.new_value();
        self.f.blocks[b as usize].params.push(v);
        v
    }
    fn jump(&mut self, b: u32, to: u32, args: &[Value]) {
        self.f.push(Block(b), Kind::Jump(target(to, args)), 0, LOC);
    }
    fn branch(&mut self, b: u32, cond: Value, then: (u32, &[Value]), other: (u32, &[Value])) {
        let kind = Kind::Branch { cond, then: target(then.0, then.1), other: target(other.0, other.1) };
        self.f.push(Block(b), kind, 0, LOC);
    }
    fn end(&mut self, b: u32) {
        self.f.push(Block(b), Kind::Return(vec![]), 0, LOC);
    }
    /// Whether each value is uniform in block `b`.
    fn uniform(&self, b: u32, values: &[Value]) -> Vec<bool> {
        self.sized(b, values, Some([64, 1, 1]))
    }
    fn sized(&self, b: u32, values: &[Value], size: Option<[u32; 3]>) -> Vec<bool> {
        crate::ssa::verify::verify(&self.f).unwrap();
        let d = Divergence::new(&self.f, size);
        values.iter().map(|v| d.uniform(*v, Block(b))).collect()
    }
}

fn target(b: u32, args: &[Value]) -> Target {
    Target { block: Block(b), args: args.to_vec() }
}

#[test]
fn lane_numbers_differ_and_group_numbers_and_constants_do_not() {
    let mut b = B::new(1);
    use Special::*;
    let v: Vec<Value> = [Lane, LocalId, LocalIndex, ThreadSlot, GroupX, GroupY, GroupZ, Warp, Unit, SharedBase]
        .map(|s| b.special(0, s))
        .into();
    let c = b.one(0, Kind::ConstWord(5));
    b.end(0);
    assert_eq!(b.uniform(0, &v), [false, false, false, false, true, true, true, true, true, true]);
    assert_eq!(b.uniform(0, &[c]), [true]);
}

#[test]
fn uniform_in_a_warp_is_not_uniform_in_the_group() {
    let mut b = B::new(1);
    let i = b.special(0, Special::LocalIndex);
    let quarter = b.with(0, Op::Shr, i, 2);
    let half = b.with(0, Op::Shr, i, 1);
    let masked = b.with(0, Op::And, i, !3);
    let low = b.with(0, Op::And, i, 7);
    b.end(0);
    assert_eq!(b.uniform(0, &[quarter, half, masked, low]), [true, false, true, false]);
}

/// Number in the launch = group * 64 + number in the group: the sum has no carry out of the two low
/// bits.
#[test]
fn numbers_in_the_launch_divided_by_four_are_uniform() {
    let mut b = B::new(1);
    let g = b.special(0, Special::GroupX);
    let id = b.special(0, Special::LocalId);
    let x = b.with(0, Op::UBfe, id, 10 << 8);
    let n = b.c(0, 64);
    let whole = b.alu(0, Op::IMad, &[g, n, x]);
    let quarter = b.with(0, Op::Shr, whole, 2);
    let odd = b.with(0, Op::IMul, g, 6);
    let other = b.alu(0, Op::IAdd, &[odd, x]);
    let carried = b.with(0, Op::Shr, other, 2);
    let y = b.with(0, Op::UBfe, id, 10 | 10 << 8);
    b.end(0);
    assert_eq!(b.uniform(0, &[whole, quarter, carried]), [false, true, false]);
    // Rows of a group that is two wide: x and y both differ in a warp.
    assert_eq!(b.sized(0, &[y], Some([8, 8, 1])), [true]);
    assert_eq!(b.sized(0, &[y], Some([2, 8, 1])), [false]);
    assert_eq!(b.sized(0, &[y, quarter], None), [false, false]);
}

#[test]
fn a_bound_that_is_a_multiple_of_four_keeps_warps_together() {
    let mut b = B::new(1);
    let i = b.special(0, Special::LocalIndex);
    let whole = b.with(0, Op::USetLt, i, 24);
    let split = b.with(0, Op::USetLt, i, 25);
    let through = b.with(0, Op::USetLe, i, 23);
    let clamped = b.with(0, Op::UMin, i, 21);
    let quarter = b.with(0, Op::Shr, clamped, 2);
    b.end(0);
    assert_eq!(b.uniform(0, &[whole, split, through, clamped, quarter]), [true, false, true, false, true]);
}

#[test]
fn a_load_is_uniform_if_its_address_is() {
    let mut b = B::new(1);
    let a = b.one(0, Kind::ConstWord(8));
    let i = b.special(0, Special::Lane);
    let own = b.alu(0, Op::IAdd, &[a, i]);
    let (same, other) = (b.load(0, a), b.load(0, own));
    let shared = b.one(0, Kind::Load { space: Space::Shared, width: Width::W32, addr: a, offset: 0 });
    let stack = b.one(0, Kind::Load { space: Space::Stack, width: Width::W32, addr: a, offset: 0 });
    b.end(0);
    assert_eq!(b.uniform(0, &[same, other, shared, stack]), [true, false, true, false]);
}

#[test]
fn results_of_per_lane_atomics_differ_and_of_warp_wide_ones_do_not() {
    let mut b = B::new(1);
    let a = b.one(0, Kind::ConstWord(8));
    let atomic = |warp_wide| Kind::Atomic {
        space: Space::Global,
        warp_wide,
        op: AtomicOp::Add,
        addr: a,
        offset: 0,
        values: vec![a],
        expected: vec![],
    };
    let (own, common) = (b.one(0, atomic(false)), b.one(0, atomic(true)));
    b.end(0);
    assert_eq!(b.uniform(0, &[own, common]), [false, true], "a warp-wide one has one result");
}

#[test]
fn reductions_ballots_and_shuffles_from_one_lane_are_uniform_and_scans_are_not() {
    let mut b = B::new(1);
    let i = b.special(0, Special::Lane);
    let two = b.c(0, 2);
    let mut across = |op, args: &[Value]| b.one(0, Kind::CrossLane { op, args: args.to_vec() });
    let broadcast = across(Op::QShuf, &[i, two]);
    let other = across(Op::QShuf, &[i, i]);
    let (sum, prefix, ballot) = (across(Op::WRedAdd, &[i]), across(Op::WScanAdd, &[two]), across(Op::WBallot, &[i]));
    let slope = b.alu(0, Op::Ddx, &[broadcast]);
    b.end(0);
    assert_eq!(b.uniform(0, &[broadcast, other, slope]), [true, false, false]);
    assert_eq!(b.uniform(0, &[sum, prefix, ballot]), [true, false, true]);
}

/// if cond { x } else { y } with uniform x and y.
fn diamond(cond: Special) -> (B, Vec<Value>) {
    let mut b = B::new(4);
    let c = b.special(0, cond);
    let (x, y) = (b.one(0, Kind::ConstWord(1)), b.one(0, Kind::ConstWord(2)));
    b.branch(0, c, (1, &[]), (2, &[]));
    b.jump(1, 3, &[x, x]);
    b.jump(2, 3, &[y, x]);
    let (p, q) = (b.param(3), b.param(3));
    b.end(3);
    (b, vec![p, q])
}

#[test]
fn where_lanes_meet_different_arguments_differ() {
    let (b, v) = diamond(Special::Lane);
    assert_eq!(b.uniform(3, &v), [false, true], "the second has one argument on both ways");
    let (b, v) = diamond(Special::GroupX);
    assert_eq!(b.uniform(3, &v), [true, true]);
}

/// A uniform diamond behind a divergent one: all lanes have met and take the same way again.
#[test]
fn a_uniform_branch_behind_a_meeting_point_is_no_meeting_point() {
    let mut b = B::new(7);
    let (lane, g) = (b.special(0, Special::Lane), b.special(0, Special::GroupX));
    let y = b.one(0, Kind::ConstWord(2));
    b.branch(0, lane, (1, &[]), (2, &[]));
    b.jump(1, 3, &[]);
    b.jump(2, 3, &[]);
    b.branch(3, g, (4, &[]), (5, &[]));
    b.jump(4, 6, &[g]);
    b.jump(5, 6, &[y]);
    let p = b.param(6);
    b.end(6);
    assert_eq!(b.uniform(6, &[p]), [true]);
}

/// loop { i += 1; v = load[i]; if stop { break } } use i, v. Blocks: 0 entry, 1 body and latch, 2
/// behind.
fn counting(stop: Special) -> (B, Vec<Value>) {
    let mut b = B::new(3);
    let limit = b.special(0, stop);
    let word = b.one(0, Kind::ConstWord(3));
    b.jump(0, 1, &[word]);
    let i = b.param(1);
    let next = b.with(1, Op::IAdd, i, 1);
    let v = b.load(1, next);
    let more = b.alu(1, Op::USetLt, &[next, limit]);
    b.branch(1, more, (1, &[next]), (2, &[next]));
    let p = b.param(2);
    b.end(2);
    (b, vec![i, v, p])
}

#[test]
fn a_value_of_a_loop_differs_behind_a_divergent_exit() {
    let (b, v) = counting(Special::LocalIndex);
    assert_eq!(b.uniform(1, &v[..2]), [true, true], "in each turn it is one value");
    assert_eq!(b.uniform(2, &v), [false, false, false], "lanes left in different turns");
    let (b, v) = counting(Special::GroupY);
    assert_eq!(b.uniform(2, &v), [true, true, true]);
}

/// The way out of the loop is an arm that computes something, inside the range of the loop.
#[test]
fn code_of_a_break_belongs_to_the_turn() {
    let mut b = B::new(5);
    let (lane, a) = (b.special(0, Special::Lane), b.one(0, Kind::ConstWord(3)));
    b.jump(0, 1, &[a]);
    let i = b.param(1);
    let stop = b.alu(1, Op::ISetEq, &[i, lane]);
    b.branch(1, stop, (2, &[]), (3, &[]));
    let v = b.load(2, a);
    let fixed = b.with(2, Op::IAdd, a, 1);
    b.jump(2, 4, &[]);
    let next = b.with(3, Op::IAdd, i, 1);
    b.jump(3, 1, &[next]);
    b.end(4);
    assert_eq!(b.uniform(2, &[v, i]), [true, true]);
    assert_eq!(
        b.uniform(4, &[v, fixed]),
        [false, true],
        "a load of another turn may give another word; a sum of constants not"
    );
}

#[test]
fn two_exits_meet_with_different_arguments() {
    let mut b = B::new(5);
    let (lane, x, y) = (b.special(0, Special::Lane), b.one(0, Kind::ConstWord(3)), b.one(0, Kind::ConstWord(4)));
    b.jump(0, 1, &[x]);
    let i = b.param(1);
    let done = b.with(1, Op::USetGt, i, 9);
    b.branch(1, done, (4, &[x]), (2, &[]));
    let stop = b.alu(2, Op::ISetEq, &[i, lane]);
    b.branch(2, stop, (4, &[y]), (3, &[]));
    let next = b.with(3, Op::IAdd, i, 1);
    b.jump(3, 1, &[next]);
    let p = b.param(4);
    b.end(4);
    assert_eq!(b.uniform(4, &[p, x]), [false, true]);
}

/// Lanes that skip a part of the body meet before the edge back: the exit stays uniform.
#[test]
fn a_divergent_branch_inside_a_loop_does_not_make_its_exit_divergent() {
    let mut b = B::new(5);
    let (lane, g) = (b.special(0, Special::Lane), b.special(0, Special::GroupX));
    b.jump(0, 1, &[g]);
    let i = b.param(1);
    b.branch(1, lane, (2, &[]), (3, &[]));
    b.jump(2, 3, &[]);
    let next = b.with(3, Op::IAdd, i, 1);
    let more = b.with(3, Op::USetLt, next, 100);
    b.branch(3, more, (1, &[next]), (4, &[]));
    b.end(4);
    assert_eq!(b.uniform(4, &[i, next]), [true, true]);
}

/// An early return takes lanes away, not apart.
#[test]
fn lanes_that_end_do_not_make_values_differ() {
    let mut b = B::new(4);
    let (lane, g) = (b.special(0, Special::Lane), b.special(0, Special::GroupX));
    b.jump(0, 1, &[g]);
    let i = b.param(1);
    b.branch(1, lane, (2, &[]), (3, &[]));
    b.end(2);
    let next = b.with(3, Op::IAdd, i, 1);
    let more = b.with(3, Op::USetLt, next, 100);
    let last = b.f.new_block();
    b.branch(3, more, (1, &[next]), (last.0, &[]));
    b.end(last.0);
    assert_eq!(b.uniform(last.0, &[i, next]), [true, true]);
}

/// Two edges back: lanes that take the first run ahead of those in the rest of the body.
#[test]
fn a_loop_with_two_edges_back_is_not_in_step() {
    let mut b = B::new(4);
    let (lane, g) = (b.special(0, Special::Lane), b.special(0, Special::GroupX));
    b.jump(0, 1, &[g]);
    let i = b.param(1);
    let next = b.with(1, Op::IAdd, i, 1);
    let fixed = b.with(1, Op::IAdd, g, 1);
    b.branch(1, lane, (1, &[next]), (2, &[]));
    let more = b.with(2, Op::USetLt, next, 100);
    b.branch(2, more, (1, &[next]), (3, &[]));
    b.end(3);
    assert_eq!(b.uniform(2, &[i, fixed]), [false, true]);
    assert!(!Divergence::new(&b.f, None).shape.in_step);
}

/// A barrier that only some lanes come to takes the others out of step; behind an early return, or
/// where lanes have met again, it does not.
#[test]
fn a_barrier_in_a_divergent_arm_is_not_in_step() {
    let build = |inside: bool, early: bool| {
        let mut b = B::new(4);
        let lane = b.special(0, Special::Lane);
        let a = b.one(0, Kind::ConstWord(3));
        b.branch(0, lane, (1, &[]), (2, &[]));
        if inside {
            b.f.push(Block(1), Kind::Barrier, 0, LOC);
        }
        if early {
            b.end(1);
        } else {
            b.jump(1, 2, &[]);
        }
        if !inside {
            b.f.push(Block(2), Kind::Barrier, 0, LOC);
        }
        let v = b.load(2, a);
        b.jump(2, 3, &[]);
        b.end(3);
        b.uniform(3, &[v])
    };
    assert_eq!(build(true, false), [false]);
    assert_eq!(build(false, false), [true]);
    assert_eq!(build(false, true), [true]);
}

#[test]
fn a_number_of_its_own_for_each_lane_is_known() {
    let mut b = B::new(1);
    let (i, g) = (b.special(0, Special::LocalIndex), b.special(0, Special::GroupX));
    let n = b.c(0, 12);
    let id = b.alu(0, Op::IMad, &[i, n, g]);
    let launch = b.alu(0, Op::IMad, &[g, n, i]);
    let lost = b.with(0, Op::Shr, i, 1);
    let loaded = b.load(0, id);
    b.end(0);
    let d = Divergence::new(&b.f, None);
    assert_eq!([i, id, launch].map(|v| d.distinct(v, Block(0))), [true, true, true]);
    assert_eq!([lost, loaded, g].map(|v| d.distinct(v, Block(0))), [false, false, false]);
}

/// Runs the entry function of a random program on warps and compares every execution with the
/// analysis. Values seen equal where the analysis says so, and executions.
fn check(seed: u64, optimised: bool) -> (u64, u64) {
    let program = generate(seed);
    let mut module = program.module.clone();
    if optimised {
        pipeline::optimise(&mut module, program.entry, &Options::default()).unwrap();
    } else {
        for f in inline::call_order(&module, program.entry).unwrap() {
            inline::inline_calls(&mut module, f);
        }
        mem2reg::run(&mut module.funcs[program.entry.index()], &Options::default());
    }
    let func = &module.funcs[program.entry.index()];
    let d = Divergence::new(func, Some(program.launch.group_size));
    let dom = Dominance::new(func);
    let blocks = crate::passes::def_blocks(func);
    let (mut claims, mut executions) = (0, 0);
    let mut memory = program.memory.clone();
    let mut observe = |b: Block, i: usize, lanes: &[lockstep::Lane], active: &[usize]| {
        executions += 1;
        let insts = &func.blocks[b.index()].insts;
        let visible: Vec<Value> = match i {
            0 => (0..func.values)
                .map(Value)
                .filter(|v| blocks[v.index()].is_some_and(|d| d != b && dom.dominates(d, b)))
                .chain(func.blocks[b.index()].params.iter().copied())
                .collect(),
            _ => insts[i - 1].results.clone(),
        };
        for v in visible {
            let values: Vec<u32> = active.iter().map(|&l| lanes[l].values[v.index()]).collect();
            let real = values.iter().fold(0, |x, y| x | (y ^ values[0]));
            let said = d.differs(v, b);
            assert_eq!(real & !said, 0, "seed {seed}: {v} in {b} is {values:x?}, may differ in {said:x}\n{func}");
            claims += u64::from(said != ALL && active.len() > 1);
            if d.distinct(v, b) {
                let all = (0..values.len()).all(|i| (0..i).all(|j| values[i] != values[j]));
                assert!(all, "seed {seed}: {v} in {b} is {values:x?}, not distinct");
            }
        }
    };
    lockstep::run(func, &program.launch, &mut memory, seed, &mut observe)
        .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    // The same counters and windows as when lanes run one after the other.
    let want = program.run(&module).unwrap().0;
    assert_eq!(memory, want, "seed {seed}");
    (claims, executions)
}

#[test]
fn random_programs_never_differ_where_they_may_not() {
    let (mut claims, mut executions) = (0, 0);
    for seed in 0..400 {
        for optimised in [false, true] {
            let (c, e) = check(seed, optimised);
            claims += c;
            executions += e;
        }
    }
    assert!(claims > executions, "{claims} claims in {executions} executions: the analysis says almost nothing");
}
