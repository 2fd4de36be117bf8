//! Which operations may be joined with others (LP-18): those that the user wrote, unless the
//! language forbids it.

use super::spirv::{lowered, op, Asm, MAIN, TYPE_FLOAT};
use super::*;
use crate::front::linkage::Linkage;
use crate::front::read::lower_linked;
use crate::interface::Stage;
use crate::ssa::{Inst, Kind};
use quadlock_isa::Op;

/// Sums and products of a program's entry, free or exact, in order.
fn operations(lowered: &Lowered) -> Vec<(Op, bool)> {
    let of = |i: &Inst| match i.kind {
        Kind::Alu(op @ (Op::FAdd | Op::FSub | Op::FMul), _) => Some((op, i.exact)),
        _ => None,
    };
    let entry = &lowered.module.funcs[lowered.entry.index()];
    entry.layout.iter().flat_map(|b| &entry.blocks[b.index()].insts).filter_map(of).collect()
}

/// By output word: whether it is exact.
fn outputs(source: &str, lang: Lang) -> Vec<bool> {
    let parsed = parse("test", source.as_bytes(), lang, None).unwrap_or_else(|e| panic!("{e}"));
    let lowered =
        lower_linked(&parsed, &Options::default(), Some(&Linkage::default())).unwrap_or_else(|e| panic!("{e}"));
    let entry = &lowered.module.funcs[lowered.entry.index()];
    let insts = entry.layout.iter().flat_map(|b| &entry.blocks[b.index()].insts);
    let mut all: Vec<(u32, bool)> = insts
        .filter_map(|i| match i.kind {
            Kind::Output { word, .. } => Some((word, i.exact)),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all.into_iter().map(|(_, exact)| exact).collect()
}

fn wgsl(body: &str) -> Vec<(Op, bool)> {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<f32, 16>;
        @compute @workgroup_size(1) fn main() {{ let a = o[0]; let b = o[1]; let c = o[2]; {body} }}"
    );
    operations(&compile(&text, Lang::Wgsl))
}

fn glsl(functions: &str, body: &str) -> Vec<(Op, bool)> {
    let text = format!(
        "#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer B {{ float o[16]; }};
        {functions}
        void main() {{ float a = o[0]; float b = o[1]; float c = o[2]; {body} }}"
    );
    operations(&compile(&text, Lang::Glsl(Stage::Compute)))
}

const FREE: [(Op, bool); 2] = [(Op::FMul, false), (Op::FAdd, false)];
const EXACT: [(Op, bool); 2] = [(Op::FMul, true), (Op::FAdd, true)];

#[test]
fn what_a_user_of_wgsl_writes_is_free() {
    assert_eq!(wgsl("o[3] = a * b + c;"), FREE);
    assert_eq!(wgsl("var x = c; x += a * b; o[3] = x - a;"), [&FREE[..], &[(Op::FSub, false)]].concat());
    assert_eq!(wgsl("let m = mat2x2f(a, b, c, a) * b; o[3] = m[0].x;"), [(Op::FMul, false); 4]);
    // What a built-in function is made of, and a quotient.
    assert_eq!(wgsl("o[3] = mix(a, b, c);"), [(Op::FSub, true), (Op::FMul, true)]);
    assert_eq!(wgsl("o[3] = a / 4.0 + degrees(b);"), [(Op::FMul, true), (Op::FMul, true), (Op::FAdd, false)]);
}

#[test]
fn the_library_is_exact() {
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<f32, 16>;
        @compute @workgroup_size(1) fn main() { o[3] = asin(o[0]) + atan2(o[1], o[2]); }";
    let lowered = compile(text, Lang::Wgsl);
    let calls = lowered.module.funcs.iter().enumerate().filter(|(i, _)| *i != lowered.entry.index());
    let insts = calls.flat_map(|(_, f)| f.blocks.iter().flat_map(|b| &b.insts));
    assert!(insts.clone().any(|i| matches!(i.kind, Kind::Alu(Op::FMul, _))), "{}", lowered.module);
    assert!(insts.into_iter().all(|i| i.exact), "{}", lowered.module);
}

/// The example of the GLSL specification: what a function computes is constrained by its own
/// variables alone.
#[test]
fn what_is_precise_in_glsl_is_exact() {
    assert_eq!(glsl("", "o[3] = a * b + c;"), FREE);
    assert_eq!(glsl("", "precise float x = a * b + c; o[3] = x;"), EXACT);
    assert_eq!(glsl("", "precise float x; float y = a * b; x = y + c; o[3] = x;"), EXACT);
    let plain = "float f(float x, float y, float z) { return x * y + z; }";
    let result = "float f(float x, float y, float z) { precise float r = x * y + z; return r; }";
    assert_eq!(glsl(plain, "precise float x = f(a, b, c); o[3] = x;"), FREE);
    assert_eq!(glsl(result, "o[3] = f(a, b, c);"), EXACT);
    assert_eq!(glsl("", "precise vec2 v = vec2(a, b) * c; o[3] = v.x;"), [(Op::FMul, true); 2]);
}

#[test]
fn invariant_outputs_are_exact() {
    let glsl = |first: &str| {
        let text = format!(
            "#version 450
            {first}
            layout(location = 0) out float v;
            void main() {{ v = 1.0; gl_Position = vec4(float(gl_VertexIndex)); }}"
        );
        outputs(&text, Lang::Glsl(Stage::Vertex))
    };
    let position = [true, true, true, true, false];
    assert_eq!(glsl(""), [false; 5]);
    assert_eq!(glsl("invariant gl_Position;"), position);
    assert_eq!(glsl("out gl_PerVertex { invariant vec4 gl_Position; };"), position);
    let wgsl = |attribute: &str| {
        let text = format!(
            "struct V {{ {attribute} @builtin(position) p: vec4f, @location(0) v: f32 }}
            @vertex fn main(@builtin(vertex_index) i: u32) -> V {{ return V(vec4f(f32(i)), 1.0); }}"
        );
        outputs(&text, Lang::Wgsl)
    };
    assert_eq!(wgsl(""), [false; 5]);
    assert_eq!(wgsl("@invariant"), position);
    let colour = |first: &str| {
        let text = format!("#version 450\n layout(location = 0) {first} out vec4 c; void main() {{ c = vec4(1.0); }}");
        let parsed = parse("test", text.as_bytes(), Lang::Glsl(Stage::Fragment), None).unwrap();
        let linkage = Linkage { targets: vec![crate::front::linkage::TargetFormat::R32Float], ..Linkage::default() };
        let lowered = lower_linked(&parsed, &Options::default(), Some(&linkage)).unwrap();
        lowered.module.to_string().contains("output.exact 0")
    };
    assert_eq!((colour(""), colour("invariant")), (false, true));
}

/// A product and a sum of two floats in SPIR-V, changed by `more`: both results are given to it.
fn spirv(more: &dyn Fn(&mut Asm, u32, u32)) -> Vec<(Op, bool)> {
    let mut a = Asm::new(&[1]);
    let word = a.input(29);
    let x = a.value(112, TYPE_FLOAT, &[word]);
    let product = a.value(133, TYPE_FLOAT, &[x, x]);
    let sum = a.value(129, TYPE_FLOAT, &[product, x]);
    let bits = a.bits(sum);
    a.store(word, bits);
    more(&mut a, product, sum);
    operations(&lowered(&a.finish()))
}

#[test]
fn spirv_says_what_may_not_contract() {
    const NO_CONTRACTION: u32 = 42;
    const FAST_MATH: u32 = 40;
    const CONTRACT: u32 = 0x1_0000;
    let decorated = |id: u32, words: &[u32]| op(71, &[&[id], words].concat());
    assert_eq!(spirv(&|_, _, _| ()), FREE);
    let half = [(Op::FMul, true), (Op::FAdd, false)];
    assert_eq!(spirv(&|a, p, _| a.decorations.extend(decorated(p, &[NO_CONTRACTION]))), half);
    assert_eq!(spirv(&|a, p, _| a.decorations.extend(decorated(p, &[FAST_MATH, 3]))), half);
    assert_eq!(spirv(&|a, p, _| a.decorations.extend(decorated(p, &[FAST_MATH, CONTRACT]))), FREE);
    assert_eq!(spirv(&|a, _, _| a.modes.extend(op(16, &[MAIN, 31]))), EXACT, "ContractionOff");
    let default = |bits: u32| {
        move |a: &mut Asm, p: u32, _: u32| {
            let (float, flags) = (a.global(TYPE_FLOAT), a.uint(bits));
            a.modes.extend(op(331, &[MAIN, 6028, float, flags]));
            a.decorations.extend(decorated(p, &[FAST_MATH, CONTRACT]));
        }
    };
    assert_eq!(spirv(&default(0)), [(Op::FMul, false), (Op::FAdd, true)], "FPFastMathDefault");
    assert_eq!(spirv(&default(CONTRACT)), FREE);
}
