//! Where every value lies in memory. Registers that are updated together lie in blocks, a current
//! and a next value of each, so that an edge is a copy; then come values that somebody reads from
//! outside, write ports, memories, tables and constants with a name. Wrong would be two values in
//! one place, or more bytes than [`size`](super::size) has counted.

use std::collections::{BTreeSet, HashMap};

use super::{bytes_of, size, Block, Item, Kind, Plan, PlanOptions, NONE};
use crate::error::Error;
use crate::graph::{Graph, NodeId, Op, RegId, SignalId, Value};

impl Plan {
    pub(super) fn lay_out(&mut self, options: &PlanOptions) -> Result<(), Error> {
        let mut at = 0u64;
        let mut place = |bytes: u32, align: u32| {
            at = at.next_multiple_of(align.into());
            let here = at as u32;
            at += u64::from(bytes);
            here
        };
        let observed = if options.trace { self.number_observed() } else { 0 };
        let gated = self.gated();
        let l = &mut self.layout;
        let asynchronous = self.asynchronous.contains(&true);
        l.region_words = gated.div_ceil(64) + u32::from(asynchronous);
        l.counters = place(4 * self.regions.len() as u32, 8);
        l.dirty_words = l.region_words + observed.div_ceil(64);
        l.dirty = place(l.dirty_words * 8, 64);
        l.trigger = if asynchronous { l.dirty + 8 * (l.region_words - 1) } else { NONE };
        // Blocks: for each region and domain the free registers, then one for each enable.
        let mut members: HashMap<(u32, u32, Vec<u32>), Vec<usize>> = HashMap::new();
        let mut keys = Vec::new();
        for (i, item) in self.items.iter().enumerate() {
            if let Some(&r) = item.kind.registers().first() {
                let enable = if self.clusters[item.cluster as usize].enable.is_some() { item.cluster } else { NONE };
                let key = (item.region, enable, self.domains_of(self.graph.registers[r.index()].edges()));
                members
                    .entry(key.clone())
                    .or_insert_with(|| {
                        keys.push(key);
                        Vec::new()
                    })
                    .push(i);
            }
        }
        let sources: HashMap<RegId, u32> = self
            .items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| match item.kind {
                Kind::Source(n) => match self.graph.node(n).op {
                    Op::Reg(r) => Some((r, i as u32)),
                    _ => None,
                },
                // The first stands for the four.
                Kind::PackSource(rs) => Some((rs[0], i as u32)),
                _ => None,
            })
            .collect();
        let l = &mut self.layout;
        l.commit_words = (keys.len() as u32).div_ceil(64);
        l.commit = place(l.commit_words * 8, 64);
        l.port_words = (self.ports.len() as u32).div_ceil(64);
        l.ports = place(l.port_words * 8, 64);
        for key in keys {
            let mut list = members.remove(&key).unwrap_or_default();
            // Registers with the same readers lie together, so that one comparison tells whether these must be evaluated.
            let key_of = |i: usize| {
                let Some(&r) = self.items[i].kind.registers().first() else { return (NONE, Vec::new()) };
                match sources.get(&r) {
                    Some(&source) => {
                        (self.items[source as usize].observed, self.items[source as usize].readers.clone())
                    }
                    None => (NONE, Vec::new()),
                }
            };
            list.sort_by_key(|&i| (key_of(i), std::cmp::Reverse(align_of(&self.items[i])), i));
            let mut bytes = 0u32;
            let mut offsets = Vec::with_capacity(list.len());
            let mut groups: Vec<(u32, u32, u32)> = Vec::new();
            let mut at = 0;
            while at < list.len() {
                let same = list[at..].iter().take_while(|&&i| key_of(i) == key_of(list[at])).count();
                if align_of(&self.items[list[at]]) == 16 {
                    bytes = bytes.next_multiple_of(16);
                }
                let start = bytes;
                for &i in &list[at..at + same] {
                    let size = item_bytes(&self.items[i]);
                    bytes = bytes.next_multiple_of(align_of(&self.items[i]));
                    offsets.push(bytes);
                    bytes += size;
                }
                let Some(&r) = self.items[list[at]].kind.registers().first() else { break };
                let aligned = if bytes - start <= 8 { 8 } else { 16 };
                let source = sources.get(&r).copied().unwrap_or(NONE);
                // A group of more than 8 bytes starts at a multiple of 16.
                let shift = if aligned == 16 { start.next_multiple_of(16) - start } else { 0 };
                let first = offsets.len() - same;
                for o in &mut offsets[first..] {
                    *o += shift;
                }
                let length = (bytes - start).next_multiple_of(aligned);
                bytes = start + shift + length;
                groups.push((start + shift, length, source));
                at += same;
            }
            let bytes = bytes.next_multiple_of(16);
            let (current, next) = (place(bytes, 16), place(bytes, 16));
            self.regions[key.0 as usize].blocks.push((key.1, self.blocks.len() as u32));
            let always = key.1 == NONE && self.regions[key.0 as usize].bit == NONE;
            self.blocks.push(Block { domains: key.2, always, current, next, bytes, groups });
            for (&i, offset) in list.iter().zip(offsets) {
                self.items[i].slot = current + offset;
                for (k, &r) in self.items[i].kind.registers().to_vec().iter().enumerate() {
                    self.next_slots[r.index()] = next + offset + 4 * k as u32;
                    self.block_of[r.index()] = self.blocks.len() as u32 - 1;
                }
            }
        }
        let registers: HashMap<RegId, u32> =
            self.items.iter().filter_map(|i| i.kind.registers().first().map(|&r| (r, i.slot))).collect();
        let host: Vec<u32> =
            { self.host_nodes(&[]).iter().map(|n| self.item_of[n.index()]).filter(|i| *i != NONE).collect() };
        for i in 0..self.items.len() {
            let (size, align) = (item_bytes(&self.items[i]), align_of(&self.items[i]));
            match self.items[i].kind {
                Kind::Source(n) => {
                    self.items[i].slot = match self.graph.node(n).op {
                        Op::Reg(r) => registers[&r],
                        _ => place(size, align),
                    };
                }
                Kind::PackSource(rs) => self.items[i].slot = registers[&rs[0]],
                Kind::Node(_) | Kind::Pack(_) => {
                    let item = &self.items[i];
                    if item.external || item.observed != NONE || host.contains(&(i as u32)) {
                        self.items[i].slot = place(size, align);
                    }
                }
                _ => {}
            }
        }
        let mut port_slots = Vec::with_capacity(self.ports.len());
        for &(m, p) in &self.ports {
            let memory = &self.graph.memories[m.index()];
            let w = &memory.writes[p as usize];
            let size = bytes_of(memory.width);
            let address = bytes_of(self.graph.width(w.addr));
            let mask = w.mask.map_or(NONE, |_| place(size, size.min(8)));
            port_slots.push([place(address, address.min(8)), place(size, size.min(8)), mask]);
        }
        let l = &mut self.layout;
        l.port_slots = port_slots;
        for m in &self.graph.memories {
            l.memories.push(place(word_bytes(m.width) * (m.depth + 1), 16));
        }
        for t in &self.graph.tables {
            l.tables.push(place(word_bytes(t.width) * (t.words.len() as u32 + 1), 16));
        }
        let constants = named_constants(&self.graph).into_iter();
        l.constants = constants.map(|n| (n, place(bytes_of(self.graph.width(n)), 8))).collect();
        l.bytes = place(0, 64);
        // Machine code addresses by signed 32-bit offsets, and its safety rests on `bytes` (see `jit/call.rs`).
        if at > size::MOST {
            return Err(Error::Internal(format!("a state of {at} bytes was thought to be smaller")));
        }
        Ok(())
    }

    /// Observed values in the order of their regions, so that a region's change bits lie in few words.
    fn number_observed(&mut self) -> u32 {
        let mut list: Vec<usize> = (0..self.items.len()).filter(|&i| self.items[i].observed != NONE).collect();
        let region_of_source = |p: &Plan, i: usize| -> u32 {
            let Kind::Source(n) = p.items[i].kind else { return p.items[i].region };
            let Op::Reg(r) = p.graph.node(n).op else { return 0 };
            // Registers are pushed in order after the nodes.
            p.items.iter().position(|it| it.kind == Kind::Register(r)).map_or(0, |k| p.items[k].region)
        };
        let keys: HashMap<usize, u32> = list.iter().map(|&i| (i, region_of_source(self, i))).collect();
        list.sort_by_key(|i| (keys[i], *i));
        let signals: Vec<SignalId> = list.iter().map(|&i| self.observed[self.items[i].observed as usize]).collect();
        for (number, &i) in list.iter().enumerate() {
            self.items[i].observed = number as u32;
        }
        self.observed = signals;
        list.len() as u32
    }
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

/// Bytes of an item's value.
pub fn item_bytes(item: &Item) -> u32 {
    if item.kind.is_pack() {
        16
    } else {
        bytes_of(item.width)
    }
}

fn align_of(item: &Item) -> u32 {
    if item.kind.is_pack() {
        16
    } else {
        bytes_of(item.width).min(8)
    }
}

/// Bytes of a word of a memory or table.
pub fn word_bytes(width: u32) -> u32 {
    bytes_of(width).max(4)
}
