//! May what fails its depth test leave a mark in the stencil (HZ-25)? If not, a draw with a stencil
//! test may be culled as any other. A sample whose stencil fails does the operation `fail`, and one
//! whose depth fails behind that does `depth fail`.
//!
//! A side of triangles leaves the stencil if both operations are keep. One that never happens does
//! not count: `fail` of a function that always passes, `depth fail` of one that never does. A side
//! that is culled by its face has no samples. With a write mask of 0 nothing is written at all.
//!
//! Combinational from its inputs; a word written in a cycle is seen from the next one on. It can be
//! wrong in a case that is too wide, which leaves out a write of the stencil.
//!
//! Planted fault: `hi-z-stencil`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::StateWriteIn;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct StencilKept {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// The context that is looked up.
    pub context: Signal<In, Bits<4>>,
    /// A sample that fails its depth test leaves the stencil as it is.
    pub kept: Signal<Out, bool>,
    /// There is a stencil test, and the front is drawn, or the back.
    front_counts: AsyncRam,
    back_counts: AsyncRam,
    /// Operations of the front and of the back leave it.
    fronts: AsyncRam,
    backs: AsyncRam,
    /// No bit of it is written.
    masks: AsyncRam,
    of_state: Signal<Local, bool>,
    fails: Signal<Local, bool>,
    depth_fails: Signal<Local, bool>,
    leaves: Signal<Local, bool>,
    clockwise: Signal<Local, bool>,
    others: Signal<Local, bool>,
    fault_hi_z_stencil: Planted,
    _active: bool,
}

impl StencilKept {
    /// Of the contexts of that configuration, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let ram = || AsyncRam::new(config.contexts, 1);
        Self {
            front_counts: ram(),
            back_counts: ram(),
            fronts: ram(),
            backs: ram(),
            masks: ram(),
            fault_hi_z_stencil: Planted::new(config.has(Fault::HiZStencil)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for StencilKept {
    #[kernel]
    fn update(&mut self) {
        comment!("module: stencil_kept");
        clock!(self, clock, front_counts, back_counts, fronts, backs, masks);
        self.of_state.next = self.state.valid.val() && !self.state.pass.val();
        self.front_counts.write_enable.next = self.of_state.val() && (self.state.word.val() == bits::<6>(state::MODES));
        self.back_counts.write_enable.next = self.of_state.val() && (self.state.word.val() == bits::<6>(state::MODES));
        self.fronts.write_enable.next =
            self.of_state.val() && (self.state.word.val() == bits::<6>(state::STENCIL_FRONT));
        self.backs.write_enable.next = self.of_state.val() && (self.state.word.val() == bits::<6>(state::STENCIL_BACK));
        self.masks.write_enable.next =
            self.of_state.val() && (self.state.word.val() == bits::<6>(state::STENCIL_MASKS));
        self.front_counts.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.back_counts.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.fronts.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.backs.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.masks.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        // A culled face is not drawn; which of them is the front?
        self.clockwise.next = self.state.data.val().get_bit(10) && !self.state.data.val().get_bit(2);
        self.others.next = self.state.data.val().get_bit(10) && !self.state.data.val().get_bit(3);
        self.front_counts.write_data.next = bits::<32>(0);
        self.back_counts.write_data.next = bits::<32>(0);
        if (self.state.data.val().get_bit(4) && self.clockwise.val())
            || (!self.state.data.val().get_bit(4) && self.others.val())
        {
            self.front_counts.write_data.next = bits::<32>(1);
        }
        if (self.state.data.val().get_bit(4) && self.others.val())
            || (!self.state.data.val().get_bit(4) && self.clockwise.val())
        {
            self.back_counts.write_data.next = bits::<32>(1);
        }
        // Function 7 always passes, 0 never does.
        self.fails.next = self.state.data.val().get_bits::<3>(4).any() && !self.state.data.val().get_bits::<3>(0).all();
        self.depth_fails.next = self.state.data.val().get_bits::<3>(8).any()
            && self.state.data.val().get_bits::<3>(0).any()
            && !self.fault_hi_z_stencil.val();
        self.leaves.next = !self.fails.val() && !self.depth_fails.val();
        self.fronts.write_data.next = bits::<32>(0);
        self.backs.write_data.next = bits::<32>(0);
        if self.leaves.val() {
            self.fronts.write_data.next = bits::<32>(1);
            self.backs.write_data.next = bits::<32>(1);
        }
        self.masks.write_data.next = bits::<32>(1);
        if self.state.data.val().get_bits::<8>(8).any() {
            self.masks.write_data.next = bits::<32>(0);
        }
        self.front_counts.read_address.next = bit_cast::<6, 4>(self.context.val());
        self.back_counts.read_address.next = bit_cast::<6, 4>(self.context.val());
        self.fronts.read_address.next = bit_cast::<6, 4>(self.context.val());
        self.backs.read_address.next = bit_cast::<6, 4>(self.context.val());
        self.masks.read_address.next = bit_cast::<6, 4>(self.context.val());
        self.kept.next = self.masks.read_data.val().get_bit(0)
            || ((!self.front_counts.read_data.val().get_bit(0) || self.fronts.read_data.val().get_bit(0))
                && (!self.back_counts.read_data.val().get_bit(0) || self.backs.read_data.val().get_bit(0)));
    }
}
