//! Going back from a failure. While a run goes well, the whole state (machine, model, memory,
//! checkers) is kept every few thousand cycles, two states at a time; when it fails, the later one
//! that lies far enough before the failure is run again on an engine with waves. The replay repeats
//! the run bit for bit because every choice comes from seeds that are part of the state; a replay
//! that ends otherwise is reported by the caller.

use super::keeper::{Keeper, Kept};
use super::options::{Observer, Options};
use super::run::{complete, End, Run, RunResult};
use crate::engine::Engine;
use crate::machine::launch::Launch;
use crate::machine::signals::Window;

/// The state of a run at the beginning of a cycle.
pub struct Checkpoint<'a>(Kept<Run<'a>>);

impl Checkpoint<'_> {
    /// The cycle that comes next in it.
    pub fn cycle(&self) -> u64 {
        self.0.cycle
    }

    /// Takes `engine`, on which the run was, back to this state; the traced engine with that state,
    /// if it offers one.
    ///
    /// # Errors
    /// The engine cannot go back or be made, in words.
    pub fn traced(&self, engine: &mut dyn Engine, window: &Window) -> Result<Option<Box<dyn Engine>>, String> {
        engine.restore(&self.0.engine)?;
        engine.traced_twin(window)
    }

    /// Runs on from this state, on an engine that is in it.
    pub fn replay(self, engine: &mut dyn Engine, observer: &mut dyn Observer) -> RunResult {
        complete(self.0.run, engine, observer, &mut Keeper::default())
    }
}

/// As [`run`]; also the state to go back to if the run failed, see [`replay`].
pub fn run_kept<'a>(
    engine: &mut dyn Engine,
    launch: &'a Launch,
    options: &'a Options,
    observer: &mut dyn Observer,
) -> (RunResult, Option<Checkpoint<'a>>) {
    let mut keeper = Keeper::new(launch.image.bytes.len());
    let result = complete(Run::new(launch, options), engine, observer, &mut keeper);
    let failed = match &result.end {
        End::Finished | End::Engine(_) => None,
        End::Mismatch(m) => Some(m.cycle.min(launch.first_cycle() + result.cycles)),
        End::Hang(h) => Some(h.cycle),
    };
    let checkpoint = failed.and_then(|cycle| keeper.before(cycle)).map(Checkpoint);
    (result, checkpoint)
}
