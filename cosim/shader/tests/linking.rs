//! The source's example of linked programs (LP-20) and its variants, from its files. The numbers
//! are those of the spec's table, which was reconstructed from the source's prose and not from us.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quadlock_shader::binary::{disassembly, ShaderBinary};
use quadlock_shader::compile::{compile_linked, Uniforms};
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::graphics::StageSource;
use quadlock_shader::interface::{Derived, Interpolation, Sampling, Stage, Step, UNIFORM_WORDS};
use quadlock_shader::link::trace::What;
use quadlock_shader::linker::{entry_points, link, LinkRequest, Products, Sharing, StageFigures};
use quadlock_shader::{CompileRequest, Options};

fn file(name: &str) -> (String, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/linked").join(name);
    (name.to_string(), std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Links linked.vert with fragment programs; a, b, c and u1 to u5 are known, or none.
fn linked(fragments: &[&str], a: f32, known: bool, options: Options) -> Products {
    shared(Sharing::Cheapest, fragments, a, known, options)
}

/// As [`linked`]; what several fragment programs do about their vertex program is said.
fn shared(sharing: Sharing, fragments: &[&str], a: f32, known: bool, options: Options) -> Products {
    let sources: Vec<(String, Vec<u8>)> = ["linked.vert"].iter().chain(fragments).map(|n| file(n)).collect();
    let source = |n: usize| StageSource { path: &sources[n].0, source: &sources[n].1, entry: None };
    let words = |all: &[f32]| all.iter().map(|f| Some(f.to_bits())).collect::<Vec<Option<u32>>>();
    let vertex: Vec<Option<u32>> = vec![None; 16].into_iter().chain(words(&[a, 1.0, 1.0])).collect();
    let uniforms = Uniforms::from([((0, 0), vertex), ((0, 1), words(&[1.0, 0.25, 2.0, 3.0, 0.5]))]);
    let request = LinkRequest {
        vertex: source(0),
        fragments: (1..sources.len()).map(source).collect(),
        known: if known { uniforms } else { Uniforms::new() },
        sharing,
        options,
    };
    link(&request).unwrap_or_else(|e| panic!("{e}"))
}

/// Inputs and outputs of the stages, in words.
fn names(stages: &[StageFigures]) -> Vec<String> {
    stages.iter().map(|s| format!("{} -> {}", s.input_names.join(" "), s.output_names.join(" "))).collect()
}

fn example_ends(fault: Option<CompilerFault>) -> Result<(), String> {
    let p = linked(&["linked.frag"], 2.0, true, Options { fault, ..Options::default() });
    let [vertex, fragment] = &p.after.stages[..] else { return Err("no two stages".into()) };
    match (vertex.operations <= 6, fragment.operations <= 2) {
        (true, true) => Ok(()),
        _ => Err(format!("{} and {} operations", vertex.operations, fragment.operations)),
    }
}

#[test]
fn the_example_ends_at_six_and_two_operations() {
    example_ends(None).unwrap();
}

/// The third of the tests that find this bug; the others are the linker's own.
#[test]
fn a_linker_that_stops_after_one_iteration_fails_the_example() {
    assert!(example_ends(Some(CompilerFault::LinkOnce)).is_err());
}

#[test]
fn the_examples_iterations_are_those_of_the_table() {
    let p = linked(&["linked.frag"], 2.0, true, Options::default());
    let [vertex, fragment] = &p.before.stages[..] else { panic!() };
    assert_eq!((vertex.operations, vertex.attributes, vertex.outputs, fragment.inputs), (10, 3, 6, 5));
    assert_eq!(p.iterations.len(), 3, "two that change something, and one that finds nothing");
    let one = &p.iterations[0].stages;
    assert_eq!(
        names(one),
        ["position colour -> vector varying1 varying2 varying3", "vector varying1 varying2 varying3 -> result"]
    );
    assert_eq!((one[0].operations, one[0].attributes, one[0].derived_uniforms), (8, 2, 1));
    assert_eq!(one[1].derived_uniforms, 2);
    let two = &p.iterations[1].stages;
    assert_eq!(names(two), ["position colour -> vector varying3", "vector varying3 -> result"]);
    assert_eq!((two[0].operations, two[1].operations), (6, 2));
    assert_eq!(p.iterations[2].events, []);
    assert_eq!(p.after.stages, two[..]);
    let [vertex, fragment] = &p.after.stages[..] else { panic!() };
    assert!(vertex.instructions_by.arithmetic <= 17 && fragment.instructions_by.arithmetic <= 6);
    for s in p.before.stages.iter().chain(&p.after.stages) {
        assert_eq!(s.instructions_by.all(), s.instructions, "{s:?}");
    }
}

/// Each removal names places of both programs' sources.
#[test]
fn every_removal_has_a_reason_and_a_place() {
    let p = linked(&["linked.frag"], 2.0, true, Options::default());
    let events = || p.iterations.iter().flat_map(|i| &i.events);
    let names = |what: What| -> Vec<&str> { events().filter(|e| e.what == what).map(|e| e.name.as_str()).collect() };
    assert_eq!(names(What::Input), ["varying4"]);
    assert_eq!(names(What::Output), ["varying4", "varying5", "varying1", "varying2"]);
    assert_eq!(names(What::Attribute), ["weight"]);
    assert_eq!(names(What::Uniform), ["varying1", "varying2"]);
    assert_eq!(names(What::Decided), ["(u1 > 0.0)", "((a + b) > c)"]);
    assert_eq!(names(What::Unneeded), ["(u5 - u1)", "(a + b)"]);
    assert!(events().all(|e| !e.why.is_empty() && !e.places.is_empty()));
    let text = |what: What, name: &str| events().find(|e| e.what == what && e.name == name).unwrap().to_string();
    assert_eq!(
        text(What::Input, "varying4"),
        "fragment: input removed: varying4: nothing reads it since a branch is decided \
         (linked.frag:16:31, linked.frag:22:5, linked.vert:28:5)"
    );
    assert_eq!(
        text(What::Output, "varying4"),
        "vertex: output removed: varying4: no program behind it reads it any more (fragment) \
         (linked.vert:28:5, linked.frag:16:31)"
    );
    // The fragment program never had it: its file is named.
    assert_eq!(
        text(What::Output, "varying5"),
        "vertex: output removed: varying5: no program behind it reads it (fragment) (linked.vert:29:5, linked.frag)"
    );
    assert_eq!(
        text(What::Attribute, "weight"),
        "vertex: attribute not fetched: weight: nothing reads it since no program reads varying4 \
         (linked.vert:12:31, linked.vert:28:5, linked.frag:16:31)"
    );
    assert_eq!(
        text(What::Unneeded, "(u5 - u1)"),
        "fragment: derived uniform removed: (u5 - u1): nothing reads it since a branch is decided \
         (linked.frag:23:5, linked.frag:22:5)"
    );
    assert_eq!(
        text(What::Unneeded, "(a + b)"),
        "vertex: derived uniform removed: (a + b): nothing reads it since no program reads varying1 \
         (linked.vert:25:5, linked.frag:13:31)"
    );
    for (name, line) in [("varying1", 25), ("varying2", 26)] {
        let uniform = text(What::Uniform, name);
        assert!(uniform.contains(&format!("(linked.vert:{line}:5, linked.frag:1")), "{uniform}");
        let output = text(What::Output, name);
        assert!(output.contains(&format!("(linked.vert:{line}:5, linked.frag:1")), "{output}");
    }
    assert_eq!(p.assumptions.len(), 2, "{:?}", p.assumptions);
}

/// A copy of an attribute has the place of its assignment, and not the program's end.
#[test]
fn copies_have_the_place_where_they_are_given() {
    let p = linked(&["second.frag"], 2.0, true, Options::default());
    let events = || p.iterations.iter().flat_map(|i| &i.events);
    for part in ["vector.x", "vector.w"] {
        let event = events().find(|e| e.what == What::Output && e.name == part).unwrap();
        assert_eq!(event.places, ["linked.vert:24:5", "second.frag"], "{event}");
    }
    let colour = events().find(|e| e.what == What::Attribute && e.name == "colour").unwrap();
    assert_eq!(colour.why, "nothing reads it since no program reads varying3, vector");
}

/// The disassembly has the names of what is left of the interface, and no others.
#[test]
fn disassemblies_name_what_is_left() {
    let p = linked(&["linked.frag"], 2.0, true, Options::default());
    let text = |n: usize| disassembly(&p.linked[n].compiled.binary, &|_| None);
    // The last cell of each row of a section.
    let names = |text: &str, title: &str| -> Vec<String> {
        let rows = text.lines().skip_while(|l| *l != format!("; {title}")).skip(2).take_while(|l| !l.is_empty());
        rows.map(|r| r.split_whitespace().last().unwrap().to_string()).collect()
    };
    let words = ["vector", "vector", "vector", "vector", "varying3"];
    let (vertex, fragment) = (text(0), text(1));
    assert_eq!(names(&vertex, "attributes"), ["position", "colour"]);
    assert_eq!(names(&vertex, "outputs"), words);
    assert_eq!(names(&fragment, "inputs"), words);
    assert_eq!(names(&fragment, "outputs"), ["result"]);
    for gone in ["weight", "varying1", "varying2", "varying4", "varying5"] {
        assert!(!vertex.contains(gone) && !fragment.contains(gone), "{gone}");
        let bytes = p.linked[0].compiled.binary.write();
        assert!(!bytes.windows(gone.len()).any(|w| w == gone.as_bytes()), "{gone} in the file");
    }
}

/// Columns and elements have names of their own, as they may leave alone.
#[test]
fn columns_and_elements_are_told_apart() {
    let vertex = "layout(location=0) in vec4 p;\nlayout(location=0) out mat2 m;\n\
                  layout(location=2) out float a[2];\n\
                  void main() { gl_Position = p; m = mat2(p.xy, p.zw); a[0] = p.x * p.y; a[1] = p.z * p.y; }\n";
    let fragment = "layout(location=0) in mat2 m;\nlayout(location=2) in float a[2];\n\
                    layout(location=0) out vec4 c;\nvoid main() { c = vec4(m[1], a[1], 1.0); }\n";
    let p = pair(vertex, fragment, Uniforms::new()).unwrap();
    let events = p.iterations.iter().flat_map(|i| &i.events);
    let gone: Vec<&str> = events.filter(|e| e.what == What::Output).map(|e| e.name.as_str()).collect();
    assert_eq!(gone, ["m[0].x", "m[0].y", "a[0]"]);
    assert_eq!(names(&p.before.stages)[0], "p -> m[0] m[1] a[0] a[1]");
}

/// The edges of a picture, as the labels of their nodes.
fn edges(dot: &str) -> BTreeSet<(String, String)> {
    let mut labels = BTreeMap::new();
    let mut edges = vec![];
    for line in dot.lines().map(str::trim) {
        if let Some((node, rest)) = line.split_once(" [label=\"") {
            labels.insert(node, rest.split('"').next().unwrap().to_string());
        } else if let Some((from, to)) = line.split_once(" -> ") {
            edges.push((from, to.trim_end_matches(';')));
        }
    }
    edges.into_iter().map(|(from, to)| (labels[from].clone(), labels[to].clone())).collect()
}

/// The pictures are those of the programs of each iteration: edges of varyings that turn out
/// uniform are gone, and the others stay.
#[test]
fn pictures_lose_what_linking_removes() {
    let p = linked(&["linked.frag"], 2.0, true, Options::default());
    assert_eq!(p.dot.len(), 3);
    assert!(p.dot.iter().all(|d| d.starts_with("digraph") && d.matches('{').count() == d.matches('}').count()));
    let all: Vec<BTreeSet<(String, String)>> = p.dot.iter().map(|d| edges(d)).collect();
    let edge = |from: &str, to: &str| (from.to_string(), to.to_string());
    for gone in [
        edge("varying1", "input varying1"),
        edge("varying2", "input varying2"),
        edge("(a + b)", "varying1"),
        edge("input varying1", "FSetGt"),
        edge("FSetGt", "Sel"),
    ] {
        assert!(all[0].contains(&gone) && !all[1].contains(&gone), "{gone:?}");
    }
    for stays in [
        edge("attribute colour", "vector.x"),
        edge("IMad", "result"),
        edge("FFma", "clip position.w"),
        edge("varying3", "input varying3"),
        edge("FMul", "varying3"),
        edge("vector.w", "input vector.w"),
    ] {
        assert!(all.iter().all(|e| e.contains(&stays)), "{stays:?}");
    }
    // The last iteration finds nothing.
    assert_eq!(all[1], all[2]);
}

#[test]
fn exact_linking_fuses_nothing() {
    let p = linked(&["linked.frag"], 2.0, true, Options { exact: true, ..Options::default() });
    assert!(p.linked[1].compiled.report.fused.is_empty());
    assert_eq!((p.after.stages[0].operations, p.after.stages[1].operations), (6, 3));
}

/// Without values varying1 and varying2 still leave the interface, and their comparison is one
/// derived uniform; varying4 stays.
#[test]
fn uniforms_that_are_not_known_still_leave_the_interface() {
    let p = linked(&["linked.frag"], 2.0, false, Options::default());
    assert_eq!(p.after.stages[1].input_names, ["vector", "varying3", "varying4"]);
    assert_eq!(p.after.stages[0].output_names, ["vector", "varying3", "varying4"]);
    assert!(p.assumptions.is_empty());
    let compared = |d: &String| d.contains("FSETGT(FADD(a, b), c)");
    assert!(p.after.stages[1].derived.iter().any(compared), "{:?}", p.after.stages[1].derived);
    assert_eq!(p.after.stages[0].attributes, 3);
}

/// With a = 0 the second branch takes its other arm.
#[test]
fn another_value_takes_the_other_arm() {
    let p = linked(&["linked.frag"], 0.0, true, Options::default());
    let second = p.assumptions.iter().find(|a| a.contains("(a + b) > c")).unwrap();
    assert!(second.contains("is false"), "{second}");
    assert_eq!(p.after.stages[1].input_names, ["vector", "varying3"]);
    assert_eq!(p.after.stages[1].operations, 3, "t, t * t, and the sum of a product");
}

const BOTH: [&str; 2] = ["linked.frag", "second.frag"];

fn both(sharing: Sharing) -> Products {
    shared(sharing, &BOTH, 2.0, true, Options::default())
}

/// Stage, source and pair of each program.
fn programs(p: &Products) -> Vec<(Stage, usize, Option<usize>)> {
    p.linked.iter().map(|l| (l.stage, l.source, l.pair)).collect()
}

/// The figures are of the programs that stand beside them.
fn figures_fit(p: &Products) {
    assert_eq!(p.after.stages.len(), p.linked.len());
    for (s, l) in p.after.stages.iter().zip(&p.linked) {
        let binary = &l.compiled.binary;
        assert_eq!((binary.interface.stage, binary.code.len(), l.pair), (l.stage, s.instructions, s.pair));
        let file = [&["linked.vert"], &BOTH[..]].concat()[l.source];
        assert_eq!((s.file.as_str(), binary.files[0].as_str(), s.entry.as_str()), (file, file, "main"));
        assert_eq!(s.stage, if l.stage == Stage::Vertex { "vertex" } else { "fragment" });
    }
}

/// One vertex program for two fragment programs gives what both need, and no more.
#[test]
fn a_common_vertex_program_keeps_what_either_reads() {
    let p = both(Sharing::One);
    assert!(p.choice.as_ref().unwrap().starts_with("one vertex program for all, as asked: "), "{:?}", p.choice);
    assert_eq!(programs(&p), [(Stage::Vertex, 0, None), (Stage::Fragment, 1, None), (Stage::Fragment, 2, None)]);
    assert_eq!(
        names(&p.after.stages),
        ["position colour -> vector varying3 varying5", "vector varying3 -> result", "varying5 -> result"]
    );
    let turns: Vec<_> = p.iterations.iter().map(|i| (i.pair, i.turn)).collect();
    assert_eq!(turns, [(None, 1), (None, 2), (None, 3)]);
    figures_fit(&p);
}

/// With a vertex program for each fragment program, each gives what its own reads. Every product
/// says which it is, and each pair's turns begin anew.
#[test]
fn each_fragment_program_has_a_vertex_program_of_its_own() {
    let p = both(Sharing::Each);
    assert!(p.choice.as_ref().unwrap().starts_with("a vertex program for each, as asked: "), "{:?}", p.choice);
    let want = [(Stage::Vertex, 0, 1), (Stage::Fragment, 1, 1), (Stage::Vertex, 0, 2), (Stage::Fragment, 2, 2)];
    assert_eq!(programs(&p), want.map(|(stage, source, pair)| (stage, source, Some(pair))));
    assert_eq!(
        names(&p.after.stages),
        [
            "position colour -> vector varying3",
            "vector varying3 -> result",
            "position -> varying5",
            "varying5 -> result"
        ]
    );
    let turns: Vec<_> = p.iterations.iter().map(|i| (i.pair, i.turn)).collect();
    assert_eq!(turns, [(Some(1), 1), (Some(1), 2), (Some(1), 3), (Some(2), 1), (Some(2), 2)]);
    for i in &p.iterations {
        assert!(i.stages.len() == 2 && i.stages.iter().all(|s| s.pair == i.pair), "{i:?}");
    }
    assert_eq!((p.before.stages.len(), p.alone.len()), (3, 3));
    assert!(p.before.stages.iter().all(|s| s.pair.is_none()));
    assert!(p.assumptions.iter().all(|a| a.starts_with("pair 1, ")), "{:?}", p.assumptions);
    assert!(p.dot[3].starts_with("digraph pair2_iteration1 {"));
    let moments: Vec<(String, usize)> = p.moments().map(|(name, stages)| (name, stages.len())).collect();
    assert_eq!((moments[0].clone(), moments[4].clone()), (("before".into(), 3), ("pair 2, turn 1".into(), 2)));
    assert_eq!(moments[6..], [("pair 1, after".into(), 2), ("pair 2, after".into(), 2)]);
    figures_fit(&p);
}

/// Nothing asked, what executes fewer instructions over both pairs is taken.
#[test]
fn the_cheaper_products_are_taken() {
    let instructions = |p: &Products| -> Vec<usize> { p.after.stages.iter().map(|s| s.instructions).collect() };
    let [one, each, best] = [Sharing::One, Sharing::Each, Sharing::Cheapest].map(both);
    let costs = (
        2 * instructions(&one)[0] + instructions(&one)[1..].iter().sum::<usize>(),
        instructions(&each).iter().sum::<usize>(),
    );
    let wanted = if costs.1 < costs.0 { &each } else { &one };
    assert_eq!((programs(&best), &best.after), (programs(wanted), &wanted.after));
    let told =
        format!("{} instructions over all pairs with one vertex program, {} with one for each", costs.0, costs.1);
    assert!(best.choice.unwrap().ends_with(&told), "{told}");
}

/// What a file may be is told without compiling it (LP-3).
#[test]
fn entry_points_are_told_with_their_stages() {
    let wgsl = "@compute @workgroup_size(1) fn c() {} @fragment fn f() {}
        @vertex fn v() -> @builtin(position) vec4f { return vec4f(); }";
    let of = |path: &str, source: &[u8]| {
        let all = entry_points(path, source).map_err(|e| e.to_string())?;
        Ok::<_, String>(all.into_iter().map(|(name, stage)| format!("{name} {stage:?}")).collect::<Vec<_>>().join(", "))
    };
    assert_eq!(of("a.wgsl", wgsl.as_bytes()).unwrap(), "c Compute, f Fragment, v Vertex");
    assert_eq!(of("a.frag", b"").unwrap(), "main Fragment");
    assert_eq!(of("a.vert.glsl", b"").unwrap(), "main Vertex");
    assert_eq!(of("a.comp.glsl", b"").unwrap(), "main Compute");
    assert_eq!(of("a.glsl", b"").unwrap(), "main Vertex, main Fragment");
    assert!(of("a.txt", b"").unwrap_err().contains("the language cannot be told"));
    assert!(of("a.wgsl", b"fn").unwrap_err().starts_with("a.wgsl:1:"));
    assert!(of("a.spv", b"ab").is_err());
    // One binary with both stages.
    let binary = crate::random_spirv::spirv(wgsl);
    assert_eq!(of("a.spv", &binary).unwrap(), "c Compute, f Fragment, v Vertex");
    let source = |entry| StageSource { path: "a.spv", source: &binary, entry: Some(entry) };
    let request = LinkRequest {
        vertex: source("v"),
        fragments: vec![source("f")],
        known: Uniforms::new(),
        sharing: Sharing::default(),
        options: Options::default(),
    };
    let p = link(&request).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(p.after.stages.iter().map(|s| s.entry.as_str()).collect::<Vec<_>>(), ["v", "f"]);
}

/// A vertex program in GLSL and a fragment program in WGSL (LP-2).
#[test]
fn programs_of_two_languages_are_linked() {
    let (path, vertex) = file("linked.vert");
    let fragment = b"struct U { scale: f32 }
@group(0) @binding(1) var<uniform> u: U;
@fragment fn fragment(@location(0) vector: vec4f, @location(1) one: f32, @location(2) two: f32) -> @location(0) vec4f {
  return vector * (one + two) * u.scale;
}";
    let request = LinkRequest {
        vertex: StageSource { path: &path, source: &vertex, entry: None },
        fragments: vec![StageSource { path: "f.wgsl", source: fragment, entry: None }],
        known: Uniforms::new(),
        sharing: Sharing::default(),
        options: Options::default(),
    };
    let p = link(&request).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(p.after.stages[0].output_names, ["vector"]);
    assert_eq!(p.after.stages[1].input_names, ["vector"]);
    assert!(
        p.after.stages[1].derived.iter().any(|d| d.matches("FADD").count() == 2),
        "{:?}",
        p.after.stages[1].derived
    );
}

/// A pair whose second varying is a multiple of the first one, linked.
fn multiple(options: Options) -> Products {
    let vertex = "#version 450\nlayout(location=0) in vec4 position;\nlayout(location=1) in float weight;\n\
                  layout(location=0) out float whole;\nlayout(location=1) out float part;\n\
                  void main() {\n  gl_Position = position;\n  whole = weight;\n  part = weight * 0.3;\n}\n";
    let fragment = "#version 450\nlayout(location=0) in float whole;\nlayout(location=1) in float part;\n\
                    layout(location=0) out vec4 result;\nvoid main() {\n  result = vec4(whole + part, whole, 0.0, 1.0);\n}\n";
    let request = LinkRequest {
        vertex: StageSource { path: "two.vert", source: vertex.as_bytes(), entry: None },
        fragments: vec![StageSource { path: "two.frag", source: fragment.as_bytes(), entry: None }],
        known: Uniforms::new(),
        sharing: Sharing::default(),
        options,
    };
    link(&request).unwrap_or_else(|e| panic!("{e}"))
}

/// It leaves the interface and is told with places of both sources; not with `exact`, and not if
/// the step is left out.
#[test]
fn an_output_that_is_a_multiple_leaves_the_interface() {
    let p = multiple(Options::default());
    assert_eq!(
        (p.scaled, names(&p.after.stages)),
        (1, vec!["position weight -> whole".into(), "whole -> result".into()])
    );
    let event = p.iterations.iter().flat_map(|i| &i.events).find(|e| e.what == What::Scaled).unwrap();
    let text = "vertex: output is a multiple: part: it is whole * 0.3; changes roundings (two.vert:9:3, two.frag:3:29)";
    assert_eq!(event.to_string(), text);
    assert!(p.linked[1].compiled.binary.code.len() < p.alone[1].binary.code.len());
    let left_out = Options { skip_passes: vec!["scaled-outputs".into()], ..Options::default() };
    for options in [Options { exact: true, ..Options::default() }, left_out] {
        let p = multiple(options);
        assert_eq!((p.scaled, p.after.stages[1].inputs), (0, 2));
    }
}

/// Two GLSL texts, linked.
fn pair(vertex: &str, fragment: &str, known: Uniforms) -> Result<Products, String> {
    let texts = [vertex, fragment].map(|text| format!("#version 450\n{text}"));
    link(&LinkRequest {
        vertex: StageSource { path: "a.vert", source: texts[0].as_bytes(), entry: None },
        fragments: vec![StageSource { path: "a.frag", source: texts[1].as_bytes(), entry: None }],
        known,
        sharing: Sharing::default(),
        options: Options::default(),
    })
    .map_err(|e| e.to_string())
}

/// A uniform of the vertex program is in more expressions of the fragment program than the bank has
/// words: they are taken apart, and nothing is refused.
#[test]
fn more_expressions_than_words_are_taken_apart() {
    let vertex = "layout(location=0) in vec4 p;\nlayout(binding=0) uniform U { float k; };\n\
                  layout(location=0) out float u;\nlayout(location=1) out float v;\n\
                  void main() {\n  gl_Position = p;\n  u = k;\n  v = p.x;\n}\n";
    let lines: String = (1..260).map(|n| format!("  r = r * v + u * {n}.25;\n")).collect();
    let fragment = format!(
        "layout(location=0) in float u;\nlayout(location=1) in float v;\nlayout(location=0) out vec4 c;\n\
         void main() {{\n  float r = v;\n{lines}  c = vec4(r);\n}}\n"
    );
    let p = pair(vertex, &fragment, Uniforms::new()).unwrap();
    assert_eq!(names(&p.after.stages)[1], "v -> c");
    assert!(p.after.stages[1].derived_uniforms > 150, "{:?}", p.after.stages[1].derived_uniforms);
}

/// LP-15: two outputs are one also where the position has the same word.
#[test]
fn equal_outputs_are_one_beside_an_equal_position() {
    let vertex = "layout(location=0) in vec4 p;\nlayout(location=0) out float a;\nlayout(location=1) out float b;\n\
                  void main() { gl_Position = p; a = p.x; b = p.x; }\n";
    let fragment = "layout(location=0) in float a;\nlayout(location=1) in float b;\nlayout(location=0) out vec4 c;\n\
                    void main() { c = vec4(sin(a), cos(b), a, b); }\n";
    let p = pair(vertex, fragment, Uniforms::new()).unwrap();
    assert_eq!((p.before.stages[1].inputs, p.after.stages[1].inputs), (2, 1));
}

/// LP-11: the limit of words between stages is that of what linking leaves.
#[test]
fn words_between_stages_are_counted_after_linking() {
    let outputs: String = (0..20).map(|n| format!("layout(location={n}) out vec4 v{n};\n")).collect();
    let given: String = (0..20).map(|n| format!("  v{n} = p * {n}.5;\n")).collect();
    let vertex = format!("layout(location=0) in vec4 p;\n{outputs}void main() {{\n  gl_Position = p;\n{given}}}\n");
    let reads = |count: usize| {
        let inputs: String = (0..count).map(|n| format!("layout(location={n}) in vec4 v{n};\n")).collect();
        let sum: String = (0..count).map(|n| format!("  c = fract(c * v{n} + sin(v{n}));\n")).collect();
        format!("{inputs}layout(location=0) out vec4 c;\nvoid main() {{\n  c = vec4(1.0);\n{sum}}}\n")
    };
    let left = pair(&vertex, &reads(14), Uniforms::new()).unwrap();
    assert_eq!((left.before.stages[0].outputs, left.after.stages[0].outputs), (20, 14));
    // All are read, and uniform: they leave in a later turn than the first.
    let uniform = vertex.replace("void main", "layout(binding=0) uniform U { vec4 k; };\nvoid main");
    let uniform = uniform.replace("= p *", "= k *");
    let none = pair(&uniform, &reads(20), Uniforms::new()).unwrap();
    assert_eq!((none.before.stages[0].outputs, none.after.stages[0].outputs), (20, 0));
    let why = pair(&vertex, &reads(18), Uniforms::new()).map(drop).unwrap_err();
    assert!(why.starts_with("a.vert:") && why.contains("words are left from vertices to fragments"), "{why}");
}

/// What one program's branch was decided by, both binaries take for granted (LP-14, LP-30).
#[test]
fn both_binaries_say_what_they_assume() {
    let vertex = "layout(location=0) in vec4 p;\nlayout(binding=0) uniform U { float mode; };\n\
                  layout(location=0) out float v;\nvoid main() {\n  gl_Position = p;\n\
                  if (mode > 2.0) v = 1.0; else v = p.x * p.y;\n}\n";
    let fragment =
        "layout(location=0) in float v;\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(v * 2.0); }\n";
    let known = Uniforms::from([((0, 0), vec![Some(3.0f32.to_bits())])]);
    let p = pair(vertex, fragment, known).unwrap();
    assert_eq!(p.after.stages[1].inputs, 0);
    for program in &p.linked {
        let interface = &program.compiled.binary.interface;
        let s = interface.specialisation.as_ref().expect("an assumption");
        assert_eq!(s.assumptions.len(), 1);
        assert!(s.assumptions[0].place.starts_with("a.vert:"), "{}", s.assumptions[0].place);
    }
}

/// LP-13: a uniform of the vertex program stays a varying where the fragment program's own uniforms
/// take every constant word, for lanes cannot load it from a buffer of theirs.
#[test]
fn a_uniform_without_a_word_stays_a_varying() {
    let vertex = "layout(location=0) in vec4 p;\nlayout(binding=0) uniform U { float k; };\n\
                  layout(location=0) out float v;\nlayout(location=1) out vec4 w;\n\
                  void main() { gl_Position = p; v = k; w = p; }\n";
    let fragment = |vectors: u32| {
        let sum: Vec<String> = (0..vectors).map(|n| format!("d[{n}] * w * v")).collect();
        format!(
            "layout(location=0) in float v;\nlayout(location=1) in vec4 w;\n\
             layout(binding=1) uniform D {{ vec4 d[{vectors}]; }};\nlayout(location=0) out vec4 c;\nvoid main() {{ c = {}; }}\n",
            sum.join(" + ")
        )
    };
    for (vectors, inputs) in [(45, &["w"][..]), (46, &["v", "w"])] {
        let p = pair(vertex, &fragment(vectors), Uniforms::new()).unwrap();
        assert_eq!(p.after.stages[1].input_names, inputs, "{vectors} vectors");
    }
}

/// Inputs keep the place at which they are taken, also in what the binaries tell.
#[test]
fn inputs_keep_their_ways() {
    let vertex = "layout(location=0) in vec4 p;\nlayout(location=0) out float gone;\n\
                  layout(location=1) centroid out float a;\nlayout(location=2) noperspective out float b;\n\
                  layout(location=3) flat out float f;\n\
                  void main() { gl_Position = p; gone = p.x; a = p.y; b = p.z; f = p.w; }\n";
    let fragment = "layout(location=0) in float gone;\nlayout(location=1) centroid in float a;\n\
                    layout(location=2) noperspective in float b;\nlayout(location=3) flat in float f;\n\
                    layout(location=0) out vec4 c;\nvoid main() { c = vec4(a, b, f, 1.0); }\n";
    let p = pair(vertex, fragment, Uniforms::new()).unwrap();
    let graphics = p.linked[1].compiled.binary.interface.graphics.as_ref().unwrap();
    let ways: Vec<_> = graphics.varyings.iter().map(|v| (v.location, v.word, v.interpolation, v.sampling)).collect();
    assert_eq!(
        ways,
        [
            (1, 4, Interpolation::Perspective, Sampling::Centroid),
            (2, 5, Interpolation::Linear, Sampling::Centre),
            (3, 6, Interpolation::Flat, Sampling::Centre)
        ]
    );
}

/// LP-15: outputs that are equal and have the same qualifiers are one, and no others.
#[test]
fn equal_outputs_of_other_qualifiers_stay_two() {
    let inputs = |way: &str| {
        let vertex = format!(
            "layout(location=0) in vec4 p;\nlayout(location=0) out float a;\n\
             layout(location=1) {way} out float b;\nvoid main() {{ gl_Position = p; a = p.x; b = p.x; }}\n"
        );
        let fragment = format!(
            "layout(location=0) in float a;\nlayout(location=1) {way} in float b;\n\
             layout(location=0) out vec4 c;\nvoid main() {{ c = vec4(a, b, a * b, 1.0); }}\n"
        );
        pair(&vertex, &fragment, Uniforms::new()).unwrap().after.stages[1].input_names.clone()
    };
    assert_eq!(inputs("smooth"), ["a"]);
    for way in ["noperspective", "flat", "centroid"] {
        assert_eq!(inputs(way), ["a", "b"], "{way}");
    }
}

/// LP-13: words that a program can write are no uniforms, whatever another program calls them.
#[test]
fn one_number_is_not_a_uniform_buffer_and_another() {
    let vertex = "layout(location=0) in vec4 p;\nlayout(binding=0) uniform U { float k; };\n\
                  void main() { gl_Position = p * k; }\n";
    let fragment = "layout(binding=0) buffer B { float k; };\nlayout(location=0) out vec4 c;\n\
                    void main() { k = 2.0; c = vec4(1.0); }\n";
    let why = pair(vertex, fragment, Uniforms::new()).map(drop).unwrap_err();
    assert!(why.contains("`B` is a storage buffer of group 0 binding 0, and `U` of the vertex program"), "{why}");
}

/// The derived uniforms of a compute program, of its binary as it is read back.
fn derived(path: &str, source: &str) -> Option<Derived> {
    let c = compile_linked(&CompileRequest::new(path, source.as_bytes()), &Uniforms::new()).unwrap();
    ShaderBinary::read(&c.binary.write()).unwrap().interface.derived
}

/// Elements of an array of buffers have one number, so a word of one is not known by its name.
#[test]
fn words_of_arrays_of_buffers_are_loaded() {
    let source = "#version 450\nlayout(local_size_x=4) in;\nlayout(binding=0) buffer A { uint a[]; };\n\
                  layout(binding=3) uniform C { uint c; } u[2];\n\
                  void main() { a[gl_LocalInvocationIndex] = u[1].c * 100u + u[0].c; }\n";
    assert_eq!(derived("a.comp", source), None);
    // One element, or none, is the one buffer of its number.
    let one = source.replace("u[2]", "u[1]").replace("u[1].c", "u[0].c");
    assert!(derived("a.comp", &one).is_some());
    assert!(derived("a.comp", &one.replace("u[1]", "u").replace("u[0].c", "u.c")).is_some());
}

/// LP-13: words up to the last that can be a uniform are, and what lies behind is loaded. A binary
/// with either can be read.
#[test]
fn far_words_are_uniforms() {
    let source = |word: u32| {
        let sum = format!("u.a[{}].{} + 1u", word / 4, ["x", "y", "z", "w"][word as usize % 4]);
        format!(
            "struct U {{ a: array<vec4u, 5000> }}\n@group(0) @binding(0) var<uniform> u: U;\n\
             @group(0) @binding(1) var<storage, read_write> out: array<u32>;\n\
             @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{ out[i] = {sum}; }}\n"
        )
    };
    for word in [1023, 1024, UNIFORM_WORDS - 1] {
        let found = derived("a.wgsl", &source(word)).expect("a uniform");
        assert!(found.steps.contains(&Step::Uniform(0, 0, word)), "{found:?}");
    }
    assert_eq!(derived("a.wgsl", &source(UNIFORM_WORDS)), None);
}

const MANY_VERTEX: &str = "#version 450
layout(location = 0) in vec4 p;
layout(location = 1) in float w;
layout(set = 0, binding = 1) uniform U { float m0, m1, m2, m3; } u;
layout(location = 0) out float a;
layout(location = 1) out float b;
layout(location = 2) out float c;
layout(location = 3) out float d;
layout(location = 4) out float e;
layout(location = 5) out float f;
void main() {
  gl_Position = p;
  a = p.x; b = p.y; c = p.z; d = p.x * p.y; e = p.y * p.z; f = p.x + p.z;
  if (u.m0 > 0.5) a += 1.0;
  if (u.m3 > 0.5) d += w;
}
";

const MANY_FRAGMENT: &str = "#version 450
layout(location = 0) in float a;
layout(location = 1) in float b;
layout(location = 2) in float c;
layout(location = 3) in float d;
layout(location = 4) in float e;
layout(location = 5) in float f;
layout(set = 0, binding = 1) uniform U { float m0, m1, m2, m3; } u;
layout(location = 0) out vec4 o;
void main() {
  float r = e;
  if (u.m0 > 0.5) { r += a * 2.0 + f; }
  if (u.m1 > 0.5) { r = r * b; if (r > 3.0) discard; r += f; }
  float s = u.m2 > 0.5 ? c * c : d;
  o = vec4(r + s);
}
";

/// A removal names the branches and choices that what read it depended on, and no others.
#[test]
fn a_removal_names_the_branches_on_its_way() {
    let source = |path: &'static str, text: &'static str| StageSource { path, source: text.as_bytes(), entry: None };
    let request = LinkRequest {
        vertex: source("many.vert", MANY_VERTEX),
        fragments: vec![source("many.frag", MANY_FRAGMENT)],
        known: Uniforms::from([((0, 1), vec![Some(0); 4])]),
        sharing: Sharing::Cheapest,
        options: Options::default(),
    };
    let p = link(&request).unwrap_or_else(|e| panic!("{e}"));
    let events = || p.iterations.iter().flat_map(|i| &i.events);
    let line = |place: &String| place.split(':').nth(1).unwrap().parse::<u32>().unwrap();
    // The lines of the decisions; the place of the read is before them, and that of the output
    // behind.
    let of = |what: What, name: &str| -> (&str, Vec<u32>) {
        let event =
            events().find(|e| e.what == what && e.name == name).unwrap_or_else(|| panic!("{name}: {:?}", p.iterations));
        let own = event.places[1..].iter().filter(|p| what != What::Input || p.starts_with("many.frag"));
        (event.why.as_str(), own.map(line).collect())
    };
    let (one, several) = ("nothing reads it since a branch is decided", "nothing reads it since branches are decided");
    assert_eq!(of(What::Input, "a"), (one, vec![12]));
    assert_eq!(of(What::Input, "b"), (one, vec![13]));
    assert_eq!(of(What::Input, "c"), (one, vec![14]));
    assert_eq!(of(What::Input, "f"), (several, vec![12, 13]));
    assert_eq!(of(What::Attribute, "w"), (one, vec![15]));
    assert_eq!(events().filter(|e| e.what == What::Input).count(), 4);
}
