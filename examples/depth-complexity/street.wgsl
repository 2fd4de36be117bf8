// Houses along a street: one box, put somewhere and made larger for each instance.

@group(0) @binding(0) var<uniform> camera: mat4x4f;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) @interpolate(flat) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) place: vec2f,
    @location(3) size: vec3f,
    @location(4) colour: vec4f,
) -> Varyings {
    let at = position * size * vec3f(0.5, 1.0, 0.5) + vec3f(place.x, 0.0, place.y);
    return Varyings(camera * vec4f(at, 1.0), at, normal, colour.rgb);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let light = 0.35 + 0.65 * max(dot(v.normal, normalize(vec3f(0.3, 0.8, 0.6))), 0.0);
    let far = clamp(-v.place.z / 30.0, 0.0, 0.8);
    return vec4f(mix(v.colour * light, vec3f(0.70, 0.80, 0.92), far), 1.0);
}
