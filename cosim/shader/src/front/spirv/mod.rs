//! SPIR-V, which is SSA with structured control flow already, straight to SSA.
//!
//! [`words`] reads instructions, [`module`] sorts them, [`order`] finds the blocks' layout,
//! [`mod@lower`] makes one function of the entry point; the other files lower one kind of
//! instruction each. Wrong would be to believe a module: what the lowering relies on is checked,
//! and an error names the id, its OpName and the place in the source if the module says one.

mod arith;
mod composite;
mod constants;
mod dot;
mod functions;
mod globals;
mod group;
mod lower;
mod memory;
mod module;
mod order;
mod ours;
mod specialise;
mod stage;
mod std450;
#[cfg(test)]
mod tests;
mod types;
mod wide;
mod words;

use super::constants::{Chosen, Given};
use super::diag::{Diagnostic, Diagnostics};
use super::emit::cx::{Emit, Program};
use super::emit::library::Library;
use super::linkage::Linkage;
use super::options::{Lowered, Options};
use crate::interface::{Interface, SemaphoreUse, Stage};
use crate::ssa::shape::Shape;
use crate::ssa::verify::verify_module;
use crate::ssa::{FuncId, Loc};
use lower::Lower;
use module::{Entry, Module, Res};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op};
use std::collections::BTreeMap;

/// A module with one chosen entry point.
#[derive(Clone, Debug)]
pub struct Parsed {
    module: Module,
    /// Index of the entry point.
    entry: usize,
    pub stage: Stage,
    /// Values of specialisation constants that were given.
    pub(crate) chosen: Chosen,
    /// The same as packed words, by id of the constant.
    specialised: BTreeMap<u32, Vec<u32>>,
    /// One more than the greatest id.
    bound: usize,
}

impl Parsed {
    /// Name of the file.
    pub fn path(&self) -> &str {
        &self.module.path
    }
    /// Name of the entry point.
    pub fn entry_name(&self) -> &str {
        &self.module.entries[self.entry].name
    }
    /// Where it is declared.
    pub fn entry_loc(&self) -> Loc {
        self.module.locs[self.module.entries[self.entry].at]
    }
}

/// Reads a binary. Without `entry` it must have exactly one entry point; of two of
/// one name that of the `wanted` stage is taken. `text` is what it was made
/// from, if that is the file; `given` are values of specialisation constants.
pub fn parse(
    path: &str,
    bytes: &[u8],
    text: Option<&str>,
    (entry, wanted): (Option<&str>, Option<Stage>),
    given: &[Given],
) -> Result<Parsed, Diagnostics> {
    let (bound, module) = read(path, bytes, text)?;
    let entries = &module.entries;
    // Two of one name have different stages.
    let of_stage = |e: &Entry| wanted.is_some() && stage_of(e.model) == wanted;
    let found = match entry {
        Some(name) => {
            let named = |e: &Entry| e.name == name;
            entries.iter().position(|e| named(e) && of_stage(e)).or_else(|| entries.iter().position(named))
        }
        None if entries.len() == 1 => Some(0),
        None => None,
    };
    let Some(entry) = found else {
        let told = |e: &Entry| match entries.iter().filter(|o| o.name == e.name).count() {
            1 => e.name.clone(),
            _ => format!("{} ({:?})", e.name, e.model),
        };
        let known: Vec<String> = entries.iter().map(told).collect();
        let (message, help) = match (entry, known.is_empty()) {
            (_, true) => ("the module has no entry point".to_string(), "compile it with one".to_string()),
            (Some(name), _) => {
                (format!("no entry point named `{name}`"), format!("choose one of: {}", known.join(", ")))
            }
            (None, _) => ("the module has several entry points".into(), format!("name one of: {}", known.join(", "))),
        };
        // Of a text its beginning; a binary that lacks something has no word for it.
        let at = u32::from(text.is_some());
        return Err(Diagnostic { file: path.into(), line: at, column: at, message, help }.into());
    };
    let model = module.entries[entry].model;
    let Some(stage) = stage_of(model) else {
        let message = format!("entry point `{}`: stage {model:?} is not supported", module.entries[entry].name);
        let at = module.entries[entry].at;
        return Err(module.error(at, message, "use a compute, vertex or fragment entry point").into());
    };
    let (chosen, specialised) = specialise::specialise(&module, given)?;
    Ok(Parsed { entry, stage, chosen, specialised, bound: bound as usize, module })
}

/// Entry points of the machine's stages that a binary has, in its order.
pub fn entry_points(path: &str, bytes: &[u8]) -> Result<Vec<(String, Stage)>, Diagnostics> {
    let (_, module) = read(path, bytes, None)?;
    Ok(module.entries.iter().filter_map(|e| Some((e.name.clone(), stage_of(e.model)?))).collect())
}

/// A module by its parts, with its bound.
fn read(path: &str, bytes: &[u8], text: Option<&str>) -> Result<(u32, Module), Diagnostics> {
    let (bound, insts) = words::read(bytes).map_err(|e| Diagnostic {
        file: path.into(),
        line: 0,
        column: e.at,
        message: e.message,
        help: "give a .spv file as a compiler wrote it; spirv-val says more of a damaged one".into(),
    })?;
    Ok((bound, Module::new(path, bound, insts, text)?))
}

/// The machine's stage, if it has it.
fn stage_of(model: ExecutionModel) -> Option<Stage> {
    match model {
        ExecutionModel::GLCompute => Some(Stage::Compute),
        ExecutionModel::Vertex => Some(Stage::Vertex),
        ExecutionModel::Fragment => Some(Stage::Fragment),
        _ => None,
    }
}

/// Lowers the entry point.
pub fn lower(
    parsed: &Parsed,
    options: &Options,
    library: &'static Library,
    linkage: Option<&Linkage>,
) -> Result<Lowered, Diagnostics> {
    let m = &parsed.module;
    let entry = &m.entries[parsed.entry];
    check_float_modes(m, entry)?;
    let mut program = Program::new(*options, m.files.clone(), [1; 3], Some(library));
    program.link(parsed.stage, linkage);
    let emit = Emit::new(&mut program, &entry.name);
    let mut l = Lower::new(m, emit, entry, &parsed.specialised, parsed.bound);
    let group_size = group_size(&mut l, parsed.stage)?;
    if group_size.contains(&0) {
        let help = "every dimension is at least 1: correct LocalSize, or the constants that it is made of";
        return Err(m.error(entry.at, format!("a work group of size {group_size:?}"), help).into());
    }
    l.e.p.group_size = group_size;
    let shared_bytes = l.place_variables()?;
    l.entry_body()?;
    l.e.check_semaphores()?;
    let (bindings, declared) = std::mem::take(&mut l.bindings).into_iter().unzip();
    let func = l.e.b.finish();
    // A loop that polls a lock has two edges back, one of each attempt; the words that it waits for
    // are the warp's.
    if !options.polling && !Shape::new(&func).in_step {
        let message = "the control flow of this entry point is not structured";
        return Err(m.error(entry.at, message, "only structured control flow is supported, as Vulkan demands").into());
    }
    program.out.funcs.push(func);
    let id = FuncId(program.out.funcs.len() as u32 - 1);
    if let Err(message) = verify_module(&program.out) {
        let message = format!("the module uses a value where it may not have been computed: {message}");
        return Err(m.invalid(entry.at, message).into());
    }
    let interface = Interface {
        stage: parsed.stage,
        entry: entry.name.clone(),
        group_size,
        bindings,
        shared_bytes,
        pinned: program.barrier || shared_bytes > 0,
        stack_bytes: 0,
        registers: 0,
        public_cutoff: 0,
        public_bitmap: 0,
        alone: 0,
        position: 0,
        merge_at: None,
        split_at: None,
        constants: vec![],
        function_unit: false,
        semaphores: SemaphoreUse {
            polling: options.polling,
            locks: program.semaphores.locks,
            dependencies: program.semaphores.dependencies,
            ..Default::default()
        },
        warnings: std::mem::take(&mut program.io.warnings),
        graphics: program.io.interface(),
        derived: None,
        specialisation: None,
        values: BTreeMap::new(),
    };
    let unwritten = program.io.unwritten;
    Ok(Lowered { module: program.out, entry: id, interface, declared, unwritten })
}

/// Execution modes of floats that ask for what the machine does not do: it rounds to the nearest
/// and keeps subnormals.
fn check_float_modes(m: &Module, entry: &Entry) -> Result<(), Diagnostics> {
    for (mode, words, _) in &entry.modes {
        if *mode == ExecutionMode::DerivativeGroupQuadsNV {
            let message = "the lanes of a quad are four invocations in a row, not two by two";
            return Err(m.error(entry.at, message, "ask for DerivativeGroupLinear").into());
        }
        let what = match mode {
            ExecutionMode::RoundingModeRTZ => "rounding towards zero",
            ExecutionMode::DenormFlushToZero => "flushing subnormals to zero",
            _ => continue,
        };
        let bits = words.first().copied().unwrap_or(0);
        // Numbers of this width that nobody has.
        if bits != 32 && !m.insts.iter().any(|i| i.op == Op::TypeFloat && i.args[0] == bits) {
            continue;
        }
        let message = format!("{what} (of {bits} bits) is not what this machine does");
        return Err(m.error(entry.at, message, "do without, or ask for the opposite mode").into());
    }
    Ok(())
}

/// Invocations of a group: the built-in constant's, or the execution mode's.
fn group_size(l: &mut Lower, stage: Stage) -> Res<[u32; 3]> {
    if stage != Stage::Compute {
        return Ok([1; 3]);
    }
    let m = l.m;
    let constants = m.insts.iter().filter(|i| matches!(i.op, Op::ConstantComposite | Op::SpecConstantComposite));
    let mut built_in =
        constants.filter(|i| m.decoration(i.id, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32));
    if let Some(i) = built_in.next() {
        if let Some(&[x, y, z]) = l.constant(i.id)?.as_deref() {
            return Ok([x, y, z]);
        }
    }
    for (mode, words, _) in &l.entry.modes {
        match (mode, &words[..]) {
            (ExecutionMode::LocalSize, &[x, y, z]) => return Ok([x, y, z]),
            (ExecutionMode::LocalSizeId, &[x, y, z]) => {
                return Ok([l.constant_word(x)?, l.constant_word(y)?, l.constant_word(z)?]);
            }
            _ => {}
        }
    }
    Err(m.error(l.entry.at, "a compute entry point without a work-group size", "give it LocalSize"))
}
