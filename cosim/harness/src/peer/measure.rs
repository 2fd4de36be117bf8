//! What a contender is and what it measures. A contender replays a recording; cycles, seconds of
//! the replay loop alone and the checksum come back. It can be wrong by timing more than the loop,
//! or by not doing the work: [`Measurement::check`] compares the checksum with the recording's.

use crate::engine::record::Recording;

/// One timed replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// Cycles in all, over all passes.
    pub cycles: u64,
    /// Of the replay loops alone: nothing of building, loading or starting.
    pub seconds: f64,
    /// Of one pass; all passes have the same.
    pub checksum: u64,
}

impl Measurement {
    /// Cycles per second.
    pub fn rate(&self) -> f64 {
        self.cycles as f64 / self.seconds.max(1e-9)
    }

    /// Demands that a pass of `cycles` cycles computed what was recorded.
    ///
    /// # Errors
    /// It did not, in words.
    pub fn check(&self, recording: &Recording, cycles: u64) -> Result<(), String> {
        match recording.checksum(cycles) {
            None => Err(format!("the recording keeps no checksum after {cycles} cycles")),
            Some(want) if want == self.checksum => Ok(()),
            Some(want) => Err(format!(
                "outputs differ from the recorded ones within {cycles} cycles (checksum {:016x}, recorded {want:016x})",
                self.checksum
            )),
        }
    }
}

/// A simulator of the core, built and ready.
pub trait Contender {
    /// Its name in the table.
    fn name(&self) -> &str;

    /// Its version, and options that matter.
    fn version(&self) -> String;

    /// Replays the first `cycles` cycles of the recording `passes` times, each time from the
    /// power-up state.
    ///
    /// # Errors
    /// It failed, in words.
    fn run(&mut self, recording: &Recording, cycles: u64, passes: u64) -> Result<Measurement, String>;
}
