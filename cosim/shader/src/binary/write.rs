//! From a [`ShaderBinary`] to the bytes of an ELF file. Wrong if a tool that reads ELF complains:
//! `tests/binary.rs` asks `readelf`, `objdump` and `llvm-dwarfdump`.

use super::dwarf;
use super::file::{ShaderBinary, MACHINE};
use super::parts::{self, CONSTANTS, TEXT};
use crate::interface::Interface;
use object::elf;
use object::write::elf::{FileHeader, SectionHeader, Sym, Writer};
use object::Endianness;
use serde_json::Value;

/// A section's name and content.
type Section = (&'static str, Vec<u8>);

/// A symbol of the code, with its address and size in bytes.
struct Symbol {
    name: Vec<u8>,
    info: u8,
    value: u64,
    size: u64,
}

impl ShaderBinary {
    /// The file as bytes.
    pub fn write(&self) -> Vec<u8> {
        let interface = Interface { constants: Vec::new(), ..self.interface.clone() };
        // An Interface holds strings and numbers only: it always has a JSON form.
        self.bytes(serde_json::to_value(&interface).unwrap_or_default())
    }

    /// The file with that interface, which may have parts that [`Interface`] does not know.
    pub(super) fn bytes(&self, interface: Value) -> Vec<u8> {
        let text: Vec<u8> = self.code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let constants = self.interface.constants.iter().flat_map(|&(w, v)| [w, v]).flat_map(u32::to_le_bytes);
        let mut sections = vec![(TEXT, text)];
        sections.extend(parts::take(interface));
        sections.push((CONSTANTS, constants.collect()));
        sections.extend(dwarf::write(self));
        let mut out = Vec::new();
        write_elf(&sections, &labels(self), &functions(self), &mut out);
        out
    }
}

/// Blocks: each ends where the next one, or its function, does.
fn labels(binary: &ShaderBinary) -> Vec<Symbol> {
    let functions = binary.functions().into_iter().map(|f| f.1.end);
    let mut ends: Vec<u32> = binary.labels.iter().map(|l| l.0).chain(functions).collect();
    ends.sort_unstable();
    let info = (elf::STB_LOCAL << 4) | elf::STT_NOTYPE;
    let symbol = |(pc, name): &(u32, String)| {
        let end = ends.get(ends.partition_point(|end| end <= pc)).unwrap_or(pc);
        let (value, size) = (u64::from(*pc) * 8, u64::from(end - pc) * 8);
        Symbol { name: dwarf::name(name), info, value, size }
    };
    binary.labels.iter().map(symbol).collect()
}

fn functions(binary: &ShaderBinary) -> Vec<Symbol> {
    let info = (elf::STB_GLOBAL << 4) | elf::STT_FUNC;
    let symbol = |(name, extent): (String, std::ops::Range<u32>)| {
        let (value, size) = (u64::from(extent.start) * 8, extent.len() as u64 * 8);
        Symbol { name: dwarf::name(&name), info, value, size }
    };
    binary.functions().into_iter().map(symbol).collect()
}

/// The header of a section at an offset of the file.
fn header(&(name, ref data): &Section, offset: usize) -> SectionHeader {
    // Strings of debug sections are a kind of their own, so that tools can print them.
    let (flags, entsize) = match name {
        TEXT => (elf::SHF_ALLOC | elf::SHF_EXECINSTR, 0),
        ".debug_str" => (elf::SHF_MERGE | elf::SHF_STRINGS, 1),
        _ => (0, 0),
    };
    SectionHeader {
        name: None,
        sh_type: elf::SHT_PROGBITS,
        sh_flags: flags.into(),
        sh_addr: 0,
        sh_offset: offset as u64,
        sh_size: data.len() as u64,
        sh_link: 0,
        sh_info: 0,
        sh_addralign: alignment(name) as u64,
        sh_entsize: entsize,
    }
}

fn alignment(section: &str) -> usize {
    match section {
        TEXT => 8,
        CONSTANTS => 4,
        _ => 1,
    }
}

/// The first section is the code, of which the symbols are.
fn write_elf(sections: &[Section], locals: &[Symbol], globals: &[Symbol], out: &mut Vec<u8>) {
    let mut w = Writer::new(Endianness::Little, false, out);
    w.reserve_file_header();
    w.reserve_null_section_index();
    let mut places = Vec::new();
    for (name, data) in sections {
        let index = w.reserve_section_index();
        places.push((w.add_section_name(name.as_bytes()), index, w.reserve(data.len(), alignment(name))));
    }
    let text = places.first().map(|p| p.1);
    w.reserve_null_symbol_index();
    let symbols = || locals.iter().chain(globals);
    let names: Vec<_> = symbols().map(|s| w.add_string(&s.name)).collect();
    for _ in &names {
        w.reserve_symbol_index(text);
    }
    w.reserve_symtab_section_index();
    w.reserve_symtab();
    w.reserve_strtab_section_index();
    w.reserve_strtab();
    w.reserve_shstrtab_section_index();
    w.reserve_shstrtab();
    w.reserve_section_headers();

    let file =
        FileHeader { os_abi: 0, abi_version: 0, e_type: elf::ET_EXEC, e_machine: MACHINE, e_entry: 0, e_flags: 0 };
    // Writing to a vector fails only if memory cannot be had.
    let _ = w.write_file_header(&file);
    for (name, data) in sections {
        w.write_align(alignment(name));
        w.write(data);
    }
    w.write_null_symbol();
    for (symbol, name) in symbols().zip(names) {
        w.write_symbol(&Sym {
            name: Some(name),
            section: text,
            st_info: symbol.info,
            st_other: elf::STV_DEFAULT,
            st_shndx: 0,
            st_value: symbol.value,
            st_size: symbol.size,
        });
    }
    w.write_strtab();
    w.write_shstrtab();
    w.write_null_section_header();
    for ((name, _, offset), section) in places.iter().zip(sections) {
        w.write_section_header(&SectionHeader { name: Some(*name), ..header(section, *offset) });
    }
    // Local symbols come first, and the null symbol before them.
    w.write_symtab_section_header(locals.len() as u32 + 1);
    w.write_strtab_section_header();
    w.write_shstrtab_section_header();
}
