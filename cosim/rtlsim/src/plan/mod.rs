//! What the compiled engine executes, before any machine code: items (nodes and state updates), clusters of items that only one user needs, regions of
//! clusters that are skipped as a whole when nothing they read has changed, and the place of every value in memory.
//!
//! A region is evaluated if its bit in the dirty words is set. The bit is set by whoever changes a value that the region reads: an input, another
//! region (those come earlier: regions are numbered in a topological order), or a clock edge. A cluster under an enable is skipped inside its
//! region while the enable is 0. It can be wrong by forgetting a reader: a stale value; the comparison with the interpreter, which evaluates everything in every
//! cycle, is the test.

mod layout;
pub mod packs;
pub mod prepare;
mod regions;
mod size;

use std::collections::HashMap;

use crate::error::Error;
use crate::graph::{Edge, Graph, MemId, NodeId, Op, RegId, SignalId, Value};
pub use layout::{item_bytes, word_bytes};
use packs::Pack;
use prepare::{prepare, Next};

/// No entry in a table of indices.
pub const NONE: u32 = u32::MAX;

/// Not a lane of a pack.
pub const SCALAR: u8 = u8::MAX;

/// What an item does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Input or register: has a place, is never computed.
    Source(NodeId),
    /// A computed node.
    Node(NodeId),
    /// Update of a register.
    Register(RegId),
    /// Update of a memory through its write port of that index.
    Port(MemId, u32),
    /// Four nodes of one operation as a vector.
    Pack(Pack),
    /// The current values of four registers as a vector.
    PackSource([RegId; 4]),
    /// Update of four registers.
    PackRegister([RegId; 4]),
}

impl Kind {
    /// The registers that the item updates.
    pub fn registers(&self) -> &[RegId] {
        match self {
            Kind::Register(r) => std::slice::from_ref(r),
            Kind::PackRegister(rs) => rs,
            _ => &[],
        }
    }

    /// Its value is a vector of four.
    pub fn is_pack(&self) -> bool {
        matches!(self, Kind::Pack(_) | Kind::PackSource(_) | Kind::PackRegister(_))
    }

    /// It has a place and is never computed.
    pub fn is_source(&self) -> bool {
        matches!(self, Kind::Source(_) | Kind::PackSource(_))
    }
}

/// A unit of work with one value or one effect.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: Kind,
    /// Bits of its value (of the register's, of a memory word).
    pub width: u32,
    /// Items it reads, the enable excepted; constants are not items.
    pub args: Vec<u32>,
    /// Enable under which alone it is wanted.
    pub enable: Option<NodeId>,
    /// Scope of the source it comes from, for locality.
    pub scope: u32,
    pub cluster: u32,
    pub region: u32,
    /// Byte offset of its value in the state, if it is kept.
    pub slot: u32,
    /// Dirty bits of the gated regions that read the value from its slot (sorted).
    pub readers: Vec<u32>,
    /// Another region reads it.
    pub external: bool,
    /// Index in the list of observed values (tracing).
    pub observed: u32,
}

/// Items that are evaluated together, under one enable if there is one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub items: Vec<u32>,
    pub enable: Option<NodeId>,
    /// Item of the enable (`NONE` without).
    pub enable_item: u32,
}

/// Registers that are copied from their next values to their current ones together.
#[derive(Clone, Debug)]
pub struct Block {
    /// At whose edges it is copied.
    pub domains: Vec<u32>,
    /// Looked at in every edge: no enable, and its region is evaluated every time.
    pub always: bool,
    /// Byte offsets of the current and next values and length.
    pub current: u32,
    pub next: u32,
    pub bytes: u32,
    /// Registers that are compared together: offset in the block, bytes (8 or a multiple of 16), and an item whose marks all of them have.
    pub groups: Vec<(u32, u32, u32)>,
}

/// Clusters that are skipped together.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// In evaluation order.
    pub clusters: Vec<u32>,
    /// Its dirty bit; `NONE`: evaluated every time.
    pub bit: u32,
    /// Blocks of registers: (cluster, or `NONE` for those without enable; index in `Plan::blocks`).
    pub blocks: Vec<(u32, u32)>,
}

/// Where things are in the state.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub bytes: u32,
    /// Dirty bits of regions, then change bits of observed values: 64-bit words.
    pub dirty: u32,
    pub dirty_words: u32,
    /// The last word of the dirty bits of regions, if there are asynchronous edges: not 0 if a
    /// signal of theirs may have changed. Else `NONE`.
    pub trigger: u32,
    /// Places of constants that have a name or are an output.
    pub constants: HashMap<NodeId, u32>,
    pub region_words: u32,
    /// How often each region was evaluated (32 bits each), if it is counted.
    pub counters: u32,
    /// Blocks that may have a change to copy at the edge: one bit each.
    pub commit: u32,
    pub commit_words: u32,
    /// Write ports that are enabled: one bit each.
    pub ports: u32,
    pub port_words: u32,
    /// By memory: offset of word 0; there is one more word, zero, past the end.
    pub memories: Vec<u32>,
    pub tables: Vec<u32>,
    /// By write port (see [`Plan::ports`]): offsets of address, data, mask (or `NONE`).
    pub port_slots: Vec<[u32; 3]>,
}

/// Everything the code generator needs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub graph: Graph,
    pub items: Vec<Item>,
    /// By node: its item (`NONE`: a constant, or not needed).
    pub item_of: Vec<u32>,
    /// By node: its lane if its item is a pack, else [`SCALAR`].
    pub lane_of: Vec<u8>,
    pub clusters: Vec<Cluster>,
    pub regions: Vec<Region>,
    pub domains: Vec<Edge>,
    /// By domain: is it looked for whenever logic settles?
    pub asynchronous: Vec<bool>,
    pub nexts: Vec<Next>,
    pub blocks: Vec<Block>,
    /// Every write port, in the order of memories and ports.
    pub ports: Vec<(MemId, u32)>,
    /// By write port: its region.
    pub port_regions: Vec<u32>,
    /// By register: its block.
    pub block_of: Vec<u32>,
    /// By memory: dirty bits of the gated regions that read it.
    pub memory_readers: Vec<Vec<u32>>,
    /// By register: offsets of its next value.
    pub next_slots: Vec<u32>,
    pub layout: Layout,
    /// Observed signals, one for each distinct node.
    pub observed: Vec<SignalId>,
}

/// Choices of planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Skip regions whose inputs did not change, and clusters whose enable is 0.
    pub gating: bool,
    /// Put work that only one arm of a selection or an enable needs behind a branch.
    pub lazy: bool,
    /// Evaluate identical logic side by side as vectors.
    pub simd: bool,
    /// Keep every named value in the state and note its changes.
    pub trace: bool,
    /// Nodes from which on a region is closed when the scope changes, and at once.
    pub region_min: u32,
    pub region_max: u32,
    /// Count how often each region is evaluated.
    pub count: bool,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self { gating: true, lazy: true, simd: true, trace: false, region_min: 24, region_max: 240, count: false }
    }
}

/// Bytes of a value in the state.
pub fn bytes_of(width: u32) -> u32 {
    match width {
        1 => 1,
        2..=32 => 4,
        _ => width.div_ceil(64) * 8,
    }
}

/// Plans a graph.
///
/// # Errors
/// [`Error::TooLarge`] if the state does not fit 2 GiB; a combinational loop (elaboration should have refused it).
///
/// `activity` says for each cluster (of a plan of the same graph and options) in which share of the cycles it was evaluated.
pub fn plan(
    graph: &Graph,
    signals_traced: &[SignalId],
    options: &PlanOptions,
    activity: Option<&[f32]>,
) -> Result<Plan, Error> {
    let (graph, nexts) = prepare(graph.clone(), options.lazy);
    let mut plan = Plan {
        items: Vec::new(),
        item_of: vec![NONE; graph.nodes.len()],
        lane_of: vec![SCALAR; graph.nodes.len()],
        clusters: Vec::new(),
        regions: Vec::new(),
        domains: graph.domains().iter().map(|d| d.edge).collect(),
        asynchronous: graph.domains().iter().map(|d| d.asynchronous).collect(),
        nexts,
        blocks: Vec::new(),
        ports: Vec::new(),
        port_regions: Vec::new(),
        block_of: vec![NONE; graph.registers.len()],
        memory_readers: vec![Vec::new(); graph.memories.len()],
        next_slots: vec![NONE; graph.registers.len()],
        layout: Layout::default(),
        observed: Vec::new(),
        graph,
    };
    plan.make_items(signals_traced, options)?;
    plan.form_clusters(options);
    plan.form_regions(options, activity);
    plan.find_readers();
    // Before any arithmetic on offsets: with it, none of `lay_out` and of the engines can wrap.
    size::check(&plan)?;
    plan.lay_out(options)?;
    Ok(plan)
}

impl Plan {
    /// Indices of domains, in order.
    pub fn domains_of(&self, edges: impl Iterator<Item = Edge>) -> Vec<u32> {
        let index = |edge| self.domains.iter().position(|d| *d == edge).unwrap_or(0) as u32;
        let mut list: Vec<u32> = edges.map(index).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Nodes that must have a place of their own because something outside the regions reads them.
    fn host_nodes(&self, traced: &[SignalId]) -> Vec<NodeId> {
        let g = &self.graph;
        let mut nodes: Vec<NodeId> = g.outputs.iter().map(|o| o.1).collect();
        nodes.extend(self.domains.iter().map(|d| d.clock));
        nodes.extend(traced.iter().filter_map(|s| match g.signals[s.index()].value {
            Value::Node(n) => Some(n),
            Value::Memory(_) => None,
        }));
        nodes
    }

    /// Scope of each node: that of a signal that names it, else that of a user.
    fn scopes(&self, order: &[NodeId]) -> Vec<u32> {
        let g = &self.graph;
        let mut scope = vec![NONE; g.nodes.len()];
        // The outermost name is the least telling: let inner scopes (larger ids) win only where nothing is known; a signal's driver is inside.
        for s in &g.signals {
            if let Value::Node(n) = s.value {
                let known = &mut scope[n.index()];
                if *known == NONE || s.scope.0 > *known {
                    *known = s.scope.0;
                }
            }
        }
        for &n in order.iter().rev() {
            if scope[n.index()] == NONE {
                continue;
            }
            for &a in &g.node(n).args {
                if scope[a.index()] == NONE {
                    scope[a.index()] = scope[n.index()];
                }
            }
        }
        scope
    }

    fn make_items(&mut self, traced: &[SignalId], options: &PlanOptions) -> Result<(), Error> {
        let host = self.host_nodes(if options.trace { traced } else { &[] });
        let order = needed(&self.graph, &self.nexts, &host)?;
        let scopes = self.scopes(&order);
        let packs = if options.simd && !options.trace {
            packs::find(&self.graph, &self.nexts, &order)
        } else {
            packs::Packs::default()
        };
        self.make_nodes(&order, &scopes, &packs);
        let mut packed = vec![false; self.graph.registers.len()];
        for &group in &packs.registers {
            let scope = self.register_scope(group[0], &scopes);
            let data = group.map(|r| self.nexts[r.index()].data);
            let (width, enable) = (self.graph.registers[group[0].index()].width, self.nexts[group[0].index()].enable);
            self.push(Kind::PackRegister(group), width, &data, enable, scope);
            group.iter().for_each(|r| packed[r.index()] = true);
        }
        for i in (0..self.graph.registers.len()).filter(|&i| !packed[i]) {
            let id = RegId(i as u32);
            let next = self.nexts[i];
            let scope = self.register_scope(id, &scopes);
            self.push(Kind::Register(id), self.graph.registers[i].width, &[next.data], next.enable, scope);
        }
        for m in 0..self.graph.memories.len() {
            for p in 0..self.graph.memories[m].writes.len() {
                let w = self.graph.memories[m].writes[p].clone();
                let mut args = vec![w.enable, w.addr, w.data];
                args.extend(w.mask);
                let scope = args.iter().map(|a| scopes[a.index()]).find(|s| *s != NONE).unwrap_or(0);
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
    fn make_nodes(&mut self, order: &[NodeId], scopes: &[u32], packs: &packs::Packs) {
        let mut pack_of: HashMap<NodeId, usize> = HashMap::new();
        for (p, pack) in packs.nodes.iter().enumerate() {
            pack_of.extend(pack.iter().map(|&n| (n, p)));
        }
        let mut lane_of: HashMap<RegId, (usize, u8)> = HashMap::new();
        for (g, group) in packs.registers.iter().enumerate() {
            lane_of.extend(group.iter().enumerate().map(|(k, &r)| (r, (g, k as u8))));
        }
        // Several nodes may be the same source; they are one item.
        let mut sources: HashMap<Op, u32> = HashMap::new();
        let mut groups: HashMap<usize, u32> = HashMap::new();
        for n in contracted(&self.graph, order, &pack_of, packs) {
            let node = self.graph.node(n).clone();
            let next = self.items.len() as u32;
            match node.op {
                Op::Const(_) => {}
                Op::Reg(r) if lane_of.contains_key(&r) => {
                    let (g, lane) = lane_of[&r];
                    let item = *groups.entry(g).or_insert(next);
                    self.item_of[n.index()] = item;
                    self.lane_of[n.index()] = lane;
                    if item == next {
                        self.push(Kind::PackSource(packs.registers[g]), node.width, &[], None, scopes[n.index()]);
                    }
                }
                Op::Input(_) | Op::Reg(_) => {
                    let item = *sources.entry(node.op.clone()).or_insert(next);
                    self.item_of[n.index()] = item;
                    if item == next {
                        self.push(Kind::Source(n), node.width, &[], None, scopes[n.index()]);
                    }
                }
                _ => match pack_of.get(&n) {
                    Some(&p) => {
                        let pack = packs.nodes[p];
                        let args: Vec<NodeId> = pack.iter().flat_map(|&m| self.graph.node(m).args.clone()).collect();
                        for (lane, m) in pack.iter().enumerate() {
                            self.item_of[m.index()] = next;
                            self.lane_of[m.index()] = lane as u8;
                        }
                        self.push(Kind::Pack(pack), node.width, &args, None, scopes[pack[0].index()]);
                    }
                    None => {
                        self.item_of[n.index()] = next;
                        self.push(Kind::Node(n), node.width, &node.args, None, scopes[n.index()]);
                    }
                },
            }
        }
    }

    fn register_scope(&self, id: RegId, scopes: &[u32]) -> u32 {
        let own = self.graph.nodes.iter().zip(scopes).find(|(n, _)| n.op == Op::Reg(id)).map(|(_, s)| *s);
        own.filter(|s| *s != NONE)
            .or(Some(scopes[self.nexts[id.index()].data.index()]))
            .filter(|s| *s != NONE)
            .unwrap_or(0)
    }

    fn push(&mut self, kind: Kind, width: u32, args: &[NodeId], enable: Option<NodeId>, scope: u32) {
        let mut args: Vec<u32> = args.iter().map(|a| self.item_of[a.index()]).filter(|a| *a != NONE).collect();
        if kind.is_pack() {
            args.sort_unstable();
            args.dedup();
        }
        self.items.push(Item {
            kind,
            width,
            args,
            enable,
            scope: if scope == NONE { 0 } else { scope },
            cluster: NONE,
            region: NONE,
            slot: NONE,
            readers: Vec::new(),
            external: false,
            observed: NONE,
        });
    }

    fn observe(&mut self, traced: &[SignalId]) {
        for &s in traced {
            let Value::Node(n) = self.graph.signals[s.index()].value else { continue };
            let item = self.item_of[n.index()];
            if item != NONE && self.items[item as usize].observed == NONE {
                // Numbered for good when regions are known.
                self.items[item as usize].observed = self.observed.len() as u32;
                self.observed.push(s);
            }
        }
    }

    /// Fills the readers of every item and memory, from the regions.
    fn find_readers(&mut self) {
        let mut readers: Vec<Vec<u32>> = vec![Vec::new(); self.items.len()];
        let mut external = vec![false; self.items.len()];
        for (i, item) in self.items.iter().enumerate() {
            if item.region == NONE {
                continue;
            }
            let enable = item.enable.map(|e| self.item_of[e.index()]).filter(|e| *e != NONE);
            // A register's own value is read for comparison; that alone needs no evaluation when it changes.
            for &a in item.args.iter().chain(enable.iter()) {
                if self.items[a as usize].region != item.region {
                    external[a as usize] = true;
                    let bit = self.regions[item.region as usize].bit;
                    if bit != NONE {
                        readers[a as usize].push(bit);
                    }
                }
            }
            if let Kind::Node(n) = self.items[i].kind {
                if let Op::MemRead(m) = self.graph.node(n).op {
                    let bit = self.regions[item.region as usize].bit;
                    if bit != NONE {
                        self.memory_readers[m.index()].push(bit);
                    }
                }
            }
        }
        for ((item, mut list), external) in self.items.iter_mut().zip(readers).zip(external) {
            item.external = external;
            list.sort_unstable();
            list.dedup();
            item.readers = list;
        }
        // Whoever watches for asynchronous edges is the last reader of their signals.
        if self.asynchronous.contains(&true) {
            let bit = 64 * self.gated().div_ceil(64);
            for (domain, _) in self.domains.iter().zip(&self.asynchronous).filter(|(_, &a)| a) {
                let item = self.item_of[domain.clock.index()];
                if item != NONE && self.items[item as usize].readers.last() != Some(&bit) {
                    self.items[item as usize].readers.push(bit);
                }
            }
        }
        self.port_regions = self.items.iter().filter(|i| matches!(i.kind, Kind::Port(..))).map(|i| i.region).collect();
        for list in &mut self.memory_readers {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// Regions with a dirty bit.
    fn gated(&self) -> u32 {
        self.regions.iter().filter(|r| r.bit != NONE).count() as u32
    }
}

/// Nodes in an order with arguments first when members of a pack are one; of each pack the first member stands for all.
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
