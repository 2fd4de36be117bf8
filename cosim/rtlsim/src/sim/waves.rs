//! Waves of a running simulation ([`crate::trace`]).

use std::path::Path;

use super::simulation::Simulation;
use crate::trace::{TraceOptions, Tracer};
use crate::Error;

impl Simulation {
    /// Writes waves to a file from now on (or from the first cycle asked for). One trace at a time:
    /// an open one is finished first. Call [`Simulation::finish_trace`] at the end; without it
    /// there is no file.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be made, [`Error::Name`] if no scope matches or the design
    /// was not compiled for tracing it.
    pub fn start_trace(&mut self, path: impl AsRef<Path>, options: &TraceOptions) -> Result<(), Error> {
        self.finish_trace()?;
        let clocks = if self.single_evaluation() { self.clocks.inputs.clone() } else { Vec::new() };
        let (observed, design) = (self.backend.observed(), self.design().clone());
        self.tracer = Some(Tracer::start(path.as_ref(), options, &self.graph, &design, observed, &clocks)?);
        Ok(())
    }

    /// The file of an open trace as long as it has no name of its own.
    pub fn trace_part(&self) -> Option<&Path> {
        self.tracer.as_ref().map(Tracer::part)
    }

    /// Sets the value of [`TraceOptions::notes`]`[index]` from the next sample on: before the clock
    /// edge of a cycle, it is what the trace shows in that cycle. Least significant limb first;
    /// limbs that are missing are 0. Nothing without an open trace or such a note.
    pub fn note(&mut self, index: usize, value: &[u64]) {
        if let Some(tracer) = &mut self.tracer {
            tracer.note(index, value);
        }
    }

    /// Writes the present values, completes the file and gives it its name. Nothing without an open
    /// trace. If it fails there is no file and no open trace.
    ///
    /// # Errors
    /// [`Error::Io`] if the file could not be written.
    pub fn finish_trace(&mut self) -> Result<(), Error> {
        if self.tracer.is_none() {
            return Ok(());
        }
        self.settle();
        let last = self.sample(2 * self.cycle());
        self.tracer.take().map_or(Ok(()), |tracer| last.and_then(|()| tracer.finish()))
    }
}
