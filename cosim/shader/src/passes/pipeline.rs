//! Which passes run, in which order.
//!
//! Functions are taken bottom-up along the calls: callees are inlined, optimised already, and the
//! list [`PIPELINE`] is run over the result again and again until nothing changes. Debug builds
//! verify after each pass that changed something and name the pass that broke a rule. Rounds are
//! limited, so two passes that undo each other's work cost time but do not hang; a test checks that
//! it does not happen.

use super::{
    cfg, const_fold, copy_prop, cse, dce, dead_loops, dead_stores, early, freeze, fuse, gvn, inline, inputs, licm,
    mem2reg, pre, range, slot_fold, strength, unroll, warp_aggregate, Options, Pass,
};
use crate::ssa::shape::Shape;
use crate::ssa::verify::{verify, verify_module};
use crate::ssa::{Func, FuncId, Kind, Module};
use std::fmt::{self, Display, Formatter};

/// The passes of one round, in order. `inline` runs before the first round, and so does what is
/// decided first about roundings (`freeze`). After the last come `dead-stores`, which needs the
/// whole program, `fuse`, which hides sums and products from the others, and `warp-aggregate`,
/// which relies on where lanes are active together: the others may change that. `move-early`
/// changes where an operation stands and nothing else; it comes last, because others would undo it.
pub const PIPELINE: &[(&str, Pass)] = &[
    ("const-fold", const_fold::run),
    ("slot-fold", slot_fold::run),
    ("mem2reg", mem2reg::run),
    ("copy-prop", copy_prop::run),
    ("const-fold", const_fold::run),
    ("cse", cse::run),
    ("gvn", gvn::run),
    ("pre", pre::run),
    ("range", range::run),
    ("dce", dce::run),
    ("dead-loops", dead_loops::run),
    ("cfg", cfg::run),
    ("unroll", unroll::run),
    ("strength", strength::run),
    ("licm", licm::run),
];

/// The passes that can be left out by name, each once; `schedule`, `rotate`, `split-ranges`,
/// `load-groups` and `few-live` are the back end's, `scaled-outputs` and `linear-inputs` are the
/// linker's.
pub fn optional_passes() -> Vec<&'static str> {
    let mut names: Vec<&str> = PIPELINE
        .iter()
        .map(|p| p.0)
        .chain([
            dead_stores::NAME,
            freeze::NAME,
            fuse::NAME,
            inputs::NAME,
            warp_aggregate::NAME,
            early::NAME,
            "schedule",
            "rotate",
            "split-ranges",
            "load-groups",
            "scaled-outputs",
            "linear-inputs",
            "few-live",
        ])
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// More rounds than any program has needed.
const ROUNDS: usize = 40;

/// What one pass did, over all functions and rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassStatistics {
    /// Name, as `--set skip=` takes it.
    pub name: &'static str,
    /// How often it ran, and how often it changed something.
    pub runs: usize,
    /// How often it changed something.
    pub changed: usize,
    /// Instructions removed, less those added.
    pub removed: i64,
}

/// What the pipeline did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// By pass, in order of the pipeline.
    pub passes: Vec<PassStatistics>,
    /// Instructions of the entry function after inlining and at the end, constants not counted.
    pub inlined: usize,
    /// Instructions of the entry function at the end, constants not counted.
    pub result: usize,
    /// Rounds that the entry function needed.
    pub rounds: usize,
    /// What became of each atomic of the entry function, in layout order.
    pub atomics: Vec<warp_aggregate::Note>,
    /// Sums and products of the entry function that became one operation: first what the position
    /// depends on, then the others, each in layout order.
    pub fused: Vec<fuse::Site>,
}

impl Display for Statistics {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(f, "{:<14} {:>5} {:>8} {:>8}", "pass", "runs", "changed", "removed")?;
        for p in &self.passes {
            writeln!(f, "{:<14} {:>5} {:>8} {:>8}", p.name, p.runs, p.changed, p.removed)?;
        }
        writeln!(f, "{} instructions after inlining, {} at the end, {} rounds", self.inlined, self.result, self.rounds)
    }
}

/// Instructions of a function; constants do not count, the machine reads them as operands.
pub fn size(func: &Func) -> usize {
    let insts = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
    insts.filter(|i| !matches!(i.kind, Kind::Const(_))).count()
}

/// Inlines all calls into `entry` and optimises it, in place. Other functions are optimised too but
/// no longer called. Errors: a malformed module (the front end's fault), recursion (the program's),
/// a pass that broke a rule (debug builds).
pub fn optimise(module: &mut Module, entry: FuncId, options: &Options) -> Result<Statistics, String> {
    let mut statistics = inlined(module, entry, options)?;
    last(&mut module.funcs[entry.index()], options, &mut statistics)?;
    Ok(statistics)
}

/// The first part of [`optimise`]: all but the passes that come last.
pub fn inlined(module: &mut Module, entry: FuncId, options: &Options) -> Result<Statistics, String> {
    verify_module(module).map_err(|e| format!("before the passes: {e}"))?;
    let mut statistics = Statistics::default();
    for f in inline::call_order(module, entry)? {
        if !options.skip.iter().any(|s| s == "inline") {
            inline::inline_calls(module, f);
        }
        let func = &mut module.funcs[f.index()];
        check("inline", func)?;
        statistics.inlined = size(func);
        if f == entry {
            statistics.fused = freeze::run(func, options);
            check(fuse::NAME, func)?;
        }
        statistics.rounds = optimise_function(func, options, &mut statistics)?;
    }
    Ok(statistics)
}

/// Rounds over a function that was optimised before and has changed since.
pub fn again(func: &mut Func, options: &Options, statistics: &mut Statistics) -> Result<(), String> {
    check("what came before", func)?;
    statistics.rounds += optimise_function(func, options, statistics)?;
    Ok(())
}

/// The last part of [`optimise`], once for each program: what relies on nothing changing behind it.
pub fn last(func: &mut Func, options: &Options, statistics: &mut Statistics) -> Result<(), String> {
    let skipped = options.skip.iter().any(|s| s == dead_stores::NAME);
    let before = size(func);
    if !skipped && dead_stores::run(func, options) {
        statistics.add(dead_stores::NAME, true, before as i64 - size(func) as i64);
        again(func, options, statistics)?;
    }
    fuse_rest(func, options, statistics)?;
    let before = func.clone();
    statistics.atomics = warp_aggregate::run(func, options);
    let removed = size(&before) as i64 - size(func) as i64;
    statistics.add(warp_aggregate::NAME, before != *func, removed);
    check(warp_aggregate::NAME, func)?;
    if !options.skip.iter().any(|s| s == early::NAME) {
        statistics.add(early::NAME, early::run(func, options), 0);
        check(early::NAME, func)?;
    }
    statistics.result = size(func);
    Ok(())
}

/// Fuses what the position does not depend on.
fn fuse_rest(func: &mut Func, options: &Options, statistics: &mut Statistics) -> Result<(), String> {
    let before = size(func);
    let sites = fuse::run(func, options);
    statistics.add(fuse::NAME, !sites.is_empty(), before as i64 - size(func) as i64);
    statistics.fused.extend(sites);
    check(fuse::NAME, func)
}

/// Runs [`PIPELINE`] to its fixed point and returns the number of rounds.
fn optimise_function(func: &mut Func, options: &Options, statistics: &mut Statistics) -> Result<usize, String> {
    let in_step = cfg!(debug_assertions) && Shape::new(func).in_step;
    for round in 1..=ROUNDS {
        let mut changed = false;
        for (name, pass) in PIPELINE {
            if options.skip.iter().any(|s| s == name) {
                continue;
            }
            let before = size(func);
            let did = pass(func, options);
            statistics.add(name, did, before as i64 - size(func) as i64);
            if did {
                changed = true;
                check(name, func)?;
                if in_step && !Shape::new(func).in_step {
                    return Err(format!("after {name}: lanes that a branch took apart may not meet again\n{func}"));
                }
            }
        }
        // The planted fault drops one more store in each round.
        if !changed || options.fault.is_some() && round > 3 {
            return Ok(round);
        }
    }
    Ok(ROUNDS)
}

impl Statistics {
    fn add(&mut self, name: &'static str, did: bool, removed: i64) {
        let i = self.passes.iter().position(|p| p.name == name).unwrap_or_else(|| {
            self.passes.push(PassStatistics { name, runs: 0, changed: 0, removed: 0 });
            self.passes.len() - 1
        });
        let p = &mut self.passes[i];
        p.runs += 1;
        p.changed += usize::from(did);
        p.removed += removed;
    }
}

fn check(pass: &str, func: &Func) -> Result<(), String> {
    match cfg!(debug_assertions) {
        true => verify(func).map_err(|e| format!("after {pass}: {e}\n{func}")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::CompilerFault;
    use crate::random::ssa::generate;

    /// Memory after the optimised program, or the error.
    fn optimised(seed: u64, options: &Options) -> Result<(Vec<u8>, u64, Statistics), String> {
        let program = generate(seed);
        let mut module = program.module.clone();
        let s = optimise(&mut module, program.entry, options)?;
        let (memory, outcome) = program.run(&module)?;
        Ok((memory, outcome.steps, s))
    }

    #[test]
    fn random_programs_do_the_same_in_fewer_steps() {
        let (mut before, mut after) = (0, 0);
        for seed in 1000..1400 {
            let program = generate(seed);
            let (want, outcome) = program.run(&program.module).unwrap();
            let (got, steps, s) = optimised(seed, &Options::default()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_eq!(got, want, "seed {seed}");
            assert!(s.rounds < 20, "seed {seed}: {} rounds\n{s}", s.rounds);
            before += outcome.steps;
            after += steps;
        }
        assert!(after * 2 < before, "{before} steps became {after}");
    }

    #[test]
    fn passes_can_be_left_out() {
        let options = Options { skip: vec!["licm".into(), "cfg".into()], ..Default::default() };
        let program = generate(7);
        assert_eq!(optimised(7, &options).unwrap().0, program.run(&program.module).unwrap().0);
        assert!(optimised(7, &options).unwrap().2.passes.iter().all(|p| p.name != "licm"));
    }

    #[test]
    fn planted_faults_are_found_through_the_whole_pipeline() {
        for (fault, name, _) in &CompilerFault::ALL[..4] {
            let options = Options { fault: Some(*fault), ..Default::default() };
            let found = (0..400).any(|seed| {
                let program = generate(seed);
                let want = program.run(&program.module).unwrap().0;
                optimised(seed, &options).map_or(true, |r| r.0 != want)
            });
            assert!(found, "{name} is not found");
        }
    }
}
