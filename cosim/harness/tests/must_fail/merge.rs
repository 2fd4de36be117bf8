//! Planted faults of the compiler in programs with a merge point (MS-20, MS-31, MS-32): the checker
//! of finished code finds each by the rule that the row names. Each fault is a test of its own,
//! named after it; without the fault the program keeps all rules.

use quadlock_shader::back::merge_check::{check, points, Rule};
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, PipelineRequest, StageSource};
use quadlock_shader::Options;

/// `fault => rule, body of a fragment program;`. Makes the tests.
macro_rules! faults {
    ($($fault:ident => $rule:expr, $body:expr;)+) => {
        #[test]
        fn every_fault_of_merging_has_a_row() {
            let rows = [$(stringify!($fault)),+].map(|name| name.replace('_', "-"));
            for (_, name, _) in CompilerFault::ALL.iter().filter(|f| f.0.is_of_merging()) {
                assert!(rows.iter().any(|row| row == name), "no row for {name}");
            }
        }

        $(
            #[test]
            fn $fault() {
                found(&stringify!($fault).replace('_', "-"), $rule, $body);
            }
        )+
    };
}

const LONG: &str = "c.y = sin(c.x) * cos(v.y) + sqrt(abs(v.x)); c.z = exp2(c.y) * v.y + log2(abs(v.x) + 1.0);
    c.w = sin(c.z) * cos(c.y) * sqrt(abs(c.x));";

faults! {
    merge_private_live => Rule::Gone, "c.x = dpdx(v.x * v.y);";
    merge_public_helper => Rule::StrayOperand, "c.x = dpdx(v.x * v.y);";
    merge_too_early => Rule::LateQuad, "c.x = dpdx(v.x * v.y);";
    merge_in_loop => Rule::Loop, "for (var i = 0u; i < u32(v.x); i++) { c.x += sin(c.x) + v.y; }";
}

/// The rule is kept without the fault and broken with it.
fn found(name: &str, rule: Rule, body: &str) {
    let fault = CompilerFault::by_name(name).expect("a fault");
    let (code, cutoff) = compiled(body, None);
    assert!(!points(&code).is_empty(), "{name}: no merge point");
    assert_eq!(check(&code, cutoff), [], "{name}, without the fault");
    let (code, cutoff) = compiled(body, Some(fault));
    let wrong = check(&code, cutoff);
    assert!(wrong.iter().any(|w| w.rule == rule), "{name}: {wrong:?}");
}

/// Instruction words and cutoff.
fn compiled(body: &str, fault: Option<CompilerFault>) -> (Vec<u64>, u32) {
    let text = format!(
        "struct V {{ @builtin(position) p: vec4f, @location(0) v: vec2f }}
@vertex fn v(@location(0) p: vec2f) -> V {{ return V(vec4f(p, 0.5, 1.0), p * 9.0); }}
@fragment fn f(@location(0) v: vec2f) -> @location(0) vec4f {{
    var c = vec4f();
    {body}
    {LONG}
    return c;
}}"
    );
    fragment_of(&text, 1, Options { merge: true, fault, ..Options::default() })
}

/// Instruction words and cutoff of the fragment program `f` beside the vertex program `v`.
pub fn fragment_of(text: &str, samples: u32, options: Options) -> (Vec<u64>, u32) {
    let stage = |entry| StageSource { path: "a.wgsl", source: text.as_bytes(), entry: Some(entry) };
    let attribute = Attribute {
        location: 0,
        format: AttributeFormat::from_name("float32x2").expect("a format"),
        slot: 0,
        offset: 0,
        stride: 8,
        per_instance: false,
    };
    let request = PipelineRequest {
        vertex: stage("v"),
        fragment: Some(stage("f")),
        attributes: vec![attribute],
        targets: vec![TargetFormat::Rgba8Unorm],
        written: vec![],
        samples,
        alpha_to_coverage: false,
        options,
    };
    let pipeline = compile_pipeline(&request).unwrap_or_else(|e| panic!("{e}"));
    let fragment = pipeline.fragment.expect("a fragment program").binary;
    (fragment.code, fragment.interface.public_cutoff)
}
