//! Stencil test, depth test and write of one lane (docs/graphics.md, "Tests and blending"):
//! combinational.
//!
//! The new depth is compared with the word's, `less` being new < old. The masked reference is
//! compared with the masked stencil value, `less` being reference < stencil. It can be wrong at the
//! ends of the stencil operations, and where one test keeps the other's write away. Planted faults:
//! those of the table in `fault.rs` that begin with `depth-equal`, `depth-unwanted`, `stencil-`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;

fields! {
    /// A word of the tile's depth memory.
    trait DepthWord: 32 {
        /// Depth.
        depth: 24 @ 0,
        /// Stencil.
        stencil: 8 @ 24,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct DepthLane {
    /// The sample is covered.
    pub covered: Signal<In, bool>,
    /// Its depth.
    pub depth: Signal<In, Bits<24>>,
    /// The word in the tile: depth 23:0, stencil 31:24.
    pub old: Signal<In, Bits<32>>,
    /// Depth function 2:0, depth test 3, depth write 4, stencil test 5.
    pub mode: Signal<In, Bits<6>>,
    /// Stencil function 2:0, operations if the stencil test fails 5:3, if depth fails 8:6, if both
    /// pass 11:9.
    pub stencil: Signal<In, Bits<12>>,
    /// Read mask 7:0, write mask 15:8, reference 23:16.
    pub masks: Signal<In, Bits<24>>,
    /// The sample is covered and passes.
    pub passes: Signal<Out, bool>,
    /// The word from now on, if it is covered.
    pub new: Signal<Out, Bits<32>>,
    old_depth: Signal<Local, Bits<24>>,
    old_stencil: Signal<Local, Bits<8>>,
    reference: Signal<Local, Bits<8>>,
    seen: Signal<Local, Bits<8>>,
    wanted: Signal<Local, Bits<8>>,
    write_mask: Signal<Local, Bits<8>>,
    depth_less: Signal<Local, bool>,
    depth_equal: Signal<Local, bool>,
    stencil_less: Signal<Local, bool>,
    stencil_equal: Signal<Local, bool>,
    depth_passes: Signal<Local, bool>,
    stencil_passes: Signal<Local, bool>,
    operation: Signal<Local, Bits<3>>,
    value: Signal<Local, Bits<8>>,
    up: Signal<Local, Bits<8>>,
    down: Signal<Local, Bits<8>>,
    kept: Signal<Local, Bits<8>>,
    new_stencil: Signal<Local, Bits<8>>,
    new_depth: Signal<Local, Bits<24>>,
    fault_depth_equal: Planted,
    fault_depth_unwanted: Planted,
    fault_stencil_clamp: Planted,
    fault_stencil_write_mask: Planted,
    fault_stencil_read_mask: Planted,
    fault_stencil_depth_fail: Planted,
    _active: bool,
}

impl DepthLane {
    /// A lane with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            fault_depth_equal: planted(Fault::DepthEqual),
            fault_depth_unwanted: planted(Fault::DepthUnwanted),
            fault_stencil_clamp: planted(Fault::StencilClamp),
            fault_stencil_write_mask: planted(Fault::StencilWriteMask),
            fault_stencil_read_mask: planted(Fault::StencilReadMask),
            fault_stencil_depth_fail: planted(Fault::StencilDepthFail),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl DepthLane {
    /// Depth and stencil are tested against those of the word.
    fn tests(&mut self) {
        comment!("module: depth_lane");
        self.old_depth.next = self.old.val().get_bits::<24>(0);
        self.old_stencil.next = self.old.val().get_bits::<8>(24);
        self.reference.next = self.masks.val().get_bits::<8>(16);
        self.write_mask.next = self.masks.val().get_bits::<8>(8);
        // Tests.
        self.depth_less.next = self.depth.val() < self.old_depth.val();
        self.depth_equal.next = self.depth.val() == self.old_depth.val();
        self.depth_passes.next = !self.mode.val().get_bit(3)
            || (self.mode.val().get_bit(0) && self.depth_less.val())
            || (self.mode.val().get_bit(1) && self.depth_equal.val())
            || (self.mode.val().get_bit(2) && !self.depth_less.val() && !self.depth_equal.val())
            || (self.fault_depth_equal.val() && self.mode.val().get_bit(0) && self.depth_equal.val());
        self.seen.next = self.old_stencil.val() & self.masks.val().get_bits::<8>(0);
        self.wanted.next = self.reference.val() & self.masks.val().get_bits::<8>(0);
        if self.fault_stencil_read_mask.val() {
            self.wanted.next = self.reference.val();
        }
        self.stencil_less.next = self.wanted.val() < self.seen.val();
        self.stencil_equal.next = self.wanted.val() == self.seen.val();
        self.stencil_passes.next = !self.mode.val().get_bit(5)
            || (self.stencil.val().get_bit(0) && self.stencil_less.val())
            || (self.stencil.val().get_bit(1) && self.stencil_equal.val())
            || (self.stencil.val().get_bit(2) && !self.stencil_less.val() && !self.stencil_equal.val());
        self.passes.next = self.covered.val() && self.depth_passes.val() && self.stencil_passes.val();
    }

    /// An operation makes the new stencil value, under the write mask.
    fn stencil_value(&mut self) {
        self.operation.next = self.stencil.val().get_bits::<3>(9);
        if !self.depth_passes.val() && !self.fault_stencil_depth_fail.val() {
            self.operation.next = self.stencil.val().get_bits::<3>(6);
        }
        if !self.stencil_passes.val() {
            self.operation.next = self.stencil.val().get_bits::<3>(3);
        }
        self.up.next = self.old_stencil.val() + bits::<8>(1);
        self.down.next = self.old_stencil.val() - bits::<8>(1);
        self.value.next = self.old_stencil.val();
        if self.operation.val() == bits::<3>(1) {
            self.value.next = bits::<8>(0);
        }
        if self.operation.val() == bits::<3>(2) {
            self.value.next = self.reference.val();
        }
        if self.operation.val() == bits::<3>(3) {
            self.value.next = !self.old_stencil.val();
        }
        if ((self.operation.val() == bits::<3>(4))
            && ((self.old_stencil.val() != bits::<8>(255)) || self.fault_stencil_clamp.val()))
            || (self.operation.val() == bits::<3>(6))
        {
            self.value.next = self.up.val();
        }
        if ((self.operation.val() == bits::<3>(5)) && self.old_stencil.val().any())
            || (self.operation.val() == bits::<3>(7))
        {
            self.value.next = self.down.val();
        }
        self.kept.next = self.old_stencil.val() & !self.write_mask.val();
        if self.fault_stencil_write_mask.val() {
            self.kept.next = bits::<8>(0);
        }
        self.new_stencil.next = self.kept.val() | (self.value.val() & self.write_mask.val());
        if !self.mode.val().get_bit(5) {
            self.new_stencil.next = self.old_stencil.val();
        }
    }

    /// A sample that passes its tests may write its depth, and the new word is built.
    fn depth_value(&mut self) {
        self.new_depth.next = self.old_depth.val();
        if self.passes.val()
            && self.mode.val().get_bit(4)
            && (self.mode.val().get_bit(3) || self.fault_depth_unwanted.val())
        {
            self.new_depth.next = self.depth.val();
        }
        self.new.next = bits::<32>(0);
        self.new.next.set_value_depth(self.new_depth.val());
        self.new.next.set_value_stencil(self.new_stencil.val());
    }
}
