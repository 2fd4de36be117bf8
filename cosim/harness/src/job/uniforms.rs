//! Values of uniforms by name, for linking without a scene: a TOML file with a table for each
//! stage (docs/linked-programs.md). What it leaves out is unknown.
//!
//! A name is that of a member, or `BLOCK.MEMBER`; a member's name that two blocks of a program have
//! must name the block. A name that no program has, or more numbers than it has words, is an error
//! at its place: a value that went nowhere would leave a branch undecided and nobody would see why.
//! Stages may share a buffer. Two values of one word are an error too, since either may decide a
//! branch; a value and "unknown" are the value.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use quadlock_shader::compile::Uniforms;
use quadlock_shader::interface::{buffer_at, Binding, BufferMember, Numbers, Stage};
use quadlock_shader::linker::Described;
use serde::Deserialize;
use toml::de::{DeTable, DeValue, ValueDeserializer};
use toml::{Spanned, Value};

use crate::base::error::{Input, InputError};
use crate::base::files::read_text;

/// What is wrong, and what to do about it.
type Wrong = (String, String);

/// A name of the file with its value, and the place of each.
struct Entry {
    /// As it is written, with the block before it if there is one.
    name: String,
    span: Range<usize>,
    value: Value,
    value_span: Range<usize>,
}

/// A value and the place that gives it.
struct Given {
    word: u32,
    /// For people: the uniform, its stage, and the number.
    text: String,
    span: Range<usize>,
}

/// A member of a program's uniform buffer.
#[derive(Clone, Copy)]
struct Member<'a> {
    program: usize,
    binding: &'a Binding,
    /// Where the buffer is declared.
    declared: &'a str,
    /// The program reads the buffer.
    read: bool,
    member: &'a BufferMember,
    has_bool: bool,
}

impl Member<'_> {
    /// With its block; a buffer that is no structure has one name.
    fn full_name(&self) -> String {
        match self.binding.name == self.member.name {
            true => self.member.name.clone(),
            false => format!("{}.{}", self.binding.name, self.member.name),
        }
    }
}

/// Reads a file for these programs.
///
/// # Errors
/// It is no such file, names what no program has, or contradicts itself.
pub fn read(path: &Path, programs: &[Described]) -> Input<Uniforms> {
    let text = read_text(path)?;
    let error = |(message, help): Wrong, span: Range<usize>| {
        Box::new(InputError::new(message).help(help).at(path, &text, span, "here"))
    };
    const TABLES: &str = "a table for each stage, [vertex] and [fragment], with NAME = NUMBER or a list of them";
    let file =
        DeTable::parse(&text).map_err(|e| error((e.message().to_owned(), TABLES.into()), e.span().unwrap_or(0..0)))?;
    let mut known = Uniforms::new();
    // What each known word was given as.
    let mut given: BTreeMap<((u32, u32), usize), Given> = BTreeMap::new();
    for (stage, values) in file.into_inner() {
        let wanted = match stage.get_ref().as_ref() {
            "vertex" => Stage::Vertex,
            "fragment" => Stage::Fragment,
            other => return Err(error((format!("there is no stage `{other}`"), TABLES.into()), stage.span())),
        };
        let DeValue::Table(values) = values.get_ref() else {
            return Err(error((format!("`{}` is no table", stage.get_ref()), TABLES.into()), values.span()));
        };
        let members = members(programs, wanted);
        let mut entries = vec![];
        values
            .iter()
            .try_for_each(|(k, v)| entry("", k, v, &mut entries))
            .map_err(|(wrong, span)| error(wrong, span))?;
        for entry in entries {
            let called = (entry.name.as_str(), stage.get_ref().as_ref());
            let named = named(&members, called).map_err(|wrong| error(wrong, entry.span.clone()))?;
            for m in named {
                let words = words(&entry.value, &m).map_err(|(message, help)| {
                    error((format!("`{}`: {message}", entry.name), help), entry.value_span.clone())
                })?;
                let buffer = known.entry((m.binding.group, m.binding.binding)).or_default();
                for (at, (word, number)) in (m.member.word as usize..).zip(words) {
                    buffer.resize(buffer.len().max(at + 1), None);
                    let Some(word) = word else { continue };
                    buffer[at] = Some(word);
                    let told = format!("`{}` of [{}] is {number}", called.0, called.1);
                    let new = Given { word, text: told, span: entry.span.clone() };
                    let place = (m.binding.at(), at);
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

/// A key of a stage's table: a name and its value, or a block with its members.
fn entry(
    before: &str,
    key: &Spanned<impl AsRef<str>>,
    value: &Spanned<DeValue>,
    out: &mut Vec<Entry>,
) -> Result<(), (Wrong, Range<usize>)> {
    let name = format!("{before}{}", key.get_ref().as_ref());
    if let DeValue::Table(members) = value.get_ref() {
        if !before.is_empty() {
            let wrong = (format!("`{name}` is a table"), "write BLOCK.MEMBER = NUMBER or a list of them".into());
            return Err((wrong, key.span()));
        }
        return members.iter().try_for_each(|(k, v)| entry(&format!("{name}."), k, v, out));
    }
    let (span, value_span) = (key.span(), value.span());
    let value = Value::deserialize(ValueDeserializer::from(value.clone()));
    let value = value.map_err(|e| ((e.message().to_owned(), NUMBER.into()), value_span.clone()))?;
    out.push(Entry { name, span, value, value_span });
    Ok(())
}

const NUMBER: &str = "write a number of 32 bits, or \"unknown\"";

/// The members of all uniform buffers of a stage's programs.
fn members(programs: &[Described], stage: Stage) -> Vec<Member<'_>> {
    let of_stage = programs.iter().enumerate().filter(|(_, p)| p.interface.stage == stage);
    let buffers = of_stage.flat_map(|(n, p)| (0..p.interface.bindings.len()).map(move |b| (n, p, b)));
    buffers
        .flat_map(|(program, p, b)| {
            let (binding, has_bool) = (&p.interface.bindings[b], p.has_bool);
            let declared = p.declared.get(b).map_or("", String::as_str);
            let read = p.read.get(b).copied().unwrap_or(true);
            binding.members.iter().map(move |member| Member { program, binding, declared, read, member, has_bool })
        })
        .collect()
}

/// Two values of one word.
fn contradiction(
    (path, text): (&Path, &str),
    (buffer, at): ((u32, u32), usize),
    a: &Given,
    b: &Given,
) -> Box<InputError> {
    let (first, second) = if a.span.start <= b.span.start { (a, b) } else { (b, a) };
    let other = InputError::new("").at(path, text, first.span.clone(), "").location().unwrap_or_default();
    let message =
        format!("{}, but {} ({other}), and both are word {at} of {}", second.text, first.text, buffer_at(buffer));
    let help = "give one value, leave one of them out, or write \"unknown\" there";
    Box::new(InputError::new(message).help(help).at(path, text, second.span.clone(), "here"))
}

/// The members of that name; several programs may have one, and then each gets the value.
fn named<'a>(all: &[Member<'a>], (name, stage): (&str, &str)) -> Result<Vec<Member<'a>>, Wrong> {
    let is = |m: &&Member| m.member.name == name || m.full_name() == name;
    let found: Vec<Member> = all.iter().filter(is).copied().collect();
    let of_program = |p: usize| found.iter().filter(move |m| m.program == p && m.read);
    if let Some(first) = found.iter().find(|m| of_program(m.program).count() > 1) {
        let all: Vec<&Member> = of_program(first.program).collect();
        let places: Vec<String> = all.iter().map(|m| format!("`{}` ({})", m.full_name(), m.declared)).collect();
        let names: Vec<String> = all.iter().map(|m| m.full_name()).collect();
        let message = format!("several blocks have a member `{name}`: {}", places.join(", "));
        return Err((message, format!("write {}", names.join(" or "))));
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let mut names: Vec<String> = all
        .iter()
        .map(|m| match all.iter().any(|o| o.program == m.program && twins(o, m)) {
            true => m.full_name(),
            false => m.member.name.clone(),
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    let help = match names.is_empty() {
        true => "no program of that stage has a uniform buffer".into(),
        false => format!("uniforms of that stage: {}", names.join(", ")),
    };
    Err((format!("no {stage} program has a uniform `{name}`"), help))
}

/// Members of two blocks with one name.
fn twins(a: &Member, b: &Member) -> bool {
    a.member.name == b.member.name && a.binding.index != b.binding.index
}

/// A word, if it is known, and what stands for it in the file.
type GivenWord = (Option<u32>, String);

/// The words of a value; one that is the text "unknown" is not known.
fn words(value: &Value, m: &Member) -> Result<Vec<GivenWord>, Wrong> {
    let all = match value {
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    };
    if all.len() != m.member.words as usize {
        let message = format!("{} numbers, it has {} words", all.len(), m.member.words);
        return Err((message, "write every word in the order of memory; those between columns may be 0".into()));
    }
    let word = |v: &Value, numbers: Option<Numbers>| match (v, numbers) {
        (Value::String(s), _) if s == "unknown" => Ok(None),
        // A bool of GLSL is a word in memory, and SPIR-V says no more of it than that.
        (Value::Boolean(b), Some(Numbers::Uint) | None) if m.has_bool => Ok(Some(u32::from(*b))),
        (Value::Float(f), Some(Numbers::Float) | None) => Ok(Some((*f as f32).to_bits())),
        (Value::Integer(i), Some(Numbers::Float)) => Ok(Some((*i as f32).to_bits())),
        (Value::Integer(i), Some(Numbers::Int)) => i32::try_from(*i).map(|i| Some(i as u32)).map_err(drop),
        (Value::Integer(i), _) => u32::try_from(*i).map(Some).map_err(drop),
        _ => Err(()),
    };
    let told = |(k, v): (usize, &Value)| {
        let numbers = m.member.numbers_of(k);
        let word = word(v, numbers).map_err(|()| match (wrong(v, m, numbers), m.member.numbers) {
            // Of a structure it may be hard to see which.
            ((message, help), None) => (format!("number {} of the list: {message}", k + 1), help),
            (wrong, _) => wrong,
        })?;
        Ok((word, v.to_string()))
    };
    all.iter().enumerate().map(told).collect()
}

fn wrong(value: &Value, m: &Member, numbers: Option<Numbers>) -> Wrong {
    let wanted = match numbers {
        Some(Numbers::Float) | None => "a number",
        Some(Numbers::Int) => "a whole number of 32 bits",
        Some(Numbers::Uint) => "a whole number of 32 bits from 0 up",
    };
    let help = match (value, numbers) {
        (Value::Boolean(b), Some(Numbers::Float)) => format!("write {}.0, or \"unknown\"", u32::from(*b)),
        (Value::Boolean(b), _) if m.has_bool => format!("write {}, or \"unknown\"", u32::from(*b)),
        (Value::Boolean(b), _) => {
            format!("WGSL has no bool in a uniform buffer: write {}, or \"unknown\"", u32::from(*b))
        }
        _ => format!("write {wanted}, or \"unknown\""),
    };
    (format!("{value} is not {wanted}"), help)
}
