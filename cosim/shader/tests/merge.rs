//! Merge points of fragment programs (MS-30 to MS-33): where they are, what registers are on which
//! side, and that pictures and memory are those of the program without them.
//!
//! Every program goes through the checker of finished code, and is drawn over a triangle with many
//! partly covered quads. Wrong would be a list in which nothing gets a merge point: each row says
//! what it has to get.

use crate::common::draw::{pixels, Buffer, Drawing, In, Known, Picture, Source};
use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters};
use quadlock_isa::{decode, Event, Op};
use quadlock_shader::back::forms;
use quadlock_shader::back::merge_check::{check, check_of, points, Rule, Wrong};
use quadlock_shader::back::MergeRules;
use quadlock_shader::compile::Merge;
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, PipelineRequest, StageSource};
use quadlock_shader::{Compiled, Options};
use quadlock_testkit::tier;

/// What a program has to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gets {
    /// A merge point behind this many quad operations.
    Point(usize),
    /// A point at the start of an arm, and one at the join.
    Two,
    /// None, and the report says this.
    None(&'static str),
}
use Gets::{Point, Two};

/// Name, body in WGSL that sets `a`, `b`, `c` and `d` from the place `p` of the pixel, the varyings
/// `u` and `v`, and `memory`; what it gets.
const BODIES: &[(&str, &str, Gets)] = &[
    ("no helper at all", "a = length(u) + sin(v.x) * cos(v.y); b = sqrt(abs(v.z)); c = a * b + v.w; d = pow(abs(a), 1.5);", Point(0)),
    ("derivative first", "let w = fwidth(v.x); a = w; b = sin(w) + cos(v.y) * sqrt(abs(u.x)); c = exp2(b) * v.z; d = log2(abs(c) + 1.0);", Point(2)),
    ("derivative last in the source", "b = sin(v.y) * cos(u.x); c = sqrt(abs(b)) * v.z; d = exp2(c) + log2(abs(b) + 1.0); a = fwidth(v.x * v.y) + d;", Point(2)),
    ("derivative of a derivative", "let w = dpdx(v.x * v.x); a = dpdy(w); b = w; c = sin(b) * cos(a) + sqrt(abs(v.z)); d = c * c + exp2(a); d = sqrt(abs(d)) + log2(abs(c) + 2.0); c = pow(abs(c), 2.5) * d;", Point(2)),
    ("derivative behind a branch", "if (v.x > 0.3) { a = sin(v.y) * exp2(v.z); b = cos(a) * sqrt(abs(v.w)); } else { b = log2(abs(v.y) + 2.0) * sqrt(abs(v.z)); } c = dpdx(v.y); d = c * b + sin(a) * cos(b);", Point(1)),
    ("derivative of a loaded value", "let i = u32(p.x) + 16u * u32(p.y); let w = dpdx(f32(memory[i & 255u])); a = w; b = sin(w) + cos(v.y) * sqrt(abs(u.x)); c = exp2(b) * v.z; d = log2(abs(c) + 1.0);", Point(1)),
    ("derivative of what a branch makes", "var w = v.x; if (v.y > 0.2) { w = sin(v.x) * exp2(v.z); w += cos(w) * sqrt(abs(v.w)); } a = dpdx(w); b = sin(a) * cos(w); c = sqrt(abs(b)) * exp2(w); d = b * c + log2(abs(a) + 1.0);", Point(1)),
    ("discard before a derivative", "if (v.x < 0.4) { discard; } let w = dpdx(v.y * v.y); a = w; b = sin(w) + cos(v.y) * sqrt(abs(u.x)); c = exp2(b) * v.z; d = log2(abs(c) + 1.0);", Point(1)),
    ("discard by a derivative", "let w = dpdx(v.y * v.y); if (w < 0.01) { discard; } a = w; b = sin(w) + cos(v.y) * sqrt(abs(u.x)); c = exp2(b) * v.z; d = log2(abs(c) + 1.0);", Point(1)),
    ("nested branches with a derivative inside", "if (v.x < 10.0) { if (v.y < 10.0) { a = dpdx(v.z); } } b = sin(a) + cos(v.y) * sqrt(abs(u.x)); c = exp2(b) * v.z; d = log2(abs(c) + 1.0) * sin(v.w);", Point(1)),
    ("loop with a derivative", "for (var i = 0u; i < 9u; i++) { a += dpdx(v.x * f32(i) * a + v.y); } b = sin(a) + cos(v.y) * sqrt(abs(u.x)); c = exp2(b) * v.z; d = log2(abs(c) + 1.0) * sin(v.w); c = pow(abs(d), 1.5) + cos(c) * sin(d); b = sqrt(abs(c)) + exp2(d) * log2(abs(b) + 2.0); a = sin(b) * cos(c) + sqrt(abs(d)); d = exp2(a) + log2(abs(b) + 3.0);", Point(1)),
    ("loop behind a derivative", "let w = dpdx(v.x); let n = u32(v.y * 7.0) + 3u; var k = 0u; while (k != n) { a += sin(a) * w + v.z; k += 1u; } b = a; c = w; d = 1.0;", Point(1)),
    ("loads behind a derivative", "let w = dpdx(v.x); let i = u32(v.y * 64.0) & 63u; a = f32(memory[i]) * w; b = f32(memory[i + 64u]) + w; c = a * b; d = f32(memory[(i * 3u) & 127u]);", Point(1)),
    ("a loop of loads at a derivative", "let w = dpdx(v.x); for (var i = 0u; i < 16u; i++) { a += f32(memory[(i * 7u) & 63u]) * w; } b = a; c = w; d = 1.0;", Point(1)),
    ("derivative at the end of a loop's result", "for (var i = 0u; i < 9u; i++) { a += sin(a) * v.x + v.y; } b = dpdx(a);", Gets::None("gains about")),
    ("a stack", "var t: array<f32, 9>; for (var i = 0u; i < 9u; i++) { t[i] = sin(v.x * f32(i)); } a = t[u32(v.y * 9.0) % 9u]; b = dpdx(v.x); c = sin(b) * a; d = cos(c);", Gets::None("it uses its stack")),
    ("an arm without helpers", "if (v.x > 0.4) { a = sin(v.y) * cos(v.z) + sqrt(abs(v.w)); b = exp2(a) * v.x + log2(abs(a) + 1.0); c = sin(b) * cos(a) + sqrt(abs(b)); d = pow(abs(a), 1.5) + pow(abs(b), v.z) + pow(abs(c), 2.5); c = sin(d) * cos(b) + pow(abs(d), 1.5) * exp2(c); b = log2(abs(c) + 2.0) * sqrt(abs(d)) + sin(c) * cos(a) + pow(abs(c), 0.5); a = exp2(b) * sin(b) + cos(d) * sqrt(abs(c)) + pow(abs(b), 1.7); } else { if (v.x < -10.0) { a = dpdx(v.z); } }", Two),
    ("nothing is left", "a = dpdx(v.x);", Gets::None("gains about")),
];

/// Bodies of programs that write memory.
const STORES: &[(&str, &str, Gets)] = &[
    ("stores behind a derivative", "let i = u32(p.x) + 16u * u32(p.y); let w = dpdx(v.x); memory[i] = bitcast<u32>(w); memory[i + 256u] = bitcast<u32>(sin(w) * v.y); a = w; b = sqrt(abs(w)); c = cos(b); d = c * v.z;", Point(1)),
    ("a store before a derivative", "let i = u32(p.x) + 16u * u32(p.y); memory[i] = bitcast<u32>(v.y); let w = dpdx(v.x); memory[i + 256u] = bitcast<u32>(sin(w) * v.y); a = w; b = sqrt(abs(w)); c = cos(b); d = c * v.z; d = exp2(d) + log2(abs(c) + 1.0) * sin(b); c = pow(abs(d), 1.5) * cos(a); b = sqrt(abs(c)) + sin(d); a = exp2(b) * sin(c) + cos(d);", Point(1)),
    ("a store, a load, a derivative", "let i = u32(p.x) + 16u * u32(p.y); memory[i] = bitcast<u32>(v.y); let l = f32(memory[i + 512u]); let w = dpdx(v.x + l); memory[i + 256u] = bitcast<u32>(sin(w) * v.y); a = w; b = sqrt(abs(w)); c = cos(b); d = c * v.z; d = exp2(d) + log2(abs(c) + 1.0) * sin(b); c = pow(abs(d), 1.5) * cos(a); b = sqrt(abs(c)) + sin(d); a = exp2(b) * sin(c) + cos(d);", Point(1)),
    ("wide stores and loads", "let i = u32(p.x) + 16u * u32(p.y); let l = wide[(i + 64u) & 63u]; let w = dpdx(v); wide[i + 128u] = vec4u(bitcast<u32>(w.x), l.x, bitcast<u32>(v.y), l.w); a = w.y; b = w.z + f32(l.y); c = w.w; d = f32(l.z) * v.x; d = exp2(d) + log2(abs(c) + 1.0) * sin(b); c = pow(abs(d), 1.5) * cos(a); b = sqrt(abs(c)) + sin(d); a = exp2(b) * sin(c) + cos(d);", Point(4)),
];

fn vertex() -> Source {
    let text =
        "struct V { @builtin(position) p: vec4f, @location(0) v: vec4f, @location(1) @interpolate(linear) u: vec2f }
@vertex fn main(@location(0) p: vec4f, @location(1) v: vec4f) -> V { return V(p, v, v.zw * 3.0); }";
    Source::vertex(In::Wgsl, text, "")
}

fn text(body: &str, access: &str) -> String {
    let (ty, name) = if body.contains("wide[") { ("vec4u", "wide") } else { ("u32", "memory") };
    format!(
        "@group(0) @binding(0) var<storage, {access}> {name}: array<{ty}>;
struct O {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}
@fragment fn main(@builtin(position) p: vec4f, @location(0) v: vec4f,
    @location(1) @interpolate(linear) u: vec2f) -> O {{
    var a = 0.0; var b = 0.0; var c = 0.0; var d = 0.0;
    {body}
    return O(a, b, c, d);
}}"
    )
}

fn drawing(body: &str, access: &str, merge: bool, fault: Option<CompilerFault>) -> Drawing {
    let fragment = Source::fragment(In::Wgsl, &text(body, access), "");
    let corners = [[0.1, 0.9, 0.3, 2.0], [1.0, 0.2, 0.7, -1.0], [0.5, 0.1, -0.4, 0.3]];
    let buffers = vec![Buffer::vec4(0, &Known::SLANTED.positions(In::Wgsl)), Buffer::vec4(1, &corners)];
    let options = Options { merge, fault, ..Options::default() };
    Drawing { storage: 0x4000, options, ..Drawing::new(vertex(), fragment, buffers, 3) }
}

/// A drawing of a program in which nothing is fused: what it gets was worked out for its operations
/// as they stand.
fn as_it_stands(body: &str, access: &str) -> Drawing {
    let mut drawing = drawing(body, access, true, None);
    drawing.options.exact = true;
    drawing
}

/// Everything that a draw leaves behind.
fn left(picture: &Picture) -> Vec<u32> {
    let targets = pixels().flat_map(|at| (0..4).map(move |t| (t, at)));
    targets.map(|(t, at)| picture.sample(t, 0, 0, at)).chain((0..0x1000).map(|n| picture.stored(n))).collect()
}

fn merge_of(compiled: &Compiled) -> &Merge {
    compiled.report.merge.as_ref().expect("asked for merge points")
}

fn wrong(compiled: &Compiled) -> Vec<Wrong> {
    check(&compiled.binary.code, compiled.binary.interface.public_cutoff)
}

/// Quad operations that come before the first point in the listing.
fn quads_before(compiled: &Compiled) -> usize {
    let at = points(&compiled.binary.code)[0] as usize;
    let quad = |w: &&u64| decode(**w).is_ok_and(|i| matches!(i.op, Op::Ddx | Op::Ddy | Op::QShuf));
    compiled.binary.code[..at].iter().filter(quad).count()
}

fn compiled(drawing: &Drawing) -> Compiled {
    drawing.compile().unwrap_or_else(|e| panic!("{e}")).fragment.expect("a fragment program")
}

fn all() -> impl Iterator<Item = (&'static str, &'static str, &'static str, Gets)> {
    let of = |access| move |&(name, body, gets): &(_, _, _)| (name, body, access, gets);
    BODIES.iter().map(of("read")).chain(STORES.iter().map(of("read_write")))
}

#[test]
fn each_program_gets_its_point() {
    for (name, body, access, gets) in all() {
        let c = compiled(&as_it_stands(body, access));
        let merge = merge_of(&c);
        match gets {
            Gets::Point(quads) => {
                assert_eq!(merge.none, None, "{name}\n{}", c.asm);
                assert_eq!((merge.points.len(), quads_before(&c)), (1, quads), "{name}\n{}", c.asm);
                assert_eq!(merge.before + merge.after + merge.alone, c.binary.code.len());
                assert!(c.report.public_cutoff <= 32 && merge.cutoff == c.report.public_cutoff);
            }
            Two => {
                assert_eq!(merge.none, None, "{name}\n{}", c.asm);
                assert_eq!(merge.points.len(), 2, "{name}\n{}", c.asm);
            }
            Gets::None(why) => {
                let said = merge.none.as_deref().unwrap_or("a point");
                assert!(said.contains(why) && points(&c.binary.code).is_empty(), "{name}: {said}\n{}", c.asm);
            }
        }
        assert_eq!(wrong(&c), [], "{name}\n{}", c.asm);
    }
}

/// MS-10, MS-35: each form keeps the rules, and has its point where the instruction stood; a
/// counter stands for the last point, a count only where all ways are of one length.
#[test]
fn points_of_each_form_keep_the_rules() {
    let mut counts = 0;
    for (name, body, access, gets) in all() {
        for form in [EventForm::Modifier, EventForm::Counter, EventForm::Count] {
            let mut d = as_it_stands(body, access);
            d.options.event_form = form;
            let c = compiled(&d);
            let (merge, at) = (merge_of(&c), c.binary.interface.merge_at);
            let found = forms::points(&c.binary.code, Event::Merge, at);
            let public = ((1u64 << c.report.public_cutoff) - 1) as u32;
            let wrong = forms::check_merge(&c.binary.code, public, PrivateSet::Old, at);
            assert_eq!(wrong, [], "{name}\n{}", c.asm);
            assert!(points(&c.binary.code).is_empty(), "{name}: MERGE in the form {}", form.name());
            assert_eq!(merge.points.iter().map(|p| p.0).collect::<Vec<_>>(), found, "{name}");
            let expected = match gets {
                Gets::None(_) => 0,
                Two if form == EventForm::Modifier => 2,
                Two if form == EventForm::Counter => found.len().min(1),
                Gets::Point(_) if form != EventForm::Count => 1,
                Two | Gets::Point(_) => {
                    let why = merge.none.as_deref().unwrap_or("different numbers");
                    assert!(why.contains("different numbers") || why.contains("several points"), "{name}: {why}");
                    counts += found.len();
                    found.len().min(1)
                }
            };
            assert_eq!(found.len(), expected, "{name} {}\n{}", form.name(), c.asm);
        }
    }
    assert!(counts > 5, "{counts} programs count instructions");
}

/// The program for warps without a partner is that without points, word for word, at another place;
/// it is left out where two programs could differ, or are too long.
#[test]
fn warps_without_a_partner_have_the_program_without_points() {
    let rest = "a = w; b = sin(w) + cos(v.y) * sqrt(abs(u.x)); c = exp2(b) * v.z; d = log2(abs(c) + 1.0);";
    let together = &format!("let w = dpdx(v.x) + dpdy(v.y); {rest}");
    let apart = &format!("var w = v.z; if (v.x > 0.5) {{ w = dpdx(v.y); }} {rest}");
    let own = |body: &str, alone: usize| {
        let mut d = drawing(body, "read", true, None);
        d.options.alone = alone;
        compiled(&d)
    };
    let (on, off) = (own(together, 512), compiled(&drawing(together, "read", false, None)));
    let first = on.binary.interface.alone;
    assert!(first > 0 && !points(&on.binary.code).is_empty(), "{}", on.asm);
    assert_eq!(on.binary.code[first as usize..], off.binary.code_at(first));
    assert_eq!(on.binary.lines[first as usize..], off.binary.lines);
    for (name, c) in [("apart", own(apart, 512)), ("no room", own(together, 40))] {
        assert_eq!(c.binary.interface.alone, 0, "{name}\n{}", c.asm);
        assert!(!points(&c.binary.code).is_empty(), "{name} has no point\n{}", c.asm);
    }
}

#[test]
fn pictures_are_those_without_merge_points() {
    for (name, body, access, _) in all() {
        let [on, off] = [true, false].map(|merge| left(&drawing(body, access, merge, None).draw()));
        let differ = on.iter().zip(&off).filter(|(a, b)| a != b).count();
        assert_eq!(differ, 0, "{name}");
    }
}

/// As few registers as there can be: values that do not fit leave no merge point.
#[test]
fn few_registers() {
    let (mut with, mut without) = (0, 0);
    for (name, body, access, _) in all() {
        for max_registers in tier::first(3, [8, 16, 24, 10, 12, 20]) {
            let mut d = drawing(body, access, true, None);
            d.options.max_registers = max_registers;
            let c = compiled(&d);
            assert_eq!(wrong(&c), [], "{name}\n{}", c.asm);
            assert!(c.report.registers as usize <= max_registers);
            match merge_of(&c).none.as_deref() {
                None => with += 1,
                Some(why) if why.contains("do not fit") => without += 1,
                Some(_) => {}
            }
            let off = left(&drawing(body, access, false, None).draw());
            assert!(left(&d.draw()) == off, "{name} with {max_registers} registers\n{}", c.asm);
        }
    }
    let enough = tier::cases(3, 10);
    assert!(with > 3 * enough && without > enough, "{with} with a point, {without} where values do not fit");
}

/// Programs of random statements; those in which it matters which lanes are together are where all
/// are.
pub struct Random {
    state: u64,
    text: String,
    names: usize,
}

impl Random {
    fn next(&mut self, n: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % n
    }

    fn value(&mut self) -> String {
        let fixed = ["v.x", "v.y", "v.z", "v.w", "u.x", "u.y", "p.x", "a", "b", "c", "d", "0.5", "a", "b"];
        match self.next(3) {
            0 if self.names > 0 => format!("n{}", self.next(self.names)),
            _ => fixed[self.next(fixed.len())].into(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.value();
        }
        let (x, y) = (self.expression(depth - 1), self.expression(depth / 2));
        match self.next(9) {
            0 => format!("sin({x})"),
            1 => format!("sqrt(abs({x}) + {y})"),
            2 => format!("({x} * {y})"),
            3 => format!("({x} - {y})"),
            4 => format!("select({x}, {y}, {x} < 0.3)"),
            5 => format!("f32(memory[u32(abs({x}) * 9.0) & 255u])"),
            6 => format!("fract({x} + {y})"),
            _ => format!("({x} + {y})"),
        }
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b", "c", "d"][self.next(4)]
    }

    /// `together`: all lanes of a quad come here.
    fn statements(&mut self, count: usize, depth: usize, together: bool) {
        for _ in 0..count {
            let (x, to) = (self.expression(2), self.variable());
            let quad = ["dpdx", "dpdy", "fwidth", "dpdxFine"][self.next(4)];
            match self.next(if depth > 0 { 9 } else { 5 }) {
                0 if together => self.text += &format!("{to} = {quad}({x});\n"),
                1 if together && depth == 2 => {
                    self.text += &format!("let n{} = {quad}({x});\n", self.names);
                    self.names += 1;
                }
                2 if self.next(3) == 0 => self.text += &format!("if ({x} > 1.7) {{ discard; }}\n"),
                3 if self.next(2) == 0 => {
                    let n = 256 + 256 * self.next(8);
                    self.text += &format!("memory[own + {n}u] = bitcast<u32>({x});\n");
                }
                5 | 6 => {
                    let (names, more) = (self.names, self.next(3) + 1);
                    let uniform = self.next(3) == 0;
                    let test = if uniform { "memory[3000] == 0u".to_owned() } else { format!("{x} > 0.6") };
                    self.text += &format!("if ({test}) {{\n");
                    self.statements(more, depth - 1, together && uniform);
                    self.text += "} else {\n";
                    self.statements(more - 1, depth - 1, together && uniform);
                    self.text += "}\n";
                    self.names = names;
                }
                7 => {
                    let (names, more, turns) = (self.names, self.next(2) + 1, self.next(4) + 2);
                    let i = self.text.len();
                    self.text += &format!("for (var i{i} = 0u; i{i} < {turns}u; i{i}++) {{\n");
                    self.statements(more, depth - 1, together);
                    self.text += "}\n";
                    self.names = names;
                }
                _ => self.text += &format!("{to} = {x};\n"),
            }
        }
    }

    /// The body of a program of that seed.
    pub fn body(seed: u64) -> String {
        let mut r = Random { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), text: String::new(), names: 0 };
        r.text += "let own = u32(p.x) + 16u * u32(p.y);\na = v.x; b = u.y; c = v.z; d = 0.25;\n";
        let count = 6 + r.next(10);
        r.statements(count, 2, true);
        if seed % 2 == 1 {
            r.text += "a = sin(b) * cos(c) + sqrt(abs(d)); b = exp2(a) * v.w + log2(abs(c) + 1.0);\n";
            r.text += "c = pow(abs(a), 1.5) + pow(abs(b), 2.5); d = sin(c) * cos(b) + sqrt(abs(a));\n";
        }
        r.text
    }
}

#[test]
fn random_programs() {
    let (mut with, mut two) = (0, 0);
    let count = tier::cases(30, 120);
    for seed in 0..count {
        let body = Random::body(seed);
        let mut d = drawing(&body, "read_write", true, None);
        d.options.max_registers = [32, 32, 24, 16][seed as usize % 4];
        let c = compiled(&d);
        assert_eq!(wrong(&c), [], "seed {seed}\n{body}\n{}", c.asm);
        with += usize::from(merge_of(&c).none.is_none());
        two += usize::from(merge_of(&c).points.len() > 1);
        let off = left(&drawing(&body, "read_write", false, None).draw());
        assert!(left(&d.draw()) == off, "seed {seed}\n{body}\n{}", c.asm);
    }
    println!("{with} programs with a point, {two} with two");
    assert!(with > count as usize / 3, "{with}");
}

/// Options of public and private registers.
const OPTIONS: [(PublicRegisters, PrivateSet); 5] = [
    (PublicRegisters::Below, PrivateSet::None),
    (PublicRegisters::Above, PrivateSet::None),
    (PublicRegisters::Below, PrivateSet::Joined),
    (PublicRegisters::Bitmap, PrivateSet::Old),
    (PublicRegisters::Bitmap, PrivateSet::None),
];

/// The rules that a program for such a machine breaks.
fn wrong_of(compiled: &Compiled, (public, private): (PublicRegisters, PrivateSet)) -> Vec<Wrong> {
    let i = &compiled.binary.interface;
    let lowest = ((1_u64 << i.public_cutoff) - 1) as u32;
    let public = match public {
        PublicRegisters::Bitmap => i.public_bitmap,
        PublicRegisters::Above => lowest.reverse_bits(),
        _ => lowest,
    };
    check_of(&compiled.binary.code, public, private)
}

/// MS-35: for a machine that ends helpers at the point no instruction has to. For another machine
/// such a program would be wrong.
#[test]
fn ms_35_the_machine_ends_helpers() {
    let (mut with, mut wrong) = (0, 0);
    for (body, access) in (0..60).map(|seed| (Random::body(7000 + seed), "read_write")) {
        let mut d = drawing(&body, access, true, None);
        (d.options.merge_helpers_end, d.options.alone) = (true, 0);
        let c = compiled(&d);
        let Some(merge) = c.report.merge.as_ref().filter(|m| m.none.is_none()) else { continue };
        with += 1;
        assert_eq!(merge.ends, 0, "{body}\n{}", c.asm);
        let public = ((1_u64 << c.binary.interface.public_cutoff) - 1) as u32;
        let rules = |helpers_end| MergeRules { private: PrivateSet::Old, helpers_end };
        assert_eq!(check_of(&c.binary.code, public, rules(true)), [], "{body}\n{}", c.asm);
        wrong += usize::from(!check_of(&c.binary.code, public, rules(false)).is_empty());
    }
    assert!(with > 20 && wrong > 3, "{with} {wrong}");
}

/// MS-20, MS-22, MS-35: programs with a point for each option keep its rules, and draw the same.
#[test]
fn options_of_registers() {
    for (n, &option) in tier::first(1, OPTIONS.iter().enumerate()) {
        let (mut with, mut ends, mut upper, mut apart) = (0, 0, 0, 0);
        let random = (0..40).map(|seed| (Random::body(40 * n as u64 + seed), "read_write"));
        let listed = all().map(|(_, body, access, _)| (body.to_owned(), access));
        for (body, access) in listed.chain(random) {
            let mut d = drawing(&body, access, true, None);
            (d.options.public_registers, d.options.merge_private, d.options.alone) = (option.0, option.1, 0);
            let c = compiled(&d);
            assert_eq!(wrong_of(&c, option), [], "{option:?}\n{body}\n{}", c.asm);
            let off = left(&drawing(&body, access, false, None).draw());
            assert!(left(&d.draw()) == off, "{option:?}\n{body}\n{}", c.asm);
            let Some(merge) = c.report.merge.as_ref().filter(|m| m.none.is_none()) else { continue };
            with += 1;
            ends += usize::from(merge.ends > 0);
            let cutoff = c.report.public_cutoff;
            let half = cutoff + (32 - cutoff) / 4 * 2;
            upper += usize::from(c.report.registers > half);
            apart += usize::from(c.binary.interface.public_bitmap.wrapping_add(1).count_ones() > 1);
        }
        println!(
            "{option:?}: {with} programs with a point, {ends} end helpers, {upper} use the upper half, {apart} apart"
        );
        assert!(with > 20 && ends > 3, "{option:?}: {with} {ends}");
        assert!(option.1 != PrivateSet::Joined || upper > 10, "{option:?}: {upper}");
        assert!(option.0 != PublicRegisters::Bitmap || apart > 20, "{option:?}: {apart}");
    }
}

/// Bodies in GLSL, whose `discard` ends an invocation.
const GLSL: &[(&str, &str, usize)] = &[
    ("ends before", "if (v.x < 0.4) discard; a = sin(v.y); b = exp2(a) * v.z; c = log2(abs(b) + 1.0) * cos(a); d = sqrt(abs(c));", 0),
    ("ends behind", "a = dFdx(v.y * v.x); if (v.x < 0.4) discard; b = exp2(a) * v.z; c = log2(abs(b) + 1.0) * cos(a); d = sqrt(abs(c)) + sin(a) * cos(b); c = exp2(d) + log2(abs(d) + 2.0); b = sin(c) * cos(d) + sqrt(abs(c));", 1),
    ("ends by a derivative", "a = dFdx(v.y * v.x); if (a < 0.01) discard; b = exp2(a) * v.z; c = log2(abs(b) + 1.0) * cos(a); d = sqrt(abs(c)) + sin(a) * cos(b); c = exp2(d) + log2(abs(d) + 2.0); b = sin(c) * cos(d) + sqrt(abs(c));", 1),
    ("demoted before", "if (v.x < 0.4) demote; a = dFdx(v.y * v.x); b = exp2(a) * v.z; c = log2(abs(b) + 1.0) * cos(a); d = sqrt(abs(c)) + sin(a) + (gl_HelperInvocation ? v.y : v.w);", 1),
];

#[test]
fn glsl_programs() {
    for &(name, body, quads) in GLSL {
        let text = format!(
            "#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 v; layout(location = 1) noperspective in vec2 u;
layout(location = 0) out float a; layout(location = 1) out float b;
layout(location = 2) out float c; layout(location = 3) out float d;
void main() {{ {body} }}"
        );
        let [on, off] = [true, false].map(|merge| Drawing {
            fragment: Source::fragment(In::Glsl, "", &text),
            ..drawing("", "read", merge, None)
        });
        let c = compiled(&on);
        assert_eq!(merge_of(&c).none, None, "{name}\n{}", c.asm);
        assert_eq!(quads_before(&c), quads, "{name}\n{}", c.asm);
        assert_eq!(wrong(&c), [], "{name}\n{}", c.asm);
        assert!(left(&on.draw()) == left(&off.draw()), "{name}\n{}", c.asm);
    }
}

#[test]
fn vertex_programs_have_none() {
    let d = drawing(BODIES[0].1, "read", true, None);
    let vertex = d.compile().unwrap_or_else(|e| panic!("{e}")).vertex;
    assert!(points(&vertex.binary.code).is_empty() && vertex.report.merge.is_none());
}

#[test]
fn without_the_option_nothing_changes() {
    for (name, body, access, _) in all() {
        let c = compiled(&drawing(body, access, false, None));
        assert!(points(&c.binary.code).is_empty() && c.report.merge.is_none(), "{name}");
        assert_eq!(c.report.public_cutoff, c.report.registers);
    }
}

/// Fragment programs of the examples: file, entry.
const EXAMPLES: &[(&str, &str)] = &[
    ("depth-complexity/street", "fragment"),
    ("derivatives/derivatives", "fragment"),
    ("foliage/foliage", "fragment"),
    ("gltf/gltf", "fragment"),
    ("mesh/mesh", "fragment"),
    ("msaa/msaa", "fragment"),
    ("outline/outline", "surface"),
    ("outline/outline", "line"),
    ("particles/particles", "fragment"),
    ("teapot/teapot", "fragment"),
];

fn example(name: &str, entry: &str, options: Options) -> Compiled {
    let path = format!("{}/../../examples/{name}.wgsl", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let attributes = (0..8).map(|location| Attribute {
        location,
        format: AttributeFormat::from_name("float32x4").expect("a format"),
        slot: location,
        offset: 0,
        stride: 16,
        per_instance: false,
    });
    let text = String::from_utf8_lossy(&source).into_owned();
    let vertices: Vec<String> =
        text.split("@vertex fn ").skip(1).map(|rest| rest.split('(').next().unwrap_or_default().to_owned()).collect();
    let file = format!("{}.wgsl", name.split('/').next_back().unwrap_or_default());
    let stage = |entry| StageSource { path: &file, source: &source, entry: Some(entry) };
    let mut said = String::new();
    for vertex in &vertices {
        let request = PipelineRequest {
            vertex: stage(vertex),
            fragment: Some(stage(entry)),
            attributes: attributes.clone().collect(),
            targets: vec![TargetFormat::Rgba8Unorm],
            written: vec![],
            samples: 1,
            link: None,
            alpha_to_coverage: false,
            options: options.clone(),
        };
        match compile_pipeline(&request) {
            Ok(p) => return p.fragment.expect("a fragment program"),
            Err(e) => said = e.to_string(),
        }
    }
    panic!("{name}: {said}")
}

#[test]
fn the_examples_keep_the_rules() {
    let mut with = 0;
    for (name, entry) in EXAMPLES {
        let c = example(name, entry, Options { merge: true, ..Options::default() });
        println!("{name} {entry}\n{}", merge_of(&c));
        assert_eq!(wrong(&c), [], "{name}\n{}", c.asm);
        with += usize::from(merge_of(&c).none.is_none());
    }
    assert!(with >= 6, "{with} have a point");
}

/// The page's report is that of today's compiler.
#[test]
fn the_page_shows_a_real_report() {
    let page = std::fs::read_to_string(format!("{}/../../docs/merge-compiler.md", env!("CARGO_MANIFEST_DIR")));
    let page = page.expect("docs/merge-compiler.md");
    for (name, entry) in [("derivatives/derivatives", "fragment"), ("outline/outline", "line")] {
        let c = example(name, entry, Options { merge: true, ..Options::default() });
        let said = merge_of(&c).to_string();
        assert!(page.contains(&said), "{name}:\n{said}");
    }
}

/// The rules that the checker finds broken with a fault.
fn broken(fault: CompilerFault) -> Vec<Rule> {
    let all = all().map(|(_, body, access, _)| compiled(&drawing(body, access, true, Some(fault))));
    all.flat_map(|c| wrong(&c)).map(|w| w.rule).collect()
}

#[test]
fn the_checker_finds_a_private_value_across_the_point() {
    assert!(broken(CompilerFault::MergePrivateLive).contains(&Rule::Gone));
}

#[test]
fn the_checker_finds_a_public_operand_of_helpers() {
    let rules = broken(CompilerFault::MergePublicHelper);
    assert!([Rule::StrayOperand, Rule::StrayBranch, Rule::StrayAddress].iter().all(|r| rules.contains(r)), "{rules:?}");
}

#[test]
fn the_checker_finds_a_point_before_a_derivative() {
    assert!(broken(CompilerFault::MergeTooEarly).contains(&Rule::LateQuad));
}

/// The same on a machine with those registers.
fn broken_of(option: (PublicRegisters, PrivateSet), fault: CompilerFault) -> Vec<Rule> {
    let of = |body: &str, access: &str| {
        let mut d = drawing(body, access, true, Some(fault));
        (d.options.public_registers, d.options.merge_private) = option;
        wrong_of(&compiled(&d), option)
    };
    all().flat_map(|(_, body, access, _)| of(body, access)).map(|w| w.rule).collect()
}

#[test]
fn the_checker_finds_wrong_registers_of_each_option() {
    let none = broken_of((PublicRegisters::Below, PrivateSet::None), CompilerFault::MergeNoPrivate);
    assert!(none.contains(&Rule::NoPrivate), "{none:?}");
    let joined = broken_of((PublicRegisters::Below, PrivateSet::Joined), CompilerFault::MergeBeyond);
    assert!(joined.contains(&Rule::Beyond), "{joined:?}");
    let bitmap = broken_of((PublicRegisters::Bitmap, PrivateSet::Old), CompilerFault::MergeBitmap);
    assert!([Rule::Gone, Rule::StrayOperand].iter().all(|r| bitmap.contains(r)), "{bitmap:?}");
}

#[test]
fn the_checker_finds_a_point_in_a_loop() {
    assert!(broken(CompilerFault::MergeInLoop).contains(&Rule::Loop));
}
