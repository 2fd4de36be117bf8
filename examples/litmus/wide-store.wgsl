// One store instruction of two lanes to two lines, and one load instruction of the same: is a warp's access indivisible? Work groups 2i and 2i + 1 are writer and reader of
// instance i; lane l uses the word of line l. The writer counts both words up together; the reader's result is 1 if it ever found them different. It reads the
// lines in the other order: accesses that only alternate would otherwise find both old or both new.

@group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32>;

@compute @workgroup_size(2)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let word = 8u * (g.x / 2u) + 4u * lane;
    let other = 8u * (g.x / 2u) + 4u * (1u - lane);
    if (g.x % 2u == 0u) {
        for (var k = 1u; k <= 24u; k++) { atomicStore(&words[word], k); }
    } else {
        var split = 0u;
        for (var k = 0u; k < 24u; k++) {
            let value = atomicLoad(&words[other]);
            if (value != subgroupShuffleXor(value, 1u)) { split = 1u; }
        }
        if (lane == 0u) { seen[g.x / 2u] = split; }
    }
}
