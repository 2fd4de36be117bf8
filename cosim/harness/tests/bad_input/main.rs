//! Bad input as a user meets it: every mistake is exit status 2 with a place and advice, never a
//! panic, a hang, a file in a wrong place or a success. The shaders beside this file are the
//! smallest that did otherwise; `mutated` makes many more.

mod constants;
mod mutated;

use std::path::{Path, PathBuf};
use std::process::Command;

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { o[id.x] = id.x; }
";

const JOB: &str = "name = \"count\"
shader = \"count.wgsl\"
grid = [1, 1, 1]
[[buffer]]
name = \"o\"
from = { zero = 16 }
out = { csv = \"o.csv\", columns = 4 }
expect = { from = { inline = [0, 1, 2, 3] } }
[machine]
units = 1
warps = 2
[limits]
cycles = 100000
idle = 2000
";

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_input").join(name)
}

/// A folder with the job and its shader.
fn folder(job: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("count.wgsl"), SHADER).unwrap();
    std::fs::write(dir.path().join("job.toml"), job).unwrap();
    dir
}

/// Exit status (none of a signal) and all that was printed.
fn quadlock(dir: &Path, args: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir).output().unwrap();
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr))
}

/// Demands that the job is refused, with these texts, and leaves nothing.
fn refused(job: &str, args: &[&str], says: &[&str]) {
    refused_in(folder(job).path(), args, says);
}

/// The same of the job of a folder.
fn refused_in(dir: &Path, args: &[&str], says: &[&str]) {
    let job = std::fs::read_to_string(dir.join("job.toml")).unwrap();
    let (status, text) = quadlock(dir, &[&["run", "job.toml"], args].concat());
    assert_eq!(status, Some(2), "{args:?}\n{job}\n{text}");
    for say in says {
        assert!(text.contains(say), "{say}: {text}");
    }
    assert!(!dir.join("out").exists(), "{job} left outputs");
}

#[test]
fn the_job_of_these_tests_is_good() {
    let dir = folder(JOB);
    let (status, text) = quadlock(dir.path(), &["run", "job.toml", "--engine", "golden"]);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(std::fs::read_to_string(dir.path().join("out/count/o.csv")).unwrap(), "0,1,2,3\n");
}

#[test]
fn a_define_without_a_name_is_an_error_of_the_source() {
    for (name, place) in [("nameless-define", ":3:"), ("cut-off-define", ":1:"), ("empty-define", ":4:")] {
        let file = here(&format!("{name}.comp"));
        let (status, text) = quadlock(&std::env::temp_dir(), &["compile", file.to_str().unwrap(), "--emit", "report"]);
        assert_eq!(status, Some(2), "{name}: {text}");
        assert!(text.contains(&format!("{name}.comp{place}")), "{name}: {text}");
        assert!(!text.contains("panicked"), "{name}: {text}");
    }
}

#[test]
fn nesting_without_end_is_an_error_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let glsl = |value: &str, before: &str| {
        format!("#version 450\nlayout(local_size_x = 1) in;\nlayout(set=0, binding=0, std430) buffer B {{ int o[]; }};\nvoid main() {{ {before} o[0] = {value}; }}\n")
    };
    let wgsl = |value: &str, before: &str| {
        format!("@group(0) @binding(0) var<storage, read_write> o: array<i32>;\n\n\n@compute @workgroup_size(4) fn main() {{ {before} o[0] = {value}; }}\n")
    };
    let many = |text: &str| text.repeat(100_000);
    let deep = [
        ("a.comp", glsl(&format!("{}1{}", many("("), many(")")), "")),
        ("c.comp", glsl(&format!("{}o[1]", many("- ")), "")),
        ("d.comp", glsl(&format!("{}2", many("o[1]>0?1:")), "")),
        ("e.comp", glsl("1", &format!("{}{}", many("{"), many("}")))),
        ("f.comp", glsl("1", &many("if(o[1]>0) "))),
        ("g.comp", glsl("1", &many("if(o[1]>0) o[2]=1; else "))),
        ("h.wgsl", wgsl(&format!("o[1]{}", many("+o[1]")), "")),
        ("i.wgsl", wgsl(&format!("{}o[1]", many("- ")), "")),
        ("j.wgsl", wgsl("1", &many("if(o[1]>0) {o[2]=1;} else "))),
    ];
    for (name, text) in deep {
        std::fs::write(dir.path().join(name), text).unwrap();
        let (status, text) = quadlock(dir.path(), &["compile", name, "--emit", "report"]);
        assert_eq!(status, Some(2), "{name}: {}", &text[..text.len().min(400)]);
        assert!(text.contains(&format!("{name}:4:")) && text.contains("nested "), "{name}: {text}");
    }
    // As deep as is allowed, or nearly.
    for (name, text) in [
        ("k.comp", glsl(&format!("{}1{}", "(".repeat(1_900), ")".repeat(1_900)), "")),
        ("l.comp", glsl("1", &format!("{}{}", "{".repeat(1_900), "}".repeat(1_900)))),
        ("m.comp", glsl(&format!("{}o[1]", "- ".repeat(1_900)), "")),
        ("n.wgsl", wgsl(&format!("{}o[1]", "- ".repeat(1_900)), "")),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
        let (status, text) = quadlock(dir.path(), &["compile", name, "--emit", "report"]);
        assert_eq!(status, Some(0), "{name}: {}", &text[..text.len().min(400)]);
    }
}

#[test]
fn an_entry_point_that_is_not_there_is_refused_in_every_language() {
    let dir = folder(JOB);
    let glsl = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    std::fs::write(dir.path().join("a.comp"), glsl).unwrap();
    std::fs::write(dir.path().join("a.qasm"), "END\n").unwrap();
    let compile = |args: &[&str]| quadlock(dir.path(), &[&["compile", "-o", "a.elf"], args].concat());
    for shader in ["a.comp", "count.wgsl"] {
        let (status, text) = compile(&[shader, "--entry", "nope"]);
        assert_eq!(status, Some(2), "{shader}: {text}");
        assert!(text.contains("no entry point named `nope`") && text.contains("main"), "{text}");
        assert!(!dir.path().join("a.elf").exists());
    }
    assert_eq!(compile(&["count.wgsl"]).0, Some(0));
    assert_eq!(compile(&["a.comp", "--entry", "main"]).0, Some(0));
    // In a job: a binary and assembly have theirs already.
    let entry = JOB.replace("grid", "entry = \"nope\"\ngrid");
    refused(&entry, &[], &["no entry point named `nope`"]);
    let program = "\n[program]\ngroup-size = [4, 1, 1]\n";
    let of = |shader: &str| entry.replace("count.wgsl", shader).replace("name = \"o\"", "binding = 0") + program;
    for shader in ["a.elf", "a.qasm"] {
        std::fs::write(dir.path().join("job.toml"), of(shader)).unwrap();
        let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
        assert_eq!(status, Some(2), "{shader}: {text}");
        assert!(text.contains("job.toml:3:9") && text.contains("not `nope`"), "{shader}: {text}");
    }
}

#[test]
fn glsl_by_its_ending_is_a_compute_shader() {
    let dir = tempfile::tempdir().unwrap();
    let text = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    for (name, status) in [
        ("a.glsl", 0),
        ("a.comp.glsl", 0),
        ("A.GLSL", 0),
        ("a.v2.glsl", 0),
        ("a.frag.glsl", 2),
        ("a.glsll", 2),
        ("glsl", 2),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
        let (seen, text) = quadlock(dir.path(), &["compile", name, "--emit", "report"]);
        assert_eq!(seen, Some(status), "{name}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn a_device_a_pipe_or_a_folder_is_no_input() {
    let zero = "from = { zero = 16 }";
    for (from, to, at) in [
        (zero, "from = { raw = \"/dev/zero\" }", "job.toml:4:1"),
        (zero, "from = { csv = \"/dev/zero\" }", "job.toml:4:1"),
        (zero, "from = { png = \"/dev/zero\" }", "job.toml:4:1"),
        (zero, "from = { raw = \"pipe\" }", "job.toml:4:1"),
        (zero, "from = { raw = \".\" }", "job.toml:4:1"),
        ("{ inline = [0, 1, 2, 3] }", "{ raw = \"/dev/zero\" }", "job.toml:4:1"),
        ("count.wgsl", "/dev/zero", "job.toml:2:10"),
        ("count.wgsl", "pipe", "job.toml:2:10"),
        ("count.wgsl", "pipe.qasm", "job.toml:2:10"),
    ] {
        let dir = folder(&JOB.replace(from, to));
        for pipe in ["pipe", "pipe.qasm"] {
            assert!(Command::new("mkfifo").arg(dir.path().join(pipe)).status().unwrap().success());
        }
        let text =
            JOB.replace(from, to) + if to.ends_with("qasm") { "[program]\ngroup-size = [4, 1, 1]\n" } else { "" };
        std::fs::write(dir.path().join("job.toml"), text).unwrap();
        let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
        assert_eq!(status, Some(2), "{to}: {text}");
        assert!(
            text.contains(at) && (text.contains("a device or a pipe") || text.contains("a folder")),
            "{to}: {text}"
        );
    }
    let dir = folder(JOB);
    let edges = JOB.replace("grid = [1, 1, 1]\n", "") + "[graph]\nthreads = 2\nedges-from = { raw = \"/dev/zero\" }\n";
    std::fs::write(dir.path().join("graph.toml"), edges).unwrap();
    for args in [
        &["run", "/dev/zero"][..],
        &["run", "graph.toml"],
        &["compile", "/dev/zero"],
        &["disasm", "/dev/zero"],
        &["waves", "/dev/zero"],
        &["crosscheck", "--job", "/dev/zero", "--engine", "rtlsim", "--engine", "interpreter"],
        &["float-check", "--op", "FTRUNC", "--every-operand", "--state", "/dev/zero"],
    ] {
        let (status, text) = quadlock(dir.path(), args);
        assert_eq!(status, Some(2), "{args:?}: {text}");
        assert!(text.contains("a device or a pipe"), "{args:?}: {text}");
    }
}

#[test]
fn contents_larger_than_the_memory_are_refused_before_they_are_made() {
    for from in ["zero = 4294967295", "iota = 4294967295", "random = 4294967295"] {
        refused(&JOB.replace("zero = 16", from), &[], &["job.toml:4:1", "1073741824 are the most"]);
    }
    refused(&JOB.replace("[0, 1, 2, 3]", "[0, 1, 2, 3, 4]"), &[], &["job.toml:4:1", "`expect`", "16 are the most"]);
    let dir = folder(&JOB.replace("zero = 16", "raw = \"huge\""));
    std::fs::File::create(dir.path().join("huge")).unwrap().set_len(1 << 40).unwrap();
    let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("job.toml:4:1") && text.contains("more than the 1073741824 bytes"), "{text}");
}

#[test]
fn outputs_stay_in_their_folder() {
    for kind in ["csv", "raw", "png"] {
        for path in ["../../x", "/tmp/quadlock-must-not-write-this", "a/../../../x", "..", ""] {
            let size = if kind == "png" { ", width = 2, height = 2" } else { "" };
            let out = format!("out = {{ {kind} = \"{path}\"{size} }}");
            refused(
                &JOB.replace("out = { csv = \"o.csv\", columns = 4 }", &out),
                &[],
                &["job.toml:4:1", "leads out of the folder"],
            );
        }
    }
    assert!(!Path::new("/tmp/quadlock-must-not-write-this").exists());
    let two =
        JOB.replace("[machine]", "[[buffer]]\nbinding = 1\nfrom = { zero = 4 }\nout = { raw = \"o.csv\" }\n[machine]");
    refused(&two, &[], &["job.toml:9:1", "two outputs are written to o.csv"]);
    let other = |path: &str| two.replace("raw = \"o.csv\"", &format!("raw = \"{path}\""));
    refused(&other("./o.csv"), &[], &["job.toml:9:1", "two outputs are written to o.csv"]);
    refused(&other("o.csv/x"), &[], &["job.toml:9:1", "one would be a folder"]);
    refused(&JOB.replace("csv = \"o.csv\"", "csv = \"o.csv\", raw = \"o\""), &[], &["exactly one target"]);
    refused(&JOB.replace("csv = \"o.csv\", columns = 4", "png = \"o.png\", width = 3, height = 2"), &[], &["3x2"]);
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_an_output_out_of_its_folder() {
    let dir = folder(&JOB.replace("o.csv", "link/o.csv"));
    std::fs::create_dir_all(dir.path().join("out/count")).unwrap();
    std::os::unix::fs::symlink(dir.path(), dir.path().join("out/count/link")).unwrap();
    let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("job.toml:4:1") && text.contains("a symbolic link leads out"), "{text}");
    assert!(!dir.path().join("o.csv").exists());
    // A link in the place of the file itself is replaced, not followed.
    let dir = folder(JOB);
    std::fs::create_dir_all(dir.path().join("out/count")).unwrap();
    std::fs::write(dir.path().join("mine"), "mine").unwrap();
    std::os::unix::fs::symlink(dir.path().join("mine"), dir.path().join("out/count/o.csv")).unwrap();
    let (status, text) = quadlock(dir.path(), &["run", "job.toml", "--engine", "golden"]);
    assert_eq!(status, Some(0), "{text}");
    assert_eq!(std::fs::read_to_string(dir.path().join("mine")).unwrap(), "mine");
}

#[cfg(unix)]
#[test]
fn two_outputs_do_not_meet_in_one_file_by_a_link() {
    let second = "[[buffer]]\nname = \"p\"\nfrom = { zero = 16 }\nout = { raw = \"b/x\" }\n[machine]";
    let dir = folder(&JOB.replace("csv = \"o.csv\"", "csv = \"a/x\"").replace("[machine]", second));
    let shader = SHADER.replace("= id.x;", "= id.x; p[id.x] = 1u;");
    let shader = format!("@group(0) @binding(1) var<storage, read_write> p: array<u32>;\n{shader}");
    std::fs::write(dir.path().join("count.wgsl"), shader).unwrap();
    std::fs::create_dir_all(dir.path().join("out/count/a")).unwrap();
    std::os::unix::fs::symlink("a", dir.path().join("out/count/b")).unwrap();
    let (status, text) = quadlock(dir.path(), &["run", "job.toml", "--engine", "golden"]);
    assert_eq!(status, Some(2), "{text}");
    assert!(text.contains("job.toml:9:1") && text.contains("two outputs are written to"), "{text}");
    assert!(!dir.path().join("out/count/a/x").exists());
    std::fs::remove_file(dir.path().join("out/count/b")).unwrap();
    std::fs::create_dir_all(dir.path().join("out/count/b/x")).unwrap();
    let (status, text) = quadlock(dir.path(), &["run", "job.toml", "--engine", "golden"]);
    assert!(status == Some(2) && text.contains("b/x is a folder"), "{text}");
    assert!(!dir.path().join("out/count/a/x").exists());
}

#[test]
fn an_entry_of_reserve_that_is_no_number_is_told_what_to_be() {
    let graph = "[graph]\npattern = \"chain\"\nlength = 2\nreserve = [";
    for entry in ["-1", "1.5", "4294967296", "true", "[1]"] {
        let job = JOB.replace("grid = [1, 1, 1]", &format!("{graph}{entry}]"));
        refused(&job, &[], &["job.toml:6:11", "a number from 0 on, 8, or a range, \"8-15\""]);
    }
}

#[test]
fn a_source_that_is_not_text_has_a_place() {
    let dir = folder(JOB);
    std::fs::write(dir.path().join("count.wgsl"), [SHADER.as_bytes(), b"// caf\xe9\n"].concat()).unwrap();
    let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
    assert!(status == Some(2) && text.contains("count.wgsl:3:7: the source is not UTF-8"), "{text}");
}

/// Every number of a job and of `--set` that must not be 0.
#[test]
fn a_zero_that_means_nothing_is_refused() {
    for (from, to, at) in [
        ("columns = 4", "columns = 0", "job.toml:7:"),
        ("csv = \"o.csv\", columns = 4", "png = \"o\", width = 0, height = 1", "job.toml:7:"),
        ("csv = \"o.csv\", columns = 4", "png = \"o\", width = 1, height = 0", "job.toml:7:"),
        ("cycles = 100000", "cycles = 0", "job.toml:12:1"),
        ("idle = 2000", "idle = 0", "job.toml:12:1"),
        ("grid = [1, 1, 1]", "grid = [1, 0, 1]", "job.toml:3:"),
        ("grid = [1, 1, 1]", "threads = [0, 1, 1]", "job.toml:3:"),
        ("zero = 16", "zero = 0", "job.toml:6:"),
        ("zero = 16", "iota = 0", "job.toml:6:"),
        ("zero = 16", "random = 0", "job.toml:6:"),
        ("{ inline = [0, 1, 2, 3] }", "{ inline = [] }", "job.toml:4:1"),
        ("{ inline = [0, 1, 2, 3] }", "{ zero = 0 }", "job.toml:8:"),
        ("inline = [0, 1, 2, 3] }", "inline = [0] }, abs = -1.0", "job.toml:4:1"),
        ("inline = [0, 1, 2, 3] }", "inline = [0] }, abs = nan", "job.toml:4:1"),
        ("units = 1", "units = 0", "job.toml:10:"),
        ("warps = 2", "warps = 0", "job.toml:11:"),
        ("units = 1", "rows = 0", "job.toml:10:"),
        ("units = 1", "cores = 0", "job.toml:10:"),
        ("units = 1", "icache-lines = 0", "job.toml:10:"),
        ("units = 1", "shared-words = 0", "job.toml:10:"),
        ("units = 1", "semaphores = 0", "job.toml:10:"),
        ("units = 1", "semaphore-pool = 0", "job.toml:10:"),
        ("[machine]", "[memory]\nlatency = 0\n[machine]", "job.toml:9:1"),
        ("[machine]", "[program]\ngroup-size = [4, 0, 1]\n[machine]", "job.toml:10:"),
        ("[machine]", "[program]\ngroup-size = [4, 1, 1, 1]\n[machine]", "job.toml:10:"),
    ] {
        assert!(JOB.contains(from), "{from}");
        refused(&JOB.replacen(from, to, 1), &[], &[at]);
    }
    for pattern in [
        "pattern = \"chain\"\nlength = 0",
        "pattern = \"fan-in\"\ncount = 0",
        "pattern = \"all-to-all\"\nfrom = 0\nto = 1",
        "pattern = \"wavefront\"\nsize = [0, 1]",
        "pattern = \"chain\"\nlength = 1\ncopies = 0",
        "threads = 0",
        "threads = 1\nsemaphores = 0",
    ] {
        let job = JOB.replace("grid = [1, 1, 1]\n", "") + "[graph]\n" + pattern + "\n";
        refused(&job, &[], &["job.toml:"]);
    }
    let keys = "cycles idle latency units warps rows cores icache-lines shared-words semaphores semaphore-pool";
    for key in keys.split(' ') {
        refused(JOB, &["--set", &format!("{key}=0")], &[key.split('-').next().unwrap()]);
    }
    for args in [
        &["bench", "sim", "--rounds", "0"][..],
        &["bench", "float", "--rounds", "0"],
        &["fuzz", "--jobs", "0"],
        &["fuzz", "--programs", "0"],
        &["fuzz", "--units", "0"],
        &["crosscheck", "--icarus-cycles", "0"],
        &["run", "job.toml", "--wave-limit", "0"],
        &["run", "job.toml", "--wave-limit", "99999999999999999"],
    ] {
        let dir = folder(JOB);
        let (status, text) = quadlock(dir.path(), args);
        assert_eq!(status, Some(2), "{args:?}: {text}");
    }
}

/// The later of two entries for one core would silently take the earlier one's place.
#[test]
fn two_entries_for_one_core_are_refused() {
    let core = |column: u32, key: &str| format!("[[machine.core]]\nrow = 0\ncolumn = {column}\n{key}\n");
    let job = |second: u32| {
        let entries = core(0, "units = 1") + &core(second, "warps = 4");
        JOB.replace("[machine]", "[machine]\ncores = 2").replace("[limits]", &(entries + "[limits]"))
    };
    let says = ["job.toml:17:1: ", "two entries for core.0.0", "one [[machine.core]]"];
    refused(&job(0), &[], &says);
    let dir = folder(&job(1));
    let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn sizes_beyond_all_machines_are_refused_without_overflow() {
    let most = u32::MAX;
    refused(&JOB.replace("[1, 1, 1]", &format!("[{most}, {most}, {most}]")), &[], &["work groups; at most"]);
    refused(
        &JOB.replace("grid = [1, 1, 1]", &format!("threads = [{most}, {most}, 2]")),
        &[],
        &["work groups; at most"],
    );
    let dir = folder("");
    std::fs::write(dir.path().join("a.qasm"), "END\n").unwrap();
    let job = JOB.replace("count.wgsl", "a.qasm").replace("name = \"o\"", "binding = 0");
    for program in [
        "group-size = [65536, 65536, 65536]",
        "group-size = [4, 1, 1]\nshared-bytes = 4294967295",
        "group-size = [4, 1, 1]\nstack-bytes = 4294967295",
    ] {
        std::fs::write(dir.path().join("job.toml"), format!("{job}[program]\n{program}\n")).unwrap();
        let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
        assert_eq!(status, Some(2), "{program}: {text}");
    }
    std::fs::write(
        dir.path().join("job.toml"),
        job.replace("binding = 0", "binding = 4294967295") + "[program]\ngroup-size = [4, 1, 1]\n",
    )
    .unwrap();
    let (status, text) = quadlock(dir.path(), &["run", "job.toml"]);
    assert_eq!(status, Some(2), "{text}");
}
