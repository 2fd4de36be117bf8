//! The sections of a binary by name, and which parts of the interface have one.
//!
//! The interface is JSON. Some of its parts are whole programs or records that other tools want to
//! cut out (`llvm-objcopy --dump-section`), so they leave the interface's text for a
//! section. That is done on the text's tree: this file knows names and no types. Wrong if a part is
//! in both places or in none: [`put`] refuses the first, a test of the way there and back finds the
//! second.

use super::file::BinaryError;
use serde_json::Value;

pub const TEXT: &str = ".text";
pub const INTERFACE: &str = ".quadlock.interface";
pub const CONSTANTS: &str = ".quadlock.constants";
pub const LINES: &str = ".debug_line";
pub const SYMBOLS: &str = ".symtab";

/// Parts of the interface with a section of their own: the key of the JSON object, the section.
pub const MOVED: [(&str, &str); 2] = [("derived", ".quadlock.derived"), ("specialisation", ".quadlock.specialisation")];

/// The sections of a binary: name, when it is there, content. The page has these rows.
pub const SECTIONS: [(&str, &str, &str); 8] = [
    (TEXT, "always", "instructions, 8 bytes each, little endian; the address of instruction n is 8n"),
    (INTERFACE, "always", "the interface as JSON, without what has a section of its own"),
    (CONSTANTS, "always", "pairs of 32-bit words: constant word, value"),
    (MOVED[0].1, "not empty", "the derived-uniform program as JSON (LP-13)"),
    (MOVED[1].1, "not empty", "what the program was specialised to, as JSON (LP-14)"),
    (LINES, "files are known", "DWARF 5 line table: file, line and column of every instruction"),
    (
        ".debug_info, .debug_abbrev, .debug_str",
        "with it",
        "one unit with a function for each program: name, address, length",
    ),
    (".symtab, .strtab", "always", "the programs (global functions) and their blocks (local)"),
];

pub fn damaged(section: &'static str, what: impl ToString) -> BinaryError {
    BinaryError::Damaged { section, what: what.to_string() }
}

/// Nothing is in it.
fn empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

fn json(value: &Value) -> Vec<u8> {
    // The tree has texts as keys only, so it always has a text.
    serde_json::to_vec_pretty(value).unwrap_or_default()
}

/// The sections of an interface: its own first, then those of its parts. An empty part has none.
pub fn take(mut interface: Value) -> Vec<(&'static str, Vec<u8>)> {
    let mut parts = vec![];
    if let Value::Object(map) = &mut interface {
        for (key, section) in MOVED {
            if map.get(key).is_some_and(|value| !empty(value)) {
                parts.extend(map.remove(key).map(|value| (section, json(&value))));
            }
        }
    }
    parts.insert(0, (INTERFACE, json(&interface)));
    parts
}

/// The interface that [`take`] was given, from its own section and a way to find others.
///
/// # Errors
/// A section is no JSON, or has what the interface has, too.
pub fn put<'a>(
    own: &[u8],
    mut find: impl FnMut(&'static str) -> Result<Option<&'a [u8]>, BinaryError>,
) -> Result<Value, BinaryError> {
    let mut interface: Value = serde_json::from_slice(own).map_err(|e| damaged(INTERFACE, e))?;
    let Value::Object(map) = &mut interface else { return Err(damaged(INTERFACE, "it is no JSON object")) };
    for (key, section) in MOVED {
        let Some(bytes) = find(section)? else { continue };
        let value = serde_json::from_slice(bytes).map_err(|e| damaged(section, e))?;
        if map.insert(key.to_owned(), value).is_some_and(|old| !empty(&old)) {
            return Err(damaged(section, format!("{INTERFACE} has `{key}`, too")));
        }
    }
    Ok(interface)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn back(sections: &[(&'static str, Vec<u8>)]) -> Result<Value, BinaryError> {
        let find = |name| Ok(sections.iter().find(|s| s.0 == name).map(|s| s.1.as_slice()));
        put(&sections[0].1, find)
    }

    #[test]
    fn parts_leave_and_come_back() {
        let whole =
            json!({ "stage": "vertex", "derived": [{ "at": 72 }], "specialisation": [{ "word": 3, "equals": 1 }] });
        let sections = take(whole.clone());
        let names: Vec<&str> = sections.iter().map(|s| s.0).collect();
        assert_eq!(names, [INTERFACE, ".quadlock.derived", ".quadlock.specialisation"]);
        assert_eq!(serde_json::from_slice::<Value>(&sections[0].1).unwrap(), json!({ "stage": "vertex" }));
        assert_eq!(back(&sections), Ok(whole));
    }

    #[test]
    fn empty_parts_have_no_section() {
        for nothing in [json!(null), json!([]), json!({})] {
            let whole = json!({ "derived": nothing, "stage": "vertex" });
            assert_eq!(take(whole.clone()).len(), 1);
            assert_eq!(back(&take(whole.clone())), Ok(whole));
        }
    }

    #[test]
    fn a_part_in_two_places_is_refused() {
        let mut sections = take(json!({ "derived": [1] }));
        sections[0].1 = b"{\"derived\": [2]}".to_vec();
        let why = back(&sections).unwrap_err().to_string();
        assert!(why.contains(".quadlock.derived") && why.contains("too"), "{why}");
        sections[0].1 = b"[]".to_vec();
        assert!(back(&sections).is_err());
    }
}
