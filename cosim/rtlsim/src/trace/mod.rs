//! Waves: VCD and FST files of a running simulation, for some scopes and some cycles. [`Simulation::start_trace`] plans the file (which signals, which of
//! them are one node and so one variable with aliases) and starts a thread that encodes and writes; each sample then costs the simulation one list of changed
//! values, sent in big buffers. What the file holds depends on that list alone, so it is the same from run to run. The file gets its name when it is
//! finished: until then it is `NAME.part`.
//!
//! Time: cycle `c` begins at time `2 c`. In a design of one-evaluation cycles ([`Simulation::single_evaluation`]) the values of the cycle, as they are just before
//! the edge that ends it, stand from `2 c` to `2 c + 2`, and the clock, which the engine does not move, is drawn as 1 then 0. In other designs the clock
//! is low at `2 c` and high at `2 c + 1`. Memories are not traced. Beside the design's signals a trace may have [`Note`]s: variables that the caller sets.
//! FST files have tables of the names of values ([`Enumeration`]), one for each type; VCD has no such thing. How it can be wrong: a change the engine does not report is a change that no wave shows;
//! tests compare files, as read by `wellen`, with peeks.

mod digits;
mod fst;
mod vcd;
mod worker;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::backend::Backend;
use crate::bits::{limbs_of, Bits};
use crate::graph::{Graph, InputId, NodeId, Op, SignalId, SignalKind, Value};
use crate::options::TraceScope;
use crate::sim::{Design, Enumeration, Simulation};
use crate::Error;
use worker::Worker;

/// File format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Text, read by everything.
    Vcd,
    /// Compressed, an order of magnitude smaller.
    Fst,
}

/// A variable of a trace that is no signal of the design: its value is what [`Simulation::note`] said last, 0 before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Scope inside the top scope, one that the design does not have. Notes of one scope are next to each other.
    pub scope: String,
    pub name: String,
    /// In bits, at least 1.
    pub width: u32,
    /// Names of its values, for formats that have tables of them.
    pub names: Option<Arc<Enumeration>>,
}

/// The most bytes of a table of names that readers of FST have room for.
pub const LONGEST_TABLE: usize = 65_536;

/// Whether an FST file has a table of these names: readers have no room for a longer one.
pub fn has_table(names: &Enumeration) -> bool {
    fst::table_text(names).is_some()
}

/// What to trace. The signals must be among those the design was compiled for ([`crate::Options::trace_scope`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// `None`: VCD for a name that ends in `.vcd`, else FST.
    pub format: Option<TraceFormat>,
    /// Which scopes.
    pub scopes: TraceScope,
    /// First cycle.
    pub from: u64,
    /// Cycle after the last.
    pub to: u64,
    /// Lines for the header of a VCD file, each a `$comment`. FST needs none: it has tables of the names of values.
    pub comments: Vec<String>,
    /// Variables that the caller sets, in any scope: `scopes` chooses among signals of the design only.
    pub notes: Vec<Note>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self { format: None, scopes: TraceScope::All, from: 0, to: u64::MAX, comments: Vec::new(), notes: Vec::new() }
    }
}

impl TraceOptions {
    /// Chooses the format.
    pub fn format(mut self, format: TraceFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Takes in scopes that match (see [`crate::options::matches`]) and what is below them, instead of all.
    pub fn scope(mut self, pattern: &str) -> Self {
        match &mut self.scopes {
            TraceScope::Scopes(list) => list.push(pattern.to_owned()),
            TraceScope::None | TraceScope::All => self.scopes = TraceScope::Scopes(vec![pattern.to_owned()]),
        }
        self
    }

    /// Traces only these cycles.
    pub fn cycles(mut self, range: std::ops::Range<u64>) -> Self {
        (self.from, self.to) = (range.start, range.end);
        self
    }
}

/// A line of a file's header, in order.
enum Item<'a> {
    Scope { name: &'a str, module: &'a str },
    Up,
    Var(Var<'a>),
}

/// A declared name.
struct Var<'a> {
    name: &'a str,
    width: u32,
    lsb: i32,
    kind: SignalKind,
    /// Variable: names with one number are aliases.
    number: u32,
    /// Number of its table of names.
    table: Option<u32>,
}

/// What is in a file.
struct Plan<'a> {
    items: Vec<Item<'a>>,
    /// Variable of each observed signal, then of each of `constants`.
    variable: Vec<Option<u32>>,
    /// Values that no engine observes because they never change.
    constants: Vec<Bits>,
    /// Width of each variable. The last ones are those of the notes.
    widths: Vec<u32>,
    /// Tables of names that variables refer to.
    tables: Tables<'a>,
}

/// Tables of names, each once.
#[derive(Default)]
struct Tables<'a> {
    list: Vec<&'a Enumeration>,
    numbers: HashMap<&'a Enumeration, u32>,
}

impl<'a> Tables<'a> {
    fn number(&mut self, table: &'a Enumeration) -> u32 {
        *self.numbers.entry(table).or_insert_with(|| {
            self.list.push(table);
            self.list.len() as u32 - 1
        })
    }
}

impl<'a> Plan<'a> {
    fn new(graph: &'a Graph, design: &'a Design, observed: &[SignalId], scopes: &TraceScope) -> Result<Self, Error> {
        let mut plan = Self {
            items: Vec::new(),
            variable: vec![None; observed.len()],
            constants: Vec::new(),
            widths: Vec::new(),
            tables: Tables::default(),
        };
        let same = same_source(graph);
        // observed signal of each node
        let mut of_node = vec![None; graph.nodes.len()];
        for (i, &signal) in observed.iter().enumerate() {
            if let Value::Node(node) = graph.signals[signal.index()].value {
                of_node[same[node.index()].index()] = Some(i);
            }
        }
        let inside = scopes.scopes(graph);
        let mut wanted = inside.clone();
        let mut children = vec![Vec::new(); graph.scopes.len()];
        for (i, scope) in graph.scopes.iter().enumerate().rev() {
            if let Some(parent) = scope.parent {
                wanted[parent.index()] |= wanted[i];
                children[parent.index()].push(i);
            }
        }
        let mut signals = vec![Vec::new(); graph.scopes.len()];
        for (i, s) in graph.signals.iter().enumerate() {
            signals[s.scope.index()].push(SignalId(i as u32));
        }
        // children are in reverse order, which is what a stack wants; None: go up
        let mut todo: Vec<Option<usize>> =
            (0..graph.scopes.len()).rev().filter(|&i| graph.scopes[i].parent.is_none()).map(Some).collect();
        while let Some(next) = todo.pop() {
            let Some(i) = next else {
                plan.items.push(Item::Up);
                continue;
            };
            if !wanted[i] {
                continue;
            }
            plan.items.push(Item::Scope { name: &graph.scopes[i].name, module: &graph.scopes[i].module });
            if inside[i] {
                for &signal in &signals[i] {
                    let names = design.enumeration_number(signal).and_then(|n| design.enumerations_found().get(n));
                    plan.declare(graph, &same, &mut of_node, (signal, names))?;
                }
            }
            todo.push(None);
            todo.extend(children[i].iter().map(|&c| Some(c)));
        }
        Ok(plan)
    }

    fn declare(
        &mut self,
        graph: &'a Graph,
        same: &[NodeId],
        of_node: &mut [Option<usize>],
        (id, names): (SignalId, Option<&'a Enumeration>),
    ) -> Result<(), Error> {
        let signal = &graph.signals[id.index()];
        let Value::Node(node) = signal.value else { return Ok(()) };
        let node = same[node.index()];
        if let (None, Op::Const(value)) = (of_node[node.index()], &graph.node(node).op) {
            of_node[node.index()] = Some(self.variable.len());
            self.variable.push(None);
            self.constants.push(value.clone());
        }
        let Some(i) = of_node[node.index()] else {
            return Err(Error::Name(format!(
                "signals of {} cannot be traced: compile with Options::trace_all or trace_scope",
                graph.scope_path(signal.scope)
            )));
        };
        let number = *self.variable[i].get_or_insert_with(|| {
            self.widths.push(graph.width(node));
            self.widths.len() as u32 - 1
        });
        let Some(&width) = self.widths.get(number as usize) else { return Ok(()) };
        let table = names.map(|names| self.tables.number(names));
        self.items.push(Item::Var(Var {
            name: &signal.name,
            width,
            lsb: signal.lsb,
            kind: signal.kind,
            number,
            table,
        }));
        Ok(())
    }

    /// Declares notes at the end of the top scope, which is there even if no signal is traced.
    fn declare_notes(&mut self, graph: &'a Graph, notes: &'a [Note]) {
        let Some(top) = graph.scopes.iter().find(|s| s.parent.is_none()).filter(|_| !notes.is_empty()) else { return };
        if self.items.is_empty() {
            self.items.extend([Item::Scope { name: &top.name, module: &top.module }, Item::Up]);
        }
        let mut items = Vec::new();
        for (i, note) in notes.iter().enumerate() {
            if i == 0 || notes[i - 1].scope != note.scope {
                items.push(Item::Scope { name: &note.scope, module: "" });
            }
            let number = self.widths.len() as u32;
            self.widths.push(note.width);
            let table = note.names.as_deref().map(|names| self.tables.number(names));
            let (name, width, kind) = (&note.name, note.width, SignalKind::Wire);
            items.push(Item::Var(Var { name, width, lsb: 0, kind, number, table }));
            if notes.get(i + 1).is_none_or(|next| next.scope != note.scope) {
                items.push(Item::Up);
            }
        }
        let mut depth = 0;
        let end = self.items.iter().position(|item| {
            match item {
                Item::Scope { .. } => depth += 1,
                Item::Up => depth -= 1,
                Item::Var(_) => {}
            }
            depth == 0
        });
        let end = end.unwrap_or(self.items.len());
        self.items.splice(end..end, items);
    }
}

/// Several nodes may be one input or register, and an engine observes one of them: the first stands for all.
fn same_source(graph: &Graph) -> Vec<NodeId> {
    let mut first: HashMap<&Op, NodeId> = HashMap::new();
    let ids = (0..graph.nodes.len()).map(|i| NodeId(i as u32));
    ids.map(|id| match &graph.node(id).op {
        op @ (Op::Input(_) | Op::Reg(_)) => *first.entry(op).or_insert(id),
        _ => id,
    })
    .collect()
}

/// A file format, called from the worker thread.
trait Sink: Send {
    /// A later time.
    fn time(&mut self, time: u64) -> std::io::Result<()>;

    /// A value of a variable, least significant limb first; equal values may come again.
    fn change(&mut self, variable: u32, limbs: &[u64]) -> std::io::Result<()>;

    /// Completes the file.
    fn finish(self: Box<Self>) -> std::io::Result<()>;
}

/// An open trace.
pub(crate) struct Tracer {
    worker: Worker,
    from: u64,
    to: u64,
    last: Option<u64>,
    /// Observed signals, to write all of them at the first sample.
    observed: usize,
    constants: Vec<Bits>,
    notes: Vec<Noted>,
    /// Notes that were set since the last sample.
    set: Vec<usize>,
    limbs: Vec<u64>,
    path: PathBuf,
}

/// The value of a note.
struct Noted {
    width: u32,
    limbs: Vec<u64>,
    /// It is in the list of those that were set.
    set: bool,
}

/// Name that a file has until it is finished.
fn part_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

fn io_error(path: &Path, error: &std::io::Error) -> Error {
    Error::Io { file: path.display().to_string(), message: error.to_string() }
}

impl Tracer {
    /// `drawn_clocks`: clock inputs that the engine does not move.
    fn start(
        path: &Path,
        options: &TraceOptions,
        graph: &Graph,
        design: &Design,
        observed: &[SignalId],
        drawn_clocks: &[InputId],
    ) -> Result<Self, Error> {
        let mut plan = Plan::new(graph, design, observed, &options.scopes)?;
        plan.declare_notes(graph, &options.notes);
        if plan.widths.is_empty() {
            return Err(Error::Name("no signal to trace: no scope matches".into()));
        }
        let is_vcd = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("vcd"));
        let format = options.format.unwrap_or(if is_vcd { TraceFormat::Vcd } else { TraceFormat::Fst });
        let part = part_name(path);
        let sink: Box<dyn Sink> = match format {
            TraceFormat::Vcd => {
                Box::new(vcd::VcdSink::new(&part, &plan, &options.comments).map_err(|e| io_error(&part, &e))?)
            }
            TraceFormat::Fst => Box::new(fst::FstSink::new(&part, &plan).map_err(|e| io_error(&part, &e))?),
        };
        let observed_routes = observed.iter().zip(&plan.variable).map(|(&signal, &variable)| {
            let s = &graph.signals[signal.index()];
            let clock = match s.value {
                Value::Node(n) => matches!(graph.node(n).op, Op::Input(i) if drawn_clocks.contains(&i)),
                Value::Memory(_) => false,
            };
            worker::Route { variable, limbs: limbs_of(s.width) as u32, clock }
        });
        let fixed = plan.constants.iter().zip(&plan.variable[observed.len()..]);
        let constant_routes =
            fixed.map(|(v, &variable)| worker::Route { variable, limbs: v.limbs().len() as u32, clock: false });
        let first_note = plan.widths.len() - options.notes.len();
        let note_routes = (first_note..).zip(&options.notes).map(|(variable, note)| worker::Route {
            variable: Some(variable as u32),
            limbs: limbs_of(note.width) as u32,
            clock: false,
        });
        let routes = observed_routes.chain(constant_routes).chain(note_routes).collect();
        let noted = |n: &Note| Noted { width: n.width, limbs: vec![0; limbs_of(n.width)], set: false };
        let constants = plan.constants;
        let worker = Worker::start(sink, routes);
        Ok(Self {
            worker,
            from: options.from.saturating_mul(2),
            to: options.to.saturating_mul(2),
            last: None,
            observed: observed.len(),
            constants,
            notes: options.notes.iter().map(noted).collect(),
            set: Vec::new(),
            limbs: Vec::new(),
            path: path.to_owned(),
        })
    }

    /// Sets a note; bits above its width are cut off.
    fn note(&mut self, index: usize, value: &[u64]) {
        let Some(note) = self.notes.get_mut(index) else { return };
        for (i, limb) in note.limbs.iter_mut().enumerate() {
            let bits = (note.width - 64 * i as u32).min(64);
            *limb = value.get(i).copied().unwrap_or(0) & u64::MAX >> (64 - bits);
        }
        if !std::mem::replace(&mut note.set, true) {
            self.set.push(index);
        }
    }

    /// The settled values at a time; times that are not later than the last one are left out.
    pub fn sample(&mut self, backend: &mut dyn Backend, time: u64) -> Result<(), Error> {
        if time < self.from || time >= self.to || self.last.is_some_and(|last| time <= last) {
            return Ok(());
        }
        let buffer = self.worker.sample(time);
        if self.last.is_none() {
            // what changed before the window does not matter: all values are written
            backend.changes(&mut |_| {});
            for i in 0..self.observed {
                backend.observe(i, &mut self.limbs);
                buffer.push(i as u64);
                buffer.extend_from_slice(&self.limbs);
            }
            for (k, value) in self.constants.iter().enumerate() {
                buffer.push((self.observed + k) as u64);
                buffer.extend_from_slice(value.limbs());
            }
            self.set = (0..self.notes.len()).collect();
        } else {
            backend.drain_changes(buffer);
        }
        for i in self.set.drain(..) {
            let note = &mut self.notes[i];
            note.set = false;
            buffer.push((self.observed + self.constants.len() + i) as u64);
            buffer.extend_from_slice(&note.limbs);
        }
        self.last = Some(time);
        self.worker.end_sample().map_err(|e| io_error(&self.path, &e))
    }

    fn finish(self) -> Result<(), Error> {
        let fail = |e| io_error(&self.path, &e);
        self.worker.finish().map_err(fail)?;
        std::fs::rename(part_name(&self.path), &self.path).map_err(fail)
    }
}

impl Simulation {
    /// Writes waves to a file from now on (or from the first cycle asked for). One trace at a time: an open one is finished first. Call
    /// [`Simulation::finish_trace`] at the end; without it the file stays incomplete under the name with `.part`.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be made, [`Error::Name`] if no scope matches or the design was not compiled for tracing it.
    pub fn start_trace(&mut self, path: impl AsRef<Path>, options: &TraceOptions) -> Result<(), Error> {
        self.finish_trace()?;
        let clocks = if self.single_evaluation() { self.clocks.inputs().to_vec() } else { Vec::new() };
        let (observed, design) = (self.backend.observed(), self.design().clone());
        self.tracer = Some(Tracer::start(path.as_ref(), options, &self.graph, &design, observed, &clocks)?);
        Ok(())
    }

    /// Sets the value of [`TraceOptions::notes`]`[index]` from the next sample on: before the clock edge of a cycle, it is what the trace shows in that
    /// cycle. Least significant limb first; limbs that are missing are 0. Nothing without an open trace or such a note.
    pub fn note(&mut self, index: usize, value: &[u64]) {
        if let Some(tracer) = &mut self.tracer {
            tracer.note(index, value);
        }
    }

    /// Writes the present values, completes the file and gives it its name. Nothing without an open trace.
    ///
    /// # Errors
    /// [`Error::Io`] if the file could not be written.
    pub fn finish_trace(&mut self) -> Result<(), Error> {
        if self.tracer.is_some() {
            self.settle();
            self.sample(2 * self.cycle())?;
        }
        self.tracer.take().map_or(Ok(()), Tracer::finish)
    }
}
