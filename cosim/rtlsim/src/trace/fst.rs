//! FST, written directly: the `fst-writer` crate takes every value as ASCII and threads all changes of a section into one chain, which made it ten times
//! slower than the simulation. Here a change is compared with the value before it, packed, and appended to the stream of its variable; a section is the
//! streams one after the other, each compressed by LZ4.
//!
//! Layout (as GTKWave's `fstapi` and `fst-reader` read it): header, hierarchy, geometry, then sections of value changes. A section has a frame (all
//! values at its start, as characters), the streams, the places of the streams, and the table of times. A stream is a row of (steps in the time table since
//! the last change, value). The first section repeats the start values as changes at its first time, because readers ignore the frame of a section
//! that begins with its first time. Later sections begin at the last time of the section before. All times are in nanoseconds, one per half cycle.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use lz4_flex::block::{compress_into_with_table, get_maximum_output_size, CompressTable};

use super::digits::push_digits;
use super::{Item, Plan, Sink};
use crate::bits::limbs_of;
use crate::graph::SignalKind;

/// Bytes of changes after which a section is written.
const SECTION: usize = 32 << 20;
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
    /// Changes of each variable in this section.
    streams: Vec<Vec<u8>>,
    /// Bytes in all streams.
    size: usize,
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
    // memory of the writer, then the numbers of scopes, variables, handles, sections, written at the end
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

/// The hierarchy and how many scopes and names it has.
fn hierarchy(plan: &Plan<'_>) -> (Vec<u8>, u64, u64) {
    let (mut out, mut scopes, mut names) = (Vec::new(), 0, 0);
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
            streams: vec![Vec::new(); variables.len()],
            variables,
            size: 0,
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
            // the frame of the first section is never shown (see the file's head), but must have its length
            self.take_frame();
        }
        let number = self.variables.len() as u64;
        let from = self.out.stream_position()?;
        let memory: usize = self.size;
        let mut head = vec![8];
        for field in [0, self.start, self.end, memory as u64] {
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
        let (streams, chain) = self.write_streams()?;
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

    /// Writes the streams; their bytes in the file, and the chain of their places.
    fn write_streams(&mut self) -> io::Result<(usize, Vec<u8>)> {
        let mut chain = Vec::new();
        // places count from the byte that names the compression
        let (mut at, mut before, mut empty) = (1usize, 0usize, 0u64);
        for stream in &mut self.streams {
            if stream.is_empty() {
                empty += 1;
                continue;
            }
            if empty > 0 {
                push_varint(&mut chain, empty << 1);
                empty = 0;
            }
            push_signed(&mut chain, ((at - before) as i64) << 1 | 1);
            before = at;
            let mut prefix = Vec::with_capacity(5);
            self.packed.resize(get_maximum_output_size(stream.len()), 0);
            let packed = if stream.len() < WORTH_COMPRESSING {
                usize::MAX
            } else {
                compress_into_with_table(stream, &mut self.packed, &mut self.table).unwrap_or(usize::MAX)
            };
            let content = if packed < stream.len() {
                push_varint(&mut prefix, stream.len() as u64);
                &self.packed[..packed]
            } else {
                push_varint(&mut prefix, 0);
                &stream[..]
            };
            self.out.write_all(&prefix)?;
            self.out.write_all(content)?;
            at += prefix.len() + content.len();
            stream.clear();
        }
        if empty > 0 {
            push_varint(&mut chain, empty << 1);
        }
        Ok((at - 1, chain))
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
        self.end = time;
        Ok(())
    }

    fn change(&mut self, variable: u32, limbs: &[u64]) -> io::Result<()> {
        let (Some(v), Some(stream)) =
            (self.variables.get_mut(variable as usize), self.streams.get_mut(variable as usize))
        else {
            return Ok(());
        };
        let at = v.at as usize;
        let values = &mut self.values[at..at + limbs.len()];
        if *values == *limbs && self.begin != Some(self.end) {
            return Ok(());
        }
        values.copy_from_slice(limbs);
        let index = self.count - 1;
        let steps = u64::from(index - v.last);
        v.last = index;
        let before = stream.len();
        if v.width == 1 {
            push_varint(stream, steps << 2 | limbs[0] << 1);
        } else {
            push_varint(stream, steps << 1);
            push_packed(stream, v.width, limbs);
        }
        self.size += stream.len() - before;
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
    if let [one] = limbs {
        let bytes = (one << (64 - width)).to_be_bytes();
        out.extend_from_slice(&bytes[..width.div_ceil(8) as usize]);
        return;
    }
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
}
