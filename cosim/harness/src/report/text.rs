//! The report for people: one screen, in one layout for jobs and scenes. What is wrong comes first,
//! then what ran and how it was judged, the work, the machine, what else there is to say of it, the
//! simulation, and the files that were written. What only a job or only a scene has is put into the
//! same places ([`Own`]). Wrong would be a figure that one of them prints and the other one hides.

use std::fmt::{Display, Write as _};

use super::{Report, Verdict};
use crate::base::manners::{is_coloured, judged, verbosity, Stream, Verbosity};
use crate::base::units::{percent, rate};
use crate::machine::ports::STALL_REASONS;

/// How a report is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub coloured: bool,
    pub verbosity: Verbosity,
}

impl Look {
    /// On standard output, as the process was told.
    pub fn of_output() -> Self {
        Self { coloured: is_coloured(Stream::Out), verbosity: verbosity() }
    }
}

/// Rows of a name and a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows(pub String);

impl Rows {
    pub fn row(&mut self, name: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name:<24}{value}");
    }
}

/// What a job or a scene has of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// `job` or `scene`.
    pub kind: &'static str,
    /// What was to be done.
    pub work: Rows,
    /// What its blocks did.
    pub details: Rows,
    /// How fast it was, beside the cycles.
    pub speed: Option<String>,
    /// What came out.
    pub results: Rows,
}

impl Verdict {
    /// As reports shout it.
    pub(crate) fn shown(self) -> String {
        let name = serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_uppercase));
        name.unwrap_or_default()
    }
}

impl Report {
    /// One screen of text.
    pub fn text(&self) -> String {
        self.page(Look::default(), &self.of_job())
    }

    /// The report of a job, for standard output.
    pub(crate) fn shown(&self) -> String {
        self.page(Look::of_output(), &self.of_job())
    }

    /// All that there is to say, with what a job or a scene has of its own. With `-q` only what is
    /// wrong.
    pub(crate) fn page(&self, look: Look, own: &Own) -> String {
        let mut out = self.findings();
        if look.verbosity == Verbosity::Quiet {
            return out;
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "warning: {warning}");
        }
        let mut rows = Rows(out);
        rows.row(own.kind, &self.name);
        rows.row("engine", &self.engine);
        rows.row("verdict", judged(&self.verdict.shown(), self.passed(), look.coloured));
        if !self.constants.is_empty() {
            let list: Vec<String> = self.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            rows.row("constants", list.join(", "));
        }
        rows.0 += &own.work.0;
        self.machine(&mut rows);
        if let Some(l) = &self.link {
            rows.row("linked", l);
        }
        rows.0 += &own.details.0;
        rows.row("simulation", self.speed(own));
        if look.verbosity == Verbosity::Verbose {
            self.simulator.iter().for_each(|(name, value)| rows.row(&format!("  {}", name.replace('_', " ")), value));
        }
        rows.0 += &own.results.0;
        self.outputs.iter().for_each(|file| rows.row("written", file));
        rows.0
    }

    /// What is wrong, and the command that shows it again.
    fn findings(&self) -> String {
        let mut out = String::new();
        for m in &self.mismatches {
            let _ = writeln!(out, "{m}");
        }
        let first = self.verdict == Verdict::Hang;
        if let Some(hang) = self.hang.as_ref().filter(|_| first) {
            let _ = writeln!(out, "{hang}");
        }
        for problem in &self.problems {
            let _ = writeln!(out, "problem: {problem}");
        }
        if let Some(hang) = self.hang.as_ref().filter(|_| !first) {
            let _ = writeln!(out, "what followed: {hang}");
        }
        // A mismatch has its own, with waves.
        if let Some(command) = self.reproduce.as_ref().filter(|_| self.mismatches.is_empty()) {
            let _ = writeln!(out, "again: {command}");
        }
        out
    }

    /// What the machine did, or the model in its place.
    fn machine(&self, rows: &mut Rows) {
        if self.warps_per_core.len() > 1 {
            let cores: Vec<String> = self.warps_per_core.iter().map(u64::to_string).collect();
            rows.row("warps per core", cores.join(", "));
        }
        if let Some(cycles) = self.cycles {
            rows.row("cycles", cycles);
        }
        rows.row("retired instructions", format!("{} of warps, {} of lanes", self.retired, self.lane_instructions));
        if let Some(ipc) = self.ipc {
            let units: Vec<String> = self.ipc_per_unit.iter().map(|i| format!("{i:.3}")).collect();
            rows.row("IPC", format!("{ipc:.3} (per unit {})", units.join(", ")));
        }
        rows.row("lane utilisation", format!("{:.1} %", 100.0 * self.lane_utilisation));
        if let Some(t) = &self.memory_transactions {
            let (reads, writes) = (t.reads, t.writes);
            let bytes = format!("{reads} reads of {} bytes, {writes} writes of {}", t.bytes_read, t.bytes_written);
            rows.row("memory transactions", format!("{} ({bytes}); {} shared writes", t.total, t.shared_writes));
        }
        let atomics = self.atomics.map_or(String::new(), |a| format!(", atomics {a}"));
        rows.row("memory instructions", format!("{}{atomics}", self.memory_instructions));
        let handovers = self.lock_handovers.filter(|&n| n > 0).map(|n| format!("{n} lock hand-overs"));
        match (self.atomic_transactions, handovers) {
            (Some(transactions @ 1..), None) => rows.row("atomic transactions", transactions),
            (Some(transactions @ 1..), Some(h)) => rows.row("atomic transactions", format!("{transactions}; {h}")),
            (_, Some(h)) => rows.row("atomics", h),
            (_, None) => {}
        }
        if let Some(late @ 1..) = self.late_arrivals {
            rows.row("late arrivals", format!("{late} (not executed again)"));
        }
        if let Some(functions) = self.function_instructions {
            rows.row("function instructions", functions);
        }
        if let Some(s) = &self.issue_slots {
            let share = |n: u64| percent(n, s.total);
            let reasons = STALL_REASONS.iter().zip([s.no_warp, s.memory, s.fetch, s.port_conflict, s.semaphore]);
            let list: Vec<String> =
                reasons.map(|(name, n)| format!("{} {:.1} %", name.replace('_', " "), share(n))).collect();
            rows.row("issue slots used", format!("{:.1} % ({})", share(s.used), list.join(", ")));
        }
    }

    /// What a job has of its own.
    fn of_job(&self) -> Own {
        let mut own = Own { kind: "job", ..Own::default() };
        own.work.row("work groups, warps", format!("{}, {}", self.groups, self.warps));
        if self.dispatches > 1 {
            own.work.row("dispatches", self.dispatches);
        }
        if let Some(g) = &self.graph {
            let wanted = match g.semaphores_wanted {
                Some(wanted) if wanted > g.semaphores => format!(" (shared: {wanted} would keep all apart)"),
                _ => String::new(),
            };
            let numbers = Some(&g.semaphore_numbers).filter(|n| !n.is_empty()).map(|n| format!(", numbers {n}"));
            let numbers = numbers.unwrap_or_default();
            let text = format!("{}, with {} semaphores{numbers}{wanted}", g.threads, g.semaphores);
            own.details.row("threads of the graph", text);
        }
        if let Some(text) = self.semaphores() {
            own.details.row("semaphores", text);
        }
        if self.cycles_per_second.is_none() {
            own.speed = Some(rate(self.lane_instructions_per_second, "lane instructions"));
        }
        if !self.outcomes.is_empty() {
            let list: Vec<String> = self.outcomes.iter().map(|o| format!("{:?} {} times", o.values, o.count)).collect();
            own.results.row("outcomes", list.join(", "));
        }
        own
    }

    /// Time and speed.
    fn speed(&self, own: &Own) -> String {
        let cycles = self.cycles_per_second.map(|speed| rate(speed, "cycles"));
        let parts = std::iter::once(format!("{:.3} s", self.seconds)).chain(cycles).chain(own.speed.clone());
        parts.collect::<Vec<_>>().join(", ")
    }

    /// What there is to say of semaphores; nothing if the run had neither messages nor polling.
    fn semaphores(&self) -> Option<String> {
        let (messages, handovers, polling) = (self.bus_messages?, self.handovers?, self.polling_slots?);
        let mut parts = Vec::new();
        if messages > 0 {
            parts.push(format!("{messages} messages, {handovers} hand-overs"));
        }
        if let Some(l) = self.handover_latency_cycles {
            parts.push(format!("{} to {} cycles (median, most) from release to first instruction", l.median, l.max));
        }
        if polling > 0 {
            parts.push(format!("{polling} issue slots spent polling"));
        }
        if let Some(cycles @ 1..) = self.pool_exhausted_cycles {
            parts.push(format!("{cycles} cycles with an acquire waiting for an entry of the pool"));
        }
        match self.semaphore_protocol_errors {
            Some(n @ 1..) => parts.push(format!("{n} protocol errors")),
            _ if parts.is_empty() => return None,
            _ => {}
        }
        Some(parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::Options;
    use crate::machine::launch::Launch;
    use crate::simulate;

    fn report() -> Report {
        let code = quadlock_isa::assemble("t", "MOV r1, #1\nEND").unwrap().code;
        let mut report = simulate::golden(&Launch::bare("t", code, 0x200), &Options::default()).report;
        report.warnings.push("unusual".into());
        report
    }

    #[test]
    fn quiet_says_what_is_wrong_and_nothing_else() {
        let mut report = report();
        let quiet = |r: &Report| r.page(Look { verbosity: Verbosity::Quiet, ..Look::default() }, &r.of_job());
        assert_eq!(quiet(&report), "");
        report.problem(Verdict::WrongOutput, "a word differs".into());
        report.reproduce = Some("quadlock run x".into());
        assert_eq!(quiet(&report), "problem: a word differs\nagain: quadlock run x\n");
    }

    #[test]
    fn only_the_verdict_is_in_colour() {
        let mut report = report();
        let shown = |r: &Report| r.page(Look { coloured: true, ..Look::default() }, &r.of_job());
        assert!(shown(&report).contains("verdict                 \x1b[1;32mPASS\x1b[0m\n"), "{}", shown(&report));
        assert_eq!(shown(&report).matches('\x1b').count(), 2);
        report.problem(Verdict::Trap, "it traps".into());
        assert!(shown(&report).contains("\x1b[1;31mTRAP\x1b[0m"));
        assert!(!report.text().contains('\x1b'));
    }

    #[test]
    fn verbose_has_the_figures_of_the_simulator() {
        let mut report = report();
        report.simulator.insert("code_bytes".into(), 12.0);
        let look = |verbosity| report.page(Look { verbosity, ..Look::default() }, &report.of_job());
        assert!(look(Verbosity::Verbose).contains("  code bytes            12\n"));
        assert!(!look(Verbosity::Usual).contains("code bytes"));
    }
}
