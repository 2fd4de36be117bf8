//! Warps that wait by looking again and again (WW-11): found by running a copy of the model on for
//! one warp alone. If nothing that it reads changes without the others, its state comes again; what
//! it reads on the way is what it polls. Wrong would be to call a long calculation a spin: counters
//! and memory have to be the same, and of the registers those that decide how it goes on
//! ([`Relevance`]), and an atomic or load must be in the round.

use std::fmt;

use quadlock_isa::abi::LANES;

use crate::effect::{Effect, MemKind};
use crate::lanes::{lanes_of, Lanes};
use crate::model::Golden;
use crate::program::{Action, Program};
use crate::relevance::Relevance;
use crate::warp::{InFlight, LaneState, Work};

/// A warp that spins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spin {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// The instruction that polls: an atomic of the loop, or a load if there is none.
    pub pc: u16,
    /// It is an atomic.
    pub atomic: bool,
    /// Lanes that execute it.
    pub mask: u8,
    /// Address in each of these lanes, as accessed; of an operation performed once for the warp
    /// only the lowest of them counts.
    pub addr: [u32; LANES],
    /// It polls shared storage of the unit, else global memory.
    pub shared: bool,
    /// Lanes that perform it.
    pub performers: u8,
    /// What each performing lane finds.
    pub found: [u64; LANES],
    /// Lanes that wait at a higher counter meanwhile: they are not chosen before the spinning ones
    /// go on.
    pub behind: u8,
}

/// Instructions that the copy executes at most: a back-off may be long.
const LONGEST: usize = 1 << 15;

/// The state of a warp that is about to look at memory.
struct State {
    pc: [u16; LANES],
    lanes: [LaneState; LANES],
    regs: [Lanes; quadlock_isa::abi::REGISTERS],
    /// Who is to come late to a warp-wide atomic.
    encounter: Option<(u16, [bool; LANES], Option<[u32; 2]>)>,
    /// Of global memory and of the unit's shared storage.
    versions: (u64, u64),
}

impl State {
    fn new(golden: &Golden, unit: usize, warp: usize) -> Self {
        let versions = (golden.memory.version(), golden.shared[unit].version());
        let warp = golden.warp(unit, warp);
        Self { pc: warp.pc, lanes: warp.state, regs: warp.regs, encounter: warp.encounter.state(), versions }
    }

    fn same_place(&self, other: &Self) -> bool {
        (self.pc, self.lanes, self.encounter, self.versions) == (other.pc, other.lanes, other.encounter, other.versions)
    }

    /// In every lane the registers that decide how it goes on are the same.
    fn same_course(&self, other: &Self, relevance: &Relevance) -> bool {
        (0..LANES).all(|lane| {
            let decide = relevance.at(self.pc[lane]);
            let same = |r: usize| decide >> r & 1 == 0 || self.regs[r][lane] == other.regs[r][lane];
            (0..self.regs.len()).all(same)
        })
    }
}

/// What has happened since the state that is to come again.
struct Round {
    start: State,
    executed: Vec<bool>,
    /// Valid until an instruction is executed that was not before.
    relevance: Option<Relevance>,
    /// The first atomic, or the first load if there is none.
    poll: Option<Effect>,
}

impl Round {
    fn note(&mut self, effect: &Effect) {
        if let Some(executed) = self.executed.get_mut(usize::from(effect.pc)).filter(|e| !**e) {
            *executed = true;
            self.relevance = None;
        }
        let kind = |e: &Effect| e.mem.as_ref().map(|m| m.kind);
        let better = match kind(effect) {
            _ if effect.stored => false,
            None | Some(MemKind::Store) => false,
            Some(MemKind::Load) => self.poll.is_none(),
            Some(MemKind::Atomic(_)) => !matches!(self.poll.as_ref().and_then(kind), Some(MemKind::Atomic(_))),
        };
        if better {
            self.poll = Some(effect.clone());
        }
    }

    fn repeats(&mut self, program: &Program, now: &State) -> bool {
        let Self { start, executed, relevance, .. } = self;
        now.same_place(start)
            && now.same_course(start, relevance.get_or_insert_with(|| Relevance::new(program, executed)))
    }
}

impl Golden {
    /// Whether a warp, left alone, would repeat itself for ever, and what it polls then.
    pub fn spin(&self, unit: usize, warp: usize) -> Option<Spin> {
        let slot = &self.warps[self.index(unit, warp)?];
        if !slot.is_running() || slot.is_waiting() {
            return None;
        }
        let mut copy = self.clone();
        let in_flight: Vec<u64> = slot.in_flight.iter().map(|f| f.order).collect();
        let index = self.index(unit, warp)?;
        for order in in_flight {
            let half = copy.warps[index].in_flight.iter_mut().find(|f| f.order == order);
            if let Some(InFlight { work: Work::Access(access), progress: Some(progress), .. }) = half {
                access.perform_rest(&mut copy.memory, progress);
            }
            copy.complete(unit, warp, order).ok()?;
        }
        // A state that comes again after a number of looks at memory comes again after every
        // multiple of it: it is compared with those at powers of two.
        let mut round: Option<Round> = None;
        let (mut until, mut count) = (1, 0);
        for _ in 0..LONGEST {
            let (pc, _) = copy.warp(unit, warp).next()?;
            if matches!(self.programs[0].at(pc).action, Action::Memory(form) if form.kind != MemKind::Store) {
                let now = State::new(&copy, unit, warp);
                if round.as_mut().is_some_and(|r| r.repeats(&self.programs[0], &now)) {
                    return self.found(round?.poll?, &now);
                }
                count += 1;
                if count == until {
                    let executed = vec![false; self.programs[0].words.len()];
                    round = Some(Round { start: now, executed, relevance: None, poll: None });
                    (until, count) = (until * 2, 0);
                }
            }
            let effect = copy.step(unit, warp).ok()?;
            round.iter_mut().for_each(|r| r.note(&effect));
        }
        None
    }

    /// The report of a round that polls so and comes again.
    fn found(&self, poll: Effect, now: &State) -> Option<Spin> {
        let Effect { unit, warp, pc, mask, values, .. } = poll;
        let mem = poll.mem?;
        let atomic = matches!(mem.kind, MemKind::Atomic(_));
        let memory = if mem.shared { &self.shared[unit] } else { &self.memory };
        let addr = mem.addr.map(|addr| memory.effective(addr, mem.bytes));
        let loaded = values.map(|v| u64::from(v[0]));
        let waiting = (0..LANES).filter(|&l| now.lanes[l] == LaneState::Running && mask >> l & 1 == 0);
        Some(Spin {
            unit,
            warp,
            pc,
            atomic,
            mask,
            addr,
            shared: mem.shared,
            performers: mem.performers,
            found: if atomic { mem.old } else { loaded },
            behind: waiting.filter(|&l| now.pc[l] > pc).fold(0, |mask, lane| mask | 1 << lane),
        })
    }
}

/// Lane numbers of a mask in words.
fn lanes_text(mask: u8) -> String {
    let all: Vec<String> = lanes_of(mask).map(|l| l.to_string()).collect();
    format!("lane{} {}", if all.len() == 1 { "" } else { "s" }, all.join(", "))
}

impl fmt::Display for Spin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.atomic { "atomic" } else { "load" };
        let mut places: Vec<(u32, u64)> = lanes_of(self.performers).map(|l| (self.addr[l], self.found[l])).collect();
        places.sort_unstable();
        places.dedup();
        let memory = if self.shared { "shared " } else { "" };
        let places: Vec<String> =
            places.iter().map(|(addr, found)| format!("{memory}{addr:#010x}, which holds {found:#x}")).collect();
        let lanes = lanes_text(self.mask);
        write!(f, "spins: the {what} at pc {} polls {} ({lanes})", self.pc, places.join(" and "))?;
        match self.behind {
            0 => Ok(()),
            behind => write!(
                f,
                "; {} at higher counters {} not chosen meanwhile",
                lanes_text(behind),
                if behind.count_ones() == 1 { "is" } else { "are" }
            ),
        }
    }
}
