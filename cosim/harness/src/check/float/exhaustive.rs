//! All 2^32 operands of operations that have one, in slices, so that an interrupted run goes on:
//! after a slice the state file is written anew, beside and renamed. It can be wrong by counting a
//! slice twice or not at all: the state says where the next one begins, together with what was
//! found before, in one file.
//!
//! A state belongs to what was run: an entry of another fault is not used. It does not know whether
//! RTL or model changed since.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::engine::{EngineName, Engines};
use super::op::FloatOp;
use super::plan::Plan;
use super::report::{Difference, Row};
use super::run::{self, Settings, EXAMPLES};
use super::vector::Vector;
use crate::base::error::{bad, Input};
use crate::base::files::{read_text, write_atomic};

/// Operands of all operations with one.
pub const ALL: u64 = 1 << 32;

/// Operands of a slice: some seconds of work for one engine.
fn slice(engine: EngineName) -> u64 {
    match engine {
        EngineName::Golden => 1 << 26,
        EngineName::Rtl => 1 << 20,
    }
}

/// A wrong result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrong {
    operands: Vec<u32>,
    got: u32,
    want: u32,
}

/// One operation on one engine, as far as it is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Progress {
    op: String,
    engine: String,
    /// `fault=NAME` or nothing.
    planted: Option<String>,
    /// First operand that was not run.
    next: u64,
    differences: u64,
    max_ulp: f64,
    max_abs: Option<f64>,
    seconds: f64,
    examples: Vec<Wrong>,
}

impl Progress {
    fn new(op: &FloatOp, engine: EngineName, planted: Option<&str>) -> Self {
        Self {
            op: op.name().into(),
            engine: engine.name().into(),
            planted: planted.map(Into::into),
            next: 0,
            differences: 0,
            max_ulp: 0.0,
            max_abs: None,
            seconds: 0.0,
            examples: vec![],
        }
    }

    fn is_of(&self, other: &Self) -> bool {
        (&self.op, &self.engine, &self.planted) == (&other.op, &other.engine, &other.planted)
    }

    fn add(&mut self, row: Row) {
        self.next += row.vectors;
        self.differences += row.differences;
        self.max_ulp = self.max_ulp.max(row.max_ulp);
        self.max_abs = row.max_abs.map(|e| e.max(self.max_abs.unwrap_or(0.0)));
        self.seconds += row.seconds;
        let wrong = |d: Difference| Wrong { operands: d.operands, got: d.got, want: d.want };
        self.examples.extend(row.examples.into_iter().map(wrong));
        self.examples.truncate(EXAMPLES);
    }

    fn row(&self, op: &'static FloatOp, engine: EngineName) -> Row {
        let difference =
            |w: &Wrong| Difference { op: op.name(), engine, operands: w.operands.clone(), got: w.got, want: w.want };
        Row {
            op: self.op.clone(),
            engine,
            vectors: self.next,
            differences: self.differences,
            max_ulp: self.max_ulp,
            max_abs: self.max_abs,
            cycles: None,
            seconds: self.seconds,
            examples: self.examples.iter().map(difference).collect(),
        }
    }
}

fn load(path: Option<&Path>) -> Input<Vec<Progress>> {
    let Some(path) = path.filter(|p| p.exists()) else { return Ok(vec![]) };
    let text = read_text(path)?;
    let state: Vec<Progress> = match serde_json::from_str(&text) {
        Ok(state) => state,
        Err(e) => {
            return bad(format!("{}: no state of float-check: {e}", path.display()), "remove it, or name another")
        }
    };
    match state.iter().find(|p| p.next > ALL) {
        Some(p) => bad(format!("{}: {} of {} is beyond the end", path.display(), p.next, p.op), "remove the file"),
        None => Ok(state),
    }
}

fn save(path: Option<&Path>, state: &[Progress]) -> Input<()> {
    let Some(path) = path else { return Ok(()) };
    // A list of plain numbers and strings always serialises.
    write_atomic(path, serde_json::to_string_pretty(state).unwrap_or_default().as_bytes())
}

/// What is run: operations, how, and where the state is kept.
#[derive(Debug)]
pub struct Run<'a> {
    pub ops: &'a [&'static FloatOp],
    pub settings: &'a Settings,
    /// `fault=NAME` or nothing: names what is in `settings`.
    pub planted: Option<&'a str>,
    pub state: Option<&'a Path>,
    /// End of the operands, not included: [`ALL`].
    pub end: u64,
}

impl Run<'_> {
    /// Runs what the state file does not have yet. `progress` is told of so many more operands,
    /// first of those that an earlier run did, and of which operation they are.
    ///
    /// # Errors
    /// The state file is none or cannot be written; an engine cannot be built or does not answer.
    pub fn rows(&self, progress: impl Fn(u64, &str) + Sync) -> Input<Vec<Row>> {
        let mut state = load(self.state)?;
        // What cannot be written is told before the work, not after it.
        save(self.state, &state)?;
        let mut rows = Vec::new();
        for &op in self.ops {
            for &engine in &self.settings.engines {
                let new = Progress::new(op, engine, self.planted);
                let at = state.iter().position(|p| p.is_of(&new)).unwrap_or_else(|| {
                    state.push(new);
                    state.len() - 1
                });
                progress(state[at].next, op.name());
                let settings = Settings { engines: vec![engine], measure: false, ..self.settings.clone() };
                while state[at].next < self.end {
                    let from = state[at].next;
                    let plan = Plan::operands_from(op, from, self.end.min(from + slice(engine)));
                    let found = run::check(&[plan], &settings, &progress);
                    found
                        .or_else(|e| bad(e, "nothing can be checked before this works"))?
                        .into_iter()
                        .for_each(|row| state[at].add(row));
                    save(self.state, &state)?;
                }
                let mut row = state[at].row(op, engine);
                if engine == EngineName::Rtl {
                    let mut engines = Engines::new(self.settings.rtl_fault, self.settings.model_fault);
                    let cycles = engines.measure(Vector::sample(op));
                    row.cycles = Some(cycles.or_else(|e| bad(e, "nothing can be checked before this works"))?);
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn run(op: &str, state: Option<&Path>, end: u64) -> Input<(Row, u64)> {
        let ops = [FloatOp::by_name(op).unwrap()];
        let settings = Settings { engines: vec![EngineName::Golden], jobs: 2, ..Settings::default() };
        let told = AtomicU64::new(0);
        let run = Run { ops: &ops, settings: &settings, planted: None, state, end };
        let rows = run.rows(|n, _| {
            told.fetch_add(n, Ordering::Relaxed);
        })?;
        Ok((rows[0].clone(), told.into_inner()))
    }

    #[test]
    fn a_run_goes_on_where_it_stopped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        let path = Some(path.as_path());
        for (op, first, end) in [("F2I", 70_000, 200_000), ("PK.F16", 1 << 14, 100_000), ("FSIN", 20_000, 50_000)] {
            assert_eq!(run(op, path, first).unwrap().0.vectors, first);
            let (row, told) = run(op, path, end).unwrap();
            assert_eq!((row.vectors, row.differences, told), (end, 0, end), "{op}: {:?}", row.examples);
            let (whole, _) = run(op, None, end).unwrap();
            assert_eq!((whole.vectors, whole.max_ulp, whole.max_abs), (end, row.max_ulp, row.max_abs));
        }
        assert_eq!(load(path).unwrap().len(), 3);
    }

    #[test]
    fn a_state_that_is_none_is_refused_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        for text in ["[{\"op\": 1}]", "no"] {
            std::fs::write(&path, text).unwrap();
            assert!(run("F2I", Some(&path), 1).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert!(run("F2I", Some(dir.path()), 1).is_err(), "a folder");
    }
}
