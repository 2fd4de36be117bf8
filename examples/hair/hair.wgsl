// Strands of hair: each instance is a ribbon of a pixel or two across, bent by its own numbers. The
// light of a strand comes from its direction, not from its side.

@group(0) @binding(0) var<uniform> camera: mat4x4f;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) along: vec2f,
    @location(1) direction: vec3f,
    @location(2) place: vec3f,
    @location(3) @interpolate(flat) strand: u32,
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    var x = seed * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32(((x >> 22u) ^ x) & 0xFFFFFFu) / 16777216.0;
}

// A place of the strand at t, from its root on the head to its end.
fn place(strand: u32, t: f32) -> vec3f {
    let seed = strand * 8u;
    let height = random(seed) * 1.2 - 0.2;
    let turn = random(seed + 1u) * 6.2831853;
    let radius = sqrt(1.0 - height * height);
    let root = vec3f(radius * cos(turn), height, radius * sin(turn));
    let curl = 0.35 * random(seed + 2u);
    let fall = (0.9 + 0.8 * random(seed + 3u)) * t * t;
    let wave = curl * sin(t * 7.0 + 6.0 * random(seed + 4u)) * t;
    return root * (1.0 + 0.55 * t) + vec3f(wave * root.z, -fall, -wave * root.x);
}

@vertex fn vertex(@location(0) corner: vec2f, @builtin(instance_index) strand: u32) -> Varyings {
    let here = place(strand, corner.y);
    let next = place(strand, corner.y + 0.05);
    let direction = normalize(next - here);
    let across = normalize(cross(direction, vec3f(0.0, 0.2, 1.0)));
    let position = here + across * corner.x * 0.011 * (1.1 - corner.y);
    return Varyings(camera * vec4f(position, 1.0), corner, direction, position, strand);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    // How many strands' widths a pixel is: the last use of neighbours.
    let width = clamp(abs(dpdx(v.along.x)) + abs(dpdy(v.along.x)), 0.25, 4.0);
    let direction = normalize(v.direction);
    let light = normalize(vec3f(0.4, 0.9, 0.5));
    let view = normalize(vec3f(0.0, 0.3, 4.2) - v.place);
    let tl = dot(direction, light);
    let tv = dot(direction, view);
    let sl = sqrt(max(1.0 - tl * tl, 0.0));
    let sv = sqrt(max(1.0 - tv * tv, 0.0));
    let shine = pow(max(sl * sv - tl * tv, 0.001), 24.0);
    let second = pow(max(sl * sv - (tl + 0.12) * (tv + 0.12), 0.001), 8.0);
    let tint = random(v.strand * 8u + 5u);
    let base = mix(vec3f(0.24, 0.12, 0.05), vec3f(0.55, 0.33, 0.14), tint);
    let round = 1.0 - 0.35 * v.along.x * v.along.x / width;
    let colour = base * (0.25 + 0.75 * sl) * round + vec3f(0.5, 0.45, 0.4) * shine + base * second * 0.6;
    return vec4f(sqrt(clamp(colour, vec3f(0.0), vec3f(1.0))), 1.0);
}
