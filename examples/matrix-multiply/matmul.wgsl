// C = A * B for the top-left n x n corner of matrices stored with `stride` columns, in tiles of 4x4 held in work-group memory.
// Every thread makes one element of C; the four threads of a row of the tile are one warp. Each product is added with one fused
// multiply-add, in order of k, so that the result is defined to the last bit.

const TILE: u32 = 4u;

struct Params {
    n: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, 4>, 4>;
var<workgroup> tile_b: array<array<f32, 4>, 4>;

@compute @workgroup_size(4, 4)
fn main(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let row = group.y * TILE + local.y;
    let col = group.x * TILE + local.x;
    var sum = 0.0;
    for (var k = 0u; k < params.n; k += TILE) {
        tile_a[local.y][local.x] = a[row * params.stride + k + local.x];
        tile_b[local.y][local.x] = b[(k + local.y) * params.stride + col];
        workgroupBarrier();
        for (var i = 0u; i < TILE; i++) {
            sum = fma(tile_a[local.y][i], tile_b[i][local.x], sum);
        }
        workgroupBarrier();
    }
    c[row * params.stride + col] = sum;
}
