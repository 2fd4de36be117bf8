//! What a block does with all of its fields when time does not matter: connecting them, showing
//! them to rust-hdl, listing and reading ports and registers. `#[derive(QuietBlock)]` writes for
//! each block only the list of its fields, [`Members`]; what is done with the list is here, once
//! for all blocks. Written out for each block it was a fifth of the crate's code, and most of the
//! code of vectors. A pass of the engine is written out, in `quiet.rs`: there time matters.
//!
//! It can be wrong in the order of a list: ports come in the order of the struct, inputs first for
//! rust-hdl.

use rust_hdl::prelude::*;

use super::drive::{join, Contents, Item, State};
use super::quiet::Field;

/// The fields of a block.
pub trait Members {
    /// Those of the hardware, with their names, in the order of the struct.
    fn members(&self, act: &mut dyn FnMut(&dyn Field, &'static str));
    /// The same, to be changed.
    fn members_mut(&mut self, act: &mut dyn FnMut(&mut dyn Field));
    /// Those that are a register or memory by themselves.
    fn states(&self, act: &mut dyn FnMut(&dyn State, &'static str));
}

/// Connects what is inside.
pub fn connect_all(block: &mut dyn Members) {
    block.members_mut(&mut |field| field.connect_all());
}

/// A pass without skipping, behind the kernel; true if something changed.
pub fn step(block: &mut dyn Members) -> bool {
    block.members_mut(&mut |field| field.step_inputs());
    block.members_mut(&mut |field| field.step_inner());
    let mut stirred = false;
    block.members(&mut |field, _| stirred |= field.stirred());
    stirred
}

/// Shows the fields to rust-hdl.
pub fn accept(block: &dyn Members, probe: &mut dyn Probe) {
    block.members(&mut |field, name| field.accept_inputs(name, probe));
    block.members(&mut |field, name| field.accept_inner(name, probe));
}

/// Adds registers and memories; `path` is the block's.
pub fn describe_state(block: &dyn Members, path: &str, contents: &mut Contents) {
    block.members(&mut |field, name| field.describe_state(path, name, contents));
    block.states(&mut |state, name| state.describe(path, name, contents));
}

/// The same for a block that is the field `name` of the block at `path`.
pub fn describe_part(block: &dyn Members, path: &str, name: &str, contents: &mut Contents) {
    describe_state(block, &join(path, name), contents);
}

/// Appends the values of registers, in the order of [`describe_state`].
pub fn read_registers(block: &dyn Members, values: &mut Vec<u64>) {
    block.members(&mut |field, _| field.read_registers(values));
    block.states(&mut |state, _| state.read_registers(values));
}

/// Appends the words of memories, in the order of [`describe_state`].
pub fn read_memories(block: &dyn Members, values: &mut Vec<u64>) {
    block.members(&mut |field, _| field.read_memories(values));
    block.states(&mut |state, _| state.read_memories(values));
}

/// The input ports.
pub fn inputs(block: &dyn Members) -> Vec<Item> {
    let mut items = Vec::new();
    block.members(&mut |field, name| field.describe_inputs(name, &mut items));
    items
}

/// Gives each input port a value.
pub fn set_inputs(block: &mut dyn Members, values: &mut dyn Iterator<Item = u64>) {
    block.members_mut(&mut |field| field.set(values));
}

/// The output ports.
pub fn outputs(block: &dyn Members) -> Vec<Item> {
    let mut items = Vec::new();
    block.members(&mut |field, name| field.describe_outputs(name, &mut items));
    items
}

/// Appends the values of the output ports.
pub fn read_outputs(block: &dyn Members, values: &mut Vec<u64>) {
    block.members(&mut |field, _| field.read_outputs(values));
}

/// Registers and memories of the block by itself.
pub fn contents(block: &dyn Members) -> Contents {
    let mut contents = Contents::default();
    describe_state(block, "", &mut contents);
    contents
}
