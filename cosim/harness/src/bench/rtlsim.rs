//! The simulator of the table: the exported text compiled by `quadlock-rtlsim`, driven through its public interface with handles, as any user of the
//! crate drives it. Its timed loop is the peer's: inputs, settle, fold all outputs, clock edge. The states of a batch run [`APART`] cycles
//! apart, so that they do different things in every cycle, as different jobs would.

use std::time::Instant;

use quadlock_rtlsim::graph::SignalId;
use quadlock_rtlsim::trace::TraceOptions;
use quadlock_rtlsim::{Design, Options, Simulation, Snapshot, Source};

use super::subject::Variant;
use crate::engine::record::{check_key, Checksum, InputStream, Recording};
use crate::engine::rtlsim::InPorts;
use crate::machine::ports::Inputs;
use crate::peer::measure::{Contender, Measurement};
use crate::peer::port_reader::output_signals;

/// Cycles by which each state of a batch is behind the one before.
const APART: u64 = 61;

/// Makes the core of a Verilog text (top `quadlock`) runnable.
///
/// # Errors
/// The text is refused, in words.
pub fn build(verilog: &str, variant: &Variant) -> Result<Rtlsim, String> {
    let options = match variant {
        Variant::Plain => Options::default(),
        Variant::Waves(_) => Options::default().trace_all(),
        Variant::Batch(copies) => Options::default().copies(*copies),
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

/// One state's way through the recording.
struct Replay<'a> {
    stream: InputStream<'a>,
    before: Option<Inputs>,
    checksum: Checksum,
}

impl Rtlsim {
    fn new(simulation: Simulation, verilog: &str, variant: &Variant) -> Result<Self, String> {
        let words = |e: quadlock_rtlsim::Error| e.to_string();
        let outputs = output_signals(&simulation, verilog)?;
        let wanted = if let Variant::Batch(copies) = variant { *copies } else { 1 };
        if simulation.copies() != wanted {
            return Err(format!("{wanted} states were asked for, {} came", simulation.copies()));
        }
        let inputs = InPorts::of(&simulation).map_err(words)?;
        let start = simulation.snapshot();
        Ok(Self { simulation, start, inputs, outputs, variant: variant.clone() })
    }

    /// Seconds and checksum of one pass; all copies must agree.
    fn pass(&mut self, recording: &Recording, cycles: u64) -> Result<(f64, u64), String> {
        let words = |e: quadlock_rtlsim::Error| e.to_string();
        let Self { simulation, start, inputs, outputs, variant } = self;
        simulation.restore(start).map_err(words)?;
        let keys: Vec<u64> = (0..outputs.len()).map(check_key).collect();
        let mut values = vec![0; outputs.len()];
        let replay = || Replay { stream: recording.inputs(), before: None, checksum: Checksum::default() };
        let mut replays: Vec<Replay> = (0..simulation.copies()).map(|_| replay()).collect();
        let last = APART * (replays.len() as u64 - 1);
        let begin = Instant::now();
        if let Variant::Waves(path) = variant {
            simulation.start_trace(path, &TraceOptions::default()).map_err(words)?;
        }
        for step in 0..cycles + last {
            let running = |copy: usize| (APART * copy as u64..APART * copy as u64 + cycles).contains(&step);
            for (copy, replay) in replays.iter_mut().enumerate().filter(|(copy, _)| running(*copy)) {
                let now = replay.stream.next().unwrap_or_default();
                inputs.apply(simulation, copy, &now, replay.before.as_ref());
                replay.before = Some(now);
            }
            simulation.settle();
            for (copy, replay) in replays.iter_mut().enumerate().filter(|(copy, _)| running(*copy)) {
                simulation.peek_many(copy, outputs, &mut values);
                let sum = values.iter().zip(&keys).fold(0u64, |sum, (v, key)| sum.wrapping_add(v.wrapping_mul(*key)));
                replay.checksum.fold_sum(sum);
            }
            simulation.tick().map_err(words)?;
        }
        if matches!(variant, Variant::Waves(_)) {
            simulation.finish_trace().map_err(words)?;
        }
        let seconds = begin.elapsed().as_secs_f64();
        let checksum = replays[0].checksum.value();
        match replays.iter().all(|r| r.checksum.value() == checksum) {
            true => Ok((seconds, checksum)),
            false => Err("the states of one batch differ".to_owned()),
        }
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
        let copies = self.simulation.copies() as u64;
        let mut sum = Measurement { cycles: 0, seconds: 0.0, checksum: 0 };
        for pass in 0..passes.max(1) {
            let (seconds, checksum) = self.pass(recording, cycles)?;
            if pass > 0 && checksum != sum.checksum {
                return Err("two passes over one recording differ".to_owned());
            }
            sum = Measurement { cycles: sum.cycles + cycles * copies, seconds: sum.seconds + seconds, checksum };
        }
        Ok(sum)
    }
}

/// The simulator's name and version.
pub fn version() -> String {
    format!("quadlock-rtlsim {}", env!("CARGO_PKG_VERSION"))
}
