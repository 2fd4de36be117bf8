//! Order of work inside a region, with branches. Verilog written as `if` and `case` computes the
//! branch taken; elaboration made selections of it. Here what only one arm of a selection needs, or
//! only a register or write port under an enable, is put behind a test of the condition, if it is
//! enough work to pay for a branch. Conditions form a tree: each step one condition and the value
//! it must have; an item that is needed in several places has the path that these have in common.
//! An item that other regions or the host read is always needed.
//!
//! It can be wrong by putting something behind a condition that somebody reads without it: that
//! reader would see zero or an old value.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use crate::graph::{NodeId, Op};
use crate::plan::{ItemId, Kind, Plan, RegionId};

/// A step of a path of conditions; 0 is the empty path.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    pub parent: u32,
    pub depth: u32,
    pub condition: NodeId,
    pub value: bool,
}

/// What to emit next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Open the branch of a guard (a child of the open one).
    Enter(u32),
    /// Close the innermost branch.
    Exit,
    Item(ItemId),
}

/// A region in order.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub guards: Vec<Guard>,
    pub steps: Vec<Step>,
}

/// Work (in nodes) behind a condition from which on a branch is made.
const WORTH: u32 = 10;

/// Longest path of conditions.
const DEEPEST: u32 = 24;

struct Maker<'p> {
    plan: &'p Plan,
    region: RegionId,
    guards: Vec<Guard>,
    known: HashMap<(u32, NodeId, bool), u32>,
    /// By item (of the region).
    of: HashMap<ItemId, u32>,
}

impl Maker<'_> {
    fn step(&mut self, parent: u32, condition: NodeId, value: bool) -> u32 {
        let depth = self.guards[parent as usize].depth + 1;
        if depth > DEEPEST || self.plan.item_of[condition.index()].is_none() {
            return parent;
        }
        let next = self.guards.len() as u32;
        let id = *self.known.entry((parent, condition, value)).or_insert(next);
        if id == next {
            self.guards.push(Guard { parent, depth, condition, value });
        }
        id
    }

    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            // A child has a larger number than its parent.
            if a > b {
                a = self.guards[a as usize].parent;
            } else {
                b = self.guards[b as usize].parent;
            }
        }
        a
    }

    fn needs(&mut self, node: NodeId, guard: u32) {
        let mut base = None;
        if let Some(item) = self.plan.item_of[node.index()] {
            bases(self.plan, item, &mut |b| base = Some(b));
        }
        let Some(item) = base.filter(|&i| self.plan.items[i].region == Some(self.region)) else { return };
        // What has a place is read by others.
        let guard = if self.plan.items[item].slot.is_none() { guard } else { 0 };
        let merged = self.of.get(&item).map_or(guard, |&old| self.common(old, guard));
        self.of.insert(item, merged);
    }

    /// Guards of all items of the region (given in an order with arguments first).
    fn find(&mut self, items: &[ItemId]) {
        for &i in items.iter().rev() {
            let item = &self.plan.items[i];
            let here = match item.kind {
                Kind::Source(_) | Kind::PackSource(_) => continue,
                Kind::Node(_) | Kind::Pack(_) => *self.of.entry(i).or_insert(0),
                Kind::Register(_) | Kind::PackRegister(_) => item.enable.map_or(0, |e| self.step(0, e, true)),
                Kind::Port(m, p) => {
                    let enable = self.plan.graph.memories[m.index()].writes[p as usize].enable;
                    self.step(0, enable, true)
                }
            };
            self.of.insert(i, here);
            match &item.kind {
                &Kind::Node(n) => {
                    let node = self.plan.graph.node(n);
                    if node.op == Op::Mux {
                        let (c, t, e) = (node.args[0], node.args[1], node.args[2]);
                        let (taken, other) = (self.step(here, c, true), self.step(here, c, false));
                        self.needs(c, here);
                        self.needs(t, taken);
                        self.needs(e, other);
                    } else {
                        for &a in &node.args {
                            self.needs(a, here);
                        }
                    }
                }
                Kind::Pack(pack) => {
                    let members = pack.map(|n| self.plan.graph.node(n));
                    let select = members[0].args[0];
                    if members[0].op == Op::Mux && members.iter().all(|m| m.args[0] == select) {
                        let (taken, other) = (self.step(here, select, true), self.step(here, select, false));
                        self.needs(select, here);
                        for m in members {
                            self.needs(m.args[1], taken);
                            self.needs(m.args[2], other);
                        }
                    } else {
                        members.iter().flat_map(|m| &m.args).for_each(|&a| self.needs(a, here));
                    }
                }
                kind @ (Kind::Register(_) | Kind::PackRegister(_)) => {
                    for r in kind.registers() {
                        let next = self.plan.nexts[r.index()];
                        self.needs(next.data, here);
                        if let Some(e) = next.enable {
                            self.needs(e, 0);
                        }
                    }
                }
                &Kind::Port(m, p) => {
                    let w = &self.plan.graph.memories[m.index()].writes[p as usize];
                    self.needs(w.enable, 0);
                    self.needs(w.addr, here);
                    self.needs(w.data, here);
                    if let Some(mask) = w.mask {
                        self.needs(mask, here);
                    }
                }
                Kind::Source(_) | Kind::PackSource(_) => {}
            }
        }
    }

    /// Removes guards that are not worth a branch; their items go to the next one out.
    fn dissolve(&mut self) {
        let n = self.guards.len();
        let (mut weight, mut fixed) = (vec![0u32; n], vec![false; n]);
        fixed[0] = true;
        for (&i, &g) in &self.of {
            weight[g as usize] += cost(self.plan, i);
            let kind = &self.plan.items[i].kind;
            fixed[g as usize] |= matches!(kind, Kind::Register(_) | Kind::PackRegister(_) | Kind::Port(..));
        }
        let mut to: Vec<u32> = (0..n as u32).collect();
        for g in (1..n).rev() {
            let parent = self.guards[g].parent as usize;
            // Children come later, so what is left of them is counted here already.
            if weight[g] < WORTH && !fixed[g] {
                to[g] = parent as u32;
                weight[parent] += weight[g];
            } else {
                // The branch itself.
                weight[parent] += 2;
            }
        }
        let target = |mut g: u32| {
            while to[g as usize] != g {
                g = to[g as usize];
            }
            g
        };
        for g in self.of.values_mut() {
            *g = target(*g);
        }
        for g in 1..n {
            self.guards[g].parent = target(self.guards[g].parent);
        }
        for g in 1..n {
            self.guards[g].depth = self.guards[self.guards[g].parent as usize].depth + 1;
        }
    }
}

/// Rough number of machine operations of an item.
fn cost(plan: &Plan, item: ItemId) -> u32 {
    let it = &plan.items[item];
    let limbs = it.width.div_ceil(64);
    match it.kind {
        Kind::Node(n) => match plan.graph.node(n).op {
            Op::DivU | Op::DivS | Op::RemU | Op::RemS => 20 * limbs,
            Op::MemRead(_) | Op::Table(_) | Op::Mux => 2 * limbs,
            _ => limbs,
        },
        _ => 3 * limbs,
    }
}

/// Is the item so little work that every reader computes it for itself? What is read by other
/// regions has a place and is not.
pub fn cheap(plan: &Plan, item: ItemId) -> bool {
    let it = &plan.items[item];
    let Kind::Node(n) = it.kind else { return false };
    let node = plan.graph.node(n);
    it.slot.is_none()
        && matches!(node.op, Op::Slice(_) | Op::ZExt)
        && it.width <= 64
        && plan.graph.width(node.args[0]) <= 64
}

/// The items that are really read where `item` is: cheap ones are looked through.
pub fn bases(plan: &Plan, item: ItemId, f: &mut impl FnMut(ItemId)) {
    let mut item = item;
    // Cheap items have one argument.
    while cheap(plan, item) {
        match plan.items[item].args.first() {
            Some(&a) => item = a,
            None => return,
        }
    }
    f(item);
}

/// Orders the items of a region (`lazy`: with branches).
pub fn schedule(plan: &Plan, region: RegionId, lazy: bool) -> Schedule {
    let items: Vec<ItemId> = plan.regions[region]
        .clusters
        .iter()
        .flat_map(|&c| plan.clusters[c].items.iter().copied())
        .filter(|&i| !cheap(plan, i))
        .collect();
    let none = Guard { parent: 0, depth: 0, condition: NodeId(0), value: true };
    let mut m = Maker { plan, region, guards: vec![none], known: HashMap::default(), of: HashMap::default() };
    if lazy {
        m.find(&items);
        m.dissolve();
    } else {
        for &i in &items {
            let guard = match plan.items[i].kind {
                Kind::Register(_) | Kind::PackRegister(_) => plan.items[i].enable.map_or(0, |e| m.step(0, e, true)),
                Kind::Port(mem, p) => m.step(0, plan.graph.memories[mem.index()].writes[p as usize].enable, true),
                _ => 0,
            };
            m.of.insert(i, guard);
        }
    }
    let steps = order(&m, &items);
    Schedule { guards: m.guards, steps }
}

/// List scheduling: stay behind the open condition while there is anything to do there, else as far
/// out as possible.
fn order(m: &Maker, items: &[ItemId]) -> Vec<Step> {
    let plan = m.plan;
    let position: HashMap<ItemId, usize> = items.iter().enumerate().map(|(k, &i)| (i, k)).collect();
    let mut waits = vec![0u32; items.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); items.len()];
    for (k, &i) in items.iter().enumerate() {
        let mut needs: Vec<usize> = Vec::new();
        let item = &plan.items[i];
        for &a in &item.args {
            bases(plan, a, &mut |b| needs.extend(position.get(&b)));
        }
        let mut g = m.of[&i];
        while g != 0 {
            if let Some(condition) = plan.item_of[m.guards[g as usize].condition.index()] {
                bases(plan, condition, &mut |b| needs.extend(position.get(&b)));
            }
            g = m.guards[g as usize].parent;
        }
        needs.sort_unstable();
        needs.dedup();
        waits[k] = needs.len() as u32;
        for n in needs {
            users[n].push(k);
        }
    }
    // Ready items by (guard, position).
    let mut ready: BTreeSet<(u32, usize)> =
        (0..items.len()).filter(|&k| waits[k] == 0).map(|k| (m.of[&items[k]], k)).collect();
    let mut open: Vec<u32> = vec![0];
    let mut steps = Vec::with_capacity(items.len() * 2);
    while !ready.is_empty() {
        let here = open.last().copied().unwrap_or(0);
        let mut pick = ready.range((here, 0)..(here + 1, 0)).next().copied();
        if pick.is_none() {
            // Something further out first: it may make more ready behind conditions.
            pick = open.iter().find_map(|&g| ready.range((g, 0)..(g + 1, 0)).next().copied());
        }
        let Some((guard, k)) = pick.or_else(|| fullest(&ready)) else { break };
        ready.remove(&(guard, k));
        enter(m, &mut open, guard, &mut steps);
        steps.push(Step::Item(items[k]));
        for &u in &users[k] {
            waits[u] -= 1;
            if waits[u] == 0 {
                ready.insert((m.of[&items[u]], u));
            }
        }
    }
    enter(m, &mut open, 0, &mut steps);
    steps
}

/// First item of the guard with most ready items.
fn fullest(ready: &BTreeSet<(u32, usize)>) -> Option<(u32, usize)> {
    let mut count: HashMap<u32, (usize, usize)> = HashMap::default();
    for &(g, k) in ready {
        let entry = count.entry(g).or_insert((0, k));
        entry.0 += 1;
    }
    count.into_iter().max_by_key(|&(g, (n, _))| (n, std::cmp::Reverse(g))).map(|(g, (_, k))| (g, k))
}

/// Closes and opens branches to get from the open path to that of `guard`.
fn enter(m: &Maker, open: &mut Vec<u32>, guard: u32, steps: &mut Vec<Step>) {
    let mut path = Vec::new();
    let mut g = guard;
    while g != 0 {
        path.push(g);
        g = m.guards[g as usize].parent;
    }
    path.push(0);
    path.reverse();
    let same = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
    for _ in same..open.len() {
        steps.push(Step::Exit);
    }
    open.truncate(same);
    for &g in &path[same..] {
        steps.push(Step::Enter(g));
        open.push(g);
    }
}
