//! Sum and mean of one component of integers: 16 bits by the table or by 257, and back to a byte
//! where the table is not asked.
//!
//! Latency 3 cycles from a byte to the mean with it, 4 to the mean's byte; one byte per cycle. It
//! can be wrong in the half that is added; `tests/tile_buffers.rs` compares.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::blend::ByteNarrow;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ResolveComponent {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The byte of a sample.
    pub sample: Signal<In, Bits<8>>,
    /// What the table has for it, a cycle later.
    pub light: Signal<In, Bits<16>>,
    /// That counts.
    pub codes: Signal<In, bool>,
    /// The byte of the cycle before was of a first sample.
    pub first: Signal<In, bool>,
    /// Four samples are averaged, else two.
    pub quarter: Signal<In, bool>,
    /// The mean, three cycles after the last sample.
    pub mean: Signal<Out, Bits<16>>,
    /// Its byte, a cycle later.
    pub code: Signal<Out, Bits<8>>,
    byte1: DFF<Bits<8>>,
    value: Signal<Local, Bits<16>>,
    so_far: Signal<Local, Bits<18>>,
    sum2: DFF<Bits<18>>,
    one_half: Signal<Local, Bits<18>>,
    rounded: Signal<Local, Bits<18>>,
    mean3: DFF<Bits<16>>,
    narrow: ByteNarrow,
    code4: DFF<Bits<8>>,
    fault_resolve_round: Planted,
    _active: bool,
}

impl ResolveComponent {
    /// At rest, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let fault_resolve_round = Planted::new(config.has(Fault::ResolveRound));
        Self { fault_resolve_round, _active: true, ..Default::default() }
    }
}

impl Logic for ResolveComponent {
    #[kernel]
    fn update(&mut self) {
        comment!("module: resolve_component");
        dff_setup!(self, clock, byte1, sum2, mean3, code4);
        self.byte1.d.next = self.sample.val();
        self.value.next =
            bit_cast::<16, 8>(self.byte1.q.val()) | (bit_cast::<16, 8>(self.byte1.q.val()) << bits::<4>(8));
        if self.codes.val() {
            self.value.next = self.light.val();
        }
        self.so_far.next = self.sum2.q.val();
        if self.first.val() {
            self.so_far.next = bits::<18>(0);
        }
        self.sum2.d.next = self.so_far.val() + bit_cast::<18, 16>(self.value.val());
        self.one_half.next = bits::<18>(1);
        if self.quarter.val() {
            self.one_half.next = bits::<18>(2);
        }
        if self.fault_resolve_round.val() {
            self.one_half.next = bits::<18>(0);
        }
        self.rounded.next = self.sum2.q.val() + self.one_half.val();
        self.mean3.d.next = self.rounded.val().get_bits::<16>(1);
        if self.quarter.val() {
            self.mean3.d.next = self.rounded.val().get_bits::<16>(2);
        }
        self.mean.next = self.mean3.q.val();
        self.narrow.value.next = self.mean3.q.val();
        self.code4.d.next = self.narrow.code.val();
        self.code.next = self.code4.q.val();
    }
}
