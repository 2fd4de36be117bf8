//! Processes by symbolic execution: statements are executed once, with nodes for values, and
//! branches are merged by muxes. What is left in the environment at the end is one expression for
//! each target: the combinational value, or the register's next value. Loops are unrolled, as their
//! bounds must be constant. Two slots per net keep blocking and non-blocking values apart: reads
//! see the blocking one only.
//!
//! A bit of a combinational target that some path leaves alone would be a latch, and is refused.
//! The fill of such bits while executing is zero, and the old value in clocked processes, so that
//! nothing depends on a process's own target unless the text reads it.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::builder::Map;
use super::cover::{runs, Cover};
use super::execution::{Edge, Path, Process, Value};
use super::select::{clip, Base, Reference, Select};
use super::unit::{Name, PieceSource, RawRegister, Result, Unit, Write};
use crate::ast::{Expr, ExprKind, Span, Stmt, StmtKind};
use crate::bits::Bits;
use crate::graph::{NodeId, Op};

/// Most iterations of one loop, those of loops inside it included (a memory of 256 K words can be
/// filled).
const MAX_ITERATIONS: u32 = (1 << 18) + 1;

/// Branches of an if chain or a case, with conditions; the first that is true is taken.
pub(super) struct Branches<'s> {
    pub arms: Vec<(NodeId, &'s Stmt)>,
    pub otherwise: Option<&'s Stmt>,
    /// At most one condition can be true.
    pub disjoint: bool,
    /// One condition is always true.
    pub full: bool,
    /// The text promises that one is (`full_case`). The last arm gives a value that is missing.
    pub promised: bool,
    /// If every condition is a set of values of one small subject: the subject, and for each value
    /// the arm (or none: otherwise).
    pub table: Option<(NodeId, Vec<Option<u32>>)>,
}

impl Unit<'_, '_> {
    pub fn running(&mut self) -> &mut Process {
        self.process.get_or_insert_with(Process::default)
    }

    pub fn begin(&mut self, clocked: bool, initial: bool) {
        self.process = Some(Process { clocked, initial, ..Process::default() });
    }

    /// Bits `lo .. lo + len` of a net as a statement or an assignment sees them.
    pub fn read_net(&mut self, net: u32, lo: u32, len: u32, span: Span) -> Result<NodeId> {
        let value = self.process.as_ref().and_then(|p| p.get(2 * net)).cloned();
        let Some(p) = &self.process else {
            let leaf = self.leaf(net);
            return Ok(self.b.slice(leaf, lo, len));
        };
        if p.initial && value.is_none() {
            if let Some((v, _)) = &self.nets[net as usize].init {
                let v = v.slice(lo, len);
                return Ok(self.b.constant(v));
            }
        }
        let Some(value) = value else {
            let leaf = self.leaf(net);
            return Ok(self.b.slice(leaf, lo, len));
        };
        if p.clocked || p.initial || value.def == Cover::All {
            return Ok(self.b.slice(value.node, lo, len));
        }
        let mut parts = Vec::new();
        for (from, n) in runs(len, |bit| Some((value.def.get(lo + bit), value.may.get(lo + bit)))) {
            let bit = lo + from;
            parts.push(match (value.def.get(bit), value.may.get(bit)) {
                (true, _) => self.b.slice(value.node, bit, n),
                (false, false) => {
                    let leaf = self.leaf(net);
                    self.b.slice(leaf, bit, n)
                }
                _ => {
                    let name = &self.nets[net as usize].name;
                    return self.error(
                        span,
                        format!("{name} is read here, but not every path has assigned it before: give it a value at the start of the process"),
                    );
                }
            });
        }
        parts.reverse();
        Ok(self.b.concat(&parts))
    }

    /// Value of a slot before a partial or conditional assignment.
    fn before(&mut self, slot: u32, span: Span) -> Value {
        if let Some(v) = self.running().get(slot) {
            return v.clone();
        }
        let net = slot / 2;
        let width = self.nets[net as usize].width;
        let (clocked, initial) = (self.running().clocked, self.running().initial);
        let mut def = Cover::None;
        let node = if initial {
            let (bits, known) = self.nets[net as usize].init.clone().unwrap_or((Bits::zero(width), Cover::None));
            def = known;
            self.b.constant(bits)
        } else if clocked {
            self.leaf(net)
        } else {
            self.b.zero(width)
        };
        let may = def.clone();
        Value { node, def, may, span }
    }

    pub fn execute(&mut self, s: &Stmt) -> Result<()> {
        self.nested(s.span, |u| u.statement(s))
    }

    fn statement(&mut self, s: &Stmt) -> Result<()> {
        match &s.kind {
            StmtKind::Null => Ok(()),
            StmtKind::Block { name, nets, body } => self.block(s.span, name.as_deref(), nets, body),
            StmtKind::Assign { target, value, blocking } => self.assign(target, value, *blocking),
            StmtKind::If { .. } => {
                let branches = self.if_chain(s)?;
                self.branch(branches, s.span)
            }
            StmtKind::Case { kind, subject, arms, full } => {
                let mut branches = self.case(*kind, subject, arms)?;
                // A clocked process has no latch: there the promise changes nothing.
                let process = self.running();
                branches.promised = *full && !process.clocked && !process.initial && branches.otherwise.is_none();
                self.branch(branches, s.span)
            }
            StmtKind::For { init, condition, step, body } => self.repeat(s.span, init, condition, step, body),
            StmtKind::Task { name, arguments } => match name.as_str() {
                "$readmemh" | "$readmemb" if self.running().initial => self.readmem(s.span, name, arguments),
                _ if name.starts_with('$') && !name.starts_with("$readmem") => Ok(()),
                _ => self.unsupported(
                    s.span,
                    &format!("task {name} here"),
                    "only system tasks, and $readmemh in initial blocks",
                ),
            },
        }
    }

    fn block(&mut self, span: Span, name: Option<&str>, nets: &[crate::ast::Net], body: &[Stmt]) -> Result<()> {
        let scoped = self.enter_block(span, name, nets)?;
        let mut result = Ok(());
        for s in body {
            result = self.execute(s);
            if result.is_err() {
                break;
            }
        }
        if scoped {
            self.names.pop();
        }
        result
    }

    /// Makes the names of a block known, if it has any; they go with the last of `names`.
    pub fn enter_block(&mut self, span: Span, name: Option<&str>, nets: &[crate::ast::Net]) -> Result<bool> {
        if nets.is_empty() {
            return Ok(false);
        }
        let known = self.blocks.get(&span).cloned();
        self.names.push(known.clone().unwrap_or_default());
        if known.is_none() {
            let prefix = format!("{}.", name.unwrap_or("block"));
            for n in nets {
                self.net(n, &prefix)?;
            }
            let scope = self.names.last().cloned().unwrap_or_default();
            self.blocks.insert(span, scope);
        }
        Ok(true)
    }

    fn repeat(&mut self, span: Span, init: &Stmt, condition: &Expr, step: &Stmt, body: &Stmt) -> Result<()> {
        if let StmtKind::Assign { target: Expr { kind: ExprKind::Name(n), .. }, .. } = &init.kind {
            if let (false, Some(Name::Net(id))) = (self.running().initial, self.lookup(n)) {
                self.nets[id as usize].counter = true;
            }
        }
        if self.loops.0 == 0 && self.calls.0 == 0 {
            self.loops.1 = 0;
        }
        self.loops.0 += 1;
        let result = self.rounds(span, init, condition, step, body);
        self.loops.0 -= 1;
        result
    }

    fn rounds(&mut self, span: Span, init: &Stmt, condition: &Expr, step: &Stmt, body: &Stmt) -> Result<()> {
        self.execute(init)?;
        while self.loops.1 < MAX_ITERATIONS {
            self.loops.1 += 1;
            let go = self.condition(condition)?;
            match self.b.as_const(go).map(Bits::is_zero) {
                Some(true) => return Ok(()),
                Some(false) => {}
                None => {
                    return self.unsupported(
                        condition.span,
                        "loop with a bound that is not constant",
                        "unrolling needs constant bounds",
                    )
                }
            }
            self.execute(body)?;
            let before = self.stepped(step)?;
            self.execute(step)?;
            if before == self.stepped(step)? {
                return self.error(span, "this loop does not end: its step changes nothing");
            }
        }
        self.error(span, format!("this loop does not end within {MAX_ITERATIONS} iterations, inner loops included"))
    }

    /// Value of what a loop's step assigns.
    fn stepped(&mut self, step: &Stmt) -> Result<Option<NodeId>> {
        match &step.kind {
            StmtKind::Assign { target, .. } => Ok(Some(self.alone(target)?)),
            _ => self.error(step.span, "the step of a loop must be an assignment"),
        }
    }

    /// An else-if chain is one list of arms, however long.
    fn if_chain<'s>(&mut self, s: &'s Stmt) -> Result<Branches<'s>> {
        let mut arms = Vec::new();
        let mut otherwise = Some(s);
        while let Some(Stmt { kind: StmtKind::If { condition, then, otherwise: rest }, .. }) = otherwise {
            let c = self.condition(condition)?;
            arms.push((c, &**then));
            otherwise = rest.as_deref();
        }
        Ok(Branches { arms, otherwise, disjoint: false, full: false, promised: false, table: None })
    }

    fn branch(&mut self, branches: Branches<'_>, span: Span) -> Result<()> {
        let Branches { arms, mut otherwise, disjoint, mut full, mut promised, table } = branches;
        let mut conditions = Rc::new(Vec::new());
        let mut deltas = Vec::new();
        let numbered = arms.len();
        for (k, (c, body)) in arms.into_iter().enumerate() {
            match self.b.as_const(c).map(Bits::is_zero) {
                Some(true) if table.is_none() => continue,
                Some(false) => {
                    otherwise = Some(body);
                    (full, promised) = (false, false);
                    break;
                }
                None if self.running().initial => {
                    return self.error(span, "this condition of an initial block is not constant")
                }
                _ => {}
            }
            let mark = self.running().path.len();
            if !disjoint && !conditions.is_empty() {
                let len = conditions.len();
                self.running().path.push(Path::NoneOf(conditions.clone(), len));
            }
            self.running().path.push(Path::Is(c));
            let delta = self.apart(body)?;
            self.running().path.truncate(mark);
            deltas.push((c, delta, k));
            Rc::make_mut(&mut conditions).push(c);
        }
        let rest = match otherwise {
            Some(_) if full => Map::default(),
            Some(body) if deltas.is_empty() => return self.execute(body),
            Some(body) => {
                let len = conditions.len();
                self.running().path.push(Path::NoneOf(conditions, len));
                let delta = self.apart(body)?;
                self.running().path.pop();
                delta
            }
            None => Map::default(),
        };
        let slots: BTreeSet<u32> = deltas.iter().flat_map(|d| d.1.keys()).chain(rest.keys()).copied().collect();
        let table = table.filter(|_| deltas.len() == numbered);
        for slot in slots {
            self.merge(slot, &deltas, &rest, (full, promised), &table, span);
        }
        Ok(())
    }

    /// Executes a branch and undoes it.
    fn apart(&mut self, body: &Stmt) -> Result<Map<u32, Value>> {
        let mark = self.running().journal.len();
        self.execute(body)?;
        Ok(self.running().undo(mark))
    }

    fn merge(
        &mut self,
        slot: u32,
        deltas: &[(NodeId, Map<u32, Value>, usize)],
        rest: &Map<u32, Value>,
        (full, promised): (bool, bool),
        table: &Option<(NodeId, Vec<Option<u32>>)>,
        span: Span,
    ) {
        let base = self.before(slot, span);
        let of = |d: &Map<u32, Value>| d.get(&slot).cloned().unwrap_or_else(|| base.clone());
        let missing = |d: &(NodeId, Map<u32, Value>, usize)| {
            let may = of(&d.1).may;
            base.def.and(&may) != may
        };
        let last = match deltas.last() {
            Some(d) if full || promised && deltas.iter().any(missing) => of(&d.1),
            _ => of(rest),
        };
        let mut out = last.clone();
        out.span = deltas.iter().find_map(|d| d.1.get(&slot)).map_or(out.span, |v| v.span);
        for (_, d, _) in deltas.iter() {
            let v = of(d);
            out.def = out.def.and(&v.def);
            out.may = out.may.or(&v.may);
        }
        let arms: Vec<NodeId> = deltas.iter().map(|d| of(&d.1).node).collect();
        out.node = match table.as_ref().and_then(|t| self.tabulate(t, &arms, last.node)) {
            Some(node) => node,
            None => {
                let mut node = last.node;
                for (arm, d) in arms.iter().zip(deltas).rev() {
                    node = self.b.mux(d.0, *arm, node);
                }
                node
            }
        };
        self.running().set(slot, out);
    }

    /// A constant table, if every arm is constant and there are enough of them.
    fn tabulate(&mut self, table: &(NodeId, Vec<Option<u32>>), arms: &[NodeId], rest: NodeId) -> Option<NodeId> {
        if arms.len() < 4 {
            return None;
        }
        let default = self.b.as_const(rest)?.clone();
        let values: Option<Vec<Bits>> = arms.iter().map(|&a| self.b.as_const(a).cloned()).collect();
        let values = values?;
        if values.iter().all(|v| *v == default) {
            return Some(rest);
        }
        let mut words: Vec<Bits> =
            table.1.iter().map(|arm| arm.map_or(&default, |k| &values[k as usize]).clone()).collect();
        while words.last() == Some(&default) {
            words.pop();
        }
        let width = default.width();
        let id = self.b.table(crate::graph::Table { width, words, default });
        Some(self.b.intern(Op::Table(id), width, &[table.0]))
    }

    fn assign(&mut self, target: &Expr, value: &Expr, blocking: bool) -> Result<()> {
        let mut targets = Vec::new();
        self.targets(target, &mut targets)?;
        let width = targets.iter().map(|t| t.0.width).sum();
        let value = self.assigned(value, width)?;
        let mut at = width;
        for (t, span) in targets {
            at -= t.width;
            let part = self.b.slice(value, at, t.width);
            self.store(&t, part, blocking, span)?;
        }
        Ok(())
    }

    /// Targets of an assignment, most significant first.
    pub fn targets(&mut self, e: &Expr, out: &mut Vec<(Reference, Span)>) -> Result<()> {
        match &e.kind {
            ExprKind::Concat(parts) => {
                for p in parts {
                    self.nested(p.span, |u| u.targets(p, out))?;
                }
            }
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Part(..) | ExprKind::Indexed { .. } => {
                let r = self.reference(e)?;
                if matches!(r.base, Base::Value(_)) {
                    return self.error(
                        e.span,
                        "this cannot be assigned: it is a parameter, or a wire whose index is not constant or outside of its array",
                    );
                }
                out.push((r, e.span));
            }
            _ => return self.error(e.span, "this cannot be assigned"),
        }
        Ok(())
    }

    fn store(&mut self, t: &Reference, value: NodeId, blocking: bool, span: Span) -> Result<()> {
        match t.base {
            Base::Net(net) => {
                if !self.nets[net as usize].variable {
                    let name = &self.nets[net as usize].name;
                    return self.error(span, format!("{name} is assigned in a process and must be declared reg"));
                }
                let initial = self.running().initial;
                if initial && self.b.as_const(value).is_none() {
                    return self.error(span, "initial values must be constant");
                }
                let slot = 2 * net + u32::from(!blocking && !initial);
                let total = self.nets[net as usize].width;
                let new = match t.select {
                    Select::Whole => Value { node: value, def: Cover::All, may: Cover::All, span },
                    _ => {
                        let mut new = self.before(slot, span);
                        let (node, cover) = self.insert(new.node, t, value, total);
                        new.node = node;
                        if matches!(t.select, Select::Fixed { .. }) {
                            new.def = new.def.or(&cover);
                        }
                        new.may = new.may.or(&cover);
                        new
                    }
                };
                self.running().set(slot, new);
                Ok(())
            }
            Base::Word { memory, addr } => self.store_word(memory, addr, t, value, blocking, span),
            Base::Value(_) => {
                self.error(span, "this cannot be assigned: it is a parameter, or a wire whose index is not constant or outside of its array")
            }
        }
    }

    /// `old` with the selected bits replaced, and which bits that may be.
    fn insert(&mut self, old: NodeId, t: &Reference, value: NodeId, total: u32) -> (NodeId, Cover) {
        match t.select {
            Select::Whole => (value, Cover::All),
            Select::Fixed { lo } => {
                let (from, len) = clip(lo, t.width, total);
                if len == 0 {
                    return (old, Cover::None);
                }
                let bits = self.b.slice(value, (i64::from(from) - lo) as u32, len);
                let mut parts = Vec::new();
                if from + len < total {
                    parts.push(self.b.slice(old, from + len, total - from - len));
                }
                parts.push(bits);
                if from > 0 {
                    parts.push(self.b.slice(old, 0, from));
                }
                (self.b.concat(&parts), Cover::range(total, from, len))
            }
            Select::Moving { offset, bias } => {
                let ones = self.b.constant(Bits::ones(t.width));
                let mask = self.moved(ones, offset, bias, total);
                let data = self.moved(value, offset, bias, total);
                let keep = self.b.not(mask);
                let kept = self.b.and(old, keep);
                (self.b.or(kept, data), Cover::All)
            }
        }
    }

    /// `value` at a moving offset of `total` zeros.
    fn moved(&mut self, value: NodeId, offset: NodeId, bias: u32, total: u32) -> NodeId {
        let wide = (total + bias).max(self.b.width(value));
        let value = self.b.zext(value, wide);
        let value = self.b.make(Op::Shl, wide, &[value, offset]);
        self.b.slice(value, bias, total)
    }

    fn store_word(
        &mut self,
        memory: u32,
        addr: NodeId,
        t: &Reference,
        value: NodeId,
        blocking: bool,
        span: Span,
    ) -> Result<()> {
        let width = self.memories[memory as usize].width;
        if self.running().initial {
            return self.initial_word(memory, addr, t, value, span);
        }
        if !self.running().clocked {
            let name = self.memories[memory as usize].name.clone();
            return self.unsupported(
                span,
                &format!("memory {name} written without a clock"),
                "write memories in clocked processes",
            );
        }
        if blocking {
            self.running().blocking_writes.insert(memory);
        }
        let zero = self.b.zero(width);
        let (data, _) = self.insert(zero, t, value, width);
        let mask = match t.select {
            Select::Whole => None,
            _ => {
                let ones = self.b.constant(Bits::ones(t.width));
                Some(self.insert(zero, t, ones, width).0)
            }
        };
        let enable = self.path_condition();
        self.running().writes.push((memory, enable, addr, data, mask, span));
        Ok(())
    }

    fn path_condition(&mut self) -> NodeId {
        let path = self.running().path.clone();
        let mut enable = self.b.bit(true);
        for p in path {
            match p {
                Path::Is(c) => enable = self.b.and(enable, c),
                Path::NoneOf(conditions, n) => {
                    for &c in &conditions[..n] {
                        let not = self.b.not(c);
                        enable = self.b.and(enable, not);
                    }
                }
            }
        }
        enable
    }

    /// A bit that a process assigns in both ways has two values.
    fn one_way(&self, process: &Process) -> Result<()> {
        for (net, both) in process.values.chunks(2).enumerate() {
            let [Some(a), Some(b)] = both else { continue };
            // `loop_variables` decides later what drives these.
            if self.nets[net].counter {
                continue;
            }
            if a.may.and(&b.may) != Cover::None {
                let (first, second) = if a.span.offset <= b.span.offset { (a, b) } else { (b, a) };
                let name = &self.nets[net].name;
                let place = self.elab.place(first.span);
                let message = format!(
                    "{name} is assigned with = and with <= in one process (the other is at {place}): use one of them"
                );
                return self.error(second.span, message);
            }
        }
        Ok(())
    }

    /// Ends a combinational process: its targets are driven.
    pub fn end_combinational(&mut self) -> Result<()> {
        let process = self.process.take().unwrap_or_default();
        self.one_way(&process)?;
        for (slot, value) in process.values.into_iter().enumerate() {
            let Some(v) = value else { continue };
            let net = slot as u32 / 2;
            if self.leave(net, &v, None) {
                continue;
            }
            let n = &self.nets[net as usize];
            let width = n.width;
            if v.def != v.may {
                let name = n.name.clone();
                return self.error(
                    v.span,
                    format!("{name} is not assigned on every path and would be a latch: give it a value at the start of the process"),
                );
            }
            for (lo, len) in runs(width, |bit| v.may.get(bit).then_some(())) {
                let node = self.b.slice(v.node, lo, len);
                self.drive(net, lo, len, PieceSource::Node(node), v.span);
            }
        }
        Ok(())
    }

    /// Ends a clocked process: its targets become registers. `asynchronous`: further signals whose
    /// edges it waits for.
    pub fn end_clocked(&mut self, clock: NodeId, rising: bool, asynchronous: &[(NodeId, bool)]) -> Result<()> {
        let asynchronous: Rc<[(NodeId, bool)]> = asynchronous.into();
        let edge = Edge { clock, rising, asynchronous: asynchronous.clone() };
        let process = self.process.take().unwrap_or_default();
        self.one_way(&process)?;
        for (slot, value) in process.values.into_iter().enumerate() {
            let Some(v) = value else { continue };
            let net = slot as u32 / 2;
            if self.leave(net, &v, Some(&edge)) {
                continue;
            }
            let asynchronous = asynchronous.clone();
            self.raw.push(RawRegister { net, span: v.span, clock, rising, next: v.node, may: v.may, asynchronous });
        }
        for (memory, enable, addr, data, mask, _) in process.writes {
            let asynchronous = asynchronous.clone();
            let write = Write { clock, rising, enable, addr, data, mask, asynchronous };
            self.memories[memory as usize].writes.push(write);
        }
        Ok(())
    }

    /// Ends an initial block: its values become start values.
    pub fn end_initial(&mut self) {
        let process = self.process.take().unwrap_or_default();
        for (slot, value) in process.values.into_iter().enumerate() {
            let Some(v) = value else { continue };
            if let Some(bits) = self.b.as_const(v.node) {
                self.nets[slot / 2].init = Some((bits.clone(), v.def));
            }
        }
    }
}
