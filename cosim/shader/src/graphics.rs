//! A pipeline: a vertex and a fragment program compiled for each other.
//!
//! The vertex program is compiled first, for the attributes that the scene has; the fragment
//! program then knows in which word each of its inputs is, and in which form its targets want
//! colours. What does not fit is refused at the place of the input or output (LP-4).

use crate::compile::linked::join;
use crate::compile::stage::Unit;
use crate::compile::{CompileRequest, Compiled, Options, Uniforms};
use crate::front::linkage::{Attribute, Linkage, Rule, TargetFormat};
use crate::front::{self, Diagnostic, Diagnostics, Lang, Lowered};
use crate::interface::{buffer_at, Binding, BindingKind, GraphicsInterface, Interpolation, Stage, Varying};
use crate::ssa::Loc;
use quadlock_isa::abi::MAX_BUFFERS;
use quadlock_isa::{decode, Op};

/// A program of a pipeline.
#[derive(Clone, Copy, Debug)]
pub struct StageSource<'a> {
    /// Name for messages; its extension decides the language.
    pub path: &'a str,
    /// Contents of the file.
    pub source: &'a [u8],
    /// Entry point; not needed if the source has one of the stage.
    pub entry: Option<&'a str>,
}

/// What to compile.
#[derive(Clone, Debug)]
pub struct PipelineRequest<'a> {
    /// Of vertices.
    pub vertex: StageSource<'a>,
    /// Of fragments; without it depth and stencil alone are written.
    pub fragment: Option<StageSource<'a>>,
    /// Attributes of vertices and instances.
    pub attributes: Vec<Attribute>,
    /// Colour targets, at most 4.
    pub targets: Vec<TargetFormat>,
    /// Whether the draw writes some component of each target. The program has to write those; a
    /// target that is not named is written.
    pub written: Vec<bool>,
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u32,
    /// The first target's alpha makes coverage.
    pub alpha_to_coverage: bool,
    /// The programs are linked, with what is known of uniforms by value (LP-10).
    pub link: Option<Uniforms>,
    /// Choices of the compiler, for both.
    pub options: Options,
}

/// A compiled pipeline.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Of vertices.
    pub vertex: Compiled,
    /// Of fragments, if there is a program.
    pub fragment: Option<Compiled>,
    /// Words of varyings behind the position.
    pub varying_words: u32,
    /// Bit n: word n of the varyings is flat.
    pub flat: u64,
    /// Bit n: word n is linear.
    pub linear: u64,
    /// Fragments may be discarded.
    pub may_discard: bool,
    /// The fragment program writes depth.
    pub writes_depth: bool,
    /// It writes the sample mask.
    pub writes_mask: bool,
    /// It writes memory.
    pub stores: bool,
    /// It runs once for each sample.
    pub per_sample: bool,
    /// It asks for tests before it.
    pub early_tests: bool,
    /// y of clip space points up, as in WGSL; else down, as in GLSL and SPIR-V for Vulkan.
    pub y_up: bool,
}

/// Compiles a pipeline.
///
/// # Errors
/// Every message names file, line and column where there is one, and what to do.
pub fn compile_pipeline(request: &PipelineRequest) -> Result<Pipeline, Diagnostics> {
    front::deep(|| compile_here(request))
}

fn compile_here(request: &PipelineRequest) -> Result<Pipeline, Diagnostics> {
    let (vertex, linkage) = lowered(request)?;
    let y_up = is_web_gpu(request.vertex.path);
    let Some(source) = request.fragment else {
        let vertex = checked(request, finished(vertex, request)?)?;
        return Ok(without_fragments(vertex, y_up));
    };
    let (vertex, mut fragment) = match &request.link {
        None => {
            let vertex = checked(request, vertex.optimised()?.generated()?)?;
            (vertex, unit(source, &request.options, Stage::Fragment, &linkage)?.optimised()?)
        }
        Some(known) => {
            let fragment = unit(source, &request.options, Stage::Fragment, &linkage)?;
            one_kind(&vertex, &fragment)?;
            let mut units = join(vec![vertex, fragment], &[(0, 1)], known, false)?.units.into_iter();
            match (units.next(), units.next()) {
                (Some(vertex), Some(fragment)) => (checked(request, vertex.generated()?)?, fragment),
                _ => return Err(fail(source.path, "internal error: linking lost a program".into(), "report it")),
            }
        }
    };
    // The vertex program is in the same instruction cache.
    fragment.leave(vertex.binary.code.len());
    let fragment = fragment.generated()?;
    let (outputs, inputs) = (graphics(&vertex), graphics(&fragment));
    let mask = |of: &dyn Fn(&Varying) -> bool| {
        inputs.varyings.iter().filter(|v| of(v)).fold(0u64, |mask, v| mask | 1 << (v.word - 4))
    };
    let has = |op: Op| fragment.binary.code.iter().any(|&w| decode(w).is_ok_and(|i| i.op == op));
    Ok(Pipeline {
        varying_words: outputs.varyings.len() as u32,
        flat: mask(&|v| v.interpolation == Interpolation::Flat),
        linear: mask(&|v| v.interpolation == Interpolation::Linear),
        may_discard: has(Op::Demote) || has(Op::Discard),
        writes_depth: inputs.writes_depth,
        writes_mask: inputs.writes_mask,
        stores: first_store(&fragment).is_some(),
        per_sample: inputs.per_sample,
        early_tests: inputs.early_tests,
        y_up,
        vertex,
        fragment: Some(fragment),
    })
}

/// A pipeline with that vertex program follows WebGPU's rules, else Vulkan's.
pub(crate) fn is_web_gpu(vertex: &str) -> bool {
    Lang::from_path(vertex) == Some(Lang::Wgsl)
}

/// The vertex program, lowered, and what its fragment program is linked with.
fn lowered<'a>(request: &PipelineRequest<'a>) -> Result<(Unit<'a>, Linkage), Diagnostics> {
    let base = Linkage {
        attributes: request.attributes.clone(),
        targets: request.targets.clone(),
        written: request.written.clone(),
        samples: request.samples,
        alpha_to_coverage: request.alpha_to_coverage,
        fault: request.options.fault,
        wide: request.link.is_some() && request.fragment.is_some(),
        ..Linkage::default()
    };
    let vertex = unit(request.vertex, &request.options, Stage::Vertex, &base)?;
    let fragment = request.fragment.map_or("", |f| f.path);
    let linkage = base.behind(&vertex.lowered, request.vertex.path, fragment);
    Ok((vertex, linkage))
}

/// The buffers of both programs, which are those of every pipeline that is made of them.
///
/// # Errors
/// As [`compile_pipeline`], of the sources.
pub fn bindings(request: &PipelineRequest) -> Result<Vec<Binding>, Diagnostics> {
    front::deep(|| {
        let (vertex, linkage) = lowered(request)?;
        let mut all = vertex.lowered.interface.bindings;
        if let Some(source) = request.fragment {
            all.extend(unit(source, &request.options, Stage::Fragment, &linkage)?.lowered.interface.bindings);
        }
        Ok(all)
    })
}

impl Linkage {
    /// What a fragment program is linked with behind that vertex program.
    pub(crate) fn behind(&self, vertex: &Lowered, path: &str, fragment: &str) -> Linkage {
        let Lowered { interface, unwritten, .. } = vertex;
        Linkage {
            varyings: interface.graphics.clone().unwrap_or_default().varyings,
            unwritten: unwritten.clone(),
            vertex: format!("vertex program {} ({path})", interface.entry),
            rule: rule(path, fragment),
            holds_depth: is_web_gpu(path),
            ..self.clone()
        }
    }
}

/// How the outputs and inputs of two programs have to fit.
fn rule(vertex: &str, fragment: &str) -> Rule {
    match [vertex, fragment].map(|path| Lang::from_path(path) == Some(Lang::Wgsl)) {
        [true, true] => Rule::WebGpu,
        [false, false] => Rule::Vulkan,
        _ => Rule::Mixed,
    }
}

/// A vertex program that feeds nobody.
fn finished(vertex: Unit, request: &PipelineRequest) -> Result<Compiled, Diagnostics> {
    match &request.link {
        None => vertex.optimised()?.generated(),
        Some(known) => {
            let units = join(vec![vertex], &[], known, false)?.units;
            let first = units.into_iter().next();
            let lost = || fail(request.vertex.path, "internal error: linking lost a program".into(), "report it");
            first.ok_or_else(lost)?.generated()
        }
    }
}

/// Refuses one number for a uniform buffer and for memory that may be written: its words would not
/// be those that the host has at submission (LP-13).
pub(crate) fn one_kind(vertex: &Unit, fragment: &Unit) -> Result<(), Diagnostics> {
    let is_uniform = |b: &Binding| b.kind == BindingKind::Uniform;
    let all = vertex.bindings().flat_map(|ours| fragment.bindings().map(move |others| (ours, others)));
    let twice = |((ours, _), (others, _)): &((&Binding, Loc), (&Binding, Loc))| {
        ours.at() == others.at() && is_uniform(ours) != is_uniform(others)
    };
    let Some(((ours, at), (others, here))) = all.into_iter().find(twice) else { return Ok(()) };
    let kind = |b: &Binding| if is_uniform(b) { "a uniform buffer" } else { "a storage buffer" };
    let message = format!(
        "`{}` is {} of {}, and `{}` of the vertex program ({}) is {}",
        others.name,
        kind(others),
        buffer_at(ours.at()),
        ours.name,
        vertex.place(at),
        kind(ours),
    );
    Err(fragment.fail(here, message, "give one of them another number"))
}

/// A vertex program that a pipeline can have.
fn checked(request: &PipelineRequest, vertex: Compiled) -> Result<Compiled, Diagnostics> {
    let slots = request.attributes.iter().map(|a| a.slot + 1).max().unwrap_or(0) as usize;
    let used = vertex.binary.interface.bindings.len() + slots;
    if used > MAX_BUFFERS {
        let message = format!("the vertex program has {used} buffers, attributes included");
        return Err(fail(request.vertex.path, message, &format!("at most {MAX_BUFFERS} are possible; join some")));
    }
    if let Some(pc) = first_store(&vertex) {
        let help = "a vertex may be shaded more than once: write from fragments or from a compute program";
        return Err(at(&vertex, pc, request.vertex.path, "a vertex program may not write memory".into(), help));
    }
    Ok(vertex)
}

/// A pipeline that writes depth and stencil only.
fn without_fragments(vertex: Compiled, y_up: bool) -> Pipeline {
    Pipeline {
        varying_words: graphics(&vertex).varyings.len() as u32,
        flat: 0,
        linear: 0,
        may_discard: false,
        writes_depth: false,
        writes_mask: false,
        stores: false,
        per_sample: false,
        early_tests: false,
        y_up,
        vertex,
        fragment: None,
    }
}

/// A stage that has been lowered.
pub(crate) fn unit<'a>(
    source: StageSource<'a>,
    options: &Options,
    wanted: Stage,
    linkage: &Linkage,
) -> Result<Unit<'a>, Diagnostics> {
    let lang = match Lang::from_path(source.path) {
        Some(Lang::Glsl(_)) if source.path.to_lowercase().ends_with(".glsl") => Some(Lang::Glsl(wanted)),
        other => other,
    };
    let options = options.clone();
    let request = CompileRequest { path: source.path, source: source.source, lang, entry: source.entry, options };
    Unit::new(request, Some((wanted, linkage)))
}

fn graphics(compiled: &Compiled) -> GraphicsInterface {
    compiled.binary.interface.graphics.clone().unwrap_or_default()
}

/// The first instruction that writes memory that others see: stores to the thread's own stack do
/// not.
fn first_store(compiled: &Compiled) -> Option<usize> {
    let writes = |word: u64| decode(word).is_ok_and(|i| (i.op.is_store() && !i.op.is_own()) || i.op.is_atomic());
    compiled.binary.code.iter().position(|&word| writes(word))
}

/// An error at an instruction.
fn at(compiled: &Compiled, pc: usize, path: &str, message: String, help: &str) -> Diagnostics {
    let loc = compiled.binary.lines.get(pc).copied().unwrap_or_default();
    let file = compiled.binary.files.get(usize::from(loc.file)).map_or(path, String::as_str).to_owned();
    Diagnostic { file, line: loc.line, column: loc.col, message, help: help.into() }.into()
}

fn fail(path: &str, message: String, help: &str) -> Diagnostics {
    Diagnostic { file: path.into(), line: 0, column: 0, message, help: help.into() }.into()
}
