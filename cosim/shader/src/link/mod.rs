//! The linker: programs of neighbouring stages optimised together (LP-10 to LP-16).
//!
//! A [`chain::Chain`] holds any number of programs, of which one may feed several. An iteration
//! visits every program, each behind those that it feeds. In the *downstream phase* of a program
//! expressions of uniforms leave it ([`derive`]), branches that known uniforms decide are decided
//! ([`specialise`]), the passes run, and what inputs are left is what it needs. Outputs that nobody
//! needs any more leave the program that gives them, which is the *upstream phase*; then its
//! outputs are looked at, and what turns out constant or uniform goes to its readers ([`meet`]);
//! readers multiply for themselves what is a multiple of another output ([`scaled`]), and divide by
//! no w that is 1 ([`linear`]).
//! Iterations go on until nothing changes. Each step removes something or makes it simpler, so the
//! end comes; a limit catches a mistake.
//!
//! It is wrong if a linked chain gives another word than its programs one behind the other: random
//! chains are compared in the interpreter of SSA, and scenes in lockstep.

pub mod blame;
pub mod chain;
#[cfg(test)]
mod chain_run;
pub mod derive;
pub mod dot;
pub mod linear;
pub mod meet;
pub mod operations;
#[cfg(test)]
mod random_chains;
pub mod scaled;
#[cfg(test)]
mod scaled_tests;
pub mod specialise;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod uniform;
pub mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::fault::CompilerFault;
use crate::interface::Numbers;
use crate::passes::pipeline;
use crate::ssa::{Func, How, Inst, Kind, Loc};
use blame::{Blame, Lost};
use chain::{Chain, Program};
use meet::Known;
use specialise::Decision;
use trace::{Event, Iteration, What};
use uniform::{Expr, Node, Word};

/// More iterations than any chain has needed.
const ITERATIONS: usize = 100;

/// Rounds of passes in a phase: passes that undo each other would have no end.
const ROUNDS: usize = 40;

/// Looks up a word of a uniform buffer; none: it is not known.
pub type Values<'a> = &'a dyn Fn(Word) -> Option<u32>;

/// What linking may do.
#[derive(Clone, Copy)]
pub struct LinkOptions<'a> {
    /// What uniforms are known by value.
    pub values: Values<'a>,
    /// Keep the programs as they are after every iteration.
    pub snapshots: bool,
    /// A bug that is planted.
    pub fault: Option<CompilerFault>,
}

/// What linking did.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// Turn by turn; the last one changed nothing.
    pub iterations: Vec<Iteration>,
    /// What was decided, by program.
    pub decisions: Vec<Vec<Decision>>,
    /// The entry functions of each iteration, before what turned out goes over; if they are to be
    /// kept.
    pub snapshots: Vec<Vec<Func>>,
}

/// Links a chain.
///
/// # Errors
/// A mistake of the compiler, in words.
pub fn run(chain: &mut Chain, options: &LinkOptions) -> Result<Linked, String> {
    let mut linked = Linked { decisions: vec![vec![]; chain.programs.len()], ..Linked::default() };
    let order = chain.downstream_first();
    if order.len() != chain.programs.len() {
        return Err("internal error: programs feed each other in a circle".into());
    }
    let reads = Reads::of(chain);
    for round in 0..ITERATIONS {
        let mut iteration = Iteration::default();
        let mut changed = false;
        for &p in &order {
            let mut blame = Blame::default();
            changed |= drop_unread(chain, p, &reads, &mut blame, &mut iteration);
            changed |= downstream(chain, p, options, &mut linked.decisions[p], blame, &mut iteration)?;
        }
        if options.snapshots {
            linked.snapshots.push(chain.programs.iter().map(|p| p.func.clone()).collect());
        }
        for &p in &order {
            changed |= hand_over(chain, p, options.fault, &mut iteration);
        }
        linked.iterations.push(iteration);
        if !changed || round == 0 && options.fault == Some(CompilerFault::LinkOnce) {
            return Ok(linked);
        }
    }
    Err(format!("internal error: linking did not end in {ITERATIONS} iterations"))
}

/// Where each program reads its inputs before linking, by word.
struct Reads(Vec<BTreeMap<u32, String>>);

impl Reads {
    fn of(chain: &Chain) -> Reads {
        let of = |p: &Program| p.inputs().into_iter().map(|((word, _), loc)| (word, p.place(loc))).collect();
        Reads(chain.programs.iter().map(of).collect())
    }

    /// Where the programs behind one have read an output; or, if none has, their files.
    fn behind(&self, chain: &Chain, p: usize, word: u32) -> (Vec<String>, bool) {
        let readers = chain.readers(p);
        let read: Vec<String> = readers.iter().filter_map(|r| self.0[*r].get(&word)).cloned().collect();
        match read.is_empty() {
            false => (read, true),
            true => (readers.iter().map(|r| chain.programs[*r].place(Loc::default())).collect(), false),
        }
    }
}

/// Takes out the outputs that no program reads.
fn drop_unread(chain: &mut Chain, p: usize, reads: &Reads, blame: &mut Blame, iteration: &mut Iteration) -> bool {
    let outputs = chain.programs[p].outputs();
    let unread: Vec<u32> = outputs.keys().copied().filter(|w| !chain.is_read(p, *w)).collect();
    let readers: Vec<String> = chain.readers(p).iter().map(|r| chain.programs[*r].name.clone()).collect();
    let program = &chain.programs[p];
    let mut gone = BTreeMap::new();
    for word in &unread {
        let (behind, was_read) = reads.behind(chain, p, *word);
        let more = if was_read { " any more" } else { "" };
        let mut places = vec![program.place(outputs[word])];
        places.extend(behind);
        places.dedup();
        gone.insert(*word, (program.output_name(*word), places.clone()));
        iteration.events.push(Event {
            stage: program.name.clone(),
            what: What::Output,
            name: program.output_name(*word),
            why: format!("no program behind it reads it{more} ({})", readers.join(", ")),
            places,
        });
    }
    blame.outputs(program, &gone);
    meet::remove_outputs(&mut chain.programs[p], &unread)
}

/// The downstream phase of a program: whether anything changed.
fn downstream(
    chain: &mut Chain,
    p: usize,
    options: &LinkOptions,
    decisions: &mut Vec<Decision>,
    mut blame: Blame,
    iteration: &mut Iteration,
) -> Result<bool, String> {
    let mut changed = false;
    let mut before = Needs::of(chain, p);
    // What took the place of others: they are parts of it.
    let mut instead = vec![];
    let (programs, table) = (&mut chain.programs, &mut chain.uniforms);
    let program = &mut programs[p];
    for _ in 0..ROUNDS {
        let old = program.func.clone();
        pipeline::again(&mut program.func, &program.passes, &mut program.statistics)?;
        derive::name_words(&mut program.func, table, &program.uniforms, &program.buffers);
        let derived = derive::run(&mut program.func, table, options.fault);
        for d in derived {
            before.derived.entry(d.node).or_insert_with(|| program.place(d.loc));
            iteration.events.push(Event {
                stage: program.name.clone(),
                what: What::Derived,
                name: table.text(d.node, p, None),
                why: "computed once for each batch".into(),
                places: vec![program.place(d.loc)],
            });
        }
        let decided = specialise::run(&mut program.func, table, options.values, options.fault);
        if !decided.is_empty() {
            blame.add(program);
        }
        for d in decided {
            instead.push(d.node);
            if !decisions.iter().any(|o| o.node == d.node && o.loc == d.loc) {
                iteration.events.push(Event {
                    stage: program.name.clone(),
                    what: What::Decided,
                    name: table.text(d.node, p, None),
                    why: table.decided(d.node, d.holds).into(),
                    places: vec![program.place(d.loc)],
                });
            }
            if !decisions.contains(&d) {
                decisions.push(d);
            }
        }
        if program.func == old {
            break;
        }
        changed = true;
    }
    let after = Needs::of(chain, p);
    instead.extend(after.derived.keys());
    chain.uniforms.needed(&instead).iter().for_each(|n| drop(before.derived.remove(n)));
    before.report_lost(&after, chain, p, &blame, iteration);
    Ok(changed)
}

/// What a program needs: inputs, attributes and derived uniforms, with places.
struct Needs {
    inputs: BTreeMap<u32, String>,
    attributes: BTreeMap<String, String>,
    /// Expressions of uniforms, but for uniforms themselves.
    derived: BTreeMap<Node, String>,
}

impl Needs {
    fn of(chain: &Chain, p: usize) -> Needs {
        let program = &chain.programs[p];
        let inputs = program.inputs().into_iter().map(|((word, _), loc)| (word, program.place(loc))).collect();
        let attributes = operations::attributes(program).into_iter().map(|(n, loc)| (n, program.place(loc))).collect();
        let node = |inst: &Inst| match inst.kind {
            Kind::ConstWord(word) => Node::of_word(word),
            _ => None,
        };
        let derived = program.insts().filter_map(|inst| Some((node(inst)?, program.place(inst.loc))));
        let derived = derived.filter(|d| matches!(chain.uniforms.expr(d.0), Expr::Op(..))).collect();
        Needs { inputs, attributes, derived }
    }

    fn report_lost(&self, after: &Needs, chain: &Chain, p: usize, blame: &Blame, iteration: &mut Iteration) {
        let program = &chain.programs[p];
        let none = Lost::default();
        let mut tell = |what: What, name: String, place: &String, lost: Option<&Lost>, from: Option<String>| {
            let lost = lost.unwrap_or(&none);
            let (stage, why) = (program.name.clone(), lost.why());
            let mut seen = BTreeSet::new();
            let places = [place.clone()].into_iter().chain(lost.places()).chain(from);
            let places = places.filter(|p| seen.insert(p.clone())).collect();
            iteration.events.push(Event { stage, what, name, why, places });
        };
        let feeder = chain.feeder(p).map(|f| &chain.programs[f]);
        let given = feeder.map(Program::outputs).unwrap_or_default();
        for (word, place) in self.inputs.iter().filter(|i| !after.inputs.contains_key(i.0)) {
            let name = feeder.map_or_else(|| format!("word {word}"), |f| f.output_name(*word));
            let from = feeder.and_then(|f| Some(f.place(*given.get(word)?)));
            tell(What::Input, name, place, blame.inputs.get(word), from);
        }
        for (name, place) in self.attributes.iter().filter(|a| !after.attributes.contains_key(a.0)) {
            tell(What::Attribute, name.clone(), place, blame.attributes.get(name), None);
        }
        for (node, place) in self.derived.iter().filter(|d| !after.derived.contains_key(d.0)) {
            tell(What::Unneeded, chain.uniforms.text(*node, p, None), place, blame.derived.get(node), None);
        }
    }
}

/// Gives readers what outputs turned out to be; whether anything changed.
fn hand_over(chain: &mut Chain, p: usize, fault: Option<CompilerFault>, iteration: &mut Iteration) -> bool {
    let readers = chain.readers(p);
    if readers.is_empty() {
        return false;
    }
    let (fixed, func) = (chain.programs[p].fixed, &chain.programs[p].func);
    let known = meet::known_outputs(func, fault);
    let identical = meet::identical_outputs(func, fixed);
    let scaled = scaled::scaled_outputs(func);
    let flat = meet::flat_outputs(func, fault);
    let places = chain.programs[p].outputs();
    let mut changed = false;
    let tell = |chain: &Chain, what: What, word: u32, why: String, iteration: &mut Iteration| {
        let program = &chain.programs[p];
        let mut at: Vec<String> = places.get(&word).map(|l| program.place(*l)).into_iter().collect();
        for r in &readers {
            let reads = chain.programs[*r].inputs().into_iter().filter(|i| i.0 .0 == word);
            at.extend(reads.map(|(_, loc)| chain.programs[*r].place(loc)));
        }
        at.dedup();
        let (stage, name) = (program.name.clone(), program.output_name(word));
        iteration.events.push(Event { stage, what, name, why, places: at });
    };
    let reads = |chain: &Chain, word: u32| readers.iter().any(|r| chain.programs[*r].input_words().contains(&word));
    for (&word, &value) in known.iter().filter(|k| *k.0 >= fixed) {
        if !reads(chain, word) {
            continue;
        }
        let numbers = chain.programs[p].numbers.get(&word).copied();
        let (what, is) = match value {
            Known::Const(c) => (What::Constant, Numbers::text(numbers, c)),
            Known::Uniform(n) => (What::Uniform, chain.uniforms.text(n, p, numbers)),
        };
        let why = format!("it is {is} for every vertex");
        let takes = |r: &&usize| match value {
            Known::Const(_) => true,
            Known::Uniform(n) => {
                let program = &chain.programs[**r];
                program.input_words().contains(&word) && words::has_room(program, &chain.uniforms, n)
            }
        };
        let takers: Vec<usize> = readers.iter().filter(takes).copied().collect();
        if takers.is_empty() {
            continue;
        }
        tell(chain, what, word, why, iteration);
        for &r in &takers {
            changed |= meet::give(&mut chain.programs[r], word, value);
        }
    }
    for (&word, &same) in &identical {
        let ways = |word: u32| -> BTreeSet<How> {
            let all = readers.iter().flat_map(|r| chain.programs[*r].inputs());
            all.filter(|i| i.0 .0 == word).map(|i| i.0 .1).collect()
        };
        let (a, b) = (ways(word), ways(same));
        if a.is_empty() || !b.is_empty() && a != b || a.len() > 1 {
            continue;
        }
        let why = format!("{} is the same", chain.programs[p].output_name(same));
        tell(chain, What::Identical, word, why, iteration);
        for &r in &readers {
            changed |= meet::rename(&mut chain.programs[r], word, same);
        }
    }
    for s in scaled.iter().filter(|s| s.word >= fixed && s.base >= fixed) {
        if !reads(chain, s.word) || !scaled::is_wanted(chain, p, s) {
            continue;
        }
        let factor = match s.by {
            Known::Const(c) => Numbers::text(Some(Numbers::Float), c),
            Known::Uniform(n) => chain.uniforms.text(n, p, Some(Numbers::Float)),
        };
        let limit = if s.is_power() { " where a word overflows or is subnormal" } else { "" };
        let base = chain.programs[p].output_name(s.base);
        tell(chain, What::Scaled, s.word, format!("it is {base} * {factor}; changes roundings{limit}"), iteration);
        for &r in &readers {
            changed |= scaled::multiply(&mut chain.programs[r], s, fault);
        }
    }
    if linear::is_wanted(&chain.programs[p], &known, fault) {
        let mut words: Vec<u32> = readers.iter().flat_map(|r| linear::in_perspective(&chain.programs[*r])).collect();
        words.sort_unstable();
        words.dedup();
        for &word in &words {
            tell(chain, What::Linear, word, "w is 1 for every vertex".into(), iteration);
        }
        readers.iter().for_each(|r| linear::straighten(&mut chain.programs[*r]));
        changed |= !words.is_empty();
    }
    for word in flat.into_iter().filter(|w| *w >= fixed) {
        let inputs = |chain: &Chain| {
            readers.iter().any(|r| chain.programs[*r].inputs().keys().any(|k| k.0 == word && k.1 != How::Flat))
        };
        if inputs(chain) {
            tell(chain, What::Flat, word, "the vertices of a triangle give the same".into(), iteration);
            for &r in &readers {
                changed |= meet::flatten(&mut chain.programs[r], word);
            }
        }
    }
    changed
}
