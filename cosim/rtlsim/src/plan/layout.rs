//! Where every value lies in memory. Registers that are updated together lie in blocks, a current
//! and a next value of each, so that an edge is a copy; then come values that somebody reads from
//! outside, write ports, memories, tables and constants with a name. Wrong would be two values in
//! one place, or more bytes than [`size`](super::size) has counted.

use rustc_hash::FxHashMap as HashMap;
use std::cmp::Reverse;

use super::ids::{BlockId, ClusterId, DirtyBit, DomainId, ItemId, ObservedId, Offset, RegionId};
use super::size;
use super::types::{bytes_of, item_bytes, named_constants, word_bytes, Block, Group, Item, Kind};
use super::types::{Plan, PlanOptions, PortSlots};
use crate::error::Error;
use crate::graph::{Op, RegId, SignalId};

/// Memory that is given out from the front.
#[derive(Default)]
struct Space {
    at: u64,
}

impl Space {
    /// The next place of so many bytes at a multiple of `align`.
    fn place(&mut self, bytes: u32, align: u32) -> Offset {
        self.at = self.at.next_multiple_of(align.into());
        let here = Offset::new(self.at as u32);
        self.at += u64::from(bytes);
        here
    }

    /// A place for a value of that many bits that nothing reads as a vector.
    fn value(&mut self, width: u32) -> Offset {
        let bytes = bytes_of(width);
        self.place(bytes, bytes.min(8))
    }
}

/// Which registers are copied together: those of one region, under one enable, with the same edges.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    region: Option<RegionId>,
    /// If it has an enable.
    cluster: Option<ClusterId>,
    domains: Vec<DomainId>,
}

/// Who must know when a register changes: its number for a trace, the regions that read it.
type Readers = (u32, Vec<DirtyBit>);

/// A block while it is filled.
#[derive(Default)]
struct Filled {
    bytes: u32,
    /// Of each item, in order.
    offsets: Vec<u32>,
    groups: Vec<Group>,
}

impl Plan {
    pub(super) fn lay_out(&mut self, options: &PlanOptions) -> Result<(), Error> {
        let mut space = Space::default();
        let observed = if options.trace { self.number_observed() } else { 0 };
        self.place_dirty_bits(observed, &mut space);
        let blocks = self.registers_by_block();
        self.place_edge_bits(blocks.len() as u32, &mut space);
        let sources = self.register_sources();
        for (key, registers) in blocks {
            self.place_block(key, registers, &sources, &mut space);
        }
        self.place_values(&mut space);
        self.place_ports(&mut space);
        self.place_contents(&mut space);
        let end = space.place(0, 64);
        self.layout.bytes = end.number();
        // Machine code addresses by signed 32-bit offsets, and its safety rests on `bytes` (see
        // `jit/call.rs`).
        if space.at > size::MOST {
            return Err(Error::Internal(format!("a state of {} bytes was thought to be smaller", space.at)));
        }
        Ok(())
    }

    /// Counters of regions, dirty bits of regions, change bits of observed values.
    fn place_dirty_bits(&mut self, observed: u32, space: &mut Space) {
        let watched = u32::from(self.watcher().is_some());
        let gated = self.gated();
        let l = &mut self.layout;
        l.region_words = gated.div_ceil(64) + watched;
        l.counters = space.place(4 * self.regions.len() as u32, 8);
        l.dirty_words = l.region_words + observed.div_ceil(64);
        l.dirty = space.place(l.dirty_words * 8, 64);
        l.trigger = (watched == 1).then(|| l.dirty.word(l.region_words - 1));
    }

    /// What an edge looks at: a bit for each block, a bit for each write port.
    fn place_edge_bits(&mut self, blocks: u32, space: &mut Space) {
        let l = &mut self.layout;
        l.commit_words = blocks.div_ceil(64);
        l.commit = space.place(l.commit_words * 8, 64);
        l.port_words = (self.ports.len() as u32).div_ceil(64);
        l.ports = space.place(l.port_words * 8, 64);
    }

    /// Updates of registers by what is copied together, in the order of the first of each.
    fn registers_by_block(&self) -> Vec<(Key, Vec<ItemId>)> {
        let mut number: HashMap<Key, usize> = HashMap::default();
        let mut blocks: Vec<(Key, Vec<ItemId>)> = Vec::new();
        for (i, item) in self.items.entries() {
            let Some(&r) = item.kind.registers().first() else { continue };
            let cluster = item.cluster.filter(|&c| self.clusters[c].enable.is_some());
            let domains = self.domains_of(self.graph.registers[r.index()].edges());
            let key = Key { region: item.region, cluster, domains };
            let at = *number.entry(key.clone()).or_insert(blocks.len());
            if at == blocks.len() {
                blocks.push((key, Vec::new()));
            }
            blocks[at].1.push(i);
        }
        blocks
    }

    /// The item of each register's current value; of a pack the first stands for the four.
    fn register_sources(&self) -> HashMap<RegId, ItemId> {
        let source = |(i, item): (ItemId, &Item)| match item.kind {
            Kind::Source(n) => match self.graph.node(n).op {
                Op::Reg(r) => Some((r, i)),
                _ => None,
            },
            Kind::PackSource(rs) => Some((rs[0], i)),
            _ => None,
        };
        self.items.entries().filter_map(source).collect()
    }

    /// Current and next values of registers that are copied together. Those with the same readers
    /// lie side by side, so that one comparison tells whether these must be evaluated.
    fn place_block(&mut self, key: Key, registers: Vec<ItemId>, sources: &HashMap<RegId, ItemId>, space: &mut Space) {
        let source_of = |i: ItemId| sources.get(self.items[i].kind.registers().first()?).copied();
        let readers = |i: ItemId| -> Readers {
            // What is not observed comes last.
            source_of(i).map_or((u32::MAX, Vec::new()), |s| {
                let source = &self.items[s];
                (source.observed.map_or(u32::MAX, ObservedId::number), source.readers.clone())
            })
        };
        let mut list: Vec<(Readers, Reverse<u32>, ItemId)> =
            registers.into_iter().map(|i| (readers(i), Reverse(align_of(&self.items[i])), i)).collect();
        list.sort_unstable();
        let mut filled = Filled::default();
        for group in list.chunk_by(|a, b| a.0 == b.0) {
            self.place_group(group, source_of(group[0].2), &mut filled);
        }
        let bytes = filled.bytes.next_multiple_of(16);
        let (current, next) = (space.place(bytes, 16), space.place(bytes, 16));
        let Key { region, cluster, domains } = key;
        let gated = region.is_some_and(|r| self.regions[r].bit.is_some());
        let always = cluster.is_none() && !gated;
        let block = self.blocks.push(Block { domains, always, current, next, groups: filled.groups });
        if let Some(region) = region {
            self.regions[region].blocks.push((cluster, block));
        }
        for ((_, _, i), offset) in list.into_iter().zip(filled.offsets) {
            self.place_register(i, (current + offset, next + offset), block);
        }
    }

    /// Registers with the same readers, at the end of a block. A group of more than 8 bytes starts
    /// at a multiple of 16.
    fn place_group(&self, group: &[(Readers, Reverse<u32>, ItemId)], source: Option<ItemId>, filled: &mut Filled) {
        if align_of(&self.items[group[0].2]) == 16 {
            filled.bytes = filled.bytes.next_multiple_of(16);
        }
        let (start, first) = (filled.bytes, filled.offsets.len());
        let mut end = start;
        for &(_, _, i) in group {
            let item = &self.items[i];
            end = end.next_multiple_of(align_of(item));
            filled.offsets.push(end);
            end += item_bytes(item);
        }
        let aligned = if end - start <= 8 { 8 } else { 16 };
        let shift = if aligned == 16 { start.next_multiple_of(16) - start } else { 0 };
        filled.offsets[first..].iter_mut().for_each(|o| *o += shift);
        let bytes = (end - start).next_multiple_of(aligned);
        filled.bytes = start + shift + bytes;
        filled.groups.push(Group { start: start + shift, bytes, source });
    }

    fn place_register(&mut self, i: ItemId, (current, next): (Offset, Offset), block: BlockId) {
        self.items[i].slot = Some(current);
        for (k, r) in (0..).zip(self.items[i].kind.registers().to_vec()) {
            self.next_slots[r.index()] = Some(next + 4 * k);
            self.block_of[r.index()] = Some(block);
        }
    }

    /// Sources, and computed values that somebody outside their region reads.
    fn place_values(&mut self, space: &mut Space) {
        let update = |item: &Item| Some((*item.kind.registers().first()?, item.slot));
        let registers: HashMap<RegId, Option<Offset>> = self.items.iter().filter_map(update).collect();
        let of_register = |r: &RegId| registers.get(r).copied().flatten();
        let read_by_host = self.read_by_host();
        for i in self.items.ids() {
            let item = &self.items[i];
            let mut own = || Some(space.place(item_bytes(item), align_of(item)));
            let slot = match &item.kind {
                Kind::Source(n) => match &self.graph.node(*n).op {
                    Op::Reg(r) => of_register(r),
                    _ => own(),
                },
                Kind::PackSource(rs) => of_register(&rs[0]),
                Kind::Node(_) | Kind::Pack(_) => {
                    let read = item.external || item.observed.is_some() || read_by_host[i.index()];
                    if read {
                        own()
                    } else {
                        None
                    }
                }
                Kind::Register(_) | Kind::PackRegister(_) | Kind::Port(..) => continue,
            };
            self.items[i].slot = slot;
        }
    }

    /// Operands of write ports, which are kept until the edge.
    fn place_ports(&mut self, space: &mut Space) {
        for &(m, p) in self.ports.iter() {
            let memory = &self.graph.memories[m.index()];
            let port = &memory.writes[p as usize];
            let mask = port.mask.map(|_| space.value(memory.width));
            let address = space.value(self.graph.width(port.addr));
            let data = space.value(memory.width);
            self.layout.port_slots.push(PortSlots { address, data, mask });
        }
    }

    /// Memories, tables, constants that somebody reads by name.
    fn place_contents(&mut self, space: &mut Space) {
        let l = &mut self.layout;
        for m in &self.graph.memories {
            l.memories.push(space.place(word_bytes(m.width) * (m.depth + 1), 16));
        }
        for t in &self.graph.tables {
            l.tables.push(space.place(word_bytes(t.width) * (t.words.len() as u32 + 1), 16));
        }
        for n in named_constants(&self.graph) {
            l.constants.insert(n, space.place(bytes_of(self.graph.width(n)), 8));
        }
    }

    /// Observed values in the order of their regions, so that a region's change bits lie in few
    /// words.
    fn number_observed(&mut self) -> u32 {
        let mut updates: HashMap<RegId, u32> = HashMap::default();
        let number = |region: Option<RegionId>| region.map_or(u32::MAX, RegionId::number);
        for item in self.items.iter() {
            if let Kind::Register(r) = item.kind {
                updates.insert(r, number(item.region));
            }
        }
        let region = |item: &Item| match item.kind {
            Kind::Source(n) => match self.graph.node(n).op {
                Op::Reg(r) => updates.get(&r).copied().unwrap_or(0),
                _ => 0,
            },
            _ => number(item.region),
        };
        let observed = |(i, item): (ItemId, &Item)| Some((region(item), i, item.observed?));
        let mut list: Vec<(u32, ItemId, ObservedId)> = self.items.entries().filter_map(observed).collect();
        list.sort_unstable();
        let signals: Vec<SignalId> = list.iter().map(|(_, _, old)| self.observed[old.index()]).collect();
        for (new, (_, i, _)) in (0..).zip(&list) {
            self.items[*i].observed = Some(ObservedId::new(new));
        }
        self.observed = signals;
        list.len() as u32
    }
}

fn align_of(item: &Item) -> u32 {
    if item.kind.is_pack() {
        16
    } else {
        bytes_of(item.width).min(8)
    }
}
