//! A mismatch as a debugging session wants it: which checker, where and when, expected and seen side by side with only the differing fields, the
//! last retirements of the warp disassembled with source positions, and the command that shows it again.

use std::collections::VecDeque;
use std::fmt;

use serde::Serialize;

use super::checkers::{Field, Finding};
use crate::machine::launch::Launch;
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

    /// As text: cycle, mask, pc, instruction, source position.
    pub fn listing(&self, unit: usize, warp: usize, launch: &Launch) -> Vec<String> {
        let line = |(cycle, e): &(u64, RetireEvent)| {
            format!("cycle {cycle:>8}  {:04b}  {:>5}  {}", e.mask & 15, e.pc, launch.listing(e.pc))
        };
        self.of(unit, warp).map(line).collect()
    }
}

/// The first difference between machine and model.
#[derive(Clone, Debug, Serialize)]
pub struct Mismatch {
    /// Name of the checker that found it.
    pub checker: String,
    pub cycle: u64,
    pub unit: Option<usize>,
    pub warp: Option<usize>,
    pub pc: Option<u16>,
    /// The instruction with its source position.
    pub instruction: Option<String>,
    pub what: String,
    pub fields: Vec<Field>,
    /// Last retirements of the warp, oldest first.
    pub history: Vec<String>,
    /// The command that shows it again; filled in by who knows it.
    pub reproduce: Option<String>,
}

impl Mismatch {
    pub fn new(
        checker: &str,
        cycle: u64,
        place: Option<(usize, usize, u16)>,
        finding: Finding,
        launch: &Launch,
        history: &History,
    ) -> Self {
        Self {
            checker: checker.to_owned(),
            cycle,
            unit: place.map(|p| p.0),
            warp: place.map(|p| p.1),
            pc: place.map(|p| p.2),
            instruction: place.map(|p| launch.listing(p.2)),
            what: finding.what,
            fields: finding.fields,
            history: place.map_or_else(Vec::new, |p| history.listing(p.0, p.1, launch)),
            reproduce: None,
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "mismatch found by checker `{}` in cycle {}: {}", self.checker, self.cycle, self.what)?;
        if let (Some(unit), Some(warp), Some(pc)) = (self.unit, self.warp, self.pc) {
            let instruction = self.instruction.as_deref().unwrap_or_default();
            writeln!(f, "  unit {unit} warp {warp} pc {pc}: {instruction}")?;
        }
        if !self.fields.is_empty() {
            let width = |get: fn(&Field) -> &String, least: usize| {
                self.fields.iter().map(|x| get(x).chars().count()).max().unwrap_or(0).max(least)
            };
            let (name, expected) = (width(|x| &x.name, 5), width(|x| &x.expected, 8));
            writeln!(f, "  {:name$}  {:expected$}  seen", "field", "expected")?;
            for x in &self.fields {
                writeln!(f, "  {:name$}  {:expected$}  {}", x.name, x.expected, x.seen)?;
            }
        }
        if !self.history.is_empty() {
            writeln!(f, "  last retirements of the warp (cycle, lanes 3..0, pc):")?;
            for line in &self.history {
                writeln!(f, "    {line}")?;
            }
        }
        match &self.reproduce {
            Some(command) => writeln!(f, "  again: {command}"),
            None => Ok(()),
        }
    }
}
