//! What the interpreter does, on programs of a few instructions.

use super::*;
use crate::ssa::{AtomicOp, Loc, Width};

const LOC: Loc = Loc::at(0, 0, 0);

struct Builder {
    f: Func,
    b: Block,
}
impl Builder {
    fn new() -> Builder {
        let mut f = Func { name: "main".into(), ..Default::default() };
        let b = f.new_block();
        Builder { f, b }
    }
    fn one(&mut self, kind: Kind) -> Value {
        self.f.push(self.b, kind, 1, LOC)[0]
    }
    fn alu(&mut self, op: Op, args: &[Value]) -> Value {
        self.one(Kind::Alu(op, args.to_vec()))
    }
    fn none(&mut self, kind: Kind) {
        self.f.push(self.b, kind, 0, LOC);
    }
    fn store(&mut self, space: Space, addr: Value, value: Value) {
        self.none(Kind::Store { space, width: Width::W32, addr, offset: 0, values: vec![value] });
    }
    fn run(mut self, launch: &Launch, memory: &mut [u8]) -> Result<Outcome, String> {
        self.none(Kind::Return(vec![]));
        crate::ssa::verify::verify(&self.f)?;
        run(&Module { funcs: vec![self.f], files: vec![] }, FuncId(0), launch, memory)
    }
}

fn words(memory: &[u8]) -> Vec<u32> {
    memory.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Each invocation writes its number to shared memory, and after the barrier reads its right
/// neighbour's.
#[test]
fn barrier_lets_neighbours_talk() {
    let mut b = Builder::new();
    let four = b.one(Kind::Const(4));
    let i = b.one(Kind::Special(Special::LocalIndex));
    let at = b.alu(Op::IMul, &[i, four]);
    b.store(Space::Shared, at, i);
    b.none(Kind::Barrier);
    let load = Kind::Load { space: Space::Shared, width: Width::W32, addr: at, offset: 4 };
    let v = b.one(load);
    b.store(Space::Global, at, v);
    let launch = Launch { group_size: [6, 1, 1], shared_bytes: 24, ..Default::default() };
    let mut memory = vec![0; 24];
    b.run(&launch, &mut memory).unwrap();
    assert_eq!(words(&memory), [1, 2, 3, 4, 5, 0]);
}

#[test]
fn quad_operations_see_all_four_lanes() {
    let mut b = Builder::new();
    let four = b.one(Kind::Const(4));
    let three = b.one(Kind::Const(3));
    let i = b.one(Kind::Special(Special::LocalIndex));
    let at = b.alu(Op::IMul, &[i, four]);
    let other = b.alu(Op::ISub, &[three, i]);
    let q = b.one(Kind::CrossLane { op: Op::QShuf, args: vec![i, other] });
    let f = b.alu(Op::U2F, &[i]);
    let dy = b.alu(Op::Ddy, &[f]);
    let n = b.alu(Op::F2I, &[dy]);
    let sum = b.alu(Op::IMad, &[n, at, q]);
    b.store(Space::Global, at, sum);
    let mut memory = vec![0; 16];
    b.run(&Launch { group_size: [4, 1, 1], ..Default::default() }, &mut memory).unwrap();
    assert_eq!(words(&memory), [3, 2 + 8, 1 + 16, 24], "dy is 2 everywhere");
}

/// Lanes 1 and 2 of four meet at the reductions; the others come to the warp-wide addition too,
/// which is done once.
#[test]
fn operations_of_the_warp_take_in_the_lanes_that_are_there() {
    let mut b = Builder::new();
    let four = b.one(Kind::Const(4));
    let i = b.one(Kind::Special(Special::LocalIndex));
    let at = b.alu(Op::IMul, &[i, four]);
    let three = b.one(Kind::Const(3));
    let odd = b.alu(Op::IMul, &[i, three]);
    let odd = b.alu(Op::And, &[odd, three]);
    let cond = {
        let one = b.one(Kind::Const(1));
        b.alu(Op::Shr, &[odd, one])
    };
    let (inner, after) = (b.f.new_block(), b.f.new_block());
    let to = |block| Target { block, args: vec![] };
    b.none(Kind::Branch { cond, then: to(inner), other: to(after) });
    b.b = inner;
    let across = |b: &mut Builder, op, v| b.one(Kind::CrossLane { op, args: vec![v] });
    let sum = across(&mut b, Op::WRedAdd, i);
    let before = across(&mut b, Op::WScanAdd, i);
    let who = across(&mut b, Op::WBallot, four);
    let packed = b.alu(Op::IMad, &[sum, four, before]);
    let packed = b.alu(Op::IMad, &[packed, four, before]);
    let packed = b.alu(Op::IMad, &[packed, four, who]);
    b.store(Space::Global, at, packed);
    b.none(Kind::Jump(to(after)));
    b.b = after;
    let counter = b.one(Kind::Const(16));
    let add = |op| Kind::Atomic {
        space: Space::Global,
        warp_wide: true,
        op,
        addr: counter,
        offset: 0,
        values: vec![four],
        expected: vec![],
    };
    let old = b.one(add(AtomicOp::Add));
    let lock = b.one(add(AtomicOp::Lock));
    let both = b.alu(Op::IMad, &[old, four, lock]);
    let twenty = b.one(Kind::Const(20));
    let at = b.alu(Op::IAdd, &[at, twenty]);
    b.store(Space::Global, at, both);
    let mut memory = vec![0; 36];
    b.run(&Launch { group_size: [4, 1, 1], ..Default::default() }, &mut memory).unwrap();
    let packed = |before: u32| ((3 * 4 + before) * 4 + before) * 4 + 0b110;
    assert_eq!(words(&memory), [0, packed(0), packed(1), 0, 4, 0, 0, 0, 0]);
}

#[test]
fn faults_and_limits_are_reported() {
    let mut b = Builder::new();
    let a = b.one(Kind::Const(100));
    b.store(Space::Global, a, a);
    assert_eq!(b.run(&Launch::default(), &mut [0; 8]).unwrap().faults, 1);
    let mut b = Builder::new();
    let s = b.f.new_slot(2, "x");
    let a = b.one(Kind::SlotAddr(s));
    b.none(Kind::Store { space: Space::Stack, width: Width::W32, addr: a, offset: 16, values: vec![a] });
    assert!(b.run(&Launch::default(), &mut []).unwrap_err().contains("outside of stack"));
    let mut b = Builder::new();
    let next = b.f.new_block();
    b.none(Kind::Jump(Target { block: next, args: vec![] }));
    b.b = next;
    b.none(Kind::Jump(Target { block: next, args: vec![] }));
    let m = Module { funcs: vec![b.f], files: vec![] };
    let e = run(&m, FuncId(0), &Launch { step_limit: 1000, ..Default::default() }, &mut []).unwrap_err();
    assert!(e.contains("no end"), "{e}");
}

#[test]
fn narrow_accesses_extend_and_align() {
    let mut b = Builder::new();
    let zero = b.one(Kind::Const(0));
    let v = b.one(Kind::Load { space: Space::Global, width: Width::S16, addr: zero, offset: 3 });
    let u = b.one(Kind::Load { space: Space::Global, width: Width::U8, addr: zero, offset: 3 });
    let both = b.alu(Op::IAdd, &[v, u]);
    b.none(Kind::Store { space: Space::Global, width: Width::W64, addr: zero, offset: 13, values: vec![both, u] });
    let mut memory = vec![0x80, 0x81, 0x82, 0xFF, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9];
    b.run(&Launch::default(), &mut memory).unwrap();
    assert_eq!(words(&memory)[2..], [0xFFFF_FF82_u32.wrapping_add(0xFF), 0xFF]);
}

#[test]
fn calls_return_several_values_and_frames_are_apart() {
    let mut g = Func { name: "swap".into(), results: 2, ..Default::default() };
    let s = g.new_slot(1, "t");
    let b = g.new_block();
    let (x, y) = (g.new_value(), g.new_value());
    g.blocks[0].params = vec![x, y];
    g.push(b, Kind::SlotStore { slot: s, word: 0, value: x }, 0, LOC);
    let t = g.push(b, Kind::SlotLoad { slot: s, word: 0 }, 1, LOC)[0];
    g.push(b, Kind::Return(vec![y, t]), 0, LOC);
    let mut b = Builder::new();
    let s = b.f.new_slot(1, "t");
    let (p, q) = (b.one(Kind::Const(4)), b.one(Kind::Const(8)));
    b.none(Kind::SlotStore { slot: s, word: 0, value: q });
    let r = b.f.push(b.b, Kind::Call { func: FuncId(1), args: vec![p, q] }, 2, LOC);
    let kept = b.one(Kind::SlotLoad { slot: s, word: 0 });
    b.store(Space::Global, p, r[0]);
    b.store(Space::Global, q, r[1]);
    b.store(Space::Global, kept, kept);
    b.none(Kind::Return(vec![]));
    let m = Module { funcs: vec![b.f, g], files: vec![] };
    crate::ssa::verify::verify_module(&m).unwrap();
    let mut memory = vec![0; 12];
    run(&m, FuncId(0), &Launch::default(), &mut memory).unwrap();
    assert_eq!(words(&memory), [0, 8, 8]);
}
