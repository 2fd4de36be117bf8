//! The shader binary: an ELF32 little-endian file.
//!
//! What and why: ELF so that `readelf`, `objcopy` and the like can look into it. No segments and no
//! relocations: the host reads `.text` into memory at any multiple of 16 and branch targets are
//! instruction indices. `e_machine` is [`MACHINE`], a number the ELF registry has not assigned. It
//! can be wrong by writing something `read` does not give back (a test compares), and by `read`
//! trusting a damaged file (a test flips and cuts bytes; every length is checked before it is
//! used).
//!
//! | section | content |
//! |---|---|
//! | `.text` | instructions, 8 bytes each, little endian; symbol addresses are byte offsets in it |
//! | `.quadlock.interface` | [`Interface`] as JSON, without its `constants` |
//! | `.quadlock.constants` | pairs of 32-bit words: constant-bank word number, value |
//! | `.quadlock.lines` | 32-bit words: format version (1), number of files, per file its name's length in bytes and the bytes; then number of instructions, and for each file, line, column |
//! | `.symtab`, `.strtab` | the entry point (global function) and the block labels (local) |

use crate::interface::Interface;
use crate::ssa::Loc;
use object::elf;
use object::read::elf::ElfFile32;
use object::read::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};
use object::Endianness;
use quadlock_isa::{decode, encode, Instr};

/// `e_machine` of a Quadlock binary ("QL"); not assigned in the ELF registry.
pub const MACHINE: u16 = 0x514C;

const LINES_VERSION: u32 = 1;
const INTERFACE: &str = ".quadlock.interface";
const CONSTANTS: &str = ".quadlock.constants";
const LINES: &str = ".quadlock.lines";

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

    /// The file as bytes.
    pub fn write(&self) -> Vec<u8> {
        let text: Vec<u8> = self.code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let constants = words(self.interface.constants.iter().flat_map(|&(w, v)| [w, v]));
        let lines = self.lines_section();
        let interface = Interface { constants: Vec::new(), ..self.interface.clone() };
        // An Interface holds strings and numbers only: it always has a JSON form.
        let interface = serde_json::to_vec_pretty(&interface).unwrap_or_default();
        let mut out = Vec::new();
        write_elf(self, &[(".text", text), (INTERFACE, interface), (CONSTANTS, constants), (LINES, lines)], &mut out);
        out
    }

    fn lines_section(&self) -> Vec<u8> {
        let mut out = words([LINES_VERSION, self.files.len() as u32]);
        for f in &self.files {
            out.extend((f.len() as u32).to_le_bytes());
            out.extend(f.as_bytes());
        }
        out.extend((self.lines.len() as u32).to_le_bytes());
        out.extend(words(self.lines.iter().flat_map(|l| [u32::from(l.file), l.line, l.col])));
        out
    }

    /// Reads what [`Self::write`] wrote. Any other bytes give an error.
    pub fn read(bytes: &[u8]) -> Result<ShaderBinary, BinaryError> {
        let elf = ElfFile32::<Endianness>::parse(bytes).map_err(|e| BinaryError::Elf(e.to_string()))?;
        let found = elf.elf_header().e_machine.get(elf.endian());
        if found != MACHINE {
            return Err(BinaryError::Machine { found });
        }
        let section = |name: &'static str| -> Result<&[u8], BinaryError> {
            let s = elf.section_by_name(name).ok_or(BinaryError::MissingSection(name))?;
            s.data().map_err(|e| damaged(name, e.to_string()))
        };
        let text = section(".text")?;
        if text.is_empty() || text.len() % 8 != 0 {
            return Err(damaged(".text", format!("{} bytes is not a number of instructions", text.len())));
        }
        let code: Vec<u64> =
            text.chunks_exact(8).map(|c| c.iter().rev().fold(0, |w, &b| w << 8 | u64::from(b))).collect();
        let mut interface: Interface =
            serde_json::from_slice(section(INTERFACE)?).map_err(|e| damaged(INTERFACE, e.to_string()))?;
        interface.constants = read_constants(section(CONSTANTS)?)?;
        let (files, lines) = read_lines(section(LINES)?, code.len())?;
        let mut labels = Vec::new();
        for s in elf.symbols().filter(|s| s.kind() == SymbolKind::Label || s.kind() == SymbolKind::Unknown) {
            let (Ok(name), pc) = (s.name(), s.address() / 8) else {
                return Err(damaged(".symtab", "a label has no readable name".into()));
            };
            if pc >= code.len() as u64 {
                return Err(damaged(".symtab", format!("label {name} is outside the program")));
            }
            labels.push((pc as u32, name.to_string()));
        }
        Ok(ShaderBinary { code, interface, lines, files, labels })
    }
}

fn words(w: impl IntoIterator<Item = u32>) -> Vec<u8> {
    w.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn damaged(section: &'static str, what: String) -> BinaryError {
    BinaryError::Damaged { section, what }
}

/// Takes little-endian words and byte strings off a section, never past its end.
struct Cursor<'a> {
    rest: &'a [u8],
    section: &'static str,
}

impl<'a> Cursor<'a> {
    fn bytes(&mut self, n: usize) -> Result<&'a [u8], BinaryError> {
        if n > self.rest.len() {
            return Err(damaged(self.section, format!("{n} bytes expected, {} left", self.rest.len())));
        }
        let (head, tail) = self.rest.split_at(n);
        self.rest = tail;
        Ok(head)
    }
    fn word(&mut self) -> Result<u32, BinaryError> {
        let b = self.bytes(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }
}

fn read_constants(data: &[u8]) -> Result<Vec<(u32, u32)>, BinaryError> {
    if data.len() % 8 != 0 {
        return Err(damaged(CONSTANTS, format!("{} bytes is not a number of pairs", data.len())));
    }
    let mut c = Cursor { rest: data, section: CONSTANTS };
    (0..data.len() / 8)
        .map(|_| {
            let (word, value) = (c.word()?, c.word()?);
            if word as usize >= quadlock_isa::abi::CONST_WORDS {
                return Err(damaged(CONSTANTS, format!("word {word} is outside the constant bank")));
            }
            Ok((word, value))
        })
        .collect()
}

fn read_lines(data: &[u8], instructions: usize) -> Result<(Vec<String>, Vec<Loc>), BinaryError> {
    let mut c = Cursor { rest: data, section: LINES };
    let version = c.word()?;
    if version != LINES_VERSION {
        return Err(damaged(LINES, format!("format version {version}, expected {LINES_VERSION}")));
    }
    let count = c.word()?;
    let mut files = Vec::new();
    for _ in 0..count {
        let len = c.word()? as usize;
        files.push(String::from_utf8_lossy(c.bytes(len)?).into_owned());
    }
    let n = c.word()? as usize;
    if n != instructions {
        return Err(damaged(LINES, format!("positions of {n} instructions, the program has {instructions}")));
    }
    let mut lines = Vec::new();
    for _ in 0..n {
        let (file, line, col) = (c.word()?, c.word()?, c.word()?);
        if line != 0 && file as usize >= files.len() {
            return Err(damaged(LINES, format!("file number {file} of {}", files.len())));
        }
        lines.push(Loc::at(file as u16, line, col));
    }
    Ok((files, lines))
}

fn write_elf(binary: &ShaderBinary, sections: &[(&'static str, Vec<u8>)], out: &mut Vec<u8>) {
    let mut w = Writer::new(Endianness::Little, false, out);
    w.reserve_file_header();
    w.reserve_null_section_index();
    let indices: Vec<_> = sections
        .iter()
        .map(|(name, data)| (w.add_section_name(name.as_bytes()), w.reserve_section_index(), w.reserve(data.len(), 8)))
        .collect();
    let text = indices[0].1;
    w.reserve_null_symbol_index();
    let labels: Vec<_> = binary.labels.iter().map(|(pc, name)| (*pc, w.add_string(name.as_bytes()))).collect();
    let entry = w.add_string(binary.interface.entry.as_bytes());
    for _ in 0..labels.len() + 1 {
        w.reserve_symbol_index(Some(text));
    }
    w.reserve_symtab_section_index();
    w.reserve_symtab();
    w.reserve_strtab_section_index();
    w.reserve_strtab();
    w.reserve_shstrtab_section_index();
    w.reserve_shstrtab();
    w.reserve_section_headers();

    let header =
        FileHeader { os_abi: 0, abi_version: 0, e_type: elf::ET_EXEC, e_machine: MACHINE, e_entry: 0, e_flags: 0 };
    // Writing to a vector fails only if memory cannot be had.
    let _ = w.write_file_header(&header);
    for (_, data) in sections {
        w.write_align(8);
        w.write(data);
    }
    let symbol = |name, info, value, size| Sym {
        name: Some(name),
        section: Some(text),
        st_info: info,
        st_other: elf::STV_DEFAULT,
        st_shndx: 0,
        st_value: value,
        st_size: size,
    };
    w.write_null_symbol();
    for &(pc, name) in &labels {
        w.write_symbol(&symbol(name, (elf::STB_LOCAL << 4) | elf::STT_NOTYPE, u64::from(pc) * 8, 0));
    }
    w.write_symbol(&symbol(entry, (elf::STB_GLOBAL << 4) | elf::STT_FUNC, 0, binary.code.len() as u64 * 8));
    w.write_strtab();
    w.write_shstrtab();
    w.write_null_section_header();
    for ((name, _, offset), (_, data)) in indices.iter().zip(sections) {
        let is_text = *offset == indices[0].2;
        w.write_section_header(&SectionHeader {
            name: Some(*name),
            sh_type: elf::SHT_PROGBITS,
            sh_flags: if is_text { u64::from(elf::SHF_ALLOC | elf::SHF_EXECINSTR) } else { 0 },
            sh_addr: 0,
            sh_offset: *offset as u64,
            sh_size: data.len() as u64,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: 8,
            sh_entsize: 0,
        });
    }
    w.write_symtab_section_header(labels.len() as u32 + 1);
    w.write_strtab_section_header();
    w.write_shstrtab_section_header();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::{Binding, BindingKind, SemaphoreUse, Stage};
    use rand::{Rng, SeedableRng};

    fn sample() -> ShaderBinary {
        ShaderBinary {
            code: vec![0x1234_5678_9ABC_DEF0, 0x50, 2],
            interface: Interface {
                stage: Stage::Compute,
                entry: "main".into(),
                group_size: [8, 4, 1],
                bindings: vec![Binding {
                    name: "data".into(),
                    group: 0,
                    binding: 1,
                    kind: BindingKind::StorageReadWrite,
                    index: 0,
                    min_bytes: 4,
                    stride: 4,
                    const_at: 0,
                    const_words: 0,
                    members: vec![],
                }],
                shared_bytes: 64,
                pinned: true,
                stack_bytes: 16,
                registers: 9,
                public_cutoff: 9,
                public_bitmap: 0,
                alone: 0,
                position: 0,
                merge_at: None,
                split_at: None,
                constants: vec![(72, 0xDEAD_BEEF), (73, 1)],
                function_unit: true,
                semaphores: SemaphoreUse {
                    polling: true,
                    locks: true,
                    dependencies: false,
                    loops: vec![1, 2],
                    done: Some(vec![2]),
                },
                warnings: vec!["a.wgsl:3:7: look out".into()],
                graphics: None,
                derived: None,
                specialisation: None,
                values: [("SIZE".to_string(), 16.into()), ("3".to_string(), true.into())].into(),
            },
            lines: vec![Loc::default(), Loc::at(0, 3, 7), Loc::at(1, 1, 1)],
            files: vec!["a.wgsl".into(), "b.glsl".into()],
            labels: vec![(0, "block0".into()), (2, "block1".into())],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(ShaderBinary::read(&sample().write()), Ok(sample()));
        assert_eq!(sample().position(1).as_deref(), Some("a.wgsl:3:7"));
        assert_eq!(sample().position(0), None);
    }

    #[test]
    fn another_machines_elf_is_refused_by_number() {
        let mut bytes = sample().write();
        bytes[18..20].copy_from_slice(&243u16.to_le_bytes());
        assert_eq!(ShaderBinary::read(&bytes), Err(BinaryError::Machine { found: 243 }));
    }

    /// Cut and damaged files give an error or a binary, never a panic.
    #[test]
    fn damaged_files_are_errors() {
        let good = sample().write();
        for n in 0..good.len() {
            let _ = ShaderBinary::read(&good[..n]);
        }
        assert!(ShaderBinary::read(&good[..good.len() / 2]).is_err());
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for _ in 0..4000 {
            let mut bytes = good.clone();
            for _ in 0..rng.random_range(1..4) {
                let at = rng.random_range(0..bytes.len());
                bytes[at] = rng.random();
            }
            let _ = ShaderBinary::read(&bytes);
        }
    }

    #[test]
    fn readelf_accepts_it() {
        let path = std::env::temp_dir().join(format!("quadlock-readelf-{}.elf", std::process::id()));
        std::fs::write(&path, sample().write()).unwrap();
        let run = std::process::Command::new("readelf").arg("-hSsW").arg(&path).output();
        let _ = std::fs::remove_file(&path);
        let Ok(run) = run else { return }; // no readelf on this machine
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && run.stderr.is_empty(), "{text}{}", String::from_utf8_lossy(&run.stderr));
        assert!(text.contains("ELF32") && text.contains(".quadlock.lines") && text.contains("block1"), "{text}");
    }
}
