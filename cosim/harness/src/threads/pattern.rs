//! Named patterns of dependencies (SE-50, SE-51), each as often as wanted side by side.

use super::{GraphError, MAX_EDGES, MAX_THREADS};

/// A pattern. Counts are of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// 1:1:1: each waits for the one before it.
    Chain { length: u32 },
    /// 1:N: thread 0, then those that wait for it.
    FanOut { count: u32 },
    /// N:1: the last thread waits for the others.
    FanIn { count: u32 },
    /// N:M: each of the later ones waits for each of the first.
    AllToAll { from: u32, to: u32 },
    /// N:1:N: the one in the middle waits for the first ones, and the last ones for it.
    FanInOut { from: u32, to: u32 },
    /// A grid, row by row; each waits for its left and its upper neighbour.
    Wavefront { width: u32, height: u32 },
}

/// A pattern in threads and edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawn {
    pub threads: usize,
    /// (predecessor, successor).
    pub edges: Vec<(u32, u32)>,
    /// What decides the order of dispatch among threads that could come next: so that copies go
    /// side by side, and a wavefront needs only a semaphore for each row (or column).
    pub rank: Vec<u64>,
    /// The data words x and y of each thread if the job gives none: its number and 0; of a
    /// wavefront its column and its row, copies below each other.
    pub data: Vec<[u32; 2]>,
}

impl Pattern {
    fn threads(self) -> u64 {
        match self {
            Self::Chain { length } => length.into(),
            Self::FanOut { count } | Self::FanIn { count } => u64::from(count) + 1,
            Self::AllToAll { from, to } => u64::from(from) + u64::from(to),
            Self::FanInOut { from, to } => u64::from(from) + u64::from(to) + 1,
            Self::Wavefront { width, height } => u64::from(width) * u64::from(height),
        }
    }

    fn counts(self) -> [u32; 2] {
        match self {
            Self::Chain { length } => [length; 2],
            Self::FanOut { count } | Self::FanIn { count } => [count; 2],
            Self::AllToAll { from, to } | Self::FanInOut { from, to } => [from, to],
            Self::Wavefront { width, height } => [width, height],
        }
    }

    /// Draws it `copies` times.
    ///
    /// # Errors
    /// No threads, or too many, in words.
    pub fn draw(self, copies: u32) -> Result<Drawn, String> {
        if self.counts().contains(&0) || copies == 0 {
            return Err("a pattern with a count of 0".into());
        }
        let total = self.threads().saturating_mul(copies.into());
        if total > MAX_THREADS as u64 {
            return Err(format!("{total} threads; a graph has at most {MAX_THREADS}"));
        }
        let each = self.threads() as u32;
        if let Self::AllToAll { from, to } = self {
            let edges = u64::from(from) * u64::from(to) * u64::from(copies);
            if edges > MAX_EDGES as u64 {
                return Err(GraphError::Edges(edges).to_string());
            }
        }
        let mut out = Drawn { threads: total as usize, ..Drawn::default() };
        for copy in 0..copies {
            let first = copy * each;
            out.edges.extend(self.edges().into_iter().map(|(a, b)| (a + first, b + first)));
            for t in 0..each {
                out.rank.push(self.rank(t));
                out.data.push(match self {
                    Self::Wavefront { width, height } => [t % width, t / width + copy * height],
                    _ => [first + t, 0],
                });
            }
        }
        Ok(out)
    }

    fn edges(self) -> Vec<(u32, u32)> {
        match self {
            Self::Chain { length } => (1..length).map(|t| (t - 1, t)).collect(),
            Self::FanOut { count } => (1..=count).map(|t| (0, t)).collect(),
            Self::FanIn { count } => (0..count).map(|t| (t, count)).collect(),
            Self::AllToAll { from, to } => (0..from).flat_map(|a| (from..from + to).map(move |b| (a, b))).collect(),
            Self::FanInOut { from, to } => {
                let into = (0..from).map(|t| (t, from));
                into.chain((from + 1..=from + to).map(|t| (from, t))).collect()
            }
            Self::Wavefront { width, height } => {
                let at = |x, y| y * width + x;
                let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
                let into = |(x, y): (u32, u32)| {
                    let left = (x > 0).then(|| (at(x.wrapping_sub(1), y), at(x, y)));
                    let above = (y > 0).then(|| (at(x, y.wrapping_sub(1)), at(x, y)));
                    left.into_iter().chain(above)
                };
                cells.flat_map(into).collect()
            }
        }
    }

    /// The step in which the thread could run; along a diagonal of a wavefront from one end to the
    /// other.
    fn rank(self, t: u32) -> u64 {
        let late = |is_late: bool| u64::from(is_late);
        match self {
            Self::Chain { .. } => t.into(),
            Self::FanOut { .. } => late(t > 0),
            Self::FanIn { count } => late(t == count),
            Self::AllToAll { from, .. } => late(t >= from),
            Self::FanInOut { from, .. } => late(t >= from) + late(t > from),
            Self::Wavefront { width, height } => {
                let (x, y) = (t % width, t / width);
                let along = if height <= width { x } else { y };
                u64::from(x + y) << 32 | u64::from(along)
            }
        }
    }
}
