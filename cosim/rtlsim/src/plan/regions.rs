//! Clusters and regions. A cluster is a cone: an item together with everything that only it needs,
//! so its inner values are nobody else's business. Clusters are put in a topological order that
//! stays in one scope as long as it can (a module is what is active or idle as a whole), and the
//! order is cut into regions. A cut anywhere is correct; a bad cut only costs time.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use super::ids::{ClusterId, DirtyBit, ItemId, List};
use super::types::{Cluster, Plan, PlanOptions, Region};
use crate::graph::{NodeId, ScopeId};

/// Clusters of this class are evaluated every time.
const ALWAYS: u8 = 4;

/// Clusters are put together with others that are active about as often. From half of the cycles
/// on, asking whether there is something to do (and noting for every value who reads it) costs more
/// than doing it.
///
/// `activity` is the share of cycles in which a cluster was evaluated.
pub fn class(activity: f32) -> u8 {
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
        let users = self.users();
        let fixed = self.fixed();
        let mut by_enable: HashMap<NodeId, ClusterId> = HashMap::default();
        for i in self.items.ids().rev() {
            if self.items[i].kind.is_source() {
                continue;
            }
            let enable = self.items[i].enable;
            let cluster = match enable {
                Some(e) => by_enable.get(&e).copied(),
                None if fixed[i.index()] => None,
                None => self.only_user(&users[i.index()], options),
            };
            let cluster = cluster.unwrap_or_else(|| {
                let enable_item = enable.and_then(|e| self.item_of[e.index()]);
                let new = self.clusters.push(Cluster { items: Vec::new(), enable, enable_item });
                by_enable.extend(enable.map(|e| (e, new)));
                new
            });
            self.items[i].cluster = Some(cluster);
            self.clusters[cluster].items.push(i);
        }
        // Items were visited users first; evaluation wants arguments first. (Items are numbered in
        // topological order.)
        for c in self.clusters.iter_mut() {
            c.items.reverse();
        }
    }

    /// By item: the items that read it, enables excepted.
    fn users(&self) -> Vec<Vec<ItemId>> {
        let mut users: Vec<Vec<ItemId>> = vec![Vec::new(); self.items.len()];
        for (i, item) in self.items.entries() {
            item.args.iter().for_each(|a| users[a.index()].push(i));
        }
        users
    }

    /// By item: it is read outside its cluster, whoever its users are.
    fn fixed(&self) -> Vec<bool> {
        let mut fixed = self.read_by_host();
        for (i, item) in self.items.entries() {
            // An enable is read outside its cluster.
            if let Some(e) = item.enable.and_then(|e| self.item_of[e.index()]) {
                fixed[e.index()] = true;
            }
            fixed[i.index()] |= item.observed.is_some();
        }
        fixed
    }

    /// The one cluster of all these users, if there is room in it.
    fn only_user(&self, users: &[ItemId], options: &PlanOptions) -> Option<ClusterId> {
        let first = self.items[*users.first()?].cluster?;
        let same = users.iter().all(|&u| self.items[u].cluster == Some(first));
        (same && self.clusters[first].items.len() < options.region_max as usize).then_some(first)
    }

    /// Orders the clusters and cuts the order into regions.
    pub(super) fn form_regions(&mut self, options: &PlanOptions, counted: Option<&[u8]>) {
        let classes: List<ClusterId, u8> = self
            .clusters
            .ids()
            .map(|c| match counted {
                _ if !options.gating => ALWAYS,
                Some(classes) => classes[c.index()],
                None => 0,
            })
            .collect::<Vec<u8>>()
            .into();
        let order = self.cluster_order(&classes);
        let mut region = Region::default();
        let (mut size, mut scope, mut kind) = (0u32, None, 0u8);
        let (mut regions, mut bits) = (List::default(), 0);
        let mut close = |region: &mut Region, kind: u8| {
            region.bit = (kind != ALWAYS).then(|| DirtyBit::new(bits));
            bits += u32::from(kind != ALWAYS);
            regions.push(std::mem::take(region));
        };
        for c in order {
            let (s, k) = (self.cluster_scope(c), classes[c]);
            let n = self.clusters[c].items.len() as u32;
            let full = if k == ALWAYS {
                size + n > 2 * options.region_max
            } else {
                size + n > options.region_max || (Some(s) != scope && size >= options.region_min)
            };
            if (full || k != kind) && !region.clusters.is_empty() {
                close(&mut region, kind);
                size = 0;
            }
            region.clusters.push(c);
            size += n;
            (scope, kind) = (Some(s), k);
        }
        if !region.clusters.is_empty() {
            close(&mut region, kind);
        }
        for (r, region) in regions.entries() {
            for &i in region.clusters.iter().flat_map(|&c| &self.clusters[c].items) {
                self.items[i].region = Some(r);
            }
        }
        self.regions = regions;
    }

    fn cluster_scope(&self, cluster: ClusterId) -> ScopeId {
        let items = &self.clusters[cluster].items;
        items.last().map_or(ScopeId(0), |&i| self.items[i].scope)
    }

    /// A topological order of clusters with few changes of scope.
    fn cluster_order(&self, classes: &List<ClusterId, u8>) -> Vec<ClusterId> {
        let n = self.clusters.len();
        let mut waits: List<ClusterId, u32> = List::filled(0, n);
        let mut next: List<ClusterId, Vec<ClusterId>> = List::filled(Vec::new(), n);
        for (c, cluster) in self.clusters.entries() {
            let args = cluster.items.iter().flat_map(|&i| self.items[i].args.iter().copied());
            let read = args.chain(cluster.enable_item).filter_map(|a| self.items[a].cluster);
            let mut from: Vec<ClusterId> = read.filter(|&source| source != c).collect();
            from.sort_unstable();
            from.dedup();
            waits[c] = from.len() as u32;
            for f in from {
                next[f].push(c);
            }
        }
        // Of equals the last comes first.
        let key = |c: ClusterId| (classes[c], self.cluster_scope(c), Reverse(c));
        let mut ready: BTreeSet<(u8, ScopeId, Reverse<ClusterId>)> =
            self.clusters.ids().filter(|&c| waits[c] == 0).map(key).collect();
        let mut order = Vec::with_capacity(n);
        let (mut kind, mut scope) = (0, ScopeId(0));
        loop {
            // The same kind and scope, else the same kind, else what there is.
            let from = |kind: u8, scope: ScopeId| (kind, scope, Reverse(ClusterId::new(u32::MAX)));
            let end = from(kind + 1, ScopeId(0));
            let first =
                ready.range(from(kind, scope)..end).next().or_else(|| ready.range(from(kind, ScopeId(0))..end).next());
            let Some(&first) = first.or_else(|| ready.iter().next()) else { break };
            ready.remove(&first);
            let Reverse(c) = first.2;
            (kind, scope) = (first.0, first.1);
            order.push(c);
            for &f in &next[c] {
                waits[f] -= 1;
                if waits[f] == 0 {
                    ready.insert(key(f));
                }
            }
        }
        order
    }
}
