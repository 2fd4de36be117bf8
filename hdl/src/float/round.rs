//! Fifth stage: rounding to nearest, ties to even. The carry of the increment runs from the
//! fraction into the exponent, which makes the next binade, the smallest normal number and infinity
//! by itself. Results of the other paths pass by.
//!
//! Latency 1, one operation per cycle. Fault 1 rounds ties away from zero.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::UnroundedIn;

/// The stage with its register.
#[derive(QuietBlock)]
pub struct Round {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A normalised result that is to be rounded.
    pub rounding_ports: UnroundedIn,
    /// A set bit lies below the guard bit.
    pub sticky: Signal<In, bool>,
    /// The result is the rounded one, else `bypass`.
    pub rounded: Signal<In, bool>,
    /// Result of another path.
    pub bypass: Signal<In, Bits<32>>,
    /// Result.
    pub value: Signal<Out, Bits<32>>,
    value_r: DFF<Bits<32>>,
    up: Signal<Local, bool>,
    fault_fma_rounding: Planted,
    _active: bool,
}

impl Round {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            rounding_ports: Default::default(),
            sticky: Signal::default(),
            rounded: Signal::default(),
            bypass: Signal::default(),
            value: Signal::default(),
            value_r: DFF::default(),
            up: Signal::default(),
            fault_fma_rounding: Planted::new(config.has(Fault::FmaRounding)),
            _active: true,
        }
    }
}

impl Logic for Round {
    #[kernel]
    fn update(&mut self) {
        comment!("module: float_round");
        dff_setup!(self, clock, value_r);
        self.up.next =
            self.rounding_ports.guard.val() && (self.sticky.val() || self.rounding_ports.unrounded.val().get_bit(0));
        if self.fault_fma_rounding.val() {
            self.up.next = self.rounding_ports.guard.val();
        }
        self.value_r.d.next = self.bypass.val();
        if self.rounded.val() && self.up.val() {
            self.value_r.d.next = self.rounding_ports.unrounded.val() + bits::<32>(1);
        } else if self.rounded.val() {
            self.value_r.d.next = self.rounding_ports.unrounded.val();
        }
        self.value.next = self.value_r.q.val();
    }
}
