//! In how many cycles a unit issues, of those in which fragments are in it. A warp is counted from
//! its launch to the last thing that it retires or completes, since a slot's becoming free is no
//! event. Wrong would be to count issues of vertex warps only: a cycle in which anything issues
//! counts, and a unit without fragments does not.

use std::collections::HashMap;

use crate::machine::ports::Outputs;

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;

/// Counts of all units.
#[derive(Debug, Default)]
pub struct Occupancy {
    /// By unit and slot: launch and last event of its fragment warp.
    slots: HashMap<(usize, u8), (u64, u64)>,
    /// By unit: cycles from and to, both included.
    spans: Vec<Vec<(u64, u64)>>,
    /// By unit: a bit for each cycle in which it issues.
    issues: Vec<Vec<u64>>,
}

impl Occupancy {
    /// Takes in a cycle.
    pub fn cycle(&mut self, cycle: u64, outputs: &Outputs) {
        let units = outputs.units.len();
        self.spans.resize(units, vec![]);
        self.issues.resize(units, vec![]);
        for (unit, events) in outputs.units.iter().enumerate() {
            let retired = events.retire.map(|r| r.warp);
            let completed = events.completion.as_ref().map(|c| c.warp);
            for warp in retired.into_iter().chain(completed) {
                if let Some(slot) = self.slots.get_mut(&(unit, warp)) {
                    slot.1 = cycle;
                }
            }
            if events.issue {
                let word = (cycle / 64) as usize;
                self.issues[unit].resize(word + 1, 0);
                self.issues[unit][word] |= 1 << (cycle % 64);
            }
        }
        if let Some(launch) = &outputs.launch {
            let slot = (usize::from(launch.unit), launch.warp);
            if let Some(span) = self.slots.remove(&slot) {
                self.spans[slot.0].push(span);
            }
            if outputs.graphics.launch.as_ref().is_some_and(|l| l.kind == FRAGMENT) {
                self.slots.insert(slot, (cycle, cycle));
            }
        }
    }

    /// Cycles of all units with fragments in them, and those of them in which the unit issues.
    pub fn figures(mut self) -> (u64, u64) {
        for ((unit, _), span) in self.slots.drain() {
            self.spans[unit].push(span);
        }
        let (mut cycles, mut issues) = (0, 0);
        for (spans, issued) in self.spans.iter_mut().zip(&self.issues) {
            spans.sort_unstable();
            let mut next = 0;
            for &(from, to) in spans.iter() {
                for cycle in from.max(next)..=to {
                    cycles += 1;
                    issues += issued.get((cycle / 64) as usize).map_or(0, |word| word >> (cycle % 64) & 1);
                }
                next = next.max(to + 1);
            }
        }
        (cycles, issues)
    }
}

#[cfg(test)]
mod tests {
    use quadlock_hdl::ports::GraphicsLaunched;

    use super::*;
    use crate::machine::ports::{GraphicsOutputs, LaunchEvent, RetireEvent, UnitOutputs};

    /// Two fragment warps, from 2 to 9 and from 4 to 12, a vertex warp from 20 on; issues in every
    /// third cycle.
    #[test]
    fn cycles_with_fragments_count_once() {
        let mut o = Occupancy::default();
        for cycle in 0..40u64 {
            let launch = |warp, kind| {
                let graphics = GraphicsOutputs {
                    launch: Some(GraphicsLaunched { kind, ..GraphicsLaunched::default() }),
                    ..GraphicsOutputs::default()
                };
                (Some(LaunchEvent { warp, ..LaunchEvent::default() }), graphics)
            };
            let (event, graphics) = match cycle {
                2 => launch(0, 2),
                4 => launch(1, 2),
                20 => launch(0, 1),
                _ => (None, GraphicsOutputs::default()),
            };
            let warp = match cycle {
                9 => Some(0),
                12 => Some(1),
                _ => None,
            };
            let retire = warp.map(|warp| RetireEvent { warp, ..RetireEvent::default() });
            let unit = UnitOutputs { issue: cycle % 3 == 0, retire, ..UnitOutputs::default() };
            o.cycle(cycle, &Outputs { units: vec![unit], launch: event, graphics, ..Outputs::default() });
        }
        // Cycles 2 to 12; of them 3, 6, 9, 12.
        assert_eq!(o.figures(), (11, 4));
    }
}
