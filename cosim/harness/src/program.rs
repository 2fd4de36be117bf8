//! From a file to a program: GLSL, WGSL and SPIR-V through the compiler, assembly text through the assembler, or a binary compiled before. The file's
//! extension decides. Errors of the compiler and the assembler keep their source position.

use std::path::Path;

use quadlock_isa::{assemble, decode, Op};
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::interface::{Binding, BindingKind, Interface, Stage};
use quadlock_shader::ssa::Loc;

use crate::error::{bad, io, Input, InputError};
use crate::job::{Job, ProgramSpec};

/// The extension of an assembly file.
pub const ASSEMBLY: &str = "qasm";

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase()
}

/// The program of a job.
///
/// # Errors
/// The file cannot be read, or is no program.
pub fn of_job(job: &Job, fault: Option<CompilerFault>) -> Input<ShaderBinary> {
    let path = job.resolve(job.spec.shader.get_ref());
    let span = job.spec.shader.span();
    if extension(&path) == ASSEMBLY {
        let Some(program) = &job.spec.program else {
            let help = "add [program] with group-size = [x, y, z]";
            return Err(job.error(span, "an assembly program needs its interface in the job file", help));
        };
        let text = std::fs::read_to_string(&path).map_err(|e| io(&path, "read", &e))?;
        let keys = job.spec.buffer.iter().map(|b| b.get_ref().key());
        let bindings = keys.chain(job.spec.uniform.iter().map(|u| u.get_ref().key())).filter_map(|k| k.binding);
        return assembled(&path, &text, program, bindings);
    }
    load(&path, &job.spec.entry, fault)
}

/// Compiles or reads a program file.
///
/// # Errors
/// As [`of_job`].
pub fn load(path: &Path, entry: &str, fault: Option<CompilerFault>) -> Input<ShaderBinary> {
    let data = std::fs::read(path).map_err(|e| io(path, "read", &e))?;
    if extension(path) == "elf" {
        return ShaderBinary::read(&data)
            .map_err(|e| Box::new(InputError::new(format!("{}: {e}", path.display())).help("compile the shader with `quadlock compile`")));
    }
    if extension(path) == ASSEMBLY {
        let text = String::from_utf8_lossy(&data);
        let program = ProgramSpec { group_size: [4, 1, 1], pinned: false, shared_bytes: 0, stack_bytes: 0 };
        return assembled(path, &text, &program, std::iter::empty());
    }
    compile(path, &data, entry, fault)
}

/// Assembles a program whose buffer `binding` n is entry n of the buffer table.
fn assembled(path: &Path, text: &str, program: &ProgramSpec, bindings: impl Iterator<Item = u32>) -> Input<ShaderBinary> {
    let name = path.display().to_string();
    let assembled = assemble(&name, text).map_err(|e| {
        let start: usize = text.split_inclusive('\n').take(e.line as usize - 1).map(str::len).sum();
        let column = text[start..].char_indices().nth(e.column as usize - 1).map_or(0, |c| c.0);
        let at = start + column;
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
    };
    Ok(ShaderBinary {
        interface: Interface {
            stage: Stage::Compute,
            entry: "main".to_owned(),
            group_size: program.group_size,
            bindings: bindings.map(binding).collect(),
            shared_bytes: program.shared_bytes,
            pinned: program.pinned || assembled.code.iter().any(shared),
            stack_bytes: program.stack_bytes.next_multiple_of(16),
            registers: quadlock_isa::abi::REGISTERS as u32,
            public_cutoff: 0,
            constants: Vec::new(),
        },
        lines: assembled.lines.iter().map(|&line| Loc { file: 0, line, col: 1 }).collect(),
        files: vec![name],
        labels: assembled.labels.into_iter().map(|(name, pc)| (u32::from(pc), name)).collect(),
        code: assembled.code,
    })
}

fn compile(path: &Path, _data: &[u8], _entry: &str, _fault: Option<CompilerFault>) -> Input<ShaderBinary> {
    bad(
        format!("{}: what kind of program is this?", path.display()),
        "known extensions: .comp .glsl (GLSL), .wgsl, .spv (SPIR-V), .qasm (assembly), .elf (compiled)",
    )
}
