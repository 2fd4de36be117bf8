//! The API of a simulation, on both engines: names, both ways of making a cycle, derived clocks,
//! snapshots, value names.

use quadlock_rtlsim::graph::*;
use quadlock_rtlsim::random_graph::{random_graph, Shape};
use quadlock_rtlsim::{Bits, Design, Engine, Error, Options, Simulation};

/// A test that runs once for each engine; `options` are those of the engine.
macro_rules! both {
    (fn $name:ident($options:ident) $body:block) => {
        mod $name {
            use super::*;

            fn run($options: &dyn Fn() -> Options) $body

            #[test]
            fn interpreted() {
                run(&|| Options::default().engine(Engine::Interpreted));
            }

            #[test]
            fn compiled() {
                run(&|| Options::default().verify(true).engine(Engine::Compiled));
            }
        }
    };
}

struct Builder(Graph);

impl Builder {
    fn new() -> Self {
        let mut b = Self(Graph::default());
        b.scope("top", None);
        b
    }

    fn scope(&mut self, name: &str, parent: Option<u32>) -> u32 {
        let parent = parent.map(ScopeId);
        self.0.scopes.push(Scope { name: name.into(), module: format!("{name}_module"), parent, constants: vec![] });
        self.0.scopes.len() as u32 - 1
    }

    fn signal(&mut self, scope: u32, name: &str, kind: SignalKind, value: Value) {
        let width = match value {
            Value::Node(n) => self.0.width(n),
            Value::Memory(m) => self.0.memories[m.index()].width,
        };
        let scope = ScopeId(scope);
        self.0.signals.push(Signal { name: name.into(), scope, kind, width, signed: false, lsb: 0, value });
    }

    fn input(&mut self, name: &str, width: u32) -> NodeId {
        let id = InputId(self.0.inputs.len() as u32);
        let node = self.0.add(Op::Input(id), width, &[]);
        self.0.inputs.push(Input { name: name.into(), width, node });
        self.signal(0, name, SignalKind::Input, Value::Node(node));
        node
    }

    fn register(&mut self, scope: u32, name: &str, width: u32, clock: NodeId, rising: bool) -> (usize, NodeId) {
        let id = RegId(self.0.registers.len() as u32);
        let node = self.0.add(Op::Reg(id), width, &[]);
        self.0.registers.push(Register {
            name: format!("{scope}.{name}"),
            width,
            start: Start::Value(Bits::zero(width)),
            edge: Edge { clock, rising },
            next: node,
            asynchronous: Vec::new(),
        });
        self.signal(scope, name, SignalKind::Reg, Value::Node(node));
        (id.index(), node)
    }

    /// A register that adds `step` at each edge.
    fn counter(&mut self, name: &str, width: u32, clock: NodeId, rising: bool, step: NodeId) -> NodeId {
        let (r, q) = self.register(0, name, width, clock, rising);
        let next = self.0.add(Op::Add, width, &[q, step]);
        self.0.registers[r].next = next;
        q
    }

    fn compile(self, options: &Options) -> Simulation {
        Design::from_graph(self.0).expect("a good graph").compile(options).expect("compiles")
    }
}

/// `count` adds the input `step` at each rising edge of `clock`.
fn plain_counter() -> Builder {
    let mut b = Builder::new();
    let clock = b.input("clock", 1);
    let step = b.input("step", 8);
    b.counter("count", 8, clock, true, step);
    b
}

both! {
    fn names_with_and_without_the_top_and_suggestions(options) {
        let mut b = plain_counter();
        let inner = b.scope("inner", Some(0));
        b.signal(inner, "state", SignalKind::Wire, Value::Node(NodeId(1)));
        let mut sim = b.compile(&options());
        sim.set("step", 5).expect("an input");
        assert_eq!(sim.get("top.inner.state"), Ok(5));
        assert_eq!(sim.get("inner.state"), Ok(5));
        let message = |r: Result<u64, Error>| r.expect_err("must fail").to_string();
        assert_eq!(message(sim.get("inner.stat")), "no signal inner.stat; did you mean top.inner.state?");
        assert!(message(sim.get("state")).contains("did you mean top.inner.state?"));
        assert_eq!(message(sim.get("zzz")), "no signal zzz");
        assert!(sim.set("step", 256).expect_err("9 bits").to_string().contains("8 bits wide"));
        assert!(sim.set("count", 1).expect_err("a register").to_string().contains("poke_register"));
        assert!(sim.set("nothing", 1).expect_err("unknown").to_string().contains("clock, step"));
        assert!(sim.register("step").is_err());
        assert!(sim.memory("count").is_err());
    }
}

both! {
    fn settle_tick_step_run_agree(options) {
        let mut sim = plain_counter().compile(&options());
        assert!(sim.single_evaluation());
        let (step, count) = (sim.input("step").expect("input"), sim.signal("count").expect("signal"));
        sim.poke(step, 3);
        sim.settle();
        assert_eq!(sim.peek(count), 0);
        sim.tick().expect("one clock");
        assert_eq!(sim.peek(count), 3);
        sim.step().expect("one clock");
        sim.run(4).expect("one clock");
        assert_eq!((sim.peek(count), sim.cycle()), (18, 6));
        assert_eq!(sim.run_until(count, |v| v >= 25, 100), Ok(Some(3)));
        assert_eq!(sim.run_until(count, |v| v >= 25, 100), Ok(Some(0)));
        assert_eq!(sim.run_until(count, |v| v == 1, 10), Ok(None));
        assert_eq!(sim.cycle(), 19);
    }
}

both! {
    fn both_ways_of_making_a_cycle_agree(options) {
        // the same graph twice; in one the clock is used as data as well (by a signal nobody
        // reads), which asks for the general way
        let shape = Shape { clocks: 1, unknown_start: true, ..Shape::default() };
        for seed in 0..30 {
            let mut graph = random_graph(seed, &shape);
            graph.registers.iter_mut().for_each(|r| r.edge.rising = true);
            graph.memories.iter_mut().flat_map(|m| &mut m.writes).for_each(|w| w.edge.rising = true);
            let mut general = graph.clone();
            let clock = general.inputs[0].node;
            let not = general.add(Op::Not, 1, &[clock]);
            general.outputs.push(("not_clock".into(), not));
            let mut sims = [graph, general]
                .map(|g| Design::from_graph(g).and_then(|d| d.compile(&options().seed(seed))).expect("compiles"));
            assert_eq!((sims[0].single_evaluation(), sims[1].single_evaluation()), (true, false));
            let clock = sims[0].input("clk0").expect("the clock");
            for cycle in 0..20u64 {
                for i in 1..sims[0].graph().inputs.len() {
                    let name = sims[0].graph().inputs[i].name.clone();
                    // any number that differs between cycles and inputs
                    let value = (cycle + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(i as u64 * 2 + 1);
                    for sim in &mut sims {
                        let input = sim.input(&name).expect("an input");
                        sim.poke_bits(input, &Bits::from_limbs(200, &[value, !value, value, value]));
                    }
                }
                let paths: Vec<String> =
                    sims[0].design().signals().filter(|s| s.depth().is_none()).map(|s| s.path()).collect();
                for path in paths {
                    let [a, b] = &mut sims;
                    assert_eq!(a.get_bits(&path), b.get_bits(&path), "seed {seed}, cycle {cycle}, {path}");
                }
                for sim in &mut sims {
                    sim.step_clock(clock).expect("steps");
                }
            }
        }
    }
}

both! {
    fn derived_gated_and_falling_clocks(options) {
        let mut b = Builder::new();
        let clock = b.input("clock", 1);
        let enable = b.input("enable", 1);
        let one = b.0.constant(Bits::new(8, 1));
        // divided by two; a counter of its rising edges sees the divider's new value
        let (r, half) = b.register(0, "half", 1, clock, true);
        b.0.registers[r].next = b.0.add(Op::Not, 1, &[half]);
        b.counter("slow", 8, half, true, one);
        let gated = b.0.add(Op::And, 1, &[clock, enable]);
        let fast = b.counter("fast", 8, clock, true, one);
        b.counter("gated", 8, gated, true, one);
        let (r, copy) = b.register(0, "copy", 8, gated, true);
        b.0.registers[r].next = fast;
        let (r, _) = b.register(0, "late", 8, clock, false);
        b.0.registers[r].next = fast;
        let _ = copy;
        let mut sim = b.compile(&options());
        assert!(!sim.single_evaluation());
        let all = |sim: &mut Simulation| ["fast", "slow", "gated", "copy", "late"].map(|n| sim.get(n).expect("a signal"));
        sim.run(2).expect("runs");
        assert_eq!(all(&mut sim), [2, 1, 0, 0, 2]);
        sim.set("enable", 1).expect("an input");
        sim.run(3).expect("runs");
        // copy and fast have their edges together: copy holds the value from before
        assert_eq!(all(&mut sim), [5, 3, 3, 4, 5]);
        // by hand: a high clock, half way
        sim.set("clock", 1).expect("an input");
        sim.eval().expect("settles");
        assert_eq!(all(&mut sim), [6, 3, 4, 5, 5]);
    }
}

both! {
    fn a_clock_that_never_rests_is_an_error(options) {
        let mut b = Builder::new();
        let go = b.input("go", 1);
        let (r, q) = b.register(0, "q", 1, go, true);
        let clock = b.0.add(Op::Xor, 1, &[go, q]);
        let other = b.0.add(Op::Not, 1, &[q]);
        b.0.registers[r].next = other;
        b.0.registers[r].edge.clock = clock;
        // q toggles at each rising edge of go ^ q, which falls then; at its falling edges a second
        // register toggles and makes it rise again
        let (s, p) = b.register(0, "p", 1, clock, false);
        b.0.registers[s].next = b.0.add(Op::Not, 1, &[p]);
        let again = b.0.add(Op::Xor, 1, &[clock, p]);
        b.0.registers[r].edge.clock = again;
        b.0.registers[s].edge.clock = again;
        let mut sim = b.compile(&options());
        sim.set("go", 1).expect("an input");
        assert!(matches!(sim.eval(), Err(Error::Unstable(_))));
    }
}

both! {
    fn several_clocks_are_stepped_by_handle(options) {
        let mut b = Builder::new();
        let (c0, c1) = (b.input("clk_a", 1), b.input("clk_b", 1));
        let one = b.0.constant(Bits::new(8, 1));
        b.counter("a", 8, c0, true, one);
        b.counter("b", 8, c1, true, one);
        let mut sim = b.compile(&options());
        assert!(sim.single_evaluation());
        assert!(sim.step().expect_err("two clocks").to_string().contains("clk_a, clk_b"));
        let clock = sim.input("clk_b").expect("input");
        sim.step_clock(clock).expect("a clock");
        sim.step_clock(clock).expect("a clock");
        assert_eq!((sim.get("a"), sim.get("b")), (Ok(0), Ok(2)));
    }
}

both! {
    fn snapshots_restore_everything(options) {
        let mut b = plain_counter();
        let edge = b.0.registers[0].edge;
        let enable = b.0.constant(Bits::new(1, 1));
        let (count, step) = (NodeId(2), NodeId(1));
        let port = WritePort { edge, enable, addr: count, data: step, mask: None, asynchronous: Vec::new() };
        b.0.memories.push(Memory {
            name: "top.m".into(),
            width: 8,
            depth: 16,
            init: vec![],
            start: Start::Value(Bits::zero(8)),
            writes: vec![port],
        });
        b.signal(0, "m", SignalKind::Reg, Value::Memory(MemId(0)));
        let mut sim = b.compile(&options());
        let memory = sim.memory("m").expect("a memory");
        assert_eq!((memory.width(), memory.depth()), (8, 16));
        sim.set("step", 3).expect("input");
        sim.run(2).expect("runs");
        let saved = sim.snapshot();
        assert_eq!(saved.cycle(), 2);
        sim.set("step", 1).expect("input");
        sim.run(5).expect("runs");
        sim.poke_word(memory, 3, &Bits::new(8, 99));
        sim.restore(&saved).expect("the same design");
        assert_eq!((sim.cycle(), sim.get("count"), sim.get("step")), (2, Ok(6), Ok(3)));
        assert_eq!([0, 3, 6].map(|w| sim.peek_word(memory, w).to_u64()), [3, 3, 0]);
        assert!(sim.peek_word(memory, 16).is_zero());
        let mut other = plain_counter().compile(&options());
        assert!(other.restore(&saved).is_err());
        let count = sim.register("count").expect("a register");
        sim.poke_register(count, &Bits::new(8, 200));
        sim.step().expect("steps");
        assert_eq!(sim.get("count"), Ok(203));
    }
}

#[test]
fn value_names_come_from_register_cells_and_equal_names_only() {
    let mut b = plain_counter();
    let states = ["GridState_Idle", "GridState_Fill", "GridState_Drain"];
    let constants = |names: &[&str]| -> Vec<(String, Bits)> {
        names.iter().enumerate().map(|(i, n)| ((*n).to_owned(), Bits::new(32, i as u64))).collect()
    };
    b.0.scopes[0].constants = constants(&states);
    b.0.scopes[0].constants.push(("slots".into(), Bits::new(16, 255)));
    let cell = b.scope("state", Some(0));
    b.0.scopes[cell as usize].constants = constants(&states);
    let clock = NodeId(0);
    let (r, q) = b.register(cell, "q", 2, clock, true);
    let d = b.0.add(Op::Not, 2, &[q]);
    b.0.registers[r].next = d;
    b.signal(cell, "d", SignalKind::Input, Value::Node(d));
    b.signal(0, "state_q", SignalKind::Wire, Value::Node(q));
    b.signal(0, "state_d", SignalKind::Wire, Value::Node(d));
    let other = b.0.add(Op::Neg, 2, &[q]);
    b.signal(0, "other", SignalKind::Wire, Value::Node(other));
    let design = Design::from_graph(b.0).expect("a good graph");
    let of = |path: &str| design.find(path).expect("a signal").enumeration().map(|e| e.name.clone());
    let grid = Some("GridState".to_owned());
    assert_eq!([of("state.q"), of("state_q"), of("state_d")], [grid.clone(), grid.clone(), grid]);
    assert_eq!([of("other"), of("count"), of("clock")], [None, None, None]);
    let e = design.find("state_q").expect("a signal").enumeration().expect("a type");
    assert_eq!((e.width, e.name_of(1), e.name_of(3)), (2, Some("Fill"), None));
    let top = design.top().expect("a top");
    assert_eq!(top.children().map(|c| c.path()).collect::<Vec<_>>(), ["top.state"]);
    assert_eq!(top.children().next().expect("a child").module(), "state_module");
    assert_eq!(top.signals().count(), 6);
}
