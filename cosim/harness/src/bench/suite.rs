//! Makes the rows of the table. Measurements of both sides of a row are interleaved, several rounds
//! of each, and the best of each side counts: what disturbs a shared machine only ever makes a
//! simulator slower. Every replay's checksum is compared with the recording's, so that a side that
//! computes something else fails its row instead of winning it. Each row is timed twice, from the
//! beginning, and says by how much the two differ. A row can be wrong by work that only one side
//! does inside its timed loop; `docs/bench.md` states what is in it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use quadlock_hdl::export::export_named;

use super::subject::{fst, OwnEngine, Subject};
use super::table::{self, Figure, Outcome, Row, FIGURES};
use super::variant::Variant;
use crate::base::progress::Progress;
use crate::engine::record::Recording;
use crate::peer::measure::Contender;
use crate::peer::verilator::{Verilated, Verilator};
use crate::peer::workload::Workload;

/// How to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Names of [`FIGURES`]; empty is all.
    pub rows: Vec<String>,
    /// Timed measurements of each side of a row.
    pub rounds: u32,
    /// Least seconds of a measurement; whole passes over the recording.
    pub seconds: f64,
    /// Folder for builds and waves.
    pub dir: PathBuf,
    /// Cycles of the replay against rust-hdl's engine, and of the first run.
    pub cycles: u64,
}

/// Cycles of a traced replay: a few seconds of the peer.
const WAVE_CYCLES: u64 = 40_000;

/// What is run.
#[derive(Clone, Debug)]
pub struct Jobs {
    pub steady: Workload,
    pub stalled: Workload,
}

/// Why a row has no figures.
enum Trouble {
    Missing(String),
    Failed(String),
}

impl From<String> for Trouble {
    fn from(what: String) -> Self {
        Self::Failed(what)
    }
}

type Figures = Result<(f64, f64), Trouble>;

/// How often each row is timed.
const TIMINGS: usize = 2;

/// Runs the rows of the plan; `bar` shows how far it is.
///
/// # Errors
/// The core cannot be exported or the jobs cannot be recorded: nothing can be measured.
pub fn run(plan: &Plan, jobs: &Jobs, subject: &dyn Subject, bar: &Progress) -> Result<Vec<Row>, String> {
    let wanted: Vec<Figure> =
        FIGURES.into_iter().filter(|f| plan.rows.is_empty() || plan.rows.iter().any(|r| r == f.name)).collect();
    bar.set_length(wanted.len() as u64 + 1);
    bar.set_message("recording the jobs");
    let verilog = export_named("quadlock", &jobs.steady.options.config)?;
    let steady = subject.record(&verilog, &jobs.steady)?;
    let stalled = subject.record(&verilog, &jobs.stalled)?;
    bar.inc(1);
    let mut suite = Suite { plan, jobs, subject, verilog, steady, stalled, peers: [None, None], notes: Vec::new() };
    let rows = wanted.into_iter().map(|figure| {
        bar.set_message(figure.name);
        let row = suite.row(figure);
        bar.inc(1);
        row
    });
    Ok(rows.collect())
}

struct Suite<'a> {
    plan: &'a Plan,
    jobs: &'a Jobs,
    subject: &'a dyn Subject,
    verilog: String,
    steady: Recording,
    stalled: Recording,
    /// Verilator's builds without and with waves, made when first needed.
    peers: [Option<Result<Vec<Verilated>, String>>; 2],
    notes: Vec<String>,
}

impl Suite<'_> {
    fn row(&mut self, figure: Figure) -> Row {
        let mut timings = Vec::new();
        let outcome = loop {
            // Those of the last timing stay.
            self.notes.clear();
            match self.figures(figure.name) {
                Ok(figures) => timings.push(figures),
                Err(Trouble::Missing(what)) => break Outcome::Missing(what),
                Err(Trouble::Failed(what)) => break Outcome::Failed(what),
            }
            if timings.len() == TIMINGS {
                break Outcome::best(&figure, &timings);
            }
        };
        let spread = table::spread(&timings).filter(|_| matches!(outcome, Outcome::Measured { .. }));
        Row { figure, outcome, spread, notes: std::mem::take(&mut self.notes) }
    }

    fn figures(&mut self, name: &str) -> Figures {
        match name {
            "steady" => self.against_verilator(false),
            "stalled" => self.against_verilator(true),
            "first-10k" => self.first(),
            "rust-hdl" => self.against_rust_hdl(),
            "waves" => self.waves(),
            "lockstep" => self.lockstep(),
            _ => self.compile(),
        }
    }

    /// Verilator's builds at `-Os` and `-O3`.
    fn peers(&mut self, waves: bool) -> Result<Vec<Verilated>, Trouble> {
        let made = &mut self.peers[usize::from(waves)];
        if made.is_none() {
            let found = Verilator::find().map_err(Trouble::Missing)?;
            let build = |o: &str| found.build(&self.verilog, &self.plan.dir, o, waves);
            *made = Some(["-Os", "-O3"].into_iter().map(build).collect());
        }
        match made {
            Some(Ok(peers)) => Ok(peers.clone()),
            Some(Err(e)) => Err(Trouble::Failed(e.clone())),
            None => Err(Trouble::Missing(String::new())),
        }
    }

    fn note_rates(&mut self, sides: &[&mut dyn Contender], rates: &[f64]) {
        for (side, rate) in sides.iter().zip(rates) {
            self.notes.push(format!("{rate:.0} cycles/s: {}", side.version()));
        }
    }

    fn against_verilator(&mut self, stalled: bool) -> Figures {
        let mut peers = self.peers(false)?;
        let mut ours = self.subject.build(&self.verilog, &Variant::Plain)?;
        let recording = if stalled { &self.stalled } else { &self.steady };
        let mut sides: Vec<&mut dyn Contender> = vec![ours.as_mut()];
        sides.extend(peers.iter_mut().map(|p| p as &mut dyn Contender));
        let rates = race(self.plan, &mut sides, recording, recording.cycles)?;
        self.notes.push(format!("{} cycles per pass", recording.cycles));
        self.note_rates(&sides, &rates);
        Ok((rates[0], rates[1..].iter().copied().fold(0.0, f64::max)))
    }

    fn first(&mut self) -> Figures {
        let cycles = 10_000.min(self.steady.cycles);
        // Building is what is timed, so an earlier build does not count.
        self.peers[0] = None;
        let mut peers = self.peers(false)?;
        let mut theirs = f64::INFINITY;
        for peer in &mut peers {
            let start = Instant::now();
            let m = peer.run(&self.steady, cycles, 1)?;
            m.check(&self.steady, cycles)?;
            let run = start.elapsed().as_secs_f64();
            theirs = theirs.min(peer.seconds + run);
            self.notes.push(format!("{:.2} s build, {run:.3} s run: {}", peer.seconds, peer.version()));
        }
        let mut ours = f64::INFINITY;
        for _ in 0..self.plan.rounds {
            let start = Instant::now();
            let mut core = self.subject.build(&self.verilog, &Variant::Plain)?;
            core.run(&self.steady, cycles, 1)?.check(&self.steady, cycles)?;
            ours = ours.min(start.elapsed().as_secs_f64());
        }
        Ok((ours, theirs))
    }

    fn against_rust_hdl(&mut self) -> Figures {
        let cycles = self.plan.cycles.min(self.steady.cycles);
        let mut ours = self.subject.build(&self.verilog, &Variant::Plain)?;
        let (mut own, mut skipping) = (OwnEngine { skipping: false }, OwnEngine { skipping: true });
        let mut sides: [&mut dyn Contender; 3] = [ours.as_mut(), &mut own, &mut skipping];
        let rates = race(self.plan, &mut sides, &self.steady, cycles)?;
        self.notes.push(format!("the first {cycles} cycles"));
        self.note_rates(&sides, &rates);
        Ok((rates[0], rates[1]))
    }

    fn waves(&mut self) -> Figures {
        let ours_file = fst(&self.plan.dir);
        let mut ours = self.subject.build(&self.verilog, &Variant::Waves(ours_file.clone()))?;
        let mut peers = self.peers(true)?;
        let peer_file = peers.last().map(Verilated::waves).unwrap_or_default();
        let mut sides: Vec<&mut dyn Contender> = vec![ours.as_mut()];
        sides.extend(peers.iter_mut().map(|p| p as &mut dyn Contender));
        let cycles = WAVE_CYCLES.min(self.steady.cycles);
        let rates = race(self.plan, &mut sides, &self.steady, cycles)?;
        self.note_rates(&sides, &rates);
        let size = |path: &Path| std::fs::metadata(path).map_or(0.0, |m| m.len() as f64 / 1e6);
        let sizes = (size(&ours_file), size(&peer_file));
        self.notes.push(format!("{:.1} MB of FST, the peer's {:.1} MB, {cycles} cycles", sizes.0, sizes.1));
        Ok((rates[0], rates[1..].iter().copied().fold(0.0, f64::max)))
    }

    fn lockstep(&mut self) -> Figures {
        let job = &self.jobs.steady;
        let (mut on, mut off) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..self.plan.rounds {
            on = on.min(self.subject.job_seconds(&self.verilog, job, true)?);
            off = off.min(self.subject.job_seconds(&self.verilog, job, false)?);
        }
        self.notes.push("both with memory model, host and counters: what `quadlock run` does".to_owned());
        Ok((on, off))
    }

    fn compile(&mut self) -> Figures {
        let mut best = f64::INFINITY;
        for _ in 0..self.plan.rounds {
            let start = Instant::now();
            let core = self.subject.build(&self.verilog, &Variant::Plain)?;
            best = best.min(start.elapsed().as_secs_f64());
            drop(core);
        }
        let bytes = self.verilog.len();
        self.notes.push(format!("{bytes} bytes of Verilog: {}", self.subject.version()));
        Ok((best, 1.0))
    }
}

/// Cycles per second of each side: one checked pass of each to learn how many fill a measurement,
/// then `rounds` turns, the best of each.
fn race(plan: &Plan, sides: &mut [&mut dyn Contender], recording: &Recording, cycles: u64) -> Result<Vec<f64>, String> {
    let checked = |side: &mut dyn Contender, passes: u64| {
        let m = side.run(recording, cycles, passes).map_err(|e| format!("{}: {e}", side.name()))?;
        m.check(recording, cycles).map_err(|e| format!("{}: {e}", side.name()))?;
        Ok::<f64, String>(m.rate())
    };
    let mut best = Vec::new();
    for side in sides.iter_mut() {
        best.push(checked(*side, 1)?);
    }
    let passes: Vec<u64> =
        best.iter().map(|rate| (plan.seconds * rate / cycles as f64).ceil().max(1.0) as u64).collect();
    for _ in 0..plan.rounds {
        for (i, side) in sides.iter_mut().enumerate() {
            best[i] = best[i].max(checked(*side, passes[i])?);
        }
    }
    Ok(best)
}
