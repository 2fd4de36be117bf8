struct Varyings {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f,
    @location(1) @interpolate(perspective, sample) fine: vec2f,
    @location(2) @interpolate(flat) number: u32,
}

// Numbers that look as if by chance, from 0 to 1.
fn hash(n: u32) -> f32 {
    var x = n * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
    return f32((x >> 16u) & 1023u) / 1023.0;
}

fn corner(position: vec2f, n: u32) -> Varyings {
    var out: Varyings;
    let at = vec2f(hash(3u * n), hash(3u * n + 1u)) * 2.2 - 1.1;
    let size = 0.1 + 0.5 * hash(3u * n + 2u);
    out.position = vec4f(at + position * size, hash(n + 7000u), 1.0);
    out.place = position;
    out.fine = position;
    out.number = n;
    return out;
}

@vertex
fn vertex(@location(0) position: vec2f, @builtin(instance_index) n: u32) -> Varyings {
    return corner(position, n);
}

@fragment
fn fragment(in: Varyings, @builtin(sample_index) sample: u32) -> @location(0) vec4f {
    let v = in.place;
    // For the pixel: whole quads and parts of quads end, lanes part and meet again.
    if ((in.number & 3u) == 1u && v.x + v.y < 0.6) {
        discard;
    }
    var w = v.x;
    if (v.x > v.y) {
        w = sqrt(v.x * 3.0 + v.y) / (v.y + 1.5);
        w = w / (0.25 + w * w);
    }
    let slope = dpdx(w * v.y) + dpdy(w - v.x * v.x);
    let base = vec3f(v, w) * vec3f(0.25, 0.5, 0.125) + vec3f(slope * 0.25 + 0.25);
    // For the sample.
    let fine = in.fine * 3.0;
    if ((in.number & 7u) == 2u && fract(fine.x + fine.y) < 0.3) {
        discard;
    }
    let wide = dpdx(in.fine.x) * dpdy(in.fine.y);
    var c = base + vec3f(fract(fine), f32(sample) * 0.1);
    if (fract(fine.y) > 0.5) {
        c = c.zxy * 0.5 + vec3f(wide, 0.0, 0.1);
    }
    return vec4f(c / (vec3f(1.0) + c * c), 1.0);
}

@fragment
fn pixels(@location(0) v: vec2f, @location(2) @interpolate(flat) number: u32) -> @location(0) vec4f {
    let slope = dpdx(v.x * v.y) + dpdy(v.y - v.x * v.x);
    var colour = vec3f(v, 0.5) * vec3f(0.25, 0.5, 0.125) + vec3f(slope * 0.25 + 0.25);
    colour = colour + vec3f(f32(number & 15u) / 32.0, colour.x * colour.y, colour.z * colour.x);
    colour = sqrt(abs(colour)) / (vec3f(1.0) + colour.zxy * colour.zxy);
    colour = colour * colour.yzx + sqrt(abs(colour.zxy));
    colour = sin(colour * 3.0) * cos(colour.zxy) + exp2(colour.yzx);
    colour = colour / (vec3f(1.0) + colour * colour);
    return vec4f(colour, 1.0);
}

// No branch before what is the sample's: every lane comes to the split point after as many
// instructions.
@fragment
fn straight(in: Varyings, @builtin(sample_index) sample: u32) -> @location(0) vec4f {
    let v = in.place;
    let w = sqrt(abs(v.x) * 3.0 + v.y) / (v.y + 1.5);
    let slope = dpdx(w * v.y) + dpdy(w - v.x * v.x);
    let base = sin(vec3f(v, w) * vec3f(0.25, 0.5, 0.125)) + vec3f(slope * 0.25 + 0.25);
    let fine = in.fine * 3.0;
    if ((in.number & 7u) == 2u && fract(fine.x + fine.y) < 0.3) {
        discard;
    }
    let c = base + vec3f(fract(fine), f32(sample) * 0.1);
    return vec4f(c / (vec3f(1.0) + c * c), 1.0);
}

// As `fragment`, but that behind the split no lane looks at another.
@fragment
fn apart(in: Varyings, @builtin(sample_index) sample: u32) -> @location(0) vec4f {
    let v = in.place;
    if ((in.number & 3u) == 1u && v.x + v.y < 0.6) {
        discard;
    }
    var w = v.x;
    if (v.x > v.y) {
        w = sqrt(v.x * 3.0 + v.y) / (v.y + 1.5);
        w = w / (0.25 + w * w);
    }
    let slope = dpdx(w * v.y) + dpdy(w - v.x * v.x);
    let base = vec3f(v, w) * vec3f(0.25, 0.5, 0.125) + vec3f(slope * 0.25 + 0.25);
    let fine = in.fine * 3.0;
    if ((in.number & 7u) == 2u && fract(fine.x + fine.y) < 0.3) {
        discard;
    }
    var c = base + vec3f(fract(fine), f32(sample) * 0.1);
    if (fract(fine.y) > 0.5) {
        c = c.zxy * 0.5 + vec3f(0.1, 0.0, 0.1);
    }
    return vec4f(c / (vec3f(1.0) + c * c), 1.0);
}

// As `vertex`, with depths that differ among samples.
@vertex
fn sloped(@location(0) position: vec2f, @builtin(instance_index) n: u32) -> Varyings {
    var out = corner(position, n);
    out.position.z = 0.1 + 0.7 * out.position.z + 0.1 * position.x + 0.05 * position.y;
    return out;
}

// No lane looks at another at all, so points may be anywhere.
@fragment
fn alone(in: Varyings, @builtin(sample_index) sample: u32) -> @location(0) vec4f {
    let fine = in.fine * 3.0;
    if ((in.number & 7u) == 2u && fract(fine.x + fine.y) < 0.3) {
        discard;
    }
    var c = vec3f(in.place, in.position.z) + vec3f(fract(fine), f32(sample) * 0.1);
    if (fract(fine.y) > 0.5) {
        c = c.zxy * 0.5 + vec3f(in.position.xy, 32.0) / 64.0;
    }
    return vec4f(c / (vec3f(1.0) + c * c), 1.0);
}
