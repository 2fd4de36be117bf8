//! What computes the results: the golden model's functions, or the RTL ([`super::rtl`]). It can be
//! wrong by giving a result to another vector than its own, which shows as a difference at once.

use quadlock_golden::{lane_fn, Fault as ModelFault};
use quadlock_hdl::fault::Fault as RtlFault;

use super::rtl::{Cycles, FunctionUnit, LaneUnit};
use super::vector::{groups, lanes, Vector};

/// Computes results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum EngineName {
    /// The RTL, compiled by rtlsim
    Rtl,
    /// The golden model
    Golden,
}

impl EngineName {
    /// As written in options and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rtl => "rtl",
            Self::Golden => "golden",
        }
    }
}

/// The engines of one worker, made when they are first needed: nothing of it is shared.
#[derive(Default)]
pub struct Engines {
    rtl_fault: Option<RtlFault>,
    model_fault: Option<ModelFault>,
    lane: Option<LaneUnit>,
    function: Option<FunctionUnit>,
}

impl Engines {
    /// With planted faults or without.
    pub fn new(rtl_fault: Option<RtlFault>, model_fault: Option<ModelFault>) -> Self {
        Self { rtl_fault, model_fault, lane: None, function: None }
    }

    /// Results of the vectors, which are all of one pipeline, in their order; and the clock cycles
    /// that they took, which are 0 in the golden model.
    ///
    /// # Errors
    /// The RTL cannot be built, or does not answer.
    pub fn run(&mut self, name: EngineName, vectors: &[Vector], results: &mut Vec<u32>) -> Result<u64, String> {
        results.clear();
        let Some(first) = vectors.first() else { return Ok(0) };
        match name {
            EngineName::Golden => golden(vectors, self.model_fault, results).map(|()| 0),
            EngineName::Rtl if first.op.in_function_unit() => self.function()?.run(vectors, results),
            EngineName::Rtl => self.lane()?.run(vectors, results),
        }
    }

    /// Measures an operation on the RTL: one alone, then a row of them with these operands.
    ///
    /// # Errors
    /// As [`Engines::run`].
    pub fn measure(&mut self, vector: Vector) -> Result<Cycles, String> {
        match vector.op.in_function_unit() {
            true => self.function()?.measure(vector),
            false => self.lane()?.measure(vector),
        }
    }

    fn lane(&mut self) -> Result<&mut LaneUnit, String> {
        if self.lane.is_none() {
            self.lane = Some(LaneUnit::new(self.rtl_fault)?);
        }
        self.lane.as_mut().ok_or_else(|| unreachable!())
    }

    fn function(&mut self) -> Result<&mut FunctionUnit, String> {
        if self.function.is_none() {
            self.function = Some(FunctionUnit::new(self.rtl_fault)?);
        }
        self.function.as_mut().ok_or_else(|| unreachable!())
    }
}

fn golden(vectors: &[Vector], fault: Option<ModelFault>, results: &mut Vec<u32>) -> Result<(), String> {
    for group in groups(vectors) {
        let op = group[0].op;
        let function = lane_fn(op.op, fault).ok_or_else(|| format!("the golden model has no {}", op.name()))?;
        let values = function(&lanes(group, 0), &lanes(group, 1), &lanes(group, 2));
        results.extend_from_slice(&values[..group.len()]);
    }
    Ok(())
}
