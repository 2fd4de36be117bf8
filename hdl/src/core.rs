//! One core: warp units, the load/store/atomic pipeline that they share, and the arbiter between them. It is wiring only; units and
//! pipeline are described in their own files. The core knows its place in the machine from two ports, so that all cores are one module.
//! It can be wrong in a swapped or forgotten connection, which lockstep and the cross-check of the exported Verilog find.
//!
//! Element *i* of a port vector belongs to the core's unit *i*, whose global number is `first_unit` + i. The pipeline's requests carry the unit's number in the core.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::wiring::Wiring;
use crate::config::{GpuConfig, WarpWide};
use crate::memory::{Lsa, ResponseQueue, ScalarUnit, UnitArbiter};
use crate::warp::WarpUnit;
use crate::{comment, wired};

/// The core.
#[derive(QuietBlock)]
pub struct Core {
    pub clock: Signal<In, Clock>,
    /// Global number of the core's first unit, and the warp slots of the machine's units before it. Ports, so that all cores are one module.
    pub first_unit: Signal<In, Bits<6>>,
    /// Warp slots of the machine's units before the core's first one.
    pub first_slot: Signal<In, Bits<11>>,

    // Constant bank writes.
    pub cw_valid: Signal<In, bool>,
    pub cw_addr: Signal<In, Bits<10>>,
    pub cw_data: Signal<In, Bits<32>>,
    /// Byte address of instruction 0.
    pub code_base: Signal<In, Bits<32>>,
    /// Instructions of the program.
    pub code_length: Signal<In, Bits<32>>,
    /// One cycle: a new run begins.
    pub start: Signal<In, bool>,
    /// Launch into unit i; the other `l_*` are common to all.
    pub l_valid: Vec<Signal<In, bool>>,
    pub l_warp: Signal<In, Bits<4>>,
    pub l_mask: Signal<In, Bits<4>>,
    /// Program counter at which the lanes start.
    pub l_pc: Signal<In, Bits<16>>,
    /// Acknowledgements that will come for acquires made on the thread's behalf.
    pub l_wait: Signal<In, Bits<4>>,
    pub l_group_x: Signal<In, Bits<32>>,
    pub l_group_y: Signal<In, Bits<32>>,
    pub l_group_z: Signal<In, Bits<32>>,
    /// First warp slot of the work group, and its warps.
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
    /// Bit s of element i: warp slot s of unit i can be launched.
    pub slot_free: Vec<Signal<Out, Bits<16>>>,
    /// Instruction fetch of unit i, its line address, and its response (data is `m_rsp_data*`).
    pub f_req_valid: Vec<Signal<Out, bool>>,
    pub f_req_ready: Vec<Signal<In, bool>>,
    pub f_req_addr: Vec<Signal<Out, Bits<32>>>,
    pub f_rsp_valid: Vec<Signal<In, bool>>,

    // Memory port of the load/store/atomic pipeline.
    pub m_req_valid: Signal<Out, bool>,
    pub m_req_ready: Signal<In, bool>,
    pub m_req_addr: Signal<Out, Bits<32>>,
    pub m_req_write: Signal<Out, bool>,
    /// This read begins an atomic; see [`Lsa`].
    pub m_req_lock: Signal<Out, bool>,
    pub m_req_mask: Signal<Out, Bits<16>>,
    pub m_req_data0: Signal<Out, Bits<32>>,
    pub m_req_data1: Signal<Out, Bits<32>>,
    pub m_req_data2: Signal<Out, Bits<32>>,
    pub m_req_data3: Signal<Out, Bits<32>>,
    pub m_rsp_valid: Signal<In, bool>,
    pub m_rsp_ready: Signal<Out, bool>,
    pub m_rsp_data0: Signal<In, Bits<32>>,
    pub m_rsp_data1: Signal<In, Bits<32>>,
    pub m_rsp_data2: Signal<In, Bits<32>>,
    pub m_rsp_data3: Signal<In, Bits<32>>,

    // Messages of unit i to the semaphore entity, and acknowledgements for it; always taken. See [`WarpUnit`].
    /// A message is offered.
    pub sm_valid: Vec<Signal<Out, bool>>,
    /// It is taken in this cycle if valid.
    pub sm_ready: Vec<Signal<In, bool>>,
    /// 0 acquire, 1 acquire with auto-release, 3 release.
    pub sm_kind: Vec<Signal<Out, Bits<2>>>,
    /// Warp slot that sends it.
    pub sm_warp: Vec<Signal<Out, Bits<4>>>,
    /// Semaphore.
    pub sm_sem: Vec<Signal<Out, Bits<16>>>,
    /// An acknowledgement for a warp of unit i.
    pub ack_valid: Vec<Signal<In, bool>>,
    /// The warp's slot, common to all units.
    pub ack_warp: Signal<In, Bits<4>>,

    // An instruction of unit i trapped.
    pub trap_valid: Vec<Signal<Out, bool>>,
    pub trap_warp: Vec<Signal<Out, Bits<4>>>,
    pub trap_pc: Vec<Signal<Out, Bits<16>>>,

    // Event ports per unit, as of the warp unit.
    pub ret_valid: Vec<Signal<Out, bool>>,
    pub ret_warp: Vec<Signal<Out, Bits<4>>>,
    pub ret_seq: Vec<Signal<Out, Bits<8>>>,
    pub ret_mask: Vec<Signal<Out, Bits<4>>>,
    pub ret_pc: Vec<Signal<Out, Bits<16>>>,
    pub ret_lo: Vec<Signal<Out, Bits<32>>>,
    pub ret_hi: Vec<Signal<Out, Bits<32>>>,
    pub ret_trap: Vec<Signal<Out, bool>>,
    pub ret_mem: Vec<Signal<Out, bool>>,
    pub ret_wen: Vec<Signal<Out, bool>>,
    pub ret_dst: Vec<Signal<Out, Bits<5>>>,
    pub ret_value0: Vec<Signal<Out, Bits<32>>>,
    pub ret_value1: Vec<Signal<Out, Bits<32>>>,
    pub ret_value2: Vec<Signal<Out, Bits<32>>>,
    pub ret_value3: Vec<Signal<Out, Bits<32>>>,
    pub ret_next0: Vec<Signal<Out, Bits<16>>>,
    pub ret_next1: Vec<Signal<Out, Bits<16>>>,
    pub ret_next2: Vec<Signal<Out, Bits<16>>>,
    pub ret_next3: Vec<Signal<Out, Bits<16>>>,
    pub mret_valid: Vec<Signal<Out, bool>>,
    pub mret_shared: Vec<Signal<Out, bool>>,
    pub mret_function: Vec<Signal<Out, bool>>,
    pub mret_warp: Vec<Signal<Out, Bits<4>>>,
    pub mret_seq: Vec<Signal<Out, Bits<8>>>,
    pub mret_mask: Vec<Signal<Out, Bits<4>>>,
    pub mret_wen: Vec<Signal<Out, bool>>,
    pub mret_dst: Vec<Signal<Out, Bits<5>>>,
    pub mret_last: Vec<Signal<Out, bool>>,
    pub mret_value0: Vec<Signal<Out, Bits<32>>>,
    pub mret_value1: Vec<Signal<Out, Bits<32>>>,
    pub mret_value2: Vec<Signal<Out, Bits<32>>>,
    pub mret_value3: Vec<Signal<Out, Bits<32>>>,
    pub shw_valid: Vec<Signal<Out, bool>>,
    pub shw_addr: Vec<Signal<Out, Bits<16>>>,
    pub shw_mask: Vec<Signal<Out, Bits<16>>>,
    pub shw_data0: Vec<Signal<Out, Bits<32>>>,
    pub shw_data1: Vec<Signal<Out, Bits<32>>>,
    pub shw_data2: Vec<Signal<Out, Bits<32>>>,
    pub shw_data3: Vec<Signal<Out, Bits<32>>>,
    /// Event: unit i used its issue slot.
    pub issue_valid: Vec<Signal<Out, bool>>,
    /// Event: why unit i left its issue slot empty; bits as of the warp unit.
    pub stall: Vec<Signal<Out, Bits<5>>>,
    /// Event: warp slots of unit i that wait for a semaphore now.
    pub waiting: Vec<Signal<Out, Bits<16>>>,
    units: Vec<WarpUnit>,
    unit_arbiter: UnitArbiter,
    /// One if warp-wide atomics are executed by a scalar unit (WW-32), else none.
    scalar: Vec<ScalarUnit>,
    lsa: Lsa,
    responses: ResponseQueue,
    /// Units of the core before unit i, and their warp slots.
    units_before: Vec<Constant<Bits<6>>>,
    slots_before: Vec<Constant<Bits<11>>>,
    _units: usize,
    _scalars: usize,
    _active: bool,
}

fn signals<D: Direction, T: Synth>(n: usize) -> Vec<Signal<D, T>> {
    (0..n).map(|_| Signal::default()).collect()
}

wired!(Core);

impl Core {
    /// A core of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let n = config.units;
        let scalars = usize::from(config.warp_wide == WarpWide::Scalar);
        Self {
            clock: Signal::default(),
            first_unit: Signal::default(),
            first_slot: Signal::default(),
            cw_valid: Signal::default(),
            cw_addr: Signal::default(),
            cw_data: Signal::default(),
            code_base: Signal::default(),
            code_length: Signal::default(),
            start: Signal::default(),
            l_valid: signals(n),
            l_warp: Signal::default(),
            l_mask: Signal::default(),
            l_pc: Signal::default(),
            l_wait: Signal::default(),
            l_group_x: Signal::default(),
            l_group_y: Signal::default(),
            l_group_z: Signal::default(),
            l_first: Signal::default(),
            l_warps: Signal::default(),
            l_shared_base: Signal::default(),
            l_local_id0: Signal::default(),
            l_local_id1: Signal::default(),
            l_local_id2: Signal::default(),
            l_local_id3: Signal::default(),
            l_index0: Signal::default(),
            l_index1: Signal::default(),
            l_index2: Signal::default(),
            l_index3: Signal::default(),
            slot_free: signals(n),
            f_req_valid: signals(n),
            f_req_ready: signals(n),
            f_req_addr: signals(n),
            f_rsp_valid: signals(n),
            m_req_valid: Signal::default(),
            m_req_ready: Signal::default(),
            m_req_addr: Signal::default(),
            m_req_write: Signal::default(),
            m_req_lock: Signal::default(),
            m_req_mask: Signal::default(),
            m_req_data0: Signal::default(),
            m_req_data1: Signal::default(),
            m_req_data2: Signal::default(),
            m_req_data3: Signal::default(),
            m_rsp_valid: Signal::default(),
            m_rsp_ready: Signal::default(),
            m_rsp_data0: Signal::default(),
            m_rsp_data1: Signal::default(),
            m_rsp_data2: Signal::default(),
            m_rsp_data3: Signal::default(),
            sm_valid: signals(n),
            sm_ready: signals(n),
            sm_kind: signals(n),
            sm_warp: signals(n),
            sm_sem: signals(n),
            ack_valid: signals(n),
            ack_warp: Signal::default(),
            trap_valid: signals(n),
            trap_warp: signals(n),
            trap_pc: signals(n),
            ret_valid: signals(n),
            ret_warp: signals(n),
            ret_seq: signals(n),
            ret_mask: signals(n),
            ret_pc: signals(n),
            ret_lo: signals(n),
            ret_hi: signals(n),
            ret_trap: signals(n),
            ret_mem: signals(n),
            ret_wen: signals(n),
            ret_dst: signals(n),
            ret_value0: signals(n),
            ret_value1: signals(n),
            ret_value2: signals(n),
            ret_value3: signals(n),
            ret_next0: signals(n),
            ret_next1: signals(n),
            ret_next2: signals(n),
            ret_next3: signals(n),
            mret_valid: signals(n),
            mret_shared: signals(n),
            mret_function: signals(n),
            mret_warp: signals(n),
            mret_seq: signals(n),
            mret_mask: signals(n),
            mret_wen: signals(n),
            mret_dst: signals(n),
            mret_last: signals(n),
            mret_value0: signals(n),
            mret_value1: signals(n),
            mret_value2: signals(n),
            mret_value3: signals(n),
            shw_valid: signals(n),
            shw_addr: signals(n),
            shw_mask: signals(n),
            shw_data0: signals(n),
            shw_data1: signals(n),
            shw_data2: signals(n),
            shw_data3: signals(n),
            issue_valid: signals(n),
            stall: signals(n),
            waiting: signals(n),
            units: (0..n).map(|_| WarpUnit::new(config)).collect(),
            unit_arbiter: UnitArbiter::new(config),
            scalar: (0..scalars).map(|_| ScalarUnit::new(config)).collect(),
            lsa: Lsa::new(config),
            responses: ResponseQueue::new(),
            units_before: (0..n).map(|unit| Constant::new(bits(unit as u64))).collect(),
            slots_before: (0..n).map(|unit| Constant::new(bits((unit * config.warps) as u64))).collect(),
            _units: n,
            _scalars: scalars,
            _active: true,
        }
    }
}

impl Wiring for Core {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: core");
        clock!(self, clock, unit_arbiter, lsa, responses);

        // The request of the granted unit goes to the pipeline, the completion to its unit.
        self.unit_arbiter.ready.next = self.lsa.req_ready.val();
        self.lsa.req_valid.next = false;
        self.lsa.req_unit.next = self.unit_arbiter.grant.val();
        self.lsa.req_warp.next = self.units[0].greq_warp.val();
        self.lsa.req_seq.next = self.units[0].greq_seq.val();
        self.lsa.req_mask.next = self.units[0].greq_mask.val();
        self.lsa.req_dst.next = self.units[0].greq_dst.val();
        self.lsa.req_op.next = self.units[0].greq_op.val();
        self.lsa.req_lock.next = false;
        self.lsa.req_addr0.next = self.units[0].greq_addr0.val();
        self.lsa.req_addr1.next = self.units[0].greq_addr1.val();
        self.lsa.req_addr2.next = self.units[0].greq_addr2.val();
        self.lsa.req_addr3.next = self.units[0].greq_addr3.val();
        self.lsa.req_w0_0.next = self.units[0].greq_w0_0.val();
        self.lsa.req_w0_1.next = self.units[0].greq_w0_1.val();
        self.lsa.req_w0_2.next = self.units[0].greq_w0_2.val();
        self.lsa.req_w0_3.next = self.units[0].greq_w0_3.val();
        self.lsa.req_w1_0.next = self.units[0].greq_w1_0.val();
        self.lsa.req_w1_1.next = self.units[0].greq_w1_1.val();
        self.lsa.req_w1_2.next = self.units[0].greq_w1_2.val();
        self.lsa.req_w1_3.next = self.units[0].greq_w1_3.val();
        self.lsa.req_w2_0.next = self.units[0].greq_w2_0.val();
        self.lsa.req_w2_1.next = self.units[0].greq_w2_1.val();
        self.lsa.req_w2_2.next = self.units[0].greq_w2_2.val();
        self.lsa.req_w2_3.next = self.units[0].greq_w2_3.val();
        self.lsa.req_w3_0.next = self.units[0].greq_w3_0.val();
        self.lsa.req_w3_1.next = self.units[0].greq_w3_1.val();
        self.lsa.req_w3_2.next = self.units[0].greq_w3_2.val();
        self.lsa.req_w3_3.next = self.units[0].greq_w3_3.val();
        self.lsa.rsp_ready.next = false;
        for i in 0..self._units {
            self.units[i].clock.next = self.clock.val();
            self.units[i].unit.next = self.first_unit.val() + self.units_before[i].val();
            self.units[i].first_slot.next = self.first_slot.val() + self.slots_before[i].val();
            self.units[i].cw_valid.next = self.cw_valid.val();
            self.units[i].cw_addr.next = self.cw_addr.val();
            self.units[i].cw_data.next = self.cw_data.val();
            self.units[i].code_base.next = self.code_base.val();
            self.units[i].code_length.next = self.code_length.val();
            self.units[i].start.next = self.start.val();
            self.units[i].l_valid.next = self.l_valid[i].val();
            self.units[i].l_warp.next = self.l_warp.val();
            self.units[i].l_mask.next = self.l_mask.val();
            self.units[i].l_pc.next = self.l_pc.val();
            self.units[i].l_wait.next = self.l_wait.val();
            self.units[i].l_group_x.next = self.l_group_x.val();
            self.units[i].l_group_y.next = self.l_group_y.val();
            self.units[i].l_group_z.next = self.l_group_z.val();
            self.units[i].l_first.next = self.l_first.val();
            self.units[i].l_warps.next = self.l_warps.val();
            self.units[i].l_shared_base.next = self.l_shared_base.val();
            self.units[i].l_local_id0.next = self.l_local_id0.val();
            self.units[i].l_local_id1.next = self.l_local_id1.val();
            self.units[i].l_local_id2.next = self.l_local_id2.val();
            self.units[i].l_local_id3.next = self.l_local_id3.val();
            self.units[i].l_index0.next = self.l_index0.val();
            self.units[i].l_index1.next = self.l_index1.val();
            self.units[i].l_index2.next = self.l_index2.val();
            self.units[i].l_index3.next = self.l_index3.val();
            self.slot_free[i].next = self.units[i].slot_free.val();

            self.f_req_valid[i].next = self.units[i].f_req_valid.val();
            self.f_req_addr[i].next = self.units[i].f_req_addr.val();
            self.units[i].f_req_ready.next = self.f_req_ready[i].val();
            self.units[i].f_rsp_valid.next = self.f_rsp_valid[i].val();
            self.units[i].f_rsp_data0.next = self.m_rsp_data0.val();
            self.units[i].f_rsp_data1.next = self.m_rsp_data1.val();
            self.units[i].f_rsp_data2.next = self.m_rsp_data2.val();
            self.units[i].f_rsp_data3.next = self.m_rsp_data3.val();

            self.unit_arbiter.request[i].next = self.units[i].greq_valid.val();
            self.units[i].greq_ready.next = false;
            if self.unit_arbiter.grant.val() == i.to_bits::<3>() {
                self.lsa.req_valid.next = self.units[i].greq_valid.val();
                self.units[i].greq_ready.next = self.lsa.req_ready.val();
                self.lsa.req_warp.next = self.units[i].greq_warp.val();
                self.lsa.req_seq.next = self.units[i].greq_seq.val();
                self.lsa.req_mask.next = self.units[i].greq_mask.val();
                self.lsa.req_dst.next = self.units[i].greq_dst.val();
                self.lsa.req_op.next = self.units[i].greq_op.val();
                self.lsa.req_addr0.next = self.units[i].greq_addr0.val();
                self.lsa.req_addr1.next = self.units[i].greq_addr1.val();
                self.lsa.req_addr2.next = self.units[i].greq_addr2.val();
                self.lsa.req_addr3.next = self.units[i].greq_addr3.val();
                self.lsa.req_w0_0.next = self.units[i].greq_w0_0.val();
                self.lsa.req_w0_1.next = self.units[i].greq_w0_1.val();
                self.lsa.req_w0_2.next = self.units[i].greq_w0_2.val();
                self.lsa.req_w0_3.next = self.units[i].greq_w0_3.val();
                self.lsa.req_w1_0.next = self.units[i].greq_w1_0.val();
                self.lsa.req_w1_1.next = self.units[i].greq_w1_1.val();
                self.lsa.req_w1_2.next = self.units[i].greq_w1_2.val();
                self.lsa.req_w1_3.next = self.units[i].greq_w1_3.val();
                self.lsa.req_w2_0.next = self.units[i].greq_w2_0.val();
                self.lsa.req_w2_1.next = self.units[i].greq_w2_1.val();
                self.lsa.req_w2_2.next = self.units[i].greq_w2_2.val();
                self.lsa.req_w2_3.next = self.units[i].greq_w2_3.val();
                self.lsa.req_w3_0.next = self.units[i].greq_w3_0.val();
                self.lsa.req_w3_1.next = self.units[i].greq_w3_1.val();
                self.lsa.req_w3_2.next = self.units[i].greq_w3_2.val();
                self.lsa.req_w3_3.next = self.units[i].greq_w3_3.val();
            }
            self.units[i].grsp_valid.next = false;
            if self.lsa.rsp_unit.val() == i.to_bits::<3>() {
                self.units[i].grsp_valid.next = self.lsa.rsp_valid.val();
                self.lsa.rsp_ready.next = self.units[i].grsp_ready.val();
            }
            self.units[i].grsp_warp.next = self.lsa.rsp_warp.val();
            self.units[i].grsp_seq.next = self.lsa.rsp_seq.val();
            self.units[i].grsp_mask.next = self.lsa.rsp_mask.val();
            self.units[i].grsp_dst.next = self.lsa.rsp_dst.val();
            self.units[i].grsp_wen.next = self.lsa.rsp_wen.val();
            self.units[i].grsp_last.next = self.lsa.rsp_last.val();
            self.units[i].grsp_value0.next = self.lsa.rsp_value0.val();
            self.units[i].grsp_value1.next = self.lsa.rsp_value1.val();
            self.units[i].grsp_value2.next = self.lsa.rsp_value2.val();
            self.units[i].grsp_value3.next = self.lsa.rsp_value3.val();

            self.sm_valid[i].next = self.units[i].sm_valid.val();
            self.sm_kind[i].next = self.units[i].sm_kind.val();
            self.sm_warp[i].next = self.units[i].sm_warp.val();
            self.sm_sem[i].next = self.units[i].sm_sem.val();
            self.units[i].sm_ready.next = self.sm_ready[i].val();
            self.units[i].ack_valid.next = self.ack_valid[i].val();
            self.units[i].ack_warp.next = self.ack_warp.val();

            self.trap_valid[i].next = self.units[i].trap_valid.val();
            self.trap_warp[i].next = self.units[i].trap_warp.val();
            self.trap_pc[i].next = self.units[i].trap_pc.val();
            self.ret_valid[i].next = self.units[i].ret_valid.val();
            self.ret_warp[i].next = self.units[i].ret_warp.val();
            self.ret_seq[i].next = self.units[i].ret_seq.val();
            self.ret_mask[i].next = self.units[i].ret_mask.val();
            self.ret_pc[i].next = self.units[i].ret_pc.val();
            self.ret_lo[i].next = self.units[i].ret_lo.val();
            self.ret_hi[i].next = self.units[i].ret_hi.val();
            self.ret_trap[i].next = self.units[i].ret_trap.val();
            self.ret_mem[i].next = self.units[i].ret_mem.val();
            self.ret_wen[i].next = self.units[i].ret_wen.val();
            self.ret_dst[i].next = self.units[i].ret_dst.val();
            self.ret_value0[i].next = self.units[i].ret_value0.val();
            self.ret_value1[i].next = self.units[i].ret_value1.val();
            self.ret_value2[i].next = self.units[i].ret_value2.val();
            self.ret_value3[i].next = self.units[i].ret_value3.val();
            self.ret_next0[i].next = self.units[i].ret_next0.val();
            self.ret_next1[i].next = self.units[i].ret_next1.val();
            self.ret_next2[i].next = self.units[i].ret_next2.val();
            self.ret_next3[i].next = self.units[i].ret_next3.val();
            self.mret_valid[i].next = self.units[i].mret_valid.val();
            self.mret_shared[i].next = self.units[i].mret_shared.val();
            self.mret_function[i].next = self.units[i].mret_function.val();
            self.mret_warp[i].next = self.units[i].mret_warp.val();
            self.mret_seq[i].next = self.units[i].mret_seq.val();
            self.mret_mask[i].next = self.units[i].mret_mask.val();
            self.mret_wen[i].next = self.units[i].mret_wen.val();
            self.mret_dst[i].next = self.units[i].mret_dst.val();
            self.mret_last[i].next = self.units[i].mret_last.val();
            self.mret_value0[i].next = self.units[i].mret_value0.val();
            self.mret_value1[i].next = self.units[i].mret_value1.val();
            self.mret_value2[i].next = self.units[i].mret_value2.val();
            self.mret_value3[i].next = self.units[i].mret_value3.val();
            self.shw_valid[i].next = self.units[i].shw_valid.val();
            self.shw_addr[i].next = self.units[i].shw_addr.val();
            self.shw_mask[i].next = self.units[i].shw_mask.val();
            self.shw_data0[i].next = self.units[i].shw_data0.val();
            self.shw_data1[i].next = self.units[i].shw_data1.val();
            self.shw_data2[i].next = self.units[i].shw_data2.val();
            self.shw_data3[i].next = self.units[i].shw_data3.val();
            self.issue_valid[i].next = self.units[i].issue_valid.val();
            self.stall[i].next = self.units[i].stall.val();
            self.waiting[i].next = self.units[i].waiting.val();
        }

        // The scalar execution unit, between arbiter and pipeline: it takes warp-wide atomics and passes everything else.
        for k in 0..self._scalars {
            self.scalar[k].clock.next = self.clock.val();
            self.scalar[k].req_valid.next = false;
            self.scalar[k].req_unit.next = self.unit_arbiter.grant.val();
            self.scalar[k].req_warp.next = self.units[0].greq_warp.val();
            self.scalar[k].req_seq.next = self.units[0].greq_seq.val();
            self.scalar[k].req_mask.next = self.units[0].greq_mask.val();
            self.scalar[k].req_dst.next = self.units[0].greq_dst.val();
            self.scalar[k].req_op.next = self.units[0].greq_op.val();
            self.scalar[k].req_addr0.next = self.units[0].greq_addr0.val();
            self.scalar[k].req_addr1.next = self.units[0].greq_addr1.val();
            self.scalar[k].req_addr2.next = self.units[0].greq_addr2.val();
            self.scalar[k].req_addr3.next = self.units[0].greq_addr3.val();
            self.scalar[k].req_w0_0.next = self.units[0].greq_w0_0.val();
            self.scalar[k].req_w0_1.next = self.units[0].greq_w0_1.val();
            self.scalar[k].req_w0_2.next = self.units[0].greq_w0_2.val();
            self.scalar[k].req_w0_3.next = self.units[0].greq_w0_3.val();
            self.scalar[k].req_w1_0.next = self.units[0].greq_w1_0.val();
            self.scalar[k].req_w1_1.next = self.units[0].greq_w1_1.val();
            self.scalar[k].req_w1_2.next = self.units[0].greq_w1_2.val();
            self.scalar[k].req_w1_3.next = self.units[0].greq_w1_3.val();
            self.scalar[k].req_w2_0.next = self.units[0].greq_w2_0.val();
            self.scalar[k].req_w2_1.next = self.units[0].greq_w2_1.val();
            self.scalar[k].req_w2_2.next = self.units[0].greq_w2_2.val();
            self.scalar[k].req_w2_3.next = self.units[0].greq_w2_3.val();
            self.scalar[k].req_w3_0.next = self.units[0].greq_w3_0.val();
            self.scalar[k].req_w3_1.next = self.units[0].greq_w3_1.val();
            self.scalar[k].req_w3_2.next = self.units[0].greq_w3_2.val();
            self.scalar[k].req_w3_3.next = self.units[0].greq_w3_3.val();
            self.scalar[k].rsp_ready.next = false;
            self.unit_arbiter.ready.next = self.scalar[k].req_ready.val();
            for i in 0..self._units {
                self.units[i].greq_ready.next = false;
                if self.unit_arbiter.grant.val() == i.to_bits::<3>() {
                    self.scalar[k].req_valid.next = self.units[i].greq_valid.val();
                    self.units[i].greq_ready.next = self.scalar[k].req_ready.val();
                    self.scalar[k].req_warp.next = self.units[i].greq_warp.val();
                    self.scalar[k].req_seq.next = self.units[i].greq_seq.val();
                    self.scalar[k].req_mask.next = self.units[i].greq_mask.val();
                    self.scalar[k].req_dst.next = self.units[i].greq_dst.val();
                    self.scalar[k].req_op.next = self.units[i].greq_op.val();
                    self.scalar[k].req_addr0.next = self.units[i].greq_addr0.val();
                    self.scalar[k].req_addr1.next = self.units[i].greq_addr1.val();
                    self.scalar[k].req_addr2.next = self.units[i].greq_addr2.val();
                    self.scalar[k].req_addr3.next = self.units[i].greq_addr3.val();
                    self.scalar[k].req_w0_0.next = self.units[i].greq_w0_0.val();
                    self.scalar[k].req_w0_1.next = self.units[i].greq_w0_1.val();
                    self.scalar[k].req_w0_2.next = self.units[i].greq_w0_2.val();
                    self.scalar[k].req_w0_3.next = self.units[i].greq_w0_3.val();
                    self.scalar[k].req_w1_0.next = self.units[i].greq_w1_0.val();
                    self.scalar[k].req_w1_1.next = self.units[i].greq_w1_1.val();
                    self.scalar[k].req_w1_2.next = self.units[i].greq_w1_2.val();
                    self.scalar[k].req_w1_3.next = self.units[i].greq_w1_3.val();
                    self.scalar[k].req_w2_0.next = self.units[i].greq_w2_0.val();
                    self.scalar[k].req_w2_1.next = self.units[i].greq_w2_1.val();
                    self.scalar[k].req_w2_2.next = self.units[i].greq_w2_2.val();
                    self.scalar[k].req_w2_3.next = self.units[i].greq_w2_3.val();
                    self.scalar[k].req_w3_0.next = self.units[i].greq_w3_0.val();
                    self.scalar[k].req_w3_1.next = self.units[i].greq_w3_1.val();
                    self.scalar[k].req_w3_2.next = self.units[i].greq_w3_2.val();
                    self.scalar[k].req_w3_3.next = self.units[i].greq_w3_3.val();
                }
                self.units[i].grsp_valid.next = false;
                if self.scalar[k].rsp_unit.val() == i.to_bits::<3>() {
                    self.units[i].grsp_valid.next = self.scalar[k].rsp_valid.val();
                    self.scalar[k].rsp_ready.next = self.units[i].grsp_ready.val();
                }
                self.units[i].grsp_warp.next = self.scalar[k].rsp_warp.val();
                self.units[i].grsp_seq.next = self.scalar[k].rsp_seq.val();
                self.units[i].grsp_mask.next = self.scalar[k].rsp_mask.val();
                self.units[i].grsp_dst.next = self.scalar[k].rsp_dst.val();
                self.units[i].grsp_wen.next = self.scalar[k].rsp_wen.val();
                self.units[i].grsp_last.next = self.scalar[k].rsp_last.val();
                self.units[i].grsp_value0.next = self.scalar[k].rsp_value0.val();
                self.units[i].grsp_value1.next = self.scalar[k].rsp_value1.val();
                self.units[i].grsp_value2.next = self.scalar[k].rsp_value2.val();
                self.units[i].grsp_value3.next = self.scalar[k].rsp_value3.val();
            }
            // Addresses and data of the other lanes, and the further words, are those of the granted unit.
            self.lsa.req_valid.next = self.scalar[k].l_req_valid.val();
            self.scalar[k].l_req_ready.next = self.lsa.req_ready.val();
            self.lsa.req_lock.next = self.scalar[k].l_req_lock.val();
            self.lsa.req_unit.next = self.scalar[k].l_req_unit.val();
            self.lsa.req_warp.next = self.scalar[k].l_req_warp.val();
            self.lsa.req_seq.next = self.scalar[k].l_req_seq.val();
            self.lsa.req_mask.next = self.scalar[k].l_req_mask.val();
            self.lsa.req_dst.next = self.scalar[k].l_req_dst.val();
            self.lsa.req_op.next = self.scalar[k].l_req_op.val();
            self.lsa.req_addr0.next = self.scalar[k].l_req_addr0.val();
            self.lsa.req_w0_0.next = self.scalar[k].l_req_w0_0.val();
            self.lsa.req_w1_0.next = self.scalar[k].l_req_w1_0.val();
            self.scalar[k].l_rsp_valid.next = self.lsa.rsp_valid.val();
            self.scalar[k].l_rsp_unit.next = self.lsa.rsp_unit.val();
            self.scalar[k].l_rsp_warp.next = self.lsa.rsp_warp.val();
            self.scalar[k].l_rsp_seq.next = self.lsa.rsp_seq.val();
            self.scalar[k].l_rsp_mask.next = self.lsa.rsp_mask.val();
            self.scalar[k].l_rsp_dst.next = self.lsa.rsp_dst.val();
            self.scalar[k].l_rsp_wen.next = self.lsa.rsp_wen.val();
            self.scalar[k].l_rsp_last.next = self.lsa.rsp_last.val();
            self.scalar[k].l_rsp_value0.next = self.lsa.rsp_value0.val();
            self.scalar[k].l_rsp_value1.next = self.lsa.rsp_value1.val();
            self.scalar[k].l_rsp_value2.next = self.lsa.rsp_value2.val();
            self.scalar[k].l_rsp_value3.next = self.lsa.rsp_value3.val();
            self.lsa.rsp_ready.next = self.scalar[k].l_rsp_ready.val();
        }

        // Memory port.
        self.responses.req_valid.next = self.lsa.m_req_valid.val();
        self.lsa.m_req_ready.next = self.responses.req_ready.val();
        self.m_req_valid.next = self.responses.m_req_valid.val();
        self.responses.m_req_ready.next = self.m_req_ready.val();
        self.m_req_addr.next = self.lsa.m_req_addr.val();
        self.m_req_write.next = self.lsa.m_req_write.val();
        self.m_req_lock.next = self.lsa.m_req_lock.val();
        self.m_req_mask.next = self.lsa.m_req_mask.val();
        self.m_req_data0.next = self.lsa.m_req_data0.val();
        self.m_req_data1.next = self.lsa.m_req_data1.val();
        self.m_req_data2.next = self.lsa.m_req_data2.val();
        self.m_req_data3.next = self.lsa.m_req_data3.val();
        self.responses.m_rsp_valid.next = self.m_rsp_valid.val();
        self.m_rsp_ready.next = true;
        self.responses.m_rsp_data0.next = self.m_rsp_data0.val();
        self.responses.m_rsp_data1.next = self.m_rsp_data1.val();
        self.responses.m_rsp_data2.next = self.m_rsp_data2.val();
        self.responses.m_rsp_data3.next = self.m_rsp_data3.val();
        self.lsa.m_rsp_valid.next = self.responses.rsp_valid.val();
        self.responses.rsp_ready.next = self.lsa.m_rsp_ready.val();
        self.lsa.m_rsp_data0.next = self.responses.rsp_data0.val();
        self.lsa.m_rsp_data1.next = self.responses.rsp_data1.val();
        self.lsa.m_rsp_data2.next = self.responses.rsp_data2.val();
        self.lsa.m_rsp_data3.next = self.responses.rsp_data3.val();
    }

    fn sizes(&self) -> Vec<(&'static str, usize)> {
        Vec::new()
    }
}
