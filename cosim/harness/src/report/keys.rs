//! The one table of the report's keys: what `docs/report.md` explains and what `[claims]` may name.
//! A test compares it with the keys that reports have, in both directions.

use crate::linking::LinkFigures;

/// A key of the report, or several that are explained together.
pub struct Key {
    pub names: &'static [&'static str],
    /// Numbers below it, as in `issue_slots.used`.
    pub parts: &'static [&'static str],
    /// A number itself.
    pub number: bool,
    /// In Markdown.
    pub meaning: &'static str,
}

pub(crate) const fn other(names: &'static [&'static str], meaning: &'static str) -> Key {
    Key { names, parts: &[], number: false, meaning }
}

pub(crate) const fn number(names: &'static [&'static str], meaning: &'static str) -> Key {
    Key { names, parts: &[], number: true, meaning }
}

pub(crate) const fn numbers(
    names: &'static [&'static str],
    parts: &'static [&'static str],
    meaning: &'static str,
) -> Key {
    Key { names, parts, number: false, meaning }
}

/// Whether a report has a number of that name: a key, or a key, a point and a part.
pub fn is_figure(name: &str) -> bool {
    is_figure_of(KEYS, name)
}

/// The same of a table of keys.
pub(crate) fn is_figure_of(keys: &[Key], name: &str) -> bool {
    let (key, part) = name.split_once('.').map_or((name, None), |(k, p)| (k, Some(p)));
    keys.iter().filter(|k| k.names.contains(&key)).any(|k| part.map_or(k.number, |p| k.parts.contains(&p)))
}

/// The table as Markdown. `CHECKERS` in a meaning stands for the names of lockstep's checkers.
pub fn markdown() -> String {
    table(KEYS)
}

/// The same of a table of keys.
pub(crate) fn table(keys: &[Key]) -> String {
    let checkers: Vec<String> = crate::lockstep::checkers::names().iter().map(|n| format!("`{n}`")).collect();
    let mut text = String::from("| key | meaning |\n|---|---|\n");
    for key in keys {
        let names: Vec<String> = key.names.iter().map(|n| format!("`{n}`")).collect();
        text += &format!("| {} | {} |\n", names.join(", "), key.meaning.replace("CHECKERS", &checkers.join(", ")));
    }
    text
}

/// Every key, in the order of the page.
pub const KEYS: &[Key] = &[
    other(&["name", "engine"], "name of the job or scene; `lockstep (rtlsim + golden)`, `lockstep (rust-hdl + golden)`, `rtlsim`, `rust-hdl` or `golden`"),
    other(&["verdict"], "`pass`, `mismatch`, `hang`, `memory-fault`, `trap`, `protocol-error` (a program used a semaphore wrongly, SE-25, or a thread ended without releasing one, or a warp gave back an owned lock of another, WW-28, or a program read a private register that holds nothing since a merge, MS-22, or a split, or wrote a public one behind a split, MS-42, or gave an output before it split; `problems` names thread, counter and source line), `wrong-output`, `engine-failure`. What a program did wrong comes before a hang that followed: memory fault, trap, protocol error, hang, in this order on every engine; `hang` then says what followed"),
    other(&["mismatches"], "list with at most one entry: `checker` (CHECKERS), `cycle`, `unit`, `warp`, `pc`, `instruction` (with source position), `what`, `fields` (`name`, `expected`, `seen`; only those that differ), `expected` and `actual` of the first of them, of a frame also `draw` (number in the command list), `triangle` (number in the frame), pixel `x` and `y`, `sample`, `target`, `instance` and `vertex`, and `source` (where the program gives the value away), as far as they are known, `history` (last 16 retirements of the warp), `reproduce` (the command)"),
    other(&["hang"], "`null`, or `kind` (`stuck`, `cycle-limit`), `cycle`, `progress` (last cycle in which something happened; both `null` of the model alone), `warps` (every resident warp's lanes and what it waits for; of a semaphore its number, its owner and where the owner stands; a thread that waits stands at the instruction that it waits in), `spinning` (warps that would poll for ever if left alone: `unit`, `warp`, counters of its `lanes`, `pc` and `source` of the atomic or load that polls, `addresses`, lanes `polling` and lanes `behind` that are not chosen meanwhile; `owner` of the lock that is polled, if known: `address`, `unit`, `warp`, `itself` if the warp waits for itself, `pc` and `source` of the instruction that took it; needs the model, beside the machine or alone), `held`, `exhausted_pool` (entries of the semaphore entity's pool if an acquire waits for one, else `null`), `pool_shortage` (if the model knows: threads `waiting` for an entry, entries of `running` threads and of threads that have `not_begun`), `stalled` (of a frame that stands still: each `block` with the `streams` that are valid and never ready, as the exported Verilog names them), `waits` (of such a frame: each `block` whose `stream` nobody takes, and `for` the blocks that would have to), `left` (of a frame in lockstep: `what` the model has done and the machine has not, the `count`, the `first` of them, and the blocks that they come `from`)"),
    other(&["problems"], "other things that are wrong, one text each: memory faults, traps, protocol errors of semaphores and owned locks, wrong outputs and pictures"),
    other(&["reproduce"], "the command that shows a failure again, of `quadlock run`; `null` of a run that passes"),
    other(&["warnings"], "what is unusual and changes no verdict: the compiler's warnings, locks that another warp gave back and nobody declared ([warp-wide.md](warp-wide.md#who-owns-a-lock)), stores outside every buffer ([jobs.md](jobs.md#bounds-stores-outside-every-buffer)), of the RTL alone that its events do not add up, and of a scene colours that are not compared because they depend on the order of fragments"),
    other(&["constants"], "values that overrides or specialisation constants were given by job or command line ([jobs.md](jobs.md#constants-values-that-the-program-leaves-open)), by name, or by id where there is no name; those with their defaults are not in it"),
    number(&["cycles"], "clock cycles, from the first host write to the end"),
    number(&["retired"], "retired warp instructions"),
    number(&["lane_instructions"], "active lanes summed over them"),
    number(&["ipc"], "retired warp instructions per cycle in which the machine was busy"),
    other(&["ipc_per_unit"], "the same of each warp unit by its global number (at most 1 each)"),
    number(&["lane_utilisation"], "mean share of active lanes, 0 to 1"),
    numbers(&["issue_slots"], &["total", "used", "no_warp", "memory", "fetch", "port_conflict", "semaphore", "other"], "cycles of all units while busy: `total`, `used`, and those not used because of `no_warp`, `memory`, `fetch`, `port_conflict`, `semaphore` (every warp that could not issue waits for a semaphore), `other`"),
    numbers(&["memory_transactions"], &["total", "reads", "writes", "bytes_read", "bytes_written", "shared_writes"], "at the machine's memory port: `total`, `reads` (instruction fetches included), `writes`; `bytes_read` (whole lines), `bytes_written` (those that the masks enable); `shared_writes` of all units' shared storage"),
    number(&["memory_instructions", "atomics", "function_instructions", "branches"], "retired warp instructions of these kinds (the golden model alone counts atomics as memory instructions)"),
    number(&["atomic_transactions"], "line reads and writes that the retired atomics of global memory make at the memory port, reckoned from the instructions (the checkers of memory compare it with the port): two for each active lane, two in all for one that is executed once for the warp. After a hang those still under way are in it. `null` of the golden model alone"),
    number(&["late_arrivals"], "how often lanes came late to an operation of the warp and got its kept result (WW-27): executions saved, in both memories. 0 with `warp-wide-late=again`. `atomic_transactions` does not count them"),
    number(&["lock_handovers"], "how often a lock was taken by another warp than the one that had it last. Of words that the job declares ([jobs.md](jobs.md#locks)): `WATOM32.LOCK` that succeeded, and exchanges or compare-and-exchanges of 32 bits that left 1 where 0 was. Of other words: `WATOM32.LOCK` alone. Words of shared storage are not followed"),
    number(&["dispatches"], "runs of the program of a job ([jobs.md](jobs.md#dispatch-the-program-several-times)); 0 of a scene. Other figures are of all together; the latency of hand-overs is `null` if several dispatches have one"),
    numbers(&["link"], LinkFigures::PARTS, "of linked programs, of a scene ([scenes.md](scenes.md#linked-programs)) or a job ([linked-programs.md](linked-programs.md#compute-jobs)), else `null`; `mode` is the setting, `on` or `values`. A draw or a dispatch is one of the `hits` if its programs were there, else of the `misses`. `variants` are programs that assume something of uniforms. `over` are draws or dispatches that got programs without assumptions, because there may be no more variants. `derived` are uniforms that the host derives, of all draws or dispatches. `compile_ms` is wall-clock time"),
    numbers(&["graph"], &["threads", "semaphores", "semaphores_wanted"], "of a job with a graph: `threads`, `semaphores` used, `semaphores_wanted` (with which no thread would wait for one that it does not depend on; `null` if chosen by hash, or with polling), `semaphore_numbers` (their numbers, as in `\"0-3, 8\"`; empty with polling)"),
    number(&["polling_slots", "handovers", "bus_messages", "semaphore_protocol_errors", "pool_exhausted_cycles"], "of semaphores: [semaphores.md](semaphores.md#in-the-report); `null` of the golden model alone"),
    numbers(&["handover_latency_cycles"], &["median", "max"], "cycles from a release to the first instruction of the thread that waited; `null` without hand-overs and of the golden model alone"),
    number(&["warps", "groups"], "launched warps, of a scene those of vertices and of quads; work groups of the grid, 0 of a scene"),
    other(&["warps_per_core"], "of the launched warps, how many each core got, row by row; empty of the model alone"),
    number(&["seconds"], "wall-clock time of the run"),
    number(&["cycles_per_second", "lane_instructions_per_second"], "simulation speed"),
    other(&["simulator"], "figures of the simulator: of rtlsim those of its compiler (regions, bytes of code, ...), `passes_per_cycle` and `most_passes` of rust-hdl's engine"),
    other(&["outcomes"], "of a litmus test ([memory-model.md](memory-model.md)): its outcomes, each with `values` and `count`; empty of other jobs"),
    other(&["outputs"], "files written; after a failure without a trace of its own also `failure.fst`, the waves from a state up to 4,500 cycles before it (further with memories over 256 kB) to 100 cycles after it, and its view `failure.gtkw` with the cursor on the failing cycle"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::handover::Latency;
    use crate::lockstep::Options;
    use crate::machine::launch::Launch;
    use crate::report::{GraphFigures, IssueSlots, Transactions};
    use crate::simulate;
    use std::collections::BTreeSet;

    /// A report of which nothing is missing.
    fn full() -> serde_json::Value {
        let code = quadlock_isa::assemble("t", "END").unwrap().code;
        let mut report = simulate::golden(&Launch::bare("t", code, 0x200), &Options::default()).report;
        let (total, used, other, no_warp, memory, fetch, port_conflict, semaphore) = (0, 0, 0, 0, 0, 0, 0, 0);
        report.issue_slots = Some(IssueSlots { total, used, no_warp, memory, fetch, port_conflict, semaphore, other });
        let (reads, writes, bytes_read, bytes_written, shared_writes) = (0, 0, 0, 0, 0);
        report.memory_transactions =
            Some(Transactions { total, reads, writes, bytes_read, bytes_written, shared_writes });
        report.handover_latency_cycles = Some(Latency { median: 1, max: 2 });
        report.link = Some(LinkFigures::default());
        let semaphore_numbers = String::new();
        report.graph = Some(GraphFigures { threads: 1, semaphores: 1, semaphores_wanted: Some(1), semaphore_numbers });
        serde_json::to_value(&report).unwrap()
    }

    #[test]
    fn the_table_has_the_keys_of_reports_and_no_others() {
        let report = full();
        let seen: BTreeSet<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
        let listed: Vec<&str> = KEYS.iter().flat_map(|k| k.names).copied().collect();
        assert_eq!(seen, listed.iter().copied().collect());
        assert_eq!(listed.len(), seen.len(), "a key is listed twice");
    }

    #[test]
    fn figures_are_the_numbers_of_a_report() {
        let report = full();
        for key in KEYS {
            for name in key.names {
                let parts: BTreeSet<&str> = key.parts.iter().copied().collect();
                let seen = report[name].as_object().into_iter().flatten();
                let numbers: BTreeSet<&str> = seen.filter(|(_, v)| v.is_number()).map(|(k, _)| k.as_str()).collect();
                if *name != "simulator" {
                    assert_eq!(parts, numbers, "{name}");
                }
                assert_eq!(is_figure(name), key.number, "{name}");
                assert!(key.number == report[name].is_number() || report[name].is_null(), "{name}");
            }
        }
        assert!(is_figure("issue_slots.used") && !is_figure("issue_slots.spent") && !is_figure("issue_slots"));
        assert!(is_figure("cycles") && !is_figure("verdict") && !is_figure(""));
    }
}
