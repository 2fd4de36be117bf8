//! A mismatch as a debugging session wants it: which checker, where and when, expected and seen
//! side by side with only the differing fields, the last retirements of the warp disassembled with
//! source positions, and the command that shows it again.

use std::fmt;

use serde::Serialize;

use super::words;
use crate::lockstep::mismatch as found;
use crate::machine::launch::Launch;
use crate::machine::ports::RetireEvent;

/// A field in which machine and model differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    pub name: String,
    pub expected: String,
    pub seen: String,
}

/// Where in a frame something is; what is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Number in the command list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<usize>,
    /// Number in the frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triangle: Option<usize>,
    /// Pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertex: Option<u32>,
    /// Line and column of the program that gave the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
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
    /// Of a frame: where in it, as far as it is known.
    #[serde(flatten)]
    pub key: Key,
    /// Of the first field that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    pub fields: Vec<Field>,
    /// Last retirements of the warp, oldest first.
    pub history: Vec<String>,
    /// The command that shows it again; filled in by who knows it.
    pub reproduce: Option<String>,
}

/// Retirements as text: cycle, mask, pc, instruction, source position.
fn listing(history: &[(u64, RetireEvent)], launch: &Launch) -> Vec<String> {
    let line = |(cycle, e): &(u64, RetireEvent)| {
        format!("cycle {cycle:>8}  {:04b}  {:>5}  {}", e.mask & 15, e.pc, launch.listing(e.pc))
    };
    history.iter().map(line).collect()
}

impl Key {
    fn new(key: &crate::lockstep::finding::Key, launch: &Launch) -> Self {
        let crate::lockstep::finding::Key { draw, triangle, x, y, sample, target, instance, index, pc } = *key;
        let source = pc.and_then(|pc| launch.position(pc)).map(str::to_owned);
        Self { draw, triangle, x, y, sample, target, instance, vertex: index, source }
    }
}

impl Mismatch {
    pub fn new(m: &found::Mismatch, launch: &Launch) -> Self {
        let field = |f| {
            let [name, expected, seen] = words::field(f);
            Field { name, expected, seen }
        };
        Self {
            checker: m.concern.name().to_owned(),
            cycle: m.cycle,
            unit: m.place.map(|p| p.0),
            warp: m.place.map(|p| p.1),
            pc: m.place.map(|p| p.2),
            instruction: m.place.map(|p| launch.listing(p.2)),
            what: match words::place_in_frame(&m.finding.key) {
                at if at.is_empty() => words::what(&m.finding.what),
                at => format!("{}: {at}", words::what(&m.finding.what)),
            },
            key: Key::new(&m.finding.key, launch),
            expected: m.finding.fields.first().map(|f| words::field(f)[1].clone()),
            actual: m.finding.fields.first().map(|f| words::field(f)[2].clone()),
            fields: m.finding.fields.iter().map(field).collect(),
            history: listing(&m.history, launch),
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
        if let Some(source) = &self.key.source {
            writeln!(f, "  the value is given away at {source}")?;
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
