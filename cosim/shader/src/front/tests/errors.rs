//! Refusals: what is not supported is named, with its place.

use super::*;
use crate::interface::Stage;

fn first(source: &str) -> String {
    refused(source, Lang::Wgsl)[0].clone()
}

/// A compute shader with `globals` on line 1 and `body` on line 3, from column 1.
fn wgsl(globals: &str, body: &str) -> String {
    format!("{globals}\n@compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) {{\n{body}\n}}")
}

#[test]
fn syntax_and_type_errors_name_line_and_column() {
    let message = first("@compute @workgroup_size(1) fn main() {\n    let x = ;\n}");
    assert!(message.starts_with("t.wgsl:2:13: "), "{message}");
    let message = first(&wgsl("", "let x = 1u + 1.5f;"));
    assert!(message.starts_with("t.wgsl:3:9: "), "{message}");
    let message = first(&wgsl("", "let µ = 1; let y = nothing;"));
    assert!(message.starts_with("t.wgsl:3:20: "), "columns are characters: {message}");
}

#[test]
fn unsupported_constructs_are_refused_by_name() {
    let texture = "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;";
    let cases = [
        (wgsl(texture, "let c = textureSampleLevel(t, s, vec2<f32>(0.0), 0.0);"), "t.wgsl:1:23: ", "textures"),
        (wgsl("@group(0) @binding(1) var s: sampler; fn f() { _ = s; }", "f();"), "t.wgsl:1:23: ", "samplers"),
        (wgsl("enable f16;", "var x = 1.0h;"), "t.wgsl:3:1: ", "f16"),
        (wgsl("", "var x = 1lf;"), "t.wgsl:3:1: ", "f64"),
        (wgsl("", "var x = 1li;"), "t.wgsl:3:1: ", "i64"),
        (
            wgsl("@group(0) @binding(0) var<storage, read_write> a: atomic<f32>;", "atomicAdd(&a, 1.0f);"),
            "t.wgsl:",
            "f32",
        ),
    ];
    let mut wrong = String::new();
    for (source, place, what) in cases {
        let message = first(&source);
        if !message.starts_with(place) || !message.contains(what) {
            wrong += &format!("{source}\n{message}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn entry_points_are_chosen_by_name() {
    let source = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(2) fn b() {}";
    let pick = |entry| parse("t.wgsl", source.as_bytes(), Lang::Wgsl, entry);
    assert!(pick(None).unwrap_err().to_string().contains("several entry points (name one of: a, b)"));
    assert!(pick(Some("c")).unwrap_err().to_string().contains("no entry point named `c` (choose one of: a, b)"));
    let lowered = lower(&pick(Some("b")).unwrap(), &Options::default()).unwrap();
    assert_eq!((lowered.interface.entry.as_str(), lowered.interface.group_size), ("b", [2, 1, 1]));
    assert!(first("fn f() {}").starts_with("t.wgsl:1:1: the source has no entry point"));
}

#[test]
fn bindings_must_be_distinct() {
    let globals =
        "@group(0) @binding(0) var<storage, read_write> a: u32; @group(0) @binding(0) var<storage, read_write> b: u32;";
    let message = first(&wgsl(globals, "a = 1u; b = 2u;"));
    assert!(message.contains("t.wgsl:"), "{message}");
}

#[test]
fn text_that_is_not_text_and_random_text_are_errors() {
    assert!(parse("t.wgsl", &[0xFF, 0xFE], Lang::Wgsl, None).unwrap_err().to_string().contains("UTF-8"));
    let good = wgsl(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;",
        "for (var k = 0u; k < 4u; k++) { b[i] += k; }",
    );
    for cut in 0..good.len() {
        let _ = parse("t.wgsl", &good.as_bytes()[..cut], Lang::Wgsl, None).and_then(|p| lower(&p, &Options::default()));
    }
}

#[test]
fn the_directive_for_subgroups_is_ignored() {
    let run = Run::wgsl(
        "enable subgroups; // enable subgroups
         @group(0) @binding(0) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(1) fn main() { b[0] = 6u; }",
    );
    assert_eq!(run.zeros(1).go().buffer(0), [6]);
}

/// Every instruction of a lowered shader that stands in the source has its line.
#[test]
fn instructions_know_their_lines() {
    let lowered = compile(
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3<u32>) {\n    b[g.x] =\n        g.y * 77u;\n}",
        Lang::Wgsl,
    );
    let insts: Vec<_> = lowered.module.funcs[lowered.entry.index()].blocks.iter().flat_map(|b| &b.insts).collect();
    let line =
        |f: &dyn Fn(&crate::ssa::Kind) -> bool| insts.iter().find(|i| f(&i.kind)).map(|i| (i.loc.line, i.loc.col));
    assert_eq!(line(&|k| matches!(k, crate::ssa::Kind::Store { .. })), Some((3, 5)));
    assert_eq!(line(&|k| matches!(k, crate::ssa::Kind::Const(77))), Some((4, 9)));
    assert_eq!(lowered.module.files[..2], ["test", "prelude/intrinsics.wgsl"]);
    let lowered = compile(
        "@group(0) @binding(0) var<storage, read_write> b: u32; @compute @workgroup_size(1) fn main() { b = b / b; }",
        Lang::Wgsl,
    );
    let division = &lowered.module.funcs[0];
    let loc = division.blocks[0].insts[0].loc;
    assert_eq!(
        (division.name.as_str(), lowered.module.files[loc.file as usize].as_str()),
        ("ql_udiv", "prelude/integer.wgsl")
    );
    assert!((3..20).contains(&loc.line), "{loc:?}");
}

#[test]
fn macros_that_stand_for_more_text_than_there_is_memory_are_refused() {
    let mut source = "#version 450\nlayout(local_size_x = 1) in;\n#define X0 1u\n".to_string();
    for i in 0..40 {
        source += &format!("#define X{} (X{i} + X{i})\n", i + 1);
    }
    source += "void main() { uint a = X40; }\n";
    let message = refused(&source, Lang::Glsl(Stage::Compute))[0].clone();
    assert!(message.starts_with("t.wgsl: glslang ") && message.contains("make it smaller"), "{message}");
}

#[test]
fn what_the_lexer_refuses_has_a_place() {
    let glsl = |body: &str| format!("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {{\n{body}\n}}\n");
    for (body, place) in [
        ("uint a = 1u \0 + 2u;", "4:13"),
        ("uint a = 1u $ 2u;", "4:14"),
        ("uint b; uint a = 99999999999999999999u;", "4:18"),
        ("\n  float x = 1.0lf;", "5:11"),
    ] {
        let message = refused(&glsl(body), Lang::Glsl(Stage::Compute))[0].clone();
        assert!(message.starts_with(&format!("t.wgsl:{place}: ")), "{body:?}: {message}");
    }
    let mut source = glsl("").into_bytes();
    source.extend(b"// caf\xe9\n");
    for (name, lang) in [("t.comp", Lang::Glsl(Stage::Compute)), ("t.wgsl", Lang::Wgsl)] {
        let message = parse(name, &source, lang, None).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{name}:6:7: the source is not UTF-8 text")), "{message}");
    }
    let message = first("\n@compute @workgroup_size(0) fn main() {}");
    assert!(message.starts_with("t.wgsl:2:32: "), "{message}");
}

#[test]
fn an_integer_of_more_than_32_bits_is_refused_and_not_cut() {
    let glsl = |body: &str| format!("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {{\n{body}\n}}\n");
    for (body, place) in [
        ("uint a = 4294967296u;", "4:10"),
        ("uint a = 0xFFFFFFFFFu;", "4:10"),
        ("uint a = 1u + 040000000000u;", "4:15"),
        ("#define A 99999999999\nint a = A;", "4:11"),
    ] {
        let message = refused(&glsl(body), Lang::Glsl(Stage::Compute))[0].clone();
        assert!(message.starts_with(&format!("t.wgsl:{place}: ")) && message.contains("too big"), "{body}: {message}");
    }
    let body = "uint a = 4294967295u + 0xFFFFFFFFu + 037777777777u; float b = 99999999999.0 + 0.99999999999 + 1e10;";
    assert!(parse("t.comp", glsl(body).as_bytes(), Lang::Glsl(Stage::Compute), None).is_ok());
}

/// A member of a type that is not supported is an error where it is used, and only there.
#[test]
fn a_part_that_nobody_uses_may_have_any_type() {
    let shader = |body: &str| {
        format!(
            "struct S {{ a: u32, b: u32, c: i64 }}
            @group(0) @binding(0) var<storage, read_write> s: S;
            @compute @workgroup_size(4) fn main() {{ {body} }}"
        )
    };
    compile(&shader("s.a = s.b;"), Lang::Wgsl);
    let errors = refused(&shader("s.a = u32(s.c);"), Lang::Wgsl);
    assert!(errors[0].contains("i64 is not supported"), "{errors:?}");
}
