//! The control pipe beside the lanes: carries each instruction's record from the operand stage to retirement, as many cycles as a lane takes.
//!
//! Every slot of the operand stage leaves exactly `LANE_LATENCY + 1` cycles later (the operand registers and the lane), in order. Two cycles before
//! that the pipe announces the register that will be written, so that the scoreboard lets the next reader go and the register file's bypass
//! serves it: the shortest distance between a producer and its consumer is 7 cycles. Wrong if it announces earlier than the bypass reaches.

use rust_hdl::prelude::*;

use crate::config::LANE_LATENCY;
use crate::{comment, quiet_block};

/// See the module documentation. `meta`: valid 0, trap 1, memory 2, write 3, warp 7:4, seq 15:8, mask 19:16, destination 24:20, taken lanes 28:25.
#[derive(Default)]
pub struct RetirePipe {
    pub clock: Signal<In, Clock>,
    /// Record of the instruction in the operand stage: valid 0, trap 1, memory 2, write 3, warp 7:4, seq 15:8, mask 19:16, destination 24:20, taken lanes 28:25.
    pub in_meta: Signal<In, Bits<32>>,
    /// Its program counter.
    pub in_pc: Signal<In, Bits<16>>,
    /// Its word, bits 31:0.
    pub in_lo: Signal<In, Bits<32>>,
    /// Its word, bits 63:32.
    pub in_hi: Signal<In, Bits<32>>,
    /// `meta` two cycles before retirement.
    pub early_meta: Signal<Out, Bits<32>>,
    /// Record of the instruction that retires.
    pub meta: Signal<Out, Bits<32>>,
    /// Its program counter.
    pub pc: Signal<Out, Bits<16>>,
    /// Its word, bits 31:0.
    pub lo: Signal<Out, Bits<32>>,
    /// Its word, bits 63:32.
    pub hi: Signal<Out, Bits<32>>,
    metas: Vec<DFF<Bits<32>>>,
    pcs: Vec<DFF<Bits<16>>>,
    los: Vec<DFF<Bits<32>>>,
    his: Vec<DFF<Bits<32>>>,
    _stages: usize,
    _last: usize,
    _early: usize,
    _after_early: usize,
    _active: bool,
}

quiet_block!(RetirePipe {
    inputs: clock, in_meta, in_pc, in_lo, in_hi;
    inner: early_meta, meta, pc, lo, hi, metas, pcs, los, his
});

impl RetirePipe {
    pub fn new() -> Self {
        let stages = LANE_LATENCY + 1;
        Self {
            metas: super::vector(stages),
            pcs: super::vector(stages),
            los: super::vector(stages),
            his: super::vector(stages),
            _stages: stages,
            _last: stages - 1,
            _early: stages - 3,
            _after_early: stages - 2,
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for RetirePipe {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: retire_pipe");
        for i in 0..self._stages {
            self.metas[i].clock.next = self.clock.val();
            self.pcs[i].clock.next = self.clock.val();
            self.los[i].clock.next = self.clock.val();
            self.his[i].clock.next = self.clock.val();
        }
        self.metas[0].d.next = self.in_meta.val();
        self.pcs[0].d.next = self.in_pc.val();
        self.los[0].d.next = self.in_lo.val();
        self.his[0].d.next = self.in_hi.val();
        for i in 1..self._stages {
            self.metas[i].d.next = self.metas[i - 1].q.val();
            self.pcs[i].d.next = self.pcs[i - 1].q.val();
            self.los[i].d.next = self.los[i - 1].q.val();
            self.his[i].d.next = self.his[i - 1].q.val();
        }
        for i in self._early..self._after_early {
            self.early_meta.next = self.metas[i].q.val();
        }
        for i in self._last..self._stages {
            self.meta.next = self.metas[i].q.val();
            self.pc.next = self.pcs[i].q.val();
            self.lo.next = self.los[i].q.val();
            self.hi.next = self.his[i].q.val();
        }
    }
}
