//! Stages that are linked: their SSA goes to the linker, and comes back with what the host has to
//! know (LP-10 to LP-16).
//!
//! Outputs that are left get numbers without gaps, so that a vertex takes as little room as it
//! can. The words of both sides change together: a number that only one side changes would be
//! another varying.

use std::collections::{BTreeMap, BTreeSet};

use super::stage::Unit;
use crate::front::linkage::{Attribute, MOST_WORDS};
use crate::front::{bank_words, Diagnostics};
use crate::interface::{
    Assumption, Binding, BindingKind, GraphicsInterface, Interpolation, Numbers, Sampling, Specialisation, Stage,
    Varying, UNIFORM_WORDS,
};
use crate::link::chain::{AttributeAt, Chain, Edge, Program, UniformBuffer, UniformWords};
use crate::link::specialise::Decision;
use crate::link::uniform::{Name, Names, Node, Table, Word};
use crate::link::{self, operations, words, LinkOptions, Linked};
use crate::ssa::{Func, How, Kind};
use quadlock_isa::abi::{CONST_BUFFERS, CONST_USER, MAX_BUFFERS};

/// First output word of a varying.
const FIRST_VARYING: u32 = 4;
/// Word of the position that what is in perspective is divided by.
const W: u32 = 3;

/// The most words that go from a vertex to a fragment.
const MOST_VARYINGS: usize = (MOST_WORDS - FIRST_VARYING) as usize;

/// Values of uniform buffers that are known, by group and binding; a word may be unknown.
pub type Uniforms = BTreeMap<(u32, u32), Vec<Option<u32>>>;

/// Units that were linked.
pub(crate) struct Joined<'a> {
    /// As they have become.
    pub units: Vec<Unit<'a>>,
    pub linked: Linked,
    /// As they were.
    first: Vec<Unit<'a>>,
    chain: Chain,
}

/// Links units that have been lowered; `edges` says who feeds whom.
///
/// # Errors
/// A mistake of the compiler.
pub(crate) fn join<'a>(
    mut units: Vec<Unit<'a>>,
    edges: &[(usize, usize)],
    known: &Uniforms,
    snapshots: bool,
) -> Result<Joined<'a>, Diagnostics> {
    for unit in &mut units {
        unit.inlined()?;
    }
    let feeds = |n: usize| edges.iter().any(|e| e.0 == n);
    let mut chain = Chain {
        programs: units.iter().enumerate().map(|(n, u)| program(u, feeds(n))).collect(),
        edges: edges.iter().map(|&(from, to)| Edge { from, to }).collect(),
        uniforms: Table::new(units.iter().map(names).collect()),
    };
    let values = |(group, binding, word): Word| known.get(&(group, binding))?.get(word as usize).copied().flatten();
    let fault = units.first().and_then(|u| u.passes.fault);
    let linked = link::run(&mut chain, &LinkOptions { values: &values, snapshots, fault });
    let linked = linked.map_err(|e| units[0].mistake(e))?;
    let mut joined = Joined { units: vec![], linked, first: units, chain };
    let funcs: Vec<Func> = joined.chain.programs.iter().map(|p| p.func.clone()).collect();
    joined.units = joined.with(&funcs, true)?;
    Ok(joined)
}

impl<'a> Joined<'a> {
    /// The chain as it would be with these entry functions.
    pub fn chain_with(&self, funcs: &[Func]) -> Chain {
        let mut chain = self.chain.clone();
        chain.programs.iter_mut().zip(funcs).for_each(|(p, f)| p.func = f.clone());
        chain
    }

    /// The units as they would be with these entry functions. `run`: they have to fit the machine;
    /// programs of an iteration are only looked at.
    pub fn with(&self, funcs: &[Func], run: bool) -> Result<Vec<Unit<'a>>, Diagnostics> {
        let mut chain = self.chain_with(funcs);
        let mut units = self.first.clone();
        let placed = |p: usize, d: &Decision| (p, d.clone(), chain.programs[p].place(d.loc));
        let by_program = self.linked.decisions.iter().enumerate();
        let assumed: Vec<_> = by_program.flat_map(|(p, all)| all.iter().map(move |d| placed(p, d))).collect();
        for p in 0..units.len() {
            if !chain.readers(p).is_empty() {
                let left = renumber(&mut chain, &mut units, p);
                if run && left > MOST_VARYINGS {
                    return Err(units[p].too_wide(left, MOST_VARYINGS));
                }
            }
        }
        for (n, unit) in units.iter_mut().enumerate() {
            let program = &mut chain.programs[n];
            let bank = bank_words(unit.lowered.interface.stage != Stage::Compute);
            let derived = words::allocate((n, &mut *program), &chain.uniforms, CONST_USER as u32, bank);
            unit.lowered.interface.derived = derived.map_err(|e| unit.mistake(e))?;
            unit.lowered.interface.specialisation = specialisation(&assumed, &chain.uniforms, n);
            *unit.entry() = program.func.clone();
            keep_names(unit, program);
            unit.statistics = program.statistics.clone();
            unit.again()?;
            unit.ended()?;
        }
        Ok(units)
    }
}

/// A unit as a program of a chain.
pub(crate) fn program(unit: &Unit, feeds: bool) -> Program {
    let interface = &unit.lowered.interface;
    let graphics = interface.graphics.clone().unwrap_or_default();
    let all = || interface.bindings.iter().filter(|b| b.kind == BindingKind::Uniform);
    let uniforms = all().filter(|b| b.const_words > 0);
    let end = uniforms.clone().map(|b| b.const_at + b.const_words).max().unwrap_or(0).max(CONST_USER as u32);
    // The elements of an array have one number: a word's name does not tell which has it.
    let is_element = |b: &Binding| {
        interface.bindings.iter().any(|o| o.index != b.index && (o.group, o.binding) == (b.group, b.binding))
    };
    let in_memory = |b: &Binding| UniformBuffer {
        base: CONST_BUFFERS as u32 + 2 * b.index,
        bytes: b.min_bytes.min(4 * UNIFORM_WORDS),
        buffer: (b.group, b.binding),
    };
    Program {
        name: match interface.stage {
            Stage::Compute => "compute".into(),
            Stage::Vertex => "vertex".into(),
            Stage::Fragment => "fragment".into(),
        },
        func: unit.lowered.module.funcs[unit.lowered.entry.index()].clone(),
        files: unit.lowered.module.files.clone(),
        fixed: if feeds { FIRST_VARYING } else { u32::MAX },
        w: (feeds && interface.stage == Stage::Vertex).then_some(W),
        names: output_names(&graphics, interface.stage),
        numbers: output_numbers(&graphics, interface.stage),
        given: unit.given.clone(),
        attributes: attributes(unit, &graphics),
        uniforms: uniforms
            .map(|b| UniformWords { at: b.const_at, words: b.const_words, buffer: (b.group, b.binding) })
            .collect(),
        spare: bank_words(interface.stage != Stage::Compute).saturating_sub(end),
        buffers: all().filter(|b| !is_element(b)).map(in_memory).collect(),
        passes: unit.passes.clone(),
        statistics: unit.statistics.clone(),
    }
}

/// Names of output words; a target has two.
fn output_names(graphics: &GraphicsInterface, stage: Stage) -> BTreeMap<u32, String> {
    if stage != Stage::Vertex {
        let targets = graphics.output_names.iter();
        return targets.flat_map(|(t, name)| [2 * t, 2 * t + 1].map(|word| (word, name.clone()))).collect();
    }
    let named = |v: &Varying| {
        let name = graphics.output_names.get(&v.location).cloned();
        let name = name.unwrap_or_else(|| format!("location {}", v.location));
        let alone = graphics.varyings.iter().filter(|o| o.location == v.location).count() == 1;
        let part = ["x", "y", "z", "w"][v.component.min(3) as usize];
        (v.word, if alone { name } else { format!("{name}.{part}") })
    };
    // Programs call a varying `position`, too.
    let clip = |(word, part)| (word, format!("clip position.{part}"));
    let position = (0..FIRST_VARYING).zip(["x", "y", "z", "w"]).map(clip);
    position.chain(graphics.varyings.iter().map(named)).collect()
}

/// What the bits of output words are, of a vertex program.
fn output_numbers(graphics: &GraphicsInterface, stage: Stage) -> BTreeMap<u32, Numbers> {
    let position = (0..FIRST_VARYING).map(|word| (word, Numbers::Float));
    let all = position.chain(graphics.varyings.iter().map(|v| (v.word, v.numbers)));
    all.filter(|_| stage == Stage::Vertex).collect()
}

/// Forgets names of what has left: attributes that are not fetched, varyings that are not given.
fn keep_names(unit: &mut Unit, program: &Program) {
    let vertex = unit.lowered.interface.stage == Stage::Vertex;
    let fetched = operations::attributes(program);
    let Some(g) = &mut unit.lowered.interface.graphics else { return };
    let passed: BTreeSet<u32> = g.varyings.iter().map(|v| v.location).collect();
    match vertex {
        true => {
            g.input_names.retain(|_, name| fetched.contains_key(name));
            g.output_names.retain(|location, _| passed.contains(location));
        }
        false => g.input_names.retain(|location, _| passed.contains(location)),
    }
}

/// Where attributes are.
fn attributes(unit: &Unit, graphics: &GraphicsInterface) -> Vec<AttributeAt> {
    if unit.lowered.interface.stage != Stage::Vertex {
        return vec![];
    }
    let linkage = unit.linkage.clone().unwrap_or_default();
    let given = |location: u32| linkage.attributes.iter().find(|a| a.location == location).copied();
    let at = |(&location, name): (&u32, &String)| {
        let a = given(location).unwrap_or_else(|| Attribute::assumed(location, 4, Numbers::Float));
        let entry = (MAX_BUFFERS as u32 - 1).saturating_sub(a.slot);
        let from = a.offset as i32;
        AttributeAt {
            name: name.clone(),
            base: CONST_BUFFERS as u32 + 2 * entry,
            bytes: from..from + a.format.bytes() as i32,
        }
    };
    graphics.input_names.iter().map(at).collect()
}

/// Names of words of uniform buffers in a source.
fn names(unit: &Unit) -> Names {
    let mut out = Names::new();
    for b in &unit.lowered.interface.bindings {
        for m in &b.members {
            for k in 0..m.words {
                let text = if m.words == 1 { m.name.clone() } else { format!("{}[{k}]", m.name) };
                let name = Name { text, numbers: m.numbers_of(k as usize) };
                let all = out.entry((b.group, b.binding, m.word + k)).or_default();
                if !all.contains(&name) {
                    all.push(name);
                }
            }
        }
    }
    out
}

/// Numbers of outputs without gaps, on both sides; how many there are beside the position.
fn renumber(chain: &mut Chain, units: &mut [Unit], p: usize) -> usize {
    let live: BTreeSet<u32> = chain.programs[p].outputs().into_keys().filter(|w| *w >= FIRST_VARYING).collect();
    let to: BTreeMap<u32, u32> = live.iter().copied().zip(FIRST_VARYING..).collect();
    let new = |word: u32| to.get(&word).copied().unwrap_or(word);
    let given = varyings(&units[p]);
    for r in chain.readers(p) {
        let inputs: Vec<(u32, How)> = chain.programs[r].inputs().into_keys().filter(|i| i.0 >= FIRST_VARYING).collect();
        let own = varyings(&units[r]);
        let of = |&(word, how): &(u32, How)| {
            let v = own.iter().chain(&given).find(|v| v.word == word)?;
            let (interpolation, place) = match how {
                How::Flat => (Interpolation::Flat, 0),
                How::Perspective(place) => (Interpolation::Perspective, place),
                How::Linear(place) => (Interpolation::Linear, place),
            };
            let sampling = [Sampling::Centre, Sampling::Centroid, Sampling::Sample][place.min(2) as usize];
            Some(Varying { word: new(word), interpolation, sampling, ..*v })
        };
        let left: Vec<Varying> = inputs.iter().filter_map(of).collect();
        set_varyings(&mut units[r], left);
        change_words(&mut chain.programs[r].func, &|kind| match kind {
            Kind::Input { word, .. } if *word >= FIRST_VARYING => *word = new(*word),
            _ => {}
        });
    }
    let left = given.iter().filter(|v| live.contains(&v.word)).map(|v| Varying { word: new(v.word), ..*v });
    set_varyings(&mut units[p], left.collect());
    change_words(&mut chain.programs[p].func, &|kind| {
        if let Kind::Output { word, .. } = kind {
            *word = new(*word);
        }
    });
    to.len()
}

fn varyings(unit: &Unit) -> Vec<Varying> {
    unit.lowered.interface.graphics.iter().flat_map(|g| g.varyings.clone()).collect()
}

fn set_varyings(unit: &mut Unit, varyings: Vec<Varying>) {
    if let Some(g) = &mut unit.lowered.interface.graphics {
        g.varyings = varyings;
    }
}

fn change_words(func: &mut Func, f: &dyn Fn(&mut Kind)) {
    for b in func.layout.clone() {
        func.blocks[b.index()].insts.iter_mut().for_each(|i| f(&mut i.kind));
    }
}

/// What a program takes for granted: what was decided in it, and in the programs it is linked with.
/// Their decisions reach it through outputs that are constant now or that nobody reads.
fn specialisation(decided: &[(usize, Decision, String)], table: &Table, own: usize) -> Option<Specialisation> {
    let mut conditions: Vec<(&Decision, &String, usize)> = vec![];
    let (first, others): (Vec<_>, Vec<_>) = decided.iter().partition(|d| d.0 == own);
    for (p, d, place) in first.into_iter().chain(others) {
        if !conditions.iter().any(|(o, ..)| (o.node, o.holds) == (d.node, d.holds)) {
            conditions.push((d, place, *p));
        }
    }
    let roots: Vec<Node> = conditions.iter().map(|c| c.0.node).collect();
    let (steps, numbers) = words::steps(table, &roots);
    let assumption = |(d, place, p): &(&Decision, &String, usize)| Assumption {
        step: numbers[&d.node],
        holds: d.holds,
        place: (*place).clone(),
        text: table.text(d.node, *p, None),
    };
    let assumptions: Vec<Assumption> = conditions.iter().map(assumption).collect();
    (!assumptions.is_empty()).then_some(Specialisation { steps, assumptions })
}
