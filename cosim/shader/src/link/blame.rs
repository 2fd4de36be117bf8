//! Why an input, an attribute or a derived uniform is not read any more: which of the decided
//! branches and choices took away what it went to, and which outputs that it went to have left.
//!
//! The function is as it is right behind the decisions ([`super::specialise`]): they are the
//! conditions that are constants, and nothing is removed yet. A value is followed to all that reads
//! it. What reads it in a block where nobody comes any more is lost to the branches that led there.
//! What a decided choice does not take, and an argument of a way that is not gone, is lost to that
//! one. A read that stands where nobody comes is lost likewise. It is wrong if it names a decision
//! that the program could do without: only decisions on the way of the value are named. What passes
//! remove for another reason, as a product with 0, names none. Outputs are looked at before they
//! are taken out, and values alone lead to them, not branches.

use std::collections::{BTreeMap, BTreeSet};

use super::chain::Program;
use super::operations;
use super::uniform::Node;
use crate::ssa::{Block, Func, Inst, Kind, Target, Value};
use quadlock_isa::Op;

/// What took away an input, an attribute or a derived uniform.
#[derive(Clone, Debug, Default)]
pub struct Lost {
    /// Places of decisions.
    decided: BTreeSet<String>,
    /// Words of outputs that have left, each with its places.
    outputs: BTreeMap<String, Vec<String>>,
    /// How many words the variables have that those are of.
    words: BTreeMap<String, usize>,
}

/// What took away what, of an iteration of a program.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    /// By input word.
    pub inputs: BTreeMap<u32, Lost>,
    /// By name of the attribute.
    pub attributes: BTreeMap<String, Lost>,
    /// By expression of uniforms.
    pub derived: BTreeMap<Node, Lost>,
}

impl Lost {
    /// In words.
    pub fn why(&self) -> String {
        let decided = match self.decided.len() {
            0 => None,
            1 => Some("a branch is decided".into()),
            _ => Some("branches are decided".into()),
        };
        let names = self.names();
        let outputs = (!names.is_empty()).then(|| format!("no program reads {}", names.join(", ")));
        let since: Vec<String> = decided.into_iter().chain(outputs).collect();
        match since.is_empty() {
            true => "nothing reads it any more".into(),
            false => format!("nothing reads it since {}", since.join(", and ")),
        }
    }

    /// What has left: a variable if all of it has, else components.
    fn names(&self) -> Vec<&str> {
        let mut parts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        self.outputs.keys().for_each(|word| parts.entry(variable(word)).or_default().push(word));
        let whole = |name: &str, count: usize| self.words.get(name) == Some(&count);
        parts.into_iter().flat_map(|(name, words)| if whole(name, words.len()) { vec![name] } else { words }).collect()
    }

    /// The places of all of it.
    pub fn places(&self) -> impl Iterator<Item = String> + '_ {
        self.decided.iter().chain(self.outputs.values().flatten()).cloned()
    }
}

impl Blame {
    /// Adds what the decisions in a program take away.
    pub fn add(&mut self, program: &Program) {
        self.each(program, &|ways, at, inst, lost| lost.decided.extend(ways.lost(at, inst)));
    }

    /// Adds what outputs take away that are about to leave: by word their names and places.
    pub fn outputs(&mut self, program: &Program, gone: &BTreeMap<u32, (String, Vec<String>)>) {
        if gone.is_empty() {
            return;
        }
        self.each(program, &|ways, _, inst, lost| {
            for (name, places) in ways.outputs(inst).iter().filter_map(|word| gone.get(word)) {
                let of = program.names.values().filter(|other| variable(other) == variable(name)).count();
                lost.words.insert(variable(name).into(), of);
                let all = lost.outputs.entry(name.clone()).or_default();
                let new: Vec<String> = places.iter().filter(|p| !all.contains(p)).cloned().collect();
                all.extend(new);
            }
        });
    }

    /// Adds to what took away each read of an input, attribute or expression of uniforms.
    fn each(&mut self, program: &Program, add: &dyn Fn(&Ways, Block, &Inst, &mut Lost)) {
        let ways = Ways::of(program);
        for (at, inst) in ways.insts() {
            let lost = match inst.kind {
                Kind::Input { word, .. } => Some(self.inputs.entry(word).or_default()),
                Kind::ConstWord(word) => Node::of_word(word).map(|n| self.derived.entry(n).or_default()),
                _ => None,
            };
            lost.into_iter().for_each(|lost| add(&ways, at, inst, lost));
        }
        for (name, fetch) in operations::fetches(program) {
            let lost = self.attributes.entry(name).or_default();
            if let Some((at, inst)) = ways.insts().find(|(_, inst)| std::ptr::eq(*inst, fetch)) {
                add(&ways, at, inst, lost);
            }
        }
    }
}

/// The variable that an output word is of, by the word's name.
fn variable(word: &str) -> &str {
    word.rsplit_once('.').filter(|n| ["x", "y", "z", "w"].contains(&n.1)).map_or(word, |n| n.0)
}

/// Where a function goes since branches are decided.
struct Ways<'a> {
    program: &'a Program,
    /// Constants.
    known: BTreeMap<Value, bool>,
    /// Blocks to which control comes.
    alive: BTreeSet<Block>,
    /// The others: places of the branches that led there.
    ended: BTreeMap<Block, BTreeSet<String>>,
    readers: BTreeMap<Value, Vec<(Block, &'a Inst)>>,
}

impl<'a> Ways<'a> {
    fn of(program: &'a Program) -> Ways<'a> {
        let mut ways = Ways {
            program,
            known: BTreeMap::new(),
            alive: BTreeSet::new(),
            ended: BTreeMap::new(),
            readers: BTreeMap::new(),
        };
        let all: Vec<(Block, &Inst)> = ways.insts().collect();
        for (at, inst) in all {
            if let (Kind::Const(c), Some(r)) = (&inst.kind, inst.results.first()) {
                ways.known.insert(*r, *c != 0);
            }
            for value in inst.kind.uses() {
                ways.readers.entry(value).or_default().push((at, inst));
            }
        }
        ways.alive = ways.reached(vec![ways.func().entry()], &|_| true);
        let gone: Vec<(String, Block)> = ways
            .insts()
            .filter(|(at, _)| ways.alive.contains(at))
            .filter_map(|(_, inst)| Some((ways.place(inst), ways.targets(inst).1?.block)))
            .collect();
        for (place, first) in gone {
            for block in ways.reached(vec![first], &|b| !ways.alive.contains(&b)) {
                ways.ended.entry(block).or_default().insert(place.clone());
            }
        }
        ways
    }

    fn func(&self) -> &'a Func {
        &self.program.func
    }

    fn insts(&self) -> impl Iterator<Item = (Block, &'a Inst)> {
        let func = self.func();
        func.layout.iter().flat_map(|b| func.blocks[b.index()].insts.iter().map(|i| (*b, i)))
    }

    fn place(&self, inst: &Inst) -> String {
        self.program.place(inst.loc)
    }

    /// Where a terminator goes, and where it does not go any more.
    fn targets(&self, inst: &'a Inst) -> (Vec<&'a Target>, Option<&'a Target>) {
        match &inst.kind {
            Kind::Jump(to) => (vec![to], None),
            Kind::Branch { cond, then, other } => match self.known.get(cond) {
                Some(true) => (vec![then], Some(other)),
                Some(false) => (vec![other], Some(then)),
                None => (vec![then, other], None),
            },
            _ => (vec![], None),
        }
    }

    /// The blocks to which these lead, themselves included; of those for which `is` holds.
    fn reached(&self, mut left: Vec<Block>, is: &dyn Fn(Block) -> bool) -> BTreeSet<Block> {
        let mut seen = BTreeSet::new();
        while let Some(block) = left.pop() {
            if !is(block) || !seen.insert(block) {
                continue;
            }
            let last = self.func().blocks[block.index()].insts.last();
            left.extend(last.into_iter().flat_map(|inst| self.targets(inst).0).map(|t| t.block));
        }
        seen
    }

    /// The decisions that took away the instruction or what reads its results.
    fn lost(&self, at: Block, inst: &Inst) -> BTreeSet<String> {
        let mut lost = self.ended.get(&at).cloned().unwrap_or_default();
        let mut left = if lost.is_empty() { inst.results.clone() } else { vec![] };
        let mut seen: BTreeSet<Value> = left.iter().copied().collect();
        while let Some(value) = left.pop() {
            for (at, reader) in self.readers.get(&value).into_iter().flatten() {
                if let Some(places) = self.ended.get(at) {
                    lost.extend(places.iter().cloned());
                    continue;
                }
                let (to, is_dropped) = self.goes_to(reader, value);
                if is_dropped {
                    lost.insert(self.place(reader));
                }
                left.extend(to.into_iter().filter(|v| seen.insert(*v)));
            }
        }
        lost
    }

    /// The outputs to which an instruction's results lead.
    fn outputs(&self, inst: &Inst) -> BTreeSet<u32> {
        let mut left = inst.results.clone();
        let mut seen: BTreeSet<Value> = left.iter().copied().collect();
        let mut words = BTreeSet::new();
        while let Some(value) = left.pop() {
            for (_, reader) in self.readers.get(&value).into_iter().flatten() {
                if let Kind::Output { word, .. } = reader.kind {
                    words.insert(word);
                }
                left.extend(self.goes_to(reader, value).0.into_iter().filter(|v| seen.insert(*v)));
            }
        }
        words
    }

    /// The values that depend on this one through a reader, and whether the reader drops it
    /// somewhere.
    fn goes_to(&self, reader: &'a Inst, value: Value) -> (Vec<Value>, bool) {
        let gives = |target: &Target| target.args.contains(&value);
        match &reader.kind {
            Kind::Alu(Op::Sel, args) if args.len() == 3 => match self.known.get(&args[2]) {
                Some(holds) => {
                    let (taken, dropped) = if *holds { (args[0], args[1]) } else { (args[1], args[0]) };
                    let to = if taken == value { reader.results.clone() } else { vec![] };
                    (to, dropped == value)
                }
                None => (reader.results.clone(), false),
            },
            Kind::Jump(_) | Kind::Branch { .. } => {
                let (to, gone) = self.targets(reader);
                let params = |t: &Target| {
                    let params = &self.func().blocks[t.block.index()].params;
                    let pairs = t.args.iter().zip(params);
                    pairs.filter(|(arg, _)| **arg == value).map(|(_, param)| *param).collect::<Vec<_>>()
                };
                (to.into_iter().flat_map(params).collect(), gone.is_some_and(gives))
            }
            _ => (reader.results.clone(), false),
        }
    }
}
