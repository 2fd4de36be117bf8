//! A bug of the compiler in the position part of a vertex program is named in lockstep.

use std::path::Path;
use std::process::Command;

/// HZ-36: the checker names the vertex and the line of its program.
#[test]
fn hz_36_a_split_multiply_add_is_named_in_lockstep() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/teapot/scene.toml");
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
        .args(["run", path.to_str().unwrap(), "--small", "--set", "machine.cull-pipeline=positions"])
        .args(["--set", "machine.fault=compiler:position-splits-fma"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("the cull pipeline's position of a vertex is not the vertex's"), "{said}");
    assert!(said.contains("teapot.wgsl:13") && said.contains("draw 0, instance 0, vertex "), "{said}");
}
