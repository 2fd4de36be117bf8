//! The floors of a crate: which folder may import from which. The order is the table in the
//! documentation of its `lib.rs`, one row for each top folder, from the ground up:
//!
//! ```text
//! //! | [`base`] | errors, files |
//! //! | [`machine`] | ports, memory |
//! ```
//!
//! A folder has floors of its own if the table in its `mod.rs` is headed `| floor | what |`.
//!
//! [`check`] finds imports from a floor above, and files that import each other in a circle. It
//! reads the `use` lines and every path that begins with `crate`, `super`, `self` or a module of
//! the file. What only tests compile is left out. A name that a file only passes on (`pub use`)
//! counts as an import of the file that defines it.
//!
//! Limits: a method call names no file, so a type with `impl` blocks in several files may hide a
//! circle; paths that a macro builds from its arguments are not seen.

mod graph;
mod source;

use std::collections::BTreeMap;
use std::path::Path;

use graph::circles;
use source::{Source, Sources};

/// An import of one file by another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Import {
    to: usize,
    line: usize,
    path: String,
}

/// What is against the floors in the crate in folder `dir`, one line each; empty if all is well.
/// `recursions`: sets of files, relative to `src`, that are one recursion and may import each
/// other.
///
/// # Panics
/// A file cannot be read or is not Rust.
pub fn check(dir: &Path, recursions: &[&[&str]]) -> Vec<String> {
    let sources = Sources::read(&dir.join("src"));
    let imports: Vec<Vec<Import>> = (0..sources.files.len()).map(|i| sources.imports(i)).collect();
    let mut problems = Vec::new();
    for source in sources.files.iter().filter(|s| s.path.is_empty() || s.text.contains(HEAD)) {
        problems.extend(wrong_floors(source, &sources, &imports));
    }
    problems.extend(wrong_circles(&sources, &imports, recursions));
    problems
}

/// The head of a table of floors in a folder's `mod.rs`.
const HEAD: &str = "//! | floor | what |\n";

/// What is against the floors of one folder, whose `mod.rs` or `lib.rs` has the table.
fn wrong_floors(street: &Source, sources: &Sources, imports: &[Vec<Import>]) -> Vec<String> {
    let (order, depth) = (order(&street.text), street.path.len());
    let inside = |s: &&Source| s.path.len() > depth && s.path.starts_with(&street.path);
    let floor = |s: &Source| order.iter().position(|o| inside(&s) && *o == s.path[depth]);
    let mut problems = Vec::new();
    for name in &order {
        if !sources.files.iter().filter(inside).any(|s| s.path[depth] == *name) {
            problems.push(format!("{}: floor `{name}` of the table is no module", street.name));
        }
    }
    for source in sources.files.iter().filter(inside).filter(|s| s.path.len() == depth + 1 && floor(s).is_none()) {
        problems.push(format!("{}: the table of floors in {} does not have it", source.name, street.name));
    }
    for (source, imports) in sources.files.iter().zip(imports) {
        for import in imports {
            if let (Some(here), Some(there)) = (floor(source), floor(&sources.files[import.to])) {
                if there > here {
                    problems.push(format!(
                        "{}:{}: `{}` is on floor `{}`, above `{}`",
                        source.name, import.line, import.path, order[there], order[here]
                    ));
                }
            }
        }
    }
    problems
}

/// The first column of the table of floors in the documentation of `lib.rs` or `mod.rs`.
fn order(text: &str) -> Vec<String> {
    let row = |line: &str| {
        let name = line.strip_prefix("//! | [`")?.split_once("`]")?.0;
        Some(name.to_owned())
    };
    text.lines().filter_map(row).collect()
}

/// Circles that are no recursion named in `recursions`, and recursions that are none.
fn wrong_circles(sources: &Sources, imports: &[Vec<Import>], recursions: &[&[&str]]) -> Vec<String> {
    let edges: Vec<Vec<usize>> = imports.iter().map(|list| list.iter().map(|i| i.to).collect()).collect();
    let mut problems = Vec::new();
    let mut used = vec![false; recursions.len()];
    for circle in circles(&edges) {
        let names: Vec<&str> = circle.iter().map(|&i| sources.files[i].name.as_str()).collect();
        let named = recursions.iter().position(|r| names.iter().all(|n| r.contains(n)) && r.len() == names.len());
        if let Some(index) = named {
            used[index] = true;
            continue;
        }
        let mut lines: BTreeMap<(usize, usize), &Import> = BTreeMap::new();
        for &from in &circle {
            for import in imports[from].iter().filter(|i| circle.contains(&i.to)) {
                lines.entry((from, import.to)).or_insert(import);
            }
        }
        let lines = lines.iter().map(|((from, _), import)| {
            format!("\n    {}:{} `{}`", sources.files[*from].name, import.line, import.path)
        });
        problems.push(format!("circle of {} files:{}", circle.len(), lines.collect::<String>()));
    }
    for (recursion, used) in recursions.iter().zip(used) {
        if !used {
            problems.push(format!("{recursion:?} is said to be one recursion and is none"));
        }
    }
    problems
}
