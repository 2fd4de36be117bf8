//! Job files: which shader runs on which data, on which machine, and what must come out (TOML,
//! `docs/jobs.md`). This file is the text's shape; `data` reads and writes buffer contents,
//! `prepare` binds a job to a compiled program. Unknown keys are errors, so a misspelt one cannot
//! be ignored; every error points at its place in the file.

pub(crate) mod bounds;
pub(crate) mod claims;
pub(crate) mod constants;
pub(crate) mod data;
pub mod dispatches;
pub(crate) mod graph;
pub(crate) mod litmus;
pub(crate) mod locks;
pub(crate) mod own;
pub mod picture;
pub mod prepare;
pub mod program;
pub(crate) mod rows;
pub(crate) mod settings;
pub mod spec;
pub mod uniforms;

use std::ops::Range;
use std::path::{Path, PathBuf};

use quadlock_hdl::base::like::did_you_mean;
use quadlock_hdl::config::{CoreChange, GpuConfig};
use quadlock_hdl::parameters::{self, Values};
use quadlock_hdl::presets::{self, Preset};
use serde::Deserialize;
use toml::Spanned;

use crate::base::error::{Input, InputError};
use crate::base::files::{plain, read_text, stays_below};
use crate::base::names::one_name;
use crate::linking::{LinkMode, USUAL_VARIANTS};
use crate::machine::limits::Limits;
use crate::machine::memory::MemoryConfig;
use data::{Out, Source};
use locks::LockSpec;
use spec::bounds::Bounds;
use spec::claims::ClaimsSpec;
use spec::constants::ConstantsSpec;
use spec::dispatch::DispatchSpec;
use spec::graph::GraphSpec;
use spec::litmus::LitmusSpec;
use spec::rows::ThreadSpec;

pub use spec::dispatch::{Key, UniformSpec};

/// A job file as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct JobSpec {
    /// Shown in reports and views.
    pub name: String,
    /// GLSL (.comp, .glsl), WGSL (.wgsl), SPIR-V (.spv), assembly (.qasm) or a compiled binary
    /// (.elf).
    pub shader: Spanned<PathBuf>,
    /// Entry point; not needed if the source has only one.
    pub entry: Option<Spanned<String>>,
    /// Work groups along x, y, z. Either this, or `threads`, or `[graph]`, or `[[thread]]`.
    #[serde(default, deserialize_with = "data::sizes")]
    pub grid: Option<[u32; 3]>,
    /// Invocations along x, y, z, rounded up to whole work groups.
    #[serde(default, deserialize_with = "data::sizes")]
    pub threads: Option<[u32; 3]>,
    /// Threads that depend on each other.
    pub graph: Option<Spanned<GraphSpec>>,
    /// Threads with semaphore requests set by hand.
    #[serde(default)]
    pub thread: Vec<Spanned<ThreadSpec>>,
    /// Storage buffers: contents before and after the run.
    #[serde(default)]
    pub buffer: Vec<Spanned<BufferSpec>>,
    /// Contents of uniform buffers.
    #[serde(default)]
    pub uniform: Vec<Spanned<UniformSpec>>,
    /// Build parameters that differ from the default machine.
    #[serde(default)]
    pub machine: MachineSpec,
    /// Timing of the memory model.
    #[serde(default)]
    pub memory: MemoryConfig,
    /// When a run is given up.
    #[serde(default)]
    pub limits: Limits,
    /// Assembly programs only: what a compiled one knows about itself.
    pub program: Option<ProgramSpec>,
    /// No product and sum of floats become one operation (LP-18).
    #[serde(default, deserialize_with = "data::choice")]
    pub exact: bool,
    /// Whether the program is linked for its uniforms.
    #[serde(default)]
    pub link: LinkMode,
    /// At most so many variants of it assume something of uniforms.
    #[serde(default = "usual_variants")]
    pub variants: usize,
    /// Runs of the program, one behind the other; none: one, as the job says.
    #[serde(default)]
    pub dispatch: Vec<Spanned<DispatchSpec>>,
    /// What a store outside every buffer is.
    #[serde(default)]
    pub bounds: Bounds,
    /// Values of overrides and specialisation constants.
    #[serde(default)]
    pub constants: ConstantsSpec,
    /// What `--small` changes.
    pub small: Option<SmallSpec>,
    /// Outcomes that the machine may show.
    pub litmus: Option<Spanned<LitmusSpec>>,
    /// What `quadlock regress` checks of the job.
    pub claims: Option<ClaimsSpec>,
}

fn usual_variants() -> usize {
    USUAL_VARIANTS
}

/// A storage buffer: its contents before, where its contents go after, and what they must be.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferSpec {
    /// Name in the program; otherwise `binding`.
    pub name: Option<String>,
    /// With `binding`; 0 if not given.
    #[serde(default)]
    pub group: u32,
    /// Number in the program; otherwise `name`.
    pub binding: Option<u32>,
    /// Contents before the run.
    pub from: Option<Source>,
    /// File for the contents after the run.
    pub out: Option<Out>,
    /// What the contents after the run must be.
    pub expect: Option<Expect>,
    /// Which words are locks, and who may give them back.
    pub locks: Option<LockSpec>,
}

impl BufferSpec {
    /// The resource that it fills.
    pub fn key(&self) -> Key {
        Key { name: self.name.clone(), group: self.group, binding: self.binding }
    }
}

/// What an output must be.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Contents to compare with, word by word.
    pub from: Source,
    /// How far an f32 may be off: units in the last place, or an absolute difference. Neither: bit
    /// for bit.
    pub ulp: Option<u32>,
    /// Largest absolute difference of an f32.
    pub abs: Option<f64>,
    /// Where words go in no fixed order: those that are not 0 are compared as a multiset.
    #[serde(default, rename = "any-order")]
    pub any_order: bool,
}

/// Build parameters of the core: the keys are rows of the table in [`quadlock_hdl::parameters`].
#[derive(Clone, Debug, Default)]
pub struct MachineSpec {
    /// The preset that the other keys change.
    pub preset: Option<Spanned<toml::Value>>,
    /// Keys and values as they stand.
    pub values: Vec<(Spanned<String>, Spanned<toml::Value>)>,
    /// Cores that have something else instead (SE-3).
    pub core: Vec<Spanned<CoreSpec>>,
}

impl MachineSpec {
    /// Whether the job says something about that parameter.
    pub fn names(&self, key: &str) -> bool {
        self.values.iter().any(|(k, _)| k.get_ref() == key)
    }
}

impl<'de> Deserialize<'de> for MachineSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> serde::de::Visitor<'de> for Keys {
            type Value = MachineSpec;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a table of build parameters")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<MachineSpec, A::Error> {
                let mut spec = MachineSpec::default();
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    match key.get_ref().as_str() {
                        "core" => spec.core = map.next_value()?,
                        "preset" => spec.preset = Some(map.next_value()?),
                        _ => spec.values.push((key, map.next_value()?)),
                    }
                }
                Ok(spec)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// What one core has in place of what all have (SE-3).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CoreSpec {
    /// Counted from 0.
    pub row: usize,
    /// Counted from 0 in the row.
    pub column: usize,
    /// Warp units of this core; `None`: as the others.
    pub units: Option<usize>,
    /// Warp slots of each unit of this core; `None`: as the others.
    pub warps: Option<usize>,
    /// Whether this core has one; `None`: as the others.
    pub function_unit: Option<bool>,
}

impl CoreSpec {
    /// Its entry in the build parameters.
    pub fn entry(&self) -> ((usize, usize), CoreChange) {
        ((self.row, self.column), self.change())
    }

    /// As the build parameters have it.
    pub fn change(&self) -> CoreChange {
        CoreChange { units: self.units, warps: self.warps, function_unit: self.function_unit }
    }
}

/// The interface of an assembly program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgramSpec {
    /// Invocations along x, y, z.
    #[serde(deserialize_with = "data::group_size")]
    pub group_size: [u32; 3],
    /// Warps of a group share a unit, for barriers and shared storage.
    #[serde(default)]
    pub pinned: bool,
    /// Bytes of shared storage per group.
    #[serde(default)]
    pub shared_bytes: u32,
    /// Bytes of stack per invocation.
    #[serde(default)]
    pub stack_bytes: u32,
    /// Buffers lie before the code, the first one at the lowest mapped address.
    #[serde(default)]
    pub data_first: bool,
    /// Words of the constant bank, from the first one that is free for programs on.
    #[serde(default)]
    pub constants: Vec<u32>,
}

impl ProgramSpec {
    /// Of a program without a job.
    pub(crate) fn alone() -> Self {
        Self {
            group_size: [4, 1, 1],
            pinned: false,
            shared_bytes: 0,
            stack_bytes: 0,
            data_first: false,
            constants: vec![],
        }
    }
}

/// Which size of a job is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// The job as it stands.
    #[default]
    Whole,
    /// With its `[small]` part, for slow simulators.
    Small,
}

/// The small size: what replaces the values of the job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SmallSpec {
    /// Work groups along x, y, z, in place of the job's.
    #[serde(default, deserialize_with = "data::sizes")]
    pub grid: Option<[u32; 3]>,
    /// Invocations along x, y, z, in place of the job's.
    #[serde(default, deserialize_with = "data::sizes")]
    pub threads: Option<[u32; 3]>,
    /// In place of the job's graph.
    pub graph: Option<Spanned<GraphSpec>>,
    /// In place of the job's threads, if there are any.
    #[serde(default)]
    pub thread: Vec<Spanned<ThreadSpec>>,
    /// What each says goes before what the job's buffer of the same key says.
    #[serde(default)]
    pub buffer: Vec<Spanned<BufferSpec>>,
    /// Each in place of the job's uniform of the same key.
    #[serde(default)]
    pub uniform: Vec<Spanned<UniformSpec>>,
    /// In place of the job's limits.
    pub limits: Option<Limits>,
}

/// A job file that has been read.
#[derive(Clone, Debug)]
pub struct Job {
    /// Of the job file; paths in it are relative to its folder.
    pub path: PathBuf,
    /// As read: errors point into it.
    pub text: String,
    /// What the text says, checked key by key but not against the program.
    pub spec: JobSpec,
}

impl Job {
    /// Reads a job file; [`Size::Small`] applies its `[small]` part.
    ///
    /// # Errors
    /// The file cannot be read or is not a job file.
    pub fn read(path: &Path, size: Size) -> Input<Self> {
        Self::parse(path, read_text(path)?, size)
    }

    /// As [`Job::read`], from the file's text.
    ///
    /// # Errors
    /// The text is not a job file.
    pub fn parse(path: &Path, text: String, size: Size) -> Input<Self> {
        let spec: JobSpec = toml::from_str(&text).map_err(|e| {
            let span = e.span().unwrap_or(0..0);
            Box::new(
                InputError::new(one_name(e.message()))
                    .help("the keys of a job file are listed in docs/jobs.md")
                    .at(path, &text, span, "here"),
            )
        })?;
        let mut job = Self { path: path.to_owned(), text, spec };
        job.check_claims()?;
        if size == Size::Small && job.spec.small.is_none() {
            let top = 0..job.text.find('\n').unwrap_or(job.text.len());
            return Err(job.error(top, "the job has no small size", "leave out --small, or add a [small] part"));
        }
        if size == Size::Small {
            job.apply_small();
        }
        job.check()?;
        Ok(job)
    }

    /// An error about the part `span` of the file.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Box<InputError> {
        Box::new(InputError::new(message).help(help).at(&self.path, &self.text, span, "here"))
    }

    /// A path of the job file, relative to its folder.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }

    fn apply_small(&mut self) {
        let Some(small) = self.spec.small.take() else { return };
        if small.grid.is_some() || small.threads.is_some() {
            self.spec.grid = small.grid;
            self.spec.threads = small.threads;
        }
        self.spec.graph = small.graph.or(self.spec.graph.take());
        if !small.thread.is_empty() {
            self.spec.thread = small.thread;
        }
        self.spec.limits = small.limits.unwrap_or(self.spec.limits);
        for new in small.buffer {
            match self.spec.buffer.iter_mut().find(|b| b.get_ref().key() == new.get_ref().key()) {
                Some(old) => {
                    let merged = old.get_mut();
                    let new = new.into_inner();
                    merged.from = new.from.or(merged.from.take());
                    merged.out = new.out.or(merged.out.take());
                    merged.expect = new.expect.or(merged.expect.take());
                    merged.locks = new.locks.or(merged.locks);
                }
                None => self.spec.buffer.push(new),
            }
        }
        for new in small.uniform {
            match self.spec.uniform.iter_mut().find(|u| u.get_ref().key() == new.get_ref().key()) {
                Some(old) => *old = new,
                None => self.spec.uniform.push(new),
            }
        }
    }

    fn check(&self) -> Input<()> {
        let top = 0..self.text.find('\n').unwrap_or(self.text.len());
        let spec = &self.spec;
        let ways = [spec.grid.is_some(), spec.threads.is_some(), spec.graph.is_some(), !spec.thread.is_empty()];
        if ways.iter().filter(|given| **given).count() != 1 {
            let help = "grid counts work groups, threads invocations; [graph] and [[thread]] have threads that depend on each other";
            return Err(self.error(top, "a job has exactly one of `grid`, `threads`, [graph] and [[thread]]", help));
        }
        let odd = |c: char| c.is_control() || matches!(c, '/' | '\\');
        if spec.name.is_empty() || spec.name.contains(odd) || spec.name.starts_with('.') {
            let help = "outputs go to out/NAME: use letters, digits and -";
            return Err(self.error(top, format!("`{}` is no usable job name", spec.name), help));
        }
        let keys = spec.buffer.iter().map(|b| (b.get_ref().key(), b.span()));
        let uniforms = spec.uniform.iter().chain(spec.dispatch.iter().flat_map(|d| &d.get_ref().uniform));
        for (key, span) in keys.chain(uniforms.map(|u| (u.get_ref().key(), u.span()))) {
            if let Some((what, help)) = key.wrong() {
                return Err(self.error(span, what, help));
            }
        }
        spec.memory.check().map_err(|e| self.error(self.table("memory"), e, "see [memory] in docs/jobs.md"))?;
        spec.limits.check().map_err(|e| self.error(self.table("limits"), e, "see [limits] in docs/jobs.md"))?;
        self.check_machine()?;
        self.check_dispatches()?;
        self.check_outputs()?;
        self.check_litmus()
    }

    /// The preset is one, each other key of `[machine]` is a parameter, and its value one of the
    /// right kind.
    fn check_machine(&self) -> Input<()> {
        self.preset()?;
        let mut config = GpuConfig::default();
        self.spec.machine.values.iter().try_for_each(|(key, value)| self.set_parameter(&mut config, key, value))
    }

    /// The preset that `[machine]` names.
    fn preset(&self) -> Input<Option<&'static Preset>> {
        let Some(value) = &self.spec.machine.preset else { return Ok(None) };
        let found = match value.get_ref() {
            toml::Value::String(name) => presets::by_name(name),
            other => Err(format!("preset = {other}: not a name in quotes")),
        };
        found.map(Some).map_err(|e| self.error(value.span(), e, presets::help()))
    }

    /// Sets the parameter of that key of `[machine]`.
    fn set_parameter(&self, config: &mut GpuConfig, key: &Spanned<String>, value: &Spanned<toml::Value>) -> Input<()> {
        let name = key.get_ref();
        let Some(parameter) = parameters::of_jobs().find(|p| p.job_key() == *name) else {
            let known = parameters::of_jobs().map(|p| p.job_key()).chain(["core", "preset"].map(str::to_owned));
            let what = format!("unknown field `{name}`{}", did_you_mean(name, known));
            return Err(self.error(key.span(), what, "the keys of a job file are listed in docs/jobs.md"));
        };
        let text = match (value.get_ref(), parameter.values) {
            (toml::Value::Integer(n), Values::Range(..) | Values::Power(..)) => n.to_string(),
            (toml::Value::Boolean(on), Values::Switch) => if *on { "on" } else { "off" }.to_owned(),
            (toml::Value::String(word), Values::Words(_)) => word.clone(),
            (other, values) => {
                let what = format!("{name} = {other}: not one of its values: {values}");
                let help = "numbers stand as they are, words in quotes, on and off as true and false";
                return Err(self.error(value.span(), what, help));
            }
        };
        config.set(name, &text).map_err(|e| self.error(value.span(), e, "see [machine] in docs/jobs.md"))
    }

    /// Where the file gives the parameter that a message about the machine begins with; `[machine]`
    /// if it gives none.
    fn parameter(&self, message: &str) -> Range<usize> {
        let key = message.split([' ', ':']).next();
        let value = self.spec.machine.values.iter().find(|(k, _)| Some(k.get_ref().as_str()) == key);
        value.map_or_else(|| self.table("machine"), |v| v.1.span())
    }

    /// What can be known of the outputs and expectations before there is a program.
    fn check_outputs(&self) -> Input<()> {
        let mut files: Vec<PathBuf> = Vec::new();
        for (buffer, span) in self.spec.buffer.iter().map(|b| (b.get_ref(), b.span())) {
            let abs = buffer.expect.as_ref().and_then(|e| e.abs);
            if let Some(abs) = abs.filter(|abs| !abs.is_finite() || *abs < 0.0) {
                let what = format!("abs = {abs} is no difference that an output may have");
                return Err(self.error(span, what, "write a number that is not below 0"));
            }
            let Some(out) = &buffer.out else { continue };
            let see = "see `out` in docs/jobs.md";
            let path = out.target().map_err(|e| self.error(span.clone(), e, see))?;
            if !stays_below(path) {
                let what = format!("the output {} leads out of the folder of the outputs", path.display());
                return Err(self.error(span, what, "name a file in that folder: a relative path without `..`"));
            }
            let path = plain(path);
            if files.contains(&path) {
                let what = format!("two outputs are written to {}", path.display());
                return Err(self.error(span, what, "give each a file of its own"));
            }
            if let Some(other) = files.iter().find(|other| path.starts_with(other) || other.starts_with(&path)) {
                let what = format!("of the outputs {} and {} one would be a folder", other.display(), path.display());
                return Err(self.error(span, what, "name files of which none is in another"));
            }
            files.push(path);
        }
        Ok(())
    }

    /// Span of the header of a table, or of its key, for errors about it; in the job's text.
    fn table(&self, name: &str) -> Range<usize> {
        let headers = [format!("[{name}]"), format!("[small.{name}]"), format!("{name} ="), format!("{name}.")];
        let found = headers.iter().find_map(|h| Some((self.text.find(h)?, h.len())));
        found.map_or(0..0, |(at, length)| at..at + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Input<Job> {
        Job::parse(Path::new("dir/job.toml"), text.to_owned(), Size::Whole)
    }

    const GOOD: &str =
        "name = \"x\"\nshader = \"a.wgsl\"\ngrid = [1, 2, 3]\n[[buffer]]\nbinding = 1\nfrom = { zero = 64 }\n";

    #[test]
    fn a_job_is_read_and_paths_are_relative_to_it() {
        let job = parse(GOOD).unwrap();
        assert!(job.spec.entry.is_none());
        assert_eq!(job.resolve(job.spec.shader.get_ref()), Path::new("dir/a.wgsl"));
        assert_eq!(job.spec.memory, MemoryConfig::default());
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place() {
        let e = parse(&GOOD.replace("grid", "gird")).unwrap_err();
        assert_eq!(e.location().unwrap(), "dir/job.toml:3:1");
        assert!(e.message().contains("unknown field `gird`"), "{e}");
    }

    #[test]
    fn grid_and_threads_exclude_each_other() {
        assert!(parse(&GOOD.replace("grid =", "threads = [1,1,1]\ngrid =")).is_err());
        assert!(parse(&GOOD.replace("grid = [1, 2, 3]", "")).is_err());
    }

    #[test]
    fn memory_timing_out_of_range_points_at_its_table() {
        let e = parse(&format!("{GOOD}[memory]\nstall = 100\n")).unwrap_err();
        assert!(e.location().unwrap().starts_with("dir/job.toml:7:1"), "{e}");
    }

    #[test]
    fn small_replaces_by_key() {
        let text =
            format!("{GOOD}[small]\nthreads = [64, 64, 1]\n[[small.buffer]]\nbinding = 1\nfrom = {{ zero = 128 }}\n");
        let job = Job::parse(Path::new("job.toml"), text, Size::Small).unwrap();
        assert_eq!((job.spec.grid, job.spec.threads), (None, Some([64, 64, 1])));
        assert_eq!(job.spec.buffer.len(), 1);
        let zero = job.spec.buffer[0].get_ref().from.as_ref().unwrap().zero;
        assert_eq!(zero.map(std::num::NonZeroU32::get), Some(128));
    }
}
