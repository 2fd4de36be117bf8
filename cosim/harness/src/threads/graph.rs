//! Dependency graphs of threads: who must wait for whom, in an order without a circle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most threads of a graph: who depends on whom is kept as a bit for each pair (128 MB for this
/// many).
pub const MAX_THREADS: usize = 32_768;

/// The most edges of a graph, as given; planning takes seconds for this many.
pub const MAX_EDGES: usize = 1 << 20;

/// Threads 0 to n-1 and who must wait for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    threads: usize,
    /// By successor, in ascending order, each once.
    predecessors: Vec<Vec<u32>>,
}

/// What makes a graph impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    #[error("edge {edge}: there is no thread {thread}; threads are 0 to {last}")]
    NoSuchThread { edge: usize, thread: u32, last: usize },
    #[error("edge {edge}: thread {thread} depends on itself")]
    Itself { edge: usize, thread: u32 },
    #[error("threads depend on each other in a circle: {}", circle(.0))]
    Circle(Vec<u32>),
    #[error("{0} threads; a graph has 1 to {MAX_THREADS}")]
    Size(usize),
    #[error("{0} edges; a graph has at most {MAX_EDGES}")]
    Edges(u64),
}

fn circle(threads: &[u32]) -> String {
    let shown: Vec<String> = threads.iter().take(8).map(u32::to_string).collect();
    let more = if threads.len() > 8 { " -> ..." } else { "" };
    format!("{}{more} -> {}", shown.join(" -> "), shown.first().map_or("", String::as_str))
}

impl Graph {
    /// A graph of `threads` threads; an edge is (predecessor, successor). An edge may be given more
    /// than once.
    ///
    /// # Errors
    /// An edge to a thread that is not there or to itself, or no thread or too many. (A circle is
    /// found when threads are put in order.)
    pub fn new(threads: usize, edges: &[(u32, u32)]) -> Result<Self, GraphError> {
        if threads == 0 || threads > MAX_THREADS {
            return Err(GraphError::Size(threads));
        }
        if edges.len() > MAX_EDGES {
            return Err(GraphError::Edges(edges.len() as u64));
        }
        let mut predecessors = vec![Vec::new(); threads];
        for (edge, &(from, to)) in edges.iter().enumerate() {
            if let Some(&thread) = [from, to].iter().find(|&&t| t as usize >= threads) {
                return Err(GraphError::NoSuchThread { edge, thread, last: threads - 1 });
            }
            if from == to {
                return Err(GraphError::Itself { edge, thread: from });
            }
            predecessors[to as usize].push(from);
        }
        for p in &mut predecessors {
            p.sort_unstable();
            p.dedup();
        }
        Ok(Self { threads, predecessors })
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Threads that `thread` must wait for, as the edges say.
    pub fn predecessors(&self, thread: u32) -> &[u32] {
        self.predecessors.get(thread as usize).map_or(&[], Vec::as_slice)
    }

    /// All threads, predecessors first; among those that may come next the one with the lowest
    /// `rank`, then the lowest number. Without ranks, a graph all of whose edges lead from lower to
    /// higher numbers keeps its order.
    ///
    /// # Errors
    /// A circle.
    pub fn order(&self, rank: Option<&[u64]>) -> Result<Vec<u32>, GraphError> {
        let mut successors = vec![Vec::new(); self.threads];
        let mut missing: Vec<usize> = self.predecessors.iter().map(Vec::len).collect();
        for (to, from) in self.predecessors.iter().enumerate() {
            from.iter().for_each(|&f| successors[f as usize].push(to as u32));
        }
        let key = |t: u32| Reverse((rank.and_then(|r| r.get(t as usize)).copied().unwrap_or(0), t));
        let mut ready: BinaryHeap<_> =
            (0..self.threads as u32).filter(|&t| missing[t as usize] == 0).map(key).collect();
        let mut order = Vec::with_capacity(self.threads);
        while let Some(Reverse((_, thread))) = ready.pop() {
            order.push(thread);
            for &next in &successors[thread as usize] {
                missing[next as usize] -= 1;
                if missing[next as usize] == 0 {
                    ready.push(key(next));
                }
            }
        }
        match order.len() == self.threads {
            true => Ok(order),
            false => Err(GraphError::Circle(self.find_circle(&missing))),
        }
    }

    /// A circle among the threads that never became ready: from any of them, going to a predecessor
    /// that is not ready either comes round.
    fn find_circle(&self, missing: &[usize]) -> Vec<u32> {
        let stuck = |&t: &u32| missing[t as usize] > 0;
        let mut seen: Vec<u32> = Vec::new();
        let mut at = (0..self.threads as u32).find(stuck);
        while let Some(t) = at {
            if let Some(first) = seen.iter().position(|&s| s == t) {
                let mut circle = seen.split_off(first);
                circle.reverse();
                return circle;
            }
            seen.push(t);
            at = self.predecessors(t).iter().copied().find(stuck);
        }
        seen
    }
}
