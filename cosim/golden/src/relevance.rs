//! Which registers decide what a loop does to memory and where it goes: liveness over the
//! instructions that a round executed, where a register counts as used only if an address, an
//! operand or datum of an access, a message or a branch depends on it. A count of attempts that
//! nothing looks at is not among them.
//!
//! A back-off waits by counting, and its branch looks at the count. Such a wait is a piece of
//! program without accesses that is left in one place only, whatever its branches do; the lanes in
//! it come out at its end before any lane goes on from there, because the lowest counter goes
//! first. So its branches decide nothing, if nothing that it writes is needed behind it. Wrong
//! would be to pass over a branch that can lead elsewhere: the loop would be called endless
//! although its count ends it. That a wait ends is taken for granted.

use quadlock_isa::{group_register, Op};

use crate::program::{Action, Decoded, Program};

/// Registers by bit.
pub(crate) type Set = u32;

/// A piece without accesses: first instruction, and the one behind the last, which is where it is
/// left.
#[derive(Clone, Copy, Debug)]
struct Wait {
    first: u16,
    end: u16,
}

impl Wait {
    fn contains(&self, pc: u16) -> bool {
        (self.first..self.end).contains(&pc)
    }

    /// The smallest such piece that has the branch and all the places that it leads to.
    fn around(program: &Program, branch: u16) -> Option<Self> {
        let mut wait = Self { first: branch, end: branch.checked_add(1)? };
        let mut checked = wait.first..wait.first;
        while checked != (wait.first..wait.end) {
            checked = wait.first..wait.end;
            for pc in checked.clone() {
                match program.at(pc).action {
                    Action::Alu(_) | Action::Function(_) | Action::Special(_) | Action::CrossLane(_) => {}
                    Action::Jump | Action::Branch { .. } => {
                        let target = program.at(pc).imm as u16;
                        wait.first = wait.first.min(target);
                        wait.end = wait.end.max(target);
                    }
                    _ => return None,
                }
            }
        }
        Some(wait)
    }
}

fn sources(i: &Decoded) -> Set {
    i.instr.map_or(0, |i| i.source_regs().iter().fold(0, |set, &r| set | 1 << r))
}

fn destinations(i: &Decoded) -> Set {
    let Some((first, count)) = i.instr.and_then(|i| i.dest_regs()) else { return 0 };
    (0..count).fold(0, |set, k| set | 1 << group_register(first, k))
}

/// By counter: the registers that decide.
#[derive(Clone, Debug)]
pub(crate) struct Relevance {
    /// Empty for instructions that the round does not execute.
    live: Vec<Set>,
}

impl Relevance {
    /// Of a round that has executed the marked instructions.
    pub fn new(program: &Program, executed: &[bool]) -> Self {
        let pcs = || executed.iter().enumerate().filter(|e| *e.1).map(|e| e.0 as u16);
        let is_branch = |pc: &u16| matches!(program.at(*pc).action, Action::Branch { .. });
        let mut waits: Vec<Wait> = pcs().filter(is_branch).filter_map(|pc| Wait::around(program, pc)).collect();
        // A lane may take another way through a wait the next time.
        let mut part = executed.to_vec();
        waits.iter().for_each(|w| part[usize::from(w.first)..usize::from(w.end)].fill(true));
        // What other lanes read wherever they are.
        let across = |pc: u16| {
            let i = program.at(pc);
            i.instr.filter(|i| matches!(i.op, Op::QShuf | Op::Ddx | Op::Ddy)).map_or(0, |i| 1 << i.a)
        };
        let everywhere = pcs().fold(0, |set, pc| set | across(pc));
        loop {
            let live = live(program, &part, &waits, everywhere);
            let needed = |w: &Wait| {
                let written = (w.first..w.end).fold(0, |set, pc| set | destinations(&program.at(pc)));
                written & (everywhere | live.get(usize::from(w.end)).copied().unwrap_or(0)) != 0
            };
            let before = waits.len();
            waits.retain(|w| !needed(w));
            if waits.len() == before {
                return Self { live };
            }
        }
    }

    /// The registers that decide how a lane goes on from a counter.
    pub fn at(&self, pc: u16) -> Set {
        self.live.get(usize::from(pc)).copied().unwrap_or(0)
    }
}

fn live(program: &Program, part: &[bool], waits: &[Wait], everywhere: Set) -> Vec<Set> {
    let mut live = vec![0; part.len()];
    loop {
        let mut changed = false;
        for pc in (0..part.len()).rev().filter(|&pc| part[pc]) {
            let (i, counter) = (program.at(pc as u16), pc as u16);
            let target = matches!(i.action, Action::Jump | Action::Branch { .. }).then_some(i.imm as u16);
            let next =
                (!matches!(i.action, Action::Jump | Action::End | Action::Trap(_))).then(|| counter.wrapping_add(1));
            let behind = |to: u16| live.get(usize::from(to)).copied().unwrap_or(0);
            let after = target.into_iter().chain(next).fold(everywhere, |set, to| set | behind(to));
            let written = destinations(&i);
            let matters = match i.action {
                Action::Branch { .. } => !waits.iter().any(|w| w.contains(counter)),
                Action::Alu(_) | Action::Function(_) | Action::Special(_) | Action::CrossLane(_) => {
                    written & after != 0
                }
                _ => true,
            };
            let before = everywhere | if matters { after & !written | sources(&i) } else { after };
            changed |= live[pc] != before;
            live[pc] = before;
        }
        if !changed {
            return live;
        }
    }
}
