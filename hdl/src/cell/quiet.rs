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

/// `impl Block` for a struct with a field `_active: bool`, initialised to `true`. Use it in place of `#[derive(LogicBlock)]`:
/// `quiet_block!(Lane { inputs: clock, op, a; inner: value, stage0, dff1 });`
#[macro_export]
macro_rules! quiet_block {
    ($ty:ty { inputs: $($input:ident),+ $(,)?; inner: $($inner:ident),* $(,)? }) => {
        impl rust_hdl::prelude::Block for $ty {
            fn connect_all(&mut self) {
                rust_hdl::prelude::Logic::connect(self);
                $(self.$input.connect_all();)+
                $(self.$inner.connect_all();)*
            }
            fn update_all(&mut self) {
                if !self._active $(&& !$crate::cell::quiet::Moved::moved(&self.$input))+ {
                    return;
                }
                rust_hdl::prelude::Logic::update(self);
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
