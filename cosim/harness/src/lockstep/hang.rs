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
    pub cycle: u64,
    /// Cycle of the last retirement, launch or memory transaction.
    pub progress: u64,
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

/// Spinning warps that are looked for: each costs a copy of the model.
const SPINS: usize = 16;

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
        let slots = |g: &Golden| {
            let warps = g.config().warps;
            (0..g.config().units).flat_map(move |u| (0..warps).map(move |w| (u, w)))
        };
        let spins: Vec<Spin> = model
            .iter()
            .flat_map(|(golden, _)| slots(golden).filter_map(|(unit, warp)| golden.spin(unit, warp)))
            .take(SPINS)
            .collect();
        let warps = match model {
            Some((golden, checkers)) => resident(golden, checkers, &spins, launch, history),
            None => last_seen(launch, history),
        };
        let spinning = model
            .map_or(Vec::new(), |(golden, _)| spins.iter().map(|spin| Spinning::new(spin, golden, launch)).collect());
        let held =
            held.map(|(since, unit, warp, what)| format!("unit {unit} warp {warp}, since cycle {since}: {what}"));
        Self { kind, cycle, progress, warps, spinning, held, exhausted_pool: None }
    }

    /// The same, when an acquire waits for an entry of a pool of that size.
    pub fn with_exhausted_pool(self, entries: Option<usize>) -> Self {
        Self { exhausted_pool: entries, ..self }
    }
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
        match self.kind {
            HangKind::Stuck => writeln!(
                f,
                "hang: no retirement and no memory transaction since cycle {} (now {})",
                self.progress, self.cycle
            )?,
            HangKind::CycleLimit => writeln!(
                f,
                "not finished after {} cycles; last progress in cycle {}: the program spins, or raise [limits] cycles",
                self.cycle, self.progress
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
