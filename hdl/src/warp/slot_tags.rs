//! What a warp unit makes of the tags of graphics warps: coverage and window of the slot that is
//! launched, whether it is a member of a pair or of a group that splits, the handles as one word,
//! the coverage of all slots as one port, and the word of the constant bank that the slot reads
//! that issues. Combinational; built with graphics only.
//!
//! It can be wrong in a window: 2 * context + stage, of which odd ones are those of fragments, and
//! bit 5 says that there is one.
//!
//! Planted fault: `window-wrong`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::TagsIn;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct SlotTags {
    /// What is launched.
    pub tags: TagsIn,
    /// It is a graphics warp.
    pub graphics: Signal<Out, bool>,
    /// Its lanes that are no helpers; all of one that is no fragment warp.
    pub covered: Signal<Out, Bits<4>>,
    /// Its window of the constant bank, and bit 5.
    pub window: Signal<Out, Bits<6>>,
    /// Handles of its lanes 0 and 1, 16 bits for each.
    pub handles: Signal<Out, Bits<32>>,
    /// Those of lanes 2 and 3.
    pub handles_high: Signal<Out, Bits<32>>,
    /// Coverage of slot i.
    pub slot: Vec<Signal<In, Bits<4>>>,
    /// Coverage of all slots, bits 4 s + 3 : 4 s of slot s.
    pub slots: Signal<Out, Bits<64>>,
    /// Window of the slot that issues, and bit 5.
    pub issue_window: Signal<In, Bits<6>>,
    /// Word of the window that it reads.
    pub issue_word: Signal<In, Bits<8>>,
    /// That word's number in the constant bank.
    pub issue_address: Signal<Out, Bits<13>>,
    /// It is of a group that splits.
    pub splits: Signal<Out, bool>,
    /// Its public registers stand in a slot below its own.
    pub below: Signal<Out, bool>,
    /// That slot's number is a multiple of four.
    pub deep: Signal<Out, bool>,
    /// Lanes that own public registers.
    pub owned: Signal<Out, Bits<4>>,
    /// Lanes that its own samples cover.
    pub after: Signal<Out, Bits<4>>,
    /// First private register of its program; 0 if it has no merge or split point.
    pub cutoff: Signal<Out, Bits<6>>,
    /// Pairs of groups: 1 of the first group, 2 of the second one two slots behind it, 3 of the
    /// second one four behind it; 0 of neither. One, or none.
    pub twin: Vec<Signal<In, Bits<2>>>,
    /// It is of a pair of groups.
    pub of_pair: Vec<Signal<Out, bool>>,
    /// Its public registers stand in a slot whose number is a multiple of eight.
    pub far: Vec<Signal<Out, bool>>,
    /// Its program merges and then splits.
    pub merges_first: Vec<Signal<Out, bool>>,
    /// It is a member of a pair.
    pub member: Signal<Out, bool>,
    /// It is member 1.
    pub guest: Signal<Out, bool>,
    /// Lanes of slot i whose tags are those of member 1; none without merging.
    pub mate: Vec<Signal<In, Bits<4>>>,
    /// The same of all slots, bits 4 s + 3 : 4 s of slot s.
    pub mates: Signal<Out, Bits<64>>,
    /// Groups of more than two: bit 1 of the member's number, where `mate` is bit 0.
    pub mate_high: Vec<Signal<In, Bits<4>>>,
    /// The same of all slots.
    pub mates_high: Vec<Signal<Out, Bits<64>>>,
    /// Where its program merges, if that stands beside it (MS-10): 0 if it does not.
    pub merge_at: Vec<Signal<Out, Bits<16>>>,
    /// Where it splits.
    pub split_at: Vec<Signal<Out, Bits<16>>>,
    /// Its lanes are the samples of one pixel; one, or none.
    pub turned: Vec<Signal<Out, bool>>,
    /// That pixel's place in the quad.
    pub pixel: Vec<Signal<Out, Bits<2>>>,
    stage: Signal<Local, Bits<6>>,
    fault_window_wrong: Planted,
    #[size]
    _merges: bool,
    #[size]
    _threes: bool,
    #[size]
    _splits: bool,
    #[size]
    _turns: bool,
    #[size]
    _only_splits: bool,
    #[size]
    _twins: bool,
    #[size]
    _warps: usize,
    #[size]
    _merges_beside: usize,
    #[size]
    _splits_beside: usize,
    _active: bool,
}

impl SlotTags {
    /// For the slots of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            slot: vector(config.warps),
            mate: vector(if config.merges() { config.warps } else { 0 }),
            mate_high: vector(if config.groups() { config.warps } else { 0 }),
            mates_high: vector(usize::from(config.groups())),
            _threes: config.groups(),
            merge_at: vector(config.merges_beside()),
            twin: vector(usize::from(config.twins())),
            of_pair: vector(usize::from(config.twins())),
            far: vector(usize::from(config.twins())),
            merges_first: vector(usize::from(config.twins())),
            _twins: config.twins(),
            split_at: vector(config.splits_beside()),
            _merges_beside: config.merges_beside(),
            _splits_beside: config.splits_beside(),
            _merges: config.merges(),
            turned: vector(usize::from(config.turns())),
            pixel: vector(usize::from(config.turns())),
            _turns: config.turns(),
            _splits: config.splits(),
            _only_splits: config.splits() && !config.merges(),
            fault_window_wrong: Planted::new(config.has(Fault::WindowWrong)),
            _warps: config.warps,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl SlotTags {
    /// The slot that is launched has a coverage, a window and handles.
    fn coverage(&mut self) {
        comment!("module: slot_tags");
        self.graphics.next = self.tags.kind.val().any();
        self.covered.next = bits::<4>(15);
        self.stage.next = bits::<6>(32);
        if self.tags.kind.val() == bits::<2>(2) {
            self.covered.next = self.tags.covered.val();
            self.stage.next = bits::<6>(33);
        }
        self.window.next = bits::<6>(0);
        if self.tags.kind.val().any() {
            self.window.next = self.stage.val() | (bit_cast::<6, 4>(self.tags.context.val()) << bits::<6>(1));
        }
        self.handles.next = bit_cast::<32, 12>(self.tags.handle[0].val())
            | (bit_cast::<32, 12>(self.tags.handle[1].val()) << bits::<32>(16));
        self.handles_high.next = bit_cast::<32, 12>(self.tags.handle[2].val())
            | (bit_cast::<32, 12>(self.tags.handle[3].val()) << bits::<32>(16));
        self.slots.next = bits::<64>(0);
        for i in 0..self._warps {
            self.slots.next = self.slots.val() | (bit_cast::<64, 4>(self.slot[i].val()) << (i * 4).to_bits::<6>());
        }
    }

    /// The slot is a member of a pair, or of a group that splits.
    fn membership(&mut self) {
        self.member.next = (self.tags.kind.val() == bits::<2>(2)) && self.tags.mergeable.val();
        self.guest.next = self.member.val() && self.tags.member.val().any();
        self.splits.next = false;
        if self._splits {
            self.splits.next = (self.tags.kind.val() == bits::<2>(2)) && self.tags.split.val().any();
        }
        self.deep.next = self.splits.val() && self.tags.member.val().get_bit(1);
        if self._threes {
            if self.guest.val() && self.tags.member.val().get_bit(1) {
                self.deep.next = true;
            }
        }
        self.below.next = self.guest.val() || (self.splits.val() && self.tags.member.val().any());
        self.owned.next = self.covered.val();
        if self.splits.val() {
            self.owned.next = bits::<4>(15);
        }
        // A pair of groups: the first sample of each is a member.
        if self._twins {
            self.merges_first[0].next = self.splits.val() && self.tags.merge.val().any();
            self.of_pair[0].next = self.splits.val() && self.tags.mergeable.val();
            self.far[0].next = self.of_pair[0].val() && (self.twin[0].val() == bits::<2>(3));
            if self.splits.val() {
                self.guest.next = false;
                self.member.next = self.tags.mergeable.val() && !self.tags.member.val().any();
                self.below.next = self.tags.member.val().any();
                self.deep.next = self.tags.member.val().get_bit(1);
                if self.of_pair[0].val() && self.twin[0].val().get_bit(1) {
                    self.below.next = true;
                    self.deep.next = true;
                }
            }
            // Helpers own no public registers where a program merges first.
            if self.merges_first[0].val() && !self.tags.member.val().any() {
                self.owned.next = self.covered.val();
            }
        }
    }

    /// Behind the split a slot has other lanes, or one pixel.
    fn after_split(&mut self) {
        self.after.next = bits::<4>(0);
        if self.tags.place[0].val().get_bits::<4>(26).any() {
            self.after.next = self.after.val() | bits::<4>(1);
        }
        if self.tags.place[1].val().get_bits::<4>(26).any() {
            self.after.next = self.after.val() | bits::<4>(2);
        }
        if self.tags.place[2].val().get_bits::<4>(26).any() {
            self.after.next = self.after.val() | bits::<4>(4);
        }
        if self.tags.place[3].val().get_bits::<4>(26).any() {
            self.after.next = self.after.val() | bits::<4>(8);
        }
        // Lanes of one sample have its number. Those of a pixel have their own.
        if self._turns {
            self.turned[0].next =
                self.splits.val() && !self.tags.place[0].val().get_bit(24) && self.tags.place[1].val().get_bit(24);
            self.pixel[0].next = self.tags.depth[0].val().get_bits::<2>(24);
        }
    }

    /// The program says from where registers are public, and where it merges and splits.
    fn cutoffs(&mut self) {
        self.cutoff.next = bits::<6>(0);
        if (self.tags.kind.val() == bits::<2>(2)) && (self.tags.cutoff.val() != bits::<6>(63)) {
            self.cutoff.next = self.tags.cutoff.val();
        }
        // Without merging only what splits has public registers.
        if self._only_splits {
            if !self.splits.val() {
                self.cutoff.next = bits::<6>(0);
            }
        }
        for k in 0..self._merges_beside {
            self.merge_at[k].next = bits::<16>(0);
            if (self.tags.kind.val() == bits::<2>(2)) && (self.tags.cutoff.val() != bits::<6>(63)) {
                self.merge_at[k].next = self.tags.merge.val();
            }
        }
        for k in 0..self._splits_beside {
            self.split_at[k].next = bits::<16>(0);
            if self.splits.val() {
                self.split_at[k].next = self.tags.split.val();
            }
        }
    }

    /// Lanes of mates of all slots are one port.
    fn mates(&mut self) {
        self.mates.next = bits::<64>(0);
        if self._merges {
            for i in 0..self._warps {
                self.mates.next = self.mates.val() | (bit_cast::<64, 4>(self.mate[i].val()) << (i * 4).to_bits::<6>());
            }
        }
        if self._threes {
            self.mates_high[0].next = bits::<64>(0);
            for i in 0..self._warps {
                self.mates_high[0].next =
                    self.mates_high[0].val() | (bit_cast::<64, 4>(self.mate_high[i].val()) << (i * 4).to_bits::<6>());
            }
        }
    }

    /// The slot that issues reads a word of its window.
    fn bank_address(&mut self) {
        self.issue_address.next = (bit_cast::<13, 5>(self.issue_window.val().get_bits::<5>(0)) << bits::<13>(8))
            | bit_cast::<13, 8>(self.issue_word.val());
        if self.fault_window_wrong.val() {
            self.issue_address.next = (bit_cast::<13, 4>(self.issue_window.val().get_bits::<4>(1)) << bits::<13>(9))
                | bit_cast::<13, 8>(self.issue_word.val());
        }
    }
}
