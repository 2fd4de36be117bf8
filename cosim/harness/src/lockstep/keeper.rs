//! Keeps the last two states of a run, of harness and engine together, every few thousand cycles.

use crate::engine::{Engine, EngineState};

/// Cycles between two states that are kept, for a small memory.
const EVERY: u64 = 4096;
/// Bytes of memory image that keeping a state may copy per cycle, on average.
const BYTES_PER_CYCLE: u64 = 64;
/// Cycles before a failure that its waves show at least, if there were so many.
const BEFORE: u64 = 400;

/// The state of a run at the beginning of a cycle.
pub struct Kept<R> {
    pub cycle: u64,
    pub run: R,
    pub engine: EngineState,
}

/// Keeps the last two states.
pub struct Keeper<R> {
    /// Cycles between two; 0: keeps nothing.
    every: u64,
    older: Option<Kept<R>>,
    newer: Option<Kept<R>>,
}

impl<R> Default for Keeper<R> {
    /// Keeps nothing.
    fn default() -> Self {
        Self { every: 0, older: None, newer: None }
    }
}

impl<R: Clone> Keeper<R> {
    /// For a run over a memory of that many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { every: EVERY.max(bytes as u64 / BYTES_PER_CYCLE), older: None, newer: None }
    }

    /// Keeps the state at the beginning of `cycle` if it is time; the first one always.
    pub fn cycle(&mut self, cycle: u64, run: &R, engine: &dyn Engine) {
        if self.every == 0 || self.newer.is_some() && !cycle.is_multiple_of(self.every) {
            return;
        }
        match engine.save() {
            Some(engine) => {
                self.older = self.newer.take();
                self.newer = Some(Kept { cycle, run: run.clone(), engine });
            }
            None => self.every = 0,
        }
    }

    /// The state to go back to from a failure in `cycle`.
    pub fn before(self, cycle: u64) -> Option<Kept<R>> {
        let near = self.newer.as_ref().is_some_and(|n| n.cycle + BEFORE > cycle);
        if near && self.older.is_some() {
            self.older
        } else {
            self.newer
        }
    }
}
