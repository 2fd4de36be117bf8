//! Makes a failing program small: fewer groups and threads, then fewer lines, as long as it still
//! fails.
//!
//! A candidate is run on the golden model first and dropped if it is no longer a legal random
//! program (endless loop, wild address, unwritten register), so that what remains fails for the
//! reason it was found for, or at least for a real one.

use std::collections::BTreeSet;

use quadlock_golden::Grid;
use quadlock_isa::abi::CONST_GRID;

use super::program::{RandomProgram, LOCK_LINE};

/// Runs of the failing check that [`shrink`] allows itself.
const ATTEMPTS: usize = 400;

/// The smallest program found for which `failing` still holds. `failing` must be deterministic.
pub fn shrink(program: &RandomProgram, failing: &mut dyn FnMut(&RandomProgram) -> bool) -> RandomProgram {
    shrink_within(program, ATTEMPTS, failing)
}

/// As [`shrink`], calling `failing` at most `attempts` times.
pub fn shrink_within(
    program: &RandomProgram,
    attempts: usize,
    failing: &mut dyn FnMut(&RandomProgram) -> bool,
) -> RandomProgram {
    let mut search = Search { best: program.clone(), left: attempts, failing };
    loop {
        let before = search.best.size();
        search.grid();
        search.locks();
        search.lines();
        if search.best.size() == before || search.left == 0 {
            break;
        }
    }
    search.unused_labels();
    search.best
}

impl RandomProgram {
    /// (instructions, threads): smaller is better.
    fn size(&self) -> (usize, u64) {
        (self.code.len(), self.grid.group_count() * u64::from(self.grid.threads_per_group()))
    }
}

/// The lock that the line belongs to.
fn lock_of(line: &str) -> Option<&str> {
    line.split_once(LOCK_LINE).map(|l| l.1)
}

struct Search<'a> {
    best: RandomProgram,
    left: usize,
    failing: &'a mut dyn FnMut(&RandomProgram) -> bool,
}

impl Search<'_> {
    /// Takes the candidate if it is legal and fails.
    fn attempt(&mut self, mut candidate: RandomProgram) -> bool {
        if self.left == 0 || candidate.rebuild().is_err() || candidate.validate().is_err() {
            return false;
        }
        self.left -= 1;
        let fails = (self.failing)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// The windows were laid out for the original grid, so any smaller one stays inside them.
    fn attempt_grid(&mut self, groups: [u32; 3], group_size: [u32; 3]) -> bool {
        let mut candidate = self.best.clone();
        candidate.grid = Grid { groups, group_size, ..candidate.grid };
        for (axis, &n) in groups.iter().enumerate() {
            candidate.consts[CONST_GRID + axis] = n;
        }
        candidate.grid != self.best.grid && self.attempt(candidate)
    }

    fn grid(&mut self) {
        let size = self.best.grid.group_size;
        self.attempt_grid([1; 3], size);
        for axis in 0..3 {
            while self.best.grid.groups[axis] > 1 {
                let mut groups = self.best.grid.groups;
                groups[axis] /= 2;
                if !self.attempt_grid(groups, self.best.grid.group_size) {
                    break;
                }
            }
        }
        let threads = self.best.grid.threads_per_group();
        for fewer in [1, 2, 4, 8, 12, 16].into_iter().filter(|&n| n < threads) {
            if self.attempt_grid(self.best.grid.groups, [fewer, 1, 1]) {
                break;
            }
        }
    }

    /// Deletes everything that takes and gives back one lock: a part of it would be another
    /// program.
    fn locks(&mut self) {
        let marks: BTreeSet<String> = self.best.lines.iter().filter_map(|l| lock_of(l)).map(str::to_owned).collect();
        for mark in marks {
            let mut candidate = self.best.clone();
            candidate.lines.retain(|l| lock_of(l) != Some(mark.as_str()));
            self.attempt(candidate);
        }
    }

    /// Deletes runs of lines, from half of the program down to single lines; labels and locks stay.
    fn lines(&mut self) {
        let mut chunk = (self.best.lines.len() / 2).max(1);
        loop {
            let mut start = 0;
            while start < self.best.lines.len() {
                let end = (start + chunk).min(self.best.lines.len());
                let mut candidate = self.best.clone();
                let mut index = 0;
                candidate.lines.retain(|line| {
                    let inside = (start..end).contains(&index);
                    index += 1;
                    !inside || line.ends_with(':') || lock_of(line).is_some()
                });
                let smaller = candidate.lines.len() < self.best.lines.len();
                if !(smaller && self.attempt(candidate)) {
                    start = end;
                }
            }
            if chunk == 1 || self.left == 0 {
                break;
            }
            chunk = chunk.div_ceil(2);
        }
    }

    fn unused_labels(&mut self) {
        let lines = self.best.lines.clone();
        let used = |label: &str| lines.iter().any(|l| l.split([' ', ',']).any(|word| word == label));
        self.best.lines.retain(|l| l.strip_suffix(':').is_none_or(used));
    }
}
