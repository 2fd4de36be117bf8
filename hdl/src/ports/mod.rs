//! Bundles of wires between blocks, each defined once: names, widths, directions and meanings of
//! its ports. Blocks, the export, the manifest and the engines read the same definitions. How a
//! bundle is used is in [`bundle`](crate::base::bundle).

pub mod beat;
pub mod completion;
pub mod constant;
pub mod cull;
pub mod fragment;
pub mod function;
pub mod geometry;
pub mod graphics;
pub mod launch;
pub mod line;
pub mod machine;
pub mod merge;
pub mod number;
pub mod raster;
pub mod request;
pub mod retire;
pub mod semaphore;
pub mod set_up;
pub mod shared_write;
pub mod stage;
pub mod thread;
pub mod trap;
pub mod visible;
pub mod warp;
pub mod window;
pub mod work;

pub use beat::{BeatDataIn, BeatDataOut, BeatIn, BeatOut};
pub use completion::{Completion, CompletionOut};
pub use constant::{ConstantWriteIn, ConstantWriteOut, WindowWriteIn, WindowWriteOut};
pub use cull::{
    AheadEvent, AheadEventOut, CullDoneDataIn, CullDoneDataOut, CullDoneIn, CullDoneOut, CullEvent, CullEventIn,
    CullEventOut, TriangleBitIn, TriangleBitOut,
};
pub use fragment::{
    CommitEvent, CommitEventOut, FragmentEndDataIn, FragmentEndDataOut, FragmentEndIn, FragmentEndOut,
    GraphicsLaunched, GraphicsLaunchedOut, ResultWordDataIn, ResultWordDataOut, ResultWordIn, ResultWordOut,
    StateEvent, StateEventOut, TagsIn, TagsOut, TileEvent, TileEventOut,
};
pub use function::{
    FunctionRequestDataIn, FunctionRequestDataOut, FunctionRequestIn, FunctionRequestOut, FunctionResultDataIn,
    FunctionResultDataOut, FunctionResultIn, FunctionResultOut, IssuedDataIn, IssuedDataOut, IssuedIn, IssuedOut,
};
pub use geometry::{
    AssembledDataIn, AssembledDataOut, AssembledIn, AssembledOut, BoundsIn, BoundsOut, CornerDataIn, CornerDataOut,
    CornerIn, CornerOut, DrawDataIn, DrawDataOut, DrawIn, DrawOut, FloatAskDataIn, FloatAskDataOut, FloatAskIn,
    FloatAskOut, SetUpDataIn, SetUpDataOut, SetUpIn, SetUpOut, StoreAnswerDataIn, StoreAnswerDataOut, StoreAnswerIn,
    StoreAnswerOut, StoreReadDataIn, StoreReadDataOut, StoreReadIn, StoreReadOut, TriangleEvent, TriangleEventIn,
    TriangleEventOut, VertexBatchDataIn, VertexBatchDataOut, VertexBatchIn, VertexBatchOut, VertexWordDataIn,
    VertexWordDataOut, VertexWordIn, VertexWordOut,
};
pub use graphics::{
    CollectedIn, CollectedOut, CommitDataIn, CommitDataOut, CommitIn, CommitOut, DepthRequestDataIn,
    DepthRequestDataOut, DepthRequestIn, DepthRequestOut, DepthUpdateDataIn, DepthUpdateDataOut, DepthUpdateIn,
    DepthUpdateOut, PairingIn, PairingOut, QuadDataIn, QuadDataOut, QuadIn, QuadOut, QuadReadIn, QuadReadOut,
    QuadWriteIn, QuadWriteOut, ShadeDataIn, ShadeDataOut, ShadeIn, ShadeOut, StateWriteIn, StateWriteOut, TileIn,
    TileOut, TriangleDataIn, TriangleDataOut, TriangleIn, TriangleOut,
};
pub use launch::{LaunchDataIn, LaunchDataOut, LaunchIn, LaunchOut, Launched, LaunchedOut};
pub use line::{
    LineDataIn, LineDataOut, LineFetchIn, LineFetchOut, LineIn, LineOut, LineReadOut, LineRequestDataIn,
    LineRequestDataOut, LineRequestIn, LineRequestOut,
};
pub use machine::{
    BusMessageOut, FirstTrapOut, HostWriteIn, HostWriteOut, IssueSlotOut, MemoryRequestOut, MemoryResponseIn,
    MemoryResponseOut,
};
pub use merge::{MergeEvent, MergeEventOut, SplitEvent, SplitEventOut};
pub use number::{
    DivisionStepIn, DivisionStepOut, MultiplyOperandsIn, MultiplyOperandsOut, ProductsIn, ProductsOut, ShiftOperandsIn,
    ShiftOperandsOut, UnpackedIn, UnpackedOut, UnroundedIn, UnroundedOut,
};
pub use raster::{
    DepthFactsIn, DepthFactsOut, QuadCorners, QuadGroupDataIn, QuadGroupDataOut, QuadGroupIn, QuadGroupOut, QuadOwner,
    QuadRowDataIn, QuadRowDataOut, QuadRowIn, QuadRowOut, TileStartDataIn, TileStartDataOut, TileStartIn, TileStartOut,
    TriangleFactsIn, TriangleFactsOut,
};
pub use request::{RequestDataIn, RequestDataOut, RequestIn, RequestOut};
pub use retire::{Retire, RetireOut};
pub use semaphore::{
    ListOperation, ListOperationOut, SemaphoreAcquireIn, SemaphoreAcquireOut, SemaphoreMessageIn, SemaphoreMessageOut,
};
pub use set_up::{
    DroppedEntryIn, DroppedEntryOut, EntryReferenceIn, EntryReferenceOut, FloatAnswerIn, FloatAnswerOut, FreeEntryIn,
    FreeEntryOut, FreedHandleIn, FreedHandleOut, MadeVertexIn, MadeVertexOut, PlaneBiasIn, PlaneBiasOut, RecordWriteIn,
    RecordWriteOut, ShadedEntriesIn, ShadedEntriesOut, ShadedVertexIn, ShadedVertexOut, SpareEntryIn, SpareEntryOut,
};
pub use shared_write::{SharedWrite, SharedWriteOut};
pub use stage::{StageEvent, StageEventOut};
pub use thread::{
    AcquireDoneIn, AcquireDoneOut, GraphicsStartIn, GraphicsStartOut, PassEdgeIn, PassEdgeOut, SlotOfferIn,
    SlotOfferOut, ThreadAcquireIn, ThreadAcquireOut, WarpEndIn, WarpEndOut, WarpPlaceIn, WarpPlaceOut,
};
pub use trap::{TrapIn, TrapOut};
pub use visible::{
    DrawClassIn, DrawClassOut, GroupAnswerIn, GroupAnswerOut, GroupAskIn, GroupAskOut, GroupBoundIn, GroupBoundOut,
    PartAnswerIn, PartAnswerOut, PartBoundIn, PartBoundOut, TileOpenedIn, TileOpenedOut, TileVisibilityIn,
    TileVisibilityOut,
};
pub use warp::{
    AttributeJobIn, AttributeJobOut, CodePlaceIn, CodePlaceOut, FilledInstructionIn, FilledInstructionOut,
    OddRegisterWriteIn, OddRegisterWriteOut, RegisterWriteIn, RegisterWriteOut, SlotStatesIn, SlotStatesOut,
    SplitStartIn, SplitStartOut, UnitLaunchIn, UnitLaunchOut, WarpBeginsIn, WarpBeginsOut, WarpStartIn, WarpStartOut,
};
pub use window::{WindowEvent, WindowEventOut};
pub use work::{WorkEvent, WorkEventOut};

use crate::base::bundle::{Bundle, BundleTable};
use crate::base::stream;

/// Every definition.
pub const ALL: &[BundleTable] = &[
    AcquireDoneOut::TABLE,
    AheadEventOut::TABLE,
    AssembledOut::TABLE,
    AttributeJobOut::TABLE,
    BeatOut::TABLE,
    BoundsOut::TABLE,
    BusMessageOut::TABLE,
    CodePlaceOut::TABLE,
    CollectedOut::TABLE,
    CommitEventOut::TABLE,
    CommitOut::TABLE,
    CompletionOut::TABLE,
    ConstantWriteOut::TABLE,
    CornerOut::TABLE,
    CullDoneOut::TABLE,
    CullEventOut::TABLE,
    DepthFactsOut::TABLE,
    DepthRequestOut::TABLE,
    DepthUpdateOut::TABLE,
    DivisionStepOut::TABLE,
    DrawClassOut::TABLE,
    DrawOut::TABLE,
    DroppedEntryOut::TABLE,
    EntryReferenceOut::TABLE,
    FilledInstructionOut::TABLE,
    FirstTrapOut::TABLE,
    FloatAnswerOut::TABLE,
    FloatAskOut::TABLE,
    FragmentEndOut::TABLE,
    FreeEntryOut::TABLE,
    FreedHandleOut::TABLE,
    FunctionRequestOut::TABLE,
    FunctionResultOut::TABLE,
    GraphicsLaunchedOut::TABLE,
    GraphicsStartOut::TABLE,
    GroupAnswerOut::TABLE,
    GroupAskOut::TABLE,
    GroupBoundOut::TABLE,
    HostWriteOut::TABLE,
    IssueSlotOut::TABLE,
    IssuedOut::TABLE,
    LaunchOut::TABLE,
    LaunchedOut::TABLE,
    LineFetchOut::TABLE,
    LineOut::TABLE,
    LineRequestOut::TABLE,
    ListOperationOut::TABLE,
    MadeVertexOut::TABLE,
    MemoryRequestOut::TABLE,
    MemoryResponseOut::TABLE,
    MergeEventOut::TABLE,
    MultiplyOperandsOut::TABLE,
    OddRegisterWriteOut::TABLE,
    PairingOut::TABLE,
    PartAnswerOut::TABLE,
    PartBoundOut::TABLE,
    PassEdgeOut::TABLE,
    PlaneBiasOut::TABLE,
    ProductsOut::TABLE,
    QuadGroupOut::TABLE,
    QuadOut::TABLE,
    QuadReadOut::TABLE,
    QuadRowOut::TABLE,
    QuadWriteOut::TABLE,
    RecordWriteOut::TABLE,
    RegisterWriteOut::TABLE,
    RequestOut::TABLE,
    ResultWordOut::TABLE,
    RetireOut::TABLE,
    SemaphoreAcquireOut::TABLE,
    SemaphoreMessageOut::TABLE,
    SetUpOut::TABLE,
    ShadeOut::TABLE,
    ShadedEntriesOut::TABLE,
    ShadedVertexOut::TABLE,
    SharedWriteOut::TABLE,
    ShiftOperandsOut::TABLE,
    SlotOfferOut::TABLE,
    SlotStatesOut::TABLE,
    SpareEntryOut::TABLE,
    SplitEventOut::TABLE,
    SplitStartOut::TABLE,
    StateEventOut::TABLE,
    StateWriteOut::TABLE,
    StoreAnswerOut::TABLE,
    StoreReadOut::TABLE,
    TagsOut::TABLE,
    ThreadAcquireOut::TABLE,
    TileEventOut::TABLE,
    TileOpenedOut::TABLE,
    TileOut::TABLE,
    TileStartOut::TABLE,
    TileVisibilityOut::TABLE,
    TrapOut::TABLE,
    TriangleBitOut::TABLE,
    TriangleEventOut::TABLE,
    TriangleFactsOut::TABLE,
    TriangleOut::TABLE,
    UnitLaunchOut::TABLE,
    UnpackedOut::TABLE,
    UnroundedOut::TABLE,
    VertexBatchOut::TABLE,
    VertexWordOut::TABLE,
    WarpBeginsOut::TABLE,
    WarpEndOut::TABLE,
    WarpPlaceOut::TABLE,
    WarpStartOut::TABLE,
    WindowEventOut::TABLE,
    WindowWriteOut::TABLE,
    WorkEventOut::TABLE,
    StageEventOut::TABLE,
];

/// The definition that makes a type of fields, such as `RetireOut`, `Each<RetireOut>`, `RetireIn`,
/// or a stream or flow of data, `FlowOut<TriangleDataOut>`.
pub fn of_type(ty: &str) -> Option<BundleTable> {
    let (mut ty, mut handshake) = (ty, None);
    while let Some((around, inside)) = ty.strip_suffix('>').and_then(|t| t.split_once('<')) {
        match around {
            "Each" => {}
            "FlowOut" | "FlowIn" => handshake = Some(stream::FLOW),
            "StreamOut" | "StreamIn" => handshake = Some(stream::STREAM),
            _ => return None,
        }
        ty = inside;
    }
    let name = ty.strip_suffix("Out").or_else(|| ty.strip_suffix("In"))?;
    let table = |name: &str| ALL.iter().find(|b| b.name == name).copied();
    match name.strip_suffix("Data").and_then(table) {
        Some(data) => Some(BundleTable { handshake: handshake.unwrap_or(&[]), ..data }),
        None => table(name),
    }
}

/// Whether fields of that name are bundles of event ports.
pub fn is_event(field: &str) -> bool {
    ALL.iter().any(|b| b.event == Some(field))
}

/// The event ports as a table of Markdown: name in the Verilog without the element, bits, what it
/// carries.
pub fn markdown() -> String {
    let mut text = String::from("| port | bits | what it carries |\n| --- | --- | --- |\n");
    for bundle in ALL {
        let Some(field) = bundle.event else { continue };
        for port in bundle.all() {
            text += &format!("| `{field}_{}` | {} | {}: {} |\n", port.name, port.width, bundle.what, port.meaning);
        }
    }
    text
}
