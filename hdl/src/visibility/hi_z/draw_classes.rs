//! What a draw may do with bounds of depth, by its context (HZ-13, HZ-25): may it be culled, does
//! it update them, must it reset them, may triangles that come later hide it?
//!
//! | answer | when |
//! | --- | --- |
//! | culls | a depth test by an order or by equality, no depth of the program, stores only with early tests, and what fails it leaves the stencil (`stencil_kept.rs`) |
//! | updates | a test by an order that writes, and nothing that can take a sample away behind the test: discard, mask or depth of the program, stencil |
//! | claims | a test by an order that writes: what was known of the other direction holds no longer |
//! | resets | it writes depth by another rule: always, not equal, or depth of the program |
//! | opaque | it updates, writes every channel of every target, and neither blends nor stores; its program runs once for a quad and does not look at coverage |
//!
//! If a quad is not drawn that something later hides, a quad between the two may pass its test at a
//! sample where it would have failed. Its program runs with more coverage then. That sample is
//! drawn over; but what the program does for others must not depend on it.
//!
//! Combinational from `context`; a word written in a cycle is seen from the next one on. It can be
//! wrong in a class that is too wide, which hides what is seen.
//!
//! Planted faults: `hi-z-discard`, `hi-z-always`, `hi-z-blend`, `hi-z-claims`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{DrawClassOut, StateWriteIn};
use crate::visibility::StencilKept;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct DrawClasses {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// The context that is looked up.
    pub context: Signal<In, Bits<4>>,
    /// What the state of a draw means for Hi-Z.
    pub class_ports: DrawClassOut,
    /// What fails its test may go.
    pub culls: Signal<Out, bool>,
    /// Draws like it that follow each other are an opaque run.
    pub opaque: Signal<Out, bool>,
    words: AsyncRam,
    stencil: StencilKept,
    /// Of each target: it is written whole, without blending.
    plain: Vec<AsyncRam>,
    targets: DFF<Bits<3>>,
    has_depth: DFF<bool>,
    word: Signal<Local, Bits<32>>,
    function_now: Signal<Local, Bits<3>>,
    tests: Signal<Local, bool>,
    ordered: Signal<Local, bool>,
    writes: Signal<Local, bool>,
    bounds: Signal<Local, bool>,
    whole: Signal<Local, bool>,
    fault_hi_z_discard: Planted,
    fault_hi_z_always: Planted,
    fault_hi_z_blend: Planted,
    fault_hi_z_claims: Planted,
    fault_hi_z_coverage: Planted,
    _active: bool,
}

impl DrawClasses {
    /// Of the contexts of that configuration, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        Self {
            words: AsyncRam::new(config.contexts, 32),
            stencil: StencilKept::new(config),
            plain: (0..4).map(|_| AsyncRam::new(config.contexts, 1)).collect(),
            fault_hi_z_discard: planted(Fault::HiZDiscard),
            fault_hi_z_always: planted(Fault::HiZAlways),
            fault_hi_z_blend: planted(Fault::HiZBlend),
            fault_hi_z_claims: planted(Fault::HiZClaims),
            fault_hi_z_coverage: planted(Fault::HiZCoverage),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl DrawClasses {
    /// Words of the pass and of contexts are kept.
    fn words(&mut self) {
        comment!("module: draw_classes");
        dff_setup!(self, clock, targets, has_depth);
        clock!(self, clock, words, stencil);
        StateWriteIn::link(&mut self.state, &mut self.stencil.state);
        self.stencil.context.next = self.context.val();
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.targets.d.next = self.state.data.val().get_bits::<3>(8);
            self.has_depth.d.next = self.state.data.val().get_bit(12);
        }
        self.words.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::MODES));
        self.words.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.words.write_data.next = self.state.data.val();
        self.words.read_address.next = bit_cast::<6, 4>(self.context.val());
        for t in 0..4 {
            clock!(self, clock, plain[t]);
            self.plain[t].write_enable.next = self.state.valid.val()
                && !self.state.pass.val()
                && (self.state.word.val() == (bits::<6>(state::TARGET_BLEND) | t.to_bits::<6>()));
            self.plain[t].write_address.next = bit_cast::<6, 4>(self.state.context.val());
            self.plain[t].write_data.next = bits::<32>(0);
            if self.state.data.val().get_bits::<5>(0) == bits::<5>(15) {
                self.plain[t].write_data.next = bits::<32>(1);
            }
            self.plain[t].read_address.next = bit_cast::<6, 4>(self.context.val());
        }
    }

    /// Words of the context say what its draws may do.
    fn classes(&mut self) {
        self.word.next = self.words.read_data.val();
        self.function_now.next = self.word.val().get_bits::<3>(5);
        self.tests.next = self.has_depth.q.val() && self.word.val().get_bit(8);
        self.writes.next = self.tests.val() && self.word.val().get_bit(9);
        // Less, less or equal, greater, greater or equal.
        self.ordered.next = (self.function_now.val() == bits::<3>(1))
            || (self.function_now.val() == bits::<3>(3))
            || (self.function_now.val() == bits::<3>(4))
            || (self.function_now.val() == bits::<3>(6));
        self.culls.next = self.tests.val()
            && (self.ordered.val() || (self.function_now.val() == bits::<3>(2)))
            && self.stencil.kept.val()
            && !self.word.val().get_bit(17)
            && (!self.word.val().get_bit(19) || self.word.val().get_bit(11));
        self.bounds.next = self.writes.val()
            && self.ordered.val()
            && !self.word.val().get_bit(10)
            && (!self.word.val().get_bit(16) || self.fault_hi_z_discard.val())
            && !self.word.val().get_bit(17)
            && !self.word.val().get_bit(18);
        self.class_ports.updates.next = self.bounds.val();
        self.class_ports.resets.next = self.writes.val()
            && ((self.function_now.val() == bits::<3>(5))
                || (self.function_now.val() == bits::<3>(7))
                || self.word.val().get_bit(17))
            && !self.fault_hi_z_always.val();
        self.class_ports.claims.next = self.writes.val() && self.ordered.val() && !self.fault_hi_z_claims.val();
        self.class_ports.down.next =
            (self.function_now.val() == bits::<3>(4)) || (self.function_now.val() == bits::<3>(6));
        self.whole.next = true;
        for t in 0..4 {
            if (self.targets.q.val() > t.to_bits::<3>())
                && !self.plain[t].read_data.val().get_bit(0)
                && !self.fault_hi_z_blend.val()
            {
                self.whole.next = false;
            }
        }
        self.opaque.next = self.bounds.val()
            && self.whole.val()
            && !self.word.val().get_bit(12)
            && (!self.word.val().get_bit(15) || self.fault_hi_z_coverage.val())
            && !self.word.val().get_bit(19);
        self.class_ports.function.next = self.function_now.val();
    }
}
