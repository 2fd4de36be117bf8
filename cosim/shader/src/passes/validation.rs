//! Translation validation: which pass broke a program.
//!
//! Every pass of the pipeline runs on its own on random programs, as often as the pipeline would
//! run it, and after each that says it changed something the interpreter runs the program again.
//! The first one after which memory differs, a rule of the form is broken, or an operation across
//! lanes reads what a lane has not computed, is named. The tests plant a mistake in each pass, and
//! every fault of `CompilerFault` that is a pass's, and want that pass's name. Blind it would be to
//! a mistake that no random program shows; each pass has its own property test for that.

use super::{dead_stores, early, inline, pipeline, Options};
use crate::fault::CompilerFault;
use crate::random::ssa::{generate, generate_quads, generate_stores, RandomSsa};
use crate::ssa::verify::verify;
use crate::ssa::{lockstep, Func, Kind, Module, Value};
use quadlock_isa::Op;
use std::ops::Range;

/// A pass as it is run here.
type Step<'a> = (&'static str, &'a dyn Fn(&mut Func, &Options) -> bool);

/// Rounds of the pipeline.
const ROUNDS: usize = 3;

/// The pipeline's passes, with another one in the place of that name or in front.
fn steps<'a>(list: &'a [Listed], other: Option<Step<'a>>) -> Vec<Step<'a>> {
    let replaced = |(name, pass): &'a Listed| match other {
        Some((n, p)) if n == *name => (n, p),
        _ => (*name, pass as &dyn Fn(&mut Func, &Options) -> bool),
    };
    let mut out: Vec<Step> = list.iter().map(replaced).collect();
    if let Some(other) = other.filter(|o| list.iter().all(|l| l.0 != o.0)) {
        out.insert(0, other);
    }
    out
}

type Listed = (&'static str, super::Pass);

/// The passes of a round, and those that come behind them.
fn pipeline_passes() -> Vec<Listed> {
    [pipeline::PIPELINE, &[(dead_stores::NAME, dead_stores::run), (early::NAME, early::run)]].concat()
}

/// The name of the first pass that broke a program of the seeds, and how.
fn first_broken(steps: &[Step], mut seeds: Range<u64>, options: &Options) -> Option<(&'static str, String)> {
    seeds.find_map(|seed| {
        let programs = [generate(seed), generate_stores(seed)];
        programs.iter().find_map(|p| broken(steps, p, options))
    })
}

fn broken(steps: &[Step], program: &RandomSsa, options: &Options) -> Option<(&'static str, String)> {
    let mut module = inlined(program)?;
    let entry = program.entry.index();
    let want = program.run(&module).ok()?.0;
    if want != program.run(&program.module).ok()?.0 {
        return Some(("inline", "another result".into()));
    }
    for _ in 0..ROUNDS {
        for (name, pass) in steps {
            if !pass(&mut module.funcs[entry], options) {
                continue;
            }
            let wrong = match verify(&module.funcs[entry]) {
                Err(e) => Some(e),
                Ok(()) => match program.run(&module) {
                    Ok((got, _)) if got == want => None,
                    Ok(_) => Some("another result".into()),
                    Err(e) => Some(e),
                },
            };
            if let Some(wrong) = wrong {
                return Some((name, wrong));
            }
        }
    }
    None
}

/// The same for what operations across lanes read.
fn first_poison(steps: &[Step], seeds: Range<u64>) -> Option<(&'static str, u64)> {
    for seed in seeds {
        let program = generate_quads(seed);
        let mut module = inlined(&program)?;
        let func = &mut module.funcs[program.entry.index()];
        assert_eq!(poisoned(&program, func), 0, "seed {seed}: the generator's own fault");
        for _ in 0..ROUNDS {
            for (name, pass) in steps {
                if pass(func, &Options::default()) && poisoned(&program, func) > 0 {
                    return Some((name, seed));
                }
            }
        }
    }
    None
}

/// No operation across lanes reads what a lane has not computed, after any of these passes.
pub(super) fn lanes_miss_nothing(list: &[Listed], seeds: Range<u64>) {
    assert_eq!(first_poison(&steps(list, None), seeds), None);
}

fn inlined(program: &RandomSsa) -> Option<Module> {
    let mut module = program.module.clone();
    for f in inline::call_order(&module, program.entry).ok()? {
        inline::inline_calls(&mut module, f);
    }
    Some(module)
}

fn poisoned(program: &RandomSsa, func: &Func) -> u64 {
    let mut memory = program.memory.clone();
    let counts = lockstep::run(func, &program.launch, &mut memory, 1, &mut |_, _, _, _| {});
    counts.unwrap_or_else(|e| panic!("{e}\n{func}")).poisoned
}

/// A mistake that any pass could make: an addition becomes a subtraction.
fn spoil(func: &mut Func) {
    let insts =
        func.layout.clone().into_iter().flat_map(|b| (0..func.blocks[b.index()].insts.len()).map(move |i| (b, i)));
    for (b, i) in insts.collect::<Vec<_>>() {
        if let Kind::Alu(op @ Op::IAdd, _) = &mut func.blocks[b.index()].insts[i].kind {
            *op = Op::ISub;
        }
    }
}

/// A pass that must not be: operations move down into the only block that reads them.
fn sink(func: &mut Func, _: &Options) -> bool {
    let mut changed = false;
    for b in func.layout.clone() {
        for i in (0..func.blocks[b.index()].insts.len()).rev() {
            let inst = func.blocks[b.index()].insts[i].clone();
            let Kind::Alu(op, _) = &inst.kind else { continue };
            let pure = !crate::ops::predicate::cross_lane(*op);
            let Some(to) = only_reader(func, inst.results[0]).filter(|to| pure && *to != b) else { continue };
            func.blocks[b.index()].insts.remove(i);
            func.blocks[to.index()].insts.insert(0, inst);
            changed = true;
        }
    }
    changed
}

fn only_reader(func: &Func, v: Value) -> Option<crate::ssa::Block> {
    let reads = |b: &&crate::ssa::Block| func.blocks[b.index()].insts.iter().any(|i| i.kind.uses().contains(&v));
    let mut readers = func.layout.iter().filter(reads);
    let one = *readers.next()?;
    readers.next().is_none().then_some(one)
}

#[test]
fn every_pass_gives_what_it_was_given() {
    let list = pipeline_passes();
    let found = first_broken(&steps(&list, None), 2000..2100, &Options::default());
    assert_eq!(found, None);
}

#[test]
fn a_mistake_in_any_pass_is_found_by_its_name() {
    let list = pipeline_passes();
    for &(name, pass) in &list {
        let wrong = |f: &mut Func, o: &Options| {
            let did = pass(f, o);
            if did {
                spoil(f);
            }
            did
        };
        let found = first_broken(&steps(&list, Some((name, &wrong))), 2000..2400, &Options::default());
        assert_eq!(found.map(|f| f.0), Some(name));
    }
}

#[test]
fn planted_faults_of_passes_are_found_by_name() {
    let list = pipeline_passes();
    for (fault, name) in [
        (CompilerFault::FoldSub, "const-fold"),
        (CompilerFault::CseLoadAcrossStore, "cse"),
        (CompilerFault::DceDropsStore, "dce"),
        (CompilerFault::Mem2RegWrongPhi, "mem2reg"),
        (CompilerFault::GvnStaleJoin, "gvn"),
        (CompilerFault::PreStaleWay, "pre"),
        (CompilerFault::DeadStoresCopy, "dead-stores"),
        (CompilerFault::DeadLoopsStore, "dead-loops"),
        (CompilerFault::EarlyAcrossStore, early::NAME),
    ] {
        let options = Options { fault: Some(fault), ..Default::default() };
        let found = first_broken(&steps(&list, None), 0..800, &options);
        assert_eq!(found.map(|f| f.0), Some(name), "{fault:?}");
    }
}

#[test]
fn what_operations_across_lanes_read_stays_where_all_lanes_are() {
    let list = pipeline_passes();
    assert_eq!(first_poison(&steps(&list, None), 0..150), None);
    let found = first_poison(&steps(&list, Some(("sink", &sink))), 0..150);
    assert_eq!(found.map(|f| f.0), Some("sink"));
}
