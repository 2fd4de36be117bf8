//! Programs named together: a vertex program and the fragment programs that it feeds, linked, with
//! the figures of each stage before, after, and in between (LP, "What the report must show").
//!
//! Nothing is known of a scene here, so every input has an attribute of its type and every output a
//! target of four bytes. Figures are those of finished machine code: each iteration's programs go
//! the whole way. If several programs read one vertex program, either one product serves all, or
//! each gets its own; what has fewer instructions is taken, and both are told.

use std::collections::BTreeSet;

use crate::compile::linked::{join, program, Joined};
use crate::compile::stage::Unit;
use crate::compile::{By, Compiled, Options, Uniforms};
use crate::front::linkage::Linkage;
use crate::front::{self, Diagnostic, Diagnostics, Lang};
use crate::graphics::{one_kind, unit, StageSource};
use crate::interface::{Assumption, Binding, Interface, Stage};
use crate::link::trace::{Event, What};
use crate::link::{dot, operations};
use crate::ssa::Kind;
use quadlock_isa::abi::CONST_BUFFERS;
use quadlock_isa::{decode, Op};
use serde::Serialize;

/// First output word of a varying.
const FIRST_VARYING: u32 = 4;

/// What to link.
#[derive(Clone, Debug)]
pub struct LinkRequest<'a> {
    /// Of vertices.
    pub vertex: StageSource<'a>,
    /// Of fragments, one at least.
    pub fragments: Vec<StageSource<'a>>,
    /// What is known of uniforms.
    pub known: Uniforms,
    /// What several fragment programs do about their vertex program.
    pub sharing: Sharing,
    /// Choices of the compiler, for all.
    pub options: Options,
}

/// What several fragment programs do about their vertex program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// What has fewer instructions over all pairs.
    #[default]
    Cheapest,
    /// One vertex program gives what all of them need.
    One,
    /// Each has a vertex program of its own.
    Each,
}

/// Figures of a stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageFigures {
    /// `vertex` or `fragment`.
    pub stage: String,
    /// Its source.
    pub file: String,
    /// Its entry point.
    pub entry: String,
    /// Number of its pair, where each fragment program has a vertex program of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<usize>,
    /// Operations as a four-wide machine counts them (docs/linked-programs.md).
    pub operations: usize,
    /// Machine instructions.
    pub instructions: usize,
    /// The same by what they are for.
    pub instructions_by: By,
    /// Registers per lane.
    pub registers: u32,
    /// Inputs that it reads; of a vertex program attributes.
    pub inputs: usize,
    /// Outputs that it gives, beside the position.
    pub outputs: usize,
    /// Attributes that it fetches.
    pub attributes: usize,
    /// Uniforms that the host derives for it.
    pub derived_uniforms: usize,
    /// The inputs by name.
    pub input_names: Vec<String>,
    /// The outputs by name.
    pub output_names: Vec<String>,
    /// What the derived uniforms are.
    pub derived: Vec<String>,
}

impl StageFigures {
    /// Names of [`Self::counts`], in their order.
    pub const COUNTS: [&'static str; 12] = [
        "operations",
        "instructions",
        "fetch",
        "interpolation",
        "arithmetic",
        "export",
        "control",
        "registers",
        "inputs",
        "outputs",
        "attributes",
        "derived",
    ];

    /// The numbers of a row of a table.
    pub fn counts(&self) -> [usize; 12] {
        let By { fetch, interpolation, arithmetic, export, control } = self.instructions_by;
        [
            self.operations,
            self.instructions,
            fetch,
            interpolation,
            arithmetic,
            export,
            control,
            self.registers as usize,
            self.inputs,
            self.outputs,
            self.attributes,
            self.derived_uniforms,
        ]
    }
}

impl Products {
    /// Every moment with its name: before, each turn, after; pair by pair where there are pairs.
    pub fn moments(&self) -> impl Iterator<Item = (String, &[StageFigures])> {
        let before = [("before".to_string(), &self.before.stages[..])].into_iter();
        let turns = self.iterations.iter().map(|i| (i.name(), &i.stages[..]));
        let after = self.after.stages.chunk_by(|a, b| a.pair == b.pair).map(|stages| {
            let pair = stages.first().and_then(|s| s.pair);
            (of_pair(pair, "after"), stages)
        });
        before.chain(turns).chain(after)
    }
}

/// A name of one of several pairs.
fn of_pair(pair: Option<usize>, name: &str) -> String {
    pair.map_or_else(|| name.into(), |n| format!("pair {n}, {name}"))
}

/// A turn of the linker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IterationFigures {
    /// Number of the pair that is linked, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<usize>,
    /// Its number, from 1; each pair begins anew.
    pub turn: usize,
    /// The programs as they would be now.
    pub stages: Vec<StageFigures>,
    /// What was done, and why.
    pub events: Vec<Event>,
}

impl IterationFigures {
    /// Its name for people.
    pub fn name(&self) -> String {
        of_pair(self.pair, &format!("turn {}", self.turn))
    }
}

/// The programs of one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// The vertex program, then fragment programs in their order. Where there are pairs, each pair
    /// has both, one pair behind the other.
    pub stages: Vec<StageFigures>,
}

/// A program that was linked.
#[derive(Clone, Debug)]
pub struct LinkedProgram {
    /// Its stage.
    pub stage: Stage,
    /// Number of its source: 0 is the vertex program, 1 the first fragment program.
    pub source: usize,
    /// Number of its pair from 1, where each fragment program has a vertex program of its own.
    pub pair: Option<usize>,
    /// The program.
    pub compiled: Compiled,
}

/// What linking gave.
#[derive(Clone, Debug, Serialize)]
pub struct Products {
    /// Each program alone.
    pub before: Moment,
    /// All linked.
    pub after: Moment,
    /// Turn by turn; the last one changes nothing.
    pub iterations: Vec<IterationFigures>,
    /// Outputs that readers multiply for themselves, which changes roundings.
    pub scaled: usize,
    /// Of several fragment programs: what was done about their vertex program, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// Under which conditions on uniforms the programs are right.
    pub assumptions: Vec<String>,
    /// The data flow after each iteration, for Graphviz.
    #[serde(skip)]
    pub dot: Vec<String>,
    /// The programs before, by number of their source.
    #[serde(skip)]
    pub alone: Vec<Compiled>,
    /// The programs after, in the order of `after.stages`.
    #[serde(skip)]
    pub linked: Vec<LinkedProgram>,
}

/// Entry points that a file has, with their stages, in its order. Of a GLSL text whose name says no
/// stage both that are linked are told.
///
/// # Errors
/// It cannot be read, or nothing says its language.
pub fn entry_points(path: &str, source: &[u8]) -> Result<Vec<(String, Stage)>, Diagnostics> {
    let (file, lower) = (path.to_string(), path.to_lowercase());
    match Lang::from_path(path) {
        None => {
            let message = "the language cannot be told from the file name".into();
            let help = "programs that are linked end in .vert, .frag, .wgsl or .spv".into();
            Err(Diagnostic { file, line: 0, column: 0, message, help }.into())
        }
        Some(Lang::Glsl(Stage::Compute)) if lower.ends_with(".glsl") && !lower.ends_with(".comp.glsl") => {
            Ok([Stage::Vertex, Stage::Fragment].map(|stage| ("main".to_string(), stage)).to_vec())
        }
        Some(lang) => front::deep(|| front::entry_points(path, source, lang)),
    }
}

/// A program before it is linked, for names of uniforms.
#[derive(Clone, Debug)]
pub struct Described {
    /// What it tells the host.
    pub interface: Interface,
    /// Where each of its bindings is declared, as `file:line:column`.
    pub declared: Vec<String>,
    /// Whether it reads each of them: of WGSL all are told that the file has.
    pub read: Vec<bool>,
    /// Its language has booleans in uniform buffers, which are words in memory. WGSL has none.
    pub has_bool: bool,
}

/// The programs before they are linked; the vertex program is first.
///
/// # Errors
/// As [`link`].
pub fn interfaces(request: &LinkRequest) -> Result<Vec<Described>, Diagnostics> {
    let described = |unit: Unit| {
        let declared = unit.bindings().map(|(_, at)| unit.place(at)).collect();
        let has_bool = !unit.is_wgsl();
        let funcs = &unit.lowered.module.funcs;
        let insts = funcs.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts));
        let words: BTreeSet<u32> = insts
            .filter_map(|i| match i.kind {
                Kind::ConstWord(word) => Some(word),
                _ => None,
            })
            .collect();
        let read = |b: &Binding| {
            let entry = CONST_BUFFERS as u32 + 2 * b.index;
            words.contains(&entry) || words.range(b.const_at..b.const_at + b.const_words).next().is_some()
        };
        let read = unit.lowered.interface.bindings.iter().map(read).collect();
        Described { declared, read, has_bool, interface: unit.lowered.interface }
    };
    front::deep(|| Ok(lowered(request)?.into_iter().map(described).collect()))
}

/// Links programs.
///
/// # Errors
/// Every message names file, line and column where there is one, and what to do.
pub fn link(request: &LinkRequest) -> Result<Products, Diagnostics> {
    front::deep(|| link_here(request))
}

fn link_here(request: &LinkRequest) -> Result<Products, Diagnostics> {
    let all = lowered(request)?;
    let mut before = vec![];
    let mut alone = vec![];
    for unit in &all {
        let unit = unit.clone().optimised()?;
        let compiled = unit.clone().generated()?;
        before.push(figures(&unit, &compiled, None));
        alone.push(compiled);
    }
    let numbered = |n: usize| (n, all[n].clone());
    let mut best = Product::new((0..all.len()).map(numbered).collect(), &request.known, None)?;
    let mut choice = None;
    if request.fragments.len() > 1 {
        let own = (1..all.len()).map(|n| Product::new(vec![numbered(0), numbered(n)], &request.known, Some(n)));
        let own: Vec<Product> = own.collect::<Result<_, _>>()?;
        // Each fragment program runs behind its vertex program: what all pairs execute is compared.
        let shared = best.cost(request.fragments.len());
        let apart: usize = own.iter().map(|p| p.cost(1)).sum();
        let (each, asked) = match request.sharing {
            Sharing::Cheapest => (apart < shared, ""),
            Sharing::One => (false, ", as asked"),
            Sharing::Each => (true, ", as asked"),
        };
        let taken = if each { "a vertex program for each" } else { "one vertex program for all" };
        choice = Some(format!(
            "{taken}{asked}: {shared} instructions over all pairs with one vertex program, {apart} with one for each"
        ));
        if each {
            best = Product::together(own);
        }
    }
    let events = best.iterations.iter().flat_map(|i| &i.events);
    let scaled = events.filter(|e| e.what == What::Scaled).count();
    Ok(Products {
        before: Moment { stages: before },
        after: Moment { stages: best.after },
        iterations: best.iterations,
        scaled,
        choice,
        assumptions: best.assumptions,
        dot: best.dot,
        alone,
        linked: best.linked,
    })
}

/// All programs, lowered for each other.
fn lowered<'a>(request: &LinkRequest<'a>) -> Result<Vec<Unit<'a>>, Diagnostics> {
    let base = Linkage { samples: 1, assumed: true, wide: true, fault: request.options.fault, ..Linkage::default() };
    let vertex = unit(request.vertex, &request.options, Stage::Vertex, &base)?;
    let mut all = vec![vertex];
    for source in &request.fragments {
        let linkage = base.behind(&all[0].lowered, request.vertex.path, source.path);
        let fragment = unit(*source, &request.options, Stage::Fragment, &linkage)?;
        one_kind(&all[0], &fragment)?;
        all.push(fragment);
    }
    Ok(all)
}

/// A linked chain of one vertex program, with figures; or several, one behind the other.
#[derive(Default)]
struct Product {
    after: Vec<StageFigures>,
    iterations: Vec<IterationFigures>,
    assumptions: Vec<String>,
    dot: Vec<String>,
    linked: Vec<LinkedProgram>,
}

impl Product {
    /// Links units, each with the number of its source; the first feeds the others.
    fn new(units: Vec<(usize, Unit)>, known: &Uniforms, pair: Option<usize>) -> Result<Product, Diagnostics> {
        let (sources, units): (Vec<usize>, Vec<Unit>) = units.into_iter().unzip();
        let edges: Vec<(usize, usize)> = (1..units.len()).map(|n| (0, n)).collect();
        let joined = join(units, &edges, known, true)?;
        let (mut iterations, mut pictures) = (vec![], vec![]);
        for (funcs, iteration) in joined.linked.snapshots.iter().zip(&joined.linked.iterations) {
            let units = joined.with(funcs, false)?;
            let stages: Result<Vec<StageFigures>, Diagnostics> =
                units.into_iter().map(|u| Ok(figures(&u, &u.clone().generated()?, pair))).collect();
            let turn = iterations.len() + 1;
            iterations.push(IterationFigures { pair, turn, stages: stages?, events: iteration.events.clone() });
            pictures.push(dot::draw(&joined.chain_with(funcs), pair, turn));
        }
        let Joined { units, .. } = joined;
        let (mut after, mut linked) = (vec![], vec![]);
        for (source, unit) in sources.into_iter().zip(units) {
            let compiled = unit.clone().generated()?;
            after.push(figures(&unit, &compiled, pair));
            linked.push(LinkedProgram { stage: compiled.binary.interface.stage, source, pair, compiled });
        }
        let stages = linked.iter().map(|c| &c.compiled.binary.interface);
        let assumptions = stages.flat_map(|i| i.specialisation.iter().flat_map(|s| &s.assumptions));
        let text = |a: &Assumption| of_pair(pair, &format!("{} is {} ({})", a.text, a.holds, a.place));
        let mut assumptions: Vec<String> = assumptions.map(text).collect();
        assumptions.sort();
        assumptions.dedup();
        Ok(Product { after, iterations, assumptions, dot: pictures, linked })
    }

    /// Instructions of all pairs, of which there are so many.
    fn cost(&self, pairs: usize) -> usize {
        let own = self.after.iter().skip(1).map(|s| s.instructions);
        pairs * self.after.first().map_or(0, |s| s.instructions) + own.sum::<usize>()
    }

    /// Products of one vertex program each, one behind the other.
    fn together(all: Vec<Product>) -> Product {
        let mut out = Product::default();
        for p in all {
            out.after.extend(p.after);
            out.iterations.extend(p.iterations);
            out.assumptions.extend(p.assumptions);
            out.dot.extend(p.dot);
            out.linked.extend(p.linked);
        }
        out
    }
}

/// The figures of a stage that has ended.
fn figures(unit: &Unit, compiled: &Compiled, pair: Option<usize>) -> StageFigures {
    let interface = &compiled.binary.interface;
    let graphics = interface.graphics.clone().unwrap_or_default();
    let numbers = |wanted: &[Op]| -> BTreeSet<u32> {
        let all = compiled.binary.code.iter().filter_map(|&w| decode(w).ok());
        all.filter(|i| wanted.contains(&i.op)).map(|i| i.imm).collect()
    };
    let by_word = |words: BTreeSet<u32>, names: &std::collections::BTreeMap<u32, String>| -> Vec<String> {
        let at = graphics.varyings.iter().filter(|v| words.contains(&v.word)).map(|v| v.location);
        let locations: BTreeSet<u32> = at.collect();
        locations.into_iter().map(|l| names.get(&l).cloned().unwrap_or_else(|| format!("location {l}"))).collect()
    };
    let written = numbers(&[Op::Out]);
    let program = program(unit, false);
    let all = operations::attributes(&program);
    let fetched = program.attributes.iter().map(|a| &a.name).filter(|n| all.contains_key(*n));
    let fetched: Vec<String> = fetched.cloned().collect();
    let (stage, input_names, output_names) = match interface.stage {
        Stage::Vertex => {
            let words = written.into_iter().filter(|w| *w >= FIRST_VARYING).collect();
            ("vertex", fetched.clone(), by_word(words, &graphics.output_names))
        }
        _ => {
            let read = numbers(&[Op::Attr, Op::AttrFlat]);
            let targets: BTreeSet<u32> = written.into_iter().filter(|w| *w < 8).map(|w| w / 2).collect();
            let named = |l: u32| graphics.output_names.get(&l).cloned().unwrap_or_else(|| format!("location {l}"));
            ("fragment", by_word(read, &graphics.input_names), targets.into_iter().map(named).collect())
        }
    };
    let counts = compiled.report.counts;
    StageFigures {
        stage: stage.into(),
        file: compiled.binary.files.first().cloned().unwrap_or_default(),
        entry: interface.entry.clone(),
        pair,
        operations: counts.operations,
        instructions: compiled.binary.code.len(),
        instructions_by: counts.by,
        registers: interface.registers,
        inputs: input_names.len(),
        outputs: output_names.len(),
        attributes: fetched.len(),
        derived_uniforms: interface.derived.as_ref().map_or(0, |d| d.words.len()),
        input_names,
        output_names,
        derived: interface.derived.as_ref().map_or(vec![], |d| d.texts()),
    }
}
