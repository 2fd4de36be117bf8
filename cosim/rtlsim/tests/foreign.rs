//! Two designs that nobody here wrote, on both engines of rtlsim, on Verilator and on Icarus: every
//! output in every cycle. What they are and where they come from: `foreign/README.md`. Icarus says
//! which bits are defined (it knows x); in those all must be equal. Without the peers the designs
//! still run and their results are checked against known ones.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadlock_rtlsim::{Design, Engine, Options};
use quadlock_testkit::peers::installed;
use quadlock_testkit::tier::cases;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Port = (&'static str, usize);

/// A design with its stimulus.
struct Case {
    name: &'static str,
    files: &'static [&'static str],
    clock: &'static str,
    inputs: &'static [Port],
    outputs: &'static [Port],
    /// Cycles until reset has reached every register that has one. Before, Icarus takes the else
    /// branch of an `if` on x, which defines what nothing defines.
    reset: usize,
    /// One word per input and cycle.
    vectors: Vec<Vec<u64>>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign")
}

/// The outputs after each rising edge, as binary digits, the first output first.
fn rtlsim(case: &Case, options: &Options) -> Vec<String> {
    let files: Vec<_> = case.files.iter().map(|f| folder().join(f)).collect();
    let design = Design::parse_files(&files, Some(case.name)).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let mut sim = design.compile(options).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    let clock = sim.input(case.clock).unwrap();
    let inputs: Vec<_> = case.inputs.iter().map(|p| sim.input(p.0).unwrap()).collect();
    let outputs: Vec<_> = case.outputs.iter().map(|p| sim.signal(p.0).unwrap()).collect();
    let mut rows = Vec::with_capacity(case.vectors.len());
    for vector in &case.vectors {
        for (input, value) in inputs.iter().zip(vector) {
            sim.poke(*input, *value);
        }
        // Both edges by hand: spimemio has flip-flops on the falling one, and the benches print
        // before it.
        sim.poke(clock, 1);
        sim.eval().unwrap();
        let mut row = String::new();
        for (output, (_, width)) in outputs.iter().zip(case.outputs) {
            write!(row, "{:0width$b}", sim.peek(*output)).unwrap();
        }
        rows.push(row);
        sim.poke(clock, 0);
        sim.eval().unwrap();
    }
    rows
}

/// A test bench that reads the vectors from `vectors.hex` and prints the outputs after each rising
/// edge.
fn bench(case: &Case) -> String {
    let total: usize = case.inputs.iter().map(|p| p.1).sum();
    let mut text = String::from("module bench;\nreg clock = 0;\ninteger i;\n");
    let mut ports = vec![format!(".{}(clock)", case.clock)];
    let mut high = total;
    for (name, width) in case.inputs {
        writeln!(text, "wire [{}:0] i_{name} = now[{}:{}];", width - 1, high - 1, high - width).unwrap();
        ports.push(format!(".{name}(i_{name})"));
        high -= width;
    }
    for (name, width) in case.outputs {
        writeln!(text, "wire [{}:0] o_{name};", width - 1).unwrap();
        ports.push(format!(".{name}(o_{name})"));
    }
    let cycles = case.vectors.len();
    let outputs: Vec<_> = case.outputs.iter().map(|p| format!("o_{}", p.0)).collect();
    // The declaration of `now` must come before its uses.
    let text = text.replacen(
        "integer i;\n",
        &format!("integer i;\nreg [{0}:0] now = 0;\nreg [{0}:0] vectors [0:{1}];\n", total - 1, cycles - 1),
        1,
    );
    format!(
        "{text}{} uut({});\ninitial begin\n  $readmemh(\"vectors.hex\", vectors);\n  for (i = 0; i < {cycles}; i = i + 1) begin\n    \
         now = vectors[i];\n    #1 clock = 1;\n    #1 $display(\"%b\", {{{}}});\n    clock = 0;\n    #1;\n  end\n  $finish;\nend\nendmodule\n",
        case.name,
        ports.join(", "),
        outputs.join(", ")
    )
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The same rows from Icarus and from Verilator, of those that are installed.
fn peers(case: &Case) -> (Option<Vec<String>>, Option<Vec<String>>) {
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("foreign").join(case.name);
    std::fs::create_dir_all(&work).unwrap();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, work.join(path.file_name().unwrap())).unwrap();
    }
    std::fs::write(work.join("bench.v"), bench(case)).unwrap();
    let mut data = String::new();
    for vector in &case.vectors {
        let bits: String =
            vector.iter().zip(case.inputs).map(|(value, (_, width))| format!("{value:0width$b}")).collect();
        let padded = format!("{}{bits}", "0".repeat(bits.len().next_multiple_of(4) - bits.len()));
        for digit in padded.as_bytes().chunks(4) {
            let digit = std::str::from_utf8(digit).unwrap();
            write!(data, "{:x}", u8::from_str_radix(digit, 2).unwrap()).unwrap();
        }
        data.push('\n');
    }
    std::fs::write(work.join("vectors.hex"), data).unwrap();
    // Verilator adds a line of its own at $finish.
    let rows = |text: String| -> Vec<String> {
        text.lines().filter(|l| !l.starts_with('-')).take(case.vectors.len()).map(str::to_owned).collect()
    };
    let icarus = installed("iverilog").then(|| {
        run(&work, "iverilog", &[&["-g2005", "-o", "bench.vvp", "bench.v"], case.files].concat());
        rows(run(&work, "vvp", &["-n", "bench.vvp"]))
    });
    let verilator = installed("verilator").then(|| {
        let flags =
            ["--binary", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--x-assign", "0", "--x-initial", "0"];
        let rest = [
            "-MAKEFLAGS",
            "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
            "--top-module",
            "bench",
            "-Mdir",
            "obj",
            "bench.v",
        ];
        run(&work, "verilator", &[&flags[..], &rest[..], case.files].concat());
        rows(run(&work, "obj/Vbench", &[]))
    });
    (icarus, verilator)
}

/// Equal in every bit that `mask`, if there is one, has as 0 or 1.
#[track_caller]
fn equal(case: &Case, what: &str, ours: &[String], theirs: &[String], mask: Option<&[String]>) {
    assert_eq!(ours.len(), theirs.len(), "{}: {what}: rows", case.name);
    for (cycle, (a, b)) in ours.iter().zip(theirs).enumerate().skip(case.reset) {
        let known = mask.map_or(b, |m| &m[cycle]);
        let mut at = 0;
        for (name, width) in case.outputs {
            let part = at..at + width;
            let differs =
                part.clone().any(|k| matches!(known.as_bytes()[k], b'0' | b'1') && a.as_bytes()[k] != b.as_bytes()[k]);
            assert!(
                !differs,
                "{}: {what}: {name} in cycle {cycle}: {} against {}",
                case.name,
                &a[part.clone()],
                &b[part]
            );
            at += width;
        }
    }
}

/// Runs everything that there is and compares; returns rtlsim's rows.
fn all_agree(case: &Case) -> Vec<String> {
    let compiled = rtlsim(case, &Options::default().verify(true));
    let (icarus, verilator) = peers(case);
    let mask = icarus.as_deref();
    if let Some(icarus) = &icarus {
        let known = icarus.iter().flat_map(|r| r.bytes()).filter(|b| matches!(b, b'0' | b'1')).count();
        let bits: usize = case.vectors.len() * case.outputs.iter().map(|p| p.1).sum::<usize>();
        assert!(known * 10 > bits * 8, "{}: only {known} of {bits} output bits are defined", case.name);
        equal(case, "compiled against Icarus", &compiled, icarus, None);
    }
    if let Some(verilator) = &verilator {
        equal(case, "compiled against Verilator", &compiled, verilator, mask);
    }
    let interpreted = rtlsim(case, &Options::default().engine(Engine::Interpreted));
    equal(case, "compiled against interpreted", &compiled, &interpreted, None);
    compiled
}

/// The value of an output in a row.
fn field(case: &Case, row: &str, name: &str) -> u64 {
    let at = case.outputs.iter().position(|p| p.0 == name).unwrap();
    let start: usize = case.outputs[..at].iter().map(|p| p.1).sum();
    u64::from_str_radix(&row[start..start + case.outputs[at].1], 2).unwrap()
}

/// VexRiscv, a pipelined RV32I processor generated by SpinalHDL, runs a program from memory with
/// wait states.
#[test]
fn vexriscv_runs_the_same_everywhere() {
    let case = Case {
        name: "vexriscv_system",
        files: &["vexriscv_system.v", "vexriscv.v"],
        clock: "clk",
        inputs: &[("reset", 1)],
        outputs: &[
            ("result", 32),
            ("result_valid", 1),
            ("done", 1),
            ("i_adr", 30),
            ("i_stb", 1),
            ("d_adr", 30),
            ("d_stb", 1),
            ("d_we", 1),
            ("d_sel", 4),
            ("d_mosi", 32),
        ],
        reset: 8,
        vectors: (0..30_050).map(|cycle| vec![u64::from(cycle < 8)]).collect(),
    };
    let rows = all_agree(&case);
    let valid = rows.iter().filter(|r| field(&case, r, "result_valid") == 1);
    let results: Vec<u64> = valid.map(|r| field(&case, r, "result")).collect();
    // Primes below 256, CRC-32 of "123456789", checksum of the sorted words, gcd(1071, 462),
    // Fibonacci 40, arithmetic mix.
    assert_eq!(results, [54, 0xcbf4_3926, 0x7ff7_aafa, 21, 102_334_155, 0xffff_ff01]);
    assert_eq!(field(&case, rows.last().unwrap(), "done"), 1);
}

/// spimemio, the SPI flash controller of PicoSoC, in all its modes: single, quad, double data rate,
/// continuous reads. The flash answers noise.
#[test]
fn spimemio_runs_the_same_everywhere() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut address, mut until, mut setting) = (0u64, 0, 0x8000_0000u64);
    let mut vectors = Vec::new();
    for cycle in 0..cases(4_000, 20_000) {
        if cycle >= until {
            until = cycle + rng.random_range(20..400);
            address =
                if rng.random_ratio(3, 4) { (address + 4) & 0xff_fffc } else { rng.random_range(0..1 << 22) << 2 };
        }
        let write = cycle > 100 && rng.random_ratio(1, 1500);
        if write {
            setting =
                0x8000_0000 | rng.random_range(0..8) << 20 | rng.random_range(0..8) << 16 | rng.random_range(0..4096);
        }
        let noise: u64 = rng.random();
        let valid = u64::from(noise & 0xf0 != 0);
        let pins = (0..4).map(|k| noise >> k & 1);
        let mut vector = vec![u64::from(cycle >= 4), valid, address];
        vector.extend(pins);
        vector.extend([if write { 0xf } else { 0 }, setting]);
        vectors.push(vector);
    }
    let case = Case {
        name: "spimemio",
        files: &["spimemio.v"],
        clock: "clk",
        inputs: &[
            ("resetn", 1),
            ("valid", 1),
            ("addr", 24),
            ("flash_io0_di", 1),
            ("flash_io1_di", 1),
            ("flash_io2_di", 1),
            ("flash_io3_di", 1),
            ("cfgreg_we", 4),
            ("cfgreg_di", 32),
        ],
        outputs: &[
            ("ready", 1),
            ("rdata", 32),
            ("flash_csb", 1),
            ("flash_clk", 1),
            ("flash_io0_oe", 1),
            ("flash_io1_oe", 1),
            ("flash_io2_oe", 1),
            ("flash_io3_oe", 1),
            ("flash_io0_do", 1),
            ("flash_io1_do", 1),
            ("flash_io2_do", 1),
            ("flash_io3_do", 1),
            ("cfgreg_do", 32),
        ],
        reset: 8,
        vectors,
    };
    let rows = all_agree(&case);
    let mut words: Vec<_> =
        rows.iter().filter(|r| field(&case, r, "ready") == 1).map(|r| field(&case, r, "rdata")).collect();
    words.dedup();
    assert!(words.len() > cases(4, 20), "the stimulus reads: {} words", words.len());
}
