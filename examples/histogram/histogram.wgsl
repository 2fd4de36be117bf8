// Histogram of a picture's luma in 64 bins, with one ordinary atomic per pixel and lane (WW-10: N active lanes cost N atomic transactions).

struct Picture {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read> luma: array<u32>;
@group(0) @binding(2) var<storage, read_write> bins: array<atomic<u32>, 64>;

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < picture.width && id.y < picture.height) {
        let value = luma[id.y * picture.width + id.x];
        atomicAdd(&bins[min(value, 255u) / 4u], 1u);
    }
}
