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
    /// In Markdown: what stands in the table, then a line for each detail, which stand below it.
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

/// The same of a table of keys. Details of a key are a list below the table.
pub(crate) fn table(keys: &[Key]) -> String {
    let checkers: Vec<String> = crate::lockstep::checkers::names().iter().map(|n| format!("`{n}`")).collect();
    let mut text = String::from("| key | meaning |\n|---|---|\n");
    let mut below = String::new();
    for key in keys {
        let names: Vec<String> = key.names.iter().map(|n| format!("`{n}`")).collect();
        let (names, meaning) = (names.join(", "), key.meaning.replace("CHECKERS", &checkers.join(", ")));
        let mut lines = meaning.lines();
        let first = lines.next().unwrap_or_default();
        let details: Vec<&str> = lines.map(str::trim_start).collect();
        let more = if details.is_empty() { "" } else { "; details below" };
        text += &format!("| {names} | {first}{more} |\n");
        if !details.is_empty() {
            below += &format!("\n{names}:\n\n");
            details.iter().for_each(|detail| below += &item(detail));
        }
    }
    text + &below
}

/// Longest line of a page, in characters.
const LONGEST: usize = 100;

/// An item of a list, in lines of a page. A code span is not broken.
fn item(text: &str) -> String {
    let (mut out, mut length, mut span) = (String::from("-"), 1, String::new());
    for word in text.split(' ') {
        span = if span.is_empty() { word.to_owned() } else { format!("{span} {word}") };
        if span.matches('`').count() % 2 == 1 {
            continue;
        }
        let long = span.chars().count();
        if length + 1 + long > LONGEST {
            out += "\n ";
            length = 1;
        }
        out.push(' ');
        out += &span;
        length += 1 + long;
        span.clear();
    }
    out + "\n"
}

/// Every key, in the order of the page.
pub const KEYS: &[Key] = &[
    other(&["name", "engine"], "name of the job or scene; `lockstep (rtlsim + golden)`, `lockstep (rust-hdl + golden)`, `rtlsim`, `rust-hdl` or `golden`"),
    other(&["verdict"], "`pass`, `mismatch`, `hang`, `memory-fault`, `trap`, `protocol-error`, `wrong-output` or `engine-failure`\n\
         A `protocol-error` is a wrong use of a semaphore (SE-25), or the end of a thread that holds one.\n\
         So is the release of an owned lock by another warp (WW-28).\n\
         After a merge, the read of a private register without contents is one too (MS-22).\n\
         After a split, so are that read and the write of a public register (MS-42). An output before the split is one as well.\n\
         `problems` names thread, program counter and source line of a protocol error.\n\
         If several occur, the verdict is the first of these, on every engine: memory fault, trap, protocol error, hang. The key `hang` still describes a hang that followed."),
    other(&["mismatches"], "list with at most one mismatch\n\
         `checker`: CHECKERS.\n\
         `cycle`, `unit`, `warp`, `pc`, and `instruction` with its source position.\n\
         `what`, and `fields` with `name`, `expected` and `seen` of each field that differs. `expected` and `actual` are those of the first field.\n\
         A frame also has its place, as far as it is known. `draw` is a number in the command list, `triangle` one in the frame. `x` and `y` are the pixel; `sample` and `target` are numbers.\n\
         The place also has `instance`, `vertex` and `source`. `source` is where the program writes the value.\n\
         `history`: the last 16 retirements of the warp. `reproduce`: the command."),
    other(&["hang"], "`null`, or the hang\n\
         `kind` (`stuck` or `cycle-limit`), `cycle`, and `progress`, the last cycle with progress. Both cycles are `null` for the golden model alone.\n\
         Progress is any of these: a host write, a launch, a retirement, a completion, a semaphore message, a list operation, a memory transaction, a graphics event.\n\
         `warps`: every resident warp with its lanes and its reason to wait. A semaphore has its number, its owner and the place of the owner. A waiting thread stands at the instruction that waits.\n\
         `spinning`: warps that poll for ever if nothing else runs. It needs the golden model, in lockstep or alone.\n\
         Each has `unit`, `warp`, the counters of its `lanes`, `pc` and `source` of the atomic or load that polls, and `addresses`.\n\
         `polling` are the lanes that poll. `behind` are the lanes that are not selected meanwhile.\n\
         `owner`, if it is known, owns the polled lock: `address`, `unit`, `warp`, `pc` and `source` of the acquire. `itself` is true if the warp waits for itself.\n\
         `held`, in lockstep: the RTL event that the model is waiting for.\n\
         `exhausted_pool`: entries of the semaphore pool if an acquire waits for an entry, else `null`.\n\
         `pool_shortage`, if the model computes it: threads `waiting` for an entry, and the entries of `running` threads and of those that have `not_begun`.\n\
         `stalled`, for a frame: each `block` with its `streams` that are valid and never ready, by their names in the exported Verilog.\n\
         `waits`, for a frame: each `block` whose `stream` is not accepted, with the blocks `for` which it waits.\n\
         `left`, for a frame in lockstep: `what` the model has done and the machine has not. It has the `count`, the `first` ones and the blocks they come `from`."),
    other(&["problems"], "other errors, one text each: memory faults, traps, protocol errors of semaphores and owned locks, wrong outputs and pictures"),
    other(&["reproduce"], "the `quadlock run` command that shows a failure again; `null` if the run passes"),
    other(&["warnings"], "unusual events that do not change the verdict\n\
         Warnings of the compiler.\n\
         Undeclared locks that another warp released ([warp-wide.md](warp-wide.md#who-owns-a-lock)).\n\
         Stores outside every buffer ([jobs.md](jobs.md#bounds-stores-outside-every-buffer)).\n\
         With the RTL alone: events that do not add up.\n\
         In a scene: colours that are not compared, because they depend on the order of fragments."),
    other(&["constants"], "values that job or command line gave to overrides or specialisation constants, by name, or by id without a name ([jobs.md](jobs.md#constants-values-that-the-program-leaves-open)). Constants with their default are not listed"),
    number(&["cycles"], "clock cycles, from the first host write to the end"),
    number(&["retired"], "retired warp instructions"),
    number(&["lane_instructions"], "sum of the active lanes over the retired warp instructions"),
    number(&["ipc"], "retired warp instructions per busy cycle of the machine"),
    other(&["ipc_per_unit"], "the same for each warp unit, by its global number (at most 1 each)"),
    number(&["lane_utilisation"], "mean share of active lanes, 0 to 1"),
    numbers(&["issue_slots"], &["total", "used", "no_warp", "memory", "fetch", "port_conflict", "semaphore", "other"], "busy cycles of all units, by use\n\
         `total` and `used`.\n\
         The others are not used because of `no_warp`, `memory`, `fetch`, `port_conflict`, `semaphore` or `other`.\n\
         `semaphore`: every warp that could not issue waits for a semaphore."),
    numbers(&["memory_transactions"], &["total", "reads", "writes", "bytes_read", "bytes_written", "shared_writes"], "transactions at the machine's memory port\n\
         `total`, `reads` (with instruction fetches) and `writes`.\n\
         `bytes_read` counts whole lines. `bytes_written` counts the bytes that the masks enable.\n\
         `shared_writes`: writes to the shared storage of all units."),
    number(&["memory_instructions", "atomics", "function_instructions", "branches"], "retired warp instructions of these kinds. The golden model alone counts atomics as memory instructions"),
    number(&["atomic_transactions"], "line reads and writes of the retired atomics of global memory\n\
         It is computed from the instructions; the memory checkers compare it with the port.\n\
         An atomic makes two per active lane, or two in all if it is executed once for the warp.\n\
         After a hang it includes atomics in flight. It is `null` for the golden model alone."),
    number(&["late_arrivals"], "number of times that lanes were late at an operation of the warp and got its stored result (WW-27)\n\
         Each saves an execution. Both memories count.\n\
         It is 0 with `warp-wide-late=again`. `atomic_transactions` does not include late lanes."),
    number(&["lock_handovers"], "number of times that a lock was taken by another warp than its last owner\n\
         For words that the job declares ([jobs.md](jobs.md#locks)): `WATOM32.LOCK` that succeeded, and 32-bit exchanges or compare-and-exchanges from 0 to 1.\n\
         For other words: `WATOM32.LOCK` only. Words of shared storage do not count."),
    number(&["dispatches"], "runs of a job's program ([jobs.md](jobs.md#dispatch-the-program-several-times)); 0 for a scene\n\
         Other figures are totals of all dispatches.\n\
         The hand-over latency is `null` if several dispatches have one."),
    numbers(&["link"], LinkFigures::PARTS, "figures of linked programs, else `null`\n\
         Scenes: [scenes.md](scenes.md#linked-programs). Jobs: [linked-programs.md](linked-programs.md#compute-jobs).\n\
         `mode`: the setting, `on` or `values`.\n\
         `hits` and `misses`: draws or dispatches whose programs existed already, and the others.\n\
         `variants`: programs that assume values of uniforms.\n\
         `over`: draws or dispatches that got programs without assumptions, because the limit of variants was reached.\n\
         `derived`: uniforms that the host derives, over all draws or dispatches.\n\
         `compile_ms`: wall-clock time in milliseconds."),
    numbers(&["graph"], &["threads", "semaphores", "semaphores_wanted"], "figures of a job with a graph\n\
         `threads`, and `semaphores`, the number in use.\n\
         `semaphores_wanted`: the number with which no thread waits for an independent one. It is `null` with hashed semaphores and with polling.\n\
         `semaphore_numbers`: their numbers, for example `\"0-3, 8\"`; empty with polling."),
    number(&["polling_slots", "handovers", "bus_messages", "semaphore_protocol_errors", "pool_exhausted_cycles"], "figures of semaphores: [semaphores.md](semaphores.md#in-the-report); `null` for the golden model alone"),
    numbers(&["handover_latency_cycles"], &["median", "max"], "cycles from a release to the first instruction of the waiting thread; `null` without hand-overs and for the golden model alone"),
    number(&["warps", "groups"], "launched warps (for a scene those of vertices and quads); work groups of the grid (0 for a scene)"),
    other(&["warps_per_core"], "launched warps of each core, row by row; empty for the golden model alone"),
    number(&["seconds"], "wall-clock time of the run in seconds"),
    number(&["cycles_per_second", "lane_instructions_per_second"], "simulation speed"),
    other(&["simulator"], "figures of the simulator: for rtlsim those of its compiler (regions, bytes of code, ...), for rust-hdl's engine `passes_per_cycle` and `most_passes`"),
    other(&["outcomes"], "outcomes of a litmus test ([memory-model.md](memory-model.md)), each with `values` and `count`; empty for other jobs"),
    other(&["outputs"], "texts of the `written` lines, each with a file that the run wrote\n\
         A trace has its size and its signals after the name, as in `out/tea.fst (0.7 MB, 57714 signals)`.\n\
         The report itself and the name files of viewers (`*.txt`, `.surfer/mappings/*`) are not listed.\n\
         A failure without a trace also writes `failure.fst` and its view `failure.gtkw`, with the cursor at the failing cycle.\n\
         The waves begin up to 4,500 cycles before the failure, earlier with memories over 256 kB. They end 100 cycles after it."),
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
    fn details_of_a_key_stand_below_the_table() {
        let text = table(&[other(&["a"], "one"), other(&["b", "c"], "two\nFirst.\n  Second.")]);
        assert!(text.contains("| `a` | one |\n| `b`, `c` | two; details below |\n\n`b`, `c`:\n\n- First.\n- Second.\n"));
        let long = item(&format!("{} `a span of code`", "word ".repeat(18).trim_end()));
        assert!(long.ends_with("word\n  `a span of code`\n"), "{long}");
        assert!(markdown().lines().all(|line| line.starts_with('|') || line.chars().count() <= LONGEST));
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
