//! The floors of a crate: which folder may import from which. The order is the table in the
//! documentation of its `lib.rs`, one row for each top folder, from the ground up:
//!
//! ```text
//! //! | [`base`] | errors, files |
//! //! | [`machine`] | ports, memory |
//! ```
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
    let order = order(&sources.root_text);
    let mut problems = Vec::new();
    let tops: Vec<&str> = sources.files.iter().filter_map(Source::top).collect();
    for name in &order {
        if !tops.contains(&name.as_str()) {
            problems.push(format!("lib.rs: floor `{name}` of the table is no module"));
        }
    }
    let floor = |s: &Source| s.top().and_then(|top| order.iter().position(|o| o == top));
    for source in sources.files.iter().filter(|s| s.path.len() == 1 && floor(s).is_none()) {
        problems.push(format!("{}: the table of floors in lib.rs does not have it", source.name));
    }
    let imports: Vec<Vec<Import>> = (0..sources.files.len()).map(|i| sources.imports(i)).collect();
    for (source, imports) in sources.files.iter().zip(&imports) {
        for import in imports {
            let target = &sources.files[import.to];
            if let (Some(here), Some(there)) = (floor(source), floor(target)) {
                if there > here {
                    problems.push(format!(
                        "{}:{}: `{}` is on floor `{}`, above `{}`",
                        source.name, import.line, import.path, order[there], order[here]
                    ));
                }
            }
        }
    }
    problems.extend(wrong_circles(&sources, &imports, recursions));
    problems
}

/// The first column of the table of floors in the documentation of `lib.rs`.
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
