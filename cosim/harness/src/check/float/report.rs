//! What a check found: a row for each operation and engine, as text and as JSON, and each wrong
//! result with the options that run it again.

use std::fmt::{self, Write};

use serde::Serialize;

use super::engine::EngineName;
use super::rtl::Cycles;

/// A wrong result.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Mnemonic.
    pub op: &'static str,
    /// Whose result is wrong.
    pub engine: EngineName,
    /// So many as the operation has.
    pub operands: Vec<u32>,
    /// The engine's 32 bits.
    pub got: u32,
    /// The right result, or of an approximated function on the golden model the f32 nearest to the
    /// real value.
    pub want: u32,
}

impl Difference {
    /// Options of `float-check` that run only this.
    pub fn options(&self) -> String {
        format!("--op {} --engine {} --operands {}", self.op, self.engine.name(), self.words())
    }

    fn words(&self) -> String {
        let words: Vec<String> = self.operands.iter().map(|w| format!("{w:08x}")).collect();
        words.join(",")
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, engine, got, want, .. } = self;
        write!(f, "{op} on {}: {} gives {got:08x}, should be {want:08x}", engine.name(), self.words())
    }
}

/// What was found of one operation on one engine.
#[derive(Clone, Debug)]
pub struct Row {
    /// Mnemonic, or the name of a mixture.
    pub op: String,
    /// What was checked.
    pub engine: EngineName,
    /// Operand vectors that were run.
    pub vectors: u64,
    /// Vectors with a wrong result.
    pub differences: u64,
    /// Largest distance from the real value in units in the last place; of exact operations from
    /// the right result, so 0 if there are no differences.
    pub max_ulp: f64,
    /// Largest absolute error, of approximated functions.
    pub max_abs: Option<f64>,
    /// On the RTL.
    pub cycles: Option<Cycles>,
    /// Of the engine alone, summed over the workers.
    pub seconds: f64,
    /// The first wrong results.
    pub examples: Vec<Difference>,
}

/// The keys of docs/float-check.md, in this order.
#[derive(Serialize)]
struct Json<'a> {
    op: &'a str,
    engine: &'static str,
    vectors: u64,
    differences: u64,
    max_ulp: f64,
    max_abs: Option<f64>,
    /// Latency in cycles.
    cycles: Option<u64>,
    /// Cycles between two warp instructions.
    interval: Option<f64>,
    seconds: f64,
}

/// The rows as a JSON list; what is not known is null.
pub fn json(rows: &[Row]) -> String {
    let list: Vec<Json> = rows
        .iter()
        .map(|row| Json {
            op: &row.op,
            engine: row.engine.name(),
            vectors: row.vectors,
            differences: row.differences,
            max_ulp: row.max_ulp,
            max_abs: row.max_abs,
            cycles: row.cycles.map(|c| c.latency),
            interval: row.cycles.map(|c| c.interval),
            seconds: row.seconds,
        })
        .collect();
    // A list of plain numbers and strings always serialises.
    serde_json::to_string_pretty(&list).unwrap_or_default() + "\n"
}

/// Digits in groups of three.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The rows as a table.
pub fn text(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<14} {:<6} {:>13} {:>11} {:>8} {:>9} {:>7} {:>8} {:>8}\n",
        "op", "engine", "vectors", "differences", "max ulp", "max abs", "cycles", "interval", "seconds"
    );
    for row in rows {
        let absolute = row.max_abs.map_or("-".into(), |e| format!("{e:.2e}"));
        let (latency, interval) =
            row.cycles.map_or(("-".into(), "-".into()), |c| (c.latency.to_string(), format!("{:.2}", c.interval)));
        let (vectors, differences) = (grouped(row.vectors), grouped(row.differences));
        let _ = writeln!(
            out,
            "{:<14} {:<6} {vectors:>13} {differences:>11} {:>8.3} {absolute:>9} {latency:>7} {interval:>8} {:>8.2}",
            row.op,
            row.engine.name(),
            row.max_ulp,
            row.seconds
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_its_keys() {
        let row = Row {
            op: "FADD".into(),
            engine: EngineName::Rtl,
            vectors: 46_464,
            differences: 0,
            max_ulp: 0.0,
            max_abs: None,
            cycles: Some(Cycles { latency: 5, interval: 1.0 }),
            seconds: 0.5,
            examples: vec![],
        };
        let list: Vec<serde_json::Value> = serde_json::from_str(&json(std::slice::from_ref(&row))).unwrap();
        assert_eq!((&list[0]["op"], &list[0]["engine"]), (&"FADD".into(), &"rtl".into()));
        assert_eq!((&list[0]["vectors"], &list[0]["differences"]), (&46_464.into(), &0.into()));
        assert!(list[0]["max_ulp"] == 0.0 && list[0]["max_abs"].is_null() && list[0]["cycles"] == 5);
        assert!(text(&[row]).contains("46,464"));
    }

    #[test]
    fn a_difference_says_how_to_see_it_again() {
        let d = Difference { op: "FDIV", engine: EngineName::Golden, operands: vec![1, 0x3F80_0000], got: 2, want: 1 };
        assert_eq!(d.options(), "--op FDIV --engine golden --operands 00000001,3f800000");
        assert_eq!(d.to_string(), "FDIV on golden: 00000001,3f800000 gives 00000002, should be 00000001");
    }
}
