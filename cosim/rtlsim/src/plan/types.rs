//! What a plan is made of. The other files of this folder fill it in, in the order that
//! [`super::plan`] gives.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use super::ids::{BlockId, ClusterId, DirtyBit, DomainId, ItemId, List, ObservedId, Offset, PortId, RegionId};
use super::packs::Pack;
use super::prepare::Next;
use crate::graph::{Edge, Graph, MemId, NodeId, RegId, ScopeId, SignalId, Value};

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
    pub args: Vec<ItemId>,
    /// Enable under which alone it is wanted.
    pub enable: Option<NodeId>,
    /// Scope of the source it comes from, for locality.
    pub scope: ScopeId,
    /// Of sources: none.
    pub cluster: Option<ClusterId>,
    pub region: Option<RegionId>,
    /// Byte offset of its value in the state, if it is kept.
    pub slot: Option<Offset>,
    /// Dirty bits of the gated regions that read the value from its slot (sorted).
    pub readers: Vec<DirtyBit>,
    /// Another region reads it.
    pub external: bool,
    /// Index in the list of observed values (tracing).
    pub observed: Option<ObservedId>,
}

/// Items that are evaluated together, under one enable if there is one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    pub items: Vec<ItemId>,
    pub enable: Option<NodeId>,
    /// Item of the enable, if that is no constant.
    pub enable_item: Option<ItemId>,
}

/// Registers that are copied from their next values to their current ones together.
#[derive(Clone, Debug)]
pub struct Block {
    /// At whose edges it is copied.
    pub domains: Vec<DomainId>,
    /// Looked at in every edge: no enable, and its region is evaluated every time.
    pub always: bool,
    /// Byte offsets of the current and next values.
    pub current: Offset,
    pub next: Offset,
    pub groups: Vec<Group>,
}

/// Registers of a block that are compared together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// In the block, in bytes.
    pub start: u32,
    /// 8, or a multiple of 16.
    pub bytes: u32,
    /// A source whose marks all of them have; none if nothing reads them.
    pub source: Option<ItemId>,
}

/// Clusters that are skipped together.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// In evaluation order.
    pub clusters: Vec<ClusterId>,
    /// Its dirty bit; none: evaluated every time.
    pub bit: Option<DirtyBit>,
    /// Blocks of registers, with the cluster if that has an enable.
    pub blocks: Vec<(Option<ClusterId>, BlockId)>,
}

/// Where things are in the state.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub bytes: u32,
    /// Dirty bits of regions, then change bits of observed values: 64-bit words.
    pub dirty: Offset,
    pub dirty_words: u32,
    /// The last word of the dirty bits of regions, if there are asynchronous edges: not 0 if a
    /// signal of theirs may have changed.
    pub trigger: Option<Offset>,
    /// Places of constants that have a name or are an output.
    pub constants: HashMap<NodeId, Offset>,
    pub region_words: u32,
    /// How often each region was evaluated (32 bits each), if it is counted.
    pub counters: Offset,
    /// Blocks that may have a change to copy at the edge: one bit each.
    pub commit: Offset,
    pub commit_words: u32,
    /// Write ports that are enabled: one bit each.
    pub ports: Offset,
    pub port_words: u32,
    /// By memory: offset of word 0; there is one more word, zero, past the end.
    pub memories: Vec<Offset>,
    pub tables: Vec<Offset>,
    pub port_slots: List<PortId, PortSlots>,
}

/// Where a write port's operands are until the edge.
#[derive(Clone, Copy, Debug)]
pub struct PortSlots {
    pub address: Offset,
    pub data: Offset,
    pub mask: Option<Offset>,
}

/// Everything the code generator needs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub graph: Graph,
    pub items: List<ItemId, Item>,
    /// By node: its item (none: a constant, or not needed).
    pub item_of: Vec<Option<ItemId>>,
    /// By node: its lane if its item is a pack.
    pub lane_of: Vec<Option<u8>>,
    pub clusters: List<ClusterId, Cluster>,
    pub regions: List<RegionId, Region>,
    pub domains: Vec<Edge>,
    /// By domain: is it looked for whenever logic settles?
    pub asynchronous: Vec<bool>,
    pub nexts: Vec<Next>,
    pub blocks: List<BlockId, Block>,
    /// Every write port, in the order of memories and ports.
    pub ports: List<PortId, (MemId, u32)>,
    /// By write port: its region.
    pub port_regions: List<PortId, Option<RegionId>>,
    /// By register: its block.
    pub block_of: Vec<Option<BlockId>>,
    /// By memory: dirty bits of the gated regions that read it.
    pub memory_readers: Vec<Vec<DirtyBit>>,
    /// By register: where its next value is.
    pub next_slots: Vec<Option<Offset>>,
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

/// Bytes of an item's value.
pub fn item_bytes(item: &Item) -> u32 {
    if item.kind.is_pack() {
        16
    } else {
        bytes_of(item.width)
    }
}

/// Bytes of a word of a memory or table.
pub fn word_bytes(width: u32) -> u32 {
    bytes_of(width).max(4)
}

/// Constants that have a name or are an output, each once: the host reads them as it reads anything
/// else.
pub(super) fn named_constants(graph: &Graph) -> BTreeSet<NodeId> {
    let named = graph.signals.iter().filter_map(|s| match s.value {
        Value::Node(n) => Some(n),
        Value::Memory(_) => None,
    });
    named.chain(graph.outputs.iter().map(|o| o.1)).filter(|&n| graph.as_const(n).is_some()).collect()
}

/// Bytes of a value in the state.
pub fn bytes_of(width: u32) -> u32 {
    match width {
        1 => 1,
        2..=32 => 4,
        _ => width.div_ceil(64) * 8,
    }
}

impl Plan {
    /// Indices of domains, in order.
    pub fn domains_of(&self, edges: impl Iterator<Item = Edge>) -> Vec<DomainId> {
        let index = |edge| DomainId::new(self.domains.iter().position(|d| *d == edge).unwrap_or(0) as u32);
        let mut list: Vec<DomainId> = edges.map(index).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Nodes that must have a place of their own because something outside the regions reads them.
    pub(super) fn host_nodes(&self, traced: &[SignalId]) -> Vec<NodeId> {
        let g = &self.graph;
        let mut nodes: Vec<NodeId> = g.outputs.iter().map(|o| o.1).collect();
        nodes.extend(self.domains.iter().map(|d| d.clock));
        nodes.extend(traced.iter().filter_map(|s| match g.signals[s.index()].value {
            Value::Node(n) => Some(n),
            Value::Memory(_) => None,
        }));
        nodes
    }

    /// By item: something outside the regions reads it.
    pub(super) fn read_by_host(&self) -> Vec<bool> {
        let mut read = vec![false; self.items.len()];
        for node in self.host_nodes(&[]) {
            if let Some(item) = self.item_of[node.index()] {
                read[item.index()] = true;
            }
        }
        read
    }

    /// Regions with a dirty bit.
    pub fn gated(&self) -> u32 {
        self.regions.iter().filter(|r| r.bit.is_some()).count() as u32
    }

    /// Whether signals of asynchronous edges are watched; the watcher's dirty bit is in a word of
    /// its own behind those of the regions.
    pub fn watcher(&self) -> Option<DirtyBit> {
        self.asynchronous.contains(&true).then(|| DirtyBit::of_next_word(self.gated()))
    }
}
