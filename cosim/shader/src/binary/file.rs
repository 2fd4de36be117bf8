//! What a shader binary holds, and why a file may be none. Wrong if an extent of
//! [`ShaderBinary::functions`] is not what the machine runs: a test compares them with compiled
//! programs.

use crate::interface::Interface;
use crate::ssa::Loc;
use quadlock_isa::{decode, encode, Instr};
use std::ops::Range;

/// `e_machine` of a Quadlock binary ("QL"); not assigned in the ELF registry.
pub const MACHINE: u16 = 0x514C;

/// A compiled program with everything a host or a debugger wants to know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShaderBinary {
    /// Instruction words; the program counter is an index into them.
    pub code: Vec<u64>,
    /// What the host needs to know.
    pub interface: Interface,
    /// Source position of each instruction; `file` indexes `files`.
    pub lines: Vec<Loc>,
    /// Names of the source files that `lines` refers to.
    pub files: Vec<String>,
    /// (instruction index, name) of every block, in order of index. The entry point itself is not
    /// among them.
    pub labels: Vec<(u32, String)>,
}

/// Why a file is not a Quadlock binary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum BinaryError {
    #[error("not an ELF file that can be read: {0}")]
    Elf(String),
    #[error("ELF machine number is {found:#06x}, a Quadlock binary has {MACHINE:#06x}; compile the shader with `quadlock compile`")]
    Machine { found: u16 },
    #[error("section {0} is missing; compile the shader again with `quadlock compile`")]
    MissingSection(&'static str),
    #[error("section {section} is damaged: {what}")]
    Damaged { section: &'static str, what: String },
}

/// An instruction of a program that stands `first` instructions further on.
pub(crate) fn moved(word: u64, first: u32) -> u64 {
    match decode(word) {
        Ok(i) if i.op.is_branch() => encode(&Instr { imm: i.imm.wrapping_add(first) & 0xFFFF, ..i }),
        _ => word,
    }
}

impl ShaderBinary {
    /// It has a merge point, of any form (MS-10).
    pub fn merges(&self) -> bool {
        self.interface.merges(&self.code)
    }

    /// It has a split point, of any form (MS-40).
    pub fn splits(&self) -> bool {
        self.interface.splits(&self.code)
    }

    /// The instructions as they stand from instruction `first` on of a larger piece of code.
    pub fn code_at(&self, first: u32) -> Vec<u64> {
        self.code.iter().map(|&word| moved(word, first)).collect()
    }

    /// The source position of an instruction, as "file:line:column"; `None` if it is unknown.
    pub fn position(&self, pc: usize) -> Option<String> {
        let loc = self.lines.get(pc).filter(|l| l.line != 0)?;
        Some(format!("{}:{}:{}", self.files.get(loc.file as usize)?, loc.line, loc.col))
    }

    /// The programs in the code, by the name of their symbol, in order: that of the entry point,
    /// and behind it those that begin where the interface says.
    pub fn functions(&self) -> Vec<(String, Range<u32>)> {
        let (entry, end) = (&self.interface.entry, self.code.len() as u32);
        let parts = [("alone", self.interface.alone), ("position", self.interface.position)];
        let mut starts = vec![(entry.clone(), 0)];
        let inside = parts.into_iter().filter(|(_, first)| (1..end).contains(first));
        starts.extend(inside.map(|(part, first)| (format!("{entry}.{part}"), first)));
        starts.sort_by_key(|f| f.1);
        let ends: Vec<u32> = starts.iter().skip(1).map(|f| f.1).chain([end]).collect();
        starts.into_iter().zip(ends).map(|((name, first), end)| (name, first..end)).collect()
    }
}
