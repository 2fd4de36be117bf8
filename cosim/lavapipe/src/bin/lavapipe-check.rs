//! `scripts/lavapipe-check`: many shaders on lavapipe and on us, with figures.
//!
//! `lavapipe-check [COUNT]` draws generated shaders until COUNT (2,000) have run; `lavapipe-check
//! one SOURCE [NAME] SEED` runs one and prints it if it differs.

use quadlock_lavapipe::case::{Case, Outcome};
use quadlock_lavapipe::vulkan::Lavapipe;
use quadlock_lavapipe::{file, glsl, integers, shapes, valid, wgsl};
use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let reference = match Lavapipe::open() {
        Ok(reference) => reference,
        Err(e) => {
            println!("skipped: no lavapipe ({e})");
            return ExitCode::SUCCESS;
        }
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ok = match words[..] {
        [] => many(&reference, 2000),
        [count] if count.parse::<usize>().is_ok() => many(&reference, count.parse().unwrap_or(0)),
        ["one", "file", path, seed] => {
            match seed.parse().map_err(|_| "no number".into()).and_then(|s| file::case(path, s)) {
                Ok(case) => one(&reference, &case),
                Err(e) => {
                    println!("{path}: not run: {e}");
                    false
                }
            }
        }
        ["one", ref what @ ..] => match by_name(what) {
            Some(case) => one(&reference, &case),
            None => return usage(),
        },
        _ => return usage(),
    };
    ExitCode::from(u8::from(!ok))
}

fn usage() -> ExitCode {
    eprintln!("lavapipe-check [COUNT] | one wgsl SEED | one glsl SEED | one glsl-opt SEED | one flow SEED | one shape NAME SEED | one integer NUMBER | one file SHADER SEED");
    ExitCode::from(2)
}

fn by_name(what: &[&str]) -> Option<Case> {
    match what {
        ["wgsl", seed] => Some(wgsl::case(seed.parse().ok()?)),
        ["glsl", seed] => Some(glsl::case(seed.parse().ok()?)),
        ["glsl-opt", seed] => Some(glsl::optimised(seed.parse().ok()?)),
        ["flow", seed] => Some(shapes::random(seed.parse().ok()?)),
        ["integer", number] => integers::case(number.parse().ok()?),
        ["shape", name, seed] if shapes::SHAPES.iter().any(|s| s.0 == *name) => {
            Some(shapes::named(name, seed.parse().ok()?))
        }
        _ => None,
    }
}

fn one(reference: &Lavapipe, case: &Case) -> bool {
    let outcome = case.run(reference);
    println!("{}\n{}: {outcome:?}", case.text, case.name);
    let path = format!("out/lavapipe/{}", case.name.replace([' ', '/'], "-"));
    let module: Vec<u8> = case.module.iter().flat_map(|w| w.to_le_bytes()).collect();
    let buffers: Vec<String> = case.buffers.iter().map(|b| format!("{}.{} {:?}", b.set, b.binding, b.words)).collect();
    let written = std::fs::create_dir_all("out/lavapipe")
        .and_then(|()| std::fs::write(format!("{path}.spv"), module))
        .and_then(|()| std::fs::write(format!("{path}.txt"), buffers.join("\n")));
    match written {
        Ok(()) => println!("module and inputs: {path}.spv, {path}.txt"),
        Err(e) => println!("{path}: {e}"),
    }
    if let Some(Err(e)) = valid::valid(&case.module) {
        println!("spirv-val: {e}");
    }
    outcome.passed()
}

/// Differences from lavapipe where no interpreter decides. By hand the first word that differs is
/// ours (docs/spirv.md).
const EXPLAINED: [(&str, &str, &str); 3] = [
    ("wgsl 131", "is 0xd, on lavapipe 0x9, and 17 words", "firstTrailingBit(16) >> 9 in a loop of one round"),
    ("wgsl 350", "is 0x0, on lavapipe 0x1, and 16 words", "countOneBits(0) / 1 in a loop of one round"),
    ("wgsl 287", "is 0xfffffffe, on lavapipe 0xfffffffc, and 6 words", "a loop of one round"),
];

/// Counts of one source.
#[derive(Default)]
struct Figures {
    equal: usize,
    invalid: usize,
    alone: Vec<String>,
    explained: Vec<String>,
    different: Vec<String>,
    refused: BTreeMap<String, usize>,
    no_reference: Vec<String>,
}

impl Figures {
    /// How many ran on all sides.
    fn run(&self) -> usize {
        self.equal + self.alone.len() + self.explained.len() + self.different.len()
    }

    fn add(&mut self, case: &Case, reference: &Lavapipe) {
        if let Some(Err(_)) = valid::valid(&case.module) {
            self.invalid += 1;
            return;
        }
        let again = format!("lavapipe-check one {}", case.name);
        match case.run(reference) {
            Outcome::Equal => self.equal += 1,
            Outcome::LavapipeAlone(what) => self.alone.push(format!("{again}: {what}")),
            Outcome::Different(what) => match EXPLAINED.iter().find(|e| e.0 == case.name && what.contains(e.1)) {
                Some((_, _, why)) => self.explained.push(format!("{again}: {why}")),
                None => self.different.push(format!("{again}: {what}")),
            },
            Outcome::Refused(why) => {
                let why = why.split_once(": ").map_or(&*why, |(_, text)| text).lines().next().unwrap_or("");
                *self.refused.entry(why.into()).or_default() += 1;
            }
            Outcome::NoReference(why) => self.no_reference.push(format!("{again}: {why}")),
        }
    }

    /// Draws until `want` have run; gives up after many more.
    fn draw(&mut self, want: usize, reference: &Lavapipe, case: impl Fn(u64) -> Case) {
        let enough = self.run() + want;
        for seed in 0..10 * want as u64 + 20 {
            if self.run() >= enough {
                break;
            }
            self.add(&case(seed), reference);
        }
    }

    fn print(&self, source: &str) {
        let refused: usize = self.refused.values().sum();
        println!(
            "{source}: {} run, {} equal, {} lavapipe alone differs, {} explained, {} ours differs, \
             {refused} not accepted by us, {} not run by lavapipe, {} not valid",
            self.run(),
            self.equal,
            self.alone.len(),
            self.explained.len(),
            self.different.len(),
            self.no_reference.len(),
            self.invalid
        );
        self.different.iter().for_each(|d| println!("  ours differs: {d}"));
        self.explained.iter().for_each(|d| println!("  explained: {d}"));
        self.alone.iter().for_each(|d| println!("  lavapipe alone differs: {d}"));
        self.refused.iter().for_each(|(why, n)| println!("  not accepted, {n}: {why}"));
        self.no_reference.iter().for_each(|n| println!("  no reference: {n}"));
    }
}

fn many(reference: &Lavapipe, count: usize) -> bool {
    println!("{}", reference.name);
    let (mut ok, mut run) = (true, 0);
    let mut done = |source, figures: Figures| {
        figures.print(source);
        ok &= figures.different.is_empty() && figures.no_reference.is_empty();
        run += figures.run();
        count.saturating_sub(run)
    };
    let mut figures = Figures::default();
    integers::all().iter().for_each(|case| figures.add(case, reference));
    let left = done("integer opcodes", figures);
    let each = (left / 4).div_ceil(shapes::SHAPES.len());
    let mut figures = Figures::default();
    shapes::SHAPES.iter().for_each(|(name, _)| figures.draw(each, reference, |seed| shapes::named(name, seed)));
    let left = done("shapes by name", figures);
    let mut figures = Figures::default();
    figures.draw(left / 4, reference, shapes::random);
    let left = done("random nestings", figures);
    let mut figures = Figures::default();
    figures.draw(left / 3, reference, glsl::case);
    let left = done("random GLSL, read as GLSL and as SPIR-V", figures);
    let mut figures = Figures::default();
    figures.draw(left / 2, reference, glsl::optimised);
    let left = done("random GLSL after passes of spirv-opt", figures);
    let mut figures = Figures::default();
    figures.draw(left, reference, wgsl::case);
    done("random WGSL, read as WGSL and as SPIR-V", figures);
    println!("{run} run");
    ok && run >= count
}
