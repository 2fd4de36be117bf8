//! The compiler driver: one shader source to one binary.
//!
//! front end -> passes -> back end -> [`ShaderBinary`], with the texts that
//! `quadlock compile --emit` prints. Vertex and fragment programs are stages of a pipeline
//! ([`crate::graphics`]). The driver itself decides only what is called in which order; it is wrong
//! if an option does not reach the part it is for.

mod points;

use crate::back::{self, BackOptions, BackStats, SplitFor};
use crate::binary::ShaderBinary;
use crate::fault::CompilerFault;
use crate::front::linkage::Linkage;
use crate::front::{self, Diagnostic, Diagnostics, Given, Lang};
use crate::interface::{needs_function_unit, BindingKind, Interface, Stage};
use crate::passes::{self, own_lock, pipeline};
use crate::ssa::Loc;
use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters, MAX_GROUP};
use quadlock_isa::{disasm::Labels, disassemble};
use std::fmt::{self, Display, Formatter, Write};

pub use points::{Merge, Split};

/// What to compile.
#[derive(Clone, Debug)]
pub struct CompileRequest<'a> {
    /// Name for messages and the source map; its extension decides the language unless `lang` does.
    pub path: &'a str,
    /// Contents of the file: text, or SPIR-V words in bytes.
    pub source: &'a [u8],
    /// Its language; found by name and contents if it is not given.
    pub lang: Option<Lang>,
    /// Entry point; not needed if the source has only one.
    pub entry: Option<&'a str>,
    /// Choices of the compiler.
    pub options: Options,
}

impl<'a> CompileRequest<'a> {
    /// A request with default options.
    pub fn new(path: &'a str, source: &'a [u8]) -> CompileRequest<'a> {
        CompileRequest { path, source, lang: None, entry: None, options: Options::default() }
    }
}

/// Compiler options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Keep dynamic indices inside their array (WGSL's robust access).
    pub clamp_bounds: bool,
    /// Names of passes that are left out (see `passes::pipeline::PIPELINE`, `warp-aggregate`,
    /// `schedule` and `rotate` of the back end, and `float-unit`, without which the front end uses
    /// none of the float unit's instructions).
    pub skip_passes: Vec<String>,
    /// Registers per lane that may be used, 8 to 32.
    pub max_registers: usize,
    /// Semaphore functions spin on words in memory instead of sending messages (SE-63).
    pub polling: bool,
    /// Warp-wide operations may be used; if not, the functions by that name do the same with an
    /// atomic of one lane (WW-40).
    pub warp_wide: bool,
    /// The machine gives lanes that come late to a warp-wide atomic its kept result (WW-27): the
    /// compiler makes none of its own where lanes can.
    pub late_stored: bool,
    /// The machine merges sparse fragment warps: fragment programs get merge points (MS-30).
    pub merge: bool,
    /// The most instructions that a program with a merge point and one for warps without a partner
    /// may have together (MS-12); 0: there is no such second program. Best is what the machine's
    /// instruction caches hold.
    pub alone: usize,
    /// Which registers a cutoff makes public on the machine (MS-20).
    pub public_registers: PublicRegisters,
    /// How the machine knows merge and split points (MS-10).
    pub event_form: EventForm,
    /// What the private registers of a merged warp are (MS-22).
    pub merge_private: PrivateSet,
    /// Helpers end at a merge point in every warp (MS-35).
    pub merge_helpers_end: bool,
    /// The machine splits fragment warps: fragment programs that run once for each sample get a
    /// split point (MS-43), and then a merge point only before it, with `merge_split`.
    pub split: bool,
    /// The machine merges what splits: a merge point before the split point, if that pays (MS-43).
    pub merge_split: bool,
    /// The machine has a cull pipeline: vertex programs get a position part (HZ-30).
    pub position: bool,
    /// Values of WGSL's overrides or SPIR-V's specialisation constants.
    pub constants: Vec<Given>,
    /// A planted fault, for tests that must fail.
    pub fault: Option<CompilerFault>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            clamp_bounds: true,
            skip_passes: vec![],
            max_registers: quadlock_isa::abi::REGISTERS,
            polling: false,
            warp_wide: true,
            late_stored: false,
            merge: false,
            alone: 512,
            public_registers: PublicRegisters::Below,
            event_form: EventForm::Instruction,
            merge_private: PrivateSet::Old,
            merge_helpers_end: false,
            split: false,
            merge_split: false,
            position: false,
            constants: vec![],
            fault: None,
        }
    }
}

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub binary: ShaderBinary,
    /// SSA as the front end made it, and after the passes.
    pub ir_before: String,
    /// The SSA after all passes, as text.
    pub ir_after: String,
    /// Assembly with source lines as comments.
    pub asm: String,
    /// What was done, for people.
    pub report: Report,
    /// Keys of constants that were given, and that the program has.
    pub taken: Vec<String>,
}

/// What the compiler did, for `--emit report`.
#[derive(Clone, Debug)]
pub struct Report {
    /// What each pass did.
    pub passes: pipeline::Statistics,
    /// What the back end counted.
    pub back: BackStats,
    /// Registers per lane, from 0 up.
    pub registers: u32,
    /// Registers below this are public (MS-20).
    pub public_cutoff: u32,
    /// Which, in words: `below 9`.
    pub public: String,
    /// What became of merge points, if they were asked for.
    pub merge: Option<Merge>,
    /// What became of split points, if they were asked for.
    pub split: Option<Split>,
    /// What became of the position part, if it was asked for.
    pub position: Option<back::PositionPart>,
    /// Stack bytes of a thread, a multiple of 16.
    pub stack_bytes: u32,
    /// Bytes of work-group memory.
    pub shared_bytes: u32,
    /// What became of each atomic and why: position in the source, text; what is said of several
    /// copies of one atomic is said once.
    pub atomics: Vec<(String, String)>,
    /// What is legal and most likely a mistake, each with its place.
    pub warnings: Vec<String>,
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "{}", self.passes)?;
        let b = &self.back;
        writeln!(f, "{} instructions, {} register moves, {} copies coalesced", b.instructions, b.moves, b.coalesced)?;
        writeln!(f, "{} registers, public {}", self.registers, self.public)?;
        let order = if b.scheduled { "scheduled" } else { "in source order" };
        writeln!(f, "{} values spilled, {} stack bytes per thread, blocks {order}", b.spilled, self.stack_bytes)?;
        writeln!(f, "{} bytes of work-group memory", self.shared_bytes)?;
        self.merge.iter().try_for_each(|m| write!(f, "{m}"))?;
        self.split.iter().try_for_each(|s| write!(f, "{s}"))?;
        self.position.iter().try_for_each(|p| writeln!(f, "{p}"))?;
        self.atomics.iter().try_for_each(|(place, text)| writeln!(f, "atomic at {place}: {text}"))?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

/// Compiles one entry point.
///
/// # Errors
/// Every message names file, line and column where there is one, and what to do.
pub fn compile(request: &CompileRequest) -> Result<Compiled, Diagnostics> {
    front::deep(|| compile_here(request, None))
}

/// Compiles a stage of a pipeline.
pub(crate) fn compile_stage(
    request: &CompileRequest,
    stage: Stage,
    linkage: &Linkage,
) -> Result<Compiled, Diagnostics> {
    front::deep(|| compile_here(request, Some((stage, linkage))))
}

fn compile_here(request: &CompileRequest, linked: Option<(Stage, &Linkage)>) -> Result<Compiled, Diagnostics> {
    let options = &request.options;
    let fail = |loc: Loc, message: String, help: &str| {
        let (file, help) = (request.path.to_string(), help.to_string());
        Diagnostics::from(Diagnostic { file, line: loc.line, column: loc.col, message, help })
    };
    let nowhere = Loc::default();
    let Some(lang) = request.lang.or_else(|| Lang::from_path(request.path)) else {
        let help = "known extensions: .wgsl, .comp .vert .frag (GLSL, also with .glsl behind), .glsl (GLSL, a compute shader), .spv (SPIR-V)";
        return Err(fail(nowhere, "the language cannot be told from the file name".into(), help));
    };
    let parsed = front::parse_with(request.path, request.source, lang, request.entry, &options.constants)?;
    let wanted = linked.map_or(Stage::Compute, |l| l.0);
    if parsed.stage() != wanted {
        let named = |stage| match stage {
            Stage::Compute => "compute",
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
        };
        let message = format!(
            "entry point {} is a {} shader, not a {} shader",
            parsed.entry_name(),
            named(parsed.stage()),
            named(wanted)
        );
        let help = match linked {
            None => "choose a compute entry point with --entry; a scene draws with the others",
            Some(_) => "name an entry point of that stage",
        };
        return Err(fail(parsed.entry_loc(), message, help));
    }
    let linkage = linked.map(|l| l.1);
    let skips = |name: &str| options.skip_passes.iter().any(|s| s == name);
    let front_options = front::Options {
        clamp_indices: options.clamp_bounds,
        float_unit: !skips("float-unit"),
        polling: options.polling,
        warp_wide: options.warp_wide,
    };
    let lowered = front::lower_linked(&parsed, &front_options, linkage)?;
    let group = lowered.interface.group_size.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
    if group == 0 || group > MAX_GROUP as u64 {
        let message = format!("a work group of {group} invocations: not 1 to {MAX_GROUP}");
        return Err(fail(parsed.entry_loc(), message, "make the work group smaller"));
    }
    let mut module = lowered.module;
    let ir_before = module.to_string();
    let group_size = Some(lowered.interface.group_size);
    let pass_options = passes::Options {
        fault: options.fault,
        skip: options.skip_passes.clone(),
        group_size,
        warp_wide: options.warp_wide,
        late_stored: options.late_stored,
        helper_lanes: wanted == Stage::Fragment,
    };
    let statistics = pipeline::optimise(&mut module, lowered.entry, &pass_options)
        .map_err(|e| fail(nowhere, e, "if the shader has no recursion, this is a mistake of the compiler"))?;
    let func = &module.funcs[lowered.entry.index()];
    let locks = match options.warp_wide {
        true => own_lock::run(func, group_size),
        // What the lock form has become does not say that it is one, so the program is looked at as
        // it is for a machine with locks.
        false => {
            let front_options = front::Options { warp_wide: true, ..front_options };
            let mut other = front::lower_linked(&parsed, &front_options, linkage)?;
            let pass_options = passes::Options { warp_wide: true, ..pass_options };
            match pipeline::optimise(&mut other.module, other.entry, &pass_options) {
                Ok(_) => own_lock::run(&other.module.funcs[other.entry.index()], group_size),
                Err(_) => vec![],
            }
        }
    };
    let back_options = BackOptions {
        max_registers: options.max_registers,
        schedule: !skips("schedule"),
        rotate_loops: !skips("rotate"),
        split_ranges: !skips("split-ranges"),
        load_groups: !skips("load-groups"),
        // Of a vertex program too: such stores are its own, and others are refused.
        helpers: wanted != Stage::Compute,
        merge: options.merge && wanted == Stage::Fragment,
        alone: options.alone,
        public_registers: options.public_registers,
        event_form: options.event_form,
        merge_private: options.merge_private,
        merge_helpers_end: options.merge_helpers_end,
        split: split_for(options, &lowered.interface, linkage),
        merge_split: options.merge_split,
        position: options.position && wanted == Stage::Vertex,
        fault: options.fault,
    };
    let generated = back::generate(func, &back_options)
        .map_err(|e| fail(e.loc, e.message, "make the shader smaller or allow more registers"))?;

    let mut interface = lowered.interface;
    interface.registers = generated.registers;
    interface.public_cutoff = generated.public_cutoff;
    interface.public_bitmap = generated.public_bitmap;
    interface.alone = generated.alone;
    interface.position = generated.position.as_ref().map_or(0, |p| p.first);
    (interface.merge_at, interface.split_at) = (generated.merge_at, generated.split_at);
    interface.stack_bytes = generated.stack_bytes;
    interface.function_unit = needs_function_unit(&generated.code);
    interface.semaphores.loops = generated.polling;
    interface.semaphores.done = Some(generated.done);
    let place = |loc: Loc| {
        let file = module.files.get(usize::from(loc.file)).map_or(request.path, String::as_str);
        place(file, loc)
    };
    let mut atomics: Vec<(String, String)> = vec![];
    for n in &statistics.atomics {
        let entry = (place(n.loc), n.text.clone());
        if !atomics.contains(&entry) {
            atomics.push(entry);
        }
    }
    let mut warnings = interface.warnings.clone();
    warnings.extend(locks.iter().map(|w| lock_warning(w, &place)));
    interface.warnings.clone_from(&warnings);
    // Without a point the numbers are not turned, and the cutoff has no effect.
    let pointless = !interface.merges(&generated.code) && !interface.splits(&generated.code);
    let option = if pointless { PublicRegisters::Below } else { options.public_registers };
    let public = back::public::words(interface.public_cutoff, interface.public_bitmap, option);
    let split = match &generated.split {
        Some(splits) => Some(Split::new(splits, (interface.public_cutoff, &public), &place)),
        None => (options.split && wanted == Stage::Fragment).then(Split::once_for_each_pixel),
    };
    let report = Report {
        atomics,
        warnings,
        passes: statistics,
        back: generated.stats,
        registers: interface.registers,
        public_cutoff: interface.public_cutoff,
        public: public.clone(),
        merge: generated.merge.as_ref().map(|m| Merge::new(m, (interface.public_cutoff, &public), &place)),
        split,
        position: generated.position.clone(),
        stack_bytes: interface.stack_bytes,
        shared_bytes: interface.shared_bytes,
    };
    let binary = ShaderBinary {
        code: generated.code,
        interface,
        lines: generated.lines,
        files: module.files.clone(),
        labels: generated.labels,
    };
    // SPIR-V is no text: its listing has no source lines. Other sources were refused before if they
    // are no text.
    let source = std::str::from_utf8(request.source).ok();
    let asm = listing(&binary, source.map(|text| (request.path, text)));
    Ok(Compiled { ir_before, ir_after: func.to_string(), asm, report, binary, taken: parsed.taken().to_vec() })
}

/// What a split point would be for, if the program may have one: it runs once for each sample.
fn split_for(options: &Options, interface: &Interface, linkage: Option<&Linkage>) -> Option<SplitFor> {
    let per_sample = interface.graphics.as_ref().is_some_and(|g| g.per_sample);
    let samples = linkage.filter(|_| options.split && per_sample)?.samples;
    let fixed = interface.bindings.iter().filter(|b| b.kind != BindingKind::StorageReadWrite);
    Some(SplitFor { samples, read_only: fixed.fold(0, |mask, b| mask | 1 << b.index) })
}

/// A lock that the warp may have itself, in words.
fn lock_warning(w: &own_lock::Warning, place: &dyn Fn(Loc) -> String) -> String {
    let (waits, taken) = (place(w.waits), place(w.taken));
    let how = if w.apart {
        format!("lanes of one warp that a branch took apart may wait here for a lock that the others took at {taken} and keep until they meet or end: the warp waits for itself")
    } else {
        format!("a warp may come here with the lock still taken that it took at {taken}: it waits for itself")
    };
    format!("{waits}: {how} (give the lock back before the lanes meet again, or take it where they are together)")
}

/// A place as diagnostics write it.
fn place(file: &str, loc: Loc) -> String {
    match (loc.line, loc.col) {
        (0, 0) => file.to_string(),
        (0, word) => format!("{file}: word {word}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

/// Assembly text of a binary: labels, and a comment with the source line wherever it changes.
/// `source` is a path and its text.
pub fn listing(binary: &ShaderBinary, source: Option<(&str, &str)>) -> String {
    let labels: Labels =
        binary.labels.iter().filter_map(|(pc, name)| Some((u16::try_from(*pc).ok()?, name.clone()))).collect();
    let mut out = String::new();
    let mut last = (u16::MAX, 0);
    for (pc, &word) in binary.code.iter().enumerate() {
        if let Some(name) = u16::try_from(pc).ok().and_then(|pc| labels.get(&pc)) {
            let _ = writeln!(out, "{name}:");
        }
        let loc = binary.lines.get(pc).copied().unwrap_or_default();
        if loc.line != 0 && (loc.file, loc.line) != last {
            last = (loc.file, loc.line);
            let file = binary.files.get(usize::from(loc.file)).map_or("?", String::as_str);
            let text = source.filter(|s| s.0 == file).and_then(|s| s.1.lines().nth(loc.line as usize - 1));
            let _ = writeln!(out, "    ; {file}:{}: {}", loc.line, text.unwrap_or("").trim());
        }
        let _ = writeln!(out, "    {}", disassemble(word, Some(&labels)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_binaries_are_words() {
        assert_eq!(place("a.wgsl", Loc { file: 0, line: 3, col: 7 }), "a.wgsl:3:7");
        assert_eq!(place("a.spv", Loc { file: 0, line: 0, col: 70 }), "a.spv: word 70");
        assert_eq!(place("a.spv", Loc::default()), "a.spv");
    }
}
