//! Kernels in parts. rust-hdl wants the whole behaviour of a block in one function; a block whose
//! kernel would be longer than a page has several instead, each for one piece of hardware.
//!
//! A part is a function of `#[kernel] impl Block`, which joins its functions in their order. Parts
//! in several files are functions of `#[parts] impl Block`, and [`kernel_of!`](crate::kernel_of)
//! lists them. Either makes an empty type for each part, and the block implements [`Part`] of it.
//! The Verilog is one module with one `always` block, as if the parts had been written as one
//! function. A part may assign what an earlier one has assigned, and the last assignment holds.
//!
//! It can be wrong in the order of the list. A part that reads a local signal before the part that
//! drives it gives a loop, which the export's check and the simulator refuse.

use rust_hdl::prelude::*;

/// The part `Name` of a block's kernel; the attributes make it of a function.
pub trait Part<Name> {
    /// The part itself.
    fn update(&mut self);
    /// Marks what it drives.
    fn connect(&mut self);
    /// It, as Verilog.
    fn hdl(&self) -> Verilog;
}

/// `impl Logic` of a block whose kernel consists of these parts, in this order, and the parts'
/// types.
///
/// With `@whole WITH` in front, function `WITH` of block and kernel makes the Verilog
/// ([`wired!`](crate::wired)).
#[macro_export]
macro_rules! kernel_of {
    (@whole $with:path; $ty:ty: $($(#[$doc:meta])* $part:ident),+ $(,)?) => {
        $($(#[$doc])* struct $part;)+

        impl rust_hdl::prelude::Logic for $ty {
            fn update(&mut self) {
                $(<Self as $crate::base::parts::Part<$part>>::update(self);)+
            }
            fn connect(&mut self) {
                $(<Self as $crate::base::parts::Part<$part>>::connect(self);)+
            }
            fn hdl(&self) -> rust_hdl::prelude::Verilog {
                $with(self, $crate::base::parts::joined([$(<Self as $crate::base::parts::Part<$part>>::hdl(self)),+]))
            }
        }
    };
    ($ty:ty: $($parts:tt)+) => {
        $crate::kernel_of! { @whole $crate::base::parts::as_it_is; $ty: $($parts)+ }
    };
}

/// A kernel in parts is what they are together.
pub fn as_it_is<B>(_: &B, kernel: Verilog) -> Verilog {
    kernel
}

/// The parts' statements one after the other.
///
/// # Panics
/// A part that is not a kernel, which `#[kernel]` does not make.
pub fn joined(parts: impl IntoIterator<Item = Verilog>) -> Verilog {
    let statements = parts.into_iter().flat_map(|part| match part {
        Verilog::Combinatorial(block) => block,
        _ => panic!("a part of a kernel is made by #[kernel]"),
    });
    Verilog::Combinatorial(statements.collect())
}
