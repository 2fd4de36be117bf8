//! A binary as text for people: [`listing`] is the code with its source lines, [`disassembly`] all
//! of the file. What is no instruction stands in comments, so the text goes through the assembler.
//! A test assembles it and compares the words. It can be wrong by leaving something out: what the
//! interface has and no row here knows is printed as it is.

use super::file::ShaderBinary;
use crate::interface::{Assumption, Beside, Binding, BindingKind, GraphicsInterface, SemaphoreUse, Stage, Varying};
use crate::interface::{Interpolation, Numbers, Sampling, PUSH_CONSTANTS};
use quadlock_isa::abi::CONST_BUFFERS;
use quadlock_isa::{disasm::Labels, disassemble};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Column of the numbers of instructions.
const COMMENT: usize = 44;

/// Keys of the interface that have rows of their own.
const KNOWN: [&str; 22] = [
    "alone",
    "bindings",
    "constants",
    "derived",
    "entry",
    "function_unit",
    "graphics",
    "group_size",
    "merge_at",
    "pinned",
    "position",
    "public_bitmap",
    "public_cutoff",
    "registers",
    "semaphores",
    "shared_bytes",
    "specialisation",
    "split_at",
    "stack_bytes",
    "stage",
    "values",
    "warnings",
];

fn labels(binary: &ShaderBinary) -> Labels {
    binary.labels.iter().filter_map(|(pc, name)| Some((u16::try_from(*pc).ok()?, name.clone()))).collect()
}

/// Assembly text of a binary: labels, and a comment with the source line wherever it changes.
/// `source` is a path and its text.
pub fn listing(binary: &ShaderBinary, source: Option<(&str, &str)>) -> String {
    let labels = labels(binary);
    let lines: Vec<&str> = source.map_or(vec![], |s| s.1.lines().collect());
    let mut out = String::new();
    let mut last = (u16::MAX, 0);
    for (pc, &word) in binary.code.iter().enumerate() {
        if let Some(name) = u16::try_from(pc).ok().and_then(|pc| labels.get(&pc)) {
            let _ = writeln!(out, "{name}:");
        }
        let loc = binary.lines.get(pc).copied().unwrap_or_default();
        if loc.line != 0 && (loc.file, loc.line) != last {
            last = (loc.file, loc.line);
            let file = binary.files.get(usize::from(loc.file)).map_or("?", String::as_str);
            let text = source.filter(|s| s.0 == file).and_then(|_| lines.get(loc.line as usize - 1));
            let _ = writeln!(out, "    ; {file}:{}: {}", loc.line, text.copied().unwrap_or("").trim());
        }
        let _ = writeln!(out, "    {}", disassemble(word, Some(&labels)));
    }
    out
}

/// All that is in a binary. `source` gives the text of a file by name, if it is at hand.
pub fn disassembly(binary: &ShaderBinary, source: &dyn Fn(&str) -> Option<String>) -> String {
    let i = &binary.interface;
    let mut out = String::new();
    section(&mut out, "Quadlock shader binary", &table(&facts(binary)));
    section(&mut out, "bindings", &table(&bindings(&i.bindings)));
    if let Some(g) = &i.graphics {
        let vertex = i.stage == Stage::Vertex;
        let (title, names) = if vertex { ("outputs", &g.output_names) } else { ("inputs", &g.input_names) };
        section(&mut out, title, &table(&varyings(g, names)));
        let (title, names) = if vertex { ("attributes", &g.input_names) } else { ("outputs", &g.output_names) };
        section(&mut out, title, &table(&named(names)));
    }
    section(&mut out, "constants", &table(&constants(&i.constants)));
    section(&mut out, "derived uniforms", &i.derived.as_ref().map_or(vec![], |d| d.texts()));
    let assumption = |a: &Assumption| format!("{} is {} ({})", a.text, a.holds, a.place);
    let assumed = i.specialisation.iter().flat_map(|s| s.assumptions.iter().map(assumption)).collect::<Vec<String>>();
    section(&mut out, "right while", &assumed);
    for (title, value) in further(serde_json::to_value(i).unwrap_or_default()) {
        let mut lines = vec![];
        plain(&value, 0, &mut lines);
        section(&mut out, &title, &lines);
    }
    section(&mut out, "warnings", &i.warnings);
    code(binary, source, &mut out);
    out
}

/// A title and lines below it, as comments.
fn section(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "; {}", one_line(title));
    for line in lines {
        let _ = writeln!(out, ";   {}", one_line(line.trim_end()));
    }
    out.push('\n');
}

/// Without characters that would end the comment that it is in.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// Rows as lines whose columns stand below each other.
fn table(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        // Nothing stands behind the last cell: one long cell would make every row as long.
        let width = |n: usize| if n + 1 < row.len() { widths[n] } else { 0 };
        let cells = row.iter().enumerate().map(|(n, cell)| format!("{cell:width$}", width = width(n)));
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect()
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

fn facts(binary: &ShaderBinary) -> Vec<Vec<String>> {
    let i = &binary.interface;
    let mut rows = vec![
        row(&["stage", &format!("{}, entry point {}", word(&i.stage), i.entry)]),
        row(&["code", &format!("{} instructions, {} bytes", binary.code.len(), 8 * binary.code.len())]),
    ];
    let mut add = |name: &str, text: String| rows.push(row(&[name, &text]));
    for (name, extent) in binary.functions() {
        add("program", format!("{name}: instructions {} to {}", extent.start, extent.end.saturating_sub(1)));
    }
    add("registers", format!("{} used, cutoff {}: those below it are public", i.registers, i.public_cutoff));
    if i.public_bitmap != 0 {
        add("public registers", format!("{:#010x}, a bit for each", i.public_bitmap));
    }
    if i.stage == Stage::Compute {
        let [x, y, z] = i.group_size;
        add("work group", format!("{x} x {y} x {z}{}", if i.pinned { ", on one warp unit" } else { "" }));
        add("work-group memory", format!("{} bytes", i.shared_bytes));
    }
    add("stack", format!("{} bytes per thread", i.stack_bytes));
    for (name, at) in [("merge point", i.merge_at), ("split point", i.split_at)] {
        match at {
            Some(Beside::Counter(pc)) => add(name, format!("before instruction {pc}")),
            Some(Beside::Count(count)) => add(name, format!("behind {count} instructions")),
            None => {}
        }
    }
    add("function unit", if i.function_unit { "needed" } else { "not needed" }.to_owned());
    semaphores(&i.semaphores).into_iter().for_each(|(name, text)| add(name, text));
    if let Some(g) = &i.graphics {
        add("fragments", graphics(g));
    }
    i.values.iter().for_each(|(name, value)| add("value", format!("{name} = {value}")));
    rows
}

fn semaphores(s: &SemaphoreUse) -> Vec<(&'static str, String)> {
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let flags = [(s.polling, "by polling"), (s.locks, "lock table"), (s.dependencies, "dependencies of a graph")];
    let flags: Vec<&str> = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
    let mut rows = vec![];
    if !flags.is_empty() {
        rows.push(("semaphores", flags.join(", ")));
    }
    if !s.loops.is_empty() {
        rows.push(("polling loops", format!("instructions {}", list(&s.loops))));
    }
    match s.done.as_deref() {
        None => rows.push(("says it is done", "unknown".to_owned())),
        Some([]) => {}
        Some(done) => rows.push(("says it is done", format!("instructions {}", list(done)))),
    }
    rows
}

fn graphics(g: &GraphicsInterface) -> String {
    let flags = [
        (g.may_discard, "may be discarded"),
        (g.writes_depth, "write depth"),
        (g.writes_mask, "write the sample mask"),
        (g.stores, "write memory"),
        (g.per_sample, "run for each sample"),
        (g.early_tests, "are tested before"),
    ];
    let set: Vec<&str> = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
    if set.is_empty() {
        "nothing special".to_owned()
    } else {
        set.join(", ")
    }
}

/// The word that an enum's value has in the file.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        other => format!("{other:?}"),
    }
}

fn bindings(list: &[Binding]) -> Vec<Vec<String>> {
    if list.is_empty() {
        return vec![];
    }
    let mut rows = vec![row(&["group", "binding", "name", "kind", "at least", "element", "constant words"])];
    for b in list {
        let (group, binding) = match (b.group, b.binding) {
            PUSH_CONSTANTS => ("push".to_owned(), "-".to_owned()),
            (group, binding) => (group.to_string(), binding.to_string()),
        };
        let kind = match b.kind {
            BindingKind::StorageRead => "storage, read",
            BindingKind::StorageReadWrite => "storage, read and write",
            BindingKind::Uniform => "uniform",
        };
        let address = CONST_BUFFERS as u64 + 2 * u64::from(b.index);
        let mut words = format!("c{address} address, c{} size", address + 1);
        if b.const_words > 0 {
            let last = u64::from(b.const_at) + u64::from(b.const_words) - 1;
            let _ = write!(words, ", c{} to c{last} contents", b.const_at);
        }
        let element = if b.stride > 0 { format!("{} bytes", b.stride) } else { "-".to_owned() };
        rows.push(row(&[&group, &binding, &b.name, kind, &format!("{} bytes", b.min_bytes), &element, &words]));
    }
    rows
}

/// Names in the source, by location.
fn named(names: &BTreeMap<u32, String>) -> Vec<Vec<String>> {
    if names.is_empty() {
        return vec![];
    }
    let all = names.iter().map(|(location, name)| row(&[&location.to_string(), name]));
    [row(&["location", "name"])].into_iter().chain(all).collect()
}

fn varyings(g: &GraphicsInterface, names: &BTreeMap<u32, String>) -> Vec<Vec<String>> {
    if g.varyings.is_empty() {
        return vec![];
    }
    let head = row(&["location", "component", "output word", "numbers", "interpolation", "taken at", "name"]);
    let one = |v: &Varying| {
        let numbers = match v.numbers {
            Numbers::Float => "float",
            Numbers::Int => "int",
            Numbers::Uint => "uint",
        };
        let how = match v.interpolation {
            Interpolation::Perspective => "perspective",
            Interpolation::Linear => "linear",
            Interpolation::Flat => "flat",
        };
        let place = match v.sampling {
            Sampling::Centre => "centre",
            Sampling::Centroid => "centroid",
            Sampling::Sample => "sample",
        };
        let component = ["x", "y", "z", "w"].get(v.component as usize).map_or("?", |c| c);
        let name = names.get(&v.location).map_or("-", String::as_str);
        row(&[&v.location.to_string(), component, &v.word.to_string(), numbers, how, place, name])
    };
    [head].into_iter().chain(g.varyings.iter().map(one)).collect()
}

fn constants(list: &[(u32, u32)]) -> Vec<Vec<String>> {
    let one = |&(at, value): &(u32, u32)| {
        let x = f32::from_bits(value);
        let float = match x.abs() {
            a if a == 0.0 || (1e-4..1e9).contains(&a) => format!("{x}"),
            _ => format!("{x:e}"),
        };
        row(&[&format!("c{at}"), &format!("{value:#010x}"), &(value as i32).to_string(), &float])
    };
    let head = row(&["word", "bits", "integer", "float"]);
    if list.is_empty() {
        vec![]
    } else {
        [head].into_iter().chain(list.iter().map(one)).collect()
    }
}

/// What an interface has that no row knows, with a title.
fn further(interface: Value) -> Vec<(String, Value)> {
    let Value::Object(map) = interface else { return vec![] };
    map.into_iter().filter(|(key, _)| !KNOWN.contains(&key.as_str())).collect()
}

/// A value as indented lines: `key: value`, and a dash before each element of a list.
fn plain(value: &Value, depth: usize, out: &mut Vec<String>) {
    let pad = "  ".repeat(depth);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                match simple(value) {
                    Some(text) => out.push(format!("{pad}{key}: {text}")),
                    None => {
                        out.push(format!("{pad}{key}:"));
                        plain(value, depth + 1, out);
                    }
                }
            }
        }
        Value::Array(list) if simple(value).is_none() => {
            for value in list {
                let first = out.len();
                plain(value, depth + 1, out);
                // The dash takes the place of the element's own indent.
                out[first].replace_range(2 * depth..2 * depth + 2, "- ");
            }
        }
        other => out.push(format!("{pad}{}", simple(other).unwrap_or_else(|| other.to_string()))),
    }
}

/// The text of a value that has room in a line.
fn simple(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) if list.iter().any(|v| v.is_array() || v.is_object()) => None,
        Value::Object(map) if !map.is_empty() => None,
        other => Some(other.to_string()),
    }
}

fn code(binary: &ShaderBinary, source: &dyn Fn(&str) -> Option<String>, out: &mut String) {
    let names = labels(binary);
    let texts: Vec<Option<String>> = binary.files.iter().map(|f| source(f)).collect();
    let texts: Vec<Vec<&str>> = texts.iter().map(|t| t.iter().flat_map(|t| t.lines()).collect()).collect();
    let mut blocks: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    binary.labels.iter().for_each(|(pc, name)| blocks.entry(*pc as usize).or_default().push(name));
    let functions = binary.functions();
    let mut last = None;
    for (pc, &word) in binary.code.iter().enumerate() {
        for (name, extent) in functions.iter().filter(|f| f.1.start as usize == pc) {
            let lines =
                format!("; {}: instructions {} to {}", one_line(name), extent.start, extent.end.saturating_sub(1));
            let _ = writeln!(out, "{}{lines}", if pc == 0 { "" } else { "\n" });
            last = None;
        }
        for name in blocks.get(&pc).into_iter().flatten() {
            let _ = writeln!(out, "{}:", one_line(name));
        }
        let loc = binary.lines.get(pc).copied().unwrap_or_default();
        let file = usize::from(loc.file);
        if loc.line != 0 && last != Some((file, loc.line)) {
            last = Some((file, loc.line));
            let text = texts.get(file).and_then(|t| t.get(loc.line as usize - 1));
            let name = binary.files.get(file).map_or("?", String::as_str);
            let line = format!("{name}:{} {}", loc.line, text.map_or("", |t| t.trim()));
            let _ = writeln!(out, "    ; {}", one_line(line.trim_end()));
        }
        let place = match (loc.line, loc.col) {
            (_, 0) => String::new(),
            (0, word) => format!("word {word}"),
            (_, col) => format!("column {col}"),
        };
        let text = disassemble(word, Some(&names));
        let line = format!("    {text:width$}; {pc:<4} {place}", width = COMMENT - 4);
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Parts that have no rows of their own, as those of other sections, are printed as they are.
    #[test]
    fn what_no_row_knows_is_printed() {
        let further_one = json!([{ "word": 74, "operations": [{ "op": "fadd", "of": [72, 73] }] }, {}]);
        let interface = json!({ "stage": "vertex", "registers": 3, "further": further_one, "later": true });
        let mut out = String::new();
        for (title, value) in further(interface) {
            let mut lines = vec![];
            plain(&value, 0, &mut lines);
            section(&mut out, &title, &lines);
        }
        let expected = "\
; further
;   - operations:
;       - of: [72,73]
;         op: fadd
;     word: 74
;   - {}

; later
;   true

";
        assert_eq!(out, expected);
    }

    #[test]
    fn no_text_leaves_its_comment() {
        let mut out = String::new();
        section(&mut out, "a\nb", &["c\rd".into(), "\u{1b}[2J".into()]);
        assert_eq!(out, "; a\u{fffd}b\n;   c\u{fffd}d\n;   \u{fffd}[2J\n\n");
    }
}
