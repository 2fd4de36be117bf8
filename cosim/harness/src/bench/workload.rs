//! The jobs that the benchmark runs, and how their recordings are made: a job file, run on the RTL alone with a recorder around the engine.

use std::path::Path;

use crate::engine::record::{RawOutputs, Recorder, Recording};
use crate::engine::Engine;
use crate::error::{bad, Input};
use crate::job::{Job, Size};
use crate::launch::Launch;
use crate::lockstep::{Options, Quiet};
use crate::{program, simulate};

/// A job bound to a machine.
#[derive(Clone, Debug)]
pub struct Workload {
    pub launch: Launch,
    pub options: Options,
}

impl Workload {
    /// Reads and compiles a job; `units` and `warps` replace the job's. RTL alone: no model.
    ///
    /// # Errors
    /// The job or its program is refused.
    pub fn read(path: &Path, size: Size, units: Option<usize>, warps: Option<usize>) -> Input<Self> {
        let job = Job::read(path, size)?;
        let options = Options {
            config: job.config(units, warps)?,
            memory: job.spec.memory,
            limits: job.spec.limits,
            model: false,
            model_fault: None,
        };
        let binary = program::of_job(&job, &program::CompilerOptions::default())?;
        Ok(Self { launch: job.prepare(&binary, &options.config)?.launch, options })
    }

    /// Runs it on `engine`, recording.
    ///
    /// # Errors
    /// The job does not pass there: its report.
    pub fn record(&self, engine: impl Engine + RawOutputs) -> Input<Recording> {
        let mut recorder = Recorder::new(engine, &self.options.config);
        let done = simulate::on_engine(&mut recorder, &self.launch, &self.options, &mut Quiet);
        if !done.report.passed() {
            let what = format!("{} does not pass:\n{}", self.launch.name, done.report.text());
            return bad(what, "run it with `quadlock run` to see more");
        }
        Ok(recorder.finish())
    }
}
