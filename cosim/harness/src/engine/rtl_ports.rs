//! The ports of the exported core as handles of a compiled simulation, found by name once. A name
//! that the design lacks is an error when they are found, and never a value that is missing later.

use quadlock_hdl::base::Bundle;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::ports::{
    AheadEventOut, CommitEventOut, CompletionOut, CullEventOut, GraphicsLaunchedOut, LaunchedOut, ListOperationOut,
    MergeEventOut, RetireOut, SharedWriteOut, SplitEventOut, StageEventOut, StateEventOut, TileEventOut,
    TriangleEventOut, WindowEventOut, WorkEventOut,
};
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

/// Ports of a unit. Those of an event are in the order of its definition, `valid` first.
pub(super) struct UnitPorts {
    pub(super) retire: [Port; RetireOut::COUNT],
    pub(super) completion: [Port; CompletionOut::COUNT],
    pub(super) shared_write: [Port; SharedWriteOut::COUNT],
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

/// Event ports of graphics.
#[derive(Clone, Copy)]
pub(super) struct GraphicsPorts {
    pub(super) launch: [Port; GraphicsLaunchedOut::COUNT],
    pub(super) triangle: [Port; TriangleEventOut::COUNT],
    pub(super) commit: [Port; CommitEventOut::COUNT],
    pub(super) state: [Port; StateEventOut::COUNT],
    pub(super) tile: [Port; TileEventOut::COUNT],
    pub(super) work: [Port; WorkEventOut::COUNT],
    pub(super) stage: [Port; StageEventOut::COUNT],
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
    pub(super) launch: [Port; LaunchedOut::COUNT],
    pub(super) bus: Vec<BusPorts>,
    pub(super) list: [Port; ListOperationOut::COUNT],
    pub(super) pool_exhausted: Port,
    pub(super) units: Vec<UnitPorts>,
    pub(super) graphics: Option<GraphicsPorts>,
    /// Of a machine that merges warps.
    pub(super) merges: Vec<[Port; MergeEventOut::COUNT]>,
    /// Of a machine that splits warps.
    pub(super) splits: Vec<[Port; SplitEventOut::COUNT]>,
    /// Of a machine with Hi-Z.
    pub(super) culls: Vec<[Port; CullEventOut::COUNT]>,
    /// Of a machine with windows.
    pub(super) window: Option<[Port; WindowEventOut::COUNT]>,
    /// Of one with a cull pipeline.
    pub(super) ahead: Option<[Port; AheadEventOut::COUNT]>,
}

/// Finds ports by name.
pub(super) struct Finder<'a>(pub(super) &'a Simulation);

impl Finder<'_> {
    fn port(&self, name: &str) -> Result<Port, Error> {
        let handle = self.0.signal(name)?;
        Ok(self.0.constant(handle).map_or(Port::Live(handle), Port::Constant))
    }

    fn ports<const N: usize>(&self, name: impl Fn(usize) -> String) -> Result<[Port; N], Error> {
        let mut ports = [Port::Constant(0); N];
        for (i, port) in ports.iter_mut().enumerate() {
            *port = self.port(&name(i))?;
        }
        Ok(ports)
    }

    /// The ports of an event, of the element of that name behind a `_` if there are several.
    fn event<B: Bundle, const N: usize>(&self, element: &str) -> Result<[Port; N], Error> {
        let field = B::TABLE.event.unwrap_or_default();
        self.ports(|k| format!("{field}_{}{element}", B::TABLE.ports[k].name))
    }

    fn unit(&self, u: usize) -> Result<UnitPorts, Error> {
        let element = format!("_{u}");
        let port = |name: &str| self.port(&format!("{name}_{u}"));
        Ok(UnitPorts {
            retire: self.event::<RetireOut, _>(&element)?,
            completion: self.event::<CompletionOut, _>(&element)?,
            shared_write: self.event::<SharedWriteOut, _>(&element)?,
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

    fn graphics(&self) -> Result<GraphicsPorts, Error> {
        Ok(GraphicsPorts {
            launch: self.event::<GraphicsLaunchedOut, _>("_0")?,
            triangle: self.event::<TriangleEventOut, _>("_0")?,
            commit: self.event::<CommitEventOut, _>("_0")?,
            state: self.event::<StateEventOut, _>("_0")?,
            tile: self.event::<TileEventOut, _>("_0")?,
            work: self.event::<WorkEventOut, _>("_0")?,
            stage: self.event::<StageEventOut, _>("_0")?,
        })
    }

    /// The ports of merges, one for each unit.
    fn merges(&self, config: &GpuConfig) -> Result<Vec<[Port; MergeEventOut::COUNT]>, Error> {
        (0..config.total_units()).map(|k| self.event::<MergeEventOut, _>(&format!("_{k}"))).collect()
    }

    /// The ports of splits, one for each unit.
    fn splits(&self, config: &GpuConfig) -> Result<Vec<[Port; SplitEventOut::COUNT]>, Error> {
        (0..config.total_units()).map(|k| self.event::<SplitEventOut, _>(&format!("_{k}"))).collect()
    }

    /// The ports of culls, one for each who says so.
    fn culls(&self, config: &GpuConfig) -> Result<Vec<[Port; CullEventOut::COUNT]>, Error> {
        (0..config.cullers()).map(|k| self.event::<CullEventOut, _>(&format!("_{k}"))).collect()
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
            launch: self.event::<LaunchedOut, _>("")?,
            bus: (0..config.rows + 2).map(|k| self.receiver(k)).collect::<Result<_, Error>>()?,
            list: self.event::<ListOperationOut, _>("")?,
            pool_exhausted: self.port("pool_exhausted")?,
            units: (0..config.total_units()).map(|u| self.unit(u)).collect::<Result<_, Error>>()?,
            graphics: if config.graphics { Some(self.graphics()?) } else { None },
            merges: if config.merges() { self.merges(config)? } else { vec![] },
            splits: if config.splits() { self.splits(config)? } else { vec![] },
            culls: self.culls(config)?,
            ahead: if config.culls() { Some(self.event::<AheadEventOut, _>("_0")?) } else { None },
            window: if config.sorts() { Some(self.event::<WindowEventOut, _>("_0")?) } else { None },
        })
    }
}
