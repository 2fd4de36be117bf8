// Light for the leaves of foliage.wgsl, whose vertex program they share: clouds, a sum of octaves of
// noise. Where a leaf is small on the screen its vein fades out: that is what needs neighbours, and
// it comes first.

struct Sky { octaves: f32 }
@group(0) @binding(1) var<uniform> sky: Sky;

struct Varyings {
    @builtin(position) place: vec4f,
    @location(0) corner: vec2f,
    @location(1) @interpolate(flat) colour: vec3f,
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    var x = seed * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32(((x >> 22u) ^ x) & 0xFFFFFFu) / 16777216.0;
}

// Noise of a plane: random numbers at whole places, smooth between them.
fn noise(at: vec2f) -> f32 {
    let cell = floor(at);
    let t = at - cell;
    let s = t * t * (3.0 - 2.0 * t);
    let seed = u32(i32(cell.x) + 512) * 1973u + u32(i32(cell.y) + 512) * 9277u;
    let low = mix(random(seed), random(seed + 1973u), s.x);
    let high = mix(random(seed + 9277u), random(seed + 11250u), s.x);
    return mix(low, high, s.y);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    // How much of a leaf a pixel is.
    let width = abs(dpdx(v.corner)) + abs(dpdy(v.corner));
    let pixel = max(width.x, width.y);
    let fine = clamp(1.0 - 0.4 * pixel, 0.0, 1.0);
    var clouds = 0.0;
    var weight = 0.5;
    var at = v.place.xy * 0.06 + v.corner * 0.05;
    for (var octave = 0u; octave < u32(sky.octaves); octave++) {
        clouds += weight * noise(at);
        weight *= 0.5;
        at = at * 2.0 + 7.0;
    }
    let vein = 1.0 - 0.4 * fine * f32(abs(v.corner.x) < 0.12);
    let light = (0.45 + 0.9 * clouds) * vein;
    return vec4f(clamp(v.colour * light, vec3f(0.0), vec3f(1.0)), 1.0);
}
