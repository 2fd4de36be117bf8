//! Driving a block directly on rust-hdl's engine, without its `Simulation` threads: settle the
//! combinational logic, raise and lower the clock. Used by the block tests and by whatever else
//! runs the RTL in Rust. An input set between [`Bench::cycle`] calls is what the next rising edge
//! sees; outputs read after a call are those after the edge.

use std::ops::{Deref, DerefMut};

use rust_hdl::prelude::*;

/// The most passes a settling may take. rust-hdl moves a value one port per pass, so a real path of
/// the core stays far below.
pub const MAX_PASSES: usize = 1000;

/// Runs the block's kernels until no signal changes; returns the number of passes.
///
/// # Panics
/// When it does not settle: a combinational loop.
pub fn settle<B: Block>(block: &mut B) -> usize {
    for pass in 1..=MAX_PASSES {
        block.update_all();
        if !block.has_changed() {
            return pass;
        }
    }
    panic!("the block does not settle in {MAX_PASSES} passes: combinational loop");
}

/// A block under test with its clock. Dereferences to the block, so ports are `bench.port`.
pub struct Bench<B: Block> {
    block: B,
    clock: fn(&mut B) -> &mut Signal<In, Clock>,
    /// Rising edges so far.
    pub cycles: u64,
    /// Engine passes so far.
    pub passes: u64,
}

impl<B: Block> Bench<B> {
    /// `Bench::new(Lane::new(&config), |b| &mut b.clock)`: connects and settles the block with the
    /// clock low.
    pub fn new(mut block: B, clock: fn(&mut B) -> &mut Signal<In, Clock>) -> Self {
        block.connect_all();
        let passes = settle(&mut block) as u64;
        Self { block, clock, cycles: 0, passes }
    }

    /// Lets inputs set since the last edge reach the outputs, without an edge.
    pub fn settle(&mut self) {
        self.passes += settle(&mut self.block) as u64;
    }

    /// One clock cycle: inputs settle, rising edge, falling edge.
    pub fn cycle(&mut self) {
        self.settle();
        (self.clock)(&mut self.block).next = true.into();
        self.settle();
        (self.clock)(&mut self.block).next = false.into();
        self.settle();
        self.cycles += 1;
    }
}

impl<B: Block> Deref for Bench<B> {
    type Target = B;
    fn deref(&self) -> &B {
        &self.block
    }
}

impl<B: Block> DerefMut for Bench<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.block
    }
}
