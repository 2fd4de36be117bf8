//! The command as a user meets it: exit statuses (0 pass, 1 mismatch or wrong output, 2 bad input),
//! errors that name file, line and column, files written whole, a report with stable keys.

use std::path::Path;
use std::process::{Command, Output};

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    o[id.x] = id.x * 3u + 1u;
}
";

const JOB: &str = "name = \"three\"
shader = \"three.wgsl\"
grid = [2, 1, 1]
[[buffer]]
name = \"o\"
from = { zero = 32 }
out = { csv = \"o.csv\", columns = 8 }
expect = { from = { inline = [1, 4, 7, 10, 13, 16, 19, 22] } }
[machine]
units = 1
warps = 2
";

fn quadlock(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).current_dir(dir).output().unwrap()
}

fn job(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("three.wgsl"), SHADER).unwrap();
    std::fs::write(dir.path().join("job.toml"), text).unwrap();
    dir
}

/// Exit status and everything printed.
fn run(text: &str, args: &[&str]) -> (i32, String) {
    let dir = job(text);
    let mut all = vec!["run", "job.toml"];
    all.extend(args);
    let out = quadlock(dir.path(), &all);
    (
        out.status.code().unwrap(),
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr),
    )
}

#[test]
fn a_job_passes_in_lockstep_and_leaves_outputs_report_and_waves() {
    let dir = job(JOB);
    let out = quadlock(dir.path(), &["run", "job.toml", "--report", "r.json", "--vcd", "w/t.vcd"]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(std::fs::read_to_string(dir.path().join("out/three/o.csv")).unwrap(), "1,4,7,10,13,16,19,22\n");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    assert_eq!(report["verdict"], "pass");
    assert_eq!(report["warps"], 2);
    for key in [
        "mismatches",
        "cycles",
        "retired",
        "lane_instructions",
        "ipc",
        "issue_slots",
        "lane_utilisation",
        "memory_transactions",
        "seconds",
    ] {
        assert!(!report[key].is_null(), "{key}");
    }
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/report.md")).unwrap();
    for key in report.as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{key}`")), "docs/report.md does not explain {key}");
    }
    assert!(dir.path().join("w/t.gtkw").exists());
    let again = quadlock(dir.path(), &["waves", "w/t.vcd", "--marker", "10"]);
    assert_eq!(again.status.code(), Some(0));
    wellen::simple::read(dir.path().join("w/t.vcd")).unwrap();
}

#[test]
fn every_engine_gives_the_same_output() {
    for engine in ["lockstep", "rtl", "rust-hdl", "golden"] {
        let (status, text) = run(JOB, &["--engine", engine]);
        assert_eq!(status, 0, "{engine}: {text}");
        assert!(text.contains("PASS"), "{engine}: {text}");
    }
    let (status, text) = run(JOB, &["--rtl", "rust-hdl"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("lockstep (rust-hdl + golden)"), "{text}");
}

#[test]
fn a_program_that_spins_is_a_hang_that_names_the_source_line() {
    let dir = job(JOB);
    std::fs::write(
        dir.path().join("three.wgsl"),
        SHADER.replace("* 3u", "* 3u; while (o[0] < 1u) { o[1] = 2u; } o[2] = o[0]"),
    )
    .unwrap();
    let out = quadlock(dir.path(), &["run", "job.toml", "--set", "cycles=3000"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("the program spins") && text.contains("three.wgsl:4:"), "{text}");
    // The model alone says as much, but for the cycles.
    let out =
        quadlock(dir.path(), &["run", "job.toml", "--set", "cycles=3000", "--engine", "golden", "--report", "r.json"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("the program spins") && text.contains("three.wgsl:4:"), "{text}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    assert_eq!((&report["verdict"], &report["hang"]["kind"]), (&"hang".into(), &"cycle-limit".into()), "{report}");
    assert!(report["hang"]["cycle"].is_null() && !report["hang"]["warps"].as_array().unwrap().is_empty(), "{report}");
}

/// Each pass can be left out, and all of them; the program does the same.
#[test]
fn passes_are_left_out_by_name() {
    for pass in quadlock_shader::optional_passes().into_iter().chain(["all", "cse,licm"]) {
        let (status, text) = run(JOB, &["--engine", "golden", "--set", &format!("skip={pass}")]);
        assert_eq!(status, 0, "{pass}: {text}");
    }
    let (status, text) = run(JOB, &["--set", "skip=cse,thinking"]);
    assert_eq!(status, 2);
    assert!(text.contains("no pass `thinking`") && text.contains("docs/passes.md lists them"), "{text}");
}

#[test]
fn a_wrong_output_is_status_1() {
    let (status, text) = run(&JOB.replace("[1, 4,", "[1, 5,"), &[]);
    assert_eq!(status, 1);
    assert!(text.contains("1 of 8 words differ; the first is word 1: expected 5"), "{text}");
    assert!(text.contains("WRONG-OUTPUT"));
}

#[test]
fn a_planted_fault_is_status_1_and_prints_the_command_again() {
    let (status, text) =
        run(JOB, &["--set", "fault=add-carry", "--engine", "lockstep", "--set", "fault=rtl:dispatch-skip"]);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("checker `launch`"), "{text}");
    assert!(text.contains("again: quadlock run job.toml --set"), "{text}");
}

#[test]
fn bad_input_is_status_2_and_names_its_place() {
    for (change, at, what) in [
        (JOB.replace("grid", "gird"), "job.toml:3:1", "unknown field `gird`"),
        (JOB.replace("\"o\"", "\"p\""), "job.toml:4:1", "no buffer `p`"),
        (JOB.replace("32 }", "2 }"), "job.toml:4:1", "needs at least 4"),
        (JOB.replace("[1, 4,", "[-1, 4,"), "job.toml:4:1", "not a u32"),
        (JOB.replace("warps = 2", "warps = 99"), "job.toml:11:9", "warps = 99 is out of range"),
        (JOB.replace("three.wgsl", "none.wgsl"), "none.wgsl", "cannot read"),
    ] {
        let (status, text) = run(&change, &[]);
        assert_eq!(status, 2, "{text}");
        assert!(text.contains(at), "{at}: {text}");
        assert!(text.contains(what), "{what}: {text}");
    }
    for set in ["units=9", "nothing=1", "fault=none", "units"] {
        assert_eq!(run(JOB, &["--set", set]).0, 2, "{set}");
    }
}

/// A misspelt name gets one suggestion, and no list of all names.
#[test]
fn what_does_not_exist_gets_the_likest_name() {
    let keys = JOB.replace("grid", "gird");
    let machine = JOB.replace("warps = 2", "wraps = 2");
    for (job, args, says) in [
        (&keys[..], &[][..], "unknown field `gird`; did you mean `grid`?"),
        (&machine, &[], "unknown field `wraps`; did you mean `warps`?"),
        (JOB, &["--set", "latencey=3"], "there is no setting `latencey`; did you mean `latency`?"),
        (
            JOB,
            &["--set", "fault=rtl:dispatch-skp"],
            "there is no planted fault `rtl:dispatch-skp`; did you mean `dispatch-skip`?",
        ),
        (
            JOB,
            &["--fst", "t.fst", "--scope", "quadlock.cores_0.unit_0"],
            "no signal in scope quadlock.cores_0.unit_0; did you mean `quadlock.cores_0.units_0`?",
        ),
    ] {
        let (status, text) = run(job, args);
        assert_eq!(status, 2, "{text}");
        assert!(text.contains(says), "{says}: {text}");
        assert!(text.len() < 600 && text.matches("error: ").count() == 1, "{text}");
    }
    // Nothing is like it.
    let (_, text) = run(JOB, &["--set", "zzzzzz=1"]);
    assert!(!text.contains("did you mean"), "{text}");
}

#[test]
fn a_missing_binding_is_refused() {
    let start = JOB.find("[[buffer]]").unwrap();
    let end = JOB.find("[machine]").unwrap();
    let (status, text) = run(&format!("{}{}", &JOB[..start], &JOB[end..]), &[]);
    assert_eq!(status, 2);
    assert!(text.contains("no contents for `o` (group 0 binding 0)"), "{text}");
}

#[test]
fn a_shader_error_names_the_shader_line() {
    let dir = job(JOB);
    std::fs::write(dir.path().join("three.wgsl"), SHADER.replace("* 3u", "* y")).unwrap();
    let out = quadlock(dir.path(), &["run", "job.toml"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("three.wgsl:4:"), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn compile_disassemble_assemble() {
    let dir = job(JOB);
    let ok = |args: &[&str]| {
        let out = quadlock(dir.path(), args);
        assert_eq!(out.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    ok(&["compile", "three.wgsl", "-o", "t.elf"]);
    assert!(ok(&["disasm", "t.elf"]).contains("END"));
    disassembly_is_whole(dir.path(), &ok);
    assert!(ok(&["compile", "three.wgsl", "--emit", "asm"]).contains("three.wgsl:4"));
    std::fs::write(dir.path().join("a.qasm"), "MOV r1, #2\nEND\n").unwrap();
    ok(&["asm", "a.qasm", "-o", "a.bin"]);
    assert_eq!(std::fs::read(dir.path().join("a.bin")).unwrap().len(), 16);
    std::fs::write(dir.path().join("a.qasm"), "MOV r1, #2\nMVO r1\n").unwrap();
    let bad = quadlock(dir.path(), &["asm", "a.qasm"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("a.qasm:2:1"));
    assert!(ok(&["isa"]).contains("ATOM32.ADD"));
    assert!(ok(&["faults"]).contains("rtl:add-carry"));
}

/// Of the binary t.elf of three.wgsl: LP-30.
fn disassembly_is_whole(dir: &Path, ok: &dyn Fn(&[&str]) -> String) {
    let text = ok(&["disasm", "--source", "t.elf"]);
    for said in
        ["compute, entry point main", "cutoff", "bindings", "storage, read and write", "block0:", "three.wgsl:4 "]
    {
        assert!(text.contains(said), "no `{said}` in\n{text}");
    }
    let line = SHADER.lines().nth(3).unwrap().trim();
    assert!(text.contains(line) && !ok(&["disasm", "t.elf"]).contains(line), "{text}");
    // It is assembly, of the same words.
    std::fs::write(dir.join("t.qasm"), text).unwrap();
    ok(&["asm", "t.qasm", "-o", "t.bin"]);
    let binary = std::fs::read(dir.join("t.elf")).unwrap();
    let code = std::fs::read(dir.join("t.bin")).unwrap();
    assert!(binary.windows(code.len()).any(|part| part == code), "other words than in the binary");
    // What is no binary, foreign or damaged is an error, by any name.
    let half = &binary[..binary.len() / 2];
    let mut foreign = binary.clone();
    foreign[18..20].copy_from_slice(&62u16.to_le_bytes());
    let mut table = binary.clone();
    let stage = table.windows(7).position(|w| w == b"\"stage\"").expect("the interface");
    table[stage..stage + 7].fill(b'{');
    for (bytes, why) in
        [(half, "ELF"), (&foreign, "0x003e"), (&table, ".quadlock.interface"), (SHADER.as_bytes(), "ELF")]
    {
        for name in ["bad.elf", "bad.wgsl"] {
            std::fs::write(dir.join(name), bytes).unwrap();
            let out = quadlock(dir, &["disasm", name]);
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert_eq!(out.status.code(), Some(2), "{said}");
            assert!(said.contains(name) && said.contains(why), "{said}");
        }
    }
}

/// LP-18: by an option, by a setting, by the job.
#[test]
fn products_and_sums_stay_apart_if_that_is_asked_for() {
    let fused = SHADER.replace("id.x * 3u + 1u", "u32(f32(id.x) * f32(id.x + 3u) + f32(id.x))");
    let dir = job(JOB);
    std::fs::write(dir.path().join("three.wgsl"), fused).unwrap();
    let asm = |more: &[&str]| {
        let out = quadlock(dir.path(), &[&["compile", "three.wgsl", "--emit", "asm"], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).contains("FFMA")
    };
    assert!(asm(&[]) && asm(&["--set", "exact=off"]));
    assert!(!asm(&["--exact"]) && !asm(&["--set", "exact=on"]) && !asm(&["--set", "skip=fuse"]));
    let retired = |job: &str, more: &[&str]| {
        std::fs::write(dir.path().join("job.toml"), job).unwrap();
        let all = [&["run", "job.toml", "--engine", "golden", "--report", "r.json"], more].concat();
        quadlock(dir.path(), &all);
        let report = std::fs::read(dir.path().join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        report["retired"].as_u64().unwrap()
    };
    let exact = format!("exact = true\n{JOB}");
    let apart = retired(&exact, &[]);
    assert!(retired(JOB, &[]) < apart);
    assert_eq!((retired(JOB, &["--exact"]), retired(&exact, &["--set", "exact=off"]) < apart), (apart, true));
    let (status, text) = run(JOB, &["--set", "exact=maybe"]);
    assert!(status == 2 && text.contains("exact=on"), "{status} {text}");
}

#[test]
fn the_float_unit_can_be_switched_off() {
    let divide = SHADER.replace("id.x * 3u + 1u", "u32(f32(id.x * 6u + 2u) / f32(id.y + 2u))");
    let dir = job(JOB);
    std::fs::write(dir.path().join("three.wgsl"), divide).unwrap();
    let of = |setting: &str| {
        let out = quadlock(dir.path(), &["run", "job.toml", "--set", setting, "--report", "r.json"]);
        assert_eq!(out.status.code(), Some(0), "{setting}: {}", String::from_utf8_lossy(&out.stderr));
        let report = std::fs::read(dir.path().join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        report["function_instructions"].as_u64().unwrap()
    };
    assert!(of("float-unit=on") > 0);
    assert_eq!(of("float-unit=off"), 0);
    let asm = |setting: &str| {
        let out = quadlock(dir.path(), &["compile", "three.wgsl", "--emit", "asm", "--set", setting]);
        String::from_utf8_lossy(&out.stdout).contains("FDIV")
    };
    assert!(asm("float-unit=on") && !asm("float-unit=off"));
    let (status, text) = run(JOB, &["--set", "float-unit=maybe"]);
    assert!(status == 2 && text.contains("float-unit=off"), "{status} {text}");
    let compiled = quadlock(dir.path(), &["compile", "three.wgsl", "-o", "three.elf"]);
    assert_eq!(compiled.status.code(), Some(0));
    let (status, text) = {
        std::fs::write(dir.path().join("elf.toml"), JOB.replace("three.wgsl", "three.elf")).unwrap();
        let out = quadlock(dir.path(), &["run", "elf.toml", "--set", "float-unit=off"]);
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    assert_eq!(status, Some(2), "{text}");
}

#[test]
fn fuzz_finds_and_shrinks_a_planted_fault() {
    let dir = tempfile::tempdir().unwrap();
    let out = quadlock(
        dir.path(),
        &["fuzz", "--programs", "1", "--seed", "3", "--kind", "isa", "--set", "fault=rtl:add-carry"],
    );
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}");
    assert!(text.contains("again: quadlock fuzz --programs 1 --seed 3 --kind isa --set fault=rtl:add-carry"), "{text}");
    // Each program is started three times; the machine keeps what a start leaves in it.
    let ok = quadlock(dir.path(), &["fuzz", "--programs", "2", "--seed", "3", "--starts", "3"]);
    assert_eq!(ok.status.code(), Some(0), "{}", String::from_utf8_lossy(&ok.stdout));
    // So is each scene; numbers of triangles run on.
    let scenes = ["fuzz", "--scenes", "1", "--seed", "5", "--small", "--machines", "1", "--starts", "2"];
    let ok = quadlock(dir.path(), &scenes);
    assert_eq!(ok.status.code(), Some(0), "{}", String::from_utf8_lossy(&ok.stdout));
}

/// The printed command draws the machine again that the program shared with others.
#[test]
fn fuzz_on_few_machines_prints_which_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &str| {
        let out = quadlock(dir.path(), &args.split(' ').collect::<Vec<_>>());
        (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let fault = "--kind isa --set fault=rtl:add-carry";
    let (status, text) = run(&format!("fuzz --programs 2 --seed 3 --machines 2 {fault}"));
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("\nthe programs share 2 machines\n"), "{text}");
    let found = text.lines().filter_map(|l| l.strip_prefix("again: quadlock ")).collect::<Vec<_>>();
    let usual =
        |seed, more| format!("fuzz --programs 1 --seed {seed} --kind isa --machines 2{more} --set fault=rtl:add-carry");
    let expected = [usual(3, ""), usual(4, " --machine-seed 3")];
    assert!(!found.is_empty() && found.iter().all(|f| expected.contains(&(*f).to_owned())), "{text}");
    // What shrinking leaves is of the same machine, so the same program fails alone.
    let report = |text: &str, seed: &str| {
        let (_, rest) = text.split_once(&format!("seed {seed} fails")).unwrap();
        let report = rest.split_once("again: ").unwrap().0;
        // All but how fast it was.
        report.lines().filter(|l| !l.starts_with("simulation ")).collect::<Vec<_>>().join("\n")
    };
    let last = found.last().unwrap();
    let seed = last.split(' ').nth(4).unwrap();
    let (status, alone) = run(last);
    assert_eq!((status, report(&alone, seed)), (Some(1), report(&text, seed)));
}

#[test]
fn a_failure_is_replayed_with_waves_and_a_view_on_the_failing_cycle() {
    let dir = job(JOB);
    let out = quadlock(dir.path(), &["run", "job.toml", "--set", "fault=rtl:dispatch-skip", "--report", "r.json"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let cycle = report["mismatches"][0]["cycle"].as_u64().unwrap();
    let wave = wellen::simple::read(dir.path().join("out/three/failure.fst")).unwrap();
    let last = *wave.time_table().last().unwrap();
    assert!(last >= 2 * (cycle + 100), "the waves end at {last}, the mismatch is in cycle {cycle}");
    let view = std::fs::read_to_string(dir.path().join("out/three/failure.gtkw")).unwrap();
    // The line of the marker: zoom, time of the marker.
    let marker = view.lines().find(|l| l.starts_with('*')).and_then(|l| l.split(' ').nth(1));
    assert_eq!(marker, Some((2 * cycle).to_string().as_str()), "{view}");
}

#[test]
fn a_late_failure_is_replayed_from_a_state_near_it() {
    let dir = job(JOB);
    // The sum of many numbers, wrong once a carry leaves bit 15.
    std::fs::write(
        dir.path().join("three.wgsl"),
        SHADER.replace(
            "o[id.x]",
            "var s = 0u; for (var i = 0u; i < 700u; i++) { s += (i & 255u) + id.x; } o[id.x] = s; o[id.x]",
        ),
    )
    .unwrap();
    let out =
        quadlock(dir.path(), &["run", "job.toml", "--set", "fault=rtl:add-carry", "--report", "r.json", "--out", "o"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(1), "{text}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let cycle = report["mismatches"][0]["cycle"].as_u64().unwrap();
    assert!(cycle > 6_000, "the failure comes too early for this test: {cycle}");
    let wave = wellen::simple::read(dir.path().join("o/failure.fst")).unwrap();
    let times = wave.time_table();
    assert!(times[0] >= 2 * 4096 - 1 && times[0] + 2 * 400 <= 2 * cycle, "from {} for {cycle}", times[0]);
    assert!(*times.last().unwrap() >= 2 * (cycle + 100));
    assert_eq!(report["verdict"], "mismatch", "{text}");
}

/// Exit status and what was printed on both streams.
fn said(args: &[&str]) -> (i32, String) {
    let dir = tempfile::tempdir().unwrap();
    let out = quadlock(dir.path(), args);
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    (out.status.code().unwrap(), text)
}

/// Two engines that need no peer, one small block.
const CROSSCHECK: [&str; 9] =
    ["crosscheck", "--block", "integer_alu", "--cycles", "800", "--engine", "rtlsim", "--engine", "interpreter"];

#[test]
fn crosscheck_agrees_or_prints_the_command_again() {
    let (status, text) = said(&CROSSCHECK);
    assert_eq!(status, 0, "{text}");
    assert!(
        text.contains("1 blocks on rtlsim, interpreter, 800 cycles each") && text.contains("all engines agree"),
        "{text}"
    );
    let fault = ["--set", "warps=4", "--plant", "interpreter:add-carry"];
    let (status, text) = said(&[&CROSSCHECK[..], &fault].concat());
    assert_eq!(status, 1, "{text}");
    let again = "again: quadlock crosscheck --block integer_alu --seed 1 --set warps=4 --engine rtlsim \
                 --engine interpreter --plant interpreter:add-carry --cycles ";
    let command = text.lines().find_map(|l| l.trim().strip_prefix(again)).unwrap_or_else(|| panic!("{text}"));
    // The command, as printed, fails in the same cycle.
    let line = format!("{}{command}", again.strip_prefix("again: quadlock ").unwrap());
    let (status, repeated) = said(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(status, 1, "{repeated}");
    assert!(repeated.contains(&format!("again: quadlock {line}")), "{repeated}");
}

#[test]
fn crosscheck_runs_its_own_jobs() {
    let jobs = ["small", "default"].map(|j| format!("{}/jobs/rough-{j}.toml", env!("CARGO_MANIFEST_DIR")));
    let engines = ["--engine", "rtlsim", "--engine", "interpreter", "--cycles", "20"];
    let (status, text) = said(&[&["crosscheck", "--job", &jobs[0], "--job", &jobs[1]], &engines[..]].concat());
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("all engines agree; 40 cycles of the whole core"), "{text}");
}

#[test]
fn crosscheck_refuses_what_it_cannot_check() {
    for (args, says) in [
        (&["--engine", "rtlsim"][..], "one engine agrees with itself"),
        (&["--engine", "rtlsim", "--engine", "rtlsim"], "one engine agrees with itself"),
        (&["--cycles", "18446744073709551615"], "18446744073709551615"),
        (&["--cycles", "0"], "--cycles"),
        (&["--block", "nonsense"], "nonsense"),
        (&["--job", "none.toml"], "none.toml"),
        (&["--job", "none.toml", "--set", "units=99"], "units = 99"),
        (&["--job", "none.toml", "--set", "warp-wide=on"], "off, representative, collective, scalar"),
        (&["--block", "lsa", "--set", "units"], "KEY=VALUE"),
        (&["--plant", "rtlsim:none"], "rtlsim:none"),
        (&["--share", "9/8"], "for example 2/6"),
        (&["--share", "1/8", "--block", "lsa"], "cannot be used with"),
        (&["--verilator-sample", "0"], "0 is not in 1.."),
        (&["--verilator-sample", "10", "--engine", "rtlsim", "--engine", "interpreter"], "add --engine verilator"),
        (&["--verilator-sample", "10", "--engine", "rtlsim", "--engine", "verilator"], "leaves most blocks to one"),
        (&["--engine", "rtlsim", "--engine", "interpreter", "--plant", "rust-hdl:add-carry"], "not among the engines"),
    ] {
        let (status, text) = said(&[&["crosscheck"], args].concat());
        assert_eq!(status, 2, "{args:?}: {text}");
        assert!(text.contains(says), "{args:?}: {text}");
    }
}

#[test]
fn bench_refuses_what_it_cannot_measure() {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    for (args, says) in [
        (&["--rows", "steady,nonsense"][..], "rows: steady"),
        (&["--examples", "none"], "none"),
        (&["--examples", examples, "--units", "99"], "99"),
        (&["--seconds", "inf"], "out of range"),
        (&["--seconds", "nan"], "out of range"),
        (&["--rounds", "many"], "--rounds"),
    ] {
        let (status, text) = said(&[&["bench", "sim"], args].concat());
        assert_eq!(status, 2, "{args:?}: {text}");
        assert!(text.contains(says), "{args:?}: {text}");
    }
}

#[test]
fn export_writes_a_folder_and_names_what_is_wrong_with_a_setting() {
    let dir = tempfile::tempdir().unwrap();
    let out = quadlock(dir.path(), &["export", "--top", "warp_scheduler", "--set", "warps=4", "--out", "rtl"]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let list = std::fs::read_to_string(dir.path().join("rtl/files.f")).unwrap();
    assert_eq!(list.lines().last(), Some("warp_scheduler.v"));
    let text = std::fs::read_to_string(dir.path().join("rtl/warp_scheduler.v")).unwrap();
    assert!(text.contains("warps = 4"), "{text}");
    let manifest = std::fs::read(dir.path().join("rtl/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["modules"].as_array().unwrap().len(), list.lines().count());
    for (args, says) in [
        (["--set", "warps=17"], "out of range"),
        (["--set", "warp=4"], "there is no parameter `warp`; did you mean `warps`?"),
        (["--set", "warps"], "KEY=VALUE"),
        (["--top", "warp_schedule"], "no block is called `warp_schedule`; did you mean `warp_scheduler`?"),
    ] {
        let out = quadlock(dir.path(), &["export", args[0], args[1], "--out", "bad"]);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{error}");
        assert!(error.contains(says), "{args:?}: {error}");
        assert!(!dir.path().join("bad").exists());
    }
}

#[test]
fn float_check_writes_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let out = quadlock(dir.path(), &["float-check", "--op", "fmul,FMIN", "--json", "r.json"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{text}");
    let rows: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let names: Vec<_> = rows.iter().map(|r| (r["op"].as_str().unwrap(), r["engine"].as_str().unwrap())).collect();
    assert_eq!(names, [("FMUL", "rtl"), ("FMUL", "golden"), ("FMIN", "rtl"), ("FMIN", "golden")]);
    assert!(rows.iter().all(|r| r["differences"] == 0 && r["vectors"].as_u64() >= Some(46_464)), "{rows:?}");
    assert_eq!((&rows[0]["cycles"], &rows[1]["cycles"]), (&5.into(), &serde_json::Value::Null));
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/float-check.md")).unwrap();
    for key in rows[0].as_object().unwrap().keys().filter(|k| !["op", "engine"].contains(&k.as_str())) {
        assert!(page.contains(&format!("| `{key}` |")), "docs/float-check.md does not explain {key}");
    }
}

#[test]
fn float_check_shows_a_difference_and_how_to_see_it_again() {
    let (status, text) = said(&["float-check", "--op", "FFMA", "--engine", "rtl", "--set", "fault=rtl:fma-rounding"]);
    assert_eq!(status, 1, "{text}");
    let (_, again) = text.split_once("again: quadlock ").unwrap_or_else(|| panic!("{text}"));
    let line = again.lines().next().unwrap();
    assert!(line.contains("--op FFMA --engine rtl --operands "), "{line}");
    let (status, repeated) = said(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(status, 1, "{line}: {repeated}");
    assert!(repeated.contains("1 vectors, 1 differences"), "{repeated}");
    let (status, sound) = said(&line.split(' ').take_while(|w| *w != "--set").collect::<Vec<_>>());
    assert_eq!(status, 0, "{sound}");
}

#[test]
fn float_check_refuses_what_it_cannot_check() {
    for (args, says) in [
        (&["--op", "IADD"][..], "--op IADD: no float operation; did you mean `FADD`?"),
        (&["--level", "3"], "--level"),
        (&["--engine", "host"], "--engine"),
        (&["--jobs", "0"], "--jobs"),
        (&["--jobs", "65535"], "--jobs"),
        (&["--op", "FADD,"], "an empty name"),
        (&["--state", "s.json"], "--every-operand"),
        (&["--op", "MIXED-LANE", "--every-operand"], "more than one"),
        (&["--op", "FADD", "--json", "/dev/null/r.json"], "/dev/null"),
        (&["--op", "FTRUNC", "--every-operand", "--state", "/dev/null/s.json"], "/dev/null"),
        (&["--operands", "1"], "belongs to one --op"),
        (&["--op", "FADD", "--operands", "1"], "it has 2"),
        (&["--op", "FADD", "--operands", "1,x"], "hexadecimal"),
        (&["--set", "fault"], "fault=NAME"),
        (&["--set", "fault=compiler:fold-sub"], "no fault of RTL or model"),
        (&["--op", "MIXED-LANE", "--engine", "golden"], "no pipeline"),
        (&["--op", "FADD", "--every-operand"], "more than one"),
        (&["--op", "FSQRT", "--every-operand", "--level", "2"], "--level"),
    ] {
        let (status, text) = said(&[&["float-check"], args].concat());
        assert_eq!(status, 2, "{args:?}: {text}");
        assert!(text.contains(says), "{args:?}: {text}");
    }
}

#[test]
fn bench_float_measures_and_refuses() {
    let (status, text) = said(&["bench", "float", "--op", "FADD,I2F", "--rounds", "1", "--seconds", "0"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("golden/peer") && text.contains("I2F"), "{text}");
    for (args, says) in [
        (["--op", "IADD"], "no float operation"),
        (["--op", "FADD,"], "an empty name"),
        (["--rounds", "0"], "--rounds"),
        (["--json", "/dev/null/r.json"], "/dev/null"),
        (["--seconds", "nan"], "out of range"),
    ] {
        let (status, text) = said(&[&["bench", "float"][..], &args].concat());
        assert_eq!(status, 2, "{text}");
        assert!(text.contains(says), "{text}");
    }
}

const GRAPH_SHADER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    dependencyWait();
    o[4u * g.x + i] = o[4u * max(g.x, 1u) - 4u + i] + 1u;
    dependencyDone();
}
";

const GRAPH_JOB: &str = "name = \"chain\"
shader = \"chain.wgsl\"
[[buffer]]
name = \"o\"
from = { zero = 48 }
expect = { from = { inline = [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3] } }
[graph]
pattern = \"chain\"
length = 3
";

/// SE-12: a pool that is too small for what threads ask for ahead is seen in the report; the
/// default one never is.
#[test]
fn cycles_of_an_exhausted_pool_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let expect: Vec<String> = (0..40 * 4).map(|i| (i / 4 + 1).to_string()).collect();
    let job = GRAPH_JOB.replace("length = 3", "length = 40").replace("zero = 48", "zero = 640");
    let job = job.replace("1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3", &expect.join(", "));
    std::fs::write(dir.path().join("chain.wgsl"), GRAPH_SHADER).unwrap();
    std::fs::write(dir.path().join("job.toml"), job).unwrap();
    let run = |set: &str| {
        let out = quadlock(dir.path(), &["run", "job.toml", "--set", set, "--report", "r.json"]);
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert_eq!(out.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&out.stderr));
        let report = std::fs::read(dir.path().join("r.json")).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        (report["pool_exhausted_cycles"].as_u64().unwrap(), text.contains("waiting for an entry of the pool"))
    };
    assert_eq!(run("semaphore-pool=256"), (0, false));
    let (cycles, shown) = run("semaphore-pool=4");
    assert!(cycles > 0 && shown, "{cycles}");
}

/// Semaphores and polling, side by side.
#[test]
fn a_graph_job_runs_both_ways_and_is_compared() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("chain.wgsl"), GRAPH_SHADER).unwrap();
    std::fs::write(dir.path().join("job.toml"), GRAPH_JOB).unwrap();
    let args = ["run", "job.toml", "--engine", "golden", "--compare", "semaphores=polling", "--report", "r.json"];
    let out = quadlock(dir.path(), &args);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("3, with 1 semaphores, numbers 0"), "{text}");
    assert!(text.contains("as it is      semaphores=polling    ratio"), "{text}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    assert_eq!((&report[0]["verdict"], &report[1]["verdict"]), (&"pass".into(), &"pass".into()));
    assert_eq!((&report[0]["graph"]["semaphores"], &report[1]["graph"]["semaphores"]), (&1.into(), &0.into()));
    for key in ["polling_slots", "handovers", "handover_latency_cycles", "bus_messages", "semaphore_protocol_errors"] {
        assert!(report[0].as_object().unwrap().contains_key(key), "{key}");
    }
    assert!(report[0]["pool_exhausted_cycles"].is_null(), "the model alone has no pool");
    let listing = |set: &str| {
        let out = quadlock(dir.path(), &["compile", "chain.wgsl", "--emit", "asm", "--set", set]);
        (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    assert!(listing("semaphores=on").1.contains("WTS") && !listing("semaphores=polling").1.contains("WTS"));
    assert_eq!(listing("semaphores=off").0, Some(2));
}

/// The figures of semaphores and of polling, from a chain of three on the machine: each number
/// follows from the graph.
#[test]
fn the_report_s_figures_of_semaphores_are_those_of_the_graph() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("chain.wgsl"), GRAPH_SHADER).unwrap();
    std::fs::write(dir.path().join("job.toml"), GRAPH_JOB).unwrap();
    let out = quadlock(dir.path(), &["run", "job.toml", "--compare", "semaphores=polling", "--report", "r.json"]);
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{text}{}", String::from_utf8_lossy(&out.stderr));
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.path().join("r.json")).unwrap()).unwrap();
    let number = |run: usize, key: &str| report[run][key].as_u64().unwrap_or_else(|| panic!("{key}: {report}"));
    let [own, polling] =
        [0, 1].map(|run| ["handovers", "bus_messages", "semaphore_protocol_errors"].map(|key| number(run, key)));
    // Three acquires; two releases, each with an acknowledgement. The first thread does not want to
    // be told, the last releases nothing.
    assert_eq!((own, polling), ([2, 7, 0], [0, 0, 0]), "{text}");
    assert_eq!(number(0, "polling_slots"), 0);
    assert!(number(1, "polling_slots") > 0);
    let latency = &report[0]["handover_latency_cycles"];
    let [median, most] = ["median", "max"].map(|key| latency[key].as_u64().unwrap());
    assert!(4 < median && median <= most && most <= 12, "{latency}");
    assert!(report[1]["handover_latency_cycles"].is_null());
    // A Chrome trace has no place for two runs.
    let out = quadlock(dir.path(), &["run", "job.toml", "--compare", "semaphores=polling", "--perfetto", "p.json"]);
    assert_eq!(out.status.code(), Some(2));
}

const WARP_SHADER: &str = "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    atomicStore(&n[4u + i], warpAtomicAdd(&n[i], 5u));
}
";

/// A machine without warp-wide operations, by --set or by the job, gets a program without them, and
/// it does the same.
#[test]
fn programs_for_a_machine_without_warp_wide_operations_have_none() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("warp.wgsl"), WARP_SHADER).unwrap();
    let listing = |set: &str| {
        let out = quadlock(dir.path(), &["compile", "warp.wgsl", "--emit", "asm", "--set", set]);
        (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
    };
    assert!(listing("warp-wide=on").1.contains("WATOM32.ADD"));
    let off = listing("warp-wide=off").1;
    assert!(off.contains("ATOM32.ADD") && !off.contains("WATOM"), "{off}");
    assert_eq!(listing("warp-wide=perhaps").0, Some(2));
    assert_eq!(listing("warp-wide=scalar"), listing("warp-wide=on"));
}

/// The status of bad input does not hang on somebody who reads what is wrong.
#[test]
fn a_closed_pipe_for_errors_is_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
    let status = command.args(["run", "nowhere.toml"]).current_dir(dir.path()).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(2));
}
