//! The report of a run: one screen of text, and JSON with stable keys (`docs/report.md`). Counters
//! are taken from the event ports, not from the model, so that they exist for every engine that has
//! them.

pub(crate) mod hang;
pub(crate) mod keys;
pub(crate) mod mismatch;
pub(crate) mod problems;
mod sum;
pub(crate) mod verdict;
pub(crate) mod words;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quadlock_golden::RunStats;
use quadlock_isa::abi::LINE_BYTES;
use serde::Serialize;

use crate::figures::handover::Latency;
use crate::linking::LinkFigures;
use crate::lockstep::{End, RunResult};
use crate::machine::launch::Launch;
use crate::machine::ports::STALL_REASONS;
use hang::Hang;
use mismatch::Mismatch;

pub use keys::is_figure;
pub use verdict::Verdict;

/// Everything about a run that a person or a script wants.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Of the job.
    pub name: String,
    /// What ran: `lockstep (rtlsim + golden)`, say, or `golden`.
    pub engine: String,
    /// How the run is judged.
    pub verdict: Verdict,
    /// One entry, or none: the first mismatch ends a run.
    pub mismatches: Vec<Mismatch>,
    /// `None` if the run came to an end.
    pub hang: Option<Hang>,
    /// What is wrong beside a mismatch: faults, traps, wrong outputs.
    pub problems: Vec<String>,
    /// What is unusual and changes no verdict: of the compiler, and of locks that nobody declared.
    pub warnings: Vec<String>,
    /// Overrides and specialisation constants that were given values, by name or id.
    pub constants: BTreeMap<String, serde_json::Value>,
    /// Clock cycles; of the model alone none.
    pub cycles: Option<u64>,
    /// Retired warp instructions.
    pub retired: u64,
    /// Active lanes, summed over the retired instructions.
    pub lane_instructions: u64,
    /// Retired warp instructions per cycle in which the core was busy.
    pub ipc: Option<f64>,
    /// By unit of the machine.
    pub ipc_per_unit: Vec<f64>,
    /// Mean share of active lanes per retired instruction, 0 to 1.
    pub lane_utilisation: f64,
    /// Of the model alone none.
    pub issue_slots: Option<IssueSlots>,
    /// Of the model alone none.
    pub memory_transactions: Option<Transactions>,
    /// Retired loads and stores.
    pub memory_instructions: u64,
    /// Retired atomics; the model alone counts them as memory instructions.
    pub atomics: Option<u64>,
    /// Line reads and writes of atomics at the memory port.
    pub atomic_transactions: Option<u64>,
    /// Warp-wide atomics that late lanes did not execute again but got the kept result of (WW-27).
    pub late_arrivals: Option<u64>,
    /// Locks taken by another warp than the one that had them last: of declared words, and of those
    /// of the lock form.
    pub lock_handovers: Option<u64>,
    /// Retired instructions of the function units.
    pub function_instructions: Option<u64>,
    /// Retired; of the model alone none.
    pub branches: Option<u64>,
    /// Runs of the program.
    pub dispatches: u64,
    /// Of a job whose program is linked.
    pub link: Option<LinkFigures>,
    /// Of a job with a graph.
    pub graph: Option<GraphFigures>,
    /// Issue slots spent on instructions that only wait for another thread (SE-63).
    pub polling_slots: Option<u64>,
    /// Acknowledgements that followed a release.
    pub handovers: Option<u64>,
    /// From a release to the first instruction of the thread that waited.
    pub handover_latency_cycles: Option<Latency>,
    /// Messages that crossed the message bus.
    pub bus_messages: Option<u64>,
    /// Messages that the semaphore entity flagged as errors (SE-25).
    pub semaphore_protocol_errors: Option<u64>,
    /// Cycles in which an acquire waited for an entry of the pool.
    pub pool_exhausted_cycles: Option<u64>,
    /// Launched warps.
    pub warps: u64,
    /// Of these, how many each core got (SE-3); of the model alone none.
    pub warps_per_core: Vec<u64>,
    /// Launched work groups of the grid.
    pub groups: u64,
    /// Wall-clock time of the run.
    pub seconds: f64,
    /// Speed of the simulation; of the model alone none.
    pub cycles_per_second: Option<f64>,
    /// Speed of the simulation.
    pub lane_instructions_per_second: f64,
    /// Figures of the simulator.
    pub simulator: BTreeMap<String, f64>,
    /// Of a litmus test.
    pub outcomes: Vec<Outcome>,
    /// Files written.
    pub outputs: Vec<String>,
}

/// The threads of a graph and their semaphores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphFigures {
    /// Vertices of the graph.
    pub threads: usize,
    /// Semaphores used for dependencies; 0 with polling.
    pub semaphores: usize,
    /// Semaphores with which no thread would wait for one that it does not depend on; `None` if the
    /// job chooses them by hash, and with polling.
    pub semaphores_wanted: Option<usize>,
    /// Their numbers, as in "0-3, 8"; empty with polling.
    pub semaphore_numbers: String,
}

/// An outcome and how often it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// One for each column of the litmus test.
    pub values: Vec<u32>,
    /// Threads or groups that showed it.
    pub count: usize,
}

/// Cycles of all units while the core was busy.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct IssueSlots {
    /// Busy cycles times units.
    pub total: u64,
    /// An instruction was issued.
    pub used: u64,
    /// No warp was resident.
    pub no_warp: u64,
    /// Instructions waited for a result: of memory, or of another long operation.
    pub memory: u64,
    /// The next instruction of every warp was still being fetched.
    pub fetch: u64,
    /// The register file's ports were taken.
    pub port_conflict: u64,
    /// Every warp that could not issue waits for a semaphore.
    pub semaphore: u64,
    /// Anything else, such as barriers and branches.
    pub other: u64,
}

/// Line transfers at the machine's memory port.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Transactions {
    /// Reads and writes.
    pub total: u64,
    /// Instruction fetches included.
    pub reads: u64,
    /// Of lines or parts of them.
    pub writes: u64,
    /// Whole lines.
    pub bytes_read: u64,
    /// Those that the masks of the writes enable.
    pub bytes_written: u64,
    /// Of all units' shared storage, which is not at the memory port.
    pub shared_writes: u64,
}

fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 {
        0.0
    } else {
        a as f64 / b as f64
    }
}

impl Report {
    /// The report of a run of the RTL.
    pub fn of_run(launch: &Launch, lockstep: bool, result: &RunResult) -> Self {
        let c = &result.counters;
        let total = c.busy_cycles * c.retired_per_unit.len() as u64;
        let [no_warp, memory, fetch, port_conflict, semaphore] = c.stalls;
        let known = c.issued + c.stalls.iter().sum::<u64>();
        let (verdict, mismatches, hang, problems) = verdict(launch, result);
        Self {
            name: launch.name.clone(),
            engine: if lockstep { format!("lockstep ({} + golden)", result.engine) } else { result.engine.to_owned() },
            verdict,
            mismatches,
            hang,
            problems,
            constants: launch.constants_given.clone(),
            warnings: result.warnings.iter().map(|w| problems::warning(w, launch)).collect(),
            cycles: Some(result.cycles),
            retired: c.retired,
            lane_instructions: c.lane_instructions,
            ipc: Some(ratio(c.retired, c.busy_cycles)),
            ipc_per_unit: c.retired_per_unit.iter().map(|&r| ratio(r, c.busy_cycles)).collect(),
            lane_utilisation: ratio(c.lane_instructions, 4 * c.retired),
            issue_slots: Some(IssueSlots {
                total,
                used: c.issued,
                no_warp,
                memory,
                fetch,
                port_conflict,
                semaphore,
                other: total.saturating_sub(known),
            }),
            memory_transactions: Some(Transactions {
                total: c.memory_reads + c.memory_writes,
                reads: c.memory_reads,
                writes: c.memory_writes,
                bytes_read: u64::from(LINE_BYTES) * c.memory_reads,
                bytes_written: c.memory_bytes_written,
                shared_writes: c.shared_writes,
            }),
            memory_instructions: c.memory_instructions,
            atomics: Some(c.atomics),
            atomic_transactions: Some(c.atomic_transactions),
            late_arrivals: Some(c.late_arrivals),
            lock_handovers: result.lock_handovers,
            function_instructions: Some(c.function_instructions),
            branches: Some(c.branches),
            dispatches: 1,
            link: None,
            graph: None,
            polling_slots: Some(c.polling),
            handovers: Some(c.handovers.count),
            handover_latency_cycles: c.handovers.latency(),
            bus_messages: Some(c.handovers.messages),
            semaphore_protocol_errors: Some(c.handovers.protocol_errors),
            pool_exhausted_cycles: Some(c.pool_exhausted),
            warps: c.warps_launched,
            warps_per_core: c.warps_per_core.clone(),
            groups: launch.groups(),
            seconds: result.seconds,
            cycles_per_second: Some(result.cycles as f64 / result.seconds.max(1e-9)),
            lane_instructions_per_second: c.lane_instructions as f64 / result.seconds.max(1e-9),
            simulator: result.statistics.iter().map(|&(k, v)| (k.to_owned(), v)).collect(),
            outcomes: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// The report of a run of the model alone: what needs cycles is absent.
    pub fn of_model(name: &str, groups: u64, stats: &RunStats, seconds: f64) -> Self {
        Self {
            name: name.to_owned(),
            engine: "golden".to_owned(),
            verdict: Verdict::Pass,
            mismatches: Vec::new(),
            hang: None,
            problems: Vec::new(),
            warnings: Vec::new(),
            constants: BTreeMap::new(),
            cycles: None,
            retired: stats.warp_instructions,
            lane_instructions: stats.lane_instructions,
            ipc: None,
            ipc_per_unit: Vec::new(),
            lane_utilisation: ratio(stats.lane_instructions, 4 * stats.warp_instructions),
            issue_slots: None,
            memory_transactions: None,
            memory_instructions: stats.memory_instructions,
            atomics: None,
            atomic_transactions: None,
            late_arrivals: Some(stats.late_arrivals),
            lock_handovers: None,
            function_instructions: None,
            branches: None,
            dispatches: 1,
            link: None,
            graph: None,
            polling_slots: None,
            handovers: None,
            handover_latency_cycles: None,
            bus_messages: None,
            semaphore_protocol_errors: None,
            pool_exhausted_cycles: None,
            warps: stats.warps,
            warps_per_core: Vec::new(),
            groups,
            seconds,
            cycles_per_second: None,
            lane_instructions_per_second: stats.lane_instructions as f64 / seconds.max(1e-9),
            simulator: BTreeMap::new(),
            outcomes: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// The verdict is [`Verdict::Pass`].
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Pass
    }

    /// A problem that machine and model agree on.
    pub fn problem(&mut self, verdict: Verdict, what: String) {
        if self.verdict == Verdict::Pass {
            self.verdict = verdict;
        }
        self.problems.push(what);
    }

    /// The number of that name, as [`is_figure`] knows it; none where the engine cannot know it.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let all = serde_json::to_value(self).ok()?;
        name.split('.').try_fold(&all, |value, key| value.get(key))?.as_f64()
    }

    /// JSON with the keys of `docs/report.md`.
    pub fn json(&self) -> String {
        // A report holds strings, numbers and lists: it always has a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// One screen of text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for m in &self.mismatches {
            let _ = writeln!(out, "{m}");
        }
        let first = self.verdict == Verdict::Hang;
        if let Some(hang) = self.hang.as_ref().filter(|_| first) {
            let _ = writeln!(out, "{hang}");
        }
        for problem in &self.problems {
            let _ = writeln!(out, "problem: {problem}");
        }
        if let Some(hang) = self.hang.as_ref().filter(|_| !first) {
            let _ = writeln!(out, "what followed: {hang}");
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        let verdict = serde_json::to_value(self.verdict).ok().and_then(|v| v.as_str().map(str::to_uppercase));
        let mut row = |name: &str, value: String| {
            let _ = writeln!(out, "{name:<24}{value}");
        };
        row("job", self.name.clone());
        row("engine", self.engine.clone());
        row("verdict", verdict.unwrap_or_default());
        if !self.constants.is_empty() {
            let list: Vec<String> = self.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            row("constants", list.join(", "));
        }
        row("work groups, warps", format!("{}, {}", self.groups, self.warps));
        if self.warps_per_core.len() > 1 {
            let cores: Vec<String> = self.warps_per_core.iter().map(u64::to_string).collect();
            row("warps per core", cores.join(", "));
        }
        if let Some(cycles) = self.cycles {
            row("cycles", cycles.to_string());
        }
        row("retired instructions", format!("{} of warps, {} of lanes", self.retired, self.lane_instructions));
        if let Some(ipc) = self.ipc {
            let units: Vec<String> = self.ipc_per_unit.iter().map(|i| format!("{i:.3}")).collect();
            row("IPC", format!("{ipc:.3} (per unit {})", units.join(", ")));
        }
        row("lane utilisation", format!("{:.1} %", 100.0 * self.lane_utilisation));
        if let Some(t) = &self.memory_transactions {
            row(
                "memory transactions",
                format!(
                    "{} ({} reads of {} bytes, {} writes of {}); {} shared writes",
                    t.total, t.reads, t.bytes_read, t.writes, t.bytes_written, t.shared_writes
                ),
            );
        }
        let atomics = self.atomics.map_or(String::new(), |a| format!(", atomics {a}"));
        row("memory instructions", format!("{}{atomics}", self.memory_instructions));
        let handovers = self.lock_handovers.filter(|&n| n > 0).map(|n| format!("{n} lock hand-overs"));
        match (self.atomic_transactions, handovers) {
            (Some(transactions @ 1..), None) => row("atomic transactions", transactions.to_string()),
            (Some(transactions @ 1..), Some(h)) => row("atomic transactions", format!("{transactions}; {h}")),
            (_, Some(h)) => row("atomics", h),
            (_, None) => {}
        }
        if let Some(late @ 1..) = self.late_arrivals {
            row("late arrivals", format!("{late} (not executed again)"));
        }
        if let Some(functions) = self.function_instructions {
            row("function instructions", functions.to_string());
        }
        if let Some(s) = &self.issue_slots {
            let percent = |n: u64| 100.0 * ratio(n, s.total);
            let reasons = [s.no_warp, s.memory, s.fetch, s.port_conflict, s.semaphore];
            let list: Vec<String> = STALL_REASONS
                .iter()
                .zip(reasons)
                .map(|(name, n)| format!("{} {:.1} %", name.replace('_', " "), percent(n)))
                .collect();
            row("issue slots used", format!("{:.1} % ({})", percent(s.used), list.join(", ")));
        }
        if self.dispatches > 1 {
            row("dispatches", self.dispatches.to_string());
        }
        if let Some(l) = &self.link {
            row("linked", l.to_string());
        }
        if let Some(g) = &self.graph {
            let wanted = match g.semaphores_wanted {
                Some(wanted) if wanted > g.semaphores => format!(" (shared: {wanted} would keep all apart)"),
                _ => String::new(),
            };
            let numbers = Some(&g.semaphore_numbers).filter(|n| !n.is_empty()).map(|n| format!(", numbers {n}"));
            let numbers = numbers.unwrap_or_default();
            row("threads of the graph", format!("{}, with {} semaphores{numbers}{wanted}", g.threads, g.semaphores));
        }
        if let Some(text) = self.semaphores() {
            row("semaphores", text);
        }
        let speed = match self.cycles_per_second {
            Some(speed) => format!("{speed:.0} cycles/s"),
            None => format!("{:.1} million lane instructions/s", self.lane_instructions_per_second / 1e6),
        };
        row("simulation", format!("{:.2} s, {speed}", self.seconds));
        if !self.outcomes.is_empty() {
            let list: Vec<String> = self.outcomes.iter().map(|o| format!("{:?} {} times", o.values, o.count)).collect();
            row("outcomes", list.join(", "));
        }
        for file in &self.outputs {
            row("written", file.clone());
        }
        out
    }
}

impl Report {
    /// What there is to say of semaphores; nothing if the run had neither messages nor polling.
    fn semaphores(&self) -> Option<String> {
        let (messages, handovers, polling) = (self.bus_messages?, self.handovers?, self.polling_slots?);
        let mut parts = Vec::new();
        if messages > 0 {
            parts.push(format!("{messages} messages, {handovers} hand-overs"));
        }
        if let Some(l) = self.handover_latency_cycles {
            parts.push(format!("{} to {} cycles (median, most) from release to first instruction", l.median, l.max));
        }
        if polling > 0 {
            parts.push(format!("{polling} issue slots spent polling"));
        }
        if let Some(cycles @ 1..) = self.pool_exhausted_cycles {
            parts.push(format!("{cycles} cycles with an acquire waiting for an entry of the pool"));
        }
        match self.semaphore_protocol_errors {
            Some(n @ 1..) => parts.push(format!("{n} protocol errors")),
            _ if parts.is_empty() => return None,
            _ => {}
        }
        Some(parts.join("; "))
    }
}

/// Verdict, mismatches, hang, problems.
type Parts = (Verdict, Vec<Mismatch>, Option<Hang>, Vec<String>);

fn verdict(launch: &Launch, result: &RunResult) -> Parts {
    match &result.end {
        End::Mismatch(m) => (Verdict::Mismatch, vec![Mismatch::new(m, launch)], None, Vec::new()),
        End::Engine(e) => (Verdict::EngineFailure, Vec::new(), None, vec![e.to_string()]),
        End::Hang(h) => {
            let (verdict, problems) = problems::verdict(&result.wrong, launch, true);
            (verdict, Vec::new(), Some(Hang::new(h, launch)), problems)
        }
        End::Finished => {
            let (mut verdict, mut problems) = problems::verdict(&result.wrong, launch, false);
            let contradictions = result.counters.handovers.contradictions();
            if contradictions > 0 {
                if verdict == Verdict::Pass {
                    verdict = Verdict::EngineFailure;
                }
                problems.push(format!(
                    "{contradictions} events of semaphores contradict others (an acknowledgement without a cause, an effect before it): the hand-overs are not to be trusted"
                ));
            }
            (verdict, Vec::new(), None, problems)
        }
    }
}
