//! Thread dispatcher (`SE-1`): host registers, the choice between a grid of work groups
//! ([`GridWalker`]) and a list of threads ([`ListReader`], [`ThreadSetup`]), the accounts of the
//! warp slots ([`SlotAccount`]), and `busy`. What launches and when is the parts' matter; here are
//! wires, registers and the end of a run.
//!
//! A run is over when everything has been launched, every slot is free, and memory and messages are
//! idle, four cycles in succession: a message that is between two blocks in a cycle in which
//! neither has it does not end the run. It can be wrong in letting `busy` fall too early (planted
//! fault `dispatch-busy-early`).

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::records::Thread;
use super::{GridWalker, ListReader, SlotAccount, ThreadSetup};
use crate::base::parts::Part;
use crate::base::Planted;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::LaunchOut;
use crate::{comment, kernel_of};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ThreadDispatcher {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A host register is written; ignored while `busy`.
    pub host_valid: Signal<In, bool>,
    /// Its address (`docs/machine.md`).
    pub host_addr: Signal<In, Bits<16>>,
    /// The value.
    pub host_data: Signal<In, Bits<32>>,
    /// From the start until every thread has been launched and has ended.
    pub busy: Signal<Out, bool>,
    /// One cycle: a new run begins; code registers are valid.
    pub start: Signal<Out, bool>,
    /// Byte address of instruction 0.
    pub code_base: Signal<Out, Bits<32>>,
    /// Instructions of the program.
    pub code_length: Signal<Out, Bits<32>>,
    /// Its unit, by its number in the machine.
    pub launch_unit: Signal<Out, Bits<6>>,
    /// A thread is launched in this cycle.
    /// What the launched warp begins with.
    pub launch: LaunchOut,
    /// Number of the warp in its group.
    pub launch_warp_in_group: Signal<Out, Bits<8>>,
    /// Group slot of a pinned group, else the warp slot.
    pub launch_group_slot: Signal<Out, Bits<4>>,
    /// A thread of row i has ended.
    pub end_valid: Vec<Signal<In, bool>>,
    /// Its unit, by its number in the machine.
    pub end_unit: Vec<Signal<In, Bits<6>>>,
    /// Its warp slot.
    pub end_warp: Vec<Signal<In, Bits<4>>>,
    /// A line of the thread list is asked for.
    pub t_req_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub t_req_ready: Signal<In, bool>,
    /// Its byte address, multiple of 16.
    pub t_req_addr: Signal<Out, Bits<32>>,
    /// The oldest line asked for comes; it is always taken.
    pub t_rsp_valid: Signal<In, bool>,
    /// Word 0 of the line.
    pub t_rsp_data0: Signal<In, Bits<32>>,
    /// Word 1 of the line.
    pub t_rsp_data1: Signal<In, Bits<32>>,
    /// Word 2 of the line.
    pub t_rsp_data2: Signal<In, Bits<32>>,
    /// Word 3 of the line.
    pub t_rsp_data3: Signal<In, Bits<32>>,
    /// An ACQ_MSG is offered to the bus.
    pub acq_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub acq_ready: Signal<In, bool>,
    /// Kind 1:0 = 0, auto-release 2, acknowledge-suppress 3, completion wanted 4, place of the
    /// thread 7:5.
    pub acq_head: Signal<Out, Bits<16>>,
    /// Semaphore 15:0, thread 31:16.
    pub acq_body: Signal<Out, Bits<32>>,
    /// An ACQ_MSG has had its effect.
    pub done_valid: Signal<In, bool>,
    /// Bits 7:5 of its head.
    pub done_tag: Signal<In, Bits<3>>,
    /// It has acknowledge-suppress.
    pub done_suppress: Signal<In, bool>,
    /// No message is in rows, bus or entity.
    pub messages_idle: Signal<In, bool>,
    /// Nothing on its way to or from memory.
    pub memory_idle: Signal<In, bool>,
    // Host registers.
    base: DFF<Bits<32>>,
    length: DFF<Bits<32>>,
    grid_x: DFF<Bits<32>>,
    grid_y: DFF<Bits<32>>,
    grid_z: DFF<Bits<32>>,
    size_x: DFF<Bits<11>>,
    size_y: DFF<Bits<11>>,
    size_z: DFF<Bits<11>>,
    warps: DFF<Bits<9>>,
    pinned: DFF<bool>,
    group_slots: DFF<Bits<5>>,
    shared_bytes: DFF<Bits<16>>,
    cutoff: DFF<Bits<6>>,
    list: DFF<Bits<32>>,
    threads: DFF<Bits<32>>,
    /// The program needs the function unit; only if cores differ (SE-3).
    functions: Vec<DFF<bool>>,
    // The run.
    running: DFF<bool>,
    settle: DFF<Bits<2>>,
    walker: GridWalker,
    reader: ListReader,
    setup: ThreadSetup,
    account: SlotAccount,
    go: Signal<Local, bool>,
    listed: Signal<Local, bool>,
    quiet: Signal<Local, bool>,
    index: Signal<Local, Bits<10>>,
    fault_dispatch_busy_early: Planted,
    _rows: usize,
    _mixed: bool,
    _active: bool,
}

impl ThreadDispatcher {
    /// A dispatcher for all units of the machine.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            end_valid: (0..config.rows).map(|_| Signal::default()).collect(),
            end_unit: (0..config.rows).map(|_| Signal::default()).collect(),
            end_warp: (0..config.rows).map(|_| Signal::default()).collect(),
            walker: GridWalker::new(config),
            reader: ListReader::new(),
            setup: ThreadSetup::new(config),
            // Compute threads have no partners.
            account: SlotAccount::new(&GpuConfig { merge: false, split: false, ..config.clone() }),
            functions: (0..usize::from(config.is_mixed())).map(|_| DFF::default()).collect(),
            fault_dispatch_busy_early: Planted::new(config.has(Fault::DispatchBusyEarly)),
            _mixed: config.is_mixed(),
            _rows: config.rows,
            _active: true,
            ..Default::default()
        }
    }
}

impl Part<Registers> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        comment!("module: thread_dispatcher");
        dff_setup!(
            self,
            clock,
            base,
            length,
            grid_x,
            grid_y,
            grid_z,
            size_x,
            size_y,
            size_z,
            warps,
            pinned,
            group_slots,
            shared_bytes,
            cutoff,
            list
        );
        dff_setup!(self, clock, threads, running, settle);
        clock!(self, clock, walker, reader, setup, account);
    }
}

impl Part<HostWrites> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        // Host registers.
        self.go.next = false;
        if self.host_valid.val() && !self.running.q.val() {
            if self.host_addr.val() == bits::<16>(0x1000) {
                self.go.next = self.host_data.val().get_bit(0);
            }
            if self.host_addr.val() == bits::<16>(0x1001) {
                self.base.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1002) {
                self.length.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1003) {
                self.grid_x.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1004) {
                self.grid_y.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1005) {
                self.grid_z.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1006) {
                self.size_x.d.next = self.host_data.val().get_bits::<11>(0);
            }
            if self.host_addr.val() == bits::<16>(0x1007) {
                self.size_y.d.next = self.host_data.val().get_bits::<11>(0);
            }
            if self.host_addr.val() == bits::<16>(0x1008) {
                self.size_z.d.next = self.host_data.val().get_bits::<11>(0);
            }
            if self.host_addr.val() == bits::<16>(0x1009) {
                self.warps.d.next = self.host_data.val().get_bits::<9>(0);
            }
            if self.host_addr.val() == bits::<16>(0x100A) {
                self.pinned.d.next = self.host_data.val().get_bit(0);
            }
            if self.host_addr.val() == bits::<16>(0x100B) {
                self.group_slots.d.next = self.host_data.val().get_bits::<5>(0);
            }
            if self.host_addr.val() == bits::<16>(0x100C) {
                self.shared_bytes.d.next = self.host_data.val().get_bits::<16>(0);
            }
            if self.host_addr.val() == bits::<16>(0x100D) {
                self.cutoff.d.next = self.host_data.val().get_bits::<6>(0);
            }
            if self.host_addr.val() == bits::<16>(0x100E) {
                self.list.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x100F) {
                self.threads.d.next = self.host_data.val();
            }
        }
    }
}

impl Part<FunctionNeed> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        if self._mixed {
            dff_setup!(self, clock, functions[0]);
            if self.host_valid.val() && !self.running.q.val() && (self.host_addr.val() == bits::<16>(0x1010)) {
                self.functions[0].d.next = self.host_data.val().get_bit(0);
            }
            self.account.functions[0].next = self.functions[0].q.val();
        }
    }
}

impl Part<GridWalk> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        self.listed.next = self.threads.q.val() != bits::<32>(0);
        self.walker.start.next = self.go.val() && !self.listed.val();
        self.walker.grid_x.next = self.grid_x.q.val();
        self.walker.grid_y.next = self.grid_y.q.val();
        self.walker.grid_z.next = self.grid_z.q.val();
        self.walker.size_x.next = self.size_x.q.val();
        self.walker.size_y.next = self.size_y.q.val();
        self.walker.size_z.next = self.size_z.q.val();
        self.walker.warps.next = self.warps.q.val();
        self.walker.pinned.next = self.pinned.q.val();
        self.walker.offer.next = self.account.offer.val();
        self.walker.offer_unit.next = self.account.offer_unit.val();
        self.walker.offer_warp.next = self.account.offer_warp.val();
        self.walker.offer_group_slot.next = self.account.offer_group_slot.val();
        self.walker.offer_shared_base.next = self.account.offer_shared_base.val();
    }
}

impl Part<ThreadList> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        self.reader.start.next = self.go.val() && self.listed.val();
        self.reader.base.next = self.list.q.val();
        self.reader.threads.next = self.threads.q.val();
        self.t_req_valid.next = self.reader.req_valid.val();
        self.t_req_addr.next = self.reader.req_addr.val();
        self.reader.req_ready.next = self.t_req_ready.val();
        self.reader.rsp_valid.next = self.t_rsp_valid.val();
        self.reader.rsp_data[0].next = self.t_rsp_data0.val();
        self.reader.rsp_data[1].next = self.t_rsp_data1.val();
        self.reader.rsp_data[2].next = self.t_rsp_data2.val();
        self.reader.rsp_data[3].next = self.t_rsp_data3.val();
        self.reader.head.next = self.setup.head.val();
        self.reader.a_address.next = self.setup.a_address.val();
        self.reader.b_address.next = self.setup.b_address.val();
        self.setup.start.next = self.go.val() && self.listed.val();
        self.setup.threads.next = self.threads.q.val();
        self.setup.tail.next = self.reader.tail.val();
        for k in 0..4 {
            self.setup.a_word[k].next = self.reader.a_word[k].val();
            self.setup.b_word[k].next = self.reader.b_word[k].val();
        }
        self.setup.offer.next = self.account.offer.val();
        self.setup.offer_unit.next = self.account.offer_unit.val();
        self.setup.offer_warp.next = self.account.offer_warp.val();
        self.setup.acq_ready.next = self.acq_ready.val();
        self.setup.done_valid.next = self.done_valid.val();
        self.setup.done_tag.next = self.done_tag.val();
        self.setup.done_suppress.next = self.done_suppress.val();
        self.acq_valid.next = self.setup.acq_valid.val();
        self.acq_head.next = self.setup.acq_head.val();
        self.acq_body.next = self.setup.acq_body.val();
    }
}

impl Part<Accounts> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        self.account.start.next = self.go.val();
        self.account.pinned.next = self.pinned.q.val() && !self.listed.val();
        self.account.group_warps.next = self.warps.q.val().get_bits::<5>(0);
        self.account.group_slots.next = self.group_slots.q.val();
        self.account.shared_bytes.next = self.shared_bytes.q.val();
        self.account.seek.next = self.walker.seek.val();
        self.account.take.next = self.walker.take.val() || self.setup.take.val();
        for r in 0..self._rows {
            self.account.end_valid[r].next = self.end_valid[r].val();
            self.account.end_unit[r].next = self.end_unit[r].val();
            self.account.end_warp[r].next = self.end_warp[r].val();
        }
    }
}

impl Part<Launches> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        self.launch.valid.next = self.walker.launch_valid.val();
        self.launch_unit.next = self.walker.launch_unit.val();
        self.launch.warp.next = self.walker.launch_warp.val();
        self.launch.mask.next = self.walker.launch_mask.val();
        self.launch.pc.next = bits::<16>(0);
        self.launch.wait.next = bits::<4>(0);
        self.launch.group_x.next = self.walker.launch_group_x.val();
        self.launch.group_y.next = self.walker.launch_group_y.val();
        self.launch.group_z.next = self.walker.launch_group_z.val();
        self.launch_warp_in_group.next = self.walker.launch_warp_in_group.val();
        self.launch_group_slot.next = self.walker.launch_group_slot.val();
        self.launch.first.next = self.walker.launch_first.val();
        self.launch.warps.next = self.walker.launch_warps.val();
        self.launch.shared_base.next = self.walker.launch_shared_base.val();
        for i in 0..4 {
            self.launch.local_id[i].next = self.walker.launch_local_id[i].val();
        }
        self.index.next = bit_cast::<10, 8>(self.walker.launch_warp_in_group.val()) << bits::<10>(2);
        if self.listed.val() {
            self.launch.valid.next = self.setup.launch_valid.val();
            self.launch_unit.next = self.setup.launch_unit.val();
            fan_out!(self.setup.launch_warp => self.launch.warp, self.launch_group_slot, self.launch.first);
            self.launch.mask.next = self.reader.b_word[0].val().get_value_mask();
            self.launch.pc.next = self.reader.b_word[0].val().get_value_pc();
            self.launch.wait.next = self.setup.launch_wait.val();
            self.launch.group_x.next = self.reader.b_word[1].val();
            self.launch.group_y.next = self.reader.b_word[2].val();
            self.launch.group_z.next = self.reader.b_word[3].val();
            self.launch_warp_in_group.next = bits::<8>(0);
            self.launch.warps.next = bits::<5>(1);
            self.launch.shared_base.next = bits::<16>(0);
            self.launch.local_id[0].next = bits::<30>(0);
            self.launch.local_id[1].next = bits::<30>(1);
            self.launch.local_id[2].next = bits::<30>(2);
            self.launch.local_id[3].next = bits::<30>(3);
            self.index.next = bits::<10>(0);
        }
        self.launch.index[0].next = self.index.val();
        self.launch.index[1].next = self.index.val() | bits::<10>(1);
        self.launch.index[2].next = self.index.val() | bits::<10>(2);
        self.launch.index[3].next = self.index.val() | bits::<10>(3);
    }
}

impl Part<Run> for ThreadDispatcher {
    #[kernel]
    fn update(&mut self) {
        self.quiet.next = !self.walker.active.val()
            && !self.setup.active.val()
            && self.account.empty.val()
            && self.memory_idle.val()
            && (self.messages_idle.val() || self.fault_dispatch_busy_early.val());
        self.settle.d.next = bits::<2>(0);
        if self.running.q.val() && self.quiet.val() {
            self.settle.d.next = self.settle.q.val() + bits::<2>(1);
            if self.settle.q.val() == bits::<2>(3) {
                self.running.d.next = false;
            }
        }
        if self.go.val() {
            self.running.d.next = true;
        }
        self.busy.next = self.running.q.val();
        self.start.next = self.go.val();
        self.code_base.next = self.base.q.val();
        self.code_length.next = self.length.q.val();
    }
}

kernel_of! { ThreadDispatcher:
    /// Registers keep what they have.
    Registers,
    /// The host writes registers while nothing runs.
    HostWrites,
    /// A register says whether programs need the function unit.
    FunctionNeed,
    /// The walk of a grid gets its sizes, and the slot that is offered.
    GridWalk,
    /// The list of threads is read, and its threads are set up.
    ThreadList,
    /// The accounts receive which slots are taken, and which are free again.
    Accounts,
    /// Launches come from the walk of the grid, or from the list.
    Launches,
    /// A run is over when all is quiet, four cycles in succession.
    Run,
}
