//! The GTKWave view of a trace (`.gtkw`) and its translate files. Both are generated from the list of traced signals, so a view never names a signal that
//! is not there. Groups: the machine, what its threads do, the lists of its semaphores, its message bus and list operations; per core the states of its blocks outside of the units (pipeline, scalar unit) and
//! the scalar unit's operation; per warp unit (by number, with its core) issue, retirement (with the opcode by name), completions, shared results, states, and the warps' counters and masks, those of a
//! warp-wide atomic by a representative among them. Files lie beside the trace and refer to each other by name only, so the folder can be moved.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use quadlock_isa::wave::gtkwave_opcodes;
use vcd::ScopeItem;

use crate::error::{bad, io, Input, InputError};
use crate::files::write_atomic;
use crate::list_view;
use crate::wave::{Traced, TracedSignal, CYCLE_TIME};

const OPCODES: &str = "opcodes.txt";
/// States of threads, kinds of messages, operations on lists.
const THREADS: &str = "threads.txt";
const MESSAGES: &str = "messages.txt";
const LIST_OPS: &str = "list-operations.txt";
/// Entries of lists: of the owner, and of those behind it.
const OWNERS: &str = "owners.txt";
const ENTRIES: &str = "entries.txt";
/// Semaphores whose lists have rows in the view.
const SHOWN: usize = 16;
/// Names of the places of a list that have rows.
const LIST_PLACES: [&str; 4] = ["owner", "next", "third", "fourth"];

/// Thread numbers that a machine can have: 32 units of 16 warps.
const THREAD_NUMBERS: u16 = 512;

// Flags of a row in GTKWave's save file.
const HEX: u32 = 0x22;
const BINARY: u32 = 0x28;
const DECIMAL: u32 = 0x24;
const TRANSLATED: u32 = 0x2000;
const GROUP_BEGIN: u32 = 0x80_0200;
const GROUP_END: u32 = 0x100_0200;

/// Writes the view and the translate files beside `trace`; the marker stands on cycle `marker`.
///
/// # Errors
/// A file cannot be written.
pub fn write(trace: &Path, traced: &Traced, marker: Option<u64>) -> Input<Vec<PathBuf>> {
    let folder = trace.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for (name, text) in [
        (OPCODES, gtkwave_opcodes()),
        (THREADS, thread_text()),
        (OWNERS, entry_text("LimeGreen")),
        (ENTRIES, entry_text("Orange")),
        (MESSAGES, "00 ACQ_MSG\n01 REL_MSG\n10 ?Gold?ACK_MSG\n".to_owned()),
        (LIST_OPS, "000 append\n001 remove head\n010 mark released\n011 pass\n100 ?Red?protocol error\n".to_owned()),
    ] {
        files.push(folder.join(name));
        write_atomic(&folder.join(name), text.as_bytes())?;
    }
    for (name, states) in &traced.enums {
        let path = folder.join(enum_file(name));
        write_atomic(&path, enum_text(states).as_bytes())?;
        files.push(path);
    }
    let view = trace.with_extension("gtkw");
    let name = trace.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    write_atomic(&view, view_text(&name, traced, marker).as_bytes())?;
    files.push(view);
    Ok(files)
}

fn enum_file(name: &str) -> String {
    format!("state-{name}.txt")
}

/// A translate file: value in binary, as GTKWave shows an untranslated row of [`BINARY`] format, and the state's name.
fn enum_text(states: &[String]) -> String {
    let width = (usize::BITS - (states.len().max(2) - 1).leading_zeros()) as usize;
    states.iter().enumerate().fold(String::new(), |mut text, (i, s)| {
        let _ = writeln!(text, "{i:0width$b} {s}");
        text
    })
}

/// Translate file of the values of `thread_view`, in hexadecimal as their rows are shown.
fn thread_text() -> String {
    let mut text = "000 -\n400 ?LimeGreen?running\n".to_owned();
    for semaphore in 0..1024 {
        let _ = writeln!(text, "{:03X} ?Orange?waits for semaphore {semaphore}", 0x800 + semaphore);
    }
    text
}

/// Translate file of a place of a list ([`list_view`]), in hexadecimal; entries that have not been released in that colour.
fn entry_text(colour: &str) -> String {
    let mut text = "000 -\n".to_owned();
    for thread in 0..THREAD_NUMBERS {
        let name = format!("unit {} warp {}", thread / 16, thread % 16);
        let _ = writeln!(text, "{:03X} ?{colour}?{name}", list_view::PRESENT | thread);
        let _ = writeln!(text, "{:03X} ?DimGray?{name} (released)", list_view::PRESENT | list_view::RELEASED | thread);
    }
    text
}

struct View<'a> {
    text: String,
    signals: &'a [TracedSignal],
}

/// Number in the last `_n` of a name: the unit, or the element.
fn element(path: &str) -> Option<usize> {
    path.rsplit_once('_')?.1.parse().ok()
}

impl View<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn reference(signal: &TracedSignal) -> String {
        match signal.width {
            1 => signal.path.clone(),
            w => format!("{}[{}:0]", signal.path, w - 1),
        }
    }

    fn signal(&mut self, signal: &TracedSignal) {
        let reference = Self::reference(signal);
        match &signal.enumeration {
            Some(name) => {
                self.line(&format!("@{:x}", BINARY | TRANSLATED));
                self.line(&format!("^1 {}", enum_file(name)));
            }
            None if signal.width <= 4 => self.line(&format!("@{BINARY:x}")),
            None => self.line(&format!("@{HEX:x}")),
        }
        self.line(&reference);
    }

    /// Bits 7:0 of an instruction word by name.
    fn opcode(&mut self, label: &str, signal: &TracedSignal) {
        self.field(label, signal, 7, 0, HEX, Some(OPCODES));
    }

    /// Bits `high` to `low` of a signal under a name of their own, with a translate file. GTKWave counts the bits of a vector from the left.
    fn field(&mut self, label: &str, signal: &TracedSignal, high: u32, low: u32, radix: u32, file: Option<&str>) {
        let translated = if file.is_some() { TRANSLATED } else { 0 };
        self.line(&format!("@{:x}", radix | translated));
        if let Some(file) = file {
            self.line(&format!("^1 {file}"));
        }
        let reference = Self::reference(signal);
        let bits: Vec<String> =
            (signal.width - 1 - high..signal.width - low).map(|i| format!("({i}){reference}")).collect();
        self.line(&format!("#{{{label}}} {}", bits.join(" ")));
    }

    /// What each thread does, one line per warp slot.
    fn threads(&mut self, units: usize) {
        let views: Vec<(String, TracedSignal)> = (0..units)
            .flat_map(|unit| (0..16).map(move |warp| (unit, warp)))
            .filter_map(|(unit, warp)| {
                let end = format!(".views_{unit}.thread_{warp}");
                let signal = self.signals.iter().find(|s| s.path.ends_with(&end) && s.width == 12)?;
                Some((format!("unit {unit} warp {warp}"), signal.clone()))
            })
            .collect();
        self.section("semaphores", !views.is_empty(), |view| {
            for (label, signal) in &views {
                view.field(label, signal, 11, 0, HEX, Some(THREADS));
            }
        });
    }

    /// Who is in the lists of the first semaphores.
    fn lists(&mut self) {
        let find = |index: usize| {
            let (name, width) = list_view::ListView::variable(index);
            let end = format!(".{}.{name}", list_view::SCOPE);
            self.signals.iter().find(|s| s.width == width && s.path.ends_with(&end)).cloned()
        };
        let lists: Vec<(usize, [TracedSignal; 2])> =
            (0..SHOWN).filter_map(|n| Some((n, [find(2 * n)?, find(2 * n + 1)?]))).collect();
        self.section("lists", !lists.is_empty(), |view| {
            for (n, [places, length]) in &lists {
                for (place, name) in (0..).zip(LIST_PLACES) {
                    let low = list_view::PLACE * place;
                    let file = if place == 0 { OWNERS } else { ENTRIES };
                    let label = format!("semaphore {n}: {name}");
                    view.field(&label, places, low + list_view::PLACE - 1, low, HEX, Some(file));
                }
                view.field(&format!("semaphore {n}: length"), length, list_view::LENGTH - 1, 0, DECIMAL, None);
            }
        });
    }

    /// Messages on the bus with their fields, and operations on lists.
    fn messages(&mut self) {
        let top = |name: &str| self.signals.iter().find(|s| is_top(s) && leaf(s) == name).cloned();
        let found: Vec<[TracedSignal; 3]> = (0..8)
            .map_while(|k| {
                let of = |name: &str| top(&format!("bus_{name}_{k}"));
                Some([of("valid")?, of("head")?, of("body")?])
            })
            .collect();
        let operation = ["op_valid", "op_kind", "op_sem", "op_thread", "op_entry"].map(top);
        let receivers = found.len();
        self.section("messages", !found.is_empty(), |view| {
            for (k, [valid, head, body]) in found.iter().enumerate() {
                let to = match receivers - k {
                    1 => "to entity, release".to_owned(),
                    2 => "to entity, acquire".to_owned(),
                    _ => format!("to row {k}"),
                };
                view.signal(valid);
                view.field(&format!("{to}: kind"), head, 1, 0, BINARY, Some(MESSAGES));
                view.field(&format!("{to}: semaphore"), body, 15, 0, DECIMAL, None);
                view.field(&format!("{to}: thread's unit"), body, 25, 20, DECIMAL, None);
                view.field(&format!("{to}: thread's warp"), body, 19, 16, DECIMAL, None);
                view.field(&format!("{to}: auto-release"), head, 2, 2, BINARY, None);
                view.field(&format!("{to}: acknowledge-suppress"), head, 3, 3, BINARY, None);
            }
        });
        if let [Some(valid), Some(kind), Some(semaphore), Some(thread), Some(entry)] = &operation {
            self.section("list operations", true, |view| {
                view.signal(valid);
                view.field("operation", kind, 2, 0, BINARY, Some(LIST_OPS));
                view.field("semaphore", semaphore, 15, 0, DECIMAL, None);
                view.field("thread's unit", thread, 9, 4, DECIMAL, None);
                view.field("thread's warp", thread, 3, 0, DECIMAL, None);
                view.field("entry", entry, 11, 0, DECIMAL, None);
            });
        }
    }

    /// A named group, if `there`.
    fn section(&mut self, title: &str, there: bool, fill: impl FnOnce(&mut Self)) {
        if there {
            self.line(&format!("@{GROUP_BEGIN:x}"));
            self.line(&format!("-{title}"));
            fill(self);
            self.line(&format!("@{GROUP_END:x}"));
            self.line(&format!("-{title}"));
        }
    }

    /// A group of the signals chosen by `choose`; none if there are none.
    fn group(&mut self, title: &str, choose: &dyn Fn(&TracedSignal) -> bool) {
        let chosen: Vec<TracedSignal> = self.signals.iter().filter(|s| choose(s)).cloned().collect();
        self.section(title, !chosen.is_empty(), |view| {
            for signal in &chosen {
                let name = leaf(signal);
                if name.starts_with("ret_lo_") || name == "ret_lo" {
                    view.opcode("retired instruction", signal);
                }
                view.signal(signal);
            }
        });
    }
}

fn leaf(signal: &TracedSignal) -> &str {
    signal.path.rsplit('.').next().unwrap_or(&signal.path)
}

/// Path of the top level's signals: the shortest scope.
fn is_top(signal: &TracedSignal) -> bool {
    signal.path.matches('.').count() == 1
}

/// Units of a core, from the scopes that there are; all of them where no scope inside is traced.
fn units_per_core(signals: &[TracedSignal]) -> usize {
    let local = |s: &TracedSignal| {
        let (_, inside) = s.path.split_once(".cores_")?;
        let (_, unit) = inside.split_once(".units_")?;
        unit.split('.').next()?.parse::<usize>().ok()
    };
    signals.iter().filter_map(local).max().map_or(usize::MAX, |last| last + 1)
}

/// Whether it is the register of a state by name; the same wire has more names.
fn is_state(signal: &TracedSignal) -> bool {
    signal.enumeration.is_some() && signal.path.ends_with(".q") && !signal.path.contains(".lanes_")
}

/// What a core has beside its units.
fn core_groups(view: &mut View, core: usize) {
    let scope = format!(".cores_{core}.");
    let beside = |s: &TracedSignal| s.path.contains(&scope) && !s.path.contains(".units_");
    view.group(&format!("core {core}: states"), &|s| beside(s) && is_state(s));
    let operation = ["step", "unit", "warp", "seq", "mask", "dst", "operation", "address", "old_lo", "old_hi"];
    let answer = ["rsp_valid", "rsp_ready", "rsp_unit", "rsp_warp", "rsp_mask", "rsp_dst", "rsp_wen", "rsp_value0"];
    view.group(&format!("core {core}: scalar unit"), &|s| {
        let inside = s.path.split_once(".scalar_0.").map(|(_, inside)| inside);
        let shown = |i: &str| answer.contains(&i) || i.strip_suffix(".q").is_some_and(|i| operation.contains(&i));
        s.path.contains(&scope) && inside.is_some_and(shown)
    });
}

/// Events, states and warps of a unit whose signals are in `scope`.
fn unit_groups(view: &mut View, name: &str, unit: usize, scope: &str) {
    let of = |s: &TracedSignal, prefixes: &[&str]| {
        is_top(s) && prefixes.iter().any(|p| leaf(s).starts_with(p)) && element(&s.path) == Some(unit)
    };
    view.group(&format!("{name}: issue"), &|s| of(s, &["issue_", "stall_", "waiting_"]));
    view.group(&format!("{name}: retire"), &|s| of(s, &["ret_"]));
    view.group(&format!("{name}: completions"), &|s| of(s, &["mret_"]));
    // A write of a register: whether it goes to the word that all lanes read, and to which lanes.
    let write = ["write_warp", "write_register", "write_mask", "write_wide", "share", "set", "lanes", "value"];
    let results = format!("{scope}shared_result_0.");
    view.group(&format!("{name}: shared results"), &|s| {
        s.path.split_once(&results).is_some_and(|(_, inside)| write.contains(&inside))
    });
    view.group(&format!("{name}: shared writes"), &|s| of(s, &["shw_"]));
    view.group(&format!("{name}: states"), &|s| s.path.contains(scope) && is_state(s));
    for warp in 0..16 {
        let context = format!(".contexts_{warp}.");
        let architectural = |s: &TracedSignal| {
            // `masked_now` and `saved_mask` are of warp-wide atomics by a representative.
            let register =
                s.path.ends_with(".q") && ["pc", "mask", "running", "blocked"].iter().any(|k| s.path.contains(k));
            s.path.contains(scope) && s.path.contains(&context) && register
        };
        view.group(&format!("{name} warp {warp}: counters and masks"), &architectural);
    }
}

fn view_text(trace: &str, traced: &Traced, marker: Option<u64>) -> String {
    let mut view = View { text: String::new(), signals: &traced.signals };
    view.line("[*] Made by quadlock; `quadlock waves` makes it again.");
    view.line(&format!("[dumpfile] \"{trace}\""));
    view.line("[timestart] 0");
    view.line("[size] 1600 900");
    view.line("[pos] -1 -1");
    let at = marker.map_or(-1, |m| (m * CYCLE_TIME) as i64);
    view.line(&format!("*-6.000000 {at}{}", " -1".repeat(26)));
    view.line("[sst_width] 250");
    view.line("[signals_width] 300");
    let starts = |s: &TracedSignal, prefixes: &[&str]| is_top(s) && prefixes.iter().any(|p| leaf(s).starts_with(p));
    view.group("machine", &|s| starts(s, &["clock", "busy", "trapped", "host_"]));
    view.group("memory port", &|s| starts(s, &["mem_"]));
    view.group("launches", &|s| starts(s, &["launch_"]));
    let units = traced.signals.iter().filter(|s| starts(s, &["ret_valid_"])).filter_map(|s| element(&s.path)).max();
    view.threads(units.map_or(0, |u| u + 1));
    view.lists();
    view.messages();
    let per_core = units_per_core(&traced.signals);
    let core_count = units.map_or(1, |last| last / per_core + 1);
    for unit in 0..units.map_or(0, |last| last + 1) {
        let (core, local) = (unit / per_core, unit % per_core);
        if local == 0 {
            core_groups(&mut view, core);
        }
        let name = match core_count {
            1 => format!("unit {unit}"),
            _ => format!("core {core} unit {unit}"),
        };
        unit_groups(&mut view, &name, unit, &format!(".cores_{core}.units_{local}."));
    }
    if units.is_none() {
        // A trace of a scope inside: show what there is, states first.
        view.group("states", &|s| s.enumeration.is_some());
        view.group("signals", &|s| s.enumeration.is_none());
    }
    view.text
}

/// Reads back what a trace contains from its header. Names of enum states are in comments that [`crate::wave`] writes.
///
/// # Errors
/// The file is not a VCD file.
pub fn read_traced(trace: &Path) -> Input<Traced> {
    let file = std::fs::File::open(trace).map_err(|e| io(trace, "read", &e))?;
    let header = vcd::Parser::new(BufReader::new(file)).parse_header();
    let header = header.map_err(|e| {
        InputError::new(format!("{} is not a VCD file: {e}", trace.display()))
            .help("give a trace made by `quadlock run --vcd`")
    })?;
    let mut traced = Traced::default();
    let mut types: BTreeMap<String, String> = BTreeMap::new();
    for item in &header.items {
        if let ScopeItem::Comment(text) = item {
            let words: Vec<&str> = text.split_whitespace().collect();
            match words.as_slice() {
                ["enum", name, states @ ..] => {
                    traced.enums.insert((*name).to_owned(), states.iter().map(|s| (*s).to_owned()).collect());
                }
                ["enum-signal", path, name] => {
                    types.insert((*path).to_owned(), (*name).to_owned());
                }
                _ => {}
            }
        }
    }
    collect("", &header.items, &types, &mut traced.signals);
    if traced.signals.is_empty() {
        return bad(format!("{} contains no signal", trace.display()), "make the trace again with a wider --scope");
    }
    Ok(traced)
}

fn collect(path: &str, items: &[ScopeItem], types: &BTreeMap<String, String>, out: &mut Vec<TracedSignal>) {
    let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for item in items {
        match item {
            ScopeItem::Var(var) => {
                let path = join(&var.reference);
                let enumeration = types.get(&path).cloned();
                out.push(TracedSignal { path, width: var.size, enumeration });
            }
            ScopeItem::Scope(scope) => collect(&join(&scope.identifier), &scope.items, types, out),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(path: &str, width: u32) -> TracedSignal {
        TracedSignal { path: path.to_owned(), width, enumeration: None }
    }

    #[test]
    fn a_view_names_only_what_is_there() {
        let mut state = signal("quadlock.cores_0.units_0.scheduler.state.q", 2);
        state.enumeration = Some("State".to_owned());
        let signals = vec![
            signal("quadlock.clock", 1),
            signal("quadlock.ret_valid_0", 1),
            signal("quadlock.ret_lo_0", 32),
            state,
        ];
        let traced = Traced {
            signals,
            enums: BTreeMap::from([("State".to_owned(), vec!["Idle".into(), "Run".into(), "End".into()])]),
            full: None,
        };
        let text = view_text("x.vcd", &traced, Some(12));
        assert!(text.contains("[dumpfile] \"x.vcd\""));
        assert!(text.contains("*-6.000000 24 -1"));
        assert!(text.contains("#{retired instruction} (24)quadlock.ret_lo_0[31:0]"));
        assert!(text.contains("^1 state-State.txt\nquadlock.cores_0.units_0.scheduler.state.q[1:0]"));
        assert!(!text.contains("mret"));
        let begins = text.matches("@800200").count();
        assert_eq!(begins, text.matches("@1000200").count());
        assert!(!text.contains("-semaphores"));
        assert_eq!(enum_text(&traced.enums["State"]), "00 Idle\n01 Run\n10 End\n");
    }

    #[test]
    fn threads_and_messages_have_names() {
        let mut signals = vec![signal("quadlock.ret_valid_0", 1), signal("quadlock.views_0.thread_3", 12)];
        for k in 0..3 {
            signals.push(signal(&format!("quadlock.bus_valid_{k}"), 1));
            signals.push(signal(&format!("quadlock.bus_head_{k}"), 16));
            signals.push(signal(&format!("quadlock.bus_body_{k}"), 32));
        }
        for (name, width) in [("valid", 1), ("kind", 3), ("sem", 16), ("thread", 16), ("entry", 12)] {
            signals.push(signal(&format!("quadlock.op_{name}"), width));
        }
        let text = view_text("x.vcd", &Traced { signals, ..Traced::default() }, None);
        assert!(text.contains("^1 threads.txt\n#{unit 0 warp 3} (0)quadlock.views_0.thread_3[11:0] (1)"), "{text}");
        let kind = "^1 messages.txt\n#{to entity, acquire: kind} (14)quadlock.bus_head_1[15:0] (15)quadlock.bus_head_1[15:0]\n";
        assert!(text.contains(kind), "{text}");
        assert!(text.contains("#{to row 0: semaphore} (16)quadlock.bus_body_0[31:0]"), "{text}");
        assert!(text.contains("#{operation} (0)quadlock.op_kind[2:0]"), "{text}");
        assert!(!text.contains("-lists"));
        let lines: Vec<String> = thread_text().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 1026);
        assert_eq!(lines[2 + 17], "811 ?Orange?waits for semaphore 17");
    }

    #[test]
    fn places_of_lists_have_rows_of_their_own() {
        let mut signals = Vec::new();
        for n in 0..20 {
            signals.push(signal(&format!("quadlock.lists.semaphore_{n}"), 96));
            signals.push(signal(&format!("quadlock.lists.length_{n}"), 13));
        }
        let text = view_text("x.vcd", &Traced { signals, ..Traced::default() }, None);
        let bits = |from: u32| -> String {
            (from..from + 12).map(|i| format!(" ({i})quadlock.lists.semaphore_3[95:0]")).collect()
        };
        // The owner is in bits 11:0, the last twelve from the left.
        for (name, file, from) in [("owner", OWNERS, 84), ("next", ENTRIES, 72), ("fourth", ENTRIES, 48)] {
            let row = format!("@2022\n^1 {file}\n#{{semaphore 3: {name}}}{}\n", bits(from));
            assert!(text.contains(&row), "{row}\n{text}");
        }
        let length = "@24\n#{semaphore 3: length} (0)quadlock.lists.length_3[12:0] (1)";
        assert!(text.contains(length) && text.contains("semaphore 15: owner") && !text.contains("semaphore 16: owner"));
        let names = entry_text("Orange");
        assert_eq!(names.lines().count(), 1025);
        for line in [
            "000 -",
            "814 ?Orange?unit 1 warp 4",
            "C14 ?DimGray?unit 1 warp 4 (released)",
            "9FF ?Orange?unit 31 warp 15",
        ] {
            assert!(names.lines().any(|l| l == line), "{line}");
        }
    }
}
