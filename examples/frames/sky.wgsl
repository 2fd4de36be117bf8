// A sky over the whole picture: at the far plane, of a usual depth or of a reversed one.

struct Sky { top: vec4f, bottom: vec4f }
@group(0) @binding(0) var<uniform> sky: Sky;

struct Varyings { @builtin(position) clip: vec4f, @location(0) height: f32 }

@vertex fn far(@location(0) corner: vec2f) -> Varyings {
    return Varyings(vec4f(corner, 1.0, 1.0), 0.5 * corner.y + 0.5);
}

@vertex fn far_reversed(@location(0) corner: vec2f) -> Varyings {
    return Varyings(vec4f(corner, 0.0, 1.0), 0.5 * corner.y + 0.5);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    return mix(sky.bottom, sky.top, v.height);
}
