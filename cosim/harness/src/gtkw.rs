//! The GTKWave view of a trace (`.gtkw`) and its translate files. Both are generated from the list of traced signals, so a view never names a signal that
//! is not there. Groups: the core, then per warp unit issue, retirement (with the opcode by name), completions and the warps' counters and
//! masks. Files lie beside the trace and refer to each other by name only, so the folder can be moved.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use quadlock_isa::wave::gtkwave_opcodes;
use vcd::ScopeItem;

use crate::error::{bad, io, Input, InputError};
use crate::files::write_atomic;
use crate::wave::{Traced, TracedSignal, CYCLE_TIME};

const OPCODES: &str = "opcodes.txt";

// Flags of a row in GTKWave's save file.
const HEX: u32 = 0x22;
const BINARY: u32 = 0x28;
const TRANSLATED: u32 = 0x2000;
const GROUP_BEGIN: u32 = 0x80_0200;
const GROUP_END: u32 = 0x100_0200;

/// Writes the view and the translate files beside `trace`; the marker stands on cycle `marker`.
///
/// # Errors
/// A file cannot be written.
pub fn write(trace: &Path, traced: &Traced, marker: Option<u64>) -> Input<Vec<PathBuf>> {
    let folder = trace.parent().unwrap_or(Path::new(""));
    let mut files = vec![folder.join(OPCODES)];
    write_atomic(&files[0], gtkwave_opcodes().as_bytes())?;
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

    /// Bits 7:0 of an instruction word by name. GTKWave counts the bits of a vector from the left.
    fn opcode(&mut self, label: &str, signal: &TracedSignal) {
        self.line(&format!("@{:x}", HEX | TRANSLATED));
        self.line(&format!("^1 {OPCODES}"));
        let reference = Self::reference(signal);
        let low = signal.width.saturating_sub(8);
        let bits: Vec<String> = (low..signal.width).map(|i| format!("({i}){reference}")).collect();
        self.line(&format!("#{{{label}}} {}", bits.join(" ")));
    }

    /// A group of the signals chosen by `choose`; none if there are none.
    fn group(&mut self, title: &str, choose: &dyn Fn(&TracedSignal) -> bool) {
        let chosen: Vec<TracedSignal> = self.signals.iter().filter(|s| choose(s)).cloned().collect();
        if chosen.is_empty() {
            return;
        }
        self.line(&format!("@{GROUP_BEGIN:x}"));
        self.line(&format!("-{title}"));
        for signal in &chosen {
            let name = leaf(signal);
            if name.starts_with("ret_lo_") || name == "ret_lo" {
                self.opcode("retired instruction", signal);
            }
            self.signal(signal);
        }
        self.line(&format!("@{GROUP_END:x}"));
        self.line(&format!("-{title}"));
    }
}

fn leaf(signal: &TracedSignal) -> &str {
    signal.path.rsplit('.').next().unwrap_or(&signal.path)
}

/// Path of the top level's signals: the shortest scope.
fn is_top(signal: &TracedSignal) -> bool {
    signal.path.matches('.').count() == 1
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
    view.group("core", &|s| starts(s, &["clock", "busy", "trapped", "host_"]));
    view.group("memory port", &|s| starts(s, &["mem_"]));
    view.group("launches", &|s| starts(s, &["launch_"]));
    let units = traced.signals.iter().filter(|s| starts(s, &["ret_valid_"])).filter_map(|s| element(&s.path)).max();
    for unit in 0..=units.unwrap_or(0) {
        if units.is_none() {
            break;
        }
        let of = |s: &TracedSignal, prefixes: &[&str]| starts(s, prefixes) && element(&s.path) == Some(unit);
        view.group(&format!("unit {unit}: issue"), &|s| of(s, &["issue_", "stall_"]));
        view.group(&format!("unit {unit}: retire"), &|s| of(s, &["ret_"]));
        view.group(&format!("unit {unit}: completions"), &|s| of(s, &["mret_"]));
        view.group(&format!("unit {unit}: shared writes"), &|s| of(s, &["shw_"]));
        let scope = format!(".units_{unit}.");
        let states = |s: &TracedSignal| s.enumeration.is_some() && !s.path.contains(".lanes_");
        view.group(&format!("unit {unit}: states"), &|s| s.path.contains(&scope) && states(s));
        for warp in 0..16 {
            let context = format!(".contexts_{warp}.");
            let architectural = |s: &TracedSignal| {
                let register =
                    s.path.ends_with(".q") && ["pc", "mask", "running", "blocked"].iter().any(|k| s.path.contains(k));
                s.path.contains(&scope) && s.path.contains(&context) && register
            };
            view.group(&format!("unit {unit} warp {warp}: counters and masks"), &architectural);
        }
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
        let mut state = signal("quadlock.units_0.scheduler.state.q", 2);
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
        assert!(text.contains("^1 state-State.txt\nquadlock.units_0.scheduler.state.q[1:0]"));
        assert!(!text.contains("mret"));
        let begins = text.matches("@800200").count();
        assert_eq!(begins, text.matches("@1000200").count());
        assert_eq!(enum_text(&traced.enums["State"]), "00 Idle\n01 Run\n10 End\n");
    }
}
