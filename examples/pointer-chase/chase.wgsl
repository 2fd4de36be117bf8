// Dependent loads: the address of each load comes from the value of the one before, so that every thread waits for memory nearly all the time.

struct Params {
    steps: u32,
    mask: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> chain: array<u32>;
@group(0) @binding(2) var<storage, read_write> last: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var at = id.x * 97u;
    for (var i = 0u; i < params.steps; i++) {
        at = (chain[at & params.mask] * 1103515245u + 12345u) >> 4u;
    }
    last[id.x] = at;
}
