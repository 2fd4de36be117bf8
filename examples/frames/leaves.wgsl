// Cards of leaves. A card is cut out by discard, as a texture with holes would do.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) uv: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
) -> Varyings {
    let clip = frame.camera * (thing.model * vec4f(position, 1.0));
    return Varyings(clip, vec3f(uv, 0.6 + 0.4 * abs(dot(normal, frame.sun.xyz))));
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let leaf = fract(v.uv.xy * 4.0) - 0.5;
    let round = v.uv.xy - 0.5;
    if (dot(leaf, leaf) > 0.23 || dot(round, round) > 0.25) { discard; }
    return vec4f(thing.colour.rgb * v.uv.z * (1.0 - 1.2 * abs(leaf.x * leaf.y)), 1.0);
}
