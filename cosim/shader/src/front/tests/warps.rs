//! Warp-wide atomics by name, and subgroup operations: what each becomes in WGSL and GLSL, what is refused and where.

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
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer B {{ uint u; int s; uint t[4]; uint o[]; }};
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

#[test]
fn an_atomic_of_each_lane_beside_one_of_the_warp_stays() {
    let text = ir(&wgsl("atomicAdd(&b.u, warpAtomicAdd(&b.u, 1u)); /* warpLock(&b.u) */"), Lang::Wgsl, true);
    assert_eq!((text.matches("warpatomic").count(), text.matches("atomic").count()), (1, 2), "{text}");
}

#[test]
fn wrong_uses_are_refused_with_their_place() {
    let cases = [
        (wgsl("\nlet x = warpAtomicAdd(&w, 1u);"), Lang::Wgsl, "t.wgsl:6:9:", "storage buffer"),
        (wgsl("_ = warpAtomicAdd(&b.u, 1.5f);"), Lang::Wgsl, "t.wgsl:5:", ""),
        (wgsl("_ = warpLock(&b.s);"), Lang::Wgsl, "t.wgsl:5:", ""),
        (wgsl("_ = warpAtomicAdd(&b.o[0], 1u);"), Lang::Wgsl, "t.wgsl:5:", ""),
        (wgsl("_ = warpLock(&b.u); let y = nowhere;"), Lang::Wgsl, "t.wgsl:5:29:", "nowhere"),
        (glsl("\no[i] = warpAtomicAdd(w, 1u);"), GLSL, "t.wgsl:8:", "storage buffer"),
        (glsl("uint x = 0; warpLock(x);"), GLSL, "t.wgsl:7:", "not in a buffer"),
        (glsl("warpLock(s);"), GLSL, "t.wgsl:7:", ""),
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

/// Lane 2 has left; the vote, the reductions and the scans are those of the others. The last column is by whom each lane was elected.
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
