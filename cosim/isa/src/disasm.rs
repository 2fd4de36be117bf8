//! The disassembler: words to text that the assembler turns back into the same word, for every one
//! of the 2^64 words.
//!
//! Words that no text can express (undefined encodings, and defined ones with bits set in ignored
//! fields) become `.word` with the reason as a comment. It can be wrong where text and assembler
//! disagree; the property test covers all rows and modes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::instr::{decode, BMode, Event, Instr, Undefined};
use crate::table::{Shape, SPECIALS};

/// Instruction index -> label, for branch targets.
pub type Labels = BTreeMap<u16, String>;

/// The text of one word.
pub fn disassemble(word: u64, labels: Option<&Labels>) -> String {
    match decode(word) {
        Ok(i) if i == i.canonical() => text(&i, labels),
        Ok(i) => format!(".word {word:#018x}  ; {} with bits set in ignored fields", text(&i.canonical(), labels)),
        Err(why) => undefined(word, why),
    }
}

fn undefined(word: u64, why: Undefined) -> String {
    format!(".word {word:#018x}  ; undefined: {why}")
}

/// A whole program, one instruction per line, with a label line before each branch target.
pub fn disassemble_program(code: &[u64]) -> String {
    let targets = code.iter().filter_map(|&w| decode(w).ok()?.target());
    let labels: Labels = targets.filter(|&t| (t as usize) < code.len()).map(|t| (t, format!("L{t}"))).collect();
    let mut out = String::new();
    for (i, &word) in code.iter().enumerate() {
        if let Some(label) = u16::try_from(i).ok().and_then(|i| labels.get(&i)) {
            let _ = writeln!(out, "{label}:");
        }
        let _ = writeln!(out, "    {}", disassemble(word, Some(&labels)));
    }
    out
}

fn immediate(i: &Instr) -> String {
    let x = f32::from_bits(i.imm);
    // Small integers in float instructions are more likely bit patterns than subnormals.
    if i.op.is_float() && !x.is_nan() && (i.imm == 0 || x.is_normal() || x.is_infinite()) {
        return if x == 0.0 || (1e-4..1e9).contains(&x.abs()) { format!("#{x}f") } else { format!("#{x:e}f") };
    }
    match i.imm as i32 {
        n @ -4096..=65535 => format!("#{n}"),
        _ => format!("#{:#x}", i.imm),
    }
}

fn text(i: &Instr, labels: Option<&Labels>) -> String {
    let b = || match i.b_mode {
        BMode::Reg => format!("r{}", i.b),
        BMode::Imm => immediate(i),
        BMode::Const => format!("c[{}]", i.imm),
    };
    let target = || match labels.and_then(|l| l.get(&(i.imm as u16))) {
        Some(label) => label.clone(),
        None => format!("@{}", i.imm),
    };
    let address = || format!("[r{}{:+}]", i.a, i.imm as i32);
    let n = i.op.name().to_string() + i.event.map_or("", Event::suffix);
    let (d, a, c) = (i.d, i.a, i.c);
    match i.op.shape() {
        Shape::None => n,
        Shape::Target => format!("{n} {}", target()),
        Shape::CondTarget => format!("{n} r{a}, {}", target()),
        Shape::B => format!("{n} {}", b()),
        Shape::DB => format!("{n} r{d}, {}", b()),
        Shape::DA => format!("{n} r{d}, r{a}"),
        Shape::DAB => format!("{n} r{d}, r{a}, {}", b()),
        Shape::DABC => format!("{n} r{d}, r{a}, {}, r{c}", b()),
        Shape::Special => match SPECIALS.iter().find(|s| s.special as u32 == i.imm) {
            Some(s) => format!("{n} r{d}, {}", s.name),
            None => format!("{n} r{d}, sr{}", i.imm),
        },
        Shape::Output => format!("{n} #{}, r{a}", i.imm),
        Shape::Fetch { .. } => format!("{n} r{d}, #{}", i.imm),
        Shape::Load { .. } => format!("{n} r{d}, {}", address()),
        Shape::Store { .. } => format!("{n} {}, r{}", address(), i.b),
        Shape::Atomic { .. } => format!("{n} r{d}, {}, r{}", address(), i.b),
        Shape::AtomicCas { .. } => format!("{n} r{d}, {}, r{}, r{c}", address(), i.b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::assemble;
    use crate::instr::encode;
    use crate::table::TABLE;
    use proptest::prelude::*;

    fn round_trip(word: u64) {
        let text = disassemble(word, None);
        let again = assemble("t.s", &text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(again.code, [word], "{text}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Text -> bits -> text over all rows, modes and operands.
        #[test]
        fn every_instruction_round_trips(row in 0..TABLE.len(), mode in 0u64..3, event in 0u64..4, fields in any::<u32>(), imm in prop_oneof![any::<u32>(), 0u32..2048]) {
            let shape = TABLE[row].shape;
            let mode = if shape.b_modes() >> mode & 1 == 1 { mode } else { 0 };
            let op = u64::from(TABLE[row].code) | u64::from(TABLE[row].in_shared) << 30;
            let event = if event > 1 && TABLE[row].op.carries_events() { event } else { 0 };
            let word = op | u64::from(fields & 0x0FFF_FF00) | mode << 28 | event << 30 | u64::from(imm) << 32;
            let i = decode(word).unwrap();
            prop_assert_eq!(encode(&i), word);
            round_trip(word);
            let canonical = encode(&i.canonical());
            round_trip(canonical);
            prop_assert!(!disassemble(canonical, None).starts_with(".word"));
        }

        #[test]
        fn every_word_round_trips(word in any::<u64>()) {
            round_trip(word);
        }
    }

    #[test]
    fn float_immediates_round_trip() {
        for imm in [
            0,
            1,
            0x8000_0000,
            0x3F80_0000,
            0x7F80_0000,
            0xFF80_0000,
            0x7FC0_0000,
            0x7F7F_FFFF,
            0x0080_0000,
            0xC2F6_E979,
        ] {
            round_trip(0x40 | 1 << 28 | imm << 32);
        }
        assert_eq!(disassemble(0x40 | 1 << 28 | 0x3FC0_0000 << 32, None), "FADD r0, r0, #1.5f");
    }

    #[test]
    fn undefined_words_say_why() {
        assert_eq!(disassemble(0x0F, None), ".word 0x000000000000000f  ; undefined: opcode 0x0f is not assigned");
        assert!(disassemble(0x02 | 1 << 28, None).contains("operand mode 1 is not defined for END"));
        assert!(disassemble(0x02 | 1 << 30, None).contains("bit 30 is not"));
        assert!(disassemble(0x02 | 1 << 31, None).contains("bit 31 is not zero, and it carries no event"));
        assert_eq!(disassemble(0x10 | 2 << 30, None), "IADD.MERGE r0, r0, r0");
        assert_eq!(disassemble(0xCB | 1 << 30, None), "WATOMS32.LOCK r0, [r0+0], r0");
        assert!(disassemble(0x102, None).contains("END with bits set in ignored fields"));
    }

    #[test]
    fn program_text_has_labels() {
        let code = assemble("t.s", "l: BNZ r1, l\nEND").unwrap().code;
        assert_eq!(disassemble_program(&code), "L0:\n    BNZ r1, L0\n    END\n");
        assert_eq!(assemble("t.s", &disassemble_program(&code)).unwrap().code, code);
    }
}
