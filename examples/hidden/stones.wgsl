// Stones in a heap: an octahedron for each instance, put somewhere, turned and lit. The number of a
// stone says where it is, so their order is none that the camera knows.

@group(0) @binding(0) var<uniform> camera: mat4x4f;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec3f,
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    var x = seed * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32(((x >> 22u) ^ x) & 0xFFFFFFu) / 16777216.0;
}

@vertex fn vertex(@location(0) position: vec3f, @builtin(instance_index) stone: u32) -> Varyings {
    let seed = stone * 8u;
    let middle = vec3f(random(seed), random(seed + 1u), random(seed + 2u)) * vec3f(20.0, 20.0, 16.0)
        - vec3f(10.0, 10.0, 16.0);
    let turn = random(seed + 3u) * 6.2831853;
    let size = 0.5 + 0.7 * random(seed + 4u);
    let c = cos(turn);
    let s = sin(turn);
    let turned = vec3f(c * position.x - s * position.y, s * position.x + c * position.y, position.z);
    let at = middle + turned * size;
    let grey = 0.4 + 0.5 * random(seed + 5u);
    return Varyings(camera * vec4f(at, 1.0), at, turned, vec3f(grey, grey * 0.95, grey * 0.85));
}

// Two lights, a highlight, and dust that the distance brings.
@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let n = normalize(v.normal);
    let to_eye = normalize(vec3f(0.0, 0.0, 14.0) - v.place);
    let sun = normalize(vec3f(0.4, 0.7, 0.6));
    let half = normalize(sun + to_eye);
    let shine = pow(max(dot(n, half), 0.0), 16.0);
    let light = 0.2 + 0.6 * max(dot(n, sun), 0.0) + 0.2 * max(dot(n, vec3f(-0.8, 0.0, 0.6)), 0.0);
    let dust = clamp(-v.place.z / 24.0, 0.0, 0.7);
    let lit = v.colour * light + vec3f(0.3) * shine;
    return vec4f(mix(lit, vec3f(0.6, 0.55, 0.5), dust), 1.0);
}
