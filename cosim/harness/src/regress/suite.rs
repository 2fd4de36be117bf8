//! The workers of `quadlock regress`: cases of all jobs side by side, told in the order of the
//! jobs.
//!
//! No case ends the suite. One that cannot run, or that panics, has failed, and the result of each
//! is there in the end. When the process is asked to end ([`interrupt`]), no further case begins,
//! and those without a result say so. Failure mode: a machine that never ends holds its worker,
//! and its job and the ones after it are told at the end only; the limit of cycles ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::Arc;
use std::time::Duration;

use super::{Claimed, JobResult, NotRun, Ran};
use crate::base::caught::caught;
use crate::base::error::Input;
use crate::base::interrupt;
use crate::base::progress::Progress;
use crate::base::stack;

/// Between two looks whether the process is asked to end.
const LOOK: Duration = Duration::from_millis(100);

/// What became of all jobs.
pub struct Suite {
    /// In the order of the jobs.
    pub results: Vec<JobResult>,
    /// The process was asked to end before all were run.
    pub interrupted: bool,
}

/// The results of jobs of which nothing has been run yet.
pub fn before(jobs: &[Claimed]) -> Vec<JobResult> {
    let missing = |job: &Claimed| job.claims().run.iter().map(|_| Err(NotRun::Missing)).collect();
    jobs.iter().map(|job| JobResult::of(job, missing(job))).collect()
}

/// Job and run, by number.
type Case = (usize, usize);

/// What the workers share.
struct Work {
    jobs: Vec<Claimed>,
    cases: Vec<Case>,
    next: AtomicUsize,
    /// Of each job.
    folders: Vec<PathBuf>,
}

impl Work {
    /// Runs one case after the other, as long as there are some; `done` says whether to go on.
    fn run(&self, done: impl Fn(Case, Ran) -> bool) {
        while let Some(&(j, r)) = self.cases.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if interrupt::asked() {
                return;
            }
            let (job, spec) = (&self.jobs[j], self.jobs[j].claims().run[r].get_ref());
            let folder = self.folders[j].join(&spec.name);
            let ran = match job.wrong.get(&r) {
                Some(e) => Err(NotRun::Wrong(e.clone())),
                None => match caught(|| job.report(spec, &folder)) {
                    Ok(report) => report.map_err(|e| NotRun::Wrong(Arc::from(e))),
                    Err(panic) => Err(NotRun::Panicked(panic)),
                },
            };
            if !done((j, r), ran) {
                return;
            }
        }
    }
}

/// Where the outputs of a job's runs go: its path below the folder.
fn folder(out: &Path, job: &Path) -> PathBuf {
    let plain = job.components().filter(|c| matches!(c, Component::Normal(_)));
    out.join(plain.collect::<PathBuf>().with_extension(""))
}

/// A folder for each job, which no other has: those that would have one get a number.
fn folders(out: &Path, jobs: &[&Path]) -> Vec<PathBuf> {
    let mut taken = BTreeSet::new();
    let free = |job: &&Path| {
        let plain = folder(out, job);
        let name = plain.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let numbered = (2..).map(|n| plain.with_file_name(format!("{name}-{n}")));
        let own = std::iter::once(plain.clone()).chain(numbered).find(|f| !taken.contains(f)).unwrap_or(plain);
        taken.insert(own.clone());
        own
    };
    jobs.iter().map(free).collect()
}

/// Results that have come, until those of their job are complete.
struct Results<'a, Tell: FnMut(&JobResult)> {
    jobs: &'a [Claimed],
    waiting: BTreeMap<Case, Ran>,
    done: Vec<JobResult>,
    tell: Tell,
}

impl<Tell: FnMut(&JobResult)> Results<'_, Tell> {
    /// Judges and tells the jobs that are complete, in their order.
    fn settle(&mut self) {
        while let Some(job) = self.jobs.get(self.done.len()) {
            let j = self.done.len();
            if self.waiting.range((j, 0)..(j + 1, 0)).count() < job.claims().run.len() {
                return;
            }
            let result = self.take(job, || NotRun::Missing);
            (self.tell)(&result);
            self.done.push(result);
        }
    }

    /// The next job with what has come of it.
    fn take(&mut self, job: &Claimed, missing: impl Fn() -> NotRun) -> JobResult {
        let j = self.done.len();
        let of = |r: usize| self.waiting.remove(&(j, r)).unwrap_or_else(|| Err(missing()));
        let ran = (0..job.claims().run.len()).map(of).collect();
        JobResult::of(job, ran)
    }

    /// All jobs: those that are not complete say what is missing. Of them those are told of which
    /// something was run.
    fn finish(mut self, interrupted: bool) -> Vec<JobResult> {
        let why = || if interrupted { NotRun::Interrupted } else { NotRun::Missing };
        while let Some(job) = self.jobs.get(self.done.len()) {
            let result = self.take(job, why);
            if !interrupted || !result.runs.is_empty() {
                (self.tell)(&result);
            }
            self.done.push(result);
        }
        self.done
    }
}

/// Runs all with that many workers, and counts the runs; `tell` gets each job's result, in the
/// order of the jobs, as soon as it is known.
///
/// # Errors
/// There are no threads.
pub fn run(
    jobs: Vec<Claimed>,
    workers: usize,
    out: &Path,
    progress: &Progress,
    tell: impl FnMut(&JobResult),
) -> Input<Suite> {
    let cases: Vec<Case> =
        jobs.iter().enumerate().flat_map(|(j, job)| (0..job.claims().run.len()).map(move |r| (j, r))).collect();
    progress.set_length(cases.len() as u64);
    let workers = workers.clamp(1, cases.len().max(1));
    let folders = folders(out, &jobs.iter().map(|j| j.path.as_path()).collect::<Vec<_>>());
    let work = Arc::new(Work { jobs, cases, next: AtomicUsize::new(0), folders });
    let (sender, receiver) = mpsc::channel();
    for _ in 0..workers {
        let (sender, work) = (sender.clone(), work.clone());
        stack::spawn(move || work.run(|case, ran| sender.send((case, ran)).is_ok()))?;
    }
    drop(sender);
    let mut results = Results { jobs: &work.jobs, waiting: BTreeMap::new(), done: Vec::new(), tell };
    // Jobs without a case are complete.
    results.settle();
    let interrupted = loop {
        match receiver.recv_timeout(LOOK) {
            Ok((case, ran)) => {
                progress.inc(1);
                results.waiting.insert(case, ran);
                results.settle();
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break results.done.len() < work.jobs.len() && interrupt::asked(),
        }
        if interrupt::asked() {
            break true;
        }
    };
    Ok(Suite { results: results.finish(interrupted), interrupted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_stay_below_the_folder() {
        assert_eq!(folder(Path::new("out"), Path::new("/a/../b/job.toml")), Path::new("out/a/b/job"));
    }

    #[test]
    fn no_two_jobs_have_one_folder() {
        let jobs = ["a/j.toml", "../a/j.toml", "/a/j.toml", "b/j.toml"].map(Path::new);
        assert_eq!(folders(Path::new("o"), &jobs), ["o/a/j", "o/a/j-2", "o/a/j-3", "o/b/j"].map(PathBuf::from));
    }
}
