//! The two arbiters of the memory system. Both keep the granted requester in a register: the grant for the next cycle is chosen while the present
//! one transfers, so there is no combinational path from one requester's valid to another's ready. A requester keeps its request until it is taken.
//!
//! Fairness. The next grant goes to the next requester in cyclic order after the present one. A request therefore waits for at most n - 1 transfers of
//! others plus one cycle of switching (n: number of requesters), however the others behave. A lone requester transfers every cycle.
//! Both claims are tested. The likely mistake is a grant that moves away from a request that was not yet taken, or a response that goes to
//! the wrong requester.

use rust_hdl::prelude::*;

use super::LutRam;
use crate::config::GpuConfig;
use crate::{comment, quiet_block};

/// The requester number of the load/store/atomic pipeline in [`MemoryArbiter`]; smaller ones are warp units' fetches.
pub const LSA_ID: u64 = 8;

/// Chooses the warp unit whose memory instruction the core's load/store/atomic pipeline takes. The data path (one multiplexer) is in the core.
pub struct UnitArbiter {
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

quiet_block!(UnitArbiter {
    inputs: clock, request, ready;
    inner: grant, granted, requested, any, any_index, after, after_index
});

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
    #[hdl_gen]
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

/// Puts the line requests of the load/store/atomic pipeline and of every unit's instruction fetch on the one memory port, and routes the
/// responses, which come in order, by a queue of requester numbers. The request side of the port is registered. At most 16 requests are in flight.
pub struct MemoryArbiter {
    pub clock: Signal<In, Clock>,
    pub l_req_valid: Signal<In, bool>,
    pub l_req_ready: Signal<Out, bool>,
    pub l_req_addr: Signal<In, Bits<32>>,
    pub l_req_write: Signal<In, bool>,
    pub l_req_mask: Signal<In, Bits<16>>,
    pub l_req_data0: Signal<In, Bits<32>>,
    pub l_req_data1: Signal<In, Bits<32>>,
    pub l_req_data2: Signal<In, Bits<32>>,
    pub l_req_data3: Signal<In, Bits<32>>,
    pub l_rsp_valid: Signal<Out, bool>,
    pub l_rsp_ready: Signal<In, bool>,
    /// Fetch request of unit i, its line address, and its response (data is that of the port; always taken).
    pub f_req_valid: Vec<Signal<In, bool>>,
    pub f_req_ready: Vec<Signal<Out, bool>>,
    pub f_req_addr: Vec<Signal<In, Bits<32>>>,
    pub f_rsp_valid: Vec<Signal<Out, bool>>,
    pub mem_req_valid: Signal<Out, bool>,
    pub mem_req_ready: Signal<In, bool>,
    pub mem_req_addr: Signal<Out, Bits<32>>,
    pub mem_req_write: Signal<Out, bool>,
    pub mem_req_mask: Signal<Out, Bits<16>>,
    pub mem_req_data0: Signal<Out, Bits<32>>,
    pub mem_req_data1: Signal<Out, Bits<32>>,
    pub mem_req_data2: Signal<Out, Bits<32>>,
    pub mem_req_data3: Signal<Out, Bits<32>>,
    pub mem_rsp_valid: Signal<In, bool>,
    pub mem_rsp_ready: Signal<Out, bool>,
    /// No request is waiting or in flight.
    pub idle: Signal<Out, bool>,

    granted: DFF<Bits<4>>,
    out_valid: DFF<bool>,
    out_addr: DFF<Bits<32>>,
    out_write: DFF<bool>,
    out_mask: DFF<Bits<16>>,
    out_data0: DFF<Bits<32>>,
    out_data1: DFF<Bits<32>>,
    out_data2: DFF<Bits<32>>,
    out_data3: DFF<Bits<32>>,
    route: LutRam,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,

    used: Signal<Local, Bits<5>>,
    can: Signal<Local, bool>,
    requested: Signal<Local, bool>,
    any: Signal<Local, bool>,
    any_index: Signal<Local, Bits<4>>,
    after: Signal<Local, bool>,
    after_index: Signal<Local, Bits<4>>,
    owner: Signal<Local, Bits<4>>,
    present: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    _n: usize,
    _active: bool,
}

quiet_block!(MemoryArbiter {
    inputs: clock, l_req_valid, l_req_addr, l_req_write, l_req_mask, l_req_data0, l_req_data1, l_req_data2, l_req_data3, l_rsp_ready, f_req_valid, f_req_addr, mem_req_ready, mem_rsp_valid;
    inner: l_req_ready, l_rsp_valid, f_req_ready, f_rsp_valid, mem_req_valid, mem_req_addr, mem_req_write, mem_req_mask, mem_req_data0, mem_req_data1, mem_req_data2, mem_req_data3, mem_rsp_ready, idle, granted, out_valid, out_addr, out_write, out_mask, out_data0, out_data1, out_data2, out_data3, route, head, tail, used, can, requested, any, any_index, after, after_index, owner, present, pop
});

impl MemoryArbiter {
    /// An arbiter of one pipeline and `config.units` fetches.
    pub fn new(config: &GpuConfig) -> Self {
        let n = config.units;
        Self {
            clock: Signal::default(),
            l_req_valid: Signal::default(),
            l_req_ready: Signal::default(),
            l_req_addr: Signal::default(),
            l_req_write: Signal::default(),
            l_req_mask: Signal::default(),
            l_req_data0: Signal::default(),
            l_req_data1: Signal::default(),
            l_req_data2: Signal::default(),
            l_req_data3: Signal::default(),
            l_rsp_valid: Signal::default(),
            l_rsp_ready: Signal::default(),
            f_req_valid: (0..n).map(|_| Signal::default()).collect(),
            f_req_ready: (0..n).map(|_| Signal::default()).collect(),
            f_req_addr: (0..n).map(|_| Signal::default()).collect(),
            f_rsp_valid: (0..n).map(|_| Signal::default()).collect(),
            mem_req_valid: Signal::default(),
            mem_req_ready: Signal::default(),
            mem_req_addr: Signal::default(),
            mem_req_write: Signal::default(),
            mem_req_mask: Signal::default(),
            mem_req_data0: Signal::default(),
            mem_req_data1: Signal::default(),
            mem_req_data2: Signal::default(),
            mem_req_data3: Signal::default(),
            mem_rsp_valid: Signal::default(),
            mem_rsp_ready: Signal::default(),
            idle: Signal::default(),
            granted: DFF::default(),
            out_valid: DFF::default(),
            out_addr: DFF::default(),
            out_write: DFF::default(),
            out_mask: DFF::default(),
            out_data0: DFF::default(),
            out_data1: DFF::default(),
            out_data2: DFF::default(),
            out_data3: DFF::default(),
            route: LutRam::default(),
            head: DFF::default(),
            tail: DFF::default(),
            used: Signal::default(),
            can: Signal::default(),
            requested: Signal::default(),
            any: Signal::default(),
            any_index: Signal::default(),
            after: Signal::default(),
            after_index: Signal::default(),
            owner: Signal::default(),
            present: Signal::default(),
            pop: Signal::default(),
            _n: n,
            _active: true,
        }
    }
}

impl Logic for MemoryArbiter {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: memory_arbiter");
        dff_setup!(
            self, clock, granted, out_valid, out_addr, out_write, out_mask, out_data0, out_data1, out_data2, out_data3,
            head, tail
        );
        self.route.clock.next = self.clock.val();

        // Requests: the granted one goes to the output register when that is free and the queue has room.
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.can.next = (!self.out_valid.q.val() || self.mem_req_ready.val()) && (self.used.val() != bits::<5>(16));
        if self.mem_req_ready.val() {
            self.out_valid.d.next = false;
        }
        self.requested.next = false;
        self.any.next = false;
        self.any_index.next = self.granted.q.val();
        self.after.next = false;
        self.after_index.next = bits::<4>(0);
        for i in 0..self._n {
            self.f_req_ready[i].next = false;
            if self.granted.q.val() == i.to_bits::<4>() {
                self.f_req_ready[i].next = self.can.val();
            }
            if self.f_req_valid[i].val() {
                if self.granted.q.val() == i.to_bits::<4>() {
                    self.requested.next = true;
                    if self.can.val() {
                        self.out_valid.d.next = true;
                        self.out_addr.d.next = self.f_req_addr[i].val();
                        self.out_write.d.next = false;
                        self.out_mask.d.next = bits::<16>(0);
                    }
                }
                if !self.any.val() {
                    self.any.next = true;
                    self.any_index.next = i.to_bits::<4>();
                }
                if !self.after.val() && (self.granted.q.val() < i.to_bits::<4>()) {
                    self.after.next = true;
                    self.after_index.next = i.to_bits::<4>();
                }
            }
        }
        self.l_req_ready.next = self.can.val() && (self.granted.q.val() == bits::<4>(8));
        if self.l_req_valid.val() {
            if self.granted.q.val() == bits::<4>(8) {
                self.requested.next = true;
                if self.can.val() {
                    self.out_valid.d.next = true;
                    self.out_addr.d.next = self.l_req_addr.val();
                    self.out_write.d.next = self.l_req_write.val();
                    self.out_mask.d.next = self.l_req_mask.val();
                    self.out_data0.d.next = self.l_req_data0.val();
                    self.out_data1.d.next = self.l_req_data1.val();
                    self.out_data2.d.next = self.l_req_data2.val();
                    self.out_data3.d.next = self.l_req_data3.val();
                }
            }
            if !self.any.val() {
                self.any_index.next = bits::<4>(8);
            }
            if !self.after.val() && (self.granted.q.val() < bits::<4>(8)) {
                self.after.next = true;
                self.after_index.next = bits::<4>(8);
            }
        }
        if !self.requested.val() || self.can.val() {
            self.granted.d.next = self.any_index.val();
            if self.after.val() {
                self.granted.d.next = self.after_index.val();
            }
        }
        self.route.write_enable.next = self.requested.val() && self.can.val();
        self.route.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.route.write_data.next = bit_cast::<32, 4>(self.granted.q.val());
        if self.requested.val() && self.can.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
        self.mem_req_valid.next = self.out_valid.q.val();
        self.mem_req_addr.next = self.out_addr.q.val();
        self.mem_req_write.next = self.out_write.q.val();
        self.mem_req_mask.next = self.out_mask.q.val();
        self.mem_req_data0.next = self.out_data0.q.val();
        self.mem_req_data1.next = self.out_data1.q.val();
        self.mem_req_data2.next = self.out_data2.q.val();
        self.mem_req_data3.next = self.out_data3.q.val();

        // Responses: to the requester at the head of the queue.
        self.route.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.owner.next = self.route.read_data.val().get_bits::<4>(0);
        self.present.next = self.used.val().any() && self.mem_rsp_valid.val();
        self.pop.next = self.present.val();
        self.l_rsp_valid.next = false;
        for i in 0..self._n {
            self.f_rsp_valid[i].next = self.present.val() && (self.owner.val() == i.to_bits::<4>());
        }
        if self.owner.val() == bits::<4>(8) {
            self.l_rsp_valid.next = self.present.val();
            self.pop.next = self.present.val() && self.l_rsp_ready.val();
        }
        self.mem_rsp_ready.next = self.pop.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
        self.idle.next = !self.used.val().any();
    }
}
