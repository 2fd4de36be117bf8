//! Items: the computed nodes that somebody needs, sources, and updates of state.

use rustc_hash::FxHashMap as HashMap;

use super::ids::{ItemId, ObservedId};
use super::packs;
use super::prepare::Next;
use super::types::{Item, Kind, Plan, PlanOptions};
use crate::error::Error;
use crate::graph::{Graph, MemId, NodeId, Op, RegId, ScopeId, SignalId, Value};

impl Plan {
    /// Scope of each node: that of a signal that names it, else that of a user.
    fn scopes(&self, order: &[NodeId]) -> Vec<Option<ScopeId>> {
        let g = &self.graph;
        let mut scope: Vec<Option<ScopeId>> = vec![None; g.nodes.len()];
        // The outermost name is the least telling: let inner scopes (larger ids) win only where
        // nothing is known; a signal's driver is inside.
        for s in &g.signals {
            if let Value::Node(n) = s.value {
                let known = &mut scope[n.index()];
                *known = Some(known.map_or(s.scope, |k| k.max(s.scope)));
            }
        }
        for &n in order.iter().rev() {
            let Some(own) = scope[n.index()] else { continue };
            for &a in &g.node(n).args {
                scope[a.index()].get_or_insert(own);
            }
        }
        scope
    }

    pub(super) fn make_items(&mut self, traced: &[SignalId], options: &PlanOptions) -> Result<(), Error> {
        let host = self.host_nodes(if options.trace { traced } else { &[] });
        let order = needed(&self.graph, &self.nexts, &host)?;
        let scopes = self.scopes(&order);
        let packs = if options.simd && !options.trace {
            packs::find(&self.graph, &self.nexts, &order)
        } else {
            packs::Packs::default()
        };
        self.make_nodes(&order, &scopes, &packs);
        let of_register = self.register_scopes(&scopes);
        let mut packed = vec![false; self.graph.registers.len()];
        for &group in &packs.registers {
            let scope = of_register[group[0].index()];
            let data = group.map(|r| self.nexts[r.index()].data);
            let (width, enable) = (self.graph.registers[group[0].index()].width, self.nexts[group[0].index()].enable);
            self.push(Kind::PackRegister(group), width, &data, enable, scope);
            group.iter().for_each(|r| packed[r.index()] = true);
        }
        for i in (0..self.graph.registers.len()).filter(|&i| !packed[i]) {
            let id = RegId(i as u32);
            let next = self.nexts[i];
            let scope = of_register[i];
            self.push(Kind::Register(id), self.graph.registers[i].width, &[next.data], next.enable, scope);
        }
        for m in 0..self.graph.memories.len() {
            for p in 0..self.graph.memories[m].writes.len() {
                let w = self.graph.memories[m].writes[p].clone();
                let mut args = vec![w.enable, w.addr, w.data];
                args.extend(w.mask);
                let scope = args.iter().find_map(|a| scopes[a.index()]);
                self.ports.push((MemId(m as u32), p as u32));
                let width = self.graph.memories[m].width;
                self.push(Kind::Port(MemId(m as u32), p as u32), width, &args, None, scope);
            }
        }
        if options.trace {
            self.observe(traced);
        }
        Ok(())
    }

    /// Items of sources and computed nodes, arguments first, members of a pack together.
    fn make_nodes(&mut self, order: &[NodeId], scopes: &[Option<ScopeId>], packs: &packs::Packs) {
        let mut pack_of: HashMap<NodeId, usize> = HashMap::default();
        for (p, pack) in packs.nodes.iter().enumerate() {
            pack_of.extend(pack.iter().map(|&n| (n, p)));
        }
        let mut lane_of: HashMap<RegId, (usize, u8)> = HashMap::default();
        for (g, group) in packs.registers.iter().enumerate() {
            lane_of.extend(group.iter().enumerate().map(|(k, &r)| (r, (g, k as u8))));
        }
        // Several nodes may be the same source; they are one item.
        let mut sources: HashMap<Op, ItemId> = HashMap::default();
        let mut groups: HashMap<usize, ItemId> = HashMap::default();
        for n in contracted(&self.graph, order, &pack_of, packs) {
            let node = self.graph.node(n).clone();
            let next = self.items.next();
            match node.op {
                Op::Const(_) => {}
                Op::Reg(r) if lane_of.contains_key(&r) => {
                    let (g, lane) = lane_of[&r];
                    let item = *groups.entry(g).or_insert(next);
                    self.item_of[n.index()] = Some(item);
                    self.lane_of[n.index()] = Some(lane);
                    if item == next {
                        self.push(Kind::PackSource(packs.registers[g]), node.width, &[], None, scopes[n.index()]);
                    }
                }
                Op::Input(_) | Op::Reg(_) => {
                    let item = *sources.entry(node.op.clone()).or_insert(next);
                    self.item_of[n.index()] = Some(item);
                    if item == next {
                        self.push(Kind::Source(n), node.width, &[], None, scopes[n.index()]);
                    }
                }
                _ => match pack_of.get(&n) {
                    Some(&p) => {
                        let pack = packs.nodes[p];
                        let args: Vec<NodeId> = pack.iter().flat_map(|&m| self.graph.node(m).args.clone()).collect();
                        for (lane, m) in pack.iter().enumerate() {
                            self.item_of[m.index()] = Some(next);
                            self.lane_of[m.index()] = Some(lane as u8);
                        }
                        self.push(Kind::Pack(pack), node.width, &args, None, scopes[pack[0].index()]);
                    }
                    None => {
                        self.item_of[n.index()] = Some(next);
                        self.push(Kind::Node(n), node.width, &node.args, None, scopes[n.index()]);
                    }
                },
            }
        }
    }

    /// Scope of each register: that of the first node that reads it, else that of its next value.
    fn register_scopes(&self, scopes: &[Option<ScopeId>]) -> Vec<Option<ScopeId>> {
        let mut first: Vec<Option<NodeId>> = vec![None; self.graph.registers.len()];
        for (k, node) in self.graph.nodes.iter().enumerate() {
            if let Op::Reg(r) = node.op {
                first[r.index()].get_or_insert(NodeId(k as u32));
            }
        }
        let of = |n: NodeId| scopes[n.index()];
        first.iter().zip(&self.nexts).map(|(node, next)| node.and_then(of).or_else(|| of(next.data))).collect()
    }

    fn push(&mut self, kind: Kind, width: u32, args: &[NodeId], enable: Option<NodeId>, scope: Option<ScopeId>) {
        let mut args: Vec<ItemId> = args.iter().filter_map(|a| self.item_of[a.index()]).collect();
        if kind.is_pack() {
            args.sort_unstable();
            args.dedup();
        }
        self.items.push(Item {
            kind,
            width,
            args,
            enable,
            scope: scope.unwrap_or(ScopeId(0)),
            cluster: None,
            region: None,
            slot: None,
            readers: Vec::new(),
            external: false,
            observed: None,
        });
    }

    fn observe(&mut self, traced: &[SignalId]) {
        for &s in traced {
            let Value::Node(n) = self.graph.signals[s.index()].value else { continue };
            let Some(item) = self.item_of[n.index()] else { continue };
            if self.items[item].observed.is_none() {
                // Numbered for good when regions are known.
                self.items[item].observed = Some(ObservedId::new(self.observed.len() as u32));
                self.observed.push(s);
            }
        }
    }
}

/// Nodes in an order with arguments first when members of a pack are one; of each pack the first
/// member stands for all.
fn contracted(graph: &Graph, order: &[NodeId], pack_of: &HashMap<NodeId, usize>, packs: &packs::Packs) -> Vec<NodeId> {
    if packs.nodes.is_empty() {
        return order.to_vec();
    }
    let first = |n: NodeId| pack_of.get(&n).map_or(n, |&p| packs.nodes[p][0]);
    let args = |n: NodeId| -> Vec<NodeId> {
        match pack_of.get(&n) {
            Some(&p) => packs.nodes[p].iter().flat_map(|&m| graph.node(m).args.iter().map(|&a| first(a))).collect(),
            None => graph.node(n).args.iter().map(|&a| first(a)).collect(),
        }
    };
    let mut seen = vec![false; graph.nodes.len()];
    let mut out = Vec::with_capacity(order.len());
    let mut path: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    for &n in order {
        let root = first(n);
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        let list = args(root);
        path.push((root, list));
        while let Some((node, rest)) = path.last_mut() {
            match rest.pop() {
                Some(a) if seen[a.index()] => {}
                Some(a) => {
                    seen[a.index()] = true;
                    let list = args(a);
                    path.push((a, list));
                }
                None => {
                    out.push(*node);
                    path.pop();
                }
            }
        }
    }
    out
}

/// Nodes that state updates and the host need, arguments first.
fn needed(graph: &Graph, nexts: &[Next], host: &[NodeId]) -> Result<Vec<NodeId>, Error> {
    let mut roots: Vec<NodeId> = host.to_vec();
    roots.extend(graph.inputs.iter().map(|i| i.node));
    for next in nexts {
        roots.push(next.data);
        roots.extend(next.enable);
    }
    for w in graph.memories.iter().flat_map(|m| &m.writes) {
        roots.extend([w.enable, w.addr, w.data]);
        roots.extend(w.mask);
    }
    let mut state = vec![0u8; graph.nodes.len()];
    let mut order = Vec::new();
    let mut path: Vec<(NodeId, usize)> = Vec::new();
    for root in roots {
        if state[root.index()] != 0 {
            continue;
        }
        state[root.index()] = 1;
        path.push((root, 0));
        while let Some((node, next)) = path.last_mut() {
            if let Some(&arg) = graph.nodes[node.index()].args.get(*next) {
                *next += 1;
                match state[arg.index()] {
                    0 => {
                        state[arg.index()] = 1;
                        path.push((arg, 0));
                    }
                    1 => return Err(Error::Internal("a combinational loop reached the planner".into())),
                    _ => {}
                }
            } else {
                state[node.index()] = 2;
                order.push(*node);
                path.pop();
            }
        }
    }
    Ok(order)
}
