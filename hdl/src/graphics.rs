//! The graphics pipeline: everything between command list and memory but the warp units
//! (docs/graphics-blocks.md). It is wiring, and three small things: the request of a tile, which
//! binner and tile buffers say differently; the choice of the core whose word or question is taken;
//! and what is idle.
//!
//! The core with the lowest number goes first: a word or a question waits for those of lower cores
//! in its cycle, and every warp has few of them. It can be wrong in a swapped or forgotten
//! connection, which lockstep finds.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::stream::FlowOut;
use crate::base::{vector, Each, Fitted, Parameter, Planted};
use crate::command::{CommandLead, CommandRole, CommandStreamer};
use crate::config::GpuConfig;
use crate::cull::CullPipeline;
use crate::dispatch::GraphicsDispatcher;
use crate::fault::Fault;
use crate::geometry::{Geometry, GeometryRole};
use crate::memory::arbiter::{graphics_clients, GRAPHICS_CLIENTS};
use crate::output::{Blend, DepthStencil, ResultStore, TileBuffers};
use crate::ports::*;
use crate::raster::{Collector, MergePassage, MergeQueue, Rasteriser};
use crate::vertex::{FrontRole, VertexFrontEnd};
use crate::visibility::{
    BackVisibility, Binner, DepthVisibility, EdgeVisibility, FullBinner, RasterHiZ, Visibility, WindowBinner,
};

mod kernel;

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
    /// Request of memory client i.
    pub mem_req: Each<LineRequestOut>,
    /// Response to client i's oldest request. No back-pressure.
    pub mem_rsp_valid: Vec<Signal<In, bool>>,
    /// Its words.
    pub mem_rsp: LineDataIn,
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
    /// Word of vertices, from core i.
    pub vertex_word: Each<VertexWordIn>,
    /// With a cull pipeline: the word is of the cull pipeline's vertices. Absent otherwise.
    pub vertex_word_cull: Vec<Signal<In, bool>>,
    /// Word of fragments, from core i.
    pub result_word: Each<ResultWordIn>,
    /// Request for an edge or a word of a triangle's record.
    pub store_req: Each<StoreReadIn>,
    /// Response, for the core whose number it carries.
    pub store_rsp: StoreAnswerOut,
    /// Event port: result of geometry for a triangle.
    pub triangle_event: TriangleEventOut,
    /// A beat goes to blending.
    pub commit: FlowOut<CommitDataOut>,
    /// A tile was written to memory.
    pub tile_written: Signal<Out, bool>,
    /// A tile is loaded again.
    pub tile_reloaded: Signal<Out, bool>,
    /// Event ports: one culled triangle or group per cycle each. Absent without Hi-Z.
    pub culls: Each<CullEventOut>,
    /// Event port: end of a window of triangles. Absent without windows.
    pub windows: Each<WindowEventOut>,
    /// Event port: result of the cull pipeline for a triangle. Absent without a cull pipeline.
    pub aheads: Each<AheadEventOut>,
    /// A unit that can work long without any of these makes a step.
    pub work: WorkEventOut,
    /// Event port: streams that are not taken.
    pub stage: StageEventOut,
    /// The only one, or that of the cull pipeline.
    streamer: CommandStreamer,
    /// With a cull pipeline: that of the pipeline that draws.
    follower: Fitted<CommandStreamer>,
    command_lead: Fitted<CommandLead>,
    cull: Fitted<CullPipeline>,
    front_end: VertexFrontEnd,
    geometry: Geometry,
    /// Every triangle may be seen; with Hi-Z before the binner the unit that knows better.
    visibility: Fitted<Visibility>,
    depth_visibility: Fitted<DepthVisibility>,
    /// With windows without a unit before the binner, and behind a cull pipeline that has the
    /// depths: tiles of the box that a triangle does not reach.
    edge_visibility: Fitted<EdgeVisibility>,
    /// Hi-Z in the rasteriser alone.
    raster_hi_z: Fitted<RasterHiZ>,
    /// Hi-Z from depths that were written.
    back_visibility: Fitted<BackVisibility>,
    /// One triangle after the other; left out with a window, which sorts them.
    binner: Fitted<Binner>,
    window_binner: Fitted<WindowBinner>,
    /// With full binning.
    full_binner: Fitted<FullBinner>,
    rasteriser: Rasteriser,
    depth: DepthStencil,
    collector: Collector,
    /// The way past the queue; left out with merging, which has the queue.
    merge_passage: Fitted<MergePassage>,
    merge: Fitted<MergeQueue>,
    /// Cycles without a quad from the collector, at most 16.
    gap: Vec<DFF<Bits<5>>>,
    merge_limit: Vec<Parameter<16>>,
    results: ResultStore,
    dispatcher: GraphicsDispatcher,
    blend: Blend,
    tiles: TileBuffers,
    side: DFF<Bits<3>>,
    tile_requested: DFF<bool>,
    /// What the rasteriser gives, behind the filter if there is one.
    tile_done: Signal<Local, bool>,
    rastered: Signal<Local, bool>,
    rastered_last: Signal<Local, bool>,
    rastered_buffer: Signal<Local, Bits<3>>,
    // The core whose word is being taken.
    word_held: DFF<bool>,
    word_core: DFF<Bits<4>>,
    result_held: DFF<bool>,
    result_core: DFF<Bits<4>>,
    word_found: Signal<Local, bool>,
    result_found: Signal<Local, bool>,
    store_req_found: Signal<Local, bool>,
    /// What the streamer says that draws, and the one that waits.
    finish: Signal<Local, bool>,
    list_waits: Signal<Local, bool>,
    /// An opaque run of Hi-Z waits for the one before.
    run_waits: Signal<Local, bool>,
    /// The pipeline that draws has nothing until the cull pipeline gives bits.
    lacks_bits: Signal<Local, bool>,
    /// Contexts that draws name, and what holds triangles or quads.
    named_contexts: Signal<Local, Bits<16>>,
    /// No quad waits for a partner.
    unpaired: Signal<Local, bool>,
    quiet: Signal<Local, bool>,
    /// Contexts that are named by triangles in memory; there are some.
    binned_contexts: Signal<Local, Bits<16>>,
    stored_busy: Signal<Local, bool>,
    stored_spent: Signal<Local, bool>,
    tile_x: Signal<Local, Bits<12>>,
    tile_y: Signal<Local, Bits<12>>,
    fault_stage_commit: Planted,
    fault_stage_contexts: Planted,
    #[size]
    _cullers: usize,
    /// Number of the event port of the edge test, without a unit before the binner.
    #[size]
    _edge_culler: usize,
    _config: GpuConfig,
    _active: bool,
}

impl GraphicsPipeline {
    /// For the cores of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let (cores, units) = (config.total_cores(), config.total_units());
        let culls = config.culls();
        let unknown = !config.knows_ahead() && !config.tests_edges() && !config.updates_back();
        // A pipeline by itself has its clients, whatever the machine.
        let clients = graphics_clients(config).max(GRAPHICS_CLIENTS);
        Self {
            mem_req: Each::new(clients),
            mem_rsp_valid: vector(clients),
            vertex_word_cull: vector(cores * usize::from(culls)),
            aheads: Each::new(usize::from(culls)),
            follower: Fitted::new(CommandStreamer::new(config, CommandRole::Follows), config.culls()),
            command_lead: Fitted::new(CommandLead::new(config), config.culls()),
            cull: Fitted::new(CullPipeline::new(config), config.culls()),
            end: Each::new(config.rows),
            covered: vector(units),
            mates: vector(if config.merges() { units } else { 0 }),
            mates_high: vector(if config.groups() { units } else { 0 }),
            launch_twin: vector(usize::from(config.twins())),
            vertex_word: Each::new(cores),
            result_word: Each::new(cores),
            store_req: Each::new(cores),
            streamer: CommandStreamer::new(config, if culls { CommandRole::Leads } else { CommandRole::Alone }),
            front_end: VertexFrontEnd::new(config, if culls { FrontRole::Behind } else { FrontRole::Plain }),
            geometry: Geometry::new(config, if culls { GeometryRole::Behind } else { GeometryRole::Plain }),
            visibility: Fitted::new(Visibility::default(), unknown),
            edge_visibility: Fitted::new(EdgeVisibility::new(config), config.tests_edges()),
            depth_visibility: Fitted::new(DepthVisibility::new(config), config.knows_ahead()),
            raster_hi_z: Fitted::new(RasterHiZ::new(config), config.hides_late()),
            back_visibility: Fitted::new(BackVisibility::new(config), config.updates_back()),
            culls: Each::new(config.cullers()),
            windows: Each::new(usize::from(config.sorts())),
            binner: Fitted::new(Binner::new(config), !config.sorts()),
            window_binner: Fitted::new(WindowBinner::new(config), config.sorts() && !config.bins()),
            full_binner: Fitted::new(FullBinner::new(config), config.bins()),
            rasteriser: Rasteriser::new(config),
            depth: DepthStencil::new(config),
            collector: Collector::new(config),
            merge_passage: Fitted::new(MergePassage::new(config), !config.merges()),
            merge: Fitted::new(MergeQueue::new(config), config.merges()),
            gap: vector(usize::from(config.merges())),
            merge_limit: config.merges().then(|| Parameter::new(config.merge_limit as u64)).into_iter().collect(),
            results: ResultStore::new(config),
            dispatcher: GraphicsDispatcher::new(config),
            blend: Blend::new(config),
            tiles: TileBuffers::new(config),
            fault_stage_commit: Planted::new(config.has(Fault::StageCommit)),
            fault_stage_contexts: Planted::new(config.has(Fault::StageContexts)),
            _cullers: config.cullers(),
            _edge_culler: usize::from(config.hides_late()),
            _config: config.clone(),
            _active: true,
            ..Default::default()
        }
    }
}
