//! What each pass achieves, on the smallest graph that shows it. That nothing else changes is
//! tested by `passes.rs`.

use quadlock_rtlsim::elaborate::elaborate;
use quadlock_rtlsim::graph::*;
use quadlock_rtlsim::parse::parse;
use quadlock_rtlsim::passes::{optimize, PassOptions};
use quadlock_rtlsim::{Bits, Source};

/// A graph under construction; input 0 is the clock.
struct Make(Graph);

impl Make {
    fn new() -> Self {
        let mut make = Self(Graph::default());
        make.input(1);
        make
    }

    fn input(&mut self, width: u32) -> NodeId {
        let id = InputId(self.0.inputs.len() as u32);
        let node = self.0.add(Op::Input(id), width, &[]);
        self.0.inputs.push(Input { name: format!("i{}", id.0), width, node });
        node
    }

    fn number(&mut self, width: u32, value: u64) -> NodeId {
        self.0.constant(Bits::new(width, value))
    }

    fn register(&mut self, width: u32, start: u64) -> NodeId {
        let id = RegId(self.0.registers.len() as u32);
        let (edge, start) = (Edge { clock: NodeId(0), rising: true }, Start::Value(Bits::new(width, start)));
        let name = format!("r{}", id.0);
        self.0.registers.push(Register { name, width, start, edge, next: NodeId(0), asynchronous: Vec::new() });
        self.0.add(Op::Reg(id), width, &[])
    }

    fn next(&mut self, register: NodeId, next: NodeId) {
        let Op::Reg(r) = self.0.node(register).op else { panic!("not a register") };
        self.0.registers[r.index()].next = next;
    }

    /// The only output's node after the passes.
    fn output(mut self, node: NodeId) -> (Graph, NodeId) {
        self.0.outputs.push(("o".into(), node));
        let options = PassOptions { keep_state: false, ..PassOptions::default() };
        optimize(&mut self.0, &options);
        self.0.check().expect("well-formed");
        let out = self.0.outputs[0].1;
        (self.0, out)
    }
}

#[test]
fn algebra_is_simplified() {
    type Build = fn(&mut Make, NodeId, NodeId, NodeId) -> NodeId;
    // what is built from x, y (8 bits) and s (1 bit), and how many nodes besides inputs may be left
    let cases: [(&str, Build, usize); 10] = [
        (
            "x & x | 0",
            |m, x, _, _| {
                let z = m.number(8, 0);
                let a = m.0.add(Op::And, 8, &[x, x]);
                m.0.add(Op::Or, 8, &[a, z])
            },
            0,
        ),
        (
            "(x + 3) - 3",
            |m, x, _, _| {
                let c = m.number(8, 3);
                let a = m.0.add(Op::Add, 8, &[x, c]);
                m.0.add(Op::Sub, 8, &[a, c])
            },
            0,
        ),
        (
            "~~x",
            |m, x, _, _| {
                let a = m.0.add(Op::Not, 8, &[x]);
                m.0.add(Op::Not, 8, &[a])
            },
            0,
        ),
        (
            "s ? 1 : 0",
            |m, _, _, s| {
                let (a, b) = (m.number(1, 1), m.number(1, 0));
                m.0.add(Op::Mux, 1, &[s, a, b])
            },
            0,
        ),
        (
            "s ? (s ? x : y) : y",
            |m, x, y, s| {
                let a = m.0.add(Op::Mux, 8, &[s, x, y]);
                m.0.add(Op::Mux, 8, &[s, a, y])
            },
            1,
        ),
        (
            "{x, y}[7:0]",
            |m, x, y, _| {
                let a = m.0.add(Op::Concat, 16, &[x, y]);
                m.0.add(Op::Slice(0), 8, &[a])
            },
            0,
        ),
        (
            "{x[7:4], x[3:0]}",
            |m, x, _, _| {
                let (h, l) = (m.0.add(Op::Slice(4), 4, &[x]), m.0.add(Op::Slice(0), 4, &[x]));
                m.0.add(Op::Concat, 8, &[h, l])
            },
            0,
        ),
        (
            "x + y == y + x",
            |m, x, y, _| {
                let (a, b) = (m.0.add(Op::Add, 8, &[x, y]), m.0.add(Op::Add, 8, &[y, x]));
                m.0.add(Op::Eq, 1, &[a, b])
            },
            1,
        ),
        (
            "{0, x} < {0, y}",
            |m, x, y, _| {
                let (a, b) = (m.0.add(Op::ZExt, 20, &[x]), m.0.add(Op::ZExt, 20, &[y]));
                m.0.add(Op::LtU, 1, &[a, b])
            },
            1,
        ),
        (
            "{0, x} == 300",
            |m, x, _, _| {
                let a = m.0.add(Op::ZExt, 20, &[x]);
                let c = m.number(20, 300);
                m.0.add(Op::Eq, 1, &[a, c])
            },
            1,
        ),
    ];
    for (text, build, most) in cases {
        let mut m = Make::new();
        let (x, y, s) = (m.input(8), m.input(8), m.input(1));
        let node = build(&mut m, x, y, s);
        let (g, _) = m.output(node);
        let left = g.topological().expect("no loop").len() - g.inputs.len();
        assert!(left <= most, "{text}: {left} nodes left");
    }
}

#[test]
fn registers_that_prop_each_other_up_are_found() {
    let mut m = Make::new();
    let step = m.input(8);
    // two counters that are one, and a register that could only leave 0 if it were not 0
    let (a, b, stuck) = (m.register(8, 5), m.register(8, 5), m.register(8, 0));
    for r in [a, b] {
        let next = m.0.add(Op::Add, 8, &[r, step]);
        m.next(r, next);
    }
    let held = m.0.add(Op::Mul, 8, &[stuck, step]);
    m.next(stuck, held);
    let differ = m.0.add(Op::Xor, 8, &[a, b]);
    let sum = m.0.add(Op::Add, 8, &[differ, stuck]);
    let out = m.0.add(Op::Add, 8, &[sum, a]);
    let (g, out) = m.output(out);
    assert_eq!(g.registers.len(), 1);
    assert_eq!(g.node(out).op, Op::Reg(RegId(0)));
}

#[test]
fn registers_with_different_starts_are_not_merged() {
    let mut m = Make::new();
    let x = m.input(8);
    let (a, b) = (m.register(8, 1), m.register(8, 2));
    m.next(a, x);
    m.next(b, x);
    let out = m.0.add(Op::Xor, 8, &[a, b]);
    assert_eq!(m.output(out).0.registers.len(), 2);
}

#[test]
fn unused_state_goes() {
    let mut m = Make::new();
    let x = m.input(8);
    let (a, b) = (m.register(8, 0), m.register(8, 1));
    m.next(a, x);
    let next = m.0.add(Op::Add, 8, &[b, a]);
    m.next(b, next);
    let (g, out) = m.output(a);
    assert_eq!((g.registers.len(), &g.node(out).op), (1, &Op::Reg(RegId(0))));
}

#[test]
fn a_memory_without_writes_is_a_table() {
    let mut m = Make::new();
    let x = m.input(2);
    let init = (0..4).map(|i| Some(Bits::new(8, i * 3))).collect();
    let start = Start::Value(Bits::zero(8));
    m.0.memories.push(Memory { name: "rom".into(), width: 8, depth: 4, init, start, writes: Vec::new() });
    let read = m.0.add(Op::MemRead(MemId(0)), 8, &[x]);
    let (g, out) = m.output(read);
    assert!(matches!(g.node(out).op, Op::ZExt | Op::Table(_)), "{:?}", g.node(out));
    assert!(g.memories.is_empty());
}

/// From text: a memory that every word is listed of; with one left out, that word is from the seed,
/// and no constant.
#[test]
fn a_rom_of_verilog_is_a_table() {
    for (last, memories) in [(8, 0), (7, 1)] {
        let text = format!(
            "module t(input [2:0] a, output [15:0] y); reg [15:0] rom [0:7]; integer i;
               initial for (i = 0; i < {last}; i = i + 1) rom[i] = i * i * 137; assign y = rom[a]; endmodule"
        );
        let sources = [Source::new("t.v", text)];
        let mut g = parse(&sources).and_then(|ast| elaborate(&ast, &sources, None)).expect("a ROM");
        assert_eq!(g.memories.len(), 1);
        optimize(&mut g, &PassOptions { keep_state: false, ..PassOptions::default() });
        g.check().expect("well-formed");
        assert_eq!(g.memories.len(), memories);
        assert_eq!(g.nodes.iter().any(|n| matches!(n.op, Op::Table(_))), memories == 0);
    }
}

#[test]
fn wide_arithmetic_that_is_cut_is_narrow() {
    let mut m = Make::new();
    let (x, y) = (m.input(100), m.input(100));
    let sum = m.0.add(Op::Add, 100, &[x, y]);
    let low = m.0.add(Op::Slice(0), 20, &[sum]);
    let (g, _) = m.output(low);
    assert!(g.nodes.iter().all(|n| n.width <= 64 || matches!(n.op, Op::Input(_))));
}

#[test]
fn a_wide_product_of_narrow_values_stays_one() {
    let mut m = Make::new();
    let (x, y) = (m.input(32), m.input(32));
    let (a, b) = (m.0.add(Op::ZExt, 64, &[x]), m.0.add(Op::ZExt, 64, &[y]));
    let product = m.0.add(Op::Mul, 64, &[a, b]);
    let (g, out) = m.output(product);
    let node = g.node(out);
    assert_eq!((&node.op, node.width), (&Op::Mul, 64));
    assert!(node.args.iter().all(|&a| g.node(a).op == Op::ZExt && g.width(g.node(a).args[0]) == 32));
}

#[test]
fn a_decoder_is_a_lookup() {
    let mut m = Make::new();
    let (x, y) = (m.input(6), m.input(16));
    let mut value = m.number(16, 0);
    for (code, result) in [(3, 0x1234), (9, 0x77), (17, 0xabcd), (33, 9), (60, 0x100)] {
        let (code, result) = (m.number(6, code), m.number(16, result));
        let hit = m.0.add(Op::Eq, 1, &[x, code]);
        value = m.0.add(Op::Mux, 16, &[hit, result, value]);
    }
    let out = m.0.add(Op::Xor, 16, &[value, y]);
    let (g, out) = m.output(out);
    assert!(g.node(out).args.iter().any(|&a| matches!(g.node(a).op, Op::Table(_))), "{:?}", g.nodes);
}
