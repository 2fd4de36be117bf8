//! The RTL on rust-hdl's own `update()` engine, driven directly: no `Simulation`, no threads. Each
//! half of a clock cycle runs `update_all` passes until nothing changes; a circuit that has not
//! settled after [`MAX_PASSES`] is reported, not waited for. It can be wrong where rust-hdl's
//! semantics and its exported Verilog differ (widths); running the Verilog itself is another
//! engine's business.

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::gpu::Gpu;
use rust_hdl::prelude::*;

use super::top::TOP;
use super::{Engine, EngineError};
use crate::base::stack::on_large;
use crate::machine::ports::{
    BusEvent, GraphicsOutputs, Inputs, ListOp, MemoryRequest, Outputs, TrapPlace, UnitOutputs,
};
use crate::machine::signals::{SignalKind, SignalTree};
use crate::view::events::EventView;
use crate::view::lists::ListView;

/// Passes after which a circuit counts as not settling. A ready/valid path through the whole core
/// needs a few dozen.
pub const MAX_PASSES: u32 = 400;

/// Whether this build has the engine.
///
/// # Errors
/// It has not, and what to do.
pub fn present() -> Result<(), String> {
    match quadlock_hdl::ENGINE {
        true => Ok(()),
        false => Err("this build is without the feature `engine`, rust-hdl's engine; a build without \
                      --no-default-features has it"
            .into()),
    }
}

/// The core on rust-hdl's engine.
pub struct RustHdl {
    gpu: Box<Gpu>,
    outputs: Outputs,
    lists: ListView,
    events: EventView,
    cycle: u64,
    passes: u64,
    most_passes: u32,
}

impl RustHdl {
    /// Builds the core and settles it in its power-up state.
    ///
    /// # Errors
    /// A build parameter out of range, a circuit that does not settle, or no engine ([`present`]),
    /// in words.
    pub fn new(config: &GpuConfig) -> Result<Self, String> {
        present()?;
        let mut gpu = on_large(|| Gpu::new(config).map(Box::new))??;
        gpu.connect_all();
        let outputs = Outputs { units: vec![UnitOutputs::default(); config.total_units()], ..Outputs::default() };
        let lists = ListView::new(config.semaphores.semaphores);
        let events = EventView::new(config.rows + 2, config.total_units(), config.graphics);
        let mut engine = Self { gpu, outputs, lists, events, cycle: 0, passes: 0, most_passes: 0 };
        engine.converge().map_err(|e| e.to_string())?;
        Ok(engine)
    }

    /// The core itself, for reading ports as they are.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn converge(&mut self) -> Result<(), EngineError> {
        for pass in 1..=MAX_PASSES {
            self.gpu.update_all();
            if !self.gpu.has_changed() {
                self.passes += u64::from(pass);
                self.most_passes = self.most_passes.max(pass);
                return Ok(());
            }
        }
        let message = format!("the circuit has not settled after {MAX_PASSES} passes: a combinational loop");
        Err(EngineError { engine: self.name(), cycle: self.cycle, message })
    }

    fn apply(&mut self, inputs: &Inputs) {
        let gpu = &mut *self.gpu;
        let (address, data) = inputs.host.unwrap_or_default();
        gpu.host.valid.next = inputs.host.is_some();
        gpu.host.addr.next = address.to_bits();
        gpu.host.data.next = data.to_bits();
        gpu.mem_req.ready.next = inputs.mem_req_ready;
        gpu.mem_rsp.valid.next = inputs.mem_rsp.is_some();
        let line = inputs.mem_rsp.unwrap_or_default();
        for (port, word) in gpu.mem_rsp.data.iter_mut().zip(line) {
            port.next = word.to_bits();
        }
    }

    fn read_outputs(&mut self) {
        let gpu = &*self.gpu;
        let out = &mut self.outputs;
        out.busy = gpu.busy.val();
        out.trapped = gpu.trapped.val();
        out.trap = TrapPlace {
            unit: u32(&gpu.trap.unit) as u8,
            warp: u32(&gpu.trap.warp) as u8,
            pc: u32(&gpu.trap.pc) as u16,
        };
        out.mem_rsp_ready = gpu.mem_rsp.ready.val();
        out.mem_req = gpu.mem_req.valid.val().then(|| MemoryRequest {
            addr: u32(&gpu.mem_req.addr),
            write: gpu.mem_req.write.val(),
            mask: u32(&gpu.mem_req.mask) as u16,
            data: std::array::from_fn(|i| u32(&gpu.mem_req.data[i])),
        });
        out.mem_source = gpu.mem_req.valid.val().then(|| u32(&gpu.mem_req.source) as u8);
        out.launch = gpu.launch.event();
        for (i, unit) in out.units.iter_mut().enumerate() {
            unit.retire = gpu.ret[i].event();
            unit.completion = gpu.mret[i].event();
            unit.shared_write = gpu.shw[i].event();
            unit.issue = gpu.slot_ports[i].issue_valid.val();
            unit.stall = u8::from(gpu.slot_ports[i].stall_no_warp.val())
                | u8::from(gpu.slot_ports[i].stall_memory.val()) << 1
                | u8::from(gpu.slot_ports[i].stall_fetch.val()) << 2
                | u8::from(gpu.slot_ports[i].stall_port.val()) << 3
                | u8::from(gpu.slot_ports[i].stall_semaphore.val()) << 4;
            unit.waiting = u32(&gpu.slot_ports[i].waiting) as u16;
        }
        out.bus.clear();
        for (k, message) in gpu.bus_ports.iter().enumerate().filter(|(_, m)| m.bus_valid.val()) {
            let (from, head, body) = (u32(&message.bus_from), u32(&message.bus_head), u32(&message.bus_body));
            out.bus.push(BusEvent::of(k as u8, from as u8, head as u16, body));
        }
        out.list_op = gpu.op.event().map(|op| ListOp::of(&op));
        out.pool_exhausted = gpu.pool_exhausted.val();
        out.graphics = GraphicsOutputs {
            launch: gpu.glaunch.iter().next().and_then(|e| e.event()),
            triangle: gpu.tri.iter().next().and_then(|e| e.event()),
            commit: gpu.pix.iter().next().and_then(|e| e.event()),
            state: gpu.gstate.iter().next().and_then(|e| e.event()),
            tile: gpu.tile.iter().next().and_then(|e| e.event()),
            merges: gpu.merge.iter().filter_map(|e| e.event()).collect(),
            splits: gpu.split.iter().filter_map(|e| e.event()).collect(),
            culls: gpu.cull.iter().filter_map(|e| e.event()).collect(),
            window: gpu.window.iter().next().and_then(|e| e.event()),
            ahead: gpu.ahead.iter().next().and_then(|e| e.event()),
            work: gpu.work.iter().next().and_then(|e| e.event()),
            stage: gpu.stage.iter().next().and_then(|e| e.event()),
        };
    }
}

fn u32<const N: usize>(port: &Signal<Out, Bits<N>>) -> u32 {
    port.val().to_u64() as u32
}

impl Engine for RustHdl {
    fn name(&self) -> &'static str {
        "rust-hdl"
    }

    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError> {
        self.apply(inputs);
        // The falling edge changes no register; it shares the passes of the inputs.
        self.gpu.clock.next = false.into();
        self.converge()?;
        self.read_outputs();
        self.lists.observe(&self.outputs);
        self.events.count(&self.outputs);
        Ok(&self.outputs)
    }

    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn tick(&mut self) -> Result<(), EngineError> {
        self.gpu.clock.next = true.into();
        self.converge()?;
        self.cycle += 1;
        Ok(())
    }

    fn describe(&self, tree: &mut dyn SignalTree) {
        self.gpu.accept(TOP, &mut Describe { tree, depth: 0, lists: &self.lists, events: &self.events });
    }

    fn sample(&self, wanted: &[bool], value: &mut dyn FnMut(usize, u128)) {
        let mut sample = Sample { index: 0, wanted, value };
        self.gpu.accept(TOP, &mut sample);
        (0..self.lists.variables()).for_each(|i| sample.leaf(self.lists.value(i)));
        sample.leaf(u128::from(self.cycle));
        self.events.dispatch().into_iter().for_each(|number| sample.leaf(u128::from(number)));
        let mut happened = Vec::new();
        self.events.values(&self.outputs, &mut happened);
        happened.into_iter().for_each(|value| sample.leaf(u128::from(value)));
    }

    fn begin_dispatch(&mut self, number: u32) {
        self.events.begin_dispatch(number);
    }

    fn statistics(&self) -> Vec<(&'static str, f64)> {
        let cycles = self.cycle.max(1) as f64;
        vec![("passes_per_cycle", self.passes as f64 / cycles), ("most_passes", f64::from(self.most_passes))]
    }
}

struct Describe<'a> {
    tree: &'a mut dyn SignalTree,
    /// Scopes that are open.
    depth: usize,
    lists: &'a ListView,
    events: &'a EventView,
}

impl Describe<'_> {
    fn enter(&mut self, name: &str) {
        self.depth += 1;
        self.tree.enter(&verilog_name(name));
    }

    /// The lists and events are last in the top scope.
    fn leave(&mut self) {
        self.depth -= 1;
        if self.depth == 0 {
            self.lists.describe(self.tree);
            self.events.describe(self.tree);
        }
        self.tree.leave();
    }

    fn field(&mut self, name: &str, descriptor: &TypeDescriptor) {
        match &descriptor.kind {
            TypeKind::Bits(width) | TypeKind::Signed(width) => {
                let kind = if descriptor.name == "clock" { SignalKind::Clock } else { SignalKind::Bits };
                self.tree.signal(&verilog_name(name), *width as u32, kind);
            }
            TypeKind::Enum(names) => {
                let states: Vec<String> = names.iter().map(|n| state_name(n).to_owned()).collect();
                let width = (usize::BITS - (states.len().max(2) - 1).leading_zeros()).max(1);
                self.tree.signal(
                    &verilog_name(name),
                    width,
                    SignalKind::Enum { type_name: descriptor.name.clone(), states },
                );
            }
            TypeKind::Composite(fields) => {
                for f in fields {
                    self.field(&format!("{name}${}", f.fieldname), &f.kind);
                }
            }
        }
    }
}

/// The export writes `_` for the `$` of rust-hdl's names, and leaves out fields of ports.
fn verilog_name(name: &str) -> String {
    match name.contains('$') {
        true => quadlock_hdl::base::verilog_name(name).into_owned(),
        false => name.to_owned(),
    }
}

/// rust-hdl names a state `Type::State`.
fn state_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

impl Probe for Describe<'_> {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        self.enter(name);
    }
    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        self.enter(name);
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        self.field(name, &signal.descriptor());
    }
    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        self.leave();
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.leave();
    }
}

struct Sample<'a> {
    index: usize,
    wanted: &'a [bool],
    value: &'a mut dyn FnMut(usize, u128),
}

impl Sample<'_> {
    fn leaf(&mut self, value: u128) {
        if self.wanted.get(self.index).copied().unwrap_or(false) {
            (self.value)(self.index, value);
        }
        self.index += 1;
    }

    fn field(&mut self, value: &VCDValue, signal: &dyn Atom) {
        match value {
            VCDValue::Single(bit) => self.leaf(u128::from(*bit == true.into())),
            VCDValue::Vector(bits) => {
                let number = bits.iter().fold(0u128, |n, bit| n << 1 | u128::from(*bit == true.into()));
                self.leaf(number);
            }
            VCDValue::String(name) => {
                let number = match signal.descriptor().kind {
                    TypeKind::Enum(names) => names.iter().position(|n| state_name(n) == name).unwrap_or(0),
                    _ => 0,
                };
                self.leaf(number as u128);
            }
            VCDValue::Composite(fields) => {
                for field in fields {
                    self.field(field, signal);
                }
            }
        }
    }
}

impl Probe for Sample<'_> {
    fn visit_atom(&mut self, _name: &str, signal: &dyn Atom) {
        // Composite signals are rare: only a single leaf can be skipped without making its value.
        if self.wanted.get(self.index) == Some(&false) && !matches!(signal.descriptor().kind, TypeKind::Composite(_)) {
            self.index += 1;
            return;
        }
        self.field(&signal.vcd(), signal);
    }
}
