//! What a field of a block is called in the exported Verilog. Wrong if two fields of a block get
//! one name; the export refuses that.

use std::borrow::Cow;

/// The name that a field of a block (`a$0` for element 0 of a vector) has in the exported Verilog.
/// A bundle in a field `ports` or `..._ports` gives its ports their own names.
pub fn verilog_name(field: &str) -> Cow<'_, str> {
    let name: Cow<'_, str> = match field.contains('$') {
        true => field.split('$').filter(|part| !is_unnamed(part)).collect::<Vec<_>>().join("_").into(),
        false => field.into(),
    };
    match RESERVED.binary_search(&&*name) {
        Ok(_) => format!("{name}_").into(),
        Err(_) => name,
    }
}

/// Whether a field has no part in the names of its ports.
fn is_unnamed(field: &str) -> bool {
    field.strip_suffix("ports").is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
}

/// A byte of an identifier as rust-hdl writes it.
pub(crate) fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'$'
}

/// The identifier at the beginning of `text`, perhaps empty.
pub(crate) fn word(text: &str) -> &str {
    &text[..text.bytes().position(|b| !is_word(b)).unwrap_or(text.len())]
}

/// Words of SystemVerilog, in order, that rust-hdl does not write itself, and the classes of its
/// package `std`: as a name they get a `_`.
const RESERVED: &[&str] = &[
    "accept_on",
    "alias",
    "and",
    "assert",
    "assume",
    "automatic",
    "before",
    "bind",
    "bins",
    "bit",
    "break",
    "buf",
    "byte",
    "casex",
    "casez",
    "cell",
    "chandle",
    "checker",
    "class",
    "clocking",
    "const",
    "constraint",
    "context",
    "continue",
    "cover",
    "covergroup",
    "cross",
    "deassign",
    "defparam",
    "design",
    "disable",
    "dist",
    "do",
    "edge",
    "enum",
    "event",
    "expect",
    "export",
    "extends",
    "extern",
    "final",
    "first_match",
    "force",
    "foreach",
    "forever",
    "fork",
    "function",
    "generate",
    "genvar",
    "global",
    "iff",
    "implies",
    "import",
    "inside",
    "int",
    "interface",
    "intersect",
    "join",
    "let",
    "library",
    "local",
    "logic",
    "longint",
    "macromodule",
    "mailbox",
    "matches",
    "medium",
    "modport",
    "nand",
    "new",
    "nor",
    "not",
    "null",
    "or",
    "package",
    "packed",
    "parameter",
    "primitive",
    "priority",
    "process",
    "program",
    "property",
    "protected",
    "pull0",
    "pull1",
    "pure",
    "rand",
    "randc",
    "real",
    "ref",
    "release",
    "repeat",
    "restrict",
    "return",
    "scalared",
    "semaphore",
    "sequence",
    "shortint",
    "solve",
    "specify",
    "static",
    "string",
    "strong",
    "struct",
    "super",
    "supply0",
    "supply1",
    "table",
    "tagged",
    "task",
    "this",
    "throughout",
    "time",
    "tri",
    "type",
    "typedef",
    "union",
    "unique",
    "unique0",
    "until",
    "untyped",
    "use",
    "var",
    "vectored",
    "virtual",
    "void",
    "wait",
    "wand",
    "weak",
    "while",
    "wildcard",
    "with",
    "within",
    "wor",
    "xnor",
    "xor",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_loses_its_dollars_and_a_reserved_word_gets_a_line() {
        assert_eq!(verilog_name("a$0$q"), "a_0_q");
        assert_eq!(verilog_name("byte"), "byte_");
        assert_eq!(verilog_name("bytes"), "bytes");
    }

    #[test]
    fn a_field_of_ports_has_no_part_in_their_names() {
        assert_eq!(verilog_name("ports$valid"), "valid");
        assert_eq!(verilog_name("tests$1$bound_ports$known$0"), "tests_1_known_0");
        assert_eq!(verilog_name("reports$valid"), "reports_valid");
        assert_eq!(verilog_name("bound_ports"), "bound_ports");
        assert_eq!(verilog_name("class_ports$byte"), "byte_");
    }

    #[test]
    fn reserved_words_are_in_order_for_the_search() {
        assert!(RESERVED.is_sorted());
    }
}
