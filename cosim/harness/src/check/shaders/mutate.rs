//! Shaders with random changes, made of a folder's: whatever they are, they end as a program or as
//! an error, in time and within the memory. Words and instructions of SPIR-V are changed, left out,
//! doubled, or taken from another module; tokens and bytes of texts likewise.
//!
//! Input `k` of a seed is the same whatever the number of workers. It can be wrong by changes so
//! wild that nothing gets past the readers: the number that compiles is reported.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use quadlock_shader::front::Lang;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::one::{Answer, Outcome};
use super::run::Settings;
use super::walk;
use super::worker::Worker;
use crate::base::error::{bad, io, Input};
use crate::base::files::write_atomic;

/// Longer files are left out: they would take most of the time.
const MOST_BYTES: usize = 1 << 16;

/// Failures that are printed; all are kept.
const MOST_PRINTED: usize = 20;

/// What is put into texts: what has meaning somewhere, and limits.
const PIECES: [&str; 40] = [
    "0",
    "-1",
    "4294967295",
    "4294967296",
    "1e39",
    "0x",
    "1.",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "=",
    "&&",
    "||",
    "?",
    ":",
    "#define",
    "#if",
    "#endif",
    "#include \"a\"",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\u{b5}",
    "\u{0}",
    "vec3",
    "uint",
    "u32",
    "if",
    "else",
    "for",
    "return",
    "x",
    ".xyz",
    "array<u32, 4>",
];

/// Shaders of one language.
struct Source {
    language: &'static str,
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// An input that did what none may do.
pub struct Failure {
    /// Number of the input.
    pub number: u64,
    /// The shader that was changed.
    pub source: PathBuf,
    /// Where the input is kept.
    pub kept: PathBuf,
    /// What it did.
    pub answer: Answer,
}

/// What became of all inputs.
pub struct Mutated {
    /// Language, outcome, number of inputs.
    pub counts: Vec<(&'static str, Outcome, u64)>,
    /// In the order of numbers.
    pub failures: Vec<Failure>,
}

/// Checks `count` inputs made of the shaders at `paths` below `folder`, the same number of each
/// language; those that fail are kept in the folder `keep`.
///
/// # Errors
/// No shader can be read, or a file cannot be written, or no worker started.
pub fn check(
    (folder, paths): (&Path, &[PathBuf]),
    (count, seed): (u64, u64),
    keep: &Path,
    settings: &Settings,
    told: impl Fn() + Sync,
) -> Input<Mutated> {
    let sources = sources(folder, paths);
    if sources.is_empty() {
        return bad(format!("no shader of at most {MOST_BYTES} bytes to change"), "name a folder that has some");
    }
    let dir = tempfile::tempdir().map_err(|e| io(&std::env::temp_dir(), "write", &e))?;
    let (next, found) = (AtomicU64::new(0), Mutex::new(Mutated { counts: vec![], failures: vec![] }));
    let work = || -> Input<()> {
        let mut worker = None;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(());
            }
            let source = &sources[(number % sources.len() as u64) as usize];
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number);
            let (from, data) = input(source, &mut rng);
            let name = format!("{number:06}.{}", from.file_name().and_then(|n| n.to_str()).unwrap_or_default());
            let path = dir.path().join(&name);
            std::fs::write(&path, &data).map_err(|e| io(&path, "write", &e))?;
            let mut current = match worker.take() {
                Some(worker) => worker,
                None => Worker::start(settings.planted)?,
            };
            let (answer, good) = current.check(&path, settings.limit);
            worker = good.then_some(current);
            // A file in a temporary folder, which goes with it.
            let _ = std::fs::remove_file(&path);
            let fails = matches!(answer.outcome, Outcome::Panicked | Outcome::Slow);
            let kept = keep.join(name);
            if fails {
                write_atomic(&kept, &data)?;
            }
            told();
            if let Ok(mut all) = found.lock() {
                all.count(source.language, answer.outcome);
                if fails {
                    all.failures.push(Failure { number, source: from.clone(), kept, answer });
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..settings.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.failures.sort_by_key(|f| f.number);
    found.counts.sort();
    Ok(found)
}

impl Mutated {
    fn count(&mut self, language: &'static str, outcome: Outcome) {
        match self.counts.iter_mut().find(|c| (c.0, c.1) == (language, outcome)) {
            Some(count) => count.2 += 1,
            None => self.counts.push((language, outcome, 1)),
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let rows = self.counts.iter().map(|(l, o, n)| format!("{l:<8}{:<12}{n:>8}\n", o.name()));
        let more = self.failures.len().saturating_sub(MOST_PRINTED);
        let more = (more > 0).then(|| format!("and {more} more\n"));
        let failures = self.failures.iter().take(MOST_PRINTED).map(|f| {
            let words = f.answer.message.as_deref().and_then(|m| m.lines().next()).unwrap_or_default();
            let (what, from) = (f.answer.outcome.name(), f.source.display());
            format!("{what} {}, from {from}: {words}\n", f.kept.display())
        });
        rows.chain(failures).chain(more).collect()
    }
}

fn sources(folder: &Path, paths: &[PathBuf]) -> Vec<Source> {
    let languages = ["spirv", "glsl", "wgsl"];
    let mut all = languages.map(|language| Source { language, files: vec![] });
    for path in paths {
        let Ok(data) = crate::base::files::read(&folder.join(path), MOST_BYTES as u64) else { continue };
        let k = match walk::language(path) {
            Some(Lang::Spirv) => 0,
            Some(Lang::Glsl(_)) => 1,
            _ => 2,
        };
        if !data.is_empty() {
            all[k].files.push((path.clone(), data));
        }
    }
    all.into_iter().filter(|s| !s.files.is_empty()).collect()
}

/// A changed shader, and which it was.
fn input<'a>(source: &'a Source, rng: &mut ChaCha8Rng) -> (&'a PathBuf, Vec<u8>) {
    let k = rng.random_range(0..source.files.len());
    let (path, data) = &source.files[k];
    let other = &source.files[rng.random_range(0..source.files.len())].1;
    let mut out = data.clone();
    for _ in 0..rng.random_range(1..=4) {
        match rng.random_range(0..8) {
            0 => bytes(&mut out, rng),
            _ if source.language == "spirv" => words(&mut out, other, rng),
            _ => out = tokens(&String::from_utf8_lossy(&out), &String::from_utf8_lossy(other), rng).into_bytes(),
        }
        out.truncate(2 * MOST_BYTES);
    }
    (path, out)
}

/// One change of bytes.
fn bytes(data: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
    if data.is_empty() {
        return data.push(rng.random());
    }
    let at = rng.random_range(0..data.len());
    match rng.random_range(0..16) {
        0 => data.truncate(at),
        1..=3 => data.insert(at, rng.random()),
        4..=6 => drop(data.remove(at)),
        7..=9 => data[at] = rng.random(),
        _ => data[at] ^= 1 << rng.random_range(0..8),
    }
}

/// One change of words or instructions of a module.
fn words(data: &mut Vec<u8>, other: &[u8], rng: &mut ChaCha8Rng) {
    let whole = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    };
    let (mut out, other) = (whole(data), whole(other));
    if out.len() <= 5 || other.len() <= 5 {
        return bytes(data, rng);
    }
    let at = rng.random_range(5..out.len());
    let (here, there) = (instruction(&out, rng), instruction(&other, rng));
    match rng.random_range(0..14) {
        0 => out[at] = rng.random_range(0..100),
        1 => out[at] = out[rng.random_range(5..out.len())],
        2 => out[at] = 1 << rng.random_range(0..32),
        3 => out[at] = u32::MAX,
        4 => out[at] = out[at].wrapping_add(1),
        5 => out[at] ^= 1 << rng.random_range(0..32),
        6 => drop(out.remove(at)),
        7 => drop(out.drain(here)),
        8 => drop(out.splice(here.start..here.start, out[here.clone()].to_vec())),
        9 => drop(out.splice(here.start..here.start, other[there].to_vec())),
        10 => drop(out.splice(here, other[there].to_vec())),
        11 => {
            let moved: Vec<u32> = out.drain(here).collect();
            let to = instruction(&out, rng).start;
            drop(out.splice(to..to, moved));
        }
        12 => out[3] = rng.random_range(0..u32::MAX),
        // The rest is another module's.
        _ => {
            out.truncate(here.start);
            out.extend(&other[there.start..]);
        }
    }
    *data = out.iter().flat_map(|w| w.to_le_bytes()).collect();
}

/// One of the instructions, as far as the words are some.
fn instruction(words: &[u32], rng: &mut ChaCha8Rng) -> std::ops::Range<usize> {
    let mut starts = vec![];
    let mut at = 5;
    while at < words.len() {
        starts.push(at);
        at += (words[at] >> 16).max(1) as usize;
    }
    let k = rng.random_range(0..starts.len().max(1));
    let start = starts.get(k).copied().unwrap_or(words.len());
    start..starts.get(k + 1).copied().unwrap_or(words.len())
}

/// One change of tokens of a text.
fn tokens(text: &str, other: &str, rng: &mut ChaCha8Rng) -> String {
    let (all, more) = (split(text), split(other));
    let (Some(&(from, to)), Some(&(first, last))) = (all.choose(rng), more.choose(rng)) else { return text.into() };
    let (start, end) = all[rng.random_range(0..all.len())];
    let new = match rng.random_range(0..9) {
        0 => String::new(),
        1 => text[from..to].repeat(2),
        2 => text[start..end].to_owned(),
        3 => PIECES.choose(rng).map_or(String::new(), |p| (*p).to_owned()),
        4 => format!("{} {}", &text[from..to], PIECES.choose(rng).unwrap_or(&"")),
        5 => other[first..last].to_owned(),
        // Much of one kind of bracket or operator.
        6 => text[from..to].repeat(rng.random_range(2..3000)),
        7 => return format!("{}{}", &text[..from], &other[first..]),
        _ => return format!("{}{}", &text[..from.min(start)], &text[from.max(start)..]),
    };
    format!("{}{new}{}", &text[..from], &text[to..])
}

/// Words and single other characters, without white space.
fn split(text: &str) -> Vec<(usize, usize)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out: Vec<(usize, usize)> = vec![];
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        match out.last_mut() {
            Some(last) if last.1 == at && part(c) && text[last.0..].starts_with(part) => last.1 = at + c.len_utf8(),
            _ => out.push((at, at + c.len_utf8())),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(language: &'static str, name: &str, data: &[u8]) -> Source {
        Source { language, files: vec![(name.into(), data.to_vec())] }
    }

    #[test]
    fn an_input_depends_on_seed_and_number_only() {
        let text = b"fn main() { let a = 1; }";
        let words: Vec<u8> = (0..40u32).flat_map(|w| (w | 2 << 16).to_le_bytes()).collect();
        for source in [source("wgsl", "a.wgsl", text), source("spirv", "a.spv", &words), source("glsl", "a.comp", b"x")]
        {
            let make = |number| {
                let mut rng = ChaCha8Rng::seed_from_u64(7);
                rng.set_stream(number);
                input(&source, &mut rng).1
            };
            let different = (0..50).filter(|&k| make(k) != source.files[0].1).count();
            assert!(different > 25, "{}: {different}", source.language);
            assert_eq!(make(3), make(3));
        }
    }

    /// Whatever stands in a module's words, changing it does not panic.
    #[test]
    fn any_bytes_can_be_changed() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for length in (0..60).cycle().take(3000) {
            let data: Vec<u8> = (0..length).map(|_| rng.random()).collect();
            for language in ["spirv", "wgsl"] {
                input(&source(language, "a", &data), &mut rng);
            }
        }
    }
}
