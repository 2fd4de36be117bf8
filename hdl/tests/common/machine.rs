//! A block on an engine: its exported Verilog, compiled, or rust-hdl's own. Ports by name.

use std::collections::HashMap;

use quadlock_hdl::base::drive::Drive;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export;
use quadlock_rtlsim::{Design, InputHandle, Options, SignalHandle, Simulation, Source};

/// What a run needs of an engine.
trait Engine {
    /// Values of all inputs but the clock, in effect at once.
    fn drive(&mut self, inputs: &[u64]);
    /// Values of all outputs.
    fn outputs(&mut self) -> Vec<u64>;
    /// A cycle with those inputs.
    fn edge(&mut self);
}

struct Compiled {
    simulation: Simulation,
    inputs: Vec<InputHandle>,
    outputs: Vec<SignalHandle>,
}

impl Engine for Compiled {
    fn drive(&mut self, inputs: &[u64]) {
        for (&handle, &value) in self.inputs.iter().zip(inputs) {
            self.simulation.poke(handle, value);
        }
        self.simulation.settle();
    }
    fn outputs(&mut self) -> Vec<u64> {
        self.outputs.iter().map(|&handle| self.simulation.peek(handle)).collect()
    }
    fn edge(&mut self) {
        self.simulation.step().unwrap();
    }
}

struct Kernels<B: Drive>(Bench<B>);

impl<B: Drive> Engine for Kernels<B> {
    fn drive(&mut self, inputs: &[u64]) {
        // The clock is the first port.
        self.0.set_inputs(&mut std::iter::once(0).chain(inputs.iter().copied()));
        self.0.settle();
    }
    fn outputs(&mut self) -> Vec<u64> {
        let mut values = Vec::new();
        self.0.read_outputs(&mut values);
        values
    }
    fn edge(&mut self) {
        self.0.cycle();
    }
}

/// The block of that name, compiled, or as an earlier test of the same run has compiled it.
pub fn simulation(name: &str, config: &GpuConfig) -> Simulation {
    let text = || export::export_named(name, config).map(|text| Source::new(format!("{name}.v"), text));
    let recipe = export::recipe(name, config);
    let design = Design::made_of(&quadlock_testkit::cache::store(), recipe, Some(name), text);
    design.and_then(|d| Ok(d.compile(&Options::default())?)).unwrap_or_else(|e: String| panic!("{name}: {e}"))
}

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum On {
    Verilog,
    RustHdl,
}

/// The block with its ports.
pub struct Machine {
    engine: Box<dyn Engine>,
    inputs: HashMap<String, usize>,
    outputs: HashMap<String, usize>,
    values: Vec<u64>,
    seen: Vec<u64>,
    pub cycles: u64,
}

impl Machine {
    /// The block `name` of the export, as `bench` has it.
    pub fn new<B: Drive + 'static>(on: On, config: &GpuConfig, name: &str, bench: Bench<B>) -> Self {
        let names = |items: Vec<quadlock_hdl::base::drive::Item>| items.into_iter().map(|i| i.name).collect::<Vec<_>>();
        let (all, outputs) = (names(bench.inputs()), names(bench.outputs()));
        assert_eq!(all[0], "clock");
        let inputs = all[1..].to_vec();
        let engine: Box<dyn Engine> = match on {
            On::RustHdl => Box::new(Kernels(bench)),
            On::Verilog => {
                let simulation = simulation(name, config);
                let inputs = inputs.iter().map(|n| simulation.input(n).unwrap()).collect();
                let outputs = outputs.iter().map(|n| simulation.signal(&format!("{name}.{n}")).unwrap()).collect();
                Box::new(Compiled { simulation, inputs, outputs })
            }
        };
        let map = |names: &[String]| names.iter().cloned().zip(0..).collect();
        let mut machine = Self {
            engine,
            inputs: map(&inputs),
            outputs: map(&outputs),
            values: vec![0; inputs.len()],
            seen: Vec::new(),
            cycles: 0,
        };
        machine.settle();
        machine
    }

    /// An input from the next [`Machine::settle`] or [`Machine::cycle`] on.
    pub fn set(&mut self, port: &str, value: u64) {
        let at = *self.inputs.get(port).unwrap_or_else(|| panic!("no input {port}"));
        self.values[at] = value;
    }

    /// The outputs follow the inputs.
    pub fn settle(&mut self) {
        self.engine.drive(&self.values);
        self.seen = self.engine.outputs();
    }

    /// An output, as of the last [`Machine::settle`].
    pub fn get(&self, port: &str) -> u64 {
        self.seen[*self.outputs.get(port).unwrap_or_else(|| panic!("no output {port}"))]
    }

    /// A cycle after [`Machine::settle`].
    pub fn cycle(&mut self) {
        self.engine.edge();
        self.cycles += 1;
    }

    /// A word of state, in a cycle of its own.
    pub fn state(&mut self, pass: bool, context: usize, word: u64, data: u64) {
        for (port, value) in [
            ("state_valid", u64::from(!pass)),
            ("state_pass", u64::from(pass)),
            ("state_context", context as u64),
            ("state_word", word),
            ("state_data", data),
        ] {
            self.set(port, value);
        }
        self.settle();
        self.cycle();
        self.set("state_valid", 0);
        self.set("state_pass", 0);
        self.settle();
    }
}
