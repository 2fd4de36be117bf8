//! What blending keeps of a commit beside its colours, as one word, and the queue in front of the
//! pipelines that takes beats while those wait.
//!
//! ```text
//! commit -> tags of 16 beats ------------> the next beat's place is worked out
//!        '-> tags, colours of 16 beats ---> those of the beat in the issue stage
//! ```
//!
//! A beat stays in the queue until it leaves the issue stage, and its tag is looked at before.
//! Latency 1 cycle, one beat per cycle. `ready` is a register's bit: it is low while sixteen beats
//! are there. It can be wrong by a beat that is taken then; `tests/blend.rs` stalls for long.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::vector;
use crate::memory::LutRam;
use crate::ports::CommitDataIn;
use crate::{comment, fields};

fields! {
    /// A commit without its colours.
    pub(super) trait CommitTag: 32 {
        /// Number of the context.
        tag_context: 4 @ 0,
        /// Number of the tile buffer.
        tag_buffer: 3 @ 4,
        /// Column of the quad, as far as tiles reach.
        tag_x: 4 @ 7,
        /// Row of the quad.
        tag_y: 4 @ 11,
        /// Number of the sample.
        tag_sample: 2 @ 15,
        /// Number of the target.
        tag_target: 2 @ 17,
        /// Last beat of the quad.
        tag_last: bit @ 19,
        /// Lanes that are covered.
        tag_coverage: 4 @ 20,
    }
}

/// Sixteen places for beats.
#[derive(Default, QuietBlock)]
pub struct CommitQueue {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A beat comes.
    pub in_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub in_ready: Signal<Out, bool>,
    /// The beat.
    pub commit: CommitDataIn,
    /// A tag is here.
    pub valid: Signal<Out, bool>,
    /// It is taken if valid.
    pub take: Signal<In, bool>,
    /// Its fields.
    pub tag: Signal<Out, Bits<32>>,
    /// Fields of the oldest beat that has not left.
    pub oldest: Signal<Out, Bits<32>>,
    /// Colours of the oldest beat that has not left: first words of the lanes, then second words.
    pub word: Vec<Signal<Out, Bits<32>>>,
    /// That beat leaves.
    pub leave: Signal<In, bool>,
    tags: LutRam,
    oldest_tags: LutRam,
    words: Vec<LutRam>,
    tail: DFF<Bits<4>>,
    tag_head: DFF<Bits<4>>,
    word_head: DFF<Bits<4>>,
    /// Beats that have not left.
    count: DFF<Bits<5>>,
    /// Of these such whose tag is not taken.
    tag_count: DFF<Bits<5>>,
    comes: Signal<Local, bool>,
    goes: Signal<Local, bool>,
    tag_in: Signal<Local, Bits<32>>,
    word_in: Vec<Signal<Local, Bits<32>>>,
    _active: bool,
}

impl CommitQueue {
    /// Empty.
    pub fn new() -> Self {
        Self { word: vector(8), words: vector(8), word_in: vector(8), _active: true, ..Default::default() }
    }
}

#[kernel]
impl CommitQueue {
    /// A beat that comes is written, and tags and words of the oldest are read.
    fn entries(&mut self) {
        comment!("module: commit_queue");
        dff_setup!(self, clock, tail, tag_head, word_head, count, tag_count);
        clock!(self, clock, tags, oldest_tags);
        self.in_ready.next = !self.count.q.val().get_bit(4);
        self.comes.next = self.in_valid.val() && !self.count.q.val().get_bit(4);
        self.valid.next = self.tag_count.q.val().any();
        self.goes.next = self.take.val() && self.tag_count.q.val().any();
        self.tag_in.next = bits::<32>(0);
        self.tag_in.next.set_value_tag_context(self.commit.context.val());
        self.tag_in.next.set_value_tag_buffer(self.commit.buffer.val());
        self.tag_in.next.set_value_tag_x(self.commit.x.val().get_bits::<4>(0));
        self.tag_in.next.set_value_tag_y(self.commit.y.val().get_bits::<4>(0));
        self.tag_in.next.set_value_tag_sample(self.commit.sample.val());
        self.tag_in.next.set_value_tag_target(self.commit.target.val());
        self.tag_in.next.set_value_tag_last(self.commit.last.val());
        self.tag_in.next.set_value_tag_coverage(self.commit.coverage.val());
        self.tags.write_enable.next = self.comes.val();
        self.tags.write_address.next = self.tail.q.val();
        self.tags.write_data.next = self.tag_in.val();
        self.tags.read_address.next = self.tag_head.q.val();
        self.tag.next = self.tags.read_data.val();
        self.oldest_tags.write_enable.next = self.comes.val();
        self.oldest_tags.write_address.next = self.tail.q.val();
        self.oldest_tags.write_data.next = self.tag_in.val();
        self.oldest_tags.read_address.next = self.word_head.q.val();
        self.oldest.next = self.oldest_tags.read_data.val();
        for i in 0..4 {
            self.word_in[i].next = self.commit.low[i].val();
        }
        for i in 0..4 {
            self.word_in[i + 4].next = self.commit.high[i].val();
        }
        for i in 0..8 {
            clock!(self, clock, words[i]);
            self.words[i].write_enable.next = self.comes.val();
            self.words[i].write_address.next = self.tail.q.val();
            self.words[i].write_data.next = self.word_in[i].val();
            self.words[i].read_address.next = self.word_head.q.val();
            self.word[i].next = self.words[i].read_data.val();
        }
    }

    /// Places and numbers of beats are counted.
    fn counters(&mut self) {
        if self.comes.val() {
            self.tail.d.next = self.tail.q.val() + bits::<4>(1);
        }
        if self.goes.val() {
            self.tag_head.d.next = self.tag_head.q.val() + bits::<4>(1);
        }
        if self.leave.val() {
            self.word_head.d.next = self.word_head.q.val() + bits::<4>(1);
        }
        if self.comes.val() && !self.leave.val() {
            self.count.d.next = self.count.q.val() + bits::<5>(1);
        }
        if !self.comes.val() && self.leave.val() {
            self.count.d.next = self.count.q.val() - bits::<5>(1);
        }
        if self.comes.val() && !self.goes.val() {
            self.tag_count.d.next = self.tag_count.q.val() + bits::<5>(1);
        }
        if !self.comes.val() && self.goes.val() {
            self.tag_count.d.next = self.tag_count.q.val() - bits::<5>(1);
        }
    }
}
