//! Free places of the merge queue's memories. A quad has its place from the cycle in which it comes
//! until it is read for the output; the order in which places are given says nothing.
//!
//! The next place is ready in a register before it is needed, and one is given per cycle. A place
//! that is given back can be given two cycles later. It can be wrong by a place that two quads
//! have: it counts as used from the cycle in which it is made ready.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Parameter;
use crate::comment;
use crate::config::GpuConfig;

/// Places for a queue of `waiting` quads: it, two that come, two that go, the one that is ready;
/// rounded up to what a RAM has.
pub fn places(waiting: usize) -> usize {
    (waiting + 5).next_power_of_two()
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct MergePlaces {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is a free place.
    pub ready: Signal<Out, bool>,
    /// Its number.
    pub place: Signal<Out, Bits<6>>,
    /// It is taken in this cycle if there is one.
    pub take: Signal<In, bool>,
    /// A place is given back.
    pub back: Signal<In, bool>,
    /// Its number.
    pub back_place: Signal<In, Bits<6>>,
    used: DFF<Bits<64>>,
    have: DFF<bool>,
    next_place: DFF<Bits<6>>,
    kept: Signal<Local, Bits<64>>,
    open: Signal<Local, Bits<64>>,
    first: Signal<Local, Bits<64>>,
    number: Signal<Local, Bits<6>>,
    all: Parameter<64>,
    _places: usize,
    _active: bool,
}

impl MergePlaces {
    /// Of a queue of that configuration; all are free.
    pub fn new(config: &GpuConfig) -> Self {
        let places = places(config.merge_queue);
        Self { all: Parameter::new(u64::MAX >> (64 - places)), _places: places, _active: true, ..Default::default() }
    }
}

impl Logic for MergePlaces {
    #[kernel]
    fn update(&mut self) {
        comment!("module: merge_places");
        dff_setup!(self, clock, used, have, next_place);
        self.ready.next = self.have.q.val();
        self.place.next = self.next_place.q.val();
        self.kept.next = self.used.q.val();
        if self.back.val() {
            self.kept.next = self.used.q.val() & !(bits::<64>(1) << self.back_place.val());
        }
        self.open.next = !self.used.q.val() & self.all.val();
        self.first.next = self.open.val() & (bits::<64>(0) - self.open.val());
        self.number.next = bits::<6>(0);
        for k in 0..self._places {
            if self.first.val().get_bit(k) {
                self.number.next = self.number.val() | k.to_bits::<6>();
            }
        }
        self.used.d.next = self.kept.val();
        if self.take.val() || !self.have.q.val() {
            self.have.d.next = self.open.val().any();
            self.next_place.d.next = self.number.val();
            self.used.d.next = self.kept.val() | self.first.val();
        }
    }
}
