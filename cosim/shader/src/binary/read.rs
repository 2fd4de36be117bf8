//! From the bytes of an ELF file to a [`ShaderBinary`]. Any bytes may come here: every length is
//! checked before it is used, and the work is bounded by the file's length. Wrong would be a file
//! that is taken and is damaged, or a panic: tests cut files and change their bytes.

use super::dwarf;
use super::file::{BinaryError, ShaderBinary, MACHINE};
use super::parts::{self, damaged, CONSTANTS, INTERFACE, LINES, TEXT};
use crate::interface::Interface;
use crate::ssa::Loc;
use object::read::elf::ElfFile32;
use object::read::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use object::{elf, LittleEndian};

impl ShaderBinary {
    /// Reads what [`Self::write`] wrote. Any other bytes give an error. Without debug sections the
    /// positions are unknown, without symbols there are no labels.
    pub fn read(bytes: &[u8]) -> Result<ShaderBinary, BinaryError> {
        // The number stands at the same place in files of 32 and 64 bits.
        match bytes.get(18..20).filter(|_| bytes.starts_with(&elf::ELFMAG)) {
            Some(&[low, high]) if u16::from_le_bytes([low, high]) != MACHINE => {
                return Err(BinaryError::Machine { found: u16::from_le_bytes([low, high]) });
            }
            _ => {}
        }
        let elf = ElfFile32::<LittleEndian>::parse(bytes).map_err(|e| BinaryError::Elf(e.to_string()))?;
        let find = |name: &'static str| match elf.section_by_name(name) {
            Some(s) => s.data().map(Some).map_err(|e| damaged(name, e)),
            None => Ok(None),
        };
        let section = |name| find(name)?.ok_or(BinaryError::MissingSection(name));
        let text = section(TEXT)?;
        if text.is_empty() || text.len() % 8 != 0 {
            return Err(damaged(TEXT, format!("{} bytes is not a number of instructions", text.len())));
        }
        let code: Vec<u64> =
            text.chunks_exact(8).map(|c| c.iter().rev().fold(0, |w, &b| w << 8 | u64::from(b))).collect();
        let interface = parts::put(section(INTERFACE)?, find)?;
        let mut interface: Interface = serde_json::from_value(interface).map_err(|e| damaged(INTERFACE, e))?;
        interface.constants = constants(section(CONSTANTS)?)?;
        let (files, lines) = match find(LINES)? {
            Some(table) => dwarf::read(table, code.len()).map_err(|what| damaged(LINES, what))?,
            None => (vec![], vec![Loc::default(); code.len()]),
        };
        let mut labels = Vec::new();
        for s in elf.symbols().filter(|s| s.kind() == SymbolKind::Label || s.kind() == SymbolKind::Unknown) {
            let (Ok(name), pc) = (s.name(), s.address() / 8) else {
                return Err(damaged(".symtab", "a label has no readable name"));
            };
            if pc >= code.len() as u64 {
                return Err(damaged(".symtab", format!("label {name} is outside the program")));
            }
            labels.push((pc as u32, name.to_string()));
        }
        Ok(ShaderBinary { code, interface, lines, files, labels })
    }
}

fn constants(data: &[u8]) -> Result<Vec<(u32, u32)>, BinaryError> {
    if data.len() % 8 != 0 {
        return Err(damaged(CONSTANTS, format!("{} bytes is not a number of pairs", data.len())));
    }
    let word = |c: &[u8]| c.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
    let pair = |c: &[u8]| match (word(&c[..4]), word(&c[4..])) {
        (at, _) if at as usize >= quadlock_isa::abi::CONST_WORDS => {
            Err(damaged(CONSTANTS, format!("word {at} is outside the constant bank")))
        }
        pair => Ok(pair),
    };
    data.chunks_exact(8).map(pair).collect()
}
