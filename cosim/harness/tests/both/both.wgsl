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

@vertex
fn vertex(@location(0) position: vec2f, @builtin(instance_index) n: u32) -> Varyings {
    var out: Varyings;
    let at = vec2f(hash(3u * n), hash(3u * n + 1u)) * 2.2 - 1.1;
    let size = 0.06 + 0.2 * hash(3u * n + 2u);
    // Every other one shows its back, and all are slanted.
    let turned = vec2f(select(position.x, -position.x, (n & 1u) == 1u), position.y);
    out.position = vec4f(at + turned * size, 0.1 + 0.7 * hash(n + 7000u) + 0.1 * position.x, 1.0);
    out.place = position;
    out.fine = position;
    out.number = n;
    return out;
}

// The pixel's: slopes first, then what needs no neighbours.
fn pixel(v: vec2f, number: u32) -> vec3f {
    let slope = dpdx(v.x * v.y) + dpdy(v.y - v.x * v.x);
    var c = vec3f(v, 0.5) * vec3f(0.25, 0.5, 0.125) + vec3f(slope * 0.25 + 0.25);
    c = c + vec3f(f32(number & 15u) / 32.0, c.x * c.y, c.z * c.x);
    c = sqrt(abs(c)) / (vec3f(1.0) + c.zxy * c.zxy);
    c = c * c.yzx + sqrt(abs(c.zxy));
    c = c / (vec3f(1.0) + c * c);
    c = sqrt(abs(c + c.yzx * 0.25)) / (vec3f(1.5) + c.zxy);
    return c;
}

@fragment
fn fragment(
    in: Varyings,
    @builtin(front_facing) front: bool,
    @builtin(sample_index) sample: u32,
) -> @location(0) vec4f {
    var c = pixel(in.place, in.number);
    // For the pixel, behind the merge point: some of its lanes end.
    if ((in.number & 3u) == 1u && in.place.x + in.place.y < 0.6) {
        discard;
    }
    c = c * select(0.75, 1.25, front);
    if (in.place.x > in.place.y) {
        c = sqrt(c.zxy) / (vec3f(0.25) + c * c.yzx);
        c = c / (vec3f(1.0) + c);
    }
    // For the sample.
    let fine = in.fine * 3.0;
    if ((in.number & 7u) == 2u && fract(fine.x + fine.y) < 0.3) {
        discard;
    }
    c = c + vec3f(fract(fine), f32(sample) * 0.1);
    if (fract(fine.y) > 0.5) {
        c = c.zxy * 0.5 + vec3f(0.0, 0.0, 0.1);
    }
    return vec4f(c / (vec3f(1.0) + c * c), 1.0);
}

// The same without ways on which lanes part.
@fragment
fn straight(in: Varyings, @builtin(sample_index) sample: u32) -> @location(0) vec4f {
    let c = pixel(in.place, in.number) + vec3f(fract(in.fine * 3.0), f32(sample) * 0.1);
    return vec4f(c / (vec3f(1.0) + c * c), 1.0);
}
