//! `scripts/lavapipe-check`: many shaders on lavapipe and on us, with figures.
//!
//! `lavapipe-check [COUNT]` runs COUNT generated shaders (2,000); `lavapipe-check one SOURCE [NAME]
//! SEED` runs one and prints it if it differs.

use quadlock_lavapipe::case::{Case, Outcome};
use quadlock_lavapipe::vulkan::Lavapipe;
use quadlock_lavapipe::{integers, shapes, valid, wgsl};
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
        [count] if count.parse::<u64>().is_ok() => many(&reference, count.parse().unwrap_or(0)),
        ["one", ref what @ ..] => match by_name(what) {
            Some(case) => one(&reference, &case),
            None => return usage(),
        },
        _ => return usage(),
    };
    ExitCode::from(u8::from(!ok))
}

fn usage() -> ExitCode {
    eprintln!("lavapipe-check [COUNT] | one wgsl SEED | one flow SEED | one shape NAME SEED | one integer NUMBER");
    ExitCode::from(2)
}

fn by_name(what: &[&str]) -> Option<Case> {
    match what {
        ["wgsl", seed] => Some(wgsl::case(seed.parse().ok()?)),
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
    let path = format!("out/lavapipe/{}", case.name.replace(' ', "-"));
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
    outcome == Outcome::Equal
}

/// Counts of one source.
#[derive(Default)]
struct Figures {
    equal: usize,
    invalid: usize,
    different: Vec<String>,
    refused: BTreeMap<String, usize>,
    no_reference: Vec<String>,
}

impl Figures {
    fn add(&mut self, case: &Case, reference: &Lavapipe) {
        if let Some(Err(_)) = valid::valid(&case.module) {
            self.invalid += 1;
            return;
        }
        match case.run(reference) {
            Outcome::Equal => self.equal += 1,
            Outcome::Different(what) => self.different.push(format!("lavapipe-check one {}: {what}", case.name)),
            Outcome::Refused(why) => {
                let why = why.split_once(": ").map_or(&*why, |(_, text)| text).lines().next().unwrap_or("");
                *self.refused.entry(why.into()).or_default() += 1;
            }
            Outcome::NoReference(why) => self.no_reference.push(format!("{}: {why}", case.name)),
        }
    }

    fn print(&self, source: &str) {
        let refused: usize = self.refused.values().sum();
        let run = self.equal + self.different.len();
        println!(
            "{source}: {run} run, {} equal, {} different, {refused} not accepted by us, {} not run by lavapipe, {} not valid",
            self.equal,
            self.different.len(),
            self.no_reference.len(),
            self.invalid
        );
        self.different.iter().for_each(|d| println!("  different: {d}"));
        self.refused.iter().for_each(|(why, n)| println!("  not accepted, {n}: {why}"));
        self.no_reference.iter().for_each(|n| println!("  no reference: {n}"));
    }
}

fn many(reference: &Lavapipe, count: u64) -> bool {
    println!("{}", reference.name);
    let mut sources: Vec<(&str, Vec<Case>)> = vec![("integer opcodes", integers::all())];
    let rest = count.saturating_sub(sources[0].1.len() as u64);
    let each = (rest / 4).div_ceil(shapes::SHAPES.len() as u64);
    let named = shapes::SHAPES.iter().flat_map(|(name, _)| (0..each).map(|seed| shapes::named(name, seed)));
    sources.push(("shapes by name", named.collect()));
    let rest = rest.saturating_sub(sources[1].1.len() as u64);
    sources.push(("random nestings", (0..rest / 2).map(shapes::random).collect()));
    sources.push(("random WGSL, read as WGSL and as SPIR-V", (0..rest.div_ceil(2)).map(wgsl::case).collect()));
    let mut ok = true;
    for (source, cases) in sources {
        let mut figures = Figures::default();
        cases.iter().for_each(|case| figures.add(case, reference));
        figures.print(source);
        ok &= figures.different.is_empty();
    }
    ok
}
