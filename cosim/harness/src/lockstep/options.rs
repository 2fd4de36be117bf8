//! How to run in lockstep, and who watches.

use quadlock_hdl::config::GpuConfig;

use crate::engine::Engine;
use crate::machine::limits::Limits;
use crate::machine::memory::MemoryConfig;

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Build parameters of the machine.
    pub config: GpuConfig,
    /// Timing of the memory model.
    pub memory: MemoryConfig,
    /// When the run is given up.
    pub limits: Limits,
    /// Run the golden model beside the RTL.
    pub model: bool,
    /// A planted bug of the model.
    pub model_fault: Option<quadlock_golden::Fault>,
}

/// Sees every cycle: traces, progress bars.
pub trait Observer {
    /// Between the engine's `settle` and `tick`.
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine);

    /// Cycles to run on after a failure, so that a trace shows what followed.
    fn tail(&self) -> u64 {
        0
    }
}

/// An observer that does nothing.
pub struct Quiet;

impl Observer for Quiet {
    fn cycle(&mut self, _cycle: u64, _engine: &mut dyn Engine) {}
}
