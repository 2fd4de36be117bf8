//! Going back from a failure. While a run goes well, the whole state (machine, model, memory, checkers) is kept every few thousand cycles, two states
//! at a time; when it fails, the later one that lies far enough before the failure is run again on an engine with waves. The replay repeats the run bit for
//! bit because every choice comes from seeds that are part of the state; a replay that ends otherwise is reported by the caller.

use super::{complete, Observer, Run, RunResult};
use crate::engine::{Engine, EngineState};
use crate::machine::signals::Window;

/// Cycles between two states that are kept, for a small memory.
const EVERY: u64 = 4096;
/// Bytes of memory image that keeping a state may copy per cycle, on average.
const BYTES_PER_CYCLE: u64 = 64;
/// Cycles before a failure that its waves show at least, if there were so many.
const BEFORE: u64 = 400;

/// The state of a run at the beginning of a cycle.
pub struct Checkpoint<'a> {
    run: Run<'a>,
    engine: EngineState,
}

impl Checkpoint<'_> {
    /// The cycle that comes next in it.
    pub fn cycle(&self) -> u64 {
        self.run.cycle
    }

    /// Takes `engine`, on which the run was, back to this state; the traced engine with that state, if it offers one.
    ///
    /// # Errors
    /// The engine cannot go back or be made, in words.
    pub fn traced(&self, engine: &mut dyn Engine, window: &Window) -> Result<Option<Box<dyn Engine>>, String> {
        engine.restore(&self.engine)?;
        engine.traced_twin(window)
    }

    /// Runs on from this state, on an engine that is in it.
    pub fn replay(self, engine: &mut dyn Engine, observer: &mut dyn Observer) -> RunResult {
        complete(self.run, engine, observer, &mut Keeper::default())
    }
}

/// Keeps the last two states.
#[derive(Default)]
pub(super) struct Keeper<'a> {
    /// Cycles between two; 0: keeps nothing.
    every: u64,
    older: Option<Checkpoint<'a>>,
    newer: Option<Checkpoint<'a>>,
}

impl<'a> Keeper<'a> {
    /// For a run over a memory of that many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { every: EVERY.max(bytes as u64 / BYTES_PER_CYCLE), older: None, newer: None }
    }

    /// Keeps the state if it is time.
    pub fn cycle(&mut self, run: &Run<'a>, engine: &dyn Engine) {
        if self.every == 0 || run.cycle % self.every != 0 {
            return;
        }
        match engine.save() {
            Some(engine) => {
                self.older = self.newer.take();
                self.newer = Some(Checkpoint { run: run.clone(), engine });
            }
            None => self.every = 0,
        }
    }

    /// The state to go back to from a failure in `cycle`.
    pub fn before(self, cycle: u64) -> Option<Checkpoint<'a>> {
        let near = self.newer.as_ref().is_some_and(|n| n.cycle() + BEFORE > cycle);
        if near && self.older.is_some() {
            self.older
        } else {
            self.newer
        }
    }
}
