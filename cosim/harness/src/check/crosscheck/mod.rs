//! Agreement of the engines: each block of `hdl/` by itself on random inputs, and the whole core on
//! random inputs and on recorded jobs, cycle by cycle on rust-hdl's engine, rtlsim compiled (once
//! as usual, once with its code replaced early, so that short runs compare the code of long ones),
//! rtlsim interpreted, Verilator and Icarus; every output and every register in every cycle, every
//! word of every memory now and then. The engines in this process are compared value by value, the
//! others by a checksum per cycle over the same values; where one differs, the cycle is run again
//! and every engine shows its values ([`Difference`]).
//!
//! It can be wrong where all engines read one text alike and wrongly (rust-hdl's engine reads none,
//! so only a kernel whose two meanings are wrong in the same way passes), and about inputs that
//! [`stimulus::RULES`] exclude.

pub mod cases;
pub(crate) mod own;
pub(crate) mod peer;
pub mod run;
pub(crate) mod stimulus;
pub(crate) mod subject;
pub(crate) mod testbench;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

use quadlock_hdl::fault::Fault;

use crate::peer::verilator::Runtime;

/// An engine that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum EngineName {
    /// rtlsim, compiled and optimised
    Rtlsim,
    /// rtlsim, compiled; after 64 settles its code is replaced by code for the activity seen so far
    RtlsimReplanned,
    /// rtlsim's plain interpreter, on the graph without passes
    Interpreter,
    /// rust-hdl's own update()
    RustHdl,
    /// Verilator
    Verilator,
    /// Icarus Verilog
    Icarus,
}

impl EngineName {
    /// All of them, those of this process first.
    pub const ALL: [Self; 6] =
        [Self::Rtlsim, Self::RtlsimReplanned, Self::Interpreter, Self::RustHdl, Self::Verilator, Self::Icarus];

    /// It runs in a process of its own.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::Verilator | Self::Icarus)
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rtlsim => "rtlsim",
            Self::RtlsimReplanned => "rtlsim-replanned",
            Self::Interpreter => "interpreter",
            Self::RustHdl => "rust-hdl",
            Self::Verilator => "verilator",
            Self::Icarus => "icarus",
        })
    }
}

/// How to check.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Those that are compared with each other.
    pub engines: Vec<EngineName>,
    /// Of all random inputs: one seed gives the same inputs everywhere.
    pub seed: u64,
    /// Cycles of each block on random inputs.
    pub cycles: u64,
    /// Most cycles of each job.
    pub job_cycles: u64,
    /// Most cycles of each job on Icarus, which is slow.
    pub icarus_cycles: u64,
    /// Folder for what the peers build.
    pub dir: PathBuf,
    /// Option of Verilator's C++ compiler.
    pub optimise: String,
    /// Verilator's own code, which all its programs share.
    pub runtime: Runtime,
    /// A fault planted in one engine only: the check must find it.
    pub fault: Option<(EngineName, Fault)>,
    /// Options that a repetition of any case needs, as written.
    pub again: String,
}

impl Settings {
    /// Every engine, a few hundred cycles.
    pub fn quick(dir: PathBuf) -> Self {
        Self {
            engines: EngineName::ALL.to_vec(),
            seed: 1,
            cycles: 300,
            job_cycles: 5_500,
            icarus_cycles: 1_500,
            dir,
            optimise: "-O0".into(),
            runtime: Runtime::default(),
            fault: None,
            again: String::new(),
        }
    }
}

/// A signal on which the engines do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Name in the Verilog below the block.
    pub signal: String,
    /// Bits.
    pub width: usize,
    /// What each engine says; nothing: not a number (Icarus's x), or not asked.
    pub values: Vec<(EngineName, Option<u64>)>,
}

/// The first cycle of a block in which the engines differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The block, with its options where they are not the usual ones; the whole core with its job.
    pub block: String,
    /// Counted from 0.
    pub cycle: u64,
    /// Each signal that differs, outputs first.
    pub signals: Vec<Disagreement>,
    /// The command that shows it again.
    pub command: String,
}

/// Signals of a difference that are printed.
const SHOWN: usize = 8;

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: the engines differ in cycle {} on {} signals", self.block, self.cycle, self.signals.len())?;
        for s in self.signals.iter().take(SHOWN) {
            write!(f, "  {} [{} bits]:", s.signal, s.width)?;
            for (engine, value) in &s.values {
                match value {
                    Some(v) => write!(f, "  {engine} {v:x}")?,
                    None => write!(f, "  {engine} x")?,
                }
            }
            writeln!(f)?;
        }
        if self.signals.len() > SHOWN {
            writeln!(f, "  and {} more", self.signals.len() - SHOWN)?;
        }
        write!(f, "  again: {}", self.command)
    }
}

/// What a check did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// One line for each thing that was done.
    pub lines: Vec<String>,
    /// One for each block or job whose engines differ: its first differing cycle.
    pub differences: Vec<Difference>,
    /// Cycles of the whole core on jobs that all in-process engines and Verilator ran.
    pub job_cycles: u64,
}
