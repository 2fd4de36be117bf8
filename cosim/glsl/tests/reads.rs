//! What the reader takes, what it makes of it, and how it refuses. The words are looked at as
//! words: a reader of SPIR-V would hide what it tolerates.

use quadlock_glsl::quadlock_set::{Shape, INSTRUCTIONS};
use quadlock_glsl::{compile, Error, Stage};

fn none(_: &str, _: &str) -> Option<(String, String)> {
    None
}

fn words(text: &str) -> Vec<u32> {
    compile("s.comp", text, Stage::Compute, &none).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

fn refused(text: &str) -> Vec<Error> {
    compile("s.comp", text, Stage::Compute, &none).expect_err(text)
}

/// Opcode and operands of each instruction.
fn instructions(words: &[u32]) -> Vec<(u32, &[u32])> {
    let (mut out, mut at) = (Vec::new(), 5);
    while let Some(&first) = words.get(at) {
        let length = (first >> 16) as usize;
        out.push((first & 0xffff, &words[at + 1..at + length]));
        at += length;
    }
    out
}

const EXT_INST_IMPORT: u32 = 11;
const EXT_INST: u32 = 12;
const DECORATE: u32 = 71;

/// Numbers of the instructions of our set that are called.
fn called(words: &[u32]) -> Vec<u32> {
    let all = instructions(words);
    let name: Vec<u32> = b"Quadlock.1\0\0".chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    let set = all.iter().find(|(op, operands)| *op == EXT_INST_IMPORT && operands[1..] == name[..]).map(|(_, o)| o[0]);
    all.iter().filter(|(op, o)| *op == EXT_INST && Some(o[2]) == set).map(|(_, o)| o[3]).collect()
}

const HEAD: &str = "layout(local_size_x = 4) in;\n";

#[test]
fn every_function_of_the_set_is_its_instruction() {
    for version in ["310 es", "320 es", "430", "440", "450", "460"] {
        for instruction in INSTRUCTIONS {
            let types = if instruction.types.is_empty() { &["uint"] } else { instruction.types };
            for ty in types {
                for qualifiers in ["", "coherent", "volatile", "coherent volatile"] {
                    let name = instruction.name;
                    let call = match instruction.shape {
                        Shape::Modify => format!("{ty} a = {name}(b.x[i], v); a = {name}(s, a); b.x[1] = a;"),
                        Shape::Compare => format!("{ty} a = {name}(b.x[i], v, v); a = {name}(s, a, v); b.x[1] = a;"),
                        Shape::Lock => format!("while ({name}(b.x[i]) == 0u) {{}} {name}(s);"),
                        Shape::Semaphore => format!("{name}(i); {name}(3u);"),
                        Shape::Thread => format!("{name}(); {name}();"),
                    };
                    let text = format!(
                        "#version {version}\n{HEAD}layout(std430, binding = 0) {qualifiers} buffer B {{ {ty} x[]; }} b;\n\
                         shared {ty} s;\nvoid main() {{ uint i = gl_LocalInvocationIndex; {ty} v = {ty}(i); {call} }}\n"
                    );
                    assert_eq!(called(&words(&text)), [instruction.id; 2], "{text}");
                }
            }
        }
    }
}

#[test]
fn declared_by_the_text_it_is_a_function_and_a_name() {
    let text = format!("#version 450\n{HEAD}void semaphoreWait() {{}}\nvoid main() {{ semaphoreWait(); }}");
    let words = words(&text);
    assert!(called(&words).is_empty());
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    assert!(bytes.windows(14).any(|w| w == b"semaphoreWait("));
}

#[test]
fn versions_and_what_they_have() {
    for version in ["310 es", "320 es", "430", "440", "450", "450 core", "460", "460 core"] {
        let text = format!(
            "#version {version}\n#extension GL_KHR_shader_subgroup_arithmetic : enable\nprecision highp float;\n\
             precision mediump int;\n{HEAD}layout(push_constant) uniform P {{ float k; mat3 m; }} p;\n\
             layout(constant_id = 3) const int N = 7;\nlayout(std140, binding = 1) uniform U {{ vec3 a[4]; float z; }};\n\
             layout(std430, binding = 0) coherent volatile restrict buffer B {{ highp float x[]; }} b;\n\
             void main() {{ uint i = gl_GlobalInvocationID.x; float f = float(N) * p.k * a[1].y;\n\
             b.x[i] = subgroupAdd(f); memoryBarrierBuffer(); barrier(); }}\n"
        );
        let words = words(&text);
        assert_eq!((words[0], words[1]), (0x0723_0203, 0x0001_0500));
        let spec = instructions(&words).iter().any(|(op, o)| *op == DECORATE && o[1..] == [1, 3]);
        assert!(spec, "the specialisation constant is gone");
    }
}

#[test]
fn other_stages() {
    let vertex = "#version 450\nlayout(location = 0) in vec4 p;\nvoid main() { gl_Position = p; }";
    let fragment = "#version 310 es\nprecision highp float;\nlayout(location = 0) out vec4 c;\nvoid main() { c = gl_FragCoord; if (c.x > 2.0) discard; }";
    assert!(compile("s.vert", vertex, Stage::Vertex, &none).is_ok());
    assert!(compile("s.frag", fragment, Stage::Fragment, &none).is_ok());
    assert!(compile("s.vert", fragment, Stage::Vertex, &none).is_err());
}

#[test]
fn the_same_text_gives_the_same_words() {
    let text = include_str!("../../../examples/edge-detect/sobel.comp");
    let first = words(text);
    // Of warm readers, and, with several at a time, of new ones.
    std::thread::scope(|s| {
        let all: Vec<_> = (0..4).map(|_| s.spawn(|| words(text))).collect();
        all.into_iter().for_each(|t| assert_eq!(t.join().unwrap(), first));
    });
    assert_eq!(words(text), first);
}

#[test]
fn errors_have_line_and_column() {
    for (version, line) in [("#version 450\n", 4), ("#version 310 es\n", 4), ("", 3), ("/* a\n*/ #version 430\n", 5)] {
        let text = format!("{version}{HEAD}void main() {{ semaphoreWait();\n  foo = 3;\n}}");
        let errors = refused(&text);
        let e = &errors[0];
        assert_eq!((e.file.as_str(), e.line, e.column), ("s.comp", line, 3), "{errors:?}");
        assert!(e.message.contains("foo"), "{e:?}");
    }
    // Before 3.30 `#line` counts otherwise.
    let old = compile("s.frag", "#version 150\nvoid main() {\nfoo;\n}", Stage::Fragment, &none).unwrap_err();
    assert_eq!(old[0].line, 3, "{old:?}");
    assert_eq!(refused("#version 450\nvoid main() {\n\n  @\n}")[0].line, 4);
    for version in ["999", "100", "310", "330", "450 é", ""] {
        let errors = refused(&format!("\n // é\n #version {version}\nvoid main() {{}}"));
        assert_eq!(errors[0].line, 3, "{errors:?}");
    }
    assert_eq!((refused("#version 450\na\0")[0].line, refused("#version 450\na\0")[0].column), (2, 2));
    assert!(refused("#version 450\nvoid f() {}")[0].message.contains("entry point"));
}

/// Columns are not cut to 8 bits anywhere, and comments before the word do not matter.
#[test]
fn errors_far_to_the_right_stay_on_their_line() {
    for from in [200, 254, 255, 256, 257, 300, 1000, 66_000] {
        for before in
            [" ".repeat(from), format!("; /*{}*/ ", "x".repeat(from)), "; ".repeat(from / 2), "\t".repeat(from)]
        {
            for (wrong, message) in [("uint x = nope;", "'nope' : undeclared"), ("uint x = 1u 2u;", "syntax error")] {
                let text = format!("#version 450\n{HEAD}void main() {{\n{before}{wrong}\nuint y = 2u;\n}}\n");
                let e = &refused(&text)[0];
                assert!(e.line == 4 && e.message.starts_with(message), "{from}: {e:?}");
                if wrong.contains("nope") {
                    assert_eq!(e.column as usize, before.len() + 10, "{e:?}");
                }
            }
        }
    }
}

#[test]
fn a_missing_argument_names_the_function() {
    let errors = refused(&format!("#version 450\n{HEAD}void main() {{\n semaphoreAcquire();\n}}"));
    assert_eq!(errors[0].line, 4);
    assert!(errors[0].message.contains("semaphoreAcquire"), "{errors:?}");
}

#[test]
fn includes_relative_to_their_file() {
    let files = |wanted: &str, from: &str| match (wanted, from) {
        ("a.glsl", "dir/s.comp") => {
            Some(("dir/a.glsl".to_string(), "#include \"b.glsl\"\nuint two() { return one() + 1u; }\n".to_string()))
        }
        ("b.glsl", "dir/a.glsl") => {
            Some(("dir/b.glsl".to_string(), "uint one() { semaphoreWait(); return 1u; }\n".to_string()))
        }
        ("bad.glsl", _) => Some(("dir/bad.glsl".to_string(), "\nuint x = nothing;\n".to_string())),
        ("self.glsl", _) => Some(("self.glsl".to_string(), "#include \"self.glsl\"\n".to_string())),
        _ => None,
    };
    let run = |name: &str| {
        let text = format!(
            "#version 450\n{HEAD}#include \"{name}\"\nlayout(binding = 0) buffer B {{ uint x; }};\nvoid main() {{ x = two(); }}\n  bad"
        );
        compile("dir/s.comp", text.trim_end_matches("\n  bad"), Stage::Compute, &files)
            .map_err(|e| (e, compile("dir/s.comp", &text, Stage::Compute, &files)))
    };
    assert_eq!(called(&run("a.glsl").unwrap()), [34]);
    let (errors, _) = run("bad.glsl").unwrap_err();
    assert_eq!((errors[0].file.as_str(), errors[0].line), ("dir/bad.glsl", 2), "{errors:?}");
    let (errors, _) = run("none.glsl").unwrap_err();
    assert_eq!((errors[0].file.as_str(), errors[0].line), ("dir/s.comp", 3), "{errors:?}");
    let (errors, _) = run("self.glsl").unwrap_err();
    assert!(!errors.is_empty());
    // Behind an include the lines are the source's again.
    let text = format!("#version 450\n{HEAD}#include \"a.glsl\"\nvoid main() {{\n  nothing = two();\n}}");
    let errors = compile("dir/s.comp", &text, Stage::Compute, &files).unwrap_err();
    assert_eq!((errors[0].file.as_str(), errors[0].line), ("dir/s.comp", 5), "{errors:?}");
}

#[test]
fn memory_that_is_a_value_is_explained() {
    let errors = refused(&format!("#version 450\n{HEAD}void main() {{\n warpAtomicAdd(3u, 1u);\n}}"));
    assert!(errors[0].message.contains("no variable in memory"), "{errors:?}");
}

/// Texts that a C++ compiler of shaders does not like.
fn hostile() -> Vec<String> {
    let main = |body: &str| {
        format!("#version 450\n{HEAD}layout(binding = 0) buffer B {{ int x[]; }};\nvoid main() {{ {body} }}")
    };
    let nested = |open: &str, n: usize, middle: &str, close: &str| main(&(open.repeat(n) + middle + &close.repeat(n)));
    let mut laughs = "#version 450\n#define A0 1+1\n".to_string();
    for i in 1..14 {
        laughs += &format!("#define A{i} A{} + A{} + A{} + A{}\n", i - 1, i - 1, i - 1, i - 1);
    }
    vec![
        laughs + HEAD + "void main() { int a = A13; }",
        format!("#version 450\n#define A(x) x x\nint b = {} 1;", "A(".repeat(40) + &")".repeat(40)),
        "#version 450\n#if ".to_string() + &"(".repeat(300_000),
        "#version 450\n/*".to_string() + &"*".repeat(1_000_000),
        format!("#version 450\n{HEAD}int a{}; void main() {{}}", "[2]".repeat(1000)),
        format!("#version 450\n{HEAD}const int a[1000000000] = int[1000000000](1); void main() {{}}"),
        format!("#version 450\n{HEAD}shared int a[2147483647]; void main() {{ a[1] = 1; }}"),
        nested("(", 200_000, "1", ")"),
        nested("- ", 200_000, "1;", ""),
        nested("x[0] + ", 100_000, "1;", ""),
        nested("x[0] = ", 100_000, "1;", ""),
        nested("x[", 20_000, "0", "]"),
        nested("{", 100_000, "", "}"),
        nested("if (true) ", 100_000, ";", ""),
    ]
}

#[test]
fn what_breaks_glslang_is_an_error() {
    for text in hostile() {
        // Either is right; that there is a result is what is tested.
        if let Err(errors) = compile("s.comp", &text, Stage::Compute, &none) {
            assert!(!errors.is_empty() && errors.iter().all(|e| !e.message.is_empty()));
        }
    }
    words(&format!("#version 450\n{HEAD}void main() {{}}"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_dies_is_an_error_and_the_next_text_has_another() {
    // More memory than the reader may have.
    let text = format!(
        "#version 450\n{HEAD}layout(binding = 0) buffer B {{ int x; }};\nvoid main() {{ x = {}1; }}",
        "x+".repeat(2_000_000)
    );
    let started = std::time::Instant::now();
    let errors = refused(&text);
    let said = &errors[0].message;
    assert!(said.contains("ended on this text") || said.contains("had not finished"), "{said}");
    assert!(started.elapsed().as_secs() < 20);
    words(&format!("#version 450\n{HEAD}void main() {{}}"));
}

#[test]
fn mutated_texts_never_end_the_caller() {
    let text = include_str!("../../../examples/edge-detect/sobel.comp");
    let tokens = [
        "(",
        ")",
        "{",
        "}",
        ";",
        "0",
        "-1",
        "4294967295u",
        "1e999",
        "é",
        "\"",
        "#",
        "warpLock",
        "gl_Position",
        "[1000000]",
    ];
    // A stream of its own: the crate has no generator among its dependencies.
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut accepted, count) = (0, 500);
    for _ in 0..count {
        let mut bytes: Vec<char> = text.chars().collect();
        let at = below(bytes.len());
        let to = (at + below(12)).min(bytes.len());
        let new: Vec<char> = tokens[below(tokens.len())].chars().collect();
        bytes.splice(at..to, new);
        let mutated: String = bytes.into_iter().collect();
        match compile("s.comp", &mutated, Stage::Compute, &none) {
            Ok(_) => accepted += 1,
            Err(errors) => assert!(errors.iter().all(|e| !e.message.contains("ended on this text")), "{mutated}"),
        }
    }
    assert!(accepted > 0 && accepted < count, "{accepted}");
}

/// The row of the page for an instruction.
fn row(instruction: &quadlock_glsl::quadlock_set::Instruction) -> String {
    let operands = match instruction.shape {
        Shape::Modify => "pointer, value",
        Shape::Compare => "pointer, expected, value",
        Shape::Lock => "pointer",
        Shape::Semaphore => "number",
        Shape::Thread => "",
    };
    let types: Vec<_> = instruction.types.iter().map(|t| format!("`{t}`")).collect();
    let row = format!("| {} | `{}` | {operands} | {} |", instruction.id, instruction.name, types.join(", "));
    row.replace("|  |", "| |").replace("|  |", "| |")
}

#[test]
fn the_page_has_the_table() {
    let page = include_str!("../../../docs/glsl.md");
    let rows: Vec<_> = page.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| number")).collect();
    let table: Vec<_> = INSTRUCTIONS.iter().map(row).collect();
    assert_eq!(rows, table);
}

/// A program that another build left, or no reader at all: an error that says what to do.
#[cfg(unix)]
#[test]
fn a_reader_of_another_edition_is_refused() {
    std::env::set_var("QUADLOCK_GLSL", "/bin/echo");
    let errors = refused("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n");
    assert!(errors[0].message.contains("another version"), "{errors:?}");
    assert!(errors[0].message.contains("cargo build -p quadlock-glsl"), "{errors:?}");
}
