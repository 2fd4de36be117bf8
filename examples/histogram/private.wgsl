// The histogram without an atomic per pixel: each lane counts a strip of the picture in bins of its own in work-group memory, then all add them up, bin by bin. In that loop the four
// lanes of a warp meet at the same bin, so the compiler makes each addition one operation for the warp (WW-41); histogram.wgsl, whose lanes go to different bins, stays per lane (WW-42).

struct Picture {
    strip: u32,     // pixels of each invocation, one behind the other
}

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read> luma: array<u32>;
@group(0) @binding(2) var<storage, read_write> bins: array<atomic<u32>, 64>;

// Bin b of lane l is word 4 * b + l: a warp is a work group, and no lane looks at another's words.
var<workgroup> counts: array<u32, 256>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    for (var bin = 0u; bin < 64u; bin++) {
        counts[4u * bin + lane] = 0u;
    }
    for (var i = 0u; i < picture.strip; i++) {
        let bin = min(luma[id.x * picture.strip + i], 255u) / 4u;
        counts[4u * bin + lane] += 1u;
    }
    for (var bin = 0u; bin < 64u; bin++) {
        atomicAdd(&bins[bin], counts[4u * bin + lane]);
    }
}
