//! Runs batches in several engines and says who differs from whom. Icarus, where present, also
//! shows x: a module with x in its outputs is a mistake of the generator and is reported as such.

use std::path::{Path, PathBuf};

use super::module::{random_module, RandomModule};
use super::ours::run_ours;
use super::peers::{Peer, Readings};
use super::shrink::shrink;
use super::stimulus::{stimulus, Step};
use crate::error::Error;
use crate::options::{Engine, Options};
use crate::parse::print;

/// Something that runs random modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// Another simulator.
    Peer(Peer),
    /// This crate's interpreter on the graph as elaborated.
    Plain,
    /// The interpreter on the optimised graph.
    Interpreted,
    /// Native code.
    Compiled,
    /// Native code without passes, gating and vectors.
    CompiledPlain,
    /// Native code that is replaced by code for the activity seen after [`REPLANNED_AFTER`]
    /// settles.
    Replanned,
}

/// Settles before [`Runner::Replanned`] replaces its code: a step has two, so most of a module's
/// steps run in the second code.
pub const REPLANNED_AFTER: u32 = 16;

impl Runner {
    /// All of them, as far as installed.
    pub fn all() -> Vec<Runner> {
        let peers = [Peer::Icarus, Peer::Verilator].into_iter().filter(|p| p.version().is_some()).map(Runner::Peer);
        peers
            .chain([Runner::Plain, Runner::Interpreted, Runner::Compiled, Runner::CompiledPlain, Runner::Replanned])
            .collect()
    }

    /// Readings of each module, or why there are none.
    pub fn run(self, modules: &[RandomModule], steps: &[Step], dir: &Path) -> Vec<Result<Readings, Error>> {
        let options = Options::default().verify(true);
        let options = match self {
            Runner::Peer(peer) => return run_peer(peer, modules, steps, dir),
            Runner::Plain => options.engine(Engine::Interpreted).optimize(false),
            Runner::Interpreted => options.engine(Engine::Interpreted),
            Runner::Compiled => options,
            Runner::Replanned => options.profile(REPLANNED_AFTER),
            Runner::CompiledPlain => Options { gating: false, simd: false, ..options.optimize(false) },
        };
        modules.iter().map(|m| run_ours(m, steps, &options)).collect()
    }
}

/// A batch that a peer refuses is halved until the module it refuses is alone.
fn run_peer(peer: Peer, modules: &[RandomModule], steps: &[Step], dir: &Path) -> Vec<Result<Readings, Error>> {
    match peer.run(modules, steps, dir) {
        Ok(list) => list.into_iter().map(Ok).collect(),
        Err(e) if modules.len() <= 1 => vec![Err(e)],
        Err(_) => {
            let (a, b) = modules.split_at(modules.len() / 2);
            let mut list = run_peer(peer, a, steps, dir);
            list.extend(run_peer(peer, b, steps, dir));
            list
        }
    }
}

/// Readings that two runners do not share.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The one that is taken as the reference (a peer if there is one).
    pub reference: Runner,
    /// The one that differs from it.
    pub other: Runner,
    /// In words: output, reading, both values; or why there are no readings.
    pub what: String,
    /// What it counts for.
    pub weight: Weight,
}

/// What a difference counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// A failure.
    Fails,
    /// A peer did not accept the module: no difference of meaning.
    Refused,
    /// One peer is alone against the other peer and all of ours: taken for an error of that peer,
    /// and few of these are allowed.
    Outvoted,
}

fn first_difference(module: &RandomModule, a: &Readings, b: &Readings) -> Option<String> {
    for (t, (x, y)) in a.iter().zip(b).enumerate() {
        for (k, (x, y)) in x.iter().zip(y).enumerate() {
            if x != y {
                let phase = if t % 2 == 0 { "data" } else { "clocks" };
                return Some(format!("{} after the {phase} of step {}: {x} and {y}", module.outputs[k].0, t / 2));
            }
        }
    }
    None
}

/// Does Icarus see x or z?
pub fn unknown(readings: &Readings) -> bool {
    readings.iter().flatten().any(|r| r.contains(['x', 'X', 'z', 'Z']))
}

/// Runs a batch everywhere; per module the differences to the first runner that has readings.
pub fn compare(modules: &[RandomModule], steps: &[Step], runners: &[Runner], dir: &Path) -> Vec<Vec<Difference>> {
    let results: Vec<Vec<Result<Readings, Error>>> = runners.iter().map(|r| r.run(modules, steps, dir)).collect();
    let of_module = |(k, module)| {
        let column: Vec<(Runner, &Result<Readings, Error>)> =
            runners.iter().zip(&results).map(|(r, list)| (*r, &list[k])).collect();
        differences(module, &column)
    };
    modules.iter().enumerate().map(of_module).collect()
}

fn differences(module: &RandomModule, results: &[(Runner, &Result<Readings, Error>)]) -> Vec<Difference> {
    let mut found = Vec::new();
    let read: Vec<(Runner, &Readings)> =
        results.iter().filter_map(|(r, result)| result.as_ref().ok().map(|x| (*r, x))).collect();
    let is_peer = |r: &Runner| matches!(r, Runner::Peer(_));
    for (runner, result) in results {
        if let Err(e) = result {
            let weight = if is_peer(runner) { Weight::Refused } else { Weight::Fails };
            found.push(Difference { reference: *runner, other: *runner, what: e.to_string(), weight });
        }
    }
    let Some(&(first, expected)) = read.first() else { return found };
    if unknown(expected) {
        let what = "shows x or z: a mistake of the generator".into();
        found.push(Difference { reference: first, other: first, what, weight: Weight::Fails });
    }
    // A peer is alone if the others, another peer among them, agree.
    let alone = read.iter().position(|(runner, readings)| {
        let mut others = read.iter().filter(|(r, _)| r != runner);
        let peers = others.clone().filter(|(r, _)| is_peer(r)).count();
        is_peer(runner)
            && peers > 0
            && others.all(|(_, r)| r == &read[usize::from(read[0].0 == *runner)].1 && r != readings)
    });
    if let Some(alone) = alone {
        let (reference, expected) = read[usize::from(alone == 0)];
        let what = first_difference(module, expected, read[alone].1).unwrap_or_default();
        found.push(Difference { reference, other: read[alone].0, what, weight: Weight::Outvoted });
        return found;
    }
    for (other, readings) in &read {
        if let Some(what) = first_difference(module, expected, readings) {
            found.push(Difference { reference: first, other: *other, what, weight: Weight::Fails });
        }
    }
    found
}

/// Shrinks a module in which two runners differ.
pub fn shrink_difference(module: &RandomModule, pair: (Runner, Runner), steps: &[Step], dir: &Path) -> RandomModule {
    let icarus = Runner::Peer(Peer::Icarus);
    // Only Icarus shows x: it watches also where others differ.
    let watch = Peer::Icarus.version().is_some() && pair.0 != icarus && pair.1 != icarus;
    shrink(module, &mut |list| {
        let mut hidden = vec![false; list.len()];
        if watch {
            let seen = icarus.run(list, steps, dir);
            hidden = seen.iter().map(|r| r.as_ref().map_or(true, unknown)).collect();
        }
        let (a, b) = (pair.0.run(list, steps, dir), pair.1.run(list, steps, dir));
        list.iter()
            .zip(hidden.into_iter().zip(a.iter().zip(&b)))
            .map(|(module, (hidden, pair))| match pair {
                (Ok(a), Ok(b)) if !hidden => !unknown(a) && !unknown(b) && first_difference(module, a, b).is_some(),
                _ => false,
            })
            .collect()
    })
}

/// Counts of a [`Campaign`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Modules that ran.
    pub modules: u64,
    /// Modules in which engines differ, or that one of ours refuses.
    pub failures: u64,
    /// Modules that a peer does not accept (Verilator: some constant indices and shift amounts of
    /// more than 32 bits).
    pub refused: u64,
    /// Modules in which one peer is alone against all the others.
    pub outvoted: u64,
}

impl Outcome {
    /// Why the run does not count as agreement: a failure, a peer outvoted in more than one module
    /// of fifty (it would hide an error that ours share with the other peer), or a peer that
    /// refuses more than one of ten (nothing is compared then). A short run may have one of each of
    /// the last two.
    ///
    /// # Errors
    /// The reason, in words.
    pub fn verdict(&self) -> Result<(), String> {
        if self.failures > 0 {
            return Err(format!("{} of {} modules differ", self.failures, self.modules));
        }
        let limit = |name: &str, count: u64, one_of: u64| match self.modules.div_ceil(one_of) {
            most if count > most => Err(format!("{count} of {} modules {name}, at most {most} may", self.modules)),
            _ => Ok(()),
        };
        limit("have one peer alone against all others", self.outvoted, 50)?;
        limit("are refused by a peer", self.refused, 10)
    }
}

/// A run of many modules.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Number of modules.
    pub modules: u64,
    /// Seed of the first; the others follow.
    pub seed: u64,
    /// Modules per build of a peer.
    pub batch: u64,
    /// Steps of stimulus.
    pub steps: usize,
    /// Where files of the peers go.
    pub dir: PathBuf,
    /// Who runs.
    pub runners: Vec<Runner>,
    /// Make failing modules smaller before they are reported.
    pub shrink: bool,
}

impl Campaign {
    /// Runs it; `report` gets each failing module with its text, small if wanted, and the command
    /// that repeats it.
    pub fn run(&self, report: &mut dyn FnMut(&str)) -> Outcome {
        let mut outcome = Outcome::default();
        let end = self.seed + self.modules;
        let mut from = self.seed;
        while from < end {
            let to = (from + self.batch).min(end);
            let modules: Vec<RandomModule> = (from..to).map(random_module).collect();
            // Of one seed for all batches, so that a module alone gets what it got in its batch.
            let steps = stimulus(0, self.steps);
            for (module, differences) in modules.iter().zip(compare(&modules, &steps, &self.runners, &self.dir)) {
                outcome.modules += 1;
                let any = |w| u64::from(differences.iter().any(|d| d.weight == w));
                outcome.refused += any(Weight::Refused);
                outcome.outvoted += any(Weight::Outvoted);
                outcome.failures += any(Weight::Fails);
                let differences: Vec<Difference> =
                    differences.into_iter().filter(|d| d.weight != Weight::Refused).collect();
                if !differences.is_empty() {
                    report(&self.describe(module, &differences, &steps));
                }
            }
            from = to;
        }
        outcome
    }

    fn describe(&self, module: &RandomModule, differences: &[Difference], steps: &[Step]) -> String {
        let mut text = format!("module of seed {}:\n", module.seed);
        for d in differences {
            text.push_str(&format!("  {:?}: {:?} and {:?}: {}\n", d.weight, d.reference, d.other, d.what));
        }
        let command = "cargo run -p quadlock-rtlsim --example random_verilog -- --modules 1 --shrink --seed";
        text.push_str(&format!("  repeat with: {command} {}\n", module.seed));
        let first = &differences[0];
        if self.shrink && first.reference != first.other {
            let small = shrink_difference(module, (first.reference, first.other), steps, &self.dir);
            text.push_str(&format!("shrunk:\n{}", print(&small.ast)));
        }
        text
    }
}
