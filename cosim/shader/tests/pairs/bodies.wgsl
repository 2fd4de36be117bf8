struct Body { place: vec3<f32>, mass: f32, speed: vec3<f32>, spin: f32 }
@group(0) @binding(0) var<storage, read> bodies: array<Body>;
@group(0) @binding(1) var<storage, read_write> forces: array<vec4<f32>>;

fn pull(a: Body, b: Body) -> vec3<f32> {
    let d = b.place - a.place;
    let r = dot(d, d) + 0.0625;
    return normalize(d + vec3<f32>(0.5)) * (b.mass / r) + cross(a.speed, b.speed) * sqrt(r);
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let mine = bodies[id.x];
    var sum = vec3<f32>(0.0);
    for (var k = 0u; k < 8u; k++) {
        if (k == id.x) { continue; }
        sum += pull(mine, bodies[k]);
    }
    forces[id.x] = vec4<f32>(clamp(sum, vec3<f32>(-8.0), vec3<f32>(8.0)), mix(mine.mass, length(sum), 0.25));
}
