//! Warp-wide atomics by name, and subgroup operations: what each becomes in WGSL and GLSL, what is
//! refused and where.

use super::*;
use crate::interface::Stage;

const GLSL: Lang = Lang::Glsl(Stage::Compute);

fn ir(source: &str, lang: Lang, warp_wide: bool) -> String {
    compile_with(source, lang, &Options { warp_wide, ..Options::default() }).module.to_string()
}

fn wgsl(body: &str) -> String {
    format!(
        "struct B {{ u: atomic<u32>, s: atomic<i32>, t: array<atomic<u32>, 4>, o: array<u32> }}
@group(0) @binding(0) var<storage, read_write> b: B;
var<workgroup> w: atomic<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{
{body}
}}"
    )
}

fn glsl(body: &str) -> String {
    format!(
        "#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 4) in; layout(std430, binding = 0) buffer B {{ uint u; int s; uint t[4]; uint o[]; }};
shared uint w;
void main() {{ uint i = gl_LocalInvocationIndex;
{body}
}}"
    )
}

#[test]
fn every_atomic_is_known_by_name_in_wgsl_and_glsl() {
    let cases = [
        ("warpAtomicAdd(b.u, 1u)", "add"),
        ("warpAtomicSub(b.t[i], i)", "sub"),
        ("warpAtomicAnd(b.u, 1u)", "and"),
        ("warpAtomicOr(b.u, 1u)", "or"),
        ("warpAtomicXor(b.u, 1u)", "xor"),
        ("warpAtomicMin(b.u, 1u)", "umin"),
        ("warpAtomicMin(b.s, -1)", "smin"),
        ("warpAtomicMax(b.u, 1u)", "umax"),
        ("warpAtomicMax(b.s, 1)", "smax"),
        ("warpAtomicExchange(b.u, i)", "xchg"),
        ("warpAtomicCompareExchange(b.u, i, i + 1u)", "cas"),
        ("warpLock(b.u)", "lock"),
        ("warpUnlock(b.t[2])", "lock"),
    ];
    for (call, op) in cases {
        let to_u32 = |call: String| if call.contains(".s,") { format!("u32({call})") } else { call };
        let w = wgsl(&format!("b.o[i] = {};", to_u32(call.replacen("(b", "(&b", 1))));
        let g = glsl(&format!("o[i] = uint({});", call.replacen("b.", "", 1)));
        for (source, lang) in [(w, Lang::Wgsl), (g, GLSL)] {
            let text = ir(&source, lang, true);
            assert_eq!(text.matches("atomic.").count(), 1, "{call}\n{text}");
            assert!(text.contains(&format!("warpatomic.global.{op} [")), "{call}\n{text}");
            let off = ir(&source, lang, false);
            let op = if op == "lock" { "cas" } else { op };
            assert!(off.contains(&format!(" atomic.global.{op} [")) && !off.contains("warpatomic"), "{call}\n{off}");
            assert!(off.contains("wredumin") && off.contains("qshuf"), "{call}\n{off}");
        }
    }
}

/// The same forms on work-group memory as on buffers (WW-26).
#[test]
fn ww26_every_atomic_is_known_on_work_group_memory() {
    let mut calls: Vec<(String, &str)> =
        ["Add", "Sub", "And", "Or", "Xor"].map(|f| (format!("warpAtomic{f}(w, i)"), "")).into();
    calls.extend([("warpAtomicMin(w, 1u)", "umin"), ("warpAtomicMax(w, 1u)", "umax")].map(|(c, op)| (c.into(), op)));
    calls.extend(
        [("warpAtomicExchange(w, i)", "xchg"), ("warpAtomicCompareExchange(w, i, 2u)", "cas")]
            .map(|(c, op)| (c.into(), op)),
    );
    calls.extend([("warpLock(w)", "lock"), ("warpUnlock(w)", "lock")].map(|(c, op)| (c.into(), op)));
    for (call, op) in calls {
        let w = wgsl(&format!("b.o[i] = {};", call.replacen("(w", "(&w", 1)));
        let g = glsl(&format!("o[i] = {call};"));
        for (source, lang) in [(w, Lang::Wgsl), (g, GLSL)] {
            let text = ir(&source, lang, true);
            assert!(text.contains(&format!("warpatomic.shared.{op}")), "{call}\n{text}");
            let off = ir(&source, lang, false);
            assert!(off.contains(" atomic.shared.") && !off.contains("warpatomic"), "{call}\n{off}");
        }
    }
}

#[test]
fn an_atomic_of_each_lane_beside_one_of_the_warp_stays() {
    let text = ir(&wgsl("atomicAdd(&b.u, warpAtomicAdd(&b.u, 1u)); /* warpLock(&b.u) */"), Lang::Wgsl, true);
    assert_eq!((text.matches("warpatomic").count(), text.matches("atomic").count()), (1, 2), "{text}");
}

#[test]
fn wrong_uses_are_refused_with_their_place() {
    let cases = [
        (wgsl("_ = warpAtomicAdd(&b.u, 1.5f);"), Lang::Wgsl, "t.wgsl:5:", ""),
        (wgsl("_ = warpLock(&b.s);"), Lang::Wgsl, "t.wgsl:5:", ""),
        (wgsl("_ = warpAtomicAdd(&b.o[0], 1u);"), Lang::Wgsl, "t.wgsl:5:", ""),
        (wgsl("_ = warpLock(&b.u); let y = nowhere;"), Lang::Wgsl, "t.wgsl:5:29:", "nowhere"),
        (glsl("uint x = 0; warpLock(x);"), GLSL, "t.wgsl:10:", "neither in a storage buffer"),
        (glsl("warpLock(s);"), GLSL, "t.wgsl: ", "warpLock"),
    ];
    let mut wrong = String::new();
    for (source, lang, place, what) in cases {
        let message = &refused(&source, lang)[0];
        if !message.starts_with(place) || !message.contains(what) {
            wrong += &format!("{source}\n{message}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

const PAIRS_WGSL: &str = "struct B { u: vec2<u32>, s: vec2<i32>, w: u32 }
@group(0) @binding(0) var<storage, read_write> b: B;
@group(0) @binding(1) var<storage, read> r: vec2<u32>;
@group(0) @binding(2) var<uniform> c: vec2<u32>;
var<workgroup> w: vec2<u32>;
@compute @workgroup_size(4) fn main() { var x = vec2<u32>();
BODY
}";

const PAIRS_GLSL: &str = "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer B { uvec2 u; ivec2 s; uint v; uvec4 q; };
layout(std430, binding = 1) readonly buffer R { uvec2 r; };
shared uvec2 w;
void main() { uvec2 x = uvec2(0);
BODY
}";

#[test]
fn wrong_uses_of_64_bits_are_refused_with_their_place() {
    let wgsl = [
        ("warpAtomicMinU64(&x, x);", "t.wgsl:7:1:", "warpAtomicMinU64 is on a vec2<u32> in a storage buffer"),
        ("warpAtomicMinU64(&r, x);", "t.wgsl:7:1:", "that may be written"),
        ("warpAtomicMinI64(&c, x);", "t.wgsl:7:1:", "storage buffer"),
        ("warpAtomicAdd64(&b.s, x);", "t.wgsl:7:", "vec2<u32>"),
        ("warpAtomicAdd64(&b.w, x);", "t.wgsl:7:", "vec2<u32>"),
        ("warpAtomicAdd64(&b.u, 1u);", "t.wgsl:7:23:", "vec2<u32>"),
        ("warpAtomicAdd64(&b.u);", "t.wgsl:7:", ""),
        ("warpAtomicAdd64(b.u, x);", "t.wgsl:7:17:", "pointer"),
        ("warpAtomicCompareExchange64(&b.u, x);", "t.wgsl:7:", "what is expected"),
        ("warpAtomicAdd64();", "t.wgsl:7:", ""),
        ("warpAtomicAdd64(&b.u, x); let y = nowhere;", "t.wgsl:7:35:", "nowhere"),
    ];
    let glsl = [
        ("warpAtomicAdd64(x, x);", "t.wgsl:7:", "neither in a storage buffer"),
        ("warpAtomicAdd64(r, x);", "t.wgsl:7:", "may be written"),
        ("warpAtomicAdd64(s, ivec2(1));", "t.wgsl: ", "warpAtomic"),
        ("warpAtomicAdd64(v, 1u);", "t.wgsl:7:", ""),
        ("warpAtomicAdd64(q.xy, x);", "t.wgsl:7:", ""),
    ];
    let cases = wgsl.iter().map(|c| (PAIRS_WGSL, Lang::Wgsl, c)).chain(glsl.iter().map(|c| (PAIRS_GLSL, GLSL, c)));
    let mut wrong = String::new();
    for (head, lang, (body, place, what)) in cases {
        let message = &refused(&head.replace("BODY", body), lang)[0];
        if !message.starts_with(place) || !message.contains(what) {
            wrong += &format!("{body}\n{message}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A function of the source by such a name is another one, and its name in a comment is none.
#[test]
fn calls_by_the_names_of_64_bit_atomics_are_the_compilers() {
    let body =
        "warpAtomicAdd64(&b.u, x); } fn warpAtomicAdd64(x: u32) -> u32 { return x; /* warpAtomicAdd64(&b.u, x) */";
    let text = ir(&PAIRS_WGSL.replace("BODY", body), Lang::Wgsl, true);
    assert_eq!(text.matches("warpatomic.global.add.64 [").count(), 1, "{text}");
}

/// Lane 2 has left; the vote, the reductions and the scans are those of the others. The last column
/// is by whom each lane was elected.
#[test]
fn subgroup_operations_count_the_lanes_that_are_there() {
    let source = wgsl(
        "if i == 2u { return; }
         let v = i + 1u;
         b.o[i] = subgroupAdd(v) | subgroupExclusiveAdd(v) << 8u | subgroupInclusiveAdd(v) << 16u | subgroupMul(v) << 24u;
         b.o[4u + i] = subgroupBallot(i != 1u).x | subgroupBroadcastFirst(i + 7u) << 8u | subgroupShuffleXor(v, 1u) * u32(i < 2u) << 16u | u32(subgroupElect()) << 24u;
         b.o[8u + i] = bitcast<u32>(subgroupAdd(f32(i) + 0.5f));
         b.o[12u + i] = bitcast<u32>(subgroupExclusiveMul(f32(v)));
         b.o[16u + i] = u32(subgroupAll(v > 1u)) | u32(subgroupAny(v > 3u)) << 1u | subgroupMax(v) << 8u | bitcast<u32>(subgroupMin(-i32(v))) << 16u;",
    );
    let run = Run::wgsl(&source).zeros(26).go();
    let o = &run.buffer(0)[6..];
    let f = f32::to_bits;
    let row = |r: [u32; 3]| [r[0], r[1], 0, r[2]];
    assert_eq!(o[..4], row([0x0801_0007, 0x0803_0107, 0x0807_0307]));
    assert_eq!(o[4..8], row([0x0102_0709, 0x0001_0709, 0x0000_0709]));
    assert_eq!(o[8..12], row([f(5.5); 3]));
    assert_eq!(o[12..16], row([f(1.0), f(1.0), f(2.0)]));
    assert_eq!(o[16..20], row([0xFFFC_0402; 3]));
}

#[test]
fn glsl_has_the_same_by_its_own_names() {
    let source = glsl(
        "if (i == 2u) return;
         uint v = i + 1u;
         o[i] = subgroupAdd(v) | subgroupExclusiveAdd(v) << 8 | subgroupInclusiveMax(v) << 16 | subgroupMul(v) << 24;
         o[4u + i] = subgroupBallot(i != 1u).x | uint(subgroupElect()) << 8 | uint(subgroupAllEqual(ivec2(3, 4))) << 9 | uint(subgroupAllEqual(float(i))) << 10
             | subgroupBallotBitCount(subgroupBallot(true)) << 16 | subgroupBallotFindMSB(subgroupBallot(i < 2u)) << 24;
         o[8u + i] = floatBitsToUint(subgroupMin(vec2(v, -float(v))).y);
         o[12u + i] = gl_SubgroupSize | gl_SubgroupInvocationID << 8 | gl_SubgroupLtMask.x << 16 | gl_NumSubgroups << 24;
         if (i < 2u) { o[16u + i] = subgroupQuadSwapHorizontal(v) + subgroupBroadcast(v, 1) * 16 + uint(subgroupInverseBallot(uvec4(2))) * 256; }
         subgroupBarrier();",
    );
    let run = Run::glsl(&source).zeros(26).go();
    let o = &run.buffer(0)[6..];
    let row = |r: [u32; 3]| [r[0], r[1], 0, r[2]];
    assert_eq!(o[..4], row([0x0801_0007, 0x0802_0107, 0x0804_0307]));
    assert_eq!(o[4..8], row([0x0103_0309, 0x0103_0209, 0x0103_0209]));
    assert_eq!(o[8..12], row([f32::to_bits(-4.0); 3]));
    assert_eq!(o[12..16], row([0x0100_0004, 0x0101_0104, 0x0107_0304]));
    assert_eq!(o[16..18], [2 + 32, 1 + 32 + 256]);
}

/// Lanes 0 and 1, and 2 and 3, or alone if the other is not there; and all.
#[test]
fn clusters_of_one_two_and_four() {
    let source = glsl(
        "if (((u >> i) & 1u) == 0u) return;
         uint v = i + 1u;
         o[i] = subgroupClusteredAdd(v, 1) | subgroupClusteredAdd(v, 2) << 8 | subgroupClusteredAdd(v, 4u) << 16 | subgroupClusteredMul(v, 2) << 24;
         o[4u + i] = uint(subgroupClusteredMin(-int(v), 2));
         o[8u + i] = floatBitsToUint(subgroupClusteredAdd(vec2(v, 0.5), 2).y + subgroupClusteredMax(float(v), 2u));
         o[12u + i] = subgroupClusteredAnd(v, 2) | subgroupClusteredOr(v, 2) << 8 | subgroupClusteredXor(v, 2) << 16
             | uint(subgroupClusteredOr(i == 1u, 2)) << 24 | uint(subgroupClusteredAnd(bvec2(true, i != 1u), 2).y) << 25;
         o[16u + i] = subgroupClusteredMax(v, 8);",
    );
    for mask in 1..16u32 {
        let mut words = vec![0; 26];
        words[0] = mask;
        let run = Run::glsl(&source).words(&words).go();
        let active = |l: &u32| mask >> l & 1 != 0;
        let all: Vec<u32> = (0..4).filter(active).map(|l| l + 1).collect();
        for lane in (0..4).filter(active) {
            let pair: Vec<u32> = [lane & 2, lane | 1].into_iter().filter(active).map(|l| l + 1).collect();
            let fold = |f: fn(u32, u32) -> u32| pair.iter().copied().reduce(f).unwrap();
            let (sum, most) = (fold(|a, b| a + b), fold(u32::max));
            let bits = fold(|a, b| a & b) | fold(|a, b| a | b) << 8 | fold(|a, b| a ^ b) << 16;
            let one = u32::from(pair.contains(&2));
            let expected = [
                (lane + 1) | (sum << 8) | (all.iter().sum::<u32>() << 16) | (fold(|a, b| a * b) << 24),
                most.wrapping_neg(),
                (0.5 * pair.len() as f32 + most as f32).to_bits(),
                bits | one << 24 | (1 - one) << 25,
                all.iter().copied().max().unwrap(),
            ];
            let got: Vec<u32> = (0..5).map(|row| run.buffer(0)[6 + 4 * row + lane as usize]).collect();
            assert_eq!(got, expected, "lane {lane} of {mask:#06b}");
        }
    }
    for (size, place) in [("i", "t.wgsl:11:"), ("3", "t.wgsl:11:"), ("0u", "t.wgsl:11:")] {
        let message = &refused(&glsl(&format!("\no[i] = subgroupClusteredAdd(i, {size});")), GLSL)[0];
        assert!(message.starts_with(place) && message.contains("cluster"), "{message}");
    }
}

/// Minus zero and NaN survive, and nobody's identity shows.
#[test]
fn float_sums_begin_with_the_first_lane() {
    let source = wgsl(
        "b.o[i] = bitcast<u32>(subgroupAdd(-0.0f * f32(i + 1u)));
         b.o[4u + i] = bitcast<u32>(subgroupExclusiveAdd(1.0f));
         b.o[8u + i] = bitcast<u32>(subgroupAdd(bitcast<f32>(b.o[12u + i])));",
    );
    let inputs = [1e8f32, 1.0, -1e8, 1.0];
    let mut words = vec![0; 22];
    inputs.iter().enumerate().for_each(|(i, x)| words[6 + 12 + i] = x.to_bits());
    let run = Run::wgsl(&source).words(&words).go();
    let o = &run.buffer(0)[6..];
    assert_eq!(o[..4], [f32::to_bits(-0.0); 4]);
    assert_eq!(o[4..8], [0.0f32, 1.0, 2.0, 3.0].map(f32::to_bits));
    assert_eq!(o[8..12], [(((1e8f32 + 1.0) + -1e8) + 1.0).to_bits(); 4]);
}
