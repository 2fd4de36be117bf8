//! Hangs: nothing happened for too long (stuck), or more cycles than the job allows (which may be a
//! program that spins). The report names every resident warp with its lanes:
//! where each stands and what it waits for, as the model knows it and as the machine last showed
//! it.

use std::collections::BTreeMap;
use std::fmt;

use quadlock_golden::semaphores::{place_of, thread_id};
use quadlock_golden::{Golden, LaneState, Spin};
use quadlock_isa::abi::LANES;
use quadlock_isa::{decode, Op};
use serde::Serialize;

use super::words;
use crate::lockstep::checkers::checker::{Awaited, Shortage};
use crate::lockstep::frame::left::Left;
use crate::lockstep::hang::{self as given_up, HangKind, Standing};
use crate::lockstep::mismatch::History;
use crate::lockstep::ownership::{By, Holder, Ownership};
use crate::lockstep::stalled::Stalled;
use crate::lockstep::waits::Wait;
use crate::machine::lanes::{has_lane, lanes as lanes_of};
use crate::machine::launch::Launch;
use crate::machine::ports::RetireEvent;

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
    /// Who waits for an entry and who has them, as far as the model knows.
    pub pool_shortage: Option<PoolShortage>,
    /// Of a frame: streams that are offered and that nobody takes, by block.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stalled: Vec<StalledBlock>,
    /// Of a frame: which block waits for which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<WaitingBlock>,
    /// Of a frame in lockstep: what it lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftOver>,
}

/// What a frame lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOver {
    pub what: &'static str,
    pub count: usize,
    /// Draw, triangle, pixel and so on.
    pub first: String,
    /// Blocks that it comes from.
    pub from: &'static str,
}

impl From<&Left> for LeftOver {
    fn from(left: &Left) -> Self {
        let Left { what, count, first, from } = left;
        Self { what, count: *count, first: words::place_in_frame(first), from }
    }
}

/// A block that waits for others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingBlock {
    /// Path in the exported Verilog.
    pub block: String,
    /// What it offers, without `_valid`.
    pub stream: String,
    /// Paths of the blocks that do not take it.
    #[serde(rename = "for")]
    pub on: Vec<String>,
}

/// A block whose streams stand still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StalledBlock {
    /// Path in the exported Verilog.
    pub block: String,
    /// Names of the streams, without `_valid`.
    pub streams: Vec<String>,
}

/// By block, in order of paths.
fn by_block(all: &[Stalled]) -> Vec<StalledBlock> {
    let mut out: Vec<StalledBlock> = vec![];
    for Stalled { block, stream } in all {
        match out.last_mut().filter(|b| b.block == *block) {
            Some(last) => last.streams.push(stream.clone()),
            None => out.push(StalledBlock { block: block.clone(), streams: vec![stream.clone()] }),
        }
    }
    out
}

/// Acquires that wait for an entry of the pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PoolShortage {
    /// Threads whose acquires wait, in order of arrival.
    pub waiting: Vec<String>,
    /// Entries of threads that run, and of threads of the list that have not begun.
    pub running: usize,
    pub not_begun: usize,
}

impl PoolShortage {
    fn new(found: &Shortage) -> Self {
        let name = |&thread: &u16| {
            let (unit, warp) = place_of(thread);
            format!("unit {unit} warp {warp}")
        };
        let waiting = found.waiting.iter().map(name).collect();
        Self { waiting, running: found.holders - found.not_begun, not_begun: found.not_begun }
    }
}

impl fmt::Display for PoolShortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 4;
        let names: Vec<&str> = self.waiting.iter().take(SHOWN).map(String::as_str).collect();
        let more = match self.waiting.len().saturating_sub(SHOWN) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        write!(f, "{}{more} wait for an entry; ", names.join(", "))?;
        match self.not_begun {
            0 => write!(f, "threads that run hold all {}", self.running),
            n => write!(f, "threads that run hold {}, requests of threads that have not begun {n}", self.running),
        }
    }
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
    /// Who has the lock that is polled, if that is known: the first of `addresses` that somebody
    /// has.
    pub owner: Option<LockOwner>,
}

/// The warp that has taken a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LockOwner {
    pub address: u32,
    pub unit: usize,
    pub warp: usize,
    /// It is the warp that waits for it.
    pub itself: bool,
    /// The instruction that took it, and its place in the source.
    pub pc: u16,
    pub source: Option<String>,
}

impl LockOwner {
    /// Of a lock that the warp `waiter` polls.
    fn new(locks: Option<&Ownership>, address: u32, waiter: Holder, launch: &Launch) -> Option<Self> {
        let By { who, pc } = locks?.owner(address)?;
        let source = launch.position(pc).map(str::to_owned);
        Some(Self { address, unit: who.unit, warp: who.warp, itself: who == waiter, pc, source })
    }

    fn text(&self, launch: &Launch) -> String {
        let Self { address, unit, warp, itself, pc, .. } = self;
        match itself {
            true => format!(
                "the warp waits for itself: it has the lock at {address:#010x} already, taken at {}",
                place(*pc, launch)
            ),
            false => {
                format!("unit {unit} warp {warp} has the lock at {address:#010x}, taken at {}", place(*pc, launch))
            }
        }
    }
}

impl Spinning {
    fn new(spin: &Spin, golden: &Golden, locks: Option<&Ownership>, launch: &Launch) -> Self {
        let slot = golden.warp(spin.unit, spin.warp);
        let lane = |l: usize| (slot.lane_state(l) != LaneState::Ended).then(|| slot.pc(l));
        let mut addresses: Vec<u32> = lanes_of(spin.performers).map(|l| spin.addr[l]).collect();
        addresses.sort_unstable();
        addresses.dedup();
        let waiter = Holder { unit: spin.unit, warp: spin.warp, launch: slot.launches() };
        let global = addresses.iter().filter(|_| !spin.shared);
        let owner = global.filter_map(|&addr| LockOwner::new(locks, addr, waiter, launch)).next();
        Self {
            owner,
            unit: spin.unit,
            warp: spin.warp,
            lanes: std::array::from_fn(lane),
            pc: spin.pc,
            source: launch.position(spin.pc).map(str::to_owned),
            addresses,
            polling: lanes_of(spin.mask).collect(),
            behind: lanes_of(spin.behind).collect(),
        }
    }
}

impl Hang {
    pub fn new(h: &given_up::Hang, launch: &Launch) -> Self {
        let (locks, history) = (h.locks.as_ref(), &h.history);
        let (spinning, pool_shortage, warps) = match &h.model {
            Some(Standing { golden, awaited, shortage }) => {
                let spins = spins(golden);
                let spinning: Vec<_> = spins.iter().map(|spin| Spinning::new(spin, golden, locks, launch)).collect();
                let warps = resident(golden, Some(awaited), (&spins, &spinning), launch, history);
                (spinning, shortage.as_ref().map(PoolShortage::new), warps)
            }
            None => (Vec::new(), None, last_seen(launch, history, &h.waiting, locks)),
        };
        Self {
            kind: h.kind,
            cycle: Some(h.cycle),
            progress: Some(h.progress),
            warps,
            spinning,
            held: h.held.as_ref().map(words::held_since),
            exhausted_pool: h.exhausted_pool,
            pool_shortage,
            stalled: by_block(&h.stalled),
            waits: h
                .waits
                .iter()
                .cloned()
                .map(|Wait { block, stream, on }| WaitingBlock { block, stream, on })
                .collect(),
            left: h.left.iter().map(LeftOver::from).collect(),
        }
    }

    /// Of the model alone, which knows no cycles.
    pub fn of_model(kind: HangKind, golden: &Golden, locks: &Ownership, launch: &Launch) -> Self {
        let spins = spins(golden);
        let spinning: Vec<Spinning> =
            spins.iter().map(|spin| Spinning::new(spin, golden, Some(locks), launch)).collect();
        let nothing_retired = History::new(golden.config().units, golden.config().warps);
        Self {
            kind,
            cycle: None,
            progress: None,
            warps: resident(golden, None, (&spins, &spinning), launch, &nothing_retired),
            spinning,
            held: None,
            exhausted_pool: None,
            pool_shortage: None,
            stalled: vec![],
            waits: vec![],
            left: vec![],
        }
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

/// The semaphores that a thread waits for, with their owners and where those stand. The model alone
/// has no checkers beside it, but follows the semaphores itself.
fn awaited(thread: u16, golden: &Golden, awaiting: Option<&BTreeMap<u16, Vec<Awaited>>>, launch: &Launch) -> String {
    let owned = |Awaited { semaphore, owner, entry }: Awaited| {
        let entry = if entry { " (and for an entry of the pool)" } else { "" };
        let Some(owner) = owner else { return format!("semaphore {semaphore}{entry}, which is free") };
        if owner == thread {
            return format!("semaphore {semaphore}{entry}, which it owns itself");
        }
        let (unit, warp) = place_of(owner);
        let (units, warps) = (golden.config().units, golden.config().warps);
        let standing = (unit < units && warp < warps).then(|| golden.warp(unit, warp).standing()).flatten();
        let at = standing.map_or("has ended".to_owned(), |pc| format!("is at {}", place(pc, launch)));
        format!("semaphore {semaphore}{entry}, owned by unit {unit} warp {warp}, which {at}")
    };
    let alone = |semaphore| Awaited { semaphore, owner: golden.semaphores().owner(semaphore), entry: false };
    let semaphores: Vec<Awaited> = match awaiting {
        None => golden.semaphores().queued(thread).map(alone).collect(),
        Some(all) => all.get(&thread).cloned().unwrap_or_default(),
    };
    let all: Vec<String> = semaphores.into_iter().map(owned).collect();
    match all.is_empty() {
        true => "an acknowledgement that is not to come".to_owned(),
        false => all.join("; "),
    }
}

fn resident(
    golden: &Golden,
    awaiting: Option<&BTreeMap<u16, Vec<Awaited>>>,
    (spins, spinning): (&[Spin], &[Spinning]),
    launch: &Launch,
    history: &History,
) -> Vec<String> {
    let config = golden.config();
    let slots = (0..config.units).flat_map(|u| (0..config.shape(u).warps).map(move |w| (u, w)));
    let mut out = Vec::new();
    for (unit, warp) in slots {
        let slot = golden.warp(unit, warp);
        if slot.is_ended() && slot.in_flight() == 0 && slot.wait_count() == 0 {
            continue;
        }
        let mut lanes = Vec::new();
        let (wait, waiters) = slot.wait_place().unwrap_or_default();
        for lane in 0..LANES {
            lanes.push(match slot.lane_state(lane) {
                LaneState::Running if has_lane(waiters, lane) => {
                    format!("    lane {lane} waits at {}", place(wait, launch))
                }
                LaneState::Running => format!("    lane {lane} runs at {}", place(slot.pc(lane), launch)),
                LaneState::Blocked => {
                    // Its counter has gone on to the next instruction.
                    let barrier = slot.pc(lane).wrapping_sub(1);
                    format!("    lane {lane} is blocked at the barrier at {}", place(barrier, launch))
                }
                LaneState::Merging => {
                    let point = slot.pc(lane).wrapping_sub(1);
                    format!("    lane {lane} has stopped at the merge point at {}", place(point, launch))
                }
                LaneState::Splitting => {
                    let point = slot.pc(lane).wrapping_sub(1);
                    format!("    lane {lane} has stopped at the split point at {}", place(point, launch))
                }
                LaneState::Asleep => format!("    lane {lane} is asleep until its group splits"),
                LaneState::Ended => format!("    lane {lane} has ended"),
            });
        }
        let waits = match (slot.in_flight(), slot.next()) {
            _ if slot.is_waiting() || slot.is_ended() && slot.wait_count() > 0 => {
                format!("waits for {}", awaited(thread_id(unit, warp), golden, awaiting, launch))
            }
            (0, Some(_)) => "may issue".to_owned(),
            (0, None) if slot.is_asleep() => {
                let member = slot.launch().graphics.as_ref().and_then(|t| t.group).map_or(0, |g| g.member);
                let first = warp.saturating_sub(member.into());
                format!("waits for its group to split, whose member 0 is warp {first}")
            }
            (0, None) if slot.splitting() != 0 => "waits for the machine to split it".to_owned(),
            (0, None) if slot.merging() != 0 => "waits for the partner that it merges with".to_owned(),
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
        let owner = spinning.iter().find(|s| (s.unit, s.warp) == (unit, warp)).and_then(|s| s.owner.as_ref());
        lanes.extend(owner.map(|owner| format!("    {}", owner.text(launch))));
        out.push(format!("unit {unit} warp {warp} (group {group:?}): {waits}{last}\n{}", lanes.join("\n")));
    }
    out
}

/// Without a model. The last instruction of a warp that waits is the one that it waits in.
fn last_seen(launch: &Launch, history: &History, waiting: &[u16], locks: Option<&Ownership>) -> Vec<String> {
    let mut out = Vec::new();
    for unit in 0..history.units() {
        for warp in 0..history.warps() {
            if let Some((cycle, event)) = history.of(unit, warp).last() {
                let waits = waiting.get(unit).is_some_and(|slots| slots >> warp & 1 == 1);
                let how = if waits { "waits since cycle" } else { "last retired in cycle" };
                out.push(format!("unit {unit} warp {warp}: {how} {cycle}, {}", place(event.pc, launch)));
                // A warp that waits for a lock has tried to take it not long ago.
                let tried = |e: &&RetireEvent| decode(e.word()).is_ok_and(|i| i.op == Op::WALock);
                let owner = history.of(unit, warp).map(|(_, e)| e).filter(tried).last().and_then(|e| {
                    let address = e.value[lanes_of(e.mask).next()?];
                    let owner = LockOwner::new(locks, address, locks?.owner(address)?.who, launch)?;
                    // At the place where it was taken the last try may be the one that took it.
                    ((owner.unit, owner.warp) == (unit, warp) && owner.pc != e.pc).then_some(owner)
                });
                out.extend(owner.map(|owner| format!("    {}", owner.text(launch))));
            }
        }
    }
    out
}

impl Hang {
    /// Who waits for whom, and whom that leads to.
    fn write_waits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for WaitingBlock { block, stream, on } in &self.waits {
            let what = if stream.is_empty() { "its stream" } else { stream };
            writeln!(f, "  {block} waits for {} to take {what}", on.join(", "))?;
        }
        // A block also waits in which one waits, and one that is around it.
        let waits = |path: &str| self.waits.iter().any(|w| w.block == path || w.block.starts_with(&format!("{path}.")));
        let mut ends: Vec<&str> = self.waits.iter().flat_map(|w| &w.on).map(String::as_str).collect();
        ends.retain(|path| !waits(path));
        ends.sort_unstable();
        ends.dedup();
        match ends.is_empty() {
            true => Ok(()),
            false => writeln!(f, "  nothing that they offer is refused: {}; look there first", ends.join(", ")),
        }
    }
}

impl fmt::Display for Hang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.cycle.zip(self.progress)) {
            (HangKind::Stuck, Some((cycle, progress))) => {
                writeln!(f, "hang: nothing has happened since cycle {progress} (now {cycle})")?;
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
            let who = match &self.pool_shortage {
                Some(shortage) => shortage.to_string(),
                None => "an acquire waits for an entry".to_owned(),
            };
            writeln!(f, "  the pool of {entries} entries is exhausted: {who}; raise semaphore-pool")?;
        }
        for StalledBlock { block, streams } in &self.stalled {
            let names: Vec<&str> = streams.iter().map(|s| if s.is_empty() { "its stream" } else { s }).collect();
            writeln!(f, "  valid and never ready in {block}: {}", names.join(", "))?;
        }
        self.write_waits(f)?;
        for LeftOver { what, count, first, from } in &self.left {
            writeln!(f, "  {count} {what}, the first: {first}; they come from {from}")?;
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
