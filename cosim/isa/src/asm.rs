//! The assembler: text to instruction words, with errors that name file, line and column and say
//! what to do.
//!
//! One statement per line: `label:`, an instruction, or `.word` with a raw encoding. Comments begin
//! with `;` or `//`. Each operand is read for what it is, then compared with what the mnemonic
//! wants, so that a wrong kind is named as such and not as a syntax error. It can be wrong in
//! accepting text whose bits differ from what was written (round trip with the disassembler, over
//! the whole table) or in pointing at the wrong column (tests below).

use std::collections::BTreeMap;

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, digit1, satisfy, space0};
use nom::combinator::{map, map_opt, opt, recognize, value};
use nom::sequence::{delimited, pair, preceded};
use nom::{IResult, Parser};

use crate::abi::{CONST_WORDS, MAX_PROGRAM, REGISTERS};
use crate::instr::{encode, BMode, Event, Instr};
use crate::table::{Op, Shape, SPECIALS, TABLE};

/// An assembled program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assembled {
    /// One word per instruction.
    pub code: Vec<u64>,
    /// Label -> instruction index.
    pub labels: BTreeMap<String, u16>,
    /// Source line (from 1) of each instruction.
    pub lines: Vec<u32>,
}

/// What is wrong, where, and what to write instead. Line and column count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}{}", .help.as_ref().map(|h| format!("\n  help: {h}")).unwrap_or_default())]
pub struct AsmError {
    /// Name of the source, as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to write instead, if that is known.
    pub help: Option<String>,
}

/// Assembles a whole program. `source_name` appears in errors only.
pub fn assemble(source_name: &str, text: &str) -> Result<Assembled, AsmError> {
    let mut out = Assembled::default();
    let mut fixups: Vec<(usize, Fault, String)> = Vec::new();
    let mut line_number = 0;
    let at = |line: u32, fault: Fault| AsmError {
        file: source_name.to_string(),
        line,
        column: fault.column as u32 + 1,
        message: fault.message,
        help: fault.help,
    };
    for line in text.lines() {
        line_number += 1;
        statement(line, &mut out, &mut fixups, line_number).map_err(|f| at(line_number, f))?;
        if out.code.len() > MAX_PROGRAM {
            return Err(at(line_number, Fault::new(0, format!("program is longer than {MAX_PROGRAM} instructions"))));
        }
    }
    for (index, place, label) in fixups {
        match out.labels.get(&label) {
            Some(&target) => out.code[index] |= u64::from(target) << 32,
            None => {
                let mut fault = Fault::new(place.column, format!("label `{label}` is not defined"));
                fault.help =
                    near(&label, out.labels.keys().map(String::as_str)).map(|n| format!("did you mean `{n}`?"));
                return Err(at(out.lines[index], fault));
            }
        }
    }
    Ok(out)
}

/// An error before it knows its file and line.
struct Fault {
    column: usize,
    message: String,
    help: Option<String>,
}

impl Fault {
    fn new(column: usize, message: impl Into<String>) -> Self {
        Fault { column, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Operand<'a> {
    Register(u64),
    Immediate(u32),
    Constant(u64),
    Memory { register: u64, offset: i64 },
    At(u64),
    Name(&'a str),
}

impl Operand<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Operand::Register(_) => "a register",
            Operand::Immediate(_) => "an immediate",
            Operand::Constant(_) => "a constant-bank word",
            Operand::Memory { .. } => "a memory address",
            Operand::At(_) => "an instruction index",
            Operand::Name(_) => "a name",
        }
    }
}

fn name(input: &str) -> IResult<&str, &str> {
    let first = satisfy(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '.');
    let rest = take_while(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    recognize(pair(first, rest)).parse(input)
}

/// An unsigned number, decimal or `0x`.
fn number(input: &str) -> IResult<&str, u64> {
    let hex =
        map_opt(preceded(alt((tag("0x"), tag("0X"))), take_while1(|c: char| c.is_ascii_hexdigit())), |s: &str| {
            u64::from_str_radix(s, 16).ok()
        });
    alt((hex, map_opt(digit1, |s: &str| s.parse().ok()))).parse(input)
}

fn sign(input: &str) -> IResult<&str, bool> {
    alt((value(true, char('-')), value(false, opt(char('+'))))).parse(input)
}

/// A floating-point immediate: digits, `.`, exponent, `inf` or `nan`, and a final `f`.
fn float(input: &str) -> IResult<&str, u32> {
    let body = take_while1(|c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'));
    let bits = map_opt((sign, alt((tag("inf"), body)), char('f')), |(negative, s, _): (bool, &str, char)| {
        let x: f32 = s.parse().ok()?;
        Some(if negative { (-x).to_bits() } else { x.to_bits() })
    });
    alt((value(0x7FC0_0000, tag("nanf")), bits)).parse(input)
}

fn immediate(input: &str) -> IResult<&str, u32> {
    let integer = map_opt((sign, number), |(negative, n)| match negative {
        true if n <= 1 << 31 => Some((n as u32).wrapping_neg()),
        false if n <= u64::from(u32::MAX) => Some(n as u32),
        _ => None,
    });
    preceded(char('#'), alt((float, integer))).parse(input)
}

fn register(input: &str) -> IResult<&str, u64> {
    let digits = map_opt(digit1, |s: &str| s.parse().ok());
    let (rest, n) = preceded(alt((char('r'), char('R'))), digits).parse(input)?;
    // `r1x` is a name, not a register with something behind it.
    let (rest, _) = nom::combinator::not(satisfy(|c: char| c.is_ascii_alphanumeric() || c == '_')).parse(rest)?;
    Ok((rest, n))
}

fn memory(input: &str) -> IResult<&str, Operand<'_>> {
    let offset = (alt((value(false, char('+')), value(true, char('-')))), preceded(space0, number));
    let inside = (delimited(space0, register, space0), opt((offset, space0)));
    map_opt(delimited(char('['), inside, char(']')), |(register, offset)| {
        let offset = match offset {
            None => 0,
            Some(((negative, n), _)) => {
                let n = i64::try_from(n).ok()?;
                if negative {
                    -n
                } else {
                    n
                }
            }
        };
        Some(Operand::Memory { register, offset })
    })
    .parse(input)
}

fn operand(input: &str) -> IResult<&str, Operand<'_>> {
    let constant = delimited((alt((tag("c["), tag("C["))), space0), number, (space0, char(']')));
    alt((
        map(register, Operand::Register),
        map(constant, Operand::Constant),
        map(immediate, Operand::Immediate),
        map(preceded(char('@'), number), Operand::At),
        memory,
        map(name, Operand::Name),
    ))
    .parse(input)
}

/// The line without its comment and trailing blanks.
fn without_comment(line: &str) -> &str {
    let end = [line.find(';'), line.find("//")].into_iter().flatten().min().unwrap_or(line.len());
    line[..end].trim_end()
}

fn statement(
    line: &str,
    out: &mut Assembled,
    fixups: &mut Vec<(usize, Fault, String)>,
    number: u32,
) -> Result<(), Fault> {
    let text = without_comment(line);
    let mut rest = text.trim_start();
    loop {
        let column = text.len() - rest.len();
        if rest.is_empty() {
            return Ok(());
        }
        let Ok((after, word)) = name(rest) else {
            return Err(Fault::new(column, "expected a mnemonic, a label or `.word`")
                .help("write one instruction per line, for example `IADD r1, r2, #4`"));
        };
        let Some(after_colon) = after.trim_start().strip_prefix(':') else {
            let word_column = column;
            let word_bits = instruction(text, word_column, word, after, out.code.len(), fixups)?;
            out.code.push(word_bits);
            out.lines.push(number);
            return Ok(());
        };
        let index = u16::try_from(out.code.len())
            .map_err(|_| Fault::new(column, format!("label `{word}` is beyond instruction 65535")))?;
        if out.labels.insert(word.to_string(), index).is_some() {
            return Err(Fault::new(column, format!("label `{word}` is defined twice")).help("rename one of the two"));
        }
        rest = after_colon.trim_start();
    }
}

/// The operands of a statement with their columns.
fn operands<'a>(text: &'a str, mut rest: &'a str) -> Result<Vec<(usize, Operand<'a>)>, Fault> {
    let mut list = Vec::new();
    rest = rest.trim_start();
    while !rest.is_empty() {
        let column = text.len() - rest.len();
        let (after, item) = operand(rest).map_err(|_| {
            let bad = rest.split(',').next().unwrap_or(rest).trim_end();
            Fault::new(column, format!("`{bad}` is not an operand"))
                .help("operands are r0 to r31, #5, #-1, #0x10, #1.5f, c[12], [r2+16], @12 or a label")
        })?;
        list.push((column, item));
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(r) if !r.trim_start().is_empty() => rest = r.trim_start(),
            Some(_) => return Err(Fault::new(text.len() - rest.len(), "an operand is missing after this comma")),
            None if rest.is_empty() => {}
            None => {
                return Err(Fault::new(text.len() - rest.len(), format!("`{rest}` was not expected here"))
                    .help("separate operands with commas"))
            }
        }
    }
    Ok(list)
}

/// What the operands of a mnemonic look like, for help texts and the manual.
pub fn syntax(op: Op) -> String {
    let operands = match op.shape() {
        Shape::None => "",
        Shape::Target => "target",
        Shape::CondTarget => "a, target",
        Shape::B => "B",
        Shape::DB => "d, B",
        Shape::DA => "d, a",
        Shape::DAB => "d, a, B",
        Shape::DABC => "d, a, B, c",
        Shape::Special => "d, special",
        Shape::Output => "#n, a",
        Shape::Fetch { .. } => "d, #n",
        Shape::Load { .. } => "d, [a+imm]",
        Shape::Store { .. } => "[a+imm], b",
        Shape::Atomic { .. } => "d, [a+imm], b",
        Shape::AtomicCas { .. } => "d, [a+imm], b, c",
    };
    format!("{} {operands}", op.name()).trim_end().to_string()
}

fn instruction(
    text: &str,
    column: usize,
    mnemonic: &str,
    after: &str,
    index: usize,
    fixups: &mut Vec<(usize, Fault, String)>,
) -> Result<u64, Fault> {
    if mnemonic.eq_ignore_ascii_case(".word") {
        let rest = after.trim_start();
        let column = text.len() - rest.len();
        return match number(rest) {
            Ok(("", n)) => Ok(n),
            _ => {
                Err(Fault::new(column, "`.word` needs one 64-bit number")
                    .help("for example `.word 0x00000005000020ff`"))
            }
        };
    }
    let upper = mnemonic.to_ascii_uppercase();
    let (plain, event) = match Event::ALL.iter().find_map(|(e, suffix)| Some((upper.strip_suffix(suffix)?, *e))) {
        Some((plain, event)) => (plain, Some(event)),
        None => (upper.as_str(), None),
    };
    let Some(op) = Op::from_name(plain) else {
        let mut fault = Fault::new(column, format!("unknown instruction `{mnemonic}`"));
        fault.help = near(plain, TABLE.iter().map(|r| r.name)).map(|n| format!("did you mean `{n}`?"));
        return Err(fault);
    };
    if let Some(event) = event.filter(|_| !op.carries_events()) {
        let fault = Fault::new(column, format!("{plain} carries no event"));
        return Err(fault.help(format!("write {} behind it", event.op().name())));
    }
    let list = operands(text, after)?;
    let mut reader = Reader { op, text, list, next: 0 };
    let (instr, label) = reader.instr()?;
    let instr = Instr { event, ..instr };
    if let Some((column, label)) = label {
        fixups.push((index, Fault::new(column, ""), label));
    }
    Ok(encode(&instr))
}

/// Takes the operands one by one and checks each for its kind and range.
struct Reader<'a> {
    op: Op,
    text: &'a str,
    list: Vec<(usize, Operand<'a>)>,
    next: usize,
}

type Label = Option<(usize, String)>;

impl<'a> Reader<'a> {
    fn instr(&mut self) -> Result<(Instr, Label), Fault> {
        let mut i = Instr::new(self.op);
        let mut label = None;
        let shape = self.op.shape();
        match shape {
            Shape::None => {}
            Shape::Target => (i.imm, label) = self.target()?,
            Shape::CondTarget => {
                i.a = self.register("a condition register")?;
                (i.imm, label) = self.target()?;
            }
            Shape::B => self.operand_b(&mut i)?,
            Shape::DB | Shape::DA | Shape::DAB | Shape::DABC => {
                i.d = self.register("a destination register")?;
                if shape.uses_a() {
                    i.a = self.register("a source register")?;
                }
                if shape.uses_b() {
                    self.operand_b(&mut i)?;
                }
                if shape.uses_c() {
                    i.c = self.register("a source register")?;
                }
            }
            Shape::Special => {
                i.d = self.register("a destination register")?;
                i.imm = self.special()?;
            }
            Shape::Output => {
                i.imm = self.word_number()?;
                i.a = self.register("a source register")?;
            }
            Shape::Fetch { .. } => {
                i.d = self.register("a destination register")?;
                i.imm = self.word_number()?;
            }
            Shape::Load { .. } | Shape::Store { .. } | Shape::Atomic { .. } | Shape::AtomicCas { .. } => {
                if shape.uses_d() {
                    i.d = self.register("a destination register")?;
                }
                (i.a, i.imm) = self.address()?;
                if shape.uses_b() {
                    i.b = self.register("a data register")?;
                }
                if shape.uses_c() {
                    i.c = self.register("a compare register")?;
                }
            }
        }
        match self.list.get(self.next) {
            None => Ok((i, label)),
            Some((column, _)) => Err(self.fault(*column, "too many operands")),
        }
    }

    fn fault(&self, column: usize, message: impl Into<String>) -> Fault {
        Fault::new(column, message).help(format!("the form is `{}`", syntax(self.op)))
    }

    fn take(&mut self, wanted: &str) -> Result<(usize, Operand<'a>), Fault> {
        let item = self.list.get(self.next).cloned();
        self.next += 1;
        item.ok_or_else(|| self.fault(self.text.len(), format!("{} needs {wanted} here", self.op.name())))
    }

    fn wrong<T>(&self, column: usize, wanted: &str, found: &Operand) -> Result<T, Fault> {
        Err(self.fault(column, format!("{} needs {wanted} here, found {}", self.op.name(), found.kind())))
    }

    fn range(&self, column: usize, register: u64) -> Result<u8, Fault> {
        if register < REGISTERS as u64 {
            return Ok(register as u8);
        }
        Err(Fault::new(column, format!("register r{register} does not exist")).help("registers are r0 to r31"))
    }

    fn register(&mut self, wanted: &str) -> Result<u8, Fault> {
        match self.take(wanted)? {
            (column, Operand::Register(n)) => self.range(column, n),
            (column, other) => self.wrong(column, wanted, &other),
        }
    }

    /// The number of an output word, of a varying's word, or of a place.
    fn word_number(&mut self) -> Result<u32, Fault> {
        match self.take("a number, such as #4")? {
            (_, Operand::Immediate(n)) if n < 64 => Ok(n),
            (column, Operand::Immediate(n)) => {
                Err(Fault::new(column, format!("word {n} does not exist")).help("words are #0 to #63"))
            }
            (column, other) => self.wrong(column, "a number, such as #4,", &other),
        }
    }

    fn operand_b(&mut self, i: &mut Instr) -> Result<(), Fault> {
        const WANTED: &str = "a register, an immediate or a constant-bank word";
        match self.take(WANTED)? {
            (column, Operand::Register(n)) => i.b = self.range(column, n)?,
            (_, Operand::Immediate(n)) => (i.b_mode, i.imm) = (BMode::Imm, n),
            (_, Operand::Constant(n)) if n < CONST_WORDS as u64 => (i.b_mode, i.imm) = (BMode::Const, n as u32),
            (column, Operand::Constant(n)) => {
                return Err(Fault::new(column, format!("constant-bank word {n} does not exist"))
                    .help(format!("words are 0 to {}", CONST_WORDS - 1)))
            }
            (column, other) => return self.wrong(column, WANTED, &other),
        }
        Ok(())
    }

    fn address(&mut self) -> Result<(u8, u32), Fault> {
        const WANTED: &str = "an address such as [r2+16]";
        match self.take(WANTED)? {
            (column, Operand::Memory { register, offset }) => {
                if !(-(1i64 << 31)..1i64 << 32).contains(&offset) {
                    return Err(Fault::new(column, format!("offset {offset} does not fit in 32 bits")));
                }
                Ok((self.range(column + 1, register)?, offset as u32))
            }
            (column, other) => self.wrong(column, WANTED, &other),
        }
    }

    fn target(&mut self) -> Result<(u32, Label), Fault> {
        const WANTED: &str = "a label or an instruction index such as @12";
        match self.take(WANTED)? {
            (_, Operand::At(n)) if n < MAX_PROGRAM as u64 => Ok((n as u32, None)),
            (column, Operand::At(n)) => {
                Err(Fault::new(column, format!("instruction index {n} is beyond {}", MAX_PROGRAM - 1)))
            }
            (column, Operand::Name(label)) => Ok((0, Some((column, label.to_string())))),
            (column, Operand::Register(_)) => self.wrong(column, WANTED, &Operand::Register(0)),
            (column, other) => self.wrong(column, WANTED, &other),
        }
    }

    fn special(&mut self) -> Result<u32, Fault> {
        const WANTED: &str = "a special register";
        match self.take(WANTED)? {
            (column, Operand::Name(text)) => {
                let lower = text.to_ascii_lowercase();
                if let Some(row) = SPECIALS.iter().find(|s| s.name == lower) {
                    return Ok(row.special as u32);
                }
                if let Some(n) = lower.strip_prefix("sr").and_then(|n| n.parse::<u32>().ok()).filter(|&n| n < 64) {
                    return Ok(n);
                }
                let names: Vec<&str> = SPECIALS.iter().map(|s| s.name).collect();
                let help = near(&lower, names.iter().copied()).map_or_else(
                    || format!("they are {}, or sr0 to sr63", names.join(", ")),
                    |n| format!("did you mean `{n}`?"),
                );
                Err(Fault::new(column, format!("unknown special register `{text}`")).help(help))
            }
            (column, other) => self.wrong(column, WANTED, &other),
        }
    }
}

/// The candidate within two edits (or a third of the length) of `word`, the closest one.
fn near<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.len() / 3).max(2);
    candidates.map(|c| (edits(word, c), c)).filter(|(d, _)| *d <= limit).min().map(|(_, c)| c)
}

/// Levenshtein distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instr::decode;

    fn one(text: &str) -> Instr {
        decode(assemble("t.s", text).unwrap().code[0]).unwrap()
    }

    fn error(text: &str) -> String {
        assemble("t.s", text).unwrap_err().to_string()
    }

    #[test]
    fn operand_forms() {
        let base = Instr { d: 1, a: 2, ..Instr::new(Op::IAdd) };
        assert_eq!(one("IADD r1, r2, r3"), Instr { b: 3, ..base });
        for (text, imm) in [
            ("#5", 5),
            ("#-1", u32::MAX),
            ("#0x10", 16),
            ("#1.5f", 0x3FC0_0000),
            ("#-0f", 0x8000_0000),
            ("#-inff", 0xFF80_0000),
            ("#nanf", 0x7FC0_0000),
            ("#1e-45f", 1),
            ("#4294967295", u32::MAX),
            ("#-2147483648", 0x8000_0000),
        ] {
            assert_eq!(
                one(&format!("iadd R1,r2 , {text} ; note")),
                Instr { b_mode: BMode::Imm, imm, ..base },
                "{text}"
            );
        }
        assert_eq!(one("IADD r1, r2, c[12] // note"), Instr { b_mode: BMode::Const, imm: 12, ..base });
        assert_eq!(one("LD.32 r1, [r2+16]"), Instr { d: 1, a: 2, imm: 16, ..Instr::new(Op::Ld32) });
        assert_eq!(one("ST.32 [ r2 - 4 ], r1"), Instr { a: 2, b: 1, imm: -4i32 as u32, ..Instr::new(Op::St32) });
        let cas = Instr { d: 1, a: 2, b: 3, c: 4, ..Instr::new(Op::ACas) };
        assert_eq!(one("ATOM32.CAS r1, [r2], r3, r4"), cas);
        assert_eq!(one("S2R r1, group_z"), Instr { d: 1, imm: 6, ..Instr::new(Op::S2R) });
        assert_eq!(one("S2R r1, sr13"), Instr { d: 1, imm: 13, ..Instr::new(Op::S2R) });
        assert_eq!(one("ACS r7"), Instr { b: 7, ..Instr::new(Op::Acs) });
        assert_eq!(one("rls #9"), Instr { b_mode: BMode::Imm, imm: 9, ..Instr::new(Op::Rls) });
        assert_eq!(one("ASR c[3]"), Instr { b_mode: BMode::Const, imm: 3, ..Instr::new(Op::Asr) });
        assert_eq!(one("WTS"), Instr::new(Op::Wts));
        assert_eq!(one("BRA @12"), Instr { imm: 12, ..Instr::new(Op::Bra) });
    }

    #[test]
    fn labels_and_lines() {
        let p = assemble(
            "t.s",
            "start: MOV r1, #3\n\nloop: again:\n  ISUB r1, r1, #1\n BNZ r1, loop\n.word 0xff\nBRA end\nend: END",
        )
        .unwrap();
        assert_eq!(p.lines, [1, 4, 5, 6, 7, 8]);
        assert_eq!(p.labels["again"], 1);
        assert_eq!(decode(p.code[2]).unwrap().target(), Some(1));
        assert_eq!(p.code[3], 0xFF);
        assert_eq!(decode(p.code[4]).unwrap().target(), Some(5));
    }

    #[test]
    fn errors_point_and_help() {
        for (text, wanted) in [
            ("\n  IAD r1, r2, r3", "t.s:2:3: unknown instruction `IAD`\n  help: did you mean `IADD`?"),
            ("IADD r1, r32, r3", "t.s:1:10: register r32 does not exist\n  help: registers are r0 to r31"),
            ("IADD r1, #4, r3", "t.s:1:10: IADD needs a source register here, found an immediate\n  help: the form is `IADD d, a, B`"),
            ("IADD r1, r2", "t.s:1:12: IADD needs a register, an immediate or a constant-bank word here\n  help: the form is `IADD d, a, B`"),
            ("ACS", "t.s:1:4: ACS needs a register, an immediate or a constant-bank word here\n  help: the form is `ACS B`"),
            ("RLS r1, r2", "t.s:1:9: too many operands\n  help: the form is `RLS B`"),
            ("END r1", "t.s:1:5: too many operands\n  help: the form is `END`"),
            ("IADD r1, r2 r3", "t.s:1:13: `r3` was not expected here\n  help: separate operands with commas"),
            ("IADD r1, r2,", "t.s:1:12: an operand is missing after this comma"),
            ("BRA lop\nloop: END", "t.s:1:5: label `lop` is not defined\n  help: did you mean `loop`?"),
            ("a: END\na: END", "t.s:2:1: label `a` is defined twice\n  help: rename one of the two"),
            ("MOV r1, c[1024]", "t.s:1:9: constant-bank word 1024 does not exist\n  help: words are 0 to 1023"),
            ("S2R r1, lanes", "t.s:1:9: unknown special register `lanes`\n  help: did you mean `lane`?"),
            ("LD.32 r1, r2", "t.s:1:11: LD.32 needs an address such as [r2+16] here, found a register\n  help: the form is `LD.32 d, [a+imm]`"),
            ("BAR.merge", "t.s:1:1: BAR carries no event\n  help: write MERGE behind it"),
            ("BRA @65536", "t.s:1:5: instruction index 65536 is beyond 65535"),
        ] {
            assert_eq!(error(text), wanted, "{text}");
        }
        assert!(error("MOV r1, #99999999999").contains("`#99999999999` is not an operand"));
        assert!(error("?").contains("t.s:1:1: expected a mnemonic"));
        assert!(error(".word 1 2").contains("`.word` needs one 64-bit number"));
    }
}
