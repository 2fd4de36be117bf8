//! A queue of completion beats, between the attribute unit and one warp unit. A unit takes a beat
//! only when its lanes do not write the register file, so beats wait; without queues a beat of one
//! unit makes those of all others wait. 16 places in LUT RAM; both `ready` and `valid` depend on
//! registers alone, so no ready path goes from a unit's lanes to the attribute unit.
//!
//! Latency 1 cycle, a beat per cycle in and out. It can be wrong in order, and by a beat that is
//! lost or doubled when it is full or empty; `tests/attribute_unit.rs` counts.
//!
//! Planted fault: `beats-full`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::words::BeatHead;
use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;
use crate::ports::{BeatDataIn, BeatDataOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BeatQueue {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A beat comes.
    pub in_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub in_ready: Signal<Out, bool>,
    /// The beat.
    pub beat: BeatDataIn,
    /// The oldest beat is there.
    pub out_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub out_ready: Signal<In, bool>,
    /// The beat.
    pub oldest: BeatDataOut,
    heads: LutRam,
    values: Vec<LutRam>,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    held: Signal<Local, Bits<5>>,
    full: Signal<Local, bool>,
    put: Signal<Local, bool>,
    new_head: Signal<Local, Bits<32>>,
    old_head: Signal<Local, Bits<32>>,
    fault_beats_full: Planted,
    _lanes: usize,
    _active: bool,
}

impl BeatQueue {
    /// The queue of that configuration (only its planted fault matters here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            values: vector(4),
            fault_beats_full: Planted::new(config.has(Fault::BeatsFull)),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for BeatQueue {
    #[kernel]
    fn update(&mut self) {
        comment!("module: beat_queue");
        dff_setup!(self, clock, head, tail);
        clock!(self, clock, heads);
        self.held.next = self.tail.q.val() - self.head.q.val();
        self.full.next = self.held.val().get_bit(4) && !self.fault_beats_full.val();
        self.in_ready.next = !self.full.val();
        self.put.next = self.in_valid.val() && !self.full.val();
        if self.put.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
        self.new_head.next = bits::<32>(0);
        self.new_head.next.set_value_warp(self.beat.warp.val());
        self.new_head.next.set_value_seq(self.beat.seq.val());
        self.new_head.next.set_value_mask(self.beat.mask.val());
        self.new_head.next.set_value_dst(self.beat.dst.val());
        self.new_head.next.set_value_wen(self.beat.wen.val());
        self.new_head.next.set_value_last(self.beat.last.val());
        self.heads.write_enable.next = self.put.val();
        self.heads.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.heads.write_data.next = self.new_head.val();
        self.heads.read_address.next = self.head.q.val().get_bits::<4>(0);
        for i in 0..self._lanes {
            clock!(self, clock, values[i]);
            self.values[i].write_enable.next = self.put.val();
            self.values[i].write_address.next = self.tail.q.val().get_bits::<4>(0);
            self.values[i].write_data.next = self.beat.value[i].val();
            self.values[i].read_address.next = self.head.q.val().get_bits::<4>(0);
            self.oldest.value[i].next = self.values[i].read_data.val();
        }
        self.old_head.next = self.heads.read_data.val();
        self.oldest.warp.next = self.old_head.val().get_value_warp();
        self.oldest.seq.next = self.old_head.val().get_value_seq();
        self.oldest.mask.next = self.old_head.val().get_value_mask();
        self.oldest.dst.next = self.old_head.val().get_value_dst();
        self.oldest.wen.next = self.old_head.val().get_value_wen();
        self.oldest.last.next = self.old_head.val().get_value_last();
        self.out_valid.next = self.head.q.val() != self.tail.q.val();
        if (self.head.q.val() != self.tail.q.val()) && self.out_ready.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
    }
}
