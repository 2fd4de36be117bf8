//! Who must be evaluated again when a value changes.

use super::ids::DirtyBit;
use super::types::{Kind, Plan};
use crate::graph::Op;

impl Plan {
    /// Fills the readers of every item and memory, from the regions.
    pub(super) fn find_readers(&mut self) {
        let mut readers: Vec<Vec<DirtyBit>> = vec![Vec::new(); self.items.len()];
        let mut external = vec![false; self.items.len()];
        for item in self.items.iter() {
            let Some(region) = item.region else { continue };
            let bit = self.regions[region].bit;
            let enable = item.enable.and_then(|e| self.item_of[e.index()]);
            // A register's own value is read for comparison; that alone needs no evaluation when it
            // changes.
            for &a in item.args.iter().chain(enable.iter()) {
                if self.items[a].region != item.region {
                    external[a.index()] = true;
                    readers[a.index()].extend(bit);
                }
            }
            if let Kind::Node(n) = item.kind {
                if let Op::MemRead(m) = self.graph.node(n).op {
                    self.memory_readers[m.index()].extend(bit);
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
        if let Some(bit) = self.watcher() {
            for (domain, _) in self.domains.iter().zip(&self.asynchronous).filter(|(_, &a)| a) {
                let Some(item) = self.item_of[domain.clock.index()] else { continue };
                if self.items[item].readers.last() != Some(&bit) {
                    self.items[item].readers.push(bit);
                }
            }
        }
        let ports = self.items.iter().filter(|i| matches!(i.kind, Kind::Port(..)));
        self.port_regions = ports.map(|i| i.region).collect::<Vec<_>>().into();
        for list in &mut self.memory_readers {
            list.sort_unstable();
            list.dedup();
        }
    }
}
