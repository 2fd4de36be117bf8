//! Outputs that a program declares and never writes, in scenes and in `quadlock link`: accepted and
//! warned of alike, and drawn alike by machine and model, alone and linked.
//!
//! Machine and model run the same program, so the picture is compared with one whose programs write
//! what the others leave open.

use crate::command::run;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 p;
layout(location = 0) out float x; layout(location = 1) out float y;
void main() { gl_Position = p; x = p.x; }
";
const FRAGMENT: &str = "#version 450
layout(set = 0, binding = 0) uniform F { int take_y; };
layout(location = 0) in float x; layout(location = 1) in float y;
layout(location = 0) out vec4 r; layout(location = 1) out vec4 open;
void main() { r = vec4(take_y != 0 ? y : x); }
";
const SCENE: &str = r#"name = "s"
[target]
width = 16
height = 16
formats = ["rgba8unorm", "rgba16float"]
clear = [[0, 0, 1, 1], [1, 1, 1, 1]]
[mesh.m]
attributes.position = [[-1, -1, 0, 1], [1, -1, 0, 1], [-1, 1, 0, 1], [0, 1, 0, 1], [1, 1, 0, 1], [1, 0, 0, 1]]
[[draw]]
mesh = "m"
vertex = "v.vert"
fragment = "f.frag"
[[draw.binding]]
binding = 0
values = [{ i32 = 0 }]
[[draw]]
mesh = "m"
vertex = "v.vert"
fragment = "f.frag"
count = 3
[[draw.binding]]
binding = 0
values = [{ i32 = 1 }]
"#;

/// The programs with every output written.
fn written() -> [(&'static str, String); 2] {
    let v = VERTEX.replace("x = p.x;", "x = p.x; y = 0.0;");
    let f = FRAGMENT.replace("void main() {", "void main() { open = vec4(0);");
    [("v.vert", v), ("f.frag", f)]
}

fn folder(more: &[(&str, String)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let usual = [("v.vert", VERTEX), ("f.frag", FRAGMENT), ("scene.toml", SCENE)].map(|(n, t)| (n, t.to_owned()));
    usual.iter().chain(more).for_each(|(name, text)| std::fs::write(dir.path().join(name), text).unwrap());
    dir
}

/// Both targets, and what is said.
fn drawn(more: &[(&str, String)], options: &[&str]) -> ([Vec<u8>; 2], String) {
    let dir = folder(more);
    let images = ["run", "scene.toml", "--image", "0=a.png", "--image", "1=b.png"];
    let (code, said) = run(dir.path(), &[&images[..], options].concat());
    assert_eq!(code, 0, "{options:?}: {said}");
    (["a.png", "b.png"].map(|name| std::fs::read(dir.path().join(name)).unwrap()), said)
}

#[test]
fn what_is_never_written_is_drawn_as_zero() {
    let (want, said) = drawn(&written(), &["--engine", "golden"]);
    assert!(!said.contains("never writ"), "{said}");
    for link in ["off", "on", "values"] {
        let (got, said) = drawn(&[], &["--engine", "golden", "--set", &format!("link={link}")]);
        assert!(got == want, "link={link}: another picture");
        let input = "f.frag:3:64: input `y` at location 1 is 0: vertex program main (v.vert) declares its output";
        let output = "f.frag:4:64: output `open` at location 1 is 0: it is declared and never written";
        for warning in [input, output] {
            assert_eq!(said.matches(warning).count(), 1, "link={link}: {said}");
        }
    }
}

/// In lockstep, with positions shaded ahead.
#[test]
fn the_machine_draws_it_too() {
    let (want, _) = drawn(&written(), &["--engine", "golden"]);
    let (got, said) = drawn(&[], &["--set", "machine.cull-pipeline=positions"]);
    assert!(got == want && said.contains("PASS"), "{said}");
}

/// `quadlock link` and `shader-check` take the same programs. The first warns of the same, and
/// hands the zero on.
#[test]
fn the_command_agrees() {
    let dir = folder(&[]);
    let (code, said) = run(dir.path(), &["link", "v.vert", "f.frag"]);
    assert_eq!(code, 0, "{said}");
    for warning in ["f.frag:3:64: input `y` at location 1 is 0", "f.frag:4:64: output `open` at location 1 is 0"] {
        assert!(said.contains(warning), "no `{warning}` in {said}");
    }
    let (code, said) = run(dir.path(), &["shader-check", ".", "--list", "accepted"]);
    assert!(code == 0 && said.contains("v.vert") && said.contains("f.frag"), "{code} {said}");
    let (code, said) = run(dir.path(), &["link", "v.vert", "f.frag", "--json", "l.json"]);
    assert_eq!(code, 0, "{said}");
    let json = std::fs::read_to_string(dir.path().join("l.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["before"]["stages"][0]["output_names"], serde_json::json!(["x", "y"]), "{json}");
    assert_eq!(json["after"]["stages"][0]["output_names"], serde_json::json!(["x"]), "{json}");
}
