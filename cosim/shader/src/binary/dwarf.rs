//! Source positions as DWARF 5, which `readelf`, `addr2line`, `llvm-dwarfdump` and the like show.
//!
//! One unit, one line table of one sequence. Instruction n has address 8n, and a row stands where
//! the position changes. The table has what [`ShaderBinary`] knows of positions, and nothing else
//! in the file repeats it: file n of the table is file n of `files`. An unknown position is line 0,
//! in which a position in SPIR-V (line 0, column = word) stays as it is. Files of the same name
//! become one. A binary without files has no debug sections, as one whose debug sections were
//! stripped, and nothing is known of its positions.
//!
//! Wrong would be a table that tools show otherwise than we read it: `tests/binary.rs` compares
//! `readelf` and `llvm-dwarfdump` with `lines`. A damaged table must give an error: [`read`] takes
//! only what [`write`] makes, so rows go upwards and end with the code.

use super::file::ShaderBinary;
use crate::ssa::Loc;
use gimli::write::{Address, AttributeValue, DwarfUnit, EndianVec, LineProgram, LineString, Sections};
use gimli::{constants as dw, DebugLine, DebugLineOffset, Encoding, EndianSlice, Format, LineEncoding, LittleEndian};

/// Bytes of an instruction.
const STEP: u64 = 8;

/// Most bytes of a table's header that is read. An entry of one byte takes a hundred in memory.
const MOST_HEADER: u32 = 1 << 20;

const ENCODING: Encoding = Encoding { format: Format::Dwarf32, version: 5, address_size: 4 };

/// DWARF ends names at a zero byte.
pub(super) fn name(text: &str) -> Vec<u8> {
    text.bytes().filter(|&b| b != 0).collect()
}

/// The most bytes of a source file's name that a binary keeps: of a path there are no more. What
/// shows positions repeats the name for each of them.
const MOST_NAME: usize = 4096;

fn file_text(text: &str) -> Vec<u8> {
    let end = (0..=MOST_NAME.min(text.len())).rev().find(|n| text.is_char_boundary(*n)).unwrap_or(0);
    name(&text[..end])
}

/// The debug sections by name; none if the binary has no files.
pub(super) fn write(binary: &ShaderBinary) -> Vec<(&'static str, Vec<u8>)> {
    let Some(first) = binary.files.first() else { return vec![] };
    let end = binary.code.len() as u64 * STEP;
    let mut dwarf = DwarfUnit::new(ENCODING);
    dwarf.unit.line_program = line_program(binary);
    let range = |first: u64, end: u64| {
        let low = AttributeValue::Address(Address::Constant(first));
        [(dw::DW_AT_low_pc, low), (dw::DW_AT_high_pc, AttributeValue::Data4((end - first) as u32))]
    };
    let text = |text: &str, dwarf: &mut DwarfUnit| AttributeValue::StringRef(dwarf.strings.add(name(text)));
    let producer = text(concat!("quadlock-shader ", env!("CARGO_PKG_VERSION")), &mut dwarf);
    let file = text(first, &mut dwarf);
    let root = dwarf.unit.root();
    let unit = dwarf.unit.get_mut(root);
    let named = [(dw::DW_AT_producer, producer), (dw::DW_AT_name, file)];
    named.into_iter().chain(range(0, end)).for_each(|(at, value)| unit.set(at, value));
    for (function, extent) in binary.functions() {
        let called = text(&function, &mut dwarf);
        let id = dwarf.unit.add(root, dw::DW_TAG_subprogram);
        let entry = dwarf.unit.get_mut(id);
        entry.set(dw::DW_AT_name, called);
        entry.set(dw::DW_AT_external, AttributeValue::Flag(true));
        let extent = range(u64::from(extent.start) * STEP, u64::from(extent.end) * STEP);
        extent.into_iter().for_each(|(at, value)| entry.set(at, value));
    }
    let mut sections = Sections::new(EndianVec::new(LittleEndian));
    // It fails on values that do not fit a form, and there are none.
    let _ = dwarf.write(&mut sections);
    let mut out = vec![];
    let _ = sections.for_each(|id, section| {
        if !section.slice().is_empty() {
            out.push((id.name(), section.slice().to_vec()));
        }
        Ok::<(), ()>(())
    });
    out
}

fn line_program(binary: &ShaderBinary) -> LineProgram {
    let line_encoding = LineEncoding { minimum_instruction_length: STEP as u8, ..LineEncoding::default() };
    let string = |text: &str| LineString::String(file_text(text));
    let first = binary.files.first().map_or("", String::as_str);
    let mut program = LineProgram::new(ENCODING, line_encoding, string("."), None, string(first), None);
    let folder = program.default_directory();
    let files: Vec<_> = binary.files.iter().map(|f| program.add_file(string(f), folder, None)).collect();
    program.begin_sequence(Some(Address::Constant(0)));
    let mut last = None;
    for pc in 0..binary.code.len() {
        let loc = binary.lines.get(pc).copied().unwrap_or_default();
        // An unknown position need not have a file.
        let file = files.get(usize::from(loc.file)).or(files.first()).copied();
        let here = (file, loc.line, loc.col);
        if last != Some(here) {
            let row = program.row();
            (row.address_offset, row.line, row.column) = (pc as u64 * STEP, loc.line.into(), loc.col.into());
            row.file = file.unwrap_or(row.file);
            program.generate_row();
            last = Some(here);
        }
    }
    program.end_sequence(binary.code.len() as u64 * STEP);
    program
}

/// Files and positions of so many instructions, from a line table.
///
/// # Errors
/// What is wrong with the table.
pub(super) fn read(section: &[u8], instructions: usize) -> Result<(Vec<String>, Vec<Loc>), String> {
    // Behind the unit's length (4), version (2) and sizes of address and segment selector.
    let header = section.get(8..12).ok_or("it ends in its header")?;
    let header = header.iter().rev().fold(0, |n, &b| n << 8 | u32::from(b));
    if header > MOST_HEADER {
        return Err(format!("a header of {header} bytes, {MOST_HEADER} are the most"));
    }
    let table = DebugLine::new(section, LittleEndian);
    let program = table.program(DebugLineOffset(0), 4, None, None).map_err(|e| e.to_string())?;
    if program.header().version() != ENCODING.version {
        return Err(format!("DWARF {}, expected {}", program.header().version(), ENCODING.version));
    }
    let files = program.header().file_names().iter().map(file_name).collect::<Result<Vec<_>, _>>()?;
    let mut lines: Vec<Loc> = Vec::with_capacity(instructions);
    let (mut here, mut ended) = (None, false);
    let mut rows = program.rows();
    while let Some((_, row)) = rows.next_row().map_err(|e| e.to_string())? {
        let pc = usize::try_from(row.address() / STEP).unwrap_or(usize::MAX);
        if row.address() % STEP != 0 || pc < lines.len() || pc > instructions || ended {
            return Err(format!("a row of address {:#x} has no place in the program", row.address()));
        }
        match here {
            Some(loc) => lines.resize(pc, loc),
            None if pc > 0 => return Err("its first row is not of the first instruction".into()),
            None => {}
        }
        ended = row.end_sequence();
        here = Some(place(row, files.len())?);
    }
    if !ended || lines.len() != instructions {
        return Err(format!("positions of {} instructions, the program has {instructions}", lines.len()));
    }
    Ok((files, lines))
}

fn file_name(file: &gimli::FileEntry<EndianSlice<LittleEndian>>) -> Result<String, String> {
    match file.path_name() {
        gimli::AttributeValue::String(name) if name.len() > MOST_NAME => {
            Err(format!("a file's name of {} bytes, {MOST_NAME} are the most", name.len()))
        }
        gimli::AttributeValue::String(name) if file.directory_index() == 0 => Ok(name.to_string_lossy().into_owned()),
        _ => Err("a file's name is not in the table".into()),
    }
}

fn place(row: &gimli::LineRow, files: usize) -> Result<Loc, String> {
    let number = |n: u64| u32::try_from(n).map_err(|_| format!("line or column {n}"));
    let line = number(row.line().map_or(0, |n| n.get()))?;
    let col = match row.column() {
        gimli::ColumnType::LeftEdge => 0,
        gimli::ColumnType::Column(n) => number(n.get())?,
    };
    match u16::try_from(row.file_index()) {
        Ok(file) if usize::from(file) < files => Ok(Loc::at(file, line, col)),
        // Behind the last row the number of the file says nothing.
        _ if row.end_sequence() => Ok(Loc::default()),
        _ => Err(format!("file number {} of {files}", row.file_index())),
    }
}
