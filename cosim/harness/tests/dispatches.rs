//! What `quadlock run` writes of a job with several dispatches: one trace over all of them, read
//! back by `wellen` and by the `vcd` crate, and one Perfetto trace. Cycles are those of the whole
//! run. How long each dispatch is, is known from jobs with fewer of them.

use std::path::Path;
use std::process::Command;

use vcd::{Command as Entry, Value};
use wellen::simple::{read, Waveform};

const WGSL: &str = "
@group(0) @binding(0) var<uniform> add: vec2u;
@group(0) @binding(1) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
  data[id.x] = (data[id.x] ^ 3u) + add.x + select(0u, 1u, i32(add.x) < 2);
}
";

/// Warps of the dispatches.
const WARPS: [u32; 3] = [1, 4, 2];

/// The first so many dispatches; the words that they add.
fn job(adds: &[u32]) -> String {
    let mut text = "name = \"d\"\nshader = \"a.wgsl\"\ngrid = [1, 1, 1]\n\
        [machine]\nunits = 1\nwarps = 2\nicache-lines = 8\nshared-words = 64\n\
        [[uniform]]\nbinding = 0\nvalues = [0, 0]\n\
        [[buffer]]\nbinding = 1\nfrom = { iota = 16 }\nout = { raw = \"data.raw\" }\n"
        .to_owned();
    for (add, warps) in adds.iter().zip(WARPS) {
        text += &format!("[[dispatch]]\ngrid = [{warps}, 1, 1]\n");
        text += &format!("[[dispatch.uniform]]\nbinding = 0\nvalues = [{add}, 0]\n");
    }
    text
}

fn folder(adds: &[u32]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.wgsl"), WGSL).unwrap();
    std::fs::write(dir.path().join("job.toml"), job(adds)).unwrap();
    dir
}

fn quadlock(dir: &Path, more: &[&str]) -> (i32, String) {
    let args = ["run", "job.toml", "--out", "o", "--report", "r.json"];
    let out = Command::new(env!("CARGO_BIN_EXE_quadlock")).args(args).args(more).current_dir(dir).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap_or(-1), text)
}

fn cycles(dir: &Path) -> u64 {
    let report = std::fs::read(dir.join("r.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&report).unwrap()["cycles"].as_u64().unwrap()
}

/// Cycles of the first one, two and three dispatches.
fn ends(simulator: &str) -> [u64; 3] {
    [1, 2, 3].map(|count| {
        let dir = folder(&[5, 6, 7][..count]);
        let (code, said) = quadlock(dir.path(), &["--rtl", simulator]);
        assert_eq!(code, 0, "{said}");
        cycles(dir.path())
    })
}

/// (time, number) of every change of a variable.
fn changes(wave: &mut Waveform, scope: &[&str], name: &str) -> Vec<(u64, u64)> {
    let var = wave.hierarchy().lookup_var(scope, name).unwrap_or_else(|| panic!("no {name}"));
    let signal = wave.hierarchy()[var].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let number = |v: wellen::SignalValue| u64::from_str_radix(&v.to_bit_string().unwrap(), 2).unwrap();
    wave.get_signal(signal).unwrap().iter_changes().map(|(t, v)| (times[t as usize], number(v))).collect()
}

/// What was written in cycle n stands at 2 n.
fn at(cycles: u64) -> u64 {
    2 * cycles
}

#[test]
fn waves_go_on_over_all_dispatches() {
    let [first, second, third] = ends("rtlsim");
    assert!(first < second && second < third);
    for name in ["w.fst", "w.vcd"] {
        let dir = folder(&[5, 6, 7]);
        let (code, said) = quadlock(dir.path(), &[&format!("--{}", &name[2..]), name]);
        assert!(code == 0 && cycles(dir.path()) == third, "{said}");
        let mut wave = read(dir.path().join(name)).unwrap();
        let times = wave.time_table().to_vec();
        assert!(times.windows(2).all(|t| t[0] < t[1]), "{name}");
        assert_eq!((times[0], times[times.len() - 1] / 2), (0, third), "{name}");
        let numbers = changes(&mut wave, &["quadlock", "time"], "dispatch");
        assert_eq!(numbers, [(0, 1), (at(first), 2), (at(second), 3)], "{name}");
        let cycle = changes(&mut wave, &["quadlock", "time"], "cycle");
        assert_eq!(cycle, (0..=third).map(|c| (at(c), c)).collect::<Vec<_>>(), "{name}");
        // Each dispatch starts the machine, which is idle in its first cycle.
        let busy = changes(&mut wave, &["quadlock"], "busy");
        let [started, ended] = [1, 0].map(|v| busy.iter().filter(|b| b.1 == v).map(|b| b.0).collect::<Vec<_>>());
        assert_eq!((started.len(), ended.len()), (3, 4), "{name}: {busy:?}");
        for (n, begin) in [0, first, second].into_iter().enumerate() {
            assert!(started[n] > at(begin) && ended[n + 1] < at([first, second, third][n]), "{name}: {busy:?}");
        }
        let launched = changes(&mut wave, &["quadlock", "events"], "launched_lanes");
        assert_eq!(launched.iter().filter(|l| l.1 != 0).count(), 7, "{name}: {launched:?}");
        let view = std::fs::read_to_string(dir.path().join("w.gtkw")).unwrap();
        assert!(view.contains("+{dispatch} quadlock.time.dispatch[31:0]\n"), "{view}");
    }
}

/// The same file in the eyes of another reader.
#[test]
fn another_reader_finds_the_dispatches_too() {
    let [first, second, third] = ends("rtlsim");
    let dir = folder(&[5, 6, 7]);
    let (code, said) = quadlock(dir.path(), &["--vcd", "w.vcd", "--scope", "quadlock.lists"]);
    assert_eq!(code, 0, "{said}");
    let file = std::fs::File::open(dir.path().join("w.vcd")).unwrap();
    let mut parser = vcd::Parser::new(std::io::BufReader::new(file));
    let header = parser.parse_header().unwrap();
    let code = header.find_var(&["quadlock", "time", "dispatch"]).unwrap().code;
    let (mut times, mut numbers) = (vec![], vec![]);
    for entry in parser {
        match entry.unwrap() {
            Entry::Timestamp(time) => times.push(time),
            Entry::ChangeVector(id, bits) if id == code => {
                let number = bits.iter().fold(0u64, |n, bit| n << 1 | u64::from(bit == Value::V1));
                numbers.push((*times.last().unwrap(), number));
            }
            _ => {}
        }
    }
    assert!(times.windows(2).all(|t| t[0] < t[1]));
    assert_eq!(times.last(), Some(&at(third)));
    assert_eq!(numbers, [(0, 1), (at(first), 2), (at(second), 3)]);
}

/// `--from` and `--to` are cycles of the whole run.
#[test]
fn a_window_may_lie_anywhere_in_the_run() {
    let [first, second, third] = ends("rtlsim");
    for (from, to, want) in [
        (first - 3, first + 4, vec![(at(first - 3), 1), (at(first), 2)]),
        (second + 2, second + 9, vec![(at(second + 2), 3)]),
        (first, first + 1, vec![(at(first), 2)]),
        (2, third + 50, vec![(4, 1), (at(first), 2), (at(second), 3)]),
    ] {
        let dir = folder(&[5, 6, 7]);
        let window = [from.to_string(), to.to_string()];
        let (code, said) = quadlock(dir.path(), &["--fst", "w.fst", "--from", &window[0], "--to", &window[1]]);
        assert_eq!(code, 0, "{said}");
        let mut wave = read(dir.path().join("w.fst")).unwrap();
        let cycle = changes(&mut wave, &["quadlock", "time"], "cycle");
        let last = to.min(third);
        let (begin, end) = (cycle[0], cycle.iter().rfind(|c| c.1 <= last).unwrap());
        assert_eq!((begin, *end), ((at(from), from), (at(last), last)), "{from} to {to}");
        let numbers = changes(&mut wave, &["quadlock", "time"], "dispatch");
        assert_eq!(numbers, want, "{from} to {to}");
    }
}

#[test]
fn rust_hdl_writes_the_same_dispatches() {
    let [first, second, _] = ends("rust-hdl");
    assert_eq!(ends("rtlsim")[..2], [first, second]);
    let dir = folder(&[5, 6, 7]);
    let (code, said) = quadlock(dir.path(), &["--rtl", "rust-hdl", "--vcd", "w.vcd"]);
    assert_eq!(code, 0, "{said}");
    let mut wave = read(dir.path().join("w.vcd")).unwrap();
    let numbers = changes(&mut wave, &["quadlock", "time"], "dispatch");
    assert_eq!(numbers, [(0, 1), (at(first), 2), (at(second), 3)]);
    let busy = changes(&mut wave, &["quadlock"], "busy");
    assert_eq!(busy.iter().filter(|b| b.1 == 1).count(), 3, "{busy:?}");
}

/// A start finds registers as the one before left them, in the machine and in the model: no warp of
/// this program writes register 7 before it reads it. Nine warps each start it, in two slots.
#[test]
fn a_start_finds_what_the_one_before_left() {
    let dir = tempfile::tempdir().unwrap();
    let program = "IADD r7, r7, #1\nS2R r1, group_x\nSHL r2, r1, #2\nIADD r2, r2, c[8]\nST.32 [r2], r7\nEND\n";
    let job = "name = \"d\"\nshader = \"a.qasm\"\ngrid = [9, 1, 1]\n[program]\ngroup-size = [4, 1, 1]\n\
        [machine]\nunits = 1\nwarps = 2\nicache-lines = 8\nshared-words = 64\n\
        [[buffer]]\nbinding = 0\nfrom = { zero = 36 }\nout = { raw = \"data.raw\" }\n[[dispatch]]\n[[dispatch]]\n[[dispatch]]\n";
    std::fs::write(dir.path().join("a.qasm"), program).unwrap();
    std::fs::write(dir.path().join("job.toml"), job).unwrap();
    for engine in ["lockstep", "rtl", "golden"] {
        let (code, said) = quadlock(dir.path(), &["--engine", engine]);
        assert_eq!(code, 0, "{engine}: {said}");
        let raw = std::fs::read(dir.path().join("o/data.raw")).unwrap();
        let words: Vec<u32> = raw.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        // In one start a slot has nine at most.
        assert!(words.iter().max() > Some(&9), "{engine}: {words:?}");
    }
}

/// A job of one dispatch has no number of it.
#[test]
fn one_dispatch_is_not_numbered() {
    let dir = folder(&[5]);
    assert_eq!(quadlock(dir.path(), &["--fst", "w.fst"]).0, 0);
    let wave = read(dir.path().join("w.fst")).unwrap();
    assert!(wave.hierarchy().lookup_var(&["quadlock", "time"], "cycle").is_some());
    assert!(wave.hierarchy().lookup_var(&["quadlock", "time"], "dispatch").is_none());
}

/// Slices of dispatches follow each other, and the threads of each lie in its own.
#[test]
fn perfetto_has_a_track_of_the_dispatches() {
    let [first, second, third] = ends("rtlsim");
    let dir = folder(&[5, 6, 7]);
    let (code, said) = quadlock(dir.path(), &["--perfetto", "p.json"]);
    assert_eq!(code, 0, "{said}");
    let text = std::fs::read(dir.path().join("p.json")).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let slices = |kind: &str| -> Vec<(String, u64, u64)> {
        let all = trace["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] == "X" && e["cat"] == kind);
        let number = |v: &serde_json::Value| v.as_u64().unwrap();
        let end = |e: &serde_json::Value| number(&e["ts"]) + number(&e["dur"]);
        all.map(|e| (e["name"].as_str().unwrap().to_owned(), number(&e["ts"]), end(e))).collect()
    };
    let bounds = [(0, first), (first, second), (second, third)];
    let want: Vec<_> = (1..).zip(bounds).map(|(n, (a, b))| (format!("dispatch {n}"), a, b)).collect();
    assert_eq!(slices("dispatch"), want);
    let threads = slices("thread");
    for ((from, to), warps) in bounds.into_iter().zip(WARPS) {
        let inside: Vec<_> = threads.iter().filter(|t| t.1 >= from && t.2 <= to).map(|t| t.0.clone()).collect();
        assert_eq!(inside, (0..warps).map(|n| format!("thread {n}")).collect::<Vec<_>>(), "{threads:?}");
    }
}

/// A failure of the second dispatch: its waves, the command that shows it again, and its cycle are
/// of the whole run.
#[test]
fn a_failure_is_found_at_its_cycle_of_the_run() {
    let [first, second, _] = ends("rtlsim");
    // Only here is a number less than 0, whose sign the fault ignores.
    let dir = folder(&[5, 0xFFFF_FFFF, 7]);
    let fault = ["--set", "fault=rtl:signed-compare"];
    let (code, said) = quadlock(dir.path(), &fault);
    assert!(code == 1 && said.contains("dispatch 2 of 3 was the last that ran"), "{code} {said}");
    let report = std::fs::read(dir.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let cycle = report["mismatches"][0]["cycle"].as_u64().unwrap();
    assert!((first..second).contains(&cycle), "{cycle} of {first} to {second}");
    let mut wave = read(dir.path().join("o/failure.fst")).unwrap();
    assert_eq!(changes(&mut wave, &["quadlock", "time"], "dispatch"), [(at(first), 2)]);
    let numbers = changes(&mut wave, &["quadlock", "time"], "cycle");
    assert!(numbers.iter().all(|c| c.0 == at(c.1)) && numbers.contains(&(at(cycle), cycle)), "{numbers:?}");
    let view = std::fs::read_to_string(dir.path().join("o/failure.gtkw")).unwrap();
    let marker = view.lines().find(|l| l.starts_with('*')).unwrap().split(' ').nth(1).unwrap();
    assert_eq!(marker.parse::<u64>().unwrap(), at(cycle), "{view}");
    // The command that the report names shows it too.
    let again = report["mismatches"][0]["reproduce"].as_str().unwrap();
    let more: Vec<&str> = again.split(' ').skip(3).collect();
    assert!(more.contains(&"--from"), "{again}");
    let (code, said) = quadlock(dir.path(), &more);
    assert_eq!(code, 1, "{said}");
    let mut wave = read(dir.path().join("o/mismatch.fst")).unwrap();
    let numbers = changes(&mut wave, &["quadlock", "time"], "cycle");
    assert!(numbers.contains(&(at(cycle), cycle)), "{again}: {numbers:?}");
    assert_eq!(changes(&mut wave, &["quadlock", "time"], "dispatch").last(), Some(&(at(first), 2)));
}
