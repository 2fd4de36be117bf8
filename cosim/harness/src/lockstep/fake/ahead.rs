//! A machine with a cull pipeline, made of a healthy model: it shades the vertices of a triangle
//! ahead, tells of the triangle, and skips it or not. Each thing that it must not do is found by
//! name: a wrong position, a wrong skip, a vertex of a draw that bypasses the pipeline.

use std::sync::Arc;

use quadlock_golden::frame_log::{FrameLog, LoggedProgram, LoggedQuad, LoggedSample, LoggedTriangle};
use quadlock_golden::graphics::primitive::Cull;
use quadlock_golden::Tags;
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::assemble;

use super::frames::{find, Machine};
use crate::lockstep::finding::{Concern, What};
use crate::lockstep::follow::Lockstep;
use crate::lockstep::model::golden;
use crate::lockstep::Options;
use crate::machine::launch::{FrameLaunch, Launch};
use crate::machine::ports::{AheadEvent, GraphicsLaunched, GraphicsOutputs, LaunchEvent, TriangleEvent};

/// The position is the index in each word; the varying is not in the position part, which begins at
/// instruction 6.
const PROGRAM: &str = "S2R r0, vertex_index\nOUT #0, r0\nOUT #1, r0\nOUT #2, r0\nOUT #3, r0\nEND
    S2R r0, vertex_index\nOUT #0, r0\nOUT #1, r0\nOUT #2, r0\nOUT #3, r0\nEND";
const PART: u16 = 6;

/// The fate of a triangle that replay skips.
const SKIPPED: u8 = 7;

/// What is drawn: a triangle of one quad.
#[derive(Clone, Copy)]
struct Frame {
    bypassed: bool,
    culled: Option<Cull>,
    /// Its sample fails its test.
    lost: bool,
    /// What fails its test may be left out.
    may_cull: bool,
    /// It changes the stencil.
    marks: bool,
    /// The first word of the position of vertex 1, as the model logs it.
    word: u32,
}

const HIDDEN: Frame = Frame { bypassed: false, culled: None, lost: true, may_cull: true, marks: false, word: 1 };

impl Frame {
    fn launch(self, config: &GpuConfig) -> Launch {
        let code = assemble("frame", PROGRAM).unwrap().code;
        let mut launch = Launch::bare("frame", code.clone(), 0x800);
        let golden = golden(&launch, config, None);
        let base = launch.image.base;
        let (pass, state) = (base + 0x100, base + 0x200);
        let draw = 3 | u32::from(self.bypassed) << 10;
        let list = [1, pass, 0, 0, 2, state, 0, 0, draw, 3, 0, 1, 0, 0, 0, 0, 7, 0, 0, 0];
        // Less, tested and written.
        let modes = if self.may_cull { 1 << 5 | 3 << 8 } else { 0 };
        let words = (0..).zip(list).map(|(n, w)| (4 * n, w)).chain([(0x200 + 24, modes)]);
        launch.image.bytes.resize(0x400, 0);
        words.for_each(|(at, w): (usize, u32)| launch.image.bytes[at..at + 4].copy_from_slice(&w.to_le_bytes()));
        let positions = [0, 1, 2].map(|n| ((0, 0, n), if n == 1 { [self.word, 1, 1, 1] } else { [n; 4] }));
        let program = LoggedProgram::of(code, false, golden.config());
        let quad =
            LoggedQuad { triangle: 0, primitive: 0, program: 1, targets: 1, tags: Tags::default(), samples: 0..1 };
        let log = FrameLog {
            triangles: vec![LoggedTriangle { culled: self.culled, clipped: false, primitives: 0..0 }],
            quads: if self.culled.is_some() { vec![] } else { vec![quad] },
            samples: vec![LoggedSample { lane: 0, sample: 0, depth: 0, words: [0; 8], lost: self.lost }],
            programs: vec![program.clone().with_position(PART), program],
            positions: positions.into(),
            marked: self.marks.then_some((0, (0, 0))).into_iter().collect(),
            ..FrameLog::default()
        };
        launch.frame = Some(Arc::new(FrameLaunch {
            list: base,
            log: Some(Arc::new(log)),
            instructions: None,
            after: vec![],
            undefined: vec![],
            drawn: vec![],
            scratch: vec![],
            ahead: 0,
        }));
        launch
    }

    /// What lockstep finds if the pipeline shades the vertices from an instruction on, tells of the
    /// triangle, and the triangle has that fate.
    fn seen(self, pc: u16, said: Option<u8>, fate: Option<u8>) -> Option<(Concern, What)> {
        let config = GpuConfig { graphics: true, ..GpuConfig::default() };
        let options = Options { model: true, config, ..Options::default() };
        let launch = self.launch(&options.config);
        let lockstep = Lockstep::new(&launch, &options);
        let mut machine = Machine::new(lockstep.model.golden.clone(), &options);
        let vertex = [0, 1, 2, 0];
        let tags = Tags { program: 1, vertex, ..Tags::default() };
        let (mask, graphics) = (7, Some(Box::new(tags)));
        let of_model = quadlock_golden::Launch { mask, pc, warps_in_group: 1, graphics, ..Default::default() };
        machine.golden.launch(&of_model).unwrap();
        let event = GraphicsLaunched { mask, pc, kind: 3, place: vertex, ..GraphicsLaunched::default() };
        let launched = LaunchEvent { mask, pc, ..LaunchEvent::default() };
        machine.show(GraphicsOutputs { launch: Some(event), ..Default::default() }, Some(launched), None);
        machine.run(0);
        let ahead = said.map(|what| AheadEvent { order: 0, what });
        machine.show(GraphicsOutputs { ahead, ..Default::default() }, None, None);
        let triangle = fate.map(|what| TriangleEvent { what, last: true, ..TriangleEvent::default() });
        machine.show(GraphicsOutputs { triangle, ..Default::default() }, None, None);
        find(lockstep, &launch, &machine.events, &options)
    }
}

#[test]
fn hz_31_a_hidden_triangle_is_skipped() {
    assert_eq!(HIDDEN.seen(PART, Some(6), Some(SKIPPED)), None);
    assert_eq!(HIDDEN.seen(PART, None, Some(SKIPPED)), None);
    let culled = Frame { culled: Some(Cull::Face), may_cull: false, ..HIDDEN };
    assert_eq!(culled.seen(PART, Some(4), Some(SKIPPED)), None);
}

#[test]
fn hz_31_a_wrong_skip_is_found() {
    let of = |what| Some((Concern::Triangle, what));
    assert_eq!(Frame { lost: false, ..HIDDEN }.seen(PART, Some(6), Some(SKIPPED)), of(What::SkipWrong));
    assert_eq!(Frame { may_cull: false, ..HIDDEN }.seen(PART, Some(6), Some(SKIPPED)), of(What::SkipWrong));
    assert_eq!(Frame { marks: true, ..HIDDEN }.seen(PART, Some(6), Some(SKIPPED)), of(What::SkipWrong));
    assert_eq!(HIDDEN.seen(PART, Some(0), Some(SKIPPED)), of(What::SkipVisible));
    assert_eq!(HIDDEN.seen(PART, Some(4), Some(SKIPPED)), of(What::AheadFate));
}

#[test]
fn hz_33_a_draw_that_bypasses_is_left_alone() {
    let bypassed = Frame { bypassed: true, ..HIDDEN };
    assert_eq!(bypassed.seen(PART, None, None), Some((Concern::Vertex, What::VertexBypassed)));
    // Without a launch of its own.
    assert_eq!(HIDDEN.seen(0, None, None), Some((Concern::Vertex, What::WarpStart)));
}

#[test]
fn hz_36_another_position_is_found() {
    let other = Frame { word: 0x3F80_0000, ..HIDDEN };
    assert_eq!(other.seen(PART, Some(6), Some(SKIPPED)), Some((Concern::Vertex, What::PositionDiffers)));
}
