//! What a user of linking can get wrong, in programs, in scenes, in jobs and on the command line:
//! each error has status 2, its place or its option, and a word on what to write (LP-4).
//!
//! Wrong would be a message that is matched by chance: each case differs from a good one in the
//! thing that its message names.

use std::path::Path;
use std::process::Command;

const VERTEX: &str = "#version 450
layout(location = 0) in vec4 p;
layout(location = 0) out vec4 c;
layout(set = 0, binding = 0) uniform U { float a; bool b; ivec2 iv; } u;
layout(set = 0, binding = 1) uniform W { float a; };
void main() { gl_Position = p; c = u.b ? p * u.a * a : vec4(u.iv, 0, 0); }
";
const FRAGMENT: &str = "#version 450
layout(location = 0) in vec4 c;
layout(location = 0) out vec4 o;
void main() { o = c; }
";
const WGSL: &str = "
struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
@group(0) @binding(2) var<uniform> u: vec4u;
@vertex fn vs(@location(0) p: vec4f) -> V { if (u.x > 1u) { return V(p, p); } return V(p, vec4f(u)); }
@fragment fn fs(v: V) -> @location(0) vec4f { return v.c; }
";
const SCENE: &str = r#"name = "s"
[target]
width = 16
height = 16
[mesh.m]
attributes.position = [[-1, -1, 0], [3, -1, 0], [-1, 3, 0]]
[[draw]]
mesh = "m"
vertex = { file = "a.wgsl", entry = "vs" }
fragment = { file = "a.wgsl", entry = "fs" }
[[draw.binding]]
binding = 2
values = [0, 0, 0, 0]
[small.target]
width = 8
"#;
const JOB: &str = "name = \"j\"
shader = \"c.wgsl\"
grid = [1, 1, 1]
[[buffer]]
binding = 1
from = { zero = 16 }
[[uniform]]
binding = 0
values = [1]
";
const COMPUTE: &str = "
@group(0) @binding(0) var<uniform> a: u32;
@group(0) @binding(1) var<storage, read_write> s: array<u32>;
@compute @workgroup_size(4) fn c(@builtin(global_invocation_id) i: vec3u) { if (a > 0) { s[i.x] = a + 2; } }
";

/// A folder with all of these files, and more or others.
fn folder(more: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let usual = [
        ("v.vert", VERTEX),
        ("f.frag", FRAGMENT),
        ("a.wgsl", WGSL),
        ("scene.toml", SCENE),
        ("job.toml", JOB),
        ("c.wgsl", COMPUTE),
    ];
    usual.iter().chain(more).for_each(|(name, text)| std::fs::write(dir.path().join(name), text).unwrap());
    dir
}

/// Status, and everything that is printed, in one line whatever width it was broken to.
fn run(dir: &Path, args: &str) -> (i32, String) {
    let args = args.split_whitespace();
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let text = text.replace("= help:", "");
    let words = text.split_whitespace().filter(|w| *w != "│");
    (out.status.code().unwrap_or(-1), words.collect::<Vec<_>>().join(" "))
}

/// It is refused, and all of this is said.
fn refused(dir: &Path, args: &str, says: &[&str]) {
    let (status, said) = run(dir, args);
    assert!(status == 2 && !said.contains("panicked"), "{args}: {status} {said}");
    for part in says {
        assert!(said.contains(part), "{args}: no `{part}` in {said}");
    }
}

/// What is wrong in a file keeps its line whatever options are said beside it.
#[test]
fn a_scene_keeps_its_lines_with_other_settings() {
    let wrong = SCENE.replace("binding = 2", "binding = 3");
    let key = SCENE.replace("values = [0, 0, 0, 0]", "values = [\"x\"]");
    let dir = folder(&[("scene.toml", &wrong), ("key.toml", &key)]);
    for options in ["--exact", "--set link=on", "--set link=values --set variants=1", "--small"] {
        let says = ["scene.toml:11:1: ", "no program of the draw has group 0 binding 3", "correct its number"];
        refused(dir.path(), &format!("run scene.toml --engine golden {options}"), &says);
        refused(dir.path(), &format!("run key.toml --engine golden {options}"), &["key.toml:13:1: ", "no number"]);
    }
}

/// What is wrong in an option names the option, and not what the file says of that key.
#[test]
fn an_error_in_a_setting_names_the_option() {
    let dir = folder(&[("small.toml", &SCENE.replace("width = 8", "width = 0"))]);
    for (set, says) in [
        ("link=maybe", "--set link=maybe: unknown variant `maybe`, expected one of `off`, `on`, `values`"),
        ("target.width=0", "--set target.width=0: a target of 0 x 16 pixels"),
        ("target.widht=4", "--set target.widht=4: unknown field `widht`"),
        ("draw.0.mesh=x", "--set draw.0.mesh=x: there is no mesh `x`"),
        ("draw.0.binding.0.values=[\"x\"]", "--set draw.0.binding.0.values=[\"x\"]: `\"x\"` is no number"),
        ("draw.0.state.cull=x", "--set draw.0.state.cull=x: unknown variant `x`"),
        ("draw.3.mesh=x", "--set draw.3.mesh=x: `3` is none of 1 entries"),
        ("machine.units=x", "--set machine.units=x: machine.units: "),
        ("units=99", "--set units=99: machine."),
        ("constants.k=3", "--set constants.k=3: no program has a constant `k`"),
        ("width=3", "--set width=3: no key of a scene keys of a scene have a path: --set target.width=.."),
    ] {
        refused(dir.path(), &format!("run scene.toml --engine lockstep --exact --set {set}"), &[says]);
    }
    // The part for the small size has lines of its own.
    refused(dir.path(), "run small.toml --engine golden --small", &["small.toml:15:9: ", "a target of 0 x 16 pixels"]);
}

#[test]
fn a_job_keeps_its_lines_and_names_options() {
    let machine = format!("{JOB}[machine]\nunits = 99\n");
    let wrong = JOB.replace("binding = 0", "binding = 7");
    let binary = JOB.replace("c.wgsl", "c.elf");
    let dir = folder(&[("machine.toml", &machine), ("wrong.toml", &wrong), ("binary.toml", &binary)]);
    assert_eq!(run(dir.path(), "compile c.wgsl -o c.elf").0, 0);
    for (args, says) in [
        ("job.toml --set link=maybe", &["--set link=maybe: not one of off, on, values"][..]),
        ("job.toml --set link=on --set units=99", &["--set units=99: units = 99 is out of range"]),
        ("machine.toml --exact --set link=on", &["machine.toml:11:9: ", "units = 99 is out of range"]),
        ("wrong.toml --exact --set link=values", &["wrong.toml:7:1: ", "no buffer group 0 binding 7"]),
        ("binary.toml --set link=values", &["binary.toml:2:10: ", "link changes nothing"]),
        ("binary.toml --exact", &["binary.toml:2:10: ", "exact changes nothing"]),
    ] {
        refused(dir.path(), &format!("run {args}"), says);
    }
    std::fs::write(dir.path().join("c.elf"), b"\x7fELF").unwrap();
    refused(dir.path(), "run binary.toml --engine golden", &["binary.toml:2:10: ", "c.elf: "]);
}

/// What the compiler says of a program as a whole has a place, too.
#[test]
fn every_compile_error_has_a_place() {
    let with = |from: &str, to: &str| FRAGMENT.replace(from, to);
    let storage = "layout(set = 0, binding = 0) buffer S { vec4 s; };\nvoid main() { o = c * s; }";
    let both = WGSL.replace(
        "@fragment fn fs(v: V) -> @location(0) vec4f { ",
        "@group(0) @binding(2)\n\
        var<storage, read_write> s: vec4f;\n@fragment fn fs(v: V) -> @location(0) vec4f { s = v.c; ",
    );
    let once = "float f(float x) { return x > 1.0 ? f(x - 1.0) : x; }\nvoid main() { o = c * f(c.x); }";
    let twice = "float g(float x);\nfloat f(float x) { return g(x) + x; }\n\
        float g(float x) { return x > 1.0 ? f(x - 1.0) : x; }\nvoid main() { o = c * f(c.x); }";
    let main = "void main() { o = c; }";
    let dir = folder(&[
        ("none.frag", &with("void main", "void other")),
        ("kind.frag", &with(main, storage)),
        ("kind.wgsl", &both),
        ("once.frag", &with(main, once)),
        ("twice.frag", &with(main, twice)),
        ("once.wgsl", &(WGSL.to_owned() + "fn f(x: u32) -> u32 { return f(x); }")),
    ]);
    let kind = ["`S` is a storage buffer of group 0 binding 0", "`u` of the vertex program (v.vert:4:71)"];
    for (args, says) in [
        ("v.vert none.frag", &["none.frag:4:6: ", "no entry point `main`", "the text has other"][..]),
        ("v.vert once.frag", &["once.frag:4:37: ", "function `f` calls itself", "use a loop"]),
        ("v.vert twice.frag", &["twice.frag:5:27: ", "function `f` calls `g`, which leads back to it"]),
        ("once.wgsl", &["once.wgsl:6:4: ", "recursive"]),
        ("v.vert kind.frag", &["kind.frag:4:37: ", kind[0], kind[1], "give one of them another number"]),
        ("kind.wgsl", &["kind.wgsl:6:26: ", "of the vertex program (kind.wgsl:3:36) is a uniform buffer"]),
        ("v.vert f.frag --entry main,foo", &["f.frag: no entry point named `foo`", "choose one of: main"]),
    ] {
        refused(dir.path(), &format!("link {args}"), says);
    }
    refused(dir.path(), "compile a.wgsl --entry x", &["a.wgsl:1:1: ", "choose one of: vs, fs"]);
}

/// A member that two blocks have is named with its block; a bool of GLSL is true or false.
#[test]
fn names_and_booleans_of_uniforms() {
    let dir = folder(&[]);
    let link = |file: &str, text: &str| {
        std::fs::write(dir.path().join("u.toml"), text).unwrap();
        run(dir.path(), &format!("link {file} --uniforms u.toml --emit asm"))
    };
    let twice = "several blocks have a member `a`: `u.a` (v.vert:4:71), `W.a` (v.vert:5:38)";
    for (file, text, says) in [
        ("v.vert f.frag", "[vertex]\na = 1.0\n", &["u.toml:2:1: ", twice, "write u.a or W.a"][..]),
        (
            "v.vert f.frag",
            "[vertex]\nu.c = 1\n",
            &["u.toml:2:3: ", "no vertex program has a uniform `u.c`", "W.a, b, iv, u.a"],
        ),
        ("v.vert f.frag", "[vertex.u]\na.b = 1\n", &["u.toml:2:1: ", "`u.a` is a table"]),
        ("v.vert f.frag", "[vertex]\niv = [1, true]\n", &["u.toml:2:6: ", "true is not a whole number", "write 1, or"]),
        ("v.vert f.frag", "[vertex]\nu.a = false\n", &["u.toml:2:7: ", "false is not a number", "write 0.0, or"]),
        (
            "a.wgsl",
            "[vertex]\nu = [true, 0, 0, 0]\n",
            &["u.toml:2:5: ", "WGSL has no bool in a uniform buffer: write 1"],
        ),
        ("a.wgsl", "vertex = 3\n", &["u.toml:1:10: ", "`vertex` is no table", "a table for each stage"]),
        ("a.wgsl", "[hull]\nu = 3\n", &["u.toml:1:2: ", "there is no stage `hull`"]),
    ] {
        let (status, said) = link(file, text);
        assert_eq!(status, 2, "{text}: {said}");
        says.iter().for_each(|part| assert!(said.contains(part), "{text}: no `{part}` in {said}"));
    }
    // One value, written in several ways; and what it decides.
    let linked = |text: &str| {
        let (status, said) = link("v.vert f.frag", text);
        assert_eq!(status, 0, "{text}: {said}");
        said
    };
    let set = linked("[vertex]\nb = true\n");
    assert_ne!(set, linked("[vertex]\nb = false\n"));
    for same in ["[vertex]\nu.b = true\n", "[vertex]\nb = 1\n", "[vertex.u]\nb = true\n", "[vertex]\n\"u.b\" = true\n"]
    {
        assert_eq!(linked(same), set, "{same}");
    }
    // These are two words: one word with two values would be refused.
    assert_eq!(linked("[vertex]\nu.a = 0.0\nW.a = 2.0\nb = true\n"), set);
}

/// A bool of a job's or a scene's uniform is its word.
/// In a structure of several types each number is of its word's type, as it is alone.
#[test]
fn numbers_of_a_structure_have_the_types_of_its_members() {
    let vertex = "#version 450
struct L { int kind; float power; uvec2 bits; bool on; };
layout(location = 0) in vec4 p;
layout(location = 0) out vec4 c;
layout(set = 0, binding = 0) uniform U { L light[2]; } u;
void main() {
  gl_Position = p;
  c = p;
  if (u.light[1].kind == -2) { c *= 3.0; }
  if (u.light[1].power == 2.0) { c += 1.0; }
  if (u.light[0].on) { c *= 5.0; }
}
";
    let dir = folder(&[("s.vert", vertex), ("f.frag", FRAGMENT)]);
    let args = "link s.vert f.frag --emit asm --uniforms u.toml";
    let linked = |light: &str| {
        std::fs::write(dir.path().join("u.toml"), format!("[vertex]\nlight = [{light}]\n")).unwrap();
        run(dir.path(), args)
    };
    let (status, floats) = linked("0, 1.0, 0, 0, false, 0, 0, 0, -2, 2.0, 0, 0, true");
    assert_eq!(status, 0, "{floats}");
    assert_eq!(linked("0, 1, 0, 0, 0, 0, 0, 0, -2, 2, 4294967295, 0, 1"), (0, floats.clone()));
    assert_ne!(linked("0, 1, 0, 0, 0, 0, 0, 0, -2, 3, 0, 0, 1").1, floats);
    assert_ne!(linked("0, 1, 0, 0, 0, 0, 0, 0, -1, 2, 0, 0, 1").1, floats);
    let (status, said) = linked("0, 1, 0, 0, 0, 0, 0, 0, -2, 2, -1, 0, 1");
    let what = "u.toml:2:9: error: `light`: number 11 of the list: -1 is not a whole number of 32 bits from 0 up";
    assert!(status == 2 && said.contains(what), "{said}");
}

#[test]
fn booleans_of_jobs_and_scenes_are_words() {
    let job = JOB.replace("values = [1]", "values = [true]");
    let expect = job.replace("zero = 16 }", "zero = 16 }\nexpect = { from = { inline = [3, 3, 3, 3] } }");
    let float = job.replace("[true]", "[true]\ntype = \"f32\"");
    let scene = SCENE.replace("[0, 0, 0, 0]", "[true, false, {u32 = 0}, {u32 = 0}]");
    let dir = folder(&[("expect.toml", &expect), ("float.toml", &float), ("scene.toml", &scene)]);
    for args in ["expect.toml --set link=values", "scene.toml --set link=values"] {
        let (status, said) = run(dir.path(), &format!("run {args} --engine golden"));
        assert_eq!(status, 0, "{args}: {said}");
    }
    let says = ["float.toml:7:1: ", "true is a u32; write 1.0"];
    refused(dir.path(), "run float.toml --engine golden --set link=values", &says);
}

/// The machine has two stages, and so has a chain of the command.
#[test]
fn chains_that_are_no_pairs_are_refused_with_what_to_write() {
    let dir = folder(&[("w.vert", VERTEX), ("g.frag", FRAGMENT), ("none.wgsl", "struct V { a: f32 }")]);
    let compute = "compute programs (c) are not linked here: `quadlock compile c.wgsl --set link=on`, or link in a job";
    for (args, says) in [
        ("v.vert c.wgsl", &["c.wgsl: no vertex or fragment program", compute][..]),
        ("c.wgsl", &["c.wgsl: no vertex or fragment program", compute]),
        ("none.wgsl", &["none.wgsl: no vertex or fragment program", "mark a function @vertex or @fragment"]),
        (
            "v.vert w.vert f.frag",
            &["more than one vertex program among these: v.vert (main), w.vert (main)", "name one"],
        ),
        ("v.vert w.vert", &["no fragment program among these: v.vert (main), w.vert (main)", "a .frag file"]),
        ("f.frag g.frag", &["no vertex program among these: f.frag (main), g.frag (main)", "a .vert file"]),
        ("v.vert v.vert", &["v.vert is named 2 times, and has 1 program"]),
        ("v.vert f.frag --set link=on", &["--set link=on: there is no such setting", "exact=on"]),
        ("v.vert f.frag --set skip=x", &["--set skip=x: the compiler has no pass `x`"]),
        ("v.vert missing.frag", &["missing.frag"]),
        ("v.vert scene.toml", &["scene.toml: the language cannot be told"]),
    ] {
        refused(dir.path(), &format!("link {args}"), says);
    }
}

/// SPIR-V may have an entry point of one name for each stage: the stage chooses.
#[test]
fn entry_points_of_one_name_are_chosen_by_stage() {
    let op = |code: u32, words: &[u32]| [&[(words.len() as u32 + 1) << 16 | code][..], words].concat();
    let main = [u32::from_le_bytes(*b"main"), 0];
    // 1 void, 2 its function, 3 float, 4 vec4, 5 input, 6 output; 10 to 12 vertex, 13 and 14
    // fragment variables.
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 40, 0];
    words.extend([op(17, &[1]), op(14, &[0, 1])].concat());
    words.extend(op(15, &[&[0, 20][..], &main, &[10, 11, 12]].concat()));
    words.extend(op(15, &[&[4, 21][..], &main, &[13, 14]].concat()));
    words.extend(op(16, &[21, 7]));
    words.extend([10, 12, 13, 14].map(|id| op(71, &[id, 30, 0])).concat());
    words.extend(op(71, &[11, 11, 0]));
    words.extend([op(19, &[1]), op(33, &[2, 1]), op(22, &[3, 32]), op(23, &[4, 3, 4])].concat());
    words.extend([op(32, &[5, 1, 4]), op(32, &[6, 3, 4])].concat());
    words.extend(
        [(5, 10), (6, 11), (6, 12), (5, 13), (6, 14)].map(|(ty, id)| op(59, &[ty, id, ty - 4 + ty / 6])).concat(),
    );
    for (function, input, outputs) in [(20, 10, &[11, 12][..]), (21, 13, &[14])] {
        words.extend([op(54, &[1, function, 0, 2]), op(248, &[function + 4])].concat());
        words.extend(op(61, &[4, function + 6, input]));
        outputs.iter().for_each(|&o| words.extend(op(62, &[o, function + 6])));
        words.extend([op(253, &[]), op(56, &[])].concat());
    }
    let dir = folder(&[]);
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(dir.path().join("two.spv"), bytes).unwrap();
    let all = ["two.spv", "two.spv two.spv", "two.spv --entry main,main", "two.spv two.spv --entry main,main"];
    for args in all {
        let (status, said) = run(dir.path(), &format!("link {args}"));
        let right = said.starts_with("two.spv (vertex main) two.spv (fragment main)");
        assert!(status == 0 && right, "{args}: {status} {said}");
    }
    for args in ["v.vert two.spv", "v.vert two.spv --entry main,main"] {
        let (status, said) = run(dir.path(), &format!("link {args}"));
        assert!(status == 0 && said.contains("two.spv (fragment main)"), "{args}: {said}");
    }
    let scene = SCENE.replace("a.wgsl", "two.spv").replace("\"vs\"", "\"main\"").replace("\"fs\"", "\"main\"");
    let scene = scene.split("[[draw.binding]]").next().unwrap().to_owned();
    std::fs::write(dir.path().join("two.toml"), scene).unwrap();
    let (status, said) = run(dir.path(), "run two.toml --engine golden --set link=on");
    assert_eq!(status, 0, "{said}");
    refused(
        dir.path(),
        "compile two.spv --entry x",
        &["two.spv: no entry point named `x`", "main (Vertex), main (Fragment)"],
    );
}

/// Another way of interpolation is no error; it is told of, as scenes do.
#[test]
fn a_warning_is_told_and_changes_nothing_else() {
    let flat = VERTEX.replace("out vec4 c", "flat out vec4 c");
    let dir = folder(&[("flat.vert", &flat)]);
    let (status, said) = run(dir.path(), "link flat.vert f.frag");
    let warning = "warning: f.frag:2:30: input `c` at location 0 is perspective (at the centre)";
    assert!(status == 0 && said.matches("warning:").count() == 1 && said.contains(warning), "{status} {said}");
    assert!(!run(dir.path(), "link v.vert f.frag").1.contains("warning"));
}
