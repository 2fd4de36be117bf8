//! Geometry as one block: its parts, how they are connected, and what the blocks around hear of
//! them. Which part does what is on the page of the block, `docs/blocks/geometry.md`.
//!
//! ```text
//! corners -> intake -> assembly ------------> fetch -> edges -> gradients -> bias -> finish -> triangle
//!              |          |                     |        (a row for each set-up)       |
//!            views      clip -> pieces ---------+                                      |
//!              |          |                                                            |
//!            attribute store, references, set-up store <------ record ------------------+
//! ```
//!
//! The build parameter `setup-rate` says how many rows there are: a view unit and a set-up in each,
//! and dividers in the set-up. Vertices go to the rows in turn, and so do triangles.
//!
//! The cull pipeline has one of its own ([`GeometryRole`]), without a clipper (HZ-32). What would
//! be clipped is told and goes no further.
//!
//! Numbers of triangles have 16 bits. No triangle gets one that is more than [`SPAN`] from the
//! oldest that may live: assembly waits until none lives, and a window that fills ends then.
//!
//! It can be wrong in a connection, in a row that is not in its turn, and in a triangle that lives
//! and does not count. Planted fault: `geometry-span`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::assembly::GeometryAssembly;
use super::bias::GeometryBias;
use super::clip::GeometryClip;
use super::contexts::GeometryContexts;
use super::edges::GeometryEdges;
use super::fetch::GeometryFetch;
use super::finish::GeometryFinish;
use super::gradient::GeometryGradient;
use super::intake::GeometryIntake;
use super::role::GeometryRole;
use super::store::GeometryStore;
use super::view::GeometryView;
use crate::base::stream::FlowOut;
use crate::base::{vector, Fitted, Parameter, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{
    AssembledDataOut, BoundsOut, CornerDataOut, CornerIn, DroppedEntryIn, EntryReferenceOut, FloatAskDataOut,
    FreeEntryOut, FreedHandleIn, MadeVertexOut, PlaneBiasOut, RecordWriteOut, SetUpDataOut, SetUpOut, ShadedEntriesIn,
    ShadedVertexOut, SpareEntryOut, StateWriteIn, StoreAnswerOut, StoreReadIn, TriangleEventOut, TriangleOut,
    VertexWordIn,
};

/// Numbers of triangles that are given while one of the first lives. Numbers have 16 bits, and who
/// reads an event takes the number that is nearest to the newest. So what is seen last of a
/// triangle must come before the newest number is 2^15 beyond it. The rest, 4,096 numbers of four
/// cycles at least, is for beats on their way to blending when no record lives any more.
const SPAN: u64 = 28_672;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Geometry {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states and of the pass.
    pub state: StateWriteIn,
    /// A corner comes.
    pub corner: CornerIn,
    /// Behind a cull pipeline: it is none, a triangle is left out. One, or none.
    pub corner_skip: Vec<Signal<In, bool>>,
    /// An entry of the vertex store for a vertex to be shaded.
    pub entry_ports: FreeEntryOut,
    /// An entry to which the front end gives up its reference.
    pub drop: DroppedEntryIn,
    /// It is taken in this cycle if valid.
    pub drop_ready: Signal<Out, bool>,
    /// Word of vertices, written by a vertex warp.
    pub vertex_word: VertexWordIn,
    /// A warp of vertices has ended.
    pub shaded_ports: ShadedEntriesIn,
    /// Request for an edge or a word of a triangle's record.
    pub store_req: StoreReadIn,
    /// Response, two cycles after the request.
    pub store_rsp: StoreAnswerOut,
    /// A triangle is set up.
    pub triangle: TriangleOut,
    /// The record of a triangle is free again.
    pub free_ports: FreedHandleIn,
    /// Contexts that a corner inside or a live record names.
    pub contexts: Signal<Out, Bits<16>>,
    /// Nothing is inside, and no record lives.
    pub idle: Signal<Out, bool>,
    /// Of the pipeline that draws: a corner waits, or a triangle is inside. One, or none.
    pub works: Vec<Signal<Out, bool>>,
    /// Likewise: there is no free record, or no free entry for a vertex. One, or none.
    pub lacks_places: Vec<Signal<Out, bool>>,
    /// With a window of triangles, but in a cull pipeline: no triangle gets a number until none
    /// lives, and the window must end. One, or none.
    pub unnumbered: Vec<Signal<Out, bool>>,
    /// With full binning: a triangle whose record here is free is in the window or being drawn. One
    /// element, or none.
    pub stored_busy: Vec<Signal<In, bool>>,
    /// With a window of triangles: an entry, a record or an entry for clipping has not been there
    /// for 15 cycles.
    pub starved: Vec<Signal<Out, bool>>,
    /// Behind a cull pipeline: no corner waits, no triangle is inside, and no record lives. One, or
    /// none.
    pub settled: Vec<Signal<Out, bool>>,
    /// Behind a cull pipeline: contexts whose draws are strips. One, or none.
    pub are_strips: Vec<Signal<Out, Bits<16>>>,
    /// Event: the clipper reads a word.
    pub clips: Signal<Out, bool>,
    /// Event port: result of geometry for a triangle.
    pub triangle_event: TriangleEventOut,
    store: GeometryStore,
    intake: GeometryIntake,
    assembly: GeometryAssembly,
    clip: Fitted<GeometryClip>,
    fetch: GeometryFetch,
    contexts_named: GeometryContexts,
    finish: GeometryFinish,
    views: Vec<GeometryView>,
    edges: Vec<GeometryEdges>,
    gradients: Vec<GeometryGradient>,
    biases: Vec<GeometryBias>,
    // Of each vertex: X, Y, Z twice, 1 / w.
    x: Ram,
    y: Ram,
    z: Ram,
    z_late: Ram,
    r: Ram,
    // Rows whose turn it is.
    load_at: DFF<Bits<2>>,
    give_at: DFF<Bits<2>>,
    found_at: DFF<Bits<2>>,
    /// Of each row the divider that a triangle goes to, and the one that the oldest is in.
    divider_at: Vec<DFF<Bits<2>>>,
    known_at: Vec<DFF<Bits<2>>>,
    code_entry: Signal<Local, Bits<12>>,
    z_write: Signal<Local, bool>,
    z_entry: Signal<Local, Bits<12>>,
    z_value: Signal<Local, Bits<30>>,
    place_entry: Signal<Local, Bits<12>>,
    place: Signal<Local, Bits<22>>,
    lost: Signal<Local, bool>,
    /// By row: a bias asks the float unit; a bias or a divider does.
    bias_asks: Vec<Signal<Local, bool>>,
    float_req_taken: Vec<Signal<Local, bool>>,
    /// Cycles in which one of them was not there.
    lacking: Vec<DFF<Bits<4>>>,
    /// Triangles between assembly and their event; records that live.
    inside: Vec<DFF<Bits<8>>>,
    more_inside: Vec<Signal<Local, Bits<8>>>,
    alive: Vec<DFF<Bits<13>>>,
    more_alive: Vec<Signal<Local, Bits<13>>>,
    mark: Vec<DFF<Bits<16>>>,
    stays: Vec<DFF<bool>>,
    lives: Vec<Signal<Local, bool>>,
    span: Vec<Signal<Local, Bits<16>>>,
    most_span: Vec<Parameter<16>>,
    fault_geometry_span: Vec<Planted>,
    /// 1: full binning keeps triangles whose records are free.
    #[size]
    _kept: usize,
    /// 1: a window must know.
    #[size]
    _windows: usize,
    #[size]
    _behind: usize,
    /// 1: there is a clipper; there is none.
    #[size]
    _clips: bool,
    #[size]
    _rows: usize,
    #[size]
    _dividers: usize,
    #[size]
    _sorts: bool,
    _active: bool,
}

impl Geometry {
    /// At rest, with that configuration's rows and planted faults.
    pub fn new(config: &GpuConfig, role: GeometryRole) -> Self {
        let behind = usize::from(role == GeometryRole::Behind);
        let clips = role != GeometryRole::Positions;
        let draws = usize::from(clips);
        let kept = draws * usize::from(config.bins());
        let windows = draws * usize::from(config.sorts());
        let (rows, dividers) = (config.setup_rate.setups(), config.setup_rate.dividers());
        Self {
            store: GeometryStore::new(config),
            corner_skip: vector(behind),
            settled: vector(behind),
            are_strips: vector(behind),
            works: vector(draws),
            lacks_places: vector(draws),
            inside: vector(draws),
            more_inside: vector(draws),
            alive: vector(draws),
            more_alive: vector(draws),
            mark: vector(draws),
            stays: vector(draws),
            lives: vector(draws),
            span: vector(draws),
            most_span: (0..draws).map(|_| Parameter::new(SPAN)).collect(),
            fault_geometry_span: (0..draws).map(|_| Planted::new(config.has(Fault::GeometrySpan))).collect(),
            unnumbered: vector(windows),
            _windows: windows,
            stored_busy: vector(kept),
            _kept: kept,
            _behind: behind,
            _clips: clips,
            intake: GeometryIntake::new(config, role),
            assembly: GeometryAssembly::new(config, role),
            clip: Fitted::new(GeometryClip::new(config), clips),
            fetch: GeometryFetch::new(config),
            contexts_named: GeometryContexts::new(config),
            finish: GeometryFinish::new(config),
            views: (0..rows).map(|row| GeometryView::new(config, (16 / rows * row) as u64)).collect(),
            edges: (0..rows).map(|_| GeometryEdges::new(config)).collect(),
            gradients: (0..rows * dividers).map(|_| GeometryGradient::new(config)).collect(),
            biases: (0..rows * dividers).map(|_| GeometryBias::new(config)).collect(),
            x: Ram::new(config.vertices()),
            y: Ram::new(config.vertices()),
            z: Ram::new(config.vertices()),
            z_late: Ram::new(config.vertices()),
            r: Ram::new(config.vertices()),
            divider_at: vector(rows),
            bias_asks: vector(rows),
            float_req_taken: vector(rows),
            known_at: vector(rows),
            _rows: rows,
            _dividers: dividers,
            starved: vector(usize::from(config.sorts())),
            lacking: vector(usize::from(config.sorts())),
            _sorts: config.sorts(),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl Geometry {
    /// All parts have the clock and hear words of state.
    fn clocks(&mut self) {
        comment!("module: geometry");
        dff_setup!(self, clock, load_at, give_at, found_at);
        clock!(self, clock, store, intake, assembly, fetch, contexts_named, finish, x, y, z, z_late, r);
        StateWriteIn::link(&mut self.state, &mut self.store.state);
        StateWriteIn::link(&mut self.state, &mut self.assembly.state);
        if self._clips {
            clock!(self, clock, clip);
            StateWriteIn::link(&mut self.state, &mut self.clip.state);
        }
        StateWriteIn::link(&mut self.state, &mut self.fetch.state);
        StateWriteIn::link(&mut self.state, &mut self.finish.state);
        for s in 0..self._rows {
            clock!(self, clock, views[s], edges[s]);
            self.divider_at[s].clock.next = self.clock.val();
            self.known_at[s].clock.next = self.clock.val();
            self.divider_at[s].d.next = self.divider_at[s].q.val();
            self.known_at[s].d.next = self.known_at[s].q.val();
            StateWriteIn::link(&mut self.state, &mut self.views[s].state);
            for k in 0..self._dividers {
                clock!(self, clock, gradients[s * self._dividers + k], biases[s * self._dividers + k]);
                StateWriteIn::link(&mut self.state, &mut self.biases[s * self._dividers + k].state);
            }
        }
    }

    /// The vertex front end, vertex warps and fragments use the store.
    fn store_ports(&mut self) {
        FreeEntryOut::link(&mut self.entry_ports, &mut self.store.entry_ports);
        DroppedEntryIn::link(&mut self.drop, &mut self.store.drop);
        self.drop_ready.next = true;
        VertexWordIn::link(&mut self.vertex_word, &mut self.store.vertex_word);
        ShadedEntriesIn::link(&mut self.shaded_ports, &mut self.store.shaded_ports);
        StoreReadIn::link(&mut self.store_req, &mut self.store.store_req);
        StoreAnswerOut::link(&mut self.store_rsp, &mut self.store.store_rsp);
        FreedHandleIn::link(&mut self.free_ports, &mut self.store.free_ports);
    }

    /// Corners go through the intake to assembly.
    fn corners(&mut self) {
        CornerIn::link(&mut self.corner, &mut self.intake.corner);
        self.store.corner_count.next = self.intake.count.val();
        self.store.corner_entry.next = self.intake.count_entry.val();
        self.intake.fresh.next = self.store.corner_fresh.val();
        self.store.query.next = self.intake.query.val();
        self.intake.is_shaded.next = self.store.is_shaded.val();
        for k in 0..self._behind {
            self.intake.corner_skip[k].next = self.corner_skip[k].val();
            self.assembly.head_skip[k].next = self.intake.head_skip[k].val();
        }
        self.intake.clipping.next = false;
        self.intake.made_ports.made_valid.next = false;
        self.intake.made_ports.made_entry.next = bits::<12>(0);
        self.intake.made_ports.made_context.next = bits::<4>(0);
        if self._clips {
            self.intake.clipping.next = !self.clip.idle.val();
            MadeVertexOut::join(&mut self.clip.made_ports, &mut self.intake.made_ports);
        }
        self.intake.head_take.next = self.assembly.head_take.val();
        FlowOut::<CornerDataOut>::join(&mut self.intake.head, &mut self.assembly.head);
    }

    /// Nothing is written if no view unit writes.
    fn view_defaults(&mut self) {
        self.intake.vertex_ready.next = false;
        self.store.read_address.next = bits::<18>(0);
        if self._clips {
            self.store.read_address.next = self.clip.read_address.val();
            self.clip.read_ready.next = true;
        }
        self.assembly.code_write.next = false;
        self.code_entry.next = self.views[0].code_entry.val();
        self.assembly.code.next = self.views[0].code.val();
        self.r.write_enable.next = false;
        self.r.write_data.next = self.views[0].r.val();
        self.z_write.next = false;
        self.z_entry.next = self.views[0].z_entry.val();
        self.z_value.next = self.views[0].z.val();
        self.x.write_enable.next = false;
        self.y.write_enable.next = false;
        self.place_entry.next = self.views[0].place_entry.val();
        self.place.next = self.views[0].place.val();
        self.intake.done.next = false;
        if self._clips {
            self.clip.made_done.next = false;
        }
    }

    /// Each view unit begins a vertex in a cycle of its own.
    fn views(&mut self) {
        for s in 0..self._rows {
            ShadedVertexOut::join(&mut self.intake.vertex, &mut self.views[s].vertex);
            self.views[s].read_data.next = self.store.read_data.val();
            if self.views[s].vertex_ready.val() {
                self.intake.vertex_ready.next = true;
            }
            if self.views[s].read.val() {
                self.store.read_address.next = self.views[s].read_address.val();
                if self._clips {
                    self.clip.read_ready.next = false;
                }
            }
            if self.views[s].code_write.val() {
                self.assembly.code_write.next = true;
                self.code_entry.next = self.views[s].code_entry.val();
                self.assembly.code.next = self.views[s].code.val();
                self.r.write_enable.next = true;
                self.r.write_data.next = self.views[s].r.val();
            }
            if self.views[s].z_write.val() {
                self.z_write.next = true;
                self.z_entry.next = self.views[s].z_entry.val();
                self.z_value.next = self.views[s].z.val();
            }
            if self.views[s].x_write.val() {
                self.x.write_enable.next = true;
                self.place_entry.next = self.views[s].place_entry.val();
                self.place.next = self.views[s].place.val();
            }
            if self.views[s].y_write.val() {
                self.y.write_enable.next = true;
                self.place_entry.next = self.views[s].place_entry.val();
                self.place.next = self.views[s].place.val();
                self.intake.done.next = !self.views[s].made.val();
                if self._clips {
                    self.clip.made_done.next = self.views[s].made.val();
                }
            }
        }
        self.assembly.code_entry.next = self.code_entry.val();
        self.r.write_address.next = self.code_entry.val();
        self.z.write_enable.next = self.z_write.val();
        self.z.write_address.next = self.z_entry.val();
        self.z.write_data.next = bit_cast::<32, 30>(self.z_value.val());
        self.z_late.write_enable.next = self.z_write.val();
        self.z_late.write_address.next = self.z_entry.val();
        self.z_late.write_data.next = bit_cast::<32, 30>(self.z_value.val());
        self.x.write_address.next = self.place_entry.val();
        self.x.write_data.next = bit_cast::<32, 22>(self.place.val());
        self.y.write_address.next = self.place_entry.val();
        self.y.write_data.next = bit_cast::<32, 22>(self.place.val());
    }

    /// The clipper writes vertices that it makes into spare entries of the store.
    fn clipper_store(&mut self) {
        self.store.write.next = false;
        self.store.write_address.next = bits::<18>(0);
        self.store.write_data.next = bits::<32>(0);
        self.store.spare_ports.spare_take.next = false;
        if self._clips {
            self.clip.read_data.next = self.store.read_data.val();
            self.store.write.next = self.clip.write.val();
            self.store.write_address.next = self.clip.write_address.val();
            self.store.write_data.next = self.clip.write_data.val();
            SpareEntryOut::join(&mut self.store.spare_ports, &mut self.clip.spare_ports);
        }
    }

    /// Triangles, whole ones and pieces, go to the fetch.
    fn triangles(&mut self) {
        AssembledDataOut::join(&mut self.assembly.triangle, &mut self.fetch.triangle);
        if !self._clips {
            self.assembly.clip_idle.next = true;
            self.assembly.clip_ready.next = true;
            self.fetch.triangle.valid.next = self.assembly.triangle.valid.val();
            self.assembly.triangle.ready.next = self.fetch.triangle.ready.val();
        }
        if self._clips {
            self.assembly.clip_idle.next = self.clip.idle.val();
            self.clip.in_triangle.valid.next = self.assembly.clip_valid.val();
            self.assembly.clip_ready.next = self.clip.in_triangle.ready.val();
            AssembledDataOut::join(&mut self.assembly.triangle, &mut self.clip.in_triangle);
            self.fetch.triangle.valid.next = self.assembly.triangle.valid.val() || self.clip.piece.valid.val();
            self.assembly.triangle.ready.next = self.fetch.triangle.ready.val() && !self.clip.piece.valid.val();
            self.clip.piece.ready.next = self.fetch.triangle.ready.val();
            if self.clip.piece.valid.val() {
                AssembledDataOut::join(&mut self.clip.piece, &mut self.fetch.triangle);
            }
        }
        fan_out!(self.fetch.entry => self.x.read_address, self.y.read_address, self.z.read_address);
        self.fetch.x.next = self.x.read_data.val().get_bits::<22>(0);
        self.fetch.y.next = self.y.read_data.val().get_bits::<22>(0);
    }

    /// The store receives references to entries that come and go.
    fn references(&mut self) {
        EntryReferenceOut::join(&mut self.assembly.ref_add, &mut self.store.ref_add);
        if self._clips {
            self.store.ref_add.valid.next = self.assembly.ref_add.valid.val() || self.clip.ref_add_valid.val();
            self.assembly.ref_add.ready.next = self.store.ref_add.ready.val() && !self.clip.ref_add_valid.val();
            self.clip.ref_add_ready.next = self.store.ref_add.ready.val();
            if self.clip.ref_add_valid.val() {
                self.store.ref_add.entry.next = self.clip.ref_add_entry.val();
            }
        }
        EntryReferenceOut::join(&mut self.assembly.ref_release, &mut self.store.ref_release);
        if self._clips {
            self.clip.ref_release_ready.next = self.store.ref_release.ready.val();
            if self.clip.ref_release_valid.val() {
                self.store.ref_release.valid.next = true;
                self.store.ref_release.entry.next = self.clip.ref_release_entry.val();
                self.assembly.ref_release.ready.next = false;
            }
        }
    }

    /// Corners and triangles go to the rows of set-up in turn.
    fn set_up_turns(&mut self) {
        self.fetch.room.next = false;
        if self.fetch.turn.val() {
            self.give_at.d.next = self.load_at.q.val();
            self.load_at.d.next = self.load_at.q.val() + bits::<2>(1);
            if self._rows == 1 {
                self.load_at.d.next = bits::<2>(0);
            }
        }
        self.finish.found.valid.next = false;
        SetUpDataOut::join(&mut self.edges[0].found, &mut self.finish.found);
        self.finish.known.next = false;
        PlaneBiasOut::join(&mut self.biases[0].bias_ports, &mut self.finish.bias_ports);
        for s in 0..self._rows {
            self.edges[s].load.next = false;
            self.edges[s].setup_start.next = false;
            self.edges[s].found_take.next = false;
            self.edges[s].number.next = self.fetch.number.val();
            self.edges[s].x.next = self.x.read_data.val().get_bits::<22>(0);
            self.edges[s].y.next = self.y.read_data.val().get_bits::<22>(0);
            self.edges[s].z.next = self.z.read_data.val().get_bits::<30>(0);
            AssembledDataOut::join(&mut self.fetch.setup_triangle, &mut self.edges[s].setup_triangle);
            BoundsOut::join(&mut self.fetch.bounds, &mut self.edges[s].bounds);
            if self.load_at.q.val() == s.to_bits::<2>() {
                self.fetch.room.next = self.edges[s].room.val();
                self.edges[s].load.next = self.fetch.load.val();
            }
            if self.give_at.q.val() == s.to_bits::<2>() {
                self.edges[s].setup_start.next = self.fetch.setup_start.val();
            }
        }
    }

    /// One row in each cycle gives back references of a culled triangle.
    fn edge_losses(&mut self) {
        self.lost.next = false;
        for s in 0..self._rows {
            self.edges[s].ref_release_ready.next = self.store.ref_release.ready.val() && !self.lost.val();
            if self.edges[s].ref_release_valid.val() && !self.lost.val() {
                self.lost.next = true;
                self.store.ref_release.valid.next = true;
                self.store.ref_release.entry.next = self.edges[s].ref_release_entry.val();
                self.assembly.ref_release.ready.next = false;
                if self._clips {
                    self.clip.ref_release_ready.next = false;
                }
            }
        }
    }

    /// Rows give results in turn, and a counter names the divider of each row in turn.
    fn row_turns(&mut self) {
        for s in 0..self._rows {
            // Dividers of a row, in turn.
            self.edges[s].divider_ready.next = false;
            self.views[s].float_req.valid.next = false;
            self.views[s].float_req_tag.next = bits::<4>(0);
            if !self._clips {
                FloatAskDataOut::join(&mut self.biases[0].float_req, &mut self.views[s].float_req);
            }
            if self._clips {
                FloatAskDataOut::join(&mut self.clip.float_req, &mut self.views[s].float_req);
            }
            if self.found_at.q.val() == s.to_bits::<2>() {
                SetUpOut::join(&mut self.edges[s].found, &mut self.finish.found);
                self.edges[s].found_take.next = self.finish.found_take.val();
                if self.finish.known_take.val() {
                    self.known_at[s].d.next = self.known_at[s].q.val() + bits::<2>(1);
                    if self._dividers == 1 {
                        self.known_at[s].d.next = bits::<2>(0);
                    }
                }
            }
            if self.edges[s].numerator_y.val() {
                self.divider_at[s].d.next = self.divider_at[s].q.val() + bits::<2>(1);
                if self._dividers == 1 {
                    self.divider_at[s].d.next = bits::<2>(0);
                }
            }
        }
    }

    /// A row uses its dividers in turn, and each one's biased result goes to the finish.
    fn dividers(&mut self) {
        for s in 0..self._rows {
            for k in 0..self._dividers {
                self.gradients[s * self._dividers + k].start.next = false;
                self.gradients[s * self._dividers + k].numerator_x.next = false;
                self.gradients[s * self._dividers + k].numerator_y.next = false;
                self.gradients[s * self._dividers + k].area.next = self.edges[s].area.val();
                self.gradients[s * self._dividers + k].context.next = self.edges[s].context.val();
                self.gradients[s * self._dividers + k].numerator.next = self.edges[s].numerator.val();
                if self.divider_at[s].q.val() == k.to_bits::<2>() {
                    self.edges[s].divider_ready.next = self.gradients[s * self._dividers + k].ready.val();
                    self.gradients[s * self._dividers + k].start.next = self.edges[s].start.val();
                    self.gradients[s * self._dividers + k].numerator_x.next = self.edges[s].numerator_x.val();
                    self.gradients[s * self._dividers + k].numerator_y.next = self.edges[s].numerator_y.val();
                }
                // To the bias behind it.
                self.biases[s * self._dividers + k].in_valid.next =
                    self.gradients[s * self._dividers + k].done_valid.val();
                self.gradients[s * self._dividers + k].done_ready.next =
                    self.biases[s * self._dividers + k].in_ready.val();
                self.biases[s * self._dividers + k].context.next =
                    self.gradients[s * self._dividers + k].done_context.val();
                self.biases[s * self._dividers + k].gx_in.next = self.gradients[s * self._dividers + k].gx.val();
                self.biases[s * self._dividers + k].gy_in.next = self.gradients[s * self._dividers + k].gy.val();
                self.biases[s * self._dividers + k].steepest.next =
                    self.gradients[s * self._dividers + k].steepest.val();
                self.biases[s * self._dividers + k].inverse_in.next =
                    self.gradients[s * self._dividers + k].inverse.val();
                self.biases[s * self._dividers + k].done_take.next = false;
                if (self.found_at.q.val() == s.to_bits::<2>()) && (self.known_at[s].q.val() == k.to_bits::<2>()) {
                    self.finish.known.next = self.biases[s * self._dividers + k].done_valid.val();
                    PlaneBiasOut::join(
                        &mut self.biases[s * self._dividers + k].bias_ports,
                        &mut self.finish.bias_ports,
                    );
                    self.biases[s * self._dividers + k].done_take.next = self.finish.known_take.val();
                }
            }
        }
        if self.finish.found_take.val() {
            self.found_at.d.next = self.found_at.q.val() + bits::<2>(1);
            if self._rows == 1 {
                self.found_at.d.next = bits::<2>(0);
            }
        }
    }

    /// Biases, dividers and the clipper share a row's float unit, in this order.
    fn float_arbitration(&mut self) {
        // Who asks a row's float unit: biases before dividers, in row 0 the clipper behind them.
        // Tags are 4 to 7 of dividers, 8 to 11 of biases, 1 of the clipper.
        for s in 0..self._rows {
            self.bias_asks[s].next = false;
            for k in 0..self._dividers {
                self.biases[s * self._dividers + k].float_rsp.next = self.views[s].answer_ports.value.val();
                self.biases[s * self._dividers + k].fixed.next = self.views[s].answer_ports.fixed.val();
                self.biases[s * self._dividers + k].float_rsp_valid.next =
                    self.views[s].answer_ports.value_tag.val() == (k.to_bits::<4>() | bits::<4>(8));
                self.biases[s * self._dividers + k].fixed_rsp_valid.next =
                    self.views[s].answer_ports.fixed_tag.val() == (k.to_bits::<4>() | bits::<4>(8));
                self.biases[s * self._dividers + k].float_req.ready.next =
                    self.views[s].float_req.ready.val() && !self.bias_asks[s].val();
                if self.biases[s * self._dividers + k].float_req.valid.val() && !self.bias_asks[s].val() {
                    self.bias_asks[s].next = true;
                    self.views[s].float_req.valid.next = true;
                    self.views[s].float_req_tag.next = k.to_bits::<4>() | bits::<4>(8);
                    FloatAskDataOut::join(
                        &mut self.biases[s * self._dividers + k].float_req,
                        &mut self.views[s].float_req,
                    );
                }
            }
            self.float_req_taken[s].next = self.bias_asks[s].val();
            for k in 0..self._dividers {
                self.gradients[s * self._dividers + k].float_rsp.next = self.views[s].answer_ports.value.val();
                self.gradients[s * self._dividers + k].float_rsp_valid.next =
                    self.views[s].answer_ports.value_tag.val() == (k.to_bits::<4>() | bits::<4>(4));
                self.gradients[s * self._dividers + k].float_req.ready.next =
                    self.views[s].float_req.ready.val() && !self.float_req_taken[s].val();
                if self.gradients[s * self._dividers + k].float_req.valid.val() && !self.float_req_taken[s].val() {
                    self.float_req_taken[s].next = true;
                    self.views[s].float_req.valid.next = true;
                    self.views[s].float_req_tag.next = k.to_bits::<4>() | bits::<4>(4);
                    FloatAskDataOut::join(
                        &mut self.gradients[s * self._dividers + k].float_req,
                        &mut self.views[s].float_req,
                    );
                }
            }
            if self._clips {
                if s == 0 {
                    self.clip.float_rsp_valid.next = self.views[s].answer_ports.value_tag.val() == bits::<4>(1);
                    self.clip.float_rsp.next = self.views[s].answer_ports.value.val();
                    self.clip.float_req.ready.next =
                        self.views[s].float_req.ready.val() && !self.float_req_taken[s].val();
                    if self.clip.float_req.valid.val() && !self.float_req_taken[s].val() {
                        self.views[s].float_req.valid.next = true;
                        self.views[s].float_req_tag.next = bits::<4>(1);
                    }
                }
            }
        }
    }

    /// Records of triangles go to the store.
    fn records(&mut self) {
        fan_out!(self.finish.entry => self.z_late.read_address, self.r.read_address);
        self.finish.z.next = self.z_late.read_data.val().get_bits::<30>(0);
        self.finish.r.next = self.r.read_data.val();
        self.finish.handle_valid.next = self.store.handle_valid.val();
        self.finish.handle.next = self.store.handle.val();
        RecordWriteOut::join(&mut self.finish.record_ports, &mut self.store.record_ports);
    }

    /// Contexts are named while something of theirs is here.
    fn contexts(&mut self) {
        self.contexts_named.opens.next = self.intake.opens.val();
        self.contexts_named.opens_context.next = self.intake.opens_context.val();
        self.contexts_named.triangle_valid.next = self.fetch.count_valid.val();
        self.fetch.count_ready.next = self.contexts_named.triangle_ready.val();
        self.contexts_named.triangle_context.next = self.assembly.triangle.context.val();
        if self._clips {
            if self.clip.piece.valid.val() {
                self.contexts_named.triangle_context.next = self.clip.piece.context.val();
            }
        }
        self.contexts_named.end_valid.next = self.assembly.end_valid.val();
        self.assembly.end_ready.next = self.contexts_named.end_ready.val();
        self.contexts_named.end_context.next = self.intake.head.context.val();
        self.contexts_named.culled.next = self.finish.culled.val();
        self.contexts_named.culled_context.next = self.finish.culled_context.val();
        self.contexts_named.record_release_valid.next = self.store.record_release_valid.val();
        self.store.record_release_ready.next = self.contexts_named.record_release_ready.val();
        self.contexts_named.record_release_context.next = self.store.record_release_context.val();
        self.contexts.next = self.contexts_named.contexts.val();
        self.idle.next = self.intake.idle.val() && !self.contexts_named.contexts.val().any();
    }

    /// Outputs report whether places lack for long, and whether the clipper works.
    fn starvation(&mut self) {
        // One that is taken is followed by the next one within a few cycles, if there is one.
        if self._sorts {
            self.lacking[0].clock.next = self.clock.val();
            self.lacking[0].d.next = bits::<4>(0);
            if !self.store.entry_ports.entry_valid.val()
                || !self.store.handle_valid.val()
                || !self.store.spare_ports.spare.val()
            {
                self.lacking[0].d.next = self.lacking[0].q.val() + bits::<4>(1);
                if self.lacking[0].q.val().all() {
                    self.lacking[0].d.next = self.lacking[0].q.val();
                }
            }
            self.starved[0].next = self.lacking[0].q.val().all();
        }

        self.clips.next = false;
        if self._clips {
            self.clips.next = self.clip.works.val();
            self.works[0].next = !self.intake.idle.val() || self.inside[0].q.val().any();
            self.lacks_places[0].next = !self.store.entry_ports.entry_valid.val() || !self.store.handle_valid.val();
        }
    }

    /// Living triangles are counted; assembly waits while their numbers span too far.
    fn number_span(&mut self) {
        // What is inside, and what lives.
        self.assembly.stays.next = false;
        if self._clips {
            self.inside[0].clock.next = self.clock.val();
            self.alive[0].clock.next = self.clock.val();
            self.more_inside[0].next = self.inside[0].q.val();
            if self.assembly.triangle_sent.val() {
                self.more_inside[0].next = self.inside[0].q.val() + bits::<8>(1);
            }
            self.inside[0].d.next = self.more_inside[0].val();
            if self.finish.triangle_event.valid.val() && self.finish.triangle_event.last.val() {
                self.inside[0].d.next = self.more_inside[0].val() - bits::<8>(1);
            }
            self.more_alive[0].next = self.alive[0].q.val();
            if self.finish.record_ports.handle_take.val() {
                self.more_alive[0].next = self.alive[0].q.val() + bits::<13>(1);
            }
            self.alive[0].d.next = self.more_alive[0].val();
            if self.free_ports.free_valid.val() {
                self.alive[0].d.next = self.more_alive[0].val() - bits::<13>(1);
            }
            // Every number that lives is at least `mark`: that of the next triangle when the last
            // time none lived.
            self.mark[0].clock.next = self.clock.val();
            self.stays[0].clock.next = self.clock.val();
            self.lives[0].next = self.inside[0].q.val().any() || self.alive[0].q.val().any();
            for m in 0..self._kept {
                self.lives[0].next =
                    self.inside[0].q.val().any() || self.alive[0].q.val().any() || self.stored_busy[m].val();
            }
            self.mark[0].d.next = self.mark[0].q.val();
            if !self.lives[0].val() {
                self.mark[0].d.next = self.assembly.triangle.order.val();
            }
            self.span[0].next = self.assembly.triangle.order.val() - self.mark[0].q.val();
            self.stays[0].d.next = self.lives[0].val()
                && (self.span[0].val() >= self.most_span[0].val())
                && !self.fault_geometry_span[0].val();
            self.assembly.stays.next = self.stays[0].q.val();
            for m in 0..self._windows {
                self.unnumbered[m].next = self.stays[0].q.val();
            }
        }
    }

    /// The ports say what has settled, and give the triangle.
    fn outputs(&mut self) {
        for k in 0..self._behind {
            self.settled[k].next = self.intake.idle.val()
                && !self.assembly.holds[k].val()
                && !self.inside[k].q.val().any()
                && !self.alive[k].q.val().any();
            self.are_strips[k].next = self.assembly.are_strips[k].val();
        }

        // The triangle.
        TriangleOut::link(&mut self.triangle, &mut self.finish.triangle);
        TriangleEventOut::link(&mut self.triangle_event, &mut self.finish.triangle_event);
    }
}
