//! What blending keeps of a commit beside its colours, as one word, and the place in front of the
//! pipeline that takes a beat while the pipeline waits.
//!
//! Latency 1 cycle, one beat per cycle. `ready` is a register: it is low while the second place is
//! full. It can be wrong by a beat that is taken with both places full; the cell's test counts.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::vector;
use crate::ports::CommitIn;
use crate::{comment, fields};

fields! {
    /// A commit without its colours.
    pub(super) trait CommitTag: 32 {
        /// Number of the context.
        tag_context: 3 @ 0,
        /// Place of the triangle's record.
        tag_handle: 6 @ 3,
        /// Number of the tile buffer.
        tag_buffer: 3 @ 9,
        /// Column of the quad, as far as tiles reach.
        tag_x: 4 @ 12,
        /// Row of the quad.
        tag_y: 4 @ 16,
        /// Number of the sample.
        tag_sample: 2 @ 20,
        /// Number of the target.
        tag_target: 2 @ 22,
        /// Last beat of the quad.
        tag_last: bit @ 24,
        /// Lanes that are covered.
        tag_coverage: 4 @ 25,
    }
}

/// Two places for beats.
#[derive(Default, QuietBlock)]
pub struct CommitSkid {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A beat comes.
    pub in_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub in_ready: Signal<Out, bool>,
    /// The beat.
    pub commit: CommitIn,
    /// A beat is here.
    pub valid: Signal<Out, bool>,
    /// It is taken.
    pub take: Signal<In, bool>,
    /// Its fields.
    pub tag: Signal<Out, Bits<32>>,
    /// Its colours: first words of the lanes, then second words.
    pub word: Vec<Signal<Out, Bits<32>>>,
    tag_in: Signal<Local, Bits<32>>,
    word_in: Vec<Signal<Local, Bits<32>>>,
    valid_r: DFF<bool>,
    tag_r: DFF<Bits<32>>,
    word_r: Vec<DFF<Bits<32>>>,
    spare: DFF<bool>,
    tag_s: DFF<Bits<32>>,
    word_s: Vec<DFF<Bits<32>>>,
    moves: Signal<Local, bool>,
    _active: bool,
}

impl CommitSkid {
    /// Both places empty.
    pub fn new() -> Self {
        Self {
            word: vector(8),
            word_in: vector(8),
            word_r: vector(8),
            word_s: vector(8),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for CommitSkid {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: commit_skid");
        dff_setup!(self, clock, valid_r, tag_r, spare, tag_s);
        self.in_ready.next = !self.spare.q.val();
        self.valid.next = self.valid_r.q.val();
        self.tag.next = self.tag_r.q.val();
        self.moves.next = self.take.val() || !self.valid_r.q.val();
        self.tag_in.next = bits::<32>(0);
        self.tag_in.next.set_value_tag_context(self.commit.context.val());
        self.tag_in.next.set_value_tag_handle(self.commit.handle.val());
        self.tag_in.next.set_value_tag_buffer(self.commit.buffer.val());
        self.tag_in.next.set_value_tag_x(self.commit.x.val().get_bits::<4>(0));
        self.tag_in.next.set_value_tag_y(self.commit.y.val().get_bits::<4>(0));
        self.tag_in.next.set_value_tag_sample(self.commit.sample.val());
        self.tag_in.next.set_value_tag_target(self.commit.target.val());
        self.tag_in.next.set_value_tag_last(self.commit.last.val());
        self.tag_in.next.set_value_tag_coverage(self.commit.coverage.val());
        if self.moves.val() {
            self.valid_r.d.next = self.in_valid.val() || self.spare.q.val();
            self.spare.d.next = false;
            self.tag_r.d.next = self.tag_in.val();
            if self.spare.q.val() {
                self.tag_r.d.next = self.tag_s.q.val();
            }
        } else if self.in_valid.val() {
            self.spare.d.next = true;
        }
        if !self.spare.q.val() {
            self.tag_s.d.next = self.tag_in.val();
        }
        for i in 0..4 {
            self.word_in[i].next = self.commit.low[i].val();
        }
        for i in 0..4 {
            self.word_in[i + 4].next = self.commit.high[i].val();
        }
        for i in 0..8 {
            self.word_r[i].clock.next = self.clock.val();
            self.word_s[i].clock.next = self.clock.val();
            self.word_r[i].d.next = self.word_r[i].q.val();
            self.word_s[i].d.next = self.word_s[i].q.val();
            if self.moves.val() {
                self.word_r[i].d.next = self.word_in[i].val();
                if self.spare.q.val() {
                    self.word_r[i].d.next = self.word_s[i].q.val();
                }
            }
            if !self.spare.q.val() {
                self.word_s[i].d.next = self.word_in[i].val();
            }
            self.word[i].next = self.word_r[i].q.val();
        }
    }
}
