// Branches, loops and ends without derivatives: programs into which points can be put anywhere.
struct Varyings {
    @builtin(position) at: vec4f,
    @location(0) place: vec2f,
    @location(1) @interpolate(flat) number: u32,
}

@vertex fn vertex(@location(0) p: vec2f, @builtin(vertex_index) n: u32) -> Varyings {
    return Varyings(vec4f(p, 0.5, 1.0), p, n);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    var sum = vec3f(v.place, 0.25);
    let turns = 2u + (u32(v.at.x) ^ u32(v.at.y) ^ v.number) % 5u;
    for (var k = 0u; k < turns; k++) {
        if (fract(sum.x * 3.0) > 0.5) {
            sum = sum.yzx * 0.75 + vec3f(0.1, 0.0, 0.05);
        } else {
            sum.y += 0.125;
            if (sum.y > 1.5 && k > 2u) { break; }
        }
        sum.z = abs(sum.x - sum.y);
    }
    if (fract(sum.z * 7.0) < 0.1) { discard; }
    return vec4f(clamp(sum * 0.5, vec3f(0.0), vec3f(1.0)), 1.0);
}

// Nothing that could run for ever if a value is wrong.
@fragment fn straight(v: Varyings) -> @location(0) vec4f {
    var c = vec3f(v.place, 0.25);
    c = c.yzx * 0.75 + vec3f(0.1, 0.2, 0.05);
    c = c * c.zxy + vec3f(0.125);
    if (c.x > c.y) { c.z = c.x * 2.0; }
    return vec4f(clamp(c, vec3f(0.0), vec3f(1.0)), 1.0);
}
