//! Several dispatches in one report: counts are added, and rates are of the sums. Wrong would be a
//! figure of one dispatch that passes for one of all: every field is named here.

use std::ops::AddAssign;

use super::{ratio, IssueSlots, Report, Transactions, Verdict};

/// Both or nothing: a count that one dispatch does not know is unknown.
fn both<T: AddAssign + Copy>(all: &mut Option<T>, next: Option<T>) {
    match (all.as_mut(), next) {
        (Some(all), Some(next)) => *all += next,
        _ => *all = None,
    }
}

impl AddAssign for IssueSlots {
    fn add_assign(&mut self, next: IssueSlots) {
        self.total += next.total;
        self.used += next.used;
        self.no_warp += next.no_warp;
        self.memory += next.memory;
        self.fetch += next.fetch;
        self.port_conflict += next.port_conflict;
        self.semaphore += next.semaphore;
        self.other += next.other;
    }
}

impl AddAssign for Transactions {
    fn add_assign(&mut self, next: Transactions) {
        self.total += next.total;
        self.reads += next.reads;
        self.writes += next.writes;
        self.bytes_read += next.bytes_read;
        self.bytes_written += next.bytes_written;
        self.shared_writes += next.shared_writes;
    }
}

impl Report {
    /// Adds the report of the next dispatch.
    pub(crate) fn add(&mut self, next: Report) {
        let busy = |r: &Report| match (&r.issue_slots, r.ipc_per_unit.len() as u64) {
            (Some(slots), units @ 1..) => slots.total / units,
            _ => 0,
        };
        let (before, behind) = (busy(self), busy(&next));
        let rate = |a: f64, b: f64| {
            let all = (before + behind) as f64;
            if all == 0.0 {
                0.0
            } else {
                (a * before as f64 + b * behind as f64) / all
            }
        };
        self.ipc = self.ipc.zip(next.ipc).map(|(a, b)| rate(a, b));
        self.ipc_per_unit = self.ipc_per_unit.iter().zip(&next.ipc_per_unit).map(|(a, b)| rate(*a, *b)).collect();
        if self.verdict == Verdict::Pass {
            self.verdict = next.verdict;
        }
        self.mismatches.extend(next.mismatches);
        self.hang = self.hang.take().or(next.hang);
        self.problems.extend(next.problems);
        self.reproduce = self.reproduce.take().or(next.reproduce);
        for warning in next.warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        both(&mut self.cycles, next.cycles);
        self.retired += next.retired;
        self.lane_instructions += next.lane_instructions;
        self.lane_utilisation = ratio(self.lane_instructions, 4 * self.retired);
        both(&mut self.issue_slots, next.issue_slots);
        both(&mut self.memory_transactions, next.memory_transactions);
        self.memory_instructions += next.memory_instructions;
        both(&mut self.atomics, next.atomics);
        both(&mut self.atomic_transactions, next.atomic_transactions);
        both(&mut self.late_arrivals, next.late_arrivals);
        both(&mut self.lock_handovers, next.lock_handovers);
        both(&mut self.function_instructions, next.function_instructions);
        both(&mut self.branches, next.branches);
        self.dispatches += next.dispatches;
        both(&mut self.polling_slots, next.polling_slots);
        both(&mut self.handovers, next.handovers);
        // A median of several is not known of their medians.
        self.handover_latency_cycles = self.handover_latency_cycles.xor(next.handover_latency_cycles);
        both(&mut self.bus_messages, next.bus_messages);
        both(&mut self.semaphore_protocol_errors, next.semaphore_protocol_errors);
        both(&mut self.pool_exhausted_cycles, next.pool_exhausted_cycles);
        self.warps += next.warps;
        self.warps_per_core.iter_mut().zip(next.warps_per_core).for_each(|(all, next)| *all += next);
        self.groups += next.groups;
        self.seconds += next.seconds;
        let seconds = self.seconds.max(1e-9);
        self.cycles_per_second = self.cycles.map(|c| c as f64 / seconds);
        self.lane_instructions_per_second = self.lane_instructions as f64 / seconds;
        self.simulator = next.simulator;
        self.outcomes.extend(next.outcomes);
        self.outputs.extend(next.outputs);
    }
}
