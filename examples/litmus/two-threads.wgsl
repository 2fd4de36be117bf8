// Litmus tests of two threads that share two words, x and y, in lines of their own. A thread is lane 0 of a work group; work groups 2i and 2i + 1 are threads 0 and 1 of
// instance i, and each instance has its own x and y, so that one run shows as many outcomes as it has instances. Each thread first counts for
// `delay` rounds, which shifts the two against each other.

@group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> delay: array<u32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;
@group(0) @binding(3) var<storage, read_write> counted: array<u32>;

// Returned, so that the rounds cannot be left out.
fn pause(n: u32) -> u32 {
    var s = n;
    for (var k = 0u; k < n; k++) { s = s * 1664525u + 1013904223u; }
    return s;
}

// Message passing: data, then flag; the other reads the flag, then the data.
@compute @workgroup_size(1)
fn message(@builtin(workgroup_id) g: vec3<u32>) {
    let x = 8u * (g.x / 2u);
    let y = x + 4u;
    counted[g.x] = pause(delay[g.x]);
    if (g.x % 2u == 0u) {
        atomicStore(&words[x], 1u);
        atomicStore(&words[y], 1u);
    } else {
        let flag = atomicLoad(&words[y]);
        let data = atomicLoad(&words[x]);
        seen[g.x - 1u] = flag;
        seen[g.x] = data;
    }
}

// Store buffering: each stores its own word and reads the other's.
@compute @workgroup_size(1)
fn store_buffering(@builtin(workgroup_id) g: vec3<u32>) {
    let mine = 8u * (g.x / 2u) + 4u * (g.x % 2u);
    let other = 8u * (g.x / 2u) + 4u * (1u - g.x % 2u);
    counted[g.x] = pause(delay[g.x]);
    atomicStore(&words[mine], 1u);
    seen[g.x] = atomicLoad(&words[other]);
}

// Load buffering: each reads the other's word and then stores its own.
@compute @workgroup_size(1)
fn load_buffering(@builtin(workgroup_id) g: vec3<u32>) {
    let mine = 8u * (g.x / 2u) + 4u * (g.x % 2u);
    let other = 8u * (g.x / 2u) + 4u * (1u - g.x % 2u);
    counted[g.x] = pause(delay[g.x]);
    let r = atomicLoad(&words[other]);
    atomicStore(&words[mine], 1u);
    seen[g.x] = r;
}

// Coherence of one word, reads: once the new value is seen the old one is not.
@compute @workgroup_size(1)
fn read_read(@builtin(workgroup_id) g: vec3<u32>) {
    let x = 8u * (g.x / 2u);
    counted[g.x] = pause(delay[g.x]);
    if (g.x % 2u == 0u) {
        atomicStore(&words[x], 1u);
    } else {
        let first = atomicLoad(&words[x]);
        let second = atomicLoad(&words[x]);
        seen[g.x - 1u] = first;
        seen[g.x] = second;
    }
}

// Coherence of one word, writes: of two stores of one thread the second stays. The reader sees them in their order, and afterwards the second.
@compute @workgroup_size(1)
fn write_write(@builtin(workgroup_id) g: vec3<u32>) {
    let x = 8u * (g.x / 2u);
    counted[g.x] = pause(delay[g.x]);
    if (g.x % 2u == 0u) {
        atomicStore(&words[x], 1u);
        atomicStore(&words[x], 2u);
        seen[g.x] = atomicLoad(&words[x]);
    } else {
        let first = atomicLoad(&words[x]);
        let second = atomicLoad(&words[x]);
        seen[g.x] = 10u * first + second;
    }
}
