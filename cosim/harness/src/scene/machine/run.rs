//! A scene on the golden model alone.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;

use quadlock_golden::frame::{FrameError, FrameStats};
use quadlock_golden::{Config, Fault, Golden, Memory, RunStats};
use quadlock_hdl::config::GpuConfig;

use super::layout::Frame;
use crate::lockstep::submitted::Submitted;
use crate::machine::layout::BASE;
use crate::machine::memory::Image;
use crate::report::{Report, Verdict};
use crate::scene::accounts::heat::{Heat, HeatKind};
use crate::scene::accounts::ideal::pairs::most_pairs_of_draws;
use crate::scene::accounts::ideal::{Ideal, IdealFigures};
use crate::scene::accounts::report::{SceneReport, Triangles};

/// A finished run.
pub struct Drawn {
    pub report: SceneReport,
    pub memory: Memory,
    /// How often each pixel was shaded.
    pub heat: Heat,
}

/// Why a frame is not started, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotStarted {
    /// A program has no end; with its place.
    Endless(String),
    /// The model does not take the frame.
    Model(String),
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Endless(text) | Self::Model(text)) = self;
        f.write_str(text)
    }
}

/// Warp instructions that a program may take.
pub(super) const LIMIT: u64 = 10_000_000;

/// What is asked for of the model beside the picture. Each takes time and memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// How often each pixel is shaded.
    pub heat: bool,
    /// What windows of 1,024 triangles could hide, and the pairs that this machine could merge.
    pub oracle: Option<&'a GpuConfig>,
}

/// Draws on the golden model.
pub fn golden(name: &str, frame: &Frame, fault: Option<Fault>) -> Drawn {
    golden_with(name, frame, fault, Asked::default())
}

/// The same, with what else is asked for.
pub fn golden_with(name: &str, frame: &Frame, fault: Option<Fault>, asked: Asked<'_>) -> Drawn {
    let start = Instant::now();
    let mut bytes = vec![0; BASE as usize];
    bytes.extend_from_slice(&frame.bytes);
    let config = Config {
        units: 1,
        graphics: true,
        merge: frame.merges,
        public_registers: frame.public_registers,
        merge_private: frame.merge_private,
        merge_helpers_end: frame.merge_helpers_end,
        event_form: frame.event_form,
        fault,
        ..Config::default()
    };
    let mut golden = Golden::new(config, frame.code.clone(), vec![], Memory::from_bytes(bytes));
    let mut heat = Heat::new(frame.width, frame.height, HeatKind::Quads);
    let mut ideal = None;
    let result = if asked.heat || asked.oracle.is_some() {
        golden.log_frame(frame.list, LIMIT, asked.oracle.is_some()).map(|(stats, log)| {
            if asked.heat {
                let shaded = log.quads.iter().filter(|q| !log.programs[q.program].is_empty());
                shaded.for_each(|q| q.tags.x.iter().zip(q.tags.y).for_each(|(&x, y)| heat.shaded(x, y)));
            }
            if let Some(machine) = asked.oracle {
                let list = Submitted::read(&Image { base: BASE, bytes: frame.bytes.clone() }, frame.list);
                let pairs = machine.merges().then(|| most_pairs_of_draws(machine, &log, &list));
                ideal = Some(IdealFigures { pairs, ..Ideal::new(&log, &list).figures(&list, |_| false) });
            }
            stats
        })
    } else {
        golden.run_frame(frame.list, LIMIT)
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut problems = vec![];
    let mut verdict = Verdict::Pass;
    let stats = match result {
        Ok(stats) => stats,
        Err(e) => {
            verdict = if matches!(e, FrameError::Endless { .. }) { Verdict::Hang } else { Verdict::EngineFailure };
            problems.push(frame.not_started(&e).to_string());
            FrameStats::default()
        }
    };
    if let (Some(fault), count) = (golden.memory_faults().0.first(), golden.memory_faults().1) {
        verdict = Verdict::MemoryFault;
        let what = if fault.write { "writes" } else { "reads" };
        let place = frame.position(fault.pc).map_or(String::new(), |p| format!(" at {p}"));
        problems
            .push(format!("a program {what} {:#010x}{place}, outside the memory; {count} such accesses", fault.addr));
    }
    if let (Some(trap), count) = (golden.traps().0.first(), golden.traps().1) {
        verdict = Verdict::Trap;
        problems.push(format!("instruction {}: {}; {count} such", trap.pc, trap.trap));
    }
    let culled = stats.culled_range + stats.culled_frustum + stats.culled_area + stats.culled_face;
    let mut run = Report::of_model(name, 0, &stats.programs, seconds);
    (run.verdict, run.problems) = (verdict, problems);
    run.dispatches = 0;
    run.warnings.clone_from(&frame.warnings);
    run.warnings.extend(out_of_range(stats.culled_range));
    run.constants = frame.constants_given();
    run.link.clone_from(&frame.link);
    let report = SceneReport {
        run,
        draws: stats.draws,
        vertices_shaded: stats.vertices_shaded,
        triangles: Triangles {
            drawn: stats.triangles,
            culled,
            range: stats.culled_range,
            clipped: stats.clipped,
            set_up: stats.set_up,
        },
        quads: stats.quads,
        helper_lanes: stats.helper_lanes,
        fragments_shaded: stats.fragments_shaded,
        samples_written: stats.samples_written,
        ideal,
        ..SceneReport::default()
    };
    Drawn { report, memory: golden.into_memory(), heat }
}

/// What is said of triangles that are not drawn because of their numbers.
pub(super) fn out_of_range(triangles: u64) -> Option<String> {
    let are = if triangles == 1 { "1 triangle is".into() } else { format!("{triangles} triangles are") };
    let why = "a word of a position is no number or 2^100 and more, or w is above 0 and below 2^-76";
    (triangles > 0).then(|| format!("{are} not drawn: {why}"))
}

/// The run of a frame that the machine was not started for: a program has no end.
pub fn endless(name: &str, frame: &Frame, problem: String) -> Drawn {
    let mut bytes = vec![0; BASE as usize];
    bytes.extend_from_slice(&frame.bytes);
    let mut run = Report::of_model(name, 0, &RunStats::default(), 0.0);
    (run.verdict, run.dispatches) = (Verdict::Hang, 0);
    run.problems = vec![problem, "the model found it; --engine rtl runs the machine into it".into()];
    run.constants = frame.constants_given();
    let report = SceneReport { run, ..SceneReport::default() };
    let heat = Heat::new(frame.width, frame.height, HeatKind::Quads);
    Drawn { report, memory: Memory::from_bytes(bytes), heat }
}

impl Frame {
    /// Values that constants of the programs were given, of all draws.
    pub fn constants_given(&self) -> BTreeMap<String, serde_json::Value> {
        self.binaries.iter().flat_map(|(_, binary)| binary.interface.values.clone()).collect()
    }

    /// What the model could not draw, with the place in a program's source.
    pub(super) fn not_started(&self, error: &FrameError) -> NotStarted {
        match error {
            FrameError::Endless { pc, .. } => {
                let place = self.position(*pc).map_or(String::new(), |p| format!(" ({p})"));
                NotStarted::Endless(format!("{error}{place}"))
            }
            FrameError::List { .. } => NotStarted::Model(error.to_string()),
        }
    }

    /// Where an instruction stands in its source.
    pub fn position(&self, pc: u16) -> Option<String> {
        let (first, binary) = self.binaries.iter().rev().find(|(first, _)| *first <= u32::from(pc))?;
        binary.position((u32::from(pc) - first) as usize)
    }
}
