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

use super::parameter::Parameter;
use crate::base::drive::{join, Contents, Item, Word};

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
    /// Adds the ports to the list.
    fn describe(&self, name: &str, items: &mut Vec<Item>);
    /// Gives each port a value.
    fn set(&mut self, values: &mut dyn Iterator<Item = u64>);
}

impl<T: Word> Input for Signal<In, T> {
    #[inline(always)]
    fn moved(&self) -> bool {
        self.next != self.val()
    }
    #[inline(always)]
    fn take(&mut self) -> bool {
        self.update_all();
        self.changed
    }
    fn describe(&self, name: &str, items: &mut Vec<Item>) {
        items.push(Item::of::<T>("", name));
    }
    fn set(&mut self, values: &mut dyn Iterator<Item = u64>) {
        if let Some(value) = values.next() {
            self.next = T::from_word(value);
        }
    }
}

impl<I: Input> Input for Vec<I> {
    fn moved(&self) -> bool {
        self.iter().any(Input::moved)
    }
    fn take(&mut self) -> bool {
        self.iter_mut().fold(false, |changed, input| input.take() | changed)
    }
    fn describe(&self, name: &str, items: &mut Vec<Item>) {
        self.iter().enumerate().for_each(|(i, input)| input.describe(&format!("{name}${i}"), items));
    }
    fn set(&mut self, values: &mut dyn Iterator<Item = u64>) {
        self.iter_mut().for_each(|input| input.set(values));
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
    /// Adds the output ports that it is to the list.
    fn describe_outputs(&self, _name: &str, _items: &mut Vec<Item>) {}
    /// Appends the values of the output ports that it is.
    fn read_outputs(&self, _values: &mut Vec<u64>) {}
    /// Adds the registers and memories in it.
    fn describe_state(&self, _path: &str, _name: &str, _contents: &mut Contents) {}
    /// Appends the values of the registers in it.
    fn read_registers(&self, _values: &mut Vec<u64>) {}
    /// Appends the words of the memories in it.
    fn read_memories(&self, _values: &mut Vec<u64>) {}
}

impl<T: Word> Inner for Signal<Out, T> {
    fn describe_outputs(&self, name: &str, items: &mut Vec<Item>) {
        items.push(Item::of::<T>("", name));
    }
    fn read_outputs(&self, values: &mut Vec<u64>) {
        values.push(self.val().word());
    }
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

impl<T: Word> Inner for DFF<T> {
    fn describe_state(&self, path: &str, name: &str, contents: &mut Contents) {
        contents.registers.push(Item::of::<T>(&join(path, name), "q"));
    }
    fn read_registers(&self, values: &mut Vec<u64>) {
        values.push(self.q.val().word());
    }
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
    fn describe_outputs(&self, name: &str, items: &mut Vec<Item>) {
        self.iter().enumerate().for_each(|(i, inner)| inner.describe_outputs(&format!("{name}${i}"), items));
    }
    fn read_outputs(&self, values: &mut Vec<u64>) {
        self.iter().for_each(|inner| inner.read_outputs(values));
    }
    fn describe_state(&self, path: &str, name: &str, contents: &mut Contents) {
        self.iter().enumerate().for_each(|(i, inner)| inner.describe_state(path, &format!("{name}${i}"), contents));
    }
    fn read_registers(&self, values: &mut Vec<u64>) {
        self.iter().for_each(|inner| inner.read_registers(values));
    }
    fn read_memories(&self, values: &mut Vec<u64>) {
        self.iter().for_each(|inner| inner.read_memories(values));
    }
}

/// `impl Block` for a struct with a field `_active: bool` (of either initial value). Use it in place of `#[derive(LogicBlock)]`:
/// `quiet_block!(Lane { inputs: clock, op, a; inner: value, stage, dff });`
/// A leaf cell with registers of its own names them behind the lists: `; state: read_data, _contents`.
#[macro_export]
macro_rules! quiet_block {
    ($ty:ty { inputs: $($input:ident),+ $(,)?; inner: $($inner:ident),* $(,)? $(; state: $($state:ident),+ $(,)?)? }) => {
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
                if !$crate::base::quiet::skipping() {
                    rust_hdl::prelude::Logic::update(self);
                    $(rust_hdl::prelude::Block::update_all(&mut self.$input);)+
                    $(rust_hdl::prelude::Block::update_all(&mut self.$inner);)*
                    self._active = false $(|| rust_hdl::prelude::Block::has_changed(&self.$input))+
                        $(|| rust_hdl::prelude::Block::has_changed(&self.$inner))*;
                    return;
                }
                if !self._active $(&& !$crate::base::quiet::Input::moved(&self.$input))+ {
                    return;
                }
                let mut dirty = self._active && (false $(|| $crate::base::quiet::Inner::feeds_kernel(&self.$inner))*);
                $(dirty |= $crate::base::quiet::Input::take(&mut self.$input);)+
                if dirty {
                    rust_hdl::prelude::Logic::update(self);
                }
                $($crate::base::quiet::Inner::advance(&mut self.$inner);)*
                self._active = false $(|| $crate::base::quiet::Inner::is_alive(&self.$inner))*;
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
        impl $crate::base::quiet::Inner for $ty {
            fn feeds_kernel(&self) -> bool {
                self._active && (false $(|| $crate::base::quiet::Inner::leaves_block(&self.$inner))*)
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
            fn describe_state(&self, path: &str, name: &str, contents: &mut $crate::base::drive::Contents) {
                let path = $crate::base::drive::join(path, name);
                $($crate::base::quiet::Inner::describe_state(&self.$inner, &path, stringify!($inner), contents);)*
                $($($crate::base::drive::State::describe(&self.$state, &path, stringify!($state), contents);)+)?
            }
            fn read_registers(&self, values: &mut Vec<u64>) {
                $($crate::base::quiet::Inner::read_registers(&self.$inner, values);)*
                $($($crate::base::drive::State::read_registers(&self.$state, values);)+)?
            }
            fn read_memories(&self, values: &mut Vec<u64>) {
                $($crate::base::quiet::Inner::read_memories(&self.$inner, values);)*
                $($($crate::base::drive::State::read_memories(&self.$state, values);)+)?
            }
        }
        impl $crate::base::drive::Drive for $ty {
            fn inputs(&self) -> Vec<$crate::base::drive::Item> {
                let mut items = Vec::new();
                $($crate::base::quiet::Input::describe(&self.$input, stringify!($input), &mut items);)+
                items
            }
            fn set_inputs(&mut self, values: &mut dyn Iterator<Item = u64>) {
                $($crate::base::quiet::Input::set(&mut self.$input, values);)+
            }
            fn outputs(&self) -> Vec<$crate::base::drive::Item> {
                let mut items = Vec::new();
                $($crate::base::quiet::Inner::describe_outputs(&self.$inner, stringify!($inner), &mut items);)*
                items
            }
            fn read_outputs(&self, values: &mut Vec<u64>) {
                $($crate::base::quiet::Inner::read_outputs(&self.$inner, values);)*
            }
            fn contents(&self) -> $crate::base::drive::Contents {
                let mut contents = $crate::base::drive::Contents::default();
                $($crate::base::quiet::Inner::describe_state(&self.$inner, "", stringify!($inner), &mut contents);)*
                $($($crate::base::drive::State::describe(&self.$state, "", stringify!($state), &mut contents);)+)?
                contents
            }
            fn read_registers(&self, values: &mut Vec<u64>) {
                $crate::base::quiet::Inner::read_registers(self, values);
            }
            fn read_memories(&self, values: &mut Vec<u64>) {
                $crate::base::quiet::Inner::read_memories(self, values);
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
