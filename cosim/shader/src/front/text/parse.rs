//! From source text to a validated naga module with one chosen entry point and no
//! overrides left. naga reports errors in its own words; this file gives them file, line, column
//! and a hint. naga's front ends panic on some input, valid input among it, so they run behind a
//! net: a panic becomes a diagnostic, which says that the front end failed, and on which
//! declaration.

use super::caught::caught;
use super::edit::{blank_comments, Edit};
use super::map::SourceMap;
use super::{atomics, directives, nesting, overrides, rewrite, semaphores};
use crate::front::constants::{Chosen, Given};
use crate::front::diag::Diagnostics;
use crate::front::wgsl;
use crate::interface::Stage;
use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{Module, ShaderStage, Span};
use std::error::Error;

/// A parsed and validated source.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub(crate) map: SourceMap,
    pub(crate) module: Module,
    pub(crate) info: ModuleInfo,
    /// Index into `module.entry_points`.
    pub(crate) entry: usize,
    /// Stage of the entry point.
    pub stage: Stage,
    /// Values of overrides that were given.
    pub(crate) chosen: Chosen,
}

impl Parsed {
    /// Name of the entry point that is compiled.
    pub fn entry_name(&self) -> &str {
        &self.module.entry_points[self.entry].name
    }
    /// Name of the source, as it was given.
    pub fn path(&self) -> &str {
        &self.map.path
    }
    /// Where the entry point is declared.
    pub fn entry_loc(&self) -> crate::ssa::Loc {
        self.map.loc(0, self.map.declaration(self.entry_name()))
    }
}

/// Parses and validates one source, which is UTF-8 text. Without `entry` the source must have
/// exactly one entry point.
pub fn parse(path: &str, source: &[u8], entry: Option<&str>, given: &[Given]) -> Result<Parsed, Diagnostics> {
    let (map, module) = read(path, source)?;
    let chosen = choose_entry(&map, &module, entry)?;
    let info = validate(&map, &module)?;
    resolve(map, module, info, chosen, given)
}

/// Entry points of the machine's stages that a source has, in its order. The source is not
/// validated.
pub fn entry_points(path: &str, source: &[u8]) -> Result<Vec<(String, Stage)>, Diagnostics> {
    let (_, module) = read(path, source)?;
    Ok(module.entry_points.iter().filter_map(|e| Some((e.name.clone(), stage(e.stage)?))).collect())
}

/// Parses a source, which is UTF-8 text.
fn read(path: &str, source: &[u8]) -> Result<(SourceMap, Module), Diagnostics> {
    let text = std::str::from_utf8(source).map_err(|e| {
        let good = e.valid_up_to();
        let map = SourceMap::text(path, &String::from_utf8_lossy(&source[..good]));
        let place = Span::new(good as u32, good as u32 + 1);
        map.diagnostic(place, "the source is not UTF-8 text", "save it as UTF-8")
    })?;
    let mut map = SourceMap::text(path, text);
    let mut module = parse_wgsl(&mut map, text)?;
    guarded(&map, "preparing the module", || wgsl::mend(&map, &mut module))??;
    Ok((map, module))
}

/// What to do about valid source that the front end does not take.
const WRITE_OTHERWISE: &str =
    "if the shader is valid, this is a limit of the front end (naga): write the construct in another way";

/// Runs naga code; a panic inside becomes a diagnostic.
fn guarded<T>(map: &SourceMap, what: &str, f: impl FnOnce() -> T) -> Result<T, Diagnostics> {
    caught(f).map_err(|panic| front_end_failed(map, what, &panic, Span::UNDEFINED))
}

/// The same of a parser: the diagnostic points at the declaration that it fails on.
fn guarded_parse<T>(map: &SourceMap, what: &str, text: &str, parse: impl Fn(&str) -> T) -> Result<T, Diagnostics> {
    caught(|| parse(text)).map_err(|panic| {
        let plain = blank_comments(text);
        let at = failing_declaration(&plain, |end| caught(|| parse(&text[..end])).is_err());
        front_end_failed(map, what, &panic, at.map_or(Span::UNDEFINED, |at| Span::new(at as u32, at as u32 + 1)))
    })
}

/// The source is not at fault, as far as is known.
fn front_end_failed(map: &SourceMap, what: &str, panic: &str, at: Span) -> Diagnostics {
    let version = "naga 30";
    let message = format!("{what}: the front end ({version}) failed inside, without saying what is wrong: {panic}");
    let help = "the shader may well be valid; this is a failure of the front end: write the construct in another way, \
                a constant expression as its value for example, or give the shader as SPIR-V";
    map.diagnostic(at, message, help).into()
}

/// Where the declaration begins with which a text fails: of all parts of it that end with a
/// declaration the shortest that fails, found by halving, since a text that goes on fails too.
fn failing_declaration(plain: &str, fails: impl Fn(usize) -> bool) -> Option<usize> {
    let mut depth = 0i32;
    let mut ends: Vec<usize> = vec![0];
    for (at, c) in plain.char_indices() {
        depth += i32::from(matches!(c, '{' | '(' | '[')) - i32::from(matches!(c, '}' | ')' | ']'));
        if depth == 0 && matches!(c, ';' | '}') {
            ends.push(at + 1);
        }
    }
    let (mut good, mut bad) = (0, ends.len() - 1);
    if bad == 0 || !fails(ends[bad]) {
        return None;
    }
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        if fails(ends[middle]) {
            bad = middle;
        } else {
            good = middle;
        }
    }
    let space = plain[ends[good]..].len() - plain[ends[good]..].trim_start().len();
    Some(ends[good] + space)
}

/// A text that is nested too deeply to be parsed.
fn refuse_depth(map: &SourceMap, plain: &str) -> Result<(), Diagnostics> {
    let Some(at) = nesting::too_deep(plain) else { return Ok(()) };
    let message = format!("statements or expressions are nested more than {} deep here", nesting::MOST);
    Err(map.diagnostic(Span::new(at as u32, at as u32 + 1), message, "split the expression, or use a function").into())
}

fn parse_wgsl(map: &mut SourceMap, text: &str) -> Result<Module, Diagnostics> {
    refuse_depth(map, &blank_comments(text))?;
    if let Some((at, message)) = rewrite::wrong_count(text) {
        let help = "docs/warp-wide.md has the functions and their arguments";
        return Err(map.diagnostic(Span::new(at as u32, at as u32 + 1), message, help).into());
    }
    let mut edits = rewrite::wgsl(text);
    edits.extend(directives::without(text));
    edits.push(Edit::insert(text.len(), &semaphores::declare_wgsl(text)));
    edits.sort_by_key(|e| e.at);
    let text = map.edit(edits);
    guarded_parse(map, "parsing WGSL", &text, naga::front::wgsl::parse_str)?.map_err(|e| {
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

/// The machine's stage, if it has it.
fn stage(stage: ShaderStage) -> Option<Stage> {
    match stage {
        ShaderStage::Compute => Some(Stage::Compute),
        ShaderStage::Vertex => Some(Stage::Vertex),
        ShaderStage::Fragment => Some(Stage::Fragment),
        _ => None,
    }
}

fn stage_of(map: &SourceMap, wanted: ShaderStage, name: &str) -> Result<Stage, Diagnostics> {
    stage(wanted).ok_or_else(|| {
        let message = format!("entry point `{name}`: stage {wanted:?} is not supported");
        map.diagnostic(map.declaration(name), message, "use a compute, vertex or fragment entry point").into()
    })
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

/// Everything that naga can validate is let through here; what the machine does not support is
/// refused by name where it is lowered.
pub(crate) fn validate(map: &SourceMap, module: &Module) -> Result<ModuleInfo, Diagnostics> {
    // Without the layout rules that `uniform_buffer_standard_layout` lifts: naga's offsets hold in
    // every address space.
    let flags = ValidationFlags::all() - ValidationFlags::STRUCT_LAYOUTS;
    let mut validator = Validator::new(flags, Capabilities::all());
    // naga refuses a lane's number in work groups of two or three dimensions; WGSL does not.
    let mut flat = None;
    if module.entry_points.iter().any(|e| e.workgroup_size[1..].iter().any(|&n| n > 1)) {
        let copy: &mut Module = flat.insert(module.clone());
        for e in &mut copy.entry_points {
            let [x, y, z] = e.workgroup_size;
            e.workgroup_size = [x.saturating_mul(y).saturating_mul(z), 1, 1];
        }
    }
    let module = flat.as_ref().unwrap_or(module);
    guarded(map, "validation", || validator.validate(module).map_err(Box::new))?.map_err(|e| {
        // The last span is the innermost; without one (types, for example) the message alone must
        // do.
        let span = e.spans().last().map(|(span, _)| *span);
        let span = span.unwrap_or_else(|| match e.as_inner() {
            ValidationError::EntryPoint { name, .. } => map.declaration(name),
            _ => Span::UNDEFINED,
        });
        let message = message_chain(&e.into_inner());
        match map.wide_call(span).filter(|_| message.contains("Call to")) {
            Some(op) => map.diagnostic(span, atomics::wide_types(op), "give it operands of these types").into(),
            None => map.diagnostic(span, message, format!("correct the shader; {WRITE_OTHERWISE}")).into(),
        }
    })
}

/// Gives overrides their values, or their defaults, and folds what depends on them.
fn resolve(
    map: SourceMap,
    mut module: Module,
    info: ModuleInfo,
    entry: usize,
    given: &[Given],
) -> Result<Parsed, Diagnostics> {
    let (stage, name) = (module.entry_points[entry].stage, module.entry_points[entry].name.clone());
    let (constants, chosen) = overrides::values(&map, &module, given)?;
    if module.overrides.is_empty() {
        let stage = stage_of(&map, stage, &name)?;
        return Ok(Parsed { map, module, info, entry, stage, chosen });
    }
    overrides::name_lengths(&mut module);
    let processed = guarded(&map, "evaluating overrides", || {
        process_overrides(&module, &info, Some((stage, &name)), &constants)
            .map(|(m, i)| (m.into_owned(), i.into_owned()))
            .map_err(Box::new)
    })?;
    let (module, info) = processed.map_err(|e| overrides::failed(&map, &module, &name, &e, message_chain(&*e)))?;
    let entry = module.entry_points.iter().position(|e| e.stage == stage && e.name == name).unwrap_or(0);
    let stage = stage_of(&map, stage, &name)?;
    Ok(Parsed { map, module, info, entry, stage, chosen })
}

/// A WGSL source without an entry point: the prelude.
pub(crate) fn parse_library(files: &[(&str, &str)]) -> Result<Parsed, Diagnostics> {
    let (mut map, text) = SourceMap::joined("prelude", files);
    let module = parse_wgsl(&mut map, &text)?;
    let info = validate(&map, &module)?;
    Ok(Parsed { map, module, info, entry: 0, stage: Stage::Compute, chosen: Chosen::default() })
}
