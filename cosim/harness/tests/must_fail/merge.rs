//! Planted faults of the compiler in programs with a merge point (MS-20, MS-31, MS-32): the checker
//! of finished code finds each by the rule that the row names. Each fault is a test of its own,
//! named after it; without the fault the program keeps all rules.

use quadlock_isa::abi::{PrivateSet, PublicRegisters};
use quadlock_shader::back::merge_check::{check_of, points, Rule};
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, PipelineRequest, StageSource};
use quadlock_shader::{Options, ShaderBinary};

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
    merge_no_private => Rule::NoPrivate, "c.x = dpdx(v.x * v.y);";
    merge_beyond => Rule::Beyond, "c.x = dpdx(v.x * v.y);";
    merge_bitmap => Rule::StrayOperand, "c.x = dpdx(v.x * v.y);";
}

/// The rule is kept without the fault and broken with it.
fn found(name: &str, rule: Rule, body: &str) {
    let fault = CompilerFault::by_name(name).expect("a fault");
    let (code, public) = compiled(body, fault, None);
    let (_, private) = machine(fault);
    assert!(!points(&code).is_empty(), "{name}: no merge point");
    assert_eq!(check_of(&code, public, private), [], "{name}, without the fault");
    let (code, public) = compiled(body, fault, Some(fault));
    let wrong = check_of(&code, public, private);
    assert!(wrong.iter().any(|w| w.rule == rule), "{name}: {wrong:?}");
}

/// The machine on which a fault shows.
fn machine(fault: CompilerFault) -> (PublicRegisters, PrivateSet) {
    match fault {
        CompilerFault::MergeNoPrivate => (PublicRegisters::Below, PrivateSet::None),
        CompilerFault::MergeBeyond => (PublicRegisters::Below, PrivateSet::Joined),
        CompilerFault::MergeBitmap => (PublicRegisters::Bitmap, PrivateSet::Old),
        _ => (PublicRegisters::Below, PrivateSet::Old),
    }
}

/// Instruction words and public registers, as bits, for the machine of a fault.
fn compiled(body: &str, of: CompilerFault, fault: Option<CompilerFault>) -> (Vec<u64>, u32) {
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
    let (public_registers, merge_private) = machine(of);
    let options = Options { merge: true, public_registers, merge_private, fault, ..Options::default() };
    let program = fragment(&text, 1, options);
    match public_registers {
        PublicRegisters::Bitmap => (program.code, program.interface.public_bitmap),
        _ => (program.code, ((1_u64 << program.interface.public_cutoff) - 1) as u32),
    }
}

/// Instruction words and cutoff of the fragment program `f` beside the vertex program `v`.
pub fn fragment_of(text: &str, samples: u32, options: Options) -> (Vec<u64>, u32) {
    let program = fragment(text, samples, options);
    (program.code, program.interface.public_cutoff)
}

fn fragment(text: &str, samples: u32, options: Options) -> ShaderBinary {
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
        link: None,
        alpha_to_coverage: false,
        options,
    };
    let pipeline = compile_pipeline(&request).unwrap_or_else(|e| panic!("{e}"));
    pipeline.fragment.expect("a fragment program").binary
}
