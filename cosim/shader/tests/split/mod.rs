//! Split points of fragment programs that run once for each sample (MS-40 to MS-44): where they
//! are, what registers are on which side, and that pictures and memory are those of the program
//! without them.
//!
//! The model here runs every program once for each sample from its start, so `SPLIT` does nothing.
//! What makes it right to run the first part once is looked at instead: at the point each sample
//! leaves its public registers in memory, where those of one pixel have to be equal, and private
//! registers are filled with rubbish. Wrong would be a list in which nothing gets a point: each row
//! says what it has to get.

mod checker;
mod random;

use crate::common::draw::{pixels, Buffer, Drawing, In, Known, Picture, Source, STACKS};
use quadlock_isa::abi::EventForm;
use quadlock_isa::{decode, encode, BMode, Instr, Op, Special};
use quadlock_shader::back::split_check::{check, points, Wrong};
use quadlock_shader::compile::Split;
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::graphics::Pipeline;
use quadlock_shader::interface::BindingKind;
use quadlock_shader::{Compiled, Options};
use quadlock_testkit::tier;

/// What a program has to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gets {
    /// A split point with at least this many instructions before it.
    Before(usize),
    /// None, and the report says this.
    None(&'static str),
}
use Gets::Before;

/// Name, body in WGSL that sets `a`, `b`, `c` and `d` from the varyings `v`, `w` of the
/// sample, `n` of the centroid, the sample's number `s`, its coverage `m`, and `memory`; what it
/// gets.
const BODIES: &[(&str, &str, Gets)] = &[
    ("a pattern, then samples", "let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); let q = exp2(t) + log2(abs(t) + 1.0); a = t * w.x; b = q + w.y; c = t - q * w.z; d = f32(s);", Before(30)),
    ("samples first in the source", "a = w.x * w.y; b = f32(s) + w.z; let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); c = t * exp2(t); d = a + log2(abs(t) + 1.0);", Before(30)),
    ("a discard before", "let t = sin(v.x * 9.0) * cos(v.y * 7.0); if (t < -0.2) { discard; } let q = exp2(t) + sqrt(abs(v.z)); a = t; b = q * w.x; c = q; d = f32(s) + t;", Before(15)),
    ("a discard behind", "let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); if (w.x < 0.4) { discard; } a = t * w.x; b = exp2(t); c = t; d = f32(s);", Before(15)),
    ("discards before and behind", "let t = sin(v.x * 9.0) * cos(v.y * 7.0); if (t < -0.2) { discard; } let q = exp2(t) + sqrt(abs(v.z)); if (w.x + q < 0.9) { discard; } a = t; b = q; c = q * f32(s); d = t;", Before(15)),
    ("a loop before", "for (var i = 0u; i < 9u; i++) { a += sin(a) * v.x + v.y; } b = a * w.x; c = f32(s); d = w.y;", Before(20)),
    ("a loop behind", "let t = sin(v.x) * cos(v.y) + exp2(v.z); for (var i = 0u; i < 2u + s; i++) { a += w.x * t + a; } b = t; c = a * t; d = 1.0;", Before(10)),
    ("a branch before", "var t = v.z; if (v.x > 0.4) { t = sin(v.y) * exp2(v.z); } else { t = cos(v.x) + sqrt(abs(v.w)); } a = t * w.x; b = t + w.y; c = t * t; d = f32(s);", Before(15)),
    ("a branch of samples", "let t = sin(v.x) * cos(v.y) + exp2(v.z); if (w.x > 0.4) { a = t * w.y; b = sin(a); } else { a = t - w.z; b = cos(a) * t; } c = t; d = f32(s);", Before(10)),
    ("work behind a branch of samples", "if (w.x > 0.4) { a = w.y; } else { b = w.z; } let t = sin(v.x) * cos(v.y) + exp2(v.z) * sqrt(abs(v.w)); c = t + a; d = t * b;", Before(15)),
    ("derivatives of both kinds", "let t = fwidth(v.x * v.x) + sin(v.y) * exp2(v.z); let q = dpdx(w.x * w.y); a = t * q; b = q; c = t; d = dpdy(t);", Before(15)),
    ("loads of a buffer that is read", "let i = u32(v.x * 64.0) & 63u; let l = f32(memory[i]) + f32(memory[i + 64u]) * sin(v.y); a = l * w.x; b = l; c = f32(memory[(i + s) & 63u]); d = w.y;", Before(15)),
    ("much is live", "let t0 = sin(v.x); let t1 = cos(v.y); let t2 = exp2(v.z); let t3 = sqrt(abs(v.w)); let t4 = sin(t0 + v.y); let t5 = cos(t1 + v.x); let t6 = exp2(t4 * t5); let t7 = sin(t2 - t3); let t8 = cos(t6 + v.w); let t9 = sin(t8 * t7); a = t0 * w.x + t1 * w.y + t2 * w.z + t3 * w.w; b = t4 * w.x - t5 * w.y + t6 * w.z; c = t7 * w.x + t8 * w.w; d = t9 * f32(s) + t0 * t1;", Before(40)),
    ("the coverage", "let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); a = t * f32(m); b = exp2(t) * w.x; c = f32(s); d = t;", Before(15)),
    ("edges and corners only", "a = sin(w.x); b = w.y * w.z; c = f32(s); d = cos(w.x) * w.w;", Before(4)),
    ("values at the centroid", "let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); let q = exp2(t) + log2(abs(t) + 1.0); a = t * n; b = q + n * n; c = t - q; d = f32(s);", Before(30)),
    ("everything is per sample", "a = f32(s); b = sin(a); c = a * b; d = f32(m) + c;", Gets::None("splitting saves about")),
    ("a branch of samples first", "a = f32(s); for (var k = 0u; k < s; k++) { b += sin(a + b); } d = a * b;", Gets::None("; a branch before it goes by a value of samples (w.wgsl:7:")),
    ("a stack", "var t: array<f32, 9>; for (var i = 0u; i < 9u; i++) { t[i] = sin(v.x * f32(i)); } a = t[u32(v.y * 9.0) % 9u]; b = w.x; c = f32(s); d = 1.0;", Gets::None("it uses its stack")),
];

/// Bodies of programs that write memory.
const STORES: &[(&str, &str, Gets)] = &[
    ("stores behind", "let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); memory[i] = bitcast<u32>(t + w.x); memory[i + 1024u] = bitcast<u32>(exp2(t)); a = t; b = w.x; c = w.y; d = t * w.z;", Before(15)),
    ("a store first", "memory[i] = bitcast<u32>(v.y); let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); a = t; b = w.x; c = w.y; d = t * w.z;", Before(15)),
    ("a discard behind a store", "memory[i] = bitcast<u32>(v.y); let t = sin(v.x * 9.0) * cos(v.y * 7.0); if (t < -0.2) { discard; } memory[i + 1024u] = bitcast<u32>(t); a = t; b = w.x; c = w.y; d = exp2(t) * w.z;", Before(15)),
    ("a load of what may be written", "let l = f32(memory[i + 2048u]); let t = sin(v.x * 9.0) * cos(v.y * 7.0); memory[i] = bitcast<u32>(t + l); a = t; b = l; c = w.y; d = exp2(t) * w.z;", Before(15)),
    ("an early load in the way", "let l = f32(memory[i + 2048u]); var t = v.x; if (v.y > 0.5) { t = sin(v.x); } for (var k = 0u; k < u32(v.z * 5.0); k++) { t += sin(t); } memory[i] = bitcast<u32>(t + l); a = t; b = l; c = w.y; d = w.z;", Before(10)),
    ("wide stores", "let t = sin(v.x * 9.0) * cos(v.y * 7.0) + sqrt(abs(v.z)); wide[i] = vec4u(bitcast<u32>(t), bitcast<u32>(w.x), 7u, bitcast<u32>(exp2(t))); a = t; b = w.x; c = w.y; d = t * w.z;", Before(15)),
];

fn vertex() -> Source {
    let text = "struct V { @builtin(position) p: vec4f, @location(0) v: vec4f,
    @location(1) @interpolate(perspective, sample) w: vec4f, @location(2) @interpolate(linear, centroid) n: f32 }
@vertex fn main(@location(0) p: vec4f, @location(1) v: vec4f) -> V { return V(p, v, v.wzyx * 1.5, v.x - v.y); }";
    Source::vertex(In::Wgsl, text, "")
}

fn text(body: &str, access: &str) -> String {
    let (ty, name) = if body.contains("wide[") { ("vec4u", "wide") } else { ("u32", "memory") };
    let (place, own) = match body.contains("[i") && access == "read_write" {
        true => ("@builtin(position) p: vec4f, ", "let i = (u32(p.x) + 16u * u32(p.y)) * 4u + s;"),
        false => ("", ""),
    };
    format!(
        "@group(0) @binding(0) var<storage, {access}> {name}: array<{ty}>;
struct O {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}
@fragment fn main({place}@builtin(sample_index) s: u32, @builtin(sample_mask) m: u32,
    @location(0) v: vec4f, @location(1) @interpolate(perspective, sample) w: vec4f,
    @location(2) @interpolate(linear, centroid) n: f32) -> O {{
    var a = 0.0; var b = 0.0; var c = 0.0; var d = 0.0; {own}
    {body}
    return O(a, b, c, d);
}}"
    )
}

fn drawing(body: &str, access: &str, split: bool, fault: Option<CompilerFault>) -> Drawing {
    let fragment = Source::fragment(In::Wgsl, &text(body, access), "");
    let corners = [[0.1, 0.9, 0.3, 2.0], [1.0, 0.2, 0.7, -1.0], [0.5, 0.1, -0.4, 0.3]];
    let buffers = vec![Buffer::vec4(0, &Known::SLANTED.positions(In::Wgsl)), Buffer::vec4(1, &corners)];
    let options = Options { split, fault, ..Options::default() };
    Drawing { storage: 0x1_0000, samples: 4, options, ..Drawing::new(vertex(), fragment, buffers, 3) }
}

/// Everything that a draw leaves behind.
fn left(picture: &Picture, samples: u32) -> Vec<u32> {
    let targets = pixels().flat_map(|at| (0..4 * samples).map(move |t| (t, at)));
    let targets = targets.map(|(t, at)| picture.sample(t / samples, 0, t % samples, at));
    targets.chain((0..0x4000).map(|n| picture.stored(n))).collect()
}

fn split_of(compiled: &Compiled) -> &Split {
    compiled.report.split.as_ref().expect("asked for a split point")
}

fn read_only(compiled: &Compiled) -> u32 {
    let fixed = compiled.binary.interface.bindings.iter().filter(|b| b.kind != BindingKind::StorageReadWrite);
    fixed.fold(0, |mask, b| mask | 1 << b.index)
}

fn wrong(compiled: &Compiled) -> Vec<Wrong> {
    check(&compiled.binary.code, compiled.binary.interface.public_cutoff, read_only(compiled))
}

fn pipeline(drawing: &Drawing) -> Pipeline {
    drawing.compile().unwrap_or_else(|e| panic!("{e}"))
}

fn compiled(drawing: &Drawing) -> Compiled {
    pipeline(drawing).fragment.expect("a fragment program")
}

fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static str, Gets)> {
    let of = |access| move |&(name, body, gets): &(_, _, _)| (name, body, access, gets);
    BODIES.iter().map(of("read")).chain(STORES.iter().map(of("read_write")))
}

#[test]
fn each_program_gets_its_point() {
    for (name, body, access, gets) in all() {
        let c = compiled(&drawing(body, access, true, None));
        let split = split_of(&c);
        match gets {
            Gets::Before(least) => {
                assert_eq!(split.none, None, "{name}\n{}", c.asm);
                assert_eq!(points(&c.binary.code).len(), 1, "{name}\n{}", c.asm);
                assert!(split.before >= least, "{name}: {} before\n{}", split.before, c.asm);
                assert_eq!(split.before + split.after, c.binary.code.len());
                assert!(split.cutoff <= 32 && split.cutoff == c.report.public_cutoff);
            }
            Gets::None(why) => {
                let said = split.none.as_deref().unwrap_or("a point");
                assert!(said.contains(why) && points(&c.binary.code).is_empty(), "{name}: {said}\n{}", c.asm);
            }
        }
        println!("{name}\n{split}");
        assert_eq!(wrong(&c), [], "{name}\n{}", c.asm);
    }
}

/// The highest cutoff with which there is room to look.
const MOST: u32 = 29;
/// Words that a sample leaves at the point: 32 registers, and how often it came there.
const DUMP: u32 = 64;

/// The program with code at its point that leaves public registers in memory and fills private ones
/// with rubbish. Three private registers are what that takes.
fn instrumented(mut p: Pipeline) -> Pipeline {
    let fragment = p.fragment.as_mut().expect("a fragment program");
    let cutoff = fragment.binary.interface.public_cutoff as u8;
    let point = points(&fragment.binary.code)[0];
    let (x, y, one) = (cutoff, cutoff + 1, cutoff + 2);
    let special = |d, s: Special| Instr { d, imm: s as u32, ..Instr::new(Op::S2R) };
    let with = |op, d, a, imm| Instr { d, a, b_mode: BMode::Imm, imm, ..Instr::new(op) };
    let add = |d, a, b| Instr { d, a, b, ..Instr::new(Op::IAdd) };
    let mut code = vec![
        special(x, Special::PixelX),
        special(y, Special::PixelY),
        with(Op::Shl, y, y, 4),
        add(x, x, y),
        with(Op::Shl, x, x, 2),
        special(y, Special::Sample),
        add(x, x, y),
        with(Op::Shl, x, x, (4 * DUMP).trailing_zeros()),
        with(Op::IAdd, x, x, STACKS),
        Instr { d: one, b_mode: BMode::Imm, imm: 1, ..Instr::new(Op::Mov) },
        Instr { d: y, a: x, b: one, imm: 4 * 32, ..Instr::new(Op::AAdd) },
    ];
    code.extend((0..cutoff).map(|r| Instr { a: x, b: r, imm: 4 * u32::from(r), ..Instr::new(Op::St32) }));
    code.extend((cutoff..32).map(|d| Instr { d, b_mode: BMode::Imm, imm: 0x7FAB_CDEF, ..Instr::new(Op::Mov) }));
    let more = code.len() as u32 - 1;
    let moved = |&word: &u64| match decode(word) {
        Ok(i) if i.op.is_branch() && i.imm > point => encode(&Instr { imm: i.imm + more, ..i }),
        _ => word,
    };
    let mut words: Vec<u64> = fragment.binary.code.iter().map(moved).collect();
    words.splice(point as usize..=point as usize, code.iter().map(encode));
    fragment.binary.code = words;
    p
}

/// What a program with a point does is right if its first part runs once for a pixel: the samples
/// have one and the same in public registers, come to the point once, and private registers are not
/// needed. `off` is what the program leaves without a point. Returns how many samples came to the
/// point; none are counted if there is no room to look.
fn splits_rightly(drawing: &Drawing, off: &[u32], what: &str) -> u32 {
    let pipeline = pipeline(drawing);
    let fragment = pipeline.fragment.clone().expect("a fragment program");
    assert!(left(&drawing.draw(), drawing.samples) == off, "{what}\n{}", fragment.asm);
    let cutoff = fragment.binary.interface.public_cutoff;
    if cutoff > MOST {
        return 0;
    }
    let looked = drawing.draw_with(instrumented(pipeline));
    assert!(left(&looked, drawing.samples) == off, "private registers: {what}\n{}", fragment.asm);
    let mut seen = 0;
    for at in pixels() {
        let of = |sample: u32| STACKS + 4 * DUMP * ((at.1 * 16 + at.0) * 4 + sample);
        let covered = Known::SLANTED.covered(at, drawing.samples);
        let samples: Vec<u32> = (0..drawing.samples).filter(|s| covered >> s & 1 == 1).collect();
        let times: Vec<u32> = samples.iter().map(|&s| looked.memory(of(s) + 4 * 32)).collect();
        let same = times.iter().all(|&t| t <= 1 && t == times[0]);
        assert!(same, "{what}: {at:?} comes to the point {times:?} times\n{}", fragment.asm);
        seen += times.iter().sum::<u32>();
        for r in 0..cutoff {
            let mut values = samples.iter().map(|&s| looked.memory(of(s) + 4 * r));
            let first = values.next();
            assert!(values.all(|v| Some(v) == first), "{what}: r{r} of {at:?}\n{}", fragment.asm);
        }
    }
    seen
}

#[test]
fn pictures_are_those_without_a_point() {
    for (name, body, access, gets) in all() {
        for samples in [2, 4] {
            let with = |split| Drawing { samples, ..drawing(body, access, split, None) };
            let off = left(&with(false).draw(), samples);
            let c = compiled(&with(true));
            match (gets, split_of(&c).none.is_none()) {
                (Before(_), true) => {
                    let seen = splits_rightly(&with(true), &off, name);
                    assert!(seen > 100, "{name}: {seen} samples came to the point");
                }
                _ => assert!(left(&with(true).draw(), samples) == off, "{name}"),
            }
        }
    }
}

/// As few registers as there can be: less lives across the point, or values do not fit.
#[test]
fn few_registers() {
    let (mut with, mut without) = (0, 0);
    for (name, body, access, _) in all() {
        let off = left(&drawing(body, access, false, None).draw(), 4);
        for max_registers in tier::first(3, [8, 16, 24, 10, 12, 20]) {
            let mut d = drawing(body, access, true, None);
            d.options.max_registers = max_registers;
            let c = compiled(&d);
            assert_eq!(wrong(&c), [], "{name}\n{}", c.asm);
            assert!(c.report.registers as usize <= max_registers);
            match split_of(&c).none.as_deref() {
                None => {
                    with += 1;
                    splits_rightly(&d, &off, name);
                }
                Some(why) => {
                    without += usize::from(why.contains("do not fit"));
                    assert!(left(&d.draw(), 4) == off, "{name} with {max_registers} registers\n{}", c.asm);
                }
            }
        }
    }
    println!("{with} with a point, {without} where values do not fit");
    assert!(
        with > tier::cases(20, 50) && without > tier::cases(1, 3),
        "{with} with a point, {without} where values do not fit"
    );
}

/// Bodies in GLSL, whose `discard` ends an invocation.
const GLSL: &[(&str, &str)] = &[
    ("ends before", "float t = sin(v.x * 9.0) * cos(v.y); if (t < 0.1) discard; a = t * w.x; b = exp2(t); c = float(gl_SampleID); d = t;"),
    ("ends behind", "float t = sin(v.x * 9.0) * cos(v.y); if (w.x < 0.4) discard; a = t * w.x; b = exp2(t); c = float(gl_SampleID); d = t;"),
    ("demoted before", "float t = sin(v.x * 9.0) * cos(v.y); if (t < 0.1) demote; a = dFdx(t) * w.x; b = exp2(t); c = gl_HelperInvocation ? t : v.w; d = t;"),
    ("ends by a derivative", "float t = dFdx(v.x * 9.0) * cos(v.y); if (t < 0.1) discard; a = t * w.x; b = exp2(t); c = float(gl_SampleMaskIn[0]); d = t;"),
    ("a derivative of samples before the end", "float q = dFdx(w.x * w.y); float t = sin(v.x * 9.0) * cos(v.y); if (t < 0.1) discard; a = t * w.x; b = exp2(t); c = q; d = t;"),
    ("the sample's place", "float t = sin(v.x * 9.0) * cos(v.y) + exp2(v.z); a = t * gl_SamplePosition.x; b = gl_SamplePosition.y; c = t; d = sqrt(abs(t)) + gl_FragCoord.z;"),
];

/// Those with a derivative that looks at lanes which have ended: no point may stand before both.
const APART: &[(&str, &str)] = &[
    ("a derivative of samples behind the end", "float q = w.x * w.y; float t = sin(v.x * 9.0) * cos(v.y); if (t < 0.1) discard; a = t * w.x; b = exp2(t); c = dFdx(q); d = t;"),
    ("a derivative of what is made behind the end", "float t = sin(v.x * 9.0) * cos(v.y); if (w.x < 0.4) discard; float q = w.x * w.y * t; a = t * w.x; b = exp2(t); c = dFdx(q); d = t;"),
    ("a derivative in a branch of samples", "float t = sin(v.x * 9.0) * cos(v.y); a = t * w.x; b = exp2(t); if (w.x < 0.4) { c = dFdx(w.y * t); } d = t;"),
];

/// With splitting and without it.
fn in_glsl(body: &str) -> [Drawing; 2] {
    let text = format!(
        "#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 v; layout(location = 1) sample in vec4 w;
layout(location = 0) out float a; layout(location = 1) out float b;
layout(location = 2) out float c; layout(location = 3) out float d;
void main() {{ {body} }}"
    );
    [true, false]
        .map(|split| Drawing { fragment: Source::fragment(In::Glsl, "", &text), ..drawing("", "read", split, None) })
}

#[test]
fn derivatives_of_lanes_that_are_not_there() {
    for &(name, body) in APART {
        let [on, off] = in_glsl(body);
        let c = compiled(&on);
        let why = split_of(&c).none.clone().unwrap_or("a point".into());
        assert!(why.contains("looks at lanes that may not be there"), "{name}: {why}\n{}", c.asm);
        assert_eq!(left(&on.draw(), 4), left(&off.draw(), 4), "{name}");
    }
}

#[test]
fn glsl_programs() {
    for &(name, body) in GLSL {
        let [on, off] = in_glsl(body);
        let c = compiled(&on);
        assert_eq!(split_of(&c).none, None, "{name}\n{}", c.asm);
        assert_eq!(wrong(&c), [], "{name}\n{}", c.asm);
        let seen = splits_rightly(&on, &left(&off.draw(), 4), name);
        assert!(seen > 50, "{name}: {seen}");
    }
}

/// A program that is not per sample has no split point, and one that splits has no merge point.
#[test]
fn splitting_and_merging() {
    let both = |body, samples| {
        let mut d = Drawing { samples, ..drawing(body, "read", true, None) };
        d.options.merge = true;
        compiled(&d).report
    };
    let split = both(BODIES[0].1, 4);
    assert_eq!(split.split.expect("a report").none, None);
    assert_eq!(split.merge.expect("a report").none.as_deref(), Some("it splits"));
    let merged = both(BODIES[0].1, 1);
    assert_eq!(merged.split.expect("a report").none.as_deref(), Some("it runs once for each pixel"));
    assert_eq!(merged.merge.expect("a report").none, None);
    let all = BODIES.iter().find(|b| b.0 == "everything is per sample").expect("a body");
    let neither = both(all.1, 4);
    assert!(neither.split.expect("a report").none.is_some());
    assert_ne!(neither.merge.expect("a report").none.as_deref(), Some("it splits"));
}

#[test]
fn vertex_programs_have_none() {
    let vertex = pipeline(&drawing(BODIES[0].1, "read", true, None)).vertex;
    assert!(points(&vertex.binary.code).is_empty() && vertex.report.split.is_none());
    // One whose outputs are of samples has no point beside its instructions, either.
    let glsl = "layout(location = 0) in vec4 p; layout(location = 1) in vec4 c;
layout(location = 0) out vec4 v; layout(location = 1) sample out vec4 w; layout(location = 2) noperspective centroid out float n;
void main() { gl_Position = p; v = c; w = c.wzyx * 1.5; n = c.x - c.y; }";
    let wgsl = "struct V { @builtin(position) p: vec4f, @location(0) v: vec4f,
    @location(1) @interpolate(perspective, sample) w: vec4f, @location(2) @interpolate(linear, centroid) n: f32 }
@vertex fn main(@location(0) p: vec4f, @location(1) @interpolate(perspective, sample) c: vec4f) -> V {
    return V(p, c, c.wzyx * 1.5, c.x - c.y);
}";
    for vertex in [Source::vertex(In::Glsl, "", glsl), Source::vertex(In::Wgsl, wgsl, "")] {
        for (event_form, _) in EventForm::ALL {
            let mut drawing = drawing(BODIES[0].1, "read", true, None);
            (drawing.vertex, drawing.options.event_form) = (vertex.clone(), event_form);
            let Compiled { binary, report, .. } = pipeline(&drawing).vertex;
            assert!(points(&binary.code).is_empty() && report.split.is_none());
            assert_eq!((binary.interface.merge_at, binary.interface.split_at), (None, None));
            assert!(!binary.interface.graphics.is_some_and(|g| g.per_sample));
        }
    }
}

#[test]
fn without_the_option_nothing_changes() {
    for (name, body, access, _) in all() {
        let c = compiled(&drawing(body, access, false, None));
        assert!(points(&c.binary.code).is_empty() && c.report.split.is_none(), "{name}");
        assert_eq!(c.report.public_cutoff, c.report.registers);
    }
}

/// The page's reports are those of today's compiler.
#[test]
fn the_page_shows_real_reports() {
    let page = std::fs::read_to_string(format!("{}/../../docs/split-compiler.md", env!("CARGO_MANIFEST_DIR")));
    let page = page.expect("docs/split-compiler.md");
    for name in ["a pattern, then samples", "everything is per sample"] {
        let (_, body, _) = BODIES.iter().find(|b| b.0 == name).expect("a body");
        let said = split_of(&compiled(&drawing(body, "read", true, None))).to_string();
        assert!(page.contains(&said), "{name}:\n{said}");
    }
}
