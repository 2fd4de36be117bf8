//! VCD traces, streamed to disk while the core runs. Scopes follow the block hierarchy; an enum is a bit vector (its names are in a translate
//! file, see `gtkw`), every clock of the design is one VCD variable under many names, and a value is written only when it changes. Cycle n
//! begins at time [`CYCLE_TIME`]*n with the rising edge; what is shown over it is what the rising edge at its end sees. Wrong would be a value
//! written under another signal's code: the engine's two walks (describe, sample) must agree, which a test with `wellen` checks.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

use crate::engine::{Engine, SignalKind, SignalTree};
use crate::error::{bad, io, Input};
use crate::files::AtomicFile;

/// Trace time units (ns) per clock cycle.
pub const CYCLE_TIME: u64 = 10;

/// What a trace contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// First cycle.
    pub from: u64,
    /// Last cycle, inclusive.
    pub to: Option<u64>,
    /// Scopes as dotted paths (`gpu.units$0`); with what is inside them. Empty: all.
    pub scopes: Vec<String>,
    /// The most bytes; the trace ends with the cycle that reaches it.
    pub limit: Option<u64>,
}

impl Window {
    fn selects(&self, scope: &str) -> bool {
        let inside =
            |s: &String| scope == s || scope.strip_prefix(s.as_str()).is_some_and(|rest| rest.starts_with('.'));
        self.scopes.is_empty() || self.scopes.iter().any(inside)
    }
}

/// One selected signal.
#[derive(Clone, Debug)]
pub struct TracedSignal {
    /// Dotted path with the scopes.
    pub path: String,
    pub width: u32,
    /// Type name of an enum.
    pub enumeration: Option<String>,
}

/// A trace being written.
pub struct Trace {
    writer: Writer<AtomicFile>,
    window: Window,
    wanted: Vec<bool>,
    codes: Vec<Option<IdCode>>,
    widths: Vec<u32>,
    last: Vec<Option<u128>>,
    clock: Option<IdCode>,
    /// Selected signals, for the wave view.
    pub signals: Vec<TracedSignal>,
    /// States of every enum type seen, by type name.
    pub enums: BTreeMap<String, Vec<String>>,
    written_to: Option<u64>,
    full: Option<u64>,
    error: Option<std::io::Error>,
}

impl Trace {
    /// Begins a trace of `engine` in the file `path`, which appears when [`Trace::finish`] is called.
    ///
    /// # Errors
    /// The file cannot be written, or no signal is in the scopes asked for.
    pub fn create(path: &Path, engine: &dyn Engine, window: Window) -> Input<Self> {
        let mut plan = Plan::new(&window);
        engine.describe(&mut plan);
        let Plan { root, wanted, widths, signals, enums, scopes, .. } = plan;
        if !wanted.contains(&true) {
            let close = scopes.iter().take(12).cloned().collect::<Vec<_>>().join(", ");
            return bad(format!("no signal in scope {}", window.scopes.join(", ")), format!("scopes begin: {close}"));
        }
        let mut writer = Writer::new(AtomicFile::create(path)?);
        let mut codes = vec![None; wanted.len()];
        let mut clock = None;
        let mut comments: Vec<String> =
            enums.iter().map(|(name, states)| format!("enum {name} {}", states.join(" "))).collect();
        comments
            .extend(signals.iter().filter_map(|s| Some(format!("enum-signal {} {}", s.path, s.enumeration.as_ref()?))));
        write_header(&mut writer, &root, &comments, &mut codes, &mut clock).map_err(|e| io(path, "write", &e))?;
        let last = vec![None; wanted.len()];
        Ok(Self {
            writer,
            window,
            wanted,
            codes,
            widths,
            last,
            clock,
            signals,
            enums,
            written_to: None,
            full: None,
            error: None,
        })
    }

    /// Adds cycle `cycle` of `engine`, to be called after it has settled and before its clock edge.
    pub fn cycle(&mut self, cycle: u64, engine: &dyn Engine) {
        if cycle < self.window.from || self.window.to.is_some_and(|to| cycle > to) || self.error.is_some() {
            return;
        }
        let written = self.writer.writer().written();
        if self.full.is_some() || self.window.limit.is_some_and(|limit| written > limit) {
            self.full.get_or_insert(cycle);
            return;
        }
        self.error = self.write_cycle(cycle, engine).err();
    }

    fn write_cycle(&mut self, cycle: u64, engine: &dyn Engine) -> std::io::Result<()> {
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

    /// Ends the trace: the file appears under its name.
    ///
    /// # Errors
    /// A write failed, now or in an earlier cycle.
    pub fn finish(mut self) -> Input<Traced> {
        let path = self.writer.writer().path().to_owned();
        if let Some(e) = self.error {
            return Err(io(&path, "write", &e));
        }
        if let Some(cycle) = self.written_to {
            let end = (cycle + 1) * CYCLE_TIME;
            self.writer.timestamp(end).map_err(|e| io(&path, "write", &e))?;
        }
        self.writer.flush().map_err(|e| io(&path, "write", &e))?;
        // The writer has no way to give its inner writer back: swap it for one that is dropped unused.
        let file = std::mem::replace(self.writer.writer(), AtomicFile::create(&path)?);
        file.commit()?;
        Ok(Traced { signals: self.signals, enums: self.enums, full: self.full })
    }
}

/// What a finished trace contains: what a wave view needs.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    pub signals: Vec<TracedSignal>,
    pub enums: BTreeMap<String, Vec<String>>,
    /// First cycle left out because the trace had reached its size limit.
    pub full: Option<u64>,
}

/// Writes a change. By hand: the `vcd` crate formats bit by bit, and changes are nearly all of a trace.
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
        let selected = width > 0 && self.window.selects(&path);
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
