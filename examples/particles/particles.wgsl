// Half transparent discs on two spirals, from the outside to the middle.

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) corner: vec2f,
    @location(1) @interpolate(flat) colour: vec4f,
}

@vertex fn vertex(@location(0) corner: vec2f, @builtin(instance_index) number: u32) -> Varyings {
    let n = f32(number) / 240.0;
    let arm = f32(number & 1u) * 3.1415927;
    let turn = 9.0 * n + arm;
    let middle = vec2f(cos(turn), sin(turn)) * (0.85 * (1.0 - n));
    let size = 0.05 + 0.10 * (1.0 - n);
    let warm = vec3f(1.0, 0.55 + 0.3 * n, 0.25);
    let cold = vec3f(0.30, 0.55, 1.0 - 0.3 * n);
    let colour = vec4f(select(warm, cold, (number & 1u) == 1u), 0.35);
    return Varyings(vec4f(middle + corner * size, 0.5, 1.0), corner, colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let away = dot(v.corner, v.corner);
    return vec4f(v.colour.rgb, v.colour.a * max(1.0 - away, 0.0));
}
