//! Every build parameter of the RTL, with its unit and legal range. All are run-time values of the generator (no const generics), so that
//! one compiled generator makes every configuration. A value out of range is refused by [`GpuConfig::check`], never by the generated Verilog.

use crate::fault::Fault;
use crate::semaphore::{BusKind, SemaphoreConfig};

/// Flip-flops between the operands of a lane and its result: the latency of every `Class::Alu` instruction, in cycles.
pub const LANE_LATENCY: usize = 5;

/// Build parameters of the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuConfig {
    /// Rows of cores, 1 to 4 (`SE-1`).
    pub rows: usize,
    /// Cores of a row, 1 to 4.
    pub cores: usize,
    /// Warp units of a core, 1 to 8; of all cores together at most 32.
    pub units: usize,
    /// Resident warps per unit, 2 to 16.
    pub warps: usize,
    /// Lines of 16 bytes (two instructions) in each unit's instruction cache: a power of two, 8 to 1024.
    pub icache_lines: usize,
    /// 32-bit words of each unit's shared storage: a power of two, 64 to 4096.
    pub shared_words: usize,
    /// The semaphore entity.
    pub semaphores: SemaphoreConfig,
    /// The message bus between dispatcher, rows and semaphore entity.
    pub bus: BusKind,
    /// Retire and event ports present; without them they are constant zero and nothing else changes.
    pub trace: bool,
    /// A planted bug, for the tests that must fail.
    pub fault: Option<Fault>,
}

impl Default for GpuConfig {
    fn default() -> Self {
        Self {
            rows: 1,
            cores: 1,
            units: 2,
            warps: 8,
            icache_lines: 256,
            shared_words: 1024,
            semaphores: SemaphoreConfig::default(),
            bus: BusKind::default(),
            trace: true,
            fault: None,
        }
    }
}

impl GpuConfig {
    /// Cores of the machine.
    pub fn total_cores(&self) -> usize {
        self.rows * self.cores
    }

    /// Warp units of the machine. Unit `u` of core `c` of row `r` has number `(r * cores + c) * units + u`.
    pub fn total_units(&self) -> usize {
        self.total_cores() * self.units
    }

    /// The first parameter out of its range, in words.
    pub fn check(&self) -> Result<(), String> {
        let range = |name: &str, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(format!("{name} = {value} is out of range: {low} to {high}"))
            }
        };
        range("rows", self.rows, 1, 4)?;
        range("cores", self.cores, 1, 4)?;
        range("units", self.units, 1, 8)?;
        range("rows * cores * units", self.total_units(), 1, 32)?;
        range("warps", self.warps, 2, 16)?;
        range("icache-lines", self.icache_lines, 8, 1024)?;
        range("shared-words", self.shared_words, 64, 4096)?;
        self.semaphores.check()?;
        for (name, value) in [("icache-lines", self.icache_lines), ("shared-words", self.shared_words)] {
            if !value.is_power_of_two() {
                return Err(format!("{name} = {value} is not a power of two"));
            }
        }
        Ok(())
    }

    /// Names of the parameters that [`GpuConfig::set`] knows.
    pub const KEYS: [&'static str; 14] = [
        "rows",
        "cores",
        "units",
        "warps",
        "icache_lines",
        "shared_words",
        "semaphores",
        "semaphore_pool",
        "semaphore_links",
        "semaphore_tail",
        "semaphore_release",
        "bus",
        "trace",
        "fault",
    ];

    /// Changes one parameter by its name, as `--set KEY=VALUE` does; `-` in a key counts as `_`. The range is [`GpuConfig::check`]'s matter.
    ///
    /// # Errors
    /// What is wrong with the key or the value, in words.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let number = || value.parse().map_err(|_| format!("{key}={value}: `{value}` is not a whole number"));
        let choice = |on: &[&str], off: &[&str]| match value {
            v if on.contains(&v) => Ok(true),
            v if off.contains(&v) => Ok(false),
            _ => Err(format!("{key}={value}: write {} or {}", on[0], off[0])),
        };
        match key.replace('-', "_").as_str() {
            "rows" => self.rows = number()?,
            "cores" => self.cores = number()?,
            "units" => self.units = number()?,
            "warps" => self.warps = number()?,
            "icache_lines" => self.icache_lines = number()?,
            "shared_words" => self.shared_words = number()?,
            "semaphores" => self.semaphores.semaphores = number()?,
            "semaphore_pool" => self.semaphores.pool = number()?,
            "semaphore_links" => self.semaphores.double_links = choice(&["double"], &["single"])?,
            "semaphore_tail" => self.semaphores.tail_pointers = choice(&["on", "true", "1"], &["off", "false", "0"])?,
            "semaphore_release" => self.semaphores.any_may_release = choice(&["any"], &["owner"])?,
            "bus" => {
                self.bus = match choice(&["shared"], &["crossbar"])? {
                    true => BusKind::Shared,
                    false => BusKind::Crossbar,
                }
            }
            "trace" => self.trace = choice(&["on", "true", "1"], &["off", "false", "0"])?,
            "fault" if value == "none" => self.fault = None,
            "fault" => {
                let name = value.strip_prefix("rtl:").unwrap_or(value);
                let fault =
                    Fault::by_name(name).ok_or(format!("{key}={value}: no planted fault is called `{name}`"))?;
                self.fault = Some(fault);
            }
            _ => return Err(format!("there is no parameter `{key}`; known: {}", Self::KEYS.join(", "))),
        }
        Ok(())
    }

    /// The number of the planted bug as the blocks see it; 0 is none.
    pub fn fault_code(&self) -> u64 {
        self.fault.map_or(0, |f| f as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_set_by_name() {
        let mut config = GpuConfig::default();
        for (key, value) in
            [("units", "3"), ("icache-lines", "8"), ("shared_words", "64"), ("trace", "off"), ("fault", "add-carry")]
        {
            config.set(key, value).unwrap();
        }
        let fault = Some(Fault::AddCarry);
        let expected =
            GpuConfig { units: 3, icache_lines: 8, shared_words: 64, trace: false, fault, ..Default::default() };
        assert_eq!(config, expected);
        config.set("fault", "none").unwrap();
        assert_eq!(config.fault, None);
        assert!(config.set("units", "two").unwrap_err().contains("not a whole number"));
        assert!(config.set("unit", "2").unwrap_err().contains("known: rows, cores, units"));
        assert!(config.set("trace", "maybe").unwrap_err().contains("on or off"));
        assert!(config.set("bus", "ring").unwrap_err().contains("shared or crossbar"));
        assert!(config.set("fault", "nonsense").unwrap_err().contains("no planted fault"));
    }
}
