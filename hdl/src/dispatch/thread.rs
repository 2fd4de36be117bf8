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
use crate::base::{Each, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{
    AcquireDoneIn, CodePlaceOut, LaunchOut, LineFetchOut, SlotOfferOut, ThreadAcquireOut, WarpEndIn, WarpPlaceOut,
};

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
    /// Place of the code in memory.
    pub code: CodePlaceOut,
    /// Where a launched warp stands.
    pub place_ports: WarpPlaceOut,
    /// A thread is launched in this cycle.
    /// What the launched warp begins with.
    pub launch: LaunchOut,
    /// A warp has ended.
    pub end: Each<WarpEndIn>,
    /// A read of a line of memory.
    pub t_req: LineFetchOut,
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
    /// The dispatcher acquires a semaphore on behalf of a thread.
    pub acq: ThreadAcquireOut,
    /// An acquire of the dispatcher has succeeded.
    pub done: AcquireDoneIn,
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
            end: Each::new(config.rows),
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

#[kernel]
impl ThreadDispatcher {
    /// Registers keep what they have.
    fn registers(&mut self) {
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

    /// The host writes registers while nothing runs.
    fn host_writes(&mut self) {
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

    /// A register says whether programs need the function unit.
    fn function_need(&mut self) {
        if self._mixed {
            dff_setup!(self, clock, functions[0]);
            if self.host_valid.val() && !self.running.q.val() && (self.host_addr.val() == bits::<16>(0x1010)) {
                self.functions[0].d.next = self.host_data.val().get_bit(0);
            }
            self.account.functions[0].next = self.functions[0].q.val();
        }
    }

    /// The walk of a grid gets its sizes, and the slot that is offered.
    fn grid_walk(&mut self) {
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
        SlotOfferOut::join(&mut self.account.offer_ports, &mut self.walker.offer_ports);
        self.walker.offer_group_slot.next = self.account.offer_group_slot.val();
        self.walker.offer_shared_base.next = self.account.offer_shared_base.val();
    }

    /// The list of threads is read, and its threads are set up.
    fn thread_list(&mut self) {
        self.reader.start.next = self.go.val() && self.listed.val();
        self.reader.base.next = self.list.q.val();
        self.reader.threads.next = self.threads.q.val();
        LineFetchOut::link(&mut self.t_req, &mut self.reader.req);
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
        SlotOfferOut::join(&mut self.account.offer_ports, &mut self.setup.offer_ports);
        ThreadAcquireOut::link(&mut self.acq, &mut self.setup.acq);
        AcquireDoneIn::link(&mut self.done, &mut self.setup.done);
    }

    /// The accounts receive which slots are taken, and which are free again.
    fn accounts(&mut self) {
        self.account.start.next = self.go.val();
        self.account.pinned.next = self.pinned.q.val() && !self.listed.val();
        self.account.group_warps.next = self.warps.q.val().get_bits::<5>(0);
        self.account.group_slots.next = self.group_slots.q.val();
        self.account.shared_bytes.next = self.shared_bytes.q.val();
        self.account.seek.next = self.walker.seek.val();
        self.account.take.next = self.walker.take.val() || self.setup.take.val();
        for r in 0..self._rows {
            WarpEndIn::link(&mut self.end[r], &mut self.account.end[r]);
        }
    }

    /// Launches come from the walk of the grid, or from the list.
    fn launches(&mut self) {
        self.launch.valid.next = self.walker.launch_valid.val();
        WarpPlaceOut::link(&mut self.place_ports, &mut self.walker.place_ports);
        self.launch.warp.next = self.walker.launch_warp.val();
        self.launch.mask.next = self.walker.launch_mask.val();
        self.launch.pc.next = bits::<16>(0);
        self.launch.wait.next = bits::<4>(0);
        self.launch.group_x.next = self.walker.launch_group_x.val();
        self.launch.group_y.next = self.walker.launch_group_y.val();
        self.launch.group_z.next = self.walker.launch_group_z.val();
        self.launch.first.next = self.walker.launch_first.val();
        self.launch.warps.next = self.walker.launch_warps.val();
        self.launch.shared_base.next = self.walker.launch_shared_base.val();
        for i in 0..4 {
            self.launch.local_id[i].next = self.walker.launch_local_id[i].val();
        }
        self.index.next = bit_cast::<10, 8>(self.walker.place_ports.launch_warp_in_group.val()) << bits::<10>(2);
        if self.listed.val() {
            self.launch.valid.next = self.setup.launch_valid.val();
            self.place_ports.launch_unit.next = self.setup.launch_unit.val();
            fan_out!(self.setup.launch_warp => self.launch.warp, self.place_ports.launch_group_slot, self.launch.first);
            self.launch.mask.next = self.reader.b_word[0].val().get_value_mask();
            self.launch.pc.next = self.reader.b_word[0].val().get_value_pc();
            self.launch.wait.next = self.setup.launch_wait.val();
            self.launch.group_x.next = self.reader.b_word[1].val();
            self.launch.group_y.next = self.reader.b_word[2].val();
            self.launch.group_z.next = self.reader.b_word[3].val();
            self.place_ports.launch_warp_in_group.next = bits::<8>(0);
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

    /// A run is over when all is quiet, four cycles in succession.
    fn run(&mut self) {
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
        self.code.base.next = self.base.q.val();
        self.code.length.next = self.length.q.val();
    }
}
