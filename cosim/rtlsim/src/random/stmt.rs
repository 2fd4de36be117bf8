//! Random statements of processes. A process owns its targets: nobody else assigns them. Blocking
//! targets of a clocked process are read only inside it, so that no order of processes shows.
//! Variable indices of targets are guarded: writes outside do nothing in Verilog, but Verilator
//! 5.006 wraps the index.

use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::build::{assign, bin, block, concat, index, indexed, int, lit, name, number, stmt};
use super::expr::{value, Exprs, Made, Mem, Pool, Var, NARROW};
use crate::ast::{BinaryOp, CaseArm, CaseKind, Expr, ExprKind, Literal, Stmt, StmtKind};
use crate::bits::Bits;

/// A process in the making.
pub(super) struct Process<'a> {
    pub rng: &'a mut ChaCha8Rng,
    pub pool: Pool,
    /// Targets of `<=` (of `=` in a combinational process).
    pub targets: &'a [Var],
    /// Targets of `=` in a clocked process.
    pub temporaries: &'a [Var],
    /// Memories written here.
    pub memories: &'a [Mem],
    pub blocking: bool,
    /// Integers for loops; each is used by one loop at a time.
    pub counters: Vec<String>,
}

/// `if (guard) s`
fn guarded(guard: Option<Expr>, s: Stmt) -> Stmt {
    match guard {
        Some(condition) => stmt(StmtKind::If { condition, then: Box::new(block(vec![s])), otherwise: None }),
        None => s,
    }
}

impl Process<'_> {
    fn expr(&mut self, depth: u32) -> Made {
        Exprs { rng: self.rng, pool: &self.pool, narrow: false }.any(depth)
    }

    /// An expression for a target of that width.
    fn value(&mut self, depth: u32, width: u32) -> Expr {
        let narrow = width <= NARROW && self.rng.random();
        Exprs { rng: self.rng, pool: &self.pool, narrow }.any(depth).e
    }

    /// A list of statements.
    pub fn list(&mut self, count: usize, depth: u32) -> Vec<Stmt> {
        (0..count).map(|_| self.stmt(depth)).collect()
    }

    fn body(&mut self, depth: u32) -> Stmt {
        let count = self.rng.random_range(1..3);
        block(self.list(count, depth - 1))
    }

    fn stmt(&mut self, depth: u32) -> Stmt {
        match self.rng.random_range(0..100) {
            0..=17 if depth > 0 => {
                let condition = self.expr(2).e;
                let then = Box::new(self.body(depth));
                let otherwise = if self.rng.random() { Some(Box::new(self.body(depth))) } else { None };
                stmt(StmtKind::If { condition, then, otherwise })
            }
            18..=29 if depth > 0 => self.case(depth),
            30..=37 if depth > 0 && self.pool.counter.is_none() && !self.counters.is_empty() => self.for_loop(depth),
            38..=47 if !self.memories.is_empty() && self.pool.counter.is_none() => self.memory_write(),
            48..=57 if !self.temporaries.is_empty() => {
                let target = self.temporaries.choose(self.rng).cloned();
                match target {
                    Some(t) => {
                        let value = self.value(3, t.width);
                        assign(name(&t.name), value, true)
                    }
                    None => stmt(StmtKind::Null),
                }
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) -> Stmt {
        let Some(v) = self.targets.choose(self.rng).cloned() else { return stmt(StmtKind::Null) };
        let mut width = v.width;
        let mut guard = None;
        let target = match self.rng.random_range(0..20) {
            0..=1 if self.targets.len() > 1 => {
                // Two different targets, or two parts of one.
                let other = self.targets.choose(self.rng).cloned().unwrap_or_else(|| v.clone());
                if other.name != v.name {
                    width += other.width;
                    concat(vec![name(&v.name), name(&other.name)])
                } else if v.width > 1 {
                    concat(vec![v.part(0, 1), v.part(1, v.width - 1)])
                } else {
                    name(&v.name)
                }
            }
            2..=8 if v.width > 1 => {
                let (target, inside) = self.part_target(&v);
                guard = inside;
                target
            }
            _ => name(&v.name),
        };
        let value = self.value(3, width);
        guarded(guard, assign(target, value, self.blocking))
    }

    /// A narrow unsigned signal.
    fn narrow_index(&mut self, width: u32) -> Option<Expr> {
        let fits = |v: &&Var| v.select && v.width <= width && !v.signed;
        let all: Vec<&Var> = self.pool.vars.iter().filter(fits).collect();
        all.choose(self.rng).map(|v| name(&v.name))
    }

    /// Part of a vector, and the condition that its index is inside.
    fn part_target(&mut self, v: &Var) -> (Expr, Option<Expr>) {
        let w = self.rng.random_range(1..=v.width);
        let lo = self.rng.random_range(0..=v.width - w);
        let at = match &self.pool.counter {
            Some((counter, _)) if self.rng.random() => Some(name(counter)),
            _ => self.narrow_index(7),
        };
        let (left, right) = v.bounds();
        let (low, high) = (left.min(right), left.max(right));
        let within = |at: &Expr, high: i64| {
            let above = bin(BinaryOp::Ge, at.clone(), number(low));
            Some(bin(BinaryOp::LogicalAnd, above, bin(BinaryOp::Le, at.clone(), number(high))))
        };
        match (self.rng.random_range(0..5), at) {
            (0, _) => (index(name(&v.name), number(v.number(lo))), None),
            (1, Some(at)) => (index(name(&v.name), at.clone()), within(&at, high)),
            (2, Some(at)) => {
                let w = w.min(8);
                (indexed(name(&v.name), at.clone(), w, true), within(&at, high + 1 - i64::from(w)))
            }
            _ => (v.part(lo, w), None),
        }
    }

    fn memory_write(&mut self) -> Stmt {
        let Some(m) = self.memories.choose(self.rng).cloned() else { return stmt(StmtKind::Null) };
        let at = self.narrow_index(8).unwrap_or_else(|| int(0));
        let guard = bin(BinaryOp::Lt, at.clone(), int(m.depth));
        let word = index(name(&m.name), at);
        let target = if m.width > 1 && self.rng.random_bool(0.2) {
            let hi = self.rng.random_range(0..m.width);
            super::build::part(word, i64::from(hi), i64::from(self.rng.random_range(0..=hi)))
        } else {
            word
        };
        let value = self.value(2, m.width);
        guarded(Some(guard), assign(target, value, self.blocking))
    }

    fn for_loop(&mut self, depth: u32) -> Stmt {
        let Some(counter) = self.counters.pop() else { return stmt(StmtKind::Null) };
        let count = self.rng.random_range(1..6);
        self.pool.counter = Some((counter.clone(), count));
        let body = self.body(depth);
        self.pool.counter = None;
        let i = || name(&counter);
        let (first, condition, step) = match self.rng.random_range(0..3) {
            0 => (int(count), bin(BinaryOp::Gt, i(), int(0)), bin(BinaryOp::Sub, i(), int(1))),
            1 => (int(0), bin(BinaryOp::Lt, i(), int(2 * count)), bin(BinaryOp::Add, i(), int(2))),
            _ => (int(0), bin(BinaryOp::Lt, i(), int(count)), bin(BinaryOp::Add, i(), int(1))),
        };
        let for_loop = stmt(StmtKind::For {
            init: Box::new(assign(i(), first, true)),
            condition,
            step: Box::new(assign(i(), step, true)),
            body: Box::new(body),
        });
        self.counters.push(counter);
        for_loop
    }

    fn case(&mut self, depth: u32) -> Stmt {
        let kind = *[CaseKind::Case, CaseKind::Case, CaseKind::Casez].choose(self.rng).unwrap_or(&CaseKind::Case);
        // A narrow subject, so that labels are met.
        let vector = Exprs { rng: self.rng, pool: &self.pool, narrow: false }.vector();
        let subject = match vector {
            Some(v) if self.rng.random_bool(0.7) => {
                let w = v.width.min(self.rng.random_range(1..5));
                Made { e: v.part(0, w), width: w, signed: false, sized: true }
            }
            _ => self.expr(2),
        };
        let mut arms: Vec<CaseArm> = Vec::new();
        for _ in 0..self.rng.random_range(1..5) {
            let labels = (0..self.rng.random_range(1..3)).map(|_| self.label(kind, &subject)).collect();
            arms.push(CaseArm { labels, body: self.body(depth) });
        }
        if self.rng.random_bool(0.6) {
            arms.push(CaseArm { labels: Vec::new(), body: self.body(depth) });
        }
        stmt(StmtKind::Case { kind, subject: subject.e, arms, full: false })
    }

    fn label(&mut self, kind: CaseKind, subject: &Made) -> Expr {
        if self.rng.random_bool(0.1) && kind == CaseKind::Case {
            // A plain signal: Verilator refuses labels in which it cannot exclude x.
            if let Some(v) = self.pool.vars.choose(self.rng) {
                return name(&v.name);
            }
        }
        let width = match self.rng.random_range(0..6) {
            0 => subject.width + 2,
            1 => subject.width.max(2) - 1,
            _ => subject.width,
        };
        let signed = subject.signed && self.rng.random_bool(0.7);
        if kind == CaseKind::Case {
            return lit(value(self.rng, width), signed);
        }
        let z = value(self.rng, width).and(&value(self.rng, width));
        let literal = Literal {
            width: Some(width),
            signed,
            value: value(self.rng, width).and(&z.not()),
            x: Bits::zero(width),
            z,
        };
        super::build::expr(ExprKind::Literal(literal))
    }
}
