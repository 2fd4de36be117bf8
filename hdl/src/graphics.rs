//! The graphics pipeline: everything between command list and memory but the warp units
//! (docs/graphics-blocks.md). It is wiring, and three small things: the request of a tile, which
//! binner and tile buffers say differently; the choice of the core whose word or question is taken;
//! and what is idle.
//!
//! The core with the lowest number goes first: a word or
//! a question waits for those of lower cores in its cycle, and every warp has few of them. It can
//! be wrong in a swapped or forgotten connection, which lockstep finds.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::parts::Part;
use crate::base::stream::FlowOut;
use crate::base::{vector, Fitted, Parameter};
use crate::base::{Each, Nothing, Quiet};
use crate::command::{CommandLead, CommandRole, CommandStreamer};
use crate::config::GpuConfig;
use crate::cull::CullPipeline;
use crate::dispatch::GraphicsDispatcher;
use crate::geometry::{Geometry, GeometryRole};
use crate::memory::arbiter::{graphics_clients, GRAPHICS_CLIENTS};
use crate::output::{Blend, DepthStencil, ResultStore, TileBuffers};
use crate::ports::{
    AheadEventOut, CollectedOut, CommitDataOut, CommitOut, CornerOut, CullEventOut, DepthUpdateOut, DrawOut,
    DroppedEntryOut, FragmentEndOut, FreeEntryOut, FreedHandleOut, GraphicsStartOut, GroupAnswerOut, LineDataIn,
    LineDataOut, LineReadOut, LineRequestOut, PairingOut, PartAnswerOut, PassEdgeOut, QuadDataOut, QuadGroupDataOut,
    QuadGroupOut, QuadOut, QuadReadOut, QuadWriteOut, ResultWordDataIn, ResultWordIn, ShadeOut, ShadedEntriesOut,
    StateWriteOut, StoreAnswerOut, StoreReadDataIn, StoreReadIn, StoreReadOut, TagsOut, TileOut, TileVisibilityOut,
    TriangleDataOut, TriangleEventOut, TriangleFactsOut, TriangleOut, VertexBatchOut, VertexWordDataIn, VertexWordIn,
    WarpEndIn, WindowEventOut, WindowWriteOut, WorkEventOut,
};
use crate::raster::{Collector, MergePassage, MergeQueue, Rasteriser};
use crate::vertex::{FrontRole, VertexFrontEnd};
use crate::visibility::{
    BackVisibility, Binner, DepthVisibility, EdgeVisibility, FullBinner, RasterHiZ, Visibility, WindowBinner,
};
use crate::{comment, wired};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GraphicsPipeline {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: a command list is run.
    pub start: Signal<In, bool>,
    /// Its byte address.
    pub list: Signal<In, Bits<32>>,
    /// The list is not at its end, or something of it is under way.
    pub busy: Signal<Out, bool>,
    /// Words of states and of the pass, for the attribute units.
    pub state: StateWriteOut,
    /// Words for the windows of the constant bank.
    pub window: WindowWriteOut,
    /// Nothing is on its way to or from memory.
    pub memory_idle: Signal<In, bool>,
    // Memory: command streamer, index fetch, tile buffers.
    /// Client i has a request.
    pub g_req: Each<LineRequestOut>,
    /// The answer to client i's oldest request comes; always taken.
    pub g_rsp_valid: Vec<Signal<In, bool>>,
    /// Its words.
    pub g_rsp: LineDataIn,
    // Warps.
    /// A warp of graphics is launched.
    pub launch: GraphicsStartOut,
    /// What the warp is.
    pub tags: TagsOut,
    /// A warp has ended.
    pub end: Each<WarpEndIn>,
    /// Lanes of unit i that cover something, 4 bits for each slot.
    pub covered: Vec<Signal<In, Bits<64>>>,
    /// Merging: lanes of unit i whose tags are those of member 1, 4 bits for each slot; none
    /// without it.
    pub mates: Vec<Signal<In, Bits<64>>>,
    /// Pairs of groups: what the launched warp is in one; one, or none.
    pub launch_twin: Vec<Signal<Out, Bits<2>>>,
    /// Groups of more than two: bit 1 of the members' numbers, where `mates` is bit 0.
    pub mates_high: Vec<Signal<In, Bits<64>>>,
    // The attribute units, by core.
    /// A word of vertices.
    pub vw: Each<VertexWordIn>,
    /// With a cull pipeline: they are of its vertices. Else none.
    pub vw_cull: Vec<Signal<In, bool>>,
    /// A word of fragments.
    pub rw: Each<ResultWordIn>,
    /// A question about a triangle.
    pub sr: Each<StoreReadIn>,
    /// An answer, for the core that it names.
    pub sa: StoreAnswerOut,
    // Events.
    /// What became of a triangle.
    pub tri: TriangleEventOut,
    /// A beat goes to blending.
    pub commit: FlowOut<CommitDataOut>,
    /// A tile was written to memory.
    pub tile_written: Signal<Out, bool>,
    /// A tile is loaded again.
    pub tile_reloaded: Signal<Out, bool>,
    /// What is not drawn; none without Hi-Z.
    pub culls: Each<CullEventOut>,
    /// Windows that end; none without windows.
    pub windows: Each<WindowEventOut>,
    /// What the cull pipeline finds; none without it.
    pub aheads: Each<AheadEventOut>,
    /// A unit that can work long without any of these makes a step.
    pub work: WorkEventOut,
    /// The only one, or that of the cull pipeline.
    streamer: CommandStreamer,
    /// With a cull pipeline: that of the pipeline that draws.
    follower: Fitted<CommandStreamer>,
    lead: Fitted<CommandLead>,
    cull: Fitted<CullPipeline>,
    front: VertexFrontEnd,
    geometry: Geometry,
    /// Every triangle may be seen; with Hi-Z before the binner the unit that knows better.
    visibility: Fitted<Visibility>,
    early: Fitted<DepthVisibility>,
    /// With windows without a unit before the binner, and behind a cull pipeline that has the
    /// depths: tiles of the box that a triangle does not reach.
    edges: Fitted<EdgeVisibility>,
    /// Hi-Z in the rasteriser alone.
    late: Fitted<RasterHiZ>,
    /// Hi-Z from depths that were written.
    back: Fitted<BackVisibility>,
    /// One triangle after the other; left out with a window, which sorts them.
    binner: Fitted<Binner>,
    sorter: Fitted<WindowBinner>,
    /// With full binning.
    bins: Fitted<FullBinner>,
    rasteriser: Rasteriser,
    depth: DepthStencil,
    collector: Collector,
    /// The way past the queue; left out with merging, which has the queue.
    passage: Fitted<MergePassage>,
    merge: Fitted<MergeQueue>,
    /// Cycles without a quad from the collector, at most 16.
    gap: Vec<DFF<Bits<5>>>,
    merge_limit: Vec<Parameter<16>>,
    results: ResultStore,
    dispatcher: GraphicsDispatcher,
    blend: Blend,
    tiles: TileBuffers,
    side: DFF<Bits<3>>,
    asked: DFF<bool>,
    /// What the rasteriser gives, behind the filter if there is one.
    tile_done: Signal<Local, bool>,
    given: Signal<Local, bool>,
    given_buffer: Signal<Local, Bits<3>>,
    // The core whose word is being taken.
    word_held: DFF<bool>,
    word_core: DFF<Bits<4>>,
    result_held: DFF<bool>,
    result_core: DFF<Bits<4>>,
    word_found: Signal<Local, bool>,
    result_found: Signal<Local, bool>,
    question_found: Signal<Local, bool>,
    /// What the streamer says that draws, and the one that waits.
    finish: Signal<Local, bool>,
    list_waits: Signal<Local, bool>,
    /// No quad waits for a partner.
    unpaired: Signal<Local, bool>,
    quiet: Signal<Local, bool>,
    /// Who makes a step: a tile is decided, by the cull pipeline's unit; a triangle is offered to
    /// the rasteriser, and taken; bounds are cleared.
    decides: Signal<Local, bool>,
    decides_ahead: Signal<Local, bool>,
    offers: Signal<Local, bool>,
    takes: Signal<Local, bool>,
    sweeps: Signal<Local, bool>,
    sweeps_late: Signal<Local, bool>,
    sweeps_back: Signal<Local, bool>,
    /// Contexts that are named by triangles in memory; there are some.
    in_bins: Signal<Local, Bits<16>>,
    kept_busy: Signal<Local, bool>,
    kept_spent: Signal<Local, bool>,
    tile_x: Signal<Local, Bits<12>>,
    tile_y: Signal<Local, Bits<12>>,
    #[size]
    _cores: usize,
    /// 1: a cull pipeline; none; one with the visibility unit.
    #[size]
    _culls: usize,
    #[size]
    _direct: usize,
    #[size]
    _deep: bool,
    /// 1: triangles that are drawn go through the visibility unit; past it.
    #[size]
    _through: bool,
    #[size]
    _passing: bool,
    /// 1: past it, with a test of edges.
    #[size]
    _edged: bool,
    /// Those who cull, without a unit before the binner.
    #[size]
    _told: usize,
    #[size]
    _hides: bool,
    #[size]
    _bare: bool,
    #[size]
    _late: usize,
    /// 1: only in the rasteriser; there and in the unit; the unit's for both.
    #[size]
    _alone: bool,
    #[size]
    _two: bool,
    #[size]
    _one: bool,
    /// 1: Hi-Z is updated by what was written; and the binner asks; quads meet no Hi-Z.
    #[size]
    _back: bool,
    #[size]
    _back_asks: bool,
    #[size]
    _unmet: bool,
    /// 1: the binner asks at its output; it does not.
    #[size]
    _asks: bool,
    #[size]
    _mute: bool,
    #[size]
    _cullers: usize,
    /// 1: parts of groups are tested: by the rasteriser's own structure; by the unit's; by the
    /// rasteriser's beside the unit's.
    #[size]
    _late_parts: bool,
    #[size]
    _one_parts: bool,
    #[size]
    _two_parts: bool,
    /// Where events of parts are, with Hi-Z in the rasteriser alone.
    #[size]
    _part_from: usize,
    #[size]
    _part_to: usize,
    #[size]
    _sorts: bool,
    #[size]
    _plain: bool,
    /// 1: full binning; triangles are held on the chip; full binning without a cull pipeline.
    #[size]
    _bins: bool,
    /// 1: bounds of Hi-Z are in memory, too; the port of full binning has nobody.
    #[size]
    _memory: bool,
    #[size]
    _empty: bool,
    #[size]
    _seats: bool,
    #[size]
    _merges: bool,
    #[size]
    _threes: bool,
    #[size]
    _twins: bool,
    #[size]
    _units: usize,
    #[size]
    _rows: usize,
    _active: bool,
}

wired! { GraphicsPipeline:
    /// Words of state go to all blocks, and to the windows of the constant bank.
    States,
    /// The command streamer reads its list from memory.
    Commands,
    /// Full binning reports which contexts its triangles in memory name.
    StoredTriangles,
    /// The front end reads indices and takes entries; without culling it takes draws here.
    FrontEnd,
    /// The streamer of the cull pipeline leads, and the other one follows.
    CullStreamers,
    /// The cull pipeline takes draws, and gives the front end bits of triangles.
    CullDraws,
    /// The cull pipeline has no visibility unit, or the one that there is.
    CullVisibility,
    /// Geometry takes corners and shaded vertices, and gets its records back.
    GeometryPorts,
    /// Ports for words and questions are idle as long as no core has one.
    IdlePorts,
    /// The lowest core with a word or store read goes first; a waiting word keeps its turn.
    CoreArbitration,
    /// Triangles and quads pass by the visibility units that are left out.
    Bypass,
    /// Hi-Z in the rasteriser answers for groups of quads and their parts.
    LateHiZ,
    /// Hi-Z from depths that were written answers the rasteriser.
    BackHiZ,
    /// Hi-Z before the binner answers the rasteriser, and receives its quads.
    EarlyHiZ,
    /// The plain binner gets triangles, bits of tiles and answers.
    BinnerInput,
    /// The plain binner gives triangles to the rasteriser, and opens and closes tiles.
    BinnerOutput,
    /// The window binner gets triangles, bits of tiles and answers.
    SorterInput,
    /// The window binner gives triangles to the rasteriser, and opens and closes tiles.
    SorterOutput,
    /// Full binning gets triangles, bits of tiles and answers.
    BinsInput,
    /// Full binning gives triangles to the rasteriser, and opens and closes tiles.
    BinsOutput,
    /// The window binner reports windows, and waits for the list and for geometry.
    SorterWaits,
    /// Full binning reports windows, waits likewise, and has a port of memory.
    BinsWaits,
    /// Hi-Z has a port of memory, and ports of absent clients are idle.
    MemoryClients,
    /// A tile is asked for once, and is there when the buffers say so.
    TileRequest,
    /// Quads go from early tests to the collector, and may wait for partners.
    Quads,
    /// The dispatcher launches warps, and receives their ends.
    Warps,
    /// Results go through late tests and blending into the tile buffers.
    Commits,
    /// A unit that can work long reports each step.
    Progress,
    /// The streamers hear when nothing is under way.
    Idleness,
}

impl GraphicsPipeline {
    /// For the cores of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let (cores, units, rows) = (config.total_cores(), config.total_units(), config.rows);
        let culls = usize::from(config.culls());
        // A pipeline by itself has its clients, whatever the machine.
        let clients = graphics_clients(config).max(GRAPHICS_CLIENTS);
        let (streamer, front, geometry) = if config.culls() {
            (CommandRole::Leads, FrontRole::Behind, GeometryRole::Behind)
        } else {
            (CommandRole::Alone, FrontRole::Plain, GeometryRole::Plain)
        };
        Self {
            g_req: Each::new(clients),
            g_rsp_valid: vector(clients),
            vw_cull: vector(cores * culls),
            aheads: Each::new(culls),
            follower: Fitted::new(CommandStreamer::new(config, CommandRole::Follows), config.culls()),
            lead: Fitted::new(CommandLead::new(config), config.culls()),
            cull: Fitted::new(CullPipeline::new(config), config.culls()),
            _culls: culls,
            _direct: 1 - culls,
            _deep: config.culls_depth(),
            _through: config.knows_ahead() && !config.culls_depth(),
            _passing: !config.knows_ahead() && !config.tests_edges() && !config.updates_back(),
            _edged: config.tests_edges(),
            _told: usize::from(config.hides_late() && !config.knows_ahead())
                + usize::from(config.tests_edges() && !config.culls_depth()),
            end: Each::new(rows),
            covered: vector(units),
            mates: vector(if config.merges() { units } else { 0 }),
            mates_high: vector(if config.groups() { units } else { 0 }),
            _threes: config.groups(),
            launch_twin: vector(usize::from(config.twins())),
            _twins: config.twins(),
            _merges: config.merges(),
            vw: Each::new(cores),
            rw: Each::new(cores),
            sr: Each::new(cores),
            streamer: CommandStreamer::new(config, streamer),
            front: VertexFrontEnd::new(config, front),
            geometry: Geometry::new(config, geometry),
            visibility: Fitted::new(
                Visibility::default(),
                !config.knows_ahead() && !config.tests_edges() && !config.updates_back(),
            ),
            edges: Fitted::new(EdgeVisibility::new(config), config.tests_edges()),
            early: Fitted::new(DepthVisibility::new(config), config.knows_ahead()),
            late: Fitted::new(RasterHiZ::new(config), config.hides_late()),
            back: Fitted::new(BackVisibility::new(config), config.updates_back()),
            _back: config.updates_back(),
            _back_asks: config.updates_back() && config.binner_asks(),
            _unmet: !config.hides() || config.updates_back(),
            _hides: config.knows_ahead(),
            _bare: !config.hides(),
            _late: usize::from(config.hides_late()),
            _alone: config.hides_late() && !config.knows_ahead(),
            _two: config.hides_late() && config.knows_ahead(),
            _one: !config.hides_late() && config.knows_ahead(),
            _asks: config.binner_asks() && !config.updates_back(),
            _mute: !config.binner_asks(),
            _cullers: config.cullers(),
            _late_parts: config.tests_parts() && config.hides_late(),
            _one_parts: config.tests_parts() && !config.hides_late(),
            _two_parts: config.tests_parts() && config.hides_late() && config.knows_ahead(),
            _part_from: config.cullers() - usize::from(config.tests_parts() && !config.knows_ahead()),
            _part_to: config.cullers(),
            culls: Each::new(config.cullers()),
            windows: Each::new(usize::from(config.sorts())),
            binner: Fitted::new(Binner::new(config), !config.sorts()),
            sorter: Fitted::new(WindowBinner::new(config), config.sorts() && !config.bins()),
            bins: Fitted::new(FullBinner::new(config), config.bins()),
            _sorts: config.sorts() && !config.bins(),
            _bins: config.bins(),
            _seats: (config.bins() || config.spills()) && !config.culls(),
            _memory: config.spills(),
            _empty: config.spills() && !config.bins(),
            _plain: !config.sorts(),
            rasteriser: Rasteriser::new(config),
            depth: DepthStencil::new(config),
            collector: Collector::new(config),
            passage: Fitted::new(MergePassage::new(config), !config.merges()),
            merge: Fitted::new(MergeQueue::new(config), config.merges()),
            gap: vector(usize::from(config.merges())),
            merge_limit: config.merges().then(|| Parameter::new(config.merge_limit as u64)).into_iter().collect(),
            results: ResultStore::new(config),
            dispatcher: GraphicsDispatcher::new(config),
            blend: Blend::new(config),
            tiles: TileBuffers::new(config),
            _cores: cores,
            _units: units,
            _rows: rows,
            _active: true,
            ..Default::default()
        }
    }
}

impl Part<States> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        comment!("module: graphics_pipeline");
        dff_setup!(self, clock, side, asked, word_held, word_core, result_held, result_core);
        clock!(self, clock, streamer, front, geometry, rasteriser, depth, collector, results);
        clock!(self, clock, dispatcher, blend, tiles);

        // State goes to all.
        fan_out!(StateWriteOut: self.streamer.state =>
            self.geometry.state, self.rasteriser.state, self.depth.state, self.collector.state, self.results.state,
            self.dispatcher.state, self.blend.state, self.tiles.state
        );
        StateWriteOut::link(&mut self.state, &mut self.streamer.state);
        self.window.valid.next = self.streamer.cw_valid.val();
        self.window.addr.next = (bit_cast::<13, 5>(self.streamer.cw_window.val()) << bits::<13>(8))
            | bit_cast::<13, 8>(self.streamer.cw_word.val());
        self.window.data.next = self.streamer.cw_data.val();
        if self.streamer.state.pass.val() && (self.streamer.state.word.val() == bits::<6>(pass::KIND)) {
            self.side.d.next = self.streamer.state.data.val().get_bits::<3>(4);
        }
    }
}

impl Part<Commands> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        self.streamer.start.next = self.start.val();
        self.streamer.list.next = self.list.val();
        LineReadOut::link(&mut self.g_req[0], &mut self.streamer.m_req);
        self.streamer.m_rsp.valid.next = self.g_rsp_valid[0].val();
        LineDataIn::link(&mut self.g_rsp, &mut self.streamer.m_rsp);
        self.streamer.memory_idle.next = self.memory_idle.val();
    }
}

impl Part<StoredTriangles> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        self.in_bins.next = bits::<16>(0);
        self.kept_busy.next = false;
        self.kept_spent.next = false;
        if self._bins {
            self.in_bins.next = self.bins.contexts.val();
            self.kept_busy.next = self.bins.busy.val();
            self.kept_spent.next = self.bins.spent.val();
        }
    }
}

impl Part<FrontEnd> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        for _k in 0..self._direct {
            self.streamer.contexts_busy.next =
                self.front.contexts.val() | self.geometry.contexts.val() | self.in_bins.val();
            DrawOut::join(&mut self.streamer.draw, &mut self.front.draw);
            self.streamer.pass_done.next = self.tiles.done.val();
            self.finish.next = self.streamer.finish.val();
            self.list_waits.next = self.streamer.waits.val();
            PassEdgeOut::join(&mut self.streamer.pass_ports, &mut self.tiles.pass_ports);
            self.busy.next = self.streamer.busy.val();
        }
        LineReadOut::link(&mut self.g_req[1], &mut self.front.m_req);
        self.front.m_rsp.valid.next = self.g_rsp_valid[1].val();
        LineDataIn::link(&mut self.g_rsp, &mut self.front.m_rsp);
        FreeEntryOut::join(&mut self.geometry.entry_ports, &mut self.front.entry_ports);
        DroppedEntryOut::join(&mut self.front.drop, &mut self.geometry.drop);
        self.front.drop_ready.next = self.geometry.drop_ready.val();
    }
}

impl Part<CullStreamers> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        // The cull pipeline: its streamer leads, and the other one's draws look for its bits.
        for k in 0..self._culls {
            clock!(self, clock, follower, lead, cull);
            StateWriteOut::join(&mut self.streamer.state, &mut self.cull.state);
            fan_out!(self.start => self.follower.start, self.lead.start);
            self.follower.list.next = self.list.val();
            self.lead.leads.next = self.streamer.begins[k].val();
            self.lead.leader_busy.next = self.streamer.busy.val();
            self.lead.wrote.next = self.streamer.wrote[k].val();
            self.lead.follows.next = self.follower.begins[k].val();
            self.lead.between.next = self.follower.between[k].val();
            self.lead.takes.next = self.follower.takes[k].val();
            self.streamer.may_begin[k].next = self.lead.may_lead.val();
            self.follower.may_begin[k].next = self.lead.may_follow.val();
            self.streamer.met[k].next = self.lead.met.val();
            self.streamer.state_room[k].next = self.lead.state_room.val();
            self.streamer.contexts_busy.next = self.front.contexts.val()
                | self.geometry.contexts.val()
                | self.cull.contexts.val()
                | self.in_bins.val();
            self.follower.contexts_busy.next = bits::<16>(0);
            self.follower.memory_idle.next = self.memory_idle.val();
            self.streamer.pass_done.next = false;
            self.follower.pass_done.next = self.tiles.done.val();
            self.finish.next = self.follower.finish.val();
            // The one that leads may wait for what was drawn when all was told to be.
            self.list_waits.next = self.follower.waits.val() || (self.streamer.waits.val() && self.lead.met.val());
            PassEdgeOut::join(&mut self.follower.pass_ports, &mut self.tiles.pass_ports);
            self.busy.next = self.streamer.busy.val() || self.follower.busy.val();
            LineReadOut::link(&mut self.g_req[3], &mut self.follower.m_req);
            self.follower.m_rsp.valid.next = self.g_rsp_valid[3].val();
            LineDataIn::link(&mut self.g_rsp, &mut self.follower.m_rsp);
        }
    }
}

impl Part<CullDraws> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        for k in 0..self._culls {
            // Draws.
            DrawOut::join(&mut self.streamer.draw, &mut self.cull.draw);
            DrawOut::join(&mut self.follower.draw, &mut self.front.draw);
            self.front.draw_bypass[k].next = self.follower.draw_bypass[k].val();
            self.front.strips[k].next = self.geometry.are_strips[k].val();
            LineReadOut::link(&mut self.g_req[4], &mut self.cull.m_req);
            self.cull.m_rsp.valid.next = self.g_rsp_valid[4].val();
            LineDataIn::link(&mut self.g_rsp, &mut self.cull.m_rsp);
            // Bits, and marks of what they leave out.
            self.front.bit_valid[k].next = self.cull.bit_ports.bit_valid.val();
            self.front.bit_shows[k].next = self.cull.bit_ports.bit_shows.val();
            self.cull.bit_ports.bit_take.next = self.front.bit_take[k].val();
            self.geometry.corner_skip[k].next = self.front.corner_skip[k].val();
            AheadEventOut::link(&mut self.aheads[k], &mut self.cull.ahead);
            // Its vertices are shaded.
            ShadedEntriesOut::join(&mut self.dispatcher.shaded_ports, &mut self.cull.shaded_ports);
            self.cull.shaded_ports.shaded_valid.next = self.dispatcher.cull_shaded_valid.val();
        }
    }
}

impl Part<CullVisibility> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        for k in 0..self._culls {
            // Its visibility unit: none, or the one that there is.
            if !self._deep {
                self.cull.triangle.ready.next = true;
                self.cull.done_valid.next = false;
                self.cull.done_order.next = bits::<16>(0);
                self.cull.done_handle.next = bits::<12>(0);
                self.cull.done_shows.next = false;
                self.streamer.past_waits[k].next = false;
                self.streamer.cull_idle[k].next = self.cull.idle.val();
            }
            if self._deep {
                TriangleOut::join(&mut self.cull.triangle, &mut self.early.told);
                self.cull.done_valid.next = self.early.triangle.valid.val();
                self.early.triangle.ready.next = self.cull.done_ready.val();
                self.cull.done_order.next = self.early.triangle.order.val();
                self.cull.done_handle.next = self.early.triangle.handle.val();
                self.cull.done_shows.next = self.early.seen[0].val();
                self.early.visible_ports.visible_ready.next = true;
                // All before is drawn: the front end waits for this triangle's bit.
                self.early.drained[0].next = self.front.bit_waits[k].val()
                    && (self.cull.bit_ports.bit_order.val() == self.cull.triangle.order.val())
                    && self.geometry.settled[k].val()
                    && !self.kept_busy.val();
                self.early.past_context[0].next = self.streamer.draw.context.val();
                self.early.past[0].next = self.streamer.passes_by[k].val();
                self.streamer.past_waits[k].next = self.early.past_forgets[0].val();
                self.streamer.cull_idle[k].next = self.cull.idle.val() && self.early.idle[0].val();
            }
        }
    }
}

impl Part<GeometryPorts> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        CornerOut::join(&mut self.front.corner, &mut self.geometry.corner);
        ShadedEntriesOut::join(&mut self.dispatcher.shaded_ports, &mut self.geometry.shaded_ports);
        TriangleEventOut::link(&mut self.tri, &mut self.geometry.tri);
        if !self._bins {
            FreedHandleOut::join(&mut self.results.free_ports, &mut self.geometry.free_ports);
            StoreAnswerOut::link(&mut self.sa, &mut self.geometry.sa);
        }
        // With full binning it is the binner whom cores ask, and who asks geometry.
        if self._bins {
            self.geometry.kept_busy[0].next = self.bins.busy.val();
            self.geometry.free_ports.free_valid.next = self.bins.left_valid.val();
            self.geometry.free_ports.free_handle.next = self.bins.left_handle.val();
            StoreReadOut::join(&mut self.bins.gr, &mut self.geometry.sr);
            StoreAnswerOut::join(&mut self.geometry.sa, &mut self.bins.ga);
            self.bins.free_valid.next = self.results.free_ports.free_valid.val();
            self.bins.free_handle.next = self.results.free_ports.free_handle.val();
            StoreAnswerOut::link(&mut self.sa, &mut self.bins.sa);
        }
    }
}

impl Part<IdlePorts> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        self.geometry.vw.valid.next = false;
        self.results.word.valid.next = false;
        if !self._bins {
            self.geometry.sr.valid.next = false;
            StoreReadDataIn::link(&mut self.sr[0], &mut self.geometry.sr);
        }
        if self._bins {
            self.bins.sr.valid.next = false;
            StoreReadDataIn::link(&mut self.sr[0], &mut self.bins.sr);
        }
        VertexWordDataIn::link(&mut self.vw[0], &mut self.geometry.vw);
        for _k in 0..self._culls {
            self.cull.vw.valid.next = false;
            VertexWordDataIn::link(&mut self.vw[0], &mut self.cull.vw);
        }
        ResultWordDataIn::link(&mut self.rw[0], &mut self.results.word);
    }
}

impl Part<CoreArbitration> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        // A word may take several cycles; it is not left for another core's meanwhile.
        self.word_held.d.next = false;
        self.result_held.d.next = false;
        self.word_found.next = false;
        self.result_found.next = false;
        self.question_found.next = false;
        for c in 0..self._cores {
            self.vw[c].ready.next = false;
            self.rw[c].ready.next = false;
            self.sr[c].ready.next = false;
            if self.vw[c].valid.val()
                && !self.word_found.val()
                && (!self.word_held.q.val() || (self.word_core.q.val() == c.to_bits::<4>()))
            {
                self.word_found.next = true;
                self.geometry.vw.valid.next = true;
                self.vw[c].ready.next = self.geometry.vw.ready.val();
                self.word_held.d.next = !self.geometry.vw.ready.val();
                self.word_core.d.next = c.to_bits::<4>();
                VertexWordDataIn::link(&mut self.vw[c], &mut self.geometry.vw);
                for _k in 0..self._culls {
                    VertexWordDataIn::link(&mut self.vw[c], &mut self.cull.vw);
                    if self.vw_cull[c].val() {
                        self.geometry.vw.valid.next = false;
                        self.cull.vw.valid.next = true;
                        self.vw[c].ready.next = self.cull.vw.ready.val();
                        self.word_held.d.next = !self.cull.vw.ready.val();
                    }
                }
            }
            if self.rw[c].valid.val()
                && !self.result_found.val()
                && (!self.result_held.q.val() || (self.result_core.q.val() == c.to_bits::<4>()))
            {
                self.result_found.next = true;
                self.results.word.valid.next = true;
                self.rw[c].ready.next = self.results.word.ready.val();
                self.result_held.d.next = !self.results.word.ready.val();
                self.result_core.d.next = c.to_bits::<4>();
                ResultWordDataIn::link(&mut self.rw[c], &mut self.results.word);
            }
            if self.sr[c].valid.val() && !self.question_found.val() {
                self.question_found.next = true;
                if !self._bins {
                    self.geometry.sr.valid.next = true;
                    self.sr[c].ready.next = self.geometry.sr.ready.val();
                    StoreReadDataIn::link(&mut self.sr[c], &mut self.geometry.sr);
                }
                if self._bins {
                    self.bins.sr.valid.next = true;
                    self.sr[c].ready.next = self.bins.sr.ready.val();
                    StoreReadDataIn::link(&mut self.sr[c], &mut self.bins.sr);
                }
            }
        }
    }
}

impl Part<Bypass> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        // Visibility, tiles, rasteriser.
        if self._passing {
            TriangleOut::join(&mut self.geometry.triangle, &mut self.visibility.told);
            DepthUpdateOut::join(&mut self.depth.update, &mut self.visibility.update);
        }
        if self._edged {
            clock!(self, clock, edges);
            StateWriteOut::join(&mut self.streamer.state, &mut self.edges.state);
            TriangleOut::join(&mut self.geometry.triangle, &mut self.edges.told);
        }
        if !self._hides {
            self.tile_done.next = self.rasteriser.tile_done.val();
            QuadDataOut::join(&mut self.rasteriser.quad, &mut self.depth.early);
            self.given_buffer.next = self.rasteriser.quad.buffer.val();
        }
        if self._unmet {
            self.depth.early.valid.next = self.rasteriser.quad.valid.val();
            self.rasteriser.quad.ready.next = self.depth.early.ready.val();
            self.given.next =
                self.rasteriser.quad.valid.val() && self.rasteriser.quad.last.val() && !self.rasteriser.quad.end.val();
        }
        if self._bare {
            // Whoever asks whether something is hidden hears at once that it is not.
            self.rasteriser.answer_ports.answer_valid.next = true;
            self.rasteriser.answer_ports.hidden.next = false;
        }
    }
}

impl Part<LateHiZ> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        for _k in 0..self._late {
            clock!(self, clock, late);
            StateWriteOut::join(&mut self.streamer.state, &mut self.late.state);
            QuadGroupOut::join(&mut self.rasteriser.query, &mut self.late.query);
            TriangleFactsOut::join(&mut self.rasteriser.query_facts, &mut self.late.query_facts);
            self.late.query_taken.next = self.rasteriser.query_taken.val();
            GroupAnswerOut::join(&mut self.late.answer_ports, &mut self.rasteriser.answer_ports);
            QuadOut::join(&mut self.rasteriser.quad, &mut self.late.told);
            self.late.tile_done.next = self.rasteriser.tile_done.val();
        }
        if self._alone {
            self.depth.early.valid.next = self.late.quad_valid.val();
            self.late.quad_ready.next = self.depth.early.ready.val();
            self.given.next =
                self.late.quad_valid.val() && self.rasteriser.quad.last.val() && !self.rasteriser.quad.end.val();
            CullEventOut::link(&mut self.culls[0], &mut self.late.cull);
        }
        if self._late_parts {
            self.late.part_begins[0].next = self.rasteriser.part_begins[0].val();
            PartAnswerOut::join(&mut self.late.part[0], &mut self.rasteriser.part[0]);
        }
        for e in self._part_from..self._part_to {
            CullEventOut::link(&mut self.culls[e], &mut self.late.part_cull[0]);
        }
        for k in self._late..self._told {
            CullEventOut::link(&mut self.culls[k], &mut self.edges.cull);
        }
    }
}

impl Part<BackHiZ> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        if self._back {
            clock!(self, clock, back);
            StateWriteOut::join(&mut self.streamer.state, &mut self.back.state);
            TriangleOut::join(&mut self.geometry.triangle, &mut self.back.told);
            FreedHandleOut::join(&mut self.results.free_ports, &mut self.back.free_ports);
            QuadGroupOut::join(&mut self.rasteriser.query, &mut self.back.query);
            TriangleFactsOut::join(&mut self.rasteriser.query_facts, &mut self.back.query_facts);
            self.back.query_taken.next = self.rasteriser.query_taken.val();
            GroupAnswerOut::join(&mut self.back.answer_ports, &mut self.rasteriser.answer_ports);
            DepthUpdateOut::join(&mut self.depth.update, &mut self.back.update);
            self.depth.update_room[0].next = self.back.update_room.val();
            for c in 0..self._cullers {
                CullEventOut::link(&mut self.culls[c], &mut self.back.culls[c]);
            }
        }
    }
}

impl Part<EarlyHiZ> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        if self._hides {
            clock!(self, clock, early);
            StateWriteOut::join(&mut self.streamer.state, &mut self.early.state);
            if self._through {
                TriangleOut::join(&mut self.geometry.triangle, &mut self.early.told);
            }
            QuadGroupDataOut::join(&mut self.rasteriser.query, &mut self.early.query);
            TriangleFactsOut::join(&mut self.rasteriser.query_facts, &mut self.early.query_facts);
            if self._one {
                self.early.query_valid[0].next = self.rasteriser.query.valid.val();
                self.early.query_taken[0].next = self.rasteriser.query_taken.val();
                GroupAnswerOut::join(&mut self.early.answer_ports[0], &mut self.rasteriser.answer_ports);
                self.early.given_valid.next = self.rasteriser.quad.valid.val();
                self.rasteriser.quad.ready.next = self.early.given_ready.val();
            }
            if self._one_parts {
                self.early.part_begins[0].next = self.rasteriser.part_begins[0].val();
                PartAnswerOut::join(&mut self.early.part[0], &mut self.rasteriser.part[0]);
            }
            if self._two {
                // The rasteriser asks its own structure.
                self.early.given_valid.next = self.late.quad_valid.val();
                self.late.quad_ready.next = self.early.given_ready.val();
                CullEventOut::join(&mut self.late.cull, &mut self.early.beside[0]);
            }
            if self._two_parts {
                CullEventOut::join(&mut self.late.part_cull[0], &mut self.early.beside_part[0]);
            }
            QuadDataOut::join(&mut self.rasteriser.quad, &mut self.early.given_quad);
            self.early.given_done.next = self.rasteriser.tile_done.val();
            self.tile_done.next = self.early.tile_done.val();
            QuadOut::join(&mut self.early.quad, &mut self.depth.early);
            self.given.next = self.early.quad.valid.val() && self.early.quad.last.val() && !self.early.quad.end.val();
            self.given_buffer.next = self.early.quad.buffer.val();
            for c in 0..self._cullers {
                CullEventOut::link(&mut self.culls[c], &mut self.early.culls[c]);
            }
            // The unit is the cull pipeline's, and says nothing of single tiles.
            if self._deep {
                CullEventOut::join(&mut self.edges.cull, &mut self.early.unreached[0]);
            }
        }
    }
}

/// The two parts that wire a binner: what it gets, and what it gives. The three binners have the
/// same ports, and one of them is built.
macro_rules! binner_parts {
    ($input:ident, $output:ident: $binner:ident if $built:ident) => {
        impl Part<$input> for GraphicsPipeline {
            #[kernel]
            fn update(&mut self) {
                if self.$built {
                    clock!(self, clock, $binner);
                    StateWriteOut::join(&mut self.streamer.state, &mut self.$binner.state);
                    if self._mute {
                        self.$binner.answer_valid.next = true;
                        self.$binner.hidden.next = false;
                    }
                    if self._asks {
                        self.early.pair[0].valid.next = self.$binner.query_valid.val();
                        self.early.pair_x[0].next = self.$binner.query_x.val();
                        self.early.pair_y[0].next = self.$binner.query_y.val();
                        TriangleDataOut::join(&mut self.$binner.triangle, &mut self.early.pair[0]);
                        self.early.pair_taken[0].next = self.$binner.query_taken.val();
                        self.$binner.answer_valid.next = self.early.pair_answer[0].val();
                        self.$binner.hidden.next = self.early.pair_hidden[0].val();
                    }
                    if self._back_asks {
                        self.back.pair[0].valid.next = self.$binner.query_valid.val();
                        self.back.pair_x[0].next = self.$binner.query_x.val();
                        self.back.pair_y[0].next = self.$binner.query_y.val();
                        TriangleDataOut::join(&mut self.$binner.triangle, &mut self.back.pair[0]);
                        self.back.pair_taken[0].next = self.$binner.query_taken.val();
                        self.$binner.answer_valid.next = self.back.pair_answer[0].val();
                        self.$binner.hidden.next = self.back.pair_hidden[0].val();
                    }
                    if self._passing {
                        TriangleOut::join(&mut self.visibility.triangle, &mut self.$binner.told);
                        TileVisibilityOut::join(&mut self.visibility.visible_ports, &mut self.$binner.visible_ports);
                    }
                    if self._edged {
                        TriangleOut::join(&mut self.edges.triangle, &mut self.$binner.told);
                        TileVisibilityOut::join(&mut self.edges.visible_ports, &mut self.$binner.visible_ports);
                    }
                    if self._through {
                        TriangleOut::join(&mut self.early.triangle, &mut self.$binner.told);
                        TileVisibilityOut::join(&mut self.early.visible_ports, &mut self.$binner.visible_ports);
                    }
                    if self._back {
                        TriangleOut::join(&mut self.back.triangle, &mut self.$binner.told);
                        TileVisibilityOut::join(&mut self.back.visible_ports, &mut self.$binner.visible_ports);
                    }
                }
            }
        }

        impl Part<$output> for GraphicsPipeline {
            #[kernel]
            fn update(&mut self) {
                if self.$built {
                    self.$binner.finish.next = self.finish.val();
                    self.$binner.tile_done.next = self.tile_done.val();
                    TriangleOut::join(&mut self.$binner.triangle, &mut self.rasteriser.triangle);
                    TileOut::join(&mut self.$binner.tile, &mut self.rasteriser.tile);
                    self.tile_x.next = self.$binner.open_x.val() >> bit_cast::<12, 3>(self.side.q.val());
                    self.tile_y.next = self.$binner.open_y.val() >> bit_cast::<12, 3>(self.side.q.val());
                    self.tiles.open_valid.next = self.$binner.open_valid.val() && !self.asked.q.val();
                    if self.$binner.open_valid.val() && self.tiles.open_ready.val() {
                        self.asked.d.next = true;
                    }
                    self.$binner.open_ready.next = self.tiles.opened.val();
                    self.$binner.open_buffer.next = self.tiles.opened_buffer.val();
                    self.tiles.close.next = self.$binner.close_valid.val();
                    self.tiles.close_buffer.next = self.$binner.close_buffer.val();
                }
            }
        }
    };
}

binner_parts!(BinnerInput, BinnerOutput: binner if _plain);
binner_parts!(SorterInput, SorterOutput: sorter if _sorts);
binner_parts!(BinsInput, BinsOutput: bins if _bins);

impl Part<SorterWaits> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        if self._sorts {
            WindowEventOut::link(&mut self.windows[0], &mut self.sorter.window);
            self.sorter.starved.next = self.geometry.starved[0].val() || self.geometry.unnumbered[0].val();
            if self._hides {
                self.sorter.starved.next =
                    self.geometry.starved[0].val() || self.geometry.unnumbered[0].val() || self.early.holds.val();
            }
            // While a draw is read more triangles come, however long its vertices take.
            self.sorter.waits.next = self.list_waits.val() && self.front.idle.val();
        }
    }
}

impl Part<BinsWaits> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        if self._bins {
            WindowEventOut::link(&mut self.windows[0], &mut self.bins.window);
            // A run of Hi-Z waits until what was collected is drawn.
            self.bins.unnumbered.next = self.geometry.unnumbered[0].val();
            self.bins.starved.next = false;
            if self._hides {
                self.bins.starved.next = self.early.holds.val();
            }
            // What geometry has comes, however long it takes.
            self.bins.waits.next = self.list_waits.val() && self.front.idle.val() && self.geometry.idle.val();
            LineRequestOut::link(&mut self.g_req[5], &mut self.bins.m_req);
            self.bins.m_rsp.valid.next = self.g_rsp_valid[5].val();
            LineDataIn::link(&mut self.g_rsp, &mut self.bins.m_rsp);
            if self._through {
                self.early.behind_busy[0].next = self.bins.busy.val();
            }
        }
    }
}

impl Part<MemoryClients> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        if self._memory {
            LineRequestOut::link(&mut self.g_req[6], &mut self.early.m_req[0]);
            self.early.m_rsp[0].valid.next = self.g_rsp_valid[6].val();
            LineDataIn::link(&mut self.g_rsp, &mut self.early.m_rsp[0]);
        }
        if self._empty {
            // Nobody is at the port of full binning.
            Quiet::<LineRequestOut>::join(&mut self.g_req[5], &mut Nothing);
        }
        if self._seats {
            // Nobody is at the ports of the cull pipeline's clients.
            for m in 3..5 {
                Quiet::<LineRequestOut>::join(&mut self.g_req[m], &mut Nothing);
            }
        }
    }
}

impl Part<TileRequest> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        self.tiles.open_x.next = self.tile_x.val().get_bits::<9>(0);
        self.tiles.open_y.next = self.tile_y.val().get_bits::<9>(0);
        if self.tiles.opened.val() {
            self.asked.d.next = false;
        }
        if self._back {
            self.depth.opened_ports[0].opened.next = self.tiles.opened.val();
            self.depth.opened_ports[0].opened_buffer.next = self.tiles.opened_buffer.val();
            self.depth.opened_ports[0].opened_x.next = self.tile_x.val().get_bits::<9>(0);
            self.depth.opened_ports[0].opened_y.next = self.tile_y.val().get_bits::<9>(0);
        }
    }
}

impl Part<Quads> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        // Early tests, collector, merge queue.
        QuadOut::join(&mut self.depth.quad, &mut self.collector.quad);
        self.collector.given.next = self.given.val() && self.depth.early.ready.val();
        self.collector.given_buffer.next = self.given_buffer.val();
        self.collector.room.next = self.results.room.val();
        CollectedOut::join(&mut self.collector.collected, &mut self.results.collected);
        if self._merges {
            clock!(self, clock, merge);
            StateWriteOut::join(&mut self.streamer.state, &mut self.merge.state);
            ShadeOut::join(&mut self.collector.shade, &mut self.merge.told);
            // When the list waits for what was drawn, and no quad has come for a while, none waits
            // for a partner.
            dff_setup!(self, clock, gap[0]);
            if !self.gap[0].q.val().get_bit(4) {
                self.gap[0].d.next = self.gap[0].q.val() + bits::<5>(1);
            }
            if self.collector.shade.valid.val() {
                self.gap[0].d.next = bits::<5>(0);
            }
            self.merge.drain.next = ((self.list_waits.val() && self.front.idle.val()) || self.kept_spent.val())
                && self.gap[0].q.val().get_bit(4);
            self.merge.limit.next = self.merge_limit[0].val();
            ShadeOut::join(&mut self.merge.shade, &mut self.dispatcher.shade);
            PairingOut::join(&mut self.merge.pairing, &mut self.dispatcher.pairing);
        }
        if !self._merges {
            clock!(self, clock, passage);
            StateWriteOut::join(&mut self.streamer.state, &mut self.passage.state);
            ShadeOut::join(&mut self.collector.shade, &mut self.passage.told);
            // No quad waits for a partner.
            self.passage.drain.next = false;
            self.passage.limit.next = bits::<16>(0);
            ShadeOut::join(&mut self.passage.shade, &mut self.dispatcher.shade);
            PairingOut::join(&mut self.passage.pairing, &mut self.dispatcher.pairing);
        }
    }
}

impl Part<Warps> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        self.dispatcher.start.next = self.start.val();
        VertexBatchOut::join(&mut self.front.batch, &mut self.dispatcher.batch);
        for _k in 0..self._direct {
            // The cull pipeline's seat is empty.
            self.dispatcher.cull.valid.next = false;
            self.dispatcher.cull.context.next = bits::<4>(0);
            self.dispatcher.cull.mask.next = bits::<4>(0);
            for i in 0..4 {
                self.dispatcher.cull.index[i].next = bits::<32>(0);
                self.dispatcher.cull.instance[i].next = bits::<32>(0);
                self.dispatcher.cull.entry[i].next = bits::<12>(0);
            }
        }
        for _k in 0..self._culls {
            VertexBatchOut::join(&mut self.cull.batch, &mut self.dispatcher.cull);
        }
        GraphicsStartOut::link(&mut self.launch, &mut self.dispatcher.launch);
        TagsOut::link(&mut self.tags, &mut self.dispatcher.tags);
        if self._twins {
            self.launch_twin[0].next = self.dispatcher.launch_twin[0].val();
        }
        for r in 0..self._rows {
            WarpEndIn::link(&mut self.end[r], &mut self.dispatcher.end[r]);
        }
        for u in 0..self._units {
            self.dispatcher.covered[u].next = self.covered[u].val();
        }
        if self._merges {
            for u in 0..self._units {
                self.dispatcher.mates[u].next = self.mates[u].val();
            }
        }
        if self._threes {
            for u in 0..self._units {
                self.dispatcher.mates_high[u].next = self.mates_high[u].val();
            }
        }
        FragmentEndOut::join(&mut self.dispatcher.fragment, &mut self.results.end);
    }
}

impl Part<Commits> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        CommitOut::join(&mut self.results.commit, &mut self.depth.late);
        self.blend.in_valid.next = self.depth.commit.valid.val();
        self.depth.commit.ready.next = self.blend.in_ready.val();
        CommitDataOut::join(&mut self.depth.commit, &mut self.blend.commit);
        self.commit.valid.next = self.depth.commit.valid.val() && self.blend.in_ready.val();
        CommitDataOut::link(&mut self.commit, &mut self.depth.commit);
        QuadReadOut::join(&mut self.blend.read, &mut self.tiles.colour_read);
        LineDataOut::join(&mut self.tiles.colour_line, &mut self.blend.read_line);
        QuadWriteOut::join(&mut self.blend.write, &mut self.tiles.colour_write);
        QuadReadOut::join(&mut self.depth.read, &mut self.tiles.depth_read);
        LineDataOut::join(&mut self.tiles.depth_line, &mut self.depth.read_line);
        QuadWriteOut::join(&mut self.depth.write, &mut self.tiles.depth_write);
        self.tiles.waiting.next = self.collector.waiting.val();
        self.tiles.enter.next = self.collector.tile_enter.val();
        self.tiles.enter_buffer.next = self.collector.tile_enter_buffer.val();
        self.tiles.leave.next = self.blend.done.val();
        self.tiles.leave_buffer.next = self.blend.done_buffer.val();
        LineRequestOut::link(&mut self.g_req[2], &mut self.tiles.m_req);
        self.tiles.m_rsp.valid.next = self.g_rsp_valid[2].val();
        LineDataIn::link(&mut self.g_rsp, &mut self.tiles.m_rsp);
        self.tile_written.next = self.tiles.tile_written.val();
        self.tile_reloaded.next = self.tiles.tile_reloaded.val();
    }
}

impl Part<Progress> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        self.decides.next = false;
        self.offers.next = false;
        self.decides_ahead.next = false;
        self.sweeps.next = false;
        self.sweeps_late.next = false;
        self.sweeps_back.next = false;
        if self._plain {
            self.decides.next = self.binner.visible_ports.visible_ready.val();
            self.offers.next = self.binner.triangle.valid.val();
        }
        if self._sorts {
            self.decides.next = self.sorter.visible_ports.visible_ready.val();
            self.offers.next = self.sorter.triangle.valid.val();
        }
        if self._bins {
            self.decides.next = self.bins.decides.val();
            self.offers.next = self.bins.triangle.valid.val();
        }
        if self._deep {
            self.decides_ahead.next = self.early.visible_ports.visible_valid.val();
        }
        if self._hides {
            self.sweeps.next = self.early.sweeps.val();
        }
        for _k in 0..self._late {
            self.sweeps_late.next = self.late.sweeps.val();
        }
        if self._back {
            self.sweeps_back.next = self.back.sweeps.val();
        }
        self.takes.next = self.offers.val() && self.rasteriser.triangle.ready.val();
        self.work.decided.next = self.decides.val() || self.decides_ahead.val();
        self.work.rastered.next = self.takes.val();
        self.work.tiled.next = self.tiles.works.val();
        self.work.clipped.next = self.geometry.clips.val();
        self.work.cleared.next = self.sweeps.val() || self.sweeps_late.val() || self.sweeps_back.val();
        self.work.valid.next = self.decides.val()
            || self.decides_ahead.val()
            || self.takes.val()
            || self.tiles.works.val()
            || self.geometry.clips.val()
            || self.sweeps.val()
            || self.sweeps_late.val()
            || self.sweeps_back.val();
    }
}

impl Part<Idleness> for GraphicsPipeline {
    #[kernel]
    fn update(&mut self) {
        self.unpaired.next = true;
        if self._merges {
            self.unpaired.next = self.merge.idle.val();
        }
        if !self._merges {
            self.unpaired.next = self.passage.idle.val();
        }
        self.quiet.next = self.front.idle.val()
            && !self.kept_busy.val()
            && self.geometry.idle.val()
            && self.collector.idle.val()
            && self.unpaired.val()
            && self.results.idle.val()
            && self.dispatcher.idle.val()
            && !self.depth.commit.valid.val();
        for _k in 0..self._direct {
            self.streamer.pipe_idle.next = self.quiet.val();
        }
        for _k in 0..self._culls {
            self.streamer.pipe_idle.next = self.quiet.val() && self.cull.idle.val();
            self.follower.pipe_idle.next = self.quiet.val();
        }
    }
}
