//! The function unit: division, square root and the table functions, one per warp unit, shared by
//! its four lanes.
//!
//! A request is a warp instruction of class `Function` with its operands. It gets the next of
//! [`SLOTS`] slots; its operands wait there for one of two engines, [`Divide`] (four lanes at once,
//! many cycles) or [`Functions`] (one active lane per cycle). Results are written to the slot's
//! words as they come, in any order between the engines; completions leave in order of requests.
//!
//! Latency, from the cycle in which a request is taken to `rsp_valid` with nothing else in the
//! unit: table functions [`FUNCTIONS_LATENCY`] + active lanes + 2 (17 for four lanes), division and
//! square root that of [`Divide`] + 3 (24). Throughput: a table function every cycle per active
//! lane, a division every 15 cycles; the two overlap. `req_ready` falls when all slots are taken.
//! The requester in the warp unit counts what it has issued, so it never meets that.
//!
//! It can be wrong where both engines deliver in one cycle (the pipeline cannot wait, the divider
//! does), and where a slot is used again too early: it is given back only when its completion has
//! been taken into the output register.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::Op;
use rust_hdl::prelude::*;

use super::words::{LaneTag, Request, Work};
use crate::base::{vector, Parameter};
use crate::comment;
use crate::config::GpuConfig;
use crate::float::divide::Divide;
use crate::float::functions::Functions;
use crate::memory::LutRam;
use crate::ports::{FunctionRequestIn, FunctionResultOut};

/// Requests in the unit.
pub const SLOTS: usize = 16;

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct FunctionUnit {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A function instruction; it is taken while a slot is free.
    pub req: FunctionRequestIn,
    /// Its results, in the order of the requests.
    pub rsp: FunctionResultOut,
    // Parts. Slots: what the engines need, what the completion needs, operands, results.
    divide: Divide,
    functions: Functions,
    work: LutRam,
    meta: LutRam,
    a: Vec<LutRam>,
    b: Vec<LutRam>,
    values: Vec<LutRam>,
    // Rings over the slots: requests taken, given to an engine, completed.
    tail: DFF<Bits<4>>,
    feed: DFF<Bits<4>>,
    head: DFF<Bits<4>>,
    used: DFF<Bits<5>>,
    waiting: DFF<Bits<5>>,
    /// Bit s: all results of slot s are there.
    done: DFF<Bits<16>>,
    /// Lanes of the slot at `feed` that have been given to the pipeline.
    fed: DFF<Bits<4>>,
    /// Slots whose operands the divider has, the older and the younger, and their number.
    divided: DFF<Bits<4>>,
    divided_next: DFF<Bits<4>>,
    dividing: DFF<Bits<2>>,
    // Output register.
    out_valid: DFF<bool>,
    out_meta: DFF<Bits<32>>,
    out_values: Vec<DFF<Bits<32>>>,
    // Named intermediate values.
    take: Signal<Local, bool>,
    left: Signal<Local, Bits<4>>,
    lane: Signal<Local, Bits<2>>,
    lane_bit: Signal<Local, Bits<4>>,
    operand: Signal<Local, Bits<32>>,
    pending: Signal<Local, bool>,
    work_op: Signal<Local, Bits<8>>,
    by_divider: Signal<Local, bool>,
    start_divide: Signal<Local, bool>,
    start_lane: Signal<Local, bool>,
    last: Signal<Local, bool>,
    next_feed: Signal<Local, bool>,
    tag: Signal<Local, Bits<8>>,
    out_lane: Signal<Local, Bits<2>>,
    result_slot: Signal<Local, Bits<4>>,
    finished: Signal<Local, bool>,
    take_divide: Signal<Local, bool>,
    load: Signal<Local, bool>,
    /// Slots with a result, without the one that leaves; with the one that comes.
    kept_results: Signal<Local, Bits<16>>,
    results: Signal<Local, Bits<16>>,
    /// Opcode of square root; the divider's other one is division.
    op_sqrt: Parameter<8>,
    op_div: Parameter<8>,
    _lanes: usize,
    _active: bool,
}

impl Default for Functions {
    fn default() -> Self {
        Self::new(&GpuConfig::default())
    }
}

impl FunctionUnit {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            divide: Divide::new(config),
            functions: Functions::new(config),
            a: vector(4),
            b: vector(4),
            values: vector(4),
            out_values: vector(4),
            op_sqrt: Parameter::new(Op::FSqrt as u64),
            op_div: Parameter::new(Op::FDiv as u64),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl FunctionUnit {
    /// A request is written into the next slot.
    fn slot_write(&mut self) {
        comment!("module: function_unit");
        dff_setup!(
            self,
            clock,
            tail,
            feed,
            head,
            used,
            waiting,
            done,
            fed,
            divided,
            divided_next,
            dividing,
            out_valid,
            out_meta
        );
        clock!(self, clock, divide, functions, work, meta);
        // Requests into slots.
        self.req.ready.next = !self.used.q.val().get_bit(4);
        self.take.next = self.req.valid.val() && !self.used.q.val().get_bit(4);
        if self.take.val() {
            self.tail.d.next = self.tail.q.val() + bits::<4>(1);
        }
        self.work.write_enable.next = self.take.val();
        self.work.write_address.next = self.tail.q.val();
        self.work.write_data.next = bits::<32>(0);
        self.work.write_data.next.set_value_work_op(self.req.op.val());
        self.work.write_data.next.set_value_work_mask(self.req.mask.val());
        self.meta.write_enable.next = self.take.val();
        self.meta.write_address.next = self.tail.q.val();
        self.meta.write_data.next = bits::<32>(0);
        self.meta.write_data.next.set_value_warp(self.req.warp.val());
        self.meta.write_data.next.set_value_seq(self.req.seq.val());
        self.meta.write_data.next.set_value_mask(self.req.mask.val());
        self.meta.write_data.next.set_value_dst(self.req.dst.val());
        self.a[0].write_data.next = self.req.a[0].val();
        self.a[1].write_data.next = self.req.a[1].val();
        self.a[2].write_data.next = self.req.a[2].val();
        self.a[3].write_data.next = self.req.a[3].val();
        self.b[0].write_data.next = self.req.b[0].val();
        self.b[1].write_data.next = self.req.b[1].val();
        self.b[2].write_data.next = self.req.b[2].val();
        self.b[3].write_data.next = self.req.b[3].val();
    }

    /// The oldest slot not yet given to an engine is read, and its next lane.
    fn oldest_slot(&mut self) {
        self.work.read_address.next = self.feed.q.val();
        self.pending.next = self.waiting.q.val().any();
        self.work_op.next = self.work.read_data.val().get_value_work_op();
        self.by_divider.next = (self.work_op.val() == self.op_sqrt.val()) || (self.work_op.val() == self.op_div.val());
        self.left.next = self.work.read_data.val().get_value_work_mask() & !self.fed.q.val();
        self.lane.next = bits::<2>(3);
        self.lane_bit.next = bits::<4>(8);
        self.operand.next = self.a[3].read_data.val();
        if self.left.val().get_bit(2) {
            self.lane.next = bits::<2>(2);
            self.lane_bit.next = bits::<4>(4);
            self.operand.next = self.a[2].read_data.val();
        }
        if self.left.val().get_bit(1) {
            self.lane.next = bits::<2>(1);
            self.lane_bit.next = bits::<4>(2);
            self.operand.next = self.a[1].read_data.val();
        }
        if self.left.val().get_bit(0) {
            self.lane.next = bits::<2>(0);
            self.lane_bit.next = bits::<4>(1);
            self.operand.next = self.a[0].read_data.val();
        }
    }

    /// The divider gets a slot at once, the pipeline lane by lane.
    fn engine_feed(&mut self) {
        self.divide.req_valid.next = self.pending.val() && self.by_divider.val();
        self.divide.root.next = self.work_op.val() == self.op_sqrt.val();
        self.divide.mask.next = self.work.read_data.val().get_value_work_mask();
        self.divide.a0.next = self.a[0].read_data.val();
        self.divide.a1.next = self.a[1].read_data.val();
        self.divide.a2.next = self.a[2].read_data.val();
        self.divide.a3.next = self.a[3].read_data.val();
        self.divide.b0.next = self.b[0].read_data.val();
        self.divide.b1.next = self.b[1].read_data.val();
        self.divide.b2.next = self.b[2].read_data.val();
        self.divide.b3.next = self.b[3].read_data.val();
        self.start_divide.next = self.pending.val() && self.by_divider.val() && self.divide.req_ready.val();
        self.start_lane.next = self.pending.val() && !self.by_divider.val();
        self.last.next = !(self.left.val() & !self.lane_bit.val()).any();
        self.tag.next = bits::<8>(0);
        self.tag.next.set_value_slot(self.feed.q.val());
        self.tag.next.set_value_lane(self.lane.val());
        self.tag.next.set_value_last(self.last.val());
        self.functions.in_valid.next = self.start_lane.val();
        self.functions.op.next = bit_cast::<3, 8>(self.work_op.val());
        self.functions.a.next = self.operand.val();
        self.functions.tag.next = self.tag.val();
        self.next_feed.next = self.start_divide.val() || (self.start_lane.val() && self.last.val());
        if self.start_lane.val() {
            self.fed.d.next = self.fed.q.val() | self.lane_bit.val();
        }
        if self.next_feed.val() {
            self.fed.d.next = bits::<4>(0);
            self.feed.d.next = self.feed.q.val() + bits::<4>(1);
        }
        if self.take.val() && !self.next_feed.val() {
            self.waiting.d.next = self.waiting.q.val() + bits::<5>(1);
        }
        if !self.take.val() && self.next_feed.val() {
            self.waiting.d.next = self.waiting.q.val() - bits::<5>(1);
        }
    }

    /// A result is taken, that of the pipeline first, for it cannot wait.
    fn results(&mut self) {
        self.take_divide.next = self.divide.rsp_valid.val() && !self.functions.out_valid.val();
        self.divide.rsp_ready.next = !self.functions.out_valid.val();
        // The divider holds two requests at most: one at its output and one in its recurrences.
        if self.take_divide.val() {
            self.divided.d.next = self.divided_next.q.val();
            self.dividing.d.next = self.dividing.q.val() - bits::<2>(1);
        }
        if self.start_divide.val() {
            self.divided_next.d.next = self.feed.q.val();
            if !self.dividing.q.val().any() || (self.take_divide.val() && (self.dividing.q.val() == bits::<2>(1))) {
                self.divided.d.next = self.feed.q.val();
            }
            self.dividing.d.next = self.dividing.q.val() + bits::<2>(1);
            if self.take_divide.val() {
                self.dividing.d.next = self.dividing.q.val();
            }
        }
        self.out_lane.next = self.functions.out_tag.val().get_value_lane();
        self.result_slot.next = self.functions.out_tag.val().get_value_slot();
        self.finished.next = self.functions.out_valid.val() && self.functions.out_tag.val().get_value_last();
        if self.take_divide.val() {
            self.result_slot.next = self.divided.q.val();
            self.finished.next = true;
        }
    }

    /// Operands and results of the slots are addressed, and results are written.
    fn slot_memories(&mut self) {
        for i in 0..self._lanes {
            clock!(self, clock, a[i], b[i], values[i]);
            self.out_values[i].clock.next = self.clock.val();
            self.a[i].write_enable.next = self.take.val();
            self.b[i].write_enable.next = self.take.val();
            self.a[i].write_address.next = self.tail.q.val();
            self.b[i].write_address.next = self.tail.q.val();
            self.a[i].read_address.next = self.feed.q.val();
            self.b[i].read_address.next = self.feed.q.val();
            self.values[i].write_address.next = self.result_slot.val();
            self.values[i].write_data.next = self.functions.value.val();
            self.values[i].write_enable.next =
                self.take_divide.val() || (self.functions.out_valid.val() && (self.out_lane.val() == i.to_bits::<2>()));
            self.values[i].read_address.next = self.head.q.val();
        }
        if self.take_divide.val() {
            self.values[0].write_data.next = self.divide.value0.val();
            self.values[1].write_data.next = self.divide.value1.val();
            self.values[2].write_data.next = self.divide.value2.val();
            self.values[3].write_data.next = self.divide.value3.val();
        }
    }

    /// Completions leave in order of slots.
    fn completions(&mut self) {
        self.meta.read_address.next = self.head.q.val();
        self.load.next = ((self.done.q.val() >> bit_cast::<16, 4>(self.head.q.val())) & bits::<16>(1)).any()
            && (!self.out_valid.q.val() || self.rsp.ready.val());
        if self.rsp.ready.val() {
            self.out_valid.d.next = false;
        }
        for i in 0..self._lanes {
            self.out_values[i].d.next = self.out_values[i].q.val();
            if self.load.val() {
                self.out_values[i].d.next = self.values[i].read_data.val();
            }
        }
        if self.load.val() {
            self.out_valid.d.next = true;
            self.out_meta.d.next = self.meta.read_data.val();
            self.head.d.next = self.head.q.val() + bits::<4>(1);
        }
        if self.take.val() && !self.load.val() {
            self.used.d.next = self.used.q.val() + bits::<5>(1);
        }
        if !self.take.val() && self.load.val() {
            self.used.d.next = self.used.q.val() - bits::<5>(1);
        }
        self.kept_results.next = self.done.q.val();
        if self.load.val() {
            self.kept_results.next = self.done.q.val() & !(bits::<16>(1) << bit_cast::<16, 4>(self.head.q.val()));
        }
        self.results.next = self.kept_results.val();
        if self.finished.val() {
            self.results.next = self.kept_results.val() | (bits::<16>(1) << bit_cast::<16, 4>(self.result_slot.val()));
        }
        self.done.d.next = self.results.val();
        self.rsp.valid.next = self.out_valid.q.val();
        self.rsp.warp.next = self.out_meta.q.val().get_value_warp();
        self.rsp.seq.next = self.out_meta.q.val().get_value_seq();
        self.rsp.mask.next = self.out_meta.q.val().get_value_mask();
        self.rsp.dst.next = self.out_meta.q.val().get_value_dst();
        self.rsp.value[0].next = self.out_values[0].q.val();
        self.rsp.value[1].next = self.out_values[1].q.val();
        self.rsp.value[2].next = self.out_values[2].q.val();
        self.rsp.value[3].next = self.out_values[3].q.val();
    }
}
