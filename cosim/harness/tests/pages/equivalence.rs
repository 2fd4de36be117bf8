//! `scripts/equivalence.py`: what it takes for equal as text, and what not. A tool that proves is
//! not asked here, so a pair that is not equal as text is a pair that the script cannot decide.
//! Wrong would be an order that decides something and is taken for none.

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

/// Whether the script calls the two the same text; nothing without python3.
fn same(old: &str, new: &str) -> Option<bool> {
    let folder = tempfile::tempdir().unwrap();
    let files = [("old.v", old), ("new.v", new)].map(|(name, text)| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    });
    // Without yosys on PATH nothing is proved.
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let python = String::from_utf8_lossy(&python.stdout).trim().to_owned();
    let out =
        Command::new(python).arg("scripts/equivalence.py").args(files).current_dir(root()).env("PATH", "").output();
    let out = out.unwrap();
    Some(String::from_utf8_lossy(&out.stdout).starts_with("text "))
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
