//! `scripts/equivalence.py`: what it takes for equal as text, and what not. A tool that proves is
//! not asked here, so a pair that is not equal as text is a pair that the script cannot decide.
//! Wrong would be an order that decides something and is taken for none, or a table of names that
//! makes two signals one.

use std::process::Command;

use crate::root;

/// A module with these statements, its ports in that order.
fn module(ports: &str, statements: &[&str]) -> String {
    let body: String = statements.iter().map(|s| format!("        {s}\n")).collect();
    format!(
        "module m({ports});\n    input wire  a;\n    input wire  b;\n    output reg  x;\n    output reg  y;\n\n    \
         always @(*) begin\n{body}    end\nendmodule\n"
    )
}

/// Exit status and output of the script for these texts, with a table of names if there is one;
/// nothing without python3.
fn run(old: &str, new: &str, names: Option<&str>) -> Option<(Option<i32>, String)> {
    let folder = tempfile::tempdir().unwrap();
    let [old, new, table] =
        [("old.v", old), ("new.v", new), ("names.tsv", names.unwrap_or_default())].map(|(name, text)| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).unwrap();
            file
        });
    // Without yosys on PATH nothing is proved.
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let python = String::from_utf8_lossy(&python.stdout).trim().to_owned();
    let mut script = Command::new(python);
    script.arg("scripts/equivalence.py").args([old, new]).current_dir(root()).env("PATH", "");
    if names.is_some() {
        script.arg("--names").arg(table);
    }
    let out = script.output().unwrap();
    let said = [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    Some((out.status.code(), said))
}

/// Whether the script calls the two the same text; nothing without python3.
fn same(old: &str, new: &str) -> Option<bool> {
    run(old, new, None).map(|(_, said)| said.starts_with("text "))
}

/// A block with a queue of stream `stream` in it, instance `inside`, and a signal `free`.
fn nested(stream: &str, inside: &str, free: &str) -> String {
    format!(
        "module queue({stream}_valid,{stream}_ready);\n    input wire  {stream}_valid;\n    output reg  {stream}_ready;\n\n    \
         always @(*) begin\n        {stream}_ready = {stream}_valid;\n    end\nendmodule\n\
         module m(a,x);\n    input wire  a;\n    output reg  x;\n\n    reg  {free};\n    \
         reg  {inside}_{stream}_valid;\n    wire  {inside}_{stream}_ready;\n\n    \
         queue {inside}(\n        .{stream}_valid({inside}_{stream}_valid),\n        \
         .{stream}_ready({inside}_{stream}_ready)\n        );\n\n    \
         always @(*) begin\n        {inside}_{stream}_valid = a;\n        \
         {free} = {inside}_{stream}_ready;\n        x = {free};\n    end\nendmodule\n"
    )
}

#[test]
fn only_order_that_decides_nothing_is_text() {
    let base = ["x = a;", "y = b;", "if (b) begin", "x = b;", "y = a;", "end"];
    let old = module("a,b,x,y", &base);
    let Some(equal) = same(&old, &old) else {
        assert!(std::env::var_os("QUADLOCK_REQUIRE_PEERS").is_none(), "python3 is not installed");
        return;
    };
    assert!(equal);
    for (statements, expected) in [
        // Independent ones, also inside.
        (["y = b;", "x = a;", "if (b) begin", "x = b;", "y = a;", "end"], true),
        (["x = a;", "y = b;", "if (b) begin", "y = a;", "x = b;", "end"], true),
        // The default behind what overrides it.
        (["y = b;", "if (b) begin", "x = b;", "y = a;", "end", "x = a;"], false),
        // Another value.
        (["x = b;", "y = b;", "if (b) begin", "x = b;", "y = a;", "end"], false),
    ] {
        assert_eq!(same(&old, &module("y,x,b,a", &statements)), Some(expected), "{statements:?}");
    }
    // A read between two writes, and arms of a choice.
    let pairs = [
        (["x = a;", "y = x;", "x = b;"], ["x = a;", "x = b;", "y = x;"]),
        (["case (a)", "0: begin x = b; end", "endcase"], ["case (b)", "0: begin x = b; end", "endcase"]),
    ];
    for (old, new) in pairs {
        assert_eq!(same(&module("a,b,x,y", &old), &module("a,b,x,y", &new)), Some(false), "{new:?}");
    }
}

#[test]
fn a_table_of_names_is_applied_to_modules_and_what_is_in_them() {
    let (old, new) = (nested("told", "sorter", "gone"), nested("in", "binner", "taken"));
    let table = "module\told\tnew\twhy\n# A comment.\nqueue\ttold\tin\tstream\nm\tsorter\tbinner\nm\tgone\ttaken\n";
    let Some((status, said)) = run(&old, &new, Some(table)) else { return };
    assert!(status == Some(0) && said.starts_with("text "), "{said}");
    // A row too few, and another name than NEW has.
    for table in ["queue\ttold\tin\nm\tsorter\tbinner\n", "queue\ttold\tin\nm\tsorter\tbinner\nm\tgone\tfree\n"] {
        let (_, said) = run(&old, &new, Some(table)).unwrap();
        assert!(!said.starts_with("text "), "{said}");
    }
    // The longest name counts: `told` is not that of `told_ready`.
    let table = "queue\ttold\tin\nqueue\ttold_ready\ttold_ready\nm\tsorter\tbinner\nm\tgone\ttaken\n";
    let mixed = new.replace("in_ready", "told_ready");
    let (status, said) = run(&old, &mixed, Some(table)).unwrap();
    assert!(status == Some(0) && said.starts_with("text "), "{said}");
    // An instance whose name was a word of SystemVerilog, and a variable for a value that is kept.
    let kept = |text: &str, port: &str| {
        text.replace(&format!("wire  {port}_ready;"), &format!("wire  {port}_ready;\n    reg  {port}_valid__next;"))
    };
    let word = kept(&old.replace("queue sorter(", "queue sorter_("), "sorter_told");
    let table = "queue\ttold\tin\nm\tsorter\tbinner\nm\tgone\ttaken\n";
    let (status, said) = run(&word, &kept(&new, "binner_in"), Some(table)).unwrap();
    assert!(status == Some(0) && said.starts_with("text "), "{said}");
    // A variant of the block has its names.
    let variant = |text: &str| text.replace("queue", "queue_2");
    let (status, said) = run(&variant(&old), &variant(&new), Some(table)).unwrap();
    assert!(status == Some(0) && said.starts_with("text "), "{said}");
}

#[test]
fn a_swapped_pair_of_names_is_different() {
    // The widths differ, so that no proof is needed.
    let old = module("a,b,x,y", &["x = a;", "y = b;"]).replace("output reg  y", "output reg [1:0] y");
    let Some((status, said)) = run(&old, &old, Some("m\tx\ty\nm\ty\tx\n")) else { return };
    assert!(status == Some(1) && said.starts_with("DIFFERENT "), "{said}");
    let swapped = module("a,b,x,y", &["y = a;", "x = b;"]).replace("output reg  x", "output reg [1:0] x");
    let (status, said) = run(&old, &swapped, Some("m\tx\ty\nm\ty\tx\n")).unwrap();
    assert!(status == Some(0) && said.starts_with("text "), "{said}");
}

#[test]
fn a_table_of_names_that_makes_two_names_one_is_refused() {
    let old = module("a,b,x,y", &["x = a;", "y = b;"]);
    for (table, line) in [
        // Two old names, one new name; a new name that is there; twice the same old name; no row.
        ("m\tx\tz\nm\ty\tz\n", 2),
        ("m\ta\tc\nm\tx\ty\n", 2),
        ("m\tx\tz\nother\tx\tz\nm\tx\tv\n", 3),
        ("m\tx\n", 1),
        ("m\tx\tz[0]\n", 1),
    ] {
        let Some((status, said)) = run(&old, &old, Some(table)) else { return };
        assert!(status == Some(2) && said.contains(&format!("names.tsv:{line}: ")), "{table}: {said}");
    }
}
