//! The shape of loops in machine code, on which the divergence analysis rests
//! (`cosim/shader/src/ssa/shape.rs`): each loop has one jump back, at its end; loops nest; no jump
//! enters the middle of a loop. What is checked here is what was emitted, with nothing of the
//! compiler's but the finished words. In a function without written operations across lanes the
//! passes may leave the points out where lanes gather before a jump back, and then loops need not
//! nest; the analysis sees that, because it comes after them. What the back end does afterwards it
//! does not see: no jump back may be added to any program.

use crate::common::atomics::Generator;
use crate::common::{compiled, example, run};
use quadlock_isa::{decode, Op};
use quadlock_shader::random::wgsl::generate;
use quadlock_shader::{Compiled, Options};

/// The ranges (first, last instruction) with a jump from the last to the first.
fn loops(c: &Compiled) -> Vec<(usize, usize)> {
    let jump = |(pc, &word): (usize, &u64)| {
        let i = decode(word).unwrap();
        (i.op.is_branch() && i.imm as usize <= pc).then_some((i.imm as usize, pc))
    };
    c.binary.code.iter().enumerate().filter_map(jump).collect()
}

/// What is wrong with the shape.
fn mistake(c: &Compiled) -> Option<String> {
    let loops = loops(c);
    for (i, a) in loops.iter().enumerate() {
        for b in &loops[i + 1..] {
            let (outer, inner) = if a.0 < b.0 { (a, b) } else { (b, a) };
            let apart = outer.1 < inner.0;
            let nested = outer.0 < inner.0 && inner.1 < outer.1;
            if !apart && !nested {
                return Some(format!("the loops {a:?} and {b:?} neither nest nor stand apart"));
            }
        }
    }
    for (pc, &word) in c.binary.code.iter().enumerate() {
        let i = decode(word).unwrap();
        let to = i.imm as usize;
        let middle = |l: &&(usize, usize)| i.op.is_branch() && l.0 < to && to <= l.1 && !(l.0..=l.1).contains(&pc);
        if let Some(l) = loops.iter().find(middle) {
            return Some(format!("{pc} jumps into the middle of {l:?}"));
        }
    }
    None
}

/// Compiles with the test of loops copied to their ends, and without: the copy adds no jump back,
/// since that would be a second one of the same loop.
fn check(path: &str, source: &str) -> usize {
    let c = compiled(path, source, Options::default());
    if source.contains("subgroup") || source.contains("warp") {
        assert_eq!(mistake(&c), None, "{source}\n{}", c.asm);
    }
    let plain = compiled(path, source, Options { skip_passes: vec!["rotate".into()], ..Options::default() });
    let (found, want) = (loops(&c).len(), loops(&plain).len());
    assert_eq!(found, want, "jumps back with and without the copied tests\n{source}\n{}", c.asm);
    found
}

const EXAMPLES: [&str; 16] = [
    "mandelbrot/mandelbrot.wgsl",
    "ray-trace/ray-trace.wgsl",
    "histogram/private.wgsl",
    "histogram/histogram.wgsl",
    "compaction/compaction.wgsl",
    "intra-decode/intra-decode.wgsl",
    "warp-lock/reordered.wgsl",
    "warp-lock/warp-wide.wgsl",
    "warp-lock/per-lane.wgsl",
    "hash-table/hash-table.wgsl",
    "ordered-z/ordered-z.wgsl",
    "matrix-multiply/matmul.wgsl",
    "edge-detect/sobel.comp",
    "edge-detect/sobel.wgsl",
    "pointer-chase/chase.wgsl",
    "reduction/reduction.wgsl",
];

#[test]
fn examples_have_one_jump_back_for_each_loop() {
    let found: usize = EXAMPLES.iter().map(|path| check(path.rsplit('/').next().unwrap(), &example(path))).sum();
    assert!(found > 10, "{found} loops prove nothing");
}

#[test]
fn random_shaders_have_one_jump_back_for_each_loop() {
    let atomics = (0..80).map(|seed| check("random.wgsl", &Generator::new(seed, seed % 2 == 0).shader().0));
    let found: usize = atomics.sum::<usize>() + (0..10).map(|s| check("random.wgsl", &generate(s).wgsl)).sum::<usize>();
    assert!(found > 60, "{found} loops prove nothing");
}

/// Lanes in counters `c` and results `out`; `n` is 6.
fn warp(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) li: u32) {{
  let n = out[15];
{body}
}}"
    )
}

/// Counters and results after a run of one warp.
fn after(path: &str, source: &str) -> (Vec<u32>, Vec<u32>) {
    check(path, source);
    let c = compiled(path, source, Options::default());
    let mut out = vec![0; 48];
    out[15] = 6;
    let r = run(&c, [1; 3], &[(0, vec![0; 8]), (1, out)]);
    (r.buffer(0).to_vec(), r.buffer(1).to_vec())
}

const ALTERNATE: &str = "if (((li + k) & 1u) == 0u) { out[li] += 1u; }";

/// The loop's first block ends with a branch both ways of which stay in the loop, so it is no test
/// that could stand at the end.
#[test]
fn a_loop_that_begins_with_a_branch_keeps_its_lanes_in_step() {
    let shapes = [
        format!("var k = 0u; loop {{ {ALTERNATE} atomicAdd(&c[k], 1u); continuing {{ k++; break if (k >= n); }} }}"),
        format!("var k = 0u; loop {{ {ALTERNATE} let s = atomicAdd(&c[k], 1u); k++; if (k >= n) {{ break; }} }}"),
        format!(
            "var k = 0u; loop {{ {ALTERNATE} atomicAdd(&c[k], 1u); k++; if (k >= n) {{ break; }} out[16u + li] = k; }}"
        ),
    ];
    for body in shapes {
        let (c, out) = after("a.wgsl", &warp(&body));
        assert_eq!((c[..8].to_vec(), out[..4].to_vec()), (vec![4, 4, 4, 4, 4, 4, 0, 0], vec![3; 4]), "{body}");
    }
    let glsl = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, binding = 0) buffer C { uint c[8]; };
        layout(std430, binding = 1) buffer O { uint o[48]; };
        void main() {
            uint li = gl_LocalInvocationIndex, n = o[15], k = 0u;
            do {
                if (((li + k) & 1u) == 0u) o[li] += 1u;
                atomicAdd(c[k], 1u);
                k++;
            } while (k < n);
        }";
    let (c, out) = after("a.comp", glsl);
    assert_eq!((c[..8].to_vec(), out[..4].to_vec()), (vec![4, 4, 4, 4, 4, 4, 0, 0], vec![3; 4]));
}

#[test]
fn functions_of_the_warp_in_such_a_loop_are_done_once_a_turn() {
    let body = format!(
        "var k = 0u; loop {{ {ALTERNATE} out[16u + li * 8u + k] = subgroupAdd(1u); warpAtomicAdd(&c[k], 1u);
         continuing {{ k++; break if (k >= n); }} }}"
    );
    let (c, out) = after("a.wgsl", &warp(&body));
    assert_eq!(c[..8], [1, 1, 1, 1, 1, 1, 0, 0]);
    let rows: Vec<&[u32]> = out[16..].chunks(8).collect();
    assert!(rows.iter().all(|r| *r == [4, 4, 4, 4, 4, 4, 0, 0]), "{rows:?}");
}

/// The holder of the lock meets the others at the end of each turn, so it comes to give the lock
/// back.
#[test]
fn a_lock_taken_and_given_back_in_one_turn_ends() {
    let body = "var done = false; var tries = 0u; var turns = 0u;
  loop {
    if (atomicCompareExchangeWeak(&c[0], 0u, 1u).old_value == 1u) { tries += turns; out[8u + li] = tries; }
    else { out[4] += 1u; atomicStore(&c[0], 0u); done = true; }
    if (done) { break; }
    out[12] = turns;
    turns++;
  }
  out[li] = tries;";
    let (c, out) = after("a.wgsl", &warp(body));
    assert_eq!((c[0], &out[..5]), (0, &[0, 0, 1, 3, 4][..]));
}

/// A test of two words, one of them in memory, and one that a branch stands in: copied where it is
/// the loop's only way out, and only then.
#[test]
fn the_test_of_a_while_loop_is_copied() {
    let c = compiled("a.wgsl", &warp("var k = 0u; while (k < n) { k += out[k]; } out[li] = k;"), Options::default());
    let l = loops(&c);
    assert_eq!(l.len(), 1, "{}", c.asm);
    let last = decode(c.binary.code[l[0].1]).unwrap();
    assert!(matches!(last.op, Op::Bz | Op::Bnz), "{}", c.asm);
}
