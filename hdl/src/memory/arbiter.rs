//! The two arbiters of the memory system. Both keep the granted requester in a register: the grant
//! for the next cycle is chosen while the present one transfers, so there is no combinational path
//! from one requester's valid to another's ready. A requester keeps its request until it is taken.
//!
//! Fairness. The next grant goes to the next requester in cyclic order after the present one. A
//! request therefore waits for at most n - 1 transfers of others plus one cycle of switching (n:
//! number of requesters), however the others behave. A lone requester transfers every cycle. Both
//! claims are tested. (In the memory port's arbiter they hold for requests that no line lock holds
//! back; see there.) The likely mistake is a grant that moves away from a request that was not yet
//! taken, or a response that goes to the wrong requester.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

pub use super::sources::{
    graphics_clients, BINS_CLIENT, CULL_CLIENTS, DISPATCHER_ID, GRAPHICS_CLIENTS, GRAPHICS_ID, HI_Z_CLIENT, LSA_ID,
};
use super::LutRam;
use crate::base::{vector, Each, Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{LineFetchIn, LineRequestIn, MemoryRequestOut};

/// Chooses the warp unit whose memory instruction the core's load/store/atomic pipeline takes. The
/// data path (one multiplexer) is in the core.
#[derive(QuietBlock)]
pub struct UnitArbiter {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Request of unit i.
    pub request: Vec<Signal<In, bool>>,
    /// The pipeline takes the granted unit's request if there is one.
    pub ready: Signal<In, bool>,
    /// The granted unit (registered).
    pub grant: Signal<Out, Bits<3>>,
    granted: DFF<Bits<3>>,
    requested: Signal<Local, bool>,
    any: Signal<Local, bool>,
    any_index: Signal<Local, Bits<3>>,
    after: Signal<Local, bool>,
    after_index: Signal<Local, Bits<3>>,
    _n: usize,
    _active: bool,
}

impl UnitArbiter {
    /// An arbiter of `config.units` requesters.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            request: (0..config.units).map(|_| Signal::default()).collect(),
            ready: Signal::default(),
            grant: Signal::default(),
            granted: DFF::default(),
            requested: Signal::default(),
            any: Signal::default(),
            any_index: Signal::default(),
            after: Signal::default(),
            after_index: Signal::default(),
            _n: config.units,
            _active: true,
        }
    }
}

impl Logic for UnitArbiter {
    #[kernel]
    fn update(&mut self) {
        comment!("module: unit_arbiter");
        dff_setup!(self, clock, granted);
        self.grant.next = self.granted.q.val();
        self.requested.next = false;
        self.any.next = false;
        self.any_index.next = self.granted.q.val();
        self.after.next = false;
        self.after_index.next = bits::<3>(0);
        for i in 0..self._n {
            if self.request[i].val() {
                if self.granted.q.val() == i.to_bits::<3>() {
                    self.requested.next = true;
                }
                if !self.any.val() {
                    self.any.next = true;
                    self.any_index.next = i.to_bits::<3>();
                }
                if !self.after.val() && (self.granted.q.val() < i.to_bits::<3>()) {
                    self.after.next = true;
                    self.after_index.next = i.to_bits::<3>();
                }
            }
        }
        if !self.requested.val() || self.ready.val() {
            self.granted.d.next = self.any_index.val();
            if self.after.val() {
                self.granted.d.next = self.after_index.val();
            }
        }
    }
}

/// Puts the line requests of every core's load/store/atomic pipeline, of every unit's instruction
/// fetch, of graphics and of the thread dispatcher on the one memory port, and routes the
/// responses, which come in order, by a queue of requester numbers. The request side of the port is
/// registered. At most 16 requests per core are in flight, and never more than 64.
///
/// Line locks. A pipeline's request with `l_req_lock` is the read of an atomic: from its transfer
/// until that pipeline's write, which is its next request, requests of *other* pipelines to the
/// line wait; everything else goes on. A locking request also lets those pipelines go first that
/// waited for the line before it came (`before`), so a request waits for at most one atomic of each
/// other pipeline on its line. No deadlock: the holder's write is never held back, and who waits
/// for whom else is ordered by time. With one core no lock can be in anybody's way.
///
/// Planted fault `lock-ignored`: locks are ignored.
#[derive(Default, QuietBlock)]
pub struct MemoryArbiter {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Memory request of the load/store/atomic pipeline: the bundle holds one in this cycle.
    /// Requests of the cores' load/store/atomic pipelines.
    pub l_req: Each<LineRequestIn>,
    /// Memory response for the load/store/atomic pipeline: the bundle holds one in this cycle.
    pub l_rsp_valid: Vec<Signal<Out, bool>>,
    /// Memory response for the load/store/atomic pipeline: it is taken in this cycle if valid.
    pub l_rsp_ready: Vec<Signal<In, bool>>,
    /// A read of a line of memory.
    pub f_req: Each<LineFetchIn>,
    /// Instruction fetch, response: the bundle holds one in this cycle.
    pub f_rsp_valid: Vec<Signal<Out, bool>>,
    /// A read of a line of memory.
    pub t_req: LineFetchIn,
    /// The response of the thread dispatcher's oldest request is at the port; always taken.
    pub t_rsp_valid: Signal<Out, bool>,
    /// Graphics client i has a request; none without graphics. A request never locks.
    /// Requests of the graphics clients.
    pub g_req: Each<LineRequestIn>,
    /// The response of client i's oldest request is at the port; always taken.
    pub g_rsp_valid: Vec<Signal<Out, bool>>,
    /// Request at the port of memory, from the requester `source` of the table
    /// [`SOURCES`](super::sources::SOURCES).
    pub mem_req: MemoryRequestOut,
    /// Memory response: the bundle holds one in this cycle.
    pub mem_rsp_valid: Signal<In, bool>,
    /// Memory response: it is taken in this cycle if valid.
    pub mem_rsp_ready: Signal<Out, bool>,
    /// No request is waiting or in flight.
    pub idle: Signal<Out, bool>,

    granted: DFF<Bits<6>>,
    out_valid: DFF<bool>,
    out_addr: DFF<Bits<32>>,
    out_write: DFF<bool>,
    out_mask: DFF<Bits<16>>,
    out_data0: DFF<Bits<32>>,
    out_data1: DFF<Bits<32>>,
    out_data2: DFF<Bits<32>>,
    out_data3: DFF<Bits<32>>,
    out_source: DFF<Bits<6>>,
    // Requesters of what is in flight: a ring of banks of 16.
    route: Vec<LutRam>,
    head: DFF<Bits<7>>,
    tail: DFF<Bits<7>>,

    // Line locks, per pipeline; `before[c * n + d]`: c has waited since before the present request
    // of d came.
    locked: Vec<DFF<bool>>,
    locked_line: Vec<DFF<Bits<28>>>,
    waiting: Vec<DFF<bool>>,
    before: Vec<DFF<bool>>,
    held: Vec<Signal<Local, bool>>,
    eligible: Vec<Signal<Local, bool>>,
    transfer: Vec<Signal<Local, bool>>,

    used: Signal<Local, Bits<7>>,
    can: Signal<Local, bool>,
    requested: Signal<Local, bool>,
    /// By kind of client (instruction caches, pipelines, graphics): one requests; the first that
    /// does; one after the granted one does; the first of those.
    fetch_any: Signal<Local, bool>,
    fetch_index: Signal<Local, Bits<6>>,
    fetch_after: Signal<Local, bool>,
    fetch_after_index: Signal<Local, Bits<6>>,
    line_any: Signal<Local, bool>,
    line_index: Signal<Local, Bits<6>>,
    line_after: Signal<Local, bool>,
    line_after_index: Signal<Local, Bits<6>>,
    graphics_any: Signal<Local, bool>,
    graphics_index: Signal<Local, Bits<6>>,
    graphics_after: Signal<Local, bool>,
    graphics_after_index: Signal<Local, Bits<6>>,
    /// The first client that requests; one after the granted one does; the first of those.
    any_index: Signal<Local, Bits<6>>,
    after: Signal<Local, bool>,
    after_index: Signal<Local, Bits<6>>,
    bank: Signal<Local, Bits<2>>,
    from_bank: Signal<Local, Bits<2>>,
    owner: Signal<Local, Bits<6>>,
    present: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    capacity: Parameter<7>,
    bank_mask: Parameter<2>,
    fault_lock_ignored: Planted,
    _units: usize,
    #[size]
    _cores: usize,
    #[size]
    _clients: usize,
    _banks: usize,
    _active: bool,
}

impl MemoryArbiter {
    /// An arbiter of one pipeline per core, one fetch per unit and the thread dispatcher.
    pub fn new(config: &GpuConfig) -> Self {
        let (units, cores) = (config.total_units(), config.total_cores());
        let clients = graphics_clients(config);
        let banks = (cores + clients).next_power_of_two().min(4);
        Self {
            l_req: Each::new(cores),
            l_rsp_valid: vector(cores),
            l_rsp_ready: vector(cores),
            f_req: Each::new(units),
            f_rsp_valid: vector(units),
            g_req: Each::new(clients),
            g_rsp_valid: vector(clients),
            route: vector(banks),
            locked: vector(cores),
            locked_line: vector(cores),
            waiting: vector(cores),
            before: vector(cores * cores),
            held: vector(cores),
            eligible: vector(cores),
            transfer: vector(cores),
            capacity: Parameter::new(16 * banks as u64),
            bank_mask: Parameter::new(banks as u64 - 1),
            fault_lock_ignored: Planted::new(config.has(Fault::LockIgnored)),
            _units: units,
            _cores: cores,
            _clients: clients,
            _banks: banks,
            _active: true,
            ..Self::default()
        }
    }
}

#[kernel(wired)]
impl MemoryArbiter {
    /// The granted request goes on if the output is free and the queue has room.
    fn room(&mut self) {
        comment!("module: memory_arbiter");
        dff_setup!(
            self, clock, granted, out_valid, out_addr, out_write, out_mask, out_data0, out_data1, out_data2, out_data3,
            out_source, head, tail
        );

        // Requests: the granted one goes to the output register when that is free and the queue has
        // room.
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.can.next =
            (!self.out_valid.q.val() || self.mem_req.ready.val()) && (self.used.val() != self.capacity.val());
        if self.mem_req.ready.val() {
            self.out_valid.d.next = false;
        }
        self.requested.next = false;
    }

    /// Requests of the instruction fetches take part.
    fn fetches(&mut self) {
        self.fetch_any.next = false;
        self.fetch_index.next = bits::<6>(0);
        self.fetch_after.next = false;
        self.fetch_after_index.next = bits::<6>(0);
        for i in 0..self._units {
            self.f_req[i].ready.next = false;
            if self.granted.q.val() == i.to_bits::<6>() {
                self.f_req[i].ready.next = self.can.val();
            }
            if self.f_req[i].valid.val() {
                if self.granted.q.val() == i.to_bits::<6>() {
                    self.requested.next = true;
                    if self.can.val() {
                        self.out_valid.d.next = true;
                        self.out_addr.d.next = self.f_req[i].addr.val();
                        self.out_write.d.next = false;
                        self.out_mask.d.next = bits::<16>(0);
                    }
                }
                if !self.fetch_any.val() {
                    self.fetch_any.next = true;
                    self.fetch_index.next = i.to_bits::<6>();
                }
                if !self.fetch_after.val() && (self.granted.q.val() < i.to_bits::<6>()) {
                    self.fetch_after.next = true;
                    self.fetch_after_index.next = i.to_bits::<6>();
                }
            }
        }
    }

    /// A pipeline waits for another's lock on the line, an atomic for who came before it.
    fn holds(&mut self) {
        for d in 0..self._cores {
            self.held[d].next = false;
            for c in 0..self._cores {
                if c != d {
                    if self.locked[c].q.val()
                        && (self.locked_line[c].q.val() == self.l_req[d].addr.val().get_bits::<28>(4))
                    {
                        self.held[d].next = true;
                    }
                    if self.l_req[d].lock.val()
                        && self.waiting[c].q.val()
                        && (!self.waiting[d].q.val() || self.before[c * self._cores + d].q.val())
                        && (self.l_req[c].addr.val().get_bits::<28>(4) == self.l_req[d].addr.val().get_bits::<28>(4))
                    {
                        self.held[d].next = true;
                    }
                }
            }
            self.eligible[d].next = self.l_req[d].valid.val() && !self.held[d].val();
            self.l_req[d].ready.next = false;
            if (self.granted.q.val() == (32 + d).to_bits::<6>()) && !self.held[d].val() {
                self.l_req[d].ready.next = self.can.val();
            }
            if self.fault_lock_ignored.val() {
                self.eligible[d].next = self.l_req[d].valid.val();
                self.l_req[d].ready.next = self.can.val() && (self.granted.q.val() == (32 + d).to_bits::<6>());
            }
            self.transfer[d].next =
                self.eligible[d].val() && self.can.val() && (self.granted.q.val() == (32 + d).to_bits::<6>());
        }
    }

    /// Requests of pipelines that are not held back take part.
    fn pipelines(&mut self) {
        self.line_any.next = false;
        self.line_index.next = bits::<6>(0);
        self.line_after.next = false;
        self.line_after_index.next = bits::<6>(0);
        for d in 0..self._cores {
            if self.eligible[d].val() {
                if self.granted.q.val() == (32 + d).to_bits::<6>() {
                    self.requested.next = true;
                    if self.can.val() {
                        self.out_valid.d.next = true;
                        self.out_addr.d.next = self.l_req[d].addr.val();
                        self.out_write.d.next = self.l_req[d].write.val();
                        self.out_mask.d.next = self.l_req[d].mask.val();
                        self.out_data0.d.next = self.l_req[d].data[0].val();
                        self.out_data1.d.next = self.l_req[d].data[1].val();
                        self.out_data2.d.next = self.l_req[d].data[2].val();
                        self.out_data3.d.next = self.l_req[d].data[3].val();
                    }
                }
                if !self.line_any.val() {
                    self.line_any.next = true;
                    self.line_index.next = (32 + d).to_bits::<6>();
                }
                if !self.line_after.val() && (self.granted.q.val() < (32 + d).to_bits::<6>()) {
                    self.line_after.next = true;
                    self.line_after_index.next = (32 + d).to_bits::<6>();
                }
            }
        }
    }

    /// Locks of lines are kept, and who has waited before whom.
    fn locks(&mut self) {
        for d in 0..self._cores {
            dff_setup!(self, clock, locked[d], locked_line[d]);
            if self.transfer[d].val() && self.l_req[d].lock.val() {
                self.locked[d].d.next = true;
                self.locked_line[d].d.next = self.l_req[d].addr.val().get_bits::<28>(4);
            }
            if self.transfer[d].val() && self.l_req[d].write.val() {
                self.locked[d].d.next = false;
            }
            self.waiting[d].clock.next = self.clock.val();
            self.waiting[d].d.next = self.l_req[d].valid.val() && !self.transfer[d].val();
        }
        for c in 0..self._cores {
            for d in 0..self._cores {
                dff_setup!(self, clock, before[c * self._cores + d]);
                if c != d {
                    if !self.waiting[d].q.val() {
                        self.before[c * self._cores + d].d.next = self.waiting[c].q.val();
                    }
                    if self.transfer[c].val() || self.transfer[d].val() {
                        self.before[c * self._cores + d].d.next = false;
                    }
                }
            }
        }
    }

    /// Requests of the graphics clients take part.
    fn graphics(&mut self) {
        self.graphics_any.next = false;
        self.graphics_index.next = bits::<6>(0);
        self.graphics_after.next = false;
        self.graphics_after_index.next = bits::<6>(0);
        for k in 0..self._clients {
            self.g_req[k].ready.next = self.can.val() && (self.granted.q.val() == (48 + k).to_bits::<6>());
            if self.g_req[k].valid.val() {
                if self.granted.q.val() == (48 + k).to_bits::<6>() {
                    self.requested.next = true;
                    if self.can.val() {
                        self.out_valid.d.next = true;
                        self.out_addr.d.next = self.g_req[k].addr.val();
                        self.out_write.d.next = self.g_req[k].write.val();
                        self.out_mask.d.next = self.g_req[k].mask.val();
                        self.out_data0.d.next = self.g_req[k].data[0].val();
                        self.out_data1.d.next = self.g_req[k].data[1].val();
                        self.out_data2.d.next = self.g_req[k].data[2].val();
                        self.out_data3.d.next = self.g_req[k].data[3].val();
                    }
                }
                if !self.graphics_any.val() {
                    self.graphics_any.next = true;
                    self.graphics_index.next = (48 + k).to_bits::<6>();
                }
                if !self.graphics_after.val() && (self.granted.q.val() < (48 + k).to_bits::<6>()) {
                    self.graphics_after.next = true;
                    self.graphics_after_index.next = (48 + k).to_bits::<6>();
                }
            }
        }
    }

    /// The request of the thread dispatcher takes part.
    fn dispatcher(&mut self) {
        self.t_req.ready.next = self.can.val() && (self.granted.q.val() == bits::<6>(63));
        if self.t_req.valid.val() {
            if self.granted.q.val() == bits::<6>(63) {
                self.requested.next = true;
                if self.can.val() {
                    self.out_valid.d.next = true;
                    self.out_addr.d.next = self.t_req.addr.val();
                    self.out_write.d.next = false;
                    self.out_mask.d.next = bits::<16>(0);
                }
            }
        }
    }

    /// The next grant is chosen, and the output register stands at the port.
    fn grant(&mut self) {
        self.any_index.next = self.granted.q.val();
        self.after.next = false;
        self.after_index.next = bits::<6>(63);
        if self.t_req.valid.val() {
            self.any_index.next = bits::<6>(63);
            self.after.next = self.granted.q.val() < bits::<6>(63);
        }
        if self.graphics_any.val() {
            self.any_index.next = self.graphics_index.val();
        }
        if self.line_any.val() {
            self.any_index.next = self.line_index.val();
        }
        if self.fetch_any.val() {
            self.any_index.next = self.fetch_index.val();
        }
        if self.graphics_after.val() {
            self.after.next = true;
            self.after_index.next = self.graphics_after_index.val();
        }
        if self.line_after.val() {
            self.after.next = true;
            self.after_index.next = self.line_after_index.val();
        }
        if self.fetch_after.val() {
            self.after.next = true;
            self.after_index.next = self.fetch_after_index.val();
        }
        if !self.requested.val() || self.can.val() {
            self.granted.d.next = self.any_index.val();
            if self.after.val() {
                self.granted.d.next = self.after_index.val();
            }
        }
        if self.requested.val() && self.can.val() {
            self.out_source.d.next = self.granted.q.val();
            self.tail.d.next = self.tail.q.val() + bits::<7>(1);
        }
        self.mem_req.valid.next = self.out_valid.q.val();
        self.mem_req.addr.next = self.out_addr.q.val();
        self.mem_req.write.next = self.out_write.q.val();
        self.mem_req.mask.next = self.out_mask.q.val();
        self.mem_req.data[0].next = self.out_data0.q.val();
        self.mem_req.data[1].next = self.out_data1.q.val();
        self.mem_req.data[2].next = self.out_data2.q.val();
        self.mem_req.data[3].next = self.out_data3.q.val();
        self.mem_req.source.next = self.out_source.q.val();
    }

    /// A response goes to the requester at the head of the queue.
    fn responses(&mut self) {
        self.bank.next = self.tail.q.val().get_bits::<2>(4) & self.bank_mask.val();
        self.from_bank.next = self.head.q.val().get_bits::<2>(4) & self.bank_mask.val();
        self.owner.next = bits::<6>(0);
        for b in 0..self._banks {
            clock!(self, clock, route[b]);
            self.route[b].write_enable.next =
                self.requested.val() && self.can.val() && (self.bank.val() == b.to_bits::<2>());
            self.route[b].write_address.next = self.tail.q.val().get_bits::<4>(0);
            self.route[b].write_data.next = bit_cast::<32, 6>(self.granted.q.val());
            self.route[b].read_address.next = self.head.q.val().get_bits::<4>(0);
            if self.from_bank.val() == b.to_bits::<2>() {
                self.owner.next = self.route[b].read_data.val().get_bits::<6>(0);
            }
        }
        self.present.next = self.used.val().any() && self.mem_rsp_valid.val();
        self.pop.next = self.present.val();
        for i in 0..self._units {
            self.f_rsp_valid[i].next = self.present.val() && (self.owner.val() == i.to_bits::<6>());
        }
        for c in 0..self._cores {
            self.l_rsp_valid[c].next = false;
            if self.owner.val() == (32 + c).to_bits::<6>() {
                self.l_rsp_valid[c].next = self.present.val();
                self.pop.next = self.present.val() && self.l_rsp_ready[c].val();
            }
        }
        for k in 0..self._clients {
            self.g_rsp_valid[k].next = self.present.val() && (self.owner.val() == (48 + k).to_bits::<6>());
        }
        self.t_rsp_valid.next = self.present.val() && (self.owner.val() == bits::<6>(63));
        self.mem_rsp_ready.next = self.pop.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + bits::<7>(1);
        }
        self.idle.next = !self.used.val().any();
    }
}
