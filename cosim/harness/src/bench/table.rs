//! The table of the bench: its rows in their order with what they must and should reach, their
//! results, and how they are printed, as text and as JSON. In every row a ratio above 1 means that
//! the simulator under test is ahead. It can be wrong by turning a ratio upside down: tests pin the
//! direction of each row.

use serde::Serialize;

/// A row: name, unit of both figures, the ratio that it must reach and the one it aims at, and
/// which way it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub name: &'static str,
    pub unit: &'static str,
    pub must: f64,
    pub aim: f64,
    /// Figures are speeds (ratio ours / peer); else times (ratio peer / ours).
    pub speed: bool,
    /// What is compared with what.
    pub about: &'static str,
}

const fn speed(name: &'static str, must: f64, aim: f64, about: &'static str) -> Figure {
    Figure { name, unit: "cycles/s", must, aim, speed: true, about }
}

const fn time(name: &'static str, must: f64, aim: f64, about: &'static str) -> Figure {
    Figure { name, unit: "s", must, aim, speed: false, about }
}

/// The rows, in their order.
pub const FIGURES: [Figure; 7] = [
    speed("steady", 1.0, 2.0, "whole core on the matrix multiply, against Verilator"),
    speed("stalled", 2.0, 5.0, "whole core mostly waiting for memory, against Verilator"),
    time("first-10k", 10.0, 50.0, "from Verilog text to 10,000 cycles done, against Verilator with its C++ build"),
    speed("rust-hdl", 300.0, 1000.0, "the matrix multiply, against rust-hdl's own engine"),
    speed("waves", 1.0, 2.0, "the matrix multiply with all signals in an FST file, against Verilator's FST"),
    time(
        "lockstep",
        1.0 / 1.5,
        1.0 / 1.2,
        "the job with the golden model beside it (ours), against the RTL alone (peer)",
    ),
    time("compile", 1.0, 5.0, "Verilog text to runnable, against 1 s"),
];

/// What came of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Both figures, in the row's unit.
    Measured { ours: f64, peer: f64 },
    /// The peer is not there: why, and what to do.
    Missing(String),
    /// Something did not run, or computed something else.
    Failed(String),
}

/// A row whose timings lie further apart says so: the machine had other work meanwhile, or the
/// timings did not measure the same.
pub const MOST_SPREAD: f64 = 0.25;

/// How far the ratios of some timings (ours, peer) lie apart; none of a single one.
pub fn spread(timings: &[(f64, f64)]) -> Option<f64> {
    let ratios: Vec<f64> = timings.iter().map(|(ours, peer)| ours / peer).collect();
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    (ratios.len() > 1).then(|| most / least - 1.0)
}

impl Outcome {
    /// The best of each side's timings (ours, peer): what disturbs a machine makes both slower.
    pub fn best(figure: &Figure, timings: &[(f64, f64)]) -> Self {
        let best = |values: &mut dyn Iterator<Item = f64>| match figure.speed {
            true => values.fold(0.0, f64::max),
            false => values.fold(f64::INFINITY, f64::min),
        };
        let ours = best(&mut timings.iter().map(|t| t.0));
        Self::Measured { ours, peer: best(&mut timings.iter().map(|t| t.1)) }
    }
}

/// A row with its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub figure: Figure,
    pub outcome: Outcome,
    /// How far the ratios of its timings lie apart, as a part of the smaller one.
    pub spread: Option<f64>,
    /// Lines below the table.
    pub notes: Vec<String>,
}

impl Row {
    /// How far we are ahead, if both were measured.
    pub fn ratio(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Measured { ours, peer } if self.figure.speed => Some(ours / peer),
            Outcome::Measured { ours, peer } => Some(peer / ours),
            _ => None,
        }
    }

    /// In a word or two, or the reason why there is no figure; and whether its timings disagree.
    pub fn verdict(&self) -> String {
        let disagree = self.spread.is_some_and(|s| s > MOST_SPREAD);
        self.reached() + if disagree { "; TIMINGS DISAGREE" } else { "" }
    }

    fn reached(&self) -> String {
        match (&self.outcome, self.ratio()) {
            (Outcome::Missing(what), _) => format!("not measured: {what}"),
            (Outcome::Failed(what), _) => format!("FAILED: {what}"),
            (_, Some(r)) if r >= self.figure.aim => "aim reached".to_owned(),
            (_, Some(r)) if r >= self.figure.must => "must reached".to_owned(),
            _ => "MUST NOT REACHED".to_owned(),
        }
    }
}

#[derive(Serialize)]
struct Json<'a> {
    name: &'a str,
    ours: Option<f64>,
    peer: Option<f64>,
    ratio: Option<f64>,
    unit: &'a str,
    must: f64,
    aim: f64,
    spread: Option<f64>,
}

/// The rows as a JSON list of {name, ours, peer, ratio, unit, must, aim, spread}; a figure that was
/// not measured is null.
pub fn json(rows: &[Row]) -> String {
    let list: Vec<Json> = rows
        .iter()
        .map(|row| {
            let Figure { name, unit, must, aim, .. } = row.figure;
            let (ours, peer) = match row.outcome {
                Outcome::Measured { ours, peer } => (Some(ours), Some(peer)),
                _ => (None, None),
            };
            Json { name, ours, peer, ratio: row.ratio(), unit, must, aim, spread: row.spread }
        })
        .collect();
    // A list of plain numbers and strings always serialises.
    serde_json::to_string_pretty(&list).unwrap_or_default() + "\n"
}

/// A figure with three significant digits, thousands grouped.
fn number(value: f64) -> String {
    let digits = if value >= 100.0 { 0 } else { (2 - value.abs().max(1e-6).log10().floor() as i32).max(0) as usize };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(w, f)| (w, f));
    let mut out = String::new();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    if !fraction.is_empty() {
        out = out + "." + fraction;
    }
    out
}

/// The table as text.
pub fn text(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<10} {:>12} {:>12} {:>8} {:>7}  {:<8} {:>7} {:>7}  verdict\n",
        "figure", "ours", "peer", "ratio", "spread", "unit", "must", "aim"
    );
    for row in rows {
        let f = &row.figure;
        let (ours, peer) = match row.outcome {
            Outcome::Measured { ours, peer } => (number(ours), number(peer)),
            _ => ("-".to_owned(), "-".to_owned()),
        };
        let ratio = row.ratio().map_or_else(|| "-".to_owned(), number);
        let spread = row.spread.map_or_else(|| "-".to_owned(), |s| format!("{:.0} %", 100.0 * s));
        let (must, aim, verdict) = (number(f.must), number(f.aim), row.verdict());
        out += &format!(
            "{:<10} {ours:>12} {peer:>12} {ratio:>8} {spread:>7}  {:<8} {must:>7} {aim:>7}  {verdict}\n",
            f.name, f.unit
        );
    }
    out.push('\n');
    for row in rows {
        out += &format!("{:<10} {}\n", row.figure.name, row.figure.about);
        for note in &row.notes {
            out += &format!("{:<10}   {note}\n", "");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, ours: f64, peer: f64) -> Row {
        let figure = *FIGURES.iter().find(|f| f.name == name).unwrap();
        Row { figure, outcome: Outcome::Measured { ours, peer }, spread: Some(0.01), notes: Vec::new() }
    }

    #[test]
    fn timings_that_disagree_are_said_and_the_best_of_each_side_counts() {
        assert_eq!(spread(&[(2.0, 1.0)]), None);
        assert_eq!(spread(&[(2.0, 1.0), (1.0, 1.0)]), Some(1.0));
        assert_eq!(spread(&[(3.0, 2.0), (1.5, 1.0)]), Some(0.0));
        // Object files of an earlier run: the second build of the peer takes no time.
        let timings = [(0.3, 28.0), (0.3, 0.8)];
        let reused = Row { spread: spread(&timings), ..row("first-10k", 0.3, 0.8) };
        assert!(reused.verdict().ends_with("TIMINGS DISAGREE"), "{}", reused.verdict());
        assert_eq!(Outcome::best(&reused.figure, &timings), Outcome::Measured { ours: 0.3, peer: 0.8 });
        let speeds = Outcome::best(&row("steady", 1.0, 1.0).figure, &[(1.0, 5.0), (2.0, 4.0)]);
        assert_eq!(speeds, Outcome::Measured { ours: 2.0, peer: 5.0 });
        assert_eq!(row("steady", 200.0, 100.0).verdict(), "aim reached");
    }

    #[test]
    fn rows_have_their_order() {
        let names: Vec<&str> = FIGURES.iter().map(|f| f.name).collect();
        let order = ["steady", "stalled", "first-10k", "rust-hdl", "waves", "lockstep", "compile"];
        assert_eq!(names, order);
    }

    #[test]
    fn above_one_we_are_ahead() {
        for (name, ours, peer, ratio) in [
            ("steady", 600.0, 300.0, 2.0),
            ("first-10k", 0.5, 20.0, 40.0),
            ("lockstep", 12.0, 10.0, 10.0 / 12.0),
            ("compile", 0.25, 1.0, 4.0),
        ] {
            assert_eq!(row(name, ours, peer).ratio(), Some(ratio), "{name}");
        }
    }

    #[test]
    fn the_verdict_names_what_was_reached() {
        assert_eq!(row("steady", 99.0, 100.0).verdict(), "MUST NOT REACHED");
        assert_eq!(row("steady", 100.0, 100.0).verdict(), "must reached");
        assert_eq!(row("steady", 200.0, 100.0).verdict(), "aim reached");
        assert_eq!(row("lockstep", 1.5, 1.0).verdict(), "must reached");
        assert_eq!(row("lockstep", 1.51, 1.0).verdict(), "MUST NOT REACHED");
        let failed = Row { outcome: Outcome::Failed("checksum".to_owned()), ..row("steady", 1.0, 1.0) };
        assert_eq!(failed.verdict(), "FAILED: checksum");
    }

    #[test]
    fn json_has_the_keys_of_the_table_in_their_order() {
        let missing = Row { outcome: Outcome::Missing("x".to_owned()), ..row("waves", 1.0, 1.0) };
        let text = json(&[row("steady", 600.0, 300.0), missing]);
        let keys: Vec<usize> = ["name", "ours", "peer", "ratio", "unit", "must", "aim", "spread"]
            .iter()
            .map(|k| text.find(&format!("\"{k}\":")).unwrap_or_else(|| panic!("{k} in {text}")))
            .collect();
        assert!(keys.is_sorted(), "{text}");
        let list: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_str(&text).unwrap();
        assert_eq!(list.len(), 2);
        assert!(list.iter().all(|row| row.len() == 8), "{text}");
        assert_eq!(list[0]["ratio"], 2.0);
        assert_eq!(list[0]["name"], "steady");
        assert!(list[1]["ratio"].is_null());
    }

    #[test]
    fn figures_are_readable() {
        for (value, text) in [
            (1_234_567.4, "1,234,567"),
            (304.2, "304"),
            (12.345, "12.3"),
            (0.6667, "0.667"),
            (2.0, "2.00"),
            (0.0421, "0.0421"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
