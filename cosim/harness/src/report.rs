//! The report of a run: one screen of text, and JSON with stable keys (`docs/report.md`). Counters
//! are taken from the event ports, not from the model, so that they exist for every engine that has
//! them.

pub(crate) mod hang;
pub(crate) mod keys;
pub(crate) mod mismatch;
pub(crate) mod problems;
mod sum;
pub(crate) mod text;
pub(crate) mod verdict;
pub(crate) mod words;

use std::collections::BTreeMap;

use quadlock_golden::RunStats;
use quadlock_isa::abi::LINE_BYTES;
use serde::Serialize;

use crate::figures::handover::Latency;
use crate::linking::LinkFigures;
use crate::lockstep::{End, RunResult};
use crate::machine::launch::Launch;
use hang::Hang;
use mismatch::Mismatch;

pub use keys::is_figure;
pub use verdict::Verdict;

/// Everything about a run that a person or a script wants.
#[derive(Clone, Debug, Default, Serialize)]
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
    /// The command that shows a failure again; filled in by who knows it.
    pub reproduce: Option<String>,
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
            reproduce: None,
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
            reproduce: None,
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
