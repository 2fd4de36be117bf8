//! Values of uniforms by name, for linking without a scene: a TOML file with a table for each
//! stage (docs/linked-programs.md). What it leaves out is unknown.
//!
//! A name that no program has, or more numbers than it has words, is an error at its place: a
//! value that went nowhere would leave a branch undecided and nobody would see why.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use quadlock_shader::compile::Uniforms;
use quadlock_shader::interface::{BufferMember, Interface, Numbers, Stage};
use toml::{Spanned, Value};

use crate::base::error::{Input, InputError};
use crate::base::files::read_text;

type Values = BTreeMap<Spanned<String>, Spanned<Value>>;

/// Reads a file for programs with these interfaces.
///
/// # Errors
/// It is no such file, or names what no program has.
pub fn read(path: &Path, programs: &[Interface]) -> Input<Uniforms> {
    let text = read_text(path)?;
    let fail = |message: String, span: Range<usize>, help: String| {
        Box::new(InputError::new(message).help(help).at(path, &text, span, "here"))
    };
    let tables: BTreeMap<Spanned<String>, Values> = toml::from_str(&text).map_err(|e| {
        let help = "a table for each stage, [vertex] and [fragment], with NAME = NUMBER or a list of them";
        fail(e.message().to_owned(), e.span().unwrap_or(0..0), help.into())
    })?;
    let mut known = Uniforms::new();
    for (stage, values) in &tables {
        let wanted = match stage.get_ref().as_str() {
            "vertex" => Stage::Vertex,
            "fragment" => Stage::Fragment,
            other => {
                return Err(fail(
                    format!("there is no stage `{other}`"),
                    stage.span(),
                    "stages: vertex, fragment".into(),
                ))
            }
        };
        for (name, value) in values {
            let of_stage = || programs.iter().filter(|p| p.stage == wanted).flat_map(|p| &p.bindings);
            let mut found = of_stage().flat_map(|b| b.members.iter().map(move |m| ((b.group, b.binding), m)));
            let Some(((group, binding), member)) = found.find(|f| f.1.name == *name.get_ref()) else {
                let mut names: Vec<&str> = of_stage().flat_map(|b| &b.members).map(|m| m.name.as_str()).collect();
                names.sort_unstable();
                let help = match names.is_empty() {
                    true => "no program of that stage has a uniform buffer".into(),
                    false => format!("uniforms of that stage: {}", names.join(", ")),
                };
                return Err(fail(
                    format!("no {} program has a uniform `{}`", stage.get_ref(), name.get_ref()),
                    name.span(),
                    help,
                ));
            };
            let words = words(value.get_ref(), member);
            let words =
                words.map_err(|(message, help)| fail(format!("`{}`: {message}", member.name), value.span(), help))?;
            let buffer = known.entry((group, binding)).or_default();
            let end = (member.word as usize) + words.len();
            buffer.resize(buffer.len().max(end), None);
            buffer[member.word as usize..end].copy_from_slice(&words);
        }
    }
    Ok(known)
}

/// The words of a value; one that is the text "unknown" is not known.
fn words(value: &Value, member: &BufferMember) -> Result<Vec<Option<u32>>, (String, String)> {
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
    all.iter().map(|v| word(v).map_err(|()| wrong(v, member.numbers))).collect()
}

fn wrong(value: &Value, numbers: Option<Numbers>) -> (String, String) {
    let wanted = match numbers {
        Some(Numbers::Float) | None => "a number",
        Some(Numbers::Int) => "a whole number of 32 bits",
        Some(Numbers::Uint) => "a whole number of 32 bits from 0 up",
    };
    (format!("{value} is not {wanted}"), format!("write {wanted}, or \"unknown\""))
}
