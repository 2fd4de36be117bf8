//! Values of uniforms by name, for linking without a scene: a TOML file with a table for each
//! stage (docs/linked-programs.md). What it leaves out is unknown.
//!
//! A name that no program has, or more numbers than it has words, is an error at its place: a
//! value that went nowhere would leave a branch undecided and nobody would see why. Stages may
//! share a buffer. Two values of one word are an error too, since either may decide a branch; a
//! value and "unknown" are the value.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use quadlock_shader::compile::Uniforms;
use quadlock_shader::interface::{Binding, BufferMember, Interface, Numbers, Stage};
use toml::{Spanned, Value};

use crate::base::error::{Input, InputError};
use crate::base::files::read_text;

type Values = BTreeMap<Spanned<String>, Spanned<Value>>;

/// A value and the place that gives it.
struct Given {
    word: u32,
    /// For people: the uniform, its stage, and the number.
    text: String,
    span: Range<usize>,
}

/// Reads a file for programs with these interfaces.
///
/// # Errors
/// It is no such file, names what no program has, or contradicts itself.
pub fn read(path: &Path, programs: &[Interface]) -> Input<Uniforms> {
    let text = read_text(path)?;
    let error = |message: String, span: Range<usize>, help: String| {
        Box::new(InputError::new(message).help(help).at(path, &text, span, "here"))
    };
    let tables: BTreeMap<Spanned<String>, Values> = toml::from_str(&text).map_err(|e| {
        let help = "a table for each stage, [vertex] and [fragment], with NAME = NUMBER or a list of them";
        error(e.message().to_owned(), e.span().unwrap_or(0..0), help.into())
    })?;
    let mut known = Uniforms::new();
    // What each known word was given as.
    let mut given: BTreeMap<(u32, u32, usize), Given> = BTreeMap::new();
    for (stage, values) in &tables {
        let wanted = match stage.get_ref().as_str() {
            "vertex" => Stage::Vertex,
            "fragment" => Stage::Fragment,
            other => {
                let help = "stages: vertex, fragment";
                return Err(error(format!("there is no stage `{other}`"), stage.span(), help.into()));
            }
        };
        let bindings: Vec<&Binding> = programs.iter().filter(|p| p.stage == wanted).flat_map(|p| &p.bindings).collect();
        for (name, value) in values {
            let name_of_stage = (name.get_ref().as_str(), stage.get_ref().as_str());
            let named = members(&bindings, name_of_stage).map_err(|(m, help)| error(m, name.span(), help))?;
            for (binding, member) in named {
                let words = words(value.get_ref(), member);
                let words = words.map_err(|(m, help)| error(format!("`{}`: {m}", member.name), value.span(), help))?;
                let buffer = known.entry((binding.group, binding.binding)).or_default();
                for (at, (word, number)) in (member.word as usize..).zip(words) {
                    buffer.resize(buffer.len().max(at + 1), None);
                    let Some(word) = word else { continue };
                    buffer[at] = Some(word);
                    let (called, of) = name_of_stage;
                    let new = Given { word, text: format!("`{called}` of [{of}] is {number}"), span: name.span() };
                    let place = (binding.group, binding.binding, at);
                    match given.get(&place) {
                        Some(old) if old.word != word => return Err(contradiction((path, &text), place, old, &new)),
                        _ => drop(given.insert(place, new)),
                    }
                }
            }
        }
    }
    Ok(known)
}

/// Two values of one word.
fn contradiction(
    (path, text): (&Path, &str),
    (group, binding, at): (u32, u32, usize),
    a: &Given,
    b: &Given,
) -> Box<InputError> {
    let (first, second) = if a.span.start <= b.span.start { (a, b) } else { (b, a) };
    let other = InputError::new("").at(path, text, first.span.clone(), "").location().unwrap_or_default();
    let message = format!(
        "{}, but {} ({other}), and both are word {at} of the buffer of group {group}, binding {binding}",
        second.text, first.text
    );
    let help = "give one value, leave one of them out, or write \"unknown\" there";
    Box::new(InputError::new(message).help(help).at(path, text, second.span.clone(), "here"))
}

/// The parts of that name of a stage's buffers; several programs may have one.
fn members<'a>(
    bindings: &[&'a Binding],
    (name, stage): (&str, &str),
) -> Result<Vec<(&'a Binding, &'a BufferMember)>, (String, String)> {
    let all = || bindings.iter().flat_map(|&b| b.members.iter().map(move |m| (b, m)));
    let found: Vec<(&Binding, &BufferMember)> = all().filter(|(_, m)| m.name == name).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let mut names: Vec<&str> = all().map(|(_, m)| m.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let help = match names.is_empty() {
        true => "no program of that stage has a uniform buffer".into(),
        false => format!("uniforms of that stage: {}", names.join(", ")),
    };
    Err((format!("no {stage} program has a uniform `{name}`"), help))
}

/// A word, if it is known, and what stands for it in the file.
type GivenWord = (Option<u32>, String);

/// The words of a value; one that is the text "unknown" is not known.
fn words(value: &Value, member: &BufferMember) -> Result<Vec<GivenWord>, (String, String)> {
    let all = match value {
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    };
    if all.len() != member.words as usize {
        let message = format!("{} numbers, it has {} words", all.len(), member.words);
        return Err((message, "write every word in the order of memory; those between columns may be 0".into()));
    }
    let word = |v: &Value| match (v, member.numbers) {
        (Value::String(s), _) if s == "unknown" => Ok(None),
        (Value::Float(f), Some(Numbers::Float) | None) => Ok(Some((*f as f32).to_bits())),
        (Value::Integer(i), Some(Numbers::Float)) => Ok(Some((*i as f32).to_bits())),
        (Value::Integer(i), Some(Numbers::Int)) => i32::try_from(*i).map(|i| Some(i as u32)).map_err(drop),
        (Value::Integer(i), _) => u32::try_from(*i).map(Some).map_err(drop),
        _ => Err(()),
    };
    let told = |v: &Value| Ok((word(v).map_err(|()| wrong(v, member.numbers))?, v.to_string()));
    all.iter().map(told).collect()
}

fn wrong(value: &Value, numbers: Option<Numbers>) -> (String, String) {
    let wanted = match numbers {
        Some(Numbers::Float) | None => "a number",
        Some(Numbers::Int) => "a whole number of 32 bits",
        Some(Numbers::Uint) => "a whole number of 32 bits from 0 up",
    };
    (format!("{value} is not {wanted}"), format!("write {wanted}, or \"unknown\""))
}
