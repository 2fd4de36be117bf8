//! The exported Verilog, compiled to native code by `quadlock-rtlsim`: the engine of everything
//! that does not ask for another one. What ships is this text, so it is what is simulated. Ports
//! are read by handles made once, and a group of event ports only while its valid is 1. Parsed
//! designs are kept per process and idle simulations per thread, so that a second run on a
//! configuration starts from a snapshot. It can be wrong where the compiled simulator is; the
//! recorded jobs of the cross-check run on Verilator and Icarus too.

use std::any::Any;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::ports::ListOperation;
use quadlock_rtlsim::graph::SignalKind as RtlKind;
use quadlock_rtlsim::trace::{TraceFormat, TraceOptions};
use quadlock_rtlsim::{Design, Options, Simulation, Snapshot};

use super::notes::{notes, NotePlaces};
pub use super::rtl_ports::InPorts;
use super::rtl_ports::{BusPorts, Finder, GraphicsPorts, OutPorts, Port};
use super::top::TOP;
use super::{Engine, EngineError, EngineState};
use crate::base::files::Unfinished;
use crate::machine::ports::{
    AheadEvent, BusEvent, CommitEvent, CompletionEvent, CullEvent, GraphicsLaunched, Inputs, LaunchEvent, ListOp,
    MemoryRequest, MergeEvent, Outputs, RetireEvent, SharedWriteEvent, SplitEvent, StageEvent, StateEvent, TileEvent,
    TrapPlace, TriangleEvent, UnitOutputs, WindowEvent, WorkEvent,
};
use crate::machine::signals::Window;
use crate::machine::signals::{SignalKind, SignalTree};
use crate::view::events::EventView;
use crate::view::lists::ListView;
/// Parsed designs kept in a process.
const DESIGNS: usize = 48;
/// Idle simulations kept in a thread.
const IDLE: usize = 48;

static PARSED: Mutex<Vec<(GpuConfig, Design)>> = Mutex::new(Vec::new());

thread_local! {
    static POOL: RefCell<Vec<(GpuConfig, Box<Core>)>> = const { RefCell::new(Vec::new()) };
}

/// The design of a configuration: from the cache, or exported, parsed and elaborated; once per
/// process.
///
/// # Errors
/// A build parameter out of range, or Verilog that the simulator does not take, in words.
pub fn design(config: &GpuConfig) -> Result<Design, String> {
    let find = |list: &[(GpuConfig, Design)]| list.iter().find(|d| d.0 == *config).map(|d| d.1.clone());
    // A panic elsewhere leaves the list as it was: entries are pushed whole.
    if let Some(design) = find(&PARSED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(design);
    }
    let design = super::cache::design(TOP, config)?;
    let mut list = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    if find(&list).is_none() {
        if list.len() == DESIGNS {
            list.remove(0);
        }
        list.push((config.clone(), design.clone()));
    }
    Ok(design)
}

/// A compiled core with its handles and its start state.
struct Core {
    sim: Simulation,
    ins: InPorts,
    outs: OutPorts,
    start: Snapshot,
}

impl Core {
    fn new(config: &GpuConfig, options: &Options) -> Result<Self, String> {
        let sim = design(config)?.compile(options).map_err(|e| e.to_string())?;
        let ins = InPorts::of(&sim).map_err(|e| e.to_string())?;
        let outs = Finder(&sim).outputs(config).map_err(|e| e.to_string())?;
        let start = sim.snapshot();
        Ok(Self { sim, ins, outs, start })
    }

    fn get(&mut self, port: Port) -> u64 {
        match port {
            Port::Constant(value) => value,
            Port::Live(handle) => self.sim.peek(handle),
        }
    }

    fn bit(&mut self, port: Port) -> bool {
        self.get(port) != 0
    }

    fn words<const N: usize>(&mut self, ports: [Port; N]) -> [u64; N] {
        ports.map(|p| self.get(p))
    }

    fn apply(&mut self, now: &Inputs, before: Option<&Inputs>) {
        self.ins.apply(&mut self.sim, now, before);
    }

    fn read(&mut self, out: &mut Outputs) {
        let o = &self.outs;
        let (busy, trapped, trap, ready) = (o.busy, o.trapped, o.trap, o.mem_rsp_ready);
        let (request, source, launched) = (o.mem_req_valid, o.mem_req_source, o.launch[0]);
        let (operation, exhausted) = (o.list[0], o.pool_exhausted);
        out.busy = self.bit(busy);
        out.trapped = self.bit(trapped);
        if out.trapped {
            let [unit, warp, pc] = trap.map(|p| self.get(p));
            out.trap = TrapPlace { unit: unit as u8, warp: warp as u8, pc: pc as u16 };
        }
        out.mem_rsp_ready = self.bit(ready);
        out.mem_req = self.bit(request).then(|| self.request());
        out.mem_source = out.mem_req.is_some().then(|| self.get(source) as u8);
        out.launch = self.bit(launched).then(|| self.words(self.outs.launch)).and_then(LaunchEvent::of);
        out.bus.clear();
        for k in 0..self.outs.bus.len() {
            let BusPorts { valid, from, head, body } = self.outs.bus[k];
            if self.bit(valid) {
                let (from, head, body) = (self.get(from), self.get(head), self.get(body));
                out.bus.push(BusEvent::of(k as u8, from as u8, head as u16, body as u32));
            }
        }
        let operation = self.bit(operation).then(|| self.words(self.outs.list)).and_then(ListOperation::of);
        out.list_op = operation.map(|op| ListOp::of(&op));
        out.pool_exhausted = self.bit(exhausted);
        if self.outs.graphics.is_some() {
            self.read_graphics(out);
        }
        for (u, unit) in out.units.iter_mut().enumerate() {
            let p = &self.outs.units[u];
            let (retire, completion, shared_write) = (p.retire[0], p.completion[0], p.shared_write[0]);
            let (issue, stall, waiting) = (p.issue, p.stall, p.waiting);
            let retire = self.bit(retire).then(|| self.words(self.outs.units[u].retire));
            let completion = self.bit(completion).then(|| self.words(self.outs.units[u].completion));
            let shared_write = self.bit(shared_write).then(|| self.words(self.outs.units[u].shared_write));
            unit.retire = retire.and_then(RetireEvent::of);
            unit.completion = completion.and_then(CompletionEvent::of);
            unit.shared_write = shared_write.and_then(SharedWriteEvent::of);
            unit.issue = self.bit(issue);
            unit.waiting = self.get(waiting) as u16;
            unit.stall = 0;
            if !unit.issue {
                for (bit, port) in stall.into_iter().enumerate() {
                    unit.stall |= u8::from(self.bit(port)) << bit;
                }
            }
        }
    }

    fn read_graphics(&mut self, out: &mut Outputs) {
        let Some(ports) = self.outs.graphics else { return };
        let out = &mut out.graphics;
        let GraphicsPorts { launch, triangle, commit, state, tile, work, stage } = ports;
        out.launch = self.bit(launch[0]).then(|| self.words(launch)).and_then(GraphicsLaunched::of);
        out.triangle = self.bit(triangle[0]).then(|| self.words(triangle)).and_then(TriangleEvent::of);
        out.commit = self.bit(commit[0]).then(|| self.words(commit)).and_then(CommitEvent::of);
        out.state = self.bit(state[0]).then(|| self.words(state)).and_then(StateEvent::of);
        out.tile = self.bit(tile[0]).then(|| self.words(tile)).and_then(TileEvent::of);
        out.stage = self.bit(stage[0]).then(|| self.words(stage)).and_then(StageEvent::of);
        out.work = self.bit(work[0]).then(|| self.words(work)).and_then(WorkEvent::of);
        out.merges.clear();
        for k in 0..self.outs.merges.len() {
            let ports = self.outs.merges[k];
            out.merges.extend(self.bit(ports[0]).then(|| self.words(ports)).and_then(MergeEvent::of));
        }
        out.splits.clear();
        for k in 0..self.outs.splits.len() {
            let ports = self.outs.splits[k];
            out.splits.extend(self.bit(ports[0]).then(|| self.words(ports)).and_then(SplitEvent::of));
        }
        out.culls.clear();
        for k in 0..self.outs.culls.len() {
            let ports = self.outs.culls[k];
            out.culls.extend(self.bit(ports[0]).then(|| self.words(ports)).and_then(CullEvent::of));
        }
        let window = self.outs.window.filter(|ports| self.bit(ports[0]));
        out.window = window.and_then(|ports| WindowEvent::of(self.words(ports)));
        let ahead = self.outs.ahead.filter(|ports| self.bit(ports[0]));
        out.ahead = ahead.and_then(|ports| AheadEvent::of(self.words(ports)));
    }

    fn request(&mut self) -> MemoryRequest {
        let o = &self.outs;
        let (addr, write, mask, data) = (o.mem_req_addr, o.mem_req_write, o.mem_req_mask, o.mem_req_data);
        MemoryRequest {
            addr: self.get(addr) as u32,
            write: self.bit(write),
            mask: self.get(mask) as u16,
            data: self.words(data).map(|word| word as u32),
        }
    }
}

/// The core on the compiled simulator.
pub struct Rtlsim {
    /// Present until drop.
    core: Option<Box<Core>>,
    config: GpuConfig,
    /// `core` is compiled for tracing.
    traced: bool,
    waves: Option<Waves>,
    inputs: Inputs,
    outputs: Outputs,
    /// Followed from the start, traced or not: a trace may begin at any time.
    lists: ListView,
    events: EventView,
    /// Values of the events, and those that the waves have.
    happened: Vec<u64>,
    shown: Vec<u64>,
}

impl Rtlsim {
    /// The core of that configuration in its start state, without waves.
    ///
    /// # Errors
    /// A build parameter out of range, or Verilog that the simulator does not take, in words.
    pub fn new(config: &GpuConfig) -> Result<Self, String> {
        Ok(Self::of(idle(config)?, config, false))
    }

    /// The same, compiled so that the window's scopes can be traced.
    fn traced(config: &GpuConfig, window: &Window) -> Result<Self, String> {
        Ok(Self::of(Box::new(Core::new(config, &traceable(window))?), config, true))
    }

    /// Cycles so far.
    fn cycle(&self) -> u64 {
        self.core.as_ref().map_or(0, |c| c.sim.cycle())
    }

    /// Goes over to another core, which gets this one's state.
    fn change_core(&mut self, mut to: Box<Core>, traced: bool) -> Result<(), String> {
        if let Some(from) = &mut self.core {
            to.sim.take_state(&mut from.sim).map_err(|e| e.to_string())?;
            to.apply(&self.inputs, None);
        }
        let old = self.core.replace(to);
        if let Some(old) = old.filter(|_| !self.traced) {
            give_back(&self.config, old);
        }
        self.traced = traced;
        Ok(())
    }

    /// Begins the waves: from here on runs a core that can be traced.
    fn begin_waves(&mut self) -> Result<(), String> {
        let Some(waves) = &mut self.waves else { return Ok(()) };
        waves.begun = true;
        let (path, options) = (waves.path.clone(), waves.options.clone());
        if !self.traced {
            let core = Box::new(Core::new(&self.config, &traceable(&waves.window))?);
            self.change_core(core, true)?;
        }
        self.shown.clear();
        let core = self.core.as_mut().ok_or("no simulation")?;
        core.sim.start_trace(path, &options).map_err(|e| e.to_string())?;
        if let Some(waves) = &mut self.waves {
            waves.part = core.sim.trace_part().map(Unfinished::of);
        }
        self.note_state();
        Ok(())
    }

    /// Writes the lists and the number of the dispatch into the waves, whether they change or not.
    fn note_state(&mut self) {
        let (Some(waves), Some(core)) = (self.waves.as_ref().filter(|w| w.begun), &mut self.core) else { return };
        if waves.places.lists {
            (0..self.lists.variables()).for_each(|i| note(&mut core.sim, &self.lists, i));
        }
        if let (Some(place), Some(number)) = (waves.places.dispatch, self.events.dispatch()) {
            core.sim.note(place, &[number.into()]);
        }
    }

    /// Writes the cycle and what happens in it into the waves, if there are any.
    fn note_events(&mut self, outputs: &Outputs) {
        let (Some(waves), Some(core)) = (self.waves.as_ref().filter(|w| w.begun), &mut self.core) else { return };
        let places = waves.places;
        core.sim.note(places.time, &[core.sim.cycle()]);
        let Some(first) = places.events else { return };
        self.events.values(outputs, &mut self.happened);
        for (i, value) in self.happened.iter().enumerate().filter(|(i, v)| self.shown.get(*i) != Some(v)) {
            core.sim.note(first + i, &[*value]);
        }
        std::mem::swap(&mut self.happened, &mut self.shown);
    }

    /// Ends the waves; the rest of the run is on a plain core again.
    fn end_waves(&mut self) -> Result<(), String> {
        let Some(waves) = &self.waves else { return Ok(()) };
        if !waves.begun {
            // The run was over before the window: a file with names and no values.
            self.begin_waves()?;
        }
        // At the end of the last cycle, which the file has too, nothing happens.
        self.note_events(&Outputs::default());
        self.waves = None;
        let core = self.core.as_mut().ok_or("no simulation")?;
        core.sim.finish_trace().map_err(|e| e.to_string())
    }

    /// What the window asks for in the cycle that begins.
    fn follow_window(&mut self) -> Result<(), String> {
        let cycle = self.cycle();
        if let Some(waves) = &self.waves {
            if !waves.begun && cycle >= waves.window.from {
                return self.begin_waves();
            }
            if waves.begun && waves.window.to.is_some_and(|to| cycle > to) {
                self.end_waves()?;
            }
        }
        if self.waves.is_none() {
            let plain = idle(&self.config)?;
            self.change_core(plain, false)?;
        }
        Ok(())
    }

    fn of(core: Box<Core>, config: &GpuConfig, traced: bool) -> Self {
        let outputs = Outputs { units: vec![UnitOutputs::default(); config.total_units()], ..Outputs::default() };
        let lists = ListView::new(config.semaphores.semaphores);
        let events = EventView::new(config.rows + 2, config.total_units(), config.graphics);
        Self {
            core: Some(core),
            config: config.clone(),
            traced,
            waves: None,
            inputs: Inputs::default(),
            outputs,
            lists,
            events,
            happened: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// The simulation itself, for reading ports as they are.
    pub fn simulation(&mut self) -> Option<&mut Simulation> {
        self.core.as_mut().map(|core| &mut core.sim)
    }

    fn failure(&self, message: String) -> EngineError {
        EngineError { engine: "rtlsim", cycle: self.cycle(), message }
    }
}

impl Drop for Rtlsim {
    fn drop(&mut self) {
        if let Some(core) = self.core.take().filter(|_| !self.traced) {
            give_back(&self.config, core);
        }
    }
}

/// An untraced core in its start state: an idle one, or a new one.
fn idle(config: &GpuConfig) -> Result<Box<Core>, String> {
    let idle = POOL.with_borrow_mut(|pool| {
        let at = pool.iter().position(|c| c.0 == *config)?;
        Some(pool.swap_remove(at).1)
    });
    match idle {
        Some(mut core) => {
            let Core { sim, start, .. } = &mut *core;
            sim.restore(start).map_err(|e| e.to_string())?;
            Ok(core)
        }
        None => Ok(Box::new(Core::new(config, &Options::default())?)),
    }
}

/// Keeps an untraced core for the next run.
fn give_back(config: &GpuConfig, core: Box<Core>) {
    // At the end of a thread the pool may be gone already.
    let _ = POOL.try_with(|pool| {
        let mut pool = pool.borrow_mut();
        if pool.len() == IDLE {
            pool.remove(0);
        }
        pool.push((config.clone(), core));
    });
}

/// Writes a variable of the lists into the waves, if they have it.
fn note(sim: &mut Simulation, lists: &ListView, index: usize) {
    let value = lists.value(index);
    sim.note(index, &[value as u64, (value >> 64) as u64]);
}

/// How to compile for the waves of a window.
fn traceable(window: &Window) -> Options {
    match &window.scopes[..] {
        [] => Options::default().trace_all(),
        scopes => scopes.iter().fold(Options::default(), |o, s| o.trace_scope(s)),
    }
}

/// Waves that were asked for. A core that can be traced is several times slower than a plain one,
/// so it runs in the window only.
struct Waves {
    path: PathBuf,
    window: Window,
    options: TraceOptions,
    places: NotePlaces,
    begun: bool,
    /// The file as long as it is written.
    part: Option<Unfinished>,
}

/// A saved state of [`Rtlsim`].
struct Saved {
    sim: Snapshot,
    inputs: Inputs,
    lists: ListView,
    events: EventView,
}

impl Engine for Rtlsim {
    fn name(&self) -> &'static str {
        "rtlsim"
    }

    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError> {
        if self.waves.is_some() || self.traced {
            self.follow_window().map_err(|e| self.failure(e))?;
        }
        if let Some(core) = &mut self.core {
            core.apply(inputs, Some(&self.inputs));
            core.sim.settle();
            core.read(&mut self.outputs);
            self.inputs.clone_from(inputs);
            let changed = self.lists.observe(&self.outputs).to_vec();
            if self.waves.as_ref().is_some_and(|w| w.places.lists) {
                for index in changed.into_iter().flat_map(ListView::variables_of) {
                    note(&mut core.sim, &self.lists, index);
                }
            }
        }
        if self.waves.is_some() {
            let outputs = std::mem::take(&mut self.outputs);
            self.events.count(&outputs);
            self.note_events(&outputs);
            self.outputs = outputs;
        }
        Ok(&self.outputs)
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn tick(&mut self) -> Result<(), EngineError> {
        match self.core.as_mut().map_or(Ok(()), |core| core.sim.tick()) {
            Ok(()) => Ok(()),
            Err(e) => Err(self.failure(e.to_string())),
        }
    }

    fn describe(&self, tree: &mut dyn SignalTree) {
        if let Some(top) = self.core.as_ref().and_then(|c| c.sim.design().top()) {
            tree.enter(top.name());
            describe_inside(top, tree);
            self.lists.describe(tree);
            self.events.describe(tree);
            tree.leave();
        }
    }

    /// Not offered: this engine writes its waves itself ([`Engine::start_trace`]).
    fn sample(&self, _wanted: &[bool], _value: &mut dyn FnMut(usize, u128)) {}

    fn start_trace(&mut self, path: &Path, window: &Window, comments: &[String]) -> Result<bool, String> {
        let fst = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("fst"));
        let mut options = TraceOptions::default().format(if fst { TraceFormat::Fst } else { TraceFormat::Vcd });
        options = options.cycles(window.from..window.to.map_or(u64::MAX, |to| to.saturating_add(1)));
        for scope in &window.scopes {
            options = options.scope(scope);
        }
        options.comments = comments.to_vec();
        let (notes, places) = notes(window, &self.lists, &self.events);
        options.notes = notes;
        self.end_waves()?;
        let (path, window) = (path.to_owned(), window.clone());
        let from = window.from;
        self.waves = Some(Waves { path, window, options, places, begun: false, part: None });
        // At once where possible, so that a file that cannot be written is known before the run.
        if from <= self.cycle() {
            self.begin_waves()?;
        }
        Ok(true)
    }

    fn trace_size(&self) -> u64 {
        let part = self.core.as_ref().and_then(|core| core.sim.trace_part());
        part.and_then(|part| std::fs::metadata(part).ok()).map_or(0, |m| m.len())
    }

    fn stop_trace(&mut self) -> Result<(), String> {
        self.end_waves()
    }

    fn begin_dispatch(&mut self, number: u32) {
        self.events.begin_dispatch(number);
        self.note_state();
    }

    fn save(&self) -> Option<EngineState> {
        let sim = self.core.as_ref()?.sim.snapshot();
        Some(EngineState(Box::new(Saved {
            sim,
            inputs: self.inputs.clone(),
            lists: self.lists.clone(),
            events: self.events.clone(),
        })))
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), String> {
        let any: &dyn Any = &*state.0;
        let saved = any.downcast_ref::<Saved>().ok_or("a saved state of another engine")?;
        let core = self.core.as_mut().ok_or("no simulation")?;
        core.sim.restore(&saved.sim).map_err(|e| e.to_string())?;
        self.inputs.clone_from(&saved.inputs);
        self.lists.clone_from(&saved.lists);
        self.events.clone_from(&saved.events);
        Ok(())
    }

    fn traced_twin(&mut self, window: &Window) -> Result<Option<Box<dyn Engine>>, String> {
        let Some(core) = &mut self.core else { return Ok(None) };
        let mut twin = Self::traced(&self.config, window)?;
        if let Some(other) = &mut twin.core {
            other.sim.take_state(&mut core.sim).map_err(|e| e.to_string())?;
            other.apply(&self.inputs, None);
        }
        twin.inputs.clone_from(&self.inputs);
        twin.outputs.clone_from(&self.outputs);
        twin.lists.clone_from(&self.lists);
        twin.events.clone_from(&self.events);
        Ok(Some(Box::new(twin)))
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        self.core.as_ref().map_or_else(Vec::new, |c| c.sim.statistics())
    }
}

/// Signals of a scope, then the scopes inside.
fn describe_inside(scope: quadlock_rtlsim::design::ScopeView<'_>, tree: &mut dyn SignalTree) {
    for signal in scope.signals() {
        if signal.depth().is_some() {
            continue;
        }
        let kind = match signal.enumeration() {
            Some(e) => {
                let count = e.values.iter().map(|v| v.1 as usize + 1).max().unwrap_or(0);
                let state = |i: usize| e.name_of(i as u64).map_or_else(|| format!("{i}?"), str::to_owned);
                SignalKind::Enum { type_name: e.name.clone(), states: (0..count).map(state).collect() }
            }
            None if signal.name() == "clock" && signal.kind() == RtlKind::Input => SignalKind::Clock,
            None => SignalKind::Bits,
        };
        tree.signal(signal.name(), signal.width(), kind);
    }
    for child in scope.children() {
        tree.enter(child.name());
        describe_inside(child, tree);
        tree.leave();
    }
}
