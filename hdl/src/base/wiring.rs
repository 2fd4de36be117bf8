//! Kernels with two indices in a path, for blocks that are mostly wiring:
//! `self.ret_valid[c * self._units + u].next = self.cores[c].ret[u].valid.val()`. rust-hdl's
//! Verilog generation resolves the first `[..]` of a path only, so the kernel's syntax tree is
//! unrolled before it is generated: loops are written out, index expressions and loop variables
//! become numbers, and an `if` whose condition is a number is decided. The kernel that runs in Rust
//! is not touched.
//!
//! A block implements [`Wiring`] in place of `Logic` (`#[hdl_gen] fn update` and `fn sizes`) and
//! says `wired!(Block)`. Index expressions may hold numbers, loop variables, the names in `sizes`,
//! elements of the lists in `tables` (`_core_of[u]`), `+ - * /` and parentheses. It can be wrong in
//! the value of an index, which connects another port: the cross-check of the exported text against
//! the Rust kernel finds that.
//!
//! Two [bundles](super::bundle) are connected by one statement,
//! `RetireOut::link(&mut self.ret[i], &mut self.units[i].ret)`, which becomes an assignment for
//! each of their ports where it stands. A kernel of `Logic` may have such statements too.

pub use quadlock_hdl_text::unrolled;
use rust_hdl::prelude::*;

/// A block whose kernel is unrolled. `#[hdl_gen]` makes `connect` and `hdl` from `update`.
pub trait Wiring {
    /// The kernel.
    fn update(&mut self);
    /// Marks what the kernel drives.
    fn connect(&mut self);
    /// The kernel as it was written.
    fn hdl(&self) -> Verilog;
    /// Fields that index expressions name, with their values: `("_units", self._units)`.
    fn sizes(&self) -> Vec<(&'static str, usize)>;
    /// Fields that are lists of numbers, for index expressions: `("_core_of", &self._core_of)`.
    fn tables(&self) -> Vec<(&'static str, &[usize])> {
        Vec::new()
    }
}

/// `impl Logic` of a block with a [`Wiring`] kernel.
#[macro_export]
macro_rules! wired {
    ($ty:ty) => {
        impl rust_hdl::prelude::Logic for $ty {
            fn update(&mut self) {
                $crate::base::wiring::Wiring::update(self);
            }
            fn connect(&mut self) {
                $crate::base::wiring::Wiring::connect(self);
            }
            fn hdl(&self) -> rust_hdl::prelude::Verilog {
                let (sizes, tables) =
                    ($crate::base::wiring::Wiring::sizes(self), $crate::base::wiring::Wiring::tables(self));
                $crate::base::wiring::unrolled($crate::base::wiring::Wiring::hdl(self), &sizes, &tables)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use quadlock_hdl_macros::{hdl_gen, QuietBlock};

    use super::*;

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
        fn sizes(&self) -> Vec<(&'static str, usize)> {
            vec![("_pairs", self._pairs)]
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
        crate::base::testing::settle(&mut block);
        let q: Vec<u64> = block.q.iter().map(|q| q.val().to_u64()).collect();
        assert_eq!(q, [0, 2, 8, 4]);
    }
}
