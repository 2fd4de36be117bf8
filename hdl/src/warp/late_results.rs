//! Kept results of warp-wide atomics, and their way to the lanes that come late (WW-27). Built with
//! `warp-wide-late = stored`.
//!
//! One RAM holds, per warp slot, the last result from global memory and the last from shared
//! storage, two words each: word address {slot, shared, high}. Each pipeline completes in order,
//! and a late arrival issues when its execution has completed (the scoreboard sees to that), so the
//! words of its pipeline are those of the slot's last atomic there: that execution.
//!
//! A late arrival is taken in the operand stage (cycle 2) and walks beside the control pipe. In
//! the cycle in which it retires (8) `write` gives the low word to the register file's write
//! port, which no lane result wants then; a 64-bit form gives the high word one cycle later, in
//! the slot that the unit has left empty behind it. One arrival per cycle; nothing waits.
//! `freed` comes one cycle behind the last word, as the write port's `result_done` does.
//!
//! It can be wrong in the word that it takes for the high one, and in the slot behind a 64-bit
//! form; `tests/late_results.rs` looks at both.
//!
//! Planted faults: `late-lanes` (the kept result is written to all lanes), `late-memory` (it is
//! taken from the other memory's words).

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::words::{Late, Request};
use crate::base::{vector, Planted};
use crate::cell::Ram;
use crate::comment;
use crate::config::{GpuConfig, LANE_LATENCY};
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct LateResults {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Results as they are written.
    /// A beat of a warp-wide atomic's result is written.
    pub keep: Signal<In, bool>,
    /// Its warp slot.
    pub keep_warp: Signal<In, Bits<4>>,
    /// It comes from shared storage.
    pub keep_shared: Signal<In, bool>,
    /// It is the last of its instruction.
    pub keep_last: Signal<In, bool>,
    /// Its value.
    pub keep_value: Signal<In, Bits<32>>,
    // Operand stage.
    /// A late arrival.
    pub push: Signal<In, bool>,
    /// It is a 64-bit form.
    pub push_two: Signal<In, bool>,
    /// It is of shared storage.
    pub push_shared: Signal<In, bool>,
    /// Its fields, as in [`super::request_queue::RequestQueue::push_meta`].
    pub push_meta: Signal<In, Bits<32>>,
    // Register file.
    /// A kept word is written.
    pub write: Signal<Out, bool>,
    /// It is the last of its instruction.
    pub last: Signal<Out, bool>,
    /// Its warp slot.
    pub warp: Signal<Out, Bits<4>>,
    /// Its instruction's sequence number.
    pub seq: Signal<Out, Bits<8>>,
    /// Lanes that get it.
    pub mask: Signal<Out, Bits<4>>,
    /// Register that gets it.
    pub dst: Signal<Out, Bits<5>>,
    /// The word.
    pub value: Signal<Out, Bits<32>>,
    /// Registers of the instruction, one bit each.
    pub sets: Signal<Out, Bits<32>>,
    /// In the cycle before, the last word was written.
    pub freed: Signal<Out, bool>,
    /// Its warp slot.
    pub freed_warp: Signal<Out, Bits<4>>,
    ram: Ram,
    /// The next beat of this pipeline is a high word.
    high_global: DFF<bool>,
    high_shared: DFF<bool>,
    /// Arrivals on their way, each a `Late`.
    steps: Vec<DFF<Bits<24>>>,
    done: DFF<bool>,
    done_warp: DFF<Bits<4>>,
    high: Signal<Local, bool>,
    record: Signal<Local, Bits<24>>,
    /// The arrival whose low word is read in this cycle, and its memory.
    reads: Signal<Local, Bits<24>>,
    reads_shared: Signal<Local, bool>,
    /// The arrival whose low word is written in this cycle.
    first: Signal<Local, Bits<24>>,
    /// The arrival whose high word may be written in this cycle.
    second: Signal<Local, Bits<24>>,
    /// The one whose word is written.
    now: Signal<Local, Bits<24>>,
    /// Register of the low word of `first`; of that of `second`; of its high word.
    low_register: Signal<Local, Bits<5>>,
    high_low_register: Signal<Local, Bits<5>>,
    high_register: Signal<Local, Bits<5>>,
    /// Place of the word that is kept: of the memory, of the half; all of it.
    shared_at: Signal<Local, Bits<12>>,
    high_at: Signal<Local, Bits<12>>,
    write_at: Signal<Local, Bits<12>>,
    read_at: Signal<Local, Bits<12>>,
    fault_late_lanes: Planted,
    fault_late_memory: Planted,
    _steps: usize,
    _reads: usize,
    _first: usize,
    _second: usize,
    _active: bool,
}

impl LateResults {
    /// For the warp slots of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let steps = LANE_LATENCY + 2;
        Self {
            ram: Ram::new(4 * config.warps),
            steps: vector(steps),
            fault_late_lanes: Planted::new(config.has(Fault::LateLanes)),
            fault_late_memory: Planted::new(config.has(Fault::LateMemory)),
            _steps: steps,
            _reads: steps - 3,
            _first: steps - 2,
            _second: steps - 1,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl LateResults {
    /// Results are kept as they come.
    fn keeping(&mut self) {
        comment!("module: late_results");
        dff_setup!(self, clock, high_global, high_shared, done, done_warp);
        clock!(self, clock, ram);
        // Results as they come: the low word first.
        self.high.next = self.high_global.q.val();
        if self.keep_shared.val() {
            self.high.next = self.high_shared.q.val();
        }
        if self.keep.val() && !self.keep_shared.val() {
            self.high_global.d.next = !self.keep_last.val();
        }
        if self.keep.val() && self.keep_shared.val() {
            self.high_shared.d.next = !self.keep_last.val();
        }
        self.shared_at.next = bits::<12>(0);
        if self.keep_shared.val() {
            self.shared_at.next = bits::<12>(2);
        }
        self.high_at.next = bits::<12>(0);
        if self.high.val() {
            self.high_at.next = bits::<12>(1);
        }
        self.write_at.next =
            (bit_cast::<12, 4>(self.keep_warp.val()) << bits::<12>(2)) | self.shared_at.val() | self.high_at.val();
        self.ram.write_address.next = self.write_at.val();
        self.ram.write_data.next = self.keep_value.val();
        self.ram.write_enable.next = self.keep.val();
    }

    /// An arrival goes from step to step on its way.
    fn arrivals(&mut self) {
        self.record.next = bits::<24>(0);
        self.record.next.set_value_warp(self.push_meta.val().get_value_warp());
        self.record.next.set_value_seq(self.push_meta.val().get_value_seq());
        self.record.next.set_value_mask(self.push_meta.val().get_value_mask());
        self.record.next.set_value_dst(self.push_meta.val().get_value_dst());
        self.record.next.set_value_valid(self.push.val());
        self.record.next.set_value_two(self.push_two.val());
        self.record.next.set_value_shared(self.push_shared.val());
        for i in 0..self._steps {
            self.steps[i].clock.next = self.clock.val();
        }
        self.steps[0].d.next = self.record.val();
        for i in 1..self._steps {
            self.steps[i].d.next = self.steps[i - 1].q.val();
        }
        for i in self._reads..self._first {
            self.reads.next = self.steps[i].q.val();
        }
        for i in self._first..self._second {
            self.first.next = self.steps[i].q.val();
        }
        for i in self._second..self._steps {
            self.second.next = self.steps[i].q.val();
        }
    }

    /// A word is read one cycle before it is written.
    fn read_address(&mut self) {
        self.reads_shared.next = self.reads.val().get_value_shared() ^ self.fault_late_memory.val();
        // One cycle before the write: the high word of the arrival that writes its low one, else a
        // low word.
        self.read_at.next = bit_cast::<12, 4>(self.reads.val().get_value_warp()) << bits::<12>(2);
        if self.reads_shared.val() {
            self.read_at.next = (bit_cast::<12, 4>(self.reads.val().get_value_warp()) << bits::<12>(2)) | bits::<12>(2);
        }
        if self.first.val().get_value_valid() && self.first.val().get_value_two() {
            self.read_at.next = (bit_cast::<12, 4>(self.first.val().get_value_warp()) << bits::<12>(2)) | bits::<12>(1);
            if self.first.val().get_value_shared() {
                self.read_at.next =
                    (bit_cast::<12, 4>(self.first.val().get_value_warp()) << bits::<12>(2)) | bits::<12>(3);
            }
        }
        self.ram.read_address.next = self.read_at.val();
    }

    /// The low word is written, then the high one, and the arrival ends.
    fn write_back(&mut self) {
        self.now.next = self.first.val();
        self.write.next = self.first.val().get_value_valid();
        self.last.next = self.first.val().get_value_valid() && !self.first.val().get_value_two();
        self.low_register.next = self.first.val().get_value_dst();
        self.high_low_register.next = self.second.val().get_value_dst();
        self.high_register.next = self.second.val().get_value_dst() + bits::<5>(1);
        self.dst.next = self.low_register.val();
        self.sets.next = bits::<32>(1) << self.low_register.val();
        if self.second.val().get_value_valid() && self.second.val().get_value_two() {
            self.now.next = self.second.val();
            self.write.next = true;
            self.last.next = true;
            self.dst.next = self.high_register.val();
            self.sets.next =
                (bits::<32>(1) << self.high_low_register.val()) | (bits::<32>(1) << self.high_register.val());
        }
        self.warp.next = self.now.val().get_value_warp();
        self.seq.next = self.now.val().get_value_seq();
        self.mask.next = self.now.val().get_value_mask();
        if self.fault_late_lanes.val() {
            self.mask.next = bits::<4>(15);
        }
        self.value.next = self.ram.read_data.val();
        self.done.d.next = self.write.val() && self.last.val();
        self.done_warp.d.next = self.warp.val();
        self.freed.next = self.done.q.val();
        self.freed_warp.next = self.done_warp.q.val();
    }
}
