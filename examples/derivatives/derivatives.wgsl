// Tiles with joints: how fast the place changes from pixel to pixel says how soft an edge has to be.

@group(0) @binding(0) var<uniform> camera: mat4x4f;

struct Varyings { @builtin(position) clip: vec4f, @location(0) place: vec2f }

@vertex fn vertex(@location(0) position: vec3f) -> Varyings {
    return Varyings(camera * vec4f(position, 1.0), position.xz);
}

// The share of a pixel that is joint, along both axes.
fn joints(place: vec2f) -> f32 {
    let wide = fwidth(place);
    let from_joint = abs(fract(place - 0.5) - 0.5);
    let sharp = 1.0 - smoothstep(vec2f(0.03), vec2f(0.03) + 1.5 * wide, from_joint);
    let many = clamp(wide * 2.0, vec2f(0.0), vec2f(1.0));
    let soft = mix(sharp, vec2f(0.12), many);
    return max(soft.x, soft.y);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let shade = 0.5 + 0.5 * sin(v.place.x * 0.7) * sin(v.place.y * 0.9);
    let far = clamp(length(v.place - vec2f(0.0, 2.0)) / 26.0, 0.0, 1.0);
    let near_colour = mix(vec3f(0.70, 0.52, 0.38) * (0.75 + 0.25 * shade), vec3f(0.25, 0.22, 0.20), joints(v.place));
    return vec4f(mix(near_colour, vec3f(0.62, 0.75, 0.88), far), 1.0);
}
