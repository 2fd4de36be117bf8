//! Values of constants that a program leaves open: overrides of WGSL, specialisation constants of
//! SPIR-V and so of GLSL. What job and command line give is matched here with what the program
//! declares, in no language's terms. A constant is named by its name or by its id, and the value
//! has the declared type exactly: integers are whole and in range, floats are rounded to the type.
//! Wrong would be a value that goes nowhere, so a name that the program has not is an error.

use super::diag::{Diagnostic, Diagnostics};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt;

/// A number, or true or false.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of a boolean constant.
    Bool(bool),
    /// A whole number, which an integer constant takes as it is.
    Integer(i128),
    /// A number with a decimal point or an exponent: of a float constant only.
    Float(f64),
}

impl Value {
    /// A value as it stands on a command line: `true`, `-3`, `0x1f`, `2.5`, `1e-3`.
    pub fn read(text: &str) -> Option<Value> {
        match text {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            _ => {}
        }
        let whole = match text.strip_prefix("0x") {
            // Not the sign that the reader of numbers takes.
            Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => i128::from_str_radix(hex, 16).ok(),
            _ => text.parse().ok(),
        };
        let float = || text.parse().ok().filter(|_| text.contains(|c: char| c.is_ascii_digit()));
        whole.map(Value::Integer).or_else(|| float().map(Value::Float))
    }

    fn json(self) -> Json {
        match self {
            Value::Bool(b) => b.into(),
            Value::Integer(n) => i64::try_from(n).map(Json::from).unwrap_or_else(|_| (n as u64).into()),
            Value::Float(x) => x.into(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Integer(n) => write!(f, "{n}"),
            Value::Float(x) => write!(f, "{x:?}"),
        }
    }
}

/// A value for a constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Name of the constant, or its id as a decimal number.
    pub key: String,
    /// What it is to be.
    pub value: Value,
    /// Where that is written; `None` of the command line, whose values win.
    pub place: Option<Place>,
    /// Of several programs some may not have it: then it is left out.
    pub optional: bool,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

impl Given {
    /// As it was written.
    fn text(&self) -> String {
        let option = if self.place.is_none() { "--constant " } else { "" };
        format!("{option}{}={}", self.key, self.value)
    }
}

/// Type of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// True or false.
    Bool,
    /// A whole number.
    Int { bits: u32, signed: bool },
    /// A float.
    Float { bits: u32 },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bool => write!(f, "bool"),
            Kind::Int { bits, signed: true } => write!(f, "i{bits}"),
            Kind::Int { bits, signed: false } => write!(f, "u{bits}"),
            Kind::Float { bits } => write!(f, "f{bits}"),
        }
    }
}

impl Kind {
    /// The value as this type has it, or why it has none such.
    fn take(self, value: Value) -> Result<Value, String> {
        match (self, value) {
            (Kind::Bool, Value::Bool(_)) => Ok(value),
            (Kind::Bool, _) => Err("it is true or false".into()),
            (_, Value::Bool(_)) => Err("it is a number".into()),
            (Kind::Int { .. }, Value::Float(_)) => Err("it is a whole number, without a decimal point".into()),
            (Kind::Int { bits, signed }, Value::Integer(n)) => {
                let (low, high) = match signed {
                    true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    false => (0, (1i128 << bits) - 1),
                };
                let inside = (low..=high).contains(&n);
                inside.then_some(value).ok_or_else(|| format!("it is from {low} to {high}"))
            }
            (Kind::Float { bits: 32 }, Value::Integer(n)) => finite(self, f64::from(n as f32)),
            (Kind::Float { .. }, Value::Integer(n)) => finite(self, n as f64),
            (Kind::Float { .. }, Value::Float(x)) => finite(self, x),
        }
    }
}

/// Rounds to the type.
fn finite(kind: Kind, x: f64) -> Result<Value, String> {
    let rounded = match kind {
        Kind::Float { bits: 16 } => half(x).map_or(f64::INFINITY, f64::from),
        Kind::Float { bits: 32 } => f64::from(x as f32),
        _ => x,
    };
    let wrong = || format!("it is a finite number that {kind} can hold");
    rounded.is_finite().then_some(Value::Float(rounded)).ok_or_else(wrong)
}

/// The nearest number with 11 digits of an f16; none if that is too large for one.
fn half(x: f64) -> Option<f32> {
    /// Smallest normal number, and the distance of numbers below it.
    const NORMAL: f64 = 1.0 / 16384.0;
    const STEP: f64 = NORMAL / 1024.0;
    let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32) - 1023;
    let step = if x.abs() < NORMAL { STEP } else { 2f64.powi(exponent - 10) };
    let rounded = (x / step).round_ties_even() * step;
    (rounded.abs() <= 65504.0).then_some(rounded as f32)
}

/// Bits of a number that [`half`] gave.
fn half_bits(x: f64) -> u32 {
    let bits = (x as f32).to_bits();
    let sign = bits >> 16 & 0x8000;
    let exponent = (bits >> 23 & 0xff) as i32 - 112;
    match exponent {
        // Multiples of 2^-24.
        ..=0 => sign | (x.abs() * 16_777_216.0) as u32,
        _ => sign | (exponent as u32) << 10 | bits >> 13 & 0x3ff,
    }
}

impl Kind {
    /// A value of this type as packed words, the low one first; of fewer than 32 bits as a SPIR-V
    /// literal has them.
    pub fn words(self, value: Value) -> Vec<u32> {
        match (self, value) {
            (_, Value::Bool(b)) => vec![u32::from(b)],
            (Kind::Int { bits: 64, .. }, Value::Integer(n)) => vec![n as u32, (n >> 32) as u32],
            (_, Value::Integer(n)) => vec![n as u32],
            (Kind::Float { bits: 16 }, Value::Float(x)) => vec![half_bits(x)],
            (Kind::Float { bits: 64 }, Value::Float(x)) => vec![x.to_bits() as u32, (x.to_bits() >> 32) as u32],
            (_, Value::Float(x)) => vec![(x as f32).to_bits()],
        }
    }
}

/// A constant that the program leaves open.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// Empty if it has none.
    pub name: String,
    pub id: Option<u32>,
    pub kind: Kind,
    /// Where; `line` is 0 if that is not known.
    pub place: Place,
}

impl Declared {
    /// What it is called: its name, or its id if it has none.
    pub fn key(&self) -> String {
        match (self.name.is_empty(), self.id) {
            (true, Some(id)) => id.to_string(),
            _ => self.name.clone(),
        }
    }

    fn is(&self, key: &str) -> bool {
        let id = key.parse().ok().filter(|_| key.starts_with(|c: char| c.is_ascii_digit()));
        (id.is_some() && id == self.id) || (!self.name.is_empty() && self.name == key)
    }

    /// For lists.
    fn described(&self) -> String {
        match (self.name.is_empty(), self.id) {
            (false, Some(id)) => format!("`{}` (id {id}, {})", self.name, self.kind),
            (false, None) => format!("`{}` ({})", self.name, self.kind),
            (true, id) => format!("id {} ({})", id.unwrap_or(0), self.kind),
        }
    }
}

/// Values of a program's constants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chosen {
    /// By number of the declaration.
    pub values: BTreeMap<usize, Value>,
    /// By name, or by id where there is none, for the report.
    pub by_name: BTreeMap<String, Json>,
    /// Keys that the program has, as they were given.
    pub taken: Vec<String>,
}

/// What each declared constant is given; `path` is the program's. Those that nobody gives a value
/// are not in it.
pub(crate) fn choose(path: &str, given: &[Given], declared: &[Declared]) -> Result<Chosen, Diagnostics> {
    let mut errors = vec![];
    let mut by: BTreeMap<usize, &Given> = BTreeMap::new();
    for g in given {
        let found: Vec<usize> = (0..declared.len()).filter(|&d| declared[d].is(&g.key)).collect();
        let Some(&first) = found.first() else {
            if g.optional {
                continue;
            }
            errors.push(unknown(path, g, declared));
            continue;
        };
        // Declarations with one id are one constant.
        if found.iter().any(|&d| declared[d].id != declared[first].id) {
            let ids: Vec<String> = found.iter().map(|&d| declared[d].described()).collect();
            let message = format!("several constants are called `{}`", g.key);
            errors.push(error(path, g, message, format!("give it by id: {}", ids.join(", "))));
            continue;
        }
        for d in found {
            match by.get(&d) {
                Some(other) if other.place.is_none() == g.place.is_none() => {
                    let message = format!("the constant {} is given twice", declared[d].described());
                    errors.push(error(path, g, message, format!("leave out {} or {}", other.text(), g.text())));
                }
                // The command line wins.
                Some(other) if other.place.is_none() => {}
                _ => drop(by.insert(d, g)),
            }
        }
    }
    let taken = given.iter().filter(|g| declared.iter().any(|d| d.is(&g.key))).map(|g| g.key.clone());
    let mut chosen = Chosen { taken: taken.collect(), ..Chosen::default() };
    for (d, g) in by {
        match declared[d].kind.take(g.value) {
            Ok(value) => {
                chosen.by_name.insert(declared[d].key(), value.json());
                chosen.values.insert(d, value);
            }
            Err(why) => errors.push(mismatch(&declared[d], g, &why)),
        }
    }
    if errors.is_empty() {
        Ok(chosen)
    } else {
        Err(Diagnostics(errors))
    }
}

/// At the place of the value, or of nothing in the program's file.
fn error(path: &str, given: &Given, message: String, help: String) -> Diagnostic {
    match &given.place {
        Some(p) => Diagnostic { file: p.file.clone(), line: p.line, column: p.column, message, help },
        None => {
            let message = format!("{}: {message}", given.text());
            Diagnostic { file: path.into(), line: 0, column: 0, message, help }
        }
    }
}

fn unknown(path: &str, given: &Given, declared: &[Declared]) -> Diagnostic {
    /// More are not listed.
    const MOST: usize = 24;
    let help = match declared.len() {
        0 => "leave it out: the program has no overrides and no specialisation constants".into(),
        n => {
            let list: Vec<String> = declared.iter().take(MOST).map(Declared::described).collect();
            let more = if n > MOST { format!(" and {} more", n - MOST) } else { String::new() };
            format!("the program has {}{more}", list.join(", "))
        }
    };
    let id = given.key.bytes().all(|b| b.is_ascii_digit());
    let what = if id { "with the id" } else { "called" };
    error(path, given, format!("the program has no constant {what} `{}`", given.key), help)
}

/// At the place of the value, or of the declaration.
fn mismatch(declared: &Declared, given: &Given, why: &str) -> Diagnostic {
    let what = declared.described();
    let p = given.place.as_ref().unwrap_or(&declared.place);
    let message = format!("{}: not a value of the constant {what}: {why}", given.text());
    let at = match (&given.place, declared.place.line) {
        (Some(_), 1..) => {
            format!("; it is declared at {}:{}:{}", declared.place.file, declared.place.line, declared.place.column)
        }
        _ => String::new(),
    };
    let help = format!("give a value of the type {}{at}", declared.kind);
    Diagnostic { file: p.file.clone(), line: p.line, column: p.column, message, help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_they_stand_on_a_command_line() {
        for (text, value) in [
            ("true", Some(Value::Bool(true))),
            ("-3", Some(Value::Integer(-3))),
            ("18446744073709551615", Some(Value::Integer(u64::MAX.into()))),
            ("0x1F", Some(Value::Integer(31))),
            ("2.5", Some(Value::Float(2.5))),
            ("1e3", Some(Value::Float(1000.0))),
            ("0x-1", None),
            ("inf", None),
            ("nan", None),
            ("True", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(Value::read(text), value, "{text}");
        }
    }

    #[test]
    fn halves_are_the_nearest_and_their_bits_those_of_the_standard() {
        let half = Kind::Float { bits: 16 };
        for (x, bits) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (6.103515625e-5, 0x0400),
            (2f64.powi(-24), 0x0001),
            (1023.0 * 2f64.powi(-24), 0x03ff),
            (-0.0, 0x8000),
        ] {
            assert_eq!(half.words(half.take(Value::Float(x)).unwrap()), [bits], "{x}");
        }
        assert!(half.take(Value::Float(65520.0)).is_err());
        assert!(Kind::Float { bits: 32 }.take(Value::Float(3.5e38)).is_err());
    }

    #[test]
    fn integers_are_exact_to_their_ends() {
        for (bits, signed, low, high) in [
            (32, false, 0, i128::from(u32::MAX)),
            (32, true, i128::from(i32::MIN), i128::from(i32::MAX)),
            (64, false, 0, i128::from(u64::MAX)),
            (64, true, i128::from(i64::MIN), i128::from(i64::MAX)),
            (8, true, -128, 127),
        ] {
            let kind = Kind::Int { bits, signed };
            assert!(kind.take(Value::Integer(low)).is_ok() && kind.take(Value::Integer(high)).is_ok(), "{kind}");
            assert!(kind.take(Value::Integer(low - 1)).is_err() && kind.take(Value::Integer(high + 1)).is_err());
        }
        assert_eq!(Kind::Int { bits: 64, signed: true }.words(Value::Integer(-2)), [u32::MAX - 1, u32::MAX]);
        assert_eq!(Value::Integer(u64::MAX.into()).json(), Json::from(u64::MAX));
    }
}
