// Puffs of smoke or sparks: quads that face the camera, each an instance.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Source { right: vec4f, up: vec4f, at: vec4f, drift: vec4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> source: Source;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) corner: vec2f,
    @location(1) @interpolate(flat) alpha: f32,
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    var x = seed * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32(((x >> 22u) ^ x) & 0xFFFFFFu) / 16777216.0;
}

@vertex fn vertex(@location(0) corner: vec2f, @builtin(instance_index) puff: u32) -> Varyings {
    let seed = puff * 4u + u32(source.at.w);
    let age = random(seed);
    let away = vec3f(random(seed + 1u), random(seed + 2u), random(seed + 3u)) - 0.5;
    let middle = source.at.xyz + source.drift.xyz * age + away * source.drift.w * (0.3 + age);
    let size = source.right.w * (0.4 + age);
    let at = middle + (source.right.xyz * corner.x + source.up.xyz * corner.y) * size;
    return Varyings(frame.camera * vec4f(at, 1.0), corner, source.colour.a * (1.0 - age));
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let round = max(1.0 - dot(v.corner, v.corner), 0.0);
    return vec4f(source.colour.rgb, v.alpha * round);
}
