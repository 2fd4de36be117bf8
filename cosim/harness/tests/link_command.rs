//! `quadlock link` as a user meets it: which programs it links, which files it writes, what it says
//! of uniforms. Status 2 and a word on what to write wherever something is left open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadlock_shader::interface::Stage;
use quadlock_shader::ShaderBinary;

/// One vertex and one fragment program. `mode` is shared by both.
const BOTH: &str = "
struct U { mode: f32, gain: f32 }
@group(0) @binding(0) var<uniform> u: U;
struct V { @builtin(position) p: vec4f, @location(0) c: vec4f, @location(1) k: f32 }
@fragment fn fs(v: V) -> @location(0) vec4f {
  if (u.mode > 0.5) { return v.c; }
  return vec4f(v.k);
}
@vertex fn vs(@location(0) p: vec4f, @location(1) c: vec4f) -> V {
  if (u.mode > 0.5) { return V(p, c, p.x); }
  return V(p, c * u.gain, p.y);
}
";

/// Another vertex program that gives the same, another that gives less, and a compute program.
const MORE: &str = "
@vertex fn same(@location(0) p: vec4f) -> V { return V(p, p, 1.0); }
struct Less { @builtin(position) p: vec4f, @location(0) c: vec4f }
@vertex fn less(@location(0) p: vec4f) -> Less { return Less(p, p); }
@compute @workgroup_size(1) fn no_stage() {}
";

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/linked").join(name);
    path.display().to_string()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

/// Status and everything that is printed, in one line.
fn link(dir: &Path, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).arg("link").args(args).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap_or(-1), text)
}

fn linked(dir: &Path, args: &[&str]) -> String {
    let (status, text) = link(dir, args);
    assert_eq!(status, 0, "{args:?}: {text}");
    text
}

/// An error's text: on one line, whatever width it was broken to.
fn refused(dir: &Path, args: &[&str]) -> String {
    let (status, text) = link(dir, args);
    assert_eq!(status, 2, "{args:?}: {text}");
    let text = text.replace("= help:", "");
    let words = text.split_whitespace().filter(|w| *w != "│");
    words.collect::<Vec<_>>().join(" ")
}

/// The files of a folder: stage, source and code.
fn binaries(folder: PathBuf) -> BTreeMap<String, (Stage, String, Vec<u64>)> {
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let binary = ShaderBinary::read(&std::fs::read(&path).unwrap()).unwrap();
        let source = Path::new(&binary.files[0]).file_name().unwrap().to_string_lossy().into_owned();
        (path.file_name().unwrap().to_string_lossy().into_owned(), (binary.interface.stage, source, binary.code))
    };
    std::fs::read_dir(folder).unwrap().map(file).collect()
}

/// The example with both of its fragment programs, and a choice of vertex programs.
fn three(dir: &Path, vertex_programs: &str, more: &[&str]) -> String {
    let shaders = ["linked.vert", "linked.frag", "second.frag"].map(example);
    let uniforms = example("uniforms.toml");
    let mut args: Vec<&str> = shaders.iter().map(String::as_str).collect();
    args.extend(["--uniforms", &uniforms, "--vertex-programs", vertex_programs]);
    args.extend(more);
    linked(dir, &args)
}

/// A vertex program for each fragment program: four programs, four files, none under another's
/// name; and the JSON says which pair each is of.
#[test]
fn pairs_have_files_of_their_own() {
    let dir = folder(&[]);
    three(dir.path(), "each", &["--output", "o", "--json", "j.json"]);
    let all = binaries(dir.path().join("o"));
    let told: Vec<(&str, Stage, &str)> =
        all.iter().map(|(n, (stage, source, _))| (&n[..], *stage, &source[..])).collect();
    let want = [
        ("linked.frag.elf", Stage::Fragment, "linked.frag"),
        ("linked.vert.1.elf", Stage::Vertex, "linked.vert"),
        ("linked.vert.2.elf", Stage::Vertex, "linked.vert"),
        ("second.frag.elf", Stage::Fragment, "second.frag"),
    ];
    assert_eq!(told, want);
    assert_ne!(all["linked.vert.1.elf"].2, all["linked.vert.2.elf"].2);
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("j.json")).unwrap()).unwrap();
    let after = json["after"]["stages"].as_array().unwrap();
    let pairs: Vec<(&str, u64)> =
        after.iter().map(|s| (s["stage"].as_str().unwrap(), s["pair"].as_u64().unwrap())).collect();
    assert_eq!(pairs, [("vertex", 1), ("fragment", 1), ("vertex", 2), ("fragment", 2)]);
    for (stage, name) in
        after.iter().zip(["linked.vert.1.elf", "linked.frag.elf", "linked.vert.2.elf", "second.frag.elf"])
    {
        assert_eq!(stage["instructions"].as_u64().unwrap(), all[name].2.len() as u64, "{name}");
    }
    let turns: Vec<(u64, u64)> = json["iterations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| (i["pair"].as_u64().unwrap(), i["turn"].as_u64().unwrap()))
        .collect();
    assert_eq!(turns, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]);
    assert_eq!(json["before"]["stages"].as_array().unwrap().len(), 3);
}

#[test]
fn a_common_vertex_program_is_one_file() {
    let dir = folder(&[]);
    three(dir.path(), "one", &["--output", "o", "--json", "j.json"]);
    let all = binaries(dir.path().join("o"));
    let names: Vec<&String> = all.keys().collect();
    assert_eq!(names, ["linked.frag.elf", "linked.vert.elf", "second.frag.elf"]);
    let json = std::fs::read_to_string(dir.path().join("j.json")).unwrap();
    assert!(!json.contains("\"pair\""), "{json}");
}

/// SSA of a source stands beside what it has become, in both pairs.
#[test]
fn every_text_says_of_which_program_it_is() {
    let dir = folder(&[]);
    let titles = |text: &str, mark: &str| -> Vec<String> {
        let all = text.lines().filter(|l| l.starts_with(mark));
        all.map(|l| l.replace(&example(""), "")).collect()
    };
    let ir = three(dir.path(), "each", &["--emit", "ir"]);
    let want = [
        "// alone: linked.vert (vertex main)",
        "// linked: linked.vert (vertex main, pair 1)",
        "// linked: linked.vert (vertex main, pair 2)",
        "// alone: linked.frag (fragment main)",
        "// linked: linked.frag (fragment main, pair 1)",
        "// alone: second.frag (fragment main)",
        "// linked: second.frag (fragment main, pair 2)",
    ];
    assert_eq!(titles(&ir, "// "), want);
    let asm = three(dir.path(), "each", &["--emit", "asm"]);
    assert!(asm.contains("linked.vert (vertex main, pair 2)\n"), "{asm}");
    let report = three(dir.path(), "each", &[]);
    assert!(report.contains("\npair 2, turn 1\n") && !report.contains("turn 4"), "{report}");
    let heading = report.lines().find(|l| l.contains("operations")).unwrap();
    assert!(["inputs", "outputs", "attributes"].iter().all(|n| heading.contains(n)), "{heading}");
    // Each row ends with its inputs, outputs, attributes and derived uniforms.
    let ends = |name: &str| {
        let row = report.lines().find(|l| l.starts_with(name)).unwrap();
        row.split_whitespace().rev().take(4).map(|n| n.parse::<u32>().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ends("before "), [0, 3, 6, 3]);
    assert_eq!(ends("pair 1, turn 1 "), [1, 2, 4, 2]);
    assert_eq!(ends("pair 2, after "), [0, 1, 1, 1]);
}

/// One file with a program of each stage needs no more words (LP-3), and gives two files.
#[test]
fn one_file_has_both_programs() {
    let dir = folder(&[("a.wgsl", BOTH)]);
    let want = linked(dir.path(), &["a.wgsl", "--emit", "asm", "--output", "o"]);
    let all = binaries(dir.path().join("o"));
    let stages: Vec<(&str, Stage)> = all.iter().map(|(name, b)| (name.as_str(), b.0)).collect();
    assert_eq!(stages, [("a.wgsl.fragment.elf", Stage::Fragment), ("a.wgsl.vertex.elf", Stage::Vertex)]);
    for args in [
        &["a.wgsl", "a.wgsl"][..],
        &["a.wgsl", "./a.wgsl"],
        &["a.wgsl", "--entry", "vs,fs"],
        &["a.wgsl", "--entry", "fs,vs"],
        &["a.wgsl", "a.wgsl", "--entry", "fs,vs"],
    ] {
        let got = linked(dir.path(), &[args, &["--emit", "asm", "--output", "o"]].concat());
        assert_eq!(got.replace("./a.wgsl", "a.wgsl"), want, "{args:?}");
    }
}

#[test]
fn programs_are_sorted_by_stage() {
    let dir = folder(&[]);
    let [vert, frag] = ["linked.vert", "linked.frag"].map(example);
    assert_eq!(linked(dir.path(), &[&frag, &vert]), linked(dir.path(), &[&vert, &frag]));
    // GLSL whose name says no stage is what the other file leaves, or what fits.
    for name in ["v.glsl", "f.glsl"] {
        let from = if name == "v.glsl" { &vert } else { &frag };
        std::fs::copy(from, dir.path().join(name)).unwrap();
    }
    for [fragment, vertex] in [["f.glsl", &vert], [&frag, "v.glsl"], ["f.glsl", "v.glsl"]] {
        let report = linked(dir.path(), &[fragment, vertex]);
        let want = format!("{vertex} (vertex main)\n{fragment} (fragment main)\n");
        assert!(report.starts_with(&want), "{report}");
    }
}

/// Of several programs those are linked whose outputs fit the inputs (LP-3), if that says which.
#[test]
fn outputs_that_fit_inputs_decide() {
    let less = BOTH.replace("@vertex fn vs", "fn unused") + MORE.split_once('\n').unwrap().1;
    let less = less.replace("@location(0) p: vec4f, @location(1) c: vec4f) -> V {", "p: vec4f, c: vec4f) -> V {");
    let dir = folder(&[("less.wgsl", &less), ("more.wgsl", &(BOTH.to_owned() + MORE))]);
    let report = linked(dir.path(), &["less.wgsl"]);
    assert!(report.starts_with("less.wgsl (vertex same)\nless.wgsl (fragment fs)\n"), "{report}");
    let said = refused(dir.path(), &["more.wgsl"]);
    assert!(
        said.contains("more than one choice") && said.contains("write --entry vs,fs, or --entry same,fs"),
        "{said}"
    );
    let report = linked(dir.path(), &["more.wgsl", "--entry", "same,fs"]);
    assert!(report.starts_with("more.wgsl (vertex same)\n"), "{report}");
    // Named, what does not fit is an error at its place.
    let said = refused(dir.path(), &["more.wgsl", "--entry", "less,fs"]);
    assert!(said.contains("more.wgsl:"), "{said}");
}

#[test]
fn what_cannot_be_decided_says_what_to_write() {
    let compute = "@compute @workgroup_size(1) fn c() {}";
    let both = BOTH.to_owned() + MORE;
    let dir = folder(&[("a.wgsl", &both), ("c.wgsl", compute), ("x.txt", ""), ("b.glsl", "")]);
    let [vert, frag] = ["linked.vert", "linked.frag"].map(example);
    for (args, says) in [
        (&[vert.as_str()][..], "no fragment program among these"),
        (&[&frag], "name the vertex program that feeds them"),
        (&[&vert, &vert, &frag], "linked.vert is named 2 times, and has 1 program"),
        (&["a.wgsl", &frag, "--entry", "fs,main"], "no vertex program among these: a.wgsl (fs)"),
        (&["a.wgsl", &vert, "--entry", "vs,main"], "no fragment program among these"),
        (&["a.wgsl", "--entry", "vs,same,fs"], "more than one vertex program among these: a.wgsl (vs), a.wgsl (same)"),
        (&["a.wgsl", "--entry", "vs,fs2"], "choose one of: fs, vs, same, less"),
        (&["a.wgsl", "--entry", "vs,no_stage"], "no_stage is a compute shader"),
        (&["a.wgsl", &vert, &frag, "--entry", "vs,fs"], "--entry names 2 entry points for 3 programs"),
        (&["c.wgsl", &vert], "c.wgsl: no vertex or fragment program"),
        (&["x.txt", &vert], "the language cannot be told"),
        (&["b.glsl"], "b.glsl is one program"),
        (&["b.glsl", "b.glsl"], "b.glsl is named 2 times"),
    ] {
        let said = refused(dir.path(), args);
        assert!(said.contains(says), "{args:?}: {said}");
    }
}

/// A name of two fragment programs, in buffers of their own, is known to both.
#[test]
fn uniforms_of_several_programs_are_all_given() {
    let fragment = |name: &str, binding: u32| {
        format!(
            "struct U{name} {{ k: f32 }}
            @group(0) @binding({binding}) var<uniform> u{name}: U{name};
            @fragment fn {name}(v: V) -> @location(0) vec4f {{
              if (u{name}.k > 0.5) {{ return v.c; }}
              return vec4f(v.k);
            }}\n"
        )
    };
    let text = BOTH.to_owned() + &fragment("one", 1) + &fragment("two", 2);
    let dir = folder(&[("a.wgsl", &text), ("u.toml", "[fragment]\nk = 1.0\n")]);
    let args = ["a.wgsl", "--entry", "vs,one,two", "--uniforms", "u.toml", "--vertex-programs", "each"];
    let report = linked(dir.path(), &args);
    let right = report.lines().find(|l| l.starts_with("right while")).unwrap();
    assert!(right.contains("pair 1, ") && right.contains("pair 2, "), "{right}");
}

/// Two stages that share a buffer give one value of a word, or one of them leaves it open.
#[test]
fn uniforms_of_a_shared_buffer_agree() {
    let dir = folder(&[("a.wgsl", BOTH)]);
    let run = |text: &str| {
        std::fs::write(dir.path().join("u.toml"), text).unwrap();
        link(dir.path(), &["a.wgsl", "--uniforms", "u.toml", "--emit", "asm"])
    };
    let (_, known) = run("[vertex]\nmode = 1.0\n");
    let (_, other) = run("[vertex]\nmode = 0.0\n");
    assert_ne!(known, other);
    for same in [
        "[fragment]\nmode = 1\n",
        "[vertex]\nmode = 1.0\n[fragment]\nmode = 1\n",
        "[vertex]\nmode = 1.0\n[fragment]\nmode = \"unknown\"\n",
        "[vertex]\nmode = \"unknown\"\n[fragment]\nmode = 1.0\n",
    ] {
        assert_eq!(run(same), (0, known.clone()), "{same}");
    }
    std::fs::write(dir.path().join("u.toml"), "[vertex]\nmode = 1.0\n\n[fragment]\nmode = 0.0\n").unwrap();
    let said = refused(dir.path(), &["a.wgsl", "--uniforms", "u.toml"]);
    for says in ["`mode` of [fragment] is 0.0", "`mode` of [vertex] is 1.0 (u.toml:2:1)", "u.toml:5:1", "binding 0"] {
        assert!(said.contains(says), "{says}: {said}");
    }
}

/// Overrides take their values as in `run`; one that no program has is an error.
#[test]
fn constants_of_the_command_line_reach_both_stages() {
    let both = format!(
        "override gain: f32 = 1.0;\noverride mode: bool = true;\n{}",
        "
struct V { @builtin(position) p: vec4f, @location(0) c: vec4f }
@vertex fn vs(@location(0) p: vec4f) -> V { if (mode) { return V(p, p * gain); } return V(p, vec4f(sqrt(p.x))); }
@fragment fn fs(v: V) -> @location(0) vec4f { if (mode) { return v.c; } return vec4f(1.0 / v.c.x); }
"
    );
    let dir = folder(&[("both.wgsl", &both)]);
    let asm = |args: &[&str]| linked(dir.path(), &[&["both.wgsl", "--emit", "asm"], args].concat());
    let (plain, off) = (asm(&[]), asm(&["--constant", "mode=false"]));
    assert!(!plain.contains("FSQRT") && off.contains("FSQRT") && off.contains("F2UN"), "{off}");
    assert_ne!(plain, asm(&["--constant", "gain=2.5"]));
    for (given, says) in [
        ("mod=false", "--constant mod: no program has a constant of that name or id"),
        ("mode", "--constant mode: not NAME=VALUE"),
        ("gain=much", "neither a number nor true or false"),
    ] {
        let (status, text) = link(dir.path(), &["both.wgsl", "--constant", given]);
        assert!(status == 2 && text.contains(says), "{text}");
    }
}
