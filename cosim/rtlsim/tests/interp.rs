//! The interpreter: both evaluation paths agree on every operation, and each rule of state (edges,
//! write ports, resets, start values) on a graph made by hand.

use proptest::prelude::*;
use quadlock_rtlsim::backend::Backend;
use quadlock_rtlsim::graph::*;
use quadlock_rtlsim::interp::{small, wide, Interpreter};
use quadlock_rtlsim::start::start_value;
use quadlock_rtlsim::{Bits, Error, Options};

fn operation() -> impl Strategy<Value = (Op, u32, Vec<Bits>)> {
    let same = prop::sample::select(vec![
        Op::Not,
        Op::Neg,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::DivU,
        Op::RemU,
        Op::DivS,
        Op::RemS,
        Op::Shl,
        Op::Shr,
        Op::Sar,
        Op::RedAnd,
        Op::RedOr,
        Op::RedXor,
        Op::Eq,
        Op::Ne,
        Op::LtU,
        Op::LeU,
        Op::LtS,
        Op::LeS,
        Op::Mux,
        Op::Slice(0),
        Op::Concat,
        Op::ZExt,
        Op::SExt,
    ]);
    let word = || prop_oneof![any::<u64>(), Just(0), Just(u64::MAX), Just(1 << 63), 0..70u64];
    (same, 1..=64u32, 0..64u32, word(), word(), any::<bool>()).prop_map(|(op, w, k, a, b, c)| {
        let v = |x: u64| Bits::new(w, x);
        match op {
            Op::Not | Op::Neg => (op, w, vec![v(a)]),
            Op::RedAnd | Op::RedOr | Op::RedXor => (op, 1, vec![v(a)]),
            Op::Eq | Op::Ne | Op::LtU | Op::LeU | Op::LtS | Op::LeS => (op, 1, vec![v(a), v(if c { a } else { b })]),
            Op::Mux => (op, w, vec![Bits::bit(c), v(a), v(b)]),
            Op::Slice(_) => (Op::Slice(k % w), w - k % w, vec![v(a)]),
            Op::Concat => (
                op,
                w + k.min(64 - w),
                [vec![v(a)], (k.min(64 - w) > 0).then(|| Bits::new(k.min(64 - w).max(1), b)).into_iter().collect()]
                    .concat(),
            ),
            Op::ZExt | Op::SExt => (op, (w + k).min(64), vec![v(a)]),
            Op::Shl | Op::Shr | Op::Sar => (op, w, vec![v(a), Bits::new(1 + k, b)]),
            _ => (op, w, vec![v(a), v(b)]),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]
    #[test]
    fn narrow_path_agrees_with_plain_bits((op, width, args) in operation()) {
        let plain = wide(&op, width, &args);
        let short: Vec<(u64, u32)> = args.iter().map(|a| (a.to_u64(), a.width())).collect();
        prop_assert_eq!(plain.width(), width);
        prop_assert_eq!(Bits::new(width, small(&op, width, &short)), plain.clone());
        prop_assert_eq!(small(&op, width, &short), plain.to_u64(), "bits over the width");
    }
}

/// Builds graphs with a top scope, inputs, registers and one signal per named node.
struct Builder(Graph);

impl Builder {
    fn new() -> Self {
        let mut graph = Graph::default();
        graph.scopes.push(Scope { name: "top".into(), module: "top".into(), parent: None, constants: vec![] });
        Self(graph)
    }

    fn name(&mut self, name: &str, node: NodeId) -> NodeId {
        let width = self.0.width(node);
        self.0.signals.push(Signal {
            name: name.into(),
            scope: ScopeId(0),
            kind: SignalKind::Wire,
            width,
            signed: false,
            lsb: 0,
            value: Value::Node(node),
        });
        node
    }

    fn input(&mut self, name: &str, width: u32) -> NodeId {
        let id = InputId(self.0.inputs.len() as u32);
        let node = self.0.add(Op::Input(id), width, &[]);
        self.0.inputs.push(Input { name: name.into(), width, node });
        self.name(name, node)
    }

    fn register(&mut self, name: &str, width: u32, start: Start, clock: NodeId) -> (RegId, NodeId) {
        let id = RegId(self.0.registers.len() as u32);
        let node = self.0.add(Op::Reg(id), width, &[]);
        let edge = Edge { clock, rising: true };
        self.0.registers.push(Register {
            name: format!("top.{name}"),
            width,
            start,
            edge,
            next: node,
            asynchronous: Vec::new(),
        });
        self.name(name, node);
        (id, node)
    }

    fn constant(&mut self, width: u32, value: u64) -> NodeId {
        self.0.constant(Bits::new(width, value))
    }

    fn signal(&self, name: &str) -> SignalId {
        SignalId(self.0.signals.iter().position(|s| s.name == name).expect("a signal of the test") as u32)
    }

    fn run(&self) -> Interpreter {
        Interpreter::new(&self.0, &Options::default().trace_all()).expect("a good graph")
    }
}

fn zero(width: u32) -> Start {
    Start::Value(Bits::zero(width))
}

fn counter(width: u32) -> Builder {
    let mut b = Builder::new();
    let clock = b.input("clock", 1);
    let enable = b.input("enable", 1);
    let (r, q) = b.register("count", width, zero(width), clock);
    let one = b.constant(width, 1);
    let sum = b.0.add(Op::Add, width, &[q, one]);
    let next = b.0.add(Op::Mux, width, &[enable, sum, q]);
    b.0.registers[r.index()].next = next;
    b.name("next", next);
    b
}

#[test]
fn counter_counts_wraps_and_is_saved() {
    for width in [3, 64, 65] {
        let b = counter(width);
        let mut i = b.run();
        i.set_input(InputId(1), 1);
        i.run(0, 5);
        let saved = i.save();
        i.run(0, 4);
        assert_eq!(i.peek_u64(b.signal("count")), if width == 3 { 1 } else { 9 });
        i.load(&saved);
        i.settle();
        assert_eq!(i.peek(b.signal("next")), Bits::new(width, 6));
        i.set_input(InputId(1), 0);
        i.run(0, 3);
        assert_eq!(i.peek_u64(b.signal("count")), 5);
    }
}

#[test]
fn registers_of_all_domains_take_values_from_before_the_edge() {
    // two registers swap their values, each in a domain of its own; committed one after the other
    // without a settle between
    let mut b = Builder::new();
    let (c0, c1) = (b.input("c0", 1), b.input("c1", 1));
    let (x, xn) = b.register("x", 4, Start::Value(Bits::new(4, 1)), c0);
    let (y, yn) = b.register("y", 4, Start::Value(Bits::new(4, 2)), c1);
    b.0.registers[x.index()].next = yn;
    b.0.registers[y.index()].next = xn;
    let mut i = b.run();
    assert_eq!(i.domains().len(), 2);
    i.settle();
    i.commit(0);
    i.commit(1);
    i.settle();
    assert_eq!((i.peek_u64(b.signal("x")), i.peek_u64(b.signal("y"))), (2, 1));
}

#[test]
fn write_ports_apply_in_order_with_masks_and_bounds() {
    let mut b = Builder::new();
    let clock = b.input("clock", 1);
    let addr = b.input("addr", 4);
    let data = b.input("data", 8);
    let mask = b.input("mask", 8);
    let one = b.constant(1, 1);
    let edge = Edge { clock, rising: true };
    let first = WritePort { edge, enable: one, addr, data, mask: None, asynchronous: Vec::new() };
    let all_ones = b.constant(8, 0xff);
    let second = WritePort { edge, enable: one, addr, data: all_ones, mask: Some(mask), asynchronous: Vec::new() };
    b.0.memories.push(Memory {
        name: "top.m".into(),
        width: 8,
        depth: 10,
        init: vec![Some(Bits::new(8, 3))],
        start: zero(8),
        writes: vec![first, second],
    });
    let read = b.0.add(Op::MemRead(MemId(0)), 8, &[addr]);
    b.name("read", read);
    let mut i = b.run();
    i.settle();
    assert_eq!(i.peek_u64(b.signal("read")), 3);
    i.set_input(InputId(1), 9);
    i.set_input(InputId(2), 0x12);
    i.set_input(InputId(3), 0xf0);
    i.run(0, 1);
    i.settle();
    assert_eq!(i.peek_u64(b.signal("read")), 0xf2, "the second port wins, under its mask");
    i.set_input(InputId(1), 10);
    i.run(0, 1);
    i.settle();
    assert_eq!(i.peek_u64(b.signal("read")), 0, "outside the depth");
    assert_eq!(i.peek_memory(MemId(0), 9), Bits::new(8, 0xf2));
    i.poke_memory(MemId(0), 2, &Bits::new(8, 5));
    i.set_input(InputId(1), 2);
    i.settle();
    assert_eq!(i.peek_u64(b.signal("read")), 5);
}

/// Makes the counter `counter(8)` loadable: at the rising edge of `load` and at the clock's while
/// it is 1.
fn load(b: &mut Builder, load: NodeId, value: NodeId) {
    let next = b.0.registers[0].next;
    b.0.registers[0].next = b.0.add(Op::Mux, 8, &[load, value, next]);
    b.0.registers[0].asynchronous.push(Edge { clock: load, rising: true });
}

#[test]
fn asynchronous_reset_acts_without_a_clock_and_holds_through_one() {
    let mut b = counter(8);
    let reset = b.input("reset", 1);
    let to = b.constant(8, 40);
    load(&mut b, reset, to);
    let mut i = b.run();
    i.set_input(InputId(1), 1);
    i.run(0, 3);
    i.set_input(InputId(2), 1);
    i.settle();
    assert_eq!(i.peek_u64(b.signal("count")), 40);
    assert_eq!(i.peek_u64(b.signal("next")), 41, "logic sees the reset value at once");
    i.commit(0);
    i.set_input(InputId(2), 0);
    i.settle();
    assert_eq!(i.peek_u64(b.signal("count")), 40, "an edge under reset changes nothing; release keeps the value");
    i.commit(0);
    assert_eq!(i.peek_u64(b.signal("count")), 41);
}

/// IEEE 1364-2005 9.7.2: a process runs at edges, so data that changes while the load is active is
/// taken at the next of them.
#[test]
fn asynchronous_load_takes_the_data_of_its_edge() {
    let mut b = counter(8);
    let (when, data) = (b.input("load", 1), b.input("data", 8));
    load(&mut b, when, data);
    let mut i = b.run();
    let mut count = |load: u64, data: u64, clock: bool| {
        i.set_input(InputId(2), load);
        i.set_input(InputId(3), data);
        i.settle();
        if clock {
            i.commit(0);
        }
        i.peek_u64(b.signal("count"))
    };
    assert_eq!(count(1, 7, false), 7, "the edge");
    assert_eq!(count(1, 8, false), 7, "no edge");
    assert_eq!(count(1, 9, true), 9, "the clock's edge, under load");
    assert_eq!(count(0, 10, false), 9, "the other edge");
    assert_eq!(count(1, 11, false), 11, "the next edge");
}

/// A reset that ends itself ends; what brings itself back for ever is found out.
#[test]
fn edges_without_end_are_reported() {
    let count = |b: &Builder| match b.0.signals[b.signal("count").index()].value {
        Value::Node(node) => node,
        Value::Memory(_) => panic!("the counter is a register"),
    };
    let mut b = counter(8);
    let (zero, ones, q) = (b.constant(8, 0), b.constant(8, 255), count(&b));
    let full = b.0.add(Op::Eq, 1, &[q, ones]);
    load(&mut b, full, zero);
    let mut i = b.run();
    i.poke_register(RegId(0), &Bits::new(8, 255));
    assert!(i.settle(), "one edge: the reset falls with what it resets");
    assert_eq!(i.peek_u64(b.signal("count")), 0);
    let mut b = counter(8);
    let q = count(&b);
    let odd = b.0.add(Op::Slice(0), 1, &[q]);
    let edges = [true, false].map(|rising| Edge { clock: odd, rising });
    b.0.registers[0].asynchronous.extend(edges);
    let mut i = b.run();
    assert!(i.settle(), "a step of 0 changes nothing");
    i.set_input(InputId(1), 1);
    assert!(i.settle(), "no edge");
    i.commit(0);
    assert!(!i.settle(), "each edge adds one and so makes the other");
}

#[test]
fn tables_and_unknown_starts() {
    let mut b = Builder::new();
    let clock = b.input("clock", 1);
    let index = b.input("index", 4);
    b.0.tables.push(Table { width: 70, words: vec![Bits::new(70, 5), Bits::ones(70)], default: Bits::new(70, 9) });
    let entry = b.0.add(Op::Table(TableId(0)), 70, &[index]);
    b.name("entry", entry);
    b.register("unset", 90, Start::Unknown, clock);
    let mut i = Interpreter::new(&b.0, &Options::default().seed(11)).expect("a good graph");
    for (at, expected) in [(0, Bits::new(70, 5)), (1, Bits::ones(70)), (2, Bits::new(70, 9))] {
        i.set_input(InputId(1), at);
        i.settle();
        assert_eq!(i.peek(b.signal("entry")), expected);
    }
    assert_eq!(i.peek(b.signal("unset")), start_value(&Start::Unknown, 90, "top.unset", 11));
}

#[test]
fn changes_are_reported_once() {
    let mut b = counter(8);
    let next = match b.0.signals[b.signal("next").index()].value {
        Value::Node(n) => n,
        Value::Memory(_) => unreachable!("next is a node"),
    };
    b.name("alias", next);
    let mut i = b.run();
    assert_eq!(i.observed().len(), 4, "an alias is not observed twice");
    let seen = |i: &mut Interpreter| {
        i.settle();
        let mut list = Vec::new();
        i.changes(&mut |k| list.push(k));
        list
    };
    assert_eq!(seen(&mut i), [0, 1, 2, 3]);
    assert!(seen(&mut i).is_empty());
    i.set_input(InputId(1), 1);
    assert_eq!(seen(&mut i), [1, 3]);
    i.commit(0);
    assert_eq!(seen(&mut i), [2, 3]);
    let mut limbs = vec![7; 3];
    i.observe(3, &mut limbs);
    assert_eq!(limbs, [2]);
}

#[test]
fn a_loop_is_an_error_with_names() {
    let mut b = Builder::new();
    let a = b.0.add(Op::Not, 1, &[NodeId(1)]);
    let c = b.0.add(Op::Not, 1, &[a]);
    b.name("a", a);
    b.name("c", c);
    match Interpreter::new(&b.0, &Options::default()) {
        Err(Error::Loop { path, .. }) => assert_eq!(path, ["top.a", "top.c", "top.a"]),
        other => panic!("expected a loop, got {:?}", other.err()),
    }
}
