//! How far a run is: retired warp instructions beside those that the golden model takes. The model
//! alone runs the same work thousands of times faster than the RTL, so its number is known soon. It
//! is asked only if the run lasts.
//!
//! The number is not exact in every run. A program that polls takes as many turns as it has to; a
//! machine that merges warps or culls retires fewer instructions than the model, which does
//! neither. Then a run ends early, or goes on without a total. It can never be told to be over.

use std::time::Duration;

use crate::base::progress::Progress;
use crate::engine::Engine;
use crate::job::dispatches::Dispatches;
use crate::lockstep::Options;
use crate::report::Verdict;
use crate::simulate;

/// A run that lasts as long as this is worth a run of the model.
const PATIENCE: Duration = Duration::from_secs(1);
/// Warp instructions after which the model is not asked any further: about a second of its time.
const MOST: u64 = 1 << 26;
/// Cycles between two looks at the clock.
const LOOKS: u64 = 64;

/// Finds out how many warp instructions a run has, if that can be known.
pub(super) type Total<'a> = Box<dyn FnOnce() -> Option<u64> + 'a>;

/// How far a run is.
pub(super) struct Gauge<'a> {
    progress: Progress,
    retired: u64,
    total: Option<Total<'a>>,
}

impl<'a> Gauge<'a> {
    /// Of a run that begins now.
    pub fn new() -> Self {
        Self { progress: Progress::new("warp instructions"), retired: 0, total: None }
    }

    /// Of a run that nobody waits for.
    pub fn hidden() -> Self {
        Self { progress: Progress::hidden("warp instructions"), retired: 0, total: None }
    }

    /// Whether somebody may be looking.
    pub fn is_shown(&self) -> bool {
        self.progress.is_shown()
    }

    /// How the total can be found out.
    pub fn set_total(&mut self, total: Total<'a>) {
        self.total = Some(total);
    }

    /// What a cycle showed.
    pub fn cycle(&mut self, cycle: u64, engine: &dyn Engine) {
        self.retired += engine.outputs().units.iter().filter(|u| u.retire.is_some()).count() as u64;
        if !cycle.is_multiple_of(LOOKS) || !self.is_shown() {
            return;
        }
        self.progress.set_position(self.retired);
        if self.progress.elapsed() > PATIENCE {
            if let Some(total) = self.total.take().and_then(|find| find()) {
                self.progress.set_length(total);
            }
        }
        if cycle.is_multiple_of(64 * LOOKS) {
            self.progress.set_message(format!("cycle {cycle}"));
        }
    }

    /// The run is over.
    pub fn end(&self) {
        self.progress.finish_and_clear();
    }
}

/// Warp instructions of all dispatches of a job on the model alone. None if it finds no end.
pub(super) fn of_job(dispatches: Dispatches, options: &Options) -> Option<u64> {
    let mut options = options.clone();
    let most = MOST / options.config.total_units().max(1) as u64;
    options.limits.cycles = options.limits.cycles.min(most);
    let done = dispatches.run(&mut |prepared| Ok(simulate::golden(&prepared.launch, &options)));
    let report = done.ok()?.1.report;
    (report.verdict != Verdict::Hang && report.hang.is_none()).then_some(report.retired)
}
