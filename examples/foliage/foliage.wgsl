// Leaves of a tree: each instance is a quad somewhere in a crown, turned somehow, and round.

@group(0) @binding(0) var<uniform> camera: mat4x4f;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) corner: vec2f,
    @location(1) @interpolate(flat) colour: vec3f,
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    var x = seed * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32(((x >> 22u) ^ x) & 0xFFFFFFu) / 16777216.0;
}

@vertex fn vertex(@location(0) corner: vec2f, @builtin(instance_index) leaf: u32) -> Varyings {
    let seed = leaf * 8u;
    // A place in a ball, flattened, above the ground.
    let height = random(seed) * 2.0 - 1.0;
    let turn = random(seed + 1u) * 6.2831853;
    let radius = sqrt(1.0 - height * height) * (0.5 + 0.5 * random(seed + 2u));
    let place = vec3f(radius * cos(turn) * 2.6, 2.2 + height * 2.0, radius * sin(turn) * 2.6);
    let tilt = random(seed + 3u) * 3.1415927;
    let lean = random(seed + 4u) - 0.5;
    let across = vec3f(cos(tilt), lean, sin(tilt)) * 0.09;
    let along = vec3f(-sin(tilt) * 0.4, 0.9, cos(tilt) * 0.4) * 0.09;
    let position = place + across * corner.x + along * corner.y;
    let shade = 0.45 + 0.35 * height + 0.2 * random(seed + 5u);
    let colour = mix(vec3f(0.16, 0.36, 0.08), vec3f(0.52, 0.66, 0.20), shade);
    return Varyings(camera * vec4f(position, 1.0), corner, colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    if (dot(v.corner, v.corner) > 1.0) { discard; }
    let vein = 1.0 - 0.4 * f32(abs(v.corner.x) < 0.12);
    return vec4f(v.colour * vein, 1.0);
}
