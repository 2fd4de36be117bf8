//! A block of whatever type, driven and observed by name: input ports set, output ports, registers
//! and memories read, all as words. The cross-check of the engines needs it, because rust-hdl's own
//! `Probe` reads values as text and cannot set an input. `#[derive(QuietBlock)]` writes the
//! implementation from the block's fields. A block can be observed wrongly only if a register is no
//! field of it, and then it is missing in the Verilog too; the names are those of the exported
//! Verilog, and whoever compares the two finds a name that only one side has.

use quadlock_hdl_text::verilog_name;
use rust_hdl::prelude::*;

/// A type of signals as a word: what the wires of the Verilog carry. An enumeration of states
/// derives it: `#[derive(StateWord)]`.
pub trait Word: Synth {
    /// The value.
    fn word(self) -> u64;
    /// The value of a word; bits over the width are dropped, a word that is no state is the default
    /// state.
    fn from_word(word: u64) -> Self;
    /// Number of values that the type has, if that is not two to the number of bits.
    const STATES: Option<u64> = None;
}

impl Word for bool {
    fn word(self) -> u64 {
        self.into()
    }
    fn from_word(word: u64) -> Self {
        word & 1 == 1
    }
}

impl Word for Clock {
    fn word(self) -> u64 {
        self.clk.into()
    }
    fn from_word(word: u64) -> Self {
        (word & 1 == 1).into()
    }
}

impl<const N: usize> Word for Bits<N> {
    fn word(self) -> u64 {
        self.to_u64()
    }
    fn from_word(word: u64) -> Self {
        assert!(N <= 64, "no signal of the design is wider than a word of 64 bits");
        (word & u64::MAX >> (64 - N)).into()
    }
}

/// A port or register: its name in the exported Verilog (dots between instances) and its width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Name; of a port within the block, of a register with its path from the block down.
    pub name: String,
    /// Bits.
    pub width: usize,
    /// Number of values it may have, if not all; see [`Word::STATES`].
    pub states: Option<u64>,
}

impl Item {
    /// The item of a signal of type `T` below `path`.
    pub fn of<T: Word>(path: &str, name: &str) -> Self {
        Self { name: join(path, name), width: T::BITS, states: T::STATES }
    }
}

/// A memory: its name in the exported Verilog and its number of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Path of the array from the block down.
    pub name: String,
    /// Words.
    pub depth: usize,
}

/// What a block has inside, in the order of [`Block::accept`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Registers, with name and width in bits.
    pub registers: Vec<Item>,
    /// Memories, with name, width and depth.
    pub memories: Vec<Storage>,
}

/// A block that can be driven and observed without knowing its type.
pub trait Drive: Block {
    /// Input ports, the clock among them, in the order of [`Drive::set_inputs`].
    fn inputs(&self) -> Vec<Item>;
    /// Gives every input port a value, in effect from the next pass.
    fn set_inputs(&mut self, values: &mut dyn Iterator<Item = u64>);
    /// Output ports, in the order of [`Drive::read_outputs`].
    fn outputs(&self) -> Vec<Item>;
    /// Appends the value of every output port.
    fn read_outputs(&self, values: &mut Vec<u64>);
    /// Every register and memory in it.
    fn contents(&self) -> Contents;
    /// Appends the value of every register.
    fn read_registers(&self, values: &mut Vec<u64>);
    /// Appends every word of every memory.
    fn read_memories(&self, values: &mut Vec<u64>);
}

/// Whatever block it is: the block in the box.
impl Logic for Box<dyn Drive> {
    fn update(&mut self) {
        (**self).update();
    }
    fn connect(&mut self) {
        (**self).connect();
    }
    fn hdl(&self) -> Verilog {
        (**self).hdl()
    }
    fn timing(&self) -> Vec<TimingInfo> {
        (**self).timing()
    }
}

impl Block for Box<dyn Drive> {
    fn connect_all(&mut self) {
        (**self).connect_all();
    }
    fn update_all(&mut self) {
        (**self).update_all();
    }
    fn has_changed(&self) -> bool {
        (**self).has_changed()
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        (**self).accept(name, probe);
    }
}

/// `path.name` with the Verilog's name.
pub fn join(path: &str, name: &str) -> String {
    let name = verilog_name(name).into_owned();
    if path.is_empty() {
        name
    } else {
        format!("{path}.{name}")
    }
}

/// State of a leaf cell: a registered output port or an array of words.
pub trait State {
    /// Adds its register or memory to the contents; `path` is that of the block, `name` the cell's
    /// in it.
    fn describe(&self, path: &str, name: &str, contents: &mut Contents);
    /// Appends the value of its register, if it is one; in the order of [`State::describe`].
    fn read_registers(&self, values: &mut Vec<u64>);
    /// Appends its words, if it is a memory, from word 0 on.
    fn read_memories(&self, values: &mut Vec<u64>);
}

impl<T: Word> State for Signal<Out, T> {
    fn describe(&self, path: &str, name: &str, contents: &mut Contents) {
        contents.registers.push(Item::of::<T>(path, name));
    }
    fn read_registers(&self, values: &mut Vec<u64>) {
        values.push(self.val().word());
    }
    fn read_memories(&self, _: &mut Vec<u64>) {}
}

/// The array of a RAM is called `mem` in the Verilog.
impl State for Box<[u32]> {
    fn describe(&self, path: &str, _: &str, contents: &mut Contents) {
        contents.memories.push(Storage { name: join(path, "mem"), depth: self.len() });
    }
    fn read_registers(&self, _: &mut Vec<u64>) {}
    fn read_memories(&self, values: &mut Vec<u64>) {
        values.extend(self.iter().map(|&w| u64::from(w)));
    }
}

impl State for Box<[u64]> {
    fn describe(&self, path: &str, _: &str, contents: &mut Contents) {
        contents.memories.push(Storage { name: join(path, "mem"), depth: self.len() });
    }
    fn read_registers(&self, _: &mut Vec<u64>) {}
    fn read_memories(&self, values: &mut Vec<u64>) {
        values.extend(self.iter());
    }
}

impl<const N: usize> State for [Bits<32>; N] {
    fn describe(&self, path: &str, _: &str, contents: &mut Contents) {
        contents.memories.push(Storage { name: join(path, "mem"), depth: N });
    }
    fn read_registers(&self, _: &mut Vec<u64>) {}
    fn read_memories(&self, values: &mut Vec<u64>) {
        values.extend(self.iter().map(|w| w.word()));
    }
}
