//! Kernels that cross the ports of their parts: the export has what the Rust kernel does.

use quadlock_hdl::base::testing;
use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

/// A leaf with two vectors of ports.
#[derive(QuietBlock)]
pub struct Pair {
    pub a: Vec<Signal<In, Bits<4>>>,
    pub q: Vec<Signal<Out, Bits<4>>>,
    _active: bool,
}
impl Logic for Pair {
    #[kernel]
    fn update(&mut self) {
        for i in 0..2 {
            self.q[i].next = self.a[i].val() + bits::<4>(1);
        }
    }
}

/// Crosses the ports of two of them.
#[derive(QuietBlock)]
pub struct Cross {
    pub a: Vec<Signal<In, Bits<4>>>,
    pub q: Vec<Signal<Out, Bits<4>>>,
    pairs: Vec<Pair>,
    #[size]
    _pairs: usize,
    _active: bool,
}
#[kernel(wired)]
impl Cross {
    fn update(&mut self) {
        for p in 0..self._pairs {
            for i in 0..2 {
                self.pairs[p].a[1 - i].next = self.a[p * self._pairs + i].val();
                if p != i {
                    self.q[p * self._pairs + i].next = self.pairs[p].q[i].val();
                } else {
                    self.q[p * self._pairs + i].next = (p * 3 + i).to_bits::<4>();
                }
            }
        }
    }
}

fn cross() -> Cross {
    let pair = || Pair {
        a: (0..2).map(|_| Signal::default()).collect(),
        q: (0..2).map(|_| Signal::default()).collect(),
        _active: true,
    };
    Cross {
        a: (0..4).map(|_| Signal::default()).collect(),
        q: (0..4).map(|_| Signal::default()).collect(),
        pairs: vec![pair(), pair()],
        _pairs: 2,
        _active: true,
    }
}

/// The export says what the Rust kernel does: q0 and q3 are numbers, q1 and q2 come from a
/// crossed port each.
#[test]
fn two_indices_are_resolved_in_the_verilog() {
    let mut block = cross();
    block.connect_all();
    let text = generate_verilog(&block);
    for line in [
        "pairs$0$a$1 = a$0;",
        "pairs$0$a$0 = a$1;",
        "pairs$1$a$1 = a$2;",
        "pairs$1$a$0 = a$3;",
        "q$0 = 0;",
        "q$1 = pairs$0$q$1;",
        "q$2 = pairs$1$q$0;",
        "q$3 = 4;",
    ] {
        assert!(text.lines().any(|l| l.trim() == line), "{line} is missing in\n{text}");
    }
    assert!(!text.contains("[p") && !text.contains("[i"), "{text}");
    for (i, port) in block.a.iter_mut().enumerate() {
        port.next = (2 * i as u64 + 1).into();
    }
    testing::settle(&mut block);
    let q: Vec<u64> = block.q.iter().map(|q| q.val().to_u64()).collect();
    assert_eq!(q, [0, 2, 8, 4]);
}

/// A block whose ports depend on flags, in both kinds of kernels.
macro_rules! flagged {
    ($name:ident $($wired:tt)?) => {
        #[derive(QuietBlock)]
        pub struct $name {
            pub a: Signal<In, Bits<4>>,
            pub more: Vec<Signal<In, Bits<4>>>,
            pub q: Signal<Out, Bits<4>>,
            #[size]
            _adds: bool,
            #[size]
            _turns: bool,
            _active: bool,
        }
        #[kernel $($wired)?]
        impl $name {
            fn update(&mut self) {
                if self._adds && !self._turns {
                    self.q.next = self.a.val() + self.more[0].val();
                } else if self._turns {
                    self.q.next = !self.a.val();
                } else {
                    self.q.next = self.a.val();
                }
                if self.a.val() == bits::<4>(3) {
                    self.q.next = bits::<4>(9);
                } else if self._adds {
                    if self.more[0].val() == bits::<4>(4) {
                        self.q.next = bits::<4>(8);
                    }
                }
            }
        }
        impl $name {
            fn new(adds: bool, turns: bool) -> Self {
                let more = (0..usize::from(adds)).map(|_| Signal::default()).collect();
                let (a, q) = (Signal::default(), Signal::default());
                let mut block = Self { a, more, q, _adds: adds, _turns: turns, _active: true };
                Block::connect_all(&mut block);
                block
            }
        }
    };
}
flagged!(Flagged);
flagged!(FlaggedWiring(wired));

/// The parts that a flag leaves out name ports that are not there, and neither Rust nor the Verilog
/// misses them.
#[test]
fn flags_decide_when_a_block_is_made() {
    for (adds, turns) in [(false, false), (false, true), (true, false), (true, true)] {
        let (mut block, mut wiring) = (Flagged::new(adds, turns), FlaggedWiring::new(adds, turns));
        for a in 0..16u64 {
            for more in if adds { 0..16u64 } else { 0..1 } {
                block.a.next = a.into();
                wiring.a.next = a.into();
                block.more.iter_mut().chain(&mut wiring.more).for_each(|port| port.next = more.into());
                testing::settle(&mut block);
                testing::settle(&mut wiring);
                let sum = match (adds, turns) {
                    (_, true) => 15 - a,
                    (true, false) => (a + more) % 16,
                    (false, false) => a,
                };
                let expected = match (a, more) {
                    (3, _) => 9,
                    (_, 4) if adds => 8,
                    _ => sum,
                };
                assert_eq!(block.q.val(), Bits::from(expected), "{adds} {turns} {a} {more}");
                assert_eq!(wiring.q.val(), Bits::from(expected), "{adds} {turns} {a} {more}");
            }
        }
        for text in [quadlock_hdl_text::verilog(&block), quadlock_hdl_text::verilog(&wiring)] {
            assert_eq!(text.contains("more$0"), adds, "{text}");
            assert_eq!(text.contains("~"), turns, "{text}");
            assert!(!text.contains("_adds") && !text.contains("_once"), "{text}");
        }
    }
}

/// The same block twice: with each assignment written out, and with one statement for a source of
/// many ports.
macro_rules! fanned {
    ($name:ident, [$($attribute:tt)*] [$($of:tt)*] $($kernel:tt)+) => {
        #[derive(QuietBlock)]
        pub struct $name {
            pub clock: Signal<In, Clock>,
            pub a: Signal<In, Bits<4>>,
            pub q: Vec<Signal<Out, Bits<4>>>,
            pub sum: Signal<Out, Bits<4>>,
            seen: Vec<DFF<Bits<4>>>,
            last: DFF<Bits<4>>,
            _active: bool,
        }
        $($attribute)*
        impl $($of)* $name {
            $($kernel)+
        }
        impl $name {
            fn new() -> Self {
                let q = (0..3).map(|_| Signal::default()).collect();
                let (clock, a, sum) = (Signal::default(), Signal::default(), Signal::default());
                let seen = (0..2).map(|_| DFF::default()).collect();
                let mut block = Self { clock, a, q, sum, seen, last: DFF::default(), _active: true };
                Block::connect_all(&mut block);
                block
            }
        }
    };
}
fanned!(
    Written, [] [Logic for]
    #[kernel]
    fn update(&mut self) {
        self.last.clock.next = self.clock.val();
        self.last.d.next = self.last.q.val();
        self.seen[0].clock.next = self.clock.val();
        self.seen[1].clock.next = self.clock.val();
        self.seen[0].d.next = self.a.val();
        self.seen[1].d.next = self.a.val();
        self.q[0].next = self.a.val();
        self.q[1].next = self.a.val();
        self.q[2].next = self.a.val();
        self.q[2].next = self.seen[1].q.val();
        self.sum.next = self.seen[0].q.val() + self.last.q.val();
    }
);
fanned!(
    Fanned, [] [Logic for]
    #[kernel]
    fn update(&mut self) {
        dff_setup!(self, clock, last);
        clock!(self, clock, seen[0], seen[1]);
        fan_out!(self.a => self.seen[0].d, self.seen[1].d);
        fan_out!(self.a => self.q[0], self.q[1], self.q[2]);
        self.q[2].next = self.seen[1].q.val();
        self.sum.next = self.seen[0].q.val() + self.last.q.val();
    }
);
fanned!(
    FannedWiring, [#[kernel(wired)]] []
    fn update(&mut self) {
        dff_setup!(self, clock, last);
        for i in 0..2 {
            clock!(self, clock, seen[i]);
            fan_out!(self.a => self.seen[i].d, self.q[i], self.q[i + 1]);
        }
        self.q[2].next = self.seen[1].q.val();
        self.sum.next = self.seen[0].q.val() + self.last.q.val();
    }
);

/// The statements of both are the same, and the last assignment holds in Rust as in the Verilog.
#[test]
fn a_fan_out_is_an_assignment_for_each_port() {
    let (written, fanned) = (Written::new(), Fanned::new());
    let lines = |text: String| text.lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(quadlock_hdl_text::verilog(&fanned)), lines(quadlock_hdl_text::verilog(&written)));
    let text = quadlock_hdl_text::verilog(&FannedWiring::new());
    for line in ["seen$0$d = a;", "q$1 = a;", "q$2 = a;", "seen$1$clock = clock;", "last$d = last$q;"] {
        assert!(text.lines().any(|l| l.trim() == line), "{line} is missing in\n{text}");
    }
    let mut block = FannedWiring::new();
    block.a.next = 6u64.into();
    testing::settle(&mut block);
    let q: Vec<u64> = block.q.iter().map(|q| q.val().to_u64()).collect();
    assert_eq!(q, [6, 6, 0]);
}
