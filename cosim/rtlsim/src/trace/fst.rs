//! FST, written directly: the `fst-writer` crate takes every value as ASCII, threads all changes of
//! a section into one chain, and shows a file that begins late as beginning at 0. Here a change is
//! compared with the value before it, packed, and appended to a log of a few neighbouring
//! variables: with a stream for each of ten thousand variables every append would miss the cache. A
//! section is the logs sorted into streams, each compressed by LZ4.
//!
//! Layout (as GTKWave's `fstapi` and `fst-reader` read it): header, hierarchy, geometry, then
//! sections of value changes. A section has a frame (all values at its start, as characters), the
//! streams, the places of the streams, and the table of times. A stream is a row of (steps in the
//! time table since the last change, value). The first section repeats the start values as changes
//! at its first time, because readers ignore the frame of a section that begins with its first
//! time. A type with named values is a table of names, an attribute at the head of the hierarchy; a
//! variable of the type has a reference to it before its declaration. Later sections begin at the
//! last time of the section before. All times are in nanoseconds, one per half cycle.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use lz4_flex::block::{compress_into_with_table, get_maximum_output_size, CompressTable};

use super::digits::push_digits;
use super::plan::{Item, Plan};
use super::sink::Sink;
use crate::bits::limbs_of;
use crate::design::Enumeration;
use crate::graph::SignalKind;

/// The most bytes of a table of names that readers of FST have room for.
pub const LONGEST_TABLE: usize = 65_536;

/// Whether an FST file has a table of these names: readers have no room for a longer one.
pub fn has_table(names: &Enumeration) -> bool {
    table_text(names).is_some()
}

/// Bytes of changes after which a section is written.
const SECTION: usize = 32 << 20;
/// Variables whose changes share a log: few enough that sorting stays in the first-level cache,
/// many enough that the ends of all logs do too.
const GROUP: usize = 64;
/// Streams shorter than this are not compressed.
const WORTH_COMPRESSING: usize = 32;

/// What is known of a variable.
struct Variable {
    width: u32,
    /// Where its limbs are in `FstSink::values`.
    at: u32,
    /// Index in the time table of its last change in this section.
    last: u32,
}

pub(super) struct FstSink {
    out: BufWriter<File>,
    variables: Vec<Variable>,
    values: Vec<u64>,
    /// Changes in this section, of groups of variables: number in the group, then what belongs into
    /// the variable's stream.
    logs: Vec<Vec<u8>>,
    /// Bytes in all logs.
    size: usize,
    /// At the first time all values are written, changed or not.
    first: bool,
    /// Streams of the group that is being written.
    streams: Vec<Vec<u8>>,
    section: usize,
    /// Values at the start of the section, as characters.
    frame: Vec<u8>,
    /// Times of the section: differences, the first from zero.
    times: Vec<u8>,
    /// Number of them.
    count: u32,
    /// First time of the file.
    begin: Option<u64>,
    /// Start of the section, and last time.
    start: u64,
    end: u64,
    sections: u64,
    table: CompressTable,
    packed: Vec<u8>,
}

fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Signed: ends when the rest is all sign, and bit 6 says which.
fn push_signed(out: &mut Vec<u8>, mut value: i64) {
    while !(-64..=63).contains(&value) {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8 & 0x7f);
}

fn fixed(out: &mut Vec<u8>, text: &str, len: usize) {
    let from = out.len();
    out.extend(text.bytes().take(len - 1));
    out.resize(from + len, 0);
}

fn header() -> Vec<u8> {
    let mut out = vec![0];
    // length, then start and end time, both written at the end
    out.extend(329u64.to_be_bytes());
    out.extend([0; 16]);
    // readers tell the order of the bytes of reals by this
    out.extend(std::f64::consts::E.to_le_bytes());
    // memory of the writer, then the numbers of scopes, variables, handles, sections, written at
    // the end
    out.extend([0; 40]);
    // 10^-9 s
    out.push(-9i8 as u8);
    fixed(&mut out, "quadlock rtlsim", 128);
    // no date: a file depends on the run alone
    fixed(&mut out, "", 119);
    // Verilog, no offset of times
    out.push(0);
    out.extend([0; 8]);
    out
}

fn c_string(out: &mut Vec<u8>, text: &str) {
    // the length that readers have room for
    let mut end = text.len().min(511);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    out.extend(text.as_bytes()[..end].iter().filter(|&&b| b != 0));
    out.push(0);
}

/// A part of a table's text: parts are separated by spaces, so a name has none.
fn word(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() && c != '\\' { c } else { '_' };
    text.chars().map(plain).collect()
}

/// A table of names as text: name of the type, number of values, their names, then their bits.
/// `None` if readers have no room for it.
pub(super) fn table_text(table: &Enumeration) -> Option<String> {
    let mut text = format!("{} {}", word(&table.name), table.values.len());
    table.values.iter().for_each(|(name, _)| text += &format!(" {}", word(name)));
    table.values.iter().for_each(|(_, v)| text += &format!(" {v:0width$b}", width = table.width as usize));
    (text.len() <= LONGEST_TABLE && !table.values.is_empty()).then_some(text)
}

/// An attribute of kind "table of names": with a text it defines table `number`, without it says
/// that the next variable has it.
fn push_table(out: &mut Vec<u8>, text: &str, number: u32) {
    // an attribute, of kind misc, subtype table of names
    out.extend([252, 0, 7]);
    out.extend_from_slice(text.as_bytes());
    out.push(0);
    push_varint(out, u64::from(number) + 1);
}

/// The hierarchy and how many scopes and names it has.
fn hierarchy(plan: &Plan<'_>) -> (Vec<u8>, u64, u64) {
    let (mut out, mut scopes, mut names) = (Vec::new(), 0, 0);
    let mut defined = 0;
    // GTKWave wants the tables numbered without a gap
    let mut define = |table: &&Enumeration| {
        let text = table_text(table)?;
        push_table(&mut out, &text, defined);
        defined += 1;
        Some(defined - 1)
    };
    let numbers: Vec<Option<u32>> = plan.tables.list.iter().map(&mut define).collect();
    let mut declared = vec![false; plan.widths.len()];
    for item in &plan.items {
        match item {
            Item::Scope { name, module } => {
                // a scope, of kind module
                out.extend([254, 0]);
                c_string(&mut out, name);
                c_string(&mut out, module);
                scopes += 1;
            }
            Item::Up => out.push(255),
            Item::Var(var) => {
                let kind = if var.kind == SignalKind::Reg { 5 } else { 16 };
                let direction = match var.kind {
                    SignalKind::Input => 1,
                    SignalKind::Output => 2,
                    SignalKind::Wire | SignalKind::Reg => 0,
                };
                if let Some(number) = var.table.and_then(|t| numbers[t as usize]) {
                    push_table(&mut out, "", number);
                }
                out.extend([kind, direction]);
                match var.width {
                    1 => c_string(&mut out, var.name),
                    _ => {
                        let msb = i64::from(var.lsb) + i64::from(var.width) - 1;
                        c_string(&mut out, &format!("{} [{msb}:{}]", var.name, var.lsb));
                    }
                }
                push_varint(&mut out, u64::from(var.width));
                // 0: the next variable; else the number, from 1, of the one it is an alias of
                let known = std::mem::replace(&mut declared[var.number as usize], true);
                push_varint(&mut out, if known { u64::from(var.number) + 1 } else { 0 });
                names += 1;
            }
        }
    }
    (out, scopes, names)
}

fn block(out: &mut impl Write, kind: u8, fields: &[u64], content: &[u8]) -> io::Result<()> {
    out.write_all(&[kind])?;
    out.write_all(&(8 + 8 * fields.len() as u64 + content.len() as u64).to_be_bytes())?;
    for field in fields {
        out.write_all(&field.to_be_bytes())?;
    }
    out.write_all(content)
}

impl FstSink {
    pub fn new(path: &Path, plan: &Plan<'_>) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(1 << 18, File::create(path)?);
        let (names, scope_count, name_count) = hierarchy(plan);
        let mut head = header();
        for (k, count) in [scope_count, name_count, plan.widths.len() as u64].into_iter().enumerate() {
            head[41 + 8 * k..49 + 8 * k].copy_from_slice(&count.to_be_bytes());
        }
        out.write_all(&head)?;
        block(&mut out, 6, &[names.len() as u64], &lz4_flex::block::compress(&names))?;
        let mut geometry = Vec::new();
        plan.widths.iter().for_each(|&w| push_varint(&mut geometry, u64::from(w)));
        // length without and with compression: equal, so not compressed
        block(&mut out, 3, &[geometry.len() as u64, plan.widths.len() as u64], &geometry)?;
        let mut at = 0;
        let variables = plan.widths.iter().map(|&width| {
            at += limbs_of(width) as u32;
            Variable { width, at: at - limbs_of(width) as u32, last: 0 }
        });
        let variables: Vec<Variable> = variables.collect();
        Ok(Self {
            out,
            values: vec![0; at as usize],
            logs: vec![Vec::new(); variables.len().div_ceil(GROUP)],
            variables,
            size: 0,
            first: true,
            streams: vec![Vec::new(); GROUP],
            section: SECTION,
            frame: Vec::new(),
            times: Vec::new(),
            count: 0,
            begin: None,
            start: 0,
            end: 0,
            sections: 0,
            table: CompressTable::default(),
            packed: Vec::new(),
        })
    }

    /// All values as characters.
    fn take_frame(&mut self) {
        self.frame.clear();
        for v in &self.variables {
            let at = v.at as usize;
            push_digits(&mut self.frame, v.width, &self.values[at..at + limbs_of(v.width)]);
        }
    }

    /// Writes what there is and begins the next section.
    fn write_section(&mut self) -> io::Result<()> {
        if self.begin == Some(self.start) && self.sections == 0 {
            // the frame of the first section is never shown (see the file's head), but must have
            // its length
            self.take_frame();
        }
        let number = self.variables.len() as u64;
        let from = self.out.stream_position()?;
        let mut head = vec![8];
        // the length and the memory that a reader needs follow when they are known
        for field in [0, self.start, self.end, 0] {
            head.extend(field.to_be_bytes());
        }
        for _ in 0..2 {
            push_varint(&mut head, self.frame.len() as u64);
        }
        push_varint(&mut head, number);
        self.out.write_all(&head)?;
        self.out.write_all(&self.frame)?;
        head.clear();
        push_varint(&mut head, number);
        head.push(b'4');
        self.out.write_all(&head)?;
        let (streams, memory, chain) = self.write_streams()?;
        self.out.write_all(&chain)?;
        let mut tail = Vec::with_capacity(self.times.len() + 40);
        tail.extend((chain.len() as u64).to_be_bytes());
        tail.extend_from_slice(&self.times);
        for field in [self.times.len() as u64, self.times.len() as u64, u64::from(self.count)] {
            tail.extend(field.to_be_bytes());
        }
        self.out.write_all(&tail)?;
        let frame = 33 + 2 * varint_len(self.frame.len() as u64) + varint_len(number) + self.frame.len();
        let length = (frame + head.len() + streams + chain.len() + tail.len() - 1) as u64;
        self.out.seek(SeekFrom::Start(from + 1))?;
        self.out.write_all(&length.to_be_bytes())?;
        self.out.seek(SeekFrom::Start(from + 25))?;
        self.out.write_all(&memory.to_be_bytes())?;
        self.out.seek(SeekFrom::Start(from + 1 + length))?;
        self.sections += 1;
        self.start = self.end;
        self.times.clear();
        self.count = 0;
        self.size = 0;
        self.variables.iter_mut().for_each(|v| v.last = 0);
        self.take_frame();
        Ok(())
    }

    /// Sorts the log of a group into `streams`.
    fn sort(&mut self, group: usize) {
        let mut log = &self.logs[group][..];
        while let [local, rest @ ..] = log {
            let width = self.variables[group * GROUP + usize::from(*local)].width;
            let payload = if width == 1 { 0 } else { width.div_ceil(8) as usize };
            let number = rest.iter().take_while(|&&b| b > 0x7f).count() + 1;
            let (change, after) = rest.split_at(number + payload);
            self.streams[usize::from(*local)].extend_from_slice(change);
            log = after;
        }
        self.logs[group].clear();
    }

    /// Writes the streams of all variables; their bytes in the file, their bytes before
    /// compression, and the chain of their places.
    fn write_streams(&mut self) -> io::Result<(usize, u64, Vec<u8>)> {
        let mut chain = Vec::new();
        // places count from the byte that names the compression
        let (mut at, mut before, mut empty, mut memory) = (1usize, 0usize, 0u64, 0u64);
        for group in 0..self.logs.len() {
            self.sort(group);
            let members = (self.variables.len() - group * GROUP).min(GROUP);
            for local in 0..members {
                if self.streams[local].is_empty() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    push_varint(&mut chain, empty << 1);
                    empty = 0;
                }
                push_signed(&mut chain, ((at - before) as i64) << 1 | 1);
                before = at;
                memory += self.streams[local].len() as u64;
                at += self.write_stream(local)?;
                self.streams[local].clear();
            }
        }
        if empty > 0 {
            push_varint(&mut chain, empty << 1);
        }
        Ok((at - 1, memory, chain))
    }

    /// Writes one stream, compressed if that makes it shorter: its length before compression, or 0,
    /// and then its bytes.
    fn write_stream(&mut self, local: usize) -> io::Result<usize> {
        let stream = &self.streams[local];
        let mut packed = usize::MAX;
        if stream.len() >= WORTH_COMPRESSING {
            self.packed.resize(get_maximum_output_size(stream.len()), 0);
            packed = compress_into_with_table(stream, &mut self.packed, &mut self.table).unwrap_or(usize::MAX);
        }
        let mut prefix = Vec::with_capacity(5);
        let content = if packed < stream.len() {
            push_varint(&mut prefix, stream.len() as u64);
            &self.packed[..packed]
        } else {
            push_varint(&mut prefix, 0);
            &stream[..]
        };
        self.out.write_all(&prefix)?;
        self.out.write_all(content)?;
        Ok(prefix.len() + content.len())
    }

    /// A change of a variable of up to 64 bits.
    fn narrow(&mut self, variable: usize, value: u64) {
        let Some(v) = self.variables.get_mut(variable) else { return };
        let old = &mut self.values[v.at as usize];
        if *old == value && !self.first {
            return;
        }
        *old = value;
        let index = self.count - 1;
        let mut steps = u64::from(index - v.last) << 1;
        v.last = index;
        let mut buffer = [0; 16];
        buffer[0] = (variable % GROUP) as u8;
        let mut len = 1;
        if v.width == 1 {
            steps = steps << 1 | value << 1;
        }
        while steps > 0x7f {
            buffer[len] = steps as u8 | 0x80;
            steps >>= 7;
            len += 1;
        }
        buffer[len] = steps as u8;
        len += 1;
        if v.width > 1 {
            // at most 1 + 5 + 8 bytes
            buffer[len..len + 8].copy_from_slice(&(value << (64 - v.width)).to_be_bytes());
            len += v.width.div_ceil(8) as usize;
        }
        let log = &mut self.logs[variable / GROUP];
        let start = log.len();
        // a copy of fixed length, then cut: cheaper than one of a length that is not known
        log.extend_from_slice(&buffer);
        log.truncate(start + len);
        self.size += len;
    }
}

fn varint_len(value: u64) -> usize {
    let mut out = Vec::new();
    push_varint(&mut out, value);
    out.len()
}

impl Sink for FstSink {
    fn time(&mut self, time: u64) -> io::Result<()> {
        if self.size > self.section {
            self.write_section()?;
        }
        if self.begin.is_none() {
            self.begin = Some(time);
            self.start = time;
        }
        // the first time of a section is written from zero
        push_varint(&mut self.times, if self.count == 0 { time } else { time - self.end });
        self.count += 1;
        self.first = self.begin == Some(time);
        self.end = time;
        Ok(())
    }

    fn change(&mut self, variable: u32, limbs: &[u64]) -> io::Result<()> {
        if let [value] = limbs {
            self.narrow(variable as usize, *value);
            return Ok(());
        }
        let Some(v) = self.variables.get_mut(variable as usize) else { return Ok(()) };
        let values = &mut self.values[v.at as usize..v.at as usize + limbs.len()];
        if *values == *limbs && !self.first {
            return Ok(());
        }
        values.copy_from_slice(limbs);
        let index = self.count - 1;
        let steps = u64::from(index - v.last);
        v.last = index;
        let log = &mut self.logs[variable as usize / GROUP];
        let before = log.len();
        log.push((variable as usize % GROUP) as u8);
        push_varint(log, steps << 1);
        push_packed(log, v.width, limbs);
        self.size += log.len() - before;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if self.count > 0 {
            self.write_section()?;
        }
        for (place, value) in [(9, self.begin.unwrap_or(0)), (17, self.end), (65, self.sections)] {
            self.out.seek(SeekFrom::Start(place))?;
            self.out.write_all(&value.to_be_bytes())?;
        }
        self.out.flush()
    }
}

/// The bits of a value from the most significant, the last byte filled up with zeros.
fn push_packed(out: &mut Vec<u8>, width: u32, limbs: &[u64]) {
    // shifted up so that the value ends at a limb's top
    let shift = (64 - width % 64) % 64;
    let end = out.len() + width.div_ceil(8) as usize;
    for i in (0..limbs.len()).rev() {
        let low = if i > 0 && shift > 0 { limbs[i - 1] >> (64 - shift) } else { 0 };
        out.extend_from_slice(&(limbs[i] << shift | low).to_be_bytes());
    }
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bits() {
        let packed = |width, limbs: &[u64]| {
            let mut out = Vec::new();
            push_packed(&mut out, width, limbs);
            out
        };
        assert_eq!(packed(4, &[0x9]), [0x90]);
        assert_eq!(packed(12, &[0xabc]), [0xab, 0xc0]);
        assert_eq!(packed(64, &[0x0102_0304_0506_0708]), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(packed(68, &[0x0102_0304_0506_0708, 0xa]), [0xa0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80]);
        assert_eq!(packed(128, &[1, 2])[7..], [2, 0, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn variable_length_numbers() {
        let unsigned = |v| {
            let mut out = Vec::new();
            push_varint(&mut out, v);
            out
        };
        let signed = |v| {
            let mut out = Vec::new();
            push_signed(&mut out, v);
            out
        };
        assert_eq!((unsigned(0), unsigned(127), unsigned(300)), (vec![0], vec![127], vec![0xac, 2]));
        assert_eq!((signed(19), signed(-5), signed(64)), (vec![0x13], vec![0x7b], vec![0xc0, 0]));
    }

    /// A table left out leaves no gap: GTKWave refuses a file whose tables are not numbered 1,
    /// 2, 3.
    #[test]
    fn tables_are_numbered_without_gaps() {
        use crate::trace::plan::{Tables, Var};
        let named = |name: &str, count| Enumeration {
            name: name.into(),
            width: 13,
            values: (0..count).map(|v| (format!("value_{v}"), v)).collect(),
        };
        let tables = [named("First", 2), named("TooLong", 6000), named("Second", 3)];
        let mut list = Tables::default();
        let mut items = vec![Item::Scope { name: "top", module: "top" }];
        for (i, table) in (0..).zip(&tables) {
            let table = Some(list.number(table));
            items.push(Item::Var(Var { name: "v", width: 13, lsb: 0, kind: SignalKind::Wire, number: i, table }));
        }
        let plan = Plan { items, variable: Vec::new(), constants: Vec::new(), widths: vec![13; 3], tables: list };
        let (bytes, ..) = hierarchy(&plan);
        // kind, text, its end, number; then the references
        let after = |name: &str| {
            let at = bytes.windows(name.len()).position(|w| w == name.as_bytes()).expect("a table");
            let end = at + bytes[at..].iter().position(|&b| b == 0).expect("an end");
            bytes[end + 1]
        };
        assert_eq!((after("First 2 "), after("Second 3 ")), (1, 2));
        assert!(!bytes.windows(7).any(|w| w == b"TooLong"));
        let references: Vec<u8> = bytes.windows(5).filter(|w| w[..4] == [252, 0, 7, 0]).map(|w| w[4]).collect();
        assert_eq!(references, [1, 2]);
    }

    #[test]
    fn many_sections_and_groups_read_back() {
        use crate::graph::SignalKind;
        use crate::trace::plan::Var;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("w.fst");
        let widths: Vec<u32> = (0..150).map(|i| [1, 7, 64, 65, 200][i % 5]).collect();
        let names: Vec<String> = (0..widths.len()).map(|i| format!("v{i}")).collect();
        let mut items = vec![Item::Scope { name: "top", module: "top" }];
        for (number, (name, &width)) in names.iter().zip(&widths).enumerate() {
            let number = number as u32;
            items.push(Item::Var(Var { name, width, lsb: 0, kind: SignalKind::Wire, number, table: None }));
        }
        items.push(Item::Up);
        let (variable, constants, tables) = (Vec::new(), Vec::new(), Default::default());
        let plan = Plan { items, variable, constants, widths: widths.clone(), tables };
        let mut sink = FstSink::new(&path, &plan).expect("opens");
        sink.section = 3000;
        let value = |v: usize, t: u64| -> crate::Bits {
            // changes now and then, at different times for different variables
            let x = (t / (1 + v as u64 % 7) + v as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            crate::Bits::from_limbs(widths[v], &[x, !x, x >> 7, x])
        };
        let mut sink: Box<dyn Sink> = Box::new(sink);
        for t in 10..200 {
            sink.time(3 * t).expect("writes");
            for v in 0..widths.len() {
                if t == 10 || t % 3 != 0 || v % 2 == 0 {
                    sink.change(v as u32, value(v, t).limbs()).expect("writes");
                }
            }
        }
        sink.finish().expect("finishes");
        let mut wave = wellen::simple::read(&path).expect("wellen reads it");
        assert_eq!(wave.time_table(), (10..200).map(|t| 3 * t).collect::<Vec<u64>>());
        let refs: Vec<_> = wave.hierarchy().iter_vars().map(|v| v.signal_ref()).collect();
        wave.load_signals(&refs);
        for (v, r) in refs.iter().enumerate() {
            let signal = wave.get_signal(*r).expect("loaded");
            for t in 10..200u64 {
                let written = if t == 10 || t % 3 != 0 || v % 2 == 0 { t } else { t - 1 };
                let value = value(v, written);
                let expected: String = (0..widths[v]).rev().map(|i| if value.get(i) { '1' } else { '0' }).collect();
                let offset = signal.get_offset((t - 10) as u32).expect("a value");
                assert_eq!(signal.get_value_at(&offset, 0).to_bit_string(), Some(expected), "v{v} at {t}");
            }
        }
    }
}
