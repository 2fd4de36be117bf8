//! The write port of a unit's register file: the lane result that retires, or else one completion
//! beat, of global memory before shared storage before the function unit.
//!
//! With two banks (`register_banks`) a completion is taken beside a lane result if it writes a
//! register of the other bank, or none. A completion of the function unit is then taken too while
//! one of memory waits for its bank.
//!
//! A completion waits while the lanes write. When one has waited 4 cycles the scheduler is told to
//! leave one slot empty (`hold`), so no completion waits for ever behind lane results; shared
//! storage and the function unit can wait behind an unbroken stream of those before them.
//!
//! Warp-wide atomics by a representative (WW-30): the beat has the representative's lane alone and
//! goes to all lanes that were active; behind the last register the mask of the slot ends, one
//! cycle later.
//!
//! Everything is combinational but `hold`, `result_done` and `done_warp`. The event `mret_*` is the
//! beat that is taken, zero unless `trace`. It can be wrong in who comes first and in the lanes of
//! a result; `tests/warp_unit.rs` and `tests/warp_wide.rs` look at both.
//!
//! Planted faults: `write-mask`, `wide-not-broadcast` and `bank-clash`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Parameter, Planted};
use crate::base::{Nothing, Quiet};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{BeatIn, CompletionOut, FunctionResultIn, OddRegisterWriteOut, RegisterWriteOut};

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct WritePort {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Lane results.
    /// The instruction that retires writes a register.
    pub lane_write: Signal<In, bool>,
    /// Its warp slot.
    pub lane_warp: Signal<In, Bits<4>>,
    /// Its destination.
    pub lane_register: Signal<In, Bits<5>>,
    /// Its active lanes.
    pub lane_mask: Signal<In, Bits<4>>,
    /// Its result.
    pub lane_value: Vec<Signal<In, Bits<32>>>,
    // Completions of global memory.
    /// A completion beat of global memory is offered.
    /// A beat of the completion of a global memory instruction.
    pub global: BeatIn,
    // Completions of shared storage.
    /// A completion beat of shared storage is offered.
    /// A beat of the completion of a shared memory instruction.
    pub shared: BeatIn,
    // Completions of the function unit.
    /// The oldest result of the function unit.
    pub function: FunctionResultIn,
    // The slot's mask.
    /// The beat of memory (global memory's if it offers one, else that of shared storage) is the
    /// result for which lanes of its slot are masked.
    pub broadcast: Signal<In, bool>,
    /// Lanes that it goes to.
    pub saved: Signal<In, Bits<4>>,
    /// In the cycle before, the last register of such a result was written.
    pub result_done: Signal<Out, bool>,
    /// Its slot.
    pub done_warp: Signal<Out, Bits<4>>,
    // What is taken.
    /// A beat of global memory is taken.
    pub take_global: Signal<Out, bool>,
    /// The completion that is taken is the last of a global instruction.
    pub done_global: Signal<Out, bool>,
    /// The completion that is taken is the last of a shared instruction.
    pub done_shared: Signal<Out, bool>,
    /// A completion of the function unit is taken.
    pub take_function: Signal<Out, bool>,
    /// Warp slot of the completion.
    pub complete_warp: Signal<Out, Bits<4>>,
    /// Value of the lowest lane that the beat of memory delivers.
    pub first_value: Signal<Out, Bits<32>>,
    /// A completion has waited 4 cycles: leave a slot empty.
    pub hold: Signal<Out, bool>,
    // Register file.
    /// Where a result is written.
    pub write_ports: RegisterWriteOut,
    /// Values that are written.
    pub write_value: Vec<Signal<Out, Bits<32>>>,
    /// Where a result is written in the bank of odd registers.
    pub odd_ports: Each<OddRegisterWriteOut>,
    /// Values that are written in the odd bank, by lane.
    pub odd_value: Vec<Signal<Out, Bits<32>>>,
    // Event.
    /// Event: a beat of a completion.
    pub mret: CompletionOut,
    /// Cycles for which a completion has waited.
    held_back: DFF<Bits<4>>,
    wide_done: DFF<bool>,
    wide_warp: DFF<Bits<4>>,
    /// With two banks: the lane result keeps a completion of this source from the register file.
    blocks_global: Vec<Signal<Local, bool>>,
    blocks_shared: Vec<Signal<Local, bool>>,
    blocks_function: Vec<Signal<Local, bool>>,
    /// A completion is offered and none is taken of the source that comes first.
    waits: Signal<Local, bool>,
    /// With two banks: the lane result, and what is taken, write the even or the odd one.
    lane_even: Vec<Signal<Local, bool>>,
    lane_odd: Vec<Signal<Local, bool>>,
    taken_even: Vec<Signal<Local, bool>>,
    taken_odd: Vec<Signal<Local, bool>>,
    from_global: Signal<Local, bool>,
    from_shared: Signal<Local, bool>,
    from_function: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    first: Signal<Local, Bits<32>>,
    // The beat that is taken.
    warp: Signal<Local, Bits<4>>,
    seq: Signal<Local, Bits<8>>,
    /// Lanes of the beat of a memory pipeline; of the result that is taken.
    beat_mask: Signal<Local, Bits<4>>,
    mask: Signal<Local, Bits<4>>,
    wen: Signal<Local, bool>,
    dst: Signal<Local, Bits<5>>,
    last: Signal<Local, bool>,
    /// By lane: values of that beat; of the result that is taken.
    beat_value: Vec<Signal<Local, Bits<32>>>,
    value: Vec<Signal<Local, Bits<32>>>,
    /// Lanes that are written, before the planted fault and after it.
    asked_lanes: Signal<Local, Bits<4>>,
    lanes: Signal<Local, Bits<4>>,
    lowest: Signal<Local, Bits<3>>,
    trace: Parameter<1>,
    fault_write_mask: Planted,
    fault_wide_not_broadcast: Planted,
    fault_bank_clash: Vec<Planted>,
    _odd: usize,
    _active: bool,
}

impl WritePort {
    /// The write port of that configuration (tracing and its planted fault matter here).
    pub fn new(config: &GpuConfig) -> Self {
        let odd = config.banks() - 1;
        Self {
            odd_ports: Each::new(odd),
            odd_value: vector(4 * odd),
            blocks_global: vector(odd),
            blocks_shared: vector(odd),
            blocks_function: vector(odd),
            lane_even: vector(odd),
            lane_odd: vector(odd),
            taken_even: vector(odd),
            taken_odd: vector(odd),
            fault_bank_clash: (0..odd).map(|_| Planted::new(config.has(Fault::BankClash))).collect(),
            _odd: odd,
            lane_value: vector(4),
            write_value: vector(4),
            value: vector(4),
            beat_value: vector(4),
            trace: Parameter::new(u64::from(config.trace)),
            fault_write_mask: Planted::new(config.has(Fault::WriteMask)),
            fault_wide_not_broadcast: Planted::new(config.has(Fault::WideNotBroadcast)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl WritePort {
    /// One completion is taken, if no lane result is in its way.
    fn arbitration(&mut self) {
        comment!("module: write_port");
        dff_setup!(self, clock, held_back, wide_done, wide_warp);
        // Who comes first.
        self.from_global.next = self.global.valid.val() && !self.lane_write.val();
        self.from_shared.next = self.shared.valid.val() && !self.lane_write.val() && !self.global.valid.val();
        self.from_function.next =
            self.function.valid.val() && !self.lane_write.val() && !self.global.valid.val() && !self.shared.valid.val();
        self.global.ready.next = !self.lane_write.val();
        self.shared.ready.next = !self.lane_write.val() && !self.global.valid.val();
        self.function.ready.next = !self.lane_write.val() && !self.global.valid.val() && !self.shared.valid.val();
        self.waits.next =
            (self.global.valid.val() || self.shared.valid.val() || self.function.valid.val()) && self.lane_write.val();
        // With two banks the lanes keep off only who writes their own.
        for k in 0..self._odd {
            self.blocks_global[k].next = self.lane_write.val()
                && self.global.wen.val()
                && (self.lane_register.val().get_bit(0) == self.global.dst.val().get_bit(0));
            self.blocks_shared[k].next = self.lane_write.val()
                && self.shared.wen.val()
                && (self.lane_register.val().get_bit(0) == self.shared.dst.val().get_bit(0));
            self.blocks_function[k].next =
                self.lane_write.val() && (self.lane_register.val().get_bit(0) == self.function.dst.val().get_bit(0));
            if self.fault_bank_clash[k].val() {
                self.blocks_global[k].next = false;
                self.blocks_shared[k].next = false;
                self.blocks_function[k].next = false;
            }
            self.from_global.next = self.global.valid.val() && !self.blocks_global[k].val();
            self.from_shared.next = self.shared.valid.val() && !self.blocks_shared[k].val() && !self.global.valid.val();
            self.from_function.next = self.function.valid.val()
                && !self.blocks_function[k].val()
                && !self.from_global.val()
                && !self.from_shared.val();
            self.global.ready.next = !self.blocks_global[k].val();
            self.shared.ready.next = !self.blocks_shared[k].val() && !self.global.valid.val();
            self.function.ready.next =
                !self.blocks_function[k].val() && !self.from_global.val() && !self.from_shared.val();
            self.waits.next = self.blocks_function[k].val() && self.function.valid.val();
            if self.global.valid.val() {
                self.waits.next = self.blocks_global[k].val();
            } else if self.shared.valid.val() {
                self.waits.next = self.blocks_shared[k].val();
            }
        }
        self.taken.next = self.from_global.val() || self.from_shared.val() || self.from_function.val();
    }

    /// A completion that has waited 4 cycles asks for an empty slot.
    fn hold(&mut self) {
        self.held_back.d.next = bits::<4>(0);
        if self.waits.val() {
            self.held_back.d.next = self.held_back.q.val() + bits::<4>(1);
        }
        self.hold.next = self.held_back.q.val() == bits::<4>(4);
    }

    /// The beat is that of global memory, or else of shared storage.
    fn memory_beat(&mut self) {
        self.warp.next = self.shared.warp.val();
        self.seq.next = self.shared.seq.val();
        self.beat_mask.next = self.shared.mask.val();
        self.wen.next = self.shared.wen.val();
        self.dst.next = self.shared.dst.val();
        self.last.next = self.shared.last.val();
        for i in 0..4 {
            self.beat_value[i].next = self.shared.value[i].val();
        }
        if self.from_global.val() {
            self.warp.next = self.global.warp.val();
            self.seq.next = self.global.seq.val();
            self.beat_mask.next = self.global.mask.val();
            self.wen.next = self.global.wen.val();
            self.dst.next = self.global.dst.val();
            self.last.next = self.global.last.val();
            for i in 0..4 {
                self.beat_value[i].next = self.global.value[i].val();
            }
        }
    }

    /// The value of the lowest lane goes to all lanes that were active.
    fn broadcast(&mut self) {
        // Value of its lowest lane. A result for which lanes are masked goes to all that were
        // active.
        self.lowest.next = self.beat_mask.val().get_bits::<3>(0);
        self.first.next = self.beat_value[3].val();
        if self.lowest.val().get_bit(2) {
            self.first.next = self.beat_value[2].val();
        }
        if self.lowest.val().get_bit(1) {
            self.first.next = self.beat_value[1].val();
        }
        if self.lowest.val().get_bit(0) {
            self.first.next = self.beat_value[0].val();
        }
        self.mask.next = self.beat_mask.val();
        for i in 0..4 {
            self.value[i].next = self.beat_value[i].val();
        }
        if self.broadcast.val() && !self.fault_wide_not_broadcast.val() {
            self.mask.next = self.saved.val();
            for i in 0..4 {
                self.value[i].next = self.first.val();
            }
        }
    }

    /// A beat of the function unit is chosen, and what is taken is told.
    fn completions(&mut self) {
        if self.from_function.val() {
            self.warp.next = self.function.warp.val();
            self.seq.next = self.function.seq.val();
            self.mask.next = self.function.mask.val();
            self.wen.next = true;
            self.dst.next = self.function.dst.val();
            self.last.next = true;
            for i in 0..4 {
                self.value[i].next = self.function.value[i].val();
            }
        }
        self.first_value.next = self.first.val();
        self.take_global.next = self.from_global.val();
        self.take_function.next = self.from_function.val();
        self.done_global.next = self.from_global.val() && self.global.last.val();
        self.done_shared.next = self.from_shared.val() && self.shared.last.val();
        self.complete_warp.next = self.warp.val();
        // It ends the mask.
        self.wide_done.d.next = (self.done_global.val() || self.done_shared.val()) && self.broadcast.val();
        self.wide_warp.d.next = self.warp.val();
        self.result_done.next = self.wide_done.q.val();
        self.done_warp.next = self.wide_warp.q.val();
    }

    /// The lane result is written, or what is taken.
    fn register_write(&mut self) {
        self.write_ports.write_warp.next = self.lane_warp.val();
        self.write_ports.write_register.next = self.lane_register.val();
        self.asked_lanes.next = bits::<4>(0);
        if self.lane_write.val() {
            self.asked_lanes.next = self.lane_mask.val();
        }
        for i in 0..4 {
            self.write_value[i].next = self.lane_value[i].val();
        }
        if self.taken.val() {
            self.write_ports.write_warp.next = self.warp.val();
            self.write_ports.write_register.next = self.dst.val();
            if self.wen.val() {
                self.asked_lanes.next = self.mask.val();
            }
            for i in 0..4 {
                self.write_value[i].next = self.value[i].val();
            }
        }
        self.lanes.next = self.asked_lanes.val();
        if self.fault_write_mask.val() && self.asked_lanes.val().any() {
            self.lanes.next = bits::<4>(15);
        }
        self.write_ports.write_mask.next = self.lanes.val();
    }

    /// With two banks the lane result has its own, what is taken the other.
    fn bank_writes(&mut self) {
        // With two banks: the lane result in its own one, what is taken in the other or alone.
        for k in 0..self._odd {
            self.lane_even[k].next = self.lane_write.val() && !self.lane_register.val().get_bit(0);
            self.lane_odd[k].next = self.lane_write.val() && self.lane_register.val().get_bit(0);
            self.taken_even[k].next = self.taken.val() && self.wen.val() && !self.dst.val().get_bit(0);
            self.taken_odd[k].next = self.taken.val() && self.wen.val() && self.dst.val().get_bit(0);
            self.write_ports.write_warp.next = self.warp.val();
            self.write_ports.write_register.next = self.dst.val();
            self.write_ports.write_mask.next = bits::<4>(0);
            if self.taken_even[k].val() {
                self.write_ports.write_mask.next = self.mask.val();
            }
            self.odd_ports[k].odd_warp.next = self.warp.val();
            self.odd_ports[k].odd_register.next = self.dst.val();
            self.odd_ports[k].odd_mask.next = bits::<4>(0);
            if self.taken_odd[k].val() {
                self.odd_ports[k].odd_mask.next = self.mask.val();
            }
            for i in 0..4 {
                self.write_value[i].next = self.value[i].val();
                self.odd_value[i].next = self.value[i].val();
            }
            if self.lane_even[k].val() {
                self.write_ports.write_warp.next = self.lane_warp.val();
                self.write_ports.write_register.next = self.lane_register.val();
                self.write_ports.write_mask.next = self.lane_mask.val();
                for i in 0..4 {
                    self.write_value[i].next = self.lane_value[i].val();
                }
            }
            if self.lane_odd[k].val() {
                self.odd_ports[k].odd_warp.next = self.lane_warp.val();
                self.odd_ports[k].odd_register.next = self.lane_register.val();
                self.odd_ports[k].odd_mask.next = self.lane_mask.val();
                for i in 0..4 {
                    self.odd_value[i].next = self.lane_value[i].val();
                }
            }
            if self.fault_write_mask.val() && (self.lane_even[k].val() || self.taken_even[k].val()) {
                self.write_ports.write_mask.next = bits::<4>(15);
            }
            if self.fault_write_mask.val() && (self.lane_odd[k].val() || self.taken_odd[k].val()) {
                self.odd_ports[k].odd_mask.next = bits::<4>(15);
            }
        }
    }

    /// The event tells of the beat that is taken.
    fn trace(&mut self) {
        Quiet::<CompletionOut>::join(&mut self.mret, &mut Nothing);
        if self.trace.val() == bits::<1>(1) {
            self.mret.valid.next = self.taken.val();
            self.mret.shared.next = self.from_shared.val();
            self.mret.function.next = self.from_function.val();
            self.mret.warp.next = self.warp.val();
            self.mret.seq.next = self.seq.val();
            self.mret.mask.next = self.mask.val();
            self.mret.wen.next = self.wen.val();
            self.mret.dst.next = self.dst.val();
            self.mret.last.next = self.last.val();
            for i in 0..4 {
                self.mret.value[i].next = self.value[i].val();
            }
        }
    }
}
