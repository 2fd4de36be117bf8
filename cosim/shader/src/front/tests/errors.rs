//! Refusals: what is not supported is named, with its place.

use super::*;

fn first(source: &str) -> String {
    refused(source, Lang::Wgsl)[0].clone()
}

#[test]
fn a_syntax_error_names_line_and_column() {
    let message = first("@compute @workgroup_size(1) fn main() {\n    let x = ;\n}");
    assert!(message.starts_with("t.wgsl:2:13: "), "{message}");
}
