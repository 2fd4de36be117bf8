//! Dependencies to semaphores.
//!
//! A *group* is a set of threads that release and a set that wait, every pair of them a dependency:
//! one semaphore would serve it alone. The dependencies (without those that follow from others) are
//! covered by few groups: threads with the same successors, or the same predecessors, are taken
//! together, and of what remains a least vertex cover says whether a dependency is looked at from
//! its predecessor or its successor. Then groups share a semaphore where that adds no dependency:
//! where every thread that waits depends already on every thread before it that releases. A chain
//! needs one semaphore that way, a wavefront one for each row. Taking the groups by predecessor or
//! by successor alone sometimes lets more of them share, so all three are tried. For arbitrary
//! graphs the least number is hard to find (covering by complete bipartite graphs is NP-hard): the
//! result is small, and least for the patterns of SE-50 and SE-51.

use std::collections::HashMap;

use super::ancestors::Ancestors;
use super::cover;
use crate::base::bits::BitSet;

/// Threads by their place in the order of dispatch, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    pub release: Vec<u32>,
    pub wait: Vec<u32>,
}

/// A semaphore's threads.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    pub release: Vec<u32>,
    pub wait: Vec<u32>,
    releases: BitSet,
}

impl Shared {
    /// Last place in the order of dispatch of a thread of it.
    fn last(&self) -> u32 {
        self.release.last().max(self.wait.last()).copied().unwrap_or(0)
    }

    fn add(&mut self, group: &Group) {
        for (mine, new) in [(&mut self.release, &group.release), (&mut self.wait, &group.wait)] {
            mine.extend(new);
            mine.sort_unstable();
            mine.dedup();
        }
        for &r in &group.release {
            self.releases.insert(r as usize);
        }
    }

    /// Whether each thread that releases is the head of the list by then: the first one, or one
    /// that waited for all before it.
    pub fn owners_release(&self) -> bool {
        self.release.iter().skip(1).all(|r| self.wait.binary_search(r).is_ok())
    }

    /// With the group.
    fn with(&self, group: &Group) -> Self {
        let mut new = self.clone();
        new.add(group);
        new
    }

    /// Whether the group can use the semaphore too without a thread waiting for one that it does
    /// not depend on.
    fn takes(&self, group: &Group, ancestors: &Ancestors) -> bool {
        let Some(&first) = group.release.first() else { return true };
        // The whole answer costs a look at every thread; most semaphores are out because of their
        // first or last one that releases.
        let ends = self.release.first().into_iter().chain(self.release.last());
        if ends.flat_map(|r| group.wait.first().map(|w| (*w, *r))).any(|(w, r)| r < w && !ancestors.has(w, r)) {
            return false;
        }
        let later = &self.wait[self.wait.partition_point(|&w| w <= first)..];
        group.wait.iter().all(|&w| ancestors.cover(w, &self.releases))
            && later.iter().all(|&w| group.release.iter().all(|&r| r >= w || ancestors.has(w, r)))
    }
}

/// How dependencies are cut into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// By least vertex cover.
    Least,
    BySuccessors,
    ByPredecessors,
    /// One predecessor at a time, for machines on which only the owner releases.
    BySuccessor,
}

impl Cut {
    /// Those to choose from.
    pub const ALL: [Cut; 3] = [Cut::Least, Cut::ByPredecessors, Cut::BySuccessors];
}

/// The groups of a graph, in order of the first thread that waits. `predecessors` by place in the
/// order of dispatch.
pub fn groups(predecessors: &[Vec<u32>], cut: Cut) -> Vec<Group> {
    let mut successors = vec![Vec::new(); predecessors.len()];
    for (w, from) in predecessors.iter().enumerate() {
        from.iter().for_each(|&r| successors[r as usize].push(w as u32));
    }
    let mut left = classes(&successors).0;
    if cut == Cut::BySuccessor {
        left = left.into_iter().flatten().map(|t| vec![t]).collect();
    }
    let (right, right_of) = classes(predecessors);
    let edges: Vec<Vec<u32>> = left
        .iter()
        .map(|class| {
            let mut to: Vec<u32> = successors[class[0] as usize].iter().map(|&w| right_of[w as usize]).collect();
            to.sort_unstable();
            to.dedup();
            to
        })
        .collect();
    let (by_left, by_right) = match cut {
        Cut::Least => cover::least(&edges, right.len()),
        Cut::BySuccessors | Cut::BySuccessor => (vec![true; left.len()], vec![false; right.len()]),
        Cut::ByPredecessors => (vec![false; left.len()], vec![true; right.len()]),
    };
    let mut out = Vec::new();
    for (class, _) in right.iter().zip(&by_right).filter(|(_, chosen)| **chosen) {
        out.push(Group { release: predecessors[class[0] as usize].clone(), wait: class.clone() });
    }
    for (class, _) in left.iter().zip(&by_left).filter(|(_, chosen)| **chosen) {
        let open = |w: &&u32| !by_right[right_of[**w as usize] as usize];
        let wait: Vec<u32> = successors[class[0] as usize].iter().filter(open).copied().collect();
        if !wait.is_empty() {
            out.push(Group { release: class.clone(), wait });
        }
    }
    out.sort_by(|a, b| (&a.wait, &a.release).cmp(&(&b.wait, &b.release)));
    out
}

/// Threads with the same non-empty list, together; and the class of each thread (0 for those
/// without).
fn classes(lists: &[Vec<u32>]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut number: HashMap<&[u32], u32> = HashMap::new();
    let (mut classes, mut class_of) = (Vec::new(), vec![0; lists.len()]);
    for (t, list) in lists.iter().enumerate().filter(|(_, l)| !l.is_empty()) {
        let n = *number.entry(list).or_insert_with(|| {
            classes.push(Vec::new());
            classes.len() as u32 - 1
        });
        classes[n as usize].push(t as u32);
        class_of[t] = n;
    }
    (classes, class_of)
}

/// Gives each group a semaphore, at most `most` of them: one that takes it and was used last; else
/// a new one; else the one used longest ago, whose threads are most likely done. With `owner_only`,
/// groups share only as [`Shared::owners_release`] says, as long as there are semaphores.
pub fn share(groups: &[Group], ancestors: &Ancestors, most: usize, owner_only: bool) -> Vec<Shared> {
    let mut out: Vec<Shared> = Vec::new();
    for group in groups {
        let owned = |s: &Shared| !owner_only || s.with(group).owners_release();
        let fits = (0..out.len()).filter(|&s| out[s].takes(group, ancestors) && owned(&out[s]));
        let s = match fits.max_by_key(|&s| out[s].last()) {
            Some(s) => s,
            None if out.len() < most.max(1) => {
                out.push(Shared::default());
                out.len() - 1
            }
            None => (0..out.len()).min_by_key(|&s| out[s].last()).unwrap_or(0),
        };
        out[s].add(group);
    }
    out
}

/// A semaphore for each successor, chosen by `place` of it.
pub fn by_place(predecessors: &[Vec<u32>], semaphores: usize, place: &dyn Fn(u32) -> usize) -> Vec<Shared> {
    let mut out = vec![Shared::default(); semaphores];
    for (w, from) in predecessors.iter().enumerate().filter(|(_, from)| !from.is_empty()) {
        let group = Group { release: from.clone(), wait: vec![w as u32] };
        out[place(w as u32) % semaphores.max(1)].add(&group);
    }
    out
}

/// Joins semaphores until no thread is in the lists of more than `most`.
pub fn limit(mut shared: Vec<Shared>, threads: usize, most: usize) -> Vec<Shared> {
    loop {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); threads];
        for (s, x) in shared.iter().enumerate() {
            for &t in x.release.iter().chain(&x.wait) {
                if of[t as usize].last() != Some(&s) && !of[t as usize].contains(&s) {
                    of[t as usize].push(s);
                }
            }
        }
        let Some(many) = of.iter().find(|s| s.len() > most) else { return shared };
        // The last ones of that thread become one.
        let (into, from) = (many[most - 1], many[most..].to_vec());
        for s in from {
            let Shared { release, wait, .. } = std::mem::take(&mut shared[s]);
            shared[into].add(&Group { release, wait });
        }
    }
}
