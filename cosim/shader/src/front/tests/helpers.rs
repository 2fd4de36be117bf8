//! Invocations that become helpers: `discard` of WGSL, `demote` of GLSL. What they do afterwards
//! changes no memory, and they run on, but not for ever.

use super::*;
use crate::interface::Stage;

/// A fragment program on words `o`, of which word 15 is 1.
fn run(source: &str, lang: Lang) -> Vec<u32> {
    let mut words = vec![0; 16];
    words[15] = 1;
    let run = Run { lowered: compile(source, lang), grid: [1; 3], buffers: vec![] };
    run.words(&words).go().buffer(0).to_vec()
}

fn glsl(body: &str) -> String {
    format!(
        "#version 450
        #extension GL_EXT_demote_to_helper_invocation : require
        layout(binding = 0) buffer B {{ uint o[16]; }};
        layout(location = 0) out vec4 c;
        void main() {{ {body} }}"
    )
}

fn wgsl(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32, 16>;
        @fragment fn main() -> @location(0) vec4<f32> {{ {body} return vec4(1.0); }}"
    )
}

const FRAGMENT: Lang = Lang::Glsl(Stage::Fragment);

#[test]
fn a_helper_stores_nothing_and_runs_on() {
    let body = "for (uint i = 0u; i < 6u; i++) { if (i == 3u) { LEAVE; } o[i] = 1u; }";
    let texts = [
        (glsl(&body.replace("LEAVE", "demote")), FRAGMENT),
        (wgsl(&body.replace("uint i", "var i").replace("LEAVE", "discard")), Lang::Wgsl),
    ];
    for (text, lang) in texts {
        assert_eq!(run(&text, lang)[..7], [1, 1, 1, 0, 0, 0, 0], "{text}");
        let ir = compile(&text, lang).module.to_string();
        assert!(ir.contains("demote"), "{ir}");
    }
    let atomics = glsl("atomicAdd(o[0], 1u); demote; atomicAdd(o[0], 1u); atomicExchange(o[1], 3u);");
    assert_eq!(run(&atomics, FRAGMENT)[..2], [1, 0]);
}

/// It runs on for its neighbours: a derivative behind it has its value.
#[test]
fn a_derivative_behind_a_demotion_stays() {
    let text = "@fragment fn main(@location(0) x: f32) -> @location(0) vec4<f32> {
        if (x > 1.0) { discard; }
        return vec4(dpdx(x));
    }";
    let ir = compile(text, Lang::Wgsl).module.to_string();
    let (demoted, derivative) = (ir.find("demote").unwrap(), ir.find("ddx").or(ir.find("Ddx")).unwrap());
    assert!(demoted < derivative, "{ir}");
}

#[test]
fn whether_it_is_a_helper_is_asked_where_it_stands() {
    for ask in ["helperInvocationEXT()", "gl_HelperInvocation"] {
        let text = glsl(&format!("if (!{ask}) o[0] = 1u; demote; uint x = {ask} ? 7u : 8u; c = vec4(x, {ask}, 0, 0);"));
        let lowered = compile(&text, FRAGMENT);
        let mut module = lowered.module;
        crate::passes::pipeline::optimise(&mut module, lowered.entry, &Default::default()).unwrap();
        let ir = module.funcs[lowered.entry.index()].to_string();
        let (before, _) = ir.split_once("demote").unwrap();
        assert!(before.contains("= helper"), "{ir}");
        assert_eq!(run(&text, FRAGMENT)[0], 1);
    }
}

/// Left by nothing but an effect that a helper does not have.
#[test]
fn loops_of_helpers_end() {
    run(&glsl("while (o[15] == 1u) { demote; o[15] = 0u; }"), FRAGMENT);
    run(&wgsl("loop { if (o[15] == 1u) { discard; } if (o[0] == 9u) { break; } }"), Lang::Wgsl);
}
