//! The result: threads in order of dispatch with their semaphore requests (SE-51's roles) and
//! releases.
//!
//! | in a semaphore's list the thread | ack-suppress | auto-release |
//! |---|---|---|
//! | only releases (others depend on it) | set | clear |
//! | only waits (it depends on others) | clear | set |
//! | does both (a link of a chain) | clear | clear |

use quadlock_isa::thread::MAX_REQUESTS;
use quadlock_isa::SemaphoreRequest;

use super::ancestors::Ancestors;
use super::assign::{by_place, groups, limit, share, Cut, Shared};
use super::{Graph, GraphError};

/// Which semaphore a dependency uses.
#[derive(Clone, Copy, Debug)]
pub enum Mapping<'a> {
    /// As few as add no dependency.
    Least,
    /// That of the hash of the successor's key, by thread number (SE-34, SE-60).
    Hash(&'a [u32]),
}

/// What a thread asks of semaphores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub thread: u32,
    pub requests: Vec<SemaphoreRequest>,
    /// The semaphores that it releases when it is done.
    pub releases: Vec<u16>,
    /// Threads that it waits for, without those that another one of them waits for: what it polls
    /// without semaphores.
    pub predecessors: Vec<u32>,
}

/// Threads in the order of dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub threads: Vec<Needs>,
    /// Semaphores used.
    pub semaphores: usize,
    /// Of [`Mapping::Least`]: semaphores with which no thread would wait for one that it does not
    /// depend on.
    pub wanted: Option<usize>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("on this machine only the owner releases a semaphore, and with {0} semaphores some thread would have to release one that it does not own")]
    OwnerOnly(usize),
}

impl Plan {
    /// A plan with at most `most` semaphores (at least 1); with `owner_only`, for a machine on
    /// which only the head of a list releases (SE-22, option A).
    ///
    /// # Errors
    /// A circle; or dependencies that cannot be kept where only the owner releases.
    pub fn new(
        graph: &Graph,
        rank: Option<&[u64]>,
        mapping: Mapping,
        most: usize,
        owner_only: bool,
    ) -> Result<Self, PlanError> {
        let order = graph.order(rank)?;
        let mut place = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(p, &t)| place[t as usize] = p as u32);
        let direct: Vec<Vec<u32>> = order
            .iter()
            .map(|&t| {
                let mut from: Vec<u32> = graph.predecessors(t).iter().map(|&p| place[p as usize]).collect();
                from.sort_unstable();
                from
            })
            .collect();
        let ancestors = Ancestors::new(&direct);
        let needed = ancestors.reduced(&direct);
        let (shared, wanted) = match mapping {
            Mapping::Hash(keys) => {
                let key = |p: u32| keys.get(order[p as usize] as usize).copied().unwrap_or(0);
                (by_place(&needed, most.max(1), &|p| hash(key(p))), None)
            }
            Mapping::Least => least(&needed, &ancestors, most, owner_only),
        };
        let shared = limit(shared, order.len(), MAX_REQUESTS);
        if owner_only && !shared.iter().all(Shared::owners_release) {
            return Err(PlanError::OwnerOnly(most));
        }
        Ok(Self::of(&order, &needed, shared, wanted))
    }

    /// With `numbers[n]` instead of semaphore `n`; ascending, at least as many as the plan was
    /// allowed.
    pub fn numbered(mut self, numbers: &[u16]) -> Self {
        let number = |n: &mut u16| *n = numbers.get(usize::from(*n)).copied().unwrap_or(*n);
        for thread in &mut self.threads {
            thread.requests.iter_mut().for_each(|r| number(&mut r.semaphore));
            thread.releases.iter_mut().for_each(number);
        }
        self
    }

    fn of(order: &[u32], needed: &[Vec<u32>], mut shared: Vec<Shared>, wanted: Option<usize>) -> Self {
        // With a hash, numbers are what the hash says; otherwise unused ones are gone already.
        let used = shared.iter().filter(|s| !s.release.is_empty()).count();
        if wanted.is_some() {
            shared.retain(|s| !s.release.is_empty());
        }
        let threads = order.iter().zip(needed);
        let mut threads: Vec<Needs> = threads
            .map(|(&thread, from)| {
                let predecessors = from.iter().map(|&p| order[p as usize]).collect();
                Needs { thread, predecessors, ..Needs::default() }
            })
            .collect();
        for (s, x) in shared.iter().enumerate() {
            let semaphore = s as u16;
            for &w in &x.wait {
                let auto_release = x.release.binary_search(&w).is_err();
                threads[w as usize].requests.push(SemaphoreRequest { semaphore, auto_release, suppress: false });
            }
            for &r in &x.release {
                threads[r as usize].releases.push(semaphore);
                if x.wait.binary_search(&r).is_err() {
                    let request = SemaphoreRequest { semaphore, auto_release: false, suppress: true };
                    threads[r as usize].requests.push(request);
                }
            }
        }
        // As the thread records have them.
        threads.iter_mut().for_each(|t| t.requests.sort_by_key(|r| (!r.suppress, r.semaphore)));
        Self { threads, semaphores: used, wanted }
    }
}

/// Multiplication by the golden ratio, as everywhere.
fn hash(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

/// The best of the ways to cut, and how many semaphores it wants.
fn least(needed: &[Vec<u32>], ancestors: &Ancestors, most: usize, owner_only: bool) -> (Vec<Shared>, Option<usize>) {
    let cuts: &[Cut] = if owner_only { &[Cut::BySuccessor] } else { &Cut::ALL };
    let entries = |s: &[Shared]| s.iter().map(|x| x.release.len() + x.wait.len()).sum::<usize>();
    let best = cuts
        .iter()
        .map(|&cut| {
            let groups = groups(needed, cut);
            let free = share(&groups, ancestors, usize::MAX, owner_only);
            (groups, free)
        })
        .min_by_key(|(_, free)| (free.len(), entries(free)));
    let Some((groups, free)) = best else { return Default::default() };
    let wanted = free.len();
    match wanted <= most.max(1) {
        true => (free, Some(wanted)),
        false => (share(&groups, ancestors, most, owner_only), Some(wanted)),
    }
}
