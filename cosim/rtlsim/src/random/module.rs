//! Random modules: inputs, registers, memories, wires in an order without loops, processes, an
//! instance of a smaller random module, outputs that show it all. Registers and memories have
//! initial values, so that no x exists in a simulator with four states. Each clock input is used
//! with one edge only: a peer with four states sees an edge from x at the start, which a clock that
//! starts at its inactive level keeps harmless.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::build::{assign, bin, block, int, lit, name, net, number, stmt};
use super::expr::{value, width, Exprs, Mem, Pool, Var, NARROW};
use super::stmt::Process;
use crate::ast::{
    Ast, BinaryOp, Connection, Direction, EdgeOf, Expr, Instance, Item, Module, Net, NetKind, Parameter, Sensitivity,
    Span, Stmt, StmtKind,
};

/// Bits of random data that each step of the stimulus has; a module's inputs are parts of it.
pub const DATA: u32 = 512;
/// Clock lines of the stimulus: 0 and 1 start low and rise, 2 and 3 start high and fall.
pub const CLOCKS: u32 = 4;

/// A data input and where it is in the stimulus.
#[derive(Clone, Debug, PartialEq)]
pub struct DataInput {
    /// Port.
    pub name: String,
    /// In bits.
    pub width: u32,
    /// Lowest bit in the stimulus.
    pub offset: u32,
}

/// A random module and how to drive it.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomModule {
    /// Seed it was made from.
    pub seed: u64,
    /// The top module first, then what it instantiates.
    pub ast: Ast,
    /// Data inputs.
    pub inputs: Vec<DataInput>,
    /// Clock ports and the clock line that drives each.
    pub clocks: Vec<(String, u32)>,
    /// Reset port, and whether it is active low (the stimulus is active high).
    pub reset: Option<(String, bool)>,
    /// Output ports and widths.
    pub outputs: Vec<(String, u32)>,
}

/// A clock port and the edge it is used with.
#[derive(Clone)]
struct Clock {
    name: String,
    rising: bool,
}

/// A signal of an asynchronous reset or load, and the edge it is used with: the one away from its
/// level at the start.
#[derive(Clone)]
struct Reset {
    name: String,
    rising: bool,
    /// Made by clocked logic: it changes right after clock edges.
    made: bool,
}

struct Maker {
    rng: ChaCha8Rng,
    /// For asynchronous signals beside the reset input: a module that has none of them does not
    /// depend on it.
    extra: ChaCha8Rng,
    module: Module,
    pool: Pool,
    clocks: Vec<Clock>,
    reset: Option<(String, bool)>,
    inputs: Vec<Var>,
    outputs: Vec<(String, u32)>,
    /// Names that are worth an output.
    shown: Vec<Var>,
    made: u32,
}

/// The random module of a seed. Its modules' names contain the seed.
pub fn random_module(seed: u64) -> RandomModule {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let child = rng.random_bool(0.4).then(|| {
        let mut child = Maker::new(rng.random(), format!("s{seed}"));
        child.fill(true, None);
        child
    });
    let mut maker = Maker::new(rng.random(), format!("m{seed}"));
    maker.fill(false, child.as_ref());
    let clocks =
        maker.clocks.iter().map(|c| (c.name.clone(), maker.rng.random_range(0..2) + if c.rising { 0 } else { 2 }));
    let clocks = clocks.collect();
    let mut inputs = Vec::new();
    for v in &maker.inputs {
        let offset = maker.rng.random_range(0..=DATA - v.width);
        inputs.push(DataInput { name: v.name.clone(), width: v.width, offset });
    }
    let mut modules = vec![maker.module];
    modules.extend(child.map(|c| c.module));
    RandomModule {
        seed,
        ast: Ast { modules, included: Vec::new() },
        inputs,
        clocks,
        reset: maker.reset,
        outputs: maker.outputs,
    }
}

/// The declared vector of a variable.
fn declare(v: &Var, kind: Option<NetKind>) -> Net {
    let (left, right) = v.bounds();
    let range = if v.width > 1 || v.lsb != 0 { Some((number(left), number(right))) } else { None };
    Net { kind, signed: v.signed, range, ..net(&v.name, NetKind::Wire) }
}

impl Maker {
    fn new(seed: u64, name: String) -> Self {
        Maker {
            rng: ChaCha8Rng::seed_from_u64(seed),
            extra: ChaCha8Rng::seed_from_u64(seed ^ 0xa5_1c),
            module: Module { name, span: Span::default(), ports: Vec::new(), items: Vec::new(), implicit_nets: true },
            pool: Pool::default(),
            clocks: Vec::new(),
            reset: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            shown: Vec::new(),
            made: 0,
        }
    }

    fn var(&mut self, prefix: &str) -> Var {
        self.made += 1;
        let mut v = Var::new(format!("{prefix}{}", self.made), width(&mut self.rng), self.rng.random_bool(0.4));
        if v.width > 1 {
            match self.rng.random_range(0..12) {
                0 => v.lsb = self.rng.random_range(1..9),
                1 => v.ascending = true,
                _ => {}
            }
        }
        v
    }

    /// An expression for a target of that width.
    fn expr(&mut self, depth: u32, width: u32) -> Expr {
        let narrow = width <= NARROW && self.rng.random();
        Exprs { rng: &mut self.rng, pool: &self.pool, narrow }.any(depth).e
    }

    fn port(&mut self, v: &Var, direction: Direction) {
        self.module.ports.push(v.name.clone());
        self.module.items.push(Item::Net(Net { direction: Some(direction), ..declare(v, None) }));
    }

    fn fill(&mut self, small: bool, child: Option<&Maker>) {
        self.interface(small);
        self.parameters();
        let (registers, memories) = self.state(small);
        for _ in 0..self.rng.random_range(1..if small { 3 } else { 7 }) {
            match self.rng.random_range(0..10) {
                0..=6 => self.wire(),
                7 => self.split_wire(),
                _ => self.combinational(),
            }
        }
        if let Some(child) = child {
            self.instance(child);
            self.wire();
        }
        self.processes(&registers, &memories);
        self.results(small);
    }

    /// Clocks, reset and data inputs.
    fn interface(&mut self, small: bool) {
        let clocks = self.rng.random_range(if small { 0..2 } else { 0..3 });
        for i in 0..clocks {
            let clock = Clock { name: format!("clock{i}"), rising: self.rng.random_bool(0.7) };
            self.port(&Var::new(clock.name.clone(), 1, false), Direction::Input);
            self.clocks.push(clock);
        }
        if clocks > 0 && !small && self.rng.random_bool(0.4) {
            self.port(&Var::new("reset".into(), 1, false), Direction::Input);
            self.reset = Some(("reset".into(), self.rng.random()));
        }
        for _ in 0..self.rng.random_range(2..if small { 4 } else { 6 }) {
            let v = self.var("i");
            self.port(&v, Direction::Input);
            self.inputs.push(v.clone());
            self.pool.vars.push(v);
        }
    }

    fn parameters(&mut self) {
        for _ in 0..self.rng.random_range(0..3) {
            let v = self.var("P");
            let literal = lit(value(&mut self.rng, v.width), v.signed);
            // Without a range a parameter takes width and sign of its value.
            let range = if self.rng.random() { Some((int(v.width - 1), int(0))) } else { None };
            self.module.items.push(Item::Parameter(Parameter {
                name: v.name.clone(),
                span: Span::default(),
                local: self.rng.random(),
                signed: v.signed && range.is_some(),
                range,
                value: literal,
            }));
            self.pool.vars.push(Var { select: false, lsb: 0, ascending: false, ..v });
        }
    }

    /// Declares registers and memories with their initial values.
    fn state(&mut self, small: bool) -> (Vec<Var>, Vec<Mem>) {
        let (mut registers, mut memories) = (Vec::new(), Vec::new());
        if self.clocks.is_empty() {
            return (registers, memories);
        }
        for _ in 0..self.rng.random_range(1..if small { 3 } else { 6 }) {
            let v = self.var("r");
            let init = lit(value(&mut self.rng, v.width), self.rng.random());
            let mut net = declare(&v, Some(NetKind::Reg));
            if self.rng.random() {
                net.init = Some(init);
                self.module.items.push(Item::Net(net));
            } else {
                self.module.items.push(Item::Net(net));
                let body = assign(name(&v.name), init, true);
                self.module.items.push(Item::Initial { body, span: Span::default() });
            }
            registers.push(v);
        }
        if self.rng.random_bool(if small { 0.2 } else { 0.4 }) {
            memories.push(self.memory());
        }
        self.pool.vars.extend(registers.iter().cloned());
        self.pool.mems.extend(memories.iter().cloned());
        self.shown.extend(registers.iter().cloned());
        (registers, memories)
    }

    fn memory(&mut self) -> Mem {
        let depth = *[2, 4, 8, 16, 3, 5, 13].choose(&mut self.rng).unwrap_or(&4);
        let v = self.var("mem");
        let m = Mem { name: v.name.clone(), width: v.width, signed: v.signed, depth };
        let plain = Var { lsb: 0, ascending: false, ..v };
        let mut declared = declare(&plain, Some(NetKind::Reg));
        declared.array = Some((int(0), int(depth - 1)));
        self.module.items.push(Item::Net(declared));
        let body = if self.rng.random() {
            let words = (0..depth).map(|i| {
                let target = super::build::index(name(&m.name), int(i));
                assign(target, lit(value(&mut self.rng, m.width), false), true)
            });
            block(words.collect())
        } else {
            let counter = self.counter();
            let i = || name(&counter);
            let product = bin(BinaryOp::Mul, i(), int(37));
            let word = assign(super::build::index(name(&m.name), i()), bin(BinaryOp::Add, product, int(5)), true);
            stmt(StmtKind::For {
                init: Box::new(assign(i(), int(0), true)),
                condition: bin(BinaryOp::Lt, i(), int(depth)),
                step: Box::new(assign(i(), bin(BinaryOp::Add, i(), int(1)), true)),
                body: Box::new(word),
            })
        };
        self.module.items.push(Item::Initial { body, span: Span::default() });
        m
    }

    /// Declares a new integer.
    fn counter(&mut self) -> String {
        self.made += 1;
        let n = format!("k{}", self.made);
        self.module.items.push(Item::Net(Net { signed: true, ..net(&n, NetKind::Integer) }));
        n
    }

    /// The counter just declared as a variable with a value, which its process reads outside of
    /// loops and an output shows; or nothing.
    fn seen(&mut self, counter: &str) -> Option<Var> {
        let Some(Item::Net(declared)) = self.module.items.last_mut() else { return None };
        if !self.extra.random_bool(0.4) {
            return None;
        }
        declared.init = Some(int(9));
        Some(Var::new(counter.to_string(), 32, true))
    }

    fn wire(&mut self) {
        let v = self.var("w");
        let e = self.expr(4, v.width);
        let mut declared = declare(&v, Some(NetKind::Wire));
        if self.rng.random_bool(0.3) {
            declared.init = Some(e);
            self.module.items.push(Item::Net(declared));
        } else {
            self.module.items.push(Item::Net(declared));
            self.module.items.push(Item::Assign { target: name(&v.name), value: e, span: Span::default() });
        }
        self.shown.push(v.clone());
        self.pool.vars.push(v);
    }

    /// A wire assigned in two parts, or two wires assigned as one.
    fn split_wire(&mut self) {
        let v = self.var("w");
        self.module.items.push(Item::Net(declare(&v, Some(NetKind::Wire))));
        let mut new = vec![v.clone()];
        let mut targets = Vec::new();
        if v.width > 1 && self.rng.random() {
            let cut = self.rng.random_range(1..v.width);
            targets.push((v.part(0, cut), cut));
            targets.push((v.part(cut, v.width - cut), v.width - cut));
        } else {
            let other = self.var("w");
            self.module.items.push(Item::Net(declare(&other, Some(NetKind::Wire))));
            targets.push((super::build::concat(vec![name(&v.name), name(&other.name)]), v.width + other.width));
            new.push(other);
        }
        for (target, width) in targets {
            let value = self.expr(3, width);
            self.module.items.push(Item::Assign { target, value, span: Span::default() });
        }
        self.shown.extend(new.iter().cloned());
        self.pool.vars.extend(new);
    }

    /// `always @(*)`: every target gets a value first, from an input too, so that a peer runs the
    /// process at least once.
    fn combinational(&mut self) {
        let count = self.rng.random_range(1..3);
        let targets: Vec<Var> = (0..count).map(|_| self.var("c")).collect();
        for v in &targets {
            self.module.items.push(Item::Net(declare(v, Some(NetKind::Reg))));
        }
        let counters = vec![self.counter()];
        let input = name(&self.inputs[0].name);
        let mut body: Vec<Stmt> = targets
            .iter()
            .map(|v| assign(name(&v.name), bin(BinaryOp::Xor, input.clone(), int(self.made)), true))
            .collect();
        let mut pool = self.pool.clone();
        pool.vars.extend(targets.iter().cloned());
        let statements = self.rng.random_range(1..4);
        let mut process = Process {
            rng: &mut self.rng,
            pool,
            targets: &targets,
            temporaries: &[],
            memories: &[],
            blocking: true,
            counters,
        };
        body.extend(process.list(statements, 2));
        let sensitivity = Sensitivity::Combinational;
        self.module.items.push(Item::Always { sensitivity, body: block(body), span: Span::default() });
        self.shown.extend(targets.iter().cloned());
        self.pool.vars.extend(targets);
    }

    /// Clocked processes, each with some of the registers; a memory has one writer.
    fn processes(&mut self, registers: &[Var], memories: &[Mem]) {
        let mut rest: Vec<Var> = registers.to_vec();
        rest.shuffle(&mut self.rng);
        let mut memories = memories;
        let made = self.made_resets();
        while !rest.is_empty() {
            let own: Vec<Var> = rest.split_off(rest.len() - self.rng.random_range(1..=rest.len()));
            let Some(clock) = self.clocks.choose(&mut self.rng).cloned() else { return };
            let temporaries = self.temporaries();
            let counters = vec![self.counter()];
            let seen = self.seen(&counters[0]);
            let mut pool = self.pool.clone();
            pool.vars.extend(temporaries.iter().chain(&seen).cloned());
            let statements = self.rng.random_range(1..5);
            let reset = self.reset.clone().filter(|_| memories.is_empty() && self.rng.random());
            let resets = self.resets(reset, &made);
            let mut process = Process {
                rng: &mut self.rng,
                pool,
                targets: &own,
                temporaries: if resets.is_empty() { &temporaries } else { &[] },
                memories: if resets.is_empty() { memories } else { &[] },
                blocking: false,
                counters,
            };
            let body = block(process.list(statements, 3));
            memories = &[];
            let edge = |signal: &str, rising| EdgeOf { rising, signal: name(signal) };
            let mut edges = vec![edge(&clock.name, clock.rising)];
            edges.extend(resets.iter().map(|r| edge(&r.name, r.rising)));
            let body = resets.iter().rev().fold(body, |body, r| self.reset_first(r, &own, registers, body));
            let sensitivity = Sensitivity::Edges(edges);
            self.module.items.push(Item::Always { sensitivity, body, span: Span::default() });
            // Another process that reads it at the same edge would race.
            self.shown.extend(seen);
        }
    }

    /// Registers of one bit that some process resets others with, or the result of two of them.
    /// They start at 0 and are used when they rise. The wire is one operation of two registers, so
    /// that it has no glitch in a peer that knows them.
    fn made_resets(&mut self) -> Vec<Reset> {
        let count = if self.clocks.is_empty() { 0 } else { self.extra.random_range(0..5u32).saturating_sub(2) };
        let mut made = Vec::new();
        for _ in 0..count {
            self.made += 1;
            let v = Var::new(format!("s{}", self.made), 1, false);
            self.module.items.push(Item::Net(Net { init: Some(int(0)), ..declare(&v, Some(NetKind::Reg)) }));
            let clock = self.clocks[self.extra.random_range(0..self.clocks.len())].clone();
            let edges = vec![EdgeOf { rising: clock.rising, signal: name(&clock.name) }];
            let body = assign(name(&v.name), self.expr(2, 1), false);
            let sensitivity = Sensitivity::Edges(edges);
            self.module.items.push(Item::Always { sensitivity, body, span: Span::default() });
            made.push(Reset { name: v.name, rising: true, made: true });
        }
        if let ([a, b], true) = (&made[..], self.extra.random_bool(0.6)) {
            let op = *[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor].choose(&mut self.extra).unwrap_or(&BinaryOp::And);
            let both = bin(op, name(&a.name), name(&b.name));
            self.made += 1;
            let v = Var::new(format!("g{}", self.made), 1, false);
            self.module.items.push(Item::Net(declare(&v, Some(NetKind::Wire))));
            self.module.items.push(Item::Assign { target: name(&v.name), value: both, span: Span::default() });
            made.push(Reset { name: v.name, rising: true, made: true });
        }
        made
    }

    /// The asynchronous signals of a process, in the order in which it tests them.
    fn resets(&mut self, reset: Option<(String, bool)>, made: &[Reset]) -> Vec<Reset> {
        let mut list: Vec<Reset> =
            reset.into_iter().map(|(name, low)| Reset { name, rising: !low, made: false }).collect();
        list.extend(made.iter().filter(|_| self.extra.random_bool(0.4)).cloned());
        list.shuffle(&mut self.extra);
        list
    }

    /// A reset, or a load: of any expression when the signal is an input, of registers when it
    /// changes with them (a peer may have wires still of before). What an engine that starts with
    /// all inputs at 0 has loaded is not seen: a signal that is active at 0 loads nothing.
    fn reset_first(&mut self, reset: &Reset, own: &[Var], registers: &[Var], body: Stmt) -> Stmt {
        let mut values = Vec::new();
        for v in own {
            let load = reset.rising && self.extra.random_bool(0.3);
            let value = match (load, reset.made) {
                (true, false) => self.expr(2, v.width),
                (true, true) => name(&registers[self.extra.random_range(0..registers.len())].name),
                (false, _) => lit(value(&mut self.rng, v.width), false),
            };
            values.push(assign(name(&v.name), value, false));
        }
        let values = block(values);
        let signal = name(&reset.name);
        let condition = if reset.rising { signal } else { super::build::un(crate::ast::UnaryOp::LogicalNot, signal) };
        stmt(StmtKind::If { condition, then: Box::new(values), otherwise: Some(Box::new(body)) })
    }

    /// Registers that one process assigns with `=`.
    fn temporaries(&mut self) -> Vec<Var> {
        let count = self.rng.random_range(0..3);
        let list: Vec<Var> = (0..count).map(|_| self.var("t")).collect();
        for v in &list {
            let init = Some(lit(value(&mut self.rng, v.width), false));
            self.module.items.push(Item::Net(Net { init, ..declare(v, Some(NetKind::Reg)) }));
        }
        list
    }

    /// An instance whose connections are wider or narrower than its ports.
    fn instance(&mut self, child: &Maker) {
        let connect =
            |port: &str, value: Option<Expr>| Connection { name: Some(port.into()), value, span: Span::default() };
        let mut ports = Vec::new();
        for c in &child.clocks {
            let with = self.clocks.iter().find(|o| o.rising == c.rising).map(|o| name(&o.name));
            // Without a clock of that edge the child's registers keep their initial values.
            ports.push(connect(&c.name, Some(with.unwrap_or_else(|| lit(crate::Bits::bit(!c.rising), false)))));
        }
        for v in &child.inputs {
            let m = Exprs { rng: &mut self.rng, pool: &self.pool, narrow: false }.any(2);
            // Icarus 11 takes the sign of what is extended to the port from the wrong place unless
            // that is a plain name or certainly unsigned.
            let plain = matches!(m.e.kind, crate::ast::ExprKind::Name(_)) || m.width >= v.width;
            let value = match (plain, m.sized) {
                (true, _) => m.e,
                (false, true) => super::build::concat(vec![m.e]),
                (false, false) => int(1),
            };
            ports.push(connect(&v.name, Some(value)));
        }
        let mut new = Vec::new();
        for (port, port_width) in &child.outputs {
            let mut v = self.var("u");
            if self.rng.random() {
                v = Var { width: *port_width, ..v };
            }
            self.module.items.push(Item::Net(declare(&v, Some(NetKind::Wire))));
            ports.push(connect(port, Some(name(&v.name))));
            new.push(v);
        }
        ports.shuffle(&mut self.rng);
        let mut parameters = Vec::new();
        for item in &child.module.items {
            match item {
                Item::Parameter(p) if !p.local && p.range.is_some() && self.rng.random() => {
                    let value = Exprs { rng: &mut self.rng, pool: &self.pool, narrow: false }.literal().e;
                    parameters.push(connect(&p.name, Some(value)));
                }
                _ => {}
            }
        }
        self.module.items.push(Item::Instance(Instance {
            module: child.module.name.clone(),
            name: "child".into(),
            span: Span::default(),
            parameters,
            ports,
        }));
        self.shown.extend(new.iter().cloned());
        self.pool.vars.extend(new);
    }

    /// Outputs: all that was made, or a few expressions of it (then passes have more to remove).
    fn results(&mut self, small: bool) {
        let mut list: Vec<(Var, Expr)> = Vec::new();
        if !small && self.rng.random() {
            for v in self.shown.clone() {
                list.push((Var { name: format!("o_{}", v.name), ..v.clone() }, name(&v.name)));
            }
        }
        for _ in 0..self.rng.random_range(1..4) {
            let v = self.var("o");
            let e = self.expr(3, v.width);
            list.push((v, e));
        }
        for (v, e) in list {
            self.port(&v, Direction::Output);
            self.module.items.push(Item::Assign { target: name(&v.name), value: e, span: Span::default() });
            self.outputs.push((v.name, v.width));
        }
    }
}
