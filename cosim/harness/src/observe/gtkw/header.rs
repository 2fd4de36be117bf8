//! Reads back what a trace contains, from the header of the file: names, widths, and which
//! variables are enums. In FST the names of values are tables of the file; VCD has no such thing,
//! and they are in comments that [`crate::observe::wave`] writes.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use vcd::ScopeItem;

use crate::base::error::{bad, Input, InputError};
use crate::base::files::open;
use crate::observe::wave::{Traced, TracedSignal};
use crate::view::events;

/// Reads back what a trace contains.
///
/// # Errors
/// The file is neither a VCD nor an FST file, or has no signals.
pub fn read_traced(trace: &Path) -> Input<Traced> {
    let fst = trace.extension().is_some_and(|e| e.eq_ignore_ascii_case("fst"));
    let traced = if fst { of_fst(trace)? } else { of_vcd(trace)? };
    if traced.signals.is_empty() {
        return bad(format!("{} contains no signal", trace.display()), "make the trace again with a wider --scope");
    }
    Ok(traced)
}

fn of_fst(trace: &Path) -> Input<Traced> {
    open(trace)?;
    let wave = wellen::simple::read(trace).map_err(|e| {
        InputError::new(format!("{} is not an FST file: {e}", trace.display()))
            .help("give a trace made by `quadlock run --fst`")
    })?;
    let hierarchy = wave.hierarchy();
    let mut traced = Traced::default();
    for var in hierarchy.iter_vars() {
        let path = var.full_name(hierarchy);
        // The names of events are known without the file.
        let event = path.split('.').nth(1) == Some(events::SCOPE);
        let names = var.enum_type(hierarchy).filter(|_| !event);
        let enumeration = names.map(|(name, values)| {
            traced.enums.entry(name.to_owned()).or_insert_with(|| states(&values));
            name.to_owned()
        });
        traced.signals.push(TracedSignal { path, width: var.length().unwrap_or(1), enumeration });
    }
    Ok(traced)
}

/// Names by value, as in [`Traced::enums`].
fn states(values: &[(&str, &str)]) -> Vec<String> {
    let numbered = values.iter().filter_map(|(bits, name)| Some((usize::from_str_radix(bits, 2).ok()?, *name)));
    let named: BTreeMap<usize, &str> = numbered.collect();
    let count = named.keys().last().map_or(0, |last| last + 1);
    (0..count).map(|i| named.get(&i).map_or_else(|| format!("{i}?"), |n| (*n).to_owned())).collect()
}

fn of_vcd(trace: &Path) -> Input<Traced> {
    let file = open(trace)?;
    let header = vcd::Parser::new(BufReader::new(file)).parse_header();
    let header = header.map_err(|e| {
        InputError::new(format!("{} is not a VCD file: {e}", trace.display()))
            .help("give a trace made by `quadlock run --vcd` or `--fst`")
    })?;
    let mut traced = Traced::default();
    let mut types: BTreeMap<String, String> = BTreeMap::new();
    for item in &header.items {
        if let ScopeItem::Comment(text) = item {
            let words: Vec<&str> = text.split_whitespace().collect();
            match words.as_slice() {
                ["enum", name, states @ ..] => {
                    traced.enums.insert((*name).to_owned(), states.iter().map(|s| (*s).to_owned()).collect());
                }
                ["enum-signal", path, name] => {
                    types.insert((*path).to_owned(), (*name).to_owned());
                }
                _ => {}
            }
        }
    }
    collect("", &header.items, &types, &mut traced.signals);
    Ok(traced)
}

fn collect(path: &str, items: &[ScopeItem], types: &BTreeMap<String, String>, out: &mut Vec<TracedSignal>) {
    let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for item in items {
        match item {
            ScopeItem::Var(var) => {
                let path = join(&var.reference);
                let enumeration = types.get(&path).cloned();
                out.push(TracedSignal { path, width: var.size, enumeration });
            }
            ScopeItem::Scope(scope) => collect(&join(&scope.identifier), &scope.items, types, out),
            _ => {}
        }
    }
}
