//! From the bytes of an ELF file to a [`ShaderBinary`]. Any bytes may come here: every length is
//! checked before it is used, and the work is bounded by the file's length. What is read in the end
//! is checked as a whole (`check`). Wrong would be a file that is taken and is damaged, or a panic:
//! tests cut files and change their bytes.

use super::file::{BinaryError, ShaderBinary, MACHINE};
use super::parts::{self, damaged, CONSTANTS, INTERFACE, LINES, SYMBOLS, TEXT};
use super::{check, dwarf};
use crate::interface::Interface;
use crate::ssa::Loc;
use object::read::elf::ElfFile32;
use object::read::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use object::{elf, LittleEndian};

/// The most bytes of a label's name. Symbols may share one, and so be longer than the file.
const MOST_LABEL: usize = 256;

/// The most programs of a binary: the whole, its position part, that for warps alone.
const MOST_FUNCTIONS: usize = 3;

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
        let (mut labels, mut functions) = (vec![], vec![]);
        for s in elf.symbols() {
            match s.kind() {
                SymbolKind::Label | SymbolKind::Unknown => labels.push(label(&s, code.len())?),
                SymbolKind::Text if functions.len() == MOST_FUNCTIONS => {
                    return Err(damaged(SYMBOLS, format!("more than {MOST_FUNCTIONS} functions")));
                }
                SymbolKind::Text => {
                    let name = s.name_bytes().map_err(|_| damaged(SYMBOLS, "a function has no readable name"))?;
                    functions.push((name.to_vec(), s.address()));
                }
                _ => {}
            }
        }
        let binary = ShaderBinary { code, interface, lines, files, labels };
        check::check(&binary)?;
        check::functions(&binary, &functions)?;
        Ok(binary)
    }
}

/// Instruction and name of a block.
fn label<'a>(s: &impl ObjectSymbol<'a>, instructions: usize) -> Result<(u32, String), BinaryError> {
    let Ok(name) = s.name() else { return Err(damaged(SYMBOLS, "a label has no readable name")) };
    if name.len() > MOST_LABEL {
        return Err(damaged(SYMBOLS, format!("a label's name of {} bytes, {MOST_LABEL} are the most", name.len())));
    }
    match s.address() / 8 {
        pc if pc < instructions as u64 && s.address() % 8 == 0 => Ok((pc as u32, name.to_owned())),
        _ => Err(damaged(SYMBOLS, format!("label {name} at {:#x} is at no instruction", s.address()))),
    }
}

fn constants(data: &[u8]) -> Result<Vec<(u32, u32)>, BinaryError> {
    if !data.len().is_multiple_of(8) {
        return Err(damaged(CONSTANTS, format!("{} bytes is not a number of pairs", data.len())));
    }
    let word = |c: &[u8]| c.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
    Ok(data.chunks_exact(8).map(|c| (word(&c[..4]), word(&c[4..]))).collect())
}
