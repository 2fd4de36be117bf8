//! The warp unit: [`unit::WarpUnit`] and its parts, one block per file. Cycle numbers of the
//! pipeline are in [`unit`].
//!
//! Formats of words that several of them know, an instruction's decoded kind among them, are in
//! `words.rs`.

pub mod context;
pub mod cross_lane;
pub mod encounter;
pub mod function_unit;
pub mod groups;
pub mod icache;
pub mod issue_stage;
pub mod lane;
pub mod lane_operands;
pub mod late_results;
pub mod message_queue;
pub mod operand_map;
pub mod operands;
pub mod pairs;
pub mod public_bitmaps;
pub mod regfile;
pub mod register_map;
pub mod request_queue;
pub mod retire;
pub mod scheduler;
pub mod shared_result;
pub mod slot_tags;
pub mod special;
pub mod table;
pub mod twins;
pub mod unit;
mod words;
pub mod write_port;

pub use unit::WarpUnit;

crate::blocks! {
    "warp_unit" "warp/unit.rs" "WarpUnit" "one warp unit" |c| WarpUnit::new(c);
    "warp_table" "warp/table.rs" "WarpTable" "the warp slots of a unit"
        |c| table::WarpTable::new(c);
    "warp_context" "warp/context.rs" "WarpContext" "one warp slot" |c| context::WarpContext::new(c);
    "warp_scheduler" "warp/scheduler.rs" "Scheduler" "selection of the warp that issues"
        |c| scheduler::Scheduler::new(c);
    "issue_stage" "warp/issue_stage.rs" "IssueStage" "register between issue and operands"
        |_c| issue_stage::IssueStage::new();
    "instruction_cache" "warp/icache.rs" "InstructionCache" "fetch and decode"
        |c| icache::InstructionCache::new(c);
    "register_file" "warp/regfile.rs" "RegisterFile" "register file of a unit"
        |c| regfile::RegisterFile::new(c);
    "shared_result" "warp/shared_result.rs" "SharedResult" "shared results of warp-wide operations"
        |c| shared_result::SharedResult::new(c);
    "encounters" "warp/encounter.rs" "Encounters" "detection of lanes late at a warp-wide atomic"
        |c| encounter::Encounters::new(c);
    "late_results" "warp/late_results.rs" "LateResults" "kept results of warp-wide atomics"
        |c| late_results::LateResults::new(c);
    "operand_map" "warp/operand_map.rs" "OperandMap" "where a register operand stands"
        |c| operand_map::OperandMap::new(c);
    "register_map" "warp/register_map.rs" "RegisterMap" "register mapping of warps that merge"
        |c| register_map::RegisterMap::new(c);
    "public_bitmaps" "warp/public_bitmaps.rs" "PublicBitmaps" "public-register bitmaps of programs"
        |_c| public_bitmaps::PublicBitmaps::new();
    "warp_pairs" "warp/pairs.rs" "WarpPairs" "pairs of warp slots that merge"
        |c| pairs::WarpPairs::new(c);
    "warp_twins" "warp/twins.rs" "WarpTwins" "pairs of groups that merge and split"
        |c| twins::WarpTwins::new(c);
    "warp_groups" "warp/groups.rs" "WarpGroups" "groups of up to four warp slots that merge"
        |c| groups::WarpGroups::new(c);
    "slot_tags" "warp/slot_tags.rs" "SlotTags" "tags of the graphics warps of a unit"
        |c| slot_tags::SlotTags::new(c);
    "special_registers" "warp/special.rs" "SpecialRegisters" "special registers of a unit"
        |c| special::SpecialRegisters::new(c);
    "operand_stage" "warp/operands.rs" "Operands" "operand stage of a unit"
        |c| operands::Operands::new(c);
    "message_queue" "warp/message_queue.rs" "MessageQueue" "queue of messages to the semaphore entity"
        |c| message_queue::MessageQueue::new(c);
    "request_queue" "warp/request_queue.rs" "RequestQueue" "queue of memory requests"
        |_c| request_queue::RequestQueue::new();
    "function_unit" "warp/function_unit.rs" "FunctionUnit" "division, square root and table functions of a unit"
        |c| function_unit::FunctionUnit::new(c);
    "cross_lane" "warp/cross_lane.rs" "CrossLane" "reductions, scans and ballot over the lanes of a warp"
        |c| cross_lane::CrossLane::new(c);
    "lane_combine" "warp/cross_lane.rs" "LaneCombine" "one operation of the cross-lane unit"
        |_c| cross_lane::LaneCombine::default();
    "retire_pipe" "warp/retire.rs" "RetirePipe" "control pipe beside the lanes"
        |c| retire::RetirePipe::new(c);
    "write_port" "warp/write_port.rs" "WritePort" "write port of the register file: lane results and completions"
        |c| write_port::WritePort::new(c);
    "lane" "warp/lane.rs" "Lane" "one lane" |c| lane::Lane::new(c);
    "lane_operands" "warp/lane_operands.rs" "Operands" "operand routing of a lane"
        |c| lane_operands::Operands::new(c);
}
