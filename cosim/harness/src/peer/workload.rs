//! The jobs that the benchmark runs, and how their recordings are made: a job file, run on the RTL
//! alone with a recorder around the engine.

use std::path::Path;

use quadlock_hdl::config::GpuConfig;

use crate::base::error::{bad, Input};
use crate::base::files::read_text;
use crate::engine::record::{RawOutputs, Recorder, Recording};
use crate::engine::Engine;
use crate::job::dispatches::Dispatches;
use crate::job::program;
use crate::job::{Job, Size};
use crate::lockstep::{Options, Quiet};
use crate::machine::launch::Launch;
use crate::scene::{is_scene, Scene};
use crate::simulate;

/// A job bound to a machine.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The program and its memory.
    pub launch: Launch,
    /// The machine, its memory's timing and limits.
    pub options: Options,
}

impl Workload {
    /// Reads and compiles a job; `units` and `warps` replace the job's. RTL alone: no model.
    ///
    /// # Errors
    /// The job or its program is refused.
    pub fn read(path: &Path, size: Size, units: Option<usize>, warps: Option<usize>) -> Input<Self> {
        let job = Job::read(path, size)?;
        let config = job.config(units, warps)?;
        Self::of(&job, config)
    }

    /// The same on the job's machine with changes.
    ///
    /// # Errors
    /// As [`Workload::read`], or a change is refused: why.
    pub fn changed(path: &Path, size: Size, change: impl Fn(&mut GpuConfig) -> Result<(), String>) -> Input<Self> {
        if is_scene(&read_text(path)?) {
            return Self::of_scene(path, size, change);
        }
        let job = Job::read(path, size)?;
        let mut config = job.config(None, None)?;
        change(&mut config).or_else(|e| bad(format!("--set {e}"), "the parameters are in docs/jobs.md"))?;
        Self::of(&job, config)
    }

    /// A scene's frame on its machine with changes.
    fn of_scene(path: &Path, size: Size, change: impl Fn(&mut GpuConfig) -> Result<(), String>) -> Input<Self> {
        let scene = Scene::read(path, size == Size::Small, &[])?;
        let mut options = scene.options(false, None)?;
        change(&mut options.config).or_else(|e| bad(format!("--set {e}"), "the parameters are in docs/jobs.md"))?;
        if !options.config.graphics {
            return bad(format!("{}: graphics=off draws nothing", path.display()), "leave out --set graphics=off");
        }
        let launch = scene.frame(&scene.compiler()?)?.launch(&scene.spec.name, &options);
        let launch = launch.or_else(|e| bad(format!("{}: {e}", path.display()), "correct the scene"))?;
        Ok(Self { launch, options })
    }

    fn of(job: &Job, config: GpuConfig) -> Input<Self> {
        let mut compiler = program::CompilerOptions { exact: job.spec.exact, ..Default::default() };
        program::fit(&mut compiler, &config);
        let dispatches = Dispatches::of(job, job.linking(&[])?, &compiler, &config)?;
        if dispatches.count() != 1 {
            return bad(format!("{}: several dispatches", job.path.display()), "only jobs of one are recorded");
        }
        let launch = dispatches.first().launch.clone();
        let (memory, limits) = (job.spec.memory, job.spec.limits);
        Ok(Self { launch, options: Options { config, memory, limits, model: false, model_fault: None } })
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
