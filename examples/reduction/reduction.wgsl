// Sum, least and greatest value of a picture, every pixel by three atomics on words that are the same for all: the compiler makes each one operation for the warp (WW-41).

struct Picture {
    width: u32,
    height: u32,
}

struct Result {
    sum: atomic<u32>,
    least: atomic<u32>,
    greatest: atomic<u32>,
}

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read> luma: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: Result;

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < picture.width && id.y < picture.height) {
        let value = luma[id.y * picture.width + id.x];
        atomicAdd(&result.sum, value);
        atomicMin(&result.least, value);
        atomicMax(&result.greatest, value);
    }
}
