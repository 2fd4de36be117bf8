//! A part that a configuration may leave out. It has its ports in either case, so that a kernel can
//! name them; left out, it is neither in the Verilog nor evaluated. The kernel around it is
//! unrolled (`#[kernel(wired)]`) and names the ports under an `if` on the build only
//! (`if self.functions.is_built() { .. }`), which is decided before the Verilog is written. Wrong
//! if it names them outside: the Verilog then has an unknown name, which every simulator refuses.

use std::ops::{Deref, DerefMut};

use rust_hdl::prelude::*;

use crate::base::drive::Contents;
use crate::base::quiet::Field;

/// See the module documentation.
#[derive(Default)]
pub struct Fitted<B> {
    part: B,
    built: bool,
}

impl<B> Fitted<B> {
    /// The part, built or left out.
    pub fn new(part: B, built: bool) -> Self {
        Self { part, built }
    }

    /// Whether it is in the Verilog.
    pub fn is_built(&self) -> bool {
        self.built
    }

    fn built(&self) -> Option<&B> {
        self.built.then_some(&self.part)
    }

    fn built_mut(&mut self) -> Option<&mut B> {
        self.built.then_some(&mut self.part)
    }
}

impl<B> Deref for Fitted<B> {
    type Target = B;
    fn deref(&self) -> &B {
        &self.part
    }
}

impl<B> DerefMut for Fitted<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.part
    }
}

impl<B: Logic> Logic for Fitted<B> {
    fn update(&mut self) {
        if let Some(part) = self.built_mut() {
            part.update();
        }
    }
    fn connect(&mut self) {
        if let Some(part) = self.built_mut() {
            part.connect();
        }
    }
    fn hdl(&self) -> Verilog {
        self.built().map_or(Verilog::Empty, Logic::hdl)
    }
}

impl<B: Block> Block for Fitted<B> {
    fn connect_all(&mut self) {
        if let Some(part) = self.built_mut() {
            part.connect_all();
        }
    }
    fn update_all(&mut self) {
        if let Some(part) = self.built_mut() {
            part.update_all();
        }
    }
    fn has_changed(&self) -> bool {
        self.built().is_some_and(Block::has_changed)
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        if let Some(part) = self.built() {
            part.accept(name, probe);
        }
    }
}

impl<B: Field> Field for Fitted<B> {
    fn connect_all(&mut self) {
        if let Some(part) = self.built_mut() {
            part.connect_all();
        }
    }
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        if let Some(part) = self.built() {
            part.accept_inner(name, probe);
        }
    }
    fn step_inner(&mut self) {
        if let Some(part) = self.built_mut() {
            part.step_inner();
        }
    }
    fn stirred(&self) -> bool {
        self.built().is_some_and(Field::stirred)
    }
    fn feeds_kernel(&self) -> bool {
        self.built().is_some_and(Field::feeds_kernel)
    }
    fn leaves_block(&self) -> bool {
        self.built().is_some_and(Field::leaves_block)
    }
    fn advance(&mut self) {
        if let Some(part) = self.built_mut() {
            part.advance();
        }
    }
    fn is_alive(&self) -> bool {
        self.built().is_some_and(Field::is_alive)
    }
    fn describe_state(&self, path: &str, name: &str, contents: &mut Contents) {
        if let Some(part) = self.built() {
            part.describe_state(path, name, contents);
        }
    }
    fn read_registers(&self, values: &mut Vec<u64>) {
        if let Some(part) = self.built() {
            part.read_registers(values);
        }
    }
    fn read_memories(&self, values: &mut Vec<u64>) {
        if let Some(part) = self.built() {
            part.read_memories(values);
        }
    }
}
