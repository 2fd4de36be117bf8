//! Scalar execution unit of a core (WW-2, WW-32): executes an operation that is done once for a
//! whole warp, beside the warp units. It stands between the arbiter of the units' memory
//! instructions and the core's load/store/atomic pipeline (LSA), has arithmetic of its own, and
//! uses the LSA for a load that locks its line and then a store to the same place. The warp unit
//! sends operation, active lanes and destination; it gets the result back as completion beats
//! (WW-35).
//!
//! Everything else passes through in both directions in its cycle while no operation is in
//! progress. From taking one to the store's completion nothing else enters the LSA, so the order of
//! a unit's instructions is kept, and the store is the request that follows the locking load.
//! Instructions that entered the LSA before complete meanwhile: `ahead` counts them, and a beat of
//! the LSA is the scalar unit's own only when none is left. Completion of the store is the first
//! result beat: it becomes one or two beats with the old value (of the lock form: 1 if swapped,
//! else 0) for all active lanes.
//!
//! Latency: from an operation at `req_*` to its first result beat at `rsp_*` 2 cycles more than the
//! LSA takes for the load and the store, each from its acceptance to its last beat. With nothing in
//! the LSA and a memory that answers after m cycles that is 6 + 2m cycles; a 64-bit load has a beat
//! more. Throughput: one operation at a time; the next request is taken in the cycle after the last
//! result beat.
//!
//! It can be wrong in the leader's choice, in taking another's beat for its own, and in the order
//! of the two registers of a 64-bit value; `tests/scalar_unit.rs` compares it with a plain model,
//! and all execution options must give the same results.
//!
//! Planted faults: `scalar-wrong-warp`, the answer goes to the neighbouring warp slot;
//! `wide-inactive` and `wide-old-value` as in the LSA; `wide-lock-steals` and `lock-foreign` in the
//! arithmetic.

use quadlock_hdl_macros::{kernel, QuietBlock, StateWord};
use quadlock_isa::Op;
use rust_hdl::prelude::*;

use super::AtomicAlu;
use crate::base::{Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{BeatIn, BeatOut, RequestIn};

/// What the scalar unit does now.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum ScalarStep {
    /// Passes everything through; takes an operation.
    Idle,
    /// Offers the load to the pipeline.
    Load,
    /// Waits for the old value.
    Old,
    /// Offers the store with the new value.
    Store,
    /// Waits for the store's completion and gives the result.
    Result,
}

/// See the module documentation. Ports without a comment have the meaning of the pipeline's ports
/// of that name; see [`super::Lsa`].
#[derive(Default, QuietBlock)]
pub struct ScalarUnit {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Request of the granted warp unit.
    /// Warp unit that it comes from.
    pub req_unit: Signal<In, Bits<3>>,
    /// A request is offered.
    pub req: RequestIn,
    // Request to the load/store/atomic pipeline. What is not here (the other lanes' addresses and
    // data, further words) goes past the scalar unit: its own requests are of lane 0 alone.
    /// A request for the pipeline, passed through or of the scalar unit.
    pub l_req_valid: Signal<Out, bool>,
    /// The pipeline takes it.
    pub l_req_ready: Signal<In, bool>,
    /// This load locks its line.
    pub l_req_lock: Signal<Out, bool>,
    /// Memory request of the load/store/atomic pipeline: number of the warp unit.
    pub l_req_unit: Signal<Out, Bits<3>>,
    /// Memory request of the load/store/atomic pipeline: warp slot in the unit.
    pub l_req_warp: Signal<Out, Bits<4>>,
    /// Memory request of the load/store/atomic pipeline: sequence number of the instruction in its
    /// warp, modulo 256.
    pub l_req_seq: Signal<Out, Bits<8>>,
    /// Memory request of the load/store/atomic pipeline: byte enables of a write.
    pub l_req_mask: Signal<Out, Bits<4>>,
    /// Memory request of the load/store/atomic pipeline: destination register, the first of
    /// several.
    pub l_req_dst: Signal<Out, Bits<5>>,
    /// Memory request of the load/store/atomic pipeline: opcode, bits 7:0 of the instruction word.
    pub l_req_op: Signal<Out, Bits<8>>,
    /// Address of lane 0.
    pub l_req_addr0: Signal<Out, Bits<32>>,
    /// First data word of lane 0.
    pub l_req_w0_0: Signal<Out, Bits<32>>,
    /// Second data word of lane 0.
    pub l_req_w1_0: Signal<Out, Bits<32>>,
    // Completion beats of the pipeline.
    /// Memory response for the load/store/atomic pipeline: number of the warp unit.
    pub l_rsp_unit: Signal<In, Bits<3>>,
    /// Memory response for the load/store/atomic pipeline: the bundle holds one in this cycle.
    /// A beat of the pipeline's answer.
    pub l_rsp: BeatIn,
    // Completion beats for the warp units.
    /// Completion of a memory instruction: number of the warp unit.
    pub rsp_unit: Signal<Out, Bits<3>>,
    /// Completion of a memory instruction: the bundle holds one in this cycle.
    /// A beat of its answer.
    pub rsp: BeatOut,
    step: DFF<ScalarStep>,
    /// Instructions that the pipeline took from the warp units and has not completed: their beats
    /// come before those of the scalar unit's requests.
    ahead: DFF<Bits<5>>,
    unit: DFF<Bits<3>>,
    warp: DFF<Bits<4>>,
    seq: DFF<Bits<8>>,
    mask: DFF<Bits<4>>,
    dst: DFF<Bits<5>>,
    wide: DFF<bool>,
    operation: DFF<Bits<4>>,
    address: DFF<Bits<32>>,
    operand_lo: DFF<Bits<32>>,
    operand_hi: DFF<Bits<32>>,
    expect_lo: DFF<Bits<32>>,
    expect_hi: DFF<Bits<32>>,
    old_lo: DFF<Bits<32>>,
    old_hi: DFF<Bits<32>>,
    /// Second register of a 64-bit value.
    second: DFF<bool>,
    alu: AtomicAlu,
    warp_wide: Signal<Local, bool>,
    idle: Signal<Local, bool>,
    own: Signal<Local, bool>,
    passed: Signal<Local, bool>,
    completed: Signal<Local, bool>,
    lead_address: Signal<Local, Bits<32>>,
    lead_w0: Signal<Local, Bits<32>>,
    lead_w1: Signal<Local, Bits<32>>,
    lead_w2: Signal<Local, Bits<32>>,
    lead_w3: Signal<Local, Bits<32>>,
    result: Signal<Local, Bits<32>>,
    load_32: Parameter<8>,
    load_64: Parameter<8>,
    store_32: Parameter<8>,
    store_64: Parameter<8>,
    fault_wide_inactive: Planted,
    fault_wide_old_value: Planted,
    fault_scalar_wrong_warp: Planted,
    _active: bool,
}

impl ScalarUnit {
    /// The scalar unit of that configuration (only its planted fault matters here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            alu: AtomicAlu::new(config),
            load_32: Parameter::new(Op::Ld32 as u64),
            load_64: Parameter::new(Op::Ld64 as u64),
            store_32: Parameter::new(Op::St32 as u64),
            store_64: Parameter::new(Op::St64 as u64),
            fault_wide_inactive: Planted::new(config.has(Fault::WideInactive)),
            fault_wide_old_value: Planted::new(config.has(Fault::WideOldValue)),
            fault_scalar_wrong_warp: Planted::new(config.has(Fault::ScalarWrongWarp)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl ScalarUnit {
    /// The opcode says whether an operation is warp-wide.
    fn decode(&mut self) {
        comment!("module: scalar_unit");
        dff_setup!(
            self, clock, step, ahead, unit, warp, seq, mask, dst, wide, operation, address, operand_lo, operand_hi,
            expect_lo, expect_hi, old_lo, old_hi, second
        );
        // Opcode bits 7 and 6: warp-wide atomic; bit 5: 64 bit; bits 3:0: operation, 11 the lock
        // form.
        self.warp_wide.next = self.req.op.val().get_bit(7) && self.req.op.val().get_bit(6);
        self.idle.next = self.step.q.val() == ScalarStep::Idle;
        self.own.next = !self.idle.val() && !self.ahead.q.val().any();
    }

    /// The leader is the lowest active lane.
    fn leader(&mut self) {
        self.lead_address.next = self.req.addr[3].val();
        self.lead_w0.next = self.req.w0_[3].val();
        self.lead_w1.next = self.req.w1_[3].val();
        self.lead_w2.next = self.req.w2_[3].val();
        self.lead_w3.next = self.req.w3_[3].val();
        if self.req.mask.val().get_bit(2) {
            self.lead_address.next = self.req.addr[2].val();
            self.lead_w0.next = self.req.w0_[2].val();
            self.lead_w1.next = self.req.w1_[2].val();
            self.lead_w2.next = self.req.w2_[2].val();
            self.lead_w3.next = self.req.w3_[2].val();
        }
        if self.req.mask.val().get_bit(1) {
            self.lead_address.next = self.req.addr[1].val();
            self.lead_w0.next = self.req.w0_[1].val();
            self.lead_w1.next = self.req.w1_[1].val();
            self.lead_w2.next = self.req.w2_[1].val();
            self.lead_w3.next = self.req.w3_[1].val();
        }
        if self.req.mask.val().get_bit(0) {
            self.lead_address.next = self.req.addr[0].val();
            self.lead_w0.next = self.req.w0_[0].val();
            self.lead_w1.next = self.req.w1_[0].val();
            self.lead_w2.next = self.req.w2_[0].val();
            self.lead_w3.next = self.req.w3_[0].val();
        }
    }

    /// Requests pass through, or are the load and the store of the operation.
    fn requests(&mut self) {
        // Requests. Idle: taken here if warp-wide, else passed through.
        self.req.ready.next = self.idle.val() && (self.warp_wide.val() || self.l_req_ready.val());
        self.l_req_valid.next = self.idle.val() && self.req.valid.val() && !self.warp_wide.val();
        self.passed.next = self.idle.val() && self.req.valid.val() && !self.warp_wide.val() && self.l_req_ready.val();
        self.l_req_lock.next = false;
        self.l_req_unit.next = self.req_unit.val();
        self.l_req_warp.next = self.req.warp.val();
        self.l_req_seq.next = self.req.seq.val();
        self.l_req_mask.next = self.req.mask.val();
        self.l_req_dst.next = self.req.dst.val();
        self.l_req_op.next = self.req.op.val();
        self.l_req_addr0.next = self.req.addr[0].val();
        self.l_req_w0_0.next = self.req.w0_[0].val();
        self.l_req_w1_0.next = self.req.w1_[0].val();
        if !self.idle.val() {
            self.l_req_unit.next = self.unit.q.val();
            self.l_req_warp.next = self.warp.q.val();
            self.l_req_seq.next = self.seq.q.val();
            self.l_req_mask.next = bits::<4>(1);
            self.l_req_dst.next = bits::<5>(0);
            self.l_req_op.next = self.load_32.val();
            if self.wide.q.val() {
                self.l_req_op.next = self.load_64.val();
            }
            self.l_req_addr0.next = self.address.q.val();
            self.l_req_w0_0.next = self.alu.new_lo.val();
            self.l_req_w1_0.next = self.alu.new_hi.val();
        }
        if self.step.q.val() == ScalarStep::Load {
            self.l_req_valid.next = true;
            self.l_req_lock.next = true;
            if self.l_req_ready.val() {
                self.step.d.next = ScalarStep::Old;
            }
        }
        if self.step.q.val() == ScalarStep::Store {
            self.l_req_valid.next = true;
            self.l_req_op.next = self.store_32.val();
            if self.wide.q.val() {
                self.l_req_op.next = self.store_64.val();
            }
            if self.l_req_ready.val() {
                self.step.d.next = ScalarStep::Result;
            }
        }
    }

    /// A warp-wide operation is taken, and its operands go to the arithmetic.
    fn operation(&mut self) {
        if self.idle.val() && self.req.valid.val() && self.warp_wide.val() {
            self.step.d.next = ScalarStep::Load;
            self.unit.d.next = self.req_unit.val();
            self.warp.d.next = self.req.warp.val();
            self.seq.d.next = self.req.seq.val();
            self.mask.d.next = self.req.mask.val();
            self.dst.d.next = self.req.dst.val();
            self.wide.d.next = self.req.op.val().get_bit(5);
            self.operation.d.next = self.req.op.val().get_bits::<4>(0);
            self.address.d.next = self.lead_address.val();
            self.operand_lo.d.next = self.lead_w0.val();
            self.operand_hi.d.next = self.lead_w1.val();
            self.expect_lo.d.next = self.lead_w2.val();
            self.expect_hi.d.next = self.lead_w3.val();
        }
        self.alu.op.next = self.operation.q.val();
        self.alu.wide.next = self.wide.q.val();
        self.alu.old_lo.next = self.old_lo.q.val();
        self.alu.old_hi.next = self.old_hi.q.val();
        self.alu.arg_lo.next = self.operand_lo.q.val();
        self.alu.arg_hi.next = self.operand_hi.q.val();
        self.alu.expect_lo.next = self.expect_lo.q.val();
        self.alu.expect_hi.next = self.expect_hi.q.val();
    }

    /// Beats of instructions that are ahead pass, and the result is chosen.
    fn beats(&mut self) {
        // Completion beats: those of instructions that are ahead pass; then the old value comes,
        // and the store's completion goes on with the result.
        self.rsp_unit.next = self.l_rsp_unit.val();
        BeatIn::join(&mut self.l_rsp, &mut self.rsp);
        self.completed.next =
            !self.own.val() && self.l_rsp.valid.val() && self.l_rsp.last.val() && self.rsp.ready.val();
        self.result.next = self.alu.result_lo.val();
        if self.second.q.val() {
            self.result.next = self.old_hi.q.val();
        }
        if self.fault_wide_old_value.val() && (self.operation.q.val() != bits::<4>(11)) {
            self.result.next = self.alu.new_lo.val();
            if self.second.q.val() {
                self.result.next = self.alu.new_hi.val();
            }
        }
    }

    /// The pipeline's own beats bring the old value, and then become the result.
    fn own_beats(&mut self) {
        if self.own.val() {
            self.rsp.valid.next = false;
            self.l_rsp.ready.next = true;
            self.rsp_unit.next = self.unit.q.val();
            self.rsp.warp.next = self.warp.q.val();
            if self.fault_scalar_wrong_warp.val() {
                self.rsp.warp.next = self.warp.q.val() ^ bits::<4>(1);
            }
            self.rsp.seq.next = self.seq.q.val();
            self.rsp.mask.next = self.mask.q.val();
            if self.fault_wide_inactive.val() {
                self.rsp.mask.next = bits::<4>(15);
            }
            self.rsp.dst.next = self.dst.q.val();
            self.rsp.wen.next = true;
            self.rsp.last.next = !self.wide.q.val() || self.second.q.val();
            for i in 0..4 {
                self.rsp.value[i].next = self.result.val();
            }
            if self.second.q.val() {
                self.rsp.dst.next = self.dst.q.val() + bits::<5>(1);
            }
            if (self.step.q.val() == ScalarStep::Old) && self.l_rsp.valid.val() {
                self.second.d.next = !self.l_rsp.last.val();
                if self.second.q.val() {
                    self.old_hi.d.next = self.l_rsp.value[0].val();
                } else {
                    self.old_lo.d.next = self.l_rsp.value[0].val();
                }
                if self.l_rsp.last.val() {
                    self.step.d.next = ScalarStep::Store;
                }
            }
            if self.step.q.val() == ScalarStep::Result {
                // The store's completion stays at the pipeline's output until the last register is
                // taken.
                self.rsp.valid.next = self.l_rsp.valid.val();
                self.l_rsp.ready.next = self.rsp.ready.val() && (!self.wide.q.val() || self.second.q.val());
                if self.l_rsp.valid.val() && self.rsp.ready.val() {
                    self.second.d.next = self.wide.q.val() && !self.second.q.val();
                    if !self.wide.q.val() || self.second.q.val() {
                        self.step.d.next = ScalarStep::Idle;
                    }
                }
            }
        }
    }

    /// Instructions that the pipeline has not completed are counted.
    fn ahead(&mut self) {
        if self.passed.val() && !self.completed.val() {
            self.ahead.d.next = self.ahead.q.val() + bits::<5>(1);
        }
        if !self.passed.val() && self.completed.val() {
            self.ahead.d.next = self.ahead.q.val() - bits::<5>(1);
        }
    }
}
