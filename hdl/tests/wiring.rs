//! Kernels that cross the ports of their parts: the export has what the Rust kernel does.

use quadlock_hdl::base::testing;
use quadlock_hdl::base::wiring::Wiring;
use quadlock_hdl::wired;
use quadlock_hdl_macros::{hdl_gen, QuietBlock};
use rust_hdl::prelude::*;

/// A leaf with two vectors of ports.
#[derive(QuietBlock)]
pub struct Pair {
    pub a: Vec<Signal<In, Bits<4>>>,
    pub q: Vec<Signal<Out, Bits<4>>>,
    _active: bool,
}
impl Logic for Pair {
    #[hdl_gen]
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
wired!(Cross);
impl Wiring for Cross {
    #[hdl_gen]
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
