//! Makes a failing module small. An edit replaces one statement or expression by something simpler;
//! a round tries many edits at once (one module each, in one batch), then takes as many of the good
//! ones together as still fail. What no output needs any more is removed after each edit. The
//! result is only as good as the predicate: it must also hold that no x appears, or the shrinker
//! finds another failure than the one it started from.

use std::collections::{BTreeMap, HashSet};

use super::build::{lit, stmt};
use super::module::RandomModule;
use crate::ast::{Expr, ExprKind, Item, Module, Sensitivity, Stmt, StmtKind};
use crate::bits::Bits;

/// Modules that are tried in one batch.
const BATCH: usize = 48;
/// Rounds of shrinking.
const ROUNDS: usize = 60;

/// What to put in the place of a site: zero or nothing, or one of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edit {
    Drop,
    Part(usize),
}

type Edits = BTreeMap<usize, Edit>;

/// Makes a module that `fails` says fails smaller. `fails` gets modules of different names and says
/// of each whether it fails.
pub fn shrink(module: &RandomModule, fails: &mut dyn FnMut(&[RandomModule]) -> Vec<bool>) -> RandomModule {
    let mut best = clean(module);
    best = fewest_outputs(best, fails);
    let mut from = 0;
    for _ in 0..ROUNDS {
        let sites = Walk::new(&Edits::new()).count(&mut best.clone());
        let all: Vec<(usize, Edit)> = sites.iter().enumerate().flat_map(|(i, n)| edits_of(i, *n)).collect();
        let tried = &all[from.min(all.len())..(from + BATCH).min(all.len())];
        if tried.is_empty() {
            return best;
        }
        let single: Vec<RandomModule> = tried.iter().map(|&(i, e)| apply(&best, &Edits::from([(i, e)]))).collect();
        let bad = verdicts(&single, fails);
        let mut good: Vec<(usize, Edit)> = Vec::new();
        for (edit, bad) in tried.iter().zip(bad) {
            if bad && good.last().is_none_or(|g| g.0 != edit.0) {
                good.push(*edit);
            }
        }
        if good.is_empty() {
            from += BATCH;
            continue;
        }
        let mut some = good.len();
        let mut sizes = Vec::new();
        while some > 0 {
            sizes.push(some);
            some /= 2;
        }
        let together: Vec<_> =
            sizes.iter().map(|&n| apply(&best, &good[..n].iter().copied().collect::<Edits>())).collect();
        match verdicts(&together, fails).iter().position(|&b| b) {
            Some(k) => best = together[k].clone(),
            None => from += BATCH,
        }
    }
    best
}

fn edits_of(site: usize, parts: usize) -> Vec<(usize, Edit)> {
    let mut list = vec![(site, Edit::Drop)];
    list.extend((0..parts).map(|k| (site, Edit::Part(k))));
    list
}

/// Names are made different, and what is the same as before does not count.
fn verdicts(list: &[RandomModule], fails: &mut dyn FnMut(&[RandomModule]) -> Vec<bool>) -> Vec<bool> {
    fails(&list.iter().enumerate().map(|(i, m)| renamed(m, i)).collect::<Vec<_>>())
}

fn renamed(module: &RandomModule, number: usize) -> RandomModule {
    let mut m = module.clone();
    for module in &mut m.ast.modules {
        module.name = format!("{}_{number}", module.name);
        for item in &mut module.items {
            if let Item::Instance(i) = item {
                i.module = format!("{}_{number}", i.module);
            }
        }
    }
    m
}

fn fewest_outputs(best: RandomModule, fails: &mut dyn FnMut(&[RandomModule]) -> Vec<bool>) -> RandomModule {
    let single: Vec<RandomModule> = best
        .outputs
        .iter()
        .map(|o| {
            let mut m = best.clone();
            m.outputs = vec![o.clone()];
            clean(&m)
        })
        .collect();
    match verdicts(&single, fails).iter().position(|&b| b) {
        Some(k) => single[k].clone(),
        None => best,
    }
}

fn apply(module: &RandomModule, edits: &Edits) -> RandomModule {
    let mut m = module.clone();
    Walk::new(edits).count(&mut m);
    clean(&m)
}

/// Visits the sites of a module in order, editing those that are in the list.
struct Walk<'a> {
    edits: &'a Edits,
    /// Number of parts of each site.
    sites: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(edits: &'a Edits) -> Self {
        Walk { edits, sites: Vec::new() }
    }

    fn count(mut self, m: &mut RandomModule) -> Vec<usize> {
        for module in &mut m.ast.modules {
            for item in &mut module.items {
                match item {
                    Item::Net(n) => n.init.iter_mut().for_each(|e| self.expr(e)),
                    Item::Assign { value, .. } => self.expr(value),
                    Item::Always { body, .. } => self.stmt(body),
                    Item::Instance(i) => i.ports.iter_mut().filter_map(|c| c.value.as_mut()).for_each(|e| {
                        // Outputs are connected to plain names, which are no sites.
                        if !matches!(e.kind, ExprKind::Name(_)) {
                            self.expr(e);
                        }
                    }),
                    // Without its initial value a register would be x.
                    Item::Initial { .. } | Item::Parameter(_) | Item::Function(_) => {}
                }
            }
        }
        self.sites
    }

    /// The edit of the next site, which has that many parts.
    fn site(&mut self, parts: usize) -> Option<Edit> {
        self.sites.push(parts);
        self.edits.get(&(self.sites.len() - 1)).copied()
    }

    /// Counts what is inside a replaced node without editing it.
    fn skip(&mut self, f: impl FnOnce(&mut Walk<'_>)) {
        let none = Edits::new();
        let mut inner = Walk::new(&none);
        f(&mut inner);
        self.sites.append(&mut inner.sites);
    }

    fn stmt(&mut self, s: &mut Stmt) {
        let parts: Vec<Stmt> = match &s.kind {
            StmtKind::If { then, otherwise, .. } => {
                std::iter::once((**then).clone()).chain(otherwise.as_ref().map(|o| (**o).clone())).collect()
            }
            StmtKind::Case { arms, .. } => arms.iter().map(|a| a.body.clone()).collect(),
            StmtKind::Block { body, .. } if body.len() == 1 => body.clone(),
            _ => Vec::new(),
        };
        if matches!(s.kind, StmtKind::Null) {
            return;
        }
        if let Some(edit) = self.site(parts.len()) {
            let mut old = std::mem::replace(s, stmt(StmtKind::Null));
            self.skip(|w| w.inside(&mut old));
            if let Edit::Part(k) = edit {
                *s = parts.into_iter().nth(k).unwrap_or(old);
            }
            return;
        }
        self.inside(s);
    }

    fn inside(&mut self, s: &mut Stmt) {
        match &mut s.kind {
            StmtKind::Block { body, .. } => {
                body.iter_mut().for_each(|s| self.stmt(s));
                if !self.edits.is_empty() {
                    body.retain(|s| s.kind != StmtKind::Null);
                }
            }
            StmtKind::Assign { value, .. } => self.expr(value),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.stmt(then);
                otherwise.iter_mut().for_each(|s| self.stmt(s));
            }
            StmtKind::Case { subject, arms, .. } => {
                self.expr(subject);
                arms.iter_mut().for_each(|a| self.stmt(&mut a.body));
            }
            StmtKind::For { body, .. } => self.stmt(body),
            StmtKind::Null | StmtKind::Task { .. } => {}
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        let parts: Vec<Expr> = children(e).into_iter().map(|c| c.clone()).collect();
        if matches!(&e.kind, ExprKind::Literal(_)) {
            return;
        }
        match self.site(parts.len()) {
            Some(edit) => {
                let mut old = std::mem::replace(e, lit(Bits::zero(1), false));
                self.skip(|w| children(&mut old).into_iter().for_each(|c| w.expr(c)));
                if let Edit::Part(k) = edit {
                    *e = parts.into_iter().nth(k).unwrap_or(old);
                }
            }
            None => children(e).into_iter().for_each(|c| self.expr(c)),
        }
    }
}

/// Operands that may be edited; bounds, counts and what is selected from must stay.
fn children(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut e.kind {
        ExprKind::Unary(_, a) => vec![a],
        ExprKind::Binary(_, a, b) => vec![a, b],
        ExprKind::Conditional(c, a, b) => vec![c, a, b],
        ExprKind::Concat(list) | ExprKind::Repeat(_, list) | ExprKind::Call(_, list) => list.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// Removes outputs that are not listed and all that none of the listed ones needs.
fn clean(module: &RandomModule) -> RandomModule {
    let mut m = module.clone();
    let keep: HashSet<String> = m.outputs.iter().map(|o| o.0.clone()).collect();
    let top = &mut m.ast.modules[0];
    remove_dead(top, keep);
    let instantiated = top.items.iter().any(|i| matches!(i, Item::Instance(_)));
    if !instantiated {
        m.ast.modules.truncate(1);
    }
    m.inputs.retain(|i| m.ast.modules[0].ports.contains(&i.name));
    m.clocks.retain(|c| m.ast.modules[0].ports.contains(&c.0));
    if m.reset.as_ref().is_some_and(|r| !m.ast.modules[0].ports.contains(&r.0)) {
        m.reset = None;
    }
    m
}

fn remove_dead(top: &mut Module, mut live: HashSet<String>) {
    loop {
        let before = live.len();
        for item in &top.items {
            let (mut writes, mut reads) = (HashSet::new(), HashSet::new());
            item_names(item, &mut writes, &mut reads);
            if writes.iter().any(|w| live.contains(w)) {
                live.extend(reads);
                live.extend(writes);
            }
        }
        if live.len() == before {
            break;
        }
    }
    top.items.retain(|item| {
        let (mut writes, mut reads) = (HashSet::new(), HashSet::new());
        item_names(item, &mut writes, &mut reads);
        writes.iter().any(|w| live.contains(w))
    });
    top.ports.retain(|p| live.contains(p));
}

fn item_names(item: &Item, writes: &mut HashSet<String>, reads: &mut HashSet<String>) {
    match item {
        Item::Net(n) => {
            writes.insert(n.name.clone());
            n.init.iter().for_each(|e| names(e, reads));
        }
        Item::Parameter(p) => {
            writes.insert(p.name.clone());
        }
        Item::Assign { target, value, .. } => {
            names(target, writes);
            names(value, reads);
        }
        Item::Always { sensitivity, body, .. } => {
            if let Sensitivity::Edges(edges) = sensitivity {
                edges.iter().for_each(|e| names(&e.signal, reads));
            }
            stmt_names(body, writes, reads);
        }
        Item::Function(f) => {
            writes.insert(f.name.clone());
            stmt_names(&f.body, &mut HashSet::new(), reads);
        }
        Item::Initial { body, .. } => stmt_names(body, writes, reads),
        Item::Instance(i) => {
            for c in i.ports.iter().filter_map(|c| c.value.as_ref()) {
                if let ExprKind::Name(_) = c.kind {
                    names(c, writes);
                }
                names(c, reads);
            }
        }
    }
}

fn stmt_names(s: &Stmt, writes: &mut HashSet<String>, reads: &mut HashSet<String>) {
    match &s.kind {
        StmtKind::Null => {}
        StmtKind::Block { body, .. } => body.iter().for_each(|s| stmt_names(s, writes, reads)),
        StmtKind::Assign { target, value, .. } => {
            // Indices of targets are counted as written too: harmless, they are only kept longer.
            names(target, writes);
            names(value, reads);
        }
        StmtKind::If { condition, then, otherwise } => {
            names(condition, reads);
            stmt_names(then, writes, reads);
            otherwise.iter().for_each(|s| stmt_names(s, writes, reads));
        }
        StmtKind::Case { subject, arms, .. } => {
            names(subject, reads);
            for arm in arms {
                arm.labels.iter().for_each(|l| names(l, reads));
                stmt_names(&arm.body, writes, reads);
            }
        }
        StmtKind::For { init, condition, step, body } => {
            names(condition, reads);
            [init, step, body].into_iter().for_each(|s| stmt_names(s, writes, reads));
        }
        StmtKind::Task { arguments, .. } => arguments.iter().for_each(|e| names(e, reads)),
    }
}

fn names(e: &Expr, out: &mut HashSet<String>) {
    match &e.kind {
        ExprKind::Literal(_) | ExprKind::Str(_) | ExprKind::Null => {}
        ExprKind::Name(n) => {
            out.insert(n.clone());
        }
        ExprKind::Unary(_, a) => names(a, out),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| names(e, out)),
        ExprKind::Part(a, b, c)
        | ExprKind::Conditional(a, b, c)
        | ExprKind::Indexed { base: a, start: b, width: c, .. } => [a, b, c].into_iter().for_each(|e| names(e, out)),
        ExprKind::Repeat(_, list) | ExprKind::Concat(list) => list.iter().for_each(|e| names(e, out)),
        ExprKind::Call(function, list) => {
            out.insert(function.clone());
            list.iter().for_each(|e| names(e, out));
        }
    }
}
