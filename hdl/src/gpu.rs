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
use crate::memory::arbiter::graphics_clients;
use crate::memory::MemoryArbiter;
use crate::ports::*;
use crate::semaphore::{SemaphoreEntity, ThreadView, WaitingRoom};

/// The whole machine.
#[derive(Default, QuietBlock)]
pub struct Gpu {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,

    /// Host port: a write of a host register.
    pub host: HostWriteIn,
    /// From the start until every group has been dispatched and every warp has ended.
    pub busy: Signal<Out, bool>,
    /// An instruction trapped since the last start; the first one's place follows.
    pub trapped: Signal<Out, bool>,
    /// The first trap since the last start.
    pub trap: FirstTrapOut,
    /// Memory port: requests.
    pub mem_req: MemoryRequestOut,
    /// Memory port: responses, in the order of the requests.
    pub mem_rsp: MemoryResponseIn,
    /// Event: a warp is placed into a slot.
    pub launch: LaunchedOut,
    /// Event: an instruction of unit i retires.
    pub ret: Each<RetireOut>,
    /// Event: a beat of a completion of unit i.
    pub mret: Each<CompletionOut>,
    /// Event: a line of unit i's shared storage is written.
    pub shw: Each<SharedWriteOut>,
    /// Event: unit i used its issue slot, or why it did not.
    pub slot_ports: Each<IssueSlotOut>,
    /// Event ports of the message bus, by receiver: row controllers, then the semaphore entity's
    /// acquire port and its release port.
    pub bus_ports: Each<BusMessageOut>,
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
    /// Event: streams of graphics that are not taken, and what is at work.
    pub stage: Each<StageEventOut>,

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
    fault_ack_wrong_core: Planted,
    #[size]
    _rows: usize,
    #[size]
    _row_of_core: Vec<usize>,
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
        let (cores, n) = (config.total_cores(), config.total_units());
        let units = config.unit_places();
        let graphics = usize::from(config.graphics);
        let row_of = |u: usize| units[u].core / config.cores;
        let slots_before = |c: usize| units.iter().find(|u| u.core >= c).map_or(config.total_slots(), |u| u.first_slot);
        Ok(Self {
            ret: Each::new(n),
            mret: Each::new(n),
            shw: Each::new(n),
            slot_ports: Each::new(n),
            bus_ports: Each::new(config.rows + 2),
            glaunch: Each::new(graphics),
            merge: Each::new(if config.merges() { n } else { 0 }),
            split: Each::new(if config.splits() { n } else { 0 }),
            cull: Each::new(config.cullers()),
            window: Each::new(usize::from(config.sorts())),
            ahead: Each::new(usize::from(config.culls())),
            tri: Each::new(graphics),
            pix: Each::new(graphics),
            gstate: Each::new(graphics),
            tile: Each::new(graphics),
            work: Each::new(graphics),
            stage: Each::new(graphics),
            graphics: (0..graphics).map(|_| GraphicsPipeline::new(config)).collect(),
            command_list: vector(graphics),
            draws: vector(graphics),
            begin_frame: vector(graphics),
            core_number: (0..cores * graphics).map(|c| Constant::new(bits(c as u64))).collect(),
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
            _row_of_core: (0..cores).map(|c| c / config.cores).collect(),
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
        copy_fields!(self.host => self.dispatcher: valid as host_valid, addr as host_addr, data as host_data);
        self.dispatcher.memory_idle.next = self.memory_arbiter.idle.val();
        self.busy.next = self.dispatcher.busy.val();
        copy_fields!(self.dispatcher.launch => self.launch: valid, warp, mask, pc, wait, group_x, group_y, group_z);
        copy_fields!(self.dispatcher.place_ports => self.launch:
            launch_unit as unit, launch_warp_in_group as warp_in_group, launch_group_slot as group_slot
        );
        self.trapped.next = self.trap_seen.q.val();
        copy_fields!(self => self.trap: trap_at_unit.q as unit, trap_at_warp.q as warp, trap_at_pc.q as pc);
        if self.dispatcher.start.val() {
            self.trap_seen.d.next = false;
        }
    }

    /// Each row controller is joined to the dispatcher and to the bus.
    fn rows(&mut self) {
        self.rows_idle.next = true;
        for r in 0..self._rows {
            let row = &mut self.rows[r];
            clock!(self, clock, rows[r]);
            row.row.next = self.row_number[r].val();
            copy_fields!(self.dispatcher => row: launch.valid as launch_valid, place_ports.launch_unit as launch_unit);
            WarpEndOut::join(&mut row.end, &mut self.dispatcher.end[r]);
            copy_fields!(row => self.bus:
                msg_valid as in_valid[r], msg_to as in_to[r], msg_head as in_head[r], msg_body as in_body[r]
            );
            row.msg_ready.next = self.bus.in_ready[r].val();
            copy_fields!(self.bus => row: out_valid[r] as ack_valid, out_body[r] as ack_body);
            self.bus.out_ready[r].next = row.ack_ready.val();
            if !row.idle.val() {
                self.rows_idle.next = false;
            }
        }
    }

    /// Each core has its numbers, constants, code, launches and a client of the memory arbiter.
    fn cores(&mut self) {
        for c in 0..self._config.total_cores() {
            let core = &mut self.cores[c];
            clock!(self, clock, cores[c]);
            copy_fields!(self => core: first_unit[c] as _, first_slot[c] as _);
            core.constant_write.valid.next = self.host.valid.val() && (self.host.addr.val() < bits::<16>(0x400));
            core.constant_write.addr.next = self.host.addr.val().get_bits::<10>(0);
            core.constant_write.data.next = self.host.data.val();
            CodePlaceOut::join(&mut self.dispatcher.code, &mut core.code);
            core.start.next = self.dispatcher.start.val();
            LaunchDataOut::join(&mut self.dispatcher.launch, &mut core.launch);
            core.ack_warp.next = self.rows[self._row_of_core[c]].unit_ack_warp.val();
            LineRequestOut::join(&mut core.m_req, &mut self.memory_arbiter.l_req[c]);
            core.m_rsp.valid.next = self.memory_arbiter.l_rsp_valid[c].val();
            self.memory_arbiter.l_rsp_ready[c].next = core.m_rsp.ready.val();
            copy_fields!(for i in 0..4; self.mem_rsp => core.m_rsp: data[i]);
        }
    }

    /// Each unit is joined to its row controller, its fetches, its events and its view.
    fn units(&mut self) {
        for u in 0..self._config.total_units() {
            let core = &mut self.cores[self._core_of[u]];
            let row = &mut self.rows[self._row_of[u]];
            core.launch_valid[self._unit_of[u]].next = row.unit_launch[self._place_of[u]].val();
            row.slot_free[self._place_of[u]].next = core.slot_free[self._unit_of[u]].val();
            SemaphoreMessageOut::join(&mut core.sem_msg[self._unit_of[u]], &mut row.sem_msg[self._place_of[u]]);
            core.ack_valid[self._unit_of[u]].next = row.unit_ack[self._place_of[u]].val();
            LineFetchOut::join(&mut core.f_req[self._unit_of[u]], &mut self.memory_arbiter.f_req[u]);
            core.f_rsp_valid[self._unit_of[u]].next = self.memory_arbiter.f_rsp_valid[u].val();

            if core.trap[self._unit_of[u]].valid.val() && !self.trap_seen.q.val() {
                self.trap_seen.d.next = true;
                self.trap_at_unit.d.next = u.to_bits::<6>();
                copy_fields!(core.trap[self._unit_of[u]] => self: warp as trap_at_warp.d, pc as trap_at_pc.d);
            }

            RetireOut::link(&mut self.ret[u], &mut core.ret[self._unit_of[u]]);
            CompletionOut::link(&mut self.mret[u], &mut core.mret[self._unit_of[u]]);
            SharedWriteOut::link(&mut self.shw[u], &mut core.shw[self._unit_of[u]]);
            copy_fields!(core => self.slot_ports[u]:
                issue_valid[self._unit_of[u]] as _, waiting[self._unit_of[u]] as _
            );
            self.slot_ports[u].stall_no_warp.next = core.stall[self._unit_of[u]].val().get_bit(0);
            self.slot_ports[u].stall_memory.next = core.stall[self._unit_of[u]].val().get_bit(1);
            self.slot_ports[u].stall_fetch.next = core.stall[self._unit_of[u]].val().get_bit(2);
            self.slot_ports[u].stall_port.next = core.stall[self._unit_of[u]].val().get_bit(3);
            self.slot_ports[u].stall_semaphore.next = core.stall[self._unit_of[u]].val().get_bit(4);

            let view = &mut self.views[u];
            clock!(self, clock, views[u]);
            view.unit.next = u.to_bits::<6>();
            copy_fields!(self.dispatcher => view:
                launch.valid as launch_valid, place_ports.launch_unit as launch_unit, launch.warp as launch_warp
            );
            copy_fields!(row.end => view: valid as end_valid, unit as end_unit, warp as end_warp);
            view.acq_valid.next = self.bus.out_valid[self._rows].val()
                && self.room.in_ready.val()
                && !self.bus.out_head[self._rows].val().get_value_suppress();
            unpack_fields!(self.bus.out_body[self._rows] => view: thread as acq_thread, sem as acq_sem);
            view.waiting.next = core.waiting[self._unit_of[u]].val();
        }
    }

    /// The dispatcher, the bus, the waiting room and the entity are joined.
    fn semaphores(&mut self) {
        // Message bus and semaphore entity. The dispatcher's place on the bus is sender `rows`, the
        // entity's `rows + 1`.
        copy_fields!(self.dispatcher.acq => self.bus:
            valid as in_valid[self._rows], head as in_head[self._rows], body as in_body[self._rows]
        );
        self.dispatcher.acq.ready.next = self.bus.in_ready[self._rows].val();
        self.bus.in_to[self._rows].next = self.acquire_port.val();
        fan_out!(self.dispatcher.start => self.entity.start, self.room.start);
        self.room.in_valid.next = self.bus.out_valid[self._rows].val();
        unpack_fields!(self.bus.out_body[self._rows] => self.room: sem as in_sem, thread as in_thread);
        unpack_fields!(self.bus.out_head[self._rows] => self.room:
            auto as in_auto, suppress as in_suppress, notify as in_notify, tag as in_tag
        );
        SemaphoreAcquireOut::join(&mut self.room.acq, &mut self.entity.acq);
        copy_fields!(self.entity => self.room: entry_free, emptied);
        self.bus.out_ready[self._rows].next = self.room.in_ready.val();
        self.entity.rel_valid.next = self.bus.out_valid[self._rows + 1].val();
        unpack_fields!(self.bus.out_body[self._rows + 1] => self.entity: sem as rel_sem, thread as rel_thread);
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

    /// Bus, waiting room and entity have their events.
    fn bus_events(&mut self) {
        // A message is transferred when its receiver is ready.
        for k in 0..self._rows + 2 {
            Quiet::<BusMessageOut>::join(&mut self.bus_ports[k], &mut Nothing);
            if self.traced.val() {
                self.bus_ports[k].bus_valid.next = self.bus.out_valid[k].val();
                copy_fields!(self.bus => self.bus_ports[k]:
                    out_from[k] as bus_from, out_head[k] as bus_head, out_body[k] as bus_body
                );
            }
        }
        for r in 0..self._rows {
            if !self.rows[r].ack_ready.val() {
                self.bus_ports[r].bus_valid.next = false;
            }
        }
        if !self.room.in_ready.val() {
            self.bus_ports[self._rows].bus_valid.next = false;
        }
        if !self.entity.rel_ready.val() {
            self.bus_ports[self._rows + 1].bus_valid.next = false;
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
        for k in 0..usize::from(self._config.graphics) {
            clock!(self, clock, graphics[k]);
            dff_setup!(self, clock, command_list[k], draws[k]);
            self.begin_frame[k].next = false;
            self.dispatcher.host_valid.next = self.host.valid.val() && !self.graphics[k].busy.val();
            if self.host.valid.val() && !self.busy.val() {
                if self.host.addr.val() == bits::<16>(0x1011) {
                    self.command_list[k].d.next = self.host.data.val();
                }
                if self.host.addr.val() == bits::<16>(0x1012) {
                    self.draws[k].d.next = self.host.data.val().get_bit(0);
                }
                if (self.host.addr.val() == bits::<16>(0x1000)) && self.draws[k].q.val() {
                    self.dispatcher.host_valid.next = false;
                    self.begin_frame[k].next = self.host.data.val().get_bit(0);
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
        for k in 0..usize::from(self._config.graphics) {
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
        for k in 0..usize::from(self._config.graphics) {
            for c in 0..self._config.total_cores() {
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
        for k in 0..usize::from(self._config.graphics) {
            for c in 0..self._config.total_cores() {
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
            for u in 0..self._config.total_units() {
                self.graphics[k].covered[u].next = self.cores[self._core_of[u]].covered[self._unit_of[u]].val();
            }
        }
    }

    /// Culling, windows, splitting and merging have their events and mates.
    fn graphics_options(&mut self) {
        for k in 0..usize::from(self._config.graphics) {
            for c in 0..self._config.cullers() {
                CullEventOut::link(&mut self.cull[c], &mut self.graphics[k].culls[c]);
            }
            if self._config.culls() {
                AheadEventOut::link(&mut self.ahead[0], &mut self.graphics[k].aheads[0]);
            }
            if self._config.sorts() {
                WindowEventOut::link(&mut self.window[0], &mut self.graphics[k].windows[0]);
            }
            for u in 0..self._config.total_units() {
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
        for k in 0..usize::from(self._config.graphics) {
            for m in 0..graphics_clients(&self._config) {
                LineRequestOut::join(&mut self.graphics[k].mem_req[m], &mut self.memory_arbiter.g_req[m]);
                self.graphics[k].mem_rsp_valid[m].next = self.memory_arbiter.g_rsp_valid[m].val();
            }
            copy_fields!(for i in 0..4; self.mem_rsp => self.graphics[k].mem_rsp: data[i]);
        }
    }

    /// Graphics tells its events.
    fn graphics_events(&mut self) {
        for k in 0..usize::from(self._config.graphics) {
            Quiet::<GraphicsLaunchedOut>::join(&mut self.glaunch[k], &mut Nothing);
            Quiet::<TriangleEventOut>::join(&mut self.tri[k], &mut Nothing);
            Quiet::<CommitEventOut>::join(&mut self.pix[k], &mut Nothing);
            Quiet::<StateEventOut>::join(&mut self.gstate[k], &mut Nothing);
            Quiet::<TileEventOut>::join(&mut self.tile[k], &mut Nothing);
            Quiet::<WorkEventOut>::join(&mut self.work[k], &mut Nothing);
            Quiet::<StageEventOut>::join(&mut self.stage[k], &mut Nothing);
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
                StageEventOut::link(&mut self.stage[k], &mut self.graphics[k].stage);
                self.gstate[k].valid.next = self.graphics[k].state.valid.val()
                    && (self.graphics[k].state.word.val() == bits::<6>(state::VERTEX_FIRST));
                self.gstate[k].context.next = self.graphics[k].state.context.val();
                self.tile[k].valid.next = self.graphics[k].tile_written.val() || self.graphics[k].tile_reloaded.val();
                copy_fields!(self.graphics[k] => self.tile[k]: tile_written as written, tile_reloaded as reloaded);
            }
        }
    }

    /// The arbiter joins the memory port and the dispatcher.
    fn memory_port(&mut self) {
        LineFetchOut::join(&mut self.dispatcher.t_req, &mut self.memory_arbiter.t_req);
        self.dispatcher.t_rsp_valid.next = self.memory_arbiter.t_rsp_valid.val();
        copy_fields!(self.mem_rsp => self.dispatcher:
            data[0] as t_rsp_data0, data[1] as t_rsp_data1, data[2] as t_rsp_data2, data[3] as t_rsp_data3
        );
        MemoryRequestOut::link(&mut self.mem_req, &mut self.memory_arbiter.mem_req);
        self.memory_arbiter.mem_rsp_valid.next = self.mem_rsp.valid.val();
        self.mem_rsp.ready.next = self.memory_arbiter.mem_rsp_ready.val();
    }
}
