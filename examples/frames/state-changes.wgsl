// Corners in clip space, colours of vertices, square root of each.

struct Varyings { @builtin(position) clip: vec4f, @location(0) colour: vec3f }

@vertex fn vertex(@location(0) position: vec3f, @location(1) colour: vec3f) -> Varyings {
    return Varyings(vec4f(position, 1.0), colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    return vec4f(sqrt(v.colour), 1.0);
}
