//! A machine that draws, made of a healthy model: the log of a frame whose quads a test states, and
//! the events that an RTL would show, one in a cycle. Wrong would be a machine that knows what
//! lockstep compares: it only shows what its model did.

use std::sync::Arc;

use quadlock_golden::frame_log::{FrameLog, LoggedProgram, LoggedQuad};
use quadlock_golden::graphics::primitive::Primitive;
use quadlock_golden::graphics::triangle::{Corner, Triangle};
use quadlock_golden::{Golden, Tags};
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::assemble;

use crate::lockstep::finding::{Concern, What};
use crate::lockstep::follow::Lockstep;
use crate::lockstep::model::golden;
use crate::lockstep::Options;
use crate::machine::launch::{FrameLaunch, Launch};
use crate::machine::memory::Memory;
use crate::machine::ports::{
    CompletionEvent, GraphicsOutputs, LaunchEvent, Outputs, RetireEvent, StateEvent, UnitOutputs,
};

/// A quad of that triangle as the model logs it.
pub(super) fn logged(triangle: usize, tags: Tags) -> LoggedQuad {
    LoggedQuad { triangle, primitive: 0, program: 1, targets: 1, tags, samples: 0..0 }
}

/// The frame with those quads, shaded by that program.
pub(super) fn launch(program: &str, quads: Vec<LoggedQuad>, config: &GpuConfig) -> Launch {
    let code = assemble("frame", program).unwrap().code;
    let mut launch = Launch::bare("frame", code.clone(), 0x400);
    let golden = golden(&launch, config, None);
    let corner = |x, y| Corner { x, y, z: 0 };
    let triangle = Triangle::new([corner(0, 0), corner(4096, 0), corner(0, 4096)]).unwrap();
    let primitive = Primitive {
        triangle,
        vertices: [[0; 64]; 3],
        first: [0; 64],
        reciprocals: [0; 3],
        inverse_area: 0,
        front: true,
    };
    let log = FrameLog {
        primitives: vec![Arc::new(primitive)],
        quads,
        programs: vec![
            LoggedProgram::of(code.clone(), false, golden.config()),
            LoggedProgram::of(code, true, golden.config()),
        ],
        ..FrameLog::default()
    };
    launch.frame = Some(Arc::new(FrameLaunch {
        list: 0,
        log: Some(Arc::new(log)),
        instructions: None,
        after: vec![],
        undefined: vec![],
        drawn: vec![],
        ahead: 0,
        scratch: vec![],
    }));
    launch
}

/// The machine: a healthy model, and the events of a cycle each.
pub(super) struct Machine {
    pub golden: Golden,
    pub events: Vec<Outputs>,
    units: usize,
}

impl Machine {
    /// One that has been told of the frame's state.
    pub fn new(golden: Golden, options: &Options) -> Self {
        let mut machine = Self { golden, events: vec![], units: options.config.total_units() };
        machine.show(GraphicsOutputs { state: Some(StateEvent { context: 0 }), ..Default::default() }, None, None);
        machine
    }

    pub fn show(&mut self, graphics: GraphicsOutputs, launch: Option<LaunchEvent>, retire: Option<RetireEvent>) {
        let mut units = vec![UnitOutputs::default(); self.units];
        units[0].retire = retire;
        self.events.push(Outputs { busy: true, graphics, launch, units, ..Outputs::default() });
    }

    /// Executes until the warp stops or ends.
    pub fn run(&mut self, warp: usize) {
        while self.golden.warp(0, warp).next().is_some() {
            let e = self.golden.step(0, warp).unwrap();
            let written = e.dest.filter(|_| !e.deferred);
            let retire = RetireEvent {
                warp: warp as u8,
                seq: e.seq,
                mask: e.mask,
                pc: e.pc,
                wen: written.is_some(),
                dst: written.map_or(0, |d| d.0),
                value: e.values.map(|v| v[0]),
                next: e.next,
                mem: e.deferred,
                ..RetireEvent::default()
            };
            self.show(GraphicsOutputs::default(), None, Some(retire.with_word(e.word)));
            if e.deferred {
                // What the lane gives away is taken.
                let (seq, mask) = (e.seq, e.mask);
                let done = CompletionEvent { warp: warp as u8, seq, mask, last: true, ..Default::default() };
                self.show(GraphicsOutputs::default(), None, None);
                if let Some(units) = self.events.last_mut().map(|o| &mut o.units) {
                    units[0].completion = Some(done);
                }
            }
        }
    }
}

/// What that lockstep finds in those events, also in what it holds back.
pub(super) fn find(
    mut lockstep: Lockstep<'_>,
    launch: &Launch,
    events: &[Outputs],
    options: &Options,
) -> Option<(Concern, What)> {
    let mut memory = Memory::new(options.memory, launch.image.clone());
    let units = vec![UnitOutputs::default(); options.config.total_units()];
    let quiet = Outputs { busy: true, units, ..Outputs::default() };
    let all = events.iter().chain(std::iter::repeat_n(&quiet, 4000));
    for (cycle, outputs) in (0..).zip(all) {
        if let Some(found) = lockstep.cycle(cycle, outputs, &mut memory) {
            return Some((found.concern, found.finding.what));
        }
    }
    lockstep.ask_at_end(4100, &quiet, &memory).map(|f| (f.concern, f.finding.what))
}
