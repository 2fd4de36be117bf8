//! What a context and the pass say about tests and results: word 6 of a state record and word 1 of
//! the pass record, kept and decoded (docs/graphics.md, "The command list"). Each side that asks
//! has one of its own.
//!
//! Combinational from `context`; a word written in a cycle is seen from the next one on. It can be
//! wrong in the rule of who tests late: planted fault `depth-late-stores`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::{pass, state};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::AsyncRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::fields;
use crate::ports::StateWriteIn;

fields! {
    /// Word 6 of a state record, bits 19:5.
    trait ModeWord: 15 {
        /// Depth function.
        function: 3 @ 0,
        /// Depth test.
        depth_test: bit @ 3,
        /// Depth write.
        depth_write: bit @ 4,
        /// Stencil test.
        stencil_test: bit @ 5,
        /// Early tests are asked for.
        asked: bit @ 6,
        /// One fragment per sample.
        single: bit @ 7,
        /// The fragment program splits.
        splits: bit @ 8,
        /// Behind its split points no lane looks at another.
        apart: bit @ 9,
        /// The program may discard.
        discards: bit @ 11,
        /// It writes depth.
        moves: bit @ 12,
        /// It writes the sample mask.
        masks: bit @ 13,
        /// It has stores.
        stores: bit @ 14,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ContextModes {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state.
    pub state: StateWriteIn,
    /// The context that is looked up.
    pub context: Signal<In, Bits<4>>,
    /// The pass has depth, and the context has a depth or stencil test.
    pub tests: Signal<Out, bool>,
    /// It tests late, if it tests.
    pub late: Signal<Out, bool>,
    /// One fragment for each sample.
    pub single: Signal<Out, bool>,
    /// Its fragments become those of samples by a split.
    pub splits: Signal<Out, bool>,
    /// They may be those of a pixel, too; one, or none.
    pub apart: Vec<Signal<Out, bool>>,
    /// Depth function 2:0, depth test 3, depth write 4, stencil test 5.
    pub mode: Signal<Out, Bits<6>>,
    /// log2 of the tile's side in pixels, of the pass.
    pub side: Signal<Out, Bits<3>>,
    /// Targets of the pass.
    pub targets: Signal<Out, Bits<3>>,
    /// Number of the last sample, of the pass.
    pub last_sample: Signal<Out, Bits<2>>,
    words: AsyncRam,
    side_now: DFF<Bits<3>>,
    targets_now: DFF<Bits<3>>,
    last_sample_now: DFF<Bits<2>>,
    has_depth: DFF<bool>,
    word: Signal<Local, Bits<15>>,
    cut: Signal<Local, Bits<15>>,
    fault_depth_late_stores: Planted,
    _turns: bool,
    _one_sample: bool,
    _active: bool,
}

impl ContextModes {
    /// Of eight contexts, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            apart: vector(usize::from(config.turns())),
            _turns: config.turns(),
            _one_sample: config.max_samples == 1,
            words: AsyncRam::new(config.contexts, 15),
            fault_depth_late_stores: Planted::new(config.has(Fault::DepthLateStores)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for ContextModes {
    #[kernel]
    fn update(&mut self) {
        comment!("module: context_modes");
        dff_setup!(self, clock, side_now, targets_now, last_sample_now, has_depth);
        clock!(self, clock, words);
        self.words.write_enable.next =
            self.state.valid.val() && !self.state.pass.val() && (self.state.word.val() == bits::<6>(state::MODES));
        self.words.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.cut.next = self.state.data.val().get_bits::<15>(5);
        self.words.write_data.next = bit_cast::<32, 15>(self.cut.val());
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.side_now.d.next = self.state.data.val().get_bits::<3>(4);
            self.targets_now.d.next = self.state.data.val().get_bits::<3>(8);
            self.last_sample_now.d.next = self.state.data.val().get_bits::<2>(0);
            if self.state.data.val().get_bit(1) {
                self.last_sample_now.d.next = bits::<2>(3);
            }
            self.has_depth.d.next = self.state.data.val().get_bit(12);
        }
        self.side.next = self.side_now.q.val();
        self.targets.next = self.targets_now.q.val();
        self.last_sample.next = self.last_sample_now.q.val();
        if self._one_sample {
            self.last_sample.next = bits::<2>(0);
        }
        self.words.read_address.next = bit_cast::<6, 4>(self.context.val());
        self.word.next = self.words.read_data.val().get_bits::<15>(0);
        self.tests.next = self.has_depth.q.val()
            && (self.word.val().get_value_depth_test() || self.word.val().get_value_stencil_test());
        // What is asked for early is early, whatever the program does.
        self.late.next = (!self.word.val().get_value_asked() || self.fault_depth_late_stores.val())
            && (self.word.val().get_value_discards()
                || self.word.val().get_value_moves()
                || self.word.val().get_value_masks()
                || self.word.val().get_value_stores());
        self.single.next = self.word.val().get_value_single();
        self.splits.next = self.word.val().get_value_splits();
        if self._turns {
            self.apart[0].next = self.word.val().get_value_apart();
        }
        self.mode.next = self.word.val().get_bits::<6>(0);
    }
}
