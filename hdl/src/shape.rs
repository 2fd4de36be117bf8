//! Cores of different function (SE-3): what a core has, and where the units and warp slots of a
//! machine lie whose cores differ. A machine is described by what all cores have
//! ([`GpuConfig::units`], [`GpuConfig::warps`], [`GpuConfig::function_unit`]) and by what single
//! cores have instead ([`GpuConfig::differing`]). Every block and everybody outside asks here where
//! a unit lies, so there is one numbering: cores row by row, units core by core. Wrong if somebody
//! multiplies by himself; the lockstep run of a mixed machine shows it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::config::{switch, GpuConfig};

/// What one core has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoreShape {
    /// Warp units, 1 to 8.
    pub units: usize,
    /// Warp slots per unit, 2 to 16.
    pub warps: usize,
    /// Every unit has a function unit; else the function instructions are undefined operations.
    pub function_unit: bool,
}

/// A warp unit of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnitPlace {
    /// Number of its core: row * cores + column.
    pub core: usize,
    /// Its number in the core.
    pub unit: usize,
    /// Its warp slots.
    pub warps: usize,
    /// Warp slots of the units before it: the number of its first one in the machine.
    pub first_slot: usize,
    /// It has a function unit.
    pub function_unit: bool,
}

impl GpuConfig {
    /// Cores of the machine.
    pub fn total_cores(&self) -> usize {
        self.rows * self.cores
    }

    /// What core number `core` (row * cores + column) has.
    pub fn core(&self, core: usize) -> CoreShape {
        let columns = self.cores.max(1);
        let change = self.differing.get(&(core / columns, core % columns)).copied().unwrap_or_default();
        CoreShape {
            units: change.units.unwrap_or(self.units),
            warps: change.warps.unwrap_or(self.warps),
            function_unit: change.function_unit.unwrap_or(self.function_unit),
        }
    }

    /// What every core has, by number.
    pub fn core_shapes(&self) -> Vec<CoreShape> {
        (0..self.total_cores()).map(|core| self.core(core)).collect()
    }

    /// The parameters of a machine all of whose cores are like core number `core`: what the blocks
    /// inside that core are made with.
    pub fn of_core(&self, core: usize) -> Self {
        let CoreShape { units, warps, function_unit } = self.core(core);
        // Whether there are pairs of groups is a matter of the smallest core.
        let merge_split = self.twins();
        Self { units, warps, function_unit, merge_split, differing: BTreeMap::new(), ..self.clone() }
    }

    /// Some core differs from another one.
    pub fn is_mixed(&self) -> bool {
        self.core_shapes().windows(2).any(|pair| pair[0] != pair[1])
    }

    /// Every warp unit by its number in the machine.
    pub fn unit_places(&self) -> Vec<UnitPlace> {
        let mut places = Vec::new();
        let mut first_slot = 0;
        for (core, shape) in self.core_shapes().into_iter().enumerate() {
            for unit in 0..shape.units {
                let CoreShape { warps, function_unit, .. } = shape;
                places.push(UnitPlace { core, unit, warps, first_slot, function_unit });
                first_slot += warps;
            }
        }
        places
    }

    /// Warp units of the machine.
    pub fn total_units(&self) -> usize {
        self.core_shapes().iter().map(|c| c.units).sum()
    }

    /// Warp slots of the machine.
    pub fn total_slots(&self) -> usize {
        self.core_shapes().iter().map(|c| c.units * c.warps).sum()
    }

    /// Number of the first unit of core number `core`; of one more than there are, the number of
    /// units.
    pub fn first_unit(&self, core: usize) -> usize {
        (0..core).map(|c| self.core(c).units).sum()
    }

    /// Warp units of a row.
    pub fn row_units(&self, row: usize) -> usize {
        self.first_unit((row + 1) * self.cores) - self.first_unit(row * self.cores)
    }

    /// Row of the unit of that number; a number that no unit has is in the last row.
    pub fn row_of_unit(&self, unit: usize) -> usize {
        (1..self.rows).rev().find(|&row| unit >= self.first_unit(row * self.cores)).unwrap_or(0)
    }

    /// Core of the unit of that number; a number that no unit has is in the last core.
    pub fn core_of_unit(&self, unit: usize) -> usize {
        (1..self.total_cores()).rev().find(|&core| unit >= self.first_unit(core)).unwrap_or(0)
    }

    /// Most warp slots that a unit has.
    pub fn most_warps(&self) -> usize {
        self.core_shapes().iter().map(|c| c.warps).max().unwrap_or(self.warps)
    }

    /// Warp slots of the unit of that number; 0 if there is none.
    pub fn warps_of_unit(&self, unit: usize) -> usize {
        self.unit_places().get(unit).map_or(0, |p| p.warps)
    }

    /// Changes one core, as `core.ROW.COLUMN.units=1` does; `-` in a key counts as `_`.
    pub(crate) fn set_core(&mut self, key: &str, value: &str) -> Result<(), String> {
        let parts: Vec<&str> = key.split('.').collect();
        let [_, row, column, what] = parts[..] else {
            return Err(format!("{key}={value}: write core.ROW.COLUMN.units, .warps or .function-unit"));
        };
        let place = |text: &str| text.parse::<usize>().map_err(|_| format!("{key}: `{text}` is not a row or column"));
        let number = || value.parse().map_err(|_| format!("{key}={value}: `{value}` is not a whole number"));
        let (row, column) = (place(row)?, place(column)?);
        let mut change = self.differing.get(&(row, column)).copied().unwrap_or_default();
        match what {
            "units" => change.units = Some(number()?),
            "warps" => change.warps = Some(number()?),
            "function_unit" => change.function_unit = Some(switch(key, value)?),
            _ => return Err(format!("{key}: a core has no `{what}`; known: units, warps, function-unit")),
        }
        self.differing.insert((row, column), change);
        Ok(())
    }

    /// The changed cores in the words of [`GpuConfig::set`], in order:
    /// `core.0.1.units=1 core.0.1.function_unit=off`.
    pub fn differing_text(&self) -> String {
        let mut text = String::new();
        for ((row, column), change) in &self.differing {
            let mut add = |what: &str, value: Option<String>| {
                if let Some(value) = value {
                    let gap = if text.is_empty() { "" } else { " " };
                    write!(text, "{gap}core.{row}.{column}.{what}={value}").expect("write to a string");
                }
            };
            add("units", change.units.map(|n| n.to_string()));
            add("warps", change.warps.map(|n| n.to_string()));
            add("function_unit", change.function_unit.map(|on| if on { "on" } else { "off" }.to_string()));
        }
        text
    }

    /// The first core that cannot be, in words.
    pub(crate) fn check_cores(&self) -> Result<(), String> {
        for (row, column) in self.differing.keys() {
            if *row >= self.rows || *column >= self.cores {
                let (rows, cores) = (self.rows, self.cores);
                return Err(format!(
                    "core.{row}.{column}: the machine has {rows} rows of {cores} cores, counted from 0"
                ));
            }
        }
        for (core, shape) in self.core_shapes().into_iter().enumerate() {
            let (row, column) = (core / self.cores, core % self.cores);
            for (name, value, low, high) in [("units", shape.units, 1, 8), ("warps", shape.warps, 2, 16)] {
                if !(low..=high).contains(&value) {
                    return Err(format!("core.{row}.{column}.{name} = {value} is out of range: {low} to {high}"));
                }
            }
        }
        Ok(())
    }
}
