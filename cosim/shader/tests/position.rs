//! Position parts of vertex programs (HZ-30, HZ-36): on the golden model the part gives the same
//! four words as the whole program, bit for bit, and nothing else. So does the program without some
//! of its other outputs, and the program linked with a fragment program. Products and sums are
//! fused in all of them.
//!
//! The programs are random texts: statements on vectors, words and an array, with branches, loops
//! and early returns, of which the position needs some. `QUADLOCK_SEEDS` asks for more of them.
//! Wrong would be a generator whose positions need everything or nothing; a test counts.

use crate::common::draw::{In, Source};
use quadlock_golden::{Config, Golden, Launch, Memory, Tags};
use quadlock_isa::abi::{CONST_BUFFERS, CONST_STACK_BASE, CONST_STACK_SIZE, MAX_BUFFERS};
use quadlock_isa::{decode, Op};
use quadlock_shader::compile::Uniforms;
use quadlock_shader::derived;
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, PipelineRequest};
use quadlock_shader::{Compiled, Options};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Formats of the attributes, by location and vertex buffer.
const FORMATS: [&str; 4] = ["float32x4", "float32x4", "unorm8x4", "uint32x2"];
/// Bytes of memory; buffers are at multiples of that part of it.
const ALL: u32 = 0x1_0000;
const PART: u32 = 0x1000;

fn compile(source: &Source, fault: Option<CompilerFault>) -> Compiled {
    compile_with(source, Options { position: true, fault, ..Options::default() })
}

fn compile_with(source: &Source, options: Options) -> Compiled {
    in_pipeline(source, None, None, options)
}

/// The vertex program of a pipeline; linked if uniforms are given, known or not.
fn in_pipeline(source: &Source, fragment: Option<&Source>, link: Option<Uniforms>, options: Options) -> Compiled {
    let attributes = (0..).zip(FORMATS).map(|(slot, name)| {
        let format = AttributeFormat::from_name(name).expect("a format");
        Attribute { location: slot, format, slot, offset: 0, stride: format.bytes(), per_instance: slot == 2 }
    });
    let pipeline = compile_pipeline(&PipelineRequest {
        vertex: source.stage(),
        fragment: fragment.map(Source::stage),
        attributes: attributes.collect(),
        targets: fragment.map(|_| TargetFormat::Rgba16Float).into_iter().collect(),
        written: vec![],
        samples: 1,
        link,
        alpha_to_coverage: false,
        options,
    });
    pipeline.unwrap_or_else(|e| panic!("{e}\n{}", source.text())).vertex
}

/// A machine with the program, its constants and random data in all buffers.
fn machine(program: &Compiled, seed: u64) -> Golden {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut memory = Memory::new(ALL);
    for at in (0..ALL).step_by(4) {
        // Small floats for the most part; as whole numbers they are large ones.
        let word = if rng.random_bool(0.1) { rng.random() } else { rng.random_range(-4.0f32..4.0).to_bits() };
        memory.write32(at, word);
    }
    let interface = &program.binary.interface;
    let mut constants = vec![0; 256];
    for b in &interface.bindings {
        let (entry, at) = (CONST_BUFFERS + 2 * b.index as usize, PART * (1 + b.index));
        (constants[entry], constants[entry + 1]) = (at, PART);
        for k in 0..b.const_words {
            constants[(b.const_at + k) as usize] = memory.read32(at + 4 * k);
        }
    }
    for slot in 0..FORMATS.len() {
        let entry = CONST_BUFFERS + 2 * (MAX_BUFFERS - 1 - slot);
        (constants[entry], constants[entry + 1]) = (PART * (6 + slot as u32), PART);
    }
    (constants[CONST_STACK_BASE], constants[CONST_STACK_SIZE]) = (PART * 12, interface.stack_bytes);
    interface.constants.iter().for_each(|&(word, value)| constants[word as usize] = value);
    // Of a linked program, from the buffer of binding 0.
    let of_buffer = |_, _, word: u32| Some(memory.read32(PART + 4 * word));
    let derived = interface.derived.iter().flat_map(|d| derived::words(d, &of_buffer).expect("words"));
    derived.for_each(|(word, value)| constants[word as usize] = value);
    let config = Config { graphics: true, ..Config::default() };
    Golden::new(config, program.binary.code.clone(), constants, memory)
}

/// The words that four vertices give, from an instruction on.
fn outputs(golden: &mut Golden, pc: u32, first: u32) -> Vec<[u32; 4]> {
    let vertex = std::array::from_fn(|lane| first + lane as u32);
    let tags = Tags { vertex, instance: [first / 4; 4], ..Tags::default() };
    let pc = pc as u16;
    let launch = Launch { mask: 15, pc, warps_in_group: 1, graphics: Some(Box::new(tags)), ..Launch::default() };
    golden.launch(&launch).expect("a free slot");
    for _ in 0..100_000 {
        if golden.warp(0, 0).is_ended() {
            return (0..8).map(|w| golden.warp(0, 0).output(w)).collect();
        }
        golden.step(0, 0).expect("a step");
    }
    panic!("the program does not end");
}

/// The first difference of the positions of eight vertices.
fn difference(program: &Compiled, seed: u64) -> Option<String> {
    let part = program.binary.interface.position;
    assert!(part > 0, "{}", program.report);
    let mut golden = machine(program, seed);
    for first in [0, 4] {
        let full = outputs(&mut golden, 0, first);
        let own = outputs(&mut golden, part, first);
        for lane in 0..4 {
            for word in 0..8 {
                let expected = if word < 4 { full[word][lane] } else { 0 };
                if own[word][lane] != expected {
                    let vertex = first + lane as u32;
                    return Some(format!("vertex {vertex} word {word}: {:#x}, not {expected:#x}", own[word][lane]));
                }
            }
        }
    }
    assert_eq!((golden.traps().1, golden.memory_faults().1), (0, 0), "{:?}", golden.memory_faults());
    None
}

/// The first difference of the positions of eight vertices between two forms of a program.
fn differing_forms(one: &Compiled, other: &Compiled, seed: u64) -> Option<String> {
    let mut machines = [machine(one, seed), machine(other, seed)];
    for first in [0, 4] {
        let [a, b] = machines.each_mut().map(|golden| outputs(golden, 0, first));
        for word in 0..4 {
            if a[word] != b[word] {
                return Some(format!("vertices from {first}, word {word}: {:x?} and {:x?}", a[word], b[word]));
            }
        }
    }
    None
}

/// Which outputs a form of a program keeps: not all.
fn kept(seed: u64) -> [bool; 3] {
    let mask = seed % 7;
    [0, 1, 2].map(|k| mask >> k & 1 == 1)
}

/// Writes random programs.
struct Writer {
    rng: ChaCha8Rng,
    text: String,
    depth: usize,
    names: usize,
}

impl Writer {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.random_range(0..of.len())]
    }

    fn float(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.random_bool(0.2) {
            let n: f32 = self.rng.random_range(-3.0..3.0);
            let word = self.word(0);
            return match self.rng.random_range(0..6) {
                0 => format!("{n:?}"),
                1 => format!("table[{word} % 16u]"),
                2 => format!("spare[{word} % 5u]"),
                3 => format!("f32({word} & 15u)"),
                4 => format!("u.k.{}", self.pick(&["x", "y", "z", "w"])),
                _ => format!("{}.{}", self.pick(&VECTORS), self.pick(&["x", "y", "z", "w"])),
            };
        }
        let [a, b, c] = std::array::from_fn(|_| self.float(depth - 1));
        match self.rng.random_range(0..10) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 | 4 => format!("({a} * {b})"),
            5 | 6 => format!("fma({a}, {b}, {c})"),
            7 => format!("max({a}, min({b}, 2.0))"),
            8 => format!("({a} / (1.0 + abs({b})))"),
            _ => format!("select({a}, {b}, {c} < 0.5)"),
        }
    }

    fn word(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.random_bool(0.3) {
            let n = self.rng.random_range(0..40);
            return match self.rng.random_range(0..5) {
                0 => format!("{n}u"),
                1 => "index".into(),
                2 => "instance".into(),
                3 => "d.x".into(),
                _ => self.pick(&WORDS).into(),
            };
        }
        let [a, b] = std::array::from_fn(|_| self.word(depth - 1));
        let op = self.pick(&["+", "-", "*", "^", "&", "|"]);
        format!("({a} {op} {b})")
    }

    fn vector(&mut self, depth: u32) -> String {
        let [x, y, z] = std::array::from_fn(|_| self.pick(&VECTORS));
        match self.rng.random_range(0..8) {
            0 => format!("({x} + {y})"),
            1 => format!("({x} * {})", self.float(depth)),
            2 => format!("(u.m * {x})"),
            3 => format!("fma({x}, {y}, b)"),
            4 => format!("mix({x}, {y}, vec4f({}))", self.float(1)),
            5 => format!("({x} * {y} + {z})"),
            6 => format!("({x} - {y} * {z})"),
            _ => {
                let all: Vec<String> = (0..4).map(|_| self.float(depth)).collect();
                format!("vec4f({})", all.join(", "))
            }
        }
    }

    fn line(&mut self, text: &str) {
        let space = "    ".repeat(self.depth + 1);
        self.text += &format!("{space}{text}\n");
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            match self.rng.random_range(0..13) {
                // A product that an output reads too.
                12 => {
                    let [x, y, z] = std::array::from_fn(|_| self.pick(&VECTORS));
                    self.line(&format!("v1 = {x} * {y};"));
                    self.line(&format!("v0 = v1 + {z};"));
                }
                0..=4 => {
                    let (to, value) = (self.pick(&["v0", "v1", "v2"]), self.vector(2));
                    self.line(&format!("{to} = {value};"));
                }
                5 => {
                    let (to, value) = (self.pick(&WORDS), self.word(2));
                    self.line(&format!("{to} = {value};"));
                }
                6 | 7 => {
                    let (at, value) = (self.word(1), self.float(2));
                    self.line(&format!("spare[{at} % 5u] = {value};"));
                }
                8 | 9 if self.depth < 3 => {
                    let test = if self.rng.random_bool(0.5) {
                        format!("{} < {}", self.float(1), self.float(1))
                    } else {
                        format!("({}) % 3u == 1u", self.word(1))
                    };
                    self.line(&format!("if ({test}) {{"));
                    self.inside(2);
                    if self.rng.random_bool(0.5) {
                        self.line("} else {");
                        self.inside(2);
                    }
                    self.line("}");
                }
                10 if self.depth < 2 => {
                    self.names += 1;
                    let (name, turns) = (format!("i{}", self.names), self.word(0));
                    self.line(&format!("for (var {name} = 0u; {name} < {turns} % 4u + 1u; {name}++) {{"));
                    self.inside(2);
                    if self.rng.random_bool(0.3) {
                        let test = self.float(1);
                        self.line(&format!("    if ({test} > 2.0) {{ break; }}"));
                    }
                    self.line("}");
                }
                11 if self.depth > 0 && self.rng.random_bool(0.3) => {
                    self.line("return V(v0«0, v1»«1, v2.xy»«2, w0»);");
                    return;
                }
                _ => {}
            }
        }
    }

    fn inside(&mut self, most: usize) {
        self.depth += 1;
        let count = self.rng.random_range(1..=most);
        self.statements(count);
        self.depth -= 1;
    }
}

const VECTORS: [&str; 5] = ["v0", "v1", "v2", "a", "b"];
const WORDS: [&str; 2] = ["w0", "w1"];

fn program(seed: u64) -> Source {
    without(seed, [true; 3])
}

/// The program of a seed with these of its outputs beside the position only. They stand in marks.
fn without(seed: u64, keep: [bool; 3]) -> Source {
    let mut text = String::new();
    for part in whole(seed).split('\u{ab}') {
        match part.split_once('\u{bb}') {
            Some((marked, rest)) => {
                let (number, marked) = marked.split_at(1);
                let number: usize = number.parse().expect("the number of an output");
                text += if keep[number] { marked } else { "" };
                text += rest;
            }
            None => text += part,
        }
    }
    Source::vertex(In::Wgsl, &text, "")
}

fn whole(seed: u64) -> String {
    let mut w = Writer { rng: ChaCha8Rng::seed_from_u64(seed), text: String::new(), depth: 0, names: 0 };
    w.text = "struct V { @builtin(position) p: vec4f«0, @location(0) v: vec4f»«1, @location(1) t: vec2f»«2, \
              @location(2) @interpolate(flat) n: u32» }
struct U { m: mat4x4f, k: vec4f }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read> table: array<f32, 16>;
@vertex fn main(@location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: vec4f, @location(3) d: vec2u,
                @builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> V {
    var v0 = a;
    var v1 = b * 0.5;
    var v2 = c;
    var w0 = d.y;
    var w1 = index;
    var spare: array<f32, 5>;
"
    .into();
    let count = w.rng.random_range(2..10);
    w.statements(count);
    let place = w.pick(&["v0", "u.m * v0", "v0 + vec4f(0.0, spare[1], 0.0, 1.0)", "vec4f(v1.xyz, 1.0)"]);
    let word = w.word(1);
    w.text += &format!("    return V({place}«0, v1»«1, v2.xy»«2, {word}»);\n}}\n");
    w.text
}

/// A fragment program that reads these of the outputs.
fn reader(seed: u64, reads: [bool; 3]) -> Source {
    let inputs = ["@location(0) v: vec4f", "@location(1) t: vec2f", "@location(2) @interpolate(flat) n: u32"];
    let terms = ["v * 2.0", "vec4f(t * u.k.x, t)", "vec4f(f32(n))"];
    let chosen =
        |all: [&str; 3]| -> Vec<String> { all.iter().zip(reads).filter(|r| r.1).map(|r| r.0.to_string()).collect() };
    let test = ["u.k.y > 0.5", "u.k.x + u.k.z < 1.0"][seed as usize % 2];
    let text = format!(
        "struct U {{ m: mat4x4f, k: vec4f }}
@group(0) @binding(0) var<uniform> u: U;
@fragment fn main({}) -> @location(0) vec4f {{
    var all = {};
    if ({test}) {{ all = vec4f(u.k.x * u.k.y + u.k.z); }}
    return all;
}}",
        chosen(inputs).join(", "),
        [vec!["u.k".to_string()], chosen(terms)].concat().join(" + ")
    );
    Source::fragment(In::Wgsl, &text, "")
}

/// The position of a linked program is that of the program alone, whatever is known of uniforms,
/// with fusion.
#[test]
fn hz_36_linked_programs_give_the_same_positions() {
    let (mut shorter, mut derived, mut decided) = (0, 0, 0);
    for seed in 0..seeds(200) {
        let source = program(seed);
        let alone = compile(&source, None);
        let fragment = reader(seed, kept(seed + 3));
        let memory = machine(&alone, seed);
        let words = (0..20).map(|w| Some(memory.memory().read32(PART + 4 * w))).collect();
        for known in [Uniforms::new(), Uniforms::from([((0, 0), words)])] {
            let options = Options { position: true, ..Options::default() };
            let linked = in_pipeline(&source, Some(&fragment), Some(known), options);
            if let Some(why) = differing_forms(&alone, &linked, seed).or_else(|| difference(&linked, seed)) {
                panic!("seed {seed}: {why}\n{}\n{}\n{}", source.text(), alone.asm, linked.asm);
            }
            shorter += u64::from(linked.binary.code.len() < alone.binary.code.len());
            derived += linked.binary.interface.derived.map_or(0, |d| d.words.len());
            decided += u64::from(linked.binary.interface.specialisation.is_some());
        }
    }
    println!("{shorter} linked programs are shorter, {derived} derived uniforms, {decided} assume something");
    assert!(shorter > 50 && derived > 50 && decided > 50, "{shorter} {derived} {decided}");
}

fn seeds(usual: u64) -> u64 {
    std::env::var("QUADLOCK_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(usual)
}

#[test]
fn hz_36_both_programs_give_the_same_positions() {
    let (mut whole, mut parts, mut fewer, mut branches, mut fused) = (0, 0, 0, 0, 0);
    let all = seeds(400);
    for seed in 0..all {
        let source = program(seed);
        let c = compile(&source, None);
        if let Some(why) = difference(&c, seed) {
            panic!("seed {seed}: {why}\n{}\n{}", source.text(), c.asm);
        }
        let form = compile(&without(seed, kept(seed)), None);
        if let Some(why) = differing_forms(&c, &form, seed) {
            panic!("seed {seed}: {why}\n{}\n{}\n{}", source.text(), c.asm, form.asm);
        }
        let of_position = |c: &Compiled| c.report.fused.iter().filter(|f| f.position).map(|f| f.count).sum::<usize>();
        assert_eq!(of_position(&c), of_position(&form), "seed {seed}");
        fused += of_position(&c);
        let part = c.report.position.as_ref().expect("a part");
        let code = &c.binary.code[part.first as usize..];
        whole += part.first as usize;
        parts += part.instructions;
        fewer += u64::from(part.loads[1] < part.loads[0]);
        branches += u64::from(code.iter().any(|&w| decode(w).is_ok_and(|i| i.op.is_branch())));
        // It gives nothing but the position.
        let others = code.iter().filter_map(|&w| decode(w).ok()).any(|i| i.op == Op::Out && i.imm >= 4);
        assert!(!others, "seed {seed}");
    }
    println!("{all} programs: {whole} instructions, {parts} of their parts; {fewer} load less, {branches} branch");
    println!("{fused} products fused with sums for the positions");
    assert!(
        fused as u64 > all && parts < whole && fewer > all / 4 && branches > all / 8,
        "{parts} {whole} {fewer} {branches}"
    );
}

/// What only varyings need is not there: neither the loads of their attributes nor their loop.
#[test]
fn hz_30_a_part_fetches_what_the_position_needs() {
    let text = "struct V { @builtin(position) p: vec4f, @location(0) v: vec4f }
@group(0) @binding(1) var<storage, read> table: array<f32, 16>;
@vertex fn main(@location(0) a: vec4f, @location(1) b: vec4f, @location(2) c: vec4f) -> V {
    var sum = b;
    for (var i = 0u; i < u32(table[0]); i++) { sum += c * table[i % 16u]; }
    if (sum.x > 1.0) { sum = -sum; }
    return V(vec4f(a.xyz * 2.0, 1.0), sum);
}";
    let c = compile(&Source::vertex(In::Wgsl, text, ""), None);
    let part = c.report.position.as_ref().expect("a part");
    let code: Vec<_> =
        c.binary.code[part.first as usize..].iter().map(|&word| decode(word).expect("an instruction")).collect();
    assert_eq!(part.loads[1], 1, "{}", c.asm);
    assert!(!code.iter().any(|i| i.op.is_branch()), "{}", c.asm);
    assert!(c.asm.contains("position."), "{}", c.asm);
    assert!(c.report.to_string().contains("position part: "), "{}", c.report);
}

/// A machine without a cull pipeline gets the same program without its part.
#[test]
fn hz_30_a_part_is_made_only_if_it_is_asked_for() {
    let c = compile(&program(3), None);
    let plain = compile_with(&program(3), Options::default());
    let first = c.binary.interface.position as usize;
    assert_eq!(plain.binary.code, c.binary.code[..first]);
    assert_eq!((plain.binary.interface.position, plain.report.position), (0, None));
}

/// Without `freeze` the position is fused in no form: its words are those of a program in which
/// nothing is fused, while other outputs are fused as ever.
#[test]
fn hz_36_without_freeze_positions_are_not_fused() {
    let skipping = |source: &Source, pass: &str| {
        compile_with(source, Options { position: true, skip_passes: vec![pass.into()], ..Options::default() })
    };
    let (mut fused, mut other) = (0, 0);
    for seed in 0..60 {
        let source = program(seed);
        let c = skipping(&source, "freeze");
        let forms = [skipping(&without(seed, kept(seed)), "freeze"), skipping(&source, "fuse")];
        let wrong = forms.iter().find_map(|form| differing_forms(&c, form, seed)).or_else(|| difference(&c, seed));
        assert_eq!(wrong, None, "seed {seed}\n{}\n{}", source.text(), c.asm);
        assert!(c.report.fused.iter().all(|f| !f.position), "seed {seed}");
        fused += c.report.fused.iter().map(|f| f.count).sum::<usize>();
        other += usize::from(differing_forms(&c, &compile(&source, None), seed).is_some());
    }
    assert!(fused > 60 && other > 5, "{fused} sums fused, {other} positions differ from fused ones");
}

/// The planted bug: the form without outputs has other readers of products, and fuses others.
#[test]
fn hz_36_a_position_that_is_fused_by_use_is_found() {
    let fault = Some(CompilerFault::PositionFusesByUse);
    let differs = |seed: u64, fault| {
        let forms = [program(seed), without(seed, [false; 3])].map(|source| compile(&source, fault));
        differing_forms(&forms[0], &forms[1], seed).is_some()
    };
    let found: Vec<u64> = (0..150).filter(|&seed| differs(seed, fault)).collect();
    assert!(found.len() > 3, "{found:?} of 150");
    assert!(found.iter().all(|&seed| !differs(seed, None)));
}

/// The planted bug: a multiply-add that the part does in two steps.
#[test]
fn hz_36_a_split_multiply_add_is_found() {
    let fault = Some(CompilerFault::PositionSplitsFma);
    let found = (0..40).filter_map(|seed| difference(&compile(&program(seed), fault), seed)).count();
    assert!(found > 3, "{found} of 40");
}
