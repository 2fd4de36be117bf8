//! The warp unit: fetch, scheduling, registers, four lanes, memory requests, retirement, for up to 16 resident warps.
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
//! Throughput: one warp instruction per cycle. A dependent instruction can be chosen 7 cycles after its producer. A slot stays empty when nothing is ready, after
//! an instruction with two beats of operands, and when a memory completion has waited 4 cycles for the register file's write port.
//!
//! Completions take the write port in cycles in which no lane result does: global, then shared, then the function unit's, whose requests are pushed in cycle 3
//! with the operands that the lanes get. An instruction's `ret` record does not come after its
//! first `mret` record: it retires 6 cycles after its operands, the request is at the queue's output 3 cycles after them, so it is enough that a pipeline needs
//! 3 cycles or more from the acceptance of a request to its first completion beat.
//!
//! Semaphores (SE-30 to SE-34): ACS, ASR and RLS push a message in cycle 2; it is at `sm_valid` in cycle 3, 2 cycles after its issue, if none is before it. From an acknowledgement at `ack_valid` to the
//! issue of the instruction behind the wait: 2 cycles. A warp that waits is never chosen.
//!
//! Warp-wide atomics (WW-20) go to memory as one request whose completion has the same value in all lanes. Collective and scalar execution: the request carries the active lanes, and
//! the warp goes on (WW-31, WW-32). Representative (WW-30): it carries the lowest active lane, the others are masked, which in a lockstep warp means that it issues nothing,
//! until the result is written to the lanes that were active. Reductions, scans and ballot (WW-21) run in the [`CrossLane`] unit beside the lanes.
//!
//! Interfaces. `l_*` launches into a free slot, always accepted, at most one per cycle; the first launch of a group is that of its first slot. `f_*` fetches lines: one outstanding, response always
//! accepted. `sm_*` messages, valid/ready; `ack_*` acknowledgements, always accepted. `greq_*`, `grsp_*` valid/ready to and from the core's load/store/atomic pipeline, completions in order of requests. `ret_*`, `mret_*`, `shw_*`,
//! `issue_*`, `stall`, `waiting` are events for tracing, zero unless `trace`. A value of an inactive lane in an event is not defined.
//!
//! It can be wrong in every way in which two events of one warp can meet in one cycle; the block tests and lockstep with random memory timing are for that.

use rust_hdl::prelude::*;

use super::cross_lane::CrossLane;
use super::function_unit::FunctionUnit;
use super::icache::InstructionCache;
use super::lane::Lane;
use super::message_queue::MessageQueue;
use super::operands::Operands;
use super::parameter::Parameter;
use super::regfile::RegisterFile;
use super::request_queue::RequestQueue;
use super::retire::RetirePipe;
use super::scheduler::Scheduler;
use super::shared_result::SharedResult;
use super::special::SpecialRegisters;
use super::table::WarpTable;
use super::write_port::WritePort;
use crate::cell::{Fitted, Ram};
use crate::config::{GpuConfig, WarpWide, WideResult};
use crate::memory::SharedStorage;
use crate::wiring::Wiring;
use crate::{comment, quiet_block, wired};

/// See the module documentation.
#[derive(Default)]
pub struct WarpUnit {
    pub clock: Signal<In, Clock>,
    /// Number of this unit in the machine, and the warp slots of the units before it. Ports, so that all units are one module.
    pub unit: Signal<In, Bits<6>>,
    /// Warp slots of the units before this one.
    pub first_slot: Signal<In, Bits<11>>,
    // Constant bank write, program.
    pub cw_valid: Signal<In, bool>,
    pub cw_addr: Signal<In, Bits<10>>,
    pub cw_data: Signal<In, Bits<32>>,
    /// Byte address of instruction 0.
    pub code_base: Signal<In, Bits<32>>,
    /// Instructions.
    pub code_length: Signal<In, Bits<32>>,
    /// One cycle: the instruction cache forgets everything.
    pub start: Signal<In, bool>,
    // Launch.
    pub l_valid: Signal<In, bool>,
    pub l_warp: Signal<In, Bits<4>>,
    pub l_mask: Signal<In, Bits<4>>,
    /// Program counter at which the lanes start.
    pub l_pc: Signal<In, Bits<16>>,
    /// Acknowledgements that will come for acquires made on the thread's behalf (SE-41).
    pub l_wait: Signal<In, Bits<4>>,
    pub l_group_x: Signal<In, Bits<32>>,
    pub l_group_y: Signal<In, Bits<32>>,
    pub l_group_z: Signal<In, Bits<32>>,
    /// First warp slot of the work group, and its number of slots.
    pub l_first: Signal<In, Bits<4>>,
    pub l_warps: Signal<In, Bits<5>>,
    pub l_shared_base: Signal<In, Bits<16>>,
    pub l_local_id0: Signal<In, Bits<30>>,
    pub l_local_id1: Signal<In, Bits<30>>,
    pub l_local_id2: Signal<In, Bits<30>>,
    pub l_local_id3: Signal<In, Bits<30>>,
    pub l_index0: Signal<In, Bits<10>>,
    pub l_index1: Signal<In, Bits<10>>,
    pub l_index2: Signal<In, Bits<10>>,
    pub l_index3: Signal<In, Bits<10>>,
    /// Bit i: slot i can be launched.
    pub slot_free: Signal<Out, Bits<16>>,
    // Fetch.
    pub f_req_valid: Signal<Out, bool>,
    pub f_req_ready: Signal<In, bool>,
    pub f_req_addr: Signal<Out, Bits<32>>,
    pub f_rsp_valid: Signal<In, bool>,
    pub f_rsp_data0: Signal<In, Bits<32>>,
    pub f_rsp_data1: Signal<In, Bits<32>>,
    pub f_rsp_data2: Signal<In, Bits<32>>,
    pub f_rsp_data3: Signal<In, Bits<32>>,
    // Global memory requests: address and up to four data words per lane, `greq_w{word}_{lane}`.
    pub greq_valid: Signal<Out, bool>,
    pub greq_ready: Signal<In, bool>,
    pub greq_warp: Signal<Out, Bits<4>>,
    pub greq_seq: Signal<Out, Bits<8>>,
    pub greq_mask: Signal<Out, Bits<4>>,
    pub greq_dst: Signal<Out, Bits<5>>,
    pub greq_op: Signal<Out, Bits<8>>,
    pub greq_addr0: Signal<Out, Bits<32>>,
    pub greq_addr1: Signal<Out, Bits<32>>,
    pub greq_addr2: Signal<Out, Bits<32>>,
    pub greq_addr3: Signal<Out, Bits<32>>,
    pub greq_w0_0: Signal<Out, Bits<32>>,
    pub greq_w0_1: Signal<Out, Bits<32>>,
    pub greq_w0_2: Signal<Out, Bits<32>>,
    pub greq_w0_3: Signal<Out, Bits<32>>,
    pub greq_w1_0: Signal<Out, Bits<32>>,
    pub greq_w1_1: Signal<Out, Bits<32>>,
    pub greq_w1_2: Signal<Out, Bits<32>>,
    pub greq_w1_3: Signal<Out, Bits<32>>,
    pub greq_w2_0: Signal<Out, Bits<32>>,
    pub greq_w2_1: Signal<Out, Bits<32>>,
    pub greq_w2_2: Signal<Out, Bits<32>>,
    pub greq_w2_3: Signal<Out, Bits<32>>,
    pub greq_w3_0: Signal<Out, Bits<32>>,
    pub greq_w3_1: Signal<Out, Bits<32>>,
    pub greq_w3_2: Signal<Out, Bits<32>>,
    pub greq_w3_3: Signal<Out, Bits<32>>,
    // Global memory completions.
    pub grsp_valid: Signal<In, bool>,
    pub grsp_ready: Signal<Out, bool>,
    pub grsp_warp: Signal<In, Bits<4>>,
    pub grsp_seq: Signal<In, Bits<8>>,
    pub grsp_mask: Signal<In, Bits<4>>,
    pub grsp_dst: Signal<In, Bits<5>>,
    pub grsp_wen: Signal<In, bool>,
    pub grsp_last: Signal<In, bool>,
    pub grsp_value0: Signal<In, Bits<32>>,
    pub grsp_value1: Signal<In, Bits<32>>,
    pub grsp_value2: Signal<In, Bits<32>>,
    pub grsp_value3: Signal<In, Bits<32>>,
    // Messages to the semaphore entity and its acknowledgements.
    /// A message of ACS, ASR or RLS is offered.
    pub sm_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub sm_ready: Signal<In, bool>,
    /// Opcode bits 1:0: 0 ACS, 1 ASR, 3 RLS.
    pub sm_kind: Signal<Out, Bits<2>>,
    /// Warp slot that sends it.
    pub sm_warp: Signal<Out, Bits<4>>,
    /// Semaphore.
    pub sm_sem: Signal<Out, Bits<16>>,
    /// An acknowledgement for a warp slot; always accepted.
    pub ack_valid: Signal<In, bool>,
    /// Warp slot that it is for.
    pub ack_warp: Signal<In, Bits<4>>,
    // Traps, whether tracing or not.
    pub trap_valid: Signal<Out, bool>,
    pub trap_warp: Signal<Out, Bits<4>>,
    pub trap_pc: Signal<Out, Bits<16>>,
    // Events.
    pub ret_valid: Signal<Out, bool>,
    pub ret_warp: Signal<Out, Bits<4>>,
    pub ret_seq: Signal<Out, Bits<8>>,
    pub ret_mask: Signal<Out, Bits<4>>,
    pub ret_pc: Signal<Out, Bits<16>>,
    pub ret_lo: Signal<Out, Bits<32>>,
    pub ret_hi: Signal<Out, Bits<32>>,
    pub ret_trap: Signal<Out, bool>,
    pub ret_mem: Signal<Out, bool>,
    pub ret_wen: Signal<Out, bool>,
    pub ret_dst: Signal<Out, Bits<5>>,
    pub ret_value0: Signal<Out, Bits<32>>,
    pub ret_value1: Signal<Out, Bits<32>>,
    pub ret_value2: Signal<Out, Bits<32>>,
    pub ret_value3: Signal<Out, Bits<32>>,
    pub ret_next0: Signal<Out, Bits<16>>,
    pub ret_next1: Signal<Out, Bits<16>>,
    pub ret_next2: Signal<Out, Bits<16>>,
    pub ret_next3: Signal<Out, Bits<16>>,
    pub mret_valid: Signal<Out, bool>,
    pub mret_shared: Signal<Out, bool>,
    /// From the function unit.
    pub mret_function: Signal<Out, bool>,
    pub mret_warp: Signal<Out, Bits<4>>,
    pub mret_seq: Signal<Out, Bits<8>>,
    pub mret_mask: Signal<Out, Bits<4>>,
    pub mret_wen: Signal<Out, bool>,
    pub mret_dst: Signal<Out, Bits<5>>,
    pub mret_last: Signal<Out, bool>,
    pub mret_value0: Signal<Out, Bits<32>>,
    pub mret_value1: Signal<Out, Bits<32>>,
    pub mret_value2: Signal<Out, Bits<32>>,
    pub mret_value3: Signal<Out, Bits<32>>,
    pub shw_valid: Signal<Out, bool>,
    pub shw_addr: Signal<Out, Bits<16>>,
    pub shw_mask: Signal<Out, Bits<16>>,
    pub shw_data0: Signal<Out, Bits<32>>,
    pub shw_data1: Signal<Out, Bits<32>>,
    pub shw_data2: Signal<Out, Bits<32>>,
    pub shw_data3: Signal<Out, Bits<32>>,
    /// Event: an instruction was issued.
    pub issue_valid: Signal<Out, bool>,
    /// Event: warp slot that issued.
    pub issue_warp: Signal<Out, Bits<4>>,
    /// Why no warp was chosen: 0 no resident warp, 1 instructions wait (scoreboard, drain, credit), 2 all in fetch, 3 port conflict, 4 every running warp waits for a semaphore.
    pub stall: Signal<Out, Bits<5>>,
    /// Event: warp slots that wait for a semaphore now.
    pub waiting: Signal<Out, Bits<16>>,
    // Parts.
    contexts: WarpTable,
    scheduler: Scheduler,
    icache: InstructionCache,
    regfile: RegisterFile,
    /// One if results of warp-wide atomics are shared (WW-34), else none.
    shared_result: Vec<SharedResult>,
    bank: Ram,
    special: SpecialRegisters,
    operands: Operands,
    lanes: Vec<Lane>,
    cross: CrossLane,
    pipe: RetirePipe,
    write_port: WritePort,
    gqueue: RequestQueue,
    squeue: RequestQueue,
    shared: SharedStorage,
    /// Left out of a unit without function unit, for which its instructions are undefined (SE-3).
    functions: Fitted<FunctionUnit>,
    messages: MessageQueue,
    // Operand stage (cycle 2).
    s2_valid: DFF<bool>,
    s2_warp: DFF<Bits<4>>,
    s2_seq: DFF<Bits<8>>,
    s2_mask: DFF<Bits<4>>,
    s2_pc: DFF<Bits<16>>,
    s2_lo: DFF<Bits<32>>,
    s2_hi: DFF<Bits<32>>,
    s2_kind: DFF<Bits<21>>,
    /// The second beat's operands are at the output of the register file.
    second_global: DFF<bool>,
    second_shared: DFF<bool>,
    /// Request to the function unit, one cycle behind the operand stage as the operands are; fields as of `push_meta`.
    s3_function: DFF<bool>,
    s3_meta: DFF<Bits<32>>,
    /// Function instructions issued and not completed.
    functions_issued: DFF<Bits<5>>,
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
    /// What retires, per lane.
    result: Vec<Signal<Local, Bits<32>>>,
    /// Lanes of a memory request.
    request_mask: Signal<Local, Bits<4>>,
    trace: Parameter<1>,
    representative: Parameter<1>,
    fault: Parameter<8>,
    _lanes: usize,
    _warps: usize,
    _shared_results: usize,
    _functions: usize,
    _active: bool,
}

quiet_block!(WarpUnit {
    inputs: clock, unit, first_slot, cw_valid, cw_addr, cw_data, code_base, code_length, start, l_valid, l_warp, l_mask, l_pc, l_wait, l_group_x, l_group_y, l_group_z, l_first, l_warps, l_shared_base, l_local_id0, l_local_id1, l_local_id2, l_local_id3, l_index0, l_index1, l_index2, l_index3, f_req_ready, f_rsp_valid, f_rsp_data0, f_rsp_data1, f_rsp_data2, f_rsp_data3, greq_ready, grsp_valid, grsp_warp, grsp_seq, grsp_mask, grsp_dst, grsp_wen, grsp_last, grsp_value0, grsp_value1, grsp_value2, grsp_value3, sm_ready, ack_valid, ack_warp;
    inner: slot_free, f_req_valid, f_req_addr, greq_valid, greq_warp, greq_seq, greq_mask, greq_dst, greq_op, greq_addr0, greq_addr1, greq_addr2, greq_addr3, greq_w0_0, greq_w0_1, greq_w0_2, greq_w0_3, greq_w1_0, greq_w1_1, greq_w1_2, greq_w1_3, greq_w2_0, greq_w2_1, greq_w2_2, greq_w2_3, greq_w3_0, greq_w3_1, greq_w3_2, greq_w3_3, grsp_ready, sm_valid, sm_kind, sm_warp, sm_sem, trap_valid, trap_warp, trap_pc, ret_valid, ret_warp, ret_seq, ret_mask, ret_pc, ret_lo, ret_hi, ret_trap, ret_mem, ret_wen, ret_dst, ret_value0, ret_value1, ret_value2, ret_value3, ret_next0, ret_next1, ret_next2, ret_next3, mret_valid, mret_shared, mret_function, mret_warp, mret_seq, mret_mask, mret_wen, mret_dst, mret_last, mret_value0, mret_value1, mret_value2, mret_value3, shw_valid, shw_addr, shw_mask, shw_data0, shw_data1, shw_data2, shw_data3, issue_valid, issue_warp, stall, waiting, contexts, scheduler, icache, regfile, shared_result, bank, special, operands, lanes, cross, pipe, write_port, gqueue, squeue, shared, functions, messages, s2_valid, s2_warp, s2_seq, s2_mask, s2_pc, s2_lo, s2_hi, s2_kind, second_global, second_shared, s3_function, s3_meta, functions_issued, second, hold, issue_function, push_global, push_shared, push_meta, read_warp, read_b, read_c, message_kind, result, request_mask, trace, representative, fault
});

impl WarpUnit {
    /// A unit of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let shared_results =
            usize::from(config.warp_wide != WarpWide::Off && config.warp_wide_result == WideResult::Shared);
        Self {
            contexts: WarpTable::new(config),
            scheduler: Scheduler::new(config),
            icache: InstructionCache::new(config),
            regfile: RegisterFile::new(config),
            shared_result: (0..shared_results).map(|_| SharedResult::new(config)).collect(),
            bank: Ram::new(1024),
            special: SpecialRegisters::new(config),
            operands: Operands::new(config),
            lanes: (0..4).map(|_| Lane::new(config)).collect(),
            cross: CrossLane::new(config),
            pipe: RetirePipe::new(config),
            write_port: WritePort::new(config),
            gqueue: RequestQueue::new(),
            squeue: RequestQueue::new(),
            shared: SharedStorage::new(config),
            functions: Fitted::new(FunctionUnit::new(config), config.function_unit),
            messages: MessageQueue::new(config),
            result: super::vector(4),
            representative: Parameter::new(u64::from(config.warp_wide == WarpWide::Representative)),
            trace: Parameter::new(u64::from(config.trace)),
            fault: Parameter::new(config.fault_code()),
            _lanes: 4,
            _warps: config.warps,
            _shared_results: shared_results,
            _functions: usize::from(config.function_unit),
            _active: true,
            ..Default::default()
        }
    }
}

wired!(WarpUnit);

// An `if` on the configuration is decided before the Verilog is written, so it stands alone.
#[allow(clippy::collapsible_if)]
impl Wiring for WarpUnit {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: warp_unit");
        dff_setup!(self, clock, s2_valid, s2_warp, s2_seq, s2_mask, s2_pc, s2_lo, s2_hi, s2_kind);
        dff_setup!(self, clock, second_global, second_shared, s3_function, s3_meta, functions_issued);
        clock!(
            self, clock, contexts, scheduler, icache, regfile, bank, special, operands, cross, pipe, write_port,
            gqueue, squeue, shared
        );
        if self._functions == 1 {
            self.functions.clock.next = self.clock.val();
        }
        clock!(self, clock, messages);
        // Launch.
        self.contexts.launch.next = self.l_valid.val();
        self.contexts.launch_warp.next = self.l_warp.val();
        self.contexts.launch_mask.next = self.l_mask.val();
        self.contexts.launch_pc.next = self.l_pc.val();
        self.contexts.launch_wait.next = self.l_wait.val();
        self.contexts.launch_first.next = self.l_first.val();
        self.contexts.launch_warps.next = self.l_warps.val();
        self.slot_free.next = self.contexts.free.val();
        self.special.unit.next = self.unit.val();
        self.special.first_slot.next = self.first_slot.val();
        self.special.launch.next = self.l_valid.val();
        self.special.launch_warp.next = self.l_warp.val();
        self.special.launch_mask.next = self.l_mask.val();
        self.special.group_x.next = self.l_group_x.val();
        self.special.group_y.next = self.l_group_y.val();
        self.special.group_z.next = self.l_group_z.val();
        self.special.shared_base.next = self.l_shared_base.val();
        self.special.local_id[0].next = bit_cast::<32, 30>(self.l_local_id0.val());
        self.special.local_id[1].next = bit_cast::<32, 30>(self.l_local_id1.val());
        self.special.local_id[2].next = bit_cast::<32, 30>(self.l_local_id2.val());
        self.special.local_id[3].next = bit_cast::<32, 30>(self.l_local_id3.val());
        self.special.local_index[0].next = bit_cast::<32, 10>(self.l_index0.val());
        self.special.local_index[1].next = bit_cast::<32, 10>(self.l_index1.val());
        self.special.local_index[2].next = bit_cast::<32, 10>(self.l_index2.val());
        self.special.local_index[3].next = bit_cast::<32, 10>(self.l_index3.val());
        // Cycles 3 and 4 of the instruction before: fetch and decode.
        self.icache.start.next = self.start.val();
        self.icache.code_base.next = self.code_base.val();
        self.icache.code_length.next = self.code_length.val();
        self.icache.need.next = self.contexts.need.val();
        for i in 0..self._warps {
            self.icache.pc[i].next = self.contexts.pc[i].val();
        }
        self.f_req_valid.next = self.icache.f_req_valid.val();
        self.f_req_addr.next = self.icache.f_req_addr.val();
        self.icache.f_req_ready.next = self.f_req_ready.val();
        self.icache.f_rsp_valid.next = self.f_rsp_valid.val();
        self.icache.f_rsp_data0.next = self.f_rsp_data0.val();
        self.icache.f_rsp_data1.next = self.f_rsp_data1.val();
        self.icache.f_rsp_data2.next = self.f_rsp_data2.val();
        self.icache.f_rsp_data3.next = self.f_rsp_data3.val();
        self.contexts.fill.next = self.icache.fill_valid.val();
        self.contexts.fill_warp.next = self.icache.fill_warp.val();
        self.contexts.fill_lo.next = self.icache.fill_lo.val();
        self.contexts.fill_hi.next = self.icache.fill_hi.val();
        self.contexts.fill_need.next = self.icache.fill_need.val();
        self.contexts.fill_sets.next = self.icache.fill_sets.val();
        self.contexts.fill_kind.next = self.icache.fill_kind.val();
        // Cycle 0: choice. No choice in the slot after an instruction of two beats, nor once for a completion that has waited.
        self.hold.next = self.write_port.hold.val();
        if self.scheduler.valid.val() && self.contexts.kind.val().get_bit(8) {
            self.hold.next = true;
        }
        self.scheduler.ready.next = self.contexts.ready.val();
        self.scheduler.woken.next = self.contexts.woken.val();
        self.scheduler.hold.next = self.hold.val();
        self.scheduler.occupied.next = self.contexts.occupied.val();
        self.scheduler.running.next = self.contexts.running.val();
        self.scheduler.waits.next = self.contexts.waits.val();
        self.contexts.global_credit.next = self.gqueue.credit.val();
        self.contexts.shared_credit.next = self.squeue.credit.val();
        self.contexts.function_credit.next = self.functions_issued.q.val() < bits::<5>(14);
        self.contexts.message_credit.next = self.messages.credit.val();
        // Cycle 1: issue.
        self.contexts.issue.next = self.scheduler.valid.val();
        self.contexts.issue_warp.next = self.scheduler.warp.val();
        self.gqueue.issue.next = self.scheduler.valid.val() && self.contexts.kind.val().get_bit(0);
        self.squeue.issue.next = self.scheduler.valid.val() && self.contexts.kind.val().get_bit(1);
        self.gqueue.issue_sets.next = self.contexts.sets.val();
        self.gqueue.issue_wide.next = self.contexts.kind.val().get_bit(20);
        self.squeue.issue_wide.next = self.contexts.kind.val().get_bit(20);
        self.squeue.issue_sets.next = self.contexts.sets.val();
        self.messages.issue.next = self.scheduler.valid.val() && self.contexts.kind.val().get_bit(17);
        self.s2_valid.d.next = self.scheduler.valid.val();
        self.s2_warp.d.next = self.scheduler.warp.val();
        self.s2_seq.d.next = self.contexts.seq.val();
        self.s2_mask.d.next = self.contexts.mask.val();
        self.s2_pc.d.next = self.contexts.issue_pc.val();
        self.s2_lo.d.next = self.contexts.lo.val();
        self.s2_hi.d.next = self.contexts.hi.val();
        self.s2_kind.d.next = self.contexts.kind.val();
        self.read_warp.next = self.scheduler.warp.val();
        self.regfile.read_a.next = self.contexts.lo.val().get_bits::<5>(13);
        self.read_b.next = self.contexts.lo.val().get_bits::<5>(18);
        self.read_c.next = self.contexts.lo.val().get_bits::<5>(23);
        if self.contexts.kind.val().get_bit(9) {
            self.read_c.next = self.contexts.lo.val().get_bits::<5>(18) + bits::<5>(1);
        }
        // The second beat reads b+2 and b+3 of a store; c and c+1 of an exchange (opcode bit 7).
        self.second.next = self.s2_valid.q.val() && self.s2_kind.q.val().get_bit(8);
        if self.second.val() {
            self.read_warp.next = self.s2_warp.q.val();
            self.read_b.next = self.s2_lo.q.val().get_bits::<5>(18) + bits::<5>(2);
            self.read_c.next = self.s2_lo.q.val().get_bits::<5>(18) + bits::<5>(3);
            if self.s2_lo.q.val().get_bit(7) {
                self.read_b.next = self.s2_lo.q.val().get_bits::<5>(23);
                self.read_c.next = self.s2_lo.q.val().get_bits::<5>(23) + bits::<5>(1);
            }
        }
        self.regfile.read_warp.next = self.read_warp.val();
        self.regfile.read_b.next = self.read_b.val();
        self.regfile.read_c.next = self.read_c.val();
        for k in 0..self._shared_results {
            self.shared_result[k].clock.next = self.clock.val();
            self.shared_result[k].read_warp.next = self.read_warp.val();
            self.shared_result[k].read_a.next = self.contexts.lo.val().get_bits::<5>(13);
            self.shared_result[k].read_b.next = self.read_b.val();
            self.shared_result[k].read_c.next = self.read_c.val();
        }
        self.second_global.d.next = self.second.val() && self.s2_kind.q.val().get_bit(0);
        self.second_shared.d.next = self.second.val() && self.s2_kind.q.val().get_bit(1);
        self.bank.read_address.next = bit_cast::<12, 32>(self.contexts.hi.val() & bits::<32>(0x3FF));
        self.bank.write_address.next = bit_cast::<12, 10>(self.cw_addr.val());
        self.bank.write_data.next = self.cw_data.val();
        self.bank.write_enable.next = self.cw_valid.val();
        self.special.read_warp.next = self.scheduler.warp.val();
        self.special.read_number.next = bit_cast::<4, 32>(self.contexts.hi.val());
        // Cycle 2: operands.
        self.operands.lo.next = self.s2_lo.q.val();
        self.operands.hi.next = self.s2_hi.q.val();
        self.operands.kind.next = self.s2_kind.q.val();
        self.operands.mask.next = self.s2_mask.q.val();
        self.operands.bank.next = self.bank.read_data.val();
        for i in 0..self._lanes {
            self.operands.a[i].next = self.regfile.a[i].val();
            self.operands.b[i].next = self.regfile.b[i].val();
            self.operands.c[i].next = self.regfile.c[i].val();
            self.operands.special[i].next = self.special.value[i].val();
            self.lanes[i].clock.next = self.clock.val();
            self.lanes[i].op.next = self.operands.lane_op.val();
            self.lanes[i].a.next = self.operands.lane_a[i].val();
            self.lanes[i].b.next = self.operands.lane_b[i].val();
            self.lanes[i].c.next = self.operands.lane_c[i].val();
            self.gqueue.push_address[i].next = self.operands.address[i].val();
            self.gqueue.push_b[i].next = self.regfile.b[i].val();
            self.gqueue.push_c[i].next = self.regfile.c[i].val();
            self.squeue.push_address[i].next = self.operands.address[i].val();
            self.squeue.push_b[i].next = self.regfile.b[i].val();
            self.squeue.push_c[i].next = self.regfile.c[i].val();
        }
        for k in 0..self._shared_results {
            for i in 0..self._lanes {
                if self.shared_result[k].shared_a.val().get_bit(i) {
                    self.operands.a[i].next = self.shared_result[k].word_a.val();
                }
                if self.shared_result[k].shared_b.val().get_bit(i) {
                    self.operands.b[i].next = self.shared_result[k].word_b.val();
                    self.gqueue.push_b[i].next = self.shared_result[k].word_b.val();
                    self.squeue.push_b[i].next = self.shared_result[k].word_b.val();
                }
                if self.shared_result[k].shared_c.val().get_bit(i) {
                    self.operands.c[i].next = self.shared_result[k].word_c.val();
                    self.gqueue.push_c[i].next = self.shared_result[k].word_c.val();
                    self.squeue.push_c[i].next = self.shared_result[k].word_c.val();
                }
            }
        }
        self.contexts.branch.next = self.s2_valid.q.val() && self.s2_kind.q.val().get_bit(3);
        self.contexts.branch_warp.next = self.s2_warp.q.val();
        self.contexts.branch_taken.next = self.operands.taken.val();
        self.push_global.next = self.s2_valid.q.val() && self.s2_kind.q.val().get_bit(0);
        self.push_shared.next = self.s2_valid.q.val() && self.s2_kind.q.val().get_bit(1);
        self.gqueue.push.next = self.push_global.val();
        self.squeue.push.next = self.push_shared.val();
        self.gqueue.push_two.next = self.s2_kind.q.val().get_bit(8);
        self.squeue.push_two.next = self.s2_kind.q.val().get_bit(8);
        self.gqueue.push_second.next = self.second_global.q.val();
        self.squeue.push_second.next = self.second_shared.q.val();
        // A representative is the lowest active lane.
        self.request_mask.next = self.s2_mask.q.val();
        if self.s2_kind.q.val().get_bit(20)
            && (self.representative.val() == bits::<1>(1))
            && (self.fault.val() != bits::<8>(101))
        {
            self.request_mask.next = self.s2_mask.q.val() & (bits::<4>(0) - self.s2_mask.q.val());
        }
        self.push_meta.next = bit_cast::<32, 4>(self.s2_warp.q.val())
            | (bit_cast::<32, 8>(self.s2_seq.q.val()) << bits::<32>(4))
            | (bit_cast::<32, 4>(self.request_mask.val()) << bits::<32>(12))
            | (bit_cast::<32, 5>(self.s2_lo.q.val().get_bits::<5>(8)) << bits::<32>(16))
            | ((self.s2_lo.q.val() & bits::<32>(0xFF)) << bits::<32>(21));
        self.gqueue.push_meta.next = self.push_meta.val();
        self.squeue.push_meta.next = self.push_meta.val();
        self.messages.push.next = self.s2_valid.q.val() && self.s2_kind.q.val().get_bit(17);
        self.message_kind.next = self.s2_lo.q.val().get_bits::<2>(0);
        if (self.fault.val() == bits::<8>(29)) && (self.message_kind.val() == bits::<2>(1)) {
            self.message_kind.next = bits::<2>(0);
        }
        self.messages.push_kind.next = self.message_kind.val();
        self.messages.push_warp.next = self.s2_warp.q.val();
        self.messages.push_sem.next = self.operands.sem.val();
        self.pipe.in_valid.next = self.s2_valid.q.val();
        self.pipe.in_trap.next = self.s2_kind.q.val().get_bit(7);
        self.pipe.in_mem.next =
            self.s2_kind.q.val().get_bit(0) || self.s2_kind.q.val().get_bit(1) || self.s2_kind.q.val().get_bit(16);
        self.pipe.in_write.next = self.s2_kind.q.val().get_bit(14);
        self.pipe.in_warp.next = self.s2_warp.q.val();
        self.pipe.in_seq.next = self.s2_seq.q.val();
        self.pipe.in_mask.next = self.s2_mask.q.val();
        self.pipe.in_taken.next = self.operands.taken.val();
        self.pipe.in_pc.next = self.s2_pc.q.val();
        self.pipe.in_lo.next = self.s2_lo.q.val();
        self.pipe.in_hi.next = self.s2_hi.q.val();
        // Cycle 3: function unit, beside the lanes. It has a slot for every instruction with credit.
        self.s3_function.d.next = self.s2_valid.q.val() && self.s2_kind.q.val().get_bit(16);
        self.s3_meta.d.next = self.push_meta.val();
        if self._functions == 1 {
            self.functions.req_valid.next = self.s3_function.q.val();
            self.functions.req_warp.next = self.s3_meta.q.val().get_bits::<4>(0);
            self.functions.req_seq.next = self.s3_meta.q.val().get_bits::<8>(4);
            self.functions.req_mask.next = self.s3_meta.q.val().get_bits::<4>(12);
            self.functions.req_dst.next = self.s3_meta.q.val().get_bits::<5>(16);
            self.functions.req_op.next = self.s3_meta.q.val().get_bits::<8>(21);
            self.functions.req_a0.next = self.operands.lane_a[0].val();
            self.functions.req_a1.next = self.operands.lane_a[1].val();
            self.functions.req_a2.next = self.operands.lane_a[2].val();
            self.functions.req_a3.next = self.operands.lane_a[3].val();
            self.functions.req_b0.next = self.operands.lane_b[0].val();
            self.functions.req_b1.next = self.operands.lane_b[1].val();
            self.functions.req_b2.next = self.operands.lane_b[2].val();
            self.functions.req_b3.next = self.operands.lane_b[3].val();
        }
        self.cross.op.next = self.operands.lane_op.val();
        self.cross.mask.next = self.s3_meta.q.val().get_bits::<4>(12);
        for i in 0..self._lanes {
            self.cross.a[i].next = self.operands.lane_a[i].val();
        }
        // Messages and acknowledgements.
        self.sm_valid.next = self.messages.valid.val();
        self.messages.ready.next = self.sm_ready.val();
        self.sm_kind.next = self.messages.kind.val();
        self.sm_warp.next = self.messages.warp.val();
        self.sm_sem.next = self.messages.sem.val();
        self.contexts.sent.next = self.messages.valid.val() && self.sm_ready.val();
        self.contexts.sent_warp.next = self.messages.warp.val();
        self.contexts.acknowledge.next = self.ack_valid.val();
        self.contexts.acknowledge_warp.next = self.ack_warp.val();
        // Requests.
        self.greq_valid.next = self.gqueue.valid.val();
        self.gqueue.ready.next = self.greq_ready.val();
        self.greq_warp.next = self.gqueue.meta.val().get_bits::<4>(0);
        self.greq_seq.next = self.gqueue.meta.val().get_bits::<8>(4);
        self.greq_mask.next = self.gqueue.meta.val().get_bits::<4>(12);
        self.greq_dst.next = self.gqueue.meta.val().get_bits::<5>(16);
        self.greq_op.next = self.gqueue.meta.val().get_bits::<8>(21);
        self.shared.req_valid.next = self.squeue.valid.val();
        self.squeue.ready.next = self.shared.req_ready.val();
        self.shared.req_unit.next = bits::<3>(0);
        self.shared.req_warp.next = self.squeue.meta.val().get_bits::<4>(0);
        self.shared.req_seq.next = self.squeue.meta.val().get_bits::<8>(4);
        self.shared.req_mask.next = self.squeue.meta.val().get_bits::<4>(12);
        self.shared.req_dst.next = self.squeue.meta.val().get_bits::<5>(16);
        self.shared.req_op.next = self.squeue.meta.val().get_bits::<8>(21);
        self.greq_addr0.next = self.gqueue.address[0].val();
        self.greq_addr1.next = self.gqueue.address[1].val();
        self.greq_addr2.next = self.gqueue.address[2].val();
        self.greq_addr3.next = self.gqueue.address[3].val();
        self.greq_w0_0.next = self.gqueue.w0[0].val();
        self.greq_w0_1.next = self.gqueue.w0[1].val();
        self.greq_w0_2.next = self.gqueue.w0[2].val();
        self.greq_w0_3.next = self.gqueue.w0[3].val();
        self.greq_w1_0.next = self.gqueue.w1[0].val();
        self.greq_w1_1.next = self.gqueue.w1[1].val();
        self.greq_w1_2.next = self.gqueue.w1[2].val();
        self.greq_w1_3.next = self.gqueue.w1[3].val();
        self.greq_w2_0.next = self.gqueue.w2[0].val();
        self.greq_w2_1.next = self.gqueue.w2[1].val();
        self.greq_w2_2.next = self.gqueue.w2[2].val();
        self.greq_w2_3.next = self.gqueue.w2[3].val();
        self.greq_w3_0.next = self.gqueue.w3[0].val();
        self.greq_w3_1.next = self.gqueue.w3[1].val();
        self.greq_w3_2.next = self.gqueue.w3[2].val();
        self.greq_w3_3.next = self.gqueue.w3[3].val();
        self.shared.req_addr0.next = self.squeue.address[0].val();
        self.shared.req_addr1.next = self.squeue.address[1].val();
        self.shared.req_addr2.next = self.squeue.address[2].val();
        self.shared.req_addr3.next = self.squeue.address[3].val();
        self.shared.req_w0_0.next = self.squeue.w0[0].val();
        self.shared.req_w0_1.next = self.squeue.w0[1].val();
        self.shared.req_w0_2.next = self.squeue.w0[2].val();
        self.shared.req_w0_3.next = self.squeue.w0[3].val();
        self.shared.req_w1_0.next = self.squeue.w1[0].val();
        self.shared.req_w1_1.next = self.squeue.w1[1].val();
        self.shared.req_w1_2.next = self.squeue.w1[2].val();
        self.shared.req_w1_3.next = self.squeue.w1[3].val();
        self.shared.req_w2_0.next = self.squeue.w2[0].val();
        self.shared.req_w2_1.next = self.squeue.w2[1].val();
        self.shared.req_w2_2.next = self.squeue.w2[2].val();
        self.shared.req_w2_3.next = self.squeue.w2[3].val();
        self.shared.req_w3_0.next = self.squeue.w3[0].val();
        self.shared.req_w3_1.next = self.squeue.w3[1].val();
        self.shared.req_w3_2.next = self.squeue.w3[2].val();
        self.shared.req_w3_3.next = self.squeue.w3[3].val();
        // Two cycles before retirement: the scoreboard.
        self.contexts.clear.next = self.pipe.early_write.val();
        self.contexts.clear_warp.next = self.pipe.early_warp.val();
        self.contexts.clear_register.next = self.pipe.early_register.val();
        // Cycle 8: retirement. The lanes give 0 for instructions of the cross-lane unit, and it for theirs.
        for i in 0..self._lanes {
            self.result[i].next = self.lanes[i].value.val() | self.cross.value[i].val();
            self.pipe.result[i].next = self.result[i].val();
            self.write_port.lane_value[i].next = self.result[i].val();
        }
        self.contexts.retire.next = self.pipe.retire.val();
        self.contexts.retire_warp.next = self.pipe.warp.val();
        // The register file's write port: the lanes, or a completion.
        self.write_port.lane_write.next = self.pipe.write.val();
        self.write_port.lane_warp.next = self.pipe.warp.val();
        self.write_port.lane_register.next = self.pipe.destination.val();
        self.write_port.lane_mask.next = self.pipe.mask.val();
        self.write_port.global_valid.next = self.grsp_valid.val();
        self.grsp_ready.next = self.write_port.global_ready.val();
        self.write_port.global_warp.next = self.grsp_warp.val();
        self.write_port.global_seq.next = self.grsp_seq.val();
        self.write_port.global_mask.next = self.grsp_mask.val();
        self.write_port.global_dst.next = self.grsp_dst.val();
        self.write_port.global_wen.next = self.grsp_wen.val();
        self.write_port.global_last.next = self.grsp_last.val();
        self.write_port.global_value[0].next = self.grsp_value0.val();
        self.write_port.global_value[1].next = self.grsp_value1.val();
        self.write_port.global_value[2].next = self.grsp_value2.val();
        self.write_port.global_value[3].next = self.grsp_value3.val();
        self.write_port.shared_valid.next = self.shared.rsp_valid.val();
        self.shared.rsp_ready.next = self.write_port.shared_ready.val();
        self.write_port.shared_warp.next = self.shared.rsp_warp.val();
        self.write_port.shared_seq.next = self.shared.rsp_seq.val();
        self.write_port.shared_mask.next = self.shared.rsp_mask.val();
        self.write_port.shared_dst.next = self.shared.rsp_dst.val();
        self.write_port.shared_wen.next = self.shared.rsp_wen.val();
        self.write_port.shared_last.next = self.shared.rsp_last.val();
        self.write_port.shared_value[0].next = self.shared.rsp_value0.val();
        self.write_port.shared_value[1].next = self.shared.rsp_value1.val();
        self.write_port.shared_value[2].next = self.shared.rsp_value2.val();
        self.write_port.shared_value[3].next = self.shared.rsp_value3.val();
        if self._functions == 1 {
            self.write_port.function_valid.next = self.functions.rsp_valid.val();
            self.functions.rsp_ready.next = self.write_port.function_ready.val();
            self.write_port.function_warp.next = self.functions.rsp_warp.val();
            self.write_port.function_seq.next = self.functions.rsp_seq.val();
            self.write_port.function_mask.next = self.functions.rsp_mask.val();
            self.write_port.function_dst.next = self.functions.rsp_dst.val();
            self.write_port.function_value[0].next = self.functions.rsp_value0.val();
            self.write_port.function_value[1].next = self.functions.rsp_value1.val();
            self.write_port.function_value[2].next = self.functions.rsp_value2.val();
            self.write_port.function_value[3].next = self.functions.rsp_value3.val();
        } else {
            self.write_port.function_valid.next = false;
            self.write_port.function_warp.next = bits::<4>(0);
            self.write_port.function_seq.next = bits::<8>(0);
            self.write_port.function_mask.next = bits::<4>(0);
            self.write_port.function_dst.next = bits::<5>(0);
            self.write_port.function_value[0].next = bits::<32>(0);
            self.write_port.function_value[1].next = bits::<32>(0);
            self.write_port.function_value[2].next = bits::<32>(0);
            self.write_port.function_value[3].next = bits::<32>(0);
        }
        self.contexts.result_warp.next = self.shared.rsp_warp.val();
        self.contexts.result_wide.next = self.squeue.oldest_wide.val();
        if self.grsp_valid.val() {
            self.contexts.result_warp.next = self.grsp_warp.val();
            self.contexts.result_wide.next = self.gqueue.oldest_wide.val();
        }
        self.write_port.broadcast.next = self.contexts.broadcast.val();
        self.write_port.saved.next = self.contexts.saved.val();
        self.contexts.result_done.next = self.write_port.result_done.val();
        self.contexts.done_warp.next = self.write_port.done_warp.val();
        self.regfile.write_warp.next = self.write_port.write_warp.val();
        self.regfile.write_register.next = self.write_port.write_register.val();
        self.regfile.write_mask.next = self.write_port.write_mask.val();
        for i in 0..self._lanes {
            self.regfile.write_value[i].next = self.write_port.write_value[i].val();
        }
        for k in 0..self._shared_results {
            self.shared_result[k].write_warp.next = self.write_port.write_warp.val();
            self.shared_result[k].write_register.next = self.write_port.write_register.val();
            self.shared_result[k].write_mask.next = self.write_port.write_mask.val();
            self.shared_result[k].write_wide.next = (self.write_port.take_global.val()
                && self.gqueue.oldest_wide.val())
                || (self.shared.rsp_valid.val() && self.write_port.shared_ready.val() && self.squeue.oldest_wide.val());
            self.shared_result[k].value.next = self.write_port.first_value.val();
            self.regfile.write_mask.next = self.shared_result[k].lanes.val();
        }
        self.gqueue.complete.next = self.write_port.done_global.val();
        self.squeue.complete.next = self.write_port.done_shared.val();
        self.contexts.complete.next = self.write_port.done_global.val()
            || self.write_port.done_shared.val()
            || self.write_port.take_function.val();
        self.contexts.complete_warp.next = self.write_port.complete_warp.val();
        self.contexts.complete_sets.next = self.squeue.oldest_sets.val();
        if self.write_port.take_global.val() {
            self.contexts.complete_sets.next = self.gqueue.oldest_sets.val();
        }
        if self._functions == 1 {
            if self.write_port.take_function.val() {
                self.contexts.complete_sets.next = bits::<32>(1) << self.functions.rsp_dst.val();
            }
        }
        // Function instructions on their way.
        self.issue_function.next = self.scheduler.valid.val() && self.contexts.kind.val().get_bit(16);
        if self.issue_function.val() && !self.write_port.take_function.val() {
            self.functions_issued.d.next = self.functions_issued.q.val() + bits::<5>(1);
        }
        if !self.issue_function.val() && self.write_port.take_function.val() {
            self.functions_issued.d.next = self.functions_issued.q.val() - bits::<5>(1);
        }
        self.trap_valid.next = self.pipe.trap_valid.val();
        self.trap_warp.next = self.pipe.trap_warp.val();
        self.trap_pc.next = self.pipe.trap_pc.val();
        // Events.
        self.ret_valid.next = self.pipe.ret_valid.val();
        self.ret_warp.next = self.pipe.ret_warp.val();
        self.ret_seq.next = self.pipe.ret_seq.val();
        self.ret_mask.next = self.pipe.ret_mask.val();
        self.ret_pc.next = self.pipe.ret_pc.val();
        self.ret_lo.next = self.pipe.ret_lo.val();
        self.ret_hi.next = self.pipe.ret_hi.val();
        self.ret_trap.next = self.pipe.ret_trap.val();
        self.ret_mem.next = self.pipe.ret_mem.val();
        self.ret_wen.next = self.pipe.ret_wen.val();
        self.ret_dst.next = self.pipe.ret_dst.val();
        self.ret_value0.next = self.pipe.ret_value[0].val();
        self.ret_value1.next = self.pipe.ret_value[1].val();
        self.ret_value2.next = self.pipe.ret_value[2].val();
        self.ret_value3.next = self.pipe.ret_value[3].val();
        self.ret_next0.next = self.pipe.ret_next[0].val();
        self.ret_next1.next = self.pipe.ret_next[1].val();
        self.ret_next2.next = self.pipe.ret_next[2].val();
        self.ret_next3.next = self.pipe.ret_next[3].val();
        self.mret_valid.next = self.write_port.mret_valid.val();
        self.mret_shared.next = self.write_port.mret_shared.val();
        self.mret_function.next = self.write_port.mret_function.val();
        self.mret_warp.next = self.write_port.mret_warp.val();
        self.mret_seq.next = self.write_port.mret_seq.val();
        self.mret_mask.next = self.write_port.mret_mask.val();
        self.mret_wen.next = self.write_port.mret_wen.val();
        self.mret_dst.next = self.write_port.mret_dst.val();
        self.mret_last.next = self.write_port.mret_last.val();
        self.mret_value0.next = self.write_port.mret_value[0].val();
        self.mret_value1.next = self.write_port.mret_value[1].val();
        self.mret_value2.next = self.write_port.mret_value[2].val();
        self.mret_value3.next = self.write_port.mret_value[3].val();
        self.stall.next = self.scheduler.stall.val();
        self.shw_valid.next = false;
        self.shw_addr.next = bits::<16>(0);
        self.shw_mask.next = bits::<16>(0);
        self.shw_data0.next = bits::<32>(0);
        self.shw_data1.next = bits::<32>(0);
        self.shw_data2.next = bits::<32>(0);
        self.shw_data3.next = bits::<32>(0);
        self.issue_valid.next = false;
        self.issue_warp.next = bits::<4>(0);
        self.waiting.next = bits::<16>(0);
        if self.trace.val() == bits::<1>(1) {
            self.shw_valid.next = self.shared.shw_valid.val();
            self.shw_addr.next = self.shared.shw_addr.val();
            self.shw_mask.next = self.shared.shw_mask.val();
            self.shw_data0.next = self.shared.shw_data0.val();
            self.shw_data1.next = self.shared.shw_data1.val();
            self.shw_data2.next = self.shared.shw_data2.val();
            self.shw_data3.next = self.shared.shw_data3.val();
            self.issue_valid.next = self.scheduler.valid.val();
            self.issue_warp.next = self.scheduler.warp.val();
            self.waiting.next = self.contexts.waits.val();
        }
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        vec![("_functions", self._functions)]
    }
}
