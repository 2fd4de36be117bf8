//! One shader through the compiler, in this process, as a job or `quadlock compile` does it. Every
//! entry point is compiled. Compute shaders become machine code; vertex and fragment shaders go
//! through front end and passes, because code is generated for compute shaders only.
//!
//! A panic ends in an answer as well, with its place. What cannot be caught (an overflow of the
//! stack, no memory) ends the process: see [`super::worker`].

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

use quadlock_shader::front::{self, Diagnostic, Diagnostics, Lang};
use quadlock_shader::interface::Stage;
use quadlock_shader::{passes, CompileRequest};
use serde::{Deserialize, Serialize};

use super::{classes, walk};
use crate::base::files::{read, MOST_TEXT};

/// What became of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Compiled.
    Accepted,
    /// An error, with a reason.
    Refused,
    /// The compiler panicked, said that it is its own mistake, or ended its process.
    Panicked,
    /// It took longer than the limit.
    Slow,
    /// The file cannot be read.
    Unreadable,
}

impl Outcome {
    /// All, in the order of tables.
    pub const ALL: [Outcome; 5] =
        [Outcome::Accepted, Outcome::Refused, Outcome::Panicked, Outcome::Slow, Outcome::Unreadable];

    /// Its name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::Refused => "refused",
            Outcome::Panicked => "panicked",
            Outcome::Slow => "slow",
            Outcome::Unreadable => "unreadable",
        }
    }
}

/// An entry point that was compiled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the source.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// Instructions of the machine; none of what is not compute.
    pub instructions: Option<usize>,
    /// Milliseconds from the source to SSA.
    pub front_ms: f64,
    /// Milliseconds from the source to machine code; none of what is not compute.
    pub compile_ms: Option<f64>,
}

/// What became of a shader, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What became of it.
    pub outcome: Outcome,
    /// Of a refused one, from [`classes::CLASSES`].
    pub reason: Option<String>,
    /// The compiler's words, with the place in the file before them.
    pub message: Option<String>,
    /// Bytes of the file.
    pub bytes: usize,
    /// Entry points that were compiled; all of them if it is accepted.
    pub entries: Vec<Entry>,
}

impl Answer {
    /// One without entry points.
    pub fn new(outcome: Outcome, message: impl Into<String>) -> Answer {
        Answer { outcome, reason: None, message: Some(message.into()), bytes: 0, entries: vec![] }
    }
}

/// Compiles the file of that path. Panics are not printed, in the whole process from now on. With
/// `planted`, shaders of certain names do what a broken compiler would.
pub fn check(path: &Path, planted: bool) -> Answer {
    let data = match read(path, MOST_TEXT) {
        Ok(data) => data,
        Err(e) => return Answer::new(Outcome::Unreadable, e.to_string()),
    };
    let name = path.to_string_lossy();
    let Some(lang) = walk::language(path) else {
        return Answer::new(Outcome::Unreadable, "its name does not say its language");
    };
    listen();
    let mut entries = vec![];
    let work = AssertUnwindSafe(|| {
        if planted {
            plant(path);
        }
        all_entries(&name, &data, lang, &mut entries)
    });
    let result = catch_unwind(work).unwrap_or_else(|_| Err((Outcome::Panicked, last_panic())));
    let failed = |outcome, reason, message| (outcome, reason, Some(message));
    let (outcome, reason, message) = match result {
        Ok(None) => (Outcome::Accepted, None, None),
        Ok(Some(error)) => failed(Outcome::Refused, Some(classes::of(&error).to_string()), words(&error)),
        Err((outcome, message)) => failed(outcome, None, message),
    };
    Answer { outcome, reason, message, bytes: data.len(), entries }
}

/// Mistakes that the tests plant, by the name of the file: what the owner of this process has to
/// notice.
fn plant(path: &Path) {
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    // Changed shaders have a number before the name.
    match stem.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "plant-panic" => front::deep(|| panic!("planted")),
        "plant-hang" => std::thread::sleep(Duration::from_secs(3600)),
        "plant-abort" => std::process::abort(),
        "plant-memory" => drop(std::hint::black_box(vec![1u8; 1 << 33])),
        _ => {}
    }
}

type Failure = (Outcome, String);

/// Compiles every entry point; the first error ends it.
fn all_entries(path: &str, data: &[u8], lang: Lang, out: &mut Vec<Entry>) -> Result<Option<Diagnostic>, Failure> {
    let names = match front::deep(|| front::parse(path, data, lang, None).map(|_| ())) {
        Ok(()) => vec![None],
        Err(e) => match several(&e) {
            Some(names) => names.into_iter().map(Some).collect(),
            None => return refused(e),
        },
    };
    for name in names {
        match entry(path, data, lang, name.as_deref()) {
            Ok(entry) => out.push(entry),
            Err(e) => return refused(e),
        }
    }
    Ok(None)
}

/// The names that the error about several entry points lists.
fn several(e: &Diagnostics) -> Option<Vec<String>> {
    let [one] = &e.0[..] else { return None };
    let list = one.help.strip_prefix("name one of: ").filter(|_| one.message.contains("several entry points"))?;
    Some(list.split(", ").map(str::to_owned).collect())
}

/// An error: of the source or, if it says so, of the compiler.
fn refused(e: Diagnostics) -> Result<Option<Diagnostic>, Failure> {
    let Some(first) = e.0.into_iter().next() else { return Err((Outcome::Panicked, "an error without words".into())) };
    let ours = ["a mistake of the compiler", "internal:", "internal error"];
    let recursion = first.message.contains("recursion");
    match !recursion && ours.iter().any(|words| first.message.contains(words) || first.help.contains(words)) {
        true => Err((Outcome::Panicked, words(&first))),
        false => Ok(Some(first)),
    }
}

/// The place in the file and the message.
fn words(e: &Diagnostic) -> String {
    match (e.line, e.column) {
        (0, 0) => e.message.clone(),
        (0, word) => format!("word {word}: {}", e.message),
        (line, column) => format!("{line}:{column}: {}", e.message),
    }
}

fn entry(path: &str, data: &[u8], lang: Lang, name: Option<&str>) -> Result<Entry, Diagnostics> {
    let start = Instant::now();
    let (parsed, lowered) = front::deep(|| {
        let parsed = front::parse(path, data, lang, name)?;
        let lowered = front::lower(&parsed, &front::Options::default())?;
        Ok::<_, Diagnostics>((parsed, lowered))
    })?;
    let front_ms = ms(start.elapsed());
    let (name, stage) = (parsed.entry_name().to_owned(), parsed.stage());
    if stage != Stage::Compute {
        let mut module = lowered.module;
        let helper_lanes = stage == Stage::Fragment;
        let freeze_position = stage == Stage::Vertex;
        let options = passes::Options { warp_wide: true, helper_lanes, freeze_position, ..Default::default() };
        let done = front::deep(|| passes::pipeline::optimise(&mut module, lowered.entry, &options));
        done.map_err(|message| {
            let help = "if the shader has no recursion, this is a mistake of the compiler".into();
            Diagnostic { file: path.into(), line: 0, column: 0, message, help }
        })?;
        return Ok(Entry { name, stage, instructions: None, front_ms, compile_ms: None });
    }
    let request = CompileRequest { lang: Some(lang), entry: Some(&name), ..CompileRequest::new(path, data) };
    let start = Instant::now();
    let compiled = quadlock_shader::compile(&request)?;
    let compile_ms = Some(ms(start.elapsed()));
    let instructions = Some(compiled.binary.code.len());
    Ok(Entry { name, stage, instructions, front_ms, compile_ms })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Where the last panic of this process was, and what it said.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Has panics noted and not printed, from now on.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let text = info.payload().downcast_ref::<&str>().map(|s| (*s).to_owned());
            let text = text.or_else(|| info.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
            let at = info.location().map_or(String::new(), |l| format!("{l}: "));
            if let Ok(mut last) = PANIC.lock() {
                *last = Some(at + &text);
            }
        }));
    });
}

fn last_panic() -> String {
    PANIC.lock().ok().and_then(|mut last| last.take()).unwrap_or_else(|| "a panic without words".into())
}
