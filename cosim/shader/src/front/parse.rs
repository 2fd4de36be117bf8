//! From source text or SPIR-V words to a validated naga module with one chosen entry point and no overrides left. naga reports errors in its own
//! words; this file gives them file, line, column and a hint. naga's front ends have been seen to panic on odd input, so they run behind a net:
//! a panic becomes a diagnostic like any other.

use super::diag::{Diagnostics, SourceMap};
use super::rewrite::{self, Edit};
use super::{glsl_atomics, semaphores, subgroups, Lang};
use crate::interface::Stage;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage, Span, StorageAccess};
use std::error::Error;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A parsed and validated source.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub(super) map: SourceMap,
    pub(super) module: Module,
    pub(super) info: ModuleInfo,
    /// Index into `module.entry_points`.
    pub(super) entry: usize,
    pub(super) lang: Lang,
    /// Stage of the entry point.
    pub stage: Stage,
}

impl Parsed {
    pub fn entry_name(&self) -> &str {
        &self.module.entry_points[self.entry].name
    }
    pub fn path(&self) -> &str {
        &self.map.path
    }
    /// Where the entry point is declared; for SPIR-V not known.
    pub fn entry_loc(&self) -> crate::ssa::Loc {
        self.map.loc(0, self.map.declaration(self.entry_name()))
    }
}

/// Parses and validates one source. `source` is UTF-8 text, or the words of a SPIR-V binary in either byte order. Without `entry` the source must have
/// exactly one entry point.
pub fn parse(path: &str, source: &[u8], lang: Lang, entry: Option<&str>) -> Result<Parsed, Diagnostics> {
    let (map, module) = match lang {
        Lang::Spirv => {
            let map = SourceMap::binary(path);
            let module = parse_spirv(&map, source)?;
            (map, module)
        }
        Lang::Wgsl | Lang::Glsl(_) => {
            let Ok(text) = std::str::from_utf8(source) else {
                let map = SourceMap::text(path, "");
                return Err(map.diagnostic(Span::UNDEFINED, "the source is not UTF-8 text", "save it as UTF-8").into());
            };
            let mut map = SourceMap::text(path, text);
            let module = match lang {
                Lang::Glsl(stage) => parse_glsl(&mut map, text, stage)?,
                _ => parse_wgsl(&mut map, text)?,
            };
            (map, module)
        }
    };
    let module = readable(module);
    let chosen = choose_entry(&map, &module, entry)?;
    let info = validate(&map, &module)?;
    resolve(map, module, info, lang, chosen)
}

/// naga's validator refuses write-only storage buffers (`writeonly` in GLSL, `NonReadable` in SPIR-V); they are made readable.
fn readable(mut module: Module) -> Module {
    for (_, var) in module.global_variables.iter_mut() {
        if let AddressSpace::Storage { access } = &mut var.space {
            *access |= StorageAccess::LOAD;
        }
    }
    module
}

/// Runs naga code; a panic inside becomes a diagnostic.
fn guarded<T>(map: &SourceMap, what: &str, f: impl FnOnce() -> T) -> Result<T, Diagnostics> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|_| {
        let message = format!("{what} failed inside naga");
        map.diagnostic(Span::UNDEFINED, message, "the source is probably malformed: check it with naga or glslang")
            .into()
    })
}

fn parse_wgsl(map: &mut SourceMap, text: &str) -> Result<Module, Diagnostics> {
    let mut edits = rewrite::wgsl(text);
    edits.extend(without_enable_subgroups(text));
    edits.push(Edit::insert(text.len(), &semaphores::declare_wgsl(text)));
    edits.sort_by_key(|e| e.at);
    let text = map.edit(edits);
    guarded(map, "parsing WGSL", || naga::front::wgsl::parse_str(&text))?.map_err(|e| {
        let mut spans = e.labels().map(|(span, _)| span).filter(|span| span.is_defined());
        let span = spans.next().unwrap_or(Span::UNDEFINED);
        let labels: Vec<&str> = e.labels().map(|(_, label)| label).filter(|l| !l.is_empty()).collect();
        let message = match labels.is_empty() {
            true => e.message().to_string(),
            false => format!("{}: {}", e.message(), labels.join(", ")),
        };
        let notes: Vec<&str> = e.notes().collect();
        let help = if notes.is_empty() { "correct the WGSL".to_string() } else { notes.join("; ") };
        map.diagnostic(span, message, help).into()
    })
}

/// naga knows what the extension `subgroups` enables, but refuses the directive: it is blanked; positions stay.
fn without_enable_subgroups(text: &str) -> Vec<Edit> {
    let mut out = vec![];
    let mut from = 0;
    while let Some(at) = text[from..].find("enable") {
        let start = from + at;
        from = start + "enable".len();
        let Some(end) = text[start..].find(';').map(|e| start + e + 1) else { break };
        let words: Vec<&str> = text[start..end - 1].split_whitespace().collect();
        let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
        if words == ["enable", "subgroups"] && !text[line..start].contains("//") {
            let blank: String = text[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
            out.push(Edit { at: start, removed: end - start, text: blank, mark: None });
        }
    }
    out
}

fn parse_glsl(map: &mut SourceMap, text: &str, stage: Stage) -> Result<Module, Diagnostics> {
    let stage = match stage {
        Stage::Compute => ShaderStage::Compute,
        Stage::Vertex => ShaderStage::Vertex,
        Stage::Fragment => ShaderStage::Fragment,
    };
    let options = naga::front::glsl::Options::from(stage);
    let declarations = semaphores::declare_glsl(text) + &glsl_atomics::declare(text) + &subgroups::declare_glsl(text);
    let mut edits = rewrite::names(text, subgroups::glsl_variable);
    edits.push(Edit::insert(glsl_atomics::head(text), &declarations));
    edits.sort_by_key(|e| e.at);
    let text = map.edit(edits);
    let result = guarded(map, "parsing GLSL", || naga::front::glsl::Frontend::default().parse(&options, &text))?;
    result.map_err(|e| {
        let all = e.errors.iter().map(|e| map.diagnostic(e.meta, e.kind.to_string(), "correct the GLSL"));
        let all = all.collect::<Vec<_>>();
        Diagnostics(all)
    })
}

const SPIRV_MAGIC: u32 = 0x0723_0203;

fn parse_spirv(map: &SourceMap, bytes: &[u8]) -> Result<Module, Diagnostics> {
    let fail = |message: &str, help: &str| -> Diagnostics { map.diagnostic(Span::UNDEFINED, message, help).into() };
    if bytes.len() < 20 || bytes.len() % 4 != 0 {
        return Err(fail(
            "not a SPIR-V binary: its length is not a whole number of words, or less than a header",
            "give a .spv file",
        ));
    }
    let little = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) == SPIRV_MAGIC;
    let big = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) == SPIRV_MAGIC;
    if !little && !big {
        return Err(fail(
            "not a SPIR-V binary: the first word is not 0x07230203",
            "give a .spv file, or name the language of the source",
        ));
    }
    let words = bytes.chunks_exact(4).map(|c| {
        let c = [c[0], c[1], c[2], c[3]];
        if little {
            u32::from_le_bytes(c)
        } else {
            u32::from_be_bytes(c)
        }
    });
    let words = patch_spirv(words.collect());
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: true,
        block_ctx_dump_prefix: None,
    };
    let result = guarded(map, "parsing SPIR-V", || naga::front::spv::parse_u8_slice(&bytes, &options))?;
    result.map_err(|e| {
        fail(
            &format!("SPIR-V: {e}"),
            "compile the shader without the capability or instruction named, for Vulkan 1.1 or later",
        )
    })
}

/// naga does not know OpTerminateInvocation (what compilers emit for `discard` since SPIR-V 1.6): it is replaced by OpKill, which is the same to
/// this machine. The extension that declares it gets the name of one that naga accepts and that asks nothing of it, of the same length, so that word
/// positions stay.
fn patch_spirv(mut words: Vec<u32>) -> Vec<u32> {
    const OP_KILL: u32 = 0x0001_00FC;
    const OP_EXTENSION: u32 = 10;
    const OP_TERMINATE_INVOCATION: u32 = 4416;
    let mut at = 5;
    while at < words.len() {
        let (count, op) = ((words[at] >> 16) as usize, words[at] & 0xFFFF);
        if count == 0 || at + count > words.len() {
            break; // Malformed; naga says so.
        }
        let name: Vec<u8> =
            words[at + 1..at + count].iter().flat_map(|w| w.to_le_bytes()).take_while(|&b| b != 0).collect();
        if op == OP_TERMINATE_INVOCATION && count == 1 {
            words[at] = OP_KILL;
        } else if op == OP_EXTENSION && name == b"SPV_KHR_terminate_invocation" {
            let name: &[u8; 32] = b"SPV_EXT_shader_atomic_float_add\0";
            for (word, bytes) in words[at + 1..at + count].iter_mut().zip(name.chunks_exact(4)) {
                *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        at += count;
    }
    words
}

fn choose_entry(map: &SourceMap, module: &Module, name: Option<&str>) -> Result<usize, Diagnostics> {
    let entries = &module.entry_points;
    let known: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
    let found = match name {
        Some(name) => entries.iter().position(|e| e.name == name),
        None if entries.len() == 1 => Some(0),
        None => None,
    };
    let Some(index) = found else {
        let (message, help) = match (name, known.is_empty()) {
            (_, true) => (
                "the source has no entry point".to_string(),
                "mark a function, for example @compute @workgroup_size(64)".into(),
            ),
            (Some(name), _) => {
                (format!("no entry point named `{name}`"), format!("choose one of: {}", known.join(", ")))
            }
            (None, _) => {
                ("the source has several entry points".to_string(), format!("name one of: {}", known.join(", ")))
            }
        };
        return Err(map.diagnostic(Span::new(0, 1), message, help).into());
    };
    stage_of(map, entries[index].stage, &entries[index].name)?;
    Ok(index)
}

fn stage_of(map: &SourceMap, stage: ShaderStage, name: &str) -> Result<Stage, Diagnostics> {
    match stage {
        ShaderStage::Compute => Ok(Stage::Compute),
        ShaderStage::Vertex => Ok(Stage::Vertex),
        ShaderStage::Fragment => Ok(Stage::Fragment),
        other => {
            let message = format!("entry point `{name}`: stage {other:?} is not supported");
            Err(map.diagnostic(map.declaration(name), message, "use a compute, vertex or fragment entry point").into())
        }
    }
}

fn message_chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(e) = source {
        message.push_str(": ");
        message.push_str(&e.to_string());
        source = e.source();
    }
    message
}

/// Everything that naga can validate is let through here; what the machine does not support is refused by name where it is lowered.
pub(super) fn validate(map: &SourceMap, module: &Module) -> Result<ModuleInfo, Diagnostics> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    guarded(map, "validation", || validator.validate(module).map_err(Box::new))?.map_err(|e| {
        // The last span is the innermost; without one (types, for example) the message alone must do.
        let span = e.spans().last().map(|(span, _)| *span).unwrap_or(Span::UNDEFINED);
        map.diagnostic(span, message_chain(&e.into_inner()), "correct the shader").into()
    })
}

/// Gives overrides their default values and folds what depends on them.
fn resolve(map: SourceMap, module: Module, info: ModuleInfo, lang: Lang, chosen: usize) -> Result<Parsed, Diagnostics> {
    let (stage, name) = (module.entry_points[chosen].stage, module.entry_points[chosen].name.clone());
    let constants = Default::default();
    let processed = guarded(&map, "evaluating overrides", || {
        process_overrides(&module, &info, Some((stage, &name)), &constants)
            .map(|(m, i)| (m.into_owned(), i.into_owned()))
            .map_err(Box::new)
    })?;
    let (module, info) = processed.map_err(|e| {
        map.diagnostic(Span::UNDEFINED, message_chain(&*e), "give every override that is used a default value")
    })?;
    let entry = module.entry_points.iter().position(|e| e.stage == stage && e.name == name).unwrap_or(0);
    let stage = stage_of(&map, stage, &name)?;
    Ok(Parsed { map, module, info, entry, lang, stage })
}

/// A WGSL source without an entry point: the prelude.
pub(super) fn parse_library(files: &[(&str, &str)]) -> Result<Parsed, Diagnostics> {
    let (mut map, text) = SourceMap::joined("prelude", files);
    let module = parse_wgsl(&mut map, &text)?;
    let info = validate(&map, &module)?;
    Ok(Parsed { map, module, info, entry: 0, lang: Lang::Wgsl, stage: Stage::Compute })
}
