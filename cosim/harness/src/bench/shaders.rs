//! Speed of the compiler on a folder of shaders: source to machine code, in this process, which has
//! compiled before, one after the other. Of several rounds the best of each shader counts.
//!
//! Wrong would be to measure a build that verifies after every pass: [`VERIFIES`] says so.

use std::path::{Path, PathBuf};
use std::time::Instant;

use quadlock_shader::CompileRequest;
use serde_json::json;

use crate::base::files::{read, MOST_TEXT};
use crate::check::shaders::one::{self, Outcome};
use crate::check::shaders::report::quantile;

/// Milliseconds that the median must not exceed, and that it should not.
pub const MUST: f64 = 10.0;
/// What is aimed at.
pub const AIM: f64 = 3.0;

/// Whether this build verifies the program after every pass.
pub const VERIFIES: bool = cfg!(debug_assertions);

/// Figures of compute entry points that are accepted.
pub struct Row {
    pub entries: usize,
    /// Median and 99th percentile of the whole way, and median to SSA, in milliseconds.
    pub median: f64,
    pub p99: f64,
    pub front: f64,
    /// Milliseconds of the first shader, with which the library is compiled; none if it is refused.
    pub first: Option<f64>,
    /// Medians: bytes of the source, instructions of the machine.
    pub bytes: f64,
    pub instructions: f64,
}

/// Measures the shaders at `paths` below `folder`; none if none is a compute shader.
pub fn measure(folder: &Path, paths: &[PathBuf], rounds: u32, told: impl Fn()) -> Option<Row> {
    let (mut whole, mut front, mut bytes, mut instructions) = (vec![], vec![], vec![], vec![]);
    let compile = |path: &PathBuf| one::check(&folder.join(path), false);
    let first = paths.first().and_then(|path| first(&folder.join(path)));
    for path in paths {
        let mut best = compile(path);
        for _ in 1..rounds {
            let again = compile(path);
            for (a, b) in best.entries.iter_mut().zip(&again.entries) {
                a.front_ms = a.front_ms.min(b.front_ms);
                a.compile_ms = a.compile_ms.zip(b.compile_ms).map(|(a, b)| a.min(b));
            }
        }
        told();
        for entry in best.entries.iter().filter(|_| best.outcome == Outcome::Accepted) {
            let (Some(ms), Some(size)) = (entry.compile_ms, entry.instructions) else { continue };
            whole.push(ms);
            front.push(entry.front_ms);
            bytes.push(best.bytes as f64);
            instructions.push(size as f64);
        }
    }
    Some(Row {
        first,
        entries: whole.len(),
        median: quantile(whole.clone(), 0.5)?,
        p99: quantile(whole, 0.99)?,
        front: quantile(front, 0.5)?,
        bytes: quantile(bytes, 0.5)?,
        instructions: quantile(instructions, 0.5)?,
    })
}

/// Milliseconds of the first compilation of this process, if that is what it is.
fn first(path: &Path) -> Option<f64> {
    let data = read(path, MOST_TEXT).ok()?;
    let name = path.to_string_lossy();
    let start = Instant::now();
    let done = quadlock_shader::compile(&CompileRequest::new(&name, &data));
    done.is_ok().then(|| start.elapsed().as_secs_f64() * 1000.0)
}

impl Row {
    /// For people.
    pub fn text(&self) -> String {
        let verifies = if VERIFIES { "this build verifies after every pass: measure a release build\n" } else { "" };
        let first =
            self.first.map_or(String::new(), |ms| format!("first one of the process, with the library: {ms:.3} ms\n"));
        format!(
            "{verifies}{first}{} compute entry points, median {:.0} bytes of source, {:.0} instructions\n\
             source to machine code: median {:.3} ms (must {MUST}, aim {AIM}), 99th percentile {:.2} ms; to SSA: median {:.3} ms\n",
            self.entries, self.bytes, self.instructions, self.median, self.p99, self.front
        )
    }

    /// As JSON.
    pub fn json(&self) -> String {
        let row = json!({
            "entries": self.entries, "median": self.median, "p99": self.p99, "front": self.front,
            "first": self.first, "bytes": self.bytes,
            "instructions": self.instructions, "must": MUST, "aim": AIM, "verifies": VERIFIES,
        });
        format!("{row:#}\n")
    }
}
