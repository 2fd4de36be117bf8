//! Load/store/atomic pipeline (LSA): takes one warp memory instruction at a time, cuts it into line transactions and delivers the completion.
//! It is used twice: once per core for global memory and once per warp unit, inside its shared storage.
//!
//! Transactions. The *leader* is the lowest remaining lane; all remaining lanes whose address lies in the leader's 16-byte line go in one
//! transaction. Instructions are cut one after the other and memory answers in order, so instructions are performed whole and in order of
//! acceptance. Atomics wait until nothing is in flight and then go lane by lane: line read, modify, line write, nothing in between.
//!
//! Throughput. A load or store whose lanes share a line takes one cycle: the next instruction is accepted in the cycle in which the last
//! transaction of the present one is taken (`req_ready` follows `m_req_ready`). At most 16 transactions are in flight. An atomic lane costs two
//! memory round trips and one cycle.
//!
//! Warp-wide atomics (WW-20, opcode bit 6) are atomics of the lowest active lane alone, whose result goes to all lanes of the request: `remaining` is one lane and
//! the completion beat has the request's whole mask. The lock form (WW-22) delivers whether it swapped, the others the old value.
//! A load with `req_lock` is sent as an atomic's read is, when nothing is in flight and locking its line; who asked for it must send the store that ends the lock next.
//!
//! Completion. One register beat (`rsp_*`, registered) delivers one register of up to four lanes: a load transaction gives one beat per register, a store one
//! beat after its last write was answered, an atomic one or two beats per lane. `rsp_last` marks the instruction's last beat.
//!
//! What is needed to unpack a response waits in a queue. Word 0: unit[31:29] warp[28:25] seq[24:17] dst[16:12] mask[11:8] size[7:5] (log2 bytes)
//! sign[4] kind[3:2] (0 load, 1 store, 2 atomic read, 3 atomic write) last[1]. Word 1: byte offset in the line of lane i at [4i+3:4i].
//!
//! Parts: [`accept`] decodes the instruction that is accepted, [`cut`] forms the transaction and merges its line, [`unpack`] takes a register per lane out of a line, all three
//! combinational; [`AtomicAlu`] computes an atomic's new value. This file has the registers between them, the flight queue and the step of the atomic.
//!
//! It can be wrong in queue order and in when it may send; `tests/lsa.rs` compares it with a byte-wise model.
//!
//! Planted faults: 33, 36 and 103; 32, 34, 35, 100 and 101 in the parts.

pub mod accept;
pub mod cut;
pub mod unpack;

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use accept::Accept;
use cut::Cut;
use unpack::Unpack;

use super::{AtomicAlu, LutRam};
use crate::base::{vector, Parameter};
use crate::config::GpuConfig;
use crate::{comment, state_words};

/// What the atomic in progress does next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum AtomicStep {
    /// No atomic is in the pipeline.
    Idle,
    /// Line read, once nothing is in flight.
    Read,
    /// Waiting for the line.
    Wait,
    /// New value into its register.
    Modify,
    /// Line write.
    Write,
}

state_words!(AtomicStep { Idle, Read, Wait, Modify, Write });

/// The pipeline. Ports `req_*`: warp instruction (valid/ready); `m_*`: memory side (as the memory port of `docs/machine.md`); `rsp_*`: completion beats.
/// `req_w{word}_{lane}`: store data words; for atomics words 0, 1 are the operand and 2, 3 the expected value.
#[derive(Default, QuietBlock)]
pub struct Lsa {
    pub clock: Signal<In, Clock>,
    pub req_valid: Signal<In, bool>,
    pub req_ready: Signal<Out, bool>,
    pub req_unit: Signal<In, Bits<3>>,
    pub req_warp: Signal<In, Bits<4>>,
    pub req_seq: Signal<In, Bits<8>>,
    pub req_mask: Signal<In, Bits<4>>,
    pub req_dst: Signal<In, Bits<5>>,
    pub req_op: Signal<In, Bits<8>>,
    /// With a load of one lane: its line stays locked until the store that follows.
    pub req_lock: Signal<In, bool>,
    pub req_addr0: Signal<In, Bits<32>>,
    pub req_addr1: Signal<In, Bits<32>>,
    pub req_addr2: Signal<In, Bits<32>>,
    pub req_addr3: Signal<In, Bits<32>>,
    pub req_w0_0: Signal<In, Bits<32>>,
    pub req_w0_1: Signal<In, Bits<32>>,
    pub req_w0_2: Signal<In, Bits<32>>,
    pub req_w0_3: Signal<In, Bits<32>>,
    pub req_w1_0: Signal<In, Bits<32>>,
    pub req_w1_1: Signal<In, Bits<32>>,
    pub req_w1_2: Signal<In, Bits<32>>,
    pub req_w1_3: Signal<In, Bits<32>>,
    pub req_w2_0: Signal<In, Bits<32>>,
    pub req_w2_1: Signal<In, Bits<32>>,
    pub req_w2_2: Signal<In, Bits<32>>,
    pub req_w2_3: Signal<In, Bits<32>>,
    pub req_w3_0: Signal<In, Bits<32>>,
    pub req_w3_1: Signal<In, Bits<32>>,
    pub req_w3_2: Signal<In, Bits<32>>,
    pub req_w3_3: Signal<In, Bits<32>>,
    pub m_req_valid: Signal<Out, bool>,
    pub m_req_ready: Signal<In, bool>,
    pub m_req_addr: Signal<Out, Bits<32>>,
    pub m_req_write: Signal<Out, bool>,
    /// This read begins an atomic: until the write, which is the next request, nobody else may touch the line.
    pub m_req_lock: Signal<Out, bool>,
    pub m_req_mask: Signal<Out, Bits<16>>,
    pub m_req_data0: Signal<Out, Bits<32>>,
    pub m_req_data1: Signal<Out, Bits<32>>,
    pub m_req_data2: Signal<Out, Bits<32>>,
    pub m_req_data3: Signal<Out, Bits<32>>,
    pub m_rsp_valid: Signal<In, bool>,
    pub m_rsp_ready: Signal<Out, bool>,
    pub m_rsp_data0: Signal<In, Bits<32>>,
    pub m_rsp_data1: Signal<In, Bits<32>>,
    pub m_rsp_data2: Signal<In, Bits<32>>,
    pub m_rsp_data3: Signal<In, Bits<32>>,
    pub rsp_valid: Signal<Out, bool>,
    pub rsp_ready: Signal<In, bool>,
    pub rsp_unit: Signal<Out, Bits<3>>,
    pub rsp_warp: Signal<Out, Bits<4>>,
    pub rsp_seq: Signal<Out, Bits<8>>,
    pub rsp_mask: Signal<Out, Bits<4>>,
    pub rsp_dst: Signal<Out, Bits<5>>,
    pub rsp_wen: Signal<Out, bool>,
    pub rsp_last: Signal<Out, bool>,
    pub rsp_value0: Signal<Out, Bits<32>>,
    pub rsp_value1: Signal<Out, Bits<32>>,
    pub rsp_value2: Signal<Out, Bits<32>>,
    pub rsp_value3: Signal<Out, Bits<32>>,

    // The instruction being cut. `data` is indexed word * 4 + lane; narrow store data is replicated over the line.
    valid: DFF<bool>,
    tag: DFF<Bits<32>>,
    store: DFF<bool>,
    atomic: DFF<bool>,
    /// The load locks its line.
    locking: DFF<bool>,
    operation: DFF<Bits<4>>,
    remaining: DFF<Bits<4>>,
    address: Vec<DFF<Bits<32>>>,
    data: Vec<DFF<Bits<32>>>,
    atomic_step: DFF<AtomicStep>,
    old_lo: DFF<Bits<32>>,
    old_hi: DFF<Bits<32>>,
    /// What the atomic delivers.
    result_lo: DFF<Bits<32>>,
    result_hi: DFF<Bits<32>>,
    new_lo: DFF<Bits<32>>,
    new_hi: DFF<Bits<32>>,
    alu: AtomicAlu,

    // Transactions in flight.
    flight_tag: LutRam,
    flight_offset: LutRam,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    beat: DFF<Bits<2>>,

    // Completion register: tag as in flight word 0, with wen in bit 0.
    out_valid: DFF<bool>,
    out_tag: DFF<Bits<32>>,
    out_value: Vec<DFF<Bits<32>>>,
    drop_count: DFF<Bits<6>>,

    accept: Accept,
    cut: Cut,
    unpack: Unpack,
    // Cutting.
    used: Signal<Local, Bits<5>>,
    room: Signal<Local, bool>,
    request: Signal<Local, bool>,
    fire: Signal<Local, bool>,
    done: Signal<Local, bool>,
    write: Signal<Local, bool>,
    kind: Signal<Local, Bits<32>>,
    last: Signal<Local, bool>,
    entry: Signal<Local, Bits<32>>,
    // Unpacking.
    present: Signal<Local, bool>,
    head_tag: Signal<Local, Bits<32>>,
    head_size: Signal<Local, Bits<3>>,
    head_kind: Signal<Local, Bits<2>>,
    free: Signal<Local, bool>,
    final_beat: Signal<Local, bool>,
    emit: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    beat_tag: Signal<Local, Bits<32>>,
    beat_dst: Signal<Local, Bits<5>>,
    dropped: Signal<Local, bool>,
    fault: Parameter<8>,
    _active: bool,
}

impl Lsa {
    /// The pipeline of that configuration (its way of warp-wide atomics and its planted fault matter here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            address: vector(4),
            data: vector(16),
            alu: AtomicAlu::new(config),
            out_value: vector(4),
            accept: Accept::new(config),
            cut: Cut::new(config),
            unpack: Unpack::new(config),
            fault: Parameter::new(config.fault_code()),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for Lsa {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: lsa");
        dff_setup!(self, clock, valid, tag, store, atomic, locking, operation, remaining, atomic_step);
        dff_setup!(self, clock, old_lo, old_hi, result_lo, result_hi, new_lo, new_hi);
        dff_setup!(self, clock, head, tail, beat, out_valid, out_tag, drop_count);
        for i in 0..4 {
            self.address[i].clock.next = self.clock.val();
            self.address[i].d.next = self.address[i].q.val();
            self.out_value[i].clock.next = self.clock.val();
            self.out_value[i].d.next = self.out_value[i].q.val();
        }
        for i in 0..16 {
            self.data[i].clock.next = self.clock.val();
            self.data[i].d.next = self.data[i].q.val();
        }
        self.flight_tag.clock.next = self.clock.val();
        self.flight_offset.clock.next = self.clock.val();

        // Responses. The head of the queue says what the line on the response port is for.
        self.flight_tag.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.flight_offset.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.present.next = (self.head.q.val() != self.tail.q.val()) && self.m_rsp_valid.val();
        self.head_tag.next = self.flight_tag.read_data.val();
        self.head_size.next = self.head_tag.val().get_bits::<3>(5);
        self.head_kind.next = self.head_tag.val().get_bits::<2>(2);
        self.free.next = !self.out_valid.q.val() || self.rsp_ready.val();
        self.final_beat.next = true;
        if (self.head_size.val() == bits::<3>(3)) && (self.head_kind.val() != bits::<2>(1)) {
            self.final_beat.next = self.beat.q.val() == bits::<2>(1);
        }
        if (self.head_size.val() == bits::<3>(4)) && (self.head_kind.val() != bits::<2>(1)) {
            self.final_beat.next = self.beat.q.val() == bits::<2>(3);
        }
        self.emit.next = self.present.val() && self.free.val();
        self.pop.next = self.emit.val() && self.final_beat.val();
        if (self.head_kind.val() == bits::<2>(1)) && !self.head_tag.val().get_bit(1) {
            // A store's earlier transactions are counted off silently.
            self.emit.next = false;
            self.pop.next = self.present.val();
        }
        if self.head_kind.val() == bits::<2>(2) {
            self.emit.next = false;
            self.pop.next = self.present.val();
        }
        self.m_rsp_ready.next = self.pop.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
        if self.emit.val() {
            self.beat.d.next = self.beat.q.val() + bits::<2>(1);
            if self.final_beat.val() {
                self.beat.d.next = bits::<2>(0);
            }
        }
        self.dropped.next = false;
        if self.fault.val() == bits::<8>(33) {
            if self.emit.val() {
                self.drop_count.d.next = self.drop_count.q.val() + bits::<6>(1);
            }
            self.dropped.next = self.drop_count.q.val() == bits::<6>(63);
        }

        // One register per lane out of the line; a store delivers none.
        self.unpack.line[0].next = self.m_rsp_data0.val();
        self.unpack.line[1].next = self.m_rsp_data1.val();
        self.unpack.line[2].next = self.m_rsp_data2.val();
        self.unpack.line[3].next = self.m_rsp_data3.val();
        self.unpack.offsets.next = self.flight_offset.read_data.val().get_bits::<16>(0);
        self.unpack.size.next = self.head_size.val();
        self.unpack.sign.next = self.head_tag.val().get_bit(4);
        self.unpack.mask.next = self.head_tag.val().get_bits::<4>(8);
        if self.head_kind.val() == bits::<2>(1) {
            self.unpack.mask.next = bits::<4>(0);
        }
        self.unpack.beat.next = self.beat.q.val();
        self.unpack.atomic.next = self.head_kind.val() == bits::<2>(3);
        self.unpack.result_lo.next = self.result_lo.q.val();
        self.unpack.result_hi.next = self.result_hi.q.val();

        // Completion register.
        self.beat_dst.next = self.head_tag.val().get_bits::<5>(12) + bit_cast::<5, 2>(self.beat.q.val());
        self.beat_tag.next =
            (self.head_tag.val() & bits::<32>(0xFFFE_0F00u64)) | (bit_cast::<32, 5>(self.beat_dst.val()) << 12);
        if self.head_tag.val().get_bit(1) && self.final_beat.val() {
            self.beat_tag.next = self.beat_tag.val() | bits::<32>(2);
        }
        if self.head_kind.val() != bits::<2>(1) {
            self.beat_tag.next = self.beat_tag.val() | bits::<32>(1);
        }
        if self.rsp_ready.val() {
            self.out_valid.d.next = false;
        }
        if self.emit.val() {
            self.out_valid.d.next = !self.dropped.val();
            self.out_tag.d.next = self.beat_tag.val();
            for i in 0..4 {
                self.out_value[i].d.next = self.unpack.value[i].val();
            }
        }
        self.rsp_valid.next = self.out_valid.q.val();
        self.rsp_unit.next = self.out_tag.q.val().get_bits::<3>(29);
        self.rsp_warp.next = self.out_tag.q.val().get_bits::<4>(25);
        self.rsp_seq.next = self.out_tag.q.val().get_bits::<8>(17);
        self.rsp_dst.next = self.out_tag.q.val().get_bits::<5>(12);
        self.rsp_mask.next = self.out_tag.q.val().get_bits::<4>(8);
        self.rsp_last.next = self.out_tag.q.val().get_bit(1);
        self.rsp_wen.next = self.out_tag.q.val().get_bit(0);
        self.rsp_value0.next = self.out_value[0].q.val();
        self.rsp_value1.next = self.out_value[1].q.val();
        self.rsp_value2.next = self.out_value[2].q.val();
        self.rsp_value3.next = self.out_value[3].q.val();

        // Cutting and merging.
        self.cut.remaining.next = self.remaining.q.val();
        self.cut.atomic.next = self.atomic.q.val();
        self.cut.store.next = self.store.q.val();
        self.cut.size.next = self.tag.q.val().get_bits::<3>(5);
        self.cut.new_lo.next = self.new_lo.q.val();
        self.cut.new_hi.next = self.new_hi.q.val();
        for i in 0..4 {
            self.cut.address[i].next = self.address[i].q.val();
        }
        for i in 0..16 {
            self.cut.data[i].next = self.data[i].q.val();
        }

        // The request.
        self.used.next = self.tail.q.val() - self.head.q.val();
        self.room.next = self.used.val() != bits::<5>(16);
        self.request.next = self.valid.q.val() && self.room.val();
        self.write.next = self.store.q.val();
        self.kind.next = bits::<32>(0);
        if self.store.q.val() {
            self.kind.next = bits::<32>(4);
        }
        if self.locking.q.val() && self.used.val().any() {
            self.request.next = false;
        }
        self.last.next = !self.cut.left.val().any();
        if self.atomic.q.val() {
            self.request.next = false;
            self.write.next = false;
            self.kind.next = bits::<32>(8);
            if self.atomic_step.q.val() == AtomicStep::Read {
                self.request.next = self.valid.q.val() && !self.used.val().any();
                self.last.next = false;
            }
            if self.atomic_step.q.val() == AtomicStep::Write {
                self.request.next = self.valid.q.val();
                self.write.next = true;
                self.kind.next = bits::<32>(12);
            }
        }
        self.fire.next = self.request.val() && self.m_req_ready.val();
        self.done.next = self.fire.val() && self.last.val();
        self.m_req_valid.next = self.request.val();
        self.m_req_addr.next = self.cut.lead_address.val() & bits::<32>(0xFFFF_FFF0u64);
        self.m_req_write.next = self.write.val();
        self.m_req_lock.next = (self.atomic.q.val() && !self.write.val()) || self.locking.q.val();
        self.m_req_mask.next = bits::<16>(0);
        if self.write.val() {
            self.m_req_mask.next = self.cut.enable.val();
            if (self.fault.val() == bits::<8>(36)) && self.atomic.q.val() && self.last.val() {
                self.m_req_mask.next = bits::<16>(0);
            }
        }
        self.m_req_data0.next = self.cut.line[0].val();
        self.m_req_data1.next = self.cut.line[1].val();
        self.m_req_data2.next = self.cut.line[2].val();
        self.m_req_data3.next = self.cut.line[3].val();
        self.flight_tag.write_enable.next = self.fire.val();
        self.flight_tag.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.entry.next = self.tag.q.val() | (bit_cast::<32, 4>(self.cut.group.val()) << 8) | self.kind.val();
        if self.last.val() {
            self.entry.next = self.entry.val() | bits::<32>(2);
        }
        self.flight_tag.write_data.next = self.entry.val();
        self.flight_offset.write_enable.next = self.fire.val();
        self.flight_offset.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.flight_offset.write_data.next = bit_cast::<32, 4>(self.address[0].q.val().get_bits::<4>(0))
            | (bit_cast::<32, 4>(self.address[1].q.val().get_bits::<4>(0)) << 4)
            | (bit_cast::<32, 4>(self.address[2].q.val().get_bits::<4>(0)) << 8)
            | (bit_cast::<32, 4>(self.address[3].q.val().get_bits::<4>(0)) << 12);
        if self.fire.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
            if !self.atomic.q.val() || (self.atomic_step.q.val() == AtomicStep::Write) {
                self.remaining.d.next = self.cut.left.val();
            }
        }
        if self.done.val() {
            self.valid.d.next = false;
        }

        // Atomics: operands of the leader, old value out of the line.
        self.alu.op.next = self.operation.q.val();
        self.alu.wide.next = self.tag.q.val().get_bits::<3>(5) == bits::<3>(3);
        self.alu.old_lo.next = self.old_lo.q.val();
        self.alu.old_hi.next = self.old_hi.q.val();
        self.alu.arg_lo.next = self.cut.lead_word[0].val();
        self.alu.arg_hi.next = self.cut.lead_word[1].val();
        self.alu.expect_lo.next = self.cut.lead_word[2].val();
        self.alu.expect_hi.next = self.cut.lead_word[3].val();
        if self.pop.val() && (self.head_kind.val() == bits::<2>(2)) {
            self.old_lo.d.next = self.m_rsp_data0.val();
            self.old_hi.d.next = self.m_rsp_data1.val();
            if self.cut.lead_address.val().get_bits::<2>(2) == bits::<2>(1) {
                self.old_lo.d.next = self.m_rsp_data1.val();
            }
            if self.cut.lead_address.val().get_bits::<2>(2) == bits::<2>(2) {
                self.old_lo.d.next = self.m_rsp_data2.val();
                self.old_hi.d.next = self.m_rsp_data3.val();
            }
            if self.cut.lead_address.val().get_bits::<2>(2) == bits::<2>(3) {
                self.old_lo.d.next = self.m_rsp_data3.val();
            }
            self.atomic_step.d.next = AtomicStep::Modify;
        }
        if self.atomic.q.val() && self.fire.val() {
            if self.atomic_step.q.val() == AtomicStep::Read {
                self.atomic_step.d.next = AtomicStep::Wait;
            } else {
                self.atomic_step.d.next = AtomicStep::Read;
            }
            if self.done.val() {
                self.atomic_step.d.next = AtomicStep::Idle;
            }
        }
        if self.atomic_step.q.val() == AtomicStep::Modify {
            self.new_lo.d.next = self.alu.new_lo.val();
            self.new_hi.d.next = self.alu.new_hi.val();
            self.result_lo.d.next = self.alu.result_lo.val();
            self.result_hi.d.next = self.old_hi.q.val();
            if (self.fault.val() == bits::<8>(103)) && self.tag.q.val().get_bits::<4>(8).any() {
                self.result_lo.d.next = self.alu.new_lo.val();
                self.result_hi.d.next = self.alu.new_hi.val();
            }
            self.atomic_step.d.next = AtomicStep::Write;
        }

        // Acceptance.
        self.accept.op.next = self.req_op.val();
        self.accept.mask.next = self.req_mask.val();
        self.accept.unit.next = self.req_unit.val();
        self.accept.warp.next = self.req_warp.val();
        self.accept.seq.next = self.req_seq.val();
        self.accept.dst.next = self.req_dst.val();
        self.accept.pointer[0].next = self.req_addr0.val();
        self.accept.pointer[1].next = self.req_addr1.val();
        self.accept.pointer[2].next = self.req_addr2.val();
        self.accept.pointer[3].next = self.req_addr3.val();
        self.accept.w0[0].next = self.req_w0_0.val();
        self.accept.w0[1].next = self.req_w0_1.val();
        self.accept.w0[2].next = self.req_w0_2.val();
        self.accept.w0[3].next = self.req_w0_3.val();
        self.accept.w1[0].next = self.req_w1_0.val();
        self.accept.w1[1].next = self.req_w1_1.val();
        self.accept.w1[2].next = self.req_w1_2.val();
        self.accept.w1[3].next = self.req_w1_3.val();
        self.accept.w2[0].next = self.req_w2_0.val();
        self.accept.w2[1].next = self.req_w2_1.val();
        self.accept.w2[2].next = self.req_w2_2.val();
        self.accept.w2[3].next = self.req_w2_3.val();
        self.accept.w3[0].next = self.req_w3_0.val();
        self.accept.w3[1].next = self.req_w3_1.val();
        self.accept.w3[2].next = self.req_w3_2.val();
        self.accept.w3[3].next = self.req_w3_3.val();
        self.req_ready.next = !self.valid.q.val() || self.done.val();
        if self.req_valid.val() && (!self.valid.q.val() || self.done.val()) {
            self.valid.d.next = true;
            self.store.d.next = self.accept.store.val();
            self.atomic.d.next = self.accept.atomic.val();
            if self.accept.atomic.val() {
                self.atomic_step.d.next = AtomicStep::Read;
            }
            self.operation.d.next = self.req_op.val().get_bits::<4>(0);
            self.locking.d.next = self.req_lock.val();
            self.remaining.d.next = self.accept.lanes.val();
            self.tag.d.next = self.accept.tag.val();
            for i in 0..4 {
                self.address[i].d.next = self.accept.address[i].val();
            }
            for i in 0..16 {
                self.data[i].d.next = self.accept.data[i].val();
            }
        }
    }
}
