//! What is cross-checked of a block: its inputs, and every output, register and memory by the one
//! name that all engines know. The list is made from the Rust structs; [`Subject::covers`] compares
//! it with what the Verilog has, in both directions, so a register that one side lacks or that
//! nobody compares is an error and not a silence. It can be wrong if a name means different things
//! to two engines, which would show as a difference.

use std::collections::BTreeSet;

use quadlock_hdl::base::drive::{Item, Storage};
use quadlock_hdl::base::like::did_you_mean;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{make, TOPS};
use quadlock_rtlsim::graph::{Op, Value};
use quadlock_rtlsim::Design;

use crate::engine::cache;

/// Memories are compared every so many cycles and after the last one; outputs and registers in
/// every cycle.
pub const MEMORY_EVERY: u64 = 256;

/// Multiplier of the checksum: 2^64 / golden ratio.
pub const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// The clock port of every block that has one.
pub const CLOCK: &str = "clock";

/// Enters words into a checksum. A single difference always changes it: every step is a bijection
/// of the state.
pub fn fold(sum: u64, words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(sum, |s, w| (s.rotate_left(32) ^ w).wrapping_mul(MIX))
}

/// A block to check.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Block of the export table.
    pub name: String,
    pub config: GpuConfig,
    /// Input ports but the clock.
    pub inputs: Vec<Item>,
    pub clocked: bool,
    /// What is compared in every cycle: outputs, then registers.
    pub signals: Vec<Item>,
    /// How many of `signals` are outputs.
    pub outputs: usize,
    pub memories: Vec<Storage>,
    /// Length of each run of `signals` that makes one word of 64 bits or fewer.
    packs: Vec<usize>,
    /// Of all signals and all words of memory of the Rust structs, those that the Verilog has too;
    /// none if it has all. With `trace=off` it leaves some out.
    pub present: Option<(Vec<bool>, Vec<bool>)>,
}

impl Subject {
    /// The block of that name.
    ///
    /// # Errors
    /// There is no such block, or a parameter is out of range.
    pub fn new(name: &str, config: &GpuConfig) -> Result<Self, String> {
        config.check()?;
        let like = || did_you_mean(name, TOPS.iter().map(|t| t.0));
        let block = make(name, config).ok_or_else(|| format!("no block is called `{name}`{}", like()))?;
        let mut inputs = block.inputs();
        let all = inputs.len();
        inputs.retain(|i| i.name != CLOCK);
        let clocked = inputs.len() < all;
        let mut signals = block.outputs();
        let outputs = signals.len();
        let contents = block.contents();
        signals.extend(contents.registers);
        let packs = packs(&signals);
        let memories = contents.memories;
        let config = config.clone();
        let mut subject =
            Self { name: name.into(), config, inputs, clocked, signals, outputs, memories, packs, present: None };
        if !subject.config.trace {
            subject.leave_out_events()?;
        }
        Ok(subject)
    }

    /// Takes out what the Verilog without event ports does not have. That nothing else is missing
    /// is seen in the outputs that are left.
    fn leave_out_events(&mut self) -> Result<(), String> {
        let design = cache::design(&self.name, &self.config).map_err(|e| format!("{}: rtlsim: {e}", self.name))?;
        let signals: Vec<bool> = self.signals.iter().map(|s| design.find(&s.name).is_ok()).collect();
        let has = |m: &Storage| design.find(&m.name).is_ok();
        let words = self.memories.iter().flat_map(|m| std::iter::repeat_n(has(m), m.depth)).collect();
        self.outputs = signals[..self.outputs].iter().filter(|&&present| present).count();
        let mut present = signals.iter();
        self.signals.retain(|_| present.next().is_some_and(|&p| p));
        self.memories.retain(has);
        self.packs = packs(&self.signals);
        self.present = Some((signals, words));
        Ok(())
    }

    /// The signals of each word of [`Subject::pack`].
    pub fn packed(&self) -> impl Iterator<Item = &[Item]> {
        let mut rest = self.signals.as_slice();
        self.packs.iter().map(move |&n| {
            let (pack, more) = rest.split_at(n);
            rest = more;
            pack
        })
    }

    /// Values of the signals as words, the first signal of a word uppermost.
    pub fn pack<'a>(&'a self, values: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let mut at = 0;
        self.packed().map(move |pack| {
            let word = pack.iter().zip(&values[at..]).fold(0, |w: u64, (item, v)| shifted(w, item.width) | v);
            at += pack.len();
            word
        })
    }

    /// Values of the signals from words.
    pub fn unpack(&self, words: &[Option<u64>]) -> Vec<Option<u64>> {
        let mut values = Vec::with_capacity(self.signals.len());
        for (pack, word) in self.packed().zip(words) {
            let mut below: usize = pack.iter().map(|i| i.width).sum();
            for item in pack {
                below -= item.width;
                values.push(word.map(|w| w >> below & u64::MAX >> (64 - item.width)));
            }
        }
        values
    }

    /// Words of [`Subject::pack`].
    pub fn words(&self) -> usize {
        self.packs.len()
    }

    /// Words of all memories.
    pub fn memory_words(&self) -> usize {
        self.memories.iter().map(|m| m.depth).sum()
    }

    /// Whether memories are compared in that cycle of a run.
    pub fn memory_cycle(&self, cycle: u64, cycles: u64) -> bool {
        !self.memories.is_empty() && (cycle % MEMORY_EVERY == MEMORY_EVERY - 1 || cycle + 1 == cycles)
    }

    /// Name of value `i` of signals, then memory words.
    pub fn value_name(&self, i: usize) -> String {
        if let Some(item) = self.signals.get(i) {
            return item.name.clone();
        }
        let mut word = i - self.signals.len();
        for m in &self.memories {
            if word < m.depth {
                return format!("{}[{word}]", m.name);
            }
            word -= m.depth;
        }
        format!("value {i}")
    }

    /// Tests that every register and memory of the Verilog is in the lists and the other way round,
    /// with its width.
    ///
    /// # Errors
    /// The names that only one side has.
    pub fn covers(&self, design: &Design) -> Result<(), String> {
        let graph = design.graph();
        let mut registers: BTreeSet<usize> = (0..graph.registers.len()).collect();
        let mut memories: BTreeSet<usize> = (0..graph.memories.len()).collect();
        let mut wrong = Vec::new();
        for item in &self.signals {
            match design.find(&item.name) {
                Err(e) => wrong.push(format!("only in rust-hdl: {} ({e})", item.name)),
                Ok(found) if found.width() as usize != item.width => {
                    wrong.push(format!(
                        "{}: {} bits in rust-hdl, {} in the Verilog",
                        item.name,
                        item.width,
                        found.width()
                    ));
                }
                Ok(found) => {
                    if let Value::Node(node) = graph.signals[found.id().index()].value {
                        if let Op::Reg(r) = graph.node(node).op {
                            registers.remove(&r.index());
                        }
                    }
                }
            }
        }
        for storage in &self.memories {
            match design.find(&storage.name) {
                Ok(found) if found.depth() == Some(storage.depth as u32) => {
                    if let Value::Memory(m) = graph.signals[found.id().index()].value {
                        memories.remove(&m.index());
                    }
                }
                other => wrong
                    .push(format!("{}: no memory of {} words in the Verilog ({other:?})", storage.name, storage.depth)),
            }
        }
        wrong.extend(registers.iter().map(|&r| format!("only in the Verilog: register {}", graph.registers[r].name)));
        wrong.extend(memories.iter().map(|&m| format!("only in the Verilog: memory {}", graph.memories[m].name)));
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!("{}: {} names do not match: {}", self.name, wrong.len(), wrong.join("; ")))
    }
}

fn shifted(word: u64, by: usize) -> u64 {
    word.checked_shl(by as u32).unwrap_or(0)
}

fn packs(signals: &[Item]) -> Vec<usize> {
    let mut packs = Vec::new();
    let mut bits = usize::MAX;
    for item in signals {
        bits = bits.saturating_add(item.width);
        match packs.last_mut() {
            Some(n) if bits <= 64 => *n += 1,
            _ => {
                packs.push(1);
                bits = item.width;
            }
        }
    }
    packs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_the_signals_in_order() {
        let item = |name: &str, width| Item { name: name.into(), width, states: None };
        let mut subject = Subject::new("compare", &GpuConfig::default()).unwrap();
        subject.signals = vec![item("a", 1), item("b", 63), item("c", 1), item("d", 64), item("e", 3), item("f", 4)];
        subject.packs = packs(&subject.signals);
        assert_eq!(subject.packs, [2, 1, 1, 2]);
        let values = [1, 5, 1, u64::MAX, 3, 9];
        let words: Vec<u64> = subject.pack(&values).collect();
        assert_eq!(words, [1 << 63 | 5, 1, u64::MAX, 3 << 4 | 9]);
        let back = subject.unpack(&words.iter().map(|&w| Some(w)).collect::<Vec<_>>());
        assert_eq!(back, values.map(Some));
    }

    #[test]
    fn the_checksum_sees_order_and_every_bit() {
        let base = fold(0, [1, 2, 3]);
        assert_ne!(fold(0, [2, 1, 3]), base);
        for bit in 0..64 {
            assert_ne!(fold(0, [1, 2 ^ 1 << bit, 3]), base);
        }
    }
}
