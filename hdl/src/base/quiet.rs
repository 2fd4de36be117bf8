//! Skipping work in which nothing moves. rust-hdl's engine runs every kernel of the whole design in
//! every pass until nothing changes any more. `#[derive(QuietBlock)]` writes the `Block`
//! implementation that `#[derive(LogicBlock)]` would write, except that
//! - a pass returns at once when nothing inside changed in the last pass and no input differs from
//!   the value already seen;
//! - inputs take their new values before the kernel, not after it, so a value crosses a port
//!   without waiting for the next pass;
//! - the kernel runs only if one of the things that it reads changed: an input in this pass, or a
//!   flip-flop's `q` or a sub-block's output in the last one;
//! - a flip-flop takes its `d` in the pass in which the clock rises.
//!
//! Every flip-flop and RAM in the design therefore sees a rising edge in the same pass, with the
//! inputs of the settled design before it. What they put out is seen by kernels from the next pass
//! on. That is what a clock edge means, so it is exact, not an approximation, as long as `update`
//! is a function of the block's fields (and of memory contents, which change only at clock edges):
//! running it again on unchanged signals changes nothing. A block between the clock and these that
//! is written with `#[derive(LogicBlock)]` sees clock and data one pass later, which is as good.
//!
//! What a field contributes is said by its type, in [`Field`]. Inputs come first in the Verilog's
//! port list, then everything else, each in the order of the struct. A field that begins with `_`
//! is no part of the hardware. It can be wrong in a kernel that reads such a field after it has
//! changed; the cross-check against the exported Verilog would show it.

use std::cell::Cell;

use rust_hdl::prelude::*;

use super::drive::{join, Contents, Item, Word};
use super::parameter::{Flag, Parameter};

thread_local! {
    static SKIPPING: Cell<bool> = const { Cell::new(true) };
}

/// Switches skipping for the designs that this thread evaluates; on unless switched off. Off, a
/// block does in every pass what `#[derive(LogicBlock)]` does: its kernel, then all of its fields.
/// For comparison only: results are the same, the speed is not. Switch between clock cycles, while
/// the design has settled.
pub fn set_skipping(on: bool) {
    SKIPPING.set(on);
}

/// Whether this thread skips.
#[inline(always)]
pub fn skipping() -> bool {
    SKIPPING.get()
}

/// A field of a block: a port or a bundle of them, a local signal, a constant, a flip-flop, another
/// block, or a vector of these. What a kind of field has nothing to do with is left as it is here.
pub trait Field {
    // Before the first pass.

    /// Connects what is inside.
    fn connect_all(&mut self) {}

    // The input ports that it is.

    /// One has been given a value that the block has not seen yet.
    fn moved(&self) -> bool {
        false
    }
    /// They take their new values; true if one differs from the old one.
    fn take(&mut self) -> bool {
        false
    }
    /// Shows them to rust-hdl, under the name of the field.
    fn accept_inputs(&self, _name: &str, _probe: &mut dyn Probe) {}
    /// Adds them to the list.
    fn describe_inputs(&self, _name: &str, _items: &mut Vec<Item>) {}
    /// Gives each a value.
    fn set(&mut self, _values: &mut dyn Iterator<Item = u64>) {}

    // Everything else that it is.

    /// In the last pass something changed that the kernel of the block with this field reads.
    fn feeds_kernel(&self) -> bool {
        false
    }
    /// In the last pass an output port of the block with this field changed.
    fn leaves_block(&self) -> bool {
        false
    }
    /// One pass.
    fn advance(&mut self) {}
    /// After a pass: another one can change something, here or in the block with this field.
    fn is_alive(&self) -> bool {
        false
    }
    /// Shows it to rust-hdl, under the name of the field.
    fn accept_inner(&self, _name: &str, _probe: &mut dyn Probe) {}
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

    // Without skipping: what rust-hdl's own derive does in a pass.

    /// A pass of the input ports.
    fn step_inputs(&mut self) {}
    /// A pass of everything else.
    fn step_inner(&mut self) {}
    /// Something changed in the last pass.
    fn stirred(&self) -> bool {
        false
    }
}

impl<T: Word> Field for Signal<In, T> {
    #[inline(always)]
    fn moved(&self) -> bool {
        self.next != self.val()
    }
    #[inline(always)]
    fn take(&mut self) -> bool {
        self.update_all();
        self.changed
    }
    fn accept_inputs(&self, name: &str, probe: &mut dyn Probe) {
        self.accept(name, probe);
    }
    fn describe_inputs(&self, name: &str, items: &mut Vec<Item>) {
        items.push(Item::of::<T>("", name));
    }
    fn set(&mut self, values: &mut dyn Iterator<Item = u64>) {
        if let Some(value) = values.next() {
            self.next = T::from_word(value);
        }
    }
    fn step_inputs(&mut self) {
        self.update_all();
    }
    fn stirred(&self) -> bool {
        self.changed
    }
}

impl<T: Word> Field for Signal<Out, T> {
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
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        self.accept(name, probe);
    }
    fn describe_outputs(&self, name: &str, items: &mut Vec<Item>) {
        items.push(Item::of::<T>("", name));
    }
    fn read_outputs(&self, values: &mut Vec<u64>) {
        values.push(self.val().word());
    }
    fn step_inner(&mut self) {
        self.update_all();
    }
    fn stirred(&self) -> bool {
        self.changed
    }
}

impl<T: Synth> Field for Signal<Local, T> {
    #[inline(always)]
    fn advance(&mut self) {
        self.update_all();
    }
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        self.accept(name, probe);
    }
    fn step_inner(&mut self) {
        self.update_all();
    }
    fn stirred(&self) -> bool {
        self.changed
    }
}

impl<T: Synth> Field for Constant<T> {
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        self.accept(name, probe);
    }
}

impl<const N: usize> Field for Parameter<N> {
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        self.accept(name, probe);
    }
}

impl Field for Flag {
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        self.accept(name, probe);
    }
}

impl<T: Word> Field for DFF<T> {
    fn connect_all(&mut self) {
        Block::connect_all(self);
    }
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
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        self.accept(name, probe);
    }
    fn step_inner(&mut self) {
        self.update_all();
    }
    fn stirred(&self) -> bool {
        self.has_changed()
    }
}

/// The name of element `i` of a vector, as rust-hdl writes it.
pub(crate) fn element(name: &str, i: usize) -> String {
    format!("{name}${i}")
}

/// The elements of a vector, whatever they are: what is done with them without hurry is compiled
/// once, not for each type.
fn elements<F: Field>(fields: &[F]) -> Vec<&dyn Field> {
    let mut list: Vec<&dyn Field> = Vec::with_capacity(fields.len());
    for field in fields {
        list.push(field);
    }
    list
}

/// The same, to be changed.
fn elements_mut<F: Field>(fields: &mut [F]) -> Vec<&mut dyn Field> {
    let mut list: Vec<&mut dyn Field> = Vec::with_capacity(fields.len());
    for field in fields {
        list.push(field);
    }
    list
}

/// Does something with each element and its name.
fn named(list: &[&dyn Field], name: &str, act: &mut dyn FnMut(&dyn Field, &str)) {
    list.iter().enumerate().for_each(|(i, field)| act(*field, &element(name, i)));
}

fn all_accept_inputs(list: &[&dyn Field], name: &str, probe: &mut dyn Probe) {
    named(list, name, &mut |field, name| field.accept_inputs(name, probe));
}

fn all_accept_inner(list: &[&dyn Field], name: &str, probe: &mut dyn Probe) {
    named(list, name, &mut |field, name| field.accept_inner(name, probe));
}

fn all_describe_inputs(list: &[&dyn Field], name: &str, items: &mut Vec<Item>) {
    named(list, name, &mut |field, name| field.describe_inputs(name, items));
}

fn all_describe_outputs(list: &[&dyn Field], name: &str, items: &mut Vec<Item>) {
    named(list, name, &mut |field, name| field.describe_outputs(name, items));
}

fn all_describe_state(list: &[&dyn Field], path: &str, name: &str, contents: &mut Contents) {
    named(list, name, &mut |field, name| field.describe_state(path, name, contents));
}

pub(super) fn all_set(list: Vec<&mut dyn Field>, values: &mut dyn Iterator<Item = u64>) {
    list.into_iter().for_each(|field| field.set(values));
}

pub(super) fn all_read_outputs(list: &[&dyn Field], values: &mut Vec<u64>) {
    list.iter().for_each(|field| field.read_outputs(values));
}

/// The questions and the steps of a pass are loops over the type itself, as the engine waits for
/// them. Loops, not closures: each closure would be several functions for each type.
impl<F: Field> Field for Vec<F> {
    fn connect_all(&mut self) {
        for field in self.iter_mut() {
            field.connect_all();
        }
    }
    fn moved(&self) -> bool {
        for field in self.iter() {
            if field.moved() {
                return true;
            }
        }
        false
    }
    fn take(&mut self) -> bool {
        let mut changed = false;
        for field in self.iter_mut() {
            changed |= field.take();
        }
        changed
    }
    fn accept_inputs(&self, name: &str, probe: &mut dyn Probe) {
        all_accept_inputs(&elements(self), name, probe);
    }
    fn describe_inputs(&self, name: &str, items: &mut Vec<Item>) {
        all_describe_inputs(&elements(self), name, items);
    }
    fn set(&mut self, values: &mut dyn Iterator<Item = u64>) {
        all_set(elements_mut(self), values);
    }
    fn feeds_kernel(&self) -> bool {
        for field in self.iter() {
            if field.feeds_kernel() {
                return true;
            }
        }
        false
    }
    fn leaves_block(&self) -> bool {
        for field in self.iter() {
            if field.leaves_block() {
                return true;
            }
        }
        false
    }
    #[inline(always)]
    fn advance(&mut self) {
        for field in self.iter_mut() {
            field.advance();
        }
    }
    #[inline(always)]
    fn is_alive(&self) -> bool {
        for field in self.iter() {
            if field.is_alive() {
                return true;
            }
        }
        false
    }
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        all_accept_inner(&elements(self), name, probe);
    }
    fn describe_outputs(&self, name: &str, items: &mut Vec<Item>) {
        all_describe_outputs(&elements(self), name, items);
    }
    fn read_outputs(&self, values: &mut Vec<u64>) {
        all_read_outputs(&elements(self), values);
    }
    fn describe_state(&self, path: &str, name: &str, contents: &mut Contents) {
        all_describe_state(&elements(self), path, name, contents);
    }
    fn read_registers(&self, values: &mut Vec<u64>) {
        for field in self.iter() {
            field.read_registers(values);
        }
    }
    fn read_memories(&self, values: &mut Vec<u64>) {
        for field in self.iter() {
            field.read_memories(values);
        }
    }
    fn step_inputs(&mut self) {
        for field in self.iter_mut() {
            field.step_inputs();
        }
    }
    fn step_inner(&mut self) {
        for field in self.iter_mut() {
            field.step_inner();
        }
    }
    fn stirred(&self) -> bool {
        for field in self.iter() {
            if field.stirred() {
                return true;
            }
        }
        false
    }
}

/// A combinational leaf cell: ports, `Default`, [`Block`] and [`Logic`]. The cell supplies
/// `fn compute(&mut self)`, which sets every output's `next` from the inputs' `val()`, and
/// `const VERILOG: &str`, which does the same in Verilog. Outputs are `reg`, inputs are `wire`.
#[macro_export]
macro_rules! leaf_cell {
    ($(#[$doc:meta])* $name:ident {
        in $($(#[$in_doc:meta])* $input:ident: $in_type:ty),+ ;
        out $($(#[$out_doc:meta])* $output:ident: $out_type:ty),+ $(;)?
    }) => {
        $(#[$doc])*
        #[derive(Default, ::quadlock_hdl_macros::QuietBlock)]
        pub struct $name {
            $($(#[$in_doc])* pub $input: Signal<In, $in_type>,)+
            $($(#[$out_doc])* pub $output: Signal<Out, $out_type>,)+
            _active: bool,
        }
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
