//! Clusters and regions. A cluster is a cone: an item together with everything that only it needs, so its inner values are nobody else's business. Clusters
//! are put in a topological order that stays in one scope as long as it can (a module is what is active or idle as a whole), and the
//! order is cut into regions. A cut anywhere is correct; a bad cut only costs time.

use std::collections::{BTreeSet, HashMap};

use super::{Cluster, Plan, PlanOptions, Region, NONE};

/// Clusters of this class are evaluated every time.
const ALWAYS: u8 = 4;

/// Clusters are put together with others that are active about as often. From half of the cycles on, asking whether there is something to do (and noting for
/// every value who reads it) costs more than doing it.
fn class(activity: f32) -> u8 {
    match activity {
        a if a < 0.01 => 0,
        a if a < 0.1 => 1,
        a if a < 0.25 => 2,
        a if a < 0.5 => 3,
        _ => ALWAYS,
    }
}

impl Plan {
    /// Assigns every computed item to a cluster.
    pub(super) fn form_clusters(&mut self, options: &PlanOptions) {
        let n = self.items.len();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut fixed = vec![false; n];
        for (i, item) in self.items.iter().enumerate() {
            for &a in &item.args {
                users[a as usize].push(i as u32);
            }
            // An enable is read outside its cluster.
            if let Some(e) = item.enable.map(|e| self.item_of[e.index()]).filter(|e| *e != NONE) {
                fixed[e as usize] = true;
            }
            fixed[i] |= item.observed != NONE;
        }
        let host = self.host_nodes(&[]);
        for h in host {
            let item = self.item_of[h.index()];
            if item != NONE {
                fixed[item as usize] = true;
            }
        }
        let mut by_enable = HashMap::new();
        let mut size: Vec<u32> = Vec::new();
        for i in (0..n).rev() {
            if self.items[i].kind.is_source() {
                continue;
            }
            let mut cluster = NONE;
            if let Some(e) = self.items[i].enable {
                cluster = *by_enable.entry(e).or_insert(NONE);
            } else if !fixed[i] && !users[i].is_empty() {
                let first = self.items[users[i][0] as usize].cluster;
                if users[i].iter().all(|&u| self.items[u as usize].cluster == first)
                    && size[first as usize] < options.region_max
                {
                    cluster = first;
                }
            }
            if cluster == NONE {
                cluster = self.clusters.len() as u32;
                let enable = self.items[i].enable;
                let enable_item = enable.map_or(NONE, |e| self.item_of[e.index()]);
                self.clusters.push(Cluster { items: Vec::new(), enable, enable_item });
                size.push(0);
                if let Some(e) = enable {
                    by_enable.insert(e, cluster);
                }
            }
            self.items[i].cluster = cluster;
            self.clusters[cluster as usize].items.push(i as u32);
            size[cluster as usize] += 1;
        }
        // Items were visited users first; evaluation wants arguments first. (Items are numbered in topological order.)
        for c in &mut self.clusters {
            c.items.reverse();
        }
    }

    /// Orders the clusters and cuts the order into regions.
    pub(super) fn form_regions(&mut self, options: &PlanOptions, activity: Option<&[f32]>) {
        let classes: Vec<u8> = (0..self.clusters.len())
            .map(|c| match activity {
                _ if !options.gating => ALWAYS,
                Some(a) => class(a[c]),
                None => 0,
            })
            .collect();
        let order = self.cluster_order(&classes);
        let mut region = Region::default();
        let (mut size, mut scope, mut kind) = (0u32, NONE, 0u8);
        let (mut regions, mut bits) = (Vec::new(), 0);
        let mut close = |region: &mut Region, kind: u8| {
            region.bit = if kind == ALWAYS { NONE } else { bits };
            bits += u32::from(kind != ALWAYS);
            regions.push(std::mem::take(region));
        };
        for c in order {
            let (s, k) = (self.cluster_scope(c), classes[c as usize]);
            let n = self.clusters[c as usize].items.len() as u32;
            let full = if k == ALWAYS {
                size + n > 2 * options.region_max
            } else {
                size + n > options.region_max || (s != scope && size >= options.region_min)
            };
            if (full || k != kind) && !region.clusters.is_empty() {
                close(&mut region, kind);
                size = 0;
            }
            region.clusters.push(c);
            size += n;
            (scope, kind) = (s, k);
        }
        if !region.clusters.is_empty() {
            close(&mut region, kind);
        }
        for (r, region) in regions.iter().enumerate() {
            for &c in &region.clusters {
                for &i in &self.clusters[c as usize].items {
                    self.items[i as usize].region = r as u32;
                }
            }
        }
        self.regions = regions;
    }

    fn cluster_scope(&self, cluster: u32) -> u32 {
        let items = &self.clusters[cluster as usize].items;
        items.last().map_or(0, |&i| self.items[i as usize].scope)
    }

    /// A topological order of clusters with few changes of scope.
    fn cluster_order(&self, classes: &[u8]) -> Vec<u32> {
        let n = self.clusters.len();
        let mut waits = vec![0u32; n];
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (c, cluster) in self.clusters.iter().enumerate() {
            let mut from: Vec<u32> = Vec::new();
            let enable = Some(cluster.enable_item).filter(|e| *e != NONE);
            for a in cluster.items.iter().flat_map(|&i| self.items[i as usize].args.iter().copied()).chain(enable) {
                let source = self.items[a as usize].cluster;
                if source != NONE && source != c as u32 {
                    from.push(source);
                }
            }
            from.sort_unstable();
            from.dedup();
            waits[c] = from.len() as u32;
            for f in from {
                next[f as usize].push(c as u32);
            }
        }
        let key = |c: u32| (classes[c as usize], self.cluster_scope(c), u32::MAX - c);
        let mut ready: BTreeSet<(u8, u32, u32)> = (0..n as u32).filter(|&c| waits[c as usize] == 0).map(key).collect();
        let mut order = Vec::with_capacity(n);
        let (mut kind, mut scope) = (0, 0);
        loop {
            // The same kind and scope, else the same kind, else what there is.
            let mut same = ready.range((kind, scope, 0)..(kind + 1, 0, 0));
            let first = same.next().or_else(|| ready.range((kind, 0, 0)..(kind + 1, 0, 0)).next());
            let Some(&first) = first.or_else(|| ready.iter().next()) else { break };
            ready.remove(&first);
            let c = u32::MAX - first.2;
            (kind, scope) = (first.0, first.1);
            order.push(c);
            for &f in &next[c as usize] {
                waits[f as usize] -= 1;
                if waits[f as usize] == 0 {
                    ready.insert(key(f));
                }
            }
        }
        order
    }
}
