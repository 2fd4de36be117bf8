@group(0) @binding(0) var<storage, read_write> steps: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = vec2<f32>(f32(id.x) * 0.15625 - 2.0, f32(id.y) * 0.15625 - 1.25);
    var z = vec2<f32>(0.0);
    var n = 0u;
    while (n < 40u) {
        let square = z * z;
        if (square.x + square.y > 4.0) { break; }
        z = vec2<f32>(square.x - square.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    steps[id.y * 16u + id.x] = n;
}
