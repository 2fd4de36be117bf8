//! What is around the statements of a process: sensitivity, asynchronous resets, the conditions of
//! case, initial blocks and `$readmemh`.
//!
//! Of several edges one is the clock. The others must be tested first, by an if chain at the top of
//! the process that asks for exactly the level after the edge; what stays when all are tested is
//! the clock. That test is for synthesis's sake: it tells apart what hardware can do. The meaning
//! is the standard's (IEEE 1364-2005 9.7.2): the whole process runs at each edge of the list, and
//! at nothing else. So a load takes the data of that moment, and a set released while a reset is
//! still active leaves the register set until the next edge.

use super::process::Branches;
use super::select::{Reference, Select};
use super::unit::{Name, Result, Unit};
use crate::ast::{CaseArm, CaseKind, EdgeOf, Expr, ExprKind, Sensitivity, Span, Stmt, StmtKind};
use crate::bits::Bits;
use crate::graph::{NodeId, Op};
use crate::Error;

/// Widest subject of a case that is looked at value by value.
const TABLE_WIDTH: u32 = 12;

/// The clock of a process and its other edges: signal, rising.
type Edges = ((NodeId, bool), Vec<(NodeId, bool)>);

/// One label: `subject & care == value`, or never.
struct Label {
    node: NodeId,
    care: Bits,
    never: bool,
}

impl Unit<'_, '_> {
    pub fn always(&mut self, sensitivity: &Sensitivity, body: &Stmt, span: Span) -> Result<()> {
        let edges = match sensitivity {
            Sensitivity::Edges(edges) => edges,
            Sensitivity::Combinational => return self.combinational(body),
            Sensitivity::Levels(signals) => {
                // Taken for `*`, but what is not there cannot be waited for.
                for signal in signals {
                    self.alone(signal)?;
                }
                return self.combinational(body);
            }
        };
        let mut open = Vec::new();
        for EdgeOf { rising, signal } in edges {
            let wide = self.alone(signal)?;
            let node = self.b.slice(wide, 0, 1);
            let active = if *rising { node } else { self.b.not(node) };
            open.push((node, *rising, active));
        }
        self.begin(true, false);
        let depth = self.names.len();
        let tested = self.asynchronous_edges(open, body, span);
        self.names.truncate(depth);
        let ((clock, rising), asynchronous) = tested?;
        self.execute(body)?;
        self.end_clocked(clock, rising, &asynchronous)
    }

    fn combinational(&mut self, body: &Stmt) -> Result<()> {
        self.begin(false, false);
        self.execute(body)?;
        self.end_combinational()
    }

    /// Which edge of a process is its clock, and the others, each of which its body tests first.
    /// `open`: signal, rising, the level after the edge. Enters the scopes of blocks on the way.
    fn asynchronous_edges(&mut self, mut open: Vec<(NodeId, bool, NodeId)>, body: &Stmt, span: Span) -> Result<Edges> {
        let mut asynchronous = Vec::new();
        let mut rest = Some(body);
        while open.len() > 1 {
            let chosen = match rest.map(|s| self.only_statement(s)).transpose()? {
                Some(Stmt { kind: StmtKind::If { condition, otherwise, .. }, .. }) => {
                    let c = self.condition(condition)?;
                    open.iter().position(|e| e.2 == c).map(|at| (at, otherwise.as_deref()))
                }
                _ => None,
            };
            let Some((at, otherwise)) = chosen else {
                let kinds: Vec<&str> = open.iter().map(|e| if e.1 { "posedge" } else { "negedge" }).collect();
                let names = kinds.join(", ");
                let help = format!(
                    "test each asynchronous reset, set or load first, as `if (reset) ... else ...` alone at the top of the process; \
                     {} edges are not yet tested here ({names}), and only the clock's may be",
                    open.len()
                );
                return self.unsupported(
                    rest.map_or(span, |s| s.span),
                    "process with several edges in this form",
                    &help,
                );
            };
            let (signal, rising, _) = open.remove(at);
            asynchronous.push((signal, rising));
            rest = otherwise;
        }
        match open.first() {
            Some(&(clock, rising, _)) => Ok(((clock, rising), asynchronous)),
            None => self.error(span, "a process needs an edge to wait for"),
        }
    }

    /// A process's body without the `begin ... end` around its only statement, what has no effect
    /// not counted. Enters the scopes of the blocks.
    fn only_statement<'s>(&mut self, s: &'s Stmt) -> Result<&'s Stmt> {
        let mut s = s;
        while let StmtKind::Block { name, nets, body } = &s.kind {
            let idle = |s: &&Stmt| match &s.kind {
                StmtKind::Null => true,
                StmtKind::Task { name, .. } => !name.starts_with("$readmem"),
                _ => false,
            };
            let mut effects = body.iter().filter(|s| !idle(s));
            let (Some(only), None) = (effects.next(), effects.next()) else { break };
            self.enter_block(s.span, name.as_deref(), nets)?;
            s = only;
        }
        Ok(s)
    }

    pub fn initial(&mut self, body: &Stmt) -> Result<()> {
        self.begin(false, true);
        self.execute(body)?;
        self.end_initial();
        Ok(())
    }

    /// The arms of a case with a condition each.
    pub fn case<'s>(&mut self, kind: CaseKind, subject: &Expr, arms: &'s [CaseArm]) -> Result<Branches<'s>> {
        let (mut width, mut signed) = self.size(subject)?;
        for label in arms.iter().flat_map(|a| &a.labels) {
            let (w, s) = self.size(label)?;
            (width, signed) = (width.max(w), signed && s);
        }
        let subject = self.eval(subject, width, signed)?;
        let (mut list, mut labels, mut otherwise) = (Vec::new(), Vec::new(), None);
        for arm in arms {
            if arm.labels.is_empty() {
                otherwise = Some(&arm.body);
                continue;
            }
            let mut condition = self.b.bit(false);
            let mut of_arm = Vec::new();
            for text in &arm.labels {
                let label = self.label(kind, text, width, signed)?;
                if !label.never {
                    let hit = self.matches(subject, &label);
                    condition = self.b.or(condition, hit);
                    of_arm.push(label);
                }
            }
            labels.push(of_arm);
            list.push((condition, &arm.body));
        }
        let (narrow, table) = self.arm_by_value(subject, &labels);
        let full = table.as_ref().is_some_and(|t| t.iter().all(Option::is_some));
        let disjoint = self.exclusive(&labels);
        Ok(Branches { arms: list, otherwise, disjoint, full, promised: false, table: table.map(|t| (narrow, t)) })
    }

    fn label(&mut self, kind: CaseKind, text: &Expr, width: u32, signed: bool) -> Result<Label> {
        let unknown = match &text.kind {
            ExprKind::Literal(l) => Some((l.x.clone(), l.z.clone())),
            ExprKind::Name(n) => match self.lookup(n) {
                Some(Name::Constant(c)) => c.unknown.clone(),
                _ => None,
            },
            _ => None,
        };
        let node = self.eval(text, width, signed)?;
        let (x, z) = unknown.unwrap_or_else(|| (Bits::zero(1), Bits::zero(1)));
        // A top digit of x or z extends like a sign where signs are extended, and in a literal
        // without size.
        let unsized_literal = matches!(&text.kind, ExprKind::Literal(l) if l.width.is_none());
        let extend = |b: Bits| if signed || unsized_literal { b.sext(width) } else { b.zext(width) };
        let (x, z) = (extend(x), extend(z));
        let (never, care) = match kind {
            CaseKind::Case => (!x.is_zero() || !z.is_zero(), Bits::ones(width)),
            CaseKind::Casez => (!x.is_zero(), z.not()),
            CaseKind::Casex => (false, z.or(&x).not()),
        };
        Ok(Label { node, care, never })
    }

    fn matches(&mut self, subject: NodeId, label: &Label) -> NodeId {
        let runs = super::cover::runs(label.care.width(), |bit| label.care.get(bit).then_some(()));
        match runs[..] {
            [] => self.b.bit(true),
            // one run of bits that count
            [(lo, len)] => {
                let (a, b) = (self.b.slice(subject, lo, len), self.b.slice(label.node, lo, len));
                self.b.make(Op::Eq, 1, &[a, b])
            }
            _ => {
                let care = self.b.constant(label.care.clone());
                let (a, b) = (self.b.and(subject, care), self.b.and(label.node, care));
                self.b.make(Op::Eq, 1, &[a, b])
            }
        }
    }

    /// Exact constant labels, all different.
    fn exclusive(&self, labels: &[Vec<Label>]) -> bool {
        let mut seen = std::collections::HashSet::new();
        labels.iter().flatten().all(|l| l.care.is_ones() && self.b.as_const(l.node).is_some() && seen.insert(l.node))
    }

    /// For each value of a small subject the arm it selects, if labels are constant.
    fn arm_by_value(&mut self, subject: NodeId, labels: &[Vec<Label>]) -> (NodeId, Option<Vec<Option<u32>>>) {
        let n = self.b.node(subject);
        let narrow = if n.op == Op::ZExt { n.args[0] } else { subject };
        let width = self.b.width(narrow);
        let exact = labels.iter().flatten().all(|l| l.care.is_ones());
        let count: usize = labels.iter().map(Vec::len).sum();
        if width > TABLE_WIDTH || self.b.as_const(subject).is_some() {
            return (narrow, None);
        }
        if exact && count < 1 << width && labels.len() < 4 {
            return (narrow, None);
        }
        let mut arms = vec![None; 1 << width];
        for (k, of_arm) in labels.iter().enumerate().rev() {
            for l in of_arm {
                let Some(v) = self.b.as_const(l.node) else { return (narrow, None) };
                let v = v.and(&l.care);
                if v.small().is_none_or(|v| v >> width != 0) {
                    continue;
                }
                let (v, care) = (v.to_u64() as usize, l.care.to_u64() as usize & (arms.len() - 1));
                if l.care.is_ones() {
                    arms[v] = Some(k as u32);
                } else {
                    for (value, arm) in arms.iter_mut().enumerate() {
                        if value & care == v {
                            *arm = Some(k as u32);
                        }
                    }
                }
            }
        }
        (narrow, Some(arms))
    }

    /// A word of a memory in an initial block.
    pub fn initial_word(&mut self, memory: u32, addr: NodeId, t: &Reference, value: NodeId, span: Span) -> Result<()> {
        let (Some(addr), Some(value)) = (self.b.as_const(addr).cloned(), self.b.as_const(value).cloned()) else {
            return self.error(span, "initial values must be constant");
        };
        let m = &mut self.memories[memory as usize];
        let Some(at) = addr.small().filter(|&a| a < u64::from(m.depth)).map(|a| a as usize) else { return Ok(()) };
        if m.init.len() <= at {
            m.init.resize(at + 1, None);
        }
        // Bits that nothing gives of a word that is given in part are zero.
        let word = m.init[at].get_or_insert_with(|| Bits::zero(m.width));
        match t.select {
            Select::Whole => *word = value,
            Select::Fixed { lo } => {
                for i in 0..t.width {
                    if let Some(bit) = u32::try_from(lo + i64::from(i)).ok().filter(|&b| b < word.width()) {
                        word.set(bit, value.get(i));
                    }
                }
            }
            Select::Moving { .. } => return self.error(span, "initial values must be constant"),
        }
        Ok(())
    }

    /// `$readmemh("file", memory [, start [, end]])`; the file is looked for beside the source.
    pub fn readmem(&mut self, span: Span, name: &str, arguments: &[Expr]) -> Result<()> {
        let (file, memory) = match arguments {
            [Expr { kind: ExprKind::Str(file), .. }, Expr { kind: ExprKind::Name(memory), .. }, ..] => (file, memory),
            _ => return self.error(span, format!("{name} takes a file name in quotes and a memory")),
        };
        let Some(Name::Memory(id)) = self.lookup(memory) else {
            return self.error(span, format!("{memory} is not a memory"));
        };
        let m = &self.memories[id as usize];
        let (first, depth, width) = (m.first, i64::from(m.depth), m.width);
        let mut bounds = (first, first + depth - 1);
        if let Some(e) = arguments.get(2) {
            bounds.0 = self.integer(e)?;
        }
        if let Some(e) = arguments.get(3) {
            bounds.1 = self.integer(e)?;
        }
        let path = self.elab.beside(span, file);
        let text = std::fs::read_to_string(&path)
            .map_err(|e| Error::Io { file: path.display().to_string(), message: format!("{name}: {e}") })?;
        let words = memory_file(&text, name == "$readmemh", width, bounds)
            .map_err(|message| Error::Io { file: path.display().to_string(), message })?;
        let m = &mut self.memories[id as usize];
        for (addr, word) in words {
            let word_of = addr.checked_sub(first).and_then(|a| usize::try_from(a).ok());
            let Some(at) = word_of.filter(|&a| (a as i64) < depth) else {
                let message = format!("address {addr:x} is outside memory {memory}");
                return Err(Error::Io { file: path.display().to_string(), message });
            };
            if m.init.len() <= at {
                m.init.resize(at + 1, None);
            }
            m.init[at] = Some(word);
        }
        Ok(())
    }
}

/// Words of a memory file with their addresses. Digits x and z are zero.
fn memory_file(text: &str, hex: bool, width: u32, bounds: (i64, i64)) -> std::result::Result<Vec<(i64, Bits)>, String> {
    let (radix, digit_bits) = if hex { (16, 4) } else { (2, 1) };
    let (mut at, step) = (bounds.0, if bounds.0 <= bounds.1 { 1 } else { -1 });
    let mut out = Vec::new();
    for (number, token) in tokens(text) {
        if let Some(address) = token.strip_prefix('@') {
            at = i64::from_str_radix(address, 16).map_err(|_| format!("line {number}: address {token}"))?;
            continue;
        }
        let mut word = Bits::zero(width);
        for c in token.chars().filter(|&c| c != '_') {
            let digit = if matches!(c, 'x' | 'X' | 'z' | 'Z' | '?') { Some(0) } else { c.to_digit(radix) };
            let digit = digit.ok_or_else(|| format!("line {number}: {token} is not a number"))?;
            word = word.shl(digit_bits).or(&Bits::new(width, u64::from(digit)));
        }
        out.push((at, word));
        // An address at the end of the numbers is outside any memory, which the caller reports.
        at = at.saturating_add(step);
    }
    Ok(out)
}

/// Words between blanks and comments, with their line numbers.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (i, line) in text.lines().enumerate() {
        let mut rest = line;
        let mut kept = String::new();
        while !rest.is_empty() {
            if inside {
                match rest.find("*/") {
                    Some(end) => (rest, inside) = (&rest[end + 2..], false),
                    None => break,
                }
                kept.push(' ');
            } else {
                let comment = rest.find("//").unwrap_or(rest.len());
                let start = rest.find("/*").unwrap_or(rest.len());
                kept.push_str(&rest[..comment.min(start)]);
                if start < comment {
                    (rest, inside) = (&rest[start + 2..], true);
                } else {
                    break;
                }
            }
        }
        out.extend(kept.split_whitespace().map(|t| (i + 1, t.to_string())));
    }
    out
}
