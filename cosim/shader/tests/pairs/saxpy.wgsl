struct Line { a: f32, b: f32, n: u32 }
@group(0) @binding(0) var<uniform> line: Line;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= line.n) { return; }
    y[i] = line.a * x[i] + line.b * y[i];
}
