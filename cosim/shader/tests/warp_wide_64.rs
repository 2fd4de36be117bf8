//! Warp-wide atomics on 64 bits, which the languages have no type for: a pair of words. Compiled
//! from WGSL and from GLSL and run on the golden model for every set of active lanes, with and
//! without the machine's warp-wide instructions, with many registers and with few. What is expected
//! is computed here with 64-bit numbers.

use crate::common::{compiled, run};
use quadlock_isa::{decode, Op};
use quadlock_shader::{Compiled, Options};

/// One call on a word of its own: `warpAtomic` and the rest of its name, the word before, the
/// operand of lane 0 (the low word of lane i is i more), what a compare-and-exchange expects, the
/// word afterwards, and the instructions with and without warp-wide ones.
struct Case {
    name: &'static str,
    start: u64,
    operand: u64,
    expected: Option<u64>,
    after: fn(u64, u64) -> u64,
    ops: [Op; 2],
}

fn case(name: &'static str, start: u64, operand: u64, after: fn(u64, u64) -> u64, ops: [Op; 2]) -> Case {
    Case { name, start, operand, expected: None, after, ops }
}

fn cases() -> Vec<Case> {
    use Op::*;
    let min_i = |x: u64, y: u64| (x as i64).min(y as i64) as u64;
    let max_i = |x: u64, y: u64| (x as i64).max(y as i64) as u64;
    let (add, sub) = ([WAAdd64, AAdd64], [WASub64, ASub64]);
    let (umin, smin) = ([WAUMin64, AUMin64], [WASMin64, ASMin64]);
    let (umax, smax) = ([WAUMax64, AUMax64], [WASMax64, ASMax64]);
    let (negative, small) = (0x8000_0000_0000_0003, 0x7FFF_FFFF_0000_0001);
    let mut cases = vec![
        // From the low word to the high one and out of it.
        case("Add64", 0x0000_0001_FFFF_FFFF, 1, u64::wrapping_add, add),
        case("Add64", 0xFFFF_FFFF_FFFF_FFF0, 0x0000_0000_0000_0040, u64::wrapping_add, add),
        case("Add64", 0x0000_0002_8000_0000, 0x0000_0003_8000_0000, u64::wrapping_add, add),
        case("Sub64", 0x0000_0005_0000_0000, 0x0000_0002_0000_0001, u64::wrapping_sub, sub),
        case("Sub64", 0, 1, u64::wrapping_sub, sub),
        case("And64", 0xF0F0_F0F0_1234_5678, 0xFF00_FF00_FFFF_0000, |x, y| x & y, [WAAnd64, AAnd64]),
        case("Or64", 0xF0F0_F0F0_1234_5678, 0x0F00_0000_8000_0000, |x, y| x | y, [WAOr64, AOr64]),
        case("Xor64", 0xF0F0_F0F0_1234_5678, 0xFFFF_0000_FFFF_0000, |x, y| x ^ y, [WAXor64, AXor64]),
        // The sign decides, or is a bit like others.
        case("MinU64", negative, small, u64::min, umin),
        case("MinI64", negative, small, min_i, smin),
        case("MaxU64", negative, small, u64::max, umax),
        case("MaxI64", negative, small, max_i, smax),
        // The high words are equal, the low ones have their upper bit set or not.
        case("MinU64", 0x0000_0007_8000_0000, 0x0000_0007_7FFF_FFF0, u64::min, umin),
        case("MinI64", 0xFFFF_FFFF_8000_0000, 0xFFFF_FFFF_7FFF_FFF0, min_i, smin),
        case("MaxU64", 0x0000_0007_7FFF_0000, 0x0000_0007_8000_0000, u64::max, umax),
        case("MaxI64", 0xFFFF_FFFF_7FFF_0000, 0xFFFF_FFFF_8000_0000, max_i, smax),
        case("Exchange64", 0x1111_2222_3333_4444, 0x5555_6666_7777_8888, |_, y| y, [WAXchg64, AXchg64]),
    ];
    // Equal; the high word differs; the low word differs.
    let before = 0x1111_2222_3333_4444;
    for expected in [before, before ^ 1 << 40, before ^ 1] {
        let after: fn(u64, u64) -> u64 = if expected == before { |_, y| y } else { |x, _| x };
        let cas = case("CompareExchange64", before, 0xAAAA_BBBB_CCCC_DD00, after, [WACas64, ACas64]);
        cases.push(Case { expected: Some(expected), ..cas });
    }
    cases
}

fn pair(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// The instruction on work-group memory instead of a buffer.
fn in_shared(op: Op) -> Op {
    Op::from_name(&op.name().replace("ATOM64", "ATOMS64")).unwrap()
}

/// The calls on words of the buffer, or on copies in work-group memory that one lane makes before
/// and writes back afterwards.
fn source(cases: &[Case], glsl: bool, shared: bool) -> String {
    let (ty, object) = if glsl { ("uvec2", "") } else { ("vec2<u32>", "b.") };
    let mut body = String::new();
    for (k, c) in cases.iter().enumerate() {
        let [low, high] = pair(c.operand);
        let expected = c.expected.map(pair).map_or(String::new(), |[l, h]| format!(", {ty}({l}u, {h}u)"));
        let (at, pointer) =
            (if shared { format!("w[{k}]") } else { format!("{object}c[{k}]") }, if glsl { "" } else { "&" });
        body += &format!(
            "    {object}o[{}u + i] = warpAtomic{}({pointer}{at}{expected}, {ty}({low}u + i, {high}u));\n",
            4 * k,
            c.name
        );
    }
    let n = cases.len();
    let copy = |to: &str, from: &str| {
        let index = if glsl { "uint k = 0u" } else { "var k = 0u" };
        let one = format!("if (i == 0u) {{ for ({index}; k < {n}u; k++) {{ {to}[k] = {from}[k]; }} }}");
        if shared {
            one
        } else {
            String::new()
        }
    };
    let (before, after) = (copy("w", &format!("{object}c")), copy(&format!("{object}c"), "w"));
    let barrier = match (shared, glsl) {
        (false, _) => "",
        (true, true) => "barrier();",
        (true, false) => "workgroupBarrier();",
    };
    let body = format!("  {before} {barrier}\n  if (((MASK >> i) & 1u) != 0u) {{\n{body}  }}\n  {barrier} {after}");
    if glsl {
        let body = body.replace("MASK", "mask");
        return format!(
            "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer B {{ uint mask; uvec2 c[{n}]; uvec2 o[]; }};
shared uvec2 w[{n}];
void main() {{ uint i = gl_LocalInvocationIndex;
{body}
}}"
        );
    }
    let body = body.replace("MASK", "b.mask");
    format!(
        "struct B {{ mask: u32, c: array<vec2<u32>, {n}>, o: array<vec2<u32>> }}
@group(0) @binding(0) var<storage, read_write> b: B;
var<workgroup> w: array<vec2<u32>, {n}>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{
{body}
}}"
    )
}

fn atomics(c: &Compiled) -> Vec<Op> {
    c.binary.code.iter().map(|&w| decode(w).unwrap().op).filter(|o| o.is_atomic()).collect()
}

fn check(c: &Compiled, cases: &[Case]) {
    let n = cases.len();
    for mask in 0..16u32 {
        let mut words = vec![0; 2 + 2 * n + 8 * n];
        words[0] = mask;
        for (k, case) in cases.iter().enumerate() {
            words[2 + 2 * k..4 + 2 * k].copy_from_slice(&pair(case.start));
        }
        let out = run(c, [1; 3], &[(0, words)]);
        let double = |at: usize| u64::from(out.buffer(0)[at + 1]) << 32 | u64::from(out.buffer(0)[at]);
        let first = u64::from(mask.trailing_zeros());
        for (k, case) in cases.iter().enumerate() {
            let after = if mask == 0 { case.start } else { (case.after)(case.start, case.operand + first) };
            let place = format!("{} case {k} mask {mask:#06b}\n{}", case.name, c.asm);
            assert_eq!(double(2 + 2 * k), after, "word afterwards: {place}");
            for lane in 0..4usize {
                let old = if mask >> lane & 1 != 0 { case.start } else { 0 };
                assert_eq!(double(2 + 2 * n + 8 * k + 2 * lane), old, "old word in lane {lane}: {place}");
            }
        }
    }
}

#[test]
fn every_operation_is_done_once_on_both_words() {
    let cases = cases();
    // WW-26: on work-group memory as on a buffer.
    for (glsl, shared) in [(false, false), (false, true), (true, false), (true, true)] {
        let path = if glsl { "a.comp" } else { "a.wgsl" };
        for warp_wide in [true, false] {
            for max_registers in [32, 8] {
                let options = Options { warp_wide, max_registers, ..Options::default() };
                let c = compiled(path, &source(&cases, glsl, shared), options);
                let mut expected: Vec<Op> = cases.iter().map(|c| c.ops[usize::from(!warp_wide)]).collect();
                if shared {
                    expected.iter_mut().for_each(|op| *op = in_shared(*op));
                }
                assert_eq!(atomics(&c), expected, "{}", c.asm);
                check(&c, &cases);
            }
        }
    }
}

/// A pointer with a name, an index that is known at run time only, a result that nobody reads, and
/// one call in another's operand.
#[test]
fn places_and_results_of_every_kind() {
    let source = "struct B { n: u32, c: array<vec2<u32>, 4> }
@group(0) @binding(0) var<storage, read_write> b: B;
fn twice(v: vec2<u32>) -> vec2<u32> { return warpAtomicAdd64(&b.c[3], v + v); }
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let p = &b.c[b.n];
    warpAtomicAdd64(p, vec2(0xFFFFFFFFu, 0u));
    warpAtomicExchange64(&b.c[0], warpAtomicOr64(&b.c[b.n + 1u], twice(vec2(i + 3u, 1u))));
}";
    for warp_wide in [true, false] {
        let c = compiled("a.wgsl", source, Options { warp_wide, ..Options::default() });
        let out = run(&c, [1; 3], &[(0, vec![1, 0, 0, 0, 5, 0, 0x10, 0x20, 9, 8])]);
        // Element 1: 5 + 0xFFFFFFFF; element 3 was (9, 8), which is or'ed into element 2, whose old
        // word goes to element 0.
        assert_eq!(out.buffer(0), [1, 0, 0x10, 0x20, 4, 1, 0x10 | 9, 0x20 | 8, 9 + 6, 8 + 2], "{}", c.asm);
    }
}

#[test]
fn the_report_says_what_was_done() {
    let source = "@group(0) @binding(0) var<storage, read_write> b: array<vec2<u32>>;
@compute @workgroup_size(4) fn main() {
    warpAtomicMaxI64(&b[1], vec2(1u, 2u));
}";
    let note = |warp_wide| {
        let c = compiled("a.wgsl", source, Options { warp_wide, ..Options::default() });
        assert_eq!(c.report.atomics.len(), 1);
        c.report.atomics[0].clone()
    };
    assert_eq!(note(true), ("a.wgsl:3:5".to_string(), "warp-wide: max of 64 bits, as written".to_string()));
    assert_eq!(note(false).1, "once, by the lowest lane: no warp-wide instructions");
}
