//! Jobs and shaders with random changes: whatever they are, they end as a program or as an error,
//! never in a panic. Made from the examples and from the inputs beside this file, by seed;
//! `QUADLOCK_MUTATIONS` sets how many of each (`make fuzz-inputs`). A job is read, compiled and
//! bound, not run. It can be wrong by changes so wild that nothing gets past the parser: the number
//! that compile is demanded to be above 0.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::{Job, Size};
use quadlock_shader::binary::ShaderBinary;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Changes of each kind of input when nothing else is asked for.
const EVERY_DAY: u64 = 400;

fn count() -> u64 {
    std::env::var("QUADLOCK_MUTATIONS").map_or(EVERY_DAY, |n| n.parse().expect("a number"))
}

/// Files below a folder that end so.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut out = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(files(&path, endings));
        } else if path.extension().is_some_and(|e| endings.iter().any(|x| e == *x)) {
            out.push(path);
        }
    }
    out.sort();
    out
}

/// What is put into texts: what has meaning somewhere, and limits.
const PIECES: [&str; 44] = [
    "0",
    "-1",
    "4294967295",
    "4294967296",
    "1e39",
    "nan",
    "inf",
    "\"\"",
    "[]",
    "{}",
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
    "#define",
    "#if",
    "#endif",
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
    "true",
    "x",
    ".xyz",
    "<<",
    "[1]",
    "array<u32, 4>",
    "const",
];

/// The text with one to four changes: pieces of lines removed, doubled, swapped, or replaced.
fn mutated(text: &str, rng: &mut ChaCha8Rng) -> String {
    let mut out = text.to_owned();
    for _ in 0..rng.random_range(1..=4) {
        let tokens: Vec<(usize, usize)> = tokens(&out);
        let Some(&(from, to)) = tokens.choose(rng) else { return out };
        let &(other, end) = tokens.choose(rng).unwrap();
        let new = match rng.random_range(0..6) {
            0 => String::new(),
            1 => out[from..to].repeat(2),
            2 => out[other..end].to_owned(),
            3 => PIECES.choose(rng).unwrap().to_string(),
            4 => format!("{} {}", &out[from..to], PIECES.choose(rng).unwrap()),
            _ => {
                // The rest of the text is cut off, sometimes.
                if rng.random_range(0..8) == 0 {
                    out.truncate(to);
                }
                continue;
            }
        };
        out.replace_range(from..to, &new);
    }
    out
}

/// Words and single other characters, without white space.
fn tokens(text: &str) -> Vec<(usize, usize)> {
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

/// Runs `check` on mutations; whether each was taken. A panic names seed and text.
fn all(sources: &[PathBuf], check: impl Fn(&Path, &str) -> bool) -> u64 {
    let mut taken = 0;
    for seed in 0..count() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let path = sources.choose(&mut rng).unwrap();
        let text = mutated(&std::fs::read_to_string(path).unwrap(), &mut rng);
        match catch_unwind(AssertUnwindSafe(|| check(path, &text))) {
            Ok(good) => taken += u64::from(good),
            Err(_) => panic!("seed {seed}, from {}:\n{text}", path.display()),
        }
    }
    taken
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn mutated_shaders_compile_or_are_refused() {
    let mut sources = files(&root().join("examples"), &["comp", "wgsl"]);
    sources.extend(files(&root().join("cosim/harness/tests"), &["comp", "wgsl"]));
    let taken =
        all(&sources, |path, text| program::compile(path, text.as_bytes(), None, &CompilerOptions::default()).is_ok());
    assert!(taken > 0);
}

/// A binary with a few changed, cut or doubled bytes is read and bound, or refused.
#[test]
fn mutated_binaries_are_bound_or_refused() {
    let path = root().join("examples/edge-detect/job.toml");
    let job = Job::read(&path, Size::Whole).unwrap();
    let whole = program::of_job(&job, &CompilerOptions::default()).unwrap().write();
    let config = job.config(None, None).unwrap();
    for seed in 0..count() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = whole.clone();
        for _ in 0..rng.random_range(1..=6) {
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..8) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes.insert(at, 0),
                2 => bytes[at] = 0xFF,
                _ => bytes[at] ^= 1 << rng.random_range(0..8),
            }
        }
        let bound = catch_unwind(AssertUnwindSafe(|| {
            ShaderBinary::read(&bytes).is_ok_and(|binary| job.prepare(&binary, &config).is_ok())
        }));
        assert!(bound.is_ok(), "seed {seed}");
    }
}

#[test]
fn mutated_jobs_are_bound_or_refused() {
    let sources = files(&root().join("examples"), &["toml"]);
    let options = CompilerOptions::default();
    let taken = all(&sources, |path, text| {
        let size = if text.len() % 2 == 0 { Size::Whole } else { Size::Small };
        let Ok(job) = Job::parse(path, text.to_owned(), size) else { return false };
        let Ok(config) = job.config(None, None) else { return false };
        let Ok(binary) = program::of_job(&job, &options) else { return false };
        job.prepare(&binary, &config).is_ok()
    });
    assert!(taken > 0);
}
