//! One stage on its way: from its source to SSA, through the passes, to a binary.
//!
//! A stage that is linked stops between the first optimisation and the last, and the linker works
//! on its SSA meanwhile ([`crate::link`]). Which steps follow which is decided here; it is wrong if
//! an option does not reach the part it is for.

use super::counts::Counts;
use super::points::{Merge, Split};
use super::request::{CompileRequest, Options};
use super::result::{fused, place, Compiled, Report};
use crate::back::public;
use crate::back::{self, BackOptions, SplitFor};
use crate::binary::{check, listing, ShaderBinary};
use crate::front::linkage::{Linkage, MOST_WORDS};
use crate::front::{self, Diagnostic, Diagnostics, Lang, Lowered};
use crate::interface::{needs_function_unit, Binding, BindingKind, Interface, Stage};
use crate::link::chain;
use crate::passes::pipeline::{self, Statistics};
use crate::passes::{self, early, inputs, own_lock};
use crate::ssa::{Func, Loc, Role};
use quadlock_isa::abi::{PublicRegisters, MAX_GROUP};
use std::collections::BTreeMap;

/// A stage between its source and its binary.
#[derive(Clone)]
pub(crate) struct Unit<'a> {
    request: CompileRequest<'a>,
    wanted: Stage,
    pub linkage: Option<Linkage>,
    parsed: front::Parsed,
    /// Its functions and what it tells the host.
    pub lowered: Lowered,
    pub passes: passes::Options,
    /// Where its source gives outputs, by word.
    pub given: BTreeMap<u32, Loc>,
    ir_before: String,
    pub statistics: Statistics,
}

impl<'a> Unit<'a> {
    /// Reads a source; `linked` says for which stage of a pipeline, else it is a compute program.
    ///
    /// # Errors
    /// Every message names file, line and column where there is one, and what to do.
    pub fn new(request: CompileRequest<'a>, linked: Option<(Stage, &Linkage)>) -> Result<Unit<'a>, Diagnostics> {
        let options = request.options.clone();
        let path = request.path;
        let fail = |loc: Loc, message: String, help: &str| fail(path, loc, message, help);
        let nowhere = Loc::default();
        let Some(lang) = request.lang.or_else(|| Lang::from_path(request.path)) else {
            let help = "known extensions: .wgsl, .comp .vert .frag (GLSL, also with .glsl behind), .glsl (GLSL, a compute shader), .spv (SPIR-V)";
            return Err(fail(nowhere, "the language cannot be told from the file name".into(), help));
        };
        let wanted = linked.map_or(Stage::Compute, |l| l.0);
        let entry = (request.entry, Some(wanted));
        let parsed = front::parse_with(request.path, request.source, lang, entry, &options.constants)?;
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
        let lowered = front::lower_linked(&parsed, &front_options(&options), linkage)?;
        let group = lowered.interface.group_size.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
        if group == 0 || group > MAX_GROUP as u64 {
            let message = format!("a work group of {group} invocations: not 1 to {MAX_GROUP}");
            return Err(fail(parsed.entry_loc(), message, "make the work group smaller"));
        }
        let mut skip = options.skip_passes.clone();
        if (options.merge || options.split) && wanted == Stage::Fragment {
            // Behind a merge or split point an instruction runs less often: it stays there.
            skip.push(early::NAME.into());
        }
        let passes = passes::Options {
            fault: options.fault,
            skip,
            group_size: Some(lowered.interface.group_size),
            warp_wide: options.warp_wide,
            late_stored: options.late_stored,
            helper_lanes: wanted == Stage::Fragment,
            exact: options.exact,
            registers: Some(options.max_registers),
            freeze_position: wanted == Stage::Vertex,
        };
        let ir_before = lowered.module.to_string();
        let linkage = linkage.cloned();
        let given = chain::given(&lowered.module.funcs[lowered.entry.index()]);
        let statistics = Statistics::default();
        Ok(Unit { request, wanted, linkage, parsed, lowered, passes, given, ir_before, statistics })
    }

    /// The entry function.
    pub fn entry(&mut self) -> &mut Func {
        &mut self.lowered.module.funcs[self.lowered.entry.index()]
    }

    /// Everything inlined and optimised, inputs still as single instructions.
    pub fn inlined(&mut self) -> Result<(), Diagnostics> {
        let done = pipeline::inlined(&mut self.lowered.module, self.lowered.entry, &self.passes);
        self.statistics = done.map_err(|e| self.mistake(e))?;
        Ok(())
    }

    /// Optimised again, after something was changed.
    pub fn again(&mut self) -> Result<(), Diagnostics> {
        let func = &mut self.lowered.module.funcs[self.lowered.entry.index()];
        pipeline::again(func, &self.passes, &mut self.statistics).map_err(|e| self.mistake(e))
    }

    /// The machine's instructions for inputs, and the passes that come last.
    pub fn ended(&mut self) -> Result<(), Diagnostics> {
        let func = &mut self.lowered.module.funcs[self.lowered.entry.index()];
        if inputs::run(func, &self.passes) {
            self.again()?;
        }
        let func = &mut self.lowered.module.funcs[self.lowered.entry.index()];
        pipeline::last(func, &self.passes, &mut self.statistics).map_err(|e| self.mistake(e))
    }

    /// Too many words are left after linking.
    pub fn too_wide(&self, words: usize, most: usize) -> Diagnostics {
        let message = format!("{words} words are left from vertices to fragments after linking: not 0 to {most}");
        self.fail(self.parsed.entry_loc(), message, "pass on less from vertices to fragments")
    }

    /// So many instructions are left for a second program for warps that have no partner.
    pub fn leave(&mut self, instructions: usize) {
        self.request.options.alone = self.request.options.alone.saturating_sub(instructions);
    }

    /// All passes, of a stage that is not linked.
    pub fn optimised(mut self) -> Result<Unit<'a>, Diagnostics> {
        for func in &mut self.lowered.module.funcs {
            inputs::run(func, &self.passes);
        }
        self.inlined()?;
        self.ended()?;
        Ok(self)
    }

    pub fn mistake(&self, message: String) -> Diagnostics {
        self.fail(Loc::default(), message, "if the shader has no recursion, this is a mistake of the compiler")
    }

    /// An error at a place of its sources.
    pub fn fail(&self, loc: Loc, message: String, help: &str) -> Diagnostics {
        fail(self.file(loc), loc, message, help)
    }

    fn file(&self, loc: Loc) -> &str {
        self.lowered.module.files.get(usize::from(loc.file)).map_or(self.request.path, String::as_str)
    }

    /// A place of its sources in words.
    pub fn place(&self, loc: Loc) -> String {
        place(self.file(loc), loc)
    }

    /// Its source is WGSL.
    pub fn is_wgsl(&self) -> bool {
        matches!(self.parsed, front::Parsed::Text(_))
    }

    /// Its bindings, each with the place where it is declared.
    pub fn bindings(&self) -> impl Iterator<Item = (&Binding, Loc)> {
        self.lowered.interface.bindings.iter().zip(self.lowered.declared.iter().copied())
    }

    /// The binary, and what is told of it.
    pub fn generated(self) -> Result<Compiled, Diagnostics> {
        let Unit { request, wanted, linkage, parsed, lowered, passes: pass_options, given: _, ir_before, statistics } =
            self;
        let (options, linkage) = (&request.options, linkage.as_ref());
        let skips = |name: &str| options.skip_passes.iter().any(|s| s == name);
        let group_size = Some(lowered.interface.group_size);
        let module = &lowered.module;
        let func = &module.funcs[lowered.entry.index()];
        let locks = match options.warp_wide {
            true => own_lock::run(func, group_size),
            // What the lock form has become does not say that it is one, so the program is looked
            // at as it is for a machine with locks.
            false => {
                let front_options = front::Options { warp_wide: true, ..front_options(options) };
                let mut other = front::lower_linked(&parsed, &front_options, linkage)?;
                other.module.funcs.iter_mut().for_each(|f| {
                    inputs::run(f, &pass_options);
                });
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
            few_live: !skips("few-live"),
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
            .map_err(|e| fail(request.path, e.loc, e.message, "make the shader smaller or allow more registers"))?;

        let mut interface = lowered.interface.clone();
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
        let public = public::words(interface.public_cutoff, interface.public_bitmap, option);
        let split = match &generated.split {
            Some(splits) => Some(Split::new(splits, (interface.public_cutoff, &public), &place)),
            None => (options.split && wanted == Stage::Fragment).then(Split::once_for_each_pixel),
        };
        let report = Report {
            fused: fused(&statistics.fused, &place),
            counts: Counts::new(func, &generated.code, &generated.lines),
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
            lines: generated.lines.iter().map(|l| l.with(Role::Work)).collect(),
            files: module.files.clone(),
            labels: generated.labels,
        };
        // With more words than a vertex has, a program is only looked at, before it is linked.
        let varyings = binary.interface.graphics.iter().flat_map(|g| &g.varyings);
        let fits = varyings.map(|v| v.word).max().is_none_or(|word| word < MOST_WORDS);
        if let (true, Err(e)) = (fits, check(&binary)) {
            let message = format!("internal error: the binary could not be read again: {e}");
            return Err(fail(request.path, Loc::default(), message, "keep the shader and report it"));
        }
        // SPIR-V is no text: its listing has no source lines. Other sources were refused before if
        // they are no text.
        let source = std::str::from_utf8(request.source).ok();
        let asm = listing(&binary, source.map(|text| (request.path, text)));
        Ok(Compiled { ir_before, ir_after: func.to_string(), asm, report, binary, taken: parsed.taken().to_vec() })
    }
}

fn front_options(options: &Options) -> front::Options {
    front::Options {
        clamp_indices: options.clamp_bounds,
        float_unit: !options.skip_passes.iter().any(|s| s == "float-unit"),
        polling: options.polling,
        warp_wide: options.warp_wide,
    }
}

fn fail(path: &str, loc: Loc, message: String, help: &str) -> Diagnostics {
    let (file, help) = (path.to_string(), help.to_string());
    Diagnostic { file, line: loc.line, column: loc.col, message, help }.into()
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
