//! The flip by which two quads fit (MS-5): how the lanes of the second change places so that none
//! meets an active lane of the first. Bit 0 is left with right, bit 1 top with bottom: lane k goes
//! to lane k ^ flip. No flip goes before one, and left with right before top with bottom.
//!
//! Combinational. Of two quads that fit under no flip it says 0. It can be wrong by the axis:
//! planted fault `merge-flip` in the queue.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::comment;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct MergeFlip {
    /// Active lanes of the first.
    pub first: Signal<In, Bits<4>>,
    /// Active lanes of the second, as they are.
    pub second: Signal<In, Bits<4>>,
    /// The second's flip.
    pub flip: Signal<Out, Bits<2>>,
    across: Signal<Local, Bits<4>>,
    down: Signal<Local, Bits<4>>,
    both: Signal<Local, Bits<4>>,
    _active: bool,
}

impl Logic for MergeFlip {
    #[kernel]
    fn update(&mut self) {
        comment!("module: merge_flip");
        self.across.next = ((self.second.val() & bits::<4>(5)) << bits::<4>(1))
            | ((self.second.val() & bits::<4>(10)) >> bits::<4>(1));
        self.down.next = (self.second.val() << bits::<4>(2)) | (self.second.val() >> bits::<4>(2));
        self.both.next = (self.across.val() << bits::<4>(2)) | (self.across.val() >> bits::<4>(2));
        self.flip.next = bits::<2>(0);
        if (self.first.val() & self.second.val()).any() {
            if !(self.first.val() & self.across.val()).any() {
                self.flip.next = bits::<2>(1);
            } else if !(self.first.val() & self.down.val()).any() {
                self.flip.next = bits::<2>(2);
            } else if !(self.first.val() & self.both.val()).any() {
                self.flip.next = bits::<2>(3);
            }
        }
    }
}
