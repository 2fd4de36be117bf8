//! Values of a shader's constants, from the job and from the command line, as a user gives them:
//! what arrives, which one wins, what the report says, and what is refused with its place.

use super::{quadlock, refused_in};
use std::path::Path;

const SHADER: &str = "override size: u32 = 4;
@id(3) override step: f32 = 1.0;
override twice: bool = false;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(size) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    o[id.x] = u32(f32(id.x) * step) * select(1u, 2u, twice);
}
";

const JOB: &str = "name = \"scaled\"
shader = \"scaled.wgsl\"
threads = [4, 1, 1]
[[buffer]]
name = \"o\"
from = { zero = 32 }
out = { csv = \"o.csv\", columns = 8 }
[machine]
units = 1
warps = 2
";

/// A folder with the shader and a job with these lines in `[constants]`, which is line 11.
fn folder(constants: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("scaled.wgsl"), SHADER).unwrap();
    std::fs::write(dir.path().join("job.toml"), format!("{JOB}[constants]\n{constants}\n")).unwrap();
    dir
}

fn run(dir: &Path, more: &[&str]) -> (Option<i32>, String) {
    quadlock(dir, &[&["run", "job.toml", "--engine", "golden", "--report", "r.json"], more].concat())
}

/// The output, the report's constants, and what was printed of them.
fn passes(dir: &Path, more: &[&str]) -> (String, serde_json::Value, String) {
    let (status, text) = run(dir, more);
    assert_eq!(status, Some(0), "{text}");
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("r.json")).unwrap()).unwrap();
    let row = text.lines().find(|l| l.starts_with("constants")).unwrap_or_default().replace("constants", "");
    let output = std::fs::read_to_string(dir.join("out/scaled/o.csv")).unwrap();
    (output, report["constants"].clone(), row.trim().to_owned())
}

#[test]
fn constants_of_the_job_and_of_the_command_line_arrive_and_are_reported() {
    let (output, constants, row) = passes(folder("").path(), &[]);
    assert_eq!((output.trim(), constants, row.as_str()), ("0,1,2,3,0,0,0,0", serde_json::json!({}), ""));
    let dir = folder("size = 8\n3 = 2.5\ntwice = true");
    let (output, constants, row) = passes(dir.path(), &[]);
    assert_eq!(output.trim(), "0,4,10,14,20,24,30,34");
    assert_eq!(constants, serde_json::json!({ "size": 8, "step": 2.5, "twice": true }));
    assert_eq!(row, "size = 8, step = 2.5, twice = true");
    // The command line wins, by another key too.
    let (output, constants, _) = passes(dir.path(), &["--constant", "step=3", "--constant", "twice=false"]);
    assert_eq!(output.trim(), "0,3,6,9,12,15,18,21");
    assert_eq!(constants, serde_json::json!({ "size": 8, "step": 3.0, "twice": false }));
}

#[test]
fn a_compiled_shader_keeps_its_constants_and_takes_no_others() {
    let dir = folder("");
    let compile = ["compile", "scaled.wgsl", "--constant", "step=2", "--constant", "size=8"];
    let (status, text) = quadlock(dir.path(), &compile);
    assert_eq!(status, Some(0), "{text}");
    std::fs::write(dir.path().join("job.toml"), JOB.replace(".wgsl", ".elf")).unwrap();
    let (output, constants, _) = passes(dir.path(), &[]);
    assert_eq!(output.trim(), "0,2,4,6,8,10,12,14");
    assert_eq!(constants, serde_json::json!({ "size": 8, "step": 2.0 }));
    let (status, text) = run(dir.path(), &["--constant", "step=3"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("scaled.elf: is not compiled, so --constant step changes nothing"), "{text}");
    let job = JOB.replace(".wgsl", ".elf") + "[constants]\nstep = 3";
    std::fs::write(dir.path().join("job.toml"), job).unwrap();
    let (status, text) = run(dir.path(), &[]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("job.toml:12:1: error: the program is not compiled here"), "{text}");
}

#[test]
fn constants_that_cannot_be_are_refused_with_their_place() {
    for (constants, more, says) in [
        ("sise = 8", &[][..], &["job.toml:12:1: error: the program has no constant called `sise`", "`size` (u32)"][..]),
        ("\n9 = 8", &[], &["job.toml:13:1: error: the program has no constant with the id `9`", "(id 3, f32)"]),
        ("size = -1", &[], &["job.toml:12:1: error: size=-1", "it is from 0 to 4294967295", "scaled.wgsl:1:1"]),
        ("size = 8.0", &[], &["job.toml:12:1: error: size=8.0", "it is a whole number"]),
        ("twice = 1", &[], &["job.toml:12:1: error: twice=1", "it is true or false"]),
        ("step = inf", &[], &["job.toml:12:1: error: step=inf", "it is a finite number"]),
        ("size = 18446744073709551615", &[], &["job.toml:12:1: error: size=18446744073709551615"]),
        ("3 = 1\nstep = 2", &[], &["job.toml:13:1: error: the constant `step` (id 3, f32) is given twice"]),
        ("size = \"8\"", &[], &["job.toml:12:8: error: invalid type: string \"8\", expected a number, true or false"]),
        ("size = [8]", &[], &["job.toml:12:8: error: invalid type: sequence, expected a number, true or false"]),
        ("size.x = 8", &[], &["job.toml:12:", "invalid type: map, expected a number, true or false"]),
        ("size = 0", &[], &["scaled.wgsl:5:35: error: a dimension of the work group is less than 1"]),
        ("", &["--constant", "sise=8"], &["scaled.wgsl: --constant sise=8: the program has no constant called"]),
        ("", &["--constant", "size=1.5"], &["scaled.wgsl:1:1: error: --constant size=1.5", "it is a whole number"]),
        ("", &["--constant", "size=eight"], &["--constant size=eight: neither a number nor true or false"]),
        ("", &["--constant", "size"], &["--constant size: not NAME=VALUE", "for example --constant SIZE=16"]),
        ("", &["--constant", "=8"], &["--constant =8: not NAME=VALUE"]),
    ] {
        refused_in(folder(constants).path(), &[&["--engine", "golden"], more].concat(), says);
    }
}

#[test]
fn an_override_without_default_and_value_says_where_to_give_it() {
    let dir = folder("");
    std::fs::write(dir.path().join("scaled.wgsl"), SHADER.replace("size: u32 = 4", "size: u32")).unwrap();
    let (status, text) = run(dir.path(), &[]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("scaled.wgsl:1:1: error: the override `size` has no default"), "{text}");
    assert!(text.contains("[constants]") && text.contains("--constant size=VALUE"), "{text}");
    assert_eq!(run(dir.path(), &["--constant", "size=4"]).0, Some(0));
    let (status, text) = quadlock(dir.path(), &["compile", "scaled.wgsl", "--emit", "report", "--constant", "size=4"]);
    assert_eq!(status, Some(0), "{text}");
}

/// A job's constants are used by every command that runs it.
#[test]
fn claims_are_checked_with_the_constants_of_the_job() {
    let dir = folder("step = 2");
    let job = std::fs::read_to_string(dir.path().join("job.toml")).unwrap();
    let job = job.replace("columns = 8 }", "columns = 8 }\nexpect = { from = { inline = [0, 2, 4, 6] } }");
    let claims = "[claims]\nrun = [{ name = \"golden\", engine = \"golden\" }]\n";
    std::fs::write(dir.path().join("job.toml"), format!("{job}{claims}")).unwrap();
    let (status, text) = quadlock(dir.path(), &["regress", "job.toml"]);
    assert_eq!(status, Some(0), "{text}");
    std::fs::write(dir.path().join("job.toml"), format!("{}{claims}", job.replace("step = 2", "step = 3"))).unwrap();
    assert_eq!(quadlock(dir.path(), &["regress", "job.toml"]).0, Some(1));
}
