// Stream compaction: the bright pixels of a picture, packed without gaps. Each takes its slot from one shared counter, with an ordinary atomic under a branch that depends on the data; the
// compiler makes it one operation for the lanes that came, and gives each its own slot from a scan (WW-41). The order is free, what is in the list is not.

struct Params {
    threshold: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> luma: array<u32>;
@group(0) @binding(2) var<storage, read_write> count: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> bright: array<u32>;     // place of the pixel + 1

// One invocation for each pixel and none more, so no bound is needed.
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (luma[id.x] > params.threshold) {
        bright[atomicAdd(&count, 1u)] = id.x + 1u;
    }
}
