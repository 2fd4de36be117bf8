//! The warp unit: fetch, scheduling, registers, four lanes, memory requests, retirement, for up to
//! 16 resident warps.
//!
//! Pipeline, by cycle from the choice of an instruction:
//!
//! | cycle | stage |
//! |-------|-------|
//! | 0 | scheduler chooses among the ready warps (registered) |
//! | 1 | issue: buffer to the pipe, register file, constant bank and special registers addressed, counters move on, scoreboard set |
//! | 2 | operands out of RAM (bypass), cross-lane exchange, branch decided, memory request or message pushed; the warp's lowest counter is found |
//! | 3 | lanes begin (operand registers); the warp's next lookup in the instruction cache, if it did not branch on a condition |
//! | 4 | the next instruction is decoded into the buffer |
//! | 5 | and can be chosen: at best one instruction of a warp every 5 cycles (6 after a conditional branch), so 5 warps fill the unit |
//! | 3 + LANE_LATENCY = 8 | retire: register written, `ret_*` |
//!
//! Throughput: one warp instruction per cycle. A dependent instruction can be chosen 7 cycles after
//! its producer. A slot stays empty when nothing is ready, after an instruction with two beats of
//! operands, and when a memory completion has waited 4 cycles for the register file's write port.
//!
//! Completions take the write port in cycles in which no lane result does, or, with two banks of
//! registers, none of the same bank: global, then shared, then the function unit's, whose requests
//! are pushed in cycle 3 with the operands that the lanes get. An instruction's `ret` record does
//! not come after its first `mret` record: it retires 6 cycles after its operands, the request is
//! at the queue's output 3 cycles after them, so it is enough that a pipeline needs 3 cycles or
//! more from the acceptance of a request to its first completion beat.
//!
//! Semaphores (SE-30 to SE-34): ACS, ASR and RLS push a message in cycle 2; it is at
//! `sem_msg_valid` in cycle 3, 2 cycles after its issue, if none is before it. From an
//! acknowledgement at `ack_valid` to the issue of the instruction behind the wait: 2 cycles. A warp
//! that waits is never chosen.
//!
//! Warp-wide atomics (WW-20) go to memory as one request whose completion has the same value in all
//! lanes. Collective and scalar execution: the request carries the active lanes, and the warp goes
//! on (WW-31, WW-32). Representative (WW-30): it carries the lowest active lane, the others are
//! masked, which in a lockstep warp means that it issues nothing, until the result is written to
//! the lanes that were active. Reductions, scans and ballot (WW-21) run in the [`CrossLane`] unit
//! beside the lanes.
//!
//! Vertex and fragment warps (`graphics = on`): the launch says what they are (`tags`). A slot
//! knows its lanes that are no helpers. Stores, atomics and OUT go out for those alone, ST.OWN for
//! all. An instruction for which no lane is left goes out too, to complete in its order. OUT, BARY
//! and ATTR go out as memory instructions: the address is register a alone, and data word 0 of lane
//! 0 the number in the instruction. Such a warp reads the window of the constant bank of its
//! context and stage.
//!
//! Merging (`merge = on`): slots 2 p and 2 p + 1 hold the members of a pair. [`RegisterMap`] says
//! where their registers stand and which lanes see them; [`WarpPairs`](super::pairs::WarpPairs) in
//! the table says when they merge. Reads are mapped in cycle 1, writes at the write port.
//!
//! Splitting (`split = on`): members of a group stand in adjacent slots; member 0 runs, and the
//! others sleep until it has come to SPLIT. The same map gives all of them its public registers.
//!
//! With `warp-wide-late = stored` lanes that come late to a warp-wide atomic get its kept result
//! (WW-27): [`Encounters`] says in the cycle of the issue which arrivals those are. They go to no
//! queue; [`LateResults`]
//! writes their registers in the cycle in which they retire.
//!
//! Interfaces. `l_*` launches into a free slot, always accepted, at most one per cycle; the first
//! launch of a group is that of its first slot. `f_*` fetches lines: one outstanding, response
//! always accepted. `sm_*` messages, valid/ready; `ack_*` acknowledgements, always accepted.
//! `greq_*`, `grsp_*` valid/ready to and from the core's load/store/atomic pipeline, completions in
//! order of requests. `ret_*`, `mret_*`, `shw_*`, `issue_*`, `stall`, `waiting` are events for
//! tracing, zero unless `trace`. A value of an inactive lane in an event is not defined.
//!
//! It can be wrong in every way in which two events of one warp can meet in one cycle; the block
//! tests and lockstep with random memory timing are for that.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::cross_lane::CrossLane;
use super::encounter::Encounters;
use super::function_unit::FunctionUnit;
use super::icache::InstructionCache;
use super::issue_stage::IssueStage;
use super::lane::Lane;
use super::late_results::LateResults;
use super::message_queue::MessageQueue;
use super::operands::Operands;
use super::public_bitmaps::PublicBitmaps;
use super::regfile::RegisterFile;
use super::register_map::RegisterMap;
use super::request_queue::RequestQueue;
use super::retire::RetirePipe;
use super::scheduler::Scheduler;
use super::shared_result::SharedResult;
use super::slot_tags::SlotTags;
use super::special::SpecialRegisters;
use super::table::WarpTable;
use super::write_port::WritePort;
use crate::base::{vector, Each, Fitted, Parameter, Planted};
use crate::cell::Ram;
use crate::config::{GpuConfig, PrivateSet, WarpWide, WideLate, WideResult};
use crate::fault::Fault;
use crate::memory::SharedStorage;
use crate::ports::{
    BeatIn, CodePlaceIn, CompletionOut, ConstantWriteIn, LaunchIn, LineFetchOut, LineIn, MergeEventOut, RequestOut,
    RetireOut, SemaphoreMessageOut, SharedWriteOut, SplitEventOut, StateWriteIn, TagsIn, TrapOut, WindowWriteIn,
};

mod kernel;

/// Words of the constant bank.
const CONSTANT_BANK: usize = 1024;
/// The same with graphics: 16 windows of 256 words.
const GRAPHICS_BANK: usize = 4096;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct WarpUnit {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Number of this unit in the machine, and the warp slots of the units before it. Ports, so
    /// that all units are one module.
    pub unit: Signal<In, Bits<6>>,
    /// Warp slots of the units before this one.
    pub first_slot: Signal<In, Bits<11>>,
    // Constant bank write, program.
    /// Constant bank writes.
    pub constant_write: ConstantWriteIn,
    /// Place of the code in memory.
    pub code: CodePlaceIn,
    /// One cycle: the instruction cache forgets everything.
    pub start: Signal<In, bool>,
    // Launch.
    /// Warp launch: the bundle holds one in this cycle.
    /// What the launched warp begins with.
    pub launch: LaunchIn,
    /// Bit i: slot i can be launched.
    pub slot_free: Signal<Out, Bits<16>>,
    // Fetch.
    /// A read of a line of memory.
    pub f_req: LineFetchOut,
    /// Instruction fetch, response: the bundle holds one in this cycle.
    /// Data of the fetched line.
    pub f_rsp: LineIn,
    // Global memory requests: address and up to four data words per lane, `greq_w{word}_{lane}`.
    /// Global memory instruction: the bundle holds one in this cycle.
    /// An instruction for the load/store/atomic pipeline of global memory.
    pub global_req: RequestOut,
    // Global memory completions.
    /// Completion of a global memory instruction: the bundle holds one in this cycle.
    /// A beat of its answer.
    pub global_rsp: BeatIn,
    // Messages to the semaphore entity and its acknowledgements.
    /// Messages to the semaphore entity.
    pub sem_msg: SemaphoreMessageOut,
    /// An acknowledgement for a warp slot; always accepted.
    pub ack_valid: Signal<In, bool>,
    /// Warp slot that it is for.
    pub ack_warp: Signal<In, Bits<4>>,
    // Traps, whether tracing or not.
    /// An instruction trapped.
    pub trap: TrapOut,
    // Events.
    /// Event: an instruction retires.
    pub ret: RetireOut,
    /// Event: a beat of a completion.
    pub mret: CompletionOut,
    /// Event: a line of shared storage is written.
    pub shw: SharedWriteOut,
    /// Event: an instruction was issued.
    pub issue_valid: Signal<Out, bool>,
    /// Event: warp slot that issued.
    pub issue_warp: Signal<Out, Bits<4>>,
    /// Why no warp was chosen: 0 no resident warp, 1 instructions wait (scoreboard, drain, credit),
    /// 2 all in fetch, 3 port conflict, 4 every running warp waits for a semaphore.
    pub stall: Signal<Out, Bits<5>>,
    /// Event: warp slots that wait for a semaphore now.
    pub waiting: Signal<Out, Bits<16>>,
    // Graphics: each is one, or none.
    /// What the launched warp is, with `launch`.
    pub tags: Each<TagsIn>,
    /// Writes to the windows of the constant bank.
    pub window_write: Each<WindowWriteIn>,
    /// Words of state records; one if bitmaps say which registers are public, else none.
    pub state: Each<StateWriteIn>,
    /// Bits 4 s + 3 : 4 s: lanes of slot s that are no helpers, until its next launch.
    pub covered: Vec<Signal<Out, Bits<64>>>,
    // Merging: each is one, or none.
    /// Bits 4 s + 3 : 4 s: lanes of slot s whose tags are those of member 1.
    pub mates: Vec<Signal<Out, Bits<64>>>,
    /// Pairs of groups: what the launched warp is in one; one, or none.
    pub twin: Vec<Signal<In, Bits<2>>>,
    /// Slots whose lanes in `mates` have tags of the second group, two slots behind 15:0, or four
    /// behind 31:16.
    pub twins: Vec<Signal<Out, Bits<32>>>,
    /// Groups of more than two: bit 1 of the members' numbers, where `mates` is bit 0.
    pub mates_high: Vec<Signal<Out, Bits<64>>>,
    /// Event: two warps have merged.
    pub merge: Each<MergeEventOut>,
    /// Bit s: slot s stands for pixels, and will be one of them; one, or none.
    pub whole: Vec<Signal<Out, Bits<16>>>,
    /// Event: a warp has split; one, or none without splitting.
    pub split: Each<SplitEventOut>,
    // Parts.
    contexts: WarpTable,
    scheduler: Scheduler,
    icache: InstructionCache,
    regfile: RegisterFile,
    /// One if results of warp-wide atomics are shared (WW-34), else none.
    shared_result: Vec<SharedResult>,
    bank: Ram,
    /// Of graphics with 16 contexts: windows 16 and on, and that one of them is read.
    upper: Vec<Ram>,
    upper_read: Vec<DFF<bool>>,
    special: SpecialRegisters,
    operands: Operands,
    lanes: Vec<Lane>,
    cross: CrossLane,
    pipe: RetirePipe,
    write_port: WritePort,
    global_queue: RequestQueue,
    shared_queue: RequestQueue,
    shared: SharedStorage,
    /// Left out of a unit without function unit, for which its instructions are undefined (SE-3).
    functions: Fitted<FunctionUnit>,
    /// Built if lanes that come late to a warp-wide atomic get its kept result (WW-27).
    encounters: Fitted<Encounters>,
    late_results: Fitted<LateResults>,
    /// Built with graphics.
    slot_tags: Fitted<SlotTags>,
    /// Built with merging or splitting.
    map: Fitted<RegisterMap>,
    /// Built if bitmaps say which registers are public.
    bitmaps: Fitted<PublicBitmaps>,
    messages: MessageQueue,
    // Operand stage (cycle 2).
    s2: IssueStage,
    /// The second beat's operands are at the output of the register file.
    second_global: DFF<bool>,
    second_shared: DFF<bool>,
    /// Request to the function unit, one cycle behind the operand stage as the operands are; fields
    /// as of `push_meta`.
    s3_function: DFF<bool>,
    s3_meta: DFF<Bits<32>>,
    /// Function instructions issued and not completed.
    functions_issued: DFF<Bits<5>>,
    /// Graphics: lanes of the instruction's warp that are no helpers.
    s2_covered: Vec<DFF<Bits<4>>>,
    /// Merging: how the warp's lanes have changed places.
    s2_flip: Vec<DFF<Bits<2>>>,
    /// An instruction for the attribute unit; OUT.
    for_attributes: Vec<Signal<Local, bool>>,
    gives_word: Vec<Signal<Local, bool>>,
    /// A store, an atomic or OUT; of these one that helpers do not do.
    writes_memory: Vec<Signal<Local, bool>>,
    covered_only: Vec<Signal<Local, bool>>,
    fault_helper_stores: Vec<Planted>,
    fault_own_masked: Vec<Planted>,
    fault_out_helper: Vec<Planted>,
    // Named intermediate values.
    second: Signal<Local, bool>,
    hold: Signal<Local, bool>,
    issue_function: Signal<Local, bool>,
    push_global: Signal<Local, bool>,
    push_shared: Signal<Local, bool>,
    push_meta: Signal<Local, Bits<32>>,
    read_warp: Signal<Local, Bits<4>>,
    read_b: Signal<Local, Bits<5>>,
    read_c: Signal<Local, Bits<5>>,
    message_kind: Signal<Local, Bits<2>>,
    /// The completion that the write port takes belongs to a warp-wide atomic.
    wide_result: Signal<Local, bool>,
    /// What retires, per lane.
    result: Vec<Signal<Local, Bits<32>>>,
    /// Lanes of a memory request.
    request_mask: Signal<Local, Bits<4>>,
    trace: Parameter<1>,
    representative: Parameter<1>,
    fault_auto_lost: Planted,
    fault_wide_twice: Planted,
    _lanes: usize,
    _warps: usize,
    _shared_results: usize,
    #[size]
    _graphics: usize,
    #[size]
    _merges: usize,
    #[size]
    _threes: bool,
    #[size]
    _twins: bool,
    #[size]
    _maps: bool,
    #[size]
    _bitmap: usize,
    #[size]
    _joins: usize,
    #[size]
    _fresh: usize,
    #[size]
    _splits: bool,
    #[size]
    _turns: bool,
    #[size]
    _merges_beside: usize,
    #[size]
    _splits_beside: usize,
    _uppers: usize,
    #[size]
    _odd: usize,
    _active: bool,
}

impl WarpUnit {
    /// A unit of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let shared_results =
            usize::from(config.warp_wide != WarpWide::Off && config.warp_wide_result == WideResult::Shared);
        let late = config.warp_wide != WarpWide::Off && config.warp_wide_late == WideLate::Stored;
        let one = usize::from(config.graphics);
        let uppers = usize::from(config.graphics && config.contexts > 8);
        let merges = usize::from(config.merges());
        Self {
            mates: vector(merges),
            mates_high: vector(usize::from(config.groups())),
            _threes: config.groups(),
            twin: vector(usize::from(config.twins())),
            twins: vector(usize::from(config.twins())),
            _twins: config.twins(),
            merge: Each::new(merges),
            split: Each::new(usize::from(config.splits())),
            whole: vector(usize::from(config.turns())),
            _turns: config.turns(),
            map: Fitted::new(RegisterMap::new(config), config.maps()),
            state: Each::new(config.bitmaps()),
            bitmaps: Fitted::new(PublicBitmaps::new(), config.bitmaps() == 1),
            _bitmap: config.bitmaps(),
            _joins: config.of_private(PrivateSet::Joined),
            _fresh: config.of_private(PrivateSet::New),
            _maps: config.maps(),
            _splits: config.splits(),
            _merges_beside: config.merges_beside(),
            _splits_beside: config.splits_beside(),
            s2_flip: vector(merges),
            _merges: merges,
            tags: Each::new(one),
            window_write: Each::new(one),
            covered: vector(one),
            s2_covered: vector(one),
            for_attributes: vector(one),
            gives_word: vector(one),
            writes_memory: vector(one),
            covered_only: vector(one),
            fault_helper_stores: config.of_graphics(Fault::HelperStores),
            fault_out_helper: config.of_graphics(Fault::OutHelper),
            fault_own_masked: config.of_graphics(Fault::OwnMasked),
            _graphics: one,
            contexts: WarpTable::new(config),
            scheduler: Scheduler::new(config),
            icache: InstructionCache::new(config),
            regfile: RegisterFile::new(config),
            shared_result: (0..shared_results).map(|_| SharedResult::new(config)).collect(),
            upper: (0..uppers).map(|_| Ram::new(GRAPHICS_BANK)).collect(),
            upper_read: vector(uppers),
            _uppers: uppers,
            _odd: config.banks() - 1,
            bank: Ram::new(if config.graphics { GRAPHICS_BANK } else { CONSTANT_BANK }),
            special: SpecialRegisters::new(config),
            operands: Operands::new(config),
            lanes: (0..4).map(|_| Lane::new(config)).collect(),
            cross: CrossLane::new(config),
            pipe: RetirePipe::new(config),
            write_port: WritePort::new(config),
            global_queue: RequestQueue::new(),
            shared_queue: RequestQueue::new(),
            shared: SharedStorage::new(config),
            functions: Fitted::new(FunctionUnit::new(config), config.function_unit),
            encounters: Fitted::new(Encounters::new(config), late),
            late_results: Fitted::new(LateResults::new(config), late),
            slot_tags: Fitted::new(SlotTags::new(config), config.graphics),
            s2: IssueStage::new(),
            messages: MessageQueue::new(config),
            result: vector(4),
            representative: Parameter::new(u64::from(config.warp_wide == WarpWide::Representative)),
            trace: Parameter::new(u64::from(config.trace)),
            fault_auto_lost: Planted::new(config.has(Fault::AutoLost)),
            fault_wide_twice: Planted::new(config.has(Fault::WideTwice)),
            _lanes: 4,
            _warps: config.warps,
            _shared_results: shared_results,
            _active: true,
            ..Default::default()
        }
    }
}
