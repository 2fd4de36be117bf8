//! The model alone: dispatches a grid or a thread list and runs its warps round robin, without
//! recording effects.
//!
//! A turn is up to `quantum` instructions of one warp. Inside a turn the counters of the active
//! lanes live in one variable until a branch, another lane's counter or the end of the turn.
//! Progress is watched exactly: if, at the same place of the round, all warps are as they were and
//! no byte of memory has changed in between, the machine would repeat itself for ever, and that is
//! a deadlock.

use std::ops::AddAssign;

use quadlock_isa::abi::LANES;
use quadlock_isa::ThreadRecord;

use crate::access::Access;
use crate::effect::MemKind;
use crate::grid::{Grid, Launch, NO_MERGE_POINT};
use crate::late::Kept;
use crate::model::{advance, alu_value, write_group, Golden};
use crate::program::{Action, Decoded};
use crate::semaphores::{place_of, thread_id, Message, MessageKind, Semaphores};
use crate::vertices::{graphics_values, output};
use crate::warp::{LaneState, Warp};

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Instructions executed by warps.
    pub warp_instructions: u64,
    /// Active lanes, summed over the warp instructions.
    pub lane_instructions: u64,
    /// Warps launched.
    pub warps: u64,
    /// Memory instructions, of both memories.
    pub memory_instructions: u64,
    /// Warp-wide atomics that late lanes did not execute again (WW-27); they count as memory
    /// instructions.
    pub late_arrivals: u64,
    /// Instructions that trapped.
    pub traps: u64,
    /// Accesses outside the memory.
    pub memory_faults: u64,
}

impl AddAssign for RunStats {
    fn add_assign(&mut self, more: RunStats) {
        self.warp_instructions += more.warp_instructions;
        self.lane_instructions += more.lane_instructions;
        self.warps += more.warps;
        self.memory_instructions += more.memory_instructions;
        self.late_arrivals += more.late_arrivals;
        self.traps += more.traps;
        self.memory_faults += more.memory_faults;
    }
}

/// Why a run by itself ended early. A report says who waits for what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum RunError {
    #[error("the grid is refused: {0}")]
    Refused(String),
    #[error("deadlock: the machine repeats itself without progress\n{report}")]
    Deadlock { report: String, stats: RunStats },
    #[error("not finished after {limit} warp instructions\n{report}")]
    Limit { limit: u64, report: String, stats: RunStats },
}

/// What is launched.
#[derive(Clone, Copy)]
enum Work<'a> {
    Grid(&'a Grid),
    /// A thread list, launched in this order.
    Threads(&'a [ThreadRecord]),
}

/// Hands out warps to free slots.
struct Dispatcher<'a> {
    work: Work<'a>,
    /// The next group of the grid, or the next thread.
    next: u64,
    warp_in_group: u32,
    group_slots: usize,
    /// The program needs a function unit.
    functions: bool,
}

impl Dispatcher<'_> {
    fn is_done(&self) -> bool {
        self.next
            >= match self.work {
                Work::Grid(grid) => grid.group_count(),
                Work::Threads(threads) => threads.len() as u64,
            }
    }

    fn launch(&mut self, golden: &mut Golden, grid: &Grid, (unit, warp): (usize, usize), group_slot: usize) {
        let ids = grid.launch_ids(self.next, self.warp_in_group);
        let launch = Launch::new(grid, &ids, unit, warp, self.warp_in_group, group_slot);
        let launched = golden.launch(&launch);
        debug_assert_eq!(launched, Ok(()));
        self.warp_in_group += 1;
        if self.warp_in_group == grid.warps_per_group() {
            self.warp_in_group = 0;
            self.next += 1;
        }
    }

    /// SE-43: the requests with acknowledge-suppress are set up before the thread, the others after
    /// it.
    fn launch_thread(&mut self, golden: &mut Golden, record: &ThreadRecord, (unit, warp): (usize, usize)) {
        let send = |golden: &mut Golden, suppress: bool| {
            for r in record.requests.iter().filter(|r| r.suppress == suppress) {
                let kind = MessageKind::Acquire { auto_release: r.auto_release, suppress };
                let message = Message { kind, semaphore: r.semaphore, thread: thread_id(unit, warp) };
                golden.deliver(&message, None);
            }
        };
        send(golden, true);
        let launched = golden.launch(&Launch::thread(record, unit, warp));
        debug_assert_eq!(launched, Ok(()));
        send(golden, false);
        self.next += 1;
    }

    /// Fills what is free; the number of warps launched.
    fn fill(&mut self, golden: &mut Golden) -> u64 {
        let mut count = 0;
        let per_group = match self.work {
            Work::Grid(grid) if grid.pinned => grid.warps_per_group() as usize,
            _ => 1,
        };
        for slot in 0..self.group_slots {
            for unit in 0..golden.config.units {
                let first = slot * per_group;
                let shape = golden.config.shape(unit);
                let able = first + per_group <= shape.warps && (shape.functions || !self.functions);
                let free = able && (first..first + per_group).all(|w| golden.warp(unit, w).is_free());
                if !free || self.is_done() {
                    continue;
                }
                match self.work {
                    Work::Grid(grid) => {
                        (first..first + per_group).for_each(|w| self.launch(golden, grid, (unit, w), slot));
                    }
                    Work::Threads(threads) => self.launch_thread(golden, &threads[self.next as usize], (unit, slot)),
                }
                count += per_group as u64;
            }
        }
        count
    }
}

/// Everything that decides how the run goes on, at the end of a round.
struct Snapshot {
    warps: Vec<Warp>,
    versions: Vec<u64>,
    semaphores: Option<Semaphores>,
    /// Warps launched so far: where the dispatcher stands.
    launched: u64,
    /// Round at which the next snapshot is taken.
    until: u64,
}

impl Golden {
    /// Instructions of one warp before the next one has its turn in [`Golden::run_grid`]; at
    /// least 1. Any value is legal.
    pub fn set_quantum(&mut self, quantum: u32) {
        self.quantum = quantum.max(1);
    }

    /// Runs a whole grid, at most `limit` warp instructions.
    pub fn run_grid(&mut self, grid: &Grid, limit: u64) -> Result<RunStats, RunError> {
        let fit = grid.fit(self.able_warps()?, self.config.shared_words).map_err(RunError::Refused)?;
        let group_slots = if grid.pinned && grid.group_slots > 0 { grid.group_slots } else { fit };
        if !self.is_idle() {
            return Err(RunError::Refused("the machine is not idle".into()));
        }
        self.dispatch(Work::Grid(grid), group_slots, limit)
    }

    /// Runs a list of threads, launched in this order, at most `limit` warp instructions. A message
    /// has its effect when it is sent.
    pub fn run_threads(&mut self, threads: &[ThreadRecord], limit: u64) -> Result<RunStats, RunError> {
        if let Some(n) = threads.iter().position(|t| t.mask & 15 == 0) {
            return Err(RunError::Refused(format!("thread {n} has an empty lane mask")));
        }
        if !self.is_idle() {
            return Err(RunError::Refused("the machine is not idle".into()));
        }
        let warps = self.able_warps()?;
        self.dispatch(Work::Threads(threads), warps, limit)
    }

    /// Most warp slots of a unit that can run the program (SE-3).
    fn able_warps(&self) -> Result<usize, RunError> {
        let needed = self.programs[0].needs_functions();
        let shapes = (0..self.config.units).map(|u| self.config.shape(u)).filter(|s| s.functions || !needed);
        let refused = || RunError::Refused("the program needs a function unit, which no unit has".into());
        shapes.map(|s| s.warps).max().ok_or_else(refused)
    }

    fn dispatch(&mut self, work: Work<'_>, group_slots: usize, limit: u64) -> Result<RunStats, RunError> {
        let mut stats = RunStats::default();
        let mut dispatcher =
            Dispatcher { work, next: 0, warp_in_group: 0, group_slots, functions: self.programs[0].needs_functions() };
        let mut snapshot =
            Snapshot { warps: Vec::new(), versions: Vec::new(), semaphores: None, launched: 0, until: 64 };
        let (traps, faults) = (self.trap_count, self.fault_count);
        for round in 0u64.. {
            let launched = dispatcher.fill(self);
            stats.warps += launched;
            let before = stats.warp_instructions;
            for index in 0..self.warps.len() {
                if self.warps[index].is_running() {
                    self.turn(index, &mut stats);
                }
            }
            stats.traps = self.trap_count - traps;
            stats.memory_faults = self.fault_count - faults;
            if dispatcher.is_done() && self.is_idle() {
                break;
            }
            let still = launched == 0 && stats.warp_instructions == before;
            if still || self.repeats(&mut snapshot, round, stats.warps) {
                return Err(RunError::Deadlock { report: self.where_it_is(), stats });
            }
            if stats.warp_instructions >= limit {
                return Err(RunError::Limit { limit, report: self.where_it_is(), stats });
            }
        }
        Ok(stats)
    }

    fn versions(&self) -> Vec<u64> {
        std::iter::once(&self.memory).chain(&self.shared).map(|m| m.version()).collect()
    }

    /// Whether all state equals the snapshot's. Snapshots are taken at rounds that double, so every
    /// cycle is found.
    fn repeats(&self, snapshot: &mut Snapshot, round: u64, launched: u64) -> bool {
        let same = |(a, b): (&Warp, &Warp)| {
            a.pc == b.pc
                && a.state == b.state
                && a.regs == b.regs
                && (a.wait_count, a.waiting) == (b.wait_count, b.waiting)
                && a.encounter.state() == b.encounter.state()
        };
        let taken = snapshot.warps.len() == self.warps.len() && launched == snapshot.launched;
        let lists = snapshot.semaphores.as_ref() == Some(&self.semaphores);
        if taken && lists && self.warps.iter().zip(&snapshot.warps).all(same) && self.versions() == snapshot.versions {
            return true;
        }
        if round >= snapshot.until {
            let (warps, semaphores) = (self.warps.clone(), Some(self.semaphores.clone()));
            *snapshot = Snapshot { warps, versions: self.versions(), semaphores, launched, until: round * 2 };
        }
        false
    }

    /// What a thread waits for, in words, as the model's lists have it: each semaphore with its
    /// owner.
    pub fn semaphores_awaited(&self, thread: u16) -> String {
        let owned = |s: u16| match self.semaphores.owner(s).map(place_of) {
            Some((unit, warp)) => format!("semaphore {s}, which unit {unit} warp {warp} owns"),
            None => format!("semaphore {s}"),
        };
        let all: Vec<String> = self.semaphores.queued(thread).map(owned).collect();
        match all.is_empty() {
            true => "an acknowledgement that nobody will send".to_owned(),
            false => all.join(" and "),
        }
    }

    /// Lanes that have not ended, one line per warp, and what waiting threads wait for.
    pub fn where_it_is(&self) -> String {
        let mut lines = Vec::new();
        for w in self.warps.iter().filter(|w| w.wait_count > 0) {
            let Launch { unit, warp, .. } = w.launch;
            let what = self.semaphores_awaited(thread_id(unit, warp));
            let how = match (w.is_ended(), w.waiting) {
                (true, _) => "has ended but keeps its slot for",
                (_, true) => "waits for",
                _ => "will wait for",
            };
            lines.push(format!("  unit {unit} warp {warp} {how} {what}"));
        }
        for w in self.warps.iter().filter(|w| !w.is_ended()) {
            let (wait, waiters) = w.wait_place().unwrap_or_default();
            let lanes: Vec<String> = (0..LANES)
                .map(|l| match w.state[l] {
                    LaneState::Running if waiters >> l & 1 == 1 => format!("lane {l} waiting at {wait}"),
                    LaneState::Running => format!("lane {l} running at {}", w.pc[l]),
                    // Its counter has gone on to the next instruction.
                    LaneState::Blocked => format!("lane {l} at the barrier at {}", w.pc[l].wrapping_sub(1)),
                    LaneState::Merging => format!("lane {l} at the merge point at {}", w.pc[l].wrapping_sub(1)),
                    LaneState::Splitting => format!("lane {l} at the split point at {}", w.pc[l].wrapping_sub(1)),
                    LaneState::Asleep => format!("lane {l} asleep until its group splits"),
                    LaneState::Ended => format!("lane {l} ended"),
                })
                .collect();
            lines.push(format!("  unit {} warp {}: {}", w.launch.unit, w.launch.warp, lanes.join(", ")));
            if let Some(spin) = self.spin(w.launch.unit, w.launch.warp) {
                lines.push(format!("    {spin}"));
            }
        }
        lines.join("\n")
    }

    /// Runs the warp of that number until it ends, waits, or has executed `limit` instructions.
    pub(crate) fn run_warp(&mut self, index: usize, limit: u64, stats: &mut RunStats) {
        let tags = self.warps[index].launch.graphics.as_ref();
        let has_point = tags.is_some_and(|tags| tags.cutoff != NO_MERGE_POINT);
        if has_point && self.ends_helpers(index) {
            return self.step_warp(index, limit, stats);
        }
        while self.warps[index].is_running() && stats.warp_instructions < limit {
            let before = stats.warp_instructions;
            self.turn(index, stats);
            if stats.warp_instructions == before {
                return;
            }
        }
    }

    /// The same, one instruction after the other: lanes may end where they meet a merge point, and
    /// `stretch` does not look for that.
    fn step_warp(&mut self, index: usize, limit: u64, stats: &mut RunStats) {
        let (unit, warp) = (index / self.config.warps, index % self.config.warps);
        while self.warps[index].is_running() && stats.warp_instructions < limit {
            let Ok(effect) = self.step(unit, warp) else { return };
            stats.warp_instructions += 1;
            stats.lane_instructions += u64::from(effect.mask.count_ones());
            stats.memory_instructions += u64::from(effect.mem.is_some());
        }
    }

    /// Up to `quantum` instructions of one warp.
    fn turn(&mut self, index: usize, stats: &mut RunStats) {
        let mut left = self.quantum;
        while left > 0 {
            let Some((pc, mask)) = self.warps[index].next().filter(|_| !self.warps[index].waiting) else { return };
            let executed = self.stretch(index, pc, mask, left, stats);
            left -= executed;
            stats.warp_instructions += u64::from(executed);
            stats.lane_instructions += u64::from(executed * mask.count_ones());
        }
    }

    /// Instructions with one and the same active mask: until a control instruction, a lane that
    /// joins, or `limit`.
    fn stretch(&mut self, index: usize, start: u16, mask: u8, limit: u32, stats: &mut RunStats) -> u32 {
        let join = self.warps[index].other_pc(mask);
        let functions = self.config.shape(index / self.config.warps).functions;
        let program = self.warps[index].program;
        let mut pc = start;
        let mut count = 0;
        while count < limit && (count == 0 || Some(pc) != join) {
            let i = self.programs[program].at_unit(pc, functions);
            count += 1;
            if !matches!(i.action, Action::Memory(form) if form.warp_wide) {
                self.encounter(index, pc, mask, &i);
            }
            match i.action {
                Action::Alu(_) | Action::Special(_) | Action::CrossLane(_) | Action::Function(_) => {
                    let slot = &mut self.warps[index];
                    let value = alu_value(slot, &i, mask, &self.config);
                    slot.write(i.d, mask, &value);
                }
                Action::Graphics(form) if form.is_deferred() => {
                    let slot = &mut self.warps[index];
                    let values = graphics_values(slot, &self.primitives, form);
                    output(slot, &i, form, mask);
                    write_group(slot, mask, i.d, form.words(), &values);
                }
                Action::Memory(_) => {
                    stats.memory_instructions += 1;
                    self.access(index, pc, mask, &i, stats);
                }
                _ => {
                    advance(&mut self.warps[index], mask, pc.wrapping_add(1));
                    self.warps[index].order += count as u64;
                    self.control(index, pc, mask, &i);
                    return count;
                }
            }
            pc = pc.wrapping_add(1);
            if pc == 0 {
                // Wrapped: other lanes may now be above.
                break;
            }
        }
        let slot = &mut self.warps[index];
        advance(slot, mask, pc);
        slot.order += count as u64;
        count
    }

    fn access(&mut self, index: usize, pc: u16, mask: u8, i: &Decoded, stats: &mut RunStats) {
        let Action::Memory(form) = i.action else { return };
        if form.warp_wide {
            let kept = self.kept(index, pc, mask, i);
            self.encounter(index, pc, mask, i);
            if let Some(Kept::Words([low, high])) = kept {
                let words = [[low, high, 0, 0]; LANES];
                write_group(&mut self.warps[index], mask, i.d, form.words(), &words);
                stats.late_arrivals += 1;
                return;
            }
        }
        let slot = &mut self.warps[index];
        let mut access = Access::capture(|r| slot.read(r), i, form, slot.performing(i, form, mask), self.config.fault);
        if let Some(bounds) = self.bounds.as_mut().filter(|_| !form.shared && form.kind != MemKind::Load) {
            access.performers = bounds.inside(slot, pc, &access, &self.memory);
        }
        let memory = if form.shared { &mut self.shared[slot.launch.unit] } else { &mut self.memory };
        let outcome = access.perform(memory, self.config.fault);
        if let Some(watch) = self.watch.as_mut().filter(|_| !form.shared) {
            watch.note(slot, pc, &access, memory, &outcome);
        }
        if form.warp_wide {
            slot.encounter.completed(slot.order, mask, &outcome);
        }
        if form.kind != MemKind::Store {
            write_group(slot, access.mask, i.d, form.words(), &outcome.values);
        }
        if outcome.fault != 0 {
            self.note_faults(index, pc, &access, outcome.fault);
        }
    }
}
