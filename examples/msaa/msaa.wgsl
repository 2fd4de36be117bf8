// Blades around the middle, from a hair's breadth to three degrees.

struct Varyings { @builtin(position) clip: vec4f, @location(0) @interpolate(flat) colour: vec3f }

@vertex fn vertex(@location(0) position: vec2f, @builtin(instance_index) blade: u32) -> Varyings {
    let n = f32(blade) / 26.0;
    let turn = 6.2831853 * n;
    let wide = 0.003 + 0.05 * n;
    let along = vec2f(cos(turn), sin(turn));
    let across = vec2f(-along.y, along.x);
    let place = 0.95 * (along * position.x + across * (position.y * wide));
    let colour = mix(vec3f(0.05, 0.05, 0.35), vec3f(0.75, 0.10, 0.10), n);
    return Varyings(vec4f(place, 0.0, 1.0), colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    return vec4f(v.colour, 1.0);
}
