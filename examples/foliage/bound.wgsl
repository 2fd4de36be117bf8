// Long pointed leaves under clouds: light that sums up octaves of noise. Where a leaf is small on the
// screen its vein fades out: that is what needs neighbours, and it comes first.

struct Sky { octaves: f32 }
@group(0) @binding(0) var<uniform> camera: mat4x4f;
@group(0) @binding(1) var<uniform> sky: Sky;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) corner: vec2f,
    @location(1) @interpolate(flat) colour: vec3f,
    @location(2) place: vec3f,
}

fn hash(seed: u32) -> u32 {
    let x = seed * 747796405u + 2891336453u;
    let y = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return (y >> 22u) ^ y;
}

// A number of 0 to 1 for each seed.
fn random(seed: u32) -> f32 {
    return f32(hash(seed) & 0xFFFFFFu) / 16777216.0;
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
    return Varyings(camera * vec4f(position, 1.0), corner, colour, position);
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
    let pixel = max(abs(dpdx(v.corner.x)) + abs(dpdy(v.corner.x)), abs(dpdx(v.corner.y)) + abs(dpdy(v.corner.y)));
    let fine = clamp(1.0 - 0.4 * pixel, 0.0, 1.0);
    var clouds = 0.0;
    var weight = 0.5;
    var at = v.place.xz * 1.5 + v.corner * 0.05;
    for (var octave = 0u; octave < u32(sky.octaves); octave++) {
        clouds += weight * noise(at);
        weight *= 0.5;
        at = at * 2.0 + 7.0;
    }
    let vein = 1.0 - 0.4 * fine * f32(abs(v.corner.x) < 0.12);
    let light = (0.45 + 0.9 * clouds) * vein;
    return vec4f(clamp(v.colour * light, vec3f(0.0), vec3f(1.0)), 1.0);
}
