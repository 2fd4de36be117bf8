//! The source's example of linked programs (LP-20) and its variants, from its files. The numbers
//! are those of the spec's table, which was reconstructed from the source's prose and not from us.

use std::path::Path;

use quadlock_shader::compile::Uniforms;
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::graphics::StageSource;
use quadlock_shader::link::trace::What;
use quadlock_shader::linker::{link, LinkRequest, Products};
use quadlock_shader::Options;

fn file(name: &str) -> (String, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/linked").join(name);
    (name.to_string(), std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Links linked.vert with fragment programs; a, b, c and u1 to u5 are known, or none.
fn linked(fragments: &[&str], a: f32, known: bool, options: Options) -> Products {
    let sources: Vec<(String, Vec<u8>)> = ["linked.vert"].iter().chain(fragments).map(|n| file(n)).collect();
    let source = |n: usize| StageSource { path: &sources[n].0, source: &sources[n].1, entry: None };
    let words = |all: &[f32]| all.iter().map(|f| Some(f.to_bits())).collect::<Vec<Option<u32>>>();
    let vertex: Vec<Option<u32>> = vec![None; 16].into_iter().chain(words(&[a, 1.0, 1.0])).collect();
    let uniforms = Uniforms::from([((0, 0), vertex), ((0, 1), words(&[1.0, 0.25, 2.0, 3.0, 0.5]))]);
    let request = LinkRequest {
        vertex: source(0),
        fragments: (1..sources.len()).map(source).collect(),
        known: if known { uniforms } else { Uniforms::new() },
        options,
    };
    link(&request).unwrap_or_else(|e| panic!("{e}"))
}

/// Inputs and outputs of the stages, in words.
fn names(stages: &[quadlock_shader::linker::StageFigures]) -> Vec<String> {
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
    assert_eq!(names(What::Decided), ["(u1 > 0)", "((a + b) > c)"]);
    assert!(events().all(|e| !e.why.is_empty() && !e.places.is_empty()));
    let uniform = events().find(|e| e.what == What::Uniform).unwrap();
    assert!(
        ["linked.vert:25", "linked.frag:"].iter().all(|f| uniform.places.iter().any(|p| p.contains(f))),
        "{uniform}"
    );
    assert_eq!(p.assumptions.len(), 2, "{:?}", p.assumptions);
    assert_eq!(p.dot.len(), 3);
    assert!(p.dot.iter().all(|d| d.starts_with("digraph") && d.matches('{').count() == d.matches('}').count()));
}

#[test]
fn exact_linking_fuses_nothing() {
    let p = linked(&["linked.frag"], 2.0, true, Options { exact: true, ..Options::default() });
    assert!(p.linked[1].report.fused.is_empty());
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
    let compared = |d: &String| d.contains("FSETGT(FADD(buffer(0, 0)[16], buffer(0, 0)[17]), buffer(0, 0)[18])");
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

/// One vertex program for two fragment programs gives what both need.
#[test]
fn a_second_fragment_program_keeps_what_it_reads() {
    let p = linked(&["linked.frag", "second.frag"], 2.0, true, Options::default());
    let choice = p.choice.clone().unwrap();
    let given: Vec<&str> = p.after.stages[0].output_names.iter().map(String::as_str).collect();
    match choice.contains("one vertex program for all") {
        true => assert_eq!(given, ["vector", "varying3", "varying5"]),
        false => assert_eq!(given, ["vector", "varying3"]),
    }
    assert!(p.after.stages.iter().any(|s| s.input_names == ["varying5"]));
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
    assert!(p.linked[1].binary.code.len() < p.alone[1].binary.code.len());
    let left_out = Options { skip_passes: vec!["scaled-outputs".into()], ..Options::default() };
    for options in [Options { exact: true, ..Options::default() }, left_out] {
        let p = multiple(options);
        assert_eq!((p.scaled, p.after.stages[1].inputs), (0, 2));
    }
}
