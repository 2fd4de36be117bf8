//! Traces: by the engine itself where it can (rtlsim: VCD and FST, only what changed is visited),
//! else VCD from samples of every signal, streamed to disk while the core runs. Either way the
//! names are those of the exported Verilog. Scopes follow the block hierarchy; an enum is a bit
//! vector (its names are in a translate file, see `gtkw`), every clock of the design is one VCD
//! variable under many names, and a value is written only when it changes. Cycle n begins at time
//! [`CYCLE_TIME`]*n with the rising edge; what is shown over it is what the rising edge at its end
//! sees. Wrong would be a value written under another signal's code: the engine's two walks
//! (describe, sample) must agree, which a test with `wellen` checks. Beside the core's signals a
//! trace has the lists of the semaphores ([`crate::view::lists`]), which each engine follows
//! itself, and the cycle and what happens in it ([`crate::view::events`]).

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use quadlock_hdl::base::like::did_you_mean;
use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

use crate::base::error::{bad, io, Input, InputError};
use crate::base::files::AtomicFile;
use crate::engine::Engine;
use crate::machine::signals::{SignalKind, SignalTree, Window};
use crate::view::events;

/// Trace time units (ns) per clock cycle.
pub const CYCLE_TIME: u64 = 2;

/// One selected signal.
#[derive(Clone, Debug)]
pub struct TracedSignal {
    /// Dotted path with the scopes.
    pub path: String,
    /// In bits.
    pub width: u32,
    /// Type name of an enum.
    pub enumeration: Option<String>,
}

/// A trace being written.
pub struct Trace {
    path: PathBuf,
    window: Window,
    writing: Writing,
    /// Selected signals, for the wave view.
    signals: Vec<TracedSignal>,
    /// States of every enum type seen, by type name.
    enums: BTreeMap<String, Vec<String>>,
    full: Option<u64>,
}

/// Who writes.
enum Writing {
    /// The engine.
    Engine,
    /// This file, from samples.
    Sampled(Box<Sampled>),
    /// Nobody any more, because the limit was reached or after an error.
    Ended(Option<InputError>),
}

/// A trace written from samples.
struct Sampled {
    writer: Writer<AtomicFile>,
    wanted: Vec<bool>,
    codes: Vec<Option<IdCode>>,
    widths: Vec<u32>,
    last: Vec<Option<u128>>,
    clock: Option<IdCode>,
    written_to: Option<u64>,
    error: Option<std::io::Error>,
}

/// Cycles between two looks at the size of a file that the engine writes.
const LOOK: u64 = 64;

impl Trace {
    /// Begins a trace of `engine` in the file `path` (FST if it is called so, else VCD), which
    /// appears when [`Trace::finish`] is called.
    ///
    /// # Errors
    /// The file cannot be written, no signal is in the scopes asked for, or FST of an engine that
    /// has to be sampled.
    pub fn create(path: &Path, engine: &mut dyn Engine, window: Window) -> Input<Self> {
        let mut plan = Plan::new(&window);
        engine.describe(&mut plan);
        let Plan { root, wanted, widths, signals, enums, scopes, .. } = plan;
        let time = |s: &TracedSignal| s.path.split('.').nth(1) == Some(events::TIME);
        if signals.iter().all(time) {
            let like = window.scopes.first().map_or(String::new(), |asked| did_you_mean(asked, &scopes));
            let what = format!("no signal in scope {}{like}", window.scopes.join(", "));
            return bad(what, "`quadlock scopes FILE` lists the scopes of its machine");
        }
        let mut comments: Vec<String> =
            enums.iter().map(|(name, states)| format!("enum {name} {}", states.join(" "))).collect();
        comments
            .extend(signals.iter().filter_map(|s| Some(format!("enum-signal {} {}", s.path, s.enumeration.as_ref()?))));
        create_folder(path)?;
        let by_engine =
            engine.start_trace(path, &window, &comments).or_else(|e| bad(e, "choose another file or scope"))?;
        let writing = if by_engine {
            Writing::Engine
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("fst")) {
            return bad(format!("the engine {} writes no FST", engine.name()), "ask for VCD, or leave out --rtl");
        } else {
            Writing::Sampled(Box::new(Sampled::new(path, &root, &comments, wanted, widths)?))
        };
        Ok(Self { path: path.to_owned(), window, writing, signals, enums, full: None })
    }

    /// Adds cycle `cycle` of `engine`, to be called after it has settled and before its clock edge.
    pub fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine) {
        let outside = cycle < self.window.from || self.window.to.is_some_and(|to| cycle > to);
        if outside || self.full.is_some() || matches!(self.writing, Writing::Ended(_)) {
            return;
        }
        if let Some(limit) = self.window.limit {
            let written = match &mut self.writing {
                Writing::Engine if cycle.is_multiple_of(LOOK) => engine.trace_size(),
                Writing::Sampled(s) => s.writer.writer().written(),
                _ => 0,
            };
            if written > limit {
                self.full = Some(cycle);
                if let Writing::Engine = self.writing {
                    let error = engine.stop_trace().err().map(InputError::new);
                    self.writing = Writing::Ended(error);
                }
                return;
            }
        }
        if let Writing::Sampled(s) = &mut self.writing {
            if s.error.is_none() {
                s.error = s.write_cycle(cycle, engine).err();
            }
        }
    }

    /// Ends the trace: the file appears under its name.
    ///
    /// # Errors
    /// A write failed, now or in an earlier cycle.
    pub fn finish(self, engine: &mut dyn Engine) -> Input<Traced> {
        match self.writing {
            Writing::Engine => {
                engine.stop_trace().or_else(|e| bad(e, "make room, or choose a smaller window"))?;
            }
            Writing::Sampled(s) => s.finish(&self.path)?,
            Writing::Ended(Some(e)) => return Err(Box::new(e)),
            Writing::Ended(None) => {}
        }
        Ok(Traced { signals: self.signals, enums: self.enums, full: self.full })
    }
}

fn create_folder(path: &Path) -> Input<()> {
    match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => std::fs::create_dir_all(p).map_err(|e| io(p, "create folder", &e)),
        _ => Ok(()),
    }
}

impl Sampled {
    fn new(path: &Path, root: &Scope, comments: &[String], wanted: Vec<bool>, widths: Vec<u32>) -> Input<Self> {
        let mut writer = Writer::new(AtomicFile::create(path)?);
        let mut codes = vec![None; wanted.len()];
        let mut clock = None;
        write_header(&mut writer, root, comments, &mut codes, &mut clock).map_err(|e| io(path, "write", &e))?;
        let last = vec![None; wanted.len()];
        Ok(Self { writer, wanted, codes, widths, last, clock, written_to: None, error: None })
    }

    fn write_cycle(&mut self, cycle: u64, engine: &mut dyn Engine) -> std::io::Result<()> {
        let Self { writer, wanted, codes, widths, last, clock, .. } = self;
        writer.timestamp(cycle * CYCLE_TIME)?;
        if let Some(clock) = clock {
            writer.change_scalar(*clock, Value::V1)?;
        }
        let mut result = Ok(());
        engine.sample(wanted, &mut |i, value| {
            if last[i] == Some(value) || result.is_err() {
                return;
            }
            last[i] = Some(value);
            if let Some(code) = codes[i] {
                result = write_value(writer, code, widths[i], value);
            }
        });
        result?;
        if let Some(clock) = clock {
            writer.timestamp(cycle * CYCLE_TIME + CYCLE_TIME / 2)?;
            writer.change_scalar(*clock, Value::V0)?;
        }
        self.written_to = Some(cycle);
        Ok(())
    }

    fn finish(mut self, path: &Path) -> Input<()> {
        if let Some(e) = self.error {
            return Err(io(path, "write", &e));
        }
        if let Some(cycle) = self.written_to {
            let end = (cycle + 1) * CYCLE_TIME;
            self.writer.timestamp(end).map_err(|e| io(path, "write", &e))?;
        }
        self.writer.flush().map_err(|e| io(path, "write", &e))?;
        // The writer has no way to give its inner writer back: swap it for one that is dropped
        // unused.
        std::mem::replace(self.writer.writer(), AtomicFile::create(path)?).commit()
    }
}

/// What a finished trace contains: what a wave view needs.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// In the order of the file.
    pub signals: Vec<TracedSignal>,
    /// By type name: names of the states, by value.
    pub enums: BTreeMap<String, Vec<String>>,
    /// First cycle left out because the trace had reached its size limit.
    pub full: Option<u64>,
}

/// Writes a change. By hand: the `vcd` crate formats bit by bit, and changes are nearly all of a
/// trace.
fn write_value(writer: &mut Writer<AtomicFile>, code: IdCode, width: u32, value: u128) -> std::io::Result<()> {
    let mut line = [0u8; 136];
    let mut length = 0;
    if width > 1 {
        line[0] = b'b';
        length = 1;
    }
    // Leading zeros may be left out; one digit has to stay.
    let digits = (128 - value.leading_zeros()).clamp(1, width.max(1));
    for i in (0..digits).rev() {
        line[length] = b'0' + (value >> i & 1) as u8;
        length += 1;
    }
    if width > 1 {
        line[length] = b' ';
        length += 1;
    }
    writer.writer().write_all(&line[..length])?;
    writeln!(writer.writer(), "{code}")
}

#[derive(Default)]
struct Scope {
    name: String,
    /// (index of the signal, name, width, clock)
    signals: Vec<(usize, String, u32, bool)>,
    scopes: Vec<Scope>,
}

struct Plan<'a> {
    window: &'a Window,
    path: Vec<String>,
    stack: Vec<Scope>,
    root: Scope,
    wanted: Vec<bool>,
    widths: Vec<u32>,
    signals: Vec<TracedSignal>,
    enums: BTreeMap<String, Vec<String>>,
    scopes: Vec<String>,
}

impl<'a> Plan<'a> {
    fn new(window: &'a Window) -> Self {
        Self {
            window,
            path: Vec::new(),
            stack: Vec::new(),
            root: Scope::default(),
            wanted: Vec::new(),
            widths: Vec::new(),
            signals: Vec::new(),
            enums: BTreeMap::new(),
            scopes: Vec::new(),
        }
    }
}

impl SignalTree for Plan<'_> {
    fn enter(&mut self, scope: &str) {
        self.path.push(scope.to_owned());
        self.scopes.push(self.path.join("."));
        self.stack.push(Scope { name: scope.to_owned(), ..Scope::default() });
    }

    fn leave(&mut self) {
        self.path.pop();
        let Some(scope) = self.stack.pop() else { return };
        if scope.signals.is_empty() && scope.scopes.is_empty() {
            return;
        }
        match self.stack.last_mut() {
            Some(parent) => parent.scopes.push(scope),
            None => self.root.scopes.push(scope),
        }
    }

    fn signal(&mut self, name: &str, width: u32, kind: SignalKind) {
        let path = self.path.join(".");
        let clock = kind == SignalKind::Clock;
        // The number of the cycle, and of the dispatch, is in every trace.
        let time = self.path.len() == 2 && self.path[1] == events::TIME;
        let selected = width > 0 && (time || self.window.selects(&path));
        if let (true, Some(scope)) = (selected, self.stack.last_mut()) {
            scope.signals.push((self.wanted.len(), name.to_owned(), width, clock));
            let enumeration = match kind {
                SignalKind::Enum { type_name, states } => {
                    self.enums.insert(type_name.clone(), states);
                    Some(type_name)
                }
                _ => None,
            };
            self.signals.push(TracedSignal { path: format!("{path}.{name}"), width, enumeration });
        }
        // The clock is written by the trace itself.
        self.wanted.push(selected && !clock);
        self.widths.push(width);
    }
}

fn write_header(
    writer: &mut Writer<AtomicFile>,
    root: &Scope,
    comments: &[String],
    codes: &mut [Option<IdCode>],
    clock: &mut Option<IdCode>,
) -> std::io::Result<()> {
    writer.version(concat!("quadlock ", env!("CARGO_PKG_VERSION")))?;
    writer.timescale(1, TimescaleUnit::NS)?;
    for comment in comments {
        writer.comment(comment)?;
    }
    for scope in &root.scopes {
        write_scope(writer, scope, codes, clock)?;
    }
    writer.enddefinitions()
}

fn write_scope(
    writer: &mut Writer<AtomicFile>,
    scope: &Scope,
    codes: &mut [Option<IdCode>],
    clock: &mut Option<IdCode>,
) -> std::io::Result<()> {
    writer.add_module(&scope.name)?;
    for (index, name, width, is_clock) in &scope.signals {
        match (is_clock, *clock) {
            (true, Some(code)) => writer.var_def(VarType::Wire, 1, code, name, None)?,
            (true, None) => *clock = Some(writer.add_wire(1, name)?),
            (false, _) => codes[*index] = Some(writer.add_wire(*width, name)?),
        }
    }
    for inner in &scope.scopes {
        write_scope(writer, inner, codes, clock)?;
    }
    writer.upscope()
}
