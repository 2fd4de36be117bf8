//! The harness's engine with its output ports as a peer sees them: raw values in the order of the
//! Verilog text's port list. Wrong would be another order than the peer's, and every checksum would
//! differ.

use quadlock_hdl::config::GpuConfig;
use quadlock_rtlsim::graph::SignalId;
use quadlock_rtlsim::{SignalHandle, Simulation};

use super::ports::ports;
use crate::engine::record::RawOutputs;
use crate::engine::rtlsim::Rtlsim;
use crate::engine::{Engine, EngineError};
use crate::machine::ports::{Inputs, Outputs};
use crate::machine::signals::SignalTree;

/// The output ports, in the order of the text's port list.
///
/// # Errors
/// A port that the simulation does not have, in words.
pub fn output_signals(simulation: &Simulation, verilog: &str) -> Result<Vec<SignalId>, String> {
    let signal = |name: &str| simulation.signal(name).map(SignalHandle::id).map_err(|e| e.to_string());
    ports(verilog, "quadlock")?.iter().filter(|p| p.output).map(|p| signal(&p.name)).collect()
}

/// The harness's engine with its output ports in the order of the text's port list.
pub struct PortReader {
    engine: Rtlsim,
    outputs: Vec<SignalId>,
}

impl PortReader {
    /// The core of that configuration in its start state.
    ///
    /// # Errors
    /// It cannot be built, in words.
    pub fn new(config: &GpuConfig, verilog: &str) -> Result<Self, String> {
        let mut engine = Rtlsim::new(config)?;
        let simulation = engine.simulation().ok_or("the engine has no simulation")?;
        let outputs = output_signals(simulation, verilog)?;
        Ok(Self { engine, outputs })
    }
}

impl RawOutputs for PortReader {
    fn raw_outputs(&mut self, values: &mut Vec<u64>) {
        if let Some(simulation) = self.engine.simulation() {
            let start = values.len();
            values.resize(start + self.outputs.len(), 0);
            simulation.peek_many(&self.outputs, &mut values[start..]);
        }
    }
}

impl Engine for PortReader {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError> {
        self.engine.settle(inputs)
    }

    fn outputs(&self) -> &Outputs {
        self.engine.outputs()
    }

    fn tick(&mut self) -> Result<(), EngineError> {
        self.engine.tick()
    }

    fn describe(&self, tree: &mut dyn SignalTree) {
        self.engine.describe(tree);
    }

    fn sample(&self, wanted: &[bool], value: &mut dyn FnMut(usize, u128)) {
        self.engine.sample(wanted, value);
    }
}
