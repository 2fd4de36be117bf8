//! From a file to a program: GLSL, WGSL and SPIR-V through the compiler, assembly text through the
//! assembler, or a binary compiled before. The file's extension decides. Errors of the compiler and
//! the assembler keep their source position.

use std::path::{Path, PathBuf};

use quadlock_hdl::base::like::did_you_mean;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideLate};
use quadlock_isa::abi::{CONST_USER, CONST_WORDS};
use quadlock_isa::{assemble, decode, Op};
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::compile::{compile_linked, Uniforms};
use quadlock_shader::front::Diagnostics;
use quadlock_shader::interface::{needs_function_unit, Binding, BindingKind, Interface, Stage};
use quadlock_shader::ssa::Loc;
use quadlock_shader::{CompileRequest, Compiled};

pub use quadlock_shader::compile::Options as CompilerOptions;

use crate::base::error::{bad, Input, InputError};
use crate::base::files::{read, read_text, MOST_TEXT};
use crate::job::{Job, ProgramSpec};

/// The extension of an assembly file.
pub const ASSEMBLY: &str = "qasm";

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase()
}

/// The program of a job, with the values that it gives to constants. Those of the options go
/// before.
///
/// # Errors
/// The file cannot be read, or is no program.
pub fn of_job(job: &Job, options: &CompilerOptions) -> Input<ShaderBinary> {
    let path = job.resolve(job.spec.shader.get_ref());
    let span = job.spec.shader.span();
    if compiled_before(&path) {
        job.refuse_constants()?;
    }
    if extension(&path) == ASSEMBLY {
        compiles_here(&path, options)?;
        let Some(program) = &job.spec.program else {
            let help = "add [program] with group-size = [x, y, z]";
            return Err(job.error(span, "an assembly program needs its interface in the job file", help));
        };
        let most = CONST_WORDS - CONST_USER;
        if program.constants.len() > most {
            let what = format!("{} constants; {most} words of the constant bank are free", program.constants.len());
            return Err(job.error(job.table("program"), what, "put the others into a buffer"));
        }
        let text = read_text(&path).map_err(|e| job.error(span.clone(), e.message(), NAME_A_PROGRAM))?;
        let keys = job.spec.buffer.iter().map(|b| b.get_ref().key());
        let bindings = keys.chain(job.spec.uniform.iter().map(|u| u.get_ref().key())).filter_map(|k| k.binding);
        let binary = assembled(&path, &text, program, bindings)?;
        return asked_entry(job, binary);
    }
    if compiled_before(&path) {
        let data = read(&path, MOST_TEXT).map_err(|e| job.error(span.clone(), e.message(), NAME_A_PROGRAM))?;
        let binary = of_data(&path, &data, None, options).map_err(|e| match e.location() {
            Some(_) => e,
            None => Box::new(e.at(&job.path, &job.text, span, "here")),
        })?;
        return asked_entry(job, binary);
    }
    let source = JobSource::of(job, options)?;
    Ok(source.compiled(None).map_err(|e| source.wrong(&e))?.binary)
}

/// The source of a job's program, to be compiled once or for several values of uniforms.
pub struct JobSource<'j> {
    job: &'j Job,
    path: PathBuf,
    data: Vec<u8>,
    options: CompilerOptions,
}

impl<'j> JobSource<'j> {
    /// Reads it.
    ///
    /// # Errors
    /// It cannot be read, or is compiled already.
    pub fn of(job: &'j Job, options: &CompilerOptions) -> Input<JobSource<'j>> {
        let path = job.resolve(job.spec.shader.get_ref());
        let span = job.spec.shader.span();
        if compiled_before(&path) {
            let what = "the program is not compiled here, so link changes nothing";
            return Err(job.error(span, what, "leave out link, or give the shader's source"));
        }
        let data = read(&path, MOST_TEXT).map_err(|e| job.error(span, e.message(), NAME_A_PROGRAM))?;
        let mut options = options.clone();
        options.constants.extend(job.constants());
        Ok(JobSource { job, path, data, options })
    }

    fn with<R>(&self, f: impl FnOnce(&CompileRequest) -> R) -> R {
        let name = self.path.display().to_string();
        let mut request = CompileRequest::new(&name, &self.data);
        request.entry = self.job.spec.entry.as_ref().map(|e| e.get_ref().as_str());
        request.options = self.options.clone();
        f(&request)
    }

    /// What the program tells the host, whatever it is compiled for.
    ///
    /// # Errors
    /// What the compiler refuses, with its place.
    pub fn interface(&self) -> Input<Interface> {
        self.with(quadlock_shader::compile::interface).map_err(|e| self.wrong(&e))
    }

    /// Compiles it; linked if words of uniforms are given, which may be none.
    ///
    /// # Errors
    /// What the compiler refuses.
    pub fn compiled(&self, link: Option<&Uniforms>) -> Result<Compiled, Diagnostics> {
        self.with(|request| match link {
            None => quadlock_shader::compile(request),
            Some(known) => compile_linked(request, known),
        })
    }

    /// What the compiler refuses, with its place in the source or in the job.
    pub fn wrong(&self, errors: &Diagnostics) -> Box<InputError> {
        from_compiler(&self.path, &self.data, errors, Some(self.job))
    }
}

/// What to do about a program file that cannot be read.
const NAME_A_PROGRAM: &str = "check the name; paths inside a job file are relative to that file";

/// The program, if its entry point is the one that the job names: what is not compiled here has one
/// already.
fn asked_entry(job: &Job, binary: ShaderBinary) -> Input<ShaderBinary> {
    let has = &binary.interface.entry;
    match job.spec.entry.as_ref().filter(|asked| asked.get_ref() != has) {
        None => Ok(binary),
        Some(asked) => {
            let what = format!("the program has the entry point `{has}`, not `{}`", asked.get_ref());
            Err(job.error(asked.span(), what, "correct `entry`, or leave it out"))
        }
    }
}

/// Compiles or reads a program file.
///
/// # Errors
/// As [`of_job`].
pub fn load(path: &Path, entry: Option<&str>, options: &CompilerOptions) -> Input<ShaderBinary> {
    of_data(path, &read(path, MOST_TEXT)?, entry, options)
}

fn compiled_before(path: &Path) -> bool {
    [ASSEMBLY, "elf"].contains(&extension(path).as_str())
}

/// As [`load`], of a file that has been read.
fn of_data(path: &Path, data: &[u8], entry: Option<&str>, options: &CompilerOptions) -> Input<ShaderBinary> {
    if compiled_before(path) {
        compiles_here(path, options)?;
    }
    if extension(path) == "elf" {
        return binary(path, data);
    }
    if extension(path) == ASSEMBLY {
        let text = String::from_utf8_lossy(data);
        return assembled(path, &text, &ProgramSpec::alone(), std::iter::empty());
    }
    Ok(compile(path, data, entry, options)?.binary)
}

/// A binary compiled before, from the contents of its file.
///
/// # Errors
/// It is none, or it is damaged.
pub fn binary(path: &Path, data: &[u8]) -> Input<ShaderBinary> {
    let help = "compile the shader with `quadlock compile`";
    ShaderBinary::read(data).map_err(|e| Box::new(InputError::new(format!("{}: {e}", path.display())).help(help)))
}

/// Switches `float-unit` on or off: off, the compiler uses none of the float unit's instructions,
/// and division, roots and so on are library code.
///
/// # Errors
/// Another value.
pub fn set_float_unit(options: &mut CompilerOptions, value: &str) -> Input<()> {
    options.skip_passes.retain(|pass| pass != "float-unit");
    match value {
        "on" => Ok(()),
        "off" => {
            options.skip_passes.push("float-unit".to_owned());
            Ok(())
        }
        _ => bad(format!("--set float-unit={value}: neither on nor off"), "write float-unit=on or float-unit=off"),
    }
}

/// Whether products and sums of floats stay apart (`on`) or become one operation where the language
/// allows it (`off`).
///
/// # Errors
/// Another value.
pub fn set_exact(options: &mut CompilerOptions, value: &str) -> Input<()> {
    options.exact = match value {
        "on" => true,
        "off" => false,
        _ => return bad(format!("--set exact={value}: neither on nor off"), "write exact=on or exact=off"),
    };
    Ok(())
}

/// Options for programs of that machine: one without warp-wide operations, by `--set` or by the
/// job, gets programs without them.
pub fn fit(options: &mut CompilerOptions, config: &GpuConfig) {
    options.warp_wide = config.warp_wide != WarpWide::Off;
    options.late_stored = config.warp_wide_late == WideLate::Stored;
}

/// Whether semaphore functions are messages to the semaphore entity (`on`) or loops that poll
/// memory (`polling`).
///
/// # Errors
/// Another value.
pub fn set_semaphores(options: &mut CompilerOptions, value: &str) -> Input<()> {
    options.polling = match value {
        "on" => false,
        "polling" => true,
        _ => {
            let what = format!("--set semaphores={value}: neither on nor polling, nor a number of semaphores");
            return bad(what, "write semaphores=on or semaphores=polling");
        }
    };
    Ok(())
}

/// Whether warp-wide operations may be used (`on`, or by one of the machine's ways to do them) or
/// not (`off`).
///
/// # Errors
/// Another value.
pub fn set_warp_wide(options: &mut CompilerOptions, value: &str) -> Input<()> {
    options.warp_wide = match value {
        "on" | "representative" | "collective" | "scalar" => true,
        "off" => false,
        _ => {
            let what = format!("--set warp-wide={value}: neither on nor off");
            return bad(what, "write warp-wide=on or warp-wide=off");
        }
    };
    Ok(())
}

/// Passes of the compiler that are left out: names with commas between, or `all`.
///
/// # Errors
/// There is no such pass.
pub fn set_skip(options: &mut CompilerOptions, value: &str) -> Input<()> {
    let known = quadlock_shader::optional_passes();
    for name in value.split(',') {
        match known.iter().find(|k| **k == name) {
            _ if name == "all" => options.skip_passes.extend(known.iter().map(|&k| k.to_owned())),
            Some(_) => options.skip_passes.push(name.to_owned()),
            None if quadlock_shader::is_fusion_place(name) => options.skip_passes.push(name.to_owned()),
            None => {
                let like = did_you_mean(name, known);
                return bad(
                    format!("--set skip={value}: the compiler has no pass `{name}` that can be left out{like}"),
                    "docs/passes.md lists them; write them with commas between, or all; or fuse@LINE:COLUMN of a sum",
                );
            }
        }
    }
    Ok(())
}

/// What the compiler is told not to use has no effect on a program that is compiled already.
fn compiles_here(path: &Path, options: &CompilerOptions) -> Input<()> {
    if options.polling {
        return bad(
            format!("{}: is not compiled, so semaphores=polling changes nothing", path.display()),
            "leave out --set semaphores=polling, or give the shader's source",
        );
    }
    if options.exact {
        return bad(
            format!("{}: is not compiled, so exact changes nothing", path.display()),
            "leave out --exact, exact=on or exact = true, or give the shader's source",
        );
    }
    if let Some(given) = options.constants.first() {
        return bad(
            format!("{}: is not compiled, so --constant {} changes nothing", path.display(), given.key),
            "leave out --constant, or give the shader's source",
        );
    }
    match options.skip_passes.first() {
        None => Ok(()),
        Some(pass) => {
            let setting = if pass == "float-unit" { "float-unit=off".to_owned() } else { format!("skip={pass}") };
            bad(
                format!("{}: is not compiled, so {setting} changes nothing", path.display()),
                format!("leave out --set {setting}, or give the shader's source"),
            )
        }
    }
}

/// Assembles a program whose buffer `binding` n is entry n of the buffer table.
fn assembled(
    path: &Path,
    text: &str,
    program: &ProgramSpec,
    bindings: impl Iterator<Item = u32>,
) -> Input<ShaderBinary> {
    let name = path.display().to_string();
    let assembled = assemble(&name, text).map_err(|e| {
        let at = offset(text, e.line, e.column);
        let help = e.help.clone().unwrap_or_else(|| "the instructions are in docs/isa.md".to_owned());
        Box::new(InputError::new(e.message).help(help).at(path, text, at..at + 1, "here"))
    })?;
    let shared = |w: &u64| decode(*w).is_ok_and(|i| i.op.is_shared() || i.op == Op::Bar);
    let binding = |binding: u32| Binding {
        name: format!("buffer{binding}"),
        group: 0,
        binding,
        kind: BindingKind::StorageReadWrite,
        index: binding,
        min_bytes: 1,
        stride: 0,
        const_at: 0,
        const_words: 0,
        members: vec![],
    };
    Ok(ShaderBinary {
        interface: Interface {
            stage: Stage::Compute,
            entry: "main".to_owned(),
            group_size: program.group_size,
            bindings: bindings.map(binding).collect(),
            shared_bytes: program.shared_bytes,
            pinned: program.pinned || assembled.code.iter().any(shared),
            stack_bytes: program.stack_bytes.checked_next_multiple_of(16).unwrap_or(u32::MAX),
            registers: quadlock_isa::abi::REGISTERS as u32,
            public_cutoff: 0,
            public_bitmap: 0,
            alone: 0,
            position: 0,
            merge_at: None,
            split_at: None,
            constants: (CONST_USER as u32..).zip(program.constants.iter().copied()).collect(),
            function_unit: needs_function_unit(&assembled.code),
            semaphores: Default::default(),
            warnings: Vec::new(),
            graphics: None,
            derived: None,
            specialisation: None,
            values: Default::default(),
        },
        lines: assembled.lines.iter().map(|&line| Loc::at(0, line, 1)).collect(),
        files: vec![name],
        labels: assembled.labels.into_iter().map(|(name, pc)| (u32::from(pc), name)).collect(),
        code: assembled.code,
    })
}

/// Compiles a shader.
///
/// # Errors
/// The first message of the compiler, with its place.
pub fn compile(path: &Path, data: &[u8], entry: Option<&str>, options: &CompilerOptions) -> Input<Compiled> {
    compile_for(path, data, entry, options, None)
}

/// As [`compile`]; linked if words of uniforms are given, which may be none.
///
/// # Errors
/// As [`compile`].
pub fn compile_for(
    path: &Path,
    data: &[u8],
    entry: Option<&str>,
    options: &CompilerOptions,
    link: Option<&Uniforms>,
) -> Input<Compiled> {
    let name = path.display().to_string();
    let mut request = CompileRequest::new(&name, data);
    request.entry = entry;
    request.options = options.clone();
    let compiled = match link {
        None => quadlock_shader::compile(&request),
        Some(known) => compile_linked(&request, known),
    };
    compiled.map_err(|e| from_compiler(path, data, &e, None))
}

/// An error of the compiler about one of several sources, with its place.
pub fn from_compiler_of(sources: &[(String, Vec<u8>)], errors: &Diagnostics) -> Box<InputError> {
    let of = errors.0.first().and_then(|first| sources.iter().find(|s| s.0 == first.file));
    match of.or(sources.first()) {
        Some((path, data)) => from_compiler(Path::new(path), data, errors, None),
        None => from_compiler(Path::new(""), &[], errors, None),
    }
}

fn from_compiler(path: &Path, data: &[u8], errors: &Diagnostics, job: Option<&Job>) -> Box<InputError> {
    let Some(first) = errors.0.first() else {
        return Box::new(InputError::new(format!("{}: the compiler gave no reason", path.display())));
    };
    let more = match errors.0.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    let message = format!("{}{more}", first.message);
    let error = InputError::new(message).help(first.help.clone());
    let job = job.filter(|job| job.path.display().to_string() == first.file);
    match job.map_or_else(|| std::str::from_utf8(data), |job| Ok(&job.text)) {
        Ok(text) if first.line > 0 => {
            let at = offset(text, first.line, first.column);
            Box::new(error.at(Path::new(&first.file), text, at..at + 1, "here"))
        }
        // Of a text that cannot be shown the place is told in words.
        Err(_) if first.line > 0 => {
            let place = format!("{}:{}:{}", first.file, first.line, first.column);
            Box::new(InputError::new(format!("{place}: {}{more}", first.message)).help(first.help.clone()))
        }
        _ => {
            // Of a binary the word.
            let word = if first.column > 0 { format!("word {}: ", first.column) } else { String::new() };
            let message = format!("{}: {word}{}{more}", first.file, first.message);
            Box::new(InputError::new(message).help(first.help.clone()))
        }
    }
}

/// Byte offset of a line and column, both from 1.
fn offset(text: &str, line: u32, column: u32) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    start + text[start..].char_indices().nth(column.saturating_sub(1) as usize).map_or(0, |c| c.0)
}
