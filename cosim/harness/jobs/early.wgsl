// Cells: a mask says whether a cell is relaxed, and how often; then a weight is applied, whose place
// another table says. That place can be read before the mask is there.
@group(0) @binding(0) var<storage, read> mask: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read> weights: array<u32>;
@group(0) @binding(3) var<storage, read_write> cells: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    var x = f32(i & 255u) * 0.25 + 1.0;
    for (var t = 0u; t < 8u; t++) {
        let m = mask[(i * 8u + t) & 1023u];
        if ((m & 1u) == 1u) {
            var y = x;
            for (var k = 0u; k < (m & 6u); k++) {
                y = 0.5 * (y + x * 0.75);
            }
            x = y;
        }
        x = x * f32(weights[places[(i + t * 37u) & 1023u] & 1023u]) + 0.5;
    }
    cells[i] = x;
}
