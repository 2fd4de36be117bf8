//! The workers: they take chunks of all plans one after the other, run them on an engine and
//! compare. What is found is put together in the order of the chunks, so it does not depend on the
//! number of workers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use quadlock_golden::Fault as ModelFault;
use quadlock_hdl::fault::Fault as RtlFault;

use super::cases::Corners;
use super::engine::{EngineName, Engines};
use super::near::Bound;
use super::op::{FloatOp, Meaning};
use super::plan::{Plan, CHUNK};
use super::report::{Difference, Row};
use super::vector::Vector;
use crate::base::stack;

/// How to check.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Each gets every vector.
    pub engines: Vec<EngineName>,
    /// Of the random operands.
    pub seed: u64,
    /// Workers, at least 1.
    pub jobs: usize,
    /// Faults planted in the engines; the golden model that the RTL is compared with has none.
    pub rtl_fault: Option<RtlFault>,
    /// In the golden model, when that is what is checked.
    pub model_fault: Option<ModelFault>,
    /// Measure latency and interval on the RTL too.
    pub measure: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let engines = vec![EngineName::Rtl, EngineName::Golden];
        Self { engines, seed: 1, jobs: 1, rtl_fault: None, model_fault: None, measure: true }
    }
}

/// Wrong results that are kept of a row.
pub(super) const EXAMPLES: usize = 3;

/// A chunk of a plan on an engine.
#[derive(Clone, Copy)]
struct Task {
    row: usize,
    plan: usize,
    engine: EngineName,
    part: usize,
    chunk: u64,
}

/// What one task found.
#[derive(Default)]
struct Found {
    vectors: u64,
    differences: u64,
    ulp: f64,
    absolute: f64,
    seconds: f64,
    examples: Vec<Difference>,
}

/// Distance of two results in steps of their format.
fn distance(op: &FloatOp, got: u32, want: u32) -> f64 {
    if !op.gives_float() {
        return (f64::from(got) - f64::from(want)).abs();
    }
    // Numbers of a sign are consecutive integers.
    let order = |bits: u32| match bits >> 31 {
        0 => f64::from(bits),
        _ => -f64::from(bits & 0x7FFF_FFFF),
    };
    (order(got) - order(want)).abs()
}

impl Found {
    /// `model`: the sound golden model's result, which the RTL must have of an approximated
    /// function.
    fn compare(&mut self, vector: &Vector, engine: EngineName, got: u32, model: u32) {
        let Vector { op, operands } = *vector;
        let (want, good) = match op.meaning {
            Meaning::Exact(oracle) => {
                let want = oracle(operands);
                if got != want {
                    self.ulp = self.ulp.max(distance(op, got, want));
                }
                (want, got == want)
            }
            Meaning::Near(function) => {
                let judged = function.judge(operands[0], got);
                self.ulp = self.ulp.max(judged.ulp);
                self.absolute = self.absolute.max(judged.absolute);
                match engine {
                    EngineName::Rtl => (model, got == model),
                    EngineName::Golden => (function.nearest(operands[0]), judged.good),
                }
            }
        };
        if good {
            return;
        }
        self.differences += 1;
        if self.examples.len() < EXAMPLES {
            let operands = operands[..op.operands.count()].to_vec();
            self.examples.push(Difference { op: op.name(), engine, operands, got, want });
        }
    }

    fn add(&mut self, other: Self) {
        self.vectors += other.vectors;
        self.differences += other.differences;
        self.ulp = self.ulp.max(other.ulp);
        self.absolute = self.absolute.max(other.absolute);
        self.seconds += other.seconds;
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }
}

/// A worker: engines and buffers of its own.
struct Worker<'a> {
    plans: &'a [Plan],
    corners: &'a Corners,
    settings: &'a Settings,
    engines: Engines,
    vectors: Vec<Vector>,
    results: Vec<u32>,
    model: Vec<u32>,
}

impl Worker<'_> {
    fn run(&mut self, task: Task) -> Result<Found, String> {
        let plan = &self.plans[task.plan];
        plan.fill(task.part, task.chunk, self.settings.seed, self.corners, &mut self.vectors);
        let start = Instant::now();
        self.engines.run(task.engine, &self.vectors, &mut self.results)?;
        let seconds = start.elapsed().as_secs_f64();
        let near = plan.ops.iter().any(|o| matches!(o.meaning, Meaning::Near(_)));
        if near && task.engine == EngineName::Rtl {
            Engines::default().run(EngineName::Golden, &self.vectors, &mut self.model)?;
        } else {
            self.model.clone_from(&self.results);
        }
        let mut found = Found { vectors: self.vectors.len() as u64, seconds, ..Found::default() };
        for (i, vector) in self.vectors.iter().enumerate() {
            found.compare(vector, task.engine, self.results[i], self.model[i]);
        }
        Ok(found)
    }
}

/// The tasks of all plans, and the rows that they belong to. A mixture is for the RTL: the golden
/// model has no pipeline.
fn tasks(plans: &[Plan], settings: &Settings, corners: &Corners) -> (Vec<Task>, Vec<(usize, EngineName)>) {
    let (mut tasks, mut rows) = (Vec::new(), Vec::new());
    for (p, plan) in plans.iter().enumerate() {
        for &engine in settings.engines.iter().filter(|e| plan.ops.len() == 1 || **e == EngineName::Rtl) {
            for part in 0..plan.parts.len() {
                let chunks = plan.part_len(part, corners).div_ceil(CHUNK);
                tasks.extend((0..chunks).map(|chunk| Task { row: rows.len(), plan: p, engine, part, chunk }));
            }
            rows.push((p, engine));
        }
    }
    (tasks, rows)
}

/// Vectors that [`check`] will run, for a progress bar.
pub fn vectors(plans: &[Plan], settings: &Settings) -> u64 {
    let corners = Corners::default();
    tasks(plans, settings, &corners).1.iter().map(|&(plan, _)| plans[plan].len(&corners)).sum()
}

/// Runs the plans on the engines; `progress` is told of so many more vectors, and which row they
/// are of.
///
/// # Errors
/// An engine cannot be built or does not answer, in words.
pub fn check(plans: &[Plan], settings: &Settings, progress: impl Fn(u64, &str) + Sync) -> Result<Vec<Row>, String> {
    let corners = Corners::default();
    let (tasks, rows) = tasks(plans, settings, &corners);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Found, String>)>> = Mutex::default();
    let work = || {
        let mut worker = Worker {
            plans,
            corners: &corners,
            settings,
            engines: Engines::new(settings.rtl_fault, settings.model_fault),
            vectors: Vec::new(),
            results: Vec::new(),
            model: Vec::new(),
        };
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(&task) = tasks.get(i) else { return };
            let found = worker.run(task);
            match &found {
                Ok(found) => progress(found.vectors, &plans[task.plan].name),
                // The others find nothing more to do.
                Err(_) => next.store(tasks.len(), Ordering::Relaxed),
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push((i, found));
        }
    };
    let pool = stack::pool().num_threads(settings.jobs.max(1)).build().map_err(|e| e.to_string())?;
    pool.broadcast(|_| work());
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(i, _)| *i);
    let mut sums: Vec<Found> = rows.iter().map(|_| Found::default()).collect();
    for (i, found) in done {
        sums[tasks[i].row].add(found?);
    }
    let mut engines = Engines::new(settings.rtl_fault, settings.model_fault);
    let mut engines = settings.measure.then_some(&mut engines);
    let row = |(&(plan, engine), found)| finish(&plans[plan], engine, found, engines.as_deref_mut());
    Ok(rows.iter().zip(sums).map(row).collect())
}

/// A row, with its cycles measured if there are engines for it.
fn finish(plan: &Plan, engine: EngineName, found: Found, engines: Option<&mut Engines>) -> Row {
    let one = <[_; 1]>::try_from(plan.ops.as_slice()).ok().map(|[op]| op);
    // An operation that gives nothing, by a fault, has no latency; its differences tell.
    let cycles = match (engine, one, engines) {
        (EngineName::Rtl, Some(op), Some(engines)) => engines.measure(Vector::sample(op)).ok(),
        _ => None,
    };
    // Where the bound is in ulp, the absolute error only says how large the results were.
    let absolute = |op: &FloatOp| matches!(op.meaning, Meaning::Near(f) if matches!(f.bound, Bound::Absolute(_)));
    Row {
        op: plan.name.clone(),
        engine,
        vectors: found.vectors,
        differences: found.differences,
        max_ulp: found.ulp,
        max_abs: one.is_some_and(absolute).then_some(found.absolute),
        cycles,
        seconds: found.seconds,
        examples: found.examples,
    }
}
