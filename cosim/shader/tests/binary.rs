//! Shader binaries as ordinary tools see them (LP-30): `readelf`, `objdump` and `llvm-dwarfdump`
//! find nothing to complain of and show the lines, symbols and sections that we read.
//!
//! Their output is text for people, of which each test takes what it needs. Wrong would be a tool
//! that is not there and a test that passes: with `QUADLOCK_REQUIRE_PEERS` that fails.

use crate::common::draw::{Buffer, Drawing, In, Source};
use quadlock_shader::binary::{disassembly, ShaderBinary};
use quadlock_shader::front::linkage::TargetFormat;
use quadlock_shader::{compile, CompileRequest, Compiled, Options};
use quadlock_testkit::peers::installed;
use std::process::Command;

/// Shaders in every language, some with library functions, which have files of their own.
const EXAMPLES: [&str; 8] = [
    "edge-detect/sobel.wgsl",
    "edge-detect/sobel.comp",
    "edge-detect/sobel-slang.spv",
    "edge-detect/sobel-hlsl.spv",
    "matrix-multiply/matmul.wgsl",
    "reduction/reduction.wgsl",
    "ray-trace/ray-trace.wgsl",
    "hash-table/hash-table.wgsl",
];

const VERTEX: &str = "
struct Out { @builtin(position) position: vec4f, @location(0) v: vec4f }
@vertex fn main(@location(0) place: vec4f, @location(1) v: vec4f) -> Out {
    var out: Out;
    out.position = place * 0.5;
    out.v = v / (1.0 + place.x * place.x);
    return out;
}";
const FRAGMENT: &str = "
@fragment fn main(@location(0) v: vec4f) -> @location(0) vec4f {
    let w = dpdx(v.x) + dpdy(v.y);
    let b = sin(w) + cos(v.y) * sqrt(abs(v.x));
    return vec4f(w, b, exp2(b) * v.z, log2(abs(b) + 1.0));
}";

/// A vertex program with a position part, a fragment program with one for warps alone.
fn stages() -> [Compiled; 2] {
    let (vertex, fragment) = (Source::vertex(In::Wgsl, VERTEX, ""), Source::fragment(In::Wgsl, FRAGMENT, ""));
    let buffers = vec![Buffer::vec4(0, &[[0.0; 4]; 3]), Buffer::vec4(1, &[[0.0; 4]; 3])];
    let options = Options { merge: true, alone: 512, position: true, ..Options::default() };
    let pipeline =
        Drawing { targets: vec![TargetFormat::Rgba8Unorm], options, ..Drawing::new(vertex, fragment, buffers, 3) }
            .compile();
    let pipeline = pipeline.unwrap_or_else(|e| panic!("{e}"));
    [pipeline.vertex, pipeline.fragment.expect("a fragment program")]
}

fn example(path: &str) -> Compiled {
    let full = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read(&full).unwrap_or_else(|e| panic!("{full}: {e}"));
    compile(&CompileRequest::new(&format!("examples/{path}"), &source)).unwrap_or_else(|e| panic!("{e}"))
}

fn programs() -> Vec<ShaderBinary> {
    EXAMPLES.into_iter().map(example).chain(stages()).map(|c| c.binary).collect()
}

/// What a tool prints of a binary. It must neither fail nor complain.
fn shown(tool: &str, arguments: &[&str], binary: &ShaderBinary) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), binary.write()).unwrap();
    let run = Command::new(tool).args(arguments).arg(file.path()).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    // What LLVM says of every machine that it has no code generator for.
    let said: Vec<&str> = said.lines().filter(|l| !l.contains("No available targets are compatible")).collect();
    assert!(run.status.success() && said.is_empty(), "{tool} {arguments:?}: {}\n{}", run.status, said.join("\n"));
    String::from_utf8(run.stdout).unwrap()
}

/// Each instruction's value, from rows (address, value) of which the last ends the table.
fn expanded<T: Clone>(rows: &[(usize, T)], code: usize) -> Vec<T> {
    assert!(rows.first().is_some_and(|r| r.0 == 0) && rows.last().is_some_and(|r| r.0 == 8 * code));
    rows.windows(2).flat_map(|two| vec![two[0].1.clone(); (two[1].0 - two[0].0) / 8]).collect()
}

fn address(text: &str) -> usize {
    usize::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// File and line of every instruction, and its column if the tool says it: (file, line, column).
type Places = Vec<(String, u32, u32)>;

fn expected(binary: &ShaderBinary) -> Places {
    let place = |l: &quadlock_shader::ssa::Loc| (binary.files[usize::from(l.file)].clone(), l.line, l.col);
    binary.lines.iter().map(place).collect()
}

#[test]
fn binaries_are_read_back() {
    for binary in programs() {
        assert_eq!(ShaderBinary::read(&binary.write()), Ok(binary));
    }
}

#[test]
fn the_disassembly_is_the_program() {
    for binary in programs() {
        let text = disassembly(&binary, &|_| None);
        let words = quadlock_isa::assemble("text", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(words.code, binary.code, "{text}");
    }
    // An operation of SPIR-V without lines is named by its word.
    let text = disassembly(&example("edge-detect/sobel-slang.spv").binary, &|_| None);
    assert!(text.contains("word "), "{text}");
}

#[test]
fn lp_30_readelf_and_objdump_find_nothing_to_complain_of() {
    if !installed("readelf") || !installed("objdump") {
        return;
    }
    for binary in programs() {
        for arguments in [&["-a"][..], &["-a", "--wide"], &["--wide", "--debug-dump"]] {
            let text = shown("readelf", arguments, &binary).to_lowercase();
            assert!(!text.contains("warning") && !text.contains("error"), "{text}");
            // Of the machine's number, in the header and for unwinding; and a letter's legend.
            let unknown = text.lines().filter(|l| l.contains("unknown") && !l.contains("x (unknown)"));
            assert!(unknown.into_iter().all(|l| l.contains("<unknown>: 0x514c")), "{text}");
        }
        let text = shown("objdump", &["-h", "-t"], &binary);
        assert!(text.contains(".quadlock.interface") && text.contains("F .text"), "{text}");
    }
}

/// Symbols: local ones first, each with its size.
#[test]
fn lp_30_symbols_are_programs_and_their_blocks() {
    if !installed("readelf") {
        return;
    }
    for binary in programs() {
        let text = shown("readelf", &["--wide", "--symbols"], &binary);
        // Number, value, size, type, binding, visibility, section, name.
        let rows = text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>()).filter(|r| r.len() == 8);
        let rows: Vec<_> = rows.filter(|r| r[6] == "1").map(|r| (r[7], r[3], r[4], address(r[1]), r[2])).collect();
        let local = binary.labels.iter().map(|(pc, name)| (name.as_str(), "NOTYPE", "LOCAL", *pc as usize * 8));
        let functions = binary.functions();
        let global = functions.iter().map(|(name, at)| (name.as_str(), "FUNC", "GLOBAL", at.start as usize * 8));
        let all: Vec<_> = local.chain(global).collect();
        assert_eq!(rows.iter().map(|r| (r.0, r.1, r.2, r.3)).collect::<Vec<_>>(), all, "{text}");
        // Programs and blocks both cover the code, without a gap.
        for kind in ["NOTYPE", "FUNC"] {
            let mut end = 0;
            for row in rows.iter().filter(|r| r.1 == kind) {
                assert_eq!(row.3, end, "{text}");
                end += row.4.parse::<usize>().unwrap();
            }
            assert_eq!(end, 8 * binary.code.len(), "{text}");
        }
    }
    let [vertex, fragment] = stages().map(|c| c.binary.functions());
    assert_eq!(vertex.last().map(|f| f.0.as_str()), Some("main.position"));
    assert_eq!(fragment.last().map(|f| f.0.as_str()), Some("main.alone"));
}

/// Places without columns, as `readelf` shows them.
fn readelf(binary: &ShaderBinary) -> Places {
    let text = shown("readelf", &["--wide", "--debug-dump=decodedline"], binary);
    // File, line or a dash for the end, address. Addresses above 0 begin with 0x.
    let mut rows = vec![];
    for row in text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>()) {
        if let [file, line, at, ..] = row[..] {
            if at == "0" || at.starts_with("0x") {
                rows.push((address(at), (file.to_owned(), line.parse().unwrap_or(0), 0)));
            }
        }
    }
    expanded(&rows, binary.code.len())
}

/// Places as `llvm-dwarfdump` shows them.
fn dwarfdump(binary: &ShaderBinary) -> Places {
    let text = shown("llvm-dwarfdump", &["--debug-line"], binary);
    let name = |line: &str| Some(line.trim().strip_prefix("name: \"")?.strip_suffix('"')?.to_owned());
    let files: Vec<String> = text.lines().filter_map(name).collect();
    assert_eq!(files, binary.files);
    // Address, line, column, file.
    let mut rows = vec![];
    for row in text.lines().filter(|l| l.starts_with("0x")).map(|l| l.split_whitespace().collect::<Vec<_>>()) {
        let number = |n: usize| row[n].parse::<u32>().unwrap();
        rows.push((address(row[0]), (files[number(3) as usize].clone(), number(1), number(2))));
    }
    expanded(&rows, binary.code.len())
}

fn without_columns(places: Places) -> Places {
    places.into_iter().map(|(file, line, _)| (file, line, 0)).collect()
}

#[test]
fn lp_30_readelf_shows_the_lines_that_we_read() {
    if installed("readelf") {
        for binary in programs() {
            assert_eq!(readelf(&binary), without_columns(expected(&binary)));
        }
    }
}

#[test]
fn lp_30_llvm_dwarfdump_shows_the_lines_and_columns_that_we_read() {
    if !installed("llvm-dwarfdump") {
        return;
    }
    for binary in programs() {
        for arguments in [&["--verify"][..], &["--debug-line", "--verify"]] {
            let text = shown("llvm-dwarfdump", arguments, &binary);
            assert!(text.contains("No errors.") && !text.contains("warning"), "{text}");
        }
        assert_eq!(dwarfdump(&binary), expected(&binary));
    }
}

/// The comparison can fail: one instruction with the position of another is seen by both tools.
#[test]
fn one_wrong_line_is_seen() {
    if !installed("readelf") || !installed("llvm-dwarfdump") {
        return;
    }
    let right = example("edge-detect/sobel.wgsl").binary;
    for pc in [0, right.code.len() / 2, right.code.len() - 1] {
        let mut wrong = right.clone();
        wrong.lines[pc].line += 1;
        assert_ne!(readelf(&wrong), without_columns(expected(&right)));
        assert_ne!(dwarfdump(&wrong), expected(&right));
    }
}

/// A binary without its debug sections is the same program.
#[test]
fn what_is_stripped_is_a_program() {
    // That of GNU takes the machine's number away.
    if !installed("llvm-objcopy") {
        return;
    }
    let binary = example("edge-detect/sobel.wgsl").binary;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), binary.write()).unwrap();
    let run = Command::new("llvm-objcopy").arg("--strip-debug").arg(file.path()).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let stripped = ShaderBinary::read(&std::fs::read(file.path()).unwrap()).unwrap();
    let lines = vec![Default::default(); binary.code.len()];
    assert_eq!(stripped, ShaderBinary { files: vec![], lines, ..binary });
}
