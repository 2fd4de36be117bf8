//! The core: host port, grid dispatcher, warp units, the load/store/atomic pipeline of global memory and the arbiters between them. It holds
//! wiring and three small things of its own: the busy flag, the sticky trap report and the tie-off of the event ports. It can be wrong in a
//! swapped or forgotten connection, which lockstep and the cross-check of the exported Verilog find.
//!
//! Ports are described in `docs/machine.md`; element *i* of a port vector belongs to warp unit *i* (of `mem_*_data`: word *i* of the line).
//! Inputs are sampled at the rising edge of `clock`; `mem_req_*` are registered.

use rust_hdl::prelude::*;

use crate::config::GpuConfig;
use crate::dispatch::Grid;
use crate::memory::{Lsa, MemoryArbiter, UnitArbiter};
use crate::warp::WarpUnit;
use crate::{comment, quiet_block};

/// A vector of output ports.
pub type Ports<const N: usize> = Vec<Signal<Out, Bits<N>>>;

/// The whole core.
pub struct Gpu {
    pub clock: Signal<In, Clock>,

    // Host port.
    pub host_valid: Signal<In, bool>,
    pub host_addr: Signal<In, Bits<16>>,
    pub host_data: Signal<In, Bits<32>>,
    /// From the start until every group has been dispatched and every warp has ended.
    pub busy: Signal<Out, bool>,
    /// An instruction trapped since the last start; the first one's unit, warp slot and program counter follow.
    pub trapped: Signal<Out, bool>,
    /// Warp unit of the first trap.
    pub trap_unit: Signal<Out, Bits<3>>,
    /// Warp slot of the first trap.
    pub trap_warp: Signal<Out, Bits<4>>,
    /// Program counter of the first trap.
    pub trap_pc: Signal<Out, Bits<16>>,

    // Memory port.
    pub mem_req_valid: Signal<Out, bool>,
    pub mem_req_ready: Signal<In, bool>,
    pub mem_req_addr: Signal<Out, Bits<32>>,
    pub mem_req_write: Signal<Out, bool>,
    pub mem_req_mask: Signal<Out, Bits<16>>,
    pub mem_req_data: Ports<32>,
    pub mem_rsp_valid: Signal<In, bool>,
    pub mem_rsp_ready: Signal<Out, bool>,
    pub mem_rsp_data: Vec<Signal<In, Bits<32>>>,

    // Event port: warp launches.
    pub launch_valid: Signal<Out, bool>,
    pub launch_unit: Signal<Out, Bits<3>>,
    pub launch_warp: Signal<Out, Bits<4>>,
    pub launch_mask: Signal<Out, Bits<4>>,
    pub launch_group_x: Signal<Out, Bits<32>>,
    pub launch_group_y: Signal<Out, Bits<32>>,
    pub launch_group_z: Signal<Out, Bits<32>>,
    pub launch_warp_in_group: Signal<Out, Bits<8>>,
    pub launch_group_slot: Signal<Out, Bits<4>>,

    // Event ports per unit: retired instructions.
    pub ret_valid: Vec<Signal<Out, bool>>,
    pub ret_warp: Ports<4>,
    pub ret_seq: Ports<8>,
    pub ret_mask: Ports<4>,
    pub ret_pc: Ports<16>,
    pub ret_lo: Ports<32>,
    pub ret_hi: Ports<32>,
    pub ret_trap: Vec<Signal<Out, bool>>,
    pub ret_mem: Vec<Signal<Out, bool>>,
    pub ret_wen: Vec<Signal<Out, bool>>,
    pub ret_dst: Ports<5>,
    pub ret_value0: Ports<32>,
    pub ret_value1: Ports<32>,
    pub ret_value2: Ports<32>,
    pub ret_value3: Ports<32>,
    pub ret_next0: Ports<16>,
    pub ret_next1: Ports<16>,
    pub ret_next2: Ports<16>,
    pub ret_next3: Ports<16>,

    // Memory completions.
    pub mret_valid: Vec<Signal<Out, bool>>,
    pub mret_shared: Vec<Signal<Out, bool>>,
    pub mret_function: Vec<Signal<Out, bool>>,
    pub mret_warp: Ports<4>,
    pub mret_seq: Ports<8>,
    pub mret_mask: Ports<4>,
    pub mret_wen: Vec<Signal<Out, bool>>,
    pub mret_dst: Ports<5>,
    pub mret_last: Vec<Signal<Out, bool>>,
    pub mret_value0: Ports<32>,
    pub mret_value1: Ports<32>,
    pub mret_value2: Ports<32>,
    pub mret_value3: Ports<32>,

    // Shared-storage writes.
    pub shw_valid: Vec<Signal<Out, bool>>,
    pub shw_addr: Ports<16>,
    pub shw_mask: Ports<16>,
    pub shw_data0: Ports<32>,
    pub shw_data1: Ports<32>,
    pub shw_data2: Ports<32>,
    pub shw_data3: Ports<32>,

    // Issue slots: used, or why not (at most one of the five is set per cycle and unit).
    /// Event: an issue slot was used.
    pub issue_valid: Vec<Signal<Out, bool>>,
    /// Event: issue slot empty because no warp is resident.
    pub stall_no_warp: Vec<Signal<Out, bool>>,
    /// Event: issue slot empty because all instructions wait for registers, memory or a drain.
    pub stall_memory: Vec<Signal<Out, bool>>,
    /// Event: issue slot empty because all warps are in fetch.
    pub stall_fetch: Vec<Signal<Out, bool>>,
    /// Event: issue slot left empty for a second beat of operands or the register file's write port.
    pub stall_port: Vec<Signal<Out, bool>>,

    grid: Grid,
    units: Vec<WarpUnit>,
    unit_arbiter: UnitArbiter,
    lsa: Lsa,
    memory_arbiter: MemoryArbiter,
    trap_seen: DFF<bool>,
    trap_at_unit: DFF<Bits<3>>,
    trap_at_warp: DFF<Bits<4>>,
    trap_at_pc: DFF<Bits<16>>,
    /// Warp slots of the units before unit i.
    first_slot: Vec<Constant<Bits<7>>>,
    _units: usize,
    _active: bool,
}

fn many<D: Direction, T: Synth>(n: usize) -> Vec<Signal<D, T>> {
    (0..n).map(|_| Signal::default()).collect()
}

quiet_block!(Gpu {
    inputs: clock, host_valid, host_addr, host_data, mem_req_ready, mem_rsp_valid, mem_rsp_data;
    inner: busy, trapped, trap_unit, trap_warp, trap_pc, mem_req_valid, mem_req_addr, mem_req_write, mem_req_mask, mem_req_data, mem_rsp_ready, launch_valid, launch_unit, launch_warp, launch_mask, launch_group_x, launch_group_y, launch_group_z, launch_warp_in_group, launch_group_slot, ret_valid, ret_warp, ret_seq, ret_mask, ret_pc, ret_lo, ret_hi, ret_trap, ret_mem, ret_wen, ret_dst, ret_value0, ret_value1, ret_value2, ret_value3, ret_next0, ret_next1, ret_next2, ret_next3, mret_valid, mret_shared, mret_function, mret_warp, mret_seq, mret_mask, mret_wen, mret_dst, mret_last, mret_value0, mret_value1, mret_value2, mret_value3, shw_valid, shw_addr, shw_mask, shw_data0, shw_data1, shw_data2, shw_data3, issue_valid, stall_no_warp, stall_memory, stall_fetch, stall_port, grid, units, unit_arbiter, lsa, memory_arbiter, trap_seen, trap_at_unit, trap_at_warp, trap_at_pc, first_slot
});

impl Gpu {
    /// The core of that configuration.
    ///
    /// # Errors
    /// The first parameter out of its range, in words ([`GpuConfig::check`]).
    pub fn new(config: &GpuConfig) -> Result<Self, String> {
        config.check()?;
        if config.total_cores() != 1 {
            return Err(format!("{} rows of {} cores: only one core can be built yet", config.rows, config.cores));
        }
        let n = config.units;
        Ok(Self {
            clock: Signal::default(),
            host_valid: Signal::default(),
            host_addr: Signal::default(),
            host_data: Signal::default(),
            busy: Signal::default(),
            trapped: Signal::default(),
            trap_unit: Signal::default(),
            trap_warp: Signal::default(),
            trap_pc: Signal::default(),
            mem_req_valid: Signal::default(),
            mem_req_ready: Signal::default(),
            mem_req_addr: Signal::default(),
            mem_req_write: Signal::default(),
            mem_req_mask: Signal::default(),
            mem_req_data: many(4),
            mem_rsp_valid: Signal::default(),
            mem_rsp_ready: Signal::default(),
            mem_rsp_data: many(4),
            launch_valid: Signal::default(),
            launch_unit: Signal::default(),
            launch_warp: Signal::default(),
            launch_mask: Signal::default(),
            launch_group_x: Signal::default(),
            launch_group_y: Signal::default(),
            launch_group_z: Signal::default(),
            launch_warp_in_group: Signal::default(),
            launch_group_slot: Signal::default(),
            ret_valid: many(n),
            ret_warp: many(n),
            ret_seq: many(n),
            ret_mask: many(n),
            ret_pc: many(n),
            ret_lo: many(n),
            ret_hi: many(n),
            ret_trap: many(n),
            ret_mem: many(n),
            ret_wen: many(n),
            ret_dst: many(n),
            ret_value0: many(n),
            ret_value1: many(n),
            ret_value2: many(n),
            ret_value3: many(n),
            ret_next0: many(n),
            ret_next1: many(n),
            ret_next2: many(n),
            ret_next3: many(n),
            mret_valid: many(n),
            mret_shared: many(n),
            mret_function: many(n),
            mret_warp: many(n),
            mret_seq: many(n),
            mret_mask: many(n),
            mret_wen: many(n),
            mret_dst: many(n),
            mret_last: many(n),
            mret_value0: many(n),
            mret_value1: many(n),
            mret_value2: many(n),
            mret_value3: many(n),
            shw_valid: many(n),
            shw_addr: many(n),
            shw_mask: many(n),
            shw_data0: many(n),
            shw_data1: many(n),
            shw_data2: many(n),
            shw_data3: many(n),
            issue_valid: many(n),
            stall_no_warp: many(n),
            stall_memory: many(n),
            stall_fetch: many(n),
            stall_port: many(n),
            grid: Grid::new(config),
            units: (0..n).map(|_| WarpUnit::new(config)).collect(),
            unit_arbiter: UnitArbiter::new(config),
            lsa: Lsa::new(config),
            memory_arbiter: MemoryArbiter::new(config),
            trap_seen: DFF::default(),
            trap_at_unit: DFF::default(),
            trap_at_warp: DFF::default(),
            trap_at_pc: DFF::default(),
            first_slot: (0..n).map(|unit| Constant::new(bits((unit * config.warps) as u64))).collect(),
            _units: n,
            _active: true,
        })
    }
}

impl Logic for Gpu {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: quadlock");
        dff_setup!(self, clock, trap_seen, trap_at_unit, trap_at_warp, trap_at_pc);
        clock!(self, clock, grid, unit_arbiter, lsa, memory_arbiter);

        // Host port and dispatcher.
        self.grid.host_valid.next = self.host_valid.val();
        self.grid.host_addr.next = self.host_addr.val();
        self.grid.host_data.next = self.host_data.val();
        self.grid.memory_idle.next = self.memory_arbiter.idle.val();
        self.busy.next = self.grid.busy.val();
        self.launch_valid.next = self.grid.launch_valid.val();
        self.launch_unit.next = self.grid.launch_unit.val();
        self.launch_warp.next = self.grid.launch_warp.val();
        self.launch_mask.next = self.grid.launch_mask.val();
        self.launch_group_x.next = self.grid.launch_group_x.val();
        self.launch_group_y.next = self.grid.launch_group_y.val();
        self.launch_group_z.next = self.grid.launch_group_z.val();
        self.launch_warp_in_group.next = self.grid.launch_warp_in_group.val();
        self.launch_group_slot.next = self.grid.launch_group_slot.val();

        // The request of the granted unit goes to the pipeline, the completion to its unit.
        self.unit_arbiter.ready.next = self.lsa.req_ready.val();
        self.lsa.req_valid.next = false;
        self.lsa.req_unit.next = self.unit_arbiter.grant.val();
        self.lsa.req_warp.next = self.units[0].greq_warp.val();
        self.lsa.req_seq.next = self.units[0].greq_seq.val();
        self.lsa.req_mask.next = self.units[0].greq_mask.val();
        self.lsa.req_dst.next = self.units[0].greq_dst.val();
        self.lsa.req_op.next = self.units[0].greq_op.val();
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
        self.trapped.next = self.trap_seen.q.val();
        self.trap_unit.next = self.trap_at_unit.q.val();
        self.trap_warp.next = self.trap_at_warp.q.val();
        self.trap_pc.next = self.trap_at_pc.q.val();
        if self.grid.start.val() {
            self.trap_seen.d.next = false;
        }
        for i in 0..self._units {
            self.units[i].clock.next = self.clock.val();
            self.units[i].unit.next = i.to_bits::<3>();
            self.units[i].first_slot.next = self.first_slot[i].val();
            self.units[i].cw_valid.next = self.host_valid.val() && (self.host_addr.val() < bits::<16>(0x400));
            self.units[i].cw_addr.next = self.host_addr.val().get_bits::<10>(0);
            self.units[i].cw_data.next = self.host_data.val();
            self.units[i].code_base.next = self.grid.code_base.val();
            self.units[i].code_length.next = self.grid.code_length.val();
            self.units[i].start.next = self.grid.start.val();
            self.units[i].l_valid.next =
                self.grid.launch_valid.val() && (self.grid.launch_unit.val() == i.to_bits::<3>());
            self.units[i].l_warp.next = self.grid.launch_warp.val();
            self.units[i].l_mask.next = self.grid.launch_mask.val();
            self.units[i].l_group_x.next = self.grid.launch_group_x.val();
            self.units[i].l_group_y.next = self.grid.launch_group_y.val();
            self.units[i].l_group_z.next = self.grid.launch_group_z.val();
            self.units[i].l_first.next = self.grid.launch_first.val();
            self.units[i].l_warps.next = self.grid.launch_warps.val();
            self.units[i].l_shared_base.next = self.grid.launch_shared_base.val();
            self.units[i].l_local_id0.next = self.grid.launch_local_id0.val();
            self.units[i].l_local_id1.next = self.grid.launch_local_id1.val();
            self.units[i].l_local_id2.next = self.grid.launch_local_id2.val();
            self.units[i].l_local_id3.next = self.grid.launch_local_id3.val();
            self.units[i].l_index0.next = self.grid.launch_index0.val();
            self.units[i].l_index1.next = self.grid.launch_index1.val();
            self.units[i].l_index2.next = self.grid.launch_index2.val();
            self.units[i].l_index3.next = self.grid.launch_index3.val();
            self.grid.slot_free[i].next = self.units[i].slot_free.val();

            self.memory_arbiter.f_req_valid[i].next = self.units[i].f_req_valid.val();
            self.memory_arbiter.f_req_addr[i].next = self.units[i].f_req_addr.val();
            self.units[i].f_req_ready.next = self.memory_arbiter.f_req_ready[i].val();
            self.units[i].f_rsp_valid.next = self.memory_arbiter.f_rsp_valid[i].val();
            self.units[i].f_rsp_data0.next = self.mem_rsp_data[0].val();
            self.units[i].f_rsp_data1.next = self.mem_rsp_data[1].val();
            self.units[i].f_rsp_data2.next = self.mem_rsp_data[2].val();
            self.units[i].f_rsp_data3.next = self.mem_rsp_data[3].val();

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

            if self.units[i].trap_valid.val() && !self.trap_seen.q.val() {
                self.trap_seen.d.next = true;
                self.trap_at_unit.d.next = i.to_bits::<3>();
                self.trap_at_warp.d.next = self.units[i].trap_warp.val();
                self.trap_at_pc.d.next = self.units[i].trap_pc.val();
            }

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
            self.stall_no_warp[i].next = self.units[i].stall.val().get_bit(0);
            self.stall_memory[i].next = self.units[i].stall.val().get_bit(1);
            self.stall_fetch[i].next = self.units[i].stall.val().get_bit(2);
            self.stall_port[i].next = self.units[i].stall.val().get_bit(3);
        }

        // Memory port.
        self.memory_arbiter.l_req_valid.next = self.lsa.m_req_valid.val();
        self.memory_arbiter.l_req_addr.next = self.lsa.m_req_addr.val();
        self.memory_arbiter.l_req_write.next = self.lsa.m_req_write.val();
        self.memory_arbiter.l_req_mask.next = self.lsa.m_req_mask.val();
        self.memory_arbiter.l_req_data0.next = self.lsa.m_req_data0.val();
        self.memory_arbiter.l_req_data1.next = self.lsa.m_req_data1.val();
        self.memory_arbiter.l_req_data2.next = self.lsa.m_req_data2.val();
        self.memory_arbiter.l_req_data3.next = self.lsa.m_req_data3.val();
        self.lsa.m_req_ready.next = self.memory_arbiter.l_req_ready.val();
        self.lsa.m_rsp_valid.next = self.memory_arbiter.l_rsp_valid.val();
        self.memory_arbiter.l_rsp_ready.next = self.lsa.m_rsp_ready.val();
        self.lsa.m_rsp_data0.next = self.mem_rsp_data[0].val();
        self.lsa.m_rsp_data1.next = self.mem_rsp_data[1].val();
        self.lsa.m_rsp_data2.next = self.mem_rsp_data[2].val();
        self.lsa.m_rsp_data3.next = self.mem_rsp_data[3].val();
        self.mem_req_valid.next = self.memory_arbiter.mem_req_valid.val();
        self.mem_req_addr.next = self.memory_arbiter.mem_req_addr.val();
        self.mem_req_write.next = self.memory_arbiter.mem_req_write.val();
        self.mem_req_mask.next = self.memory_arbiter.mem_req_mask.val();
        self.mem_req_data[0].next = self.memory_arbiter.mem_req_data0.val();
        self.mem_req_data[1].next = self.memory_arbiter.mem_req_data1.val();
        self.mem_req_data[2].next = self.memory_arbiter.mem_req_data2.val();
        self.mem_req_data[3].next = self.memory_arbiter.mem_req_data3.val();
        self.memory_arbiter.mem_req_ready.next = self.mem_req_ready.val();
        self.memory_arbiter.mem_rsp_valid.next = self.mem_rsp_valid.val();
        self.mem_rsp_ready.next = self.memory_arbiter.mem_rsp_ready.val();
    }
}
