//! The one table of the blocks: Verilog module, Rust source, what it is, and how to make one by
//! itself. The sources are carried in the program, so that an exported port has the meaning its
//! field's doc comment gives it. Wrong if a row names another struct than the one it makes; a test
//! compares their ports.

use super::module::Source;
use crate::attribute::back::AttributeBack;
use crate::attribute::evaluator::EdgeEvaluator;
use crate::attribute::front::AttributeFront;
use crate::attribute::queue::BeatQueue;
use crate::attribute::AttributeUnit;
use crate::base::drive::Drive;
use crate::bus::MessageBus;
use crate::cell::blend::{
    ByteNarrow, ByteOrder, ByteProduct, ByteRound, ByteSelect, ByteSum, CodeChange, CodePlace, FactorChoice,
    FactorNormal, FactorStart, FloatShare, HalfLesser, HalfNormal, HalfProduct, HalfScale, ProductRound, QuadAddress,
    RoundHalf, SumAlign, SumNormal, SumPack, SumPart, SumPlaces, SumTotal, WordOrder, WordProduct, WordRound,
    WordSelect, WordSum,
};
use crate::cell::{
    AlignShift, AsyncRam, BaseSum, BitCount, CoarseShift, CoefficientRom, Decoder, DeepRam, DepthClamp, DepthOffsets,
    DepthRow, DepthStep, EdgeAt, EdgeMagnitude, EdgeOffsets, EdgeProduct, EdgeReach, EdgeRound, EdgeStep,
    FactorProduct, FineShift, FixedPoint, FragmentPlace, GroupTest, LaneControl, LaneDepths, LeadingZeros, Mul32,
    NormalShift, OffsetSquare, PhaseProduct, PhaseWindow, PlaneConstant, PlaneFloor, PlaneProduct, PlaneSlope,
    PlaneStart, QuadCover, QuadraticSum, QuadraticTerms, Ram, RamByte, RowBase, RowSigns, RowStep, SampleDepth,
    SamplePlace, WideAddSub,
};
use crate::command::{CommandLead, CommandRole, CommandStreamer};
use crate::config::GpuConfig;
use crate::core::Core;
use crate::cull::{CullPipeline, VisibilityRecord};
use crate::dispatch::{
    GraphicsDispatcher, GridWalker, ListReader, RequestLine, RowController, SlotAccount, ThreadDispatcher, ThreadSetup,
};
use crate::float::add::Add;
use crate::float::digits::Digits;
use crate::float::divide::Divide;
use crate::float::divide_start::DivideStart;
use crate::float::format::FormatOperands;
use crate::float::functions::combine::Combine;
use crate::float::functions::logarithm::{Distance as LogarithmDistance, Logarithm};
use crate::float::functions::octant::Octant;
use crate::float::functions::phase::Phase;
use crate::float::functions::quadratic::Quadratic;
use crate::float::functions::reduce::Reduce;
use crate::float::functions::unpack::UnpackStage;
use crate::float::functions::Functions;
use crate::float::half::ToHalf;
use crate::float::integral::Integral;
use crate::float::multiply::{Align, Multiply};
use crate::float::normalize::{Distance, Normalize};
use crate::float::pack::Pack;
use crate::float::round::Round;
use crate::float::to_integer::ToInteger;
use crate::float::unpack::Unpack;
use crate::float::unpack_normal::UnpackNormal;
use crate::geometry::assembly::GeometryAssembly;
use crate::geometry::bias::GeometryBias;
use crate::geometry::cells::{
    AreaSize, BiasHold, BoundsHold, BoundsTrack, CornerDistance, DepthShift, DepthTrack, DivideStep, EdgeSlopes,
    Outcode, ProductDifference, SetupProduct, SlopeProduct, SteepestSize,
};
use crate::geometry::clip::GeometryClip;
use crate::geometry::contexts::GeometryContexts;
use crate::geometry::edges::GeometryEdges;
use crate::geometry::fetch::GeometryFetch;
use crate::geometry::finish::GeometryFinish;
use crate::geometry::float::GeometryFloat;
use crate::geometry::float_cells::{
    FixedCoarse, FixedRound, FixedScale, FusedAlign, FusedCoarse, FusedFine, FusedMagnitude, FusedPlace, FusedProduct,
    FusedRound, FusedSum, FusedUnpack, FusedZeros,
};
use crate::geometry::gradient::GeometryGradient;
use crate::geometry::intake::GeometryIntake;
use crate::geometry::quotient::GeometryQuotient;
use crate::geometry::reciprocal::{Reciprocal, ReciprocalStep};
use crate::geometry::references::GeometryReferences;
use crate::geometry::store::GeometryStore;
use crate::geometry::view::GeometryView;
use crate::geometry::{Geometry, GeometryRole};
use crate::gpu::Gpu;
use crate::graphics::GraphicsPipeline;
use crate::integer::alu::Alu;
use crate::integer::compare::Compare;
use crate::integer::shift::Shift;
use crate::memory::lsa::accept::Accept;
use crate::memory::lsa::cut::Cut;
use crate::memory::lsa::unpack::Unpack as LineUnpack;
use crate::memory::{
    AtomicAlu, Lsa, LutRam, MemoryArbiter, NumberQueue, ResponseQueue, ScalarUnit, SharedStorage, UnitArbiter,
};
use crate::output::blend::beat::CommitQueue;
use crate::output::blend::component::BlendComponent;
use crate::output::blend::feed::BlendFeed;
use crate::output::blend::float::BlendFloat;
use crate::output::blend::gather::BlendGather;
use crate::output::blend::lane::BlendLane;
use crate::output::blend::product::BlendProduct;
use crate::output::blend::wide::BlendWide;
use crate::output::depth::early::EarlySide;
use crate::output::depth::lane::DepthLane;
use crate::output::depth::late::LateSide;
use crate::output::depth::pending::PendingLate;
use crate::output::depth::test_unit::DepthTest;
use crate::output::depth::written::WrittenDepths;
use crate::output::resolve::component::ResolveComponent;
use crate::output::resolve::float::ResolveFloat;
use crate::output::resolve::integer::ResolveInteger;
use crate::output::srgb::{SrgbDecode, SrgbEncode};
use crate::output::sum::FloatSum;
use crate::output::tile_buffers::memories::TileMemories;
use crate::output::tile_buffers::quad_ram::QuadRam;
use crate::output::tile_buffers::tile_ram::TileRam;
use crate::output::tile_buffers::walk::TileWalk;
use crate::output::{Blend, DepthStencil, ResultStore, TileBuffers, TileResolve};
use crate::raster::merge_queue::{MergeFit, MergeFlip, MergePlaces};
use crate::raster::modes::ContextModes;
use crate::raster::{
    Collector, MergePassage, MergeQueue, RasterEmit, RasterGroups, RasterRows, RasterSetup, Rasteriser,
};
use crate::semaphore::pool::EntryPool;
use crate::semaphore::{SemaphoreEntity, ThreadView, WaitingRoom};
use crate::vertex::{FrontRole, VertexFrontEnd};
use crate::visibility::{
    BackLevels, BackVisibility, Binner, DepthVisibility, DrawClasses, EdgeVisibility, FullBinner, FullCache, FullStore,
    GroupPlace, HiZ, HiZMemory, HideParts, HideTest, InFlight, QuadFilter, RasterHiZ, StencilKept, TileTest,
    Visibility, WindowBinner, WindowRecords,
};
use crate::warp::context::WarpContext;
use crate::warp::cross_lane::{CrossLane, LaneCombine};
use crate::warp::encounter::Encounters;
use crate::warp::function_unit::FunctionUnit;
use crate::warp::groups::WarpGroups;
use crate::warp::icache::InstructionCache;
use crate::warp::lane::Lane;
use crate::warp::lane_operands::Operands as LaneOperands;
use crate::warp::late_results::LateResults;
use crate::warp::message_queue::MessageQueue;
use crate::warp::operands::Operands as OperandStage;
use crate::warp::pairs::WarpPairs;
use crate::warp::public_bitmaps::PublicBitmaps;
use crate::warp::regfile::RegisterFile;
use crate::warp::register_map::RegisterMap;
use crate::warp::request_queue::RequestQueue;
use crate::warp::retire::RetirePipe;
use crate::warp::scheduler::Scheduler;
use crate::warp::shared_result::SharedResult;
use crate::warp::slot_tags::SlotTags;
use crate::warp::special::SpecialRegisters;
use crate::warp::table::WarpTable;
use crate::warp::twins::WarpTwins;
use crate::warp::write_port::WritePort;
use crate::warp::WarpUnit;

/// A block on the heap. Each is made in a frame of its own: all of them in one were more than a
/// thread's stack.
#[inline(never)]
fn boxed<B: Drive + 'static>(make: impl FnOnce() -> B) -> Box<dyn Drive> {
    Box::new(make())
}

macro_rules! blocks {
    ($($module:literal $file:literal $rust:literal $what:literal |$config:ident| $make:expr;)*) => {
        /// Every block that can be exported by itself, with what it is; the whole core first.
        pub const TOPS: &[(&str, &str)] = &[$(($module, $what)),*];

        /// The same blocks with their sources.
        pub(super) const SOURCES: &[Source] = &[$(Source {
            module: $module,
            file: concat!("hdl/src/", $file),
            rust: $rust,
            text: include_str!(concat!("../", $file)),
        }),*];

        /// The block of that name on rust-hdl's engine, not yet connected; nothing if there is
        /// none. The configuration must have been checked.
        pub fn make(top: &str, config: &GpuConfig) -> Option<Box<dyn Drive>> {
            match top {
                $($module => {
                    let $config = config;
                    Some(boxed(|| $make))
                })*
                _ => None,
            }
        }
    };
}

/// The machine in a checked configuration: [`Gpu::new`] refuses what [`GpuConfig::check`] refuses,
/// and that has been asked.
fn machine(config: &GpuConfig) -> Gpu {
    Gpu::new(config).expect("the configuration was checked")
}

blocks! {
    "quadlock" "gpu.rs" "Gpu" "the whole machine" |c| machine(c);
    "core" "core.rs" "Core" "one core" |c| Core::new(c);
    "thread_dispatcher" "dispatch/thread.rs" "ThreadDispatcher" "thread dispatcher" |c| ThreadDispatcher::new(c);
    "grid_walker" "dispatch/walker.rs" "GridWalker" "walk over work groups and warps" |c| GridWalker::new(c);
    "graphics_dispatcher" "dispatch/graphics.rs" "GraphicsDispatcher" "graphics dispatcher"
        |c| GraphicsDispatcher::new(c);
    "graphics_pipeline" "graphics.rs" "GraphicsPipeline" "all graphics blocks except the warp units"
        |c| GraphicsPipeline::new(c);
    "command_streamer" "command/streamer.rs" "CommandStreamer" "command streamer" |c| CommandStreamer::new(c, CommandRole::Alone);
    "command_lead" "command/lead.rs" "CommandLead" "distance between the two command streamers" |c| CommandLead::new(c);
    "cull_pipeline" "cull/pipeline.rs" "CullPipeline" "position-only pipeline, ahead of the draws" |c| CullPipeline::new(c);
    "visibility_record" "cull/record.rs" "VisibilityRecord" "visibility record, one bit per triangle" |c| VisibilityRecord::new(c);
    "vertex_front_end" "vertex/front_end.rs" "VertexFrontEnd" "vertex front end" |c| VertexFrontEnd::new(c, FrontRole::Plain);
    "geometry" "geometry/block.rs" "Geometry" "geometry, from shaded vertices to triangles" |c| Geometry::new(c, GeometryRole::Plain);
    "geometry_store" "geometry/store.rs" "GeometryStore" "vertex and triangle records" |c| GeometryStore::new(c);
    "geometry_references" "geometry/references.rs" "GeometryReferences" "reference counts and free list of vertices" |c| GeometryReferences::new(c);
    "geometry_contexts" "geometry/contexts.rs" "GeometryContexts" "contexts in use by geometry" |c| GeometryContexts::new(c);
    "geometry_intake" "geometry/intake.rs" "GeometryIntake" "corners, held until their vertices are viewed" |c| GeometryIntake::new(c, GeometryRole::Plain);
    "geometry_view" "geometry/view.rs" "GeometryView" "viewport transform of vertices" |c| GeometryView::new(c, 0);
    "geometry_float" "geometry/float.rs" "GeometryFloat" "float unit of geometry" |c| GeometryFloat::new(c);
    "reciprocal" "geometry/reciprocal.rs" "Reciprocal" "1 / v of a normal float" |c| Reciprocal::new(c);
    "geometry_assembly" "geometry/assembly.rs" "GeometryAssembly" "triangle assembly and whole-triangle culls" |c| GeometryAssembly::new(c, GeometryRole::Plain);
    "geometry_clip" "geometry/clip.rs" "GeometryClip" "clipper" |c| GeometryClip::new(c);
    "geometry_quotient" "geometry/quotient.rs" "GeometryQuotient" "quotient of two floats, one digit per cycle" |_c| GeometryQuotient::new();
    "geometry_fetch" "geometry/fetch.rs" "GeometryFetch" "corners of a triangle and its bounding box" |c| GeometryFetch::new(c);
    "geometry_edges" "geometry/edges.rs" "GeometryEdges" "area, culls, edges of a triangle" |c| GeometryEdges::new(c);
    "geometry_gradient" "geometry/gradient.rs" "GeometryGradient" "depth gradients and 1 / S" |c| GeometryGradient::new(c);
    "geometry_bias" "geometry/bias.rs" "GeometryBias" "depth bias" |c| GeometryBias::new(c);
    "geometry_finish" "geometry/finish.rs" "GeometryFinish" "triangle records and output port" |c| GeometryFinish::new(c);
    "reciprocal_step" "geometry/reciprocal.rs" "ReciprocalStep" "two digits of a reciprocal" |_c| ReciprocalStep::default();
    "fused_unpack" "geometry/float_cells.rs" "FusedUnpack" "operands of a fused multiply and add" |_c| FusedUnpack::default();
    "fused_product" "geometry/float_cells.rs" "FusedProduct" "its product" |_c| FusedProduct::default();
    "fused_place" "geometry/float_cells.rs" "FusedPlace" "position of its addend" |_c| FusedPlace::default();
    "fused_align" "geometry/float_cells.rs" "FusedAlign" "its addend in the window" |_c| FusedAlign::default();
    "fused_sum" "geometry/float_cells.rs" "FusedSum" "its sum" |_c| FusedSum::default();
    "fused_magnitude" "geometry/float_cells.rs" "FusedMagnitude" "magnitude of its sum" |_c| FusedMagnitude::default();
    "fused_zeros" "geometry/float_cells.rs" "FusedZeros" "normalising shift distance" |_c| FusedZeros::default();
    "fused_coarse" "geometry/float_cells.rs" "FusedCoarse" "normalising shift by multiples of 16" |_c| FusedCoarse::default();
    "fused_fine" "geometry/float_cells.rs" "FusedFine" "normalising shift by less than 16" |_c| FusedFine::default();
    "fused_round" "geometry/float_cells.rs" "FusedRound" "its rounding" |_c| FusedRound::default();
    "fixed_scale" "geometry/float_cells.rs" "FixedScale" "scaling of a float to an integer" |_c| FixedScale::default();
    "fixed_coarse" "geometry/float_cells.rs" "FixedCoarse" "right shift of an integer by multiples of 8" |_c| FixedCoarse::default();
    "fixed_round" "geometry/float_cells.rs" "FixedRound" "rounding of an integer" |_c| FixedRound::default();
    "outcode" "geometry/cells.rs" "Outcode" "outcode of a coordinate at a limit" |_c| Outcode::default();
    "bounds_track" "geometry/cells.rs" "BoundsTrack" "least and greatest pixel" |_c| BoundsTrack::default();
    "bounds_hold" "geometry/cells.rs" "BoundsHold" "clamp of pixels to scissor and target" |_c| BoundsHold::default();
    "corner_distance" "geometry/cells.rs" "CornerDistance" "distance between corners" |_c| CornerDistance::default();
    "setup_product" "geometry/cells.rs" "SetupProduct" "product of two distances" |_c| SetupProduct::default();
    "product_difference" "geometry/cells.rs" "ProductDifference" "difference of two products" |_c| ProductDifference::default();
    "area_size" "geometry/cells.rs" "AreaSize" "area without sign" |_c| AreaSize::default();
    "divide_step" "geometry/cells.rs" "DivideStep" "one digit of a gradient" |_c| DivideStep::default();
    "steepest_size" "geometry/cells.rs" "SteepestSize" "magnitude of the greater gradient" |_c| SteepestSize::default();
    "bias_hold" "geometry/cells.rs" "BiasHold" "clamp of the depth bias to its limit" |_c| BiasHold::default();
    "depth_shift" "geometry/cells.rs" "DepthShift" "depth with its bias added" |_c| DepthShift::default();
    "depth_track" "geometry/cells.rs" "DepthTrack" "least and greatest depth" |_c| DepthTrack::default();
    "slope_product" "geometry/cells.rs" "SlopeProduct" "gradient times place" |_c| SlopeProduct::default();
    "edge_slopes" "geometry/cells.rs" "EdgeSlopes" "slopes of an edge" |_c| EdgeSlopes::default();
    "slot_account" "dispatch/account.rs" "SlotAccount" "accounts of the warp slots" |c| SlotAccount::new(c);
    "list_reader" "dispatch/list.rs" "ListReader" "thread list reader" |_c| ListReader::new();
    "thread_setup" "dispatch/setup.rs" "ThreadSetup" "set-up of listed threads" |c| ThreadSetup::new(c);
    "request_line" "dispatch/request_line.rs" "RequestLine" "arbitration in a line of semaphore requests" |_c| RequestLine::new();
    "warp_unit" "warp/unit.rs" "WarpUnit" "one warp unit" |c| WarpUnit::new(c);
    "warp_table" "warp/table.rs" "WarpTable" "the warp slots of a unit" |c| WarpTable::new(c);
    "warp_context" "warp/context.rs" "WarpContext" "one warp slot" |c| WarpContext::new(c);
    "warp_scheduler" "warp/scheduler.rs" "Scheduler" "selection of the warp that issues" |c| Scheduler::new(c);
    "instruction_cache" "warp/icache.rs" "InstructionCache" "fetch and decode" |c| InstructionCache::new(c);
    "decoder" "cell/decoder.rs" "Decoder" "instruction decoder" |c| Decoder::new(c);
    "register_file" "warp/regfile.rs" "RegisterFile" "register file of a unit" |c| RegisterFile::new(c);
    "shared_result" "warp/shared_result.rs" "SharedResult" "shared results of warp-wide operations" |c| SharedResult::new(c);
    "encounters" "warp/encounter.rs" "Encounters" "detection of lanes late at a warp-wide atomic" |c| Encounters::new(c);
    "late_results" "warp/late_results.rs" "LateResults" "kept results of warp-wide atomics" |c| LateResults::new(c);
    "register_map" "warp/register_map.rs" "RegisterMap" "register mapping of warps that merge" |c| RegisterMap::new(c);
    "public_bitmaps" "warp/public_bitmaps.rs" "PublicBitmaps" "public-register bitmaps of programs" |_c| PublicBitmaps::new();
    "warp_pairs" "warp/pairs.rs" "WarpPairs" "pairs of warp slots that merge" |c| WarpPairs::new(c);
    "warp_twins" "warp/twins.rs" "WarpTwins" "pairs of groups that merge and split" |c| WarpTwins::new(c);
    "warp_groups" "warp/groups.rs" "WarpGroups" "groups of up to four warp slots that merge" |c| WarpGroups::new(c);
    "slot_tags" "warp/slot_tags.rs" "SlotTags" "tags of the graphics warps of a unit" |c| SlotTags::new(c);
    "special_registers" "warp/special.rs" "SpecialRegisters" "special registers of a unit" |c| SpecialRegisters::new(c);
    "operand_stage" "warp/operands.rs" "Operands" "operand stage of a unit" |c| OperandStage::new(c);
    "message_queue" "warp/message_queue.rs" "MessageQueue" "queue of messages to the semaphore entity" |c| MessageQueue::new(c);
    "request_queue" "warp/request_queue.rs" "RequestQueue" "queue of memory requests" |_c| RequestQueue::new();
    "function_unit" "warp/function_unit.rs" "FunctionUnit" "division, square root and table functions of a unit" |c| FunctionUnit::new(c);
    "cross_lane" "warp/cross_lane.rs" "CrossLane" "reductions, scans and ballot over the lanes of a warp" |c| CrossLane::new(c);
    "lane_combine" "warp/cross_lane.rs" "LaneCombine" "one operation of the cross-lane unit" |_c| LaneCombine::default();
    "retire_pipe" "warp/retire.rs" "RetirePipe" "control pipe beside the lanes" |c| RetirePipe::new(c);
    "write_port" "warp/write_port.rs" "WritePort" "write port of the register file: lane results and completions" |c| WritePort::new(c);
    "lane" "warp/lane.rs" "Lane" "one lane" |c| Lane::new(c);
    "lane_control" "cell/lane_control.rs" "LaneControl" "control of a lane by opcode" |_c| LaneControl::default();
    "lane_operands" "warp/lane_operands.rs" "Operands" "operand routing of a lane" |c| LaneOperands::new(c);
    "float_integral" "float/integral.rs" "Integral" "rounding to an integral f32" |c| Integral::new(c);
    "float_to_half" "float/half.rs" "ToHalf" "f32 to f16" |c| ToHalf::new(c);
    "format_operands" "float/format.rs" "FormatOperands" "operands of the conversions between formats" |_c| FormatOperands::default();
    "integer_alu" "integer/alu.rs" "Alu" "integer stage of a lane" |c| Alu::new(c);
    "compare" "integer/compare.rs" "Compare" "integer and float comparison" |c| Compare::new(c);
    "shift" "integer/shift.rs" "Shift" "shifts and bit fields" |_c| Shift::default();
    "bit_count" "cell/wide.rs" "BitCount" "bit counts and bit reversal" |_c| BitCount::default();
    "float_unpack" "float/unpack.rs" "Unpack" "unpacking of an f32" |_c| Unpack::default();
    "float_align" "float/multiply.rs" "Align" "alignment of the addend" |_c| Align::default();
    "float_multiply" "float/multiply.rs" "Multiply" "product and alignment, second stage of a lane" |_c| Multiply::default();
    "float_add" "float/add.rs" "Add" "sum in the window, third stage" |_c| Add::default();
    "float_distance" "float/normalize.rs" "Distance" "shift distances of the normalisation" |_c| Distance::default();
    "float_normalize" "float/normalize.rs" "Normalize" "normalisation, fourth stage" |c| Normalize::new(c);
    "float_round" "float/round.rs" "Round" "rounding, fifth stage" |c| Round::new(c);
    "float_unpack_normal" "float/unpack_normal.rs" "UnpackNormal" "unpacking of an f32, normalised" |_c| UnpackNormal::default();
    "float_divide" "float/divide.rs" "Divide" "division and square root of a warp" |c| Divide::new(c);
    "float_divide_start" "float/divide_start.rs" "DivideStart" "first remainder and special cases of a division" |_c| DivideStart::default();
    "float_digits" "float/digits.rs" "Digits" "digit recurrence of one lane" |c| Digits::new(c);
    "float_pack" "float/pack.rs" "Pack" "packing and rounding of an f32" |c| Pack::new(c);
    "float_to_integer" "float/to_integer.rs" "ToInteger" "float to integer" |c| ToInteger::new(c);
    "float_functions" "float/functions/mod.rs" "Functions" "approximated functions" |c| Functions::new(c);
    "function_unpack" "float/functions/unpack.rs" "UnpackStage" "operand and special cases of the approximated functions, first stage" |_c| UnpackStage::default();
    "function_phase" "float/functions/phase.rs" "Phase" "quadrants of sin and cos, second and third stage" |c| Phase::new(c);
    "function_octant" "float/functions/octant.rs" "Octant" "place in the octant of sin and cos" |_c| Octant::default();
    "function_distance" "float/functions/logarithm.rs" "Distance" "distance from 1 of log2" |_c| LogarithmDistance::default();
    "function_logarithm" "float/functions/logarithm.rs" "Logarithm" "integral part and factor of log2" |_c| Logarithm::default();
    "function_reduce" "float/functions/reduce.rs" "Reduce" "line, offset and factor, fourth stage" |c| Reduce::new(c);
    "function_quadratic" "float/functions/quadratic.rs" "Quadratic" "quadratic of an interval, fifth to seventh stage" |_c| Quadratic::default();
    "function_combine" "float/functions/combine.rs" "Combine" "product and sum, eighth and ninth stage" |_c| Combine::default();
    "coefficient_rom" "cell/rom.rs" "CoefficientRom" "coefficients of the approximated functions" |_c| CoefficientRom::default();
    "phase_window" "cell/phase.rs" "PhaseWindow" "54 bits of 2/pi" |_c| PhaseWindow::default();
    "phase_product" "cell/phase.rs" "PhaseProduct" "product modulo four quadrants" |_c| PhaseProduct::default();
    "fixed_point" "cell/approximate.rs" "FixedPoint" "float to fixed point, rounded down" |_c| FixedPoint::default();
    "offset_square" "cell/approximate.rs" "OffsetSquare" "square of an offset" |_c| OffsetSquare::default();
    "quadratic_terms" "cell/approximate.rs" "QuadraticTerms" "products of the quadratic" |_c| QuadraticTerms::default();
    "quadratic_sum" "cell/approximate.rs" "QuadraticSum" "sum of the quadratic" |_c| QuadraticSum::default();
    "factor_product" "cell/approximate.rs" "FactorProduct" "product with the quadratic" |_c| FactorProduct::default();
    "base_sum" "cell/approximate.rs" "BaseSum" "magnitude of a sum with an integral part" |_c| BaseSum::default();
    "mul32" "cell/wide.rs" "Mul32" "product of two words" |_c| Mul32::default();
    "align_shift" "cell/wide.rs" "AlignShift" "right shift into the window" |_c| AlignShift::default();
    "wide_add_sub" "cell/wide.rs" "WideAddSub" "96-bit sum and difference" |_c| WideAddSub::default();
    "leading_zeros" "cell/wide.rs" "LeadingZeros" "leading zeros of 96 bits" |_c| LeadingZeros::default();
    "normal_shift" "cell/wide.rs" "NormalShift" "normalising shift of 96 bits" |_c| NormalShift::default();
    "lsa" "memory/lsa/mod.rs" "Lsa" "load/store/atomic pipeline" |c| Lsa::new(c);
    "lsa_accept" "memory/lsa/accept.rs" "Accept" "decoding of an instruction that the pipeline accepts" |c| Accept::new(c);
    "lsa_cut" "memory/lsa/cut.rs" "Cut" "next line transaction of the pipeline" |c| Cut::new(c);
    "lsa_unpack" "memory/lsa/unpack.rs" "Unpack" "extraction of one register per lane from a line" |c| LineUnpack::new(c);
    "atomic_alu" "memory/atomic.rs" "AtomicAlu" "arithmetic of the atomics" |c| AtomicAlu::new(c);
    "scalar_unit" "memory/scalar_unit.rs" "ScalarUnit" "scalar execution unit of a core" |c| ScalarUnit::new(c);
    "attribute_unit" "attribute/unit.rs" "AttributeUnit" "attribute unit of a core" |c| AttributeUnit::new(c);
    "attribute_front" "attribute/front.rs" "AttributeFront" "instructions and requests of the attribute unit" |c| AttributeFront::new(c);
    "attribute_back" "attribute/back.rs" "AttributeBack" "responses and beats of the attribute unit" |c| AttributeBack::new(c);
    "beat_queue" "attribute/queue.rs" "BeatQueue" "beats queued for a warp unit" |c| BeatQueue::new(c);
    "edge_evaluator" "attribute/evaluator.rs" "EdgeEvaluator" "edge values as f32" |c| EdgeEvaluator::new(c);
    "fragment_place" "cell/attribute.rs" "FragmentPlace" "position of a fragment" |_c| FragmentPlace::default();
    "edge_product" "cell/attribute.rs" "EdgeProduct" "slope of an edge times a position" |_c| EdgeProduct::default();
    "edge_at" "cell/attribute.rs" "EdgeAt" "value of an edge at a position" |_c| EdgeAt::default();
    "edge_magnitude" "cell/attribute.rs" "EdgeMagnitude" "sign and magnitude of an edge value" |_c| EdgeMagnitude::default();
    "coarse_shift" "cell/attribute.rs" "CoarseShift" "shift by groups of 8 bits" |_c| CoarseShift::default();
    "fine_shift" "cell/attribute.rs" "FineShift" "shift by up to 7 bits" |_c| FineShift::default();
    "edge_round" "cell/attribute.rs" "EdgeRound" "edge value rounded to f32" |_c| EdgeRound::default();
    "shared_storage" "memory/shared.rs" "SharedStorage" "shared storage of a unit" |c| SharedStorage::new(c);
    "unit_arbiter" "memory/arbiter.rs" "UnitArbiter" "arbiter of the units' memory instructions" |c| UnitArbiter::new(c);
    "memory_arbiter" "memory/arbiter.rs" "MemoryArbiter" "arbiter of the memory port" |c| MemoryArbiter::new(c);
    "message_bus" "bus/message_bus.rs" "MessageBus" "message bus" |c| MessageBus::of(c);
    "row_controller" "dispatch/row.rs" "RowController" "controller of a row of cores" |c| RowController::new(c);
    "visibility" "visibility/unit/visibility.rs" "Visibility" "visibility unit without Hi-Z; every tile may be visible" |_c| Visibility::default();
    "draw_classes" "visibility/hi_z/draw_classes.rs" "DrawClasses" "Hi-Z rules of a draw: cull, update, reset" |c| DrawClasses::new(c);
    "stencil_kept" "visibility/hi_z/stencil_kept.rs" "StencilKept" "test whether a depth failure can change the stencil" |c| StencilKept::new(c);
    "depth_visibility" "visibility/unit/depth_visibility.rs" "DepthVisibility" "visibility unit with Hi-Z" |c| DepthVisibility::new(c);
    "edge_visibility" "visibility/unit/edge_visibility.rs" "EdgeVisibility" "tiles that a triangle reaches, by its edges" |c| EdgeVisibility::new(c);
    "hi_z" "visibility/hi_z/hi_z.rs" "HiZ" "Hi-Z: bounds of depth" |c| HiZ::new(c, 2, true);
    "group_place" "visibility/hi_z/group_place.rs" "GroupPlace" "place of a group's bound" |c| GroupPlace::new(c);
    "quad_filter" "visibility/filter/quad_filter.rs" "QuadFilter" "filter that drops hidden quads" |c| QuadFilter::new(c);
    "hi_z_memory" "visibility/hi_z/hi_z_memory.rs" "HiZMemory" "Hi-Z group records in memory" |c| HiZMemory::new(c);
    "hide_parts" "visibility/hi_z/hide_parts.rs" "HideParts" "hidden test of the parts of a group" |c| HideParts::new(c);
    "hide_test" "visibility/hi_z/hide_test.rs" "HideTest" "hidden test of a triangle in a group" |c| HideTest::new(c, true);
    "tile_test" "visibility/binner/tile_test.rs" "TileTest" "hidden test of a triangle in a tile" |c| TileTest::new(c);
    "raster_hi_z" "visibility/hi_z/raster_hi_z.rs" "RasterHiZ" "Hi-Z in the rasteriser only" |c| RasterHiZ::new(c);
    "back_visibility" "visibility/unit/back_visibility.rs" "BackVisibility" "visibility unit with Hi-Z by back-propagation" |c| BackVisibility::new(c);
    "back_levels" "visibility/hi_z/back_levels.rs" "BackLevels" "Hi-Z: bounds of written depths" |c| BackLevels::new(c, 3);
    "in_flight" "visibility/unit/in_flight.rs" "InFlight" "depth effects of triangles in flight" |c| InFlight::new(c);
    "full_binner" "visibility/binner/full_binner.rs" "FullBinner" "full binning: triangles of a pass sorted into tiles in memory" |c| FullBinner::new(c);
    "full_cache" "visibility/binner/full_binner/full_cache.rs" "FullCache" "memory line cache of full binning" |c| FullCache::new(c);
    "full_store" "visibility/binner/full_binner/full_store.rs" "FullStore" "triangle records of full binning" |c| FullStore::new(c);
    "window_binner" "visibility/binner/window_binner.rs" "WindowBinner" "window binning: a window of triangles sorted into tiles" |c| WindowBinner::new(c);
    "window_records" "visibility/binner/window_binner/window_records.rs" "WindowRecords" "triangle records of two windows" |c| WindowRecords::new(c);
    "binner" "visibility/binner/binner.rs" "Binner" "binner, one triangle at a time" |c| Binner::new(c);
    "rasteriser" "raster/rasteriser.rs" "Rasteriser" "rasteriser" |c| Rasteriser::new(c);
    "raster_setup" "raster/setup.rs" "RasterSetup" "start values of a triangle in a tile" |c| RasterSetup::new(c);
    "raster_groups" "raster/groups.rs" "RasterGroups" "groups of quads that a triangle may cover" |c| RasterGroups::new(c);
    "raster_rows" "raster/rows.rs" "RasterRows" "coverage of rows of quads" |c| RasterRows::new(c);
    "raster_emit" "raster/emit.rs" "RasterEmit" "quad output with depths" |c| RasterEmit::new(c);
    "plane_slope" "cell/plane.rs" "PlaneSlope" "slope of one of four planes" |_c| PlaneSlope::default();
    "plane_constant" "cell/plane.rs" "PlaneConstant" "constant of one of four planes" |_c| PlaneConstant::default();
    "plane_floor" "cell/plane.rs" "PlaneFloor" "a plane without its constant low bits" |_c| PlaneFloor::default();
    "plane_product" "cell/plane.rs" "PlaneProduct" "slope times position" |_c| PlaneProduct::default();
    "plane_start" "cell/plane.rs" "PlaneStart" "plane at a position" |_c| PlaneStart::default();
    "depth_step" "cell/plane.rs" "DepthStep" "depth eight pixels on" |_c| DepthStep::default();
    "depth_row" "cell/plane.rs" "DepthRow" "depth one row of quads on" |_c| DepthRow::default();
    "depth_offsets" "cell/plane.rs" "DepthOffsets" "multiples of a depth's slopes" |_c| DepthOffsets::default();
    "sample_depth" "cell/plane.rs" "SampleDepth" "depth of a sample" |_c| SampleDepth::default();
    "lane_depths" "cell/plane.rs" "LaneDepths" "depths of a quad's pixels" |_c| LaneDepths::default();
    "depth_clamp" "cell/plane.rs" "DepthClamp" "depth between its bounds" |_c| DepthClamp::default();
    "edge_reach" "cell/edge.rs" "EdgeReach" "range of an edge over a square" |_c| EdgeReach::default();
    "group_test" "cell/edge.rs" "GroupTest" "test whether an edge covers anything in a square" |_c| GroupTest::default();
    "edge_step" "cell/edge.rs" "EdgeStep" "edge eight pixels on" |_c| EdgeStep::default();
    "edge_offsets" "cell/edge.rs" "EdgeOffsets" "distances of samples in an edge's value" |_c| EdgeOffsets::default();
    "sample_place" "cell/edge.rs" "SamplePlace" "sample position in its pixel" |_c| SamplePlace::default();
    "row_base" "cell/edge.rs" "RowBase" "edge at a sample" |_c| RowBase::default();
    "row_step" "cell/edge.rs" "RowStep" "edge one row of quads on" |_c| RowStep::default();
    "row_signs" "cell/edge.rs" "RowSigns" "coverage of 16 pixels by an edge" |_c| RowSigns::default();
    "quad_cover" "cell/edge.rs" "QuadCover" "coverage of four quads" |_c| QuadCover::default();
    "semaphore_entity" "semaphore/entity.rs" "SemaphoreEntity" "semaphore entity" |c| SemaphoreEntity::new(c);
    "waiting_room" "semaphore/waiting_room.rs" "WaitingRoom" "waiting room of the semaphore entity" |c| WaitingRoom::new(c);
    "entry_pool" "semaphore/pool.rs" "EntryPool" "free list of the semaphore entity" |c| EntryPool::new(&c.semaphores);
    "thread_view" "semaphore/thread_view.rs" "ThreadView" "state of each thread of a unit, for waves" |c| ThreadView::new(c);
    "blend" "output/blend.rs" "Blend" "blending" |c| Blend::new(c);
    "blend_lane" "output/blend/lane.rs" "BlendLane" "blending of four bytes of a lane" |c| BlendLane::new(c);
    "blend_wide" "output/blend/wide.rs" "BlendWide" "blending of 16 bits" |c| BlendWide::new(c);
    "blend_feed" "output/blend/feed.rs" "BlendFeed" "serialiser of a beat's pixels" |c| BlendFeed::new(c);
    "blend_component" "output/blend/component.rs" "BlendComponent" "blending of one 16-bit component"
        |c| BlendComponent::new(c);
    "blend_float" "output/blend/float.rs" "BlendFloat" "two products of halves and their sum" |c| BlendFloat::new(c);
    "blend_product" "output/blend/product.rs" "BlendProduct" "a half times a factor" |c| BlendProduct::new(c);
    "blend_gather" "output/blend/gather.rs" "BlendGather" "collection of blended pixels" |c| BlendGather::new(c);
    "commit_queue" "output/blend/beat.rs" "CommitQueue" "queue of commits" |_c| CommitQueue::new();
    "byte_product" "cell/blend/byte.rs" "ByteProduct" "product of two fractions of 8 bits" |_c| ByteProduct::default();
    "byte_sum" "cell/blend/byte.rs" "ByteSum" "sum of two products of 8 bits" |_c| ByteSum::default();
    "byte_round" "cell/blend/byte.rs" "ByteRound" "nearest fraction of 8 bits" |_c| ByteRound::default();
    "word_product" "cell/blend/word.rs" "WordProduct" "product of two fractions of 16 bits" |_c| WordProduct::default();
    "word_sum" "cell/blend/word.rs" "WordSum" "sum of two products of 16 bits" |_c| WordSum::default();
    "word_round" "cell/blend/word.rs" "WordRound" "nearest fraction of 16 bits" |_c| WordRound::default();
    "code_place" "cell/blend/code.rs" "CodePlace" "line and index in the table of codes" |_c| CodePlace::default();
    "code_change" "cell/blend/code.rs" "CodeChange" "conversion to an sRGB code by table" |_c| CodeChange::default();
    "byte_narrow" "cell/blend/code.rs" "ByteNarrow" "byte from a 16-bit fraction" |_c| ByteNarrow::default();
    "half_normal" "cell/blend/half.rs" "HalfNormal" "normalised half" |_c| HalfNormal::default();
    "factor_choice" "cell/blend/select.rs" "FactorChoice" "selection of a blend factor" |_c| FactorChoice::default();
    "byte_select" "cell/blend/select.rs" "ByteSelect" "blend factor of 8 bits" |_c| ByteSelect::default();
    "byte_order" "cell/blend/select.rs" "ByteOrder" "byte that needs no rounding" |_c| ByteOrder::default();
    "word_select" "cell/blend/select.rs" "WordSelect" "colour for a blend factor" |_c| WordSelect::default();
    "factor_start" "cell/blend/half.rs" "FactorStart" "a half, or one minus it" |_c| FactorStart::default();
    "factor_normal" "cell/blend/half.rs" "FactorNormal" "blend factor normalised" |_c| FactorNormal::default();
    "half_scale" "cell/blend/half.rs" "HalfScale" "half in the units of a factor" |_c| HalfScale::default();
    "half_lesser" "cell/blend/half.rs" "HalfLesser" "lesser of two alphas" |_c| HalfLesser::default();
    "word_order" "cell/blend/select.rs" "WordOrder" "lesser or greater of two colours" |_c| WordOrder::default();
    "half_product" "cell/blend/product.rs" "HalfProduct" "product of a half and a factor" |_c| HalfProduct::default();
    "product_round" "cell/blend/product.rs" "ProductRound" "product as f32" |_c| ProductRound::default();
    "sum_align" "cell/blend/sum.rs" "SumAlign" "operands of a sum of f32" |_c| SumAlign::default();
    "sum_total" "cell/blend/sum.rs" "SumTotal" "sum or difference" |_c| SumTotal::default();
    "sum_part" "cell/blend/sum.rs" "SumPart" "aligned lesser operand of a sum" |_c| SumPart::default();
    "sum_normal" "cell/blend/sum.rs" "SumNormal" "normalisation of a sum" |_c| SumNormal::default();
    "sum_places" "cell/blend/sum.rs" "SumPlaces" "shift distance of a sum" |_c| SumPlaces::default();
    "sum_pack" "cell/blend/sum.rs" "SumPack" "sum as f32" |_c| SumPack::default();
    "float_share" "cell/blend/sum.rs" "FloatShare" "half or quarter of an f32" |_c| FloatShare::default();
    "round_half" "cell/blend/sum.rs" "RoundHalf" "sum as f16" |_c| RoundHalf::default();
    "quad_address" "cell/blend/address.rs" "QuadAddress" "address of a quad's word in a tile buffer" |_c| QuadAddress::default();
    "tile_buffers" "output/tile_buffers.rs" "TileBuffers" "tile buffers" |c| TileBuffers::new(c);
    "tile_resolve" "output/resolve.rs" "TileResolve" "resolve of samples" |c| TileResolve::new(c);
    "resolve_integer" "output/resolve/integer.rs" "ResolveInteger" "means of bytes and of sRGB codes"
        |c| ResolveInteger::new(c);
    "resolve_component" "output/resolve/component.rs" "ResolveComponent" "mean of a component of integers"
        |c| ResolveComponent::new(c);
    "resolve_float" "output/resolve/float.rs" "ResolveFloat" "means of floats" |c| ResolveFloat::new(c);
    "float_sum" "output/sum.rs" "FloatSum" "sum of two f32" |_c| FloatSum::new();
    "srgb_decode" "output/srgb.rs" "SrgbDecode" "16 bits of an sRGB code" |_c| SrgbDecode::default();
    "srgb_encode" "output/srgb.rs" "SrgbEncode" "the sRGB code of 16 bits" |_c| SrgbEncode::default();
    "tile_memories" "output/tile_buffers/memories.rs" "TileMemories" "memories of the tile buffers" |_c| TileMemories::new();
    "tile_walk" "output/tile_buffers/walk.rs" "TileWalk" "address walk over the lines of a tile" |_c| TileWalk::new();
    "tile_ram" "output/tile_buffers/tile_ram.rs" "TileRam" "a lane of a tile buffer" |_c| TileRam::default();
    "quad_ram" "output/tile_buffers/quad_ram.rs" "QuadRam" "memory of four lanes" |_c| QuadRam::default();
    "depth_stencil" "output/depth.rs" "DepthStencil" "depth and stencil, early and late" |c| DepthStencil::new(c);
    "early_side" "output/depth/early.rs" "EarlySide" "early side of depth and stencil" |c| EarlySide::new(c);
    "late_side" "output/depth/late.rs" "LateSide" "late side of depth and stencil" |c| LateSide::new(c);
    "depth_test" "output/depth/test_unit.rs" "DepthTest" "test and write of a sample of a quad" |c| DepthTest::new(c);
    "written_depths" "output/depth/written.rs" "WrittenDepths" "written depths with their positions" |c| WrittenDepths::new(c);
    "depth_lane" "output/depth/lane.rs" "DepthLane" "depth and stencil of a lane" |c| DepthLane::new(c);
    "pending_late" "output/depth/pending.rs" "PendingLate" "quads with a pending late test, by position" |c| PendingLate::new(c);
    "context_modes" "raster/modes.rs" "ContextModes" "test modes of contexts and pass" |c| ContextModes::new(c);
    "collector" "raster/collector.rs" "Collector" "tickets for quads to be shaded" |c| Collector::new(c);
    "merge_passage" "raster/merge_passage.rs" "MergePassage" "passage in place of the merge queue" |c| MergePassage::new(c);
    "merge_queue" "raster/merge_queue.rs" "MergeQueue" "merge queue" |c| MergeQueue::new(c);
    "merge_fit" "raster/merge_queue/fit.rs" "MergeFit" "best partner among the queued quads" |c| MergeFit::new(c);
    "merge_flip" "raster/merge_queue/flip.rs" "MergeFlip" "flip under which two quads fit" |_c| MergeFlip::default();
    "merge_places" "raster/merge_queue/places.rs" "MergePlaces" "free entries of the merge queue" |c| MergePlaces::new(c);
    "result_store" "output/results.rs" "ResultStore" "fragment results, in ticket order" |c| ResultStore::new(c);
    "async_ram" "cell/async_ram.rs" "AsyncRam" "RAM with asynchronous read, of 64 words" |_c| AsyncRam::<6, 32>::default();
    "ram" "cell/ram.rs" "Ram" "RAM, as deep as the instruction cache has lines" |c| Ram::new(c.icache_lines);
    "ram_byte" "cell/ram.rs" "RamByte" "RAM with byte enables, as deep as a bank of shared storage" |c| RamByte::new(c.shared_words / 4);
    "response_queue" "memory/response_queue.rs" "ResponseQueue" "queue of responses for a busy core" |_c| ResponseQueue::new();
    "number_queue" "memory/number_queue.rs" "NumberQueue" "free numbers in order of arrival" |c| NumberQueue::new(c, 64, 12, 64);
    "deep_ram" "cell/deep_ram.rs" "DeepRam" "RAM of 8,192 words of 64 bits" |_c| DeepRam::<13, 64>::default();
    "lutram" "memory/lutram.rs" "LutRam" "small RAM with asynchronous read" |_c| LutRam::default();
}

/// The source of a module that asked for this name.
pub(super) fn source(wish: &str) -> Option<&'static Source> {
    let stem = wish.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    SOURCES.iter().find(|s| s.module == wish).or_else(|| SOURCES.iter().find(|s| s.module == stem))
}
