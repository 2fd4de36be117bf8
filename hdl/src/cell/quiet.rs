//! Skipping blocks in which nothing moves. rust-hdl's engine runs every kernel of the whole design in every pass until nothing changes any
//! more; [`quiet_block!`](crate::quiet_block) writes the `Block` implementation that `#[derive(LogicBlock)]` would write, except that a pass
//! returns at once when nothing inside changed in the last pass and no input differs from the value already seen.
//!
//! That is exact, not an approximation, as long as `update` is a function of the block's own signals (and its memory contents, which change
//! only at clock edges): running it again on unchanged signals changes nothing. It goes wrong if an input port is left out of the list, so the
//! list says `inputs` and `inner` and has to name every field that is hardware; the cross-check against the exported Verilog would show it.

use rust_hdl::prelude::*;

/// Whether an input port has been given a value that the block has not seen yet.
pub trait Moved {
    fn moved(&self) -> bool;
}

impl<T: Synth> Moved for Signal<In, T> {
    #[inline(always)]
    fn moved(&self) -> bool {
        self.next != self.val()
    }
}

impl<M: Moved> Moved for Vec<M> {
    fn moved(&self) -> bool {
        self.iter().any(Moved::moved)
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
                rust_hdl::prelude::Logic::connect(self);
                $(self.$input.connect_all();)+
                $(self.$inner.connect_all();)*
            }
            fn update_all(&mut self) {
                if !self._active $(&& !$crate::cell::quiet::Moved::moved(&self.$input))+ {
                    return;
                }
                if self._active {
                    // Nothing that the kernel reads has changed while idle.
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
