//! The ports of the exported core as handles of a compiled simulation, found by name once. A name
//! that the design lacks is an error when they are found, and never a value that is missing later.

use quadlock_hdl::config::GpuConfig;
use quadlock_rtlsim::graph::Value;
use quadlock_rtlsim::{Error, InputHandle, SignalHandle, Simulation};

use crate::machine::ports::Inputs;

/// An output port. A port that is constant in this configuration is not asked for.
#[derive(Clone, Copy)]
pub(super) enum Port {
    Constant(u64),
    Live(SignalHandle),
}

/// The core's input ports.
pub struct InPorts {
    host_valid: InputHandle,
    host_addr: InputHandle,
    host_data: InputHandle,
    mem_req_ready: InputHandle,
    mem_rsp_valid: InputHandle,
    mem_rsp_data: [InputHandle; 4],
}

impl InPorts {
    /// Finds them.
    ///
    /// # Errors
    /// The design lacks one: it is not the core.
    pub fn of(simulation: &Simulation) -> Result<Self, Error> {
        let data = |i: usize| simulation.input(&format!("mem_rsp_data_{i}"));
        Ok(Self {
            host_valid: simulation.input("host_valid")?,
            host_addr: simulation.input("host_addr")?,
            host_data: simulation.input("host_data")?,
            mem_req_ready: simulation.input("mem_req_ready")?,
            mem_rsp_valid: simulation.input("mem_rsp_valid")?,
            mem_rsp_data: [data(0)?, data(1)?, data(2)?, data(3)?],
        })
    }

    /// Sets what differs from the inputs before; all of it if nothing was before.
    pub fn apply(&self, simulation: &mut Simulation, inputs: &Inputs, before: Option<&Inputs>) {
        if before.is_none_or(|b| b.host != inputs.host) {
            let (address, data) = inputs.host.unwrap_or_default();
            simulation.poke(self.host_valid, inputs.host.is_some().into());
            simulation.poke(self.host_addr, address.into());
            simulation.poke(self.host_data, data.into());
        }
        if before.is_none_or(|b| b.mem_req_ready != inputs.mem_req_ready) {
            simulation.poke(self.mem_req_ready, inputs.mem_req_ready.into());
        }
        if before.is_none_or(|b| b.mem_rsp != inputs.mem_rsp) {
            simulation.poke(self.mem_rsp_valid, inputs.mem_rsp.is_some().into());
            for (port, word) in self.mem_rsp_data.iter().zip(inputs.mem_rsp.unwrap_or_default()) {
                simulation.poke(*port, word.into());
            }
        }
    }
}

pub(super) struct LaunchPorts {
    pub(super) valid: Port,
    pub(super) unit: Port,
    pub(super) warp: Port,
    pub(super) mask: Port,
    pub(super) group: [Port; 3],
    pub(super) warp_in_group: Port,
    pub(super) group_slot: Port,
    pub(super) pc: Port,
    pub(super) wait: Port,
}

pub(super) struct RetirePorts {
    pub(super) valid: Port,
    pub(super) warp: Port,
    pub(super) seq: Port,
    pub(super) mask: Port,
    pub(super) pc: Port,
    pub(super) lo: Port,
    pub(super) hi: Port,
    pub(super) trap: Port,
    pub(super) mem: Port,
    pub(super) wen: Port,
    pub(super) dst: Port,
    pub(super) value: [Port; 4],
    pub(super) next: [Port; 4],
}

pub(super) struct CompletionPorts {
    pub(super) valid: Port,
    pub(super) shared: Port,
    pub(super) function: Port,
    pub(super) warp: Port,
    pub(super) seq: Port,
    pub(super) mask: Port,
    pub(super) wen: Port,
    pub(super) dst: Port,
    pub(super) last: Port,
    pub(super) value: [Port; 4],
}

pub(super) struct UnitPorts {
    pub(super) retire: RetirePorts,
    pub(super) completion: CompletionPorts,
    pub(super) shw_valid: Port,
    pub(super) shw_addr: Port,
    pub(super) shw_mask: Port,
    pub(super) shw_data: [Port; 4],
    pub(super) issue: Port,
    pub(super) stall: [Port; 5],
    pub(super) waiting: Port,
}

/// A receiver of the message bus.
#[derive(Clone, Copy)]
pub(super) struct BusPorts {
    pub(super) valid: Port,
    pub(super) from: Port,
    pub(super) head: Port,
    pub(super) body: Port,
}

/// List operations of the semaphore entity.
pub(super) struct ListPorts {
    pub(super) valid: Port,
    pub(super) kind: Port,
    pub(super) semaphore: Port,
    pub(super) thread: Port,
    pub(super) entry: Port,
}

pub(super) struct OutPorts {
    pub(super) busy: Port,
    pub(super) trapped: Port,
    pub(super) trap: [Port; 3],
    pub(super) mem_req_valid: Port,
    pub(super) mem_req_addr: Port,
    pub(super) mem_req_write: Port,
    pub(super) mem_req_mask: Port,
    pub(super) mem_req_data: [Port; 4],
    pub(super) mem_req_source: Port,
    pub(super) mem_rsp_ready: Port,
    pub(super) launch: LaunchPorts,
    pub(super) bus: Vec<BusPorts>,
    pub(super) list: ListPorts,
    pub(super) pool_exhausted: Port,
    pub(super) units: Vec<UnitPorts>,
}

/// Finds ports by name.
pub(super) struct Finder<'a>(pub(super) &'a Simulation);

impl Finder<'_> {
    fn port(&self, name: &str) -> Result<Port, Error> {
        let handle = self.0.signal(name)?;
        let graph = self.0.graph();
        let constant = match graph.signals[handle.id().index()].value {
            Value::Node(node) => graph.as_const(node).map(|bits| bits.to_u64()),
            Value::Memory(_) => None,
        };
        Ok(constant.map_or(Port::Live(handle), Port::Constant))
    }

    fn ports<const N: usize>(&self, name: impl Fn(usize) -> String) -> Result<[Port; N], Error> {
        let mut ports = [Port::Constant(0); N];
        for (i, port) in ports.iter_mut().enumerate() {
            *port = self.port(&name(i))?;
        }
        Ok(ports)
    }

    fn launch(&self) -> Result<LaunchPorts, Error> {
        Ok(LaunchPorts {
            valid: self.port("launch_valid")?,
            unit: self.port("launch_unit")?,
            warp: self.port("launch_warp")?,
            mask: self.port("launch_mask")?,
            group: [self.port("launch_group_x")?, self.port("launch_group_y")?, self.port("launch_group_z")?],
            warp_in_group: self.port("launch_warp_in_group")?,
            group_slot: self.port("launch_group_slot")?,
            pc: self.port("launch_pc")?,
            wait: self.port("launch_wait")?,
        })
    }

    fn unit(&self, u: usize) -> Result<UnitPorts, Error> {
        let port = |name: &str| self.port(&format!("{name}_{u}"));
        Ok(UnitPorts {
            retire: RetirePorts {
                valid: port("ret_valid")?,
                warp: port("ret_warp")?,
                seq: port("ret_seq")?,
                mask: port("ret_mask")?,
                pc: port("ret_pc")?,
                lo: port("ret_lo")?,
                hi: port("ret_hi")?,
                trap: port("ret_trap")?,
                mem: port("ret_mem")?,
                wen: port("ret_wen")?,
                dst: port("ret_dst")?,
                value: self.ports(|i| format!("ret_value{i}_{u}"))?,
                next: self.ports(|i| format!("ret_next{i}_{u}"))?,
            },
            completion: CompletionPorts {
                valid: port("mret_valid")?,
                shared: port("mret_shared")?,
                function: port("mret_function")?,
                warp: port("mret_warp")?,
                seq: port("mret_seq")?,
                mask: port("mret_mask")?,
                wen: port("mret_wen")?,
                dst: port("mret_dst")?,
                last: port("mret_last")?,
                value: self.ports(|i| format!("mret_value{i}_{u}"))?,
            },
            shw_valid: port("shw_valid")?,
            shw_addr: port("shw_addr")?,
            shw_mask: port("shw_mask")?,
            shw_data: self.ports(|i| format!("shw_data{i}_{u}"))?,
            issue: port("issue_valid")?,
            stall: [
                port("stall_no_warp")?,
                port("stall_memory")?,
                port("stall_fetch")?,
                port("stall_port")?,
                port("stall_semaphore")?,
            ],
            waiting: port("waiting")?,
        })
    }

    fn receiver(&self, k: usize) -> Result<BusPorts, Error> {
        let port = |name: &str| self.port(&format!("bus_{name}_{k}"));
        Ok(BusPorts { valid: port("valid")?, from: port("from")?, head: port("head")?, body: port("body")? })
    }

    pub(super) fn outputs(&self, config: &GpuConfig) -> Result<OutPorts, Error> {
        Ok(OutPorts {
            busy: self.port("busy")?,
            trapped: self.port("trapped")?,
            trap: [self.port("trap_unit")?, self.port("trap_warp")?, self.port("trap_pc")?],
            mem_req_valid: self.port("mem_req_valid")?,
            mem_req_addr: self.port("mem_req_addr")?,
            mem_req_write: self.port("mem_req_write")?,
            mem_req_mask: self.port("mem_req_mask")?,
            mem_req_data: self.ports(|i| format!("mem_req_data_{i}"))?,
            mem_req_source: self.port("mem_req_source")?,
            mem_rsp_ready: self.port("mem_rsp_ready")?,
            launch: self.launch()?,
            bus: (0..config.rows + 2).map(|k| self.receiver(k)).collect::<Result<_, Error>>()?,
            list: ListPorts {
                valid: self.port("op_valid")?,
                kind: self.port("op_kind")?,
                semaphore: self.port("op_sem")?,
                thread: self.port("op_thread")?,
                entry: self.port("op_entry")?,
            },
            pool_exhausted: self.port("pool_exhausted")?,
            units: (0..config.total_units()).map(|u| self.unit(u)).collect::<Result<_, Error>>()?,
        })
    }
}
