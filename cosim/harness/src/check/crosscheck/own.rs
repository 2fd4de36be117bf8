//! The engines that run in this process: rust-hdl's `update()` and rtlsim, compiled and
//! interpreted. Each takes the inputs of a cycle, settles, and gives the values of all outputs and
//! registers as the rising edge at the end of the cycle sees them; then comes the edge.

use quadlock_hdl::base::drive::Drive;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::make;
use quadlock_rtlsim::graph::SignalId;
use quadlock_rtlsim::{Engine, InputHandle, MemoryHandle, Options, Simulation};

use crate::engine::{cache, rusthdl};

use super::subject::{Subject, CLOCK};
use super::EngineName;

/// Passes after which rust-hdl's engine is said not to settle.
const MAX_PASSES: u32 = 1000;

/// An engine with one block in it.
pub trait Own {
    /// Applies the inputs of a cycle and settles.
    ///
    /// # Errors
    /// The engine cannot compute the cycle.
    fn settle(&mut self, inputs: &[u64]) -> Result<(), String>;

    /// Appends the values of [`Subject::signals`].
    fn read(&mut self, values: &mut Vec<u64>);

    /// Appends the words of [`Subject::memories`].
    fn read_memories(&mut self, values: &mut Vec<u64>);

    /// The rising edge.
    ///
    /// # Errors
    /// As [`Own::settle`].
    fn tick(&mut self) -> Result<(), String>;
}

/// Settles after which [`EngineName::RtlsimReplanned`] replaces its code. A job reaches the usual
/// [`quadlock_rtlsim::options::PROFILE`] late or never here.
pub const REPLANNED_AFTER: u32 = 64;

/// Starts `engine` on the block, in its power-up state. `config` is the block's, but for a fault
/// planted in this engine only.
///
/// # Errors
/// The engine refuses the block, or the names of the Verilog and of rust-hdl differ.
pub fn start(engine: EngineName, subject: &Subject, config: &GpuConfig) -> Result<Box<dyn Own>, String> {
    match engine {
        EngineName::RustHdl => Ok(Box::new(RustHdl::new(subject, config)?)),
        EngineName::Rtlsim => Ok(Box::new(Rtlsim::new(subject, config, &Options::default())?)),
        EngineName::RtlsimReplanned => {
            Ok(Box::new(Rtlsim::new(subject, config, &Options::default().profile(REPLANNED_AFTER))?))
        }
        // The interpreter runs the graph as elaborated, so a pass that changes a meaning shows.
        EngineName::Interpreter => {
            let options = Options::default().engine(Engine::Interpreted).optimize(false);
            Ok(Box::new(Rtlsim::new(subject, config, &options)?))
        }
        EngineName::Verilator | EngineName::Icarus => Err(format!("{engine} runs in a process of its own")),
    }
}

struct RustHdl {
    block: Box<dyn Drive>,
    clocked: bool,
    inputs: Vec<u64>,
    /// For each input port of the block: index of its value, or the clock.
    places: Vec<Option<usize>>,
    /// As [`Subject::present`].
    present: Option<(Vec<bool>, Vec<bool>)>,
}

/// Appends what `read` gives, without what is not present.
fn present_only(present: Option<&Vec<bool>>, values: &mut Vec<u64>, read: impl FnOnce(&mut Vec<u64>)) {
    let from = values.len();
    read(values);
    if let Some(present) = present {
        let all = values.split_off(from);
        values.extend(all.into_iter().zip(present).filter(|v| *v.1).map(|v| v.0));
    }
}

impl RustHdl {
    fn new(subject: &Subject, config: &GpuConfig) -> Result<Self, String> {
        rusthdl::present()?;
        let mut block = make(&subject.name, config).ok_or_else(|| format!("no block is called `{}`", subject.name))?;
        block.connect_all();
        let place = |name: &str| subject.inputs.iter().position(|i| i.name == name);
        let places = block.inputs().iter().map(|i| if i.name == CLOCK { None } else { place(&i.name) }).collect();
        let (clocked, inputs, present) = (subject.clocked, vec![0; subject.inputs.len()], subject.present.clone());
        let mut engine = Self { block, clocked, inputs, places, present };
        engine.converge()?;
        Ok(engine)
    }

    fn apply(&mut self, clock: u64) -> Result<(), String> {
        let inputs = &self.inputs;
        self.block.set_inputs(&mut self.places.iter().map(|p| p.map_or(clock, |i| inputs[i])));
        self.converge()
    }

    fn converge(&mut self) -> Result<(), String> {
        for _ in 0..MAX_PASSES {
            self.block.update_all();
            if !self.block.has_changed() {
                return Ok(());
            }
        }
        Err(format!("rust-hdl: the block has not settled after {MAX_PASSES} passes: a combinational loop"))
    }
}

impl Own for RustHdl {
    fn settle(&mut self, inputs: &[u64]) -> Result<(), String> {
        self.inputs.copy_from_slice(inputs);
        self.apply(0)
    }

    fn read(&mut self, values: &mut Vec<u64>) {
        present_only(self.present.as_ref().map(|p| &p.0), values, |values| {
            self.block.read_outputs(values);
            self.block.read_registers(values);
        });
    }

    fn read_memories(&mut self, values: &mut Vec<u64>) {
        present_only(self.present.as_ref().map(|p| &p.1), values, |values| self.block.read_memories(values));
    }

    fn tick(&mut self) -> Result<(), String> {
        if self.clocked {
            self.apply(1)?;
        }
        Ok(())
    }
}

struct Rtlsim {
    simulation: Simulation,
    clocked: bool,
    inputs: Vec<InputHandle>,
    signals: Vec<SignalId>,
    memories: Vec<MemoryHandle>,
}

impl Rtlsim {
    fn new(subject: &Subject, config: &GpuConfig, options: &Options) -> Result<Self, String> {
        let at = |e: quadlock_rtlsim::Error| format!("{}: rtlsim: {e}", subject.name);
        let design = cache::design(&subject.name, config).map_err(|e| format!("{}: rtlsim: {e}", subject.name))?;
        subject.covers(&design)?;
        let simulation = design.compile(options).map_err(at)?;
        let inputs = subject.inputs.iter().map(|i| simulation.input(&i.name).map_err(at)).collect::<Result<_, _>>()?;
        let signals = subject
            .signals
            .iter()
            .map(|s| Ok(simulation.signal(&s.name).map_err(at)?.id()))
            .collect::<Result<_, String>>()?;
        let memories =
            subject.memories.iter().map(|m| simulation.memory(&m.name).map_err(at)).collect::<Result<_, _>>()?;
        Ok(Self { simulation, clocked: subject.clocked, inputs, signals, memories })
    }
}

impl Own for Rtlsim {
    fn settle(&mut self, inputs: &[u64]) -> Result<(), String> {
        for (&input, &value) in self.inputs.iter().zip(inputs) {
            self.simulation.poke(input, value);
        }
        self.simulation.settle();
        Ok(())
    }

    fn read(&mut self, values: &mut Vec<u64>) {
        let from = values.len();
        values.resize(from + self.signals.len(), 0);
        self.simulation.peek_many(&self.signals, &mut values[from..]);
    }

    fn read_memories(&mut self, values: &mut Vec<u64>) {
        for &memory in &self.memories {
            values.extend((0..memory.depth()).map(|w| self.simulation.peek_word(memory, w).to_u64()));
        }
    }

    fn tick(&mut self) -> Result<(), String> {
        if self.clocked {
            self.simulation.tick().map_err(|e| e.to_string())?;
        }
        Ok(())
    }
}
