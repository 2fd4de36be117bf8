//! Counts of a program: operations as a four-wide machine counts them, attributes (LP-20).
//!
//! Component instructions that came from one vector operation of the source count once: those of
//! one place and one kind. Multiply-adds that feed each other at one place are a dot product, and
//! each such chain is one operation, as a row of a matrix times a vector. Constants, inputs
//! (fetched or interpolated), copies and exports do not count, but an input or a uniform that is
//! stored to an output as it is counts as one. What is counted is SSA behind all passes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::chain::Program;
use crate::ssa::{Func, Inst, Kind, Loc, Role, Value};
use quadlock_isa::Op;

/// Operations of a function.
pub fn count(func: &Func) -> usize {
    let insts: Vec<_> = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts).collect();
    let mut def: HashMap<Value, (&Kind, Loc)> = HashMap::new();
    for inst in &insts {
        inst.results.iter().for_each(|r| {
            def.insert(*r, (&inst.kind, inst.loc));
        });
    }
    let mut groups: BTreeSet<(u16, u32, u32, String)> = BTreeSet::new();
    let mut rows = 0;
    // Values that another link of a chain of multiply-adds takes in at the same place.
    let mut within: BTreeSet<Value> = BTreeSet::new();
    let work = |loc: Loc| loc.role == Role::Work;
    let addend = |inst: &crate::ssa::Inst| match &inst.kind {
        Kind::Alu(Op::FFma | Op::FNma, args) => def.get(&args[2]).and_then(|(kind, loc)| {
            let link = matches!(kind, Kind::Alu(Op::FMul | Op::FFma | Op::FNma, _));
            (link && *loc == inst.loc).then_some(args[2])
        }),
        _ => None,
    };
    let mut heads = vec![];
    for inst in &insts {
        let addend = addend(inst);
        within.extend(addend);
        heads.push(addend.is_some());
    }
    let mut stored: BTreeSet<(u16, u32, u32)> = BTreeSet::new();
    let mut copied = 0;
    for (inst, chained) in insts.iter().zip(heads) {
        let at = (inst.loc.file, inst.loc.line, inst.loc.col);
        let kind = match &inst.kind {
            Kind::Output { value, .. } => {
                if plain(&def, *value) {
                    // All words of one input or uniform count once.
                    let from = def.get(value).map_or(at, |(_, l)| (l.file, l.line, l.col));
                    copied += usize::from(stored.insert(from));
                }
                continue;
            }
            Kind::Alu(op, _) if work(inst.loc) => format!("{op:?}"),
            Kind::CrossLane { op, .. } => format!("{op:?}"),
            Kind::Load { .. } if work(inst.loc) => "load".into(),
            Kind::Store { .. } => "store".into(),
            Kind::Atomic { op, .. } => format!("{op:?}"),
            Kind::Message { .. } | Kind::Barrier | Kind::Demote => "wait".into(),
            Kind::Branch { .. } => "branch".into(),
            _ => continue,
        };
        if inst.results.first().is_some_and(|r| within.contains(r)) {
            continue;
        }
        match chained {
            true => rows += 1,
            false => {
                groups.insert((at.0, at.1, at.2, kind));
            }
        }
    }
    groups.len() + rows + copied
}

/// Whether a value is an input or a uniform as it is.
fn plain(def: &HashMap<Value, (&Kind, Loc)>, value: Value) -> bool {
    match def.get(&value) {
        Some((Kind::Const(_) | Kind::ConstWord(_) | Kind::Load { .. } | Kind::Input { .. }, _)) => true,
        Some((_, loc)) => loc.role == Role::Fetch,
        None => false,
    }
}

/// The attributes that a program fetches, each with the place of a fetch.
pub fn attributes(program: &Program) -> BTreeMap<String, Loc> {
    let mut out = BTreeMap::new();
    for (name, fetch) in fetches(program) {
        out.entry(name).or_insert(fetch.loc);
    }
    out
}

/// The loads of attributes, in order of the layout, each with the name of one that it fetches.
pub fn fetches(program: &Program) -> Vec<(String, &Inst)> {
    let results = program.insts().flat_map(|i| i.results.iter().map(move |r| (*r, &i.kind)));
    let def: HashMap<Value, &Kind> = results.collect();
    let mut out = vec![];
    for inst in program.insts().filter(|i| i.loc.role == Role::Fetch) {
        let Kind::Load { addr, offset, .. } = &inst.kind else { continue };
        let bases = words_of(&def, *addr);
        let at = program.attributes.iter().filter(|a| bases.contains(&a.base) && a.bytes.contains(offset));
        out.extend(at.map(|a| (a.name.clone(), inst)));
    }
    out
}

/// The constant words that an address is made of.
fn words_of(def: &HashMap<Value, &Kind>, addr: Value) -> BTreeSet<u32> {
    let (mut out, mut left, mut seen) = (BTreeSet::new(), vec![addr], BTreeSet::new());
    while let Some(v) = left.pop() {
        match def.get(&v) {
            Some(Kind::ConstWord(w)) => {
                out.insert(*w);
            }
            Some(Kind::Alu(_, args)) => left.extend(args.iter().filter(|a| seen.insert(**a))),
            _ => {}
        }
    }
    out
}
