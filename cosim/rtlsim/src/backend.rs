//! What runs a graph: the reference interpreter and the compiled engine behind one trait, so that
//! [`crate::Simulation`] and the tests treat them alike. A backend holds the state of one design
//! and knows nothing of names.
//!
//! Order of calls in a cycle: `set_input` ..., `settle`, reads (`peek`, `changes`), `commit` of the
//! clock domains that have an edge. Reads are of settled values: between `commit` and `settle`
//! registers are new and combinational values old. Where clocks are driven high and low the order
//! is `set_input` ..., then `evaluate` and `edges` in turn until there are none: so clocks and
//! asynchronous signals that have an edge together act together.

use crate::bits::Bits;
use crate::graph::{Edge, InputId, MemId, RegId, SignalId};

/// Rounds of edges after which signals count as oscillating. Real chains (ripple counters) are as
/// long as their counters are wide.
pub const ROUNDS: usize = 1000;

/// Contents of registers and memories, the inputs, and the levels that asynchronous edges are told
/// by. Fits only the graph and options it was taken from.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub(crate) words: Vec<u64>,
}

/// Runs a graph.
pub trait Backend {
    /// Distinct edges of the design, those of [`Graph::domains`](crate::graph::Graph::domains);
    /// [`Backend::commit`] takes indices of this list.
    fn domains(&self) -> &[Edge];

    /// Value of the clock of a domain, settled (0 or 1).
    fn clock(&self, domain: usize) -> bool;

    /// Sets an input of up to 64 bits; more is not changed at equal value.
    fn set_input(&mut self, input: InputId, value: u64);

    /// Sets an input of any width.
    fn set_input_wide(&mut self, input: InputId, value: &Bits);

    /// Computes every combinational value from inputs, registers and memories. Looks for no edge.
    fn evaluate(&mut self);

    /// [`Backend::evaluate`], and the asynchronous edges that follow (of resets, sets, loads) until
    /// there are none. `false`: there were still some after [`ROUNDS`] rounds.
    fn settle(&mut self) -> bool;

    /// The edges of one evaluated state, all from values before them: of these clock domains, and
    /// every asynchronous one since the last call. Were there any?
    fn edges(&mut self, clocks: &[usize]) -> bool;

    /// By domain: the level at the last look for asynchronous edges. At the start each is the
    /// inactive one, so that an active one is an edge, as from x.
    fn levels(&self) -> Vec<bool>;

    /// Takes over levels.
    fn set_levels(&mut self, levels: &[bool]);

    /// The edge of one domain: registers and memories take their new values, all from before the
    /// edge.
    fn commit(&mut self, domain: usize);

    /// Runs `cycles` whole cycles of a domain with inputs as they are (settle, commit, ... and no
    /// final settle). The default calls the others. `false`, and an end, when something does not
    /// come to rest.
    fn run(&mut self, domain: usize, cycles: u64) -> bool {
        (0..cycles).all(|_| {
            let rests = self.settle();
            self.commit(domain);
            rests
        })
    }

    /// Settled value of a signal that is not a memory. `&mut`: values that are not kept are
    /// computed now.
    fn peek(&mut self, signal: SignalId) -> Bits;

    /// The same, low 64 bits.
    fn peek_u64(&mut self, signal: SignalId) -> u64 {
        self.peek(signal).to_u64()
    }

    /// [`Backend::peek_u64`] of many signals in one call; `out` is as long as `signals`.
    fn peek_many(&mut self, signals: &[SignalId], out: &mut [u64]) {
        for (value, &signal) in out.iter_mut().zip(signals) {
            *value = self.peek_u64(signal);
        }
    }

    /// A word of a memory.
    fn peek_memory(&self, memory: MemId, word: u32) -> Bits;

    /// Overwrites a word of a memory.
    fn poke_memory(&mut self, memory: MemId, word: u32, value: &Bits);

    /// Overwrites a register; combinational values follow at the next settle.
    fn poke_register(&mut self, register: RegId, value: &Bits);

    /// Registers, memories and inputs.
    fn save(&self) -> State;

    /// Puts a saved state back; values are settled by the next `settle`.
    fn load(&mut self, state: &State);

    /// Signals that [`Backend::changes`] can report: one for each distinct node that a trace was
    /// asked for. Empty when compiled without tracing.
    fn observed(&self) -> &[SignalId];

    /// Calls `f(i)` for each `observed()[i]` that may have changed at a `settle` since the last
    /// call; the first call reports all.
    fn changes(&mut self, f: &mut dyn FnMut(usize));

    /// Value of `observed()[i]`, least significant limb first, into `limbs`.
    fn observe(&mut self, i: usize, limbs: &mut Vec<u64>);

    /// What a trace is written from: for each signal that [`Backend::changes`] would report,
    /// appends its index and its limbs (as [`Backend::observe`]). Worth overriding: it runs every
    /// cycle of a traced simulation.
    fn drain_changes(&mut self, out: &mut Vec<u64>) {
        let (mut changed, mut limbs) = (Vec::new(), Vec::new());
        self.changes(&mut |i| changed.push(i));
        for i in changed {
            self.observe(i, &mut limbs);
            out.push(i as u64);
            out.extend_from_slice(&limbs);
        }
    }

    /// Figures of the backend (name, value): regions evaluated, bytes of code, ...
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
