//! Binding a job to its compiled program: every resource gets its buffer, sizes are checked, memory
//! is laid out and filled, and after a run outputs are written and compared. Everything that cannot
//! work is refused here, before a cycle is run, with its place in the job file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use quadlock_hdl::config::CoreChange;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::presets::{self, Preset};
use quadlock_isa::abi::{CONST_LOCKS, MAX_BUFFERS};
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::compile::Uniforms;
use quadlock_shader::interface::{Binding, BindingKind, Interface};

use super::data::{self, compare, compare_any_order, encode_values};
use super::graph::Threads;
use super::spec::dispatch::Words;
use super::{own, rows, BufferSpec, Expect, Job, Key};
use crate::base::error::{Input, InputError};
use crate::linking;
use crate::machine::launch::Launch;
use crate::machine::layout::{threads, Layout, Region, BASE, MAX_BYTES};
use crate::machine::memory::Image;
use crate::report::Verdict;
use crate::simulate::Finished;

/// What to do about uniforms that cannot be derived.
const DERIVED: &str = "give the uniform all words that the program has; if it has them, please report a mistake of the compiler or of the golden model";

/// A job ready to run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What the machine gets.
    pub launch: Launch,
    /// Buffers of the job, placed in memory.
    pub buffers: Vec<Bound>,
    /// Threads of a `[graph]`.
    pub threads: Option<Threads>,
}

/// A buffer of the program with what the job says about it.
#[derive(Clone, Debug)]
pub struct Bound {
    /// As messages name it.
    pub name: String,
    /// Its bytes in memory.
    pub region: Region,
    /// What the job says of it.
    pub spec: BufferSpec,
    /// Group and binding.
    key: (u32, u32),
    /// It is filled by `[[buffer]]`: the next dispatch finds in it what this one leaves.
    carried: bool,
    /// What `expect` names, loaded.
    expected: Option<Vec<u8>>,
    span: Range<usize>,
}

/// Contents for one entry of the buffer table.
struct Content {
    bytes: Vec<u8>,
    spec: BufferSpec,
    /// It is of a `[[buffer]]`, and not of a `[[uniform]]`.
    carried: bool,
    span: Range<usize>,
}

impl Content {
    /// Its words, and 0 behind them up to the end of a uniform's constant words.
    fn known(&self, binding: &Binding) -> Vec<Option<u32>> {
        let mut words: Vec<Option<u32>> = data::to_words(&self.bytes).into_iter().map(Some).collect();
        words.resize(words.len().max(binding.const_words as usize), Some(0));
        words
    }
}

/// What is known of uniforms when the program starts: no program writes a uniform buffer.
fn known(contents: &[(&Binding, Content)]) -> Uniforms {
    let uniforms = contents.iter().filter(|(b, _)| b.kind == BindingKind::Uniform);
    uniforms.map(|(b, content)| ((b.group, b.binding), content.known(b))).collect()
}

impl Prepared {
    /// Buffers hold what an earlier dispatch left in them, whose memory is `image`.
    pub fn carry(&mut self, before: &Prepared, image: &Image) {
        for buffer in self.buffers.iter().filter(|b| b.carried) {
            let Some(old) = before.buffers.iter().find(|b| b.key == buffer.key) else { continue };
            let bytes = old.contents(image);
            if let Some(place) = self.launch.image.slice_mut(buffer.region.addr, bytes.len()) {
                place.copy_from_slice(bytes);
            }
        }
    }

    /// Compares and writes the outputs of a run that ended, into the folder; what is wrong goes
    /// into its report.
    ///
    /// # Errors
    /// An output that cannot be written.
    pub fn conclude(&self, job: &Job, done: &mut Finished, folder: &Path) -> Input<()> {
        // A run that was stopped has no results: what stands in the output folder from an earlier
        // run stays.
        let stopped = matches!(done.report.verdict, Verdict::Mismatch | Verdict::EngineFailure);
        if stopped || done.report.hang.is_some() {
            return Ok(());
        }
        for wrong in self.compare(&done.image) {
            done.report.problem(Verdict::WrongOutput, wrong);
        }
        done.report.outcomes = self.outcomes(job, &done.image)?;
        for wrong in self.forbidden(job, &done.report.outcomes) {
            done.report.problem(Verdict::WrongOutput, wrong);
        }
        let files = self.write_outputs(job, &done.image, folder)?;
        done.report.outputs.extend(files.iter().map(|f| f.display().to_string()));
        Ok(())
    }
}

impl Job {
    /// Build parameters: the job's, where it names them.
    ///
    /// # Errors
    /// A parameter out of range.
    pub fn config(&self, units: Option<usize>, warps: Option<usize>) -> Input<GpuConfig> {
        let mut config = self.config_on(self.preset()?)?;
        config.units = units.unwrap_or(config.units);
        config.warps = warps.unwrap_or(config.warps);
        config.check().map_err(|e| self.error(self.parameter(&e), e, "see [machine] in docs/jobs.md"))?;
        Ok(config)
    }

    /// Build parameters: the preset's, then those that the job names. Their combination is not
    /// checked, because settings may still change it.
    ///
    /// # Errors
    /// Two entries for one core.
    pub(super) fn config_on(&self, preset: Option<&Preset>) -> Input<GpuConfig> {
        let mut config = GpuConfig { differing: self.differing()?, ..GpuConfig::default() };
        if let Some(preset) = preset {
            preset.apply(&mut config).map_err(|e| self.error(self.table("machine"), e, presets::help()))?;
        }
        for (key, value) in &self.spec.machine.values {
            self.set_parameter(&mut config, key, value)?;
        }
        Ok(config)
    }

    /// The cores that differ, by row and column.
    fn differing(&self) -> Input<BTreeMap<(usize, usize), CoreChange>> {
        let mut differing = BTreeMap::new();
        for entry in &self.spec.machine.core {
            let core = entry.get_ref();
            if differing.insert((core.row, core.column), core.change()).is_some() {
                let what = format!("two entries for core.{}.{}", core.row, core.column);
                return Err(self.error(entry.span(), what, "say all of a core in one [[machine.core]]"));
            }
        }
        Ok(differing)
    }

    /// Binds the job to its program on a machine.
    ///
    /// # Errors
    /// What does not fit together, with its place in the job file.
    pub fn prepare(&self, binary: &ShaderBinary, config: &GpuConfig) -> Input<Prepared> {
        let top = self.spec.shader.span();
        let interface = &binary.interface;
        let mut contents = self.contents(&interface.bindings)?;
        contents.sort_by_key(|(binding, _)| binding.index);
        let entries = contents.iter().map(|(b, _)| b.index as usize + 1).max().unwrap_or(0);
        if entries > MAX_BUFFERS {
            let what = format!("buffer {} of the buffer table, which has {MAX_BUFFERS}", entries - 1);
            return Err(self.error(top, what, "use a smaller binding"));
        }
        let mut sizes = vec![0u32; entries];
        for (binding, content) in &contents {
            sizes[binding.index as usize] = u32::try_from(content.bytes.len()).unwrap_or(u32::MAX);
        }
        let stacks = threads(config.total_slots());
        let threads_of_graph = self.graph_threads(interface, config)?;
        let rows = self.thread_rows(interface, binary.code.len(), config)?;
        let [records, lists, flags] = threads_of_graph.as_ref().map_or([rows::bytes(&rows), 0, 0], Threads::sizes);
        let locks = if interface.semaphores.locks { 4 * config.semaphores.semaphores as u32 } else { 0 };
        let more = [records, lists, flags, locks];
        let data_first = self.spec.program.as_ref().is_some_and(|program| program.data_first);
        let placed = Layout::ordered(data_first, 8 * binary.code.len() as u32, &sizes, interface.stack_bytes, stacks)
            .and_then(|mut layout| layout.more(more).map(|regions| (layout, regions)));
        let (layout, [records, lists, flags, locks]) = placed.map_err(|need| {
            let what = format!("the job needs {need} bytes of memory; at most {MAX_BYTES} are there");
            self.error(top.clone(), what, "make the buffers smaller")
        })?;
        let grid = self.grid(interface.group_size);
        let mut launch = Launch {
            name: self.spec.name.clone(),
            code: binary.code.clone(),
            code_base: layout.code.addr,
            image: Image { base: BASE, bytes: vec![0; (layout.end - BASE) as usize] },
            constants: layout.constants(grid, interface.stack_bytes),
            grid,
            group_size: interface.group_size,
            pinned: interface.pinned,
            shared_bytes: interface.shared_bytes,
            cutoff: interface.public_cutoff,
            functions: interface.function_unit,
            threads: None,
            graph_semaphores: Vec::new(),
            done: interface.semaphores.done.clone(),
            polling: interface.semaphores.loops.clone(),
            lines: Vec::new(),
            locks: Vec::new(),
            buffers: Vec::new(),
            warnings: interface.warnings.clone(),
            constants_given: interface.values.clone(),
            frame: None,
            dispatch: None,
        };
        launch.take_lines(binary);
        launch.place_code();
        launch.constants.extend(&interface.constants);
        if interface.semaphores.locks {
            launch.constants.push((CONST_LOCKS as u32, locks.addr));
        }
        if let Some(threads) = &threads_of_graph {
            threads.place(&mut launch, [records, lists, flags]);
        } else if !rows.is_empty() {
            rows::place(rows, &mut launch, records);
        }
        // In place of words of buffers that the program does not read.
        let derived = linking::constants(interface, &known(&contents));
        let derived = derived.map_err(|e| self.error(top.clone(), e, DERIVED))?;
        launch.refuse(config).map_err(|(what, help)| self.error(top, what, help))?;
        let mut buffers = Vec::new();
        for (binding, content) in contents {
            let region = layout.buffers[binding.index as usize];
            if let Some(place) = launch.image.slice_mut(region.addr, content.bytes.len()) {
                place.copy_from_slice(&content.bytes);
            }
            let words = data::to_words(&content.bytes);
            for i in 0..binding.const_words {
                let value = words.get(i as usize).copied().unwrap_or(0);
                launch.constants.push((binding.const_at + i, value));
            }
            if let Some(locks) = content.spec.locks {
                let words = locks.words(region).map_err(|(what, help)| self.error(content.span.clone(), what, help))?;
                launch.locks.push(words);
            }
            launch.buffers.push((binding.name.clone(), region.addr, region.size));
            let Content { bytes, spec, carried, span } = content;
            let expected = self.expected(&spec, bytes.len(), &span)?;
            let key = (binding.group, binding.binding);
            buffers.push(Bound { name: binding.name.clone(), region, spec, key, carried, expected, span });
        }
        launch.constants.retain(|(word, _)| derived.iter().all(|(at, _)| at != word));
        launch.constants.extend(derived);
        if let Some(graph) = &self.spec.graph {
            // Behind the constants: they say what a uniform's words are.
            let checked = own::refuse(&launch, !graph.get_ref().reserve.is_empty());
            checked.map_err(|(what, help)| self.error(graph.span(), what, help))?;
        }
        Ok(Prepared { launch, buffers, threads: threads_of_graph })
    }

    /// The words of the uniform buffers of a program with that interface.
    ///
    /// # Errors
    /// As [`Job::prepare`].
    pub(super) fn known(&self, interface: &Interface) -> Input<Uniforms> {
        Ok(known(&self.contents(&interface.bindings)?))
    }

    /// What a buffer of `bytes` bytes must hold in the end.
    fn expected(&self, spec: &BufferSpec, bytes: usize, span: &Range<usize>) -> Input<Option<Vec<u8>>> {
        let load = |e: &Expect| e.from.load(&|p| self.resolve(p), bytes as u64);
        let wrong = |e: Box<InputError>| {
            self.error(span.clone(), format!("`expect`: {}", e.message()), "see `expect` in docs/jobs.md")
        };
        spec.expect.as_ref().map(load).transpose().map_err(wrong)
    }

    fn grid(&self, group_size: [u32; 3]) -> [u32; 3] {
        match (self.spec.grid, self.spec.threads) {
            _ if self.spec.graph.is_some() || !self.spec.thread.is_empty() => [1; 3],
            (Some(grid), _) => grid,
            (None, threads) => {
                let threads = threads.unwrap_or([1; 3]);
                std::array::from_fn(|i| threads[i].div_ceil(group_size[i].max(1)))
            }
        }
    }

    fn find<'b>(&self, bindings: &'b [Binding], key: &Key, span: Range<usize>) -> Input<&'b Binding> {
        const SAID: Words = Words { none: "the program has no buffer", all: "the program has" };
        let all: Vec<&Binding> = bindings.iter().collect();
        key.find(&all, &SAID).map_err(|(what, help)| self.error(span, what, help))
    }

    /// The contents of every binding of the program.
    fn contents<'b>(&self, bindings: &'b [Binding]) -> Input<Vec<(&'b Binding, Content)>> {
        let mut all: Vec<(&Binding, Content)> = Vec::new();
        let mut add = |job: &Job, binding: &'b Binding, content: Content| {
            if all.iter().any(|(b, _)| b.index == binding.index) {
                let what = format!("buffer `{}` is given twice", binding.name);
                return Err(job.error(content.span, what, "remove one of the two"));
            }
            job.check_size(binding, &content)?;
            all.push((binding, content));
            Ok(())
        };
        let mut room = MAX_BYTES;
        for buffer in &self.spec.buffer {
            let (spec, span) = (buffer.get_ref().clone(), buffer.span());
            let binding = self.find(bindings, &spec.key(), span.clone())?;
            let Some(from) = &spec.from else {
                return Err(self.error(
                    span,
                    "a buffer needs contents",
                    "add from = { zero = BYTES } or another source",
                ));
            };
            // What is left of the memory, so that large contents are refused before they take any
            // of this machine's.
            let bytes = from
                .load(&|p| self.resolve(p), room)
                .map_err(|e| self.error(span.clone(), e.message(), "see `from` in docs/jobs.md"))?;
            room = room.saturating_sub(bytes.len() as u64);
            add(self, binding, Content { bytes, spec, carried: true, span })?;
        }
        for uniform in &self.spec.uniform {
            let (spec, span) = (uniform.get_ref(), uniform.span());
            let binding = self.find(bindings, &spec.key(), span.clone())?;
            let words = encode_values(&spec.values, spec.kind.as_ref())
                .map_err(|e| self.error(span.clone(), e, "correct `type` or `values`"))?;
            let bytes = words.into_iter().flat_map(u32::to_le_bytes).collect();
            add(self, binding, Content { bytes, spec: BufferSpec::default(), carried: false, span })?;
        }
        match bindings.iter().find(|b| !all.iter().any(|(have, _)| have.index == b.index)) {
            None => Ok(all),
            Some(missing) => {
                let kind = if missing.kind == BindingKind::Uniform { "uniform" } else { "buffer" };
                // The elements of an array of buffers have one number.
                let is_element = bindings.iter().filter(|b| b.at() == missing.at()).count() > 1;
                let key = if is_element { missing.by_name() } else { missing.key() };
                let help = format!("add [[{kind}]] with {key}");
                let what = format!("the job has no contents for {}", missing.describe());
                Err(self.error(self.spec.shader.span(), what, help))
            }
        }
    }

    fn check_size(&self, binding: &Binding, content: &Content) -> Input<()> {
        // A uniform's tail is padding up to its alignment: it may be left out.
        let least = match binding.kind {
            BindingKind::Uniform => 4,
            _ => binding
                .min_bytes
                .max(if binding.stride > 0 { binding.min_bytes.saturating_add(binding.stride) } else { 0 })
                .max(1),
        };
        if content.bytes.len() >= least as usize {
            return Ok(());
        }
        let what = format!("{} bytes for {}, which needs at least {least}", content.bytes.len(), binding.describe());
        Err(self.error(content.span.clone(), what, "make the buffer larger"))
    }
}

impl Prepared {
    /// Compares every buffer with what the job expects: what is wrong, one line each.
    pub fn compare(&self, image: &Image) -> Vec<String> {
        let mut wrong = Vec::new();
        for buffer in &self.buffers {
            let (Some(expect), Some(expected)) = (&buffer.spec.expect, &buffer.expected) else { continue };
            let Expect { from, ulp, abs, any_order } = expect;
            let seen = buffer.contents(image);
            let difference = match any_order {
                true => compare_any_order(seen, expected, from.word()),
                false => compare(seen, expected, from.word(), *ulp, *abs),
            };
            if let Some(what) = difference {
                wrong.push(format!("buffer `{}`: {what}", buffer.name));
            }
        }
        wrong
    }

    /// Refuses outputs that could not be written after a run: pictures that do not fit, links that
    /// lead out of the folder or to the file of another output.
    ///
    /// # Errors
    /// The first of them.
    pub fn check_outputs(&self, job: &Job, folder: &Path) -> Input<()> {
        let mut files: Vec<PathBuf> = Vec::new();
        for buffer in &self.buffers {
            let Some(out) = &buffer.spec.out else { continue };
            let see = "see `out` in docs/jobs.md";
            let checked = out.check(folder, buffer.region.size as usize);
            let (file, really) = checked.map_err(|e| job.error(buffer.span.clone(), e.message(), see))?;
            if files.contains(&really) {
                let what =
                    format!("two outputs are written to {}: a link leads to the other one's folder", file.display());
                return Err(job.error(buffer.span.clone(), what, "give each a file of its own"));
            }
            files.push(really);
        }
        Ok(())
    }

    /// Writes the outputs that the job names, below `folder`.
    ///
    /// # Errors
    /// An output that cannot be made.
    pub fn write_outputs(&self, job: &Job, image: &Image, folder: &Path) -> Input<Vec<PathBuf>> {
        let mut files = Vec::new();
        for buffer in &self.buffers {
            let Some(out) = &buffer.spec.out else { continue };
            let file = out
                .write(folder, buffer.contents(image))
                .map_err(|e| job.error(buffer.span.clone(), e.message(), "see `out` in docs/jobs.md"))?;
            files.push(file);
        }
        Ok(files)
    }

    /// Writes the first picture output to `path` (option `--png`).
    ///
    /// # Errors
    /// The job has no picture output.
    pub fn write_png(&self, job: &Job, image: &Image, path: &Path) -> Input<()> {
        let Some((buffer, out)) =
            self.buffers.iter().find_map(|b| Some((b, b.spec.out.as_ref().filter(|o| o.png.is_some())?)))
        else {
            return crate::base::error::bad(
                "the job has no picture output",
                "add out = { png = .., format = .., width = .., height = .. }",
            );
        };
        out.write_png(path, buffer.contents(image))
            .map_err(|e| job.error(buffer.span.clone(), e.message(), "see `out` in docs/jobs.md"))
    }
}

impl Bound {
    /// Its bytes in a memory image, such as the one after a run.
    pub fn contents<'a>(&self, image: &'a Image) -> &'a [u8] {
        image.slice(self.region.addr, self.region.size as usize).unwrap_or_default()
    }
}
