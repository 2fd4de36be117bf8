//! The keys of a scene that are changed for one run: those of `[small]`, then those of `--set`.
//!
//! The file is changed as what TOML has read, where each key and value knows its place. So what is
//! wrong elsewhere keeps its line. A value of `--set` has a place behind the end of the file, which
//! stands for the option. Wrong would be an error that points at what the file says of a key, where
//! an option or `[small]` has said otherwise: [`Changes`] remembers each changed key.

use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use toml::de::{DeArray, DeTable, DeValue};
use toml::Spanned;

use super::spec::SceneSpec;
use crate::base::error::{bad, Input, InputError};
use crate::base::names::one_name;
use crate::job::settings::Setting;

/// Places of what was changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// `KEY=VALUE` of each `--set`.
    sets: Vec<String>,
    /// Bytes of the file: option n is at this + 1 + n.
    end: usize,
    keys: Vec<Changed>,
}

/// A key that was changed.
#[derive(Clone, Debug)]
struct Changed {
    /// For example `target.width`.
    path: String,
    /// The tables and lists that it is in, from the outermost one.
    inside: Vec<Range<usize>>,
    place: Range<usize>,
}

impl Changes {
    /// The option that a place stands for.
    pub fn option(&self, place: &Range<usize>) -> Option<&str> {
        let number = place.start.checked_sub(self.end + 1)?;
        self.sets.get(number).map(String::as_str)
    }

    /// Where a key was changed; with `*` as its last part, any of a table.
    pub fn of(&self, path: &str) -> Option<Range<usize>> {
        let table = path.strip_suffix('*');
        let is = |c: &Changed| c.path == path || table.is_some_and(|t| c.path.starts_with(t));
        self.keys.iter().rev().find(|c| is(c)).map(|c| c.place.clone())
    }

    /// Where a key of a table, or of one below it, was changed.
    pub fn below(&self, table: &Range<usize>, key: &str) -> Option<Range<usize>> {
        let last = |c: &Changed| c.path.rsplit('.').next() == Some(key);
        self.keys.iter().rev().find(|c| last(c) && c.inside.contains(table)).map(|c| c.place.clone())
    }
}

const fn row(key: &'static str, values: &'static str, default: &'static str, meaning: &'static str) -> Setting {
    Setting { group: "Target of a scene", key, scene: Some(key), values, default, meaning }
}

/// Settings of the target, which jobs do not have. Any other key of the file is set by its path in
/// the same way.
pub const SETTINGS: &[Setting] = &[
    row("target.width", "1 to 4096", "none: the file gives it", "width in pixels"),
    row("target.height", "1 to 4096", "none: the file gives it", "height in pixels"),
    row("target.samples", "1, 2, 4", "1", "samples per pixel"),
    row("target.formats", "list of 1 to 4", "[\"rgba8unorm\"]", "format of each colour target"),
    row("target.clear", "list of [red, green, blue, alpha]", "0 for each", "clear colour of each target"),
    row("target.depth", "true, false", "whether a draw uses it", "depth and stencil"),
    row("target.clear-depth", "0 to 1", "1.0", "depth that a pass starts with"),
    row("target.clear-stencil", "0 to 255", "0", "stencil that a pass starts with"),
    row("target.tile", "8, 16, 32", "by size and formats", "side of a tile in pixels"),
    row("target.keep-tiles", "true, false", "true", "tiles stay in the tile buffers until their place is needed"),
    row("target.frames", "1 to 1000", "1", "frames, one after the other"),
];

/// Reads a scene's text, with the keys of `[small]` if it is asked for and then `sets` changed.
///
/// # Errors
/// What is no scene, with its place in the file, or its option.
pub(super) fn read(path: &Path, text: &str, small: bool, sets: &[String]) -> Input<(SceneSpec, Changes)> {
    // The file is right without them: so an option cannot hide what is wrong in it.
    let none = Changes { end: text.len(), ..Changes::default() };
    let spec = toml::from_str(text).map_err(|e| refused(path, text, &none, &e))?;
    if !small && sets.is_empty() {
        return Ok((spec, none));
    }
    let mut changes = Changes { sets: sets.to_vec(), ..none };
    let parsed = DeTable::parse(text).map_err(|e| refused(path, text, &changes, &e))?;
    let mut root = Spanned::new(parsed.span(), DeValue::Table(parsed.into_inner()));
    if small {
        if let Some(part) = root.get_ref().get("small").cloned() {
            merge(&mut root, part, "", &mut vec![], &mut changes.keys);
        }
    }
    let values: Vec<(String, String)> = sets.iter().map(|set| setting(set)).collect::<Input<_>>()?;
    for (n, ((key, value), set)) in values.iter().zip(sets).enumerate() {
        let place = text.len() + 1 + n..text.len() + 1 + n;
        let parsed = DeTable::parse(value).ok().and_then(|t| t.into_inner().remove("v"));
        let word = || DeValue::String(set.split_once('=').map_or("", |s| s.1).into());
        let value = moved(parsed.map_or_else(word, Spanned::into_inner), &place);
        assign(&mut root, key, value, &mut changes.keys)
            .or_else(|e| bad(format!("--set {set}: {e}"), "keys are those of docs/scenes.md"))?;
    }
    let DeValue::Table(table) = root.get_ref() else { return Ok((spec, changes)) };
    let table = Spanned::new(root.span(), table.clone());
    let spec = SceneSpec::deserialize(toml::Deserializer::from(table));
    spec.map(|spec| (spec, changes.clone())).map_err(|e| refused(path, text, &changes, &e))
}

/// What TOML or the keys of scenes do not allow.
fn refused(path: &Path, text: &str, changes: &Changes, e: &toml::de::Error) -> Box<InputError> {
    let help = match e.message() {
        m if m.contains("`target`") => "add [target] with width and height; more is in docs/scenes.md",
        _ => "the keys of scene files are in docs/scenes.md",
    };
    place(path, text, changes, e.span().unwrap_or(0..0), InputError::new(one_name(e.message().trim())).help(help))
}

/// An error at a place of the file, or of an option.
pub(super) fn place(path: &Path, text: &str, changes: &Changes, at: Range<usize>, e: InputError) -> Box<InputError> {
    match changes.option(&at) {
        Some(set) => Box::new(e.of(&format!("--set {set}"))),
        None => Box::new(e.at(path, text, at, "here")),
    }
}

/// The path of keys that an option changes, and its value as a line of TOML.
fn setting(set: &str) -> Input<(String, String)> {
    let Some((key, value)) = set.split_once('=') else {
        return bad(format!("--set {set}: not KEY=VALUE"), "for example --set target.width=64");
    };
    // A build parameter alone is one of the scene's machine, as `--set merge=off` of jobs is.
    let is_of_machine = || key == "preset" || quadlock_hdl::parameters::by_key(key).is_some();
    let of_machine = !key.contains('.') && is_of_machine();
    if of_machine || key.contains('.') {
        return Ok((if of_machine { format!("machine.{key}") } else { key.to_owned() }, format!("v = {value}")));
    }
    // A key without its table is likely to be one of jobs.
    let under = ["target", "memory", "limits"].into_iter().find(|table| match *table {
        "target" => SETTINGS.iter().any(|s| s.key.strip_prefix("target.") == Some(key)),
        "memory" => ["latency", "jitter", "stall", "seed"].contains(&key),
        _ => ["cycles", "idle"].contains(&key),
    });
    match under {
        Some(table) => bad(
            format!("--set {set}: no key of a scene"),
            format!("keys of a scene have a path: --set {table}.{key}=.."),
        ),
        None => Ok((key.to_owned(), format!("v = {value}"))),
    }
}

/// A value all of which has one place.
fn moved<'t>(value: DeValue<'t>, place: &Range<usize>) -> Spanned<DeValue<'t>> {
    let inner = match value {
        DeValue::Array(all) => {
            let mut moved_all = DeArray::new();
            all.into_iter().for_each(|v| moved_all.push(moved(v.into_inner(), place)));
            DeValue::Array(moved_all)
        }
        DeValue::Table(all) => {
            let entry = |(k, v): (Spanned<_>, Spanned<DeValue<'t>>)| {
                (Spanned::new(place.clone(), k.into_inner()), moved(v.into_inner(), place))
            };
            DeValue::Table(all.into_iter().map(entry).collect())
        }
        one => one,
    };
    Spanned::new(place.clone(), inner)
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// Puts the keys of one table into another one; what is no table replaces what is there.
fn merge<'t>(
    into: &mut Spanned<DeValue<'t>>,
    from: Spanned<DeValue<'t>>,
    path: &str,
    inside: &mut Vec<Range<usize>>,
    keys: &mut Vec<Changed>,
) {
    let (at, place) = (into.span(), from.span());
    match (into.get_mut(), from.into_inner()) {
        (DeValue::Table(into), DeValue::Table(from)) => {
            inside.push(at);
            for (key, value) in from {
                let path = below(path, key.get_ref());
                let old = into.entry(key).or_insert(Spanned::new(value.span(), DeValue::Table(DeTable::new())));
                merge(old, value, &path, inside, keys);
            }
            inside.pop();
        }
        (_, value) => {
            keys.push(Changed { path: path.to_owned(), inside: inside.clone(), place: place.clone() });
            *into = Spanned::new(place, value);
        }
    }
}

/// Sets the value at a path such as `draw.0.state.cull`.
fn assign<'t>(
    root: &mut Spanned<DeValue<'t>>,
    path: &str,
    value: Spanned<DeValue<'t>>,
    keys: &mut Vec<Changed>,
) -> Result<(), String> {
    let (mut at, mut inside) = (root, vec![]);
    for key in path.split('.') {
        inside.push(at.span());
        at = match at.get_mut() {
            DeValue::Table(table) => table
                .entry(Spanned::new(value.span(), key.to_owned().into()))
                .or_insert(Spanned::new(value.span(), DeValue::Table(DeTable::new()))),
            DeValue::Array(all) => {
                let count = all.len();
                let place = key.parse::<usize>().ok().and_then(|n| all.get_mut(n));
                place.ok_or(format!("`{key}` is none of {count} entries"))?
            }
            _ => return Err(format!("`{key}` is below a value")),
        };
    }
    keys.push(Changed { path: path.to_owned(), inside, place: value.span() });
    *at = value;
    Ok(())
}
