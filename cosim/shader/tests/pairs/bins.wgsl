@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 16>;
var<workgroup> here: array<atomic<u32>, 16>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
    if (l < 16u) { atomicStore(&here[l], 0u); }
    workgroupBarrier();
    atomicAdd(&here[(values[id.x] >> 4u) & 15u], 1u);
    workgroupBarrier();
    if (l < 16u) { atomicAdd(&bins[l], atomicLoad(&here[l])); }
}
