//! The control pipe beside the lanes: carries each instruction's record from the operand stage to
//! retirement, as many cycles as a lane takes, and shows it there.
//!
//! Every slot of the operand stage leaves exactly `LANE_LATENCY + 1` cycles later (the operand
//! registers and the lane), in order. Two cycles before that the pipe announces the register that
//! will be written, so that the scoreboard lets the next reader go and the register file's bypass
//! serves it: the shortest distance between a producer and its consumer is 7 cycles. Wrong if it
//! announces earlier than the bypass reaches.
//!
//! The record is one word (`Record` of `words.rs`). The event `ret_*` is zero unless `trace`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::words::{Instruction, Kind, Record};
use crate::base::{vector, Parameter};
use crate::base::{Nothing, Quiet};
use crate::comment;
use crate::config::{GpuConfig, LANE_LATENCY};
use crate::ports::{IssuedIn, RetireOut, TrapOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RetirePipe {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // The instruction in the operand stage.
    /// The instruction in the operand stage.
    pub issued: IssuedIn,
    /// Lanes that take the branch of this instruction.
    pub in_taken: Signal<In, Bits<4>>,
    // Two cycles before retirement.
    /// A lane result is about to be written.
    pub early_write: Signal<Out, bool>,
    /// Its warp slot.
    pub early_warp: Signal<Out, Bits<4>>,
    /// Its register.
    pub early_register: Signal<Out, Bits<5>>,
    // Retirement.
    /// Result of the lanes for the instruction that retires, per lane.
    pub result: Vec<Signal<In, Bits<32>>>,
    /// An instruction retires and is complete.
    pub retire: Signal<Out, bool>,
    /// The instruction that retires writes a register from the lanes.
    pub write: Signal<Out, bool>,
    /// Its warp slot.
    pub warp: Signal<Out, Bits<4>>,
    /// Its destination.
    pub destination: Signal<Out, Bits<5>>,
    /// Its active lanes.
    pub mask: Signal<Out, Bits<4>>,
    /// An instruction trapped.
    pub trap: TrapOut,
    // Event.
    /// Event: an instruction retires.
    pub ret: RetireOut,
    metas: Vec<DFF<Bits<32>>>,
    pcs: Vec<DFF<Bits<16>>>,
    los: Vec<DFF<Bits<32>>>,
    his: Vec<DFF<Bits<32>>>,
    record: Signal<Local, Bits<32>>,
    early: Signal<Local, Bits<32>>,
    meta: Signal<Local, Bits<32>>,
    pc: Signal<Local, Bits<16>>,
    lo: Signal<Local, Bits<32>>,
    hi: Signal<Local, Bits<32>>,
    following: Signal<Local, Bits<16>>,
    /// Lanes that leave for it.
    taken: Signal<Local, Bits<4>>,
    target: Signal<Local, Bits<16>>,
    trace: Parameter<1>,
    _stages: usize,
    _last: usize,
    _early: usize,
    _after_early: usize,
    _active: bool,
}

impl RetirePipe {
    /// The pipe of that configuration (only tracing matters here).
    pub fn new(config: &GpuConfig) -> Self {
        let stages = LANE_LATENCY + 1;
        Self {
            result: vector(4),
            metas: vector(stages),
            pcs: vector(stages),
            los: vector(stages),
            his: vector(stages),
            trace: Parameter::new(u64::from(config.trace)),
            _stages: stages,
            _last: stages - 1,
            _early: stages - 3,
            _after_early: stages - 2,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl RetirePipe {
    /// A record goes from stage to stage.
    fn stages(&mut self) {
        comment!("module: retire_pipe");
        for i in 0..self._stages {
            self.metas[i].clock.next = self.clock.val();
            self.pcs[i].clock.next = self.clock.val();
            self.los[i].clock.next = self.clock.val();
            self.his[i].clock.next = self.clock.val();
        }
        self.record.next = bits::<32>(0);
        self.record.next.set_value_valid(self.issued.valid.val());
        self.record.next.set_value_trap(self.issued.kind.val().get_value_traps());
        self.record.next.set_value_memory(
            self.issued.kind.val().get_value_global()
                || self.issued.kind.val().get_value_shared()
                || self.issued.kind.val().get_value_function(),
        );
        self.record.next.set_value_write(self.issued.kind.val().get_value_writes());
        self.record.next.set_value_warp(self.issued.warp.val());
        self.record.next.set_value_seq(self.issued.seq.val());
        self.record.next.set_value_mask(self.issued.mask.val());
        self.record.next.set_value_destination(self.issued.lo.val().get_value_d());
        self.record.next.set_value_taken(self.in_taken.val());
        self.metas[0].d.next = self.record.val();
        self.pcs[0].d.next = self.issued.pc.val();
        self.los[0].d.next = self.issued.lo.val();
        self.his[0].d.next = self.issued.hi.val();
        for i in 1..self._stages {
            self.metas[i].d.next = self.metas[i - 1].q.val();
            self.pcs[i].d.next = self.pcs[i - 1].q.val();
            self.los[i].d.next = self.los[i - 1].q.val();
            self.his[i].d.next = self.his[i - 1].q.val();
        }
    }

    /// The register is announced early, and the instruction retires.
    fn retirement(&mut self) {
        for i in self._early..self._after_early {
            self.early.next = self.metas[i].q.val();
        }
        self.early_write.next = self.early.val().get_value_valid() && self.early.val().get_value_write();
        self.early_warp.next = self.early.val().get_value_warp();
        self.early_register.next = self.early.val().get_value_destination();
        for i in self._last..self._stages {
            self.meta.next = self.metas[i].q.val();
            self.pc.next = self.pcs[i].q.val();
            self.lo.next = self.los[i].q.val();
            self.hi.next = self.his[i].q.val();
        }
        self.taken.next = self.meta.val().get_value_taken();
        self.retire.next = self.meta.val().get_value_valid() && !self.meta.val().get_value_memory();
        self.write.next = self.meta.val().get_value_valid() && self.meta.val().get_value_write();
        self.warp.next = self.meta.val().get_value_warp();
        self.destination.next = self.meta.val().get_value_destination();
        self.mask.next = self.meta.val().get_value_mask();
        self.trap.valid.next = self.meta.val().get_value_valid() && self.meta.val().get_value_trap();
        self.trap.warp.next = self.meta.val().get_value_warp();
        self.trap.pc.next = self.pc.val();
    }

    /// The event says what has retired.
    fn event(&mut self) {
        self.following.next = self.pc.val() + bits::<16>(1);
        self.target.next = bit_cast::<16, 32>(self.hi.val());
        Quiet::<RetireOut>::join(&mut self.ret, &mut Nothing);
        if self.trace.val() == bits::<1>(1) {
            self.ret.valid.next = self.meta.val().get_value_valid();
            self.ret.warp.next = self.meta.val().get_value_warp();
            self.ret.seq.next = self.meta.val().get_value_seq();
            self.ret.mask.next = self.meta.val().get_value_mask();
            self.ret.pc.next = self.pc.val();
            self.ret.lo.next = self.lo.val();
            self.ret.hi.next = self.hi.val();
            self.ret.trap.next = self.meta.val().get_value_trap();
            self.ret.mem.next = self.meta.val().get_value_memory();
            self.ret.wen.next = self.meta.val().get_value_write();
            self.ret.dst.next = self.meta.val().get_value_destination();
            for i in 0..4 {
                self.ret.value[i].next = self.result[i].val();
                self.ret.next[i].next = self.following.val();
                if self.taken.val().get_bit(i) {
                    self.ret.next[i].next = self.target.val();
                }
            }
        }
    }
}
