//! Warp-wide atomics, locks and subgroup operations, compiled and run on the golden model: for
//! every set of active lanes, with and without the machine's warp-wide instructions, and with each
//! pass of the compiler left out. What is expected is computed here lane by lane.

use crate::common::{compiled, run};
use quadlock_isa::{decode, Op};
use quadlock_shader::{Compiled, Options};

const HEAD: &str =
    "struct B { mask: u32, count: atomic<u32>, word: atomic<u32>, lock: atomic<u32>, low: atomic<i32>, o: array<u32> }
@group(0) @binding(0) var<storage, read_write> b: B;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    if (((b.mask >> i) & 1u) != 0u) {
BODY
    }
    b.o[60u + i] = 7u;
}";

/// Words of the buffer before `o`.
const FIRST: usize = 5;

fn program(body: &str, options: Options) -> Compiled {
    compiled("a.wgsl", &HEAD.replace("BODY", body), options)
}

fn ops(c: &Compiled) -> Vec<Op> {
    c.binary.code.iter().map(|&w| decode(w).unwrap().op).collect()
}

/// The buffer after a run with the lanes of `mask`.
fn after(c: &Compiled, mask: u32, start: [u32; 4]) -> Vec<u32> {
    let mut words = vec![0; FIRST + 64];
    words[0] = mask;
    words[1..FIRST].copy_from_slice(&start);
    let out = run(c, [1; 3], &[(0, words)]);
    let out = out.buffer(0).to_vec();
    assert_eq!(out[FIRST + 60..], [7; 4], "all lanes go on");
    out
}

fn lanes(mask: u32) -> Vec<u32> {
    (0..4).filter(|l| mask >> l & 1 != 0).collect()
}

const ATOMICS: &str = "
    b.o[i] = warpAtomicAdd(&b.count, i + 3u);
    b.o[4u + i] = warpAtomicCompareExchange(&b.word, 5u, 50u + i);
    b.o[8u + i] = warpLock(&b.lock);
    b.o[12u + i] = warpLock(&b.lock);
    b.o[16u + i] = warpUnlock(&b.lock);
    b.o[20u + i] = warpUnlock(&b.lock);
    b.o[24u + i] = bitcast<u32>(warpAtomicMin(&b.low, -2 - i32(i)));
    b.o[28u + i] = warpAtomicExchange(&b.word, 9u);
    warpAtomicSub(&b.count, 1u);";

#[test]
fn atomics_are_done_once_for_any_lanes_with_and_without_the_instructions() {
    for warp_wide in [true, false] {
        let c = program(ATOMICS, Options { warp_wide, ..Options::default() });
        let wide = ops(&c).iter().filter(|o| o.is_warp_wide()).count();
        assert_eq!(wide, if warp_wide { 9 } else { 0 }, "{}", c.asm);
        let each = ops(&c).iter().filter(|o| o.is_atomic()).count();
        assert_eq!(each, 9, "{}", c.asm);
        for mask in 0..16 {
            let out = after(&c, mask, [100, 5, 0, 0]);
            let active = lanes(mask);
            let Some(&first) = active.first() else {
                assert_eq!(out[1..FIRST], [100, 5, 0, 0]);
                continue;
            };
            let low = (-2 - first as i32) as u32;
            assert_eq!(out[1..FIRST], [100 + first + 3 - 1, 9, 0, low], "mask {mask:#06b}, {warp_wide}");
            let expected = [100, 5, 1, 0, 1, 0, 0, 50 + first];
            for (row, value) in expected.into_iter().enumerate() {
                for lane in 0..4 {
                    let want = if active.contains(&lane) { value } else { 0 };
                    let got = out[FIRST + row * 4 + lane as usize];
                    assert_eq!(got, want, "row {row} lane {lane} mask {mask:#06b}, {warp_wide}\n{}", c.asm);
                }
            }
        }
    }
}

/// The same program on work-group memory, in WGSL and GLSL: the same results and end state (WW-26),
/// with the instructions and without.
#[test]
fn ww26_the_same_on_work_group_memory() {
    let wgsl = "struct B { mask: u32, count: u32, word: u32, lock: u32, low: i32, o: array<u32> }
@group(0) @binding(0) var<storage, read_write> b: B;
struct W { pad: u32, count: atomic<u32>, word: atomic<u32>, lock: atomic<u32>, low: atomic<i32> }
var<workgroup> w: W;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    if (i == 0u) { atomicStore(&w.count, b.count); atomicStore(&w.word, b.word); atomicStore(&w.lock, b.lock); atomicStore(&w.low, b.low); }
    workgroupBarrier();
    if (((b.mask >> i) & 1u) != 0u) {
BODY
    }
    b.o[60u + i] = 7u;
    workgroupBarrier();
    if (i == 0u) { b.count = atomicLoad(&w.count); b.word = atomicLoad(&w.word); b.lock = atomicLoad(&w.lock); b.low = atomicLoad(&w.low); }
}"
    .replace("BODY", &ATOMICS.replace("&b.", "&w."));
    let glsl = "#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer B { uint mask; uint count; uint word; uint lock; int low; uint o[]; };
shared uint pad, wcount, wword, wlock; shared int wlow;
void main() { uint i = gl_LocalInvocationIndex;
    if (i == 0u) { wcount = count; wword = word; wlock = lock; wlow = low; }
    barrier();
    if (((mask >> i) & 1u) != 0u) {
BODY
    }
    o[60u + i] = 7u;
    barrier();
    if (i == 0u) { count = wcount; word = wword; lock = wlock; low = wlow; }
}"
    .replace(
        "BODY",
        &ATOMICS.replace("&b.", "w").replace("b.o", "o").replace("bitcast<u32>", "uint").replace("i32(i)", "int(i)"),
    );
    for (name, source) in [("a.wgsl", wgsl), ("a.comp", glsl)] {
        for warp_wide in [true, false] {
            let c = compiled(name, &source, Options { warp_wide, ..Options::default() });
            let shared = ops(&c).iter().filter(|o| o.is_shared() && o.is_warp_wide()).count();
            assert_eq!(shared, if warp_wide { 9 } else { 0 }, "{}", c.asm);
            for mask in 1..16 {
                let out = after(&c, mask, [100, 5, 0, 0]);
                let first = lanes(mask)[0];
                let low = (-2 - first as i32) as u32;
                assert_eq!(out[1..FIRST], [100 + first + 3 - 1, 9, 0, low], "{name} mask {mask:#06b}, {warp_wide}");
                for (row, value) in [100, 5, 1, 0, 1, 0, 0, 50 + first].into_iter().enumerate() {
                    for lane in 0..4 {
                        let want = if lanes(mask).contains(&lane) { value } else { 0 };
                        assert_eq!(
                            out[FIRST + row * 4 + lane as usize],
                            want,
                            "{name} row {row} lane {lane} {mask:#06b}"
                        );
                    }
                }
            }
        }
    }
}

/// A lock in one kind of memory may guard the other: its accesses stay between taking and giving
/// back.
#[test]
fn ww26_a_lock_keeps_accesses_of_both_memories_in_their_places() {
    let source = "@group(0) @binding(0) var<storage, read_write> b: array<u32>;
@group(0) @binding(1) var<storage, read_write> l: atomic<u32>;
var<workgroup> lock: atomic<u32>;
var<workgroup> sum: u32;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    let before = b[1];
    while (warpLock(&lock) == 0u) {}
    b[0] = b[0] + b[1] + before;
    warpUnlock(&lock);
    while (warpLock(&l) == 0u) {}
    sum = sum + 1u;
    warpUnlock(&l);
    b[2u + i] = sum;
}";
    let c = compiled("a.wgsl", source, Options::default());
    let ops = ops(&c);
    let place = |op: Op| ops.iter().position(|o| *o == op).unwrap();
    let last = |op: Op| ops.iter().rposition(|o| *o == op).unwrap();
    assert!(place(Op::WALockS) < place(Op::St32) && place(Op::St32) < last(Op::WALockS), "{}", c.asm);
    assert!(place(Op::WALock) < place(Op::Sts32) && place(Op::Sts32) < last(Op::WALock), "{}", c.asm);
    // The word read before the lock is read again behind it.
    let loads = ops.iter().take(place(Op::St32)).filter(|o| **o == Op::Ld32).count();
    assert_eq!(loads, 3, "{}", c.asm);
}

const SUBGROUPS: &str = "
    let v = (i + 2u) * 3u;
    b.o[i] = subgroupAdd(v);
    b.o[4u + i] = subgroupExclusiveAdd(v);
    b.o[8u + i] = subgroupInclusiveMul(v);
    b.o[12u + i] = subgroupBallot(i != 2u).x;
    b.o[16u + i] = subgroupBroadcastFirst(v);
    b.o[20u + i] = u32(subgroupElect());
    b.o[24u + i] = bitcast<u32>(subgroupAdd(f32(v) * 0.1f));
    b.o[28u + i] = bitcast<u32>(subgroupMin(-i32(v)));
    b.o[32u + i] = subgroupXor(v) + subgroupAnd(v | 8u) + subgroupOr(v);
    b.o[36u + i] = u32(subgroupAll(v < 12u)) + 2u * u32(subgroupAny(v < 9u));
    b.o[40u + i] = bitcast<u32>(subgroupExclusiveMul(f32(v)));
    b.o[44u + i] = subgroupShuffle(v, i);";

fn expected(mask: u32, lane: u32) -> [u32; 12] {
    let v = |l: u32| (l + 2) * 3;
    let active = lanes(mask);
    let all = || active.iter().map(|&l| v(l));
    let below = || active.iter().filter(move |l| **l < lane).map(|&l| v(l));
    let sum = active.iter().map(|&l| v(l) as f32 * 0.1).reduce(|a, b| a + b).unwrap();
    [
        all().sum(),
        below().sum(),
        below().product::<u32>() * v(lane),
        mask & !4,
        all().next().unwrap(),
        u32::from(active[0] == lane),
        sum.to_bits(),
        all().map(|v| -(v as i32)).min().unwrap() as u32,
        all().reduce(|a, b| a ^ b).unwrap()
            + all().map(|v| v | 8).reduce(|a, b| a & b).unwrap()
            + all().reduce(|a, b| a | b).unwrap(),
        u32::from(all().all(|v| v < 12)) + 2 * u32::from(all().any(|v| v < 9)),
        below().fold(1.0, |p, v| p * v as f32).to_bits(),
        v(lane),
    ]
}

#[test]
fn subgroup_operations_take_in_the_active_lanes_only() {
    for max_registers in [32, 10] {
        let c = program(SUBGROUPS, Options { max_registers, ..Options::default() });
        for mask in 1..16 {
            let out = after(&c, mask, [0; 4]);
            for lane in lanes(mask) {
                let got: Vec<u32> = (0..12).map(|row| out[FIRST + row * 4 + lane as usize]).collect();
                assert_eq!(got, expected(mask, lane), "lane {lane} mask {mask:#06b}\n{}", c.asm);
            }
        }
    }
}

/// Loops are not unrolled around such operations, nor is their test copied, nor do they leave a
/// branch: lanes that turn a different number of times meet as the source says.
#[test]
fn lanes_with_different_numbers_of_turns_meet_as_the_source_says() {
    let body = "
    var sum = 0u;
    for (var k = 0u; k < 4u; k++) {
        if (k > i) { break; }
        sum += subgroupAdd(1u) << (k * 4u);
        if (subgroupElect()) { warpAtomicAdd(&b.count, 1u); }
    }
    b.o[i] = sum;
    b.o[4u + i] = subgroupAdd(1u);";
    for passes in [vec![], vec!["unroll"], vec!["licm"], vec!["cse"], vec!["rotate"], vec!["schedule"]] {
        for warp_wide in [true, false] {
            let skip_passes = passes.iter().map(|s: &&str| s.to_string()).collect();
            let c = program(body, Options { skip_passes, warp_wide, ..Options::default() });
            let out = after(&c, 15, [0; 4]);
            assert_eq!(out[FIRST..FIRST + 8], [0x4, 0x34, 0x234, 0x1234, 4, 4, 4, 4], "{passes:?}\n{}", c.asm);
            assert_eq!(out[1], 4);
        }
    }
}

/// The end of a turn gathers the lanes even if nothing stands there: who goes on early waits for
/// the others.
#[test]
fn lanes_that_continue_early_wait_for_the_next_turn() {
    let body = "
    var k = 0u;
    var sum = 0u;
    loop {
        k += 1u;
        if (k > 3u) { break; }
        sum += subgroupAdd(1u) << (k * 4u);
        if (k == i) { continue; }
        b.o[8u + i] = atomicLoad(&b.word) + b.o[8u + i];
    }
    b.o[i] = sum;";
    let c = program(body, Options::default());
    let out = after(&c, 15, [0, 1, 0, 0]);
    assert_eq!(out[FIRST..FIRST + 4], [0x4440; 4], "{}", c.asm);
    assert_eq!(out[FIRST + 8..FIRST + 12], [3, 2, 2, 2]);
}

/// The lock of WW-24: it is taken once for the warp, so no lane waits for another of its own warp.
#[test]
fn a_spin_lock_of_the_warp_ends() {
    let source = "struct B { lock: atomic<u32>, n: u32, mask: u32 }
@group(0) @binding(0) var<storage, read_write> b: B;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    if (((b.mask >> i) & 1u) != 0u) {
        while (warpLock(&b.lock) == 0u) {}
        if (subgroupElect()) { b.n += 1u; }
        warpUnlock(&b.lock);
    }
}";
    for warp_wide in [true, false] {
        let c = compiled("a.wgsl", source, Options { warp_wide, ..Options::default() });
        for (mask, groups) in [(15, 40), (9, 7), (4, 1)] {
            let out = run(&c, [groups, 1, 1], &[(0, vec![0, 0, mask])]);
            assert_eq!(out.buffer(0), [0, groups, mask], "{}", c.asm);
        }
    }
}

#[test]
fn the_instructions_are_those_of_the_table() {
    let c = program(ATOMICS, Options::default());
    let wide: Vec<Op> = ops(&c).into_iter().filter(|o| o.is_warp_wide()).collect();
    use Op::*;
    assert_eq!(wide, [WAAdd, WACas, WALock, WALock, WALock, WALock, WASMin, WAXchg, WASub], "{}", c.asm);
    let c = program("b.o[i] = subgroupAdd(i) + subgroupExclusiveAdd(i) + subgroupBallot(true).x;", Options::default());
    let across: Vec<Op> = ops(&c).into_iter().filter(|o| o.cross_lane().is_some()).collect();
    assert_eq!(across.len(), 3, "{}", c.asm);
    assert!([WRedAdd, WScanAdd, WBallot].iter().all(|o| across.contains(o)), "{}", c.asm);
}

/// WW-43: the atomic goes before the loads of buffers that nobody writes, which wait for their
/// addresses, and stays behind that of a buffer that may be written.
#[test]
fn an_atomic_passes_loads_of_read_only_buffers() {
    let source = "@group(0) @binding(0) var<storage, ACCESS> source: array<u32>;
@group(0) @binding(1) var<uniform> table: array<vec4<u32>, 4>;
@group(0) @binding(2) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let x = source[i * 2u + 1u] + table[i].y;
    let old = warpAtomicAdd(&count, 3u);
    o[i] = x + old;
}";
    for (access, before) in [("read", 0), ("read_write", 2)] {
        let c = compiled("a.wgsl", &source.replace("ACCESS", access), Options::default());
        let ops = ops(&c);
        let loads_before = ops.iter().take_while(|o| **o != Op::WAAdd).filter(|o| o.is_load()).count();
        assert_eq!(loads_before, before, "{access}: {}", c.asm);
        let buffers = [(0, (10..18).collect()), (1, (0..16).collect()), (2, vec![100]), (3, vec![0; 4])];
        let out = run(&c, [1; 3], &buffers);
        assert_eq!((out.buffer(2), out.buffer(3)), (&[103][..], &[112, 118, 124, 130][..]), "{}", c.asm);
    }
}
