//! Load/store/atomic pipeline (LSA): takes one warp memory instruction at a time, cuts it into line
//! transactions and delivers the completion. It is used twice: once per core for global memory and
//! once per warp unit, inside its shared storage.
//!
//! Transactions. The *leader* is the lowest remaining lane; all remaining lanes whose address lies
//! in the leader's 16-byte line go in one transaction. Instructions are cut one after the other and
//! memory answers in order, so instructions are performed whole and in order of acceptance. Atomics
//! wait until nothing is in flight and then go lane by lane: line read, modify, line write, nothing
//! in between.
//!
//! Throughput. A load or store whose lanes share a line takes one cycle: the next instruction is
//! accepted in the cycle in which the last transaction of the present one is taken (`req_ready`
//! follows `m_req_ready`). At most 16 transactions are in flight. An atomic lane costs two memory
//! round trips and one cycle.
//!
//! Warp-wide atomics (WW-20, opcode bit 6) are atomics of the lowest active lane alone, whose
//! result goes to all lanes of the request: `remaining` is one lane and the completion beat has the
//! request's whole mask. The lock form (WW-22) delivers whether it swapped, the others the old
//! value. A load with `req_lock` is sent as an atomic's read is, when nothing is in flight and
//! locking its line; who asked for it must send the store that ends the lock next.
//!
//! Completion. One register beat (`rsp_*`, registered) delivers one register of up to four lanes: a
//! load transaction gives one beat per register, a store one beat after its last write was
//! answered, an atomic one or two beats per lane. `rsp_last` marks the instruction's last beat.
//!
//! What is needed to unpack a response waits in a queue; its words are in `flight.rs`.
//!
//! Parts: [`accept`] decodes the instruction that is accepted, [`cut`] forms the transaction and
//! merges its line, [`unpack`] takes a register per lane out of a line, all three combinational;
//! [`AtomicAlu`] computes an atomic's new value. This file has the registers between them, the
//! flight queue and the step of the atomic.
//!
//! It can be wrong in queue order and in when it may send; `tests/lsa.rs` compares it with a
//! byte-wise model.
//!
//! Planted faults: `drop-response`, `atomic-lost-lane` and `wide-old-value`; `coalesce-line`,
//! `store-mask`, `sign-extend`, `wide-inactive` and `wide-twice` in the parts.

pub mod accept;
pub mod cut;
pub mod unpack;

use quadlock_hdl_macros::{QuietBlock, StateWord};
mod atomics;
mod flight;
mod request;
mod respond;
mod take;
use rust_hdl::prelude::*;

use accept::Accept;
use cut::Cut;
use unpack::Unpack;

use super::{AtomicAlu, LutRam};
use crate::base::stream::StreamIn;
use crate::base::{vector, Planted};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::ports::{BeatOut, LineDataIn, LineRequestOut, RequestIn};

/// What the atomic in progress does next.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
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

/// The pipeline. Ports `req_*`: warp instruction (valid/ready); `m_*`: memory side (as the memory
/// port of `docs/machine.md`); `rsp_*`: completion beats. `req_w{word}_{lane}`: store data words;
/// for atomics words 0, 1 are the operand and 2, 3 the expected value.
#[derive(Default, QuietBlock)]
pub struct Lsa {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Memory instruction: number of the warp unit.
    pub req_unit: Signal<In, Bits<3>>,
    /// Memory instruction: the bundle holds one in this cycle.
    pub req: RequestIn,
    /// With a load of one lane: its line stays locked until the store that follows.
    pub req_lock: Signal<In, bool>,
    /// Memory request: the bundle holds one in this cycle.
    pub m_req: LineRequestOut,
    /// Memory response: the bundle holds one in this cycle.
    /// Memory port: data of the response.
    pub m_rsp: StreamIn<LineDataIn>,
    /// Completion of a memory instruction: number of the warp unit.
    pub rsp_unit: Signal<Out, Bits<3>>,
    /// Completion of a memory instruction: the bundle holds one in this cycle.
    /// A beat of its answer.
    pub rsp: BeatOut,

    // The instruction being cut. `data` is indexed word * 4 + lane; narrow store data is replicated
    // over the line.
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
    kind: Signal<Local, Bits<2>>,
    last: Signal<Local, bool>,
    entry: Signal<Local, Bits<32>>,
    // Unpacking.
    present: Signal<Local, bool>,
    head_tag: Signal<Local, Bits<32>>,
    head_size: Signal<Local, Bits<3>>,
    head_kind: Signal<Local, Bits<2>>,
    free: Signal<Local, bool>,
    final_beat: Signal<Local, bool>,
    /// A completion could go out; one does.
    can_emit: Signal<Local, bool>,
    emit: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    beat_tag: Signal<Local, Bits<32>>,
    beat_dst: Signal<Local, Bits<5>>,
    dropped: Signal<Local, bool>,
    fault_drop_response: Planted,
    fault_atomic_lost_lane: Planted,
    fault_wide_old_value: Planted,
    _active: bool,
}

impl Lsa {
    /// The pipeline of that configuration (its way of warp-wide atomics and its planted fault
    /// matter here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            address: vector(4),
            data: vector(16),
            alu: AtomicAlu::new(config),
            out_value: vector(4),
            accept: Accept::new(config),
            cut: Cut::new(config),
            unpack: Unpack::new(config),
            fault_drop_response: Planted::new(config.has(Fault::DropResponse)),
            fault_atomic_lost_lane: Planted::new(config.has(Fault::AtomicLostLane)),
            fault_wide_old_value: Planted::new(config.has(Fault::WideOldValue)),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { Lsa:
    /// Registers keep what they have.
    Registers,
    /// The head of the queue says what the line on the response port is for.
    Respond,
    /// One register per lane out of the line; a store delivers none.
    Unpacking,
    /// The completion register.
    Deliver,
    /// The present instruction to its cutting and merging.
    Cutting,
    /// Whether a transaction is asked for, and of which kind.
    Request,
    /// The memory port.
    Send,
    /// What unpacking needs of a transaction goes into the queue.
    Enqueue,
    /// Atomics: operands of the leader, old value out of the line.
    Operands,
    /// Atomics: read, wait, modify, write.
    Steps,
    /// The offered instruction to its decoding.
    Decode,
    /// It comes into the pipeline.
    Take,
}
