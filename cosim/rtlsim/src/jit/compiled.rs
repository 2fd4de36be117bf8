//! A graph as machine code in memory, with its places and its first state: from a plan, or from
//! disk ([`super::kept`]). Wrong if state that only one of the two makes is missing in the other;
//! the tests of kept code compare both.

use super::call::Module;
use super::code::Code;
use super::generate::{generate, isa, write_perf_map};
use super::memory::Memory;
use super::pieces::Pieces;
use super::program::Program;
use super::verify;
use crate::graph::Graph;
use crate::options::Options;
use crate::plan::{plan, Plan, PlanOptions};
use crate::start::{start_memory, start_value};
use crate::Error;

/// Machine code and what is needed to use it.
pub(super) struct Compiled {
    pub program: Program,
    pub module: Module,
    /// The state before the first settle: tables, constants, and for the first code the start
    /// values.
    pub image: Memory,
}

impl Compiled {
    /// Compiles a graph; also gives the bytes of the code. With the class of each cluster it is
    /// the second code, without it the first one, and counts.
    pub fn new(graph: &Graph, options: &Options, classes: Option<&[u8]>) -> Result<(Self, Pieces), Error> {
        let traced = options.observed(graph);
        let choices = PlanOptions {
            gating: options.gating,
            lazy: options.gating,
            simd: options.simd,
            trace: !traced.is_empty(),
            count: options.gating && options.profile != 0 && classes.is_none(),
            ..PlanOptions::default()
        };
        let mut plan = plan(graph, &traced, &choices, classes)?;
        crate::fault::plant(&mut plan, options.fault, classes.is_some());
        let code = Code { plan: &plan, options: &choices };
        let isa = isa(verify::wanted(options))?;
        let pieces = generate(&isa, &code)?;
        let program = Program::new(&code, pieces.bytes())?;
        let linked = pieces.link(&isa, program.bytes)?;
        write_perf_map(&code, &pieces, &linked.addresses);
        let mut image = Memory::new(program.bytes);
        tables(&plan, &mut image);
        if classes.is_none() {
            start(&plan, &program, options.seed, &mut image);
        }
        Ok((Self { program, module: linked.module, image }, pieces))
    }

    /// The state at the beginning: everything has to be evaluated.
    pub fn state(&self) -> Memory {
        let mut state = self.image.clone();
        all_dirty(&self.program, &mut state);
        state
    }
}

/// Writes the constants and tables of a plan into a state.
fn tables(plan: &Plan, state: &mut Memory) {
    for (&node, &slot) in &plan.layout.constants {
        if let Some(value) = plan.graph.as_const(node) {
            state.put(slot, value.width(), value);
        }
    }
    for (table, &base) in plan.graph.tables.iter().zip(&plan.layout.tables) {
        for (w, value) in table.words.iter().chain([&table.default]).enumerate() {
            state.put_word(base, table.width, w as u32, value);
        }
    }
}

/// Writes the start values of registers and memories into a state.
fn start(plan: &Plan, program: &Program, seed: u64, state: &mut Memory) {
    for (r, slots) in plan.graph.registers.iter().zip(&program.registers) {
        let value = start_value(&r.start, r.width, &r.name, seed);
        for slot in [slots.current, slots.next].into_iter().flatten() {
            state.put(slot, r.width, &value);
        }
    }
    for (memory, place) in plan.graph.memories.iter().zip(&program.memories) {
        for (w, value) in start_memory(memory, seed).iter().enumerate() {
            state.put_word(place.base, place.width, w as u32, value);
        }
    }
}

pub(super) fn all_dirty(program: &Program, state: &mut Memory) {
    for w in 0..program.dirty_words {
        state.set_word(program.dirty.word(w), u64::MAX);
    }
}
