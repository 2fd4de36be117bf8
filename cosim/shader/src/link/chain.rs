//! Programs that feed each other: which there are, and which gives whose inputs.
//!
//! The chain knows no stages. A program has inputs by word number, outputs by word number, and
//! some outputs that fixed function reads, which nobody removes; an edge says that one program's
//! inputs are another's outputs, under the same numbers. One program may feed several. Wrong would
//! be an edge that is forgotten: an output would seem to be unread.

use std::collections::{BTreeMap, BTreeSet};

use super::uniform::{Table, Word};
use crate::interface::Numbers;
use crate::passes;
use crate::passes::pipeline::Statistics;
use crate::ssa::{Func, How, Kind, Loc, Role, Value};

/// A program of a chain.
#[derive(Clone, Debug)]
pub struct Program {
    /// For people: `vertex`, `fragment`.
    pub name: String,
    /// Its entry function, everything inlined.
    pub func: Func,
    /// Names of its source files.
    pub files: Vec<String>,
    /// Outputs that somebody outside of the chain reads: those below this number.
    pub fixed: u32,
    /// Its output by which fixed function divides what is interpolated in perspective, if one is.
    pub w: Option<u32>,
    /// Names of its outputs, by word.
    pub names: BTreeMap<u32, String>,
    /// What their bits are, where that is known.
    pub numbers: BTreeMap<u32, Numbers>,
    /// Where its source gives outputs, by word ([`given`]).
    pub given: BTreeMap<u32, Loc>,
    /// The attributes that it may fetch.
    pub attributes: Vec<AttributeAt>,
    /// Its uniform buffers in the constant bank.
    pub uniforms: Vec<UniformWords>,
    /// Words of the bank behind those.
    pub spare: u32,
    /// The same buffers in memory.
    pub buffers: Vec<UniformBuffer>,
    /// How it is optimised.
    pub passes: passes::Options,
    /// What the passes did.
    pub statistics: Statistics,
}

/// An attribute in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeAt {
    /// For people.
    pub name: String,
    /// The constant word with the address of its vertex buffer.
    pub base: u32,
    /// Its bytes of an element.
    pub bytes: std::ops::Range<i32>,
}

/// Words of a uniform buffer in the constant bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformWords {
    /// First constant word.
    pub at: u32,
    /// How many.
    pub words: u32,
    /// Group and binding.
    pub buffer: (u32, u32),
}

impl UniformWords {
    /// What a constant word holds.
    pub fn word(&self, at: u32) -> Option<Word> {
        let word = at.checked_sub(self.at).filter(|w| *w < self.words)?;
        Some((self.buffer.0, self.buffer.1, word))
    }
    /// The constant word that holds a word of a buffer.
    pub fn place(&self, (group, binding, word): Word) -> Option<u32> {
        ((group, binding) == self.buffer && word < self.words).then_some(self.at + word)
    }
}

/// A uniform buffer in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniformBuffer {
    /// The constant word with its address.
    pub base: u32,
    /// Bytes that it has at least.
    pub bytes: u32,
    /// Group and binding.
    pub buffer: (u32, u32),
}

impl UniformBuffer {
    /// Byte offset of a word.
    pub fn offset(&self, (group, binding, word): Word) -> Option<i32> {
        let inside = (group, binding) == self.buffer && word < self.bytes / 4;
        i32::try_from(word).ok().filter(|_| inside)?.checked_mul(4)
    }
    /// The word at a byte offset.
    pub fn word(&self, offset: i32) -> Option<Word> {
        let offset = u32::try_from(offset).ok().filter(|o| o % 4 == 0 && *o / 4 < self.bytes / 4)?;
        Some((self.buffer.0, self.buffer.1, offset / 4))
    }
}

/// One program's outputs are another one's inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Gives.
    pub from: usize,
    /// Takes.
    pub to: usize,
}

/// Programs, and who feeds whom: a forest, as each program has one that feeds it at most.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// Programs.
    pub programs: Vec<Program>,
    /// Who feeds whom.
    pub edges: Vec<Edge>,
    /// Expressions of uniforms.
    pub uniforms: Table,
}

impl Program {
    /// A place of its source, for people.
    pub fn place(&self, loc: Loc) -> String {
        let file = self.files.get(usize::from(loc.file)).map_or("?", String::as_str);
        match (loc.line, loc.col) {
            (0, 0) => file.into(),
            (0, word) => format!("{file}: word {word}"),
            (line, col) => format!("{file}:{line}:{col}"),
        }
    }

    /// The inputs that it reads, each with a place where it does.
    pub fn inputs(&self) -> BTreeMap<(u32, How), Loc> {
        let mut out = BTreeMap::new();
        for inst in self.insts() {
            if let Kind::Input { word, how } = inst.kind {
                out.entry((word, how)).or_insert(inst.loc);
            }
        }
        out
    }

    /// The words that it reads of its inputs.
    pub fn input_words(&self) -> BTreeSet<u32> {
        self.inputs().keys().map(|k| k.0).collect()
    }

    /// The outputs that it gives, each with the place that computes it, or else that gives it. A
    /// copy of an input computes nothing.
    pub fn outputs(&self) -> BTreeMap<u32, Loc> {
        let work = self.insts().filter(|i| i.loc.role == Role::Work && i.loc.line > 0);
        let made: BTreeMap<Value, Loc> = work.flat_map(|i| i.results.iter().map(|r| (*r, i.loc))).collect();
        let outputs = self.insts().filter_map(|i| match i.kind {
            Kind::Output { word, value } => {
                let given = made.get(&value).or_else(|| self.given.get(&word)).copied();
                Some((word, given.unwrap_or(i.loc)))
            }
            _ => None,
        });
        outputs.collect()
    }

    /// All instructions, in order of the layout.
    pub fn insts(&self) -> impl Iterator<Item = &crate::ssa::Inst> {
        self.func.layout.iter().flat_map(|b| &self.func.blocks[b.index()].insts)
    }

    /// The name of an output word.
    pub fn output_name(&self, word: u32) -> String {
        self.names.get(&word).cloned().unwrap_or_else(|| format!("word {word}"))
    }
}

/// Where a source gives outputs, by word: the last store to the variable that an output is. Passes
/// take such variables away, so this is asked before them. What is stored elsewhere is left out.
pub fn given(func: &Func) -> BTreeMap<u32, Loc> {
    let insts = || func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
    let (mut stored, mut loaded) = (BTreeMap::new(), BTreeMap::new());
    for inst in insts() {
        match inst.kind {
            Kind::SlotStore { slot, word, .. } if (inst.loc.line, inst.loc.col) != (0, 0) => {
                stored.insert((slot, word), inst.loc);
            }
            Kind::SlotLoad { slot, word } => {
                loaded.extend(inst.results.first().map(|r| (*r, (slot, word))));
            }
            _ => {}
        }
    }
    let given = insts().filter_map(|i| match i.kind {
        Kind::Output { word, value } => Some((word, *stored.get(loaded.get(&value)?)?)),
        _ => None,
    });
    given.collect()
}

impl Chain {
    /// The programs that a program feeds.
    pub fn readers(&self, from: usize) -> Vec<usize> {
        self.edges.iter().filter(|e| e.from == from).map(|e| e.to).collect()
    }

    /// The program that feeds one.
    pub fn feeder(&self, to: usize) -> Option<usize> {
        self.edges.iter().find(|e| e.to == to).map(|e| e.from)
    }

    /// All programs, each behind those that it feeds; of a circle the rest is left out.
    pub fn downstream_first(&self) -> Vec<usize> {
        let mut order: Vec<usize> = vec![];
        loop {
            let ready = (0..self.programs.len())
                .find(|p| !order.contains(p) && self.readers(*p).iter().all(|r| order.contains(r)));
            match ready {
                Some(p) => order.push(p),
                None => return order,
            }
        }
    }

    /// Whether somebody reads that output, or fixed function does.
    pub fn is_read(&self, program: usize, word: u32) -> bool {
        let readers = self.readers(program);
        word < self.programs[program].fixed
            || readers.is_empty()
            || readers.iter().any(|r| self.programs[*r].input_words().contains(&word))
    }
}
