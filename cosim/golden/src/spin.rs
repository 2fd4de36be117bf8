//! Warps that wait by looking again and again (WW-11): found by running a copy of the model on for one warp alone. If nothing that it reads changes without
//! the others, its state comes again; what it reads on the way is what it polls. Wrong would be to call a long calculation a spin: the state has to be the same, registers,
//! counters and memory, and an atomic or load must be in the round.

use std::fmt;

use quadlock_isa::abi::LANES;

use crate::alu::Lanes;
use crate::effect::MemKind;
use crate::model::Golden;
use crate::warp::{lanes_of, InFlight, LaneState, Warp, Work};

/// A warp that spins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spin {
    pub unit: usize,
    pub warp: usize,
    /// The instruction that polls: an atomic of the loop, or a load if there is none.
    pub pc: u16,
    pub atomic: bool,
    /// Lanes that execute it.
    pub mask: u8,
    /// Address in each of these lanes, as accessed; of an operation performed once for the warp only the lowest of them counts.
    pub addr: [u32; LANES],
    pub shared: bool,
    /// Lanes that perform it.
    pub performers: u8,
    /// What each performing lane finds.
    pub found: [u64; LANES],
    /// Lanes that wait at a higher counter meanwhile: they are not chosen before the spinning ones go on.
    pub behind: u8,
}

/// Instructions that the copy executes at most.
const LONGEST: usize = 4096;

/// What decides how a warp alone goes on, besides memory.
type State = ([u16; LANES], [LaneState; LANES], [Lanes; quadlock_isa::abi::REGISTERS]);

fn state(warp: &Warp) -> State {
    (warp.pc, warp.state, warp.regs)
}

impl Golden {
    /// Whether a warp, left alone, would repeat itself for ever, and what it polls then.
    pub fn spin(&self, unit: usize, warp: usize) -> Option<Spin> {
        let slot = &self.warps[self.index(unit, warp)?];
        if !slot.is_running() || slot.is_waiting() {
            return None;
        }
        let mut copy = self.clone();
        let in_flight: Vec<u8> = slot.in_flight.iter().map(|f| f.seq).collect();
        let index = self.index(unit, warp)?;
        for seq in in_flight {
            let half = copy.warps[index].in_flight.iter_mut().find(|f| f.seq == seq);
            if let Some(InFlight { work: Work::Access(access), progress: Some(progress), .. }) = half {
                access.perform_rest(&mut copy.memory, progress);
            }
            copy.complete(unit, warp, seq).ok()?;
        }
        // A state that comes again after a number of instructions comes again after every multiple of it: it is compared at powers of two.
        let mut start = (state(copy.warp(unit, warp)), copy.memory.version(), copy.shared[unit].version());
        let (mut polls, mut until, mut count) = (Vec::new(), 1, 0);
        for _ in 0..LONGEST {
            let effect = copy.step(unit, warp).ok()?;
            if let Some(mem) = effect.mem.filter(|m| m.kind != MemKind::Store) {
                polls.push((effect.pc, effect.mask, mem, effect.values));
            }
            count += 1;
            let now = (state(copy.warp(unit, warp)), copy.memory.version(), copy.shared[unit].version());
            if now == start {
                let is_atomic = |p: &&(u16, u8, crate::effect::MemEffect, [[u32; 4]; LANES])| {
                    matches!(p.2.kind, MemKind::Atomic(_))
                };
                let (pc, mask, mem, values) = polls.iter().find(is_atomic).or(polls.first())?;
                let atomic = matches!(mem.kind, MemKind::Atomic(_));
                let memory = if mem.shared { &self.shared[unit] } else { &self.memory };
                let addr = mem.addr.map(|addr| memory.effective(addr, mem.bytes));
                let loaded = values.map(|v| u64::from(v[0]));
                let waiting = (0..LANES).filter(|&l| now.0 .1[l] == LaneState::Running && mask >> l & 1 == 0);
                return Some(Spin {
                    unit,
                    warp,
                    pc: *pc,
                    atomic,
                    mask: *mask,
                    addr,
                    shared: mem.shared,
                    performers: mem.performers,
                    found: if atomic { mem.old } else { loaded },
                    behind: waiting.filter(|&l| now.0 .0[l] > *pc).fold(0, |mask, lane| mask | 1 << lane),
                });
            }
            if count == until {
                start = now;
                (until, count) = (until * 2, 0);
                polls.clear();
            }
        }
        None
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
