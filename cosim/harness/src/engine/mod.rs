//! What the harness knows about a simulator of the RTL: the core's ports as plain structures, one
//! clock at a time, and the tree of signals for tracing. Nothing outside an engine's own file knows
//! which simulator runs. A cycle's [`Outputs`] are sampled just before the rising edge that ends
//! it, with that cycle's [`Inputs`] applied and all combinational paths settled; a transfer happens
//! in the cycle in which valid and ready are both seen there. An engine is wrong when it samples on
//! the other side of the edge: every handshake would be off by one.

pub(crate) mod cache;
mod notes;
pub mod record;
mod rtl_ports;
pub(crate) mod rtlsim;
pub(crate) mod rusthdl;
pub(crate) mod top;

use std::any::Any;
use std::path::Path;

use crate::machine::ports::{Inputs, Outputs};
use crate::machine::signals::{SignalTree, Window};

/// A simulator that cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{engine}: {message} in cycle {cycle}")]
pub struct EngineError {
    /// As [`Engine::name`] has it.
    pub engine: &'static str,
    /// Counted from 0 at power-up.
    pub cycle: u64,
    /// What went wrong, without a full stop.
    pub message: String,
}

/// A saved state of an engine; only engines look inside.
pub struct EngineState(pub Box<dyn Any>);

/// A simulator of the core.
pub trait Engine {
    /// As reports and options write it: `rtlsim`, `rust-hdl`.
    fn name(&self) -> &'static str;

    /// Begins a clock cycle: applies its inputs and settles every path. What is returned is what
    /// the rising edge at the end of the cycle sees.
    ///
    /// # Errors
    /// The simulator cannot compute the cycle (no convergence).
    fn settle(&mut self, inputs: &Inputs) -> Result<&Outputs, EngineError>;

    /// What the last [`Engine::settle`] returned.
    fn outputs(&self) -> &Outputs;

    /// Ends the cycle: the rising edge of the clock.
    ///
    /// # Errors
    /// As [`Engine::settle`].
    fn tick(&mut self) -> Result<(), EngineError>;

    /// Describes every signal, in the order of [`Engine::sample`]'s indices, counted from 0; last
    /// in the top scope the lists of the semaphores ([`crate::view::lists`]), the cycle and its
    /// events ([`crate::view::events`]).
    fn describe(&self, tree: &mut dyn SignalTree);

    /// Reads the signals `i` with `wanted[i]`; called between [`Engine::settle`] and
    /// [`Engine::tick`], and only if [`Engine::start_trace`] said no.
    fn sample(&self, wanted: &[bool], value: &mut dyn FnMut(usize, u128));

    /// Begins waves that the engine writes itself, in the format that the file's extension names,
    /// with `comments` in its header where the format has such. False: this engine has none; sample
    /// its signals.
    ///
    /// # Errors
    /// The file cannot be made, or no signal is in the window's scopes, in words.
    fn start_trace(&mut self, _path: &Path, _window: &Window, _comments: &[String]) -> Result<bool, String> {
        Ok(false)
    }

    /// Bytes of the waves that this engine has written so far.
    fn trace_size(&self) -> u64 {
        0
    }

    /// Ends the waves: only then does the file have its name.
    ///
    /// # Errors
    /// The file cannot be written, in words.
    fn stop_trace(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// The dispatch of that number comes next, counted from 1. The machine stays as it is: what a
    /// start resets, the start resets. Waves that begin behind the first call have the number of
    /// the dispatch.
    fn begin_dispatch(&mut self, _number: u32) {}

    /// The whole state, for [`Engine::restore`]; `None` if the engine cannot.
    fn save(&self) -> Option<EngineState> {
        None
    }

    /// Puts a state back that [`Engine::save`] gave, of an engine of the same kind and
    /// configuration.
    ///
    /// # Errors
    /// The state is of another engine, in words.
    fn restore(&mut self, _state: &EngineState) -> Result<(), String> {
        Err(format!("the engine {} cannot go back", self.name()))
    }

    /// Another engine in the same state, whose signals in `window` can be traced; `None` if there
    /// is no such.
    ///
    /// # Errors
    /// It cannot be made, in words.
    fn traced_twin(&mut self, _window: &Window) -> Result<Option<Box<dyn Engine>>, String> {
        Ok(None)
    }

    /// Figures of the simulator itself (name, value), for the report.
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
