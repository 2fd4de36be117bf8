//! The report of `shader-check`: text, JSON, and lists of paths. Everything but the times is the
//! same whatever the number of workers; times stand in a section of their own.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{json, Value};

use super::classes::CLASSES;
use super::one::{Answer, Entry, Outcome};
use quadlock_shader::interface::Stage;

/// What became of a folder of shaders.
pub struct Report {
    /// The folder, as it was given.
    pub folder: String,
    /// Files that are no shaders.
    pub ignored: usize,
    /// Paths below the folder, sorted, each with what became of it.
    pub files: Vec<(PathBuf, Answer)>,
}

/// Languages, in the order of tables, and the endings of their files.
const LANGUAGES: [(&str, &[&str]); 3] =
    [("spirv", &["spv"]), ("glsl", &["comp", "vert", "frag", "glsl"]), ("wgsl", &["wgsl"])];

/// Keys of the JSON report and what they mean, for the page and its test.
pub const KEYS: &[(&str, &str)] = &[
    ("folder", "as it was given"),
    ("ignored", "number of files that are no shaders"),
    ("counts", "shaders by outcome: `accepted`, `refused`, `panicked`, `slow`, `unreadable`"),
    ("languages", "the same by language: `spirv`, `glsl`, `wgsl`"),
    ("reasons", "number of refused shaders by reason, of the table above; only those that occur"),
    ("sizes", "medians: `bytes` of the accepted files, `instructions` of the machine of their compute entry points"),
    ("files", "list of `path` below the folder, `outcome`, `reason` (of refused ones), `message` (`null` if accepted; line and column, or the word, before it), `bytes`, `entries`: list of `name`, `stage`, `instructions` (`null` if not compute)"),
    ("times", "milliseconds of accepted shaders: `front` (source to SSA, all stages) and `compile` (source to machine code, compute), each `median` and `p99`; `entries`: list of `path`, `name`, `front`, `compile`"),
];

/// The keys as Markdown.
pub fn markdown() -> String {
    let rows = KEYS.iter().map(|(key, meaning)| format!("| `{key}` | {meaning} |\n"));
    "| key | meaning |\n|---|---|\n".to_string() + &rows.collect::<String>()
}

impl Report {
    /// Shaders with that outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.files.iter().filter(|f| f.1.outcome == outcome).count()
    }

    /// Whether the compiler never panicked and never took too long.
    pub fn sound(&self) -> bool {
        self.count(Outcome::Panicked) + self.count(Outcome::Slow) == 0
    }

    /// Paths with that outcome or reason, one a line.
    pub fn list(&self, which: &str) -> String {
        let chosen = |a: &Answer| a.outcome.name() == which || a.reason.as_deref() == Some(which);
        let rows = self.files.iter().filter(|f| chosen(&f.1)).map(|f| format!("{}\n", f.0.display()));
        rows.collect()
    }

    /// Shaders of the language with these endings.
    fn of_language(&self, endings: &[&str]) -> Vec<&Answer> {
        let is = |path: &PathBuf| path.extension().is_some_and(|e| endings.iter().any(|x| e.eq_ignore_ascii_case(x)));
        self.files.iter().filter(|f| is(&f.0)).map(|f| &f.1).collect()
    }

    fn reasons(&self) -> Vec<(&'static str, &'static str, usize)> {
        let count = |name: &str| self.files.iter().filter(|f| f.1.reason.as_deref() == Some(name)).count();
        let mut all: Vec<_> = CLASSES.iter().map(|c| (c.name, c.meaning, count(c.name))).filter(|r| r.2 > 0).collect();
        all.sort_by_key(|r| std::cmp::Reverse(r.2));
        all
    }

    fn accepted(&self) -> impl Iterator<Item = &(PathBuf, Answer)> {
        self.files.iter().filter(|f| f.1.outcome == Outcome::Accepted)
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.accepted().flat_map(|f| &f.1.entries)
    }

    fn sizes(&self) -> [Option<f64>; 2] {
        let bytes = self.accepted().map(|f| f.1.bytes as f64).collect();
        let instructions = self.entries().filter_map(|e| e.instructions).map(|n| n as f64).collect();
        [quantile(bytes, 0.5), quantile(instructions, 0.5)]
    }

    /// Median and 99th percentile of front end and whole compile, in milliseconds.
    fn times(&self) -> [[Option<f64>; 2]; 2] {
        let front: Vec<f64> = self.entries().map(|e| e.front_ms).collect();
        let whole: Vec<f64> = self.entries().filter_map(|e| e.compile_ms).collect();
        [front, whole].map(|times| [0.5, 0.99].map(|part| quantile(times.clone(), part)))
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut out = format!("{}: {} shaders, {} other files\n", self.folder, self.files.len(), self.ignored);
        let _ = write!(out, "{:<8}", "");
        Outcome::ALL.iter().for_each(|o| {
            let _ = write!(out, "{:>12}", o.name());
        });
        out += "\n";
        let all = ("all", self.files.iter().map(|f| &f.1).collect());
        let rows = LANGUAGES.iter().map(|(language, endings)| (*language, self.of_language(endings)));
        for (language, answers) in rows.chain([all]) {
            if answers.is_empty() {
                continue;
            }
            let _ = write!(out, "{language:<8}");
            for outcome in Outcome::ALL {
                let _ = write!(out, "{:>12}", answers.iter().filter(|a| a.outcome == outcome).count());
            }
            out += "\n";
        }
        for (name, meaning, count) in self.reasons() {
            let _ = writeln!(out, "refused {count:>6}  {name:<20}{meaning}");
        }
        for (path, answer) in &self.files {
            if matches!(answer.outcome, Outcome::Panicked | Outcome::Slow | Outcome::Unreadable) {
                let message = answer.message.as_deref().unwrap_or_default();
                let first = message.lines().next().unwrap_or_default();
                let _ = writeln!(out, "{} {}: {first}", answer.outcome.name(), path.display());
            }
        }
        if let [Some(bytes), instructions] = self.sizes() {
            let _ = write!(out, "accepted, median: {bytes:.0} bytes of source");
            if let Some(instructions) = instructions {
                let _ = write!(out, ", {instructions:.0} instructions of a compute shader");
            }
            out += "\n";
        }
        for (what, time) in ["source to SSA", "source to machine code"].into_iter().zip(self.times()) {
            if let [Some(median), Some(most)] = time {
                let _ = writeln!(out, "{what}: median {median:.2} ms, 99th percentile {most:.2} ms");
            }
        }
        out
    }

    /// As JSON, with the keys of [`KEYS`].
    pub fn json(&self) -> String {
        let counts = |answers: Vec<&Answer>| -> BTreeMap<&str, usize> {
            let count = |o: Outcome| answers.iter().filter(|a| a.outcome == o).count();
            Outcome::ALL.into_iter().map(|o| (o.name(), count(o))).collect()
        };
        let languages: BTreeMap<&str, _> =
            LANGUAGES.iter().map(|(name, endings)| (*name, counts(self.of_language(endings)))).collect();
        let reasons: BTreeMap<&str, usize> = self.reasons().iter().map(|r| (r.0, r.2)).collect();
        let files: Vec<Value> = self.files.iter().map(|(path, answer)| file(path, answer)).collect();
        let [bytes, instructions] = self.sizes();
        let [front, compile] = self.times().map(|[median, p99]| json!({ "median": median, "p99": p99 }));
        let timed = |(path, answer): &(PathBuf, Answer)| -> Vec<Value> {
            let row = |e: &Entry| json!({ "path": path.display().to_string(), "name": e.name, "front": e.front_ms, "compile": e.compile_ms });
            answer.entries.iter().map(row).collect()
        };
        let value = json!({
            "folder": self.folder,
            "ignored": self.ignored,
            "counts": counts(self.files.iter().map(|f| &f.1).collect()),
            "languages": languages,
            "reasons": reasons,
            "sizes": { "bytes": bytes, "instructions": instructions },
            "files": files,
            "times": {
                "front": front,
                "compile": compile,
                "entries": self.accepted().flat_map(timed).collect::<Vec<_>>(),
            },
        });
        format!("{value:#}\n")
    }
}

fn file(path: &std::path::Path, answer: &Answer) -> Value {
    let entry = |e: &Entry| {
        let stage = match e.stage {
            Stage::Compute => "compute",
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
        };
        json!({ "name": e.name, "stage": stage, "instructions": e.instructions })
    };
    json!({
        "path": path.display().to_string(),
        "outcome": answer.outcome.name(),
        "reason": answer.reason,
        "message": answer.message,
        "bytes": answer.bytes,
        "entries": answer.entries.iter().map(entry).collect::<Vec<_>>(),
    })
}

/// The least value that this part of all does not exceed; none of none.
pub fn quantile(mut values: Vec<f64>, part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * part).ceil() as usize;
    values.get(at.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_the_list() {
        let list: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!([0.5, 0.99, 1.0].map(|p| quantile(list.clone(), p)), [Some(100.0), Some(198.0), Some(200.0)]);
        assert_eq!([quantile(vec![3.0], 0.5), quantile(vec![3.0], 0.99)], [Some(3.0); 2]);
        assert_eq!(quantile(vec![], 0.5), None);
    }

    #[test]
    fn every_key_of_the_report_is_explained() {
        let answer = Answer::new(Outcome::Unreadable, "gone");
        let report = Report { folder: "f".into(), ignored: 1, files: vec![("x.spv".into(), answer)] };
        let value: Value = serde_json::from_str(&report.json()).unwrap();
        let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        let mut known: Vec<&str> = KEYS.iter().map(|k| k.0).collect();
        keys.sort_unstable();
        known.sort_unstable();
        assert_eq!(keys, known);
        assert!(report.sound());
    }
}
