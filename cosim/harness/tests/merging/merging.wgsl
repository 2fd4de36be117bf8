struct Varyings {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f,
    @location(1) @interpolate(flat) number: u32,
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
    let size = 0.05 + 0.3 * hash(3u * n + 2u);
    out.position = vec4f(at + position * size, hash(n + 7000u), 1.0);
    out.place = position;
    out.number = n;
    return out;
}

@fragment
fn fragment(in: Varyings) -> @location(0) vec4f {
    let v = in.place;
    // Whole quads and parts of quads end here.
    if ((in.number & 3u) == 1u && v.x + v.y < 0.6) {
        discard;
    }
    // Lanes of a quad part here.
    var w = v.x;
    if (v.x > v.y) {
        w = sqrt(v.x * 3.0 + v.y) / (v.y + 1.5);
        w = w / (0.25 + w * w);
    }
    let slope = dpdx(w * v.y) + dpdy(w - v.x * v.x);
    // Nothing below needs helpers.
    var colour = vec3f(v, w);
    colour = colour * vec3f(0.25, 0.5, 0.125) + vec3f(slope * 0.25 + 0.25);
    colour = colour + vec3f(in.position.x * 0.01, f32(in.number & 15u) / 32.0, colour.x * colour.y);
    colour = sqrt(abs(colour)) / (vec3f(1.0) + colour.zxy * colour.zxy);
    return vec4f(colour, 1.0);
}

// One arm has much to do and needs no helpers; behind both there is a derivative's use no more. All
// lanes of a quad take one arm, so the derivative has one value.
@fragment
fn arms(in: Varyings) -> @location(0) vec4f {
    let v = vec4f(in.place, in.place.yx * 0.5 + 0.25);
    var a = v.x;
    var b = v.y;
    var c = v.z;
    var d = v.w;
    if ((in.number & 1u) == 0u) {
        a = sin(v.y) * cos(v.z) + sqrt(abs(v.w));
        b = exp2(a) * v.x + log2(abs(a) + 1.0);
        c = sin(b) * cos(a) + sqrt(abs(b));
        d = pow(abs(a), 1.5) + pow(abs(b), v.z) + pow(abs(c), 2.5);
        c = sin(d) * cos(b) + pow(abs(d), 1.5) * exp2(c);
        b = log2(abs(c) + 2.0) * sqrt(abs(d)) + sin(c) * cos(a) + pow(abs(c), 0.5);
        a = exp2(b) * sin(b) + cos(d) * sqrt(abs(c)) + pow(abs(b), 1.7);
    } else {
        if ((in.number & 6u) == 2u) {
            a = dpdx(v.z * v.x);
        }
    }
    return vec4f(a, b, c, d) * 0.25;
}

// A loop behind the derivative: helpers must end before it.
@fragment
fn looped(in: Varyings) -> @location(0) vec4f {
    let v = in.place;
    var c = vec3f(v, dpdx(v.x * v.y) + dpdy(v.x - v.y));
    for (var k = 0u; k < (in.number & 3u) + 2u; k++) {
        c = c * vec3f(0.7, 0.8, 0.9) + c.yzx * 0.2 + vec3f(0.02);
    }
    return vec4f(c, 1.0);
}

// No branch before the derivative: every lane comes behind it after as many instructions.
@fragment
fn straight(in: Varyings) -> @location(0) vec4f {
    let v = in.place;
    let w = sqrt(v.x * 3.0 + v.y) / (v.y + 1.5);
    let slope = dpdx(w * v.y) + dpdy(w - v.x * v.x);
    // Nothing below needs helpers.
    var colour = vec3f(v, w) * vec3f(0.25, 0.5, 0.125) + vec3f(slope * 0.25 + 0.25);
    if ((in.number & 3u) == 1u && v.x + v.y < 0.6) {
        discard;
    }
    colour = colour + vec3f(in.position.x * 0.01, f32(in.number & 15u) / 32.0, colour.x * colour.y);
    colour = sqrt(abs(colour)) / (vec3f(1.0) + colour.zxy * colour.zxy);
    return vec4f(colour, 1.0);
}
