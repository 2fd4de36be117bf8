//! The small commands: compile, disassemble, assemble, wave views and the instruction set.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use quadlock_isa::{disassemble_program, doc};
use quadlock_shader::compile::Uniforms;

use super::draw::is_scene;
use super::outcome::{print, say, Outcome};
use crate::base::error::{bad, warn, Input};
use crate::base::files::{read, read_text, write_atomic, MOST_TEXT};
use crate::job::constants;
use crate::job::program::{self, set_exact, set_float_unit, set_semaphores, set_skip, set_warp_wide, CompilerOptions};
use crate::observe::gtkw;
use crate::scene::Scene;
use crate::view::labels::Names;

/// What `compile` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The binary (ELF)
    Binary,
    /// Assembly with source lines
    Asm,
    /// SSA before and after the passes
    Ir,
    /// What the compiler did, and why
    Report,
}

#[derive(Args, Debug)]
pub struct CompileArgs {
    /// GLSL (.comp, .glsl), WGSL (.wgsl) or SPIR-V (.spv). With a scene (.toml), --emit asm, ir or
    /// report prints the programs of its draws
    shader: PathBuf,
    /// Entry point. Not needed if the shader has only one
    #[arg(long)]
    entry: Option<String>,
    #[arg(long, value_enum, default_value = "binary")]
    emit: Emit,
    /// Do not fuse a float product and sum into one operation: short for --set exact=on
    #[arg(long)]
    exact: bool,
    /// Change a setting: exact (on, off), link (on, off: whether the host derives uniforms),
    /// float-unit (on, off), semaphores (on, polling), warp-wide (on, off; representative,
    /// collective and scalar give the same code as on), skip (passes to leave out, or all). With a
    /// scene: one of its keys
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[arg(long, value_name = "NAME=VALUE", help = constants::HELP)]
    constant: Vec<String>,
    /// Output file [default: the shader's name with .elf; standard output for text]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The programs of a scene's draws, one behind the other.
fn compile_scene(args: &CompileArgs) -> Input<Outcome> {
    if args.emit == Emit::Binary || args.entry.is_some() {
        let message = format!("{}: a scene has several programs", args.shader.display());
        return bad(message, "write --emit report, asm or ir, and no --entry");
    }
    let exact = args.exact.then(|| "exact=on".to_owned());
    let sets: Vec<String> = exact.into_iter().chain(args.set.iter().cloned()).collect();
    let mut scene = Scene::read(&args.shader, false, &sets)?;
    scene.give(&args.constant)?;
    let mut text = String::new();
    for (title, compiled) in scene.programs(&scene.compiler()?)? {
        if args.emit != Emit::Report {
            compiled.report.warnings.iter().for_each(|warning| warn(warning));
        }
        text += &format!("{title}\n");
        text += &match args.emit {
            Emit::Asm => compiled.asm,
            Emit::Ir => {
                format!("// before the passes\n{}\n// after the passes\n{}", compiled.ir_before, compiled.ir_after)
            }
            Emit::Report | Emit::Binary => compiled.report.to_string(),
        };
        text.push('\n');
    }
    deliver(args.output.as_ref(), &text)
}

pub fn compile(args: &CompileArgs) -> Input<Outcome> {
    if is_scene(&args.shader) {
        return compile_scene(args);
    }
    let data = read(&args.shader, MOST_TEXT)?;
    let mut options = CompilerOptions { exact: args.exact, ..CompilerOptions::default() };
    let mut link = None;
    for text in &args.set {
        match text.split_once('=') {
            Some(("link", "on")) => link = Some(Uniforms::new()),
            Some(("link", "off")) => link = None,
            Some(("exact", value)) => set_exact(&mut options, value)?,
            Some(("float-unit", value)) => set_float_unit(&mut options, value)?,
            Some(("semaphores", value)) => set_semaphores(&mut options, value)?,
            Some(("warp-wide", value)) => set_warp_wide(&mut options, value)?,
            Some(("skip", value)) => set_skip(&mut options, value)?,
            _ => {
                return bad(
                    format!("--set {text}: there is no such setting"),
                    "settings: exact=on, exact=off, link=on, link=off, float-unit=on, float-unit=off, semaphores=on, semaphores=polling, warp-wide=on, warp-wide=off, skip=PASS,PASS",
                )
            }
        }
    }
    options.constants = constants::of_command_line(&args.constant)?;
    let compiled = program::compile_for(&args.shader, &data, args.entry.as_deref(), &options, link.as_ref())?;
    if args.emit != Emit::Report {
        compiled.report.warnings.iter().for_each(|warning| warn(warning));
    }
    let text = match args.emit {
        Emit::Binary => {
            let path = args.output.clone().unwrap_or_else(|| args.shader.with_extension("elf"));
            write_atomic(&path, &compiled.binary.write())?;
            say(&format!("{}: {} instructions\n", path.display(), compiled.binary.code.len()));
            return Ok(Outcome::Pass);
        }
        Emit::Asm => compiled.asm,
        Emit::Ir => format!("// before the passes\n{}\n// after the passes\n{}", compiled.ir_before, compiled.ir_after),
        Emit::Report => compiled.report.to_string(),
    };
    deliver(args.output.as_ref(), &text)
}

/// Writes text to a file, or to standard output.
pub(super) fn deliver(path: Option<&PathBuf>, text: &str) -> Input<Outcome> {
    match path {
        Some(path) => write_atomic(path, text.as_bytes())?,
        None => print(text),
    }
    Ok(Outcome::Pass)
}

#[derive(Args, Debug)]
pub struct DisasmArgs {
    /// Compiled shader (ELF); the file name does not matter
    binary: PathBuf,
    /// Also print the source lines. They are read from the files that the binary names, in their
    /// present state
    #[arg(long)]
    source: bool,
}

pub fn disasm(args: &DisasmArgs) -> Input<Outcome> {
    let binary = program::binary(&args.binary, &read(&args.binary, MOST_TEXT)?)?;
    let source = |name: &str| args.source.then(|| read_text(name.as_ref()).ok()).flatten();
    deliver(None, &quadlock_shader::binary::disassembly(&binary, &source))
}

#[derive(Args, Debug)]
pub struct AsmArgs {
    /// Assembly text (.qasm)
    file: PathBuf,
    /// Output file for the raw instruction words, little endian. Without it the words are listed
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn asm(args: &AsmArgs) -> Input<Outcome> {
    if args.file.extension().is_none_or(|e| e != program::ASSEMBLY) {
        return bad(format!("{} is not an assembly file", args.file.display()), "assembly files end in .qasm");
    }
    let code = program::load(&args.file, None, &CompilerOptions::default())?.code;
    match &args.output {
        Some(path) => {
            let bytes: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
            write_atomic(path, &bytes)?;
            Ok(Outcome::Pass)
        }
        None => {
            let words: String = code.iter().enumerate().map(|(pc, w)| format!("; {pc:>5}  {w:016x}\n")).collect();
            deliver(None, &(words + &disassemble_program(&code)))
        }
    }
}

#[derive(Args, Debug)]
pub struct WavesArgs {
    /// Trace written by `quadlock run --vcd` or `--fst`
    trace: PathBuf,
    /// Place the marker at this cycle
    #[arg(long, value_name = "CYCLE")]
    marker: Option<u64>,
}

pub fn waves(args: &WavesArgs) -> Input<Outcome> {
    let traced = gtkw::read_traced(&args.trace)?;
    for file in gtkw::write(&args.trace, &traced, args.marker)? {
        say(&format!("{}\n", file.display()));
    }
    Ok(Outcome::Pass)
}

/// What `isa` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IsaFormat {
    /// The manual (docs/isa.md)
    Md,
    /// GTKWave translate file of the opcodes
    Gtkwave,
    /// Surfer mapping file of the opcodes
    Surfer,
}

#[derive(Args, Debug)]
pub struct IsaArgs {
    #[arg(long, value_enum, default_value = "md")]
    format: IsaFormat,
}

pub fn isa(args: &IsaArgs) -> Input<Outcome> {
    deliver(
        None,
        &match args.format {
            IsaFormat::Md => doc::isa_page(),
            IsaFormat::Gtkwave => Names::Opcode.table().gtkwave(),
            IsaFormat::Surfer => Names::Opcode.table().surfer(),
        },
    )
}
