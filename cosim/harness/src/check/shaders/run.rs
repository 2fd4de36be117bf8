//! Many shaders, several at a time. The answers are in the order of the paths, whichever worker
//! gave them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Duration;

use super::one::Answer;
use super::worker::Worker;
use crate::base::error::Input;

/// How it is done.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Time for one shader.
    pub limit: Duration,
    /// Workers.
    pub jobs: usize,
    /// Workers with planted mistakes.
    pub planted: bool,
}

/// What became of each of `shaders`, which are paths below `folder`. `told` hears of each path.
///
/// # Errors
/// A worker cannot be started.
pub fn check(
    folder: &Path,
    shaders: &[PathBuf],
    settings: &Settings,
    told: impl Fn(&Path) + Sync,
) -> Input<Vec<Answer>> {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(vec![None; shaders.len()]));
    let work = || -> Input<()> {
        let mut worker = None;
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = shaders.get(k) else { return Ok(()) };
            let mut current = match worker.take() {
                Some(worker) => worker,
                None => Worker::start(settings.planted)?,
            };
            let (answer, good) = current.check(&folder.join(path), settings.limit);
            worker = good.then_some(current);
            told(path);
            if let Ok(mut all) = answers.lock() {
                all[k] = Some(answer);
            }
        }
    };
    std::thread::scope(|scope| {
        let jobs = settings.jobs.clamp(1, shaders.len().max(1));
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(answers.into_inner().unwrap_or_default().into_iter().flatten().collect())
}
