//! Hangs: no retirement and no memory transaction for too long (stuck), or more cycles than the job allows (which may be a program that spins).
//! The report names every resident warp with its lanes: where each stands and what it waits for, as the model knows it and as the machine
//! last showed it.

use std::fmt;

use quadlock_golden::semaphores::{place_of, thread_id};
use quadlock_golden::{Golden, LaneState, Spin};
use quadlock_isa::abi::LANES;
use serde::Serialize;

use super::checkers::{self, Checker};
use super::mismatch::History;
use crate::launch::Launch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HangKind {
    /// Nothing happens any more.
    Stuck,
    /// Instructions still retire, but the job's limit of cycles is used up.
    CycleLimit,
}

/// A run that was given up.
#[derive(Clone, Debug, Serialize)]
pub struct Hang {
    pub kind: HangKind,
    /// None of the model alone.
    pub cycle: Option<u64>,
    /// Cycle of the last retirement, launch or memory transaction.
    pub progress: Option<u64>,
    /// One entry per resident warp.
    pub warps: Vec<String>,
    /// Warps that, left alone, would poll for ever (WW-11).
    pub spinning: Vec<Spinning>,
    /// What the model could not follow, if anything.
    pub held: Option<String>,
    /// Entries of the pool, if an acquire waits for one: often the cause.
    pub exhausted_pool: Option<usize>,
}

/// A warp that waits by looking again and again, in figures for scripts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spinning {
    pub unit: usize,
    pub warp: usize,
    /// Counter of each lane; none of one that has ended.
    pub lanes: [Option<u16>; LANES],
    /// The instruction that polls, and its place in the source.
    pub pc: u16,
    pub source: Option<String>,
    /// Addresses polled, ascending: of a lock, the lock words.
    pub addresses: Vec<u32>,
    /// Lanes that poll, and lanes at higher counters that are not chosen meanwhile.
    pub polling: Vec<usize>,
    pub behind: Vec<usize>,
}

impl Spinning {
    fn new(spin: &Spin, golden: &Golden, launch: &Launch) -> Self {
        let slot = golden.warp(spin.unit, spin.warp);
        let lane = |l: usize| (slot.lane_state(l) != LaneState::Ended).then(|| slot.pc(l));
        let mut addresses: Vec<u32> = checkers::lanes(spin.performers).map(|l| spin.addr[l]).collect();
        addresses.sort_unstable();
        addresses.dedup();
        Self {
            unit: spin.unit,
            warp: spin.warp,
            lanes: std::array::from_fn(lane),
            pc: spin.pc,
            source: launch.position(spin.pc).map(str::to_owned),
            addresses,
            polling: checkers::lanes(spin.mask).collect(),
            behind: checkers::lanes(spin.behind).collect(),
        }
    }
}

impl Hang {
    pub fn new(
        kind: HangKind,
        cycle: u64,
        progress: u64,
        model: Option<(&Golden, &[Box<dyn Checker>])>,
        launch: &Launch,
        history: &History,
        held: Option<(u64, usize, usize, String)>,
    ) -> Self {
        let spins = model.map_or(Vec::new(), |(golden, _)| spins(golden));
        let warps = match model {
            Some((golden, checkers)) => resident(golden, checkers, &spins, launch, history),
            None => last_seen(launch, history),
        };
        let spinning = model
            .map_or(Vec::new(), |(golden, _)| spins.iter().map(|spin| Spinning::new(spin, golden, launch)).collect());
        let held =
            held.map(|(since, unit, warp, what)| format!("unit {unit} warp {warp}, since cycle {since}: {what}"));
        Self { kind, cycle: Some(cycle), progress: Some(progress), warps, spinning, held, exhausted_pool: None }
    }

    /// Of the model alone, which knows no cycles.
    pub fn of_model(kind: HangKind, golden: &Golden, launch: &Launch) -> Self {
        let spins = spins(golden);
        let nothing_retired = History::new(golden.config().units, golden.config().warps);
        Self {
            kind,
            cycle: None,
            progress: None,
            warps: resident(golden, &[], &spins, launch, &nothing_retired),
            spinning: spins.iter().map(|spin| Spinning::new(spin, golden, launch)).collect(),
            held: None,
            exhausted_pool: None,
        }
    }

    /// The same, when an acquire waits for an entry of a pool of that size.
    pub fn with_exhausted_pool(self, entries: Option<usize>) -> Self {
        Self { exhausted_pool: entries, ..self }
    }
}

/// The warps of a model that spin.
fn spins(golden: &Golden) -> Vec<Spin> {
    let (units, warps) = (golden.config().units, golden.config().warps);
    (0..units).flat_map(|u| (0..warps).filter_map(move |w| golden.spin(u, w))).collect()
}

fn place(pc: u16, launch: &Launch) -> String {
    format!("pc {pc}: {}", launch.listing(pc).trim_end())
}

/// The semaphores that a thread waits for, with their owners and where those stand.
fn awaited(thread: u16, golden: &Golden, checkers: &[Box<dyn Checker>], launch: &Launch) -> String {
    let owned = |(semaphore, owner): (u16, Option<u16>)| {
        let Some((unit, warp)) = owner.map(place_of) else { return format!("semaphore {semaphore}, which is free") };
        let (units, warps) = (golden.config().units, golden.config().warps);
        let next = (unit < units && warp < warps).then(|| golden.warp(unit, warp).next()).flatten();
        let at = next.map_or("has ended".to_owned(), |(pc, _)| format!("is at {}", place(pc, launch)));
        format!("semaphore {semaphore}, owned by unit {unit} warp {warp}, which {at}")
    };
    // The model alone has no checkers beside it, but follows the semaphores itself.
    if checkers.is_empty() {
        return golden.semaphores_awaited(thread);
    }
    let all: Vec<String> = checkers.iter().flat_map(|c| c.waits_for(thread)).map(owned).collect();
    match all.is_empty() {
        true => "an acknowledgement that is not to come".to_owned(),
        false => all.join("; "),
    }
}

fn resident(
    golden: &Golden,
    checkers: &[Box<dyn Checker>],
    spins: &[Spin],
    launch: &Launch,
    history: &History,
) -> Vec<String> {
    let config = golden.config();
    let slots = (0..config.units).flat_map(|u| (0..config.warps).map(move |w| (u, w)));
    let mut out = Vec::new();
    for (unit, warp) in slots {
        let slot = golden.warp(unit, warp);
        if slot.is_ended() && slot.in_flight() == 0 && slot.wait_count() == 0 {
            continue;
        }
        let mut lanes = Vec::new();
        for lane in 0..LANES {
            lanes.push(match slot.lane_state(lane) {
                LaneState::Running => format!("    lane {lane} runs at {}", place(slot.pc(lane), launch)),
                LaneState::Blocked => {
                    format!("    lane {lane} is blocked at the barrier before {}", place(slot.pc(lane), launch))
                }
                LaneState::Ended => format!("    lane {lane} has ended"),
            });
        }
        let waits = match (slot.in_flight(), slot.next()) {
            _ if slot.is_waiting() || slot.is_ended() && slot.wait_count() > 0 => {
                format!("waits for {}", awaited(thread_id(unit, warp), golden, checkers, launch))
            }
            (0, Some(_)) => "may issue".to_owned(),
            (0, None) => "waits for the rest of its group at a barrier".to_owned(),
            (n, _) => format!("waits for {n} memory or function instruction(s)"),
        };
        let last = history
            .of(unit, warp)
            .last()
            .map_or(String::new(), |(cycle, _)| format!("; last retired in cycle {cycle}"));
        let group = slot.launch().group;
        if let Some(spin) = spins.iter().find(|s| (s.unit, s.warp) == (unit, warp)) {
            lanes.push(format!("    {spin}\n    at {}", place(spin.pc, launch)));
        }
        out.push(format!("unit {unit} warp {warp} (group {group:?}): {waits}{last}\n{}", lanes.join("\n")));
    }
    out
}

fn last_seen(launch: &Launch, history: &History) -> Vec<String> {
    let mut out = Vec::new();
    for unit in 0..history.units() {
        for warp in 0..history.warps() {
            if let Some((cycle, event)) = history.of(unit, warp).last() {
                out.push(format!(
                    "unit {unit} warp {warp}: last retired in cycle {cycle}, {}",
                    place(event.pc, launch)
                ));
            }
        }
    }
    out
}

impl fmt::Display for Hang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.cycle.zip(self.progress)) {
            (HangKind::Stuck, Some((cycle, progress))) => {
                writeln!(f, "hang: no retirement and no memory transaction since cycle {progress} (now {cycle})")?;
            }
            (HangKind::CycleLimit, Some((cycle, progress))) => writeln!(
                f,
                "not finished after {cycle} cycles; last progress in cycle {progress}: the program spins, or raise [limits] cycles"
            )?,
            (HangKind::Stuck, None) => writeln!(f, "hang: the model repeats itself without progress")?,
            (HangKind::CycleLimit, None) => writeln!(
                f,
                "not finished after as many warp instructions as [limits] cycles times units: the program spins, or raise it"
            )?,
        }
        if let Some(entries) = self.exhausted_pool {
            writeln!(
                f,
                "  the pool of {entries} entries is exhausted: an acquire waits for an entry, and threads that have not begun may hold them; raise semaphore-pool"
            )?;
        }
        for warp in &self.warps {
            writeln!(f, "  {warp}")?;
        }
        match &self.held {
            Some(held) => writeln!(f, "  the model waits: {held}"),
            None => Ok(()),
        }
    }
}
