//! Operand stage: selects what the lanes work on, exchanges values between the lanes of a quad,
//! forms memory addresses, and decides branches.
//!
//! The lanes know neither special registers, nor cross-lane reads, nor memory: here S2R and QSHUF
//! become MOV of the value found, a derivative becomes FSUB of the two lanes, and a memory
//! instruction becomes IADD of base and offset (the value the retire port shows is the address).
//! ACS, ASR and RLS become MOV of operand B, and the lowest active lane's B is the semaphore of
//! their message. Inactive lanes are read by QSHUF and derivatives as they are.
//!
//! QSHUF and derivatives act on places in the quad. Of a warp whose lanes have changed places
//! (`flip`) operands are exchanged, not signs (MS-5).
//!
//! Latency 1 cycle for the lanes (outputs `lane_*` are registers); `taken`, `address` and `sem` are
//! combinational, for the branch and the queues. Wrong if a derivative takes its difference in the
//! wrong direction: right minus left, lower minus upper.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::Op;
use rust_hdl::prelude::*;

use super::words::{Instruction, Kind};
use crate::base::{vector, Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct Operands {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Instruction, bits 31:0.
    pub lo: Signal<In, Bits<32>>,
    /// Instruction, bits 63:32.
    pub hi: Signal<In, Bits<32>>,
    /// Bits as in [`super`].
    pub kind: Signal<In, Bits<21>>,
    /// Active lanes.
    pub mask: Signal<In, Bits<4>>,
    /// Register a per lane.
    pub a: Vec<Signal<In, Bits<32>>>,
    /// Register b per lane.
    pub b: Vec<Signal<In, Bits<32>>>,
    /// Register c per lane.
    pub c: Vec<Signal<In, Bits<32>>>,
    /// Word of the constant bank.
    pub bank: Signal<In, Bits<32>>,
    /// Special register per lane.
    pub special: Vec<Signal<In, Bits<32>>>,
    /// Active lanes that leave for the branch target.
    pub taken: Signal<Out, Bits<4>>,
    /// Memory address per lane.
    pub address: Vec<Signal<Out, Bits<32>>>,
    /// Operand B of the lowest active lane, at most 65535: the semaphore of a message.
    pub sem: Signal<Out, Bits<16>>,
    /// Merging: how the warp's lanes stand in their quad, bit 0 left with right, bit 1 top with
    /// bottom. One, or none.
    pub flip: Vec<Signal<In, Bits<2>>>,
    /// Opcode for the lanes.
    pub lane_op: Signal<Out, Bits<8>>,
    /// Operand A per lane.
    pub lane_a: Vec<Signal<Out, Bits<32>>>,
    /// Operand B per lane.
    pub lane_b: Vec<Signal<Out, Bits<32>>>,
    /// Operand C per lane.
    pub lane_c: Vec<Signal<Out, Bits<32>>>,
    op: DFF<Bits<8>>,
    reg_a: Vec<DFF<Bits<32>>>,
    reg_b: Vec<DFF<Bits<32>>>,
    reg_c: Vec<DFF<Bits<32>>>,
    plain_b: Vec<Signal<Local, Bits<32>>>,
    zero: Signal<Local, bool>,
    /// By lane: the lane of the quad that operand B names.
    other: Vec<Signal<Local, Bits<2>>>,
    nonzero: Signal<Local, Bits<4>>,
    first_b: Signal<Local, Bits<32>>,
    high: Signal<Local, Bits<16>>,
    /// The flip; that of neighbours, and whether left and right, or top and bottom, are exchanged.
    turned: Signal<Local, Bits<2>>,
    across: Signal<Local, bool>,
    down: Signal<Local, bool>,
    /// Opcode numbers of the table that the lanes get in place of the instruction's own.
    op_mov: Parameter<8>,
    op_fsub: Parameter<8>,
    op_iadd: Parameter<8>,
    fault_branch_mask: Planted,
    fault_message_lane: Planted,
    fault_flip_derivative: Vec<Planted>,
    _merges: bool,
    _lanes: usize,
    _active: bool,
}

impl Operands {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            flip: vector(usize::from(config.merges())),
            fault_flip_derivative: config.of_merging(Fault::FlipDerivative),
            _merges: config.merges(),
            a: vector(4),
            b: vector(4),
            c: vector(4),
            special: vector(4),
            address: vector(4),
            lane_a: vector(4),
            lane_b: vector(4),
            lane_c: vector(4),
            reg_a: vector(4),
            reg_b: vector(4),
            reg_c: vector(4),
            plain_b: vector(4),
            other: vector(4),
            op_mov: Parameter::new(Op::Mov as u64),
            op_fsub: Parameter::new(Op::FSub as u64),
            op_iadd: Parameter::new(Op::IAdd as u64),
            fault_branch_mask: Planted::new(config.has(Fault::BranchMask)),
            fault_message_lane: Planted::new(config.has(Fault::MessageLane)),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Operands {
    /// The lanes get an opcode that they know, and the flip is known.
    fn lane_opcode(&mut self) {
        comment!("module: operand_stage");
        dff_setup!(self, clock, op);
        self.op.d.next = bit_cast::<8, 32>(self.lo.val());
        if self.kind.val().get_value_special()
            || self.kind.val().get_value_shuffles()
            || self.kind.val().get_value_message()
        {
            self.op.d.next = self.op_mov.val();
        }
        if self.kind.val().get_value_ddx() || self.kind.val().get_value_ddy() {
            self.op.d.next = self.op_fsub.val();
        }
        if self.kind.val().get_value_global() || self.kind.val().get_value_shared() {
            self.op.d.next = self.op_iadd.val();
        }
        self.lane_op.next = self.op.q.val();
        self.turned.next = bits::<2>(0);
        self.across.next = false;
        self.down.next = false;
        if self._merges {
            self.turned.next = self.flip[0].val();
            self.across.next = self.flip[0].val().get_bit(0) && !self.fault_flip_derivative[0].val();
            self.down.next = self.flip[0].val().get_bit(1) && !self.fault_flip_derivative[0].val();
        }
    }

    /// Each lane gets its registers, or what the instruction has in their place.
    fn lane_inputs(&mut self) {
        self.nonzero.next = bits::<4>(0);
        for i in 0..self._lanes {
            self.reg_a[i].clock.next = self.clock.val();
            self.reg_b[i].clock.next = self.clock.val();
            self.reg_c[i].clock.next = self.clock.val();
            self.address[i].next = self.a[i].val() + self.hi.val();
            if self.a[i].val().any() {
                self.nonzero.next = self.nonzero.val() | (bits::<4>(1) << i.to_bits::<4>());
            }
            self.plain_b[i].next = self.b[i].val();
            if self.lo.val().get_value_immediate() {
                self.plain_b[i].next = self.hi.val();
            }
            if self.lo.val().get_value_constant() {
                self.plain_b[i].next = self.bank.val();
            }
            self.reg_a[i].d.next = self.a[i].val();
            self.reg_b[i].d.next = self.plain_b[i].val();
            self.reg_c[i].d.next = self.c[i].val();
            if self.kind.val().get_value_global() || self.kind.val().get_value_shared() {
                self.reg_b[i].d.next = self.hi.val();
            }
            if self.kind.val().get_value_special() {
                self.reg_b[i].d.next = self.special[i].val();
            }
            // Any lane of the quad, chosen by this lane's operand B.
            self.other[i].next = self.plain_b[i].val().get_bits::<2>(0) ^ self.turned.val();
            if self.kind.val().get_value_shuffles() {
                self.reg_b[i].d.next = self.a[0].val();
                if self.other[i].val() == bits::<2>(1) {
                    self.reg_b[i].d.next = self.a[1].val();
                }
                if self.other[i].val() == bits::<2>(2) {
                    self.reg_b[i].d.next = self.a[2].val();
                }
                if self.other[i].val() == bits::<2>(3) {
                    self.reg_b[i].d.next = self.a[3].val();
                }
            }
        }
    }

    /// A derivative takes operands of two lanes of the quad.
    fn derivatives(&mut self) {
        for i in 0..self._lanes {
            // Along x: lanes 1 - 0 above, 3 - 2 below. Along y: lanes 2 - 0 left, 3 - 1 right.
            if self.kind.val().get_value_ddx() {
                self.reg_a[i].d.next = self.a[1].val();
                self.reg_b[i].d.next = self.a[0].val();
                if self.across.val() {
                    self.reg_a[i].d.next = self.a[0].val();
                    self.reg_b[i].d.next = self.a[1].val();
                }
                if bits::<2>(1) < i.to_bits::<2>() {
                    self.reg_a[i].d.next = self.a[3].val();
                    self.reg_b[i].d.next = self.a[2].val();
                    if self.across.val() {
                        self.reg_a[i].d.next = self.a[2].val();
                        self.reg_b[i].d.next = self.a[3].val();
                    }
                }
            }
            if self.kind.val().get_value_ddy() {
                self.reg_a[i].d.next = self.a[2].val();
                self.reg_b[i].d.next = self.a[0].val();
                if self.down.val() {
                    self.reg_a[i].d.next = self.a[0].val();
                    self.reg_b[i].d.next = self.a[2].val();
                }
                if (i.to_bits::<2>() & bits::<2>(1)) == bits::<2>(1) {
                    self.reg_a[i].d.next = self.a[3].val();
                    self.reg_b[i].d.next = self.a[1].val();
                    if self.down.val() {
                        self.reg_a[i].d.next = self.a[1].val();
                        self.reg_b[i].d.next = self.a[3].val();
                    }
                }
            }
            self.lane_a[i].next = self.reg_a[i].q.val();
            self.lane_b[i].next = self.reg_b[i].q.val();
            self.lane_c[i].next = self.reg_c[i].q.val();
        }
    }

    /// The lowest lane names the message's semaphore; beyond 16 bits it is out of range.
    fn semaphore(&mut self) {
        self.first_b.next = self.plain_b[3].val();
        if self.fault_message_lane.val() {
            if self.mask.val().get_bit(0) {
                self.first_b.next = self.plain_b[0].val();
            }
            if self.mask.val().get_bit(1) {
                self.first_b.next = self.plain_b[1].val();
            }
            if self.mask.val().get_bit(2) {
                self.first_b.next = self.plain_b[2].val();
            }
            if self.mask.val().get_bit(3) {
                self.first_b.next = self.plain_b[3].val();
            }
        } else {
            if self.mask.val().get_bit(2) {
                self.first_b.next = self.plain_b[2].val();
            }
            if self.mask.val().get_bit(1) {
                self.first_b.next = self.plain_b[1].val();
            }
            if self.mask.val().get_bit(0) {
                self.first_b.next = self.plain_b[0].val();
            }
        }
        self.high.next = self.first_b.val().get_bits::<16>(16);
        self.sem.next = self.first_b.val().get_bits::<16>(0);
        if self.high.val().any() {
            self.sem.next = bits::<16>(0xFFFF);
        }
    }

    /// A branch takes the lanes whose condition holds.
    fn branch(&mut self) {
        self.taken.next = bits::<4>(0);
        if self.kind.val().get_value_jumps() {
            self.taken.next = self.mask.val();
        }
        self.zero.next = self.kind.val().get_value_if_zero();
        if self.kind.val().get_value_conditional() {
            self.taken.next = self.mask.val() & self.nonzero.val();
            if self.zero.val() {
                self.taken.next = self.mask.val() & !self.nonzero.val();
            }
            if self.fault_branch_mask.val() && self.taken.val().any() {
                self.taken.next = self.mask.val();
            }
        }
    }
}
