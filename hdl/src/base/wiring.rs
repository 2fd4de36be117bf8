//! Kernels with two indices in a path, for blocks that are mostly wiring:
//! `self.ret_valid[c * self._units + u].next = self.cores[c].ret[u].valid.val()`. rust-hdl's
//! Verilog generation resolves the first `[..]` of a path only, so the kernel's syntax tree is
//! unrolled before it is generated: loops are written out, index expressions and loop variables
//! become numbers, and an `if` whose condition is a number is decided. The kernel that runs in Rust
//! is not touched.
//!
//! A block says `#[kernel(wired)] impl Block`, or [`wired!`](crate::wired) where its parts are in
//! several files. Index expressions may hold numbers, loop variables, fields that are marked
//! `#[size]`, elements of lists that are marked so (`_core_of[u]`), `+ - * /` and parentheses. It
//! can be wrong in the value of an index, which connects another port: the cross-check of the
//! exported text against the Rust kernel finds that.
//!
//! Two [bundles](super::bundle) are connected by one statement,
//! `RetireOut::link(&mut self.ret[i], &mut self.units[i].ret)`, which becomes an assignment for
//! each of their ports where it stands. A kernel of `Logic` may have such statements too.

pub use quadlock_hdl_text::unrolled;
use rust_hdl::prelude::*;

/// What index expressions and loops name: `#[derive(QuietBlock)]` makes it of the fields that are
/// marked `#[size]`.
pub trait Sizes {
    /// Numbers, with their values: `("_units", self._units)`. A flag is 0 or 1.
    fn sizes(&self) -> Vec<(&'static str, usize)>;
    /// Lists of numbers: `("_core_of", &self._core_of)`.
    fn tables(&self) -> Vec<(&'static str, &[usize])>;
}

/// A field that is marked `#[size]`.
pub trait Size {
    /// Its number.
    fn size(&self) -> usize;
}

impl Size for usize {
    fn size(&self) -> usize {
        *self
    }
}

impl Size for bool {
    fn size(&self) -> usize {
        usize::from(*self)
    }
}

/// `impl Logic` of a block whose kernel in [parts](super::parts) is unrolled as a whole:
/// `wired! { Block: Name, ... }`.
#[macro_export]
macro_rules! wired {
    ($ty:ty: $($parts:tt)+) => {
        $crate::kernel_of! { @whole $crate::base::wiring::unrolled_of; $ty: $($parts)+ }
    };
}

/// The kernel with the numbers of the block in place of its loops and indices.
pub fn unrolled_of<B: Sizes>(block: &B, kernel: Verilog) -> Verilog {
    unrolled(kernel, &block.sizes(), &block.tables())
}
