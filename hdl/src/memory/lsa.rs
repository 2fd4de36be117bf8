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
//! It can be wrong in merging (which byte of which lane), in unpacking, and in queue order; `tests/lsa.rs` compares it with a byte-wise model.
//!
//! Planted faults: 32 to 36, 100, 101, 103.

use rust_hdl::prelude::*;

use super::{AtomicAlu, LutRam};
use crate::config::{GpuConfig, WarpWide};
use crate::{comment, quiet_block, state_words};

/// What the atomic in progress does next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum AtomicStep {
    /// Line read, once nothing is in flight.
    Read,
    /// Waiting for the line.
    Wait,
    /// New value into its register.
    Modify,
    /// Line write.
    Write,
}

state_words!(AtomicStep { Read, Wait, Modify, Write });

/// The pipeline. Ports `req_*`: warp instruction (valid/ready); `m_*`: memory side (as the memory port of `docs/machine.md`); `rsp_*`: completion beats.
/// `req_w{word}_{lane}`: store data words; for atomics words 0, 1 are the operand and 2, 3 the expected value.
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

    // Decoding of the instruction that is being accepted.
    size: Signal<Local, Bits<3>>,
    sign: Signal<Local, bool>,
    nibble: Signal<Local, Bits<3>>,
    is_atomic: Signal<Local, bool>,
    is_wide: Signal<Local, bool>,
    is_double: Signal<Local, bool>,
    leader: Signal<Local, Bits<4>>,
    whole: Signal<Local, Bits<4>>,
    accepted: Signal<Local, Bits<32>>,
    align: Signal<Local, Bits<32>>,
    word0: Vec<Signal<Local, Bits<32>>>,
    word1: Vec<Signal<Local, Bits<32>>>,
    word2: Vec<Signal<Local, Bits<32>>>,
    word3: Vec<Signal<Local, Bits<32>>>,

    // Cutting.
    found: Signal<Local, bool>,
    lead_address: Signal<Local, Bits<32>>,
    lead: Signal<Local, Bits<4>>,
    group: Signal<Local, Bits<4>>,
    left: Signal<Local, Bits<4>>,
    span: Signal<Local, Bits<16>>,
    enable: Vec<Signal<Local, Bits<16>>>,
    merged: Vec<Signal<Local, Bits<32>>>,
    all_enable: Signal<Local, Bits<16>>,
    used: Signal<Local, Bits<5>>,
    room: Signal<Local, bool>,
    request: Signal<Local, bool>,
    fire: Signal<Local, bool>,
    done: Signal<Local, bool>,
    write: Signal<Local, bool>,
    kind: Signal<Local, Bits<32>>,
    last: Signal<Local, bool>,

    // Unpacking.
    present: Signal<Local, bool>,
    head_tag: Signal<Local, Bits<32>>,
    head_size: Signal<Local, Bits<3>>,
    head_kind: Signal<Local, Bits<2>>,
    free: Signal<Local, bool>,
    final_beat: Signal<Local, bool>,
    emit: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    offset: Vec<Signal<Local, Bits<4>>>,
    select: Vec<Signal<Local, Bits<2>>>,
    picked: Vec<Signal<Local, Bits<32>>>,
    half: Vec<Signal<Local, Bits<32>>>,
    octet: Vec<Signal<Local, Bits<32>>>,
    beat_tag: Signal<Local, Bits<32>>,
    beat_dst: Signal<Local, Bits<5>>,
    dropped: Signal<Local, bool>,
    /// Warp-wide atomics come here; else what they need is removed.
    wide: Constant<Bits<1>>,
    fault: Constant<Bits<8>>,
    _active: bool,
}

quiet_block!(Lsa {
    inputs: clock, req_valid, req_unit, req_warp, req_seq, req_mask, req_dst, req_op, req_lock, req_addr0, req_addr1, req_addr2, req_addr3, req_w0_0, req_w0_1, req_w0_2, req_w0_3, req_w1_0, req_w1_1, req_w1_2, req_w1_3, req_w2_0, req_w2_1, req_w2_2, req_w2_3, req_w3_0, req_w3_1, req_w3_2, req_w3_3, m_req_ready, m_rsp_valid, m_rsp_data0, m_rsp_data1, m_rsp_data2, m_rsp_data3, rsp_ready;
    inner: req_ready, m_req_valid, m_req_addr, m_req_write, m_req_lock, m_req_mask, m_req_data0, m_req_data1, m_req_data2, m_req_data3, m_rsp_ready, rsp_valid, rsp_unit, rsp_warp, rsp_seq, rsp_mask, rsp_dst, rsp_wen, rsp_last, rsp_value0, rsp_value1, rsp_value2, rsp_value3, valid, tag, store, atomic, locking, operation, remaining, address, data, atomic_step, old_lo, old_hi, result_lo, result_hi, new_lo, new_hi, alu, flight_tag, flight_offset, head, tail, beat, out_valid, out_tag, out_value, drop_count, size, sign, nibble, is_atomic, is_wide, is_double, leader, whole, accepted, align, word0, word1, word2, word3, found, lead_address, lead, group, left, span, enable, merged, all_enable, used, room, request, fire, done, write, kind, last, present, head_tag, head_size, head_kind, free, final_beat, emit, pop, offset, select, picked, half, octet, beat_tag, beat_dst, dropped, wide, fault
});

fn dffs<T: Synth>(n: usize) -> Vec<DFF<T>> {
    (0..n).map(|_| DFF::default()).collect()
}

fn signals<D: Direction, T: Synth>(n: usize) -> Vec<Signal<D, T>> {
    (0..n).map(|_| Signal::default()).collect()
}

impl Lsa {
    /// The pipeline of that configuration (its way of warp-wide atomics and its planted fault matter here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            req_valid: Signal::default(),
            req_ready: Signal::default(),
            req_unit: Signal::default(),
            req_warp: Signal::default(),
            req_seq: Signal::default(),
            req_mask: Signal::default(),
            req_dst: Signal::default(),
            req_op: Signal::default(),
            req_lock: Signal::default(),
            req_addr0: Signal::default(),
            req_addr1: Signal::default(),
            req_addr2: Signal::default(),
            req_addr3: Signal::default(),
            req_w0_0: Signal::default(),
            req_w0_1: Signal::default(),
            req_w0_2: Signal::default(),
            req_w0_3: Signal::default(),
            req_w1_0: Signal::default(),
            req_w1_1: Signal::default(),
            req_w1_2: Signal::default(),
            req_w1_3: Signal::default(),
            req_w2_0: Signal::default(),
            req_w2_1: Signal::default(),
            req_w2_2: Signal::default(),
            req_w2_3: Signal::default(),
            req_w3_0: Signal::default(),
            req_w3_1: Signal::default(),
            req_w3_2: Signal::default(),
            req_w3_3: Signal::default(),
            m_req_valid: Signal::default(),
            m_req_ready: Signal::default(),
            m_req_addr: Signal::default(),
            m_req_write: Signal::default(),
            m_req_lock: Signal::default(),
            m_req_mask: Signal::default(),
            m_req_data0: Signal::default(),
            m_req_data1: Signal::default(),
            m_req_data2: Signal::default(),
            m_req_data3: Signal::default(),
            m_rsp_valid: Signal::default(),
            m_rsp_ready: Signal::default(),
            m_rsp_data0: Signal::default(),
            m_rsp_data1: Signal::default(),
            m_rsp_data2: Signal::default(),
            m_rsp_data3: Signal::default(),
            rsp_valid: Signal::default(),
            rsp_ready: Signal::default(),
            rsp_unit: Signal::default(),
            rsp_warp: Signal::default(),
            rsp_seq: Signal::default(),
            rsp_mask: Signal::default(),
            rsp_dst: Signal::default(),
            rsp_wen: Signal::default(),
            rsp_last: Signal::default(),
            rsp_value0: Signal::default(),
            rsp_value1: Signal::default(),
            rsp_value2: Signal::default(),
            rsp_value3: Signal::default(),
            valid: DFF::default(),
            tag: DFF::default(),
            store: DFF::default(),
            atomic: DFF::default(),
            locking: DFF::default(),
            operation: DFF::default(),
            remaining: DFF::default(),
            address: dffs(4),
            data: dffs(16),
            atomic_step: DFF::default(),
            old_lo: DFF::default(),
            old_hi: DFF::default(),
            result_lo: DFF::default(),
            result_hi: DFF::default(),
            new_lo: DFF::default(),
            new_hi: DFF::default(),
            alu: AtomicAlu::new(config),
            flight_tag: LutRam::default(),
            flight_offset: LutRam::default(),
            head: DFF::default(),
            tail: DFF::default(),
            beat: DFF::default(),
            out_valid: DFF::default(),
            out_tag: DFF::default(),
            out_value: dffs(4),
            drop_count: DFF::default(),
            size: Signal::default(),
            sign: Signal::default(),
            nibble: Signal::default(),
            is_atomic: Signal::default(),
            is_wide: Signal::default(),
            is_double: Signal::default(),
            leader: Signal::default(),
            whole: Signal::default(),
            accepted: Signal::default(),
            align: Signal::default(),
            word0: signals(4),
            word1: signals(4),
            word2: signals(4),
            word3: signals(4),
            found: Signal::default(),
            lead_address: Signal::default(),
            lead: Signal::default(),
            group: Signal::default(),
            left: Signal::default(),
            span: Signal::default(),
            enable: signals(4),
            merged: signals(4),
            all_enable: Signal::default(),
            used: Signal::default(),
            room: Signal::default(),
            request: Signal::default(),
            fire: Signal::default(),
            done: Signal::default(),
            write: Signal::default(),
            kind: Signal::default(),
            last: Signal::default(),
            present: Signal::default(),
            head_tag: Signal::default(),
            head_size: Signal::default(),
            head_kind: Signal::default(),
            free: Signal::default(),
            final_beat: Signal::default(),
            emit: Signal::default(),
            pop: Signal::default(),
            offset: signals(4),
            select: signals(4),
            picked: signals(4),
            half: signals(4),
            octet: signals(4),
            beat_tag: Signal::default(),
            beat_dst: Signal::default(),
            dropped: Signal::default(),
            wide: Constant::new(bits(u64::from(matches!(
                config.warp_wide,
                WarpWide::Representative | WarpWide::Collective
            )))),
            fault: Constant::new(bits(config.fault_code())),
            _active: true,
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

        // One register per lane out of the line.
        for i in 0..4 {
            self.offset[i].next = self.flight_offset.read_data.val().get_bits::<4>(4 * i);
            self.select[i].next = self.offset[i].val().get_bits::<2>(2) + self.beat.q.val();
            self.picked[i].next = self.m_rsp_data0.val();
            if self.select[i].val() == bits::<2>(1) {
                self.picked[i].next = self.m_rsp_data1.val();
            }
            if self.select[i].val() == bits::<2>(2) {
                self.picked[i].next = self.m_rsp_data2.val();
            }
            if self.select[i].val() == bits::<2>(3) {
                self.picked[i].next = self.m_rsp_data3.val();
            }
            self.half[i].next = self.picked[i].val();
            if self.offset[i].val().get_bit(1) {
                self.half[i].next = self.picked[i].val() >> 16;
            }
            self.octet[i].next = self.half[i].val();
            if self.offset[i].val().get_bit(0) {
                self.octet[i].next = self.half[i].val() >> 8;
            }
            if self.head_size.val() == bits::<3>(0) {
                self.octet[i].next = self.octet[i].val() & bits::<32>(0xFF);
                if self.head_tag.val().get_bit(4)
                    && self.octet[i].val().get_bit(7)
                    && (self.fault.val() != bits::<8>(35))
                {
                    self.octet[i].next = self.octet[i].val() | bits::<32>(0xFFFF_FF00u64);
                }
            }
            if self.head_size.val() == bits::<3>(1) {
                self.octet[i].next = self.octet[i].val() & bits::<32>(0xFFFF);
                if self.head_tag.val().get_bit(4) && self.octet[i].val().get_bit(15) {
                    self.octet[i].next = self.octet[i].val() | bits::<32>(0xFFFF_0000u64);
                }
            }
            if self.head_kind.val() == bits::<2>(3) {
                self.octet[i].next = self.result_lo.q.val();
                if self.beat.q.val() == bits::<2>(1) {
                    self.octet[i].next = self.result_hi.q.val();
                }
            }
            if !self.head_tag.val().get_bit(i + 8) || (self.head_kind.val() == bits::<2>(1)) {
                self.octet[i].next = bits::<32>(0);
            }
        }

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
                self.out_value[i].d.next = self.octet[i].val();
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

        // Cutting: the leader's line, and who else is in it.
        self.found.next = false;
        self.lead.next = bits::<4>(0);
        self.lead_address.next = self.address[0].q.val();
        for i in 0..4 {
            if self.remaining.q.val().get_bit(i) && !self.found.val() {
                self.found.next = true;
                self.lead.next = bits::<4>(1) << i.to_bits::<4>();
                self.lead_address.next = self.address[i].q.val();
            }
        }
        self.group.next = self.lead.val();
        if !self.atomic.q.val() {
            for i in 0..4 {
                if self.remaining.q.val().get_bit(i)
                    && (self.address[i].q.val().get_bits::<27>(5) == self.lead_address.val().get_bits::<27>(5))
                    && ((self.address[i].q.val().get_bit(4) == self.lead_address.val().get_bit(4))
                        || (self.fault.val() == bits::<8>(32)))
                {
                    self.group.next = self.group.val() | (bits::<4>(1) << i.to_bits::<4>());
                }
            }
        }
        self.left.next = self.remaining.q.val() & !self.group.val();

        // Byte enables and data of the line; a later lane overwrites an earlier one.
        self.span.next = bits::<16>(0x1);
        if self.tag.q.val().get_bits::<3>(5) == bits::<3>(1) {
            self.span.next = bits::<16>(0x3);
            if self.fault.val() == bits::<8>(34) {
                self.span.next = bits::<16>(0x1);
            }
        }
        if self.tag.q.val().get_bits::<3>(5) == bits::<3>(2) {
            self.span.next = bits::<16>(0xF);
        }
        if self.tag.q.val().get_bits::<3>(5) == bits::<3>(3) {
            self.span.next = bits::<16>(0xFF);
        }
        if self.tag.q.val().get_bits::<3>(5) == bits::<3>(4) {
            self.span.next = bits::<16>(0xFFFF);
        }
        self.all_enable.next = bits::<16>(0);
        for k in 0..4 {
            self.merged[k].next = bits::<32>(0);
        }
        for i in 0..4 {
            self.enable[i].next = bits::<16>(0);
            if self.group.val().get_bit(i) {
                self.enable[i].next = self.span.val() << self.address[i].q.val().get_bits::<4>(0);
            }
            self.all_enable.next = self.all_enable.val() | self.enable[i].val();
        }
        if self.atomic.q.val() {
            self.merged[0].next = self.new_lo.q.val();
            self.merged[1].next = self.new_lo.q.val();
            self.merged[2].next = self.new_lo.q.val();
            self.merged[3].next = self.new_lo.q.val();
            if self.tag.q.val().get_bits::<3>(5) == bits::<3>(3) {
                self.merged[1].next = self.new_hi.q.val();
                self.merged[3].next = self.new_hi.q.val();
            }
        } else if self.store.q.val() {
            for i in 0..4 {
                for k in 0..4 {
                    for b in 0..4 {
                        if self.enable[i].val().get_bit(4 * k + b) {
                            self.merged[k].next = (self.merged[k].val()
                                & !(bits::<32>(0xFF) << (8 * b).to_bits::<5>()))
                                | (self.data[k * 4 + i].q.val() & (bits::<32>(0xFF) << (8 * b).to_bits::<5>()));
                        }
                    }
                }
            }
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
        self.last.next = !self.left.val().any();
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
                if (self.fault.val() == bits::<8>(36)) && self.last.val() {
                    self.all_enable.next = bits::<16>(0);
                }
            }
        }
        self.fire.next = self.request.val() && self.m_req_ready.val();
        self.done.next = self.fire.val() && self.last.val();
        self.m_req_valid.next = self.request.val();
        self.m_req_addr.next = self.lead_address.val() & bits::<32>(0xFFFF_FFF0u64);
        self.m_req_write.next = self.write.val();
        self.m_req_lock.next = (self.atomic.q.val() && !self.write.val()) || self.locking.q.val();
        self.m_req_mask.next = bits::<16>(0);
        if self.write.val() {
            self.m_req_mask.next = self.all_enable.val();
        }
        self.m_req_data0.next = self.merged[0].val();
        self.m_req_data1.next = self.merged[1].val();
        self.m_req_data2.next = self.merged[2].val();
        self.m_req_data3.next = self.merged[3].val();
        self.flight_tag.write_enable.next = self.fire.val();
        self.flight_tag.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.flight_tag.write_data.next =
            self.tag.q.val() | (bit_cast::<32, 4>(self.group.val()) << 8) | self.kind.val();
        if self.last.val() {
            self.flight_tag.write_data.next =
                self.tag.q.val() | (bit_cast::<32, 4>(self.group.val()) << 8) | self.kind.val() | bits::<32>(2);
        }
        self.flight_offset.write_enable.next = self.fire.val();
        self.flight_offset.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.flight_offset.write_data.next = bit_cast::<32, 4>(self.address[0].q.val().get_bits::<4>(0))
            | (bit_cast::<32, 4>(self.address[1].q.val().get_bits::<4>(0)) << 4)
            | (bit_cast::<32, 4>(self.address[2].q.val().get_bits::<4>(0)) << 8)
            | (bit_cast::<32, 4>(self.address[3].q.val().get_bits::<4>(0)) << 12);
        if self.fire.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
            if !self.atomic.q.val() || (self.atomic_step.q.val() == AtomicStep::Write) {
                self.remaining.d.next = self.left.val();
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
        self.alu.arg_lo.next = self.data[0].q.val();
        self.alu.arg_hi.next = self.data[4].q.val();
        self.alu.expect_lo.next = self.data[8].q.val();
        self.alu.expect_hi.next = self.data[12].q.val();
        for i in 0..4 {
            if self.lead.val().get_bit(i) {
                self.alu.arg_lo.next = self.data[i].q.val();
                self.alu.arg_hi.next = self.data[i + 4].q.val();
                self.alu.expect_lo.next = self.data[i + 8].q.val();
                self.alu.expect_hi.next = self.data[i + 12].q.val();
            }
        }
        if self.pop.val() && (self.head_kind.val() == bits::<2>(2)) {
            self.old_lo.d.next = self.m_rsp_data0.val();
            self.old_hi.d.next = self.m_rsp_data1.val();
            if self.lead_address.val().get_bits::<2>(2) == bits::<2>(1) {
                self.old_lo.d.next = self.m_rsp_data1.val();
            }
            if self.lead_address.val().get_bits::<2>(2) == bits::<2>(2) {
                self.old_lo.d.next = self.m_rsp_data2.val();
                self.old_hi.d.next = self.m_rsp_data3.val();
            }
            if self.lead_address.val().get_bits::<2>(2) == bits::<2>(3) {
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

        // Acceptance. Opcode numbers: bit 7 atomic (bit 6 warp-wide, then bit 5: 64 bit; else bit 4: 64 bit); else bit 3 store, bits 2:0 width and sign.
        self.req_ready.next = !self.valid.q.val() || self.done.val();
        self.is_atomic.next = self.req_op.val().get_bit(7);
        self.is_wide.next = self.is_atomic.val() && self.req_op.val().get_bit(6) && (self.wide.val() == bits::<1>(1));
        self.is_double.next = self.req_op.val().get_bit(4);
        // The lanes that go to memory, and those that a warp-wide result goes to (none: those of the transaction).
        self.leader.next = self.req_mask.val();
        self.whole.next = bits::<4>(0);
        if self.is_wide.val() {
            self.is_double.next = self.req_op.val().get_bit(5);
            self.leader.next = self.req_mask.val() & (bits::<4>(0) - self.req_mask.val());
            if self.fault.val() == bits::<8>(101) {
                self.leader.next = self.req_mask.val();
            }
            self.whole.next = self.req_mask.val();
            if self.fault.val() == bits::<8>(100) {
                self.whole.next = bits::<4>(15);
            }
        }
        self.nibble.next = self.req_op.val().get_bits::<3>(0);
        self.sign.next = false;
        self.size.next = self.nibble.val();
        if self.is_atomic.val() {
            self.size.next = bits::<3>(2);
            if self.is_double.val() {
                self.size.next = bits::<3>(3);
            }
        } else if !self.req_op.val().get_bit(3) {
            self.sign.next = self.nibble.val().get_bit(0) && !self.nibble.val().get_bit(2);
            self.size.next = self.nibble.val() - bits::<3>(2);
            if !self.nibble.val().get_bit(2) {
                self.size.next = self.nibble.val() >> 1;
            }
        }
        self.align.next = bits::<32>(0xFFFF_FFFFu64);
        if self.size.val() == bits::<3>(1) {
            self.align.next = bits::<32>(0xFFFF_FFFEu64);
        }
        if self.size.val() == bits::<3>(2) {
            self.align.next = bits::<32>(0xFFFF_FFFCu64);
        }
        if self.size.val() == bits::<3>(3) {
            self.align.next = bits::<32>(0xFFFF_FFF8u64);
        }
        if self.size.val() == bits::<3>(4) {
            self.align.next = bits::<32>(0xFFFF_FFF0u64);
        }
        self.word0[0].next = self.req_w0_0.val();
        self.word0[1].next = self.req_w0_1.val();
        self.word0[2].next = self.req_w0_2.val();
        self.word0[3].next = self.req_w0_3.val();
        self.word1[0].next = self.req_w1_0.val();
        self.word1[1].next = self.req_w1_1.val();
        self.word1[2].next = self.req_w1_2.val();
        self.word1[3].next = self.req_w1_3.val();
        self.word2[0].next = self.req_w2_0.val();
        self.word2[1].next = self.req_w2_1.val();
        self.word2[2].next = self.req_w2_2.val();
        self.word2[3].next = self.req_w2_3.val();
        self.word3[0].next = self.req_w3_0.val();
        self.word3[1].next = self.req_w3_1.val();
        self.word3[2].next = self.req_w3_2.val();
        self.word3[3].next = self.req_w3_3.val();
        for i in 0..4 {
            if !self.is_atomic.val() {
                if self.size.val() == bits::<3>(0) {
                    self.word0[i].next =
                        (self.word0[i].val() & bits::<32>(0xFF)) | ((self.word0[i].val() & bits::<32>(0xFF)) << 8);
                }
                if (self.size.val() == bits::<3>(0)) || (self.size.val() == bits::<3>(1)) {
                    self.word0[i].next = (self.word0[i].val() & bits::<32>(0xFFFF)) | (self.word0[i].val() << 16);
                }
                if (self.size.val() != bits::<3>(3)) && (self.size.val() != bits::<3>(4)) {
                    self.word1[i].next = self.word0[i].val();
                }
                if self.size.val() != bits::<3>(4) {
                    self.word2[i].next = self.word0[i].val();
                    self.word3[i].next = self.word1[i].val();
                }
            }
        }
        self.accepted.next = (bit_cast::<32, 3>(self.req_unit.val()) << 29)
            | (bit_cast::<32, 4>(self.req_warp.val()) << 25)
            | (bit_cast::<32, 8>(self.req_seq.val()) << 17)
            | (bit_cast::<32, 5>(self.req_dst.val()) << 12)
            | (bit_cast::<32, 4>(self.whole.val()) << 8)
            | (bit_cast::<32, 3>(self.size.val()) << 5);
        if self.req_valid.val() && (!self.valid.q.val() || self.done.val()) {
            self.valid.d.next = true;
            self.store.d.next = self.req_op.val().get_bit(3) && !self.is_atomic.val();
            self.atomic.d.next = self.is_atomic.val();
            self.operation.d.next = self.req_op.val().get_bits::<4>(0);
            self.locking.d.next = self.req_lock.val();
            self.remaining.d.next = self.leader.val();
            self.tag.d.next = self.accepted.val();
            if self.sign.val() {
                self.tag.d.next = self.accepted.val() | bits::<32>(16);
            }
            self.address[0].d.next = self.req_addr0.val() & self.align.val();
            self.address[1].d.next = self.req_addr1.val() & self.align.val();
            self.address[2].d.next = self.req_addr2.val() & self.align.val();
            self.address[3].d.next = self.req_addr3.val() & self.align.val();
            for i in 0..4 {
                self.data[i].d.next = self.word0[i].val();
                self.data[i + 4].d.next = self.word1[i].val();
                self.data[i + 8].d.next = self.word2[i].val();
                self.data[i + 12].d.next = self.word3[i].val();
            }
        }
    }
}
