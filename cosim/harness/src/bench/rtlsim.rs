//! The simulator of the table: the exported text compiled by `quadlock-rtlsim`, driven through its
//! public interface with handles, as any user of the crate drives it. Its timed loop is the peer's:
//! inputs, settle, fold all outputs, clock edge.

use std::time::Instant;

use quadlock_rtlsim::graph::SignalId;
use quadlock_rtlsim::trace::TraceOptions;
use quadlock_rtlsim::{Design, Options, Simulation, Snapshot, Source};

use super::variant::Variant;
use crate::engine::record::{check_key, Checksum, Recording};
use crate::engine::rtlsim::InPorts;
use crate::peer::measure::{Contender, Measurement};
use crate::peer::port_reader::output_signals;

/// Makes the core of a Verilog text (top `quadlock`) runnable.
///
/// # Errors
/// The text is refused, in words.
pub fn build(verilog: &str, variant: &Variant) -> Result<Rtlsim, String> {
    let options = match variant {
        Variant::Plain => Options::default(),
        Variant::Waves(_) => Options::default().trace_all(),
    };
    let design = Design::parse(&[Source::new("core.v", verilog)], Some("quadlock")).map_err(|e| e.to_string())?;
    let simulation = design.compile(&options).map_err(|e| e.to_string())?;
    Rtlsim::new(simulation, verilog, variant)
}

/// The compiled core as a contender.
pub struct Rtlsim {
    simulation: Simulation,
    start: Snapshot,
    inputs: InPorts,
    outputs: Vec<SignalId>,
    variant: Variant,
}

impl Rtlsim {
    fn new(simulation: Simulation, verilog: &str, variant: &Variant) -> Result<Self, String> {
        let words = |e: quadlock_rtlsim::Error| e.to_string();
        let outputs = output_signals(&simulation, verilog)?;
        let inputs = InPorts::of(&simulation).map_err(words)?;
        let start = simulation.snapshot();
        Ok(Self { simulation, start, inputs, outputs, variant: variant.clone() })
    }

    /// Seconds and checksum of one pass.
    fn pass(&mut self, recording: &Recording, cycles: u64) -> Result<(f64, u64), String> {
        let words = |e: quadlock_rtlsim::Error| e.to_string();
        let Self { simulation, start, inputs, outputs, variant } = self;
        simulation.restore(start).map_err(words)?;
        let keys: Vec<u64> = (0..outputs.len()).map(check_key).collect();
        let mut values = vec![0; outputs.len()];
        let (mut stream, mut before, mut checksum) = (recording.inputs(), None, Checksum::default());
        let begin = Instant::now();
        if let Variant::Waves(path) = variant {
            simulation.start_trace(path, &TraceOptions::default()).map_err(words)?;
        }
        for _ in 0..cycles {
            let now = stream.next().unwrap_or_default();
            inputs.apply(simulation, &now, before.as_ref());
            before = Some(now);
            simulation.settle();
            simulation.peek_many(outputs, &mut values);
            checksum
                .fold_sum(values.iter().zip(&keys).fold(0u64, |sum, (v, key)| sum.wrapping_add(v.wrapping_mul(*key))));
            simulation.tick().map_err(words)?;
        }
        if matches!(variant, Variant::Waves(_)) {
            simulation.finish_trace().map_err(words)?;
        }
        Ok((begin.elapsed().as_secs_f64(), checksum.value()))
    }
}

impl Contender for Rtlsim {
    fn name(&self) -> &str {
        "rtlsim"
    }

    fn version(&self) -> String {
        version()
    }

    fn run(&mut self, recording: &Recording, cycles: u64, passes: u64) -> Result<Measurement, String> {
        let mut sum = Measurement { cycles: 0, seconds: 0.0, checksum: 0 };
        for pass in 0..passes.max(1) {
            let (seconds, checksum) = self.pass(recording, cycles)?;
            if pass > 0 && checksum != sum.checksum {
                return Err("two passes over one recording differ".to_owned());
            }
            sum = Measurement { cycles: sum.cycles + cycles, seconds: sum.seconds + seconds, checksum };
        }
        Ok(sum)
    }
}

/// The simulator's name and version.
pub fn version() -> String {
    format!("quadlock-rtlsim {}", env!("CARGO_PKG_VERSION"))
}
