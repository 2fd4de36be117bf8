//! Which programs `quadlock link` links: files as they were named, in any order, to one vertex
//! program and the fragment programs behind it (LP-3).
//!
//! A file may have several entry points, and a GLSL text's name need not say its stage. All choices
//! are looked at that give each name of a file one entry point. The one that has one vertex program
//! is taken; if several have, the one in which outputs fit inputs. What that leaves open is an
//! error, never a guess: programs that fit by chance would be linked, and nobody would notice.

use std::path::{Path, PathBuf};

use quadlock_shader::front::Diagnostics;
use quadlock_shader::interface::Stage;
use quadlock_shader::linker;

use crate::base::error::{bad, Input};
use crate::job::program::from_compiler_of;

/// Most choices of which is looked whether they fit; each is a compilation.
const MOST_FITTED: usize = 64;

/// Most choices that are looked at; of more it is said that they are too many.
const MOST_CHOICES: usize = 1024;

/// Choices that an error tells.
const TOLD: usize = 4;

/// A program of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Number of the file in the command.
    pub file: usize,
    /// Its entry point.
    pub entry: String,
}

/// What is linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    pub vertex: Named,
    /// In the order of the command; one at least.
    pub fragments: Vec<Named>,
}

impl Programs {
    /// The vertex program, then the others: by number of their source.
    pub fn all(&self) -> impl Iterator<Item = &Named> {
        std::iter::once(&self.vertex).chain(&self.fragments)
    }

    /// Programs that can be linked, if these can.
    fn new(all: &[(Named, Stage)]) -> Option<Programs> {
        let of = |wanted: Stage| all.iter().filter(move |p| p.1 == wanted).map(|p| p.0.clone());
        let (vertex, fragments): (Vec<Named>, Vec<Named>) =
            (of(Stage::Vertex).collect(), of(Stage::Fragment).collect());
        match <[Named; 1]>::try_from(vertex) {
            Ok([vertex]) if !fragments.is_empty() => Some(Programs { vertex, fragments }),
            _ => None,
        }
    }
}

/// A file, and how often it is named.
struct Group {
    files: Vec<usize>,
    /// What it may be.
    entries: Vec<(String, Stage)>,
    /// So many of them are linked.
    take: usize,
    glsl: bool,
}

/// The programs of files; `entries` are the names of the command, `fits` looks whether outputs and
/// inputs match.
///
/// # Errors
/// What cannot be decided, with what to write.
pub fn programs(
    sources: &[(String, Vec<u8>)],
    entries: &[String],
    fits: &dyn Fn(&Programs) -> Result<(), Diagnostics>,
) -> Input<Programs> {
    let groups = groups(sources, entries)?;
    let Some(all) = choices(&groups) else {
        return bad("these files have too many programs to find out which fit", "name them: --entry NAME,NAME");
    };
    let mut programs: Vec<Programs> = vec![];
    // Of two programs of one name it does not matter which of the names is which.
    for new in all.iter().filter_map(|c| Programs::new(c)) {
        let is = |p: &Programs| same(sources, p) == same(sources, &new);
        if !programs.iter().any(is) {
            programs.push(new);
        }
    }
    let (first, more) = match programs.split_first() {
        None => return none(sources, &groups),
        Some((only, [])) => return Ok(only.clone()),
        Some((first, more)) => (first, more.len()),
    };
    let fitting: Vec<&Programs> = match more < MOST_FITTED {
        true => programs.iter().filter(|p| fits(p).is_ok()).collect(),
        false => programs.iter().collect(),
    };
    let named = |p: &Programs| {
        let mut all: Vec<&Named> = p.all().collect();
        all.sort_by_key(|n| n.file);
        format!("--entry {}", all.iter().map(|n| n.entry.as_str()).collect::<Vec<_>>().join(","))
    };
    let help = |told: &[&Programs]| match groups.iter().any(|g| g.glsl && g.entries.len() > 1) {
        true => "let the names of GLSL texts end in .vert or .frag, or in .vert.glsl or .frag.glsl".into(),
        false => {
            let mut some: Vec<String> = told.iter().take(TOLD).map(|p| named(p)).collect();
            if told.len() > TOLD {
                some.push("...".into());
            }
            format!("write {}", some.join(", or "))
        }
    };
    match fitting[..] {
        [only] => Ok(only.clone()),
        [] => {
            let reason = fits(first).err().map(|e| from_compiler_of(sources, &e).to_string()).unwrap_or_default();
            let message = format!("no programs of these files fit each other; the first ones: {reason}");
            bad(message, help(&programs.iter().collect::<Vec<_>>()))
        }
        _ => bad("more than one choice of programs can be linked, and which one is not said", help(&fitting)),
    }
}

/// Programs by what they are: the stage, the file that it really is, the entry point.
fn same<'a>(sources: &[(String, Vec<u8>)], programs: &'a Programs) -> Vec<(PathBuf, &'a str)> {
    let real = |n: &'a Named| {
        let path = &sources[n.file].0;
        (std::fs::canonicalize(path).unwrap_or_else(|_| path.into()), n.entry.as_str())
    };
    programs.all().map(real).collect()
}

/// Files with their entry points.
fn groups(sources: &[(String, Vec<u8>)], entries: &[String]) -> Input<Vec<Group>> {
    let mut groups: Vec<(PathBuf, Group)> = vec![];
    if !entries.is_empty() && entries.len() != sources.len() && sources.len() != 1 {
        let message = format!("--entry names {} entry points for {} programs", entries.len(), sources.len());
        return bad(message, "name one for each file, in their order; or one file, and all entry points of it");
    }
    for n in 0..sources.len().max(entries.len()) {
        let file = if sources.len() == 1 { 0 } else { n };
        let (path, data) = &sources[file];
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
        if let (true, Some((_, group))) = (entries.is_empty(), groups.iter_mut().find(|g| g.0 == real)) {
            group.files.push(file);
            group.take += 1;
            continue;
        }
        let all = linker::entry_points(path, data).map_err(|e| from_compiler_of(sources, &e))?;
        let linked: Vec<(String, Stage)> = all.iter().filter(|e| e.1 != Stage::Compute).cloned().collect();
        if linked.is_empty() {
            let has: Vec<&str> = all.iter().map(|e| e.0.as_str()).collect();
            let help = match has.is_empty() {
                true => "it has no entry point: mark a function @vertex or @fragment, or name another file".into(),
                false => format!(
                    "compute programs ({}) are not linked here: `quadlock compile {path} --set link=on`, or link in a job",
                    has.join(", ")
                ),
            };
            return bad(format!("{path}: no vertex or fragment program"), help);
        }
        let found: Vec<(String, Stage)> = match entries.get(n) {
            None => linked.clone(),
            Some(name) => linked.iter().filter(|e| e.0 == *name).cloned().collect(),
        };
        if let (true, Some(name)) = (found.is_empty(), entries.get(n)) {
            let names: Vec<&str> = linked.iter().map(|e| e.0.as_str()).collect();
            let message = match all.iter().any(|e| e.0 == *name) {
                true => format!("{path}: entry point {name} is a compute shader, and those are not linked"),
                false => format!("{path}: no entry point named `{name}`"),
            };
            return bad(message, format!("choose one of: {}", names.join(", ")));
        }
        let kind = Path::new(path).extension().unwrap_or_default().to_ascii_lowercase();
        let glsl = kind != "wgsl" && kind != "spv";
        groups.push((real, Group { files: vec![file], entries: found, take: 1, glsl }));
    }
    let mut groups: Vec<Group> = groups.into_iter().map(|g| g.1).collect();
    // One file alone has both programs.
    if let ([only], true) = (&mut groups[..], entries.is_empty()) {
        if only.files.len() == 1 && only.entries.len() > 1 && !only.glsl {
            only.files.push(only.files[0]);
            only.take = 2;
        }
    }
    for g in &groups {
        let most = if g.glsl { 1 } else { g.entries.len() };
        if g.take > most {
            let (path, s) = (&sources[g.files[0]].0, if most == 1 { "" } else { "s" });
            let message = format!("{path} is named {} times, and has {most} program{s}", g.take);
            return bad(message, "name a file once for each of its programs");
        }
    }
    Ok(groups)
}

/// Each way to take an entry point for each name of a file, in the order of the command; none if
/// they are too many.
fn choices(groups: &[Group]) -> Option<Vec<Vec<(Named, Stage)>>> {
    let mut all: Vec<Vec<(Named, Stage)>> = vec![vec![]];
    for g in groups {
        let mut longer = vec![];
        for before in &all {
            for subset in subsets(g.entries.len(), g.take)? {
                let entries = subset.iter().map(|&e| &g.entries[e]);
                let more = g.files.iter().zip(entries).map(|(&file, e)| (Named { file, entry: e.0.clone() }, e.1));
                let next: Vec<(Named, Stage)> = before.iter().cloned().chain(more).collect();
                // Two vertex programs are never linked.
                if next.iter().filter(|p| p.1 == Stage::Vertex).count() < 2 {
                    longer.push(next);
                }
            }
        }
        if longer.len() > MOST_CHOICES {
            return None;
        }
        all = longer;
    }
    all.iter_mut().for_each(|c| c.sort_by_key(|p| p.0.file));
    Some(all)
}

/// The ways to take so many of `n`, in order; none if they are too many.
fn subsets(n: usize, take: usize) -> Option<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..take {
        let longer = all.iter().flat_map(|s| {
            let from = s.last().map_or(0, |l| l + 1);
            (from..n).map(move |next| s.iter().copied().chain([next]).collect())
        });
        all = longer.take(MOST_CHOICES + 1).collect();
        if all.len() > MOST_CHOICES {
            return None;
        }
    }
    Some(all)
}

/// Nothing can be linked: why not.
fn none(sources: &[(String, Vec<u8>)], groups: &[Group]) -> Input<Programs> {
    let of = |stage: Stage| -> Vec<String> {
        let told = |g: &Group| {
            let path = sources[g.files[0]].0.clone();
            g.entries.iter().filter(|e| e.1 == stage).map(|e| format!("{path} ({})", e.0)).collect::<Vec<_>>()
        };
        groups.iter().flat_map(told).collect()
    };
    let (vertex, fragment) = (of(Stage::Vertex), of(Stage::Fragment));
    if let ([only], false) = (groups, vertex.is_empty() || fragment.is_empty()) {
        let path = &sources[only.files[0]].0;
        return bad(format!("{path} is one program, and linking takes two"), "name the other one, too");
    }
    match (vertex.is_empty(), fragment.is_empty()) {
        (true, _) => bad(
            format!("no vertex program among these: {}", fragment.join(", ")),
            "name the vertex program that feeds them, too: a .vert file, or WGSL or SPIR-V with one",
        ),
        (_, true) => bad(
            format!("no fragment program among these: {}", vertex.join(", ")),
            "name the fragment program that it feeds, too: a .frag file, or WGSL or SPIR-V with one",
        ),
        _ => bad(
            format!("more than one vertex program among these: {}", vertex.join(", ")),
            "name one of them, and the fragment programs that it feeds; --entry says which of a file",
        ),
    }
}
