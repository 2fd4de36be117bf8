//! Skipping work in which nothing moves. rust-hdl's engine runs every kernel of the whole design in every pass until nothing changes any
//! more; [`quiet_block!`](crate::quiet_block) writes the `Block` implementation that `#[derive(LogicBlock)]` would write, except that
//! - a pass returns at once when nothing inside changed in the last pass and no input differs from the value already seen;
//! - the kernel runs only if in the last pass one of the things that it reads changed: an input, a flip-flop's `q`, a sub-block's output.
//!
//! That is exact, not an approximation, as long as `update` is a function of these (and of memory contents, which change only at clock edges):
//! running it again on unchanged signals changes nothing. An input port in the list of `inner` fields does not compile; a field left out
//! of both lists is missing in the Verilog. The cross-check against the exported Verilog would show the rest.

use rust_hdl::prelude::*;

use crate::warp::parameter::Parameter;

/// An input port, or a vector of them.
pub trait Input {
    /// It has been given a value that the block has not seen yet.
    fn moved(&self) -> bool;
    /// Its value changed in the last pass.
    fn changed(&self) -> bool;
    /// Makes it count as changed, so that the kernel runs in the first pass.
    fn mark(&mut self);
}

impl<T: Synth> Input for Signal<In, T> {
    #[inline(always)]
    fn moved(&self) -> bool {
        self.next != self.val()
    }
    #[inline(always)]
    fn changed(&self) -> bool {
        self.changed
    }
    fn mark(&mut self) {
        self.changed = true;
    }
}

impl<I: Input> Input for Vec<I> {
    fn moved(&self) -> bool {
        self.iter().any(Input::moved)
    }
    fn changed(&self) -> bool {
        self.iter().any(Input::changed)
    }
    fn mark(&mut self) {
        self.iter_mut().for_each(Input::mark);
    }
}

/// A field of a block other than an input port, with what it tells the block's own kernel and the kernel of the block around it.
pub trait Inner {
    /// In the last pass something changed that the kernel of the block with this field reads.
    fn feeds_kernel(&self) -> bool;
    /// In the last pass an output port of the block with this field changed.
    fn leaves_block(&self) -> bool;
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
}

impl<I: Inner> Inner for Vec<I> {
    fn feeds_kernel(&self) -> bool {
        self.iter().any(Inner::feeds_kernel)
    }
    fn leaves_block(&self) -> bool {
        self.iter().any(Inner::leaves_block)
    }
}

/// `impl Block` for a struct with a field `_active: bool` (of either initial value). Use it in place of `#[derive(LogicBlock)]`:
/// `quiet_block!(Lane { inputs: clock, op, a; inner: value, stage, dff });`
#[macro_export]
macro_rules! quiet_block {
    ($ty:ty { inputs: $($input:ident),+ $(,)?; inner: $($inner:ident),* $(,)? }) => {
        impl rust_hdl::prelude::Block for $ty {
            fn connect_all(&mut self) {
                self._active = true;
                $($crate::cell::quiet::Input::mark(&mut self.$input);)+
                rust_hdl::prelude::Logic::connect(self);
                $(self.$input.connect_all();)+
                $(self.$inner.connect_all();)*
            }
            fn update_all(&mut self) {
                if !self._active $(&& !$crate::cell::quiet::Input::moved(&self.$input))+ {
                    return;
                }
                let dirty = self._active
                    && (false
                        $(|| $crate::cell::quiet::Input::changed(&self.$input))+
                        $(|| $crate::cell::quiet::Inner::feeds_kernel(&self.$inner))*);
                if dirty {
                    rust_hdl::prelude::Logic::update(self);
                }
                $(self.$input.update_all();)+
                $(self.$inner.update_all();)*
                self._active = false $(|| self.$input.has_changed())+ $(|| self.$inner.has_changed())*;
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
