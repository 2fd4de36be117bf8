//! Skipping work in which nothing moves. rust-hdl's engine runs every kernel of the whole design in every pass until nothing changes any
//! more; [`quiet_block!`](crate::quiet_block) writes the `Block` implementation that `#[derive(LogicBlock)]` would write, except that
//! - a pass returns at once when nothing inside changed in the last pass and no input differs from the value already seen;
//! - inputs take their new values before the kernel, not after it, so a value crosses a port without waiting for the next pass;
//! - the kernel runs only if one of the things that it reads changed: an input in this pass, or a flip-flop's `q` or a sub-block's output in the last one;
//! - a flip-flop takes its `d` in the pass in which the clock rises.
//!
//! Every flip-flop and RAM in the design therefore sees a rising edge in the same pass, with the inputs of the settled design before it, and what
//! they put out is seen by kernels from the next pass on. That is what a clock edge means, so it is exact, not an approximation, as long as `update` is a function
//! of what is listed above (and of memory contents, which change only at clock edges): running it again on unchanged signals changes nothing.
//! A block between the clock and these that is written with `#[derive(LogicBlock)]` sees clock and data one pass later, which is as good.
//! An input port in the list of `inner` fields does not compile; a field left out of both lists is missing in the Verilog. The cross-check against
//! the exported Verilog would show the rest.

use std::cell::Cell;

use rust_hdl::prelude::*;

use crate::warp::parameter::Parameter;

thread_local! {
    static SKIPPING: Cell<bool> = const { Cell::new(true) };
}

/// Switches skipping for the designs that this thread evaluates; on unless switched off. Off, a block does in every pass what `#[derive(LogicBlock)]`
/// does: its kernel, then all of its fields. For comparison only: results are the same, the speed is not. Switch between clock cycles,
/// while the design has settled.
pub fn set_skipping(on: bool) {
    SKIPPING.set(on);
}

/// Whether this thread skips.
#[inline(always)]
pub fn skipping() -> bool {
    SKIPPING.get()
}

/// An input port, or a vector of them.
pub trait Input {
    /// It has been given a value that the block has not seen yet.
    fn moved(&self) -> bool;
    /// Takes the new value; true if it differs from the old one.
    fn take(&mut self) -> bool;
}

impl<T: Synth> Input for Signal<In, T> {
    #[inline(always)]
    fn moved(&self) -> bool {
        self.next != self.val()
    }
    #[inline(always)]
    fn take(&mut self) -> bool {
        self.update_all();
        self.changed
    }
}

impl<I: Input> Input for Vec<I> {
    fn moved(&self) -> bool {
        self.iter().any(Input::moved)
    }
    fn take(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, input| input.take() | changed)
    }
}

/// A field of a block other than an input port, with what it tells the block's own kernel and the kernel of the block around it.
pub trait Inner {
    /// In the last pass something changed that the kernel of the block with this field reads.
    fn feeds_kernel(&self) -> bool;
    /// In the last pass an output port of the block with this field changed.
    fn leaves_block(&self) -> bool;
    /// One pass.
    fn advance(&mut self);
    /// After a pass: another one can change something, here or in the block with this field.
    fn is_alive(&self) -> bool;
}

impl<T: Synth> Inner for Signal<Out, T> {
    #[inline(always)]
    fn feeds_kernel(&self) -> bool {
        false
    }
    #[inline(always)]
    fn leaves_block(&self) -> bool {
        self.changed
    }
    #[inline(always)]
    fn advance(&mut self) {
        self.update_all();
    }
    #[inline(always)]
    fn is_alive(&self) -> bool {
        self.changed
    }
}

impl<T: Synth> Inner for Signal<Local, T> {
    #[inline(always)]
    fn feeds_kernel(&self) -> bool {
        false
    }
    #[inline(always)]
    fn leaves_block(&self) -> bool {
        false
    }
    #[inline(always)]
    fn advance(&mut self) {
        self.update_all();
    }
    #[inline(always)]
    fn is_alive(&self) -> bool {
        false
    }
}

impl<T: Synth> Inner for Constant<T> {
    #[inline(always)]
    fn feeds_kernel(&self) -> bool {
        false
    }
    #[inline(always)]
    fn leaves_block(&self) -> bool {
        false
    }
    #[inline(always)]
    fn advance(&mut self) {}
    #[inline(always)]
    fn is_alive(&self) -> bool {
        false
    }
}

impl<const N: usize> Inner for Parameter<N> {
    #[inline(always)]
    fn feeds_kernel(&self) -> bool {
        false
    }
    #[inline(always)]
    fn leaves_block(&self) -> bool {
        false
    }
    #[inline(always)]
    fn advance(&mut self) {}
    #[inline(always)]
    fn is_alive(&self) -> bool {
        false
    }
}

impl<T: Synth> Inner for DFF<T> {
    #[inline(always)]
    fn feeds_kernel(&self) -> bool {
        self.q.changed
    }
    #[inline(always)]
    fn leaves_block(&self) -> bool {
        false
    }
    #[inline(always)]
    fn advance(&mut self) {
        if !self.clock.moved() && !self.d.moved() && !self.q.changed {
            return;
        }
        self.clock.update_all();
        if self.clock.pos_edge() {
            self.q.next = self.d.val();
        }
        self.d.update_all();
        self.q.update_all();
    }
    #[inline(always)]
    fn is_alive(&self) -> bool {
        self.q.changed
    }
}

impl<I: Inner> Inner for Vec<I> {
    fn feeds_kernel(&self) -> bool {
        self.iter().any(Inner::feeds_kernel)
    }
    fn leaves_block(&self) -> bool {
        self.iter().any(Inner::leaves_block)
    }
    #[inline(always)]
    fn advance(&mut self) {
        self.iter_mut().for_each(Inner::advance);
    }
    #[inline(always)]
    fn is_alive(&self) -> bool {
        self.iter().any(Inner::is_alive)
    }
}

/// `impl Block` for a struct with a field `_active: bool` (of either initial value). Use it in place of `#[derive(LogicBlock)]`:
/// `quiet_block!(Lane { inputs: clock, op, a; inner: value, stage, dff });`
#[macro_export]
macro_rules! quiet_block {
    ($ty:ty { inputs: $($input:ident),+ $(,)?; inner: $($inner:ident),* $(,)? }) => {
        impl rust_hdl::prelude::Block for $ty {
            fn connect_all(&mut self) {
                rust_hdl::prelude::Logic::connect(self);
                $(self.$input.connect_all();)+
                $(self.$inner.connect_all();)*
                // The kernel on the inputs as they are; from now on it runs when something changes.
                rust_hdl::prelude::Logic::update(self);
                self._active = true;
            }
            fn update_all(&mut self) {
                if !$crate::cell::quiet::skipping() {
                    rust_hdl::prelude::Logic::update(self);
                    $(rust_hdl::prelude::Block::update_all(&mut self.$input);)+
                    $(rust_hdl::prelude::Block::update_all(&mut self.$inner);)*
                    self._active = false $(|| rust_hdl::prelude::Block::has_changed(&self.$input))+
                        $(|| rust_hdl::prelude::Block::has_changed(&self.$inner))*;
                    return;
                }
                if !self._active $(&& !$crate::cell::quiet::Input::moved(&self.$input))+ {
                    return;
                }
                let mut dirty = self._active && (false $(|| $crate::cell::quiet::Inner::feeds_kernel(&self.$inner))*);
                $(dirty |= $crate::cell::quiet::Input::take(&mut self.$input);)+
                if dirty {
                    rust_hdl::prelude::Logic::update(self);
                }
                $($crate::cell::quiet::Inner::advance(&mut self.$inner);)*
                self._active = false $(|| $crate::cell::quiet::Inner::is_alive(&self.$inner))*;
            }
            fn has_changed(&self) -> bool {
                self._active
            }
            fn accept(&self, name: &str, probe: &mut dyn rust_hdl::prelude::Probe) {
                probe.visit_start_scope(name, self);
                $(self.$input.accept(stringify!($input), probe);)+
                $(self.$inner.accept(stringify!($inner), probe);)*
                probe.visit_end_scope(name, self);
            }
        }
        impl $crate::cell::quiet::Inner for $ty {
            fn feeds_kernel(&self) -> bool {
                self._active && (false $(|| $crate::cell::quiet::Inner::leaves_block(&self.$inner))*)
            }
            fn leaves_block(&self) -> bool {
                false
            }
            fn advance(&mut self) {
                rust_hdl::prelude::Block::update_all(self);
            }
            fn is_alive(&self) -> bool {
                self._active
            }
        }
    };
}

/// A combinational leaf cell: ports, `Default`, [`Block`] and [`Logic`]. The cell supplies `fn compute(&mut self)`, which sets every output's
/// `next` from the inputs' `val()`, and `const VERILOG: &str`, which does the same in Verilog. Outputs are `reg`, inputs are `wire`.
#[macro_export]
macro_rules! leaf_cell {
    ($(#[$doc:meta])* $name:ident {
        in $($(#[$in_doc:meta])* $input:ident: $in_type:ty),+ ;
        out $($(#[$out_doc:meta])* $output:ident: $out_type:ty),+ $(;)?
    }) => {
        $(#[$doc])*
        #[derive(Default)]
        pub struct $name {
            $($(#[$in_doc])* pub $input: Signal<In, $in_type>,)+
            $($(#[$out_doc])* pub $output: Signal<Out, $out_type>,)+
            _active: bool,
        }
        $crate::quiet_block!($name { inputs: $($input),+; inner: $($output),+ });
        impl rust_hdl::prelude::Logic for $name {
            fn update(&mut self) {
                self.compute();
            }
            fn connect(&mut self) {
                $(self.$output.connect();)+
            }
            fn hdl(&self) -> rust_hdl::prelude::Verilog {
                rust_hdl::prelude::Verilog::Custom(Self::VERILOG.to_string())
            }
        }
    };
}
