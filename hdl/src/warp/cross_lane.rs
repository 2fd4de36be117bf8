//! Cross-lane unit: reductions, exclusive scans and ballot over the active lanes of a warp (WRED,
//! WSCAN, WBALLOT; WW-21), beside the lanes.
//!
//! Latency [`LANE_LATENCY`](crate::config::LANE_LATENCY) = 5 cycles, one operation per cycle, no
//! stalls: what stands before edge t gives `value` after edge t + 4, as in a lane. Any other opcode
//! gives 0 in all lanes, so that the unit's result is the lanes' result or this one.
//!
//! | stage | what |
//! |---|---|
//! | 1 | inactive lanes take the operation's identity; signed minimum and maximum become unsigned by a flipped sign bit; a ballot becomes the OR of one bit per lane |
//! | 2 | lanes 0 and 1 combined, lanes 2 and 3 combined |
//! | 3 | the first pair with lane 2 (scan) or with the second pair (reduction); result of each lane, sign bit flipped back |
//! | 4, 5 | - |
//!
//! With the identity in inactive lanes a scan needs no knowledge of who is active below. It can be
//! wrong in an identity, which shows only with lanes inactive, and in what travels beside the data;
//! `tests/cross_lane.rs` runs every operation with every mask back to back. Planted fault:
//! `reduce-inactive`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::Op;
use rust_hdl::prelude::*;

use crate::base::{vector, Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// One operation on two words, combinational; `op`: 0 sum, 1 and, 2 or, 3 exclusive or, 4 and 6
/// unsigned minimum, 5 and 7 unsigned maximum.
#[derive(Default, QuietBlock)]
pub struct LaneCombine {
    /// Operation.
    pub op: Signal<In, Bits<3>>,
    /// One word.
    pub a: Signal<In, Bits<32>>,
    /// The other word.
    pub b: Signal<In, Bits<32>>,
    /// Their combination.
    pub value: Signal<Out, Bits<32>>,
    below: Signal<Local, bool>,
    _active: bool,
}

impl LaneCombine {
    /// The function.
    pub fn new() -> Self {
        Self { _active: true, ..Default::default() }
    }
}

impl Logic for LaneCombine {
    #[kernel]
    fn update(&mut self) {
        comment!("module: lane_combine");
        self.below.next = self.a.val() < self.b.val();
        self.value.next = self.a.val() + self.b.val();
        if self.op.val() == bits::<3>(1) {
            self.value.next = self.a.val() & self.b.val();
        }
        if self.op.val() == bits::<3>(2) {
            self.value.next = self.a.val() | self.b.val();
        }
        if self.op.val() == bits::<3>(3) {
            self.value.next = self.a.val() ^ self.b.val();
        }
        if self.op.val().get_bit(2) {
            // Bit 0 tells maximum from minimum.
            self.value.next = self.a.val();
            if self.below.val() == self.op.val().get_bit(0) {
                self.value.next = self.b.val();
            }
        }
    }
}

/// The unit. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct CrossLane {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Opcode, bits 7:0 of the instruction.
    pub op: Signal<In, Bits<8>>,
    /// Active lanes.
    pub mask: Signal<In, Bits<4>>,
    /// Operand A per lane.
    pub a: Vec<Signal<In, Bits<32>>>,
    /// Result of the operation five edges earlier, per lane; that of an inactive lane is not
    /// defined.
    pub value: Vec<Signal<Out, Bits<32>>>,
    first: LaneCombine,
    second: LaneCombine,
    third: LaneCombine,
    x1: Vec<DFF<Bits<32>>>,
    op1: DFF<Bits<3>>,
    scan1: DFF<bool>,
    flip1: DFF<Bits<32>>,
    identity1: DFF<Bits<32>>,
    /// Lane 0, lanes 0 and 1, lane 2, lanes 2 and 3.
    x2: Vec<DFF<Bits<32>>>,
    op2: DFF<Bits<3>>,
    scan2: DFF<bool>,
    flip2: DFF<Bits<32>>,
    identity2: DFF<Bits<32>>,
    x3: Vec<DFF<Bits<32>>>,
    x4: Vec<DFF<Bits<32>>>,
    x5: Vec<DFF<Bits<32>>>,
    reduce: Signal<Local, bool>,
    scan: Signal<Local, bool>,
    ballot: Signal<Local, bool>,
    flip: Signal<Local, Bits<32>>,
    identity: Signal<Local, Bits<32>>,
    operation: Signal<Local, Bits<3>>,
    taking: Signal<Local, Bits<4>>,
    op_ballot: Parameter<8>,
    /// Upper bits of the opcodes.
    reductions: Parameter<5>,
    scans: Parameter<5>,
    fault_reduce_inactive: Planted,
    _lanes: usize,
    _active: bool,
}

impl CrossLane {
    /// The unit of that configuration (only its planted fault matters here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            a: vector(4),
            value: vector(4),
            first: LaneCombine::new(),
            second: LaneCombine::new(),
            third: LaneCombine::new(),
            x1: vector(4),
            x2: vector(4),
            x3: vector(4),
            x4: vector(4),
            x5: vector(4),
            op_ballot: Parameter::new(Op::WBallot as u64),
            reductions: Parameter::new(Op::WRedAdd as u64 >> 3),
            scans: Parameter::new(Op::WScanAdd as u64 >> 3),
            fault_reduce_inactive: Planted::new(config.has(Fault::ReduceInactive)),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl CrossLane {
    /// The opcode says the operation, its identity and its flipped bit.
    fn decoding(&mut self) {
        comment!("module: cross_lane");
        clock!(self, clock, op1, scan1, flip1, identity1, op2, scan2, flip2, identity2);
        // Stage 1. Reductions and scans are eight opcodes each; bits 2:0 as of the atomics.
        self.reduce.next = self.op.val().get_bits::<5>(3) == self.reductions.val();
        self.scan.next = self.op.val().get_bits::<5>(3) == self.scans.val();
        self.ballot.next = self.op.val() == self.op_ballot.val();
        self.operation.next = bits::<3>(2);
        if self.reduce.val() || self.scan.val() {
            self.operation.next = self.op.val().get_bits::<3>(0);
        }
        self.flip.next = bits::<32>(0);
        if self.operation.val().get_bits::<2>(1) == bits::<2>(2) {
            self.flip.next = bits::<32>(0x8000_0000u64);
        }
        self.identity.next = bits::<32>(0);
        if (self.operation.val() == bits::<3>(1))
            || (self.operation.val() == bits::<3>(4))
            || (self.operation.val() == bits::<3>(6))
        {
            self.identity.next = bits::<32>(0xFFFF_FFFFu64);
        }
        self.taking.next = self.mask.val();
        if self.fault_reduce_inactive.val() && self.reduce.val() {
            self.taking.next = bits::<4>(15);
        }
        self.op1.d.next = self.operation.val();
        self.scan1.d.next = self.scan.val();
        self.flip1.d.next = self.flip.val();
        self.identity1.d.next = self.identity.val();
    }

    /// Inactive lanes take the identity, and a ballot one bit for each lane.
    fn lane_words(&mut self) {
        for i in 0..self._lanes {
            self.x1[i].clock.next = self.clock.val();
            self.x2[i].clock.next = self.clock.val();
            self.x3[i].clock.next = self.clock.val();
            self.x4[i].clock.next = self.clock.val();
            self.x5[i].clock.next = self.clock.val();
            self.x1[i].d.next = bits::<32>(0);
            if self.reduce.val() || self.scan.val() {
                self.x1[i].d.next = self.identity.val();
                if self.taking.val().get_bit(i) {
                    self.x1[i].d.next = self.a[i].val() ^ self.flip.val();
                }
            }
            if self.ballot.val() && self.taking.val().get_bit(i) && self.a[i].val().any() {
                self.x1[i].d.next = bits::<32>(1) << i.to_bits::<5>();
            }
        }
    }

    /// Stage 2 combines lanes in pairs.
    fn pairs(&mut self) {
        self.first.op.next = self.op1.q.val();
        self.first.a.next = self.x1[0].q.val();
        self.first.b.next = self.x1[1].q.val();
        self.second.op.next = self.op1.q.val();
        self.second.a.next = self.x1[2].q.val();
        self.second.b.next = self.x1[3].q.val();
        self.x2[0].d.next = self.x1[0].q.val();
        self.x2[1].d.next = self.first.value.val();
        self.x2[2].d.next = self.x1[2].q.val();
        self.x2[3].d.next = self.second.value.val();
        self.op2.d.next = self.op1.q.val();
        self.scan2.d.next = self.scan1.q.val();
        self.flip2.d.next = self.flip1.q.val();
        self.identity2.d.next = self.identity1.q.val();
    }

    /// Stage 3 makes the result of each lane.
    fn results(&mut self) {
        self.third.op.next = self.op2.q.val();
        self.third.a.next = self.x2[1].q.val();
        self.third.b.next = self.x2[3].q.val();
        if self.scan2.q.val() {
            self.third.b.next = self.x2[2].q.val();
        }
        for i in 0..self._lanes {
            self.x3[i].d.next = self.third.value.val() ^ self.flip2.q.val();
            self.x4[i].d.next = self.x3[i].q.val();
            self.x5[i].d.next = self.x4[i].q.val();
            self.value[i].next = self.x5[i].q.val();
        }
        if self.scan2.q.val() {
            self.x3[0].d.next = self.identity2.q.val() ^ self.flip2.q.val();
            self.x3[1].d.next = self.x2[0].q.val() ^ self.flip2.q.val();
            self.x3[2].d.next = self.x2[1].q.val() ^ self.flip2.q.val();
        }
    }
}
