//! The top level: host port, dispatcher, rows of cores and the arbiter of the memory port. It holds
//! wiring and three small things of its own: the busy flag, the sticky trap report and the tie-off
//! of the event ports. It can be wrong in a swapped or forgotten connection, which lockstep and the
//! cross-check of the exported Verilog find.
//!
//! Ports are described in `docs/machine.md`; element *i* of a port vector belongs to the warp unit
//! of global number *i* (of `mem_*_data`: word *i* of the line). Inputs are sampled at the rising
//! edge of `clock`; `mem_req_*` are registered.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Flag, Nothing, Parameter, Planted, Quiet};
use crate::bus::message::{Body, Head};
use crate::bus::MessageBus;
use crate::comment;
use crate::config::GpuConfig;
use crate::core::Core;
use crate::dispatch::{RowController, ThreadDispatcher};
use crate::fault::Fault;
use crate::graphics::GraphicsPipeline;
use crate::memory::MemoryArbiter;
use crate::ports::*;
use crate::semaphore::{SemaphoreEntity, ThreadView, WaitingRoom};

/// A vector of output ports.
pub type Ports<const N: usize> = Vec<Signal<Out, Bits<N>>>;

/// The whole machine.
#[derive(Default, QuietBlock)]
pub struct Gpu {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,

    // Host port.
    /// Write of a host register: the bundle holds one in this cycle.
    pub host_valid: Signal<In, bool>,
    /// Write of a host register: register number, listed in docs/machine.md.
    pub host_addr: Signal<In, Bits<16>>,
    /// Write of a host register: value.
    pub host_data: Signal<In, Bits<32>>,
    /// From the start until every group has been dispatched and every warp has ended.
    pub busy: Signal<Out, bool>,
    /// An instruction trapped since the last start; the first one's unit, warp slot and program
    /// counter follow.
    pub trapped: Signal<Out, bool>,
    /// Warp unit of the first trap.
    pub trap_unit: Signal<Out, Bits<6>>,
    /// Warp slot of the first trap.
    pub trap_warp: Signal<Out, Bits<4>>,
    /// Program counter of the first trap.
    pub trap_pc: Signal<Out, Bits<16>>,

    // Memory port.
    /// Memory request: the bundle holds one in this cycle.
    pub mem_req_valid: Signal<Out, bool>,
    /// Memory request: it is taken in this cycle if valid.
    pub mem_req_ready: Signal<In, bool>,
    /// Memory request: byte address of the line, a multiple of 16.
    pub mem_req_addr: Signal<Out, Bits<32>>,
    /// Memory request: a line write, else a line read.
    pub mem_req_write: Signal<Out, bool>,
    /// Memory request: byte enables of a write.
    pub mem_req_mask: Signal<Out, Bits<16>>,
    /// Memory request: data of a write, element i is word i of the line.
    pub mem_req_data: Ports<32>,
    /// Event: requester of the request: global unit number of a fetch, 32 + core number of a
    /// load/store/atomic pipeline, 48 on the clients of graphics, 63 the thread dispatcher.
    pub mem_req_source: Signal<Out, Bits<6>>,
    /// Memory response: the bundle holds one in this cycle.
    pub mem_rsp_valid: Signal<In, bool>,
    /// Memory response: it is taken in this cycle if valid.
    pub mem_rsp_ready: Signal<Out, bool>,
    /// Memory response: data of a read, element i is word i of the line.
    pub mem_rsp_data: Vec<Signal<In, Bits<32>>>,

    // Event port: warp launches.
    /// Event: a warp is placed into a slot.
    pub launch: LaunchedOut,

    // Event ports per unit: retired instructions.
    /// Event: an instruction retires.
    pub ret: Each<RetireOut>,

    // Memory completions.
    /// Event: a beat of a completion.
    pub mret: Each<CompletionOut>,

    // Shared-storage writes.
    /// Event: a line of shared storage is written.
    pub shw: Each<SharedWriteOut>,

    // Issue slots: used, or why not (at most one of the five is set per cycle and unit).
    /// Event: an issue slot was used.
    pub issue_valid: Vec<Signal<Out, bool>>,
    /// Event: issue slot empty because no warp is resident.
    pub stall_no_warp: Vec<Signal<Out, bool>>,
    /// Event: issue slot empty because all instructions wait for registers, memory or a drain.
    pub stall_memory: Vec<Signal<Out, bool>>,
    /// Event: issue slot empty because all warps are in fetch.
    pub stall_fetch: Vec<Signal<Out, bool>>,
    /// Event: issue slot left empty for a second beat of operands or the register file's write
    /// port.
    pub stall_port: Vec<Signal<Out, bool>>,
    /// Event: issue slot left empty because every warp that could not issue waits for a semaphore.
    pub stall_semaphore: Vec<Signal<Out, bool>>,
    /// Event: warp slots that wait for a semaphore now.
    pub waiting: Ports<16>,

    // Event ports of the message bus, by receiver: row controllers, then the semaphore entity's
    // acquire port and its release port.
    /// Event: a message was transferred to the receiver.
    pub bus_valid: Vec<Signal<Out, bool>>,
    /// Its sender: row controllers, then the thread dispatcher and the semaphore entity.
    pub bus_from: Ports<4>,
    /// Kind 1:0 (0 ACQ, 1 REL, 2 ACK), auto-release 2, acknowledge-suppress 3, from the dispatcher
    /// 4 with the thread's place 7:5.
    pub bus_head: Ports<16>,
    /// Semaphore 15:0, thread 31:16.
    pub bus_body: Ports<32>,

    // Event port of the semaphore entity: an operation on a list.
    /// Event: an operation of the semaphore entity on a list.
    pub op: ListOperationOut,
    /// Event: an acquire waits because no entry of the pool is free.
    pub pool_exhausted: Signal<Out, bool>,

    // Event ports of graphics; none without.
    /// Event: the launched warp is one of graphics.
    pub glaunch: Each<GraphicsLaunchedOut>,
    /// Event port: two warps of unit i have merged. Absent without merging.
    pub merge: Each<MergeEventOut>,
    /// Event ports: one culled triangle or group per cycle each. Absent without Hi-Z.
    pub cull: Each<CullEventOut>,
    /// Event port: end of a window of triangles. Absent without windows.
    pub window: Each<WindowEventOut>,
    /// Event port: result of the cull pipeline for a triangle. Absent without a cull pipeline.
    pub ahead: Each<AheadEventOut>,
    /// Event port: a warp of unit i has split. Absent without splitting.
    pub split: Each<SplitEventOut>,
    /// Event port: result of geometry for a triangle.
    pub tri: Each<TriangleEventOut>,
    /// Event: a sample of a quad goes to blending.
    pub pix: Each<CommitEventOut>,
    /// Event: the state of a context is new.
    pub gstate: Each<StateEventOut>,
    /// Event: a tile was written, or is loaded again.
    pub tile: Each<TileEventOut>,
    /// Event: a unit that can work long without any other event makes a step.
    pub work: Each<WorkEventOut>,

    /// One if graphics is built, else none.
    graphics: Vec<GraphicsPipeline>,
    dispatcher: ThreadDispatcher,
    /// Core i of row r is number r * cores + i.
    cores: Vec<Core>,
    rows: Vec<RowController>,
    bus: MessageBus,
    /// Before the entity's acquire port.
    room: WaitingRoom,
    entity: SemaphoreEntity,
    /// For waves, per unit.
    views: Vec<ThreadView>,
    memory_arbiter: MemoryArbiter,
    trap_seen: DFF<bool>,
    trap_at_unit: DFF<Bits<6>>,
    trap_at_warp: DFF<Bits<4>>,
    trap_at_pc: DFF<Bits<16>>,
    /// Global number of core i's first unit, and the warp slots of the units before it.
    first_unit: Vec<Constant<Bits<6>>>,
    first_slot: Vec<Constant<Bits<11>>>,
    /// Number of row i, and of its first unit.
    row_number: Vec<Constant<Bits<4>>>,
    row_first: Vec<Constant<Bits<12>>>,
    /// The bus's receiver numbers of the entity's acquire port.
    acquire_port: Parameter<4>,
    /// The unit of the thread that is acknowledged, and its row.
    ack_thread: Signal<Local, Bits<16>>,
    ack_unit: Signal<Local, Bits<12>>,
    ack_row: Signal<Local, Bits<4>>,
    rows_idle: Signal<Local, bool>,
    messages_idle: Signal<Local, bool>,
    traced: Flag,
    // Of graphics: the command list, whether a start runs it, and that it does.
    command_list: Vec<DFF<Bits<32>>>,
    draws: Vec<DFF<bool>>,
    begin_frame: Vec<Signal<Local, bool>>,
    core_number: Vec<Constant<Bits<4>>>,
    #[size]
    _graphics: usize,
    #[size]
    _clients: usize,
    #[size]
    _cullers: usize,
    fault_ack_wrong_core: Planted,
    #[size]
    _rows: usize,
    _receivers: usize,
    /// Cores of the machine, and the row of each.
    #[size]
    _cores: usize,
    #[size]
    _row_of_core: Vec<usize>,
    /// Units of the machine.
    #[size]
    _total: usize,
    /// By unit: its core, its number there, its row, its number there.
    #[size]
    _core_of: Vec<usize>,
    #[size]
    _unit_of: Vec<usize>,
    #[size]
    _row_of: Vec<usize>,
    #[size]
    _place_of: Vec<usize>,
    _config: GpuConfig,
    _active: bool,
}

impl Gpu {
    /// The machine of that configuration.
    ///
    /// # Errors
    /// The first parameter out of its range, in words ([`GpuConfig::check`]).
    pub fn new(config: &GpuConfig) -> Result<Self, String> {
        config.check()?;
        let (cores, n, receivers) = (config.total_cores(), config.total_units(), config.rows + 2);
        let units = config.unit_places();
        let graphics = usize::from(config.graphics);
        let row_of = |u: usize| units[u].core / config.cores;
        let slots_before = |c: usize| units.iter().find(|u| u.core >= c).map_or(config.total_slots(), |u| u.first_slot);
        Ok(Self {
            mem_req_data: vector(4),
            mem_rsp_data: vector(4),
            ret: Each::new(n),
            mret: Each::new(n),
            shw: Each::new(n),
            issue_valid: vector(n),
            stall_no_warp: vector(n),
            stall_memory: vector(n),
            stall_fetch: vector(n),
            stall_port: vector(n),
            stall_semaphore: vector(n),
            waiting: vector(n),
            bus_valid: vector(receivers),
            bus_from: vector(receivers),
            bus_head: vector(receivers),
            bus_body: vector(receivers),
            glaunch: Each::new(graphics),
            merge: Each::new(if config.merges() { n } else { 0 }),
            split: Each::new(if config.splits() { n } else { 0 }),
            cull: Each::new(config.cullers()),
            window: Each::new(usize::from(config.sorts())),
            ahead: Each::new(usize::from(config.culls())),
            _clients: crate::memory::arbiter::graphics_clients(config),
            _cullers: config.cullers(),
            tri: Each::new(graphics),
            pix: Each::new(graphics),
            gstate: Each::new(graphics),
            tile: Each::new(graphics),
            work: Each::new(graphics),
            graphics: (0..graphics).map(|_| GraphicsPipeline::new(config)).collect(),
            command_list: vector(graphics),
            draws: vector(graphics),
            begin_frame: vector(graphics),
            core_number: (0..cores * graphics).map(|c| Constant::new(bits(c as u64))).collect(),
            _graphics: graphics,
            dispatcher: ThreadDispatcher::new(config),
            cores: (0..cores).map(|c| Core::new(&config.of_core(c))).collect(),
            rows: (0..config.rows).map(|r| RowController::of_row(config, r)).collect(),
            bus: MessageBus::of(config),
            room: WaitingRoom::new(config),
            entity: SemaphoreEntity::new(config),
            views: units.iter().map(|u| ThreadView::new(&config.of_core(u.core))).collect(),
            memory_arbiter: MemoryArbiter::new(config),
            first_unit: (0..cores).map(|c| Constant::new(bits(config.first_unit(c) as u64))).collect(),
            first_slot: (0..cores).map(|c| Constant::new(bits(slots_before(c) as u64))).collect(),
            row_number: (0..config.rows).map(|r| Constant::new(bits(r as u64))).collect(),
            row_first: (0..config.rows)
                .map(|r| Constant::new(bits(config.first_unit(r * config.cores) as u64)))
                .collect(),
            acquire_port: Parameter::new(config.rows as u64),
            traced: Flag::new(config.trace),
            fault_ack_wrong_core: Planted::new(config.has(Fault::AckWrongCore)),
            _rows: config.rows,
            _receivers: receivers,
            _cores: cores,
            _row_of_core: (0..cores).map(|c| c / config.cores).collect(),
            _total: n,
            _core_of: units.iter().map(|u| u.core).collect(),
            _unit_of: units.iter().map(|u| u.unit).collect(),
            _row_of: (0..n).map(row_of).collect(),
            _place_of: (0..n).map(|u| u - config.first_unit(row_of(u) * config.cores)).collect(),
            _config: config.clone(),
            _active: true,
            ..Self::default()
        })
    }
}

#[kernel(wired)]
impl Gpu {
    /// The host port goes to the dispatcher; its launches and the first trap come out.
    fn host_port(&mut self) {
        comment!("module: quadlock");
        dff_setup!(self, clock, trap_seen, trap_at_unit, trap_at_warp, trap_at_pc);
        clock!(self, clock, dispatcher, bus, room, entity, memory_arbiter);

        // Host port and dispatcher.
        copy_fields!(self => self.dispatcher: host_valid, host_addr, host_data);
        self.dispatcher.memory_idle.next = self.memory_arbiter.idle.val();
        self.busy.next = self.dispatcher.busy.val();
        copy_fields!(self.dispatcher.launch => self.launch: valid, warp, mask, pc, wait, group_x, group_y, group_z);
        self.launch.unit.next = self.dispatcher.place_ports.launch_unit.val();
        self.launch.warp_in_group.next = self.dispatcher.place_ports.launch_warp_in_group.val();
        self.launch.group_slot.next = self.dispatcher.place_ports.launch_group_slot.val();
        self.trapped.next = self.trap_seen.q.val();
        self.trap_unit.next = self.trap_at_unit.q.val();
        self.trap_warp.next = self.trap_at_warp.q.val();
        self.trap_pc.next = self.trap_at_pc.q.val();
        if self.dispatcher.start.val() {
            self.trap_seen.d.next = false;
        }
    }

    /// Each row controller is joined to the dispatcher and to the bus.
    fn rows(&mut self) {
        self.rows_idle.next = true;
        for r in 0..self._rows {
            clock!(self, clock, rows[r]);
            self.rows[r].row.next = self.row_number[r].val();
            self.rows[r].launch_valid.next = self.dispatcher.launch.valid.val();
            self.rows[r].launch_unit.next = self.dispatcher.place_ports.launch_unit.val();
            WarpEndOut::join(&mut self.rows[r].end, &mut self.dispatcher.end[r]);
            self.bus.in_valid[r].next = self.rows[r].msg_valid.val();
            self.bus.in_to[r].next = self.rows[r].msg_to.val();
            self.bus.in_head[r].next = self.rows[r].msg_head.val();
            self.bus.in_body[r].next = self.rows[r].msg_body.val();
            self.rows[r].msg_ready.next = self.bus.in_ready[r].val();
            self.rows[r].ack_valid.next = self.bus.out_valid[r].val();
            self.rows[r].ack_body.next = self.bus.out_body[r].val();
            self.bus.out_ready[r].next = self.rows[r].ack_ready.val();
            if !self.rows[r].idle.val() {
                self.rows_idle.next = false;
            }
        }
    }

    /// Each core has its numbers, constants, the code and the launches.
    fn cores(&mut self) {
        for c in 0..self._cores {
            clock!(self, clock, cores[c]);
            self.cores[c].first_unit.next = self.first_unit[c].val();
            self.cores[c].first_slot.next = self.first_slot[c].val();
            self.cores[c].constant_write.valid.next =
                self.host_valid.val() && (self.host_addr.val() < bits::<16>(0x400));
            self.cores[c].constant_write.addr.next = self.host_addr.val().get_bits::<10>(0);
            self.cores[c].constant_write.data.next = self.host_data.val();
            CodePlaceOut::join(&mut self.dispatcher.code, &mut self.cores[c].code);
            self.cores[c].start.next = self.dispatcher.start.val();
            LaunchDataOut::join(&mut self.dispatcher.launch, &mut self.cores[c].launch);
            self.cores[c].ack_warp.next = self.rows[self._row_of_core[c]].unit_ack_warp.val();
        }
    }

    /// The pipeline of each core is joined to the memory arbiter.
    fn core_memory(&mut self) {
        for c in 0..self._cores {
            LineRequestOut::join(&mut self.cores[c].m_req, &mut self.memory_arbiter.l_req[c]);
            self.cores[c].m_rsp.valid.next = self.memory_arbiter.l_rsp_valid[c].val();
            self.memory_arbiter.l_rsp_ready[c].next = self.cores[c].m_rsp.ready.val();
            for i in 0..4 {
                self.cores[c].m_rsp.data[i].next = self.mem_rsp_data[i].val();
            }
        }
    }

    /// Each unit is joined to its row controller, its fetches, its events and its view.
    fn units(&mut self) {
        for u in 0..self._total {
            self.cores[self._core_of[u]].launch_valid[self._unit_of[u]].next =
                self.rows[self._row_of[u]].unit_launch[self._place_of[u]].val();
            self.rows[self._row_of[u]].slot_free[self._place_of[u]].next =
                self.cores[self._core_of[u]].slot_free[self._unit_of[u]].val();
            SemaphoreMessageOut::join(
                &mut self.cores[self._core_of[u]].sem_msg[self._unit_of[u]],
                &mut self.rows[self._row_of[u]].sem_msg[self._place_of[u]],
            );
            self.cores[self._core_of[u]].ack_valid[self._unit_of[u]].next =
                self.rows[self._row_of[u]].unit_ack[self._place_of[u]].val();
            LineFetchOut::join(
                &mut self.cores[self._core_of[u]].f_req[self._unit_of[u]],
                &mut self.memory_arbiter.f_req[u],
            );
            self.cores[self._core_of[u]].f_rsp_valid[self._unit_of[u]].next = self.memory_arbiter.f_rsp_valid[u].val();

            if self.cores[self._core_of[u]].trap[self._unit_of[u]].valid.val() && !self.trap_seen.q.val() {
                self.trap_seen.d.next = true;
                self.trap_at_unit.d.next = u.to_bits::<6>();
                self.trap_at_warp.d.next = self.cores[self._core_of[u]].trap[self._unit_of[u]].warp.val();
                self.trap_at_pc.d.next = self.cores[self._core_of[u]].trap[self._unit_of[u]].pc.val();
            }

            RetireOut::link(&mut self.ret[u], &mut self.cores[self._core_of[u]].ret[self._unit_of[u]]);
            CompletionOut::link(&mut self.mret[u], &mut self.cores[self._core_of[u]].mret[self._unit_of[u]]);
            SharedWriteOut::link(&mut self.shw[u], &mut self.cores[self._core_of[u]].shw[self._unit_of[u]]);
            self.issue_valid[u].next = self.cores[self._core_of[u]].issue_valid[self._unit_of[u]].val();
            self.stall_no_warp[u].next = self.cores[self._core_of[u]].stall[self._unit_of[u]].val().get_bit(0);
            self.stall_memory[u].next = self.cores[self._core_of[u]].stall[self._unit_of[u]].val().get_bit(1);
            self.stall_fetch[u].next = self.cores[self._core_of[u]].stall[self._unit_of[u]].val().get_bit(2);
            self.stall_port[u].next = self.cores[self._core_of[u]].stall[self._unit_of[u]].val().get_bit(3);
            self.stall_semaphore[u].next = self.cores[self._core_of[u]].stall[self._unit_of[u]].val().get_bit(4);
            self.waiting[u].next = self.cores[self._core_of[u]].waiting[self._unit_of[u]].val();
            clock!(self, clock, views[u]);
            self.views[u].unit.next = u.to_bits::<6>();
            self.views[u].launch_valid.next = self.dispatcher.launch.valid.val();
            self.views[u].launch_unit.next = self.dispatcher.place_ports.launch_unit.val();
            self.views[u].launch_warp.next = self.dispatcher.launch.warp.val();
            self.views[u].end_valid.next = self.rows[self._row_of[u]].end.valid.val();
            self.views[u].end_unit.next = self.rows[self._row_of[u]].end.unit.val();
            self.views[u].end_warp.next = self.rows[self._row_of[u]].end.warp.val();
            self.views[u].acq_valid.next = self.bus.out_valid[self._rows].val()
                && self.room.in_ready.val()
                && !self.bus.out_head[self._rows].val().get_value_suppress();
            self.views[u].acq_thread.next = self.bus.out_body[self._rows].val().get_value_thread();
            self.views[u].acq_sem.next = self.bus.out_body[self._rows].val().get_value_sem();
            self.views[u].waiting.next = self.cores[self._core_of[u]].waiting[self._unit_of[u]].val();
        }
    }

    /// The dispatcher, the bus, the waiting room and the entity are joined.
    fn semaphores(&mut self) {
        // Message bus and semaphore entity. The dispatcher's place on the bus is sender `rows`, the
        // entity's `rows + 1`.
        self.bus.in_valid[self._rows].next = self.dispatcher.acq.valid.val();
        self.dispatcher.acq.ready.next = self.bus.in_ready[self._rows].val();
        self.bus.in_to[self._rows].next = self.acquire_port.val();
        self.bus.in_head[self._rows].next = self.dispatcher.acq.head.val();
        self.bus.in_body[self._rows].next = self.dispatcher.acq.body.val();
        fan_out!(self.dispatcher.start => self.entity.start, self.room.start);
        self.room.in_valid.next = self.bus.out_valid[self._rows].val();
        self.room.in_sem.next = self.bus.out_body[self._rows].val().get_value_sem();
        self.room.in_thread.next = self.bus.out_body[self._rows].val().get_value_thread();
        self.room.in_auto.next = self.bus.out_head[self._rows].val().get_value_auto();
        self.room.in_suppress.next = self.bus.out_head[self._rows].val().get_value_suppress();
        self.room.in_notify.next = self.bus.out_head[self._rows].val().get_value_notify();
        self.room.in_tag.next = self.bus.out_head[self._rows].val().get_value_tag();
        SemaphoreAcquireOut::join(&mut self.room.acq, &mut self.entity.acq);
        self.room.entry_free.next = self.entity.entry_free.val();
        self.room.emptied.next = self.entity.emptied.val();
        self.bus.out_ready[self._rows].next = self.room.in_ready.val();
        self.entity.rel_valid.next = self.bus.out_valid[self._rows + 1].val();
        self.entity.rel_sem.next = self.bus.out_body[self._rows + 1].val().get_value_sem();
        self.entity.rel_thread.next = self.bus.out_body[self._rows + 1].val().get_value_thread();
        self.bus.out_ready[self._rows + 1].next = self.entity.rel_ready.val();
    }

    /// An acknowledgement goes to the row of its thread, and to the dispatcher.
    fn acknowledgement(&mut self) {
        self.ack_thread.next = self.entity.ack_thread.val();
        if self.fault_ack_wrong_core.val() {
            self.ack_thread.next = self.entity.ack_thread.val() ^ bits::<16>(0x10);
        }
        self.ack_unit.next = self.ack_thread.val().get_bits::<12>(4);
        self.ack_row.next = bits::<4>(0);
        for r in 1..self._rows {
            if self.ack_unit.val() >= self.row_first[r].val() {
                self.ack_row.next = self.row_number[r].val();
            }
        }
        self.bus.in_valid[self._rows + 1].next = self.entity.ack_valid.val();
        self.bus.in_to[self._rows + 1].next = self.ack_row.val();
        self.bus.in_head[self._rows + 1].next = bits::<16>(0);
        self.bus.in_head[self._rows + 1].next.set_value_message(bits::<2>(2));
        self.bus.in_body[self._rows + 1].next = bits::<32>(0);
        self.bus.in_body[self._rows + 1].next.set_value_sem(self.entity.ack_sem.val());
        self.bus.in_body[self._rows + 1].next.set_value_thread(self.ack_thread.val());
        self.entity.ack_ready.next = self.bus.in_ready[self._rows + 1].val();
        self.messages_idle.next =
            self.rows_idle.val() && self.bus.idle.val() && !self.room.active.val() && !self.entity.active.val();
        self.dispatcher.messages_idle.next = self.messages_idle.val();
        AcquireDoneOut::join(&mut self.entity.done, &mut self.dispatcher.done);
    }

    /// The bus and the entity tell their events.
    fn bus_events(&mut self) {
        // Their events. A message is transferred when its receiver is ready.
        for r in 0..self._rows {
            self.bus_valid[r].next = self.traced.val() && self.bus.out_valid[r].val() && self.rows[r].ack_ready.val();
        }
        self.bus_valid[self._rows].next =
            self.traced.val() && self.bus.out_valid[self._rows].val() && self.room.in_ready.val();
        self.bus_valid[self._rows + 1].next =
            self.traced.val() && self.bus.out_valid[self._rows + 1].val() && self.entity.rel_ready.val();
        for k in 0..self._receivers {
            self.bus_from[k].next = bits::<4>(0);
            self.bus_head[k].next = bits::<16>(0);
            self.bus_body[k].next = bits::<32>(0);
            if self.traced.val() {
                self.bus_from[k].next = self.bus.out_from[k].val();
                self.bus_head[k].next = self.bus.out_head[k].val();
                self.bus_body[k].next = self.bus.out_body[k].val();
            }
        }
        self.pool_exhausted.next = self.traced.val() && self.room.exhausted.val();
        Quiet::<ListOperationOut>::join(&mut self.op, &mut Nothing);
        if self.traced.val() {
            ListOperationOut::link(&mut self.op, &mut self.entity.op);
        }
    }

    /// Two host registers say which list a start runs, and whether it does.
    fn graphics_start(&mut self) {
        // Graphics: host registers 0x1011 and 0x1012; a start with the second set runs the list.
        for k in 0..self._graphics {
            clock!(self, clock, graphics[k]);
            dff_setup!(self, clock, command_list[k], draws[k]);
            self.begin_frame[k].next = false;
            self.dispatcher.host_valid.next = self.host_valid.val() && !self.graphics[k].busy.val();
            if self.host_valid.val() && !self.busy.val() {
                if self.host_addr.val() == bits::<16>(0x1011) {
                    self.command_list[k].d.next = self.host_data.val();
                }
                if self.host_addr.val() == bits::<16>(0x1012) {
                    self.draws[k].d.next = self.host_data.val().get_bit(0);
                }
                if (self.host_addr.val() == bits::<16>(0x1000)) && self.draws[k].q.val() {
                    self.dispatcher.host_valid.next = false;
                    self.begin_frame[k].next = self.host_data.val().get_bit(0);
                }
            }
            self.graphics[k].start.next = self.begin_frame[k].val();
            self.graphics[k].list.next = self.command_list[k].q.val();
            self.graphics[k].memory_idle.next = self.memory_arbiter.idle.val();
            self.busy.next = self.dispatcher.busy.val() || self.graphics[k].busy.val();
            if self.begin_frame[k].val() {
                self.trap_seen.d.next = false;
            }
        }
    }

    /// Launches of graphics go to the event port and the rows, and ends come back.
    fn graphics_launch(&mut self) {
        for k in 0..self._graphics {
            // Its launches, beside those of the dispatcher: one of them is at rest.
            if self.graphics[k].launch.valid.val() {
                self.launch.valid.next = true;
                copy_fields!(self.graphics[k].launch => self.launch: unit, warp, mask, pc);
                self.launch.group_slot.next = self.graphics[k].launch.warp.val();
                self.launch.wait.next = bits::<4>(0);
            }
            for r in 0..self._rows {
                if self.graphics[k].launch.valid.val() {
                    self.rows[r].launch_valid.next = true;
                    self.rows[r].launch_unit.next = self.graphics[k].launch.unit.val();
                }
                WarpEndOut::join(&mut self.rows[r].end, &mut self.graphics[k].end[r]);
            }
        }
    }

    /// Each core gets the tags of a warp of graphics, and its launch.
    fn graphics_tags(&mut self) {
        for k in 0..self._graphics {
            for c in 0..self._cores {
                self.cores[c].start.next = self.dispatcher.start.val() || self.begin_frame[k].val();
                TagsOut::join(&mut self.graphics[k].tags, &mut self.cores[c].tags[k]);
                self.cores[c].tags[k].kind.next = bits::<2>(0);
                if self._config.twins() {
                    self.cores[c].twin[0].next = self.graphics[k].launch_twin[0].val();
                }
                if self.graphics[k].launch.valid.val() {
                    self.cores[c].tags[k].kind.next = self.graphics[k].tags.kind.val();
                    copy_fields!(self.graphics[k].launch => self.cores[c].launch: warp, mask, pc);
                    self.cores[c].launch.first.next = self.graphics[k].launch.warp.val();
                    self.cores[c].launch.wait.next = bits::<4>(0);
                    self.cores[c].launch.warps.next = bits::<5>(1);
                    self.cores[c].launch.shared_base.next = bits::<16>(0);
                }
            }
        }
    }

    /// Cores and graphics exchange state, vertices, results and reads of the store.
    fn graphics_cores(&mut self) {
        for k in 0..self._graphics {
            for c in 0..self._cores {
                WindowWriteOut::join(&mut self.graphics[k].window, &mut self.cores[c].window_write[k]);
                StateWriteOut::join(&mut self.graphics[k].state, &mut self.cores[c].state[k]);
                self.cores[c].number[k].next = self.core_number[c].val();
                VertexWordOut::join(&mut self.cores[c].vertex_word[k], &mut self.graphics[k].vertex_word[c]);
                if self._config.culls() {
                    self.graphics[k].vertex_word_cull[c].next = self.cores[c].vertex_word_cull[0].val();
                }
                ResultWordOut::join(&mut self.cores[c].result_word[k], &mut self.graphics[k].result_word[c]);
                StoreReadOut::join(&mut self.cores[c].store_req[k], &mut self.graphics[k].store_req[c]);
                StoreAnswerOut::join(&mut self.graphics[k].store_rsp, &mut self.cores[c].store_rsp[k]);
            }
            for u in 0..self._total {
                self.graphics[k].covered[u].next = self.cores[self._core_of[u]].covered[self._unit_of[u]].val();
            }
        }
    }

    /// Culling, windows, splitting and merging have their events and mates.
    fn graphics_options(&mut self) {
        for k in 0..self._graphics {
            for c in 0..self._cullers {
                CullEventOut::link(&mut self.cull[c], &mut self.graphics[k].culls[c]);
            }
            if self._config.culls() {
                AheadEventOut::link(&mut self.ahead[0], &mut self.graphics[k].aheads[0]);
            }
            if self._config.sorts() {
                WindowEventOut::link(&mut self.window[0], &mut self.graphics[k].windows[0]);
            }
            for u in 0..self._total {
                if self._config.splits() {
                    SplitEventOut::link(&mut self.split[u], &mut self.cores[self._core_of[u]].split[self._unit_of[u]]);
                }
                if self._config.merges() {
                    self.graphics[k].mates[u].next = self.cores[self._core_of[u]].mates[self._unit_of[u]].val();
                    MergeEventOut::link(&mut self.merge[u], &mut self.cores[self._core_of[u]].merge[self._unit_of[u]]);
                }
                if self._config.groups() {
                    self.graphics[k].mates_high[u].next =
                        self.cores[self._core_of[u]].mates_high[self._unit_of[u]].val();
                }
            }
        }
    }

    /// The clients of graphics are joined to the memory arbiter.
    fn graphics_memory(&mut self) {
        for k in 0..self._graphics {
            for m in 0..self._clients {
                LineRequestOut::join(&mut self.graphics[k].mem_req[m], &mut self.memory_arbiter.g_req[m]);
                self.graphics[k].mem_rsp_valid[m].next = self.memory_arbiter.g_rsp_valid[m].val();
            }
            for i in 0..4 {
                self.graphics[k].mem_rsp.data[i].next = self.mem_rsp_data[i].val();
            }
        }
    }

    /// Graphics tells its events.
    fn graphics_events(&mut self) {
        for k in 0..self._graphics {
            Quiet::<GraphicsLaunchedOut>::join(&mut self.glaunch[k], &mut Nothing);
            Quiet::<TriangleEventOut>::join(&mut self.tri[k], &mut Nothing);
            Quiet::<CommitEventOut>::join(&mut self.pix[k], &mut Nothing);
            Quiet::<StateEventOut>::join(&mut self.gstate[k], &mut Nothing);
            Quiet::<TileEventOut>::join(&mut self.tile[k], &mut Nothing);
            Quiet::<WorkEventOut>::join(&mut self.work[k], &mut Nothing);
            if self.traced.val() {
                copy_fields!(self.graphics[k].launch => self.glaunch[k]: valid, unit, warp, mask, pc, order);
                copy_fields!(self.graphics[k].tags => self.glaunch[k]:
                    kind, context, covered, mergeable, pair, member, others, flip, merge, split, cutoff
                );
                copy_fields!(self.graphics[k].commit => self.pix[k]:
                    valid, order, x, y, sample, target, last, coverage
                );
                for i in 0..4 {
                    copy_fields!(self.graphics[k].tags => self.glaunch[k]: place[i], depth[i], handle[i]);
                    copy_fields!(self.graphics[k].commit => self.pix[k]: depth[i], low[i], high[i]);
                }
                TriangleEventOut::link(&mut self.tri[k], &mut self.graphics[k].triangle_event);
                WorkEventOut::link(&mut self.work[k], &mut self.graphics[k].work);
                self.gstate[k].valid.next = self.graphics[k].state.valid.val()
                    && (self.graphics[k].state.word.val() == bits::<6>(state::VERTEX_FIRST));
                self.gstate[k].context.next = self.graphics[k].state.context.val();
                self.tile[k].valid.next = self.graphics[k].tile_written.val() || self.graphics[k].tile_reloaded.val();
                self.tile[k].written.next = self.graphics[k].tile_written.val();
                self.tile[k].reloaded.next = self.graphics[k].tile_reloaded.val();
            }
        }
    }

    /// The arbiter joins the memory port and the dispatcher.
    fn memory_port(&mut self) {
        LineFetchOut::join(&mut self.dispatcher.t_req, &mut self.memory_arbiter.t_req);
        self.dispatcher.t_rsp_valid.next = self.memory_arbiter.t_rsp_valid.val();
        self.dispatcher.t_rsp_data0.next = self.mem_rsp_data[0].val();
        self.dispatcher.t_rsp_data1.next = self.mem_rsp_data[1].val();
        self.dispatcher.t_rsp_data2.next = self.mem_rsp_data[2].val();
        self.dispatcher.t_rsp_data3.next = self.mem_rsp_data[3].val();
        copy_fields!(self.memory_arbiter => self:
            mem_req_valid, mem_req_addr, mem_req_write, mem_req_mask, mem_req_source, mem_rsp_ready
        );
        copy_fields!(self => self.memory_arbiter: mem_req_ready, mem_rsp_valid);
        self.mem_req_data[0].next = self.memory_arbiter.mem_req_data0.val();
        self.mem_req_data[1].next = self.memory_arbiter.mem_req_data1.val();
        self.mem_req_data[2].next = self.memory_arbiter.mem_req_data2.val();
        self.mem_req_data[3].next = self.memory_arbiter.mem_req_data3.val();
    }
}
