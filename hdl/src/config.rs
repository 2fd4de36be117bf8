//! Every build parameter of the RTL, with its unit and legal range. All are run-time values of the generator (no const generics), so that
//! one compiled generator makes every configuration. A value out of range is refused by [`GpuConfig::check`], never by the generated Verilog.

use crate::fault::Fault;

/// Flip-flops between the operands of a lane and its result: the latency of every `Class::Alu` instruction, in cycles.
pub const LANE_LATENCY: usize = 5;

/// Build parameters of the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuConfig {
    /// Warp units of the core, 1 to 8.
    pub units: usize,
    /// Resident warps per unit, 2 to 16.
    pub warps: usize,
    /// Lines of 16 bytes (two instructions) in each unit's instruction cache: a power of two, 8 to 1024.
    pub icache_lines: usize,
    /// 32-bit words of each unit's shared storage: a power of two, 64 to 4096.
    pub shared_words: usize,
    /// Retire and event ports present; without them they are constant zero and nothing else changes.
    pub trace: bool,
    /// A planted bug, for the tests that must fail.
    pub fault: Option<Fault>,
}

impl Default for GpuConfig {
    fn default() -> Self {
        Self { units: 2, warps: 8, icache_lines: 256, shared_words: 1024, trace: true, fault: None }
    }
}

impl GpuConfig {
    /// The first parameter out of its range, in words.
    pub fn check(&self) -> Result<(), String> {
        let range = |name: &str, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(format!("{name} = {value} is out of range: {low} to {high}"))
            }
        };
        range("units", self.units, 1, 8)?;
        range("warps", self.warps, 2, 16)?;
        range("icache-lines", self.icache_lines, 8, 1024)?;
        range("shared-words", self.shared_words, 64, 4096)?;
        for (name, value) in [("icache-lines", self.icache_lines), ("shared-words", self.shared_words)] {
            if !value.is_power_of_two() {
                return Err(format!("{name} = {value} is not a power of two"));
            }
        }
        Ok(())
    }

    /// The number of the planted bug as the blocks see it; 0 is none.
    pub fn fault_code(&self) -> u64 {
        self.fault.map_or(0, |f| f as u64)
    }
}
