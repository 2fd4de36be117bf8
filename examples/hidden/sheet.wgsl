// A sheet of small squares, side by side, with waves. Each square is an instance.

@group(0) @binding(0) var<uniform> camera: mat4x4f;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
}

@vertex fn vertex(@location(0) corner: vec2f, @builtin(instance_index) square: u32) -> Varyings {
    let column = f32(square % 32u);
    let row = f32(square / 32u);
    let x = (column + corner.x) * 0.0625 - 1.0;
    let y = (row + corner.y) * 0.0625 - 1.0;
    let at = vec3f(x, y, 0.1 * sin(4.0 * x) * cos(3.0 * y));
    return Varyings(camera * vec4f(at, 1.0), at);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let slope = vec3f(-0.4 * cos(4.0 * v.place.x) * cos(3.0 * v.place.y), 0.3 * sin(4.0 * v.place.x) * sin(3.0 * v.place.y), 1.0);
    let light = 0.2 + 0.8 * max(dot(normalize(slope), normalize(vec3f(0.3, 0.5, 0.8))), 0.0);
    return vec4f(vec3f(0.35, 0.6, 0.75) * light, 1.0);
}
