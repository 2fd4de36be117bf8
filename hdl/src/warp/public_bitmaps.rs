//! Public registers of fragment programs, by context: a word of bits for each, which comes with the
//! state record (MS-20). Built with `public_registers = bitmap`. A launch reads its context's word
//! in the same cycle; a state is written only when nobody uses its context.
//!
//! It can be wrong in the word of the record that it takes.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use crate::cell::AsyncRam;
use crate::comment;
use crate::ports::StateWriteIn;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct PublicBitmaps {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state records.
    pub state: StateWriteIn,
    /// Context of a launch.
    pub context: Signal<In, Bits<4>>,
    /// Bit r: register r of its fragment program is public.
    pub bitmap: Signal<Out, Bits<32>>,
    words: AsyncRam,
    _active: bool,
}

impl PublicBitmaps {
    /// Of all contexts that a machine may have.
    pub fn new() -> Self {
        Self { words: AsyncRam::new(16, 32), _active: true, ..Default::default() }
    }
}

impl Logic for PublicBitmaps {
    #[kernel]
    fn update(&mut self) {
        comment!("module: public_bitmaps");
        clock!(self, clock, words);
        self.words.write_enable.next = self.state.valid.val()
            && !self.state.pass.val()
            && (self.state.word.val() == bits::<6>(state::PUBLIC_BITMAP));
        self.words.write_address.next = bit_cast::<6, 4>(self.state.context.val());
        self.words.write_data.next = self.state.data.val();
        self.words.read_address.next = bit_cast::<6, 4>(self.context.val());
        self.bitmap.next = self.words.read_data.val();
    }
}
