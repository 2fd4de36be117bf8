struct V { @builtin(position) at: vec4f, @location(0) uv: vec2f };
@vertex fn vertex(@location(0) p: vec2f, @location(2) uv: vec2f) -> V {
    return V(vec4f(p, 0.5, 1.0), uv);
}
@fragment fn fragment(@location(0) uv: vec2f) -> @location(0) vec4f {
    let e = dpdx(uv.x) + dpdy(uv.y);
    var c = vec3f(uv * 3.0, e * 8.0);
    for (var k = 0; k < 4; k++) { c = c * vec3f(0.7, 0.8, 0.9) + c.yzx * 0.2 + vec3f(0.02); }
    return vec4f(clamp(c, vec3f(0.0), vec3f(1.0)), 1.0);
}
