//! One line of a thread record's semaphore requests (`quadlock_isa::thread`): which of its four is
//! the next to be sent. Combinational. Both stages of the set-up look at lines in this way: one
//! sends the requests with acknowledge-suppress, the other those without.
//!
//! It can be wrong at the end of a record, where a line holds fewer than four: what stands behind
//! them is not looked at.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::vector;
use crate::comment;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct RequestLine {
    /// The line: semaphore 15:0, auto-release 16, acknowledge-suppress 17 of each word.
    pub word: Vec<Signal<In, Bits<32>>>,
    /// Requests of the record from this line on.
    pub left: Signal<In, Bits<4>>,
    /// Those of this line that have been sent, one bit for each.
    pub sent: Signal<In, Bits<4>>,
    /// Requests with acknowledge-suppress are looked for, else those without.
    pub suppressed: Signal<In, bool>,
    /// Both kinds are looked for.
    pub both: Signal<In, bool>,
    /// There is one that has not been sent.
    pub some: Signal<Out, bool>,
    /// There is another one behind it.
    pub more: Signal<Out, bool>,
    /// The first of them, as one bit.
    pub chosen: Signal<Out, Bits<4>>,
    /// The word of the first of them.
    pub request: Signal<Out, Bits<32>>,
    /// Number of requests without acknowledge-suppress in the line.
    pub waits: Signal<Out, Bits<3>>,
    /// Their semaphores: bit s stands for all semaphores that are s modulo 32.
    pub filter: Signal<Out, Bits<32>>,
    present: Signal<Local, Bits<4>>,
    /// By request of the line: its kind is looked for.
    wanted: Vec<Signal<Local, bool>>,
    found: Signal<Local, bool>,
    index: Signal<Local, Bits<2>>,
    count: Signal<Local, Bits<3>>,
    set: Signal<Local, Bits<32>>,
    _active: bool,
}

impl RequestLine {
    /// The block at rest, before the first edge.
    pub fn new() -> Self {
        Self { word: vector(4), wanted: vector(4), _active: true, ..Default::default() }
    }
}

impl Logic for RequestLine {
    #[kernel]
    fn update(&mut self) {
        comment!("module: request_line");
        self.present.next = bits::<4>(0);
        if self.left.val() > bits::<4>(0) {
            self.present.next = bits::<4>(1);
        }
        if self.left.val() > bits::<4>(1) {
            self.present.next = bits::<4>(3);
        }
        if self.left.val() > bits::<4>(2) {
            self.present.next = bits::<4>(7);
        }
        if self.left.val() > bits::<4>(3) {
            self.present.next = bits::<4>(15);
        }
        self.found.next = false;
        self.index.next = bits::<2>(0);
        self.more.next = false;
        self.request.next = self.word[0].val();
        self.count.next = bits::<3>(0);
        self.set.next = bits::<32>(0);
        for k in 0..4 {
            self.wanted[k].next = self.both.val();
            if self.word[k].val().get_bit(17) {
                if self.suppressed.val() {
                    self.wanted[k].next = true;
                }
            } else {
                if !self.suppressed.val() {
                    self.wanted[k].next = true;
                }
                if self.present.val().get_bit(k) {
                    self.count.next = self.count.val() + bits::<3>(1);
                    self.set.next = self.set.val() | (bits::<32>(1) << self.word[k].val().get_bits::<5>(0));
                }
            }
            if self.present.val().get_bit(k) && !self.sent.val().get_bit(k) && self.wanted[k].val() {
                if self.found.val() {
                    self.more.next = true;
                } else {
                    self.found.next = true;
                    self.index.next = k.to_bits::<2>();
                    self.request.next = self.word[k].val();
                }
            }
        }
        self.some.next = self.found.val();
        self.chosen.next = bits::<4>(1) << self.index.val();
        self.waits.next = self.count.val();
        self.filter.next = self.set.val();
    }
}
