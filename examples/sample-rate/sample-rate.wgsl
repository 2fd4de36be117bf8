// A wheel of glass discs. Their light and grain are the same for all samples of a pixel; the rings
// on them are not, so those are shaded for each sample.

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec2f,
    @location(1) @interpolate(perspective, sample) fine: vec2f,
    @location(2) @interpolate(flat) number: u32,
}

@vertex fn vertex(@location(0) position: vec2f, @builtin(instance_index) n: u32) -> Varyings {
    let turn = 6.2831853 * f32(n) / 12.0;
    let middle = 0.62 * vec2f(cos(turn), sin(turn));
    var out: Varyings;
    out.clip = vec4f(middle + 0.31 * position, 0.1 + 0.05 * f32(n), 1.0);
    out.place = position;
    out.fine = position;
    out.number = n;
    return out;
}

fn wave(p: vec2f) -> f32 {
    return 0.5 + 0.5 * sin(p.x) * cos(p.y);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let p = v.place;
    let d = dot(p, p);
    if (d > 1.1) {
        discard;
    }
    // Per pixel: a sphere's light, and five octaves of grain.
    let n = vec3f(p, sqrt(max(1.0 - d, 0.02)));
    let to_light = normalize(vec3f(0.4, 0.7, 0.8));
    let light = max(dot(n, to_light), 0.0);
    let half_way = normalize(to_light + vec3f(0.0, 0.0, 1.0));
    let gloss = pow(max(dot(n, half_way), 0.01), 24.0);
    var grain = wave(2.0 * p);
    grain += 0.5 * wave(3.0 * p.yx + 1.3);
    grain += 0.25 * wave(4.0 * p + 0.7);
    grain += 0.125 * wave(5.0 * p.yx + 2.1);
    let tint = fract(vec3f(0.11, 0.37, 0.61) * f32(v.number + 1u));
    let base = tint * (0.25 + 0.75 * light) * (0.7 + 0.1 * grain) + vec3f(0.25 * gloss);
    // Per sample: rings finer than a pixel.
    let rings = 0.5 + 0.5 * sin(9.0 * dot(v.fine, v.fine));
    return vec4f(base * (0.8 + 0.2 * rings), 1.0);
}
