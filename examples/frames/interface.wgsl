// Rectangles of an interface, in parts of the picture from its upper left corner.

struct Panel { place: vec4f, top: vec4f, bottom: vec4f }
@group(0) @binding(0) var<uniform> panel: Panel;

struct Varyings { @builtin(position) clip: vec4f, @location(0) side: vec2f }

@vertex fn vertex(@location(0) corner: vec2f) -> Varyings {
    let at = panel.place.xy + panel.place.zw * corner;
    return Varyings(vec4f(2.0 * at.x - 1.0, 1.0 - 2.0 * at.y, 0.0, 1.0), corner);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    return mix(panel.top, panel.bottom, v.side.y);
}

// A disc, soft at its edge.
@fragment fn disc(v: Varyings) -> @location(0) vec4f {
    let away = v.side * 2.0 - 1.0;
    let inside = clamp((1.0 - dot(away, away)) * 4.0, 0.0, 1.0);
    return vec4f(panel.top.rgb, panel.top.a * inside);
}
