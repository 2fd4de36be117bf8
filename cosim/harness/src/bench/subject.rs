//! What the bench needs of the simulator under test. [`rtlsim`](super::rtlsim) is the one of the
//! table; rust-hdl's own engine implements it as well, so that the bench itself can be tested
//! without the other. It can be wrong by letting one variant do less than the row says; every
//! variant that replays returns the checksum of what it computed.

use std::path::{Path, PathBuf};

use quadlock_hdl::base::quiet;

use super::rtlsim;
use super::variant::Variant;
use crate::engine::record::{Checksum, RawOutputs, Recording};
use crate::engine::rtlsim::Rtlsim;
use crate::engine::rusthdl::RustHdl;
use crate::engine::Engine;
use crate::lockstep::{self, Options, Quiet};
use crate::peer::measure::{Contender, Measurement};
use crate::peer::port_reader::PortReader;
use crate::peer::workload::Workload;

/// A simulator under test.
pub trait Subject {
    /// Its name and version.
    fn version(&self) -> String;

    /// Makes the core of the Verilog text (top `quadlock`) runnable. This is what the `compile` row
    /// times.
    ///
    /// # Errors
    /// It cannot, in words.
    fn build(&self, verilog: &str, variant: &Variant) -> Result<Box<dyn Contender>, String>;

    /// Runs a job with memory model and host, recording it.
    ///
    /// # Errors
    /// The job does not pass, in words.
    fn record(&self, verilog: &str, workload: &Workload) -> Result<Recording, String>;

    /// Runs a job with memory model and host: the seconds of the run alone, building not included.
    ///
    /// # Errors
    /// The job does not pass, in words.
    fn job_seconds(&self, verilog: &str, workload: &Workload, model: bool) -> Result<f64, String>;
}

/// Seconds of one run of a job on an engine; the job must pass.
///
/// # Errors
/// It does not, in words.
pub fn seconds_on(engine: &mut dyn Engine, workload: &Workload, model: bool) -> Result<f64, String> {
    let options = Options { model, ..workload.options.clone() };
    let result = lockstep::run(engine, &workload.launch, &options, &mut Quiet);
    match result.end {
        lockstep::End::Finished => Ok(result.seconds),
        _ => Err(format!("{} does not pass with model = {model}", workload.launch.name)),
    }
}

/// The loop that is timed, the same for every engine of this crate: inputs, settle, fold the
/// outputs, tick.
///
/// # Errors
/// The engine cannot go on, in words.
pub fn replay<E: Engine + RawOutputs>(
    engine: &mut E,
    recording: &Recording,
    cycles: u64,
) -> Result<Measurement, String> {
    let mut checksum = Checksum::default();
    let mut values = Vec::new();
    let start = std::time::Instant::now();
    for inputs in recording.inputs().take(cycles as usize) {
        engine.settle(&inputs).map_err(|e| e.to_string())?;
        values.clear();
        engine.raw_outputs(&mut values);
        checksum.fold(&values);
        engine.tick().map_err(|e| e.to_string())?;
    }
    Ok(Measurement { cycles, seconds: start.elapsed().as_secs_f64(), checksum: checksum.value() })
}

/// rust-hdl's own engine as a contender; `skipping` switches the skipping of blocks in which
/// nothing moves, which rust-hdl itself has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnEngine {
    pub skipping: bool,
}

/// Restores skipping when a measurement ends, however it ends.
struct Skipping(bool);

impl Skipping {
    fn set(on: bool) -> Self {
        let before = quiet::skipping();
        quiet::set_skipping(on);
        Self(before)
    }
}

impl Drop for Skipping {
    fn drop(&mut self) {
        quiet::set_skipping(self.0);
    }
}

impl Contender for OwnEngine {
    fn name(&self) -> &str {
        if self.skipping {
            "rust-hdl, skipping"
        } else {
            "rust-hdl"
        }
    }

    fn version(&self) -> String {
        let skipping = if self.skipping { "on" } else { "off" };
        format!("rust-hdl 0.46, its own engine, skipping of quiet blocks {skipping}")
    }

    fn run(&mut self, recording: &Recording, cycles: u64, passes: u64) -> Result<Measurement, String> {
        let _restore = Skipping::set(self.skipping);
        let mut sum = Measurement { cycles: 0, seconds: 0.0, checksum: 0 };
        for pass in 0..passes.max(1) {
            let mut engine = RustHdl::new(&recording.config)?;
            let m = replay(&mut engine, recording, cycles)?;
            if pass > 0 && m.checksum != sum.checksum {
                return Err("two passes over one recording differ".to_owned());
            }
            sum = Measurement { cycles: sum.cycles + m.cycles, seconds: sum.seconds + m.seconds, ..m };
        }
        Ok(sum)
    }
}

/// rust-hdl's engine in the place of the simulator under test. It cannot trace to FST.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RustHdlSubject;

#[cfg(test)]
impl Subject for RustHdlSubject {
    fn version(&self) -> String {
        OwnEngine { skipping: true }.version()
    }

    fn build(&self, _verilog: &str, variant: &Variant) -> Result<Box<dyn Contender>, String> {
        match variant {
            Variant::Plain => Ok(Box::new(OwnEngine { skipping: true })),
            other => Err(format!("rust-hdl's engine has no {other:?}")),
        }
    }

    fn record(&self, _verilog: &str, workload: &Workload) -> Result<Recording, String> {
        workload.record(RustHdl::new(&workload.options.config)?).map_err(|e| e.message().to_owned())
    }

    fn job_seconds(&self, _verilog: &str, workload: &Workload, model: bool) -> Result<f64, String> {
        seconds_on(&mut RustHdl::new(&workload.options.config)?, workload, model)
    }
}

/// The compiled simulator.
#[derive(Clone, Copy, Debug, Default)]
pub struct RtlsimSubject;

impl Subject for RtlsimSubject {
    fn version(&self) -> String {
        rtlsim::version()
    }

    fn build(&self, verilog: &str, variant: &Variant) -> Result<Box<dyn Contender>, String> {
        Ok(Box::new(rtlsim::build(verilog, variant)?))
    }

    fn record(&self, verilog: &str, workload: &Workload) -> Result<Recording, String> {
        let engine = PortReader::new(&workload.options.config, verilog)?;
        workload.record(engine).map_err(|e| e.message().to_owned())
    }

    fn job_seconds(&self, _verilog: &str, workload: &Workload, model: bool) -> Result<f64, String> {
        seconds_on(&mut Rtlsim::new(&workload.options.config)?, workload, model)
    }
}

/// Where the FST files of a bench folder are.
pub fn fst(dir: &Path) -> PathBuf {
    dir.join("ours.fst")
}
