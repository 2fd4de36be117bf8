//! Number tokens to [`Literal`]s of any width. The rules that are easy to get wrong: a literal too
//! long for its size loses its top; one too short is filled with zeros, but with x or z if that is
//! its leftmost digit; unsized ones have at least 32 bits; only plain decimals and `'s` are signed.

use super::fail::{Fail, Res};
use crate::ast::{Literal, Span};
use crate::bits::Bits;

/// Widest literal accepted: wider ones are a typing error that would ask for gigabytes.
const WIDEST: u32 = 1 << 20;

/// Value of decimal digits (underscores allowed, nothing else: the callers have looked), as wide as
/// needed.
fn decimal_value(digits: &str, span: Span) -> Res<Bits> {
    let count = digits.len() as u32;
    if count > WIDEST / 4 {
        return Err(Fail::syntax(span, "this number is too long"));
    }
    // Nineteen digits fit one limb: the usual number takes one step.
    if count <= 19 {
        let digit = |v: u64, b: u8| v * 10 + u64::from(b - b'0');
        return Ok(Bits::new(64, digits.bytes().filter(u8::is_ascii_digit).fold(0, digit)));
    }
    // Nineteen digits at a time, on as many limbs as the value has so far: a product of the whole
    // width for each digit would take minutes.
    let mut limbs: Vec<u64> = vec![0];
    let digits: Vec<u8> = digits.bytes().filter(|&b| b != b'_').collect();
    for chunk in digits.chunks(19) {
        let mut carry = chunk.iter().fold(0, |v, b| v * 10 + u128::from(b - b'0'));
        let scale = 10u128.pow(chunk.len() as u32);
        for limb in &mut limbs {
            carry += u128::from(*limb) * scale;
            *limb = carry as u64;
            carry >>= 64;
        }
        if carry != 0 {
            limbs.push(carry as u64);
        }
    }
    Ok(Bits::from_limbs(64 * limbs.len() as u32, &limbs))
}

fn significant(value: &Bits) -> u32 {
    (0..value.width()).rev().find(|&i| value.get(i)).map_or(0, |i| i + 1)
}

/// A plain decimal number.
pub(super) fn plain(digits: &str, span: Span) -> Res<Literal> {
    let value = decimal_value(digits, span)?;
    let width = significant(&value).max(32);
    let none = Bits::zero(width);
    Ok(Literal { width: None, signed: true, value: value.zext(width), x: none.clone(), z: none })
}

/// A based number, with its size if it has one.
pub(super) fn based(size: Option<&str>, signed: bool, base: char, digits: &str, span: Span) -> Res<Literal> {
    let width = match size {
        None => None,
        Some(s) => match decimal_value(s, span)?.small() {
            Some(0) => return Err(Fail::syntax(span, "a literal's size must be at least 1")),
            Some(w) if w <= u64::from(WIDEST) => Some(w as u32),
            _ => return Err(Fail::syntax(span, format!("a literal's size must be at most {WIDEST}"))),
        },
    };
    let per = match base {
        'b' => 1,
        'o' => 3,
        'h' => 4,
        _ => return decimal_based(width, signed, digits, span),
    };
    let count = digits.bytes().filter(|&b| b != b'_').count() as u32;
    let room = count.saturating_mul(per).max(width.unwrap_or(32));
    if room > WIDEST {
        return Err(Fail::syntax(span, "this number is too long"));
    }
    let (mut value, mut x, mut z) = (Bits::zero(room), Bits::zero(room), Bits::zero(room));
    let mut bit = 0;
    let mut top = '0';
    for c in digits.chars().rev().filter(|&c| c != '_') {
        top = c;
        match (c, c.to_digit(1 << per)) {
            ('x' | 'X', _) => (bit..bit + per).for_each(|i| x.set(i, true)),
            ('z' | 'Z' | '?', _) => (bit..bit + per).for_each(|i| z.set(i, true)),
            (_, Some(d)) => (0..per).for_each(|i| value.set(bit + i, d >> i & 1 == 1)),
            _ => return Err(Fail::syntax(span, format!("{c:?} is no digit of base '{base}"))),
        }
        bit += per;
    }
    let fill = match top {
        'x' | 'X' => Some(&mut x),
        'z' | 'Z' | '?' => Some(&mut z),
        _ => None,
    };
    if let Some(fill) = fill {
        (bit..room).for_each(|i| fill.set(i, true));
    }
    let final_width = width.unwrap_or_else(|| significant(&value).max(significant(&x)).max(significant(&z)).max(32));
    Ok(Literal { width, signed, value: value.zext(final_width), x: x.zext(final_width), z: z.zext(final_width) })
}

/// `'d` with digits, or a single x or z.
fn decimal_based(width: Option<u32>, signed: bool, digits: &str, span: Span) -> Res<Literal> {
    let none = |w| Bits::zero(w);
    let w = width.unwrap_or(32);
    match digits.trim_end_matches('_') {
        "x" | "X" => return Ok(Literal { width, signed, value: none(w), x: Bits::ones(w), z: none(w) }),
        "z" | "Z" | "?" => return Ok(Literal { width, signed, value: none(w), x: none(w), z: Bits::ones(w) }),
        _ => {}
    }
    if let Some(c) = digits.chars().find(|c| !c.is_ascii_digit() && *c != '_') {
        return Err(Fail::syntax(span, format!("{c:?} is no decimal digit")));
    }
    let value = decimal_value(digits, span)?;
    let w = width.unwrap_or_else(|| significant(&value).max(32));
    Ok(Literal { width, signed, value: value.zext(w), x: none(w), z: none(w) })
}
