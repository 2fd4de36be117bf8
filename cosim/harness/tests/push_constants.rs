//! Push constants have no number, so scenes and jobs choose them by name; any other buffer may be
//! chosen so, too. Each error says which key to write.
//!
//! A picture with push constants is compared with the one of the same programs with a uniform
//! buffer.

use crate::command::run;

const VERTEX: &str = "#version 450
layout(push_constant) uniform P { vec4 scale; layout(offset = 32) float other; } pc;
layout(location = 0) in vec2 p;
layout(location = 0) out float x;
void main() { gl_Position = vec4(p * pc.scale.xy, 0.5, 1); x = pc.scale.z; }
";
const FRAGMENT: &str = "#version 450
layout(push_constant) uniform Q { layout(offset = 16) vec4 tint; };
layout(location = 0) in float x;
layout(location = 0) out vec4 r;
void main() { if (tint.w > 0.5) r = tint; else r = vec4(x); }
";
const SCENE: &str = r#"name = "push"
[target]
width = 16
height = 16
[mesh.one]
attributes.position = [[-1, -1], [1, -1], [0, 1]]
[[draw]]
mesh = "one"
vertex = "p.vert"
fragment = "p.frag"
[[draw.binding]]
name = "pc"
values = [0.5, 1.0, 0.25, 0.0, 1.0, 0.5, 0.25, 0.75, 2.0]
"#;
const KEY: &str = "name = \"pc\"";

/// The programs with a uniform buffer in the place of push constants.
fn with_buffer() -> [(&'static str, String); 2] {
    let of = |text: &str| text.replace("layout(push_constant)", "layout(set = 1, binding = 3)");
    [("p.vert", of(VERTEX)), ("p.frag", of(FRAGMENT))]
}

fn folder(scene: &str, more: &[(&str, String)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let usual = [("p.vert", VERTEX), ("p.frag", FRAGMENT), ("scene.toml", scene)].map(|(n, t)| (n, t.to_owned()));
    usual.iter().chain(more).for_each(|(name, text)| std::fs::write(dir.path().join(name), text).unwrap());
    dir
}

fn drawn(scene: &str, more: &[(&str, String)], options: &[&str]) -> Vec<u8> {
    let dir = folder(scene, more);
    let (code, said) = run(dir.path(), &[&["run", "scene.toml", "--png", "o.png"][..], options].concat());
    assert_eq!(code, 0, "{options:?}: {said}");
    std::fs::read(dir.path().join("o.png")).unwrap()
}

fn refused(scene: &str, more: &[(&str, String)], says: &[&str]) {
    for options in [&["--engine", "golden"][..], &["--engine", "golden", "--set", "link=values"]] {
        let dir = folder(scene, more);
        let (code, said) = run(dir.path(), &[&["run", "scene.toml"][..], options].concat());
        assert!(code == 2 && !said.contains("panicked"), "{code} {said}");
        for part in says {
            assert!(said.contains(part), "{options:?}: no `{part}` in {said}");
        }
    }
}

/// Any of the names that programs have for them, alone and linked.
#[test]
fn a_scene_gives_push_constants_by_name() {
    let by_number = SCENE.replace(KEY, "group = 1\nbinding = 3");
    let want = drawn(&by_number, &with_buffer(), &["--engine", "golden"]);
    for key in [KEY, "name = \"Q\""] {
        for link in ["off", "on", "values"] {
            let options = ["--engine", "golden", "--set", &format!("link={link}")];
            let got = drawn(&SCENE.replace(KEY, key), &[], &options);
            assert!(got == want, "{key}, link={link}: another picture");
        }
    }
    let other = SCENE.replace("0.75, 2.0", "0.25, 2.0");
    assert!(drawn(&other, &[], &["--engine", "golden", "--set", "link=values"]) != want);
    assert!(drawn(SCENE, &[], &[]) == want, "in lockstep");
}

#[test]
fn any_buffer_of_a_scene_has_a_name() {
    let number = SCENE.replace(KEY, "group = 1\nbinding = 3");
    for key in [KEY, "name = \"Q\""] {
        let name = SCENE.replace(KEY, key);
        for link in ["off", "values"] {
            let options = ["--engine", "golden", "--set", &format!("link={link}")];
            assert!(drawn(&name, &with_buffer(), &options) == drawn(&number, &with_buffer(), &options), "{key}");
        }
    }
}

#[test]
fn errors_of_a_scene_say_which_key_to_write() {
    let cut = SCENE.find("[[draw.binding]]").unwrap();
    let without = &SCENE[..cut];
    refused(
        without,
        &[],
        &["scene.toml:7:1: error: `pc` (push constants) has no data", "add a [[draw.binding]] with name = \"pc\""],
    );
    refused(
        without,
        &with_buffer(),
        &["`pc` (group 1 binding 3) has no data", "add a [[draw.binding]] with group = 1 and binding = 3"],
    );
    let passes = without.replace("[[draw]]", "[[pass]]\n[[pass.draw]]");
    refused(&passes, &[], &["has no data", "add a [[pass.draw.binding]] with name = \"pc\""]);
    let all = "the programs have: `Q` (push constants); `pc` (push constants); push constants are chosen by name = ";
    for (key, says) in [
        ("name = \"none\"", &["scene.toml:11:1: error: no program of the draw has `none`", all][..]),
        ("group = 4294967295\nbinding = 0", &["no program of the draw has group 4294967295 binding 0", all]),
        ("binding = 0", &["no program of the draw has group 0 binding 0", all]),
        ("", &["scene.toml:11:1: error: a buffer is chosen by `name` or by `binding`", "give one of the two"]),
        ("name = \"pc\"\nbinding = 0", &["a buffer is chosen by `name` or by `binding`"]),
    ] {
        refused(&SCENE.replace(KEY, key), &[], says);
    }
    let twice = format!("{SCENE}[[draw.binding]]\nname = \"Q\"\nzero = 48\n");
    refused(&twice, &[], &["scene.toml:14:1: error: push constants of draw 0 is given twice"]);
    let short = SCENE.replace(", 0.75, 2.0", "");
    refused(&short, &[], &["`pc` needs 36 bytes, its binding has 28"]);
}

/// A name that stands for two buffers is not guessed at.
#[test]
fn a_name_of_two_buffers_is_refused() {
    let f = FRAGMENT.replace("layout(push_constant) uniform Q", "layout(binding = 2) uniform P");
    let f = f.replace("tint; };", "tint; } pc;").replace("tint.w", "pc.tint.w").replace("= tint", "= pc.tint");
    let says = [
        "the name `pc` stands for push constants and group 0 binding 2",
        "give the push constants another name in their program, or write binding = 2",
    ];
    refused(SCENE, &[("p.frag", f)], &says);
}

const JOB: &str = "name = \"j\"
shader = \"c.comp\"
grid = [1, 1, 1]
[[buffer]]
binding = 1
from = { zero = 16 }
expect = { from = { inline = [7, 7, 7, 7] } }
";
const COMPUTE: &str = "#version 450
layout(local_size_x = 4) in;
layout(push_constant) uniform U { uint value; } u;
layout(set = 0, binding = 1) buffer B { uint all[]; };
layout(set = 2, binding = 5) uniform W { uint more; } w;
void main() { all[gl_GlobalInvocationID.x] = u.value + w.more; }
";

#[test]
fn errors_of_a_job_say_which_key_to_write() {
    let uniform = |key: &str, value: u32| format!("[[uniform]]\n{key}\nvalues = [{value}]\n");
    let (push, number) = (uniform("name = \"u\"", 3), uniform("group = 2\nbinding = 5", 4));
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("c.comp"), COMPUTE).unwrap();
    let job = |more: &[&String]| {
        let text = more.iter().fold(JOB.to_owned(), |text, more| text + more);
        std::fs::write(dir.path().join("job.toml"), text).unwrap();
        run(dir.path(), &["run", "job.toml", "--engine", "golden"])
    };
    assert_eq!(job(&[&push, &number]).0, 0, "{}", job(&[&push, &number]).1);
    let magic = uniform("group = 4294967295\nbinding = 0", 3);
    for (more, says) in [
        (&[&number][..], "no contents for `u` (push constants)"),
        (&[&number], "add [[uniform]] with name = \"u\""),
        (&[&push], "no contents for `w` (group 2 binding 5)"),
        (&[&push], "add [[uniform]] with group = 2 and binding = 5"),
        (&[&magic, &number], "the program has no buffer group 4294967295 binding 0"),
        (
            &[&magic, &number],
            "`u` (push constants); `w` (group 2 binding 5); push constants are chosen by name = \"u\"",
        ),
    ] {
        let (code, said) = job(more);
        assert!(code == 2 && said.contains(says), "no `{says}` in {said}");
    }
    // The elements of an array of buffers have one number.
    let array =
        COMPUTE.replace("uniform W { uint more; } w", "uniform W { uint more; } w[2]").replace("w.more", "w[1].more");
    std::fs::write(dir.path().join("c.comp"), array).unwrap();
    let (first, second) = (uniform("name = \"w[0]\"", 0), uniform("name = \"w[1]\"", 4));
    let (code, said) = job(&[&push, &first]);
    assert!(code == 2 && said.contains("add [[uniform]] with name = \"w[1]\""), "{said}");
    assert_eq!(job(&[&push, &first, &second]).0, 0, "{}", job(&[&push, &first, &second]).1);
}
