// Squares in random order, ten deep, lit by two lamps. The number of a square says where it is. The
// numbers come as an attribute, so that a scene can leave some of them out.

@group(0) @binding(0) var<uniform> camera: mat4x4f;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) side: vec2f,
    @location(2) @interpolate(flat) colour: vec3f,
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    var x = seed * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32(((x >> 22u) ^ x) & 0xFFFFFFu) / 16777216.0;
}

@vertex fn vertex(@location(0) corner: vec2f, @location(1) number: u32) -> Varyings {
    let seed = number * 8u;
    let middle = vec3f(random(seed), random(seed + 1u), random(seed + 2u)) * vec3f(2.0, 2.0, 4.0)
        - vec3f(1.0, 1.0, 4.0);
    let at = vec3f(middle.xy + corner * 0.19, middle.z + 0.05 * corner.x);
    let grey = 0.4 + 0.5 * random(seed + 5u);
    return Varyings(camera * vec4f(at, 1.0), at, corner, vec3f(grey, grey * 0.9, grey * 0.8));
}

// Two lamps near the picture, and a rim.
@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let n = normalize(vec3f(v.side * 0.4, 1.0));
    let first = vec3f(1.5, 1.0, 1.0) - v.place;
    let second = vec3f(-1.0, -1.5, 0.5) - v.place;
    let one = max(dot(n, normalize(first)), 0.0) / (1.0 + 0.1 * dot(first, first));
    let two = max(dot(n, normalize(second)), 0.0) / (1.0 + 0.1 * dot(second, second));
    let rim = max(abs(v.side.x), abs(v.side.y));
    let light = 0.25 + 0.7 * one + 0.4 * two;
    return vec4f(v.colour * light * (1.0 - 0.4 * rim * rim), 1.0);
}
