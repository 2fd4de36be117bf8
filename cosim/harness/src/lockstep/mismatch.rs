//! A mismatch with what a debugging session needs of the machine: where and when it was found, and
//! the last retirements of every warp slot. The words are made by [`crate::report::mismatch`].

use std::collections::VecDeque;

use super::finding::{Concern, Finding};
use crate::machine::ports::{Outputs, RetireEvent};

/// Retirements shown.
pub const SHOWN: usize = 16;

/// The last retirements of every warp slot.
#[derive(Clone, Debug)]
pub struct History {
    warps: usize,
    slots: Vec<VecDeque<(u64, RetireEvent)>>,
}

impl History {
    pub fn new(units: usize, warps: usize) -> Self {
        Self { warps, slots: vec![VecDeque::with_capacity(SHOWN + 1); units * warps] }
    }

    pub fn observe(&mut self, cycle: u64, outputs: &Outputs) {
        for (unit, event) in outputs.units.iter().enumerate().filter_map(|(i, u)| Some((i, u.retire?))) {
            if let Some(slot) = self.slots.get_mut(unit * self.warps + usize::from(event.warp)) {
                slot.push_back((cycle, event));
                if slot.len() > SHOWN {
                    slot.pop_front();
                }
            }
        }
    }

    pub fn units(&self) -> usize {
        self.slots.len() / self.warps
    }

    pub fn warps(&self) -> usize {
        self.warps
    }

    /// The last retirements of a slot, oldest first.
    pub fn of(&self, unit: usize, warp: usize) -> impl Iterator<Item = &(u64, RetireEvent)> {
        self.slots.get(unit * self.warps + warp).into_iter().flatten()
    }
}

/// Unit, warp slot, program counter.
pub type Place = (usize, usize, u16);

/// The first difference between machine and model.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Whose checker found it.
    pub concern: Concern,
    pub cycle: u64,
    pub place: Option<Place>,
    pub finding: Finding,
    /// Last retirements of the warp, oldest first.
    pub history: Vec<(u64, RetireEvent)>,
}
