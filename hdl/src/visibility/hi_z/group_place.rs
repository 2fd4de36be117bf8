//! Where what is known of a group of 8 by 8 pixels stands: rows of groups one after the other, each
//! as long as the power of two that holds a row of the target. Groups beyond what is stored have no
//! place: nothing is known of them, unless they may be in memory (`hi_z_memory`). Then each has a
//! place, which it shares with those whose number has the same lowest bits.
//!
//! Combinational. It can be wrong in two groups at one place.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Parameter;
use crate::comment;
use crate::config::GpuConfig;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct GroupPlace {
    /// Place of the group in x, in units of 8 pixels.
    pub x: Signal<In, Bits<9>>,
    /// In y.
    pub y: Signal<In, Bits<9>>,
    /// Log2 of the groups of a row.
    pub pitch: Signal<In, Bits<4>>,
    /// 0 one sample, 1 two, 2 four.
    pub samples: Signal<In, Bits<2>>,
    /// Its number.
    pub number: Signal<Out, Bits<18>>,
    /// It is stored.
    pub kept: Signal<Out, bool>,
    groups: Parameter<18>,
    row: Signal<Local, Bits<18>>,
    sum: Signal<Local, Bits<18>>,
    limit: Signal<Local, Bits<18>>,
    /// 1: each has a place.
    _memory: bool,
    _active: bool,
}

impl GroupPlace {
    /// For as many groups as that configuration stores.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            groups: Parameter::new(config.hi_z_groups as u64),
            _memory: config.spills(),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for GroupPlace {
    #[kernel]
    fn update(&mut self) {
        comment!("module: group_place");
        self.row.next = bit_cast::<18, 9>(self.y.val()) << bit_cast::<18, 4>(self.pitch.val());
        self.sum.next = self.row.val() | bit_cast::<18, 9>(self.x.val());
        self.limit.next = self.groups.val() >> bit_cast::<18, 2>(self.samples.val());
        self.number.next = self.sum.val();
        self.kept.next = self.sum.val() < self.limit.val();
        if self._memory {
            self.kept.next = true;
        }
    }
}
